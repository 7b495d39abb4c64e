//! Schedules with few preemptions first.
//!
//! A *preemption* takes the turn away from a thread that could go on. Most defects need few of them,
//! and there are few schedules that have few. So where not all schedules can be seen, all those with
//! at most N preemptions can be, for N = 0, 1, 2, …: Musuvathi and Qadeer, *Iterative Context
//! Bounding for Systematic Testing of Multithreaded Programs*, PLDI 2007.
//!
//! # What is left out
//!
//! Two beginnings of runs that are equivalent lead to the same state. If the same thread runs there,
//! what follows is the same and costs the same, so it is explored once: with the fewest preemptions,
//! because those come first. The beginnings are compared by a number of 128 bits, to which each step
//! contributes all that happens before it. Sleep sets and source sets leave out more, but not
//! together with a bound: the run that stands for a class may have more preemptions than another
//! one of that class.
//!
//! What is kept grows with the number of runs.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use fencepost_protocol::exploration::{Decision, Kind, Step, end};

use crate::{Counts, Divergence, Task};

/// A decision, and those before.
#[derive(Debug)]
struct Path {
    decision: Decision,
    before: Option<Arc<Path>>,
}

impl Drop for Path {
    fn drop(&mut self) {
        // Not one call within the other: a path may be long.
        let mut next = self.before.take();
        while let Some(mut path) = next.and_then(Arc::into_inner) {
            next = path.before.take();
        }
    }
}

/// What is known of the schedules with few preemptions.
#[derive(Debug, Default)]
pub struct Bounded {
    /// Runs to make, by the number of their preemptions.
    todo: BTreeMap<u32, Vec<Arc<Path>>>,
    /// The numbers of preemptions of the runs that are being made.
    running: Vec<(Vec<Decision>, u32)>,
    /// Where a run has been: the beginning, and the thread that ran.
    seen: HashSet<(u128, u32)>,
    counts: Counts,
    /// The most preemptions that a run may have.
    most: u32,
    has_begun: bool,
}

impl Bounded {
    /// With at most so many preemptions.
    pub fn new(most: u32) -> Bounded {
        Bounded { most, ..Bounded::default() }
    }

    /// The next run to make; none if there is none for now.
    pub fn next_task(&mut self) -> Option<Task> {
        let (decisions, cost) = match std::mem::replace(&mut self.has_begun, true) {
            false => (Vec::new(), 0),
            true => {
                // Those with more preemptions come when it is known what those with fewer see.
                let most = self.running.iter().map(|(_, cost)| *cost).min().unwrap_or(self.most);
                let mut first = self.todo.first_entry().filter(|first| *first.key() <= most)?;
                let (cost, path) = (*first.key(), first.get_mut().pop()?);
                if first.get().is_empty() {
                    first.remove();
                }
                let mut decisions = vec![path.decision];
                let mut at = &path.before;
                while let Some(path) = at {
                    decisions.push(path.decision);
                    at = &path.before;
                }
                decisions.reverse();
                (decisions, cost)
            }
        };
        self.running.push((decisions.clone(), cost));
        Some(Task { decisions, sleepers: Vec::new(), path: Vec::new() })
    }

    /// Runs so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// All schedules with at most so many preemptions were seen; none if not even those without.
    pub fn seen(&self) -> Option<u32> {
        let open = self.todo.keys().copied().chain(self.running.iter().map(|(_, cost)| *cost)).min();
        match open {
            None if !self.has_begun => None,
            None => Some(self.most),
            Some(open) => open.checked_sub(1).map(|seen| seen.min(self.most)),
        }
    }

    /// Is there no schedule that was not seen, however many preemptions it has?
    pub fn is_exhausted(&self) -> bool {
        self.has_begun && self.todo.is_empty() && self.running.is_empty()
    }

    /// A run was made.
    ///
    /// # Errors
    /// If it did not follow the decisions.
    pub fn done(&mut self, task: &Task, steps: &[Step], why: u32) -> Result<(), Box<Divergence>> {
        let at = self.running.iter().position(|(decisions, _)| *decisions == task.decisions);
        let cost = at.map_or(0, |at| self.running.swap_remove(at).1);
        if why & end::INFEASIBLE != 0 {
            return Ok(());
        }
        let decided: Vec<usize> =
            (0..steps.len()).filter(|&at| steps[at].is_decided() && !steps[at].is_pending()).collect();
        for (number, decision) in task.decisions.iter().enumerate() {
            let found = decided.get(number).map(|&at| steps[at]);
            if found.is_none_or(|step| (step.thread, step.choice) != (decision.thread, decision.choice)) {
                return Err(Box::new(Divergence { expected: None, found }));
            }
        }
        let mut past = Past::default();
        let mut path: Option<Arc<Path>> = None;
        let (mut taken, mut is_new, mut current) = (0, true, None);
        for (number, &at) in decided.iter().enumerate() {
            let step = &steps[at];
            steps[taken..at].iter().for_each(|step| past.take(step));
            taken = at;
            if number >= task.decisions.len() {
                is_new = self.seen.insert((past.all, current.unwrap_or_default()));
                if !is_new {
                    break;
                }
                let is_free = current.is_none_or(|current| !step.enables(current));
                let others = (0..64).filter(|&thread| thread != step.thread && step.enables(thread));
                for thread in others {
                    let decision = Decision::new(thread, 0);
                    self.add(cost + u32::from(!is_free), decision, &path);
                }
            }
            // The other ways of a step are found when it is taken for the first time.
            let ways = if number + 1 >= task.decisions.len() && step.choice == 0 { 1..step.choices } else { 0..0 };
            for choice in ways {
                self.add(cost, Decision::new(step.thread, choice), &path);
            }
            let decision = Decision::new(step.thread, step.choice);
            path = Some(Arc::new(Path { decision, before: path }));
            current = Some(step.thread);
        }
        match why {
            _ if !is_new || why & end::REDUNDANT != 0 => self.counts.redundant += 1,
            _ if why & (end::STUCK | end::ASSUMED | end::LEFT) != 0 => self.counts.blocked += 1,
            _ => {
                steps[taken..].iter().for_each(|step| past.take(step));
                match self.seen.insert((past.all, u32::MAX)) {
                    true => self.counts.complete += 1,
                    false => self.counts.redundant += 1,
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, cost: u32, decision: Decision, before: &Option<Arc<Path>>) {
        self.todo.entry(cost).or_default().push(Arc::new(Path { decision, before: before.clone() }));
    }
}

/// What a beginning of a run is, up to equivalence.
#[derive(Debug, Default)]
struct Past {
    /// The sum of all steps.
    all: u128,
    /// Each step, with all that happens before it.
    steps: Vec<u128>,
    /// The last step of each thread.
    threads: BTreeMap<u32, u128>,
    /// Of each object: the last step that does more than to read, and the sum of the reads since.
    objects: BTreeMap<u64, (u128, u128)>,
}

impl Past {
    fn take(&mut self, step: &Step) {
        if step.is_pending() {
            return;
        }
        let mut hash = Hash::default();
        for word in [step.object, step.kind as u64, u64::from(step.thread), u64::from(step.choice)] {
            hash.add(word.into());
        }
        hash.add(self.threads.get(&step.thread).copied().unwrap_or_default());
        if let Some(&enabling) = step.after.checked_sub(1).and_then(|after| self.steps.get(after as usize)) {
            hash.add(enabling);
        }
        if step.kind == Kind::Join {
            hash.add(self.threads.get(&(step.object as u32)).copied().unwrap_or_default());
        }
        if step.kind.touches() {
            let (last, reads) = self.objects.entry(step.object).or_default();
            hash.add(*last);
            match step.kind {
                Kind::Read => *reads = reads.wrapping_add(hash.0),
                _ => {
                    hash.add(*reads);
                    (*last, *reads) = (hash.0, 0);
                }
            }
        }
        self.threads.insert(step.thread, hash.0);
        self.steps.push(hash.0);
        self.all = self.all.wrapping_add(hash.0);
    }
}

/// A number for a sequence of numbers.
struct Hash(u128);

impl Default for Hash {
    fn default() -> Self {
        Hash(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
    }
}

impl Hash {
    fn add(&mut self, word: u128) {
        const FACTOR: u128 = 0xda94_2042_e4dd_58b5_2360_ed05_1fc6_5da5;
        let mixed = (self.0 ^ word).wrapping_mul(FACTOR);
        self.0 = (mixed ^ (mixed >> 71)).wrapping_mul(FACTOR).rotate_left(43);
    }
}
