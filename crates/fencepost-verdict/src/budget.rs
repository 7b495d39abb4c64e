//! Limits of an engine's work. Values and callbacks, so that no engine reads a clock or prints.

use crate::device::Device;

/// How far a search has got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// States found so far.
    pub states: u64,
    /// States found but not yet expanded.
    pub frontier: u64,
    /// Length of the runs being extended.
    pub depth: u64,
    /// Bytes in use for states.
    pub bytes: u64,
}

/// How much work is allowed.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// Greatest number of states to store.
    pub max_states: u64,
    /// Greatest number of bytes to use for states.
    pub max_bytes: u64,
    /// Asked every few thousand steps: is it time to give up?
    pub expired: &'a (dyn Fn() -> bool + Sync),
    /// The part of the time that is used up, from 0 to 1; always 0 where there is no limit. For
    /// whoever divides a budget.
    pub spent: &'a (dyn Fn() -> f64 + Sync),
    /// Told every few thousand steps.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Told at some of these steps, the same ones in every run, whatever the number of threads.
    /// Whoever shares a budget may let the search wait there.
    pub rest: &'a (dyn Fn(Progress) + Sync),
    /// Where to search instead of on the processor, as far as that is possible.
    pub device: Option<&'a dyn Device>,
}

impl Budget<'_> {
    /// For a search on one thread, all of whose steps are the same in every run: tells how far it
    /// is, where it may have to wait.
    pub fn report(&self, progress: Progress) {
        (self.progress)(progress);
        (self.rest)(progress);
    }
}

impl Budget<'static> {
    /// No limits, no progress.
    pub fn unlimited() -> Self {
        Budget {
            max_states: u64::MAX,
            max_bytes: u64::MAX,
            expired: &|| false,
            spent: &|| 0.0,
            progress: &|_| {},
            rest: &|_| {},
            device: None,
        }
    }
}
