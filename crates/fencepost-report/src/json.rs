//! One JSON object per question, one per line. The wire types are the
//! contract; fields may be added, those that exist stay.

mod edits;
mod verification;
mod wire;

pub use edits::{relaxed, repaired};
pub use verification::{ConditionReport, RaceReport, StateReport, VerificationReport, verification};
pub use wire::{
    Access, Alternative, BecauseReport, Conflicting, DelayReport, EditReport, Edits, EditsVerdict, Error, Errors,
    ExpectationReport, Failure, Figures, KeptReport, MachineStep, Report, SCHEMA, Step, StepAccess, Verdict,
    ViolationReport,
};

use fencepost_base::diag::{Diagnostic, Severity};
use fencepost_base::source::SourceFile;
use fencepost_verdict::{Delay, Outcome, RunStep, ScFailure, ScFailureKind, Site, Stats, Violation};

use crate::subject::Subject;
use crate::words;

/// The report on one outcome, and on what was expected of it, as a line of JSON with its line break.
pub fn outcome(subject: &Subject<'_>, outcome: &Outcome, expectation: Option<ExpectationReport>) -> String {
    line(&Report { expectation, ..report(subject, outcome) })
}

/// The report on a file that could not be checked, as a line of JSON with its line break.
pub fn errors(file: &str, errors: Vec<Error>) -> String {
    line(&Errors { schema: SCHEMA, file: file.to_string(), verdict: "error", errors })
}

/// The report on a file that a bug of fencepost kept from being worked on, as a line of JSON with its line break.
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

/// The report on one outcome, as data.
pub fn report(subject: &Subject<'_>, outcome: &Outcome) -> Report {
    let (verdict, reason, detail, violation) = match &outcome.verdict {
        fencepost_verdict::Verdict::Holds => (Verdict::Robust, None, None, None),
        fencepost_verdict::Verdict::Violated(found) => {
            (Verdict::Violation, None, None, Some(violation(subject, found)))
        }
        fencepost_verdict::Verdict::Unknown(reason) => {
            (Verdict::Unknown, Some(reason.as_str()), Some(reason.to_string()), None)
        }
    };
    Report {
        schema: SCHEMA,
        file: subject.source.name().to_string(),
        program: subject.name().to_string(),
        property: outcome.property.as_str(),
        model: outcome.model,
        verdict,
        reason,
        detail,
        expectation: None,
        violation,
        sc_failure: outcome.sc_failure.as_deref().map(|found| failure(subject, found)),
        speculative: outcome.speculative.iter().map(|&site| access(subject, site)).collect(),
        stats: figures(&outcome.stats),
    }
}

fn violation(subject: &Subject<'_>, violation: &Violation) -> ViolationReport {
    let label = violation.graph.label(violation.culprit);
    ViolationReport {
        kind: violation.kind.as_str(),
        thread: subject.thread(violation.access.thread).to_string(),
        location: subject.location(violation.location).to_string(),
        access: StepAccess { access: access(subject, violation.access), effect: subject.effect(label) },
        conflicting: conflicting(subject, violation.conflicting),
        stale_values: violation.stale_values.clone(),
        shape: violation.shape.clone(),
        message: words::violation_sentence(subject, violation),
        trace: trace(subject, &words::steps_before_culprit(violation)),
        delay: violation.delay.as_ref().map(|found| delay(subject, found)),
    }
}

fn delay(subject: &Subject<'_>, delay: &Delay) -> DelayReport {
    let machine_step = |machine: words::MachineStep| MachineStep {
        step: Step { effect: machine.effect.clone(), ..step(subject, &machine.step) },
        buffer: machine.buffered.map(|buffered| match buffered {
            words::Buffered::Enters => "delayed",
            words::Buffered::Leaves => "memory",
        }),
    };
    DelayReport {
        thread: subject.thread(delay.store.thread).to_string(),
        store: access(subject, delay.store),
        passed: access(subject, delay.passed),
        computation: words::machine_steps(subject, delay).into_iter().map(machine_step).collect(),
    }
}

fn failure(subject: &Subject<'_>, failure: &ScFailure) -> Failure {
    Failure {
        kind: failure_word(&failure.kind),
        thread: subject.thread(failure.site.thread).to_string(),
        access: access(subject, failure.site),
        message: words::failure_message(failure),
        trace: trace(subject, &words::steps(&failure.run)),
    }
}

fn failure_word(kind: &ScFailureKind) -> &'static str {
    match kind {
        ScFailureKind::Assertion => "assertion",
        ScFailureKind::DivisionByZero | ScFailureKind::IndexOutOfRange { .. } => "runtime-error",
    }
}

fn conflicting(subject: &Subject<'_>, site: Site) -> Conflicting {
    Conflicting { thread: subject.thread(site.thread).to_string(), access: access(subject, site) }
}

fn access(subject: &Subject<'_>, site: Site) -> Access {
    let spot = subject.spot(site);
    Access { line: spot.position.line, column: spot.position.column, text: spot.text }
}

fn trace(subject: &Subject<'_>, steps: &[RunStep]) -> Vec<Step> {
    steps.iter().map(|step| self::step(subject, step)).collect()
}

fn step(subject: &Subject<'_>, step: &RunStep) -> Step {
    Step {
        thread: subject.thread(step.site.thread).to_string(),
        access: access(subject, step.site),
        effect: subject.step_effect(step),
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
    }
}

fn line(value: &impl serde::Serialize) -> String {
    // Structs of strings and numbers: nothing in them can fail to serialise.
    serde_json::to_string(value).expect("wire types serialise") + "\n"
}
