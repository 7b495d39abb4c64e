//! Bugs of fencepost itself: a panic or a broken promise becomes a polite
//! request to report it, and exit code 101.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

use crate::output;

/// The panic hook has told the user already.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Panicked;

thread_local! {
    /// The file being worked on, for the message.
    static FILE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Replaces Rust's panic message, which means nothing to users.
pub(crate) fn install_hook() {
    panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let literal = payload.downcast_ref::<&str>().copied();
        let what = literal.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("panic");
        let place = info.location().map_or(String::new(), |place| format!(" ({}:{})", place.file(), place.line()));
        let file = FILE.with(|file| file.try_borrow().map(|file| file.clone()).unwrap_or_default());
        output::note(&message(&file, &format!("{what}{place}")));
    }));
}

/// Runs `work` on `file`; a panic ends only this piece of work.
pub(crate) fn guard<T>(file: &str, work: impl FnOnce() -> T) -> Result<T, Panicked> {
    let outer = FILE.with(|current| current.replace(file.to_string()));
    // What `work` leaves half done is dropped with it, except the output streams, which hold no
    // invariant.
    let result = panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| Panicked);
    FILE.with(|current| current.replace(outer));
    result
}

/// The request for a report.
pub(crate) fn message(file: &str, what: &str) -> String {
    let about = if file.is_empty() { String::new() } else { format!(" while working on `{file}`") };
    let with = if file.is_empty() { "" } else { " and this file" };
    format!(
        "error: internal error{about}: {what}\n\
         This is a bug in fencepost, not in your program; no verdict was reached.\n\
         Please report it with this message{with} (fencepost {}).\n",
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_only_its_piece_of_work() {
        assert_eq!(guard("a.fp", || 1), Ok(1));
        assert_eq!(guard("b.fp", || panic!("on purpose")), Err::<(), _>(Panicked));
        assert_eq!(guard("c.fp", || 2), Ok(2));
        assert!(message("b.fp", "on purpose").contains("`b.fp`"));
    }
}
