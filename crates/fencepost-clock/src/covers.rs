//! D-clocks: which accesses must not be missed, by the order S of SC accesses and SC fences.
//!
//! Source: ISO C++20, `[atomics.order]` p3–4; the clocks are ours. For an SC event s, D(s) has
//! every access A such that
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
//! - What an SC access follows is left out of [`Set::Accesses`] if it is in [`Set::Fences`]. The
//!   latter goes wherever the former goes, and counts wherever it counts.
//!
//! **Growing late is exact.** A clock that is not there has only zeroes. Before the first SC event
//! of a run all these sets are empty. D of the first SC fence is what happens before it, and that
//! is known. What an SC access orders goes to E(x), and from there to [`Set::Pending`] of whoever
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
//!
//! **Own epochs.** What a thread adds of its own to its sets is one epoch in each part ([`Own`]):
//! of its last SC fence to [`Set::Fences`], of its last SC access to [`Set::Accesses`]. The mark of
//! the sets follows from them, and does not change otherwise. An SC fence is like the last one, but
//! for the own epoch, if nothing else has changed since in happens-before and in the sets
//! ([`Covers::fence_sc_again`]).
//!
//! **Who is familiar.** A thread is familiar with E(x) if E(x), up to the newest write, is pending
//! for it, and E(x) has all of its SC fences, but for its own epochs. What is pending only grows.
//! So it stays familiar until others add something to E(x), or its own sets change by more than its
//! own epochs: they have a version. Next time it adds no more than its own epochs. A location keeps
//! one such thread for each part ([`Familiar`]), and what holds besides:
//!
//! - The location has released what the thread has, but for its own epochs and E(x), and no reads
//!   have added anything to E(x) since, but for own epochs. Then a write that releases all that the
//!   thread has leaves only its own epochs ([`Covers::write_again`]). Every write says anew whether
//!   this holds, so what others release, or the thread by a fence, need not be looked at.
//! - E(x) is in [`Set::Accesses`] and [`Set::Fences`] of the thread, but for its own epochs. Then
//!   an SC write has nothing to follow ([`Covers::write_sc_again`]).
//!
//! These epochs stand beside the sets of the location until anything else happens there
//! ([`Covers::settle`]). A write of the same thread only settles what it has released
//! ([`Covers::settle_released`]), and passes on the rest itself: what its reads have passed on of
//! its own are own epochs, too, with which it is familiar.
//!
//! **Lone reads.** A thread that comes after no SC accesses but its own passes on one epoch by an
//! SC read. Where that is all that a location has of SC accesses, there is no part for it
//! ([`Covers::settle`]): programs look at many variables when all is done.
//!
//! A slot that is used again goes on with its versions, and the new thread knows what the old one
//! knew. So what a location says of a slot holds for the new thread, or is about an older version.

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

/// A thread that is familiar with E(x): a slot, and a version of what the thread has, which changes
/// with all that is not its own. Or nobody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Familiar(u64);

impl Familiar {
    pub(crate) const NOBODY: Familiar = Familiar(0);
    /// The location has released what the thread has, and reads have added nothing since.
    const RELEASED: u64 = 1;
    /// E(x) is in [`Set::Accesses`] of the thread.
    const FOLLOWED: u64 = 2;
    const FLAGS: u64 = Self::RELEASED | Self::FOLLOWED;

    /// With all flags. Versions start at 1.
    #[inline(always)]
    pub(crate) fn new(slot: Slot, version: u32) -> Self {
        Familiar(u64::from(version) << 18 | u64::from(slot) << 2 | Self::FLAGS)
    }

    #[inline(always)]
    fn slot(self) -> Slot {
        (self.0 >> 2) as Slot
    }

    #[inline(always)]
    pub(crate) fn version(self) -> u32 {
        (self.0 >> 18) as u32
    }

    #[inline(always)]
    fn with(self, flags: u64) -> Self {
        Familiar(self.0 & !Self::FLAGS | flags)
    }

    /// The same slot, with a version that no thread has.
    #[inline(always)]
    fn unversioned(self) -> Self {
        Familiar::new(self.slot(), u32::MAX).with(0)
    }

    /// Is it `me`, whatever else it says?
    #[inline(always)]
    fn is(self, me: Familiar) -> bool {
        self.0 | Self::FLAGS == me.0
    }

    /// Is it somebody, and in the slot of `other`?
    #[inline(always)]
    fn is_slot_of(self, other: Familiar) -> bool {
        self.slot() == other.slot() && self.version() != 0
    }
}

/// What a thread adds of its own: the epochs of its last SC fence and its last SC access.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Own {
    pub(crate) fence: u32,
    pub(crate) access: u32,
}

/// Sets of accesses, as far as there are any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Covers {
    /// Is there anything?
    any: bool,
    /// Of a location that has no part of SC accesses: the slot and the epoch of an SC read of a
    /// thread that comes after no SC accesses but its own. That is all that it passes on, until
    /// [`Self::settle`] adds it. Epoch 0 if there was none.
    lone_reader: Slot,
    lone_read: u32,
    /// Every access up to an epoch.
    all: Option<Box<Part<false>>>,
    /// SC accesses up to an epoch.
    sc: Option<Box<Part<true>>>,
}

/// A part, which is made if it is not there.
#[inline(always)]
fn part<'a, const SC: bool>(part: &'a mut Option<Box<Part<SC>>>, any: &mut bool) -> &'a mut Part<SC> {
    if part.is_none() {
        make(part);
        *any = true;
    }
    part.as_mut().expect("it was made")
}

#[cold]
#[inline(never)]
fn make<const SC: bool>(part: &mut Option<Box<Part<SC>>>) {
    *part = Some(Box::default());
}

impl Covers {
    /// Is there nothing in any set?
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        !self.any
    }

    #[inline(always)]
    fn all(&mut self) -> &mut Part<false> {
        part(&mut self.all, &mut self.any)
    }

    #[inline(always)]
    fn sc(&mut self) -> &mut Part<true> {
        part(&mut self.sc, &mut self.any)
    }

    /// Is an access of `slot` in its epoch `k` in `set`?
    #[inline]
    pub(crate) fn has(&self, set: Set, slot: Slot, k: u32, is_sc: bool) -> bool {
        is_sc && self.sc.as_ref().is_some_and(|sc| sc.get(set, slot) >= k)
            || self.all.as_ref().is_some_and(|all| all.get(set, slot) >= k)
    }

    /// Sets of a thread that goes on at `mark`.
    pub(crate) fn set_mark(&mut self, mark: Mark) {
        if let Some(all) = &mut self.all {
            all.set_mark(mark);
        }
        if let Some(sc) = &mut self.sc {
            sc.set_mark(mark);
        }
    }

    /// Adds the sets that travel, where `hb` is known with those that are here.
    #[inline(always)]
    pub(crate) fn acquire(&mut self, hb: &Clock, other: &Covers, mark: Mark) -> bool {
        let is_news = |(by, since): Mark| hb.get(by) < since;
        let mut learnt = false;
        if let Some(theirs) = &other.all
            && is_news(theirs.mark())
        {
            learnt |= self.all().acquire(theirs, mark);
        }
        if let Some(theirs) = &other.sc
            && is_news(theirs.mark())
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
            (Some(all), Some(theirs)) => all.assign(theirs),
            (None, Some(theirs)) => self.all().assign(theirs),
        }
        match (&mut self.sc, &other.sc) {
            (None, None) => {}
            (Some(sc), None) => sc.forget(),
            (Some(sc), Some(theirs)) => sc.assign(theirs),
            (None, Some(theirs)) => self.sc().assign(theirs),
        }
    }

    /// An SC fence of the thread in `slot`, in its epoch `k`. Happens-before has changed since the
    /// last one by no more than the own epoch. If the sets have not changed either, D of the fence
    /// is that of the last one, and the own epoch; and so is `r`, what was released then. False if
    /// they have changed.
    #[inline(always)]
    pub(crate) fn fence_sc_again(&mut self, r: &mut Covers, slot: Slot, k: u32, own: Own) -> bool {
        let Some(all) = &mut self.all else { return false };
        if all.since() > own.fence || self.sc.as_ref().is_some_and(|sc| sc.since() > own.fence) {
            return false;
        }
        all.raise(Set::Fences, slot, k);
        if let Some(all) = &mut r.all {
            all.release_own(slot, k);
        }
        // The last SC access comes before the fence, which goes wherever it goes.
        true
    }

    /// An SC fence of the thread, at `mark`: D of it is all that is pending. Has the thread learnt
    /// of other SC fences? Even the first one of its own is no more than an own epoch.
    #[inline(never)]
    pub(crate) fn fence_sc(&mut self, hb: &Clock, mark: Mark) -> bool {
        let all = self.all();
        let learnt = all.order_fence(Some(hb), mark);
        learnt | self.sc.as_mut().is_some_and(|sc| sc.order_fence(None, mark))
    }

    /// Sets of a location: an SC write of a thread, which has `c`, in its epoch `k`.
    ///
    /// D of it is what strongly happens before, E(x), and the write itself. It goes to E(x), with
    /// the thread's SC fences. The write acquires what was released here, if `takes`, and releases
    /// what the thread has then; D of the write belongs to the thread only afterwards. Has the
    /// thread learnt something?
    #[inline(always)]
    pub(crate) fn write_sc(&mut self, c: &mut Covers, hb: &Clock, (slot, k): (Slot, u32), takes: bool) -> bool {
        let takes = |(by, since): Mark| takes && hb.get(by) < since;
        let (location, mine) = (self.sc(), c.sc());
        let mut learnt = location.write_sc(mine, takes(location.mark()));
        // Who follows visits this write, or a newer one, itself. That it need not be told apart
        // saves sightings.
        location.set(Set::Written, slot, k);
        location.set_mark((slot, k));
        mine.add_own(k, (slot, k + 1), learnt);
        if self.all.is_some() | c.all.is_some() {
            learnt |= self.write_sc_all(c, (slot, k), takes);
        }
        learnt
    }

    #[inline(always)]
    fn write_sc_all(&mut self, c: &mut Covers, (slot, k): Mark, takes: impl Fn(Mark) -> bool) -> bool {
        let (location, mine) = (self.all(), c.all());
        let learnt = location.write_sc(mine, takes(location.mark()));
        location.set_mark((slot, k));
        if learnt || !mine.is_by(slot) {
            mine.set_mark((slot, k + 1));
        }
        learnt
    }

    /// Sets of a location: an SC write in epoch `k`, as [`Self::write_sc`], by a thread that has
    /// released here what it has, and whose [`Set::Accesses`] have E(x). There are only its own
    /// epochs to be added. False if it is not like that.
    #[inline(always)]
    pub(crate) fn write_sc_again(&mut self, c: &mut Covers, me: Familiar, own: Own, k: u32) -> bool {
        let (Some(location), Some(mine)) = (&mut self.sc, &mut c.sc) else { return false };
        if location.familiar() != me {
            return false;
        }
        match &mut self.all {
            Some(location) if location.familiar() == me => {
                location.release_again(own.fence);
                location.write_again(own.fence);
            }
            None if c.all.is_none() => {}
            _ => return false,
        }
        location.release_again(own.access);
        location.write_again(k);
        mine.raise(Set::Accesses, me.slot(), k);
        true
    }

    /// Sets of a location: what the thread that is familiar with E(x) has added, as all others have
    /// it; and so the lone read.
    #[inline(always)]
    pub(crate) fn settle(&mut self) {
        if let Some(all) = &mut self.all {
            all.settle();
        }
        if let Some(sc) = &mut self.sc {
            sc.settle();
        }
        if self.lone_read != 0 {
            self.settle_lone_read();
        }
    }

    #[inline(never)]
    fn settle_lone_read(&mut self) {
        let (slot, epoch) = (self.lone_reader, std::mem::take(&mut self.lone_read));
        self.sc().add_read(slot, epoch);
    }

    /// The same of what it has released only, before a write that is not SC. What the thread has
    /// passed on of its own may go on standing for itself: [`Self::write`] settles that if it must.
    #[inline(always)]
    pub(crate) fn settle_released(&mut self) {
        if let Some(all) = &mut self.all {
            all.settle_released();
        }
        if let Some(sc) = &mut self.sc {
            sc.settle_released();
        }
    }

    /// Sets of a location, after [`Self::write_sc`]: the thread is familiar with E(x). If it has
    /// learnt nothing, what it has is what is released here.
    #[inline(always)]
    pub(crate) fn set_writer_sc(&mut self, me: Familiar, learnt: bool) {
        let me = me.with(Familiar::FOLLOWED | u64::from(!learnt));
        if let Some(all) = &mut self.all {
            all.set_familiar(me);
        }
        if let Some(sc) = &mut self.sc {
            sc.set_familiar(me);
        }
    }

    /// Sets of a location: a write that is not SC, by a thread that has released here what it has,
    /// and releases it again. There are only its own epochs to be added, by an update as well:
    /// nobody else has written since. False if it is not like that.
    #[inline(always)]
    pub(crate) fn write_again(&mut self, c: &Covers, me: Familiar, own: Own) -> bool {
        if self.lone_read != 0 {
            return false;
        }
        match &self.sc {
            Some(sc) if sc.has_released(me) => {}
            None if c.sc.is_none() => {}
            _ => return false,
        }
        match &mut self.all {
            Some(all) if all.has_released(me) => {
                all.release_again(own.fence);
                all.write_again(own.fence);
            }
            None if c.all.is_none() => {}
            _ => return false,
        }
        if let Some(sc) = &mut self.sc {
            sc.release_again(own.access);
            // Who needs to know of the thread's SC reads acquires this write, and so knows of them.
            // But as reads they would be in the way of the next writes.
            sc.write_again(0);
        }
        true
    }

    /// Sets of a location: a write that is not SC, of a thread at `mark` that has acquired and
    /// released what it does. It adds the thread's SC fences to E(x), which is pending for the
    /// thread. If the thread is familiar with E(x), there is only its last SC fence to be added.
    /// Has the thread learnt something?
    #[inline(always)]
    pub(crate) fn write(&mut self, c: &mut Covers, hb: &Clock, mark: Mark, me: Familiar, own: Own) -> bool {
        let is_done = match &mut self.all {
            Some(location) => location.familiar().is(me) && location.write_again(own.fence),
            None => c.all.is_none(),
        };
        let is_done_sc = match &mut self.sc {
            Some(location) => location.familiar().is(me) && location.write_again(0),
            None => c.sc.is_none() && self.lone_read == 0,
        };
        let learnt = !is_done && self.write_news(c, hb, mark);
        learnt | (!is_done_sc && self.write_news_sc(c, hb, mark))
    }

    #[inline(never)]
    fn write_news(&mut self, c: &mut Covers, hb: &Clock, mark: Mark) -> bool {
        self.settle();
        let has_e = self.all.as_ref().is_some_and(|all| all.has_e());
        if !has_e && c.all.as_ref().is_none_or(|all| !all.has(Set::Fences)) {
            return false;
        }
        let (location, mine) = (self.all(), c.all());
        location.write(mine, hb, None) && mine.learn(Set::Pending, location, Set::Written, mark)
    }

    #[inline(never)]
    fn write_news_sc(&mut self, c: &mut Covers, hb: &Clock, mark: Mark) -> bool {
        self.settle();
        let has_e = self.sc.as_ref().is_some_and(|sc| sc.has_e());
        if !has_e && c.sc.as_ref().is_none_or(|sc| !sc.has(Set::Fences)) {
            return false;
        }
        let (location, mine) = (self.sc(), part(&mut c.sc, &mut c.any));
        location.write(mine, hb, c.all.as_deref()) && mine.learn(Set::Pending, location, Set::Written, mark)
    }

    /// Sets of a location, after [`Self::write`]: the thread is familiar with E(x). `released` says
    /// that what it has is what is released here, but for E(x), which who reads the write finds
    /// here.
    #[inline(always)]
    pub(crate) fn set_writer(&mut self, me: Familiar, released: bool) {
        if let Some(all) = &mut self.all {
            all.set_writer(me, released);
        }
        if let Some(sc) = &mut self.sc {
            sc.set_writer(me, released);
        }
    }

    /// Sets of a thread at `mark`: an SC read has D of what is coherence-ordered before. Has the
    /// thread learnt something?
    #[inline(always)]
    pub(crate) fn follow(&mut self, location: &Covers, mark: Mark) -> bool {
        let mut learnt = false;
        if let Some(theirs) = &location.all {
            learnt |= self.all().follow(theirs, mark);
        }
        if let Some(theirs) = &location.sc {
            learnt |= self.sc().follow(theirs, mark);
        }
        learnt
    }

    /// Sets of a thread: an SC read of its own, at `mark`.
    #[inline(always)]
    pub(crate) fn add_sc(&mut self, mark: Mark) {
        self.sc().add_own(mark.1, mark, false);
    }

    /// Sets of a location: an SC read passes on what it comes after.
    #[inline(always)]
    pub(crate) fn read_sc(&mut self, c: &Covers, me: Familiar) {
        if let Some(theirs) = &c.all
            && theirs.has(Set::Accesses)
        {
            self.all().read_sc(theirs, me);
        }
        if let Some(theirs) = &c.sc
            && theirs.has(Set::Accesses)
        {
            match theirs.lone_access(me.slot()).filter(|_| self.sc.is_none()) {
                Some(epoch) => (self.lone_reader, self.lone_read, self.any) = (me.slot(), epoch, true),
                None => self.sc().read_sc(theirs, me),
            }
        }
    }

    /// Sets of a location: an SC read again, by a thread that has learnt nothing since. It passes
    /// on the last SC access of its own.
    #[inline(always)]
    pub(crate) fn read_sc_again(&mut self, me: Familiar, own: Own) {
        if own.access != 0 {
            self.sc().pass_on_sc(me, own.access);
        }
    }

    /// Sets of a location: a read again, by a thread that is familiar with E(x). It passes on its
    /// last SC fence, and its last SC access if it is SC. False if the thread is not familiar with
    /// E(x).
    #[inline(always)]
    pub(crate) fn read_again(&mut self, c: &Covers, me: Familiar, own: Own, sc: bool) -> bool {
        match &mut self.all {
            Some(all) if all.familiar().is(me) => all.pass_on(me.slot(), own.fence),
            None if c.all.is_none() => {}
            _ => return false,
        }
        match &mut self.sc {
            Some(location) if location.familiar().is(me) => {
                if sc {
                    location.pass_on(me.slot(), own.access);
                }
                true
            }
            _ => c.sc.is_none(),
        }
    }

    /// Sets of a location: any read passes on the thread's SC fences. If the thread is familiar
    /// with E(x), that is no more than the last one of its own.
    #[inline(always)]
    pub(crate) fn read(&mut self, c: &Covers, me: Familiar, own: Own) {
        match &mut self.all {
            Some(all) if all.familiar().is(me) => all.pass_on(me.slot(), own.fence),
            _ => {
                if let Some(theirs) = &c.all
                    && theirs.has(Set::Fences)
                {
                    self.all().read(theirs, me);
                }
            }
        }
        if let Some(theirs) = &c.sc
            && self.sc.as_ref().is_none_or(|sc| !sc.familiar().is(me))
            && theirs.has(Set::Fences)
        {
            self.sc().read(theirs, me);
        }
    }

    /// Sets of a thread at `mark`: E(x) up to the newest write, which the thread has read, is
    /// pending. Has the thread learnt something?
    #[inline(always)]
    pub(crate) fn await_fence(&mut self, hb: &Clock, location: &Covers, mark: Mark) -> bool {
        let mut learnt = false;
        if let Some(theirs) = &location.all
            && theirs.has(Set::Written)
            && theirs.is_news(self.all(), hb, None)
        {
            learnt |= self.all().learn(Set::Pending, theirs, Set::Written, mark);
        }
        if let Some(theirs) = &location.sc
            && theirs.has(Set::Written)
            && theirs.is_news(part(&mut self.sc, &mut self.any), hb, self.all.as_deref())
        {
            learnt |= self.sc().learn(Set::Pending, theirs, Set::Written, mark);
        }
        learnt
    }

    /// Has a location released nothing but what strongly happens before?
    #[inline(always)]
    pub(crate) fn has_only_accesses(&self) -> bool {
        self.all.is_none() && self.sc.as_ref().is_none_or(|sc| !sc.has(Set::Pending) && !sc.has(Set::Fences))
    }

    /// Addresses in the lines of the cache where sets are.
    #[inline(always)]
    pub(crate) fn far(&self, fetch: &mut impl FnMut(*const u8)) {
        if self.any {
            if let Some(all) = &self.all {
                all.near(fetch);
            }
            if let Some(sc) = &self.sc {
                sc.near(fetch);
            }
        }
    }
}
