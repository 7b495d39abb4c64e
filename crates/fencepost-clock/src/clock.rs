//! Vector clocks over slots: one epoch for each thread, in one flat array.
//!
//! Arrays are as long as the highest slot they have heard of asks for, rounded up to [`LANES`], so that joins are loops
//! over whole vectors. Epochs stay below 2³¹ ([`LAST_EPOCH`]): processors without an unsigned maximum then compute it as a
//! signed one.

use std::array;

/// A thread's place in every clock.
pub type Slot = u16;

/// The last epoch there is; counters stay there.
pub(crate) const LAST_EPOCH: u32 = i32::MAX as u32;

/// Lengths are multiples of this.
const LANES: usize = 8;

/// A map from slots to epochs; 0 for a slot it has not heard of.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    epochs: Box<[u32]>,
}

impl Clock {
    /// The empty clock.
    pub fn new() -> Self {
        Clock::default()
    }

    /// The epoch of `slot`.
    #[inline]
    pub fn get(&self, slot: Slot) -> u32 {
        self.epochs.get(usize::from(slot)).copied().unwrap_or(0)
    }

    /// Sets the epoch of `slot`, which is at most 2³¹ − 1.
    #[inline]
    pub fn set(&mut self, slot: Slot, epoch: u32) {
        debug_assert!(epoch <= LAST_EPOCH);
        let slot = usize::from(slot);
        if slot >= self.epochs.len() {
            self.grow(slot + 1);
        }
        self.epochs[slot] = epoch;
    }

    /// The later epoch of each slot. Did anything change?
    #[inline]
    pub fn join(&mut self, other: &Clock) -> bool {
        if other.epochs.len() > self.epochs.len() {
            self.grow(other.epochs.len());
        }
        // The difference is summed up lane by lane, so that the loop stays one of whole vectors.
        let mut difference = [0; LANES];
        let mine = self.epochs.as_chunks_mut::<LANES>().0;
        for (mine, theirs) in mine.iter_mut().zip(other.epochs.as_chunks::<LANES>().0) {
            let later: [u32; LANES] = array::from_fn(|lane| (mine[lane] as i32).max(theirs[lane] as i32) as u32);
            difference = array::from_fn(|lane| difference[lane] | (later[lane] ^ mine[lane]));
            *mine = later;
        }
        difference.iter().fold(0, |all, lane| all | lane) != 0
    }

    /// Becomes equal to `other`.
    #[inline]
    pub fn assign(&mut self, other: &Clock) {
        let length = other.epochs.len();
        if length > self.epochs.len() {
            self.grow(length);
        }
        // Clocks are short: vectors copied one by one are faster than a call of memcpy, and memset is seldom needed.
        let mine = self.epochs.as_chunks_mut::<LANES>().0;
        for (mine, theirs) in mine.iter_mut().zip(other.epochs.as_chunks::<LANES>().0) {
            *mine = *theirs;
        }
        if length < self.epochs.len() {
            self.epochs[length..].fill(0);
        }
    }

    /// Is every epoch of `other` at most the one here?
    #[inline]
    pub fn includes(&self, other: &Clock) -> bool {
        let common = self.epochs.len().min(other.epochs.len());
        let (shared, rest) = other.epochs.split_at(common);
        self.epochs.iter().zip(shared).all(|(mine, theirs)| mine >= theirs) && rest.iter().all(|&theirs| theirs == 0)
    }

    /// Was it never given anything? (Then a join need not even be called, which is most of the cost of joining nothing.)
    #[inline]
    fn has_heard_of_nobody(&self) -> bool {
        self.epochs.is_empty()
    }

    /// The only place that allocates.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, length: usize) {
        let mut grown = vec![0; length.next_multiple_of(LANES)].into_boxed_slice();
        grown[..self.epochs.len()].copy_from_slice(&self.epochs);
        self.epochs = grown;
    }
}

/// What travels along happens-before: whose epochs are known, and (`s`) whose writes come before in the order of SC
/// accesses. The second part is empty in programs without SC accesses.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    pub(crate) hb: Clock,
    pub(crate) s: Clock,
}

impl View {
    /// Joins both parts. Did anything change?
    #[inline]
    pub(crate) fn join(&mut self, other: &View) -> bool {
        let mut changed = false;
        for (mine, theirs) in [(&mut self.hb, &other.hb), (&mut self.s, &other.s)] {
            if !theirs.has_heard_of_nobody() {
                changed |= mine.join(theirs);
            }
        }
        changed
    }

    /// Becomes equal to `other`.
    #[inline]
    pub(crate) fn assign(&mut self, other: &View) {
        self.hb.assign(&other.hb);
        self.s.assign(&other.s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(epochs: &[(Slot, u32)]) -> Clock {
        let mut clock = Clock::new();
        for &(slot, epoch) in epochs {
            clock.set(slot, epoch);
        }
        clock
    }

    #[test]
    fn join_takes_the_later_epoch_and_says_whether_there_was_one() {
        let mut a = clock(&[(0, 3), (9, 1)]);
        assert!(!a.join(&clock(&[(0, 2)])));
        assert!(a.join(&clock(&[(0, 2), (7, LAST_EPOCH), (40, 5)])));
        assert_eq!([0, 7, 9, 40, 41].map(|slot| a.get(slot)), [3, LAST_EPOCH, 1, 5, 0]);
        assert!(!a.join(&a.clone()));
    }

    #[test]
    fn assign_forgets_what_the_other_does_not_know() {
        let mut a = clock(&[(0, 3), (40, 1)]);
        a.assign(&clock(&[(1, 2)]));
        assert_eq!([0, 1, 40].map(|slot| a.get(slot)), [0, 2, 0]);
    }

    #[test]
    fn inclusion_does_not_depend_on_lengths() {
        let (short, long) = (clock(&[(0, 3)]), clock(&[(0, 2), (40, 1)]));
        assert!(!short.includes(&long) && !long.includes(&short));
        assert!(clock(&[(0, 3), (40, 0)]).includes(&short) && short.includes(&clock(&[(0, 3), (40, 0)])));
        assert!(short.includes(&Clock::new()) && Clock::new().includes(&Clock::new()));
    }
}
