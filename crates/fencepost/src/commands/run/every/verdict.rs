//! What was found, and what that says of the test.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use fencepost_executions::Trouble;
use fencepost_protocol::exploration::{Decisions, Step};
use fencepost_schedules::Divergence;

use super::explorer::Counts;
use super::follows::AllFollows;
use crate::args::FailOn;
use crate::commands::run::signals;

/// What is wrong with the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Bug {
    /// It was ended by a signal.
    Signal(i32),
    /// It ended with this exit code.
    Status(i32),
    /// No thread could go on.
    Stuck,
    /// A data race, by its number.
    Race(u64),
    /// A violation of robustness, by its number.
    Violation(u64),
}

/// What stands in the way of an exact answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Obstacle {
    /// The time was over.
    Time,
    /// There were to be no more runs than these.
    Runs(u64),
    /// The user has ended it.
    Interrupted,
    /// A run did not come to an end.
    Hung,
    /// A run had too many steps.
    TooLong,
    /// A run did something else than the one before, and what.
    Diverged(String),
    /// A process ended without a word.
    Silent,
    /// Threads ran when the process ended.
    Outlived,
    /// A history was cut.
    Cut,
    /// A write was not seen.
    OutOfSight,
    /// Accesses of different sizes overlap.
    Mixed,
    /// Rounds of a loop were left out.
    Rounds,
    /// Schedules with more preemptions were left out.
    Preemptions,
    /// A run with a step that uses an overwritten write is not what the axioms permit, and how to
    /// see it.
    NotConfirmed(String),
    /// Something is not modelled in executions that are not SC, and what.
    NotModelled(&'static str),
    /// Something that is not to be told has ended the exploration.
    Suppressed,
    /// Something else.
    Other(String),
}

/// Everything that was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// What is wrong, and a schedule that shows it.
    pub(super) bugs: BTreeMap<Bug, Decisions>,
    pub(super) obstacles: BTreeSet<Obstacle>,
    /// The exploration has ended with a bug: there may be more to see.
    pub(super) is_cut: bool,
    /// Different violations and races that are not to be told.
    pub(super) left_out: u64,
    pub(super) counts: Counts,
    pub(super) time: Duration,
    /// How much of that it took until the first run was over: most of it is to start the program.
    pub(super) starting: Duration,
    /// All schedules with at most so many preemptions were seen, if they are counted.
    pub(super) preemptions: Option<u32>,
    /// Were executions explored that are not SC?
    pub(super) is_weak: bool,
    /// What follows from what is not robust, if that was explored.
    pub(super) follows: AllFollows,
}

/// How the test is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing is wrong in any execution.
    Exhausted,
    /// Nothing is wrong in any execution, but for further rounds of loops that wait.
    Bounded,
    /// Something is wrong.
    Found,
    /// Something stands in the way.
    Unknown,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Verdict::Exhausted => "exhausted",
            Verdict::Bounded => "bounded",
            Verdict::Found => "bug",
            Verdict::Unknown => "unknown",
        }
    }

    /// The same, for people.
    fn sentence(self, found: &Found) -> String {
        let is_weak = found.is_weak;
        let exact = if is_weak { "no data race, no failure in any execution under cpp20" } else { ROBUST };
        match self {
            Verdict::Exhausted => format!("EXHAUSTED: {exact}"),
            Verdict::Bounded => format!("BOUNDED: {exact}"),
            Verdict::Found => format!("BUG: {}", found.what_is_wrong()),
            Verdict::Unknown => "UNKNOWN: nothing was found, but not everything was seen".to_string(),
        }
    }
}

/// What a test is whose schedules are exhausted.
const ROBUST: &str = "robust against cpp20, no data race, no failure";

/// How the test is if only some of what is wrong counts (`--fail-on`): from what was explored first,
/// and what was explored `beyond` it.
pub(super) fn that_counts(found: &Found, beyond: Option<&Found>, on: FailOn) -> Verdict {
    let explored = || std::iter::once(found).chain(beyond);
    let counts = |found: &Found| {
        let follows = found.follows.bugs(&found.bugs);
        found.bugs.keys().chain(follows.keys()).any(|bug| bug.counts(on))
    };
    let is_open = beyond.is_none() && found.bugs.keys().any(|bug| matches!(bug, Bug::Violation(_)));
    match () {
        () if explored().any(counts) => Verdict::Found,
        // What is not robust may do harm in executions that nobody has looked at.
        () if is_open || explored().any(|found| found.is_cut) => Verdict::Unknown,
        () => beyond.unwrap_or(found).without_bugs(),
    }
}

/// What is said at the end: of what was explored first, and of what was explored `beyond` it because
/// the test is not robust.
pub(super) fn summary(found: &Found, beyond: Option<&Found>) -> fencepost_sanitizer::Exploration {
    let mut exploration = found.summary();
    if let Some(beyond) = beyond {
        let summary = beyond.summary();
        // What fails is worse than what is not robust.
        if let Some(bug) = beyond.bugs.keys().next() {
            exploration.text = format!("BUG: {}, and {}", bug.sentence(), exploration.text.trim_start_matches("BUG: "));
        }
        exploration.text += &format!("\nfencepost: executions that are not SC included: {}", summary.text);
        exploration.beyond = Some(Box::new(summary));
    }
    exploration
}

impl Found {
    /// The worst that goes wrong; what follows from an overwritten value, before what it follows
    /// from.
    fn what_is_wrong(&self) -> String {
        let worst = |bugs: &BTreeMap<Bug, Decisions>| bugs.keys().copied().min_by_key(|bug| bug.badness());
        let sentence = worst(&self.bugs).map_or(String::new(), |bug| bug.sentence());
        match worst(&self.follows.bugs(&self.bugs)) {
            Some(bug) => format!("{} after one stale step; {sentence}", bug.sentence()),
            None => sentence,
        }
    }

    fn summary(&self) -> fencepost_sanitizer::Exploration {
        let Found { bugs, obstacles, is_cut: _, left_out, counts, time, preemptions, is_weak, follows, starting } =
            self;
        let verdict = self.verdict();
        let is_over = obstacles.iter().all(|obstacle| *obstacle == Obstacle::Rounds);
        let mut text = verdict.sentence(self);
        let seconds = time.as_secs_f64();
        let weak = if *is_weak { format!(", {} of them not SC,", counts.weak) } else { String::new() };
        text += &format!(
            "\nfencepost: {} explored{weak} in {seconds:.1} s{}",
            counted(counts.complete, "execution", "executions"),
            rate(counts.runs, time.saturating_sub(*starting))
        );
        let redundant = if *is_weak { "that turned out to be none" } else { "redundant" };
        for (count, what) in [(counts.blocked, "in which a thread could not go on"), (counts.redundant, redundant)] {
            if count > 0 {
                text += &format!(", {count} {what}");
            }
        }
        if verdict == Verdict::Found && !is_over {
            text += "; not all were explored";
        }
        text += &follows.text(bugs, self.is_whole());
        let why: Vec<String> = obstacles.iter().map(Obstacle::sentence).collect();
        if verdict != Verdict::Found || follows.runs() > 0 {
            why.iter().for_each(|why| text += &format!("\nfencepost: {why}"));
        }
        if *left_out > 0 {
            let what = counted(*left_out, "access that is not robust was", "accesses that are not robust were");
            text += &format!("\nfencepost: {what} left out: suppressed, or of a library that is trusted (--all)");
        }
        if let Some(seen) = *preemptions {
            text += &format!("\nfencepost: all schedules with at most {} were seen", self::preemptions(seen));
        } else if !is_weak && obstacles.iter().any(|obstacle| matches!(obstacle, Obstacle::Time | Obstacle::Runs(_))) {
            text += "\nfencepost: --preemptions 2 explores the schedules with few switches only, and those first";
        }
        fencepost_sanitizer::Exploration {
            verdict: verdict.name(),
            executions: counts.complete,
            not_sc: is_weak.then_some(counts.weak),
            blocked: counts.blocked,
            redundant: counts.redundant,
            preemptions: *preemptions,
            seconds,
            starting: starting.as_secs_f64(),
            why,
            left_out: *left_out,
            one_stale_step: follows.summary(),
            bugs: bugs
                .iter()
                .chain(&follows.bugs(bugs))
                .map(|(bug, decisions)| (bug.sentence(), decisions.to_string()))
                .collect(),
            text,
            beyond: None,
        }
    }

    /// Was everything seen?
    pub(super) fn is_whole(&self) -> bool {
        self.obstacles.is_empty() && !self.is_cut
    }

    pub(super) fn verdict(&self) -> Verdict {
        if self.bugs.is_empty() { self.without_bugs() } else { Verdict::Found }
    }

    /// The same, whatever is wrong.
    fn without_bugs(&self) -> Verdict {
        match () {
            () if self.obstacles.is_empty() => Verdict::Exhausted,
            () if self.obstacles.iter().all(|obstacle| *obstacle == Obstacle::Rounds) => Verdict::Bounded,
            () => Verdict::Unknown,
        }
    }

    /// Are there violations of robustness, and nothing else that is wrong or stands in the way?
    /// Rounds that were left out do not count: where executions are explored that are not SC, they
    /// add nothing.
    pub(super) fn is_only_not_robust(&self) -> bool {
        let is_violation = |bug: &Bug| matches!(bug, Bug::Violation(_));
        let are_all_known = self.obstacles.iter().all(|obstacle| *obstacle == Obstacle::Rounds);
        let is_only_that = self.bugs.keys().all(is_violation) && self.follows.bugs(&self.bugs).is_empty();
        !self.bugs.is_empty() && is_only_that && are_all_known
    }

    /// The run with these decisions shows nothing that is to be told, but for how it ends.
    pub(super) fn leave_out(&mut self, decisions: &Decisions) {
        let before = self.bugs.len();
        self.bugs.retain(|bug, shown| shown != decisions || bug.is_failure());
        self.left_out += (before - self.bugs.len()) as u64;
        if self.bugs.is_empty() && self.is_cut {
            self.obstacles.insert(Obstacle::Suppressed);
        }
    }

    /// Does the run with these decisions end as it must not?
    pub(super) fn shows_failure(&self, decisions: &Decisions) -> bool {
        self.bugs.iter().any(|(bug, shown)| shown == decisions && bug.is_failure())
    }

    /// The schedules that are made again for people: the worst first, and no more than these.
    pub(super) fn to_tell(&self, most: usize) -> Vec<Decisions> {
        let mut all: Vec<Decisions> = Vec::new();
        for decisions in self.bugs.values() {
            if all.len() < most && !all.contains(decisions) {
                all.push(decisions.clone());
            }
        }
        all
    }
}

impl Bug {
    /// What is worse comes first: a data race, then failures.
    pub(super) fn badness(self) -> (u8, Bug) {
        let rank = match self {
            Bug::Race(_) => 0,
            Bug::Signal(_) | Bug::Status(_) | Bug::Stuck => 1,
            Bug::Violation(_) => 2,
        };
        (rank, self)
    }

    /// Is it what the exit code is to tell?
    fn counts(self, on: FailOn) -> bool {
        match on {
            FailOn::Race => matches!(self, Bug::Race(_)),
            FailOn::Failure => !matches!(self, Bug::Violation(_)),
            FailOn::Any => true,
        }
    }

    /// Is it how the test ends?
    fn is_failure(&self) -> bool {
        !matches!(self, Bug::Race(_) | Bug::Violation(_))
    }

    fn sentence(&self) -> String {
        match self {
            Bug::Signal(signal) => format!("ended by signal {signal}{}", signals::name(*signal)),
            Bug::Status(status) => format!("the test ends with exit code {status}"),
            Bug::Stuck => "a deadlock: no thread can go on".to_string(),
            Bug::Race(_) => "a data race".to_string(),
            Bug::Violation(_) => "not robust against cpp20".to_string(),
        }
    }
}

impl Obstacle {
    /// What stands in the way where executions are explored that are not SC.
    pub(super) fn of(trouble: &Trouble) -> Obstacle {
        match trouble {
            Trouble::NotModelled(what) => Obstacle::NotModelled(what),
            Trouble::Diverged { .. } => Obstacle::Diverged(trouble.to_string()),
        }
    }

    fn sentence(&self) -> String {
        match self {
            Obstacle::Time => "the time was over (--timeout)".to_string(),
            Obstacle::Runs(most) => format!("there were to be no more than {most} runs (--max-runs)"),
            Obstacle::Interrupted => "it was interrupted".to_string(),
            Obstacle::Hung => "a run did not come to an end (--hang-after)".to_string(),
            Obstacle::TooLong => "a run had too many steps: a loop may have no end (--steps allows more)".to_string(),
            Obstacle::Diverged(how) => {
                let how = if how.is_empty() { String::new() } else { format!(": {how}") };
                format!("the test does not do the same again under the same schedule{how}")
            }
            Obstacle::Silent => "a run ended without the runtime's knowledge".to_string(),
            Obstacle::Outlived => "the process was ended while other threads were running".to_string(),
            Obstacle::Cut => "more writes to a location were overwritten than are remembered".to_string(),
            Obstacle::OutOfSight => "a location was written out of sight".to_string(),
            Obstacle::Mixed => "accesses of different sizes overlap".to_string(),
            Obstacle::Rounds => {
                "a loop whose rounds do something went round no further (--spins says how often it may)".to_string()
            }
            Obstacle::Preemptions => "schedules with more preemptions were left out (--preemptions)".to_string(),
            Obstacle::NotConfirmed(decisions) => format!(
                "the axioms do not confirm an execution with an overwritten value (--decisions {decisions}): this is a \
                 defect of fencepost"
            ),
            Obstacle::Suppressed => {
                "a race that is not told has ended the exploration (--keep-going goes on)".to_string()
            }
            Obstacle::NotModelled(what) => format!("{what} is not modelled in executions that are not SC"),
            Obstacle::Other(note) => note.clone(),
        }
    }
}

/// How many runs there were in a second, if that can be told; without the first one, which waits for
/// the program to start.
fn rate(runs: u64, time: Duration) -> String {
    match (runs.saturating_sub(1), time.as_secs_f64()) {
        (FEW.., seconds) if seconds > 0.0 => format!(" ({:.0} runs per second)", (runs - 1) as f64 / seconds),
        _ => String::new(),
    }
}

/// So many runs say how long one takes.
const FEW: u64 = 20;

/// So many preemptions, as people say it.
pub(super) fn preemptions(count: u32) -> String {
    counted(count.into(), "preemption", "preemptions")
}

/// What was done otherwise.
pub(super) fn describe(divergence: &Divergence) -> String {
    let one = |step: &Option<Step>| match step {
        Some(step) => format!("thread {} {:?} at {:#x} in {:#x}", step.thread, step.kind, step.object, step.pc),
        None => "nothing".to_string(),
    };
    format!("{} instead of {}", one(&divergence.found), one(&divergence.expected))
}

pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
