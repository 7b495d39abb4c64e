//! What goes wrong in executions with at most one stale step, by enumeration.
//!
//! An execution is grown event by event, as in [`crate::system`]. Every event takes the last write
//! to its location as its predecessor, as under SC, but for at most one: the *stale step* takes
//! another write, if the model permits the graph. Then everything is as under SC again. The graphs
//! are put to the axioms after every step, those of the other steps too, although the model permits
//! them: [`Strays::refused`] says so if it does not.
//!
//! Modelled: programs whose graphs are few, without atomic sections. Sound and complete where it
//! answers. Evaluated literally; it shares nothing with the monitors.

use std::collections::{BTreeSet, HashSet};

use fencepost_base::ids::Value;
use fencepost_ir::{Observable, Program};
use fencepost_model::Model;
use fencepost_verdict::{ScFailureKind, Site};

use crate::finals::{is_done, values};
use crate::interpreter::Rest;
use crate::system::{Configuration, LimitReached, Step, System};

/// What goes wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strays {
    /// Instructions that fail, and how, in executions without a stale step and with one.
    pub failing: [BTreeSet<(Site, &'static str)>; 2],
    /// Plain accesses that are in a data race with an earlier one.
    pub racing: [BTreeSet<Site>; 2],
    /// The same where there is no race before.
    pub racing_first: [BTreeSet<Site>; 2],
    /// Does the model forbid a step that is none of the stale ones? It never does.
    pub refused: bool,
    /// The final states of executions without a data race.
    pub finals: BTreeSet<Vec<Value>>,
}

/// A state ⟨q, G⟩, and what has happened on the way.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Node {
    configuration: Configuration,
    /// Has there been a stale step?
    strayed: bool,
    /// Has there been a data race?
    raced: bool,
}

/// All that goes wrong in `program` with at most one stale step. Gives up after `limit` states.
///
/// # Errors
/// When there are more than `limit` states.
pub fn strays(program: &Program, model: &dyn Model, limit: usize) -> Result<Strays, LimitReached> {
    strays_to(program, model, &[], limit)
}

/// The same, with the values at the end of what is observed.
///
/// # Errors
/// When there are more than `limit` states.
pub fn strays_to(
    program: &Program,
    model: &dyn Model,
    observed: &[Observable],
    limit: usize,
) -> Result<Strays, LimitReached> {
    let system = System::new(program, model);
    let mut found = Strays::default();
    let start = Node { configuration: system.initial(), strayed: false, raced: false };
    let mut known = HashSet::from([start.clone()]);
    let mut open = vec![start];
    while let Some(node) = open.pop() {
        note_failures(&system, &node, &mut found);
        if !node.raced && is_done(&system, &node.configuration) {
            found.finals.insert(values(&node.configuration, observed));
        }
        let mut next = Vec::new();
        for thread in program.thread_ids() {
            let silent = system.silent_steps(&node.configuration, thread).into_iter();
            next.extend(silent.map(|configuration| Node { configuration, ..node.clone() }));
            for step in system.free_steps(&node.configuration, thread) {
                let stale = is_stale(&node.configuration, &step);
                if !model.permits(&step.after.graph) {
                    found.refused |= !stale;
                    continue;
                }
                if stale && node.strayed {
                    continue;
                }
                let races = races(model, &step);
                let strayed = node.strayed || stale;
                if races {
                    let pc = node.configuration.threads[thread.index()].pc;
                    found.racing[usize::from(strayed)].insert(Site { thread, pc });
                    if !node.raced {
                        found.racing_first[usize::from(strayed)].insert(Site { thread, pc });
                    }
                }
                next.push(Node { configuration: step.after, strayed, raced: node.raced || races });
            }
        }
        for node in next {
            if known.insert(node.clone()) {
                if known.len() > limit {
                    return Err(LimitReached);
                }
                open.push(node);
            }
        }
    }
    Ok(found)
}

/// The name of a failure, whatever the index is that is out of range.
pub fn name(kind: &ScFailureKind) -> &'static str {
    match kind {
        ScFailureKind::Assertion => "assertion",
        ScFailureKind::DivisionByZero => "division by zero",
        ScFailureKind::IndexOutOfRange { .. } => "index out of range",
    }
}

/// Does the step take another predecessor than the last write?
fn is_stale(before: &Configuration, step: &Step) -> bool {
    step.label.loc().is_some_and(|loc| step.predecessor != before.graph.last_write(loc))
}

/// Is it a plain access in a data race?
fn races(model: &dyn Model, step: &Step) -> bool {
    let graph = &step.after.graph;
    let event = graph.thread_events(step.thread).next_back().expect("the step added an event");
    step.label.is_nonatomic() && model.race(graph, event).is_some()
}

fn note_failures(system: &System<'_>, node: &Node, found: &mut Strays) {
    for thread in system.program().thread_ids() {
        let state = &node.configuration.threads[thread.index()];
        if let Rest::Failed(kind) = system.interpreter().rest(thread, state) {
            found.failing[usize::from(node.strayed)].insert((Site { thread, pc: state.pc }, name(&kind)));
        }
    }
}
