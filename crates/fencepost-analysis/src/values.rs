//! Which values can a register or a location ever hold?
//!
//! A flow-insensitive over-approximation, computed as a least fixpoint: every
//! assignment adds its possible results, whatever the order of execution. It
//! bounds what a monitor must distinguish and how many bits a value needs; a
//! sound answer that is too large only costs bits. The elements of an array are
//! taken together.

use std::collections::BTreeSet;

use fencepost_base::ids::{LocId, RegId, ThreadId, Value};
use fencepost_ir::{Expr, Op, Place, Program, RmwFunction};
use fencepost_verdict::{Budget, Reason};

/// A set of values: explicit while small, otherwise "any".
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueSet {
    /// Exactly these.
    Of(BTreeSet<Value>),
    /// Any value of the domain.
    Any,
}

/// Largest explicit set.
const LARGEST_SET: usize = 64;
/// Largest number of combinations of operands that is enumerated.
const MOST_COMBINATIONS: usize = 4096;
/// Instructions looked at before whatever still grows is taken to be anything.
const MOST_WORK: usize = 1 << 22;
/// Instructions of a thread between two looks at the clock.
const BETWEEN_LOOKS: usize = 256;

impl ValueSet {
    fn join(&mut self, other: &ValueSet) -> bool {
        match (&mut *self, other) {
            (ValueSet::Any, _) => false,
            (_, ValueSet::Any) => {
                *self = ValueSet::Any;
                true
            }
            (ValueSet::Of(mine), ValueSet::Of(theirs)) => {
                let before = mine.len();
                mine.extend(theirs);
                let grew = mine.len() > before;
                if mine.len() > LARGEST_SET {
                    *self = ValueSet::Any;
                }
                grew
            }
        }
    }

    /// Does the set meet `low..=high`?
    pub fn meets(&self, low: Value, high: Value) -> bool {
        match self {
            ValueSet::Of(set) => set.range(low..=high).next().is_some(),
            ValueSet::Any => true,
        }
    }

    /// One more than the greatest value in the set.
    pub fn bound(&self, domain: u64) -> u64 {
        match self {
            ValueSet::Of(set) => set.last().map_or(0, |&greatest| u64::from(greatest) + 1),
            ValueSet::Any => domain,
        }
    }
}

/// The result of the analysis.
pub struct PossibleValues {
    domain: u64,
    registers: Vec<Vec<ValueSet>>,
    /// For every location, its set in `held`: an array has one for all its elements.
    groups: Vec<usize>,
    held: Vec<ValueSet>,
}

impl PossibleValues {
    /// Analyses `program`.
    pub fn of(program: &Program) -> Self {
        Self::within(program, &Budget::unlimited()).expect("no limits")
    }

    /// Analyses `program` within a budget.
    ///
    /// # Errors
    /// When the time is up.
    pub fn within(program: &Program, budget: &Budget<'_>) -> Result<Self, Reason> {
        let only = |value: Value| ValueSet::Of(BTreeSet::from([value]));
        let groups = groups(program);
        let mut held = vec![ValueSet::Of(BTreeSet::new()); program.locations().len()];
        for (location, &group) in program.locations().iter().zip(&groups) {
            held[group].join(&only(location.init));
        }
        let mut result = PossibleValues {
            domain: program.domain(),
            registers: program
                .threads()
                .iter()
                .map(|thread| thread.registers.iter().map(|register| only(register.init)).collect())
                .collect(),
            groups,
            held,
        };
        let mut work = 0;
        while result.pass(program, work > MOST_WORK, budget)? {
            work += program.size();
        }
        Ok(result)
    }

    /// The values location `loc` can hold.
    pub fn location(&self, loc: LocId) -> &ValueSet {
        &self.held[self.groups[loc.index()]]
    }

    /// The values register `reg` can hold.
    pub fn register(&self, thread: ThreadId, reg: RegId) -> &ValueSet {
        &self.registers[thread.index()][reg.index()]
    }

    /// Calls `visit` with every valuation of the registers of `exprs` (registers
    /// not mentioned are 0); returns false, having visited only some, when there are too many.
    pub fn for_each_valuation(&self, thread: ThreadId, exprs: &[&Expr], visit: &mut dyn FnMut(&[Value])) -> bool {
        let mut mentioned = BTreeSet::new();
        for expr in exprs {
            expr.for_each_register(&mut |reg| {
                mentioned.insert(reg);
            });
        }
        let mut choices: Vec<(RegId, Vec<Value>)> = Vec::new();
        let mut combinations = 1usize;
        for reg in mentioned {
            match self.register(thread, reg) {
                ValueSet::Any => return false,
                ValueSet::Of(set) => {
                    combinations = combinations.saturating_mul(set.len());
                    choices.push((reg, set.iter().copied().collect()));
                }
            }
        }
        if combinations > MOST_COMBINATIONS {
            return false;
        }
        let mut registers = vec![0; self.registers[thread.index()].len()];
        for combination in 0..combinations {
            let mut rest = combination;
            for (reg, values) in &choices {
                registers[reg.index()] = values[rest % values.len()];
                rest /= values.len();
            }
            visit(&registers);
        }
        true
    }

    /// The values `expr` can have (where it has one at all).
    pub fn values(&self, thread: ThreadId, expr: &Expr) -> ValueSet {
        let mut set = BTreeSet::new();
        let complete = self.for_each_valuation(thread, &[expr], &mut |registers| {
            if let Ok(value) = expr.value(registers, self.domain) {
                set.insert(value);
            }
        });
        if complete && set.len() <= LARGEST_SET { ValueSet::Of(set) } else { ValueSet::Any }
    }

    /// The set of values held where `place` can be.
    pub fn group(&self, program: &Program, place: &Place) -> usize {
        match place {
            Place::Fixed(loc) => self.groups[loc.index()],
            Place::Element { array, .. } => program.array(*array).base.index(),
        }
    }

    /// The group of a location.
    pub fn group_of(&self, loc: LocId) -> usize {
        self.groups[loc.index()]
    }

    /// Adds the effect of every instruction once; true if something grew.
    fn pass(&mut self, program: &Program, widen: bool, budget: &Budget<'_>) -> Result<bool, Reason> {
        let mut grew = false;
        for thread in program.thread_ids() {
            for (pc, instr) in program.thread(thread).code.iter().enumerate() {
                if pc.is_multiple_of(BETWEEN_LOOKS) && (budget.expired)() {
                    return Err(Reason::Time);
                }
                let (read, written) = self.effect(program, thread, &instr.op);
                if let (Some(dst), Some(set)) = (instr.op.dst(), read) {
                    grew |= grow(&mut self.registers[thread.index()][dst.index()], &set, widen);
                }
                if let (Some(place), Some(set)) = (instr.op.place(), written) {
                    let group = self.group(program, place);
                    grew |= grow(&mut self.held[group], &set, widen);
                }
            }
        }
        Ok(grew)
    }

    /// What an instruction can put into its register, and into its place.
    fn effect(&self, program: &Program, thread: ThreadId, op: &Op) -> (Option<ValueSet>, Option<ValueSet>) {
        let held = || op.place().map_or(ValueSet::Any, |place| self.held[self.group(program, place)].clone());
        match op {
            Op::Assign { value, .. } => (Some(self.values(thread, value)), None),
            Op::Nondet { low, high, .. } => (Some(self.between(thread, low, high)), None),
            Op::Load { .. } | Op::Wait { .. } | Op::PlainLoad { .. } => (Some(held()), None),
            Op::Store { value, .. } | Op::PlainStore { value, .. } => (None, Some(self.values(thread, value))),
            Op::Update { function, operand, .. } => {
                let old = held();
                let written = self.updated(&old, *function, &self.values(thread, operand));
                (Some(old), Some(written))
            }
            Op::Cas { desired, .. } => (Some(held()), Some(self.values(thread, desired))),
            Op::BlockingCas { desired, .. } => (None, Some(self.values(thread, desired))),
            _ => (None, None),
        }
    }

    fn between(&self, thread: ThreadId, low: &Expr, high: &Expr) -> ValueSet {
        match (self.values(thread, low), self.values(thread, high)) {
            (ValueSet::Of(lows), ValueSet::Of(highs)) => {
                let (Some(&low), Some(&high)) = (lows.first(), highs.last()) else {
                    return ValueSet::Of(BTreeSet::new());
                };
                if u64::from(high) >= u64::from(low) + LARGEST_SET as u64 {
                    return ValueSet::Any;
                }
                ValueSet::Of((low..=high).collect())
            }
            _ => ValueSet::Any,
        }
    }

    fn updated(&self, old: &ValueSet, function: RmwFunction, operands: &ValueSet) -> ValueSet {
        if function == RmwFunction::Exchange {
            return operands.clone();
        }
        let (ValueSet::Of(old), ValueSet::Of(operands)) = (old, operands) else {
            return ValueSet::Any;
        };
        let mut set = BTreeSet::new();
        for &value in old {
            for &operand in operands {
                let integer = function.apply(value, i64::from(operand));
                set.insert(integer.rem_euclid(self.domain as i64) as Value);
            }
        }
        if set.len() <= LARGEST_SET { ValueSet::Of(set) } else { ValueSet::Any }
    }
}

/// For every location itself, for every array element the first of its array.
fn groups(program: &Program) -> Vec<usize> {
    let mut groups: Vec<usize> = (0..program.locations().len()).collect();
    for array in program.arrays() {
        groups[array.base.index()..array.base.index() + array.len as usize].fill(array.base.index());
    }
    groups
}

fn grow(set: &mut ValueSet, by: &ValueSet, widen: bool) -> bool {
    let grew = set.join(by);
    if grew && widen {
        *set = ValueSet::Any;
    }
    grew
}
