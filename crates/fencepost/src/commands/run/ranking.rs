//! Reports that are held back until it is known what follows from them.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use fencepost_protocol::{Key, Provocation};
use fencepost_sanitizer::Process;
use fencepost_sanitizer::provoke::{Failure, Taken};
use fencepost_sanitizer::report::{Consequence, Deadlock, Kind, Rank, Report, Trials};
use fencepost_sanitizer::text::Ranks;

use super::signals;
use crate::args::FailOn;

/// All reports so far, and what is seen in the current run if that is provoked.
#[derive(Default)]
pub(super) struct Ranking {
    entries: Vec<Entry>,
    taken: Option<Taken>,
    consequences: Vec<Consequence>,
}

/// A report.
struct Entry {
    report: Report,
    seen: Seen,
}

/// The run in which a report was seen first.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) seed: u64,
    /// Steps that it was expected to have; 0 if that was not said.
    pub(super) steps: u64,
}

impl Seen {
    /// The run of this process.
    pub(super) fn by(process: &Process) -> Seen {
        let steps = process.given(Key::Steps).and_then(|steps| steps.parse().ok()).unwrap_or(0);
        Seen { seed: process.options().seed, steps }
    }
}

/// What can be provoked, in words that the runtime understands.
pub(super) struct Target {
    /// The access, with the oldest value, at the first opportunity.
    pub(super) provocation: Provocation,
    pub(super) seen: Seen,
    /// There is one value only.
    pub(super) is_single: bool,
    /// Nothing followed so far.
    pub(super) is_open: bool,
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
}

impl Ranking {
    /// Holds a report that was seen in this run, if it is a new one.
    pub(super) fn hold(&mut self, report: Report, seen: Seen) {
        if let (Some(taken), Kind::Race(_)) = (&self.taken, &report.kind) {
            self.consequences.push(taken.race(&report));
        }
        let identity = report.identity();
        if self.entries.iter().all(|entry| entry.report.identity() != identity) {
            self.entries.push(Entry { report, seen });
        }
    }

    /// In the current run, an access has used an overwritten value.
    pub(super) fn take(&mut self, mut taken: Taken, seen: Seen) {
        if let Some(news) = taken.news.take() {
            self.hold(*news, seen);
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
        let Entry { report, seen } = self.entries.get(number)?;
        let Kind::Robustness(window) = &report.kind else { return None };
        let is_open = report.trials.as_ref().is_none_or(|trials| trials.consequence.is_none());
        let is_single = window.stale.len() == 1 && !window.cut;
        Some(Target { provocation: report.provocation.clone()?, seen: *seen, is_single, is_open })
    }

    /// How many reports there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// A provoked run is over, which was made for the report with this number, if for any.
    pub(super) fn end_run(&mut self, number: Option<usize>, end: &End) -> Trial {
        let mut consequences = std::mem::take(&mut self.consequences);
        let Some(taken) = self.taken.take() else {
            if let Some(entry) = number.and_then(|number| self.entries.get_mut(number)) {
                entry.report.trials.get_or_insert_default().missed += 1;
            }
            return Trial::Missed;
        };
        let has_failed = consequences.iter().any(|consequence| consequence.effect.rank() == Rank::Failure);
        match end {
            End { hung: Some(patience), .. } => consequences.push(taken.hang(*patience)),
            // How it has failed is no news.
            End { is_ordinary: true, .. } => consequences.retain(|found| found.effect.rank() == Rank::Race),
            End { .. } if has_failed => {}
            End { status, .. } => match (status.signal(), status.code()) {
                (Some(number), _) => consequences.push(taken.signal(number, &signals::name(number))),
                (None, Some(code)) if code != 0 => consequences.push(taken.exit(code)),
                _ => {}
            },
        }
        let found = consequences.into_iter().min_by_key(|consequence| consequence.effect);
        let trial = if found.is_some() { Trial::GoneWrong } else { Trial::Harmless };
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.report.identity() == taken.identity) {
            let trials = entry.report.trials.get_or_insert_default();
            trials.taken += 1;
            trials.consequence = trials.consequence.take().or(found);
        }
        trial
    }

    /// Are there reports that the command should fail for?
    pub(super) fn fails(&self, on: FailOn) -> bool {
        self.entries.iter().any(|entry| match on {
            FailOn::Race => entry.rank() == Some(Rank::Race),
            FailOn::Failure => matches!(entry.rank(), Some(Rank::Race | Rank::Failure)),
            FailOn::Any => true,
        })
    }

    /// How many there are of each rank.
    pub(super) fn counts(&self) -> Ranks {
        Ranks::of(self.entries.iter().map(Entry::rank))
    }

    /// All of them, the worst first; those that are harmless come last, after those of which it is
    /// not known.
    pub(super) fn in_order(&mut self) -> Vec<(Report, Option<Rank>)> {
        let mut all: Vec<_> = self.entries.iter().map(|entry| (entry.report.clone(), entry.rank())).collect();
        all.sort_by_key(|(_, rank)| (*rank == Some(Rank::Harmless), rank.is_none(), *rank));
        all
    }
}

impl Entry {
    fn rank(&self) -> Option<Rank> {
        match &self.report.kind {
            Kind::Race(_) => Some(Rank::Race),
            Kind::Robustness(_) => self.report.trials.as_ref().and_then(Trials::rank),
        }
    }
}
