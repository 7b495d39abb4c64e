//! One JSON object per question, one per line. The wire types are the
//! contract; fields may be added, those that exist stay.

mod edits;
mod findings;
mod verification;
mod wire;

pub use edits::{relaxed, repaired};
pub use findings::finding;
pub use verification::{AttemptReport, ConditionReport, StateReport, verification};
pub use wire::{
    Access, Alternative, BecauseReport, CopiesReport, EditReport, Edits, EditsVerdict, Error, Errors,
    ExpectationReport, Figures, KeptReport, SCHEMA, Unread, Verdict,
};

use fencepost_base::diag::{Diagnostic, Severity};
use fencepost_base::source::SourceFile;
use fencepost_finding::Statement;
use fencepost_verdict::{Argument, CopiesArgument, ForCopies, Outcome, Reason, Scope, Stats};

use crate::finding;
use crate::subject::Subject;
use crate::terminal::Skipped;
use crate::words;
use wire::Report;

/// The report on one outcome, and on what was expected of it, as a line of JSON with its line
/// break.
pub fn outcome(subject: &Subject<'_>, outcome: &Outcome, expectation: Option<ExpectationReport>) -> String {
    let subject = &subject.about(outcome.copies.as_deref());
    let (verdict, reason, violation) = match &outcome.verdict {
        fencepost_verdict::Verdict::Holds => (Verdict::Robust, None, None),
        fencepost_verdict::Verdict::Violated(found) => {
            (Verdict::Violation, None, Some(finding::of_violation(subject, found, outcome.model)))
        }
        fencepost_verdict::Verdict::Unknown(reason) => (Verdict::Unknown, Some(reason), None),
    };
    let sc_failure = outcome.sc_failure.as_deref().map(|found| finding::of_failure(subject, found));
    let found = finding::of_consequences(subject, outcome);
    let consequences = outcome.consequences.as_ref().map(|consequences| wire::ConsequencesReport {
        rank: consequences.rank().as_str(),
        stale_steps: match consequences.scope {
            Scope::Stale(most) => Some(most),
            Scope::Everything => None,
        },
        argument: consequences.argument.map(Argument::as_str),
        observational: consequences.is_unobserved.then_some(true),
        reason: consequences.cut.as_ref().map(Reason::as_str),
        detail: consequences.cut.as_ref().map(ToString::to_string),
        found: found.iter().map(findings::report).collect(),
    });
    let speculative: Vec<Statement> = outcome.speculative.iter().map(|&site| subject.statement(site)).collect();
    line(&Report {
        schema: SCHEMA,
        file: subject.source.name().to_string(),
        program: subject.name().to_string(),
        property: outcome.property.as_str(),
        model: outcome.model,
        verdict,
        reason: reason.map(|reason| reason.as_str()),
        detail: reason.map(ToString::to_string),
        expectation,
        violation: violation.as_ref().map(findings::report),
        sc_failure: sc_failure.as_ref().map(findings::report),
        consequences: consequences.as_ref(),
        speculative: speculative.iter().map(findings::statement).collect(),
        copies: outcome.copies.as_deref().map(copies),
        stats: figures(&outcome.stats),
    })
}

/// The report on a file that could not be checked, as a line of JSON with its line break.
pub fn errors(file: &str, errors: Vec<Error>) -> String {
    line(&Errors { schema: SCHEMA, file: file.to_string(), verdict: "error", errors })
}

/// The report on a file that a limit kept from being read to its end, as a line of JSON with its
/// line break.
pub fn unread(file: &str, reason: &Reason) -> String {
    line(&Unread {
        schema: SCHEMA,
        file: file.to_string(),
        verdict: Verdict::Unknown,
        reason: reason.as_str(),
        detail: words::while_reading(reason),
    })
}

/// The report on a file of a directory that is not in a language that is read, as a line of JSON
/// with its line break.
pub fn skipped(skipped: &Skipped) -> String {
    let detail = format!("this is {}", skipped.what);
    line(&wire::Skipped { schema: SCHEMA, file: &skipped.file, verdict: "skipped", reason: skipped.kind, detail })
}

/// The report on a file that a bug of fencepost kept from being worked on, as a line of JSON with
/// its line break.
pub fn internal_error(file: &str, message: &str) -> String {
    let error = Error {
        severity: "internal-error",
        line: None,
        column: None,
        message: message.to_string(),
        help: vec!["please report this with the file".into()],
    };
    errors(file, vec![error])
}

/// Diagnostics as wire errors.
pub fn diagnostics(source: &SourceFile, diagnostics: &[Diagnostic]) -> Vec<Error> {
    diagnostics
        .iter()
        .map(|diagnostic| {
            let position = source.start_of(diagnostic.primary.span);
            Error {
                severity: match diagnostic.severity {
                    Severity::Error => "error",
                    Severity::Warning => "warning",
                },
                line: Some(position.line),
                column: Some(position.column),
                message: diagnostic.message.clone(),
                help: diagnostic.help.clone(),
            }
        })
        .collect()
}

/// The error for a file that is not UTF-8.
pub fn invalid_utf8(name: &str, bytes: &[u8]) -> Vec<Error> {
    let (source, diagnostic) = words::invalid_utf8(name, bytes);
    diagnostics(&source, &[diagnostic])
}

fn copies(copies: &ForCopies) -> CopiesReport {
    CopiesReport {
        every: copies.every.map(CopiesArgument::as_str),
        at_a_time: match copies.every {
            Some(CopiesArgument::Forward(copies)) => Some(copies),
            Some(CopiesArgument::Backward) | None => None,
        },
        number: copies.with.as_ref().map(|with| with.number),
    }
}

fn figures(stats: &Stats) -> Figures {
    Figures {
        states: stats.states,
        transitions: stats.transitions,
        depth: stats.depth,
        time_ms: (stats.time.as_secs_f64() * 1e6).round() / 1e3,
        peak_bytes: stats.peak_bytes,
        state_bits: stats.state_bits,
        on_device: (stats.on_device > 0).then_some(stats.on_device),
    }
}

fn line(value: &impl serde::Serialize) -> String {
    // Structs of strings and numbers: nothing in them can fail to serialise.
    serde_json::to_string(value).expect("wire types serialise") + "\n"
}
