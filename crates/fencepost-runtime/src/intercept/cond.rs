//! Condition variables. They order nothing by themselves: the mutex does.

use std::ffi::{c_int, c_void};

use fencepost_protocol::exploration::{Class, Kind, Step};
use libc::{clockid_t, timespec};

use super::{Object, acquire, c11, destroyed, mutex, real, release, timeout_at};
use crate::schedule::{self, ALL, Key, Outcome, Timeout};
use crate::{early, explore};

/// libc's record of what to do if a thread is cancelled.
#[repr(C)]
struct Cleanup([usize; 4]);

/// A thread that is cancelled while it waits has the mutex again.
unsafe extern "C" fn cancelled(mutex: *mut c_void) {
    acquire(mutex);
}

/// Waits with `wait` or, under a controlled schedule, until another thread signals.
unsafe fn wait_on(condition: Object, mutex: Object, timeout: Option<Timeout>, wait: impl Fn() -> c_int) -> c_int {
    // SAFETY: the caller passes a condition, and a mutex that it has.
    unsafe {
        if schedule::controls() {
            // It may also end for no reason, or because its time is over.
            if let Some(outcome) = early::end(early::now(), timeout) {
                return wait_in_vain(mutex, if outcome == Outcome::TimedOut { libc::ETIMEDOUT } else { 0 });
            }
            let gives_back = schedule::step_of(Kind::Unlock, Class::Mutex, mutex as usize);
            let waits = schedule::step_of(Kind::Object, Class::Condition, condition as usize);
            schedule::about_step(Step { also: gives_back.object, ..waits });
            schedule::also(gives_back);
            let key = Key::Object(condition as usize);
            let mut unlocked = 0;
            let outcome = schedule::block(key, timeout, || {
                unlocked = mutex::unlock(mutex);
                if unlocked != 0 {
                    schedule::wake(key, ALL);
                }
            });
            if unlocked != 0 {
                return unlocked;
            }
            // If nobody controls the schedule any more this is a wakeup without a cause, which
            // programs expect.
            let locked = mutex::lock(mutex, None, || real::pthread_mutex_lock(mutex));
            super::threads::test_cancel();
            return match (locked, outcome) {
                (0, Outcome::TimedOut) => libc::ETIMEDOUT,
                (locked, _) => locked,
            };
        }
        wait_really(mutex, wait)
    }
}

/// Gives the mutex back and takes it again. Nobody has signalled.
unsafe fn wait_in_vain(mutex: Object, result: c_int) -> c_int {
    schedule::about_object(Kind::Unlock, Class::Mutex, mutex as usize);
    // SAFETY: the caller passes a mutex that it has.
    let changed = unsafe {
        match mutex::unlock(mutex) {
            0 => mutex::lock(mutex, None, || real::pthread_mutex_lock(mutex)),
            error => error,
        }
    };
    super::threads::test_cancel();
    if changed == 0 { result } else { changed }
}

unsafe fn wait_really(mutex: Object, wait: impl Fn() -> c_int) -> c_int {
    release(mutex);
    let mut cleanup = Cleanup([0; 4]);
    let buffer = (&raw mut cleanup).cast();
    // SAFETY: the buffer lives until it is popped, or until this frame is left because the thread
    // is cancelled.
    let result = unsafe {
        real::_pthread_cleanup_push(buffer, cancelled, mutex);
        let result = wait();
        real::_pthread_cleanup_pop(buffer, 0);
        result
    };
    acquire(mutex);
    result
}

unsafe fn wait_until(
    condition: Object,
    mutex: Object,
    (clock, time): (clockid_t, *const timespec),
    wait: impl Fn() -> c_int,
) -> c_int {
    // SAFETY: the caller passes a condition, a mutex that it has, and a time.
    unsafe {
        match timeout_at(clock, time) {
            None => wait_really(mutex, wait),
            timeout => wait_on(condition, mutex, timeout, wait),
        }
    }
}

/// The clock that a condition was made for: a bit that glibc keeps.
unsafe fn clock_of(condition: Object) -> clockid_t {
    const FLAGS: usize = 36;
    const MONOTONIC: u32 = 2;
    // SAFETY: a condition of glibc has this field.
    match unsafe { condition.byte_add(FLAGS).cast::<u32>().read() } & MONOTONIC {
        0 => libc::CLOCK_REALTIME,
        _ => libc::CLOCK_MONOTONIC,
    }
}

/// Wakes one thread that waits under control, or else what waits in libc.
unsafe fn signal(condition: Object) -> c_int {
    schedule::about_object(Kind::Object, Class::Condition, condition as usize);
    if schedule::wake(Key::Object(condition as usize), 1) > 0 {
        return 0;
    }
    // SAFETY: the caller passes a condition.
    unsafe { real::pthread_cond_signal(condition) }
}

unsafe fn broadcast(condition: Object) -> c_int {
    schedule::about_object(Kind::Object, Class::Condition, condition as usize);
    schedule::wake(Key::Object(condition as usize), ALL);
    // SAFETY: the caller passes a condition.
    unsafe { real::pthread_cond_broadcast(condition) }
}

shim_of_loop!(__fencepost_condition_wait, "rdx", waits_in_the_kernel);

/// Rust's library begins to wait for a condition, with a mutex that the thread has. Each begins with
/// the word that the kernel knows it by.
extern "C" fn waits_in_the_kernel(condition: Object, mutex: Object) {
    if explore::is_decided() {
        early::announce(condition as usize, mutex as usize);
    }
}

/// Bytes of a condition.
const SIZE: usize = size_of::<libc::pthread_cond_t>();

intercept_wait! {
    "rdx": fn pthread_cond_wait(condition: Object, mutex: Object) -> c_int {
        wait_on(condition, mutex, None, || real::pthread_cond_wait(condition, mutex))
    }

    "rcx": fn pthread_cond_timedwait(condition: Object, mutex: Object, time: *const timespec) -> c_int {
        let wait = || real::pthread_cond_timedwait(condition, mutex, time);
        wait_until(condition, mutex, (clock_of(condition), time), wait)
    }

    "r8": fn pthread_cond_clockwait(condition: Object, mutex: Object, clock: clockid_t, time: *const timespec) -> c_int {
        let wait = || real::pthread_cond_clockwait(condition, mutex, clock, time);
        wait_until(condition, mutex, (clock, time), wait)
    }

    "rdx": fn cnd_wait(condition: Object, mutex: Object) -> c_int {
        c11(wait_on(condition, mutex, None, || real::pthread_cond_wait(condition, mutex)))
    }

    "rcx": fn cnd_timedwait(condition: Object, mutex: Object, time: *const timespec) -> c_int {
        let wait = || real::pthread_cond_timedwait(condition, mutex, time);
        c11(wait_until(condition, mutex, (libc::CLOCK_REALTIME, time), wait))
    }
}

intercept! {
    fn pthread_cond_signal(condition: Object) -> c_int {
        signal(condition)
    }

    fn pthread_cond_broadcast(condition: Object) -> c_int {
        broadcast(condition)
    }

    fn pthread_cond_destroy(condition: Object) -> c_int {
        destroyed(condition, SIZE);
        real::pthread_cond_destroy(condition)
    }

    fn cnd_signal(condition: Object) -> c_int {
        c11(signal(condition))
    }

    fn cnd_broadcast(condition: Object) -> c_int {
        c11(broadcast(condition))
    }

    fn cnd_destroy(condition: Object) {
        destroyed(condition, SIZE);
        real::pthread_cond_destroy(condition);
    }
}
