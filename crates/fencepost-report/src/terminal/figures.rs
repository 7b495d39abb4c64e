//! Numbers: the cost of a check, and the tally of many.

use std::time::Duration;

use fencepost_model::models::MODELS;
use fencepost_verdict::{Consequences, Outcome, Rank, Stats, Verdict};

use super::{Look, Paint};

/// What became of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tallied {
    /// All verdicts are those that its comments expect.
    AsExpected,
    /// Some are not.
    NotAsExpected,
    /// A limit was reached before it was clear whether they are.
    Unconfirmed,
    /// Nothing is expected; robust, and nothing fails under SC.
    Robust,
    /// Nothing is expected; not robust against one of the models.
    NotRobust,
    /// Nothing is expected; robust, but an assertion or the like fails under SC.
    Failing,
    /// Nothing is expected; not decided for one of the models, and no violation of another.
    Unknown,
    /// Could not be read or understood.
    Error,
    /// Nobody waited for it.
    Interrupted,
}

impl Tallied {
    const ALL: [Tallied; 9] = [
        Tallied::AsExpected,
        Tallied::NotAsExpected,
        Tallied::Unconfirmed,
        Tallied::Robust,
        Tallied::NotRobust,
        Tallied::Failing,
        Tallied::Unknown,
        Tallied::Error,
        Tallied::Interrupted,
    ];

    fn counted(self, number: usize) -> String {
        let errors = if number == 1 { "error" } else { "errors" };
        let what = match self {
            Tallied::AsExpected => "as expected",
            Tallied::NotAsExpected => "not as expected",
            Tallied::Unconfirmed => "undecided",
            Tallied::Robust => "robust",
            Tallied::NotRobust => "not robust",
            Tallied::Failing => "failing under SC",
            Tallied::Unknown => "unknown",
            Tallied::Error => errors,
            Tallied::Interrupted => "not checked",
        };
        format!("{number} {what}")
    }
}

/// The tally of many files.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    files: Vec<(String, Tallied)>,
    /// For each model, the files that are robust, not robust, and undecided.
    models: Vec<(&'static str, Counts)>,
}

/// Files, as one model sees them.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    robust: usize,
    not_robust: usize,
    unknown: usize,
    /// Of those that are not robust: what goes wrong, by [`RANKS`].
    ranks: [usize; RANKS.len()],
}

/// What may come of it that a program is not robust, the worst first, and what the rows are called.
const RANKS: [(Rank, &str); 5] = [
    (Rank::Race, "  races"),
    (Rank::Failure, "  fails"),
    (Rank::Unknown, "  undecided"),
    (Rank::Harmless, "  harmless"),
    (Rank::NothingToCheck, "  no checks"),
];

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        match outcome.verdict {
            Verdict::Holds => self.robust += 1,
            Verdict::Violated(_) => self.not_robust += 1,
            Verdict::Unknown(_) => self.unknown += 1,
        }
        let rank = outcome.consequences.as_ref().map(Consequences::rank);
        for (count, (other, _)) in self.ranks.iter_mut().zip(RANKS) {
            *count += usize::from(rank == Some(other));
        }
    }
}

impl Tally {
    /// Adds a file, and what was found out about it.
    pub fn add(&mut self, file: &str, what: Tallied, outcomes: &[Outcome]) {
        self.files.push((file.to_string(), what));
        for outcome in outcomes {
            let model = self.models.iter_mut().find(|(model, _)| *model == outcome.model);
            match model {
                Some((_, counts)) => counts.add(outcome),
                None => {
                    let mut counts = Counts::default();
                    counts.add(outcome);
                    self.models.push((outcome.model, counts));
                    self.models.sort_by_key(|(name, _)| MODELS.iter().position(|model| model.name() == *name));
                }
            }
        }
    }

    /// A table of verdicts, one column per model; files that are not as expected; and how many
    /// files are what.
    pub fn render(&self, look: &Look) -> String {
        let paint = Paint(look.color);
        let mut text = String::from("\n");
        let row = |name: &str, cells: Vec<String>| {
            let cells: String = cells.iter().map(|cell| format!("{cell:>7}")).collect();
            format!("{name:<12}{cells}")
        };
        if !self.models.is_empty() {
            let names = self.models.iter().map(|(model, _)| (*model).to_string()).collect();
            text += &(paint.strong(&row("files", names)) + "\n");
            let mut add = |name: &str, count: &dyn Fn(&Counts) -> usize| {
                let counts = self.models.iter().map(|(_, counts)| count(counts).to_string()).collect();
                text += &(row(name, counts) + "\n");
            };
            add("robust", &|counts| counts.robust);
            add("not robust", &|counts| counts.not_robust);
            // What goes wrong because of that, as far as anything was asked.
            for (index, (_, name)) in RANKS.into_iter().enumerate() {
                if self.models.iter().any(|(_, counts)| counts.ranks[index] > 0) {
                    add(name, &|counts| counts.ranks[index]);
                }
            }
            add("unknown", &|counts| counts.unknown);
            text.push('\n');
        }
        for (file, _) in self.files.iter().filter(|(_, what)| *what == Tallied::NotAsExpected) {
            text += &format!("{}: {file}\n", paint.bad("not as expected"));
        }
        text + &paint.strong(&self.last_line()) + "\n"
    }

    /// `36 files: 23 robust, 12 not robust, 1 error`
    fn last_line(&self) -> String {
        let count = |what: Tallied| self.files.iter().filter(|(_, other)| *other == what).count();
        let all = self.files.len();
        let files = if all == 1 { "1 file".to_string() } else { format!("{all} files") };
        if all > 0 && count(Tallied::AsExpected) == all {
            return format!("{files}: all as expected");
        }
        let counts = Tallied::ALL.into_iter().map(|what| (what, count(what))).filter(|&(_, number)| number > 0);
        let counts: Vec<String> = counts.map(|(what, number)| what.counted(number)).collect();
        format!("{files}: {}", counts.join(", "))
    }
}

/// A file of a directory that nobody asked about by name, and that is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The file.
    pub file: String,
    /// In a list of kinds: `AArch64`.
    pub kind: &'static str,
    /// What it is: `an AArch64 test`.
    pub what: String,
}

/// `12 files skipped: 7 AArch64, 5 Linux-kernel C`; nothing if there are none. With details, also
/// which ones.
pub fn skipped(files: &[Skipped], details: bool) -> String {
    if files.is_empty() {
        return String::new();
    }
    let mut kinds: Vec<(usize, &str)> = Vec::new();
    for file in files {
        match kinds.iter_mut().find(|(_, kind)| *kind == file.kind) {
            Some((count, _)) => *count += 1,
            None => kinds.push((1, file.kind)),
        }
    }
    kinds.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    let kinds: Vec<String> = kinds.iter().map(|(count, kind)| format!("{count} {kind}")).collect();
    let names = files.iter().filter(|_| details).map(|file| format!("skipped: {}: {}\n", file.file, file.what));
    let noun = if files.len() == 1 { "file" } else { "files" };
    format!("{}{} {noun} skipped: {}\n", names.collect::<String>(), files.len(), kinds.join(", "))
}

/// The cost of one check; and if the program is not robust, how bad that is, and what it took to
/// know.
pub fn outcome_stats(outcome: &Outcome, look: &Look) -> String {
    let mut text = stats(&outcome.stats, look);
    if let Some(consequences) = &outcome.consequences {
        let paint = Paint(look.color);
        let Stats { states, peak_bytes, .. } = consequences.stats;
        let rows = [
            ("rank", consequences.rank().as_str().to_string()),
            ("- states", grouped(states)),
            ("- memory", bytes(peak_bytes)),
        ];
        // Some answers need no search.
        let known = if states > 0 { rows.len() } else { 1 };
        text += &rows[..known]
            .iter()
            .map(|(name, value)| format!("  {} {value}\n", paint.faint(&format!("{name:<12}"))))
            .collect::<String>();
    }
    text
}

/// The cost of one search.
pub fn stats(stats: &Stats, look: &Look) -> String {
    let paint = Paint(look.color);
    let seconds = stats.time.as_secs_f64();
    let mut rows = vec![
        ("states", grouped(stats.states)),
        ("transitions", grouped(stats.transitions)),
        ("depth", grouped(stats.depth)),
        ("bits/state", grouped(stats.state_bits)),
        ("memory", bytes(stats.peak_bytes)),
        ("time", duration(stats.time)),
    ];
    if stats.on_device > 0 {
        rows.insert(1, ("- on a card", grouped(stats.on_device)));
    }
    if seconds > 0.0 {
        rows.push(("states/s", grouped((stats.states as f64 / seconds) as u64)));
    }
    rows.iter().map(|(name, value)| format!("  {} {value}\n", paint.faint(&format!("{name:<12}")))).collect()
}

/// `1234567` as `1 234 567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {}", UNITS[unit]) }
}

fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 1.0 { format!("{:.1} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_readable() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1 234 567");
        assert_eq!(bytes(1023), "1023 bytes");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(duration(Duration::from_micros(1500)), "1.5 ms");
        assert_eq!(duration(Duration::from_millis(2500)), "2.50 s");
    }
}
