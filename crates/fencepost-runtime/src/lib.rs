//! The runtime of the sanitizer: what instrumented programs call. Placeholder that lets programs link and run unobserved.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence};

macro_rules! empty {
    ($($name:ident($($arg:ident),*);)*) => {$(
        /// A hook that does nothing yet.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($(_: $arg),*) {}
    )*};
}

empty! {
    __tsan_init(); __tsan_func_entry(usize); __tsan_func_exit();
    __tsan_read1(usize); __tsan_read2(usize); __tsan_read4(usize); __tsan_read8(usize); __tsan_read16(usize);
    __tsan_write1(usize); __tsan_write2(usize); __tsan_write4(usize); __tsan_write8(usize); __tsan_write16(usize);
    __tsan_read_range(usize, usize); __tsan_write_range(usize, usize);
    __tsan_vptr_update(usize, usize); __tsan_vptr_read(usize);
}

macro_rules! atomics {
    ($($atomic:ty, $value:ty: $load:ident $store:ident $add:ident;)*) => {$(
        /// An atomic load.
        ///
        /// # Safety
        /// As for the load it stands for.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $load(place: *const $atomic, _: u32) -> $value {
            // SAFETY: the instrumented program loads from here.
            unsafe { &*place }.load(Ordering::SeqCst)
        }
        /// An atomic store.
        ///
        /// # Safety
        /// As for the store it stands for.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $store(place: *const $atomic, value: u64, _: u32) {
            // SAFETY: the instrumented program stores to here.
            unsafe { &*place }.store(value as $value, Ordering::SeqCst)
        }
        /// An atomic addition.
        ///
        /// # Safety
        /// As for the addition it stands for.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $add(place: *const $atomic, value: u64, _: u32) -> $value {
            // SAFETY: the instrumented program adds to this.
            unsafe { &*place }.fetch_add(value as $value, Ordering::SeqCst)
        }
    )*};
}

atomics! {
    AtomicU8, u8: __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_fetch_add;
    AtomicU16, u16: __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_fetch_add;
    AtomicU32, u32: __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_fetch_add;
    AtomicU64, u64: __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_fetch_add;
}

/// A fence.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_thread_fence(_: u32) {
    fence(Ordering::SeqCst);
}

macro_rules! mem {
    ($($name:ident $hook:ident $internal:ident($($arg:ident: $ty:ty),*) $body:expr;)*) => {$(
        /// What gcc's `mem…` calls become at link time.
        ///
        /// # Safety
        /// As for the function it stands for.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(to: *mut u8, $($arg: $ty),*) -> *mut u8 {
            // SAFETY: the caller's duty.
            unsafe { $internal(to, $($arg),*) }
        }
        /// What clang's `mem…` calls become.
        ///
        /// # Safety
        /// As for the function it stands for.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $hook(to: *mut u8, $($arg: $ty),*) -> *mut u8 {
            // SAFETY: the caller's duty.
            unsafe { $internal(to, $($arg),*) }
        }
        /// The runtime's own.
        ///
        /// # Safety
        /// As for the function it stands for.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $internal(to: *mut u8, $($arg: $ty),*) -> *mut u8 {
            let body: unsafe fn(*mut u8, $($ty),*) = $body;
            // SAFETY: the caller's duty.
            unsafe { body(to, $($arg),*) };
            to
        }
    )*};
}

mem! {
    __wrap_memcpy __tsan_memcpy __fencepost_memcpy(from: *const u8, n: usize) |to, from, n| {
        // SAFETY: the caller's duty. (`rep movsb`, because a loop would be turned into a call of memcpy.)
        unsafe { std::arch::asm!("rep movsb", inout("rcx") n => _, inout("rdi") to => _, inout("rsi") from => _) }
    };
    __wrap_memmove __tsan_memmove __fencepost_memmove(from: *const u8, n: usize) |to, from, n| {
        for i in 0..n {
            let i = if to.cast_const() < from { i } else { n - 1 - i };
            // SAFETY: the caller's duty.
            unsafe { to.add(i).write_volatile(from.add(i).read_volatile()) };
        }
    };
    __wrap_memset __tsan_memset __fencepost_memset(value: i32, n: usize) |to, value, n| {
        // SAFETY: the caller's duty.
        unsafe { std::arch::asm!("rep stosb", inout("rcx") n => _, inout("rdi") to => _, in("al") value as u8) }
    };
}

/// The runtime's own.
///
/// # Safety
/// As for the function it stands for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __fencepost_memcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    for i in 0..n {
        // SAFETY: the caller's duty.
        let (a, b) = unsafe { (a.add(i).read_volatile(), b.add(i).read_volatile()) };
        if a != b {
            return i32::from(a) - i32::from(b);
        }
    }
    0
}

/// The runtime's own.
///
/// # Safety
/// As for the function it stands for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __fencepost_bcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    // SAFETY: the caller's duty.
    unsafe { __fencepost_memcmp(a, b, n) }
}
