//! Limits of one search, and the default for memory.

use std::fs;
use std::time::{Duration, Instant};

use fencepost_verdict::{Budget, Outcome};

use crate::args::LimitArgs;
use crate::progress::Line;

/// When the machine's memory is not known.
const FALLBACK_MEMORY: u64 = 4 << 30;

/// Limits of one search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    timeout: Option<Duration>,
    memory: u64,
    max_states: u64,
}

impl Limits {
    pub(crate) fn new(args: &LimitArgs) -> Self {
        Limits {
            timeout: args.timeout,
            memory: args.memory.unwrap_or_else(default_memory),
            max_states: args.max_states.unwrap_or(u64::MAX),
        }
    }

    /// Does some work within the limits, and takes its time.
    pub(crate) fn within<T>(&self, line: &Line, work: impl FnOnce(&Budget<'_>) -> T) -> (T, Duration) {
        let start = Instant::now();
        let expired = || self.timeout.is_some_and(|timeout| start.elapsed() >= timeout);
        let spent =
            || self.timeout.map_or(0.0, |timeout| start.elapsed().as_secs_f64() / timeout.as_secs_f64().max(1e-9));
        let progress = |progress| line.update(start.elapsed(), progress);
        let budget = Budget {
            max_states: self.max_states,
            max_bytes: self.memory,
            expired: &expired,
            spent: &spent,
            progress: &progress,
        };
        let result = work(&budget);
        line.clear();
        (result, start.elapsed())
    }

    /// Runs one check within the limits, and takes its time.
    pub(crate) fn check<E>(
        &self,
        line: &Line,
        check: impl FnOnce(&Budget<'_>) -> Result<Outcome, E>,
    ) -> Result<Outcome, E> {
        let (result, time) = self.within(line, check);
        result.map(|mut outcome| {
            outcome.stats.time = time;
            outcome
        })
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
