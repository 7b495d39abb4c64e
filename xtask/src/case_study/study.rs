//! One library under a stress client: what is found, how soon, and what is left after repairing a
//! copy.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Options;
use super::hunt::{Found, Hunt};
use super::repair::{Repair, Rewrites};
use crate::bench::process;
use crate::bench::text::seconds;
use crate::compilers::{Build, Compilers, Sources};

/// Rounds of repairing.
const ROUNDS: usize = 12;
/// Repetitions when the cost is measured.
const REPETITIONS: usize = 5;

/// What a study needs.
pub(crate) struct Study {
    pub(crate) name: &'static str,
    /// Where a copy of the library's sources is, and the only place where anything is changed.
    pub(crate) copy: PathBuf,
    /// The client with the copy.
    pub(crate) sources: Sources,
    /// Arguments of the client for finding violations, and for measuring.
    pub(crate) arguments: [&'static [u64]; 2],
    /// What to find, and the schedules to find it under.
    pub(crate) schedules: &'static [&'static str],
    pub(crate) runs: u64,
    pub(crate) rewrites: Rewrites,
}

impl Study {
    pub(crate) fn run(&self, compilers: &Compilers, options: &Options) -> Result<(), String> {
        let runs = options.runs.unwrap_or(self.runs);
        let program = self.build(compilers, Build::Full, "before")?;
        let native = self.build(compilers, Build::Native, "before")?;
        println!(
            "| schedule | first violation in run | runs | violations | races | accesses | fences | locations | time |"
        );
        println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
        let (mut all, mut races) = (Vec::new(), BTreeSet::new());
        for schedule in self.schedules {
            let first = self.hunt(compilers, &program, schedule, runs, true)?;
            let found = self.hunt(compilers, &program, schedule, runs, false)?;
            let first = if first.violations.is_empty() { "–".to_string() } else { first.runs.to_string() };
            println!("| {schedule} | {first} | {} |", figures(&found));
            all.extend(found.violations);
            races.extend(found.races);
        }
        all.sort();
        all.dedup_by(|one, other| one.title == other.title);
        for violation in &all {
            println!("- {}", violation.title);
            for edit in &violation.suggestion {
                println!("  - {}", edit.describe());
            }
        }
        for race in races {
            println!("- race: {race}");
        }
        if !all.is_empty() {
            self.repair(compilers, &native, runs)?;
        }
        Ok(())
    }

    /// Strengthens what is reported until nothing is, or nothing can be done.
    fn repair(&self, compilers: &Compilers, before: &Path, runs: u64) -> Result<(), String> {
        let mut repair = Repair::new(&self.copy, self.rewrites)?;
        for round in 1..=ROUNDS {
            let program = self.build(compilers, Build::Full, "after")?;
            let mut violations = Vec::new();
            for schedule in self.schedules {
                violations.extend(self.hunt(compilers, &program, schedule, runs, false)?.violations);
            }
            violations.sort();
            violations.dedup_by(|one, other| one.title == other.title);
            println!("round {round}: {} violations, {} lines changed so far", violations.len(), repair.changed());
            if violations.is_empty() {
                break;
            }
            if !repair.apply(&violations)? {
                println!("left, because no line of theirs can be strengthened further:");
                violations.iter().for_each(|violation| println!("- {}", violation.title));
                break;
            }
        }
        for line in repair.lines() {
            println!("- changed: {line}");
        }
        let after = self.build(compilers, Build::Native, "after")?;
        let [before, after] = [before, &after].map(|program| self.time(compilers, program));
        let (before, after) = (before?, after?);
        println!("native: {} before, {} after: {:.2} times", seconds(before), seconds(after), after / before);
        Ok(())
    }

    fn build(&self, compilers: &Compilers, build: Build, version: &str) -> Result<PathBuf, String> {
        let output = self.copy.with_extension(format!("{}-{version}", build.name()));
        compilers.compile(build, &self.sources, &output)?;
        Ok(output)
    }

    fn hunt(
        &self,
        compilers: &Compilers,
        program: &Path,
        schedule: &str,
        runs: u64,
        halt: bool,
    ) -> Result<Found, String> {
        let arguments = self.arguments[0];
        Hunt { fencepost: &compilers.fencepost, schedule, program, arguments, runs, halt, races: !halt }
            .run()
            .map_err(|error| format!("{}: {error}", self.name))
    }

    /// The middle of several runs, in seconds.
    fn time(&self, compilers: &Compilers, program: &Path) -> Result<f64, String> {
        let mut times = Vec::new();
        for _ in 0..REPETITIONS {
            let mut command = compilers.start(Build::Native, program);
            command.args(self.arguments[1].iter().map(u64::to_string));
            let finished = process::run(command, std::time::Duration::MAX)?;
            if !finished.status.success() {
                return Err(format!("{}: {}", program.display(), finished.complaint.trim()));
            }
            times.push(finished.time.as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        Ok(times[REPETITIONS / 2])
    }
}

fn figures(found: &Found) -> String {
    let Found { runs, violations, races, accesses, fences, locations, seconds: time } = found;
    let mut titles: Vec<&str> = violations.iter().map(|violation| violation.title.as_str()).collect();
    titles.dedup();
    let cells = [*runs, titles.len() as u64, races.len() as u64, *accesses, *fences, *locations];
    format!("{} | {}", cells.map(|cell| cell.to_string()).join(" | "), seconds(*time))
}

/// Copies a folder of sources afresh.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("{}: {error}", to.display());
    if to.exists() {
        std::fs::remove_dir_all(to).map_err(fail)?;
    }
    copy_into(from, to).map_err(fail)
}

fn copy_into(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        let Some(name) = path.file_name() else { continue };
        if path.is_dir() {
            copy_into(&path, &to.join(name))?;
        } else {
            // Not `fs::copy`: what is installed may be read-only.
            std::fs::write(to.join(name), std::fs::read(&path)?)?;
        }
    }
    Ok(())
}
