//! Semaphores: a post happens before every wait that ends later.

use std::ffi::c_int;

use fencepost_protocol::exploration::Kind;
use libc::{clockid_t, timespec};

use super::{Object, acquire, destroyed, real, release_join, set_errno, timeout_at};
use crate::schedule::{self, ALL, Key, Outcome, Timeout};

unsafe fn wait_on(semaphore: Object, timeout: Option<Timeout>, wait: impl Fn() -> c_int) -> c_int {
    let result = if schedule::controls() {
        // SAFETY: the caller passes a semaphore.
        let attempt = || unsafe {
            super::threads::test_cancel();
            let result = real::sem_trywait(semaphore);
            (result == 0 || *libc::__errno_location() != libc::EAGAIN).then_some(result)
        };
        match schedule::retry(Kind::Object, Key::Object(semaphore as usize), timeout, attempt) {
            Ok(result) => result,
            Err(Outcome::TimedOut) => {
                set_errno(libc::ETIMEDOUT);
                -1
            }
            Err(_) => wait(),
        }
    } else {
        wait()
    };
    taken(semaphore, result)
}

fn taken(semaphore: Object, result: c_int) -> c_int {
    if result == 0 {
        acquire(semaphore);
    }
    result
}

unsafe fn wait_until(semaphore: Object, clock: clockid_t, time: *const timespec, wait: impl Fn() -> c_int) -> c_int {
    // SAFETY: the caller passes a semaphore and a time.
    unsafe {
        match timeout_at(clock, time) {
            None => taken(semaphore, wait()),
            timeout => wait_on(semaphore, timeout, wait),
        }
    }
}

intercept_wait! {
    "rdx": fn sem_timedwait(semaphore: Object, time: *const timespec) -> c_int {
        wait_until(semaphore, libc::CLOCK_REALTIME, time, || real::sem_timedwait(semaphore, time))
    }

    "rcx": fn sem_clockwait(semaphore: Object, clock: clockid_t, time: *const timespec) -> c_int {
        wait_until(semaphore, clock, time, || real::sem_clockwait(semaphore, clock, time))
    }
}

intercept! {
    fn sem_wait(semaphore: Object) -> c_int {
        wait_on(semaphore, None, || real::sem_wait(semaphore))
    }

    fn sem_trywait(semaphore: Object) -> c_int {
        schedule::about(Kind::Object, semaphore as usize);
        taken(semaphore, real::sem_trywait(semaphore))
    }

    fn sem_post(semaphore: Object) -> c_int {
        schedule::about_if_decided(Kind::Object, semaphore as usize);
        release_join(semaphore);
        let result = real::sem_post(semaphore);
        schedule::wake(Key::Object(semaphore as usize), ALL);
        schedule::point();
        result
    }

    fn sem_destroy(semaphore: Object) -> c_int {
        destroyed(semaphore, size_of::<libc::sem_t>());
        real::sem_destroy(semaphore)
    }
}
