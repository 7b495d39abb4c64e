//! The event stream: what the runtime tells, one JSON object per line.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Longest line that is read; longer ones are no events.
pub const MAX_LINE: usize = 1 << 20;

/// Something the runtime told.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "ev", rename_all = "lowercase")]
pub enum Event {
    /// The program has started.
    Start(Start),
    /// What is mapped where.
    Modules {
        /// One entry per loaded range.
        list: Vec<Module>,
    },
    /// A thread that has a name, or that the next report is about.
    Thread(Thread),
    /// A spin loop was recognised: this value, read here, keeps it spinning.
    Spin {
        /// Where it reads: a return address.
        pc: u64,
        /// The value.
        value: u64,
    },
    /// A finding.
    Report(Box<Finding>),
    /// Something the user should know.
    Note {
        /// What.
        text: String,
    },
    /// All threads of the program wait, and it is ended.
    Deadlock {
        /// Which thread for what.
        waiting: Vec<Waiting>,
    },
    /// Figures at the end.
    Summary(Figures),
    /// The program ends in an orderly way.
    End {
        /// Its exit status.
        status: i64,
    },
}

/// The program has started.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct Start {
    /// Its process.
    pub pid: u64,
    /// The file it was started from.
    #[serde(default)]
    pub exe: String,
    /// Its command line.
    #[serde(default)]
    pub argv: Vec<String>,
    /// Seed of the schedule.
    #[serde(default)]
    pub seed: u64,
    /// Who decides which thread runs: `os`, `random` or `pct:D`.
    #[serde(default)]
    pub schedule: String,
    /// The options in force.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
}

/// A range of a file that is mapped into the program.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Module {
    /// The file.
    pub path: String,
    /// What to subtract from an address to find it in the file.
    pub bias: u64,
    /// First address.
    pub start: u64,
    /// First address after it.
    pub end: u64,
    /// Holds code.
    #[serde(default)]
    pub exec: bool,
}

/// A thread of the program.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Thread {
    /// Its number; the main thread has 1.
    pub tid: u64,
    /// Its name, if it has one.
    #[serde(default)]
    pub name: Option<String>,
    /// Who created it.
    #[serde(default)]
    pub parent: u64,
    /// Where.
    #[serde(default)]
    pub stack: Vec<u64>,
}

/// What a thread waits for.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Waiting {
    /// Which thread.
    pub tid: u64,
    /// `object`, `value`, `thread` or `other`.
    #[serde(rename = "for")]
    pub kind: String,
    /// Where the object or the value is.
    #[serde(default)]
    pub addr: u64,
    /// The thread whose end is waited for.
    #[serde(default)]
    pub other: u64,
}

/// A violation or a race.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Finding {
    /// Which of the two.
    #[serde(flatten)]
    pub kind: Kind,
    /// The thread whose access it is.
    pub tid: u64,
    /// The accessed address.
    pub addr: u64,
    /// The accessed bytes.
    pub size: u64,
    /// The access.
    pub access: Access,
    /// What is at the address.
    #[serde(default)]
    pub memory: Memory,
}

impl Finding {
    /// Is it about an access that a busy wait is made of?
    pub(crate) fn may_be_spinning(&self) -> bool {
        matches!(self.kind, Kind::Robustness { .. })
            && matches!(self.access.op.as_str(), "load" | "cas-weak" | "cas-strong")
    }
}

/// What a finding is about.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Kind {
    /// An access that could use an overwritten value.
    Robustness {
        /// The write that it may miss.
        newest: Write,
        /// The writes that it may use instead, oldest first.
        #[serde(default)]
        stale: Vec<Write>,
        /// There may be older ones that were forgotten.
        #[serde(default)]
        cut: bool,
        /// The recorded run is whole up to here.
        #[serde(default)]
        complete: bool,
        /// How many records it has.
        #[serde(default)]
        events: u64,
    },
    /// Two conflicting accesses, not ordered by happens-before.
    Race {
        /// The earlier one.
        other: Other,
    },
}

/// The access that is reported.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Access {
    /// `load`, `store`, `exchange`, …
    pub op: String,
    /// Its memory order, if it is atomic.
    #[serde(default)]
    pub order: Option<String>,
    /// That of a compare-and-swap which fails.
    #[serde(default)]
    pub failure: Option<String>,
    /// What a compare-and-swap expects, or a wait waits for.
    #[serde(default)]
    pub expected: Option<u64>,
    /// When, on the clock of the recorded run.
    #[serde(default)]
    pub time: u64,
    /// Where: return addresses, innermost first.
    #[serde(default)]
    pub stack: Vec<u64>,
}

/// A write that an access may miss, or use.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Write {
    /// What was written.
    pub value: u64,
    /// By a read-modify-write.
    #[serde(default)]
    pub rmw: bool,
    /// By whom; 0 for the initial value.
    #[serde(default)]
    pub tid: u64,
    /// `store`, `fetch-add`, …
    #[serde(default)]
    pub op: String,
    /// Its memory order.
    #[serde(default)]
    pub order: Option<String>,
    /// When, on the clock of the recorded run.
    #[serde(default)]
    pub time: u64,
    /// Where.
    #[serde(default)]
    pub stack: Vec<u64>,
}

/// The other access of a race.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Other {
    /// `read`, `write`, `atomic-store`, …
    pub op: String,
    /// Its memory order, if it is atomic.
    #[serde(default)]
    pub order: Option<String>,
    /// Whose.
    pub tid: u64,
    /// Its address.
    #[serde(default)]
    pub addr: u64,
    /// Its bytes.
    #[serde(default)]
    pub size: u64,
    /// Where.
    #[serde(default)]
    pub stack: Vec<u64>,
}

/// What is at an address.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct Memory {
    /// `global`, `heap`, `stack`, `tls`, `mapped` or `unknown`.
    #[serde(default)]
    pub kind: String,
    /// Where the block or variable starts.
    #[serde(default)]
    pub base: Option<u64>,
    /// How long it is.
    #[serde(default)]
    pub size: Option<u64>,
    /// Who allocated it, or whose stack it is.
    #[serde(default)]
    pub tid: Option<u64>,
    /// Where it was allocated.
    #[serde(default)]
    pub stack: Option<Vec<u64>>,
}

/// Figures at the end of a run.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default)]
pub struct Figures {
    /// Atomic accesses checked.
    pub accesses: u64,
    /// Fences.
    pub fences: u64,
    /// Atomic locations.
    pub locations: u64,
    /// Windows of stale writes cut by the bounded history.
    pub cut: u64,
    /// Writes to atomic locations that were not seen.
    pub out_of_sight: u64,
    /// Threads.
    pub threads: u64,
    /// Switches between threads by a controlled schedule.
    pub switches: u64,
    /// Steps at which a controlled schedule could switch.
    pub steps: u64,
    /// Atomic accesses that overlap others of another size.
    pub mixed_size: u64,
}

/// Reads a line.
pub fn parse(line: &[u8]) -> Result<Event, String> {
    if line.len() > MAX_LINE {
        return Err(format!("a line of {} bytes", line.len()));
    }
    serde_json::from_slice(line).map_err(|error| error.to_string())
}
