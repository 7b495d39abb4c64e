//! RUSTSEC-2022-0006: an iterator over the values of all threads reads a bucket that another thread
//! is about to fill.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use thread_local::ThreadLocal;

fn main() {
    let values = ThreadLocal::<AtomicU64>::new();
    let write = || drop(values.get_or(|| AtomicU64::new(7)).fetch_add(1, Ordering::Relaxed));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(write);
        }
        scope.spawn(|| {
            for value in values.iter() {
                assert!(value.load(Ordering::Relaxed) >= 7);
            }
        });
    });
}
