//! Locks for readers and writers. Readers are not ordered among each other, so what they release is
//! kept apart from what writers release: at the second word of the lock.
//!
//! To who explores schedules, such a lock is an object, not a lock: who takes it need not have
//! waited until it was given back.

use std::ffi::c_int;

use fencepost_protocol::exploration::{Class, Kind, Step, flag};
use libc::{clockid_t, timespec};

use super::{Object, acquire, destroyed, real, release, release_join, task, timeout_at};
use crate::schedule::{self, ALL, Key, Outcome, Timeout};

/// Where glibc keeps the writer that has the lock.
const WRITER: usize = 24;
/// The address under which the clocks of readers are kept, from the lock's.
const READERS: usize = 8;

/// States of a lock: free, with so many readers, or with a writer.
const FREE: u64 = 0;
const WRITTEN: u64 = u64::MAX;

/// The state of the lock, where glibc keeps it: who reads, and whether somebody writes.
fn state(lock: Object) -> u64 {
    const WRITES: u32 = 1 << 1;
    const READERS_FROM: u32 = 3;
    // SAFETY: the caller passes a lock, which has this field.
    let word = unsafe { lock.cast::<u32>().read() };
    // SAFETY: as above.
    let writer = unsafe { lock.byte_add(WRITER).cast::<c_int>().read() };
    match word & WRITES != 0 && writer != 0 {
        true => WRITTEN,
        false => u64::from(word >> READERS_FROM),
    }
}

/// Does `work` with a lock.
fn with(lock: Object, work: impl FnOnce() -> c_int) -> c_int {
    schedule::with_object(lock as usize, || state(lock), work)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum As {
    Reader,
    Writer,
}

impl As {
    unsafe fn try_lock(self, lock: Object) -> c_int {
        // SAFETY: the caller passes a lock.
        with(lock, || unsafe {
            match self {
                As::Reader => real::pthread_rwlock_tryrdlock(lock),
                As::Writer => real::pthread_rwlock_trywrlock(lock),
            }
        })
    }

    /// A reader waits while somebody writes, a writer until the lock is free.
    fn step(self, lock: Object) -> Step {
        let (expected, flags) = match self {
            As::Reader => (WRITTEN, flag::AWAITS | flag::DIFFERS),
            As::Writer => (FREE, flag::AWAITS),
        };
        Step { expected, flags, ..schedule::step_of(Kind::Object, Class::ReadWriteLock, lock as usize) }
    }

    fn locked(self, lock: Object, result: c_int) -> c_int {
        if result == 0 {
            acquire(lock);
            if self == As::Writer {
                acquire(lock.wrapping_byte_add(READERS));
            }
        }
        result
    }
}

unsafe fn lock_as(kind: As, lock: Object, timeout: Option<Timeout>, wait: impl Fn() -> c_int) -> c_int {
    // SAFETY: the caller passes a lock.
    let ours = || unsafe { lock.byte_add(WRITER).cast::<c_int>().read() } == task();
    // What we have for writing already is an error, not a wait.
    let result = if schedule::controls() && !ours() {
        let attempt = || {
            // SAFETY: as above.
            let result = unsafe { kind.try_lock(lock) };
            (result != libc::EBUSY).then_some(result)
        };
        match schedule::retry(kind.step(lock), Key::Object(lock as usize), timeout, attempt) {
            Ok(result) => result,
            Err(Outcome::TimedOut) => libc::ETIMEDOUT,
            Err(_) => wait(),
        }
    } else {
        wait()
    };
    kind.locked(lock, result)
}

unsafe fn lock_until(
    kind: As,
    lock: Object,
    clock: clockid_t,
    time: *const timespec,
    wait: impl Fn() -> c_int,
) -> c_int {
    // SAFETY: the caller passes a lock and a time.
    unsafe {
        match timeout_at(clock, time) {
            None => kind.locked(lock, wait()),
            timeout => lock_as(kind, lock, timeout, wait),
        }
    }
}

intercept_wait! {
    "rdx": fn pthread_rwlock_timedrdlock(lock: Object, time: *const timespec) -> c_int {
        lock_until(As::Reader, lock, libc::CLOCK_REALTIME, time, || real::pthread_rwlock_timedrdlock(lock, time))
    }

    "rdx": fn pthread_rwlock_timedwrlock(lock: Object, time: *const timespec) -> c_int {
        lock_until(As::Writer, lock, libc::CLOCK_REALTIME, time, || real::pthread_rwlock_timedwrlock(lock, time))
    }

    "rcx": fn pthread_rwlock_clockrdlock(lock: Object, clock: clockid_t, time: *const timespec) -> c_int {
        lock_until(As::Reader, lock, clock, time, || real::pthread_rwlock_clockrdlock(lock, clock, time))
    }

    "rcx": fn pthread_rwlock_clockwrlock(lock: Object, clock: clockid_t, time: *const timespec) -> c_int {
        lock_until(As::Writer, lock, clock, time, || real::pthread_rwlock_clockwrlock(lock, clock, time))
    }
}

intercept! {
    fn pthread_rwlock_rdlock(lock: Object) -> c_int {
        lock_as(As::Reader, lock, None, || real::pthread_rwlock_rdlock(lock))
    }

    fn pthread_rwlock_wrlock(lock: Object) -> c_int {
        lock_as(As::Writer, lock, None, || real::pthread_rwlock_wrlock(lock))
    }

    fn pthread_rwlock_tryrdlock(lock: Object) -> c_int {
        schedule::about_object(Kind::Object, Class::ReadWriteLock, lock as usize);
        As::Reader.locked(lock, As::Reader.try_lock(lock))
    }

    fn pthread_rwlock_trywrlock(lock: Object) -> c_int {
        schedule::about_object(Kind::Object, Class::ReadWriteLock, lock as usize);
        As::Writer.locked(lock, As::Writer.try_lock(lock))
    }

    fn pthread_rwlock_unlock(lock: Object) -> c_int {
        schedule::about_object_if_decided(Kind::Object, Class::ReadWriteLock, lock as usize);
        // Readers need not ask the kernel who they are.
        let writer = lock.byte_add(WRITER).cast::<c_int>().read();
        if writer != 0 && writer == task() {
            release(lock);
        } else {
            release_join(lock.wrapping_byte_add(READERS));
        }
        let result = with(lock, || real::pthread_rwlock_unlock(lock));
        schedule::wake(Key::Object(lock as usize), ALL);
        schedule::point();
        result
    }

    fn pthread_rwlock_destroy(lock: Object) -> c_int {
        destroyed(lock, size_of::<libc::pthread_rwlock_t>());
        real::pthread_rwlock_destroy(lock)
    }
}
