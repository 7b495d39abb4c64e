//! `cargo xtask bench sanitizer`: what watching a program costs. Each program of a suite, compiled
//! four ways, one after the other, again and again; the figure in the middle counts.

mod plot;
mod raw;
mod suite;
mod table;

use std::path::{Path, PathBuf};
use std::time::Duration;

use raw::{Outcome, Raw, Row, Run};
use suite::{Kind, PROGRAMS, Program};

use super::machine::Machine;
use super::{kept, process, text};
use crate::compilers::{Build, Compilers};

/// Where the programs are built.
const DIR: &str = "target/bench/sanitizer";
/// A run that takes longer has failed.
const LIMIT: Duration = Duration::from_secs(600);

/// What was asked for on the command line.
struct Options {
    runs: usize,
    fresh: bool,
    /// Parts of names of programs; none means all.
    names: Vec<String>,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Options { runs: 5, fresh: false, names: Vec::new() };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--runs" => {
                    let number = arguments.next().and_then(|value| value.parse().ok()).filter(|runs| *runs > 0);
                    options.runs = number.ok_or("--runs needs a number")?;
                }
                "--fresh" => options.fresh = true,
                flag if flag.starts_with('-') => return Err(format!("unknown option `{flag}`")),
                name => options.names.push(name.to_string()),
            }
        }
        Ok(options)
    }

    fn selects(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|part| name.contains(part.as_str()))
    }
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let options = Options::parse(arguments)?;
    let path = path();
    std::fs::create_dir_all(DIR).map_err(|error| format!("{DIR}: {error}"))?;
    let compilers = Compilers::find()?;
    let mut raw = Raw {
        machine: Machine::this(&[(&compilers.names[0], "--version")]),
        notes: compilers.notes.clone(),
        rows: Vec::new(),
    };
    if let Some(earlier) = kept::load::<Raw>(&path)? {
        raw.rows = earlier.rows;
        if options.fresh {
            raw.rows.retain(|row| !options.selects(&row.program));
        }
    }
    println!("{}", raw.machine.describe());
    println!("{}", table::progress_header());
    for program in PROGRAMS.iter().filter(|program| options.selects(program.name)) {
        if let Err(reason) = measure_program(&compilers, program, options.runs, &mut raw, &path) {
            // One program that cannot be had must not end the measuring; but it must be seen.
            println!("{}: {reason}", program.name);
            raw.notes.push(format!("Without {}: {reason}", program.name));
            kept::save(&raw, &path)?;
        }
    }
    report()?;
    let failures: Vec<String> = raw.failures().collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// Table and plots from what was measured.
pub(crate) fn report() -> Result<(), String> {
    let Some(raw) = kept::load::<Raw>(&path())? else { return Ok(()) };
    text::insert_in_page("sanitizer", &table::render(&raw))?;
    plot::draw_all(&raw, Path::new("docs/plots"))?;
    println!("docs/benchmarks.md and docs/plots are up to date with {}", path().display());
    Ok(())
}

fn path() -> PathBuf {
    PathBuf::from("target/bench/sanitizer.json")
}

/// Measures what has not been measured yet of a program.
fn measure_program(
    compilers: &Compilers,
    program: &Program,
    runs: usize,
    raw: &mut Raw,
    path: &Path,
) -> Result<(), String> {
    let sources = program.sources()?;
    let missing: Vec<&[u64]> =
        program.arguments.iter().copied().filter(|arguments| raw.row(program.name, arguments).is_none()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let built: Vec<(Build, Result<PathBuf, String>)> = compilers
        .builds()
        .map(|build| {
            let output = Path::new(DIR).join(format!("{}.{}", program.name, build.name()));
            (build, compilers.compile(build, &sources, &output).map(|()| output))
        })
        .collect();
    for arguments in missing {
        let outcomes = side_by_side(compilers, &built, arguments, runs);
        let row = Row {
            program: program.name.to_string(),
            arguments: arguments.to_vec(),
            in_suite: program.kind == Kind::Suite,
            runs,
            outcomes,
        };
        println!("{}", table::progress(&row));
        raw.rows.push(row);
        kept::save(raw, path)?;
    }
    Ok(())
}

/// Every build in turn, so that what else the machine does falls on all of them.
fn side_by_side(
    compilers: &Compilers,
    built: &[(Build, Result<PathBuf, String>)],
    arguments: &[u64],
    runs: usize,
) -> Vec<(Build, Outcome)> {
    let mut figures: Vec<(Build, Result<Vec<Run>, String>)> =
        built.iter().map(|(build, path)| (*build, path.clone().map(|_| Vec::new()))).collect();
    for _ in 0..runs {
        for ((build, path), (_, figures)) in built.iter().zip(&mut figures) {
            if let (Ok(path), Ok(so_far)) = (path, figures.as_mut()) {
                match run_once(compilers, *build, path, arguments) {
                    Ok(run) => so_far.push(run),
                    Err(reason) => *figures = Err(reason),
                }
            }
        }
    }
    let outcome = |figures: Result<Vec<Run>, String>| match figures {
        Ok(runs) => Outcome::Done(Run::middle(&runs)),
        Err(reason) => Outcome::Failed(reason),
    };
    figures.into_iter().map(|(build, figures)| (build, outcome(figures))).collect()
}

fn run_once(compilers: &Compilers, build: Build, program: &Path, arguments: &[u64]) -> Result<Run, String> {
    let mut command = compilers.start(build, program);
    command.args(arguments.iter().map(u64::to_string));
    let finished = process::run(command, LIMIT)?;
    if !finished.status.success() {
        let first: Vec<&str> = finished.complaint.lines().take(3).collect();
        return Err(format!("{}: {}", finished.status, first.join(" ")));
    }
    Ok(Run {
        wall: finished.time.as_secs_f64(),
        user: finished.user,
        bytes: finished.bytes,
        reports: finished.complaint.matches("WARNING:").count() as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let parse = |text: &str| Options::parse(&text.split_whitespace().map(str::to_string).collect::<Vec<_>>());
        let options = parse("lock --runs 3 --fresh").expect("all of it is known");
        assert_eq!((options.runs, options.fresh), (3, true));
        assert!(options.selects("mcs_lock") && !options.selects("matrix"));
        for wrong in ["--runs", "--runs 0", "--faster"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
