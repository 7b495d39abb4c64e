//! What a thread knows.
//!
//! Paper: Margalit et al., PLDI 2025, appendix B (T_c, T_a, T_r as vector clocks). The hb_SC clocks
//! replace the location clocks T_SC of its appendix A. SC fences are those of C++20 (`covers`), and
//! change nothing but what their own thread knows. Exact: `c` is happens-before, `sc` is hb_SC.
//!
//! Facts used here and in `location`:
//!
//! - `n` counts writes only, since only the numbers of writes are ever compared. Who has heard of a
//!   thread after a read has heard of the writes before that read.
//! - SC accesses have no numbers of their own but the epochs they are made in. An SC write ends its
//!   epoch, and so does an SC read that has to be told from others.
//! - `a` holds what relaxed reads have picked up. It need not include `c`, for it is only ever
//!   joined into `c`.

use crate::clock::{Clock, LAST_EPOCH, Slot};
use crate::covers::{Familiar, Mark, Own, Set};
use crate::view::View;
use fencepost_protocol::Order;

/// Where the counters of a slot stand, for the next thread to use it; [`Epochs::default`] for a
/// slot never used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epochs {
    pub(crate) k: u32,
    pub(crate) n: u32,
    pub(crate) generation: u32,
    pub(crate) version: u32,
}

impl Default for Epochs {
    fn default() -> Self {
        // Epoch 0 is known to everybody, and so is write 0; generation 0 is that of a thread that
        // was never here, and version 0 is nobody's.
        Epochs { k: 1, n: 0, generation: 1, version: 1 }
    }
}

impl Epochs {
    /// Are the counters near their end, 2³¹? Then the slot must not be used again, and a thread
    /// that is still running should go on in another ([`ThreadClocks::move_to`]). There are 2²⁰
    /// operations left to do so.
    #[inline]
    pub fn is_worn_out(&self) -> bool {
        self.k.max(self.n).max(self.generation).max(self.version) > LAST_EPOCH - (1 << 20)
    }
}

/// The clocks of one thread.
#[derive(Clone, Debug)]
pub struct ThreadClocks {
    slot: Slot,
    /// The thread's epoch and the number of its writes: its own entries of `c` and `sc`, once more.
    /// Nobody knows of later ones.
    k: u32,
    n: u32,
    /// Happens-before; the entry of the own slot is the thread's epoch k.
    pub(crate) c: View,
    /// What an acquire fence would add to `c`.
    pub(crate) a: View,
    /// Has `a` changed since the last acquire fence?
    pub(crate) has_picked_up: bool,
    /// `c` at the last release fence.
    pub(crate) r: View,
    /// Slot and epoch of that fence: who knows it knows `r`. Epoch 0, which everybody knows, if
    /// there was none.
    fenced: (Slot, u32),
    /// hb_SC; the entry of the own slot is n, the number of the thread's writes.
    pub(crate) sc: Clock,
    /// How often `c` or `sc` has changed by more than the own entry: while it stays, the thread has
    /// learnt nothing.
    generation: u32,
    /// The slot, and how often the sets of `c` have changed by more than what the thread has added
    /// of its own.
    me: Familiar,
    /// What it has added.
    pub(crate) own: Own,
    /// The generation at the last SC fence that was not like the one before; 0 if there was none.
    fenced_generation: u32,
    /// The generation after the last SC access that acquired something of the order S; 0 if there
    /// was none.
    acquired_generation: u32,
}

impl ThreadClocks {
    /// The first thread of a program.
    pub fn new(slot: Slot, epochs: Epochs) -> Self {
        let empty = ThreadClocks {
            slot,
            k: 0,
            n: 0,
            c: View::default(),
            a: View::default(),
            has_picked_up: false,
            r: View::default(),
            fenced: (0, 0),
            sc: Clock::new(),
            generation: 0,
            me: Familiar::NOBODY,
            own: Own::default(),
            fenced_generation: 0,
            acquired_generation: 0,
        };
        empty.placed(slot, epochs)
    }

    /// A new thread in `slot`, which knows what this one knows. A slot may be used again, with the
    /// epochs of the thread that [finished](Self::finished) there, once this thread
    /// [knows](Self::knows) that thread's last epoch (say, because it has joined it).
    #[must_use]
    pub fn spawn(&mut self, slot: Slot, epochs: Epochs) -> ThreadClocks {
        let child = ThreadClocks {
            slot,
            k: 0,
            n: 0,
            c: self.c.clone(),
            a: View::default(),
            has_picked_up: false,
            r: View::default(),
            fenced: (0, 0),
            sc: self.sc.clone(),
            generation: 0,
            me: Familiar::NOBODY,
            own: Own::default(),
            fenced_generation: 0,
            acquired_generation: 0,
        };
        self.end_epoch();
        child.placed(slot, epochs)
    }

    fn placed(mut self, slot: Slot, epochs: Epochs) -> Self {
        self.move_to(slot, epochs);
        self
    }

    /// Goes on in another slot, as when one thread finishes and its successor does what it would
    /// have done.
    pub fn move_to(&mut self, slot: Slot, epochs: Epochs) {
        self.slot = slot;
        (self.k, self.n) = (epochs.k, epochs.n);
        self.c.hb.set(slot, epochs.k);
        self.sc.set(slot, epochs.n);
        self.generation = epochs.generation;
        (self.me, self.own) = (Familiar::new(slot, epochs.version), Own::default());
        // What was said of the old slot does not hold for the new one. With no fence of its own,
        // and this mark, the next one is not like the last, whatever the generation is.
        self.c.covers.set_mark((slot, epochs.k));
        self.acquired_generation = 0;
    }

    /// Waits for a thread that has finished.
    pub fn join(&mut self, finished: &ThreadClocks) {
        self.acquire(&finished.c, &finished.sc);
    }

    /// Where a successor in the same slot goes on.
    #[inline]
    pub fn finished(&self) -> Epochs {
        let (generation, version) = (next(self.generation), next(self.me.version()));
        Epochs { k: next(self.epoch()), n: self.writes(), generation, version }
    }

    /// Are the counters near their end ([`Epochs::is_worn_out`])?
    #[inline]
    pub fn is_worn_out(&self) -> bool {
        self.finished().is_worn_out()
    }

    /// The thread's place.
    #[inline]
    pub fn slot(&self) -> Slot {
        self.slot
    }

    /// The epoch k of what the thread does now, plain accesses included.
    #[inline]
    pub fn epoch(&self) -> u32 {
        debug_assert_eq!(self.k, self.c.hb.get(self.slot));
        self.k
    }

    /// Does everything that the thread in `slot` did in its epoch `k` or before happen before the
    /// next step of this one? (All that was done in the own slot does.) A plain access races with
    /// an earlier conflicting one of another thread iff not.
    #[inline]
    pub fn knows(&self, slot: Slot, k: u32) -> bool {
        self.c.hb.get(slot) >= k
    }

    /// Must the next access of the thread not miss a write that an access of `slot` in its epoch
    /// `k` has made or read? The one that is about to be made is SC, or is not; so is the other
    /// one.
    #[inline]
    pub fn is_aware(&self, next_is_sc: bool, slot: Slot, k: u32, was_sc: bool) -> bool {
        self.knows(slot, k) || !self.c.covers.is_empty() && self.is_aware_in_order(next_is_sc, slot, k, was_sc)
    }

    #[inline(never)]
    fn is_aware_in_order(&self, next_is_sc: bool, slot: Slot, k: u32, was_sc: bool) -> bool {
        let has = |set| self.c.covers.has(set, slot, k, was_sc);
        has(Set::Fences) || next_is_sc && has(Set::Accesses)
    }

    /// A fence.
    pub fn fence(&mut self, order: Order) {
        if order.acquires() && self.has_picked_up {
            self.acquire_fence();
        }
        if order.is_sc() {
            self.fence_sc();
        } else if order.releases() {
            self.r.assign(&self.c);
        }
        if order.releases() {
            self.fenced = (self.slot, self.epoch());
            self.end_epoch();
        }
    }

    /// What an SC fence does besides being an acquire fence; `r` is what the thread knows then.
    ///
    /// It is no news for checks, or for who was somewhere before: the hb_SC-past stays, and who
    /// must not miss more finds no violation where there was none. What the thread passes on from
    /// now on is a new version of its sets.
    #[inline(always)]
    fn fence_sc(&mut self) {
        let (here, own) = (self.here(), self.own);
        self.own.fence = here.1;
        let knows_same = self.generation == self.fenced_generation;
        if knows_same && self.c.covers.fence_sc_again(&mut self.r.covers, self.slot, here.1, own) {
            self.r.hb.assign(&self.c.hb);
        } else {
            self.fence_sc_news(here);
        }
    }

    #[inline(never)]
    fn fence_sc_news(&mut self, here: Mark) {
        let learnt = self.c.covers.fence_sc(&self.c.hb, here);
        self.learn_sets(learnt);
        self.fenced_generation = self.generation;
        self.r.assign(&self.c);
    }

    /// Slot and epoch that `r` was released in.
    #[inline]
    pub(crate) fn fenced(&self) -> (Slot, u32) {
        self.fenced
    }

    fn acquire_fence(&mut self) {
        let here = self.here();
        let learnt = self.c.join(&self.a, here);
        self.has_picked_up = false;
        self.learn(learnt);
        self.learn_sets(learnt);
    }

    /// Where the thread is: who knows this epoch knows what the thread knows now.
    #[inline]
    pub(crate) fn here(&self) -> Mark {
        (self.slot, self.k)
    }

    /// Learns all that is in these clocks.
    pub(crate) fn acquire(&mut self, c: &View, sc: &Clock) {
        let here = self.here();
        let learnt = self.c.join(c, here) | self.sc.join(sc);
        self.learn(learnt);
        self.learn_sets(learnt);
    }

    /// Who learns what the thread has done so far need not know what it does from now on: that is
    /// so when the thread has released something. Others may ask for more epochs, to tell by them
    /// what was done when.
    #[inline]
    pub fn end_epoch(&mut self) {
        self.k = next(self.epoch());
        self.c.hb.set(self.slot, self.k);
    }

    /// The number of the last write.
    #[inline]
    pub fn writes(&self) -> u32 {
        debug_assert_eq!(self.n, self.sc.get(self.slot));
        self.n
    }

    /// One more write; its number.
    #[inline]
    pub(crate) fn count_write(&mut self) -> u32 {
        self.n = next(self.writes());
        self.sc.set(self.slot, self.n);
        self.n
    }

    /// Changes whenever the thread has learnt something about others.
    #[inline]
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// The thread, as locations know who is familiar with them.
    #[inline]
    pub(crate) fn me(&self) -> Familiar {
        self.me
    }

    /// The sets of `c` may have changed by more than what the thread has added of its own.
    #[inline]
    pub(crate) fn learn_sets(&mut self, learnt: bool) {
        if learnt {
            self.me = Familiar::new(self.slot, next(self.me.version()));
        }
    }

    /// An SC access has acquired something of the order S, which it does not pass on itself.
    #[inline]
    pub(crate) fn acquire_sc(&mut self) {
        self.acquired_generation = self.generation;
    }

    /// Was what the thread has learnt last acquired by an SC access?
    #[inline]
    pub fn has_acquired_sc(&self) -> bool {
        self.generation == self.acquired_generation
    }

    #[inline]
    pub(crate) fn learn(&mut self, learnt: bool) {
        self.generation = (self.generation + u32::from(learnt)).min(LAST_EPOCH);
    }
}

#[inline]
fn next(epoch: u32) -> u32 {
    (epoch + 1).min(LAST_EPOCH)
}
