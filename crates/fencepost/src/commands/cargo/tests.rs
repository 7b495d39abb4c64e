//! The tests of a test program of libtest's, each explored by itself.
//!
//! A program with one test is a small program: the test is named exactly, and the exploration begins
//! with it (`in_test`). Tests that the crate `fencepost-test` has marked say so when they are called
//! in an ordinary run, in a file that the environment names, and do nothing else then.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::tools::EXHAUSTIVE;

/// Words that ask for tests which are ignored.
const WITH_IGNORED: [&str; 2] = ["--ignored", "--include-ignored"];
/// In the symbols of programs that have the crate `fencepost-test`.
const CRATE: &str = "fencepost_test";

/// The tests that the words choose, in the order in which they would run. `command` makes a command
/// for the program with these words.
pub(super) fn chosen(command: impl Fn(&[OsString]) -> Command, words: &[OsString]) -> Result<Vec<String>, String> {
    let list = |more: &[&str]| {
        let mut command = command(words);
        command.args(["--list", "--format", "terse"]).args(more).stdin(Stdio::null()).stderr(Stdio::piped());
        let said = command.output().map_err(|error| format!("the tests cannot be listed: {error}"))?;
        match said.status.success() {
            true => Ok(listed(&String::from_utf8_lossy(&said.stdout))),
            false => Err(format!("the tests cannot be listed:\n{}", String::from_utf8_lossy(&said.stderr).trim_end())),
        }
    };
    let mut all = list(&[])?;
    if !runs_ignored(words) {
        let ignored = list(&["--ignored"])?;
        all.retain(|name| !ignored.contains(name));
    }
    Ok(all)
}

/// Are tests run that are ignored?
fn runs_ignored(words: &[OsString]) -> bool {
    words.iter().any(|word| WITH_IGNORED.iter().any(|known| word == known))
}

/// Names of tests, as libtest lists them.
fn listed(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| Some(line.strip_suffix(": test")?.to_string())).collect()
}

/// The words for a program that is to run this test and nothing else. What it says is not captured:
/// the library would share what it has captured with every thread.
pub(super) fn only(test: &str) -> Vec<OsString> {
    [test, "--exact", "--include-ignored", "--test-threads=1", "--nocapture"].map(OsString::from).to_vec()
}

/// May a program with this symbol have marked tests?
pub(super) fn may_be_marked(symbol: &str) -> bool {
    symbol.contains(CRATE)
}

/// Those of the tests that are marked. For that the program runs once, unwatched: marked tests do
/// nothing.
pub(super) fn marked(mut command: Command, path: &Path, tests: &[String]) -> Vec<String> {
    let Some(file) = env::var_os(EXHAUSTIVE) else { return Vec::new() };
    // How it ends does not matter: it is run again.
    let _ended =
        command.arg("--test-threads=1").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let text = fs::read_to_string(file).unwrap_or_default();
    let mut marked = tests.to_vec();
    marked.retain(|test| {
        text.lines().any(|line| {
            line.split_once('\t').is_some_and(|(program, name)| Path::new(program) == &*path && name == test)
        })
    });
    marked
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn benchmarks_are_no_tests() {
        assert_eq!(listed("a::b: test\nc: benchmark\n\n1 test\n"), ["a::b"]);
    }

    #[test]
    fn who_asks_for_ignored_tests() {
        let words = |text: &str| text.split_whitespace().map(OsString::from).collect::<Vec<_>>();
        assert!(runs_ignored(&words("name --ignored")) && runs_ignored(&words("--include-ignored")));
        assert!(!runs_ignored(&words("ignored")));
    }
}
