//! The definitions, evaluated: every graph that the axioms permit.
//!
//! Exact for every model, races included; for programs without loops, atomic
//! sections and bounds, as long as there are not too many graphs.

use fencepost_ir::{Observable, Program};
use fencepost_oracle::{Finals, ReplayError, finals};
use fencepost_verdict::{Argument, Budget, Ending, Extent, Failing, Race, Reason, States, Stats, Verified};

use super::{Inquiry, Step, evidence, has_bounds};
use crate::InternalError;

/// Most states ⟨q, G⟩ that are enumerated when nobody says how many.
const MOST_CONFIGURATIONS: u64 = 2_000_000;

/// Bytes of such a state, more or less.
const BYTES: u64 = 1 << 11;

/// Can the definitions be evaluated on this program?
pub(super) fn applies(program: &Program) -> Result<(), Reason> {
    let unsupported =
        |what: &str| Err(Reason::Unsupported(format!("the program has {what}: its executions cannot be enumerated")));
    if !program.is_loop_free() {
        unsupported("loops")
    } else if program.has_sections() {
        unsupported("atomic sections")
    } else if has_bounds(program) {
        unsupported("bounds")
    } else {
        Ok(())
    }
}

impl Inquiry<'_> {
    pub(super) fn enumerate(&mut self, slice: &Budget<'_>) -> Result<Step, InternalError> {
        let argument = Argument::Enumeration;
        if let Err(reason) = applies(self.program) {
            return Ok(self.closed(argument, reason));
        }
        let condition = self.program.condition();
        let observed = condition.map_or_else(Vec::new, |condition| condition.observed());
        let most = MOST_CONFIGURATIONS.min(slice.max_bytes / BYTES);
        let limit = slice.max_states.min(most);
        let Ok(found) = finals(self.program, self.model, &observed, limit, slice.expired) else {
            let reason = match (slice.expired)() {
                true => Reason::Time,
                false if limit == slice.max_states => Reason::States(limit),
                false if limit < MOST_CONFIGURATIONS => Reason::Memory(slice.max_bytes),
                false => Reason::TooLarge(format!("there are more than {limit} partial executions to enumerate")),
            };
            self.pay(&Stats { states: limit, ..Stats::default() });
            return Ok(self.gave_up(argument, reason));
        };
        self.pay(&Stats { states: found.configurations, ..Stats::default() });
        let finals = self
            .evidence(found, &observed)
            .map_err(|error| InternalError::new(format!("what was enumerated does not replay: {error}")))?;
        let (list, race, failing) = finals;
        let states = condition.map(|condition| States::judge(condition, observed, list, Extent::All));
        Ok(Step::Settled(Box::new(Verified { argument, states, race, failing })))
    }

    /// What was enumerated, with runs that are replayed.
    fn evidence(&self, found: Finals, observed: &[Observable]) -> Result<Replayed, ReplayError> {
        let (program, model) = (self.program, self.model);
        let mut examples = found.examples;
        let mut list = Vec::new();
        // Nobody will look at them if there is no condition.
        for (values, executions) in found.executions.into_iter().filter(|_| program.condition().is_some()) {
            let example = match examples.remove(&values) {
                Some(run) => Some(evidence::ending(program, model, run, observed)?.execution),
                None => None,
            };
            list.push((values, Some(executions), example));
        }
        let race = found.racing.map(|run| evidence::race(program, model, run)).transpose()?.flatten();
        let failing = match (found.failure, found.failing) {
            (Some((site, kind)), Some(run)) => Some(evidence::failing(program, model, run, site, &kind)?.0),
            _ => None,
        };
        Ok((list, race, failing))
    }
}

/// Final states, a race, a failure.
type Replayed = (Vec<Ending>, Option<Race>, Option<Failing>);
