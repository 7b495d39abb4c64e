//! Fibers: threads of control that a program switches between by itself (`swapcontext` and the
//! like), and tells us about as it would tell the thread sanitizer.
//!
//! To the monitor a fiber is a thread: it has clocks and calls of its own. A thread of the system
//! that switches goes on as the fiber that it switches to. By default what it did before the switch
//! happens before what it does after it.
//!
//! Controlled schedules know threads of the system only. A fiber runs when its thread does.

use std::ffi::{CStr, c_char, c_uint};

use crate::report;
use crate::thread::{self, Thread};

/// A switch that orders nothing.
const UNORDERED: c_uint = 1;

extern "C" fn create(_flags: c_uint, pc: usize) -> *const Thread {
    let created = thread::with_current(|parent| {
        let fiber = parent.create();
        report::thread_created(parent, fiber.tid, pc);
        Box::into_raw(fiber).cast_const()
    });
    created.unwrap_or(std::ptr::null())
}

shim!(__tsan_create_fiber, "rsi", create);

/// The fiber that runs, or the thread if it runs none.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_get_current_fiber() -> *const Thread {
    thread::running().map_or(std::ptr::null(), std::ptr::from_ref)
}

/// The calling thread goes on as this fiber.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn __tsan_switch_to_fiber(fiber: *const Thread, flags: c_uint) {
    // SAFETY: the program passes what it got from us, and has not destroyed it.
    if let Some(fiber) = unsafe { fiber.as_ref() } {
        thread::switch(fiber, flags & UNORDERED == 0);
    }
}

/// The fiber, which does not run, is over.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn __tsan_destroy_fiber(fiber: *const Thread) {
    if !fiber.is_null() {
        thread::with_current(|running| {
            running.renew_object(fiber as usize);
            // SAFETY: it came from a box, and the program does not use it any more.
            Thread::cancel(unsafe { Box::from_raw(fiber.cast_mut()) });
        });
    }
}

/// The fiber has a name.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn __tsan_set_fiber_name(fiber: *const Thread, name: *const c_char) {
    // SAFETY: the program passes what it got from us, and a string.
    if let Some(fiber) = unsafe { fiber.as_ref() } {
        // SAFETY: as above.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        thread::with_current(|_| report::thread_named(fiber.tid, &name));
    }
}
