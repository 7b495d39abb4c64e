//! How to explore.

/// How to explore; the verdict is the same in every way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What is not explored because it makes no difference.
    pub reductions: Reductions,
    /// Let reads be stale as long as nothing depends on them (observational robustness): another
    /// question.
    pub observational: bool,
    /// Threads to search with.
    pub jobs: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { reductions: Reductions::ALL, observational: false, jobs: 1 }
    }
}

/// Which reductions to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reductions {
    /// Follow one stale write at a time instead of all at once.
    pub watch_one: bool,
    /// Of interleavings of independent steps, explore one.
    pub por: bool,
    /// Of states that differ by a permutation of threads with the same code, explore one.
    pub symmetry: bool,
    /// Forget what the monitor knows for the benefit of threads that can make no use of it.
    pub dead_bits: bool,
    /// Forget registers nobody reads again.
    pub dead_registers: bool,
    /// Treat accesses to locations that only one thread uses as local steps.
    pub private_locations: bool,
}

impl Reductions {
    /// Every reduction.
    pub const ALL: Reductions = Reductions {
        watch_one: true,
        por: true,
        symmetry: true,
        dead_bits: true,
        dead_registers: true,
        private_locations: true,
    };

    /// None: every SC run, with the whole monitor.
    pub const NONE: Reductions = Reductions {
        watch_one: false,
        por: false,
        symmetry: false,
        dead_bits: false,
        dead_registers: false,
        private_locations: false,
    };
}
