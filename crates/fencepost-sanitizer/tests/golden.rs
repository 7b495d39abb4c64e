//! Recorded event streams and what becomes of them. Beside `NAME.jsonl`: the text, JSON and SARIF
//! it gives, pictures `NAME.1.svg`, …, and optionally suppressions.
//! `FENCEPOST_BLESS=1` rewrites the results.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fencepost_finding::{Finding, Kind};
use fencepost_report::graph::Drawing;
use fencepost_report::sarif::{self, Origin};
use fencepost_report::terminal::{self, Look};
use fencepost_sanitizer::provoke::Taken;
use fencepost_sanitizer::symbols::{Frame, Symbols, Variable};
use fencepost_sanitizer::text::Ranks;
use fencepost_sanitizer::{Ending, Item, Options, Process, Reporter, json, text};

/// Symbols from a table in a file.
#[derive(Clone, Default)]
struct Table {
    frames: BTreeMap<u64, Vec<(String, String)>>,
    variables: Vec<Variable>,
}

impl Table {
    fn read(file: &Path) -> Table {
        let mut table = Table::default();
        let number = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).expect("a number");
        for line in fs::read_to_string(file).expect("symbols").lines().filter(|line| !line.starts_with('#')) {
            match line.strip_prefix("= ") {
                Some(variable) => {
                    let words: Vec<&str> = variable.split_whitespace().collect();
                    let size = words[1].parse().expect("a number");
                    table.variables.push(Variable { name: words[2].into(), address: number(words[0]), size });
                }
                None => {
                    let (offset, rest) = line.split_once(' ').expect("an offset");
                    let (function, place) = rest.rsplit_once(' ').expect("a place");
                    table.frames.entry(number(offset)).or_default().push((function.into(), place.into()));
                }
            }
        }
        table
    }
}

impl Symbols for Table {
    fn frames(&mut self, module: &str, address: u64) -> Vec<Frame> {
        let Some(found) = self.frames.get(&address) else { return vec![Frame::bare(module, address)] };
        let frame = |(function, place): &(String, String)| {
            let mut parts = place.rsplitn(3, ':');
            let (column, line) = (parts.next().expect("column"), parts.next().expect("line"));
            Frame {
                function: Some(function.clone()),
                file: parts.next().map(str::to_string),
                line: line.parse().ok(),
                column: column.parse().ok(),
                ..Frame::bare(module, address)
            }
        };
        found.iter().map(frame).collect()
    }

    fn variable(&mut self, _: &str, address: u64) -> Option<Variable> {
        self.variables.iter().find(|variable| address.wrapping_sub(variable.address) < variable.size).cloned()
    }
}

struct Results {
    text: String,
    json: String,
    findings: Vec<Finding>,
    taken: Option<Taken>,
}

impl Results {
    fn take(&mut self, item: Item) {
        match item {
            Item::Report(report) => self.finding(report.finding()),
            Item::Deadlock(deadlock) => self.finding(deadlock.finding()),
            Item::Note(note) => self.text += &format!("note: {note}\n"),
            Item::Foreign(mismatch) => self.text += &format!("{mismatch}\n"),
            Item::Provoked(taken) => {
                self.text += &format!("provoked with value {}: {}\n", taken.used, taken.identity);
                self.taken = Some(*taken);
            }
            Item::Failure(failure) => {
                let taken = self.taken.as_ref().expect("it was provoked before");
                let consequence = taken.failure(*failure);
                self.text += &format!("{}: {}\n", consequence.effect.as_str(), consequence.message);
                self.text += &format!("  {}\n", consequence.stack[0]);
            }
            Item::Nothing | Item::Start | Item::Better(_) | Item::Known | Item::Suppressed | Item::End => {}
        }
    }

    fn finding(&mut self, finding: Finding) {
        self.text += &terminal::finding(&finding, None, &Look::default());
        self.json += &fencepost_report::json::finding(&finding);
        self.findings.push(finding);
    }

    fn sarif(&self) -> String {
        let origin = Origin { version: "0.0.0", folder: Some(Path::new("/srv")) };
        sarif::log(&self.findings, &[], &origin)
    }
}

fn report(stream: &Path) -> Results {
    let mut options = Options::default();
    if let Ok(list) = fs::read_to_string(stream.with_extension("supp")) {
        options.suppressions.add(&list).expect("a list of suppressions");
    }
    let table = Table::read(&stream.with_file_name("message-passing.symbols"));
    let (mut reporter, mut process) = (Reporter::new(options, table), Process::default());
    let mut results = Results { text: String::new(), json: String::new(), findings: Vec::new(), taken: None };
    for line in fs::read(stream).expect("a stream").split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let item = reporter.line(&mut process, line, &mut || None);
        results.take(item);
    }
    for item in reporter.due(&mut process, &mut || None) {
        results.take(item);
    }
    results.text += match reporter.leave(&process) {
        Ending::Silent => "the program was silent\n",
        Ending::Died => "the program died\n",
        Ending::Exited => "",
    };
    reporter.end_run();
    let ranks = Ranks::of(results.findings.iter().filter(|found| found.kind != Kind::Deadlock).map(Finding::rank));
    results.text += &text::summary(reporter.totals(), &ranks);
    results.text += &text::suppressions(reporter.suppressions());
    results.json += &json::summary(reporter.totals(), &ranks, None, None);
    results
}

fn compare(file: &Path, found: &str) {
    if std::env::var_os("FENCEPOST_BLESS").is_some() {
        fs::write(file, found).expect("a golden file");
    }
    let wanted = fs::read_to_string(file).unwrap_or_default();
    assert!(found == wanted, "{} differs (cargo xtask bless accepts):\n{found}", file.display());
}

fn streams() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    files
}

#[test]
fn streams_become_the_recorded_reports() {
    let streams = streams();
    assert!(streams.len() >= 5);
    for stream in streams {
        let results = report(&stream);
        compare(&stream.with_extension("txt"), &results.text);
        compare(&stream.with_extension("json"), &results.json);
        compare(&stream.with_extension("sarif"), &results.sarif());
        for (index, drawing) in results.findings.iter().filter_map(Drawing::of).enumerate() {
            compare(&stream.with_extension(format!("{}.svg", index + 1)), &drawing.svg());
        }
    }
}

/// What the schema of the standard cannot say.
#[test]
fn results_fit_their_rules_and_point_somewhere() {
    for stream in streams() {
        let results = report(&stream);
        let log: serde_json::Value = serde_json::from_str(&results.sarif()).expect("JSON");
        let run = &log["runs"][0];
        let found = run["results"].as_array().expect("results");
        assert_eq!(found.len(), results.findings.len());
        for result in found {
            let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().expect("an index") as usize];
            assert_eq!(rule["id"], result["ruleId"], "{}", stream.display());
            assert_eq!(rule["defaultConfiguration"]["level"], result["level"]);
            let places = result["locations"].as_array().expect("locations").len()
                + result["relatedLocations"].as_array().expect("related locations").len();
            assert!(places > 0, "{}: {}", stream.display(), result["message"]["text"]);
        }
    }
}

#[test]
fn the_same_deadlock_is_reported_once() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams");
    let stream = fs::read_to_string(folder.join("deadlock.jsonl")).expect("a stream");
    let mut reporter = Reporter::new(Options::default(), fencepost_sanitizer::symbols::NoSymbols);
    let mut reports = 0;
    // In the second run things are elsewhere, in the third a thread waits for something else.
    for run in [stream.clone(), stream.replace("16452", "32836"), stream.replace("value", "object")] {
        let mut process = Process::default();
        for line in run.lines() {
            let item = reporter.line(&mut process, line.as_bytes(), &mut || None);
            reports += usize::from(matches!(item, Item::Deadlock(_)));
        }
        assert_eq!(reporter.leave(&process), Ending::Exited);
    }
    assert_eq!((reports, reporter.totals().deadlocks), (2, 3));
}

#[test]
fn every_line_of_json_stands_alone_and_has_the_schema() {
    for stream in streams() {
        for line in report(&stream).json.lines() {
            let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
            assert_eq!(value["schema"], "fencepost/1");
        }
    }
}

#[test]
fn a_stale_value_that_keeps_a_loop_spinning_is_not_reported() {
    // The loop that spins is called by others than the load: they share what is to blame.
    let report = r#"{"ev":"report","tid":2,"addr":64,"size":4,"op":"load","stack":[77,78],
        "memory":{"kind":"unknown"},"found":{"kind":"robustness","order":"relaxed","time":1,
            "newest":{"value":2,"by":{"tid":1,"op":"store","order":"relaxed","stack":[9]}},
            "stale":[{"value":0},{"value":1,"by":{"tid":1,"op":"store","order":"relaxed","stack":[8]}}],
            "cut":false,"complete":false}}"#;
    let spin = |value: &u64| format!(r#"{{"ev":"spin","stack":[77,79],"value":{value}}}"#);
    let reporter = || Reporter::new(Options::default(), fencepost_sanitizer::symbols::NoSymbols);
    let run = |spins: &[u64]| {
        let (mut reporter, mut process) = (reporter(), Process::default());
        let item = reporter.line(&mut process, report.as_bytes(), &mut || None);
        assert_eq!(item, Item::Nothing, "it may be about a busy wait");
        for value in spins {
            reporter.line(&mut process, spin(value).as_bytes(), &mut || None);
        }
        reporter.due(&mut process, &mut || None).len()
    };
    assert_eq!([run(&[]), run(&[0]), run(&[0, 1]), run(&[0, 5])], [1, 1, 0, 1]);
    // A program that is to end after the first report waits for an answer: what spins is what has
    // spun before.
    let halting = |spins: &[u64]| {
        let (mut reporter, mut process) = (reporter(), Process::default());
        let protocol = fencepost_protocol::VERSION;
        let start = format!(
            r#"{{"ev":"start","protocol":{protocol},"pid":1,"exe":"/mp","argv":[],"options":{{"halt_on_error":"1"}}}}"#
        );
        let lines = [start].into_iter().chain(spins.iter().map(spin)).chain([report.to_string()]);
        let item = lines.map(|line| reporter.line(&mut process, line.as_bytes(), &mut || None)).last();
        match item.expect("an item") {
            Item::Report(_) => 1,
            Item::Suppressed => 0,
            item => panic!("{item:?}"),
        }
    };
    assert_eq!([halting(&[]), halting(&[0]), halting(&[0, 1])], [1, 1, 0]);
}

#[test]
fn reports_are_deduplicated_over_runs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams");
    let stream = fs::read(folder.join("message-passing.jsonl")).expect("a stream");
    let mut reporter = Reporter::new(Options::default(), fencepost_sanitizer::symbols::NoSymbols);
    let mut reports = 0;
    for _ in 0..3 {
        let mut process = Process::default();
        for line in stream.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            reports += usize::from(matches!(reporter.line(&mut process, line, &mut || None), Item::Report(_)));
        }
        let due = reporter.due(&mut process, &mut || None);
        reports += due.iter().filter(|item| matches!(item, Item::Report(_))).count();
        assert_eq!(reporter.leave(&process), Ending::Exited);
        reporter.end_run();
    }
    let totals = reporter.totals();
    assert_eq!((reports, totals.reports, totals.duplicates, totals.runs), (1, 1, 5, 3));
    assert_eq!(totals.seeds, [7, 7, 7]);
    assert_eq!((totals.figures.accesses, totals.figures.locations), (3 * 1234, 12));
}

/// A run that can be repeated tells more than one that cannot, and is reported in its place.
#[test]
fn a_report_gives_way_to_a_better_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams");
    let stream = fs::read_to_string(folder.join("race.jsonl")).expect("a stream");
    let mut reporter = Reporter::new(Options::default(), fencepost_sanitizer::symbols::NoSymbols);
    let mut exact = Vec::new();
    for schedule in ["os", "os", "random", "random", "os"] {
        let stream = stream.replace("\"schedule\":\"os\"", &format!("\"schedule\":\"{schedule}\""));
        let mut process = Process::default();
        for line in stream.lines() {
            match reporter.line(&mut process, line.as_bytes(), &mut || None) {
                Item::Report(report) => exact.push((false, report.reproduce.exact)),
                Item::Better(report) => exact.push((true, report.reproduce.exact)),
                _ => {}
            }
        }
        assert!(reporter.due(&mut process, &mut || None).is_empty());
        reporter.end_run();
    }
    assert_eq!(exact, [(false, false), (true, true)]);
    assert_eq!(reporter.totals().reports, 1);
}

/// A program and its children talk at the same time, each with its own threads and modules.
#[test]
fn processes_of_a_run_are_told_apart_and_reported_together() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/streams");
    let stream = fs::read_to_string(folder.join("message-passing.jsonl")).expect("a stream");
    let mut reporter = Reporter::new(Options::default(), fencepost_sanitizer::symbols::NoSymbols);
    let (mut program, mut child, mut quiet) = (Process::default(), Process::default(), Process::default());
    for line in stream.lines() {
        for process in [&mut program, &mut child] {
            reporter.line(process, line.as_bytes(), &mut || None);
        }
    }
    reporter.line(&mut quiet, stream.lines().next().expect("a line").as_bytes(), &mut || None);
    let mut reports = Vec::new();
    for process in [&mut program, &mut child, &mut quiet] {
        let due = reporter.due(process, &mut || None);
        reports.extend(due.into_iter().filter(|item| matches!(item, Item::Report(_))));
    }
    assert_eq!(reports.len(), 1, "{reports:?}");
    let endings = [&program, &child, &quiet].map(|process| reporter.leave(process));
    assert_eq!(endings, [Ending::Exited, Ending::Exited, Ending::Died]);
    reporter.end_run();
    let totals = reporter.totals();
    assert_eq!((totals.reports, totals.duplicates, totals.runs, totals.seeds.as_slice()), (1, 3, 1, &[7][..]));
    // Nobody has said anything: that is no run.
    reporter.end_run();
    assert_eq!(reporter.totals().runs, 1);
}

#[test]
fn a_process_of_another_version_is_named() {
    let mut reporter = Reporter::new(Options::default(), fencepost_sanitizer::symbols::NoSymbols);
    for (start, words) in [
        (r#"{"ev":"start","pid":4711,"exe":"/srv/mp","argv":[],"seed":7,"schedule":"os","options":{}}"#, "an older"),
        (r#"{"ev":"start","protocol":300,"something":"else"}"#, "a newer"),
    ] {
        let mut process = Process::default();
        let item = reporter.line(&mut process, start.as_bytes(), &mut || None);
        let Item::Foreign(mismatch) = item else { panic!("{item:?}") };
        let text = mismatch.to_string();
        assert!(text.contains(words) && text.contains("build it again with"), "{text}");
        assert_eq!(reporter.leave(&process), Ending::Silent);
    }
}
