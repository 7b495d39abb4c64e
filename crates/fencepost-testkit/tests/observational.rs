//! Observational robustness: the engine finds a witness iff the literal system SC_T reaches its
//! error state, and stands between robustness and the definition of observational robustness.

use fencepost_check::Question;
use fencepost_ir::Program;
use fencepost_model::models::cpp20::Cpp20;
use fencepost_model::models::ra::Ra;
use fencepost_model::models::rc20::Rc20;
use fencepost_model::{Model, models};
use fencepost_oracle::{Answer, observational_witness};
use fencepost_testkit::generate::{self, Options, Palette};
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{in_parallel, repetitions};
use fencepost_verdict::{Budget, Outcome, Verdict};

/// Enough for nearly all programs without loops.
const LIMIT: usize = 6_000;

fn holds(outcome: &Outcome) -> Result<bool, String> {
    match &outcome.verdict {
        Verdict::Holds => Ok(true),
        Verdict::Violated(_) => Ok(false),
        Verdict::Unknown(reason) => Err(reason.to_string()),
    }
}

fn engine(program: &Program, model: &'static dyn Model) -> Result<bool, String> {
    holds(
        &Question::new(program, model)
            .observational()
            .robustness(&Budget::unlimited())
            .map_err(|error| error.to_string())?,
    )
}

fn differs_from_sc_t(program: &Program, model: &'static dyn Model) -> Option<String> {
    let found = engine(program, model);
    let agreed = match observational_witness(program, model, LIMIT) {
        Answer::TooLarge => found.is_ok(),
        Answer::Robust => found == Ok(true),
        Answer::Violation(_) => found == Ok(false),
    };
    (!agreed).then(|| format!("the engine says {found:?}, SC_T does not"))
}

#[test]
fn the_engine_is_sc_t() {
    in_parallel(0..repetitions(3_000), |seed| {
        let seed = seed + (3 << 32);
        let program = generate::program(seed, &Options::default());
        let model: &'static dyn Model = if seed.is_multiple_of(2) { &Rc20 } else { &Cpp20 };
        if let Some(difference) = differs_from_sc_t(&program, model) {
            let small = shrink(&program, |smaller| differs_from_sc_t(smaller, model).is_some());
            panic!("seed {seed}, {}: {difference}; smaller:\n{}", model.name(), fencepost_lower::print(&small));
        }
    });
}

#[test]
fn robust_programs_are_observationally_robust() {
    in_parallel(0..repetitions(2_000), |seed| {
        let options = Options { loops: seed % 2 == 0, ..Options::default() };
        let program = generate::program(seed + (4 << 32), &options);
        for model in models::monitored() {
            let plain = Question::new(&program, model).robustness(&Budget::unlimited()).expect("no internal error");
            if holds(&plain) == Ok(true) {
                let name = model.name();
                assert_eq!(
                    engine(&program, model),
                    Ok(true),
                    "seed {seed}, {name}:\n{}",
                    fencepost_lower::print(&program)
                );
            }
        }
    });
}

/// SC_T is compared for models with orders; of release/acquire programs it speaks for all.
#[test]
fn with_release_acquire_accesses_only_both_models_agree() {
    in_parallel(0..repetitions(2_000), |seed| {
        let palette = Some(Palette::RELEASE_ACQUIRE);
        let options = Options { loops: seed % 4 == 0, plain: false, palette, ..Options::default() };
        let program = generate::program(seed + (5 << 32), &options);
        assert_eq!(
            engine(&program, &Ra),
            engine(&program, &Rc20),
            "seed {seed}:\n{}",
            fencepost_lower::print(&program)
        );
    });
}
