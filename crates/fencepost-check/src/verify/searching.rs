//! A search among executions of the model itself: execution graphs, or states
//! of the machine with store buffers. Or among states of a machine of messages
//! and views (`views`). See `fencepost_search`.
//!
//! What it finds is put to the axioms, by a replay that shares nothing with the
//! search; what it does not find does not exist, if it came to its end.

use fencepost_ir::{Condition, Observable, Program};
use fencepost_model::Model;
use fencepost_oracle::{ReplayError, replay_computation};
use fencepost_search::{End, Evidence, Finding, Found, Search, What};
use fencepost_verdict::{Argument, Budget, GraphRun, Race, Stats, Verified};

use super::endings::{Asked, Collected, Holds, collect};
use super::{Inquiry, Step, evidence, unsafe_by, views};
use crate::InternalError;
use crate::buffers::can_fail;
use crate::confirm::beyond;

/// What is searched.
#[derive(Clone, Copy)]
pub(super) enum Over {
    Executions,
    Views,
}

impl Over {
    fn argument(self, model: &dyn Model) -> Argument {
        match self {
            Over::Executions if model.buffers().is_some() => Argument::Machine,
            Over::Executions => Argument::Search,
            Over::Views => Argument::Views,
        }
    }

    fn failure(self, program: &Program, model: &dyn Model, slice: &Budget<'_>) -> Found {
        match self {
            Over::Executions => Search::new(program, model).failure(slice),
            Over::Views => views::failure(program, model, slice),
        }
    }

    fn end(self, program: &Program, model: &dyn Model, holds: &Holds<'_>, slice: &Budget<'_>) -> Found {
        match self {
            Over::Executions => Search::new(program, model).end(holds, slice),
            Over::Views => views::end(program, model, holds, slice),
        }
    }
}

impl Inquiry<'_> {
    pub(super) fn search(&self, over: Over, slice: &Budget<'_>) -> Result<Step, InternalError> {
        let argument = over.argument(self.model);
        let condition = self.program.condition();
        if condition.is_none() || can_fail(self.program) {
            let Found { what, end, stats } = over.failure(self.program, self.model, slice);
            self.pay(&stats);
            match (what, end) {
                (Some(finding), _) => return self.found(finding),
                (None, End::Exhausted) => {}
                (None, End::Bound(site)) => return Ok(Step::unsettled(argument, beyond(self.program, site))),
                (None, End::Cut(reason)) => return Ok(Step::unsettled(argument, reason)),
                (None, End::Found) => return Err(InternalError::new("a search that found nothing it can show")),
            }
        }
        let Some(condition) = condition else { return Ok(self.safe(argument)) };
        match self.search_endings(over, condition, self.model, slice)? {
            Collected::Endings(list, extent) => {
                let states = self.judge(list, extent);
                Ok(Step::Settled(Box::new(Verified { argument, states, race: None, failing: None })))
            }
            Collected::Race(race) => Ok(unsafe_by(None, Some(race))),
            Collected::GaveUp(reason, list) => {
                self.remember(condition, list)?;
                Ok(Step::unsettled(argument, reason))
            }
        }
    }

    /// A failure or a race was found.
    fn found(&self, Finding { what, evidence }: Finding) -> Result<Step, InternalError> {
        match what {
            What::Failure { site, kind } => {
                let run = run(self.program, self.model, evidence)?;
                let (failing, race) =
                    evidence::failing(self.program, self.model, run, site, &kind).map_err(|error| failed(&error))?;
                Ok(unsafe_by(Some(failing), race))
            }
            What::Race { .. } => Ok(unsafe_by(None, Some(race(self.program, self.model, evidence)?))),
            What::End => Err(InternalError::new("a search that found what nobody asked for")),
        }
    }

    /// The final states in a model.
    pub(super) fn search_endings(
        &self,
        over: Over,
        condition: &Condition,
        model: &dyn Model,
        slice: &Budget<'_>,
    ) -> Result<Collected, InternalError> {
        let (program, observed) = (self.program, condition.observed());
        collect(condition, |holds| {
            let found = over.end(program, model, holds, slice);
            let (asked, stats) = ask(program, model, found, &observed)?;
            self.pay(&stats);
            Ok(asked)
        })
    }
}

/// Is there a final state like this?
fn ask(
    program: &Program,
    model: &dyn Model,
    Found { what, end, stats }: Found,
    observed: &[Observable],
) -> Result<(Asked, Stats), InternalError> {
    let asked = match (what, end) {
        (Some(Finding { what: What::End, evidence }), _) => {
            let run = run(program, model, evidence)?;
            let ended = evidence::ending(program, model, run, observed).map_err(|error| failed(&error))?;
            ended.race.map_or(Asked::State(ended.values, ended.execution), Asked::Race)
        }
        (Some(Finding { what: What::Race { .. }, evidence }), _) => Asked::Race(race(program, model, evidence)?),
        (Some(_), _) | (None, End::Found) => {
            return Err(InternalError::new("a search that found what nobody asked for"));
        }
        (None, End::Exhausted) => Asked::Nothing,
        (None, End::Bound(site)) => Asked::GaveUp(beyond(program, site)),
        (None, End::Cut(reason)) => Asked::GaveUp(reason),
    };
    Ok((asked, stats))
}

/// What was found, as a graph that grows; a computation is followed on the literal machine first.
fn run(program: &Program, model: &dyn Model, evidence: Evidence) -> Result<GraphRun, InternalError> {
    match evidence {
        Evidence::Graph(run) => Ok(run),
        Evidence::Machine(computation) => {
            replay_computation(program, model, &computation).map_err(|error| failed(&error))
        }
    }
}

fn race(program: &Program, model: &dyn Model, evidence: Evidence) -> Result<Race, InternalError> {
    let race = evidence::race(program, model, run(program, model, evidence)?).map_err(|error| failed(&error))?;
    race.ok_or_else(|| InternalError::new("a search found a data race that is none"))
}

fn failed(error: &ReplayError) -> InternalError {
    InternalError::new(format!("what a search found does not replay: {error}"))
}
