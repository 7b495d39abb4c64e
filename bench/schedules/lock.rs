use crate::model::sync::atomic::{AtomicUsize, Ordering::{Acquire, Relaxed, Release}};
use crate::model::sync::Arc;

pub fn test() {
    // The value is atomic here, because the two tools have no plain variables in common.
    let shared = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
    crate::run(3, move |_| {
        let (lock, value) = &*shared;
        while lock.swap(1, Acquire) != 0 {
            crate::model::thread::yield_now();
        }
        value.store(value.load(Relaxed) + 1, Relaxed);
        lock.store(0, Release);
    });
}
