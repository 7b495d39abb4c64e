//! Why the missed write comes before the access in every SC order: a path of hb_SC from the one to
//! the other.
//!
//! hb_SC is made of program order, reads-from, modification order and from-read, and of
//! synchronisation. Fences are no steps: it is what they stand beside that they order. The path that
//! needs the cheapest changes is taken: reads-from can be made to synchronise by release and acquire,
//! the others need SC.

use std::collections::HashMap;

use fencepost_protocol::record::{Op, Record};

use crate::trace::Trace;

/// A step of the path from one thread to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The record it starts at.
    pub(crate) from: usize,
    /// The record it leads to.
    pub(crate) to: usize,
    pub(crate) kind: EdgeKind,
}

impl Edge {
    /// Are its ends accesses, whose orders can be changed?
    pub(crate) fn is_access(&self) -> bool {
        self.kind != EdgeKind::Synchronisation
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EdgeKind {
    /// The one reads what the other wrote.
    ReadsFrom,
    /// The other comes later in modification order, or reads what does.
    Order,
    /// The one reads what the other overwrites.
    FromRead,
    /// Synchronisation that happens-before has too.
    Synchronisation,
}

impl EdgeKind {
    /// What it costs to make it happens-before, roughly.
    fn weight(self) -> u32 {
        match self {
            EdgeKind::Synchronisation => 0,
            EdgeKind::ReadsFrom => 2,
            EdgeKind::Order | EdgeKind::FromRead => 7,
        }
    }
}

/// How the write is known somewhere: at what cost, and by which step last.
#[derive(Clone, Copy)]
struct Known {
    weight: u32,
    /// The record that knows it.
    at: usize,
    /// The last step, in [`Search::steps`].
    step: Option<usize>,
}

#[derive(Default)]
struct Place {
    /// By the newest write.
    newest: Option<Known>,
    /// By any write.
    written: Option<Known>,
    /// By any read.
    read: Option<Known>,
}

/// What a step from one record to another costs, if it may be taken.
type Cost = fn(&Record, &Record, EdgeKind) -> Option<u32>;

struct Search<'a> {
    records: &'a [Record],
    cost: Cost,
    threads: HashMap<u32, Known>,
    places: HashMap<u64, Place>,
    objects: HashMap<u64, Known>,
    /// Edges with the step before each.
    steps: Vec<(Edge, Option<usize>)>,
}

/// The steps from `write` to `access` (two records); None if there is no path.
pub(crate) fn path(trace: &Trace, write: usize, access: usize) -> Option<Vec<Edge>> {
    cheapest(trace, write, access, |_, _, kind| Some(kind.weight()))
}

/// The same by steps that release and acquire can make happens-before: modification order and
/// from-read never are. What is there already costs least.
pub(crate) fn passage(trace: &Trace, from: usize, to: usize) -> Option<Vec<Edge>> {
    cheapest(trace, from, to, |from, to, kind| match kind {
        EdgeKind::Synchronisation => Some(0),
        EdgeKind::ReadsFrom => {
            let missing = [!from.order.releases(), !to.order.acquires()];
            Some(1 + 2 * missing.map(u32::from).iter().sum::<u32>())
        }
        EdgeKind::Order | EdgeKind::FromRead => None,
    })
}

fn cheapest(trace: &Trace, from: usize, to: usize, cost: Cost) -> Option<Vec<Edge>> {
    let mut search = Search {
        records: &trace.records,
        cost,
        threads: HashMap::new(),
        places: HashMap::new(),
        objects: HashMap::new(),
        steps: Vec::new(),
    };
    let first = trace.records.get(from)?;
    search.threads.insert(first.tid, Known { weight: 0, at: from, step: None });
    let target = trace.records.get(to)?.tid;
    for (number, record) in trace.records.iter().enumerate().take(to).skip(from) {
        search.record(number, record);
    }
    // The access itself learns nothing before it happens: the path ends in its thread.
    let mut step = search.threads.get(&target)?.step;
    let mut edges = Vec::new();
    while let Some(number) = step {
        let (edge, before) = search.steps[number];
        edges.push(edge);
        step = before;
    }
    edges.reverse();
    Some(edges)
}

impl Search<'_> {
    fn record(&mut self, number: usize, record: &Record) {
        match record.op {
            Op::Spawn => {
                if let (Some(known), Ok(child)) = (self.threads.get(&record.tid).copied(), u32::try_from(record.extra))
                {
                    // Program order and creation: nothing to strengthen.
                    self.threads.insert(child, known);
                }
            }
            Op::Join => {
                let child = u32::try_from(record.extra).ok().and_then(|child| self.threads.get(&child).copied());
                self.arrive(number, record.tid, child, EdgeKind::Synchronisation);
            }
            Op::Acquire => {
                let object = self.objects.get(&record.address).copied();
                self.arrive(number, record.tid, object, EdgeKind::Synchronisation);
            }
            Op::Release | Op::ReleaseJoin => {
                if let Some(here) = self.here(number, record.tid) {
                    self.objects.insert(record.address, here);
                }
            }
            Op::Reset => {
                self.places.remove(&record.address);
            }
            Op::Fence => {}
            _ => self.access(number, record),
        }
    }

    fn access(&mut self, number: usize, record: &Record) {
        let place = self.places.entry(record.address).or_default();
        let (newest, written, read) = (place.newest, place.written, place.read);
        if record.reads() {
            self.arrive(number, record.tid, newest, EdgeKind::ReadsFrom);
        }
        self.arrive(number, record.tid, written, EdgeKind::Order);
        if record.writes() {
            self.arrive(number, record.tid, read, EdgeKind::FromRead);
        }
        let here = self.here(number, record.tid);
        let place = self.places.entry(record.address).or_default();
        if record.writes() {
            place.newest = here;
            place.written = cheaper(place.written, here);
        } else {
            place.read = cheaper(place.read, here);
        }
    }

    /// What the thread knows, by this record.
    fn here(&self, number: usize, tid: u32) -> Option<Known> {
        self.threads.get(&tid).map(|known| Known { at: number, ..*known })
    }

    /// A thread learns of the write by a step, unless it knew at no higher cost.
    fn arrive(&mut self, number: usize, tid: u32, from: Option<Known>, kind: EdgeKind) {
        let Some(from) = from else { return };
        let Some(cost) = (self.cost)(&self.records[from.at], &self.records[number], kind) else { return };
        let weight = from.weight + cost;
        if self.threads.get(&tid).is_some_and(|known| known.weight <= weight) {
            return;
        }
        self.steps.push((Edge { from: from.at, to: number, kind }, from.step));
        let step = Some(self.steps.len() - 1);
        self.threads.insert(tid, Known { weight, at: number, step });
    }
}

fn cheaper(a: Option<Known>, b: Option<Known>) -> Option<Known> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.weight < a.weight { b } else { a }),
        (a, b) => a.or(b),
    }
}
