//! How cost grows with size: one picture per family and model, time on the
//! left, states on the right.

use std::path::Path;

use super::LARGEST;
use super::chart::{self, BLUE, GREEN, Line, ORANGE, Panel, Shape, Style};
use super::families::{FAMILIES, Family, SMALLEST};
use super::raw::{Key, Raw, Row, Run, decided};

/// A tool: how it is drawn, and which of the runs is its own.
type Tool = (Style, fn(&Row) -> Option<&Run>);

const TOOLS: &[Tool] = &[
    (Style { label: "fencepost", colour: BLUE, shape: Shape::Disc }, |row| row.fencepost.as_ref()),
    (Style { label: "SPIN, same question", colour: ORANGE, shape: Shape::Triangle }, |row| row.spin.as_ref()),
    (Style { label: "SPIN, SC only", colour: GREEN, shape: Shape::Cross }, |row| row.spin_sc.as_ref()),
];

/// Draws every family that was measured.
pub(crate) fn draw_all(raw: &Raw, dir: &Path) -> Result<(), String> {
    for family in FAMILIES {
        for model in family.models {
            let rows = members(raw, family, model);
            if rows.len() > 1 {
                let title = format!("{} against {model}: {}", family.name, family.title.trim_end_matches('.'));
                chart::write(&dir.join(format!("{}-{model}.svg", family.name)), &title, &panels(&rows))?;
            }
        }
    }
    Ok(())
}

/// The members that were measured, by size.
fn members<'a>(raw: &'a Raw, family: &Family, model: &str) -> Vec<(usize, &'a Row)> {
    let key = |n| Key { program: family.member(n), model: model.to_string(), observational: false };
    (SMALLEST..=LARGEST).filter_map(|n| Some((n, raw.row(&key(n))?))).collect()
}

fn panels(rows: &[(usize, &Row)]) -> [Panel; 2] {
    let panel = |title, figure: fn(&Run) -> f64, label| Panel {
        title,
        across: "N",
        steps: (SMALLEST, rows.last().map_or(SMALLEST, |(n, _)| *n)),
        step_label: |n| format!("{n:.0}"),
        label,
        lines: TOOLS
            .iter()
            .map(|(style, run)| {
                let runs = rows.iter().filter_map(|(n, row)| Some((*n, decided(run(row))?)));
                Line { style: *style, points: runs.map(|(n, run)| (n as f64, figure(run))).collect() }
            })
            .collect(),
    };
    [
        panel("time, end to end", |run| run.total, chart::seconds),
        panel("stored states", |run| run.states as f64, chart::count),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::raw::Decision;
    use super::*;

    /// Undecided runs are not drawn, and nothing depends on all tools being there.
    #[test]
    fn a_picture_names_the_tools() {
        let run =
            |decision, states| Run { decision, total: 0.5, search: 0.5, states, ..Run::impossible(String::new()) };
        let row = |n| Row {
            key: Key { program: FAMILIES[0].member(n), model: "ra".into(), observational: false },
            fencepost: Some(run(Decision::Holds, 10_u64.pow(n as u32))),
            two_jobs: None,
            spin: Some(run(Decision::Undecided("time".into()), 7)),
            spin_sc: None,
        };
        let (two, three) = (row(2), row(3));
        let picture = chart::draw("a title", &panels(&[(2, &two), (3, &three)])).expect("a picture");
        assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
        for (style, _) in TOOLS {
            assert!(picture.contains(style.label));
        }
        // Two points in each panel, and one mark in the legend that both share.
        assert_eq!(picture.matches("<circle").count(), 2 * 2 + 1);
    }
}
