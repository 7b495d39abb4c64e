//! What a memory model adds to a program: variables, statements at every
//! step, and conditions under which a step could leave SC.

use fencepost_base::ids::LocId;
use fencepost_base::order::Mode;
use fencepost_ir::CmpOp;
use fencepost_model::{AttemptKind, PlainKind};

use crate::infix::Term;
/// Failures of the program itself stop their thread, and are reported only on demand: robustness is
/// another matter.
pub(crate) const FAILURES: &str = "\
/* Failures of the program itself are no violations of robustness: spin -DCHECK_ASSERTIONS -a FILE reports them too. */
#ifdef CHECK_ASSERTIONS
#define FAIL assert(false);
#else
#define FAIL
#endif
";

/// A step on an atomic location.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step<'a> {
    pub(crate) kind: AttemptKind,
    pub(crate) loc: LocId,
    pub(crate) mode: Mode,
    /// The value that the location has before the step, as an expression.
    pub(crate) value: &'a str,
}

/// The values with which a thread can go on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Accepts<'a> {
    /// Any.
    Any,
    /// Those in the class of this one.
    Like(&'a Term),
    /// Those in other classes than this one.
    Unlike(&'a Term),
    /// Those for which one of these comparisons holds.
    AnyOf(&'a [(CmpOp, Term)]),
}

/// A step that a thread is ready to take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt<'a> {
    pub(crate) kind: AttemptKind,
    pub(crate) loc: LocId,
    pub(crate) mode: Mode,
    pub(crate) accepts: Accepts<'a>,
}

/// A monitor in Promela. Threads are numbers; statements come without semicolons.
pub(crate) trait Encoding {
    /// Its variables.
    fn declarations(&self) -> Vec<String>;

    /// What a step on an atomic location does; to be executed before memory changes.
    fn step(&self, t: usize, step: &Step<'_>) -> Vec<String>;

    /// What a read does that may be stale and whose value nothing depends on.
    fn tainted_read(&self, t: usize, step: &Step<'_>) -> Vec<String>;

    /// What a fence does that is an event of its own.
    fn fence(&self, t: usize, mode: Mode) -> Vec<String> {
        let _ = (t, mode);
        Vec::new()
    }

    /// What a plain access does.
    fn plain(&self, t: usize, loc: LocId, kind: PlainKind) -> Vec<String> {
        let _ = (t, loc, kind);
        Vec::new()
    }

    /// When a plain access races with an earlier one; none if it never does. Unused if races are
    /// states.
    fn race(&self, t: usize, loc: LocId, kind: PlainKind) -> Option<String> {
        let _ = (t, loc, kind);
        None
    }

    /// Are races states in which two conflicting accesses are enabled, rather than a matter of
    /// [`Encoding::race`]?
    fn races_are_states(&self) -> bool;

    /// When the step could be taken with a stale value; none if never.
    fn stale(&self, t: usize, attempt: &Attempt<'_>) -> Option<String>;
}
