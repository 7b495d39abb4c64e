//! Errors and warnings about a source text, as rustc shows them.

use annotate_snippets::{AnnotationKind, Group, Level, Snippet};
use fencepost_base::diag::{Diagnostic, Severity};
use fencepost_base::source::{SourceFile, Span};

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

/// The error for a file that is not UTF-8: where, as byte offset, line and column, with the line itself.
pub fn invalid_utf8(name: &str, bytes: &[u8], look: &Look) -> String {
    let (source, diagnostic) = words::invalid_utf8(name, bytes);
    diagnostics(&source, &[diagnostic], look)
}

/// A span that annotate-snippets can draw: within the text, on character boundaries.
pub(super) fn drawable(text: &str, span: Span) -> std::ops::Range<usize> {
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

fn one(source: &SourceFile, diagnostic: &Diagnostic, look: &Look) -> String {
    let text = source.text();
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let primary = AnnotationKind::Primary.span(drawable(text, diagnostic.primary.span));
    let primary = match diagnostic.primary.text.as_str() {
        "" => primary,
        label => primary.label(label),
    };
    let secondary = diagnostic.secondary.iter().map(|annotation| {
        AnnotationKind::Context.span(drawable(text, annotation.span)).label(annotation.text.as_str())
    });
    let snippet = Snippet::source(text).path(source.name()).annotation(primary).annotations(secondary);
    let group = level
        .primary_title(diagnostic.message.as_str())
        .element(snippet)
        .elements(diagnostic.help.iter().map(|help| Level::HELP.message(help.as_str())));
    renderer(look).render(&[group])
}
