//! A program with a data race: if it is not found, nothing that is not found means anything.

use std::thread;

static mut SHARED: u64 = 0;

fn main() {
    let other = thread::spawn(|| unsafe { SHARED += 1 });
    unsafe { SHARED += 1 };
    other.join().unwrap();
}
