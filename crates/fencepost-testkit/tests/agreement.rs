//! The engine and the definitional oracle give the same answers on generated programs, and the
//! engine gives one.

use fencepost_check::Question;
use fencepost_ir::Program;
use fencepost_model::models::ra::Ra;

use fencepost_model::{Model, models};
use fencepost_oracle::enumerate::{Answer, fails_under_sc, robust};
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{in_parallel, litmus, repetitions};
use fencepost_verdict::{Budget, Verdict};

/// Enough for nearly all programs without loops.
const ALL: usize = 6_000;

/// Enough for the first few steps of programs with loops; their graphs grow without end.
const SOME: usize = 150;

/// What the engine says: whether the program is robust, and whether it fails under SC, if all runs
/// were looked at. Or what is wrong with the answer.
fn engine(program: &Program, model: &'static dyn Model) -> Result<(bool, Option<bool>), String> {
    let outcome = Question::new(program, model).robustness(&Budget::unlimited()).map_err(|error| error.to_string())?;
    match outcome.verdict {
        Verdict::Holds => Ok((true, Some(outcome.sc_failure.is_some()))),
        Verdict::Violated(_) => Ok((false, None)),
        Verdict::Unknown(reason) => Err(format!("unknown: {reason}")),
    }
}

/// How the two disagree; `None` when they agree, or the program is too large for the oracle.
fn disagreement(program: &Program, model: &'static dyn Model, limit: usize) -> Option<String> {
    let answer = engine(program, model);
    let robust = robust(program, model, limit);
    let agreed = match (&answer, robust) {
        (Ok((holds, _)), Answer::Robust) => *holds,
        (Ok((holds, _)), Answer::Violation(_)) => !holds,
        (Ok(_), Answer::TooLarge) => true,
        (Err(_), _) => false,
    };
    if !agreed {
        return Some(format!("the engine says {answer:?}, the definitions {robust:?}"));
    }
    if let Ok((true, Some(failure))) = answer
        && fails_under_sc(program, model, limit).is_some_and(|expected| expected != failure)
    {
        return Some(format!("failure under SC: the engine says {failure}, the definitions do not"));
    }
    None
}

fn assert_agreement(seed: u64, program: &Program, limit: usize) {
    for model in models::checkable() {
        if let Some(disagreement) = disagreement(program, model, limit) {
            let small = shrink(program, |smaller| self::disagreement(smaller, model, limit).is_some());
            let difference = self::disagreement(&small, model, limit).unwrap_or_default();
            let name = model.name();
            panic!(
                "seed {seed}, {name}: {disagreement}; smaller: {difference} about\n{}",
                fencepost_lower::print(&small)
            );
        }
    }
}

#[test]
fn litmus_tests() {
    for (program, expected) in litmus::all() {
        assert_eq!(engine(&program, &Ra).map(|(holds, _)| holds), Ok(expected), "{:?}", program.name());
    }
}

#[test]
fn loop_free_programs() {
    in_parallel(0..repetitions(500), |seed| {
        // Other seeds than those on which the definitions are compared with each other.
        let seed = seed + (1 << 32);
        assert_agreement(seed, &generate::program(seed, &Options::default()), ALL);
    });
}

/// The oracle has no end with most of these, but it finds violations, and what it finds the engine
/// must find.
#[test]
fn programs_with_loops() {
    in_parallel(0..repetitions(30), |seed| {
        let options = Options { loops: true, total_accesses: 7, ..Options::default() };
        assert_agreement(seed, &generate::program(seed, &options), SOME);
    });
}
