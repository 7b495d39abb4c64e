//! Breadth-first search: the first finding has a shortest run.
//!
//! States are numbered in order of discovery, which is the order in which
//! breadth-first search expands them: the store is the queue.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use fencepost_base::ids::{Pc, ThreadId};
use fencepost_verdict::{Budget, Candidate, Progress, Reason, Run, RunStep, ScFailure, ScFailureKind, Site, Stats};

use crate::store::{Inserted, NO_PARENT, StateId, StateStore};
use crate::system::{Finding, System, Transition};
use crate::{End, Exploration};

/// Words of states generated between two looks at the budget.
const WORK_BETWEEN_CHECKS: usize = 1 << 16;

/// Visits every reachable state of `system`.
pub(crate) fn breadth_first(system: &impl System, budget: &Budget<'_>) -> Exploration {
    let hasher = foldhash::fast::FixedState::default();
    let store = StateStore::new(system.words(), hasher, budget.max_states, budget.max_bytes);
    let mut search = Search {
        system,
        budget,
        store,
        stats: Stats::default(),
        failure: None,
        speculative: BTreeSet::new(),
        level: 0,
        work: WORK_BETWEEN_CHECKS,
    };
    search.stats.state_bits = system.bits() as u64;
    let end = search.run();
    let sc_failure = search.failure.take().map(|(parent, step, (site, kind))| {
        let mut run = search.run_to(parent);
        run.steps.extend(step);
        ScFailure { kind, site, run }
    });
    search.stats.states = search.store.len() as u64;
    search.stats.peak_bytes = search.store.bytes();
    let speculative = search.speculative.into_iter().map(|(thread, pc)| Site { thread, pc }).collect();
    Exploration { end, sc_failure, speculative, stats: search.stats }
}

struct Search<'a, S, H> {
    system: &'a S,
    budget: &'a Budget<'a>,
    store: StateStore<H>,
    stats: Stats,
    /// The first failure: from which state, by which step, what.
    failure: Option<(StateId, Option<RunStep>, (Site, ScFailureKind))>,
    /// The reads that may be stale, if the search lets them be.
    speculative: BTreeSet<(ThreadId, Pc)>,
    /// Length of the runs to the states being expanded.
    level: u64,
    work: usize,
}

impl<S: System, H: std::hash::BuildHasher> Search<'_, S, H> {
    fn run(&mut self) -> End {
        let (initial, failures) = self.system.initial();
        for transition in failures {
            self.note(NO_PARENT, transition);
        }
        if let Err(end) = self.discover(&initial, NO_PARENT) {
            return end;
        }
        let mut current = initial;
        let mut next: StateId = 0;
        let mut level_ends: StateId = 1;
        while (next as usize) < self.store.len() {
            if next == level_ends {
                level_ends = self.store.len() as StateId;
                self.level += 1;
            }
            current.copy_from_slice(self.store.state(next));
            let mut end = None;
            let _ = self.system.successors(&current, &mut |transition, successor| match self
                .follow(next, transition, successor)
            {
                Ok(()) => ControlFlow::Continue(()),
                Err(reached) => {
                    end = Some(reached);
                    ControlFlow::Break(())
                }
            });
            if let Some(end) = end {
                return end;
            }
            next += 1;
        }
        End::Exhausted
    }

    /// One step out of state `from`.
    fn follow(&mut self, from: StateId, transition: Transition, successor: &[u64]) -> Result<(), End> {
        self.stats.transitions += 1;
        self.work += successor.len() + 8;
        if self.work >= WORK_BETWEEN_CHECKS {
            self.work = 0;
            (self.budget.progress)(Progress {
                states: self.store.len() as u64,
                frontier: (self.store.len() - from as usize) as u64,
                depth: self.level,
                bytes: self.store.bytes(),
            });
            if (self.budget.expired)() {
                return Err(End::GaveUp(Reason::Time));
            }
        }
        if let (true, Some(step)) = (transition.speculative, &transition.step) {
            self.speculative.insert((step.site.thread, step.site.pc));
        }
        if transition.failure.is_some() {
            self.note(from, transition);
        }
        self.discover(successor, from)
    }

    /// Adds a state and looks for trouble in it.
    fn discover(&mut self, state: &[u64], parent: StateId) -> Result<(), End> {
        match self.store.insert(state, parent) {
            Ok(Inserted::Known) => Ok(()),
            Ok(Inserted::New(id)) => {
                self.stats.depth = if parent == NO_PARENT { 0 } else { self.level + 1 };
                match self.system.inspect(state) {
                    None => Ok(()),
                    Some(Finding::Stale(site)) => Err(End::Found(Candidate::Stale { run: self.run_to(id), site })),
                    Some(Finding::TaintedUse(site)) => {
                        Err(End::Found(Candidate::TaintedUse { run: self.run_to(id), site }))
                    }
                    Some(Finding::LateRace(site)) => {
                        Err(End::Found(Candidate::LateRace { run: self.run_to(id), site }))
                    }
                    Some(Finding::Race(first, second)) => {
                        Err(End::Found(Candidate::Race { run: self.run_to(id), first, second }))
                    }
                }
            }
            Err(reason) => Err(End::GaveUp(reason)),
        }
    }

    /// Keeps the first failure: breadth first, it is a shallowest one.
    fn note(&mut self, from: StateId, transition: Transition) {
        if let (None, Some(failure)) = (&self.failure, transition.failure) {
            self.failure = Some((from, transition.step, failure));
        }
    }

    /// The steps from the initial state to `state`; none for [`NO_PARENT`].
    fn run_to(&self, state: StateId) -> Run {
        let mut steps = Vec::new();
        let mut at = state;
        while at != NO_PARENT && self.store.parent(at) != NO_PARENT {
            let parent = self.store.parent(at);
            let target = self.store.state(at);
            let mut found = None;
            let _ = self.system.successors(self.store.state(parent), &mut |transition, successor| {
                if successor == target {
                    found = transition.step;
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            steps.push(found.expect("successors are a function of the state"));
            at = parent;
        }
        steps.reverse();
        Run { steps }
    }
}
