//! Correct uses of the standard library, so small that every schedule can be explored. All threads
//! are joined by name: the end of a scope has many schedules of its own.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering, fence};
use std::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, mpsc};
use std::thread;

use fencepost_test::{assume, choose, wait};
use primitives::{Plain, beside};

fencepost_test::exhaustive! {
    #[test]
    fn mutex() {
        let (lock, data) = (Mutex::new(()), Plain::new(0));
        let add = || {
            let _held = lock.lock().unwrap();
            data.set(data.get() + 1);
        };
        beside(add, add);
        assert_eq!(data.get(), 2);
    }

    #[test]
    fn rw_lock() {
        let (lock, data) = (RwLock::new(()), Plain::new(0));
        beside(
            || {
                let _held = lock.write().unwrap();
                data.set(1);
            },
            || {
                let _held = lock.read().unwrap();
                assert!(data.get() < 2);
            },
        );
    }

    #[test]
    fn condvar() {
        let (ready, condition, data) = (Mutex::new(false), Condvar::new(), Plain::new(0));
        beside(
            || {
                data.set(1);
                *ready.lock().unwrap() = true;
                condition.notify_one();
            },
            || {
                drop(condition.wait_while(ready.lock().unwrap(), |ready| !*ready).unwrap());
                assert_eq!(data.get(), 1);
            },
        );
    }

    #[test]
    fn once() {
        let (once, data) = (Once::new(), Plain::new(0));
        let call = || {
            once.call_once(|| data.set(1));
            assert_eq!(data.get(), 1);
        };
        beside(call, call);
    }

    #[test]
    fn once_lock() {
        let (cell, data) = (OnceLock::new(), Plain::new(0));
        let set = |number| {
            let value = *cell.get_or_init(|| {
                data.set(number);
                number
            });
            assert_eq!(data.get(), value);
        };
        beside(|| set(1), || set(2));
    }

    #[test]
    fn lazy_lock() {
        static DATA: Plain<u32> = Plain::new(0);
        static LAZY: LazyLock<u32> = LazyLock::new(|| {
            DATA.set(5);
            5
        });
        let look = || assert_eq!(*LAZY, DATA.get());
        beside(look, look);
    }

    #[test]
    fn barrier() {
        let (barrier, data) = (Barrier::new(2), Plain::new(0));
        beside(
            || {
                data.set(1);
                barrier.wait();
            },
            || {
                barrier.wait();
                assert_eq!(data.get(), 1);
            },
        );
    }

    #[test]
    fn park() {
        let (flag, data, main) = (AtomicBool::new(false), Plain::new(0), thread::current());
        beside(
            || {
                data.set(1);
                flag.store(true, Ordering::Release);
                main.unpark();
            },
            || {
                while !flag.load(Ordering::Acquire) {
                    thread::park();
                }
                assert_eq!(data.get(), 1);
            },
        );
    }

    #[test]
    fn one_shot() {
        let (sender, receiver) = mpsc::channel();
        let data = Plain::new(0);
        let there = &data;
        beside(
            move || {
                there.set(1);
                sender.send(()).unwrap();
            },
            || {
                if receiver.try_recv().is_ok() {
                    assert_eq!(data.get(), 1);
                }
            },
        );
    }

    #[test]
    fn join() {
        let data = Arc::new(Plain::new(0));
        let other = Arc::clone(&data);
        thread::spawn(move || other.set(1)).join().unwrap();
        assert_eq!(data.get(), 1);
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
    fn release_and_acquire() {
        let (flag, data) = (AtomicBool::new(false), Plain::new(0));
        beside(
            || {
                data.set(1);
                flag.store(true, Ordering::Release);
            },
            || {
                wait(|| flag.load(Ordering::Acquire));
                assert_eq!(data.get(), 1);
            },
        );
    }

    #[test]
    fn fences() {
        let (flag, data) = (AtomicBool::new(false), Plain::new(0));
        beside(
            || {
                data.set(1);
                fence(Ordering::Release);
                flag.store(true, Ordering::Relaxed);
            },
            || {
                wait(|| flag.load(Ordering::Relaxed));
                fence(Ordering::Acquire);
                assert_eq!(data.get(), 1);
            },
        );
    }

    #[test]
    fn pointer() {
        let pointer = AtomicPtr::new(null_mut());
        beside(
            || pointer.store(Box::into_raw(Box::new(7)), Ordering::Release),
            || {
                wait(|| !pointer.load(Ordering::Acquire).is_null());
                assert_eq!(*unsafe { Box::from_raw(pointer.load(Ordering::Relaxed)) }, 7);
            },
        );
    }

    #[test]
    fn choices() {
        let number = AtomicU32::new(0);
        let chosen = choose(3);
        beside(
            || number.store(chosen, Ordering::Relaxed),
            || {
                let found = number.load(Ordering::Relaxed);
                assume(found > 0);
                assert!(found == chosen && found < 3);
            },
        );
    }
}
