//! `cargo xtask bench verify`: what it costs to decide safety under SRA, on the algorithms of the
//! corpus that have assertions, and on families that grow with the number of threads or of values.
//! One process per question.

mod families;
mod plot;
mod table;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use fencepost_cover::{Answer, safe};
use fencepost_verdict::Budget;
use serde::{Deserialize, Serialize};

use super::machine::Machine;
use super::raw::Limits;
use super::{Options, kept, process, text};
use crate::files;
use families::{FAMILIES, Family};

/// Where the members of families are written.
const PROGRAMS: &str = "target/bench/verify";
/// Where programs with assertions are.
const CORPUS: &[&str] = &["litmus/algorithms", "litmus/verify/algorithms"];
/// How much longer than its processor time a process may live, on a machine that others use.
const PATIENCE: u32 = 20;

/// Seconds below which processor time says little, and a question is asked again by the clock.
const SHORT: f64 = 0.02;
/// How often then; the shortest run counts.
const REPETITIONS: usize = 9;

/// Everything measured so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Raw {
    machine: Machine,
    limits: Limits,
    rows: Vec<Row>,
}

/// One program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Row {
    program: String,
    threads: usize,
    run: Run,
}

/// What came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Run {
    decision: Decision,
    /// Configurations that were in the basis at some time.
    configurations: u64,
    /// Those that were at the end.
    basis: u64,
    /// Processor time from the parsed program to the answer, in seconds.
    seconds: f64,
    /// The greatest resident size of the process.
    bytes: u64,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Decision {
    Safe,
    Unsafe,
    Undecided(String),
}

pub(super) fn run(arguments: &[String]) -> Result<(), String> {
    let options = Options::parse(arguments)?;
    std::fs::create_dir_all(PROGRAMS).map_err(|error| format!("{PROGRAMS}: {error}"))?;
    let mut raw = Raw { machine: Machine::this(&[]), limits: options.limits, rows: Vec::new() };
    if let Some(earlier) = kept::load::<Raw>(&path())? {
        raw.rows = earlier.rows;
        if options.fresh {
            raw.rows.retain(|row| !options.selects(&row.program));
        }
        if earlier.limits != options.limits && !raw.rows.is_empty() {
            return Err(format!("{} was measured with other limits; measure everything --fresh", path().display()));
        }
    }
    println!("{}", table::header());
    for dir in CORPUS.iter().map(Path::new).filter(|dir| dir.exists()) {
        for file in files::programs(dir)? {
            let (_, text) = files::load(&file)?;
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if text.contains("assert(") && options.selects(&name) {
                measure(&mut raw, name, &file)?;
            }
        }
    }
    for family in FAMILIES {
        measure_family(&mut raw, family, &options)?;
    }
    report()
}

/// Larger and larger members, until one is not decided.
fn measure_family(raw: &mut Raw, family: &Family, options: &Options) -> Result<(), String> {
    for size in family.sizes.0..=family.sizes.1 {
        let name = family.member(size);
        if !options.selects(&name) {
            continue;
        }
        let file = Path::new(PROGRAMS).join(&name).with_extension("fp");
        std::fs::write(&file, family.source(size)).map_err(|error| format!("{}: {error}", file.display()))?;
        if matches!(measure(raw, name, &file)?.run.decision, Decision::Undecided(_)) {
            break;
        }
    }
    Ok(())
}

/// Measures a program unless it has been.
fn measure(raw: &mut Raw, program: String, file: &Path) -> Result<Row, String> {
    if let Some(known) = raw.rows.iter().find(|row| row.program == program) {
        return Ok(known.clone());
    }
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(own);
    command.args(["bench", "verify-one"]).arg(file);
    command.args([raw.limits.seconds.to_string(), (raw.limits.gibibytes << 30).to_string()]);
    let finished = process::run(command, Duration::from_secs(raw.limits.seconds) * PATIENCE)?;
    let fail = |error: serde_json::Error| format!("{}: {error}: {}", file.display(), finished.complaint);
    let mut row: Row = serde_json::from_str(&finished.output).map_err(fail)?;
    row.program = program;
    println!("{}", table::row(&row));
    raw.rows.push(row.clone());
    kept::save(raw, &path())?;
    Ok(row)
}

/// Answers one question and prints what it cost: `FILE SECONDS BYTES`.
pub(super) fn one(file: &str, seconds: &str, bytes: &str) -> Result<(), String> {
    let number = |text: &str| text.parse::<u64>().map_err(|error| format!("{text}: {error}"));
    let (seconds, max_bytes) = (number(seconds)?, number(bytes)?);
    let (program, _) = files::load(Path::new(file))?;
    let ask = || {
        let (start, before) = (Instant::now(), processor_time());
        let worked = || before.and_then(|before| Some(processor_time()? - before));
        // The system counts in ticks of some milliseconds, and may not count at all.
        let measured = || worked().filter(|worked| *worked > SHORT);
        let elapsed = || measured().unwrap_or_else(|| start.elapsed().as_secs_f64());
        let budget = Budget { max_bytes, expired: &|| elapsed() > seconds as f64, ..Budget::unlimited() };
        let outcome = safe(&program, fencepost_cover::Options::default(), &budget);
        (outcome, elapsed(), worked().is_some() && measured().is_none())
    };
    let (outcome, mut time, is_short) = ask();
    if is_short {
        time = (1..REPETITIONS).map(|_| ask().1).fold(time, f64::min);
    }
    let run = Run {
        decision: match outcome.answer {
            Answer::Unreachable => Decision::Safe,
            Answer::Reachable(_) => Decision::Unsafe,
            Answer::GaveUp(reason) => Decision::Undecided(reason.to_string()),
        },
        configurations: outcome.stats.saturation.added,
        basis: outcome.stats.saturation.basis,
        seconds: time,
        bytes: peak(),
    };
    let row = Row { program: file.to_string(), threads: program.threads().len(), run };
    println!("{}", serde_json::to_string(&row).map_err(|error| error.to_string())?);
    Ok(())
}

/// Seconds that a processor has worked for this thread, if the system says so. Others may use the
/// machine.
fn processor_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<u64>().ok()? as f64 / 1e9)
}

/// The greatest resident size of this process, in bytes; 0 if the system does not say.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = peak.and_then(|peak| peak.trim().split(' ').next()?.parse::<u64>().ok());
    kibibytes.unwrap_or_default() << 10
}

/// Tables and picture from what was measured.
pub(super) fn report() -> Result<(), String> {
    let Some(raw) = kept::load::<Raw>(&path())? else { return Ok(()) };
    text::insert_in_page("verify", &table::render(&raw))?;
    plot::draw(&raw, Path::new("docs/plots"))?;
    println!("docs/benchmarks.md and docs/plots are up to date with {}", path().display());
    Ok(())
}

fn path() -> PathBuf {
    PathBuf::from("target/bench/verify.json")
}
