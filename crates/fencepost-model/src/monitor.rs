//! Monitors: finite memories that follow an SC run and notice when a weaker
//! model could have taken the next step differently.

use fencepost_base::ids::{LocId, ThreadId};

/// What a monitor needs to know about a program.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Number of threads.
    pub threads: usize,
    /// For every location: the number of value classes to tell apart (at
    /// least 1), or 0 if the location is non-atomic and not monitored.
    ///
    /// Values are in one class when no blocking instruction of the program can
    /// distinguish them (the critical values of §5.1 of the PLDI 2019 paper,
    /// generalised to sets of values).
    pub classes: Vec<usize>,
}

/// What kind of step it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptKind {
    /// A read.
    Read,
    /// A write.
    Write,
    /// A read-modify-write.
    Rmw,
}

/// Which stale values the thread would accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepts<'a> {
    /// Any.
    Any,
    /// Only those of one class.
    Only(usize),
    /// All but those of one class.
    AllBut(usize),
    /// Those of the classes whose bit is set.
    Classes(&'a [u64]),
}

impl Accepts<'_> {
    /// Is class `class` accepted?
    pub fn contains(&self, class: usize) -> bool {
        match self {
            Accepts::Any => true,
            Accepts::Only(only) => class == *only,
            Accepts::AllBut(but) => class != *but,
            Accepts::Classes(bits) => bits[class / 64] >> (class % 64) & 1 == 1,
        }
    }
}

/// A step that a thread is ready to take, whether or not SC memory allows it now.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// Kind.
    pub kind: AttemptKind,
    /// Location.
    pub loc: LocId,
    /// For reads and read-modify-writes, the values the thread can go on with.
    pub accepts: Accepts<'a>,
}

/// Follows an SC run. States live in slots of a packed state.
///
/// Laws: equal states have equal futures; no state outside the slots. The
/// state is a function of the execution graph alone, so that steps which
/// commute in the graph commute here.
pub trait Monitor: Sync {
    /// Writes the initial monitor state into its slots.
    fn start(&self, state: &mut [u64]);

    /// The SC step of `thread` on `loc`, an atomic location whose value before the step is in class `current`.
    fn step(&self, state: &mut [u64], thread: ThreadId, kind: AttemptKind, loc: LocId, current: usize);

    /// Could the model take the attempted step with a predecessor write that
    /// SC forbids, leaving the SC executions?
    fn violated(&self, state: &[u64], thread: ThreadId, attempt: &Attempt<'_>) -> bool;
}
