//! Findings for code scanning: SARIF 2.1.0, one log with one run.
//!
//! A result points at the access to blame; the others are related locations, and the code flow has
//! one thread flow per thread with its steps or accesses. A deadlock points at where the threads
//! that wait were created: where they wait is not known. `fixes` are there for programs that are
//! checked as text; they need the exact lines to replace, which debug information does not have,
//! and the advice is in the message. Paths are relative to the folder in which the tool was
//! started, where they can be. A finding that its own file expects is suppressed there: it is in
//! the log, and no open result. What was not decided, and what could not be read, is a
//! notification: a log without results does not mean that all is well. The golden files are valid
//! by the standard's schema.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fencepost_finding::{
    Access, Awaited, Creation, Evidence, Finding, Frame, Observed, Operation, Place, Rank, Replayed, Rule, Severity,
    Statement, Step, Waiting,
};
use serde::Serialize;

/// The name of the folder that relative paths start in.
const ROOT: &str = "%SRCROOT%";

/// Something to say about the tool's own work rather than about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// An error if a program could not be looked at.
    pub severity: Severity,
    /// The file it is about.
    pub file: String,
    /// In words.
    pub text: String,
}

/// Where a log comes from.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The version of the tool.
    pub version: &'a str,
    /// The folder in which it was started.
    pub folder: Option<&'a Path>,
}

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
    tool: Tool<'a>,
    invocations: [Invocation; 1],
    original_uri_base_ids: BTreeMap<&'static str, ArtifactLocation>,
    column_kind: &'static str,
    results: Vec<SarifResult<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'static str,
    semantic_version: &'a str,
    rules: Vec<RuleReport>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RuleReport {
    id: &'static str,
    name: &'static str,
    short_description: Message,
    full_description: Message,
    help: Message,
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
    /// From 0 to 100, the most important.
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<u8>,
    message: Message,
    locations: Vec<Location<'a>>,
    related_locations: Vec<Location<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    code_flows: Vec<CodeFlow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<FixReport<'a>>,
    /// Empty if there are none: without this, nobody would know.
    suppressions: Vec<Suppression<'a>>,
    partial_fingerprints: BTreeMap<&'static str, String>,
    properties: Properties<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FixReport<'a> {
    description: Message,
    artifact_changes: [ArtifactChange<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange<'a> {
    artifact_location: ArtifactLocation,
    replacements: [Replacement<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement<'a> {
    deleted_region: Region,
    inserted_content: Inserted<'a>,
}

#[derive(Serialize)]
struct Inserted<'a> {
    text: &'a str,
}

#[derive(Serialize)]
struct Suppression<'a> {
    kind: &'static str,
    status: &'static str,
    justification: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
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
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<usize>,
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
#[serde(rename_all = "camelCase")]
struct FlowLocation<'a> {
    location: Location<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_order: Option<usize>,
}

/// How the tool itself fared.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Notification {
    level: &'static str,
    message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Location<'static>>,
}

#[derive(Serialize)]
struct Properties<'a> {
    kind: &'static str,
    model: &'static str,
    evidence: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<&'a str>,
}

/// Everything that was found, as one log; the same thing only once, as what fails under SC,
/// whatever the model.
pub fn log(findings: &[Finding], notices: &[Notice], origin: &Origin<'_>) -> String {
    let mut known = BTreeSet::new();
    let findings = findings.iter().filter(|finding| known.insert(&finding.identity));
    let driver = Driver { name: "fencepost", semantic_version: origin.version, rules: Rule::ALL.map(rule).into() };
    let root = ArtifactLocation {
        uri: origin.folder.map(|folder| format!("file://{}/", encoded(folder.to_string_lossy().trim_end_matches('/')))),
        uri_base_id: None,
        description: Some(text("The folder in which fencepost was started.")),
    };
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver },
            invocations: [Invocation {
                execution_successful: notices.iter().all(|notice| notice.severity != Severity::Error),
                tool_execution_notifications: notices.iter().map(|notice| notification(notice, origin)).collect(),
            }],
            original_uri_base_ids: BTreeMap::from([(ROOT, root)]),
            column_kind: "unicodeCodePoints",
            results: findings.map(|finding| Writer { finding, origin }.result()).collect(),
        }],
    };
    // Structs of strings and numbers: nothing in them can fail to serialise.
    serde_json::to_string_pretty(&log).expect("wire types serialise") + "\n"
}

fn notification(notice: &Notice, origin: &Origin<'_>) -> Notification {
    let physical_location = Some(physical(&notice.file, None, origin));
    Notification {
        level: notice.severity.as_str(),
        message: text(&notice.text),
        locations: vec![Location { id: None, physical_location, logical_locations: Vec::new(), message: None }],
    }
}

fn rule(rule: Rule) -> RuleReport {
    let (name, short, full, help) = match rule {
        Rule::Robustness => (
            "RobustnessViolation",
            "An access can use an overwritten value.",
            "Under the memory model this access can use a value that is overwritten, or come before a write that comes \
             before it, in every sequentially consistent order of the same events: the program is not robust.",
            "Strengthen the orders of the accesses, or put fences between them. For programs that are checked as text, \
             `fencepost repair` finds the cheapest way; a report of a run suggests one that it has tried.",
        ),
        Rule::Race => (
            "DataRace",
            "Two conflicting accesses are not ordered by happens-before.",
            "Two threads access the same memory, at least one of them writes, at least one access is not atomic, and \
             happens-before does not order them: undefined behaviour.",
            "Make the accesses atomic, or order them by a lock or by release and acquire.",
        ),
        Rule::Deadlock => (
            "Deadlock",
            "All threads wait, and none of them can go on.",
            "Under this schedule every thread waits for a lock, a condition, a value or the end of another thread, and \
             nothing that is left of the program will make any of them go on.",
            "Run the command of the message to see it again; take locks in the same order everywhere.",
        ),
        Rule::Assertion => (
            "AssertionFailure",
            "An assertion does not hold.",
            "There is an execution of the program, in the memory model named, in which the assertion does not hold.",
            "The code flow has an execution that leads there, step by step.",
        ),
        Rule::RuntimeError => (
            "RuntimeError",
            "A division by zero, or an index outside its array.",
            "There is an execution of the program, in the memory model named, in which this happens.",
            "The code flow has an execution that leads there, step by step.",
        ),
        Rule::Condition => (
            "ConditionNotMet",
            "The final states are not those that the program asks for.",
            "The program ends with a condition about its final states, which is not met in the memory model named.",
            "`fencepost verify` lists the final states.",
        ),
    };
    RuleReport {
        id: rule.as_str(),
        name,
        short_description: text(short),
        full_description: text(full),
        help: text(help),
        default_configuration: Configuration { level: rule.severity().as_str() },
    }
}

/// How important a finding of this rank is.
fn importance(rank: Rank) -> u8 {
    match rank {
        Rank::Race => 100,
        Rank::Failure => 75,
        Rank::PassedOn => 40,
        Rank::Harmless => 10,
    }
}

/// Writes one finding.
struct Writer<'a> {
    finding: &'a Finding,
    origin: &'a Origin<'a>,
}

impl<'a> Writer<'a> {
    fn result(&self) -> SarifResult<'a> {
        let finding = self.finding;
        let rule = finding.kind.rule();
        let said: Vec<&str> = std::iter::once(&finding.message).chain(&finding.notes).map(String::as_str).collect();
        let (message, related_locations, flows) = match &finding.evidence {
            Evidence::Replayed(replayed) => {
                let message = format!("Under {}: {}.", finding.model, said.join("; "));
                (message, self.conflicting(), self.steps(replayed))
            }
            Evidence::Observed(observed) => match observed.waiting.is_empty() {
                true => (said.join(" "), self.writes(observed), self.accesses(observed)),
                false => (said.join(" "), self.waits(observed), Vec::new()),
            },
        };
        SarifResult {
            rule_id: rule.as_str(),
            rule_index: Rule::ALL.iter().position(|one| *one == rule).unwrap_or_default(),
            level: finding.severity().as_str(),
            rank: finding.rank().map(importance),
            message: text(&message),
            locations: self.blamed().into_iter().collect(),
            related_locations,
            code_flows: if flows.is_empty() { Vec::new() } else { vec![CodeFlow { thread_flows: flows }] },
            fixes: self.fix().into_iter().collect(),
            suppressions: finding.expected.map(|line| self.expected(line)).into_iter().collect(),
            partial_fingerprints: BTreeMap::from([("fencepost/1", format!("{:016x}", fnv(&finding.identity)))]),
            properties: Properties {
                kind: finding.kind.as_str(),
                model: finding.model,
                evidence: finding.evidence.as_str(),
                shape: finding.shape.as_deref(),
            },
        }
    }

    /// What keeps it from happening.
    fn fix(&self) -> Option<FixReport<'a>> {
        let Evidence::Replayed(replayed) = &self.finding.evidence else { return None };
        let (fix, file) = (replayed.fix.as_ref()?, self.finding.file.as_ref()?);
        let region =
            Region { start_line: fix.first, start_column: Some(1), end_line: Some(fix.end), end_column: Some(1) };
        let replacement = Replacement { deleted_region: region, inserted_content: Inserted { text: &fix.text } };
        let artifact_location = physical(file, None, self.origin).artifact_location;
        let changes = [ArtifactChange { artifact_location, replacements: [replacement] }];
        Some(FixReport { description: text(&fix.description), artifact_changes: changes })
    }

    /// A comment of the file, in this line, says that it is to be found.
    fn expected(&self, line: usize) -> Suppression<'a> {
        let region = Region { start_line: line, start_column: None, end_line: None, end_column: None };
        let physical = |file: &String| Some(physical(file, Some(region), self.origin));
        let physical_location = self.finding.file.as_ref().and_then(physical);
        let location = Location { id: None, physical_location, logical_locations: Vec::new(), message: None };
        Suppression {
            kind: "inSource",
            status: "accepted",
            justification: format!("Line {line} expects it."),
            location: location.physical_location.is_some().then_some(location),
        }
    }

    /// The access that goes wrong; for a deadlock, where a thread that waits was created; or else
    /// the file.
    fn blamed(&self) -> Option<Location<'a>> {
        let finding = self.finding;
        let mut location = match (&finding.access, &finding.evidence) {
            (Some(Access::Statement(statement)), _) => self.statement(statement, None),
            (Some(Access::Operation(operation)), _) => self.frame(operation.blamed(), None, None),
            (None, Evidence::Observed(observed)) => {
                let creation = |waiting: &Waiting| created(observed, waiting);
                self.frame(observed.waiting.iter().find_map(creation)?.blamed(), None, None)
            }
            (None, Evidence::Replayed(_)) => {
                let physical_location = Some(physical(finding.file.as_deref()?, None, self.origin));
                Location { id: None, physical_location, logical_locations: Vec::new(), message: None }
            }
        };
        location.logical_locations.extend(finding.location.as_deref().map(variable));
        Some(location)
    }

    /// The other access of a program that is checked as text.
    fn conflicting(&self) -> Vec<Location<'a>> {
        match &self.finding.conflicting {
            Some(Access::Statement(statement)) => {
                vec![Location { id: Some(1), ..self.statement(statement, Some(statement.remark.clone())) }]
            }
            _ => Vec::new(),
        }
    }

    /// The other accesses of a compiled program, as far as threads have made them.
    fn writes(&self, observed: &'a Observed) -> Vec<Location<'a>> {
        let all = self.conflicting_operation().into_iter().chain(&observed.stale);
        all.filter(|operation| operation.thread.is_some())
            .enumerate()
            .map(|(number, one)| self.frame(one.blamed(), Some(number + 1), Some(one.description(None))))
            .collect()
    }

    fn conflicting_operation(&self) -> Option<&'a Operation> {
        match &self.finding.conflicting {
            Some(Access::Operation(operation)) => Some(operation),
            _ => None,
        }
    }

    /// Where the threads that wait were created, and the variables they wait at.
    fn waits(&self, observed: &'a Observed) -> Vec<Location<'a>> {
        let one = |(number, waiting): (usize, &'a Waiting)| {
            let creation = created(observed, waiting);
            let here = if creation.is_some() { ", and was created here" } else { "" };
            let frame = creation.and_then(Creation::blamed);
            let mut location = self.frame(frame, Some(number + 1), Some(format!("{waiting}{here}.")));
            if let Awaited::Object(Place { name, .. }) | Awaited::Value(Place { name, .. }) = &waiting.what {
                location.logical_locations.extend(name.as_deref().map(variable));
            }
            location
        };
        observed.waiting.iter().enumerate().map(one).collect()
    }

    /// One flow per thread, with the steps of an execution.
    fn steps(&self, replayed: &'a Replayed) -> Vec<ThreadFlow<'a>> {
        let mut flows: BTreeMap<&'a str, Vec<FlowLocation<'a>>> = BTreeMap::new();
        let said = |step: &Step| step.statement.effect.clone().unwrap_or_default() + &step.statement.remark;
        let wrong = |step: &Step| match step.statement.effect.as_deref() {
            None | Some("") => step.statement.remark.clone(),
            Some(effect) => format!("{effect}, {}", step.statement.remark),
        };
        let steps = replayed.run.iter().flat_map(|run| {
            let last = run.last.iter().map(|step| (&step.statement, wrong(step)));
            run.steps.iter().map(|step| (&step.statement, said(step))).chain(last)
        });
        for (number, (statement, said)) in steps.enumerate() {
            let location = self.statement(statement, Some(format!("{}: {said}", statement.text)));
            flows
                .entry(&statement.thread)
                .or_default()
                .push(FlowLocation { location, execution_order: Some(number + 1) });
        }
        flows.into_iter().map(|(id, locations)| ThreadFlow { id: id.to_string(), locations }).collect()
    }

    /// One flow per thread, its accesses in this order: stale writes, the missed one, the access.
    fn accesses(&self, observed: &'a Observed) -> Vec<ThreadFlow<'a>> {
        let access = match &self.finding.access {
            Some(Access::Operation(operation)) => Some(&**operation),
            _ => None,
        };
        let mut flows: BTreeMap<u64, Vec<FlowLocation<'a>>> = BTreeMap::new();
        for operation in observed.stale.iter().chain(self.conflicting_operation()).chain(access) {
            if let Some(thread) = &operation.thread {
                let location = self.frame(operation.blamed(), None, Some(operation.description(None)));
                flows.entry(thread.tid).or_default().push(FlowLocation { location, execution_order: None });
            }
        }
        flows.into_iter().map(|(tid, locations)| ThreadFlow { id: format!("T{tid}"), locations }).collect()
    }

    fn statement(&self, statement: &'a Statement, message: Option<String>) -> Location<'a> {
        let region = Region {
            start_line: statement.start.line,
            start_column: Some(statement.start.column),
            end_line: Some(statement.end.line),
            end_column: Some(statement.end.column),
        };
        Location {
            id: None,
            physical_location: self.finding.file.as_deref().map(|file| physical(file, Some(region), self.origin)),
            logical_locations: vec![LogicalLocation { fully_qualified_name: &statement.thread, kind: "thread" }],
            message: message.as_deref().map(text),
        }
    }

    fn frame(&self, frame: Option<&'a Frame>, id: Option<usize>, message: Option<String>) -> Location<'a> {
        let function = frame.and_then(|frame| frame.function.as_deref());
        let physical = |frame: &Frame| {
            let region = frame.line.map(|line| Region {
                start_line: line as usize,
                start_column: frame.column.map(|column| column as usize),
                end_line: None,
                end_column: None,
            });
            Some(physical(frame.file.as_deref()?, region, self.origin))
        };
        Location {
            id,
            physical_location: frame.and_then(physical),
            logical_locations: function
                .map(|name| LogicalLocation { fully_qualified_name: name, kind: "function" })
                .into_iter()
                .collect(),
            message: message.as_deref().map(text),
        }
    }
}

fn created<'a>(observed: &'a Observed, waiting: &Waiting) -> Option<&'a Creation> {
    observed.threads.iter().find(|creation| creation.thread == waiting.thread)
}

fn variable(name: &str) -> LogicalLocation<'_> {
    LogicalLocation { fully_qualified_name: name, kind: "variable" }
}

fn text(text: &str) -> Message {
    Message { text: text.into() }
}

/// A place in a file: relative to the folder in which the tool was started, if it is in there.
fn physical(file: &str, region: Option<Region>, origin: &Origin<'_>) -> PhysicalLocation {
    let path = Path::new(file);
    let inside = origin.folder.and_then(|folder| path.strip_prefix(folder).ok()).and_then(Path::to_str);
    let (uri, uri_base_id) = match inside {
        Some(inside) => (encoded(inside), Some(ROOT)),
        None if path.is_absolute() => (format!("file://{}", encoded(file)), None),
        None => (encoded(file.strip_prefix("./").unwrap_or(file)), Some(ROOT)),
    };
    PhysicalLocation { artifact_location: ArtifactLocation { uri: Some(uri), uri_base_id, description: None }, region }
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
