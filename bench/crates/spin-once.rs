//! RUSTSEC-2023-0031: the first initialisation fails, and another one begins before it is over.

use std::thread;

fn main() {
    let once = spin::Once::<Box<u64>>::new();
    thread::scope(|scope| {
        scope.spawn(|| drop(once.try_call_once(|| Err::<Box<u64>, ()>(()))));
        for _ in 0..2 {
            scope.spawn(|| assert_eq!(once.try_call_once(|| Ok::<_, ()>(Box::new(7))).map(|value| **value), Ok(7)));
        }
    });
}
