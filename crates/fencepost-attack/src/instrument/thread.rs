//! The code of one thread of an instrumented program, copy by copy.

use std::collections::BTreeMap;

use fencepost_base::ids::{Pc, RegId, ThreadId};
use fencepost_base::order::{ReadOrder, WriteOrder};
use fencepost_ir::{CmpOp, Expr, Instr, Op, Place, Register, UnaryOp, WaitCondition};

use super::{Belongings, Context, Meaning, only_zero};
use crate::assemble::{Assembler, Label};
use crate::flow::{Use, locations, use_of};

/// A copy of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Copy {
    /// Under SC, until the attacker has taken its last access.
    Normal,
    /// Within a section that is yet to depend on the attacker.
    Depending,
    /// All depends on the attacker's last access.
    Dependent,
    /// Of the attacker.
    Attacker,
}

/// A thread's code being written.
pub(crate) struct Writer<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) thread: ThreadId,
    pub(crate) belongings: &'a Belongings,
    pub(crate) asm: Assembler,
    labels: BTreeMap<(Copy, Pc), Label>,
    /// What a label is needed for and is not written yet.
    todo: Vec<(Copy, Pc)>,
    /// What comes next if it is not written yet.
    next: Option<(Copy, Pc)>,
    registers: Vec<Register>,
    pub(crate) scratch: RegId,
    /// Has a light fence been delayed?
    pub(crate) fenced: RegId,
    /// Does the section depend on the attacker, and does it access the target?
    pub(crate) depends: RegId,
    pub(crate) hits: RegId,
}

/// The registers and code of an instrumented thread, and what its instructions mean.
pub(crate) fn code(
    context: &Context<'_>,
    thread: ThreadId,
    belongings: &Belongings,
) -> (Vec<Register>, Vec<Instr>, Vec<Meaning>) {
    let mut registers = context.program.thread(thread).registers.clone();
    let [scratch, fenced, depends, hits] = context.registers.each_ref().map(|name| {
        registers.push(Register { name: name.clone(), init: 0 });
        RegId::from_index(registers.len() - 1)
    });
    let mut writer = Writer {
        context,
        thread,
        belongings,
        asm: Assembler::default(),
        labels: BTreeMap::new(),
        todo: vec![(Copy::Normal, Pc(0))],
        next: None,
        registers,
        scratch,
        fenced,
        depends,
        hits,
    };
    while let Some((copy, pc)) = writer.next.take().or_else(|| writer.todo.pop()) {
        writer.write(copy, pc);
    }
    let (code, meanings) = writer.asm.finish();
    (writer.registers, code, meanings)
}

impl Writer<'_> {
    /// The label of an instruction in a copy.
    pub(crate) fn label(&mut self, copy: Copy, pc: Pc) -> Label {
        *self.labels.entry((copy, pc)).or_insert_with(|| {
            self.todo.push((copy, pc));
            self.asm.label()
        })
    }

    /// Goes to an instruction in a copy.
    pub(crate) fn go(&mut self, copy: Copy, pc: Pc) {
        let label = self.label(copy, pc);
        self.asm.jump(label);
    }

    /// Continues with an instruction in a copy, which is written next if it has not been.
    pub(crate) fn go_on(&mut self, copy: Copy, pc: Pc) {
        match self.labels.contains_key(&(copy, pc)) {
            true => self.go(copy, pc),
            false => self.next = Some((copy, pc)),
        }
    }

    /// Writes an instruction of the original into a copy, unless it is there.
    fn write(&mut self, copy: Copy, pc: Pc) {
        let label = self.label(copy, pc);
        if !self.asm.place_once(label) {
            return;
        }
        let instr = self.context.program.instr(self.thread, pc);
        self.asm.from(instr.origin);
        let op = self.atomic(&instr.op);
        let next = Pc(pc.0 + 1);
        match &op {
            Op::Jump { target } => self.go_on(copy, *target),
            Op::Branch { cond, target } => {
                let target = self.label(copy, *target).target();
                self.asm.emit(Op::Branch { cond: cond.clone(), target });
                self.go_on(copy, next);
            }
            Op::Choose { targets } => {
                let targets = targets.iter().map(|&target| self.label(copy, target).target()).collect();
                self.asm.emit_as(Op::Choose { targets }, Meaning::Original(pc));
            }
            Op::Halt => self.asm.emit(Op::Halt),
            // That an assertion fails under SC is another question.
            Op::Assert { cond } => self.local(copy, next, Op::Assume { cond: cond.clone() }),
            Op::Nondet { .. } | Op::Bound { .. } => {
                self.asm.emit_as(op.clone(), Meaning::Original(pc));
                self.go_on(copy, next);
            }
            Op::Assign { .. } | Op::Assume { .. } => self.local(copy, next, op.clone()),
            Op::Verify { .. } => self.go_on(copy, next),
            Op::Fence { .. } | Op::LightFence { .. } => match copy {
                Copy::Attacker => self.attacker_fence(pc, &op),
                _ => self.go_on(copy, next),
            },
            Op::Enter => self.enter(copy, pc),
            Op::Leave => self.leave(copy, pc),
            access => self.access(copy, pc, access),
        }
    }

    fn local(&mut self, copy: Copy, next: Pc, op: Op) {
        self.asm.emit(op);
        self.go_on(copy, next);
    }

    fn access(&mut self, copy: Copy, pc: Pc, op: &Op) {
        let place = op.place().expect("everything else is local").clone();
        if !self.is_shared(&place) {
            // Nobody else can tell when it happens; but a read-modify-write empties the buffers.
            match (copy, use_of(op)) {
                (Copy::Attacker, Use::Rmw) => self.asm.emit(Op::Halt),
                _ => {
                    self.asm.emit_as(op.clone(), Meaning::Original(pc));
                    self.go_on(copy, Pc(pc.0 + 1));
                }
            }
            return;
        }
        match copy {
            Copy::Normal => self.normal_access(pc, op, &place),
            Copy::Depending | Copy::Dependent => self.dependent_access(copy, pc, op, &place),
            Copy::Attacker => self.attacker_access(pc, op, &place),
        }
    }

    pub(crate) fn is_shared(&self, place: &Place) -> bool {
        locations(self.context.program, place).any(|loc| self.context.users.is_shared(loc))
    }

    pub(crate) fn in_section(&self, pc: Pc) -> bool {
        self.context.program.is_in_section(self.thread, pc)
    }

    /// The operation, with plain accesses made atomic.
    fn atomic(&self, op: &Op) -> Op {
        match op {
            Op::PlainLoad { dst, place } => Op::Load { dst: Some(*dst), place: place.clone(), order: ReadOrder::Rlx },
            Op::PlainStore { place, value } => {
                Op::Store { place: place.clone(), value: value.clone(), order: WriteOrder::Rlx }
            }
            op if self.context.program.domain() == 1 => only_zero::op(op),
            op => op.clone(),
        }
    }

    // What follows says the same thing again and again in few words.

    pub(crate) fn assign(&mut self, dst: RegId, value: Expr) {
        self.asm.emit(Op::Assign { dst, value });
    }

    pub(crate) fn set(&mut self, place: Place, value: i64) {
        self.asm.emit(Op::Store { place, value: Expr::Const(value), order: WriteOrder::Rlx });
    }

    pub(crate) fn await_bit(&mut self, place: Place, value: i64) {
        let condition = WaitCondition { any_of: vec![(CmpOp::Eq, Expr::Const(value))] };
        self.asm.emit(Op::Wait { dst: None, place, condition, order: ReadOrder::Rlx });
    }

    /// Loads a bit of ours and goes to `label` if it is set.
    pub(crate) fn if_set(&mut self, place: Place, label: Label) {
        self.load_bit(place);
        self.asm.emit(Op::Branch { cond: Expr::Reg(self.scratch), target: label.target() });
    }

    /// Loads a bit of ours.
    pub(crate) fn load_bit(&mut self, place: Place) {
        self.asm.emit(Op::Load { dst: Some(self.scratch), place, order: ReadOrder::Rlx });
    }

    /// The attack has succeeded.
    pub(crate) fn succeed_if(&mut self, bit: RegId) {
        self.asm.emit(Op::Assert { cond: Expr::Unary(UnaryOp::Not, Box::new(Expr::Reg(bit))) });
    }
}
