//! A run, step by step, in columns.

use fencepost_verdict::{Delay, RunStep, ScFailureKind, Site};

use super::layout::{Align, cut, table};
use super::{Look, Paint};
use crate::execution;
use crate::subject::Subject;
use crate::words;

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

impl Finale {
    /// An assertion that fails, or a run-time error.
    pub(super) fn failure(site: Site, kind: &ScFailureKind) -> Self {
        Finale { step: RunStep { site, label: None, choice: None }, remark: words::failure_kind(kind) }
    }
}

/// The steps and the one that goes wrong.
pub(super) fn trace(subject: &Subject<'_>, steps: &[RunStep], finale: &Finale, look: &Look) -> String {
    let effects = steps.iter().map(|step| (step.clone(), subject.step_effect(step)));
    let last = format!("{}  <== {}", subject.step_effect(&finale.step), finale.remark);
    let rows: Vec<(RunStep, String)> = effects.chain([(finale.step.clone(), last)]).collect();
    let last = rows.len() - 1;
    columns(subject, &rows, |row| row == last, look)
}

/// An execution of a weak model; what SC would not have so stands out, and the step that goes wrong.
pub(super) fn execution(
    subject: &Subject<'_>,
    steps: &[execution::Step],
    finale: Option<&Finale>,
    look: &Look,
) -> String {
    let mut rows: Vec<(RunStep, String)> = steps.iter().map(|step| (step.step.clone(), step.effect(subject))).collect();
    rows.extend(finale.map(|finale| (finale.step.clone(), format!("<== {}", finale.remark))));
    columns(subject, &rows, |row| steps.get(row).is_none_or(|step| step.late.is_some()), look)
}

/// What happens on the store-buffer machine; what has to do with the store that is delayed first stands out.
pub(super) fn computation(subject: &Subject<'_>, delay: &Delay, look: &Look) -> String {
    let rows = words::machine_steps(subject, delay);
    let matters: Vec<bool> = rows.iter().map(|row| row.matters).collect();
    let rows: Vec<(RunStep, String)> = rows.into_iter().map(|row| (row.step, row.effect)).collect();
    columns(subject, &rows, |row| matters[row], look)
}

/// Steps with their effects, one per line.
fn columns(
    subject: &Subject<'_>,
    steps: &[(RunStep, String)],
    stands_out: impl Fn(usize) -> bool,
    look: &Look,
) -> String {
    let paint = Paint(look.color);
    let count = steps.len();
    let source_width = look.width.saturating_sub(44).clamp(16, 60);
    let row = |number: usize, (step, effect): &(RunStep, String)| -> [String; 5] {
        let spot = subject.spot(step.site);
        [
            number.to_string(),
            subject.thread(step.site.thread).to_string(),
            spot.position.line.to_string(),
            cut(&spot.text, source_width),
            effect.clone(),
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
        rows.push(row(i + 1, step));
        shown.push(i);
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
            _ if stands_out(shown[i - 1]) => paint.bad(&format!("  > {line}")),
            _ => format!("    {line}"),
        };
        text += &(line + "\n");
    }
    text
}
