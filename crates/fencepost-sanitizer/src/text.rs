//! What there is to say at the end of a series of runs, besides the findings.

use std::fmt::Write as _;

use fencepost_finding::Rank;

use crate::reporter::Totals;
use crate::suppress::Suppressions;

/// How many reports there are of each rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ranks {
    /// Data races.
    pub race: u64,
    /// A failure follows.
    pub failure: u64,
    /// The value is passed on.
    pub passed_on: u64,
    /// Nothing visible follows.
    pub harmless: u64,
    /// What follows is not known.
    pub unknown: u64,
}

impl Ranks {
    /// Counts them.
    pub fn of(ranks: impl IntoIterator<Item = Option<Rank>>) -> Ranks {
        let mut counts = Ranks::default();
        for rank in ranks {
            *match rank {
                Some(Rank::Race) => &mut counts.race,
                Some(Rank::Failure) => &mut counts.failure,
                Some(Rank::PassedOn) => &mut counts.passed_on,
                Some(Rank::Harmless) => &mut counts.harmless,
                None => &mut counts.unknown,
            } += 1;
        }
        counts
    }

    /// In words; nothing if there is nothing.
    fn sentence(&self) -> String {
        let parts = [
            (self.race, "data race", "data races"),
            (self.failure, "report that a failure follows from", "reports that a failure follows from"),
            (self.passed_on, "report whose value is passed on", "reports whose values are passed on"),
            (self.unknown, "report not provoked", "reports not provoked"),
            (self.harmless, "harmless as far as runs show", "harmless as far as runs show"),
        ];
        let told = parts.into_iter().filter(|(count, ..)| *count > 0);
        told.map(|(count, one, many)| counted(count, one, many)).collect::<Vec<_>>().join(", ")
    }
}

/// Figures at the end.
pub fn summary(totals: &Totals, ranks: &Ranks) -> String {
    let figures = &totals.figures;
    let mut parts = vec![
        counted(figures.accesses, "atomic access", "atomic accesses") + " checked",
        counted(figures.locations, "atomic location", "atomic locations"),
        counted(figures.threads, "thread", "threads"),
    ];
    for (count, one, many) in [
        (figures.fences, "fence", "fences"),
        (figures.cut, "window cut by the bounded history", "windows cut by the bounded history"),
        (figures.out_of_sight, "write out of sight", "writes out of sight"),
        (figures.mixed_size, "access of mixed size", "accesses of mixed size"),
        (totals.suppressed, "report suppressed", "reports suppressed"),
        (
            totals.own,
            "finding about a library's own atomics left out",
            "findings about a library's own atomics left out",
        ),
        (totals.deadlocks, "deadlock", "deadlocks"),
        (totals.malformed, "line not understood", "lines not understood"),
    ] {
        if count > 0 {
            parts.push(counted(count, one, many));
        }
    }
    let reports = counted(totals.reports, "report", "reports");
    let mut text = match (totals.runs, totals.provoked) {
        (0, 1..) => format!("fencepost: {reports}\n"),
        (runs, _) => format!("fencepost: {reports} in {}: {}\n", counted(runs, "run", "runs"), parts.join(", ")),
    };
    if totals.provoked > 0 {
        let runs = counted(totals.provoked, "provoked run", "provoked runs");
        let _ = writeln!(text, "fencepost: after {runs}: {}", ranks.sentence());
    }
    if totals.runs > 1 && !totals.seeds.is_empty() {
        let shown: Vec<String> = totals.seeds.iter().take(10).map(u64::to_string).collect();
        let more = if totals.seeds.len() > shown.len() { ", …" } else { "" };
        let _ = writeln!(
            text,
            "fencepost: {} found something, with seed {}{more}",
            counted(totals.seeds.len() as u64, "run", "runs"),
            shown.join(", ")
        );
    }
    text
}

/// What the suppressions did, unused ones included.
pub fn suppressions(list: &Suppressions) -> String {
    let mut text = String::new();
    for suppression in list.list() {
        let _ = match suppression.used {
            0 => writeln!(text, "fencepost: suppression not used: {}", suppression.text),
            used => writeln!(text, "fencepost: suppression used {used}x: {}", suppression.text),
        };
    }
    text
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
