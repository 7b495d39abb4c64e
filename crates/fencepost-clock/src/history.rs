//! The latest writes to a location, who has seen them, and what an access could see of them.
//!
//! Paper: Margalit et al., PLDI 2025, §4 and appendix A. The location clocks T_c(τ)(x) and
//! T_SC(τ)(x) are derived when they are needed:
//!
//! - `cur` is the newest write that the thread is aware of: it happens before the next access, or
//!   somebody saw it (read or overwrote it) in an epoch that happens before the next access. That
//!   is T_c(τ)(x).
//! - `top` is the newest write in the thread's hb_SC-past. That is T_SC(τ)(x).
//!
//! The writes from `cur` up to, not including, `top` are the *window*: those that the access can
//! take as its predecessor under C++20 and not under SC. RMW clocks and value clocks of the paper
//! are functions of the window.
//!
//! **Sightings.** A list of (entry, slot, k): in its epoch k the thread saw the entry. A write is
//! its writer's own sighting. Nothing is recorded when the thread is aware of the entry by its
//! clocks, after the access: who knows its epoch k knows these clocks as well. Only the newest
//! write is ever seen, so the list is sorted by entries.
//!
//! **Bounds.** Only the latest writes are kept. If the thread is aware of none of them, the window
//! starts at the oldest write kept. So violations can be missed, and none is invented. A sighting
//! is dropped only together with all entries older than the one seen, because forgetting that
//! somebody is aware of a write *would* invent violations.
//!
//! Exact while nothing is dropped. Afterwards sound for violations, not complete, and
//! [`Finding::Cut`] says where.

use crate::clock::Slot;
use crate::covers::{Covers, Set};
use crate::thread::ThreadClocks;
use crate::visits::INDEX_END;
use fencepost_protocol::Order;

/// How much a location remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Writes kept for each location, the newest included.
    pub history: u32,
    /// Sightings kept for each location.
    pub sightings: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { history: 16, sightings: 256 }
    }
}

/// An access that is about to happen.
#[derive(Clone, Copy)]
pub enum Access<'a> {
    /// A load.
    Load,
    /// A store.
    Store,
    /// A read-modify-write that cannot fail: fetch-and-op, exchange.
    Rmw,
    /// A compare-and-swap that can fail without a reason.
    WeakCas {
        /// The value it waits to replace.
        expected: u64,
        /// The order of the load that a failure is.
        failure: Order,
    },
    /// A compare-and-swap.
    StrongCas {
        /// The value it waits to replace.
        expected: u64,
        /// The order of the load that a failure is.
        failure: Order,
    },
    /// Loads until the value is wanted. For a load at a spinning site, `wanted` are the values not
    /// known to keep it spinning.
    Wait {
        /// Which values end the waiting.
        wanted: &'a dyn Fn(u64) -> bool,
    },
    /// A compare-and-swap repeated until it succeeds.
    BlockingCas {
        /// The value it waits to replace.
        expected: u64,
    },
}

impl Access<'_> {
    /// Does it write, whatever it reads? Then it needs a write that no read-modify-write follows at
    /// once.
    #[inline]
    pub(crate) fn needs_gap(&self) -> bool {
        matches!(self, Access::Store | Access::Rmw | Access::BlockingCas { .. })
    }
}

/// A write to a location, as reports need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The value written.
    pub value: u64,
    /// Is it a read-modify-write?
    pub rmw: bool,
    /// The writer; none for the initial value.
    pub writer: Option<Slot>,
    /// Its number among the writer's writes; 0 for the initial value.
    pub number: u32,
    /// The call site the caller gave; 0 for the initial value.
    pub site: u32,
}

/// What an access could see and would not see under SC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The writes it could take as predecessor, oldest first; not empty.
    pub stale: Vec<Write>,
    /// The newest write that it cannot miss under SC.
    pub newest: Write,
    /// There may have been older ones: the history was too short to tell.
    pub cut: bool,
}

/// What a check has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// No violation.
    Clean,
    /// No violation among the writes kept. There may have been one among those dropped.
    Cut,
    /// A violation.
    Violation(Window),
}

/// A write. The initial value is write 0 in epoch 0 of slot 0, which every clock includes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) value: u64,
    /// The writer's epoch.
    pub(crate) k: u32,
    /// Its number among the writer's writes.
    pub(crate) n: u32,
    pub(crate) site: u32,
    pub(crate) writer: Slot,
    pub(crate) rmw: bool,
    pub(crate) sc: bool,
}

impl Entry {
    fn initial(value: u64) -> Self {
        Entry { value, k: 0, n: 0, site: 0, writer: 0, rmw: false, sc: false }
    }

    /// Is it in the hb_SC-past of `t`?
    #[inline]
    pub(crate) fn is_past(&self, t: &ThreadClocks) -> bool {
        self.n <= t.sc.get(self.writer)
    }

    /// Must the next access of `t` not miss it, because of the access that made it?
    #[inline]
    fn is_before(&self, t: &ThreadClocks, next_is_sc: bool) -> bool {
        t.is_aware(next_is_sc, self.writer, self.k, self.sc)
    }

    fn write(&self) -> Write {
        let writer = (self.n > 0).then_some(self.writer);
        Write { value: self.value, rmw: self.rmw, writer, number: self.n, site: self.site }
    }
}

/// In its epoch `k`, the thread in `slot` saw `entry`.
#[derive(Clone, Copy, Debug)]
struct Sighting {
    entry: u32,
    k: u32,
    slot: Slot,
    /// Was the access SC, and is the last one of its epoch?
    sc: bool,
}

impl Sighting {
    /// Must the next access of `t` not miss the entry, because of this access?
    #[inline]
    fn is_before(&self, t: &ThreadClocks, next_is_sc: bool) -> bool {
        t.is_aware(next_is_sc, self.slot, self.k, self.sc)
    }
}

/// The latest writes to a location, numbered from 0, the initial value.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct History {
    newest: Entry,
    /// The index of `newest`.
    index: u32,
    /// The index of the newest write that is not a read-modify-write, or of a later one.
    last_store: u32,
    /// The writes kept before it.
    older: Older,
    sightings: Vec<Sighting>,
}

/// Writes to a location, at most as many as there is room for: a ring.
///
/// There are many of them, and they all grow alike. None is given up for a larger one, since nobody
/// needs what another has had before.
#[derive(Clone, Debug, Default)]
#[repr(C)]
struct Older {
    few: Option<Box<[Entry; FEW]>>,
    /// Those that follow.
    many: Box<[Entry]>,
    length: u32,
    /// Where the oldest one is; 0 while there is room for more.
    oldest: u32,
}

/// More writes than most locations ever have.
const FEW: usize = 4;

impl Older {
    #[inline(always)]
    fn len(&self) -> usize {
        self.length as usize
    }

    /// What is at this place, counted from the beginning of the memory that there is.
    #[inline(always)]
    fn at(&self, place: usize) -> Option<&Entry> {
        match place.checked_sub(FEW) {
            None => self.few.as_ref()?.get(place),
            Some(place) => self.many.get(place),
        }
    }

    #[inline(always)]
    fn at_mut(&mut self, place: usize) -> Option<&mut Entry> {
        match place.checked_sub(FEW) {
            None => self.few.as_mut()?.get_mut(place),
            Some(place) => self.many.get_mut(place),
        }
    }

    /// The write with this number, from the oldest one on.
    fn get(&self, number: usize) -> Option<&Entry> {
        let place = self.oldest as usize + number;
        self.at(if place < self.len() { place } else { place - self.len() })
    }

    /// The oldest one.
    #[inline(always)]
    fn oldest(&self) -> Option<&Entry> {
        self.at(self.oldest as usize)
    }

    /// Replaces the oldest one by one that is newer than all, if there is any.
    #[inline(always)]
    fn replace_oldest(&mut self, entry: Entry) -> bool {
        if self.length == 0 {
            return false;
        }
        let Some(oldest) = self.at_mut(self.oldest as usize) else { return false };
        *oldest = entry;
        self.oldest = if self.oldest + 1 == self.length { 0 } else { self.oldest + 1 };
        true
    }

    /// Forgets so many, the oldest ones.
    fn drop_first(&mut self, number: usize) {
        let kept: Vec<Entry> = (number..self.len()).filter_map(|number| self.get(number).copied()).collect();
        (self.length, self.oldest) = (0, 0);
        kept.into_iter().for_each(|entry| self.add(entry, usize::MAX));
    }

    /// One that is newer than all. The oldest one is at the beginning, and there is `room` for one
    /// more.
    fn add(&mut self, entry: Entry, room: usize) {
        let place = self.len();
        if place < FEW {
            self.few.get_or_insert_with(|| Box::new([entry; FEW]))[place] = entry;
        } else {
            let place = place - FEW;
            if place == self.many.len() {
                let length = (4 * self.len()).min(room) - FEW;
                let fill = std::iter::repeat_n(entry, length - place);
                self.many = self.many.iter().copied().chain(fill).collect();
            }
            self.many[place] = entry;
        }
        self.length += 1;
    }
}

impl History {
    pub(crate) fn new(value: u64) -> Self {
        History {
            newest: Entry::initial(value),
            index: 0,
            last_store: 0,
            older: Older::default(),
            sightings: Vec::new(),
        }
    }

    /// Only the initial value, in the memory there is.
    pub(crate) fn reset(&mut self, value: u64) {
        self.newest = Entry::initial(value);
        self.index = 0;
        self.last_store = 0;
        self.forget_older();
        self.sightings.clear();
    }

    /// The memory stays.
    fn forget_older(&mut self) {
        self.older.drop_first(self.older.len());
    }

    /// As if so many writes had been made and forgotten.
    #[cfg(test)]
    pub(crate) fn skip(&mut self, writes: u32) {
        assert!(self.sightings.is_empty());
        self.index += writes;
        self.last_store = self.index;
    }

    /// The newest write.
    #[inline]
    pub(crate) fn newest(&self) -> &Entry {
        &self.newest
    }

    /// Its index.
    #[inline]
    pub(crate) fn index(&self) -> u32 {
        self.index
    }

    /// The index of a write after which there are only read-modify-writes.
    #[inline]
    pub(crate) fn last_store(&self) -> u32 {
        self.last_store
    }

    /// The index of the oldest write kept; not 0 as soon as one was dropped.
    #[inline]
    fn base(&self) -> u32 {
        self.index - self.older.len() as u32
    }

    fn entry(&self, index: u32) -> &Entry {
        if index == self.index {
            return &self.newest;
        }
        self.older.get((index - self.base()) as usize).expect("what is kept is in the history")
    }

    /// Where the next write that becomes an older one is kept.
    #[inline(always)]
    pub(crate) fn far(&self, fetch: &mut impl FnMut(*const u8)) {
        if let Some(oldest) = self.older.oldest() {
            fetch((&raw const *oldest).cast());
        }
    }

    /// A new write.
    #[inline(always)]
    pub(crate) fn push(&mut self, entry: Entry, limits: Limits) {
        let room = limits.history.max(1) - 1;
        if self.older.length != room || !self.older.replace_oldest(self.newest) {
            self.keep_newest(room as usize);
        }
        self.newest = entry;
        self.index += 1;
        if !entry.rmw {
            self.last_store = self.index;
        }
    }

    /// The newest write becomes one of at most `room` older ones, of which there are not exactly so
    /// many.
    #[inline(never)]
    fn keep_newest(&mut self, room: usize) {
        if self.older.len() >= room {
            self.older.drop_first(self.older.len() + 1 - room.max(1));
        }
        if self.older.len() < room {
            self.older.add(self.newest, room);
        }
    }

    /// Makes room for more indices, if they are running out. By how much the kept ones are smaller
    /// now.
    #[inline]
    pub(crate) fn renumber(&mut self) -> Option<u32> {
        (self.index + 1 == INDEX_END).then(|| self.renumber_now())
    }

    /// The oldest write kept gets index 1: index 0 is what was dropped.
    #[cold]
    fn renumber_now(&mut self) -> u32 {
        if self.base() <= 1 {
            self.forget_older();
        }
        let by = self.base() - 1;
        self.drop_sightings();
        self.index -= by;
        // Not 0, which stands for all that was dropped: who saw one of these may have missed the
        // store.
        self.last_store = self.last_store.saturating_sub(by).max(1);
        for sighting in &mut self.sightings {
            sighting.entry -= by;
        }
        by
    }

    /// `t` has seen the newest write; by an SC access that others may have to be told of, if `sc`.
    #[inline]
    pub(crate) fn record(&mut self, t: &ThreadClocks, sc: bool, limits: Limits) {
        if !sc && self.is_aware_of_newest(t) {
            return;
        }
        if self.sightings.len() == self.sightings.capacity() || self.sightings.len() >= limits.sightings as usize {
            self.make_room(limits);
        }
        self.sightings.push(Sighting { entry: self.index, k: t.epoch(), slot: t.slot(), sc });
    }

    /// By its clocks alone.
    fn is_aware_of_newest(&self, t: &ThreadClocks) -> bool {
        self.newest.is_before(t, false) || self.seen_newest().any(|sighting| sighting.is_before(t, false))
    }

    /// Those of the newest write.
    fn seen_newest(&self) -> impl Iterator<Item = &Sighting> {
        self.sightings.iter().rev().take_while(|sighting| sighting.entry == self.index)
    }

    /// Does everybody who comes after an SC access, in the order S, know of the newest write by an
    /// access before that one? `covers` has the accesses before.
    pub(crate) fn is_newest_in_order(&self, covers: &Covers) -> bool {
        let has = |slot, k, sc| covers.has(Set::Accesses, slot, k, sc);
        let Entry { writer, k, sc, .. } = self.newest;
        self.index == 0 || has(writer, k, sc) || self.seen_newest().any(|seen| has(seen.slot, seen.k, seen.sc))
    }

    /// Drops sightings that are of no use, until half of the space is free. If there are still too
    /// many, the older half goes with the entries before those seen; otherwise there is more space
    /// to come.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, limits: Limits) {
        let half = self.sightings.len() / 2;
        self.drop_sightings();
        if self.sightings.len() > half {
            self.drop_superseded();
        }
        let limit = limits.sightings as usize;
        if self.sightings.len() >= limit.max(1) {
            let oldest = self.sightings[self.sightings.len() / 2].entry;
            let dropped = (oldest - self.base()) as usize;
            self.older.drop_first(dropped);
            // Everybody counts as aware of the oldest entry: nobody needs to have seen it.
            self.sightings.retain(|sighting| sighting.entry > oldest);
        } else if self.sightings.len() > half {
            self.sightings.reserve(self.sightings.len().max(4));
        }
    }

    /// Drops sightings where the same thread has seen a newer entry in the same epoch.
    fn drop_superseded(&mut self) {
        let mut kept = 0;
        for i in 0..self.sightings.len() {
            let Sighting { slot, k, .. } = self.sightings[i];
            if !self.sightings[i + 1..].iter().any(|later| later.slot == slot && later.k == k) {
                self.sightings[kept] = self.sightings[i];
                kept += 1;
            }
        }
        self.sightings.truncate(kept);
    }

    /// Drops sightings of writes that were dropped.
    fn drop_sightings(&mut self) {
        let base = self.base();
        self.sightings.retain(|sighting| sighting.entry >= base);
    }

    /// What `access` of `t` could see, if it did it now. At its last access `t` saw the entry
    /// `own`, or a dropped one.
    #[inline(never)]
    pub(crate) fn judge(&self, t: &ThreadClocks, own: u32, access: Access, order: Order) -> Finding {
        let Some(top) = self.top(t) else { return Finding::Cut };
        if own >= top {
            return Finding::Clean;
        }
        let (cur, known) = self.cur(t, top, order);
        let stale = |index: u32| {
            let entry = self.entry(index);
            // An RMW that reads from the entry leaves no place for another one, nor for a store.
            let is_open = || !self.entry(index + 1).rmw;
            index >= cur
                && match access {
                    Access::Load => true,
                    Access::Wait { wanted } => wanted(entry.value),
                    Access::Store | Access::Rmw => is_open(),
                    Access::BlockingCas { expected }
                    | Access::WeakCas { expected, .. }
                    | Access::StrongCas { expected, .. } => entry.value == expected && is_open(),
                }
        };
        let failure = match access {
            Access::WeakCas { failure, .. } | Access::StrongCas { failure, .. } => Some(self.cur(t, top, failure)),
            _ => None,
        };
        let fails_stale = |index: u32| {
            failure.is_some_and(|(cur, _)| index >= cur)
                && match access {
                    Access::StrongCas { expected, .. } => self.entry(index).value != expected,
                    _ => true,
                }
        };
        let cut = !known || failure.is_some_and(|(_, known)| !known);
        let mut window = (self.base()..top).filter(|&index| stale(index) || fails_stale(index)).peekable();
        if window.peek().is_some() {
            Finding::Violation(Window {
                stale: window.map(|index| self.entry(index).write()).collect(),
                newest: self.entry(top).write(),
                cut,
            })
        } else if cut {
            Finding::Cut
        } else {
            Finding::Clean
        }
    }

    /// The newest write in the hb_SC-past of `t`, if it is kept.
    fn top(&self, t: &ThreadClocks) -> Option<u32> {
        (self.base()..=self.index).rev().find(|&index| self.entry(index).is_past(t))
    }

    /// The newest write up to `top` that `t` is aware of, and true; if it is aware of none that is
    /// kept, the oldest and false. Nobody is aware of a write later than `top`, since
    /// happens-before and the SC order are part of hb_SC.
    fn cur(&self, t: &ThreadClocks, top: u32, order: Order) -> (u32, bool) {
        let mut sightings = self.sightings.iter().rev().peekable();
        for index in (self.base()..=top).rev() {
            let mut is_aware = self.entry(index).is_before(t, order.is_sc());
            while let Some(sighting) = sightings.next_if(|sighting| sighting.entry >= index) {
                is_aware |= sighting.entry == index && sighting.is_before(t, order.is_sc());
            }
            if is_aware {
                return (index, true);
            }
        }
        (self.base(), false)
    }
}
