//! Limits end every search with `unknown`, also where the states that are stored are not what takes the time.

use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_check::Question;
use fencepost_ir::Program;
use fencepost_lower::Language;
use fencepost_model::{Model, models};
use fencepost_testkit::corpus;
use fencepost_verdict::{Budget, Reason, Verdict};

fn program(text: &str) -> Program {
    fencepost_lower::load(Language::Fp, text).program.expect("a program")
}

fn reason(program: &Program, model: &str, budget: &Budget<'_>) -> Option<Reason> {
    let model = models::by_name(model).expect("a model");
    match Question::new(program, model).robustness(budget).expect("no internal error").verdict {
        Verdict::Unknown(reason) => Some(reason),
        Verdict::Holds | Verdict::Violated(_) => None,
    }
}

#[test]
fn one_step_does_not_choose_from_millions() {
    let choice = |values: u32| {
        program(&format!(
            "domain 4000000; global x, y; thread a {{ local r; r = nondet(0, {values}); x.store(r); r = y.load(); }}
             thread b {{ local r; y.store(1); r = y.load(); }}"
        ))
    };
    assert_eq!(reason(&choice(9), "ra", &Budget::unlimited()), None);
    let reason = reason(&choice(3_000_000), "ra", &Budget::unlimited());
    assert!(matches!(&reason, Some(Reason::TooLarge(what)) if what.contains("chooses")), "{reason:?}");
}

/// Sections that count to `last` in one go, next to an attack that has to be searched for.
fn counting_section(last: u32) -> Program {
    program(&format!(
        "domain 2000000; global x, y, z;
         thread a {{ local r; x.store(1); r = y.load(); r = z.load(); }}
         thread b {{ local i, r; atomic {{ while (i < {last}) {{ z.store(i); i = i + 1; }} y.store(1); }} r = x.load(); }}"
    ))
}

#[test]
fn sections_have_an_end() {
    assert_eq!(reason(&counting_section(1_000), "tso", &Budget::unlimited()), None);
    let reason = reason(&counting_section(1_000_000), "tso", &Budget::unlimited());
    assert!(matches!(&reason, Some(Reason::TooLarge(what)) if what.contains("atomic section")), "{reason:?}");
}

/// A program of which nothing is known without a search says nothing when there is no time for one.
#[test]
fn without_time_nothing_is_claimed() {
    let late = Budget { expired: &|| true, ..Budget::unlimited() };
    let mut undecided = 0;
    for file in corpus::files() {
        let program = file.read().expect("a program").program;
        for model in models::checkable() {
            let context = format!("{}, {}", file.name, model.name());
            let outcome = Question::new(&program, model).robustness(&late).expect("no internal error");
            match outcome.verdict {
                Verdict::Holds => assert!(is_for_free(outcome.stats.states, model), "{context}"),
                // Time is looked at now and then.
                Verdict::Violated(_) => {}
                Verdict::Unknown(_) => undecided += 1,
            }
        }
    }
    assert!(undecided > 1_000, "{undecided}");
}

/// Four writers of one location have millions of execution graphs, but are robust: who enumerates leaves time to find out.
#[test]
fn a_long_argument_leaves_time_to_others() {
    let thread = |name: char| format!("thread {name} {{ x.store(1); x.store(2); x.store(3); x.store(1); }}");
    let threads: Vec<String> = ('a'..='d').map(thread).collect();
    let program = program(&format!("domain 4; global x; {} thread e {{ assert(1 == 1); }}", threads.concat()));
    // A clock that goes on when somebody looks.
    let looks = AtomicU64::new(0);
    let spent = || looks.fetch_add(1, Ordering::Relaxed) as f64 / 2_000.0;
    let budget = Budget { expired: &|| spent() >= 1.0, spent: &spent, ..Budget::unlimited() };
    let model = models::by_name("rc20").expect("a model");
    let found = Question::new(&program, model).safety(&budget).expect("no internal error");
    assert!(found.result.is_ok(), "{:?}", found.tried);
    assert!(found.tried.iter().any(|attempt| attempt.reason == Reason::Time), "{:?}", found.tried);
}

/// Attacks can be ruled out by looking at the code.
fn is_for_free(states: u64, model: &dyn Model) -> bool {
    states == 0 && model.buffers().is_some()
}
