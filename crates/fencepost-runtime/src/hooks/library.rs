//! The C++ library's waits. Our copy of the library's header for them
//! (`include/bits/atomic_wait.h`) calls these functions.
//!
//! Waiting and notifying is made of atomic accesses of the library's own: a count of those who wait,
//! a version, the word that the kernel compares once more. The standard says nothing of them, and
//! users cannot change them, so they are not watched: neither checked nor do they order anything.
//! What is watched is the load of the user's variable. If it reads what keeps the wait waiting, that
//! is no harm: the library looks again.

use std::ffi::c_void;

use crate::thread::{self, Awaited, Entered};

/// What follows is the library's own.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __fencepost_library_begin() {
    thread::with_current(Entered::ignore);
}

/// The library's own ends.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __fencepost_library_end() {
    thread::with_current(Entered::heed);
}

/// Within the library's own: the user's variable is looked at, by a wait that goes on if it has this
/// value, or, if it is not `known`, by a wait that goes on unless the library finds that it need
/// not.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __fencepost_library_looks(addr: *const c_void, value: u64, known: bool) {
    thread::with_current(|thread| {
        thread.awaited.set(Some(Awaited { addr: addr as usize, unlike: known.then_some(value) }));
        thread.heed();
    });
}

/// The library's own goes on.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __fencepost_library_looked() {
    thread::with_current(|thread| {
        thread.awaited.set(None);
        thread.ignore();
    });
}
