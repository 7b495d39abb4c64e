//! Transition systems over packed states: what a search needs to know.

use std::ops::ControlFlow;

use fencepost_verdict::{RunStep, ScFailureKind, Site};

/// A step from one state to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transition {
    /// What was done; none for the start of the program, before any step.
    pub(crate) step: Option<RunStep>,
    /// What went wrong on the way, although all is SC.
    pub(crate) failure: Option<(Site, ScFailureKind)>,
    /// Is the step a read that may be stale, in a search that lets it be?
    pub(crate) speculative: bool,
}

/// A step that would leave SC, possible in some state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// The access at this site can use a stale predecessor.
    Stale(Site),
    /// These two plain accesses are enabled at once.
    Race(Site, Site),
    /// The instruction at this site uses the value of a read that may be stale.
    TaintedUse(Site),
    /// This plain access is not ordered after an earlier one.
    LateRace(Site),
}

/// A finite transition system.
///
/// Laws: `successors` is a function of the state alone and visits in a fixed
/// order; so is `inspect`. The search relies on both to rebuild runs.
pub(crate) trait System: Sync {
    /// Number of words of a state.
    fn words(&self) -> usize;

    /// Number of bits of a state that carry information.
    fn bits(&self) -> usize;

    /// The initial state, with whatever goes wrong before the first step.
    fn initial(&self) -> (Vec<u64>, Vec<Transition>);

    /// Visits every step out of `state`, until `visit` breaks.
    fn successors(
        &self,
        state: &[u64],
        visit: &mut dyn FnMut(Transition, &[u64]) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Can SC be left from `state`?
    fn inspect(&self, state: &[u64]) -> Option<Finding>;
}
