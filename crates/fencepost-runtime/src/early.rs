//! Waits that end early, in a run that is explored: for no reason, as those for a condition may, or
//! because their time is over. Each is a way that the wait can go.
//!
//! Correct programs go round a loop then and wait again, which could go on for ever. So a wait ends
//! early only once in each state of its thread, if the thread has written nothing in between, and has
//! used no semaphore, barrier or other condition. A second time adds nothing. Take a run with two: in the run without the first, the thread has
//! waited all the time. It has taken its mutex less often, so fewer steps are ordered, and all that
//! it has read in the round it reads in the second one, or in another run.
//!
//! The state is all that the thread keeps, but for memory that others can see: its stack, and the
//! registers that functions preserve ([`local`]). What is left on the stack counts, too. If it
//! differs in each round, an end is put to it, and the answer is not exact.
//!
//! # Conditions of Rust's library
//!
//! They wait in the kernel, as its locks do, and it cannot be seen there what a wait is for. So the
//! library, where it is instrumented, announces that it waits for a condition: the next wait of the
//! thread for this word may end early, and counts from the announcement on. The library's mutexes
//! are words in memory. To give that of the condition back and to take it again are no writes here,
//! as with mutexes of libc.

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;

use crate::schedule::{Outcome, Timeout};
use crate::{explore, local, schedule};

/// In which state a thread is, and how often it has written.
pub(crate) type Moment = (u64, u32);

/// So often a thread that writes nothing has waits that end early. Its state may be another one each
/// time only because of what is left on its stack, or because it counts.
const MOST: usize = 6;

thread_local! {
    /// How often the thread has written what others can see, or posted, signalled and the like.
    static WRITTEN: Cell<u32> = const { Cell::new(0) };
    /// The moments since which a wait has ended early. Never dropped, as in [`local`].
    static ENDED: RefCell<ManuallyDrop<Vec<Moment>>> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
    /// The condition that the thread is about to wait for in the kernel, and since when.
    static ANNOUNCED: Cell<Option<(usize, Moment)>> = const { Cell::new(None) };
    /// The mutex of the last one that was announced.
    static MUTEX: Cell<usize> = const { Cell::new(0) };
    /// Is the thread still to take it back?
    static IS_AWAY: Cell<bool> = const { Cell::new(false) };
}

/// The thread writes what others can see.
pub(crate) fn writes() {
    WRITTEN.set(WRITTEN.get().wrapping_add(1));
}

/// The same, if it replaces what is there by something else.
pub(crate) fn replaces(addr: usize) {
    if addr != MUTEX.get() {
        writes();
    }
}

/// What a wait counts from that begins now.
pub(crate) fn now() -> Moment {
    (local::state(), WRITTEN.get())
}

/// In which of so many ways the wait goes: 0 if it waits.
fn way(since: Moment, count: u32) -> u32 {
    if !explore::is_decided() {
        return 0;
    }
    if since.0 == 0 {
        explore::remark("a wait did not end early: the stack of its thread is too deep");
        return 0;
    }
    if ENDED.with_borrow(|ended| ended.contains(&since)) {
        return 0;
    }
    if ENDED.with_borrow(|ended| ended.iter().filter(|(_, written)| *written == since.1).count()) >= MOST {
        explore::remark(
            "a loop waited for a condition and found another stack each time: build with `opt-level = 1`, or use \
             `wait_while`",
        );
        return 0;
    }
    let way = schedule::choose(count);
    if way > 0 {
        ENDED.with_borrow_mut(|ended| ended.push(since));
    }
    way
}

/// Is the time of a wait over that begins now? It may be for anything.
pub(crate) fn is_over(timeout: Timeout) -> bool {
    let is_over = way(now(), 2) == 1;
    if is_over {
        timeout.has_come();
    }
    is_over
}

/// How a wait for a condition ends early; none if it waits.
pub(crate) fn end(since: Moment, timeout: Option<Timeout>) -> Option<Outcome> {
    match (way(since, if timeout.is_some() { 3 } else { 2 }), timeout) {
        (0, _) => None,
        (2, Some(timeout)) => {
            timeout.has_come();
            Some(Outcome::TimedOut)
        }
        _ => Some(Outcome::Woken),
    }
}

/// Since when the thread waits for a condition, if that was announced and it now waits for this
/// word.
pub(crate) fn announced(word: usize) -> Option<Moment> {
    ANNOUNCED.take().filter(|&(condition, _)| condition == word).map(|(_, since)| since)
}

/// Is the compare-and-swap at this address that with which a wait for a condition takes the mutex
/// back? It is the first one after the announcement.
pub(crate) fn takes_back(addr: usize) -> bool {
    addr == MUTEX.get() && IS_AWAY.replace(false)
}

/// The thread is about to wait for a condition in the kernel, with a mutex that it has.
pub(crate) fn announce(condition: usize, mutex: usize) {
    MUTEX.set(mutex);
    IS_AWAY.set(true);
    ANNOUNCED.set(Some((condition, now())));
}
