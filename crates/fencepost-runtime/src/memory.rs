//! The runtime's own memory.
//!
//! It comes from `mmap` alone: the host's allocator is instrumented, may be the program under test
//! itself, and must not be entered from a hook. Blocks of up to half a mebibyte come from lists of
//! equal sizes, larger ones from the kernel directly. Blocks are reused, never returned, so that a
//! pointer read without a lock points to some block of the same kind for ever.

use std::alloc::{GlobalAlloc, Layout};
use std::ops::Deref;
use std::ptr::null_mut;

use crate::intercept::Errno;
use crate::lock::Guarded;

/// Small sizes are multiples of this …
const STEP: usize = 8;
/// … up to this: of what there is for each location there may be very many. The others are powers
/// of two up to 512 KiB, and halfway between two of them.
const SMALL: usize = 512;
/// Small blocks are aligned to no more than a line of the cache.
const LINE: usize = 64;
const CLASSES: usize = SMALL / STEP + 20;
/// What is taken from the kernel at a time for small blocks.
const CHUNK: usize = 1 << 20;

/// What the kernel maps at least.
const PAGE: usize = 4096;

/// The smallest huge page.
const HUGE: usize = 1 << 21;

/// The allocator behind `Vec` and `Box` in the runtime.
pub(crate) struct Pages;

struct Class {
    /// First of the free blocks, each of which begins with the address of the next.
    free: *mut u8,
}

struct Chunk {
    next: *mut u8,
    left: usize,
}

static CLASS: [Guarded<Class>; CLASSES] = [const { Guarded::new(Class { free: null_mut() }) }; CLASSES];
static CURRENT: Guarded<Chunk> = Guarded::new(Chunk { next: null_mut(), left: 0 });

/// A fresh mapping, or null. `mmap` of libc is intercepted, so the kernel is asked directly.
#[cfg(not(miri))]
fn map_with(bytes: usize, flags: i32, fd: i32) -> *mut u8 {
    let (read_write, flags) = (libc::PROT_READ | libc::PROT_WRITE, flags | libc::MAP_NORESERVE);
    // The kernel reads whole registers: an argument that is passed on the stack must have all its
    // bits.
    // SAFETY: a mapping at an address of the kernel's choice touches nothing that exists.
    let pages = unsafe { libc::syscall(libc::SYS_mmap, 0usize, bytes, read_write, flags, fd, 0usize) };
    if pages == -1 { null_mut() } else { pages as *mut u8 }
}

/// The same where there is no kernel to ask, for memory without a file.
#[cfg(miri)]
fn map_with(bytes: usize, _: i32, fd: i32) -> *mut u8 {
    assert_eq!(fd, -1, "there are no files");
    let layout = Layout::from_size_align(bytes, PAGE).expect("a page is a power of two");
    // SAFETY: nobody asks for nothing.
    unsafe { std::alloc::alloc_zeroed(layout) }
}

/// Fresh zeroed pages, or null.
pub(crate) fn map(bytes: usize) -> *mut u8 {
    map_with(bytes, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1)
}

/// A file, shared with whoever maps it too, or null.
pub(crate) fn map_file(fd: i32, bytes: usize) -> *mut u8 {
    map_with(bytes, libc::MAP_SHARED, fd)
}

/// Asks for the pages of `bytes` bytes from `start` on, which will be written. It does not matter
/// whether there is an answer.
pub(crate) fn populate(start: *mut u8, bytes: usize) {
    let _errno = Errno::save();
    let first = start as usize & !(PAGE - 1);
    let length = start as usize + bytes - first;
    // SAFETY: makes pages of ours that are not there yet, as the first write to each of them would.
    unsafe { libc::syscall(libc::SYS_madvise, first, length, libc::MADV_POPULATE_WRITE) };
}

/// Gives back what a mapped file takes, but for its first page: the rest reads as zeroes from now
/// on. It does not matter whether that is done.
pub(crate) fn give_back(start: *mut u8, bytes: usize) {
    let _errno = Errno::save();
    // SAFETY: removes pages of a file of ours, which whoever reads or writes next makes anew.
    unsafe {
        libc::syscall(libc::SYS_madvise, start.wrapping_add(PAGE), bytes.saturating_sub(PAGE), libc::MADV_REMOVE)
    };
}

/// Gives pages back to the kernel.
///
/// # Safety
/// They must come from here, with this size, and not be used any more.
pub(crate) unsafe fn unmap(pages: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::syscall(libc::SYS_munmap, pages, bytes) };
}

/// Pages of zeroes for tables that last; ends the process with a message if there are none left.
pub(crate) fn map_table(bytes: usize) -> *mut u8 {
    let pages = map(bytes);
    if pages.is_null() {
        exhausted();
    }
    if bytes > HUGE && !cfg!(miri) {
        // Most of a large table stays empty: it must not get a huge page for each word that is
        // used.
        // SAFETY: advice about pages of ours; it does not matter whether it is taken.
        unsafe { libc::syscall(libc::SYS_madvise, pages, bytes, libc::MADV_NOHUGEPAGE) };
    }
    pages
}

/// There is no more memory.
#[cold]
fn exhausted() -> ! {
    crate::fatal(format_args!(
        "there is not enough memory for what is to be known of the program: it takes several times as much as the program \
         itself (is it limited, by `ulimit -v` or otherwise?)"
    ))
}

/// The number of a class of blocks, and their size.
fn class_of(layout: &Layout) -> Option<(usize, usize)> {
    let small = layout.size().max(1).next_multiple_of(layout.align().max(STEP));
    if small <= SMALL && layout.align() <= LINE {
        return Some((small / STEP - 1, small));
    }
    let bytes = layout.size().max(layout.align()).next_power_of_two();
    let class = SMALL / STEP + 2 * (bytes / SMALL).ilog2() as usize;
    // Three quarters, if that is enough: such a block is aligned to one quarter.
    let less = bytes / 4 * 3;
    let (class, bytes) =
        if layout.size() <= less && layout.align() <= bytes / 4 { (class - 2, less) } else { (class - 1, bytes) };
    (class < CLASSES).then_some((class, bytes))
}

impl Chunk {
    /// A block of `bytes`, the size of a class, aligned to the greatest power of two that divides
    /// it, or to a page; to a line of the cache if it is small.
    fn take(&mut self, bytes: usize) -> *mut u8 {
        let most = if bytes <= SMALL { LINE } else { PAGE };
        let skip = self.next.align_offset((1 << bytes.trailing_zeros()).min(most));
        if self.left < bytes + skip {
            let pages = map(CHUNK);
            if pages.is_null() {
                exhausted();
            }
            (self.next, self.left) = (pages, CHUNK);
            return self.take(bytes);
        }
        // SAFETY: `left` bytes from `next` on belong to this chunk.
        let block = unsafe { self.next.add(skip) };
        // SAFETY: as above; at most one past the end.
        self.next = unsafe { block.add(bytes) };
        self.left -= bytes + skip;
        block
    }
}

// SAFETY: blocks are disjoint, large enough and aligned for their layout (see `class_of`; at most
// to a page, and nothing in the runtime asks for more than a page).
unsafe impl GlobalAlloc for Pages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match class_of(&layout) {
            None => {
                let pages = map(layout.size());
                if pages.is_null() {
                    exhausted();
                }
                pages
            }
            Some((class, bytes)) => {
                let mut list = CLASS[class].lock();
                if list.free.is_null() {
                    drop(list);
                    return CURRENT.lock().take(bytes);
                }
                let block = list.free;
                // SAFETY: a block in a free list begins with the address of the next one.
                list.free = unsafe { block.cast::<*mut u8>().read() };
                block
            }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match class_of(&layout) {
            None => {
                // SAFETY: the block was mapped by itself with this size.
                unsafe { unmap(block, layout.size()) };
            }
            Some((class, _)) => {
                let mut list = CLASS[class].lock();
                // SAFETY: the block is free, aligned and large enough for a pointer.
                unsafe { block.cast::<*mut u8>().write(list.free) };
                list.free = block;
            }
        }
    }
}

// SAFETY: the raw pointers are reached under the lock only.
unsafe impl Send for Class {}
// SAFETY: as above.
unsafe impl Send for Chunk {}

/// A value that shares no line of the cache with others: one that every access looks at must not be
/// taken away by somebody who writes beside it, the program above all.
#[repr(C, align(64))]
pub(crate) struct Apart<T>(pub(crate) T);

impl<T> Deref for Apart<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// A value made once, whose address is kept for ever.
pub(crate) fn keep<T>(value: T) -> &'static mut T {
    Box::leak(Box::new(value))
}

#[cfg(test)]
mod tests {
    use super::{CLASSES, class_of};
    use std::alloc::Layout;

    #[test]
    fn blocks_are_large_enough_and_aligned() {
        let mut sizes = [0; CLASSES];
        for size in 1..5000 {
            for align in [1, 8, 16, 64, 4096] {
                let layout = Layout::from_size_align(size, align).expect("a power of two");
                let (class, bytes) = class_of(&layout).expect("it is small");
                assert!(bytes >= size && bytes.is_multiple_of(align), "{layout:?}: {bytes}");
                assert!(sizes[class] == 0 || sizes[class] == bytes, "one class, one size");
                sizes[class] = bytes;
            }
        }
        let large = |size: usize| class_of(&Layout::from_size_align(size, 8).expect("a power of two"));
        assert_eq!((large(1 << 19), large((1 << 19) + 1)), (Some((CLASSES - 1, 1 << 19)), None));
    }
}
