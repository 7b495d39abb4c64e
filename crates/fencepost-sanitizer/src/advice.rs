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
//! Races are treated likewise ([`races`]).
//!
//! Sound for the recorded run, not for others: another run may need more. Not complete: there may
//! be cheaper changes that are not along these paths.

mod edits;
mod races;
mod strategies;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use fencepost_protocol::Action;
use fencepost_protocol::record::{Op, Record};

use crate::path::{Edge, EdgeKind};
use crate::replay::{self, Changes, Violation};
use crate::stream::{Report, Robustness};
use crate::trace::Trace;
use edits::cost;
pub(crate) use edits::{Edit, What};
pub(crate) use races::analyse_race;
use strategies::{Judge, Strategy};

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
