//! Every execution, those that are not SC included, of programs of `litmus/` and of generated ones, as
//! C: as many as the definitions have, with the same final states, failures and races.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fencepost_base::ids::Value;
use fencepost_base::source::SourceFile;
use fencepost_export::c::{self, export};
use fencepost_ir::{Observable, Op, Program};
use fencepost_lower::Language;
use fencepost_oracle::Finals;
use fencepost_sanitizer::MODEL;
use fencepost_testkit::compilers::Compiler;
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::repetitions;
use libtest_mimic::{Failed, Trial};

use crate::explored::{Explored, chooses, explore, fails_for_no_reason};
use crate::generated;
use crate::provoked::{all_finals, exported};
use crate::suite::Case;

/// Execution graphs of a program, at most.
const GRAPHS: u64 = 6_000;
/// Generated programs, and how many of them in one test.
const PROGRAMS: u64 = 100;
const TOGETHER: u64 = 10;

/// The tests, with a folder for what they build, and the corpus.
pub(crate) fn trials(folder: &Path, compiler: &Compiler, corpus: &[Case]) -> Vec<Trial> {
    let (folder, compiler) = (folder.to_path_buf(), compiler.clone());
    let mut trials = Vec::new();
    for case in corpus {
        let (case, folder, compiler) = (case.clone(), folder.clone(), compiler.clone());
        trials.push(Trial::test(format!("weak/{}", case.name), move || {
            of_corpus(&case, &folder, &compiler).map_err(Failed::from)
        }));
    }
    let count = repetitions(PROGRAMS);
    for first in (0..count).step_by(TOGETHER as usize) {
        let (folder, compiler) = (folder.clone(), compiler.clone());
        trials.push(Trial::test(format!("weak/generated/{first}"), move || {
            for seed in first..count.min(first + TOGETHER) {
                of_generated(seed, &folder, &compiler).map_err(|error| format!("program {seed}: {error}"))?;
            }
            Ok(())
        }));
    }
    trials
}

/// A program of the corpus, if it ends always.
fn of_corpus(case: &Case, folder: &Path, compiler: &Compiler) -> Result<(), String> {
    let text = fs::read_to_string(&case.path).map_err(|error| error.to_string())?;
    let Some(program) = fencepost_lower::load(Language::Fp, &text).program else { return Ok(()) };
    if !program.is_loop_free() || generated::polls(&program) {
        return Ok(());
    }
    check(&program, &case.name.replace(['/', '.'], "-"), folder, compiler)
}

fn of_generated(seed: u64, folder: &Path, compiler: &Compiler) -> Result<(), String> {
    let plain = seed.is_multiple_of(4);
    let options = Options { threads: 2..=3, accesses: 2..=4, total_accesses: 7, plain, ..Options::default() };
    let program = generate::program(seed, &options);
    if generated::polls(&program) {
        return Ok(());
    }
    check(&program, &format!("generated-{seed}"), folder, compiler)
}

fn check(program: &Program, name: &str, folder: &Path, compiler: &Compiler) -> Result<(), String> {
    if fails_for_no_reason(program) && !compiler.cc.contains("gcc") {
        return Ok(());
    }
    // Final states are told if nobody waits.
    let with_states = exported(program, name);
    let source = SourceFile::new(name, "");
    let without = || Some((export(program, &source, c::Options { steps: 10 }).ok()?, Vec::new()));
    let Some((text, observed)) = with_states.or_else(without) else { return Ok(()) };
    let [sc, weak] = ["sc", MODEL].map(|model| all_finals(program, model, &observed, GRAPHS));
    let (Some(sc), Some(weak)) = (sc, weak) else { return Ok(()) };
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let path = folder.join(name).with_extension("c");
    let states = path.with_extension("states");
    let _ = fs::remove_file(&states);
    let printed = fencepost_lower::print(program).replace("*/", "* /");
    fs::write(&path, format!("{text}\n/*\n{printed}*/\n")).map_err(|error| error.to_string())?;
    let explored = explore(&path, compiler, "120s", &["--weak"])?;
    let seen = fs::read_to_string(&states).unwrap_or_default();
    judge(program, &explored, (&sc, &weak), &observed, &seen).map_err(|error| {
        let Explored { verdict, executions, not_sc, blocked, redundant, bugs, why, .. } = explored;
        format!(
            "{error}: {verdict}, {executions} executions, {not_sc} not SC, {blocked} blocked, {redundant} redundant, \
             {bugs:?}, {why:?}: {}",
            path.display()
        )
    })
}

/// Is it what the definitions say?
fn judge(
    program: &Program,
    explored: &Explored,
    (sc, weak): (&Finals, &Finals),
    observed: &[Observable],
    states: &str,
) -> Result<(), String> {
    if explored.verdict == "unknown" {
        return Err("not everything was seen".into());
    }
    if weak.race.is_some() || explored.has_race() {
        // A failure may come before the race, in the same execution or in all others.
        return match weak.race.is_some() == explored.has_race() || weak.failure.is_some() && explored.fails() {
            true => Ok(()),
            false => Err(format!("a race: {:?}", weak.race)),
        };
    }
    if weak.failure.is_some() != explored.fails() {
        return Err(format!("a failure: {:?}", weak.failure));
    }
    // An execution that gets stuck is complete, to C, if that is a return.
    let mut ops = program.threads().iter().flat_map(|thread| &thread.code).map(|instr| &instr.op);
    if weak.failure.is_some() || ops.any(|op| matches!(op, Op::Assume { .. })) {
        return Ok(());
    }
    let count = |finals: &Finals| finals.executions.values().sum::<u64>();
    let expected = (count(weak), count(weak) - count(sc));
    let found = (explored.executions, explored.not_sc);
    // Two choices may lead to the same execution; under SC more often, where fences are nothing.
    let chooses = chooses(program);
    if found != expected && !(chooses && found.0 >= expected.0) {
        return Err(format!("{expected:?} executions"));
    }
    if observed.is_empty() {
        return Ok(());
    }
    let mut seen: BTreeMap<Vec<Value>, u64> = BTreeMap::new();
    for line in states.lines() {
        let state = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        *seen.entry(state).or_default() += 1;
    }
    // Runs that are no executions have ended, too.
    let are_all = seen.keys().eq(weak.executions.keys()) && (chooses || seen == weak.executions);
    match are_all || explored.redundant > 0 && weak.executions.keys().all(|state| seen.contains_key(state)) {
        true => Ok(()),
        false => Err(format!("{seen:?} instead of {:?}", weak.executions)),
    }
}
