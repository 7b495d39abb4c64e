//! One tool on one question, in a process of its own.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::raw::{Decision, Key, Limits, Run};
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
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        let built = Command::new(cargo).args(["build", "--release", "--quiet", "--package", "fencepost"]).status();
        if !built.map_err(|error| error.to_string())?.success() {
            return Err("fencepost does not build".into());
        }
        // Next to this program, wherever the build directory is.
        let own = std::env::current_exe().map_err(|error| error.to_string())?;
        let fencepost = own.with_file_name("fencepost").with_extension(std::env::consts::EXE_EXTENSION);
        let help = Command::new(&fencepost).args(["check", "--help"]).output();
        let help = help.map_err(|error| format!("{}: {error}", fencepost.display()))?;
        let jobs = String::from_utf8_lossy(&help.stdout).contains("--jobs");
        let spin = runner::installed();
        if let Err(reason) = &spin {
            println!("without SPIN: {reason}");
        }
        Ok(Tools { fencepost, jobs, spin: spin.is_ok() })
    }

    /// `fencepost check` on a program, with `jobs` cores. A short run is repeated, and the one in the middle counts:
    /// a few milliseconds are easily doubled by something else that the machine does.
    pub(crate) fn fencepost(&self, file: &Path, key: &Key, jobs: usize, limits: &Limits) -> Result<Run, String> {
        let mut runs = vec![self.fencepost_once(file, key, jobs, limits)?];
        while runs[0].total < SHORT && runs.len() < REPETITIONS {
            runs.push(self.fencepost_once(file, key, jobs, limits)?);
        }
        runs.sort_by(|one, other| one.total.total_cmp(&other.total));
        Ok(runs.swap_remove(runs.len() / 2))
    }

    fn fencepost_once(&self, file: &Path, key: &Key, jobs: usize, limits: &Limits) -> Result<Run, String> {
        let mut command = Command::new(&self.fencepost);
        command.arg("check").arg(file).args(["--model", &key.model, "--format", "json", "--no-progress"]);
        command.arg(format!("--timeout={}s", limits.seconds)).arg(format!("--memory={}GiB", limits.gibibytes));
        if key.observational {
            command.arg("--observational");
        }
        if self.jobs {
            command.arg(format!("--jobs={jobs}"));
        }
        let Finished { output, time, bytes } = run(command)?;
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
        let limits = runner::Limits { time: Duration::from_secs(limits.seconds), bytes: limits.gibibytes << 30 };
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

/// A process that ended.
struct Finished {
    /// What it printed.
    output: String,
    /// How long it lived.
    time: Duration,
    /// The greatest resident size that was seen; 0 if the system does not say.
    bytes: u64,
}

/// Runs a command to its end; an exit status that means bad usage, a bad file or a bug is an error.
fn run(mut command: Command) -> Result<Finished, String> {
    let fail = |error: std::io::Error| error.to_string();
    let start = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(fail)?;
    let status_file = format!("/proc/{}/status", child.id());
    let ended = AtomicBool::new(false);
    let (output, time, bytes) = std::thread::scope(|scope| {
        // The system remembers the peak of a live process only, so look again and again; often at
        // first, since most processes live a few milliseconds.
        let watch = scope.spawn(|| {
            let mut peak = 0;
            let mut pause = Duration::from_micros(200);
            while !ended.load(Ordering::Relaxed) {
                peak = resident_peak(&status_file).unwrap_or(0).max(peak);
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(5));
            }
            peak
        });
        let mut output = String::new();
        // The other end is closed when the process ends.
        let read = child.stdout.take().map_or(Ok(0), |mut pipe| pipe.read_to_string(&mut output));
        let time = start.elapsed();
        ended.store(true, Ordering::Relaxed);
        let peak = watch.join().unwrap_or(0);
        read.map(|_| (output, time, peak))
    })
    .map_err(fail)?;
    let mut complaint = String::new();
    child.stderr.take().map_or(Ok(0), |mut pipe| pipe.read_to_string(&mut complaint)).map_err(fail)?;
    let status = child.wait().map_err(fail)?;
    match status.code() {
        Some(0 | 1 | 3) => Ok(Finished { output, time, bytes }),
        _ => Err(format!("{command:?}: {status}: {}", complaint.trim())),
    }
}

/// The peak of the resident size, from a status file of the system.
fn resident_peak(status_file: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status_file).ok()?;
    parse_peak(&text)
}

fn parse_peak(status: &str) -> Option<u64> {
    let value = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::parse_peak;

    #[test]
    fn the_peak_is_in_kibibytes() {
        assert_eq!(parse_peak("Name:\tx\nVmHWM:\t   2048 kB\nVmRSS:\t 1 kB\n"), Some(2 << 20));
        assert_eq!(parse_peak("Name:\tx\n"), None);
    }
}
