//! An execution graph of a test as it grows: events in the order in which they were added, what
//! reads read, and where writes are in modification order.
//!
//! A read-modify-write is two events, its read and its write, so that its write can be taken back
//! alone. The axioms see it as one.
//!
//! # Objects
//!
//! A use of a mutex, a condition variable, a semaphore, a barrier is a read-modify-write, too, of the
//! state that the object is in. So all uses of an object have one order, its *chain*, which runs
//! follow: each use finds the object as the one before it in the chain has left it. To the axioms
//! that is nothing. They see what the standard says that the use orders, and the runtime has told
//! what that is: who acquires reads, from a location of its own, what each of those has written who
//! had released to the object ([`Orders`]). That a chain is in accord with happens-before need not be
//! asked, because runs are, and happens-before is made of what comes first in them.
//!
//! To wait for a condition and to give the mutex back is one step, and two uses: the second
//! `follows`. Nobody comes in between, so who depends on the first depends on the second.

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
    /// A thread goes on that was woken by this use of an object.
    Wake { by: Id },
    /// A thread has waited for the end of this one, which was its last event.
    Join { thread: u32, last: Option<Id> },
    /// One of several ways was taken.
    Choice { choice: u32 },
}

/// How the use of an object orders threads: parts of the object, as bits
/// ([`fencepost_protocol::exploration::Step::acquires`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Orders {
    pub(crate) acquires: u32,
    pub(crate) releases: u32,
    pub(crate) replaces: u32,
}

/// The use of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Use {
    /// Which of several ways it goes, if that was decided.
    pub(crate) choice: Option<u32>,
    /// Does it belong to the step before?
    pub(crate) follows: bool,
    /// Of its write, as far as a run has shown it.
    pub(crate) orders: Orders,
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
    /// Of a use of an object, and of a thread that goes on after one.
    pub(crate) uses: Option<Use>,
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

/// Which events belong to the same step.
struct Steps {
    /// By event: the next one of its step, and the first one.
    next: Vec<Option<Id>>,
    first: Vec<Id>,
}

impl Steps {
    fn of(execution: &Execution) -> Steps {
        let mut steps = Steps { next: vec![None; execution.next as usize], first: (0..execution.next).collect() };
        for event in execution.events() {
            let follows = event.uses.is_some_and(|uses| uses.follows);
            let previous = event.read_part().or(event.previous.filter(|_| event.is_read() && follows));
            if let Some(previous) = previous {
                steps.next[previous as usize] = Some(event.id);
                steps.first[event.id as usize] = steps.first(previous);
            }
        }
        steps
    }

    fn first(&self, id: Id) -> Id {
        self.first[id as usize]
    }

    /// The step that begins with this event.
    fn of_first(&self, first: Id) -> impl Iterator<Item = Id> {
        std::iter::successors(Some(first), |&id| self.next[id as usize])
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
            What::Read { source: Some(source), .. } => each(self.end_of_step(source)),
            What::Wake { by } => each(by),
            What::Begin { spawn: Some(spawn) } => each(spawn),
            What::Join { last: Some(last), .. } => each(last),
            _ => {}
        }
    }

    /// The use of an object that belongs to the same step as the one that this write is of.
    pub(crate) fn follower(&self, write: Id) -> Option<&Event> {
        let event = self.event(write);
        event.uses?;
        let follows = |other: &&Event| other.previous == Some(write) && other.uses.is_some_and(|uses| uses.follows);
        self.events[self.position(write)..].iter().find(follows)
    }

    /// The last event of the step that this write belongs to.
    fn end_of_step(&self, write: Id) -> Id {
        match self.follower(write) {
            Some(follower) => self.write_part(follower.id).unwrap_or(follower.id),
            None => write,
        }
    }

    /// The events in an order in which a run can have them: each after what it depends on, those of a
    /// step one after the other, and otherwise as they were added. A read whose write is still to
    /// come is last.
    pub(crate) fn in_order(&self) -> Vec<Id> {
        let steps = Steps::of(self);
        let mut done = Set(vec![false; self.next as usize]);
        let mut order = Vec::with_capacity(self.events.len());
        let is_last = |first: &Id| steps.of_first(*first).any(|id| self.is_open(self.event(id)));
        let first = self.events.iter().map(|event| event.id).filter(|&id| steps.first(id) == id);
        let (last, others): (Vec<Id>, Vec<Id>) = first.partition(is_last);
        for first in others.into_iter().chain(last) {
            let mut open = vec![first];
            while let Some(&first) = open.last() {
                let before = open.len();
                if !done.has(first) {
                    for part in steps.of_first(first) {
                        self.predecessors(part, |earlier| {
                            let earlier = steps.first(earlier);
                            if earlier != first && !done.has(earlier) {
                                open.push(earlier);
                            }
                        });
                    }
                }
                if open.len() > before {
                    continue;
                }
                open.pop();
                if !std::mem::replace(&mut done.0[first as usize], true) {
                    order.extend(steps.of_first(first));
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
        self.has_chains() && model.permits(&self.graph(false))
    }

    /// Is it also one of this model, with chains that are in accord with everything else?
    pub(crate) fn is_ordinary(&self, reference: &dyn Model) -> bool {
        self.has_chains() && reference.permits(&self.graph(true))
    }

    /// Does each use of an object find what the one before it has left?
    fn has_chains(&self) -> bool {
        self.order.values().all(|writes| {
            let mut previous = None;
            writes.iter().all(|&write| {
                let event = self.event(write);
                let is_next = || event.read_part().is_some_and(|read| self.event(read).source() == previous);
                let fits = event.uses.is_none() || is_next();
                previous = Some(write);
                fits
            })
        })
    }

    /// Those whose releases are acquired by who acquires from these parts of an object, right after
    /// its use `last`.
    fn released(&self, object: u64, parts: u32, last: Id) -> Vec<Id> {
        let mut all: Vec<(Id, u32)> = Vec::new();
        if parts == 0 {
            return Vec::new();
        }
        for &write in self.writes(object) {
            let orders = self.event(write).uses.map(|uses| uses.orders).unwrap_or_default();
            all.iter_mut().for_each(|(_, at)| *at &= !orders.replaces);
            all.push((write, orders.releases & parts));
            if write == last {
                break;
            }
        }
        all.into_iter().filter(|(_, at)| *at != 0).map(|(write, _)| write).collect()
    }

    /// As the axioms see it. Each write has a value of its own. A thread begins by reading from its
    /// creator, and ends by writing for those who wait for it. Are chains seen?
    fn graph(&self, with_chains: bool) -> Graph {
        let mut builder = Builder { with_chains, ..Builder::default() };
        for id in self.in_order() {
            self.build(&mut builder, id);
        }
        for (&object, writes) in &self.order {
            let is_seen = |write: &&Id| with_chains || self.event(**write).uses.is_none();
            let loc = builder.location(Place::Object(object));
            builder.order[loc.index()].extend(writes.iter().filter(is_seen).map(|write| builder.numbers[write]));
        }
        builder.finish()
    }

    /// The use of an object orders threads.
    fn build_use(&self, builder: &mut Builder, read: Id) {
        let Some(write) = self.write_part(read) else { return };
        let event = self.event(write);
        let thread = ThreadId(event.thread);
        let orders = event.uses.map(|uses| uses.orders).unwrap_or_default();
        for released in self.released(event.object, orders.acquires, write) {
            if released != write {
                builder.take_over(thread, Place::Released(released));
            }
        }
        if orders.releases != 0 {
            builder.pass_on(thread, Place::Released(write));
        }
    }

    fn build(&self, builder: &mut Builder, id: Id) {
        let event = self.event(id);
        let thread = ThreadId(event.thread);
        match event.what {
            What::Read { .. } if event.is_blocked => {}
            What::Read { .. } if event.uses.is_some() && !builder.with_chains => self.build_use(builder, id),
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
                if event.uses.is_some() {
                    self.build_use(builder, id);
                }
            }
            What::Write { read: Some(_) } => {}
            What::Write { read: None } => {
                let loc = builder.location(Place::Object(event.object));
                let label = Label::Write { loc, value: builder.next_value(), mode: mode(event.order, false, true) };
                let number = builder.add(thread, label, None);
                builder.numbers.insert(id, number);
            }
            What::Spawn => builder.pass_on(thread, Place::Begin(id)),
            What::Begin { spawn: Some(spawn) } => builder.take_over(thread, Place::Begin(spawn)),
            What::Wake { by } => {
                let parts = event.uses.map_or(0, |uses| uses.orders.acquires);
                for released in self.released(event.object, parts, by) {
                    builder.take_over(thread, Place::Released(released));
                }
            }
            What::Join { thread: other, .. } => {
                let loc = builder.location(Place::End(other));
                if builder.order[loc.index()].is_empty() {
                    builder.pass_on(ThreadId(other), Place::End(other));
                }
                builder.take_over(thread, Place::End(other));
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
    /// Through which others get what a thread has released to an object.
    Released(Id),
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
    /// Are uses of objects accesses?
    with_chains: bool,
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

    fn pass_on(&mut self, thread: ThreadId, place: Place) {
        let loc = self.location(place);
        let label = Label::Write { loc, value: self.next_value(), mode: Mode::Rel };
        let number = self.add(thread, label, None);
        self.order[loc.index()].push(number);
    }

    fn take_over(&mut self, thread: ThreadId, place: Place) {
        let loc = self.location(place);
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
