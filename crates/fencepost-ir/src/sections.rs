//! Atomic sections: which instructions are inside, and how to write them in one piece.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use fencepost_base::ids::Pc;

use crate::expr::Expr;
use crate::program::{Instr, Op, Origin};

/// For every instruction, whether control is inside of a section when it is there; nothing if there
/// is no section. Control starts outside. An instruction that cannot be reached counts as inside if
/// the one before it in the code leads inside. Otherwise an instruction, and what is wrong with it.
pub(crate) fn inside(code: &[Instr]) -> Result<Vec<bool>, (usize, &'static str)> {
    if !code.iter().any(|instr| matches!(instr.op, Op::Enter | Op::Leave)) {
        return Ok(Vec::new());
    }
    let mut inside: Vec<Option<bool>> = vec![None; code.len()];
    inside[0] = Some(false);
    let mut open = vec![0];
    while let Some(pc) = open.pop() {
        let here = inside[pc] == Some(true);
        let after = match code[pc].op {
            Op::Enter if here => return Err((pc, "a section inside of a section")),
            Op::Leave if !here => return Err((pc, "the end of a section outside of any")),
            Op::Halt if here => return Err((pc, "the thread ends inside of a section")),
            Op::Enter => true,
            Op::Leave => false,
            _ => here,
        };
        for next in code[pc].op.successors(Pc::from_index(pc)) {
            match inside[next.index()] {
                None => {
                    inside[next.index()] = Some(after);
                    open.push(next.index());
                }
                Some(known) if known != after => return Err((next.index(), "both inside and outside of a section")),
                Some(_) => {}
            }
        }
    }
    let mut before = false;
    let decide = |(instr, known): (&Instr, Option<bool>)| {
        let here = known.unwrap_or(before);
        before = matches!(instr.op, Op::Enter) || here && !matches!(instr.op, Op::Leave);
        here
    };
    Ok(code.iter().zip(inside).map(decide).collect())
}

/// Where an instruction of a copy stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Position {
    /// That of this instruction outside of sections.
    Outside(usize),
    /// The section that begins here and ends there, if it ends.
    Section(usize, Option<usize>),
    /// That of the last instruction in this section.
    Inside(usize, Option<usize>, usize),
    /// At the end of the thread.
    End,
}

/// The code with every section in one piece, from its `Enter` to its only `Leave`, and no jumps
/// across these borders. Usually that is the code itself. Otherwise instructions that several
/// sections share are copied, those that cannot be reached are left out, and a section that ends in
/// several places becomes a choice of sections that end in one each.
pub fn in_brackets(code: &[Instr]) -> Cow<'_, [Instr]> {
    if is_bracketed(code) {
        return Cow::Borrowed(code);
    }
    let mut copy = Rearranged::default();
    for &pc in &outside(code) {
        let Instr { op, origin } = &code[pc];
        copy.place(Position::Outside(pc));
        if *op != Op::Enter {
            copy.instr(&code[pc], pc, Position::Outside);
            continue;
        }
        let body = reachable(code, pc + 1, &Op::Leave);
        let mut ends: Vec<Option<usize>> =
            body.iter().copied().filter(|&pc| code[pc].op == Op::Leave).map(Some).collect();
        if ends.is_empty() {
            ends.push(None);
        }
        if ends.len() > 1 {
            let targets = ends.iter().map(|&end| copy.target(Position::Section(pc, end))).collect();
            copy.emit(Op::Choose { targets }, *origin);
        }
        for end in ends {
            copy.place(Position::Section(pc, end));
            copy.emit(Op::Enter, *origin);
            copy.jump(Position::Inside(pc, end, pc + 1), *origin);
            for &inner in body.iter().filter(|&&inner| Some(inner) != end) {
                copy.place(Position::Inside(pc, end, inner));
                match code[inner].op {
                    Op::Leave => {
                        copy.emit(Op::Assume { cond: Expr::Const(0) }, code[inner].origin);
                        copy.jump(Position::Inside(pc, end, inner), *origin);
                    }
                    _ => copy.instr(&code[inner], inner, |next| Position::Inside(pc, end, next)),
                }
            }
            if let Some(end) = end {
                copy.place(Position::Inside(pc, Some(end), end));
            }
            copy.emit(Op::Leave, end.map_or(*origin, |end| code[end].origin));
            copy.jump(end.map_or(Position::End, |end| Position::Outside(end + 1)), *origin);
        }
    }
    copy.place(Position::End);
    copy.emit(Op::Halt, Origin::default());
    Cow::Owned(copy.finish())
}

/// Is every section in one piece, and does no jump cross its borders?
fn is_bracketed(code: &[Instr]) -> bool {
    // The section that each instruction is in, by the position of its `Enter`.
    let mut sections: Vec<Option<usize>> = Vec::with_capacity(code.len());
    let mut section = None;
    for (pc, instr) in code.iter().enumerate() {
        sections.push(section);
        match (&instr.op, section) {
            (Op::Enter, None) => section = Some(pc),
            (Op::Leave, Some(_)) => section = None,
            (Op::Enter, Some(_)) | (Op::Leave, None) | (Op::Halt, Some(_)) => return false,
            _ => {}
        }
    }
    let stays = |(pc, instr): (usize, &Instr)| {
        matches!(instr.op, Op::Enter | Op::Leave)
            || instr.op.successors(Pc::from_index(pc)).iter().all(|next| sections[next.index()] == sections[pc])
    };
    section.is_none() && code.iter().enumerate().all(stays)
}

/// What can be reached from `start`, not looking beyond instructions that are `last`.
fn reachable(code: &[Instr], start: usize, last: &Op) -> BTreeSet<usize> {
    let mut reached = BTreeSet::from([start]);
    let mut open = vec![start];
    while let Some(pc) = open.pop() {
        if code[pc].op != *last {
            let next = code[pc].op.successors(Pc::from_index(pc)).into_iter().map(Pc::index);
            open.extend(next.filter(|&next| reached.insert(next)));
        }
    }
    reached
}

/// The instructions outside of sections that can be reached.
fn outside(code: &[Instr]) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open = vec![0];
    while let Some(start) = open.pop() {
        for pc in reachable(code, start, &Op::Enter) {
            if reached.insert(pc) && code[pc].op == Op::Enter {
                let body = reachable(code, pc + 1, &Op::Leave);
                open.extend(body.into_iter().filter(|&pc| code[pc].op == Op::Leave).map(|leave| leave + 1));
            }
        }
    }
    reached
}

/// Code whose jumps lead to positions that may not be known yet.
#[derive(Default)]
struct Rearranged {
    code: Vec<Instr>,
    placed: BTreeMap<Position, Pc>,
    /// What the targets of jumps stand for.
    targets: Vec<Position>,
}

impl Rearranged {
    /// The next instruction stands there.
    fn place(&mut self, position: Position) {
        self.placed.insert(position, Pc::from_index(self.code.len()));
    }

    fn target(&mut self, position: Position) -> Pc {
        self.targets.push(position);
        Pc::from_index(self.targets.len() - 1)
    }

    fn emit(&mut self, op: Op, origin: Origin) {
        self.code.push(Instr { op, origin });
    }

    fn jump(&mut self, position: Position, origin: Origin) {
        let target = self.target(position);
        self.emit(Op::Jump { target }, origin);
    }

    /// A copy of the instruction at `pc`, and a jump to the next one.
    fn instr(&mut self, instr: &Instr, pc: usize, position: impl Fn(usize) -> Position) {
        let mut op = instr.op.clone();
        match &mut op {
            Op::Jump { target } | Op::Branch { target, .. } => *target = self.target(position(target.index())),
            Op::Choose { targets } => {
                for target in targets {
                    *target = self.target(position(target.index()));
                }
            }
            _ => {}
        }
        let falls_through = !matches!(op, Op::Jump { .. } | Op::Choose { .. } | Op::Halt);
        self.emit(op, instr.origin);
        if falls_through {
            self.jump(position(pc + 1), instr.origin);
        }
    }

    fn finish(mut self) -> Vec<Instr> {
        for instr in &mut self.code {
            let resolve = |target: &mut Pc| *target = self.placed[&self.targets[target.index()]];
            match &mut instr.op {
                Op::Jump { target } | Op::Branch { target, .. } => resolve(target),
                Op::Choose { targets } => targets.iter_mut().for_each(resolve),
                _ => {}
            }
        }
        self.code
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(ops: Vec<Op>) -> Vec<Instr> {
        ops.into_iter().map(|op| Instr { op, origin: Origin::default() }).collect()
    }

    fn jump(target: u32) -> Op {
        Op::Jump { target: Pc(target) }
    }

    fn branch(target: u32) -> Op {
        Op::Branch { cond: Expr::Const(1), target: Pc(target) }
    }

    #[test]
    fn every_instruction_is_inside_or_outside() {
        let section = code(vec![Op::Enter, branch(3), jump(1), Op::Leave, Op::Halt]);
        assert_eq!(inside(&section), Ok(vec![false, true, true, true, false]));
        assert_eq!(inside(&code(vec![jump(1), Op::Halt])), Ok(Vec::new()));
        // What follows an endless section is not reached.
        assert_eq!(inside(&code(vec![Op::Enter, jump(1), Op::Leave, Op::Halt])), Ok(vec![false, true, true, false]));
    }

    #[test]
    fn borders_are_crossed_by_their_own_instructions_only() {
        let wrong = |ops| inside(&code(ops)).expect_err("it is wrong");
        assert_eq!(wrong(vec![Op::Enter, Op::Enter, Op::Leave, Op::Halt]).0, 1);
        assert_eq!(wrong(vec![Op::Leave, Op::Halt]).0, 0);
        assert_eq!(wrong(vec![Op::Enter, Op::Halt]).0, 1);
        assert_eq!(wrong(vec![branch(2), Op::Enter, Op::Leave, Op::Halt]).0, 2);
        let both = vec![branch(2), Op::Enter, Op::Assume { cond: Expr::Const(1) }, jump(3)];
        assert_eq!(wrong(both).1, "both inside and outside of a section");
    }

    #[test]
    fn scattered_sections_are_put_together() {
        // Two sections share their end; one of them ends in two places.
        let (first, second) = ([Op::Enter, branch(7), jump(5)], [Op::Enter, Op::Leave, jump(8), Op::Leave, Op::Halt]);
        let scattered = code([vec![branch(4)], first.to_vec(), second.to_vec()].concat());
        assert!(inside(&scattered).is_ok() && !is_bracketed(&scattered));
        let together = in_brackets(&scattered);
        assert!(inside(&together).is_ok() && is_bracketed(&together));
        assert_eq!(together.iter().filter(|instr| instr.op == Op::Enter).count(), 3);
        let tidy = code(vec![Op::Enter, branch(3), jump(1), Op::Leave, Op::Halt]);
        assert_eq!(in_brackets(&tidy), tidy);
    }
}
