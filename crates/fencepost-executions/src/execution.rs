//! An execution graph of a test as it grows: events in the order in which they were added, what
//! reads read, and where writes are in modification order.
//!
//! A read-modify-write is two events, its read and its write, so that its write can be taken back
//! alone. The axioms see it as one.

use std::collections::BTreeMap;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_base::order::Mode;
use fencepost_model::graph::Event as ModelEvent;
use fencepost_model::{EventId, Graph, Model};
use fencepost_protocol::Order;

/// Of an event: when it was added. Later ones have greater numbers.
pub(crate) type Id = u32;

/// How a read depends on what it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// It only reads.
    Load,
    /// It writes in any case.
    Update,
    /// It writes if it finds this.
    Compare { expected: u64, failure: Order },
    /// It waits until it finds this, or if it `differs`, anything else; then it may write.
    Await { value: u64, differs: bool, writes: bool },
}

/// What a read does about what it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Reads,
    Writes,
    /// It waits in vain.
    Waits,
    /// The run shows it.
    Open,
}

impl Reading {
    /// What it does if it finds this; none if no run has shown what is there.
    pub(crate) fn outcome(self, found: Option<u64>) -> Outcome {
        match (self, found) {
            (Reading::Load, _) => Outcome::Reads,
            (Reading::Update, _) => Outcome::Writes,
            (_, None) => Outcome::Open,
            (Reading::Compare { expected, .. }, Some(found)) if found == expected => Outcome::Writes,
            (Reading::Compare { .. }, _) => Outcome::Reads,
            (Reading::Await { value, differs, .. }, Some(found)) if (found == value) == differs => Outcome::Waits,
            (Reading::Await { writes: true, .. }, _) => Outcome::Writes,
            (Reading::Await { .. }, _) => Outcome::Reads,
        }
    }
}

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A read, or the first part of a read-modify-write: of a write, or of the initial value.
    Read { source: Option<Id>, reading: Reading },
    /// A write, or the second part of the read-modify-write that begins with `read`.
    Write { read: Option<Id> },
    /// A thread is created.
    Spawn,
    /// A thread begins that was created by this event.
    Begin { spawn: Option<Id> },
    /// A thread has waited for the end of this one, which was its last event.
    Join { thread: u32, last: Option<Id> },
    /// One of several ways was taken.
    Choice { choice: u32 },
}

/// An event, and the fences that its thread passes before its next one.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) id: Id,
    pub(crate) thread: u32,
    pub(crate) what: What,
    /// The location.
    pub(crate) object: u64,
    pub(crate) order: Order,
    /// What was read or written; none if no run has shown it yet.
    pub(crate) value: Option<u64>,
    pub(crate) fences: Vec<Order>,
    /// It is a read that waits, and has found nothing that it waits for: it reads nothing, and its
    /// thread goes no further.
    pub(crate) is_blocked: bool,
    /// The event before it in its thread.
    pub(crate) previous: Option<Id>,
    /// Where in the code.
    pub(crate) pc: u64,
}

impl Event {
    pub(crate) fn is_read(&self) -> bool {
        matches!(self.what, What::Read { .. })
    }

    pub(crate) fn is_write(&self) -> bool {
        matches!(self.what, What::Write { .. })
    }

    pub(crate) fn source(&self) -> Option<Id> {
        match self.what {
            What::Read { source, .. } => source,
            _ => None,
        }
    }

    /// The read that this write belongs to.
    pub(crate) fn read_part(&self) -> Option<Id> {
        match self.what {
            What::Write { read } => read,
            _ => None,
        }
    }
}

/// An execution graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Execution {
    /// In the order in which they were added.
    events: Vec<Event>,
    /// The writes to each location, in modification order; the initial value comes before them.
    order: BTreeMap<u64, Vec<Id>>,
    /// The initial values of locations, as far as they were seen.
    initial: BTreeMap<u64, u64>,
    next: Id,
}

/// Sets of events.
#[derive(Clone, Debug)]
pub(crate) struct Set(Vec<bool>);

impl Set {
    pub(crate) fn has(&self, id: Id) -> bool {
        self.0.get(id as usize).copied().unwrap_or(false)
    }
}

impl Execution {
    pub(crate) fn events(&self) -> &[Event] {
        &self.events
    }

    fn position(&self, id: Id) -> usize {
        self.events.binary_search_by_key(&id, |event| event.id).expect("an event of this execution")
    }

    pub(crate) fn event(&self, id: Id) -> &Event {
        &self.events[self.position(id)]
    }

    pub(crate) fn event_mut(&mut self, id: Id) -> &mut Event {
        let position = self.position(id);
        &mut self.events[position]
    }

    /// The writes to a location, in modification order, without the initial one.
    pub(crate) fn writes(&self, object: u64) -> &[Id] {
        self.order.get(&object).map_or(&[], Vec::as_slice)
    }

    /// The last write in modification order; none is the initial value.
    pub(crate) fn last_write(&self, object: u64) -> Option<Id> {
        self.writes(object).last().copied()
    }

    /// The write of a read-modify-write that begins with this read.
    pub(crate) fn write_part(&self, read: Id) -> Option<Id> {
        let object = self.event(read).object;
        self.writes(object).iter().copied().find(|&write| self.event(write).read_part() == Some(read))
    }

    /// What can be read from a location: the initial value, which is none, and its writes.
    pub(crate) fn sources(&self, object: u64) -> Vec<Option<Id>> {
        std::iter::once(None).chain(self.writes(object).iter().copied().map(Some)).collect()
    }

    /// What is found by who reads this write to a location, or the initial value, as far as a run
    /// has shown it.
    pub(crate) fn value_of(&self, object: u64, source: Option<Id>) -> Option<u64> {
        match source {
            Some(source) => self.event(source).value,
            None => self.initial.get(&object).copied(),
        }
    }

    /// A run has seen the initial value of a location.
    pub(crate) fn set_initial(&mut self, object: u64, value: u64) {
        self.initial.insert(object, value);
    }

    /// The last event of a thread.
    pub(crate) fn last_of(&self, thread: u32) -> Option<&Event> {
        self.events.iter().filter(|event| event.thread == thread).max_by_key(|event| event.id)
    }

    /// A new event.
    pub(crate) fn add(&mut self, event: Event) -> Id {
        let id = self.next;
        self.next += 1;
        let previous = self.last_of(event.thread).map(|last| last.id);
        self.events.push(Event { id, previous, ..event });
        id
    }

    /// A new write, right after another one; none is the initial value.
    pub(crate) fn add_write(&mut self, event: Event, after: Option<Id>) -> Id {
        let object = event.object;
        let id = self.add(event);
        self.place(id, object, after);
        id
    }

    fn place(&mut self, id: Id, object: u64, after: Option<Id>) {
        let writes = self.order.entry(object).or_default();
        let position = after.map_or(0, |after| {
            writes.iter().position(|&write| write == after).expect("a write to the same location") + 1
        });
        writes.insert(position, id);
    }

    /// Puts a write that is there to another place.
    pub(crate) fn move_write(&mut self, id: Id, after: Option<Id>) {
        let object = self.event(id).object;
        self.order.entry(object).or_default().retain(|&write| write != id);
        self.place(id, object, after);
    }

    /// The same without some events, on which none of the others depends.
    pub(crate) fn without(&self, is_gone: impl Fn(&Event) -> bool) -> Execution {
        let events: Vec<Event> = self.events.iter().filter(|event| !is_gone(event)).cloned().collect();
        let is_there = |id: &Id| events.binary_search_by_key(id, |event| event.id).is_ok();
        let order =
            self.order.iter().map(|(&object, writes)| (object, writes.iter().copied().filter(is_there).collect()));
        Execution { order: order.collect(), initial: self.initial.clone(), next: self.next, events }
    }

    /// The events that come before this one in program order or because something is read, created
    /// or waited for, however indirectly.
    pub(crate) fn before(&self, id: Id) -> Set {
        let mut set = Set(vec![false; self.next as usize]);
        let mut open = vec![id];
        while let Some(at) = open.pop() {
            self.predecessors(at, |earlier| {
                if !std::mem::replace(&mut set.0[earlier as usize], true) {
                    open.push(earlier);
                }
            });
        }
        set
    }

    /// What an event depends on directly.
    fn predecessors(&self, id: Id, mut each: impl FnMut(Id)) {
        let event = self.event(id);
        event.previous.into_iter().for_each(&mut each);
        match event.what {
            What::Read { source: Some(source), .. } => each(source),
            What::Begin { spawn: Some(spawn) } => each(spawn),
            What::Join { last: Some(last), .. } => each(last),
            _ => {}
        }
    }

    /// The events in an order in which a run can have them: each after what it depends on, a write
    /// of a read-modify-write right after its read, and otherwise as they were added. A read whose
    /// write is still to come is last.
    pub(crate) fn in_order(&self) -> Vec<Id> {
        let parts: BTreeMap<Id, Id> =
            self.events.iter().filter_map(|event| Some((event.read_part()?, event.id))).collect();
        let mut done = Set(vec![false; self.next as usize]);
        let mut order = Vec::with_capacity(self.events.len());
        let (last, others): (Vec<&Event>, Vec<&Event>) = self.events.iter().partition(|event| self.is_open(event));
        for event in others.into_iter().chain(last) {
            let mut open = vec![event.id];
            while let Some(&id) = open.last() {
                let before = open.len();
                if !done.has(id) {
                    self.predecessors(id, |earlier| {
                        if !done.has(earlier) {
                            open.push(earlier);
                        }
                    });
                }
                if open.len() > before {
                    continue;
                }
                open.pop();
                for id in std::iter::once(id).chain(parts.get(&id).copied()) {
                    if !std::mem::replace(&mut done.0[id as usize], true) {
                        order.push(id);
                    }
                }
            }
        }
        order
    }

    /// Is it a read whose write is still to come, as far as is known?
    pub(crate) fn is_open(&self, event: &Event) -> bool {
        let What::Read { reading, .. } = event.what else { return false };
        let may_write = matches!(reading.outcome(event.value), Outcome::Writes | Outcome::Open);
        may_write && !event.is_blocked && self.write_part(event.id).is_none()
    }

    /// Is it consistent? Values do not matter for that.
    pub(crate) fn is_permitted(&self, model: &dyn Model) -> bool {
        model.permits(&self.graph())
    }

    /// As the axioms see it. Each write has a value of its own. A thread begins by reading from its
    /// creator, and ends by writing for those who wait for it.
    fn graph(&self) -> Graph {
        let mut builder = Builder::default();
        for id in self.in_order() {
            self.build(&mut builder, id);
        }
        for (&object, writes) in &self.order {
            let loc = builder.location(Place::Object(object));
            builder.order[loc.index()].extend(writes.iter().map(|write| builder.numbers[write]));
        }
        builder.finish()
    }

    fn build(&self, builder: &mut Builder, id: Id) {
        let event = self.event(id);
        let thread = ThreadId(event.thread);
        match event.what {
            What::Read { .. } if event.is_blocked => {}
            What::Read { source, .. } => {
                let loc = builder.location(Place::Object(event.object));
                let part = self.write_part(id);
                let source = source.map(|source| builder.numbers[&source]);
                let (read, written) = (builder.value(loc, source), builder.next_value());
                let label = match part {
                    Some(_) => Label::Rmw { loc, read, written, mode: mode(event.order, true, true) },
                    None => Label::Read { loc, value: read, mode: mode(self.order_read(event), true, false) },
                };
                let number = builder.add(thread, label, Some(Source { loc, write: source }));
                builder.numbers.insert(id, number);
                builder.numbers.extend(part.map(|part| (part, number)));
            }
            What::Write { read: Some(_) } => {}
            What::Write { read: None } => {
                let loc = builder.location(Place::Object(event.object));
                let label = Label::Write { loc, value: builder.next_value(), mode: mode(event.order, false, true) };
                let number = builder.add(thread, label, None);
                builder.numbers.insert(id, number);
            }
            What::Spawn => {
                let loc = builder.location(Place::Begin(id));
                builder.pass_on(thread, loc);
            }
            What::Begin { spawn: Some(spawn) } => {
                let loc = builder.location(Place::Begin(spawn));
                builder.take_over(thread, loc);
            }
            What::Join { thread: other, .. } => {
                let loc = builder.location(Place::End(other));
                if builder.order[loc.index()].is_empty() {
                    builder.pass_on(ThreadId(other), loc);
                }
                builder.take_over(thread, loc);
            }
            What::Begin { spawn: None } | What::Choice { .. } => {}
        }
        // The fences come after the whole of a read-modify-write.
        let part = if event.is_read() { self.write_part(id) } else { None };
        let fences = part.map_or(&event.fences, |part| &self.event(part).fences);
        if !matches!(event.what, What::Write { read: Some(_) }) {
            for order in fences.iter().filter(|order| **order != Order::Relaxed) {
                builder.add(thread, Label::Fence { mode: mode(*order, true, true) }, None);
            }
        }
    }

    /// The order with which a read reads that does not write.
    fn order_read(&self, event: &Event) -> Order {
        let What::Read { source, reading } = event.what else { return event.order };
        match reading {
            Reading::Compare { expected, failure } => {
                let found = source.map_or(event.value, |source| self.event(source).value);
                if found.is_some_and(|found| found != expected) { failure } else { event.order }
            }
            _ => event.order,
        }
    }
}

fn mode(order: Order, reads: bool, writes: bool) -> Mode {
    match order {
        Order::SeqCst => Mode::Sc,
        _ => match (reads && order.acquires(), writes && order.releases()) {
            (true, true) => Mode::AcqRel,
            (true, false) => Mode::Acq,
            (false, true) => Mode::Rel,
            (false, false) => Mode::Rlx,
        },
    }
}

/// A location that the axioms see.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Object(u64),
    /// Through which a thread gets what its creator knows.
    Begin(Id),
    /// Through which others get what a thread knew at its end.
    End(u32),
}

#[derive(Clone, Copy)]
struct Source {
    loc: LocId,
    /// None is the initial value.
    write: Option<usize>,
}

/// A graph that is being built. Events are counted without the initial ones, whose number is not
/// known before.
#[derive(Default)]
struct Builder {
    locations: BTreeMap<Place, LocId>,
    events: Vec<(ModelEvent, Option<Source>)>,
    order: Vec<Vec<usize>>,
    numbers: BTreeMap<Id, usize>,
}

impl Builder {
    fn location(&mut self, place: Place) -> LocId {
        let next = LocId::from_index(self.locations.len());
        let loc = *self.locations.entry(place).or_insert(next);
        if loc == next {
            self.order.push(Vec::new());
        }
        loc
    }

    /// What the next event writes: no other one writes that.
    fn next_value(&self) -> u32 {
        self.events.len() as u32 + 1
    }

    fn value(&self, _: LocId, write: Option<usize>) -> u32 {
        write.map_or(0, |write| write as u32 + 1)
    }

    fn add(&mut self, thread: ThreadId, label: Label, source: Option<Source>) -> usize {
        self.events.push((ModelEvent { thread: Some(thread), label, pc: None }, source));
        self.events.len() - 1
    }

    fn pass_on(&mut self, thread: ThreadId, loc: LocId) {
        let label = Label::Write { loc, value: self.next_value(), mode: Mode::Rel };
        let number = self.add(thread, label, None);
        self.order[loc.index()].push(number);
    }

    fn take_over(&mut self, thread: ThreadId, loc: LocId) {
        let write = self.order[loc.index()].first().copied();
        let label = Label::Read { loc, value: self.value(loc, write), mode: Mode::Acq };
        self.add(thread, label, Some(Source { loc, write }));
    }

    fn finish(self) -> Graph {
        let count = self.locations.len();
        let id = |number: usize| EventId::from_index(count + number);
        let events = self.events.into_iter().map(|(event, source)| {
            (event, source.map(|Source { loc, write }| write.map_or(EventId::from_index(loc.index()), id)))
        });
        let order =
            self.order.into_iter().enumerate().map(|(loc, writes)| {
                std::iter::once(EventId::from_index(loc)).chain(writes.into_iter().map(id)).collect()
            });
        Graph::of_parts(&vec![0; count], events.collect(), order.collect())
    }
}
