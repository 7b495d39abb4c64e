//! Access orders. Loads, stores, read-modify-writes and fences have types of
//! their own, so that a release load cannot be written down.

use std::fmt;

macro_rules! orders {
    ($(#[$doc:meta])* $name:ident { $($variant:ident => $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant),+
        }

        impl $name {
            /// Every order this kind of access can have, weakest first.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The order with this spelling in `.fp`, if this kind of access can have it.
            pub fn parse(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// The spelling in `.fp`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text),+
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

orders!(
    /// Orders of a load (also of a wait and of a failed compare-and-swap).
    ReadOrder { Rlx => "rlx", Acq => "acq", Sc => "sc" }
);
orders!(
    /// Orders of a store.
    WriteOrder { Rlx => "rlx", Rel => "rel", Sc => "sc" }
);
orders!(
    /// Orders of a read-modify-write.
    RmwOrder { Rlx => "rlx", Acq => "acq", Rel => "rel", AcqRel => "acqrel", Sc => "sc" }
);
orders!(
    /// Orders of a fence.
    FenceOrder { Acq => "acq", Rel => "rel", AcqRel => "acqrel", Sc => "sc" }
);
orders!(
    /// The order of an event of an execution graph, whatever its kind; `Full` is the update that a
    /// `fence(sc)` makes.
    Mode { Na => "na", Rlx => "rlx", Acq => "acq", Rel => "rel", AcqRel => "acqrel", Sc => "sc", Full => "full" }
);

impl Mode {
    /// At least acquire.
    pub fn acquires(self) -> bool {
        matches!(self, Mode::Acq | Mode::AcqRel | Mode::Sc | Mode::Full)
    }

    /// At least release.
    pub fn releases(self) -> bool {
        matches!(self, Mode::Rel | Mode::AcqRel | Mode::Sc | Mode::Full)
    }
}

impl From<ReadOrder> for Mode {
    fn from(order: ReadOrder) -> Self {
        match order {
            ReadOrder::Rlx => Mode::Rlx,
            ReadOrder::Acq => Mode::Acq,
            ReadOrder::Sc => Mode::Sc,
        }
    }
}

impl From<WriteOrder> for Mode {
    fn from(order: WriteOrder) -> Self {
        match order {
            WriteOrder::Rlx => Mode::Rlx,
            WriteOrder::Rel => Mode::Rel,
            WriteOrder::Sc => Mode::Sc,
        }
    }
}

impl From<RmwOrder> for Mode {
    fn from(order: RmwOrder) -> Self {
        match order {
            RmwOrder::Rlx => Mode::Rlx,
            RmwOrder::Acq => Mode::Acq,
            RmwOrder::Rel => Mode::Rel,
            RmwOrder::AcqRel => Mode::AcqRel,
            RmwOrder::Sc => Mode::Sc,
        }
    }
}

impl From<FenceOrder> for Mode {
    fn from(order: FenceOrder) -> Self {
        match order {
            FenceOrder::Acq => Mode::Acq,
            FenceOrder::Rel => Mode::Rel,
            FenceOrder::AcqRel => Mode::AcqRel,
            FenceOrder::Sc => Mode::Sc,
        }
    }
}

impl RmwOrder {
    /// The order with the given read half and write half.
    pub fn from_halves(acquire: bool, release: bool) -> Self {
        match (acquire, release) {
            (false, false) => RmwOrder::Rlx,
            (true, false) => RmwOrder::Acq,
            (false, true) => RmwOrder::Rel,
            (true, true) => RmwOrder::AcqRel,
        }
    }
}
