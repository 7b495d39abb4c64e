//! Which integers can registers and memory hold? An over-approximation, computed as a least
//! fixpoint.
//!
//! For every control state of every thread and every register, the integers it can have there; for
//! every address, those ever written to it. A `check` keeps the integers that can pass it. Sets
//! that become large are taken to be anything.

use std::collections::BTreeMap;

use fencepost_base::effort::Effort;
use fencepost_base::ids::RegId;
use fencepost_ir::{BinaryOp, Expr, ProgramBuilder, WIDE_DOMAIN};

use super::{Act, Machine};

/// Largest explicit set.
const LARGEST_SET: usize = 64;
/// Largest number of combinations of operands that is enumerated.
const MOST_COMBINATIONS: usize = 4096;
/// Combinations of operands and sets looked at before whatever still grows is taken to be anything.
const MOST_WORK: usize = 1 << 22;
/// Most sets for the registers of one thread; beyond that, its control states are not told apart.
const MOST_SETS: usize = 1 << 18;

/// A set of integers: explicit while small, otherwise "any".
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Set {
    /// Exactly these, in ascending order.
    Of(Vec<i64>),
    /// Any integer.
    Any,
}

impl Set {
    fn only(value: i64) -> Set {
        Set::Of(vec![value])
    }

    fn empty() -> Set {
        Set::Of(Vec::new())
    }

    /// The set of what may come in any order, and several times.
    fn of(mut values: Vec<i64>) -> Set {
        values.sort_unstable();
        values.dedup();
        Set::Of(values)
    }

    fn contains_negative(&self) -> bool {
        match self {
            Set::Of(set) => set.first().is_some_and(|&least| least < 0),
            Set::Any => true,
        }
    }

    /// Adds `other`; true if something is new.
    fn join(&mut self, other: &Set, widen: bool) -> bool {
        let (Set::Of(mine), Set::Of(theirs)) = (&mut *self, other) else {
            let grew = *self != Set::Any && *other == Set::Any;
            if grew {
                *self = Set::Any;
            }
            return grew;
        };
        let before = mine.len();
        for value in theirs {
            if let Err(place) = mine.binary_search(value) {
                mine.insert(place, *value);
            }
        }
        let grew = mine.len() > before;
        if mine.len() > LARGEST_SET || (grew && widen) {
            *self = Set::Any;
        }
        grew
    }
}

/// The integers that are values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) low: i64,
    pub(super) high: i64,
}

impl Range {
    pub(super) fn domain(self) -> u64 {
        (self.high - self.low + 1) as u64
    }
}

/// The integers of each register.
type Registers = Vec<Set>;

/// The result of the analysis.
pub(super) struct Values {
    /// For every thread and control state; `None` where control never comes.
    at: Vec<Vec<Option<Registers>>>,
    /// What is written to known addresses.
    memory: BTreeMap<i64, Set>,
    /// What is written to addresses that can be anything.
    anywhere: Set,
    /// Can negative integers come from somewhere?
    negative: bool,
    work: usize,
}

/// What grew when: a transition is looked at again only if something it depends on has grown since.
struct Times {
    now: u64,
    /// For every thread and control state, when one of its registers did.
    states: Vec<Vec<u64>>,
    /// For every thread, control state and register.
    registers: Vec<Vec<Vec<u64>>>,
    memory: u64,
    /// For every thread and transition, when it was looked at.
    edges: Vec<Vec<u64>>,
    /// The same, when it was possible then.
    arrivals: Vec<Vec<u64>>,
}

impl Values {
    pub(super) fn of(machines: &[Machine<'_>], effort: &Effort<'_>) -> Self {
        let at: Vec<Vec<Option<Registers>>> = machines
            .iter()
            .map(|machine| {
                let told_apart = machine.states.saturating_mul(machine.registers.len()) <= MOST_SETS;
                let mut at = vec![None; if told_apart { machine.states } else { 1 }];
                at[if told_apart { machine.initial } else { 0 }] = Some(vec![Set::only(0); machine.registers.len()]);
                at
            })
            .collect();
        let mut times = Times {
            now: 1,
            states: at.iter().map(|at| vec![1; at.len()]).collect(),
            registers: at
                .iter()
                .zip(machines)
                .map(|(at, machine)| vec![vec![1; machine.registers.len()]; at.len()])
                .collect(),
            memory: 1,
            edges: machines.iter().map(|machine| vec![0; machine.edges.len()]).collect(),
            arrivals: machines.iter().map(|machine| vec![0; machine.edges.len()]).collect(),
        };
        let subtracts =
            |machine: &Machine<'_>| machine.edges.iter().flat_map(|edge| edge.act.exprs()).any(can_make_negative);
        let negative = machines.iter().any(subtracts);
        let mut values = Values { at, memory: BTreeMap::new(), anywhere: Set::empty(), negative, work: 0 };
        let orders: Vec<Vec<usize>> = machines.iter().map(order).collect();
        let mut grew = true;
        while grew {
            grew = false;
            for (thread, machine) in machines.iter().enumerate() {
                for &edge in &orders[thread] {
                    grew |= values.step(thread, machine, edge, &mut times);
                    if !effort.step(0) {
                        return values;
                    }
                }
            }
        }
        values
    }

    fn point(&self, thread: usize, state: usize) -> usize {
        if self.at[thread].len() == 1 { 0 } else { state }
    }

    fn registers(&self, thread: usize, state: usize) -> Option<&Registers> {
        self.at[thread][self.point(thread, state)].as_ref()
    }

    /// Can control come to this state?
    pub(super) fn is_reachable(&self, thread: usize, state: usize) -> bool {
        self.registers(thread, state).is_some()
    }

    /// Can the register be negative in this state?
    pub(super) fn can_be_negative(&self, thread: usize, state: usize, register: RegId) -> bool {
        self.negative
            && self.registers(thread, state).is_some_and(|registers| registers[register.index()].contains_negative())
    }

    /// The integers an expression can have in a state.
    pub(super) fn integers(&self, thread: usize, state: usize, expr: &Expr) -> Set {
        self.registers(thread, state).map_or(Set::empty(), |registers| integers(registers, expr).0)
    }

    /// Do these conditions exclude each other in this state? And is there always one that holds?
    pub(super) fn exclusive(&self, thread: usize, state: usize, conds: &[&Expr]) -> (bool, bool) {
        let (mut exclusive, mut exhaustive) = (true, true);
        let complete = self.registers(thread, state).is_some_and(|registers| {
            for_each_valuation(registers, conds, &mut |valuation| {
                let holding = conds.iter().filter(|cond| eval(cond, valuation).is_none_or(|value| value != 0)).count();
                exclusive &= holding <= 1;
                exhaustive &= holding == 1;
            })
            .is_some()
        });
        if complete {
            return (exclusive, exhaustive);
        }
        let opposite = matches!(conds, [first, second] if opposite(first, second));
        (opposite, opposite)
    }

    /// The domain that is needed.
    pub(super) fn range(&self) -> Range {
        let sets = self.at.iter().flatten().flatten().flatten().chain(self.memory.values()).chain([&self.anywhere]);
        let (mut low, mut high, mut bounded) = (0, 0, true);
        for set in sets {
            match set {
                Set::Any => bounded = false,
                Set::Of(set) => {
                    low = set.first().copied().unwrap_or(0).min(low);
                    high = set.last().copied().unwrap_or(0).max(high);
                }
            }
        }
        let most = ProgramBuilder::MAX_DOMAIN as i64;
        if bounded && high - low < most {
            return Range { low, high };
        }
        let mut domain = WIDE_DOMAIN as i64;
        loop {
            let range = match self.negative {
                true => Range { low: -domain / 2, high: domain / 2 - 1 },
                false => Range { low: 0, high: domain - 1 },
            };
            if domain == most || (range.low <= low && high <= range.high) {
                return range;
            }
            domain *= 2;
        }
    }

    /// Adds the effect of a transition; true if something grew.
    fn step(&mut self, thread: usize, machine: &Machine<'_>, number: usize, times: &mut Times) -> bool {
        let edge = &machine.edges[number];
        let (from, to) = (self.point(thread, edge.from), self.point(thread, edge.to));
        let reads = matches!(edge.act, Act::Read { .. });
        let grown = times.states[thread][from].max(if reads { times.memory } else { 0 });
        if times.edges[thread][number] >= grown {
            return false;
        }
        // Out of the way until the end.
        let Some(mut registers) = self.at[thread][from].take() else { return false };
        times.edges[thread][number] = times.now;
        times.now += 1;
        let widen = self.work > MOST_WORK;
        let mut memory_grew = false;
        let mut changed: Vec<(usize, Set)> = Vec::new();
        let mut possible = true;
        let mut work = 1 + registers.len();
        let mut values = |expr: &Expr| {
            let (set, combinations) = integers(&registers, expr);
            work += combinations;
            set
        };
        match &edge.act {
            Act::Local { dst, value } => changed.push((dst.index(), values(value))),
            Act::Read { dst, address } => {
                let address = values(address);
                changed.push((dst.index(), self.held(&address)));
            }
            Act::Write { value, address } => match (values(address), values(value)) {
                (Set::Any, set) => memory_grew = self.anywhere.join(&set, widen),
                (Set::Of(addresses), set) => {
                    for address in addresses {
                        memory_grew |= self.memory.entry(address).or_insert_with(Set::empty).join(&set, widen);
                    }
                }
            },
            Act::Check(cond) => {
                let combinations;
                (possible, combinations) = pass(&registers, cond, &mut changed);
                work += combinations;
            }
            Act::Fence | Act::Lock | Act::Unlock | Act::Noop => {}
        }
        self.work += work;
        if memory_grew {
            times.memory = times.now;
        }
        let mut grew = false;
        if possible {
            let since = std::mem::replace(&mut times.arrivals[thread][number], times.now - 1);
            let old = std::mem::take(&mut times.registers[thread][from]);
            if from == to {
                times.registers[thread][from] = old;
                for (register, set) in &changed {
                    if registers[*register].join(set, widen) {
                        times.registers[thread][to][*register] = times.now;
                        grew = true;
                    }
                }
            } else {
                let there = &mut self.at[thread][to];
                let first = there.is_none();
                let there = there.get_or_insert_with(|| vec![Set::empty(); registers.len()]);
                grew = first;
                for (register, mine) in there.iter_mut().enumerate() {
                    let change = changed.iter().find(|(changed, _)| *changed == register);
                    // What has not grown since it arrived last is there already.
                    if change.is_none() && !first && old[register] <= since {
                        continue;
                    }
                    if mine.join(change.map_or(&registers[register], |(_, set)| set), widen && !first) {
                        times.registers[thread][to][register] = times.now;
                        grew = true;
                    }
                }
                times.registers[thread][from] = old;
            }
        }
        self.at[thread][from] = Some(registers);
        if grew {
            times.states[thread][to] = times.now;
        }
        grew || memory_grew
    }
    /// What memory can hold at one of these addresses.
    fn held(&self, addresses: &Set) -> Set {
        let mut held = Set::only(0);
        held.join(&self.anywhere, false);
        match addresses {
            Set::Any => self.memory.values().for_each(|set| {
                held.join(set, false);
            }),
            Set::Of(addresses) => addresses.iter().filter_map(|address| self.memory.get(address)).for_each(|set| {
                held.join(set, false);
            }),
        }
        held
    }
}

/// The edges in an order that follows control.
fn order(machine: &Machine<'_>) -> Vec<usize> {
    let mut order = Vec::with_capacity(machine.edges.len());
    let mut seen = vec![false; machine.states];
    seen[machine.initial] = true;
    let mut open = vec![machine.initial];
    while let Some(state) = open.pop() {
        for &edge in &machine.leaving[state] {
            order.push(edge);
            let to = machine.edges[edge].to;
            if !std::mem::replace(&mut seen[to], true) {
                open.push(to);
            }
        }
    }
    order
}

/// Can a negative integer come from non-negative ones, or from nothing?
fn can_make_negative(expr: &Expr) -> bool {
    match expr {
        Expr::Const(value) => *value < 0,
        Expr::Reg(_) => false,
        Expr::Unary(_, operand) | Expr::Wrap(operand) => can_make_negative(operand),
        Expr::Binary(op, left, right) => *op == BinaryOp::Sub || can_make_negative(left) || can_make_negative(right),
    }
}

/// The integer an expression denotes, if it fits into 64 bits.
fn eval(expr: &Expr, registers: &[i64]) -> Option<i64> {
    match expr {
        Expr::Const(value) => Some(*value),
        Expr::Reg(register) => Some(registers[register.index()]),
        Expr::Unary(op, operand) => Some(op.apply(eval(operand, registers)?)),
        Expr::Wrap(operand) => eval(operand, registers),
        Expr::Binary(op, left, right) => apply(*op, eval(left, registers)?, eval(right, registers)?),
    }
}

/// The result of an operator, if it fits into 64 bits.
fn apply(op: BinaryOp, left: i64, right: i64) -> Option<i64> {
    match op {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Sub => left.checked_sub(right),
        BinaryOp::Mul => left.checked_mul(right),
        _ => op.apply(left, right).ok(),
    }
}

/// Calls `visit` with the integers of all registers, in all combinations for those that `exprs`
/// mention (others are 0). Returns how many combinations there were, or `None`, having visited
/// nothing, when there are too many.
fn for_each_valuation(registers: &[Set], exprs: &[&Expr], visit: &mut dyn FnMut(&[i64])) -> Option<usize> {
    let mentioned = mentioned(exprs);
    let mut choices: Vec<(usize, &[i64])> = Vec::with_capacity(mentioned.len());
    let mut combinations = 1usize;
    for register in mentioned {
        let Set::Of(set) = &registers[register] else { return None };
        combinations = combinations.saturating_mul(set.len());
        choices.push((register, set));
    }
    if combinations > MOST_COMBINATIONS {
        return None;
    }
    let mut valuation = vec![0; registers.len()];
    for combination in 0..combinations {
        let mut rest = combination;
        for (register, values) in &choices {
            valuation[*register] = values[rest % values.len()];
            rest /= values.len();
        }
        visit(&valuation);
    }
    Some(combinations)
}

/// The registers in these expressions, each once.
fn mentioned(exprs: &[&Expr]) -> Vec<usize> {
    let mut mentioned = Vec::new();
    for expr in exprs {
        expr.for_each_register(&mut |register| mentioned.push(register.index()));
    }
    mentioned.sort_unstable();
    mentioned.dedup();
    mentioned
}

/// The integers an expression can have, and how many combinations that took. What does not fit into
/// 32 bits is anything.
fn integers(registers: &[Set], expr: &Expr) -> (Set, usize) {
    if let Expr::Reg(register) = expr {
        return (registers[register.index()].clone(), 1);
    }
    let mut set = Vec::new();
    let mut fits = true;
    let combinations = for_each_valuation(registers, &[expr], &mut |valuation| match eval(expr, valuation) {
        Some(value) if i32::try_from(value).is_ok() => set.push(value),
        _ => fits = false,
    });
    match (combinations, Set::of(set)) {
        (Some(combinations), Set::Of(set)) if fits && set.len() <= LARGEST_SET => (Set::Of(set), combinations),
        _ => by_parts(registers, expr),
    }
}

/// The same where registers can be anything, or are too many: from what the operands can be, each
/// by itself.
fn by_parts(registers: &[Set], expr: &Expr) -> (Set, usize) {
    let (op, left, right) = match expr {
        Expr::Binary(op, left, right) => (*op, left, right),
        _ => return (truth_or_any(expr), 1),
    };
    let (left, one) = integers(registers, left);
    let (right, other) = integers(registers, right);
    let work = one + other;
    match (op, &left, &right) {
        // A mask leaves no more than its bits, whatever it is applied to.
        (BinaryOp::BitAnd, Set::Any, mask) | (BinaryOp::BitAnd, mask, Set::Any) if !mask.contains_negative() => {
            match mask {
                Set::Of(masks) if masks.last().is_none_or(|&mask| mask < LARGEST_SET as i64) => {
                    (Set::Of((0..masks.last().map_or(0, |&mask| mask + 1)).collect()), work)
                }
                _ => (Set::Any, work),
            }
        }
        (_, Set::Of(lefts), Set::Of(rights)) if lefts.len() * rights.len() <= MOST_COMBINATIONS => {
            let pairs = lefts.iter().flat_map(|&left| rights.iter().map(move |&right| (left, right)));
            let results: Option<Vec<i64>> = pairs.map(|(left, right)| apply(op, left, right)).collect();
            let results = results.filter(|results| results.iter().all(|&value| i32::try_from(value).is_ok()));
            let work = work + lefts.len() * rights.len();
            match results.map(Set::of) {
                Some(Set::Of(set)) if set.len() <= LARGEST_SET => (Set::Of(set), work),
                _ => (truth_or_any(expr), work),
            }
        }
        _ => (truth_or_any(expr), work),
    }
}

/// Whatever its operands are, a condition is 0 or 1.
fn truth_or_any(expr: &Expr) -> Set {
    match expr {
        Expr::Unary(..) | Expr::Binary(BinaryOp::Cmp(_) | BinaryOp::And | BinaryOp::Or, ..) => Set::Of(vec![0, 1]),
        _ => Set::Any,
    }
}

/// Notes in `changed` the integers with which a condition can hold; returns whether it can, and how
/// many combinations that took.
fn pass(registers: &[Set], cond: &Expr, changed: &mut Vec<(usize, Set)>) -> (bool, usize) {
    let mut kept: Vec<(usize, Vec<i64>)> =
        mentioned(&[cond]).into_iter().map(|register| (register, Vec::new())).collect();
    let mut possible = false;
    let combinations = for_each_valuation(registers, &[cond], &mut |valuation| {
        if eval(cond, valuation).is_none_or(|value| value != 0) {
            possible = true;
            for (register, kept) in &mut kept {
                kept.push(valuation[*register]);
            }
        }
    });
    let Some(combinations) = combinations else { return (true, 1) };
    changed.extend(kept.into_iter().map(|(register, kept)| (register, Set::of(kept))));
    (possible, combinations)
}

/// Is one condition, by its form, the opposite of the other?
fn opposite(first: &Expr, second: &Expr) -> bool {
    use fencepost_ir::CmpOp::{Eq, Ge, Gt, Le, Lt, Ne};
    match (first, second) {
        (Expr::Unary(_, operand), other) | (other, Expr::Unary(_, operand)) if **operand == *other => true,
        (Expr::Binary(BinaryOp::Cmp(one), a, b), Expr::Binary(BinaryOp::Cmp(other), c, d)) => {
            let pair = matches!((one, other), (Eq, Ne) | (Ne, Eq) | (Lt, Ge) | (Ge, Lt) | (Le, Gt) | (Gt, Le));
            pair && a == c && b == d
        }
        _ => false,
    }
}
