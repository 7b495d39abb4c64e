//! Sleeping and yielding. Under a controlled schedule others run meanwhile, and time is virtual.

use std::ffi::{c_int, c_uint};

use libc::{clockid_t, timespec};

use super::{nanoseconds, real, timeout_at};
use crate::schedule::{self, Key, Outcome, Timeout};
use crate::thread;

/// Lets others run until then; false if the thread has to sleep by itself.
fn passes_until(timeout: Timeout) -> bool {
    // Others may run, or not: that is explored anyway.
    if crate::explore::is_decided() {
        timeout.has_come();
        return true;
    }
    let outcome = schedule::block(Key::Time, Some(timeout), || ());
    super::threads::test_cancel();
    outcome != Outcome::Uncontrolled
}

/// Lets others run for so many nanoseconds; false if the thread has to sleep by itself.
pub(super) fn passes(nanoseconds: u64) -> bool {
    schedule::controls() && passes_until(Timeout::after(nanoseconds))
}

unsafe fn passes_for(time: *const timespec) -> bool {
    // SAFETY: the caller passes a time, or null.
    unsafe { time.as_ref() }.and_then(nanoseconds).is_some_and(passes)
}

/// The running thread says that it has nothing to do.
fn yields() {
    if let Some(thread) = thread::watched() {
        thread.collisions.forget();
    }
    schedule::yields();
}

intercept! {
    fn sched_yield() -> c_int {
        yields();
        real::sched_yield()
    }

    fn pthread_yield() -> c_int {
        yields();
        real::sched_yield()
    }

    fn thrd_yield() {
        yields();
        real::sched_yield();
    }

    fn sleep(seconds: c_uint) -> c_uint {
        if passes(u64::from(seconds) * 1_000_000_000) {
            return 0;
        }
        real::sleep(seconds)
    }

    fn usleep(microseconds: c_uint) -> c_int {
        if passes(u64::from(microseconds) * 1000) {
            return 0;
        }
        real::usleep(microseconds)
    }

    fn nanosleep(time: *const timespec, left: *mut timespec) -> c_int {
        if passes_for(time) { 0 } else { real::nanosleep(time, left) }
    }

    fn thrd_sleep(time: *const timespec, left: *mut timespec) -> c_int {
        if passes_for(time) {
            return 0;
        }
        match real::clock_nanosleep(libc::CLOCK_REALTIME, 0, time, left) {
            0 => 0,
            libc::EINTR => -1,
            _ => -2,
        }
    }

    fn clock_nanosleep(clock: clockid_t, flags: c_int, time: *const timespec, left: *mut timespec) -> c_int {
        let passed = if flags & libc::TIMER_ABSTIME != 0 {
            schedule::controls() && timeout_at(clock, time).is_some_and(passes_until)
        } else {
            passes_for(time)
        };
        if passed { 0 } else { real::clock_nanosleep(clock, flags, time, left) }
    }
}
