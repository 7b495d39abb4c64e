//! What `verify` finds out: which final states a program has in a model, and
//! whether anything goes wrong on the way.
//!
//! An answer says which argument it rests on, and what else was tried. What was
//! found comes with an execution of the model that was replayed on its axioms.

use std::fmt;

use fencepost_base::ids::{LocId, Value};
use fencepost_ir::{Condition, Observable, Quantifier};
use fencepost_model::{EventId, Graph};

use crate::copies::ForCopies;
use crate::outcome::{Reason, Stats};
use crate::witness::{GraphRun, ScFailure, ScFailureKind, Site};

/// Why an answer is right. Its text is a sentence for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Argument {
    /// Every execution graph that the axioms permit was enumerated.
    Enumeration,
    /// Every SC run was explored.
    Exploration,
    /// Everything that could lead to what was asked for was computed backwards, under SRA, which
    /// permits at least as much as the model.
    Coverability,
    /// The program is robust against the model, so that what its SC runs say is all there is to
    /// say.
    Robustness {
        /// It is only known to be so up to stale reads that nothing depends on.
        observational: bool,
    },
    /// Under SRA no two writes race, so that release/acquire reaches what SRA reaches.
    WriteWriteRaceFree,
    /// Every execution of the model was looked at, up to what makes no difference.
    Search,
    /// The same for the states of the machine with store buffers.
    Machine,
    /// The same for the states of a machine of messages and views, which permits at least as much
    /// as the model.
    Views,
    /// An execution of the model shows it, whatever else the program does.
    Witness,
}

impl Argument {
    /// Every argument.
    pub const ALL: [Argument; 10] = [
        Argument::Enumeration,
        Argument::Exploration,
        Argument::Coverability,
        Argument::Robustness { observational: false },
        Argument::Robustness { observational: true },
        Argument::WriteWriteRaceFree,
        Argument::Search,
        Argument::Machine,
        Argument::Views,
        Argument::Witness,
    ];

    /// The name in machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            Argument::Enumeration => "enumeration",
            Argument::Exploration => "exploration",
            Argument::Coverability => "coverability",
            Argument::Robustness { observational: false } => "robustness",
            Argument::Robustness { observational: true } => "observational-robustness",
            Argument::WriteWriteRaceFree => "write-write-race-freedom",
            Argument::Search => "search",
            Argument::Machine => "machine",
            Argument::Views => "views",
            Argument::Witness => "witness",
        }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Argument::Enumeration => "every execution was enumerated",
            Argument::Exploration => "every run under SC was explored",
            Argument::Coverability => {
                "whatever could lead there under SRA, which permits at least as much, was computed backwards"
            }
            Argument::Robustness { observational: false } => {
                "the program is robust, and its runs under SC were explored"
            }
            Argument::Robustness { observational: true } => {
                "nothing depends on stale reads, and its runs under SC were explored"
            }
            Argument::WriteWriteRaceFree => "no two writes race under SRA, which then decides for RA",
            Argument::Search => "every execution was looked at, up to what makes no difference",
            Argument::Machine => "every state of the machine with store buffers was explored",
            Argument::Views => "every state of a machine of messages and views was explored",
            Argument::Witness => "there is an execution that shows it",
        })
    }
}

/// An execution of a model, replayed: its axioms permit the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// Its steps, in an order that agrees with program order and in which every read comes after
    /// the write it reads from.
    pub run: GraphRun,
    /// For every step, the event that it added to the graph. Fences may add events that no step
    /// speaks of.
    pub events: Vec<Option<EventId>>,
    /// The graph, its events with their program counters.
    pub graph: Graph,
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
    /// How many executions end in it, if they were counted.
    pub executions: Option<u64>,
    /// One of them, if one was kept.
    pub example: Option<Box<Execution>>,
}

/// How far a list of final states can be trusted to have everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// These are all final states.
    All,
    /// If the formula is true of some final state, then of one in the list; if false of some, the
    /// same.
    Kinds,
    /// There may be any others.
    Examples,
}

/// Final states that pass the filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct States {
    /// What is observed.
    pub observed: Vec<Observable>,
    /// The states, in the order of their values.
    pub list: Vec<FinalState>,
    /// What is not in the list.
    pub extent: Extent,
}

/// A final state before anybody has judged it: values of what is observed, executions, an example.
pub type Ending = (Vec<Value>, Option<u64>, Option<Box<Execution>>);

impl States {
    /// Judges final states of a program by its condition; `list` has the values of `observed`.
    pub fn judge(condition: &Condition, observed: Vec<Observable>, list: Vec<Ending>, extent: Extent) -> Self {
        let state = |(values, executions, example): Ending| {
            let value = |what: Observable| {
                let index = observed.binary_search(&what).expect("what a condition mentions is observed");
                values[index]
            };
            let passes = condition.filter.as_ref().is_none_or(|filter| filter.holds(&value));
            let satisfies = condition.formula.holds(&value);
            passes.then_some(FinalState { satisfies, executions, values, example })
        };
        let list = list.into_iter().filter_map(state).collect();
        States { list, observed, extent }
    }

    fn of_kind(&self, satisfying: bool) -> impl Iterator<Item = &FinalState> {
        self.list.iter().filter(move |state| state.satisfies == satisfying)
    }

    /// Were executions counted? Otherwise every state counts as one.
    pub fn are_counted(&self) -> bool {
        self.list.iter().all(|state| state.executions.is_some())
    }

    fn count(&self, satisfying: bool) -> u64 {
        self.of_kind(satisfying).map(|state| state.executions.unwrap_or(1)).sum()
    }

    /// Executions (or states) of which the formula is true.
    pub fn positive(&self) -> u64 {
        self.count(true)
    }

    /// Executions (or states) of which it is not.
    pub fn negative(&self) -> u64 {
        self.count(false)
    }

    /// How often the formula is true; nothing if that is not known.
    pub fn frequency(&self) -> Option<Frequency> {
        match (self.positive(), self.negative(), self.extent) {
            (1.., 1.., _) => Some(Frequency::Sometimes),
            (_, _, Extent::Examples) => None,
            (0, _, _) => Some(Frequency::Never),
            (1.., 0, _) => Some(Frequency::Always),
        }
    }

    /// Is the condition met? Nothing if that is not known.
    pub fn meet(&self, quantifier: Quantifier) -> Option<bool> {
        let (wanted, if_there) = match quantifier {
            Quantifier::Exists => (true, true),
            Quantifier::NotExists => (true, false),
            Quantifier::Forall => (false, false),
        };
        match self.of_kind(wanted).next() {
            Some(_) => Some(if_there),
            None => (self.extent != Extent::Examples).then_some(!if_there),
        }
    }
}

/// Two accesses of a location, at least one of them plain, that nothing orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RacingPair {
    /// The later one in the execution.
    pub access: Site,
    /// The earlier one.
    pub other: Site,
    /// The location.
    pub location: LocId,
}

/// A data race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The accesses.
    pub pair: RacingPair,
    /// An execution in which it happens; what comes after the race is only one of its
    /// possibilities.
    pub execution: Option<Box<Execution>>,
}

/// An assertion that fails, or a run-time error.
#[derive(Clone, Debug)]
pub struct Failing {
    /// Where.
    pub site: Site,
    /// What.
    pub kind: ScFailureKind,
    /// An SC run that leads there, if one was found; replayed.
    pub run: Option<Box<ScFailure>>,
    /// An execution of the model that leads there; replayed on its axioms.
    pub execution: Option<Box<Execution>>,
}

/// What was found out.
#[derive(Clone, Debug)]
pub struct Verified {
    /// How.
    pub argument: Argument,
    /// The final states, if the program has a condition, and they matter: something that goes wrong
    /// is enough.
    pub states: Option<States>,
    /// A data race: the behaviour of the program is undefined.
    pub race: Option<Race>,
    /// Something that goes wrong.
    pub failing: Option<Failing>,
}

/// An argument that was tried before, or that failed, and why it did not settle the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The argument.
    pub argument: Argument,
    /// What stood in its way.
    pub reason: Reason,
}

/// The answer to: does a program do in a model what it says of itself?
#[derive(Clone, Debug)]
pub struct Verification {
    /// The name of the memory model.
    pub model: &'static str,
    /// What was found out, or why nothing was.
    pub result: Result<Verified, Reason>,
    /// What was tried without success, in this order.
    pub tried: Vec<Attempt>,
    /// Of a program with threads of any number of copies: what the answer is about. Then threads and
    /// instructions are those of the program in there.
    pub copies: Option<Box<ForCopies>>,
    /// The cost of everything that was tried.
    pub stats: Stats,
}

impl Verified {
    /// Is everything as it should be: no race, no failure, and the condition met?
    pub fn holds(&self, condition: Option<&Condition>) -> bool {
        let is_met = match (&self.states, condition) {
            (Some(states), Some(condition)) => states.meet(condition.quantifier) == Some(true),
            (None, Some(_)) => false,
            (_, None) => true,
        };
        is_met && self.race.is_none() && self.failing.is_none()
    }
}
