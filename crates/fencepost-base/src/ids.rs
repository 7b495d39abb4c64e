//! Newtype indices. Each indexes one table, so that a thread number cannot be
//! used where a location is meant.

use std::fmt;

macro_rules! index {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the table this index belongs to.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The index of position `position`.
            ///
            /// # Panics
            /// When `position` does not fit 32 bits; tables are bounded far below that.
            pub fn from_index(position: usize) -> Self {
                Self(u32::try_from(position).expect("tables hold fewer than 2^32 entries"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

index!(
    /// A thread of a program.
    ThreadId, "t"
);
index!(
    /// A shared location (an array contributes one per element).
    LocId, "loc"
);
index!(
    /// An array of shared locations.
    ArrayId, "arr"
);
index!(
    /// A register of one thread.
    RegId, "r"
);
index!(
    /// A position in the code of one thread.
    Pc, "pc"
);

/// A value held by a register or a location: always below the program's domain size.
pub type Value = u32;
