//! A slot that one thread fills and another one empties.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(not(users_own))]
compile_error!("the user's own flags are gone");

/// A slot.
///
/// ```
/// let slot = queue::Slot::default();
/// std::thread::scope(|scope| {
///     scope.spawn(|| slot.put(3));
/// });
/// assert_eq!(slot.take(), Some(3));
/// ```
#[derive(Default)]
pub struct Slot {
    value: UnsafeCell<u64>,
    full: AtomicBool,
}

unsafe impl Sync for Slot {}

impl Slot {
    /// Fills it.
    #[cfg(not(feature = "broken"))]
    pub fn put(&self, value: u64) {
        unsafe { *self.value.get() = value };
        self.full.store(true, Ordering::Release);
    }

    /// Fills it, and does not say so as it should.
    #[cfg(feature = "broken")]
    pub fn put(&self, value: u64) {
        unsafe { *self.value.get() = value };
        self.full.store(true, Ordering::Relaxed);
    }

    /// Empties it, if it is full.
    pub fn take(&self) -> Option<u64> {
        self.full.load(Ordering::Acquire).then(|| unsafe { *self.value.get() })
    }
}

unsafe extern "C" {
    fn native_count(counter: *mut i64);
}

/// Counts in C.
///
/// # Safety
///
/// Nobody else counts at the same time.
pub unsafe fn count(counter: *mut i64) {
    unsafe { native_count(counter) };
}

#[cfg(test)]
mod tests {
    use std::sync::{Condvar, Mutex, mpsc};

    use super::*;

    #[test]
    fn waits_with_locks() {
        assert!(cfg!(fencepost) || std::env::var_os("FENCEPOST_DOOR").is_none());
        let (mutex, condition) = (Mutex::new(0), Condvar::new());
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..names::three!() {
                let (mutex, condition, sender) = (&mutex, &condition, sender.clone());
                scope.spawn(move || {
                    *mutex.lock().unwrap() += 1;
                    condition.notify_one();
                    sender.send(1).unwrap();
                });
            }
            drop(condition.wait_while(mutex.lock().unwrap(), |count| *count < 3).unwrap());
        });
        drop(sender);
        assert_eq!(receiver.iter().sum::<i32>(), 3);
        let slot = Slot::default();
        assert_eq!(slot.take(), None);
    }

    #[test]
    #[ignore = "it fails"]
    fn fails() {
        panic!("as it should");
    }
}
