//! Small locks for short critical sections.
//!
//! A lock spins a little and then gives its time slice away: sections are a few dozen instructions
//! long and never wait for the host. The word holds the owner's process, so that a child of `fork`,
//! in which the owner does not exist, takes over what another thread held.
//!
//! A signal handler may end the process whatever it has interrupted. Each thread counts the values
//! that it has locked, so that the handler can tell.

use std::cell::{Cell, UnsafeCell};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU32, Ordering, compiler_fence};
use std::time::{Duration, Instant};

use crate::memory::Apart;

/// A lock without contents.
pub(crate) struct Lock(AtomicU32);

/// This process, as it is written into locks; changes in a child of `fork`.
static PROCESS: Apart<AtomicU32> = Apart(AtomicU32::new(1));

/// Tries before the time slice is given away …
const TRIES: u32 = 5;

/// … and pauses before the first; there are twice as many before each after it. Who asks all the
/// time takes the line of the cache, with what is beside the lock in it, away from the holder who
/// needs it.
const PAUSES: u32 = 16;

/// Time after which a lock is given up that may never be free.
const LONG: Duration = Duration::from_secs(1);

thread_local! {
    /// How many values the thread has locked, or is about to lock.
    static LOCKED: Cell<u32> = const { Cell::new(0) };
}

/// Is the caller a signal handler that has interrupted its thread while that had locked a value? It
/// must not lock any itself, nor allocate memory.
pub(crate) fn interrupted() -> bool {
    LOCKED.get() > 0
}

fn give_way() {
    #[cfg(miri)]
    std::thread::yield_now();
    // SAFETY: a system call without arguments.
    #[cfg(not(miri))]
    unsafe {
        libc::syscall(libc::SYS_sched_yield)
    };
}

/// In the child of a `fork`: every lock that is held now is held by nobody.
pub(crate) fn forked() {
    PROCESS.fetch_add(1, Ordering::Relaxed);
    LOCKED.set(0);
}

impl Lock {
    /// A free lock.
    pub(crate) const fn new() -> Self {
        Lock(AtomicU32::new(0))
    }

    /// Takes the lock.
    #[inline]
    pub(crate) fn acquire(&self) {
        self.acquire_or_else(|| ());
    }

    /// Takes the lock; if another thread has it, does that first.
    #[inline]
    pub(crate) fn acquire_or_else(&self, first: impl FnOnce()) {
        if !self.try_once() {
            first();
            self.contend();
        }
    }

    /// Takes the lock if it is free.
    #[inline]
    fn try_once(&self) -> bool {
        let me = PROCESS.load(Ordering::Relaxed);
        self.0.compare_exchange(0, me, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Takes the lock unless that takes very long: its holder may be in a signal handler that waits
    /// for the one who asks.
    fn try_long(&self) -> bool {
        let start = Instant::now();
        loop {
            if self.try_once() {
                return true;
            }
            // How long a time slice is depends on what else runs.
            if start.elapsed() > LONG {
                return false;
            }
            give_way();
        }
    }

    /// Takes the lock if it is free, or held by somebody who does not exist in this process.
    fn try_again(&self) -> bool {
        let me = PROCESS.load(Ordering::Relaxed);
        let holder = self.0.load(Ordering::Relaxed);
        holder != me && self.0.compare_exchange(holder, me, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[cold]
    fn contend(&self) {
        for tries in 0..TRIES {
            (0..PAUSES << tries).for_each(|_| std::hint::spin_loop());
            if self.try_again() {
                return;
            }
        }
        while !self.try_again() {
            give_way();
        }
    }

    /// Gives the lock back.
    #[inline]
    pub(crate) fn release(&self) {
        self.0.store(0, Ordering::Release);
    }
}

/// A value behind a lock.
pub(crate) struct Guarded<T> {
    lock: Lock,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached by the holder of the lock only.
unsafe impl<T: Send> Sync for Guarded<T> {}

/// The right to use the value of a [`Guarded`].
pub(crate) struct Guard<'a, T>(&'a Guarded<T>);

impl<T: Default> Default for Guarded<T> {
    fn default() -> Self {
        Guarded::new(T::default())
    }
}

impl<T> Guarded<T> {
    /// `value`, behind a free lock.
    pub(crate) const fn new(value: T) -> Self {
        Guarded { lock: Lock::new(), value: UnsafeCell::new(value) }
    }

    /// Waits for the lock.
    #[inline]
    pub(crate) fn lock(&self) -> Guard<'_, T> {
        count_one_more();
        self.lock.acquire();
        Guard(self)
    }

    /// Waits for the lock, but not for ever.
    pub(crate) fn try_lock(&self) -> Option<Guard<'_, T>> {
        self.lock_by(Lock::try_long)
    }

    /// Does not wait for the lock.
    pub(crate) fn lock_if_free(&self) -> Option<Guard<'_, T>> {
        self.lock_by(Lock::try_once)
    }

    fn lock_by(&self, take: impl FnOnce(&Lock) -> bool) -> Option<Guard<'_, T>> {
        count_one_more();
        let taken = take(&self.lock);
        if !taken {
            count_one_less();
        }
        taken.then_some(Guard(self))
    }
}

#[inline]
fn count_one_more() {
    LOCKED.set(LOCKED.get() + 1);
    // For handlers in the same thread: before the lock is taken.
    compiler_fence(Ordering::SeqCst);
}

#[inline]
fn count_one_less() {
    compiler_fence(Ordering::SeqCst);
    // The child of a `fork` has begun at zero.
    LOCKED.set(LOCKED.get().saturating_sub(1));
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this guard holds the lock.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this guard holds the lock, and is borrowed exclusively.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.0.lock.release();
        count_one_less();
    }
}

#[cfg(test)]
mod tests {
    use super::{Guarded, interrupted};

    #[test]
    fn one_at_a_time() {
        static COUNT: Guarded<u32> = Guarded::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10_000).for_each(|_| *COUNT.lock() += 1));
            }
        });
        assert_eq!(*COUNT.lock(), 40_000);
    }

    #[test]
    fn what_is_locked_is_not_waited_for() {
        static VALUE: Guarded<u32> = Guarded::new(7);
        assert!(!interrupted());
        let held = VALUE.lock();
        assert!(interrupted() && VALUE.lock_if_free().is_none());
        drop(held);
        assert!(!interrupted());
        assert_eq!(VALUE.lock_if_free().map(|value| *value), Some(7));
    }
}
