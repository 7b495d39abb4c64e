//! Reports that are held back until it is known what follows from them.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use fencepost_protocol::Provocation;
use fencepost_sanitizer::provoke::{Failure, Taken};
use fencepost_sanitizer::report::{Consequence, Deadlock, Explored, Identity, Kind, Rank, Report, Trials};
use fencepost_sanitizer::sequel::PassedOn;
use fencepost_sanitizer::text::Ranks;

use super::signals;
use crate::args::FailOn;

/// All reports so far, and what is seen in the current run if that is provoked.
#[derive(Default)]
pub(super) struct Ranking {
    reports: Vec<Report>,
    taken: Option<Taken>,
    consequences: Vec<Consequence>,
    /// What was used in the last run after which nothing was wrong.
    harmless: Option<Taken>,
    /// The report about the access that was provoked in the last run.
    last: Option<Identity>,
}

/// What can be provoked, in words that the runtime understands.
pub(super) struct Target {
    /// The access, with the oldest value, at the first opportunity.
    pub(super) provocation: Provocation,
    /// Of the report.
    pub(super) identity: Identity,
    /// There is one value only.
    pub(super) is_single: bool,
    /// No failure followed so far.
    pub(super) is_open: bool,
    /// It was seen that the value is passed on.
    pub(super) is_passed_on: bool,
}

/// What became of a provoked run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trial {
    /// There was no opportunity.
    Missed,
    /// An access has used an overwritten value, and nothing followed.
    Harmless,
    /// Something followed.
    GoneWrong,
}

/// How a provoked run has ended.
pub(super) struct End {
    pub(super) status: ExitStatus,
    /// It was ended because it took so long.
    pub(super) hung: Option<Duration>,
    /// Ordinary runs have ended like this, too.
    pub(super) is_ordinary: bool,
    /// Why a program in Rust has panicked, if it said so.
    pub(super) panic: Option<String>,
}

impl Ranking {
    /// Holds a report, if it is a new one.
    pub(super) fn hold(&mut self, mut report: Report) {
        if let (Some(taken), Kind::Race(_)) = (&self.taken, &report.kind) {
            self.consequences.push(taken.race(&report));
            report.follows = Some(taken.sentence());
        }
        let identity = report.identity();
        if self.reports.iter().all(|known| known.identity() != identity) {
            self.reports.push(report);
        }
    }

    /// More is known of a report that is held.
    pub(super) fn replace(&mut self, report: Report) {
        let identity = report.identity();
        if let Some(held) = self.reports.iter_mut().find(|held| held.identity() == identity) {
            *held = Report { trials: held.trials.take(), follows: held.follows.take(), ..report };
        }
    }

    /// In the current run, an access has used an overwritten value.
    pub(super) fn take(&mut self, mut taken: Taken) {
        if let Some(news) = taken.news.take() {
            self.hold(*news);
        }
        // Children of the program have accesses of their own; the first one is told about.
        self.taken.get_or_insert(taken);
    }

    /// After that, the program has failed.
    pub(super) fn fail(&mut self, failure: Failure) {
        self.consequences.extend(self.taken.as_ref().map(|taken| taken.failure(failure)));
    }

    /// After that, all threads wait.
    pub(super) fn deadlock(&mut self, deadlock: &Deadlock) {
        self.consequences.extend(self.taken.as_ref().map(|taken| taken.deadlock(deadlock)));
    }

    /// What can be provoked of the report with this number, if anything.
    pub(super) fn target(&self, number: usize) -> Option<Target> {
        let report = self.reports.get(number)?;
        let Kind::Robustness(window) = &report.kind else { return None };
        let known = report.trials.as_ref().and_then(|trials| trials.consequence.as_ref());
        let is_passed_on = known.is_some_and(|known| known.effect.rank() == Rank::PassedOn);
        let is_open = known.is_none() || is_passed_on;
        let is_single = window.stale.len() == 1 && !window.cut;
        let identity = report.identity();
        Some(Target { provocation: report.provocation.clone()?, identity, is_single, is_open, is_passed_on })
    }

    /// How many reports there are.
    pub(super) fn len(&self) -> usize {
        self.reports.len()
    }

    /// A provoked run is over, which was made for the report with this number, if for any.
    pub(super) fn end_run(&mut self, number: Option<usize>, end: &End) -> Trial {
        let mut consequences = std::mem::take(&mut self.consequences);
        let Some(taken) = self.taken.take() else {
            if let Some(report) = number.and_then(|number| self.reports.get_mut(number)) {
                report.trials.get_or_insert_default().missed += 1;
            }
            return Trial::Missed;
        };
        let has_failed = consequences.iter().any(|consequence| consequence.effect.rank() == Rank::Failure);
        match end {
            End { hung: Some(patience), .. } => consequences.push(taken.hang(*patience)),
            // How it has failed is no news.
            End { is_ordinary: true, .. } => consequences.retain(|found| found.effect.rank() == Rank::Race),
            End { .. } if has_failed => {}
            End { status, panic, .. } => match (status.signal(), status.code()) {
                (Some(number), _) => consequences.push(taken.signal(number, &signals::name(number))),
                (None, Some(code)) if code != 0 => consequences.push(taken.exit(code, panic.as_deref())),
                _ => {}
            },
        }
        let found = consequences.into_iter().min_by_key(|consequence| consequence.effect);
        let trial = if found.is_some() { Trial::GoneWrong } else { Trial::Harmless };
        if let Some(report) = self.reports.iter_mut().find(|report| report.identity() == taken.identity) {
            let trials = report.trials.get_or_insert_default();
            trials.taken += 1;
            trials.add(found);
        }
        self.last = Some(taken.identity.clone());
        self.harmless = (trial == Trial::Harmless).then_some(taken);
        trial
    }

    /// The last run was one of so many executions with the access that was provoked, in so many of
    /// which something fails. Were these all that there are?
    pub(super) fn explored(&mut self, executions: u64, failing: u64, is_exact: bool) {
        let Some(identity) = self.last.take() else { return };
        if let Some(report) = self.reports.iter_mut().find(|report| report.identity() == identity) {
            let trials = report.trials.get_or_insert_default();
            trials.taken -= 1;
            let explored = trials.explored.get_or_insert(Explored { executions: 0, failing: 0, is_exact: true });
            explored.executions += executions;
            explored.failing += failing;
            explored.is_exact &= is_exact;
        }
    }

    /// The value that was used in the last run is passed on.
    pub(super) fn pass_on(&mut self, passed_on: PassedOn) {
        let Some(taken) = self.harmless.take() else { return };
        if let Some(report) = self.reports.iter_mut().find(|report| report.identity() == taken.identity) {
            report.trials.get_or_insert_default().add(Some(taken.passed_on(passed_on)));
        }
    }

    /// A run is over that was made only to be compared with others.
    pub(super) fn end_comparison(&mut self) {
        (self.taken, self.consequences) = (None, Vec::new());
    }

    /// Are there reports that the command should fail for?
    pub(super) fn fails(&self, on: FailOn) -> bool {
        self.reports.iter().any(|report| match on {
            FailOn::Race => rank(report) == Some(Rank::Race),
            FailOn::Failure => matches!(rank(report), Some(Rank::Race | Rank::Failure)),
            FailOn::Any => true,
        })
    }

    /// How many there are of each rank.
    pub(super) fn counts(&self) -> Ranks {
        Ranks::of(self.reports.iter().map(rank))
    }

    /// All of them, as they were found.
    pub(super) fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// All of them, the worst first; those that are harmless come last, after those of which it is
    /// not known.
    pub(super) fn in_order(&mut self) -> Vec<(Report, Option<Rank>)> {
        let mut all: Vec<_> = self.reports.iter().map(|report| (report.clone(), rank(report))).collect();
        all.sort_by_key(|(_, rank)| (*rank == Some(Rank::Harmless), rank.is_none(), *rank));
        all
    }
}

fn rank(report: &Report) -> Option<Rank> {
    match &report.kind {
        Kind::Race(_) => Some(Rank::Race),
        Kind::Robustness(_) => report.trials.as_ref().and_then(Trials::rank),
    }
}
