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
use crate::covers::Set;
use crate::thread::ThreadClocks;

impl Location {
    /// Is there anything to be done here? Without SC accesses and SC fences there never is.
    #[inline(always)]
    pub(super) fn is_in_order(&self, t: &ThreadClocks, sc: bool) -> bool {
        sc || !self.order.is_empty() || !t.c.covers.is_empty()
    }

    /// Before an SC read acquires anything. Has the thread learnt something, and must the access be
    /// told from others?
    pub(super) fn order_read(&mut self, t: &mut ThreadClocks, was_seen_sc: bool) -> (bool, bool) {
        let here = t.here();
        let learnt = !was_seen_sc && t.c.covers.learn(Set::Accesses, &self.order, here);
        let is_new = !was_seen_sc && !self.history.is_newest_in_order(&t.c.covers);
        if is_new {
            t.c.covers.learn_last_sc(Set::Accesses, t.slot(), t.epoch(), here);
        }
        if !self.order.passes_on(&t.c.covers, Set::Accesses) {
            self.order.join_set(Set::Read, &t.c.covers, Set::Accesses);
        }
        (learnt, is_new)
    }

    /// After a read has acquired what it does.
    pub(super) fn order_after_read(&mut self, t: &mut ThreadClocks, was_seen: bool) {
        if !was_seen {
            self.make_pending(t);
        }
        if !self.order.passes_on(&t.c.covers, Set::Fences) {
            self.order.join_set(Set::Read, &t.c.covers, Set::Fences);
        }
    }

    fn make_pending(&self, t: &mut ThreadClocks) {
        if !t.c.covers.is_pending(&t.c.hb, &self.order) {
            let here = t.here();
            t.c.covers.learn(Set::Pending, &self.order, here);
        }
    }

    /// An SC read that has been made before; what has changed since is how many SC accesses the
    /// thread has made.
    pub(super) fn order_read_again(&mut self, t: &ThreadClocks) {
        let last = t.c.covers.last_sc(Set::Accesses, t.slot());
        if self.order.has_read_sc() {
            self.order.set_last_sc(Set::Read, t.slot(), last);
        } else if self.order.last_sc(Set::Written, t.slot()) < last {
            self.order.join_set(Set::Read, &t.c.covers, Set::Accesses);
        }
    }

    /// Before a write acquires or releases anything.
    pub(super) fn order_write(&mut self, t: &ThreadClocks, sc: bool) {
        self.order.write_read();
        if sc {
            self.order.join_set(Set::Written, &t.c.covers, Set::Accesses);
            self.order.set_last_sc(Set::Written, t.slot(), t.epoch());
        }
    }

    /// After a write has acquired and released what it does; it was made in epoch `k`. Has the
    /// thread learnt something?
    pub(super) fn order_after_write(&mut self, t: &mut ThreadClocks, sc: bool, k: u32) -> bool {
        self.order.join_set(Set::Written, &t.c.covers, Set::Fences);
        if !sc {
            self.make_pending(t);
            return false;
        }
        let here = t.here();
        t.c.covers.learn_last_sc(Set::Accesses, t.slot(), k, here);
        t.c.covers.learn(Set::Accesses, &self.order, here)
    }
}
