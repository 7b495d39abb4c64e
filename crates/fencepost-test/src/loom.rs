//! Names of the crate `loom`, for tests that were written for it.
//!
//! ```
//! use fencepost_test::loom;
//! use loom::sync::Arc;
//! use loom::sync::atomic::{AtomicUsize, Ordering};
//!
//! # fn test() {
//! loom::model(|| {
//!     let count = Arc::new(AtomicUsize::new(0));
//!     let other = Arc::clone(&count);
//!     let thread = loom::thread::spawn(move || other.fetch_add(1, Ordering::AcqRel));
//!     count.fetch_add(1, Ordering::AcqRel);
//!     thread.join().unwrap();
//!     assert_eq!(count.load(Ordering::Relaxed), 2);
//! });
//! # }
//! ```
//!
//! These are the types of the standard library, which are explored as they are, so the code under
//! test needs no types of its own. What std's types do not have is not here: `with_mut` and
//! `unsync_load` of atomics, `get` and `get_mut` of [`UnsafeCell`](cell::UnsafeCell) with the pointers
//! that they return, `Notify`, `alloc`, `future`, `lazy_static!`, `stop_exploring`. Loom runs the
//! closure many times in one process. Here it runs once in each process, so statics begin anew.

/// Explores what the closure does: see [`exhaustive`](crate::exhaustive()).
pub fn model(test: impl Fn() + Sync + Send + 'static) {
    crate::exhaustive(test);
}

/// Threads: those of the standard library.
pub mod thread {
    pub use std::thread::{
        AccessError, Builder, JoinHandle, LocalKey, Thread, ThreadId, current, park, spawn, yield_now,
    };
}

/// What orders threads: std's.
pub mod sync {
    pub use std::sync::{
        Arc, Barrier, Condvar, LockResult, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        TryLockError, TryLockResult, WaitTimeoutResult, Weak, mpsc,
    };

    /// Atomics: std's.
    pub mod atomic {
        pub use std::sync::atomic::{
            AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8, AtomicU16,
            AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
        };
    }
}

/// Busy waits.
pub mod hint {
    pub use std::hint::spin_loop;
}

/// Cells.
pub mod cell {
    pub use std::cell::Cell;

    /// Std's `UnsafeCell` with loom's way to access it. Data races are found at what is done with the
    /// pointers.
    #[derive(Debug, Default)]
    pub struct UnsafeCell<T: ?Sized>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        /// With this value.
        pub const fn new(value: T) -> Self {
            UnsafeCell(std::cell::UnsafeCell::new(value))
        }

        /// The value.
        pub fn into_inner(self) -> T {
            self.0.into_inner()
        }
    }

    impl<T: ?Sized> UnsafeCell<T> {
        /// Passes a pointer for reading.
        pub fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
            read(self.0.get())
        }

        /// Passes a pointer for writing.
        pub fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
            write(self.0.get())
        }
    }
}

pub use std::thread_local;
