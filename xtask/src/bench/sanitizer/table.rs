//! Figures as text: lines of progress, and the tables of `docs/benchmarks.md`.

use std::fmt::Write as _;

use super::super::text::{geometric_mean, mebibytes, seconds};
use super::raw::{Outcome, Raw, Row, Run};
use crate::compilers::Build;

/// A comparison: one build with another.
type Pair = (Build, Build, &'static str);

const PAIRS: [Pair; 5] = [
    (Build::Full, Build::Tsan, "ours : TSan"),
    (Build::AtomicsOnly, Build::Tsan, "ours, atomics only : TSan"),
    (Build::Tsan, Build::Native, "TSan : native"),
    (Build::Full, Build::Native, "ours : native"),
    (Build::AtomicsOnly, Build::Native, "ours, atomics only : native"),
];

/// What is compared: wall, user, memory.
const FIGURES: [fn(&Run) -> f64; 3] = [|run| run.wall, |run| run.user, |run| run.bytes as f64];

/// The heading of the lines of progress.
pub(crate) fn progress_header() -> String {
    let mut text = format!("{:34}", "program");
    for build in Build::ALL {
        let _ = write!(text, " | {:>9} {:>9} {:>9}", build.name(), "user", "memory");
    }
    text
}

/// One line for a row.
pub(crate) fn progress(row: &Row) -> String {
    let mut text = format!("{:34}", name(row));
    for build in Build::ALL {
        let [wall, user, memory] = cells(row, build);
        let _ = write!(text, " | {wall:>9} {user:>9} {memory:>9}");
    }
    text
}

fn name(row: &Row) -> String {
    let arguments: Vec<String> = row.arguments.iter().map(u64::to_string).collect();
    format!("{} {}", row.program, arguments.join(" "))
}

/// Wall, user, memory.
fn cells(row: &Row, build: Build) -> [String; 3] {
    let outcome = row.outcomes.iter().find(|(own, _)| *own == build).map(|(_, outcome)| outcome);
    match outcome {
        None => ["–", "", ""].map(str::to_string),
        Some(Outcome::Failed(_)) => ["failed", "", ""].map(str::to_string),
        Some(Outcome::Done(run)) => [seconds(run.wall), seconds(run.user), mebibytes(run.bytes)],
    }
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or(String::new(), |ratio| if ratio < 9.95 { format!("{ratio:.2}") } else { format!("{ratio:.0}") })
}

/// The whole block.
pub(crate) fn render(raw: &Raw) -> String {
    let mut text = format!("{}\n", raw.machine.describe());
    for note in &raw.notes {
        let _ = writeln!(text, "{note}");
    }
    let suite: Vec<&Row> = raw.rows.iter().filter(|row| row.in_suite).collect();
    means(&mut text, &suite);
    let (plots, studies): (Vec<&Row>, Vec<&Row>) = raw
        .rows
        .iter()
        .filter(|row| !row.in_suite)
        .partition(|row| ["scaling", "passing"].contains(&row.program.as_str()));
    rows(&mut text, "The suite", &suite);
    rows(&mut text, "The mimalloc stress client", &studies);
    rows(&mut text, "Behind the plots", &plots);
    let failures: Vec<String> = raw.failures().collect();
    if !failures.is_empty() {
        let _ = writeln!(text, "\nFailed:\n");
        for failure in failures {
            let _ = writeln!(text, "- {failure}");
        }
    }
    text
}

/// Geometric means over the suite.
fn means(text: &mut String, rows: &[&Row]) {
    let _ =
        writeln!(text, "\n| geometric mean over the suite | programs | wall | user | memory |\n|---|--:|--:|--:|--:|");
    for (build, to, title) in PAIRS {
        let ratios =
            FIGURES.map(|figure| rows.iter().filter_map(|row| row.ratio(build, to, figure)).collect::<Vec<f64>>());
        let count = ratios[0].len();
        let means = ratios.map(|ratios| ratio(geometric_mean(&ratios)));
        let _ = writeln!(text, "| {title} | {count} | {} |", means.join(" | "));
    }
}

fn rows(text: &mut String, title: &str, rows: &[&Row]) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n### {title}\n\n\
         | program, arguments | runs | native | user | memory | TSan | user | memory | ours | user | memory | \
         atomics only | user | memory | ours : TSan | user | memory | atomics only : TSan | user | memory |\n\
         |---|{}",
        "--:|".repeat(19)
    );
    for row in rows {
        let mut cells: Vec<String> = Build::ALL.iter().flat_map(|build| cells(row, *build)).collect();
        for (build, to, _) in &PAIRS[..2] {
            cells.extend(FIGURES.iter().map(|figure| ratio(row.ratio(*build, *to, *figure))));
        }
        let _ = writeln!(text, "| {}{} | {} | {} |", name(row), marks(row), row.runs, cells.join(" | "));
    }
}

/// Which tools reported something.
fn marks(row: &Row) -> String {
    let reports = |build: Build| row.run(build).filter(|run| run.reports > 0).map(|run| (build, run.reports));
    let all: Vec<String> = Build::ALL
        .into_iter()
        .filter_map(reports)
        .map(|(build, reports)| format!("{}: {reports}", build.name()))
        .collect();
    if all.is_empty() { String::new() } else { format!(" (reports: {})", all.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::super::super::machine::Machine;
    use super::*;
    use crate::bench::text::assert_tables_are_whole;

    fn row(program: &str, in_suite: bool) -> Row {
        let run = |wall, reports| Outcome::Done(Run { wall, user: 2.0 * wall, bytes: 1 << 20, reports });
        let outcomes = vec![
            (Build::Native, run(0.1, 0)),
            (Build::Tsan, run(1.0, 0)),
            (Build::Full, run(0.5, 3)),
            (Build::AtomicsOnly, Outcome::Failed("it did".into())),
        ];
        Row { program: program.into(), arguments: vec![4, 100], in_suite, runs: 3, outcomes }
    }

    #[test]
    fn a_table_has_as_many_cells_as_columns() {
        let rows = vec![row("one", true), row("two", true), row("mimalloc", false), row("scaling", false)];
        let raw = Raw { machine: Machine::this(&[]), notes: vec!["Note.".into()], rows };
        let text = render(&raw);
        assert_tables_are_whole(&text);
        assert!(text.contains("| ours : TSan | 2 | 0.50 | 0.50 | 1.00 |"), "{text}");
        assert!(text.contains("| one 4 100 (reports: full: 3) | 3 |"), "{text}");
        assert!(text.contains("- one (atomics-only): it did"), "{text}");
    }
}
