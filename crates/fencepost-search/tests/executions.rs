//! On generated programs the executions that are enumerated are those of the definitions: as many
//! for every final state, in every model, also with data races. Runs are replayed by the oracle.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_base::ids::Value;
use fencepost_base::order::FenceOrder;
use fencepost_ir::{Observable, Program};
use fencepost_lower::Language;
use fencepost_model::models::MODELS;
use fencepost_model::{Graph, Model};
use fencepost_oracle::{Replayed, finals, replay_graph, replay_graph_end, replay_graph_failure};
use fencepost_search::{Executions, Search};
use fencepost_testkit::edit::{fenced, partly_plain};
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::random::Random;
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{everything, in_parallel, repetitions};
use fencepost_verdict::Budget;

/// States of the definitions that are enough for most programs.
const LIMIT: u64 = 600;
/// Executions that are looked at one by one.
const MOST: usize = 4;

fn values(replayed: &Replayed, observed: &[Observable]) -> Vec<Value> {
    let graph = &replayed.graph;
    let value = |what: &Observable| match *what {
        Observable::Register(thread, register) => replayed.threads[thread.index()].registers[register.index()],
        Observable::Location(loc) => graph.label(graph.last_write(loc)).value_written().expect("a write"),
    };
    observed.iter().map(value).collect()
}

/// What differs from the definitions; nothing is compared when they take too long.
fn disagreement(program: &Program, model: &dyn Model, compared: &AtomicU64) -> Option<String> {
    let observed = everything(program);
    let expected = finals(program, model, &observed, LIMIT, &|| false).ok()?;
    compared.fetch_add(1, Ordering::Relaxed);
    let found = match Search::new(program, model).executions(&observed, MOST, &Budget::unlimited()) {
        Ok((found, None)) => found,
        Ok((_, Some(reason))) | Err(reason) => return Some(format!("gave up: {reason:?}")),
    };
    let counts: BTreeMap<Vec<Value>, u64> =
        found.endings.iter().map(|(values, (count, _))| (values.clone(), *count)).collect();
    if counts != expected.executions {
        return Some(format!("{counts:?}, but {:?}", expected.executions));
    }
    for (state, (_, run)) in &found.endings {
        match replay_graph_end(program, model, run) {
            Ok(replayed) if values(&replayed, &observed) == *state => {}
            other => return Some(format!("not an execution that ends in {state:?}: {other:?}")),
        }
    }
    if let Some(problem) = one_by_one(program, model, &observed, &found) {
        return Some(problem);
    }
    match (&found.failure, &expected.failure) {
        (None, None) => {}
        (Some((site, kind, run)), Some(_)) => {
            if let Err(error) = replay_graph_failure(program, model, run, *site, kind) {
                return Some(format!("the failure does not replay: {error}"));
            }
        }
        (found, expected) => return Some(format!("failure {found:?}, but {expected:?}")),
    }
    match (&found.race, &expected.race) {
        (None, None) => None,
        (Some((thread, loc, run)), Some(_)) => match replay_graph(program, model, run) {
            Ok(replayed)
                if replayed.race.is_some_and(|pair| (pair.access.thread, pair.location) == (*thread, *loc)) =>
            {
                None
            }
            other => Some(format!("not the race of {thread:?}: {other:?}")),
        },
        (found, expected) => Some(format!("race {found:?}, but {expected:?}")),
    }
}

/// The first executions one by one: each another one, each replayed, all of them if they are few.
fn one_by_one(program: &Program, model: &dyn Model, observed: &[Observable], found: &Executions) -> Option<String> {
    let mut seen: HashSet<(Vec<Value>, Graph)> = HashSet::new();
    for (state, run) in &found.first {
        let replayed = match replay_graph_end(program, model, run) {
            Ok(replayed) if values(&replayed, observed) == *state => replayed,
            other => return Some(format!("not an execution that ends in {state:?}: {other:?}")),
        };
        // The order of fences on their hidden location makes no other execution.
        let graph = &replayed.graph;
        let hidden = program.fence_location();
        let is_visible = |id| graph.is_init(id) || hidden.is_none() || graph.label(id).loc() != hidden;
        if !seen.insert((state.clone(), graph.restricted(is_visible).canonical())) {
            return Some(format!("an execution that ends in {state:?} is there twice"));
        }
    }
    let all: u64 = found.endings.values().map(|(count, _)| count).sum();
    (found.first.len() as u64 != all.min(MOST as u64)).then(|| format!("{} of {all}", found.first.len()))
}

fn compare(seed: u64, program: &Program, compared: &AtomicU64) {
    for &model in MODELS {
        if let Some(found) = disagreement(program, model, compared) {
            let small = shrink(program, |smaller| disagreement(smaller, model, &AtomicU64::new(0)).is_some());
            let (name, difference) =
                (model.name(), disagreement(&small, model, &AtomicU64::new(0)).unwrap_or_default());
            panic!("seed {seed}, {name}: {found}; smaller: {difference} about\n{}", fencepost_lower::print(&small));
        }
    }
}

/// Most programs, in every model.
fn is_enough(seeds: u64, compared: &AtomicU64) {
    let compared = compared.load(Ordering::Relaxed);
    assert!(compared > 5 * seeds, "only {compared} comparisons");
}

#[test]
fn executions_are_those_of_the_definitions() {
    let (seeds, compared) = (repetitions(1_600), AtomicU64::new(0));
    in_parallel(0..seeds, |seed| {
        let seed = seed + (60 << 32);
        let options = Options {
            light: seed % 2 == 0,
            copies: seed % 3 == 0,
            total_accesses: 5 + (seed % 3) as usize,
            ..Options::default()
        };
        compare(seed, &generate::program(seed, &options), &compared);
    });
    is_enough(seeds, &compared);
}

#[test]
fn also_with_plain_accesses_of_atomic_locations() {
    let (seeds, compared) = (repetitions(400), AtomicU64::new(0));
    in_parallel(0..seeds, |seed| {
        let seed = seed + (61 << 32);
        let program = generate::program(seed, &Options { total_accesses: 6, ..Options::default() });
        compare(seed, &partly_plain(&program, &mut Random::new(seed)), &compared);
    });
    is_enough(seeds, &compared);
}

#[test]
fn also_with_many_fences() {
    let (seeds, compared) = (repetitions(400), AtomicU64::new(0));
    in_parallel(0..seeds, |seed| {
        let seed = seed + (62 << 32);
        let mut random = Random::new(seed);
        let mut program = generate::program(seed, &Options { total_accesses: 5, plain: false, ..Options::default() });
        for _ in 0..4 {
            let mut more = fenced(&program, FenceOrder::Sc);
            program = more.swap_remove(random.below(more.len()));
        }
        compare(seed, &program, &compared);
    });
    is_enough(seeds, &compared);
}

/// What is rare among generated programs: an SC load that must not read a write, because that would
/// put the write's SC past before it, and may read an older one.
#[test]
fn sc_loads_can_be_too_late_and_not_too_early() {
    let text = "domain 3; global x, z;
        thread releases { z.store(1, sc); x.store(1, rel); }
        thread overwrites { local a; x.store(2, sc); a = z.load(sc); }
        thread reads { local r; r = x.load(sc); }";
    let program = fencepost_lower::load(Language::Fp, text).program.expect("a program");
    let compared = AtomicU64::new(0);
    compare(0, &program, &compared);
    assert_eq!(compared.into_inner(), MODELS.len() as u64);
}

/// Something fails only if another thread never goes on: its read blocks, and what it could have
/// read is overwritten.
#[test]
fn failures_beside_a_thread_that_waits_for_ever() {
    let text = "domain 2; global x, y;
        thread a { local r; x.fadd(1, rlx); r = wait(y == 0, rlx); }
        thread b { local r; y.store(1, rlx); r = x.load(rlx); assert(r == 1); }";
    let program = fencepost_lower::load(Language::Fp, text).program.expect("a program");
    let compared = AtomicU64::new(0);
    compare(0, &program, &compared);
    assert_eq!(compared.into_inner(), MODELS.len() as u64);
}
