//! Every schedule of programs of `litmus/`, and of generated ones, as C: the answer is that of the
//! static checker, and there are as many executions as the definitions have. Tests in
//! `sanitizer/explored` say themselves what the answer is.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fencepost_base::source::SourceFile;
use fencepost_check::Question;
use fencepost_export::c::{self, export};
use fencepost_ir::{CasStrength, Expr, Op, Program};
use fencepost_model::models;
use fencepost_oracle::{enumerate, finals};
use fencepost_sanitizer::MODEL;
use fencepost_testkit::compilers::Compiler;
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::repetitions;
use fencepost_verdict::{Budget, Verdict};
use libtest_mimic::{Failed, Trial};
use serde_json::Value;

use crate::corpus;
use crate::generated;
use crate::run::{PATIENCE, root, run, succeed};
use crate::suite::{self, Case};

/// States that the definitions may need.
const STATES: u64 = 200_000;

/// The tests, with a folder for what they build.
pub(crate) fn trials(folder: &Path, compiler: &Compiler, corpus: &[Case]) -> Vec<Trial> {
    let (folder, compiler) = (folder.to_path_buf(), compiler.clone());
    let mut trials = Vec::new();
    for case in corpus {
        let (case, folder, compiler) = (case.clone(), folder.clone(), compiler.clone());
        trials.push(Trial::test(format!("explored/{}", case.name), move || {
            of_corpus(&case, &folder, &compiler).map_err(Failed::from)
        }));
    }
    for source in suite::entries(&root().join("sanitizer/explored")) {
        let (folder, compiler) = (folder.clone(), compiler.clone());
        let name = source.file_name().expect("a file").to_string_lossy().into_owned();
        trials.push(Trial::test(format!("explored/tests/{name}"), move || {
            of_test(&source, &folder, &compiler).map_err(Failed::from)
        }));
    }
    for seed in 0..repetitions(100) {
        let (folder, compiler) = (folder.clone(), compiler.clone());
        trials.push(Trial::test(format!("explored/generated/{seed}"), move || {
            of_generated(seed, &folder, &compiler).map_err(Failed::from)
        }));
    }
    for seed in 0..repetitions(60) {
        let (folder, compiler) = (folder.clone(), compiler.clone());
        trials.push(Trial::test(format!("explored/loops/{seed}"), move || {
            of_loops(seed, &folder, &compiler).map_err(Failed::from)
        }));
    }
    trials
}

/// What `run --schedule all` says.
pub(crate) struct Explored {
    pub(crate) verdict: String,
    pub(crate) executions: u64,
    /// Of these, those that are not SC.
    pub(crate) not_sc: u64,
    pub(crate) blocked: u64,
    /// Runs that showed nothing.
    pub(crate) redundant: u64,
    pub(crate) bugs: Vec<String>,
    pub(crate) why: Vec<String>,
    /// What shows the bugs.
    pub(crate) decisions: Vec<String>,
    /// The exit code.
    status: Option<i32>,
}

impl Explored {
    fn is_weak(&self) -> bool {
        self.has_race() || self.bugs.iter().any(|bug| bug.contains("not robust"))
    }

    pub(crate) fn has_race(&self) -> bool {
        self.bugs.iter().any(|bug| bug.contains("race"))
    }

    /// Is there something of this kind that goes wrong under SC?
    pub(crate) fn under_sc(&self, kind: &str) -> bool {
        self.shows(kind, false)
    }

    /// Is there something of this kind that goes wrong after a stale step?
    pub(crate) fn after_a_stale_step(&self, kind: &str) -> bool {
        self.shows(kind, true)
    }

    fn shows(&self, kind: &str, is_stale: bool) -> bool {
        let mut all = self.bugs.iter().zip(&self.decisions);
        all.any(|(bug, decisions)| bug.contains(kind) && decisions.contains('~') == is_stale)
    }

    pub(crate) fn fails(&self) -> bool {
        self.bugs.iter().any(|bug| bug.contains("exit code"))
    }
}

/// Builds a program that was exported, and explores it with these options.
pub(crate) fn explore(source: &Path, compiler: &Compiler, limit: &str, options: &[&str]) -> Result<Explored, String> {
    let program = build(source, compiler)?;
    let options: Vec<String> = options.iter().map(|option| option.to_string()).collect();
    let explored = explore_built(&program, &[], limit, &options);
    fs::remove_file(&program).map_err(|error| error.to_string())?;
    explored
}

/// Builds a program that was generated.
pub(crate) fn build(source: &Path, compiler: &Compiler) -> Result<PathBuf, String> {
    let program = source.with_extension("");
    let mut build = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    build.args(["cc", "--compiler", &compiler.cc, "-std=gnu11", "-pthread", "-g", "-O0", "-DFP_EXPLORE", "-o"]);
    succeed(build.arg(&program).arg(source))?;
    Ok(program)
}

/// An answer that a test expects.
struct Expected {
    /// Options for `cc` and, from the first on that it does not know, for `run`.
    options: Vec<String>,
    /// Are all executions explored, those that are not SC included?
    is_weak: bool,
    verdict: String,
    /// About what is wrong, or in the way.
    says: Vec<String>,
    /// The exit code, if it is not the one of the verdict.
    exit: Option<i32>,
}

/// What the comments of a test expect: `// every schedule OPTIONS: VERDICT`, or
/// `// weak executions OPTIONS: VERDICT`, and below that `// says: WORDS` and `// exit code: NUMBER`.
fn expectations(text: &str) -> Vec<Expected> {
    let mut all: Vec<Expected> = Vec::new();
    for (key, value) in text.lines().filter_map(|line| line.strip_prefix("// ")?.split_once(": ")) {
        let is_weak = key.starts_with("weak executions");
        if let Some(options) = key.strip_prefix("every schedule").or(key.strip_prefix("weak executions")) {
            let options = options.split_whitespace().map(str::to_string).collect();
            all.push(Expected { options, is_weak, verdict: value.to_string(), says: Vec::new(), exit: None });
        } else if let ("says", Some(last)) = (key, all.last_mut()) {
            last.says.push(value.to_string());
        } else if let ("exit code", Some(last)) = (key, all.last_mut()) {
            last.exit = value.parse().ok();
        }
    }
    all
}

/// The answers are those that the test expects, and each bug is shown by its decisions.
fn of_test(source: &Path, folder: &Path, compiler: &Compiler) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let text = fs::read_to_string(source).map_err(|error| error.to_string())?;
    let expectations = expectations(&text);
    if expectations.is_empty() {
        return Err("it expects no answer".into());
    }
    let (command, compiler, standard) = match source.extension() {
        Some(extension) if extension == "cpp" => ("c++", &compiler.cxx, "-std=c++17"),
        _ => ("cc", &compiler.cc, "-std=gnu11"),
    };
    for optimisation in ["-O0", "-O2"] {
        let mut counts: BTreeMap<Vec<String>, u64> = BTreeMap::new();
        for Expected { options, is_weak, verdict, says, exit } in &expectations {
            let is_to_run = |option: &String| option.starts_with("--") && option != "--atomics-only";
            let built = options.iter().position(is_to_run).unwrap_or(options.len());
            let (to_build, to_run) = options.split_at(built);
            // There are tests of the same name in C and in C++.
            let name = source.file_name().expect("a file").to_string_lossy().replace('.', "-");
            let program = folder.join(format!("{name}{optimisation}"));
            let mut build = Command::new(env!("CARGO_BIN_EXE_fencepost"));
            build.args([command, "--compiler", compiler, standard, "-pthread", "-g", optimisation, "-o"]);
            succeed(build.arg(&program).args(to_build).arg(source))?;
            let weak = is_weak.then(|| "--weak".to_string());
            let to_run: Vec<String> = to_run.iter().cloned().chain(weak).collect();
            let explored = explore_built(&program, &[], "60s", &to_run)?;
            // What has no atomic accesses has no executions that are not SC.
            let is_whole = verdict == "exhausted" || says.iter().any(|says| says == "a deadlock");
            if !text.contains("atomic") && is_whole {
                let known = *counts.entry(to_build.to_vec()).or_insert(explored.executions);
                if known != explored.executions || explored.not_sc > 0 {
                    return Err(format!("{optimisation} {options:?}: {known} and {} executions", explored.executions));
                }
            }
            let said = [explored.bugs.as_slice(), &explored.why].concat().join("; ");
            let missing = says.iter().find(|words| !said.contains(words.as_str()));
            let is_confirmed = !said.contains("a defect of fencepost");
            if explored.verdict != *verdict || missing.is_some() || !is_confirmed {
                return Err(format!("{optimisation} {options:?}: {}: {said}", explored.verdict));
            }
            if exit.is_some_and(|exit| explored.status != Some(exit)) {
                return Err(format!("{optimisation} {options:?}: exit code {:?}", explored.status));
            }
            for decisions in &explored.decisions {
                let mut again = Command::new(env!("CARGO_BIN_EXE_fencepost"));
                again.args(["run", "--decisions", decisions, "--"]).arg(&program);
                let done = run(&mut again, PATIENCE)?;
                if done.status.success() {
                    return Err(format!("{optimisation}: --decisions {decisions} shows nothing: {}", done.output));
                }
            }
        }
    }
    Ok(())
}

/// What is said of a program with these arguments.
pub(crate) fn explore_built(
    program: &Path,
    arguments: &[&str],
    limit: &str,
    options: &[String],
) -> Result<Explored, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args(["run", "--schedule", "all", "--keep-going", "--format", "json", "--jobs", "1"]);
    command.env("FP_STATES", program.with_extension("states"));
    let done = run(command.args(options).args(["--timeout", limit, "--"]).arg(program).args(arguments), 2 * PATIENCE)?;
    let summary =
        done.output.lines().rev().find_map(|line| {
            serde_json::from_str::<Value>(line).ok().map(|value| value["summary"]["exploration"].clone())
        });
    let summary = summary.filter(Value::is_object).ok_or_else(|| format!("no answer:\n{}", done.output))?;
    let texts = |value: &Value, of: fn(&Value) -> &Value| -> Vec<String> {
        let all = value.as_array().map(Vec::as_slice).unwrap_or_default();
        all.iter().filter_map(|value| of(value).as_str().map(str::to_string)).collect()
    };
    let explored = Explored {
        verdict: summary["verdict"].as_str().unwrap_or_default().to_string(),
        executions: summary["executions"].as_u64().unwrap_or_default(),
        not_sc: summary["not_sc"].as_u64().unwrap_or_default(),
        redundant: summary["redundant"].as_u64().unwrap_or_default(),
        blocked: summary["blocked"].as_u64().unwrap_or_default(),
        bugs: texts(&summary["bugs"], |bug| &bug["bug"]),
        why: texts(&summary["why"], |why| why),
        decisions: texts(&summary["bugs"], |bug| &bug["decisions"]),
        status: done.status.code(),
    };
    let expected = match explored.verdict.as_str() {
        "exhausted" => 0,
        "bounded" if options.iter().any(|option| option == "--spins") => 0,
        "bug" => 66,
        _ => 3,
    };
    let counts_all = !options.iter().any(|option| option == "--fail-on");
    match !counts_all || explored.status == Some(expected) {
        true => Ok(explored),
        false => Err(format!("{} with exit code {:?}", explored.verdict, explored.status)),
    }
}

/// The answer is the recorded verdict. Programs that never end are explored for a moment.
fn of_corpus(case: &Case, folder: &Path, compiler: &Compiler) -> Result<(), String> {
    let source = folder.join(case.name.replace('/', "-")).with_extension("c");
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let mut export = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    succeed(export.args(["export", "--to", "c", "-o"]).arg(&source).arg(&case.path))?;
    let explored = explore(&source, compiler, "2s", &["--no-weak"])?;
    let text = fs::read_to_string(&case.path).map_err(|error| error.to_string())?;
    let expects = |verdict: &str| text.lines().any(|line| line.starts_with(&format!("//: {MODEL} {verdict}")));
    let loses_failures = text.contains("casw") && !compiler.cc.contains("gcc");
    match explored.verdict.as_str() {
        // Waits that C has no word for are loops to it, which look before they wait.
        _ if corpus::polls(&text) => Ok(()),
        "exhausted" if expects("violation") && !loses_failures => Err("a violation was not found".into()),
        _ if expects("robust") && explored.is_weak() => Err(format!("{:?} in a robust program", explored.bugs)),
        _ => Ok(()),
    }
}

/// A generated program ends always: the answer is exact, and so is the number of executions.
fn of_generated(seed: u64, folder: &Path, compiler: &Compiler) -> Result<(), String> {
    let options = Options {
        threads: 2..=3,
        accesses: 2..=5,
        total_accesses: 8,
        plain: seed.is_multiple_of(3),
        ..Options::default()
    };
    let program = generate::program(seed, &options);
    if generated::polls(&program) || (fails_for_no_reason(&program) && !compiler.cc.contains("gcc")) {
        return Ok(());
    }
    let model = models::by_name(MODEL).expect("the model of the sanitizer is one of ours");
    let outcome = Question::new(&program, model).robustness(&Budget::unlimited()).map_err(|error| error.to_string())?;
    let robust = match outcome.verdict {
        Verdict::Holds => true,
        Verdict::Violated(_) => false,
        Verdict::Unknown(reason) => return Err(format!("unknown: {reason}")),
    };
    let source = SourceFile::new(format!("explored-{seed}"), "");
    let Ok(text) = export(&program, &source, c::Options { steps: 10 }) else { return Ok(()) };
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let path: PathBuf = folder.join(format!("generated-{seed}.c"));
    let printed = fencepost_lower::print(&program).replace("*/", "* /");
    fs::write(&path, format!("{text}\n/*\n{printed}*/\n")).map_err(|error| error.to_string())?;
    let explored = explore(&path, compiler, "60s", &["--no-weak"])?;
    let context = || format!("{} ({:?}, {:?}): {}", explored.verdict, explored.bugs, explored.why, path.display());
    let sc = models::by_name("sc").expect("SC is a model");
    let fails = enumerate::fails_under_sc(&program, model, STATES as usize);
    if fails.is_some_and(|fails| fails != explored.fails()) {
        return Err(format!("fails under SC: {fails:?}, but {}", context()));
    }
    // A failure ends the program, and what would come later is not seen.
    if explored.is_weak() == robust && !explored.fails() {
        return Err(format!("robust: {robust}, but {}", context()));
    }
    let ops = || program.threads().iter().flat_map(|thread| &thread.code).map(|at| &at.op);
    // An execution that gets stuck is complete, to C, if that is a return. There may be no number
    // between two others.
    let gets_stuck = ops().any(|op| match op {
        Op::Assume { .. } => true,
        Op::Nondet { low, high, .. } => *low != Expr::Const(0) || !matches!(high, Expr::Const(_) | Expr::Reg(_)),
        _ => false,
    });
    // Plain accesses that race have no order, which the definitions give them under SC.
    let races = explored.bugs.iter().any(|bug| bug.contains("race"));
    if fails == Some(false)
        && !gets_stuck
        && !races
        && let Ok(all) = finals(&program, sc, &[], STATES, &|| false)
        && all.race.is_none()
    {
        let expected: u64 = all.executions.values().sum();
        // Two choices may lead to the same execution.
        if explored.executions != expected && !(chooses(&program) && explored.executions > expected) {
            return Err(format!(
                "{expected} executions, but {} and {} blocked: {}",
                explored.executions,
                explored.blocked,
                context()
            ));
        }
    }
    Ok(())
}

/// A generated program with loops, some of which have no end: an answer is that of the static
/// checker.
fn of_loops(seed: u64, folder: &Path, compiler: &Compiler) -> Result<(), String> {
    let options = Options {
        threads: 2..=3,
        accesses: 2..=4,
        total_accesses: 7,
        domain: 2..=3,
        loops: true,
        plain: seed.is_multiple_of(3),
        dense: Some(false),
        ..Options::default()
    };
    let program = generate::program(seed, &options);
    if program.is_loop_free() || generated::polls(&program) || fails_for_no_reason(&program) {
        return Ok(());
    }
    let model = models::by_name(MODEL).expect("the model of the sanitizer is one of ours");
    let outcome = Question::new(&program, model).robustness(&Budget::unlimited()).map_err(|error| error.to_string())?;
    let source = SourceFile::new(format!("loops-{seed}"), "");
    let Ok(text) = export(&program, &source, c::Options { steps: 10 }) else { return Ok(()) };
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let path: PathBuf = folder.join(format!("loops-{seed}.c"));
    let printed = fencepost_lower::print(&program).replace("*/", "* /");
    fs::write(&path, format!("{text}\n/*\n{printed}*/\n")).map_err(|error| error.to_string())?;
    let explored = explore(&path, compiler, "3s", &["--no-weak"])?;
    let context = || format!("{} ({:?}, {:?}): {}", explored.verdict, explored.bugs, explored.why, path.display());
    match (&outcome.verdict, explored.verdict.as_str()) {
        (Verdict::Violated(_), "exhausted") => Err(format!("a violation was not found: {}", context())),
        (Verdict::Holds, _) if explored.is_weak() => Err(format!("it is robust, but {}", context())),
        (Verdict::Holds, "exhausted") if outcome.sc_failure.is_some() => {
            Err(format!("a failure was not found: {}", context()))
        }
        (Verdict::Holds, _) if outcome.sc_failure.is_none() && explored.fails() => {
            Err(format!("nothing fails, but {}", context()))
        }
        _ => Ok(()),
    }
}

/// Is there anything to choose?
pub(crate) fn chooses(program: &Program) -> bool {
    let mut ops = program.threads().iter().flat_map(|thread| &thread.code).map(|instr| &instr.op);
    ops.any(|op| matches!(op, Op::Choose { .. } | Op::Nondet { .. }))
}

pub(crate) fn fails_for_no_reason(program: &Program) -> bool {
    let mut ops = program.threads().iter().flat_map(|thread| &thread.code).map(|instr| &instr.op);
    ops.any(|op| matches!(op, Op::Cas { strength: CasStrength::Weak, .. }))
}
