//! The same, each with one thing wrong: a race is to be reported in every test.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering, fence};
use std::sync::{Arc, Barrier, Condvar, Mutex, Once, OnceLock, RwLock, mpsc};
use std::thread;

use primitives::Plain;

#[test]
fn mutex() {
    let (lock, data) = (Mutex::new(()), Plain::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            let _held = lock.lock().unwrap();
            data.set(1);
        });
        drop(lock.lock().unwrap());
        data.set(2);
    });
}

#[test]
fn rw_lock() {
    let (lock, data) = (RwLock::new(()), Plain::new(0));
    thread::scope(|scope| {
        for value in 0..2 {
            let (lock, data) = (&lock, &data);
            scope.spawn(move || {
                let _held = lock.read().unwrap();
                data.set(value);
            });
        }
    });
}

#[test]
fn condvar() {
    let (ready, condition, data) = (Mutex::new(false), Condvar::new(), Plain::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            *ready.lock().unwrap() = true;
            condition.notify_one();
            data.set(1);
        });
        drop(condition.wait_while(ready.lock().unwrap(), |ready| !*ready).unwrap());
        assert!(data.get() < 2);
    });
}

#[test]
fn once() {
    let (once, is_done, data) = (Once::new(), AtomicBool::new(false), Plain::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            once.call_once(|| {
                data.set(1);
                is_done.store(true, Ordering::Relaxed);
            })
        });
        while !is_done.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        assert_eq!(data.get(), 1);
    });
}

#[test]
fn once_lock() {
    let (cell, data) = (OnceLock::new(), Plain::new(0));
    thread::scope(|scope| {
        for number in 1..3 {
            let (cell, data) = (&cell, &data);
            scope.spawn(move || {
                data.set(number);
                cell.get_or_init(|| number);
            });
        }
    });
}

#[test]
fn lazily() {
    let data = Plain::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                if data.get() == 0 {
                    data.set(5);
                }
            });
        }
    });
}

#[test]
fn barrier() {
    let (barrier, data) = (Barrier::new(2), Plain::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            barrier.wait();
            data.set(1);
        });
        barrier.wait();
        assert!(data.get() < 2);
    });
}

#[test]
fn park() {
    let (flag, data) = (AtomicBool::new(false), Plain::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            data.set(1);
            flag.store(true, Ordering::Relaxed);
        });
        while !flag.load(Ordering::Acquire) {
            thread::yield_now();
        }
        assert_eq!(data.get(), 1);
    });
}

#[test]
fn channel() {
    let (sender, receiver) = mpsc::channel();
    let data = Plain::new(0);
    thread::scope(|scope| {
        let data = &data;
        scope.spawn(move || {
            sender.send(()).unwrap();
            data.set(1);
        });
        receiver.recv().unwrap();
        assert!(data.get() < 2);
    });
}

#[test]
fn sync_channel() {
    let (sender, receiver) = mpsc::sync_channel(1);
    let data = Plain::new(0);
    thread::scope(|scope| {
        let data = &data;
        scope.spawn(move || {
            sender.send(()).unwrap();
            data.set(1);
        });
        receiver.recv().unwrap();
        assert!(data.get() < 2);
    });
}

#[test]
fn scope() {
    let data = Plain::new(0);
    thread::scope(|scope| {
        scope.spawn(|| data.set(1));
        scope.spawn(|| data.set(2));
    });
}

#[test]
fn join() {
    let data = Arc::new(Plain::new(0));
    let other = Arc::clone(&data);
    let thread = thread::spawn(move || other.set(1));
    assert!(data.get() < 2);
    thread.join().unwrap();
}

#[test]
fn own_arc() {
    let (count, data) = (AtomicU32::new(2), Plain::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                assert_eq!(data.get(), 0);
                if count.fetch_sub(1, Ordering::Relaxed) == 1 {
                    data.set(1);
                }
            });
        }
    });
}

#[test]
fn arc_strong_count() {
    let data = Arc::new(Plain::new(0));
    let thread = thread::spawn({
        let data = Arc::clone(&data);
        move || assert_eq!(data.get(), 0)
    });
    while Arc::strong_count(&data) > 1 {
        thread::yield_now();
    }
    data.set(1);
    thread.join().unwrap();
}

#[test]
fn relaxed_load() {
    let (flag, data) = (AtomicBool::new(false), Plain::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            data.set(1);
            flag.store(true, Ordering::Release);
        });
        while !flag.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        assert_eq!(data.get(), 1);
    });
}

#[test]
fn fences() {
    let (flag, data) = (AtomicBool::new(false), Plain::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            data.set(1);
            flag.store(true, Ordering::Relaxed);
            fence(Ordering::Release);
        });
        while !flag.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        fence(Ordering::Acquire);
        assert_eq!(data.get(), 1);
    });
}

#[test]
fn spin_lock() {
    let (lock, data) = (AtomicBool::new(false), Plain::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while lock.swap(true, Ordering::Acquire) {
                    thread::yield_now();
                }
                data.set(data.get() + 1);
                lock.store(false, Ordering::Relaxed);
            });
        }
    });
}

#[test]
fn pointer() {
    let (pointer, data) = (AtomicPtr::new(null_mut()), Plain::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            data.set(1);
            pointer.store((&raw const data).cast_mut(), Ordering::Relaxed);
        });
        while pointer.load(Ordering::Acquire).is_null() {
            thread::yield_now();
        }
        assert_eq!(data.get(), 1);
    });
}

#[test]
fn release_sequence() {
    let (count, data) = (AtomicU32::new(0), Plain::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            data.set(1);
            count.store(1, Ordering::Release);
        });
        scope.spawn(|| {
            while count.load(Ordering::Relaxed) != 1 {
                thread::yield_now();
            }
            count.store(2, Ordering::Relaxed);
        });
        while count.load(Ordering::Acquire) != 2 {
            thread::yield_now();
        }
        assert_eq!(data.get(), 1);
    });
}

#[test]
fn sequence_lock() {
    let (sequence, data) = (AtomicU32::new(0), Plain::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            sequence.store(1, Ordering::Relaxed);
            fence(Ordering::Release);
            data.set(1);
            sequence.store(2, Ordering::Release);
        });
        let before = sequence.load(Ordering::Acquire);
        let value = data.get();
        fence(Ordering::Acquire);
        if before % 2 == 0 && before == sequence.load(Ordering::Relaxed) {
            assert_eq!(value, before / 2);
        }
    });
}
