//! Atomic operations on raw addresses, by width.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::SeqCst};

use fencepost_protocol::Action;

/// What a read-modify-write does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fetch {
    /// Exchange.
    Swap,
    /// Addition.
    Add,
    /// Subtraction.
    Sub,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Bitwise and, complemented.
    Nand,
}

impl Fetch {
    /// All of them, in the order of the names that hooks have.
    pub(crate) const ALL: [Fetch; 7] =
        [Fetch::Swap, Fetch::Add, Fetch::Sub, Fetch::And, Fetch::Or, Fetch::Xor, Fetch::Nand];

    /// What reports call it.
    pub(crate) fn action(self) -> Action {
        match self {
            Fetch::Swap => Action::Exchange,
            Fetch::Add => Action::FetchAdd,
            Fetch::Sub => Action::FetchSub,
            Fetch::And => Action::FetchAnd,
            Fetch::Or => Action::FetchOr,
            Fetch::Xor => Action::FetchXor,
            Fetch::Nand => Action::FetchNand,
        }
    }
}

/// An integer that can be accessed atomically. Every access is sequentially consistent: what weaker
/// ones could do instead is the monitor's matter.
pub(crate) trait Word: Copy + PartialEq + 'static {
    /// Number of bytes.
    const SIZE: u8;

    /// The value as the monitor keeps it: itself, or for wide ones a hash.
    fn image(self) -> u64;

    /// The value with this image, if it is not wide: those cannot be told by a hash.
    fn of_image(image: u64) -> Self;

    /// All of it.
    fn whole(self) -> u128;

    /// Its lowest bytes.
    fn of_whole(whole: u128) -> Self;

    /// Loads.
    ///
    /// # Safety
    /// `addr` must be valid for an atomic access of this width; so for all functions here.
    unsafe fn load(addr: usize) -> Self;

    /// Stores.
    ///
    /// # Safety
    /// As for `load`.
    unsafe fn store(addr: usize, value: Self);

    /// Reads, combines, writes; returns what was read.
    ///
    /// # Safety
    /// As for `load`.
    unsafe fn fetch(addr: usize, fetch: Fetch, value: Self) -> Self;

    /// Writes `new` if `expected` is there; returns what was there.
    ///
    /// # Safety
    /// As for `load`.
    unsafe fn cas(addr: usize, expected: Self, new: Self) -> Self;

    /// What `fetch` would write over `old`.
    fn combine(fetch: Fetch, old: Self, value: Self) -> Self;
}

/// A word that fits into a register.
pub(crate) trait Narrow: Word {
    /// The low bits of a register.
    #[inline]
    fn cut(register: u64) -> Self {
        Self::of_image(register)
    }
}

macro_rules! combine {
    ($fetch:expr, $old:expr, $value:expr) => {
        match $fetch {
            Fetch::Swap => $value,
            Fetch::Add => $old.wrapping_add($value),
            Fetch::Sub => $old.wrapping_sub($value),
            Fetch::And => $old & $value,
            Fetch::Or => $old | $value,
            Fetch::Xor => $old ^ $value,
            Fetch::Nand => !($old & $value),
        }
    };
}

macro_rules! word {
    ($int:ty, $atomic:ty) => {
        impl Narrow for $int {}

        impl Word for $int {
            const SIZE: u8 = size_of::<$int>() as u8;

            #[inline]
            fn image(self) -> u64 {
                u64::from(self)
            }

            #[inline]
            fn of_image(image: u64) -> Self {
                image as $int
            }

            fn whole(self) -> u128 {
                u128::from(self)
            }

            fn of_whole(whole: u128) -> Self {
                whole as $int
            }

            #[inline]
            unsafe fn load(addr: usize) -> Self {
                // SAFETY: the caller's promise.
                unsafe { <$atomic>::from_ptr(addr as *mut $int) }.load(SeqCst)
            }

            #[inline]
            unsafe fn store(addr: usize, value: Self) {
                // SAFETY: the caller's promise.
                unsafe { <$atomic>::from_ptr(addr as *mut $int) }.store(value, SeqCst);
            }

            #[inline]
            unsafe fn fetch(addr: usize, fetch: Fetch, value: Self) -> Self {
                // SAFETY: the caller's promise.
                let atomic = unsafe { <$atomic>::from_ptr(addr as *mut $int) };
                match fetch {
                    Fetch::Swap => atomic.swap(value, SeqCst),
                    Fetch::Add => atomic.fetch_add(value, SeqCst),
                    Fetch::Sub => atomic.fetch_sub(value, SeqCst),
                    Fetch::And => atomic.fetch_and(value, SeqCst),
                    Fetch::Or => atomic.fetch_or(value, SeqCst),
                    Fetch::Xor => atomic.fetch_xor(value, SeqCst),
                    Fetch::Nand => atomic.fetch_nand(value, SeqCst),
                }
            }

            #[inline]
            unsafe fn cas(addr: usize, expected: Self, new: Self) -> Self {
                // SAFETY: the caller's promise.
                let atomic = unsafe { <$atomic>::from_ptr(addr as *mut $int) };
                atomic.compare_exchange(expected, new, SeqCst, SeqCst).unwrap_or_else(|old| old)
            }

            #[inline]
            fn combine(fetch: Fetch, old: Self, value: Self) -> Self {
                combine!(fetch, old, value)
            }
        }
    };
}

word!(u8, AtomicU8);
word!(u16, AtomicU16);
word!(u32, AtomicU32);
word!(u64, AtomicU64);

/// 16 bytes: `cmpxchg16b` is all there is.
fn cas_16(addr: usize, expected: u128, new: u128) -> u128 {
    let (mut low, mut high) = (expected as u64, (expected >> 64) as u64);
    // `rbx` cannot be named as an operand, so it is put there by hand and put back.
    // SAFETY: the callers promise that the address is valid and aligned to 16 bytes.
    unsafe {
        std::arch::asm!(
            "xchg rbx, rsi",
            "lock cmpxchg16b [rdi]",
            "mov rbx, rsi",
            in("rdi") addr,
            inout("rsi") new as u64 => _,
            in("rcx") (new >> 64) as u64,
            inout("rax") low,
            inout("rdx") high,
            options(nostack),
        );
    }
    u128::from(high) << 64 | u128::from(low)
}

impl Word for u128 {
    const SIZE: u8 = 16;

    /// A hash: two values of the history that differ are told apart but for one chance in 2^64.
    #[inline]
    fn image(self) -> u64 {
        let (low, high) = (self as u64, (self >> 64) as u64);
        low ^ high.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    }

    fn of_image(image: u64) -> Self {
        u128::from(image)
    }

    fn whole(self) -> u128 {
        self
    }

    fn of_whole(whole: u128) -> Self {
        whole
    }

    unsafe fn load(addr: usize) -> Self {
        cas_16(addr, 0, 0)
    }

    unsafe fn store(addr: usize, value: Self) {
        let mut old = cas_16(addr, 0, 0);
        loop {
            match cas_16(addr, old, value) {
                now if now == old => return,
                now => old = now,
            }
        }
    }

    unsafe fn fetch(addr: usize, fetch: Fetch, value: Self) -> Self {
        let mut old = cas_16(addr, 0, 0);
        loop {
            match cas_16(addr, old, Self::combine(fetch, old, value)) {
                now if now == old => return old,
                now => old = now,
            }
        }
    }

    unsafe fn cas(addr: usize, expected: Self, new: Self) -> Self {
        cas_16(addr, expected, new)
    }

    fn combine(fetch: Fetch, old: Self, value: Self) -> Self {
        combine!(fetch, old, value)
    }
}

#[cfg(test)]
mod tests {
    use super::{Fetch, Word};

    /// What is written is what `combine` says, for every operation and width.
    fn agrees<W: Word + std::fmt::Debug>(old: W, value: W) {
        #[repr(align(16))]
        struct Aligned<W>(W);
        for fetch in Fetch::ALL {
            let mut memory = Aligned(old);
            let addr = &raw mut memory.0 as usize;
            // SAFETY: a variable of this width, aligned to 16 bytes.
            let (before, after) = unsafe { (W::fetch(addr, fetch, value), W::load(addr)) };
            assert_eq!((before, after), (old, W::combine(fetch, old, value)));
        }
    }

    #[test]
    fn operations_write_what_they_say() {
        agrees(0xf0u8, 0x3c);
        agrees(0xf00fu16, 0x3c5a);
        agrees(u32::MAX, 2);
        agrees(u64::MAX - 7, 0x1234_5678_9abc_def0);
        agrees(u128::MAX - 7, 1 << 64 | 9);
    }

    #[test]
    fn wide_compare_and_exchange() {
        #[repr(align(16))]
        struct Aligned(u128);
        let (old, new) = (7 << 70 | 3, 9 << 90 | 1);
        let mut memory = Aligned(old);
        let addr = &raw mut memory.0 as usize;
        // SAFETY: a variable of this width, aligned.
        unsafe {
            assert_eq!(u128::cas(addr, 0, new), old, "nothing is written if the value differs");
            assert_eq!(u128::cas(addr, old, new), old);
            assert_eq!(u128::load(addr), new);
            u128::store(addr, 5);
            assert_eq!(u128::load(addr), 5);
        }
    }

    #[test]
    fn wide_values_have_different_images() {
        assert_ne!((1u128 << 64).image(), 1u128.image());
        assert_ne!((1u128 << 64 | 1).image(), 0u128.image());
    }
}
