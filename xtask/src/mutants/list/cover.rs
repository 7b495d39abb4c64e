//! Backward coverability.

use super::{Mutant, cover};

const AHEAD: &str = "crates/fencepost-cover/src/ahead.rs";
const LOSRA: &str = "crates/fencepost-cover/src/losra.rs";
const SATURATE: &str = "crates/fencepost-cover/src/saturate.rs";

pub(super) const MUTANTS: &[Mutant] = &[
    cover(
        "cover: a configuration is overtaken by itself",
        SATURATE,
        "&& itself != Some(number)",
        "&& itself != Some(usize::MAX)",
    ),
    cover(
        "cover: an image leaves potentials with their owners",
        LOSRA,
        "self.symmetries[symmetry].threads.get(owner).copied().unwrap_or(owner)",
        "self.symmetries[0].threads.get(owner).copied().unwrap_or(owner)",
    ),
    cover(
        "cover: places are looked up as they are",
        AHEAD,
        "for permutation in &self.permutations {",
        "for permutation in &self.permutations[..1] {",
    ),
];
