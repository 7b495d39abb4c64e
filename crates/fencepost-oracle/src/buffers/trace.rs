//! Happens-before traces as they grow: a store has its place in program order
//! when it is issued, and its place in the store order when it reaches memory.

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Pc, ThreadId, Value};
use fencepost_ir::Program;
use fencepost_model::graph::Event;
use fencepost_model::{EventId, Graph};

/// A trace. Events are named by their thread and their position in it, so that equal traces are
/// equal values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Trace {
    init: Vec<Value>,
    /// Of every thread, in program order.
    events: Vec<Vec<Traced>>,
    /// For every location, the stores that have reached memory, oldest first.
    stores: Vec<Vec<(ThreadId, usize)>>,
}

/// What a read takes its value from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    Initial,
    Event { thread: ThreadId, position: usize },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Traced {
    label: Label,
    source: Option<Origin>,
    pc: Option<Pc>,
    /// The first event of its atomic section.
    section: Option<usize>,
}

impl Trace {
    pub(super) fn new(program: &Program) -> Self {
        Trace {
            init: program.locations().iter().map(|location| location.init).collect(),
            events: vec![Vec::new(); program.threads().len()],
            stores: vec![Vec::new(); program.locations().len()],
        }
    }

    /// The next event of `thread`; its position.
    pub(super) fn add(&mut self, thread: ThreadId, label: Label, source: Option<Origin>, pc: Option<Pc>) -> usize {
        let events = &mut self.events[thread.index()];
        events.push(Traced { label, source, pc, section: None });
        events.len() - 1
    }

    /// Number of events of `thread`.
    pub(crate) fn count(&self, thread: ThreadId) -> usize {
        self.events[thread.index()].len()
    }

    /// The events of `thread` from `first` on are an atomic section.
    pub(crate) fn tie(&mut self, thread: ThreadId, first: usize) {
        self.events[thread.index()][first..].iter_mut().for_each(|event| event.section = Some(first));
    }

    /// Forgets the events of `thread` from `first` on, which nobody has seen.
    pub(crate) fn forget(&mut self, thread: ThreadId, first: usize) {
        self.events[thread.index()].truncate(first);
        for stores in &mut self.stores {
            stores.retain(|&(of, position)| of != thread || position < first);
        }
    }

    /// A store or read-modify-write reaches memory.
    pub(super) fn reach_memory(&mut self, thread: ThreadId, position: usize) {
        let loc = self.location(thread, position).expect("a store");
        self.stores[loc.index()].push((thread, position));
    }

    /// What was written to `loc` last.
    pub(super) fn memory(&self, loc: LocId) -> Origin {
        let last = self.stores[loc.index()].last();
        last.map_or(Origin::Initial, |&(thread, position)| Origin::Event { thread, position })
    }

    /// The value of `loc` that this is the origin of.
    pub(super) fn value(&self, loc: LocId, origin: Origin) -> Value {
        match origin {
            Origin::Initial => self.init[loc.index()],
            Origin::Event { thread, position } => {
                self.events[thread.index()][position].label.value_written().expect("a store")
            }
        }
    }

    pub(super) fn location(&self, thread: ThreadId, position: usize) -> Option<LocId> {
        self.events[thread.index()][position].label.loc()
    }

    /// The event of the graph at this position.
    pub(crate) fn id(&self, thread: ThreadId, position: usize) -> EventId {
        let before: usize = self.events[..thread.index()].iter().map(Vec::len).sum();
        EventId::from_index(self.init.len() + before + position)
    }

    /// The execution graph, in its canonical form, when all stores have reached memory.
    pub(crate) fn graph(&self) -> Graph {
        let id = |origin: Origin, loc: LocId| match origin {
            Origin::Initial => EventId::from_index(loc.index()),
            Origin::Event { thread, position } => self.id(thread, position),
        };
        let mut events = Vec::new();
        for (thread, own) in self.events.iter().enumerate() {
            for Traced { label, source, pc, .. } in own {
                let event = Event { thread: Some(ThreadId::from_index(thread)), label: *label, pc: *pc };
                events.push((event, source.map(|source| id(source, label.loc().expect("a read")))));
            }
        }
        let order = self.stores.iter().enumerate().map(|(loc, stores)| {
            let later = stores.iter().map(|&(thread, position)| self.id(thread, position));
            std::iter::once(EventId::from_index(loc)).chain(later).collect()
        });
        let mut graph = Graph::of_parts(&self.init, events, order.collect());
        for (thread, own) in self.events.iter().enumerate() {
            let id = |position| self.id(ThreadId::from_index(thread), position);
            for (position, event) in own.iter().enumerate() {
                event.section.into_iter().for_each(|first| graph.tie(id(first), id(position)));
            }
        }
        graph
    }
}
