//! Threads that meet at the same locations again and again step back.
//!
//! Two threads that access the same few locations all the time wait for lines of the cache, not for
//! each other: a location takes five of them, and each access fetches them from the other
//! processor. One access after the other, by turns, is the slowest way. So a thread that finds a
//! location locked, for the second time in a short while, lets the other go on alone for a moment,
//! and has the location for itself in its own turn. The more often that happens, the longer the
//! moment. A thread may be slow at any time: no program may rely on it that it is not.
//!
//! Two kinds of accesses never step back, for others may wait for them:
//!
//! - Stores. They give locks back, and publish what others look for.
//! - Accesses of a thread that waits: it yields, or repeats a load. It goes on when it is its turn,
//!   and then others are after it in the queue.

use std::cell::Cell;

/// Pauses for the second collision in a row. Each has four times as many as the one before …
const FIRST: u32 = 50;
/// … but there are no more than this many steps.
const STEPS: u32 = 3;
/// After so many accesses without a collision it is as if there never was one.
const SHORT: u64 = 512;

/// The collisions of a thread.
#[derive(Default)]
pub(crate) struct Collisions {
    /// How many there were in a row, up to [`STEPS`].
    in_a_row: Cell<u32>,
    /// The accesses that the thread had made at the last one.
    last: Cell<u64>,
}

impl Collisions {
    /// One more, after so many accesses in all; for how many pauses the thread steps back.
    fn one_more(&self, accesses: u64) -> u32 {
        let is_new = accesses - self.last.get() > SHORT;
        let before = if is_new { 0 } else { self.in_a_row.get() };
        self.in_a_row.set((before + 1).min(STEPS));
        self.last.set(accesses);
        before.checked_sub(1).map_or(0, |step| FIRST << (2 * step))
    }

    /// One more, after so many accesses in all: the thread steps back.
    pub(crate) fn step_back(&self, accesses: u64) {
        (0..self.one_more(accesses)).for_each(|_| std::hint::spin_loop());
    }

    /// The thread waits for another one: what follows may be urgent.
    #[inline]
    pub(crate) fn forget(&self) {
        self.in_a_row.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::{Collisions, FIRST, SHORT};

    #[test]
    fn a_thread_steps_back_further_each_time() {
        let collisions = Collisions::default();
        let pauses: Vec<u32> = (1..6).map(|access| collisions.one_more(access)).collect();
        assert_eq!(pauses, [0, FIRST, 4 * FIRST, 16 * FIRST, 16 * FIRST]);
    }

    #[test]
    fn a_thread_that_waits_or_was_alone_does_not_step_back() {
        let collisions = Collisions::default();
        collisions.one_more(1);
        assert_eq!(collisions.one_more(1 + SHORT), FIRST);
        assert_eq!(collisions.one_more(2 + 2 * SHORT), 0);
        collisions.forget();
        assert_eq!(collisions.one_more(3 + 2 * SHORT), 0);
    }
}
