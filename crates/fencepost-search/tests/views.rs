//! On generated programs the machine of messages and views finds what the definitions say there is,
//! and nothing else; everything found is replayed by the oracle.

mod common;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use common::confirm;
use fencepost_base::ids::Value;
use fencepost_ir::{Observable, Program};
use fencepost_model::Model;
use fencepost_model::models::MODELS;
use fencepost_search::{End, Finding, Found, Search, What};
use fencepost_testkit::edit::asserting_ends;
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::random::Random;
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{everything, in_parallel, repetitions};
use fencepost_verdict::Budget;

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
    let expected = search.executions(&observed, &budget(LIMIT)).ok()?;
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
        Ok(_) => {}
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

fn compare(seed: u64, program: &Program, count: &Count) {
    for model in models() {
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
    eprintln!("{seeds} programs: {compared} comparisons, {bad} bad, {unknown} unknown");
    assert!(compared > 5 * seeds / 2 && 10 * bad > compared && 20 * unknown < compared, "{compared} {bad} {unknown}");
}

#[test]
fn loop_free_programs() {
    let (seeds, count) = (repetitions(2_000), Count::default());
    in_parallel(0..seeds, |seed| {
        let seed = seed + (70 << 32);
        let options = Options { copies: seed % 3 == 0, total_accesses: 6 + (seed % 3) as usize, ..Options::default() };
        let program = generate::program(seed, &options);
        let program = if seed % 2 == 0 { asserting_ends(&program, &mut Random::new(seed)) } else { program };
        compare(seed, &program, &count);
    });
    is_enough(seeds, &count);
}
