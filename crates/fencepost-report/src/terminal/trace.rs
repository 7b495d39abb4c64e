//! A run, step by step, in columns.

use fencepost_verdict::RunStep;

use super::layout::{Align, cut, table};
use super::{Look, Paint};
use crate::subject::Subject;

/// Longer runs lose their middle, unless everything was asked for.
const LONGEST: usize = 40;
/// Steps kept before the gap; the rest of [`LONGEST`] comes after it, since the end explains more.
const KEPT_AT_START: usize = 12;

/// What follows the last step of a run.
pub(super) struct Finale {
    /// The step itself, as site and label.
    pub(super) step: RunStep,
    /// What is wrong with it.
    pub(super) remark: String,
}

/// The steps and the one that goes wrong.
pub(super) fn trace(subject: &Subject<'_>, steps: &[RunStep], finale: &Finale, look: &Look) -> String {
    let paint = Paint(look.color);
    let count = steps.len();
    let source_width = look.width.saturating_sub(44).clamp(16, 60);
    let row = |number: usize, step: &RunStep| -> [String; 5] {
        let spot = subject.spot(step.site);
        [
            number.to_string(),
            subject.thread(step.site.thread).to_string(),
            spot.position.line.to_string(),
            cut(&spot.text, source_width),
            subject.step_effect(step),
        ]
    };
    let elided = if look.full_trace || count <= LONGEST {
        count..count
    } else {
        KEPT_AT_START..count - (LONGEST - KEPT_AT_START)
    };
    let mut rows = vec![["step", "thread", "line", "source", "effect"].map(String::from)];
    for (i, step) in steps.iter().enumerate().filter(|(i, _)| !elided.contains(i)) {
        rows.push(row(i + 1, step));
    }
    let mut last = row(count + 1, &finale.step);
    last[4] = format!("{}  <== {}", last[4], finale.remark);
    rows.push(last);

    let lines = table([Align::Right, Align::Left, Align::Right, Align::Left, Align::Left], &rows);
    let mut text = String::new();
    for (i, line) in lines.iter().enumerate() {
        if i == 1 + elided.start && !elided.is_empty() {
            let gap = format!("     ⋮  {} steps left out (--full-trace shows them)", elided.len());
            text += &(paint.faint(&gap) + "\n");
        }
        let line = match i {
            0 => paint.faint(&format!("    {line}")),
            _ if i + 1 == lines.len() => paint.bad(&format!("  > {line}")),
            _ => format!("    {line}"),
        };
        text += &(line + "\n");
    }
    text
}
