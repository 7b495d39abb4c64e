//! The threads of a program as labelled graphs of local states: program
//! counter and registers, with arbitrary read values.
//!
//! Paper: Lahav and Boker, PLDI 2020, Fig. 2, extended to all instructions of
//! the IR; fences as in SRA. A read has an edge for every value that its
//! location can hold in the following over-approximation: the initial value,
//! and what any edge writes there (a least fixpoint over all threads).
//!
//! What a thread does up to its next resting point is the interpreter's business
//! (`fencepost_analysis::interpreter`).

use std::collections::{BTreeSet, VecDeque};

pub(crate) use fencepost_analysis::interpreter::Local as State;
use fencepost_analysis::interpreter::{Interpreter, Rest};
use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId, Value};
use fencepost_ir::Program;
use fencepost_model::models::sra::Sra;
use fencepost_verdict::{Budget, Reason};
use foldhash::HashMap;

/// A local state: its position in [`Local::states`].
pub(crate) type StateId = usize;

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    /// Takes this alternative or value of a choice.
    Choice(u32),
    /// Accesses memory.
    Access(Label),
}

/// The graph of one thread.
#[derive(Default)]
pub(crate) struct Local {
    pub(crate) states: Vec<State>,
    pub(crate) rests: Vec<Rest>,
    pub(crate) edges: Vec<Vec<(Action, StateId)>>,
    index: HashMap<State, StateId>,
    pub(crate) initial: StateId,
}

/// The graphs of all threads, and the values each location can hold.
pub(crate) struct Locals {
    pub(crate) threads: Vec<Local>,
    pub(crate) held: Vec<BTreeSet<Value>>,
}

struct Builder<'a> {
    interpreter: Interpreter<'a>,
    threads: Vec<Local>,
    held: Vec<BTreeSet<Value>>,
    /// For every location, who has read the values held so far.
    readers: Vec<Vec<(ThreadId, StateId)>>,
    queue: VecDeque<Work>,
    steps: u64,
    states: u64,
    bytes: u64,
}

/// What is left to do: queued, because values and states can be many.
enum Work {
    /// Find the steps from a state.
    Expand(ThreadId, StateId),
    /// Find those that read this value from this location.
    Read(ThreadId, StateId, LocId, Value),
}

/// Bytes of a state, without its registers: it is there twice, and has a rest and edges.
const STATE_BYTES: u64 = 2 * size_of::<State>() as u64 + size_of::<Rest>() as u64 + 64;

/// Bytes of an edge, in a list that has room for more.
const EDGE_BYTES: u64 = 2 * size_of::<(Action, StateId)>() as u64;

impl Locals {
    /// The graphs of `program`.
    ///
    /// # Errors
    /// When they take more states, time or memory than there are.
    pub(crate) fn of(program: &Program, budget: &Budget<'_>) -> Result<Locals, Reason> {
        let mut builder = Builder {
            interpreter: Interpreter::new(program, &Sra, budget),
            threads: program.thread_ids().map(|_| Local::default()).collect(),
            held: program.locations().iter().map(|location| BTreeSet::from([location.init])).collect(),
            readers: vec![Vec::new(); program.locations().len()],
            queue: VecDeque::new(),
            steps: 0,
            states: 0,
            bytes: 0,
        };
        for thread in program.thread_ids() {
            let initial = builder.state(thread, builder.interpreter.start(thread))?;
            builder.threads[thread.index()].initial = initial;
        }
        while let Some(work) = builder.queue.pop_front() {
            match work {
                Work::Expand(thread, state) => builder.expand(thread, state)?,
                Work::Read(thread, state, loc, value) => builder.read(thread, state, loc, value)?,
            }
            builder.pay()?;
        }
        Ok(Locals { threads: builder.threads, held: builder.held })
    }
}

impl Builder<'_> {
    /// Counts a step, and looks at the budget.
    fn pay(&mut self) -> Result<(), Reason> {
        let budget = self.interpreter.budget();
        self.steps += 1;
        if self.states > budget.max_states {
            return Err(Reason::States(budget.max_states));
        }
        if self.bytes + (self.queue.len() * size_of::<Work>()) as u64 > budget.max_bytes {
            return Err(Reason::Memory(budget.max_bytes));
        }
        if self.steps.is_multiple_of(1024) && (budget.expired)() {
            return Err(Reason::Time);
        }
        Ok(())
    }

    /// The state where the thread comes to rest from `state`.
    fn state(&mut self, thread: ThreadId, state: State) -> Result<StateId, Reason> {
        let (state, rest) = self.interpreter.settle(thread, state)?;
        let local = &mut self.threads[thread.index()];
        if let Some(&known) = local.index.get(&state) {
            return Ok(known);
        }
        let id = local.states.len();
        self.bytes += STATE_BYTES + 2 * size_of_val(&*state.registers) as u64;
        local.states.push(state.clone());
        local.rests.push(rest);
        local.edges.push(Vec::new());
        local.index.insert(state, id);
        self.queue.push_back(Work::Expand(thread, id));
        self.states += 1;
        Ok(id)
    }

    fn expand(&mut self, thread: ThreadId, id: StateId) -> Result<(), Reason> {
        match &self.threads[thread.index()].rests[id] {
            Rest::Choice(choice) => {
                let (choice, state) = (choice.clone(), self.threads[thread.index()].states[id].clone());
                for alternative in choice.alternatives() {
                    self.edge(thread, id, Action::Choice(alternative), state.chosen(&choice, alternative))?;
                    self.pay()?;
                }
            }
            Rest::Access(access) => {
                let loc = access.loc;
                // A store does not look at the old value, and needs one edge only.
                if access.is_store() {
                    return self.read(thread, id, loc, 0);
                }
                self.readers[loc.index()].push((thread, id));
                self.queue.extend(self.held[loc.index()].iter().map(|&value| Work::Read(thread, id, loc, value)));
            }
            Rest::Halted | Rest::Stuck | Rest::Failed(_) => {}
            Rest::Fence(_) | Rest::Enter | Rest::Leave | Rest::Bound => unreachable!("SRA does not know it"),
        }
        Ok(())
    }

    /// The edges from `id`, an access of `loc`, when the write before it has value `old`.
    fn read(&mut self, thread: ThreadId, id: StateId, loc: LocId, old: Value) -> Result<(), Reason> {
        let local = &self.threads[thread.index()];
        let Rest::Access(access) = &local.rests[id] else { unreachable!("the thread rests at an access") };
        let labels = access.labels(old, self.interpreter.program());
        let after = local.states[id].accessed(access, old);
        for label in labels {
            self.edge(thread, id, Action::Access(label), after.clone())?;
            if let Some(written) = label.value_written()
                && self.held[loc.index()].insert(written)
            {
                let readers = self.readers[loc.index()].iter();
                self.queue.extend(readers.map(|&(thread, reader)| Work::Read(thread, reader, loc, written)));
            }
        }
        Ok(())
    }

    fn edge(&mut self, thread: ThreadId, id: StateId, action: Action, after: State) -> Result<(), Reason> {
        let after = self.state(thread, after)?;
        self.threads[thread.index()].edges[id].push((action, after));
        self.bytes += EDGE_BYTES;
        Ok(())
    }
}
