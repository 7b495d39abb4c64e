//! The clock monitor on a recorded run, as it was or with changes.
//!
//! What is modelled: everything the record has, and which values keep loops spinning. A wait is
//! taken to want the value that ended it. Changes apply to every record of their call site. The
//! result is exact for this run, within the bounds of the history; it says nothing about other
//! runs. When a fence that was not there would have been executed, the record cannot say. It makes
//! no difference: a fence changes what its own thread knows, and nobody else changes that.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fencepost_clock::{Access, Epochs, Finding, Limits, Location, Order, Slot, SyncObject, ThreadClocks};
use fencepost_protocol::record::{Op, Record};

use crate::path::Edge;
use crate::trace::Trace;

/// What to do differently, by call site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes(BTreeMap<u64, Change>);

/// What to do differently at a call site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) acquire: bool,
    pub(crate) release: bool,
    pub(crate) seq_cst: bool,
    pub(crate) fence_before: bool,
    pub(crate) fence_after: bool,
}

impl Change {
    fn order(self, order: Order) -> Order {
        let acquires = order.acquires() || self.acquire;
        let releases = order.releases() || self.release;
        match (acquires, releases) {
            _ if self.seq_cst || order.is_sc() => Order::SeqCst,
            (true, true) => Order::AcqRel,
            (true, false) => Order::Acquire,
            (false, true) => Order::Release,
            (false, false) => Order::Relaxed,
        }
    }
}

impl Changes {
    pub(crate) fn at(&mut self, pc: u64) -> &mut Change {
        self.0.entry(pc).or_default()
    }

    fn of(&self, pc: u64) -> Change {
        self.0.get(&pc).copied().unwrap_or_default()
    }
}

/// A violation: where, on which location, at which record; and the record of the write that may be
/// missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    pub(crate) pc: u64,
    pub(crate) address: u64,
    pub(crate) record: usize,
    /// None for the initial value.
    pub(crate) missed: Option<usize>,
}

impl Violation {
    /// The same in every evaluation.
    pub(crate) fn identity(&self) -> (u64, u64) {
        (self.pc, self.address)
    }
}

/// Every violation of the run with the changes, in order; `spins` are values that keep loops
/// spinning, by call site. None if the run has more threads than clocks can have.
pub(crate) fn violations(trace: &Trace, changes: &Changes, spins: &BTreeSet<(u64, u64)>) -> Option<Vec<Violation>> {
    let mut state = State::new(spins);
    let mut violations = Vec::new();
    for (number, record) in trace.records.iter().enumerate() {
        let change = changes.of(record.pc);
        if change.fence_before {
            state.fence_sc(record.tid)?;
        }
        violations.extend(state.step(number, record, change)?);
        if change.fence_after {
            state.fence_sc(record.tid)?;
        }
    }
    Some(violations)
}

/// The record by which epoch `epoch` of a thread has ended, if it has; its first epoch is 0. As in
/// the runtime, every write that is recorded ends one. The outer None: the thread has not come
/// so far.
pub(crate) fn end_of_epoch(trace: &Trace, tid: u32, epoch: u64) -> Option<Option<usize>> {
    let spins = BTreeSet::new();
    let mut state = State::new(&spins);
    let first = ThreadClocks::new(0, Epochs::default()).epoch();
    let last = first.checked_add(u32::try_from(epoch).ok()?)?;
    for (number, record) in trace.records.iter().enumerate() {
        state.step(number, record, Change::default())?;
        state.end_epoch_after(record, Change::default())?;
        if record.tid == tid && thread(&mut state.threads, tid)?.epoch() > last {
            return Some(Some(number));
        }
    }
    (thread(&mut state.threads, tid)?.epoch() == last).then_some(None)
}

/// With the changes: does what the thread of record `from` does right before it happen before
/// record `to`?
pub(crate) fn happens_before(trace: &Trace, changes: &Changes, from: usize, to: usize) -> Option<bool> {
    let spins = BTreeSet::new();
    let mut state = State::new(&spins);
    let mut known = None;
    for (number, record) in trace.records.iter().enumerate().take(to) {
        let change = changes.of(record.pc);
        if number == from {
            let t = thread(&mut state.threads, record.tid)?;
            known = Some((t.slot(), t.epoch()));
        }
        if change.fence_before {
            state.fence_sc(record.tid)?;
        }
        state.step(number, record, change)?;
        state.end_epoch_after(record, change)?;
        if change.fence_after {
            state.fence_sc(record.tid)?;
        }
    }
    let (slot, epoch) = known?;
    Some(thread(&mut state.threads, trace.records.get(to)?.tid)?.knows(slot, epoch))
}

/// How two accesses are to be ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ordered {
    /// The later one may not miss the earlier one.
    InModel,
    /// The earlier one happens before the later one.
    HappensBefore,
}

/// For each step of the path from one record to another: is what it stands for ordered? That is,
/// where the path leaves the thread that it enters, is the record by which the path came to the
/// thread before?
pub(crate) fn ordered(
    trace: &Trace,
    (first, last): (usize, usize),
    path: &[Edge],
    how: Ordered,
    spins: &BTreeSet<(u64, u64)>,
) -> Option<Vec<bool>> {
    let came: Vec<usize> = [first].into_iter().chain(path.iter().map(|edge| edge.to)).collect();
    let left: Vec<usize> = path.iter().skip(1).map(|edge| edge.from).chain([last]).collect();
    let mut state = State::new(spins);
    let mut known: HashMap<usize, (Slot, u32)> = HashMap::new();
    let mut ordered = vec![false; path.len()];
    for (number, record) in trace.records.iter().enumerate() {
        if came.contains(&number) {
            let t = thread(&mut state.threads, record.tid)?;
            known.insert(number, (t.slot(), t.epoch()));
        }
        // Where the path enters and leaves by the same access, what the access acquires counts.
        for stepped in [false, true] {
            let leaving = |&(step, edge): &(usize, &Edge)| left[step] == number && (edge.to == number) == stepped;
            for (step, _) in path.iter().enumerate().filter(leaving) {
                let &(slot, epoch) = known.get(&came[step])?;
                let was_sc = order_of(&trace.records[came[step]]).is_sc();
                let t = thread(&mut state.threads, record.tid)?;
                ordered[step] = match how {
                    Ordered::InModel => t.is_aware(order_of(record).is_sc(), slot, epoch, was_sc),
                    Ordered::HappensBefore => t.knows(slot, epoch),
                };
            }
            if !stepped {
                state.step(number, record, Change::default())?;
            }
        }
    }
    Some(ordered)
}

/// The order that the access had, be it that of a failure.
fn order_of(record: &Record) -> Order {
    match record.op {
        Op::CasStrong | Op::CasWeak if !record.success => record.failure,
        _ => record.order,
    }
}

/// Longer than the runtime's usual history: there is no hurry here.
const LIMITS: Limits = Limits { history: 64, sightings: 1024 };

struct State<'a> {
    spins: &'a BTreeSet<(u64, u64)>,
    threads: HashMap<u32, ThreadClocks>,
    locations: HashMap<u64, Location>,
    objects: HashMap<u64, SyncObject>,
}

impl<'a> State<'a> {
    fn new(spins: &'a BTreeSet<(u64, u64)>) -> Self {
        State { spins, threads: HashMap::new(), locations: HashMap::new(), objects: HashMap::new() }
    }

    fn fence_sc(&mut self, tid: u32) -> Option<()> {
        thread(&mut self.threads, tid)?.fence(Order::SeqCst);
        Some(())
    }

    /// A write that is recorded ends an epoch, even if it releases nothing.
    fn end_epoch_after(&mut self, record: &Record, change: Change) -> Option<()> {
        if record.writes() && !change.order(record.order).releases() {
            thread(&mut self.threads, record.tid)?.end_epoch();
        }
        Some(())
    }

    fn step(&mut self, number: usize, record: &Record, change: Change) -> Option<Option<Violation>> {
        let order = change.order(record.order);
        match record.op {
            Op::Fence => thread(&mut self.threads, record.tid)?.fence(order),
            Op::Acquire | Op::Release | Op::ReleaseJoin => {
                let t = thread(&mut self.threads, record.tid)?;
                let object = self.objects.entry(record.address).or_default();
                match record.op {
                    Op::Release => object.release(t),
                    Op::ReleaseJoin => object.release_join(t),
                    _ => object.acquire(t),
                }
            }
            Op::Spawn => {
                let child = u32::try_from(record.extra).ok()?;
                let slot = Slot::try_from(child).ok()?;
                // A damaged record may start a thread that is there already: what others know of it
                // must stay in its past.
                let epochs = self.threads.get(&child).map_or_else(Epochs::default, ThreadClocks::finished);
                let clocks = thread(&mut self.threads, record.tid)?.spawn(slot, epochs);
                self.threads.insert(child, clocks);
            }
            Op::Join => {
                let child = u32::try_from(record.extra).ok()?;
                if let Some(finished) = self.threads.get(&child).cloned() {
                    thread(&mut self.threads, record.tid)?.join(&finished);
                }
            }
            Op::Reset => {
                self.locations.insert(record.address, Location::new(record.value));
            }
            _ => return self.access(number, record, change, order),
        }
        Some(None)
    }

    fn access(&mut self, number: usize, record: &Record, change: Change, order: Order) -> Option<Option<Violation>> {
        let t = thread(&mut self.threads, record.tid)?;
        let failure = failure_order(change, record);
        // What memory held before, as far as the record tells.
        let before = match record.op {
            // A wait that is only about to read has the value it wants, not what is there.
            Op::Wait if !record.success => None,
            Op::Load | Op::Wait => Some(record.value),
            Op::Rmw => Some(record.extra),
            Op::CasStrong | Op::CasWeak | Op::BlockingCas if record.success || record.op == Op::BlockingCas => {
                Some(record.extra)
            }
            Op::CasStrong | Op::CasWeak => Some(record.value),
            _ => None,
        };
        let location =
            self.locations.entry(record.address).or_insert_with(|| Location::new(before.unwrap_or_default()));
        if let Some(before) = before.filter(|&before| before != location.newest_value()) {
            // Somebody has written out of sight: the runtime starts anew there, and so do we.
            location.reset(before);
        }
        let wanted = |value: u64| value == record.value;
        let access = match record.op {
            Op::Load => Access::Load,
            Op::Store => Access::Store,
            Op::Rmw => Access::Rmw,
            Op::CasWeak => Access::WeakCas { expected: record.extra, failure },
            Op::CasStrong => Access::StrongCas { expected: record.extra, failure },
            Op::Wait => Access::Wait { wanted: &wanted },
            _ => Access::BlockingCas { expected: record.extra },
        };
        let may_spin = matches!(record.op, Op::Load | Op::CasStrong | Op::CasWeak);
        let replaces = |value| record.op != Op::Load && value == record.extra;
        let spins = |value| self.spins.contains(&(record.pc, value)) && !replaces(value);
        let violation = match location.check(t, access, order) {
            Finding::Violation(window) if may_spin && window.stale.iter().all(|stale| spins(stale.value)) => None,
            Finding::Violation(window) => Some(Violation {
                pc: record.pc,
                address: record.address,
                record: number,
                // Sites are record numbers from 1 on.
                missed: (window.newest.site as usize).checked_sub(1),
            }),
            Finding::Clean | Finding::Cut => None,
        };
        let site = u32::try_from(number + 1).ok()?;
        match (record.reads(), record.writes()) {
            (true, true) => location.rmw(t, order, record.value, site, LIMITS),
            (false, _) => location.store(t, order, record.value, site, LIMITS),
            (true, false) if matches!(record.op, Op::CasStrong | Op::CasWeak) => location.load(t, failure, LIMITS),
            (true, false) => location.load(t, order, LIMITS),
        }
        Some(violation)
    }
}

/// A compare-and-swap that fails is a load: it can be made acquire or SC, not release.
fn failure_order(change: Change, record: &Record) -> Order {
    Change { release: false, ..change }.order(record.failure)
}

/// A thread; one that was never created was there from the start. Its number is its place in the
/// clocks.
fn thread(threads: &mut HashMap<u32, ThreadClocks>, tid: u32) -> Option<&mut ThreadClocks> {
    let slot = Slot::try_from(tid).ok()?;
    Some(threads.entry(tid).or_insert_with(|| ThreadClocks::new(slot, Epochs::default())))
}
