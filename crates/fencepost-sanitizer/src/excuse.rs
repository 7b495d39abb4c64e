//! What the C++ library does for itself, and is not to be told to its users.
//!
//! Everything here is a list of functions. A finding is left out if the access was made in one of
//! them, as the call chain down to the frame to blame says, and for a race if both were. What a user
//! does with such an object is not in its functions and is told as ever.
//!
//! Waiting and notifying have no entry here: the runtime does not look at them at all.

use crate::report::{Kind, Operation, Report};
use fencepost_finding::Frame;

/// Functions of libstdc++, by how their names begin.
const OWN: &[&str] = &[
    // `std::atomic<std::shared_ptr<T>>` is a pointer and a lock in one word, and a plain pointer that
    // the lock protects. Loads of the word only prepare a compare-and-swap that takes the lock, which
    // reads the newest value. Up to version 12 a load unlocks with a relaxed store, which does not
    // order the plain pointer by the letter of the standard.
    "std::_Sp_atomic<",
    // The state of `std::stop_source` is a lock, bits and a count in one word. What is loaded only
    // prepares a compare-and-swap. (`_M_stop_requested`, which users call, is not in the list.)
    "std::stop_token::_Stop_state_t::_M_request_stop",
    "std::stop_token::_Stop_state_t::_M_register_callback",
    "std::stop_token::_Stop_state_t::_M_remove_callback",
    "std::stop_token::_Stop_state_t::_M_lock",
    "std::stop_token::_Stop_state_t::_M_try_lock",
    "std::stop_token::_Stop_state_t::_M_do_try_lock",
];

/// The file of Rust's test library: how it hands out tests and collects results.
const LIBTEST: &str = "/library/test/src/";

/// Is this finding about the library's own affairs?
pub(crate) fn covers(report: &Report) -> bool {
    is_rusts_own(report) || is_cpps_own(report)
}

/// What Rust's library does with atomics of its own is not to be told, whoever has called it. Races
/// are told: a user of a `Vec` that two threads share does in its functions what is wrong.
/// What two threads of libtest do to each other is its own.
fn is_rusts_own(report: &Report) -> bool {
    match &report.kind {
        Kind::Robustness(_) => Frame::is_of_rust_library(&report.access.stack),
        Kind::Race(race) => [&report.access, &race.other].into_iter().all(|operation| {
            let mut own = operation.stack.iter().take_while(|frame| frame.is_library() || frame.wrapper);
            own.any(|frame| frame.file.as_ref().is_some_and(|file| file.contains(LIBTEST)))
        }),
    }
}

fn is_cpps_own(report: &Report) -> bool {
    is_own(&report.access)
        && match &report.kind {
            Kind::Race(other) => is_own(&other.other),
            Kind::Robustness(_) => true,
        }
}

fn is_own(operation: &Operation) -> bool {
    let mut names = Frame::chain(&operation.stack).iter().filter_map(|frame| frame.function.as_deref());
    names.any(|name| OWN.iter().any(|start| name.starts_with(start)))
}

#[cfg(test)]
mod tests {
    use super::is_own;
    use crate::report::Operation;
    use fencepost_finding::Frame;

    fn frame(function: &str, file: &str) -> Frame {
        Frame { function: Some(function.into()), file: Some(file.into()), line: Some(1), ..Frame::bare("program", 0) }
    }

    fn operation(frames: &[(&str, &str)]) -> Operation {
        Operation {
            op: "load".into(),
            order: None,
            value: None,
            expected: None,
            address: 0,
            size: 8,
            thread: None,
            stack: frames.iter().map(|(function, file)| frame(function, file)).collect(),
            time: None,
        }
    }

    #[test]
    fn what_users_do_is_no_affair_of_the_library() {
        const LIBRARY: &str = "/usr/include/c++/12/stop_token";
        let request = "std::stop_token::_Stop_state_t::_M_request_stop()";
        assert!(is_own(&operation(&[(request, LIBRARY), ("main", "a.cpp")])));
        // A callback that the library calls.
        assert!(!is_own(&operation(&[("called", "a.cpp"), (request, LIBRARY), ("main", "a.cpp")])));
        let requested = "std::stop_token::_Stop_state_t::_M_stop_requested()";
        assert!(!is_own(&operation(&[(requested, LIBRARY), ("main", "a.cpp")])));
    }
}
