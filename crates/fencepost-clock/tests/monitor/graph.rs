//! The definition: the execution graph of the run, its part in the hb_SC-past of a thread, and the
//! writes behind which the axioms of the model let the thread's next access go although they are not
//! the newest there.
//!
//! What has no place in the axioms is written in terms of them: whatever one thread passes to
//! another (creation, end, release of an object) is a release store to a location of its own, which
//! the other loads with acquire.

use std::collections::BTreeMap;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_base::order::Mode;
use fencepost_clock::{MODEL, Order};
use fencepost_model::models::cpp20::hb;
use fencepost_model::models::sc::hb_sc;
use fencepost_model::{EventId, Graph, models};

use crate::probe::Way;
use crate::trace::{Kind, OBJECTS, Op};

fn mode(order: Order) -> Mode {
    match order {
        Order::Relaxed => Mode::Rlx,
        Order::Consume | Order::Acquire => Mode::Acq,
        Order::Release => Mode::Rel,
        Order::AcqRel => Mode::AcqRel,
        Order::SeqCst => Mode::Sc,
    }
}

fn label(loc: LocId, kind: Kind, mode: Mode, read: u32, written: u32) -> Label {
    match kind {
        Kind::Read => Label::Read { loc, value: read, mode },
        Kind::Write => Label::Write { loc, value: written, mode },
        Kind::Rmw => Label::Rmw { loc, read, written, mode },
    }
}

/// An older write behind which an access can go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stale {
    pub(crate) site: u32,
    pub(crate) value: u64,
}

/// For each kind and order of an access to one location, the older writes behind which it can go,
/// in modification order.
pub(crate) struct Windows {
    pub(crate) stale: BTreeMap<(Kind, Order), Vec<Stale>>,
    /// The call site of the newest write in the hb_SC-past.
    pub(crate) newest: u32,
}

/// The graph of a run.
pub(crate) struct Definition {
    graph: Graph,
    /// The step that an event is from.
    sites: Vec<u32>,
    /// The next location that nobody has used.
    unused: LocId,
    /// The locations with what was released and can still be acquired.
    objects: [Vec<LocId>; OBJECTS],
    time: u32,
}

impl Definition {
    /// For a run of these steps.
    pub(crate) fn new(locations: usize, ops: &[Op]) -> Self {
        let passes = ops.iter().filter(|op| matches!(op, Op::Spawn { .. } | Op::Join { .. } | Op::Release { .. }));
        let all = locations + passes.count();
        Definition {
            graph: Graph::initial(&vec![0; all]),
            sites: vec![0; all],
            unused: LocId::from_index(locations),
            objects: Default::default(),
            time: 0,
        }
    }

    fn access(&mut self, t: usize, loc: LocId, kind: Kind, mode: Mode, written: u32) {
        let newest = self.graph.last_write(loc);
        let read = self.graph.label(newest).value_written().expect("a write");
        self.event(t, label(loc, kind, mode, read, written), Some(newest));
    }

    fn event(&mut self, t: usize, label: Label, predecessor: Option<EventId>) {
        self.graph.add(ThreadId::from_index(t), label, predecessor, None);
        self.sites.push(self.time);
    }

    fn release(&mut self, t: usize) -> LocId {
        let loc = self.unused;
        self.unused = LocId::from_index(loc.index() + 1);
        self.access(t, loc, Kind::Write, Mode::Rel, 1);
        loc
    }

    fn acquire(&mut self, t: usize, loc: LocId) {
        self.access(t, loc, Kind::Read, Mode::Acq, 0);
    }

    /// Adds an access to `x` that takes the write of step `site` for the newest: it reads it, or
    /// comes right after it in modification order.
    pub(crate) fn stale_access(&mut self, t: usize, x: usize, kind: Kind, order: Order, written: u64, site: u32) {
        self.time += 1;
        let loc = LocId::from_index(x);
        let is_it = |&&write: &&EventId| self.sites[write.index()] == site;
        let write = *self.graph.writes(loc).iter().find(is_it).expect("a write of this step");
        let read = self.graph.label(write).value_written().expect("a write");
        self.event(t, label(loc, kind, mode(order), read, written as u32), Some(write));
    }

    /// Does the model permit the run, as it is now?
    pub(crate) fn is_permitted(&self) -> bool {
        models::by_name(MODEL).expect("the model that the monitor is for").permits(&self.graph)
    }

    /// Adds one step.
    pub(crate) fn step(&mut self, op: Op) {
        self.time += 1;
        match op {
            Op::Access { t, x, kind, order, value } => {
                self.access(t, LocId::from_index(x), kind, mode(order), value as u32);
            }
            Op::Fence { t, order } => self.event(t, Label::Fence { mode: mode(order) }, None),
            // A relaxed fence does nothing: it marks the place.
            Op::Plain { t } => self.event(t, Label::Fence { mode: Mode::Rlx }, None),
            Op::Spawn { t, child } => {
                let loc = self.release(t);
                self.acquire(child, loc);
            }
            Op::Join { t, child } => {
                let loc = self.release(child);
                self.acquire(t, loc);
            }
            Op::Acquire { t, object } => {
                for loc in self.objects[object].clone() {
                    self.acquire(t, loc);
                }
            }
            Op::Release { t, object, join } => {
                let loc = self.release(t);
                if !join {
                    self.objects[object].clear();
                }
                self.objects[object].push(loc);
            }
        }
    }

    /// Does the event of step `site` happen before a step that `t` would do now?
    pub(crate) fn happens_before_next(&self, site: u32, t: usize) -> bool {
        let event = self.graph.ids().find(|id| self.sites[id.index()] == site).expect("an event of this step");
        let mut graph = self.graph.clone();
        let next = graph.add(ThreadId::from_index(t), Label::Fence { mode: Mode::Rlx }, None, None);
        hb(&graph).contains(event, next)
    }

    /// The part of the graph in the hb_SC-past of `t`, with its sites.
    fn past(&self, t: usize) -> (Graph, Vec<u32>) {
        let thread = ThreadId::from_index(t);
        let hb_sc = hb_sc(&self.graph);
        let is_own = |id: EventId| self.graph.event(id).thread == Some(thread);
        let mut past = Graph::initial(&vec![0; self.graph.locations()]);
        let mut sites = self.sites[..past.len()].to_vec();
        for id in self.graph.ids().filter(|&id| !self.graph.is_init(id)) {
            if is_own(id) || hb_sc.successors(id).any(is_own) {
                let event = self.graph.event(id);
                let newest = event.label.loc().map(|loc| past.last_write(loc));
                past.add(event.thread.expect("not an initialisation"), event.label, newest, None);
                sites.push(self.sites[id.index()]);
            }
        }
        (past, sites)
    }

    /// Behind which older writes could `t` access `x` now, in one of these ways?
    pub(crate) fn windows(&self, t: usize, x: usize, ways: impl Iterator<Item = Way>) -> Windows {
        let model = models::by_name(MODEL).expect("the model that the monitor is for");
        let (past, sites) = self.past(t);
        let loc = LocId::from_index(x);
        let (&newest, older) = past.writes(loc).split_last().expect("the initial value");
        let mut stale = BTreeMap::new();
        for Way { kind, order, .. } in ways {
            stale.entry((kind, order)).or_insert_with(|| {
                let found = older.iter().filter_map(|&write| {
                    let value = past.label(write).value_written().expect("a write");
                    let mut extended = past.clone();
                    let access = label(loc, kind, mode(order), value, 0);
                    extended.add(ThreadId::from_index(t), access, Some(write), None);
                    let stale = Stale { site: sites[write.index()], value: value.into() };
                    model.permits(&extended).then_some(stale)
                });
                found.collect()
            });
        }
        Windows { stale, newest: sites[newest.index()] }
    }
}
