//! Source text, byte spans, and lines and columns for people.

use std::ops::Range;

/// A range of bytes in one source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of `range`. Sources are below 4 GiB (checked where they are read).
    pub fn new(range: Range<usize>) -> Self {
        Span { start: range.start as u32, end: range.end as u32 }
    }

    /// The smallest span covering both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// As a range of byte offsets.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A named text with its line starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<usize>,
}

/// A position as people count it: from one, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl SourceFile {
    /// A source called `name` (a path, usually) with content `text`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i + 1));
        SourceFile { name: name.into(), text, line_starts }
    }

    /// The name it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text covered by `span`; empty when the span is not within the text.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// The text covered by `span`, white space and line breaks collapsed to single spaces.
    pub fn slice_on_one_line(&self, span: Span) -> String {
        self.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Line and column of a byte offset (clamped to the text).
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let column = self.text[self.line_starts[line - 1]..offset].chars().count() + 1;
        Position { line, column }
    }

    /// Line and column where `span` starts.
    pub fn start_of(&self, span: Span) -> Position {
        self.position(span.start as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let file = SourceFile::new("f", "aé\nxy");
        assert_eq!(file.position(0), Position { line: 1, column: 1 });
        assert_eq!(file.position(3), Position { line: 1, column: 3 });
        assert_eq!(file.position(2), Position { line: 1, column: 2 });
        assert_eq!(file.position(4), Position { line: 2, column: 1 });
        assert_eq!(file.position(999), Position { line: 2, column: 3 });
    }
}
