//! The final states of a program in a model, by enumerating execution graphs.
//!
//! Definition: a final state is that of a consistent graph of a run in which
//! every thread came to its end; a location has the value of its last write in
//! modification order. Consistent graphs are grown event by event, as in
//! [`crate::enumerate`], and in the models of the list every one of them can be
//! grown in this way, because program order and reads-from have no cycle in it.
//!
//! Modelled: programs without loops and atomic sections; what goes wrong on the
//! way is recorded. An execution is counted once for every graph, the order of
//! `fence(sc)` on their hidden location left out. Not modelled: what happens
//! after a data race, which is anything; the final states that are listed then are those of the other axioms, as herd
//! lists them.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use fencepost_base::ids::{LocId, ThreadId, Value};
use fencepost_ir::{LocationKind, Observable, Program};
use fencepost_model::{Graph, Model};
use fencepost_verdict::{ScFailureKind, Site};

use crate::enumerate::{Finding, race};
use crate::interpreter::{Rest, ThreadState};
use crate::system::{Configuration, LimitReached, Memory, System};

/// What happens in a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finals {
    /// For every final state, the values of what is observed, the number of executions that end in it.
    pub executions: BTreeMap<Vec<Value>, u64>,
    /// A plain access that is in a data race.
    pub race: Option<(ThreadId, LocId)>,
    /// An assertion that fails, or a run-time error, in some run.
    pub failure: Option<(Site, ScFailureKind)>,
    /// States ⟨q, G⟩ looked at.
    pub configurations: u64,
}

/// The final states of a program without loops and sections. Gives up after `limit` states ⟨q, G⟩, or when `expired`.
pub fn finals(
    program: &Program,
    model: &dyn Model,
    observed: &[Observable],
    limit: u64,
    expired: &dyn Fn() -> bool,
) -> Result<Finals, LimitReached> {
    let system = System::new(program, model).with_races();
    let mut found = Finals::default();
    let mut ends: HashSet<(Vec<ThreadState>, Graph)> = HashSet::new();
    let mut layer = vec![Rc::new(settled(&system, system.initial()))];
    // Every access adds an event, so equal states are in the same layer, and older layers need not be kept.
    while !layer.is_empty() {
        let (mut next, mut known) = (Vec::new(), HashSet::new());
        let mut reach = |after: Configuration| {
            let after = Rc::new(settled(&system, after));
            if known.insert(Rc::clone(&after)) {
                next.push(after);
            }
        };
        for configuration in layer {
            found.configurations += 1;
            if found.configurations > limit || (found.configurations.is_multiple_of(256) && expired()) {
                return Err(LimitReached);
            }
            if let Some(failure) = failure(&system, &configuration) {
                found.failure.get_or_insert(failure);
            }
            if is_done(&system, &configuration)
                && ends.insert((configuration.threads.clone(), visible(program, &configuration.graph)))
            {
                *found.executions.entry(values(&configuration, observed)).or_default() += 1;
            }
            // Nobody sees a choice: it can be made at once, whatever others do before.
            let choices = |thread| system.silent_steps(&configuration, thread);
            if let Some(chosen) = program.thread_ids().map(choices).find(|chosen| !chosen.is_empty()) {
                chosen.into_iter().for_each(&mut reach);
                continue;
            }
            for thread in program.thread_ids() {
                let steps = system.steps(Memory::Consistent(model), &configuration, thread);
                if let (None, Some(Finding::Race { thread, location })) = (found.race, race(model, &steps)) {
                    found.race = Some((thread, location));
                }
                steps.into_iter().map(|step| step.after).for_each(&mut reach);
            }
        }
        layer = next;
    }
    Ok(found)
}

/// After the fences that threads are about to pass: nobody sees these, and there is one way to pass them.
fn settled(system: &System<'_>, mut configuration: Configuration) -> Configuration {
    for thread in system.program().thread_ids() {
        while let Rest::Fence(_) = rest(system, &configuration, thread) {
            configuration = system.silent_steps(&configuration, thread).remove(0);
        }
    }
    configuration
}

fn rest(system: &System<'_>, configuration: &Configuration, thread: ThreadId) -> Rest {
    system.interpreter().rest(thread, &configuration.threads[thread.index()])
}

fn is_done(system: &System<'_>, configuration: &Configuration) -> bool {
    system.program().thread_ids().all(|thread| rest(system, configuration, thread) == Rest::Halted)
}

fn failure(system: &System<'_>, configuration: &Configuration) -> Option<(Site, ScFailureKind)> {
    system.program().thread_ids().find_map(|thread| match rest(system, configuration, thread) {
        Rest::Failed(kind) => Some((Site { thread, pc: configuration.threads[thread.index()].pc }, kind)),
        _ => None,
    })
}

/// The graph without the hidden location of fences.
fn visible(program: &Program, graph: &Graph) -> Graph {
    let is_hidden = |loc: LocId| program.location(loc).kind == LocationKind::Fence;
    graph.restricted(|event| !graph.label(event).loc().is_some_and(is_hidden) || graph.is_init(event))
}

fn values(configuration: &Configuration, observed: &[Observable]) -> Vec<Value> {
    let graph = &configuration.graph;
    let value = |what: &Observable| match *what {
        Observable::Register(thread, register) => configuration.threads[thread.index()].registers[register.index()],
        Observable::Location(loc) => graph.label(graph.last_write(loc)).value_written().expect("a write"),
    };
    observed.iter().map(value).collect()
}
