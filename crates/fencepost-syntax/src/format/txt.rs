//! The layout of Trencher's language: one line of an automaton per line, the states of a thread's
//! transitions in columns. Works on words, like the formatter of the other languages works on
//! tokens; the tree says where lines begin.

use std::collections::HashMap;

use crate::ast::{Clause, File, ItemKind};
use crate::words::{Word, words};

/// Where a line begins, and how wide its columns are.
#[derive(Clone, Copy)]
struct Start {
    indent: usize,
    /// Widths of the states of a transition.
    columns: Option<(usize, usize)>,
}

/// Lays out a text that was parsed to `file` without errors.
pub(super) fn format(file: &File, text: &str) -> String {
    let starts = starts(file);
    let inside = |word: &Word<'_>| {
        let next = file.items.partition_point(|item| item.span.end <= word.span.start);
        file.items.get(next).is_some_and(|item| item.span.start < word.span.start)
    };
    let mut out = String::with_capacity(text.len());
    let mut before: Option<Word<'_>> = None;
    // Of the line that is being written: its columns, and the words since its first.
    let (mut columns, mut position) = (None, 0);
    for word in words(text) {
        let start = starts.get(&word.span.start);
        position = if start.is_some() { 0 } else { position + usize::from(!word.is_comment()) };
        if let Some(start) = start {
            columns = start.columns;
        }
        let breaks =
            before.map_or(0, |before| text[before.span.range().end..word.span.range().start].matches('\n').count());
        let line = match (before, start) {
            (None, _) => None,
            (_, Some(start)) => Some(start.indent),
            _ if word.is_comment() => (breaks > 0).then(|| usize::from(inside(&word))),
            (Some(before), None) => before.is_comment().then_some(2),
        };
        match (before, line) {
            (None, _) => {}
            (_, Some(indent)) => {
                out.push_str(if breaks > 1 { "\n\n" } else { "\n" });
                out.extend(std::iter::repeat_n(' ', 2 * indent));
            }
            (Some(before), None) => {
                let width = match (columns, position) {
                    (Some((from, _)), 2) => from,
                    (Some((_, to)), 3) => to,
                    _ => 0,
                };
                let written = before.text.chars().count();
                let padding = if word.is_comment() { 0 } else { width.saturating_sub(written) };
                out.extend(std::iter::repeat_n(' ', 1 + padding));
            }
        }
        out.push_str(word.text);
        before = Some(word);
    }
    if !out.is_empty() {
        out.push('\n');
    }
    let same = words(text).map(|word| word.text).eq(words(&out).map(|word| word.text));
    if same { out } else { text.to_owned() }
}

/// The lines, by the position of their first word.
fn starts(file: &File) -> HashMap<u32, Start> {
    let mut starts = HashMap::new();
    for item in &file.items {
        let ItemKind::Automaton(automaton) = &item.kind else { continue };
        let transitions = automaton.clauses.iter().filter_map(|clause| match clause {
            Clause::Transition(transition) => Some(transition),
            Clause::Initial(..) => None,
        });
        let width = |text: &str| text.chars().count();
        let columns = transitions.fold((0, 0), |(from, to), transition| {
            (from.max(width(&transition.from.text)), to.max(width(&transition.to.text)))
        });
        starts.insert(item.span.start, Start { indent: 0, columns: None });
        starts.insert(item.span.end - "end".len() as u32, Start { indent: 0, columns: None });
        for clause in &automaton.clauses {
            let (span, columns) = match clause {
                Clause::Initial(_, span) => (*span, None),
                Clause::Transition(transition) => (transition.span, Some(columns)),
            };
            starts.insert(span.start, Start { indent: 1, columns });
        }
    }
    starts
}
