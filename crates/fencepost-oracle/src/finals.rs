//! The final states of a program in a model, by enumerating execution graphs.
//!
//! Definition: a final state is that of a consistent graph of a run in which every thread came to
//! its end. A location has the value of its last write in modification order. Consistent graphs are
//! grown event by event, as in [`crate::enumerate`]. In the models of the list every one of them
//! can be grown in this way, because program order and reads-from have no cycle in it.
//!
//! Modelled: programs without loops and atomic sections. What goes wrong on the way is recorded. An
//! execution is counted once for every graph, the order of `fence(sc)` on their hidden location
//! left out.
//!
//! Not modelled: what happens after a data race, which is anything. The final states that are
//! listed then are those of the other axioms, as herd lists them.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId, Value};
use fencepost_ir::{LocationKind, Observable, Program};
use fencepost_model::{EventId, Graph, Model};
use fencepost_verdict::{GraphRun, GraphStep, ScFailureKind, Site};

use crate::enumerate::{Finding, race};
use crate::interpreter::{Rest, ThreadState};
use crate::system::{Configuration, LimitReached, Memory, Step, System};

/// What happens in a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finals {
    /// For every final state, the values of what is observed, the number of executions that end in
    /// it.
    pub executions: BTreeMap<Vec<Value>, u64>,
    /// For every final state, one of the shortest runs that end in it, to be replayed.
    pub examples: BTreeMap<Vec<Value>, GraphRun>,
    /// A plain access that is in a data race.
    pub race: Option<(ThreadId, LocId)>,
    /// A run that ends with that access.
    pub racing: Option<GraphRun>,
    /// An assertion that fails, or a run-time error, in some run.
    pub failure: Option<(Site, ScFailureKind)>,
    /// That run.
    pub failing: Option<GraphRun>,
    /// States ⟨q, G⟩ looked at.
    pub configurations: u64,
}

/// A configuration and how it was reached.
struct Reached {
    configuration: Rc<Configuration>,
    path: Option<Rc<Path>>,
}

/// The last step of a run, and those before it.
struct Path {
    taken: Taken,
    before: Option<Rc<Path>>,
}

/// A step as it was taken. Events are named by their thread and place in it, which does not change
/// as the graph grows.
struct Taken {
    site: Site,
    choice: Option<u32>,
    /// The event, its place in its thread, and its predecessor.
    access: Option<(Label, usize, Name)>,
}

/// An event: its thread, if it has one, and its place among the events of the thread, or of
/// initialisation.
type Name = (Option<ThreadId>, usize);

/// The final states of a program without loops and sections. Gives up after `limit` states ⟨q, G⟩,
/// or when `expired`.
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
    let mut layer = vec![Reached { configuration: Rc::new(settled(&system, system.initial())), path: None }];
    // Every access adds an event, so equal states are in the same layer, and older layers need not
    // be kept.
    while !layer.is_empty() {
        let (mut next, mut known) = (Vec::new(), HashSet::new());
        for Reached { configuration, path } in layer {
            let mut reach = |after: Configuration, taken: Taken| {
                let after = Rc::new(settled(&system, after));
                if known.insert(Rc::clone(&after)) {
                    let path = Some(Rc::new(Path { taken, before: path.clone() }));
                    next.push(Reached { configuration: after, path });
                }
            };
            found.configurations += 1;
            if found.configurations > limit || (found.configurations.is_multiple_of(256) && expired()) {
                return Err(LimitReached);
            }
            if let (None, Some(failure)) = (&found.failure, failure(&system, &configuration)) {
                found.failure = Some(failure);
                found.failing = Some(run(program, path.as_deref(), None));
            }
            if is_done(&system, &configuration)
                && ends.insert((configuration.threads.clone(), visible(program, &configuration.graph)))
            {
                let values = values(&configuration, observed);
                found.examples.entry(values.clone()).or_insert_with(|| run(program, path.as_deref(), None));
                *found.executions.entry(values).or_default() += 1;
            }
            // Nobody sees a choice: it can be made at once, whatever others do before.
            let choices = |thread| (thread, choices(&system, &configuration, thread));
            if let Some((thread, chosen)) = program.thread_ids().map(choices).find(|(_, chosen)| !chosen.is_empty()) {
                for (choice, state) in chosen {
                    let mut after = (*configuration).clone();
                    let site = Site { thread, pc: after.threads[thread.index()].pc };
                    after.threads[thread.index()] = state;
                    reach(after, Taken { site, choice: Some(choice), access: None });
                }
                continue;
            }
            for thread in program.thread_ids() {
                let steps = system.steps(Memory::Consistent(model), &configuration, thread);
                for step in &steps {
                    if let (None, Some(Finding::Race { thread, location })) =
                        (found.race, race(model, std::slice::from_ref(step)))
                    {
                        found.race = Some((thread, location));
                        found.racing = Some(run(program, path.as_deref(), Some(&taken(&configuration, step))));
                    }
                }
                for step in steps {
                    let taken = taken(&configuration, &step);
                    reach(step.after, taken);
                }
            }
        }
        layer = next;
    }
    Ok(found)
}

/// The choices that `thread` has, each with its state afterwards.
fn choices(system: &System<'_>, configuration: &Configuration, thread: ThreadId) -> Vec<(u32, ThreadState)> {
    let state = &configuration.threads[thread.index()];
    system.interpreter().choices(thread, state, &rest(system, configuration, thread))
}

/// What is to be remembered of a step.
fn taken(before: &Configuration, step: &Step) -> Taken {
    let name = |id: EventId| -> Name {
        let thread = before.graph.event(id).thread;
        (
            thread,
            before
                .graph
                .ids()
                .take_while(|&other| other < id)
                .filter(|&other| before.graph.event(other).thread == thread)
                .count(),
        )
    };
    let site = Site { thread: step.thread, pc: before.threads[step.thread.index()].pc };
    let place = step.after.graph.thread_events(step.thread).count() - 1;
    Taken { site, choice: None, access: Some((step.label, place, name(step.predecessor))) }
}

/// The run along a path, with one more step at the end if there is one.
fn run(program: &Program, path: Option<&Path>, last: Option<&Taken>) -> GraphRun {
    let mut all: Vec<&Taken> = last.into_iter().collect();
    let mut at = path;
    while let Some(Path { taken, before }) = at {
        all.push(taken);
        at = before.as_deref();
    }
    let mut numbers: BTreeMap<Name, EventId> =
        (0..program.locations().len()).map(|loc| ((None, loc), EventId::from_index(loc))).collect();
    let step = |taken: &&Taken| {
        let event = taken.access.map(|(label, place, predecessor)| {
            let predecessor = numbers[&predecessor];
            numbers.insert((Some(taken.site.thread), place), EventId::from_index(numbers.len()));
            (label, predecessor)
        });
        GraphStep { site: taken.site, event, choice: taken.choice }
    };
    GraphRun { steps: all.iter().rev().map(step).collect() }
}

/// After the fences that threads are about to pass: nobody sees these, and there is one way to pass
/// them.
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

pub(crate) fn is_done(system: &System<'_>, configuration: &Configuration) -> bool {
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

pub(crate) fn values(configuration: &Configuration, observed: &[Observable]) -> Vec<Value> {
    let graph = &configuration.graph;
    let value = |what: &Observable| match *what {
        Observable::Register(thread, register) => configuration.threads[thread.index()].registers[register.index()],
        Observable::Location(loc) => graph.label(graph.last_write(loc)).value_written().expect("a write"),
    };
    observed.iter().map(value).collect()
}
