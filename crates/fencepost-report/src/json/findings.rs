//! Findings, whoever has found them.

use fencepost_finding::{
    Access, Awaited, Buffered, Creation, Delay, Evidence, Explored, Finding, Frame, Link, LinkEnd, LinkKind, Memory,
    Observed, Operation, Rank, Replayed, Rule, Statement, Step, Thread, Trials, Waiting,
};
use serde::Serialize;

use super::line;
use super::wire::SCHEMA;

/// A finding that stands alone, as a line of JSON with its line break.
pub fn finding(finding: &Finding) -> String {
    let property = match finding.kind.rule() {
        Rule::Robustness => Some("robustness"),
        Rule::Race => Some("races"),
        _ => None,
    };
    line(&Alone { schema: SCHEMA, property, model: finding.model, finding: report(finding) })
}

#[derive(Serialize)]
struct Alone<'a> {
    schema: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    property: Option<&'static str>,
    model: &'static str,
    #[serde(flatten)]
    finding: FindingReport<'a>,
}

/// What is wrong.
#[derive(Serialize)]
pub(super) struct FindingReport<'a> {
    /// `stale-read`, `stale-write`, `stale-rmw`, `tainted-use`, `data-race`, `assertion`,
    /// `runtime-error`, `deadlock`; of what was observed, the rule.
    kind: &'static str,
    /// `robustness`, `race`, `deadlock`, `assertion`, `runtime-error`.
    rule: &'static str,
    /// `error`, `warning`, `note`.
    severity: &'static str,
    /// 1: a data race; 2: a failure follows; 4: nothing visible follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<u8>,
    /// `replayed`: an execution, on the axioms of the model; `observed`: in a run.
    evidence: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<LocationReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<AccessReport<'a>>,
    /// The access it should have come after; of a race, the other one.
    #[serde(skip_serializing_if = "Option::is_none")]
    conflicting: Option<AccessReport<'a>>,
    /// The write that it should have come after, observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    missed: Option<AccessReport<'a>>,
    /// The other side of a race, observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<AccessReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale_values: Option<Vec<Value<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<Option<&'a str>>,
    /// The SC run before the access, or before the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<StepReport<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delay: Option<DelayReport<'a>>,
    /// What is known of a run that was observed.
    #[serde(flatten)]
    observed: Option<ObservedReport<'a>>,
}

/// A number as a number, an address by its name.
#[derive(Serialize)]
#[serde(untagged)]
enum Value<'a> {
    Signed(i64),
    Unsigned(u64),
    Name(&'a str),
}

impl<'a> Value<'a> {
    fn new(text: &'a str) -> Self {
        let signed = text.parse().map(Value::Signed);
        signed.or_else(|_| text.parse().map(Value::Unsigned)).unwrap_or(Value::Name(text))
    }
}

/// Something that a thread does.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum AccessReport<'a> {
    Statement(StatementReport<'a>),
    Operation(OperationReport<'a>),
}

/// A statement and what it does.
#[derive(Serialize)]
pub(super) struct StatementReport<'a> {
    thread: &'a str,
    /// Line, from 1.
    line: usize,
    /// Column in characters, from 1.
    column: usize,
    text: &'a str,
    /// `W x 1`, `R x 0`, `U x 0→1`, `fence`; `choice 1` or nothing for a step within the thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    effect: Option<&'a str>,
}

/// One step of an execution.
#[derive(Serialize)]
pub(super) struct StepReport<'a> {
    #[serde(flatten)]
    statement: StatementReport<'a>,
    /// The step, from 1, that has written the value read; 0 for the value at the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    reads_from: Option<usize>,
    /// A step before this one, from 1, that has overwritten the value read, or that this write is
    /// ordered before.
    #[serde(skip_serializing_if = "Option::is_none")]
    overtaken_by: Option<usize>,
    /// `delayed` when a store enters the buffer, `memory` when it reaches memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    buffer: Option<&'static str>,
}

/// A store that is delayed, and what overtakes it.
#[derive(Serialize)]
pub(super) struct DelayReport<'a> {
    thread: &'a str,
    store: StatementReport<'a>,
    passed: StatementReport<'a>,
    computation: Vec<StepReport<'a>>,
}

/// What is known of a run that was observed.
#[derive(Serialize)]
pub(super) struct ObservedReport<'a> {
    pid: u64,
    /// The old writes, oldest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<Vec<OperationReport<'a>>>,
    /// There may be more of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<WaitingReport<'a>>,
    threads: Vec<CreationReport<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<MissingReport<'a>>,
    /// Of a race: a lock or an atomic variable is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    unguarded: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<SuggestionReport<'a>>,
    reproduce: &'a str,
    reproducible: bool,
    /// What followed when it was provoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    provoked: Option<TrialsReport<'a>>,
    /// Which access that was provoked it was seen after, if only after one.
    #[serde(skip_serializing_if = "Option::is_none")]
    follows: Option<&'a str>,
    /// The file with a picture of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<&'a str>,
    /// The test of Rust's test library that it was found in.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<&'a str>,
}

/// An operation of a compiled program.
#[derive(Serialize)]
pub(super) struct OperationReport<'a> {
    /// `load`, `store`, `fetch-add`, …
    op: &'a str,
    /// Its memory order, if it is atomic.
    order: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<u64>,
    address: u64,
    size: u64,
    /// Where in the source: the frame to blame.
    #[serde(flatten)]
    place: PlaceReport<'a>,
    /// Innermost frame first.
    stack: Vec<FrameReport<'a>>,
    /// Whose; none for the initial value.
    thread: Option<ThreadReport<'a>>,
}

/// A place in the source of a compiled program, as far as it is known.
#[derive(Default, Serialize)]
pub(super) struct PlaceReport<'a> {
    file: Option<&'a str>,
    /// The line, from 1.
    line: Option<u32>,
    /// The column, from 1.
    column: Option<u32>,
    function: Option<&'a str>,
}

/// A frame of a stack.
#[derive(Serialize)]
pub(super) struct FrameReport<'a> {
    #[serde(flatten)]
    place: PlaceReport<'a>,
    module: &'a str,
    offset: u64,
}

/// A thread of a compiled program.
#[derive(Serialize)]
pub(super) struct ThreadReport<'a> {
    id: u64,
    name: Option<&'a str>,
}

/// Runs in which an access was to use an overwritten value.
#[derive(Serialize)]
pub(super) struct TrialsReport<'a> {
    /// Those in which it did.
    runs: u64,
    /// Those in which it could not.
    missed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    explored: Option<ExploredReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    consequence: Option<ConsequenceReport<'a>>,
}

/// Executions with one stale step, this one.
#[derive(Serialize)]
pub(super) struct ExploredReport {
    executions: u64,
    /// Those in which something goes wrong.
    failing: u64,
    /// Are these all that there are?
    all: bool,
}

/// What went wrong then.
#[derive(Serialize)]
pub(super) struct ConsequenceReport<'a> {
    /// `race`, `assertion`, `signal`, `deadlock`, `hang`, `exit-code`.
    kind: &'static str,
    message: &'a str,
    /// The value that was used.
    value: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<ThreadReport<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stack: Vec<FrameReport<'a>>,
    reproduce: &'a str,
    reproducible: bool,
}

/// Where a thread was created.
#[derive(Serialize)]
pub(super) struct CreationReport<'a> {
    thread: ThreadReport<'a>,
    parent: ThreadReport<'a>,
    stack: Vec<FrameReport<'a>>,
}

/// What is accessed.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum LocationReport<'a> {
    Name(&'a str),
    Memory(MemoryReport<'a>),
}

/// Memory of a compiled program.
#[derive(Default, Serialize)]
pub(super) struct MemoryReport<'a> {
    /// `global`, `heap`, `stack`, `tls`, `mapped`, `unknown`.
    kind: &'static str,
    name: Option<&'a str>,
    size: Option<u64>,
    address: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<ThreadReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<Vec<FrameReport<'a>>>,
}

/// Two accesses that are ordered under SC and do not synchronise.
#[derive(Serialize)]
pub(super) struct MissingReport<'a> {
    /// `reads-from`, `modification-order`, `from-read`.
    why: &'static str,
    from: EndReport<'a>,
    to: EndReport<'a>,
}

/// One of them.
#[derive(Serialize)]
pub(super) struct EndReport<'a> {
    /// `relaxed store`.
    access: String,
    thread: ThreadReport<'a>,
    #[serde(flatten)]
    place: PlaceReport<'a>,
}

/// What to change.
#[derive(Serialize)]
pub(super) struct SuggestionReport<'a> {
    edits: Vec<ChangeReport<'a>>,
    reevaluated: bool,
}

/// One change.
#[derive(Serialize)]
pub(super) struct ChangeReport<'a> {
    #[serde(flatten)]
    place: PlaceReport<'a>,
    change: &'a str,
    /// `acquire`, `release`, `seq-cst`, `fence-before`, `fence-after`.
    kind: &'static str,
    /// A compare-and-swap is to have this order when it fails, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    on_failure: Option<bool>,
}

/// A thread that waits.
#[derive(Serialize)]
pub(super) struct WaitingReport<'a> {
    thread: ThreadReport<'a>,
    /// `object`, `value`, `thread`, `unknown`.
    #[serde(rename = "for")]
    what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<ThreadReport<'a>>,
}

pub(super) fn report(finding: &Finding) -> FindingReport<'_> {
    let rule = finding.kind.rule();
    let two = finding.conflicting.is_some();
    let mut report = FindingReport {
        kind: finding.kind.as_str(),
        rule: rule.as_str(),
        severity: finding.severity().as_str(),
        rank: finding.rank().map(Rank::number),
        evidence: finding.evidence.as_str(),
        message: &finding.message,
        thread: None,
        location: finding.location.as_deref().map(LocationReport::Name),
        access: finding.access.as_ref().map(access),
        conflicting: None,
        missed: None,
        other: None,
        stale_values: two.then(|| finding.stale_values.iter().map(|text| Value::new(text)).collect()),
        shape: two.then_some(finding.shape.as_deref()),
        trace: None,
        delay: None,
        observed: None,
    };
    let conflicting = finding.conflicting.as_ref().map(access);
    match &finding.evidence {
        Evidence::Replayed(replayed) => {
            if let Some(Access::Statement(statement)) = &finding.access {
                report.thread = Some(&statement.thread);
            }
            report.conflicting = conflicting;
            report.trace = Some(trace(replayed));
            report.delay = replayed.delay.as_ref().map(delay);
        }
        // Those who read reports of runs know these names.
        Evidence::Observed(found) => {
            report.kind = report.rule;
            report.location = two.then(|| LocationReport::Memory(memory(&found.memory)));
            *(if rule == Rule::Race { &mut report.other } else { &mut report.missed }) = conflicting;
            report.observed = Some(observed(found, two && rule == Rule::Robustness));
        }
    }
    report
}

/// The steps of a run under SC; those of an execution that is none stand elsewhere.
fn trace(replayed: &Replayed) -> Vec<StepReport<'_>> {
    replayed.run.as_ref().filter(|run| run.is_sc).map_or(Vec::new(), |run| run.steps.iter().map(step).collect())
}

pub(super) fn step(step: &Step) -> StepReport<'_> {
    StepReport {
        statement: statement(&step.statement),
        reads_from: step.reads_from,
        overtaken_by: step.overtaken_by,
        buffer: step.buffered.map(|buffered| match buffered {
            Buffered::Enters => "delayed",
            Buffered::Leaves => "memory",
        }),
    }
}

pub(super) fn statement(statement: &Statement) -> StatementReport<'_> {
    StatementReport {
        thread: &statement.thread,
        line: statement.start.line,
        column: statement.start.column,
        text: &statement.text,
        effect: statement.effect.as_deref(),
    }
}

fn delay(delay: &Delay) -> DelayReport<'_> {
    DelayReport {
        thread: &delay.store.thread,
        store: statement(&delay.store),
        passed: statement(&delay.passed),
        computation: delay.computation.iter().map(step).collect(),
    }
}

fn access(access: &Access) -> AccessReport<'_> {
    match access {
        Access::Statement(found) => AccessReport::Statement(statement(found)),
        Access::Operation(found) => AccessReport::Operation(operation(found)),
    }
}

fn observed(observed: &Observed, is_window: bool) -> ObservedReport<'_> {
    ObservedReport {
        pid: observed.pid,
        stale: is_window.then(|| observed.stale.iter().map(operation).collect()),
        cut: is_window.then_some(observed.cut),
        waiting: observed.waiting.iter().map(waiting).collect(),
        threads: observed.threads.iter().map(creation).collect(),
        missing: observed.links.iter().map(missing).collect(),
        unguarded: observed.unguarded.then_some(true),
        suggestion: observed.advice.as_ref().map(|advice| SuggestionReport {
            edits: advice
                .edits
                .iter()
                .map(|edit| ChangeReport {
                    place: place(&edit.place),
                    change: &edit.change,
                    kind: edit.kind.as_str(),
                    on_failure: edit.on_failure.then_some(true),
                })
                .collect(),
            reevaluated: advice.reevaluated,
        }),
        reproduce: &observed.reproduce.command,
        reproducible: observed.reproduce.exact,
        provoked: observed.trials.as_ref().map(trials),
        follows: observed.follows.as_deref(),
        picture: observed.picture.as_deref(),
        test: observed.test.as_deref(),
    }
}

fn trials(trials: &Trials) -> TrialsReport<'_> {
    let consequence = trials.consequence.as_ref().map(|consequence| ConsequenceReport {
        kind: consequence.effect.as_str(),
        message: &consequence.message,
        value: consequence.used,
        thread: consequence.thread.as_ref().map(thread),
        stack: stack(&consequence.stack),
        reproduce: &consequence.reproduce.command,
        reproducible: consequence.reproduce.exact,
    });
    let explored = trials.explored.map(|Explored { executions, failing, is_exact }| ExploredReport {
        executions,
        failing,
        all: is_exact,
    });
    TrialsReport { runs: trials.taken, missed: trials.missed, explored, consequence }
}

fn operation(operation: &Operation) -> OperationReport<'_> {
    OperationReport {
        op: &operation.op,
        order: operation.order.as_deref(),
        value: operation.value,
        expected: operation.expected,
        address: operation.address,
        size: operation.size,
        place: operation.blamed().map(place).unwrap_or_default(),
        stack: stack(&operation.stack),
        thread: operation.thread.as_ref().map(thread),
    }
}

fn stack(frames: &[Frame]) -> Vec<FrameReport<'_>> {
    frames
        .iter()
        .map(|frame| FrameReport { place: place(frame), module: &frame.module, offset: frame.offset })
        .collect()
}

fn place(frame: &Frame) -> PlaceReport<'_> {
    let Frame { function, file, line, column, .. } = frame;
    PlaceReport { file: file.as_deref(), line: *line, column: *column, function: function.as_deref() }
}

fn thread(thread: &Thread) -> ThreadReport<'_> {
    ThreadReport { id: thread.tid, name: thread.name.as_deref() }
}

fn creation(creation: &Creation) -> CreationReport<'_> {
    CreationReport { thread: thread(&creation.thread), parent: thread(&creation.parent), stack: stack(&creation.stack) }
}

fn missing(link: &Link) -> MissingReport<'_> {
    let why = match link.kind {
        LinkKind::ReadsFrom => "reads-from",
        LinkKind::Order => "modification-order",
        LinkKind::FromRead => "from-read",
    };
    fn end(end: &LinkEnd) -> EndReport<'_> {
        EndReport { access: end.what(), thread: thread(&end.thread), place: place(&end.place) }
    }
    MissingReport { why, from: end(&link.from), to: end(&link.to) }
}

fn waiting(waiting: &Waiting) -> WaitingReport<'_> {
    let (what, place, other) = match &waiting.what {
        Awaited::Object(place) => ("object", Some(place), None),
        Awaited::Value(place) => ("value", Some(place), None),
        Awaited::Thread(other) => ("thread", None, Some(thread(other))),
        Awaited::Unknown => ("unknown", None, None),
    };
    WaitingReport {
        thread: thread(&waiting.thread),
        what,
        address: place.map(|place| place.address),
        name: place.and_then(|place| place.name.as_deref()),
        other,
    }
}

fn memory(memory: &Memory) -> MemoryReport<'_> {
    let of_kind = |kind| MemoryReport { kind, ..MemoryReport::default() };
    match memory {
        Memory::Global { name, size, address, .. } => {
            MemoryReport { name: Some(name), size: Some(*size), address: Some(*address), ..of_kind("global") }
        }
        Memory::Heap { size, address, thread: owner, stack: frames } => MemoryReport {
            size: Some(*size),
            address: Some(*address),
            thread: owner.as_ref().map(thread),
            stack: Some(stack(frames)),
            ..of_kind("heap")
        },
        Memory::Stack(owner) => MemoryReport { thread: Some(thread(owner)), ..of_kind("stack") },
        Memory::Unknown => of_kind("unknown"),
    }
}
