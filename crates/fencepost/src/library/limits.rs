//! What a question may cost, and who is told how far it is.

use std::fmt;
use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fencepost_verdict::device::Device;
use fencepost_verdict::{Budget, Disk, Forecast, Progress};

/// What a question may cost. Where a limit is reached, the answer is unknown and says which limit
/// it was.
///
/// ```
/// use std::time::Duration;
/// let limits = fencepost::Limits::none().timeout(Duration::from_secs(10)).memory(2 << 30);
/// ```
#[derive(Clone, Copy)]
pub struct Limits<'a> {
    timeout: Option<Duration>,
    memory: u64,
    states: u64,
    threads: usize,
    stale: u32,
    stop: Option<&'a AtomicBool>,
    device: Option<&'a dyn Device>,
    progress: &'a (dyn Fn(Duration, Progress) + Sync),
    forecast: Option<&'a (dyn Fn(Forecast) + Sync)>,
    disk: Option<Disk<'a>>,
    clock: &'a (dyn Fn() -> Duration + Sync),
}

/// Since this was asked for the first time. Rust does not know the clock of a browser: there it
/// stands still unless [`Limits::clock`] says otherwise.
fn system_clock() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    if cfg!(all(target_family = "wasm", target_os = "unknown")) {
        return Duration::ZERO;
    }
    START.get_or_init(Instant::now).elapsed()
}

impl<'a> Limits<'a> {
    /// No limits: what takes for ever takes for ever.
    pub fn none() -> Self {
        Limits {
            timeout: None,
            memory: u64::MAX,
            states: u64::MAX,
            threads: std::thread::available_parallelism().map_or(1, NonZero::get),
            stale: 1,
            stop: None,
            device: None,
            progress: &|_, _| {},
            forecast: None,
            disk: None,
            clock: &system_clock,
        }
    }

    /// At most so long, for each question.
    pub fn timeout(self, timeout: Duration) -> Self {
        Limits { timeout: Some(timeout), ..self }
    }

    /// The same, and no more time than that.
    pub fn at_most(self, timeout: Duration) -> Self {
        Limits { timeout: Some(self.timeout.map_or(timeout, |limit| limit.min(timeout))), ..self }
    }

    /// What is left of them when so much time was spent on the question already.
    pub fn after(self, spent: Duration) -> Self {
        Limits { timeout: self.timeout.map(|timeout| timeout.saturating_sub(spent)), ..self }
    }

    /// At most so many bytes for what a search remembers.
    pub fn memory(self, bytes: u64) -> Self {
        Limits { memory: bytes, ..self }
    }

    /// At most so many states.
    pub fn states(self, states: u64) -> Self {
        Limits { states, ..self }
    }

    /// On so many threads. The answer is the same for any number.
    pub fn threads(self, threads: NonZero<usize>) -> Self {
        Limits { threads: threads.get(), ..self }
    }

    /// Of a program that is not robust, executions with up to so many stale steps are looked at,
    /// for what goes wrong in them: 1, if nothing else is said. With 0 nothing is looked for.
    pub fn stale_steps(self, most: u32) -> Self {
        Limits { stale: most, ..self }
    }

    /// On this device, such as a graphics card, as far as it can. The answer is the same.
    pub fn device(self, device: &'a dyn Device) -> Self {
        Limits { device: Some(device), ..self }
    }

    /// Until somebody sets this flag.
    pub fn stop_when(self, flag: &'a AtomicBool) -> Self {
        Limits { stop: Some(flag), ..self }
    }

    /// Tells this function, from time to time, how long a question has taken so far and how far it
    /// is.
    pub fn on_progress(self, tell: &'a (dyn Fn(Duration, Progress) + Sync)) -> Self {
        Limits { progress: tell, ..self }
    }

    /// Tells this function, again and again, how many states a search will have: an estimate.
    pub fn on_forecast(self, tell: &'a (dyn Fn(Forecast) + Sync)) -> Self {
        Limits { forecast: Some(tell), ..self }
    }

    /// A disk for what does not fit into memory, and for how far searches are.
    pub fn disk(self, disk: Disk<'a>) -> Self {
        Limits { disk: Some(disk), ..self }
    }

    /// Takes the time from this function, which says how long it is since some moment: for hosts
    /// whose clock Rust does not know, as a browser.
    pub fn clock(self, now: &'a (dyn Fn() -> Duration + Sync)) -> Self {
        Limits { clock: now, ..self }
    }

    /// How many threads a search may use.
    pub(super) fn jobs(&self) -> usize {
        self.threads
    }

    /// How many stale steps an execution may have.
    pub(super) fn stale(&self) -> u32 {
        self.stale
    }

    /// Does some work within the limits, and takes its time.
    pub fn within<T>(&self, work: impl FnOnce(&Budget<'_>) -> T) -> (T, Duration) {
        let start = (self.clock)();
        let elapsed = || (self.clock)().saturating_sub(start);
        let stopped = || self.stop.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let expired = || stopped() || self.timeout.is_some_and(|timeout| elapsed() >= timeout);
        let spent = || {
            let part = |timeout: Duration| elapsed().as_secs_f64() / timeout.as_secs_f64().max(1e-9);
            self.timeout.map_or(0.0, part)
        };
        let progress = |progress| (self.progress)(elapsed(), progress);
        let result = work(&Budget {
            max_states: self.states,
            max_bytes: self.memory,
            expired: &expired,
            spent: &spent,
            progress: &progress,
            rest: &|_| {},
            device: self.device,
            forecast: self.forecast,
            disk: self.disk,
        });
        (result, elapsed())
    }
}

impl fmt::Debug for Limits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Limits { timeout, memory, states, threads, stale, .. } = self;
        let mut fields = f.debug_struct("Limits");
        fields.field("timeout", timeout).field("memory", memory).field("states", states).field("threads", threads);
        fields.field("stale", stale);
        fields.finish_non_exhaustive()
    }
}
