//! `cargo xtask recorded DIR`: compare with verdicts that another tool recorded.
//!
//! TPL files carry headers such as `// ROBUSTNESS egr: robust: ra. not: rlx.`;
//! `egr` is execution-graph robustness, `wegr` observational robustness, whose
//! failure implies that of the former. Where we differ about the former, the
//! definitional oracle decides who is right: "not robust" comes with a run
//! replayed on the axioms, "robust" must be confirmed by enumerating all
//! execution graphs. Known artefacts are explained in `recorded-artefacts.txt`.
//!
//! Comments of Trencher's files are read too, in any case of letters: `# IS robust.`
//! and `# IS NOT robust.` are verdicts about tso, unless `under MODEL` follows;
//! so is `but not robust under PSO` about pso.

use std::num::NonZero;
use std::path::Path;
use std::time::{Duration, Instant};

use fencepost_check::{Options, Question};
use fencepost_ir::Program;
use fencepost_lower::Language;
use fencepost_model::models;
use fencepost_oracle::enumerate::{self, Answer};
use fencepost_verdict::{Budget, Verdict};

use crate::files;

const ARTEFACTS: &str = include_str!("../recorded-artefacts.txt");
const TIME_LIMIT: Duration = Duration::from_secs(120);
const MEMORY_LIMIT: u64 = 8 << 30;
/// Configurations the oracle may visit.
const ORACLE_LIMIT: usize = 1_000_000;

/// The recorded names of models, and ours.
const MODELS: &[(&str, &str)] = &[("ra", "ra"), ("rlx", "rc20")];

/// The models that comments of Trencher's files may be about; the first one if none is named.
const MACHINES: &[&str] = &["tso", "pso", "pgas"];

/// What a verdict is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Notion {
    Robustness,
    Observational,
}

/// How many of which.
#[derive(Default)]
struct Tally {
    agreed: usize,
    artefacts: usize,
    undecided: usize,
    wrong: usize,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let [dir] = arguments else { return Err("give the directory with the recorded programs".into()) };
    let mut tally = Tally::default();
    for file in files::programs(Path::new(dir))? {
        let name = file.strip_prefix(dir).unwrap_or(&file).display().to_string();
        let (program, text) = files::load(&file)?;
        if Language::from_path(&file) == Some(Language::Txt) {
            for model in MACHINES {
                if let Some(recorded) = commented_verdict(&text, model) {
                    compare(&name, &program, model, Notion::Robustness, recorded, &mut tally)?;
                }
            }
            continue;
        }
        for (recorded_name, model) in MODELS {
            for notion in [Notion::Robustness, Notion::Observational] {
                if let Some(recorded) = recorded_verdict(&text, recorded_name, notion) {
                    compare(&name, &program, model, notion, recorded, &mut tally)?;
                }
            }
        }
    }
    let Tally { agreed, artefacts, undecided, wrong } = tally;
    println!(
        "{agreed} verdicts agree, {artefacts} artefacts of the recording, {undecided} undecided, {wrong} disagree"
    );
    if wrong == 0 { Ok(()) } else { Err("verdicts disagree".into()) }
}

fn compare(
    name: &str,
    program: &Program,
    model: &str,
    notion: Notion,
    recorded: &str,
    tally: &mut Tally,
) -> Result<(), String> {
    let model = models::by_name(model).ok_or_else(|| format!("no model `{model}`"))?;
    let start = Instant::now();
    let budget = Budget { max_bytes: MEMORY_LIMIT, expired: &|| start.elapsed() > TIME_LIMIT, ..Budget::unlimited() };
    let jobs = std::thread::available_parallelism().map_or(1, NonZero::get);
    let options = Options { observational: notion == Notion::Observational, jobs, ..Options::default() };
    let outcome =
        Question::new(program, model).with(options).robustness(&budget).map_err(|error| format!("{name}: {error}"))?;
    let (ours, confirmed) = match outcome.verdict {
        Verdict::Holds if recorded == "robust" => ("robust", true),
        Verdict::Holds if notion == Notion::Observational => ("robust", false),
        Verdict::Holds => {
            let answer = program.is_loop_free().then(|| enumerate::robust(program, model, ORACLE_LIMIT));
            ("robust", answer == Some(Answer::Robust))
        }
        Verdict::Violated(_) => ("not robust", true),
        Verdict::Unknown(reason) => {
            tally.undecided += 1;
            println!("unknown   {name} {}: {reason} after {} states", model.name(), outcome.stats.states);
            return Ok(());
        }
    };
    let model = model.name();
    if ours == recorded {
        tally.agreed += 1;
    } else if confirmed {
        tally.artefacts += 1;
        let reason = artefact(name, model).unwrap_or("not explained yet");
        println!("artefact  {name} {model}: recorded {recorded}, is {ours} by the definition; {reason}");
    } else {
        tally.wrong += 1;
        println!(
            "DISAGREES {name} {model}: recorded {recorded}, is {ours}; too large for the oracle to say who is right"
        );
    }
    Ok(())
}

/// The explanation of an artefact, from lines `FILE MODEL: reason`.
fn artefact(name: &str, model: &str) -> Option<&'static str> {
    ARTEFACTS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": ")).find_map(
        |(what, reason)| {
            let (file, of) = what.split_once(' ')?;
            (name.ends_with(file) && of == model).then_some(reason)
        },
    )
}

/// What the comments of one of Trencher's files say about `model`; of several verdicts, the first.
fn commented_verdict(text: &str, model: &str) -> Option<&'static str> {
    let comments = text.lines().filter_map(|line| line.trim().strip_prefix('#'));
    let claims: Vec<String> = comments.flat_map(|line| line.split(['.', ','])).map(str::to_lowercase).collect();
    claims.iter().find_map(|claim| {
        let words: Vec<&str> = claim.split_whitespace().collect();
        let at = words.iter().position(|&word| word == "robust")?;
        let about = match words.get(at + 1..at + 3) {
            Some(["under", about]) => about,
            _ => MACHINES[0],
        };
        let verdict = match words[..at] {
            [.., "not"] => "not robust",
            [.., "is"] => "robust",
            _ => return None,
        };
        (about == model).then_some(verdict)
    })
}

/// What the headers say about `model`.
fn recorded_verdict(text: &str, model: &str, notion: Notion) -> Option<&'static str> {
    let mut verdict = None;
    for header in text.lines().filter_map(|line| line.trim().strip_prefix("// ROBUSTNESS ")) {
        let (about, claims) = header.split_once(':')?;
        for claim in claims.split('.') {
            let Some((what, models)) = claim.split_once(':') else { continue };
            if !models.split(',').any(|name| name.trim() == model) {
                continue;
            }
            match (notion, about.trim(), what.trim()) {
                (Notion::Robustness, "egr", "robust") | (Notion::Observational, "wegr", "robust") => {
                    verdict = Some("robust");
                }
                // Not even observationally robust: all the less robust.
                (_, "wegr", "not") | (Notion::Robustness, "egr", "not") => verdict = Some("not robust"),
                _ => {}
            }
        }
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::{Notion, commented_verdict, recorded_verdict};

    #[test]
    fn comments_are_read() {
        assert_eq!(commented_verdict("#\n# IS robust.\n", "tso"), Some("robust"));
        assert_eq!(commented_verdict("# IS NOT robust, because nobody waits.", "tso"), Some("not robust"));
        assert_eq!(commented_verdict("# The program is NOT robust.", "tso"), Some("not robust"));
        assert_eq!(commented_verdict("# IS robust.", "pso"), None);
        assert_eq!(commented_verdict("# IS robust. But NOT triangular-race-free.", "tso"), Some("robust"));
        let both = "# A program which is robust under TSO, but not robust under PSO.";
        assert_eq!(commented_verdict(both, "tso"), Some("robust"));
        assert_eq!(commented_verdict(both, "pso"), Some("not robust"));
        assert_eq!(commented_verdict("# A robust program with a race.", "tso"), None);
        assert_eq!(commented_verdict("thread robust", "tso"), None);
    }

    #[test]
    fn headers_are_read() {
        let plain = |text, model| recorded_verdict(text, model, Notion::Robustness);
        let observational = |text, model| recorded_verdict(text, model, Notion::Observational);
        let both = "// ROBUSTNESS egr: robust: ra. not: rlx.\n// ROBUSTNESS wegr: robust: ra,rlx.\n";
        assert_eq!(plain(both, "ra"), Some("robust"));
        assert_eq!(plain(both, "rlx"), Some("not robust"));
        assert_eq!(observational(both, "rlx"), Some("robust"));
        assert_eq!(plain("// ROBUSTNESS wegr: not: ra.", "ra"), Some("not robust"));
        assert_eq!(plain("// ROBUSTNESS wegr: robust: ra.", "ra"), None);
        assert_eq!(observational("// ROBUSTNESS egr: not: ra.", "ra"), None);
        assert_eq!(plain("max_value 2;", "ra"), None);
    }
}
