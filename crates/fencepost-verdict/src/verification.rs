//! What `verify` finds out: which final states a program has in a model, and
//! whether anything goes wrong on the way.

use fencepost_base::ids::{LocId, ThreadId, Value};
use fencepost_ir::{Condition, Observable, Quantifier};

use crate::outcome::{Reason, Stats};
use crate::witness::{ScFailure, ScFailureKind, Site};

/// How an answer was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// Every execution graph that the axioms permit was enumerated.
    Enumeration,
    /// Every SC run was explored.
    Exploration,
}

impl Argument {
    /// The name in machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            Argument::Enumeration => "enumeration",
            Argument::Exploration => "exploration",
        }
    }
}

/// How often a formula is true of final states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Frequency {
    /// In none.
    Never,
    /// In some.
    Sometimes,
    /// In all, and there is one.
    Always,
}

impl Frequency {
    /// As herd calls it.
    pub fn as_str(self) -> &'static str {
        match self {
            Frequency::Never => "Never",
            Frequency::Sometimes => "Sometimes",
            Frequency::Always => "Always",
        }
    }
}

/// A final state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalState {
    /// The values of what is observed, in the order of [`States::observed`].
    pub values: Vec<Value>,
    /// Does the formula hold?
    pub satisfies: bool,
    /// How many executions end in it.
    pub executions: u64,
}

/// All final states that pass the filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct States {
    /// What is observed.
    pub observed: Vec<Observable>,
    /// The states, in the order of their values.
    pub list: Vec<FinalState>,
}

impl States {
    /// Judges the final states of a program by its condition; `list` has the values of `observed`, and executions.
    pub fn judge(condition: &Condition, observed: Vec<Observable>, list: Vec<(Vec<Value>, u64)>) -> Self {
        let state = |(values, executions): (Vec<Value>, u64)| {
            let value = |what: Observable| {
                let index = observed.binary_search(&what).expect("what a condition mentions is observed");
                values[index]
            };
            let passes = condition.filter.as_ref().is_none_or(|filter| filter.holds(&value));
            let satisfies = condition.formula.holds(&value);
            passes.then_some(FinalState { satisfies, executions, values })
        };
        let list = list.into_iter().filter_map(state).collect();
        States { list, observed }
    }

    fn executions(&self, satisfying: bool) -> u64 {
        let chosen = self.list.iter().filter(|state| state.satisfies == satisfying);
        chosen.map(|state| state.executions).sum()
    }

    /// Executions that end in a state of which the formula is true.
    pub fn positive(&self) -> u64 {
        self.executions(true)
    }

    /// Executions that end in another state.
    pub fn negative(&self) -> u64 {
        self.executions(false)
    }

    /// How often the formula is true.
    pub fn frequency(&self) -> Frequency {
        match (self.positive(), self.negative()) {
            (0, _) => Frequency::Never,
            (_, 0) => Frequency::Always,
            _ => Frequency::Sometimes,
        }
    }

    /// Is the condition met?
    pub fn meet(&self, quantifier: Quantifier) -> bool {
        match quantifier {
            Quantifier::Exists => self.positive() > 0,
            Quantifier::NotExists => self.positive() == 0,
            Quantifier::Forall => self.negative() == 0,
        }
    }
}

/// A plain access in a data race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The thread that makes it.
    pub thread: ThreadId,
    /// The location.
    pub location: LocId,
}

/// An assertion that fails, or a run-time error.
#[derive(Clone, Debug)]
pub struct Failing {
    /// Where.
    pub site: Site,
    /// What.
    pub kind: ScFailureKind,
    /// An SC run that leads there, if one was looked for; replayed.
    pub run: Option<Box<ScFailure>>,
}

/// What was found out.
#[derive(Clone, Debug)]
pub struct Verified {
    /// How.
    pub argument: Argument,
    /// The final states, if the program has a condition.
    pub states: Option<States>,
    /// A data race: the behaviour of the program is undefined.
    pub race: Option<Race>,
    /// Something that goes wrong.
    pub failing: Option<Failing>,
}

/// The answer to: does a program do in a model what it says of itself?
#[derive(Clone, Debug)]
pub struct Verification {
    /// The name of the memory model.
    pub model: &'static str,
    /// What was found out, or why nothing was.
    pub result: Result<Verified, Reason>,
    /// The cost.
    pub stats: Stats,
}

impl Verified {
    /// Is everything as it should be: no race, no failure, and the condition met?
    pub fn holds(&self, condition: Option<&Condition>) -> bool {
        let is_met = match (&self.states, condition) {
            (Some(states), Some(condition)) => states.meet(condition.quantifier),
            _ => true,
        };
        is_met && self.race.is_none() && self.failing.is_none()
    }
}
