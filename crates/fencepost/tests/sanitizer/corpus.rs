//! The programs of `litmus/` as C: what the static checker has decided about them, the sanitizer
//! must find in some run, or in none.

use std::fs;
use std::path::{Path, PathBuf};

use fencepost_sanitizer::MODEL;
use fencepost_testkit::is_long;

use crate::suite::{Case, Expected, Finding, RunLine, Seeds};

/// Programs, in the order of their names: one in three, or all of them if there is time.
pub(crate) fn cases(root: &Path) -> Vec<Case> {
    let litmus = root.join("litmus");
    let mut paths = Vec::new();
    collect(&litmus, &mut paths);
    // There is no C for any number of threads.
    paths.retain(|path| !path.starts_with(litmus.join("any-number")));
    paths.sort();
    assert!(paths.len() > 50, "the corpus is there");
    let stride = if is_long() { 1 } else { 3 };
    paths.iter().step_by(stride).filter_map(|path| case(&litmus, path)).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the corpus") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "fp") {
            paths.push(path);
        }
    }
}

/// None for a program that the model, and so C, has no words for.
fn case(litmus: &Path, path: &Path) -> Option<Case> {
    let text = fs::read_to_string(path).expect("a program");
    let expects = |verdict: &str| text.lines().any(|line| line.starts_with(&format!("//: {MODEL} {verdict}")));
    if expects("unsupported") {
        return None;
    }
    let robust = expects("robust");
    let polls = polls(&text);
    let undecided = expects("unbounded");
    let expected = match (robust, polls) {
        _ if undecided => Expected::Anything,
        (true, false) => Expected::Silent,
        (true, true) => Expected::Anything,
        (false, _) => Expected::Findings(vec![Finding::any()]),
    };
    let name = path.strip_prefix(litmus).expect("within the corpus").display().to_string();
    Some(exported(name, path.to_path_buf(), expected, 300))
}

/// A wait for more than one value is a loop in C, and may be seen polling.
pub(crate) fn polls(text: &str) -> bool {
    let compares = |line: &str| ["<", ">", "||"].iter().any(|comparison| line.contains(comparison));
    text.lines().any(|line| line.contains("wait(") && compares(line))
}

/// A program that was exported to C, or will be. If there is something to be found, it is looked
/// for in so many runs under each schedule.
pub(crate) fn exported(name: String, path: PathBuf, expected: Expected, most: u64) -> Case {
    let found = matches!(expected, Expected::Findings(_));
    let (random, pct, steps) = if found { (most, most, "-DFP_STEPS=40") } else { (6, 3, "-DFP_STEPS=10") };
    // To the static checker a loop that polls is a loop.
    let polling = found.then(|| "--no-spin-detection".to_string());
    let run = |schedule: &str, seeds| RunLine {
        options: polling.iter().cloned().chain(["--schedule".into(), schedule.into()]).collect(),
        seeds: Seeds::Range(0, seeds),
        args: vec!["SEED".into()],
        every: false,
    };
    Case {
        name,
        path,
        cpp: false,
        // Without optimisation: the orders as they are written. Some programs wait for what never
        // comes; each run of these takes the time given.
        flags: ["-O0", steps, "-DFP_MILLISECONDS=250"].map(String::from).into(),
        needs: None,
        library: None,
        expected,
        allowed: Vec::new(),
        ranks: Vec::new(),
        suggested: Vec::new(),
        runs: vec![run("random", random), run("pct:3", pct)],
        // An assertion may fail under SC.
        exit: None,
        accesses: 0,
        twin: None,
        waits_outside: false,
    }
}
