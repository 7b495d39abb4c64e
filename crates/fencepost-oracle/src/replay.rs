//! Witnesses found by somebody else, checked against the definitions.
//!
//! Paper: PLDI 2019, Def. 2.4 (runs), §4.1 (SCG), Def. 4.9 (leaving SC), §6
//! (races). A candidate is an SC run and the instruction that is said to leave
//! SC after it. The run is replayed step by step with [`crate::interpreter`]
//! on an execution graph; the step out of SC is found anew from the axioms.
//! What comes out is therefore a violation whatever the searcher believed, and
//! a candidate that is none is an error of the searcher.
//!
//! A computation with store buffers is replayed on the machine and brought into this form
//! (`delay`).
//!
//! Sound: never confirms what is no violation. Complete for true candidates.

mod computation;
mod delay;
mod graph;
mod section;
mod taint;

use std::fmt;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Pc, ThreadId, Value};
use fencepost_ir::Program;
use fencepost_model::cycle;
use fencepost_model::models::sc::Sc;
use fencepost_model::{EventId, Graph, Model};
use fencepost_verdict::{Candidate, Run, RunStep, ScFailure, Site, Violation, ViolationKind};

use crate::interpreter::{Access, Interpreter, Rest, ThreadState};

pub use computation::replay_computation;
pub use graph::{Replayed, replay_graph, replay_graph_end, replay_graph_failure, replay_graph_race};
use section::Section;
use taint::Taints;

/// Pairs of events that the axioms may be evaluated on while the list of stale values is completed.
const AXIOM_WORK: usize = 1 << 30;

/// Why a candidate was not confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayError {
    message: String,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReplayError {}

fn error<T>(message: impl Into<String>) -> Result<T, ReplayError> {
    Err(ReplayError { message: message.into() })
}

/// Replays `candidate` and derives the violation from the axioms of `model`.
///
/// # Errors
/// When the run is not one of the program, or the step after it does not leave SC.
pub fn replay(program: &Program, model: &dyn Model, candidate: &Candidate) -> Result<Violation, ReplayError> {
    match candidate {
        Candidate::Stale { run, site } => Replay::of(program, model, run, None)?.stale(run, *site),
        Candidate::Race { run, first, second } => Replay::of(program, model, run, None)?.race(run, *first, *second),
        Candidate::LateRace { run, site } => Replay::of(program, model, run, None)?.late_race(run, *site),
        Candidate::TaintedUse { .. } => error("nothing is tainted where every read counts"),
        Candidate::Delayed(delay) => delay::replay(program, model, delay),
    }
}

/// Replays a candidate of an observational search: a witness in the sense of Def. 4.14 of the POPL
/// 2021 paper.
///
/// # Errors
/// When the run is not one of the program, or the step after it neither leaves SC nor uses a
/// tainted value.
pub fn replay_observational(
    program: &Program,
    model: &dyn Model,
    candidate: &Candidate,
) -> Result<Violation, ReplayError> {
    let of = |run: &Run| Replay::of(program, model, run, Some(Taints::new(program)));
    match candidate {
        Candidate::Stale { run, site } => of(run)?.stale(run, *site),
        Candidate::Race { run, first, second } => of(run)?.race(run, *first, *second),
        Candidate::LateRace { run, site } => of(run)?.late_race(run, *site),
        Candidate::TaintedUse { run, site } => of(run)?.tainted_use(run, *site),
        Candidate::Delayed(_) => error("observational robustness is not a question about store buffers"),
    }
}

/// Replays a run to an assertion that fails, or a run-time error, under SC.
///
/// # Errors
/// When the run is not one of the program, or does not end in this failure.
pub fn replay_failure(program: &Program, model: &dyn Model, failure: &ScFailure) -> Result<(), ReplayError> {
    let mut replay = Replay::of(program, model, &failure.run, None)?;
    match replay.rest_at(failure.site)? {
        Rest::Failed(kind) if kind == failure.kind => Ok(()),
        rest => error(format!("{}: not the failure {:?} but {rest:?}", show(failure.site), failure.kind)),
    }
}

/// A run being replayed: the threads, and the graph that SCG has built.
struct Replay<'a> {
    interpreter: Interpreter<'a>,
    model: &'a dyn Model,
    threads: Vec<ThreadState>,
    graph: Graph,
    /// The thread that is in an atomic section.
    section: Option<Section>,
    /// In an observational replay.
    taints: Option<Taints>,
}

/// A step that the model permits and SC does not.
struct Witness {
    label: Label,
    stale: Value,
    graph: Graph,
    culprit: EventId,
}

impl<'a> Replay<'a> {
    fn of(program: &'a Program, model: &'a dyn Model, run: &Run, taints: Option<Taints>) -> Result<Self, ReplayError> {
        let interpreter = Interpreter::new(program, model);
        let init: Vec<_> = program.locations().iter().map(|location| location.init).collect();
        let mut replay = Replay {
            interpreter,
            model,
            threads: program.thread_ids().map(|thread| interpreter.initial(thread)).collect(),
            graph: Graph::initial(&init),
            section: None,
            taints,
        };
        for thread in program.thread_ids() {
            let registers = program.thread(thread).registers.iter().map(|register| register.init).collect();
            replay.spread_taint(thread, ThreadState { pc: Pc(0), registers });
        }
        for (index, step) in run.steps.iter().enumerate() {
            if let Err(cause) = replay.follow(step) {
                return error(format!("step {index} of the run, {}: {cause}", show(step.site)));
            }
        }
        Ok(replay)
    }

    /// One step of the run.
    fn follow(&mut self, step: &RunStep) -> Result<(), ReplayError> {
        match (step.label, step.choice) {
            // Bookkeeping of the searcher: our threads have gone on already.
            (None, None) => Ok(()),
            (Some(label), None) => {
                self.let_others_leave(step.site.thread)?;
                let access = self.access_at(step.site)?;
                self.take(step.site, &access, Some(label))?;
                Ok(())
            }
            (None, Some(choice)) => {
                self.let_others_leave(step.site.thread)?;
                let rest = self.rest_at(step.site)?;
                let thread = step.site.thread;
                let state = &self.threads[thread.index()];
                match self.interpreter.choose(thread, state, &rest, choice) {
                    Some(after) => {
                        let started = self.after_choice(step.site, choice);
                        self.spread_taint(thread, started);
                        self.threads[thread.index()] = after;
                        Ok(())
                    }
                    None => error(format!("choice {choice} cannot be made: {rest:?}")),
                }
            }
            (Some(_), Some(_)) => error("both an access and a choice"),
        }
    }

    /// An SCG step: the predecessor is the last write. The label is checked if given.
    fn take(&mut self, site: Site, access: &Access, label: Option<Label>) -> Result<EventId, ReplayError> {
        let last = self.graph.last_write(access.loc);
        let enabled = self.enabled(site.thread, access, last);
        let chosen = enabled.iter().find(|(enabled, _)| label.is_none_or(|label| label == *enabled)).cloned();
        let Some((label, after)) = &chosen else {
            let labels: Vec<Label> = enabled.iter().map(|(label, _)| *label).collect();
            return error(format!("label {label:?} is not enabled; enabled under SC: {labels:?}"));
        };
        let stale = if self.taintable(site, label) { self.tainting_values(site, access) } else { Vec::new() };
        let event = self.record(site, access, *label, last);
        let started = self.after_access(site, label);
        self.threads[site.thread.index()] = after.clone();
        self.note_read(site, event, stale);
        self.spread_taint(site.thread, started);
        Ok(event)
    }

    fn enabled(&self, thread: ThreadId, access: &Access, w: EventId) -> Vec<(Label, ThreadState)> {
        let old = self.value_of(w);
        self.interpreter.labels(thread, &self.threads[thread.index()], access, old)
    }

    fn value_of(&self, w: EventId) -> Value {
        self.graph.label(w).value_written().expect("a write")
    }

    /// Passes the fences on the way to `site`, and the beginnings and ends of atomic sections: a
    /// searcher need not mention them.
    fn pass_fences(&mut self, site: Site) {
        let is_on_the_way = |state: &ThreadState| state.pc != site.pc;
        while self.threads.get(site.thread.index()).is_some_and(is_on_the_way) && self.pass(site.thread) {}
    }

    /// Passes the fence, or beginning or end of an atomic section, at which the thread rests, if it
    /// rests at one.
    fn pass(&mut self, thread: ThreadId) -> bool {
        let state = self.threads[thread.index()].clone();
        let labels = match self.interpreter.rest(thread, &state) {
            Rest::Fence(labels) => labels,
            Rest::Enter(labels) => {
                self.section = Some(Section { thread, before: self.graph.len() });
                labels
            }
            Rest::Leave => {
                self.section = None;
                Vec::new()
            }
            _ => return false,
        };
        let before = self.graph.len();
        labels.iter().for_each(|&label| _ = self.graph.add(thread, label, None, Some(state.pc)));
        self.tie_from(before);
        self.threads[thread.index()] = self.interpreter.pass_fence(thread, &state);
        self.spread_taint(thread, ThreadState { pc: Pc(state.pc.0 + 1), registers: state.registers });
        true
    }

    /// Why the thread rests, which must be at this instruction, fences passed.
    fn rest_at(&mut self, site: Site) -> Result<Rest, ReplayError> {
        self.pass_fences(site);
        let Some(state) = self.threads.get(site.thread.index()) else {
            return error(format!("there is no thread {:?}", site.thread));
        };
        match state.pc == site.pc {
            true => Ok(self.interpreter.rest(site.thread, state)),
            false => error(format!("thread {:?} rests at {:?}, not at {:?}", site.thread, state.pc, site.pc)),
        }
    }

    fn access_at(&mut self, site: Site) -> Result<Access, ReplayError> {
        match self.rest_at(site)? {
            Rest::Access(access) => Ok(access),
            rest => error(format!("{} is no access of memory: {rest:?}", show(site))),
        }
    }

    fn is_nonatomic(&self, access: &Access) -> bool {
        self.interpreter.is_nonatomic(access.loc)
    }

    fn stale(mut self, run: &Run, site: Site) -> Result<Violation, ReplayError> {
        self.let_others_leave(site.thread)?;
        let access = self.access_at(site)?;
        if self.section.is_some() {
            return error(format!("{}: an atomic section is not finished", show(site)));
        }
        if self.is_nonatomic(&access) {
            return error(format!("{}: a plain access is never stale, it races", show(site)));
        }
        let witnesses = self.witnesses(site, &access);
        let Some(witness) = witnesses.first() else {
            let name = self.model.name();
            return error(format!("{}: no step that {name} permits and SC forbids: {access:?}", show(site)));
        };
        let last = self.graph.event(self.graph.last_write(access.loc));
        let (Some(thread), Some(pc)) = (last.thread, last.pc) else {
            return error("the last write is an initialisation write, yet there is an older one");
        };
        let kind = kind_of(&witness.label);
        let same_kind = witnesses.iter().filter(|other| kind_of(&other.label) == kind);
        let mut stale_values: Vec<Value> = same_kind.map(|other| other.stale).collect();
        stale_values.sort_unstable();
        stale_values.dedup();
        let Some(cycle) = cycle::shortest_through(&witness.graph, witness.culprit) else {
            return error("SC forbids the graph, yet no cycle passes through the new event");
        };
        Ok(Violation {
            kind,
            access: site,
            location: access.loc,
            conflicting: Site { thread, pc },
            stale_values,
            shape: cycle::shape_name(&witness.graph, &cycle),
            run: run.clone(),
            graph: witness.graph.clone(),
            culprit: witness.culprit,
            cycle: Some(cycle),
            delay: None,
        })
    }

    /// The steps at `site` that leave SC, latest predecessor first; of those alike in kind and
    /// stale value, one. After very long runs, once there is a witness, only the latest
    /// predecessors are tried.
    fn witnesses(&self, site: Site, access: &Access) -> Vec<Witness> {
        let mut found: Vec<Witness> = Vec::new();
        let writes = self.graph.writes(access.loc);
        let enough = (AXIOM_WORK / (self.graph.len() * self.graph.len())).max(16);
        for (tried, &w) in writes[..writes.len() - 1].iter().rev().enumerate() {
            if tried > enough && !found.is_empty() {
                break;
            }
            let stale = self.value_of(w);
            for (label, _) in self.enabled(site.thread, access, w) {
                if found.iter().any(|known| known.stale == stale && kind_of(&known.label) == kind_of(&label)) {
                    continue;
                }
                let mut graph = self.graph.clone();
                let place = (site.thread, Some(site.pc));
                let culprit = self.interpreter.record(&mut graph, place, access, label, w);
                if self.permits(&graph) && !Sc.permits(&graph) {
                    found.push(Witness { label, stale, graph, culprit });
                }
            }
        }
        found
    }

    fn race(mut self, run: &Run, first: Site, second: Site) -> Result<Violation, ReplayError> {
        if first.thread == second.thread {
            return error("a thread does not race with itself");
        }
        let (one, other) = (self.access_at(first)?, self.access_at(second)?);
        if !self.is_nonatomic(&one) || one.loc != other.loc {
            return error(format!("no plain accesses of one location: {one:?} and {other:?}"));
        }
        let location = one.loc;
        // The write goes first: whoever comes second has not observed it.
        let (writer, write, racer, access) = match (one.is_store(), other.is_store()) {
            (true, _) => (first, one, second, other),
            (false, true) => (second, other, first, one),
            (false, false) => return error("two plain loads do not race"),
        };
        self.take(writer, &write, None)?;
        let culprit = self.take(racer, &access, None)?;
        if self.model.race(&self.believed(&self.graph), culprit).is_none() {
            return error(format!("{} is not a race in {}", show(racer), self.model.name()));
        }
        Ok(self.data_race(run, racer, location, writer, culprit))
    }

    fn late_race(mut self, run: &Run, site: Site) -> Result<Violation, ReplayError> {
        let access = self.access_at(site)?;
        let last = self.graph.last_write(access.loc);
        // Of a compare-and-swap that may fail or not, one of the two may race.
        let racing = self.enabled(site.thread, &access, last).into_iter().find_map(|(label, _)| {
            let mut graph = self.graph.clone();
            let event = self.interpreter.record(&mut graph, (site.thread, Some(site.pc)), &access, label, last);
            self.model.race(&self.believed(&graph), event).map(|other| (label, other))
        });
        let Some((label, other)) = racing else {
            return error(format!("{} is not a race in {}", show(site), self.model.name()));
        };
        let culprit = self.take(site, &access, Some(label))?;
        let other = self.graph.event(other);
        let (Some(thread), Some(pc)) = (other.thread, other.pc) else {
            return error("a race with an initialisation write");
        };
        Ok(self.data_race(run, site, access.loc, Site { thread, pc }, culprit))
    }

    fn data_race(self, run: &Run, access: Site, location: LocId, conflicting: Site, culprit: EventId) -> Violation {
        Violation {
            kind: ViolationKind::DataRace,
            access,
            location,
            conflicting,
            stale_values: Vec::new(),
            shape: None,
            run: run.clone(),
            graph: self.graph,
            culprit,
            cycle: None,
            delay: None,
        }
    }
}

fn kind_of(label: &Label) -> ViolationKind {
    match label {
        Label::Read { .. } => ViolationKind::StaleRead,
        Label::Write { .. } => ViolationKind::StaleWrite,
        Label::Rmw { .. } | Label::Fence { .. } | Label::LightFence { .. } => ViolationKind::StaleRmw,
    }
}

fn show(site: Site) -> String {
    let Pc(pc) = site.pc;
    format!("instruction {pc} of thread {}", site.thread.0)
}
