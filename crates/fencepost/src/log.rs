//! What goes into a SARIF log, which comes in one piece at the end.

use std::env;
use std::path::PathBuf;

use fencepost_base::diag::Diagnostic;
use fencepost_base::source::SourceFile;
use fencepost_expect::Announced;
use fencepost_finding::{Evidence, Finding, Fix, Rule, Severity};
use fencepost_report::sarif::{self, Notice, Origin};
use fencepost_report::terminal::Skipped;
use fencepost_report::{Subject, finding, while_reading};
use fencepost_verdict::{Outcome, Reason, Verdict, Verification};

/// One fix is for all that is found in a program.
fn add_fix(findings: &mut [Finding], fix: Option<Fix>) {
    if let Some(Finding { evidence: Evidence::Replayed(replayed), .. }) = findings.first_mut() {
        replayed.fix = fix;
    }
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
    findings: Vec<Finding>,
    notices: Vec<Notice>,
    folder: Option<PathBuf>,
}

impl Log {
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
    pub(crate) fn outcome(&mut self, subject: &Subject<'_>, outcome: &Outcome, announced: Announced, fix: Option<Fix>) {
        let mut findings = finding::of_outcome(subject, outcome);
        add_fix(&mut findings, fix);
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
        let mut found = finding::of_verification(subject, verification);
        add_fix(&mut found, fix);
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
        let folder = self.folder.clone().or_else(|| env::current_dir().ok());
        let origin = Origin { version: env!("CARGO_PKG_VERSION"), folder: folder.as_deref() };
        sarif::log(&self.findings, &self.notices, &origin)
    }
}
