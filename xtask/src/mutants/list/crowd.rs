//! Any number of copies of a thread.

use super::{Mutant, crowd};

const BACKWARD: &str = "crates/fencepost-crowd/src/backward.rs";
const COPIES: &str = "crates/fencepost-check/src/copies.rs";
const FORWARD: &str = "crates/fencepost-crowd/src/forward.rs";
const NUMBERED: &str = "crates/fencepost-crowd/src/numbered.rs";
const STEPS: &str = "crates/fencepost-explore/src/product/crowd.rs";

pub(super) const MUTANTS: &[Mutant] = &[
    crowd(
        "crowd: no other copy takes a step",
        FORWARD,
        "if !rests.iter().all(|rest| self.places[&control].done.contains(rest)) {",
        "if !rests.is_empty() {",
    ),
    crowd(
        "crowd: two copies are never wrong",
        FORWARD,
        "(0..at).map(move |other| (other, at))",
        "(at..at).map(move |other| (other, at))",
    ),
    crowd(
        "crowd: nobody fails in a view",
        FORWARD,
        "self.seen.wrong |= self.wanted.is_failure(fails);",
        "self.seen.wrong |= self.wanted.is_failure(fails.filter(|_| false));",
    ),
    crowd(
        "crowd: a watch begins for its writer only",
        NUMBERED,
        "let Some(renewal) = renewal else { return local };",
        "let Some(renewal) = renewal.filter(|_| false) else { return local };",
    ),
    crowd("crowd: two copies are no target", BACKWARD, "add(&[other, one], numbered);", "add(&[other], numbered);"),
    crowd(
        "crowd: failures are no targets",
        BACKWARD,
        "if wanted.is_failure(step.fails) {",
        "if wanted.is_failure(step.fails.filter(|_| false)) {",
    ),
    crowd(
        "crowd: before a watch copies were as they are in it",
        BACKWARD,
        "Some(renewal) => (kind, *self.before.get(&(renewal, kind, local))?),",
        "Some(_) => (kind, local),",
    ),
    crowd(
        "crowd: one copy is as good as two",
        BACKWARD,
        "let mut high = high.copies.iter();\n        low.copies.iter().all(|copy| high.by_ref().any(|other| other == copy))",
        "low.copies.iter().all(|copy| high.copies.contains(copy))",
    ),
    crowd(
        "crowd: the attacker is one of the helpers",
        COPIES,
        "Answer::With(copies) => Answer::With(copies + 1),",
        "Answer::With(copies) => Answer::With(copies),",
    ),
    crowd(
        "crowd: all rows are the same under every watch",
        STEPS,
        "let rows = self.rows[self.product.watch(state)][t].iter().map(|slot| slot.get(state)).collect();",
        "let rows = self.rows[0][t].iter().map(|slot| slot.get(state)).collect();",
    ),
];
