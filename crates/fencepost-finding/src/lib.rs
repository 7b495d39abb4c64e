//! What is told about a program: one kind of finding, whoever has found it.
//!
//! A [`Finding`] has names instead of numbers and knows no engine, no model and no program: static
//! checks and verification make one from what they have decided, the sanitizer from what it has
//! seen in a run. Terminal, JSON, SARIF and pictures are made from findings alone.

mod compiled;
mod consequence;
mod diagram;
mod kind;
mod modelled;

pub use compiled::{
    Advice, Awaited, Creation, Edit, EditKind, Frame, Link, LinkEnd, LinkKind, Memory, Observed, Operation, Place,
    Reproduce, Thread, Waiting, command_line, value_text,
};
pub use consequence::{Consequence, Effect, Explored, Rank, Trials};
pub use diagram::{Diagram, Edge, Event, Relation};
pub use kind::{Kind, Rule, Severity};
pub use modelled::{Buffered, CycleEvent, Delay, Fix, Replayed, Run, Statement, Step};

/// Something that is wrong with a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// The name of the memory model in which it happens.
    pub model: &'static str,
    /// The text it is about; none for compiled programs, whose frames name their files.
    pub file: Option<String>,
    /// In a few words.
    pub title: String,
    /// In a sentence.
    pub message: String,
    /// What else there is to say.
    pub notes: Vec<String>,
    /// The variable it is about.
    pub location: Option<String>,
    /// The access that goes wrong, or the statement that fails.
    pub access: Option<Access>,
    /// The access it should have come after; for a race, the other one.
    pub conflicting: Option<Access>,
    /// The overwritten values that can be used, as the program would write them: `-1`, or the
    /// name of a location.
    pub stale_values: Vec<String>,
    /// The litmus shape, if it has a name: `SB`.
    pub shape: Option<String>,
    /// Why it is so.
    pub evidence: Evidence,
    /// What two findings of the same thing have in common, in every run.
    pub identity: String,
    /// The line of its text, from 1, that expects it; none if nobody does.
    pub expected: Option<usize>,
}

/// Something that a thread does.
#[derive(Clone, Debug, PartialEq)]
pub enum Access {
    /// A statement of a program that is checked as text.
    Statement(Box<Statement>),
    /// An operation of a compiled program.
    Operation(Box<Operation>),
}

/// Why a finding is right.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// An execution, replayed on the axioms of the model.
    Replayed(Box<Replayed>),
    /// A run that was watched.
    Observed(Box<Observed>),
}

impl Evidence {
    /// The name in machine-readable output.
    pub fn as_str(&self) -> &'static str {
        match self {
            Evidence::Replayed(_) => "replayed",
            Evidence::Observed(_) => "observed",
        }
    }
}
