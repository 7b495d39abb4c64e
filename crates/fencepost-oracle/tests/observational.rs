//! Observational robustness: what the definitions and the theorems of the POPL 2021 paper say about each other, on its
//! examples and on generated programs.

use fencepost_ir::Program;
use fencepost_model::models::rc20::Rc20;
use fencepost_oracle::enumerate::{Answer, robust};
use fencepost_oracle::{observational_witness, observationally_robust};
use fencepost_testkit::edit::asserting_reads;
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::repetitions;
use fencepost_testkit::shrink::shrink;

const LIMIT: usize = 3_000;

/// Robust, observationally robust, without a witness; where all three were decided.
fn decide(program: &Program) -> Option<[bool; 3]> {
    let decided = |answer: Answer| (answer != Answer::TooLarge).then_some(answer == Answer::Robust);
    Some([
        decided(robust(program, &Rc20, LIMIT))?,
        decided(observationally_robust(program, LIMIT))?,
        decided(observational_witness(program, LIMIT))?,
    ])
}

/// A robust program has no witness (Lemma 4.20 and Thm 4.6), one without a witness is observationally robust (Thm 4.16).
fn is_lawful([robust, observationally_robust, without_witness]: [bool; 3]) -> bool {
    (!robust || without_witness) && (!without_witness || observationally_robust)
}

#[test]
fn robust_programs_have_no_witness_and_those_without_are_observationally_robust() {
    let (mut decided, mut counts) = (0u64, [0u64; 4]);
    for seed in 0..repetitions(3_000) {
        let program = generate::program(seed, &Options { total_accesses: 7, ..Options::default() });
        let Some(answers) = decide(&program) else { continue };
        decided += 1;
        if !is_lawful(answers) {
            let small = shrink(&program, |smaller| decide(smaller).is_some_and(|answers| !is_lawful(answers)));
            panic!(
                "seed {seed}: robust, observationally robust, without a witness: {:?}\n{}",
                decide(&small),
                fencepost_ir::print(&small)
            );
        }
        // Robust; speculative; observationally robust in spite of a witness; not at all.
        let class = match answers {
            [true, ..] => 0,
            [_, _, true] => 1,
            [_, true, _] => 2,
            _ => 3,
        };
        counts[class] += 1;
    }
    assert!(10 * decided > 9 * repetitions(3_000), "only {decided} were small enough");
    assert!(counts.iter().all(|&count| 100 * count > decided), "{counts:?} of {decided}");
}

/// Lemma 4.20 in full.
#[test]
fn if_every_read_is_asserted_a_witness_is_a_violation() {
    let differ = |program: &Program| {
        let answers = [robust(program, &Rc20, LIMIT), observational_witness(&asserting_reads(program), LIMIT)];
        !answers.contains(&Answer::TooLarge) && answers[0].is_violation() != answers[1].is_violation()
    };
    for seed in 0..repetitions(2_000) {
        let program = generate::program(seed, &Options { total_accesses: 7, ..Options::default() });
        if differ(&program) {
            panic!("seed {seed}:\n{}", fencepost_ir::print(&shrink(&program, differ)));
        }
    }
}
