//! Where large searches leave what they find: a directory for what does not fit into memory, and one
//! for how far they are.
//!
//! There is one command in a process, so there is one storage. It is opened before the first search,
//! and closed after the last one.

mod command;
mod directory;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use fencepost_verdict::{Disk, Reason};

use crate::args::ScaleArgs;
use crate::input::{Input, InputError};
use command::{Command, Programs};
use directory::{Directory, Lasting, Scratch};

/// What is open, if anything.
static STORAGE: OnceLock<Storage> = OnceLock::new();
/// The checkpoint that is gone on from, if any.
static RESUMED: OnceLock<(Lasting, Command)> = OnceLock::new();
/// Has a limit kept a question from being answered, so that it is worth going on later?
static UNDECIDED: AtomicBool = AtomicBool::new(false);

struct Storage {
    directory: Directory,
    spill: bool,
    checkpoint: Option<Every>,
}

/// When it is time for the next notes.
struct Every {
    interval: Duration,
    last: Mutex<Instant>,
}

impl Every {
    fn is_due(&self) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = last.elapsed() >= self.interval;
        if is_due {
            *last = Instant::now();
        }
        is_due
    }
}

/// Opens what a command about these inputs asks for. An error is what to tell the user.
pub(crate) fn open<'i>(
    scale: &ScaleArgs,
    inputs: impl IntoIterator<Item = &'i Result<Input, InputError>>,
) -> Result<(), String> {
    let lasting = match &scale.checkpoint {
        None => None,
        Some(_) if RESUMED.get().is_some() => {
            let (lasting, command) = RESUMED.get().expect("it was read");
            command.is_about(&Programs::of(inputs)?)?;
            Some(lasting.clone())
        }
        Some(path) => {
            let lasting = Lasting::new(path)?;
            Command::of_this_process(Programs::of(inputs)?)?.write(&lasting)?;
            Some(lasting)
        }
    };
    let scratch = scale.disk.as_ref().map(|space| Scratch::new(&space.directory)).transpose()?;
    if scratch.is_none() && lasting.is_none() {
        return Ok(());
    }
    let most = scale.disk.as_ref().and_then(|space| space.bytes);
    let checkpoint = lasting.is_some().then(|| {
        let (interval, last) = (scale.checkpoint_every, Mutex::new(Instant::now()));
        Every { interval, last }
    });
    let directory = Directory::new(scratch, lasting, most)?;
    STORAGE.get_or_init(|| Storage { directory, spill: scale.disk.is_some(), checkpoint });
    Ok(())
}

/// The disk that searches may use.
pub(crate) fn disk() -> Option<Disk<'static>> {
    let Storage { directory, spill, checkpoint } = STORAGE.get()?;
    let is_due: &'static (dyn Fn() -> bool + Sync) =
        &|| STORAGE.get().and_then(|storage| storage.checkpoint.as_ref()).is_some_and(Every::is_due);
    Some(Disk { files: directory, spill: *spill, checkpoint: checkpoint.as_ref().map(|_| is_due) })
}

/// A question was not answered, for these reasons.
pub(crate) fn undecided<'r>(reasons: impl IntoIterator<Item = &'r Reason>) {
    let can_go_on =
        |reason: &Reason| matches!(reason, Reason::Time | Reason::Interrupted | Reason::Memory(_) | Reason::Disk(_));
    if reasons.into_iter().any(can_go_on) {
        UNDECIDED.store(true, Ordering::Relaxed);
    }
}

/// Removes the files, if nobody can need them any more; what to tell the user otherwise.
pub(crate) fn close() -> Option<String> {
    let storage = STORAGE.get()?;
    storage.directory.remove_scratch();
    let lasting = storage.directory.lasting()?;
    if UNDECIDED.load(Ordering::Relaxed) {
        return Some(format!("note: `fencepost resume {}` goes on from here\n", lasting.name().display()));
    }
    lasting.remove();
    None
}

/// Reads the checkpoint in a directory and puts the process where the command was started; the
/// arguments of the command. An error is what to tell the user.
pub(crate) fn resume(path: &Path) -> Result<Vec<String>, String> {
    let lasting = Lasting::existing(path)?;
    let command = Command::read(&lasting)?;
    std::env::set_current_dir(&command.directory)
        .map_err(|error| format!("cannot go to `{}`: {error}", command.directory))?;
    command.is_possible_here()?;
    let arguments = command.arguments.clone();
    RESUMED.get_or_init(|| (lasting, command));
    Ok(arguments)
}

/// A path that stays the same wherever the process goes.
fn absolute(path: &Path) -> Result<PathBuf, String> {
    fs::canonicalize(path).map_err(|error| format!("cannot use `{}`: {error}", path.display()))
}
