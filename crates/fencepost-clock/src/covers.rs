//! D-clocks: which accesses must not be missed, by the order S of SC accesses and SC fences.
//!
//! Source: ISO C++20, `[atomics.order]` p3–4; the clocks are ours. For an SC event s, D(s) has every
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
//! **Own epochs.** An SC fence whose only news is the epoch of its own thread teaches the thread
//! nothing: it knows its own accesses without a set. So the thread goes on as one that has learnt
//! nothing, and loads and stores that it repeats have only that epoch to pass on
//! ([`Covers::read_again`], [`Covers::write`]).
//!
//! **Marks.** Sets that travel are marked with a slot and an epoch: who knows that epoch of that
//! slot has them. So they are copied, or joined, only if they have changed.

mod part;

use crate::clock::{Clock, Slot};
use part::Part;

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

/// A slot and an epoch of it.
pub(crate) type Mark = (Slot, u32);

/// A mark that says nothing: an epoch that nobody knows.
pub(crate) const UNMARKED: Mark = (0, u32::MAX);

/// Sets of accesses, as far as there are any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Covers {
    /// Is there anything?
    any: bool,
    /// Every access up to an epoch.
    all: Option<Box<Part>>,
    /// SC accesses up to an epoch.
    sc: Option<Box<Part>>,
}

/// A part, which is made if it is not there.
#[inline(always)]
fn part<'a>(part: &'a mut Option<Box<Part>>, any: &mut bool) -> &'a mut Part {
    if part.is_none() {
        make(part);
        *any = true;
    }
    part.as_mut().expect("it was made")
}

#[cold]
#[inline(never)]
fn make(part: &mut Option<Box<Part>>) {
    *part = Some(Box::default());
}

impl Covers {
    /// Is there nothing in any set?
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        !self.any
    }

    #[inline(always)]
    fn all(&mut self) -> &mut Part {
        part(&mut self.all, &mut self.any)
    }

    #[inline(always)]
    fn sc(&mut self) -> &mut Part {
        part(&mut self.sc, &mut self.any)
    }

    /// Is an access of `slot` in its epoch `k` in `set`?
    #[inline]
    pub(crate) fn has(&self, set: Set, slot: Slot, k: u32, is_sc: bool) -> bool {
        let is_in = |part: &Option<Box<Part>>| part.as_ref().is_some_and(|part| part.get(set, slot) >= k);
        is_sc && is_in(&self.sc) || is_in(&self.all)
    }

    /// Adds the sets that travel, where `hb` is known with those that are here.
    #[inline(always)]
    pub(crate) fn acquire(&mut self, hb: &Clock, other: &Covers, mark: Mark) -> bool {
        let is_news = |theirs: &Part| {
            let (by, since) = theirs.mark();
            hb.get(by) < since
        };
        let mut learnt = false;
        if let Some(theirs) = &other.all
            && is_news(theirs)
        {
            learnt |= self.all().acquire(theirs, mark);
        }
        if let Some(theirs) = &other.sc
            && is_news(theirs)
        {
            learnt |= self.sc().acquire(theirs, mark);
        }
        learnt
    }

    /// The sets that travel become those of `other`.
    #[inline(always)]
    pub(crate) fn assign(&mut self, other: &Covers) {
        match (&mut self.all, &other.all) {
            (None, None) => {}
            (Some(all), None) => all.forget(),
            (_, Some(theirs)) => self.all().assign(theirs),
        }
        match (&mut self.sc, &other.sc) {
            (None, None) => {}
            (Some(sc), None) => sc.forget(),
            (_, Some(theirs)) => self.sc().assign(theirs),
        }
    }

    /// An SC fence of the thread, at `mark`: D of it is all that is pending. Has the thread learnt
    /// something, but for its own epoch?
    pub(crate) fn fence_sc(&mut self, hb: &Clock, mark: Mark) -> bool {
        let learnt = self.all().order_fence(Some(hb), mark);
        learnt | self.sc.as_mut().is_some_and(|sc| sc.order_fence(None, mark))
    }

    /// Sets of a location: an SC write of a thread, which has `c`, in its epoch `k`.
    ///
    /// D of it is what strongly happens before, E(x), and the write itself. It goes to E(x), with
    /// the thread's SC fences. The write acquires what was released here, if `takes`, and releases
    /// what the thread has then; D of the write belongs to the thread only afterwards. Has the thread
    /// learnt something?
    #[inline(always)]
    pub(crate) fn write_sc(&mut self, c: &mut Covers, hb: &Clock, (slot, k): (Slot, u32), takes: bool) -> bool {
        let takes = |location: &Part| {
            let (by, since) = location.mark();
            takes && hb.get(by) < since
        };
        let mut learnt = false;
        let (location, mine) = (self.sc(), c.sc());
        learnt |= location.write_sc(mine, takes(location));
        // Who follows visits this write, or a newer one, itself. That it need not be told apart saves
        // sightings.
        location.set(Set::Written, slot, k);
        location.set_mark((slot, k));
        mine.set(Set::Accesses, slot, k);
        mine.set_mark((slot, k + 1));
        if self.all.is_some() | c.all.is_some() {
            let (location, mine) = (self.all(), c.all());
            learnt |= location.write_sc(mine, takes(location));
            location.set_mark((slot, k));
            mine.set_mark((slot, k + 1));
        }
        learnt
    }

    /// Sets of a location: a write that is not SC, of a thread at `mark` that has acquired and
    /// released what it does. It adds the thread's SC fences to E(x), which is pending for the thread.
    ///
    /// `again` says that the thread was the last to be here, and knows what it knew then but for its
    /// own epochs. Then there is nothing to do but to pass on its last SC fence, unless others have
    /// read what it wrote.
    #[inline(always)]
    pub(crate) fn write(&mut self, c: &mut Covers, hb: &Clock, mark: Mark, again: bool) {
        let has_e = |part: &Option<Box<Part>>| part.as_ref().is_some_and(|part| part.has_e());
        let has_fences = |part: &Option<Box<Part>>| part.as_ref().is_some_and(|part| part.has(Set::Fences));
        if has_e(&self.all) || has_fences(&c.all) {
            let (location, mine) = (self.all(), c.all());
            if again && !location.has_other_reads(mark.0) {
                location.write_own(mark.0, mine.get(Set::Fences, mark.0));
            } else if location.write(mine, hb, None) {
                mine.learn(Set::Pending, location, Set::Written, mark);
            }
        }
        let has_read = |part: &Option<Box<Part>>| part.as_ref().is_some_and(|part| part.has(Set::Read));
        if (has_e(&self.sc) || has_fences(&c.sc)) && (!again || has_read(&self.sc)) {
            let (location, mine) = (self.sc(), part(&mut c.sc, &mut c.any));
            if location.write(mine, hb, c.all.as_deref()) {
                mine.learn(Set::Pending, location, Set::Written, mark);
            }
        }
    }

    /// Sets of a thread at `mark`: an SC read has D of what is coherence-ordered before. Has the
    /// thread learnt something?
    #[inline(always)]
    pub(crate) fn follow(&mut self, location: &Covers, mark: Mark) -> bool {
        let mut learnt = false;
        if let Some(theirs) = &location.all {
            learnt |= self.all().learn(Set::Accesses, theirs, Set::Written, mark);
        }
        if let Some(theirs) = &location.sc {
            learnt |= self.sc().learn(Set::Accesses, theirs, Set::Written, mark);
        }
        learnt
    }

    /// Sets of a thread: an SC read of its own, at `mark`.
    #[inline(always)]
    pub(crate) fn add_sc(&mut self, (slot, k): Mark) {
        let sc = self.sc();
        sc.set(Set::Accesses, slot, k);
        sc.set_mark((slot, k));
    }

    /// Sets of a location: an SC read passes on what it comes after.
    #[inline(always)]
    pub(crate) fn read_sc(&mut self, c: &Covers) {
        if let Some(theirs) = &c.all {
            self.all().join(Set::Read, theirs, Set::Accesses);
        }
        if let Some(theirs) = &c.sc {
            self.sc().join(Set::Read, theirs, Set::Accesses);
        }
    }

    /// Sets of a location: a read by `slot` again, which knows what it knew the last time but for its
    /// own epochs. It passes on the last SC fence of its own, and the last SC access if it is SC.
    #[inline(always)]
    pub(crate) fn read_again(&mut self, c: &Covers, slot: Slot, is_sc: bool) {
        if let Some(theirs) = &c.all
            && theirs.has(Set::Fences)
        {
            self.all().pass_on(slot, theirs.get(Set::Fences, slot));
        }
        if let Some(theirs) = &c.sc
            && is_sc
        {
            self.sc().pass_on_sc(slot, theirs.get(Set::Accesses, slot));
        }
    }

    /// Sets of a location: any read passes on the thread's SC fences.
    #[inline(always)]
    pub(crate) fn read(&mut self, c: &Covers) {
        if let Some(theirs) = &c.all
            && theirs.has(Set::Fences)
            && !self.all().passes_on_fences(theirs)
        {
            self.all().join(Set::Read, theirs, Set::Fences);
        }
        if let Some(theirs) = &c.sc
            && theirs.has(Set::Fences)
            && !self.sc().passes_on_fences(theirs)
        {
            self.sc().join(Set::Read, theirs, Set::Fences);
        }
    }

    /// Sets of a thread at `mark`: E(x) up to the newest write, which the thread has read, is pending.
    #[inline(always)]
    pub(crate) fn await_fence(&mut self, hb: &Clock, location: &Covers, mark: Mark) {
        if let Some(theirs) = &location.all
            && theirs.has(Set::Written)
            && theirs.is_news(self.all(), hb, None)
        {
            self.all().learn(Set::Pending, theirs, Set::Written, mark);
        }
        if let Some(theirs) = &location.sc
            && theirs.has(Set::Written)
            && theirs.is_news(part(&mut self.sc, &mut self.any), hb, self.all.as_deref())
        {
            self.sc().learn(Set::Pending, theirs, Set::Written, mark);
        }
    }

    /// Has a location released nothing but what strongly happens before?
    #[inline(always)]
    pub(crate) fn has_only_accesses(&self) -> bool {
        self.all.is_none() && self.sc.as_ref().is_none_or(|sc| !sc.has(Set::Pending) && !sc.has(Set::Fences))
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
