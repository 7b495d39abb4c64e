//! What follows from the reports of a case, when they are provoked, is what its comments say.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::run::{self, REPORTED, matches};
use crate::suite::{Case, Ranked, RunLine, Seeds};

/// In how many runs each report is provoked.
const TRIES: &str = "8";
/// The same where nothing else is asked: as many as users get.
const MANY_TRIES: &str = "50";
/// The rank of what is harmless.
const HARMLESS: u64 = 4;

/// Each line about ranks is true: in some series for what goes wrong, in all for what is harmless.
pub(crate) fn check(case: &Case, folder: &Path) -> Result<(), String> {
    let mut missing: Vec<&Ranked> = case.ranks.iter().collect();
    let mut repeated = case.waits_outside;
    for line in case.runs.iter().filter(|_| !case.ranks.is_empty()) {
        for (report, told) in series(case, folder, line)? {
            let rank = report["rank"].as_u64();
            let fits = |ranked: &&Ranked| matches(&report, &ranked.finding);
            if let Some(wrong) =
                case.ranks.iter().filter(fits).find(|ranked| rank.is_some_and(|rank| rank < ranked.rank))
            {
                return Err(format!("worse than `{}`: {report:#}\n{told}", wrong.finding.text));
            }
            let effect = &report["provoked"]["consequence"]["kind"];
            let is_so = |ranked: &Ranked| {
                rank == Some(ranked.rank) && ranked.effect.as_ref().is_none_or(|wanted| effect == wanted.as_str())
            };
            missing.retain(|ranked| !(fits(ranked) && is_so(ranked)));
            let consequence = &report["provoked"]["consequence"];
            if !repeated && consequence["reproducible"] == true {
                repeat(folder, consequence)?;
                repeated = true;
            }
        }
    }
    match &*missing {
        [] => Ok(()),
        [first, ..] => Err(format!("rank {} of `{}` does not show", first.rank, first.finding.text)),
    }
}

/// The reports of a series in which they are provoked, and all that was told.
fn series(case: &Case, folder: &Path, line: &RunLine) -> Result<Vec<(Value, String)>, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    let tries = if case.is_about_ranks() { MANY_TRIES } else { TRIES };
    command.current_dir(folder).args(["run", "--format", "json", "--provoke", tries]).args(&line.options);
    match line.seeds {
        Seeds::Runs(runs) => command.args(["--runs", &runs.to_string()]),
        Seeds::Range(from, to) => command.args(["--seeds", &format!("{from}..{to}")]),
    };
    command.args(["--", "./program"]).args(line.args.iter().map(|arg| if arg == "SEED" { "0" } else { arg }));
    let done = run::run(&mut command, 2 * run::PATIENCE)?;
    let reports: Vec<Value> = done.output.lines().filter_map(run::report).collect();
    let wanted = if reports.is_empty() { case.exit } else { Some(REPORTED) };
    if done.status.code() != wanted {
        return Err(format!("{command:?}: {} instead of {wanted:?}\n{}", done.status, done.output));
    }
    let ranked = case.ranks.iter().map(|ranked| &ranked.finding);
    let known: Vec<_> = ranked.chain(case.expected.findings()).chain(&case.allowed).collect();
    if let Some(report) = reports.iter().find(|report| !known.iter().any(|finding| matches(report, finding))) {
        return Err(format!("{command:?}: not expected: {report:#}\n{}", done.output));
    }
    // The worst first; what was never provoked comes before what is harmless.
    let order: Vec<u64> = reports.iter().map(|report| report["rank"].as_u64().unwrap_or(HARMLESS - 1)).collect();
    if !order.is_sorted() {
        return Err(format!("{command:?}: ranks come in the order {order:?}\n{}", done.output));
    }
    Ok(reports.into_iter().map(|report| (report, done.output.clone())).collect())
}

/// The command that a consequence prints has the same consequence.
fn repeat(folder: &Path, consequence: &Value) -> Result<(), String> {
    let done = run::again(folder, consequence["reproduce"].as_str().unwrap_or_default())?;
    // What ordinary runs do as well is not known here: a race may be all that is told.
    let is_more =
        |other: &Value| ["address", "value"].iter().any(|kind| consequence["kind"] == *kind) && other == "race";
    // Where a pointer leads is not the same in each run, but for where in its page.
    let value = |of: &Value| of["value"].as_u64().map(|value| if value >> 32 == 0 { value } else { value & 0xfff });
    let same = |report: &Value| {
        let other = &report["provoked"]["consequence"];
        (other["kind"] == consequence["kind"] || is_more(&other["kind"])) && value(other) == value(consequence)
    };
    match done.output.lines().filter_map(run::report).any(|report| same(&report)) {
        true => Ok(()),
        false => Err(format!("does not show again: {consequence:#}\n{}", done.output)),
    }
}
