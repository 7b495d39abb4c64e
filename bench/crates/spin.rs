//! RUSTSEC-2019-0013: a reader-writer lock with relaxed accesses where it is unlocked.

use std::thread;

fn main() {
    let shared = spin::RwLock::new([0u64; 2]);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..3 {
                    let mut pair = shared.write();
                    pair[0] += 1;
                    pair[1] += 1;
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..3 {
                let pair = shared.read();
                assert_eq!(pair[0], pair[1]);
            }
        });
    });
}
