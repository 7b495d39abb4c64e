//! Every schedule of a test up to equivalence: which runs are still to be made.
//!
//! Two schedules are equivalent if one becomes the other by exchanging neighbouring steps of
//! different threads that touch different objects or only read. Equivalent schedules have the same
//! execution graph, so the monitor says the same of both, and one of them is enough.
//!
//! # Algorithm
//!
//! Dynamic partial-order reduction with source sets and sleep sets: Abdulla, Aronis, Jonsson and
//! Sagonas, *Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction*, JACM 2017.
//!
//! A run is made. Two of its steps that touch the same object *race* if nothing between them orders
//! them: then the second could have come first. For each race, a thread is added where the first of
//! the two steps was chosen, unless one is there already with which a run can begin that has the
//! second step first. *Sleep sets* say which threads need not be chosen, because what follows was
//! explored from there before. A run in which everybody that could go on sleeps is *redundant*: it
//! is like another one.
//!
//! Complete for programs of which every run ends: of each class of equivalent schedules one is run.
//! Not optimal: there are redundant runs, which [`Counts`] tells.
//!
//! # Steps that wait
//!
//! A step that has to wait for others, such as to take a lock, may be impossible right before the
//! step with which it races, and possible further back. So it races with every step on its object
//! that nothing else orders before it. That a lock is given back only enables who takes it next, so
//! these two do not race. What a thread waits for when nobody can go on counts as a step that it is
//! about to take. A run in which it turns out to be impossible is dropped.

mod bounded;
mod clock;
mod tree;

use fencepost_protocol::exploration::{Decision, Sleeper, Step, end};

pub use bounded::Bounded;
use tree::{NodeId, Tree};

/// A run that is to be made.
#[derive(Clone, Debug)]
pub struct Task {
    /// Who takes the first steps.
    pub decisions: Vec<Decision>,
    /// Who need not run after them.
    pub sleepers: Vec<Sleeper>,
    /// The nodes of the tree on the way: one for each decision.
    path: Vec<NodeId>,
}

/// How many runs there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Of different classes, and to their end.
    pub complete: u64,
    /// In which nobody could go on, or an assumption did not hold.
    pub blocked: u64,
    /// That turned out to be like others.
    pub redundant: u64,
}

impl Counts {
    /// All of them.
    pub fn runs(&self) -> u64 {
        self.complete + self.blocked + self.redundant
    }
}

/// A run did something else than an earlier one with the same decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// What was expected, if an earlier run had this step.
    pub expected: Option<Step>,
    /// What was done.
    pub found: Option<Step>,
}

/// Which schedules are explored.
#[derive(Debug)]
pub enum Search {
    /// All of them.
    All(Explorer),
    /// Those with few preemptions.
    Few(Bounded),
}

impl Search {
    /// Those with at most so many preemptions; all of them if nothing is said.
    pub fn new(preemptions: Option<u32>) -> Search {
        preemptions.map_or_else(|| Search::All(Explorer::default()), |most| Search::Few(Bounded::new(most)))
    }

    /// See [`Explorer::next_task`].
    pub fn next_task(&mut self) -> Option<Task> {
        match self {
            Search::All(explorer) => explorer.next_task(),
            Search::Few(bounded) => bounded.next_task(),
        }
    }

    /// A run was made. See [`Explorer::done`].
    ///
    /// # Errors
    /// If it did not follow the decisions.
    pub fn done(&mut self, task: &Task, steps: &[Step], why: u32) -> Result<(), Box<Divergence>> {
        match self {
            Search::All(explorer) => explorer.done(task, steps, why),
            Search::Few(bounded) => bounded.done(task, steps, why),
        }
    }

    /// Runs so far.
    pub fn counts(&self) -> Counts {
        match self {
            Search::All(explorer) => explorer.counts(),
            Search::Few(bounded) => bounded.counts(),
        }
    }
}

/// What is known of the schedules so far.
#[derive(Debug, Default)]
pub struct Explorer {
    tree: Tree,
    counts: Counts,
    /// Was the first run asked for?
    has_begun: bool,
}

impl Explorer {
    /// The next run to make; none if there is none for now: what runs that are not over lead to is
    /// not known.
    pub fn next_task(&mut self) -> Option<Task> {
        if !std::mem::replace(&mut self.has_begun, true) {
            return Some(Task { decisions: Vec::new(), sleepers: Vec::new(), path: Vec::new() });
        }
        self.tree.next()
    }

    /// Runs so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// How much of what is known has been explored, from 0 to 1. What is not known yet may be more.
    pub fn share(&self) -> f64 {
        self.tree.share()
    }

    /// Nodes that are kept: where there are runs to make, and what leads there.
    pub fn nodes(&self) -> usize {
        self.tree.len()
    }

    /// A run was made: these were its steps, and this is why it came to its end (of
    /// [`mod@end`]).
    ///
    /// # Errors
    /// If it did not follow the decisions as earlier runs did.
    pub fn done(&mut self, task: &Task, steps: &[Step], why: u32) -> Result<(), Box<Divergence>> {
        if why & end::INFEASIBLE != 0 {
            // The step would have had to wait: there is no such schedule.
            self.tree.give_up(task);
            return Ok(());
        }
        match why {
            _ if why & end::REDUNDANT != 0 => self.counts.redundant += 1,
            _ if why & (end::STUCK | end::ASSUMED | end::LEFT) != 0 => self.counts.blocked += 1,
            _ => self.counts.complete += 1,
        }
        self.tree.check(task, steps)?;
        let path = self.tree.extend(task, steps);
        for race in clock::races(steps, task.decisions.len().saturating_sub(1)) {
            self.tree.reverse(&path, &race, steps);
        }
        self.tree.leave(&path);
        Ok(())
    }
}
