//! The end of the process, and its children.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use super::{failure, real, threads};
use crate::{channel, explore, lock, record, schedule};

/// The status of a process that has aborted, as shells have it.
const ABORTED: c_int = 128 + libc::SIGABRT;

static QUICK_STATUS: AtomicI32 = AtomicI32::new(0);

/// Has libc called us, because the process exits? It does so once.
static IS_EXITING: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    fn on_exit(function: unsafe extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    fn __cxa_at_quick_exit(function: unsafe extern "C" fn(*mut c_void), module: *mut c_void) -> c_int;
    fn __register_atfork(
        prepare: Option<unsafe extern "C" fn()>,
        parent: Option<unsafe extern "C" fn()>,
        child: Option<unsafe extern "C" fn()>,
        module: *mut c_void,
    ) -> c_int;
}

/// Asks to be told about the end of the process, after everything the program does there, and about
/// forks.
pub(super) fn start() {
    // SAFETY: the functions live as long as the process.
    unsafe {
        on_exit(exiting, null_mut());
        __cxa_at_quick_exit(exiting_quickly, null_mut());
        __register_atfork(None, None, Some(forked), null_mut());
    }
}

/// Tells the reporter; returns the status to end with. Where every schedule is explored, what other
/// threads still do comes first: a process that ends before does less, and nothing else. That holds
/// for one that fails, too, and what others do may have to come first in another run.
fn end(status: c_int) -> c_int {
    schedule::let_others_finish(status != 0);
    schedule::frozen(|| crate::finish(status))
}

/// Ends the process at once, past libc: also where that cannot be found.
fn end_now(status: c_int) -> ! {
    loop {
        // SAFETY: ends the process.
        unsafe { super::system_call(libc::SYS_exit_group, [status as usize, 0, 0, 0, 0, 0]) };
    }
}

/// Tells the reporter and ends the process, with `status` unless that wants another.
pub(crate) fn end_process(status: c_int) -> ! {
    end_now(end(status))
}

unsafe extern "C" fn exiting(status: c_int, _: *mut c_void) {
    IS_EXITING.store(true, Ordering::Relaxed);
    let wanted = end(status);
    if wanted != status {
        // SAFETY: what is still to be done at the exit is done with the new status.
        unsafe { real::exit(wanted) };
    }
}

unsafe extern "C" fn exiting_quickly(_: *mut c_void) {
    let status = QUICK_STATUS.load(Ordering::Relaxed);
    let wanted = end(status);
    if wanted != status {
        // Our handler was registered first, so it is the last one.
        end_now(wanted);
    }
}

/// In the child, where the calling thread is the only one.
unsafe extern "C" fn forked() {
    lock::forked();
    channel::forked();
    record::forked();
    schedule::forked();
    threads::forked();
}

intercept! {
    fn exit(status: c_int) -> ! {
        schedule::ending();
        // What is done at the exit may be what others have to be compared with; but one that fails is
        // found in any case, and what comes first is what others do.
        if status != 0 {
            schedule::let_others_finish(true);
        }
        // Libc does what is to be done at the exit only once, and another thread is about it.
        if explore::is_decided() && IS_EXITING.load(Ordering::Relaxed) {
            end_now(end(status));
        }
        real::exit(status)
    }

    fn _exit(status: c_int) -> ! {
        end_now(end(status))
    }

    fn _Exit(status: c_int) -> ! {
        end_now(end(status))
    }

    fn quick_exit(status: c_int) -> ! {
        schedule::ending();
        QUICK_STATUS.store(status, Ordering::Relaxed);
        real::quick_exit(status)
    }

}

intercept_at! {
    fn abort => aborting in "rdi";
}

pub(super) unsafe extern "C" fn aborting(pc: usize) -> ! {
    // SAFETY: a structure of numbers, which the call fills in.
    let action = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGABRT, std::ptr::null(), &raw mut action);
        action.sa_sigaction
    };
    failure::has_failed(pc, || failure::signal(libc::SIGABRT));
    // A handler of the program may go on elsewhere.
    if action == libc::SIG_DFL || failure::is_ours(action) {
        end(ABORTED);
    }
    // SAFETY: as the caller has called it.
    unsafe { real::abort() }
}
