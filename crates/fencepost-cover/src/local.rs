//! The threads of a program as labelled graphs of local states: program
//! counter and registers, with arbitrary read values.
//!
//! Paper: Lahav and Boker, PLDI 2020, Fig. 2, extended to all instructions of
//! the IR; fences as in SRA. A read has an edge for every value that its
//! location can hold in the following over-approximation: the initial value,
//! and what any edge writes there (a least fixpoint over all threads).
//!
//! Local steps are deterministic and run together up to the next resting
//! point: an access, a choice, or the end. Expressions of an access are
//! evaluated before it, the index first.

use std::collections::{BTreeSet, HashSet, VecDeque};

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Pc, ThreadId, Value};
use fencepost_base::order::{FenceOrder, Mode};
use fencepost_ir::{CasStrength, EvalError, Expr, Op, Place, Program};
use fencepost_verdict::{Reason, ScFailureKind};
use foldhash::HashMap;

/// A local state: its position in [`Local::states`].
pub(crate) type StateId = usize;

/// ⟨pc, Φ⟩
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub(crate) pc: Pc,
    pub(crate) registers: Vec<Value>,
}

/// How a thread rests in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// It goes on, or is blocked for ever.
    Open,
    /// It is done.
    Halted,
    /// An assertion does not hold, or a run-time error.
    Failed(ScFailureKind),
}

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

/// Where a thread comes to rest, evaluated.
enum Stop {
    Rest(Rest),
    Choices(Vec<(u32, State)>),
    Access(LocId, Mode),
}

struct Builder<'a> {
    program: &'a Program,
    threads: Vec<Local>,
    held: Vec<BTreeSet<Value>>,
    /// For every location, who has read the values held so far.
    readers: Vec<Vec<(ThreadId, StateId)>>,
    queue: VecDeque<Work>,
    states: u64,
}

/// What is left to do: queued, because values and states can be many.
enum Work {
    /// Find the steps from a state.
    Expand(ThreadId, StateId),
    /// Find those that read this value from this location.
    Read(ThreadId, StateId, LocId, Value),
}

impl Locals {
    /// The graphs of `program`.
    ///
    /// # Errors
    /// When there are more than `limit` states, or the time is up.
    pub(crate) fn of(program: &Program, limit: u64, expired: &dyn Fn() -> bool) -> Result<Locals, Reason> {
        let mut builder = Builder {
            program,
            threads: program.thread_ids().map(|_| Local::default()).collect(),
            held: program.locations().iter().map(|location| BTreeSet::from([location.init])).collect(),
            readers: vec![Vec::new(); program.locations().len()],
            queue: VecDeque::new(),
            states: 0,
        };
        for thread in program.thread_ids() {
            let registers = program.thread(thread).registers.iter().map(|register| register.init).collect();
            let initial = builder.state(thread, State { pc: Pc(0), registers });
            builder.threads[thread.index()].initial = initial;
        }
        let mut steps = 0u64;
        while let Some(work) = builder.queue.pop_front() {
            match work {
                Work::Expand(thread, state) => builder.expand(thread, state),
                Work::Read(thread, state, loc, value) => builder.read(thread, state, loc, value),
            }
            steps += 1;
            if builder.states > limit {
                return Err(Reason::States(limit));
            }
            if steps.is_multiple_of(1024) && expired() {
                return Err(Reason::Time);
            }
        }
        Ok(Locals { threads: builder.threads, held: builder.held })
    }
}

impl Builder<'_> {
    /// The state where the thread comes to rest from `state`.
    fn state(&mut self, thread: ThreadId, state: State) -> StateId {
        let (state, _) = self.settle(thread, state);
        let local = &mut self.threads[thread.index()];
        if let Some(&known) = local.index.get(&state) {
            return known;
        }
        let id = local.states.len();
        local.states.push(state.clone());
        local.rests.push(Rest::Open);
        local.edges.push(Vec::new());
        local.index.insert(state, id);
        self.queue.push_back(Work::Expand(thread, id));
        self.states += 1;
        id
    }

    fn expand(&mut self, thread: ThreadId, id: StateId) {
        let state = self.threads[thread.index()].states[id].clone();
        match self.settle(thread, state).1 {
            Stop::Rest(rest) => self.threads[thread.index()].rests[id] = rest,
            Stop::Choices(choices) => {
                for (choice, after) in choices {
                    let after = self.state(thread, after);
                    self.threads[thread.index()].edges[id].push((Action::Choice(choice), after));
                }
            }
            Stop::Access(loc, mode) => {
                // A store does not look at the old value, and needs one edge only.
                if let Op::Store { value, .. } | Op::PlainStore { value, .. } =
                    &self.program.instr(thread, self.threads[thread.index()].states[id].pc).op
                {
                    let registers = &self.threads[thread.index()].states[id].registers;
                    let value = value.value(registers, self.program.domain()).expect("evaluated before");
                    self.edge(thread, id, Label::Write { loc, value, mode }, None);
                    return;
                }
                self.readers[loc.index()].push((thread, id));
                self.queue.extend(self.held[loc.index()].iter().map(|&value| Work::Read(thread, id, loc, value)));
            }
        }
    }

    /// The edges from `id`, an access of `loc` that reads, when it reads `old`.
    fn read(&mut self, thread: ThreadId, id: StateId, loc: LocId, old: Value) {
        let state = &self.threads[thread.index()].states[id];
        let domain = self.program.domain();
        let op = &self.program.instr(thread, state.pc).op;
        let value = |expr: &Expr| expr.value(&state.registers, domain).expect("evaluated before");
        let read = |mode: Mode| Label::Read { loc, value: old, mode };
        let rmw = |written: Value, mode: Mode| Label::Rmw { loc, read: old, written, mode };
        let mut labels = Vec::new();
        match op {
            Op::Load { order, .. } => labels.push(read((*order).into())),
            Op::PlainLoad { .. } => labels.push(read(Mode::Na)),
            Op::Update { function, operand, order, .. } => {
                let written = function.apply(old, i64::from(value(operand)));
                labels.push(rmw(self.program.reduce(written), (*order).into()));
            }
            Op::Cas { expected, desired, success, failure, strength, .. } => {
                let equal = value(expected) == old;
                if equal {
                    labels.push(rmw(value(desired), (*success).into()));
                }
                if !equal || *strength == CasStrength::Weak {
                    labels.push(read((*failure).into()));
                }
            }
            Op::Wait { condition, order, .. } => {
                let integer = |expr: &Expr| expr.eval(&state.registers, domain).expect("evaluated before");
                if condition.any_of.iter().any(|(cmp, right)| cmp.holds(i64::from(old), integer(right))) {
                    labels.push(read((*order).into()));
                }
            }
            Op::BlockingCas { expected, desired, order, .. } => {
                if value(expected) == old {
                    labels.push(rmw(value(desired), (*order).into()));
                }
            }
            Op::Fence { .. } => labels.push(rmw(old, Mode::Full)),
            op => unreachable!("{op:?} does not read memory"),
        }
        for label in labels {
            self.edge(thread, id, label, Some(old));
        }
    }

    fn edge(&mut self, thread: ThreadId, id: StateId, label: Label, result: Option<Value>) {
        let mut after = self.threads[thread.index()].states[id].clone();
        if let (Some(dst), Some(value)) = (self.program.instr(thread, after.pc).op.dst(), result) {
            after.registers[dst.index()] = value;
        }
        after.pc.0 += 1;
        let after = self.state(thread, after);
        self.threads[thread.index()].edges[id].push((Action::Access(label), after));
        if let (Some(loc), Some(written)) = (label.loc(), label.value_written())
            && self.held[loc.index()].insert(written)
        {
            let readers = self.readers[loc.index()].iter();
            self.queue.extend(readers.map(|&(thread, reader)| Work::Read(thread, reader, loc, written)));
        }
    }

    /// Runs local steps up to the next resting point. A thread that goes round for ever in them is blocked.
    fn settle(&self, thread: ThreadId, mut state: State) -> (State, Stop) {
        let mut passed: HashSet<State> = HashSet::new();
        loop {
            let before = state.pc;
            match self.local_step(thread, &mut state) {
                Err(failure) => return (state, Stop::Rest(Rest::Failed(failure))),
                Ok(Some(stop)) => return (state, stop),
                Ok(None) if state.pc <= before && !passed.insert(state.clone()) => {
                    return (state, Stop::Rest(Rest::Open));
                }
                Ok(None) => {}
            }
        }
    }

    /// One local step; none at a resting point.
    fn local_step(&self, thread: ThreadId, state: &mut State) -> Result<Option<Stop>, ScFailureKind> {
        let next = Pc(state.pc.0 + 1);
        let domain = self.program.domain();
        let op = &self.program.instr(thread, state.pc).op;
        let integer = |expr: &Expr| expr.eval(&state.registers, domain).map_err(failure);
        let value = |expr: &Expr| expr.value(&state.registers, domain).map_err(failure);
        match op {
            Op::Assign { dst, value: expr } => {
                let value = value(expr)?;
                state.registers[dst.index()] = value;
            }
            Op::Jump { target } => {
                state.pc = *target;
                return Ok(None);
            }
            Op::Branch { cond, target } => {
                state.pc = if integer(cond)? != 0 { *target } else { next };
                return Ok(None);
            }
            Op::Assume { cond } if integer(cond)? == 0 => return Ok(Some(Stop::Rest(Rest::Open))),
            Op::Assert { cond } if integer(cond)? == 0 => return Err(ScFailureKind::Assertion),
            Op::Fence { order: FenceOrder::Sc } => {
                let hidden = self.program.fence_location().expect("programs with such a fence have its location");
                return Ok(Some(Stop::Access(hidden, Mode::Full)));
            }
            Op::Assume { .. } | Op::Assert { .. } | Op::Verify { .. } | Op::LightFence { .. } | Op::Fence { .. } => {}
            Op::Choose { targets } => {
                let to = |(index, &pc): (usize, &Pc)| (index as u32, State { pc, registers: state.registers.clone() });
                return Ok(Some(Stop::Choices(targets.iter().enumerate().map(to).collect())));
            }
            Op::Nondet { dst, low, high } => {
                let (low, high) = (value(low)?, value(high)?);
                let taking = |value: Value| {
                    let mut registers = state.registers.clone();
                    registers[dst.index()] = value;
                    (value, State { pc: next, registers })
                };
                return Ok(Some(Stop::Choices((low..=high).map(taking).collect())));
            }
            Op::Halt => return Ok(Some(Stop::Rest(Rest::Halted))),
            op => {
                let loc = match op.place().expect("all other instructions are local") {
                    Place::Fixed(loc) => *loc,
                    Place::Element { array, index } => {
                        let index = integer(index)?;
                        let array = self.program.array(*array);
                        match u32::try_from(index) {
                            Ok(offset) if offset < array.len => LocId(array.base.0 + offset),
                            _ => return Err(ScFailureKind::IndexOutOfRange { index, length: array.len }),
                        }
                    }
                };
                let mut failed = None;
                op.for_each_expr(&mut |expr| failed = failed.take().or(integer(expr).err()));
                let mode = match op {
                    Op::Store { order, .. } => (*order).into(),
                    // The order of a read depends on how it goes: it is in its label.
                    _ => Mode::Na,
                };
                return match failed {
                    Some(failure) => Err(failure),
                    None => Ok(Some(Stop::Access(loc, mode))),
                };
            }
        }
        state.pc = next;
        Ok(None)
    }
}

fn failure(error: EvalError) -> ScFailureKind {
    match error {
        EvalError::DivisionByZero => ScFailureKind::DivisionByZero,
    }
}
