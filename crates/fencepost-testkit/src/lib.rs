//! What tests of several crates need: the corpus, expectations written in source files,
//! generated programs, shrinking of those that show a mistake, and the litmus
//! tests of the papers.

pub mod corpus;
pub mod edit;
pub mod expect;
pub mod generate;
pub mod golden;
pub mod litmus;
pub mod random;
pub mod shrink;

/// How many times to repeat a randomised test that normally runs `default` times: twenty times as many when the
/// environment variable `FENCEPOST_LONG` is set (to anything but `0`).
pub fn repetitions(default: u64) -> u64 {
    match std::env::var("FENCEPOST_LONG") {
        Ok(value) if value != "0" => 20 * default,
        _ => default,
    }
}
