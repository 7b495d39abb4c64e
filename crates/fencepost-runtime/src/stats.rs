//! What the runtime has seen, in numbers.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of one thread.
#[derive(Default)]
pub(crate) struct Counters {
    /// Atomic accesses.
    pub(crate) accesses: Cell<u64>,
    /// Fences.
    pub(crate) fences: u64,
    /// Windows cut by the bound of the history.
    pub(crate) cut: u64,
    /// Writes that were not seen, noticed by their value.
    pub(crate) out_of_sight: u64,
}

impl Counters {
    /// One more atomic access.
    #[inline]
    pub(crate) fn count_access(&self) {
        self.accesses.set(self.accesses.get() + 1);
    }
}

/// Counts of all threads that are over, and of what is not counted by thread.
pub(crate) static ACCESSES: AtomicU64 = AtomicU64::new(0);
pub(crate) static FENCES: AtomicU64 = AtomicU64::new(0);
pub(crate) static CUT: AtomicU64 = AtomicU64::new(0);
pub(crate) static OUT_OF_SIGHT: AtomicU64 = AtomicU64::new(0);
/// Atomic locations so far.
pub(crate) static LOCATIONS: AtomicU64 = AtomicU64::new(0);
/// Locations that were accessed with different sizes.
pub(crate) static MIXED: AtomicU64 = AtomicU64::new(0);
/// Switches between threads made by a schedule.
pub(crate) static SWITCHES: AtomicU64 = AtomicU64::new(0);

/// Adds what a thread has counted.
pub(crate) fn add(counters: &Counters) {
    ACCESSES.fetch_add(counters.accesses.get(), Ordering::Relaxed);
    FENCES.fetch_add(counters.fences, Ordering::Relaxed);
    CUT.fetch_add(counters.cut, Ordering::Relaxed);
    OUT_OF_SIGHT.fetch_add(counters.out_of_sight, Ordering::Relaxed);
}
