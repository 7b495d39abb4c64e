//! An atomic location: the rules for accesses.
//!
//! Paper: Margalit et al., PLDI 2025, appendix A (hb_SC) and appendix B (happens-before). The order
//! of SC accesses and SC fences is that of C++20; its rules are in `order`. The check is in
//! `history`.
//!
//! Exact. What is left out of an access changes nothing:
//!
//! - A read needs the writer's clock only if the newest write is not yet in its hb_SC-past. For
//!   hb_SC clocks are closed: who has heard of a write has heard of all that the writer had heard
//!   of.
//! - A read needs what was released only if it does not know the epoch in which it was released.
//!   Who knows the end of an epoch has acquired it, or something later, and with it all that the
//!   thread knew. Each epoch ends with one release.
//! - M_sc, the clock of all accesses, is W_sc ⊔ `readers_sc`, the latter from the reads since the
//!   last write.
//! - A load that finds what the same thread's last access found, knowing what it knew then, has
//!   nothing to do but to publish its number of writes (see `visits`).
//! - A check that finds nothing learnt since the same thread's last access finds no violation. The
//!   thread was aware of the newest write then, and no later one has come into its hb_SC-past
//!   since.
//! - A store or an update finds no violation if there were only updates since the same thread's
//!   last access: there is no gap for it. Counters that are only ever updated are never searched.
//! - Visits only save work. A thread that was somewhere and left no visit, or an older one, is
//!   aware of what it saw there by its clocks or by a sighting. So loads of what was never written
//!   leave no visit, nor do updates of what is only updated. Theirs would be one more line of the
//!   cache.

mod order;
mod stale;

pub use stale::{Released, Releases};

use crate::clock::{Clock, Slot};
use crate::covers::{Covers, UNMARKED};
use crate::history::{Access, Entry, Finding, History, Limits};
use crate::thread::ThreadClocks;
use crate::visits::{Effects, Visit, Visits};
use fencepost_protocol::Order;

/// The clocks and the history of one atomic location. In this order, so that what an access needs
/// lies together: an update of what is only updated needs neither of the last two.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Location {
    history: History,
    has_readers: bool,
    /// Who knows this epoch of this slot knows `w`.
    released_by: Slot,
    released_in: u32,
    /// hb_SC up to the newest write.
    w_sc: Clock,
    /// Released by the newest write: its release sequence.
    w: Clock,
    /// The sets released with it, and E(x).
    order: Covers,
    /// hb_SC up to the reads since the newest write; stale if there were none.
    readers_sc: Clock,
    visits: Visits,
}

/// An epoch that nobody knows.
const NEVER: u32 = u32::MAX;

impl Location {
    /// A location that holds `value` and was never accessed.
    pub fn new(value: u64) -> Self {
        Location {
            history: History::new(value),
            visits: Visits::default(),
            w: Clock::new(),
            order: Covers::default(),
            w_sc: Clock::new(),
            readers_sc: Clock::new(),
            has_readers: false,
            released_by: 0,
            released_in: 0,
        }
    }

    /// Could `access`, if `t` did it now, see what it cannot see under SC?
    #[inline]
    pub fn check(&self, t: &ThreadClocks, access: Access, order: Order) -> Finding {
        if self.is_clearly_clean(t, access.needs_gap()) {
            return Finding::Clean;
        }
        self.history.judge(t, self.visits.get(t.slot()).seen(), access, order)
    }

    /// Is it clear without a search that [`Self::check`] finds nothing? It mostly is. `writes` says
    /// that the access is a store, an update, or a blocking compare-and-swap: it writes, whatever
    /// it reads.
    #[inline(always)]
    pub fn is_clearly_clean(&self, t: &ThreadClocks, writes: bool) -> bool {
        // There never was a gap, or never was a write; the visits may be far away.
        if self.history.last_store() == 0 && (writes || self.history.index() == 0) {
            return true;
        }
        let visit = self.visits.get(t.slot());
        let has_learnt_nothing = visit.generation == t.generation();
        let has_seen_newest = visit.seen() == self.history.index();
        // It needs a gap, and there is none between updates.
        let has_no_gap = writes && self.history.last_store() <= visit.seen();
        has_learnt_nothing || has_seen_newest || has_no_gap
    }

    /// A load, or a compare-and-swap that failed (with its order for failures).
    #[inline(always)]
    pub fn load(&mut self, t: &mut ThreadClocks, order: Order, limits: Limits) {
        if self.history.index() == 0 {
            // There is nothing to be seen but the initial value, which everybody is aware of.
            return self.load_news(t, order, limits, Some(Effects::new(true, true)));
        }
        let effects = Effects::new(order.acquires(), order.is_sc());
        let visit = self.visits.get(t.slot());
        if visit.covers(t.generation(), self.history.index(), effects) {
            self.publish_number(t, order.is_sc());
        } else {
            self.load_news(t, order, limits, (visit.seen() == self.history.index()).then(|| visit.effects()));
            self.leave_visit(t, effects);
        }
    }

    /// As [`Self::load`], for a thread that has made the same load before and has learnt nothing
    /// since (its [`ThreadClocks::generation`] and slot are the same), from a location that was
    /// neither written to nor [reset](Self::reset) since.
    ///
    /// - The load before may have had a stronger order. But between two SC loads there was no other
    ///   load of the location.
    /// - A store of what is loaded counts as an acquire load of it, and as an SC load if it was SC:
    ///   its thread has nothing to acquire from itself, and has passed on what a load would.
    /// - If the thread has written nothing since, either, and has ended no epoch, such a load need
    ///   not be told, except for an SC load after [`ThreadClocks::has_acquired_sc`].
    #[inline(always)]
    pub fn load_again(&mut self, t: &mut ThreadClocks, order: Order) {
        debug_assert!(
            self.history.index() == 0 || {
                let effects = Effects::new(order.acquires(), order.is_sc());
                self.visits.get(t.slot()).covers(t.generation(), self.history.index(), effects)
            }
        );
        self.publish_number(t, order.is_sc());
    }

    /// As [`Self::load_again`], for a thread that may have learnt something since.
    #[inline(always)]
    pub fn load_again_knowing_more(&mut self, t: &mut ThreadClocks, order: Order, limits: Limits) {
        debug_assert_eq!(self.visits.get(t.slot()).seen(), self.history.index());
        let effects = Effects::new(order.acquires(), order.is_sc());
        self.load_news(t, order, limits, Some(effects));
        if self.history.index() > 0 {
            self.leave_visit(t, effects);
        }
    }

    /// The thread has made an access with these effects, and is aware of the newest write.
    #[inline(always)]
    fn leave_visit(&mut self, t: &ThreadClocks, effects: Effects) {
        self.visits.set(t.slot(), Visit::new(t.generation(), self.history.index(), effects));
    }

    /// The thread knows what it knew at its last access, which read or wrote what is read now.
    #[inline(always)]
    fn publish_number(&mut self, t: &mut ThreadClocks, sc: bool) {
        let n = t.writes();
        if self.has_readers {
            self.readers_sc.set(t.slot(), n);
        } else if self.w_sc.get(t.slot()) < n {
            self.readers_sc.assign(&t.sc);
            self.has_readers = true;
        }
        if t.c.covers.is_empty() {
            return;
        }
        if sc && t.has_acquired_sc() {
            self.order_read_after_acquiring(t);
        } else if !self.order.read_again(&t.c.covers, t.me(), t.own, sc) {
            self.order_read_again(t, sc);
        }
    }

    /// `seen` are the effects of an earlier access of the thread, if it has seen the same write.
    #[inline(never)]
    fn load_news(&mut self, t: &mut ThreadClocks, order: Order, limits: Limits, seen: Option<Effects>) {
        if self.is_in_order(t, order.is_sc()) {
            return self.load_in_order(t, order, limits, seen);
        }
        let mut learnt = self.follow_newest(t);
        self.publish_reader(t);
        learnt |= self.synchronise::<false>(t, order);
        t.learn(learnt);
        if seen.is_none() {
            self.history.record(t, false, limits);
        }
    }

    #[inline(never)]
    fn load_in_order(&mut self, t: &mut ThreadClocks, order: Order, limits: Limits, seen: Option<Effects>) {
        self.order.settle();
        let mut learnt = self.follow_newest(t);
        self.publish_reader(t);
        let mut is_new_sc = false;
        if order.is_sc() {
            let (has_learnt, is_new) = self.order_read(t, seen.is_some_and(Effects::is_sc));
            (learnt, is_new_sc) = (learnt | has_learnt, is_new);
        }
        let before = t.me();
        learnt |= match order.is_sc() && self.is_passed_on() {
            true => self.synchronise::<false>(t, order),
            false => self.synchronise::<true>(t, order),
        };
        let has_acquired = order.is_sc() && t.me() != before;
        self.order_after_read(t, order.is_sc(), seen.is_some());
        t.learn(learnt);
        if has_acquired {
            t.acquire_sc();
        }
        if seen.is_none() || is_new_sc {
            self.history.record(t, is_new_sc, limits);
        }
        if is_new_sc {
            t.end_epoch();
        }
    }

    /// A write that follows is after this read in hb_SC.
    #[inline(always)]
    fn publish_reader(&mut self, t: &ThreadClocks) {
        if self.has_readers {
            self.readers_sc.join(&t.sc);
        } else {
            self.readers_sc.assign(&t.sc);
            self.has_readers = true;
        }
    }

    /// A store.
    #[inline(never)]
    pub fn store(&mut self, t: &mut ThreadClocks, order: Order, value: u64, site: u32, limits: Limits) {
        self.write::<false>(t, order, value, site, limits);
    }

    /// A read-modify-write that wrote `value`, or a compare-and-swap that succeeded (with its order
    /// for success).
    #[inline(never)]
    pub fn rmw(&mut self, t: &mut ThreadClocks, order: Order, value: u64, site: u32, limits: Limits) {
        self.write::<true>(t, order, value, site, limits);
    }

    #[inline(always)]
    fn write<const RMW: bool>(&mut self, t: &mut ThreadClocks, order: Order, value: u64, site: u32, limits: Limits) {
        if order.is_sc() {
            self.write_with::<RMW, false, true>(t, order, value, site, limits);
        } else if self.is_in_order(t, false) {
            self.write_with::<RMW, true, false>(t, order, value, site, limits);
        } else {
            self.write_with::<RMW, false, false>(t, order, value, site, limits);
        }
    }

    /// `SC` says that the write is SC, `ORDER` that there is something else to be done for the
    /// order S.
    #[inline(never)]
    fn write_with<const RMW: bool, const ORDER: bool, const SC: bool>(
        &mut self,
        t: &mut ThreadClocks,
        order: Order,
        value: u64,
        site: u32,
        limits: Limits,
    ) {
        let (rmw, sc) = (RMW, SC);
        let mut learnt = self.follow_newest(t);
        if self.has_readers {
            learnt |= t.sc.join(&self.readers_sc);
            self.has_readers = false;
        }
        // The own entry is set in both: a copy of the one that was just set would wait for it.
        self.w_sc.assign(&t.sc);
        let n = t.count_write();
        self.w_sc.set(t.slot(), n);
        learnt |= SC && self.order_write_sc(t, rmw);
        learnt |= rmw && self.synchronise::<ORDER>(t, order);
        let again = ORDER && order.releases() && self.order.write_again(&t.c.covers, t.me(), t.own);
        if ORDER && !again {
            self.order.settle_released();
        }
        let released = match again {
            true => self.release::<RMW, false>(t, order),
            false => self.release::<RMW, ORDER>(t, order),
        };
        self.history.push(Entry { value, k: t.epoch(), n, site, writer: t.slot(), rmw, sc }, limits);
        if let Some(by) = self.history.renumber() {
            self.visits.renumber(by);
        }
        if order.releases() {
            t.end_epoch();
        }
        if ORDER && !again {
            self.order_after_write(t, released && order.releases());
        }
        t.learn(learnt);
        if RMW && SC && learnt {
            t.acquire_sc();
        }
        if RMW && !ORDER && !SC && self.history.last_store() == 0 {
            // The thread is aware of its own write.
            return;
        }
        // A store has nothing to acquire from itself.
        self.leave_visit(t, Effects::new(!rmw || order.acquires(), sc));
    }

    /// Leaves what readers of the new write acquire. Is that no more than what is released now?
    #[inline(always)]
    fn release<const RMW: bool, const ORDER: bool>(&mut self, t: &ThreadClocks, order: Order) -> bool {
        let before = (self.released_by, self.released_in);
        let (by, released) = match order.releases() {
            true => ((t.slot(), t.epoch()), &t.c),
            // Nothing is added to what the others have released.
            false if RMW && t.fenced() == (0, 0) => return false,
            false => (t.fenced(), &t.r),
        };
        // The same fence released it before.
        if by == before && !order.releases() {
            return false;
        }
        // Updates pass on what they read from. What is acquired and released at once is included
        // already.
        let is_included = || order.acquires() && order.releases() || released.hb.get(before.0) >= before.1;
        let includes = !RMW || is_included();
        if includes {
            if ORDER {
                self.order.assign(&released.covers);
            }
            self.w.assign(&released.hb);
            (self.released_by, self.released_in) = by;
        } else {
            if ORDER {
                self.order.acquire(&self.w, &released.covers, UNMARKED);
            }
            self.w.join(&released.hb);
            self.released_in = NEVER;
        }
        includes
    }

    /// Does the thread know all that was released?
    #[inline(always)]
    fn is_released_to(&self, t: &ThreadClocks) -> bool {
        t.knows(self.released_by, self.released_in)
    }

    /// Takes the newest write and all before it into the hb_SC-past. Has the thread learnt
    /// something?
    #[inline(always)]
    fn follow_newest(&self, t: &mut ThreadClocks) -> bool {
        !self.history.newest().is_past(t) && t.sc.join(&self.w_sc)
    }

    /// What a read takes from the write it reads. Has the thread learnt something at once?
    #[inline(always)]
    fn synchronise<const ORDER: bool>(&mut self, t: &mut ThreadClocks, order: Order) -> bool {
        if self.is_released_to(t) {
            return false;
        }
        if ORDER {
            self.order.settle();
        }
        let mut learnt = false;
        if order.acquires() {
            if ORDER {
                let here = t.here();
                learnt = t.c.covers.acquire(&t.c.hb, &self.order, here);
                t.learn_sets(learnt);
            }
            learnt | t.c.hb.join(&self.w)
        } else {
            if ORDER {
                t.a.covers.acquire(&t.a.hb, &self.order, UNMARKED);
            }
            t.a.hb.join(&self.w);
            t.has_picked_up = true;
            false
        }
    }

    /// Calls `fetch` with addresses near which `slot` will read or write if it makes a write now,
    /// as far as they are not in the location itself: there are processors that can be told in
    /// advance.
    #[inline(always)]
    pub fn far(&self, slot: Slot, mut fetch: impl FnMut(*const u8)) {
        self.history.far(&mut fetch);
        if self.history.last_store() != 0 {
            self.visits.far(slot, &mut fetch);
        }
        self.w_sc.far(&mut fetch);
        self.w.far(&mut fetch);
        self.order.far(&mut fetch);
    }

    /// The value of the newest write. If memory holds another one, somebody has written to it out
    /// of sight.
    #[inline]
    pub fn newest_value(&self) -> u64 {
        self.history.newest().value
    }

    /// Forgets everything and holds `value`: after initialisation by a plain store, when memory is
    /// used anew, after a write out of sight.
    pub fn reset(&mut self, value: u64) {
        self.history.reset(value);
        self.visits = Visits::default();
        self.w = Clock::new();
        self.order = Covers::default();
        self.w_sc = Clock::new();
        self.has_readers = false;
        (self.released_by, self.released_in) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::LAST_EPOCH;
    use crate::thread::Epochs;
    use crate::visits::INDEX_END;

    /// Three threads that access two locations, both as `first`, in a fixed disorder; what every
    /// check finds.
    fn findings(first: Location, limits: Limits, start: Epochs) -> Vec<Finding> {
        let mut main = ThreadClocks::new(0, Epochs::default());
        let mut threads = [1, 2, 3].map(|slot| main.spawn(slot, start));
        let mut locations = [first.clone(), first];
        let mut findings = Vec::new();
        let mut state = 1u32;
        for step in 1..2000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let choose = |shift: u32, among: u32| ((state >> shift) % among) as usize;
            let (t, location) = (&mut threads[choose(8, 3)], &mut locations[choose(12, 2)]);
            let (access, order) = [
                (Access::Load, Order::Relaxed),
                (Access::Load, Order::Acquire),
                (Access::Store, Order::Relaxed),
                (Access::Store, Order::Release),
                (Access::Rmw, Order::Relaxed),
            ][choose(16, 5)];
            findings.push(location.check(t, access, order));
            match access {
                Access::Load => location.load(t, order, limits),
                Access::Store => location.store(t, order, u64::from(step % 3), step, limits),
                _ => location.rmw(t, order, 5, step, limits),
            }
        }
        findings
    }

    /// The documentation of the crate says so.
    #[test]
    fn a_location_is_small() {
        assert!(size_of::<Location>() <= 344, "{}", size_of::<Location>());
    }

    #[test]
    fn indices_start_again_when_they_run_out() {
        for history in [2, 4, 16] {
            let limits = Limits { history, ..Limits::default() };
            let old = |skipped| {
                let mut location = Location::new(0);
                location.history.skip(skipped);
                location
            };
            let expected = findings(old(INDEX_END / 2), limits, Epochs::default());
            assert!(expected.iter().any(|finding| matches!(finding, Finding::Violation(_))));
            for left in 2..400 {
                let found = findings(old(INDEX_END - left), limits, Epochs::default());
                for (found, expected) in found.iter().zip(&expected) {
                    // That a thread saw the last store is forgotten when the store is.
                    let is_careful = *found == Finding::Cut && *expected == Finding::Clean;
                    assert!(found == expected || is_careful, "{found:?} instead of {expected:?}");
                }
            }
        }
    }

    /// Findings but for the numbers of writes, which depend on where counting began.
    fn without_numbers(mut findings: Vec<Finding>) -> Vec<Finding> {
        for finding in &mut findings {
            if let Finding::Violation(window) = finding {
                window.stale.iter_mut().chain([&mut window.newest]).for_each(|write| write.number = 0);
            }
        }
        findings
    }

    #[test]
    fn late_epochs_are_as_good_as_early_ones() {
        let limits = Limits::default();
        let expected = without_numbers(findings(Location::new(0), limits, Epochs::default()));
        let late = LAST_EPOCH - 4000;
        let epochs = Epochs { k: late, n: late, generation: late, version: late };
        assert!(epochs.is_worn_out() && !Epochs::default().is_worn_out());
        assert!(without_numbers(findings(Location::new(0), limits, epochs)) == expected);
    }
}
