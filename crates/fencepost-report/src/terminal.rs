//! Text for people at a terminal: one headline per question, and for
//! everything that is wrong an explanation that shows the source.

mod diagnostics;
mod edits;
mod figures;
mod layout;
mod source;
mod stacks;
mod trace;
mod verification;

pub use diagnostics::{diagnostics, invalid_utf8, plain_error};
pub use edits::{relaxed, repaired, repaired_harm};
pub use figures::{Skipped, Tallied, Tally, outcome_stats, skipped, stats};
pub use layout::paragraphs;
pub use verification::{verification, verification_headline};

use std::collections::{BTreeMap, BTreeSet};

use annotate_snippets::Renderer;
use annotate_snippets::renderer::{AnsiColor, Effects, Style};
use fencepost_base::source::SourceFile;
use fencepost_finding::{Access, Evidence, Finding, Statement};
use fencepost_verdict::{Consequences, Outcome, Property, Rank, Reason, Site, Verdict, Violation, ViolationKind};

use self::layout::{Align, table};
use crate::finding;
use crate::subject::Subject;
use crate::words;

/// How the text is to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// With ANSI colours?
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
    /// All steps of a run, however many?
    pub full_trace: bool,
    /// Everything that was found, and not only what matters most?
    pub in_full: bool,
}

impl Default for Look {
    fn default() -> Self {
        Look { color: false, width: 100, full_trace: false, in_full: false }
    }
}

/// The verdict in one line: `sb.fp: NOT ROBUST against ra`.
pub fn headline(subject: &Subject<'_>, outcome: &Outcome, look: &Look) -> String {
    verdict(subject, std::slice::from_ref(outcome), "", look)
}

/// The verdicts for several models in one line, which names them all, and a remark:
/// `sb.fp: ROBUST against tso; NOT ROBUST against ra and rc20 (as expected)`.
pub fn verdict(subject: &Subject<'_>, outcomes: &[Outcome], remark: &str, look: &Look) -> String {
    let paint = Paint(look.color);
    let mut answers: Vec<((String, String), Vec<&str>)> = Vec::new();
    let in_order = [Verdict::is_holding, Verdict::is_violated, Verdict::is_unknown];
    for outcome in in_order.iter().flat_map(|is| outcomes.iter().filter(|outcome| is(&outcome.verdict))) {
        let copies = outcome.copies.as_deref().filter(|_| !outcome.verdict.is_unknown());
        let after = words::for_copies(copies) + &words::consequences(subject, outcome);
        let answer = (answer(outcome, paint), after);
        match answers.iter_mut().find(|(same, _)| *same == answer) {
            Some((_, models)) => models.push(outcome.model),
            None => answers.push((answer, vec![outcome.model])),
        }
    }
    let answers = answers
        .iter()
        .map(|((answer, consequences), models)| format!("{answer} against {}{consequences}", words::all_of(models)));
    let failure = outcomes.iter().find_map(|outcome| Some((outcome, outcome.sc_failure.as_deref()?)));
    let failure = failure.map(|(outcome, failure)| {
        let what = words::failure_kind(&subject.about(outcome.copies.as_deref()), failure.site, &failure.kind);
        let number = outcome.copies.as_ref().and_then(|copies| copies.with.as_ref()).map(|with| with.number);
        let copies = number.map_or_else(String::new, words::with_copies);
        paint.bad(&format!("FAILS under SC{copies}: {what}"))
    });
    let parts: Vec<String> = answers.chain(failure).collect();
    let remark = if remark.is_empty() { String::new() } else { format!(" ({remark})") };
    format!("{}: {}{remark}\n", subject.source.name(), parts.join("; "))
}

fn answer(outcome: &Outcome, paint: Paint) -> String {
    let (holds, violated) = match outcome.property {
        Property::Robustness => ("ROBUST", "NOT ROBUST"),
        // The method is sound, not complete: a violation means that the proof failed.
        Property::ObservationalRobustness => ("OBSERVATIONALLY ROBUST", "NOT SHOWN OBSERVATIONALLY ROBUST"),
    };
    match &outcome.verdict {
        Verdict::Holds => paint.good(holds),
        Verdict::Violated(_) => paint.bad(violated),
        Verdict::Unknown(reason) => format!("{} ({reason})", paint.unsure("UNKNOWN")),
    }
}

/// A file that a limit kept from being read to its end.
pub fn unread(file: &str, reason: &Reason, look: &Look) -> String {
    format!("{file}: {} ({})\n", Paint(look.color).unsure("UNKNOWN"), words::while_reading(reason))
}

/// Everything that explains a verdict, except what `earlier` outcomes for other models have
/// explained: violations are much alike among machines with store buffers and among the others,
/// unless they are races, and failures under SC are the same. What goes wrong comes first. Unless
/// all is wanted, only the worst of it is shown, and no violation that does no harm.
pub fn explanation(subject: &Subject<'_>, outcome: &Outcome, earlier: &[Outcome], look: &Look) -> String {
    let subject = &subject.about(outcome.copies.as_deref());
    let mut text = consequences(subject, outcome, earlier, look);
    let rank = outcome.consequences.as_ref().map(Consequences::rank);
    if let Verdict::Violated(violation) = &outcome.verdict {
        let family = |violation: &Violation| (violation.delay.is_some(), violation.kind == ViolationKind::DataRace);
        let is_alike = |earlier: &Outcome| match &earlier.verdict {
            Verdict::Violated(other) => family(other) == family(violation),
            _ => false,
        };
        let is_harmless = rank == Some(Rank::Harmless);
        let is_minor = is_harmless || matches!(rank, Some(Rank::Race | Rank::Failure));
        let is_new = !earlier.iter().any(is_alike);
        if is_new && (look.in_full || !is_minor || violation.kind == ViolationKind::DataRace) {
            let found = finding::of_violation(subject, violation, outcome.model);
            text.push_str(&finding(&found, Some(subject.source), look));
        } else if is_new && is_minor {
            let word = if is_harmless { "harmless" } else { "also" };
            text += &one_line(word, &finding::of_violation(subject, violation, outcome.model), look);
        }
        if let (Some(consequences), true) = (&outcome.consequences, is_new) {
            let advice = words::advice(subject, violation, consequences);
            let lines = advice.iter().map(|advice| paragraphs(advice, look.width.saturating_sub(4)));
            text.extend(lines.collect::<String>().lines().map(|line| format!("  {line}\n")));
            text += if advice.is_empty() { "" } else { "\n" };
        }
    }
    if let (Verdict::Holds, false) = (&outcome.verdict, outcome.speculative.is_empty()) {
        text.push_str(&speculative_reads(subject, &outcome.speculative, look));
    }
    if let (Some(failure), false) = (&outcome.sc_failure, earlier.iter().any(|outcome| outcome.sc_failure.is_some())) {
        text.push_str(&finding(&finding::of_failure(subject, failure), Some(subject.source), look));
    }
    text
}

/// What goes wrong because the program is not robust: the worst of it, and a line for each of the
/// rest.
fn consequences(subject: &Subject<'_>, outcome: &Outcome, earlier: &[Outcome], look: &Look) -> String {
    let side = |access: &Option<Access>| match access {
        Some(Access::Statement(statement)) => Some((statement.thread.clone(), statement.span)),
        _ => None,
    };
    // The same thing, whatever the model.
    let what = |found: &Finding| (found.kind, side(&found.access), side(&found.conflicting));
    let told = earlier.iter().flat_map(|outcome| finding::of_consequences(subject, outcome));
    let told: Vec<_> = told.map(|found| what(&found)).collect();
    let found = finding::of_consequences(subject, outcome);
    let new = found.iter().filter(|found| !told.contains(&what(found))).enumerate();
    let texts = new.map(|(index, found)| match index == 0 || look.in_full {
        true => finding(found, Some(subject.source), look),
        false => one_line("also", found, look),
    });
    // Different accesses of a line read the same.
    let mut seen = BTreeSet::new();
    texts.filter(|text| seen.insert(text.clone())).collect()
}

/// A finding in one line: where, and what.
fn one_line(word: &str, finding: &Finding, look: &Look) -> String {
    let place = match &finding.access {
        Some(Access::Statement(statement)) => format!("line {}: ", statement.start.line),
        _ => String::new(),
    };
    format!("  {}\n", Paint(look.color).faint(&format!("{word}: {place}{}", finding.title)))
}

/// The verdict with everything that explains it.
pub fn outcome(subject: &Subject<'_>, outcome: &Outcome, look: &Look) -> String {
    headline(subject, outcome, look) + &explanation(subject, outcome, &[], look)
}

/// The reads that may be stale in a program that is robust all the same.
fn speculative_reads(subject: &Subject<'_>, sites: &[Site], look: &Look) -> String {
    // One line for each place in the source, however many threads and calls come by.
    let mut places: BTreeMap<(usize, String), BTreeSet<String>> = BTreeMap::new();
    for &site in sites {
        let Statement { thread, start, text, .. } = subject.statement(site);
        places.entry((start.line, text)).or_default().insert(format!("`{thread}`"));
    }
    let rows: Vec<[String; 3]> = places
        .into_iter()
        .map(|((line, text), threads)| {
            let noun = if threads.len() == 1 { "thread" } else { "threads" };
            let threads: Vec<String> = threads.into_iter().collect();
            [format!("line {line}"), text, format!("{noun} {}", threads.join(", "))]
        })
        .collect();
    let body: String = table([Align::Left; 3], &rows).iter().map(|line| format!("    {line}\n")).collect();
    source::heading("Reads that can be stale, which nothing depends on then", look) + &body + "\n"
}

/// What is wrong: shown in the program's text, if that is given, or with the stacks of a compiled
/// program.
pub fn finding(finding: &Finding, source: Option<&SourceFile>, look: &Look) -> String {
    match &finding.evidence {
        Evidence::Replayed(replayed) => source::finding(source, finding, replayed, look),
        Evidence::Observed(observed) => stacks::finding(finding, observed, look),
    }
}

/// The same in a line, for what is known to be harmless.
pub fn finding_line(finding: &Finding) -> String {
    match &finding.evidence {
        Evidence::Replayed(_) => format!("  {}\n", finding.message),
        Evidence::Observed(observed) => stacks::line(finding, observed),
    }
}

/// Colours, or none.
#[derive(Clone, Copy)]
struct Paint(bool);

impl Paint {
    fn good(self, text: &str) -> String {
        self.with(AnsiColor::Green.on_default().effects(Effects::BOLD), text)
    }

    fn bad(self, text: &str) -> String {
        self.with(AnsiColor::BrightRed.on_default().effects(Effects::BOLD), text)
    }

    fn unsure(self, text: &str) -> String {
        self.with(AnsiColor::Yellow.on_default().effects(Effects::BOLD), text)
    }

    fn strong(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    fn faint(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    fn with(self, style: Style, text: &str) -> String {
        if self.0 && !text.is_empty() {
            format!("{}{text}{}", style.render(), style.render_reset())
        } else {
            text.to_string()
        }
    }
}

fn renderer(look: &Look) -> Renderer {
    let renderer = if look.color { Renderer::styled().hyperlink(false) } else { Renderer::plain() };
    renderer.term_width(look.width)
}
