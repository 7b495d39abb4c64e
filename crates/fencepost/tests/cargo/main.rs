//! `cargo fencepost` with a workspace of its own: nothing is fetched. What cannot be tried here is
//! listed as ignored, with the reason.
#![cfg(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu"))]

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

type Test = fn(&Project) -> Result<(), String>;

const TESTS: [(&str, Test); 23] = [
    ("correct_tests_are_silent", correct_tests_are_silent),
    ("optimised_tests_are_silent", optimised_tests_are_silent),
    ("a_race_is_found_and_its_patch_mends_it", a_race_is_found_and_its_patch_mends_it),
    ("stacks_show_what_helps", stacks_show_what_helps),
    ("a_page_shows_the_source", a_page_shows_the_source),
    ("findings_name_their_program_and_test", findings_name_their_program_and_test),
    ("correct_uses_of_the_library_are_silent", correct_uses_of_the_library_are_silent),
    ("wrong_uses_of_the_library_are_found", wrong_uses_of_the_library_are_found),
    ("every_schedule_of_wrong_uses_is_explored", every_schedule_of_wrong_uses_is_explored),
    ("marked_tests_are_explored", marked_tests_are_explored),
    ("waits_for_conditions_end_early", waits_for_conditions_end_early),
    ("no_proof_with_the_prebuilt_library", no_proof_with_the_prebuilt_library),
    ("what_is_not_seen_is_said", what_is_not_seen_is_said),
    ("executions_that_are_not_sc_are_explored", executions_that_are_not_sc_are_explored),
    ("examples_run_with_their_arguments", examples_run_with_their_arguments),
    ("c_of_build_scripts_is_watched", c_of_build_scripts_is_watched),
    ("benchmarks_run", benchmarks_run),
    ("failing_tests_fail", failing_tests_fail),
    ("lists_of_tests_are_not_watched", lists_of_tests_are_not_watched),
    ("what_cannot_be_done_is_refused", what_cannot_be_done_is_refused),
    ("the_prebuilt_library_is_announced", the_prebuilt_library_is_announced),
    ("another_llvm_is_noticed", another_llvm_is_noticed),
    ("a_damaged_library_is_made_again", a_damaged_library_is_made_again),
];

fn main() {
    let arguments = Arguments::from_args();
    let reason = missing();
    let trial = |(name, test): (&'static str, Test)| match &reason {
        None => Trial::test(name, move || test(&Project::new(name)?).map_err(Failed::from)),
        Some(reason) => Trial::test(name, || Ok(())).with_kind(format!("skipped: {reason}")).with_ignored_flag(true),
    };
    libtest_mimic::run(&arguments, TESTS.into_iter().map(trial).collect()).exit();
}

/// Why nothing can be tried here.
fn missing() -> Option<String> {
    let said = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim_end().to_string())
    };
    if said(env!("CARGO_BIN_EXE_fencepost"), &["cc", "--version"]).is_none() {
        return Some("this fencepost has no sanitizer, or there is no compiler".into());
    }
    let Some(version) = said("rustc", &["-vV"]) else { return Some("rustc is not installed".into()) };
    if !version.contains("host: x86_64-unknown-linux-gnu") {
        return Some("the compiler is for another host".into());
    }
    let library = PathBuf::from(said("rustc", &["--print", "sysroot"])?).join("lib");
    let names = fs::read_dir(&library).ok()?.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    if !names.into_iter().any(|name| name.starts_with("libLLVM")) {
        return Some("the compiler's LLVM is not a library of its own".into());
    }
    let standard = library.join("rustlib/x86_64-unknown-linux-gnu/lib");
    let mut libraries = fs::read_dir(&standard).ok()?.flatten().map(|entry| entry.path());
    let core = libraries
        .find(|path| path.to_string_lossy().contains("/libcore-") && path.extension().is_some_and(|it| it == "rlib"));
    match core.and_then(|core| fs::read(core).ok()) {
        Some(bytes) if bytes.windows(8).any(|bytes| bytes == b".llvmbc\0") => None,
        Some(_) => Some("the standard library carries no bitcode".into()),
        None => Some("there is no standard library for the target".into()),
    }
}

/// A copy of the project.
struct Project {
    folder: PathBuf,
}

/// What a command came to.
struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Said {
    /// It ended with this code, and each of the texts is there.
    fn expect(&self, code: i32, texts: &[&str]) -> Result<(), String> {
        let missing = texts.iter().find(|text| !self.out.contains(**text) && !self.err.contains(**text));
        match (self.code == Some(code), missing) {
            (true, None) => Ok(()),
            (true, Some(text)) => Err(format!("no `{text}` in\n{}{}", self.out, self.err)),
            (false, _) => Err(format!("{:?} instead of {code}\n{}{}", self.code, self.out, self.err)),
        }
    }
}

impl Project {
    fn new(name: &str) -> Result<Project, String> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cargo").join(name);
        let _ = fs::remove_dir_all(&folder);
        for (from, to) in [("tests/cargo/project", ""), ("../fencepost-test", "fencepost-test")] {
            copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(from), &folder.join(to))
                .map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        Ok(Project { folder })
    }

    /// `cargo fencepost`, with the words of the text.
    fn command(&self, words: &str) -> Command {
        let ours = Path::new(env!("CARGO_BIN_EXE_cargo-fencepost")).parent().expect("a file is in a folder");
        let others = env::var_os("PATH").unwrap_or_default();
        let path: OsString =
            env::join_paths([ours.to_path_buf()].into_iter().chain(env::split_paths(&others))).unwrap_or(others);
        let mut command = Command::new("cargo");
        command.arg("fencepost").args(words.split_whitespace()).current_dir(&self.folder).env("PATH", path);
        // What the cargo that runs us has set is not for the one that we run.
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            let is_cargos = text.starts_with("CARGO") && text != "CARGO_HOME";
            let is_ours = text.starts_with("FENCEPOST_") && text != "FENCEPOST_CC" && text != "FENCEPOST_CXX";
            if is_cargos
                || is_ours
                || text.starts_with("RUSTFLAGS")
                || text.starts_with("RUSTDOC")
                || text.starts_with("RUSTC")
            {
                command.env_remove(&name);
            }
        }
        command.env("CARGO_NET_OFFLINE", "true").env("FENCEPOST_CACHE_DIR", cache()).stdin(Stdio::null());
        command
    }

    fn run(&self, words: &str) -> Result<Said, String> {
        said(&mut self.command(words))
    }

    fn file(&self, name: &str) -> Result<String, String> {
        fs::read_to_string(self.folder.join(name)).map_err(|error| format!("{name}: {error}"))
    }
}

/// Where all of these tests keep the instrumented library.
fn cache() -> PathBuf {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cargo/cache");
    fs::create_dir_all(&cache).expect("a folder for the tests");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o755)).expect("it is ours");
    cache
}

fn said(command: &mut Command) -> Result<Said, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Said { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) })
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name()))?,
            false => drop(fs::copy(entry.path(), to.join(entry.file_name()))?),
        }
    }
    Ok(())
}

/// Unit tests, integration tests and doctests of a workspace, with a build script, a procedural
/// macro, C, and flags of the user.
fn correct_tests_are_silent(project: &Project) -> Result<(), String> {
    let said = project.run("test -p names -p queue --fencepost --runs 3")?;
    let wanted =
        ["test hands_over ... ok", "(line 11) ... ok", "queue: stress: no reports in 3 runs", "queue: doctest: no"];
    said.expect(0, &wanted)?;
    // The manifest of the package says which schedule.
    match said.err.contains("under pct") {
        true => Err(format!("the project's own schedule is not used\n{}", said.err)),
        false => Ok(()),
    }
}

fn optimised_tests_are_silent(project: &Project) -> Result<(), String> {
    project.run("test --release --tests --fencepost --schedule pct:3 --runs 5")?.expect(0, &["no reports in 5 runs"])
}

fn a_race_is_found_and_its_patch_mends_it(project: &Project) -> Result<(), String> {
    let words = "test -p queue --test stress --features broken --fencepost --schedule random --runs 10 \
                 --format sarif -o log.sarif --patch mend.patch --junit junit.xml";
    project.run(words)?.expect(66, &["queue: stress: 1 report in 10 runs"])?;
    let log: Value = serde_json::from_str(&project.file("log.sarif")?).map_err(|error| error.to_string())?;
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    if place != "queue/src/lib.rs" {
        return Err(format!("{place} is blamed"));
    }
    let junit = project.file("junit.xml")?;
    if !junit.contains("failures=\"1\"") || !junit.contains("in stress::hands_over") {
        return Err(junit);
    }
    let patch = project.file("mend.patch")?;
    if !patch.contains("+        self.full.store(true, Ordering::Release);") {
        return Err(patch);
    }
    // Paths are those of version control, where there is any: here, those of whoever keeps us.
    let path = patch.lines().find_map(|line| line.strip_prefix("+++ b/")).unwrap_or_default();
    let strip = path.split('/').count() - "queue/src/lib.rs".split('/').count() + 1;
    let mut apply = Command::new("patch");
    apply.arg(format!("-p{strip}")).args(["-i", "mend.patch"]).current_dir(&project.folder);
    let Ok(applied) = said(&mut apply) else { return Ok(()) };
    applied.expect(0, &[])?;
    project.run(words)?.expect(0, &["queue: stress: no reports in 10 runs"])
}

/// Of the library's frames, those that the program calls; with `--all`, every frame.
fn stacks_show_what_helps(project: &Project) -> Result<(), String> {
    let words = "test -p queue --test stress --features broken --fencepost --schedule random --runs 10";
    let is_library = |line: &str| line.contains("/rustc/library/");
    let pairs = |text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        lines.windows(2).filter(|pair| is_library(pair[0]) && (is_library(pair[1]) || pair[1].is_empty())).count()
    };
    let short = project.run(words)?;
    short.expect(66, &["runs a test: created by main thread in Rust's test library", "::spawn"])?;
    if pairs(&short.err) > 0 || !short.err.lines().any(is_library) {
        return Err(short.err);
    }
    let full = project.run(&format!("{words} --all"))?;
    full.expect(66, &["test::run_test"])?;
    if pairs(&full.err) == 0 { Err(full.err) } else { Ok(()) }
}

fn a_page_shows_the_source(project: &Project) -> Result<(), String> {
    let words = "test -p queue --test stress --features broken --fencepost --schedule random --runs 10 --format html -o found.html";
    project.run(words)?.expect(66, &[])?;
    let page = project.file("found.html")?;
    let data = page.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>")).map(|(data, _)| data);
    let data: Value = serde_json::from_str(data.ok_or("no data")?).map_err(|error| error.to_string())?;
    let (file, finding) = (data["findings"][0]["accesses"][0]["file"].as_str(), &data["findings"][0]);
    let has_source = file.is_some_and(|file| data["sources"][file].as_str().is_some_and(|text| text.contains("full")));
    let is_named = page.contains("queue: stress: 1 report in 10 runs");
    match finding["category"] == "race" && has_source && is_named {
        true => Ok(()),
        false => Err(data.to_string()),
    }
}

fn findings_name_their_program_and_test(project: &Project) -> Result<(), String> {
    let words =
        "test -p queue --test stress --features broken --fencepost --schedule random --runs 10 --format json -o found";
    project.run(words)?.expect(66, &[])?;
    let text = project.file("found")?;
    let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let [race, summary] = &lines[..] else { return Err(text) };
    let edit = &race["suggestion"]["edits"][0];
    let is_good = race["rule"] == "race"
        && race["test"] == "stress::hands_over"
        && race["program"] == "queue: stress"
        && summary["program"] == "queue: stress"
        && edit["change"] == "make the store `Ordering::Release`"
        && edit["kind"] == "release";
    if is_good { Ok(()) } else { Err(text) }
}

fn correct_uses_of_the_library_are_silent(project: &Project) -> Result<(), String> {
    for profile in ["", "--release"] {
        let words = format!("test -p primitives --test correct {profile} --fencepost --runs 9 --format json -o found");
        let said = project.run(&words)?;
        // What is not robust is told, and is no race.
        let races = project.file("found")?.lines().filter(|line| line.contains("\"rule\":\"race\"")).count();
        if races > 0 || !said.out.contains("20 passed; 0 failed") {
            return Err(format!("{}{}{}", said.out, said.err, project.file("found")?));
        }
    }
    Ok(())
}

fn wrong_uses_of_the_library_are_found(project: &Project) -> Result<(), String> {
    let words = "test -p primitives --test broken --fencepost --schedule random --runs 20 --wrapper primitives::Plain \
                 --format json -o found";
    project.run(words)?.expect(66, &["20 passed; 0 failed"])?;
    let text = project.file("found")?;
    let findings = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let races = findings.filter(|finding| finding["rule"] == "race");
    let found: BTreeSet<String> = races.filter_map(|race| Some(race["test"].as_str()?.to_string())).collect();
    let source = project.file("primitives/tests/broken.rs")?;
    let tests = tests_in(&source).into_iter();
    let missed: Vec<&str> = tests.filter(|name| !found.contains(&format!("broken::{name}"))).collect();
    if missed.is_empty() { Ok(()) } else { Err(format!("not found: {missed:?}")) }
}

/// The summary says of each test how it is.
fn verdicts(said: &Said) -> BTreeMap<String, String> {
    let lines = said.err.lines().skip_while(|line| !line.ends_with(" watched"));
    let of = |line: &str| {
        let (_, rest) = line.strip_prefix("  primitives: ")?.split_once(": ")?;
        let (test, outcome) = rest.split_once(": ")?;
        Some((test.to_string(), outcome.split_once(',')?.0.to_string()))
    };
    lines.filter_map(of).collect()
}

/// The names of the tests in a file of the project.
fn tests_in(source: &str) -> Vec<&str> {
    let names = source.split("#[test]").skip(1).filter_map(|test| test.trim_start().strip_prefix("fn "));
    names.filter_map(|test| Some(test.split_once('(')?.0)).collect()
}

fn every_schedule_of_wrong_uses_is_explored(project: &Project) -> Result<(), String> {
    let words = "test -p primitives --test broken --fencepost --schedule all --wrapper primitives::Plain \
                 --format json -o found --junit junit.xml";
    let said = project.run(words)?;
    said.expect(66, &[": condvar: BUG, ", ": a data race"])?;
    let verdicts = verdicts(&said);
    let source = project.file("primitives/tests/broken.rs")?;
    let tests = tests_in(&source);
    if tests.len() != 20 || tests.iter().any(|test| verdicts.get(*test).is_none_or(|verdict| verdict != "BUG")) {
        return Err(said.err);
    }
    let junit = project.file("junit.xml")?;
    if !junit.contains("tests=\"20\" failures=\"20\"") || !junit.contains("--in-test") {
        return Err(junit);
    }
    let text = project.file("found")?;
    let findings = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let races = findings.filter(|finding| finding["rule"] == "race" && finding["test"].is_string());
    if races.count() < 20 { Err(text) } else { Ok(()) }
}

/// Nothing is said but that the tests are to be tried: those that are marked are explored.
fn marked_tests_are_explored(project: &Project) -> Result<(), String> {
    // It waits in a loop that counts.
    let skipped = "one_shot";
    let said = project.run(&format!("test -p primitives --test small -- --skip {skipped}"))?;
    said.expect(0, &[": join: EXHAUSTED, 1 execution\n", ": choices: EXHAUSTED, 2 executions\n"])?;
    let verdicts = verdicts(&said);
    let source = project.file("primitives/tests/small.rs")?;
    let tests: Vec<&str> = tests_in(&source).into_iter().filter(|test| *test != skipped).collect();
    match tests.len() == 15 && tests.iter().all(|test| verdicts.get(*test).is_some_and(|it| it == "EXHAUSTED")) {
        true => Ok(()),
        false => Err(said.err),
    }
}

fn waits_for_conditions_end_early(project: &Project) -> Result<(), String> {
    let said = project.run("test -p primitives --test hasty")?;
    said.expect(66, &[])?;
    let found = verdicts(&said);
    if found.len() != 3 || found.values().any(|verdict| verdict != "BUG") {
        return Err(said.err);
    }
    let words = "test -p primitives --test patient";
    let said = self::said(project.command(words).env("CARGO_PROFILE_DEV_OPT_LEVEL", "1"))?;
    said.expect(0, &[])?;
    let found = verdicts(&said);
    if found.len() != 2 || found.values().any(|verdict| verdict != "EXHAUSTED") {
        return Err(said.err);
    }
    // What is left on the stack differs without optimisation.
    project.run(&format!("{words} -- --exact in_turn"))?.expect(3, &["in_turn: UNKNOWN", "use `wait_while`"])
}

fn no_proof_with_the_prebuilt_library(project: &Project) -> Result<(), String> {
    let words = "test -p primitives --test small --fencepost --std prebuilt -- --exact choices";
    project.run(words)?.expect(3, &["choices: UNKNOWN", "the standard library is not watched (--std prebuilt)"])
}

fn what_is_not_seen_is_said(project: &Project) -> Result<(), String> {
    let words = "test -p primitives --test small --fencepost --max-runs 3 --junit junit.xml -- --exact rw_lock";
    project.run(words)?.expect(3, &["rw_lock: UNKNOWN, 3 executions: there were to be no more than 3 runs"])?;
    let junit = project.file("junit.xml")?;
    if junit.contains("skipped=\"1\"") { Ok(()) } else { Err(junit) }
}

fn executions_that_are_not_sc_are_explored(project: &Project) -> Result<(), String> {
    let words = "test -p primitives --test small --fencepost --weak --timeout 5m -- --exact fences";
    project.run(words)?.expect(0, &["no failure in any execution under cpp20", "fences: EXHAUSTED, 2 executions"])
}

fn examples_run_with_their_arguments(project: &Project) -> Result<(), String> {
    project
        .run("run -p queue --example native --fencepost --runs 2")?
        .expect(0, &["counted to 2", "no reports in 2 runs"])
}

fn c_of_build_scripts_is_watched(project: &Project) -> Result<(), String> {
    let said = project.run("run -p queue --example native --fencepost --schedule random --runs 5 -- both")?;
    said.expect(66, &["data race", "native.c:4", "queue::count"])
}

fn benchmarks_run(project: &Project) -> Result<(), String> {
    project.run("bench -p queue --fencepost --runs 2")?.expect(0, &["filled", "queue: fill: no reports in 2 runs"])
}

fn failing_tests_fail(project: &Project) -> Result<(), String> {
    let said = project.run("test -p queue --lib --fencepost --runs 2 -- --ignored")?;
    said.expect(101, &["panicked at", "as it should", "no reports in 2 runs"])
}

fn lists_of_tests_are_not_watched(project: &Project) -> Result<(), String> {
    let said = project.run("test -p queue --test stress -- --list")?;
    said.expect(0, &["hands_over: test"])?;
    match said.err.contains("fencepost: ") {
        true => Err(said.err),
        false => Ok(()),
    }
}

fn what_cannot_be_done_is_refused(project: &Project) -> Result<(), String> {
    for (words, text) in [
        ("check", "there are test, run, build and bench"),
        ("test --target wasm32-unknown-unknown", "target `wasm32-unknown-unknown`"),
        ("test --fencepost --nonsense", "--nonsense"),
        ("test -p queue --lib --fencepost --schedule all --runs 3", "`--runs` cannot be used here"),
    ] {
        project.run(words)?.expect(2, &[text])?;
    }
    Ok(())
}

fn the_prebuilt_library_is_announced(project: &Project) -> Result<(), String> {
    project.run("build -p queue --fencepost --std prebuilt")?.expect(0, &["the standard library is not watched"])
}

/// A compiler that says something else about itself than it is.
fn another_llvm_is_noticed(project: &Project) -> Result<(), String> {
    for (script, texts) in [
        ("rustc \"$@\" | sed 's/^LLVM version: .*/LLVM version: 1.2.3/'", ["LLVM 1.2.3", "--std prebuilt"]),
        (
            "case \"$*\" in *sysroot) echo /usr;; *) exec rustc \"$@\";; esac",
            ["rustup toolchain install", "--std prebuilt"],
        ),
    ] {
        let fake = project.folder.join("fake");
        fs::write(&fake, format!("#!/bin/sh\n{script}\n")).map_err(|error| error.to_string())?;
        fs::set_permissions(&fake, fs::Permissions::from_mode(0o755)).map_err(|error| error.to_string())?;
        said(project.command("build").env("RUSTC", &fake))?.expect(2, &texts)?;
    }
    Ok(())
}

/// A cache of its own, in which a library is cut.
fn a_damaged_library_is_made_again(project: &Project) -> Result<(), String> {
    let cache = project.folder.join("cache");
    fs::create_dir(&cache).map_err(|error| error.to_string())?;
    let build = || said(project.command("build -p queue").env("FENCEPOST_CACHE_DIR", &cache));
    build()?.expect(0, &["instrumenting the standard library", "tried and kept"])?;
    let again = build()?;
    again.expect(0, &[])?;
    if again.err.contains("instrumenting") {
        return Err(again.err);
    }
    let mut folders = fs::read_dir(&cache).map_err(|error| error.to_string())?.flatten().map(|entry| entry.path());
    let is_library = |path: &PathBuf| path.is_dir() && path.to_string_lossy().contains("std-");
    let shadow = folders.find(is_library).ok_or("no library is in the cache")?;
    let libraries =
        fs::read_dir(shadow.join("lib/rustlib/x86_64-unknown-linux-gnu/lib")).map_err(|error| error.to_string())?;
    let mut libraries = libraries.flatten().map(|entry| entry.path());
    let alloc = libraries.find(|path| path.to_string_lossy().contains("/liballoc-") && !path.is_symlink());
    let alloc = alloc.ok_or("no alloc is in the cache")?;
    fs::write(&alloc, "cut").map_err(|error| error.to_string())?;
    build()?.expect(0, &["instrumenting the standard library", "tried and kept"])
}
