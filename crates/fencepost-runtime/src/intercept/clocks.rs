//! Clocks. Under a controlled schedule a wait for time ends at once when nobody can run. The clocks
//! that the program reads go ahead by what was left of it: it finds as much time gone as it has
//! waited for.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use libc::{clockid_t, time_t, timespec, timeval};

use super::real;
use crate::memory::Apart;

/// By how many nanoseconds the program's clocks are ahead.
static AHEAD: Apart<AtomicU64> = Apart(AtomicU64::new(0));

const SECOND: u64 = 1_000_000_000;

/// Now, in nanoseconds.
pub(crate) fn monotonic() -> u64 {
    let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills in the structure.
    unsafe { real::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * SECOND + time.tv_nsec as u64
}

/// Now, as the program sees it.
pub(crate) fn programs_monotonic() -> u64 {
    monotonic() + AHEAD.load(Ordering::Relaxed)
}

/// From now on it is not earlier than this for the program.
pub(crate) fn reach(moment: u64) {
    AHEAD.fetch_max(moment.saturating_sub(monotonic()), Ordering::Relaxed);
}

/// Does the clock show time, and not what somebody has used of it?
fn shows_time(clock: clockid_t) -> bool {
    let used = [libc::CLOCK_PROCESS_CPUTIME_ID, libc::CLOCK_THREAD_CPUTIME_ID];
    // Negative ones are of a process or of a thread.
    clock >= 0 && !used.contains(&clock)
}

/// Adds what the program's clocks are ahead to a time of a real one.
fn add(seconds: &mut i64, nanoseconds: i64) -> i64 {
    let all = nanoseconds as u64 + AHEAD.load(Ordering::Relaxed);
    *seconds = seconds.saturating_add((all / SECOND) as i64);
    (all % SECOND) as i64
}

intercept! {
    fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
        let result = real::clock_gettime(clock, time);
        if result == 0 && shows_time(clock) && let Some(time) = time.as_mut() {
            time.tv_nsec = add(&mut time.tv_sec, time.tv_nsec);
        }
        result
    }

    fn timespec_get(time: *mut timespec, base: c_int) -> c_int {
        let result = real::timespec_get(time, base);
        if result != 0 && let Some(time) = time.as_mut() {
            time.tv_nsec = add(&mut time.tv_sec, time.tv_nsec);
        }
        result
    }

    fn gettimeofday(time: *mut timeval, zone: *mut c_void) -> c_int {
        let result = real::gettimeofday(time, zone);
        if result == 0 && let Some(time) = time.as_mut() {
            time.tv_usec = add(&mut time.tv_sec, time.tv_usec * 1000) / 1000;
        }
        result
    }

    fn time(result: *mut time_t) -> time_t {
        let mut now = timespec { tv_sec: 0, tv_nsec: 0 };
        clock_gettime(libc::CLOCK_REALTIME_COARSE, &raw mut now);
        if let Some(result) = result.as_mut() {
            *result = now.tv_sec;
        }
        now.tv_sec
    }
}
