//! Building and running a program, natively or under the sanitizer, and comparing what is reported.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use fencepost_testkit::compilers::Compiler;
use fencepost_testkit::repetitions;
use serde_json::Value;

use crate::ranks;
use crate::soak;
use crate::suite::{Case, Expected, Finding, RunLine, Seeds, Suggested};

/// Longest run. A program that takes longer hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// The exit code of `fencepost run` when something was reported.
pub(crate) const REPORTED: i32 = 66;

fn answers(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Why the sanitizer cannot be tried with this build of fencepost.
pub(crate) fn missing_sanitizer() -> Option<String> {
    let works = answers(Command::new(env!("CARGO_BIN_EXE_fencepost")).args(["cc", "--version"]));
    (!works).then(|| "this fencepost has no sanitizer".into())
}

/// Why the case cannot be built with this compiler, if it needs something that not every compiler
/// has. Each question is asked once.
pub(crate) fn missing(case: &Case, compiler: &Compiler) -> Option<String> {
    static KNOWN: Mutex<BTreeMap<(String, String), bool>> = Mutex::new(BTreeMap::new());
    let header = case.needs.as_ref()?;
    let program = if case.cpp { &compiler.cxx } else { &compiler.cc };
    let libraries = case.flags.iter().filter(|flag| flag.starts_with("-stdlib") || flag.starts_with("-fopenmp"));
    let libraries: Vec<&str> = libraries.map(String::as_str).collect();
    let question = format!("<{header}> {}", libraries.join(" ")).trim_end().to_string();
    let mut known = KNOWN.lock().expect("nobody panics with it");
    let there = *known.entry((program.clone(), question.clone())).or_insert_with(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sanitizer").join("needs").join(program);
        let source = folder.join(if case.cpp { "needs.cpp" } else { "needs.c" });
        let written = fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&source, format!("#include <{header}>\nint main(void) {{ return 0; }}\n")));
        let mut build = Command::new(program);
        build.args(&case.flags).arg("-o").arg(folder.join("needs")).arg(&source);
        written.is_ok() && answers(&mut build) && answers(&mut Command::new(folder.join("needs")))
    });
    (!there).then(|| format!("{program} cannot build with {question}"))
}

/// How a program is built.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Native,
    Sanitized,
}

/// Builds the case in a folder of its own, and returns that; the program is called `program`.
fn build(case: &Case, compiler: &Compiler, mode: Mode) -> Result<PathBuf, String> {
    // What soaks for an hour must not be in the way of other tests.
    let kind = match mode {
        Mode::Native => "native",
        Mode::Sanitized if soak::runs().is_some() => "soak",
        Mode::Sanitized => "sanitized",
    };
    let name = case.name.replace(['/', '#'], "-");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sanitizer").join(kind).join(&compiler.cc).join(name);
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let program = if case.cpp { &compiler.cxx } else { &compiler.cc };
    let command = || {
        let mut command = match mode {
            Mode::Native => {
                let mut command = Command::new(program);
                command.arg("-I").arg(root().join("crates/fencepost-runtime/include"));
                command.args(["-Wall", "-Wextra", "-Werror", "-pthread"]);
                command
            }
            Mode::Sanitized => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
                command.args([if case.cpp { "c++" } else { "cc" }, "--compiler", program, "-pthread"]);
                command
            }
        };
        command.arg(if case.cpp { "-std=gnu++17" } else { "-std=gnu11" }).arg("-g").args(&case.flags);
        command
    };
    if let Some(library) = &case.library {
        let output = folder.join(library.with_extension("so").file_name().expect("a library has a name"));
        succeed(command().args(["-shared", "-fPIC", "-o"]).arg(output).arg(library))?;
    }
    let source = source(case, &folder)?;
    succeed(command().arg("-o").arg(folder.join("program")).arg(source).arg("-ldl"))?;
    Ok(folder)
}

/// The source of a case in C or C++; that of a program of the corpus is exported first.
fn source(case: &Case, folder: &Path) -> Result<PathBuf, String> {
    if case.path.extension().is_none_or(|ext| ext != "fp") {
        return Ok(case.path.clone());
    }
    let source = folder.join("program.c");
    let mut export = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    succeed(export.arg("export").arg(&case.path).args(["--to", "c", "-o"]).arg(&source))?;
    Ok(source)
}

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn succeed(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}\n{}", String::from_utf8_lossy(&output.stderr)))
}

/// What a process did.
pub(crate) struct Done {
    pub(crate) status: ExitStatus,
    pub(crate) output: String,
}

/// Runs a command to its end, or for as long as there is patience.
pub(crate) fn run(command: &mut Command, patience: Duration) -> Result<Done, String> {
    // A group of its own: what it has started must end with it.
    command.process_group(0);
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|error| format!("{command:?}: {error}"))?;
    let (mut stdout, mut stderr) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    let gather = |stream: &mut dyn std::io::Read| {
        let mut bytes = Vec::new();
        // A stream that breaks has said all it had to say.
        let _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    };
    thread::scope(|scope| {
        let out = scope.spawn(|| gather(&mut stdout));
        let err = scope.spawn(|| gather(&mut stderr));
        let start = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) if start.elapsed() > patience => {
                    let group = format!("-{}", child.id());
                    let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
                    break child.wait().map_err(|error| error.to_string()).and(Err("it does not end".to_string()));
                }
                Ok(None) => thread::sleep(Duration::from_millis(2)),
                Err(error) => break Err(error.to_string()),
            }
        };
        let output = [out.join(), err.join()].map(|text| text.unwrap_or_default()).concat();
        match status {
            Ok(status) => Ok(Done { status, output }),
            Err(error) => Err(format!("{command:?}: {error}\n{output}")),
        }
    })
}

/// Builds a case as an ordinary program, without warnings. What is correct is run as well: it must
/// do what it promises without our help.
pub(crate) fn native(case: &Case, compiler: &Compiler) -> Result<(), String> {
    let folder = build(case, compiler, Mode::Native)?;
    if !matches!(case.expected, Expected::Silent) {
        return Ok(());
    }
    let mut tried: Vec<&[String]> = Vec::new();
    for line in &case.runs {
        if !tried.contains(&line.args.as_slice()) {
            tried.push(&line.args);
            let mut command = Command::new("./program");
            command.current_dir(&folder).args(&line.args);
            let done = run(&mut command, PATIENCE)?;
            if done.status.code() != case.exit {
                return Err(format!("{command:?}: {}\n{}", done.status, done.output));
            }
        }
    }
    Ok(())
}

/// Builds a case with the sanitizer, runs it as its comments say, and compares what is reported.
pub(crate) fn sanitized(case: &Case, compiler: &Compiler) -> Result<(), String> {
    let folder = build(case, compiler, Mode::Sanitized)?;
    let expected = case.expected.findings();
    let mut missing: Vec<&Finding> = expected.iter().collect();
    let mut not_suggested: Vec<&Suggested> = case.suggested.iter().collect();
    let (mut runs, mut repeated) = (0, case.waits_outside);
    for line in &case.runs {
        for series in series(line, case) {
            if !expected.is_empty() && missing.is_empty() && not_suggested.is_empty() && !line.every {
                break;
            }
            let reports = once(case, &folder, line, &series)?;
            if let (false, Some(report)) = (repeated, reports.iter().find(|report| report["reproducible"] == true)) {
                repeat(&folder, report)?;
                repeated = true;
            }
            runs += series.count();
            for suggested in reports.iter().flat_map(suggestions) {
                if !case.suggested.is_empty() && !case.suggested.contains(&suggested) {
                    return Err(format!("not to be suggested: {} at line {}", suggested.change, suggested.line));
                }
                not_suggested.retain(|wanted| **wanted != suggested);
            }
            missing.retain(|finding| !reports.iter().any(|report| matches(report, finding)));
            let absent = |finding: &&Finding| !reports.iter().any(|report| matches(report, finding));
            if let (true, Some(finding)) = (line.every, expected.iter().find(absent)) {
                return Err(format!("`{}` is not found by every run of {:?}", finding.text, line.options));
            }
        }
    }
    if missing.is_empty() && not_suggested.is_empty() {
        return ranks::check(case, &folder);
    }
    let mut message = format!("not found in {runs} runs:\n");
    for suggested in not_suggested {
        let _ = writeln!(message, "  suggestion: {} at line {}", suggested.change, suggested.line);
    }
    for finding in missing {
        let _ = writeln!(message, "  {}", finding.text);
    }
    Err(message)
}

/// Runs that are made by one command, which learns from each how long the next one will be.
struct Series {
    seeds: Range<u64>,
    /// Are these seeds, or just a number of runs?
    seeded: bool,
}

impl Series {
    fn count(&self) -> u64 {
        self.seeds.end - self.seeds.start
    }
}

/// Most runs of a series, if they end when something is found.
const LONGEST: u64 = 32;
/// Most runs of a series that get an argument that depends on the first seed.
const ALIKE: u64 = 8;

/// The runs to make. What must never report anything is tried more often on request.
fn series(line: &RunLine, case: &Case) -> Vec<Series> {
    let silent = matches!(case.expected, Expected::Silent);
    let many = |runs: u64| if silent { repetitions(runs) } else { runs };
    let (seeded, mut from, to) = match line.seeds {
        Seeds::Runs(runs) => (false, 0, many(runs)),
        Seeds::Range(from, to) => (true, from, from + many(to - from)),
    };
    let varies = line.args.iter().any(|arg| arg == "SEED");
    // An exit code that must be that of each run is looked at after each run.
    let single = line.every || !matches!(case.exit, None | Some(0));
    let mut length = match single || !silent {
        true => 1,
        false => to - from,
    };
    let mut all = Vec::new();
    while from < to {
        let longest = match (varies, silent) {
            (true, _) => ALIKE,
            (false, false) => LONGEST,
            (false, true) => u64::MAX,
        };
        let count = length.min(longest).min(to - from);
        all.push(Series { seeds: from..from + count, seeded });
        from += count;
        length = if single { 1 } else { length.saturating_mul(2) };
    }
    all
}

/// Does the command that a report prints show it again?
fn repeat(folder: &Path, report: &Value) -> Result<(), String> {
    let text = report["reproduce"].as_str().unwrap_or_default();
    let done = again(folder, text)?;
    let same = |other: &Value| {
        ["file", "line", "op"].iter().all(|key| other["access"][key] == report["access"][key])
            && other["kind"] == report["kind"]
    };
    match done.output.lines().filter_map(self::report).any(|other| same(&other)) {
        true => Ok(()),
        false => Err(format!("`{text}` does not show again: {}\n{}", summary(report), done.output)),
    }
}

/// What the command of a report does, with reports in JSON.
pub(crate) fn again(folder: &Path, text: &str) -> Result<Done, String> {
    let ours = Path::new(env!("CARGO_BIN_EXE_fencepost")).parent().expect("a file is in a folder");
    let path = format!("{}:{}", ours.display(), std::env::var("PATH").unwrap_or_default());
    let text = text.replacen(" run ", " run --format json ", 1);
    let mut command = Command::new("sh");
    command.current_dir(folder).env("PATH", path).args(["-c", &text]);
    let mut done = run(&mut command, PATIENCE)?;
    // Programs of the corpus give up after a while, which is no matter of the schedule.
    for _ in 0..20 {
        if !done.output.contains("gave up:") {
            break;
        }
        done = run(&mut command, PATIENCE)?;
    }
    Ok(done)
}

/// A series of runs: their reports, all of which are expected or allowed.
fn once(case: &Case, folder: &Path, line: &RunLine, series: &Series) -> Result<Vec<Value>, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.current_dir(folder).args(["run", "--format", "json", "--provoke", "0"]).args(&line.options);
    let Range { start, end } = series.seeds;
    match series.seeded {
        true => command.args(["--seeds", &format!("{start}..{end}")]),
        false => command.args(["--runs", &series.count().to_string()]),
    };
    let seed = start.to_string();
    let args = line.args.iter().map(|arg| if arg == "SEED" { &seed } else { arg });
    command.args(["--", "./program"]).args(args);
    let done = run(&mut command, PATIENCE * u32::try_from(series.count().div_ceil(10)).unwrap_or(u32::MAX))?;
    let (deadlocks, reports): (Vec<Value>, Vec<Value>) =
        done.output.lines().filter_map(report).partition(|report| report["kind"] == "deadlock");
    if matches!(case.expected, Expected::Deadlock) != !deadlocks.is_empty() {
        return Err(format!("{command:?}: {} deadlocks\n{}", deadlocks.len(), done.output));
    }
    if done.output.contains("\"fencepost_runtime::") {
        return Err(format!("{command:?}: the runtime is in a stack\n{}", done.output));
    }
    let counted = done.output.lines().find_map(accesses);
    if counted.is_none_or(|counted| counted < case.accesses) {
        return Err(format!("{command:?}: {counted:?} accesses counted\n{}", done.output));
    }
    let wanted = if reports.is_empty() { case.exit } else { Some(REPORTED) };
    let code = done.status.code();
    if code.is_none() || wanted.is_some() && code != wanted {
        return Err(format!("{command:?}: {} instead of {wanted:?}\n{}", done.status, done.output));
    }
    let known = |report: &Value| {
        matches!(case.expected, Expected::Anything)
            || case.expected.findings().iter().chain(&case.allowed).any(|finding| matches(report, finding))
    };
    match reports.iter().find(|report| !known(report)) {
        Some(report) => Err(format!("{command:?}: not expected: {}\n{}", summary(report), done.output)),
        None => Ok(reports),
    }
}

/// A line of the output that is a report, or a deadlock.
pub(crate) fn report(line: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(line).ok()?;
    (value["schema"] == "fencepost/1" && value["kind"].is_string()).then_some(value)
}

/// The atomic accesses that a line of the output has counted, if it is the summary.
fn accesses(line: &str) -> Option<u64> {
    serde_json::from_str::<Value>(line).ok()?["summary"]["accesses"].as_u64()
}

/// What a report suggests, if it was evaluated.
fn suggestions(report: &Value) -> Vec<Suggested> {
    let suggestion = &report["suggestion"];
    let edits = suggestion["edits"].as_array().filter(|_| suggestion["reevaluated"] == true);
    let suggested = |edit: &Value| Suggested {
        change: edit["change"].as_str().unwrap_or_default().to_string(),
        line: edit["line"].as_u64().unwrap_or_default(),
    };
    edits.into_iter().flatten().map(suggested).collect()
}

pub(crate) fn matches(report: &Value, finding: &Finding) -> bool {
    let same_kind = finding.kind.as_deref().is_none_or(|kind| report["kind"] == kind);
    let same_op = finding.op.as_deref().is_none_or(|op| {
        let actual = report["access"]["op"].as_str().unwrap_or_default();
        actual == op || actual.strip_prefix(op).is_some_and(|rest| rest.starts_with('-'))
    });
    let same_location = finding.location.as_deref().is_none_or(|location| is_at(&report["location"], location));
    let line = |access: &str| {
        let file = Path::new(report[access]["file"].as_str()?).file_name()?;
        report[access]["line"].as_u64().filter(|_| *file == *finding.file)
    };
    let mut lines: Vec<u64> = ["access", "other"].into_iter().filter_map(line).collect();
    let take = |wanted: &u64| match lines.iter().position(|line| line == wanted) {
        Some(position) => {
            lines.remove(position);
            true
        }
        None => false,
    };
    let same_lines = match (finding.kind.as_deref(), finding.lines.as_slice()) {
        (Some("robustness"), [wanted]) => line("access") == Some(*wanted),
        (_, wanted) => wanted.iter().all(take),
    };
    let same_remedy = !finding.unguarded || report["unguarded"] == true;
    same_kind && same_op && same_location && same_lines && same_remedy
}

/// Is this the location: a variable of that name or a part of it, or memory of that kind?
fn is_at(actual: &Value, location: &str) -> bool {
    if matches!(location, "heap" | "stack") {
        return actual["kind"] == location;
    }
    let name = actual["name"].as_str().unwrap_or_default();
    let is_part = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    name.strip_prefix(location).is_some_and(is_part)
}

fn summary(report: &Value) -> String {
    let access = &report["access"];
    format!("{} {} of {} at line {}", report["kind"], access["op"], report["location"]["name"], access["line"])
}
