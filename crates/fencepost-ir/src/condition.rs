//! Conditions on final states: what a litmus test asks.

use std::collections::BTreeSet;

use fencepost_base::ids::{LocId, RegId, ThreadId, Value};
pub use fencepost_base::quantifier::Quantifier;

use crate::program::Program;

/// Something that has a value when all threads are done; registers come before locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Observable {
    /// A register of a thread.
    Register(ThreadId, RegId),
    /// The content of a location.
    Location(LocId),
}

/// A formula about a final state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// True or false whatever the state.
    Constant(bool),
    /// It has this value.
    Equals(Observable, Value),
    /// Both have the same value.
    Same(Observable, Observable),
    /// Negation.
    Not(Box<Formula>),
    /// Conjunction.
    And(Box<Formula>, Box<Formula>),
    /// Disjunction.
    Or(Box<Formula>, Box<Formula>),
    /// Implication.
    Implies(Box<Formula>, Box<Formula>),
}

/// A condition on the final states of the runs in which every thread comes to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// How many states have to satisfy it.
    pub quantifier: Quantifier,
    /// What they have to satisfy.
    pub formula: Formula,
    /// Other states do not count.
    pub filter: Option<Formula>,
    /// What else is to be shown of a state.
    pub shown: Vec<Observable>,
}

impl Formula {
    /// Does it hold in a state in which things have these values?
    pub fn holds(&self, value: &impl Fn(Observable) -> Value) -> bool {
        match self {
            Formula::Constant(holds) => *holds,
            Formula::Equals(what, wanted) => value(*what) == *wanted,
            Formula::Same(what, other) => value(*what) == value(*other),
            Formula::Not(inner) => !inner.holds(value),
            Formula::And(left, right) => left.holds(value) && right.holds(value),
            Formula::Or(left, right) => left.holds(value) || right.holds(value),
            Formula::Implies(left, right) => !left.holds(value) || right.holds(value),
        }
    }

    /// Calls `visit` for everything it mentions, and the value it is compared with, if it is one.
    pub fn for_each(&self, visit: &mut impl FnMut(Observable, Option<Value>)) {
        match self {
            Formula::Constant(_) => {}
            Formula::Equals(what, value) => visit(*what, Some(*value)),
            Formula::Same(what, other) => {
                visit(*what, None);
                visit(*other, None);
            }
            Formula::Not(inner) => inner.for_each(visit),
            Formula::And(left, right) | Formula::Or(left, right) | Formula::Implies(left, right) => {
                left.for_each(visit);
                right.for_each(visit);
            }
        }
    }
}

impl Condition {
    /// What is to be known of a state, in order: what the condition mentions and what is to be
    /// shown.
    pub fn observed(&self) -> Vec<Observable> {
        let mut all: BTreeSet<Observable> = self.shown.iter().copied().collect();
        self.formula.for_each(&mut |what, _| _ = all.insert(what));
        self.filter.iter().for_each(|filter| filter.for_each(&mut |what, _| _ = all.insert(what)));
        all.into_iter().collect()
    }

    /// `exists (0:r0=1 /\ [x]=2)`, as herd writes it.
    pub fn text(&self, program: &Program) -> String {
        format!("{} ({})", self.quantifier.as_str(), formula_text(program, &self.formula, 0))
    }
}

fn formula_text(program: &Program, formula: &Formula, floor: u8) -> String {
    let inner = |formula: &Formula, floor| formula_text(program, formula, floor);
    let (text, precedence) = match formula {
        Formula::Constant(value) => return value.to_string(),
        Formula::Equals(what, value) => {
            return format!("{}={}", program.observable(*what), program.value_text(*value));
        }
        Formula::Same(what, other) => {
            return format!("{}={}", program.observable(*what), program.observable(*other));
        }
        Formula::Not(operand) => match &**operand {
            Formula::Equals(what, value) => {
                return format!("not ({}={})", program.observable(*what), program.value_text(*value));
            }
            Formula::Same(..) => return format!("not ({})", inner(operand, 0)),
            _ => (format!("not {}", inner(operand, 5)), 5),
        },
        Formula::And(left, right) => (format!("{} /\\ {}", inner(left, 3), inner(right, 3)), 3),
        Formula::Or(left, right) => (format!("{} \\/ {}", inner(left, 2), inner(right, 2)), 2),
        // As in herd, it binds tighter than the others.
        Formula::Implies(left, right) => (format!("{} => {}", inner(left, 5), inner(right, 4)), 4),
    };
    if precedence < floor { format!("({text})") } else { text }
}
