//! What the user asked for: `FENCEPOST_OPTIONS`, the keys of `TSAN_OPTIONS` that mean the same, and what the program was
//! compiled with (`__fencepost_default_options`, `__tsan_default_options`). Later ones win, in the reverse of this order.
//!
//! Keys for the reporter are passed on to it as they are.

use std::ffi::CStr;
use std::sync::OnceLock;

use crate::environment;

/// How threads take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Schedule {
    /// As the operating system has it.
    Os,
    /// One at a time, the next one drawn at every step.
    Random,
    /// One at a time, by priorities that change at this number of points less one (Burckhardt et al., ASPLOS 2010).
    Pct(u32),
}

/// The options of the runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// How threads take turns.
    pub(crate) schedule: Schedule,
    /// What the scheduler draws from.
    pub(crate) seed: u64,
    /// Steps a run is expected to have, for [`Schedule::Pct`].
    pub(crate) steps: u64,
    /// Seconds after which threads that all wait are a deadlock, under a controlled schedule; 0 for never.
    pub(crate) deadlock: u32,
    /// Writes kept per location.
    pub(crate) history: u32,
    /// Are spin loops recognised?
    pub(crate) spin_detection: bool,
    /// Does the first report end the program?
    pub(crate) halt: bool,
    /// Reports at most.
    pub(crate) max_reports: u32,
    /// Events of the run that are recorded, to check suggestions with.
    pub(crate) record: u64,
    /// Are robustness violations reported?
    pub(crate) robustness: bool,
    /// Are data races reported?
    pub(crate) races: bool,
    /// Are races between an atomic and a plain access reported?
    pub(crate) atomic_races: bool,
    /// Print the options and end?
    pub(crate) help: bool,
    /// Everything that was given, for the reporter.
    pub(crate) given: Vec<(String, String)>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            schedule: Schedule::Os,
            seed: 0,
            steps: 1000,
            deadlock: 10,
            history: 16,
            spin_detection: true,
            halt: false,
            max_reports: 100,
            record: 200_000,
            robustness: true,
            races: true,
            atomic_races: true,
            help: false,
            given: Vec::new(),
        }
    }
}

/// Every key of the runtime, with its meaning.
const KEYS: &[(&str, &str)] = &[
    ("schedule", "os, random or pct:DEPTH: how threads take turns"),
    ("seed", "what random and pct draw from"),
    ("steps", "steps a run is expected to have, for pct"),
    ("deadlock", "seconds until threads that all wait are ended, with random and pct; 0: never"),
    ("history_size", "writes kept per atomic location"),
    ("spin_detection", "1: values that keep a spin loop spinning are benign"),
    ("halt_on_error", "1: end the program after the first report"),
    ("max_reports", "reports at most"),
    ("record", "events recorded to check suggestions with"),
    ("report_robustness", "1: report robustness violations"),
    ("report_bugs", "1: report data races"),
    ("report_atomic_races", "1: report races between atomic and plain accesses"),
    ("exitcode", "exit code after a report"),
    ("log_path", "where reports go: a file, stderr or stdout"),
    ("suppressions", "a file of reports to leave out"),
    ("print_suppressions", "1: print the suppressions that matched"),
];

/// Keys of `TSAN_OPTIONS` that mean the same here.
const SHARED: &[&str] = &[
    "halt_on_error",
    "exitcode",
    "log_path",
    "suppressions",
    "print_suppressions",
    "report_bugs",
    "report_atomic_races",
    "color",
    "verbosity",
];

impl Options {
    /// Takes over what `text` says: `key=value` separated by colons, commas or blanks. Says what it does not understand.
    pub(crate) fn parse(&mut self, text: &str, known: impl Fn(&str) -> bool, complain: &mut dyn FnMut(String)) {
        for (key, value) in pairs(text) {
            if !known(key) {
                continue;
            }
            if self.set(key, value) {
                self.given.push((key.to_string(), value.to_string()));
            } else {
                complain(format!("cannot understand {key}={value} in the options"));
            }
        }
    }

    fn set(&mut self, key: &str, value: &str) -> bool {
        fn put<T: std::str::FromStr>(field: &mut T, value: &str) -> bool {
            value.parse().map(|value| *field = value).is_ok()
        }
        fn put_flag(field: &mut bool, value: &str) -> bool {
            *field = match value {
                "1" | "true" | "yes" => true,
                "0" | "false" | "no" => false,
                _ => return false,
            };
            true
        }
        match key {
            "schedule" => parse_schedule(value).map(|schedule| self.schedule = schedule).is_some(),
            "seed" => put(&mut self.seed, value),
            "steps" => put(&mut self.steps, value),
            "deadlock" => put(&mut self.deadlock, value),
            "history_size" => put(&mut self.history, value) && self.history >= 1,
            "spin_detection" => put_flag(&mut self.spin_detection, value),
            "halt_on_error" => put_flag(&mut self.halt, value),
            "max_reports" => put(&mut self.max_reports, value),
            "record" => put(&mut self.record, value),
            "report_robustness" => put_flag(&mut self.robustness, value),
            "report_bugs" => put_flag(&mut self.races, value),
            "report_atomic_races" => put_flag(&mut self.atomic_races, value),
            "help" => put_flag(&mut self.help, value),
            "exitcode" | "log_path" | "suppressions" | "print_suppressions" | "color" | "verbosity" => true,
            _ => false,
        }
    }
}

/// `os`, `random` or `pct:DEPTH`.
fn parse_schedule(text: &str) -> Option<Schedule> {
    match text {
        "os" => Some(Schedule::Os),
        "random" => Some(Schedule::Random),
        "pct" => Some(Schedule::Pct(3)),
        _ => text.strip_prefix("pct:")?.parse().ok().filter(|&depth| depth > 0).map(Schedule::Pct),
    }
}

impl std::fmt::Display for Schedule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Schedule::Os => f.write_str("os"),
            Schedule::Random => f.write_str("random"),
            Schedule::Pct(depth) => write!(f, "pct:{depth}"),
        }
    }
}

/// The pairs of `key=value:key="a value"`. A colon inside a value that looks like `pct:3` or a path is part of it as
/// long as no `=` follows before the next one.
fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start_matches([':', ',', ' ', '\n', '\t', '\r']);
            let (key, after) = rest.split_once('=')?;
            let (value, tail) = match after.strip_prefix(['"', '\'']) {
                Some(quoted) => {
                    let end = quoted.find(['"', '\'']).unwrap_or(quoted.len());
                    (&quoted[..end], quoted.get(end + 1..).unwrap_or(""))
                }
                None => after.split_at(value_end(after)),
            };
            rest = tail;
            if let Some(key) = key.rsplit([':', ',', ' ', '\n']).next().filter(|key| !key.is_empty()) {
                return Some((key, value));
            }
        }
    })
}

fn value_end(text: &str) -> usize {
    let mut from = 0;
    while let Some(found) = text[from..].find([':', ',', ' ', '\n', '\t', '\r']) {
        let at = from + found;
        let next = &text[at + 1..];
        let next_item = next.split([':', ',', ' ', '\n']).next().unwrap_or("");
        if !text[at..].starts_with(':') || next_item.contains('=') || next.is_empty() {
            return at;
        }
        from = at + 1;
    }
    text.len()
}

static OPTIONS: OnceLock<Options> = OnceLock::new();

/// What applies.
pub(crate) fn get() -> &'static Options {
    OPTIONS.get_or_init(Options::default)
}

/// Reads the environment, once. Complaints are kept for the reporter, and printed if there is none.
pub(crate) fn read() {
    let mut options = Options::default();
    let mut complaints = Vec::new();
    let mut complain = |text: String| complaints.push(text);
    let is_shared = |key: &str| SHARED.contains(&key);
    if let Some(text) = compiled_in(c"__tsan_default_options") {
        options.parse(&text, is_shared, &mut complain);
    }
    if let Some(text) = compiled_in(c"__fencepost_default_options") {
        options.parse(&text, |_| true, &mut complain);
    }
    if let Some(text) = environment::variable("TSAN_OPTIONS") {
        options.parse(&text, is_shared, &mut complain);
    }
    if let Some(text) = environment::variable("FENCEPOST_OPTIONS") {
        options.parse(&text, |_| true, &mut complain);
    }
    if options.help {
        let mut text = String::from("Keys of FENCEPOST_OPTIONS (key=value:key=value):\n");
        for (key, meaning) in KEYS {
            text += &format!("  {key:<20} {meaning}\n");
        }
        crate::channel::print(&text);
    }
    let _ = OPTIONS.set(options);
    for complaint in complaints {
        crate::channel::print(&format!("fencepost: {complaint}; `FENCEPOST_OPTIONS=help=1` lists the keys\n"));
    }
}

/// What a function of the program without arguments returns, if there is such a function.
fn compiled_in(name: &CStr) -> Option<String> {
    // SAFETY: looks a name up.
    let function = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    if function.is_null() {
        return None;
    }
    // SAFETY: by convention of the sanitizers a function of this name takes nothing and returns a string or null.
    let text = unsafe {
        let function: extern "C" fn() -> *const libc::c_char = std::mem::transmute(function);
        function()
    };
    if text.is_null() {
        return None;
    }
    // SAFETY: as above, a string that ends with zero and lives for ever.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::{Options, Schedule, pairs};

    fn parsed(text: &str) -> (Options, Vec<String>) {
        let mut options = Options::default();
        let mut complaints = Vec::new();
        options.parse(text, |_| true, &mut |complaint| complaints.push(complaint));
        (options, complaints)
    }

    #[test]
    fn separators_and_quotes() {
        let all: Vec<_> = pairs("a=1:b=2 c=3,d=\"x y:z\" :e=pct:4:f=/a/b:g=").collect();
        let expected = [("a", "1"), ("b", "2"), ("c", "3"), ("d", "x y:z"), ("e", "pct:4"), ("f", "/a/b"), ("g", "")];
        assert_eq!(all, expected);
    }

    #[test]
    fn values_are_understood() {
        let (options, complaints) = parsed("schedule=pct:4:seed=7:history_size=32:halt_on_error=1:spin_detection=0");
        assert_eq!(complaints, Vec::<String>::new());
        assert_eq!(options.schedule, Schedule::Pct(4));
        assert_eq!((options.seed, options.history, options.halt, options.spin_detection), (7, 32, true, false));
    }

    #[test]
    fn nonsense_is_named() {
        let (options, complaints) = parsed("schedule=pct:0:seed=x:history_size=0:colour=1");
        assert_eq!(complaints.len(), 4, "{complaints:?}");
        assert_eq!(options.schedule, Schedule::Os);
    }
}
