//! Atomic sections: all that a thread does from `Enter` to `Leave` is one step.
//!
//! A section is run to its end in all ways that SC memory allows, depth first, before any other
//! thread takes a step. Each way that can be completed is a step. A way that blocks or never ends
//! is none. So a section of which no way can be completed waits at its beginning. Where something
//! goes wrong, or a bound is reached, the thread stops. The earlier writes of the section are then
//! discarded: other threads never see them.
//!
//! Sound and complete for exploration without a monitor; monitors know nothing of sections. The
//! states in between are not part of the search, so sections should be small. Beyond
//! [`MOST_STATES`] of them the search gives up.

use std::collections::HashSet;

use fencepost_base::event::Label;
use fencepost_model::packed::Slot;
use fencepost_verdict::{Reason, RunStep, ScFailureKind};

use super::{Product, eval_failure, site};
use crate::ample::{Future, Futures, Next};
use crate::compile::{Access, Step, as_value};
use crate::system::{Expansion, Stop, Stopped};

/// Steps without a choice after which a section may be in a loop.
const STRAIGHT: usize = 1 << 8;

/// Most states inside of a section, on all ways through it that begin in one state.
const MOST_STATES: usize = 1 << 18;

/// How far one way through a section has come.
#[derive(Clone)]
struct Way {
    state: Vec<u64>,
    /// What happened, if anybody wants to know.
    trace: Option<Vec<RunStep>>,
}

/// Something that a thread can do at an instruction where it rests.
enum Move<'a> {
    Access(&'a Access, Label),
    /// An alternative, and where it leads.
    Choose(u32, u32),
    Set(Slot, u32),
    /// A local run that was cut short.
    GoOn,
}

impl Product {
    /// Adds the steps of thread `t`, which rests at the beginning of a section.
    pub(super) fn expand_section(&self, state: &[u64], t: usize, pc: u32, out: &mut Expansion) {
        let mut way = Way { state: state.to_vec(), trace: out.is_traced().then(Vec::new) };
        let mut stopped = self.run_way(&mut way, t, pc + 1);
        // Further ways, and states passed once there are any.
        let mut open: Vec<Way> = Vec::new();
        let mut seen: HashSet<Vec<u64>, foldhash::fast::FixedState> = HashSet::default();
        let mut told: Vec<(fencepost_verdict::Site, Stop)> = Vec::new();
        let (mut steps, mut branched) = (0, false);
        let too_many = || {
            let message = format!("an atomic section has more than {MOST_STATES} states inside");
            Some((site(t, pc), Stop::GiveUp(Reason::TooLarge(message))))
        };
        let mut tell = |way: &Way, stop: Stopped, out: &mut Expansion| {
            if let Some(stop) = stop.filter(|stop| !told.contains(stop)) {
                told.push(stop.clone());
                let trace = self.begin_way(state, t, pc, way, out);
                self.stop(out.state(), t);
                self.finish(out, site(t, pc), Some(stop), false, true, trace);
            }
        };
        loop {
            while stopped.is_none() {
                steps += 1;
                out.effort += way.state.len();
                if (branched || steps > STRAIGHT) && !seen.insert(way.state.clone()) {
                    break;
                }
                if seen.len() > MOST_STATES {
                    return tell(&way, too_many(), out);
                }
                let here = self.threads[t].pc.get(&way.state) as u32;
                let step = self.threads[t].steps.get(here as usize);
                if let Some(Step::Leave) = step {
                    let trace = self.begin_way(&way.state, t, pc, &way, out);
                    let stopped = self.run_on(out, t, here + 1);
                    self.finish(out, site(t, pc), stopped, false, true, trace);
                    break;
                }
                let first = match self.nth_move(&way.state, t, here, 0) {
                    Ok(None) => break,
                    Ok(Some(first)) => first,
                    Err(kind) => {
                        stopped = Some((site(t, here), Stop::Failure(kind)));
                        break;
                    }
                };
                let mut n = 1;
                while let Ok(Some(other)) = self.nth_move(&way.state, t, here, n) {
                    if open.len() > MOST_STATES {
                        return tell(&way, too_many(), out);
                    }
                    let mut fork = way.clone();
                    match self.make_move(&mut fork, t, here, &other) {
                        None => open.push(fork),
                        stop => tell(&fork, stop, out),
                    }
                    (n, branched) = (n + 1, true);
                }
                stopped = self.make_move(&mut way, t, here, &first);
            }
            tell(&way, stopped.take(), out);
            match open.pop() {
                Some(next) => way = next,
                None => return,
            }
        }
    }

    /// Begins a step to `state` that takes this way through the section at `pc`.
    fn begin_way(&self, state: &[u64], t: usize, pc: u32, way: &Way, out: &mut Expansion) -> usize {
        let trace = out.begin(state, RunStep { site: site(t, pc), label: None, choice: None });
        way.trace.iter().flatten().for_each(|step| out.record(step.clone()));
        trace
    }

    /// Lets thread `t` run on from `pc` in a section.
    fn run_way(&self, way: &mut Way, t: usize, pc: u32) -> Stopped {
        let Way { state, trace } = way;
        self.run_local(state, t, pc, &mut |step| {
            if let Some(trace) = trace {
                trace.push(step);
            }
        })
    }

    /// The `n`th thing that thread `t` can do at instruction `pc`; none if there are not so many.
    fn nth_move(&self, state: &[u64], t: usize, pc: u32, n: u32) -> Result<Option<Move<'_>>, ScFailureKind> {
        let Some(step) = self.threads[t].steps.get(pc as usize) else { return Ok(None) };
        Ok(match step {
            Step::Access(access) => {
                let labels = self.labels(state, access)?;
                labels.get(n as usize).copied().flatten().map(|label| Move::Access(access, label))
            }
            Step::Choose(targets) => targets.get(n as usize).map(|&target| Move::Choose(n, target)),
            Step::Nondet(dst, low, high) => {
                let low = low.eval(state).map_err(eval_failure)?;
                let high = high.eval(state).map_err(eval_failure)?;
                let value = low + i64::from(n);
                (value <= high).then(|| Move::Set(*dst, as_value(value)))
            }
            _ => (n == 0).then_some(Move::GoOn),
        })
    }

    /// Does it, and lets the thread run on.
    fn make_move(&self, way: &mut Way, t: usize, pc: u32, one: &Move<'_>) -> Stopped {
        let (label, choice, next) = match *one {
            Move::Access(access, label) => {
                self.update(&mut way.state, access, &label);
                (Some(label), None, pc + 1)
            }
            Move::Choose(alternative, target) => (None, Some(alternative), target),
            Move::Set(dst, value) => {
                dst.set(&mut way.state, u64::from(value));
                (None, Some(value), pc + 1)
            }
            Move::GoOn => (None, None, pc),
        };
        if let Some(trace) = &mut way.trace {
            trace.push(RunStep { site: site(t, pc), label, choice });
        }
        self.run_way(way, t, next)
    }

    /// For every thread at a section, what it touches there; which of these sections are blocked is
    /// noted in `next`.
    pub(super) fn next_sections(&self, futures: &Futures, state: &[u64], next: &mut [(Next, u32)]) -> Vec<Future> {
        let mut touched = vec![Future::default(); next.len()];
        for (t, (next, pc)) in next.iter_mut().enumerate().filter(|(_, (next, _))| *next == Next::Section) {
            let completed = self.touch(state, t, *pc, &mut touched[t]);
            match completed {
                Some(true) => {}
                Some(false) => *next = Next::BlockedSection,
                None => touched[t] = futures.section(t, *pc),
            }
        }
        touched
    }

    /// Adds what the section of thread `t` at `pc` touches up to its end, or to where it blocks;
    /// says whether it comes to an end. None if it leaves a choice: otherwise that is all as long
    /// as nobody writes what it touches.
    fn touch(&self, state: &[u64], t: usize, pc: u32, touched: &mut Future) -> Option<bool> {
        let mut way = Way { state: state.to_vec(), trace: None };
        let mut stopped = self.run_way(&mut way, t, pc + 1);
        for _ in 0..STRAIGHT {
            let here = self.threads[t].pc.get(&way.state) as u32;
            let step = self.threads[t].steps.get(here as usize);
            if stopped.is_some() || matches!(step, Some(Step::Leave)) {
                return Some(true);
            }
            if let Some(Step::Access(access)) = step
                && !access.private
                && let Ok(loc) = Self::locate(&access.target, &way.state)
            {
                touched.add(loc, !access.only_reads());
            }
            match (self.nth_move(&way.state, t, here, 0), self.nth_move(&way.state, t, here, 1)) {
                (Err(_), _) => return Some(true),
                (Ok(None), _) => return Some(false),
                (Ok(Some(only)), Ok(None)) => stopped = self.make_move(&mut way, t, here, &only),
                (Ok(Some(_)), _) => return None,
            }
        }
        None
    }
}
