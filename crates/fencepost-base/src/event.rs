//! The event alphabet: what a thread asks of the memory, as one label.

use crate::ids::{LocId, Value};
use crate::order::Mode;

/// The label of one memory event (Def. 2.1 of the PLDI 2019 paper, with orders).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Label {
    /// A read of `value`.
    Read {
        /// Location read.
        loc: LocId,
        /// Value read.
        value: Value,
        /// Order.
        mode: Mode,
    },
    /// A write of `value`.
    Write {
        /// Location written.
        loc: LocId,
        /// Value written.
        value: Value,
        /// Order.
        mode: Mode,
    },
    /// A read of `read` and a write of `written`, indivisible.
    Rmw {
        /// Location updated.
        loc: LocId,
        /// Value read.
        read: Value,
        /// Value written.
        written: Value,
        /// Order.
        mode: Mode,
    },
    /// A fence that is an event of its own (models differ in which fences are).
    Fence {
        /// Order.
        mode: Mode,
    },
    /// A fence that only keeps earlier writes to one location before later writes, in models with
    /// store buffers per location.
    LightFence {
        /// The location; none for all.
        loc: Option<LocId>,
    },
}

impl Label {
    /// The location accessed; fences have none.
    pub fn loc(&self) -> Option<LocId> {
        match *self {
            Label::Read { loc, .. } | Label::Write { loc, .. } | Label::Rmw { loc, .. } => Some(loc),
            Label::Fence { .. } | Label::LightFence { .. } => None,
        }
    }

    /// The order; light fences have none, which is the weakest.
    pub fn mode(&self) -> Mode {
        match *self {
            Label::Read { mode, .. } | Label::Write { mode, .. } | Label::Rmw { mode, .. } | Label::Fence { mode } => {
                mode
            }
            Label::LightFence { .. } => Mode::Rlx,
        }
    }

    /// The value read, for reads and read-modify-writes.
    pub fn value_read(&self) -> Option<Value> {
        match *self {
            Label::Read { value, .. } => Some(value),
            Label::Rmw { read, .. } => Some(read),
            _ => None,
        }
    }

    /// The value written, for writes and read-modify-writes.
    pub fn value_written(&self) -> Option<Value> {
        match *self {
            Label::Write { value, .. } => Some(value),
            Label::Rmw { written, .. } => Some(written),
            _ => None,
        }
    }

    /// Reads memory (a read or a read-modify-write).
    pub fn is_read(&self) -> bool {
        matches!(self, Label::Read { .. } | Label::Rmw { .. })
    }

    /// Writes memory (a write or a read-modify-write).
    pub fn is_write(&self) -> bool {
        matches!(self, Label::Write { .. } | Label::Rmw { .. })
    }

    /// Is a read-modify-write.
    pub fn is_rmw(&self) -> bool {
        matches!(self, Label::Rmw { .. })
    }

    /// Accesses memory non-atomically.
    pub fn is_nonatomic(&self) -> bool {
        self.mode() == Mode::Na
    }
}
