//! What `verify` argues from.

use super::{Mutant, verify};

const VERIFY: &str = "crates/fencepost-check/src/verify.rs";
const EVIDENCE: &str = "crates/fencepost-check/src/verify/evidence.rs";
const COVERABILITY: &str = "crates/fencepost-check/src/verify/coverability.rs";
const RA: &str = "crates/fencepost-model/src/models/ra.rs";
const PSO: &str = "crates/fencepost-model/src/models/pso.rs";
const ENDINGS: &str = "crates/fencepost-check/src/verify/endings.rs";
const EXPLORATION: &str = "crates/fencepost-check/src/verify/exploration.rs";

pub(super) const MUTANTS: &[Mutant] = &[
    verify(
        "verify: a race is told without its second access",
        EVIDENCE,
        "for site in [violation.conflicting, violation.access] {",
        "for site in [violation.conflicting] {",
    ),
    verify("verify: release/acquire does what sra does", RA, "SafeIf::WritesDoNotRace", "SafeIf::Always"),
    verify("verify: sra speaks for pso", PSO, "SafeIf::Never", "SafeIf::Always"),
    verify(
        "verify: relaxed stores release",
        COVERABILITY,
        "Op::Store { order, .. } => Mode::from(*order).releases(),",
        "Op::Store { .. } => true,",
    ),
    verify(
        "verify: executions of sra are executions of every model",
        COVERABILITY,
        "evidence::failing(self.program, self.model, run, site, &kind)",
        "evidence::failing(self.program, models::causal(), run, site, &kind)",
    ),
    verify("verify: coverability answers for races", COVERABILITY, "if can_race(self.program, self.model)", "if false"),
    verify(
        "verify: robust programs need not be safe under sc",
        EXPLORATION,
        "let exploration = fencepost_explore::find_failure(self.program, self.options, slice);",
        "let mut exploration = fencepost_explore::find_failure(self.program, self.options, slice); exploration.sc_failure = None;",
    ),
    verify(
        "verify: conditions see nothing of stale reads",
        VERIFY,
        "if robustness::knows_observation(model) && !has_condition {",
        "if robustness::knows_observation(model) {",
    ),
    verify(
        "verify: the first final states are all of them",
        ENDINGS,
        "let mut extent = Extent::Kinds;",
        "let mut extent = Extent::All; list.truncate(1);",
    ),
];
