//! Why a program is not robust, or fails under SC: the two accesses in their
//! source, the run that leads there, the cycle.

use std::collections::{BTreeMap, BTreeSet};

use annotate_snippets::{Annotation, AnnotationKind, Level, Snippet};
use fencepost_model::Graph;
use fencepost_model::cycle::Cycle;
use fencepost_verdict::{Delay, RacingPair, RunStep, ScFailure, ScFailureKind, Site, Violation, ViolationKind};

use super::diagnostics::drawable;
use super::layout::{Align, table, wrap};
use super::trace::{Finale, computation, trace};
use super::{Look, Paint, renderer};
use crate::subject::Subject;
use crate::words;

pub(super) fn violation(subject: &Subject<'_>, violation: &Violation, model: &str, look: &Look) -> String {
    let mut annotations =
        annotations(subject, violation.access, AnnotationKind::Primary, &words::access_remark(subject, violation));
    annotations.extend(self::annotations(
        subject,
        violation.conflicting,
        AnnotationKind::Context,
        &words::conflicting_remark(subject, violation),
    ));
    let mut notes = vec![words::violation_sentence(subject, violation)];
    notes.extend(words::shape_sentence(violation));
    notes.extend(violation.delay.as_ref().map(|delay| words::delay_sentence(subject, delay)));
    let remark = match violation.kind {
        ViolationKind::StaleRead => "stale",
        ViolationKind::StaleWrite => "ordered in the past",
        ViolationKind::StaleRmw => "updates a stale value",
        ViolationKind::TaintedUse => "uses it",
        ViolationKind::DataRace => "races",
    };
    let label = match violation.kind {
        ViolationKind::TaintedUse => None,
        _ => Some(*violation.graph.label(violation.culprit)),
    };
    let finale = Finale { step: RunStep { site: violation.access, label, choice: None }, remark: remark.to_string() };
    let mut text = snippet(subject, &words::violation_title(subject, violation), annotations, &notes, look);
    let title = match violation.kind {
        ViolationKind::DataRace | ViolationKind::TaintedUse => "The SC run that leads there".to_string(),
        _ => format!("The run, step by step: SC up to the last step, which {model} permits and SC does not"),
    };
    text += &heading(&title, look);
    text += &trace(subject, &words::steps_before_culprit(violation), &finale, look);
    text +=
        &violation.cycle.as_ref().map_or_else(String::new, |cycle| self::cycle(subject, &violation.graph, cycle, look));
    text += &violation.delay.as_ref().map_or_else(String::new, |delay| machine(subject, delay, look));
    text.push('\n');
    text
}

/// The same on a machine with store buffers.
fn machine(subject: &Subject<'_>, delay: &Delay, look: &Look) -> String {
    heading("The same with store buffers, up to when they are empty", look) + &computation(subject, delay, look)
}

pub(super) fn failure(subject: &Subject<'_>, failure: &ScFailure, look: &Look) -> String {
    let mut text = what_fails(subject, failure.site, &failure.kind, ", even under SC", look);
    text += &heading("The SC run that leads there", look);
    text += &trace(subject, &words::steps(&failure.run), &Finale::failure(failure.site, &failure.kind), look);
    text.push('\n');
    text
}

/// The two sides of a data race in their source.
pub(super) fn race(subject: &Subject<'_>, pair: &RacingPair, look: &Look) -> String {
    let [access, other] = words::racing_remarks(subject, pair);
    let mut annotations = annotations(subject, pair.access, AnnotationKind::Primary, &access);
    annotations.extend(self::annotations(subject, pair.other, AnnotationKind::Context, &other));
    snippet(subject, &words::race_title(subject, pair), annotations, &[words::race_sentence(subject, pair)], look)
}

/// An assertion that fails, or a run-time error, in its source.
pub(super) fn what_fails(
    subject: &Subject<'_>,
    site: Site,
    kind: &ScFailureKind,
    circumstances: &str,
    look: &Look,
) -> String {
    let thread = subject.thread(site.thread);
    let message = words::failure_kind(kind);
    let title = match kind {
        ScFailureKind::Assertion => format!("an assertion fails{circumstances}"),
        _ => format!("run-time error{circumstances}: {message}"),
    };
    let remark = format!("thread `{thread}`: {message}");
    snippet(subject, &title, annotations(subject, site, AnnotationKind::Primary, &remark), &[], look)
}

/// The reads that may be stale in a program that is robust all the same.
pub(super) fn speculative_reads(subject: &Subject<'_>, sites: &[Site], look: &Look) -> String {
    // One line for each place in the source, however many threads and calls come by.
    let mut places: BTreeMap<(usize, String), BTreeSet<String>> = BTreeMap::new();
    for &site in sites {
        let spot = subject.spot(site);
        let thread = format!("`{}`", subject.thread(site.thread));
        places.entry((spot.position.line, spot.text)).or_default().insert(thread);
    }
    let rows: Vec<[String; 3]> = places
        .into_iter()
        .map(|((line, text), threads)| {
            let noun = if threads.len() == 1 { "thread" } else { "threads" };
            let threads: Vec<String> = threads.into_iter().collect();
            [format!("line {line}"), text, format!("{noun} {}", threads.join(", "))]
        })
        .collect();
    let body: String = table([Align::Left; 3], &rows).iter().map(|line| format!("    {line}\n")).collect();
    heading("Reads that can be stale, which nothing depends on then", look) + &body + "\n"
}

/// The statement, and the call it is inlined from.
fn annotations<'a>(subject: &Subject<'_>, site: Site, kind: AnnotationKind, remark: &str) -> Vec<Annotation<'a>> {
    let spot = subject.spot(site);
    let text = subject.source.text();
    let mut annotations = vec![kind.span(drawable(text, spot.span)).label(remark.to_string())];
    if let Some(call) = spot.called_from {
        let thread = subject.thread(site.thread);
        let remark = format!("called here by thread `{thread}`");
        annotations.push(AnnotationKind::Context.span(drawable(text, call)).label(remark));
    }
    annotations
}

fn snippet(
    subject: &Subject<'_>,
    title: &str,
    annotations: Vec<Annotation<'_>>,
    notes: &[String],
    look: &Look,
) -> String {
    let width = look.width.saturating_sub(18).max(40);
    let notes: Vec<String> = notes.iter().map(|note| wrap(note, width).join("\n")).collect();
    let source = Snippet::source(subject.source.text()).path(subject.source.name()).annotations(annotations);
    let group = Level::ERROR
        .primary_title(title)
        .element(source)
        .elements(notes.iter().map(|note| Level::NOTE.message(note.as_str())));
    renderer(look).render(&[group]) + "\n"
}

/// The cycle, one event per line, each with its relation to the next.
pub(super) fn cycle(subject: &Subject<'_>, graph: &Graph, cycle: &Cycle, look: &Look) -> String {
    let rows: Vec<[String; 3]> = cycle
        .steps
        .iter()
        .enumerate()
        .map(|(i, &(id, edge))| {
            let event = graph.event(id);
            let place = match (event.thread, event.pc) {
                (Some(thread), Some(pc)) => {
                    let line = subject.spot(Site { thread, pc }).position.line;
                    format!("{}, line {line}", subject.thread(thread))
                }
                (Some(thread), None) => subject.thread(thread).to_string(),
                (None, _) => "initially".to_string(),
            };
            let last = i + 1 == cycle.steps.len();
            let relation = format!("{}{}", words::relation(edge), if last { " the first event again" } else { "" });
            [subject.effect(&event.label), place, relation]
        })
        .collect();
    let lines = table([Align::Left; 3], &rows);
    let body: String = lines.iter().map(|line| format!("    {line}\n")).collect();
    heading("The cycle that SC forbids", look) + &body
}

pub(super) fn heading(text: &str, look: &Look) -> String {
    format!("\n  {}\n", Paint(look.color).strong(&format!("{text}:")))
}
