//! What would order two accesses that race.
//!
//! What orders them is happens-before, so the path has only steps
//! that release and acquire can order ([`path::passage`]). If there is none, no order is too weak:
//! there is no synchronisation at all. Plain accesses are not recorded. The earlier one counts as
//! made right before the first record by which its thread could have passed it on, which is the
//! latest that it can have been.

use std::collections::BTreeSet;

use fencepost_protocol::Order;
use fencepost_protocol::record::{Op, Record};

use super::edits::{changes, reduced};
use super::{Analysis, Edit, What, evaluations, weak};
use crate::path;
use crate::replay::{self, Ordered};
use crate::stream::{Race, Report};
use crate::trace::Trace;

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
            let edit = Edit::at(&at(number), what, None).filter(|_| trace.is_changeable(&at(number)));
            edits.extend(edit.filter(|edit| !edits.contains(edit)));
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
