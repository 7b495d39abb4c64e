//! Which integers can registers and memory hold? An over-approximation, computed as a least fixpoint.
//!
//! For every control state of every thread and every register, the integers it can have there; for every address, those
//! ever written to it. A `check` keeps the integers that can pass it. Sets that become large are taken to be anything.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_base::ids::RegId;

use super::{Act, Machine, WIDE_DOMAIN};
use crate::build::ProgramBuilder;
use crate::expr::{BinaryOp, Expr};

/// Largest explicit set.
const LARGEST_SET: usize = 64;
/// Largest number of combinations of operands that is enumerated.
const MOST_COMBINATIONS: usize = 4096;
/// Combinations looked at before whatever still grows is taken to be anything.
const MOST_WORK: usize = 1 << 22;
/// Most sets for the registers of one thread; beyond that, its control states are not told apart.
const MOST_SETS: usize = 1 << 18;

/// A set of integers: explicit while small, otherwise "any".
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Set {
    /// Exactly these.
    Of(BTreeSet<i64>),
    /// Any integer.
    Any,
}

impl Set {
    fn only(value: i64) -> Set {
        Set::Of(BTreeSet::from([value]))
    }

    fn empty() -> Set {
        Set::Of(BTreeSet::new())
    }

    fn contains_negative(&self) -> bool {
        match self {
            Set::Of(set) => set.first().is_some_and(|&least| least < 0),
            Set::Any => true,
        }
    }

    /// Adds `other`; true if something is new.
    fn join(&mut self, other: &Set, widen: bool) -> bool {
        let grew = match (&mut *self, other) {
            (Set::Any, _) => return false,
            (_, Set::Any) => true,
            (Set::Of(mine), Set::Of(theirs)) => {
                let before = mine.len();
                mine.extend(theirs);
                mine.len() > before
            }
        };
        let large = matches!(self, Set::Of(set) if set.len() > LARGEST_SET);
        if other == &Set::Any || large || (grew && widen) {
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
    pub(super) fn domain(self) -> u32 {
        (self.high - self.low + 1) as u32
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

impl Values {
    pub(super) fn of(machines: &[Machine<'_>]) -> Self {
        let at = machines
            .iter()
            .map(|machine| {
                let told_apart = machine.states.saturating_mul(machine.registers.len()) <= MOST_SETS;
                let mut at = vec![None; if told_apart { machine.states } else { 1 }];
                at[if told_apart { machine.initial } else { 0 }] = Some(vec![Set::only(0); machine.registers.len()]);
                at
            })
            .collect();
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
                    grew |= values.step(thread, machine, edge);
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
        let most = i64::from(ProgramBuilder::MAX_DOMAIN);
        if bounded && high - low < most {
            return Range { low, high };
        }
        let mut domain = i64::from(WIDE_DOMAIN);
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
    fn step(&mut self, thread: usize, machine: &Machine<'_>, edge: usize) -> bool {
        let edge = &machine.edges[edge];
        let (from, to) = (self.point(thread, edge.from), self.point(thread, edge.to));
        let Some(registers) = &self.at[thread][from] else { return false };
        let widen = self.work > MOST_WORK;
        let mut work = 1;
        let mut values = |expr: &Expr| {
            let (set, combinations) = integers(registers, expr);
            work += combinations;
            set
        };
        let mut after = registers.clone();
        let mut grew = false;
        match &edge.act {
            Act::Local { dst, value } => after[dst.index()] = values(value),
            Act::Read { dst, address } => {
                let address = values(address);
                after[dst.index()] = self.held(&address);
            }
            Act::Write { value, address } => match (values(address), values(value)) {
                (Set::Any, set) => grew |= self.anywhere.join(&set, widen),
                (Set::Of(addresses), set) => {
                    for address in addresses {
                        grew |= self.memory.entry(address).or_insert_with(Set::empty).join(&set, widen);
                    }
                }
            },
            Act::Check(cond) => {
                let (possible, combinations) = pass(&mut after, cond);
                self.work += combinations;
                if !possible {
                    return false;
                }
            }
            Act::Fence | Act::Lock | Act::Unlock | Act::Noop => {}
        }
        self.work += work;
        match &mut self.at[thread][to] {
            Some(there) => {
                for (mine, theirs) in there.iter_mut().zip(&after) {
                    grew |= mine.join(theirs, widen);
                }
                grew
            }
            nowhere => {
                *nowhere = Some(after);
                true
            }
        }
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
        Expr::Binary(op, left, right) => {
            let (left, right) = (eval(left, registers)?, eval(right, registers)?);
            match op {
                BinaryOp::Add => left.checked_add(right),
                BinaryOp::Sub => left.checked_sub(right),
                BinaryOp::Mul => left.checked_mul(right),
                _ => op.apply(left, right).ok(),
            }
        }
    }
}

/// Calls `visit` with the integers of all registers, in all combinations for those that `exprs` mention (others are 0).
/// Returns how many combinations there were, or `None`, having visited nothing, when there are too many.
fn for_each_valuation(registers: &[Set], exprs: &[&Expr], visit: &mut dyn FnMut(&[i64])) -> Option<usize> {
    let mut mentioned = BTreeSet::new();
    for expr in exprs {
        expr.for_each_register(&mut |register| {
            mentioned.insert(register.index());
        });
    }
    let mut choices: Vec<(usize, Vec<i64>)> = Vec::with_capacity(mentioned.len());
    let mut combinations = 1usize;
    for register in mentioned {
        let Set::Of(set) = &registers[register] else { return None };
        combinations = combinations.saturating_mul(set.len());
        choices.push((register, set.iter().copied().collect()));
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

/// The integers an expression can have, and how many combinations that took. What does not fit into 32 bits is anything.
fn integers(registers: &[Set], expr: &Expr) -> (Set, usize) {
    let mut set = BTreeSet::new();
    let mut fits = true;
    let combinations = for_each_valuation(registers, &[expr], &mut |valuation| match eval(expr, valuation) {
        Some(value) if i32::try_from(value).is_ok() => {
            set.insert(value);
        }
        _ => fits = false,
    });
    match combinations {
        Some(combinations) if fits && set.len() <= LARGEST_SET => (Set::Of(set), combinations),
        _ => (truth_or_any(expr), combinations.unwrap_or(1)),
    }
}

/// Whatever its operands are, a condition is 0 or 1.
fn truth_or_any(expr: &Expr) -> Set {
    match expr {
        Expr::Unary(..) | Expr::Binary(BinaryOp::Cmp(_) | BinaryOp::And | BinaryOp::Or, ..) => {
            Set::Of(BTreeSet::from([0, 1]))
        }
        _ => Set::Any,
    }
}

/// Keeps the integers with which a condition can hold; returns whether it can, and how many combinations that took.
fn pass(registers: &mut Registers, cond: &Expr) -> (bool, usize) {
    let mut kept: BTreeMap<usize, BTreeSet<i64>> = BTreeMap::new();
    cond.for_each_register(&mut |register| {
        kept.insert(register.index(), BTreeSet::new());
    });
    let mut possible = false;
    let combinations = for_each_valuation(registers, &[cond], &mut |valuation| {
        if eval(cond, valuation).is_none_or(|value| value != 0) {
            possible = true;
            for (register, kept) in &mut kept {
                kept.insert(valuation[*register]);
            }
        }
    });
    let Some(combinations) = combinations else { return (true, 1) };
    for (register, kept) in kept {
        registers[register] = Set::Of(kept);
    }
    (possible, combinations)
}

/// Is one condition, by its form, the opposite of the other?
fn opposite(first: &Expr, second: &Expr) -> bool {
    use crate::expr::CmpOp::{Eq, Ge, Gt, Le, Lt, Ne};
    match (first, second) {
        (Expr::Unary(_, operand), other) | (other, Expr::Unary(_, operand)) if **operand == *other => true,
        (Expr::Binary(BinaryOp::Cmp(one), a, b), Expr::Binary(BinaryOp::Cmp(other), c, d)) => {
            let pair = matches!((one, other), (Eq, Ne) | (Ne, Eq) | (Lt, Ge) | (Ge, Lt) | (Le, Gt) | (Gt, Le));
            pair && a == c && b == d
        }
        _ => false,
    }
}
