//! The programs of `sanitizer/`: each is built as an ordinary program with one compiler, and built
//! and run with the sanitizer, with the oldest and the newest gcc and clang there are. The first of
//! these makes all runs that a program asks for, the others a quarter of those that must be silent.
//! One in three programs of `litmus/`, and generated ones: each is exported to C and run with the
//! sanitizer. What cannot be tried is listed as ignored, with the reason. `FENCEPOST_LONG=1` makes
//! twenty times as many runs of what must be silent, with every compiler, takes all programs of
//! `litmus/`, and generates twenty times as many. With `FENCEPOST_SOAK=N` nothing is done but N runs
//! under each schedule of the programs of `sanitizer/` that must be silent.

mod corpus;
mod explored;
mod follows;
mod generated;
mod objects;
mod provoked;
mod ranks;
mod replayed;
mod run;
mod soak;
mod suite;
mod weak;

use std::fs;
use std::path::Path;
use std::process::Command;

use fencepost_sanitizer::MODEL;
use fencepost_testkit::compilers::{Compiler, compilers, some_compiler};
use fencepost_testkit::is_long;
use libtest_mimic::{Arguments, Failed, Trial};

use crate::suite::{Case, Expected};

fn main() {
    let mut arguments = Arguments::from_args();
    let cases = suite::cases(&run::root());
    let no_sanitizer = run::missing_sanitizer();
    if let Some(runs) = soak::runs() {
        let cases: Vec<Case> = cases.iter().filter_map(|case| soak::case(case, runs)).collect();
        let mut trials = Vec::new();
        for (name, compiler) in compilers() {
            let usable = usable(&compiler, no_sanitizer.as_ref());
            trials.extend(cases.iter().map(|case| trial(&format!("soak/{name}"), case, usable, run::sanitized)));
        }
        libtest_mimic::run(&arguments, trials).exit();
    }
    // Most of the time is spent waiting for programs that wait.
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    arguments.test_threads.get_or_insert(4 * processors);
    let mut trials: Vec<Trial> = cases.iter().filter_map(twin).collect();
    let corpus = corpus::cases(&run::root());
    let generated = generated::cases(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("sanitizer/generated"));
    for (place, (name, compiler)) in compilers().into_iter().enumerate() {
        // That it is a program that works is seen with any compiler.
        if place == 0 || is_long() {
            trials.extend(
                cases.iter().map(|case| trial(&format!("native/{name}"), case, compiler.as_ref(), run::native)),
            );
        }
        let usable = usable(&compiler, no_sanitizer.as_ref());
        for case in cases.iter().filter(|case| place == 0 || is_long() || !case.is_about_ranks()) {
            let case = if place == 0 || is_long() { case.clone() } else { case.in_short() };
            trials.push(trial(&format!("sanitized/{name}"), &case, usable, run::sanitized));
        }
    }
    // One compiler is enough: what differs between them is tried above.
    let compiler = some_compiler();
    let usable = usable(&compiler, no_sanitizer.as_ref());
    trials.extend(corpus.iter().map(|case| trial("corpus", case, usable, run::sanitized)));
    trials.extend(generated.iter().map(|case| trial("generated", case, usable, run::sanitized)));
    if let Ok(compiler) = usable {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sanitizer/provoked");
        trials.extend(provoked::trials(&folder, compiler));
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sanitizer/explored");
        trials.extend(explored::trials(&folder, compiler, &corpus));
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sanitizer/weak");
        trials.extend(weak::trials(&folder, compiler, &corpus));
        trials.extend(objects::trials(&folder.join("objects"), compiler));
        trials.extend(follows::trials(&folder.join("follows"), compiler));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// The compiler, if there is one and there is a sanitizer.
fn usable<'a>(
    compiler: &'a Result<Compiler, String>,
    no_sanitizer: Option<&'a String>,
) -> Result<&'a Compiler, &'a String> {
    match (compiler, no_sanitizer) {
        (Ok(_), Some(reason)) => Err(reason),
        (compiler, _) => compiler.as_ref(),
    }
}

/// A test of a case, or a note that there can be none.
fn trial(
    kind: &str,
    case: &Case,
    compiler: Result<&Compiler, &String>,
    test: fn(&Case, &Compiler) -> Result<(), String>,
) -> Trial {
    let name = format!("{kind}/{}", case.name);
    let missing = compiler.map(|compiler| match run::missing(case, compiler) {
        Some(reason) => Err(reason),
        None => Ok(compiler),
    });
    match missing {
        Ok(Err(reason)) => Trial::test(name, || Ok(())).with_kind(format!("skipped: {reason}")).with_ignored_flag(true),
        Ok(Ok(compiler)) => {
            let (case, compiler) = (case.clone(), compiler.clone());
            Trial::test(name, move || test(&case, &compiler).map_err(Failed::from))
        }
        Err(reason) => Trial::test(name, || Ok(())).with_kind(format!("skipped: {reason}")).with_ignored_flag(true),
    }
}

/// The static checker's verdict on the same program in `.fp` is the one that the case expects.
fn twin(case: &Case) -> Option<Trial> {
    let twin = case.twin.clone()?;
    let expects_violation = match case.expected {
        Expected::Silent => false,
        Expected::Findings(_) => true,
        Expected::Anything | Expected::Deadlock => return None,
    };
    let test = move || {
        let path = run::root().join(&twin);
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", twin.display()))?;
        let recorded = |verdict: &str| text.lines().any(|line| line.starts_with(&format!("//: {MODEL} {verdict}")));
        if recorded("violation") != expects_violation || recorded("robust") == expects_violation {
            return Err(format!("{} has another verdict", twin.display()).into());
        }
        // The verdicts of the corpus have a test of their own.
        if twin.starts_with("sanitizer") {
            let mut check = Command::new(env!("CARGO_BIN_EXE_fencepost"));
            let status =
                check.args(["check", "--quiet", "--ignore-expectations", "--model", MODEL]).arg(path).output()?.status;
            if status.code() != Some(i32::from(expects_violation)) {
                return Err(format!("{}: `fencepost check` says otherwise", twin.display()).into());
            }
        }
        Ok(())
    };
    Some(Trial::test(format!("twin/{}", case.name), test))
}
