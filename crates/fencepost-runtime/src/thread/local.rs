//! Thread-local storage of the runtime: the description of the thread that runs.

/// A thread-local variable, where there is no assembly or no one object for it to be local in.
#[cfg(any(miri, test))]
macro_rules! thread_local_pointer {
    ($(#[$attribute:meta])* $module:ident, $symbol:literal) => {
        $(#[$attribute])*
        pub(super) mod $module {
            use crate::thread::Thread;

            thread_local! {
                static POINTER: std::cell::Cell<*const Thread> = const { std::cell::Cell::new(std::ptr::null()) };
            }

            pub(in crate::thread) fn get() -> *const Thread {
                POINTER.get()
            }

            pub(in crate::thread) fn set(thread: *const Thread) {
                POINTER.set(thread);
            }
        }
    };
}

/// A thread-local variable, with the model for variables that are there from the start: the general
/// one that Rust has would save registers around a call, in every hook, that the linker removes.
#[cfg(not(any(miri, test)))]
macro_rules! thread_local_pointer {
    ($(#[$attribute:meta])* $module:ident, $symbol:literal) => {
        $(#[$attribute])*
        pub(super) mod $module {
            use crate::thread::Thread;

            std::arch::global_asm!(
                ".pushsection .tbss, \"awT\", @nobits",
                ".balign 8",
                concat!($symbol, ":"),
                ".zero 8",
                ".popsection",
            );

            #[inline(always)]
            pub(in crate::thread) fn get() -> *const Thread {
                let thread;
                // SAFETY: reads the variable.
                unsafe {
                    std::arch::asm!(
                        concat!("mov {thread}, [rip + ", $symbol, "@GOTTPOFF]"),
                        "mov {thread}, fs:[{thread}]",
                        thread = out(reg) thread,
                        options(nostack, readonly, preserves_flags),
                    );
                }
                thread
            }

            pub(in crate::thread) fn set(thread: *const Thread) {
                // SAFETY: writes the variable.
                unsafe {
                    std::arch::asm!(
                        concat!("mov {offset}, [rip + ", $symbol, "@GOTTPOFF]"),
                        "mov fs:[{offset}], {thread}",
                        offset = out(reg) _,
                        thread = in(reg) thread,
                        options(nostack, preserves_flags),
                    );
                }
            }
        }
    };
}

thread_local_pointer!(
    /// The thread that runs; null if it is not known.
    current, "fencepost_current_thread"
);
thread_local_pointer!(
    /// The same; null also while it is ignored, so that most hooks have one question to ask.
    heeded, "fencepost_heeded_thread"
);
