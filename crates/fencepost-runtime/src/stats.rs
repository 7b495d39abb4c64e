//! What the runtime has seen, in numbers.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of one thread at a time, and of those before it: nobody else changes them, and they are
/// there when the process ends while the thread still runs. Aligned so that no two threads write to
/// the same line of the cache.
#[derive(Default)]
#[repr(align(64))]
pub(crate) struct Counters {
    /// Atomic accesses.
    pub(crate) accesses: Counter,
    /// Fences.
    pub(crate) fences: Counter,
    /// Windows cut by the bound of the history.
    pub(crate) cut: Counter,
    /// Writes that were not seen, noticed by their value.
    pub(crate) out_of_sight: Counter,
}

/// A number that one thread counts up and any may read.
#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// One more.
    #[inline]
    pub(crate) fn count(&self) {
        self.0.store(self.get() + 1, Ordering::Relaxed);
    }

    /// The number so far.
    #[inline]
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Atomic locations so far.
pub(crate) static LOCATIONS: AtomicU64 = AtomicU64::new(0);
/// Locations that were accessed with different sizes.
pub(crate) static MIXED: AtomicU64 = AtomicU64::new(0);
/// Switches between threads made by a schedule.
pub(crate) static SWITCHES: AtomicU64 = AtomicU64::new(0);
