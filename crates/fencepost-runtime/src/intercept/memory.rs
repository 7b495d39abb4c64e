//! Memory that changes hands: what is known of it is forgotten when it is allocated or mapped. What
//! was known stays when it is freed, so that an access that is not ordered before the end of its
//! block is a race.

use std::cell::{Cell, UnsafeCell};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

use libc::size_t;

use super::blocks::{self, Block};
use super::{Errno, real, set_errno, system_call};
use crate::race;
use crate::thread::{self, Entered, Thread};
use crate::{options, shadow};

/// How allocations are named among sites: no operation of the record.
const ALLOCATION: u8 = u8::MAX;
/// How much of a block is looked at when it is freed.
const FREED: usize = 1024;

thread_local! {
    /// Where `operator new` or `delete`, in which the calling thread is, was called from.
    static CALLER: Cell<usize> = const { Cell::new(0) };
}

/// Memory for what looks functions up, before there is a `malloc`.
#[repr(align(16))]
struct Early(UnsafeCell<[u8; EARLY]>);

const EARLY: usize = 1 << 15;
// SAFETY: parts are handed out once each.
unsafe impl Sync for Early {}
static EARLY_MEMORY: Early = Early(UnsafeCell::new([0; EARLY]));
static EARLY_USED: AtomicUsize = AtomicUsize::new(0);

/// Zeroed memory that is never used again.
fn early(bytes: usize) -> *mut c_void {
    let rounded = bytes.max(1).next_multiple_of(16);
    let at = EARLY_USED.fetch_add(rounded, Ordering::Relaxed);
    if at + rounded > EARLY {
        return null_mut();
    }
    EARLY_MEMORY.0.get().cast::<c_void>().wrapping_byte_add(at)
}

fn is_early(block: *mut c_void) -> bool {
    (block as usize).wrapping_sub(EARLY_MEMORY.0.get() as usize) < EARLY
}

/// Does `work` for the calling thread, also if it is ignored for a while, unless the runtime is at
/// work.
fn tidy(work: impl FnOnce(&mut Entered)) {
    thread::with_current(|thread| {
        let _errno = Errno::save();
        work(thread);
    });
}

fn caller_or(pc: usize) -> usize {
    match CALLER.take() {
        0 => pc,
        caller => caller,
    }
}

fn remember(thread: &Thread, block: *mut c_void, size: usize, pc: usize) {
    let site = thread.calls.site(pc, ALLOCATION, 0);
    blocks::insert(Block { base: block as usize, size, tid: thread.tid, site });
}

/// A block has been allocated.
fn allocated(block: *mut c_void, size: usize, pc: usize) -> *mut c_void {
    let pc = caller_or(pc);
    if !block.is_null() {
        tidy(|thread| {
            shadow::forget(block as usize, size.next_multiple_of(8));
            remember(thread, block, size, pc);
        });
    }
    block
}

/// A block is about to be freed.
fn freeing(block: *mut c_void, pc: usize) {
    let pc = caller_or(pc);
    tidy(|thread| {
        let addr = block as usize;
        let Some(block) = blocks::remove(addr) else { return };
        if options::get().races && thread.ignored.get() == 0 {
            let races = race::with_free(thread, addr, block.size.min(FREED), pc);
            if !races.is_empty() {
                // Reports say which block it is.
                blocks::insert(block);
                races.iter().for_each(|race| race.report(thread, pc));
                blocks::remove(addr);
            }
        }
    });
}

unsafe extern "C" fn malloc_at(bytes: size_t, pc: usize) -> *mut c_void {
    if real::is_looking() {
        return early(bytes);
    }
    // SAFETY: as `malloc`.
    allocated(unsafe { real::malloc(bytes) }, bytes, pc)
}

unsafe extern "C" fn calloc_at(count: size_t, bytes: size_t, pc: usize) -> *mut c_void {
    let all = count.saturating_mul(bytes);
    if real::is_looking() {
        return early(all);
    }
    // SAFETY: as `calloc`.
    allocated(unsafe { real::calloc(count, bytes) }, all, pc)
}

unsafe extern "C" fn realloc_at(old: *mut c_void, bytes: size_t, pc: usize) -> *mut c_void {
    if old.is_null() {
        // SAFETY: as `malloc`.
        return unsafe { malloc_at(bytes, pc) };
    }
    if is_early(old) {
        // SAFETY: as `malloc`; the old block ends within the early memory.
        return unsafe {
            let new = malloc_at(bytes, pc);
            let rest = EARLY_MEMORY.0.get() as usize + EARLY - old as usize;
            if !new.is_null() {
                new.cast::<u8>().copy_from_nonoverlapping(old.cast(), bytes.min(rest));
            }
            new
        };
    }
    // Another thread may get the old address as soon as it is given back.
    let mut size = None;
    tidy(|_| size = blocks::remove(old as usize).map(|block| block.size));
    // SAFETY: as `realloc`.
    let new = unsafe { real::realloc(old, bytes) };
    tidy(|thread| match (new.is_null(), size) {
        (true, Some(size)) if bytes > 0 => remember(thread, old, size, pc),
        (true, _) => {}
        (false, size) => {
            let kept = if new == old { size.unwrap_or(bytes).min(bytes) } else { 0 };
            // The last word of the old block is kept, also if not all of it belonged to it.
            shadow::forget(new as usize + kept, bytes.next_multiple_of(8) - kept);
            remember(thread, new, bytes, pc);
        }
    });
    new
}

unsafe extern "C" fn free_at(block: *mut c_void, pc: usize) {
    // While functions are looked up, `free` may be one of them; the little that is lost then does
    // not matter.
    if block.is_null() || is_early(block) || real::is_looking() {
        return;
    }
    freeing(block, pc);
    // SAFETY: as `free`.
    unsafe { real::free(block) };
}

unsafe extern "C" fn memalign_at(alignment: size_t, bytes: size_t, pc: usize) -> *mut c_void {
    // SAFETY: as `memalign`.
    allocated(unsafe { real::memalign(alignment, bytes) }, bytes, pc)
}

unsafe extern "C" fn aligned_alloc_at(alignment: size_t, bytes: size_t, pc: usize) -> *mut c_void {
    // SAFETY: as `aligned_alloc`.
    allocated(unsafe { real::aligned_alloc(alignment, bytes) }, bytes, pc)
}

unsafe extern "C" fn posix_memalign_at(block: *mut *mut c_void, alignment: size_t, bytes: size_t, pc: usize) -> c_int {
    // SAFETY: as `posix_memalign`.
    unsafe {
        let result = real::posix_memalign(block, alignment, bytes);
        if result == 0 {
            allocated(*block, bytes, pc);
        }
        result
    }
}

unsafe extern "C" fn valloc_at(bytes: size_t, pc: usize) -> *mut c_void {
    // SAFETY: as `valloc`.
    allocated(unsafe { real::valloc(bytes) }, bytes, pc)
}

unsafe extern "C" fn pvalloc_at(bytes: size_t, pc: usize) -> *mut c_void {
    // SAFETY: as `pvalloc`.
    allocated(unsafe { real::pvalloc(bytes) }, bytes, pc)
}

intercept_at! {
    fn malloc => malloc_at in "rsi";
    fn calloc => calloc_at in "rdx";
    fn realloc => realloc_at in "rdx";
    fn free => free_at in "rsi";
    fn memalign => memalign_at in "rdx";
    fn aligned_alloc => aligned_alloc_at in "rdx";
    fn posix_memalign => posix_memalign_at in "rcx";
    fn valloc => valloc_at in "rsi";
    fn pvalloc => pvalloc_at in "rsi";
}

/// Operators of C++: the library's, which call `malloc` and `free`; these are told where the
/// operator was called from. In a program that has the library linked in statically there is only
/// ours.
macro_rules! operators {
    ($(fn $name:ident, $at:ident in $register:literal ($first:ident: $type:ty $(, $other:ident: $other_type:ty)*)
        $(-> $result:ty)?, else $otherwise:expr;)*) => {
        $(
            #[allow(non_snake_case)]
            unsafe extern "C" fn $at($first: $type $(, $other: $other_type)*, pc: usize) $(-> $result)? {
                // SAFETY: as the operator.
                unsafe {
                    if !real::symbol::$name.exists() {
                        return $otherwise($first $(, $other)*, pc);
                    }
                    CALLER.set(pc);
                    let result = real::$name($first $(, $other)*);
                    CALLER.set(0);
                    result
                }
            }
            intercept_at! { fn $name => $at in $register; }
        )*
    };
}

unsafe fn some(block: *mut c_void) -> *mut c_void {
    if block.is_null() {
        crate::fatal(format_args!("out of memory in operator new"));
    }
    block
}

operators! {
    fn _Znwm, new_at in "rsi" (bytes: size_t) -> *mut c_void, else |bytes, pc| some(malloc_at(bytes, pc));
    fn _Znam, new_array_at in "rsi" (bytes: size_t) -> *mut c_void, else |bytes, pc| some(malloc_at(bytes, pc));
    fn _ZnwmRKSt9nothrow_t, new_nothrow_at in "rdx" (bytes: size_t, nothrow: *const c_void) -> *mut c_void,
        else |bytes, _, pc| malloc_at(bytes, pc);
    fn _ZnamRKSt9nothrow_t, new_array_nothrow_at in "rdx" (bytes: size_t, nothrow: *const c_void) -> *mut c_void,
        else |bytes, _, pc| malloc_at(bytes, pc);
    fn _ZnwmSt11align_val_t, new_aligned_at in "rdx" (bytes: size_t, alignment: size_t) -> *mut c_void,
        else |bytes, alignment, pc| some(memalign_at(alignment, bytes, pc));
    fn _ZnamSt11align_val_t, new_array_aligned_at in "rdx" (bytes: size_t, alignment: size_t) -> *mut c_void,
        else |bytes, alignment, pc| some(memalign_at(alignment, bytes, pc));
    fn _ZdlPv, delete_at in "rsi" (block: *mut c_void), else free_at;
    fn _ZdaPv, delete_array_at in "rsi" (block: *mut c_void), else free_at;
    fn _ZdlPvm, delete_sized_at in "rdx" (block: *mut c_void, bytes: size_t), else |block, _, pc| free_at(block, pc);
    fn _ZdaPvm, delete_array_sized_at in "rdx" (block: *mut c_void, bytes: size_t), else |block, _, pc| free_at(block, pc);
}

/// The result of a system call, as libc returns it.
fn returned(result: std::ffi::c_long) -> *mut c_void {
    if (-4095..0).contains(&result) {
        set_errno(-result as c_int);
        return libc::MAP_FAILED;
    }
    result as *mut c_void
}

unsafe fn map(arguments: [usize; 6]) -> *mut c_void {
    // SAFETY: the caller keeps the contract of `mmap`.
    let pages = returned(unsafe { system_call(libc::SYS_mmap, arguments) });
    if pages != libc::MAP_FAILED {
        tidy(|_| shadow::forget(pages as usize, arguments[1]));
    }
    pages
}

intercept! {
    fn mmap(addr: usize, bytes: size_t, protection: usize, flags: usize, file: usize, offset: usize) -> *mut c_void {
        map([addr, bytes, protection, flags, file, offset])
    }

    fn mmap64(addr: usize, bytes: size_t, protection: usize, flags: usize, file: usize, offset: usize) -> *mut c_void {
        map([addr, bytes, protection, flags, file, offset])
    }

    fn munmap(addr: usize, bytes: size_t) -> c_int {
        tidy(|_| shadow::forget(addr, bytes));
        returned(system_call(libc::SYS_munmap, [addr, bytes, 0, 0, 0, 0])) as c_int
    }

    fn mremap(old: usize, old_bytes: size_t, bytes: size_t, flags: usize, new: usize) -> *mut c_void {
        let pages = returned(system_call(libc::SYS_mremap, [old, old_bytes, bytes, flags, new, 0]));
        if pages != libc::MAP_FAILED {
            let kept = if pages as usize == old { old_bytes.min(bytes) } else { 0 };
            tidy(|_| {
                shadow::forget(old + kept, old_bytes - kept);
                shadow::forget(pages as usize + kept, bytes - kept);
            });
        }
        pages
    }
}
