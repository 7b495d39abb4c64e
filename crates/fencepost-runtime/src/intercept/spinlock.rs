//! Spin locks of POSIX.

use std::ffi::c_int;

use fencepost_protocol::exploration::{Class, Kind};

use super::{Object, acquire, destroyed, real, release};
use crate::schedule::{self, ALL, Key};

/// Does `work` with a lock, which is taken if its word is not `FREE`.
fn with(lock: Object, work: impl FnOnce() -> c_int) -> c_int {
    const FREE: c_int = 1;
    // SAFETY: the caller passes a lock, which is a word.
    let state = || u64::from(unsafe { lock.cast::<c_int>().read() } != FREE);
    schedule::with_object(lock as usize, state, work)
}

intercept! {
    fn pthread_spin_lock(lock: Object) -> c_int {
        let attempt = || {
            let result = with(lock, || real::pthread_spin_trylock(lock));
            (result != libc::EBUSY).then_some(result)
        };
        let result = if schedule::controls() {
            let step = schedule::step_of(Kind::Lock, Class::Mutex, lock as usize);
            schedule::retry(step, Key::Object(lock as usize), None, attempt).unwrap_or_else(|_| real::pthread_spin_lock(lock))
        } else {
            real::pthread_spin_lock(lock)
        };
        if result == 0 {
            acquire(lock);
        }
        result
    }

    fn pthread_spin_trylock(lock: Object) -> c_int {
        schedule::about_object(Kind::Object, Class::Mutex, lock as usize);
        let result = with(lock, || real::pthread_spin_trylock(lock));
        if result == 0 {
            acquire(lock);
        }
        result
    }

    fn pthread_spin_unlock(lock: Object) -> c_int {
        schedule::about_object_if_decided(Kind::Unlock, Class::Mutex, lock as usize);
        release(lock);
        let result = with(lock, || real::pthread_spin_unlock(lock));
        schedule::wake(Key::Object(lock as usize), ALL);
        schedule::point();
        result
    }

    fn pthread_spin_destroy(lock: Object) -> c_int {
        destroyed(lock, size_of::<libc::pthread_spinlock_t>());
        real::pthread_spin_destroy(lock)
    }
}
