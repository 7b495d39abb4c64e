//! Walk every SC run of a program, carrying a monitor.
//!
//! A *monitor* is a finite summary of the run so far. It knows when a weak memory model could leave
//! SC with the next step. Program and monitor are compiled to a `product::Product` over packed
//! states, which implements the trait `system::System`. `search` walks any such system breadth
//! first.
//!
//! Reductions belong between the two. They choose which successors to visit, and which of several
//! equal states to keep. Neither the search nor the product needs to know why.

mod ample;
mod collapse;
mod compile;
mod device;
mod disk;
mod options;
mod product;
mod search;
mod store;
mod symmetry;
mod system;
mod visited;
mod watches;

use fencepost_ir::Program;
use fencepost_model::Model;
use fencepost_model::models::sc::Sc;
use fencepost_verdict::{Budget, Candidate, Reason, Run, ScFailure, ScFailureKind, Site, Stats};

use product::Purpose;
pub use product::crowd::{Control, Crowd, Fails, Local, Move, Mover, Start};
use search::{Asked, Goal};

pub use options::{Options, Reductions};

/// How an exploration ended.
#[derive(Clone, Debug)]
pub enum End {
    /// Every reachable state was visited and found harmless.
    Exhausted,
    /// A step that leaves SC is possible after an SC run. Not yet replayed.
    Found(Candidate),
    /// Something goes wrong under SC, and that was the question: see [`Exploration::sc_failure`].
    Failed,
    /// A limit was reached.
    GaveUp(Reason),
}

/// What an exploration found.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// How it ended.
    pub end: End,
    /// The first assertion failure or run-time error met on the way. Not yet replayed.
    pub sc_failure: Option<ScFailure>,
    /// The first bound met on the way: runs through it were not followed any further.
    pub bound: Option<Site>,
    /// Reads that may be stale, met on the way in an observational search.
    pub speculative: Vec<Site>,
    /// The cost.
    pub stats: Stats,
}

/// What goes wrong in executions with at most one stale step.
#[derive(Clone, Debug)]
pub struct Onward {
    /// Each thing once, shortest runs first; what goes wrong under SC already only in an SC run.
    /// Not yet replayed.
    pub found: Vec<Wrong>,
    /// Why not every such execution was looked at.
    pub cut: Option<Reason>,
    /// The first bound met on the way: runs through it were not followed any further.
    pub bound: Option<Site>,
    /// The cost.
    pub stats: Stats,
}

/// Something that goes wrong in an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The execution, up to there.
    pub run: Run,
    /// The step of the run that takes an overwritten value, or is ordered in the past, counted from
    /// 0; none if the run is one under SC.
    pub stale: Option<usize>,
    /// What.
    pub what: Failure,
}

/// What can go wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// This instruction fails.
    Fails(Site, ScFailureKind),
    /// These two plain accesses are enabled at once.
    Race(Site, Site),
    /// This plain access, which is enabled, is not ordered after an earlier one.
    LateRace(Site),
}

impl Wrong {
    /// As a failure under SC, if it is one.
    pub(crate) fn under_sc(self) -> Option<ScFailure> {
        match (self.stale, self.what) {
            (None, Failure::Fails(site, kind)) => Some(ScFailure { kind, site, run: self.run }),
            _ => None,
        }
    }
}

/// Looks at all executions of `program` under `model` in which at most one step is stale, that is,
/// takes a value that is overwritten, or stands before a write that it comes after under SC.
/// Collects what goes wrong: failures and data races.
pub fn consequences(program: &Program, model: &dyn Model, options: Options, budget: &Budget<'_>) -> Onward {
    let goal = Goal::Everything;
    match product::Product::new(program, model, Purpose::Consequences, options, budget) {
        Ok(product) => {
            let question = || question(program, model, goal, options, budget);
            search::everything(&product, &Asked { goal, jobs: options.jobs, budget, question: &question })
        }
        Err(reason) => Onward { found: Vec::new(), cut: Some(reason), bound: None, stats: Stats::default() },
    }
}

/// Explores all SC runs of `program` with the monitor of `model`, shortest runs first.
pub fn explore(program: &Program, model: &dyn Model, options: Options, budget: &Budget<'_>) -> Exploration {
    search(program, model, Goal::LeaveSc, options, budget)
}

/// Looks for a shortest SC run of `program` on which something goes wrong.
pub fn find_failure(program: &Program, options: Options, budget: &Budget<'_>) -> Exploration {
    search(program, &Sc, Goal::Failure, options, budget)
}

/// Looks for a shortest SC run of `program` on which an assertion fails, whatever else goes wrong.
pub fn find_failing_assertion(program: &Program, options: Options, budget: &Budget<'_>) -> Exploration {
    search(program, &Sc, Goal::Assertion, options, budget)
}

fn search(program: &Program, model: &dyn Model, goal: Goal, options: Options, budget: &Budget<'_>) -> Exploration {
    if let Some(exploration) = on_device(program, model, goal, options, budget) {
        return exploration;
    }
    match product::Product::new(program, model, Purpose::Violations, options, budget) {
        Ok(product) => {
            let question = || question(program, model, goal, options, budget);
            search::breadth_first(&product, &Asked { goal, jobs: options.jobs, budget, question: &question })
        }
        Err(reason) => Exploration {
            end: End::GaveUp(reason),
            sc_failure: None,
            bound: None,
            speculative: Vec::new(),
            stats: Stats::default(),
        },
    }
}

/// The same on a device, if there is one and it can.
fn on_device(
    program: &Program,
    model: &dyn Model,
    goal: Goal,
    options: Options,
    budget: &Budget<'_>,
) -> Option<Exploration> {
    let device = budget.device?;
    let options = Options { reductions: Reductions { por: false, ..options.reductions }, ..options };
    let product = product::Product::new(program, model, Purpose::Violations, options, budget).ok()?;
    device::breadth_first(&product, goal, device, budget).map_err(|why| device.refused(&why)).ok()
}

/// All that the answer of a search depends on, in one line.
fn question(program: &Program, model: &dyn Model, goal: Goal, options: Options, budget: &Budget<'_>) -> String {
    let Options { reductions, observational, jobs: _ } = options;
    let (name, most) = (model.name(), budget.max_states);
    format!("{goal:?} {name} {reductions:?} observational: {observational} states: {most} {program:?}")
}
