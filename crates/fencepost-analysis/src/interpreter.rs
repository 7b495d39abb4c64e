//! What a thread does between its accesses, whatever memory is like.
//!
//! Modelled: registers and control, up to the next resting point: an access, a fence that the model
//! knows, a choice, the border of an atomic section, or the end. Expressions of an access are
//! evaluated before it, the index first. Not modelled: memory.
//!
//! For engines that know threads and memory apart. Shares nothing with the interpreter of the
//! oracle, which replays what they find.

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Pc, RegId, ThreadId, Value};
use fencepost_base::order::{FenceOrder, Mode};
use fencepost_ir::{CasStrength, CmpOp, EvalError, Expr, Op, Place, Program, RmwFunction};
use fencepost_model::{FenceMeaning, LightFences, Model};
use fencepost_verdict::{Budget, Reason, ScFailureKind};

/// Most values that one step may choose from.
pub const MOST_CHOICES: i64 = 1 << 20;

/// Why a step with more of them is not looked at.
pub fn too_many_choices() -> Reason {
    Reason::TooLarge(format!("one step chooses from more than {MOST_CHOICES} values"))
}

/// Local steps between two looks at the clock.
const BETWEEN_LOOKS: u64 = 1 << 14;

/// A local state: ⟨pc, Φ⟩
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Local {
    /// The next instruction.
    pub pc: Pc,
    /// The content of the registers.
    pub registers: Vec<Value>,
}

impl Local {
    /// Behind the instruction at which the thread rests.
    #[must_use]
    pub fn passed(&self) -> Local {
        Local { pc: Pc(self.pc.0 + 1), registers: self.registers.clone() }
    }

    /// Behind the access at which the thread rests, when the write before it has value `old`.
    #[must_use]
    pub fn accessed(&self, access: &Access, old: Value) -> Local {
        let mut after = self.passed();
        if let Some(dst) = access.dst {
            after.registers[dst.index()] = old;
        }
        after
    }

    /// After a choice.
    #[must_use]
    pub fn chosen(&self, choice: &Choice, alternative: u32) -> Local {
        match choice {
            Choice::Ways(targets) => Local { pc: targets[alternative as usize], registers: self.registers.clone() },
            Choice::Values { dst, .. } => {
                let mut after = self.passed();
                after.registers[dst.index()] = alternative;
                after
            }
        }
    }
}

/// Why a thread rests.
#[derive(Clone, Debug)]
pub enum Rest {
    /// It is about to access memory.
    Access(Access),
    /// A fence: the events it is.
    Fence(Vec<Label>),
    /// An atomic section begins.
    Enter,
    /// An atomic section ends.
    Leave,
    /// It chooses how to go on.
    Choice(Choice),
    /// It is done.
    Halted,
    /// For ever: an assumption does not hold, or local steps have no end.
    Stuck,
    /// The program is not modelled beyond this.
    Bound,
    /// An assertion does not hold, or a run-time error.
    Failed(ScFailureKind),
}

/// Alternatives, in the order of their numbers.
#[derive(Clone, Debug)]
pub enum Choice {
    /// Instructions to go on with.
    Ways(Vec<Pc>),
    /// Values of a register; a value is its own number.
    Values {
        /// The register.
        dst: RegId,
        /// Least value.
        low: Value,
        /// Greatest value.
        high: Value,
    },
}

impl Choice {
    /// The numbers of the alternatives.
    pub fn alternatives(&self) -> impl Iterator<Item = u32> + use<> {
        match self {
            Choice::Ways(targets) => 0..=(targets.len() as u32 - 1),
            Choice::Values { low, high, .. } => *low..=*high,
        }
    }
}

/// An access, its place and operands evaluated.
#[derive(Clone, Debug)]
pub struct Access {
    /// The location.
    pub loc: LocId,
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
    pub fn is_store(&self) -> bool {
        matches!(self.kind, Kind::Store(..))
    }

    /// Is it a load, blocking or not?
    pub fn is_load(&self) -> bool {
        matches!(self.kind, Kind::Load(_) | Kind::Wait(..))
    }

    /// The orders that it can read with.
    pub fn reading_modes(&self) -> impl Iterator<Item = Mode> + use<> {
        let (one, other) = match &self.kind {
            Kind::Load(mode) | Kind::Wait(mode, _) | Kind::Update(mode, ..) => (Some(*mode), None),
            Kind::Store(..) => (None, None),
            Kind::Cas { success, failure, .. } => (Some(*success), failure.map(|(mode, _)| mode)),
            Kind::Fence => (Some(Mode::Full), None),
        };
        one.into_iter().chain(other)
    }

    /// Does the label say that it is a compare-and-swap that has failed?
    pub fn is_failed_update(&self, label: &Label) -> bool {
        matches!(self.kind, Kind::Cas { .. }) && !label.is_write()
    }

    /// What it can be when the write before it has value `old`.
    pub fn labels(&self, old: Value, program: &Program) -> Vec<Label> {
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

/// Follows the threads of a program in a model, as long as the budget's time goes.
#[derive(Clone, Copy)]
pub struct Interpreter<'a> {
    program: &'a Program,
    model: &'a dyn Model,
    budget: &'a Budget<'a>,
}

impl<'a> Interpreter<'a> {
    /// Of `program` in `model`.
    pub fn new(program: &'a Program, model: &'a dyn Model, budget: &'a Budget<'a>) -> Self {
        Interpreter { program, model, budget }
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// The budget.
    pub fn budget(&self) -> &'a Budget<'a> {
        self.budget
    }

    /// Where a thread starts.
    pub fn start(&self, thread: ThreadId) -> Local {
        let registers = self.program.thread(thread).registers.iter().map(|register| register.init).collect();
        Local { pc: Pc(0), registers }
    }

    /// Runs local steps up to the next resting point.
    ///
    /// # Errors
    /// When the time is up, or there are too many values to choose from.
    pub fn settle(&self, thread: ThreadId, mut local: Local) -> Result<(Local, Rest), Reason> {
        // Local steps are deterministic, so those that have no end come back to a state that is
        // kept long enough (Brent's algorithm).
        let (mut kept, mut until) = (None, 1);
        for step in 1u64.. {
            let before = local.pc;
            match self.step(thread, &mut local) {
                Err(failure) => return Ok((local, Rest::Failed(failure))),
                Ok(Some(Rest::Choice(Choice::Values { low, high, .. })))
                    if i64::from(high) - i64::from(low) >= MOST_CHOICES =>
                {
                    return Err(too_many_choices());
                }
                Ok(Some(rest)) => return Ok((local, rest)),
                Ok(None) if local.pc > before => {}
                Ok(None) if kept.as_ref() == Some(&local) => return Ok((local, Rest::Stuck)),
                Ok(None) if step >= until => (kept, until) = (Some(local.clone()), 2 * step),
                Ok(None) => {}
            }
            if step.is_multiple_of(BETWEEN_LOOKS) && (self.budget.expired)() {
                return Err(Reason::Time);
            }
        }
        unreachable!("there are fewer steps than numbers")
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
            Op::Choose { targets } => return Ok(Some(Rest::Choice(Choice::Ways(targets.clone())))),
            Op::Nondet { dst, low, high } => {
                let (low, high) = (value(low)?, value(high)?);
                let choice = Choice::Values { dst: *dst, low, high };
                return Ok(Some(if low > high { Rest::Stuck } else { Rest::Choice(choice) }));
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

fn failure(error: EvalError) -> ScFailureKind {
    match error {
        EvalError::DivisionByZero => ScFailureKind::DivisionByZero,
    }
}
