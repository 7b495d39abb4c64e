//! Every execution of a test under a memory model, those included that are not SC: which runs are
//! still to be made.
//!
//! A run is given, for each of its accesses, the write that it reads or the place that its write
//! has. The program computes, and the axioms of the model judge the graph that results. So whatever
//! the model permits is seen, and nothing else.
//!
//! # Algorithm
//!
//! Kokologiannakis, Marmanis, Gladstein and Vafeiadis, *Truly Stateless, Optimal Dynamic Partial
//! Order Reduction*, POPL 2022. An execution grows by one event at a time. A read tries every write
//! that is there, a write every place in modification order. A write is also tried by the reads
//! that are there already: such a read is *revisited*, and what was added after it is taken back,
//! except for what the write depends on. That is done only if what is taken back was added in the
//! one way that counts, *maximally*: reads read the last write, writes are last, and nobody has
//! been revisited by them. So each execution is met once (`revisit`).
//!
//! A run goes on after its plan as under SC: who reads takes the last write, who writes is last.
//! That is the maximal way, so a run makes one execution from its plan, and all others that begin
//! like it are left as tasks. Nothing is stored but tasks. There are never many more of these than
//! a run has events and an event has alternatives.
//!
//! Assumed of the model: parts of a consistent graph are consistent, and what is added maximally to
//! a consistent graph leaves it consistent. Tested in `crates/fencepost-search/tests/models.rs`.
//!
//! # What is modelled
//!
//! Atomic accesses, fences, threads that are created and waited for, choices, and objects: mutexes,
//! locks for readers and writers, condition variables, semaphores, barriers. All uses of an object
//! have one order (`execution` says how that is modelled). Who waits for a value that it does not
//! find goes no further in this execution: there is another one in which it finds it. Loops that only
//! wait are left by the runtime in the same way, because a round that changes nothing can be left out
//! of an execution, and what is left is consistent.
//!
//! Not modelled: waits in the kernel, and what is done once. [`Trouble`] says so.

mod execution;
mod grow;
mod judge;
mod revisit;

use std::collections::BTreeMap;
use std::fmt;

use fencepost_model::Model;
use fencepost_protocol::exploration::{Decision, Step};

use execution::{Execution, Id};
pub use judge::{Judgement, judge, judge_decided, number};

/// A run that is to be made.
#[derive(Clone, Debug)]
pub struct Task {
    execution: Execution,
    /// The events in the order in which the run has them.
    plan: Vec<Id>,
    /// How much of all there is to explore is behind this task, as far as can be told.
    weight: f64,
}

/// How many executions there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// That came to their end.
    pub complete: u64,
    /// Of these, those that are not SC.
    pub weak: u64,
    /// In which somebody waits for what does not come.
    pub blocked: u64,
    /// That turned out to be none.
    pub rejected: u64,
}

impl Counts {
    /// All of them.
    pub fn runs(&self) -> u64 {
        self.complete + self.blocked + self.rejected
    }
}

/// How a run has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The program has come to its end.
    Complete,
    /// Somebody waits in this execution, for what others may still write in another one.
    Blocked,
    /// All wait for ever, and have seen the last writes.
    Stuck,
    /// It is no execution of the model after all: what it shows means nothing.
    Rejected,
}

/// Why the answer cannot be exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A run did something else than an earlier one with the same plan.
    Diverged {
        /// What was done, if anything.
        found: Option<Step>,
        /// What was expected, in words.
        expected: String,
    },
    /// Something is not modelled.
    NotModelled(&'static str),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Diverged { found: Some(step), expected } => write!(
                f,
                "thread {} {:?} at {:#x} in {:#x} instead of {expected}",
                step.thread, step.kind, step.object, step.pc
            ),
            Trouble::Diverged { found: None, expected } => write!(f, "nothing instead of {expected}"),
            Trouble::NotModelled(what) => write!(f, "{what} under weak memory is not modelled"),
        }
    }
}

/// A model, and the one of those of its executions that are not weak.
#[derive(Clone, Copy)]
pub struct Models {
    /// What all executions are permitted by.
    pub model: &'static dyn Model,
    /// What those are permitted by that are not weak.
    pub reference: &'static dyn Model,
}

/// What a run has made.
pub struct Made {
    ended: Ended,
    is_weak: bool,
    tasks: Vec<Execution>,
    weight: f64,
}

impl Made {
    /// How the run has ended.
    pub fn ended(&self) -> Ended {
        self.ended
    }
}

/// What is known of the executions so far.
pub struct Explorer {
    models: Models,
    open: Vec<Task>,
    counts: Counts,
    share: f64,
}

impl Explorer {
    /// All executions under a model.
    pub fn new(models: Models) -> Explorer {
        let first = Task { execution: Execution::default(), plan: Vec::new(), weight: 1.0 };
        Explorer { models, open: vec![first], counts: Counts::default(), share: 0.0 }
    }

    /// The next run to make; none if there is none for now: what runs that are not over lead to is
    /// not known.
    pub fn next_task(&mut self) -> Option<Task> {
        self.open.pop()
    }

    /// Executions so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// How much of what is known has been explored, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Runs that are known and not made.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// The models: that of all executions, and that of those that are not weak.
    pub fn models(&self) -> Models {
        self.models
    }

    /// Takes in what a run has made.
    pub fn take_in(&mut self, made: Made) -> Ended {
        let share = made.weight / (made.tasks.len() + 1) as f64;
        self.share += share;
        let tasks = made.tasks.into_iter().map(|execution| task_of(execution, share));
        self.open.extend(tasks);
        match made.ended {
            Ended::Complete => {
                self.counts.complete += 1;
                self.counts.weak += u64::from(made.is_weak);
            }
            Ended::Blocked | Ended::Stuck => self.counts.blocked += 1,
            Ended::Rejected => self.counts.rejected += 1,
        }
        made.ended
    }
}

fn task_of(execution: Execution, weight: f64) -> Task {
    let plan = execution.in_order();
    Task { plan, execution, weight }
}

impl Task {
    /// A run was made: these were its steps, and this is why it came to its end (of
    /// [`mod@fencepost_protocol::exploration::end`]).
    ///
    /// # Errors
    /// If it did not follow its plan, or has done what is not modelled.
    pub fn follow(self, models: Models, steps: &[Step], why: u32) -> Result<Made, Trouble> {
        let weight = self.weight;
        let grown = grow::follow(models.model, self, steps, why)?;
        let is_weak = grown.ended == Ended::Complete && !grown.execution.is_ordinary(models.reference);
        Ok(Made { ended: grown.ended, is_weak, tasks: grown.tasks, weight })
    }

    /// Who takes the first steps, and what they find.
    pub fn decisions(&self) -> Vec<Decision> {
        let mut decisions = Vec::with_capacity(self.plan.len());
        // Writes to each location are numbered as the run makes them; 0 is the initial value.
        let mut numbers: BTreeMap<Id, u32> = BTreeMap::new();
        let mut made: BTreeMap<u64, Vec<Id>> = BTreeMap::new();
        for &id in &self.plan {
            let event = self.execution.event(id);
            let order = self.execution.writes(event.object);
            let place = |write: Option<Id>| write.map(|write| order.iter().position(|&other| other == write));
            let made_here = made.get(&event.object).map_or(&[][..], Vec::as_slice);
            let is_hidden = |write: Option<Id>| made_here.iter().any(|&other| place(Some(other)) > place(write));
            let mut decision = Decision::new(event.thread, 0);
            let uses = event.uses.filter(|_| event.is_read());
            match event.what {
                _ if event.is_blocked => decision = decision.held(),
                _ if uses.is_some() => {
                    decision.choice = uses.and_then(|uses| uses.choice).unwrap_or(0);
                }
                execution::What::Choice { choice } => decision.choice = choice,
                execution::What::Read { source, .. } => {
                    decision = decision.reading(source.map_or(0, |source| numbers[&source]));
                    let may_write = self.execution.write_part(id).is_some() || self.execution.is_open(event);
                    // What it writes follows what it has read.
                    if may_write && is_hidden(source) {
                        decision = decision.hidden();
                    }
                }
                execution::What::Write { read: None } if is_hidden(Some(id)) => decision = decision.hidden(),
                _ => {}
            }
            if event.is_write() {
                let made = made.entry(event.object).or_default();
                made.push(id);
                numbers.insert(id, made.len() as u32);
            }
            if event.read_part().is_none() && !uses.is_some_and(|uses| uses.follows) {
                decisions.push(decision);
            }
        }
        decisions
    }
}
