//! The standard library, instrumented: a *shadow sysroot*, made once for each toolchain.
//!
//! Parts of the standard library are compiled into its `.rlib` files already: what happens when a
//! lock has to wait, for instance. Without instrumentation nothing of that is seen, and correct
//! programs seem to have races. Every object in these files carries the bitcode that it was made
//! of. The toolchain's own LLVM reads it, instruments it and makes new objects. Everything else of
//! the shadow are links to the toolchain.
//!
//! What fencepost carries for this is text: a program that calls LLVM, which the toolchain's
//! compiler compiles (`crates/fencepost-runtime/instrument`), and three programs that try whether
//! the result is any good. One has a race, which must be found. One is correct, and nothing may be
//! found. One waits for a condition and does not look again, which must be found if every schedule
//! is explored.
//!
//! The cache obeys the rules of [`crate::carried`]. A file there whose content cannot be known
//! beforehand is compared with the sum that was written when it was made.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, IsTerminal as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Instant;

use super::toolchain::{TARGET, Toolchain};
use super::{flags, tools};
use crate::carried;
use crate::output;

/// The libraries that have threads, locks and atomics, and those that handle what these protect.
const LIBRARIES: [&str; 7] = ["core", "alloc", "std", "std_detect", "panic_unwind", "hashbrown", "test"];
const INSTRUMENT: &str = include_str!("../../../../fencepost-runtime/instrument/main.rs");
const RACE: &str = include_str!("../../carried/std/race.rs");
const GOOD: &str = include_str!("../../carried/std/good.rs");
const HASTY: &str = include_str!("../../carried/std/hasty.rs");
/// The file with the sums of the others.
const SUMS: &str = "sums";
/// How some schedules are tried, and all.
const SOME: &[&str] = &["--schedule", "random", "--runs", "10"];
const ALL: &[&str] = &["--schedule", "all"];

/// The shadow of a toolchain: made now, if it is not there.
pub(super) fn shadow(toolchain: &Toolchain) -> Result<PathBuf, String> {
    let llvm = toolchain.llvm()?;
    let failed = |error: io::Error| format!("the instrumented standard library has no place: {error}");
    let mut hasher = DefaultHasher::new();
    (toolchain.version(), toolchain.sysroot(), INSTRUMENT, RACE, GOOD, HASTY, LIBRARIES).hash(&mut hasher);
    (flags::PASSES, flags::ATTRIBUTE, env!("FENCEPOST_RUNTIME_HASH")).hash(&mut hasher);
    let directory = carried::cache().map_err(failed)?.join(format!("std-{:016x}", hasher.finish()));
    if is_intact(&directory) {
        return Ok(directory);
    }
    // Who comes second finds what the first one has made.
    let _held = lock_beside(&directory).map_err(failed)?;
    if is_intact(&directory) {
        return Ok(directory);
    }
    let work = directory.with_extension(std::process::id().to_string());
    let _ = fs::remove_dir_all(&work);
    carried::own_directory(&work).map_err(failed)?;
    let made = Maker { toolchain, llvm: &llvm, work: &work }.make();
    let put = made.and_then(|()| {
        // What is there is not intact.
        let _ = fs::remove_dir_all(&directory);
        fs::rename(&work, &directory).map_err(failed)
    });
    let _ = fs::remove_dir_all(&work);
    put.map(|()| directory)
}

/// Waits until nobody else makes the same; the lock is held as long as the file is open.
fn lock_beside(directory: &Path) -> io::Result<File> {
    let file = File::options().create(true).truncate(false).write(true).open(directory.with_extension("lock"))?;
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive)?;
    Ok(file)
}

/// Where the libraries are in a sysroot.
pub(super) fn libraries(sysroot: &Path) -> PathBuf {
    sysroot.join("lib/rustlib").join(TARGET).join("lib")
}

/// Is the shadow ours, and as it was when it was made?
fn is_intact(directory: &Path) -> bool {
    let Ok(sums) = carried::read_own(&directory.join(SUMS)) else { return false };
    let Ok(sums) = String::from_utf8(sums) else { return false };
    let libraries = libraries(directory);
    let folders = libraries.ancestors().take_while(|folder| folder.starts_with(directory));
    let is_sound = |line: &str| {
        let Some((sum, name)) = line.split_once(' ') else { return false };
        carried::read_own(&libraries.join(name)).is_ok_and(|bytes| self::sum(&bytes) == sum)
    };
    folders.into_iter().all(carried::is_own_directory)
        && sums.lines().count() >= LIBRARIES.len()
        && sums.lines().all(is_sound)
}

fn sum(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Makes a shadow.
struct Maker<'a> {
    toolchain: &'a Toolchain,
    llvm: &'a Path,
    /// Where it is made.
    work: &'a Path,
}

/// A library and its objects, unpacked.
struct Unpacked {
    /// The copy that the new objects go into.
    archive: PathBuf,
    folder: PathBuf,
    objects: Vec<OsString>,
}

impl Maker<'_> {
    fn make(&self) -> Result<(), String> {
        let start = Instant::now();
        let release = self.toolchain.release();
        output::note(&format!(
            "fencepost: instrumenting the standard library of rustc {release}, once for this toolchain\n"
        ));
        let failed = |error: io::Error| format!("the instrumented standard library cannot be made: {error}");
        self.link().map_err(failed)?;
        let scratch = self.work.join("scratch");
        fs::create_dir(&scratch).map_err(failed)?;
        let instrument = scratch.join("instrument");
        fs::write(instrument.with_extension("rs"), INSTRUMENT).map_err(failed)?;
        let mut compiler = self.toolchain.compiler();
        compiler.args(["--edition", "2024", "-O", "-o"]).arg(&instrument).arg(instrument.with_extension("rs"));
        succeed(&mut compiler)?;
        let unpacked: Vec<Unpacked> =
            LIBRARIES.iter().map(|name| self.unpack(name, &scratch)).collect::<Result<_, String>>()?;
        self.instrument_all(&instrument, &unpacked)?;
        let mut sums = String::new();
        for Unpacked { archive, folder, objects } in &unpacked {
            succeed(archiver("r").arg(archive).args(objects).current_dir(folder))?;
            let bytes = fs::read(archive).map_err(failed)?;
            let name = archive.file_name().unwrap_or_default().to_string_lossy();
            let _ = writeln!(sums, "{} {name}", sum(&bytes));
        }
        self.try_out(&scratch)?;
        fs::remove_dir_all(&scratch).map_err(failed)?;
        fs::write(self.work.join(SUMS), sums).map_err(failed)?;
        output::note(&format!("fencepost: tried and kept, in {:.0} s\n", start.elapsed().as_secs_f64()));
        Ok(())
    }

    /// Links to all of the toolchain, but for the folders on the way to the libraries.
    fn link(&self) -> io::Result<()> {
        let (from, to) = (self.toolchain.sysroot(), self.work);
        for (folder, own) in [("lib", "rustlib"), ("lib/rustlib", TARGET), (&format!("lib/rustlib/{TARGET}"), "lib")] {
            carried::own_directory(&to.join(folder))?;
            for entry in fs::read_dir(from.join(folder))? {
                let entry = entry?;
                if entry.file_name() != own {
                    symlink(entry.path(), to.join(folder).join(entry.file_name()))?;
                }
            }
        }
        carried::own_directory(&libraries(to))?;
        for entry in fs::read_dir(libraries(from))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !LIBRARIES.iter().any(|library| is_library(&name, library)) {
                symlink(entry.path(), libraries(to).join(name))?;
            }
        }
        Ok(())
    }

    /// Copies a library and takes its objects out of it.
    fn unpack(&self, library: &str, scratch: &Path) -> Result<Unpacked, String> {
        let from = libraries(self.toolchain.sysroot());
        let failed = |error: io::Error| format!("`{}`: {error}", from.display());
        let names = fs::read_dir(&from).map_err(failed)?.flatten().map(|entry| entry.file_name());
        let name = names.into_iter().find(|name| is_library(&name.to_string_lossy(), library)).ok_or_else(|| {
            format!(
                "the toolchain has no lib{library} for {TARGET} in `{}`; `rustup target add {TARGET}` installs it",
                from.display()
            )
        })?;
        let (folder, archive) = (scratch.join(library), libraries(self.work).join(&name));
        fs::create_dir(&folder).map_err(failed)?;
        fs::copy(from.join(&name), &archive).map_err(failed)?;
        carried::make_own(&archive).map_err(failed)?;
        succeed(archiver("x").arg(&archive).current_dir(&folder))?;
        let objects = fs::read_dir(&folder).map_err(failed)?.flatten().map(|entry| entry.file_name());
        let mut objects: Vec<OsString> = objects.filter(|name| name.to_string_lossy().ends_with(".rcgu.o")).collect();
        objects.sort();
        Ok(Unpacked { archive, folder, objects })
    }

    /// Instruments every object, as many at a time as there are processors.
    fn instrument_all(&self, instrument: &Path, unpacked: &[Unpacked]) -> Result<(), String> {
        let version = self.toolchain.llvm_version()?;
        let all = unpacked.iter().flat_map(|library| library.objects.iter().map(|name| library.folder.join(name)));
        let queue: Mutex<VecDeque<PathBuf>> = Mutex::new(all.collect());
        let failure: Mutex<Option<String>> = Mutex::new(None);
        let progress = Progress::new(lock(&queue).len());
        let work = || {
            while lock(&failure).is_none()
                && let Some(object) = { lock(&queue).pop_front() }
            {
                let mut command = Command::new(instrument);
                command.arg(self.llvm).arg(version).arg(flags::PASSES.join(",")).arg(flags::ATTRIBUTE);
                match succeed(command.arg("--").arg(&object)) {
                    Ok(()) => progress.step(),
                    Err(message) => drop(lock(&failure).get_or_insert(message)),
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(work);
            }
        });
        progress.end();
        match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some(message) => Err(format!(
                "the standard library of this toolchain cannot be instrumented: {message}\n{}",
                super::PREBUILT
            )),
        }
    }

    /// Is the result any good?
    fn try_out(&self, scratch: &Path) -> Result<(), String> {
        let tools = tools::install(scratch).map_err(|error| format!("`{}`: {error}", scratch.display()))?;
        for (name, source, schedules, expected) in
            [("race", RACE, SOME, 66), ("good", GOOD, SOME, 0), ("hasty", HASTY, ALL, 66)]
        {
            let program = scratch.join(name);
            let file = program.with_extension("rs");
            fs::write(&file, source).map_err(|error| format!("`{}`: {error}", file.display()))?;
            let mut compiler = self.toolchain.compiler();
            compiler.args(["--edition", "2024", "--target", TARGET]).args(flags::all(Some(self.work), &tools));
            // References to mutable statics are what the program is about.
            compiler.args(["-Cdebuginfo=1", "-Astatic_mut_refs", "-o"]).arg(&program).arg(&file);
            succeed(&mut compiler)?;
            let ours = std::env::current_exe().map_err(|error| error.to_string())?;
            let mut run = Command::new(ours);
            run.arg("run").args(schedules).arg("--").arg(&program).current_dir(scratch);
            run.env_remove(fencepost_protocol::door::name(fencepost_protocol::door::OPTIONS));
            let output = run.output().map_err(|error| error.to_string())?;
            if output.status.code() != Some(expected) {
                let found =
                    if expected == 0 { "what is no fault was reported" } else { "a known mistake was not found" };
                let text = String::from_utf8_lossy(&output.stderr);
                return Err(format!(
                    "the instrumented standard library was tried, and {found} ({}). This is a bug in fencepost, or this \
                     toolchain is too new.\n{}\n{text}",
                    output.status,
                    super::PREBUILT
                ));
            }
        }
        Ok(())
    }
}

/// `libstd-0123456789abcdef.rlib` is `std`, and `libstd_detect-….rlib` is not.
fn is_library(file: &str, library: &str) -> bool {
    let rest = file.strip_prefix("lib").and_then(|rest| rest.strip_prefix(library));
    rest.is_some_and(|rest| rest.starts_with('-') && rest.ends_with(".rlib"))
}

fn archiver(operation: &str) -> Command {
    let mut command = Command::new("ar");
    command.arg(operation);
    command
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a command of which only a failure is interesting.
fn succeed(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_os_string();
    let output = command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if program == OsStr::new("ar") => {
            "`ar` is needed to take the standard library apart: install binutils".to_string()
        }
        _ => format!("cannot run `{}`: {error}", program.to_string_lossy()),
    })?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim_end().to_string()),
    }
}

/// How far the work has got, on a terminal.
struct Progress {
    all: usize,
    done: Mutex<usize>,
    wanted: bool,
}

impl Progress {
    fn new(all: usize) -> Progress {
        Progress { all, done: Mutex::new(0), wanted: io::stderr().is_terminal() }
    }

    fn step(&self) {
        let mut done = lock(&self.done);
        *done += 1;
        if self.wanted {
            output::note(&format!("\r\x1b[K  {done} of {} objects", self.all));
        }
    }

    fn end(&self) {
        if self.wanted {
            output::note("\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_by_their_files() {
        assert!(is_library("libstd-0123456789abcdef.rlib", "std"));
        assert!(!is_library("libstd_detect-0123456789abcdef.rlib", "std"));
        assert!(!is_library("libstd-0123456789abcdef.rmeta", "std"));
    }

    #[test]
    fn what_is_not_there_is_not_intact() {
        assert!(!is_intact(Path::new("/nowhere/at/all")));
    }
}
