//! What a page knows of one finding, as JSON for the script that shows it. The fields are explained
//! in `assets/finding.js`.

use fencepost_finding::{
    Access, CycleEvent, Edit, Evidence, Finding, Frame, Kind, LinkEnd, Observed, Operation, Rank, Replayed, Reproduce,
    Rule, Statement, Thread, value_text,
};
use serde::{Deserialize, Serialize};

use super::run::{self, RunView};
use crate::diagram;
use crate::graph::{Drawing, GraphData};
use crate::words;

/// What kind of harm a finding is, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Category {
    Race,
    Failure,
    Condition,
    NotRobust,
    PassedOn,
    Harmless,
    Met,
}

impl Category {
    pub(super) const ALL: [Category; 7] = [
        Category::Race,
        Category::Failure,
        Category::Condition,
        Category::NotRobust,
        Category::PassedOn,
        Category::Harmless,
        Category::Met,
    ];

    pub(super) fn of(finding: &Finding) -> Category {
        if finding.kind == Kind::Met {
            return Category::Met;
        }
        match (finding.rank(), finding.kind.rule()) {
            (Some(Rank::Race), _) => Category::Race,
            (Some(Rank::Failure), _) => Category::Failure,
            (Some(Rank::PassedOn), _) => Category::PassedOn,
            (Some(Rank::Harmless), _) => Category::Harmless,
            (None, Rule::Condition) => Category::Condition,
            (None, _) => Category::NotRobust,
        }
    }

    /// The name in data and style sheets.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Category::Race => "race",
            Category::Failure => "failure",
            Category::Condition => "condition",
            Category::NotRobust => "not-robust",
            Category::PassedOn => "passed-on",
            Category::Harmless => "harmless",
            Category::Met => "met",
        }
    }

    /// What people call it.
    pub(super) fn title(self) -> &'static str {
        match self {
            Category::Race => "Data race",
            Category::Failure => "Failure",
            Category::Condition => "Condition",
            Category::NotRobust => "Not robust",
            Category::PassedOn => "Passed on",
            Category::Harmless => "Harmless",
            Category::Met => "Met",
        }
    }

    /// What that means.
    pub(super) fn explanation(self) -> &'static str {
        match self {
            Category::Race => "undefined behaviour: two accesses conflict, and nothing orders them",
            Category::Failure => "an assertion fails, the program crashes or gets stuck",
            Category::Condition => "the final states are not as the program asks for",
            Category::NotRobust => "an access can use an overwritten value; what follows is told apart, or not known",
            Category::PassedOn => "an overwritten value reaches an address, or what other threads read",
            Category::Met => "a final state that the program asks for exists: nothing is wrong",
            Category::Harmless => "an access can use an overwritten value, and nothing was seen to follow",
        }
    }
}

#[derive(Serialize)]
pub(super) struct View<'a> {
    kind: &'static str,
    evidence: &'static str,
    category: Category,
    title: &'a str,
    message: &'a str,
    model: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    consequences: Vec<String>,
    accesses: Vec<AccessView>,
    runs: Vec<RunView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    graph: Option<GraphData>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cycle: Vec<CycleView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<FixView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<AdviceView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reproduce: Option<ReproduceView<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    threads: Vec<String>,
}

#[derive(Default, Serialize)]
struct AccessView {
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    text: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    remark: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stack: Vec<String>,
}

#[derive(Serialize)]
struct CycleView<'a> {
    effect: &'a str,
    place: &'a str,
    relation: &'a str,
}

#[derive(Serialize)]
struct FixView<'a> {
    description: &'a str,
    first: usize,
    end: usize,
    text: &'a str,
}

#[derive(Serialize)]
struct AdviceView<'a> {
    edits: Vec<EditView<'a>>,
    reevaluated: bool,
}

#[derive(Serialize)]
struct EditView<'a> {
    place: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    change: &'a str,
}

#[derive(Serialize)]
struct ReproduceView<'a> {
    command: &'a str,
    exact: bool,
}

pub(super) fn of(finding: &Finding) -> View<'_> {
    let view = View {
        kind: finding.kind.as_str(),
        evidence: finding.evidence.as_str(),
        category: Category::of(finding),
        title: &finding.title,
        message: &finding.message,
        model: finding.model,
        file: finding.file.as_deref(),
        notes: Vec::new(),
        location: finding.location.as_deref(),
        shape: finding.shape.as_deref(),
        expected: finding.expected,
        consequences: Vec::new(),
        accesses: Vec::new(),
        runs: Vec::new(),
        graph: None,
        cycle: Vec::new(),
        fix: None,
        advice: None,
        reproduce: None,
        threads: Vec::new(),
    };
    match &finding.evidence {
        Evidence::Replayed(replayed) => of_replayed(view, finding, replayed),
        Evidence::Observed(observed) => of_observed(view, finding, observed),
    }
}

fn of_replayed<'a>(view: View<'a>, finding: &'a Finding, replayed: &'a Replayed) -> View<'a> {
    let accesses = [(&finding.access, 1), (&finding.conflicting, 2)].into_iter().filter_map(|(access, mark)| {
        let Some(Access::Statement(statement)) = access else { return None };
        Some(of_statement(statement, mark))
    });
    let cycle =
        replayed.cycle.iter().map(|CycleEvent { effect, place, relation }| CycleView { effect, place, relation });
    let graph = replayed.diagram.as_deref();
    let fix = replayed.fix.as_ref();
    View {
        notes: finding.notes.clone(),
        consequences: replayed.consequences.clone(),
        accesses: accesses.collect(),
        runs: run::of_replayed(finding, replayed),
        graph: graph.map(|diagram| Drawing::of_diagram(diagram).data(|event| run::step_of(diagram, event))),
        cycle: cycle.collect(),
        fix: fix.map(|fix| FixView { description: &fix.description, first: fix.first, end: fix.end, text: &fix.text }),
        ..view
    }
}

fn of_statement(statement: &Statement, mark: u8) -> AccessView {
    AccessView {
        mark: Some(mark),
        thread: Some(statement.thread.clone()),
        line: Some(statement.start.line),
        column: Some(statement.start.column),
        end_line: Some(statement.end.line),
        end_column: Some(statement.end.column),
        text: statement.text.clone(),
        // Text for a terminal has the marks in it.
        remark: statement.remark.trim_start_matches(&format!("({mark}) ")).to_string(),
        ..AccessView::default()
    }
}

fn of_observed<'a>(view: View<'a>, finding: &'a Finding, observed: &'a Observed) -> View<'a> {
    let diagram = diagram::of_observed(finding, observed);
    let shape = finding.shape.as_deref().map(words::shape_sentence);
    let waiting = observed.waiting.iter().map(ToString::to_string);
    let test = observed.test.as_ref().map(|test| format!("It was found in the test {test}."));
    let unguarded = observed.unguarded.then(|| {
        "Nothing in the recorded run leads from the one access to the other: a lock is missing, or an atomic variable."
            .to_string()
    });
    let created = observed.threads.iter().map(|creation| {
        let at = creation.blamed().map_or(String::new(), |frame| format!(" at {}", frame.summary()));
        format!("{} was created by {}{at}", creation.thread, creation.parent)
    });
    let edit = |edit: &'a Edit| EditView {
        place: edit.place.summary(),
        file: edit.place.file.as_deref(),
        line: edit.place.line,
        change: &edit.change,
    };
    let advice = observed.advice.as_ref();
    let Reproduce { command, exact } = &observed.reproduce;
    View {
        notes: observed.follows.iter().cloned().chain(shape).chain(waiting).chain(unguarded).chain(test).collect(),
        consequences: consequences(observed),
        accesses: operations(finding, observed),
        runs: diagram.iter().map(|diagram| run::of_observed(finding, observed, diagram)).collect(),
        graph: diagram.as_ref().map(|diagram| Drawing::of_diagram(diagram).data(|event| run::step_of(diagram, event))),
        advice: advice.map(|advice| AdviceView {
            edits: advice.edits.iter().map(edit).collect(),
            reevaluated: advice.reevaluated,
        }),
        reproduce: Some(ReproduceView { command, exact: *exact }),
        threads: created.collect(),
        ..view
    }
}

/// What followed when it was provoked, and how to see that.
fn consequences(observed: &Observed) -> Vec<String> {
    let Some(trials) = &observed.trials else { return Vec::new() };
    let followed = trials.consequence.as_ref();
    let place = followed
        .and_then(|found| Frame::blamed(&found.stack))
        .map(|frame| format!("It happens at {}.", frame.summary()));
    let again = followed.filter(|found| found.reproduce != observed.reproduce);
    let again = again.map(|found| format!("To see that: `{}`", found.reproduce.command));
    [Some(trials.sentence()), place, again].into_iter().flatten().collect()
}

/// The accesses, what is used instead of the newest value, and what does not synchronise between
/// them.
fn operations(finding: &Finding, observed: &Observed) -> Vec<AccessView> {
    let operation = |access: &Option<Access>| match access {
        Some(Access::Operation(operation)) => Some(operation.clone()),
        _ => None,
    };
    let variable = finding.location.as_deref();
    let access = operation(&finding.access).map(|it| of_operation(&it, it.description(variable), Some(1)));
    let other = operation(&finding.conflicting).map(|it| of_operation(&it, it.description(variable), Some(2)));
    let stale = observed.stale.iter().map(|write| {
        let value = write.value.map_or(String::new(), |value| format!(" {}", value_text(value)));
        let text = match &write.thread {
            Some(thread) => format!("{} by {thread} wrote the old value{value}", write.title()),
            None => format!("the initial value{value} is the old one"),
        };
        of_operation(write, text, None)
    });
    let mut all: Vec<AccessView> = access.into_iter().chain(other).chain(stale).collect();
    for end in observed.links.iter().flat_map(|link| [&link.from, &link.to]).map(of_end) {
        let is_it = |known: &AccessView| known.thread == end.thread && known.file == end.file && known.line == end.line;
        if end.line.is_none() || !all.iter().any(is_it) {
            all.push(end);
        }
    }
    all
}

fn of_operation(operation: &Operation, text: String, mark: Option<u8>) -> AccessView {
    let frame = operation.blamed();
    AccessView {
        mark,
        thread: operation.thread.as_ref().map(Thread::to_string),
        stack: Frame::helpful(&operation.stack).into_iter().map(|(_, frame)| frame.to_string()).collect(),
        ..at(frame, text)
    }
}

fn of_end(end: &LinkEnd) -> AccessView {
    AccessView {
        thread: Some(end.thread.to_string()),
        ..at(Some(&end.place), format!("{} by {}", end.in_words(), end.thread))
    }
}

fn at(frame: Option<&Frame>, text: String) -> AccessView {
    let number = |number: Option<u32>| number.map(|number| number as usize);
    let line = frame.and_then(|frame| frame.line);
    AccessView {
        file: frame.and_then(|frame| frame.file.clone()),
        line: number(line),
        column: number(frame.and_then(|frame| frame.column).filter(|_| line.is_some())),
        place: frame.filter(|frame| frame.line.is_none()).map(Frame::module_place),
        remark: text.clone(),
        text,
        ..AccessView::default()
    }
}
