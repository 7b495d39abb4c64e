//! `cargo xtask case-study`: the sanitizer on programs that others wrote, and on those of the paper
//! it is after (*Dynamic Robustness Verification Against Weak Memory*, PLDI 2025). Sources come
//! from package registries and are never part of this repository; `docs/case-studies.md` has the
//! results.

mod fig7;
mod hunt;
pub(crate) mod mimalloc;
mod queues;
mod repair;
mod study;

use crate::compilers::Compilers;

/// A case study: its name, what it is about, what it does.
type Entry = (&'static str, &'static str, fn(&Compilers, &Options) -> Result<(), String>);

const STUDIES: &[Entry] = &[
    (
        "fig7",
        "mutual exclusion, event counters and a sequence lock, 2 to 8 threads: runs to the first violation",
        fig7::run,
    ),
    ("mimalloc", "the allocator mimalloc (a published crate), 25 threads that free each other's memory", mimalloc::run),
    ("boost-lockfree", "Boost.Lockfree (from Debian): queue, stack, ring", queues::boost_lockfree),
    ("concurrentqueue", "moodycamel::ConcurrentQueue (from Debian)", queues::concurrentqueue),
    ("atomic-queue", "atomic_queue (from Debian)", queues::atomic_queue),
];

/// What was asked for on the command line.
pub(crate) struct Options {
    /// At most so many runs to find something, or to find nothing; every study has its own default.
    pub(crate) runs: Option<u64>,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let Some((name, rest)) = arguments.split_first() else {
        println!("case studies:");
        for (name, title, _) in STUDIES {
            println!("  cargo xtask case-study {name:16} {title}");
        }
        return Ok(());
    };
    let options = match rest {
        [] => Options { runs: None },
        [flag, number] if flag == "--runs" => {
            Options { runs: Some(number.parse().map_err(|_| "--runs needs a number")?) }
        }
        _ => return Err("a case study takes `--runs N` only".into()),
    };
    let (.., study) = STUDIES
        .iter()
        .find(|(own, ..)| own == name)
        .ok_or_else(|| format!("no case study `{name}`; `cargo xtask case-study` lists them"))?;
    let compilers = Compilers::find()?;
    if let Some((_, reason)) = compilers.missing.iter().find(|(build, _)| *build == crate::compilers::Build::Full) {
        println!("{name}: skipped: {reason}");
        return Ok(());
    }
    study(&compilers, &options)
}
