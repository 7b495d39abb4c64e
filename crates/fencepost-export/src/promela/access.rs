//! What a thread can do where it rests: make an access, or choose.
//!
//! A thread that is ready to make an access is asked whether it could leave
//! SC by it: where the access never blocks, by an assertion on the way; where it may
//! block, by an alternative of its own, because a stale value could let it go on.

use fencepost_base::ids::{LocId, RegId};
use fencepost_base::order::Mode;
use fencepost_ir::{BinaryOp, CasStrength, CmpOp, Expr, Op, Place, RmwFunction};
use fencepost_model::{AttemptKind, PlainKind};

use super::Unsupported;
use super::encoding::{Accepts, Attempt, Step};
use super::shape;
use super::stmt::{Rest, Stmt, lines};
use super::thread::{Alternative, WRITTEN, Writer, about};
use crate::infix::{Infix as _, Term, any};

/// Options of one choice that are written down.
const MOST_CHOICES: i64 = 1 << 10;

/// An access without an index: the steps it can make.
struct Steps {
    /// When it could leave SC.
    stale: Vec<String>,
    /// May it block? Then `stale` is a matter of its own.
    blocks: bool,
    /// The ways to make it: when, and what happens.
    ways: Vec<(Option<String>, Vec<Stmt>)>,
}

impl Writer<'_> {
    /// The alternatives of a thread that rests before the instruction at `pc`.
    pub(crate) fn alternatives(&self, pc: u32) -> Result<Vec<Alternative>, Unsupported> {
        let op = &self.thread.code[pc as usize].op;
        let at = pc as usize;
        match op {
            Op::Choose { targets } => {
                let mut targets = targets.clone();
                targets.sort_unstable();
                targets.dedup();
                let way = |target: &fencepost_base::ids::Pc| {
                    let body = self.run(target.index(), self.way(pc, None))?;
                    Ok(Alternative { guards: Vec::new(), body })
                };
                targets.iter().map(way).collect()
            }
            Op::Nondet { dst, low, high } => self.nondet(pc, op, *dst, low, high),
            _ => match op.place() {
                Some(place) => self.access(pc, op, place),
                None => Ok(vec![Alternative { guards: Vec::new(), body: self.go_on(at, self.way(pc, None))? }]),
            },
        }
    }

    /// Alternatives that every instruction has which uses values: it may use a tainted one, it may
    /// fail.
    fn mishaps(&self, pc: u32, op: &Op) -> Result<(Vec<Alternative>, Option<String>), Unsupported> {
        let mut alternatives: Vec<Alternative> = self.uses_taint(op).map(alarm).into_iter().collect();
        let fails = self.scope.fails(op)?;
        if let Some(fails) = &fails {
            alternatives.push(Alternative { guards: vec![fails.clone()], body: self.fail(&self.way(pc, None))? });
        }
        Ok((alternatives, fails.map(|fails| format!("!({fails})"))))
    }

    fn nondet(&self, pc: u32, op: &Op, dst: RegId, low: &Expr, high: &Expr) -> Result<Vec<Alternative>, Unsupported> {
        let (mut alternatives, succeeds) = self.mishaps(pc, op)?;
        let (low, high) = (self.scope.value(low)?, self.scope.value(high)?);
        if high.high - low.low >= MOST_CHOICES {
            return Err(Unsupported::new(format!("a choice among more than {MOST_CHOICES} values")));
        }
        for value in low.low..=high.high {
            let mut guards = Vec::from_iter(succeeds.clone());
            if low.high > value {
                guards.push(format!("{} <= {value}", low.text));
            }
            if high.low < value {
                guards.push(format!("{value} <= {}", high.text));
            }
            let mut body = lines(self.set(Some(dst), &value.to_string(), false));
            body.extend(self.run(pc as usize + 1, self.way(pc, Some(dst)))?);
            alternatives.push(Alternative { guards, body });
        }
        Ok(alternatives)
    }

    fn access(&self, pc: u32, op: &Op, place: &Place) -> Result<Vec<Alternative>, Unsupported> {
        let (mut alternatives, succeeds) = self.mishaps(pc, op)?;
        let locations = shape::locations(self.context.program, place);
        for loc in locations.clone() {
            let mut guards = Vec::from_iter(succeeds.clone());
            if let (Place::Element { array, index }, true) = (place, locations.len() > 1) {
                let offset = loc - self.context.program.array(*array).base.index();
                guards.push(format!("{} == {offset}", self.scope.integer(index)?.text));
            }
            let steps = self.steps(op, LocId::from_index(loc))?;
            let stale = any(steps.stale.into_iter().map(|stale| format!("({stale})")).collect());
            if let (true, Some(stale)) = (steps.blocks, &stale) {
                let mut alarm = alarm(stale.clone());
                alarm.guards.splice(0..0, guards.clone());
                alternatives.push(alarm);
            }
            for (when, what) in steps.ways {
                let checked = stale.as_ref().filter(|_| !steps.blocks);
                let mut body = Vec::from_iter(checked.map(|stale| Stmt::Line(format!("assert(!{stale})"))));
                body.extend(what);
                body.extend(self.run(pc as usize + 1, self.way(pc, op.dst()))?);
                alternatives.push(Alternative { guards: guards.iter().cloned().chain(when).collect(), body });
            }
        }
        Ok(alternatives)
    }

    fn steps(&self, op: &Op, loc: LocId) -> Result<Steps, Unsupported> {
        let memory = self.context.names.location(loc);
        let value = memory.value();
        let old = Term { text: value.into(), low: 0, high: memory.bound as i64 - 1 };
        Ok(match op {
            Op::Load { dst, order, .. } => {
                let speculates = self.context.observational;
                let stale = self.stale(AttemptKind::Read, loc, (*order).into(), Accepts::Any);
                Steps {
                    stale: stale.into_iter().filter(|_| !speculates).collect(),
                    blocks: false,
                    ways: vec![(None, self.read(*dst, loc, (*order).into(), speculates))],
                }
            }
            Op::Store { value: stored, order, .. } => {
                let mode = (*order).into();
                let mut what = self.step(AttemptKind::Write, loc, mode);
                what.extend(memory.assign(&self.scope.value(stored)?.text).map(Stmt::Line));
                Steps {
                    stale: Vec::from_iter(self.stale(AttemptKind::Write, loc, mode, Accepts::Any)),
                    blocks: false,
                    ways: vec![(None, what)],
                }
            }
            Op::Update { dst, function, operand, order, .. } => {
                let mode = (*order).into();
                let written = self.updated(*function, &old, &self.scope.value(operand)?)?;
                Steps {
                    stale: Vec::from_iter(self.stale(AttemptKind::Rmw, loc, mode, Accepts::Any)),
                    blocks: false,
                    ways: vec![(None, self.update(*dst, loc, mode, &written))],
                }
            }
            Op::Cas { dst, expected, desired, success, failure, strength, .. } => {
                let (expected, desired) = (self.scope.value(expected)?, self.scope.value(desired)?);
                let is_weak = *strength == CasStrength::Weak;
                let (success, failure) = ((*success).into(), (*failure).into());
                let speculates = self.context.observational && is_weak;
                let fails_with = if is_weak { Accepts::Any } else { Accepts::Unlike(&expected) };
                let stale_read = self.stale(AttemptKind::Read, loc, failure, fails_with).filter(|_| !speculates);
                let stale_update = self.stale(AttemptKind::Rmw, loc, success, Accepts::Like(&expected));
                let failed = self.read(*dst, loc, failure, speculates);
                let succeeded = self.update(*dst, loc, success, &desired);
                let is_expected = format!("{value} == {}", expected.text);
                let mut ways = vec![(None, vec![Stmt::If(is_expected.clone(), succeeded, failed.clone())])];
                if is_weak {
                    ways.push((Some(is_expected), failed));
                }
                Steps { stale: stale_read.into_iter().chain(stale_update).collect(), blocks: false, ways }
            }
            Op::Wait { dst, condition, order, .. } => {
                let comparison = |(cmp, operand): &(CmpOp, Expr)| Ok((*cmp, self.scope.integer(operand)?));
                let any_of: Vec<(CmpOp, Term)> = condition.any_of.iter().map(comparison).collect::<Result<_, _>>()?;
                let holds =
                    any_of.iter().map(|(cmp, operand)| format!("{value} {} {}", cmp.symbol().as_str(), operand.text));
                let mode = (*order).into();
                Steps {
                    stale: Vec::from_iter(self.stale(AttemptKind::Read, loc, mode, Accepts::AnyOf(&any_of))),
                    blocks: true,
                    ways: vec![(any(holds.collect()), self.read(*dst, loc, mode, false))],
                }
            }
            Op::BlockingCas { expected, desired, order, .. } => {
                let (expected, desired) = (self.scope.value(expected)?, self.scope.value(desired)?);
                let mode = (*order).into();
                let is_expected = format!("{value} == {}", expected.text);
                Steps {
                    stale: Vec::from_iter(self.stale(AttemptKind::Rmw, loc, mode, Accepts::Like(&expected))),
                    blocks: true,
                    ways: vec![(Some(is_expected), self.update(None, loc, mode, &desired))],
                }
            }
            Op::PlainLoad { dst, .. } => {
                let mut what = self.plain(loc, PlainKind::Read);
                what.extend(lines(self.set(Some(*dst), value, false)));
                Steps { stale: self.race(loc, PlainKind::Read), blocks: false, ways: vec![(None, what)] }
            }
            Op::PlainStore { value: stored, .. } => {
                let mut what = self.plain(loc, PlainKind::Write);
                what.extend(memory.assign(&self.scope.value(stored)?.text).map(Stmt::Line));
                Steps { stale: self.race(loc, PlainKind::Write), blocks: false, ways: vec![(None, what)] }
            }
            _ => Steps { stale: Vec::new(), blocks: false, ways: vec![(None, Vec::new())] },
        })
    }

    /// What an update writes.
    fn updated(&self, function: RmwFunction, old: &Term, operand: &Term) -> Result<Term, Unsupported> {
        let op = match function {
            RmwFunction::Add => BinaryOp::Add,
            RmwFunction::Sub => BinaryOp::Sub,
            RmwFunction::And => BinaryOp::BitAnd,
            RmwFunction::Or => BinaryOp::BitOr,
            RmwFunction::Xor => BinaryOp::BitXor,
            RmwFunction::Exchange => return Ok(operand.clone()),
        };
        self.scope.reduced(self.scope.binary(op, old, operand)?)
    }

    fn stale(&self, kind: AttemptKind, loc: LocId, mode: Mode, accepts: Accepts<'_>) -> Option<String> {
        self.context.encoding?.stale(self.t, &Attempt { kind, loc, mode, accepts })
    }

    fn step(&self, kind: AttemptKind, loc: LocId, mode: Mode) -> Vec<Stmt> {
        let value = self.context.names.location(loc).value();
        let encoding = self.context.encoding.iter();
        lines(encoding.flat_map(|encoding| encoding.step(self.t, &Step { kind, loc, mode, value })).collect())
    }

    /// A read; one that speculates may be stale, and then its value must not be used.
    fn read(&self, dst: Option<RegId>, loc: LocId, mode: Mode, speculates: bool) -> Vec<Stmt> {
        let value = self.context.names.location(loc).value();
        let set = |tainted: bool| lines(self.set(dst, value, tainted));
        let known = [self.step(AttemptKind::Read, loc, mode), set(false)].concat();
        let stale = self.stale(AttemptKind::Read, loc, mode, Accepts::Any).filter(|_| speculates);
        match (stale, self.context.encoding) {
            (Some(stale), Some(encoding)) => {
                let step = Step { kind: AttemptKind::Read, loc, mode, value };
                let tainted = [lines(encoding.tainted_read(self.t, &step)), set(true)].concat();
                vec![Stmt::If(stale, tainted, known)]
            }
            _ => known,
        }
    }

    fn update(&self, dst: Option<RegId>, loc: LocId, mode: Mode, written: &Term) -> Vec<Stmt> {
        let memory = self.context.names.location(loc);
        let mut stmts = self.step(AttemptKind::Rmw, loc, mode);
        let fixed = dst.is_none() || written.constant().is_some();
        if !fixed {
            stmts.push(Stmt::Line(format!("{WRITTEN} = {}", written.text)));
        }
        stmts.extend(lines(self.set(dst, memory.value(), false)));
        stmts.extend(memory.assign(if fixed { &written.text } else { WRITTEN }).map(Stmt::Line));
        stmts
    }

    /// `dst = value`, and whether it depends on a stale read.
    fn set(&self, dst: Option<RegId>, value: &str, tainted: bool) -> Vec<String> {
        let register = dst.map(|dst| self.context.names.register(self.scope.thread, dst));
        let mut statements = Vec::from_iter(register.and_then(|register| register.assign(value)));
        statements.extend(self.set_taint(dst, if tainted { "1" } else { "0" }));
        statements
    }

    fn plain(&self, loc: LocId, kind: PlainKind) -> Vec<Stmt> {
        let encoding = self.context.encoding.iter();
        lines(encoding.flat_map(|encoding| encoding.plain(self.t, loc, kind)).collect())
    }

    /// When a plain access is in a race: with an earlier one, or with one that another thread is
    /// about to make.
    fn race(&self, loc: LocId, kind: PlainKind) -> Vec<String> {
        let mut races = Vec::from_iter(self.context.encoding.and_then(|encoding| encoding.race(self.t, loc, kind)));
        for (other, announced) in self.context.announced.iter().enumerate().filter(|&(other, _)| other != self.t) {
            for (position, &(place, theirs)) in announced.iter().enumerate() {
                if place == loc && (kind == PlainKind::Write || theirs == PlainKind::Write) {
                    races.push(format!("{} == {}", about(other), position + 1));
                }
            }
        }
        races
    }
}

/// SC can be left.
fn alarm(when: String) -> Alternative {
    Alternative { guards: vec![when], body: vec![Stmt::Line("assert(false)".into()), Stmt::Rest(Rest::End)] }
}
