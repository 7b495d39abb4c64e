//! What is reported: a finding with names instead of numbers.

use std::fmt;

use crate::symbols::Frame;

/// A finding, symbolised.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// What it is about.
    pub kind: Kind,
    /// The process it was found in.
    pub pid: u64,
    /// The access that is reported.
    pub access: Operation,
    /// What it accesses.
    pub memory: Memory,
    /// Where the threads of the report were created.
    pub threads: Vec<Creation>,
    /// How to see it again.
    pub reproduce: Reproduce,
}

/// What a report is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// An access that could use an overwritten value under RC20, and not under SC.
    Robustness(Box<Window>),
    /// Two conflicting accesses that happens-before does not order; this is the earlier one.
    Race(Box<Operation>),
}

/// What an access may miss, and use instead.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// The newest write that comes before the access in every SC order.
    pub missed: Operation,
    /// The older ones it may take for the newest, oldest first.
    pub stale: Vec<Operation>,
    /// There may be more, which the bounded history has forgotten.
    pub cut: bool,
    /// How the missed write comes before the access in every SC order: the steps that do not
    /// synchronise. Empty if not known.
    pub links: Vec<Link>,
    /// What to change.
    pub advice: Option<Advice>,
}

impl Window {
    /// The well-known shape that the violation has, if it is one that can be told.
    pub fn shape(&self, access: &Operation) -> Option<Shape> {
        match &*self.links {
            [Link { kind: LinkKind::ReadsFrom, .. }] if access.op == "load" => Some(Shape::MessagePassing),
            [Link { kind: LinkKind::FromRead, .. }] if access.op == "load" => Some(Shape::StoreBuffering),
            _ => None,
        }
    }
}

/// A shape that people know by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Data, then a flag; the flag is seen, the data not.
    MessagePassing,
    /// Two threads store to one location and load the other's; neither store is seen.
    StoreBuffering,
}

impl Shape {
    /// As litmus tests are called.
    pub fn code(self) -> &'static str {
        match self {
            Shape::MessagePassing => "MP",
            Shape::StoreBuffering => "SB",
        }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Shape::MessagePassing => "message-passing",
            Shape::StoreBuffering => "store-buffering",
        }
    }
}

/// A step that orders two accesses under SC, and not in happens-before.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The access it starts at.
    pub from: LinkEnd,
    /// The access it leads to.
    pub to: LinkEnd,
    /// Why the one comes before the other.
    pub kind: LinkKind,
}

/// An end of a [`Link`].
#[derive(Clone, Debug, PartialEq)]
pub struct LinkEnd {
    /// Its order and what it is: `relaxed store`.
    pub what: String,
    /// Whose.
    pub thread: Thread,
    /// Where.
    pub place: Frame,
}

/// Why one access comes before another in every SC order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// The second reads what the first wrote.
    ReadsFrom,
    /// The second overwrites what the first wrote, or reads what did.
    Order,
    /// The second overwrites what the first read.
    FromRead,
}

/// An access.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// `load`, `store`, `fetch-add`, `read`, …
    pub op: String,
    /// Its memory order, if it is atomic.
    pub order: Option<String>,
    /// What it wrote.
    pub value: Option<u64>,
    /// What it expects to read.
    pub expected: Option<u64>,
    /// Where.
    pub address: u64,
    /// How many bytes.
    pub size: u64,
    /// Whose; none for the initial value.
    pub thread: Option<Thread>,
    /// Innermost frame first.
    pub stack: Vec<Frame>,
}

impl Operation {
    /// The frame to blame: the innermost one that is no library code.
    pub fn blamed(&self) -> Option<&Frame> {
        blamed(&self.stack)
    }

    /// What people call it.
    pub fn name(&self) -> String {
        match self.op.as_str() {
            "cas-strong" => "strong compare-and-swap".into(),
            "cas-weak" => "weak compare-and-swap".into(),
            "bcas" => "blocking compare-and-swap".into(),
            "" => "access".into(),
            op => op.replacen("atomic-", "atomic ", 1),
        }
    }

    /// `Load (relaxed)`.
    pub fn title(&self) -> String {
        let mut words = self.name();
        if let Some(first) = words.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        match &self.order {
            Some(order) => format!("{words} ({order})"),
            None => words,
        }
    }

    /// It writes without reading.
    pub(crate) fn writes_only(&self) -> bool {
        self.op == "store"
    }
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thread {
    /// Its number, by order of creation; the main thread has 1.
    pub tid: u64,
    /// Its name, if it has one.
    pub name: Option<String>,
}

impl fmt::Display for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.name, self.tid) {
            (_, 0) => f.write_str("a thread that is forgotten"),
            (_, 1) => f.write_str("main thread"),
            (Some(name), tid) => write!(f, "thread T{tid} '{name}'"),
            (None, tid) => write!(f, "thread T{tid}"),
        }
    }
}

/// Where a thread was created.
#[derive(Clone, Debug, PartialEq)]
pub struct Creation {
    /// The thread.
    pub thread: Thread,
    /// Who created it.
    pub parent: Thread,
    /// Where.
    pub stack: Vec<Frame>,
}

/// What is at the accessed address.
#[derive(Clone, Debug, PartialEq)]
pub enum Memory {
    /// A global variable.
    Global {
        /// Its name, demangled.
        name: String,
        /// Its length.
        size: u64,
        /// Where it starts.
        address: u64,
        /// The file that holds it.
        module: String,
    },
    /// A block from the allocator.
    Heap {
        /// Its length.
        size: u64,
        /// Where it starts.
        address: u64,
        /// Who allocated it.
        thread: Option<Thread>,
        /// Where.
        stack: Vec<Frame>,
    },
    /// A thread's stack.
    Stack(Thread),
    /// Nothing is known.
    Unknown,
}

/// What to change.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// Where and how.
    pub edits: Vec<Edit>,
    /// The recorded run was evaluated again with the edits, and the violation was gone.
    pub reevaluated: bool,
}

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// Where.
    pub place: Frame,
    /// What: a phrase that starts with a verb.
    pub change: String,
}

/// How to see it again.
#[derive(Clone, Debug, PartialEq)]
pub struct Reproduce {
    /// A command line.
    pub command: String,
    /// It takes the same schedule, so that it shows the same.
    pub exact: bool,
}

/// All threads of a program wait, and none of them can go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Deadlock {
    /// The process.
    pub pid: u64,
    /// Which thread for what.
    pub waiting: Vec<Waiting>,
    /// Where these threads were created.
    pub threads: Vec<Creation>,
    /// How to see it again.
    pub reproduce: Reproduce,
}

/// A thread that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// The thread.
    pub thread: Thread,
    /// What it waits for.
    pub what: Awaited,
}

/// What a thread waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Awaited {
    /// A lock, a condition or the like.
    Object(Place),
    /// Another value.
    Value(Place),
    /// The end of a thread.
    Thread(Thread),
    /// Nobody knows.
    Unknown,
}

/// A place in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Where.
    pub address: u64,
    /// The name of the global variable there.
    pub name: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "'{name}'"),
            None => write!(f, "{:#x}", self.address),
        }
    }
}

impl fmt::Display for Awaited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Awaited::Object(place) => write!(f, "the lock, condition or the like at {place}"),
            Awaited::Value(place) => write!(f, "another value at {place}"),
            Awaited::Thread(thread) => write!(f, "the end of {thread}"),
            Awaited::Unknown => f.write_str("something unknown"),
        }
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} waits for {}", self.thread, self.what)
    }
}

impl Deadlock {
    /// What the same deadlock has in common in different runs, where addresses differ.
    pub fn identity(&self) -> String {
        let one = |waiting: &Waiting| match &waiting.what {
            Awaited::Object(Place { name: None, .. }) => format!("{}: an object", waiting.thread),
            Awaited::Value(Place { name: None, .. }) => format!("{}: a value", waiting.thread),
            _ => waiting.to_string(),
        };
        let all: Vec<String> = self.waiting.iter().map(one).collect();
        format!("deadlock: {}", all.join(" / "))
    }
}

impl Creation {
    /// The frame to blame: the innermost one that is no library code.
    pub fn blamed(&self) -> Option<&Frame> {
        blamed(&self.stack)
    }
}

fn blamed(stack: &[Frame]) -> Option<&Frame> {
    stack.iter().find(|frame| !frame.is_library()).or(stack.first())
}

impl Report {
    /// `robustness violation` or `data race`.
    pub fn title(&self) -> &'static str {
        match self.kind {
            Kind::Robustness(_) => "robustness violation",
            Kind::Race(_) => "data race",
        }
    }

    /// Every access of the report, the reported one first.
    pub fn operations(&self) -> Vec<&Operation> {
        let mut all = vec![&self.access];
        match &self.kind {
            Kind::Robustness(window) => {
                all.push(&window.missed);
                all.extend(&window.stale);
            }
            Kind::Race(other) => all.push(other),
        }
        all
    }

    /// What two reports of the same thing have in common: the kind and the places to blame.
    pub fn identity(&self) -> Identity {
        let place = |operation: &Operation| operation.blamed().map_or(String::new(), Frame::identity);
        let mut places = match &self.kind {
            Kind::Robustness(window) => [place(&self.access), place(&window.missed)],
            Kind::Race(other) => [place(&self.access), place(other)],
        };
        if matches!(self.kind, Kind::Race(_)) {
            // Which of the two came first is chance.
            places.sort();
        }
        Identity { kind: self.title(), places }
    }
}

/// See [`Report::identity`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    kind: &'static str,
    places: [String; 2],
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} / {}", self.kind, self.places[0], self.places[1])
    }
}
