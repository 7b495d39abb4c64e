//! Which runs are made, with which schedules and seeds.
//!
//! With `--schedule` all runs have that one, and there are as many as `--runs` or `--seeds` say.
//! Without it the schedules take turns, because each finds what others do not. Then runs go on until
//! the time is over, unless it was said how many there are to be.
//!
//! A part of a series (`--shard`) has whole rounds of the schedules, so that each part has runs
//! under all of them. A run has the same seed and schedule in whichever part it is.

use std::time::{Duration, Instant};

use fencepost_protocol::Schedule;

use crate::args::{RunArgs, Shard, Who};
use crate::project::Project;

/// The schedules that take turns, if nobody says which. The first run is as the operating system
/// wants it: what a program does then is what people know of it.
const SCHEDULES: [Schedule; 3] = [Schedule::Os, Schedule::Random, Schedule::Pct(3)];
/// How long, if nobody says.
const TIME: Duration = Duration::from_secs(10);

/// One run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Who decides which thread runs.
    pub(crate) schedule: Schedule,
    /// The seed.
    pub(crate) seed: u64,
}

/// The runs that are to be made.
pub(crate) struct Series {
    schedules: Vec<Schedule>,
    first: u64,
    /// The first seed that is not used any more.
    end: Option<u64>,
    /// Until when runs begin.
    until: Option<Instant>,
    time: Duration,
    /// The runs that are ours.
    shard: Shard,
    /// The next run of the whole series; none after the last number.
    next: Option<u64>,
    /// How many were made with each schedule.
    made: Vec<u64>,
}

impl Series {
    /// As the command line and the project say, from now on.
    pub(crate) fn new(args: &RunArgs, project: &Project) -> Series {
        let schedules = match (args.schedule, project.schedules.as_slice()) {
            (Some(Who::One(schedule)), _) => vec![schedule],
            // What is decided needs no other schedule.
            _ if args.decisions.is_some() => vec![Schedule::Os],
            (_, []) => SCHEDULES.to_vec(),
            (_, schedules) => schedules.to_vec(),
        };
        let range = match (&args.seeds, args.runs) {
            (Some(seeds), _) => Some(seeds.0.clone()),
            (None, Some(runs)) => Some(args.seed..args.seed.saturating_add(runs)),
            // One schedule is asked for to see what it does: once, if nobody says for how long.
            (None, None) if (args.schedule.is_some() || args.decisions.is_some()) && args.time.is_none() => {
                Some(args.seed..args.seed.saturating_add(1))
            }
            (None, None) => None,
        };
        let time = args.time.or(project.time).unwrap_or(TIME);
        let is_limited = args.time.is_some() || range.is_none();
        let first = range.as_ref().map_or(args.seed, |range| range.start);
        let made = vec![0; schedules.len()];
        let until = is_limited.then(|| Instant::now() + time);
        let end = range.map(|range| range.end);
        let shard = args.shard.unwrap_or(Shard::WHOLE);
        Series { schedules, first, end, until, time, shard, next: Some(first), made }
    }

    /// What it was made of: the schedules, the seeds and the time.
    pub(crate) fn settings(&self) -> Vec<(&'static str, String)> {
        let schedules: Vec<String> = self.schedules.iter().map(Schedule::to_string).collect();
        let seeds = self.end.map_or_else(|| format!("{}..", self.first), |end| format!("{}..{end}", self.first));
        let time = self.until.map(|_| ("--time", format!("{:?}", self.time)));
        [("--schedule", schedules.join(", ")), ("--seeds", seeds)].into_iter().chain(time).collect()
    }

    /// The first run from this one on that is ours.
    fn own(&self, from: u64) -> Option<u64> {
        let round = self.schedules.len() as u64;
        let offset = from - self.first;
        let own = self.shard.round(offset / round)?;
        if own == offset / round { Some(from) } else { self.first.checked_add(own.checked_mul(round)?) }
    }

    /// Is there more than one run?
    pub(crate) fn is_long(&self) -> bool {
        self.end.is_none_or(|end| end - self.first > 1)
    }

    /// What was made, in words, if the schedules have taken turns: `2 runs under os, 1 under random`.
    pub(crate) fn description(&self) -> Option<String> {
        let total: u64 = self.made.iter().sum();
        if self.schedules.len() < 2 || total == 0 {
            return None;
        }
        let mut parts = Vec::new();
        for (schedule, &made) in self.schedules.iter().zip(&self.made).filter(|(_, made)| **made > 0) {
            let runs = match (parts.is_empty(), made) {
                (true, 1) => " run",
                (true, _) => " runs",
                _ => "",
            };
            parts.push(format!("{made}{runs} under {schedule}"));
        }
        let limit = match self.end {
            None => format!(", in {:?} (--time)", self.time),
            Some(_) => String::new(),
        };
        Some(format!("{}{limit}", parts.join(", ")))
    }
}

impl Iterator for Series {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let is_first = self.made.iter().all(|&made| made == 0);
        let seed = self.own(self.next?)?;
        // However little time there is: one run.
        let in_time = is_first || self.until.is_none_or(|until| Instant::now() < until);
        if !in_time || self.end.is_some_and(|end| seed >= end) {
            return None;
        }
        let turn = ((seed - self.first) % self.schedules.len() as u64) as usize;
        self.made[turn] += 1;
        self.next = seed.checked_add(1);
        Some(Run { schedule: self.schedules[turn], seed })
    }
}
