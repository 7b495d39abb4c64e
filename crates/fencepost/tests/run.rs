//! `fencepost run` and `fencepost reporter` with a program that only plays its part: it sends
//! recorded streams.
#![cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use fencepost_testkit::compilers::{Compiler, some_compiler};
use fencepost_testkit::skipped;

/// The program, compiled once.
fn fake() -> &'static Path {
    static FAKE: OnceLock<PathBuf> = OnceLock::new();
    FAKE.get_or_init(|| {
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fake");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run/fake.c");
        let status = Command::new("cc").arg(source).arg("-o").arg(&program).status().expect("a C compiler");
        assert!(status.success());
        program
    })
}

fn stream(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fencepost-sanitizer/tests/streams").join(format!("{name}.jsonl"))
}

fn command(options: &[&str], name: &str, action: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.arg("run");
    if !options.contains(&"--schedule") {
        command.args(["--schedule", "os"]);
    }
    // The program plays the same part in every run.
    command.args(["--provoke", "0"]);
    command.args(options).arg("--").arg(fake()).arg(stream(name)).args(action).env_remove("FENCEPOST_OPTIONS");
    command
}

fn run(options: &[&str], name: &str, action: &[&str]) -> (Option<i32>, String, String) {
    seen(&command(options, name, action).output().expect("fencepost starts"))
}

fn seen(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_report_is_printed_and_gives_66() {
    let (code, out, err) = run(&[], "message-passing", &["exit", "3"]);
    assert_eq!(code, Some(66), "{err}");
    assert!(out.contains("exit code 0"), "the program keeps its own exit code: {out}");
    assert_eq!(err.matches("WARNING: fencepost: robustness violation (pid=4711)").count(), 1, "{err}");
    assert!(err.contains("\nSUMMARY: fencepost: robustness violation"), "{err}");
    assert!(err.contains("fencepost: 1 report in 1 run: 1234 atomic accesses checked"), "{err}");
    assert_eq!(run(&["--exitcode", "7"], "message-passing", &[]).0, Some(7));
}

#[test]
fn without_reports_the_exit_code_is_the_programs() {
    let none = ["--suppressions", "tests/run/everything.supp"];
    let run = |action: &[&str]| {
        let mut command = command(&none, "message-passing", action);
        seen(&command.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("fencepost starts"))
    };
    assert_eq!(run(&[]).0, Some(0));
    let (code, _, err) = run(&["exit", "3"]);
    assert_eq!(code, Some(3));
    assert!(err.contains("0 reports in 1 run") && err.contains("2 reports suppressed"), "{err}");
    let (code, _, err) = run(&["abort"]);
    assert_eq!(code, Some(128 + 6));
    assert!(err.contains("was ended by signal 6 (SIGABRT)"), "{err}");
}

#[test]
fn runs_are_reported_together() {
    let (code, out, err) = run(&["--runs", "3", "--seed", "5", "--schedule", "random"], "message-passing", &[]);
    assert_eq!(code, Some(66));
    assert_eq!(err.matches("WARNING").count(), 1, "{err}");
    assert!(err.contains("1 report in 3 runs") && err.contains("3 runs found something, with seed 7, 7, 7"), "{err}");
    for seed in 5..8 {
        assert!(out.contains(&format!("options seed={seed}:schedule=random\n")), "{out}");
    }
    let (_, out, _) =
        run(&["--seeds", "0..2", "--schedule", "pct:3", "--history", "32", "--no-spin-detection"], "race", &[]);
    assert!(out.contains("options seed=1:schedule=pct:3:history_size=32:spin_detection=0\n"), "{out}");
}

/// A stream of a program that waits for answers, as its options say.
fn halting_stream(name: &str) -> PathBuf {
    let text = fs::read_to_string(stream("message-passing")).expect("a stream");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.jsonl"));
    fs::write(&file, text.replace(r#""halt_on_error":"0""#, r#""halt_on_error":"1""#)).expect("a file");
    file
}

#[test]
fn options_in_the_environment_are_kept() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args(["run", "--schedule", "os", "--halt", "--"]).args([fake(), &halting_stream("options")]);
    let output = command.env("FENCEPOST_OPTIONS", "verbosity=1:seed=9").output().expect("fencepost starts");
    let (_, out, _) = seen(&output);
    assert!(out.contains("options verbosity=1:seed=9:seed=0:schedule=os:halt_on_error=1\n"), "{out}");
}

/// Without a schedule they take turns, and the command says so; with a time, for as long.
#[test]
fn schedules_take_turns() {
    let waits = stream("waits");
    let program = [fake(), waits.as_path()];
    for (options, words) in [
        (&["--runs", "4"][..], "2 runs under os, 1 under random, 1 under pct:3\n"),
        (&["--seeds", "5..6"], "1 run under os\n"),
        (&["--time", "1ms"], "in 1ms (--time)\n"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
        let output = command.arg("run").args(options).arg("--").args(program).env_remove("FENCEPOST_OPTIONS").output();
        let (_, _, err) = seen(&output.expect("fencepost starts"));
        assert!(err.contains(words), "{options:?}: {err}");
    }
}

/// What a project wants is found above the working directory, and what is wrong with it is named.
#[test]
fn projects_have_a_file() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("project");
    let below = directory.join("below");
    fs::create_dir_all(&below).expect("a directory");
    let run = |text: &str| {
        fs::write(directory.join("fencepost.toml"), text).expect("written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
        command.args(["run", "--runs", "2", "--"]).args([fake(), &stream("waits")]);
        seen(&command.current_dir(&below).env_remove("FENCEPOST_OPTIONS").output().expect("fencepost starts"))
    };
    let (_, _, err) = run("[run]\nschedules = [\"random\", \"pct:2\"]\n");
    assert!(err.contains("1 run under random, 1 under pct:2\n"), "{err}");
    let (code, _, err) = run("[run]\n\nscheduls = []\n");
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("fencepost.toml:3:1") && err.contains("did you mean `schedules`?"), "{err}");
}

#[test]
fn halting_stops_the_program_and_further_runs() {
    let output = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .args(["run", "--schedule", "os", "--halt", "--runs", "5", "--"])
        .args([fake(), &halting_stream("halts")])
        .output();
    let (code, out, err) = seen(&output.expect("fencepost starts"));
    assert_eq!((code, out.matches("answer h").count()), (Some(66), 1), "{out}{err}");
    assert!(err.contains("ended without the runtime's knowledge"), "{err}");
}

#[test]
fn each_report_is_drawn_if_asked_for() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("drawn/pictures");
    let _ = fs::remove_dir_all(&folder);
    let directory = folder.to_str().expect("UTF-8");
    let (code, _, err) = run(&["--graph", directory, "--runs", "2"], "waits", &[]);
    assert_eq!(code, Some(66), "{err}");
    for number in 1..=3 {
        let picture = folder.join(format!("report-{number}.svg"));
        assert_eq!(err.matches(&format!("  Picture: {}\n", picture.display())).count(), 1, "{err}");
        let text = fs::read_to_string(picture).expect("a picture");
        assert!(text.starts_with("<svg ") && text.contains("robustness violation"), "{text}");
    }
    assert_eq!(fs::read_dir(&folder).expect("a directory").count(), 3);
    let (_, out, _) = run(&["--graph", directory, "--format", "json"], "race", &[]);
    assert!(out.contains(&format!(r#""picture":"{directory}/report-1.svg""#)), "{out}");
    // A deadlock has no accesses that could be drawn.
    assert!(!run(&["--graph", directory], "deadlock", &[]).2.contains("Picture"));
    // What is no directory cannot hold pictures, and that is known before the program runs.
    let (code, out, err) = run(&["--graph", &format!("{directory}/report-1.svg")], "race", &[]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(err.starts_with("fencepost: error: cannot write pictures to `"), "{err}");
    // One picture that cannot be written is an error, too; what was found is told all the same.
    fs::remove_file(folder.join("report-1.svg")).expect("a picture");
    fs::create_dir(folder.join("report-1.svg")).expect("a directory in its place");
    let (code, _, err) = run(&["--graph", directory, "--runs", "3"], "race", &[]);
    assert_eq!((code, err.matches("WARNING").count()), (Some(2), 1), "{err}");
    assert!(err.contains("cannot write the results: `"), "{err}");
}

#[test]
fn json_and_sarif() {
    let (code, out, _) = run(&["--format", "json"], "message-passing", &[]);
    assert_eq!(code, Some(66));
    let lines: Vec<serde_json::Value> = out
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["property"], &lines[0]["access"]["op"]), (&"robustness".into(), &"load".into()));
    assert_eq!((&lines[1]["summary"]["reports"], &lines[1]["summary"]["runs"]), (&1.into(), &1.into()));
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("findings.sarif");
    let (code, _, err) = run(&["--format", "sarif", "-o", file.to_str().expect("UTF-8")], "race", &[]);
    assert_eq!((code, err.as_str()), (Some(66), ""));
    let log: serde_json::Value = serde_json::from_str(&fs::read_to_string(file).expect("a log")).expect("JSON");
    assert_eq!((&log["version"], &log["runs"][0]["results"][0]["ruleId"]), (&"2.1.0".into(), &"race".into()));
}

#[test]
fn a_page_has_what_was_found_in_runs() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("findings.html");
    let (code, _, err) = run(&["--format", "html", "-o", file.to_str().expect("UTF-8")], "message-passing", &[]);
    assert_eq!((code, err.as_str()), (Some(66), ""));
    let page = fs::read_to_string(file).expect("a page");
    let (_, data) = page.split_once("id=\"data\">").expect("there is data");
    let data: serde_json::Value = serde_json::from_str(data.split_once("</script>").expect("it ends").0).expect("JSON");
    let found = &data["findings"][0];
    assert_eq!((&found["evidence"], &found["accesses"][0]["mark"]), (&"observed".into(), &1.into()), "{found}");
    assert!(found["runs"][0]["steps"].is_array() && found["reproduce"]["command"].is_string(), "{found}");
    assert!(page.contains("1 report in 1 run"), "the figures are there");
}

#[test]
fn a_deadlock_is_told_in_every_format() {
    let told = "deadlock: all threads wait";
    let (code, out, err) = run(&["--format", "json", "--runs", "3", "--keep-going"], "deadlock", &["exit", "67"]);
    assert_eq!((code, err.matches(told).count()), (Some(67), 1), "{err}");
    let lines: Vec<serde_json::Value> = out
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let [deadlock, summary] = &lines[..] else { panic!("two lines: {out}") };
    assert_eq!((&deadlock["kind"], &deadlock["waiting"][1]["for"]), (&"deadlock".into(), &"object".into()));
    assert_eq!((&summary["summary"]["deadlocks"], &summary["summary"]["reports"]), (&3.into(), &0.into()));
    let (code, out, err) = run(&["--format", "sarif"], "deadlock", &["exit", "67"]);
    assert_eq!((code, err.matches(told).count()), (Some(67), 1), "{err}");
    let log: serde_json::Value = serde_json::from_str(&out[out.find('{').expect("a log")..]).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 1);
    assert_eq!((&results[0]["ruleId"], &results[0]["level"]), (&"deadlock".into(), &"error".into()));
    let (code, _, err) = run(&["--runs", "3"], "deadlock", &["exit", "67"]);
    assert_eq!((code, err.matches(told).count()), (Some(67), 1), "{err}");
    assert!(err.contains("in 1 run:"), "a deadlock ends the series: {err}");
}

#[test]
fn programs_that_end_badly_leave_what_was_found() {
    let (code, _, err) = run(&["--runs", "3"], "died", &["abort"]);
    assert_eq!(code, Some(66));
    assert!(err.contains("WARNING") && err.contains("signal 6 (SIGABRT)"), "{err}");
    assert!(err.contains("1 report in 1 run"), "a crash ends the series: {err}");
    assert!(err.contains("note: a line from the program is no message"), "{err}");
    let (_, _, err) = run(&["--runs", "3", "--keep-going"], "died", &["abort"]);
    assert!(err.contains("1 report in 3 runs"), "{err}");
    let (_, _, err) = run(&[], "died", &["quit", "1"]);
    assert!(err.contains("ended without the runtime's knowledge"), "{err}");
}

#[test]
fn programs_that_were_not_built_for_it_are_told_how() {
    let output = Command::new(env!("CARGO_BIN_EXE_fencepost")).args(["run", "--runs", "9", "--", "true"]).output();
    let (code, _, err) = seen(&output.expect("fencepost starts"));
    assert_eq!(code, Some(2));
    assert_eq!(err.matches("was not observed").count(), 1);
    assert!(err.contains("fencepost cc"), "{err}");
    let output = Command::new(env!("CARGO_BIN_EXE_fencepost")).args(["run", "/no/such/program"]).output();
    let (code, _, err) = seen(&output.expect("fencepost starts"));
    assert_eq!(code, Some(2));
    assert!(err.contains("cannot run `/no/such/program`"), "{err}");
}

/// Waits, but not for ever.
fn wait(mut child: Child) -> Output {
    let start = Instant::now();
    while child.try_wait().expect("a status").is_none() {
        assert!(start.elapsed() < Duration::from_secs(30), "it ends");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().expect("its output")
}

#[test]
fn signals_are_passed_on_and_the_report_is_written() {
    let mut command = command(&["--runs", "100"], "died", &["sleep"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("fencepost starts");
    // The program is there when it says its options.
    let mut out = [0; 7];
    child.stdout.as_mut().expect("piped").read_exact(&mut out).expect("output");
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill").success());
    let (code, _, err) = seen(&wait(child));
    assert!(err.contains("signal 15 (SIGTERM)"), "{err}");
    assert!(code == Some(66) || code == Some(128 + 15), "{code:?} {err}");
}

#[test]
fn children_report_to_the_same_reporter() {
    let (code, out, err) = run(&["--runs", "3"], "message-passing", &["fork"]);
    assert_eq!((code, out.matches("exit code 0").count()), (Some(66), 6), "{out}");
    assert_eq!(err.matches("WARNING").count(), 1, "{err}");
    assert!(err.contains("1 report in 3 runs: 7404 atomic accesses checked"), "{err}");
    assert!(err.contains("3 runs found something, with seed 7, 7, 7"), "{err}");
}

#[test]
fn a_program_of_another_version_is_told_what_to_do() {
    for (version, words) in
        [("0", "by an older fencepost: its runtime speaks version 1"), ("1", "by an older"), ("99", "by a newer")]
    {
        let mut command = command(&["--runs", "9"], "message-passing", &[]);
        command.env("FAKE_VERSION", version).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (code, out, err) = seen(&wait(command.spawn().expect("fencepost starts")));
        assert_eq!((code, out.matches("options").count()), (Some(2), 1), "{out}{err}");
        assert!(err.contains(words) && err.contains("build it again with"), "{err}");
        assert!(!err.contains("not built for the sanitizer"), "{err}");
    }
    // One that starts its reporter itself.
    let text = fs::read_to_string(stream("message-passing")).expect("a stream");
    let ours = format!("\"protocol\":{}", fencepost_protocol::VERSION);
    let theirs = format!("{ours}00");
    let (code, output) = hear_alone(text.replacen(&ours, &theirs, 1).as_bytes(), Stdio::piped());
    let (status, _, err) = seen(&output);
    assert_eq!((code, status), (2, Some(2)), "{err}");
    assert!(err.contains("by a newer fencepost") && err.matches('\n').count() == 1, "{err}");
}

#[test]
fn a_child_that_keeps_the_channel_open_does_not_keep_us() {
    let mut command = command(&[], "message-passing", &["linger"]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("fencepost starts");
    assert_eq!(wait(child).status.code(), Some(66));
}

/// A file that is always full.
fn full() -> fs::File {
    fs::OpenOptions::new().write(true).open("/dev/full").expect("a device")
}

#[test]
fn a_program_goes_on_when_its_reports_cannot_be_written() {
    for options in [&["-o", "/dev/full"][..], &["--format", "sarif", "-o", "/dev/full", "--runs", "9"]] {
        let mut command = command(options, "message-passing", &[]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("fencepost starts");
        let (code, out, err) = seen(&wait(child));
        assert!(out.contains("exit code 0"), "the program has its answer: {out}");
        assert_eq!((code, err.matches("cannot write the results: No space left").count()), (Some(2), 1), "{err}");
    }
    // Nobody is told any more, but the exit code is there.
    let mut command = command(&["--runs", "9"], "message-passing", &[]);
    let child = command.stdout(Stdio::piped()).stderr(full()).spawn().expect("fencepost starts");
    let (code, out, _) = seen(&wait(child));
    assert_eq!((code, out.matches("exit code 0").count()), (Some(2), 1), "further runs have no point: {out}");
}

#[test]
fn a_program_that_waits_for_answers_gets_them_when_its_reports_cannot_be_written() {
    for (halt, answer) in [(&["--halt"][..], "answer h"), (&[], "answer c")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
        command.args(["run", "--schedule", "os"]).args(halt).args(["-o", "/dev/full", "--"]);
        command.args([fake(), &halting_stream(&format!("unwritable{}", halt.len()))]);
        command.env("FENCEPOST_OPTIONS", "halt_on_error=1").stdout(Stdio::piped()).stderr(Stdio::piped());
        let (code, out, err) = seen(&wait(command.spawn().expect("fencepost starts")));
        assert_eq!(code, Some(2), "{out}{err}");
        assert!(out.contains(answer), "{out}{err}");
    }
}

#[test]
fn readers_that_do_not_read_do_not_keep_us() {
    let mut command = command(&["--format", "json", "--runs", "9"], "message-passing", &[]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("fencepost starts");
    drop(child.stdout.take());
    assert_eq!(wait(child).status.code(), Some(2));
    let mut command = self::command(&["--format", "json"], "message-passing", &[]);
    let child = command.stdout(full()).stderr(Stdio::piped()).spawn().expect("fencepost starts");
    let (code, _, err) = seen(&wait(child));
    assert_eq!(code, Some(2));
    assert!(err.contains("cannot write the results"), "{err}");
}

/// Lets a reporter, whose messages go to `errors`, hear a stream; its answer, and what becomes of
/// it.
fn report_alone(name: &str, errors: Stdio) -> (u8, Output) {
    hear_alone(&fs::read(stream(name)).expect("a stream"), errors)
}

fn hear_alone(messages: &[u8], errors: Stdio) -> (u8, Output) {
    let (mut ours, theirs) = UnixStream::pair().expect("a pair");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    let child = command.arg("reporter").stdin(OwnedFd::from(theirs)).stderr(errors).spawn().expect("fencepost starts");
    ours.write_all(messages).expect("written");
    let mut code = [0];
    ours.read_exact(&mut code).expect("an answer");
    drop(ours);
    (code[0], wait(child))
}

#[test]
fn a_reporter_that_cannot_write_says_so_by_the_exit_code_of_the_program() {
    let (code, output) = report_alone("message-passing", full().into());
    assert_eq!((code, output.status.code()), (2, Some(2)));
}

#[test]
fn the_reporter_of_a_program_that_runs_alone() {
    let (code, output) = report_alone("message-passing", Stdio::piped());
    assert_eq!(code, 66);
    let (status, _, err) = seen(&output);
    assert_eq!(status, Some(0));
    assert!(err.contains("WARNING: fencepost: robustness violation") && err.contains("1 report in 1 run"), "{err}");
}

/// Message passing, as weak as can be.
const MP: &str = "#include <pthread.h>
#include <stdatomic.h>
atomic_int data, flag;
static void *writer(void *p) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return p;
}
static void *reader(void *p) {
  if (atomic_load_explicit(&flag, memory_order_relaxed))
    atomic_load_explicit(&data, memory_order_relaxed);
  return p;
}
int main(void) {
  pthread_t w, r;
  pthread_create(&w, 0, writer, 0);
  pthread_create(&r, 0, reader, 0);
  pthread_join(w, 0);
  pthread_join(r, 0);
}
";

fn build(compiler: &Compiler, directory: &Path, source: &str) {
    fs::create_dir_all(directory).expect("a directory");
    fs::write(directory.join("mp.c"), source).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .args(["cc", "--compiler", &compiler.cc, "-O1", "-pthread", "mp.c", "-o", "mp"])
        .env("FENCEPOST_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cc-cache"))
        .current_dir(directory)
        .output();
    let (code, _, err) = seen(&output.expect("fencepost starts"));
    assert_eq!(code, Some(0), "{err}");
}

fn findings(directory: &Path, options: &[&str]) -> (Option<i32>, Vec<serde_json::Value>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.arg("run");
    if !options.contains(&"--schedule") {
        command.args(["--schedule", "os"]);
    }
    command.args(options).args(["--format", "json", "--", "./mp"]).current_dir(directory);
    let (code, out, _) = seen(&command.output().expect("fencepost starts"));
    (code, out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
}

#[test]
fn a_real_program_from_the_compiler_to_the_repair() {
    let compiler = match some_compiler() {
        Ok(compiler) => compiler,
        Err(reason) => return skipped("a_real_program_from_the_compiler_to_the_repair", &reason),
    };
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("real");
    build(&compiler, &directory, MP);
    let (code, lines) = findings(&directory, &["--schedule", "pct:2", "--seeds", "0..50"]);
    assert_eq!((code, lines.len()), (Some(66), 2), "{lines:?}");
    let report = &lines[0];
    assert_eq!((&report["access"]["line"], &report["access"]["function"]), (&11.into(), &"reader".into()));
    assert_eq!((&report["missed"]["line"], &report["missed"]["value"]), (&5.into(), &1.into()));
    assert_eq!((&report["stale"][0]["op"], &report["stale"][0]["value"]), (&"initial value".into(), &0.into()));
    assert_eq!((&report["location"]["kind"], &report["location"]["name"]), (&"global".into(), &"data".into()));
    assert_eq!((&report["shape"], &report["missing"][0]["why"]), (&"MP".into(), &"reads-from".into()));
    let advice = &report["suggestion"];
    assert_eq!(advice["reevaluated"], true);
    let edits: Vec<(u64, &str)> = advice["edits"]
        .as_array()
        .expect("edits")
        .iter()
        .map(|edit| (edit["line"].as_u64().expect("a line"), edit["change"].as_str().expect("a change")))
        .collect();
    assert_eq!(edits, [(6, "make the store release"), (10, "make the load acquire")]);

    // The command line that reproduces it does.
    let words: Vec<&str> = report["reproduce"].as_str().expect("a command").split(' ').collect();
    assert_eq!((words[0], report["reproducible"].as_bool()), ("fencepost", Some(true)));
    let options: Vec<&str> = words[2..].iter().copied().take_while(|&word| word != "--").collect();
    let (code, again) = findings(&directory, &options);
    assert_eq!((code, &again[0]["access"]["line"]), (Some(66), &11.into()));

    // What is suggested repairs it.
    let repaired = MP.replacen("&flag, 1, memory_order_relaxed", "&flag, 1, memory_order_release", 1).replacen(
        "&flag, memory_order_relaxed",
        "&flag, memory_order_acquire",
        1,
    );
    build(&compiler, &directory, &repaired);
    let (code, lines) = findings(&directory, &["--schedule", "pct:2", "--seeds", "0..50"]);
    assert_eq!((code, lines.len()), (Some(0), 1), "{lines:?}");
}

#[test]
fn a_program_that_may_not_have_enough_memory_says_so() {
    let compiler = match some_compiler() {
        Ok(compiler) => compiler,
        Err(reason) => return skipped("a_program_that_may_not_have_enough_memory_says_so", &reason),
    };
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory");
    build(&compiler, &directory, MP);
    // Not enough to begin with, and not enough later on.
    for limit in ["50000", "100000"] {
        let alone =
            Command::new("sh").args(["-c", &format!("ulimit -v {limit}; ./mp")]).current_dir(&directory).output();
        let script = format!("ulimit -v {limit}; exec ./mp");
        let watched = Command::new(env!("CARGO_BIN_EXE_fencepost"))
            .args(["run", "--schedule", "os", "--", "sh", "-c", &script])
            .current_dir(&directory)
            .output();
        for output in [alone, watched] {
            let (code, _, err) = seen(&output.expect("it starts"));
            assert_eq!(code, Some(1), "{limit}: {err}");
            assert!(err.contains("fencepost: there is not enough memory"), "{limit}: {err}");
            assert!(!err.contains("not observed"), "{limit}: {err}");
        }
    }
}

/// Store buffering with an assertion, beside a flag that may be old and does no harm.
const SB: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y, hint;
int a, b, seen;
static void *left(void *p) {
  atomic_store_explicit(&hint, 1, memory_order_relaxed);
  atomic_store_explicit(&x, 1, memory_order_release);
  a = atomic_load_explicit(&y, memory_order_acquire);
  return p;
}
static void *right(void *p) {
  atomic_store_explicit(&y, 1, memory_order_release);
  seen = atomic_load_explicit(&hint, memory_order_relaxed);
  b = atomic_load_explicit(&x, memory_order_acquire);
  return p;
}
int main(void) {
  pthread_t l, r;
  pthread_create(&l, 0, left, 0);
  pthread_create(&r, 0, right, 0);
  pthread_join(l, 0);
  pthread_join(r, 0);
  assert(a || b);
}
";

#[test]
fn reports_are_provoked_and_ranked_by_what_follows() {
    let compiler = match some_compiler() {
        Ok(compiler) => compiler,
        Err(reason) => return skipped("reports_are_provoked_and_ranked_by_what_follows", &reason),
    };
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("provoked");
    build(&compiler, &directory, SB);
    let run = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
        command.arg("run").args(options).args(["--", "./mp"]).current_dir(&directory);
        seen(&command.output().expect("fencepost starts"))
    };
    let series = ["--schedule", "random", "--seeds", "0..60"];
    let (code, _, err) = run(&series);
    assert_eq!(code, Some(66), "{err}");
    let [failure, harmless] =
        ["Consequence: When it uses value 0, assertion `a || b` fails", "harmless as far as runs show (in"]
            .map(|words| err.find(words).unwrap_or_else(|| panic!("{words}: {err}")));
    assert!(failure < harmless, "the worst comes first: {err}");
    assert_eq!(err.matches("WARNING").count(), 2, "{err}");
    let line = err[harmless..].lines().nth(1).expect("a line for each of them");
    assert!(line.contains("mp.c:14") && line.contains("Nothing visible followed in "), "{line}");
    assert!(err.contains(": 2 reports that a failure follows from, 1 harmless as far as runs show"), "{err}");

    // In full, or not at all.
    let (_, _, err) = run(&[&series[..], &["--all"]].concat());
    assert_eq!((err.matches("WARNING").count(), err.matches("Consequence: Nothing visible").count()), (3, 1), "{err}");
    let (_, _, err) = run(&[&series[..], &["--provoke", "0"]].concat());
    assert_eq!((err.matches("WARNING").count(), err.matches("Consequence").count()), (3, 0), "{err}");
    for (rank, code) in [("any", 66), ("failure", 66), ("race", 0)] {
        assert_eq!(run(&[&series[..], &["--fail-on", rank]].concat()).0, Some(code), "{rank}");
    }

    // The command of a consequence shows it, and nothing else.
    let (_, out, _) = run(&[&series[..], &["--format", "json"]].concat());
    let reports: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let ranks: Vec<Option<u64>> = reports.iter().map(|report| report["rank"].as_u64()).collect();
    assert_eq!(ranks, [Some(2), Some(2), Some(4), None], "{out}");
    let severities: Vec<_> = reports[..3].iter().map(|report| report["severity"].as_str()).collect();
    assert_eq!(severities, [Some("error"), Some("error"), Some("note")]);
    assert_eq!(reports[3]["summary"]["ranks"]["failure"], 2);
    let consequence = &reports[0]["provoked"]["consequence"];
    assert_eq!((&consequence["kind"], &consequence["stack"][0]["line"]), (&"assertion".into(), &24.into()));
    let text = consequence["reproduce"].as_str().expect("a command");
    let options: Vec<&str> = text.split(' ').skip(2).take_while(|&word| word != "--").collect();
    let (code, _, err) = run(&options);
    assert_eq!((code, err.matches("Consequence: When").count()), (Some(66), 1), "{err}");
    assert!(err.contains("Assertion `a || b' failed"), "what the program says is heard: {err}");
    let (code, _, err) = run(&["--provoke-at", "mp+0x1,sometimes"]);
    assert!(code == Some(2) && err.contains("`,oldest` or `,newest`"), "{err}");
}

/// Of every finding what is the same in every run, its rank included.
fn told(out: &str) -> (Vec<String>, serde_json::Value) {
    let lines: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (summary, findings) = lines.split_last().expect("a summary");
    let place = |access: &serde_json::Value| format!("{} {}:{}", access["op"], access["line"], access["column"]);
    let line = |found: &serde_json::Value| {
        let other = if found["missed"].is_null() { &found["other"] } else { &found["missed"] };
        format!("{} {}: {}, {}", found["rule"], found["rank"], place(&found["access"]), place(other))
    };
    let mut counts = summary["summary"].clone();
    let fields = counts.as_object_mut().expect("figures");
    // Each part provokes for itself.
    fields.retain(|name, _| name != "shard" && name != "provoked");
    (findings.iter().map(line).collect(), counts)
}

/// What the parts of a series have found, is what the whole series finds, however many they are.
#[test]
fn parts_of_a_series_are_joined_to_the_whole() {
    let compiler = match some_compiler() {
        Ok(compiler) => compiler,
        Err(reason) => return skipped("parts_of_a_series_are_joined_to_the_whole", &reason),
    };
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sanitizer");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shards");
    fs::create_dir_all(&directory).expect("a directory");
    let fencepost = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
        command.args(words).current_dir(&directory).env_remove("FENCEPOST_OPTIONS");
        command.env("FENCEPOST_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cc-cache"));
        seen(&command.output().expect("fencepost starts"))
    };
    let mut found = 0;
    for (program, orders, options) in [
        ("ranked/passed-on.c", ["-DPASS=rlx", "-DTAKE=rlx"], &["--schedule", "random", "--provoke", "0"][..]),
        ("ranked/passed-on.c", ["-DPASS=rlx", "-DTAKE=rlx"], &["--schedule", "random"]),
        ("ranked/bakery.c", ["-DSTORE=rlx", "-DLOAD=rlx"], &["--schedule", "random", "--provoke", "0"]),
        ("races/publish.c", ["-DSTORE=rlx", "-DLOAD=rlx"], &["--schedule", "pct:2", "--steps", "50", "--provoke", "0"]),
    ] {
        let source = programs.join(program).display().to_string();
        let built = fencepost(&[
            "cc",
            "--compiler",
            &compiler.cc,
            "-O1",
            "-g",
            "-pthread",
            orders[0],
            orders[1],
            &source,
            "-o",
            "part",
        ]);
        assert_eq!(built.0, Some(0), "{program}: {}", built.2);
        let run = |more: &[&str]| {
            let series = ["run", "--seeds", "0..24", "--keep-going", "--format", "json"];
            fencepost(&[&series[..], options, more, &["--", "./part"]].concat())
        };
        let (code, out, _) = run(&[]);
        let whole = told(&out);
        found += whole.0.len();
        for of in [1, 2, 3, 5] {
            let mut files: Vec<String> = (1..=of).map(|number| format!("{number}.json")).collect();
            for (number, file) in (1..).zip(&files) {
                run(&["--shard", &format!("{number}/{of}"), "-o", file]);
            }
            // In any order.
            files.rotate_left(of / 2);
            let names: Vec<&str> = files.iter().map(String::as_str).collect();
            let (merged_code, merged, err) = fencepost(&[&["merge", "--format", "json"], &names[..]].concat());
            assert_eq!(told(&merged), whole, "{program} {options:?} in {of}: {err}");
            assert_eq!(merged_code, code, "{program} {options:?} in {of}: {err}");
        }
    }
    assert!(found >= 4, "{found}: there is something to be joined");
}

#[test]
fn what_are_no_parts_of_one_series_is_not_joined() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-shards");
    fs::create_dir_all(&directory).expect("a directory");
    let file = |name: &str| directory.join(name).display().to_string();
    let part = |name: &str, options: &[&str], stream: &str| {
        let series = ["--seeds", "0..4", "--format", "json", "-o"];
        run(&[&series[..], &[&file(name)], options].concat(), stream, &[]);
    };
    part("1", &["--shard", "1/2"], "message-passing");
    part("2", &["--shard", "2/2"], "message-passing");
    part("more-history", &["--shard", "2/2", "--history", "32"], "message-passing");
    part("of-three", &["--shard", "2/3"], "message-passing");
    part("other", &["--shard", "2/2"], "race");
    part("whole", &[], "message-passing");
    let text = fs::read_to_string(file("2")).expect("a report");
    fs::write(file("cut"), &text[..text.len() / 2]).expect("a file");
    fs::write(file("none"), "").expect("a file");
    fs::write(file("schema"), text.replace("fencepost/1", "fencepost/9")).expect("a file");
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(text.contains(&version), "{text}");
    fs::write(file("old"), text.replace(&version, "\"version\":\"0.0.1\"")).expect("a file");
    let check = "{\"schema\":\"fencepost/1\",\"verdict\":\"robust\"}\n";
    fs::write(file("check"), check).expect("a file");
    let merge = |names: &[&str], options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
        command.arg("merge").args(names.iter().map(|name| file(name))).args(options);
        seen(&command.output().expect("fencepost starts"))
    };
    for (other, message) in [
        ("1", "part 1 of 2 was given before"),
        ("more-history", "--history is"),
        ("of-three", "the number of parts is"),
        ("other", "the program is"),
        ("whole", "made without `--shard`"),
        ("cut", "cut:2:"),
        ("none", "there is no summary"),
        ("schema", "`fencepost/9`, and not `fencepost/1`"),
        ("old", "made by fencepost 0.0.1"),
        ("check", "an answer of another command"),
        ("missing", "No such file"),
    ] {
        let (code, out, err) = merge(&["1", other], &[]);
        assert!(code == Some(2) && out.is_empty() && err.contains(message), "{other}: {code:?} {out} {err}");
    }
    // What one part has found is told, and that it is not all.
    let (code, _, err) = merge(&["1"], &[]);
    assert!(code == Some(66) && err.contains("part 2 of 2 is missing"), "{code:?} {err}");
    assert_eq!(merge(&["1"], &["--fail-on", "race"]).0, Some(2), "not all is known");
    assert_eq!(merge(&["1", "2"], &["--fail-on", "race"]).0, Some(0));
    assert_eq!(merge(&["2", "1"], &["--exitcode", "7"]).0, Some(7));
    let (_, sarif, _) = merge(&["2", "1"], &["--format", "sarif"]);
    let sarif: serde_json::Value = serde_json::from_str(&sarif).expect("a log");
    assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(1));
    let (code, _, err) = run(&["--schedule", "all", "--shard", "1/2"], "message-passing", &[]);
    assert!(code == Some(2) && err.contains("`--shard` cannot be used here"), "{err}");
}
