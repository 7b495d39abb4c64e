//! The variables that a thread accessed lately, so that most accesses need not look for them.

use std::cell::Cell;

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
    /// With which order.
    pub(crate) order: Cell<u8>,
}

impl Seen {
    /// No variable.
    pub(super) fn clear(&self) {
        self.addr.set(0);
        self.place.set(None);
        self.version.set(0);
        self.tick.set(0);
        self.knowledge.set(0);
        self.value.set(0);
        self.order.set(0);
    }
}
