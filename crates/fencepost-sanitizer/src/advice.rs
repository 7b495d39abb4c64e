//! Which accesses to strengthen so that a violation goes away.
//!
//! Not from a paper. There is a path of hb_SC from the missed write to the access
//! ([`crate::path`]).
//!
//! 1. Every step of the path is strengthened: reads-from by release and acquire, the others by SC
//!    fences or SC accesses. Where a fence stands already, or on the way through a thread, it is
//!    strengthened. Where an SC fence stands, another one is useless.
//! 2. The recorded run is evaluated again with these edits at all their call sites
//!    ([`crate::replay`]).
//! 3. If the violation is still there, or another one has come, the path of that one is treated
//!    likewise.
//! 4. A set of edits is kept if the run no longer has the violation, and has no other one that it
//!    did not have before. Then edits that are not needed are dropped, the most expensive first.
//!
//! **Races** are treated likewise. What orders them is happens-before, so the path has only steps
//! that release and acquire can order ([`path::passage`]). If there is none, no order is too weak:
//! there is no synchronisation at all. Plain accesses are not recorded. The earlier one counts as
//! made right before the first record by which its thread could have passed it on, which is the
//! latest that it can have been.
//!
//! Sound for the recorded run, not for others: another run may need more. Not complete: there may
//! be cheaper changes that are not along these paths.

use std::collections::BTreeSet;

use fencepost_protocol::record::{Op, Record};
use fencepost_protocol::{Action, Order};

use crate::path::{self, Edge, EdgeKind};
use crate::replay::{self, Changes, Ordered, Violation};
use crate::stream::{Race, Report, Robustness};
use crate::trace::{self, Neighbours, Trace};

/// Records to evaluate at most, over all candidates: beyond, advice would keep the program waiting.
const EFFORT: usize = 20_000_000;

/// What the recorded run says about a violation or a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Analysis {
    /// The missed write, if it is recorded.
    pub(crate) missed: Option<Record>,
    /// The steps by which the missed write, or the other access, comes before the access, that the
    /// model does not order: source, target, kind. Of a race there are none if nothing leads from
    /// the one access to the other.
    pub(crate) edges: Vec<(Record, Record, EdgeKind)>,
    /// What to change.
    pub(crate) edits: Vec<Edit>,
    /// Does that remove the violation, or the race? Otherwise it is only where to begin.
    pub(crate) reevaluated: bool,
}

/// A change at a call site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edit {
    pub(crate) pc: u64,
    /// What the access is called.
    pub(crate) op: &'static str,
    pub(crate) what: What,
    /// A compare-and-swap that has this order when it succeeds.
    pub(crate) failure: bool,
}

/// From cheap to expensive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    Acquire,
    Release,
    SeqCst,
    /// A fence that is there becomes SC.
    StrongerFence,
    FenceBefore,
    FenceAfter,
}

impl What {
    fn cost(self) -> u32 {
        match self {
            What::Acquire | What::Release => 1,
            What::SeqCst => 3,
            What::StrongerFence => 5,
            What::FenceBefore | What::FenceAfter => 7,
        }
    }
}

impl Edit {
    fn new(record: &Record, what: What) -> Edit {
        let failure = is_cas(record) && has(record.order, what);
        Edit { pc: record.pc, op: trace::name(record), what, failure }
    }

    /// What to do for `what` at a record; None if it is there already. `next` is what the thread
    /// does on the side where a fence would stand.
    fn at(record: &Record, what: What, next: Option<&Record>) -> Option<Edit> {
        match (what, next.filter(|next| next.op == Op::Fence && next.tid == record.tid)) {
            (What::FenceBefore | What::FenceAfter, Some(fence)) => {
                (!fence.order.is_sc()).then(|| Edit::new(fence, What::StrongerFence))
            }
            _ => {
                // What fails does not write, and cannot release.
                let fails = is_cas(record) && what != What::Release;
                let there = has(record.order, what) && (!fails || has(record.failure, what));
                (!there).then(|| Edit::new(record, what))
            }
        }
    }

    /// A phrase.
    pub(crate) fn phrase(&self) -> String {
        let order = match self.what {
            What::Acquire => "acquire",
            What::Release => "release",
            What::SeqCst | What::StrongerFence => "seq_cst",
            What::FenceBefore => return format!("put a seq_cst fence before the {}", self.op),
            What::FenceAfter => return format!("put a seq_cst fence after the {}", self.op),
        };
        format!("make the {} {order}{}", self.op, if self.failure { " on failure too" } else { "" })
    }
}

/// Is the order as strong as an edit would make it?
fn has(order: Order, what: What) -> bool {
    match what {
        What::Acquire => order.acquires(),
        What::Release => order.releases(),
        What::SeqCst => order.is_sc(),
        What::StrongerFence | What::FenceBefore | What::FenceAfter => false,
    }
}

fn is_cas(record: &Record) -> bool {
    matches!(record.op, Op::CasStrong | Op::CasWeak)
}

/// Looks for advice in a recorded run, where `spins` are values that keep loops spinning, by call
/// site. None if the run does not show the violation.
pub(crate) fn analyse(
    mut trace: Trace,
    report: &Report,
    violation: &Robustness,
    spins: &BTreeSet<(u64, u64)>,
) -> Option<Analysis> {
    append_access(&mut trace, report, violation)?;
    let pc = *report.stack.first()?;
    let baseline = replay::violations(&trace, &Changes::default(), spins)?;
    let same = |violation: &&Violation| violation.identity() == (pc, report.addr);
    let violation = *baseline.iter().rfind(same)?;
    let known: BTreeSet<(u64, u64)> = baseline.iter().map(Violation::identity).collect();
    let neighbours = trace.neighbours();
    let judge = Judge { trace: &trace, neighbours: &neighbours, spins, target: violation.identity(), known };

    let weak = judge.weak(&violation)?;

    let mut best: Option<Vec<Edit>> = None;
    let mut left = evaluations(&trace);
    for strategy in [Strategy::Synchronise, Strategy::SeqCst, Strategy::Fences, Strategy::Between, Strategy::Ends] {
        if let Some(edits) = judge.grown(strategy, violation, &mut left)
            && best.as_ref().is_none_or(|best| cost(&edits) < cost(best))
        {
            best = Some(edits);
        }
    }
    let reevaluated = best.is_some();
    let edits = best.unwrap_or_else(|| {
        let mut edits = Vec::new();
        judge.add(Strategy::Ends, &violation, &mut edits);
        edits
    });
    let missed = violation.missed.map(|missed| trace.records[missed]);
    Some(Analysis { missed, edges: weak, edits, reevaluated })
}

/// Looks in a recorded run for what would order two accesses that race. None if the run does not
/// show the race.
pub(crate) fn analyse_race(mut trace: Trace, report: &Report, race: &Race) -> Option<Analysis> {
    let [earlier, later] = [race.tid, report.tid].map(|tid| u32::try_from(tid).ok());
    let moment = race.moment.as_ref()?;
    let nothing = Analysis { missed: None, edges: Vec::new(), edits: Vec::new(), reevaluated: false };
    // Else the thread has done nothing since that others could learn of.
    let Some(from) = replay::end_of_epoch(&trace, earlier?, moment.epoch)? else { return Some(nothing) };
    let to = trace.records.len();
    trace.records.push(nothing_but(later?, moment.time));
    let orders = |edits: &[Edit]| replay::happens_before(&trace, &changes(edits), from, to);
    if orders(&[])? {
        return None;
    }
    let Some(path) = path::passage(&trace, from, to) else { return Some(nothing) };
    let at = |number: usize| trace.records[number];
    let ordered = replay::ordered(&trace, (from, to), &path, Ordered::HappensBefore, &BTreeSet::new())?;
    let edges = weak(&path, &ordered).into_iter().map(|edge| (at(edge.from), at(edge.to), edge.kind)).collect();

    let mut edits = Vec::new();
    for edge in path.iter().filter(|edge| edge.is_access()) {
        for (number, what) in [(edge.from, What::Release), (edge.to, What::Acquire)] {
            edits.extend(Edit::at(&at(number), what, None).filter(|edit| !edits.contains(edit)));
        }
    }
    let mut left = evaluations(&trace);
    let reevaluated = orders(&edits)?;
    if reevaluated {
        edits = reduced(edits, |fewer| {
            left = left.saturating_sub(1);
            left > 0 && orders(fewer) == Some(true)
        });
    }
    Some(Analysis { missed: None, edges, edits, reevaluated })
}

/// What stands for a plain access in a trace.
fn nothing_but(tid: u32, time: u64) -> Record {
    let (op, order) = (Op::Fence, Order::Relaxed);
    Record { time, address: 0, value: 0, pc: 0, extra: 0, tid, op, order, failure: order, success: true }
}

/// What to try without a recorded run: fences close to both ends, by a rule of thumb.
pub(crate) fn rule_of_thumb(report: &Report, newest_pc: Option<u64>) -> Vec<Edit> {
    let fence = |pc: u64, op, what| Edit { pc, op, what, failure: false };
    let access = report.stack.first().map(|&pc| fence(pc, "access", What::FenceBefore));
    newest_pc.map(|pc| fence(pc, "write", What::FenceAfter)).into_iter().chain(access).collect()
}

/// The access that is reported may not be recorded yet.
fn append_access(trace: &mut Trace, report: &Report, violation: &Robustness) -> Option<()> {
    let pc = *report.stack.first()?;
    let tid = u32::try_from(report.tid).ok()?;
    let there = |record: &Record| record.time >= violation.time && record.pc == pc && record.tid == tid;
    if trace.records.iter().rev().take_while(|record| record.time >= violation.time).any(there) {
        return Some(());
    }
    let op = match report.op {
        Action::Load => Op::Load,
        Action::Store => Op::Store,
        Action::Wait => Op::Wait,
        Action::BlockingCas => Op::BlockingCas,
        Action::CasWeak => Op::CasWeak,
        Action::CasStrong => Op::CasStrong,
        _ => Op::Rmw,
    };
    let newest = trace.records.iter().rev().find(|record| record.address == report.addr && record.writes());
    let before = newest.map_or(0, |record| record.value);
    let expected = violation.expected.unwrap_or(before);
    let wanted = violation.stale.last().map_or(before, |write| write.value);
    trace.records.push(Record {
        time: violation.time,
        address: report.addr,
        value: if op == Op::Wait { wanted } else { before },
        pc,
        extra: if op == Op::Rmw { before } else { expected },
        tid,
        op,
        order: violation.order,
        failure: violation.failure.unwrap_or_default(),
        success: false,
    });
    Some(())
}

/// What to do about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strategy {
    /// Release and acquire where they are enough, else fences.
    Synchronise,
    /// All its accesses SC.
    SeqCst,
    /// Fences at every step.
    Fences,
    /// A fence wherever the path goes through a thread: one that is there, made stronger, or a new
    /// one.
    Between,
    /// Fences next to the missed write and the access.
    Ends,
}

/// Violations to look at before a strategy is given up.
const ROUNDS: usize = 8;

struct Judge<'a> {
    trace: &'a Trace,
    neighbours: &'a [Neighbours],
    spins: &'a BTreeSet<(u64, u64)>,
    target: (u64, u64),
    known: BTreeSet<(u64, u64)>,
}

impl Judge<'_> {
    /// How the missed write comes before the access.
    fn path(&self, violation: &Violation) -> Vec<Edge> {
        let missed = violation.missed.and_then(|missed| path::path(self.trace, missed, violation.record));
        missed.unwrap_or_default()
    }

    /// The steps by which it does that the model does not order.
    fn weak(&self, violation: &Violation) -> Option<Vec<(Record, Record, EdgeKind)>> {
        let path = self.path(violation);
        let ordered = match violation.missed {
            Some(missed) => {
                let ends = (missed, violation.record);
                replay::ordered(self.trace, ends, &path, Ordered::InModel, self.spins)?
            }
            None => Vec::new(),
        };
        let at = |number: usize| self.trace.records[number];
        Some(weak(&path, &ordered).into_iter().map(|edge| (at(edge.from), at(edge.to), edge.kind)).collect())
    }

    /// Adds edits for a violation and its path; false if there is nothing to add.
    fn add(&self, strategy: Strategy, violation: &Violation, edits: &mut Vec<Edit>) -> bool {
        if strategy == Strategy::Between {
            return self.add_between(violation, edits);
        }
        let before = edits.len();
        let mut add = |number: usize, what: What| {
            let Neighbours { before, after } = self.neighbours[number];
            let next = if what == What::FenceBefore { before } else { after };
            let edit = Edit::at(&self.trace.records[number], what, next.map(|next| &self.trace.records[next]));
            edits.extend(edit.filter(|edit| !edits.contains(edit)));
        };
        for edge in self.path(violation).iter().filter(|edge| edge.is_access()) {
            let (at_source, at_target) = match (strategy, edge.kind) {
                (Strategy::Between | Strategy::Ends, _) => continue,
                (Strategy::SeqCst, _) => (What::SeqCst, What::SeqCst),
                (Strategy::Synchronise, EdgeKind::ReadsFrom) => (What::Release, What::Acquire),
                (Strategy::Synchronise | Strategy::Fences, _) => (What::FenceBefore, What::FenceAfter),
            };
            add(edge.from, at_source);
            add(edge.to, at_target);
        }
        for (number, fence) in [(violation.missed, What::FenceAfter), (Some(violation.record), What::FenceBefore)] {
            match (strategy, number) {
                (Strategy::SeqCst, Some(number)) => add(number, What::SeqCst),
                (Strategy::Ends, Some(number)) => add(number, fence),
                _ => {}
            }
        }
        edits.len() > before
    }

    /// The same for [`Strategy::Between`].
    fn add_between(&self, violation: &Violation, edits: &mut Vec<Edit>) -> bool {
        let before = edits.len();
        let mut arrived = violation.missed;
        let path = self.path(violation);
        for (leaves, next) in path.iter().map(|edge| (edge.from, Some(edge.to))).chain([(violation.record, None)]) {
            if let Some(arrived) = arrived.filter(|&arrived| arrived < leaves) {
                let edit = match self.fence_between(arrived, leaves) {
                    Some(fence) if fence.order.is_sc() => None,
                    Some(fence) => Some(Edit::new(fence, What::StrongerFence)),
                    None => Some(Edit::new(&self.trace.records[leaves], What::FenceBefore)),
                };
                edits.extend(edit.filter(|edit| !edits.contains(edit)));
            }
            arrived = next;
        }
        edits.len() > before
    }

    /// The last fence between two records of a thread, an SC fence if there is one.
    fn fence_between(&self, first: usize, last: usize) -> Option<&Record> {
        let before = |number: &usize| self.neighbours[*number].before.filter(|&before| before > first);
        let between = std::iter::successors(before(&last), before).map(|number| &self.trace.records[number]);
        let fences = between.filter(|record| record.op == Op::Fence && record.tid == self.trace.records[last].tid);
        fences.min_by_key(|fence| !fence.order.is_sc())
    }

    /// Edits that help, by this strategy; None if it does not lead to any.
    fn grown(&self, strategy: Strategy, first: Violation, left: &mut usize) -> Option<Vec<Edit>> {
        let mut edits = Vec::new();
        let mut violation = first;
        for _ in 0..ROUNDS {
            if !self.add(strategy, &violation, &mut edits) {
                return None;
            }
            match self.still_wrong(&edits, left)? {
                None => return Some(reduced(edits, |fewer| self.still_wrong(fewer, left) == Some(None))),
                Some(next) => violation = next,
            }
        }
        None
    }

    /// With these edits: the violation if it is still there, or one that was not there before. The
    /// outer None: nobody knows.
    fn still_wrong(&self, edits: &[Edit], left: &mut usize) -> Option<Option<Violation>> {
        *left = left.checked_sub(1)?;
        let violations = replay::violations(self.trace, &changes(edits), self.spins)?;
        let wrong = |violation: &Violation| {
            let found = violation.identity();
            found == self.target || !self.known.contains(&found)
        };
        Some(violations.into_iter().find(wrong))
    }
}

/// How often a trace may be evaluated.
fn evaluations(trace: &Trace) -> usize {
    (EFFORT / trace.records.len().max(1)).max(16)
}

/// The steps of a path that are not ordered, as far as that is known. Each of them may be for
/// itself, and not all of them together: then all of them.
fn weak<'a>(path: &'a [Edge], ordered: &[bool]) -> Vec<&'a Edge> {
    let all = || path.iter().filter(|edge| edge.is_access());
    let unordered = path.iter().zip(ordered).filter(|(edge, ordered)| edge.is_access() && !**ordered);
    let unordered: Vec<&Edge> = unordered.map(|(edge, _)| edge).collect();
    if unordered.is_empty() { all().collect() } else { unordered }
}

/// The edits that are needed, of some that help.
fn reduced(mut edits: Vec<Edit>, mut helps: impl FnMut(&[Edit]) -> bool) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.what.cost(), *edit));
    for number in (0..edits.len()).rev() {
        let mut fewer = edits.clone();
        fewer.remove(number);
        if !fewer.is_empty() && helps(&fewer) {
            edits = fewer;
        }
    }
    edits
}

/// The edits, as an evaluation wants them.
fn changes(edits: &[Edit]) -> Changes {
    let mut changes = Changes::default();
    for edit in edits {
        let change = changes.at(edit.pc);
        match edit.what {
            What::Acquire => change.acquire = true,
            What::Release => change.release = true,
            What::SeqCst | What::StrongerFence => change.seq_cst = true,
            What::FenceBefore => change.fence_before = true,
            What::FenceAfter => change.fence_after = true,
        }
    }
    changes
}

fn cost(edits: &[Edit]) -> u32 {
    edits.iter().map(|edit| edit.what.cost()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Found, Memory, Moment, Unknown, Write};

    const X: u64 = 0x100;
    const Y: u64 = 0x200;
    /// Initialised by the main thread before it creates threads 2 and 3.
    fn start() -> Trace {
        let mut trace = Trace::default();
        add(&mut trace, 1, 1, Op::Store, X, 0, Order::Relaxed);
        add(&mut trace, 1, 2, Op::Store, Y, 0, Order::Relaxed);
        for child in [2, 3] {
            add(&mut trace, 1, 3, Op::Spawn, 0, 0, Order::Relaxed);
            trace.records.last_mut().expect("it was added").extra = child;
        }
        trace
    }

    fn add(trace: &mut Trace, tid: u32, pc: u64, op: Op, address: u64, value: u64, order: Order) {
        let time = trace.records.len() as u64 + 1;
        let failure = Order::Relaxed;
        trace.records.push(Record { time, address, value, pc, extra: 0, tid, op, order, failure, success: true });
    }

    /// What the runtime says of a relaxed access.
    fn reported(tid: u64, pc: u64, addr: u64, op: Action, time: u64) -> (Report, Robustness) {
        let violation = Robustness {
            order: Order::Relaxed,
            failure: None,
            expected: None,
            time,
            newest: Write { value: 1, by: None },
            stale: Vec::new(),
            cut: false,
            complete: true,
        };
        let found = Found::Robustness(violation.clone());
        let memory = Memory::Unknown(Unknown {});
        (Report { tid, addr, size: 4, op, stack: vec![pc], memory, found }, violation)
    }

    fn analyse(trace: Trace, reported: &(Report, Robustness), spins: &BTreeSet<(u64, u64)>) -> Option<Analysis> {
        super::analyse(trace, &reported.0, &reported.1, spins)
    }

    fn phrases(analysis: &Analysis) -> Vec<(u64, String)> {
        let mut phrases: Vec<_> = analysis.edits.iter().map(|edit| (edit.pc, edit.phrase())).collect();
        phrases.sort();
        phrases
    }

    #[test]
    fn message_passing_wants_release_and_acquire() {
        for recorded in [true, false] {
            let mut trace = start();
            add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
            add(&mut trace, 2, 12, Op::Store, Y, 1, Order::Relaxed);
            add(&mut trace, 3, 13, Op::Load, Y, 1, Order::Relaxed);
            if recorded {
                add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
            }
            let analysis =
                analyse(trace, &reported(3, 14, X, Action::Load, 8), &BTreeSet::new()).expect("the run shows it");
            let edge = analysis.edges[0];
            assert_eq!((edge.0.pc, edge.1.pc, edge.2), (12, 13, EdgeKind::ReadsFrom));
            let wanted = [(12, "make the store release".to_string()), (13, "make the load acquire".to_string())];
            assert_eq!(phrases(&analysis), wanted);
        }
    }

    #[test]
    fn what_is_there_already_is_not_suggested() {
        let mut trace = start();
        add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
        add(&mut trace, 2, 12, Op::Store, Y, 1, Order::Release);
        add(&mut trace, 3, 13, Op::Load, Y, 1, Order::Relaxed);
        add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
        let analysis =
            analyse(trace, &reported(3, 14, X, Action::Load, 8), &BTreeSet::new()).expect("the run shows it");
        assert_eq!(phrases(&analysis), [(13, "make the load acquire".to_string())]);
    }

    #[test]
    fn store_buffering_wants_seq_cst() {
        let mut trace = start();
        add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
        add(&mut trace, 2, 12, Op::Load, Y, 0, Order::Relaxed);
        add(&mut trace, 3, 13, Op::Store, Y, 1, Order::Relaxed);
        add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
        let analysis =
            analyse(trace, &reported(3, 14, X, Action::Load, 8), &BTreeSet::new()).expect("the run shows it");
        assert_eq!(analysis.edges[0].2, EdgeKind::FromRead);
        let wanted = [(11, "store"), (12, "load"), (13, "store"), (14, "load")];
        assert_eq!(phrases(&analysis), wanted.map(|(pc, op)| (pc, format!("make the {op} seq_cst"))));
    }

    #[test]
    fn one_access_that_is_not_seq_cst_is_found() {
        let mut trace = start();
        add(&mut trace, 2, 11, Op::Store, X, 1, Order::SeqCst);
        add(&mut trace, 2, 12, Op::Load, Y, 0, Order::SeqCst);
        add(&mut trace, 3, 13, Op::Store, Y, 1, Order::SeqCst);
        add(&mut trace, 3, 14, Op::Load, X, 1, Order::Acquire);
        let analysis =
            analyse(trace, &reported(3, 14, X, Action::Load, 8), &BTreeSet::new()).expect("the run shows it");
        assert_eq!(phrases(&analysis), [(14, "make the load seq_cst".to_string())]);
    }

    #[test]
    fn fences_that_are_there_are_strengthened() {
        let mut trace = start();
        add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
        add(&mut trace, 2, 21, Op::Fence, 0, 0, Order::AcqRel);
        add(&mut trace, 2, 12, Op::Load, Y, 0, Order::Relaxed);
        add(&mut trace, 3, 13, Op::Store, Y, 1, Order::Relaxed);
        add(&mut trace, 3, 22, Op::Fence, 0, 0, Order::Release);
        // Something was forgotten, which is nothing that the thread did.
        add(&mut trace, 3, 0, Op::Reset, 0x300, 0, Order::Relaxed);
        add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
        let analysis =
            analyse(trace, &reported(3, 14, X, Action::Load, 11), &BTreeSet::new()).expect("the run shows it");
        assert!(analysis.reevaluated);
        assert_eq!(phrases(&analysis), [21, 22].map(|pc| (pc, "make the fence seq_cst".to_string())));
    }

    /// As in a deque: between the store and the load of thread 3 there are other accesses, and its
    /// fence stands at the load.
    #[test]
    fn fences_are_strengthened_where_they_are() {
        let mut trace = start();
        add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
        add(&mut trace, 2, 12, Op::Load, 0x300, 0, Order::Relaxed);
        add(&mut trace, 2, 21, Op::Fence, 0, 0, Order::AcqRel);
        add(&mut trace, 2, 13, Op::Load, Y, 0, Order::Relaxed);
        add(&mut trace, 3, 14, Op::Store, Y, 1, Order::Relaxed);
        add(&mut trace, 3, 15, Op::Store, 0x300, 1, Order::Relaxed);
        add(&mut trace, 3, 22, Op::Fence, 0, 0, Order::AcqRel);
        add(&mut trace, 3, 16, Op::Load, X, 1, Order::Relaxed);
        let time = trace.records.len() as u64;
        let analysis =
            analyse(trace, &reported(3, 16, X, Action::Load, time), &BTreeSet::new()).expect("the run shows it");
        assert_eq!(phrases(&analysis), [21, 22].map(|pc| (pc, "make the fence seq_cst".to_string())));
    }

    /// The analysis of what the load of X by thread 4, the last step, shows; and the steps that the
    /// model does not order.
    fn of_last_load(trace: Trace) -> (Analysis, Vec<(u64, u64, EdgeKind)>) {
        let time = trace.records.len() as u64;
        let analysis =
            analyse(trace, &reported(4, 16, X, Action::Load, time), &BTreeSet::new()).expect("the run shows it");
        let weak = analysis.edges.iter().map(|edge| (edge.0.pc, edge.1.pc, edge.2)).collect();
        (analysis, weak)
    }

    /// Message passing from 2 to 3, store buffering between 3 and 4. The fence of thread 4 does not
    /// help, because thread 3 passes on nothing. A second fence beside it would not help either.
    #[test]
    fn no_fence_is_put_beside_a_fence() {
        let mut trace = start();
        add(&mut trace, 1, 3, Op::Spawn, 0, 0, Order::Relaxed);
        trace.records.last_mut().expect("it was added").extra = 4;
        add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
        add(&mut trace, 2, 12, Op::Store, 0x300, 1, Order::Relaxed);
        add(&mut trace, 3, 13, Op::Load, 0x300, 1, Order::Relaxed);
        add(&mut trace, 3, 14, Op::Load, Y, 0, Order::Relaxed);
        add(&mut trace, 4, 15, Op::Store, Y, 1, Order::Relaxed);
        add(&mut trace, 4, 21, Op::Fence, 0, 0, Order::SeqCst);
        add(&mut trace, 2, 22, Op::Fence, 0, 0, Order::SeqCst);
        add(&mut trace, 4, 16, Op::Load, X, 1, Order::Relaxed);
        let (spins, neighbours) = (BTreeSet::new(), trace.neighbours());
        let violations = replay::violations(&trace, &Changes::default(), &spins).expect("few threads");
        let [violation] = violations[..] else { panic!("one violation: {violations:?}") };
        let target = violation.identity();
        let judge =
            Judge { trace: &trace, neighbours: &neighbours, spins: &spins, target, known: BTreeSet::from([target]) };
        let mut edits = Vec::new();
        judge.add(Strategy::Ends, &violation, &mut edits);
        let after = Edit { pc: 11, op: "store", what: What::FenceAfter, failure: false };
        assert_eq!(edits, [after], "nothing beside the fence of thread 4");
        let beside = Edit { pc: 16, op: "load", what: What::FenceBefore, failure: false };
        for useless in [after, beside] {
            assert_eq!(judge.still_wrong(&[useless], &mut 9), Some(Some(violation)));
        }
        let between = Edit { pc: 14, op: "load", what: What::FenceBefore, failure: false };
        assert_eq!(judge.still_wrong(&[after, between], &mut 9), Some(None));
        let (analysis, weak) = of_last_load(trace);
        assert_eq!(weak, [(12, 13, EdgeKind::ReadsFrom), (14, 15, EdgeKind::FromRead)]);
        // The new fence acquires what is released to the load before it.
        let wanted = [(12, "make the store release"), (14, "put a seq_cst fence before the load")];
        assert_eq!(phrases(&analysis), wanted.map(|(pc, phrase)| (pc, phrase.to_string())));
    }

    /// Store buffering between a thread with an SC fence and one without. SC accesses in the other
    /// thread are enough, and cheaper than a second fence.
    #[test]
    fn sc_accesses_go_with_an_sc_fence() {
        let mut trace = start();
        add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
        add(&mut trace, 2, 21, Op::Fence, 0, 0, Order::SeqCst);
        add(&mut trace, 2, 12, Op::Load, Y, 0, Order::Relaxed);
        add(&mut trace, 3, 13, Op::Store, Y, 1, Order::Relaxed);
        add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
        let analysis =
            analyse(trace, &reported(3, 14, X, Action::Load, 9), &BTreeSet::new()).expect("the run shows it");
        assert!(analysis.reevaluated);
        let wanted = [(13, "make the store seq_cst"), (14, "make the load seq_cst")];
        assert_eq!(phrases(&analysis), wanted.map(|(pc, phrase)| (pc, phrase.to_string())));
    }

    /// Message passing that works, then store buffering: the step that is ordered is not blamed.
    #[test]
    fn steps_that_are_ordered_are_not_shown() {
        let mut trace = start();
        add(&mut trace, 1, 3, Op::Spawn, 0, 0, Order::Relaxed);
        trace.records.last_mut().expect("it was added").extra = 4;
        add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
        add(&mut trace, 2, 12, Op::Store, 0x300, 1, Order::Relaxed);
        add(&mut trace, 3, 13, Op::Load, 0x300, 1, Order::Relaxed);
        add(&mut trace, 3, 21, Op::Fence, 0, 0, Order::SeqCst);
        add(&mut trace, 3, 14, Op::Load, Y, 0, Order::Relaxed);
        add(&mut trace, 4, 15, Op::Store, Y, 1, Order::Relaxed);
        add(&mut trace, 4, 22, Op::Fence, 0, 0, Order::SeqCst);
        add(&mut trace, 4, 16, Op::Load, X, 1, Order::Relaxed);
        let (analysis, weak) = of_last_load(trace);
        assert_eq!(weak, [(12, 13, EdgeKind::ReadsFrom)]);
        // The fence of thread 3 acquires what is released to its load.
        assert_eq!(phrases(&analysis), [(12, "make the store release".to_string())]);
    }

    #[test]
    fn a_compare_and_swap_that_is_too_weak_when_it_fails() {
        let mut trace = start();
        add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
        add(&mut trace, 2, 12, Op::Store, Y, 1, Order::Release);
        add(&mut trace, 3, 13, Op::CasStrong, Y, 1, Order::AcqRel);
        trace.records.last_mut().expect("it was added").success = false;
        add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
        let analysis =
            analyse(trace, &reported(3, 14, X, Action::Load, 8), &BTreeSet::new()).expect("the run shows it");
        assert_eq!(phrases(&analysis), [(13, "make the compare-and-swap acquire on failure too".to_string())]);
    }

    #[test]
    fn locks_and_joins_are_no_links() {
        let mut trace = start();
        add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
        add(&mut trace, 2, 20, Op::Release, 0x300, 0, Order::Relaxed);
        add(&mut trace, 3, 21, Op::Acquire, 0x300, 0, Order::Relaxed);
        add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
        assert_eq!(
            analyse(trace, &reported(3, 14, X, Action::Load, 8), &BTreeSet::new()),
            None,
            "no violation: the lock orders them"
        );
    }

    #[test]
    fn values_that_keep_spinning_are_no_violation() {
        let mut trace = start();
        add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
        add(&mut trace, 2, 12, Op::Store, Y, 1, Order::Relaxed);
        add(&mut trace, 3, 13, Op::Load, Y, 1, Order::Relaxed);
        add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
        let spins = |value| BTreeSet::from([(14, value)]);
        assert_eq!(analyse(trace.clone(), &reported(3, 14, X, Action::Load, 8), &spins(0)), None);
        assert!(analyse(trace, &reported(3, 14, X, Action::Load, 8), &spins(5)).is_some());
    }

    #[test]
    fn a_wait_that_can_end_too_early() {
        let mut trace = start();
        add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
        add(&mut trace, 2, 12, Op::Store, Y, 1, Order::Relaxed);
        add(&mut trace, 3, 13, Op::Load, Y, 1, Order::Relaxed);
        let mut wait = reported(3, 14, X, Action::Wait, 8);
        wait.1.stale.push(Write { value: 0, by: None });
        let analysis = analyse(trace, &wait, &BTreeSet::new()).expect("the run shows it");
        assert_eq!(phrases(&analysis).len(), 2);
    }

    #[test]
    fn a_run_that_does_not_show_it_gives_no_advice() {
        assert_eq!(analyse(start(), &reported(3, 14, X, Action::Load, 8), &BTreeSet::new()), None);
        let thumb = rule_of_thumb(&reported(3, 14, X, Action::Load, 8).0, Some(11));
        assert_eq!(thumb.iter().map(Edit::phrase).collect::<Vec<_>>().len(), 2);
    }

    /// What the runtime says of a plain access of `later` that races with one of `earlier`, made in
    /// this epoch of it.
    fn racing(earlier: u64, epoch: u64, later: u64) -> (Report, Race) {
        let moment = Some(Moment { time: 100, epoch });
        let race = Race { op: Action::Write, tid: earlier, addr: X, size: 4, stack: vec![31], moment };
        let memory = Memory::Unknown(Unknown {});
        let found = Found::Race(race.clone());
        (Report { tid: later, addr: X, size: 4, op: Action::Read, stack: vec![32], memory, found }, race)
    }

    fn of_race(trace: &Trace, (report, race): &(Report, Race)) -> Option<Analysis> {
        analyse_race(trace.clone(), report, race)
    }

    /// A plain access between the first and the second store of thread 2 is in its epoch 1.
    #[test]
    fn a_race_wants_release_and_acquire_where_they_are_missing() {
        for [store, load] in [Order::Relaxed, Order::Release]
            .into_iter()
            .flat_map(|store| [Order::Relaxed, Order::Acquire].map(|load| [store, load]))
        {
            let mut trace = start();
            add(&mut trace, 2, 11, Op::Store, 0x300, 1, Order::Relaxed);
            add(&mut trace, 2, 12, Op::Store, Y, 1, store);
            add(&mut trace, 3, 13, Op::Load, Y, 1, load);
            let analysis = of_race(&trace, &racing(2, 1, 3));
            let missing =
                [(12, "make the store release", store.releases()), (13, "make the load acquire", load.acquires())];
            let wanted: Vec<_> =
                missing.iter().filter(|edit| !edit.2).map(|edit| (edit.0, edit.1.to_string())).collect();
            match analysis {
                None => assert!(wanted.is_empty(), "there is no race"),
                Some(analysis) => {
                    assert!(analysis.reevaluated);
                    assert_eq!(phrases(&analysis), wanted);
                    let edges: Vec<_> = analysis.edges.iter().map(|edge| (edge.0.pc, edge.1.pc)).collect();
                    assert_eq!(edges, [(12, 13)]);
                }
            }
        }
    }

    /// What is done after the store is not published by it.
    #[test]
    fn nothing_orders_what_comes_after_the_last_store() {
        let mut trace = start();
        add(&mut trace, 2, 12, Op::Store, Y, 1, Order::Release);
        add(&mut trace, 3, 13, Op::Load, Y, 1, Order::Acquire);
        // A release store ends its epoch, and that is all: it is not ended twice since it is recorded.
        let analysis = of_race(&trace, &racing(2, 1, 3)).expect("it is a race");
        assert!(analysis.edges.is_empty() && analysis.edits.is_empty());
        assert_eq!(of_race(&trace, &racing(2, 0, 3)), None, "what comes before the store is published");
        assert_eq!(of_race(&trace, &racing(2, 2, 3)), None, "there is no such epoch");
    }

    /// Who overwrites what the other has read, or written, is after it under SC, but no order makes
    /// that happens-before.
    #[test]
    fn no_order_makes_from_read_or_modification_order_happen_before() {
        let mut trace = start();
        add(&mut trace, 2, 11, Op::Load, Y, 0, Order::SeqCst);
        add(&mut trace, 2, 12, Op::Store, 0x300, 1, Order::SeqCst);
        add(&mut trace, 3, 13, Op::Store, Y, 1, Order::SeqCst);
        add(&mut trace, 3, 14, Op::Store, 0x300, 2, Order::SeqCst);
        let analysis = of_race(&trace, &racing(2, 0, 3)).expect("it is a race");
        assert!(analysis.edges.is_empty() && analysis.edits.is_empty());
    }

    /// From 2 by way of 3 to 4: only the second step is too weak. The update on the way need not
    /// release or acquire.
    #[test]
    fn a_race_is_ordered_where_the_way_is_too_weak() {
        let mut trace = start();
        add(&mut trace, 1, 3, Op::Spawn, 0, 0, Order::Relaxed);
        trace.records.last_mut().expect("it was added").extra = 4;
        add(&mut trace, 2, 11, Op::Store, X, 1, Order::Release);
        add(&mut trace, 3, 12, Op::Load, X, 1, Order::Acquire);
        add(&mut trace, 3, 13, Op::Store, Y, 1, Order::Relaxed);
        add(&mut trace, 1, 14, Op::Rmw, Y, 2, Order::Relaxed);
        trace.records.last_mut().expect("it was added").extra = 1;
        add(&mut trace, 4, 15, Op::Load, Y, 2, Order::Acquire);
        let analysis = of_race(&trace, &racing(2, 0, 4)).expect("it is a race");
        assert!(analysis.reevaluated);
        assert_eq!(phrases(&analysis), [(13, "make the store release".to_string())]);
    }

    #[test]
    fn recorded_runs_are_read_or_refused() {
        let record = |time: u64, op: u8| {
            let mut bytes = Vec::new();
            for number in [time, X, 7, 13, 0] {
                bytes.extend_from_slice(&u64::to_le_bytes(number));
            }
            bytes.extend_from_slice(&2u32.to_le_bytes());
            bytes.extend_from_slice(&[op, 5, 0, 1]);
            bytes
        };
        let file = |flags: u64, records: &[Vec<u8>]| {
            let mut bytes = fencepost_protocol::record::MAGIC.to_vec();
            for number in [100, records.len() as u64, flags, 0, 0, 0, 0] {
                bytes.extend_from_slice(&u64::to_le_bytes(number));
            }
            bytes.extend(records.concat());
            bytes
        };
        // Out of order, one reserved and not written, one too late.
        let bytes = file(0, &[record(5, 1), record(0, 0), record(3, 0), record(9, 1)]);
        let trace = Trace::read(&bytes, 5).expect("a recorded run");
        assert_eq!(
            trace.records.iter().map(|record| (record.time, record.op)).collect::<Vec<_>>(),
            [(3, Op::Load), (5, Op::Store)]
        );
        assert_eq!(trace.records[0].order, Order::SeqCst);
        assert_eq!(Trace::read(&file(1, &[record(5, 1)]), 5), None, "it overflowed");
        assert_eq!(Trace::read(&file(0, &[record(5, 99)]), 5), None, "an unknown operation");
        for length in [0, 7, 8, 31, 63] {
            assert_eq!(Trace::read(&bytes[..length], 5), None, "{length} bytes");
        }
        assert_eq!(Trace::read(&[0; 200], 5), None);
    }
}
