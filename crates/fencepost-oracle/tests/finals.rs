//! The runs that come with final states, races and failures are runs to them: they are replayed on
//! the axioms.

use fencepost_base::ids::Value;
use fencepost_ir::{Observable, Program};
use fencepost_model::Model;
use fencepost_model::models::MODELS;
use fencepost_oracle::{Replayed, finals, replay_graph, replay_graph_end, replay_graph_failure};
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::{everything, repetitions};

/// Enough for most programs.
const LIMIT: u64 = 1_000;

fn values(replayed: &Replayed, observed: &[Observable]) -> Vec<Value> {
    let graph = &replayed.graph;
    let value = |what: &Observable| match *what {
        Observable::Register(thread, register) => replayed.threads[thread.index()].registers[register.index()],
        Observable::Location(loc) => graph.label(graph.last_write(loc)).value_written().expect("a write"),
    };
    observed.iter().map(value).collect()
}

/// How many runs were replayed.
fn replay_all(program: &Program, model: &dyn Model) -> usize {
    let observed = everything(program);
    let Ok(found) = finals(program, model, &observed, LIMIT, &|| false) else { return 0 };
    assert!(found.examples.keys().eq(found.executions.keys()), "an example of every state");
    for (state, run) in &found.examples {
        let replayed = replay_graph_end(program, model, run).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(values(&replayed, &observed), *state);
    }
    if let (Some((site, kind)), Some(run)) = (&found.failure, &found.failing) {
        replay_graph_failure(program, model, run, *site, kind).unwrap_or_else(|error| panic!("{error}"));
    }
    if let Some(run) = &found.racing {
        let replayed = replay_graph(program, model, run).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(replayed.race.map(|pair| (pair.access.thread, pair.location)), found.race);
    }
    assert_eq!(found.failure.is_some(), found.failing.is_some());
    assert_eq!(found.race.is_some(), found.racing.is_some());
    found.examples.len()
}

#[test]
fn every_final_state_has_an_example() {
    let options = Options { light: true, total_accesses: 6, ..Options::default() };
    let mut replayed = 0;
    for seed in 0..repetitions(300) {
        let program = generate::program(seed + (42 << 32), &options);
        for &model in MODELS {
            replayed += replay_all(&program, model);
        }
    }
    assert!(replayed > 1_000, "only {replayed} runs");
}
