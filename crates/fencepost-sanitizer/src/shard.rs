//! Series of runs that are made in parts, on several machines, and joined afterwards.
//!
//! What a part has seen is kept in a [`Record`], which knows enough to be [joined](join) with the others to what the whole
//! series would have said: findings with their identities, when they were first seen, and all
//! counts.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json::SCHEMA;
use crate::report::{Deadlock, Identity, Report};
use crate::reporter::{Told, Totals};

/// What was asked for, and how the program has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version that has made it: others may count in another way.
    pub version: String,
    /// The program and its arguments.
    pub program: Vec<String>,
    /// What decides which runs are made, and what is told about them.
    pub options: BTreeMap<String, String>,
    /// Parts of the series.
    pub of: u64,
    /// Which of them these are, from 1.
    pub parts: BTreeSet<u64>,
    /// Reports are told by how bad they are.
    pub ranks: bool,
    /// The exit code of the first run that did not end with 0, and the seed of the run.
    pub exit: Option<(u64, u8)>,
    /// A run could not be watched.
    pub unobserved: bool,
}

/// All that is known after the runs of some parts of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What was asked for.
    #[serde(flatten)]
    pub header: Header,
    /// What was counted.
    pub totals: Totals,
    /// What was found, in the order of when it was.
    pub reports: Vec<First<Report>>,
    /// Likewise.
    pub deadlocks: Vec<First<Deadlock>>,
    /// What was left out because it is a library's own affair.
    pub own: Vec<Report>,
}

/// Something that was found, and when it was seen first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct First<T> {
    /// The seed of the run; none if only provoked runs have shown it.
    pub seed: Option<u64>,
    /// The part of the series.
    pub part: u64,
    /// What it is.
    pub what: T,
}

impl<T> First<T> {
    /// By what it is sorted: what was seen in one run keeps its order.
    fn time(&self) -> (bool, Option<u64>, u64) {
        (self.seed.is_none(), self.seed, self.part)
    }
}

impl Record {
    /// Reads what `run --format json` has written; the error says where it is wrong: `name:3:7: …`.
    pub fn read(name: &str, text: &str, version: &str) -> Result<Record, String> {
        let mut record = None;
        for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line)) {
            let wrong = |error: &serde_json::Error| {
                let what = error.to_string();
                // The number of the line in the line says nothing.
                let what = what.split(" at line ").next().unwrap_or_default();
                format!("{name}:{number}:{}: {what}", error.column())
            };
            let value: Value = serde_json::from_str(line).map_err(|error| wrong(&error))?;
            match value["schema"].as_str() {
                Some(SCHEMA) => {}
                Some(other) => return Err(format!("{name}:{number}:1: `{other}`, and not `{SCHEMA}`")),
                None => return Err(format!("{name}:{number}:1: no object of `{SCHEMA}`")),
            }
            if value.get("verdict").is_some() {
                return Err(format!("{name}:{number}:1: an answer of another command; {ONLY}"));
            }
            let Some(summary) = value.get("summary") else { continue };
            if record.is_some() {
                return Err(format!("{name}:{number}:1: a second summary: every file is one report"));
            }
            let Some(shard) = summary.get("shard") else {
                return Err(format!("{name}:{number}:1: this report was made without `--shard`; {ONLY}"));
            };
            match shard["version"].as_str() {
                Some(other) if other == version => {}
                other => {
                    let other = other.unwrap_or("an unknown version");
                    return Err(format!("{name}: made by fencepost {other}, and this is {version}"));
                }
            }
            let read = Record::deserialize(shard).map_err(|error| format!("{name}:{number}: {error}"))?;
            read.check().map_err(|what| format!("{name}: {what}"))?;
            record = Some(read);
        }
        record.ok_or_else(|| format!("{name}: there is no summary: the series has not come to its end"))
    }

    /// Says what keeps it from being joined.
    fn check(&self) -> Result<(), String> {
        let Header { of, parts, .. } = &self.header;
        if parts.is_empty() || parts.iter().any(|part| !(1..=*of).contains(part)) {
            return Err("it does not say which part of a series it is".into());
        }
        if self.totals.reports != self.reports.len() as u64 {
            return Err(format!(
                "{} reports were only counted, so it cannot be said which of them others have, too; \
                 FENCEPOST_OPTIONS=max_reports=N tells more",
                self.totals.reports.saturating_sub(self.reports.len() as u64)
            ));
        }
        Ok(())
    }

    /// Parts that are not in it.
    pub fn missing(&self) -> Vec<u64> {
        (1..=self.header.of).filter(|part| !self.header.parts.contains(part)).collect()
    }
}

/// What can be joined.
const ONLY: &str = "only those of `fencepost run --shard I/N --format json` can be joined";

/// Joins parts of a series, with the names of their files; their order does not matter. The error
/// says why they do not belong together.
pub fn join(mut records: Vec<(String, Record)>) -> Result<Record, String> {
    records.sort_by(|(_, one), (_, other)| one.header.parts.cmp(&other.header.parts));
    let mut records = records.into_iter();
    let Some((first, mut all)) = records.next() else { return Err("there is nothing to join".into()) };
    for (name, record) in records {
        let header = &record.header;
        let differs = |what: &str, here: &str, there: &str| {
            Err(format!("{name}: {what} `{here}`, and in {first} `{there}`: these are no parts of one series"))
        };
        if header.program != all.header.program {
            return differs("the program is", &header.program.join(" "), &all.header.program.join(" "));
        }
        let of =
            |header: &Header, option: &str| header.options.get(option).cloned().unwrap_or_else(|| "not said".into());
        let known: BTreeSet<&String> = header.options.keys().chain(all.header.options.keys()).collect();
        for option in known {
            let (here, there) = (of(header, option), of(&all.header, option));
            if here != there {
                return differs(&format!("{option} is"), &here, &there);
            }
        }
        if header.of != all.header.of {
            return differs("the number of parts is", &header.of.to_string(), &all.header.of.to_string());
        }
        if let Some(part) = header.parts.intersection(&all.header.parts).next() {
            return Err(format!("{name}: part {part} of {} was given before", header.of));
        }
        let Record { header, totals, reports, deadlocks, own } = record;
        // Of the earliest run.
        all.header.exit = all.header.exit.into_iter().chain(header.exit).min();
        all.header.parts.extend(header.parts);
        all.header.ranks |= header.ranks;
        all.header.unobserved |= header.unobserved;
        all.totals.join(totals);
        all.reports.extend(reports);
        all.deadlocks.extend(deadlocks);
        all.own.extend(own);
    }
    all.settle();
    Ok(all)
}

impl Record {
    /// Tells apart what was found in several parts.
    fn settle(&mut self) {
        let found = self.reports.len();
        self.reports.sort_by_key(First::time);
        let mut reports: Vec<First<Report>> = Vec::new();
        let mut places: BTreeMap<Identity, usize> = BTreeMap::new();
        for report in std::mem::take(&mut self.reports) {
            match places.entry(report.what.identity()) {
                Entry::Vacant(entry) => {
                    entry.insert(reports.len());
                    reports.push(report);
                }
                Entry::Occupied(entry) => add(&mut reports[*entry.get()].what, report.what),
            }
        }
        self.totals.reports = reports.len() as u64;
        // In one series, the later ones would have been seen before.
        self.totals.duplicates += (found - reports.len()) as u64;
        self.reports = reports;
        self.deadlocks.sort_by_key(First::time);
        let mut known = BTreeSet::new();
        self.deadlocks.retain(|deadlock| known.insert(deadlock.what.identity()));
        let own = std::mem::take(&mut self.own).into_iter().map(|report| (report.identity(), report));
        // The first one stays.
        self.own = own.rev().collect::<BTreeMap<_, _>>().into_values().collect();
        self.totals.own = self.own.len() as u64;
    }
}

/// What is known of a report, and of the same one in a later run: the one that tells more, and the
/// worst that follows.
fn add(known: &mut Report, mut later: Report) {
    let trials = match (known.trials.take(), later.trials.take()) {
        (Some(mut trials), Some(more)) => {
            trials.taken += more.taken;
            trials.missed += more.missed;
            trials.add(more.consequence);
            Some(trials)
        }
        (one, other) => one.or(other),
    };
    let is_ordinary = known.follows.is_none() || later.follows.is_none();
    let follows = known.follows.take().filter(|_| !is_ordinary);
    if Told::of(known).is_less_than(Told::of(&later)) {
        *known = later;
    }
    (known.trials, known.follows) = (trials, follows);
}
