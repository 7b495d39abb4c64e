//! The beginning, function entry and exit, and what switches the runtime off for a while.

use std::arch::naked_asm;

use crate::thread::{self, Entered};

/// Called by the constructor of every instrumented object.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_init() {
    crate::start();
}

extern "C" fn enter(pc: usize, sp: usize) {
    if let Some(calls) = thread::calls() {
        calls.enter(pc, sp);
    }
}

/// Called by instrumented code at the beginning of a function with the return address of the
/// function.
#[unsafe(naked)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_func_entry() {
    naked_asm!("mov rsi, rsp", "jmp {body}", body = sym enter)
}

/// Called by instrumented code at the end of a function.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_func_exit() {
    if let Some(calls) = thread::calls() {
        calls.leave();
    }
}

/// What this thread does from now on is not watched.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_ignore_thread_begin() {
    thread::with_current(Entered::ignore);
}

/// The end of [`__tsan_ignore_thread_begin`].
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_ignore_thread_end() {
    thread::with_current(Entered::heed);
}

/// What this thread did happens before what follows [`__tsan_acquire`] of the same address.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_release(addr: usize) {
    if let Some(mut thread) = thread::enter() {
        thread.release_join(addr);
    }
}

/// See [`__tsan_release`].
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_acquire(addr: usize) {
    if let Some(mut thread) = thread::enter() {
        thread.acquire(addr);
    }
}
