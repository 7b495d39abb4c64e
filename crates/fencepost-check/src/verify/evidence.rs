//! From what an engine found to evidence: an execution that the oracle has
//! replayed on the axioms of the model. What an engine believes is not repeated.

use fencepost_base::ids::{LocId, Value};
use fencepost_ir::{Observable, Program};
use fencepost_model::{EventId, Model};
use fencepost_oracle::{ReplayError, replay_graph, replay_graph_end, replay_graph_failure, replay_graph_race};
use fencepost_verdict::{
    Execution, Failing, GraphRun, GraphStep, Race, Run, RunStep, ScFailure, ScFailureKind, Site, Violation,
};

use crate::InternalError;

/// Longest SC run that is put to the axioms of another model: they take more than quadratic time.
/// Every model permits SC runs, so longer ones are evidence as they are.
pub(crate) const LONGEST_RUN: usize = 500;

/// An SC run as a graph that grows: every access has the last write as its predecessor.
fn graph_run(program: &Program, run: &Run) -> GraphRun {
    straying_run(program, run, None)
}

/// The same of a run whose step of this number has another predecessor: what it writes stands before
/// the last write.
pub(crate) fn straying_run(program: &Program, run: &Run, stale: Option<(usize, EventId)>) -> GraphRun {
    let mut last: Vec<EventId> = (0..program.locations().len()).map(EventId::from_index).collect();
    let mut events = last.len();
    let mut steps = Vec::new();
    for (index, step) in run.steps.iter().enumerate() {
        let event = step.label.and_then(|label| {
            let loc = label.loc()?.index();
            let earlier = stale.filter(|(stale, _)| *stale == index).map(|(_, write)| write);
            let event = (label, earlier.unwrap_or(last[loc]));
            if label.is_write() && earlier.is_none() {
                last[loc] = EventId::from_index(events);
            }
            events += 1;
            Some(event)
        });
        // What is neither is bookkeeping of the searcher; fences are passed on the way.
        if event.is_some() || step.choice.is_some() {
            steps.push(GraphStep { site: step.site, event, choice: step.choice });
        }
    }
    GraphRun { steps }
}

/// What fails under SC, in a run that was replayed there, fails in every model: the run with its
/// graph in this one, and a race on the way.
pub(crate) fn under_sc(
    program: &Program,
    model: &dyn Model,
    failure: ScFailure,
) -> Result<(Failing, Option<Race>), InternalError> {
    let failed = |error: ReplayError| InternalError::new(format!("a failure under SC does not replay: {error}"));
    let (site, kind) = (failure.site, failure.kind.clone());
    // Of a section that is stuck nothing is seen: that is the business of the replay of SC runs.
    let replayed = match failure.run.steps.len() > LONGEST_RUN || program.has_sections() {
        true => None,
        false => {
            let run = graph_run(program, &failure.run);
            Some(failing(program, model, run, site, &kind).map_err(failed)?)
        }
    };
    let (execution, race) = replayed.map_or((None, None), |(failing, race)| (failing.execution, race));
    Ok((Failing { site, kind, run: Some(Box::new(failure)), execution }, race))
}

/// A run that ends in a failure, replayed; and a race on the way.
pub(crate) fn failing(
    program: &Program,
    model: &dyn Model,
    run: GraphRun,
    site: Site,
    kind: &ScFailureKind,
) -> Result<(Failing, Option<Race>), ReplayError> {
    let replayed = replay_graph_failure(program, model, &run, site, kind)?;
    let race = replayed.race;
    let execution = Box::new(replayed.execution(run));
    let race = race.map(|pair| Race { pair, execution: Some(execution.clone()) });
    Ok((Failing { site, kind: kind.clone(), run: None, execution: Some(execution) }, race))
}

/// A run to a final state, replayed.
pub(crate) struct Ended {
    /// The values of what is observed.
    pub(super) values: Vec<Value>,
    pub(crate) execution: Box<Execution>,
    /// A race on the way.
    pub(super) race: Option<Race>,
}

/// A run in which every thread comes to its end, replayed.
pub(crate) fn ending(
    program: &Program,
    model: &dyn Model,
    run: GraphRun,
    observed: &[Observable],
) -> Result<Ended, ReplayError> {
    let replayed = replay_graph_end(program, model, &run)?;
    let value = |what: &Observable| match *what {
        Observable::Register(thread, register) => replayed.threads[thread.index()].registers[register.index()],
        Observable::Location(loc) => {
            let last = replayed.graph.last_write(loc);
            replayed.graph.label(last).value_written().expect("a write")
        }
    };
    let values = observed.iter().map(value).collect();
    let race = replayed.race;
    let execution = Box::new(replayed.execution(run));
    let race = race.map(|pair| Race { pair, execution: Some(execution.clone()) });
    Ok(Ended { values, execution, race })
}

/// The writes that the step of this number can have as predecessors by its label, latest first: all
/// but the last one that its location had then.
pub(crate) fn older_writes(program: &Program, run: &Run, stale: usize) -> Vec<EventId> {
    let Some(label) = run.steps.get(stale).and_then(|step| step.label) else { return Vec::new() };
    let init = program.locations().iter().enumerate().map(|(loc, location)| (LocId::from_index(loc), location.init));
    let labels = run.steps[..stale].iter().filter_map(|step| step.label).filter(|label| label.loc().is_some());
    let written = labels.map(|label| (label.loc(), label.value_written()));
    let events = init.map(|(loc, value)| (Some(loc), Some(value))).chain(written);
    let writes = events.enumerate().filter_map(|(event, (loc, value))| {
        let value = value.filter(|_| loc == label.loc())?;
        Some((EventId::from_index(event), value))
    });
    let fits = |value: Value| label.value_read().is_none_or(|read| read == value);
    let writes: Vec<(EventId, Value)> = writes.collect();
    writes.into_iter().rev().skip(1).filter(|&(_, value)| fits(value)).map(|(event, _)| event).collect()
}

/// The accesses that threads are about to make at these sites, after a run: a data race, replayed.
pub(crate) fn racing(
    program: &Program,
    model: &dyn Model,
    run: GraphRun,
    accesses: &[Site],
) -> Result<Race, ReplayError> {
    let (replayed, run) = replay_graph_race(program, model, run, accesses)?;
    let pair = replayed.race.expect("the oracle has found one");
    Ok(Race { pair, execution: Some(Box::new(replayed.execution(run))) })
}

/// A run on which there is a race, replayed; nothing if there is none.
pub(super) fn race(program: &Program, model: &dyn Model, run: GraphRun) -> Result<Option<Race>, ReplayError> {
    let replayed = replay_graph(program, model, &run)?;
    let race = replayed.race;
    let execution = Some(Box::new(replayed.execution(run)));
    Ok(race.map(|pair| Race { pair, execution }))
}

/// A race between two accesses after an SC run, replayed; nothing if the model orders them.
pub(super) fn race_under_sc(
    program: &Program,
    model: &dyn Model,
    violation: &Violation,
) -> Result<Option<Race>, ReplayError> {
    let graph = &violation.graph;
    let mut run = violation.run.clone();
    // The graph has both accesses, the run leads up to them; or up to the second, if the race was
    // noticed late.
    for site in [violation.conflicting, violation.access] {
        let is_there = |step: &&RunStep| step.site == site && step.label.is_some();
        let before = run.steps.iter().filter(is_there).count();
        let events = graph.ids().map(|id| graph.event(id));
        let here = events.filter(|event| Site::of(event) == Some(site));
        let missing = here.skip(before).map(|event| RunStep { site, label: Some(event.label), choice: None });
        run.steps.extend(missing);
    }
    race(program, model, graph_run(program, &run))
}
