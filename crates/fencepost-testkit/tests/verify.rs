//! What `verify` says, whatever it rests on, is what the definitions say: of
//! generated programs without loops, every engine that answers agrees with the
//! enumeration of execution graphs; with loops, engines agree with each other.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_base::event::Label;
use fencepost_base::ids::Value;
use fencepost_base::order::FenceOrder;
use fencepost_check::{Engine, Question};
use fencepost_ir::{Op, Program};
use fencepost_lower::Language;
use fencepost_model::models::cpp20::Cpp20;
use fencepost_model::models::rc20::Rc20;
use fencepost_model::models::{MODELS, reference};
use fencepost_model::{EventId, Model};
use fencepost_oracle::{Finals, finals};
use fencepost_testkit::corpus::{self, Content};
use fencepost_testkit::edit::{asserting_ends, fenced, replaced, with_condition};
use fencepost_testkit::forbid::forbidding;
use fencepost_testkit::generate::{self, Options, Palette};
use fencepost_testkit::random::Random;
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{everything, in_parallel, repetitions};
use fencepost_verdict::{Argument, Budget, Extent, RacingPair, Site, States, Verification, Verified};

/// States ⟨q, G⟩ that are enough for nearly all of the programs.
const LIMIT: u64 = 6_000;

/// The same for litmus tests, of which all final states are asked for one by one.
const LITMUS_LIMIT: u64 = 300;

/// States that an engine may look at; with loops most searches go to the limit.
const MOST_STATES: u64 = 20_000;
const MOST_STATES_OF_LOOPS: u64 = 600;
/// With a condition they count for each final state that is asked for.
const MOST_STATES_OF_CONDITIONS: u64 = 2_000;

const ENGINES: [Engine; 5] =
    [Engine::Exploration, Engine::Robustness, Engine::Search, Engine::Views, Engine::Coverability];

/// How many answers rested on which argument, for which model; and how many of them were `holds`.
type Count = BTreeMap<(&'static str, &'static str, bool), u64>;

fn budget(program: &Program) -> Budget<'static> {
    let max_states = match (program.is_loop_free(), program.condition()) {
        (false, _) => MOST_STATES_OF_LOOPS,
        (true, Some(_)) => repetitions(MOST_STATES_OF_CONDITIONS),
        (true, None) => MOST_STATES,
    };
    Budget { max_states, ..Budget::unlimited() }
}

/// All engines, one by one and together.
fn ask_all(program: &Program, model: &'static dyn Model) -> Result<Vec<(String, Verification)>, String> {
    let mut answers = Vec::new();
    for engine in ENGINES {
        let answer = Question::new(program, model).by(engine).safety(&budget(program));
        answers.push((format!("{engine:?}"), answer.map_err(|error| format!("{engine:?}: {error}"))?));
    }
    let auto = Question::new(program, model).safety(&budget(program)).map_err(|error| error.to_string())?;
    answers.push(("all".to_owned(), auto));
    Ok(answers)
}

/// What an answer says that the definitions contradict.
fn contradicts(program: &Program, verified: &Verified, found: &Finals) -> Option<String> {
    let condition = program.condition();
    let observed = condition.map_or_else(Vec::new, |condition| condition.observed());
    let list = found.executions.iter().map(|(values, &count)| (values.clone(), Some(count), None)).collect();
    let true_states = condition.map(|condition| States::judge(condition, observed, list, Extent::All));
    let truth = Verified { argument: Argument::Enumeration, states: true_states, race: None, failing: None };
    let holds = truth.holds(condition) && found.race.is_none() && found.failure.is_none();
    let is_sure =
        verified.race.is_some() || verified.failing.is_some() || verified.states.is_some() || condition.is_none();
    if verified.holds(condition) != holds {
        return Some(format!("{}, which is wrong", if holds { "not so" } else { "all is well" }));
    }
    if verified.race.is_some() && found.race.is_none() {
        return Some("a race that is none".into());
    }
    if verified.race.is_none() && verified.failing.is_some() && found.failure.is_none() {
        return Some("a failure that cannot be".into());
    }
    if !is_sure {
        return Some("nothing to say why".into());
    }
    // A race is anything: what else is found says nothing.
    let (Some(states), Some(truth), None) = (&verified.states, &truth.states, found.race) else { return None };
    let values = |states: &States| -> BTreeSet<Vec<Value>> { states.list.iter().map(|s| s.values.clone()).collect() };
    let (some, all) = (values(states), values(truth));
    if !some.is_subset(&all) || states.extent == Extent::All && some != all {
        return Some(format!("final states {some:?} ({:?}), not {all:?}", states.extent));
    }
    if states.frequency().is_some_and(|frequency| Some(frequency) != truth.frequency()) {
        return Some(format!("{:?}, not {:?}", states.frequency(), truth.frequency()));
    }
    None
}

/// A race that comes without an execution, or whose two sides cannot race.
fn ill_shown(program: &Program, verified: &Verified) -> Option<String> {
    let race = verified.race.as_ref()?;
    let Some(execution) = &race.execution else { return Some("a race without an execution".into()) };
    let RacingPair { access, other, location } = race.pair;
    let graph = &execution.graph;
    let events_at = |site: Site| -> Vec<Label> {
        let here = |id: &EventId| Site::of(graph.event(*id)) == Some(site);
        graph.ids().filter(here).map(|id| *graph.label(id)).filter(|label| label.loc() == Some(location)).collect()
    };
    let conflict = |a: &Label, b: &Label| (a.is_write() || b.is_write()) && (a.is_nonatomic() || b.is_nonatomic());
    let others = events_at(other);
    let is_conflict = events_at(access).iter().any(|one| others.iter().any(|other| conflict(one, other)));
    let what = || format!("{access:?} and {other:?} do not race:\n{}", fencepost_lower::print(program));
    (access.thread == other.thread || !is_conflict).then(what)
}

fn note(count: &mut Count, model: &dyn Model, program: &Program, verified: &Verified) {
    let key = (verified.argument.as_str(), model.name(), verified.holds(program.condition()));
    *count.entry(key).or_default() += 1;
}

/// Whoever answers says what the definitions say.
fn differs(program: &Program, model: &'static dyn Model, count: &mut Count) -> Option<String> {
    let observed = program.condition().map_or_else(Vec::new, |condition| condition.observed());
    let found = finals(program, model, &observed, LIMIT, &|| false).ok()?;
    let answers = match ask_all(program, model) {
        Ok(answers) => answers,
        Err(error) => return Some(error),
    };
    for (engine, Verification { result, .. }) in answers {
        let Ok(verified) = result else { continue };
        note(count, model, program, &verified);
        if let Some(what) = contradicts(program, &verified, &found) {
            return Some(format!("{engine} says by {}: {what}", verified.argument.as_str()));
        }
        if let Some(what) = ill_shown(program, &verified) {
            return Some(format!("{engine}: {what}"));
        }
    }
    None
}

/// Puts a program to all models; how many answers there were.
fn check(
    program: &Program,
    seed: u64,
    wrong: impl Fn(&Program, &'static dyn Model, &mut Count) -> Option<String>,
) -> Count {
    let mut count = Count::new();
    for &model in MODELS {
        if let Some(difference) = wrong(program, model, &mut count) {
            let small = shrink(program, |smaller| wrong(smaller, model, &mut Count::new()).is_some());
            let how = wrong(&small, model, &mut Count::new()).unwrap_or_default();
            let condition = small.condition().map(|condition| condition.text(&small));
            panic!(
                "seed {seed}, {}: {difference}; smaller: {how}\n{}{condition:?}",
                model.name(),
                fencepost_lower::print(&small)
            );
        }
    }
    count
}

fn sum(counts: Vec<Count>) -> Count {
    let mut sum = Count::new();
    for (key, count) in counts.into_iter().flatten() {
        *sum.entry(key).or_default() += count;
    }
    sum
}

/// Kinds of programs that between them make every argument necessary.
fn options(seed: u64) -> Options {
    let palette = seed.is_multiple_of(3).then_some(Palette::RELEASE_ACQUIRE);
    Options {
        palette,
        plain: seed.is_multiple_of(2),
        light: seed.is_multiple_of(5),
        private: seed.is_multiple_of(7),
        ..Options::default()
    }
}

#[test]
fn assertions_without_loops_are_as_defined() {
    let count = sum(in_parallel(0..repetitions(300), |seed| {
        let program = generate::program(seed + (11 << 32), &options(seed));
        let program = asserting_ends(&program, &mut Random::new(seed));
        check(&program, seed, differs)
    }));
    // Every argument has been put to the test, both ways where there are two.
    let given = |argument: &str, model: &str, holds| count.contains_key(&(argument, model, holds));
    for (argument, model, holds) in [
        ("exploration", "sc", true),
        ("exploration", "sc", false),
        ("coverability", "sra", true),
        ("coverability", "tso", true),
        ("write-write-race-freedom", "ra", true),
        ("write-write-race-freedom", "rc20", true),
        ("robustness", "rc20", true),
        ("robustness", "sra", true),
        ("robustness", "pgas", true),
        ("observational-robustness", "rc20", true),
        ("search", "rc20", true),
        ("machine", "pso", true),
        ("views", "sra", true),
        ("views", "ra", true),
        ("views", "rc20", true),
        ("witness", "rc20", false),
        ("witness", "tso", false),
        ("witness", "sra", false),
    ] {
        assert!(given(argument, model, holds), "{argument} never says {holds} for {model}: {count:?}");
    }
}

/// SC fences do not synchronise in C++20, and do under SRA, which speaks for it all the same. Every
/// thread has one, beside plain accesses.
#[test]
fn plain_accesses_beside_sc_fences_are_as_defined() {
    let is_fence = |op: &Op| matches!(op, Op::Fence { .. });
    let programs = repetitions(2_000);
    let safe = in_parallel(0..programs, |seed| {
        let palette = Some(Palette::RELEASE_ACQUIRE);
        let options = Options { palette, plain: true, total_accesses: 7, ..Options::default() };
        let random = &mut Random::new(seed);
        let program = generate::program(seed + (15 << 32), &options);
        let mut program = replaced(&program, |_, op| match op {
            op if is_fence(op) => Op::Fence { order: FenceOrder::Sc },
            op => op.clone(),
        });
        for _ in 0..2 {
            let fenced = fenced(&program, FenceOrder::Sc);
            program = random.pick(&fenced);
        }
        // Most assertions fail. Where there is none, races are all that can go wrong.
        if seed.is_multiple_of(4) {
            program = asserting_ends(&program, random);
        }
        let answer = Question::new(&program, &Cpp20).by(Engine::Coverability).safety(&budget(&program));
        let answer = answer.expect("no internal error").result.ok()?;
        let wrong = goes_wrong(&program, &Cpp20)?;
        let holds = answer.holds(program.condition());
        assert_eq!(holds, !wrong, "seed {seed}: {}", fencepost_lower::print(&program));
        let has_plain = program
            .threads()
            .iter()
            .flat_map(|thread| &thread.code)
            .any(|instr| matches!(instr.op, Op::PlainLoad { .. } | Op::PlainStore { .. }));
        (holds && has_plain).then_some(())
    });
    let safe = safe.into_iter().flatten().count() as u64;
    assert!(safe > programs / 20, "only {safe} are safe");
}

/// Does something go wrong, by definition?
fn goes_wrong(program: &Program, model: &'static dyn Model) -> Option<bool> {
    let found = finals(program, model, &[], LIMIT, &|| false).ok()?;
    Some(found.race.is_some() || found.failure.is_some())
}

/// Assertions that SC keeps. Many of them fail elsewhere: otherwise the test would not say much.
#[test]
fn assertions_that_hold_under_sc_are_as_defined() {
    let programs = repetitions(200);
    let wrong = in_parallel(0..programs, |seed| {
        let options = Options { dense: Some(true), total_accesses: 6, ..options(seed) };
        let program = generate::program(seed + (14 << 32), &options);
        let program = forbidding(&program, &mut Random::new(seed), |program, observed| {
            Some(finals(program, reference(), observed, LIMIT, &|| false).ok()?.executions.into_keys().collect())
        });
        check(&program, seed, differs);
        let well_under_sc = goes_wrong(&program, reference()) == Some(false);
        let only_here = |model: &&&'static dyn Model| well_under_sc && goes_wrong(&program, **model) == Some(true);
        MODELS.iter().filter(only_here).map(|model| model.name()).collect::<Vec<_>>()
    });
    let mut count: BTreeMap<&str, u64> = BTreeMap::new();
    wrong.into_iter().flatten().for_each(|model| *count.entry(model).or_default() += 1);
    for model in MODELS.iter().filter(|model| model.name() != reference().name()) {
        let share = 100 * count.get(model.name()).copied().unwrap_or(0) / programs;
        assert!(share >= 5, "{}: {share} in a hundred fail here and not under SC: {count:?}", model.name());
    }
}

#[test]
fn conditions_without_loops_are_as_defined() {
    in_parallel(0..repetitions(200), |seed| {
        let program = generate::program(seed + (12 << 32), &options(seed));
        let program = with_condition(&program, &mut Random::new(seed));
        check(&program, seed, differs);
    });
}

/// The litmus tests of the corpus, which have shapes that are rare among generated programs.
#[test]
fn conditions_of_litmus_tests_are_as_defined() {
    let files = corpus::files().into_iter().filter(|entry| entry.name.ends_with(".litmus"));
    let count = sum(in_parallel(files, |entry| {
        let Content { program, .. } = entry.read().expect("a file of the corpus");
        match finals(&program, &Rc20, &[], LITMUS_LIMIT, &|| false) {
            Ok(_) => check(&program, 0, differs),
            Err(_) => Count::new(),
        }
    }));
    for argument in ["coverability", "robustness", "write-write-race-freedom", "search", "machine", "witness"] {
        assert!(count.keys().any(|(of, ..)| *of == argument), "{argument} says nothing: {count:?}");
    }
}

/// What is rare among generated programs: one access is relaxed and all others synchronise, so that
/// only RC20 loses the message; there are more final states than are ever listed; an SC load must
/// not read a write, and may read an older one.
#[test]
fn rare_programs_are_as_defined() {
    let one_relaxed = |store: &str, update: &str, load: &str, fails: bool| {
        let text = format!(
            "domain 3; global x, y;
            thread sends {{ x.store(1, rel); y.store(1, {store}); }}
            thread passes {{ local r; r = y.cas(1, 2, {update}, acq); }}
            thread receives {{ local r, s; r = y.load({load}); s = x.load(acq); assert(r != 2 || s == 1); }}",
        );
        (Language::Fp, text, fails)
    };
    let locations = ["a", "b", "c", "d", "e", "f"];
    let all = |with: fn(usize, &str) -> String, between: &str| -> String {
        let parts: Vec<String> = locations.iter().enumerate().map(|(index, name)| with(index, name)).collect();
        parts.join(between)
    };
    let parameters = all(|_, name| format!("atomic_int* {name}"), ", ");
    let stores = all(|_, name| format!("atomic_store({name}, 1);"), " ");
    let loads = all(|index, name| format!("int r{index} = atomic_load({name});"), " ");
    let condition = all(|index, _| format!("1:r{index}=1"), " /\\ ");
    let many = format!(
        "C many\n{{}}\nP0 ({parameters}) {{ {stores} }}\nP1 ({parameters}) {{ {loads} }}\nexists ({condition})"
    );
    let not_the_older = "C not-the-older\n{}
        P0 (atomic_int* x, atomic_int* z) {
          atomic_store(z, 1); atomic_store_explicit(x, 1, memory_order_release);
        }
        P1 (atomic_int* x, atomic_int* z) { atomic_store(x, 2); int a = atomic_load(z); }
        P2 (atomic_int* x) { int r = atomic_load(x); }
        exists (x=2 /\\ 1:a=0 /\\ 2:r=0)";
    // The same, and no order of steps has the load before the writes.
    let not_the_older_later = "C not-the-older-later\n{}
        P0 (atomic_int* x, atomic_int* z, atomic_int* f) {
          atomic_store(z, 1); atomic_store_explicit(x, 1, memory_order_release);
          atomic_store_explicit(f, 1, memory_order_relaxed);
        }
        P1 (atomic_int* x, atomic_int* z, atomic_int* g) {
          atomic_store(x, 2); int a = atomic_load(z); atomic_store_explicit(g, 1, memory_order_relaxed);
        }
        P2 (atomic_int* x, atomic_int* f, atomic_int* g) {
          int p = atomic_load_explicit(f, memory_order_relaxed);
          int q = atomic_load_explicit(g, memory_order_relaxed);
          int r = atomic_load(x);
        }
        exists (x=2 /\\ 1:a=0 /\\ 2:p=1 /\\ 2:q=1 /\\ 2:r=0)";
    let programs = [
        one_relaxed("rel", "acqrel", "acq", false),
        one_relaxed("rlx", "acqrel", "acq", true),
        one_relaxed("rel", "acqrel", "rlx", true),
        (Language::Litmus, many, false),
        (Language::Litmus, not_the_older.into(), false),
        (Language::Litmus, not_the_older_later.into(), false),
    ];
    for (language, text, fails) in programs {
        let program = fencepost_lower::load(language, &text).program.expect("a program");
        let found = finals(&program, &Rc20, &everything(&program), LIMIT, &|| false).expect("few graphs");
        assert_eq!(found.failure.is_some(), fails, "{text}");
        check(&program, 0, differs);
    }
}

/// With loops: engines that answer give the same answer.
fn disagrees(program: &Program, model: &'static dyn Model, count: &mut Count) -> Option<String> {
    let answers = match ask_all(program, model) {
        Ok(answers) => answers,
        Err(error) => return Some(error),
    };
    let mut first: Option<(String, Argument, bool)> = None;
    for (engine, Verification { result, .. }) in answers {
        let Ok(verified) = result else { continue };
        note(count, model, program, &verified);
        if let Some(what) = ill_shown(program, &verified) {
            return Some(format!("{engine}: {what}"));
        }
        let holds = verified.holds(program.condition());
        match &first {
            Some((other, argument, answer)) if *answer != holds => {
                return Some(format!(
                    "{other} ({argument:?}) says {answer}, {engine} ({:?}) {holds}",
                    verified.argument
                ));
            }
            _ => first = Some((engine, verified.argument, holds)),
        }
    }
    None
}

#[test]
fn with_loops_engines_agree() {
    let count = sum(in_parallel(0..repetitions(60), |seed| {
        let options = Options { loops: true, bounds: seed.is_multiple_of(11), ..options(seed) };
        let program = generate::program(seed + (13 << 32), &options);
        let program = asserting_ends(&program, &mut Random::new(seed));
        check(&program, seed, disagrees)
    }));
    let total = |argument: &str| count.iter().filter(|((of, ..), _)| *of == argument).map(|(_, n)| n).sum::<u64>();
    assert!(total("coverability") > 30 && total("search") > 30 && total("robustness") > 30, "{count:?}");
}
