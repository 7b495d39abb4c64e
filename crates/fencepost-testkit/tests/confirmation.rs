//! What the corpus says of store buffers, with loops or without, confirmed by a machine that knows
//! nothing of attacks: `robust` of every file is put to all computations within a bound on the
//! stores in a buffer and on the number of states.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use fencepost_ir::Program;
use fencepost_model::{Model, models};
use fencepost_oracle::buffers::bounded::{self, Answer, Bound};
use fencepost_testkit::expect::{Expected, Subject};
use fencepost_testkit::{corpus, in_parallel, repetitions};

/// Most stores in the buffers of a thread; enough for every program without loops.
const STORES: usize = 6;

/// What is known of a program, and up to how many stores in a buffer there is no violation.
struct Known {
    answer: Answer,
    stores: usize,
}

/// Allows one store in a buffer, then more, until all is known. Where there are too many states,
/// the first ones with more stores may still have a violation.
fn known(program: &Program, model: &dyn Model, states: usize) -> Known {
    let mut without = 0;
    for stores in 1..=STORES {
        let answer = bounded::robust(program, model, Bound { stores, states }).answer;
        match answer {
            Answer::Robust | Answer::Violation => return Known { answer, stores: without },
            Answer::NoViolation => without = stores,
            Answer::TooLarge => {}
        }
    }
    Known { answer: Answer::NoViolation, stores: without }
}

/// How many questions were answered in which way.
#[derive(Debug, Default)]
struct Count {
    robust: usize,
    /// No violation with so many stores in a buffer, 0 where there are too many states even with
    /// one.
    robust_up_to: [usize; STORES + 1],
    violations: usize,
    violations_not_found: usize,
}

#[test]
fn verdicts_about_store_buffers() {
    let states = repetitions(10_000) as usize;
    let complaints = Mutex::new(String::new());
    let counts = Mutex::new([Count::default(), Count::default()]);
    in_parallel(corpus::files(), |file| {
        let content = file.read().unwrap_or_else(|error| panic!("{}: {error}", file.name));
        for model in models::checkable().filter(|model| model.buffers().is_some()) {
            let about = |subject, name: &str| subject == Subject::Robustness && name == model.name();
            let mut expected = content.expected.iter().filter(|e| about(e.answer.subject(), e.model));
            let expected = expected.next().map(|expectation| expectation.answer);
            let known = known(&content.program, model, states);
            let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
            let count = &mut counts[usize::from(!content.program.is_loop_free())];
            match (expected, known.answer) {
                (Some(Expected::Robust), Answer::Robust) => count.robust += 1,
                (Some(Expected::Robust), Answer::NoViolation | Answer::TooLarge) => {
                    count.robust_up_to[known.stores] += 1;
                }
                (Some(Expected::Violation), Answer::Violation) => count.violations += 1,
                (Some(Expected::Violation), Answer::NoViolation | Answer::TooLarge) => count.violations_not_found += 1,
                (Some(Expected::Robust), Answer::Violation) | (Some(Expected::Violation), Answer::Robust) => {
                    let mut complaints = complaints.lock().unwrap_or_else(PoisonError::into_inner);
                    let answer = known.answer;
                    writeln!(complaints, "{}, {}: {expected:?}, but {answer:?}", file.name, model.name())
                        .expect("text");
                }
                // Nothing is claimed.
                _ => {}
            }
        }
    });
    let complaints = complaints.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert!(complaints.is_empty(), "{complaints}");
    let [free, looping] = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Most are settled without any bound, and what is known to be wrong is nearly always found to
    // be.
    let unsettled: usize = free.robust_up_to.iter().sum();
    assert!(unsettled + free.violations_not_found == 0, "without loops: {free:?}");
    let unsettled: usize = looping.robust_up_to.iter().sum();
    assert!(looping.robust > 3 * unsettled && looping.violations > 20 * looping.violations_not_found, "{looping:?}");
}
