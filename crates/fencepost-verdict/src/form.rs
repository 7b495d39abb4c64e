//! What can stand at a place of the source, as far as memory models care: which of two is the
//! stronger.

use fencepost_base::order::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};

const ACQ: u32 = 1;
const REL: u32 = 2;
const SC: u32 = 4;
const RMW: u32 = 8;
const LIGHT: u32 = 16;

/// What stands at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Nothing.
    Nothing,
    /// `fence(order)`
    Fence(FenceOrder),
    /// `lwfence`
    LightFence,
    /// A load, a wait, or a failed compare-and-swap.
    Load(ReadOrder),
    /// A store.
    Store(WriteOrder),
    /// A read-modify-write.
    Rmw(RmwOrder),
}

impl Form {
    /// What it orders, one bit each.
    fn bits(self) -> u32 {
        match self {
            Form::Nothing | Form::Load(ReadOrder::Rlx) | Form::Store(WriteOrder::Rlx) => 0,
            Form::Load(ReadOrder::Acq) | Form::Fence(FenceOrder::Acq) => ACQ,
            Form::Store(WriteOrder::Rel) | Form::Fence(FenceOrder::Rel) => REL,
            Form::Fence(FenceOrder::AcqRel) => ACQ | REL,
            Form::Fence(FenceOrder::Sc) => ACQ | REL | SC | LIGHT,
            Form::LightFence => LIGHT,
            Form::Load(ReadOrder::Sc) => ACQ | SC,
            Form::Store(WriteOrder::Sc) => REL | SC,
            Form::Rmw(RmwOrder::Rlx) => RMW,
            Form::Rmw(RmwOrder::Acq) => RMW | ACQ,
            Form::Rmw(RmwOrder::Rel) => RMW | REL,
            Form::Rmw(RmwOrder::AcqRel) => RMW | ACQ | REL,
            Form::Rmw(RmwOrder::Sc) => RMW | ACQ | REL | SC,
        }
    }

    /// Is it as weak as `other`, or weaker? Whatever an execution graph with `other` in this place
    /// is allowed to be, it may be with this one instead; only the hidden location of `fence(sc)`
    /// adds something to the graph.
    pub fn at_most(self, other: Form) -> bool {
        self.bits() & !other.bits() == 0
    }

    /// A number that grows strictly with strength.
    pub fn rank(self) -> u32 {
        self.bits().count_ones()
    }
}
