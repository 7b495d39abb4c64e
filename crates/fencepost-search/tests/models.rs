//! What the search over graphs assumes of models, on graphs of generated programs.

use fencepost_base::event::Label;
use fencepost_base::ids::ThreadId;
use fencepost_model::models::MODELS;
use fencepost_model::{EventId, Graph, Model};
use fencepost_oracle::system::{Configuration, Memory, Step, System};
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::random::Random;
use fencepost_testkit::repetitions;

/// (2) A thread can go on with the last write; (3) what is too early stays too early.
fn check_steps(model: &dyn Model, configuration: &Configuration, thread: ThreadId, steps: &[Step]) -> u64 {
    let graph = &configuration.graph;
    let Some(loc) = steps.first().and_then(|step| step.label.loc()) else { return 0 };
    let mut too_early = Vec::new();
    for (position, &w) in graph.writes(loc).iter().enumerate().rev() {
        let next = graph.writes(loc).get(position + 1);
        let is_taken = next.is_some_and(|&next| graph.label(next).is_rmw());
        for step in steps.iter().filter(|step| step.predecessor == w) {
            let kind = (step.label.is_write(), step.label.mode());
            let permitted = model.permits(&step.after.graph);
            assert!(permitted || next.is_some(), "{}: {thread:?} cannot go on: {:?}", model.name(), step.after.graph);
            let comes_between = step.label.is_write() && is_taken;
            assert!(!permitted || !comes_between, "{}: two updates of one write", model.name());
            if !permitted && !comes_between {
                too_early.push(kind);
            }
            assert!(!permitted || !too_early.contains(&kind), "{}: earlier is better in {graph:?}", model.name());
        }
    }
    1
}

/// (1) Events that nothing depends on can be left out.
fn check_parts(model: &dyn Model, graph: &Graph) -> u64 {
    let mut checked = 0;
    for id in graph.ids().filter(|&id| !graph.is_init(id)) {
        let is_read_from = graph.ids().any(|reader| graph.source(reader) == Some(id));
        let is_last = graph.event(id).thread.is_some_and(|thread| graph.thread_events(thread).next_back() == Some(id));
        let smaller = match graph.label(id) {
            Label::Read { .. } | Label::Fence { .. } | Label::LightFence { .. } => graph.restricted(|kept| kept != id),
            Label::Rmw { read, written, .. } if read == written => without_update(graph, id),
            _ if is_last && !is_read_from => graph.restricted(|kept| kept != id),
            _ => continue,
        };
        checked += 1;
        assert!(model.permits(&smaller), "{}: {smaller:?} is a part of {graph:?}", model.name());
    }
    checked
}

/// The graph without an update that writes what it reads: who reads it reads what it read.
fn without_update(graph: &Graph, update: EventId) -> Graph {
    let renamed = |id: EventId| if id > update { EventId(id.0 - 1) } else { id };
    let source = graph.source(update).expect("an update reads");
    let init: Vec<_> = graph.ids().filter(|&id| graph.is_init(id)).collect();
    let events = graph.ids().skip(init.len()).filter(|&id| id != update).map(|id| {
        let from = graph.source(id).map(|from| renamed(if from == update { source } else { from }));
        (*graph.event(id), from)
    });
    let values: Vec<_> = init.iter().map(|&id| graph.label(id).value_written().expect("a write")).collect();
    let order = |loc: &EventId| {
        let writes = graph.writes(graph.label(*loc).loc().expect("a write")).iter();
        writes.filter(|&&write| write != update).map(|&write| renamed(write)).collect()
    };
    Graph::of_parts(&values, events.collect(), init.iter().map(order).collect())
}

/// Random walks through the graphs of random programs.
#[test]
fn models_are_as_assumed() {
    let (mut steps_checked, mut parts_checked) = (0, 0);
    for seed in 0..repetitions(2_000) {
        let seed = seed + (43 << 32);
        let options = Options { loops: seed % 2 == 0, light: true, total_accesses: 10, ..Options::default() };
        let program = generate::program(seed, &options);
        let mut random = Random::new(seed);
        for &model in MODELS {
            let system = System::new(&program, model);
            let mut at = system.initial();
            for _ in 0..14 {
                let mut next: Vec<Configuration> = Vec::new();
                for thread in program.thread_ids() {
                    let free = system.free_steps(&at, thread);
                    steps_checked += check_steps(model, &at, thread, &free);
                    next.extend(system.silent_steps(&at, thread));
                    next.extend(
                        system.steps(Memory::Consistent(model), &at, thread).into_iter().map(|step| step.after),
                    );
                }
                if next.is_empty() {
                    break;
                }
                at = random.pick(&next);
            }
            parts_checked += check_parts(model, &at.graph);
        }
    }
    assert!(steps_checked > 100_000 && parts_checked > 40_000, "{steps_checked} steps, {parts_checked} parts");
}
