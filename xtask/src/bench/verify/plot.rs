//! How time grows with threads, and with values.

use std::path::Path;

use super::super::chart::{self, BLUE, GREEN, GREY, Line, ORANGE, PURPLE, Panel, Shape, Style};
use super::families::{FAMILIES, Grows};
use super::{Decision, Raw, table};

/// A picture of the families that were measured.
pub(super) fn draw(raw: &Raw, dir: &Path) -> Result<(), String> {
    chart::write(&dir.join("verify-sra.svg"), "Safety under SRA, decided backwards", &panels(raw))
}

fn panels(raw: &Raw) -> [Panel; 2] {
    let panel = |title, across, grows| Panel {
        title,
        across,
        steps: steps(raw, grows),
        step_label: |step| format!("{step:.0}"),
        label: chart::seconds,
        lines: lines(raw, grows),
    };
    [panel("time, by threads", "threads", Grows::Threads), panel("time, by values", "values", Grows::Values)]
}

fn lines(raw: &Raw, grows: Grows) -> Vec<Line> {
    let looks = [
        (BLUE, Shape::Disc),
        (ORANGE, Shape::Triangle),
        (GREEN, Shape::Cross),
        (GREY, Shape::Ring),
        (PURPLE, Shape::Triangle),
    ];
    let families = FAMILIES.iter().filter(|family| family.grows == grows);
    families
        .zip(looks)
        .map(|(family, (colour, shape))| {
            let decided = table::members(raw, family).into_iter();
            let decided = decided.filter(|(_, row)| !matches!(row.run.decision, Decision::Undecided(_)));
            let points = decided.map(|(size, row)| (size as f64, row.run.seconds)).collect();
            Line { style: Style { label: family.name, colour, shape }, points }
        })
        .collect()
}

/// The smallest and the largest size of families that grow so.
fn steps(raw: &Raw, grows: Grows) -> (usize, usize) {
    let families = FAMILIES.iter().filter(|family| family.grows == grows);
    let sizes: Vec<usize> = families.flat_map(|family| table::members(raw, family)).map(|(size, _)| size).collect();
    (sizes.iter().copied().min().unwrap_or(2), sizes.iter().copied().max().unwrap_or(3))
}
