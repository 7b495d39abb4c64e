//! On generated programs the machine of messages and views finds what the definitions say there is,
//! and nothing else; everything found is replayed by the oracle.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::common::confirm;
use crate::events::Events;
use fencepost_base::ids::Value;
use fencepost_base::order::FenceOrder;
use fencepost_cover::{Answer, Options as Cover, safe};
use fencepost_ir::{Observable, Program};
use fencepost_lower::{Language, load};
use fencepost_model::Model;
use fencepost_model::models::{MODELS, by_name};
use fencepost_search::{End, Finding, Found, Search, What};
use fencepost_testkit::corpus::{self, Content};
use fencepost_testkit::edit::{asserting_ends, fenced};
use fencepost_testkit::generate::{self, Options, Palette};
use fencepost_testkit::random::Random;
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{everything, in_parallel, repetitions};
use fencepost_verdict::{Budget, Reason};

/// Nodes of the enumeration that are enough for most programs.
const LIMIT: u64 = 6_000;

fn budget(states: u64) -> Budget<'static> {
    Budget { max_states: states, ..Budget::unlimited() }
}

fn models() -> impl Iterator<Item = &'static dyn Model> {
    MODELS.iter().copied().filter(|model| model.declaration().views.is_some())
}

/// Was something found? What is found is confirmed; `None` for a search that was cut.
fn judge(program: &Program, model: &dyn Model, found: &Found) -> Result<Option<bool>, String> {
    match (&found.what, &found.end) {
        (Some(finding), End::Found) => confirm(program, model, finding).map(|_| Some(true)),
        (None, End::Exhausted) => Ok(Some(false)),
        (None, End::Bound(_) | End::Cut(_)) => Ok(None),
        _ => Err(format!("no answer: {found:?}")),
    }
}

fn is_race(found: &Found) -> bool {
    found.what.as_ref().is_some_and(|finding| matches!(finding.what, What::Race { .. }))
}

/// How often was there something to compare, and how often did the machine not know?
#[derive(Default)]
struct Count {
    compared: AtomicU64,
    bad: AtomicU64,
    unknown: AtomicU64,
}

fn one_more(count: &AtomicU64) {
    count.fetch_add(1, Ordering::Relaxed);
}

/// What differs from all executions; nothing is compared when there are too many.
fn disagreement(program: &Program, model: &'static dyn Model, count: &Count) -> Option<String> {
    let (search, observed) = (Search::new(program, model), everything(program));
    let Ok((expected, None)) = search.executions(&observed, 0, &budget(LIMIT)) else { return None };
    one_more(&count.compared);
    let is_real = |finding: &Finding| confirm(program, model, finding).is_ok();
    let judge = |found: &Found| judge(program, model, found);
    let failure = search.failure_by_views(&is_real, &Budget::unlimited());
    let race = search.race_by_views(&is_real, &Budget::unlimited());
    let (fails, races) = match (judge(&failure), judge(&race)) {
        (Ok(fails), Ok(races)) => (fails, races),
        (Err(error), _) | (_, Err(error)) => return Some(error),
    };
    let is_bad = expected.failure.is_some() || expected.race.is_some();
    if is_bad {
        one_more(&count.bad);
    }
    if fails.is_none() {
        one_more(&count.unknown);
    }
    if fails.is_some_and(|fails| fails != is_bad) {
        return Some(format!("something goes wrong: {is_bad}, but {failure:?}"));
    }
    if races.is_some_and(|races| races != expected.race.is_some()) {
        return Some(format!("a race: {:?}, but {race:?}", expected.race));
    }
    if expected.race.is_some() {
        return None;
    }
    if is_race(&failure) {
        return Some(format!("no race, but {failure:?}"));
    }
    let states: BTreeSet<&Vec<Value>> = expected.endings.keys().collect();
    let values = |value: &dyn Fn(Observable) -> Value| observed.iter().map(|&what| value(what)).collect::<Vec<Value>>();
    let other = search.end_by_views(&|value| !states.contains(&values(value)), &is_real, &Budget::unlimited());
    match judge(&other) {
        Ok(Some(true)) => return Some(format!("another final state: {other:?}")),
        Err(error) => return Some(error),
        Ok(Some(false)) => {}
        Ok(None) => one_more(&count.unknown),
    }
    for state in states {
        let found = search.end_by_views(&|value| values(value) == *state, &is_real, &Budget::unlimited());
        match judge(&found) {
            Ok(Some(false)) => return Some(format!("not the final state {state:?}")),
            Err(error) => return Some(error),
            Ok(_) => {}
        }
    }
    None
}

fn compare(seed: u64, program: &Program, models: impl Iterator<Item = &'static dyn Model>, count: &Count) {
    for model in models {
        if let Some(found) = disagreement(program, model, count) {
            let differs = |smaller: &Program| disagreement(smaller, model, &Count::default());
            let small = shrink(program, |smaller| differs(smaller).is_some());
            let difference = differs(&small).unwrap_or_default();
            let text = fencepost_lower::print(&small);
            panic!("seed {seed}, {}: {found}; smaller: {difference} about\n{text}", model.name());
        }
    }
}

/// Nearly all programs were compared, and the machine knew.
fn is_enough(seeds: u64, count: &Count) {
    let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
    let (compared, bad, unknown) = (load(&count.compared), load(&count.bad), load(&count.unknown));
    assert!(compared > 5 * seeds / 2 && 10 * bad > compared && 20 * unknown < compared, "{compared} {bad} {unknown}");
}

#[test]
fn loop_free_programs() {
    let (seeds, count) = (repetitions(1_000), Count::default());
    in_parallel(0..seeds, |seed| {
        let seed = seed + (70 << 32);
        let options = Options { copies: seed % 3 == 0, total_accesses: 6 + (seed % 3) as usize, ..Options::default() };
        let program = generate::program(seed, &options);
        let program = if seed % 2 == 0 { asserting_ends(&program, &mut Random::new(seed)) } else { program };
        compare(seed, &program, models(), &count);
    });
    is_enough(seeds, &count);
}

/// Kinds of programs that are rare otherwise: several stores to one location beside reads that
/// block, many fences, plain accesses under locks, and updates that write what they read.
#[test]
fn dense_programs() {
    let (seeds, count) = (repetitions(1_000), Count::default());
    in_parallel(0..seeds, |seed| {
        let seed = seed + (71 << 32);
        let options = Options { dense: Some(true), total_accesses: 6 + (seed % 3) as usize, ..Options::default() };
        let program = generate::program(seed, &options);
        let mut random = Random::new(seed);
        let order = random.pick(FenceOrder::ALL);
        let program = match seed % 3 {
            0 => asserting_ends(&program, &mut random),
            1 => fenced(&program, order).pop().unwrap_or(program),
            _ => program,
        };
        compare(seed, &program, models(), &count);
    });
    is_enough(seeds, &count);
}

/// The order of SC fences that are events is left out, and of SC accesses. If all accesses
/// synchronise, the fences are updates of a hidden location, which is as good.
#[test]
fn sc_fences_that_are_events() {
    let (seeds, count) = (repetitions(1_200), [Count::default(), Count::default()]);
    in_parallel(0..seeds, |seed| {
        let is_synchronised = seed % 2 == 0;
        let options = Options {
            palette: is_synchronised.then_some(Palette::RELEASE_ACQUIRE),
            total_accesses: 6 + (seed % 3) as usize,
            dense: Some(seed % 4 < 2),
            ..Options::default()
        };
        let seed = seed + (73 << 32);
        let program = generate::program(seed, &options);
        let mut random = Random::new(seed);
        // Two more fences: one alone orders nothing.
        let mut more = |program: Program| {
            let fenced = fenced(&program, FenceOrder::Sc);
            if fenced.is_empty() { program } else { fenced[random.below(fenced.len())].clone() }
        };
        let program = [(); 2].into_iter().fold(program, |program, ()| more(program));
        let program = asserting_ends(&program, &mut random);
        compare(seed, &program, [&Events as &'static dyn Model].into_iter(), &count[usize::from(is_synchronised)]);
    });
    let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
    for (is_synchronised, count) in [false, true].into_iter().zip(count) {
        let (compared, bad, unknown) = (load(&count.compared), load(&count.bad), load(&count.unknown));
        assert!(compared > seeds / 3 && 5 * bad > compared && (unknown == 0) == is_synchronised);
    }
}

/// What one search says of a program with loops, and another, and coverability, if they say
/// anything.
fn contradiction(program: &Program, model: &'static dyn Model, count: &Count) -> Option<String> {
    let search = Search::new(program, model);
    let is_real = |finding: &Finding| confirm(program, model, finding).is_ok();
    let found = search.failure_by_views(&is_real, &budget(2_000));
    let answer = match judge(program, model, &found) {
        Err(error) => return Some(error),
        Ok(None) => {
            one_more(&count.unknown);
            return None;
        }
        Ok(Some(answer)) => answer,
    };
    one_more(&count.compared);
    if answer {
        one_more(&count.bad);
    }
    // What one finds the other must not exclude; neither need come to its end.
    let other = search.failure(&budget(300));
    let others = match judge(program, model, &other) {
        Err(error) => return Some(format!("on graphs: {error}")),
        Ok(others) => others,
    };
    if others.is_some_and(|others| others != answer) {
        return Some(format!("found: {answer}, on graphs {others:?}: {found:?}"));
    }
    if model.declaration().causal.is_it && !is_race(&found) {
        let covered = match safe(program, Cover::default(), &budget(5_000)).answer {
            Answer::Unreachable => Some(false),
            Answer::Reachable(_) => Some(true),
            Answer::GaveUp(_) => None,
        };
        if covered.is_some_and(|covered| covered != answer) {
            return Some(format!("found: {answer}, by coverability {covered:?}: {found:?}"));
        }
    }
    None
}

#[test]
fn programs_with_loops() {
    let (seeds, count) = (repetitions(150), Count::default());
    in_parallel(0..seeds, |seed| {
        let seed = seed + (72 << 32);
        let options = Options {
            loops: true,
            bounds: seed % 5 == 0,
            palette: (seed % 4 == 0).then_some(Palette::RELEASE_ACQUIRE),
            total_accesses: 6 + (seed % 4) as usize,
            ..Options::default()
        };
        let program = generate::program(seed, &options);
        let program = if seed % 3 == 0 { asserting_ends(&program, &mut Random::new(seed)) } else { program };
        for model in models() {
            if let Some(found) = contradiction(&program, model, &count) {
                let differs = |smaller: &Program| contradiction(smaller, model, &Count::default());
                let small = shrink(&program, |smaller| differs(smaller).is_some());
                let difference = differs(&small).unwrap_or_default();
                let text = fencepost_lower::print(&small);
                panic!("seed {seed}, {}: {found}; smaller: {difference} about\n{text}", model.name());
            }
        }
    });
    let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
    let (compared, bad, unknown) = (load(&count.compared), load(&count.bad), load(&count.unknown));
    assert!(compared > 4 * unknown && 10 * bad > compared, "{compared} {bad} {unknown}");
}

fn failure(text: &str, model: &str) -> Found {
    let program = load(Language::Fp, text).program.expect("a program");
    let model = by_name(model).expect("a model");
    let is_real = |finding: &Finding| confirm(&program, model, finding).is_ok();
    let found = Search::new(&program, model).failure_by_views(&is_real, &budget(100_000));
    judge(&program, model, &found).expect("what is found is so");
    found
}

/// Waiting threads do not make the search infinite, whatever they wait with: they do not keep old
/// messages, and what they read without going on is no step.
#[test]
fn locks_have_few_states() {
    let lock = |take: &str, free: &str| {
        format!(
            "domain 4; global lock, next, serving; nonatomic data;
             thread p[3] {{
               local r, t;
               while (1) {{ {take} r = data; data = r + 1; t = data; assert(t == int((r + 1) % 4)); {free} }}
             }}"
        )
    };
    let store = "lock.store(0, rel);";
    for (take, free) in [
        ("do { r = lock.xchg(1, acq); } while (r == 1);", store),
        ("do { r = lock.cas(0, 1, acq, rlx); } while (r != 0);", store),
        ("lock.bcas(0, 1, acq);", store),
        ("do { wait(lock == 0, rlx); r = lock.cas(0, 1, acq, rlx); } while (r != 0);", store),
        ("do { do { r = lock.load(rlx); } while (r != 0); r = lock.xchg(1, acq); } while (r != 0);", store),
        ("do { r = lock.xchg(1, acq); } while (r == 1);", "fence(rel); lock.store(0, rlx);"),
        ("t = next.fadd(1, acqrel); wait(serving == t, acq);", "r = serving.load(rlx); serving.store(r + 1, rel);"),
    ] {
        for model in ["sra", "ra", "rc20"] {
            let found = failure(&lock(take, free), model);
            assert_eq!(found.end, End::Exhausted, "{model}: {take} {free}");
            assert!(found.stats.states < 2_000, "{model}: {take} {free}: {}", found.stats.states);
        }
    }
    // Nobody is told that the lock was free.
    let found = failure(&lock("do { r = lock.xchg(1, rlx); } while (r == 1);", store), "rc20");
    assert!(is_race(&found), "{found:?}");
}

/// If writes pile up, the answer says where, and who does not read.
#[test]
fn who_falls_behind_is_named() {
    let text = "domain 4; global x, y;
         thread writer { local r; while (1) { r = r + 1; x.store(r, rel); } }
         thread other { local r; while (1) { r = y.load(acq); } }
         thread reader { local r; while (1) { r = x.load(acq); y.store(r, rel); } }";
    for model in ["sra", "ra", "rc20"] {
        let End::Cut(Reason::Inconclusive(what)) = failure(text, model).end else { panic!("{model}") };
        assert!(what.contains("`x`") && what.contains("`reader`") && !what.contains("`other`"), "{what}");
    }
}

/// Messages that say the same, and know different things, stay apart: by the time that the reader
/// looks, nobody will write between them.
#[test]
fn messages_that_know_different_things_stay_apart() {
    let text = |wanted: &str| {
        format!(
            "domain 2; global flag, data, end;
             thread writer {{ flag.store(1, rel); data.store(1, rlx); flag.store(1, rel); end.store(1, rlx); }}
             thread reader {{
               local r, s;
               wait(end == 1, rlx); r = flag.load(acq); s = data.load(rlx);
               assert({wanted});
             }}"
        )
    };
    for model in ["rc20", "cpp20"] {
        assert_eq!(failure(&text("!(r == 1 && s == 0)"), model).end, End::Found, "{model}");
        assert_eq!(failure(&text("r == 0 || s == 0 || s == 1"), model).end, End::Exhausted, "{model}");
    }
}

/// What only the order of SC accesses forbids is neither found nor excluded.
#[test]
fn the_order_of_sc_accesses_is_left_open() {
    let text = |order: &str| {
        format!(
            "domain 2; global x, y, seen;
             thread a {{ local r; x.store(1, {order}); r = y.load({order}); seen.store(r + 1, rel); }}
             thread b {{
               local r, s;
               y.store(1, {order}); r = x.load({order}); s = wait(seen != 0, acq); assert(r == 1 || s == 2);
             }}"
        )
        .replace("domain 2", "domain 3")
        .replace("store(1, acq)", "store(1, rel)")
    };
    assert_eq!(failure(&text("acq"), "rc20").end, End::Found);
    assert_eq!(failure(&text("sc"), "ra").end, End::Found);
    let End::Cut(Reason::Inconclusive(what)) = failure(&text("sc"), "rc20").end else { panic!("an answer") };
    assert!(what.contains("SC"), "{what}");
}

/// Something may fail beside a thread that waits for ever, and only then.
#[test]
fn beside_a_thread_that_waits_for_ever() {
    let text = corpus::files().into_iter().find(|entry| entry.name.ends_with("blocked-bystander.fp"));
    let Content { text, .. } = text.expect("a file of the corpus").read().expect("a program");
    for model in ["sra", "ra", "rc20"] {
        assert_eq!(failure(&text, model).end, End::Found, "{model}");
    }
}
