//! Mutexes, of POSIX and of C11, which are the same objects in glibc.

use std::ffi::c_int;

use fencepost_protocol::exploration::{Class, Kind};
use libc::{clockid_t, timespec};

use super::{Object, acquire, c11, destroyed, real, release, task, timeout_at};
use crate::schedule::{self, ALL, Key, Outcome, Timeout};

/// Where glibc keeps the owner, and the kind, of a mutex.
const OWNER: usize = 8;
const KIND: usize = 16;
const KINDS: c_int = 3;

/// The kind of the mutex, if the calling thread has it.
unsafe fn kind_if_ours(mutex: Object) -> Option<c_int> {
    // SAFETY: a mutex of glibc has these fields; they are read as the owner would.
    let (owner, kind) =
        unsafe { (mutex.byte_add(OWNER).cast::<c_int>().read(), mutex.byte_add(KIND).cast::<c_int>().read()) };
    (owner == task()).then_some(kind & KINDS)
}

/// Is it taken? Its first word says so.
fn state(mutex: Object) -> u64 {
    // SAFETY: the caller passes a mutex.
    u64::from(unsafe { mutex.cast::<c_int>().read() } != 0)
}

/// Does `work` with a mutex.
fn with<T>(mutex: Object, work: impl FnOnce() -> T) -> T {
    schedule::with_object(mutex as usize, || state(mutex), work)
}

/// Locks with `wait` or, under a controlled schedule, by trying.
pub(super) unsafe fn lock(mutex: Object, timeout: Option<Timeout>, wait: impl Fn() -> c_int) -> c_int {
    let controls = schedule::controls();
    // SAFETY: the caller passes a mutex.
    let result = match if controls { unsafe { kind_if_ours(mutex) } } else { None } {
        // It would fail; `trylock` says something else then.
        Some(libc::PTHREAD_MUTEX_ERRORCHECK) => wait(),
        // It nests. Nobody has to be waited for.
        Some(libc::PTHREAD_MUTEX_RECURSIVE) => {
            schedule::about_object(Kind::Object, Class::Mutex, mutex as usize);
            with(mutex, wait)
        }
        _ if !controls => wait(),
        _ => {
            let attempt = || {
                // SAFETY: as above.
                let result = with(mutex, || unsafe { real::pthread_mutex_trylock(mutex) });
                (result != libc::EBUSY).then_some(result)
            };
            let step = schedule::step_of(Kind::Lock, Class::Mutex, mutex as usize);
            match schedule::retry(step, Key::Object(mutex as usize), timeout, attempt) {
                Ok(result) => result,
                Err(Outcome::TimedOut) => libc::ETIMEDOUT,
                Err(_) => wait(),
            }
        }
    };
    if is_locked(result) {
        acquire(mutex);
    }
    result
}

fn is_locked(result: c_int) -> bool {
    result == 0 || result == libc::EOWNERDEAD
}

unsafe fn try_lock(mutex: Object) -> c_int {
    schedule::about_object(Kind::Object, Class::Mutex, mutex as usize);
    // SAFETY: the caller passes a mutex.
    let result = with(mutex, || unsafe { real::pthread_mutex_trylock(mutex) });
    if is_locked(result) {
        acquire(mutex);
    }
    result
}

/// Unlocks; others may run only afterwards.
pub(super) unsafe fn unlock(mutex: Object) -> c_int {
    release(mutex);
    // SAFETY: the caller passes a mutex.
    let result = with(mutex, || unsafe { real::pthread_mutex_unlock(mutex) });
    schedule::wake(Key::Object(mutex as usize), ALL);
    result
}

unsafe fn lock_until(mutex: Object, clock: clockid_t, time: *const timespec, wait: impl Fn() -> c_int) -> c_int {
    // SAFETY: the caller passes a mutex and a time.
    unsafe {
        let timeout = timeout_at(clock, time);
        match timeout {
            None => {
                let result = wait();
                if is_locked(result) {
                    acquire(mutex);
                }
                result
            }
            timeout => lock(mutex, timeout, wait),
        }
    }
}

/// Bytes of a mutex.
const SIZE: usize = size_of::<libc::pthread_mutex_t>();

intercept_wait! {
    "rdx": fn pthread_mutex_timedlock(mutex: Object, time: *const timespec) -> c_int {
        lock_until(mutex, libc::CLOCK_REALTIME, time, || real::pthread_mutex_timedlock(mutex, time))
    }

    "rcx": fn pthread_mutex_clocklock(mutex: Object, clock: clockid_t, time: *const timespec) -> c_int {
        lock_until(mutex, clock, time, || real::pthread_mutex_clocklock(mutex, clock, time))
    }

    "rdx": fn mtx_timedlock(mutex: Object, time: *const timespec) -> c_int {
        c11(lock_until(mutex, libc::CLOCK_REALTIME, time, || real::pthread_mutex_timedlock(mutex, time)))
    }
}

intercept! {
    fn pthread_mutex_lock(mutex: Object) -> c_int {
        lock(mutex, None, || real::pthread_mutex_lock(mutex))
    }

    fn pthread_mutex_trylock(mutex: Object) -> c_int {
        try_lock(mutex)
    }

    fn pthread_mutex_unlock(mutex: Object) -> c_int {
        schedule::about_object_if_decided(Kind::Unlock, Class::Mutex, mutex as usize);
        let result = unlock(mutex);
        schedule::point();
        result
    }

    fn pthread_mutex_destroy(mutex: Object) -> c_int {
        destroyed(mutex, SIZE);
        real::pthread_mutex_destroy(mutex)
    }

    fn mtx_lock(mutex: Object) -> c_int {
        c11(lock(mutex, None, || real::pthread_mutex_lock(mutex)))
    }

    fn mtx_trylock(mutex: Object) -> c_int {
        c11(try_lock(mutex))
    }

    fn mtx_unlock(mutex: Object) -> c_int {
        schedule::about_object_if_decided(Kind::Unlock, Class::Mutex, mutex as usize);
        let result = unlock(mutex);
        schedule::point();
        c11(result)
    }

    fn mtx_destroy(mutex: Object) {
        destroyed(mutex, SIZE);
        real::pthread_mutex_destroy(mutex);
    }
}
