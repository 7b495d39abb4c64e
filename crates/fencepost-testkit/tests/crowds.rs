//! Any number of copies: the two engines agree with each other, and with programs of 1, 2, 3, …
//! copies.

use fencepost_check::Question;
use fencepost_crowd::backward::Decided;
use fencepost_crowd::{Wanted, decide_backward, decide_forward};
use fencepost_ir::Program;
use fencepost_lower::Language;
use fencepost_model::{Model, Robustness, models};
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::repetitions;
use fencepost_verdict::{Budget, Verdict};

/// States that a program may have before it is too large for a test.
const SMALL: u64 = 200_000;
/// Copies that programs are tried with, one number after the other.
const TRIED: u32 = 4;
/// Copies that are looked at at a time.
const AT_A_TIME: u32 = 4;

fn small() -> Budget<'static> {
    Budget { max_states: SMALL, ..Budget::unlimited() }
}

/// `program` with any number of copies of some of its threads: those whose bit is set.
fn any_number(program: &Program, which: u64) -> Program {
    let mut text = fencepost_lower::print(program);
    for (index, thread) in program.threads().iter().enumerate().filter(|(index, _)| which >> index & 1 == 1) {
        let (one, any) = (format!("thread {} {{", thread.name), format!("thread {}[*] {{", thread.name));
        assert!(text.contains(&one), "thread {index} is printed");
        text = text.replace(&one, &any);
    }
    fencepost_lower::load(Language::Fp, &text).program.expect("what is printed can be read")
}

/// What programs with so many copies do: the least number with a violation, and with a failure.
struct Tried {
    violation: Option<u32>,
    failure: Option<u32>,
}

fn tried(program: &Program, model: &'static dyn Model) -> Option<Tried> {
    let mut tried = Tried { violation: None, failure: None };
    for copies in 1..=TRIED {
        let instance = program.with_copies(copies);
        let outcome = Question::new(&instance, model).robustness(&small()).expect("no internal error");
        match outcome.verdict {
            Verdict::Unknown(_) => return None,
            Verdict::Violated(_) => tried.violation = tried.violation.or(Some(copies)),
            Verdict::Holds => {}
        }
        if outcome.sc_failure.is_some() {
            tried.failure = tried.failure.or(Some(copies));
        }
    }
    Some(tried)
}

fn agree(program: &Program, model: &'static dyn Model, found: Option<u32>, wanted: Wanted) -> Option<()> {
    let budget = small();
    let backward = decide_backward(program, model, wanted, &budget).ok()?;
    let forward = decide_forward(program, model, wanted, AT_A_TIME, &budget).ok();
    match backward {
        Decided::Never { .. } => assert_eq!(found, None, "something was found with so many copies"),
        Decided::With(copies) => {
            if copies <= TRIED {
                assert!(found.is_some_and(|found| found <= copies), "nothing was found with {copies} copies");
            }
            assert!(found.is_none_or(|found| found <= copies));
        }
    }
    if let Some(Some(at_a_time)) = forward {
        assert!(matches!(backward, Decided::Never { .. }), "nothing is seen with {at_a_time} copies at a time");
    }
    Some(())
}

#[test]
fn engines_agree_with_programs_of_few_copies() {
    let (mut judged, mut wrong, mut late) = (0, 0, 0);
    for seed in 0..repetitions(400) {
        let options = Options {
            threads: 1..=2,
            accesses: 1..=4,
            total_accesses: 5,
            domain: 2..=3,
            loops: seed % 3 == 0,
            dense: Some(false),
            ..Options::default()
        };
        let original = generate::program(seed, &options);
        let program = any_number(&original, if seed % 4 == 1 { 3 } else { 1 + seed % 2 });
        if program.least_copies().is_none() {
            continue;
        }
        for model in models::checkable() {
            if model.declaration().robustness != Robustness::Monitor || program.has_sections() {
                continue;
            }
            let Some(tried) = tried(&program, model) else { continue };
            let context = || format!("seed {seed}, {}:\n{}", model.name(), fencepost_lower::print(&program));
            let violations = Wanted { violations: true, failures: false };
            let failures = Wanted { violations: false, failures: true };
            for (wanted, found) in [(violations, tried.violation), (failures, tried.failure)] {
                let result = std::panic::catch_unwind(|| agree(&program, model, found, wanted));
                match result {
                    Ok(None) => {}
                    Ok(Some(())) => {
                        judged += 1;
                        wrong += usize::from(found.is_some());
                        late += usize::from(found.is_some_and(|found| found > 1));
                    }
                    Err(_) => panic!("{wanted:?} {found:?}: {}", context()),
                }
            }
        }
    }
    println!("{judged} judged, {wrong} wrong, {late} of them with two copies or more");
    assert!(judged > 0 && wrong > 0 && late > 0);
}
