//! A program that does not look again when it has waited: if the wait never ends for no reason where
//! every schedule is explored, a proof means nothing.

use std::sync::{Condvar, Mutex};
use std::thread;

static READY: Mutex<bool> = Mutex::new(false);
static CHANGED: Condvar = Condvar::new();

fn main() {
    let other = thread::spawn(|| {
        *READY.lock().unwrap() = true;
        CHANGED.notify_one();
    });
    let mut ready = READY.lock().unwrap();
    if !*ready {
        ready = CHANGED.wait(ready).unwrap();
    }
    assert!(*ready, "the wait has ended early");
    drop(ready);
    other.join().unwrap();
}
