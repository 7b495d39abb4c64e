//! The attacker: delays a store, goes on, takes a last access and waits for the helpers.
//!
//! Papers: App. D.1 (locality) and D.2 (singularity). For one buffer for all locations (TSO), where
//! every later store is delayed too and only a load can be last: ESOP 2013. A light fence is
//! delayed iff a store it covers is. The paper lets it be delayed nevertheless, which would only
//! restrict what follows.

use fencepost_base::ids::{LocId, Pc};
use fencepost_base::order::{ReadOrder, RmwOrder, WriteOrder};
use fencepost_ir::{BinaryOp, Expr, Op, Place, UnaryOp};
use fencepost_model::Buffers;

use super::Meaning;
use super::thread::{Copy, Writer};
use crate::delays::Delays;
use crate::flow::{self, Covers, Use, use_of};

impl Writer<'_> {
    /// Can an attack start with this store?
    pub(crate) fn may_delay(&self, pc: Pc) -> bool {
        self.context.delayed.contains(&(self.thread, pc))
    }

    /// Can an attack end with this access?
    fn may_be_last(&self, pc: Pc) -> bool {
        self.context.lasts.contains(&(self.thread, pc))
    }

    /// The store is delayed, the first one.
    pub(crate) fn start_attack(&mut self, pc: Pc, op: &Op, place: &Place) {
        if let Some(attacking) = self.context.attacking {
            let [expected, desired] = [Expr::Const(0), Expr::Const(1)];
            let place = Place::Fixed(attacking);
            self.asm.emit(Op::BlockingCas { place, expected, desired, order: RmwOrder::Rlx });
        }
        let target = self.context.target.of(place).expect("what an attack delays has a mark");
        self.set(target, 1);
        self.delay(pc, op, place);
        self.asm.emit(Op::Leave);
        self.go(Copy::Attacker, Pc(pc.0 + 1));
    }

    /// The store goes to the buffer.
    fn delay(&mut self, pc: Pc, op: &Op, place: &Place) {
        let Op::Store { value, .. } = op else { unreachable!("only stores are delayed") };
        let (held, late) = self.buffer(place).expect("what the attacker delays has a buffer");
        self.asm.emit_as(Op::Store { place: late, value: value.clone(), order: WriteOrder::Rlx }, Meaning::Delayed(pc));
        self.set(held, 1);
    }

    /// Where delayed stores to a place are, if there can be any: whether, and what.
    fn buffer(&self, place: &Place) -> Option<(Place, Place)> {
        let buffer = self.belongings.buffer.as_ref()?;
        buffer.held.of(place).zip(buffer.late.of(place))
    }

    /// A fence on the attacker's way.
    pub(crate) fn attacker_fence(&mut self, pc: Pc, op: &Op) {
        if use_of(op) == Use::Barrier {
            return self.asm.emit(Op::Halt);
        }
        let covers = flow::covers(self.context.model, op);
        let held = self.belongings.buffer.as_ref().map(|buffer| &buffer.held);
        let covered = |(loc, held): (LocId, LocId)| covers.contains(loc).then_some(held);
        let covered: Vec<LocId> = match covers {
            Covers::Nothing => Vec::new(),
            _ => held.into_iter().flat_map(|held| held.pairs()).filter_map(covered).collect(),
        };
        for held in covered {
            let held = Op::Load { dst: Some(self.scratch), place: Place::Fixed(held), order: ReadOrder::Rlx };
            self.asm.emit_as(held, Meaning::Covers);
            let [fenced, scratch] = [self.fenced, self.scratch].map(|reg| Box::new(Expr::Reg(reg)));
            self.assign(self.fenced, Expr::Binary(BinaryOp::Or, fenced, scratch));
        }
        self.go_on(Copy::Attacker, Pc(pc.0 + 1));
    }

    /// An access of the attacker, with at least one store delayed.
    pub(crate) fn attacker_access(&mut self, pc: Pc, op: &Op, place: &Place) {
        match use_of(op) {
            Use::Load => self.attacker_load(pc, op, place),
            Use::Store => self.attacker_store(pc, op, place),
            // It would have to empty the buffers.
            _ => self.asm.emit(Op::Halt),
        }
    }

    fn attacker_load(&mut self, pc: Pc, op: &Op, place: &Place) {
        let next = Pc(pc.0 + 1);
        let buffer = self.buffer(place);
        let early = self.asm.label();
        if let Some((held, _)) = buffer.clone() {
            self.if_set(held, early);
        }
        if self.may_be_last(pc) {
            self.asm.emit(Op::Enter);
            let [last, goes_on] = self.asm.choose();
            self.asm.place(last);
            self.take_last(pc, op, place);
            self.asm.place(goes_on);
            self.asm.emit_as(op.clone(), Meaning::Original(pc));
            self.asm.emit(Op::Leave);
        } else {
            self.asm.emit_as(op.clone(), Meaning::Original(pc));
        }
        if let Some((_, late)) = buffer {
            self.go(Copy::Attacker, next);
            self.asm.place(early);
            let mut op = op.clone();
            match &mut op {
                Op::Load { place, .. } | Op::Wait { place, .. } => *place = late,
                _ => unreachable!("a load"),
            }
            self.asm.emit_as(op, Meaning::Early(pc));
        }
        self.go_on(Copy::Attacker, next);
    }

    fn attacker_store(&mut self, pc: Pc, op: &Op, place: &Place) {
        let next = Pc(pc.0 + 1);
        let buffer = self.buffer(place);
        if self.context.model.buffers() == Some(Buffers::Total) {
            self.delay(pc, op, place);
            return self.go_on(Copy::Attacker, next);
        }
        let delays = self.context.delays;
        let delayed = buffer.map(|(held, _)| (held, self.asm.label()));
        match (&delayed, delays) {
            (Some((held, _)), Delays::One) => {
                self.load_bit(held.clone());
                self.asm.emit(Op::Assume { cond: Expr::Unary(UnaryOp::Not, Box::new(Expr::Reg(self.scratch))) });
            }
            // Behind another one in the buffer, or behind a fence that is: then it has to wait,
            // too.
            (Some((held, delayed)), _) => {
                self.asm.emit(Op::Branch { cond: Expr::Reg(self.fenced), target: delayed.target() });
                self.if_set(held.clone(), *delayed);
            }
            (None, _) => {}
        }
        self.asm.emit(Op::Enter);
        let direct = self.asm.label();
        let last = self.may_be_last(pc).then(|| self.asm.label());
        let delay = (delays == Delays::Many).then(|| self.asm.label());
        let choices: Vec<_> = [direct].into_iter().chain(last).chain(delay).collect();
        self.asm.choose_among(&choices);
        if let Some(last) = last {
            self.asm.place(last);
            self.take_last(pc, op, place);
        }
        if let Some(delay) = delay {
            self.asm.place(delay);
            self.delay(pc, op, place);
            self.asm.emit(Op::Leave);
            self.go(Copy::Attacker, next);
        }
        if let (Some((_, delayed)), Delays::OneLocation | Delays::Many) = (delayed, delays) {
            self.asm.place(delayed);
            self.delay(pc, op, place);
            self.go(Copy::Attacker, next);
        }
        self.asm.place(direct);
        self.asm.emit_as(op.clone(), Meaning::Original(pc));
        self.asm.emit(Op::Leave);
        self.go_on(Copy::Attacker, next);
    }

    /// The last access of the attacker. What it has delayed is of no interest from here on.
    fn take_last(&mut self, pc: Pc, op: &Op, place: &Place) {
        let marks = [Some(&self.context.seen), (use_of(op) == Use::Store).then_some(&self.context.stored)];
        for mark in marks.into_iter().flatten() {
            let mark = mark.of(place).expect("shared places have marks");
            self.set(mark, 1);
        }
        self.asm.emit_as(op.clone(), Meaning::Original(pc));
        self.set(Place::Fixed(self.context.last), 1);
        let buffer = self.belongings.buffer.as_ref().expect("an attacker has a buffer");
        let kept: Vec<LocId> = [&buffer.held, &buffer.late]
            .into_iter()
            .flat_map(|mirror| mirror.pairs())
            .map(|(_, mirrored)| mirrored)
            .collect();
        for loc in kept {
            self.set(Place::Fixed(loc), 0);
        }
        self.asm.emit(Op::Leave);
        self.asm.emit(Op::Halt);
    }
}
