//! `cargo xtask explored DIR`: every schedule of tests whose executions another tool has counted.
//!
//! DIR has the layout of the tests of GenMC (Kokologiannakis and Vafeiadis, CAV 2021), or is a part
//! of them. A test is a folder with programs in `variants/`. Beside them, each line of
//! `args.sc.mo.in` has options of GenMC, `|`, and options of the compiler, and the same line of
//! `expected.sc.mo.in` has the number of executions under SC. A path in options is relative to the
//! folder that has `tests`. What lies in a folder `wrong` has a defect, and no count is needed.
//!
//! Counts may differ where the answer is right. GenMC leaves out rounds of loops that fail and write
//! nothing. We leave out those that read one location, and make those that read several. So of
//! `treiber-stack` we see 22 executions, and GenMC counts 18: in the other four, the compare-and-swap
//! of `pop` fails once, after a round that has read `top` and `next`. Of `fcombiner-async` we see 44
//! at `-O1`, and GenMC counts 24: a waiting loop reads `is_done` and `takeover`. With
//! `__VERIFIER_assume(0)` where it has found nothing in either, we see 24, too.
//!
//! With `--weak`, every execution is explored, those that are not SC included, and counts are
//! compared with those under RC11. They differ where C++20 does, and by rounds as above: with
//! `--weak` we leave out all that change nothing.
//!
//! A test without a defect must end with EXHAUSTED; or it is not robust, and nothing else is wrong.
//! Which of the two it must be is known, too: there is a number of executions under RC11, and the
//! test is robust against RC11 if and only if it is the same. A data race may be reported only where
//! GenMC was told not to look for races. Differences that have an explanation are in
//! `explored-differences.txt`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::bench::process;
use crate::files;

const DIFFERENCES: &str = include_str!("../explored-differences.txt");
/// Where programs are built.
const BUILT: &str = "target/explored";
/// To compile a test takes no longer.
const COMPILING: Duration = Duration::from_secs(60);

/// How tests are compiled, until the answer is right. Without optimisation a loop that waits is harder
/// to know: what it has read in the last round is still on the stack. With it, plain reads that
/// nobody needs are gone, and so are their races.
const LEVELS: [&str; 2] = ["-O1", "-O0"];

/// What was asked for.
struct Options {
    dir: PathBuf,
    /// Parts of names of tests; none means all.
    names: Vec<String>,
    seconds: u64,
    jobs: u64,
    /// Are executions explored that are not SC?
    weak: bool,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Options, String> {
        let mut options = Options { dir: PathBuf::new(), names: Vec::new(), seconds: 30, jobs: 1, weak: false };
        let mut arguments = arguments.iter();
        let mut dir = None;
        while let Some(argument) = arguments.next() {
            let mut number = || -> Result<u64, String> {
                let value = arguments.next().ok_or_else(|| format!("{argument} needs a number"))?;
                value.parse().map_err(|_| format!("{argument} needs a number, not `{value}`"))
            };
            match argument.as_str() {
                "--seconds" => options.seconds = number()?,
                "--jobs" => options.jobs = number()?,
                "--weak" => options.weak = true,
                flag if flag.starts_with('-') => return Err(format!("unknown option `{flag}`")),
                name if dir.is_none() => dir = Some(PathBuf::from(name)),
                name => options.names.push(name.to_string()),
            }
        }
        let dir = dir.ok_or("give the directory with the tests")?;
        options.dir = dir.canonicalize().map_err(|error| format!("{}: {error}", dir.display()))?;
        Ok(options)
    }

    fn selects(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|part| name.contains(part.as_str()))
    }
}

/// A program with what is known of it.
struct Test {
    name: String,
    source: PathBuf,
    /// Options of the compiler.
    flags: Vec<String>,
    /// Executions under SC; none if it has a defect.
    sc: Option<u64>,
    /// Executions under RC11.
    rc11: Option<u64>,
    /// Are races no matter?
    may_race: bool,
    /// How often loops go round, if that is bounded.
    rounds: Option<u64>,
}

/// What we say of it.
struct Answer {
    verdict: String,
    executions: u64,
    blocked: u64,
    redundant: u64,
    seconds: f64,
    why: Vec<String>,
    bugs: Vec<String>,
}

impl Answer {
    fn has(&self, bug: &str) -> bool {
        self.bugs.iter().any(|found| found.contains(bug))
    }

    /// Is something wrong besides that there are executions which are not SC?
    fn fails(&self) -> bool {
        self.bugs.iter().any(|bug| !bug.contains("not robust") && !bug.contains("data race"))
    }
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let options = Options::parse(arguments)?;
    let fencepost = files::fencepost()?;
    let mut tests = Vec::new();
    collect(&options, &options.dir, &mut tests)?;
    println!("| test | SC | RC11 | ours | blocked | redundant | seconds | per second | answer | |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|---|---|");
    let mut tally: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for test in &tests {
        let (answer, kind, remark) = best(&fencepost, &options, test);
        let explained = difference(&test.name);
        let kind = if is_right(kind) || explained.is_none() { kind } else { "explained" };
        *tally.entry(kind).or_default() += 1;
        if !is_right(kind) {
            wrong.push(test.name.clone());
        }
        println!("{}", row(test, answer.as_ref(), kind, explained.unwrap_or(&remark)));
    }
    println!();
    tally.iter().for_each(|(kind, count)| println!("{count} {kind}"));
    match wrong.len() {
        0 => Ok(()),
        count => Err(format!("{count} of {} are to be looked at: {}", tests.len(), wrong.join(", "))),
    }
}

/// All tests below.
fn collect(options: &Options, dir: &Path, tests: &mut Vec<Test>) -> Result<(), String> {
    let mut below: Vec<PathBuf> = std::fs::read_dir(dir)
        .map_err(|error| format!("{}: {error}", dir.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    below.sort();
    let variants = dir.join("variants");
    if !variants.is_dir() {
        return below.iter().try_for_each(|dir| collect(options, dir, tests));
    }
    let base = dir.ancestors().find(|dir| dir.join("tests").is_dir()).unwrap_or(dir);
    let Some((area, name)) = dir.strip_prefix(base.join("tests")).ok().and_then(|path| path.to_str()?.split_once('/'))
    else {
        return Ok(());
    };
    if !options.selects(&format!("{area}/{name}")) || !["correct", "wrong"].contains(&area) {
        return Ok(());
    }
    let lines = |file: &str| -> Vec<String> {
        let text = std::fs::read_to_string(dir.join(file)).unwrap_or_default();
        text.lines().filter(|line| !line.trim().is_empty()).map(str::to_string).collect()
    };
    let numbers = |file: &str| -> Vec<u64> { lines(file).iter().filter_map(|line| line.trim().parse().ok()).collect() };
    let (sc, rc11) = (numbers("expected.sc.mo.in"), numbers("expected.rc11.mo.in"));
    if area == "correct" && sc.is_empty() {
        return Ok(());
    }
    let mut arguments = lines(if area == "correct" { "args.sc.mo.in" } else { "args.rc11.wb.in" });
    if arguments.is_empty() {
        arguments.push("|".into());
    }
    let programs: Vec<PathBuf> = std::fs::read_dir(&variants)
        .map_err(|error| format!("{}: {error}", variants.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "c" || extension == "cpp"))
        .collect();
    for (number, arguments) in arguments.iter().enumerate() {
        let (theirs, flags) = arguments.split_once('|').unwrap_or((arguments, ""));
        // Executions of barriers, counted in another way.
        if theirs.contains("-disable-bam") {
            continue;
        }
        let flags: Vec<String> = flags
            .split_whitespace()
            .map(|flag| match flag.strip_prefix("-I") {
                Some(path) => format!("-I{}", base.join(path).display()),
                None => flag.to_string(),
            })
            .collect();
        let mut programs = programs.clone();
        programs.sort();
        for source in programs {
            let stem = source.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let defines: Vec<&str> = flags.iter().filter_map(|flag| flag.strip_prefix("-D")).collect();
            tests.push(Test {
                name: [format!("{area}/{name}/{stem}")]
                    .into_iter()
                    .chain(defines.iter().map(|d| d.to_string()))
                    .collect::<Vec<_>>()
                    .join(" "),
                source: source.clone(),
                flags: flags.clone(),
                sc: sc.get(number).copied().filter(|_| area == "correct"),
                rc11: rc11.get(number).copied().filter(|_| area == "correct"),
                may_race: theirs.contains("disable-race-detection"),
                rounds: theirs.split_whitespace().find_map(|option| option.strip_prefix("-unroll=")?.parse().ok()),
            });
        }
    }
    Ok(())
}

/// The first answer that is right, or the first.
fn best(fencepost: &Path, options: &Options, test: &Test) -> (Option<Answer>, &'static str, String) {
    let mut first = None;
    for level in LEVELS {
        let (answer, kind, remark) = match explore(fencepost, options, test, level) {
            Ok(answer) => {
                let (kind, remark) = if options.weak { judge_weak(test, &answer) } else { judge(test, &answer) };
                (Some(answer), kind, remark)
            }
            Err(reason) => (None, "not built", first_line(&reason)),
        };
        if is_right(kind) {
            return (answer, kind, remark);
        }
        first.get_or_insert((answer, kind, remark));
    }
    first.unwrap_or((None, "not built", String::new()))
}

/// Builds the test and explores it.
fn explore(fencepost: &Path, options: &Options, test: &Test, level: &str) -> Result<Answer, String> {
    let built = std::env::current_dir().map_err(|error| error.to_string())?.join(BUILT);
    std::fs::create_dir_all(&built).map_err(|error| format!("{}: {error}", built.display()))?;
    let program = built.join("test");
    let mut build = Command::new(fencepost);
    let is_cpp = test.source.extension().is_some_and(|extension| extension == "cpp");
    build.arg(if is_cpp { "c++" } else { "cc" }).args(["-w", "-pthread", "-g", level]).args(&test.flags);
    build.arg("-o").arg(&program).arg(&test.source);
    let compiled = process::run(build, COMPILING)?;
    if !compiled.status.success() {
        return Err(compiled.complaint);
    }
    let mut command = Command::new(fencepost);
    command.args(["run", "--schedule", "all", "--keep-going", "--format", "json"]);
    command.args(["--jobs", &options.jobs.to_string(), "--timeout", &format!("{}s", options.seconds)]);
    if options.weak {
        command.arg("--weak");
    }
    if let Some(rounds) = test.rounds {
        command.args(["--spins", &rounds.to_string()]);
    }
    // Some tests write files.
    command.current_dir(&built).arg("--").arg(&program);
    let run = process::run(command, Duration::from_secs(4 * options.seconds + 60))?;
    let summary = run.output.lines().rev().find_map(|line| {
        let value = serde_json::from_str::<Value>(line).ok()?;
        Some(value["summary"]["exploration"].clone()).filter(Value::is_object)
    });
    let summary = summary.ok_or_else(|| format!("no answer: {}", run.complaint))?;
    let texts = |value: &Value, of: fn(&Value) -> &Value| -> Vec<String> {
        let all = value.as_array().map(Vec::as_slice).unwrap_or_default();
        all.iter().filter_map(|value| of(value).as_str().map(str::to_string)).collect()
    };
    let number = |key: &str| summary[key].as_u64().unwrap_or_default();
    Ok(Answer {
        verdict: summary["verdict"].as_str().unwrap_or_default().to_string(),
        executions: number("executions"),
        blocked: number("blocked"),
        redundant: number("redundant"),
        seconds: summary["seconds"].as_f64().unwrap_or_default(),
        why: texts(&summary["why"], |why| why),
        bugs: texts(&summary["bugs"], |bug| &bug["bug"]),
    })
}

/// Is the answer right, and if so, the number of executions?
fn judge(test: &Test, answer: &Answer) -> (&'static str, String) {
    let Some(sc) = test.sc else {
        return match answer.bugs.first() {
            Some(bug) => ("right, a defect", bug.clone()),
            None => ("not found", answer.why.join("; ")),
        };
    };
    if answer.has("data race") {
        return if test.may_race { ("right, it races", String::new()) } else { ("a race", String::new()) };
    }
    let is_robust = test.rc11.is_none_or(|rc11| rc11 == sc);
    let says_robust = !answer.has("not robust");
    // A thread that waits for ever is no failure to GenMC, and no execution either.
    if sc == 0 && answer.executions == 0 && answer.bugs.iter().all(|bug| bug.contains("deadlock")) {
        return ("right, no execution ends", String::new());
    }
    if answer.fails() {
        return ("a failure", answer.bugs.iter().find(|bug| !bug.contains("not robust")).cloned().unwrap_or_default());
    }
    if answer.verdict == "unknown" {
        return ("not decided", answer.why.join("; "));
    }
    if is_robust != says_robust {
        return ("robustness differs", format!("{} executions under RC11", test.rc11.unwrap_or(sc)));
    }
    if !answer.why.is_empty() && answer.verdict != "bounded" {
        return ("right, not all seen", answer.why.join("; "));
    }
    match answer.executions == sc {
        true => ("right", String::new()),
        false => ("right, another count", String::new()),
    }
}

/// The same of all executions, those that are not SC included.
fn judge_weak(test: &Test, answer: &Answer) -> (&'static str, String) {
    match (test.rc11, answer.bugs.first()) {
        (None, Some(bug)) if test.sc.is_none() => ("right, a defect", bug.clone()),
        (None, None) if test.sc.is_none() => ("not found", answer.why.join("; ")),
        (None, _) => ("right, but no count is known", String::new()),
        _ if answer.has("data race") && test.may_race => ("right, it races", String::new()),
        (Some(_), Some(bug)) => ("a failure", bug.clone()),
        _ if answer.verdict == "unknown" => ("not decided", answer.why.join("; ")),
        (Some(rc11), None) if rc11 == answer.executions => ("right", String::new()),
        (Some(_), None) => ("right, another count", String::new()),
    }
}

fn is_right(kind: &str) -> bool {
    kind.starts_with("right") || kind == "explained"
}

fn row(test: &Test, answer: Option<&Answer>, kind: &str, remark: &str) -> String {
    let count = |count: Option<u64>| count.map_or(String::new(), |count| count.to_string());
    let (said, figures) = match answer {
        Some(answer) => {
            let runs = answer.executions + answer.blocked + answer.redundant;
            let rate = runs as f64 / answer.seconds.max(1e-3);
            let figures =
                [answer.executions, answer.blocked, answer.redundant].map(|count| count.to_string()).join(" | ");
            (answer.verdict.as_str(), format!("{figures} | {:.1} | {rate:.0}", answer.seconds))
        }
        None => ("", " | | | | ".to_string()),
    };
    let remark = if remark.is_empty() { kind.to_string() } else { format!("{kind}: {remark}") };
    format!("| {} | {} | {} | {figures} | {said} | {remark} |", test.name, count(test.sc), count(test.rc11))
}

/// Why we differ about a test, from lines `PART OF NAME: reason`.
fn difference(name: &str) -> Option<&'static str> {
    let lines = DIFFERENCES.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": "));
    lines.into_iter().find_map(|(what, reason)| name.contains(what).then_some(reason))
}

fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| line.contains("error")).or(text.lines().next());
    line.unwrap_or_default().to_string()
}
