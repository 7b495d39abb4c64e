//! What the runtime obeys of the environment.
//!
//! A program with elevated privileges (set-user-ID and the like) is started by somebody who must
//! not decide what it does: to it, the environment is empty.

/// Was the program started with more privileges than its user has?
pub(crate) fn is_elevated() -> bool {
    // SAFETY: reads a word that the kernel has left.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// The value of a variable, if it is to be obeyed.
pub(crate) fn variable(name: &str) -> Option<String> {
    if is_elevated() { None } else { std::env::var(name).ok() }
}
