//! Orders that cannot matter: accesses that may as well acquire or release.
//!
//! Source: the definitions of happens-before of C and C++ (Margalit and Lahav, POPL 2021, §3.1):
//! sw = `[E⊒rel] ; ([F] ; po)? ; rf⁺ ; (po ; [F])? ; [E⊒acq]`, hb = (po ∪ sw)⁺.
//!
//! - **A read of a location that only its own thread writes** may acquire. What it reads is an
//!   initial value or its thread's own write, and so is all of the chain rf⁺ that leads to it. A
//!   fence that releases for a write of the chain is of that thread, too. So all edges of sw that
//!   are new are edges of po.
//! - **A write of a location that only its own thread reads** may release. All of the chain rf⁺
//!   that starts at it is read by its own thread, and a fence that acquires for such a read is of
//!   that thread. So again all new edges of sw are edges of po.
//!
//! Thus happens-before stays as it is. So does everything that is made of it, of coherence and of
//! SC events: no access becomes SC, so of *strongly happens before* the part between SC accesses
//! stays, too. The same graphs are consistent, but for the orders in their labels, and the same
//! accesses race. Neither argument looks at other accesses' orders, so any number of promotions can
//! be made at once. A read-modify-write is both, each half for itself.
//!
//! Who reads and writes what is over-approximated: an index that is computed may be any. Plain
//! accesses count as accesses, and are not promoted: that would hide races.
//!
//! Not complete: many more orders do not matter.

use std::ops::Range;

use fencepost_base::ids::ThreadId;
use fencepost_base::order::{ReadOrder, RmwOrder, WriteOrder};
use fencepost_ir::{Op, Place, Program};

/// Who reads and who writes each location.
pub struct Promotion<'a> {
    program: &'a Program,
    read: Vec<Users>,
    written: Vec<Users>,
}

/// The threads that do something to a location.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Users {
    Nobody,
    One(ThreadId),
    Many,
}

impl Users {
    fn add(&mut self, thread: ThreadId) {
        *self = match *self {
            Users::Nobody => Users::One(thread),
            Users::One(only) if only == thread => Users::One(thread),
            Users::One(_) | Users::Many => Users::Many,
        };
    }
}

impl<'a> Promotion<'a> {
    /// For the accesses of `program`.
    pub fn of(program: &'a Program) -> Self {
        let nobody = vec![Users::Nobody; program.locations().len()];
        let mut promotion = Promotion { program, read: nobody.clone(), written: nobody };
        for thread in program.thread_ids() {
            for op in program.thread(thread).code.iter().map(|instr| &instr.op) {
                let Some(place) = op.place() else { continue };
                let locations = promotion.locations(place);
                if !matches!(op, Op::Store { .. } | Op::PlainStore { .. }) {
                    promotion.read[locations.clone()].iter_mut().for_each(|users| users.add(thread));
                }
                if !matches!(op, Op::Load { .. } | Op::Wait { .. } | Op::PlainLoad { .. }) {
                    promotion.written[locations].iter_mut().for_each(|users| users.add(thread));
                }
            }
        }
        promotion
    }

    /// The locations that a place may be.
    fn locations(&self, place: &Place) -> Range<usize> {
        match place {
            Place::Fixed(loc) => loc.index()..loc.index() + 1,
            Place::Element { array, .. } => {
                let array = self.program.array(*array);
                array.base.index()..array.base.index() + array.len as usize
            }
        }
    }

    /// The instruction of `thread`, its order as strong as it may be without making a difference.
    #[must_use]
    pub fn promoted(&self, thread: ThreadId, op: &Op) -> Op {
        let mut op = op.clone();
        let Some(locations) = op.place().map(|place| self.locations(place)) else { return op };
        let is_own = |users: &Users| matches!(users, Users::Nobody) || *users == Users::One(thread);
        let acquires = self.written[locations.clone()].iter().all(is_own);
        let releases = self.read[locations].iter().all(is_own);
        match &mut op {
            Op::Load { order, .. } | Op::Wait { order, .. } => promote_read(order, acquires),
            Op::Store { order, .. } if releases && *order == WriteOrder::Rlx => *order = WriteOrder::Rel,
            Op::Update { order, .. } | Op::BlockingCas { order, .. } => promote_rmw(order, acquires, releases),
            Op::Cas { success, failure, .. } => {
                promote_rmw(success, acquires, releases);
                promote_read(failure, acquires);
            }
            _ => {}
        }
        op
    }
}

fn promote_read(order: &mut ReadOrder, acquires: bool) {
    if acquires && *order == ReadOrder::Rlx {
        *order = ReadOrder::Acq;
    }
}

fn promote_rmw(order: &mut RmwOrder, acquires: bool, releases: bool) {
    let (does_acquire, does_release) = match order {
        RmwOrder::Rlx => (false, false),
        RmwOrder::Acq => (true, false),
        RmwOrder::Rel => (false, true),
        RmwOrder::AcqRel | RmwOrder::Sc => return,
    };
    *order = match (does_acquire || acquires, does_release || releases) {
        (false, false) => RmwOrder::Rlx,
        (true, false) => RmwOrder::Acq,
        (false, true) => RmwOrder::Rel,
        (true, true) => RmwOrder::AcqRel,
    };
}
