//! The runtime of the robustness sanitizer: a static library behind the calls that compilers insert
//! for `-fsanitize=thread`.
//!
//! It executes the program's atomic accesses one after the other per location, hence under SC. It
//! tells each of them to the monitor of [`fencepost_clock`] (PLDI 2025). It reports accesses that
//! could leave SC under C++20, in this run or in any run with the same past, and data races on plain
//! memory. Reports go as events to a reporter, another process, which knows about symbols.
//!
//! - `hooks`: what compilers call; `intercept`: what of libc is replaced.
//! - `shadow`: addresses to `place`s (atomics, locks) and to the cells of `race`.
//! - `thread`: threads and their clocks; `stacks`: where they are in the code; `sync`: locks and
//!   the like.
//! - `schedule`: controlled schedules; `spin`: busy waits; `provoke`: runs with one stale access.
//! - `explore`: runs of which an explorer decides every step; `local`: has a loop gone round?
//! - `openmp`: what its regions, barriers and tasks order.
//! - `report`, `channel`, `record`, `options`, `stats`: what goes out and comes in.
//! - `memory`, `lock`, `copy`: the runtime's own, since it must not use the host's; `collisions`:
//!   threads that are in each other's way step back.

#![cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]
#![cfg_attr(
    test,
    allow(dead_code, unreachable_pub, reason = "a test exports nothing: the names would replace those of libc")
)]

mod channel;
mod collisions;
mod copy;
mod early;
mod environment;
mod explore;
mod follow;
#[macro_use]
mod hooks;
mod intercept;
mod local;
mod lock;
mod memory;
mod openmp;
mod options;
mod place;
mod provoke;
mod race;
mod record;
mod report;
mod schedule;
mod shadow;
mod spin;
mod stacks;
mod stats;
mod sync;
mod thread;
mod weak;

use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(not(test))]
#[global_allocator]
static ALLOCATOR: memory::Pages = memory::Pages;

static STARTED: AtomicBool = AtomicBool::new(false);

/// Makes the runtime ready, the first time it is called. The thread that calls is the main thread,
/// since instrumented objects do so before `main`.
pub(crate) fn start() {
    if STARTED.swap(true, Ordering::AcqRel) {
        return;
    }
    copy::start();
    options::read();
    // The reporter first: it hears of what goes wrong later.
    let record = record::start();
    channel::start(record);
    shadow::start();
    thread::attach_main();
    schedule::start();
    intercept::start();
    if provoke::start() {
        intercept::tell_failures();
    }
    // From here on, this is one of many runs if somebody explores.
    explore::start();
}

/// The program ends with `status`: tells the reporter, and returns the exit code to end with.
pub(crate) fn finish(status: i32) -> i32 {
    if explore::is_explored() {
        explore::finish(status);
    }
    channel::finish(status, report::summary)
}

/// Has the runtime begun to end the process? Then there may be no memory left.
static DYING: AtomicBool = AtomicBool::new(false);

/// Is the runtime about to end the process itself?
pub(crate) fn is_dying() -> bool {
    DYING.load(Ordering::Relaxed)
}

/// Ends the process with a message: the runtime cannot go on.
pub(crate) fn fatal(message: std::fmt::Arguments<'_>) -> ! {
    // What is done about it may come here again.
    if !DYING.swap(true, Ordering::Relaxed) {
        channel::last_words(message);
    }
    // SAFETY: ends the process without running anything of it.
    unsafe { libc::_exit(1) }
}
