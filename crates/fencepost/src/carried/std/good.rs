//! A correct program that makes the threads of all locks of the standard library wait: if anything
//! is found, the standard library is not watched as it should be.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Condvar, Mutex, Once, OnceLock, RwLock, mpsc};
use std::thread;

static ONCE: Once = Once::new();
static CELL: OnceLock<u64> = OnceLock::new();
static mut INITIALISED: u64 = 0;

fn main() {
    let shared = Arc::new((Mutex::new(0_u64), Condvar::new(), RwLock::new(0_u64), Barrier::new(3)));
    let is_ready = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = mpsc::sync_channel::<Box<u64>>(1);
    let mut threads = Vec::new();
    for number in 0..2_u64 {
        let (shared, is_ready, sender) = (Arc::clone(&shared), Arc::clone(&is_ready), sender.clone());
        threads.push(thread::spawn(move || {
            let (mutex, condition, lock, barrier) = &*shared;
            ONCE.call_once(|| unsafe { INITIALISED = 1 });
            assert_eq!(unsafe { INITIALISED }, 1);
            assert_eq!(*CELL.get_or_init(|| 7), 7);
            barrier.wait();
            *lock.write().unwrap() += number;
            *mutex.lock().unwrap() += 1;
            condition.notify_all();
            sender.send(Box::new(number)).unwrap();
            while !is_ready.load(Ordering::Acquire) {
                thread::park();
            }
        }));
    }
    drop(sender);
    let (mutex, condition, lock, barrier) = &*shared;
    barrier.wait();
    drop(condition.wait_while(mutex.lock().unwrap(), |count| *count < 2).unwrap());
    assert_eq!(receiver.iter().take(2).map(|number| *number).sum::<u64>(), 1);
    assert_eq!(*lock.read().unwrap(), 1);
    is_ready.store(true, Ordering::Release);
    for thread in threads {
        thread.thread().unpark();
        thread.join().unwrap();
    }
}
