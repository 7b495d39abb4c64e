//! The store-buffer machine: TSO, PSO and PGAS as computers rather than axioms.
//!
//! Paper: Derevenetc, Meyer and Schweizer, "Locality and Singularity for
//! Store-Atomic Memory Models", 2015, App. A (the machine) and §5, App. B
//! (happens-before traces, robustness).
//!
//! Modelled: per thread, one queue of stores per location, which feed one
//! queue for all locations, which feeds memory; TSO uses the latter only. A load takes the newest store
//! to its location that its own thread has in a queue, else what is in
//! memory. Read-modify-writes (failed ones too), full fences and atomic
//! sections wait until all queues of their thread are empty; light fences until the queues of their
//! locations are. A computation ends with empty queues, at any point of the
//! program. Its trace is an execution graph whose modification order is the order in which stores reach memory.
//!
//! Deviation: the paper also sends fences through the queue for all locations, which orders nothing.
//!
//! Exact where it answers: states with their traces are enumerated one by one
//! ([`computations`], [`robust`]), so only loop-free programs are small enough. Shares the interpreter of threads with the
//! other definitions, and nothing with the models' axioms.

mod trace;

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Pc, ThreadId, Value};
use fencepost_ir::Program;
use fencepost_model::models::sc::Sc;
use fencepost_model::{Buffers, Model};

use crate::enumerate::{Answer, Finding};
use crate::interpreter::{Access, Action, EMPTIES_BUFFERS, Interpreter, Rest, ThreadState};
use crate::system::{Configuration, LimitReached};
pub(crate) use trace::{Origin, Trace};

/// A machine that runs a program.
#[derive(Clone, Copy)]
pub struct Machine<'a> {
    interpreter: Interpreter<'a>,
    buffers: Buffers,
}

/// A state of the machine, and the trace of the computation that led to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub(crate) threads: Vec<ThreadState>,
    queues: Vec<Queues>,
    pub(crate) trace: Trace,
}

/// The stores of a thread that have not reached memory, oldest first, by their positions in program order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Queues {
    /// One queue per location.
    of: Vec<VecDeque<usize>>,
    /// The one that they feed.
    all: VecDeque<usize>,
}

impl<'a> Machine<'a> {
    /// The machine of `model` with `program`; none if the model has no store buffers.
    pub fn new(program: &'a Program, model: &'a dyn Model) -> Option<Self> {
        Some(Machine { interpreter: Interpreter::new(program, model), buffers: model.buffers()? })
    }

    pub(crate) fn interpreter(&self) -> &Interpreter<'a> {
        &self.interpreter
    }

    /// The initial state.
    pub fn initial(&self) -> State {
        let program = self.interpreter.program();
        let queues = Queues { of: vec![VecDeque::new(); program.locations().len()], all: VecDeque::new() };
        State {
            threads: program.thread_ids().map(|thread| self.interpreter.initial(thread)).collect(),
            queues: vec![queues; program.threads().len()],
            trace: Trace::new(program),
        }
    }

    /// Why the thread rests.
    pub(crate) fn rest(&self, state: &State, thread: ThreadId) -> Rest {
        self.interpreter.rest(thread, &state.threads[thread.index()])
    }

    /// Everything that may happen next.
    fn successors(&self, state: &State, limit: usize) -> Result<Vec<State>, LimitReached> {
        let mut next = Vec::new();
        for thread in self.interpreter.program().thread_ids() {
            let queues = &state.queues[thread.index()];
            if !queues.all.is_empty() {
                let mut after = state.clone();
                after.commit(thread);
                next.push(after);
            }
            for loc in (0..queues.of.len()).filter(|&loc| !queues.of[loc].is_empty()).map(LocId::from_index) {
                let mut after = state.clone();
                after.advance(thread, loc);
                next.push(after);
            }
            next.extend(match self.rest(state, thread) {
                Rest::Enter(_) => self.sections(state, thread, limit)?,
                _ => self.executions(state, thread),
            });
        }
        Ok(next)
    }

    /// Every way to execute the instruction that the thread rests at. Queues stay as they are, but for a new store.
    fn executions(&self, state: &State, thread: ThreadId) -> Vec<State> {
        let rest = self.rest(state, thread);
        match &rest {
            Rest::Access(access) => {
                let labels = self.labels(state, thread, access).into_iter();
                labels.map(|(label, after)| self.access(state, (thread, None), access, label, after)).collect()
            }
            Rest::Fence(labels) => self.pass(state, (thread, None), labels).into_iter().collect(),
            _ => {
                let choices = self.interpreter.choices(thread, &state.threads[thread.index()], &rest).into_iter();
                choices.map(|(_, after)| state.with_thread(thread, after)).collect()
            }
        }
    }

    /// What the thread can do at this access now, each with its state afterwards; nothing when it has to wait.
    pub(crate) fn labels(&self, state: &State, thread: ThreadId, access: &Access) -> Vec<(Label, ThreadState)> {
        let buffered = matches!(access.action, Action::Read { .. } | Action::Wait { .. } | Action::Write { .. });
        if !buffered && !state.is_drained(thread) {
            return Vec::new();
        }
        let old = state.visible(thread, access.loc).1;
        self.interpreter.labels(thread, &state.threads[thread.index()], access, old)
    }

    /// After an access with one of its labels.
    pub(crate) fn access(
        &self,
        state: &State,
        (thread, pc): (ThreadId, Option<Pc>),
        access: &Access,
        label: Label,
        after: ThreadState,
    ) -> State {
        let mut next = state.with_thread(thread, after);
        if access.is_failed_update(&label) {
            next.trace.add(thread, EMPTIES_BUFFERS, None, pc);
        }
        let source = label.is_read().then(|| state.visible(thread, access.loc).0);
        let position = next.trace.add(thread, label, source, pc);
        match label {
            Label::Write { loc, .. } => {
                let queues = &mut next.queues[thread.index()];
                match self.buffers {
                    Buffers::PerLocation => queues.of[loc.index()].push_back(position),
                    Buffers::Total => queues.all.push_back(position),
                }
            }
            Label::Rmw { .. } => next.trace.reach_memory(thread, position),
            _ => {}
        }
        next
    }

    /// After the fence that the thread rests at, with these events, or the beginning of a section; none while stores have
    /// to leave their queues first.
    pub(crate) fn pass(&self, state: &State, (thread, pc): (ThreadId, Option<Pc>), labels: &[Label]) -> Option<State> {
        let queues = &state.queues[thread.index()];
        let passes = |label: &Label| match label {
            Label::LightFence { loc: Some(loc) } => queues.of[loc.index()].is_empty(),
            Label::LightFence { loc: None } => queues.of.iter().all(VecDeque::is_empty),
            _ => state.is_drained(thread),
        };
        let before = &state.threads[thread.index()];
        labels.iter().all(passes).then(|| {
            let mut next = state.with_thread(thread, self.interpreter.pass_fence(thread, before));
            labels.iter().for_each(|&label| _ = next.trace.add(thread, label, None, pc));
            next
        })
    }

    /// Every way through the atomic section that the thread is about to enter.
    fn sections(&self, state: &State, thread: ThreadId, limit: usize) -> Result<Vec<State>, LimitReached> {
        let Rest::Enter(labels) = self.rest(state, thread) else { return Ok(Vec::new()) };
        let first = state.trace.count(thread);
        let mut ways: Vec<State> = self.pass(state, (thread, None), &labels).into_iter().collect();
        let (mut done, mut left) = (Vec::new(), limit);
        while let Some(mut inside) = ways.pop() {
            left = left.checked_sub(1).ok_or(LimitReached)?;
            inside.drain(thread);
            if self.rest(&inside, thread) == Rest::Leave {
                inside.trace.tie(thread, first);
                let after = self.interpreter.pass_fence(thread, &inside.threads[thread.index()]);
                done.push(inside.with_thread(thread, after));
            } else {
                ways.extend(self.executions(&inside, thread));
            }
        }
        Ok(done)
    }

    /// Visits every state within reach, breadth first, until `visit` breaks; then its word.
    fn explore<B>(
        &self,
        limit: usize,
        mut visit: impl FnMut(&State) -> ControlFlow<B>,
    ) -> Result<Option<B>, LimitReached> {
        let initial = self.initial();
        let mut known = HashSet::from([initial.clone()]);
        let mut queue = VecDeque::from([initial]);
        while let Some(state) = queue.pop_front() {
            if let ControlFlow::Break(word) = visit(&state) {
                return Ok(Some(word));
            }
            for after in self.successors(&state, limit)? {
                if !known.contains(&after) {
                    if known.len() >= limit {
                        return Err(LimitReached);
                    }
                    known.insert(after.clone());
                    queue.push_back(after);
                }
            }
        }
        Ok(None)
    }
}

impl State {
    fn with_thread(&self, thread: ThreadId, state: ThreadState) -> State {
        let mut after = self.clone();
        after.threads[thread.index()] = state;
        after
    }

    /// Has all that the thread stored reached memory?
    pub(crate) fn is_drained(&self, thread: ThreadId) -> bool {
        let queues = &self.queues[thread.index()];
        queues.all.is_empty() && queues.of.iter().all(VecDeque::is_empty)
    }

    /// Is this the end of a computation?
    pub(crate) fn is_end(&self) -> bool {
        (0..self.threads.len()).all(|thread| self.is_drained(ThreadId::from_index(thread)))
    }

    /// What a load of `loc` by the thread takes, and its value.
    fn visible(&self, thread: ThreadId, loc: LocId) -> (Origin, Value) {
        let queues = &self.queues[thread.index()];
        let waiting = queues.all.iter().filter(|&&store| self.trace.location(thread, store) == Some(loc));
        let newest = queues.of[loc.index()].back().or(waiting.last());
        let origin = newest.map_or_else(|| self.trace.memory(loc), |&position| Origin::Event { thread, position });
        (origin, self.trace.value(loc, origin))
    }

    /// The oldest store of the thread to `loc` goes from its queue into the one for all locations.
    pub(crate) fn advance(&mut self, thread: ThreadId, loc: LocId) {
        let queues = &mut self.queues[thread.index()];
        let store = queues.of[loc.index()].pop_front().expect("a store in the queue");
        queues.all.push_back(store);
    }

    /// The oldest store in the thread's queue for all locations reaches memory.
    pub(crate) fn commit(&mut self, thread: ThreadId) {
        let store = self.queues[thread.index()].all.pop_front().expect("a store in the queue");
        self.trace.reach_memory(thread, store);
    }

    /// Within an atomic section stores go to memory at once.
    fn drain(&mut self, thread: ThreadId) {
        for loc in (0..self.queues[thread.index()].of.len()).map(LocId::from_index) {
            while !self.queues[thread.index()].of[loc.index()].is_empty() {
                self.advance(thread, loc);
            }
        }
        while !self.queues[thread.index()].all.is_empty() {
            self.commit(thread);
        }
    }

    /// The stores of the thread to `loc` that wait in its own queue.
    pub(crate) fn waiting(&self, thread: ThreadId, loc: LocId) -> usize {
        self.queues[thread.index()].of[loc.index()].len()
    }

    /// The locations of the stores in the thread's queue for all of them.
    pub(crate) fn advanced(&self, thread: ThreadId) -> impl Iterator<Item = LocId> + '_ {
        let queue = self.queues[thread.index()].all.iter();
        queue.map(move |&store| self.trace.location(thread, store).expect("a store"))
    }
}

/// The ends of all computations: the states of threads, and the trace. None when there are more than `limit` states.
///
/// # Panics
/// When the model has no store buffers.
pub fn computations(program: &Program, model: &dyn Model, limit: usize) -> Option<HashSet<Configuration>> {
    let machine = Machine::new(program, model).expect("a model with store buffers");
    let mut ends = HashSet::new();
    let all = machine.explore(limit, |state| {
        if state.is_end() {
            ends.insert(Configuration { threads: state.threads.clone(), graph: state.trace.graph() });
        }
        ControlFlow::<std::convert::Infallible>::Continue(())
    });
    all.ok().map(|_| ends)
}

/// Is the trace of every computation one of SC, that is, without cycles? At most `limit` states are looked at.
///
/// # Panics
/// When the model has no store buffers.
pub fn robust(program: &Program, model: &dyn Model, limit: usize) -> Answer {
    let machine = Machine::new(program, model).expect("a model with store buffers");
    Answer::from_search(machine.explore(limit, |state| match state.is_end() && !Sc.permits(&state.trace.graph()) {
        true => ControlFlow::Break(Finding::Escape),
        false => ControlFlow::Continue(()),
    }))
}
