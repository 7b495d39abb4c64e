//! Robustness against store buffers of bounded length, for programs with loops: the states of the
//! machine, with as much of their traces as matters.
//!
//! The machine is that of [`super`], App. A of the paper. The summary of traces is ours.
//!
//! **Why it is enough.** Every edge of happens-before connects two events. Say that it is made in
//! the later of the steps in which the two events are made; for a store, that is the step in which
//! it reaches memory. In that step a store gets all its predecessors but the one in program order.
//! That one it got when it was issued, and its successors in program order may have got theirs by
//! then. Any other event has no successor before it has all its predecessors. So what closes a
//! cycle is always a store that reaches memory, after an access of its location that it happens
//! before.
//!
//! Hence all that matters of a trace is which of the stores *in the buffers* happen before those
//! events that can still get a successor: the latest of every thread, the last write of every
//! location and the reads from it, the stores in the buffers and the reads from them. These are
//! finitely many bits, and loops come back to states that are known.
//!
//! **States that are the same.** A store leaves the queue of its location only on its way to
//! memory, or when its thread waits at a light fence; earlier would make no difference to the
//! trace. Two states are the same if they differ only in registers that are set before they are
//! read, in what happens before the end of a thread, or in which of several threads with the same
//! code is where.
//!
//! Exact for computations in which no thread ever has more than so many stores in its buffers. It
//! is known whether a thread ever wanted more. Knows nothing of attacks, locality or singularity.
//! Compared with the whole traces on generated programs
//! (`crates/fencepost-oracle/tests/buffers.rs`).

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Pc, RegId, ThreadId, Value};
use fencepost_ir::{Program, Thread};
use fencepost_model::{Buffers, Model};

use crate::interpreter::{Access, Action, Interpreter, Rest, ThreadState};
use crate::system::LimitReached;

/// How far to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Most stores that a thread has in its buffers.
    pub stores: usize,
    /// Most states.
    pub states: usize,
}

/// What is known within a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Every computation has an acyclic trace, and no thread ever wanted more stores in its
    /// buffers.
    Robust,
    /// Every computation within the bound on stores has an acyclic trace, but some threads wanted
    /// more.
    NoViolation,
    /// There is a cycle.
    Violation,
    /// More states than allowed.
    TooLarge,
}

/// An answer, and what it cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The answer.
    pub answer: Answer,
    /// States looked at.
    pub states: usize,
}

/// A set of stores in the buffers; the number of a store is
/// `most * thread + index in the thread's buffers`.
type Stores = u32;

/// In the place of a store: the atomic section that a thread is in. Whatever is in it happens
/// before itself.
const SECTION: Stores = 1 << (Stores::BITS - 1);

/// The stores with smaller numbers.
fn below(number: usize) -> Stores {
    Stores::MAX.checked_shr(Stores::BITS - number as u32).unwrap_or(0)
}

/// A state, and which stores in its buffers happen before what.
#[derive(Clone, Debug)]
struct State {
    /// Of every thread, its number among the states of threads met so far.
    threads: Vec<u32>,
    memory: Vec<Value>,
    /// Of every thread, the stores that have not reached memory: first those in the queue for all
    /// locations, in its order, then those in queues of locations, in program order.
    buffers: Vec<Vec<Store>>,
    /// What happens before the latest event of a thread, or is it.
    latest: Vec<Stores>,
    /// What happens before the last write of a location.
    written: Vec<Stores>,
    /// What happens before the last write of a location, or before a read from it.
    accessed: Vec<Stores>,
}

/// A store in a buffer.
#[derive(Clone, Debug)]
struct Store {
    loc: LocId,
    value: Value,
    /// Is it in the queue for all locations?
    advanced: bool,
    /// What happens before it, or is it.
    before: Stores,
    /// What happens before it, or is it, or happens before a read from it; only its own thread has
    /// read from it.
    before_reads: Stores,
}

/// A cycle of happens-before.
struct Cycle;

impl State {
    /// As words.
    fn packed(&self) -> Vec<u32> {
        let mut words: Vec<u32> = self.threads.iter().chain(&self.memory).copied().collect();
        // Without stores in buffers all sets are empty.
        if self.buffers.iter().any(|buffer| !buffer.is_empty()) {
            words.extend([&self.latest, &self.written, &self.accessed].into_iter().flatten());
            for buffer in &self.buffers {
                words.push(buffer.len() as u32);
                for Store { loc, value, advanced, before, before_reads } in buffer {
                    words.extend([loc.0 << 1 | u32::from(*advanced), *value, *before, *before_reads]);
                }
            }
        }
        words
    }

    /// Changes all sets of stores in the same way.
    fn change_sets(&mut self, change: impl Fn(Stores) -> Stores) {
        let in_buffers =
            self.buffers.iter_mut().flatten().flat_map(|store| [&mut store.before, &mut store.before_reads]);
        let others = [&mut self.latest, &mut self.written, &mut self.accessed].into_iter().flatten();
        others.chain(in_buffers).for_each(|set| *set = change(*set));
    }

    fn is_drained(&self, thread: ThreadId) -> bool {
        self.buffers[thread.index()].is_empty()
    }

    /// The newest store to `loc` in the thread's buffers: those in the queue of the location are
    /// newer than any other.
    fn newest(&mut self, thread: ThreadId, loc: LocId) -> Option<&mut Store> {
        self.buffers[thread.index()].iter_mut().rev().find(|store| store.loc == loc)
    }

    /// What a load of `loc` takes.
    fn visible(&mut self, thread: ThreadId, loc: LocId) -> Value {
        let in_memory = self.memory[loc.index()];
        self.newest(thread, loc).map_or(in_memory, |store| store.value)
    }

    /// The thread reads `loc`.
    fn read(&mut self, thread: ThreadId, loc: LocId) {
        let latest = self.latest[thread.index()];
        match self.newest(thread, loc) {
            // That the store happens before the read is program order.
            Some(store) => store.before_reads |= latest,
            None => {
                let now = latest | self.written[loc.index()];
                self.latest[thread.index()] = now;
                self.accessed[loc.index()] |= now;
            }
        }
    }

    /// The thread, with empty buffers, writes `loc` in memory.
    fn write(&mut self, thread: ThreadId, loc: LocId, value: Value) {
        let now = self.latest[thread.index()] | self.accessed[loc.index()];
        self.latest[thread.index()] = now;
        self.written[loc.index()] = now;
        self.accessed[loc.index()] = now;
        self.memory[loc.index()] = value;
    }
}

/// The machine, with bounded buffers.
struct Machine<'a> {
    interpreter: Interpreter<'a>,
    kind: Buffers,
    /// Most stores in the buffers of a thread.
    most: usize,
    /// Did a thread ever want to put one more there?
    was_full: bool,
    /// The states of threads met so far, with why they rest; those of threads with the same code
    /// have the same numbers.
    locals: Vec<Rc<(ThreadState, Rest)>>,
    numbers: HashMap<(ThreadId, ThreadState), u32>,
    /// Of every thread, the first one with its code.
    first_alike: Vec<ThreadId>,
    /// The orders of threads that are all the same.
    orders: Vec<Vec<usize>>,
    /// Of every thread, before every instruction, the registers that are set before they are read.
    dead: Vec<Vec<Vec<RegId>>>,
}

/// Is the register read before it is set, from `pc` on?
fn is_live(thread: &Thread, pc: Pc, register: RegId) -> bool {
    let (mut met, mut open) = (vec![false; thread.code.len()], vec![pc]);
    while let Some(pc) = open.pop() {
        if std::mem::replace(&mut met[pc.index()], true) {
            continue;
        }
        let op = &thread.code[pc.index()].op;
        let mut reads = false;
        op.for_each_expr(&mut |expr| expr.for_each_register(&mut |read| reads |= read == register));
        if reads {
            return true;
        }
        if op.dst() != Some(register) {
            open.extend(op.successors(pc));
        }
    }
    false
}

/// For every instruction, the registers that are not read any more.
fn dead_registers(thread: &Thread) -> Vec<Vec<RegId>> {
    let registers = || (0..thread.registers.len()).map(RegId::from_index);
    let dead = |pc| registers().filter(|&register| !is_live(thread, Pc::from_index(pc), register)).collect();
    (0..thread.code.len()).map(dead).collect()
}

/// The first thread with the same code.
fn first_alike(program: &Program, thread: ThreadId) -> ThreadId {
    let parts = |thread: ThreadId| {
        let Thread { registers, code, .. } = program.thread(thread);
        (registers.len(), code.iter().map(|instr| &instr.op))
    };
    let (registers, ops) = parts(thread);
    let alike = |other: &ThreadId| parts(*other).0 == registers && parts(*other).1.eq(ops.clone());
    program.thread_ids().find(alike).expect("it is like itself")
}

/// All orders in which every thread is in the place of one like it.
fn orders(first_alike: &[ThreadId]) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for kind in first_alike {
        let places = || (0..first_alike.len()).filter(|&other| first_alike[other] == *kind);
        let longer = |order: &Vec<usize>| -> Vec<Vec<usize>> {
            places().filter(|place| !order.contains(place)).map(|place| [&order[..], &[place]].concat()).collect()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}

impl<'a> Machine<'a> {
    fn new(program: &'a Program, model: &'a dyn Model, most: usize) -> Self {
        let first_alike: Vec<ThreadId> =
            program.thread_ids().map(|thread| self::first_alike(program, thread)).collect();
        Machine {
            interpreter: Interpreter::new(program, model),
            kind: model.buffers().expect("a model with store buffers"),
            most,
            was_full: false,
            locals: Vec::new(),
            numbers: HashMap::new(),
            orders: orders(&first_alike),
            first_alike,
            dead: program.threads().iter().map(dead_registers).collect(),
        }
    }

    /// As words that are equal for states that are the same.
    fn packed(&self, state: &State) -> Box<[u32]> {
        let in_order = |order: &Vec<usize>| match order.is_sorted() {
            true => state.packed(),
            false => self.reordered(state, order).packed(),
        };
        self.orders.iter().map(in_order).min().expect("at least one order").into_boxed_slice()
    }

    /// The state with its threads in another order.
    fn reordered(&self, state: &State, order: &[usize]) -> State {
        let mut other = State {
            threads: order.iter().map(|&thread| state.threads[thread]).collect(),
            buffers: order.iter().map(|&thread| state.buffers[thread].clone()).collect(),
            latest: order.iter().map(|&thread| state.latest[thread]).collect(),
            ..state.clone()
        };
        let of = |set: Stores, thread: usize| set >> (self.most * thread) & below(self.most);
        let places = || order.iter().enumerate();
        other.change_sets(|set| {
            places().fold(0, |stores, (place, &thread)| stores | of(set, thread) << (self.most * place))
        });
        other
    }

    fn initial(&mut self) -> State {
        let program = self.interpreter.program();
        let (threads, locations) = (program.threads().len(), program.locations().len());
        let mut state = State {
            threads: vec![0; threads],
            memory: program.locations().iter().map(|location| location.init).collect(),
            buffers: vec![Vec::new(); threads],
            latest: vec![0; threads],
            written: vec![0; locations],
            accessed: vec![0; locations],
        };
        for thread in program.thread_ids() {
            let start = self.interpreter.initial(thread);
            self.go(&mut state, thread, start);
        }
        state
    }

    fn local(&self, state: &State, thread: ThreadId) -> Rc<(ThreadState, Rest)> {
        Rc::clone(&self.locals[state.threads[thread.index()] as usize])
    }

    fn go(&mut self, state: &mut State, thread: ThreadId, mut local: ThreadState) {
        for register in &self.dead[thread.index()][local.pc.index()] {
            local.registers[register.index()] = 0;
        }
        let alike = self.first_alike[thread.index()];
        let number = *self.numbers.entry((alike, local)).or_insert_with_key(|(_, local)| {
            let rest = self.interpreter.rest(thread, local);
            self.locals.push(Rc::new((local.clone(), rest)));
            u32::try_from(self.locals.len() - 1).expect("fewer than 2^32 states of threads")
        });
        state.threads[thread.index()] = number;
        // Nothing comes after its latest event.
        if matches!(self.locals[number as usize].1, Rest::Halted | Rest::Blocked | Rest::Failed(_) | Rest::Diverging) {
            state.latest[thread.index()] = 0;
        }
    }

    /// The number of the store at `index` of the thread's buffers.
    fn number(&self, thread: ThreadId, index: usize) -> usize {
        self.most * thread.index() + index
    }

    /// The thread puts a store into its buffers, in which there is room.
    fn issue(&self, state: &mut State, thread: ThreadId, loc: LocId, value: Value) {
        let number = self.number(thread, state.buffers[thread.index()].len());
        let before = state.latest[thread.index()] | 1 << number;
        state.latest[thread.index()] = before;
        let advanced = self.kind == Buffers::Total;
        state.buffers[thread.index()].push(Store { loc, value, advanced, before, before_reads: before });
    }

    /// The store at `index` of the thread's buffers goes from its queue to the end of the one for
    /// all locations.
    fn advance(&self, state: &mut State, thread: ThreadId, index: usize) {
        let buffer = &mut state.buffers[thread.index()];
        let end = buffer.iter().take_while(|store| store.advanced).count();
        buffer[index].advanced = true;
        buffer[end..=index].rotate_right(1);
        let (from, to) = (self.number(thread, index), self.number(thread, end));
        let passed = below(from) & !below(to);
        state.change_sets(|set| {
            let others = set & !passed & !(1 << from);
            others | (set & passed) << 1 | (set >> from & 1) << to
        });
    }

    /// The oldest store in the thread's queue for all locations reaches memory, after all accesses
    /// of its location there.
    fn commit(&self, state: &mut State, thread: ThreadId) -> Result<(), Cycle> {
        let Store { loc, value, before, before_reads, .. } = state.buffers[thread.index()].remove(0);
        let predecessors = state.accessed[loc.index()];
        let first = self.number(thread, 0);
        if predecessors >> first & 1 == 1 {
            return Err(Cycle);
        }
        state.memory[loc.index()] = value;
        state.written[loc.index()] = before;
        state.accessed[loc.index()] = before_reads;
        // What happens before its predecessors happens before all that it happens before; and it is
        // in no buffer any more.
        let own = below(first + self.most) & !below(first + 1);
        state.change_sets(|set| {
            let set = if set >> first & 1 == 1 { set | predecessors } else { set };
            set & !own & !(1 << first) | (set & own) >> 1
        });
        Ok(())
    }

    /// Everything that may happen next; nothing else matters once there is a cycle.
    fn successors(&mut self, state: &State, limit: usize) -> Result<Result<Vec<State>, Cycle>, LimitReached> {
        let mut next = Vec::new();
        for thread in self.interpreter.program().thread_ids() {
            let Ok(after) = self.queues(state, thread) else { return Ok(Err(Cycle)) };
            next.extend(after);
            match &self.local(state, thread).1 {
                Rest::Enter(_) => self.sections(state, thread, limit, &mut next)?,
                _ => self.executions(state, thread, &mut next),
            }
        }
        Ok(Ok(next))
    }

    /// What the queues of a thread may do.
    fn queues(&self, state: &State, thread: ThreadId) -> Result<Vec<State>, Cycle> {
        let mut next = Vec::new();
        let buffer = &state.buffers[thread.index()];
        let waiting = buffer.iter().take_while(|store| store.advanced).count();
        if waiting > 0 {
            let mut after = state.clone();
            self.commit(&mut after, thread)?;
            next.push(after);
        }
        let is_light = |label: &Label| matches!(label, Label::LightFence { .. });
        let at_fence = matches!(&self.local(state, thread).1, Rest::Fence(labels) if labels.iter().any(is_light));
        for index in waiting..buffer.len() {
            let is_oldest = buffer[waiting..index].iter().all(|store| store.loc != buffer[index].loc);
            if is_oldest && (at_fence || waiting == 0) {
                let mut after = state.clone();
                self.advance(&mut after, thread, index);
                if !at_fence {
                    self.commit(&mut after, thread)?;
                }
                next.push(after);
            }
        }
        Ok(next)
    }

    /// Every way to execute the instruction that the thread rests at, outside of atomic sections.
    fn executions(&mut self, state: &State, thread: ThreadId, next: &mut Vec<State>) {
        let local = self.local(state, thread);
        let (before, rest) = &*local;
        match rest {
            Rest::Access(access) if access.is_store() && state.buffers[thread.index()].len() == self.most => {
                self.was_full = true;
            }
            Rest::Access(access) => self.accesses(state, thread, access, next, |machine, after, label| match label {
                Label::Write { loc, value, .. } => machine.issue(after, thread, loc, value),
                Label::Rmw { loc, written, .. } => after.write(thread, loc, written),
                _ => after.read(thread, access.loc),
            }),
            Rest::Fence(labels) => {
                let mut waiting = state.buffers[thread.index()].iter().filter(|store| !store.advanced);
                let passes = labels.iter().all(|label| match label {
                    Label::LightFence { loc: Some(loc) } => waiting.clone().all(|store| store.loc != *loc),
                    Label::LightFence { loc: None } => waiting.next().is_none(),
                    _ => state.is_drained(thread),
                });
                if passes {
                    self.step(state, thread, self.interpreter.pass_fence(thread, before), next);
                }
            }
            _ => {
                for (_, after) in self.interpreter.choices(thread, before, rest) {
                    self.step(state, thread, after, next);
                }
            }
        }
    }

    /// A step of a thread that is no event, or one without edges but program order.
    fn step(&mut self, state: &State, thread: ThreadId, local: ThreadState, next: &mut Vec<State>) {
        let mut after = state.clone();
        self.go(&mut after, thread, local);
        next.push(after);
    }

    /// What the thread can do at this access; nothing when it has to wait.
    fn accesses(
        &mut self,
        state: &State,
        thread: ThreadId,
        access: &Access,
        next: &mut Vec<State>,
        record: impl Fn(&Self, &mut State, Label),
    ) {
        let buffered = matches!(access.action, Action::Read { .. } | Action::Wait { .. } | Action::Write { .. });
        if !buffered && !state.is_drained(thread) {
            return;
        }
        let mut state = state.clone();
        let old = state.visible(thread, access.loc);
        let local = self.local(&state, thread);
        for (label, local) in self.interpreter.labels(thread, &local.0, access, old) {
            let mut after = state.clone();
            record(self, &mut after, label);
            self.go(&mut after, thread, local);
            next.push(after);
        }
    }

    /// Every way through the atomic section that the thread is about to enter, in at most `limit`
    /// steps. All its events are one.
    fn sections(
        &mut self,
        state: &State,
        thread: ThreadId,
        limit: usize,
        next: &mut Vec<State>,
    ) -> Result<(), LimitReached> {
        if !state.is_drained(thread) {
            return Ok(());
        }
        let mut ways = Vec::new();
        let outside = self.local(state, thread);
        // What it did is marked until it is known what happens before the whole of it.
        let mut entered = state.clone();
        entered.latest[thread.index()] |= SECTION;
        self.step(&entered, thread, self.interpreter.pass_fence(thread, &outside.0), &mut ways);
        let mut left = limit;
        while let Some(mut inside) = ways.pop() {
            left = left.checked_sub(1).ok_or(LimitReached)?;
            let local = self.local(&inside, thread);
            match &local.1 {
                Rest::Leave => {
                    let section = inside.latest[thread.index()] & !SECTION;
                    inside.change_sets(|set| if set & SECTION == 0 { set } else { set & !SECTION | section });
                    self.step(&inside, thread, self.interpreter.pass_fence(thread, &local.0), next);
                }
                Rest::Access(access) => {
                    self.accesses(&inside, thread, access, &mut ways, |_, after, label| match label.value_written() {
                        Some(value) => after.write(thread, access.loc, value),
                        None => after.read(thread, access.loc),
                    })
                }
                _ => self.executions(&inside, thread, &mut ways),
            }
        }
        Ok(())
    }
}

/// Is every trace of a computation within the bound acyclic?
///
/// # Panics
/// When the model has no store buffers, or the bound is on more than 31 stores altogether.
pub fn robust(program: &Program, model: &dyn Model, bound: Bound) -> Found {
    let numbers = bound.stores * program.threads().len();
    assert!(numbers < Stores::BITS as usize, "{numbers} stores are too many");
    let mut machine = Machine::new(program, model, bound.stores);
    let initial = machine.initial();
    let mut known = HashSet::from([machine.packed(&initial)]);
    let mut queue = VecDeque::from([initial]);
    while let Some(state) = queue.pop_front() {
        let next = match machine.successors(&state, bound.states) {
            Err(LimitReached) => return Found { answer: Answer::TooLarge, states: known.len() },
            Ok(Err(Cycle)) => return Found { answer: Answer::Violation, states: known.len() },
            Ok(Ok(next)) => next,
        };
        for after in next {
            if known.insert(machine.packed(&after)) {
                if known.len() > bound.states {
                    return Found { answer: Answer::TooLarge, states: known.len() };
                }
                queue.push_back(after);
            }
        }
    }
    let answer = if machine.was_full { Answer::NoViolation } else { Answer::Robust };
    Found { answer, states: known.len() }
}
