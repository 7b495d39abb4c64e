//! SC runs, all of them: the answer under SC, and half of an argument under
//! every other model, which has these runs too.
//!
//! Exact, loops included. With a condition, final states are searched for one
//! by one, among states of threads and memory (`fencepost_search`).

use fencepost_explore::End;
use fencepost_model::models::sc::Sc;
use fencepost_verdict::{Argument, Budget, Ending, Extent, Reason, States, Verified};

use super::endings::Collected;
use super::searching::Over;
use super::{Inquiry, Step, evidence};
use crate::InternalError;
use crate::confirm::{beyond, replay_sc_failure};

/// What SC runs say.
#[derive(Default)]
pub(super) enum UnderSc {
    /// They have not been explored to the end.
    #[default]
    Unknown,
    /// They never will be.
    Closed,
    /// Nothing goes wrong.
    Quiet {
        /// Final states, if the program has a condition.
        endings: Vec<Ending>,
        /// What is not among them.
        extent: Extent,
    },
}

impl Inquiry<'_> {
    pub(super) fn explore(&self, slice: &Budget<'_>) -> Result<Step, InternalError> {
        let step = self.sc_runs(slice)?;
        let sc = &mut self.known().sc;
        if matches!(sc, UnderSc::Unknown) {
            *sc = UnderSc::Closed;
        }
        Ok(step)
    }

    fn sc_runs(&self, slice: &Budget<'_>) -> Result<Step, InternalError> {
        let argument = Argument::Exploration;
        let exploration = fencepost_explore::find_failure(self.program, self.options, slice);
        self.pay(&exploration.stats);
        replay_sc_failure(self.program, &Sc, exploration.sc_failure.as_ref())?;
        match (exploration.end, exploration.sc_failure, exploration.bound) {
            (_, Some(failure), _) => {
                let (failing, race) = evidence::under_sc(self.program, self.model, failure)?;
                let argument = if self.is_about_sc() { argument } else { Argument::Witness };
                let verified = Verified { argument, states: None, race, failing: Some(failing) };
                return Ok(Step::Settled(Box::new(verified)));
            }
            (End::GaveUp(reason), ..) => return Ok(Step::unsettled(argument, reason)),
            (_, None, Some(site)) => return Ok(Step::unsettled(argument, beyond(self.program, site))),
            (_, None, None) => {}
        }
        let (endings, extent) = match self.program.condition() {
            None => (Vec::new(), Extent::All),
            Some(condition) => match self.search_endings(Over::Executions, condition, &Sc, slice)? {
                Collected::Endings(list, extent) => (list, extent),
                Collected::GaveUp(reason, _) => return Ok(Step::unsettled(argument, reason)),
                Collected::Race(_) => return Err(InternalError::new("a data race under SC, which knows none")),
            },
        };
        if self.is_about_sc() {
            let states = self.judge(endings, extent);
            return Ok(Step::Settled(Box::new(Verified { argument, states, race: None, failing: None })));
        }
        if let Some(condition) = self.program.condition() {
            self.remember(condition, endings.clone())?;
        }
        self.known().sc = UnderSc::Quiet { endings, extent };
        let what = format!("nothing goes wrong under sc, but {} may permit more", self.model.name());
        Ok(Step::unsettled(argument, Reason::Inconclusive(what)))
    }

    /// The final states, if the program has a condition.
    pub(super) fn judge(&self, endings: Vec<Ending>, extent: Extent) -> Option<States> {
        self.program.condition().map(|condition| States::judge(condition, condition.observed(), endings, extent))
    }
}
