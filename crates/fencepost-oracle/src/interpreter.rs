//! The labelled transition system of one thread (Fig. 2 of the PLDI 2019 paper, extended to all
//! instructions of the IR).
//!
//! Modelled: registers and control, and which labels a thread enables when the predecessor write of
//! its next access has a given value. Local steps are deterministic. They are run together up to
//! the next *resting* point: an access of memory, a choice, or the end.
//!
//! Not modelled: memory. Nothing here knows what values can be read.
//!
//! Decisions:
//!
//! - Expressions are values, reduced into the domain. Indices, conditions, and what a `wait`
//!   compares with are integers instead.
//! - Expressions of an access are evaluated before the access, the index first. If any of them
//!   divides by zero, it is a run-time error, whatever value would be read.
//! - A thread that fails an assertion or meets a run-time error takes no more steps. The others go
//!   on.

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Pc, RegId, ThreadId, Value};
use fencepost_base::order::{FenceOrder, Mode};
use fencepost_ir::{CasStrength, CmpOp, EvalError, Expr, LocationKind, Op, Place, Program, RmwFunction};
use fencepost_model::{EventId, FenceMeaning, Graph, LightFences, Model};
use fencepost_verdict::ScFailureKind;

/// What waits for empty store buffers and is no access, in models that have them.
pub const EMPTIES_BUFFERS: Label = Label::Fence { mode: Mode::Full };

/// ⟨pc, Φ⟩: the state of one thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadState {
    /// The next instruction.
    pub pc: Pc,
    /// The content of every register.
    pub registers: Vec<Value>,
}

/// Why a thread has come to rest where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rest {
    /// It is about to access memory.
    Access(Access),
    /// It is about to pass a fence that is an event of its own, or several.
    Fence(Vec<Label>),
    /// It is about to enter an atomic section, which is an event of its own, or none.
    Enter(Vec<Label>),
    /// It is about to leave one.
    Leave,
    /// It is about to continue at any one of these instructions.
    Choose(Vec<Pc>),
    /// It is about to set `dst` to any value from `low` to `high`; it blocks when there is none.
    Nondet {
        /// Result.
        dst: RegId,
        /// Least value.
        low: Value,
        /// Greatest value.
        high: Value,
    },
    /// It is done.
    Halted,
    /// An assumption does not hold.
    Blocked,
    /// An assertion does not hold, or a run-time error.
    Failed(ScFailureKind),
    /// It goes round in local steps for ever.
    Diverging,
}

/// An access of memory, its place and operands evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The location.
    pub loc: LocId,
    /// What is done to it.
    pub action: Action,
}

/// What an access does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Reads any value.
    Read {
        /// Result.
        dst: Option<RegId>,
        /// Order.
        mode: Mode,
    },
    /// Writes.
    Write {
        /// Value.
        value: Value,
        /// Order.
        mode: Mode,
    },
    /// Reads any value and writes what is computed from it.
    Update {
        /// Result: the value read.
        dst: Option<RegId>,
        /// What is written.
        function: RmwFunction,
        /// Operand.
        operand: Value,
        /// Order.
        mode: Mode,
    },
    /// Compares and swaps.
    Cas {
        /// Result: the value read.
        dst: Option<RegId>,
        /// Value that lets it succeed.
        expected: Value,
        /// Value written then.
        desired: Value,
        /// Order of success.
        success: Mode,
        /// Order of failure.
        failure: Mode,
        /// May it fail spuriously?
        strength: CasStrength,
    },
    /// Reads a value satisfying one of the comparisons.
    Wait {
        /// Result.
        dst: Option<RegId>,
        /// Comparisons of the value with integers.
        any_of: Vec<(CmpOp, i64)>,
        /// Order.
        mode: Mode,
    },
    /// Reads one value and writes another.
    BlockingCas {
        /// Value read.
        expected: Value,
        /// Value written.
        desired: Value,
        /// Order.
        mode: Mode,
    },
    /// Reads any value and writes it back: `fence(sc)` on its hidden location.
    Fence,
}

impl Access {
    /// Is it a plain access, to a non-atomic location?
    pub fn is_plain(&self) -> bool {
        matches!(self.action, Action::Read { mode: Mode::Na, .. } | Action::Write { mode: Mode::Na, .. })
    }

    /// Does the label say that a compare-and-swap has failed?
    pub fn is_failed_update(&self, label: &Label) -> bool {
        matches!(self.action, Action::Cas { .. }) && !label.is_write()
    }

    /// Is it a plain or atomic store, which does not read?
    pub fn is_store(&self) -> bool {
        matches!(self.action, Action::Write { .. })
    }
}

/// Runs threads of one program. The model says which fences are accesses.
#[derive(Clone, Copy)]
pub struct Interpreter<'a> {
    program: &'a Program,
    model: &'a dyn Model,
}

/// A local step, or why there is none.
enum Local {
    Continue(Pc),
    Rest(Rest),
}

impl<'a> Interpreter<'a> {
    /// An interpreter of `program`, with fences as in `model`.
    pub fn new(program: &'a Program, model: &'a dyn Model) -> Self {
        Interpreter { program, model }
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// The state of `thread` at the first point where it rests.
    pub fn initial(&self, thread: ThreadId) -> ThreadState {
        let registers = self.program.thread(thread).registers.iter().map(|register| register.init).collect();
        self.settle(thread, ThreadState { pc: Pc(0), registers }).0
    }

    /// Why the thread rests in `state`, a state it rests in.
    pub fn rest(&self, thread: ThreadId, state: &ThreadState) -> Rest {
        self.settle(thread, state.clone()).1
    }

    /// ε*: runs local steps up to the next point of rest.
    pub fn settle(&self, thread: ThreadId, state: ThreadState) -> (ThreadState, Rest) {
        self.settle_visiting(thread, state, &mut |_| {})
    }

    /// As [`Interpreter::settle`], telling `visit` of every local instruction on the way before it
    /// is executed.
    pub fn settle_visiting(
        &self,
        thread: ThreadId,
        mut state: ThreadState,
        visit: &mut dyn FnMut(Pc),
    ) -> (ThreadState, Rest) {
        // A run of local steps that does not end repeats a state (Brent's
        // algorithm finds one without storing them all), and goes backwards.
        let mut landmark: Option<ThreadState> = None;
        let (mut backward, mut patience) = (0u64, 1u64);
        loop {
            match self.local_step(thread, &mut state) {
                Err(failure) => return (state, Rest::Failed(failure)),
                Ok(Local::Rest(rest)) => return (state, rest),
                Ok(Local::Continue(next)) => {
                    visit(state.pc);
                    let goes_back = next <= state.pc;
                    state.pc = next;
                    if goes_back {
                        if landmark.as_ref() == Some(&state) {
                            return (state, Rest::Diverging);
                        }
                        backward += 1;
                        if backward == patience {
                            landmark = Some(state.clone());
                            patience *= 2;
                            backward = 0;
                        }
                    }
                }
            }
        }
    }

    fn local_step(&self, thread: ThreadId, state: &mut ThreadState) -> Result<Local, ScFailureKind> {
        let next = Pc(state.pc.0 + 1);
        let rest = |rest| Ok(Local::Rest(rest));
        match &self.program.instr(thread, state.pc).op {
            Op::Assign { dst, value } => {
                state.registers[dst.index()] = self.value(value, state)?;
                Ok(Local::Continue(next))
            }
            Op::Jump { target } => Ok(Local::Continue(*target)),
            Op::Branch { cond, target } => {
                let holds = self.integer(cond, state)? != 0;
                Ok(Local::Continue(if holds { *target } else { next }))
            }
            // Beyond a bound nothing is known: the thread stops.
            Op::Assume { cond } | Op::Bound { cond } => match self.integer(cond, state)? {
                0 => rest(Rest::Blocked),
                _ => Ok(Local::Continue(next)),
            },
            Op::Assert { cond } => match self.integer(cond, state)? {
                0 => Err(ScFailureKind::Assertion),
                _ => Ok(Local::Continue(next)),
            },
            // `verify` asks what its value depends on, and does nothing, not even divide by zero.
            Op::Verify { .. } => Ok(Local::Continue(next)),
            Op::Enter => rest(Rest::Enter(self.model.buffers().map(|_| EMPTIES_BUFFERS).into_iter().collect())),
            Op::Leave => rest(Rest::Leave),
            Op::LightFence { locations } => match (self.model.light_fences(), locations) {
                (LightFences::Ignored, _) => Ok(Local::Continue(next)),
                (LightFences::Listed, Some(locations)) => {
                    rest(Rest::Fence(locations.iter().map(|&loc| Label::LightFence { loc: Some(loc) }).collect()))
                }
                (LightFences::All, _) | (LightFences::Listed, None) => {
                    rest(Rest::Fence(vec![Label::LightFence { loc: None }]))
                }
            },
            Op::Fence { order } => match self.model.fence(*order) {
                FenceMeaning::Nothing => Ok(Local::Continue(next)),
                FenceMeaning::Event => rest(Rest::Fence(vec![Label::Fence { mode: (*order).into() }])),
                FenceMeaning::Light => rest(Rest::Fence(vec![Label::LightFence { loc: None }])),
                FenceMeaning::HiddenRmw => {
                    rest(Rest::Access(Access { loc: self.fence(*order), action: Action::Fence }))
                }
            },
            Op::Choose { targets } => rest(Rest::Choose(targets.clone())),
            Op::Nondet { dst, low, high } => {
                rest(Rest::Nondet { dst: *dst, low: self.value(low, state)?, high: self.value(high, state)? })
            }
            Op::Halt => rest(Rest::Halted),
            op => rest(Rest::Access(self.access(op, state)?)),
        }
    }

    fn access(&self, op: &Op, state: &ThreadState) -> Result<Access, ScFailureKind> {
        let place = op.place().expect("all other instructions are local");
        let loc = self.locate(place, state)?;
        let action = match op {
            Op::Load { dst, order, .. } => Action::Read { dst: *dst, mode: (*order).into() },
            Op::Store { value, order, .. } => Action::Write { value: self.value(value, state)?, mode: (*order).into() },
            Op::Update { dst, function, operand, order, .. } => Action::Update {
                dst: *dst,
                function: *function,
                operand: self.value(operand, state)?,
                mode: (*order).into(),
            },
            Op::Cas { dst, expected, desired, success, failure, strength, .. } => Action::Cas {
                dst: *dst,
                expected: self.value(expected, state)?,
                desired: self.value(desired, state)?,
                success: (*success).into(),
                failure: (*failure).into(),
                strength: *strength,
            },
            Op::Wait { dst, condition, order, .. } => {
                let comparison = |(cmp, expr): &(CmpOp, Expr)| Ok((*cmp, self.integer(expr, state)?));
                let any_of = condition.any_of.iter().map(comparison).collect::<Result<_, ScFailureKind>>()?;
                Action::Wait { dst: *dst, any_of, mode: (*order).into() }
            }
            Op::BlockingCas { expected, desired, order, .. } => Action::BlockingCas {
                expected: self.value(expected, state)?,
                desired: self.value(desired, state)?,
                mode: (*order).into(),
            },
            Op::PlainLoad { dst, .. } => Action::Read { dst: Some(*dst), mode: Mode::Na },
            Op::PlainStore { value, .. } => Action::Write { value: self.value(value, state)?, mode: Mode::Na },
            _ => unreachable!("instructions with a place are accesses"),
        };
        Ok(Access { loc, action })
    }

    /// What the thread enables at `access` when the predecessor write has value `old`: labels, each
    /// with the state at the next point of rest. None when the access blocks on this value.
    pub fn labels(
        &self,
        thread: ThreadId,
        state: &ThreadState,
        access: &Access,
        old: Value,
    ) -> Vec<(Label, ThreadState)> {
        let loc = access.loc;
        let read = |mode| Label::Read { loc, value: old, mode };
        let rmw = |written, mode| Label::Rmw { loc, read: old, written, mode };
        let mut result = None;
        let labels = match &access.action {
            Action::Read { dst, mode } => {
                result = *dst;
                vec![read(*mode)]
            }
            Action::Write { value, mode } => vec![Label::Write { loc, value: *value, mode: *mode }],
            Action::Update { dst, function, operand, mode } => {
                result = *dst;
                vec![rmw(self.program.reduce(function.apply(old, i64::from(*operand))), *mode)]
            }
            Action::Cas { dst, expected, desired, success, failure, strength } => {
                result = *dst;
                let swapped = (old == *expected).then(|| rmw(*desired, *success));
                let may_fail = old != *expected || *strength == CasStrength::Weak;
                swapped.into_iter().chain(may_fail.then(|| read(*failure))).collect()
            }
            Action::Wait { dst, any_of, mode } => {
                result = *dst;
                let holds = any_of.iter().any(|&(cmp, right)| cmp.holds(i64::from(old), right));
                holds.then(|| read(*mode)).into_iter().collect()
            }
            Action::BlockingCas { expected, desired, mode } => {
                (old == *expected).then(|| rmw(*desired, *mode)).into_iter().collect()
            }
            Action::Fence => vec![rmw(old, Mode::Full)],
        };
        if labels.is_empty() {
            return Vec::new();
        }
        let mut after = state.clone();
        if let Some(dst) = result {
            after.registers[dst.index()] = old;
        }
        after.pc = Pc(state.pc.0 + 1);
        let after = self.settle(thread, after).0;
        labels.into_iter().map(|label| (label, after.clone())).collect()
    }

    /// Adds the event of a step to `graph`, and before it the fence that a failed compare-and-swap
    /// is besides in a model with store buffers: these are empty then, as when it succeeds.
    pub fn record(
        &self,
        graph: &mut Graph,
        (thread, pc): (ThreadId, Option<Pc>),
        access: &Access,
        label: Label,
        predecessor: EventId,
    ) -> EventId {
        if self.model.buffers().is_some() && access.is_failed_update(&label) {
            graph.add(thread, EMPTIES_BUFFERS, None, pc);
        }
        graph.add(thread, label, Some(predecessor), pc)
    }

    /// Is `loc` accessed by plain loads and stores that the model tells from others?
    pub fn is_nonatomic(&self, loc: LocId) -> bool {
        self.program.location(loc).kind == LocationKind::NonAtomic && self.model.buffers().is_none()
    }

    /// The state at the next point of rest after the fence, or the end of an atomic section, that
    /// the thread rests at.
    pub fn pass_fence(&self, thread: ThreadId, state: &ThreadState) -> ThreadState {
        let after = ThreadState { pc: Pc(state.pc.0 + 1), registers: state.registers.clone() };
        self.settle(thread, after).0
    }

    /// The silent steps from a choice: which alternative or value, and the state at the next point
    /// of rest.
    pub fn choices(&self, thread: ThreadId, state: &ThreadState, rest: &Rest) -> Vec<(u32, ThreadState)> {
        match rest {
            Rest::Choose(targets) => (0..targets.len() as u32)
                .map(|index| (index, self.choose(thread, state, rest, index).expect("one of the targets")))
                .collect(),
            Rest::Nondet { low, high, .. } => {
                let take = |value| self.choose(thread, state, rest, value).expect("a value within the bounds");
                (*low..=*high).map(|value| (value, take(value))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The silent step from a choice that takes alternative, or value, `choice`; none when there is
    /// no such step.
    pub fn choose(&self, thread: ThreadId, state: &ThreadState, rest: &Rest, choice: u32) -> Option<ThreadState> {
        let mut after = state.clone();
        match rest {
            Rest::Choose(targets) => after.pc = *targets.get(choice as usize)?,
            Rest::Nondet { dst, low, high } => {
                if !(*low..=*high).contains(&choice) {
                    return None;
                }
                after.registers[dst.index()] = choice;
                after.pc = Pc(state.pc.0 + 1);
            }
            _ => return None,
        }
        Some(self.settle(thread, after).0)
    }

    fn fence(&self, order: FenceOrder) -> LocId {
        self.program.fence_location().unwrap_or_else(|| panic!("no hidden location for fence({order})"))
    }

    fn locate(&self, place: &Place, state: &ThreadState) -> Result<LocId, ScFailureKind> {
        match place {
            Place::Fixed(loc) => Ok(*loc),
            Place::Element { array, index } => {
                let index = self.integer(index, state)?;
                let array = self.program.array(*array);
                match u32::try_from(index) {
                    Ok(offset) if offset < array.len => Ok(LocId(array.base.0 + offset)),
                    _ => Err(ScFailureKind::IndexOutOfRange { index, length: array.len }),
                }
            }
        }
    }

    fn integer(&self, expr: &Expr, state: &ThreadState) -> Result<i64, ScFailureKind> {
        expr.eval(&state.registers, self.program.domain()).map_err(failure)
    }

    fn value(&self, expr: &Expr, state: &ThreadState) -> Result<Value, ScFailureKind> {
        expr.value(&state.registers, self.program.domain()).map_err(failure)
    }
}

fn failure(error: EvalError) -> ScFailureKind {
    match error {
        EvalError::DivisionByZero => ScFailureKind::DivisionByZero,
    }
}
