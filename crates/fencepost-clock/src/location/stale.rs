//! An access that uses an overwritten write, as the model permits it to: what it acquires then.
//!
//! Let a run be one under SC, and let one more access take a write of its window
//! ([`Window`](crate::Window)) for the newest. The graph that results is one of the model. So is
//! every continuation in which reads read the last write in modification order, and writes are put
//! at its end: nothing leads from the new events back to earlier ones, except to what comes before
//! them anyway, so no axiom can fail. That is to say, a run may have one such step, and go on as
//! under SC.
//!
//! What the step changes is happens-before. A read acquires what the write that it read has
//! released, and that is no longer what is kept for the newest one. So it is kept for all writes of
//! the history, in a run in which there is to be such a step. A write in the past is read by
//! nobody: what it would have released is of no use.
//!
//! Exact for happens-before, and so for races, at every step after. What
//! [`Location::check`] says then means nothing: it is about runs that are SC.

use super::Location;
use crate::clock::{Clock, Slot};
use crate::history::{Limits, Write};
use crate::thread::ThreadClocks;
use fencepost_protocol::Order;

/// What a write has released. The initial value has released nothing.
#[derive(Clone, Debug, Default)]
pub struct Released(Clock);

/// What the writes to one location have released, as far back as its history goes.
#[derive(Clone, Debug, Default)]
pub struct Releases(Vec<(Slot, u32, Released)>);

impl Releases {
    /// Keeps what the newest write to `location` has released, in which readers find also what was
    /// released before it, if it is an update. To be called after every write.
    pub fn keep(&mut self, location: &Location, limits: Limits) {
        let Releases(kept) = self;
        if kept.len() >= limits.history as usize {
            kept.remove(0);
        }
        let newest = location.history.newest();
        kept.push((newest.writer, newest.n, Released(location.w.clone())));
    }

    /// The write that was kept last: who made it, and its number among the writer's writes.
    pub fn newest(&self) -> Option<(Slot, u32)> {
        self.0.last().map(|(slot, number, _)| (*slot, *number))
    }

    /// What this write has released, if it is known.
    pub fn of(&self, write: &Write) -> Option<Released> {
        let Some(writer) = write.writer else { return Some(Released::default()) };
        let is_it = |(slot, number, _): &&(Slot, u32, Released)| (*slot, *number) == (writer, write.number);
        self.0.iter().find(is_it).map(|(_, _, released)| released.clone())
    }
}

impl ThreadClocks {
    /// Reads a write that has released this, be it the newest or not, with this order.
    pub fn read_released(&mut self, Released(released): &Released, order: Order) {
        if order.acquires() {
            let learnt = self.c.hb.join(released);
            self.learn(learnt);
        } else {
            self.a.hb.join(released);
            self.has_picked_up = true;
        }
    }

    /// Writes with this order; what readers of the write find released. An update passes on what
    /// it has `read`. Nothing else of the location is known: this is for runs that need not be SC,
    /// in which only happens-before is asked for.
    #[must_use]
    pub fn release(&mut self, order: Order, read: Option<&Released>) -> Released {
        let mut released = if order.releases() { self.c.hb.clone() } else { self.r.hb.clone() };
        if let Some(Released(read)) = read {
            released.join(read);
        }
        if order.releases() {
            self.end_epoch();
        }
        Released(released)
    }
}
