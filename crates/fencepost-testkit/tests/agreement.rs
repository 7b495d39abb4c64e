//! The engine and the definitional oracle give the same answers on generated programs, and the engine gives one.

use fencepost_check::check;
use fencepost_ir::Program;
use fencepost_model::models::ra::Ra;
use fencepost_oracle::{Answer, robust};
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{litmus, repetitions};
use fencepost_verdict::{Budget, Verdict};

const LIMIT: usize = 6_000;

/// What the engine says: whether the program is robust, or what is wrong with the answer.
fn engine(program: &Program) -> Result<bool, String> {
    let outcome = check(program, &Ra, &Budget::unlimited()).map_err(|error| error.to_string())?;
    match outcome.verdict {
        Verdict::Holds => Ok(true),
        Verdict::Violated(_) => Ok(false),
        Verdict::Unknown(reason) => Err(format!("unknown: {reason}")),
    }
}

/// How the two disagree; `None` when they agree, or the program is too large for the oracle.
fn disagreement(program: &Program) -> Option<String> {
    let answer = engine(program);
    match robust(program, &Ra, LIMIT) {
        Answer::Robust if answer == Ok(true) => None,
        Answer::Violation(_) if answer == Ok(false) => None,
        Answer::TooLarge if answer.is_ok() => None,
        expected => Some(format!("the engine says {answer:?}, the definitions {expected:?}")),
    }
}

fn assert_agreement(seed: u64, program: &Program) {
    if let Some(disagreement) = disagreement(program) {
        let small = shrink(program, |smaller| self::disagreement(smaller).is_some());
        let difference = self::disagreement(&small).unwrap_or_default();
        panic!("seed {seed}: {disagreement}; smaller: {difference} about\n{}", fencepost_ir::print(&small));
    }
}

#[test]
fn litmus_tests() {
    for (program, expected) in litmus::all() {
        assert_eq!(engine(&program), Ok(expected), "{:?}", program.name());
    }
}

#[test]
fn loop_free_programs() {
    for seed in 0..repetitions(4_000) {
        // Other seeds than those on which the definitions are compared with each other.
        let seed = seed + (1 << 32);
        assert_agreement(seed, &generate::program(seed, &Options::default()));
    }
}

/// The oracle has no end with most of these, but it finds violations, and what it finds the engine must find.
#[test]
fn programs_with_loops() {
    for seed in 0..repetitions(400) {
        let options = Options { loops: true, total_accesses: 6, ..Options::default() };
        assert_agreement(seed, &generate::program(seed, &options));
    }
}
