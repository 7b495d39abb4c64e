//! `cargo xtask bench files`: what each program costs. One run each, on one core;
//! limits give `unknown`, as everywhere.

use std::path::Path;
use std::time::{Duration, Instant};

use fencepost_check::Question;
use fencepost_model::models;
use fencepost_verdict::{Budget, Verdict};

use crate::files;

const TIME_LIMIT: Duration = Duration::from_secs(120);
const MEMORY_LIMIT: u64 = 8 << 30;

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let default = [String::from("litmus/algorithms")];
    let paths = if arguments.is_empty() { &default[..] } else { arguments };
    println!(
        "{:28} {:6} {:10} {:>12} {:>13} {:>7} {:>10} {:>10} {:>11}",
        "program", "model", "verdict", "states", "transitions", "bits", "time", "memory", "states/s"
    );
    for path in paths {
        for file in files::programs(Path::new(path))? {
            let (program, _) = files::load(&file)?;
            for model in models::checkable() {
                let start = Instant::now();
                let budget = Budget {
                    max_bytes: MEMORY_LIMIT,
                    expired: &|| start.elapsed() > TIME_LIMIT,
                    ..Budget::unlimited()
                };
                let outcome = Question::new(&program, model).robustness(&budget).map_err(|error| error.to_string())?;
                let time = start.elapsed();
                let verdict = match &outcome.verdict {
                    Verdict::Holds => "robust",
                    Verdict::Violated(_) => "violation",
                    Verdict::Unknown(_) => "unknown",
                };
                println!(
                    "{:28} {:6} {:10} {:>12} {:>13} {:>7} {:>8.1}ms {:>7.1}MiB {:>11.0}",
                    file.file_stem().unwrap_or_default().to_string_lossy(),
                    model.name(),
                    verdict,
                    outcome.stats.states,
                    outcome.stats.transitions,
                    outcome.stats.state_bits,
                    time.as_secs_f64() * 1e3,
                    outcome.stats.peak_bytes as f64 / f64::from(1 << 20),
                    outcome.stats.states as f64 / time.as_secs_f64().max(1e-9),
                );
            }
        }
    }
    Ok(())
}
