//! Choose the engine, enforce the budget, replay the witness, return one
//! [`Outcome`].
//!
//! This is the only place that knows all engines, and the only one that turns
//! what an engine found into a verdict: nothing is a violation before the
//! definitional oracle has replayed it, and nothing holds unless the engine
//! exhausted the state space.

mod buffers;
mod unbounded;
mod verify;

use std::fmt;

use fencepost_explore::{End, Exploration};
use fencepost_ir::{Op, Program};
use fencepost_model::{Model, Robustness, models};
use fencepost_oracle::replay::{replay, replay_failure, replay_observational};
use fencepost_verdict::{Budget, Candidate, Outcome, Property, Reason, ScFailure, Site, Stats, Verdict};

pub use buffers::Attacking;
pub use fencepost_attack::{Delays, enough_delays};
pub use fencepost_explore::{Options, Reductions};
pub use verify::{Engine, verify, verify_with};

/// Largest execution graph of a replay, in steps and locations: relations take space quadratic in it.
const LARGEST_REPLAY: usize = 20_000;
/// The same with taints: every read on the way is put to the axioms.
const LARGEST_TAINTED_REPLAY: usize = 1_000;

/// States that the search for a shortest witness may visit, and how many more for every state of the search before it.
const CHEAP_STATES: u64 = 50_000;
const CHEAP_FACTOR: u64 = 4;

/// Two parts of fencepost disagree: a bug, never the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InternalError {
    message: String,
}

impl InternalError {
    fn new(message: impl Into<String>) -> Self {
        InternalError { message: message.into() }
    }
}

impl fmt::Display for InternalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for InternalError {}

/// Is `program` robust against `model`? Explores its SC runs with the model's monitor.
pub fn check(program: &Program, model: &'static dyn Model, budget: &Budget<'_>) -> Result<Outcome, InternalError> {
    check_with(program, model, Options::default(), budget)
}

/// Can `program` be shown observationally robust against `model`? Sound, not complete: a violation is a witness in
/// the sense of the POPL 2021 paper (Def. 4.14), which about a third of the observationally robust programs have too.
pub fn check_observational(
    program: &Program,
    model: &'static dyn Model,
    budget: &Budget<'_>,
) -> Result<Outcome, InternalError> {
    check_with(program, model, Options { observational: true, ..Options::default() }, budget)
}

/// As [`check`], exploring in a given way; the verdict is the same in every way.
pub fn check_with(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    budget: &Budget<'_>,
) -> Result<Outcome, InternalError> {
    match model.declaration().robustness {
        Robustness::Attacks => check_attacks(program, model, options, Attacking::default(), budget),
        Robustness::Monitor => {
            let outcome = check_monitored(program, model, options, &unbounded::patience(program, budget))?;
            Ok(unbounded::explain(program, budget, outcome))
        }
        Robustness::Always | Robustness::Implied(_) => {
            let property = if options.observational { Property::ObservationalRobustness } else { Property::Robustness };
            let reason = Reason::Unsupported(format!("robustness against {} is not decided", model.name()));
            Ok(undecided(property, model, reason))
        }
    }
}

/// As [`check_with`], for a model with a monitor.
fn check_monitored(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    budget: &Budget<'_>,
) -> Result<Outcome, InternalError> {
    let exploration = match robust_anyway(program, model, options, budget) {
        Some(exhausted) => exhausted,
        None => fencepost_explore::explore(program, model, options, budget),
    };
    let verdict = match exploration.end {
        End::Exhausted => match exploration.bound {
            None => Verdict::Holds,
            Some(site) => Verdict::Unknown(beyond(program, site)),
        },
        End::GaveUp(reason) => Verdict::Unknown(reason),
        End::Failed => unreachable!("failures under SC do not end this search"),
        End::Found(candidate) => {
            let found = confirm(program, model, options, &candidate)?;
            match shorter(program, model, options, exploration.stats.states, budget)? {
                Some(candidate) => confirm(program, model, options, &candidate)?,
                None => found,
            }
        }
    };
    replay_sc_failure(program, model, exploration.sc_failure.as_ref())?;
    Ok(Outcome {
        property: if options.observational { Property::ObservationalRobustness } else { Property::Robustness },
        model: model.name(),
        verdict,
        sc_failure: exploration.sc_failure.map(Box::new),
        speculative: exploration.speculative,
        stats: exploration.stats,
    })
}

/// As [`check_with`], for a model with store buffers, looking for attacks in a given way.
///
/// # Panics
/// If the model has no store buffers.
pub fn check_attacks(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    attacking: Attacking,
    budget: &Budget<'_>,
) -> Result<Outcome, InternalError> {
    assert!(model.buffers().is_some(), "{} has no store buffers", model.name());
    if options.observational {
        let reason = Reason::Unsupported(format!("observational robustness against {} is not offered", model.name()));
        return Ok(undecided(Property::ObservationalRobustness, model, reason));
    }
    let outcome = buffers::check(program, model, options, attacking, &unbounded::patience(program, budget))?;
    replay_sc_failure(program, models::reference(), outcome.sc_failure.as_deref())?;
    Ok(unbounded::explain(program, budget, outcome))
}

/// A question that was not looked into.
fn undecided(property: Property, model: &'static dyn Model, reason: Reason) -> Outcome {
    Outcome {
        property,
        model: model.name(),
        verdict: Verdict::Unknown(reason),
        sc_failure: None,
        speculative: Vec::new(),
        stats: Stats::default(),
    }
}

fn replay_sc_failure(
    program: &Program,
    model: &'static dyn Model,
    failure: Option<&ScFailure>,
) -> Result<(), InternalError> {
    let replayed = failure.map_or(Ok(()), |failure| replay_failure(program, model, failure));
    replayed.map_err(|error| InternalError { message: format!("a failure under SC does not replay: {error}") })
}

/// Nothing was found, but the program is not modelled beyond the bound at `site`.
fn beyond(program: &Program, site: Site) -> Reason {
    let text = match &program.instr(site.thread, site.pc).op {
        Op::Bound { cond } => fencepost_lower::print_expr(program, site.thread, cond),
        _ => String::new(),
    };
    Reason::Bound { site, text }
}

/// A program that no read can be stale in is observationally robust too, and that is cheaper to find out: only a search
/// that lets reads be stale needs the whole monitor.
fn robust_anyway(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    budget: &Budget<'_>,
) -> Option<Exploration> {
    if !options.observational || options.reductions == Reductions::NONE {
        return None;
    }
    let plain = Options { observational: false, ..options };
    let exploration = fencepost_explore::explore(program, model, plain, budget);
    matches!(exploration.end, End::Exhausted).then_some(exploration)
}

/// Replays what a search found.
fn confirm(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    candidate: &Candidate,
) -> Result<Verdict, InternalError> {
    let (replay_as, largest) = match options.observational {
        true => (replay_observational as fn(&_, &_, &_) -> _, LARGEST_TAINTED_REPLAY),
        false => (replay as fn(&_, &_, &_) -> _, LARGEST_REPLAY),
    };
    let (steps, locations) = (candidate.steps(), program.locations().len());
    if steps + locations > largest {
        return Ok(Verdict::Unknown(Reason::TooLarge(format!(
            "a run of {steps} steps seems to leave SC, but with {locations} locations it is too large to be replayed"
        ))));
    }
    match replay_as(program, model, candidate) {
        Ok(violation) => Ok(Verdict::Violated(Box::new(violation))),
        Err(error) => Err(InternalError { message: format!("a violation does not replay on the axioms: {error}") }),
    }
}

/// What a search for something nicer may cost after a search that visited `states` states.
fn cheap_budget<'a>(states: u64, budget: &Budget<'a>) -> Budget<'a> {
    Budget { max_states: budget.max_states.min(CHEAP_STATES + CHEAP_FACTOR * states), ..*budget }
}

/// A shortest run that leaves SC, if it is cheap to find. A search that leaves out interleavings finds a run that is
/// shortest among those it looks at; this one looks at all.
fn shorter(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    states: u64,
    budget: &Budget<'_>,
) -> Result<Option<Candidate>, InternalError> {
    if options.reductions == Reductions::NONE {
        return Ok(None);
    }
    // On one thread: where the limit cuts a layer, several would each time have found something else.
    let options = Options { reductions: Reductions::NONE, jobs: 1, ..options };
    match fencepost_explore::explore(program, model, options, &cheap_budget(states, budget)).end {
        End::Found(candidate) => Ok(Some(candidate)),
        End::GaveUp(_) | End::Failed => Ok(None),
        End::Exhausted => Err(InternalError { message: "only a reduced search finds a violation".into() }),
    }
}
