//! Findings in programs that are checked as text.

use fencepost_base::source::{Position, Span};

use crate::Diagram;

/// A statement of a thread, and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The thread.
    pub thread: String,
    /// Where it starts.
    pub start: Position,
    /// Where it ends.
    pub end: Position,
    /// The same in bytes.
    pub span: Span,
    /// The call in the thread's own text, when the statement is in a procedure.
    pub called_from: Option<Span>,
    /// The statement, on one line; blocks are cut to `{ … }`.
    pub text: String,
    /// What it does to memory: `W x 1`, `R y 0`, `U x 0→1`, `fence`; `choice 1` or nothing for a
    /// step within the thread.
    pub effect: Option<String>,
    /// What is to be said beside it.
    pub remark: String,
}

/// An execution in which it happens, replayed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// The execution, step by step, if it is not too long to be told.
    pub run: Option<Run>,
    /// The cycle in it that SC forbids; empty if there is none.
    pub cycle: Vec<CycleEvent>,
    /// The same on a machine with store buffers, in models that have them.
    pub delay: Option<Delay>,
    /// The execution as a diagram. To make one takes time: it is there only for who draws it.
    pub diagram: Option<Box<Diagram>>,
    /// Has somebody looked for what goes wrong because of it, and found nothing?
    pub is_harmless: bool,
}

/// An execution, step by step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What it shows.
    pub title: String,
    /// Is it a run under SC?
    pub is_sc: bool,
    /// Its steps.
    pub steps: Vec<Step>,
    /// The step that goes wrong, if it is not among these; its remark says how.
    pub last: Option<Step>,
}

/// One step of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What is executed.
    pub statement: Statement,
    /// Is it one of those that matter?
    pub stands_out: bool,
    /// The step, from 1, that has written the value read; 0 for the value at the beginning.
    pub reads_from: Option<usize>,
    /// A step before this one, from 1, that has overwritten the value read, or that this write is
    /// ordered before.
    pub overtaken_by: Option<usize>,
    /// What happens to a store that is delayed.
    pub buffered: Option<Buffered>,
}

/// What happens to a delayed store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffered {
    /// It enters the buffer.
    Enters,
    /// It reaches memory.
    Leaves,
}

/// An event of a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CycleEvent {
    /// What it does to memory.
    pub effect: String,
    /// Whose it is, and where.
    pub place: String,
    /// How it relates to the next one.
    pub relation: String,
}

/// A store that is delayed past a later access of its thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delay {
    /// The store.
    pub store: Statement,
    /// The last access of the thread that memory sees first.
    pub passed: Statement,
    /// What happens on a machine with store buffers, until they are empty.
    pub computation: Vec<Step>,
}
