//! Programs as in the paper's Fig. 7: how many runs it takes to find the first violation, under
//! each schedule; and that nothing is found in the robust versions.

use std::path::{Path, PathBuf};

use super::Options;
use super::hunt::Hunt;
use crate::bench::text::seconds;
use crate::compilers::{Build, Compilers, Sources};

const SOURCES: &str = "bench/case-studies/fig7";
const DIR: &str = "target/case-studies/fig7";
const PROGRAMS: [&str; 5] = ["dekker", "peterson", "lamport", "event_counters", "seqlock"];
const THREADS: [u64; 4] = [2, 3, 4, 8];
const SCHEDULES: [&str; 3] = ["os", "random", "pct:3"];
/// Times that each thread does what it does.
const ROUNDS: u64 = 2;
/// Runs after which the search for a violation is given up.
const RUNS: u64 = 1000;

pub(crate) fn run(compilers: &Compilers, options: &Options) -> Result<(), String> {
    std::fs::create_dir_all(DIR).map_err(|error| format!("{DIR}: {error}"))?;
    let runs = options.runs.unwrap_or(RUNS);
    println!(
        "| program | threads | schedule | runs to the first violation | time | robust version: runs | reports | time |"
    );
    println!("|---|--:|---|--:|--:|--:|--:|--:|");
    let mut wrong = Vec::new();
    for name in PROGRAMS {
        let plain = build(compilers, name, false)?;
        let robust = build(compilers, name, true)?;
        for threads in THREADS {
            for schedule in SCHEDULES {
                let hunt = |program: &Path, runs, halt, races| {
                    let arguments = &[threads, ROUNDS];
                    Hunt { fencepost: &compilers.fencepost, schedule, program, arguments, runs, halt, races }.run()
                };
                // One lucky or unlucky seed says little, but the first is what a user sees.
                let found = hunt(&plain, runs, true, false)?;
                let first = if found.violations.is_empty() { format!("> {runs}") } else { found.runs.to_string() };
                // A tenth is enough to see what each run costs; the test suite does more.
                let silent = hunt(&robust, runs.div_ceil(10), false, true)?;
                let reports = silent.violations.len() + silent.races.len();
                println!(
                    "| {name} | {threads} | {schedule} | {first} | {} | {} | {reports} | {} |",
                    seconds(found.seconds),
                    silent.runs,
                    seconds(silent.seconds)
                );
                if reports > 0 {
                    let titles = silent.violations.iter().map(|violation| &violation.title).chain(&silent.races);
                    wrong.push(format!(
                        "{name}, {threads} threads, {schedule}: {}",
                        titles.map(String::as_str).collect::<Vec<_>>().join("; ")
                    ));
                }
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("reports on robust programs:\n{}", wrong.join("\n"))) }
}

fn build(compilers: &Compilers, name: &str, robust: bool) -> Result<PathBuf, String> {
    let mut sources = Sources::file(Path::new(SOURCES).join(name).with_extension("c"));
    let mut output = Path::new(DIR).join(name);
    if robust {
        sources.flags.push("-DROBUST".into());
        output.set_extension("robust");
    }
    compilers.compile(Build::Full, &sources, &output)?;
    Ok(output)
}
