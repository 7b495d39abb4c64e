//! Ways to strengthen a path, tried on a recorded run.

use std::collections::BTreeSet;

use fencepost_protocol::record::{Op, Record};

use super::edits::{changes, reduced};
use super::{Edit, What, weak};
use crate::path::{self, Edge, EdgeKind};
use crate::replay::{self, Ordered, Violation};
use crate::trace::{Neighbours, Trace};

/// What to do about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
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

/// Tries edits on a recorded run.
pub(super) struct Judge<'a> {
    pub(super) trace: &'a Trace,
    pub(super) neighbours: &'a [Neighbours],
    pub(super) spins: &'a BTreeSet<(u64, u64)>,
    pub(super) target: (u64, u64),
    pub(super) known: BTreeSet<(u64, u64)>,
}

impl Judge<'_> {
    /// How the missed write comes before the access.
    fn path(&self, violation: &Violation) -> Vec<Edge> {
        let missed = violation.missed.and_then(|missed| path::path(self.trace, missed, violation.record));
        missed.unwrap_or_default()
    }

    /// The steps by which it does that the model does not order.
    pub(super) fn weak(&self, violation: &Violation) -> Option<Vec<(Record, Record, EdgeKind)>> {
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
    pub(super) fn add(&self, strategy: Strategy, violation: &Violation, edits: &mut Vec<Edit>) -> bool {
        if strategy == Strategy::Between {
            return self.add_between(violation, edits);
        }
        let before = edits.len();
        let mut add = |number: usize, what: What| {
            let Neighbours { before, after } = self.neighbours[number];
            let next = if what == What::FenceBefore { before } else { after };
            let edit = Edit::at(&self.trace.records[number], what, next.map(|next| &self.trace.records[next]));
            let is_changeable = self.trace.is_changeable(&self.trace.records[number]);
            edits.extend(edit.filter(|edit| is_changeable && !edits.contains(edit)));
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
                let is_changeable = self.trace.is_changeable(&self.trace.records[leaves]);
                edits.extend(edit.filter(|edit| is_changeable && !edits.contains(edit)));
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
    pub(super) fn grown(&self, strategy: Strategy, first: Violation, left: &mut usize) -> Option<Vec<Edit>> {
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
    pub(super) fn still_wrong(&self, edits: &[Edit], left: &mut usize) -> Option<Option<Violation>> {
        *left = left.checked_sub(1)?;
        let violations = replay::violations(self.trace, &changes(edits), self.spins)?;
        let wrong = |violation: &Violation| {
            let found = violation.identity();
            found == self.target || !self.known.contains(&found)
        };
        Some(violations.into_iter().find(wrong))
    }
}
