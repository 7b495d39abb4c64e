//! What tests of several crates need.
//!
//! That is the corpus, expectations written in source files, generated programs, shrinking of those
//! that show a mistake, the litmus tests of the papers, compilers for the programs of the
//! sanitizer, and a browser for pages.

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};

use fencepost_base::ids::{LocId, RegId};
use fencepost_ir::{Observable, Program};

pub use fencepost_expect as expect;

pub mod browser;
pub mod compilers;
pub mod corpus;
pub mod edit;
pub mod forbid;
pub mod generate;
pub mod golden;
pub mod litmus;
pub mod ram;
pub mod random;
pub mod shrink;

/// Was more of the same asked for: is the environment variable `FENCEPOST_LONG` set, to anything
/// but `0`?
pub fn is_long() -> bool {
    std::env::var_os("FENCEPOST_LONG").is_some_and(|value| value != "0")
}

/// How many times to repeat a randomised test that normally runs `default` times: twenty times as
/// many when the environment variable `FENCEPOST_LONG` is set (to anything but `0`), or as many
/// times as it says, if that is more than one.
pub fn repetitions(default: u64) -> u64 {
    if !is_long() {
        return default;
    }
    let times = std::env::var("FENCEPOST_LONG").ok().and_then(|value| value.parse().ok());
    default * times.filter(|&times| times > 1).unwrap_or(20)
}

/// Says that a test is skipped, and why. The standard harness has no word for it and keeps what is
/// printed to itself; what is written is seen.
pub fn skipped(test: &str, reason: &str) {
    // Nobody may be listening.
    let _ = writeln!(std::io::stderr(), "test {test} skipped: {reason}");
}

/// Does something with all items, on as many threads as there are processors. The results are in no
/// particular order.
///
/// # Panics
/// When that panics for one of them; then nothing is done with those that nobody has begun with.
pub fn in_parallel<T, R: Send>(
    items: impl IntoIterator<Item = T, IntoIter: Send>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let items = Mutex::new(Some(items.into_iter()));
    let items = || items.lock().unwrap_or_else(PoisonError::into_inner);
    let worker = || {
        let mut results = Vec::new();
        loop {
            let Some(item) = items().as_mut().and_then(Iterator::next) else { break results };
            match catch_unwind(AssertUnwindSafe(|| work(item))) {
                Ok(result) => results.push(result),
                Err(panic) => {
                    *items() = None;
                    resume_unwind(panic);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..processors).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// Everything there is to observe at the end of a program.
pub fn everything(program: &Program) -> Vec<Observable> {
    let registers = program.thread_ids().flat_map(|thread| {
        let count = program.thread(thread).registers.len();
        (0..count).map(move |register| Observable::Register(thread, RegId::from_index(register)))
    });
    let locations = (0..program.locations().len()).map(|loc| Observable::Location(LocId::from_index(loc)));
    registers.chain(locations).collect()
}
