//! Semaphores: a post happens before every wait that ends later.

use std::ffi::c_int;

use fencepost_protocol::exploration::{Class, Kind, Step, flag};
use libc::{clockid_t, timespec};

use super::{Object, acquire, destroyed, real, release_join, set_errno, timeout_at};
use crate::schedule::{self, ALL, Key, Outcome, Timeout};

/// Does `work` with a semaphore, whose state is its value.
fn with(semaphore: Object, work: impl FnOnce() -> c_int) -> c_int {
    let value = || {
        let mut value = 0;
        // SAFETY: the caller passes a semaphore; its value is written to a variable.
        unsafe { libc::sem_getvalue(semaphore.cast(), &raw mut value) };
        value as u64
    };
    schedule::with_object(semaphore as usize, value, work)
}

unsafe fn wait_on(semaphore: Object, timeout: Option<Timeout>, wait: impl Fn() -> c_int) -> c_int {
    let result = if schedule::controls() {
        // SAFETY: the caller passes a semaphore.
        let attempt = || unsafe {
            super::threads::test_cancel();
            let result = with(semaphore, || real::sem_trywait(semaphore));
            (result == 0 || *libc::__errno_location() != libc::EAGAIN).then_some(result)
        };
        // It waits as long as the value is 0.
        let flags = flag::AWAITS | flag::DIFFERS;
        let step = schedule::step_of(Kind::Object, Class::Semaphore, semaphore as usize);
        match schedule::retry(Step { expected: 0, flags, ..step }, Key::Object(semaphore as usize), timeout, attempt) {
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
        schedule::about_object(Kind::Object, Class::Semaphore, semaphore as usize);
        taken(semaphore, with(semaphore, || real::sem_trywait(semaphore)))
    }

    fn sem_post(semaphore: Object) -> c_int {
        schedule::about_object_if_decided(Kind::Object, Class::Semaphore, semaphore as usize);
        release_join(semaphore);
        let result = with(semaphore, || real::sem_post(semaphore));
        schedule::wake(Key::Object(semaphore as usize), ALL);
        schedule::point();
        result
    }

    fn sem_destroy(semaphore: Object) -> c_int {
        destroyed(semaphore, size_of::<libc::sem_t>());
        real::sem_destroy(semaphore)
    }
}
