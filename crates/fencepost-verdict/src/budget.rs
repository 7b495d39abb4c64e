//! Limits of an engine's work. Values and callbacks, so that no engine reads a clock, prints, or
//! touches a disk.

use fencepost_base::files::Files;

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

/// How large a search will be: an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// States found so far.
    pub known: u64,
    /// States that there will be, these included.
    pub expected: u64,
}

/// Where a search may leave what it does not want to lose, or has no room for.
#[derive(Clone, Copy)]
pub struct Disk<'a> {
    /// The files.
    pub files: &'a dyn Files,
    /// May states go there when memory runs short?
    pub spill: bool,
    /// Asked where a search could write down how far it is: is it time to? If nobody asks, it never
    /// does, and does not look for what an earlier process has written down.
    pub checkpoint: Option<&'a (dyn Fn() -> bool + Sync)>,
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
    /// Told how large a search will be, at the ends of its layers, by searches that can tell. If
    /// nobody wants to know, they do not find out.
    pub forecast: Option<&'a (dyn Fn(Forecast) + Sync)>,
    /// A disk, for searches that know what to do with one.
    pub disk: Option<Disk<'a>>,
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
            forecast: None,
            disk: None,
        }
    }
}
