//! What can be changed at a call site, and which changes of several are needed.

use fencepost_finding::EditKind;
use fencepost_protocol::Order;
use fencepost_protocol::record::{Op, Record};

use crate::replay::Changes;
use crate::trace;

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
    pub(super) fn new(record: &Record, what: What) -> Edit {
        let failure = is_cas(record) && has(record.order, what);
        Edit { pc: record.pc, op: trace::name(record), what, failure }
    }

    /// What to do for `what` at a record; None if it is there already. `next` is what the thread
    /// does on the side where a fence would stand.
    pub(super) fn at(record: &Record, what: What, next: Option<&Record>) -> Option<Edit> {
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

    /// What it does.
    pub(crate) fn kind(&self) -> EditKind {
        match self.what {
            What::Acquire => EditKind::Acquire,
            What::Release => EditKind::Release,
            What::SeqCst | What::StrongerFence => EditKind::SeqCst,
            What::FenceBefore => EditKind::FenceBefore,
            What::FenceAfter => EditKind::FenceAfter,
        }
    }

    /// A phrase, in the words of C or in those of Rust.
    pub(crate) fn phrase(&self, is_rust: bool) -> String {
        let fence = if is_rust { "`fence(Ordering::SeqCst)`" } else { "a seq_cst fence" };
        let order = match self.kind() {
            EditKind::Acquire if is_rust => "`Ordering::Acquire`",
            EditKind::Release if is_rust => "`Ordering::Release`",
            EditKind::SeqCst if is_rust => "`Ordering::SeqCst`",
            EditKind::Acquire => "acquire",
            EditKind::Release => "release",
            EditKind::SeqCst => "seq_cst",
            EditKind::FenceBefore => return format!("put {fence} before the {}", self.op),
            EditKind::FenceAfter => return format!("put {fence} after the {}", self.op),
        };
        format!("make the {} {order}{}", self.op, if self.failure { " on failure too" } else { "" })
    }
}

/// Is the order as strong as an edit would make it?
pub(super) fn has(order: Order, what: What) -> bool {
    match what {
        What::Acquire => order.acquires(),
        What::Release => order.releases(),
        What::SeqCst => order.is_sc(),
        What::StrongerFence | What::FenceBefore | What::FenceAfter => false,
    }
}

pub(super) fn is_cas(record: &Record) -> bool {
    matches!(record.op, Op::CasStrong | Op::CasWeak)
}

/// The edits that are needed, of some that help.
pub(super) fn reduced(mut edits: Vec<Edit>, mut helps: impl FnMut(&[Edit]) -> bool) -> Vec<Edit> {
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
pub(super) fn changes(edits: &[Edit]) -> Changes {
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

pub(super) fn cost(edits: &[Edit]) -> u32 {
    edits.iter().map(|edit| edit.what.cost()).sum()
}
