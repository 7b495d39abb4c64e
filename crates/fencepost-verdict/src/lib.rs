//! Answers: what was decided, on what evidence, at what cost.
//!
//! Every engine ends in an [`Outcome`], and every report starts from one. An answer has one of
//! three values:
//!
//! - [`Verdict::Holds`]: the whole state space was visited;
//! - [`Verdict::Violated`]: there is a [`Violation`], and code that did not find it has replayed
//!   it;
//! - [`Verdict::Unknown`]: everything else, with its reason.

mod budget;
mod consequences;
mod copies;
pub mod device;
mod edits;
mod form;
mod outcome;
mod verification;
mod witness;

pub use budget::{Budget, Disk, Forecast, Progress};
pub use consequences::{Consequence, Consequences, Rank, Scope};
pub use copies::{CopiesArgument, ForCopies, WithCopies};
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
