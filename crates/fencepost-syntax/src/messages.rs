//! A list of diagnostics that stays short: no message twice, and not more
//! errors than anyone reads.

use std::collections::HashSet;

use fencepost_base::diag::{Diagnostic, closest};
use fencepost_base::source::Span;

/// Collects diagnostics.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    list: Vec<Diagnostic>,
    seen: HashSet<(Span, String)>,
    errors: usize,
    warnings: usize,
}

impl Messages {
    /// Most errors, and most warnings, that are kept for one file.
    pub const LIMIT: usize = 50;

    /// An empty list.
    pub fn new() -> Self {
        Messages::default()
    }

    /// Adds a diagnostic, unless it is there already or the list is full.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let count = if diagnostic.is_error() { &mut self.errors } else { &mut self.warnings };
        if *count > Self::LIMIT || !self.seen.insert((diagnostic.primary.span, diagnostic.message.clone())) {
            return;
        }
        *count += 1;
        if *count <= Self::LIMIT {
            self.list.push(diagnostic);
        } else if diagnostic.is_error() {
            self.list.push(Diagnostic::error(diagnostic.primary.span, "too many errors").label("stopped here"));
        }
    }

    /// Is there an error?
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Number of errors so far.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Are there so many errors that looking for more is no use?
    pub fn is_full(&self) -> bool {
        self.errors > Self::LIMIT
    }

    /// The diagnostics, in the order of the text.
    pub fn into_list(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| (diagnostic.message == "too many errors", diagnostic.primary.span));
        self.list
    }
}

/// The candidate that was probably meant. A name of one letter is like every other: nothing is
/// suggested for it.
pub fn suggestion<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.chars().count() < 2 { None } else { closest(word, candidates) }
}
