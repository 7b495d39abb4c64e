//! `fencepost run` on a program, many times.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::bench::process;

/// A hunt that takes longer than this is over.
const LIMIT: Duration = Duration::from_secs(1800);
/// Lets races pass.
const NO_RACES: &str = "race:*\n";

/// What to run, and how.
pub(crate) struct Hunt<'a> {
    pub(crate) fencepost: &'a Path,
    pub(crate) schedule: &'a str,
    pub(crate) program: &'a Path,
    pub(crate) arguments: &'a [u64],
    pub(crate) runs: u64,
    /// Stop at the first report.
    pub(crate) halt: bool,
    /// Are data races reported?
    pub(crate) races: bool,
}

/// What was found.
pub(crate) struct Found {
    /// Runs that took place.
    pub(crate) runs: u64,
    /// Robustness violations, different ones.
    pub(crate) violations: Vec<Violation>,
    /// Data races.
    pub(crate) races: BTreeSet<String>,
    pub(crate) seconds: f64,
    /// Atomic accesses, fences and locations, from the summary of all runs.
    pub(crate) accesses: u64,
    pub(crate) fences: u64,
    pub(crate) locations: u64,
}

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) file: PathBuf,
    pub(crate) line: u64,
}

/// A robustness violation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    /// `relaxed load at file:line`.
    pub(crate) title: String,
    /// What is suggested.
    pub(crate) suggestion: Vec<Edit>,
    /// The access and the write it misses.
    pub(crate) ends: Vec<Place>,
}

/// A change that is suggested.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edit {
    pub(crate) place: Place,
    /// In words.
    pub(crate) change: String,
}

impl Edit {
    /// Is it more than another order?
    pub(crate) fn is_fence(&self) -> bool {
        self.change.starts_with("put ")
    }

    pub(crate) fn describe(&self) -> String {
        format!("{}: {}", self.place.describe(), self.change)
    }
}

impl Hunt<'_> {
    pub(crate) fn run(&self) -> Result<Found, String> {
        let mut command = Command::new(self.fencepost);
        command.args(["run", "--format", "json", "--provoke", "0", "--schedule", self.schedule]);
        command.arg(format!("--seeds=0..{}", self.runs));
        if self.halt {
            command.arg("--halt");
        }
        if !self.races {
            let file = Path::new("target/case-studies/no-races.txt");
            std::fs::write(file, NO_RACES).map_err(|error| format!("{}: {error}", file.display()))?;
            command.arg("--suppressions").arg(file);
        }
        command.arg("--").arg(self.program).args(self.arguments.iter().map(u64::to_string));
        let described = format!("{command:?}");
        let finished = process::run(command, LIMIT)?;
        if finished.time > LIMIT {
            return Err(format!("{described}: no end after {} s", LIMIT.as_secs()));
        }
        let mut found = parse(&finished.output);
        found.seconds = finished.time.as_secs_f64();
        if found.runs == 0 {
            return Err(format!("{described}: {}: {}", finished.status, finished.complaint.trim()));
        }
        Ok(found)
    }
}

/// From the lines that are ours; a program may print as well.
fn parse(output: &str) -> Found {
    let mut found = Found {
        runs: 0,
        violations: Vec::new(),
        races: BTreeSet::new(),
        seconds: 0.0,
        accesses: 0,
        fences: 0,
        locations: 0,
    };
    for line in output.lines().filter(|line| line.starts_with('{')) {
        let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
        if let Some(summary) = value.get("summary") {
            let number = |key: &str| summary[key].as_u64().unwrap_or_default();
            found.runs = number("runs");
            (found.accesses, found.fences, found.locations) =
                (number("accesses"), number("fences"), number("locations"));
        } else if value["kind"] == "race" {
            found.races.insert(describe(&value["access"]));
        } else if value["kind"] == "robustness" {
            found.violations.push(violation(&value));
        }
    }
    found.violations.sort();
    found.violations.dedup();
    found
}

fn violation(report: &Value) -> Violation {
    let edits = report["suggestion"]["edits"].as_array().map(Vec::as_slice).unwrap_or_default();
    let edit = |edit: &Value| {
        Some(Edit { place: place(edit)?, change: edit["change"].as_str().unwrap_or_default().to_string() })
    };
    Violation {
        title: describe(&report["access"]),
        suggestion: edits.iter().filter_map(edit).collect(),
        ends: [&report["access"], &report["missed"]].into_iter().filter_map(place).collect(),
    }
}

/// `relaxed load at file:line`.
fn describe(access: &Value) -> String {
    let order = access["order"].as_str().map_or(String::new(), |order| format!("{order} "));
    let at = place(access).map_or("an unknown place".to_string(), |place| place.describe());
    format!("{order}{} at {at}", access["op"].as_str().unwrap_or("access"))
}

fn place(value: &Value) -> Option<Place> {
    Some(Place { file: value["file"].as_str()?.into(), line: value["line"].as_u64()? })
}

impl Place {
    pub(crate) fn describe(&self) -> String {
        let name = self.file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        format!("{name}:{}", self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_and_summary_are_read() {
        let output = r#"hello
{"schema":"fencepost/1","kind":"robustness","access":{"op":"load","order":"relaxed","file":"/a/b.c","line":7},"missed":{"op":"store","order":"relaxed","file":"/a/c.c","line":9},"suggestion":{"edits":[{"file":"/a/b.c","line":7,"change":"acquire"}],"reevaluated":true}}
{"schema":"fencepost/1","kind":"race","access":{"op":"read","order":null,"file":"/a/b.c","line":8}}
{"schema":"fencepost/1","summary":{"runs":3,"reports":2,"accesses":10,"fences":1,"locations":2}}
"#;
        let found = parse(output);
        assert_eq!((found.runs, found.accesses, found.fences, found.locations), (3, 10, 1, 2));
        assert_eq!(found.races.iter().collect::<Vec<_>>(), ["read at b.c:8"]);
        let [violation] = &found.violations[..] else { panic!("one violation") };
        assert_eq!(violation.title, "relaxed load at b.c:7");
        let [edit] = &violation.suggestion[..] else { panic!("one edit") };
        assert_eq!((edit.describe().as_str(), edit.is_fence()), ("b.c:7: acquire", false));
        let ends: Vec<String> = violation.ends.iter().map(Place::describe).collect();
        assert_eq!(ends, ["b.c:7", "c.c:9"]);
    }
}
