//! Shrinking: a program that shows something, made smaller while it still
//! shows it. Threads and instructions are removed, expressions become
//! constants, choices become jumps, until none of these can be done.

use fencepost_base::ids::{Pc, ThreadId};
use fencepost_ir::{
    Array, Condition, Expr, Instr, Location, LocationKind, Op, Place, Program, ProgramBuilder, Thread, WaitCondition,
};

/// The smallest program found that `shows` the thing, which `program` does.
pub fn shrink(program: &Program, mut shows: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    while let Some(smaller) = smaller(&best).into_iter().find(|candidate| shows(candidate)) {
        best = smaller;
    }
    best
}

/// The parts of a program, taken apart and put together again.
#[derive(Clone)]
pub(crate) struct Parts {
    name: Option<String>,
    pub(crate) domain: u64,
    pub(crate) locations: Vec<Location>,
    pub(crate) arrays: Vec<Array>,
    pub(crate) threads: Vec<Thread>,
    pub(crate) condition: Option<Condition>,
}

impl Parts {
    pub(crate) fn of(program: &Program) -> Self {
        Parts {
            name: program.name().map(str::to_string),
            domain: program.domain(),
            locations: program.locations().to_vec(),
            arrays: program.arrays().to_vec(),
            threads: program.threads().to_vec(),
            condition: program.condition().cloned(),
        }
    }

    pub(crate) fn build(self) -> Option<Program> {
        let mut builder = ProgramBuilder::new(self.name, self.domain);
        let mut next = 0;
        while let Some(location) = self.locations.get(next) {
            match self.arrays.iter().find(|array| array.base.index() == next) {
                Some(array) => {
                    let elements = &self.locations[next..next + array.len as usize];
                    let inits: Vec<_> = elements.iter().map(|element| element.init).collect();
                    builder.array(array.name.clone(), &inits, location.kind);
                    next += elements.len();
                }
                None => {
                    // The location of `fence(sc)` comes last, and is added by the builder.
                    if location.kind != LocationKind::Fence {
                        builder.location(location.name.clone(), location.init, location.kind);
                    }
                    next += 1;
                }
            }
        }
        for thread in self.threads {
            builder.thread(thread.name, thread.registers, thread.code);
        }
        self.condition.into_iter().for_each(|condition| builder.condition(condition));
        builder.build().ok()
    }
}

/// The programs one step smaller, greatest savings first.
fn smaller(program: &Program) -> Vec<Program> {
    let parts = Parts::of(program);
    let mut found = Vec::new();
    let mut consider = |edit: &dyn Fn(&mut Parts)| {
        let mut edited = parts.clone();
        edit(&mut edited);
        found.extend(edited.build());
    };
    if parts.threads.len() > 1 {
        for thread in 0..parts.threads.len() {
            consider(&|parts| {
                parts.threads.remove(thread);
            });
        }
    }
    for thread in program.thread_ids() {
        let code = &program.thread(thread).code;
        for pc in (0..code.len()).map(Pc::from_index) {
            consider(&|parts| remove(&mut parts.threads[thread.index()].code, pc));
        }
        for enter in (0..code.len()).filter(|&pc| code[pc].op == Op::Enter) {
            if let Some(leave) = (enter..code.len()).find(|&pc| code[pc].op == Op::Leave) {
                consider(&|parts| {
                    remove(&mut parts.threads[thread.index()].code, Pc::from_index(leave));
                    remove(&mut parts.threads[thread.index()].code, Pc::from_index(enter));
                });
            }
        }
        for pc in (0..code.len()).map(Pc::from_index) {
            for op in simpler(&program.instr(thread, pc).op) {
                consider(&|parts| replace(parts, thread, pc, op.clone()));
            }
        }
    }
    if program.domain() > 2 {
        consider(&|parts| parts.domain -= 1);
    }
    for location in 0..parts.locations.len() {
        if parts.locations[location].init != 0 {
            consider(&|parts| parts.locations[location].init = 0);
        }
    }
    found
}

/// Removes an instruction; jumps to it go to the one behind it.
fn remove(code: &mut Vec<Instr>, pc: Pc) {
    code.remove(pc.index());
    let move_target = |target: &mut Pc| {
        if *target > pc {
            target.0 -= 1;
        }
    };
    for instr in code {
        match &mut instr.op {
            Op::Jump { target } | Op::Branch { target, .. } => move_target(target),
            Op::Choose { targets } => targets.iter_mut().for_each(move_target),
            _ => {}
        }
    }
}

fn replace(parts: &mut Parts, thread: ThreadId, pc: Pc, op: Op) {
    parts.threads[thread.index()].code[pc.index()].op = op;
}

/// Simpler instructions with the same purpose.
fn simpler(op: &Op) -> Vec<Op> {
    let mut found = Vec::new();
    if let Op::Choose { targets } = op {
        found.extend(targets.iter().map(|&target| Op::Jump { target }));
    }
    if let Op::Wait { dst, place, condition, order } = op
        && condition.any_of.len() > 1
    {
        for comparison in &condition.any_of {
            let condition = WaitCondition { any_of: vec![comparison.clone()] };
            found.push(Op::Wait { dst: *dst, place: place.clone(), condition, order: *order });
        }
    }
    let mut count = 0;
    op.for_each_expr(&mut |_| count += 1);
    for index in 0..count {
        for constant in [0, 1] {
            found.extend(with_constant(op, index, constant));
        }
    }
    found
}

/// The instruction with its expression number `index` (in the order of `for_each_expr`) made
/// constant.
fn with_constant(op: &Op, index: usize, constant: i64) -> Option<Op> {
    let mut op = op.clone();
    let mut position = 0;
    let mut changed = false;
    for_each_expr_mut(&mut op, &mut |expr| {
        if position == index && !matches!(expr, Expr::Const(_)) {
            *expr = Expr::Const(constant);
            changed = true;
        }
        position += 1;
    });
    changed.then_some(op)
}

/// As `Op::for_each_expr`, to change them.
fn for_each_expr_mut(op: &mut Op, visit: &mut impl FnMut(&mut Expr)) {
    let visit_place = |place: &mut Place, visit: &mut dyn FnMut(&mut Expr)| {
        if let Place::Element { index, .. } = place {
            visit(index);
        }
    };
    match op {
        Op::Assign { value, .. }
        | Op::Verify { value }
        | Op::Branch { cond: value, .. }
        | Op::Assume { cond: value }
        | Op::Assert { cond: value }
        | Op::Bound { cond: value } => visit(value),
        Op::Nondet { low, high, .. } => {
            visit(low);
            visit(high);
        }
        Op::Load { place, .. } | Op::PlainLoad { place, .. } => visit_place(place, visit),
        Op::Store { place, value, .. } | Op::PlainStore { place, value } | Op::Update { place, operand: value, .. } => {
            visit_place(place, visit);
            visit(value);
        }
        Op::Cas { place, expected, desired, .. } | Op::BlockingCas { place, expected, desired, .. } => {
            visit_place(place, visit);
            visit(expected);
            visit(desired);
        }
        Op::Wait { place, condition, .. } => {
            visit_place(place, visit);
            condition.any_of.iter_mut().for_each(|(_, expr)| visit(expr));
        }
        Op::Jump { .. }
        | Op::Choose { .. }
        | Op::Fence { .. }
        | Op::LightFence { .. }
        | Op::Enter
        | Op::Leave
        | Op::Halt => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn a_program_comes_apart_and_together_again() {
        for seed in 0..300 {
            let program = generate::program(seed, &generate::Options::default());
            assert_eq!(Parts::of(&program).build(), Some(program));
        }
    }

    #[test]
    fn what_is_not_needed_goes_away() {
        let is_update = |op: &Op| matches!(op, Op::Update { .. });
        let updates =
            |program: &Program| program.threads().iter().flat_map(|t| &t.code).filter(|i| is_update(&i.op)).count();
        let mut shrunk = 0;
        for seed in 0..50 {
            let program = generate::program(seed, &generate::Options { loops: true, ..Default::default() });
            if updates(&program) >= 2 {
                let small = shrink(&program, |candidate| updates(candidate) >= 2);
                assert_eq!(updates(&small), 2);
                assert_eq!(small.size(), 2 + small.threads().len(), "two updates and the ends of threads");
                shrunk += 1;
            }
        }
        assert!(shrunk > 0);
    }
}
