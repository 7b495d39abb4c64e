//! From the chain of predecessors to a run of opSRA.
//!
//! Paper: Lahav and Boker, PLDI 2020, §4 (Fig. 3) and the proof of Lemma 5.15.
//! The chain says which thread writes next and, for its reads before, by whom
//! the value was written. Among several such writes the earliest that the
//! thread may still read is taken: that makes it aware of least. Threads are
//! then followed on the graphs of their local states, which the automata
//! are quotients of.

use fencepost_base::ids::{LocId, ThreadId, Value};
use fencepost_ir::Program;
use fencepost_model::EventId;
use fencepost_verdict::{GraphRun, GraphStep, Site};
use foldhash::{HashMap, HashMapExt};

use crate::automaton::Access;
use crate::local::{Action, Local, Locals, StateId};
use crate::losra::Block;
use crate::options::{Alphabet, Base};

/// A write, and what whoever reads it becomes aware of: the position of a write per location.
struct Message {
    event: EventId,
    writer: Option<usize>,
    value: Value,
    view: Vec<usize>,
}

/// The memory of opSRA: writes per location in modification order, and what threads are aware of.
struct Machine {
    writes: Vec<Vec<Message>>,
    views: Vec<Vec<usize>>,
    events: u32,
}

/// An access made in the run, and the write it reads from or comes after.
type Made = (usize, Access, EventId);

impl Machine {
    fn new(init: &[Value], threads: usize) -> Machine {
        let view = vec![0; init.len()];
        let message = |(loc, &value): (usize, &Value)| {
            vec![Message { event: EventId::from_index(loc), writer: None, value, view: view.clone() }]
        };
        Machine {
            writes: init.iter().enumerate().map(message).collect(),
            views: vec![view.clone(); threads],
            events: init.len() as u32,
        }
    }

    /// A read by `thread` of the earliest possible write.
    fn read(&mut self, thread: usize, writer: Option<usize>, loc: LocId, value: Value) -> Option<Made> {
        let writes = &self.writes[loc.index()];
        let oldest = self.views[thread][loc.index()];
        let position = (oldest..writes.len()).find(|&at| writes[at].writer == writer && writes[at].value == value)?;
        let event = self.see(thread, loc, position);
        self.events += 1;
        Some((thread, Access::Read { loc, value }, event))
    }

    /// A read by `thread` of the last write.
    fn read_last(&mut self, thread: usize, loc: LocId) -> Made {
        let position = self.writes[loc.index()].len() - 1;
        let value = self.writes[loc.index()][position].value;
        let event = self.see(thread, loc, position);
        self.events += 1;
        (thread, Access::Read { loc, value }, event)
    }

    /// A write by `thread`, or a read-modify-write if the last write fits.
    fn write(&mut self, thread: usize, access: Access) -> Option<Made> {
        let (loc, value) = access.written()?;
        let position = self.writes[loc.index()].len();
        let last = &self.writes[loc.index()][position - 1];
        let predecessor = last.event;
        if let Access::Rmw { read, .. } = access {
            if last.value != read {
                return None;
            }
            self.see(thread, loc, position - 1);
        }
        self.views[thread][loc.index()] = position;
        let message =
            Message { event: EventId(self.events), writer: Some(thread), value, view: self.views[thread].clone() };
        self.writes[loc.index()].push(message);
        self.events += 1;
        Some((thread, access, predecessor))
    }

    /// Makes `thread` aware of what a write carries.
    fn see(&mut self, thread: usize, loc: LocId, position: usize) -> EventId {
        let message = &self.writes[loc.index()][position];
        for (mine, theirs) in self.views[thread].iter_mut().zip(&message.view) {
            *mine = (*mine).max(*theirs);
        }
        message.event
    }
}

/// The run of these blocks, and of an access that races at the end, whatever a read finds there;
/// `ends` says of each thread in which states it may end.
///
/// # Panics
/// When the blocks are not a run of opSRA, which would be a mistake of the search.
pub(crate) fn run(
    program: &Program,
    locals: &Locals,
    alphabet: &Alphabet,
    blocks: &[Block],
    racing: Option<(usize, Access)>,
    ends: &dyn Fn(usize, StateId) -> bool,
) -> (GraphRun, Vec<StateId>) {
    let init: Vec<Value> = program.locations().iter().map(|location| location.init).collect();
    let mut machine = Machine::new(&init, locals.threads.len());
    let mut made: Vec<Made> = Vec::new();
    for block in blocks {
        let read = |machine: &mut Machine, base: Base| {
            let source = alphabet.bases[base];
            machine.read(block.thread, source.writer, source.loc, source.value)
        };
        for &base in &block.reads {
            made.push(read(&mut machine, base).expect("what the search reads can be read"));
        }
        if let Some(access) = block.write {
            made.push(machine.write(block.thread, access).expect("what the search updates can be updated"));
        }
    }
    if let Some((thread, access)) = racing {
        made.push(match access {
            Access::Read { loc, .. } => machine.read_last(thread, loc),
            _ => machine.write(thread, access).expect("who is about to write can write"),
        });
    }
    let mut walks: Vec<_> = (0..locals.threads.len())
        .map(|thread| {
            let accesses: Vec<Access> = made.iter().filter(|made| made.0 == thread).map(|made| made.1).collect();
            let walk = walk(&locals.threads[thread], &accesses, &|state| ends(thread, state));
            walk.expect("the automaton of a thread accepts what the thread can do").into_iter().peekable()
        })
        .collect();
    let mut steps = Vec::new();
    let mut last: Vec<StateId> = locals.threads.iter().map(|local| local.initial).collect();
    let mut take = |thread: usize, (state, action, after): Move, predecessor: Option<EventId>| {
        let site = Site { thread: ThreadId::from_index(thread), pc: locals.threads[thread].states[state].pc };
        last[thread] = after;
        steps.push(match action {
            Action::Choice(choice) => GraphStep { site, event: None, choice: Some(choice) },
            Action::Access(label) => GraphStep { site, event: predecessor.map(|event| (label, event)), choice: None },
        });
    };
    let is_choice = |step: &Move| matches!(step.1, Action::Choice(_));
    for (thread, _, predecessor) in made {
        while let Some(choice) = walks[thread].next_if(is_choice) {
            take(thread, choice, None);
        }
        let access = walks[thread].next().expect("one step for every access");
        take(thread, access, Some(predecessor));
    }
    for (thread, walk) in walks.into_iter().enumerate() {
        walk.for_each(|choice| take(thread, choice, None));
    }
    (GraphRun { steps }, last)
}

/// A step of a thread: from where, what, to where.
type Move = (StateId, Action, StateId);

/// A path of a thread that makes exactly these accesses and ends where it may.
fn walk(local: &Local, accesses: &[Access], may_end: &dyn Fn(StateId) -> bool) -> Option<Vec<Move>> {
    let start = (local.initial, 0);
    let mut parents: HashMap<(StateId, usize), Option<Move>> = HashMap::new();
    parents.insert(start, None);
    let mut queue = vec![start];
    let mut next = 0;
    while next < queue.len() {
        let (state, done) = queue[next];
        next += 1;
        if done == accesses.len() && may_end(state) {
            let mut path = Vec::new();
            let mut at = (state, done);
            while let Some(step) = parents[&at] {
                path.push(step);
                at = (step.0, at.1 - usize::from(matches!(step.1, Action::Access(_))));
            }
            path.reverse();
            return Some(path);
        }
        for &(action, target) in &local.edges[state] {
            let after = match action {
                Action::Choice(_) => (target, done),
                Action::Access(label) if accesses.get(done).copied() == Access::of(&label) => (target, done + 1),
                Action::Access(_) => continue,
            };
            parents.entry(after).or_insert_with(|| {
                queue.push(after);
                Some((state, action, target))
            });
        }
    }
    None
}
