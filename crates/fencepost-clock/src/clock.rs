//! Vector clocks over slots: one epoch for each thread, in one flat array.
//!
//! Arrays are as long as the highest slot they have heard of asks for, rounded up to [`LANES`], so that joins are loops
//! over whole vectors. Epochs stay below 2³¹ ([`LAST_EPOCH`]): processors without an unsigned maximum then compute it as a
//! signed one.

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
        let mut difference = 0;
        for (mine, theirs) in self.epochs.chunks_exact_mut(LANES).zip(other.epochs.chunks_exact(LANES)) {
            for (mine, &theirs) in mine.iter_mut().zip(theirs) {
                let later = (*mine as i32).max(theirs as i32) as u32;
                difference |= later ^ *mine;
                *mine = later;
            }
        }
        difference != 0
    }

    /// Becomes equal to `other`.
    #[inline]
    pub fn assign(&mut self, other: &Clock) {
        let length = other.epochs.len();
        if length > self.epochs.len() {
            self.grow(length);
        }
        let (copied, rest) = self.epochs.split_at_mut(length);
        copied.copy_from_slice(&other.epochs);
        rest.fill(0);
    }

    /// Is every epoch of `other` at most the one here?
    #[inline]
    pub fn includes(&self, other: &Clock) -> bool {
        let common = self.epochs.len().min(other.epochs.len());
        let (shared, rest) = other.epochs.split_at(common);
        self.epochs.iter().zip(shared).all(|(mine, theirs)| mine >= theirs) && rest.iter().all(|&theirs| theirs == 0)
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
        self.hb.join(&other.hb) | self.s.join(&other.s)
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
