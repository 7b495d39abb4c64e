//! The checker for a browser.
//!
//! A page asks with a line of JSON ([`Request`]) and is answered with one. What is asked is what the
//! command line asks, so reports are those of `--format json`. Compiled to WebAssembly, the crate
//! is called through `exports.rs`. It neither prints nor reads anything. The host, that is, the
//! page, tells it the time, and is told how far a search is.
//!
//! Pages call this in a worker. There is one thread, so a question is stopped by ending the worker.

mod answers;
#[cfg(target_family = "wasm")]
mod exports;
mod requests;

use std::time::Duration;

use fencepost::Progress;

pub use requests::{Bounds, Program, Request};

/// What the checker needs of its surroundings.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    /// The time since some moment.
    pub now: &'a (dyn Fn() -> Duration + Sync),
    /// Told how far a search is.
    pub progress: &'a (dyn Fn(Duration, Progress) + Sync),
}

/// Answers a request, both as JSON.
///
/// ```
/// # let host = fencepost_web::Host { now: &|| std::time::Duration::ZERO, progress: &|_, _| {} };
/// let answer = fencepost_web::answer(r#"{"ask": "explain", "shape": "SB"}"#, &host);
/// assert!(answer.contains("store-buffering"), "{answer}");
/// ```
pub fn answer(request: &str, host: &Host<'_>) -> String {
    let answer = match serde_json::from_str::<Request>(request) {
        Ok(request) => answers::of(&request, host),
        Err(error) => answers::failed(format!("this is no request: {error}")),
    };
    answer.to_string()
}
