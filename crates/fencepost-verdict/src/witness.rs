//! Evidence for a violation: an SC run, and the step that leaves SC.

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Pc, ThreadId, Value};
use fencepost_model::cycle::Cycle;
use fencepost_model::{Event, EventId, Graph};

/// An instruction of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// The thread.
    pub thread: ThreadId,
    /// The instruction.
    pub pc: Pc,
}

impl Site {
    /// Where an event comes from, if it is one of the program's instructions.
    pub fn of(event: &Event) -> Option<Self> {
        Some(Site { thread: event.thread?, pc: event.pc? })
    }
}

/// One step of an SC run: a thread goes from one resting point to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunStep {
    /// The instruction the thread rested at.
    pub site: Site,
    /// What it did to memory; none for a step within the thread.
    pub label: Option<Label>,
    /// For a choice: which alternative, or which value, was taken.
    pub choice: Option<u32>,
}

/// An SC run from the initial state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Its steps.
    pub steps: Vec<RunStep>,
}

/// One step of a run under a weak model, told as an execution graph that grows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphStep {
    /// The instruction the thread rested at.
    pub site: Site,
    /// The event that is added, with the write it reads from or comes right after in modification
    /// order. Events are numbered by what steps say alone, whatever else fences add to the graph of
    /// a model: initialisation writes first, then those of steps, in their order.
    pub event: Option<(Label, EventId)>,
    /// For a choice: which alternative, or which value, was taken. A step with neither passes a
    /// fence, or the beginning or end of an atomic section.
    pub choice: Option<u32>,
}

/// A run under a weak model from the initial state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphRun {
    /// Its steps.
    pub steps: Vec<GraphStep>,
}

/// How the model can leave SC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViolationKind {
    /// A read can see an overwritten value.
    StaleRead,
    /// A write can be ordered before one it comes after under SC.
    StaleWrite,
    /// A read-modify-write can do both.
    StaleRmw,
    /// A value that can be stale is used (it decides something, or is written).
    TaintedUse,
    /// Two conflicting plain accesses are not ordered.
    DataRace,
}

impl ViolationKind {
    /// The name in machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            ViolationKind::StaleRead => "stale-read",
            ViolationKind::StaleWrite => "stale-write",
            ViolationKind::StaleRmw => "stale-rmw",
            ViolationKind::TaintedUse => "tainted-use",
            ViolationKind::DataRace => "data-race",
        }
    }
}

/// A violation, replayed: the run is one of the program, the model permits
/// the step that follows it, SC does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What goes wrong.
    pub kind: ViolationKind,
    /// The access that goes wrong.
    pub access: Site,
    /// The location.
    pub location: LocId,
    /// The write that the access should have seen or come after; for a race, the other access.
    pub conflicting: Site,
    /// The old values it can see, or be ordered right after; ascending. Empty for a race.
    pub stale_values: Vec<Value>,
    /// The name of the litmus shape, if it has one.
    pub shape: Option<String>,
    /// The SC run that leads there. The offending step is not in it; nor, for a race, the other
    /// access.
    pub run: Run,
    /// The execution graph of the run and the offending step (for a race, of both accesses).
    pub graph: Graph,
    /// The offending step in `graph`.
    pub culprit: EventId,
    /// The cycle in `graph` that SC forbids; none for a race.
    pub cycle: Option<Cycle>,
    /// In a model with store buffers, the delay of a store that lets it happen.
    pub delay: Option<Delay>,
}

/// Why store buffers matter: `store` is delayed past `passed`, a later access of its thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delay {
    /// The store.
    pub store: Site,
    /// The access that memory sees first.
    pub passed: Site,
    /// A computation in which that happens, and which no SC run is like.
    pub computation: Computation,
}

/// A computation of the store-buffer machine from the initial state, at whose end all buffers are
/// empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Computation {
    /// Its steps.
    pub steps: Vec<BufferStep>,
}

/// A step of the store-buffer machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BufferStep {
    /// A thread executes an instruction.
    Execute {
        /// What it does.
        step: RunStep,
        /// A store that is delayed stays in the buffer; any other goes to memory at once.
        delayed: bool,
    },
    /// The oldest buffered store of `thread` to `loc` reaches memory.
    Commit {
        /// The thread that stored.
        thread: ThreadId,
        /// The location.
        loc: LocId,
    },
}

/// Something that goes wrong even under SC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScFailure {
    /// What.
    pub kind: ScFailureKind,
    /// The instruction.
    pub site: Site,
    /// The SC run that leads there.
    pub run: Run,
}

/// What goes wrong under SC.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ScFailureKind {
    /// An assertion does not hold.
    Assertion,
    /// Division by zero.
    DivisionByZero,
    /// An index outside its array.
    IndexOutOfRange {
        /// The index.
        index: i64,
        /// The length of the array.
        length: u32,
    },
}

/// A violation as an engine found it, to be replayed: nothing in it is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Candidate {
    /// After the run, the access at `site` can have a stale predecessor.
    Stale {
        /// The SC run.
        run: Run,
        /// The access.
        site: Site,
    },
    /// After the run, two conflicting plain accesses are enabled.
    Race {
        /// The SC run.
        run: Run,
        /// One access.
        first: Site,
        /// The other.
        second: Site,
    },
    /// After the run, the instruction at `site` uses the value of a read that may be stale.
    TaintedUse {
        /// The SC run.
        run: Run,
        /// The instruction.
        site: Site,
    },
    /// After the run, a plain access is enabled that an earlier one is not ordered before.
    LateRace {
        /// The SC run.
        run: Run,
        /// The access.
        site: Site,
    },
    /// With store buffers, a computation that is like no SC run.
    Delayed(Delay),
}

impl Candidate {
    /// Number of steps of the run or computation.
    pub fn steps(&self) -> usize {
        match self {
            Candidate::Stale { run, .. }
            | Candidate::TaintedUse { run, .. }
            | Candidate::Race { run, .. }
            | Candidate::LateRace { run, .. } => run.steps.len(),
            Candidate::Delayed(delay) => delay.computation.steps.len(),
        }
    }
}
