//! What accesses do.

/// What an access does to memory, as reports name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// An atomic load.
    Load,
    /// An atomic store.
    Store,
    /// An atomic exchange.
    Exchange,
    /// An atomic addition.
    FetchAdd,
    /// An atomic subtraction.
    FetchSub,
    /// An atomic conjunction.
    FetchAnd,
    /// An atomic disjunction.
    FetchOr,
    /// An atomic exclusive disjunction.
    FetchXor,
    /// An atomic conjunction, negated.
    FetchNand,
    /// An exchange or fetch-and-something of the past: which one is not remembered.
    Rmw,
    /// A strong compare-and-swap.
    CasStrong,
    /// A weak compare-and-swap.
    CasWeak,
    /// A wait for a value.
    Wait,
    /// A compare-and-swap that waits until it succeeds.
    BlockingCas,
    /// A plain read.
    Read,
    /// A plain write.
    Write,
    /// An atomic access that races with a plain one, and does not write.
    AtomicRead,
    /// An atomic access that races with a plain one, and writes.
    AtomicWrite,
}

impl Action {
    /// All of them.
    pub const ALL: [Action; 18] = [
        Action::Load,
        Action::Store,
        Action::Exchange,
        Action::FetchAdd,
        Action::FetchSub,
        Action::FetchAnd,
        Action::FetchOr,
        Action::FetchXor,
        Action::FetchNand,
        Action::Rmw,
        Action::CasStrong,
        Action::CasWeak,
        Action::Wait,
        Action::BlockingCas,
        Action::Read,
        Action::Write,
        Action::AtomicRead,
        Action::AtomicWrite,
    ];

    /// Its name in messages and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Action::Load => "load",
            Action::Store => "store",
            Action::Exchange => "exchange",
            Action::FetchAdd => "fetch-add",
            Action::FetchSub => "fetch-sub",
            Action::FetchAnd => "fetch-and",
            Action::FetchOr => "fetch-or",
            Action::FetchXor => "fetch-xor",
            Action::FetchNand => "fetch-nand",
            Action::Rmw => "rmw",
            Action::CasStrong => "cas-strong",
            Action::CasWeak => "cas-weak",
            Action::Wait => "wait",
            Action::BlockingCas => "bcas",
            Action::Read => "read",
            Action::Write => "write",
            Action::AtomicRead => "atomic-read",
            Action::AtomicWrite => "atomic-write",
        }
    }

    /// Is it what a busy wait is made of?
    pub const fn may_spin(self) -> bool {
        matches!(self, Action::Load | Action::CasStrong | Action::CasWeak)
    }
}
