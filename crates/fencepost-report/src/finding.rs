//! Findings made from what was decided about a program and its source.

use std::collections::BTreeSet;

use fencepost_base::ids::LocId;
use fencepost_finding::{Access, CycleEvent, Delay, Diagram, Evidence, Finding, Kind, Replayed, Run, Statement, Step};
use fencepost_ir::Quantifier;
use fencepost_model::Graph;
use fencepost_model::cycle::Cycle;
use fencepost_verdict::{
    Consequence, Consequences, Outcome, RacingPair, Rank, RunStep, ScFailure, ScFailureKind, Site, Verdict,
    Verification, Verified, Violation, ViolationKind,
};

use crate::diagram::{self, Extra};
use crate::execution::{Origin, Shown, is_about};
use crate::subject::Subject;
use crate::words;

/// What is wrong with a program as far as robustness goes, and under SC: what goes wrong because of
/// it first.
pub fn of_outcome(subject: &Subject<'_>, outcome: &Outcome) -> Vec<Finding> {
    all_of_outcome(subject, outcome, None)
}

/// The same, with a diagram of each execution that is not SC.
pub fn of_outcome_drawn(subject: &Subject<'_>, outcome: &Outcome, extra: Extra<'_>) -> Vec<Finding> {
    all_of_outcome(subject, outcome, Some(extra))
}

fn all_of_outcome(subject: &Subject<'_>, outcome: &Outcome, drawn: Option<Extra<'_>>) -> Vec<Finding> {
    let subject = &subject.about(outcome.copies.as_deref());
    let consequences = consequences_to_tell(outcome).filter_map(|consequence| {
        let verified = consequence.verified();
        let draw = |extra| Some(diagram::of_execution(subject, &Shown::of(subject, &verified)?, outcome.model, extra));
        Some(with_diagram(of_consequence(subject, consequence, outcome.model)?, drawn.and_then(draw)))
    });
    let violation = match &outcome.verdict {
        Verdict::Violated(violation) => {
            let mut found = of_violation(subject, violation, outcome.model);
            if let Evidence::Replayed(replayed) = &mut found.evidence {
                let rank = outcome.consequences.as_ref().map(Consequences::rank);
                replayed.is_harmless = rank == Some(Rank::Harmless);
                replayed.consequences = words::what_follows(subject, violation, outcome);
            }
            Some(with_diagram(
                found,
                drawn.map(|extra| diagram::of_violation(subject, violation, outcome.model, extra)),
            ))
        }
        Verdict::Holds | Verdict::Unknown(_) => None,
    };
    let failure = outcome.sc_failure.as_deref().map(|failure| of_failure(subject, failure));
    consequences.chain(violation).chain(failure).collect()
}

fn with_diagram(mut finding: Finding, diagram: Option<Diagram>) -> Finding {
    if let Evidence::Replayed(replayed) = &mut finding.evidence {
        replayed.diagram = diagram.map(Box::new);
    }
    finding
}

/// What goes wrong because a program is not robust, but for what the outcome says anyway.
pub(crate) fn of_consequences(subject: &Subject<'_>, outcome: &Outcome) -> Vec<Finding> {
    let subject = &subject.about(outcome.copies.as_deref());
    let told = consequences_to_tell(outcome);
    told.filter_map(|consequence| of_consequence(subject, consequence, outcome.model)).collect()
}

/// Those consequences that are neither the violation nor the failure under SC that the outcome has.
pub(crate) fn consequences_to_tell(outcome: &Outcome) -> impl Iterator<Item = &Consequence> {
    let is_told = |consequence: &&Consequence| match (consequence, &outcome.verdict, &outcome.sc_failure) {
        (Consequence::Race(race), Verdict::Violated(violation), _) if violation.kind == ViolationKind::DataRace => {
            let pair = [race.pair.access, race.pair.other];
            pair.contains(&violation.access) && pair.contains(&violation.conflicting)
        }
        (Consequence::Fails(failing), _, Some(failure)) => failing.run.is_some() && failing.site == failure.site,
        _ => false,
    };
    let list = outcome.consequences.iter().flat_map(|consequences| &consequences.list);
    list.filter(move |consequence| !is_told(consequence))
}

/// Something that goes wrong because a program is not robust.
pub(crate) fn of_consequence(subject: &Subject<'_>, consequence: &Consequence, model: &'static str) -> Option<Finding> {
    let verified = consequence.verified();
    match consequence {
        Consequence::Race(_) => of_race(subject, &verified, model),
        Consequence::Fails(_) => of_failing(subject, &verified, model),
    }
}

/// What is wrong with what a program does in a model: a race, a failure, or else a condition that
/// is not met.
pub fn of_verification(subject: &Subject<'_>, verification: &Verification) -> Vec<Finding> {
    let subject = &subject.about(verification.copies.as_deref());
    let Ok(verified) = &verification.result else { return Vec::new() };
    let model = verification.model;
    let found: Vec<Finding> =
        of_race(subject, verified, model).into_iter().chain(of_failing(subject, verified, model)).collect();
    match found.is_empty() && !verified.holds(subject.program.condition()) {
        true => of_condition(subject, verified, model).into_iter().collect(),
        false => found,
    }
}

/// The same, with a diagram of the execution that the verification has to show; also if nothing is
/// wrong, and the execution is one that the program asks for.
pub fn of_verification_drawn(subject: &Subject<'_>, verification: &Verification, extra: Extra<'_>) -> Vec<Finding> {
    let subject = &subject.about(verification.copies.as_deref());
    let mut findings = of_verification(subject, verification);
    if let (true, Ok(verified)) = (findings.is_empty(), &verification.result) {
        findings.extend(of_met(subject, verified, verification.model));
    }
    let Some(shown) = verification.result.as_ref().ok().and_then(|verified| Shown::of(subject, verified)) else {
        return findings;
    };
    for finding in &mut findings {
        if let Evidence::Replayed(replayed) = &mut finding.evidence
            && replayed.run.as_ref().is_some_and(|run| !run.is_sc)
        {
            let diagram = diagram::of_execution(subject, &shown, verification.model, extra);
            replayed.diagram = Some(Box::new(diagram));
        }
    }
    findings
}

/// A violation of robustness.
pub(crate) fn of_violation(subject: &Subject<'_>, violation: &Violation, model: &'static str) -> Finding {
    let (kind, remark) = match violation.kind {
        ViolationKind::StaleRead => (Kind::StaleRead, "stale"),
        ViolationKind::StaleWrite => (Kind::StaleWrite, "ordered in the past"),
        ViolationKind::StaleRmw => (Kind::StaleRmw, "updates a stale value"),
        ViolationKind::TaintedUse => (Kind::TaintedUse, "uses it"),
        ViolationKind::DataRace => (Kind::DataRace, "races"),
    };
    let label = *violation.graph.label(violation.culprit);
    let access = Statement {
        effect: Some(subject.effect(&label)),
        remark: words::access_remark(subject, violation),
        ..subject.statement(violation.access)
    };
    let conflicting =
        Statement { remark: words::conflicting_remark(subject, violation), ..subject.statement(violation.conflicting) };
    let graph = &violation.graph;
    let touched = graph.ids().filter(|&id| !graph.is_init(id)).filter_map(|id| graph.label(id).loc());
    let title = match kind {
        Kind::DataRace | Kind::TaintedUse => "The SC run that leads there".to_string(),
        _ => format!("The run, step by step: SC up to the last step, which {model} permits and SC does not"),
    };
    let label = (kind != Kind::TaintedUse).then_some(label);
    let run = Run {
        title,
        is_sc: true,
        initially: initially(subject, touched),
        steps: words::steps_before_culprit(violation).iter().map(|step| self::step(subject, step)).collect(),
        last: Some(Step {
            reads_from: words::source_of_culprit(violation),
            overtaken_by: words::overtaker_of_culprit(violation),
            ..wrong(subject, RunStep { label, ..at(violation.access) }, remark.to_string())
        }),
    };
    let delay = violation.delay.as_ref().map(|delay| Delay {
        store: subject.statement(delay.store),
        passed: subject.statement(delay.passed),
        computation: words::machine_steps(subject, delay),
    });
    let message = words::violation_sentence(subject, violation);
    let shape = violation.shape.as_deref().map(words::shape_sentence);
    let buffers = violation.delay.as_ref().map(|delay| words::delay_sentence(subject, delay));
    Finding {
        title: words::violation_title(subject, violation),
        notes: shape.into_iter().chain(buffers).collect(),
        location: Some(subject.location(violation.location).to_string()),
        stale_values: violation.stale_values.iter().map(|&value| subject.value(value)).collect(),
        shape: violation.shape.clone(),
        evidence: Evidence::Replayed(Box::new(Replayed {
            run: Some(run),
            cycle: violation.cycle.as_ref().map_or(Vec::new(), |found| cycle(subject, &violation.graph, found)),
            delay,
            ..Replayed::default()
        })),
        ..finding(subject, kind, model, message, Some(access), Some(conflicting))
    }
}

/// Something that fails even under SC.
pub(crate) fn of_failure(subject: &Subject<'_>, failure: &ScFailure) -> Finding {
    let run = Run {
        title: "The SC run that leads there".to_string(),
        is_sc: true,
        initially: initially(subject, words::steps(&failure.run).iter().filter_map(|step| step.label?.loc())),
        steps: words::steps(&failure.run).iter().map(|step| self::step(subject, step)).collect(),
        last: Some(wrong(subject, at(failure.site), words::failure_kind(subject, failure.site, &failure.kind))),
    };
    Finding {
        evidence: Evidence::Replayed(Box::new(Replayed { run: Some(run), ..Replayed::default() })),
        ..what_fails(subject, failure.site, &failure.kind, ", even under SC", "sc")
    }
}

/// What fails in a model, with the run under SC if there is one that leads there.
pub(crate) fn of_failing(subject: &Subject<'_>, verified: &Verified, model: &'static str) -> Option<Finding> {
    let failing = verified.failing.as_ref()?;
    if let Some(run) = &failing.run {
        return Some(of_failure(subject, run));
    }
    Some(Finding {
        evidence: Evidence::Replayed(Box::new(shown(subject, verified, model))),
        ..what_fails(subject, failing.site, &failing.kind, &format!(" under {model}"), model)
    })
}

/// A data race in a model. If something fails besides, that is what the execution leads to.
pub(crate) fn of_race(subject: &Subject<'_>, verified: &Verified, model: &'static str) -> Option<Finding> {
    let RacingPair { access, other, location } = verified.race.as_ref()?.pair;
    let pair = RacingPair { access, other, location };
    let [remark, other_remark] = words::racing_remarks(subject, &pair);
    let access = Statement { remark, ..subject.statement(access) };
    let other = Statement { remark: other_remark, ..subject.statement(other) };
    let evidence = match verified.failing {
        None => shown(subject, verified, model),
        Some(_) => Replayed::default(),
    };
    let message = words::race_sentence(subject, &pair);
    Some(Finding {
        title: words::race_title(subject, &pair),
        location: Some(subject.location(location).to_string()),
        evidence: Evidence::Replayed(Box::new(evidence)),
        ..finding(subject, Kind::DataRace, model, message, Some(access), Some(other))
    })
}

/// Final states that are not those asked for.
fn of_condition(subject: &Subject<'_>, verified: &Verified, model: &'static str) -> Option<Finding> {
    let (condition, states) = (subject.program.condition()?, verified.states.as_ref()?);
    let text = condition.text(subject.program);
    let message = match condition.quantifier {
        Quantifier::Exists => format!("no final state is as asked for: {text}"),
        Quantifier::NotExists | Quantifier::Forall => {
            let wrong = states.list.iter().position(|state| is_about(condition, state));
            let state =
                wrong.map_or(String::new(), |index| format!(": {}", crate::herd::state(subject, states, index)));
            format!("a final state is not as asked for: {text}{state}")
        }
    };
    Some(Finding {
        evidence: Evidence::Replayed(Box::new(shown(subject, verified, model))),
        ..finding(subject, Kind::Condition, model, message, None, None)
    })
}

/// A final state that the program asks for, with an execution that ends there.
fn of_met(subject: &Subject<'_>, verified: &Verified, model: &'static str) -> Option<Finding> {
    let condition = subject.program.condition()?;
    let asks = condition.quantifier == Quantifier::Exists && verified.holds(Some(condition));
    Shown::of(subject, verified).filter(|shown| asks && shown.is_final())?;
    let message = format!("a final state is as asked for: {}", condition.text(subject.program));
    Some(Finding {
        evidence: Evidence::Replayed(Box::new(shown(subject, verified, model))),
        ..finding(subject, Kind::Met, model, message, None, None)
    })
}

/// The execution that a verification has to show, and the cycle in it that SC forbids.
pub(crate) fn shown(subject: &Subject<'_>, verified: &Verified, model: &str) -> Replayed {
    let Some(shown) = Shown::of(subject, verified) else { return Replayed::default() };
    let where_to = match shown.is_final() {
        true => format!("ends in {}", shown.end(subject).trim_end_matches(';')),
        false => "leads there".to_string(),
    };
    let last = shown.failing();
    let last = last.map(|found| wrong(subject, at(found.site), words::failure_kind(subject, found.site, &found.kind)));
    let execution_step = |found: crate::execution::Step| Step {
        statement: Statement {
            effect: Some(found.effect(subject)),
            remark: found.remark(),
            ..subject.statement(found.step.site)
        },
        stands_out: found.late.is_some(),
        reads_from: found.from.map(|origin| match origin {
            Origin::Initially => 0,
            Origin::Step(step) => step + 1,
        }),
        overtaken_by: found.late.map(|step| step + 1),
        buffered: None,
    };
    let graph = &shown.execution.graph;
    let run = Run {
        title: format!("An execution under {model} that {where_to}"),
        is_sc: false,
        initially: initially(
            subject,
            graph.ids().filter(|&id| !graph.is_init(id)).filter_map(|id| graph.label(id).loc()),
        ),
        steps: shown.steps(subject).into_iter().map(execution_step).collect(),
        last,
    };
    let cycle = shown.cycle().map_or(Vec::new(), |found| cycle(subject, &shown.execution.graph, &found));
    Replayed { run: Some(run), cycle, ..Replayed::default() }
}

/// An assertion that fails, or a run-time error, without evidence.
fn what_fails(
    subject: &Subject<'_>,
    site: Site,
    failure: &ScFailureKind,
    circumstances: &str,
    model: &'static str,
) -> Finding {
    let message = words::failure_kind(subject, site, failure);
    let (kind, title) = match failure {
        ScFailureKind::Assertion => (Kind::Assertion, format!("an assertion fails{circumstances}")),
        _ => (Kind::RuntimeError, format!("run-time error{circumstances}: {message}")),
    };
    let remark = format!("thread `{}`: {message}", subject.thread(site.thread));
    let access = Statement { remark, ..subject.statement(site) };
    Finding { title, ..finding(subject, kind, model, message, Some(access), None) }
}

fn finding(
    subject: &Subject<'_>,
    kind: Kind,
    model: &'static str,
    message: String,
    access: Option<Statement>,
    conflicting: Option<Statement>,
) -> Finding {
    let file = subject.source.name();
    let place = |statement: &Statement| format!("{file}:{}:{}", statement.start.line, statement.start.column);
    let places: Vec<String> = [&access, &conflicting].into_iter().flatten().map(place).collect();
    let boxed = |statement: Statement| Access::Statement(Box::new(statement));
    Finding {
        kind,
        model,
        file: Some(file.to_string()),
        title: message.clone(),
        identity: format!("{} under {model}: {}", kind.as_str(), places.join(" / ")),
        message,
        notes: Vec::new(),
        location: None,
        access: access.map(boxed),
        conflicting: conflicting.map(boxed),
        stale_values: Vec::new(),
        shape: None,
        evidence: Evidence::Replayed(Box::default()),
        expected: None,
    }
}

/// The values of locations at the beginning, but for the one that stands for `fence(sc)`.
fn initially(subject: &Subject<'_>, touched: impl Iterator<Item = LocId>) -> Vec<(String, String)> {
    let touched: BTreeSet<LocId> = touched.filter(|&loc| subject.program.fence_location() != Some(loc)).collect();
    let value = |loc| subject.value(subject.program.location(loc).init);
    touched.into_iter().map(|loc| (subject.location(loc).to_string(), value(loc))).collect()
}

fn at(site: Site) -> RunStep {
    RunStep { site, label: None, choice: None }
}

pub(crate) fn step(subject: &Subject<'_>, step: &RunStep) -> Step {
    let statement = Statement { effect: Some(subject.step_effect(step)), ..subject.statement(step.site) };
    Step { statement, stands_out: false, reads_from: None, overtaken_by: None, buffered: None }
}

/// The step that goes wrong.
fn wrong(subject: &Subject<'_>, step: RunStep, remark: String) -> Step {
    let step = self::step(subject, &step);
    Step { statement: Statement { remark, ..step.statement }, stands_out: true, ..step }
}

fn cycle(subject: &Subject<'_>, graph: &Graph, cycle: &Cycle) -> Vec<CycleEvent> {
    let last = cycle.steps.len() - 1;
    let event = |(number, &(id, edge)): (usize, &(fencepost_model::EventId, fencepost_model::cycle::Edge))| {
        let event = graph.event(id);
        let place = match (event.thread, event.pc) {
            (Some(thread), Some(pc)) => {
                let line = subject.line(Site { thread, pc });
                format!("{}, line {line}", subject.thread(thread))
            }
            (Some(thread), None) => subject.thread(thread).to_string(),
            (None, _) => "initially".to_string(),
        };
        let again = if number == last { " the first event again" } else { "" };
        CycleEvent { effect: subject.effect(&event.label), place, relation: words::relation(edge).to_string() + again }
    };
    cycle.steps.iter().enumerate().map(event).collect()
}
