//! The store-buffer machine: TSO, PSO and PGAS as computers rather than axioms.
//!
//! Paper: Derevenetc, Meyer and Schweizer, "Locality and Singularity for Store-Atomic Memory
//! Models", 2015, App. A (the machine) and §5, App. B (happens-before traces, robustness).
//!
//! Modelled: each thread has one queue of stores per location. These feed one queue for all
//! locations, which feeds memory; TSO uses the latter only.
//!
//! - A load takes the newest store to its location that its own thread has in a queue, else what is
//!   in memory.
//! - Read-modify-writes (failed ones too), full fences and atomic sections wait until all queues of
//!   their thread are empty. Light fences wait until the queues of their locations are.
//! - A computation ends with empty queues, at any point of the program. Its trace is an execution
//!   graph whose modification order is the order in which stores reach memory.
//!
//! Deviation: the paper also sends fences through the queue for all locations, which orders
//! nothing.
//!
//! Exact where it answers. States with their traces are enumerated one by one ([`computations`],
//! [`robust`], [`violation`]), so only loop-free programs are small enough. It shares the
//! interpreter of threads with the other definitions, and nothing with the models' axioms.

pub mod bounded;
mod trace;

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;
use std::rc::Rc;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Pc, ThreadId, Value};
use fencepost_ir::Program;
use fencepost_model::models::sc::Sc;
use fencepost_model::{Buffers, Model};
use fencepost_verdict::{BufferStep, Computation, RunStep, Site};

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

/// The stores of a thread that have not reached memory, oldest first, by their positions in program
/// order.
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
    fn successors(&self, state: &State, limit: usize) -> Result<Vec<Move>, LimitReached> {
        let mut next = Vec::new();
        for thread in self.interpreter.program().thread_ids() {
            let queues = &state.queues[thread.index()];
            if let Some(loc) = state.advanced(thread).next() {
                let mut after = state.clone();
                after.commit(thread);
                next.push(Move { steps: vec![BufferStep::Commit { thread, loc }], after });
            }
            for loc in (0..queues.of.len()).filter(|&loc| !queues.of[loc].is_empty()).map(LocId::from_index) {
                let mut after = state.clone();
                after.advance(thread, loc);
                next.push(Move { steps: Vec::new(), after });
            }
            next.extend(match self.rest(state, thread) {
                Rest::Enter(_) => self.sections(state, thread, limit)?,
                _ => self.executions(state, thread),
            });
        }
        Ok(next)
    }

    /// Every way to execute the instruction that the thread rests at. Queues stay as they are, but
    /// for a new store.
    fn executions(&self, state: &State, thread: ThreadId) -> Vec<Move> {
        let (rest, before) = (self.rest(state, thread), &state.threads[thread.index()]);
        let site = Site { thread, pc: before.pc };
        let execute = |label, choice| BufferStep::Execute { step: RunStep { site, label, choice }, delayed: true };
        match &rest {
            Rest::Access(access) => {
                let labels = self.labels(state, thread, access).into_iter();
                let after = |(label, thread_after)| {
                    let mut after = state.clone();
                    self.access(&mut after, (thread, None), access, label, thread_after);
                    Move { steps: vec![execute(Some(label), None)], after }
                };
                labels.map(after).collect()
            }
            Rest::Fence(labels) => {
                let mut after = state.clone();
                let passes = self.pass(&mut after, (thread, None), labels);
                passes.then_some(Move { steps: Vec::new(), after }).into_iter().collect()
            }
            _ => {
                let choices = self.interpreter.choices(thread, before, &rest).into_iter();
                let after = |(choice, thread_after)| {
                    let mut after = state.clone();
                    after.threads[thread.index()] = thread_after;
                    Move { steps: vec![execute(None, Some(choice))], after }
                };
                choices.map(after).collect()
            }
        }
    }

    /// What the thread can do at this access now, each with its state afterwards; nothing when it
    /// has to wait.
    pub(crate) fn labels(&self, state: &State, thread: ThreadId, access: &Access) -> Vec<(Label, ThreadState)> {
        let buffered = matches!(access.action, Action::Read { .. } | Action::Wait { .. } | Action::Write { .. });
        if !buffered && !state.is_drained(thread) {
            return Vec::new();
        }
        let old = state.visible(thread, access.loc).1;
        self.interpreter.labels(thread, &state.threads[thread.index()], access, old)
    }

    /// Makes an access with one of its labels.
    pub(crate) fn access(
        &self,
        state: &mut State,
        (thread, pc): (ThreadId, Option<Pc>),
        access: &Access,
        label: Label,
        after: ThreadState,
    ) {
        state.threads[thread.index()] = after;
        if access.is_failed_update(&label) {
            state.trace.add(thread, EMPTIES_BUFFERS, None, pc);
        }
        let source = label.is_read().then(|| state.visible(thread, access.loc).0);
        let position = state.trace.add(thread, label, source, pc);
        match label {
            Label::Write { loc, .. } => {
                let queues = &mut state.queues[thread.index()];
                match self.buffers {
                    Buffers::PerLocation => queues.of[loc.index()].push_back(position),
                    Buffers::Total => queues.all.push_back(position),
                }
            }
            Label::Rmw { .. } => state.trace.reach_memory(thread, position),
            _ => {}
        }
    }

    /// Passes the fence that the thread rests at, with these events, or the beginning of a section;
    /// unless stores have to leave their queues first.
    pub(crate) fn pass(&self, state: &mut State, (thread, pc): (ThreadId, Option<Pc>), labels: &[Label]) -> bool {
        let queues = &state.queues[thread.index()];
        let passes = |label: &Label| match label {
            Label::LightFence { loc: Some(loc) } => queues.of[loc.index()].is_empty(),
            Label::LightFence { loc: None } => queues.of.iter().all(VecDeque::is_empty),
            _ => state.is_drained(thread),
        };
        if !labels.iter().all(passes) {
            return false;
        }
        labels.iter().for_each(|&label| _ = state.trace.add(thread, label, None, pc));
        state.threads[thread.index()] = self.interpreter.pass_fence(thread, &state.threads[thread.index()]);
        true
    }

    /// Every way through the atomic section that the thread is about to enter.
    fn sections(&self, state: &State, thread: ThreadId, limit: usize) -> Result<Vec<Move>, LimitReached> {
        let Rest::Enter(labels) = self.rest(state, thread) else { return Ok(Vec::new()) };
        let first = state.trace.count(thread);
        let mut entered = state.clone();
        let enters = self.pass(&mut entered, (thread, None), &labels);
        let mut ways: Vec<Move> = enters.then_some(Move { steps: Vec::new(), after: entered }).into_iter().collect();
        let (mut done, mut left) = (Vec::new(), limit);
        while let Some(Move { steps, after: mut inside }) = ways.pop() {
            left = left.checked_sub(1).ok_or(LimitReached)?;
            inside.drain(thread);
            if self.rest(&inside, thread) == Rest::Leave {
                self.leave(&mut inside, thread, first);
                done.push(Move { steps, after: inside });
            } else {
                let longer = self.executions(&inside, thread).into_iter();
                ways.extend(longer.map(|last| Move { steps: [steps.clone(), last.steps].concat(), ..last }));
            }
        }
        Ok(done)
    }

    /// Leaves an atomic section whose first event is number `first` of its thread.
    pub(crate) fn leave(&self, state: &mut State, thread: ThreadId, first: usize) {
        state.trace.tie(thread, first);
        state.threads[thread.index()] = self.interpreter.pass_fence(thread, &state.threads[thread.index()]);
    }

    /// Visits every state within reach, breadth first, until `visit` breaks; then the computation
    /// that leads there.
    fn explore(
        &self,
        limit: usize,
        mut visit: impl FnMut(&State) -> ControlFlow<()>,
    ) -> Result<Option<Computation>, LimitReached> {
        // For every state, in the order of discovery, where it was found and how it is reached from
        // there.
        let mut known = IndexedStates::default();
        known.insert(self.initial(), 0, Vec::new());
        let mut next = 0;
        while let Some(state) = known.get(next) {
            if visit(&state).is_break() {
                return Ok(Some(known.computation(next)));
            }
            for Move { steps, after } in self.successors(&state, limit)? {
                known.insert(after, next, steps);
                if known.len() > limit {
                    return Err(LimitReached);
                }
            }
            next += 1;
        }
        Ok(None)
    }
}

/// The states found so far.
#[derive(Default)]
struct IndexedStates {
    states: HashSet<Rc<State>>,
    found: Vec<(Rc<State>, usize, Vec<BufferStep>)>,
}

impl IndexedStates {
    fn insert(&mut self, state: State, from: usize, steps: Vec<BufferStep>) {
        let state = Rc::new(state);
        if self.states.insert(Rc::clone(&state)) {
            self.found.push((state, from, steps));
        }
    }

    fn get(&self, index: usize) -> Option<Rc<State>> {
        self.found.get(index).map(|(state, ..)| Rc::clone(state))
    }

    fn len(&self) -> usize {
        self.found.len()
    }

    /// The computation that leads to this state.
    fn computation(&self, index: usize) -> Computation {
        let mut parts = Vec::new();
        let mut at = index;
        while at != 0 {
            let (_, from, steps) = &self.found[at];
            parts.push(steps.clone());
            at = *from;
        }
        Computation { steps: parts.into_iter().rev().flatten().collect() }
    }
}

/// A step of the machine: what it is in a computation, and the state after it.
struct Move {
    steps: Vec<BufferStep>,
    after: State,
}

impl State {
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
        let mut waiting = queues.all.iter().filter(|&&store| self.trace.location(thread, store) == Some(loc));
        let newest = queues.of[loc.index()].back().or(waiting.next_back());
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

    /// The locations that stores of the thread wait in the queues of, and how many.
    pub(crate) fn waiting(&self, thread: ThreadId) -> impl Iterator<Item = (LocId, usize)> + '_ {
        let queues = self.queues[thread.index()].of.iter().enumerate();
        queues.map(|(loc, queue)| (LocId::from_index(loc), queue.len())).filter(|&(_, count)| count > 0)
    }

    /// The locations of the stores in the thread's queue for all of them.
    pub(crate) fn advanced(&self, thread: ThreadId) -> impl Iterator<Item = LocId> + '_ {
        let queue = self.queues[thread.index()].all.iter();
        queue.map(move |&store| self.trace.location(thread, store).expect("a store"))
    }
}

/// The ends of all computations: the states of threads, and the trace. None when there are more
/// than `limit` states.
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
        ControlFlow::Continue(())
    });
    all.ok().map(|_| ends)
}

/// Is the trace of every computation one of SC, that is, without cycles? At most `limit` states are
/// looked at.
///
/// # Panics
/// When the model has no store buffers.
pub fn robust(program: &Program, model: &dyn Model, limit: usize) -> Answer {
    Answer::from_search(violation(program, model, limit).map(|found| found.map(|_| Finding::Escape)))
}

/// A shortest computation whose trace has a cycle, if there is one; every store in it is delayed.
/// `Err` if that takes more than `limit` states to find out.
///
/// # Panics
/// When the model has no store buffers.
pub fn violation(program: &Program, model: &dyn Model, limit: usize) -> Result<Option<Computation>, LimitReached> {
    let machine = Machine::new(program, model).expect("a model with store buffers");
    machine.explore(limit, |state| match state.is_end() && !Sc.permits(&state.trace.graph()) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    })
}
