//! What follows from what is not robust (`--schedule all --provoke`), of generated programs as C:
//! with one stale step and then SC, a program fails, races and ends as an enumeration of such
//! executions on the axioms says.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_base::ids::Value;
use fencepost_base::source::SourceFile;
use fencepost_export::c::{self, export};
use fencepost_ir::{Op, Program};
use fencepost_model::models::{by_name, reference};
use fencepost_oracle::finals;
use fencepost_oracle::stray::{Strays, strays_to};
use fencepost_sanitizer::MODEL;
use fencepost_testkit::compilers::Compiler;
use fencepost_testkit::edit::{probing, racing};
use fencepost_testkit::forbid::forbidding;
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::random::Random;
use fencepost_testkit::repetitions;
use libtest_mimic::{Failed, Trial};

use crate::explored::{Explored, explore, fails_for_no_reason};
use crate::generated;
use crate::provoked::exported;

/// States ⟨q, G⟩ of a program, at most.
const LIMIT: usize = 20_000;
/// Programs of each kind, and how many of them in one test.
const PROGRAMS: u64 = 80;
const TOGETHER: u64 = 20;

/// Programs that were compared; those in which something fails, or races, after a stale step only.
static COMPARED: AtomicU64 = AtomicU64::new(0);
static FAILING: AtomicU64 = AtomicU64::new(0);
static RACING: AtomicU64 = AtomicU64::new(0);
/// Tests that are over.
static DONE: AtomicU64 = AtomicU64::new(0);

/// A program for each seed: what SC forbids; plain accesses that race only in weak executions;
/// failures at random places; what is not to fail at all.
/// Makes the program of a seed.
type Make = fn(u64) -> Program;

const KINDS: [(&str, Make); 4] = [
    ("forbidden", |seed| forbidden(seed + (202 << 32))),
    ("races", |seed| racing(&forbidden(seed + (203 << 32)), &mut Random::new(seed))),
    ("probes", |seed| probing(&sorts(seed + (201 << 32)), &mut Random::new(seed))),
    ("states", |seed| sorts(seed + (204 << 32))),
];

fn sorts(seed: u64) -> Program {
    let plain = seed.is_multiple_of(4);
    let options = Options { threads: 2..=3, accesses: 2..=4, total_accesses: 7, plain, ..Options::default() };
    generate::program(seed, &options)
}

/// A cycle of accesses; what comes of it under SC is asserted.
pub(crate) fn forbidden(seed: u64) -> Program {
    let options = Options { dense: Some(true), total_accesses: 5, plain: false, ..Options::default() };
    forbidding(&generate::program(seed, &options), &mut Random::new(seed), |program, observed| {
        let ended = finals(program, reference(), observed, LIMIT as u64, &|| false).ok()?;
        Some(ended.executions.into_keys().collect())
    })
}

/// The tests, with a folder for what they build.
pub(crate) fn trials(folder: &Path, compiler: &Compiler) -> Vec<Trial> {
    let count = repetitions(PROGRAMS);
    let of_kind = |(kind, make): (&'static str, fn(u64) -> Program)| {
        let (folder, compiler) = (folder.to_path_buf(), compiler.clone());
        (0..count).step_by(TOGETHER as usize).map(move |first| {
            let (folder, compiler) = (folder.clone(), compiler.clone());
            Trial::test(format!("follows/{kind}/{first:04}"), move || {
                for seed in first..count.min(first + TOGETHER) {
                    check(&make(seed), &format!("follows-{kind}-{seed}"), &folder, &compiler)
                        .map_err(|error| format!("program {seed}: {error}"))?;
                }
                are_enough(count.div_ceil(TOGETHER) * KINDS.len() as u64)
            })
        })
    };
    KINDS.into_iter().flat_map(of_kind).collect()
}

/// The last of so many tests knows whether any of this was worth the time.
fn are_enough(tests: u64) -> Result<(), Failed> {
    let done = DONE.fetch_add(1, Ordering::SeqCst) + 1;
    let [compared, failing, racing] = [&COMPARED, &FAILING, &RACING].map(|count| count.load(Ordering::SeqCst));
    match done < tests || failing * 30 > compared && racing * 80 > compared {
        true => Ok(()),
        false => Err(Failed::from(format!("of {compared} programs, {failing} fail and {racing} race"))),
    }
}

fn check(program: &Program, name: &str, folder: &Path, compiler: &Compiler) -> Result<(), String> {
    if generated::polls(program) || fails_for_no_reason(program) && !compiler.cc.contains("gcc") {
        return Ok(());
    }
    // Final states are told if nobody waits.
    let source = SourceFile::new(name, "");
    let without = || Some((export(program, &source, c::Options { steps: 10 }).ok()?, Vec::new()));
    let Some((text, observed)) = exported(program, name).or_else(without) else { return Ok(()) };
    let model = by_name(MODEL).expect("the model of the sanitizer is one of ours");
    let Ok(all) = strays_to(program, model, &observed, LIMIT) else { return Ok(()) };
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let path = folder.join(name).with_extension("c");
    let states = path.with_extension("states");
    let _ = fs::remove_file(&states);
    let printed = fencepost_lower::print(program).replace("*/", "* /");
    fs::write(&path, format!("{text}\n/*\n{printed}*/\n")).map_err(|error| error.to_string())?;
    let explored = explore(&path, compiler, "120s", &["--provoke", "--no-weak"])?;
    let seen = fs::read_to_string(&states).unwrap_or_default();
    let has_states = !observed.is_empty();
    judge(program, &explored, &all, has_states.then_some(seen.as_str())).map_err(|error| {
        let Explored { verdict, executions, bugs, why, .. } = explored;
        format!("{error}: {verdict}, {executions} executions, {bugs:?}, {why:?}: {}", path.display())
    })
}

/// Is it what the definitions say?
fn judge(program: &Program, explored: &Explored, all: &Strays, states: Option<&str>) -> Result<(), String> {
    // A wait that could find an overwritten value finds none here, and says so.
    if explored.why.iter().any(|why| why.contains("a wait finds")) {
        return Ok(());
    }
    if !explored.why.is_empty() {
        return Err("not everything was seen".into());
    }
    let [sc, stale] = &all.failing;
    let found = [explored.under_sc("exit code"), explored.after_a_stale_step("exit code")];
    let [racing_sc, racing] = &all.racing_first;
    let races = [explored.under_sc("race"), explored.after_a_stale_step("race")];
    if racing_sc.is_empty() == races[0] {
        return Err(format!("races under SC: {racing_sc:?}"));
    }
    // Undefined is undefined: what else there is does not matter.
    if races[0] {
        return Ok(());
    }
    if racing.is_empty() == races[1] {
        return Err(format!("races after a stale step: {racing:?}"));
    }
    if sc.is_empty() == found[0] {
        return Err(format!("failures under SC: {sc:?}"));
    }
    // A failure under SC ends with the same exit code as any other; after a race nothing counts.
    let new = stale.difference(sc).next().is_some();
    if !found[0] && !races[1] && new != found[1] {
        return Err(format!("failures after a stale step: {stale:?}"));
    }
    COMPARED.fetch_add(1, Ordering::SeqCst);
    FAILING.fetch_add(u64::from(found[1]), Ordering::SeqCst);
    RACING.fetch_add(u64::from(races[1]), Ordering::SeqCst);
    // Where something fails, other threads do not come to their ends. An execution that gets stuck is
    // complete, to C, if that is a return.
    let mut ops = program.threads().iter().flat_map(|thread| &thread.code).map(|instr| &instr.op);
    let Some(states) = states.filter(|_| !races[1] && sc.is_empty() && stale.is_empty()) else { return Ok(()) };
    if ops.any(|op| matches!(op, Op::Assume { .. })) {
        return Ok(());
    }
    let seen: BTreeSet<Vec<Value>> =
        states.lines().map(|line| line.split_whitespace().filter_map(|word| word.parse().ok()).collect()).collect();
    match seen == all.finals {
        true => Ok(()),
        false => Err(format!("{seen:?} instead of {:?}", all.finals)),
    }
}
