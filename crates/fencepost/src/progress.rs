//! One line on the terminal about a search that takes long.

use std::sync::OnceLock;
use std::time::Duration;

use fencepost_verdict::Progress;
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Short searches show nothing.
const PATIENCE: Duration = Duration::from_millis(300);

/// The line; it appears when it is first needed.
pub(crate) struct Line {
    name: Option<String>,
    bar: OnceLock<ProgressBar>,
}

impl Line {
    /// A line about `name`, if progress is wanted at all.
    pub(crate) fn new(name: &str, wanted: bool) -> Self {
        Line { name: wanted.then(|| name.to_string()), bar: OnceLock::new() }
    }

    /// Shows how far the search has got.
    pub(crate) fn update(&self, elapsed: Duration, progress: Progress) {
        let per_second = progress.states as f64 / elapsed.as_secs_f64();
        self.show(elapsed, || {
            format!(
                "{} states, frontier {}, depth {}, {} states/s, {}",
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
