//! Bounded searches for an execution of a weak memory model in which something goes wrong.
//!
//! An assertion fails, a run-time error or a data race happens, or all threads end in a state that
//! is asked for. Loops are allowed.
//!
//! - [`Search`]: what is asked, and of which program and model;
//! - `graphs`: over execution graphs, for models that are axioms;
//! - `machine`: over states of the store-buffer machine, for models that have one;
//! - `views`: over states of a machine of messages and views, for models that have one;
//! - `interleavings`: over states of threads and one memory, for SC;
//! - `executions`: not a search, but all executions, for programs without loops;
//! - `stray`: executions that take a few stale steps, and are as under SC otherwise;
//! - `threads`, `future`: what threads do between accesses, and what they can still do.
//!
//! All searches end in one of three ways ([`End`]):
//!
//! - Something is found. It comes with a run, to be replayed by the oracle
//!   (`fencepost_oracle::replay_graph`, `fencepost_oracle::replay_computation`).
//! - Everything was looked at, and there is nothing.
//! - A limit was reached. That says nothing.
//!
//! Each file says what makes its search fast, and why nothing is lost by it.

mod executions;
mod future;
mod graphs;
mod interleavings;
mod machine;
mod meter;
mod runs;
mod stray;
mod threads;
mod views;

pub use executions::Executions;
use fencepost_base::ids::{LocId, ThreadId, Value};
use fencepost_ir::{Observable, Program};
use fencepost_model::{Kind, Model};
use fencepost_verdict::{Budget, Computation, GraphRun, Reason, ScFailureKind, Site, Stats};
pub use stray::{Astray, Straying};

/// Does a final state, of which everything can be asked, belong to those looked for?
pub type Holds<'a> = dyn Fn(&dyn Fn(Observable) -> Value) -> bool + 'a;

/// Is what was found one of the model? Asked where a search permits more than the model.
pub type IsReal<'a> = dyn Fn(&Finding) -> bool + 'a;

/// A program in a model.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    program: &'a Program,
    model: &'a dyn Model,
}

/// What was found, how the search ended, and what it cost.
#[derive(Clone, Debug)]
pub struct Found {
    /// What was found; only if the search ended with [`End::Found`].
    pub what: Option<Finding>,
    /// How it ended.
    pub end: End,
    /// States or graphs found, steps tried, length of the longest run looked at.
    pub stats: Stats,
}

/// Something that was looked for, and how it comes about.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What.
    pub what: What,
    /// How.
    pub evidence: Evidence,
}

/// What can be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// An assertion fails, or a run-time error happens.
    Failure {
        /// Where.
        site: Site,
        /// What.
        kind: ScFailureKind,
    },
    /// The last access of the run is a plain one in a data race.
    Race {
        /// The thread that makes it.
        thread: ThreadId,
        /// The location.
        location: LocId,
    },
    /// All threads have come to their end in a state that was asked for.
    End,
}

/// A run from the initial state, to be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// An execution graph that grows. Only what has to do with what was found is in it.
    Graph(GraphRun),
    /// A computation of the store-buffer machine.
    Machine(Computation),
}

/// How a search ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With something.
    Found,
    /// Everything was looked at: what was asked for does not exist.
    Exhausted,
    /// Everything was looked at as far as the program is modelled: a run reaches this bound.
    Bound(Site),
    /// A limit was reached.
    Cut(Reason),
}

/// What is looked for.
enum Goal<'a> {
    Failure,
    Race,
    End(&'a Holds<'a>),
}

impl<'a> Search<'a> {
    /// Looks at `program` in `model`.
    pub fn new(program: &'a Program, model: &'a dyn Model) -> Self {
        Search { program, model }
    }

    /// Can an assertion fail, or a run-time error happen? In a model that knows data races, a race
    /// is an answer, too.
    pub fn failure(&self, budget: &Budget<'_>) -> Found {
        self.look_for(&Goal::Failure, budget)
    }

    /// Can a data race happen? Models with store buffers, and SC, know none.
    pub fn race(&self, budget: &Budget<'_>) -> Found {
        self.look_for(&Goal::Race, budget)
    }

    /// Can all threads come to their end in a state of which `holds` is true? A race is an answer,
    /// too.
    pub fn end(&self, holds: &Holds<'_>, budget: &Budget<'_>) -> Found {
        self.look_for(&Goal::End(holds), budget)
    }

    /// All executions of a program without loops, atomic sections and bounds, with the values of
    /// what is observed at their ends, and the first `most` of them one by one. Those with data
    /// races are among them. If a limit is reached, what was found before, and which limit.
    ///
    /// # Errors
    /// If the executions of such a program cannot be enumerated, or not within the budget.
    pub fn executions(
        &self,
        observed: &[Observable],
        most: usize,
        budget: &Budget<'_>,
    ) -> Result<(Executions, Option<Reason>), Reason> {
        executions::enumerate(self.program, self.model, observed, most, budget)
    }

    /// Everything that goes wrong in executions with at most `most` stale steps.
    pub fn straying(&self, most: u32, budget: &Budget<'_>) -> Straying {
        stray::search(self.program, self.model, most, budget)
    }

    fn look_for(&self, goal: &Goal<'_>, budget: &Budget<'_>) -> Found {
        match self.model.declaration().kind {
            Kind::Machine(buffers) => machine::search(self.program, self.model, buffers, goal, budget),
            Kind::Reference if !self.program.has_sections() => {
                interleavings::search(self.program, self.model, goal, budget)
            }
            Kind::Reference | Kind::Language => graphs::search(self.program, self.model, goal, budget),
        }
    }

    /// As [`Search::failure`], over execution graphs also where there are states: for comparison.
    pub fn failure_on_graphs(&self, budget: &Budget<'_>) -> Found {
        graphs::search(self.program, self.model, &Goal::Failure, budget)
    }

    /// As [`Search::end`], over execution graphs also where there are states: for comparison.
    pub fn end_on_graphs(&self, holds: &Holds<'_>, budget: &Budget<'_>) -> Found {
        graphs::search(self.program, self.model, &Goal::End(holds), budget)
    }

    /// Can [`Search::failure_by_views`] and its relatives say anything about this program and model?
    ///
    /// # Errors
    /// Why they cannot.
    pub fn supports_views(&self) -> Result<(), Reason> {
        views::supports(self.program, self.model)
    }

    /// As [`Search::failure`], over states of a machine of messages and views.
    pub fn failure_by_views(&self, is_real: &IsReal<'_>, budget: &Budget<'_>) -> Found {
        views::search(self.program, self.model, &Goal::Failure, is_real, budget)
    }

    /// As [`Search::race`], over states of a machine of messages and views.
    pub fn race_by_views(&self, is_real: &IsReal<'_>, budget: &Budget<'_>) -> Found {
        views::search(self.program, self.model, &Goal::Race, is_real, budget)
    }

    /// As [`Search::end`], over states of a machine of messages and views.
    pub fn end_by_views(&self, holds: &Holds<'_>, is_real: &IsReal<'_>, budget: &Budget<'_>) -> Found {
        views::search(self.program, self.model, &Goal::End(holds), is_real, budget)
    }
}
