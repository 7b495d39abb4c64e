//! RUSTSEC-2021-0093: who steals several tasks goes on to read the old buffer when the queue has got
//! another one. A task is taken twice.

use crossbeam_deque::Worker;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// More than twice as many as the smallest buffer has room for.
const TASKS: usize = 130;
/// So few that the smallest one is enough.
const LEFT: usize = 5;

fn main() {
    let worker = Worker::new_lifo();
    let taken: Vec<AtomicU32> = (0..2 * TASKS).map(|_| AtomicU32::new(0)).collect();
    let take = |task: usize| assert_eq!(taken[task].fetch_add(1, Ordering::Relaxed), 0, "taken twice");
    (0..TASKS).for_each(|task| worker.push(task));
    thread::scope(|scope| {
        let (stealer, take) = (worker.stealer(), &take);
        scope.spawn(move || {
            let own = Worker::new_lifo();
            let _ = stealer.steal_batch(&own);
            while let Some(task) = own.pop() {
                take(task);
            }
        });
        for _ in LEFT..TASKS {
            worker.pop().into_iter().for_each(take);
        }
        for task in TASKS + LEFT..2 * TASKS {
            worker.push(task);
        }
    });
    while let Some(task) = worker.pop() {
        take(task);
    }
}
