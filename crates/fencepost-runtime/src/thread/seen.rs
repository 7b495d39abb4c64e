//! The variables that a thread accessed lately, so that most accesses need not look for them.

use std::cell::Cell;

use fencepost_protocol::Order;

use crate::place::Place;

/// Places looked up lately.
pub(super) const CACHE: usize = 256;

/// Variables accessed lately. When a thread is over, the next one goes on with what it leaves:
/// where variables are is true for all.
pub(super) type Cache = [Seen; CACHE];

/// A variable that a thread accessed lately: where to find it, and what makes loading it again
/// uneventful. Aligned so that it takes one line of the cache.
#[repr(align(64))]
pub(crate) struct Seen {
    /// Its address.
    pub(crate) addr: Cell<usize>,
    /// Its place.
    pub(crate) place: Cell<Option<&'static Place>>,
    /// Its version when it was loaded.
    pub(crate) version: Cell<u64>,
    /// The thread's clocks then ([`Thread::tick`](super::Thread::tick)); 0 if it was not loaded.
    pub(crate) tick: Cell<u64>,
    /// What the thread knew of others then ([`Entered::knowledge`](super::Entered::knowledge)).
    pub(crate) knowledge: Cell<u64>,
    /// What was read.
    pub(crate) value: Cell<u64>,
    /// With which orders it may be loaded again as if nothing had happened: bits, by their numbers.
    pub(crate) orders: Cell<u8>,
}

/// Orders as the hooks get them are below this.
const ORDERS: u8 = 8;

/// The orders that have no effect which such a load has not had.
#[inline]
pub(crate) fn of_load(order: Order) -> u8 {
    const RELAXED: u8 = orders_below(false, false);
    const ACQUIRE: u8 = orders_below(true, false);
    match (order.acquires(), order.is_sc()) {
        (_, true) => u8::MAX,
        (true, false) => ACQUIRE,
        (false, false) => RELAXED,
    }
}

/// The same after a store, which has nothing to acquire from itself.
#[inline]
pub(crate) fn of_store(order: Order) -> u8 {
    of_load(if order.is_sc() { order } else { Order::Acquire })
}

const fn orders_below(acquires: bool, sc: bool) -> u8 {
    let (mut orders, mut number) = (0, 0);
    while number < ORDERS {
        let order = Order::decode(number);
        if (acquires || !order.acquires()) && (sc || !order.is_sc()) {
            orders |= 1 << number;
        }
        number += 1;
    }
    orders
}

impl Seen {
    /// May it be loaded again with this order?
    #[inline]
    pub(crate) fn covers(&self, order: u8) -> bool {
        self.orders.get() >> order & 1 != 0
    }

    /// No variable.
    pub(super) fn clear(&self) {
        self.addr.set(0);
        self.place.set(None);
        self.version.set(0);
        self.tick.set(0);
        self.knowledge.set(0);
        self.value.set(0);
        self.orders.set(0);
    }
}
