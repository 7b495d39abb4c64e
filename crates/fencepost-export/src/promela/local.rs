//! What a thread does between two rests.

use std::collections::BTreeSet;

use fencepost_base::ids::{LocId, RegId, Value};
use fencepost_base::order::Mode;
use fencepost_ir::{Expr, Op, Place};
use fencepost_model::{AttemptKind, FenceMeaning, PlainKind};

use super::Unsupported;
use super::encoding::Step;
use super::shape;
use super::stmt::{Rest, Stmt, lines};
use super::thread::{Start, Writer, about, is_full_fence, taint};
use crate::infix::Infix as _;

/// What is known of a thread on its way from one rest to another.
#[derive(Clone)]
pub(crate) struct Way {
    /// The registers that may hold something.
    held: BTreeSet<RegId>,
    /// May the thread have announced a plain access?
    announces: bool,
}

impl Writer<'_> {
    /// The local computation before the first rest. It depends on nothing, so it is done here and
    /// now.
    pub(crate) fn first_run(&self) -> Start {
        let domain = self.context.program.domain();
        let mut registers: Vec<Value> = self.thread.registers.iter().map(|register| register.init).collect();
        let mut pc = 0;
        let failed = loop {
            // A choice is no local computation.
            if self.rests[pc] || is_choice(&self.thread.code[pc].op) {
                for reg in &self.dead[pc] {
                    registers[reg.index()] = 0;
                }
                return Start { rest: Rest::At(pc as u32), registers, failed: false };
            }
            let eval = |expr: &Expr| expr.eval(&registers, domain);
            let next = match &self.thread.code[pc].op {
                Op::Assign { dst, value } => value.value(&registers, domain).map(|value| {
                    registers[dst.index()] = value;
                    Some(pc + 1)
                }),
                Op::Jump { target } => Ok(Some(target.index())),
                Op::Branch { cond, target } => eval(cond).map(|c| Some(if c != 0 { target.index() } else { pc + 1 })),
                Op::Assume { cond } => eval(cond).map(|c| (c != 0).then_some(pc + 1)),
                Op::Assert { cond } => match eval(cond) {
                    Ok(0) => break true,
                    other => other.map(|_| Some(pc + 1)),
                },
                Op::Halt => Ok(None),
                // Fences find nothing to do yet.
                _ => Ok(Some(pc + 1)),
            };
            match next {
                Ok(Some(next)) => pc = next,
                Ok(None) => break false,
                Err(_) => break true,
            }
        };
        Start { rest: Rest::End, registers: vec![0; registers.len()], failed }
    }

    /// The way that begins at a rest with a step that sets `dst`.
    pub(crate) fn way(&self, pc: u32, dst: Option<RegId>) -> Way {
        let mut held = self.live(pc);
        held.extend(dst);
        let announces = self.numbers(pc).iter().any(|&(_, number)| number > 0);
        Way { held, announces }
    }

    /// What happens from instruction `pc` on, up to the next rest.
    pub(crate) fn run(&self, pc: usize, way: Way) -> Result<Vec<Stmt>, Unsupported> {
        match self.rest(pc) {
            Some(rest) => self.arrive(rest, &way),
            None => self.go_on(pc, way),
        }
    }

    /// The same from a local instruction, even if it is one that the thread rests at.
    pub(crate) fn go_on(&self, mut pc: usize, mut way: Way) -> Result<Vec<Stmt>, Unsupported> {
        let mut stmts = Vec::new();
        loop {
            let op = &self.thread.code[pc].op;
            match op {
                Op::Assign { dst, value } => {
                    let fails = self.scope.undefined(value)?;
                    // A division decides whether the thread goes on.
                    if value.can_fail(self.context.program.domain()) {
                        stmts.extend(self.untainted(op));
                    }
                    let mut assign = self.set_taint(Some(*dst), self.uses_taint(op).as_deref().unwrap_or("0"));
                    let value = self.scope.value(value)?;
                    assign.extend(self.context.names.register(self.scope.thread, *dst).assign(&value.text));
                    if let Some(fails) = fails {
                        let failure = self.fail(&way)?;
                        way.held.insert(*dst);
                        let rest = [lines(assign), self.run(pc + 1, way)?].concat();
                        stmts.push(Stmt::If(fails, failure, rest));
                        return Ok(stmts);
                    }
                    way.held.insert(*dst);
                    stmts.extend(lines(assign));
                    pc += 1;
                }
                Op::Jump { target } => pc = target.index(),
                Op::Branch { cond, target } => {
                    let (yes, no) = (self.run(target.index(), way.clone())?, self.run(pc + 1, way.clone())?);
                    stmts.extend(self.decide(op, cond, yes, no, &way)?);
                    return Ok(stmts);
                }
                Op::Assume { cond } => {
                    let stop = self.arrive(Rest::End, &way)?;
                    stmts.extend(self.decide(op, cond, self.run(pc + 1, way.clone())?, stop, &way)?);
                    return Ok(stmts);
                }
                Op::Assert { cond } => {
                    let fail = self.fail(&way)?;
                    stmts.extend(self.decide(op, cond, self.run(pc + 1, way.clone())?, fail, &way)?);
                    return Ok(stmts);
                }
                Op::Halt => {
                    stmts.extend(self.arrive(Rest::End, &way)?);
                    return Ok(stmts);
                }
                Op::Verify { .. } => {
                    stmts.extend(self.untainted(op));
                    pc += 1;
                }
                Op::Fence { order } => {
                    if !matches!(self.context.model.fence(*order), FenceMeaning::Nothing | FenceMeaning::Light) {
                        stmts.extend(lines(self.fence(op, (*order).into())));
                    }
                    pc += 1;
                }
                _ => pc += 1,
            }
            if let Some(rest) = self.rest(pc) {
                stmts.extend(self.arrive(rest, &way)?);
                return Ok(stmts);
            }
        }
    }

    /// How local computation ends before this instruction, if it does.
    fn rest(&self, pc: usize) -> Option<Rest> {
        let rest = if self.rests[pc] { Rest::At } else { Rest::Choosing };
        (self.rests[pc] || is_choice(&self.thread.code[pc].op)).then(|| rest(pc as u32))
    }

    /// What a fence does, be it an event of its own or an update of the hidden location.
    fn fence(&self, op: &Op, mode: Mode) -> Vec<String> {
        let (Some(encoding), loc) = (self.context.encoding, self.context.program.fence_location()) else {
            return Vec::new();
        };
        match loc.filter(|_| is_full_fence(self.context.model, op)) {
            Some(loc) => encoding.step(self.t, &Step { kind: AttemptKind::Rmw, loc, mode: Mode::Full, value: "0" }),
            None => encoding.fence(self.t, mode),
        }
    }

    fn decide(&self, op: &Op, cond: &Expr, yes: Vec<Stmt>, no: Vec<Stmt>, way: &Way) -> Result<Vec<Stmt>, Unsupported> {
        let mut stmts = self.untainted(op);
        let term = self.scope.integer(cond)?;
        let fails = self.scope.undefined(cond)?;
        let decision = match term.constant().filter(|_| fails.is_none()) {
            Some(0) => no,
            Some(_) => yes,
            None => vec![Stmt::If(term.text, yes, no)],
        };
        match fails {
            Some(fails) => stmts.push(Stmt::If(fails, self.fail(way)?, decision)),
            None => stmts.extend(decision),
        }
        Ok(stmts)
    }

    /// Nothing that the instruction uses may depend on a stale read.
    fn untainted(&self, op: &Op) -> Vec<Stmt> {
        self.uses_taint(op).map(|tainted| Stmt::Line(format!("assert(!{tainted})"))).into_iter().collect()
    }

    /// The register depends on a stale read from now on, or not.
    pub(crate) fn set_taint(&self, dst: Option<RegId>, tainted: &str) -> Vec<String> {
        let dst = dst.filter(|dst| self.taintable[dst.index()]);
        dst.map(|dst| format!("{} = {tainted}", taint(dst))).into_iter().collect()
    }

    /// The program fails, and the thread stops.
    pub(crate) fn fail(&self, way: &Way) -> Result<Vec<Stmt>, Unsupported> {
        let mut stmts = vec![Stmt::Fail];
        stmts.extend(self.arrive(Rest::End, way)?);
        Ok(stmts)
    }

    /// The end of a way: registers that are dead are forgotten, a plain access is announced.
    fn arrive(&self, rest: Rest, way: &Way) -> Result<Vec<Stmt>, Unsupported> {
        let is_dead = |reg: &&RegId| match rest {
            Rest::At(pc) | Rest::Choosing(pc) => self.dead[pc as usize].contains(reg),
            Rest::End => true,
        };
        let mut stmts = Vec::new();
        for reg in way.held.iter().filter(is_dead) {
            stmts.extend(self.context.names.register(self.scope.thread, *reg).assign("0").map(Stmt::Line));
            stmts.extend(lines(self.set_taint(Some(*reg), "0")));
        }
        let announcement = match rest {
            Rest::At(pc) => self.announcement(pc)?,
            Rest::Choosing(_) | Rest::End => None,
        };
        let announcement = announcement.or_else(|| way.announces.then(|| "0".into()));
        stmts.extend(announcement.map(|number| Stmt::Line(format!("{} = {number}", about(self.t)))));
        stmts.push(Stmt::Rest(rest));
        Ok(stmts)
    }

    /// The locations that a plain access before which the thread rests can go to, each with the
    /// number by which the thread announces it: 0 if nobody need know.
    fn numbers(&self, pc: u32) -> Vec<(usize, usize)> {
        let Some((kind, place)) = shape::plain(&self.thread.code[pc as usize].op) else { return Vec::new() };
        let announced = &self.context.announced[self.t];
        let number = |loc: usize| {
            let same = |&(other, theirs): &(LocId, PlainKind)| other.index() == loc && theirs == kind;
            (loc, announced.iter().position(same).map_or(0, |position| position + 1))
        };
        shape::locations(self.context.program, place).map(number).collect()
    }

    /// What a thread announces that is about to make a plain access, as an expression; none if that
    /// is nobody's business.
    fn announcement(&self, pc: u32) -> Result<Option<String>, Unsupported> {
        let numbers = self.numbers(pc);
        if numbers.iter().all(|&(_, number)| number == 0) {
            return Ok(None);
        }
        let op = &self.thread.code[pc as usize].op;
        let mut text = "0".to_string();
        match op.place() {
            Some(Place::Element { array, index }) if numbers.len() > 1 => {
                let index = self.scope.integer(index)?.text;
                let base = self.context.program.array(*array).base.index();
                for (loc, number) in numbers.into_iter().rev() {
                    text = format!("({index} == {} -> {number} : {text})", loc - base);
                }
            }
            _ => text = numbers.first().map_or(0, |&(_, number)| number).to_string(),
        }
        // An access that fails is none.
        Ok(Some(match self.scope.fails(op)? {
            Some(fails) => format!("({fails} -> 0 : {text})"),
            None => text,
        }))
    }

    /// The announcement of a thread that starts before a plain access.
    pub(crate) fn first_announcement(&self, pc: u32, registers: &[Value]) -> u32 {
        let op = &self.thread.code[pc as usize].op;
        let domain = self.context.program.domain();
        let mut fails = false;
        op.for_each_expr(&mut |expr| fails |= expr.eval(registers, domain).is_err());
        let loc = match op.place() {
            Some(Place::Fixed(loc)) => Some(loc.index()),
            Some(Place::Element { array, index }) => {
                let array = self.context.program.array(*array);
                let index = index.eval(registers, domain).ok().and_then(|index| u32::try_from(index).ok());
                index.filter(|&index| index < array.len).map(|index| array.base.index() + index as usize)
            }
            None => None,
        };
        let number =
            self.numbers(pc).into_iter().find(|&(other, _)| Some(other) == loc).map_or(0, |(_, number)| number);
        if fails { 0 } else { number as u32 }
    }
}

fn is_choice(op: &Op) -> bool {
    matches!(op, Op::Choose { .. } | Op::Nondet { .. })
}
