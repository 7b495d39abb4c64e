//! Errors and warnings about a source text, as rustc shows them.

use annotate_snippets::{AnnotationKind, Group, Level, Snippet};
use fencepost_base::diag::{Diagnostic, Severity};
use fencepost_base::source::{SourceFile, Span};

use super::{Look, renderer};

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
    let Err(error) = std::str::from_utf8(bytes) else { return String::new() };
    let offset = error.valid_up_to();
    // What precedes the bad byte is valid, so its position in the lossy text is its position in the file.
    let source = SourceFile::new(name, String::from_utf8_lossy(bytes));
    let width = char::REPLACEMENT_CHARACTER.len_utf8();
    let diagnostic = Diagnostic::error(Span::new(offset..offset + width), "the file is not valid UTF-8")
        .label(format!("byte 0x{:02x} at offset {offset} is not part of any character", bytes[offset]))
        .help("programs are UTF-8 text; convert the file, or check that it is the one you meant");
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
