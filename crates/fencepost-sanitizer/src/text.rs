//! What there is to say at the end of a series of runs, besides the findings.

use std::fmt::Write as _;

use crate::reporter::Totals;
use crate::suppress::Suppressions;

/// Figures at the end.
pub fn summary(totals: &Totals) -> String {
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
        (totals.deadlocks, "deadlock", "deadlocks"),
        (totals.malformed, "line not understood", "lines not understood"),
    ] {
        if count > 0 {
            parts.push(counted(count, one, many));
        }
    }
    let mut text = format!(
        "fencepost: {} in {}: {}\n",
        counted(totals.reports, "report", "reports"),
        counted(totals.runs, "run", "runs"),
        parts.join(", ")
    );
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
