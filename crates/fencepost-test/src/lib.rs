//! Tests of which `cargo fencepost` explores every schedule.
//!
//! In an ordinary build they are plain tests: they run once, what is chosen is always 0, and nothing
//! of fencepost is needed. `cargo fencepost test` sets `cfg(fencepost)`. Then a test that is marked
//! with [`exhaustive!`] is explored by itself: all of its schedules up to equivalence, with what the
//! memory model permits in each. All other tests run under many schedules, as ever.
//!
//! ```
//! use std::sync::atomic::{AtomicBool, Ordering};
//! use std::thread;
//!
//! fencepost_test::exhaustive! {
//!     #[test]
//!     fn a_flag_is_seen() {
//!         static FLAG: AtomicBool = AtomicBool::new(false);
//!         let other = thread::spawn(|| FLAG.store(true, Ordering::Release));
//!         fencepost_test::wait(|| FLAG.load(Ordering::Acquire));
//!         other.join().unwrap();
//!     }
//! }
//! ```
//!
//! Keep such tests small: two or three threads that do a few things each. Every schedule begins with
//! the test, in a process of its own, so statics have their first values. Join all threads: what
//! panics in a thread that nobody joins makes no test fail.

#![cfg_attr(not(fencepost), forbid(unsafe_code))]
#![allow(clippy::test_attr_in_doctest, reason = "the example is a test")]

pub mod loom;
#[cfg(fencepost)]
mod tool;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Marks tests that are to be explored.
///
/// The tests take nothing and return nothing. Other attributes, such as `#[should_panic]`, are kept.
#[macro_export]
macro_rules! exhaustive {
    ($($(#[$attribute:meta])* fn $name:ident() $body:block)*) => {
        $(
            $(#[$attribute])*
            fn $name() {
                $crate::exhaustive(|| $body);
            }
        )*
    };
}

/// What the macro [`exhaustive!`] puts around a test: runs it, or leaves it to `cargo fencepost`,
/// which explores it afterwards.
pub fn exhaustive(test: impl FnOnce()) {
    #[cfg(fencepost)]
    if tool::takes_over() {
        return;
    }
    match catch_unwind(AssertUnwindSafe(test)) {
        Err(payload) if !payload.is::<Assumed>() => resume_unwind(payload),
        _ => {}
    }
}

/// One of 0 to `count` - 1. All of them are explored; without exploration it is 0.
///
/// # Panics
///
/// If there is nothing to choose from.
pub fn choose(count: u32) -> u32 {
    assert!(count > 0, "there is nothing to choose from");
    #[cfg(fencepost)]
    return tool::choose(count);
    #[cfg(not(fencepost))]
    0
}

/// The run goes on only if the condition is true. What other threads do is still explored.
///
/// Without exploration, the test ends here and has passed. That is possible in the thread of a test
/// that is marked with [`exhaustive!`]; elsewhere it looks like a panic.
pub fn assume(condition: bool) {
    #[cfg(fencepost)]
    tool::assume(condition);
    if !condition {
        resume_unwind(Box::new(Assumed));
    }
}

/// An assumption does not hold.
struct Assumed;

/// Waits until the condition is true. Where schedules are explored, other threads go on while it is
/// false. It should only read: rounds in which nothing changes are then made once.
pub fn wait(mut condition: impl FnMut() -> bool) {
    while !condition() {
        std::thread::yield_now();
    }
}
