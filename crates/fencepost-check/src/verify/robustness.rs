//! Robustness: if the model permits no execution that SC does not, what SC runs say is all there is
//! to say.
//!
//! **Execution-graph robustness** (Lahav and Margalit, PLDI 2019, Def. 4.9; traces of machines:
//! Derevenetc, Meyer and Schweizer) keeps everything. A thread gets to where it fails, and all
//! threads get to their ends, by a graph, and this graph is one of SC. It includes the absence of
//! data races, as far as the model knows them. A model may declare that robustness against another
//! model, which permits more, is enough for it: SRA does, with release/acquire.
//!
//! **Observational robustness** (Margalit and Lahav, POPL 2021) keeps what the program depends on.
//! Let a thread fail in a consistent graph. Put the reads that nothing depends on where SC would
//! have them. The graph is then one of SC (Def. 4.9 there), with the same control flow. Now see
//! what failed:
//!
//! - An assertion is a control event, and so is an assignment that can divide by zero. The reads
//!   that they depend on were not touched, so they fail under SC too.
//! - An access that fails, by its index or a division in its operands, is not an event yet. But the
//!   search for tainted uses stops *at* an instruction whose operands are tainted, before it is
//!   executed. So in a program without such uses, its operands are those of an SC run as well.
//!
//! The content of registers that nobody uses is *not* kept. A condition on final states can see it,
//! so this argument is not for conditions.

use fencepost_explore::Options;
use fencepost_model::{Model, Robustness};
use fencepost_oracle::ReplayError;
use fencepost_verdict::{Argument, Budget, Race, RacingPair, Reason, Verdict, Verified, Violation, ViolationKind};

use super::exploration::UnderSc;
use super::{Inquiry, Step, evidence, unsafe_by};
use crate::{InternalError, Question};

/// The model that a program must be robust against.
fn weakened(model: &'static dyn Model) -> &'static dyn Model {
    match model.declaration().robustness {
        Robustness::Implied(weaker) => weaker,
        Robustness::Always | Robustness::Monitor | Robustness::Attacks => model,
    }
}

/// Is observational robustness offered for this model?
pub(super) fn knows_observation(model: &'static dyn Model) -> bool {
    matches!(weakened(model).declaration().robustness, Robustness::Monitor)
}

impl Inquiry<'_> {
    pub(super) fn robustness(&self, slice: &Budget<'_>, observational: bool) -> Result<Step, InternalError> {
        let argument = Argument::Robustness { observational };
        let model = weakened(self.model);
        // It takes both halves, and the other one is much cheaper.
        let (endings, extent) = match &self.known().sc {
            UnderSc::Quiet { endings, extent } => (endings.clone(), *extent),
            UnderSc::Unknown | UnderSc::Closed => {
                let reason = Reason::Inconclusive("it is not known what runs under sc do".into());
                return Ok(Step::unsettled(argument, reason));
            }
        };
        let outcome =
            Question::new(self.program, model).with(Options { observational, ..self.options }).robustness(slice)?;
        self.pay(&outcome.stats);
        if outcome.sc_failure.is_some() {
            return Err(InternalError::new("two searches do not agree on whether something fails under SC"));
        }
        match outcome.verdict {
            Verdict::Holds => {
                let endings = self.replayed(endings)?;
                let states = self.judge(endings, extent);
                Ok(Step::Settled(Box::new(Verified { argument, states, race: None, failing: None })))
            }
            Verdict::Violated(violation) => {
                if violation.kind == ViolationKind::DataRace
                    && let Some(race) = self.race_of(&violation, observational)?
                {
                    return Ok(unsafe_by(None, Some(race)));
                }
                let word = if observational { "observationally robust" } else { "robust" };
                let known = if observational { "not known to be" } else { "not" };
                let what = format!("the program is {known} {word} against {}", model.name());
                Ok(Step::unsettled(argument, Reason::Inconclusive(what)))
            }
            Verdict::Unknown(reason) => Ok(Step::unsettled(argument, reason)),
        }
    }
    /// The race that a check found, with its execution in this model.
    fn race_of(&self, violation: &Violation, observational: bool) -> Result<Option<Race>, InternalError> {
        if violation.run.steps.len() > evidence::LONGEST_RUN {
            let Violation { access, conflicting: other, location, .. } = *violation;
            let pair = RacingPair { access, other, location };
            return Ok((!observational).then_some(Race { pair, execution: None }));
        }
        let failed = |error: ReplayError| InternalError::new(format!("a race under SC does not replay: {error}"));
        match evidence::race_under_sc(self.program, self.model, violation).map_err(failed)? {
            // An observational check orders nothing by reads that may be stale. That all of them
            // can be stale in one execution of the model is not said, so it takes a race in this
            // one.
            None if !observational => Err(InternalError::new("a race that is none in the model")),
            race => Ok(race),
        }
    }
}
