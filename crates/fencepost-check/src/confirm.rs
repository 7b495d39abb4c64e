//! Nothing is a violation before the oracle has replayed it, and nothing holds beyond a bound of
//! the program.

use fencepost_ir::{Op, Program};
use fencepost_model::Model;
use fencepost_oracle::replay::{replay, replay_failure, replay_observational};
use fencepost_verdict::{Budget, Candidate, Reason, ScFailure, Site, Verdict};

use crate::{InternalError, Options};

/// Largest execution graph of a replay, in steps and locations: relations take space quadratic in
/// it.
const LARGEST_REPLAY: usize = 20_000;
/// The same with taints: every read on the way is put to the axioms.
const LARGEST_TAINTED_REPLAY: usize = 1_000;

/// States that the search for a shortest witness may visit, and how many more for every state of
/// the search before it.
const CHEAP_STATES: u64 = 50_000;
const CHEAP_FACTOR: u64 = 4;

/// Replays what a search found.
pub(crate) fn confirm(
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

/// Replays what fails under SC.
pub(crate) fn replay_sc_failure(
    program: &Program,
    model: &'static dyn Model,
    failure: Option<&ScFailure>,
) -> Result<(), InternalError> {
    let replayed = failure.map_or(Ok(()), |failure| replay_failure(program, model, failure));
    replayed.map_err(|error| InternalError { message: format!("a failure under SC does not replay: {error}") })
}

/// Nothing was found, but the program is not modelled beyond the bound at `site`.
pub(crate) fn beyond(program: &Program, site: Site) -> Reason {
    let text = match &program.instr(site.thread, site.pc).op {
        Op::Bound { cond } => cond.text(&|reg| program.thread(site.thread).registers[reg.index()].name.clone()),
        _ => String::new(),
    };
    Reason::Bound { site, text }
}

/// What a search for something nicer may cost after a search that visited `states` states.
pub(crate) fn cheap_budget<'a>(states: u64, budget: &Budget<'a>) -> Budget<'a> {
    // So few states are not worth the start of a device.
    Budget { max_states: budget.max_states.min(CHEAP_STATES + CHEAP_FACTOR * states), device: None, ..*budget }
}
