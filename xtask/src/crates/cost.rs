//! `cargo xtask crates --cost`: what one run of a program of tests costs natively, under
//! ThreadSanitizer, under Miri and under fencepost.
//!
//! ThreadSanitizer is the one of rustc. It is tried with the standard library as it is, which needs
//! `RUSTC_BOOTSTRAP`, and with a library that is built for it. That, and Miri, need a toolchain of
//! the nightly channel with `miri` and `rust-src`; without one their cells are empty.
//!
//! Every way has the same settings, so also the same numbers of rounds. Miri is started by cargo each
//! time, so cargo is part of its time; the others are programs that are there.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::list::{SUITES, Suite};
use super::{TARGET, Tool, absolute, fetch, prepare, said};
use crate::bench::process;

/// The head of the table.
pub(super) const HEAD: &str = "\
| program of tests | native | TSan | TSan, library built for it | Miri | ours | ours: `random` |
|---|---|---|---|---|---|---|";

/// Crates of the list, and for cargo: which program of theirs.
const PROGRAMS: &[(&str, &str)] = &[
    ("crossbeam-queue", "--test array_queue"),
    ("crossbeam-queue", "--test seg_queue"),
    ("crossbeam-epoch", "--lib"),
    ("event-listener", "--test notify"),
    ("parking_lot", "--lib"),
    ("spin", "--lib"),
];

/// Small programs over what the standard library has, which our own tests run.
const PRIMITIVES: (&str, &str) = ("primitives", "--package primitives --test correct");
const PRIMITIVES_FOLDER: &str = "crates/fencepost/tests/cargo/project";

/// The best of so many runs counts.
const TIMES: usize = 3;
/// A run takes no longer than this.
const LIMIT: Duration = Duration::from_secs(60);

const CFG: &str = "--cfg fencepost --cap-lints allow";
/// The same for Miri, which does not bear a cap on what is told.
const CFG_OF_MIRI: &str = "--cfg fencepost";

/// A line for each program whose name is chosen.
pub(super) fn rows(tool: &Tool, nightly: Option<&Path>, chosen: impl Fn(&str) -> bool) -> Result<(), String> {
    println!("{HEAD}");
    for &(name, words) in PROGRAMS.iter().chain([&PRIMITIVES]).filter(|(name, _)| chosen(name)) {
        let folder = match SUITES.iter().find(|suite| suite.name == name) {
            Some(suite) => package(suite)?,
            None => project()?,
        };
        println!("| {name}: `{words}` | {} |", cells(&folder, words, tool, nightly)?.join(" | "));
    }
    Ok(())
}

fn package(suite: &Suite) -> Result<PathBuf, String> {
    let folder = fetch(suite.name, suite.version)?;
    prepare(&folder, suite.without)?;
    Ok(folder)
}

/// The project of our own tests, with the crate beside it that its manifest names.
fn project() -> Result<PathBuf, String> {
    let copy = absolute(&Path::new(super::DIR).join("project"))?;
    for (from, to) in [(PRIMITIVES_FOLDER, copy.clone()), ("crates/fencepost-test", copy.join("fencepost-test"))] {
        std::fs::create_dir_all(&to).map_err(|error| format!("{}: {error}", to.display()))?;
        let copied = Command::new("cp").args(["-r", &format!("{from}/.")]).arg(&to).status();
        if !copied.is_ok_and(|status| status.success()) {
            return Err(format!("{from} cannot be copied"));
        }
    }
    Ok(copy)
}

/// The times of one program.
fn cells(folder: &Path, words: &str, tool: &Tool, nightly: Option<&Path>) -> Result<Vec<String>, String> {
    let build = format!("test --no-run --target {TARGET} {words}");
    let bare = |mut command: Command, way: &str| {
        command.env("CARGO_TARGET_DIR", tool.target.join(way));
        command
    };
    let of_nightly = |mut command: Command, toolchain: &Path| {
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", toolchain.join("bin").display()));
        command
    };
    let native = program(folder, tool.command(folder, CFG, false, &build))?;
    let native = best(|| test(Command::new(&native), folder), "")?;

    let flags = format!("{CFG} -Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer");
    let mut command = bare(tool.command(folder, &flags, false, &build), "tsan");
    command.env("RUSTC_BOOTSTRAP", "1");
    let races = "WARNING: ThreadSanitizer: data race";
    let prebuilt = program(folder, command)?;
    let prebuilt = best(|| test(Command::new(&prebuilt), folder), races)?;

    let (built, miri) = match nightly {
        None => (String::new(), String::new()),
        Some(toolchain) => {
            let flags = format!("{CFG} -Zsanitizer=thread");
            let command = tool.command(folder, &flags, false, &format!("{build} -Zbuild-std"));
            let built = program(folder, of_nightly(bare(command, "tsan-built"), toolchain))?;
            let built = best(|| test(Command::new(&built), folder), races)?;
            let miri = |rest: &str| {
                let words = format!("miri test --target {TARGET} {words} {rest}");
                let mut command = of_nightly(bare(tool.command(folder, CFG_OF_MIRI, false, &words), "miri"), toolchain);
                command.env("MIRIFLAGS", "-Zmiri-disable-isolation");
                command
            };
            said(miri("--no-run"))?;
            (built, best(|| miri("-- --test-threads=1"), "Undefined Behavior")?)
        }
    };

    let ours = program(folder, tool.command(folder, "--cap-lints allow", true, &format!("test --no-run {words}")))?;
    let ours = |schedule: &str| {
        let watched = || {
            let mut command = Command::new(&tool.program);
            command.args(["run", "--runs", "1", "--provoke", "0", "--schedule", schedule, "--"]).arg(&ours);
            test(command, folder)
        };
        best(watched, "WARNING: fencepost: data race")
    };
    Ok(vec![native, prebuilt, built, miri, ours("os")?, ours("random")?])
}

/// The program of tests that this command of cargo's has built.
fn program(folder: &Path, command: Command) -> Result<PathBuf, String> {
    let text = said(command)?.text;
    let named = text.lines().find_map(|line| line.trim().strip_prefix("Executable "));
    let path = named.and_then(|line| line.rsplit_once('(')).map(|(_, path)| path.trim_end_matches(')'));
    path.map(|path| folder.join(path)).ok_or_else(|| super::last(&text))
}

/// Runs a program of tests in the folder of its package.
fn test(mut command: Command, folder: &Path) -> Command {
    command.arg("--test-threads=1").current_dir(folder);
    command
}

/// The best time, and how often the last run said this.
fn best(command: impl Fn() -> Command, sign: &str) -> Result<String, String> {
    let mut best = Duration::MAX;
    let mut found = 0;
    for _ in 0..TIMES {
        let ended = process::run(command(), LIMIT)?;
        if ended.time >= LIMIT {
            return Ok(format!("over {} s", LIMIT.as_secs()));
        }
        let text = ended.output + &ended.complaint;
        if !sign.is_empty() {
            found = text.matches(sign).count();
        }
        if !text.contains("test result: ok") {
            return Ok(format!("fails ({})", super::last(&text)));
        }
        best = best.min(ended.time);
    }
    let time = format!("{:.2} s", best.as_secs_f64());
    Ok(if found == 0 { time } else { format!("{time} ({found} races)") })
}
