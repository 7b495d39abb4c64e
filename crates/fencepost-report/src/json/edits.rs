//! Repairs and relaxations.

use std::time::Duration;

use fencepost_base::source::{SourceFile, Span};
use fencepost_verdict::{Because, Edit, Need, Plan, Reason, Relaxed, Repaired, Rest};

use super::line;
use super::wire::{Access, Alternative, BecauseReport, EditReport, Edits, EditsVerdict, KeptReport, SCHEMA};
use crate::diff::diff;
use crate::subject::Subject;
use crate::words;

/// The report on a repair, as a line of JSON with its line break.
pub fn repaired(
    subject: &Subject<'_>,
    models: &[&'static str],
    repaired: &Repaired,
    checks: u64,
    time: Duration,
    written: bool,
) -> String {
    let mut report = report(subject, "repair", models, checks, time);
    report.written = written;
    match repaired {
        Repaired::Nothing => {}
        Repaired::Plans { plans, rest } => {
            report.verdict = EditsVerdict::Repaired;
            if let Some((best, others)) = plans.split_first() {
                plan(&mut report, subject, best);
                let alternative = |plan: &Plan| Alternative {
                    cost: plan.cost,
                    edits: edits(subject, plan),
                    diff: diff(subject.source.name(), subject.source.text(), &plan.text),
                };
                report.alternatives = others.iter().map(alternative).collect();
            }
            report.complete = match rest {
                Rest::Nothing => Some(true),
                Rest::NotAsked => None,
                Rest::Cut => Some(false),
                Rest::Undecided(reason) => {
                    undecided(&mut report, reason);
                    Some(false)
                }
            };
        }
        Repaired::Impossible(because) => {
            report.verdict = EditsVerdict::Impossible;
            report.violation = Some(because_report(subject.source, because));
        }
        Repaired::Unknown(reason) => {
            report.verdict = EditsVerdict::Unknown;
            undecided(&mut report, reason);
        }
    }
    line(&report)
}

/// The report on a relaxation, as a line of JSON with its line break.
pub fn relaxed(
    subject: &Subject<'_>,
    models: &[&'static str],
    relaxed: &Relaxed,
    checks: u64,
    time: Duration,
    written: bool,
) -> String {
    let mut report = report(subject, "relax", models, checks, time);
    report.written = written;
    match relaxed {
        Relaxed::Plan { plan: found, kept } => {
            if !found.edits.is_empty() {
                report.verdict = EditsVerdict::Relaxed;
                plan(&mut report, subject, found);
            }
            report.kept = kept
                .iter()
                .map(|kept| KeptReport {
                    access: access(subject.source, kept.span),
                    because: need(subject.source, Some(&kept.need)),
                })
                .collect();
        }
        Relaxed::NotRobust(because) => {
            report.verdict = EditsVerdict::NotRobust;
            report.violation = Some(because_report(subject.source, because));
        }
        Relaxed::Unknown(reason) => {
            report.verdict = EditsVerdict::Unknown;
            undecided(&mut report, reason);
        }
    }
    line(&report)
}

fn report(
    subject: &Subject<'_>,
    property: &'static str,
    models: &[&'static str],
    checks: u64,
    time: Duration,
) -> Edits {
    Edits {
        schema: SCHEMA,
        file: subject.source.name().to_string(),
        program: subject.name().to_string(),
        property,
        model: models.join(","),
        models: models.to_vec(),
        verdict: EditsVerdict::Unchanged,
        reason: None,
        detail: None,
        edits: Vec::new(),
        cost: 0,
        diff: String::new(),
        alternatives: Vec::new(),
        complete: None,
        kept: Vec::new(),
        violation: None,
        written: false,
        checks,
        time_ms: (time.as_secs_f64() * 1e6).round() / 1e3,
    }
}

fn undecided(report: &mut Edits, reason: &Reason) {
    report.reason = Some(reason.as_str());
    report.detail = Some(reason.to_string());
}

fn plan(report: &mut Edits, subject: &Subject<'_>, plan: &Plan) {
    report.edits = edits(subject, plan);
    report.cost = plan.cost;
    report.diff = diff(subject.source.name(), subject.source.text(), &plan.text);
}

fn edits(subject: &Subject<'_>, plan: &Plan) -> Vec<EditReport> {
    let edit = |edit: &Edit| {
        let position = subject.source.start_of(edit.span);
        EditReport {
            line: position.line,
            column: position.column,
            kind: edit.kind.as_str(),
            text: edit.text.clone(),
            cost: edit.cost,
            because: need(subject.source, edit.need.as_ref()),
        }
    };
    plan.edits.iter().map(edit).collect()
}

fn need(source: &SourceFile, need: Option<&Need>) -> Option<BecauseReport> {
    match need {
        Some(Need::Because(because)) => Some(because_report(source, because)),
        Some(Need::Undecided(_)) | None => None,
    }
}

fn access(source: &SourceFile, span: Span) -> Access {
    let position = source.start_of(span);
    Access { thread: None, line: position.line, column: position.column, text: source.slice_on_one_line(span) }
}

fn because_report(source: &SourceFile, because: &Because) -> BecauseReport {
    let violation = &because.violation;
    let thread = |site: fencepost_verdict::Site| because.program.thread(site.thread).name.clone();
    BecauseReport {
        model: because.model,
        kind: violation.kind.as_str(),
        thread: thread(violation.access),
        location: because.program.location(violation.location).name.clone(),
        access: access(source, because.access),
        conflicting: Access { thread: Some(thread(violation.conflicting)), ..access(source, because.conflicting) },
        shape: violation.shape.clone(),
        message: words::because(source, because),
    }
}
