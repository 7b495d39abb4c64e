//! The clocks of all sets, for one kind of accesses.

use std::array;

use super::{Familiar, Mark, Set, UNMARKED};
use crate::clock::{Clock, LANES, Lanes, Slot, any, join_lanes};

/// How many sets there are.
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
/// fences need. `SC` says that it is the part of SC accesses.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(super) struct Part<const SC: bool> {
    /// Which sets are not empty: the clocks of the others have only zeroes.
    sets: u8,
    /// Who knows this epoch of this slot has the sets that travel, but for what the thread in the
    /// slot has added since of its own ([`Self::mark`]).
    by: Slot,
    since: u32,
    /// Of a location: epochs of the thread that is familiar with E(x), which stand for themselves
    /// until [`Self::settle`] adds them to the sets. What it has released of its own, passes on by
    /// writes, and by reads.
    released: u32,
    written: u32,
    reads: u32,
    /// Of a location: who is familiar with E(x).
    familiar: Familiar,
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
fn each<const SC: bool>(
    a: &mut Part<SC>,
    b: &mut Part<SC>,
    step: impl Fn(&mut Block, &mut Block, usize) -> Lanes,
) -> bool {
    let mut changed = step(&mut a.few, &mut b.few, 0);
    if !a.many.is_empty() | !b.many.is_empty() {
        changed = or(changed, each_of_many(a, b, &step));
    }
    any(changed)
}

#[inline(never)]
fn each_of_many<const SC: bool>(
    a: &mut Part<SC>,
    b: &mut Part<SC>,
    step: &impl Fn(&mut Block, &mut Block, usize) -> Lanes,
) -> Lanes {
    let many = a.many.len().max(b.many.len());
    a.make_room(many);
    b.make_room(many);
    let blocks = a.many.iter_mut().zip(&mut b.many).zip(1..);
    blocks.fold([0; LANES], |changed, ((a, b), number)| or(changed, step(a, b, number)))
}

impl<const SC: bool> Part<SC> {
    /// What a thread adds of its own to its sets, without a new mark: its last SC fence to all
    /// accesses, its last SC access to SC accesses. It need not add its fences there as well.
    const OWN: Set = if SC { Set::Accesses } else { Set::Fences };

    /// Addresses in the lines of the cache that most accesses need.
    #[inline(always)]
    pub(super) fn near(&self, fetch: &mut impl FnMut(*const u8)) {
        let first: *const u8 = (&raw const *self).cast();
        fetch(first);
        fetch(first.wrapping_add(64));
    }

    #[inline(always)]
    pub(super) fn has(&self, set: Set) -> bool {
        self.sets & set.bit() != 0
    }

    /// Is there anything in E(x)?
    #[inline(always)]
    pub(super) fn has_e(&self) -> bool {
        self.sets & (Set::Written.bit() | Set::Read.bit()) != 0
    }

    /// Who knows this epoch of this slot has the sets that travel. An SC fence is released with its
    /// epoch, an SC access with the next one. Epoch 0, which everybody knows, if there are none.
    #[inline(always)]
    pub(super) fn mark(&self) -> Mark {
        debug_assert!(self.released == 0);
        let own = self.get(Self::OWN, self.by) + u32::from(SC);
        (self.by, if self.since == 0 { 0 } else { self.since.max(own) })
    }

    #[inline(always)]
    pub(super) fn set_mark(&mut self, mark: Mark) {
        (self.by, self.since) = mark;
    }

    /// The epoch of the last change but of the own epoch.
    #[inline(always)]
    pub(super) fn since(&self) -> u32 {
        self.since
    }

    /// The mark is one of the thread in `slot`.
    #[inline(always)]
    pub(super) fn is_by(&self, slot: Slot) -> bool {
        self.by == slot
    }

    /// An access or a fence of the thread at `mark`, in its own epoch `k`. The mark is for what
    /// else has changed, if `learnt`, and for the first time.
    #[inline(always)]
    pub(super) fn add_own(&mut self, k: u32, mark: Mark, learnt: bool) {
        self.set(Self::OWN, mark.0, k);
        if learnt || self.by != mark.0 || self.since == 0 {
            self.set_mark(mark);
        }
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

    /// Adds an epoch.
    #[inline(always)]
    pub(super) fn raise(&mut self, set: Set, slot: Slot, epoch: u32) {
        match self.few[set as usize].get_mut(usize::from(slot)) {
            Some(mine) => {
                self.sets |= set.bit();
                *mine = epoch.max(*mine);
            }
            None => self.set(set, slot, epoch.max(self.get(set, slot))),
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
    pub(super) fn join(&mut self, set: Set, other: &Part<SC>, source: Set) -> bool {
        debug_assert!(other.is_settled());
        if !other.has(source) {
            return false;
        }
        self.sets |= set.bit();
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
    pub(super) fn learn(&mut self, set: Set, other: &Part<SC>, source: Set, mark: Mark) -> bool {
        let changed = self.join(set, other, source);
        if changed {
            self.set_mark(mark);
        }
        changed
    }

    /// [`Set::Accesses`] follow E(x) up to the newest write, and have this mark if that changes
    /// anything.
    #[inline(always)]
    pub(super) fn follow(&mut self, location: &Part<SC>, mark: Mark) -> bool {
        debug_assert!(location.is_settled());
        if !location.has(Set::Written) {
            return false;
        }
        self.make_room(location.many.len());
        let mut changed = [0; LANES];
        for (number, block) in self.blocks().enumerate() {
            let e = if number == 0 { &location.few[W] } else { &location.among_many(number)[W] };
            let accesses = follow_lanes(e, block[A], &block[F]);
            changed = or(changed, difference(accesses, block[A]));
            block[A] = accesses;
        }
        let learnt = any(changed);
        if learnt {
            self.sets |= Set::Accesses.bit();
            self.set_mark(mark);
        }
        learnt
    }

    /// Adds the sets that travel, and has this mark if that changes anything.
    #[inline(always)]
    pub(super) fn acquire(&mut self, other: &Part<SC>, mark: Mark) -> bool {
        debug_assert!(self.released == 0 && other.is_settled());
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

    /// The sets that travel become those of `other`, with its mark. If they were its before, and
    /// nothing has changed since but the own epoch, there is only that to be copied. They may also
    /// be later ones of the same thread: a store after a release fence releases what it knew there.
    #[inline(always)]
    pub(super) fn assign(&mut self, other: &Part<SC>) {
        debug_assert!(self.released == 0 && other.is_settled());
        let mark = other.mark();
        debug_assert!(mark != UNMARKED, "threads mark what they know");
        if self.by == other.by && (other.since..=mark.1).contains(&self.since) {
            self.set(Self::OWN, mark.0, other.get(Self::OWN, mark.0));
        } else {
            self.assign_all(other);
        }
    }

    #[inline(never)]
    fn assign_all(&mut self, other: &Part<SC>) {
        (self.by, self.since) = (other.by, other.since);
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

    /// What an SC fence at `mark` orders goes to [`Set::Fences`]: what happens before, if this is
    /// the part of all accesses, and what else is pending. Has anything changed but the own epoch?
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

    /// Who is familiar with E(x).
    #[inline(always)]
    pub(super) fn familiar(&self) -> Familiar {
        self.familiar
    }

    /// Has the location released what the thread has, and nobody has read since?
    #[inline(always)]
    pub(super) fn has_released(&self, me: Familiar) -> bool {
        self.familiar.0 | Familiar::FOLLOWED == me.0
    }

    #[inline(always)]
    pub(super) fn set_familiar(&mut self, me: Familiar) {
        self.familiar = me;
    }

    /// The thread is familiar with E(x), by a write that is not SC.
    #[inline(always)]
    pub(super) fn set_writer(&mut self, me: Familiar, released: bool) {
        let followed = if self.familiar.is(me) { self.familiar.0 & Familiar::FOLLOWED } else { 0 };
        self.familiar = me.with(followed | u64::from(released));
    }

    /// What the thread has released here is released once more, with its own epoch.
    #[inline(always)]
    pub(super) fn release_again(&mut self, own: u32) {
        self.released = own;
    }

    /// Adds the own epoch of the thread in `slot` to what it has released. The mark is one of its
    /// own, unless nothing was released before.
    #[inline(always)]
    pub(super) fn release_own(&mut self, slot: Slot, own: u32) {
        debug_assert!(self.by == slot || self.since == 0);
        self.raise(Self::OWN, slot, own);
        if self.since == 0 {
            self.set_mark((slot, own + u32::from(SC)));
        }
    }

    /// What the thread that is familiar with E(x) has added, as all others have it: before anything
    /// else is done here.
    #[inline(always)]
    pub(super) fn settle(&mut self) {
        if !self.is_settled() {
            self.settle_epochs();
        }
    }

    #[inline(always)]
    fn is_settled(&self) -> bool {
        self.released | self.written | self.reads == 0
    }

    /// The same of what it has released only.
    #[inline(always)]
    pub(super) fn settle_released(&mut self) {
        if self.released != 0 {
            self.release_own(self.familiar.slot(), self.released);
            self.released = 0;
        }
    }

    #[inline(never)]
    fn settle_epochs(&mut self) {
        let slot = self.familiar.slot();
        self.settle_released();
        if self.written != 0 {
            self.raise(Set::Written, slot, self.written);
        }
        if self.reads != 0 {
            self.raise(Set::Read, slot, self.reads);
            self.familiar = self.familiar.with(0);
        }
        (self.written, self.reads) = (0, 0);
    }

    /// Adds an epoch of the thread to E(x), by a read. The thread is familiar with E(x).
    #[inline(always)]
    pub(super) fn pass_on(&mut self, slot: Slot, epoch: u32) {
        debug_assert_eq!(self.familiar.slot(), slot);
        if self.written < epoch {
            self.reads = epoch;
        }
    }

    /// The same for an SC read, by anybody who has made one of the same write.
    #[inline(always)]
    pub(super) fn pass_on_sc(&mut self, me: Familiar, epoch: u32) {
        if self.familiar.is_slot_of(me) {
            self.pass_on(me.slot(), epoch);
        } else {
            self.pass_on_unfamiliar(me, epoch);
        }
    }

    #[inline(never)]
    fn pass_on_unfamiliar(&mut self, me: Familiar, epoch: u32) {
        let before = self.get(Set::Read, me.slot()).max(self.get(Set::Written, me.slot()));
        if before < epoch {
            self.set(Set::Read, me.slot(), epoch);
            self.familiar = me.unversioned();
        }
    }

    /// Adds `source` of a thread that has `c` to what reads pass on. That need not be all of its SC
    /// fences, so that nobody is familiar with E(x), but this thread may add epochs of its own.
    #[inline(always)]
    fn read_set(&mut self, c: &Part<SC>, source: Set, me: Familiar) {
        if self.join(Set::Read, c, source) {
            self.familiar = me.unversioned();
        }
    }

    /// The part of a thread in `slot`: the epoch of its last SC access, if there is nothing else. (Of
    /// a thread with SC fences, a location gets a part by any read.)
    #[inline(always)]
    pub(super) fn lone_access(&self, slot: Slot) -> Option<u32> {
        let is_lone = |lane: usize, epoch: u32| epoch == 0 || lane == usize::from(slot);
        let accesses = (0..).zip(self.few[A]);
        let is_alone = self.sets == Set::Accesses.bit() && self.many.is_empty();
        (is_alone && accesses.fold(true, |all, (lane, epoch)| all & is_lone(lane, epoch)))
            .then(|| self.get(Set::Accesses, slot))
            .filter(|&epoch| epoch != 0)
    }

    /// Adds such an epoch to what reads pass on. Its thread may add epochs of its own.
    pub(super) fn add_read(&mut self, slot: Slot, epoch: u32) {
        self.raise(Set::Read, slot, epoch);
        self.familiar = Familiar::new(slot, u32::MAX).with(0);
    }

    /// An SC read by a thread that has `c` adds what it comes after to E(x).
    #[inline(never)]
    pub(super) fn read_sc(&mut self, c: &Part<SC>, me: Familiar) {
        self.read_set(c, Set::Accesses, me);
        if self.familiar.is_slot_of(me) && !c.has(Set::Fences) {
            self.familiar = me.with(0);
        }
    }

    /// A read by a thread that has `c`, and has the newest write pending, adds its SC fences to
    /// E(x). What other reads have added need not be pending for it: as long as that is not part of
    /// the newest write, no write of it is short ([`Self::write_again`]).
    #[inline(never)]
    pub(super) fn read(&mut self, c: &Part<SC>, me: Familiar) {
        debug_assert!(self.is_settled() || self.familiar.is_slot_of(me));
        if !self.passes_on_fences(c) {
            self.read_set(c, Set::Fences, me);
        }
        self.familiar = me.with(0);
    }

    /// A write by the thread, which is familiar with E(x), passes on its own epoch. False if reads
    /// have left more to be done.
    #[inline(always)]
    pub(super) fn write_again(&mut self, epoch: u32) -> bool {
        if self.has(Set::Read) {
            return false;
        }
        self.written = epoch.max(self.written).max(self.reads);
        self.reads = 0;
        true
    }

    /// The part of a location, before an SC write by a thread that has `c`: all that
    /// [`super::Covers::write_sc`] does, but for adding the write itself. `takes` says that the
    /// write acquires what it finds.
    #[inline(always)]
    pub(super) fn write_sc(&mut self, c: &mut Part<SC>, takes: bool) -> bool {
        debug_assert!(self.is_settled());
        let others = (self.sets | c.sets) & (Set::Pending.bit() | Set::Fences.bit());
        if others != 0 || !self.many.is_empty() || !c.many.is_empty() {
            return self.write_sc_with_others(c, takes);
        }
        let has_read = self.has(Set::Read);
        let learnt = write_accesses::<false>(&mut self.few, &mut c.few, has_read, takes);
        c.sets = Set::Accesses.bit();
        self.sets = Set::Accesses.bit() | Set::Written.bit();
        any(learnt)
    }

    /// The same if there are SC fences, SC accesses are mixed with others, or there are many slots.
    #[inline(never)]
    fn write_sc_with_others(&mut self, c: &mut Part<SC>, takes: bool) -> bool {
        let has_read = self.has(Set::Read);
        let learnt = each(self, c, |location, c, _| {
            let (mut pending, mut fences) = (c[P], c[F]);
            if takes {
                (pending, fences) = (later(pending, location[P]), later(fences, location[F]));
            }
            let learnt = or(difference(pending, c[P]), difference(fences, c[F]));
            let learnt = or(learnt, write_accesses::<true>(location, c, has_read, takes));
            (c[P], location[P]) = (pending, pending);
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
    pub(super) fn write(&mut self, c: &mut Part<SC>, hb: &Clock, known: Option<&Part<false>>) -> bool {
        let (has_read, has_fences) = (self.has(Set::Read), c.has(Set::Fences));
        self.sets = self.sets & !Set::Read.bit() | Set::Written.bit();
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
    pub(super) fn is_news(&self, c: &Part<SC>, hb: &Clock, known: Option<&Part<false>>) -> bool {
        debug_assert!(self.is_settled());
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
    pub(super) fn passes_on_fences(&self, c: &Part<SC>) -> bool {
        let is_there =
            |mine: &Block, theirs: &Block| !any(and(exceeds(&theirs[F], &mine[W]), exceeds(&theirs[F], &mine[R])));
        !c.has(Set::Fences)
            || is_there(&self.few, &c.few)
                && (1..).zip(&c.many).all(|(number, theirs)| is_there(self.among_many(number), theirs))
    }
}

/// [`Part::write_sc`] for E(x), and what strongly happens before. `FENCES` says that there may be
/// SC fences. What has changed for the thread.
#[inline(always)]
fn write_accesses<const FENCES: bool>(location: &mut Block, c: &mut Block, has_read: bool, takes: bool) -> Lanes {
    let before = c[A];
    let mut e = later(location[W], before);
    if has_read {
        e = later(e, location[R]);
        location[R] = [0; LANES];
    }
    location[W] = e;
    let released = if takes { later(before, location[A]) } else { before };
    (location[A], c[A]) = (released, if FENCES { follow_lanes(&e, released, &c[F]) } else { later(released, e) });
    difference(c[A], before)
}

/// [`Set::Accesses`] that were `accesses`, and follow E(x). What is in [`Set::Fences`] is left out:
/// wherever the one set goes, or counts, so does the other.
#[inline(always)]
fn follow_lanes(e: &Lanes, accesses: Lanes, fences: &Lanes) -> Lanes {
    let is_news = exceeds(e, fences);
    later(accesses, and(*e, is_news))
}

/// Where E(x) is later than all that is pending.
#[inline(always)]
fn is_missing(e: &Lanes, c: &Block, hb: &Clock, known: Option<&Part<false>>, number: usize) -> Lanes {
    let mut missing = and(exceeds(e, hb.block(number)), exceeds(e, &c[P]));
    missing = and(missing, and(exceeds(e, &c[A]), exceeds(e, &c[F])));
    if let Some(known) = known {
        let known = if number == 0 { &known.few } else { known.among_many(number) };
        missing = and(missing, and(exceeds(e, &known[P]), and(exceeds(e, &known[A]), exceeds(e, &known[F]))));
    }
    missing
}
