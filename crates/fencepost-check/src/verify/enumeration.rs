//! Every graph that the axioms permit, each once: see `Search::executions`, which the oracle
//! judges.
//!
//! Exact for every model, races included; for programs without loops, atomic
//! sections and bounds, as long as there are not too many graphs.

use fencepost_ir::{Observable, Program};
use fencepost_oracle::ReplayError;
use fencepost_search::{Executions, Search};
use fencepost_verdict::{Argument, Budget, Ending, Extent, Failing, Race, Reason, States, Stats, Verified};

use super::{Inquiry, Step, evidence, has_bounds};
use crate::InternalError;

/// Can the executions of this program be enumerated?
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
    pub(super) fn enumerate(&self, slice: &Budget<'_>) -> Result<Step, InternalError> {
        let argument = Argument::Enumeration;
        if let Err(reason) = applies(self.program) {
            return Ok(Step::unsettled(argument, reason));
        }
        let condition = self.program.condition();
        let observed = condition.map_or_else(Vec::new, |condition| condition.observed());
        let (found, cut) = match Search::new(self.program, self.model).executions(&observed, 0, slice) {
            Ok(found) => found,
            Err(reason) => return Ok(Step::unsettled(argument, reason)),
        };
        self.pay(&Stats { states: found.nodes, ..Stats::default() });
        if let Some(reason) = cut {
            return Ok(Step::unsettled(argument, reason));
        }
        let finals = self
            .evidence(found, &observed)
            .map_err(|error| InternalError::new(format!("what was enumerated does not replay: {error}")))?;
        let (list, race, failing) = finals;
        let states = condition.map(|condition| States::judge(condition, observed, list, Extent::All));
        Ok(Step::Settled(Box::new(Verified { argument, states, race, failing })))
    }

    /// What was enumerated, with runs that are replayed.
    fn evidence(&self, found: Executions, observed: &[Observable]) -> Result<Replayed, ReplayError> {
        let (program, model) = (self.program, self.model);
        let mut list = Vec::new();
        // Nobody will look at them if there is no condition.
        for (values, (executions, run)) in found.endings.into_iter().filter(|_| program.condition().is_some()) {
            let example = evidence::ending(program, model, run, observed)?.execution;
            list.push((values, Some(executions), Some(example)));
        }
        let racing = found.race.map(|(_, _, run)| evidence::race(program, model, run)).transpose()?.flatten();
        let fails = |(site, kind, run)| evidence::failing(program, model, run, site, &kind);
        let failing = found.failure.map(fails).transpose()?.map(|(failing, _)| failing);
        Ok((list, racing, failing))
    }
}

/// Final states, a race, a failure.
type Replayed = (Vec<Ending>, Option<Race>, Option<Failing>);
