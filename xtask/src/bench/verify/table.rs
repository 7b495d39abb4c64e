//! The figures as text.

use super::super::text::{grouped, mebibytes, seconds};
use super::families::{FAMILIES, Family, Grows};
use super::{Decision, Raw, Row};

pub(super) fn header() -> String {
    "| program | threads | answer | configurations | basis | time | memory |\n|---|--:|---|--:|--:|--:|--:|".into()
}

pub(super) fn row(row: &Row) -> String {
    let run = &row.run;
    let answer = match &run.decision {
        Decision::Safe => "safe",
        Decision::Unsafe => "unsafe",
        Decision::Undecided(reason) => reason,
    };
    let (configurations, basis) = (grouped(run.configurations), grouped(run.basis));
    let (time, memory) = (seconds(run.seconds), mebibytes(run.bytes));
    format!("| {} | {} | {answer} | {configurations} | {basis} | {time} | {memory} |", row.program, row.threads)
}

/// The rows of a family, with their sizes.
pub(super) fn members<'a>(raw: &'a Raw, family: &Family) -> Vec<(usize, &'a Row)> {
    let sizes = family.sizes.0..=family.sizes.1;
    sizes.filter_map(|size| Some((size, raw.rows.iter().find(|row| row.program == family.member(size))?))).collect()
}

pub(super) fn render(raw: &Raw) -> String {
    let mut lines = vec![
        raw.machine.describe(),
        format!("Limits of each search: {} s of processor time, {} GiB.", raw.limits.seconds, raw.limits.gibibytes),
    ];
    let is_member =
        |row: &&Row| FAMILIES.iter().any(|family| (members(raw, family)).iter().any(|(_, member)| member == row));
    let mut add = |title: &str, rows: Vec<&Row>| {
        if !rows.is_empty() {
            lines.extend([String::new(), title.to_string(), String::new(), header()]);
            lines.extend(rows.into_iter().map(row));
        }
    };
    add("Programs of the corpus:", raw.rows.iter().filter(|row| !is_member(row)).collect());
    for (grows, title) in
        [(Grows::Threads, "Growth with the number of threads:"), (Grows::Values, "Growth with the number of values:")]
    {
        let families = FAMILIES.iter().filter(|family| family.grows == grows);
        add(title, families.flat_map(|family| members(raw, family)).map(|(_, row)| row).collect());
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::super::machine::Machine;
    use super::super::super::raw::Limits;
    use super::super::Run;
    use super::*;

    #[test]
    fn rows_go_where_they_belong() {
        let row = |program: &str| Row {
            program: program.into(),
            threads: 2,
            run: Run { decision: Decision::Safe, configurations: 1234, basis: 7, seconds: 0.25, bytes: 3 << 20 },
        };
        let rows = vec![row("tickets-4"), row("dekker"), row("filter-3"), row("filter-2")];
        let machine = Machine {
            date: "today".into(),
            processor: "p".into(),
            cores: 1,
            gibibytes: 1,
            system: "s".into(),
            tools: Vec::new(),
        };
        let text = render(&Raw { machine, limits: Limits { seconds: 9, gibibytes: 1 }, rows });
        let position = |name: &str| {
            text.find(&format!("| {name} | 2 | safe | 1\u{202f}234 | 7 | 250 ms | 3.0 MiB |")).expect(name)
        };
        assert!(position("dekker") < position("filter-2"));
        assert!(position("filter-2") < position("filter-3"));
        assert!(position("filter-3") < position("tickets-4"));
    }
}
