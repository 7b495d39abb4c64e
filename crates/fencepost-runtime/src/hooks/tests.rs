//! What tests say: this must hold, this is assumed, choose one of these. `fencepost.h` calls the
//! names that begin with `__fencepost`. The others are those of SV-COMP's and GenMC's tests
//! (`genmc.h`, `sv-comp.h`, or declared by the test itself); a test that defines one of them has
//! its own.
//!
//! A run in which an assumption does not hold ends there, and does not count. Where every schedule is
//! explored, only the thread ends there ([`schedule::assumed`]). A choice is explored in all ways, or
//! drawn under a controlled schedule; it is 0 if nobody controls the schedule.
//!
//! SV-COMP's nondeterministic values cannot all be tried. So each is one of [`VALUES`], and a note
//! says that there would be others.

#![allow(non_snake_case, reason = "the names are SV-COMP's")]

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char, c_int, c_uint};

use fencepost_protocol::message::Assertion;

use crate::intercept::{self, Object};
use crate::{channel, explore, schedule, thread};

/// What a note says where an assumption does not hold.
const ASSUMED: &str = "an assumption did not hold: the run ends here";
/// What a note says of nondeterministic values.
const NOT_ALL: &str = "a nondeterministic value was 0, 1, 2 or the one with all bits set: others were not tried";

/// The test goes on only if `condition` is not 0.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __fencepost_assume(condition: c_int) {
    if condition == 0 {
        if explore::is_decided() {
            schedule::assumed();
        }
        note(ASSUMED);
        intercept::end_process(0);
    }
}

/// One of 0 to `count` - 1; 0 if there is none.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __fencepost_choose(count: c_uint) -> c_uint {
    schedule::choose(count)
}

unsafe extern "C" fn fails(text: *const c_char, file: *const c_char, line: c_uint, pc: usize) -> ! {
    let string = |text: *const c_char| match text.is_null() {
        true => String::from("?"),
        // SAFETY: what is not null is a string of the program, as the header passes it.
        false => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
    };
    let (text, file) = (string(text), string(file));
    channel::print(&format!("{file}:{line}: assertion {text} failed\n"));
    intercept::assertion_has_failed(pc, Assertion { text, file, line: u64::from(line) })
}

/// As [`fails`], where nobody says in which line. `text` is what should have been true.
fn fails_somewhere(text: &str, print: &str, pc: usize) -> ! {
    channel::print(print);
    intercept::assertion_has_failed(pc, Assertion { text: text.to_string(), file: String::from("?"), line: 0 })
}

extern "C" fn error_reached(pc: usize) -> ! {
    fails_somewhere("no error is reached", "an error was reached\n", pc)
}

extern "C" fn must_hold(condition: c_int, pc: usize) {
    if condition == 0 {
        fails_somewhere("__VERIFIER_assert", "assertion __VERIFIER_assert failed\n", pc);
    }
}

shim!(__fencepost_assert_failed, "rcx", fails);
shim!(__VERIFIER_error, "rdi", error_reached);
shim!(reach_error, "rdi", error_reached);
shim!(__VERIFIER_assert, "rsi", must_hold);

/// See [`__fencepost_assume`].
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __VERIFIER_assume(condition: c_int) {
    __fencepost_assume(condition);
}

/// The lock of [`__VERIFIER_atomic_begin`].
struct Section(UnsafeCell<libc::pthread_mutex_t>);

// SAFETY: a mutex is there to be used by many threads.
unsafe impl Sync for Section {}

static SECTION: Section = Section(UnsafeCell::new(libc::PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP));

/// An atomic section begins: no other is under way until it ends. Accesses outside of sections are
/// not kept out.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __VERIFIER_atomic_begin() {
    // SAFETY: a mutex that lives as long as the process.
    unsafe { intercept::pthread_mutex_lock(SECTION.0.get() as Object) };
}

/// It ends.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __VERIFIER_atomic_end() {
    // SAFETY: as where it begins; a section that has not begun is an error that the call returns.
    unsafe { intercept::pthread_mutex_unlock(SECTION.0.get() as Object) };
}

/// The values that stand for all: the last one has all bits set.
const VALUES: [u64; 4] = [0, 1, 2, u64::MAX];

fn some_value() -> u64 {
    note(NOT_ALL);
    VALUES[__fencepost_choose(VALUES.len() as c_uint) as usize % VALUES.len()]
}

/// Any value of a type: one of [`VALUES`].
macro_rules! nondeterministic {
    ($($name:ident -> $result:ty)*) => {
        $(
            /// Any value of this type; see [`VALUES`].
            #[cfg_attr(not(test), unsafe(no_mangle))]
                        pub(crate) extern "C" fn $name() -> $result {
                some_value() as $result
            }
        )*
    };
}

nondeterministic! {
    __VERIFIER_nondet_char -> c_char
    __VERIFIER_nondet_uchar -> u8
    __VERIFIER_nondet_short -> i16
    __VERIFIER_nondet_ushort -> u16
    __VERIFIER_nondet_int -> c_int
    __VERIFIER_nondet_uint -> c_uint
    __VERIFIER_nondet_unsigned -> c_uint
    __VERIFIER_nondet_u32 -> u32
    __VERIFIER_nondet_long -> i64
    __VERIFIER_nondet_ulong -> u64
    __VERIFIER_nondet_longlong -> i64
    __VERIFIER_nondet_ulonglong -> u64
    __VERIFIER_nondet_size_t -> usize
}

/// Any truth value; both are tried.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __VERIFIER_nondet_bool() -> bool {
    __fencepost_choose(2) != 0
}

fn note(text: &'static str) {
    if explore::is_explored() {
        return explore::remark(text);
    }
    // What the runtime does is not to be watched, if it is not at work already.
    if thread::with_current(|_| channel::note_once(text)).is_none() {
        channel::note_once(text);
    }
}
