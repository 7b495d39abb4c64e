//! Programs as step tables over packed states.

use fencepost_analysis::liveness;
use fencepost_analysis::values::PossibleValues;
use fencepost_base::ids::{ArrayId, LocId, Pc, RegId, ThreadId, Value};
use fencepost_base::order::Mode;
use fencepost_ir::{
    BinaryOp, CasStrength, CmpOp, EvalError, Expr, Op, Place, Program, RmwFunction, Thread, UnaryOp, WaitCondition,
};
use fencepost_model::packed::{Layout, Slot, bits_for};
use fencepost_model::{FenceMeaning, Model};

use crate::options::Options;

/// An expression whose registers are slots.
#[derive(Debug)]
pub(crate) enum Code {
    Const(i64),
    Reg(Slot),
    Unary(UnaryOp, Box<Code>),
    Binary(BinaryOp, Box<Code>, Box<Code>),
    Wrap(Box<Code>, i64),
}

impl Code {
    /// The integer this denotes in `state`.
    pub(crate) fn eval(&self, state: &[u64]) -> Result<i64, EvalError> {
        match self {
            Code::Const(value) => Ok(*value),
            Code::Reg(slot) => Ok(slot.get(state) as i64),
            Code::Unary(op, operand) => Ok(op.apply(operand.eval(state)?)),
            Code::Binary(op, left, right) => {
                let left = left.eval(state)?;
                match op {
                    BinaryOp::And if left == 0 => Ok(0),
                    BinaryOp::Or if left != 0 => Ok(1),
                    _ => op.apply(left, right.eval(state)?),
                }
            }
            Code::Wrap(operand, domain) => {
                let integer = operand.eval(state)?;
                // Divisions are slow, and hardly ever needed here.
                Ok(if (0..*domain).contains(&integer) { integer } else { integer.rem_euclid(*domain) })
            }
        }
    }
}

/// Where an access goes.
#[derive(Debug)]
pub(crate) enum Target {
    Fixed(LocId),
    Element { base: LocId, len: u32, index: Code },
}

/// What an access does.
#[derive(Debug)]
pub(crate) enum AccessKind {
    Load(Mode),
    Store(Code, Mode),
    Update(RmwFunction, Code, Mode),
    Cas {
        expected: Code,
        desired: Code,
        success: Mode,
        failure: Mode,
        strength: CasStrength,
    },
    Wait(Vec<(CmpOp, Code)>, Mode),
    BlockingCas {
        expected: Code,
        desired: Code,
        mode: Mode,
    },
    /// `fence(sc)`: an update that changes nothing.
    FenceUpdate,
}

impl AccessKind {
    /// Can it be a read whose value nobody may ever use? A wait and a failing strong
    /// compare-and-swap decide something.
    pub(crate) fn is_speculative(&self) -> bool {
        matches!(self, AccessKind::Load(_) | AccessKind::Cas { strength: CasStrength::Weak, .. })
    }

    /// Can it be a read-modify-write?
    pub(crate) fn updates(&self) -> bool {
        !matches!(self, AccessKind::Store(..)) && self.write_mode().is_some()
    }

    /// The order of a plain read of it, as a load, a wait or a failed compare-and-swap makes.
    pub(crate) fn read_mode(&self) -> Option<Mode> {
        match self {
            AccessKind::Load(mode) | AccessKind::Wait(_, mode) | AccessKind::Cas { failure: mode, .. } => Some(*mode),
            _ => None,
        }
    }

    /// The order of any read of it, an update's read half included; of several, one that does not
    /// acquire.
    pub(crate) fn read_half(&self) -> Option<Mode> {
        match self {
            AccessKind::Store(..) => None,
            AccessKind::Cas { success, failure, .. } if success.acquires() => Some(*failure),
            _ => self.write_mode().or(self.read_mode()),
        }
    }

    /// The order of a write or update of it.
    pub(crate) fn write_mode(&self) -> Option<Mode> {
        match self {
            AccessKind::Store(_, mode)
            | AccessKind::Update(_, _, mode)
            | AccessKind::Cas { success: mode, .. }
            | AccessKind::BlockingCas { mode, .. } => Some(*mode),
            AccessKind::FenceUpdate => Some(Mode::Full),
            AccessKind::Load(_) | AccessKind::Wait(..) => None,
        }
    }
}

/// How a location is accessed that can be accessed in two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mixed {
    /// By an atomic operation.
    Atomic,
    /// Plainly. To the monitor this is a relaxed access, which never is stale: it would race.
    Plain,
}

/// A memory access.
#[derive(Debug)]
pub(crate) struct Access {
    pub(crate) target: Target,
    pub(crate) kind: AccessKind,
    pub(crate) dst: Option<Slot>,
    /// Is it a plain access of a non-atomic location?
    pub(crate) plain: bool,
    /// How it accesses a location that is accessed plainly and by atomic operations.
    pub(crate) mixed: Option<Mixed>,
    /// Nobody else ever accesses its location: it is as local as a register.
    pub(crate) private: bool,
}

impl Access {
    /// May it be an access to `loc`?
    pub(crate) fn may_access(&self, loc: LocId) -> bool {
        self.target.locations().contains(&loc.index())
    }

    /// The location of all SC fences, if it is one.
    pub(crate) fn fence_location(&self) -> Option<LocId> {
        match (&self.kind, &self.target) {
            (AccessKind::FenceUpdate, Target::Fixed(loc)) => Some(*loc),
            _ => None,
        }
    }

    /// How it accesses its location.
    pub(crate) fn how(&self) -> Mixed {
        if self.plain { Mixed::Plain } else { self.mixed.unwrap_or(Mixed::Atomic) }
    }

    /// Can it be a read that writes nothing?
    pub(crate) fn reads(&self) -> bool {
        self.kind.read_mode().is_some()
    }

    /// Can it never write?
    pub(crate) fn only_reads(&self) -> bool {
        self.kind.write_mode().is_none()
    }
}

/// One compiled instruction. Threads rest at accesses, choices, sections and the end; everything
/// else runs through.
#[derive(Debug)]
pub(crate) enum Step {
    Assign(Slot, Code),
    Jump(u32),
    Branch(Code, u32),
    Assume(Code),
    Assert(Code),
    Skip,
    /// Does nothing, but must not use a tainted value.
    Verify,
    /// A fence that is an event of its own.
    Fence(Mode),
    Choose(Vec<u32>),
    Nondet(Slot, Code, Code),
    Access(Access),
    Bound(Code),
    /// Begins an atomic section.
    Enter,
    /// Ends an atomic section.
    Leave,
    Halt,
}

/// One compiled thread.
#[derive(Debug)]
pub(crate) struct CompiledThread {
    pub(crate) pc: Slot,
    pub(crate) registers: Vec<Slot>,
    pub(crate) steps: Vec<Step>,
    /// For every instruction, the registers to forget when the thread rests there, and their
    /// taints.
    pub(crate) dead: Vec<Vec<Slot>>,
    /// When taints are tracked.
    pub(crate) taints: Option<Taints>,
    /// For every instruction, those that can come next.
    pub(crate) next: Vec<Vec<u32>>,
}

/// One bit per register: does its value depend on a read that may be stale?
#[derive(Debug)]
pub(crate) struct Taints {
    pub(crate) registers: Vec<Slot>,
    /// For every instruction, the bits of the registers whose values it uses.
    pub(crate) used: Vec<Vec<Slot>>,
    /// For every instruction, the bit of the register it sets.
    pub(crate) set: Vec<Option<Slot>>,
    /// For every instruction, does it decide something within the thread? A division decides
    /// whether the thread goes on.
    pub(crate) decides: Vec<bool>,
}

impl CompiledThread {
    /// Does the instruction use a tainted value?
    pub(crate) fn uses_taint(&self, state: &[u64], pc: u32) -> bool {
        self.taints.as_ref().is_some_and(|taints| taints.used[pc as usize].iter().any(|slot| slot.get(state) == 1))
    }

    /// Does a tainted value decide something here, within the thread?
    pub(crate) fn decides_by_taint(&self, state: &[u64], pc: u32) -> bool {
        self.taints.as_ref().is_some_and(|taints| taints.decides[pc as usize]) && self.uses_taint(state, pc)
    }

    /// Is the thread, resting at `pc`, about to use a tainted value for more than an assignment?
    pub(crate) fn rests_at_tainted_use(&self, state: &[u64], pc: u32) -> bool {
        let silent = matches!(self.steps[pc as usize], Step::Assign(..));
        if silent { self.decides_by_taint(state, pc) } else { self.uses_taint(state, pc) }
    }

    /// Taints or clears the register that the instruction sets.
    pub(crate) fn set_taint(&self, state: &mut [u64], pc: u32, tainted: bool) {
        if let Some(slot) = self.taints.as_ref().and_then(|taints| taints.set[pc as usize]) {
            slot.set(state, u64::from(tainted));
        }
    }

    /// The access at `pc`, if there is one.
    pub(crate) fn access(&self, pc: u32) -> Option<&Access> {
        match self.steps.get(pc as usize) {
            Some(Step::Access(access)) => Some(access),
            _ => None,
        }
    }

    /// The accesses in its code.
    pub(crate) fn accesses(&self) -> impl Iterator<Item = &Access> {
        self.steps.iter().filter_map(|step| match step {
            Step::Access(access) => Some(access),
            _ => None,
        })
    }

    /// The orders of the fences in its code.
    pub(crate) fn fence_modes(&self) -> impl Iterator<Item = Mode> {
        self.steps.iter().filter_map(|step| match step {
            Step::Fence(mode) => Some(*mode),
            Step::Access(Access { kind: AccessKind::FenceUpdate, .. }) => Some(Mode::Full),
            _ => None,
        })
    }
}

impl Target {
    /// The locations it can be.
    pub(crate) fn locations(&self) -> std::ops::Range<usize> {
        match self {
            Target::Fixed(loc) => loc.index()..loc.index() + 1,
            Target::Element { base, len, .. } => base.index()..base.index() + *len as usize,
        }
    }
}

/// Instructions times registers up to which it is worth knowing which registers are dead.
const LARGEST_ANALYSIS: usize = 1 << 22;

/// Compiles one thread, reserving slots for its program counter and registers.
pub(crate) fn thread(
    program: &Program,
    model: &dyn Model,
    id: ThreadId,
    values: &PossibleValues,
    private: &[bool],
    options: Options,
    layout: &mut Layout,
) -> CompiledThread {
    let thread = program.thread(id);
    let pc = layout.slot(bits_for(thread.code.len() as u64 + 1));
    let registers: Vec<Slot> = (0..thread.registers.len())
        .map(|reg| layout.slot(bits_for(values.register(id, RegId::from_index(reg)).bound(program.domain()))))
        .collect();
    let mixed = program.mixed_locations();
    let compiler = Compiler { program, model, registers: &registers, private, mixed: &mixed };
    let steps = thread.code.iter().map(|instr| compiler.step(&instr.op)).collect();
    let taints = options.observational.then(|| taints(thread, program.domain(), layout));
    let small = thread.code.len().saturating_mul(registers.len()) <= LARGEST_ANALYSIS;
    let dead = if options.reductions.dead_registers && small {
        dead_slots(thread, &registers, taints.as_ref())
    } else {
        vec![Vec::new(); thread.code.len()]
    };
    let next = |pc: usize| thread.code[pc].op.successors(Pc::from_index(pc)).iter().map(|next| next.0).collect();
    CompiledThread { pc, registers, steps, dead, taints, next: (0..thread.code.len()).map(next).collect() }
}

/// For every location: does only one thread have accesses to it, none of them SC? No step of
/// another thread can tell when they happen. An array that is accessed with an index known only at
/// run time is private as a whole or not at all. (What an SC access of a private location says
/// about the order of SC accesses, the next SC access says too; but that is an argument about one
/// model.)
pub(crate) fn private_locations(program: &Program) -> Vec<bool> {
    let mut locations = vec![Owner::Nobody; program.locations().len()];
    let mut arrays = vec![Owner::Nobody; program.arrays().len()];
    for thread in program.thread_ids() {
        for op in program.thread(thread).code.iter().map(|instr| &instr.op) {
            let owner = match op.place() {
                Some(Place::Fixed(loc)) => &mut locations[loc.index()],
                Some(Place::Element { array, .. }) => &mut arrays[array.index()],
                None => continue,
            };
            *owner = owner.and(if is_sc(op) { Owner::Several } else { Owner::One(thread) });
        }
    }
    if let Some(fence) = program.fence_location() {
        locations[fence.index()] = Owner::Several;
    }
    for (array, owner) in program.arrays().iter().zip(arrays).filter(|(_, owner)| *owner != Owner::Nobody) {
        let elements = &mut locations[array.base.index()..array.base.index() + array.len as usize];
        let owner = elements.iter().fold(owner, |owner, other| owner.and(*other));
        elements.fill(owner);
    }
    locations.into_iter().map(|owner| owner != Owner::Several).collect()
}

/// Who accesses a location.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Nobody,
    One(ThreadId),
    /// Several threads, or one by SC accesses.
    Several,
}

impl Owner {
    fn and(self, other: Owner) -> Owner {
        match (self, other) {
            (Owner::Nobody, owner) | (owner, Owner::Nobody) => owner,
            (Owner::One(one), Owner::One(other)) if one == other => self,
            _ => Owner::Several,
        }
    }
}

fn is_sc(op: &Op) -> bool {
    let is = |mode: Mode| mode == Mode::Sc;
    match op {
        Op::Load { order, .. } | Op::Wait { order, .. } => is((*order).into()),
        Op::Store { order, .. } => is((*order).into()),
        Op::Update { order, .. } | Op::BlockingCas { order, .. } => is((*order).into()),
        Op::Cas { success, failure, .. } => is((*success).into()) || is((*failure).into()),
        _ => false,
    }
}

fn taints(thread: &Thread, domain: u64, layout: &mut Layout) -> Taints {
    let registers: Vec<Slot> = thread.registers.iter().map(|_| layout.slot(1)).collect();
    let used = |op: &Op| {
        let mut slots = Vec::new();
        op.for_each_expr(&mut |expr| expr.for_each_register(&mut |reg| slots.push(registers[reg.index()])));
        slots
    };
    let decides = |op: &Op| match op {
        Op::Branch { .. } | Op::Assume { .. } | Op::Assert { .. } | Op::Bound { .. } | Op::Verify { .. } => true,
        Op::Assign { value, .. } => value.can_fail(domain),
        _ => false,
    };
    Taints {
        decides: thread.code.iter().map(|instr| decides(&instr.op)).collect(),
        used: thread.code.iter().map(|instr| used(&instr.op)).collect(),
        set: thread.code.iter().map(|instr| instr.op.dst().map(|reg| registers[reg.index()])).collect(),
        registers,
    }
}

fn dead_slots(thread: &Thread, registers: &[Slot], taints: Option<&Taints>) -> Vec<Vec<Slot>> {
    let slots = |reg: &RegId| {
        let taint = taints.map(|taints| taints.registers[reg.index()]);
        std::iter::once(registers[reg.index()]).chain(taint)
    };
    liveness::dead_registers(thread).iter().map(|dead| dead.iter().flat_map(slots).collect()).collect()
}

struct Compiler<'a> {
    program: &'a Program,
    model: &'a dyn Model,
    registers: &'a [Slot],
    private: &'a [bool],
    mixed: &'a [bool],
}

impl Compiler<'_> {
    /// The integer an expression denotes.
    fn integer(&self, expr: &Expr) -> Code {
        match expr {
            Expr::Const(value) => Code::Const(*value),
            Expr::Reg(reg) => Code::Reg(self.slot(*reg)),
            Expr::Unary(op, operand) => Code::Unary(*op, Box::new(self.integer(operand))),
            Expr::Binary(op, left, right) => {
                Code::Binary(*op, Box::new(self.integer(left)), Box::new(self.integer(right)))
            }
            Expr::Wrap(operand) => self.wrap(self.integer(operand)),
        }
    }

    /// The value an expression denotes.
    fn value(&self, expr: &Expr) -> Code {
        self.wrap(self.integer(expr))
    }

    /// Reduces into the domain, unless it is there anyway.
    fn wrap(&self, code: Code) -> Code {
        let domain = self.program.domain() as i64;
        match code {
            Code::Const(value) => Code::Const(value.rem_euclid(domain)),
            Code::Reg(_) | Code::Wrap(..) => code,
            code => Code::Wrap(Box::new(code), domain),
        }
    }

    fn slot(&self, reg: RegId) -> Slot {
        self.registers[reg.index()]
    }

    fn step(&self, op: &Op) -> Step {
        match op {
            Op::Assign { dst, value } => Step::Assign(self.slot(*dst), self.value(value)),
            Op::Nondet { dst, low, high } => Step::Nondet(self.slot(*dst), self.value(low), self.value(high)),
            Op::Jump { target } => Step::Jump(target.0),
            Op::Branch { cond, target } => Step::Branch(self.integer(cond), target.0),
            Op::Choose { targets } => Step::Choose(targets.iter().map(|target: &Pc| target.0).collect()),
            Op::Assume { cond } => Step::Assume(self.integer(cond)),
            Op::Assert { cond } => Step::Assert(self.integer(cond)),
            Op::Verify { .. } => Step::Verify,
            Op::LightFence { .. } => Step::Skip,
            Op::Fence { order } => match self.model.fence(*order) {
                // No monitor follows a model with light fences.
                FenceMeaning::Nothing | FenceMeaning::Light => Step::Skip,
                FenceMeaning::Event => Step::Fence((*order).into()),
                FenceMeaning::HiddenRmw => {
                    let loc = self.program.fence_location().expect("a program with such a fence has its location");
                    Step::Access(Access {
                        target: Target::Fixed(loc),
                        kind: AccessKind::FenceUpdate,
                        dst: None,
                        plain: false,
                        mixed: None,
                        private: false,
                    })
                }
            },
            Op::Bound { cond } => Step::Bound(self.integer(cond)),
            Op::Enter => Step::Enter,
            Op::Leave => Step::Leave,
            Op::Halt => Step::Halt,
            Op::Load { .. }
            | Op::Store { .. }
            | Op::Update { .. }
            | Op::Cas { .. }
            | Op::Wait { .. }
            | Op::BlockingCas { .. }
            | Op::PlainLoad { .. }
            | Op::PlainStore { .. } => Step::Access(self.access(op)),
        }
    }

    fn access(&self, op: &Op) -> Access {
        let kind = match op {
            Op::Load { order, .. } => AccessKind::Load((*order).into()),
            Op::PlainLoad { .. } => AccessKind::Load(Mode::Na),
            Op::Store { value, order, .. } => AccessKind::Store(self.value(value), (*order).into()),
            Op::PlainStore { value, .. } => AccessKind::Store(self.value(value), Mode::Na),
            Op::Update { function, operand, order, .. } => {
                AccessKind::Update(*function, self.value(operand), (*order).into())
            }
            Op::Cas { expected, desired, success, failure, strength, .. } => AccessKind::Cas {
                expected: self.value(expected),
                desired: self.value(desired),
                success: (*success).into(),
                failure: (*failure).into(),
                strength: *strength,
            },
            Op::Wait { condition: WaitCondition { any_of }, order, .. } => {
                AccessKind::Wait(any_of.iter().map(|(cmp, expr)| (*cmp, self.integer(expr))).collect(), (*order).into())
            }
            Op::BlockingCas { expected, desired, order, .. } => AccessKind::BlockingCas {
                expected: self.value(expected),
                desired: self.value(desired),
                mode: (*order).into(),
            },
            _ => unreachable!("only accesses are compiled here"),
        };
        let target = match op.place().expect("an access has a place") {
            Place::Fixed(loc) => Target::Fixed(*loc),
            Place::Element { array, index } => self.element(*array, index),
        };
        let is_plain = matches!(op, Op::PlainLoad { .. } | Op::PlainStore { .. });
        let is_mixed = self.mixed[target.locations()].iter().any(|&mixed| mixed);
        Access {
            private: self.private[target.locations()].iter().all(|&private| private),
            target,
            kind,
            dst: op.dst().map(|reg| self.slot(reg)),
            plain: is_plain && !is_mixed,
            mixed: is_mixed.then_some(if is_plain { Mixed::Plain } else { Mixed::Atomic }),
        }
    }

    fn element(&self, array: ArrayId, index: &Expr) -> Target {
        let array = self.program.array(array);
        Target::Element { base: array.base, len: array.len, index: self.integer(index) }
    }
}

/// A value as a register or location holds it.
pub(crate) fn as_value(integer: i64) -> Value {
    Value::try_from(integer).expect("values are reduced into the domain")
}

#[cfg(test)]
mod tests {
    use super::private_locations;
    use fencepost_lower::{Language, load};

    #[test]
    fn an_array_is_private_as_a_whole_or_not_at_all() {
        let text = "global a[2], b[2], c[2]; thread t { a[1].store(0); b[1].store(0); }
            thread u { local r; a[r].store(0); b[0].store(0); c[r].store(0); c[1].store(1); }";
        let program = load(Language::Fp, text).program.expect("a program");
        assert_eq!(private_locations(&program), [false, false, true, true, true, true]);
    }
}
