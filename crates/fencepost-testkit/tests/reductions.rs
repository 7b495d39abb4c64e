//! Reductions change what a search costs, never what it says; nor does the number of threads that
//! search.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_base::ids::{Pc, ThreadId};
use fencepost_check::Question;
use fencepost_explore::{Exploration, Options, Reductions, explore};
use fencepost_ir::Program;
use fencepost_lower::Language;
use fencepost_model::{Model, models};
use fencepost_testkit::expect::{Expectation, States};
use fencepost_testkit::generate::{self, Options as Generate};
use fencepost_testkit::random::Random;
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{corpus, edit, in_parallel, is_long, repetitions};
use fencepost_verdict::{Budget, Outcome, Progress, Stats, Verdict};

/// Programs with more states, without reductions, are not compared.
const MOST_STATES: u64 = 20_000;

/// A search that guesses may cost more than one that does not, but not without end.
const MOST_REDUCED_STATES: u64 = 40 * MOST_STATES;

/// The same for programs that keep several threads busy, and the size of a layer that does.
const MANY_STATES: u64 = 100_000;
const WIDE: u64 = 4_000;

/// A field of the reductions.
type Field = fn(&mut Reductions) -> &mut bool;

/// The reductions by name. Whatever is new must be here: see `all_reductions_are_listed`.
const FIELDS: [(&str, Field); 6] = [
    ("watch_one", |reductions| &mut reductions.watch_one),
    ("por", |reductions| &mut reductions.por),
    ("symmetry", |reductions| &mut reductions.symmetry),
    ("dead_bits", |reductions| &mut reductions.dead_bits),
    ("dead_registers", |reductions| &mut reductions.dead_registers),
    ("private_locations", |reductions| &mut reductions.private_locations),
];

/// All combinations of reductions.
fn combinations() -> impl Iterator<Item = Reductions> {
    (0..1 << FIELDS.len()).map(|bits: u32| {
        let mut reductions = Reductions::NONE;
        for (index, (_, field)) in FIELDS.iter().enumerate() {
            *field(&mut reductions) = bits >> index & 1 == 1;
        }
        reductions
    })
}

/// All reductions; each alone; all but one.
fn few_combinations() -> impl Iterator<Item = Reductions> {
    let with = |mut reductions: Reductions, field: Field, value: bool| {
        *field(&mut reductions) = value;
        reductions
    };
    let changed =
        move |(_, field): (&str, Field)| [with(Reductions::NONE, field, true), with(Reductions::ALL, field, false)];
    std::iter::once(Reductions::ALL).chain(FIELDS.into_iter().flat_map(changed))
}

#[test]
fn all_reductions_are_listed() {
    let all: Vec<Reductions> = combinations().collect();
    assert_eq!((all.first(), all.last()), (Some(&Reductions::NONE), Some(&Reductions::ALL)));
}

fn search(program: &Program, model: &'static dyn Model, options: Options, max_states: u64) -> Result<Outcome, String> {
    let budget = Budget { max_states, ..Budget::unlimited() };
    Question::new(program, model).with(options).robustness(&budget).map_err(|error| error.to_string())
}

/// What a search has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    /// It holds; whether something fails under SC; the reads that may be stale.
    Holds(bool, BTreeSet<(ThreadId, Pc)>),
    /// A search that finds a violation stops, and need not have met anything else.
    Violated,
    Unknown,
}

/// The first thread with the same code.
fn first_equal(program: &Program, t: ThreadId) -> ThreadId {
    let code = |t: ThreadId| (program.thread(t).registers.len(), program.thread(t).code.iter().map(|instr| &instr.op));
    let equal = |a: ThreadId, b: ThreadId| {
        let (a, b) = (code(a), code(b));
        a.0 == b.0 && a.1.eq(b.1)
    };
    program.thread_ids().find(|&other| equal(other, t)).expect("it is equal to itself")
}

fn has_equal_threads(program: &Program) -> bool {
    program.thread_ids().any(|t| first_equal(program, t) != t)
}

fn answer(program: &Program, outcome: &Outcome) -> Answer {
    // Of threads with equal code, symmetry is free to let any make the read.
    let first = |t: ThreadId| first_equal(program, t);
    match &outcome.verdict {
        Verdict::Holds => {
            let speculative = outcome.speculative.iter().map(|site| (first(site.thread), site.pc)).collect();
            Answer::Holds(outcome.sc_failure.is_some(), speculative)
        }
        Verdict::Violated(_) => Answer::Violated,
        Verdict::Unknown(_) => Answer::Unknown,
    }
}

/// How the answers of reduced searches differ from those of the plainest one; `None` if they do
/// not, or the program is too large.
fn difference(
    program: &Program,
    model: &'static dyn Model,
    observational: bool,
    combinations: &[Reductions],
) -> Option<String> {
    let plainest = Options { reductions: Reductions::NONE, observational, jobs: 1 };
    let expected = match search(program, model, plainest, MOST_STATES) {
        Err(error) => return Some(format!("without reductions: {error}")),
        Ok(outcome) => answer(program, &outcome),
    };
    if expected == Answer::Unknown {
        return None;
    }
    let mut tried = Vec::new();
    for &reductions in combinations {
        // Taints belong to the whole monitor and to every location: these two make no difference to
        // them.
        if observational && (reductions.watch_one || reductions.private_locations) && reductions != Reductions::ALL {
            continue;
        }
        // What makes no difference to the search is not tried again: attacks are searched for
        // without a monitor, and not all programs have threads with the same code (an instrumented
        // one may have some where the original has none).
        let matters = match model.buffers() {
            Some(_) => Reductions { watch_one: false, dead_bits: false, ..reductions },
            None => Reductions { symmetry: reductions.symmetry && has_equal_threads(program), ..reductions },
        };
        if tried.contains(&matters) {
            continue;
        }
        tried.push(matters);
        for jobs in [1, 2] {
            let options = Options { reductions, observational, jobs };
            let found = search(program, model, options, MOST_REDUCED_STATES).map(|found| answer(program, &found));
            if found.as_ref() != Ok(&expected) {
                return Some(format!("{found:?}, not {expected:?}, with {options:?}"));
            }
        }
    }
    None
}

fn assert_no_difference(seed: u64, program: &Program, observational: bool) {
    // Every reduction alone, and all others alone, on every program; all combinations on some.
    let combinations: Vec<Reductions> =
        if seed.is_multiple_of(8) { combinations().collect() } else { few_combinations().collect() };
    for model in models::checkable().filter(|model| !observational || model.buffers().is_none()) {
        let differs = |program: &Program| difference(program, model, observational, &combinations);
        if let Some(found) = differs(program) {
            let small = shrink(program, |smaller| differs(smaller).is_some());
            let difference = differs(&small).unwrap_or_default();
            let name = model.name();
            panic!("seed {seed}, {name}: {found}; smaller: {difference} about\n{}", fencepost_lower::print(&small));
        }
    }
}

/// Programs of all sorts.
fn options(seed: u64) -> Generate {
    // Not the bits that decide which combinations are tried.
    let bit = |index: u32| seed >> (3 + index) & 1 == 1;
    let total_accesses = if bit(0) { 8 } else { 10 };
    Generate { total_accesses, loops: bit(0), copies: bit(1), private: bit(2), ..Generate::default() }
}

#[test]
fn loop_free_programs() {
    in_parallel(0..repetitions(150), |seed| {
        let seed = seed + (6 << 32);
        let options = Generate { loops: false, copies: false, ..options(seed) };
        assert_no_difference(seed, &generate::program(seed, &options), false);
    });
}

#[test]
fn programs_with_loops() {
    in_parallel(0..repetitions(150), |seed| {
        let seed = seed + (7 << 32);
        let options = Generate { loops: true, ..options(seed) };
        assert_no_difference(seed, &generate::program(seed, &options), false);
    });
}

#[test]
fn programs_with_equal_threads() {
    in_parallel(0..repetitions(150), |seed| {
        let seed = seed + (8 << 32);
        let options = Generate { copies: true, ..options(seed) };
        assert_no_difference(seed, &generate::program(seed, &options), false);
    });
}

#[test]
fn observational_robustness() {
    in_parallel(0..repetitions(250), |seed| {
        let seed = seed + (9 << 32);
        assert_no_difference(seed, &generate::program(seed, &options(seed)), true);
    });
}

/// A loop that concerns nobody else must not keep a search from what the others do.
#[test]
fn programs_beside_loops() {
    in_parallel(0..repetitions(80), |seed| {
        let seed = seed + (13 << 32);
        let small = Generate { threads: 2..=2, accesses: 1..=2, total_accesses: 4, domain: 3..=3, ..options(seed) };
        let loops = generate::program(seed, &Generate { loops: true, total_accesses: 3, ..small.clone() });
        let others = generate::program(!seed, &Generate { loops: false, accesses: 2..=2, ..small });
        let both = if seed % 2 == 0 { edit::beside(&loops, &others) } else { edit::beside(&others, &loops) };
        assert_no_difference(seed, &both, false);
    });
}

/// What is rare among generated programs: a compare-and-swap that expects what a register holds, so
/// that it may fail and read.
#[test]
fn rare_programs() {
    let text = "domain 2; global x, y;
        thread a { local r, s; r = y.casw(0, 0, rlx, rlx); s = x.cas(0, 1, rlx, rlx); }
        thread b { local r, s; r = x.casw(1, 0, rlx, rlx); s = y.cas(r, 0, rlx, rlx); }";
    let program = fencepost_lower::load(Language::Fp, text).program.expect("a program");
    assert_no_difference(0, &program, false);
}

/// States of a program of the corpus that is explored in several ways.
const SOME_STATES: u64 = 300;

/// Programs that people write; the large ones, and those for verification, which are variations of
/// others, are judged with all reductions by the harness of the corpus.
#[test]
fn the_corpus() {
    let files = corpus::files().into_iter().filter(|file| !file.name.starts_with("verify/"));
    in_parallel(files, |file| {
        let content = file.read().unwrap_or_else(|error| panic!("{}: {error}", file.name));
        let states = |expectation: &Expectation| match expectation.states {
            Some(States::Exactly(states)) => states,
            _ => u64::MAX,
        };
        let most = content.expected.iter().filter(|expected| expected.model != "sc").map(states).max();
        let combinations: Vec<Reductions> = match most.unwrap_or(u64::MAX) {
            0..30 => combinations().collect(),
            30..100 if is_long() => combinations().collect(),
            states if states < SOME_STATES || is_long() => few_combinations().collect(),
            _ => vec![Reductions::ALL],
        };
        let questions = models::checkable().map(|model| (model, false));
        for (model, observational) in questions.chain(models::monitored().map(|model| (model, true))) {
            let difference = difference(&content.program, model, observational, &combinations);
            assert_eq!(difference, None, "{}, {}, observational: {observational}", file.name, model.name());
        }
    });
}

/// Every reduction has something to reduce in a good share of the programs that are compared.
#[test]
fn every_reduction_reduces() {
    let mut reduced = [[0u64; 2]; FIELDS.len()];
    let mut compared = 0;
    for seed in 0..repetitions(200) {
        let program = generate::program(seed, &options(seed));
        for model in models::monitored() {
            let states = |reductions: Reductions| {
                let options = Options { reductions, ..Options::default() };
                let outcome = search(&program, model, options, MOST_REDUCED_STATES).expect("every violation replays");
                matches!(outcome.verdict, Verdict::Holds).then_some(outcome.stats.states)
            };
            let (Some(none), Some(all)) = (states(Reductions::NONE), states(Reductions::ALL)) else { continue };
            compared += 1;
            for ((_, field), reduced) in FIELDS.iter().zip(&mut reduced) {
                let (mut alone, mut others) = (Reductions::NONE, Reductions::ALL);
                *field(&mut alone) = true;
                *field(&mut others) = false;
                reduced[0] += u64::from(states(alone) < Some(none));
                reduced[1] += u64::from(Some(all) < states(others));
            }
        }
    }
    for ((name, _), [alone, with_others]) in FIELDS.iter().zip(reduced) {
        let rarely = 25 * alone < compared || 10 * with_others < compared;
        assert!(!rarely, "{name} reduces {alone} of {compared} programs alone, {with_others} with the others");
    }
}

/// All that a search says; except for the memory that it took, a table for each part of the states.
fn told(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    max_states: u64,
) -> Result<(String, Stats), String> {
    let budget = Budget { max_states, ..Budget::unlimited() };
    let Exploration { end, sc_failure, bound, speculative, stats } = explore(program, model, options, &budget);
    let verdict = search(program, model, options, max_states)?.verdict;
    Ok((format!("{end:?} {sc_failure:?} {bound:?} {speculative:?} {verdict:?}"), Stats { peak_bytes: 0, ..stats }))
}

/// How the outcome depends on the number of threads that search.
fn depends_on_jobs(program: &Program, model: &'static dyn Model, options: Options, max_states: u64) -> Option<String> {
    let told = |jobs: usize| told(program, model, Options { jobs, ..options }, max_states);
    let alone = told(1);
    // A search that reaches a limit has looked at whatever it happened to find first.
    if alone.as_ref().is_ok_and(|(_, stats)| stats.states >= max_states) {
        return None;
    }
    [2, 3].into_iter().find_map(|jobs| {
        let found = told(jobs);
        (found != alone).then(|| format!("{jobs} threads: {found:?}; one thread: {alone:?}; {options:?}"))
    })
}

fn assert_independent_of_jobs(seed: u64, program: &Program, options: Options, max_states: u64) {
    for model in models::monitored() {
        if let Some(difference) = depends_on_jobs(program, model, options, max_states) {
            let small = shrink(program, |smaller| depends_on_jobs(smaller, model, options, max_states).is_some());
            panic!("seed {seed}, {}: {difference}; smaller:\n{}", model.name(), fencepost_lower::print(&small));
        }
    }
}

#[test]
fn the_outcome_does_not_depend_on_the_number_of_threads() {
    let all: Vec<Reductions> = combinations().collect();
    in_parallel(0..repetitions(500), |seed| {
        let seed = seed + (10 << 32);
        let reductions = all[Random::new(seed).below(all.len())];
        let options = Options { reductions, observational: seed % 3 == 0, jobs: 1 };
        assert_independent_of_jobs(seed, &generate::program(seed, &self::options(seed)), options, MOST_STATES);
    });
}

/// Small layers are expanded by one thread, however many there are: these are large.
#[test]
fn nor_when_the_threads_have_work() {
    let (threads, accesses) = (4..=5, 4..=5);
    let generate = Generate { threads, accesses, total_accesses: 20, copies: true, ..Generate::default() };
    let mut worked = 0;
    for seed in 0..repetitions(60) {
        let seed = seed + (11 << 32);
        let program = generate::program(seed, &Generate { loops: seed % 2 == 0, ..generate.clone() });
        let without_por = Reductions { por: false, ..Reductions::ALL };
        let reductions = [Reductions::NONE, without_por, Reductions::ALL][seed as usize % 3];
        let options = Options { reductions, ..Options::default() };
        let is_wide = |model| {
            let widest = AtomicU64::new(0);
            let progress = |progress: Progress| {
                widest.fetch_max(progress.frontier, Ordering::Relaxed);
            };
            let budget = Budget { max_states: MANY_STATES, progress: &progress, ..Budget::unlimited() };
            Question::new(&program, model).with(options).robustness(&budget).expect("every violation replays");
            widest.into_inner() > WIDE
        };
        if models::monitored().any(is_wide) {
            worked += 1;
            assert_independent_of_jobs(seed, &program, options, MANY_STATES);
        }
    }
    assert!(worked >= repetitions(2), "only {worked} programs have large layers");
}

/// A reduced search may find longer runs than there are, but where it is cheap a shortest one is
/// shown.
#[test]
fn witnesses_are_shortest() {
    let violated = in_parallel(0..repetitions(1_500), |seed| {
        let mut violated = 0;
        let program = generate::program(seed + (12 << 32), &options(seed));
        for model in models::monitored() {
            let steps = |reductions: Reductions| {
                let options = Options { reductions, ..Options::default() };
                let outcome = search(&program, model, options, MOST_STATES).expect("every violation replays");
                match outcome.verdict {
                    Verdict::Violated(violation) => Some(violation.run.steps.len()),
                    Verdict::Holds | Verdict::Unknown(_) => None,
                }
            };
            let Some(shortest) = steps(Reductions::NONE) else { continue };
            violated += 1;
            let shown = steps(Reductions::ALL);
            assert_eq!(shown, Some(shortest), "seed {seed}, {}:\n{}", model.name(), fencepost_lower::print(&program));
        }
        violated
    });
    let violated: u64 = violated.into_iter().sum();
    assert!(violated > repetitions(1_500) / 4, "only {violated} violations");
}
