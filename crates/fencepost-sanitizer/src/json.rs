//! Reports for scripts: one JSON object per report or deadlock and line, and one with the figures
//! at the end.
//!
//! The types are the wire format (`fencepost/1`): fields may be added, these stay.

use serde::Serialize;

use crate::report::{
    Awaited, Deadlock, Kind, Link, LinkEnd, LinkKind, Memory, Operation, Report, Shape, Waiting as ReportWaiting,
};
use crate::reporter::Totals;
use crate::symbols::Frame as SymbolFrame;

const SCHEMA: &str = "fencepost/1";

#[derive(Serialize)]
struct ReportLine<'a> {
    schema: &'static str,
    property: &'static str,
    kind: &'static str,
    pid: u64,
    access: Access<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missed: Option<Access<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<Vec<Access<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<Access<'a>>,
    location: Location<'a>,
    threads: Vec<Creation<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<Missing<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<Suggestion<'a>>,
    reproduce: &'a str,
    reproducible: bool,
}

#[derive(Serialize)]
struct Access<'a> {
    op: &'a str,
    order: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<u64>,
    address: u64,
    size: u64,
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    function: Option<&'a str>,
    stack: Vec<Frame<'a>>,
    thread: Option<Thread<'a>>,
}

#[derive(Serialize)]
struct Frame<'a> {
    function: Option<&'a str>,
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    module: &'a str,
    offset: u64,
}

#[derive(Serialize)]
struct Thread<'a> {
    id: u64,
    name: Option<&'a str>,
}

#[derive(Serialize)]
struct Creation<'a> {
    thread: Thread<'a>,
    parent: Thread<'a>,
    stack: Vec<Frame<'a>>,
}

#[derive(Serialize, Default)]
struct Location<'a> {
    kind: &'static str,
    name: Option<&'a str>,
    size: Option<u64>,
    address: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<Thread<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<Vec<Frame<'a>>>,
}

/// Two accesses that are ordered under SC and do not synchronise.
#[derive(Serialize)]
struct Missing<'a> {
    why: &'static str,
    from: MissingEnd<'a>,
    to: MissingEnd<'a>,
}

#[derive(Serialize)]
struct MissingEnd<'a> {
    access: &'a str,
    thread: Thread<'a>,
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    function: Option<&'a str>,
}

#[derive(Serialize)]
struct Suggestion<'a> {
    edits: Vec<Edit<'a>>,
    reevaluated: bool,
}

#[derive(Serialize)]
struct Edit<'a> {
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    function: Option<&'a str>,
    change: &'a str,
}

#[derive(Serialize)]
struct DeadlockLine<'a> {
    schema: &'static str,
    kind: &'static str,
    pid: u64,
    waiting: Vec<Waiting<'a>>,
    threads: Vec<Creation<'a>>,
    reproduce: &'a str,
    reproducible: bool,
}

#[derive(Serialize)]
struct Waiting<'a> {
    thread: Thread<'a>,
    #[serde(rename = "for")]
    what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<Thread<'a>>,
}

#[derive(Serialize)]
struct SummaryLine<'a> {
    schema: &'static str,
    summary: Summary<'a>,
}

#[derive(Serialize)]
struct Summary<'a> {
    runs: u64,
    reports: u64,
    duplicates: u64,
    suppressed: u64,
    deadlocks: u64,
    seeds: &'a [u64],
    accesses: u64,
    fences: u64,
    locations: u64,
    cut: u64,
    out_of_sight: u64,
    threads: u64,
    switches: u64,
    steps: u64,
    mixed_size: u64,
    malformed: u64,
}

/// One report, as a line.
pub fn report(report: &Report) -> String {
    let (property, kind) = match report.kind {
        Kind::Robustness(_) => ("robustness", "robustness"),
        Kind::Race(_) => ("races", "race"),
    };
    let mut line = ReportLine {
        schema: SCHEMA,
        property,
        kind,
        pid: report.pid,
        access: access(&report.access),
        missed: None,
        stale: None,
        cut: None,
        other: None,
        location: location(&report.memory),
        threads: report.threads.iter().map(creation).collect(),
        missing: Vec::new(),
        shape: None,
        suggestion: None,
        reproduce: &report.reproduce.command,
        reproducible: report.reproduce.exact,
    };
    match &report.kind {
        Kind::Robustness(window) => {
            line.missed = Some(access(&window.missed));
            line.stale = Some(window.stale.iter().map(access).collect());
            line.cut = Some(window.cut);
            line.missing = window.links.iter().map(missing).collect();
            line.shape = window.shape(&report.access).map(Shape::code);
            line.suggestion = window.advice.as_ref().map(|advice| Suggestion {
                edits: advice
                    .edits
                    .iter()
                    .map(|edit| Edit {
                        file: edit.place.file.as_deref(),
                        line: edit.place.line,
                        column: edit.place.column,
                        function: edit.place.function.as_deref(),
                        change: &edit.change,
                    })
                    .collect(),
                reevaluated: advice.reevaluated,
            });
        }
        Kind::Race(other) => line.other = Some(access(other)),
    }
    to_line(&line)
}

/// A deadlock, as a line.
pub fn deadlock(deadlock: &Deadlock) -> String {
    to_line(&DeadlockLine {
        schema: SCHEMA,
        kind: "deadlock",
        pid: deadlock.pid,
        waiting: deadlock.waiting.iter().map(waiting).collect(),
        threads: deadlock.threads.iter().map(creation).collect(),
        reproduce: &deadlock.reproduce.command,
        reproducible: deadlock.reproduce.exact,
    })
}

/// The figures, as a line.
pub fn summary(totals: &Totals) -> String {
    let figures = &totals.figures;
    to_line(&SummaryLine {
        schema: SCHEMA,
        summary: Summary {
            runs: totals.runs,
            reports: totals.reports,
            duplicates: totals.duplicates,
            suppressed: totals.suppressed,
            deadlocks: totals.deadlocks,
            seeds: &totals.seeds,
            accesses: figures.accesses,
            fences: figures.fences,
            locations: figures.locations,
            cut: figures.cut,
            out_of_sight: figures.out_of_sight,
            threads: figures.threads,
            switches: figures.switches,
            steps: figures.steps,
            mixed_size: figures.mixed_size,
            malformed: totals.malformed,
        },
    })
}

fn to_line(value: &impl Serialize) -> String {
    // Numbers, strings and lists of them can always be written.
    serde_json::to_string(value).expect("wire types are serialisable") + "\n"
}

fn access(operation: &Operation) -> Access<'_> {
    let blamed = operation.blamed();
    Access {
        op: &operation.op,
        order: operation.order.as_deref(),
        value: operation.value,
        expected: operation.expected,
        address: operation.address,
        size: operation.size,
        file: blamed.and_then(|frame| frame.file.as_deref()),
        line: blamed.and_then(|frame| frame.line),
        column: blamed.and_then(|frame| frame.column),
        function: blamed.and_then(|frame| frame.function.as_deref()),
        stack: operation.stack.iter().map(frame).collect(),
        thread: operation.thread.as_ref().map(thread),
    }
}

fn creation(creation: &crate::report::Creation) -> Creation<'_> {
    Creation {
        thread: thread(&creation.thread),
        parent: thread(&creation.parent),
        stack: creation.stack.iter().map(frame).collect(),
    }
}

fn waiting(waiting: &ReportWaiting) -> Waiting<'_> {
    let (what, place, other) = match &waiting.what {
        Awaited::Object(place) => ("object", Some(place), None),
        Awaited::Value(place) => ("value", Some(place), None),
        Awaited::Thread(other) => ("thread", None, Some(thread(other))),
        Awaited::Unknown => ("unknown", None, None),
    };
    Waiting {
        thread: thread(&waiting.thread),
        what,
        address: place.map(|place| place.address),
        name: place.and_then(|place| place.name.as_deref()),
        other,
    }
}

fn missing(link: &Link) -> Missing<'_> {
    let why = match link.kind {
        LinkKind::ReadsFrom => "reads-from",
        LinkKind::Order => "modification-order",
        LinkKind::FromRead => "from-read",
    };
    Missing { why, from: missing_end(&link.from), to: missing_end(&link.to) }
}

fn missing_end(end: &LinkEnd) -> MissingEnd<'_> {
    MissingEnd {
        access: &end.what,
        thread: thread(&end.thread),
        file: end.place.file.as_deref(),
        line: end.place.line,
        column: end.place.column,
        function: end.place.function.as_deref(),
    }
}

fn frame(frame: &SymbolFrame) -> Frame<'_> {
    Frame {
        function: frame.function.as_deref(),
        file: frame.file.as_deref(),
        line: frame.line,
        column: frame.column,
        module: &frame.module,
        offset: frame.offset,
    }
}

fn thread(thread: &crate::report::Thread) -> Thread<'_> {
    Thread { id: thread.tid, name: thread.name.as_deref() }
}

fn location(memory: &Memory) -> Location<'_> {
    match memory {
        Memory::Global { name, size, address, .. } => Location {
            kind: "global",
            name: Some(name),
            size: Some(*size),
            address: Some(*address),
            ..Location::default()
        },
        Memory::Heap { size, address, thread: owner, stack } => Location {
            kind: "heap",
            size: Some(*size),
            address: Some(*address),
            thread: owner.as_ref().map(thread),
            stack: Some(stack.iter().map(frame).collect()),
            ..Location::default()
        },
        Memory::Stack(owner) => Location { kind: "stack", thread: Some(thread(owner)), ..Location::default() },
        Memory::Unknown => Location { kind: "unknown", ..Location::default() },
    }
}
