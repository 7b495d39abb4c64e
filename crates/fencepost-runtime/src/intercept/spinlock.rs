//! Spin locks of POSIX.

use std::ffi::c_int;

use fencepost_protocol::exploration::Kind;

use super::{Object, acquire, destroyed, real, release};
use crate::schedule::{self, ALL, Key};

intercept! {
    fn pthread_spin_lock(lock: Object) -> c_int {
        let attempt = || {
            let result = real::pthread_spin_trylock(lock);
            (result != libc::EBUSY).then_some(result)
        };
        let result = if schedule::controls() {
            schedule::retry(Kind::Lock, Key::Object(lock as usize), None, attempt).unwrap_or_else(|_| real::pthread_spin_lock(lock))
        } else {
            real::pthread_spin_lock(lock)
        };
        if result == 0 {
            acquire(lock);
        }
        result
    }

    fn pthread_spin_trylock(lock: Object) -> c_int {
        schedule::about(Kind::Object, lock as usize);
        let result = real::pthread_spin_trylock(lock);
        if result == 0 {
            acquire(lock);
        }
        result
    }

    fn pthread_spin_unlock(lock: Object) -> c_int {
        schedule::about_if_explored(Kind::Unlock, lock as usize);
        release(lock);
        let result = real::pthread_spin_unlock(lock);
        schedule::wake(Key::Object(lock as usize), ALL);
        schedule::point();
        result
    }

    fn pthread_spin_destroy(lock: Object) -> c_int {
        destroyed(lock, size_of::<libc::pthread_spinlock_t>());
        real::pthread_spin_destroy(lock)
    }
}
