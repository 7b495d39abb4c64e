//! `cargo xtask bench schedules`: every execution of small tests, beside loom and shuttle, and the
//! number of executions that GenMC's own tests record.
//!
//! The tests are in `bench/schedules`, in C and in Rust. loom and shuttle come from the registry of
//! crates, into a project that is written below `target`; without them, their columns stay empty
//! and the table says why.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::machine::Machine;
use super::{kept, process, text};
use crate::files;

const SOURCES: &str = "bench/schedules";
const DIR: &str = "target/bench/schedules";
/// Seconds for each test and tool, if nothing else is said.
const SECONDS: u64 = 30;
/// A tool ends by itself some time after that.
const PATIENCE: Duration = Duration::from_secs(60);
/// Crates are fetched and built in this time.
const BUILDING: Duration = Duration::from_secs(600);

/// A test, and how many executions GenMC records for the same one: under SC, under RC11.
const TESTS: &[(&str, Option<[u64; 2]>)] = &[
    ("sb", Some([3, 3])),
    ("increments", Some([24, 24])),
    ("casrot", Some([14, 14])),
    ("readers", Some([256, 256])),
    ("lastzero", Some([64, 64])),
    ("lock", None),
    ("stack", None),
];

/// Tests of the suite whose executions are explored, too, those that are not SC included.
const SUITE: &str = "sanitizer/explored";
const OF_SUITE: [&str; 5] = ["ring", "queue", "deque", "ticket-lock", "barrier-message"];

/// The other tools: name, version.
const OTHERS: [(&str, &str); 2] = [("loom", "0.7"), ("shuttle", "0.9")];

/// What a tool has done.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Outcome {
    Explored {
        executions: u64,
        seconds: f64,
        /// Until the first execution was over, if that is known: most of it is to start.
        starting: Option<f64>,
        /// Are these all?
        all: bool,
        /// What it says of the test.
        says: String,
    },
    Failed(String),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Row {
    test: String,
    ours: Outcome,
    others: Vec<Outcome>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Raw {
    machine: Machine,
    seconds: u64,
    rows: Vec<Row>,
    /// With all executions: the test, what was done, and how many of them are not SC.
    #[serde(default)]
    weak: Vec<(String, Outcome, u64)>,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let seconds = match arguments {
        [] => SECONDS,
        [flag, number] if flag == "--seconds" => number.parse().map_err(|_| "--seconds needs a number")?,
        _ => return Err("`bench schedules` takes `--seconds N` only".into()),
    };
    std::fs::create_dir_all(DIR).map_err(|error| format!("{DIR}: {error}"))?;
    let fencepost = files::fencepost()?;
    let mut raw =
        Raw { machine: Machine::this(&[("clang", "--version")]), seconds, rows: Vec::new(), weak: Vec::new() };
    println!("{}", raw.machine.describe());
    for (test, _) in TESTS {
        let source = Path::new(SOURCES).join(test);
        let explored = explore(&fencepost, &source, "--no-weak", seconds);
        let ours = outcome(explored.map(|(outcome, _)| outcome));
        let others = OTHERS.iter().map(|other| outcome(other_tool(other, test, seconds))).collect();
        let row = Row { test: (*test).to_string(), ours, others };
        println!("{row:?}");
        raw.rows.push(row);
    }
    let of_suite = OF_SUITE.iter().map(|test| Path::new(SUITE).join(test));
    for source in TESTS.iter().map(|(test, _)| Path::new(SOURCES).join(test)).chain(of_suite) {
        let name = source.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let explored = explore(&fencepost, &source, "--weak", seconds);
        let (outcome, not_sc) = explored.unwrap_or_else(|reason| (Outcome::Failed(reason), 0));
        println!("{name} --weak: {outcome:?}, {not_sc} not SC");
        raw.weak.push((name, outcome, not_sc));
    }
    kept::save(&raw, &path())?;
    report()
}

/// The table of what was measured.
pub(crate) fn report() -> Result<(), String> {
    let Some(raw) = kept::load::<Raw>(&path())? else { return Ok(()) };
    text::insert_in_page("schedules", &render(&raw))?;
    println!("docs/benchmarks.md is up to date with {}", path().display());
    Ok(())
}

fn path() -> PathBuf {
    PathBuf::from("target/bench/schedules.json")
}

fn outcome(result: Result<Outcome, String>) -> Outcome {
    result.unwrap_or_else(Outcome::Failed)
}

/// Explores a test, and says how many executions are not SC.
fn explore(fencepost: &Path, source: &Path, mode: &str, seconds: u64) -> Result<(Outcome, u64), String> {
    let program = Path::new(DIR).join(source.file_name().unwrap_or_default());
    let mut build = Command::new(fencepost);
    build.args(["cc", "-O1", "-g", "-pthread", "-o"]).arg(&program).arg(source.with_extension("c"));
    finish(build, PATIENCE)?;
    let mut run = Command::new(fencepost);
    run.args(["run", "--schedule", "all", mode, "--keep-going", "--jobs", "1", "--format", "json", "--timeout"]);
    run.arg(format!("{seconds}s")).arg("--").arg(&program);
    let finished = process::run(run, PATIENCE + 2 * Duration::from_secs(seconds))?;
    let last = finished.output.lines().last().unwrap_or_default();
    let summary: Value = serde_json::from_str(last).map_err(|error| format!("{error}: {last}"))?;
    let summary = &summary["summary"]["exploration"];
    let [executions, blocked, redundant] =
        ["executions", "blocked", "redundant"].map(|key| summary[key].as_u64().unwrap_or_default());
    let outcome = Outcome::Explored {
        executions: executions + blocked + redundant,
        seconds: summary["seconds"].as_f64().unwrap_or_default(),
        starting: summary["starting"].as_f64(),
        all: summary["why"].as_array().is_some_and(Vec::is_empty),
        says: match summary["bugs"][0]["bug"].as_str() {
            Some(bug) => bug.to_string(),
            None => summary["verdict"].as_str().unwrap_or_default().to_string(),
        },
    };
    Ok((outcome, summary["not_sc"].as_u64().unwrap_or_default()))
}

fn other_tool((tool, version): &(&str, &str), test: &str, seconds: u64) -> Result<Outcome, String> {
    let project = Path::new(DIR).join(tool);
    let fail = |error: std::io::Error| format!("{}: {error}", project.display());
    std::fs::create_dir_all(project.join("src")).map_err(fail)?;
    let manifest = format!(
        "[package]\nname = \"{tool}-test\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n\
         [dependencies]\nmodel = {{ package = \"{tool}\", version = \"{version}\" }}\n\n\
         [features]\nloom = []\nshuttle = []\n\n[workspace]\n"
    );
    std::fs::write(project.join("Cargo.toml"), manifest).map_err(fail)?;
    for (from, to) in [("main.rs", "main.rs"), (&*format!("{test}.rs"), "test.rs")] {
        std::fs::copy(Path::new(SOURCES).join(from), project.join("src").join(to)).map_err(fail)?;
    }
    let mut build = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    build.args(["build", "--release", "--quiet", "--features", tool, "--target-dir", "target"]).current_dir(&project);
    build.env_remove("CARGO_TARGET_DIR").env_remove("RUSTFLAGS");
    finish(build, BUILDING)?;
    let mut run = Command::new(project.join("target/release").join(format!("{tool}-test")));
    run.arg(seconds.to_string());
    let finished = process::run(run, PATIENCE + 2 * Duration::from_secs(seconds))?;
    let words: Vec<&str> = finished.output.split_whitespace().collect();
    let [executions, taken, all] = words[..] else { return Err(complaint(&finished.complaint)) };
    match (executions.parse(), taken.parse(), all.parse()) {
        (Ok(executions), Ok(seconds), Ok(all)) => {
            Ok(Outcome::Explored { executions, seconds, starting: None, all, says: String::new() })
        }
        _ => Err(format!("`{}` is no answer", finished.output.trim())),
    }
}

fn finish(command: Command, limit: Duration) -> Result<(), String> {
    let finished = process::run(command, limit)?;
    if finished.status.success() { Ok(()) } else { Err(complaint(&finished.complaint)) }
}

/// What matters of a complaint.
fn complaint(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let at = lines.iter().position(|line| line.contains("panicked at") || line.starts_with("error"));
    match at {
        Some(at) if lines[at].contains("panicked at") => lines.get(at + 1).copied().unwrap_or_default().to_string(),
        Some(at) => lines[at].to_string(),
        None => lines.first().copied().unwrap_or("it says nothing").to_string(),
    }
}

fn render(raw: &Raw) -> String {
    let mut text = format!(
        "{} At most {} s for each test and tool, on one processor.\n\n\
         | test | ours: runs | time | to start | per second | says | loom: executions | time | per second \
         | shuttle: executions | time | per second | GenMC: SC | RC11 |\n\
         |---|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        raw.machine.describe(),
        raw.seconds
    );
    let mut notes = Vec::new();
    for row in &raw.rows {
        let mut cells = vec![format!("`{}`", row.test)];
        let tools = std::iter::once(("ours", &row.ours)).chain(OTHERS.iter().map(|other| other.0).zip(&row.others));
        for (tool, outcome) in tools {
            match outcome {
                Outcome::Explored { executions, seconds, starting, all, says } => {
                    let more = if *all { "" } else { "> " };
                    cells.push(format!("{more}{}", text::grouped(*executions)));
                    cells.push(text::seconds(*seconds));
                    cells.extend(starting.map(text::seconds));
                    cells.push(rate(*executions, *seconds, *starting));
                    if tool == "ours" {
                        cells.push(says.clone());
                    }
                }
                Outcome::Failed(reason) => {
                    cells.extend(vec![String::new(); if tool == "ours" { 5 } else { 3 }]);
                    notes.push(format!("- `{}` with {tool}: {reason}", row.test));
                }
            }
        }
        let genmc = TESTS.iter().find(|(test, _)| *test == row.test).and_then(|(_, genmc)| *genmc);
        match genmc {
            Some(counts) => cells.extend(counts.map(text::grouped)),
            None => cells.extend([String::new(), String::new()]),
        }
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    if !notes.is_empty() {
        let _ = write!(text, "\n{}\n", notes.join("\n"));
    }
    text += "\nAll executions, those that are not SC included (`--weak`):\n\n\
             | test | runs | not SC | time | to start | per second | says |\n|---|--:|--:|--:|--:|--:|---|\n";
    for (test, outcome, not_sc) in &raw.weak {
        let cells = match outcome {
            Outcome::Explored { executions, seconds, starting, all, says } => [
                format!("{}{}", if *all { "" } else { "> " }, text::grouped(*executions)),
                text::grouped(*not_sc),
                text::seconds(*seconds),
                starting.map(text::seconds).unwrap_or_default(),
                rate(*executions, *seconds, *starting),
                says.clone(),
            ],
            Outcome::Failed(reason) => {
                [String::new(), String::new(), String::new(), String::new(), String::new(), reason.clone()]
            }
        };
        let _ = writeln!(text, "| `{test}` | {} |", cells.join(" | "));
    }
    text
}

/// How many executions there were in a second: of ours after the first one, if there are enough of
/// them to tell.
fn rate(executions: u64, seconds: f64, starting: Option<f64>) -> String {
    let (counted, seconds) = match starting {
        Some(_) if executions < FEW => return String::new(),
        Some(starting) => (executions - 1, seconds - starting),
        None => (executions, seconds),
    };
    text::grouped((counted as f64 / seconds.max(1e-6)) as u64)
}

/// So many executions say how long one takes.
const FEW: u64 = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_of_a_complaint() {
        assert_eq!(complaint("\nthread 'main' panicked at src/x.rs:1:2:\nno more\nnote: run"), "no more");
        assert_eq!(complaint("Updating\nerror: no network\n"), "error: no network");
        assert_eq!(complaint(""), "it says nothing");
    }

    #[test]
    fn tables_are_whole() {
        let explored = |starting| Outcome::Explored {
            executions: 12_345,
            seconds: 1.5,
            starting,
            all: false,
            says: "exhausted".into(),
        };
        let failed = Outcome::Failed("offline".into());
        let row = |test: &str, others| Row { test: test.into(), ours: explored(Some(0.5)), others };
        let rows = vec![row("sb", vec![explored(None), failed.clone()]), row("lock", vec![failed.clone(), failed])];
        let weak = vec![("sb".into(), explored(Some(0.5)), 7), ("lock".into(), Outcome::Failed("no".into()), 0)];
        let raw = Raw { machine: Machine::this(&[]), seconds: 1, rows, weak };
        text::assert_tables_are_whole(&render(&raw));
    }
}
