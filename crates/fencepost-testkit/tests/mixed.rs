//! Locations that are accessed plainly and by atomic operations: what `check` says is what the
//! definitions say, of generated programs without loops.

use fencepost_check::{Options, Question, Reductions};
use fencepost_ir::Program;
use fencepost_model::Model;
use fencepost_model::models::cpp20::Cpp20;
use fencepost_model::models::rc20::Rc20;
use fencepost_oracle::enumerate::{Answer, robust};
use fencepost_testkit::edit::partly_plain;
use fencepost_testkit::generate::{self, Options as Generate};
use fencepost_testkit::random::Random;
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{in_parallel, repetitions};
use fencepost_verdict::{Budget, Verdict, ViolationKind};

const MODELS: [&'static dyn Model; 2] = [&Cpp20, &Rc20];

/// States ⟨q, G⟩ that are enough for nearly all of the programs.
const LIMIT: usize = 6_000;

/// What was found, in numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    robust: u64,
    races: u64,
    /// Races of which one access is atomic.
    half: u64,
    stale: u64,
}

/// What is different, if something is.
fn difference(program: &Program, model: &'static dyn Model, count: &mut Count) -> Option<String> {
    let expected = robust(program, model, LIMIT);
    if expected == Answer::TooLarge {
        return None;
    }
    for reductions in [Reductions::ALL, Reductions::NONE] {
        let question = Question::new(program, model).with(Options { reductions, ..Options::default() });
        let outcome = match question.robustness(&Budget::unlimited()) {
            Ok(outcome) => outcome,
            Err(error) => return Some(error.to_string()),
        };
        match (&outcome.verdict, expected) {
            (Verdict::Holds, Answer::Robust) => count.robust += 1,
            (Verdict::Violated(violation), Answer::Violation(_)) if violation.kind == ViolationKind::DataRace => {
                count.races += 1;
                let graph = &violation.graph;
                let is_half = !graph.label(violation.culprit).is_nonatomic();
                count.half += u64::from(is_half);
            }
            (Verdict::Violated(_), Answer::Violation(_)) => count.stale += 1,
            (found, _) => return Some(format!("{found:?}, expected {expected:?}, {reductions:?}")),
        }
    }
    None
}

#[test]
fn what_check_says_is_as_defined() {
    let seeds = repetitions(1_500);
    let counts = in_parallel(0..seeds, |seed| {
        let options = Generate { loops: false, plain: seed.is_multiple_of(4), ..Generate::default() };
        let program = partly_plain(&generate::program(seed + (91 << 32), &options), &mut Random::new(seed));
        let mut count = Count::default();
        for model in MODELS {
            if let Some(how) = difference(&program, model, &mut count) {
                let small = shrink(&program, |smaller| difference(smaller, model, &mut Count::default()).is_some());
                panic!("seed {seed}, {}: {how}\n{}", model.name(), fencepost_lower::print(&small));
            }
        }
        count
    });
    let sum = |of: fn(&Count) -> u64| counts.iter().map(of).sum::<u64>();
    let found =
        [sum(|count| count.robust), sum(|count| count.races), sum(|count| count.half), sum(|count| count.stale)];
    assert!(found.iter().all(|&count| count > seeds / 20), "robust, races, those with an atomic one, stale: {found:?}");
}
