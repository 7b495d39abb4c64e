//! What the sanitizer has seen in a run, as a diagram: the path by which the missed write comes
//! before the access under SC, and the edge that closes the circle.

use fencepost_finding::{
    Access, Diagram, Edge, Event, Finding, Frame, Link, LinkEnd, LinkKind, Observed, Operation, Place, Relation, Rule,
    Thread, value_text,
};

use super::story;

/// Between two steps of the path that the model does not order there is only what it orders.
const SYNCHRONISED: Relation = Relation::Derived("sync");
/// What the monitor knows without a recorded run.
const BEFORE_UNDER_SC: Relation = Relation::Derived("SC");
/// The later one overwrites what the first wrote, or reads what did.
const COHERENCE: Relation = Relation::Derived("eco");
/// Names of variables in C++ can be of any length.
const LONG_NAME: usize = 32;

/// A violation or a race; none if there are no accesses, as in a deadlock.
pub(crate) fn of_observed(finding: &Finding, observed: &Observed) -> Option<Diagram> {
    let (Some(Access::Operation(access)), Some(Access::Operation(other))) = (&finding.access, &finding.conflicting)
    else {
        return None;
    };
    let mut sketch = Sketch::new(observed, access, other);
    let variable = observed.memory.place_of(access.address);
    if finding.kind.rule() == Rule::Race {
        sketch.race(access, other, observed, &variable);
    } else {
        sketch.violation(access, other, observed, &variable);
    }
    Some(Diagram {
        title: format!("{} under {}", finding.title, finding.model),
        subtitle: finding.message.clone(),
        notes: finding.shape.as_deref().and_then(story).into_iter().collect(),
        // The access is the last thing that happens.
        culprit: sketch.diagram.events.len().checked_sub(1),
        ..sketch.diagram
    })
}

struct Sketch<'a> {
    diagram: Diagram,
    /// By their numbers, which is the order in which they were created.
    threads: Vec<&'a Thread>,
    /// The events of the path that were added, by who and when.
    path: Vec<((u64, u64), usize)>,
}

impl<'a> Sketch<'a> {
    fn new(observed: &'a Observed, access: &'a Operation, other: &'a Operation) -> Self {
        let operations = [access, other].into_iter().chain(observed.stale.last());
        let ends = observed.links.iter().flat_map(|link| [&link.from.thread, &link.to.thread]);
        let mut threads: Vec<&Thread> = operations.filter_map(|one| one.thread.as_ref()).chain(ends).collect();
        threads.sort();
        threads.dedup();
        let diagram = Diagram { threads: threads.iter().map(|thread| heading(thread)).collect(), ..Diagram::default() };
        Sketch { diagram, threads, path: Vec::new() }
    }

    fn race(&mut self, access: &Operation, other: &Operation, observed: &Observed, variable: &Place) {
        let start = self.operation(other, variable, "");
        let mut last = start;
        for Link { from, to, .. } in &observed.links {
            let from = self.end(from);
            self.connect(last, from);
            last = self.end(to);
            self.focus(from, last, Relation::Rf);
        }
        let end = self.operation(access, variable, "");
        if last != start {
            self.connect(last, end);
        }
        self.focus(start, end, Relation::Race);
    }

    fn violation(&mut self, access: &Operation, missed: &Operation, observed: &Observed, variable: &Place) {
        // It came before the missed write, and so before everything on the path.
        let used = observed.stale.last().map(|stale| self.operation(stale, variable, &written(stale)));
        let start = self.operation(missed, variable, &written(missed));
        if let (Some(thread), Some(time)) = (&missed.thread, missed.time) {
            self.path.push(((thread.tid, time), start));
        }
        let mut last = start;
        for Link { from, to, kind } in &observed.links {
            let from = self.end(from);
            self.connect(last, from);
            last = self.end(to);
            let relation = match kind {
                LinkKind::ReadsFrom => Relation::Rf,
                LinkKind::FromRead => Relation::Fr,
                LinkKind::Order if to.op == "load" => COHERENCE,
                LinkKind::Order => Relation::Mo,
            };
            self.focus(from, last, relation);
            if relation == Relation::Rf {
                self.diagram.edges.push(Edge { from, to: last, relation });
            }
        }
        let reads = observed.stale.last().filter(|_| !access.writes_only()).and_then(|stale| stale.value);
        let reads = reads.map_or(String::new(), |value| format!("={}", value_text(value)));
        let end = self.operation(access, variable, &reads);
        match observed.links.is_empty() {
            true => self.focus(start, end, BEFORE_UNDER_SC),
            false => self.connect(last, end),
        }
        let letter = letter(&access.op);
        let back = if letter == 'R' { Relation::Fr } else { Relation::Mo };
        self.focus(end, start, back);
        // What it reads, and where in modification order it writes.
        if let Some(used) = used.filter(|_| letter != 'W') {
            self.diagram.edges.push(Edge { from: used, to: end, relation: Relation::Rf });
        }
        if back == Relation::Mo {
            let order = used.map(|used| (used, end)).into_iter().chain([(end, start)]);
            self.diagram.edges.extend(order.map(|(from, to)| Edge { from, to, relation: back }));
        }
    }

    /// The way from one step of the path to the next one.
    fn connect(&mut self, from: usize, to: usize) {
        if from != to {
            let same = self.diagram.events[from].thread == self.diagram.events[to].thread;
            self.focus(from, to, if same { Relation::Po } else { SYNCHRONISED });
        }
    }

    fn focus(&mut self, from: usize, to: usize, relation: Relation) {
        self.diagram.focus.push(Edge { from, to, relation });
    }

    fn operation(&mut self, operation: &Operation, variable: &Place, value: &str) -> usize {
        let Operation { op, order, thread, .. } = operation;
        let text = match thread {
            Some(_) => access(letter(op), order.as_deref(), variable, value),
            None => format!("{}{value}", name(variable)),
        };
        self.add(thread.as_ref(), text, operation.blamed())
    }

    fn end(&mut self, end: &LinkEnd) -> usize {
        let key = (end.thread.tid, end.time);
        if let Some(&(_, event)) = self.path.iter().find(|(known, _)| *known == key) {
            return event;
        }
        let text = access(letter(&end.op), Some(&end.order), &end.memory, &format!("={}", end.values));
        let event = self.add(Some(&end.thread), text, Some(&end.place));
        self.path.push((key, event));
        event
    }

    fn add(&mut self, thread: Option<&Thread>, text: String, frame: Option<&Frame>) -> usize {
        let thread = thread.and_then(|thread| self.threads.iter().position(|other| *other == thread));
        self.diagram.events.push(Event { thread, step: None, text, place: frame.map_or(String::new(), place) });
        self.diagram.events.len() - 1
    }
}

/// `W[relaxed] x=1`
fn access(letter: char, order: Option<&str>, variable: &Place, value: &str) -> String {
    let order = order.map_or(String::new(), |order| format!("[{order}]"));
    format!("{letter}{order} {}{value}", name(variable))
}

/// As in the pictures of programs that are checked as text: read, write, update.
fn letter(op: &str) -> char {
    match op {
        "load" | "wait" | "read" | "atomic-read" => 'R',
        "store" | "write" | "atomic-write" => 'W',
        _ => 'U',
    }
}

/// What an operation has written. Of an update, what it has read is not known.
fn written(operation: &Operation) -> String {
    let is_update = operation.thread.is_some() && letter(&operation.op) == 'U';
    let sign = if is_update { "→" } else { "=" };
    operation.value.map_or(String::new(), |value| format!("{sign}{}", value_text(value)))
}

fn name(variable: &Place) -> String {
    let Some(name) = &variable.name else { return format!("{:#x}", variable.address) };
    let length = name.chars().count();
    match length > LONG_NAME {
        // The end says more than the namespaces it is in.
        true => std::iter::once('…').chain(name.chars().skip(length - LONG_NAME)).collect(),
        false => name.clone(),
    }
}

/// `queue.c:12`, or the place in the module.
pub(crate) fn place(frame: &Frame) -> String {
    match (&frame.file, frame.line) {
        (Some(file), Some(line)) => format!("{}:{line}", file.rsplit('/').next().unwrap_or(file)),
        _ => frame.module_place(),
    }
}

/// A thread over its column.
fn heading(thread: &Thread) -> String {
    let words = thread.to_string();
    words.strip_prefix("thread ").map_or(words.clone(), str::to_string)
}
