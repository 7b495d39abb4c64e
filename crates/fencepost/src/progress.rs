//! One line on the terminal about a search that takes long.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fencepost_verdict::{Forecast, Progress};
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output;

/// An estimate is told again if it has grown or shrunk by this factor.
const WORTH_TELLING: u64 = 2;

/// Short searches show nothing.
const PATIENCE: Duration = Duration::from_millis(300);

/// The line; it appears when it is first needed.
pub(crate) struct Line {
    name: Option<String>,
    bar: OnceLock<ProgressBar>,
    estimate: Option<Estimate>,
}

/// How large a search will be, if that is wanted.
struct Estimate {
    /// Of which question.
    name: String,
    /// The estimate that was told last, and the latest one.
    told: AtomicU64,
    latest: AtomicU64,
}

impl Line {
    /// A line about `name`, if progress is wanted at all.
    pub(crate) fn new(name: &str, wanted: bool) -> Self {
        Line { name: wanted.then(|| name.to_string()), bar: OnceLock::new(), estimate: None }
    }

    /// The same, with an estimate of how large the search of a question will be, if that is wanted.
    pub(crate) fn with_estimate(self, question: String, wanted: bool) -> Self {
        let estimate = Estimate { name: question, told: AtomicU64::new(0), latest: AtomicU64::new(0) };
        Line { estimate: wanted.then_some(estimate), ..self }
    }

    /// Are estimates wanted?
    pub(crate) fn wants_estimate(&self) -> bool {
        self.estimate.is_some()
    }

    /// Tells an estimate that is a new one.
    pub(crate) fn forecast(&self, forecast: Forecast) {
        let Some(estimate) = &self.estimate else { return };
        let expected = rounded(forecast.expected);
        estimate.latest.store(expected, Ordering::Relaxed);
        let told = estimate.told.load(Ordering::Relaxed);
        if expected / WORTH_TELLING >= told || told / WORTH_TELLING >= expected {
            estimate.told.store(expected, Ordering::Relaxed);
            let (expected, known) = (HumanCount(expected), HumanCount(forecast.known));
            let text = format!("estimate: {}: about {expected} states, {known} of them found\n", estimate.name);
            match self.bar.get() {
                Some(bar) => bar.suspend(|| output::note(&text)),
                None => output::note(&text),
            }
        }
    }

    /// Shows how far the search has got.
    pub(crate) fn update(&self, elapsed: Duration, progress: Progress) {
        let per_second = progress.states as f64 / elapsed.as_secs_f64();
        let latest = self.estimate.as_ref().map_or(0, |estimate| estimate.latest.load(Ordering::Relaxed));
        let of = if latest > 0 { format!(" of about {}", HumanCount(latest)) } else { String::new() };
        self.show(elapsed, || {
            format!(
                "{} states{of}, frontier {}, depth {}, {} states/s, {}",
                HumanCount(progress.states),
                HumanCount(progress.frontier),
                HumanCount(progress.depth),
                HumanCount(per_second as u64),
                HumanBytes(progress.bytes)
            )
        });
    }

    /// Shows how many runs were made, and how far that is.
    #[cfg(fencepost_runtime)]
    pub(crate) fn update_runs(&self, elapsed: Duration, runs: u64, how_far: impl FnOnce() -> String) {
        let per_second = runs as f64 / elapsed.as_secs_f64();
        self.show(elapsed, || {
            format!("{} runs, {}, {} runs/s", HumanCount(runs), how_far(), HumanCount(per_second as u64))
        });
    }

    fn show(&self, elapsed: Duration, text: impl FnOnce() -> String) {
        let Some(name) = &self.name else { return };
        if elapsed < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(
                ProgressStyle::with_template("{spinner} {wide_msg}")
                    .unwrap_or_else(|_| ProgressStyle::default_spinner()),
            );
            bar
        });
        bar.set_message(format!("{}  {name}", text()));
        bar.tick();
    }

    /// Removes it.
    pub(crate) fn clear(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

/// The same number with two digits that mean something.
fn rounded(number: u64) -> u64 {
    let unit = 10_u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(1));
    (number / unit + u64::from(number % unit >= unit - unit / 2)).saturating_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn estimates_have_two_digits() {
        for (number, expected) in
            [(0, 0), (7, 7), (99, 99), (104, 100), (105, 110), (999, 1_000), (58_692_402, 59_000_000)]
        {
            assert_eq!(rounded(number), expected);
        }
        assert!(rounded(u64::MAX) > 0);
    }
}
