//! The second waist: what was decided, on what evidence, at what cost.
//!
//! Every engine ends in an [`Outcome`]; every report starts from one. Verdicts
//! are three-valued and honest: [`Verdict::Holds`] means the state space was
//! exhausted, a [`Violation`] was replayed by code that did not find it, and
//! everything else is [`Verdict::Unknown`] with its reason.

mod budget;
mod edits;
mod form;
mod outcome;
mod verification;
mod witness;

pub use budget::{Budget, Progress};
pub use edits::{Because, Edit, EditKind, Kept, Need, Plan, Relaxed, Repaired, Rest};
pub use form::Form;
pub use outcome::{Outcome, Property, Reason, Stats, Verdict};
pub use verification::{
    Argument, Attempt, Ending, Execution, Extent, Failing, FinalState, Frequency, Race, RacingPair, States,
    Verification, Verified,
};
pub use witness::{
    BufferStep, Candidate, Computation, Delay, GraphRun, GraphStep, Run, RunStep, ScFailure, ScFailureKind, Site,
    Violation, ViolationKind,
};
