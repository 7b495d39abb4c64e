//! Plain accesses, by width and by range, and the functions that copy and fill memory.

use std::sync::atomic::Ordering;

use crate::explore;
use crate::follow::{self, FOLLOWED};
use crate::local;
use crate::place::{Content, Intent, Kind, Place};
use crate::race::{self, How, News, SEES_PLAIN};
use crate::shadow;
use crate::thread::{self, Entered, Thread};

const READ: How = How { write: false, atomic: false };
const WRITE: How = How { write: true, atomic: false };

extern "C" fn read<const LOG_SIZE: u32>(addr: usize, pc: usize) {
    access(addr, LOG_SIZE, READ, pc);
}

extern "C" fn write<const LOG_SIZE: u32>(addr: usize, pc: usize) {
    access(addr, LOG_SIZE, WRITE, pc);
}

/// The path that nearly all accesses take: nothing to do. Inlined, so that width and kind are
/// constants.
#[inline(always)]
fn access(addr: usize, log_size: u32, how: How, pc: usize) {
    let Some(thread) = thread::watched() else { return };
    thread.looks();
    let is_decided = local::is_wanted();
    if is_decided {
        local::touches(thread, addr, how.write);
    }
    if let Some(news) = race::news(thread, addr, log_size, how, pc) {
        if how.write || is_decided { remember(thread, addr, news, pc) } else { remember_read(thread, addr, news, pc) }
    }
}

/// The same in assembly, which is where programs spend their time: without the jump, and the moves
/// between registers, of a hook that passes its return address on before it is needed. What is news
/// is `$news`'s matter, and all that is out of the ordinary is the other path's.
///
/// Accesses of whole words are the most frequent. They are expected to be aligned. One that is not
/// finds what is beside the cells of its word, and is mostly news; the other path takes over then.
#[cfg(not(any(miri, test)))]
macro_rules! quick {
    ($name:ident, 3, $how:ident, $news:path, $otherwise:path) => {
        quick!($name, 3, $how, $news, $otherwise, [
            "mov r8, [rdx + {stamp}]",
            "lea rcx, [rax + 2*rdi]"
        ], ["test dil, 7", "jne 5f"], []);
    };
    ($name:ident, $log_size:literal, $how:ident, $news:path, $otherwise:path) => {
        quick!($name, $log_size, $how, $news, $otherwise, [
            "mov r8d, edi",
            "and r8d, 7",
            "shl r8, {offset_shift}",
            "or r8, [rdx + {stamp}]",
            "mov rcx, rdi",
            "and rcx, -8",
            "lea rcx, [rax + 2*rcx]"
        ], [], [offset_shift = const race::OFFSET_SHIFT,]);
    };
    (
        $name:ident, $log_size:literal, READ, $news:path, $otherwise:path,
        [$($cell:literal),*], [$($unless:literal),*], [$($operands:tt)*]
    ) => {
        quick!(@all $name, $log_size, READ, $news, $otherwise, [$($cell),*], [
            // Nothing is news if both cells are of strangers; see `News::is_of_strangers`.
            "mov r9, [rcx]",
            "mov r10, [rcx + 8]",
            "mov eax, r9d",
            "xor eax, r8d",
            "test eax, {access}",
            "jne 6f",
            "mov eax, r10d",
            "xor eax, r8d",
            "test eax, {access}",
            "jne 6f",
            "shr r9, {slot_shift}",
            "mov eax, r9d",
            "and eax, {strangers_mask}",
            "cmp r9, [rdx + 8*rax + {strangers}]",
            "jne 6f",
            "shr r10, {slot_shift}",
            "mov eax, r10d",
            "and eax, {strangers_mask}",
            "cmp r10, [rdx + 8*rax + {strangers}]",
            "jne 6f",
            "mov eax, [rdx + {left_out}]",
            "dec eax",
            "js 6f",
            "mov [rdx + {left_out}], eax",
            "ret",
            "6:" $(, $unless)*
        ], [
            access = const race::ACCESS,
            slot_shift = const race::SLOT_SHIFT,
            strangers = const Thread::STRANGERS,
            strangers_mask = const race::STRANGERS - 1,
            left_out = const Thread::LEFT_OUT,
            $($operands)*
        ]);
    };
    (
        $name:ident, $log_size:literal, WRITE, $news:path, $otherwise:path,
        [$($cell:literal),*], [$($unless:literal),*], [$($operands:tt)*]
    ) => {
        quick!(@all $name, $log_size, WRITE, $news, $otherwise, [$($cell),*], [$($unless),*], [$($operands)*]);
    };
    (
        @all $name:ident, $log_size:literal, $how:ident, $news:path, $otherwise:path,
        [$($cell:literal),*], [$($unless:literal),*], [$($operands:tt)*]
    ) => {
        std::arch::global_asm!(
            // Whole lines of the cache: they are fetched for nearly every access of the program.
            concat!(".pushsection .text.", stringify!($name), ", \"ax\", @progbits"),
            ".p2align 6",
            concat!(".globl ", stringify!($name)),
            concat!(".type ", stringify!($name), ", @function"),
            concat!(stringify!($name), ":"),
            // The thread, and the part of the table that has the cells.
            "mov rdx, [rip + fencepost_heeded_thread@GOTTPOFF]",
            "mov rdx, fs:[rdx]",
            "test rdx, rdx",
            "je 4f",
            "mov rax, [rip + {root}]",
            "mov rcx, rdi",
            "shr rcx, {span_bits}",
            "cmp rcx, {spans}",
            "jae 5f",
            "mov rax, [rax + 8*rcx]",
            "test rax, rax",
            "je 5f",
            "mov qword ptr [rdx + {last_load}], 0",
            // The access as a cell, and the cells of the word.
            $($cell,)*
            "or r8, {kind}",
            "mov rax, [rcx]",
            "xor rax, r8",
            "shr rax, {uncommon}",
            "jne 2f",
            "ret",
            "2: mov rax, [rcx + 8]",
            "xor rax, r8",
            "shr rax, {uncommon}",
            "jne 3f",
            "4: ret",
            "3:",
            $($unless,)*
            "mov rsi, [rsp]",
            "jmp {news}",
            "5: mov rsi, [rsp]",
            "jmp {otherwise}",
            concat!(".size ", stringify!($name), ", . - ", stringify!($name)),
            ".popsection",
            root = sym shadow::QUICK,
            span_bits = const shadow::SPAN_BITS,
            spans = const shadow::SPANS,
            last_load = const Thread::LAST_LOAD,
            stamp = const Thread::STAMP,
            $($operands)*
            kind = const race::kind($log_size, $how),
            uncommon = const race::uncommon_bits($how),
            news = sym $news,
            otherwise = sym $otherwise,
        );
    };
}

/// Where there is no assembly.
#[cfg(any(miri, test))]
macro_rules! quick {
    ($name:ident, $log_size:literal, $how:expr, $news:path, $otherwise:path) => {
        shim!($name, "rsi", $otherwise);
        const _: NewsHook = $news;
    };
}

/// What assembly calls with an access that says something new: the cells of its word, and
/// itself as one.
#[cfg(any(miri, test))]
type NewsHook = extern "C" fn(usize, usize, &'static Thread, &'static shadow::Cells, u64);

/// Apart from the rest, since it is frequent and needs few registers.
extern "C" fn read_news(addr: usize, pc: usize, thread: &'static Thread, cells: &'static shadow::Cells, new: u64) {
    let news = News::of_cell(Some(cells), new, pc);
    if !news.is_of_strangers(thread) {
        remember_read_of_mine(addr, pc, thread, news);
    }
}

#[inline(never)]
fn remember_read_of_mine(addr: usize, pc: usize, thread: &'static Thread, news: News) {
    if !is_easy(thread, news) {
        remember_read_closely(thread, addr, news, pc);
    }
}

extern "C" fn write_news(addr: usize, pc: usize, thread: &'static Thread, cells: &'static shadow::Cells, new: u64) {
    let news = News::of_cell(Some(cells), new, pc);
    if is_atomic(addr) || !is_easy(thread, news) {
        remember_closely(thread, addr, news, pc);
    }
}

/// Is the access remembered without further ado?
#[inline(always)]
fn is_easy(thread: &'static Thread, news: News) -> bool {
    let Some(thread) = thread.enter() else { return false };
    thread.plain.get() == 0 && SEES_PLAIN.load(Ordering::Relaxed) && news.is_easily_remembered(&thread)
}

#[inline(never)]
fn remember_closely(thread: &'static Thread, addr: usize, news: News, pc: usize) {
    remember(thread, addr, news, pc);
}

#[inline(always)]
fn remember_read(thread: &'static Thread, addr: usize, news: News, pc: usize) {
    if !news.is_of_strangers(thread) {
        remember_read_closely(thread, addr, news, pc);
    }
}

/// A signal handler that has interrupted the runtime is not watched.
#[inline(never)]
fn remember_read_closely(thread: &'static Thread, addr: usize, news: News, pc: usize) {
    let Some(thread) = thread.enter() else { return };
    if thread.plain.get() != 0 {
        remember_unless_ignored(thread, addr, news, pc);
    } else if explore::is_decided() || !news.is_represented(&thread) {
        remember_now(thread, addr, news, pc);
    }
}

#[inline]
fn remember(thread: &'static Thread, addr: usize, news: News, pc: usize) {
    let Some(thread) = thread.enter() else { return };
    match thread.plain.get() {
        0 => remember_now(thread, addr, news, pc),
        _ => remember_unless_ignored(thread, addr, news, pc),
    }
}

/// There is something special about plain accesses of this thread.
#[cold]
#[inline(never)]
fn remember_unless_ignored(mut thread: Entered, addr: usize, news: News, pc: usize) {
    if thread.plain.get() & FOLLOWED != 0 {
        follow::plain(&mut thread, addr, news.is_write(), pc);
    }
    if thread.plain.get() & !FOLLOWED == 0 {
        remember_now(thread, addr, news, pc);
    }
}

#[inline(never)]
fn remember_now(thread: Entered, addr: usize, news: News, pc: usize) {
    if !SEES_PLAIN.load(Ordering::Relaxed) || explore::is_decided() || !news.is_easily_remembered(&thread) {
        return remember_anyway(thread, addr, news, pc);
    }
    if news.is_write() && is_atomic(addr) {
        initialise(thread, addr);
    }
}

#[inline(never)]
fn remember_anyway(thread: Entered, addr: usize, news: News, pc: usize) {
    // Everybody would wait for everybody, if it were written each time.
    if !SEES_PLAIN.load(Ordering::Relaxed) {
        SEES_PLAIN.store(true, Ordering::Relaxed);
    }
    if let Some(race) = news.remember_anyway(&thread, addr) {
        race.report(&thread, pc);
    }
    if news.is_write() && is_atomic(addr) {
        initialise(thread, addr);
    }
}

/// Is there an atomic variable in this word, or an object?
#[inline]
fn is_atomic(addr: usize) -> bool {
    shadow::places_if_any(addr).is_some_and(|places| !places.load(Ordering::Relaxed).is_null())
}

/// A plain write to an atomic variable is its initialisation, or a race that has been reported: its
/// history ends here.
#[cold]
fn initialise(_thread: Entered, addr: usize) {
    if let Some(mut held) = Place::find(addr, Kind::Atomic, Intent::Store)
        && let Content::Atomic(atomic) = held.content()
    {
        // The value is not known before the write is made; the next access finds that it differs,
        // if it does.
        let value = atomic.location.newest_value();
        atomic.location.reset(value);
        held.change(|| ());
    }
}

extern "C" fn read_bytes<const BYTES: usize>(addr: usize, pc: usize) {
    read_range(addr, BYTES, pc);
}

extern "C" fn write_bytes<const BYTES: usize>(addr: usize, pc: usize) {
    write_range(addr, BYTES, pc);
}

extern "C" fn read_range(addr: usize, bytes: usize, pc: usize) {
    range(addr, bytes, READ, pc);
}

extern "C" fn write_range(addr: usize, bytes: usize, pc: usize) {
    range(addr, bytes, WRITE, pc);
}

#[inline]
fn range(mut addr: usize, mut bytes: usize, how: How, pc: usize) {
    let Some(thread) = thread::watched() else { return };
    thread.looks();
    if local::is_wanted() {
        local::touches(thread, addr, how.write);
    }
    while bytes > 0 {
        if addr.is_multiple_of(8) {
            let known = race::known_bytes(thread, addr, bytes, how);
            (addr, bytes) = (addr + known, bytes - known);
        }
        // One word, or what there is of it.
        let word = (8 - addr % 8).min(bytes);
        race::pieces(addr, word, |at, log_size| {
            if let Some(news) = race::news(thread, at, log_size, how, pc) {
                remember_read(thread, at, news, pc);
            }
        });
        (addr, bytes) = (addr + word, bytes - word);
    }
}

/// A pointer to the table of virtual functions is written; writing the same again, as destructors
/// of base classes do, is no conflict.
unsafe extern "C" fn vptr_update(slot: usize, new: usize, pc: usize) {
    // SAFETY: instrumented code is about to write this pointer.
    if unsafe { (slot as *const usize).read() } != new {
        write::<3>(slot, pc);
    }
}

unsafe extern "C" fn copy(to: *mut u8, from: *const u8, bytes: usize, pc: usize) -> *mut u8 {
    read_range(from as usize, bytes, pc);
    write_range(to as usize, bytes, pc);
    // SAFETY: the contract of `memcpy`, which `memmove` weakens.
    unsafe { std::ptr::copy(from, to, bytes) };
    to
}

unsafe extern "C" fn fill(to: *mut u8, value: i32, bytes: usize, pc: usize) -> *mut u8 {
    write_range(to as usize, bytes, pc);
    // SAFETY: the contract of `memset`.
    unsafe { std::ptr::write_bytes(to, value as u8, bytes) };
    to
}

unsafe extern "C" {
    /// Ends the process: a fortified function would write past the end.
    fn __chk_fail() -> !;
}

/// As fortified builds call it: there is room for so many bytes.
unsafe extern "C" fn copy_within(to: *mut u8, from: *const u8, bytes: usize, room: usize, pc: usize) -> *mut u8 {
    if bytes > room {
        // SAFETY: may be called at any time.
        unsafe { __chk_fail() };
    }
    // SAFETY: the caller's promise.
    unsafe { copy(to, from, bytes, pc) }
}

unsafe extern "C" fn fill_within(to: *mut u8, value: i32, bytes: usize, room: usize, pc: usize) -> *mut u8 {
    if bytes > room {
        // SAFETY: may be called at any time.
        unsafe { __chk_fail() };
    }
    // SAFETY: the caller's promise.
    unsafe { fill(to, value, bytes, pc) }
}

shim!(__tsan_vptr_update, "rdx", vptr_update);
shim!(__tsan_vptr_read, "rsi", read::<3>);
shim!(__tsan_read_range, "rdx", read_range);
shim!(__tsan_write_range, "rdx", write_range);
shim!(__tsan_memcpy, "rcx", copy);
shim!(__tsan_memmove, "rcx", copy);
shim!(__tsan_memset, "rcx", fill);
shim!(__wrap_memcpy, "rcx", copy);
shim!(__wrap_memmove, "rcx", copy);
shim!(__wrap_memset, "rcx", fill);

quick!(__tsan_read1, 0, READ, read_news, read::<0>);
quick!(__tsan_write1, 0, WRITE, write_news, write::<0>);
quick!(__tsan_read_write1, 0, WRITE, write_news, write::<0>);
quick!(__tsan_read2, 1, READ, read_news, read::<1>);
quick!(__tsan_write2, 1, WRITE, write_news, write::<1>);
quick!(__tsan_read_write2, 1, WRITE, write_news, write::<1>);
quick!(__tsan_read4, 2, READ, read_news, read::<2>);
quick!(__tsan_write4, 2, WRITE, write_news, write::<2>);
quick!(__tsan_read_write4, 2, WRITE, write_news, write::<2>);
quick!(__tsan_read8, 3, READ, read_news, read::<3>);
quick!(__tsan_write8, 3, WRITE, write_news, write::<3>);
quick!(__tsan_read_write8, 3, WRITE, write_news, write::<3>);
shim!(__tsan_read16, "rsi", read_bytes::<16>);
shim!(__tsan_write16, "rsi", write_bytes::<16>);
shim!(__tsan_read_write16, "rsi", write_bytes::<16>);
shim!(__tsan_unaligned_read2, "rsi", read_bytes::<2>);
shim!(__tsan_unaligned_write2, "rsi", write_bytes::<2>);
shim!(__tsan_unaligned_read_write2, "rsi", write_bytes::<2>);
shim!(__tsan_unaligned_read4, "rsi", read_bytes::<4>);
shim!(__tsan_unaligned_write4, "rsi", write_bytes::<4>);
shim!(__tsan_unaligned_read_write4, "rsi", write_bytes::<4>);
shim!(__tsan_unaligned_read8, "rsi", read_bytes::<8>);
shim!(__tsan_unaligned_write8, "rsi", write_bytes::<8>);
shim!(__tsan_unaligned_read_write8, "rsi", write_bytes::<8>);
shim!(__tsan_unaligned_read16, "rsi", read_bytes::<16>);
shim!(__tsan_unaligned_write16, "rsi", write_bytes::<16>);
shim!(__tsan_unaligned_read_write16, "rsi", write_bytes::<16>);

shim!(__tsan_volatile_read1, "rsi", read::<0>);
shim!(__tsan_volatile_write1, "rsi", write::<0>);
shim!(__tsan_volatile_read2, "rsi", read::<1>);
shim!(__tsan_volatile_write2, "rsi", write::<1>);
shim!(__tsan_volatile_read4, "rsi", read::<2>);
shim!(__tsan_volatile_write4, "rsi", write::<2>);
shim!(__tsan_volatile_read8, "rsi", read::<3>);
shim!(__tsan_volatile_write8, "rsi", write::<3>);
shim!(__tsan_volatile_read16, "rsi", read_bytes::<16>);
shim!(__tsan_volatile_write16, "rsi", write_bytes::<16>);
shim!(__tsan_unaligned_volatile_read2, "rsi", read_bytes::<2>);
shim!(__tsan_unaligned_volatile_write2, "rsi", write_bytes::<2>);
shim!(__tsan_unaligned_volatile_read4, "rsi", read_bytes::<4>);
shim!(__tsan_unaligned_volatile_write4, "rsi", write_bytes::<4>);
shim!(__tsan_unaligned_volatile_read8, "rsi", read_bytes::<8>);
shim!(__tsan_unaligned_volatile_write8, "rsi", write_bytes::<8>);
shim!(__tsan_unaligned_volatile_read16, "rsi", read_bytes::<16>);
shim!(__tsan_unaligned_volatile_write16, "rsi", write_bytes::<16>);

#[allow(non_snake_case, reason = "the linker makes these names")]
mod fortified {
    use super::{copy_within, fill_within};

    shim!(__wrap___memcpy_chk, "r8", copy_within);
    shim!(__wrap___memmove_chk, "r8", copy_within);
    shim!(__wrap___memset_chk, "r8", fill_within);
}
