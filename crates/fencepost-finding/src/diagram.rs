//! An execution as events and edges, to be drawn.

/// An execution, or as much of it as is known. It says what there is; what of it is worth showing
/// is up to who draws it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagram {
    /// What it shows.
    pub title: String,
    /// What happens in it.
    pub subtitle: String,
    /// What else there is to say.
    pub notes: Vec<String>,
    /// Names of the threads.
    pub threads: Vec<String>,
    /// In the order of the run, initial values first. So those of a thread are in program order,
    /// and writes come before what reads from them.
    pub events: Vec<Event>,
    /// How events are related, besides program order: reads-from; modification order between
    /// neighbours; from-read to the next write; all of the derived relations that were asked for.
    pub edges: Vec<Edge>,
    /// What it is about: the edges of the cycle that SC forbids, or the one of a race.
    pub focus: Vec<Edge>,
    /// The event that goes wrong.
    pub culprit: Option<usize>,
    /// Relations of which every edge is wanted, also those that others imply.
    pub in_full: Vec<Relation>,
}

/// Something that happens in an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Whose it is, counted from 0; none for an initial value.
    pub thread: Option<usize>,
    /// The step, from 1, that it is in the run as that is told.
    pub step: Option<usize>,
    /// What it does: `W[rel] x=1`; an initial value is `x=0`.
    pub text: String,
    /// Where it is in the source: `line 4`, `queue.c:12`; empty if that is not known.
    pub place: String,
}

/// Two events of a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it starts: the number of an event.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// What it belongs to.
    pub relation: Relation,
}

/// A relation between events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// Program order.
    Po,
    /// Reads-from.
    Rf,
    /// Modification order.
    Mo,
    /// From-read.
    Fr,
    /// A data race.
    Race,
    /// One that a model defines, or that a monitor has established.
    Derived(&'static str),
}

impl Relation {
    /// Those that every execution has, or can have.
    pub const BASIC: [Relation; 5] = [Relation::Po, Relation::Rf, Relation::Mo, Relation::Fr, Relation::Race];

    /// Its short name.
    pub fn as_str(self) -> &'static str {
        match self {
            Relation::Po => "po",
            Relation::Rf => "rf",
            Relation::Mo => "mo",
            Relation::Fr => "fr",
            Relation::Race => "race",
            Relation::Derived(name) => name,
        }
    }
}
