//! Backward coverability.

use super::{Mutant, cover};

const AHEAD: &str = "crates/fencepost-cover/src/ahead.rs";
const ORDER: &str = "crates/fencepost-cover/src/losra/order.rs";
const QUESTION: &str = "crates/fencepost-cover/src/question.rs";
const SATURATE: &str = "crates/fencepost-cover/src/saturate.rs";
const UNDO: &str = "crates/fencepost-cover/src/losra/undo.rs";

pub(super) const MUTANTS: &[Mutant] = &[
    cover(
        "cover: a configuration is overtaken by itself",
        SATURATE,
        "&& itself != Some(number)",
        "&& itself != Some(usize::MAX)",
    ),
    cover(
        "cover: an image leaves potentials with their owners",
        ORDER,
        "self.symmetries[symmetry].threads.get(owner).copied().unwrap_or(owner)",
        "self.symmetries[0].threads.get(owner).copied().unwrap_or(owner)",
    ),
    cover(
        "cover: places are looked up as they are",
        AHEAD,
        "for permutation in &self.permutations {",
        "for permutation in &self.permutations[..1] {",
    ),
    cover(
        "cover: where more is unreadable, more can be read",
        AHEAD,
        "if sets.iter().any(|known| unreadable.contains(known)) {",
        "if sets.iter().any(|known| known.contains(unreadable)) {",
    ),
    cover(
        "cover: who makes the guessed write need not know of it",
        UNDO,
        "if knows_not(potentials[thread]) {",
        "if false {",
    ),
    cover(
        "cover: plain reads race with nobody",
        QUESTION,
        "matches!(self, Question::DataRace).then_some(loc)",
        "Some(loc).filter(|_| false)",
    ),
    cover(
        "cover: a batch is not compared with itself",
        SATURATE,
        "if self.is_covered(fresh, &configuration, None) {",
        "if false {",
    ),
];
