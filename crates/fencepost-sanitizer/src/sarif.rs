//! Reports for code scanning: SARIF 2.1.0, one log with one run.
//!
//! A result points at the access to blame. The writes it may miss or use are related locations, and
//! the code flow has one thread flow per thread with its accesses. A deadlock points at where the
//! threads that wait were created: where they wait is not known.
//!
//! There are no `fixes`. They need the exact bytes to replace, which debug information does not
//! have; the advice is in the message. The golden files are valid by the standard's schema.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::report::{Awaited, Creation, Deadlock, Kind, Operation, Place, Report, Waiting};
use crate::symbols::Frame;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool,
    column_kind: &'static str,
    results: Vec<SarifResult<'a>>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: [Rule; 3],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    name: &'static str,
    short_description: Message,
    full_description: Message,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'a> {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: Vec<Location<'a>>,
    related_locations: Vec<Location<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    code_flows: Vec<CodeFlow<'a>>,
    partial_fingerprints: BTreeMap<&'static str, String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<PhysicalLocation>,
    logical_locations: Vec<LogicalLocation<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation<'a> {
    fully_qualified_name: &'a str,
    kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CodeFlow<'a> {
    thread_flows: Vec<ThreadFlow<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ThreadFlow<'a> {
    id: String,
    locations: Vec<FlowLocation<'a>>,
}

#[derive(Serialize)]
struct FlowLocation<'a> {
    location: Location<'a>,
}

/// All reports and deadlocks, as one log. `version` is that of the tool.
pub fn log(reports: &[Report], deadlocks: &[Deadlock], version: &'static str) -> String {
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver: Driver { name: "fencepost", semantic_version: version, rules: rules() } },
            column_kind: "unicodeCodePoints",
            results: reports.iter().map(result).chain(deadlocks.iter().map(deadlock)).collect(),
        }],
    };
    serde_json::to_string_pretty(&log).expect("wire types are serialisable") + "\n"
}

fn rules() -> [Rule; 3] {
    let rule = |id, name, level, short: &str, full: &str| Rule {
        id,
        name,
        short_description: Message { text: short.into() },
        full_description: Message { text: full.into() },
        default_configuration: Configuration { level },
    };
    [
        rule(
            "robustness",
            "RobustnessViolation",
            "warning",
            "An atomic access can use an overwritten value.",
            "Under the C/C++ memory model (RC20) this access can use a value that is overwritten in every sequentially \
             consistent order of the same events: the program is not robust.",
        ),
        rule(
            "race",
            "DataRace",
            "warning",
            "Two conflicting accesses are not ordered by happens-before.",
            "Two threads access the same memory, at least one of them writes, at least one access is not atomic, and \
             happens-before does not order them: undefined behaviour.",
        ),
        rule(
            "deadlock",
            "Deadlock",
            "error",
            "All threads wait, and none of them can go on.",
            "Under this schedule every thread waits for a lock, a condition, a value or the end of another thread, and \
             nothing that is left of the program will make any of them go on.",
        ),
    ]
}

fn result(report: &Report) -> SarifResult<'_> {
    let (rule_index, rule_id) = match report.kind {
        Kind::Robustness(_) => (0, "robustness"),
        Kind::Race(_) => (1, "race"),
    };
    let operations = report.operations();
    let related = operations.iter().skip(1).filter(|operation| operation.thread.is_some());
    SarifResult {
        rule_id,
        rule_index,
        level: "warning",
        message: Message { text: message(report) },
        locations: vec![location(&report.access, None, None)],
        related_locations: related
            .enumerate()
            .map(|(number, operation)| location(operation, Some(number + 1), Some(describe(operation))))
            .collect(),
        code_flows: vec![CodeFlow { thread_flows: flows(&operations) }],
        partial_fingerprints: fingerprints(&report.identity().to_string()),
    }
}

fn deadlock(deadlock: &Deadlock) -> SarifResult<'_> {
    let lines: Vec<String> = deadlock.waiting.iter().map(Waiting::to_string).collect();
    let text = format!("All threads wait: {}. Reproduce: {}", lines.join("; "), deadlock.reproduce.command);
    let creation = |waiting: &Waiting| deadlock.threads.iter().find(|creation| creation.thread == waiting.thread);
    let created = deadlock.waiting.iter().find_map(creation);
    SarifResult {
        rule_id: "deadlock",
        rule_index: 2,
        level: "error",
        message: Message { text },
        locations: created.map(|created| place(created.blamed(), None, None)).into_iter().collect(),
        related_locations: deadlock
            .waiting
            .iter()
            .enumerate()
            .map(|(number, waiting)| awaited(waiting, creation(waiting), number + 1))
            .collect(),
        code_flows: Vec::new(),
        partial_fingerprints: fingerprints(&deadlock.identity()),
    }
}

/// Where a thread that waits was created, and the variable it waits at.
fn awaited<'a>(waiting: &'a Waiting, creation: Option<&'a Creation>, id: usize) -> Location<'a> {
    let created = if creation.is_some() { ", and was created here" } else { "" };
    let frame = creation.and_then(Creation::blamed);
    let mut location = place(frame, Some(id), Some(format!("{waiting}{created}.")));
    if let Awaited::Object(Place { name: Some(name), .. }) | Awaited::Value(Place { name: Some(name), .. }) =
        &waiting.what
    {
        location.logical_locations.push(LogicalLocation { fully_qualified_name: name, kind: "variable" });
    }
    location
}

fn fingerprints(identity: &str) -> BTreeMap<&'static str, String> {
    BTreeMap::from([("fencepost/1", format!("{:016x}", fnv(identity)))])
}

fn message(report: &Report) -> String {
    match &report.kind {
        Kind::Robustness(window) => {
            let mut text = format!("{} may miss: {}.", describe(&report.access), describe(&window.missed));
            if let Some(advice) = &window.advice {
                let edits: Vec<String> =
                    advice.edits.iter().map(|edit| format!("{} ({})", edit.change, edit.place.summary())).collect();
                text += &format!(" Suggestion: {}.", edits.join("; "));
            }
            text
        }
        Kind::Race(other) => format!("{} races with: {}.", describe(&report.access), describe(other)),
    }
}

/// `Store (relaxed) of value 1 by thread T1`.
fn describe(operation: &Operation) -> String {
    let value = operation.value.map_or(String::new(), |value| format!(" of value {value}"));
    let by = operation.thread.as_ref().map_or(String::new(), |thread| format!(" by {thread}"));
    format!("{}{value}{by}", operation.title())
}

/// One flow per thread, its accesses in the order of the report: stale writes, the missed one, the access.
fn flows<'a>(operations: &[&'a Operation]) -> Vec<ThreadFlow<'a>> {
    let mut flows: BTreeMap<u64, Vec<&'a Operation>> = BTreeMap::new();
    let stale_first = operations.iter().skip(2).chain(operations.get(1)).chain(operations.first());
    for &operation in stale_first {
        if let Some(thread) = &operation.thread {
            flows.entry(thread.tid).or_default().push(operation);
        }
    }
    let flow = |(tid, operations): (u64, Vec<&'a Operation>)| ThreadFlow {
        id: format!("T{tid}"),
        locations: operations
            .into_iter()
            .map(|operation| FlowLocation { location: location(operation, None, Some(describe(operation))) })
            .collect(),
    };
    flows.into_iter().map(flow).collect()
}

fn location(operation: &Operation, id: Option<usize>, message: Option<String>) -> Location<'_> {
    place(operation.blamed(), id, message)
}

fn place(frame: Option<&Frame>, id: Option<usize>, message: Option<String>) -> Location<'_> {
    let function = frame.and_then(|frame| frame.function.as_deref());
    Location {
        id,
        physical_location: frame.and_then(physical),
        logical_locations: function
            .map(|name| LogicalLocation { fully_qualified_name: name, kind: "function" })
            .into_iter()
            .collect(),
        message: message.map(|text| Message { text }),
    }
}

fn physical(frame: &Frame) -> Option<PhysicalLocation> {
    let file = frame.file.as_deref()?;
    let uri = if Path::new(file).is_absolute() { format!("file://{}", encoded(file)) } else { encoded(file) };
    Some(PhysicalLocation {
        artifact_location: ArtifactLocation { uri },
        region: frame.line.map(|line| Region { start_line: line, start_column: frame.column }),
    })
}

/// A path as part of a URI.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/+:@".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// FNV-1a: fingerprints must not change with the compiler, as the standard library's hash may.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
