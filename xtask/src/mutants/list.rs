//! The list of mutants: which rule, in which file, how broken. One file per crate that is broken.

mod attack;
mod check;
mod clock;
mod cover;
mod crowd;
mod executions;
mod explore;
mod model;
mod oracle;
mod search;

/// A way to break the project.
pub(super) struct Mutant {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    /// Occurs exactly once in the file.
    pub(super) from: &'static str,
    pub(super) to: &'static str,
    /// Who must notice. They are asked in turn until one does, the quickest first.
    pub(super) judges: &'static [Judge],
}

/// Arguments of `cargo test`: where tests are.
pub(super) type Judge = &'static [&'static str];

/// Definitions beside monitors, after every step.
const MONITORS: Judge = &["-p", "fencepost-oracle", "--test", "all", "monitor::"];
/// Verdicts beside definitions.
const VERDICTS: Judge = &["-p", "fencepost-testkit", "--test", "all", "--", "agreement::", "observational::"];
/// All that is about definitions.
const DEFINITIONS: Judge = &["-p", "fencepost-oracle"];
/// Everything that compares engines with definitions.
const EVERYTHING: Judge = &["-p", "fencepost-testkit"];
/// A broken reduction gives another verdict than none.
const COMPARISONS: Judge = &["-p", "fencepost-testkit", "--test", "all", "reductions::"];

pub(super) const fn mutant(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &[MONITORS, VERDICTS, DEFINITIONS, EVERYTHING] }
}

const fn reduction(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &[COMPARISONS] }
}

/// A search on a disk, or one that goes on, no longer says what the one in memory says.
const fn disk(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &[&["-p", "fencepost-testkit", "--test", "all", "disk::"]] }
}

/// Sections and bounds are compared with a plain interpreter, and the corpus has some.
const fn section(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &[&["-p", "fencepost-testkit", "--test", "all", "--test", "litmus"]] }
}

const fn clock(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &[&["-p", "fencepost-clock"]] }
}

/// The backward search and opSRA no longer agree.
const fn cover(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &[&["-p", "fencepost-cover"]] }
}

/// What holds for any number of copies no longer agrees with programs of few.
const fn crowd(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &[&["-p", "fencepost-testkit", "--test", "all", "crowds::"]] }
}

/// Machine and axioms no longer agree.
const fn buffers(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &[&["-p", "fencepost-oracle", "--test", "all", "buffers::"]] }
}

/// Attacks and definitions no longer agree.
const fn attack(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &[&["-p", "fencepost-testkit", "--test", "all", "buffers::"]] }
}

/// An argument that does not hold gives another answer than the definitions.
const fn verify(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &[&["-p", "fencepost-testkit", "--test", "all", "verify::"]] }
}

/// Executions are missed, or counted twice.
const fn executions(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &[&["-p", "fencepost-search", "--test", "all", "executions::"]] }
}

/// The monitor of C++20 and its axioms no longer agree.
const fn cpp20(name: &'static str, from: &'static str, to: &'static str) -> Mutant {
    let file = "crates/fencepost-model/src/models/cpp20/monitor.rs";
    Mutant { name, file, from, to, judges: &[&["-p", "fencepost-oracle", "--test", "all", "cpp20_monitor::"]] }
}

/// Races with atomic accesses are missed, or invented.
const fn mixed(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &[&["-p", "fencepost-testkit", "--test", "all", "mixed::"]] }
}

/// What goes wrong after a stale step is no longer what enumeration finds, or depends on how one
/// searches.
const fn onward(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &[&["-p", "fencepost-testkit", "--test", "all", "consequences::"]] }
}

/// The machine of messages and views forgets what can still be read.
const fn views(name: &'static str, from: &'static str, to: &'static str) -> Mutant {
    let file = "crates/fencepost-search/src/views/horizon.rs";
    Mutant { name, file, from, to, judges: &[&["-p", "fencepost-search", "--test", "all", "views::"]] }
}

/// Executions with a few stale steps are no longer those of the oracle.
const fn stray(name: &'static str, from: &'static str, to: &'static str) -> Mutant {
    let file = "crates/fencepost-search/src/stray.rs";
    Mutant { name, file, from, to, judges: &[&["-p", "fencepost-search", "--test", "all", "stray::"]] }
}

/// All of them.
pub(super) fn all() -> impl Iterator<Item = &'static Mutant> {
    let crates = [
        attack::MUTANTS,
        check::MUTANTS,
        clock::MUTANTS,
        cover::MUTANTS,
        crowd::MUTANTS,
        executions::MUTANTS,
        explore::MUTANTS,
        model::MUTANTS,
        oracle::MUTANTS,
        search::MUTANTS,
    ];
    crates.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// Otherwise the list rots between two mutation runs.
    #[test]
    fn every_mutant_fits_the_sources() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        for mutant in super::all() {
            let text = std::fs::read_to_string(root.join(mutant.file)).expect("a source file");
            assert_eq!(text.matches(mutant.from).count(), 1, "{}: {}", mutant.name, mutant.from);
        }
    }
}
