//! Provoked runs: what follows from each report?
//!
//! Every report is tried in turn, in rounds: so each has been tried before the time is over. In
//! every second round the access uses the newest of the overwritten values, and the oldest one in
//! the others. Rounds take turns in two more ways: with the seeds in which the report was seen, and
//! at the first opportunity or at later ones. A run that was made already is made again with
//! another schedule after the access.

use std::collections::BTreeMap;
use std::io;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use fencepost_protocol::{Provocation, Which};
use fencepost_sanitizer::provoke::Seen;
use fencepost_sanitizer::sequel::Sequel;

use super::ranking::{End, Target, Trial};
use super::session::Session;
use super::signals::Signals;
use super::{Failure, How, Outcome, Run, Voice, once};
use crate::args::RunArgs;
use crate::output::Output;

/// Runs in which each report is tried, if nothing else is said and there is time.
const TRIES: u64 = 50;
/// How much longer than the ordinary runs together the provoked ones may take, if it was not said
/// how many there are to be.
const SHARE: u32 = 2;
/// In any case, they may take so long.
const LEAST: Duration = Duration::from_secs(10);
/// A run that takes so many times as long as the longest ordinary one does not end.
const PATIENCE: u32 = 20;

/// Runs of each report that are compared with what they are without the overwritten value.
const COMPARED: u64 = 8;

/// How ordinary runs went.
#[derive(Default)]
pub(super) struct Ordinary {
    ends: Vec<ExitStatus>,
    longest: Duration,
    together: Duration,
}

impl Ordinary {
    /// Takes in a run.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.longest = self.longest.max(outcome.time);
        self.together += outcome.time;
        if !self.ends.contains(&outcome.status) {
            self.ends.push(outcome.status);
        }
    }

    /// What is said of a provoked run that went like this.
    pub(super) fn judge(&self, outcome: &Outcome) -> End {
        let is_ordinary = self.ends.contains(&outcome.status);
        let panic =
            outcome.said.as_ref().filter(|_| !is_ordinary).and_then(|said| super::panic_of(&super::text_of(said)));
        End { status: outcome.status, hung: outcome.hung, is_ordinary, panic }
    }

    /// After which time a run does not end.
    fn patience(&self) -> Duration {
        LEAST.max(PATIENCE * self.longest)
    }
}

/// In how many runs each report is to be provoked.
pub(super) fn tries(args: &RunArgs, is_series: bool) -> u64 {
    match args.provoke {
        _ if args.halt || args.provoke_at.is_some() => 0,
        Some(tries) => tries,
        None if is_series => TRIES,
        None => 0,
    }
}

/// What was tried of a report.
#[derive(Default)]
struct Tried {
    /// How often, with this seed, this value and so many opportunities that went by.
    runs: BTreeMap<(Seen, Which, u64), u64>,
    /// Once there were no more opportunities than this.
    reach: Option<u64>,
    /// Runs that were compared with what they are without the overwritten value.
    compared: u64,
}

impl Tried {
    /// The next run, like one of those in which the report was seen, and what it provokes.
    fn next(&mut self, round: u64, target: &Target, seen: &[Seen]) -> (Seen, Provocation) {
        let (which, step) = match (target.is_single, round % 2) {
            (true, _) => (Which::Oldest, round),
            (false, 0) => (Which::Oldest, round / 2),
            (false, _) => (Which::Newest, round / 2),
        };
        let run = seen.get(step as usize % seen.len().max(1)).copied().unwrap_or_default();
        // Now and then the first opportunity, otherwise further and further away.
        let far = (1u64 << (step / 2).min(20)) - 1;
        let skip = if step % 2 == 0 { 0 } else { self.reach.map_or(far, |reach| far % reach.max(1)) };
        // The same run goes on in another way.
        let times = self.runs.entry((run, which, skip)).or_default();
        let then = if run.schedule.is_controlled() { *times } else { 0 };
        *times += 1;
        (run, Provocation { which, skip, then, ..target.provocation.clone() })
    }
}

/// Tries all reports.
pub(super) fn provoke(
    args: &RunArgs,
    tries: u64,
    ordinary: &Ordinary,
    voice: Voice,
    session: &mut Session,
    signals: &Signals,
    output: &mut Output,
) -> io::Result<()> {
    let (start, limit) = (Instant::now(), args.provoke.is_none().then(|| LEAST.max(SHARE * ordinary.together)));
    let patience = args.hang_after.unwrap_or_else(|| ordinary.patience());
    let mut tried: Vec<Tried> = Vec::new();
    for round in 0..tries {
        let mut number = 0;
        while number < session.ranking().len() {
            let is_late = limit.is_some_and(|limit| start.elapsed() > limit);
            if is_late || signals.received() || session.has_failed() {
                return Ok(());
            }
            tried.resize_with(session.ranking().len().max(tried.len()), Tried::default);
            let target = session.ranking().target(number).filter(|target| target.is_open);
            if let Some(target) = target {
                let seen = session.runs_with(&target.identity);
                let (Seen { schedule, seed, steps }, provocation) = tried[number].next(round, &target, seen);
                let how = How {
                    run: Run { schedule, seed },
                    // Where a schedule of priorities changes them depends on the steps that it
                    // expects.
                    steps: Some(steps),
                    provocation: Some(&provocation),
                    decisions: None,
                    patience: Some(patience),
                    voice,
                };
                let outcome = match once(args, &how, session, signals, output) {
                    Ok(outcome) => outcome,
                    Err(Failure::Start(error) | Failure::Other(error)) => return Err(error),
                };
                // What a signal of the user has ended says nothing.
                if signals.received() {
                    return Ok(());
                }
                let trial = session.ranking_mut().end_run(Some(number), &ordinary.judge(&outcome));
                match trial {
                    Trial::Missed => tried[number].reach = Some(provocation.skip),
                    Trial::Harmless if !target.is_passed_on && tried[number].compared < COMPARED => {
                        tried[number].compared += 1;
                        compare(args, &how, outcome.sequel.as_ref(), session, signals, output)?;
                    }
                    Trial::Harmless | Trial::GoneWrong => {}
                }
            }
            number += 1;
        }
    }
    Ok(())
}

/// After a run in which nothing went wrong: is the value that was used passed on? The same run is
/// made without it, and if there is a difference, both are made once more.
pub(super) fn compare(
    args: &RunArgs,
    how: &How<'_>,
    sequel: Option<&Sequel>,
    session: &mut Session,
    signals: &Signals,
    output: &mut Output,
) -> io::Result<()> {
    let (Some(sequel), Some(provocation)) = (sequel, how.provocation) else { return Ok(()) };
    let without = Provocation { which: Which::Current, ..provocation.clone() };
    let mut run = |session: &mut Session, provocation| {
        let how = How {
            run: how.run,
            steps: how.steps,
            provocation: Some(provocation),
            decisions: None,
            patience: how.patience.or(Some(LEAST)),
            voice: Voice::Dropped,
        };
        let made = once(args, &how, session, signals, output);
        session.ranking_mut().end_comparison();
        match made {
            Ok(outcome) if signals.received() || outcome.hung.is_some() => Ok(None),
            Ok(outcome) => Ok(outcome.sequel),
            Err(Failure::Start(error) | Failure::Other(error)) => Err(error),
        }
    };
    let Some(other) = run(session, &without)? else { return Ok(()) };
    let Some(difference) = session.reporter_mut().difference(sequel, &other) else { return Ok(()) };
    let (Some(again), Some(other)) = (run(session, provocation)?, run(session, &without)?) else { return Ok(()) };
    if session.reporter_mut().confirms(&difference, &again, &other) {
        session.pass_on(&difference);
    }
    Ok(())
}
