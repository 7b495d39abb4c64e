//! What compilers call: the ABI of `-fsanitize=thread`, for clang and gcc on x86-64.
//!
//! A hook needs to know where it was called from. Rust has no expression for it, so each exported
//! name is a few instructions that load the return address into the next free argument register and
//! jump to the function that does the work.

/// An exported name that passes its return address on in a register.
macro_rules! shim {
    ($name:ident, $register:literal, $body:path) => {
        /// Called by instrumented code.
        #[unsafe(naked)]
        #[cfg_attr(not(test), unsafe(no_mangle))]
        pub(crate) extern "C" fn $name() {
            std::arch::naked_asm!(concat!("mov ", $register, ", [rsp]"), "jmp {body}", body = sym $body)
        }
    };
}

/// The same, of an access that may be part of a loop that waits: where somebody wants to know of
/// loops, the state of the program is looked at.
macro_rules! shim_of_loop {
    ($name:ident, $register:literal, $body:path) => {
        /// Called by instrumented code.
        #[unsafe(naked)]
        #[cfg_attr(not(test), unsafe(no_mangle))]
        pub(crate) extern "C" fn $name() {
            std::arch::naked_asm!(
                concat!("mov ", $register, ", [rsp]"),
                "cmp byte ptr [rip + {wanted}], 0",
                "jne 2f",
                "jmp {body}",
                "2:",
                "push rdi",
                "push rsi",
                "push rdx",
                "push rcx",
                "push r8",
                "push r9",
                "push rbx",
                "push rbp",
                "push r12",
                "push r13",
                "push r14",
                "push r15",
                "mov rdi, rsp",
                "sub rsp, 8",
                "call {keep}",
                "add rsp, 8 + 6 * 8",
                "pop r9",
                "pop r8",
                "pop rcx",
                "pop rdx",
                "pop rsi",
                "pop rdi",
                "jmp {body}",
                wanted = sym crate::local::WANTED,
                keep = sym crate::local::keep,
                body = sym $body,
            )
        }
    };
}
mod atomic;
mod calls;
mod fibers;
mod library;
mod monitored;
mod mutexes;
mod plain;
mod tests;
mod wide;
mod word;
