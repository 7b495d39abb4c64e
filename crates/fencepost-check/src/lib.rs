//! The one place that answers questions: a [`Question`] about robustness or about safety.
//!
//! This crate chooses the engine, enforces the budget, replays what the engine found, and returns
//! one answer. It is the only crate that knows all engines, and the only one that turns a finding
//! into a verdict. Two rules hold without exception:
//!
//! - Nothing is a violation before the oracle, which evaluates the definitions literally, has
//!   replayed it.
//! - Nothing holds unless the engine has visited the whole state space.

mod buffers;
mod confirm;
mod consequences;
mod copies;
mod executions;
mod monitored;
mod question;
mod unbounded;
mod verify;

use std::fmt;

pub use buffers::Attacking;
pub use executions::Listing;
pub use fencepost_attack::{Delays, enough_delays};
pub use fencepost_crowd::Engines;
pub use fencepost_explore::{Options, Reductions};
pub use question::Question;
pub use verify::Engine;

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
