//! The clocks of all sets, for one kind of accesses.

use std::array;

use super::{Mark, Set, UNMARKED};
use crate::clock::{Clock, LANES, Lanes, Slot, any, join_lanes};

/// How many sets there are.
const SETS: usize = 5;

impl Set {
    #[inline(always)]
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// In `sets`, besides the bits of sets: what reads pass on is one epoch of one slot.
const ONE_READ: u8 = 1 << SETS;

/// Those that travel along happens-before.
const TRAVELLING: [Set; 3] = [Set::Accesses, Set::Pending, Set::Fences];
const TRAVELLING_BITS: u8 = Set::Accesses.bit() | Set::Pending.bit() | Set::Fences.bit();

/// The epochs of [`LANES`] slots in each set.
type Block = [Lanes; SETS];
const EMPTY: Block = [[0; LANES]; SETS];

// Short names for what is in a block.
const A: usize = Set::Accesses as usize;
const W: usize = Set::Written as usize;
const P: usize = Set::Pending as usize;
const R: usize = Set::Read as usize;
const F: usize = Set::Fences as usize;

/// A clock for each set. In the order of [`Set`], which puts together what programs without SC
/// fences need.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(super) struct Part {
    /// Which sets are not empty: the clocks of the others have only zeroes. And [`ONE_READ`].
    sets: u8,
    /// Who knows this epoch of this slot has the sets that travel.
    by: Slot,
    since: u32,
    /// The slots from `LANES` on.
    many: Box<[Block]>,
    few: Block,
}

/// The later epochs.
#[inline(always)]
fn later(a: Lanes, b: Lanes) -> Lanes {
    array::from_fn(|lane| (a[lane] as i32).max(b[lane] as i32) as u32)
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

#[inline(always)]
fn or(a: Lanes, b: Lanes) -> Lanes {
    array::from_fn(|lane| a[lane] | b[lane])
}

/// Where they differ.
#[inline(always)]
fn difference(a: Lanes, b: Lanes) -> Lanes {
    array::from_fn(|lane| a[lane] ^ b[lane])
}

/// Adds the sets that travel; what has changed.
#[inline(always)]
fn acquire_block(mine: &mut Block, theirs: &Block) -> Lanes {
    TRAVELLING
        .into_iter()
        .fold([0; LANES], |changed, set| or(changed, join_lanes(&mut mine[set as usize], &theirs[set as usize])))
}

/// The sets that travel become those of `theirs`.
#[inline(always)]
fn assign_block(mine: &mut Block, theirs: &Block) {
    TRAVELLING.into_iter().for_each(|set| mine[set as usize] = theirs[set as usize]);
}

/// Does `step` to the clocks of both, which have as many slots; what it has changed.
#[inline(always)]
fn each(a: &mut Part, b: &mut Part, step: impl Fn(&mut Block, &mut Block, usize) -> Lanes) -> bool {
    let mut changed = step(&mut a.few, &mut b.few, 0);
    if !a.many.is_empty() | !b.many.is_empty() {
        changed = or(changed, each_of_many(a, b, &step));
    }
    any(changed)
}

#[inline(never)]
fn each_of_many(a: &mut Part, b: &mut Part, step: &impl Fn(&mut Block, &mut Block, usize) -> Lanes) -> Lanes {
    let many = a.many.len().max(b.many.len());
    a.make_room(many);
    b.make_room(many);
    let blocks = a.many.iter_mut().zip(&mut b.many).zip(1..);
    blocks.fold([0; LANES], |changed, ((a, b), number)| or(changed, step(a, b, number)))
}

impl Part {
    #[inline(always)]
    pub(super) fn has(&self, set: Set) -> bool {
        self.sets & set.bit() != 0
    }

    /// Is there anything in E(x)?
    #[inline(always)]
    pub(super) fn has_e(&self) -> bool {
        self.sets & (Set::Written.bit() | Set::Read.bit()) != 0
    }

    #[inline(always)]
    pub(super) fn mark(&self) -> Mark {
        (self.by, self.since)
    }

    #[inline(always)]
    pub(super) fn set_mark(&mut self, mark: Mark) {
        (self.by, self.since) = mark;
    }

    #[inline]
    pub(super) fn get(&self, set: Set, slot: Slot) -> u32 {
        let slot = usize::from(slot);
        match self.few[set as usize].get(slot) {
            Some(&epoch) => epoch,
            None => self.many.get(slot / LANES - 1).map_or(0, |block| block[set as usize][slot % LANES]),
        }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, set: Set, slot: Slot, epoch: u32) {
        self.sets |= set.bit();
        let slot = usize::from(slot);
        match self.few[set as usize].get_mut(slot) {
            Some(mine) => *mine = epoch,
            None => self.set_among_many(set, slot - LANES, epoch),
        }
    }

    #[inline(never)]
    fn set_among_many(&mut self, set: Set, index: usize, epoch: u32) {
        self.make_room(index / LANES + 1);
        self.many[index / LANES][set as usize][index % LANES] = epoch;
    }

    fn blocks(&mut self) -> impl Iterator<Item = &mut Block> {
        std::iter::once(&mut self.few).chain(&mut self.many)
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
        let mut grown = vec![EMPTY; many].into_boxed_slice();
        grown[..self.many.len()].copy_from_slice(&self.many);
        self.many = grown;
    }

    /// Adds `source` of another to `set`. Did anything change?
    #[inline(always)]
    pub(super) fn join(&mut self, set: Set, other: &Part, source: Set) -> bool {
        if !other.has(source) {
            return false;
        }
        self.sets = (self.sets | set.bit()) & !ONE_READ;
        let mut changed = join_lanes(&mut self.few[set as usize], &other.few[source as usize]);
        if !other.many.is_empty() {
            changed = or(changed, self.join_many(set, &other.many, source));
        }
        any(changed)
    }

    #[inline(never)]
    fn join_many(&mut self, set: Set, other: &[Block], source: Set) -> Lanes {
        self.make_room(other.len());
        let both = self.many.iter_mut().zip(other);
        both.fold([0; LANES], |changed, (mine, theirs)| {
            or(changed, join_lanes(&mut mine[set as usize], &theirs[source as usize]))
        })
    }

    /// As [`Self::join`], and has this mark if that changes anything.
    #[inline(always)]
    pub(super) fn learn(&mut self, set: Set, other: &Part, source: Set, mark: Mark) -> bool {
        let changed = self.join(set, other, source);
        if changed {
            self.set_mark(mark);
        }
        changed
    }

    /// Adds the sets that travel, and has this mark if that changes anything.
    #[inline(always)]
    pub(super) fn acquire(&mut self, other: &Part, mark: Mark) -> bool {
        self.sets |= other.sets & TRAVELLING_BITS;
        let mut changed = acquire_block(&mut self.few, &other.few);
        if !other.many.is_empty() {
            changed = or(changed, self.acquire_many(&other.many));
        }
        let learnt = any(changed);
        if learnt {
            self.set_mark(mark);
        }
        learnt
    }

    #[inline(never)]
    fn acquire_many(&mut self, other: &[Block]) -> Lanes {
        self.make_room(other.len());
        let both = self.many.iter_mut().zip(other);
        both.fold([0; LANES], |changed, (mine, theirs)| or(changed, acquire_block(mine, theirs)))
    }

    /// The sets that travel become those of `other`, with its mark.
    #[inline(always)]
    pub(super) fn assign(&mut self, other: &Part) {
        debug_assert!(other.mark() != UNMARKED, "threads mark what they know");
        if self.mark() == other.mark() {
            return;
        }
        self.set_mark(other.mark());
        assign_block(&mut self.few, &other.few);
        self.sets = self.sets & !TRAVELLING_BITS | other.sets & TRAVELLING_BITS;
        if !other.many.is_empty() | !self.many.is_empty() {
            self.assign_many(&other.many);
        }
    }

    #[inline(never)]
    fn assign_many(&mut self, other: &[Block]) {
        self.make_room(other.len());
        for (number, mine) in self.many.iter_mut().enumerate() {
            assign_block(mine, other.get(number).unwrap_or(&EMPTY));
        }
    }

    /// The sets that travel become empty.
    #[inline(never)]
    pub(super) fn forget(&mut self) {
        self.set_mark((0, 0));
        self.sets &= !TRAVELLING_BITS;
        self.blocks().for_each(|block| assign_block(block, &EMPTY));
    }

    /// What an SC fence at `mark` orders goes to [`Set::Fences`]: what happens before, if this is the
    /// part of all accesses, and what else is pending. Has anything changed but the own epoch?
    #[inline(always)]
    pub(super) fn order_fence(&mut self, hb: Option<&Clock>, mark: Mark) -> bool {
        self.set(Set::Fences, mark.0, mark.1);
        self.set_mark(mark);
        if let Some(hb) = hb {
            self.make_room(hb.blocks() - 1);
        }
        let mut changed = [0; LANES];
        for (number, block) in self.blocks().enumerate() {
            let mut fences = later(block[F], later(block[A], block[P]));
            if let Some(hb) = hb {
                fences = later(fences, *hb.block(number));
            }
            changed = or(changed, difference(fences, block[F]));
            block[F] = fences;
        }
        any(changed)
    }

    /// Adds an epoch of `slot` to E(x), by a read.
    #[inline(always)]
    pub(super) fn pass_on(&mut self, slot: Slot, epoch: u32) {
        let before = self.get(Set::Read, slot);
        if self.get(Set::Written, slot).max(before) < epoch {
            if !self.has(Set::Read) {
                self.sets |= ONE_READ;
            } else if before == 0 {
                self.sets &= !ONE_READ;
            }
            self.set(Set::Read, slot, epoch);
        }
    }

    /// As [`Self::pass_on`] for SC reads: there may be many, so whose they are is not told.
    #[inline(always)]
    pub(super) fn pass_on_sc(&mut self, slot: Slot, epoch: u32) {
        if self.has(Set::Read) || self.get(Set::Written, slot) < epoch {
            self.set(Set::Read, slot, epoch);
        }
    }

    /// Do reads pass on something besides an epoch of `slot`?
    #[inline(always)]
    pub(super) fn has_other_reads(&self, slot: Slot) -> bool {
        self.has(Set::Read) && (self.sets & ONE_READ == 0 || self.get(Set::Read, slot) == 0)
    }

    /// A write of `slot`, whose reads alone pass something on: that, and `epoch`.
    #[inline(always)]
    pub(super) fn write_own(&mut self, slot: Slot, mut epoch: u32) {
        if self.has(Set::Read) {
            epoch = epoch.max(self.get(Set::Read, slot));
            self.set(Set::Read, slot, 0);
            self.sets &= !(Set::Read.bit() | ONE_READ);
        }
        // Others may have ordered more of its accesses than it has itself.
        if self.get(Set::Written, slot) < epoch {
            self.set(Set::Written, slot, epoch);
        }
    }

    /// The part of a location, before an SC write by a thread that has `c`: all that
    /// [`super::Covers::write_sc`] does, but for adding the write itself. `takes` says that the write
    /// acquires what it finds.
    #[inline(always)]
    pub(super) fn write_sc(&mut self, c: &mut Part, takes: bool) -> bool {
        let others = (self.sets | c.sets) & (Set::Pending.bit() | Set::Fences.bit());
        if others != 0 || !self.many.is_empty() || !c.many.is_empty() {
            return self.write_sc_with_others(c, takes);
        }
        let learnt = write_accesses(&mut self.few, &mut c.few, self.sets & Set::Read.bit() != 0, takes);
        c.sets = Set::Accesses.bit();
        self.sets = Set::Accesses.bit() | Set::Written.bit();
        any(learnt)
    }

    /// The same if there are SC fences, SC accesses are mixed with others, or there are many slots.
    #[inline(never)]
    fn write_sc_with_others(&mut self, c: &mut Part, takes: bool) -> bool {
        let has_read = self.has(Set::Read);
        let learnt = each(self, c, |location, c, _| {
            if takes {
                c[P] = later(c[P], location[P]);
            }
            location[P] = c[P];
            let fences = if takes { later(c[F], location[F]) } else { c[F] };
            let learnt = or(difference(fences, c[F]), write_accesses(location, c, has_read, takes));
            (c[F], location[F]) = (fences, fences);
            location[W] = later(location[W], fences);
            learnt
        });
        let sets = (self.sets | c.sets) & TRAVELLING_BITS | Set::Accesses.bit();
        (self.sets, c.sets) = (sets | Set::Written.bit(), sets);
        learnt
    }

    /// The part of a location, after a write that is not SC by a thread that has `c`. `known` has
    /// what else is pending. Must the thread be told of E(x)?
    #[inline(always)]
    pub(super) fn write(&mut self, c: &mut Part, hb: &Clock, known: Option<&Part>) -> bool {
        let (has_read, has_fences) = (self.has(Set::Read), c.has(Set::Fences));
        self.sets = self.sets & !(Set::Read.bit() | ONE_READ) | Set::Written.bit();
        each(self, c, |location, c, number| {
            let mut e = location[W];
            if has_read {
                e = later(e, location[R]);
                location[R] = [0; LANES];
            }
            if has_fences {
                e = later(e, c[F]);
            }
            location[W] = e;
            is_missing(&e, c, hb, known, number)
        })
    }

    /// Must a thread that has `c`, and has read the newest write here, be told of E(x)?
    #[inline(always)]
    pub(super) fn is_news(&self, c: &Part, hb: &Clock, known: Option<&Part>) -> bool {
        let is_news = |location: &Block, c, number| any(is_missing(&location[W], c, hb, known, number));
        self.has(Set::Written)
            && (is_news(&self.few, &c.few, 0)
                || (1..).zip(&self.many).any(|(number, block)| is_news(block, c.among_many(number), number)))
    }

    /// The clocks of the slots from `number` times `LANES` on.
    #[inline(always)]
    fn among_many(&self, number: usize) -> &Block {
        self.many.get(number - 1).unwrap_or(&EMPTY)
    }

    /// Are the SC fences of `c` in E(x)?
    #[inline(always)]
    pub(super) fn passes_on_fences(&self, c: &Part) -> bool {
        let is_there =
            |mine: &Block, theirs: &Block| !any(and(exceeds(&theirs[F], &mine[W]), exceeds(&theirs[F], &mine[R])));
        !c.has(Set::Fences)
            || is_there(&self.few, &c.few)
                && (1..).zip(&c.many).all(|(number, theirs)| is_there(self.among_many(number), theirs))
    }
}

/// [`Part::write_sc`] for the sets that there are without SC fences: E(x), and what strongly happens
/// before. What has changed for the thread.
#[inline(always)]
fn write_accesses(location: &mut Block, c: &mut Block, has_read: bool, takes: bool) -> Lanes {
    let before = c[A];
    let mut e = later(location[W], before);
    if has_read {
        e = later(e, location[R]);
        location[R] = [0; LANES];
    }
    location[W] = e;
    if takes {
        let released = later(before, location[A]);
        (location[A], c[A]) = (released, later(released, e));
    } else {
        (location[A], c[A]) = (before, e);
    }
    difference(c[A], before)
}

/// Where E(x) is later than all that is pending.
#[inline(always)]
fn is_missing(e: &Lanes, c: &Block, hb: &Clock, known: Option<&Part>, number: usize) -> Lanes {
    let mut missing = and(exceeds(e, hb.block(number)), exceeds(e, &c[P]));
    missing = and(missing, and(exceeds(e, &c[A]), exceeds(e, &c[F])));
    if let Some(known) = known {
        let known = if number == 0 { &known.few } else { known.among_many(number) };
        missing = and(missing, and(exceeds(e, &known[P]), and(exceeds(e, &known[A]), exceeds(e, &known[F]))));
    }
    missing
}
