//! How a browser calls the checker.
//!
//! The page asks for room, writes its request there, calls [`ask`], and reads the answer from the
//! same place. No pointer is followed on this side, so there is no unsafe block. What counts as
//! unsafe is to choose the name of a function for the linker, and to promise that the functions of
//! the host are what they are said to be. A WebAssembly module has no other names in that table,
//! and the engine checks the types of what it imports.
#![expect(unsafe_code, reason = "names for the linker")]
#![expect(unreachable_pub, reason = "who calls these is no crate")]

use std::mem;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use fencepost::Progress;

use crate::Host;

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Milliseconds since some moment.
    safe fn now() -> f64;
    /// A search has this many states and bytes.
    safe fn progress(states: f64, bytes: f64);
}

/// The request, then its answer.
static BUFFER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn buffer() -> MutexGuard<'static, Vec<u8>> {
    BUFFER.lock().unwrap_or_else(PoisonError::into_inner)
}

fn host() -> Host<'static> {
    Host {
        now: &|| Duration::from_secs_f64(now().max(0.0) / 1e3),
        progress: &|_, Progress { states, bytes, .. }| progress(states as f64, bytes as f64),
    }
}

/// Room for a request of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    // A panic ends the module. What it says is left where the answer would be.
    static HOOK: Once = Once::new();
    HOOK.call_once(|| std::panic::set_hook(Box::new(|panic| *buffer() = panic.to_string().into_bytes())));
    let mut buffer = buffer();
    *buffer = vec![0; length];
    buffer.as_mut_ptr()
}

/// Answers the request.
#[unsafe(no_mangle)]
pub extern "C" fn ask() {
    let request = String::from_utf8_lossy(&mem::take(&mut *buffer())).into_owned();
    let answer = crate::answer(&request, &host());
    *buffer() = answer.into_bytes();
}

/// Where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    buffer().as_ptr()
}

/// How many bytes the answer has.
#[unsafe(no_mangle)]
pub extern "C" fn length() -> usize {
    buffer().len()
}
