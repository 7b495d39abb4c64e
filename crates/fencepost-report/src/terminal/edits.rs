//! Repairs and relaxations: a diff, and why nothing less will do.

use fencepost_base::source::SourceFile;
use fencepost_verdict::{Because, Edit, EditKind, Need, Plan, Relaxed, Repaired, Rest, ViolationKind};

use super::layout::wrap;
use super::{Look, Paint};
use crate::diff::diff;
use crate::subject::Subject;
use crate::words;

/// What a repair amounts to.
pub fn repaired(subject: &Subject<'_>, models: &[&str], repaired: &Repaired, checks: u64, look: &Look) -> String {
    repaired_so_far(subject, models, repaired, checks, look, false)
}

/// The same; with `harm`, a repair that is only to keep the program from harm.
fn repaired_so_far(
    subject: &Subject<'_>,
    models: &[&str],
    repaired: &Repaired,
    checks: u64,
    look: &Look,
    harm: bool,
) -> String {
    let paint = Paint(look.color);
    let (source, file) = (subject.source, subject.source.name());
    let effort = words::count(checks, "check");
    let against = words::all_of(models);
    match repaired {
        Repaired::Nothing => format!("{file}: {} against {against}, nothing to repair\n", paint.good("ROBUST")),
        Repaired::Unknown(reason) => {
            format!("{file}: {} ({reason}) against {against} ({effort})\n", paint.unsure("UNKNOWN"))
        }
        Repaired::Impossible(because) => {
            let headline = format!("{file}: {} against {against} ({effort})\n", paint.bad("NO REPAIR"));
            let sentence = format!(
                "Whatever fences are added and orders strengthened, {}. This needs more than ordering: a lock, or another \
                 algorithm.",
                because_of(source, because, models)
            );
            headline + &paragraph(&sentence, look)
        }
        Repaired::Plans { plans, rest } => {
            let Some((best, others)) = plans.split_first() else { return String::new() };
            let edits = words::count(best.edits.len() as u64, "edit");
            let mut text = format!(
                "{file}: {} against {against}: {edits}, cost {} ({effort})\n",
                paint.good("REPAIRED"),
                best.cost
            );
            text += &painted_diff(source, best, look);
            text += &heading("Why each is needed", look);
            for edit in &best.edits {
                text += &item(&(reason(source, edit, models) + harm_of(edit, harm)), look);
            }
            for (number, plan) in others.iter().enumerate() {
                let edits = words::count(plan.edits.len() as u64, "edit");
                text += &heading(&format!("Alternative {}: {edits}, cost {}", number + 1, plan.cost), look);
                text += &painted_diff(source, plan, look);
            }
            match rest {
                Rest::Nothing => {
                    text += &paragraph("There are no other repairs, except with more than one of these.", look)
                }
                Rest::NotAsked => {}
                Rest::Cut => {
                    text += &paragraph("There may be other repairs, which cost as much or more: see --limit.", look);
                }
                Rest::Undecided(reason) => {
                    text += &paragraph(&format!("There may be other repairs: {reason}."), look);
                }
            }
            text
        }
    }
}

/// What a repair amounts to that is only to keep the program from harm.
pub fn repaired_harm(subject: &Subject<'_>, models: &[&str], repaired: &Repaired, checks: u64, look: &Look) -> String {
    let against = words::all_of(models);
    match repaired {
        Repaired::Nothing => {
            let good = Paint(look.color).good("HARMLESS");
            let file = subject.source.name();
            format!("{file}: {good} under {against} with one stale step, nothing to repair\n")
        }
        Repaired::Plans { .. } => {
            let what = "Nothing goes wrong with one stale step then. The program need not be robust.";
            repaired_so_far(subject, models, repaired, checks, look, true) + &paragraph(what, look)
        }
        Repaired::Impossible(_) | Repaired::Unknown(_) => self::repaired(subject, models, repaired, checks, look),
    }
}

/// What a relaxation amounts to.
pub fn relaxed(subject: &Subject<'_>, models: &[&str], relaxed: &Relaxed, checks: u64, look: &Look) -> String {
    let paint = Paint(look.color);
    let (source, file) = (subject.source, subject.source.name());
    let effort = words::count(checks, "check");
    let against = words::all_of(models);
    match relaxed {
        Relaxed::Unknown(reason) => {
            format!("{file}: {} ({reason}) against {against} ({effort})\n", paint.unsure("UNKNOWN"))
        }
        Relaxed::NotRobust(because) => {
            let headline = format!("{file}: {} against {against}\n", paint.bad("NOT ROBUST"));
            let sentence = format!(
                "Only a robust program can be relaxed, and here {}. Try `fencepost repair`.",
                because_of(source, because, models)
            );
            headline + &paragraph(&sentence, look)
        }
        Relaxed::Plan { plan, kept } => {
            let mut text = if plan.edits.is_empty() {
                format!("{file}: {} against {against}: nothing can be weakened ({effort})\n", paint.good("UNCHANGED"))
            } else {
                let edits = words::count(plan.edits.len() as u64, "edit");
                let saving = -plan.cost;
                format!("{file}: {} against {against}: {edits}, saving {saving} ({effort})\n", paint.good("RELAXED"))
            };
            text += &painted_diff(source, plan, look);
            if !kept.is_empty() {
                text += &heading("What cannot be weakened further", look);
            }
            for kept in kept {
                let line = source.start_of(kept.span).line;
                let statement = source.slice_on_one_line(kept.span);
                let why = match &kept.need {
                    Need::Because(because) => because_of(source, because, models),
                    Need::Undecided(reason) => format!("not decided: {reason}"),
                };
                text += &item(&format!("line {line}, `{statement}`: otherwise {why}"), look);
            }
            text
        }
    }
}

/// Where an edit is and why it is needed.
fn reason(source: &SourceFile, edit: &Edit, models: &[&str]) -> String {
    let line = source.start_of(edit.span).line;
    let what = match edit.kind {
        EditKind::Fence => format!("before line {line}, `{}`", edit.text),
        EditKind::Removal => format!("line {line}, `{}` removed", source.slice_on_one_line(edit.span)),
        EditKind::Order | EditKind::Exchange => format!("line {line}, `{}`", edit.text),
    };
    let cost = edit.cost;
    match &edit.need {
        Some(Need::Because(because)) => {
            format!("{what} (cost {cost}): without it, {}", because_of(source, because, models))
        }
        Some(Need::Undecided(reason)) => {
            format!("{what} (cost {cost}): whether it is needed was not decided: {reason}")
        }
        None => format!("{what} (cost {cost})"),
    }
}

/// What is to be added to the reason, where a stale value alone is none.
fn harm_of(edit: &Edit, harm: bool) -> &'static str {
    let is_stale = |because: &Because| because.violation.kind != ViolationKind::DataRace;
    match &edit.need {
        Some(Need::Because(because)) if harm && is_stale(because) => ", and something goes wrong then",
        _ => "",
    }
}

/// The violation, and which of several models permits it.
fn because_of(source: &SourceFile, because: &Because, models: &[&str]) -> String {
    let sentence = words::because(source, because);
    if models.len() > 1 { format!("under {} {sentence}", because.model) } else { sentence }
}

fn heading(text: &str, look: &Look) -> String {
    format!("\n  {}\n", Paint(look.color).strong(&format!("{text}:")))
}

fn item(text: &str, look: &Look) -> String {
    let lines = wrap(text, look.width.saturating_sub(6).max(40));
    format!("    {}\n", lines.join("\n      "))
}

fn paragraph(text: &str, look: &Look) -> String {
    let lines = wrap(text, look.width.saturating_sub(2).max(40));
    format!("\n  {}\n", lines.join("\n  "))
}

fn painted_diff(source: &SourceFile, plan: &Plan, look: &Look) -> String {
    let paint = Paint(look.color);
    let diff = diff(source.name(), source.text(), &plan.text);
    diff.lines()
        .map(|line| {
            let painted = match line.as_bytes().first() {
                _ if line.starts_with("--- ") || line.starts_with("+++ ") => paint.strong(line),
                Some(b'+') => paint.good(line),
                Some(b'-') => paint.bad(line),
                Some(b'@') => paint.faint(line),
                _ => line.to_string(),
            };
            painted + "\n"
        })
        .collect()
}
