//! RUSTSEC-2020-0070: a guard can be sent to another thread, although what it gives access to cannot.
//! Version 0.4.2 does not compile this.

use lock_api::{GuardSend, MappedMutexGuard, Mutex, MutexGuard, RawMutex};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// A lock, as simple as can be.
struct Spin(AtomicBool);

unsafe impl RawMutex for Spin {
    const INIT: Spin = Spin(AtomicBool::new(false));
    type GuardMarker = GuardSend;

    fn lock(&self) {
        while !self.try_lock() {
            thread::yield_now();
        }
    }

    fn try_lock(&self) -> bool {
        !self.0.swap(true, Ordering::Acquire)
    }

    unsafe fn unlock(&self) {
        self.0.store(false, Ordering::Release);
    }
}

fn main() {
    let count: &Cell<u64> = Box::leak(Box::new(Cell::new(0)));
    let mutex = Mutex::<Spin, ()>::new(());
    let guard: MappedMutexGuard<'_, Spin, &Cell<u64>> =
        MutexGuard::map(mutex.lock(), |_| Box::leak(Box::new(count)));
    thread::scope(|scope| {
        scope.spawn(move || guard.set(guard.get() + 1));
        count.set(count.get() + 1);
    });
}
