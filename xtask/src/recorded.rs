//! `cargo xtask recorded DIR`: compare with verdicts that another tool recorded.
//!
//! TPL files carry headers such as `// ROBUSTNESS egr: robust: ra. not: rlx.`;
//! `egr` is execution-graph robustness, `wegr` observational robustness, whose
//! failure implies that of the former. Where we differ, the definitional
//! oracle decides who is right: "not robust" comes with a run replayed on the
//! axioms, "robust" must be confirmed by enumerating all execution graphs.
//! Known artefacts are explained in `recorded-artefacts.txt`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use fencepost_model::models;
use fencepost_oracle::enumerate::{self, Answer};
use fencepost_verdict::{Budget, Verdict};

use crate::files;

const ARTEFACTS: &str = include_str!("../recorded-artefacts.txt");
const TIME_LIMIT: Duration = Duration::from_secs(120);
const MEMORY_LIMIT: u64 = 8 << 30;
/// Configurations the oracle may visit.
const ORACLE_LIMIT: usize = 1_000_000;

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let [dir] = arguments else { return Err("give the directory with the recorded programs".into()) };
    let artefacts: BTreeMap<&str, &str> =
        ARTEFACTS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": ")).collect();
    let model = models::by_name("ra").ok_or("no model `ra`")?;
    let (mut agreed, mut artefact, mut undecided, mut silent, mut wrong) = (0, 0, 0, 0, 0);
    for file in files::programs(Path::new(dir))? {
        let name = file.strip_prefix(dir).unwrap_or(&file).display().to_string();
        let (program, text) = files::load(&file)?;
        let Some(recorded) = recorded_verdict(&text, "ra") else {
            silent += 1;
            continue;
        };
        let start = Instant::now();
        let budget =
            Budget { max_bytes: MEMORY_LIMIT, expired: &|| start.elapsed() > TIME_LIMIT, ..Budget::unlimited() };
        let outcome = fencepost_check::check(&program, model, &budget).map_err(|error| format!("{name}: {error}"))?;
        let (ours, confirmed) = match outcome.verdict {
            Verdict::Holds if recorded == "robust" => ("robust", true),
            Verdict::Holds => {
                let answer = program.is_loop_free().then(|| enumerate::robust(&program, model, ORACLE_LIMIT));
                ("robust", answer == Some(Answer::Robust))
            }
            Verdict::Violated(_) => ("not robust", true),
            Verdict::Unknown(reason) => {
                undecided += 1;
                println!("unknown   {name}: {reason} after {} states", outcome.stats.states);
                continue;
            }
        };
        let explanation = artefacts.iter().find(|(file, _)| name.ends_with(*file)).map(|(_, reason)| *reason);
        if ours == recorded {
            agreed += 1;
        } else if confirmed {
            artefact += 1;
            let reason = explanation.unwrap_or("not explained yet");
            println!("artefact  {name}: recorded {recorded}, is {ours} by the definition; {reason}");
        } else {
            wrong += 1;
            println!("DISAGREES {name}: recorded {recorded}, is {ours}; too large for the oracle to say who is right");
        }
    }
    println!(
        "{agreed} agree, {artefact} artefacts of the recording, {undecided} undecided, {wrong} disagree, {silent} without a recorded verdict"
    );
    if wrong == 0 { Ok(()) } else { Err("verdicts disagree".into()) }
}

/// What the headers say about robustness against `model`.
fn recorded_verdict(text: &str, model: &str) -> Option<&'static str> {
    let mut verdict = None;
    for header in text.lines().filter_map(|line| line.trim().strip_prefix("// ROBUSTNESS ")) {
        let (notion, claims) = header.split_once(':')?;
        for claim in claims.split('.') {
            let Some((what, models)) = claim.split_once(':') else { continue };
            if !models.split(',').any(|name| name.trim() == model) {
                continue;
            }
            match (notion.trim(), what.trim()) {
                ("egr", "robust") => verdict = Some("robust"),
                // Not even observationally robust: all the less robust.
                (_, "not") => verdict = Some("not robust"),
                _ => {}
            }
        }
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::recorded_verdict;

    #[test]
    fn headers_are_read() {
        let both = "// ROBUSTNESS egr: robust: ra. not: rlx.\n// ROBUSTNESS wegr: robust: ra,rlx.\n";
        assert_eq!(recorded_verdict(both, "ra"), Some("robust"));
        assert_eq!(recorded_verdict(both, "rlx"), Some("not robust"));
        assert_eq!(recorded_verdict("// ROBUSTNESS wegr: not: ra.", "ra"), Some("not robust"));
        assert_eq!(recorded_verdict("// ROBUSTNESS wegr: robust: ra.", "ra"), None);
        assert_eq!(recorded_verdict("max_value 2;", "ra"), None);
    }
}
