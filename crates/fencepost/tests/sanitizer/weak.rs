//! Every execution, those that are not SC included, of programs of `litmus/` and of generated ones, as
//! C: as many as the definitions have, with the same final states, failures and races. What fails or
//! races is replayed on the program, by the oracle.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_base::ids::Value;
use fencepost_base::source::SourceFile;
use fencepost_export::c::{self, export};
use fencepost_ir::{Observable, Op, Program};
use fencepost_lower::Language;
use fencepost_model::models;
use fencepost_oracle::Finals;
use fencepost_sanitizer::MODEL;
use fencepost_testkit::compilers::Compiler;
use fencepost_testkit::edit::racing;
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::random::Random;
use fencepost_testkit::repetitions;
use libtest_mimic::{Failed, Trial};

use crate::explored::{Explored, chooses, explore, fails_for_no_reason};
use crate::follows::forbidden;
use crate::generated;
use crate::provoked::{all_finals, exported};
use crate::replayed::{Shows, replay};
use crate::suite::Case;

/// Execution graphs of a program, at most.
const GRAPHS: u64 = 6_000;
/// Generated programs of each kind, and how many of them in one test.
const PROGRAMS: u64 = 60;
const TOGETHER: u64 = 10;

/// Programs that were compared, those whose executions were counted, those that are not robust but do
/// not fail, and failures and races that were replayed.
static COMPARED: AtomicU64 = AtomicU64::new(0);
static COUNTED: AtomicU64 = AtomicU64::new(0);
static WEAK: AtomicU64 = AtomicU64::new(0);
static FAILURES: AtomicU64 = AtomicU64::new(0);
static RACES: AtomicU64 = AtomicU64::new(0);
/// Tests of generated programs that are over.
static DONE: AtomicU64 = AtomicU64::new(0);

/// Makes the program of a seed.
type Make = fn(u64) -> Program;

/// Programs of all sorts; cycles of accesses whose outcome under SC is asserted, some of which race
/// besides.
const KINDS: [(&str, Make); 3] = [
    ("sorts", |seed| {
        let plain = seed.is_multiple_of(4);
        let options = Options { threads: 2..=3, accesses: 2..=4, total_accesses: 7, plain, ..Options::default() };
        generate::program(seed, &options)
    }),
    ("forbidden", |seed| forbidden(seed + (302 << 32))),
    ("races", |seed| racing(&forbidden(seed + (303 << 32)), &mut Random::new(seed))),
];

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
    let tests = count.div_ceil(TOGETHER) * KINDS.len() as u64;
    for (kind, make) in KINDS {
        for first in (0..count).step_by(TOGETHER as usize) {
            let (folder, compiler) = (folder.clone(), compiler.clone());
            trials.push(Trial::test(format!("weak/generated/{kind}/{first:04}"), move || {
                for seed in first..count.min(first + TOGETHER) {
                    let program = make(seed);
                    if !generated::polls(&program) {
                        check(&program, &format!("generated-{kind}-{seed}"), &folder, &compiler)
                            .map_err(|error| format!("program {seed}: {error}"))?;
                    }
                }
                are_enough(tests)
            }));
        }
    }
    trials
}

/// The last of so many tests knows whether any of this was worth the time.
fn are_enough(tests: u64) -> Result<(), Failed> {
    let done = DONE.fetch_add(1, Ordering::SeqCst) + 1;
    let all = [&COMPARED, &COUNTED, &WEAK, &FAILURES, &RACES].map(|count| count.load(Ordering::SeqCst));
    let [compared, counted, weak, failures, races] = all;
    let told = format!(
        "of {compared} programs, the executions of {counted} were counted; {weak} have some that are not SC; \
         {failures} failures and {races} races were replayed"
    );
    if done == tests && fencepost_testkit::is_long() {
        let _ = writeln!(io::stderr(), "{told}");
    }
    match done < tests
        || counted * 3 > compared && weak * 5 > compared && failures * 15 > compared && races * 30 > compared
    {
        true => Ok(()),
        false => Err(Failed::from(told)),
    }
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
    COMPARED.fetch_add(1, Ordering::SeqCst);
    replay_bugs(program, explored)?;
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
    COUNTED.fetch_add(1, Ordering::SeqCst);
    WEAK.fetch_add(u64::from(explored.not_sc > 0), Ordering::SeqCst);
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

/// What fails or races does so on the program itself.
fn replay_bugs(program: &Program, explored: &Explored) -> Result<(), String> {
    // What is chosen, and what fails for no reason, is not told in the words of the program.
    if chooses(program) || fails_for_no_reason(program) {
        return Ok(());
    }
    let model = models::by_name(MODEL).expect("the model of the sanitizer is one of ours");
    for (bug, decisions) in explored.bugs.iter().zip(&explored.decisions) {
        let (shows, count) = match () {
            () if bug.contains("exit code") => (Shows::Failure, &FAILURES),
            () if bug.contains("race") => (Shows::Race, &RACES),
            () => continue,
        };
        replay(program, model, decisions, shows).map_err(|error| format!("{bug} with {decisions}: {error}"))?;
        count.fetch_add(1, Ordering::SeqCst);
    }
    Ok(())
}
