//! A run, step by step, in columns.

use fencepost_finding::{Statement, Step};

use super::layout::{Align, cut, table};
use super::{Look, Paint};

/// Longer runs lose their middle, unless everything was asked for.
const LONGEST: usize = 40;
/// Steps kept before the gap; the rest of [`LONGEST`] comes after it, since the end explains more.
const KEPT_AT_START: usize = 12;

/// Steps with their effects, one per line.
pub(super) fn columns(steps: &[&Step], look: &Look) -> String {
    let paint = Paint(look.color);
    let count = steps.len();
    let source_width = look.width.saturating_sub(44).clamp(16, 60);
    let row = |number: usize, statement: &Statement| -> [String; 5] {
        [
            number.to_string(),
            statement.thread.clone(),
            statement.start.line.to_string(),
            cut(&statement.text, source_width),
            statement.effect.as_deref().unwrap_or_default().to_string() + &statement.remark,
        ]
    };
    let elided = if look.full_trace || count <= LONGEST + 1 {
        count..count
    } else {
        KEPT_AT_START..count - 1 - (LONGEST - KEPT_AT_START)
    };
    let mut rows = vec![["step", "thread", "line", "source", "effect"].map(String::from)];
    let mut shown = Vec::new();
    for (i, step) in steps.iter().enumerate().filter(|(i, _)| !elided.contains(i)) {
        rows.push(row(i + 1, &step.statement));
        shown.push(step);
    }
    let lines = table([Align::Right, Align::Left, Align::Right, Align::Left, Align::Left], &rows);
    let mut text = String::new();
    for (i, line) in lines.iter().enumerate() {
        if i == 1 + elided.start && !elided.is_empty() {
            let gap = format!("     ⋮  {} steps left out (--full-trace shows them)", elided.len());
            text += &(paint.faint(&gap) + "\n");
        }
        let line = match i {
            0 => paint.faint(&format!("    {line}")),
            _ if shown[i - 1].stands_out => paint.bad(&format!("  > {line}")),
            _ => format!("    {line}"),
        };
        text += &(line + "\n");
    }
    text
}
