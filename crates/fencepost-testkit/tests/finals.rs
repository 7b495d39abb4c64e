//! Final states, found in ways that share little: by growing consistent graphs
//! with the silent steps taken first, by growing them in every order, and on the
//! machine with store buffers.

use std::collections::BTreeSet;

use fencepost_base::ids::{LocId, Value};
use fencepost_ir::Program;
use fencepost_model::models::MODELS;
use fencepost_oracle::buffers::computations;
use fencepost_oracle::finals;
use fencepost_oracle::interpreter::Rest;
use fencepost_oracle::system::{Configuration, Memory, System};
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::{everything, repetitions};

/// Enough for most programs.
const LIMIT: usize = 4_000;

/// The values of everything at the end, if this is one.
fn end(program: &Program, system: &System<'_>, configuration: &Configuration) -> Option<Vec<Value>> {
    let states = program.thread_ids().zip(&configuration.threads);
    if !states.into_iter().all(|(thread, state)| system.interpreter().rest(thread, state) == Rest::Halted) {
        return None;
    }
    let registers = configuration.threads.iter().flat_map(|thread| thread.registers.clone());
    let last = |loc| configuration.graph.label(configuration.graph.last_write(LocId::from_index(loc)));
    let locations = (0..program.locations().len()).filter_map(|loc| last(loc).value_written());
    Some(registers.chain(locations).collect())
}

#[test]
fn final_states_are_those_of_the_definitions() {
    let options = Options { light: true, ..Options::default() };
    let mut compared = 0;
    for seed in 0..repetitions(200) {
        let program = generate::program(seed, &options);
        let observed = everything(&program);
        for &model in MODELS {
            let Ok(found) = finals(&program, model, &observed, LIMIT as u64, &|| false) else { continue };
            let found: BTreeSet<Vec<Value>> = found.executions.into_keys().collect();
            let system = System::new(&program, model);
            let all = |list: &mut dyn Iterator<Item = Configuration>| -> BTreeSet<Vec<Value>> {
                list.filter_map(|configuration| end(&program, &system, &configuration)).collect()
            };
            if let Ok(reachable) = system.reachable(Memory::Consistent(model), LIMIT) {
                compared += 1;
                assert_eq!(found, all(&mut reachable.into_iter()), "seed {seed}, {}", model.name());
            }
            if model.buffers().is_some()
                && let Some(computed) = computations(&program, model, LIMIT)
            {
                assert_eq!(found, all(&mut computed.into_iter()), "seed {seed}, {}, machine", model.name());
            }
        }
    }
    assert!(compared > 200, "only {compared} comparisons");
}
