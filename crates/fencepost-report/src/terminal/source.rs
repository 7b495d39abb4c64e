//! A finding in a program's text: the two accesses in their source, the run that leads there, the
//! cycle.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Snippet};
use fencepost_base::source::SourceFile;
use fencepost_finding::{Access, CycleEvent, Finding, Replayed, Statement};

use super::diagnostics::drawable;
use super::layout::{Align, table, wrap};
use super::trace::columns;
use super::{Look, Paint, renderer};

pub(super) fn finding(source: Option<&SourceFile>, finding: &Finding, replayed: &Replayed, look: &Look) -> String {
    snippet(source, finding, look) + &self::replayed(replayed, look)
}

/// The execution step by step, and what is remarkable about it; nothing if there is none.
pub(super) fn replayed(replayed: &Replayed, look: &Look) -> String {
    let Some(run) = &replayed.run else { return String::new() };
    let arrow = if run.is_sc { "  <== " } else { "<== " };
    let last = run.last.clone().map(|mut last| {
        last.statement.remark.insert_str(0, arrow);
        last
    });
    let steps: Vec<_> = run.steps.iter().chain(&last).collect();
    let mut text = heading(&run.title, look) + &columns(&steps, look);
    if !replayed.cycle.is_empty() {
        text += &(heading("The cycle that SC forbids", look) + &cycle(&replayed.cycle));
    }
    if let Some(delay) = &replayed.delay {
        let steps: Vec<_> = delay.computation.iter().collect();
        text += &heading("The same with store buffers, up to when they are empty", look);
        text += &columns(&steps, look);
    }
    text + "\n"
}

fn snippet(source: Option<&SourceFile>, finding: &Finding, look: &Look) -> String {
    let width = look.width.saturating_sub(18).max(40);
    // What fails is said beside the statement; what two accesses have to do with each other is not.
    let message = finding.conflicting.as_ref().map(|_| &finding.message);
    let notes: Vec<String> =
        message.into_iter().chain(&finding.notes).map(|note| wrap(note, width).join("\n")).collect();
    let mut group = Group::with_title(Level::ERROR.primary_title(finding.title.as_str()));
    if let Some(source) = source {
        let sides = [(&finding.access, AnnotationKind::Primary), (&finding.conflicting, AnnotationKind::Context)];
        let annotations = sides.into_iter().flat_map(|(access, kind)| match access {
            Some(Access::Statement(statement)) => annotations(source, statement, kind),
            _ => Vec::new(),
        });
        group = group.element(Snippet::source(source.text()).path(source.name()).annotations(annotations));
    }
    let group = group.elements(notes.iter().map(|note| Level::NOTE.message(note.as_str())));
    renderer(look).render(&[group]) + "\n"
}

/// The statement, and the call it is inlined from.
fn annotations<'a>(source: &SourceFile, statement: &'a Statement, kind: AnnotationKind) -> Vec<Annotation<'a>> {
    let text = source.text();
    let call = statement.called_from.map(|call| {
        let remark = format!("called here by thread `{}`", statement.thread);
        AnnotationKind::Context.span(drawable(text, call)).label(remark)
    });
    [kind.span(drawable(text, statement.span)).label(statement.remark.as_str())].into_iter().chain(call).collect()
}

/// The cycle, one event per line, each with its relation to the next.
fn cycle(events: &[CycleEvent]) -> String {
    let rows: Vec<[String; 3]> =
        events.iter().map(|event| [&event.effect, &event.place, &event.relation].map(String::clone)).collect();
    table([Align::Left; 3], &rows).iter().map(|line| format!("    {line}\n")).collect()
}

pub(super) fn heading(text: &str, look: &Look) -> String {
    format!("\n  {}\n", Paint(look.color).strong(&format!("{text}:")))
}
