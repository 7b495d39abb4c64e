//! Execution graphs (Def. 4.3 of the PLDI 2019 paper): events, reads-from and
//! modification order; program order is the order of a thread's events.

use std::fmt;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Pc, ThreadId, Value};
use fencepost_base::order::Mode;

use crate::rel::Rel;

/// An event of one graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub u32);

impl EventId {
    /// The position among the graph's events.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The event at a position.
    pub fn from_index(index: usize) -> Self {
        EventId(index as u32)
    }
}

impl fmt::Debug for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

/// What happened, by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Event {
    /// The thread; none for initialisation writes.
    pub thread: Option<ThreadId>,
    /// The label.
    pub label: Label,
    /// The instruction it comes from, for reports; not part of the graph's meaning.
    pub pc: Option<Pc>,
}

/// An execution graph. Events are numbered in the order they were added; the
/// first ones are the initialisation writes, one per location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    events: Vec<Event>,
    /// For every event, the write it reads from, if it reads.
    reads_from: Vec<Option<EventId>>,
    /// For every location, its writes, oldest first.
    modification_order: Vec<Vec<EventId>>,
    /// For every event, the first event of the atomic section it is in; itself if it is in none.
    section: Vec<EventId>,
}

impl Graph {
    /// Bytes that it takes, roughly: what a search that keeps graphs has to count.
    pub fn bytes(&self) -> u64 {
        let event = size_of::<Event>() + size_of::<Option<EventId>>() + 2 * size_of::<EventId>();
        // A list of its own for every location.
        let location = size_of::<Vec<EventId>>() + 32;
        (self.events.len() * event + self.modification_order.len() * location) as u64
    }

    /// G₀: only initialisation writes, `init[x]` to location `x`.
    pub fn initial(init: &[Value]) -> Self {
        let events = init
            .iter()
            .enumerate()
            .map(|(loc, &value)| Event {
                thread: None,
                label: Label::Write { loc: LocId::from_index(loc), value, mode: Mode::Na },
                pc: None,
            })
            .collect();
        Graph {
            events,
            reads_from: vec![None; init.len()],
            modification_order: (0..init.len()).map(|loc| vec![EventId::from_index(loc)]).collect(),
            section: (0..init.len()).map(EventId::from_index).collect(),
        }
    }

    /// The graph of these parts: `events` that come after the initialisation writes, in an order
    /// that agrees with program order, each with the write it reads from, and the writes to every
    /// location from the initialisation on.
    ///
    /// # Panics
    /// When a read does not have the value of its source, or modification order is not made of the
    /// writes.
    pub fn of_parts(
        init: &[Value],
        events: Vec<(Event, Option<EventId>)>,
        modification_order: Vec<Vec<EventId>>,
    ) -> Self {
        let mut graph = Graph::initial(init);
        for (event, source) in events {
            graph.section.push(EventId::from_index(graph.events.len()));
            graph.events.push(event);
            graph.reads_from.push(source);
        }
        graph.modification_order = modification_order;
        for id in graph.ids() {
            let label = graph.label(id);
            let read = graph.source(id).and_then(|source| graph.label(source).value_written());
            assert_eq!(label.value_read(), read, "the value read is the one written");
            let places = label.loc().map_or(&[][..], |loc| graph.writes(loc)).iter().filter(|&&write| write == id);
            assert_eq!(places.count(), usize::from(label.is_write()), "a write has its place in modification order");
        }
        graph
    }

    /// add(G, τ, l, w): a new last event of `thread`, reading from and/or placed right after
    /// `predecessor`.
    ///
    /// # Panics
    /// When `predecessor` is not a write to the label's location, or its value is not the one read.
    pub fn add(&mut self, thread: ThreadId, label: Label, predecessor: Option<EventId>, pc: Option<Pc>) -> EventId {
        let id = EventId::from_index(self.events.len());
        self.events.push(Event { thread: Some(thread), label, pc });
        self.reads_from.push(None);
        self.section.push(id);
        if let Some(loc) = label.loc() {
            let w = predecessor.expect("an access has a predecessor write");
            let writes = &mut self.modification_order[loc.index()];
            let position = writes.iter().position(|&write| write == w).expect("a write to the same location");
            if let Some(read) = label.value_read() {
                assert_eq!(
                    self.events[w.index()].label.value_written(),
                    Some(read),
                    "the value read is the one written"
                );
                self.reads_from[id.index()] = Some(w);
            }
            if label.is_write() {
                writes.insert(position + 1, id);
            }
        }
        id
    }

    /// Ties two events of one thread, and what they are tied to already: they are of one atomic
    /// section, which happens at once.
    pub fn tie(&mut self, earlier: EventId, later: EventId) {
        let (first, second) = (self.section(earlier), self.section(later));
        for section in &mut self.section {
            if *section == first || *section == second {
                *section = first.min(second);
            }
        }
    }

    /// The first event of the atomic section that `id` is in; itself when it is in none.
    pub fn section(&self, id: EventId) -> EventId {
        self.section[id.index()]
    }

    /// For every event: is it in an atomic section with others?
    pub fn tied(&self) -> Vec<bool> {
        let mut tied = vec![false; self.len()];
        for id in self.ids().filter(|&id| self.section(id) != id) {
            tied[id.index()] = true;
            tied[self.section(id).index()] = true;
        }
        tied
    }

    /// Can the events happen one after the other, those of an atomic section together, in an order
    /// that `rel` is part of?
    pub fn is_order(&self, rel: &Rel) -> bool {
        let is_without_sections = || self.ids().all(|id| self.section(id) == id);
        rel.is_acyclic() && (is_without_sections() || rel.contracted(|id| self.section(id)).is_acyclic())
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// A graph always has its initialisation events; empty only without locations and events.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// All events, in the order they were added.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = EventId> + use<> {
        (0..self.events.len()).map(EventId::from_index)
    }

    /// One event.
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id.index()]
    }

    /// Its label.
    pub fn label(&self, id: EventId) -> &Label {
        &self.events[id.index()].label
    }

    /// Is it an initialisation write?
    pub fn is_init(&self, id: EventId) -> bool {
        self.events[id.index()].thread.is_none()
    }

    /// Number of locations.
    pub fn locations(&self) -> usize {
        self.modification_order.len()
    }

    /// The write `read` reads from.
    pub fn source(&self, read: EventId) -> Option<EventId> {
        self.reads_from[read.index()]
    }

    /// The writes to `loc`, in modification order.
    pub fn writes(&self, loc: LocId) -> &[EventId] {
        &self.modification_order[loc.index()]
    }

    /// wmaxₓ: the last write to `loc`.
    pub fn last_write(&self, loc: LocId) -> EventId {
        *self.modification_order[loc.index()].last().expect("every location has its initialisation write")
    }

    /// The write that `access` reads from, or follows immediately in modification order.
    pub fn predecessor(&self, access: EventId) -> Option<EventId> {
        self.source(access).or_else(|| {
            let writes = self.writes(self.label(access).loc()?);
            let position = writes.iter().position(|&write| write == access)?;
            writes.get(position.checked_sub(1)?).copied()
        })
    }

    /// The events of `thread`, in program order.
    pub fn thread_events(&self, thread: ThreadId) -> impl DoubleEndedIterator<Item = EventId> + '_ {
        self.ids().filter(move |&id| self.event(id).thread == Some(thread))
    }

    /// po: initialisation before everything else, and each thread's events in order.
    pub fn po(&self) -> Rel {
        let mut rel = Rel::empty(self.len());
        for (a, event) in self.events.iter().enumerate() {
            let later = |b: &usize| match (event.thread, self.events[*b].thread) {
                (None, other) => other.is_some(),
                (thread, other) => thread == other,
            };
            for b in (a + 1..self.len()).filter(later) {
                rel.insert(EventId::from_index(a), EventId::from_index(b));
            }
        }
        rel
    }

    /// rf: from each write to the reads that take its value.
    pub fn rf(&self) -> Rel {
        let mut rel = Rel::empty(self.len());
        for read in self.ids() {
            self.source(read).into_iter().for_each(|write| rel.insert(write, read));
        }
        rel
    }

    /// mo: a total order on the writes to each location.
    pub fn mo(&self) -> Rel {
        let mut rel = Rel::empty(self.len());
        for writes in &self.modification_order {
            for (position, &a) in writes.iter().enumerate() {
                for &b in &writes[position + 1..] {
                    rel.insert(a, b);
                }
            }
        }
        rel
    }

    /// fr = (rf⁻¹ ; mo) \ id: from each read to the writes that overwrite what it read.
    pub fn fr(&self) -> Rel {
        self.rf().inverse().then(&self.mo()).minus(&Rel::identity_on(self.len(), |_| true))
    }

    /// The pairs of events satisfying `related`.
    pub fn relation(&self, related: impl Fn(EventId, EventId) -> bool) -> Rel {
        let mut rel = Rel::empty(self.len());
        for a in self.ids() {
            for b in self.ids().filter(|&b| related(a, b)) {
                rel.insert(a, b);
            }
        }
        rel
    }

    /// The graph in which these reads read nothing: events that keep their place in program order
    /// and no more.
    #[must_use]
    pub fn without_reads(&self, is_forgotten: impl Fn(EventId) -> bool) -> Graph {
        let mut graph = self.clone();
        for id in self.ids().filter(|&id| is_forgotten(id)) {
            graph.events[id.index()].label = Label::Fence { mode: Mode::Rlx };
            graph.reads_from[id.index()] = None;
        }
        graph
    }

    /// The same graph with events sorted by thread: equal for equal graphs, in whatever order they
    /// grew.
    #[must_use]
    pub fn canonical(&self) -> Graph {
        let mut order: Vec<EventId> = self.ids().collect();
        order.sort_by_key(|&id| (self.event(id).thread, id));
        let mut renamed = vec![EventId(0); self.len()];
        for (new, &old) in order.iter().enumerate() {
            renamed[old.index()] = EventId::from_index(new);
        }
        let rename = |id: EventId| renamed[id.index()];
        Graph {
            events: order.iter().map(|&id| *self.event(id)).collect(),
            reads_from: order.iter().map(|&id| self.source(id).map(rename)).collect(),
            modification_order: self
                .modification_order
                .iter()
                .map(|writes| writes.iter().map(|&id| rename(id)).collect())
                .collect(),
            section: order.iter().map(|&id| rename(self.section(id))).collect(),
        }
    }

    /// The same graph without the events that are not to be kept; nothing that is kept reads from
    /// them.
    #[must_use]
    pub fn restricted(&self, keep: impl Fn(EventId) -> bool) -> Graph {
        let kept: Vec<EventId> = self.ids().filter(|&id| keep(id)).collect();
        let rename = |id: EventId| EventId::from_index(kept.binary_search(&id).expect("a write that is kept"));
        let mut first = vec![None; self.len()];
        for &id in kept.iter().rev() {
            first[self.section(id).index()] = Some(id);
        }
        let section = |id: EventId| first[self.section(id).index()];
        Graph {
            events: kept.iter().map(|&id| *self.event(id)).collect(),
            reads_from: kept.iter().map(|&id| self.source(id).map(rename)).collect(),
            modification_order: self
                .modification_order
                .iter()
                .map(|writes| writes.iter().filter(|&&id| keep(id)).map(|&id| rename(id)).collect())
                .collect(),
            section: kept.iter().map(|&id| rename(section(id).expect("itself at least"))).collect(),
        }
    }
}

impl std::hash::Hash for Graph {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.events.hash(state);
        self.reads_from.hash(state);
        self.modification_order.hash(state);
        self.section.hash(state);
    }
}
