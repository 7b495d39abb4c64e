//! Figures as text: lines of progress, and the tables of `docs/benchmarks.md`.

use std::fmt::Write as _;

use super::families::{FAMILIES, SMALLEST};
use super::papers::{PUBLISHED, Table};
use super::raw::{Decision, Key, Limits, Raw, Row, Run, decided};
use super::text::{geometric_mean, grouped, mebibytes, seconds, times};
use super::{LARGEST, LONG};

/// Searches by the other tool that take less say little about searching.
const WORTH_COMPARING: f64 = 0.5;

/// How much better ours did on a row, as quotients "theirs : ours".
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ratios {
    /// Time from the source file to the answer, both decided.
    end_to_end: Option<f64>,
    /// Time of the search alone, both decided.
    search: Option<f64>,
    /// States: what SPIN stores for the program alone, under SC.
    states: Option<f64>,
}

impl Ratios {
    pub(crate) fn of(row: &Row) -> Self {
        let ours = decided(row.fencepost.as_ref());
        let theirs = decided(row.spin.as_ref());
        let sc = decided(row.spin_sc.as_ref());
        let quotient = |other: Option<&Run>, figure: fn(&Run) -> f64| {
            Some(figure(other?) / figure(ours?)).filter(|quotient| quotient.is_finite())
        };
        Ratios {
            end_to_end: quotient(theirs, |run| run.total),
            search: quotient(theirs, |run| run.search),
            states: quotient(sc, |run| run.states as f64),
        }
    }
}

/// The heading of the lines of progress.
pub(crate) fn progress_header() -> String {
    format!(
        "{:22} {:9} {:10} | {:>10} {:>10} {:>11} {:>9} | {:>10} {:>10} {:>11} {:>9} | {:>10} {:>11}",
        "program",
        "model",
        "verdict",
        "fencepost",
        "search",
        "states",
        "memory",
        "SPIN",
        "pan",
        "states",
        "memory",
        "SC: pan",
        "states"
    )
}

/// One line for a row.
pub(crate) fn progress(row: &Row, limits: &Limits) -> String {
    let [ours, theirs, sc] = [&row.fencepost, &row.spin, &row.spin_sc].map(|run| Cells::of(run.as_ref(), limits));
    format!(
        "{:22} {:9} {:10} | {:>10} {:>10} {:>11} {:>9} | {:>10} {:>10} {:>11} {:>9} | {:>10} {:>11}",
        row.key.program,
        model(&row.key),
        verdict(row),
        ours.total,
        ours.search,
        ours.states,
        ours.memory,
        theirs.total,
        theirs.search,
        theirs.states,
        theirs.memory,
        sc.search,
        sc.states
    )
}

/// The model and, where it is that, the weaker property.
fn model(key: &Key) -> String {
    format!("{}{}", key.model, if key.observational { " obs." } else { "" })
}

fn verdict(row: &Row) -> &'static str {
    let known = decided(row.fencepost.as_ref()).or(decided(row.spin.as_ref()));
    known.map_or("unknown", |run| if run.decision == Decision::Holds { "robust" } else { "violation" })
}

/// The figures of a run as text.
struct Cells {
    total: String,
    search: String,
    states: String,
    memory: String,
}

impl Cells {
    fn of(run: Option<&Run>, limits: &Limits) -> Self {
        let same = |text: &str| Cells {
            total: text.to_string(),
            search: text.to_string(),
            states: String::new(),
            memory: String::new(),
        };
        match run {
            None => same("–"),
            Some(Run { decision: Decision::Undecided(_), search, states: 0, .. }) if *search == 0.0 => same("n/a"),
            // Time is seldom exactly over when a tool notices that it is.
            Some(Run { decision: Decision::Undecided(_), search, .. }) if *search > 0.95 * limits.seconds as f64 => {
                same(&format!("> {} s", limits.seconds))
            }
            Some(Run { decision: Decision::Undecided(_), .. }) => same("gave up"),
            Some(run) => Cells {
                total: seconds(run.total),
                search: seconds(run.search),
                states: grouped(run.states),
                memory: mebibytes(run.bytes),
            },
        }
    }
}

/// The whole block: summary, published programs, families, cores.
pub(crate) fn render(raw: &Raw) -> String {
    let Limits { seconds, gibibytes } = raw.limits;
    let mut text = format!(
        "{}\nLimits of each search: {seconds} s, {gibibytes} GiB.\n\n{}",
        raw.machine.describe(),
        summary(&raw.rows)
    );
    for table in Table::ALL {
        published(&mut text, raw, table);
    }
    families(&mut text, raw);
    cores(&mut text, &raw.rows);
    text
}

/// The figures that sum up all rows.
fn summary(rows: &[Row]) -> String {
    let with = |figure: fn(&Row) -> Option<f64>| -> Vec<f64> { rows.iter().filter_map(figure).collect() };
    let end_to_end = with(|row| Ratios::of(row).end_to_end);
    let search = with(|row| {
        let is_worth_it = row.spin.as_ref().is_some_and(|run| run.search > WORTH_COMPARING);
        Ratios::of(row).search.filter(|_| is_worth_it)
    });
    // Who finds a violation stops there, and needs no more states than it takes: count those rows
    // apart.
    let holds = |row: &&Row| row.fencepost.as_ref().is_some_and(|run| run.decision == Decision::Holds);
    let fewer = |rows: &[&Row]| -> (usize, usize) {
        let states: Vec<f64> = rows.iter().filter_map(|row| Ratios::of(row).states).collect();
        (states.iter().filter(|&&ratio| ratio > 1.0).count(), states.len())
    };
    let (robust_fewer, robust_all) = fewer(&rows.iter().filter(holds).collect::<Vec<_>>());
    let (all_fewer, all) = fewer(&rows.iter().collect::<Vec<_>>());
    let mean = |values: &[f64]| geometric_mean(values).map_or("–".to_string(), |mean| times(Some(mean)));
    format!(
        "| geometric mean, SPIN : fencepost | rows | |\n|---|--:|--:|\n\
         | end to end, where both decide | {} | {} |\n\
         | search only, where SPIN's takes more than {WORTH_COMPARING} s | {} | {} |\n\n\
         fencepost stores fewer states for its question than SPIN stores for the program alone (SC) in {robust_fewer} \
         of {robust_all} rows that are robust, in {all_fewer} of {all} rows in all.\n",
        end_to_end.len(),
        mean(&end_to_end),
        search.len(),
        mean(&search),
    )
}

const FIGURES: &str = "fencepost | search | states | memory | SPIN | compiling | search | states | memory | \
                       SC search | SC states | end to end | search | states : SC |";
const FIGURES_RULE: &str = "--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|";

/// The cells of all tools, and the ratios.
fn figures(row: &Row, limits: &Limits) -> String {
    let [ours, theirs, sc] = [&row.fencepost, &row.spin, &row.spin_sc].map(|run| Cells::of(run.as_ref(), limits));
    let compiling = decided(row.spin.as_ref()).map_or(String::new(), |run| seconds(run.compile));
    let ratios = Ratios::of(row);
    [
        ours.total,
        ours.search,
        ours.states,
        ours.memory,
        theirs.total,
        compiling,
        theirs.search,
        theirs.states,
        theirs.memory,
        sc.search,
        sc.states,
        times(ratios.end_to_end),
        times(ratios.search),
        times(ratios.states),
    ]
    .join(" | ")
}

/// The rows of one table of a paper.
fn published(text: &mut String, raw: &Raw, table: Table) {
    let rows: Vec<_> = PUBLISHED
        .iter()
        .filter(|published| published.table == table)
        .filter_map(|published| {
            let row = raw.rows.iter().find(|row| {
                row.key.program == published.program
                    && row.key.model == table.model()
                    && row.key.observational == published.observational
            })?;
            Some((published, row))
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    let _ = write!(text, "\n### {}\n\n| program | model | verdict | published | {FIGURES}\n", table.citation());
    let _ = writeln!(text, "|---|---|---|--:|{FIGURES_RULE}");
    for (published, row) in rows {
        let alias = published.alias.map_or(String::new(), |alias| format!(" ({alias})"));
        let expected = if published.holds { Decision::Holds } else { Decision::Violated };
        let differs = decided(row.fencepost.as_ref()).is_some_and(|run| run.decision != expected);
        let _ = writeln!(
            text,
            "| {}{alias} | {} | {} | {:.1} s{} | {} |",
            published.program,
            model(&row.key),
            verdict(row),
            published.seconds,
            if differs { " ≠" } else { "" },
            figures(row, &raw.limits)
        );
    }
}

/// The rows of the scaled families, and how far each tool gets.
fn families(text: &mut String, raw: &Raw) {
    let mut reach = String::new();
    let mut tables = String::new();
    for family in FAMILIES {
        for model in family.models {
            let key = |n| Key { program: family.member(n), model: (*model).to_string(), observational: false };
            let rows: Vec<(usize, &Row)> = (SMALLEST..=LARGEST).filter_map(|n| Some((n, raw.row(&key(n))?))).collect();
            if rows.is_empty() {
                continue;
            }
            let largest = |tool: fn(&Row) -> Option<&Run>| {
                let sizes = rows.iter().filter(|(_, row)| decided(tool(row)).is_some()).map(|(n, _)| *n);
                sizes.max().map_or("–".to_string(), |n| format!("{}{n}", if n == LARGEST { "≥ " } else { "" }))
            };
            let _ = writeln!(
                reach,
                "| {} | {model} | {} | {} | {} |",
                family.name,
                largest(|row| row.fencepost.as_ref()),
                largest(|row| row.spin.as_ref()),
                largest(|row| row.spin_sc.as_ref())
            );
            let _ = write!(
                tables,
                "\n### {} against {model}\n\n{}\n\n![time and states of {0}](plots/{0}-{model}.svg)\n\n\
                 | N | verdict | {FIGURES}\n|--:|---|{FIGURES_RULE}\n",
                family.name, family.title
            );
            for (n, row) in rows {
                let _ = writeln!(tables, "| {n} | {} | {} |", verdict(row), figures(row, &raw.limits));
            }
        }
    }
    if !reach.is_empty() {
        let _ = write!(
            text,
            "\n### Families: the largest N decided within the limits\n\n\
             | family | model | fencepost | SPIN | SPIN, SC only |\n|---|---|--:|--:|--:|\n{reach}{tables}"
        );
    }
}

/// What a second core is good for.
fn cores(text: &mut String, rows: &[Row]) {
    let pairs: Vec<(&Row, &Run, &Run)> = rows
        .iter()
        .filter_map(|row| Some((row, decided(row.fencepost.as_ref())?, decided(row.two_jobs.as_ref())?)))
        .collect();
    if pairs.is_empty() {
        return;
    }
    let _ = write!(
        text,
        "\n### Two cores\n\nSearches that take more than {LONG} s on one.\n\n\
         | program | model | one | two | speed-up |\n|---|---|--:|--:|--:|\n"
    );
    for (row, one, two) in &pairs {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.2}× |",
            row.key.program,
            model(&row.key),
            seconds(one.search),
            seconds(two.search),
            one.search / two.search
        );
    }
    let speed_ups: Vec<f64> = pairs.iter().map(|(_, one, two)| one.search / two.search).collect();
    if let Some(mean) = geometric_mean(&speed_ups) {
        let _ = writeln!(text, "\nGeometric mean: {mean:.2}×.");
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::Machine;
    use super::*;
    use crate::bench::text::assert_tables_are_whole;

    fn run(total: f64, search: f64, states: u64) -> Run {
        Run { decision: Decision::Holds, total, search, states, ..Run::impossible(String::new()) }
    }

    fn row(program: &str) -> Row {
        let key = Key { program: program.into(), model: "ra".into(), observational: false };
        Row {
            key,
            fencepost: Some(run(0.02, 0.01, 1000)),
            two_jobs: None,
            spin: Some(run(4.0, 1.0, 5000)),
            spin_sc: Some(run(2.0, 0.5, 500)),
        }
    }

    fn raw(rows: Vec<Row>) -> Raw {
        let machine = Machine {
            date: "2020-02-02".into(),
            processor: "a processor".into(),
            cores: 2,
            gibibytes: 16,
            system: "a system".into(),
            tools: vec!["fencepost 1".into(), "SPIN 6".into()],
        };
        Raw { machine, limits: Limits { seconds: 60, gibibytes: 8 }, rows }
    }

    #[test]
    fn ratios_are_theirs_to_ours() {
        let row = row("seqlock");
        let expected = Ratios { end_to_end: Some(200.0), search: Some(100.0), states: Some(0.5) };
        assert_eq!(Ratios::of(&row), expected);
    }

    #[test]
    fn there_is_no_ratio_to_what_was_not_decided() {
        let mut row = row("seqlock");
        row.spin = Some(Run { decision: Decision::Undecided("time".into()), ..run(61.0, 60.0, 9) });
        let expected = Ratios { end_to_end: None, search: None, states: Some(0.5) };
        assert_eq!(Ratios::of(&row), expected);
        row.fencepost = None;
        assert_eq!(Ratios::of(&row), Ratios { end_to_end: None, search: None, states: None });
    }

    #[test]
    fn a_table_has_as_many_cells_as_columns() {
        let mut undecided = row("peterson-3");
        undecided.spin = Some(Run { decision: Decision::Undecided("time".into()), ..run(61.0, 60.0, 9) });
        undecided.spin_sc = None;
        let text = render(&raw(vec![row("seqlock"), row("peterson-2"), undecided]));
        assert_tables_are_whole(&text);
        assert!(text.contains("| end to end, where both decide | 2 | 200× |"), "{text}");
        assert!(text.contains("| search only, where SPIN's takes more than 0.5 s | 2 | 100× |"), "{text}");
        assert!(text.contains("0 of 2 rows that are robust"), "{text}");
        assert!(text.contains("| peterson | ra | 3 | 2 | 2 |"), "{text}");
        assert!(text.contains("> 60 s"), "{text}");
    }
}
