//! What an access to a location does to the order S: the sets D of SC accesses, and what they, and
//! accesses after SC fences, pass on to later accesses to the location. The rules and their source
//! are in `covers`; names are those of that file.
//!
//! For an access s of thread τ to x, where E(x) is up to the newest write for a read, and whole for
//! a write:
//!
//! - D(s) is D of all that strongly happens before s, E(x), and s itself, if s is SC. It is known
//!   before s acquires anything: what s synchronises with does not strongly happen before s, unless
//!   it comes by E(x).
//! - s adds to E(x) what τ has of SC fences, and D(s) if s is SC.
//! - E(x) is pending for τ from now on. It is part of D(s), too, if s is SC.

use super::Location;
use crate::thread::ThreadClocks;
use crate::visits::Effects;

impl Location {
    /// Is there anything to be done here? Without SC accesses and SC fences there never is.
    #[inline(always)]
    pub(super) fn is_in_order(&self, t: &ThreadClocks, sc: bool) -> bool {
        sc | !self.order.is_empty() | !t.c.covers.is_empty()
    }

    /// Before an SC read acquires anything. Has the thread learnt something, and must the access be
    /// told from others?
    #[inline(always)]
    pub(super) fn order_read(&mut self, t: &mut ThreadClocks, was_seen_sc: bool) -> (bool, bool) {
        let here = t.here();
        let learnt = !was_seen_sc && t.c.covers.follow(&self.order, here);
        t.learn_sets(learnt);
        let is_new = !was_seen_sc && !self.history.is_newest_in_order(&t.c.covers);
        if is_new {
            t.c.covers.add_sc(here);
            t.own.access = here.1;
        }
        self.order.read_sc(&t.c.covers, t.me());
        (learnt, is_new)
    }

    /// A read again, by a thread that has learnt nothing since but of SC fences.
    #[inline(never)]
    pub(super) fn order_read_again(&mut self, t: &ThreadClocks, sc: bool) {
        self.order.settle();
        if sc {
            self.order.read_sc_again(t.me(), t.own);
        }
        self.order.read(&t.c.covers, t.me(), t.own);
    }

    /// An SC read again, by a thread that has learnt nothing since, but has acquired something then
    /// or later by an SC access. That does not strongly happen before the access, but before this
    /// read, which passes it on. The new generation says that this has been done.
    #[inline(never)]
    pub(super) fn order_read_after_acquiring(&mut self, t: &mut ThreadClocks) {
        self.order.settle();
        self.order.read_sc(&t.c.covers, t.me());
        self.order.read(&t.c.covers, t.me(), t.own);
        t.learn(true);
        if self.history.index() > 0 {
            self.leave_visit(t, Effects::new(true, true));
        }
    }

    /// Has an SC read, which reads the newest write, nothing to acquire of the order S? An SC store
    /// releases what strongly happens before it, and passes that on as well.
    #[inline(always)]
    pub(super) fn is_passed_on(&self) -> bool {
        let newest = self.history.newest();
        newest.sc && !newest.rmw && self.order.has_only_accesses()
    }

    /// After a read has acquired what it does.
    #[inline(always)]
    pub(super) fn order_after_read(&mut self, t: &mut ThreadClocks, sc: bool, was_seen: bool) {
        if !sc && !was_seen {
            let here = t.here();
            let learnt = t.c.covers.await_fence(&t.c.hb, &self.order, here);
            t.learn_sets(learnt);
        }
        self.order.read(&t.c.covers, t.me(), t.own);
    }

    /// Before an SC write, which releases, and acquires if it reads. Has the thread learnt
    /// something?
    #[inline(always)]
    pub(super) fn order_write_sc(&mut self, t: &mut ThreadClocks, reads: bool) -> bool {
        let (here, me, own) = (t.here(), t.me(), t.own);
        t.own.access = here.1;
        if self.order.write_sc_again(&mut t.c.covers, me, own, here.1) {
            return false;
        }
        self.order.settle();
        let takes = reads && !self.is_released_to(t);
        let learnt = self.order.write_sc(&mut t.c.covers, &t.c.hb, here, takes);
        t.learn_sets(learnt);
        self.order.set_writer_sc(t.me(), learnt);
        learnt
    }

    /// After another write has acquired and released what it does. `released` says that this was
    /// all that the thread knew. What it learns now is E(x), and need not be released here.
    #[inline(always)]
    pub(super) fn order_after_write(&mut self, t: &mut ThreadClocks, released: bool) {
        let (here, me, own) = (t.here(), t.me(), t.own);
        let learnt = self.order.write(&mut t.c.covers, &t.c.hb, here, me, own);
        t.learn_sets(learnt);
        self.order.set_writer(t.me(), released);
    }
}
