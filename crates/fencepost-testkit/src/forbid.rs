//! Assertions that hold under SC, and need not hold elsewhere.
//!
//! Assertions drawn at random fail under SC about as often as in a weak model, and say little about
//! the latter. Here the program says what to assert. Registers have some values at the end of its SC
//! runs. Some combinations of such values do not occur: one of these is asserted not to, as a litmus
//! test does with `~exists`. The program is changed before, so that values tell who read from whom
//! (`telling`); otherwise most weak executions end like one under SC. Of 2,000 dense programs, 7
//! (TSO) to 17 (RC20) in a hundred fail in the model and not under SC.
//!
//! Where the registers are those of several threads, the last of these compares them. Each of the
//! others ends with a release store that says that its own registers have their values in the
//! combination, and the last one waits for these stores. Nothing comes after them, so they forbid
//! nothing that comes before.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_base::ids::{LocId, Pc, RegId, ThreadId, Value};
use fencepost_base::order::{ReadOrder, WriteOrder};
use fencepost_ir::{
    BinaryOp, CmpOp, Expr, Instr, Location, LocationKind, Observable, Op, Place, Program, Register, RmwFunction,
    WaitCondition,
};

use crate::edit::insert;
use crate::random::Random;
use crate::shrink::Parts;

/// Most registers that are looked at together: four, as in the shape IRIW.
const MOST_REGISTERS: usize = 4;

/// A register of a thread, and its place among the outcomes.
type Watched = (usize, ThreadId, RegId);

/// A program with one assertion, made from this one. `outcomes` says what registers can have at the
/// end under SC, together; nothing if it does not know. Then, or where every combination occurs,
/// there is no assertion at all.
pub fn forbidding(
    program: &Program,
    random: &mut Random,
    outcomes: impl FnOnce(&Program, &[Observable]) -> Option<BTreeSet<Vec<Value>>>,
) -> Program {
    let telling = self::telling(program);
    let of_thread = |thread| (0..telling.thread(thread).registers.len()).map(move |index| (thread, index));
    let registers = telling.thread_ids().flat_map(of_thread).enumerate();
    let registers: Vec<Watched> =
        registers.map(|(place, (thread, index))| (place, thread, RegId::from_index(index))).collect();
    let observed: Vec<Observable> =
        registers.iter().map(|&(_, thread, register)| Observable::Register(thread, register)).collect();
    let Some(outcomes) = outcomes(&telling, &observed) else { return telling };
    match missing(&registers, &outcomes, random) {
        Some(combination) => asserting(&telling, &combination),
        None => telling,
    }
}

/// The program in which values tell where they come from: every store writes a value that no other
/// one writes, and every read has a register of its own that keeps what it has read. Nobody waits,
/// so that there are final states, and nothing is asserted.
fn telling(program: &Program) -> Program {
    let mut parts = Parts::of(program);
    let mut values: u32 = 1;
    for thread in &mut parts.threads {
        for pc in (0..thread.code.len()).rev() {
            let op = &mut thread.code[pc].op;
            match op {
                Op::Store { value, .. } | Op::PlainStore { value, .. } => {
                    *value = Expr::Const(i64::from(values));
                    values += 1;
                }
                Op::Wait { dst, place, order, .. } => {
                    *op = Op::Load { dst: *dst, place: place.clone(), order: *order };
                }
                Op::BlockingCas { place, desired, order, .. } => {
                    let (place, operand) = (place.clone(), desired.clone());
                    *op = Op::Update { dst: None, place, function: RmwFunction::Exchange, operand, order: *order };
                }
                Op::Assert { cond } | Op::Assume { cond } => *op = Op::Verify { value: cond.clone() },
                _ => {}
            }
            let (Op::Load { dst, .. } | Op::Update { dst, .. } | Op::Cas { dst, .. }) = op else { continue };
            let kept = RegId::from_index(thread.registers.len());
            thread.registers.push(Register { name: format!("kept{pc}"), init: 0 });
            match dst {
                None => *dst = Some(kept),
                Some(dst) => {
                    let value = Expr::Reg(*dst);
                    insert(&mut thread.code, Pc::from_index(pc + 1), Op::Assign { dst: kept, value });
                }
            }
        }
    }
    parts.domain = parts.domain.max(u64::from(values));
    parts.build().expect("still well-formed")
}

/// Values that some registers do not have together, though each of them has its own: of as few
/// registers as possible, or now and then of some more.
fn missing(
    registers: &[Watched],
    outcomes: &BTreeSet<Vec<Value>>,
    random: &mut Random,
) -> Option<Vec<(Watched, Value)>> {
    let mut found = None;
    for size in 2..=MOST_REGISTERS.min(registers.len()) {
        let candidates: Vec<_> =
            subsets(registers, size).iter().flat_map(|subset| missing_of(subset, outcomes)).collect();
        if !candidates.is_empty() {
            found = Some(random.pick(&candidates));
            if random.chance(60) {
                break;
            }
        }
    }
    found
}

/// The combinations of values that these registers do not have, but any fewer of them do.
fn missing_of(registers: &[Watched], outcomes: &BTreeSet<Vec<Value>>) -> Vec<Vec<(Watched, Value)>> {
    let occurring = |registers: &[Watched]| -> BTreeSet<Vec<Value>> {
        outcomes.iter().map(|values| registers.iter().map(|&(place, ..)| values[place]).collect()).collect()
    };
    let all = occurring(registers);
    let parts: Vec<(usize, BTreeSet<Vec<Value>>)> = (0..registers.len())
        .map(|left_out| {
            let mut part = registers.to_vec();
            part.remove(left_out);
            (left_out, occurring(&part))
        })
        .collect();
    let values: Vec<BTreeSet<Value>> =
        registers.iter().map(|&(place, ..)| outcomes.iter().map(|values| values[place]).collect()).collect();
    let mut combinations: Vec<Vec<Value>> = vec![Vec::new()];
    for values in values {
        combinations = combinations
            .iter()
            .flat_map(|some| values.iter().map(move |&value| [some.as_slice(), &[value]].concat()))
            .collect();
    }
    combinations.retain(|combination| {
        let occurs = |(left_out, part): &(usize, BTreeSet<Vec<Value>>)| {
            let mut rest = combination.clone();
            rest.remove(*left_out);
            part.contains(&rest)
        };
        !all.contains(combination) && parts.iter().all(occurs)
    });
    combinations.into_iter().map(|values| registers.iter().copied().zip(values).collect()).collect()
}

/// All ways to take so many of the registers, in order.
fn subsets(registers: &[Watched], size: usize) -> Vec<Vec<Watched>> {
    match (size, registers) {
        (0, _) => vec![Vec::new()],
        (_, []) => Vec::new(),
        (_, [first, rest @ ..]) => {
            let with = subsets(rest, size - 1).into_iter().map(|subset| [&[*first], subset.as_slice()].concat());
            with.chain(subsets(rest, size)).collect()
        }
    }
}

/// The program that asserts that registers do not have these values at the end, all together.
fn asserting(program: &Program, combination: &[(Watched, Value)]) -> Program {
    let mut by_thread: BTreeMap<ThreadId, Vec<(RegId, Value)>> = BTreeMap::new();
    for &((_, thread, register), value) in combination {
        by_thread.entry(thread).or_default().push((register, value));
    }
    let mut parts = Parts::of(program);
    // It comes last, and the builder adds it again.
    parts.locations.retain(|location| location.kind != LocationKind::Fence);
    let (judge, own) = by_thread.pop_last().expect("a combination of some values");
    let mut told = Vec::new();
    for (thread, values) in by_thread {
        let place = Place::Fixed(LocId::from_index(parts.locations.len()));
        let name = format!("told{}", thread.index());
        parts.locations.push(Location { name, init: 0, kind: LocationKind::Atomic });
        let tell = Op::Store { place: place.clone(), value: Expr::Const(1), order: WriteOrder::Rel };
        end_with(&mut parts.threads[thread.index()].code, &values, &[tell]);
        let condition = WaitCondition { any_of: vec![(CmpOp::Eq, Expr::Const(1))] };
        told.push(Op::Wait { dst: None, place, condition, order: ReadOrder::Acq });
    }
    told.push(Op::Assert { cond: Expr::Const(0) });
    end_with(&mut parts.threads[judge.index()].code, &own, &told);
    parts.build().expect("still well-formed")
}

/// Where the code ends and registers have these values, it does something else first.
fn end_with(code: &mut Vec<Instr>, values: &[(RegId, Value)], ops: &[Op]) {
    let differs = |&(register, value): &(RegId, Value)| {
        let (register, value) = (Expr::Reg(register), Expr::Const(i64::from(value)));
        Expr::Binary(BinaryOp::Cmp(CmpOp::Ne), Box::new(register), Box::new(value))
    };
    let any = values.iter().map(differs);
    let any = any.reduce(|one, other| Expr::Binary(BinaryOp::Or, Box::new(one), Box::new(other)));
    let cond = any.expect("a thread of the combination");
    for end in (0..code.len()).rev().filter(|&pc| code[pc].op == Op::Halt).collect::<Vec<_>>() {
        for op in ops.iter().rev() {
            insert(code, Pc::from_index(end), op.clone());
        }
        let target = Pc::from_index(end + ops.len() + 1);
        insert(code, Pc::from_index(end), Op::Branch { cond: cond.clone(), target });
    }
}

/// A program that asserts such things ([`forbidding`]), whose threads wait for the values in question
/// where they load them: an SC run that gets stuck there is one that a stale value lets go on.
pub fn waiting(program: &Program) -> Program {
    let mut parts = Parts::of(program);
    for thread in &mut parts.threads {
        let mut values = Vec::new();
        for instr in &thread.code {
            if let Op::Branch { cond, .. } = &instr.op {
                wanted(cond, &mut values);
            }
        }
        for pc in 1..thread.code.len() {
            let Op::Assign { dst: kept, value: Expr::Reg(read) } = thread.code[pc].op else { continue };
            let Some(&(_, value)) = values.iter().find(|(register, _)| *register == kept) else { continue };
            if let Op::Load { dst: Some(dst), place, order } = &thread.code[pc - 1].op
                && *dst == read
            {
                let condition = WaitCondition { any_of: vec![(CmpOp::Eq, Expr::Const(value))] };
                thread.code[pc - 1].op = Op::Wait { dst: Some(read), place: place.clone(), condition, order: *order };
            }
        }
    }
    parts.build().expect("still well-formed")
}

/// The values that registers have where a condition of [`end_with`] does not hold.
fn wanted(cond: &Expr, values: &mut Vec<(RegId, i64)>) {
    match cond {
        Expr::Binary(BinaryOp::Or, one, other) => {
            wanted(one, values);
            wanted(other, values);
        }
        Expr::Binary(BinaryOp::Cmp(CmpOp::Ne), register, value) => {
            if let (Expr::Reg(register), Expr::Const(value)) = (register.as_ref(), value.as_ref()) {
                values.push((*register, *value));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_combination_is_the_one_that_sc_does_not_have() {
        let registers = [(0, ThreadId(0), RegId(0)), (1, ThreadId(1), RegId(0)), (2, ThreadId(1), RegId(1))];
        // Store buffering, and a register that is always the same.
        let outcomes = BTreeSet::from([vec![0, 1, 5], vec![1, 0, 5], vec![1, 1, 5]]);
        let found = missing(&registers, &outcomes, &mut Random::new(1)).expect("one is missing");
        assert_eq!(found, [(registers[0], 0), (registers[1], 0)]);
        let all = BTreeSet::from([vec![0, 0, 5], vec![0, 1, 5], vec![1, 0, 5], vec![1, 1, 5]]);
        assert_eq!(missing(&registers, &all, &mut Random::new(1)), None);
    }
}
