//! Attacks and the definitions give the same answers about store buffers on generated programs,
//! however the attacks are looked for.

use fencepost_attack::{attacks, instrument};
use fencepost_check::{Attacking, Delays, Options, Question, Reductions, enough_delays};
use fencepost_explore::{End, find_failing_assertion};
use fencepost_ir::Program;
use fencepost_lower::Language;
use fencepost_model::{Model, models};
use fencepost_oracle::buffers;
use fencepost_oracle::buffers::bounded::{self, Bound};
use fencepost_oracle::enumerate::{Answer, Finding, fails_under_sc, robust};
use fencepost_testkit::generate::{self, Options as Generate};
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{in_parallel, repetitions};
use fencepost_verdict::{Budget, Verdict};

/// Enough for nearly all programs without loops.
const ALL: usize = 6_000;
/// States of a search that is compared with another.
const SOME_STATES: u64 = 20_000;
/// Enough for the first few steps of programs with loops.
const SOME: usize = 150;
/// Enough for many programs with loops.
const BOUND: Bound = Bound { stores: 3, states: 10_000 };

fn machines() -> impl Iterator<Item = &'static dyn Model> {
    models::checkable().filter(|model| model.buffers().is_some())
}

/// Is the program robust, and, if so, does it fail under SC? Or what is wrong with the answer.
fn engine(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    attacking: Attacking,
) -> Result<(bool, Option<bool>), String> {
    let outcome = Question::new(program, model)
        .with(options)
        .attacking(attacking)
        .robustness(&Budget::unlimited())
        .map_err(|error| error.to_string())?;
    match outcome.verdict {
        Verdict::Holds => Ok((true, Some(outcome.sc_failure.is_some()))),
        Verdict::Violated(violation) if violation.delay.is_none() => Err("a violation without a delay".into()),
        Verdict::Violated(_) => Ok((false, None)),
        Verdict::Unknown(reason) => Err(format!("unknown: {reason}")),
    }
}

/// Every way to look for attacks.
fn ways(program: &Program, model: &dyn Model) -> Vec<(Options, Attacking)> {
    let plain = Options::default();
    let unreduced = Options { reductions: Reductions::NONE, ..plain };
    let together = Attacking::default();
    let each = Attacking { one_by_one: true, ..together };
    let mut ways = vec![(plain, together), (unreduced, together), (plain, each), (Options { jobs: 2, ..plain }, each)];
    let enough = enough_delays(program, model);
    for delays in [Delays::OneLocation, Delays::Many].into_iter().filter(|&delays| delays > enough) {
        let more = Attacking { delays: Some(delays), ..together };
        ways.extend([(plain, more), (unreduced, more)]);
    }
    ways
}

/// How an answer differs from what the definitions say; `None` when none does, or the program is
/// too large for them.
fn disagreement(
    program: &Program,
    model: &'static dyn Model,
    (definition, fails): (Answer, Option<bool>),
) -> Option<String> {
    for (options, attacking) in ways(program, model) {
        let answer = engine(program, model, options, attacking);
        let agreed = match (&answer, definition) {
            (Ok((holds, _)), Answer::Robust) => *holds,
            (Ok((holds, _)), Answer::Violation(_)) => !holds,
            (Ok(_), Answer::TooLarge) => true,
            (Err(_), _) => false,
        };
        if !agreed {
            return Some(format!(
                "attacks say {answer:?} with {options:?}, {attacking:?}; the definitions {definition:?}"
            ));
        }
        if let (Ok((true, Some(failure))), Some(expected)) = (&answer, fails)
            && *failure != expected
        {
            return Some(format!("failure under SC: {failure}, by definition {expected}"));
        }
    }
    None
}

fn assert_agreement(seed: u64, program: &Program, judge: fn(&Program, &'static dyn Model) -> (Answer, Option<bool>)) {
    for model in machines() {
        let differs = |program: &Program| disagreement(program, model, judge(program, model));
        if let Some(found) = differs(program) {
            let small = shrink(program, |smaller| differs(smaller).is_some());
            let difference = differs(&small).unwrap_or_default();
            let name = model.name();
            panic!("seed {seed}, {name}: {found}; smaller: {difference} about\n{}", fencepost_lower::print(&small));
        }
    }
}

fn by_axioms(program: &Program, model: &'static dyn Model) -> (Answer, Option<bool>) {
    (robust(program, model, ALL), fails_under_sc(program, model, ALL))
}

/// The axioms have no end with most loops, but they find violations; so does the machine, and where
/// it never wants more than the bound allows it also knows that there are none.
fn in_part(program: &Program, model: &'static dyn Model) -> (Answer, Option<bool>) {
    let axioms = robust(program, model, SOME);
    let machine = bounded::robust(program, model, BOUND).answer;
    let answer = match (machine, axioms) {
        (bounded::Answer::Robust, Answer::TooLarge) => Answer::Robust,
        (bounded::Answer::Violation, Answer::TooLarge) => Answer::Violation(Finding::Escape),
        (bounded::Answer::Robust, Answer::Violation(_)) | (bounded::Answer::Violation, Answer::Robust) => {
            panic!("machine {machine:?}, axioms {axioms:?} about\n{}", fencepost_lower::print(program))
        }
        _ => axioms,
    };
    (answer, None)
}

/// The axioms do not know what a section that cannot be completed is.
fn by_machine(program: &Program, model: &'static dyn Model) -> (Answer, Option<bool>) {
    (buffers::robust(program, model, 20 * ALL), None)
}

#[test]
fn loop_free_programs() {
    in_parallel(0..repetitions(900), |seed| {
        let seed = seed + (20 << 32);
        let options =
            Generate { light: seed % 2 == 0, copies: seed % 3 == 0, private: seed % 5 == 0, ..Generate::default() };
        assert_agreement(seed, &generate::program(seed, &options), by_axioms);
    });
}

#[test]
fn programs_with_sections() {
    in_parallel(0..repetitions(500), |seed| {
        let seed = seed + (21 << 32);
        let options = Generate { light: seed % 2 == 0, sections: true, ..Generate::default() };
        assert_agreement(seed, &generate::program(seed, &options), by_machine);
    });
}

#[test]
fn programs_with_loops() {
    in_parallel(0..repetitions(150), |seed| {
        let seed = seed + (22 << 32);
        let options = Generate { loops: true, light: seed % 2 == 0, total_accesses: 7, ..Generate::default() };
        assert_agreement(seed, &generate::program(seed, &options), in_part);
    });
}

/// What is rare among generated programs: only the second of two threads with the same code can
/// delay a store; a store overtakes one that the light fence between them does not cover, though it
/// covers others.
#[test]
fn rare_programs() {
    let programs = [
        (
            [false, false, false],
            "domain 2; global x, y;
            thread a { local fenced = 1, r; x.store(1); if (fenced) { fence(sc); } r = y.load(); }
            thread b { local fenced, r; x.store(1); if (fenced) { fence(sc); } r = y.load(); }
            thread c { local r; y.store(1); fence(sc); r = x.load(); }",
        ),
        (
            [true, true, false],
            "domain 2; global x, y;
            thread a { x.store(1); lwfence(y); y.store(1); }
            thread b { local r, s; r = y.load(); s = x.load(); }",
        ),
        (
            [true, true, false],
            "domain 2; global x, y, z;
            thread a { z.store(1); x.store(1); lwfence(z); y.store(1); }
            thread b { local r, s; r = y.load(); s = x.load(); }",
        ),
    ];
    for (expected, text) in programs {
        let program = fencepost_lower::load(Language::Fp, text).program.expect("a program");
        let found: Vec<bool> = machines().map(|model| robust(&program, model, ALL) == Answer::Robust).collect();
        assert_eq!(found, expected, "{text}");
        assert_agreement(0, &program, by_axioms);
    }
}

/// The same with sections: one that can be completed only if it reads what a store that was
/// repeated has overwritten.
#[test]
fn rare_programs_with_sections() {
    let text = "domain 2; global x, y;
        thread a { x.store(1); x.store(1); y.store(1); }
        thread b { local r, s; s = y.load(); assume(s == 1); atomic { r = x.load(); assume(r == 0); } }";
    let program = fencepost_lower::load(Language::Fp, text).program.expect("a program");
    let robust: Vec<bool> = machines().map(|model| by_machine(&program, model).0 == Answer::Robust).collect();
    assert_eq!(robust, [true, false, false]);
    assert_agreement(0, &program, by_machine);
}

/// What is explored can be printed, read again, and explored.
#[test]
fn instrumented_programs_can_be_printed() {
    for seed in 0..repetitions(150) {
        let seed = seed + (23 << 32);
        let options = Generate { loops: seed % 2 == 0, light: true, sections: seed % 3 == 0, ..Generate::default() };
        let program = generate::program(seed, &options);
        for model in machines() {
            let found = attacks(&program, model);
            for delays in [Delays::One, Delays::OneLocation, Delays::Many] {
                let instrumented = instrument(&program, model, &found, delays);
                let text = fencepost_lower::print(instrumented.program());
                let again = fencepost_lower::load(Language::Fp, &text).program.expect("what is printed can be read");
                assert_eq!(fencepost_lower::print(&again), text, "seed {seed}");
                let fails = |program: &Program| {
                    let budget = Budget { max_states: SOME_STATES, ..Budget::unlimited() };
                    match find_failing_assertion(program, Options::default(), &budget).end {
                        End::Failed => Some(true),
                        End::Exhausted => Some(false),
                        _ => None,
                    }
                };
                if let (Some(before), Some(after)) = (fails(instrumented.program()), fails(&again)) {
                    assert_eq!(before, after, "seed {seed}, {}", model.name());
                }
            }
        }
    }
}

/// Some generated programs are not robust only because a thread delays several stores to one
/// location: otherwise nobody would notice if one was taken to be enough.
#[test]
fn some_programs_need_several_delays() {
    let fails = |program: &Program, model: &dyn Model, delays| {
        let instrumented = instrument(program, model, &attacks(program, model), delays);
        let search = find_failing_assertion(instrumented.program(), Options::default(), &Budget::unlimited());
        matches!(search.end, End::Failed)
    };
    let needed = in_parallel(0..1_500, |seed| {
        let program = generate::program(seed + (24 << 32), &Generate { dense: Some(true), ..Generate::default() });
        let needs_several = |model: &dyn Model| {
            enough_delays(&program, model) == Delays::OneLocation
                && !fails(&program, model, Delays::One)
                && fails(&program, model, Delays::OneLocation)
        };
        machines().filter(|&model| needs_several(model)).count()
    });
    let needed: usize = needed.into_iter().sum();
    assert!(needed >= 10, "only {needed}");
}
