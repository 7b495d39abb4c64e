//! `cargo xtask bench against BINARY`: this fencepost beside another one, say that of an earlier
//! commit, on the programs of `static`.
//!
//! Both are asked in turn, and of each the shortest of several runs counts, so that what else the
//! machine does matters little. Ratios are ours : theirs: more than one means that we have become
//! slower.

use std::path::{Path, PathBuf};

use super::families::{FAMILIES, SMALLEST};
use super::measure::Tools;
use super::raw::{Decision, Key, Limits, Run};
use super::{LARGEST, Options, PROGRAMS, published, text};

/// Rounds; those of a short question cost little.
const ROUNDS: usize = 5;
/// After a question that took longer, in seconds, larger members of its family are left out, and it
/// has fewer rounds.
const LONG: f64 = 2.0;
/// Shorter than this, in seconds, a process is mostly started and ended.
const WORTH_COMPARING: f64 = 0.01;

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (other, rest) = arguments.split_first().ok_or("against what? the path of another fencepost")?;
    let options = Options::parse(rest)?;
    let tools = [Tools::find()?, Tools::at(PathBuf::from(other))?];
    std::fs::create_dir_all(PROGRAMS).map_err(|error| format!("{PROGRAMS}: {error}"))?;
    let mut comparison = Comparison { tools, limits: options.limits, times: Vec::new(), bytes: Vec::new() };
    println!("{:28} {:6} {:>10} {:>10} {:>7} {:>7}", "program", "model", "time", "other", "ratio", "memory");
    for (key, file) in published(&options) {
        comparison.ask(&key, &file)?;
    }
    for model in fencepost_model::models::monitored() {
        for family in FAMILIES.iter().filter(|family| family.models.contains(&model.name())) {
            for n in SMALLEST..=LARGEST {
                let program = family.member(n);
                let file = Path::new(PROGRAMS).join(&program).with_extension("fp");
                std::fs::write(&file, family.source(n)).map_err(|error| format!("{}: {error}", file.display()))?;
                let key = Key { program, model: model.name().to_string(), observational: false };
                if options.selects(&key.program) && comparison.ask(&key, &file)? > LONG {
                    break;
                }
            }
        }
    }
    comparison.summarise();
    Ok(())
}

struct Comparison {
    /// Ours, and the other.
    tools: [Tools; 2],
    limits: Limits,
    /// Of the questions that are worth comparing.
    times: Vec<[f64; 2]>,
    bytes: Vec<[f64; 2]>,
}

impl Comparison {
    /// Asks both; returns how long ours took.
    fn ask(&mut self, key: &Key, file: &Path) -> Result<f64, String> {
        let mut best: [Option<Run>; 2] = [None, None];
        for round in 0..ROUNDS {
            if round > 1 && best.iter().flatten().any(|run| run.search > LONG) {
                break;
            }
            for (tool, best) in self.tools.iter().zip(&mut best) {
                let run = tool.fencepost_once(file, key, 1, &self.limits)?;
                if best.as_ref().is_none_or(|best| run.total < best.total) {
                    *best = Some(run);
                }
            }
        }
        let [Some(ours), Some(theirs)] = best else { return Err("no round".into()) };
        if ours.is_decided() && theirs.is_decided() && ours.decision != theirs.decision {
            let answer = |run: &Run| if run.decision == Decision::Holds { "robust" } else { "a violation" };
            let (program, model) = (&key.program, &key.model);
            return Err(format!("{program} ({model}): {} here, {} there", answer(&ours), answer(&theirs)));
        }
        let (times, bytes) = ([ours.total, theirs.total], [ours.bytes as f64, theirs.bytes as f64]);
        if times[1] >= WORTH_COMPARING {
            self.times.push(times);
            self.bytes.push(bytes);
        }
        println!(
            "{:28} {:6} {:>10} {:>10} {:>7.2} {:>7.2}",
            key.program,
            key.model,
            text::seconds(times[0]),
            text::seconds(times[1]),
            times[0] / times[1],
            bytes[0] / bytes[1],
        );
        Ok(ours.search)
    }

    fn summarise(&self) {
        let mean = |pairs: &[[f64; 2]]| {
            text::times(text::geometric_mean(&pairs.iter().map(|[ours, theirs]| ours / theirs).collect::<Vec<_>>()))
        };
        let sum = |place: usize| self.times.iter().map(|pair| pair[place]).sum::<f64>();
        println!(
            "{} questions of at least {}: time {} in the mean, {:.3} in all; memory {} in the mean",
            self.times.len(),
            text::seconds(WORTH_COMPARING),
            mean(&self.times),
            sum(0) / sum(1),
            mean(&self.bytes),
        );
    }
}
