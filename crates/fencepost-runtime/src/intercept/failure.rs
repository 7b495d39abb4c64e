//! Programs that fail: assertions that do not hold, and signals that end the process.
//!
//! In a provoked run the reporter is told how and where, once. Nothing else is changed: the process
//! ends as it would have ended, and handlers of the program take precedence.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};

use fencepost_protocol::message::{self, Failed};

use super::{Errno, process, real};
use crate::{lock, provoke, report, schedule, thread};

/// Signals that end a process that has gone wrong.
const FATAL: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT];

/// Is it told already? One thing leads to another.
static TOLD: AtomicBool = AtomicBool::new(false);

/// From now on, failures are told.
pub(crate) fn tell_failures() {
    // SAFETY: the handler does no more than what is allowed there, and then lets the process end.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler();
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND | libc::SA_NODEFER;
        for number in FATAL {
            libc::sigaction(number, &raw const action, null_mut());
        }
    }
}

fn handler() -> usize {
    handle as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as usize
}

/// Is it our own handler?
pub(super) fn is_ours(action: usize) -> bool {
    action == handler()
}

/// A signal that would end the process. It comes again, without a handler: an instruction that
/// faults faults again.
extern "C" fn handle(number: c_int, information: *mut libc::siginfo_t, context: *mut c_void) {
    let _errno = Errno::save();
    // SAFETY: the kernel passes what it describes.
    let (code, pc) = unsafe {
        let context = &*context.cast::<libc::ucontext_t>();
        ((*information).si_code, context.uc_mcontext.gregs[libc::REG_RIP as usize])
    };
    // As if it were the address that a call returns to.
    has_failed((pc as usize).wrapping_add(1), || signal(number));
    // Somebody has sent it: it does not come again by itself.
    if code <= 0 {
        // SAFETY: a signal to the calling thread, which ends the process.
        unsafe { libc::raise(number) };
    }
}

/// As it is told.
pub(super) fn signal(number: c_int) -> Failed {
    Failed::Signal(message::Signal { number: u64::from(number.unsigned_abs()) })
}

/// The program fails at `pc`, in the thread that runs.
pub(super) fn has_failed(pc: usize, how: impl FnOnce() -> Failed) {
    // What the runtime was interrupted in may be what is needed to tell.
    if !provoke::is_provoked() || lock::interrupted() || TOLD.swap(true, Ordering::Relaxed) {
        return;
    }
    let mut stack = Vec::new();
    match thread::calls() {
        Some(calls) => calls.frames(pc, |frame| stack.push(frame as u64)),
        None => stack.push(pc as u64),
    }
    report::failure(stack, how());
}

/// An assertion of a test does not hold. Tells so, and ends the process as `assert` does.
pub(crate) fn assertion_has_failed(pc: usize, assertion: message::Assertion) -> ! {
    has_failed(pc, || Failed::Assertion(assertion));
    // SAFETY: the address of the caller is only looked at.
    unsafe { process::aborting(pc) }
}

intercept_at! {
    fn __assert_fail => assertion_fails in "r8";
}

unsafe extern "C" fn assertion_fails(
    text: *const c_char,
    file: *const c_char,
    line: c_uint,
    function: *const c_char,
    pc: usize,
) -> ! {
    // SAFETY: strings of the program, as `assert` passes them.
    let string = |text: *const c_char| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    has_failed(pc, || {
        Failed::Assertion(message::Assertion { text: string(text), file: string(file), line: u64::from(line) })
    });
    schedule::let_others_finish(true);
    // SAFETY: as the caller has called it.
    unsafe { real::__assert_fail(text, file, line, function) }
}
