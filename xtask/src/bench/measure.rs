//! One tool on one question, in a process of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::process::{self, Finished};
use super::raw::{Decision, Key, Limits, Run};
use crate::files;
use crate::spin::runner::{self, SpinVerdict};

/// Runs shorter than this, in seconds, are repeated.
const SHORT: f64 = 0.5;
/// How often.
const REPETITIONS: usize = 5;

/// The tools that are there.
pub(crate) struct Tools {
    fencepost: PathBuf,
    /// Does `fencepost check` know `--jobs`?
    pub(crate) jobs: bool,
    /// Is there a way to ask SPIN?
    pub(crate) spin: bool,
}

impl Tools {
    /// Builds ours, and looks for the others.
    pub(crate) fn find() -> Result<Self, String> {
        Self::at(files::fencepost()?)
    }

    /// The same with the fencepost that is there.
    pub(crate) fn at(fencepost: PathBuf) -> Result<Self, String> {
        let help = Command::new(&fencepost).args(["check", "--help"]).output();
        let help = help.map_err(|error| format!("{}: {error}", fencepost.display()))?;
        let jobs = String::from_utf8_lossy(&help.stdout).contains("--jobs");
        let spin = runner::installed();
        if let Err(reason) = &spin {
            println!("without SPIN: {reason}");
        }
        Ok(Tools { fencepost, jobs, spin: spin.is_ok() })
    }

    /// `fencepost check` on a program, with `jobs` cores. A short run is repeated, and the one in
    /// the middle counts: a few milliseconds are easily doubled by something else that the machine
    /// does.
    pub(crate) fn fencepost(&self, file: &Path, key: &Key, jobs: usize, limits: &Limits) -> Result<Run, String> {
        let mut runs = vec![self.fencepost_once(file, key, jobs, limits)?];
        while runs[0].total < SHORT && runs.len() < REPETITIONS {
            runs.push(self.fencepost_once(file, key, jobs, limits)?);
        }
        runs.sort_by(|one, other| one.total.total_cmp(&other.total));
        Ok(runs.swap_remove(runs.len() / 2))
    }

    /// The same, once.
    pub(crate) fn fencepost_once(&self, file: &Path, key: &Key, jobs: usize, limits: &Limits) -> Result<Run, String> {
        let mut command = Command::new(&self.fencepost);
        command.arg("check").arg(file).args(["--model", &key.model, "--format", "json", "--no-progress"]);
        command.arg(format!("--timeout={}s", limits.seconds)).arg(format!("--memory={}GiB", limits.gibibytes));
        if key.observational {
            command.arg("--observational");
        }
        if self.jobs {
            command.arg(format!("--jobs={jobs}"));
        }
        let Finished { output, time, bytes, .. } = run(command)?;
        let report: serde_json::Value =
            serde_json::from_str(&output).map_err(|error| format!("{}: {error}: {output}", file.display()))?;
        let stats = &report["stats"];
        let decision = match report["verdict"].as_str() {
            Some("robust") => Decision::Holds,
            Some("violation") => Decision::Violated,
            Some("unknown") => Decision::Undecided(report["reason"].as_str().unwrap_or_default().to_string()),
            _ => return Err(format!("{}: no verdict: {output}", file.display())),
        };
        Ok(Run {
            decision,
            total: time.as_secs_f64(),
            export: 0.0,
            translate: 0.0,
            compile: 0.0,
            search: stats["time_ms"].as_f64().unwrap_or_default() / 1e3,
            states: stats["states"].as_u64().unwrap_or_default(),
            transitions: stats["transitions"].as_u64().unwrap_or_default(),
            bytes: bytes.max(stats["peak_bytes"].as_u64().unwrap_or_default()),
        })
    }

    /// SPIN on what `fencepost export` makes of a program.
    pub(crate) fn spin(&self, file: &Path, key: &Key, limits: &Limits) -> Result<Run, String> {
        let mut command = Command::new(&self.fencepost);
        command.arg("export").arg(file).args(["--to", "promela", "--model", &key.model]);
        if key.observational {
            command.arg("--observational");
        }
        let exported = run(command)?;
        let limits =
            runner::Limits { time: Duration::from_secs(limits.seconds), bytes: limits.gibibytes << 30, is_long: true };
        let run = runner::run(&exported.output, &limits)?;
        let seconds = |time: Duration| time.as_secs_f64();
        Ok(Run {
            decision: match run.verdict {
                SpinVerdict::Holds => Decision::Holds,
                SpinVerdict::Violated => Decision::Violated,
                SpinVerdict::Incomplete(reason) => Decision::Undecided(reason),
            },
            total: seconds(exported.time + run.translate + run.compile + run.run),
            export: seconds(exported.time),
            translate: seconds(run.translate),
            compile: seconds(run.compile),
            search: seconds(run.run),
            states: run.states,
            transitions: run.transitions,
            bytes: run.bytes,
        })
    }
}

/// Runs a command to its end; an exit status that means bad usage, a bad file or a bug is an error.
fn run(command: Command) -> Result<Finished, String> {
    let described = format!("{command:?}");
    // The tools keep to their limits themselves.
    let finished = process::run(command, Duration::MAX)?;
    match finished.status.code() {
        Some(0 | 1 | 3) => Ok(finished),
        _ => Err(format!("{described}: {}: {}", finished.status, finished.complaint.trim())),
    }
}
