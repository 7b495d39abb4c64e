//! What was measured, as it is kept between runs.

use serde::{Deserialize, Serialize};

use super::super::machine::Machine;
use crate::compilers::Build;

/// Everything measured so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Raw {
    pub(crate) machine: Machine,
    /// What a reader of the figures must know.
    pub(crate) notes: Vec<String>,
    pub(crate) rows: Vec<Row>,
}

/// A program with its arguments, and what became of each build.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) program: String,
    pub(crate) arguments: Vec<u64>,
    /// Does it count in the means?
    pub(crate) in_suite: bool,
    /// How often each was run.
    pub(crate) runs: usize,
    pub(crate) outcomes: Vec<(Build, Outcome)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    Done(Run),
    Failed(String),
}

/// One run, or the middle of several. Times are in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) wall: f64,
    pub(crate) user: f64,
    /// The greatest resident size.
    pub(crate) bytes: u64,
    /// Reports that were printed.
    pub(crate) reports: u64,
}

impl Run {
    /// The middle of each figure.
    pub(crate) fn middle(runs: &[Run]) -> Run {
        Run {
            wall: middle(runs, |run| run.wall),
            user: middle(runs, |run| run.user),
            bytes: middle(runs, |run| run.bytes as f64) as u64,
            reports: middle(runs, |run| run.reports as f64) as u64,
        }
    }
}

fn middle(runs: &[Run], figure: fn(&Run) -> f64) -> f64 {
    let mut figures: Vec<f64> = runs.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

impl Raw {
    pub(crate) fn row(&self, program: &str, arguments: &[u64]) -> Option<&Row> {
        self.rows.iter().find(|row| row.program == program && row.arguments == arguments)
    }

    /// Programs that did not end as they should, and how.
    pub(crate) fn failures(&self) -> impl Iterator<Item = String> {
        self.rows.iter().flat_map(|row| {
            row.outcomes.iter().filter_map(|(build, outcome)| match outcome {
                Outcome::Failed(reason) => Some(format!("{} ({}): {reason}", row.program, build.name())),
                Outcome::Done(_) => None,
            })
        })
    }
}

impl Row {
    /// The run of a build, if it went well.
    pub(crate) fn run(&self, build: Build) -> Option<&Run> {
        self.outcomes.iter().find_map(|(own, outcome)| match outcome {
            Outcome::Done(run) if *own == build => Some(run),
            _ => None,
        })
    }

    /// How a figure of one build compares with that of another.
    pub(crate) fn ratio(&self, build: Build, to: Build, figure: fn(&Run) -> f64) -> Option<f64> {
        Some(figure(self.run(build)?) / figure(self.run(to)?)).filter(|ratio| ratio.is_finite() && *ratio > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(wall: f64, user: f64) -> Run {
        Run { wall, user, bytes: 1, reports: 0 }
    }

    #[test]
    fn the_middle_is_of_each_figure() {
        let all = [run(3.0, 1.0), run(1.0, 9.0), run(2.0, 4.0)];
        assert_eq!(Run::middle(&all), run(2.0, 4.0));
    }

    #[test]
    fn there_is_no_ratio_to_what_failed() {
        let outcomes = vec![
            (Build::Native, Outcome::Done(run(1.0, 0.0))),
            (Build::Tsan, Outcome::Failed("no".into())),
            (Build::Full, Outcome::Done(run(5.0, 5.0))),
        ];
        let row = Row { program: "p".into(), arguments: vec![4, 7], in_suite: true, runs: 1, outcomes };
        assert_eq!(row.ratio(Build::Full, Build::Native, |run| run.wall), Some(5.0));
        assert_eq!(row.ratio(Build::Full, Build::Native, |run| run.user), None);
        assert_eq!(row.ratio(Build::Full, Build::Tsan, |run| run.wall), None);
        let raw = Raw { machine: Machine::this(&[]), notes: Vec::new(), rows: vec![row] };
        assert_eq!(raw.failures().collect::<Vec<_>>(), ["p (tsan): no"]);
        assert!(raw.row("p", &[4, 7]).is_some() && raw.row("p", &[4, 8]).is_none());
    }
}
