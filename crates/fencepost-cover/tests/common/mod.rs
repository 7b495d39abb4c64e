//! opSRA, explored forwards: the test oracle for loop-free programs.
//!
//! Paper: Lahav and Boker, PLDI 2020, Fig. 3, with timestamps and views as Remark 2
//! suggests: a location has its writes in modification order, each with what its
//! writer was aware of; a thread is aware of a position per location. Nothing is
//! shared with the backward search but the program.

use std::collections::{BTreeSet, HashSet};

use fencepost_base::ids::{ThreadId, Value};
use fencepost_ir::Program;
use fencepost_model::models::sra::Sra;
use fencepost_oracle::interpreter::{Access, Interpreter, Rest, ThreadState};

/// A write: its value, and what its reader becomes aware of.
type Message = (Value, Vec<usize>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    threads: Vec<ThreadState>,
    memory: Vec<Vec<Message>>,
    views: Vec<Vec<usize>>,
}

/// Registers of all threads, and last values of all locations.
pub(crate) type Final = (Vec<Vec<Value>>, Vec<Value>);

/// What opSRA reaches.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reached {
    /// States in which all threads have halted.
    pub(crate) finals: BTreeSet<Final>,
    /// Does an assertion fail, or a run-time error happen?
    pub(crate) fails: bool,
    /// Is there a write of which a later one, to the same location, is not aware?
    pub(crate) races: bool,
}

/// Explores all runs; none when there are more than `limit` states.
pub(crate) fn explore(program: &Program, limit: usize) -> Option<Reached> {
    let interpreter = Interpreter::new(program, &Sra);
    let nothing = vec![0; program.locations().len()];
    let initial = State {
        threads: program.thread_ids().map(|thread| interpreter.initial(thread)).collect(),
        memory: program.locations().iter().map(|location| vec![(location.init, nothing.clone())]).collect(),
        views: program.threads().iter().map(|_| nothing.clone()).collect(),
    };
    let mut reached = Reached::default();
    let mut known = HashSet::from([initial.clone()]);
    let mut stack = vec![initial];
    while let Some(state) = stack.pop() {
        let rests: Vec<Rest> =
            program.thread_ids().map(|thread| interpreter.rest(thread, &state.threads[thread.index()])).collect();
        reached.fails |= rests.iter().any(|rest| matches!(rest, Rest::Failed(_)));
        if rests.iter().all(|rest| *rest == Rest::Halted) {
            let registers = state.threads.iter().map(|thread| thread.registers.clone()).collect();
            let last = state.memory.iter().map(|writes| writes.last().expect("initialised").0).collect();
            reached.finals.insert((registers, last));
        }
        for (thread, rest) in program.thread_ids().zip(&rests) {
            let mut next = Vec::new();
            match rest {
                Rest::Access(access) => next = steps(&interpreter, &state, thread, access, &mut reached.races),
                rest => {
                    for (_, after) in interpreter.choices(thread, &state.threads[thread.index()], rest) {
                        let mut chosen = state.clone();
                        chosen.threads[thread.index()] = after;
                        next.push(chosen);
                    }
                }
            }
            for after in next {
                if known.insert(after.clone()) {
                    if known.len() > limit {
                        return None;
                    }
                    stack.push(after);
                }
            }
        }
    }
    Some(reached)
}

fn steps(
    interpreter: &Interpreter<'_>,
    state: &State,
    thread: ThreadId,
    access: &Access,
    races: &mut bool,
) -> Vec<State> {
    let (loc, me) = (access.loc.index(), thread.index());
    let writes = &state.memory[loc];
    let mut found = Vec::new();
    for position in state.views[me][loc]..writes.len() {
        let (value, view) = &writes[position];
        let is_last = position + 1 == writes.len();
        for (label, after) in interpreter.labels(thread, &state.threads[me], access, *value) {
            // Writes come last in modification order, and read-modify-writes read what was last.
            if label.is_write() && !is_last {
                continue;
            }
            let mut next = state.clone();
            next.threads[me] = after;
            if label.is_read() {
                for (mine, theirs) in next.views[me].iter_mut().zip(view) {
                    *mine = (*mine).max(*theirs);
                }
                next.views[me][loc] = next.views[me][loc].max(position);
            }
            if let Some(written) = label.value_written() {
                // In the first race of a run, awareness of the last write is awareness of all.
                *races |= next.views[me][loc] + 1 < writes.len();
                next.views[me][loc] = writes.len();
                let view = next.views[me].clone();
                next.memory[loc].push((written, view));
            }
            found.push(next);
        }
    }
    found
}
