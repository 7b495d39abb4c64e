//! Memory orders, as the operation that is about to happen has them.

/// The order of an access or a fence, numbered as C and compilers do. Consume means the same as
/// acquire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Order {
    /// `memory_order_relaxed`
    #[default]
    Relaxed = 0,
    /// `memory_order_consume`
    Consume = 1,
    /// `memory_order_acquire`
    Acquire = 2,
    /// `memory_order_release`
    Release = 3,
    /// `memory_order_acq_rel`
    AcqRel = 4,
    /// `memory_order_seq_cst`
    SeqCst = 5,
}

impl Order {
    /// All of them, by number.
    pub const ALL: [Order; 6] =
        [Order::Relaxed, Order::Consume, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];

    /// The order that a compiler passes. What it does not know of is the strongest.
    #[inline]
    pub const fn decode(number: u8) -> Order {
        match number {
            0 => Order::Relaxed,
            1 => Order::Consume,
            2 => Order::Acquire,
            3 => Order::Release,
            4 => Order::AcqRel,
            _ => Order::SeqCst,
        }
    }

    /// At least acquire.
    #[inline]
    pub const fn acquires(self) -> bool {
        matches!(self, Order::Consume | Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    /// At least release.
    #[inline]
    pub const fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }

    /// Takes part in the total order of SC accesses.
    #[inline]
    pub const fn is_sc(self) -> bool {
        matches!(self, Order::SeqCst)
    }

    /// What C calls it, without `memory_order_`.
    pub const fn name(self) -> &'static str {
        match self {
            Order::Relaxed => "relaxed",
            Order::Consume => "consume",
            Order::Acquire => "acquire",
            Order::Release => "release",
            Order::AcqRel => "acq_rel",
            Order::SeqCst => "seq_cst",
        }
    }
}
