//! What cargo runs test programs, doctests, benchmarks and programs with.
//!
//! A runner ends as the program does that it has watched, so cargo goes on as it always does. What
//! was found is written to a folder, for the report over all programs.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use object::{Object as _, ObjectSymbol as _};
use serde_json::json;

use super::tools::{BUILT, FOLDER, OPTIONS, PRIVATE, REPORTS};
use super::{SEPARATOR, parse, tests};
use crate::args::{CargoOptions, ReportFormat, RunArgs, Who};
use crate::commands::run::{self, Manner, Watched};
use crate::exit::Exit;
use crate::output::{self, Output};
use crate::project;

/// Runs of a doctest: it is short, and there are many.
const OF_A_DOCTEST: u64 = 6;
/// Provoked runs of each report in one.
const PROVOKED: u64 = 6;
/// How long a program of a test suite is tried, if nobody says.
const TIME: Duration = Duration::from_secs(10);
/// How long every schedule of a test is looked for, if nobody says.
const TIME_OF_A_TEST: Duration = Duration::from_secs(60);

pub(super) fn run(words: Vec<OsString>, output: &mut Output) -> io::Result<Exit> {
    let Some(reports) = env::var_os(REPORTS).filter(|_| !words.is_empty()).map(PathBuf::from) else {
        output::note("fencepost: error: this runs what `cargo fencepost` has built; cargo calls it\n");
        return Ok(Exit::Error);
    };
    let given = env::var(OPTIONS).unwrap_or_default();
    let given: Vec<OsString> = given.split(SEPARATOR).filter(|word| !word.is_empty()).map(OsString::from).collect();
    let options = match parse(&given, &words) {
        Ok(options) => options,
        Err(message) => return Ok(output::usage(&message)),
    };
    if let Err(message) = project::load_for_package(env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).as_deref()) {
        output::note(&message);
        return Ok(Exit::Error);
    }
    let program = Program::new(&words);
    if program.is_for_host() || program.only_answers() {
        let status = program.command(&words[1..]).status()?;
        return Ok(Exit::of(status));
    }
    let mut exit = Exit::Other(0);
    let explored = match program.explored(&options) {
        Ok(explored) => explored,
        Err(message) => {
            output::note(&format!("fencepost: error: {}: {message}\n", program.name));
            return Ok(Exit::Error);
        }
    };
    if explored.has_others {
        let mut options = options.clone();
        program.choose(&mut options);
        exit = program.watch(options, None, &reports, output)?;
    }
    for test in &explored.tests {
        let mut options = options.clone();
        program.explore(&mut options.run, test);
        let ended = program.watch(options, Some(test), &reports, output)?;
        exit = if exit == Exit::Other(0) { ended } else { exit };
    }
    Ok(exit)
}

/// What is to be done with the tests of a program.
struct Explored {
    /// Tests of which every schedule is looked for.
    tests: Vec<String>,
    /// There is something else to be run.
    has_others: bool,
}

/// A program, and what is known about it.
struct Program {
    words: Vec<OsString>,
    path: PathBuf,
    /// As people know it: `queue: stress`.
    name: String,
    is_doctest: bool,
    /// It is one of the tests of libtest.
    has_tests: bool,
    /// Some of them may be marked to be explored.
    may_be_marked: bool,
}

impl Program {
    fn new(words: &[OsString]) -> Program {
        let path = std::path::absolute(&words[0]).unwrap_or_else(|_| PathBuf::from(&words[0]));
        let is_doctest = path.components().any(|part| part.as_os_str().to_string_lossy().starts_with("rustdoctest"));
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let part = if is_doctest { "doctest" } else { without_hash(&stem) };
        let package = env::var("CARGO_PKG_NAME").unwrap_or_default();
        let name = if package.is_empty() || package == part { part.into() } else { format!("{package}: {part}") };
        let Symbols { has_libtest, may_be_marked } = Symbols::of(&path);
        let has_tests = !is_doctest && has_libtest;
        Program { words: words.to_vec(), path, name, is_doctest, has_tests, may_be_marked }
    }

    /// A command that runs it as if we were not there.
    fn command(&self, arguments: &[OsString]) -> Command {
        let mut command = Command::new(&self.path);
        for name in PRIVATE {
            command.env_remove(name);
        }
        command.args(arguments);
        command
    }

    /// Is it one of what runs while others are built? The tests of a procedural macro are.
    fn is_for_host(&self) -> bool {
        let built = env::var_os(BUILT).map(PathBuf::from);
        !self.is_doctest && built.is_some_and(|built| !self.path.starts_with(built))
    }

    /// Is it only asked what tests it has?
    fn only_answers(&self) -> bool {
        self.has_tests && self.words.iter().any(|word| word == "--list" || word == "--help" || word == "-h")
    }

    /// Which of its tests are explored.
    fn explored(&self, options: &CargoOptions) -> Result<Explored, String> {
        let is_all = options.run.schedule == Some(Who::All);
        if !self.has_tests || !is_all && !self.may_be_marked {
            return Ok(Explored { tests: Vec::new(), has_others: true });
        }
        let words = &self.words[1..];
        let mut tests = tests::chosen(|words| self.command(words), words)?;
        let all = tests.len();
        if !is_all {
            tests = tests::marked(self.command(words), &self.path, &tests);
        }
        Ok(Explored { has_others: !is_all && tests.len() < all.max(1), tests })
    }

    /// What is asked for where every schedule of a test is looked for.
    fn explore(&self, run: &mut RunArgs, test: &str) {
        run.program = std::iter::once(self.words[0].clone()).chain(tests::only(test)).collect();
        if run.schedule != Some(Who::All) {
            // It is for the other tests.
            (run.runs, run.seeds, run.time) = (None, None, None);
            (run.provoke, run.provoke_at, run.decisions) = (None, None, None);
        }
        (run.schedule, run.in_test) = (Some(Who::All), true);
        run.timeout.get_or_insert(TIME_OF_A_TEST);
    }

    /// What is not said is chosen by what it is.
    fn choose(&self, options: &mut CargoOptions) {
        let run = &mut options.run;
        if run.schedule == Some(Who::All) {
            run.timeout.get_or_insert(TIME_OF_A_TEST);
            return;
        }
        // They are for tests that are explored.
        (run.jobs, run.timeout, run.max_runs, run.spins, run.preemptions) = (None, None, None, None, None);
        // Several tests at a time make schedules of what has nothing to do with each other, and the
        // library then looks after them with a clock.
        let is_threads = |word: &OsString| word.to_string_lossy().starts_with("--test-threads");
        if self.has_tests && env::var_os("RUST_TEST_THREADS").is_none() && !self.words.iter().any(is_threads) {
            run.program.push("--test-threads=1".into());
        }
        let is_said = run.schedule.is_some() || run.decisions.is_some() || run.runs.is_some() || run.seeds.is_some();
        if !is_said && run.time.is_none() {
            match self.is_doctest {
                true => run.runs = Some(OF_A_DOCTEST),
                false => run.time = Some(project::get().time.unwrap_or(TIME)),
            }
        }
        if self.is_doctest && run.provoke_at.is_none() {
            run.provoke.get_or_insert(PROVOKED);
        }
    }

    /// Watches it, and writes what was found to a new file.
    fn watch(
        &self,
        mut options: CargoOptions,
        test: Option<&str>,
        reports: &Path,
        output: &mut Output,
    ) -> io::Result<Exit> {
        if let Some(test) = test {
            output::note(&format!("fencepost: {}, every schedule of {test}:\n", self.name));
        }
        let (file, copy) = new_file(reports)?;
        // All that is for a file comes together in the end.
        if options.run.told.output.take().is_some() || options.run.told.format != ReportFormat::Human {
            options.run.told.output = Some(file.with_extension("text"));
        }
        let folder = env::var_os(FOLDER).map(PathBuf::from);
        let manner = Manner { copy: Some(copy), is_brief: true, folder, is_part: true };
        let watched = run::watch(&options.run, manner, output)?;
        let Watched { exit, is_unobserved, is_found, is_undecided, reports, own, runs, exploration } = watched;
        let mut end = json!({
            "program": self.name,
            "ended": exit.code(),
            "found": is_found,
            "unobserved": is_unobserved,
            "undecided": is_undecided,
            "reports": reports,
            "own": own,
            "runs": runs,
        });
        if let Some(test) = test {
            end["test"] = test.into();
        }
        if let Some(exploration) = exploration {
            let bugs: Vec<&String> = exploration.bugs.iter().map(|(bug, _)| bug).collect();
            end["verdict"] = exploration.verdict.into();
            end["executions"] = exploration.executions.into();
            end["seconds"] = exploration.seconds.into();
            end["why"] = if bugs.is_empty() { json!(exploration.why) } else { json!(bugs) };
        }
        fs::write(file.with_extension("end"), end.to_string())?;
        Ok(exit)
    }
}

/// `stress-0123456789abcdef` without what cargo has added.
fn without_hash(stem: &str) -> &str {
    match stem.rsplit_once('-') {
        Some((name, hash)) if hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => name,
        _ => stem,
    }
}

/// What its symbols say about a program.
#[derive(Default)]
struct Symbols {
    /// Libtest has made it.
    has_libtest: bool,
    /// It has tests that may be marked.
    may_be_marked: bool,
}

impl Symbols {
    fn of(path: &Path) -> Symbols {
        let mut symbols = Symbols::default();
        let Ok(bytes) = fs::read(path) else { return symbols };
        let Ok(file) = object::File::parse(&*bytes) else { return symbols };
        for name in file.symbols().filter_map(|symbol| symbol.name().ok()) {
            symbols.has_libtest |= name.contains("4test") && name.contains("16test_main_static");
            symbols.may_be_marked |= tests::may_be_marked(name);
        }
        symbols
    }
}

/// A file in a folder that nobody else has.
fn new_file(folder: &Path) -> io::Result<(PathBuf, File)> {
    for number in 0_u32.. {
        let path = folder.join(format!("{number:06}.json"));
        match File::create_new(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod names {
    use super::*;

    #[test]
    fn names_of_test_programs() {
        assert_eq!(without_hash("stress-0123456789abcdef"), "stress");
        assert_eq!(without_hash("my-program"), "my-program");
        assert_eq!(without_hash("main"), "main");
    }
}
