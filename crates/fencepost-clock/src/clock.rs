//! Vector clocks over slots: one epoch for each thread.
//!
//! The first [`LANES`] slots are part of the clock itself: most programs have few threads, and a
//! clock that is somewhere else is a line of the cache more to wait for when threads take turns.
//! The rest is an array as long as the highest slot it has heard of asks for, rounded up to
//! [`LANES`], so that joins are loops over whole vectors. Epochs stay below 2³¹ ([`LAST_EPOCH`]):
//! processors without an unsigned maximum then compute it as a signed one.

use std::array;

/// A thread's place in every clock.
pub type Slot = u16;

/// The last epoch there is; counters stay there.
pub(crate) const LAST_EPOCH: u32 = i32::MAX as u32;

/// Slots that are looked at together.
pub(crate) const LANES: usize = 8;

/// Epochs of as many slots as are joined at a time.
pub(crate) type Lanes = [u32; LANES];

/// A map from slots to epochs; 0 for a slot it has not heard of.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct Clock {
    /// The slots from `LANES` on.
    many: Box<[Lanes]>,
    few: Lanes,
}

/// The later epochs, into `mine`; what has changed, as bits.
#[inline(always)]
pub(crate) fn join_lanes(mine: &mut Lanes, theirs: &Lanes) -> Lanes {
    // Copies, so that it is clear that they are different lanes.
    let (before, theirs) = (*mine, *theirs);
    let later: Lanes = array::from_fn(|lane| (before[lane] as i32).max(theirs[lane] as i32) as u32);
    let difference = array::from_fn(|lane| later[lane] ^ before[lane]);
    *mine = later;
    difference
}

/// Sets the epoch at `index` of an array that grows.
#[inline]
fn set_among(lanes: &mut Box<[Lanes]>, index: usize, epoch: u32) {
    if index >= lanes.as_flattened().len() {
        grow(lanes, index / LANES + 1);
    }
    lanes.as_flattened_mut()[index] = epoch;
}

/// As [`join_lanes`], for arrays; what has changed, in any of them.
#[inline(never)]
fn join_many(mine: &mut Box<[Lanes]>, theirs: &[Lanes]) -> Lanes {
    if theirs.len() > mine.len() {
        grow(mine, theirs.len());
    }
    // The difference is summed up lane by lane, so that the loop stays one of whole vectors.
    let mut all = [0; LANES];
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        let difference = join_lanes(mine, theirs);
        all = array::from_fn(|lane| all[lane] | difference[lane]);
    }
    all
}

/// Makes an array equal to another, but for zeroes at its end.
#[inline(never)]
fn assign_many(mine: &mut Box<[Lanes]>, theirs: &[Lanes]) {
    if theirs.len() > mine.len() {
        grow(mine, theirs.len());
    }
    // Clocks are short: vectors copied one by one are faster than a call of memcpy.
    let (mine, rest) = mine.split_at_mut(theirs.len());
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine = *theirs;
    }
    rest.fill([0; LANES]);
}

/// The only place that allocates.
#[cold]
#[inline(never)]
fn grow(lanes: &mut Box<[Lanes]>, length: usize) {
    let mut grown = vec![[0; LANES]; length].into_boxed_slice();
    grown[..lanes.len()].copy_from_slice(lanes);
    *lanes = grown;
}

/// Is anything set?
#[inline(always)]
pub(crate) fn any(lanes: Lanes) -> bool {
    lanes.iter().fold(0, |all, lane| all | lane) != 0
}

/// Addresses in the first two lines of the cache that an array takes: with more of them the
/// processor sees what is going on.
#[inline(always)]
fn far(lanes: &[Lanes], fetch: &mut impl FnMut(*const u8)) {
    if !lanes.is_empty() {
        let first: *const u8 = lanes.as_ptr().cast();
        fetch(first);
        fetch(first.wrapping_add(64));
    }
}

impl Clock {
    /// The empty clock.
    pub fn new() -> Self {
        Clock::default()
    }

    /// The epoch of `slot`.
    #[inline]
    pub fn get(&self, slot: Slot) -> u32 {
        let slot = usize::from(slot);
        match self.few.get(slot) {
            Some(&epoch) => epoch,
            None => self.many.as_flattened().get(slot - LANES).copied().unwrap_or(0),
        }
    }

    /// Sets the epoch of `slot`, which is at most 2³¹ − 1.
    #[inline]
    pub fn set(&mut self, slot: Slot, epoch: u32) {
        debug_assert!(epoch <= LAST_EPOCH);
        let slot = usize::from(slot);
        match self.few.get_mut(slot) {
            Some(mine) => *mine = epoch,
            None => set_among(&mut self.many, slot - LANES, epoch),
        }
    }

    /// The later epoch of each slot. Did anything change?
    #[inline(always)]
    pub fn join(&mut self, other: &Clock) -> bool {
        let mut difference = join_lanes(&mut self.few, &other.few);
        if !other.many.is_empty() {
            let among_many = join_many(&mut self.many, &other.many);
            difference = array::from_fn(|lane| difference[lane] | among_many[lane]);
        }
        any(difference)
    }

    /// Becomes equal to `other`.
    #[inline]
    pub fn assign(&mut self, other: &Clock) {
        self.few = other.few;
        if !self.many.is_empty() || !other.many.is_empty() {
            assign_many(&mut self.many, &other.many);
        }
    }

    /// How many times [`LANES`] slots there are.
    #[inline(always)]
    pub(crate) fn blocks(&self) -> usize {
        1 + self.many.len()
    }

    /// The epochs of [`LANES`] slots.
    #[inline(always)]
    pub(crate) fn block(&self, block: usize) -> &Lanes {
        match block.checked_sub(1) {
            None => &self.few,
            Some(block) => self.many.get(block).unwrap_or(&[0; LANES]),
        }
    }

    /// Addresses near the slots that are not part of the clock itself, one for each line of the
    /// cache.
    #[inline(always)]
    pub(crate) fn far(&self, fetch: &mut impl FnMut(*const u8)) {
        far(&self.many, fetch);
    }

    /// Is every epoch of `other` at most the one here?
    #[inline]
    pub fn includes(&self, other: &Clock) -> bool {
        let includes = |mine: &Lanes, theirs: &Lanes| mine.iter().zip(theirs).all(|(mine, theirs)| mine >= theirs);
        let (shared, rest) = other.many.split_at(self.many.len().min(other.many.len()));
        includes(&self.few, &other.few)
            && self.many.iter().zip(shared).all(|(mine, theirs)| includes(mine, theirs))
            && rest.iter().flatten().all(|&theirs| theirs == 0)
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
