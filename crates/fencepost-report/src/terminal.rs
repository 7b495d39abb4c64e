//! Text for people at a terminal: one headline per question, and for
//! everything that is wrong an explanation that shows the source.

mod diagnostics;
mod edits;
mod figures;
mod layout;
mod trace;
mod violation;

pub use diagnostics::{diagnostics, invalid_utf8, plain_error};
pub use edits::{relaxed, repaired};
pub use figures::{Counts, stats, summary};
pub use layout::paragraphs;

use annotate_snippets::Renderer;
use annotate_snippets::renderer::{AnsiColor, Effects, Style};
use fencepost_verdict::{Outcome, Property, Verdict};

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
}

impl Default for Look {
    fn default() -> Self {
        Look { color: false, width: 100, full_trace: false }
    }
}

/// The verdict in one line: `sb.fp: NOT ROBUST against ra`.
pub fn headline(subject: &Subject<'_>, outcome: &Outcome, look: &Look) -> String {
    let paint = Paint(look.color);
    let file = subject.source.name();
    let model = outcome.model;
    let failure = match &outcome.sc_failure {
        None => String::new(),
        Some(failure) => format!("; {}", paint.bad(&format!("FAILS under SC: {}", words::failure_message(failure)))),
    };
    let (holds, violated) = match outcome.property {
        Property::Robustness => ("ROBUST", "NOT ROBUST"),
        // The method is sound, not complete: a violation means that the proof failed.
        Property::ObservationalRobustness => ("OBSERVATIONALLY ROBUST", "NOT SHOWN OBSERVATIONALLY ROBUST"),
    };
    match &outcome.verdict {
        Verdict::Holds => format!("{file}: {} against {model}{failure}\n", paint.good(holds)),
        Verdict::Violated(_) => format!("{file}: {} against {model}{failure}\n", paint.bad(violated)),
        Verdict::Unknown(reason) => {
            format!("{file}: {} ({reason}) against {model}{failure}\n", paint.unsure("UNKNOWN"))
        }
    }
}

/// Where on the ladder of models a program stops being robust.
pub fn ladder(subject: &Subject<'_>, outcomes: &[Outcome], look: &Look) -> String {
    let weakest = outcomes.iter().rfind(|outcome| matches!(outcome.verdict, Verdict::Holds));
    let breaks = outcomes.iter().find(|outcome| matches!(outcome.verdict, Verdict::Violated(_)));
    let undecided: Vec<&str> = outcomes
        .iter()
        .filter(|outcome| matches!(outcome.verdict, Verdict::Unknown(_)))
        .map(|outcome| outcome.model)
        .collect();
    let robust = match outcomes.first().map(|outcome| outcome.property) {
        Some(Property::ObservationalRobustness) => "observationally robust",
        _ => "robust",
    };
    let mut parts = Vec::new();
    parts.extend(weakest.map(|outcome| format!("the weakest model it is {robust} against is {}", outcome.model)));
    parts.extend(breaks.map(|outcome| format!("the first that breaks it is {}", outcome.model)));
    if !undecided.is_empty() {
        parts.push(format!("undecided for {}", undecided.join(" and ")));
    } else if weakest.is_none() {
        parts.insert(0, format!("{robust} against none of the models"));
    } else if breaks.is_none() {
        parts.push("none breaks it".into());
    }
    let line = format!("{}: {}", subject.source.name(), parts.join("; "));
    Paint(look.color).strong(&line) + "\n"
}

/// The verdict with everything that explains it, except what `earlier` outcomes for other models have explained: their
/// violations are much alike, and failures under SC are the same.
pub fn outcome(subject: &Subject<'_>, outcome: &Outcome, earlier: &[Outcome], look: &Look) -> String {
    let mut text = headline(subject, outcome, look);
    let violated = |outcome: &Outcome| matches!(outcome.verdict, Verdict::Violated(_));
    if let (Verdict::Violated(violation), false) = (&outcome.verdict, earlier.iter().any(violated)) {
        text.push_str(&violation::violation(subject, violation, outcome.model, look));
    }
    if let (Verdict::Holds, false) = (&outcome.verdict, outcome.speculative.is_empty()) {
        text.push_str(&violation::speculative_reads(subject, &outcome.speculative, look));
    }
    if let (Some(failure), false) = (&outcome.sc_failure, earlier.iter().any(|outcome| outcome.sc_failure.is_some())) {
        text.push_str(&violation::failure(subject, failure, look));
    }
    text
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
