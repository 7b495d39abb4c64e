//! `fencepost check --watch`: again and again, as files change.
//!
//! Files are looked at a few times a second. That works wherever there are files: in containers and
//! on network drives, too, where changes are not always told.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, SystemTime};

use fencepost_syntax::Language;

use super::check_all;
use crate::args::{CheckArgs, CheckFormat};
use crate::exit::Exit;
use crate::input::{self, Inputs};
use crate::interrupt;
use crate::load::Desk;
use crate::output::Output;

/// Time between two looks.
const PAUSE: Duration = Duration::from_millis(200);
/// Clears a terminal, what has left it at the top included.
const CLEAR: &str = "\x1b[2J\x1b[3J\x1b[H";

/// What is seen of a file without reading it; nothing, if it is not there.
type Stamp = Option<(SystemTime, u64)>;
type Stamps = BTreeMap<PathBuf, Stamp>;

/// Until somebody interrupts it. The exit code is that of the last round.
pub(super) fn run(args: &CheckArgs, inputs: impl Fn() -> Inputs, output: &mut Output) -> io::Result<Exit> {
    let wrong = match args.format {
        _ if args.paths.iter().any(|path| path.as_os_str() == "-") => Some("standard input cannot be watched"),
        CheckFormat::Sarif => Some("a SARIF log comes at the end, and there is none while files are watched"),
        CheckFormat::Html => Some("a page comes at the end, and there is none while files are watched"),
        CheckFormat::Human | CheckFormat::Json => None,
    };
    if let Some(message) = wrong {
        return Ok(Desk::new(output, &args.common).error(message, None));
    }
    interrupt::watch();
    let clears = args.format == CheckFormat::Human && args.output.is_none() && io::stdout().is_terminal();
    let mut seen = stamps(&args.paths);
    let mut wanted: Option<BTreeSet<String>> = None;
    let mut exit = Exit::Holds;
    loop {
        let mut round = inputs();
        if let Some(wanted) = &wanted {
            round.list.retain(|input| wanted.contains(&input::name(input)));
            round.skipped.retain(|skipped| wanted.contains(&skipped.file));
        }
        if !(round.list.is_empty() && round.skipped.is_empty()) {
            if clears {
                output.out(CLEAR)?;
            }
            exit = watched(&args.paths, &seen, || check_all(args, round, output))?;
        }
        interrupt::go_on();
        if !args.quiet {
            output.note("Watching for changes; Ctrl-C ends this.\n");
        }
        let Some(now) = next(&args.paths, &seen) else { return Ok(exit) };
        wanted = Some(changed(&seen, &now));
        seen = now;
    }
}

/// A round, which is given up when a file changes.
fn watched<T>(paths: &[PathBuf], seen: &Stamps, round: impl FnOnce() -> T) -> T {
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            while is_done.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                if stamps(paths) != *seen {
                    interrupt::give_up();
                    return;
                }
            }
        });
        let result = round();
        drop(done);
        result
    })
}

/// What there is after a change; nothing, if somebody does not want to wait any longer.
fn next(paths: &[PathBuf], seen: &Stamps) -> Option<Stamps> {
    loop {
        let now = stamps(paths);
        thread::sleep(PAUSE);
        if interrupt::happened() {
            return None;
        }
        // A file that is still being written is left alone for the moment.
        if now != *seen && stamps(paths) == now {
            return Some(now);
        }
    }
}

/// The names of files that are new or other than before.
fn changed(before: &Stamps, now: &Stamps) -> BTreeSet<String> {
    let is_other = |path: &PathBuf, stamp: &Stamp| before.get(path) != Some(stamp);
    let others = now.iter().filter(|(path, stamp)| is_other(path, stamp));
    others.map(|(path, _)| path.display().to_string()).collect()
}

/// What is meant by paths, without reading any file.
fn stamps(paths: &[PathBuf]) -> Stamps {
    let mut found = Stamps::new();
    for path in paths {
        if path.is_dir() {
            search(path, &mut found);
        } else {
            found.insert(path.clone(), stamp(path));
        }
    }
    found
}

/// Directories that cannot be read are reported by the check.
fn search(directory: &Path, found: &mut Stamps) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => search(&path, found),
            Ok(_) if Language::from_path(&path).is_some() => {
                let stamp = stamp(&path);
                found.insert(path, stamp);
            }
            Ok(_) | Err(_) => {}
        }
    }
}

fn stamp(path: &Path) -> Stamp {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), metadata.len()))
}
