//! D-clocks: which accesses must not be missed, by the order S of SC accesses and SC fences.
//!
//! Source: ISO C++20, [atomics.order] p3–4; the clocks are ours. For an SC event s, D(s) has every
//! access A such that
//!
//! - A is SC, and comes before s in S or is s, or
//! - A happens before an SC fence that comes before s in S or is s.
//!
//! An access *visits* a write if it made it or read it. The next access of a thread must not miss a
//! write (take an older one for the newest) iff a visitor of it
//!
//! 1. happens before the access,
//! 2. is in D(X) of an SC fence X that happens before the access, or
//! 3. is in D(s) of an SC access s that strongly happens before the access, which is SC too.
//!
//! Such a set is two clocks: `all` has every access up to an epoch of each thread, `sc` its SC
//! accesses up to an epoch. There are five of them ([`Set`]). Three travel along happens-before.
//! Two belong to a location: E(x), up to the newest write and beyond, is what the accesses to x
//! that are coherence-ordered before another one pass on to it.
//!
//! **What is left out.** A set is only ever used together with others, so it need not repeat what
//! they have:
//!
//! - All that was pending when a thread made an SC fence is in [`Set::Fences`] afterwards; D of the
//!   SC accesses that strongly happen before is pending by definition. So what is pending is the
//!   union of happens-before, [`Set::Fences`], [`Set::Accesses`] and [`Set::Pending`], and the last
//!   has only what is missing in the others.
//! - D of the thread's own SC accesses is in [`Set::Accesses`]. C++20 does not let a release store
//!   that is SC publish what it orders itself, so it publishes before that is added.
//! - A write does not publish E(x) of its own location: who reads it finds E(x) there.
//!
//! **Growing late is exact.** A clock that is not there has only zeroes. Before the first SC event
//! of a run all these sets are empty. D of the first SC fence is what happens before it, and that is
//! known. What an SC access orders goes to E(x), and from there to [`Set::Pending`] of whoever
//! accesses x, whether or not there will ever be an SC fence. Most programs need few clocks:
//!
//! | the program has | clocks |
//! |---|---|
//! | neither SC accesses nor SC fences | none |
//! | only SC accesses | `sc` of [`Set::Accesses`], E(x) |
//! | SC and other accesses | `sc` of [`Set::Pending`] too, where somebody needs it |
//! | SC fences, no SC accesses | `all` of [`Set::Fences`], [`Set::Pending`], E(x) |
//! | both | all |
//!
//! **Marks.** Sets that travel are marked with a slot and an epoch: who knows that epoch of that
//! slot has them. So they are copied, or joined, only if they have changed.

use std::array;

use crate::clock::{Clock, LANES, Lanes, Slot, any, join_lanes};

/// A set of accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Set {
    /// D of the SC accesses that strongly happen before, were the next access SC.
    Accesses,
    /// Of a location: what its newest write, and accesses before it, pass on.
    Written,
    /// What else would be in D of an SC fence.
    Pending,
    /// Of a location: what reads since the newest write pass on.
    Read,
    /// D of the SC fences that happen before.
    Fences,
}

/// How many there are.
const SETS: usize = 5;

impl Set {
    #[inline(always)]
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Those that travel along happens-before.
const TRAVELLING: [Set; 3] = [Set::Accesses, Set::Pending, Set::Fences];
const TRAVELLING_BITS: u8 = Set::Accesses.bit() | Set::Pending.bit() | Set::Fences.bit();

/// A slot and an epoch of it.
pub(crate) type Mark = (Slot, u32);

/// A mark that says nothing: an epoch that nobody knows.
pub(crate) const UNMARKED: Mark = (0, u32::MAX);

/// A clock for each set. In this order, so that what programs without SC fences need lies together.
#[derive(Clone, Debug, Default)]
#[repr(C)]
struct Part {
    /// Which sets are not empty: the clocks of the others are stale.
    sets: u8,
    /// Who knows this epoch of this slot has the sets that travel.
    by: Slot,
    since: u32,
    /// The slots from `LANES` on.
    many: Box<[[Lanes; SETS]]>,
    few: [Lanes; SETS],
}

/// Where `mine` is later than `theirs`.
#[inline(always)]
fn exceeds(mine: &Lanes, theirs: &Lanes) -> Lanes {
    array::from_fn(|lane| if mine[lane] as i32 > theirs[lane] as i32 { u32::MAX } else { 0 })
}

#[inline(always)]
fn and(a: Lanes, b: Lanes) -> Lanes {
    array::from_fn(|lane| a[lane] & b[lane])
}

impl Part {
    #[inline(always)]
    fn has(&self, set: Set) -> bool {
        self.sets & set.bit() != 0
    }

    #[inline]
    fn get(&self, set: Set, slot: Slot) -> u32 {
        let slot = usize::from(slot);
        match self.block(slot / LANES) {
            Some(block) if self.has(set) => block[set as usize][slot % LANES],
            _ => 0,
        }
    }

    #[inline]
    fn set(&mut self, set: Set, slot: Slot, epoch: u32) {
        if !self.has(set) {
            self.clear(set);
        }
        let slot = usize::from(slot);
        match slot.checked_sub(LANES) {
            None => self.few[set as usize][slot] = epoch,
            Some(far) => {
                self.make_room(far / LANES + 1);
                self.many[far / LANES][set as usize][far % LANES] = epoch;
            }
        }
    }

    /// The set is empty, and its clock is not stale.
    fn clear(&mut self, set: Set) {
        self.sets |= set.bit();
        self.few[set as usize] = [0; LANES];
        self.many.iter_mut().for_each(|block| block[set as usize] = [0; LANES]);
    }

    /// The clocks of [`LANES`] slots, if there are any.
    #[inline(always)]
    fn block(&self, block: usize) -> Option<&[Lanes; SETS]> {
        match block.checked_sub(1) {
            None => Some(&self.few),
            Some(block) => self.many.get(block),
        }
    }

    #[inline(always)]
    fn make_room(&mut self, many: usize) {
        if self.many.len() < many {
            self.grow(many);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, many: usize) {
        let mut grown = vec![[[0; LANES]; SETS]; many].into_boxed_slice();
        grown[..self.many.len()].copy_from_slice(&self.many);
        self.many = grown;
    }

    /// Adds `source` of another to `set`. Did anything change?
    #[inline(always)]
    fn join(&mut self, set: Set, other: &Part, source: Set) -> bool {
        if !other.has(source) {
            return false;
        }
        let changed = if self.has(set) {
            any(join_lanes(&mut self.few[set as usize], &other.few[source as usize]))
        } else {
            self.few[set as usize] = other.few[source as usize];
            true
        };
        let changed_many =
            (!other.many.is_empty() || !self.many.is_empty()) && self.join_many(set, &other.many, source);
        self.sets |= set.bit();
        changed | changed_many
    }

    #[inline(never)]
    fn join_many(&mut self, set: Set, other: &[[Lanes; SETS]], source: Set) -> bool {
        self.make_room(other.len());
        if !self.has(set) {
            self.many.iter_mut().for_each(|block| block[set as usize] = [0; LANES]);
        }
        let mut all = [0; LANES];
        for (mine, theirs) in self.many.iter_mut().zip(other) {
            let difference = join_lanes(&mut mine[set as usize], &theirs[source as usize]);
            all = array::from_fn(|lane| all[lane] | difference[lane]);
        }
        any(all)
    }

    /// Adds `source` to `set`.
    fn join_within(&mut self, set: Set, source: Set) {
        if !self.has(source) {
            return;
        }
        if !self.has(set) {
            self.clear(set);
        }
        for block in std::iter::once(&mut self.few).chain(&mut self.many) {
            let theirs = block[source as usize];
            join_lanes(&mut block[set as usize], &theirs);
        }
    }

    /// Adds all up to the epochs of a clock to `set`.
    fn join_clock(&mut self, set: Set, clock: &Clock) {
        if !self.has(set) {
            self.clear(set);
        }
        self.make_room(clock.blocks() - 1);
        for (number, block) in std::iter::once(&mut self.few).chain(&mut self.many).enumerate() {
            join_lanes(&mut block[set as usize], clock.block(number));
        }
    }

    /// The sets that travel become those of `other`, with its mark.
    #[inline(always)]
    fn assign(&mut self, other: &Part) {
        debug_assert!((other.by, other.since) != UNMARKED, "threads mark what they know");
        if (self.by, self.since) == (other.by, other.since) {
            return;
        }
        (self.by, self.since) = (other.by, other.since);
        self.sets = self.sets & !TRAVELLING_BITS | other.sets & TRAVELLING_BITS;
        for set in TRAVELLING {
            if other.has(set) {
                self.few[set as usize] = other.few[set as usize];
            }
        }
        if !other.many.is_empty() || !self.many.is_empty() {
            self.assign_many(&other.many);
        }
    }

    #[inline(never)]
    fn assign_many(&mut self, other: &[[Lanes; SETS]]) {
        self.make_room(other.len());
        for (number, mine) in self.many.iter_mut().enumerate() {
            let theirs = other.get(number).unwrap_or(&[[0; LANES]; SETS]);
            for set in TRAVELLING {
                mine[set as usize] = theirs[set as usize];
            }
        }
    }

    /// Where `wanted` is later than in any of these sets, as far as it is among `missing`.
    #[inline(always)]
    fn missing(&self, block: usize, sets: impl IntoIterator<Item = Set>, wanted: &Lanes, missing: Lanes) -> Lanes {
        let mut missing = missing;
        if let Some(clocks) = self.block(block) {
            for set in sets {
                if self.has(set) {
                    missing = and(missing, exceeds(wanted, &clocks[set as usize]));
                }
            }
        }
        missing
    }
}

/// Sets of accesses, as far as there are any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Covers {
    /// Every access up to an epoch.
    all: Option<Box<Part>>,
    /// SC accesses up to an epoch.
    sc: Option<Box<Part>>,
}

#[cold]
#[inline(never)]
fn fresh() -> Box<Part> {
    Box::default()
}

/// As [`Part::join`], for parts that may not be there.
#[inline(always)]
fn join(mine: &mut Option<Box<Part>>, set: Set, theirs: &Option<Box<Part>>, source: Set) -> bool {
    match theirs {
        Some(theirs) if theirs.has(source) => mine.get_or_insert_with(fresh).join(set, theirs, source),
        _ => false,
    }
}

/// The sets that travel are joined if they are news, and have this mark if that changes anything.
#[inline(always)]
fn acquire(hb: &Clock, mine: &mut Option<Box<Part>>, theirs: &Option<Box<Part>>, mark: Mark) -> bool {
    let Some(theirs) = theirs else { return false };
    if hb.get(theirs.by) >= theirs.since {
        return false;
    }
    let mine = mine.get_or_insert_with(fresh);
    let changed = TRAVELLING.into_iter().fold(false, |changed, set| changed | mine.join(set, theirs, set));
    if changed {
        (mine.by, mine.since) = mark;
    }
    changed
}

/// As [`Part::assign`], for parts that may not be there.
#[inline(always)]
fn assign(mine: &mut Option<Box<Part>>, theirs: &Option<Box<Part>>) {
    match (mine, theirs) {
        (mine, Some(theirs)) => mine.get_or_insert_with(fresh).assign(theirs),
        (Some(mine), None) => {
            mine.sets &= !TRAVELLING_BITS;
            (mine.by, mine.since) = (0, 0);
        }
        (None, None) => {}
    }
}

impl Covers {
    /// Is there nothing in any set?
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_none() && self.sc.is_none()
    }

    /// The epoch of the last SC access of `slot` in `set`.
    #[inline]
    pub(crate) fn last_sc(&self, set: Set, slot: Slot) -> u32 {
        self.sc.as_ref().map_or(0, |sc| sc.get(set, slot))
    }

    /// Adds the SC accesses of `slot` up to `epoch`, to a set of a location.
    #[inline]
    pub(crate) fn set_last_sc(&mut self, set: Set, slot: Slot, epoch: u32) {
        self.sc.get_or_insert_with(fresh).set(set, slot, epoch);
    }

    /// Adds the SC accesses of `slot` up to `epoch`, to a set that travels.
    #[inline]
    pub(crate) fn learn_last_sc(&mut self, set: Set, slot: Slot, epoch: u32, mark: Mark) {
        let sc = self.sc.get_or_insert_with(fresh);
        sc.set(set, slot, epoch);
        (sc.by, sc.since) = mark;
    }

    /// Is an access of `slot` in its epoch `k` in `set`?
    #[inline]
    pub(crate) fn has(&self, set: Set, slot: Slot, k: u32, is_sc: bool) -> bool {
        let is_in = |part: &Option<Box<Part>>| part.as_ref().is_some_and(|part| part.get(set, slot) >= k);
        is_in(&self.all) || is_sc && is_in(&self.sc)
    }

    /// A location gets `source` of a thread.
    #[inline]
    pub(crate) fn join_set(&mut self, set: Set, other: &Covers, source: Set) {
        join(&mut self.all, set, &other.all, source);
        join(&mut self.sc, set, &other.sc, source);
    }

    /// A thread, which is at `mark`, gets what a location has up to the newest write. Did anything
    /// change?
    #[inline]
    pub(crate) fn learn(&mut self, set: Set, location: &Covers, mark: Mark) -> bool {
        let mut changed = false;
        for (mine, theirs) in [(&mut self.all, &location.all), (&mut self.sc, &location.sc)] {
            if join(mine, set, theirs, Set::Written)
                && let Some(mine) = mine
            {
                (mine.by, mine.since) = mark;
                changed = true;
            }
        }
        changed
    }

    /// What an SC fence at `mark` orders, where `hb` happens before, goes to [`Set::Fences`].
    pub(crate) fn order_fence(&mut self, hb: &Clock, mark: Mark) {
        self.all.get_or_insert_with(fresh).join_clock(Set::Fences, hb);
        for part in [&mut self.all, &mut self.sc].into_iter().flatten() {
            part.join_within(Set::Fences, Set::Accesses);
            part.join_within(Set::Fences, Set::Pending);
            (part.by, part.since) = mark;
        }
    }

    /// [`Set::Read`] goes to [`Set::Written`].
    #[inline]
    pub(crate) fn write_read(&mut self) {
        for part in [&mut self.all, &mut self.sc].into_iter().flatten() {
            if part.has(Set::Read) {
                part.join_within(Set::Written, Set::Read);
                part.sets &= !Set::Read.bit();
            }
        }
    }

    /// Is there anything in [`Set::Read`] of SC accesses?
    #[inline]
    pub(crate) fn has_read_sc(&self) -> bool {
        self.sc.as_ref().is_some_and(|sc| sc.has(Set::Read))
    }

    /// Is `source` of a thread in E(x)?
    #[inline]
    pub(crate) fn passes_on(&self, other: &Covers, source: Set) -> bool {
        [(&self.all, &other.all), (&self.sc, &other.sc)].into_iter().all(|(mine, theirs)| match (mine, theirs) {
            (_, None) => true,
            (None, Some(theirs)) => !theirs.has(source),
            (Some(mine), Some(theirs)) => {
                !theirs.has(source)
                    || (0..=theirs.many.len()).all(|block| {
                        let wanted = theirs.block(block).map_or([0; LANES], |clocks| clocks[source as usize]);
                        let missing = exceeds(&wanted, &[0; LANES]);
                        !any(mine.missing(block, [Set::Written, Set::Read], &wanted, missing))
                    })
            }
        })
    }

    /// Would all of E(x) up to the newest write be in D of an SC fence, where `hb` happens before?
    #[inline]
    pub(crate) fn is_pending(&self, hb: &Clock, location: &Covers) -> bool {
        let is_there = |theirs: &Option<Box<Part>>, parts: &[&Option<Box<Part>>]| {
            let Some(theirs) = theirs else { return true };
            !theirs.has(Set::Written)
                || (0..=theirs.many.len()).all(|block| {
                    let wanted = theirs.block(block).map_or([0; LANES], |clocks| clocks[Set::Written as usize]);
                    let mut missing = exceeds(&wanted, hb.block(block));
                    for part in parts.iter().copied().flatten() {
                        missing = part.missing(block, TRAVELLING, &wanted, missing);
                    }
                    !any(missing)
                })
        };
        is_there(&location.all, &[&self.all]) && is_there(&location.sc, &[&self.all, &self.sc])
    }

    /// Adds the sets that travel, where `hb` is known with those that are here.
    #[inline]
    pub(crate) fn acquire(&mut self, hb: &Clock, other: &Covers, mark: Mark) -> bool {
        acquire(hb, &mut self.all, &other.all, mark) | acquire(hb, &mut self.sc, &other.sc, mark)
    }

    /// The sets that travel become those of `other`.
    #[inline]
    pub(crate) fn assign(&mut self, other: &Covers) {
        assign(&mut self.all, &other.all);
        assign(&mut self.sc, &other.sc);
    }

    /// Addresses in the lines of the cache where sets are.
    #[inline(always)]
    pub(crate) fn far(&self, fetch: &mut impl FnMut(*const u8)) {
        for part in [&self.all, &self.sc].into_iter().flatten() {
            let first: *const u8 = (&raw const **part).cast();
            for line in 0..size_of::<Part>().div_ceil(64) {
                fetch(first.wrapping_add(64 * line));
            }
        }
    }
}
