//! Limits of one search, their defaults, and signals that end it.

use std::fs;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fencepost_base::effort::Effort;
use fencepost_check::Listing;
use fencepost_lower::{Language, Loaded, Reading};
use fencepost_verdict::{Budget, Need, Outcome, Plan, Reason, Relaxed, Repaired, Rest, Verdict, Verification};

use crate::args::LimitArgs;
use crate::device::Card;
use crate::interrupt;
use crate::progress::Line;
use crate::storage;

/// What `verify` takes for each question unless it is told otherwise. Its questions are undecidable
/// in general, so there is no telling whether it would ever end; those of the other commands are
/// decidable.
pub(crate) const VERIFY_TIMEOUT: Duration = Duration::from_secs(60);

/// When the machine's memory is not known.
const FALLBACK_MEMORY: u64 = 4 << 30;

/// Limits of one search.
#[derive(Clone, Copy)]
pub(crate) struct Limits(fencepost::Limits<'static>);

impl Limits {
    /// Those asked for; `timeout` if nothing is said about time.
    pub(crate) fn new(args: &LimitArgs, timeout: Option<Duration>) -> Self {
        let limits = fencepost::Limits::none()
            .memory(args.memory.unwrap_or_else(default_memory))
            .states(args.max_states.unwrap_or(u64::MAX));
        let limits = storage::disk().map_or(limits, |disk| limits.disk(disk));
        let timeout = args.timeout.map_or(timeout, |chosen| chosen.0);
        Limits(timeout.map_or(limits, |timeout| limits.timeout(timeout)))
    }

    /// The same, on this device.
    pub(crate) fn on(&self, device: Option<&'static Card>) -> Self {
        Limits(device.map_or(self.0, |device| self.0.device(device)))
    }

    /// What is left for the questions about a program that took so long to read.
    pub(crate) fn after(&self, reading: Duration) -> Self {
        Limits(self.0.after(reading))
    }

    /// The same, and no more time than that.
    pub(crate) fn at_most(&self, timeout: Duration) -> Self {
        Limits(self.0.at_most(timeout))
    }

    /// The same, until somebody sets this flag.
    pub(crate) fn until<'a>(&self, stop: &'a AtomicBool) -> fencepost::Limits<'a> {
        self.0.stop_when(stop)
    }

    /// Reads a program within the limits, and takes its time. A signal ends the command at once, as
    /// long as there is nothing to tell; after the first question it is a limit.
    pub(crate) fn load(&self, language: Language, text: &str, reading: Reading) -> Result<(Loaded, Duration), Reason> {
        let (loaded, time) = self.0.within(|budget| {
            let expired = || (budget.expired)() || interrupt::happened();
            fencepost_lower::load_within(language, text, reading, &Effort::new(budget.max_bytes, &expired))
        });
        let loaded = loaded.map_err(|exhausted| match Reason::from(exhausted) {
            Reason::Time if interrupt::happened() => Reason::Interrupted,
            reason => reason,
        });
        Ok((loaded?, time))
    }

    /// Asks a question within the limits, until somebody interrupts it, and takes its time.
    pub(crate) fn ask<T: Answer, E>(
        &self,
        line: &Line,
        question: impl FnOnce(&Budget<'_>) -> Result<T, E>,
    ) -> Result<(T, Duration), E> {
        let tell = |time, progress| line.update(time, progress);
        let forecast = |forecast| line.forecast(forecast);
        let limits = self.0.stop_when(interrupt::watch()).on_progress(&tell);
        let limits = if line.wants_estimate() { limits.on_forecast(&forecast) } else { limits };
        let (answer, time) = limits.within(question);
        line.clear();
        answer.map(|mut answer| {
            storage::undecided(answer.reasons().into_iter().map(|reason| &*reason));
            // To engines, time is up either way; here it is known why.
            if interrupt::happened() {
                answer.reasons().into_iter().filter(|reason| **reason == Reason::Time).for_each(|reason| {
                    *reason = Reason::Interrupted;
                });
            }
            (answer, time)
        })
    }
}

/// An answer, which says why it is none.
pub(crate) trait Answer {
    /// Everything that was not decided, and why.
    fn reasons(&mut self) -> Vec<&mut Reason>;
}

impl Answer for Outcome {
    fn reasons(&mut self) -> Vec<&mut Reason> {
        let verdict = match &mut self.verdict {
            Verdict::Unknown(reason) => Some(reason),
            Verdict::Holds | Verdict::Violated(_) => None,
        };
        let consequences = self.consequences.iter_mut().filter_map(|consequences| consequences.cut.as_mut());
        verdict.into_iter().chain(consequences).collect()
    }
}

impl Answer for Verification {
    fn reasons(&mut self) -> Vec<&mut Reason> {
        let tried = self.tried.iter_mut().map(|attempt| &mut attempt.reason);
        tried.chain(self.result.as_mut().err()).collect()
    }
}

impl Answer for Result<Listing, Reason> {
    fn reasons(&mut self) -> Vec<&mut Reason> {
        match self {
            Ok(listing) => listing.cut.iter_mut().collect(),
            Err(reason) => vec![reason],
        }
    }
}

impl Answer for Repaired {
    fn reasons(&mut self) -> Vec<&mut Reason> {
        match self {
            Repaired::Unknown(reason) => vec![reason],
            Repaired::Plans { plans, rest } => {
                let rest = match rest {
                    Rest::Undecided(reason) => Some(reason),
                    Rest::Nothing | Rest::NotAsked | Rest::Cut => None,
                };
                plans.iter_mut().flat_map(needs).chain(rest).collect()
            }
            Repaired::Nothing | Repaired::Impossible(_) => Vec::new(),
        }
    }
}

impl Answer for Relaxed {
    fn reasons(&mut self) -> Vec<&mut Reason> {
        match self {
            Relaxed::Unknown(reason) => vec![reason],
            Relaxed::Plan { plan, kept } => {
                needs(plan).chain(kept.iter_mut().filter_map(|kept| undecided(&mut kept.need))).collect()
            }
            Relaxed::NotRobust(_) => Vec::new(),
        }
    }
}

/// With the number of checks.
impl<T: Answer> Answer for (T, u64) {
    fn reasons(&mut self) -> Vec<&mut Reason> {
        self.0.reasons()
    }
}

fn needs(plan: &mut Plan) -> impl Iterator<Item = &mut Reason> {
    plan.edits.iter_mut().filter_map(|edit| undecided(edit.need.as_mut()?))
}

fn undecided(need: &mut Need) -> Option<&mut Reason> {
    match need {
        Need::Undecided(reason) => Some(reason),
        Need::Because(_) => None,
    }
}

/// Half of what there is: of the machine's memory, or of the container's if that is less.
fn default_memory() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    let container = fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    match (machine, container) {
        (Some(machine), Some(container)) => machine.min(container) / 2,
        (Some(memory), None) | (None, Some(memory)) => memory / 2,
        (None, None) => FALLBACK_MEMORY,
    }
}

/// `MemTotal` in bytes.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::total;

    #[test]
    fn meminfo_is_understood() {
        assert_eq!(total("MemTotal:       16384 kB\nMemFree: 1 kB\n"), Some(16 << 20));
        assert_eq!(total("MemFree: 1 kB\n"), None);
    }
}
