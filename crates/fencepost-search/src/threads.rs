//! The threads of a program as tables of local states, filled as they are needed.
//!
//! Modelled: registers and control, up to the next resting point: an access, a
//! fence that the model knows, a choice, the border of an atomic section, or the end. A local state
//! has a number, so that states of a search are short; what a thread does next
//! when it reads a value is computed once.
//!
//! Expressions of an access are evaluated before it, the index first. Not
//! modelled: memory. Shares nothing with the interpreter of the oracle, which replays what is found here.

use std::collections::HashSet;
use std::rc::Rc;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Pc, RegId, ThreadId, Value};
use fencepost_base::order::{FenceOrder, Mode};
use fencepost_ir::{CasStrength, CmpOp, EvalError, Expr, Op, Place, Program, RmwFunction};
use fencepost_model::{EventId, FenceMeaning, Graph, LightFences, Model};
use fencepost_verdict::{ScFailureKind, Site};
use foldhash::HashMap;

/// The number of a local state of a thread.
pub(crate) type StateId = u32;

/// What a thread can do, and its state afterwards.
pub(crate) type Outcomes = Rc<[(Label, StateId)]>;

/// ⟨pc, Φ⟩
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Local {
    pub(crate) pc: Pc,
    pub(crate) registers: Vec<Value>,
}

/// Why a thread rests.
#[derive(Clone, Debug)]
pub(crate) enum Rest {
    Access(Access),
    /// A fence: the events it is.
    Fence(Vec<Label>),
    Enter,
    Leave,
    /// Alternatives or values, and where they lead before the thread runs on.
    Choice(Vec<(u32, Local)>),
    Halted,
    /// For ever: an assumption does not hold, or local steps have no end.
    Stuck,
    /// The program is not modelled beyond this.
    Bound,
    Failed(ScFailureKind),
}

/// An access, its place and operands evaluated.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) loc: LocId,
    dst: Option<RegId>,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Load(Mode),
    /// A load that blocks until one of the comparisons holds.
    Wait(Mode, Vec<(CmpOp, i64)>),
    Store(Mode, Value),
    Update(Mode, RmwFunction, Value),
    /// A compare-and-swap; one that cannot fail blocks.
    Cas {
        expected: Value,
        desired: Value,
        success: Mode,
        failure: Option<(Mode, CasStrength)>,
    },
    /// `fence(sc)` as an update of its hidden location.
    Fence,
}

impl Access {
    /// Does it write without reading?
    pub(crate) fn is_store(&self) -> bool {
        matches!(self.kind, Kind::Store(..))
    }

    /// Is it a load, blocking or not?
    pub(crate) fn is_load(&self) -> bool {
        matches!(self.kind, Kind::Load(_) | Kind::Wait(..))
    }

    /// Does the label say that it is a compare-and-swap that has failed?
    pub(crate) fn is_failed_update(&self, label: &Label) -> bool {
        matches!(self.kind, Kind::Cas { .. }) && !label.is_write()
    }

    /// What it can be when the write before it has value `old`.
    fn labels(&self, old: Value, program: &Program) -> Vec<Label> {
        let loc = self.loc;
        let read = |mode| Label::Read { loc, value: old, mode };
        let rmw = |written, mode| Label::Rmw { loc, read: old, written, mode };
        match &self.kind {
            Kind::Load(mode) => vec![read(*mode)],
            Kind::Wait(mode, any_of) => {
                let holds = any_of.iter().any(|&(cmp, right)| cmp.holds(i64::from(old), right));
                holds.then(|| read(*mode)).into_iter().collect()
            }
            Kind::Store(mode, value) => vec![Label::Write { loc, value: *value, mode: *mode }],
            Kind::Update(mode, function, operand) => {
                vec![rmw(program.reduce(function.apply(old, i64::from(*operand))), *mode)]
            }
            Kind::Cas { expected, desired, success, failure } => {
                let swaps = (old == *expected).then(|| rmw(*desired, *success));
                let fails = failure.filter(|(_, strength)| old != *expected || *strength == CasStrength::Weak);
                swaps.into_iter().chain(fails.map(|(mode, _)| read(mode))).collect()
            }
            Kind::Fence => vec![rmw(old, Mode::Full)],
        }
    }
}

/// The tables of all threads.
pub(crate) struct Threads<'a> {
    program: &'a Program,
    model: &'a dyn Model,
    tables: Vec<Table>,
}

#[derive(Default)]
struct Table {
    states: Vec<Local>,
    rests: Vec<Rc<Rest>>,
    ids: HashMap<Local, StateId>,
    /// For every state, what follows when it reads a value; a store reads nothing, and has one entry.
    outcomes: Vec<Vec<(Value, Outcomes)>>,
}

impl<'a> Threads<'a> {
    pub(crate) fn new(program: &'a Program, model: &'a dyn Model) -> Self {
        Threads { program, model, tables: program.threads().iter().map(|_| Table::default()).collect() }
    }

    pub(crate) fn program(&self) -> &'a Program {
        self.program
    }

    /// The states in which the threads rest first.
    pub(crate) fn initial(&mut self) -> Vec<StateId> {
        let program = self.program;
        let start = |thread| {
            let registers = program.thread(thread).registers.iter().map(|register| register.init).collect();
            (thread, Local { pc: Pc(0), registers })
        };
        program.thread_ids().map(start).map(|(thread, local)| self.run_on(thread, local)).collect()
    }

    pub(crate) fn local(&self, thread: ThreadId, id: StateId) -> &Local {
        &self.tables[thread.index()].states[id as usize]
    }

    pub(crate) fn rest(&self, thread: ThreadId, id: StateId) -> Rc<Rest> {
        Rc::clone(&self.tables[thread.index()].rests[id as usize])
    }

    /// As [`Threads::rest`], for a look.
    pub(crate) fn rest_of(&self, thread: ThreadId, id: StateId) -> &Rest {
        &self.tables[thread.index()].rests[id as usize]
    }

    pub(crate) fn site(&self, thread: ThreadId, id: StateId) -> Site {
        Site { thread, pc: self.local(thread, id).pc }
    }

    /// What the thread can do at its access when the write before it has value `old`.
    pub(crate) fn outcomes(&mut self, thread: ThreadId, id: StateId, access: &Access, old: Value) -> Outcomes {
        let key = if access.is_store() { 0 } else { old };
        let known = &self.tables[thread.index()].outcomes[id as usize];
        if let Some((_, outcomes)) = known.iter().find(|(value, _)| *value == key) {
            return Rc::clone(outcomes);
        }
        let labels = access.labels(old, self.program);
        let mut after = self.local(thread, id).clone();
        after.pc.0 += 1;
        if let Some(dst) = access.dst {
            after.registers[dst.index()] = old;
        }
        let outcomes: Outcomes = match labels.is_empty() {
            true => Rc::new([]),
            false => {
                let after = self.run_on(thread, after);
                labels.into_iter().map(|label| (label, after)).collect()
            }
        };
        self.tables[thread.index()].outcomes[id as usize].push((key, Rc::clone(&outcomes)));
        outcomes
    }

    /// The states after a choice.
    pub(crate) fn chosen(&mut self, thread: ThreadId, choices: &[(u32, Local)]) -> Vec<(u32, StateId)> {
        choices.iter().map(|(choice, local)| (*choice, self.run_on(thread, local.clone()))).collect()
    }

    /// The state after the fence, or the border of a section, at which the thread rests.
    pub(crate) fn pass(&mut self, thread: ThreadId, id: StateId) -> StateId {
        let mut after = self.local(thread, id).clone();
        after.pc.0 += 1;
        self.run_on(thread, after)
    }

    /// Runs local steps up to the next resting point, which has a number.
    fn run_on(&mut self, thread: ThreadId, local: Local) -> StateId {
        let (local, rest) = self.settle(thread, local);
        let table = &mut self.tables[thread.index()];
        if let Some(&id) = table.ids.get(&local) {
            return id;
        }
        let id = StateId::try_from(table.states.len()).expect("fewer local states than fit into memory");
        table.ids.insert(local.clone(), id);
        table.states.push(local);
        table.rests.push(Rc::new(rest));
        table.outcomes.push(Vec::new());
        id
    }

    fn settle(&self, thread: ThreadId, mut local: Local) -> (Local, Rest) {
        let mut passed: HashSet<Local> = HashSet::new();
        loop {
            let before = local.pc;
            match self.step(thread, &mut local) {
                Err(failure) => return (local, Rest::Failed(failure)),
                Ok(Some(rest)) => return (local, rest),
                Ok(None) if local.pc <= before && !passed.insert(local.clone()) => return (local, Rest::Stuck),
                Ok(None) => {}
            }
        }
    }

    /// One local step; a reason to rest where there is none.
    fn step(&self, thread: ThreadId, local: &mut Local) -> Result<Option<Rest>, ScFailureKind> {
        let next = Pc(local.pc.0 + 1);
        let domain = self.program.domain();
        let integer = |expr: &Expr| expr.eval(&local.registers, domain).map_err(failure);
        let value = |expr: &Expr| expr.value(&local.registers, domain).map_err(failure);
        let mut target = next;
        match &self.program.instr(thread, local.pc).op {
            Op::Assign { dst, value: expr } => {
                let value = value(expr)?;
                local.registers[dst.index()] = value;
            }
            Op::Jump { target: to } => target = *to,
            Op::Branch { cond, target: to } => {
                if integer(cond)? != 0 {
                    target = *to;
                }
            }
            Op::Assume { cond } if integer(cond)? == 0 => return Ok(Some(Rest::Stuck)),
            Op::Bound { cond } if integer(cond)? == 0 => return Ok(Some(Rest::Bound)),
            Op::Assert { cond } if integer(cond)? == 0 => return Err(ScFailureKind::Assertion),
            Op::Assume { .. } | Op::Bound { .. } | Op::Assert { .. } | Op::Verify { .. } => {}
            Op::Fence { order } => {
                if let Some(rest) = self.fence(*order) {
                    return Ok(Some(rest));
                }
            }
            Op::LightFence { locations } => match (self.model.light_fences(), locations) {
                (LightFences::Ignored, _) => {}
                (LightFences::Listed, Some(list)) => {
                    let labels = list.iter().map(|&loc| Label::LightFence { loc: Some(loc) }).collect();
                    return Ok(Some(Rest::Fence(labels)));
                }
                (LightFences::All, _) | (LightFences::Listed, None) => {
                    return Ok(Some(Rest::Fence(vec![Label::LightFence { loc: None }])));
                }
            },
            Op::Enter => return Ok(Some(Rest::Enter)),
            Op::Leave => return Ok(Some(Rest::Leave)),
            Op::Halt => return Ok(Some(Rest::Halted)),
            Op::Choose { targets } => {
                let to = |(index, &pc): (usize, &Pc)| (index as u32, Local { pc, registers: local.registers.clone() });
                return Ok(Some(Rest::Choice(targets.iter().enumerate().map(to).collect())));
            }
            Op::Nondet { dst, low, high } => {
                let (low, high) = (value(low)?, value(high)?);
                let taking = |value: Value| {
                    let mut registers = local.registers.clone();
                    registers[dst.index()] = value;
                    (value, Local { pc: next, registers })
                };
                let choices: Vec<(u32, Local)> = (low..=high).map(taking).collect();
                return Ok(Some(if choices.is_empty() { Rest::Stuck } else { Rest::Choice(choices) }));
            }
            op => return self.access(op, &integer, &value).map(|access| Some(Rest::Access(access))),
        }
        local.pc = target;
        Ok(None)
    }

    /// What a fence is, if it is anything.
    fn fence(&self, order: FenceOrder) -> Option<Rest> {
        match self.model.fence(order) {
            FenceMeaning::Nothing => None,
            FenceMeaning::Event => Some(Rest::Fence(vec![Label::Fence { mode: order.into() }])),
            FenceMeaning::Light => Some(Rest::Fence(vec![Label::LightFence { loc: None }])),
            FenceMeaning::HiddenRmw => {
                let loc = self.program.fence_location().expect("programs with such a fence have its location");
                Some(Rest::Access(Access { loc, dst: None, kind: Kind::Fence }))
            }
        }
    }

    fn access(
        &self,
        op: &Op,
        integer: &dyn Fn(&Expr) -> Result<i64, ScFailureKind>,
        value: &dyn Fn(&Expr) -> Result<Value, ScFailureKind>,
    ) -> Result<Access, ScFailureKind> {
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
        let kind = match op {
            Op::Load { order, .. } => Kind::Load((*order).into()),
            Op::PlainLoad { .. } => Kind::Load(Mode::Na),
            Op::Store { value: expr, order, .. } => Kind::Store((*order).into(), value(expr)?),
            Op::PlainStore { value: expr, .. } => Kind::Store(Mode::Na, value(expr)?),
            Op::Update { function, operand, order, .. } => Kind::Update((*order).into(), *function, value(operand)?),
            Op::Cas { expected, desired, success, failure, strength, .. } => Kind::Cas {
                expected: value(expected)?,
                desired: value(desired)?,
                success: (*success).into(),
                failure: Some(((*failure).into(), *strength)),
            },
            Op::BlockingCas { expected, desired, order, .. } => Kind::Cas {
                expected: value(expected)?,
                desired: value(desired)?,
                success: (*order).into(),
                failure: None,
            },
            Op::Wait { condition, order, .. } => {
                let comparison = |(cmp, expr): &(CmpOp, Expr)| Ok((*cmp, integer(expr)?));
                let any_of = condition.any_of.iter().map(comparison).collect::<Result<_, ScFailureKind>>()?;
                Kind::Wait((*order).into(), any_of)
            }
            op => unreachable!("{op:?} is no access"),
        };
        Ok(Access { loc, dst: op.dst(), kind })
    }
}

/// Adds the event of an access. With store buffers a compare-and-swap that fails empties them, as a fence does.
pub(crate) fn record(
    model: &dyn Model,
    graph: &mut Graph,
    thread: ThreadId,
    access: &Access,
    label: Label,
    w: EventId,
) -> EventId {
    if model.buffers().is_some() && access.is_failed_update(&label) {
        graph.add(thread, Label::Fence { mode: Mode::Full }, None, None);
    }
    graph.add(thread, label, Some(w), None)
}

/// The value of a write.
pub(crate) fn value_of(graph: &Graph, write: EventId) -> Value {
    graph.label(write).value_written().expect("a write")
}

fn failure(error: EvalError) -> ScFailureKind {
    match error {
        EvalError::DivisionByZero => ScFailureKind::DivisionByZero,
    }
}
