//! Sequential consistency: the program alone, without a monitor.
//!
//! Modelled: what the program does, and its own failures: assertions,
//! divisions by zero, indices out of range. Not modelled: data races, which are
//! a notion of the weaker models. The least that SPIN can be asked about a
//! program, and therefore what every monitor is compared with.

/// Failures of the program are what is looked for.
pub(crate) const FAILURES: &str = "#define FAIL assert(false);\n";

/// Reads are never stale.
pub(crate) const NOTHING_TO_OBSERVE: &str =
    "under sequential consistency no read is stale: there is no observational version";
