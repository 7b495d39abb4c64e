//! SPIN on one Promela program: translate, compile, search.
//!
//! The search is exact (no bitstate hashing) with SPIN's default partial-order
//! reduction, for assertions only. A search that meets its depth limit proves
//! nothing: it is started again with a larger one.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What SPIN said and what it cost.
#[derive(Clone, Debug)]
pub(crate) struct SpinRun {
    /// From Promela to C.
    pub(crate) translate: Duration,
    /// From C to a verifier.
    pub(crate) compile: Duration,
    /// The search, with a depth limit that was large enough.
    pub(crate) run: Duration,
    /// States stored.
    pub(crate) states: u64,
    /// Transitions taken.
    pub(crate) transitions: u64,
    /// Memory, as the verifier accounts for it.
    pub(crate) bytes: u64,
    /// The verdict.
    pub(crate) verdict: SpinVerdict,
}

/// What SPIN decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SpinVerdict {
    /// Every state was visited and no assertion can fail.
    Holds,
    /// An assertion can fail.
    Violated,
    /// A limit was reached, this one.
    Incomplete(String),
}

/// How far a search may go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// For one search; translation and compilation have time of their own.
    pub(crate) time: Duration,
    /// For one search.
    pub(crate) bytes: u64,
    /// Is it a long search? A short one is over before an optimising compiler is.
    pub(crate) is_long: bool,
}

/// Translation and compilation take seconds; if they take this long, something is wrong.
const PREPARATION: Duration = Duration::from_secs(300);
/// Depth limit of the first search, and of the last: SPIN reserves memory for the whole depth.
const DEPTHS: std::ops::RangeInclusive<u64> = 100_000..=100_000_000;
/// Largest state vector, in bytes, tried first, and at most.
const VECTORS: std::ops::RangeInclusive<u64> = 1 << 10..=1 << 16;
/// Binary logarithm of the first size of the hash table, which grows as needed.
const HASH_TABLE: u32 = 20;

/// Makes sure that SPIN and a C compiler are there; installs SPIN when it is missing.
pub(crate) fn installed() -> Result<(), String> {
    if !is_there("gcc", "--version") {
        return Err("the verifiers that SPIN generates are in C, and there is no `gcc`".into());
    }
    if is_there("spin", "-V") {
        return Ok(());
    }
    println!("SPIN is not installed: apt-get install -y spin");
    let status = Command::new("apt-get").args(["install", "-y", "spin"]).stdout(Stdio::null()).status();
    if status.is_ok_and(|status| status.success()) && is_there("spin", "-V") {
        return Ok(());
    }
    Err("SPIN cannot be installed by `apt-get install -y spin`; install it by hand (https://spinroot.com)".into())
}

/// Can SPIN be run as it is?
#[cfg(test)]
pub(crate) fn is_installed() -> bool {
    is_there("gcc", "--version") && is_there("spin", "-V")
}

fn is_there(program: &str, argument: &str) -> bool {
    let status = Command::new(program).arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Verifies a Promela program, in a temporary directory of its own.
pub(crate) fn run(promela: &str, limits: &Limits) -> Result<SpinRun, String> {
    let scratch = Scratch::new()?;
    fs::write(scratch.path.join("program.pml"), promela).map_err(|error| format!("cannot write: {error}"))?;
    let translation = scratch.finish("spin", &["-a", "program.pml"])?;
    let mut vector = *VECTORS.start();
    let mut compilation = scratch.compile(limits, vector)?;
    let mut depth = *DEPTHS.start();
    loop {
        let hash_table = format!("-w{HASH_TABLE}");
        let search = scratch.command("./pan", &["-n", "-E", "-b", &format!("-m{depth}"), &hash_table], limits.time)?;
        let incomplete = match search.problem() {
            Some(Problem::Depth) if depth < *DEPTHS.end() => {
                depth *= 10;
                continue;
            }
            Some(Problem::Vector) if vector < *VECTORS.end() => {
                vector *= 4;
                compilation = scratch.compile(limits, vector)?;
                continue;
            }
            Some(Problem::Depth) => Some(format!("runs longer than {depth} steps")),
            Some(Problem::Vector) => Some(format!("states larger than {vector} bytes")),
            Some(Problem::Time) => Some(format!("not done after {} s", limits.time.as_secs())),
            Some(Problem::Memory) => Some(format!("not done with {} MiB", limits.bytes >> 20)),
            None => None,
        };
        let figure = |suffix: &str| search.figure(suffix);
        let verdict = match (incomplete, figure(" errors")) {
            (Some(reason), _) => SpinVerdict::Incomplete(reason),
            (None, Some(0.0)) if !search.output.contains("Search not completed") => SpinVerdict::Holds,
            (None, Some(_)) if search.output.contains("assertion violated") => SpinVerdict::Violated,
            _ => return Err(format!("the verifier ended with {}:\n{}", search.ended(), search.output)),
        };
        return Ok(SpinRun {
            translate: translation.time,
            compile: compilation.time,
            run: search.time,
            states: figure("states, stored").unwrap_or_default() as u64,
            transitions: figure("transitions (= stored+matched)").unwrap_or_default() as u64,
            bytes: (figure("total actual memory usage").unwrap_or_default() * f64::from(1 << 20)) as u64,
            verdict,
        });
    }
}

/// Why a search is no proof.
enum Problem {
    Depth,
    Vector,
    Time,
    Memory,
}

/// A process that ended, or was ended when its time was over.
struct Finished {
    time: Duration,
    /// None if it was ended.
    status: Option<ExitStatus>,
    output: String,
}

impl Finished {
    fn problem(&self) -> Option<Problem> {
        let says = |text: &str| self.output.contains(text);
        if self.status.is_none() {
            Some(Problem::Time)
        } else if says("max search depth too small") || says("depth limit reached") {
            Some(Problem::Depth)
        } else if says("VECTORSZ") {
            Some(Problem::Vector)
        } else if says("reached -DMEMLIM bound") || says("out of memory") {
            Some(Problem::Memory)
        } else {
            None
        }
    }

    /// The number in front of `suffix` on its line; `errors` comes the other way round.
    fn figure(&self, suffix: &str) -> Option<f64> {
        self.output.lines().find_map(|line| match suffix {
            " errors" => line.rsplit_once("errors: ")?.1.trim().parse().ok(),
            _ => line.split_once(suffix)?.0.trim().parse().ok(),
        })
    }

    fn ended(&self) -> String {
        self.status.map_or_else(|| "no status".into(), |status| status.to_string())
    }
}

/// A directory that is removed in the end.
struct Scratch {
    path: PathBuf,
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed stays where temporary files stay.
        let _ = fs::remove_dir_all(&self.path);
    }
}

impl Scratch {
    fn new() -> Result<Self, String> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("fencepost-spin-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Scratch { path })
    }

    fn compile(&self, limits: &Limits, vector: u64) -> Result<Finished, String> {
        let memory = format!("-DMEMLIM={}", (limits.bytes >> 20).max(1));
        let vector = format!("-DVECTORSZ={vector}");
        let optimise = if limits.is_long { "-O2" } else { "-O0" };
        self.finish("gcc", &[optimise, "-w", "-DSAFETY", "-DNOCLAIM", &memory, &vector, "-o", "pan", "pan.c"])
    }

    /// Runs a command that is expected to succeed.
    fn finish(&self, program: &str, arguments: &[&str]) -> Result<Finished, String> {
        let finished = self.command(program, arguments, PREPARATION)?;
        match finished.status {
            Some(status) if status.success() => Ok(finished),
            _ => Err(format!("{program} ended with {}:\n{}", finished.ended(), finished.output)),
        }
    }

    /// Runs a command in this directory for at most `limit`.
    fn command(&self, program: &str, arguments: &[&str], limit: Duration) -> Result<Finished, String> {
        let fail = |error: std::io::Error| format!("{program}: {error}");
        let log = self.path.join("log");
        let output = File::create(&log).map_err(fail)?;
        let errors = output.try_clone().map_err(fail)?;
        let program_path = if program.starts_with("./") { self.path.join(program) } else { Path::new(program).into() };
        let start = Instant::now();
        let mut child = Command::new(program_path)
            .args(arguments)
            .current_dir(&self.path)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .spawn()
            .map_err(fail)?;
        let mut pause = Duration::from_micros(200);
        let status = loop {
            if let Some(status) = child.try_wait().map_err(fail)? {
                break Some(status);
            }
            if start.elapsed() > limit {
                child.kill().map_err(fail)?;
                child.wait().map_err(fail)?;
                break None;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        };
        let time = start.elapsed();
        let output = String::from_utf8_lossy(&fs::read(&log).map_err(fail)?).into_owned();
        Ok(Finished { time, status, output })
    }
}
