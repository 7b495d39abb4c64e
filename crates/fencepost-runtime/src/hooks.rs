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
