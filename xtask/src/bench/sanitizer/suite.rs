//! The programs, and what they are given to do.

use std::path::Path;

use crate::case_study::mimalloc;
use crate::compilers::Sources;

/// Where the sources are.
const DIR: &str = "bench/sanitizer";

/// What a program is measured for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It counts in the means.
    Suite,
    /// A case study, on its own.
    Study,
    /// Only for a plot.
    Plot,
}

/// A program and its arguments, one row for each: threads first, then how much work there is.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) arguments: &'static [&'static [u64]],
}

/// Accesses in all, for the plots over threads and locations.
pub(crate) const ACCESSES: u64 = 3_000_000;
/// Locations in the plot over threads.
pub(crate) const LOCATIONS: u64 = 1000;
/// Threads in the plot over locations.
pub(crate) const THREADS: u64 = 4;

const fn suite(name: &'static str, arguments: &'static [&'static [u64]]) -> Program {
    Program { name, kind: Kind::Suite, arguments }
}

pub(crate) const PROGRAMS: &[Program] = &[
    suite("spsc_ring", &[&[4, 3_000_000]]),
    suite("mpmc_queue", &[&[4, 1_000_000]]),
    suite("seqlock", &[&[4, 3_000_000]]),
    suite("spin_lock", &[&[4, 2_000_000]]),
    suite("ticket_lock", &[&[4, 200_000]]),
    suite("mcs_lock", &[&[4, 200_000]]),
    suite("mutex_map", &[&[4, 1_000_000]]),
    suite("rwlock", &[&[4, 1_000_000]]),
    suite("rcu", &[&[4, 1_500_000]]),
    suite("hazard", &[&[4, 500_000]]),
    suite("work_stealing", &[&[4, 3_000_000]]),
    suite("matrix", &[&[4, 500]]),
    suite("sort", &[&[4, 3_000_000]]),
    suite("strings", &[&[4, 100_000]]),
    suite("allocation", &[&[4, 1_500_000]]),
    suite("condvar", &[&[4, 300_000]]),
    suite("counters", &[&[4, 4_000_000]]),
    suite("shared_ptr", &[&[4, 400_000]]),
    Program { name: "mimalloc", kind: Kind::Study, arguments: &[&[25, 200]] },
    Program {
        name: "scaling",
        kind: Kind::Plot,
        arguments: &[
            &[2, ACCESSES, LOCATIONS],
            &[4, ACCESSES, LOCATIONS],
            &[8, ACCESSES, LOCATIONS],
            &[16, ACCESSES, LOCATIONS],
            &[32, ACCESSES, LOCATIONS],
            &[64, ACCESSES, LOCATIONS],
            &[THREADS, ACCESSES, 10],
            &[THREADS, ACCESSES, 100],
            &[THREADS, ACCESSES, 10_000],
            &[THREADS, ACCESSES, 100_000],
            &[THREADS, ACCESSES, 1_000_000],
        ],
    },
    Program {
        name: "passing",
        kind: Kind::Plot,
        arguments: &[&[2, 1000], &[2, 10_000], &[2, 100_000], &[2, 1_000_000], &[2, 10_000_000]],
    },
];

impl Program {
    /// What it is compiled from.
    pub(crate) fn sources(&self) -> Result<Sources, String> {
        if self.kind == Kind::Study {
            return mimalloc::sources();
        }
        let c = Path::new(DIR).join(self.name).with_extension("c");
        Ok(Sources::file(if c.exists() { c } else { c.with_extension("cpp") }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything in the list is there, and everything there is in the list.
    #[test]
    fn the_list_is_the_folder() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(DIR);
        let mut found: Vec<String> = std::fs::read_dir(dir)
            .expect("the folder")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|extension| extension != "h"))
            .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
            .collect();
        found.sort();
        let mut listed: Vec<&str> =
            PROGRAMS.iter().filter(|program| program.kind != Kind::Study).map(|program| program.name).collect();
        listed.sort_unstable();
        assert_eq!(found, listed);
    }
}
