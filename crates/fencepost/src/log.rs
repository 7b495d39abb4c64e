//! What goes into a SARIF log or a page, which come in one piece at the end.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use fencepost_base::diag::Diagnostic;
use fencepost_base::source::SourceFile;
use fencepost_expect::{Announced, Judgement};
use fencepost_finding::{Evidence, Finding, Fix, Rule, Severity, command_line};
use fencepost_report::diagram::Extra;
use fencepost_report::html::{self, Answer, Part};
use fencepost_report::sarif::{self, Notice, Origin};
use fencepost_report::terminal::Skipped;
use fencepost_report::{Subject, finding, while_reading};
use fencepost_verdict::{Outcome, Reason, Verdict, Verification};

/// Of a file that is named by debug information, so many bytes are read at most.
const LONGEST_SOURCE: u64 = 16 << 20;

/// What it is to be in the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// A SARIF log.
    #[default]
    Sarif,
    /// A page for a browser.
    Page,
}

/// The findings, with the lines of the file that expect them.
pub(crate) fn announced(findings: Vec<Finding>, announced: Announced) -> Vec<Finding> {
    let by = |rule| match rule {
        Rule::Assertion | Rule::RuntimeError => announced.failure.or(announced.consequence),
        Rule::Race => announced.violation.or(announced.consequence),
        _ => announced.violation,
    };
    findings.into_iter().map(|finding| Finding { expected: by(finding.kind.rule()), ..finding }).collect()
}

/// Everything so far.
#[derive(Default)]
pub(crate) struct Log {
    form: Form,
    findings: Vec<Finding>,
    notices: Vec<Notice>,
    folder: Option<PathBuf>,
    /// For a page: what was asked, texts in which something was found, other remarks.
    answers: Vec<Answer>,
    sources: BTreeMap<String, String>,
    figures: Vec<String>,
}

impl Log {
    pub(crate) fn new(form: Form) -> Self {
        Log { form, ..Log::default() }
    }

    /// One fix is for all that is found in a program. In a log it stands once; on a page every
    /// finding is looked at for itself, but what fails under SC is not mended by it.
    fn add_fix(&self, findings: &mut [Finding], fix: Option<&Fix>) {
        let how_many = if self.form == Form::Page { findings.len() } else { 1 };
        for finding in findings.iter_mut().take(how_many) {
            if let Finding { evidence: Evidence::Replayed(replayed), model, .. } = finding
                && (self.form == Form::Sarif || *model != "sc")
            {
                replayed.fix = fix.cloned();
            }
        }
    }

    fn add_source(&mut self, subject: &Subject<'_>) {
        let (name, text) = (subject.source.name(), subject.source.text());
        if self.form == Form::Page && !self.sources.contains_key(name) {
            self.sources.insert(name.to_string(), text.to_string());
        }
    }

    /// Something to say about all of it.
    #[cfg(fencepost_runtime)]
    pub(crate) fn remark(&mut self, text: &str) {
        self.figures.extend(text.lines().map(|line| line.trim_start_matches("fencepost: ").to_string()));
    }

    /// Paths start in this folder, instead of where we are.
    #[cfg(fencepost_runtime)]
    pub(crate) fn start_paths_in(&mut self, folder: Option<PathBuf>) {
        self.folder = folder;
    }

    /// Something that was seen in a run.
    #[cfg(fencepost_runtime)]
    pub(crate) fn finding(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// What was found, and which lines of the file expect it.
    pub(crate) fn outcome(
        &mut self,
        subject: &Subject<'_>,
        outcome: &Outcome,
        announced: Announced,
        judgement: Option<&Judgement>,
        fix: Option<Fix>,
    ) {
        let mut findings = match self.form {
            Form::Sarif => finding::of_outcome(subject, outcome),
            Form::Page => finding::of_outcome_drawn(subject, outcome, Extra::default()),
        };
        self.add_fix(&mut findings, fix.as_ref());
        let is_expected = judgement.and_then(|judgement| match judgement {
            Judgement::AsExpected => Some(true),
            Judgement::Differs(_) => Some(false),
            Judgement::Undecided => None,
        });
        self.answers.push(Answer::of_outcome(subject, outcome, is_expected));
        self.add_source(subject);
        self.findings.extend(self::announced(findings, announced));
        if let Verdict::Unknown(reason) = &outcome.verdict {
            self.undecided(subject, "robustness against", outcome.model, reason);
        }
    }

    /// The same; one line expects all of it.
    pub(crate) fn verification(
        &mut self,
        subject: &Subject<'_>,
        verification: &Verification,
        announced: Option<usize>,
        fix: Option<Fix>,
    ) {
        let mut found = match self.form {
            Form::Sarif => finding::of_verification(subject, verification),
            Form::Page => finding::of_verification_drawn(subject, verification, Extra::default()),
        };
        self.add_fix(&mut found, fix.as_ref());
        self.answers.push(Answer::of_verification(subject, verification));
        self.add_source(subject);
        self.findings.extend(found.into_iter().map(|finding| Finding { expected: announced, ..finding }));
        if let Err(reason) = &verification.result {
            self.undecided(subject, "safety under", verification.model, reason);
        }
    }

    /// A file that could not be understood.
    pub(crate) fn malformed(&mut self, source: &SourceFile, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            let at = source.start_of(diagnostic.primary.span);
            self.failed(source.name(), &format!("{}:{}: {}", at.line, at.column, diagnostic.message));
        }
    }

    /// A file that could not be read, or that a bug kept from being worked on.
    pub(crate) fn failed(&mut self, file: &str, text: &str) {
        self.notices.push(Notice { severity: Severity::Error, file: file.into(), text: text.into() });
    }

    /// A file that a limit kept from being read to its end.
    pub(crate) fn unread(&mut self, file: &str, reason: &Reason) {
        self.warning(file, format!("nothing is decided: {}", while_reading(reason)));
    }

    /// What is not as the comments of a file expect.
    pub(crate) fn unexpected(&mut self, subject: &Subject<'_>, differences: &[String]) {
        for difference in differences {
            self.warning(subject.source.name(), format!("not as expected: {difference}"));
        }
    }

    /// A file of a directory that is not in a language that is read.
    pub(crate) fn foreign(&mut self, skipped: &Skipped) {
        self.warning(&skipped.file, format!("skipped: this is {}", skipped.what));
    }

    /// A file about which not everything was asked, because nobody waited for the answers.
    pub(crate) fn skipped(&mut self, file: &str) {
        self.warning(file, "not everything was checked: interrupted".into());
    }

    fn undecided(&mut self, subject: &Subject<'_>, what: &str, model: &str, reason: &Reason) {
        self.warning(subject.source.name(), format!("{what} {model} is not decided: {reason}"));
    }

    fn warning(&mut self, file: &str, text: String) {
        let notice = Notice { severity: Severity::Warning, file: file.into(), text };
        // What has nothing to do with a model is said for each of them.
        if !self.notices.contains(&notice) {
            self.notices.push(notice);
        }
    }

    /// As text, with paths from here.
    pub(crate) fn render(&self) -> String {
        match self.form {
            Form::Sarif => {
                let folder = self.folder.clone().or_else(|| env::current_dir().ok());
                let origin = Origin { version: env!("CARGO_PKG_VERSION"), folder: folder.as_deref() };
                sarif::log(&self.findings, &self.notices, &origin)
            }
            Form::Page => page(&[self.part()]),
        }
    }

    /// What is to be on a page, together with what others know.
    pub(crate) fn part(&self) -> Part {
        let mut part = Part::default();
        part.answers.clone_from(&self.answers);
        part.figures.clone_from(&self.figures);
        self.findings.iter().for_each(|finding| part.finding(finding));
        self.notices.iter().for_each(|notice| part.notice(notice));
        for file in part.files() {
            match self.sources.get(&file) {
                Some(text) => part.source(&file, text),
                None => {
                    let path = self.folder.as_deref().map_or_else(|| PathBuf::from(&file), |folder| folder.join(&file));
                    read(&path).into_iter().for_each(|text| part.source(&file, &text));
                }
            }
        }
        part
    }
}

/// The text of a file that debug information names; none if there is no such text.
fn read(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    let is_text = metadata.is_file() && metadata.len() <= LONGEST_SOURCE;
    let bytes = is_text.then(|| fs::read(path).ok()).flatten()?;
    String::from_utf8(bytes).ok()
}

/// A page of all this, and of the command that was typed.
pub(crate) fn page(parts: &[Part]) -> String {
    let typed = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = std::iter::once("fencepost".to_string()).chain(typed).collect();
    html::page(parts, &html::Origin { version: env!("CARGO_PKG_VERSION"), command: &command_line(&words) })
}
