//! What is there if `cargo fencepost` builds the test: the runtime, and a file in which marked tests
//! put their names down.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::thread;

/// The file, which is named only while tests run that are not explored.
const FILE: &str = "FENCEPOST_EXHAUSTIVE";

// SAFETY: fencepost's runtime, which is linked to whatever has `cfg(fencepost)`, has functions with
// these names and types. They take and return numbers, and may be called by any thread at any time.
#[allow(unsafe_code, reason = "foreign functions cannot be declared without saying that they are right")]
unsafe extern "C" {
    safe fn __fencepost_choose(count: u32) -> u32;
    safe fn __fencepost_assume(condition: i32);
}

/// Is this test explored later, so that there is nothing to do now?
pub(crate) fn takes_over() -> bool {
    let (thread, program) = (thread::current(), env::current_exe());
    let (Some(file), Ok(program)) = (env::var_os(FILE), program) else { return false };
    // The test library gives the thread of a test its name.
    let Some(test) = thread.name().filter(|name| *name != "main") else { return false };
    let line = format!("{}\t{test}\n", program.display());
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .is_ok_and(|mut file| file.write_all(line.as_bytes()).is_ok())
}

pub(crate) fn choose(count: u32) -> u32 {
    __fencepost_choose(count)
}

/// Returns if the condition is true, or if the caller has to end the test.
pub(crate) fn assume(condition: bool) {
    // In a program with other tests the runtime would end all of them.
    if env::var_os(FILE).is_none() {
        __fencepost_assume(i32::from(condition));
    }
}
