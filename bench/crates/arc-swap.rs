//! arc-swap before 1.9 (issues 195 and 198 of its repository): a reader takes a pointer that was
//! overwritten and freed. Only accesses that use overwritten values show it.

use arc_swap::{ArcSwap, Guard};
use std::sync::Arc;
use std::thread;

/// So many pointers a thread can have the quick way.
const QUICK: usize = 8;

fn main() {
    let other = ArcSwap::from_pointee(0);
    let shared = ArcSwap::from_pointee(Box::new(7u64));
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..3 {
                shared.store(Arc::new(Box::new(7 + number)));
            }
        });
        scope.spawn(|| {
            let _held: Vec<Guard<Arc<i32>>> = (0..QUICK).map(|_| other.load()).collect();
            for _ in 0..3 {
                assert!(**shared.load().as_ref() >= 7);
            }
        });
        scope.spawn(|| {
            for _ in 0..3 {
                assert!(**shared.load().as_ref() >= 7);
            }
        });
    });
}
