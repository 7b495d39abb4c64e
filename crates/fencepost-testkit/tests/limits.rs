//! Limits end every search with `unknown`, also where the states that are stored are not what takes
//! the time.

use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_check::{Engine, Question};
use fencepost_ir::Program;
use fencepost_lower::Language;
use fencepost_model::{Model, models};
use fencepost_testkit::corpus;
use fencepost_verdict::{Argument, Budget, Reason, Verdict};

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

/// Four writers of one location have millions of execution graphs, but are robust: who enumerates
/// leaves time to find out.
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

/// Every way to verify it has the guard that the explorer has.
#[test]
fn no_argument_chooses_from_millions() {
    let program = program(
        "domain 4000000; global x; thread a { local r; r = nondet(0, 3000000); x.store(r); }
         thread b { local r; r = x.load(); assert(r < 3999999); }",
    );
    for name in ["sc", "tso", "sra", "ra"] {
        let model = models::by_name(name).expect("a model");
        let found = Question::new(&program, model).safety(&Budget::unlimited()).expect("no internal error");
        assert!(found.result.is_err(), "{name}");
        for attempt in found.tried {
            let is_guarded = match (&attempt.argument, &attempt.reason) {
                (_, Reason::TooLarge(what)) => what.contains("chooses"),
                // It rests on what another argument says of runs under SC, which is nothing.
                (Argument::Robustness { .. }, Reason::Inconclusive(_)) => true,
                _ => false,
            };
            assert!(is_guarded, "{name}: {attempt:?}");
        }
    }
}

/// A thread that makes the same store again and again.
fn stores(count: usize) -> Program {
    let stores = "x.store(1); ".repeat(count);
    program(&format!("global x, y; thread a {{ {stores} }} thread b {{ local r; y.store(1); r = x.load(); }}"))
}

/// What rules out attacks takes time in proportion to the code where there are none.
#[test]
fn long_threads_are_ruled_out() {
    let program = stores(100_000);
    for model in ["tso", "pso", "pgas"] {
        assert_eq!(reason(&program, model, &Budget::unlimited()), None, "{model}");
    }
}

/// Pairs of a store and a later load: too many to be listed, if there is no time or no room for
/// them.
#[test]
fn lists_of_attacks_have_an_end() {
    let accesses = "x.store(1); r = y.load(); ".repeat(10_000);
    let text =
        format!("global x, y; thread a {{ local r; {accesses} }} thread b {{ local r; y.store(1); r = x.load(); }}");
    let program = program(&text);
    let late = Budget { expired: &|| true, ..Budget::unlimited() };
    assert_eq!(reason(&program, "tso", &late), Some(Reason::Time));
    let scarce = Budget { max_bytes: 1 << 20, ..Budget::unlimited() };
    assert_eq!(reason(&program, "tso", &scarce), Some(Reason::Memory(1 << 20)));
}

/// The steps from one state are many: the time is looked at in between.
#[test]
fn many_threads_do_not_hide_the_time() {
    let program = program("domain 10000; global x, y; thread t[5000] { local r; x.store(me); r = y.load(); }");
    // A clock that goes on when somebody looks.
    let looks = AtomicU64::new(0);
    let budget = Budget { expired: &|| looks.fetch_add(1, Ordering::Relaxed) >= 1_000, ..Budget::unlimited() };
    assert_eq!(reason(&program, "rc20", &budget), Some(Reason::Time));
    let late = Budget { expired: &|| true, spent: &|| 1.0, ..Budget::unlimited() };
    for name in ["tso", "sra", "ra", "rc20"] {
        let model = models::by_name(name).expect("a model");
        let found = Question::new(&program, model).safety(&late).expect("no internal error");
        assert_eq!(found.result.err(), Some(Reason::Time), "{name}");
    }
}

/// Execution graphs with thousands of initial values are large, and what is kept of them counts.
#[test]
fn graphs_count_as_memory() {
    let reads: String = (0..3_000).map(|i| format!("transition a b{i} read r {i}\n")).collect();
    let text = format!("thread t\ninitial a\n{reads}end\nthread u\ninitial p\ntransition p q write 1 0\nend\n");
    let program = fencepost_lower::load(Language::Txt, &text).program.expect("a program");
    let model = models::by_name("ra").expect("a model");
    let budget = Budget { max_bytes: 50 << 20, ..Budget::unlimited() };
    let found = Question::new(&program, model).by(Engine::Oracle).safety(&budget).expect("no internal error");
    assert_eq!(found.result.err(), Some(Reason::Memory(50 << 20)));
}

/// Local steps of a thread alone can take as long as a search.
#[test]
fn local_loops_do_not_hide_the_time() {
    let program = program(
        "domain 2000000000; global x; thread a { local r; while (r < 1999999999) { r = r + 1; } x.store(1); }
         thread b { local r; r = x.load(); assert(r == 0); }",
    );
    let late = Budget { expired: &|| true, ..Budget::unlimited() };
    for engine in [Engine::Search, Engine::Coverability] {
        let model = models::by_name("ra").expect("a model");
        let found = Question::new(&program, model).by(engine).safety(&late).expect("no internal error");
        assert_eq!(found.result.err(), Some(Reason::Time), "{engine:?}");
    }
}

/// Attacks can be ruled out by looking at the code.
fn is_for_free(states: u64, model: &dyn Model) -> bool {
    states == 0 && model.buffers().is_some()
}
