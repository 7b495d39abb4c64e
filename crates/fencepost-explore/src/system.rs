//! Transition systems over packed states: what a search needs to know.

use fencepost_base::ids::ThreadId;
use fencepost_verdict::{Reason, RunStep, ScFailureKind, Site};

/// Where a thread stops that has not come to its end, and why, if somebody is to be told.
pub(crate) type Stopped = Option<(Site, Stop)>;

/// Why a thread stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Something goes wrong although all is SC.
    Failure(ScFailureKind),
    /// The program is not modelled any further.
    Bound,
    /// There is too much to be followed: the search cannot go on without it.
    GiveUp(Reason),
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

/// A set of threads, one bit each; programs with more threads than bits are not reduced.
pub(crate) type ThreadSet = u64;

/// Steps out of a state, in buffers that are used again and again.
pub(crate) struct Expansion {
    /// Words of a state.
    words: usize,
    states: Vec<u64>,
    steps: Vec<Successor>,
    /// What happened on the way, if anybody wants to know: an expansion that is part of a search
    /// does not.
    trace: Option<Vec<RunStep>>,
    /// A state that a step passes through.
    scratch: Vec<u64>,
    /// Work that led to no step, or to few: states inside of atomic sections.
    pub(crate) effort: usize,
}

/// What is known about a step besides where it leads.
#[derive(Clone, Debug)]
pub(crate) struct Successor {
    /// The instruction.
    pub(crate) site: Site,
    /// Did the thread stop on the way?
    pub(crate) stopped: Stopped,
    /// Is it a read that may be stale, in a search that lets it be?
    pub(crate) speculative: bool,
    /// Is it the step itself, and nothing guessed besides? Whatever the other threads can do after
    /// it, they can do without it.
    pub(crate) pure: bool,
    /// Where its part of the trace starts.
    trace: usize,
}

impl Expansion {
    /// No steps yet, of states of `words` words.
    pub(crate) fn new(words: usize) -> Self {
        Expansion { words, states: Vec::new(), steps: Vec::new(), trace: None, scratch: Vec::new(), effort: 0 }
    }

    /// The same, which keeps what happens on the way.
    pub(crate) fn traced(words: usize) -> Self {
        Expansion { trace: Some(Vec::new()), ..Expansion::new(words) }
    }

    /// Forgets all steps.
    pub(crate) fn clear(&mut self) {
        self.states.clear();
        self.steps.clear();
        if let Some(trace) = &mut self.trace {
            trace.clear();
        }
    }

    /// Number of steps.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// A step.
    pub(crate) fn step(&self, step: usize) -> &Successor {
        &self.steps[step]
    }

    /// Where a step leads.
    pub(crate) fn target(&self, step: usize) -> &[u64] {
        &self.states[step * self.words..(step + 1) * self.words]
    }

    /// Where a step leads, to be replaced by something equal.
    pub(crate) fn target_mut(&mut self, step: usize) -> &mut [u64] {
        &mut self.states[step * self.words..(step + 1) * self.words]
    }

    /// Where all steps lead, one after the other.
    pub(crate) fn targets(&self) -> &[u64] {
        &self.states
    }

    /// What happened during a step.
    pub(crate) fn trace(&self, step: usize) -> &[RunStep] {
        let Some(trace) = &self.trace else { return &[] };
        let end = self.steps.get(step + 1).map_or(trace.len(), |next| next.trace);
        &trace[self.steps[step].trace..end]
    }

    /// Starts a step out of `state`: a copy of it, to be changed and then [`Expansion::keep`] or
    /// [`Expansion::discard`].
    pub(crate) fn begin(&mut self, state: &[u64], first: RunStep) -> usize {
        self.states.extend_from_slice(state);
        let trace = self.trace.as_ref().map_or(0, Vec::len);
        self.record(first);
        trace
    }

    /// Does anybody want to know what happens on the way?
    pub(crate) fn is_traced(&self) -> bool {
        self.trace.is_some()
    }

    /// Something happens during the step that was begun.
    pub(crate) fn record(&mut self, step: RunStep) {
        if let Some(trace) = &mut self.trace {
            trace.push(step);
        }
    }

    /// The state of the step that was begun.
    pub(crate) fn state(&mut self) -> &mut [u64] {
        let start = self.states.len() - self.words;
        &mut self.states[start..]
    }

    /// The state of the step that was begun, and somebody to tell what happens during it.
    pub(crate) fn parts(&mut self) -> (&mut [u64], impl FnMut(RunStep)) {
        let start = self.states.len() - self.words;
        let trace = &mut self.trace;
        let record = move |step| {
            if let Some(trace) = trace {
                trace.push(step);
            }
        };
        (&mut self.states[start..], record)
    }

    /// The step that was begun is one.
    pub(crate) fn keep(&mut self, site: Site, stopped: Stopped, speculative: bool, pure: bool, trace: usize) {
        self.steps.push(Successor { site, stopped, speculative, pure, trace });
    }

    /// The step that was begun is only the first part of some: those that `expand` adds for the
    /// state it leads to.
    pub(crate) fn go_on(&mut self, trace: usize, expand: impl FnOnce(&[u64], &mut Expansion)) {
        let mut state = std::mem::take(&mut self.scratch);
        state.clear();
        state.extend_from_slice(self.state());
        let prefix = self.trace.as_mut().map_or(Vec::new(), |steps| steps.split_off(trace));
        self.discard(trace);
        let first = self.steps.len();
        expand(&state, self);
        self.scratch = state;
        // Every step that was added starts with what happened before it.
        let Some(steps) = &mut self.trace else { return };
        for (added, successor) in self.steps[first..].iter_mut().enumerate() {
            successor.trace += added * prefix.len();
            steps.splice(successor.trace..successor.trace, prefix.iter().cloned());
        }
    }

    /// The step that was begun leads nowhere.
    pub(crate) fn discard(&mut self, trace: usize) {
        self.states.truncate(self.states.len() - self.words);
        if let Some(steps) = &mut self.trace {
            steps.truncate(trace);
        }
    }
}

/// How a system starts.
pub(crate) struct Initial {
    pub(crate) state: Vec<u64>,
    /// What happens before any thread takes a step.
    pub(crate) trace: Vec<RunStep>,
    /// The threads that stop then, and after how much of it.
    pub(crate) stopped: Vec<(usize, (Site, Stop))>,
}

/// A finite transition system whose steps belong to threads.
///
/// Laws: everything is a function of the state alone, in a fixed order. `canonical` maps a state to
/// one with the same future up to names of threads. What leaves SC from a state can be reached by
/// the steps of any of its `persistent` sets and then others, or after them.
pub(crate) trait System: Sync {
    /// Number of words of a state.
    fn words(&self) -> usize;

    /// Number of bits of a state that carry information.
    fn bits(&self) -> usize;

    /// Number of threads.
    fn threads(&self) -> usize;

    /// Where it starts.
    fn initial(&self) -> Initial;

    /// Adds the steps of thread `t` out of `state`.
    fn expand(&self, state: &[u64], t: usize, out: &mut Expansion);

    /// Sets of threads whose steps may be tried alone, best first; not the set of all.
    fn persistent(&self, state: &[u64], sets: &mut Vec<ThreadSet>);

    /// Replaces a state by its representative.
    fn canonical(&self, state: &mut [u64]);

    /// Can SC be left from `state`?
    fn inspect(&self, state: &[u64]) -> Option<Finding>;

    /// Adds all that is wrong in `state`.
    fn inspect_all(&self, state: &[u64], found: &mut Vec<Finding>) {
        found.extend(self.inspect(state));
    }

    /// Has a step been taken that left SC?
    fn has_strayed(&self, _state: &[u64]) -> bool {
        false
    }

    /// The first thread with the same code.
    fn first_equal(&self, t: ThreadId) -> ThreadId {
        t
    }
}
