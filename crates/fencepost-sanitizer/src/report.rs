//! What is reported: what was found in a run, with names instead of numbers, and as a [`Finding`].

use std::fmt;

use fencepost_clock::MODEL;
use fencepost_finding::{Access, Evidence, Finding, Frame, Kind as FindingKind, Observed};
pub use fencepost_finding::{
    Advice, Awaited, Consequence, Creation, Edit, Effect, Explored, Link, LinkEnd, LinkKind, Memory, Operation, Place,
    Rank, Reproduce, Thread, Trials, Waiting,
};
use fencepost_protocol::Provocation;
use serde::{Deserialize, Serialize};

use crate::reporter::Item;

/// A finding, symbolised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// How to let the access use an overwritten value, if that is possible.
    #[serde(skip)]
    pub provocation: Option<Provocation>,
    /// What followed when it did.
    pub trials: Option<Trials>,
    /// Which access that was provoked it was seen after, if only after one: a sentence.
    pub follows: Option<String>,
    /// The test that the access was made in, if a test library has called it.
    pub test: Option<String>,
}

/// What a report is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    /// An access that could use an overwritten value under the monitor's model, and not
    /// under SC.
    Robustness(Box<Window>),
    /// Two conflicting accesses that happens-before does not order.
    Race(Box<Race>),
}

/// The other access of a race, and what would order the two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Race {
    /// The earlier access.
    pub other: Operation,
    /// How it comes before the access in the recorded run: the steps that do not synchronise. Empty
    /// if not known.
    pub links: Vec<Link>,
    /// In the recorded run nothing leads from the one access to the other.
    pub unguarded: bool,
    /// What to change.
    pub advice: Option<Advice>,
}

/// What an access may miss, and use instead.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// The litmus shape that the violation has, if it is one that can be told: message passing or
    /// store buffering, in which the one step that does not synchronise leads from the thread of
    /// the missed write to that of the access.
    fn shape(&self, access: &Operation) -> Option<&'static str> {
        let [link] = &*self.links else { return None };
        let is_direct =
            self.missed.thread.as_ref() == Some(&link.from.thread) && access.thread.as_ref() == Some(&link.to.thread);
        match link.kind {
            LinkKind::ReadsFrom if is_direct && access.op == "load" => Some("MP"),
            LinkKind::FromRead if is_direct && access.op == "load" => Some("SB"),
            _ => None,
        }
    }
}

/// All threads of a program wait, and none of them can go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

    /// As it is told.
    pub fn finding(self) -> Finding {
        let lines: Vec<String> = self.waiting.iter().map(Waiting::to_string).collect();
        Finding {
            kind: FindingKind::Deadlock,
            model: "sc",
            file: None,
            title: "deadlock: all threads wait, and none of them can go on".into(),
            message: format!("All threads wait: {}.", lines.join("; ")),
            notes: vec![format!("Reproduce: {}", self.reproduce.command)],
            location: None,
            access: None,
            conflicting: None,
            stale_values: Vec::new(),
            shape: None,
            identity: self.identity(),
            expected: None,
            evidence: Evidence::Observed(Box::new(Observed {
                pid: self.pid,
                stale: Vec::new(),
                cut: false,
                memory: Memory::Unknown,
                threads: self.threads,
                links: Vec::new(),
                unguarded: false,
                waiting: self.waiting,
                advice: None,
                reproduce: self.reproduce,
                trials: None,
                follows: None,
                picture: None,
                test: None,
            })),
        }
    }
}

impl Item {
    /// What is to be told about it as a finding, if it is one.
    pub fn finding(self) -> Option<Finding> {
        match self {
            Item::Report(report) => Some(report.finding()),
            Item::Deadlock(deadlock) => Some(deadlock.finding()),
            _ => None,
        }
    }
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
            Kind::Race(race) => all.push(&race.other),
        }
        all
    }

    /// What two reports of the same thing have in common: the kind and the call chains of both
    /// accesses, down to the places to blame.
    pub fn identity(&self) -> Identity {
        let place = |operation: &Operation| {
            let own = Frame::chain(&operation.stack).iter().rev().filter(|frame| !frame.is_library());
            own.map(Frame::identity).collect::<Vec<_>>().join(" > ")
        };
        let mut places = match &self.kind {
            Kind::Robustness(window) => [place(&self.access), place(&window.missed)],
            Kind::Race(race) => [place(&self.access), place(&race.other)],
        };
        if matches!(self.kind, Kind::Race(_)) {
            // Which of the two came first is chance.
            places.sort();
        }
        Identity { kind: self.title(), places }
    }

    /// As it is told before it is known what follows.
    pub fn finding_so_far(&self) -> Finding {
        self.clone().finding()
    }

    /// As it is told.
    pub fn finding(self) -> Finding {
        let (identity, title) = (self.identity().to_string(), self.title().to_string());
        let location = match &self.memory {
            Memory::Global { name, .. } => Some(name.clone()),
            _ => None,
        };
        let part = self.memory.place_of(self.access.address).name;
        let access = self.access.description(part.as_deref());
        let mut found =
            Found { shape: None, stale: Vec::new(), cut: false, links: Vec::new(), unguarded: false, advice: None };
        let (kind, conflicting, message) = match self.kind {
            Kind::Robustness(window) => {
                let kind = match self.access.op.as_str() {
                    "store" => FindingKind::StaleWrite,
                    "load" | "wait" => FindingKind::StaleRead,
                    _ => FindingKind::StaleRmw,
                };
                let verb = if self.access.writes_only() { "may come before" } else { "may miss" };
                let message = format!("{access} {verb}: {}.", window.missed.description(None));
                found.shape = window.shape(&self.access);
                let Window { missed, stale, cut, links, advice } = *window;
                found = Found { stale, cut, links, advice, ..found };
                (kind, missed, message)
            }
            Kind::Race(race) => {
                let Race { other, links, unguarded, advice } = *race;
                let message = format!("{access} races with: {}.", other.description(None));
                found = Found { links, unguarded, advice, ..found };
                (FindingKind::DataRace, other, message)
            }
        };
        let Found { shape, stale, cut, links, unguarded, advice } = found;
        let missing = unguarded.then(|| UNGUARDED.to_string());
        let trials = self.trials.as_ref().map(|trials| format!("Consequence: {}", trials.sentence()));
        Finding {
            kind,
            model: MODEL,
            file: None,
            title,
            message,
            notes: self
                .follows
                .iter()
                .cloned()
                .chain(trials)
                .chain(advice.iter().map(suggestion))
                .chain(missing)
                .collect(),
            location,
            access: Some(Access::Operation(Box::new(self.access))),
            conflicting: Some(Access::Operation(Box::new(conflicting))),
            stale_values: stale.iter().filter_map(|write| write.value).map(|value| value.to_string()).collect(),
            shape: shape.map(str::to_string),
            identity,
            expected: None,
            evidence: Evidence::Observed(Box::new(Observed {
                pid: self.pid,
                stale,
                cut,
                memory: self.memory,
                threads: self.threads,
                links,
                unguarded,
                waiting: Vec::new(),
                advice,
                reproduce: self.reproduce,
                trials: self.trials,
                follows: self.follows,
                picture: None,
                test: self.test,
            })),
        }
    }
}

/// What a finding has that depends on its kind.
struct Found {
    shape: Option<&'static str>,
    stale: Vec<Operation>,
    cut: bool,
    links: Vec<Link>,
    unguarded: bool,
    advice: Option<Advice>,
}

/// What is missing if no order is too weak.
const UNGUARDED: &str = "Missing: a lock, or an atomic variable. Nothing in the recorded run leads from the one access \
    to the other.";

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

fn suggestion(advice: &Advice) -> String {
    let edits: Vec<String> =
        advice.edits.iter().map(|edit| format!("{} ({})", edit.change, edit.place.summary())).collect();
    format!("Suggestion: {}.", edits.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(op: &str, thread: &Thread) -> Operation {
        Operation {
            op: op.into(),
            order: Some("relaxed".into()),
            value: None,
            expected: None,
            address: 0,
            size: 4,
            thread: Some(thread.clone()),
            stack: Vec::new(),
            time: None,
        }
    }

    #[test]
    fn a_shape_of_two_threads_has_two_threads() {
        let [writer, reader, third] = [2, 3, 4].map(|tid| Thread { tid, name: None });
        let shape = |kind, from: &Thread, to: &Thread| {
            let end = |thread: &Thread| LinkEnd {
                op: "load".into(),
                order: "relaxed".into(),
                values: String::new(),
                memory: Place { address: 0, name: None },
                thread: thread.clone(),
                place: Frame::bare("program", 0),
                time: 1,
            };
            let links = vec![Link { from: end(from), to: end(to), kind }];
            let missed = operation("store", &writer);
            let window = Window { missed, stale: Vec::new(), cut: false, links, advice: None };
            window.shape(&operation("load", &reader))
        };
        assert_eq!(shape(LinkKind::ReadsFrom, &writer, &reader), Some("MP"));
        assert_eq!(shape(LinkKind::FromRead, &writer, &reader), Some("SB"));
        assert_eq!(shape(LinkKind::Order, &writer, &reader), None);
        // Independent reads of independent writes: the rest of the way synchronises.
        assert_eq!(shape(LinkKind::FromRead, &third, &reader), None);
        assert_eq!(shape(LinkKind::FromRead, &third, &writer), None);
    }
}
