//! Changes of a text, and where what is found in the changed text comes from.

use std::ops::Range;

use fencepost_base::source::Span;

/// A replacement. Changes that are equal are one: two edits that need the same braces share them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Change {
    /// First byte that is replaced.
    start: usize,
    /// One past the last one.
    end: usize,
    /// What comes first where several things are inserted at one place.
    rank: (u8, u32, u8),
    /// What is there instead.
    text: String,
    /// Is it a new statement?
    statement: bool,
}

impl Change {
    /// New text in the place of old text.
    pub(crate) fn replace(range: Range<usize>, text: impl Into<String>) -> Self {
        Change { start: range.start, end: range.end, rank: (1, 0, 1), text: text.into(), statement: false }
    }

    /// A new statement.
    pub(crate) fn insert(at: usize, text: impl Into<String>) -> Self {
        Change { start: at, end: at, rank: (1, 0, 1), text: text.into(), statement: true }
    }

    /// A new statement at the end of a body without braces, which starts at `body`.
    pub(crate) fn insert_last(at: usize, text: impl Into<String>, body: u32) -> Self {
        Change { rank: (0, u32::MAX - body, 0), ..Change::insert(at, text) }
    }

    /// Braces around a body that has none.
    pub(crate) fn braces(body: Range<usize>) -> [Self; 2] {
        let inner_first = u32::MAX - body.start as u32;
        let open = Change { rank: (1, 0, 0), statement: false, ..Change::insert(body.start, "{ ") };
        let close = Change { rank: (0, inner_first, 1), statement: false, ..Change::insert(body.end, " }") };
        [open, close]
    }
}

/// A stretch of changed text and what was there before.
#[derive(Clone, Debug)]
struct Piece {
    new: Range<usize>,
    old: Range<usize>,
    /// Taken over as it was.
    kept: bool,
    /// A new statement, and whose.
    inserted: Option<usize>,
}

/// A changed text.
#[derive(Clone, Debug)]
pub(crate) struct Changed {
    pub(crate) text: String,
    pieces: Vec<Piece>,
}

/// Where something in a changed text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// This was there before.
    Old(Span),
    /// It is the new statement of this owner.
    New(usize),
}

/// `text` with changes, each with its owner. Changes do not overlap.
pub(crate) fn apply<'c>(text: &str, changes: impl Iterator<Item = (usize, &'c Change)>) -> Changed {
    let mut changes: Vec<(&Change, usize)> = changes.map(|(owner, change)| (change, owner)).collect();
    changes.sort_unstable();
    changes.dedup_by(|a, b| a.0 == b.0);
    let mut changed = Changed { text: String::with_capacity(text.len() + 32 * changes.len()), pieces: Vec::new() };
    let mut at = 0;
    for (change, owner) in changes {
        changed.push(at..change.start, &text[at..change.start], true, None);
        changed.push(change.start..change.end, &change.text, false, change.statement.then_some(owner));
        at = change.end;
    }
    changed.push(at..text.len(), &text[at..], true, None);
    changed
}

impl Changed {
    fn push(&mut self, old: Range<usize>, text: &str, kept: bool, inserted: Option<usize>) {
        let start = self.text.len();
        self.text.push_str(text);
        if !text.is_empty() {
            self.pieces.push(Piece { new: start..self.text.len(), old, kept, inserted });
        }
    }

    fn piece(&self, offset: usize) -> &Piece {
        let index = self.pieces.partition_point(|piece| piece.new.end <= offset);
        &self.pieces[index.min(self.pieces.len() - 1)]
    }

    /// Where the statement at `span` comes from.
    pub(crate) fn source(&self, span: Span) -> Source {
        let Range { start, end } = span.range();
        let first = self.piece(start);
        if let Some(owner) = first.inserted {
            return Source::New(owner);
        }
        let last = self.piece(end.max(start + 1) - 1);
        let old_start = if first.kept { first.old.start + (start - first.new.start) } else { first.old.start };
        let old_end = if last.kept { last.old.start + (end - last.new.start) } else { last.old.end };
        Source::Old(Span::new(old_start..old_end.max(old_start)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_before_is_found_again() {
        let text = "a; if (c) b; d;";
        let [open, close] = Change::braces(10..12);
        let insert = Change::insert(10, "f; ");
        let last = Change::insert_last(12, " g;", 10);
        let replace = Change::replace(13..14, "xyz");
        let changes = [(0, &open), (0, &insert), (0, &close), (1, &open), (1, &last), (1, &close), (2, &replace)];
        let changed = apply(text, changes.into_iter());
        assert_eq!(changed.text, "a; if (c) { f; b; g; } xyz;");
        let of = |word: &str| {
            let start = changed.text.find(word).expect("it is there");
            changed.source(Span::new(start..start + word.len()))
        };
        assert_eq!(of("a"), Source::Old(Span::new(0..1)));
        assert_eq!(of("f"), Source::Old(Span::new(4..5)), "the first f is that of `if`");
        assert_eq!(changed.source(Span::new(12..13)), Source::New(0));
        assert_eq!(of("b"), Source::Old(Span::new(10..11)));
        assert_eq!(changed.source(Span::new(18..19)), Source::New(1), "{}", &changed.text[18..19]);
        assert_eq!(of("xyz"), Source::Old(Span::new(13..14)));
        assert_eq!(of("if (c) { f; b; g; }"), Source::Old(Span::new(3..12)));
    }
}
