//! The corpus: what is found there is replayed, and agrees with what the files say of robustness
//! and of SC runs.

use crate::common::confirm;
use fencepost_model::models::MODELS;
use fencepost_search::{End, Search};
use fencepost_testkit::corpus::{self, Entry};
use fencepost_testkit::expect::{Expectation, Expected};
use fencepost_testkit::in_parallel;
use fencepost_verdict::Budget;

/// States and graphs that are looked at: enough for what goes wrong early, and for small programs.
const SOME: u64 = 1_000;

#[test]
fn what_is_found_agrees_with_the_files() {
    let counts = in_parallel(corpus::files(), |entry| compare(&entry));
    let [asked, found, exhausted] =
        counts.into_iter().fold([0; 3], |sum, count| std::array::from_fn(|place| sum[place] + count[place]));
    assert!(found > 100 && exhausted * 2 > asked, "of {asked}, {found} were found and {exhausted} exhausted");
}

/// How often was a question about the file asked, and how often was it answered, in both ways?
fn compare(entry: &Entry) -> [u32; 3] {
    let [mut asked, mut found, mut exhausted] = [0; 3];
    let Ok(content) = entry.read() else { return [0; 3] };
    let program = &content.program;
    let says = |model: &str, expected: Expected| {
        content.expected.iter().any(|line: &Expectation| line.model == model && line.answer == expected)
    };
    let fails_under_sc = says("sc", Expected::AssertionFails) || says("sc", Expected::RuntimeError);
    for &model in MODELS.iter().filter(|model| model.name() != "sc") {
        let answer = Search::new(program, model).failure(&Budget { max_states: SOME, ..Budget::unlimited() });
        let context = || format!("{}, {}: {answer:?}", entry.name, model.name());
        asked += 1;
        match (&answer.end, &answer.what) {
            (End::Found, Some(finding)) => {
                found += 1;
                if let Err(error) = confirm(program, model, finding) {
                    panic!("{error}: {}", context());
                }
                let is_robust = says(model.name(), Expected::Robust);
                assert!(fails_under_sc || !is_robust, "robust and safe under SC: {}", context());
            }
            (End::Exhausted, None) => {
                exhausted += 1;
                assert!(!fails_under_sc, "fails even under SC: {}", context());
            }
            (End::Cut(_) | End::Bound(_), None) => {}
            _ => panic!("no answer: {}", context()),
        }
    }
    [asked, found, exhausted]
}
