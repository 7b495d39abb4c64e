//! On generated programs the searches find what the definitions say there is, and nothing else;
//! everything found is replayed by the oracle.

use std::collections::BTreeSet;

use crate::common::confirm;
use fencepost_base::ids::Value;
use fencepost_cover::{Answer, Options as Cover, safe};
use fencepost_ir::{Location, LocationKind, Observable, Program};
use fencepost_model::models::MODELS;
use fencepost_model::models::sra::Sra;
use fencepost_model::{Kind, Model};
use fencepost_oracle::buffers::computations;
use fencepost_oracle::enumerate::fails_under;
use fencepost_oracle::interpreter::{Interpreter, Rest};
use fencepost_oracle::{Replayed, finals};
use fencepost_search::{End, Found, Search, What};
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{everything, repetitions};
use fencepost_verdict::Budget;

/// States of the definitions that are enough for most programs.
const LIMIT: usize = 1_000;

fn budget(states: u64) -> Budget<'static> {
    Budget { max_states: states, ..Budget::unlimited() }
}

/// What a replayed run ends in.
fn values(program: &Program, replayed: &Replayed) -> Vec<Value> {
    let graph = &replayed.graph;
    let value = |what: &Observable| match *what {
        Observable::Register(thread, register) => replayed.threads[thread.index()].registers[register.index()],
        Observable::Location(loc) => graph.label(graph.last_write(loc)).value_written().expect("a write"),
    };
    everything(program).iter().map(value).collect()
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

/// A search for a final state of which this is true.
type Ends<'a> = dyn Fn(&dyn Fn(&[Value]) -> bool) -> Found + 'a;

/// Compares a search with the definitions.
fn compare(
    program: &Program,
    model: &'static dyn Model,
    failure: &Found,
    ends: &Ends<'_>,
    count: &mut u64,
) -> Result<(), String> {
    let observed = everything(program);
    let Ok(expected) = finals(program, model, &observed, LIMIT as u64, &|| false) else { return Ok(()) };
    let Some(fails) = fails_under(program, model, LIMIT) else { return Ok(()) };
    *count += 1;
    let found = judge(program, model, failure)?;
    let states: BTreeSet<Vec<Value>> = expected.executions.into_keys().collect();
    if expected.race.is_some() {
        // Which of the two is met first does not matter.
        if found != Some(true) {
            return Err(format!("there is a race, and {failure:?}"));
        }
        let race = Search::new(program, model).race(&budget(1 << 20));
        return match judge(program, model, &race)? {
            Some(true) if is_race(&race) => Ok(()),
            _ => Err(format!("there is a race, and {race:?}")),
        };
    }
    if found != Some(fails) || is_race(failure) {
        return Err(format!("a failure: {fails}, but {failure:?}"));
    }
    let other = ends(&|values| !states.contains(values));
    if judge(program, model, &other)? != Some(false) {
        return Err(format!("another final state: {other:?}"));
    }
    for state in &states {
        let found = ends(&|values| values == state);
        let Some(finding) = &found.what else { return Err(format!("not the final state {state:?}: {found:?}")) };
        if values(program, &confirm(program, model, finding)?) != *state {
            return Err(format!("not the final state {state:?}, but another: {finding:?}"));
        }
    }
    Ok(())
}

/// Is there a search over graphs besides one over states? Under SC not with plain accesses.
fn has_two(program: &Program, model: &dyn Model) -> bool {
    let is_plain = |location: &Location| location.kind == LocationKind::NonAtomic;
    match model.declaration().kind {
        Kind::Machine(_) => true,
        Kind::Reference => !program.locations().iter().any(is_plain),
        Kind::Language => false,
    }
}

/// Both searches, where there are two.
fn disagreement(program: &Program, model: &'static dyn Model, count: &mut u64) -> Option<String> {
    let (search, budget, observed) = (Search::new(program, model), budget(1 << 20), everything(program));
    let values = |value: &dyn Fn(Observable) -> Value| observed.iter().map(|&what| value(what)).collect::<Vec<Value>>();
    let ends = |holds: &dyn Fn(&[Value]) -> bool| search.end(&|value| holds(&values(value)), &budget);
    let on_graphs = |holds: &dyn Fn(&[Value]) -> bool| search.end_on_graphs(&|value| holds(&values(value)), &budget);
    let first = compare(program, model, &search.failure(&budget), &ends, count).err();
    first.or_else(|| {
        has_two(program, model).then_some(())?;
        let failure = search.failure_on_graphs(&budget);
        compare(program, model, &failure, &on_graphs, count).err().map(|error| format!("on graphs: {error}"))
    })
}

fn panic_with(
    seed: u64,
    program: &Program,
    model: &'static dyn Model,
    found: &str,
    differs: impl Fn(&Program) -> Option<String>,
) -> ! {
    let small = shrink(program, |smaller| differs(smaller).is_some());
    let difference = differs(&small).unwrap_or_default();
    let name = model.name();
    panic!("seed {seed}, {name}: {found}; smaller: {difference} about\n{}", fencepost_lower::print(&small));
}

#[test]
fn loop_free_programs() {
    let mut compared = 0;
    let seeds = repetitions(250);
    for seed in 0..seeds {
        let seed = seed + (40 << 32);
        let options = Options {
            light: seed % 2 == 0,
            copies: seed % 3 == 0,
            total_accesses: 6 + (seed % 2) as usize,
            ..Options::default()
        };
        let program = generate::program(seed, &options);
        for &model in MODELS {
            if let Some(found) = disagreement(&program, model, &mut compared) {
                panic_with(seed, &program, model, &found, |smaller| disagreement(smaller, model, &mut 0));
            }
        }
    }
    assert!(compared > 4 * seeds, "only {compared} comparisons");
}

/// With atomic sections there is only the machine to compare with, and it does not tell what goes
/// wrong inside one: a failure that it knows must be found, and what is found is replayed.
#[test]
fn programs_with_sections() {
    let differs = |program: &Program, model: &'static dyn Model| {
        let found = Search::new(program, model).failure(&budget(1 << 20));
        let answer = match judge(program, model, &found) {
            Err(error) => return Some(error),
            Ok(answer) => answer,
        };
        let interpreter = Interpreter::new(program, model);
        let fails = computations(program, model, 10 * LIMIT)?.iter().any(|end| {
            let mut states = program.thread_ids().zip(&end.threads);
            states.any(|(thread, state)| matches!(interpreter.rest(thread, state), Rest::Failed(_)))
        });
        (fails && answer != Some(true)).then(|| format!("not found: {found:?}"))
    };
    let mut answered = 0;
    for seed in 0..repetitions(200) {
        let seed = seed + (44 << 32);
        let options = Options { sections: true, light: seed % 2 == 0, total_accesses: 6, ..Options::default() };
        let program = generate::program(seed, &options);
        for &model in MODELS.iter().filter(|model| model.buffers().is_some()) {
            match differs(&program, model) {
                Some(found) => panic_with(seed, &program, model, &found, |smaller| differs(smaller, model)),
                None => answered += u64::from(program.has_sections()),
            }
        }
    }
    assert!(answered > 100, "only {answered} programs with sections");
}

/// What one search says of a program with loops, and the other, and coverability, if they say
/// anything.
fn contradiction(program: &Program, model: &'static dyn Model, count: &mut [u64; 3]) -> Option<String> {
    let search = Search::new(program, model);
    let found = search.failure(&budget(300));
    let answer = match judge(program, model, &found) {
        Err(error) => return Some(error),
        Ok(answer) => answer,
    };
    count[0] += 1;
    count[1] += u64::from(answer.is_some());
    let other = if model.buffers().is_some() {
        let other = search.failure_on_graphs(&budget(300));
        match judge(program, model, &other) {
            Err(error) => return Some(format!("on graphs: {error}")),
            Ok(answer) => answer,
        }
    } else if model.name() == Sra.name() && !is_race(&found) {
        match safe(program, Cover::default(), &budget(5_000)).answer {
            Answer::Unreachable => Some(false),
            Answer::Reachable(_) => Some(true),
            Answer::GaveUp(_) => None,
        }
    } else {
        // The first few graphs, by definition: what they have must be found.
        fails_under(program, model, 150).filter(|fails| *fails)
    };
    match (answer, other) {
        (Some(answer), Some(other)) => {
            count[2] += 1;
            (answer != other).then(|| format!("found: {answer}, otherwise {other}: {found:?}"))
        }
        _ => None,
    }
}

#[test]
fn programs_with_loops() {
    let mut count = [0; 3];
    for seed in 0..repetitions(100) {
        let seed = seed + (41 << 32);
        let options = Options {
            loops: true,
            light: seed % 2 == 0,
            bounds: seed % 5 == 0,
            total_accesses: 7,
            ..Options::default()
        };
        let program = generate::program(seed, &options);
        for &model in MODELS {
            if let Some(found) = contradiction(&program, model, &mut count) {
                panic_with(seed, &program, model, &found, |smaller| contradiction(smaller, model, &mut [0; 3]));
            }
        }
    }
    let [asked, answered, compared] = count;
    assert!(answered * 4 > asked && compared * 10 > asked, "{count:?}");
}
