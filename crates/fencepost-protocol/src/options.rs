//! What the user asks of the runtime and of the reporter, as text: `key=value:key=value`.
//!
//! The runtime finds options in the environment and in the program, and passes those that it
//! understands on to the reporter in [`Start`](crate::message::Start). Both read them here.

use crate::exploration::Decisions;
use crate::{Provocation, Schedule};

/// An option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// See [`Options::schedule`].
    Schedule,
    /// See [`Options::seed`].
    Seed,
    /// See [`Options::steps`].
    Steps,
    /// See [`Options::deadlock`].
    Deadlock,
    /// See [`Options::history`].
    History,
    /// See [`Options::spin_detection`].
    SpinDetection,
    /// See [`Options::halt`].
    Halt,
    /// See [`Options::max_reports`].
    MaxReports,
    /// See [`Options::record`].
    Record,
    /// An access that is to use an overwritten value, a text: a
    /// [`Provocation`](crate::Provocation).
    Provoke,
    /// Who takes which step, a text: [`Decisions`](crate::exploration::Decisions).
    Decisions,
    /// See [`Options::in_test`].
    InTest,
    /// See [`Options::robustness`].
    Robustness,
    /// See [`Options::races`].
    Races,
    /// See [`Options::atomic_races`].
    AtomicRaces,
    /// See [`Options::exit_code`].
    ExitCode,
    /// Where reports go, a text: a file, `stderr` or `stdout`.
    LogPath,
    /// A file of reports to leave out, a text.
    Suppressions,
    /// See [`Options::print_suppressions`].
    PrintSuppressions,
    /// See [`Options::color`].
    Color,
    /// See [`Options::verbosity`].
    Verbosity,
    /// See [`Options::help`].
    Help,
}

impl Key {
    /// All of them, as they are listed for people.
    pub const ALL: [Key; 22] = [
        Key::Schedule,
        Key::Seed,
        Key::Steps,
        Key::Deadlock,
        Key::History,
        Key::SpinDetection,
        Key::Halt,
        Key::MaxReports,
        Key::Record,
        Key::Provoke,
        Key::Decisions,
        Key::InTest,
        Key::Robustness,
        Key::Races,
        Key::AtomicRaces,
        Key::ExitCode,
        Key::LogPath,
        Key::Suppressions,
        Key::PrintSuppressions,
        Key::Color,
        Key::Verbosity,
        Key::Help,
    ];

    /// How it is written, and what it means.
    const fn described(self) -> (&'static str, &'static str) {
        match self {
            Key::Schedule => ("schedule", "os, random or pct:DEPTH: how threads take turns"),
            Key::Seed => ("seed", "what random and pct draw from"),
            Key::Steps => ("steps", "steps a run is expected to have, for pct"),
            Key::Deadlock => {
                ("deadlock", "seconds until threads that all wait are ended, with random and pct; 0: never")
            }
            Key::History => ("history_size", "writes kept per atomic location"),
            Key::SpinDetection => ("spin_detection", "1: values that keep a spin loop spinning are benign"),
            Key::Halt => ("halt_on_error", "1: end the program after the first report"),
            Key::MaxReports => ("max_reports", "reports at most"),
            Key::Record => ("record", "events recorded to check suggestions with"),
            Key::Provoke => {
                ("provoke", "PLACE,oldest or PLACE,newest: the access there uses an overwritten value once")
            }
            Key::Decisions => ("decisions", "who takes which step, as `run --schedule all` tells it"),
            Key::InTest => ("in_test", "1: decisions begin with the test of a test program in Rust, not with `main`"),
            Key::Robustness => ("report_robustness", "1: report robustness violations"),
            Key::Races => ("report_bugs", "1: report data races"),
            Key::AtomicRaces => ("report_atomic_races", "1: report races between atomic and plain accesses"),
            Key::ExitCode => ("exitcode", "exit code after a report"),
            Key::LogPath => ("log_path", "where reports go: a file, stderr or stdout"),
            Key::Suppressions => ("suppressions", "a file of reports to leave out"),
            Key::PrintSuppressions => ("print_suppressions", "1: print the suppressions that matched"),
            Key::Color => ("color", "auto, always or never: colours in reports"),
            Key::Verbosity => ("verbosity", "1: figures at the end, also if nothing was found"),
            Key::Help => ("help", "1: print this list"),
        }
    }

    /// How it is written.
    pub const fn name(self) -> &'static str {
        self.described().0
    }

    /// What it means, for people.
    pub const fn meaning(self) -> &'static str {
        self.described().1
    }

    /// Does it mean the same in `TSAN_OPTIONS`?
    pub const fn is_shared(self) -> bool {
        match self {
            Key::Halt
            | Key::ExitCode
            | Key::LogPath
            | Key::Suppressions
            | Key::PrintSuppressions
            | Key::Races
            | Key::AtomicRaces
            | Key::Color
            | Key::Verbosity => true,
            Key::Schedule
            | Key::Seed
            | Key::Steps
            | Key::Deadlock
            | Key::History
            | Key::SpinDetection
            | Key::MaxReports
            | Key::Record
            | Key::Provoke
            | Key::Decisions
            | Key::InTest
            | Key::Robustness
            | Key::Help => false,
        }
    }

    /// The option that is written so.
    pub fn named(name: &str) -> Option<Key> {
        Key::ALL.into_iter().find(|key| key.name() == name)
    }
}

/// Are there colours?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// On a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What applies. Options that are texts are left to who needs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How threads take turns.
    pub schedule: Schedule,
    /// What the scheduler draws from.
    pub seed: u64,
    /// Steps a run is expected to have, for [`Schedule::Pct`].
    pub steps: u64,
    /// Seconds after which threads that all wait are a deadlock, under a controlled schedule; 0 for
    /// never.
    pub deadlock: u32,
    /// Writes kept per location.
    pub history: u32,
    /// Are spin loops recognised?
    pub spin_detection: bool,
    /// Does the first report end the program? Then it waits for an [`Answer`](crate::Answer) to
    /// each.
    pub halt: bool,
    /// Reports at most.
    pub max_reports: u32,
    /// Events of the run that are recorded, to check suggestions with.
    pub record: u64,
    /// Do decisions begin where Rust's test library is about to start the thread of a test? The
    /// thread is not made, so that the main thread runs the test.
    pub in_test: bool,
    /// Are robustness violations reported?
    pub robustness: bool,
    /// Are data races reported?
    pub races: bool,
    /// Are races between an atomic and a plain access reported?
    pub atomic_races: bool,
    /// The exit code after a report, of a program that runs alone.
    pub exit_code: u8,
    /// Are the suppressions that matched printed?
    pub print_suppressions: bool,
    /// Colours in reports.
    pub color: Color,
    /// From 1 on, figures are printed also if nothing was found.
    pub verbosity: u32,
    /// Are the options listed?
    pub help: bool,
}

impl Options {
    /// What applies if nothing is asked for.
    pub const DEFAULT: Options = Options {
        schedule: Schedule::Os,
        seed: 0,
        steps: 1000,
        deadlock: 10,
        history: 16,
        spin_detection: true,
        halt: false,
        max_reports: 100,
        record: 100_000,
        in_test: false,
        robustness: true,
        races: true,
        atomic_races: true,
        exit_code: crate::FOUND,
        print_suppressions: false,
        color: Color::Auto,
        verbosity: 0,
        help: false,
    };

    /// Writes that can be kept per location.
    pub const HISTORY: core::ops::RangeInclusive<u32> = 2..=65536;

    /// More events are never recorded.
    const MAX_RECORD: u64 = 10_000_000;

    /// Sets an option. False if the value cannot be understood: then it stays what it was.
    #[must_use]
    pub fn set(&mut self, key: Key, value: &str) -> bool {
        let set = match key {
            Key::Schedule => value.parse().ok().map(|schedule| self.schedule = schedule),
            Key::Seed => number(value).map(|seed| self.seed = seed),
            Key::Steps => number(value).map(|steps| self.steps = steps),
            Key::Deadlock => number(value).map(|seconds| self.deadlock = seconds),
            Key::History => {
                number(value).filter(|history| Self::HISTORY.contains(history)).map(|history| self.history = history)
            }
            Key::SpinDetection => flag(value).map(|flag| self.spin_detection = flag),
            Key::Halt => flag(value).map(|flag| self.halt = flag),
            Key::MaxReports => number(value).map(|count| self.max_reports = count),
            Key::Record => number(value).map(|events: u64| self.record = events.min(Self::MAX_RECORD)),
            Key::InTest => flag(value).map(|flag| self.in_test = flag),
            Key::Robustness => flag(value).map(|flag| self.robustness = flag),
            Key::Races => flag(value).map(|flag| self.races = flag),
            Key::AtomicRaces => flag(value).map(|flag| self.atomic_races = flag),
            Key::ExitCode => number(value).map(|code| self.exit_code = code),
            Key::PrintSuppressions => flag(value).map(|flag| self.print_suppressions = flag),
            Key::Color => color(value).map(|color| self.color = color),
            Key::Verbosity => number(value).map(|verbosity| self.verbosity = verbosity),
            Key::Help => flag(value).map(|flag| self.help = flag),
            Key::Provoke => value.parse::<Provocation>().ok().map(drop),
            Key::Decisions => value.parse::<Decisions>().ok().map(drop),
            Key::LogPath | Key::Suppressions => Some(()),
        };
        set.is_some()
    }
}

impl Default for Options {
    fn default() -> Self {
        Options::DEFAULT
    }
}

fn number<T: core::str::FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

/// True and false, as thread sanitizers write them.
fn flag(text: &str) -> Option<bool> {
    match text {
        "1" | "true" | "yes" => Some(true),
        "0" | "false" | "no" => Some(false),
        _ => None,
    }
}

fn color(text: &str) -> Option<Color> {
    match text {
        "auto" => Some(Color::Auto),
        "always" => Some(Color::Always),
        "never" => Some(Color::Never),
        _ => None,
    }
}

const SEPARATORS: [char; 6] = [':', ',', ' ', '\n', '\t', '\r'];

/// The pairs of `key=value:key="a value"`. A colon inside a value that looks like `pct:3` or a path
/// is part of it as long as no `=` follows before the next one.
pub fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    core::iter::from_fn(move || {
        loop {
            rest = rest.trim_start_matches(SEPARATORS);
            let (key, after) = rest.split_once('=')?;
            let (value, tail) = match after.strip_prefix(['"', '\'']) {
                Some(quoted) => {
                    let end = quoted.find(['"', '\'']).unwrap_or(quoted.len());
                    (&quoted[..end], quoted.get(end + 1..).unwrap_or(""))
                }
                None => after.split_at(value_end(after)),
            };
            rest = tail;
            if let Some(key) = key.rsplit(SEPARATORS).next().filter(|key| !key.is_empty()) {
                return Some((key, value));
            }
        }
    })
}

fn value_end(text: &str) -> usize {
    let mut from = 0;
    while let Some(found) = text[from..].find(SEPARATORS) {
        let at = from + found;
        let next = &text[at + 1..];
        let next_item = next.split(SEPARATORS).next().unwrap_or("");
        if !text[at..].starts_with(':') || next_item.contains('=') || next.is_empty() {
            return at;
        }
        from = at + 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{Key, Options, pairs};
    use crate::Schedule;

    /// What `text` sets, and the keys whose values are not understood.
    fn read(text: &str) -> (Options, Vec<&str>) {
        let mut options = Options::DEFAULT;
        let set = |&(key, value): &(&str, &str)| !Key::named(key).is_some_and(|key| options.set(key, value));
        let wrong = pairs(text).filter(set).map(|(key, _)| key).collect();
        (options, wrong)
    }

    #[test]
    fn separators_and_quotes() {
        let all: Vec<_> = pairs("a=1:b=2 c=3,d=\"x y:z\" :e=pct:4:f=/a/b:g=").collect();
        let expected = [("a", "1"), ("b", "2"), ("c", "3"), ("d", "x y:z"), ("e", "pct:4"), ("f", "/a/b"), ("g", "")];
        assert_eq!(all, expected);
    }

    #[test]
    fn values_are_understood() {
        let (options, wrong) = read("schedule=pct:4:seed=7:history_size=32:halt_on_error=1:spin_detection=0");
        assert_eq!(wrong, Vec::<&str>::new());
        assert_eq!(options.schedule, Schedule::Pct(4));
        assert_eq!((options.seed, options.history, options.halt, options.spin_detection), (7, 32, true, false));
        for (text, value) in [("1", true), ("true", true), ("yes", true), ("0", false), ("false", false), ("no", false)]
        {
            let mut options = Options { halt: !value, ..Options::DEFAULT };
            assert!(options.set(Key::Halt, text) && options.halt == value, "{text}");
        }
    }

    #[test]
    fn nonsense_is_named_and_changes_nothing() {
        let text = "schedule=pct:0:seed=x:history_size=0:halt_on_error=on:exitcode=256:color=red:colour=1";
        let (options, wrong) = read(text);
        assert_eq!(wrong, ["schedule", "seed", "history_size", "halt_on_error", "exitcode", "color", "colour"]);
        assert_eq!(options, Options::DEFAULT);
    }

    #[test]
    fn keys_have_different_names() {
        for key in Key::ALL {
            assert_eq!(Key::named(key.name()), Some(key));
        }
    }
}
