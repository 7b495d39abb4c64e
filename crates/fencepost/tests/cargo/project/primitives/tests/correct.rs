//! Correct uses of what the standard library has to order things: nothing is to be reported.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering, fence};
use std::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, mpsc};
use std::thread;

use primitives::Plain;

#[test]
fn mutex() {
    let (lock, data) = (Mutex::new(()), Plain::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let _held = lock.lock().unwrap();
                data.set(data.get() + 1);
            });
        }
    });
    assert_eq!(data.get(), 2);
}

#[test]
fn rw_lock() {
    let (lock, data) = (RwLock::new(()), Plain::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            let _held = lock.write().unwrap();
            data.set(1);
        });
        for _ in 0..2 {
            scope.spawn(|| {
                let _held = lock.read().unwrap();
                assert!(data.get() < 2);
            });
        }
    });
}

#[test]
fn condvar() {
    let (ready, condition, data) = (Mutex::new(false), Condvar::new(), Plain::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            data.set(1);
            *ready.lock().unwrap() = true;
            condition.notify_one();
        });
        drop(condition.wait_while(ready.lock().unwrap(), |ready| !*ready).unwrap());
        assert_eq!(data.get(), 1);
    });
}

#[test]
fn once() {
    let (once, data) = (Once::new(), Plain::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                once.call_once(|| data.set(1));
                assert_eq!(data.get(), 1);
            });
        }
    });
}

#[test]
fn once_lock() {
    let (cell, data) = (OnceLock::new(), Plain::new(0));
    thread::scope(|scope| {
        for number in 1..3 {
            let (cell, data) = (&cell, &data);
            scope.spawn(move || {
                let value = *cell.get_or_init(|| {
                    data.set(number);
                    number
                });
                assert_eq!(data.get(), value);
            });
        }
    });
}

#[test]
fn lazy_lock() {
    static DATA: Plain<u32> = Plain::new(0);
    static LAZY: LazyLock<u32> = LazyLock::new(|| {
        DATA.set(5);
        5
    });
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| assert_eq!(*LAZY, DATA.get()));
        }
    });
}

#[test]
fn barrier() {
    let (barrier, data) = (Barrier::new(2), Plain::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            data.set(1);
            barrier.wait();
        });
        barrier.wait();
        assert_eq!(data.get(), 1);
    });
}

#[test]
fn park() {
    let (flag, data) = (AtomicBool::new(false), Plain::new(0));
    let main = thread::current();
    thread::scope(|scope| {
        scope.spawn(|| {
            data.set(1);
            flag.store(true, Ordering::Release);
            main.unpark();
        });
        while !flag.load(Ordering::Acquire) {
            thread::park();
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
            data.set(1);
            sender.send(()).unwrap();
        });
        receiver.recv().unwrap();
        assert_eq!(data.get(), 1);
    });
}

#[test]
fn sync_channel() {
    let (sender, receiver) = mpsc::sync_channel(0);
    let data = Plain::new(0);
    thread::scope(|scope| {
        let data = &data;
        scope.spawn(move || {
            data.set(1);
            sender.send(()).unwrap();
        });
        receiver.recv().unwrap();
        assert_eq!(data.get(), 1);
    });
}

#[test]
fn scope() {
    let data = Plain::new(0);
    thread::scope(|scope| {
        scope.spawn(|| data.set(1));
    });
    assert_eq!(data.get(), 1);
}

#[test]
fn join() {
    let data = Arc::new(Plain::new(0));
    let other = Arc::clone(&data);
    let thread = thread::spawn(move || other.set(1));
    thread.join().unwrap();
    assert_eq!(data.get(), 1);
}

#[test]
fn arc_into_inner() {
    let data = Arc::new(Plain::new(0));
    let thread = thread::spawn({
        let data = Arc::clone(&data);
        move || {
            data.set(1);
            drop(data);
        }
    });
    if let Some(data) = Arc::into_inner(data) {
        assert_eq!(data.get(), 1);
    }
    thread.join().unwrap();
}

#[test]
fn arc_get_mut() {
    let mut data = Arc::new(Plain::new(0));
    let thread = thread::spawn({
        let data = Arc::clone(&data);
        move || assert_eq!(data.get(), 0)
    });
    loop {
        if let Some(data) = Arc::get_mut(&mut data) {
            data.set(1);
            break;
        }
        thread::yield_now();
    }
    thread.join().unwrap();
}

#[test]
fn release_and_acquire() {
    let (flag, data) = (AtomicBool::new(false), Plain::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            data.set(1);
            flag.store(true, Ordering::Release);
        });
        while !flag.load(Ordering::Acquire) {
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
            fence(Ordering::Release);
            flag.store(true, Ordering::Relaxed);
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
                while lock.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
                    thread::yield_now();
                }
                data.set(data.get() + 1);
                lock.store(false, Ordering::Release);
            });
        }
    });
    assert_eq!(data.get(), 2);
}

#[test]
fn pointer() {
    let pointer = AtomicPtr::new(null_mut());
    thread::scope(|scope| {
        scope.spawn(|| pointer.store(Box::into_raw(Box::new(7)), Ordering::Release));
        loop {
            let found: *mut i32 = pointer.load(Ordering::Acquire);
            if !found.is_null() {
                assert_eq!(*unsafe { Box::from_raw(found) }, 7);
                break;
            }
            thread::yield_now();
        }
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
            while count.compare_exchange(1, 2, Ordering::Relaxed, Ordering::Relaxed).is_err() {
                thread::yield_now();
            }
        });
        while count.load(Ordering::Acquire) != 2 {
            thread::yield_now();
        }
        assert_eq!(data.get(), 1);
    });
}

#[test]
fn poisoned_lock() {
    let (lock, data) = (Mutex::new(()), Plain::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            let _ = catch_unwind(AssertUnwindSafe(|| {
                let _held = lock.lock().unwrap_or_else(|poison| poison.into_inner());
                data.set(1);
                std::panic::resume_unwind(Box::new(()));
            }));
        });
        let _held = lock.lock().unwrap_or_else(|poison| poison.into_inner());
        assert!(data.get() < 2);
    });
}
