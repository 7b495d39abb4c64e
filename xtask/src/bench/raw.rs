//! What was measured, as it is kept between runs: from it the table and the
//! plots are made, and an interrupted run goes on.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::machine::Machine;

/// Everything measured so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Raw {
    pub(crate) machine: Machine,
    pub(crate) limits: Limits,
    pub(crate) rows: Vec<Row>,
}

/// Limits of each tool on each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Limits {
    pub(crate) seconds: u64,
    pub(crate) gibibytes: u64,
}

/// A question, named.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Key {
    /// The program.
    pub(crate) program: String,
    /// The memory model.
    pub(crate) model: String,
    /// Is the question observational robustness?
    pub(crate) observational: bool,
}

/// What each tool made of a question. A tool that was not there, or that had failed on a smaller
/// program, has no run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    #[serde(flatten)]
    pub(crate) key: Key,
    /// fencepost on one core.
    pub(crate) fencepost: Option<Run>,
    /// fencepost on two cores; only where one needs long.
    pub(crate) two_jobs: Option<Run>,
    /// SPIN on the program with the monitor woven in.
    pub(crate) spin: Option<Run>,
    /// SPIN on the program as it is: assertions under SC only.
    pub(crate) spin_sc: Option<Run>,
}

/// One run of one tool. Times are in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) decision: Decision,
    /// From the source file to the answer.
    pub(crate) total: f64,
    /// Of that: from the source file to Promela (SPIN only).
    pub(crate) export: f64,
    /// From Promela to C (SPIN only).
    pub(crate) translate: f64,
    /// From C to a verifier (SPIN only).
    pub(crate) compile: f64,
    /// The search itself.
    pub(crate) search: f64,
    /// States stored.
    pub(crate) states: u64,
    /// Transitions taken.
    pub(crate) transitions: u64,
    /// Memory: the greatest resident size of the process (fencepost), the verifier's own account
    /// (SPIN).
    pub(crate) bytes: u64,
}

impl Run {
    /// A tool that cannot be asked.
    pub(crate) fn impossible(reason: String) -> Self {
        Run {
            decision: Decision::Undecided(reason),
            total: 0.0,
            export: 0.0,
            translate: 0.0,
            compile: 0.0,
            search: 0.0,
            states: 0,
            transitions: 0,
            bytes: 0,
        }
    }

    pub(crate) fn is_decided(&self) -> bool {
        !matches!(self.decision, Decision::Undecided(_))
    }
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Decision {
    /// The property holds.
    Holds,
    /// It does not.
    Violated,
    /// No answer, for this reason.
    Undecided(String),
}

/// The run, if there is one that answered.
pub(crate) fn decided(run: Option<&Run>) -> Option<&Run> {
    run.filter(|run| run.is_decided())
}

impl Raw {
    /// Where it is kept.
    pub(crate) fn path() -> PathBuf {
        PathBuf::from("target/bench/static.json")
    }

    /// The row of a question.
    pub(crate) fn row(&self, key: &Key) -> Option<&Row> {
        self.rows.iter().find(|row| row.key == *key)
    }

    /// The row of a question; an empty one if there is none yet.
    pub(crate) fn row_mut(&mut self, key: &Key) -> &mut Row {
        let index = self.rows.iter().position(|row| row.key == *key).unwrap_or_else(|| {
            self.rows.push(Row { key: key.clone(), fencepost: None, two_jobs: None, spin: None, spin_sc: None });
            self.rows.len() - 1
        });
        &mut self.rows[index]
    }
}
