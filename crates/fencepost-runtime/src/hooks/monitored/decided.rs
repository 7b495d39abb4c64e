//! Atomic accesses of a run that need not be SC: somebody has decided what they find. See
//! [`crate::weak`].
//!
//! The monitor is not asked: what it says is about runs that are SC. Of its clocks those for
//! happens-before are kept, because data races are what plain accesses are judged by.

use fencepost_protocol::exploration::Decision;

use super::{Call, Order, touch};
use crate::hooks::word::{Fetch, Word};
use crate::thread::{self, Entered};
use crate::weak::{self, Write};
use crate::{explore, schedule};

/// An access that is being made.
struct Made {
    thread: Option<Entered>,
    call: Call,
    size: u8,
    decision: Decision,
    found: Write,
}

/// What the access that is about to be made finds. Looked up again before each attempt of an access
/// that waits.
fn find<W: Word>(call: Call) -> Made {
    let thread = thread::enter();
    if thread.is_none() {
        explore::remark("an atomic access was made by a thread that is not watched");
    }
    let decision = schedule::decision().unwrap_or(Decision::new(0, 0));
    let Some(found) = weak::find(call.addr, decision.found()) else { schedule::diverged() };
    Made { thread, call, size: W::SIZE, decision, found }
}

impl Made {
    fn value<W: Word>(&self) -> W {
        W::of_whole(self.found.value)
    }

    fn touches(&self, write: bool) {
        if let Some(thread) = &self.thread {
            touch(thread, None, self.call, self.size, write);
        }
    }

    /// The access reads, with this order, and does not write.
    fn reads(mut self, order: Order) {
        self.touches(false);
        self.acquires(order);
        self.end();
    }

    fn acquires(&mut self, order: Order) {
        if let Some(thread) = &mut self.thread {
            thread.clocks_mut().read_released(&self.found.released, order);
        }
    }

    /// The access reads and writes.
    ///
    /// # Safety
    /// The address must be valid for an atomic access of this width; so for all functions here.
    unsafe fn updates<W: Word>(mut self, new: W) {
        self.touches(true);
        self.acquires(self.call.order());
        // SAFETY: the caller's promise.
        unsafe { self.writes(new, true) };
    }

    /// Leaves `new`; does it belong to a read?
    ///
    /// # Safety
    /// As for `updates`.
    unsafe fn writes<W: Word>(mut self, new: W, is_update: bool) {
        let read = is_update.then_some(&self.found.released);
        let order = self.call.order();
        let released = self.thread.as_mut().map(|thread| {
            thread.does_something();
            thread.clocks_mut().release(order, read)
        });
        let is_hidden = self.decision.is_hidden();
        weak::make(self.call.addr, Write { value: new.whole(), released: released.unwrap_or_default() }, is_hidden);
        if !is_hidden {
            // SAFETY: the caller's promise.
            unsafe { W::store(self.call.addr, new) };
        }
        self.end();
    }

    fn end(self) {
        if let Some(mut thread) = self.thread {
            thread.renew();
        }
    }
}

/// The name of the variable that is about to be accessed.
///
/// # Safety
/// As for `updates`.
pub(super) unsafe fn name<W: Word>(addr: usize) -> u64 {
    // SAFETY: the caller's promise.
    weak::name(addr, W::SIZE, unsafe { W::load(addr) }.whole())
}

pub(super) fn load<W: Word>(call: Call) -> W {
    let made = find::<W>(call);
    let value = made.value();
    made.reads(call.order());
    value
}

/// # Safety
/// As for `updates`.
pub(super) unsafe fn store<W: Word>(call: Call, value: W) {
    let made = find::<W>(call);
    made.touches(true);
    // SAFETY: the caller's promise.
    unsafe { made.writes(value, false) };
    schedule::has_taken(|step| step.read = W::of_whole(weak::initial(call.addr)).image());
}

/// # Safety
/// As for `updates`.
pub(super) unsafe fn fetch<W: Word>(call: Call, fetch: Fetch, value: W) -> W {
    let made = find::<W>(call);
    let old = made.value();
    // SAFETY: the caller's promise.
    unsafe { made.updates(W::combine(fetch, old, value)) };
    old
}

/// # Safety
/// As for `updates`.
pub(super) unsafe fn cas<W: Word>(call: Call, fails: bool, expected: W, new: W) -> (W, bool) {
    let made = find::<W>(call);
    let old = made.value();
    let success = old == expected && !fails;
    match success {
        // SAFETY: the caller's promise.
        true => unsafe { made.updates(new) },
        false => made.reads(Order::decode(call.failure)),
    }
    (old, success)
}

/// An attempt to read what is `wanted`; what was found, and whether it was that.
pub(super) fn look<W: Word>(call: Call, wanted: impl Fn(u64) -> bool) -> (W, bool) {
    let made = find::<W>(call);
    let value: W = made.value();
    let is_it = wanted(value.image());
    if is_it {
        made.thread.iter().for_each(|thread| thread.does_something());
        made.reads(call.order());
    }
    (value, is_it)
}

/// An attempt to write `new` over `expected`; what was found.
///
/// # Safety
/// As for `updates`.
pub(super) unsafe fn take<W: Word>(call: Call, expected: W, new: W) -> W {
    let made = find::<W>(call);
    let old = made.value();
    if old == expected {
        // SAFETY: the caller's promise.
        unsafe { made.updates(new) };
    }
    old
}
