//! Helpers: threads that run under SC, then only where they depend on the attacker's last access.
//!
//! Paper: App. D.3. Ours are sections, which depend on the attacker as soon as one of their
//! accesses does, and failed compare-and-swaps, which are reads.

use fencepost_base::ids::{LocId, Pc};
use fencepost_ir::{BinaryOp, CasStrength, CmpOp, Expr, Op, Place, UnaryOp, WaitCondition};

use super::Meaning;
use super::thread::{Copy, Writer};
use crate::flow::{Use, use_of};

/// How an access comes to depend on the attacker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dependence {
    /// It must, by itself.
    First,
    /// It does, since its thread does.
    Given,
    /// It may, and then the section it is in does.
    Sought,
}

impl Writer<'_> {
    /// An access in the normal copy: as it is, or the first one that depends on the attacker, or
    /// the one that is delayed.
    pub(crate) fn normal_access(&mut self, pc: Pc, op: &Op, place: &Place) {
        let next = Pc(pc.0 + 1);
        if self.in_section(pc) {
            self.asm.emit_as(op.clone(), Meaning::Original(pc));
            return self.go_on(Copy::Normal, next);
        }
        self.asm.emit(Op::Enter);
        let [normal, dependent] = [self.asm.label(), self.asm.label()];
        let attack = self.may_delay(pc).then(|| self.asm.label());
        let choices: Vec<_> = [normal, dependent].into_iter().chain(attack).collect();
        self.asm.choose_among(&choices);
        self.asm.place(dependent);
        self.touch(Dependence::First, pc, op, place);
        self.asm.emit(Op::Leave);
        self.go(Copy::Dependent, next);
        if let Some(attack) = attack {
            self.asm.place(attack);
            self.start_attack(pc, op, place);
        }
        self.asm.place(normal);
        self.await_bit(Place::Fixed(self.context.last), 0);
        self.asm.emit_as(op.clone(), Meaning::Original(pc));
        self.asm.emit(Op::Leave);
        self.go_on(Copy::Normal, next);
    }

    /// An access in a copy that depends on the attacker, or in a section that is about to.
    pub(crate) fn dependent_access(&mut self, copy: Copy, pc: Pc, op: &Op, place: &Place) {
        let next = Pc(pc.0 + 1);
        if self.in_section(pc) {
            let dependence = if copy == Copy::Depending { Dependence::Sought } else { Dependence::Given };
            self.touch(dependence, pc, op, place);
        } else {
            self.asm.emit(Op::Enter);
            self.touch(Dependence::Given, pc, op, place);
            self.asm.emit(Op::Leave);
        }
        self.go_on(copy, next);
    }

    /// The start of a section.
    pub(crate) fn enter(&mut self, copy: Copy, pc: Pc) {
        let next = Pc(pc.0 + 1);
        match copy {
            Copy::Normal => {
                self.asm.emit(Op::Enter);
                let [normal, dependent] = self.asm.choose();
                self.asm.place(dependent);
                self.assign(self.depends, Expr::Const(0));
                self.assign(self.hits, Expr::Const(0));
                self.go(Copy::Depending, next);
                self.asm.place(normal);
                self.await_bit(Place::Fixed(self.context.last), 0);
                self.go_on(Copy::Normal, next);
            }
            Copy::Dependent => {
                self.asm.emit(Op::Enter);
                self.assign(self.hits, Expr::Const(0));
                self.go_on(copy, next);
            }
            // It would have to empty the buffers.
            Copy::Attacker => self.asm.emit(Op::Halt),
            Copy::Depending => unreachable!("sections are not nested"),
        }
    }

    /// The end of a section.
    pub(crate) fn leave(&mut self, copy: Copy, pc: Pc) {
        let next = Pc(pc.0 + 1);
        if copy == Copy::Depending {
            self.asm.emit(Op::Assume { cond: Expr::Reg(self.depends) });
        }
        // A section that is not completed does not happen: it is judged when it is.
        if copy != Copy::Normal {
            self.succeed_if(self.hits);
        }
        let after = match copy {
            Copy::Depending => {
                let own: Vec<LocId> = self.belongings.own.pairs().map(|(_, own)| own).collect();
                for loc in own {
                    self.set(Place::Fixed(loc), 0);
                }
                Copy::Dependent
            }
            _ => copy,
        };
        self.asm.emit(Op::Leave);
        self.go_on(after, next);
    }

    /// The access, in a section, with the marks it leaves.
    fn touch(&mut self, dependence: Dependence, pc: Pc, op: &Op, place: &Place) {
        let Op::Cas { dst, expected, desired, success, failure, strength, .. } = op else {
            let writes = use_of(op) != Use::Load;
            return self.touch_as(dependence, writes, place, pc, &[(op.clone(), Meaning::Original(pc))]);
        };
        // It fails and is a read, or succeeds and is an update; either way it evaluates its
        // operands.
        for operand in [expected, desired] {
            if operand.can_fail(self.context.program.domain()) {
                self.assign(self.scratch, operand.clone());
            }
        }
        let wanted = Expr::Wrap(Box::new(expected.clone()));
        let [fails, succeeds] = self.asm.choose();
        let end = self.asm.label();
        self.asm.place(fails);
        let read = match strength {
            CasStrength::Weak => Op::Load { dst: *dst, place: place.clone(), order: *failure },
            CasStrength::Strong => {
                let condition = WaitCondition { any_of: vec![(CmpOp::Ne, wanted.clone())] };
                Op::Wait { dst: *dst, place: place.clone(), condition, order: *failure }
            }
        };
        self.touch_as(dependence, false, place, pc, &[(read, Meaning::Original(pc))]);
        self.asm.jump(end);
        self.asm.place(succeeds);
        let swap = Op::BlockingCas {
            place: place.clone(),
            expected: expected.clone(),
            desired: desired.clone(),
            order: *success,
        };
        let result = dst.map(|dst| (Op::Assign { dst, value: wanted }, Meaning::Ours));
        let ops: Vec<_> = std::iter::once((swap, Meaning::Original(pc))).chain(result).collect();
        self.touch_as(dependence, true, place, pc, &ops);
        self.asm.place(end);
    }

    /// `ops`, which read or write `place`. Marks come first: a result may be part of the place.
    fn touch_as(&mut self, dependence: Dependence, writes: bool, place: &Place, pc: Pc, ops: &[(Op, Meaning)]) {
        let in_section = self.in_section(pc);
        let [seen, stored] = [&self.context.seen, &self.context.stored]
            .map(|mirror| mirror.of(place).expect("shared places have marks"));
        match dependence {
            Dependence::First => self.await_bit(if writes { seen.clone() } else { stored.clone() }, 1),
            Dependence::Given => {}
            Dependence::Sought => self.seek(writes, place, &seen, &stored),
        }
        self.set(seen, 1);
        if writes {
            self.set(stored, 1);
        }
        let target = self.context.target.of(place);
        if let Some(target) = target.clone() {
            self.load_bit(target);
        }
        if in_section && target.is_some() {
            let [hits, scratch] = [self.hits, self.scratch].map(|reg| Box::new(Expr::Reg(reg)));
            self.assign(self.hits, Expr::Binary(BinaryOp::Or, hits, scratch));
        }
        for (op, meaning) in ops {
            self.asm.emit_as(op.clone(), *meaning);
        }
        if !in_section && target.is_some() {
            self.succeed_if(self.scratch);
        }
    }

    /// Notes whether an access of a section depends on what others did; on what the section itself
    /// did it does not.
    fn seek(&mut self, writes: bool, place: &Place, seen: &Place, stored: &Place) {
        let own = self.belongings.own.of(place).expect("a place in a section");
        let [known, end] = [self.asm.label(), self.asm.label()];
        self.if_set(seen.clone(), known);
        self.set(own.clone(), 1);
        self.asm.jump(end);
        self.asm.place(known);
        self.if_set(own, end);
        if !writes {
            self.load_bit(stored.clone());
            let cond = Expr::Unary(UnaryOp::Not, Box::new(Expr::Reg(self.scratch)));
            self.asm.emit(Op::Branch { cond, target: end.target() });
        }
        self.assign(self.depends, Expr::Const(1));
        self.asm.place(end);
    }
}
