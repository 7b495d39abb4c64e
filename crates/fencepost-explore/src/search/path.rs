//! Runs, rebuilt from the states they lead to.
//!
//! A state of one layer has a predecessor in the layer before it. The greatest of all predecessors
//! is taken: that does not depend on who found the state first, nor on where layers are.

use fencepost_verdict::{Candidate, Reason, Run, ScFailureKind, Site};

use super::{Search, State, WORK_BETWEEN_CHECKS, What};
use crate::system::{Expansion, Finding, Stop, System};
use crate::{End, Failure, Wrong};

/// A state, and a shortest run to it.
pub(crate) struct Reached {
    pub(crate) run: Run,
    /// The step of the run that leaves SC.
    stale: Option<usize>,
    pub(crate) state: State,
}

impl<S: System> Search<'_, S> {
    /// A run to `state`, a state of this layer, in which this is wrong.
    pub(super) fn wrong_in(&self, state: &[u64], layer: usize, what: What) -> Result<Wrong, Reason> {
        let Reached { run, stale, state } = self.run_to(state, layer)?;
        let mut found = Vec::new();
        self.system.inspect_all(&state, &mut found);
        let is_it = |finding: &Finding| self.race(*finding) == what;
        let what = match found.into_iter().find(is_it).expect("names of threads make no difference") {
            Finding::Race(first, second) => Failure::Race(first, second),
            Finding::LateRace(site) | Finding::Stale(site) | Finding::TaintedUse(site) => Failure::LateRace(site),
        };
        Ok(Wrong { run, stale, what })
    }

    /// What leaves SC from `state`, a state of the layer being built, as threads of the program do it.
    pub(super) fn found(&self, state: &[u64]) -> End {
        let (run, state) = match self.run_to(state, self.visited.depth()) {
            Ok(Reached { run, state, .. }) => (run, state),
            Err(reason) => return End::GaveUp(reason),
        };
        End::Found(candidate(run, self.system.inspect(&state).expect("names of threads make no difference")))
    }

    /// A run that goes wrong at a step out of `state`, a state of this layer. `is_it` is told of
    /// failures, and where the thread that fails is left.
    pub(super) fn failing_run(
        &self,
        state: &[u64],
        layer: usize,
        is_it: impl Fn(Site, &ScFailureKind, &[u64]) -> bool,
    ) -> Result<Wrong, Reason> {
        let Reached { mut run, mut stale, state } = self.run_to(state, layer)?;
        let mut out = Expansion::traced(self.system.words());
        for t in 0..self.system.threads() {
            self.system.expand(&state, t, &mut out);
        }
        let fails = |step: usize| match &out.step(step).stopped {
            Some((site, Stop::Failure(kind))) if is_it(*site, kind, out.target(step)) => {
                Some((step, *site, kind.clone()))
            }
            _ => None,
        };
        let (step, site, kind) = (0..out.len()).find_map(fails).expect("names of threads make no difference");
        if strays(self.system, &state, out.target(step)) {
            stale = Some(run.steps.len());
        }
        run.steps.extend_from_slice(out.trace(step));
        Ok(Wrong { run, stale, what: Failure::Fails(site, kind) })
    }

    /// A shortest run to a state that is equal to `state`, in this layer, up to names of threads;
    /// and that state.
    fn run_to(&self, state: &[u64], layer: usize) -> Result<Reached, Reason> {
        let mut path = vec![state.to_vec()];
        for layer in (0..layer).rev() {
            let predecessor = self.predecessor(layer, path.last().expect("a state"))?;
            path.push(predecessor.expect("a state was reached from one of the layer before"));
        }
        Ok(walk(self.system, &path))
    }

    /// The greatest state of a finished layer with a step to `state`.
    fn predecessor(&self, layer: usize, state: &[u64]) -> Result<Option<State>, Reason> {
        let words = self.system.words();
        let mut out = Expansion::new(words);
        let mut greatest: Option<State> = None;
        let mut work = 0;
        self.visited.visit(layer, |states| {
            work += states.len();
            if work > WORK_BETWEEN_CHECKS {
                work = 0;
                self.in_time()?;
            }
            for candidate in states.chunks_exact(words) {
                if greatest.as_ref().is_some_and(|greatest| greatest[..] >= *candidate) {
                    continue;
                }
                out.clear();
                for t in 0..self.system.threads() {
                    self.system.expand(candidate, t, &mut out);
                    self.pay(words, &mut out)?;
                }
                let steps = out.len();
                let mut leads_there = |step: usize| {
                    let reached = out.target_mut(step);
                    self.system.canonical(reached);
                    *reached == *state
                };
                if (0..steps).any(&mut leads_there) {
                    greatest = Some(candidate.to_vec());
                }
            }
            Ok(())
        })?;
        Ok(greatest)
    }
}

/// What leaves SC after a run, as it was found.
pub(crate) fn candidate(run: Run, finding: Finding) -> Candidate {
    match finding {
        Finding::Stale(site) => Candidate::Stale { run, site },
        Finding::TaintedUse(site) => Candidate::TaintedUse { run, site },
        Finding::LateRace(site) => Candidate::LateRace { run, site },
        Finding::Race(first, second) => Candidate::Race { run, first, second },
    }
}

/// Is SC left on the way from one state to the next?
fn strays(system: &impl System, from: &[u64], to: &[u64]) -> bool {
    !system.has_strayed(from) && system.has_strayed(to)
}

/// The run along a path of states that are equal to its own up to names of threads, the last one
/// first; and where it leads.
pub(crate) fn walk(system: &impl System, path: &[State]) -> Reached {
    let initial = system.initial();
    let mut run = Run { steps: initial.trace };
    let mut at = initial.state;
    let mut stale = None;
    let mut out = Expansion::traced(system.words());
    for target in path.iter().rev().skip(1) {
        out.clear();
        for t in 0..system.threads() {
            system.expand(&at, t, &mut out);
        }
        let leads_there = |step: &usize| {
            let mut reached = out.target(*step).to_vec();
            system.canonical(&mut reached);
            reached == *target
        };
        let step = (0..out.len()).find(leads_there).expect("names of threads make no difference");
        if strays(system, &at, out.target(step)) {
            stale = Some(run.steps.len());
        }
        run.steps.extend_from_slice(out.trace(step));
        at = out.target(step).to_vec();
    }
    Reached { run, stale, state: at }
}
