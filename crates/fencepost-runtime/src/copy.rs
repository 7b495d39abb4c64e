//! The runtime's own `memcpy`, `memmove` and `memset`.
//!
//! The compiler inserts calls of these three anywhere. In programs built by gcc they are wrapped,
//! to see the accesses, and a wrapper that copies must not end up in itself. So the runtime's calls
//! are renamed when its library is made (`redefine.txt`) to the names below. They jump to libc's
//! functions once these are known, and until then to a string instruction each.

use std::arch::{global_asm, naked_asm};
use std::sync::atomic::{AtomicUsize, Ordering};

static MOVE: AtomicUsize = AtomicUsize::new(0);
static FILL: AtomicUsize = AtomicUsize::new(0);

/// Finds libc's functions.
pub(crate) fn start() {
    for (function, name) in [(&MOVE, c"memmove"), (&FILL, c"memset")] {
        // SAFETY: looks a name up.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
        function.store(found as usize, Ordering::Relaxed);
    }
}

#[unsafe(naked)]
extern "C" fn move_bytes() {
    naked_asm!(
        "mov rax, [rip + {real}]",
        "test rax, rax",
        "jz 2f",
        "jmp rax",
        "2:",
        "mov rax, rdi",
        "mov rcx, rdx",
        "cmp rdi, rsi",
        "ja 3f",
        "rep movsb",
        "ret",
        "3:",
        "lea rdi, [rdi + rcx - 1]",
        "lea rsi, [rsi + rcx - 1]",
        "std",
        "rep movsb",
        "cld",
        "ret",
        real = sym MOVE,
    )
}

#[unsafe(naked)]
extern "C" fn fill_bytes() {
    naked_asm!(
        "mov rax, [rip + {real}]",
        "test rax, rax",
        "jz 2f",
        "jmp rax",
        "2:",
        "mov r8, rdi",
        "mov eax, esi",
        "mov rcx, rdx",
        "rep stosb",
        "mov rax, r8",
        "ret",
        real = sym FILL,
    )
}

global_asm!(
    ".globl __fencepost_memcpy",
    ".globl __fencepost_memmove",
    ".globl __fencepost_memset",
    "__fencepost_memcpy:",
    "__fencepost_memmove:",
    "jmp {move_bytes}",
    "__fencepost_memset:",
    "jmp {fill_bytes}",
    move_bytes = sym move_bytes,
    fill_bytes = sym fill_bytes,
);
