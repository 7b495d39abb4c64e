//! Observational robustness: what the definitions and the theorems of the POPL 2021 paper say about
//! each other, on its examples and on generated programs.

use fencepost_ir::Program;
use fencepost_lower::Language;
use fencepost_model::Model;
use fencepost_model::models::cpp20::Cpp20;
use fencepost_model::models::rc20::Rc20;
use fencepost_oracle::enumerate::{Answer, fails_under, fails_under_sc, robust};
use fencepost_oracle::{observational_witness, observationally_robust};
use fencepost_testkit::edit::asserting_reads;
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{in_parallel, repetitions};

const LIMIT: usize = 3_000;
/// The models that the paper's notion makes sense for: accesses have orders.
const MODELS: [&dyn Model; 2] = [&Rc20, &Cpp20];

/// Models take turns.
fn model(seed: u64) -> &'static dyn Model {
    MODELS[(seed % 2) as usize]
}

/// Robust, observationally robust, without a witness; where all three were decided.
fn decide(program: &Program, model: &dyn Model) -> Option<[bool; 3]> {
    let decided = |answer: Answer| (answer != Answer::TooLarge).then_some(answer == Answer::Robust);
    Some([
        decided(robust(program, model, LIMIT))?,
        decided(observationally_robust(program, model, LIMIT))?,
        decided(observational_witness(program, model, LIMIT))?,
    ])
}

/// A robust program has no witness (Lemma 4.20 and Thm 4.6), one without a witness is
/// observationally robust (Thm 4.16).
fn is_lawful([robust, observationally_robust, without_witness]: [bool; 3]) -> bool {
    (!robust || without_witness) && (!without_witness || observationally_robust)
}

#[test]
fn robust_programs_have_no_witness_and_those_without_are_observationally_robust() {
    let classes = in_parallel(0..repetitions(1_000), |seed| {
        let program = generate::program(seed, &Options { total_accesses: 7, ..Options::default() });
        let answers = decide(&program, model(seed))?;
        if !is_lawful(answers) {
            let small =
                shrink(&program, |smaller| decide(smaller, model(seed)).is_some_and(|answers| !is_lawful(answers)));
            panic!(
                "seed {seed}: robust, observationally robust, without a witness: {:?}\n{}",
                decide(&small, model(seed)),
                fencepost_lower::print(&small)
            );
        }
        // Robust; speculative; observationally robust in spite of a witness; not at all.
        Some(match answers {
            [true, ..] => 0,
            [_, _, true] => 1,
            [_, true, _] => 2,
            _ => 3,
        })
    });
    let (mut decided, mut counts) = (0u64, [0u64; 4]);
    for class in classes.into_iter().flatten() {
        decided += 1;
        counts[class] += 1;
    }
    assert!(10 * decided > 9 * repetitions(1_000), "only {decided} were small enough");
    assert!(counts.iter().all(|&count| 100 * count > decided), "{counts:?} of {decided}");
}

/// Lemma 4.20 in full.
#[test]
fn if_every_read_is_asserted_a_witness_is_a_violation() {
    let differ = |program: &Program, model: &dyn Model| {
        let asserting = asserting_reads(program);
        let answers = [robust(program, model, LIMIT), observational_witness(&asserting, model, LIMIT)];
        !answers.contains(&Answer::TooLarge) && answers[0].is_violation() != answers[1].is_violation()
    };
    for seed in 0..repetitions(1_000) {
        let program = generate::program(seed, &Options { total_accesses: 7, ..Options::default() });
        let differ = |program: &Program| differ(program, model(seed));
        if differ(&program) {
            panic!("seed {seed}:\n{}", fencepost_lower::print(&shrink(&program, differ)));
        }
    }
}

/// Prop. 4.12, by way of Thm 4.16: without a witness, a program may fail under a model iff it may fail
/// under SC.
#[test]
fn without_a_witness_only_what_fails_under_sc_fails() {
    let lies = |program: &Program, model: &dyn Model| {
        observational_witness(program, model, LIMIT) == Answer::Robust
            && fails_under(program, model, LIMIT) == Some(true)
            && fails_under_sc(program, model, LIMIT) == Some(false)
    };
    let mut fails = 0;
    for seed in 0..repetitions(1_000) {
        let program = generate::program(seed, &Options { total_accesses: 7, ..Options::default() });
        let lies = |program: &Program| lies(program, model(seed));
        if lies(&program) {
            panic!("seed {seed}:\n{}", fencepost_lower::print(&shrink(&program, lies)));
        }
        fails += u64::from(fails_under(&program, model(seed), LIMIT) == Some(true));
    }
    assert!(50 * fails > repetitions(1_000), "only {fails} fail");
}

fn read(text: &str) -> Program {
    let loaded = fencepost_lower::load(Language::Fp, text);
    loaded.program.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

fn message_passing(reaction: &str) -> Program {
    read(&format!(
        "domain 3; global x, y;
         thread writer {{ x.store(1, rlx); y.store(1, rlx); }}
         thread reader {{ local a, b, c; a = y.load(rlx); if (a == 1) {{ b = x.load(rlx); {reaction} }} }}"
    ))
}

/// Ex. 4.10: a stale value matters only if something is done with it.
#[test]
fn message_passing_depends_on_what_is_done_with_the_message() {
    for reaction in ["", "c = b + 1;", "c = b; b = 0; assert(b == 0);", "b = x.load(rlx);", "c = 2 / (b - b + 1) * 0;"]
    {
        let harmless = !reaction.contains('/');
        assert!(
            MODELS.iter().all(|model| decide(&message_passing(reaction), *model) == Some([false, harmless, harmless])),
            "{reaction}"
        );
    }
    for reaction in [
        "assert(b != 0);",
        "assert(b == b);",
        "assume(b == 1);",
        "verify(b);",
        "x.store(b, rlx);",
        "c = b + 1; y.fadd(c, rlx);",
        "wait(x == b, rlx);",
        "y.cas(b, 2, rlx, rlx);",
        "x.casw(0, b, rlx, rlx);",
        "c = nondet(0, b);",
    ] {
        assert!(
            MODELS.iter().all(|model| decide(&message_passing(reaction), *model) == Some([false, false, false])),
            "{reaction}"
        );
    }
}

/// A division decides whether the thread goes on. Otherwise this program would be called
/// observationally robust, and yet it divides by zero under the models only.
#[test]
fn a_division_is_a_decision() {
    let program = message_passing("c = 2 / b;");
    assert!(MODELS.iter().all(|model| decide(&program, *model) == Some([false, false, false])));
    assert!(MODELS.iter().all(|model| fails_under_sc(&program, *model, LIMIT) == Some(false)));
    assert!(MODELS.iter().all(|model| fails_under(&program, *model, LIMIT) == Some(true)));
    assert!(MODELS.iter().all(|model| decide(&message_passing("c = b / 2;"), *model) == Some([false, true, true])));
}

/// Ex. 4.18: a tainted read must not make its thread aware of anything.
#[test]
fn nested_store_buffering_has_a_witness() {
    let program = read(
        "domain 2; global x, y, z, w;
         thread left { local r, s, t; x.store(1, rel); y.store(1, rel); r = z.load(acq); s = w.load(acq);
                       if (s == 0) { t = 1; } }
         thread right { local r, s, t; w.store(1, rel); z.store(1, rel); r = y.load(acq); s = x.load(acq);
                        if (s == 0) { t = 1; } }",
    );
    assert!(MODELS.iter().all(|model| observationally_robust(&program, *model, 100_000).is_violation()));
    assert!(MODELS.iter().all(|model| observational_witness(&program, *model, LIMIT).is_violation()));
}

/// Ex. 4.19: the converse of Thm 4.16 does not hold.
#[test]
fn a_witness_is_no_proof() {
    let program = read(
        "domain 2; global x, y;
         thread left { local r; x.store(1, rel); r = y.load(acq); }
         thread right { local r; y.store(1, rel); r = x.load(acq); assert(r == r); }",
    );
    assert!(MODELS.iter().all(|model| decide(&program, *model) == Some([false, true, false])));
}

/// Ex. 4.8 and 4.10, with one attempt to read.
#[test]
fn a_sequence_lock_drops_what_is_stale() {
    let sequence_lock = |fence: &str| {
        read(&format!(
            "domain 5; global seq, x, y;
             thread writer {{ seq.store(1, rlx); fence(rel); x.store(1, rlx); y.store(1, rlx); seq.store(2, rel);
                              seq.store(3, rlx); fence(rel); x.store(2, rlx); y.store(2, rlx); seq.store(4, rel); }}
             thread reader {{ local s, t, a, b; s = seq.load(acq); a = x.load(rlx); b = y.load(rlx); {fence}
                              t = seq.load(rlx); if (s == t && s % 2 == 0) {{ assert(a == b); }} }}"
        ))
    };
    let fenced = sequence_lock("fence(acq);");
    assert!(MODELS.iter().all(|model| robust(&fenced, *model, 20_000).is_violation()));
    assert!(MODELS.iter().all(|model| observational_witness(&fenced, *model, LIMIT) == Answer::Robust));
    assert!(MODELS.iter().all(|model| observationally_robust(&fenced, *model, 50_000) == Answer::Robust));
    assert!(MODELS.iter().all(|model| observational_witness(&sequence_lock(""), *model, LIMIT).is_violation()));
    assert!(MODELS.iter().all(|model| observationally_robust(&sequence_lock(""), *model, 50_000).is_violation()));
}
