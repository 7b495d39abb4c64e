//! `cargo xtask bench attacks`: how many states it takes to decide robustness against store
//! buffers, with one delayed store and with many, as in figures 7 and 8 of the paper on locality
//! and singularity (App. E); and attack by attack.
//!
//! By default on `litmus/buffers/appendix-e`, our renderings of the programs of these figures.

use std::path::Path;
use std::time::{Duration, Instant};

use fencepost_attack::{attacks, pairs};
use fencepost_check::{Attacking, Delays, Options, Question, Reductions};
use fencepost_ir::Program;
use fencepost_model::{Buffers, Model, models};
use fencepost_verdict::{Budget, Outcome, Verdict};

use crate::files;

const TIME_LIMIT: Duration = Duration::from_secs(60);
const MEMORY_LIMIT: u64 = 8 << 30;

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let default = [String::from("litmus/buffers/appendix-e")];
    let paths = if arguments.is_empty() { &default[..] } else { arguments };
    println!(
        "| program | model | T | I | robust? | attacks | not ruled out | one | many | one, unreduced | many, unreduced | each \
         | time |"
    );
    println!("|---|---|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for path in paths {
        for file in files::programs(Path::new(path))? {
            let (program, _) = files::load(&file)?;
            for model in models::checkable().filter(|model| model.buffers().is_some()) {
                println!("{}", row(&file.file_stem().unwrap_or_default().to_string_lossy(), &program, model)?);
            }
        }
    }
    Ok(())
}

fn row(name: &str, program: &Program, model: &'static dyn Model) -> Result<String, String> {
    let ask = |delays, reductions, one_by_one| -> Result<(Outcome, Duration), String> {
        let start = Instant::now();
        let budget =
            Budget { max_bytes: MEMORY_LIMIT, expired: &|| start.elapsed() > TIME_LIMIT, ..Budget::unlimited() };
        let options = Options { reductions, ..Options::default() };
        let attacking = Attacking { delays: Some(delays), one_by_one };
        let outcome = Question::new(program, model)
            .with(options)
            .attacking(attacking)
            .robustness(&budget)
            .map_err(|error| error.to_string())?;
        Ok((outcome, start.elapsed()))
    };
    let single =
        model.buffers() == Some(Buffers::PerLocation) && fencepost_check::enough_delays(program, model) == Delays::One;
    let states = |delays, reductions, one_by_one| match delays {
        Delays::One if !single => Ok(String::new()),
        _ => ask(delays, reductions, one_by_one).map(|(outcome, _)| match outcome.verdict {
            Verdict::Unknown(_) => "–".to_owned(),
            _ => outcome.stats.states.to_string(),
        }),
    };
    let (outcome, time) = ask(Delays::One, Reductions::ALL, false)?;
    let robust = match outcome.verdict {
        Verdict::Holds => "yes",
        Verdict::Violated(_) => "no",
        Verdict::Unknown(_) => "?",
    };
    let columns = [
        program.threads().len().to_string(),
        program.size().to_string(),
        robust.to_owned(),
        pairs(program, model).to_string(),
        attacks(program, model).len().to_string(),
        states(Delays::One, Reductions::ALL, false)?,
        states(Delays::Many, Reductions::ALL, false)?,
        states(Delays::One, Reductions::NONE, false)?,
        states(Delays::Many, Reductions::NONE, false)?,
        states(Delays::Many, Reductions::ALL, true)?,
        format!("{:.1} ms", time.as_secs_f64() * 1e3),
    ];
    Ok(format!("| {name} | {} | {} |", model.name(), columns.join(" | ")))
}
