//! Locks of the program's own, as it describes them to the thread sanitizer: `__tsan_mutex_…`.
//!
//! What a thread does between `pre` and `post` is how the lock is made, and is not watched: the
//! program has said so. What the lock orders is told at `post_lock` and `pre_unlock`, like that of
//! any other lock. `divert` goes back to the program for a while.

use std::ffi::{c_int, c_uint};

use super::monitored::{self, Call};
use crate::explore;
use crate::intercept::{self, Object};
use crate::thread::{self, Entered};

/// A reader locks or unlocks.
const READS: c_uint = 1 << 3;
/// An attempt to lock has failed.
const FAILED: c_uint = 1 << 5;

fn leaves() {
    thread::with_current(Entered::ignore);
}

fn returns() {
    thread::with_current(Entered::heed);
}

/// There is a lock at this address.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_mutex_create(lock: Object, _flags: c_uint) {
    intercept::renewed(lock);
}

/// There is none any more.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_mutex_destroy(lock: Object, _flags: c_uint) {
    intercept::renewed(lock);
}

/// It is about to be locked.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_mutex_pre_lock(_lock: Object, _flags: c_uint) {
    leaves();
}

/// It was locked, or not.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_mutex_post_lock(lock: Object, flags: c_uint, _recursion: c_int) {
    returns();
    if flags & FAILED == 0 {
        intercept::locked(lock, flags & READS == 0);
    }
}

/// It is about to be unlocked; returns how often it was locked, as far as we know.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_mutex_pre_unlock(lock: Object, flags: c_uint) -> c_int {
    intercept::unlocks(lock, flags & READS == 0);
    leaves();
    1
}

/// It was unlocked.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_mutex_post_unlock(_lock: Object, _flags: c_uint) {
    returns();
}

/// Who waits for it is about to be told.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_mutex_pre_signal(_lock: Object, _flags: c_uint) {
    leaves();
}

/// Who waits for it was told.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_mutex_post_signal(_lock: Object, _flags: c_uint) {
    returns();
}

/// Within one of the above, something else begins.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_mutex_pre_divert(_lock: Object, _flags: c_uint) {
    returns();
}

/// It is over.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_mutex_post_divert(_lock: Object, _flags: c_uint) {
    leaves();
}

shim!(__fencepost_takes_mutex, "rsi", takes_mutex);

/// Rust's library is about to wait for a mutex: has the thread taken it here?
extern "C" fn takes_mutex(word: usize, pc: usize) -> bool {
    const ACQUIRE: u32 = 2;
    const FREE: u32 = 0;
    const TAKEN: u32 = 1;
    // What waits for it in the kernel is not modelled in runs that need not be SC.
    let takes = explore::is_decided() && !explore::is_weak();
    if takes {
        // SAFETY: the library passes the word of a mutex.
        unsafe { monitored::blocking_cas(Call::new(word, ACQUIRE, pc), FREE, TAKEN) };
    }
    takes
}
