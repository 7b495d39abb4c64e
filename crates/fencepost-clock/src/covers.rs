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
//! slot has them all. So they are copied, or joined, only if they have changed.

use std::array;

use crate::clock::{Clock, LANES, Lanes, Slot, any, far, join_lanes};

/// A set of accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Set {
    /// D of the SC fences that happen before.
    Fences,
    /// D of the SC accesses that strongly happen before, were the next access SC.
    Accesses,
    /// What else would be in D of an SC fence.
    Pending,
    /// Of a location: what its newest write, and accesses before it, pass on.
    Written,
    /// Of a location: what reads since the newest write pass on.
    Read,
}

/// A clock among others: a bit of its own.
type Kind = u32;

impl Set {
    /// The clock of all accesses. Those that travel come before the clocks of SC accesses.
    const fn all(self) -> Kind {
        match self {
            Set::Fences => 1 << 0,
            Set::Accesses => 1 << 1,
            Set::Pending => 1 << 2,
            Set::Written => 1 << 6,
            Set::Read => 1 << 7,
        }
    }

    /// The clock of SC accesses.
    const fn sc(self) -> Kind {
        match self {
            Set::Fences => 1 << 3,
            Set::Accesses => 1 << 4,
            Set::Pending => 1 << 5,
            Set::Written => 1 << 8,
            Set::Read => 1 << 9,
        }
    }
}

/// Clocks that travel along happens-before.
const TRAVELLING: u32 = 0b11_1111;
/// Those of them that have all accesses.
const TRAVELLING_ALL: u32 = 0b00_0111;

/// How many kinds there are in each set of kinds.
const COUNT: [u8; 1 << 10] = {
    let mut count = [0; 1 << 10];
    let mut kinds = 0;
    while kinds < count.len() {
        count[kinds] = kinds.count_ones() as u8;
        kinds += 1;
    }
    count
};

fn count(kinds: u32) -> usize {
    usize::from(COUNT[kinds as usize])
}

/// A slot and an epoch of it.
pub(crate) type Mark = (Slot, u32);

/// A mark that says nothing: an epoch that nobody knows.
pub(crate) const UNMARKED: Mark = (0, u32::MAX);

/// What is in the first lanes.
mod head {
    /// Which clocks there are.
    pub(super) const KINDS: usize = 0;
    /// For how many times as many slots as there are lanes.
    pub(super) const BLOCKS: usize = 1;
    /// The mark.
    pub(super) const BY: usize = 2;
    pub(super) const SINCE: usize = 3;
    /// Is there anything in [`super::Set::Read`]? Otherwise it is stale.
    pub(super) const HAS_READ: usize = 4;
}

/// The sets there are, in one array: a head, then for each [`LANES`] slots the lanes of each clock.
/// It takes no space before it is given something.
#[derive(Clone, Debug, Default)]
pub(crate) struct Covers(Box<[Lanes]>);

/// Where `mine` is later than `theirs`.
#[inline(always)]
fn exceeds(mine: &Lanes, theirs: &Lanes) -> Lanes {
    array::from_fn(|lane| if mine[lane] as i32 > theirs[lane] as i32 { u32::MAX } else { 0 })
}

#[inline(always)]
fn and(a: Lanes, b: Lanes) -> Lanes {
    array::from_fn(|lane| a[lane] & b[lane])
}

#[inline(always)]
fn or(a: Lanes, b: Lanes) -> Lanes {
    array::from_fn(|lane| a[lane] | b[lane])
}

impl Covers {
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline(always)]
    fn head(&self, field: usize) -> u32 {
        self.0.first().map_or(0, |head| head[field])
    }

    #[inline(always)]
    fn kinds(&self) -> u32 {
        self.head(head::KINDS)
    }

    #[inline(always)]
    fn blocks(&self) -> usize {
        self.head(head::BLOCKS) as usize
    }

    /// Who knows this has all sets that travel.
    #[inline(always)]
    pub(crate) fn mark(&self) -> Mark {
        (self.head(head::BY) as Slot, self.head(head::SINCE))
    }

    #[inline(always)]
    pub(crate) fn set_mark(&mut self, (by, since): Mark) {
        if let Some(head) = self.0.first_mut() {
            (head[head::BY], head[head::SINCE]) = (u32::from(by), since);
        }
    }

    /// Is there anything in [`Set::Read`]?
    #[inline(always)]
    pub(crate) fn has_read(&self) -> bool {
        self.head(head::HAS_READ) != 0
    }

    #[inline(always)]
    fn set_has_read(&mut self, has_read: bool) {
        if let Some(head) = self.0.first_mut() {
            head[head::HAS_READ] = u32::from(has_read);
        }
    }

    /// Where the first lanes of a clock are, and how far it is to the next.
    #[inline(always)]
    fn place(&self, kind: Kind) -> (usize, usize) {
        let kinds = self.kinds();
        (1 + count(kinds & (kind - 1)), count(kinds))
    }

    /// Makes sure that there are these clocks, for at least so many blocks.
    #[inline(always)]
    fn make_room(&mut self, kinds: u32, blocks: usize) {
        if self.kinds() & kinds != kinds || self.blocks() < blocks {
            self.grow(kinds, blocks);
        }
    }

    /// The only place that allocates.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, kinds: u32, blocks: usize) {
        let old = std::mem::take(self);
        let (kinds, blocks) = (kinds | old.kinds(), blocks.max(old.blocks()).max(1));
        self.0 = vec![[0; LANES]; 1 + blocks * count(kinds)].into_boxed_slice();
        self.0[0] = old.0.first().copied().unwrap_or_default();
        (self.0[0][head::KINDS], self.0[0][head::BLOCKS]) = (kinds, blocks as u32);
        for kind in kinds_of(old.kinds()) {
            let ((to, step), (from, old_step)) = (self.place(kind), old.place(kind));
            for block in 0..old.blocks() {
                self.0[to + block * step] = old.0[from + block * old_step];
            }
        }
    }

    #[inline]
    fn get(&self, kind: Kind, slot: Slot) -> u32 {
        let (block, lane) = (usize::from(slot) / LANES, usize::from(slot) % LANES);
        if self.kinds() & kind == 0 || block >= self.blocks() {
            return 0;
        }
        let (at, step) = self.place(kind);
        self.0[at + block * step][lane]
    }

    #[inline]
    fn set(&mut self, kind: Kind, slot: Slot, epoch: u32) {
        let (block, lane) = (usize::from(slot) / LANES, usize::from(slot) % LANES);
        self.make_room(kind, block + 1);
        let (at, step) = self.place(kind);
        self.0[at + block * step][lane] = epoch;
    }

    /// The epoch of the last SC access of `slot` in `set`.
    #[inline]
    pub(crate) fn last_sc(&self, set: Set, slot: Slot) -> u32 {
        self.get(set.sc(), slot)
    }

    /// Adds the SC accesses of `slot` up to `epoch`.
    #[inline]
    pub(crate) fn set_last_sc(&mut self, set: Set, slot: Slot, epoch: u32) {
        self.set(set.sc(), slot, epoch);
    }

    /// Is an access of `slot` in its epoch `k` in `set`?
    #[inline]
    pub(crate) fn has(&self, set: Set, slot: Slot, k: u32, is_sc: bool) -> bool {
        self.get(set.all(), slot) >= k || is_sc && self.get(set.sc(), slot) >= k
    }

    /// Adds `source` of another to `set`. Did anything change?
    #[inline]
    pub(crate) fn join_set(&mut self, set: Set, other: &Covers, source: Set) -> bool {
        self.join_clock_of(set.all(), other, source.all()) | self.join_clock_of(set.sc(), other, source.sc())
    }

    #[inline(always)]
    fn join_clock_of(&mut self, kind: Kind, other: &Covers, source: Kind) -> bool {
        if other.kinds() & source == 0 {
            return false;
        }
        self.make_room(kind, other.blocks());
        let ((to, step), (from, other_step)) = (self.place(kind), other.place(source));
        let mut all = [0; LANES];
        for block in 0..other.blocks() {
            let difference = join_lanes(&mut self.0[to + block * step], &other.0[from + block * other_step]);
            all = or(all, difference);
        }
        any(all)
    }

    /// Adds `source` to `set`.
    pub(crate) fn join_within(&mut self, set: Set, source: Set) {
        for (kind, source) in [(set.all(), source.all()), (set.sc(), source.sc())] {
            if self.kinds() & source != 0 {
                self.make_room(kind, 0);
                let ((to, step), (from, _)) = (self.place(kind), self.place(source));
                for block in 0..self.blocks() {
                    let theirs = self.0[from + block * step];
                    join_lanes(&mut self.0[to + block * step], &theirs);
                }
            }
        }
    }

    /// Adds all accesses up to the epochs of a clock to `set`.
    pub(crate) fn join_clock(&mut self, set: Set, clock: &Clock) {
        self.make_room(set.all(), clock.blocks());
        let (to, step) = self.place(set.all());
        for block in 0..clock.blocks() {
            join_lanes(&mut self.0[to + block * step], clock.block(block));
        }
    }

    /// [`Set::Read`] goes to [`Set::Written`].
    #[inline]
    pub(crate) fn write_read(&mut self) {
        if self.has_read() {
            self.join_within(Set::Written, Set::Read);
            self.set_has_read(false);
        }
    }

    /// Adds `source` of another to [`Set::Read`].
    #[inline]
    pub(crate) fn read(&mut self, other: &Covers, source: Set) {
        if !self.has_read() {
            self.clear(Set::Read);
        }
        self.join_set(Set::Read, other, source);
        self.set_has_read(true);
    }

    fn clear(&mut self, set: Set) {
        for kind in kinds_of(self.kinds() & (set.all() | set.sc())) {
            let (at, step) = self.place(kind);
            for block in 0..self.blocks() {
                self.0[at + block * step] = [0; LANES];
            }
        }
    }

    /// Is `source` of another in E(x)?
    pub(crate) fn passes_on(&self, other: &Covers, source: Set) -> bool {
        let sets = if self.has_read() { &[Set::Written, Set::Read][..] } else { &[Set::Written] };
        let is_there = |source: Kind, kind: fn(Set) -> Kind| {
            let (from, step) = other.place(source);
            other.kinds() & source == 0
                || (0..other.blocks()).all(|block| {
                    let wanted = &other.0[from + block * step];
                    let kinds = sets.iter().fold(0, |kinds, &set| kinds | kind(set));
                    !any(self.missing(wanted, [u32::MAX; LANES], block, kinds))
                })
        };
        is_there(source.all(), Set::all) && is_there(source.sc(), Set::sc)
    }

    /// Where `wanted` is later than all these clocks, as far as it is among `missing`.
    #[inline(always)]
    fn missing(&self, wanted: &Lanes, mut missing: Lanes, block: usize, kinds: u32) -> Lanes {
        if block < self.blocks() {
            for kind in kinds_of(self.kinds() & kinds) {
                let (at, step) = self.place(kind);
                missing = and(missing, exceeds(wanted, &self.0[at + block * step]));
            }
            missing
        } else {
            and(missing, exceeds(wanted, &[0; LANES]))
        }
    }

    /// Would all of E(x) up to the newest write be in D of an SC fence, where `hb` happens before?
    pub(crate) fn is_pending(&self, hb: &Clock, location: &Covers) -> bool {
        let is_there = |source: Kind, kinds: u32| {
            let (from, step) = location.place(source);
            location.kinds() & source == 0
                || (0..location.blocks()).all(|block| {
                    let wanted = &location.0[from + block * step];
                    !any(self.missing(wanted, exceeds(wanted, hb.block(block)), block, kinds))
                })
        };
        is_there(Set::Written.all(), TRAVELLING_ALL) && is_there(Set::Written.sc(), TRAVELLING)
    }

    /// Adds the sets that travel, and has this mark if that changes anything.
    #[inline]
    pub(crate) fn join(&mut self, other: &Covers, mark: Mark) -> bool {
        let mut changed = false;
        for kind in kinds_of(other.kinds() & TRAVELLING) {
            changed |= self.join_clock_of(kind, other, kind);
        }
        if changed {
            self.set_mark(mark);
        }
        changed
    }

    /// The sets that travel become those of `other`.
    #[inline]
    pub(crate) fn assign(&mut self, other: &Covers) {
        if self.mark() == other.mark() && other.mark() != UNMARKED {
            return;
        }
        let kinds = other.kinds() & TRAVELLING;
        self.make_room(kinds, other.blocks());
        self.set_mark(other.mark());
        for kind in kinds_of(self.kinds() & TRAVELLING) {
            let ((to, step), (from, other_step)) = (self.place(kind), other.place(kind));
            for block in 0..self.blocks() {
                let is_there = kinds & kind != 0 && block < other.blocks();
                self.0[to + block * step] = if is_there { other.0[from + block * other_step] } else { [0; LANES] };
            }
        }
    }

    /// As [`Clock::far`].
    #[inline(always)]
    pub(crate) fn far(&self, fetch: &mut impl FnMut(*const u8)) {
        far(&self.0, fetch);
    }
}

/// One by one.
#[inline(always)]
fn kinds_of(kinds: u32) -> impl Iterator<Item = Kind> {
    let mut left = kinds;
    std::iter::from_fn(move || {
        let kind = left & left.wrapping_neg();
        left ^= kind;
        (kind != 0).then_some(kind)
    })
}
