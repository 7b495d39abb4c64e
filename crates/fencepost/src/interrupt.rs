//! Signals that ask to stop: the search that is under way ends, and what is known is told.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

static INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on, the first signal is remembered in this flag, and a second one ends the program at
/// once. Not to be called while something else is waited for, such as input.
pub(crate) fn watch() -> &'static AtomicBool {
    INTERRUPTED.get_or_init(|| {
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first one must find nothing remembered. Where a signal cannot be
            // caught, it does what it always does.
            let _ = flag::register_conditional_default(signal, Arc::clone(&interrupted));
            let _ = flag::register(signal, Arc::clone(&interrupted));
        }
        interrupted
    })
}

/// The search that is under way ends as if there had been a signal, and then everything goes on.
static GIVEN_UP: AtomicBool = AtomicBool::new(false);

/// Ends the search that is under way: its answer is not wanted any more.
pub(crate) fn give_up() {
    GIVEN_UP.store(true, Ordering::Relaxed);
    watch().store(true, Ordering::Relaxed);
}

/// If the last search was given up, another one can begin. A signal since then has ended the program:
/// with the flag set, it is taken for the second one.
pub(crate) fn go_on() {
    if GIVEN_UP.swap(false, Ordering::Relaxed) {
        watch().store(false, Ordering::Relaxed);
    }
}

/// Has there been a signal?
pub(crate) fn happened() -> bool {
    INTERRUPTED.get().is_some_and(|interrupted| interrupted.load(Ordering::Relaxed))
}
