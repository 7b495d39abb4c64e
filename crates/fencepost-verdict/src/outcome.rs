//! Outcomes.

use std::fmt;
use std::time::Duration;

use fencepost_base::effort::Exhausted;

use crate::consequences::Consequences;
use crate::copies::ForCopies;
use crate::witness::{ScFailure, Site, Violation};

/// The question that was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Property {
    /// Is the program robust against the model?
    Robustness,
    /// Can it be shown that whatever the program does there and not under SC is never observed?
    ObservationalRobustness,
}

impl Property {
    /// The name in machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            Property::Robustness => "robustness",
            Property::ObservationalRobustness => "observational-robustness",
        }
    }
}

/// The answer.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The property holds: the state space was exhausted.
    Holds,
    /// It does not; the violation was replayed on the axioms.
    Violated(Box<Violation>),
    /// It was not decided.
    Unknown(Reason),
}

impl Verdict {
    /// Does the property hold?
    pub fn is_holding(&self) -> bool {
        matches!(self, Verdict::Holds)
    }

    /// Is it violated?
    pub fn is_violated(&self) -> bool {
        matches!(self, Verdict::Violated(_))
    }

    /// Was it not decided?
    pub fn is_unknown(&self) -> bool {
        matches!(self, Verdict::Unknown(_))
    }
}

/// Why a question was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The limit on states was reached.
    States(u64),
    /// The limit on memory was reached.
    Memory(u64),
    /// A device's memory is full, or it failed.
    Device(String),
    /// Something went wrong with files of a search, or they need more room than they may have.
    Disk(String),
    /// Time ran out.
    Time,
    /// Somebody did not want to wait any longer.
    Interrupted,
    /// The program is beyond what the engine can represent.
    TooLarge(String),
    /// The question makes no sense, or cannot be answered, for this program and model.
    Unsupported(String),
    /// Everything that was tried came to its end without an answer: the question is undecidable in
    /// general, or no engine is complete for it.
    Inconclusive(String),
    /// Some values of the program have no bound that is known, and nothing was found as long as
    /// that was worth a search.
    Unbounded(String),
    /// The program is modelled up to a bound, which a run reaches; up to there nothing was found.
    Bound {
        /// The bound.
        site: Site,
        /// As it is written.
        text: String,
    },
}

impl Reason {
    /// A short name for machine-readable output.
    pub fn as_str(&self) -> &'static str {
        match self {
            Reason::States(_) => "max-states",
            Reason::Memory(_) => "memory",
            Reason::Device(_) => "device",
            Reason::Disk(_) => "disk",
            Reason::Time => "timeout",
            Reason::Interrupted => "interrupted",
            Reason::TooLarge(_) => "too-large",
            Reason::Unsupported(_) => "unsupported",
            Reason::Inconclusive(_) => "inconclusive",
            Reason::Unbounded(_) => "unbounded",
            Reason::Bound { .. } => "bound",
        }
    }
}

impl From<Exhausted> for Reason {
    fn from(exhausted: Exhausted) -> Self {
        match exhausted {
            Exhausted::Time => Reason::Time,
            Exhausted::Memory(limit) => Reason::Memory(limit),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::States(limit) => write!(f, "the limit on states ({limit}) was reached"),
            Reason::Memory(limit) if *limit < 1 << 20 => {
                write!(f, "the memory limit of {:.1} KiB was reached", *limit as f64 / 1024.0)
            }
            Reason::Memory(limit) => {
                write!(f, "the memory limit of {:.1} MiB was reached", *limit as f64 / f64::from(1 << 20))
            }
            Reason::Time => f.write_str("time ran out"),
            Reason::Interrupted => f.write_str("interrupted"),
            Reason::Device(what)
            | Reason::Disk(what)
            | Reason::TooLarge(what)
            | Reason::Unsupported(what)
            | Reason::Inconclusive(what)
            | Reason::Unbounded(what) => f.write_str(what),
            Reason::Bound { text, .. } => {
                write!(f, "runs go beyond the bound `{text}`, where the program is not modelled")
            }
        }
    }
}

/// What it cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Distinct states found.
    pub states: u64,
    /// Steps taken between them.
    pub transitions: u64,
    /// Steps of the SC runs to the states found last: no state found is further from the initial
    /// one.
    pub depth: u64,
    /// Bits of one state.
    pub state_bits: u64,
    /// Greatest number of bytes used for states.
    pub peak_bytes: u64,
    /// How many of the states were found by a device.
    pub on_device: u64,
    /// Time of the whole check; set by whoever has a clock.
    pub time: Duration,
}

/// What was decided, on what evidence, at what cost.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The question.
    pub property: Property,
    /// The name of the memory model.
    pub model: &'static str,
    /// The answer.
    pub verdict: Verdict,
    /// An assertion that fails, or a run-time error, under SC, met in the same search (the
    /// shallowest one).
    pub sc_failure: Option<Box<ScFailure>>,
    /// Under [`Property::ObservationalRobustness`]: the reads that may be stale, all of them if the
    /// property holds.
    pub speculative: Vec<Site>,
    /// What goes wrong because the program is not robust, if that was asked.
    pub consequences: Option<Consequences>,
    /// Of a program with threads of any number of copies: what the answer is about. Then threads and
    /// instructions are those of the program in there.
    pub copies: Option<Box<ForCopies>>,
    /// The cost.
    pub stats: Stats,
}
