//! Which accesses to strengthen so that a violation goes away.
//!
//! Not from a paper. Along a path of hb_SC from the missed write to the access ([`crate::path`]), every step that is not yet
//! happens-before is made so: reads-from by release and acquire, the others by SC fences or SC accesses. A candidate is kept only if the
//! recorded run, evaluated again with it at all its call sites ([`crate::replay`]), has the violation no more and no other one that
//! it did not have; then edits that are not needed are dropped, the most expensive first.
//!
//! Sound for the recorded run, not for others: another run may need more. Not complete: there may be cheaper
//! changes that are not along the path.

use std::collections::BTreeSet;

use fencepost_clock::Order;

use crate::path::{self, Edge, EdgeKind};
use crate::replay::{self, Changes, Violation};
use crate::stream::Finding;
use crate::trace::{Op, Record, Trace, order_from_name};

/// Records to evaluate at most, over all candidates: beyond, advice would keep the program waiting.
const EFFORT: usize = 20_000_000;

/// What the recorded run says about a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Analysis {
    /// The steps by which the missed write comes before the access, that do not synchronise: source, target, kind.
    pub(crate) edges: Vec<(Record, Record, EdgeKind)>,
    /// What to change; empty if nothing was found.
    pub(crate) edits: Vec<Edit>,
}

/// A change at a call site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edit {
    pub(crate) pc: u64,
    /// What the access is called.
    pub(crate) op: &'static str,
    pub(crate) what: What,
}

/// From cheap to expensive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    Acquire,
    Release,
    SeqCst,
    FenceBefore,
    FenceAfter,
}

impl What {
    fn cost(self) -> u32 {
        match self {
            What::Acquire | What::Release => 1,
            What::SeqCst => 3,
            What::FenceBefore | What::FenceAfter => 7,
        }
    }
}

impl Edit {
    fn new(record: &Record, what: What) -> Edit {
        Edit { pc: record.pc, op: record.name(), what }
    }

    /// Does the record have it already?
    fn is_there(record: &Record, what: What) -> bool {
        match what {
            What::Acquire => record.order.acquires() && (!is_cas(record) || record.failure.acquires()),
            What::Release => record.order.releases(),
            What::SeqCst => record.order.is_sc() && (!is_cas(record) || record.failure.is_sc()),
            What::FenceBefore | What::FenceAfter => false,
        }
    }

    /// A phrase.
    pub(crate) fn phrase(&self) -> String {
        match self.what {
            What::Acquire => format!("make the {} acquire", self.op),
            What::Release => format!("make the {} release", self.op),
            What::SeqCst => format!("make the {} seq_cst", self.op),
            What::FenceBefore => format!("put a seq_cst fence before the {}", self.op),
            What::FenceAfter => format!("put a seq_cst fence after the {}", self.op),
        }
    }
}

fn is_cas(record: &Record) -> bool {
    matches!(record.op, Op::CasStrong | Op::CasWeak)
}

/// Looks for advice in a recorded run, where `spins` are values that keep loops spinning, by call site. None if the run
/// does not show the violation.
pub(crate) fn analyse(mut trace: Trace, finding: &Finding, spins: &BTreeSet<(u64, u64)>) -> Option<Analysis> {
    append_access(&mut trace, finding)?;
    let pc = *finding.access.stack.first()?;
    let baseline = replay::violations(&trace, &Changes::default(), spins)?;
    let same = |violation: &&Violation| violation.identity() == (pc, finding.addr);
    let violation = *baseline.iter().rfind(same)?;
    let known: BTreeSet<(u64, u64)> = baseline.iter().map(Violation::identity).collect();
    let judge = Judge { trace: &trace, spins, target: violation.identity(), known };

    let missed = violation.missed?;
    let path = path::path(&trace, missed, violation.record).unwrap_or_default();
    let weak: Vec<Edge> = path.iter().copied().filter(|edge| !judge.synchronises(edge)).collect();
    let at = |number: usize| trace.records[number];
    let mut best: Option<Vec<Edit>> = None;
    let mut left = (EFFORT / trace.records.len().max(1)).max(12);
    for candidate in candidates(&trace, &weak, missed, violation.record) {
        if let Some(edits) = judge.reduced(candidate, &mut left)
            && best.as_ref().is_none_or(|best| cost(&edits) < cost(best))
        {
            best = Some(edits);
        }
    }
    Some(Analysis {
        edges: weak.iter().map(|edge| (at(edge.from), at(edge.to), edge.kind)).collect(),
        edits: best.unwrap_or_default(),
    })
}

/// What to try without a recorded run: fences close to both ends, by a rule of thumb.
pub(crate) fn rule_of_thumb(finding: &Finding, newest_pc: Option<u64>) -> Vec<Edit> {
    let fence = |pc: u64, op, what| Edit { pc, op, what };
    let access = finding.access.stack.first().map(|&pc| fence(pc, "access", What::FenceBefore));
    newest_pc.map(|pc| fence(pc, "write", What::FenceAfter)).into_iter().chain(access).collect()
}

/// The access that is reported may not be recorded yet.
fn append_access(trace: &mut Trace, finding: &Finding) -> Option<()> {
    let access = &finding.access;
    let pc = *access.stack.first()?;
    let tid = u32::try_from(finding.tid).ok()?;
    let there = |record: &Record| record.time >= access.time && record.pc == pc && record.tid == tid;
    if trace.records.iter().rev().take_while(|record| record.time >= access.time).any(there) {
        return Some(());
    }
    let op = match access.op.as_str() {
        "load" => Op::Load,
        "store" => Op::Store,
        "wait" => Op::Wait,
        "bcas" => Op::BlockingCas,
        "cas-weak" => Op::CasWeak,
        "cas-strong" => Op::CasStrong,
        _ => Op::Rmw,
    };
    let order = access.order.as_deref().and_then(order_from_name).unwrap_or(Order::Relaxed);
    let newest = trace.records.iter().rev().find(|record| record.address == finding.addr && record.writes());
    let before = newest.map_or(0, |record| record.value);
    let expected = access.expected.unwrap_or(before);
    trace.records.push(Record {
        time: access.time,
        address: finding.addr,
        value: if op == Op::Wait { expected } else { before },
        pc,
        extra: if op == Op::Rmw { before } else { expected },
        tid,
        op,
        order,
        failure: if order.is_sc() { Order::SeqCst } else { Order::Relaxed },
        success: false,
    });
    Some(())
}

/// Sets of edits that could help, cheap ones first.
fn candidates(trace: &Trace, weak: &[Edge], missed: usize, access: usize) -> Vec<Vec<Edit>> {
    let at = |number: usize| &trace.records[number];
    let mut synchronise = Candidate::default();
    let mut sc = Candidate::default();
    let mut fences = Candidate::default();
    for edge in weak {
        let (from, to) = (at(edge.from), at(edge.to));
        match edge.kind {
            EdgeKind::ReadsFrom => {
                synchronise.add(from, What::Release);
                synchronise.add(to, What::Acquire);
            }
            _ => {
                synchronise.add(from, What::FenceBefore);
                synchronise.add(to, What::FenceAfter);
            }
        }
        sc.add(from, What::SeqCst);
        sc.add(to, What::SeqCst);
        fences.add(from, What::FenceBefore);
        fences.add(to, What::FenceAfter);
    }
    sc.add(at(missed), What::SeqCst);
    sc.add(at(access), What::SeqCst);
    let mut ends = Candidate::default();
    ends.add(at(missed), What::FenceAfter);
    ends.add(at(access), What::FenceBefore);
    [synchronise, sc, fences, ends]
        .into_iter()
        .map(|candidate| candidate.edits)
        .filter(|edits| !edits.is_empty())
        .collect()
}

#[derive(Default)]
struct Candidate {
    edits: Vec<Edit>,
}

impl Candidate {
    fn add(&mut self, record: &Record, what: What) {
        let edit = Edit::new(record, what);
        if !Edit::is_there(record, what) && !self.edits.contains(&edit) {
            self.edits.push(edit);
        }
    }
}

struct Judge<'a> {
    trace: &'a Trace,
    spins: &'a BTreeSet<(u64, u64)>,
    target: (u64, u64),
    known: BTreeSet<(u64, u64)>,
}

impl Judge<'_> {
    /// The edits of a candidate that are needed; None if all of them do not help.
    fn reduced(&self, mut edits: Vec<Edit>, left: &mut usize) -> Option<Vec<Edit>> {
        if !self.helps(&edits, left) {
            return None;
        }
        edits.sort_by_key(|edit| (edit.what.cost(), *edit));
        for number in (0..edits.len()).rev() {
            let mut fewer = edits.clone();
            fewer.remove(number);
            if !fewer.is_empty() && self.helps(&fewer, left) {
                edits = fewer;
            }
        }
        Some(edits)
    }

    /// Is the violation gone, and nothing else broken?
    fn helps(&self, edits: &[Edit], left: &mut usize) -> bool {
        let Some(rest) = left.checked_sub(1) else { return false };
        *left = rest;
        let mut changes = Changes::default();
        for edit in edits {
            let change = changes.at(edit.pc);
            match edit.what {
                What::Acquire => change.acquire = true,
                What::Release => change.release = true,
                What::SeqCst => change.seq_cst = true,
                What::FenceBefore => change.fence_before = true,
                What::FenceAfter => change.fence_after = true,
            }
        }
        let Some(violations) = replay::violations(self.trace, &changes, self.spins) else { return false };
        violations.iter().map(Violation::identity).all(|found| found != self.target && self.known.contains(&found))
    }

    /// Is the step happens-before already, as far as its two ends tell?
    fn synchronises(&self, edge: &Edge) -> bool {
        let (from, to) = (&self.trace.records[edge.from], &self.trace.records[edge.to]);
        match edge.kind {
            EdgeKind::Synchronisation => true,
            EdgeKind::ReadsFrom => from.order.releases() && to.order.acquires(),
            EdgeKind::Order | EdgeKind::FromRead => false,
        }
    }
}

fn cost(edits: &[Edit]) -> u32 {
    edits.iter().map(|edit| edit.what.cost()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{self, Access, Memory};

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

    fn finding(tid: u64, pc: u64, address: u64, op: &str, time: u64) -> Finding {
        let access = Access { op: op.into(), order: Some("relaxed".into()), expected: None, time, stack: vec![pc] };
        let newest =
            stream::Write { value: 1, rmw: false, tid: 2, op: "store".into(), order: None, time: 0, stack: vec![11] };
        let kind = stream::Kind::Robustness { newest, stale: Vec::new(), cut: false, complete: true, events: 0 };
        Finding { kind, tid, addr: address, size: 4, access, memory: Memory::default() }
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
            let analysis = analyse(trace, &finding(3, 14, X, "load", 8), &BTreeSet::new()).expect("the run shows it");
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
        let analysis = analyse(trace, &finding(3, 14, X, "load", 8), &BTreeSet::new()).expect("the run shows it");
        assert_eq!(phrases(&analysis), [(13, "make the load acquire".to_string())]);
    }

    #[test]
    fn store_buffering_wants_seq_cst() {
        let mut trace = start();
        add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
        add(&mut trace, 2, 12, Op::Load, Y, 0, Order::Relaxed);
        add(&mut trace, 3, 13, Op::Store, Y, 1, Order::Relaxed);
        add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
        let analysis = analyse(trace, &finding(3, 14, X, "load", 8), &BTreeSet::new()).expect("the run shows it");
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
        let analysis = analyse(trace, &finding(3, 14, X, "load", 8), &BTreeSet::new()).expect("the run shows it");
        assert_eq!(phrases(&analysis), [(14, "make the load seq_cst".to_string())]);
    }

    #[test]
    fn locks_and_joins_are_no_links() {
        let mut trace = start();
        add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
        add(&mut trace, 2, 20, Op::Release, 0x300, 0, Order::Relaxed);
        add(&mut trace, 3, 21, Op::Acquire, 0x300, 0, Order::Relaxed);
        add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
        assert_eq!(
            analyse(trace, &finding(3, 14, X, "load", 8), &BTreeSet::new()),
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
        assert_eq!(analyse(trace.clone(), &finding(3, 14, X, "load", 8), &spins(0)), None);
        assert!(analyse(trace, &finding(3, 14, X, "load", 8), &spins(5)).is_some());
    }

    #[test]
    fn a_run_that_does_not_show_it_gives_no_advice() {
        assert_eq!(analyse(start(), &finding(3, 14, X, "load", 8), &BTreeSet::new()), None);
        let thumb = rule_of_thumb(&finding(3, 14, X, "load", 8), Some(11));
        assert_eq!(thumb.iter().map(Edit::phrase).collect::<Vec<_>>().len(), 2);
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
            let mut bytes = crate::trace::MAGIC.to_vec();
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
