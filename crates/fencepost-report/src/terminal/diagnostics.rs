//! Errors and warnings about a source text, as rustc shows them.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Snippet};
use fencepost_base::diag::{Diagnostic, Severity};
use fencepost_base::source::{Position, SourceFile, Span};

use super::{Look, renderer};
use crate::words;

/// Every diagnostic with its snippet, labels and advice.
pub fn diagnostics(source: &SourceFile, diagnostics: &[Diagnostic], look: &Look) -> String {
    diagnostics.iter().map(|diagnostic| one(source, diagnostic, look) + "\n\n").collect()
}

/// An error that has no place in a source text: `error: no such file`.
pub fn plain_error(message: &str, help: Option<&str>, look: &Look) -> String {
    let group = Group::with_title(Level::ERROR.primary_title(message));
    let group = match help {
        Some(help) => group.element(Level::HELP.message(help)),
        None => group,
    };
    renderer(look).render(&[group]) + "\n\n"
}

/// The error for a file that is not UTF-8: where, as byte offset, line and column, with the line
/// itself.
pub fn invalid_utf8(name: &str, bytes: &[u8], look: &Look) -> String {
    let (source, diagnostic) = words::invalid_utf8(name, bytes);
    diagnostics(&source, &[diagnostic], look)
}

/// A span that annotate-snippets can draw: within the text, on character boundaries.
pub(super) fn drawable(text: &str, span: Span) -> Range<usize> {
    let clamp = |offset: u32| {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let start = clamp(span.start);
    start..clamp(span.end).max(start)
}

/// Longest lines that are shown, in bytes: nobody reads longer ones, and they would be drawn once
/// for every error.
const LONGEST_LINES: usize = 1 << 14;

fn one(source: &SourceFile, diagnostic: &Diagnostic, look: &Look) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(diagnostic.message.as_str());
    let group = match snippet(source, diagnostic) {
        Some(snippet) => title.element(snippet),
        None => {
            let Position { line, column } = source.position(diagnostic.primary.span.start as usize);
            title.element(Origin::path(source.name()).line(line).char_column(column))
        }
    };
    let help = diagnostic.help.iter().map(|help| Level::HELP.message(help.as_str()));
    renderer(look).render(&[group.elements(help)])
}

/// The lines that a diagnostic is about, unless they are too long.
fn snippet<'a>(source: &'a SourceFile, diagnostic: &'a Diagnostic) -> Option<Snippet<'a, Annotation<'a>>> {
    let text = source.text();
    let primary = drawable(text, diagnostic.primary.span);
    let others: Vec<_> = diagnostic.secondary.iter().map(|other| drawable(text, other.span)).collect();
    let starts = others.iter().chain([&primary]).map(|span| span.start);
    let ends = others.iter().chain([&primary]).map(|span| span.end);
    let (start, end) = (starts.min().unwrap_or(0), ends.max().unwrap_or(0));
    // The end of the text is shown behind its last line, not in an empty one after it.
    let before = text[..start].strip_suffix('\n').filter(|_| start == text.len()).unwrap_or(&text[..start]);
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[end..].find('\n').map_or(text.len(), |newline| end + newline);
    if text[start..end].lines().any(|line| line.len() > LONGEST_LINES) {
        return None;
    }
    let within = |span: Range<usize>| span.start - start..span.end - start;
    let drawn = AnnotationKind::Primary.span(within(primary));
    let drawn = match diagnostic.primary.text.as_str() {
        "" => drawn,
        label => drawn.label(label),
    };
    let others = diagnostic.secondary.iter().zip(others);
    let others = others.map(|(other, span)| AnnotationKind::Context.span(within(span)).label(other.text.as_str()));
    let snippet = Snippet::source(&text[start..end]).line_start(source.position(start).line).path(source.name());
    Some(snippet.annotation(drawn).annotations(others))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_nobody_reads_is_not_shown() {
        let source = SourceFile::new("long.fp", format!("x;\n{}", "@ ".repeat(1 << 20)));
        let problem = Diagnostic::error(Span::new(7..8), "unexpected characters").help("remove them");
        let shown = diagnostics(&source, &[problem], &Look::default());
        assert!(shown.contains("unexpected characters") && shown.contains("long.fp:2:5"), "{shown}");
        assert!(shown.contains("remove them") && !shown.contains('@'), "{shown}");
    }
}
