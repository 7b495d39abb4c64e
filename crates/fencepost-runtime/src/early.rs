//! Waits that end early, in a run that is explored: for no reason, as those for a condition may, or
//! because their time is over. Each is a way that the wait can go.
//!
//! Correct programs go round a loop then and wait again, which could go on for ever. So a wait ends
//! early only once in each state of its thread, if the thread has written nothing in between. A
//! second time adds nothing. Take a run with two: in the run without the first, the thread has
//! waited all the time. It has taken its mutex less often, so fewer steps are ordered, and all that
//! it has read in the round it reads in the second one, or in another run.
//!
//! The state is all that the thread keeps, but for memory that others can see: its stack, and the
//! registers that functions preserve ([`local`]).

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;

use crate::{explore, local, schedule};

thread_local! {
    /// How often the thread has written what others can see.
    static WRITTEN: Cell<u32> = const { Cell::new(0) };
    /// The states in which a wait has ended early, and how often the thread had written then. Never
    /// dropped, as in [`local`].
    static ENDED: RefCell<ManuallyDrop<Vec<(u64, u32)>>> =
        const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// The thread writes what others can see.
pub(crate) fn writes() {
    WRITTEN.set(WRITTEN.get().wrapping_add(1));
}

/// In which of so many ways the wait goes that the thread begins: 0 if it waits.
pub(crate) fn way(count: u32) -> u32 {
    if !explore::is_decided() {
        return 0;
    }
    let now = (local::state(), WRITTEN.get());
    if now.0 == 0 {
        explore::remark("a wait did not end early: the stack of its thread is too deep");
        return 0;
    }
    if ENDED.with_borrow(|ended| ended.contains(&now)) {
        return 0;
    }
    let way = schedule::choose(count);
    if way > 0 {
        ENDED.with_borrow_mut(|ended| ended.push(now));
    }
    way
}
