//! What of libc is replaced: threads, locks, memory, the end of the process, and, for controlled
//! schedules, what waits.
//!
//! An interceptor has the name of a function of libc. It does the same by calling that function
//! (found with `dlsym(RTLD_NEXT)`, see [`real`]), and tells the runtime. In three cases nothing is
//! told, and the function is called as if we were not there: before the runtime has started, for
//! threads it does not know, and while it is itself at work.
//!
//! Results and `errno` are those of libc. Frames of interceptors may be left by exceptions and by
//! the cancellation of a thread, hence nothing is held while libc is called.

/// Declares interceptors: functions under a name of libc, with the promise of its callers.
macro_rules! intercept {
    ($($(#[$attribute:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block)*) => {
        $(
            $(#[$attribute])*
            #[cfg_attr(not(test), unsafe(no_mangle))]
            #[allow(non_snake_case, reason = "the name is C's")]
            #[allow(clippy::too_many_arguments, reason = "so many the function has")]
            pub(crate) unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? {
                // SAFETY: the caller keeps the contract of the function of this name; so does what
                // is passed on.
                #[allow(unused_unsafe, reason = "some bodies call nothing unsafe")]
                unsafe { $body }
            }
        )*
    };
}

/// Declares interceptors that also learn where they were called from. The register is the next one
/// free for an argument.
macro_rules! intercept_at {
    ($($(#[$attribute:meta])* fn $name:ident => $body:ident in $register:literal;)*) => {
        $(
            $(#[$attribute])*
            #[unsafe(naked)]
            #[cfg_attr(not(test), unsafe(no_mangle))]
            #[allow(non_snake_case, reason = "the name is C's")]
            pub(crate) unsafe extern "C" fn $name() {
                std::arch::naked_asm!(concat!("mov ", $register, ", [rsp]"), "jmp {body}", body = sym $body)
            }
        )*
    };
}

/// Declares interceptors of functions that wait and may end early: where every schedule is
/// explored, the state of the program is looked at first. The register is the next one free for an
/// argument.
macro_rules! intercept_wait {
    ($($register:literal: fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> c_int $body:block)*) => {
        $(
            mod $name {
                #[allow(clippy::wildcard_imports, reason = "the body is written outside")]
                use super::*;

                shim_of_loop!($name, $register, body);

                unsafe extern "C" fn body($($argument: $type),*) -> c_int {
                    // SAFETY: the caller keeps the contract of the function of this name; so does
                    // what is passed on.
                    unsafe { $body }
                }
            }
            #[allow(unused_imports, reason = "only libc's name is needed of most")]
            pub(crate) use $name::$name;
        )*
    };
}

mod annotations;
mod barrier;
mod blocking;
mod blocks;
mod clocks;
mod cond;
mod dl;
mod failure;
mod futex;
mod gomp;
mod libcxx;
mod memory;
mod mutex;
mod ompt;
mod once;
mod process;
mod real;
mod rwlock;
mod semaphore;
mod sleep;
mod spinlock;
mod stacks;
mod threads;

use std::ffi::{c_int, c_long, c_void};

pub(crate) use annotations::{is_benign, locked, renewed, unlocks};
pub(crate) use blocks::block_of;
pub(crate) use clocks::{monotonic, programs_monotonic, reach};
pub(crate) use failure::{assertion_has_failed, tell_failures};
pub(crate) use futex::system_call;
pub(crate) use mutex::{pthread_mutex_lock, pthread_mutex_unlock};
pub(crate) use once::is_guard;
pub(crate) use process::end_process;
pub(crate) use stacks::stack_owner;

use crate::schedule::{self, Orders, Timeout};
use crate::thread::{self, Entered};
use crate::{explore, weak};

/// A lock, a condition, … of the program.
pub(crate) type Object = *mut c_void;

/// Finds the functions of libc, and makes the main thread known.
pub(crate) fn start() {
    real::resolve();
    threads::start();
    process::start();
}

/// Restores `errno` when it is dropped.
pub(crate) struct Errno(c_int);

impl Errno {
    /// Remembers what it is now.
    pub(crate) fn save() -> Self {
        // SAFETY: the thread's own variable.
        Errno(unsafe { *libc::__errno_location() })
    }
}

impl Drop for Errno {
    fn drop(&mut self) {
        set_errno(self.0);
    }
}

fn set_errno(value: c_int) {
    // SAFETY: the thread's own variable.
    unsafe { *libc::__errno_location() = value };
}

/// Does `work` for the calling thread, if it is watched.
#[inline]
fn watch(work: impl FnOnce(&mut Entered)) {
    if let Some(mut thread) = thread::enter() {
        let _errno = Errno::save();
        work(&mut thread);
    }
}

/// Everything released to `object` happened before what the calling thread does next.
fn acquire(object: Object) {
    watch(|thread| thread.acquire(object as usize));
    schedule::orders(object as usize, Orders::Acquires);
}

/// See [`Thread::release`].
fn release(object: Object) {
    watch(|thread| thread.release(object as usize));
    schedule::orders(object as usize, Orders::Replaces);
}

/// See [`Thread::release_join`].
fn release_join(object: Object) {
    watch(|thread| thread.release_join(object as usize));
    schedule::orders(object as usize, Orders::Releases);
}

/// The object at this address, of this size, is none any more.
fn destroyed(object: Object, bytes: usize) {
    watch(|_| crate::shadow::forget(object as usize, bytes));
    if explore::is_weak() {
        weak::was_destroyed(object as usize);
    }
}

/// The point in time, of a clock, at which a wait ends; none if it is not a time.
///
/// # Safety
/// `time` points to a time, or is null.
unsafe fn timeout_at(clock: libc::clockid_t, time: *const libc::timespec) -> Option<Timeout> {
    // SAFETY: the caller's promise.
    let time = nanoseconds(unsafe { time.as_ref() }?)?;
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills in the structure.
    if unsafe { clocks::clock_gettime(clock, &raw mut now) } != 0 {
        return None;
    }
    Some(Timeout::after(time.saturating_sub(nanoseconds(&now)?)))
}

/// A time in nanoseconds; none if it is not a valid one.
fn nanoseconds(time: &libc::timespec) -> Option<u64> {
    let whole = u64::try_from(time.tv_sec).unwrap_or(0);
    let part = u64::try_from(time.tv_nsec).ok().filter(|&part| part < 1_000_000_000)?;
    Some(whole.saturating_mul(1_000_000_000).saturating_add(part))
}

/// What a function of C11 threads returns where one of POSIX returns `error`.
fn c11(error: c_int) -> c_int {
    match error {
        0 => 0,
        libc::EBUSY => 1,
        libc::ENOMEM => 3,
        libc::ETIMEDOUT => 4,
        _ => 2,
    }
}

/// The number of the calling thread in the kernel, as locks of libc hold it.
fn task() -> c_int {
    // SAFETY: a system call without arguments.
    let number: c_long = unsafe { system_call(libc::SYS_gettid, [0; 6]) };
    number as c_int
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    /// What follows `fn ` on the lines of the interceptors in a file, and the names that are given to
    /// macros that make interceptors of them.
    fn declared(text: &str) -> impl Iterator<Item = &str> {
        let inside = text.lines().scan(false, |inside, line| {
            *inside = line.starts_with("intercept") || line.starts_with("operators!") || (*inside && line != "}");
            Some((*inside, line))
        });
        let lines = inside.filter_map(|(inside, line)| {
            let line = inside.then_some(line)?.strip_prefix("    ")?;
            // Those that wait name a register first.
            let named = line.strip_prefix('"').and_then(|line| line.split_once("\": "));
            named.map_or(line, |(_, line)| line).strip_prefix("fn ")
        });
        let names = lines.filter_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_').next());
        let given = text.lines().filter_map(|line| {
            let list = ["locks!(", "with_names!("].iter().find_map(|makes| line.strip_prefix(makes))?;
            list.strip_suffix(");")
        });
        names.chain(given.flat_map(|list| list.split(", ")))
    }

    #[test]
    fn every_interceptor_is_exported_and_nothing_else() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut names = BTreeSet::new();
        for file in fs::read_dir(root.join("src/intercept")).expect("the sources are there") {
            let path = file.expect("the sources can be listed").path();
            if !path.ends_with("mod.rs") && !path.ends_with("real.rs") {
                let text = fs::read_to_string(path).expect("the sources can be read");
                names.extend(declared(&text).map(str::to_string));
            }
        }
        let list = fs::read_to_string(root.join("exports.txt")).expect("the list can be read");
        let exported = list.lines().filter(|line| !line.starts_with('#') && !line.ends_with('*'));
        let exported: BTreeSet<String> = exported.map(str::to_string).collect();
        assert_eq!(names, exported);
    }
}
