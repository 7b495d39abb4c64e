//! What the tests share: memory that nothing protects.

use std::cell::UnsafeCell;

/// A variable that every thread may access, at its own risk.
pub struct Plain<T>(UnsafeCell<T>);

unsafe impl<T> Sync for Plain<T> {}
unsafe impl<T> Send for Plain<T> {}

impl<T: Copy> Plain<T> {
    /// With this value.
    pub const fn new(value: T) -> Self {
        Plain(UnsafeCell::new(value))
    }

    /// Reads it.
    pub fn get(&self) -> T {
        unsafe { *self.0.get() }
    }

    /// Writes it.
    pub fn set(&self, value: T) {
        unsafe { *self.0.get() = value }
    }
}

/// Two threads, the second of which calls both functions.
pub fn beside(one: impl FnOnce() + Send, other: impl FnOnce()) {
    std::thread::scope(|scope| {
        let thread = scope.spawn(one);
        other();
        thread.join().unwrap();
    });
}
