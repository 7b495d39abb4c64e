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
    /// What else is known of what follows from it: sentences, for who has room for them.
    pub consequences: Vec<String>,
    /// What keeps it from happening, if somebody has looked for that.
    pub fix: Option<Fix>,
}

/// A change of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it is good for.
    pub description: String,
    /// The first line that changes, from 1.
    pub first: usize,
    /// The line after the last one that changes; the same if lines are only added before it.
    pub end: usize,
    /// What these lines are replaced with.
    pub text: String,
}

impl Fix {
    /// From one text to another; none if they are equal.
    pub fn between(old: &str, new: &str, description: String) -> Option<Fix> {
        let (before, after): (Vec<&str>, Vec<&str>) =
            (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
        let same = |(a, b): &(&&str, &&str)| a == b;
        let first = before.iter().zip(&after).take_while(same).count();
        let rest = before[first..].iter().rev().zip(after[first..].iter().rev()).take_while(same).count();
        let (gone, come) = (&before[first..before.len() - rest], &after[first..after.len() - rest]);
        let is_change = !gone.is_empty() || !come.is_empty();
        is_change.then(|| Fix { description, first: first + 1, end: first + gone.len() + 1, text: come.concat() })
    }
}

/// An execution, step by step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What it shows.
    pub title: String,
    /// Is it a run under SC?
    pub is_sc: bool,
    /// The values at the beginning of the locations that it touches, by their names.
    pub initially: Vec<(String, String)>,
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

#[cfg(test)]
mod tests {
    use super::Fix;

    #[test]
    fn a_fix_is_about_the_lines_that_change() {
        let fix = |old, new| Fix::between(old, new, String::new()).map(|fix| (fix.first, fix.end, fix.text));
        assert_eq!(fix("a\nb\nc\n", "a\nB\nc\n"), Some((2, 3, "B\n".into())));
        assert_eq!(fix("a\nc\n", "a\nb\nc\n"), Some((2, 2, "b\n".into())));
        assert_eq!(fix("a\nb\nc", "a\nc"), Some((2, 3, String::new())));
        assert_eq!(fix("a\na\n", "a\na\na\n"), Some((3, 3, "a\n".into())));
        assert_eq!(fix("a\n", "a\n"), None);
    }
}
