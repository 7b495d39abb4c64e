//! Choose the engine, enforce the budget, replay the witness, return one answer: a [`Question`] and its two ways to
//! be asked.
//!
//! This is the only place that knows all engines, and the only one that turns
//! what an engine found into a verdict: nothing is a violation before the
//! definitional oracle has replayed it, and nothing holds unless the engine
//! exhausted the state space.

mod buffers;
mod confirm;
mod monitored;
mod question;
mod unbounded;
mod verify;

use std::fmt;

pub use buffers::Attacking;
pub use fencepost_attack::{Delays, enough_delays};
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
