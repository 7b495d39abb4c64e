//! Positions as editors count them: lines and columns from zero, columns in units of UTF-16.

use fencepost_base::source::Span;

/// A position: a letter outside of the basic plane, such as an emoji, counts as two columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Utf16 {
    /// Line, from 0.
    pub line: u32,
    /// Column in units of UTF-16, from 0.
    pub column: u32,
}

/// Where the lines of a text begin.
#[derive(Clone, Debug)]
pub struct Positions {
    starts: Vec<usize>,
}

impl Positions {
    /// Of this text. All other methods are to be given the same one.
    pub fn of(text: &str) -> Self {
        // A `\r` alone ends a line, too.
        let is_end = |&(at, byte): &(usize, u8)| match byte {
            b'\n' => true,
            b'\r' => text.as_bytes().get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let ends = text.bytes().enumerate().filter(is_end).map(|(at, _)| at + 1);
        Positions { starts: std::iter::once(0).chain(ends).collect() }
    }

    /// The position of a byte; one within a letter is that of the letter, one behind the text that
    /// of its end.
    pub fn position(&self, text: &str, offset: usize) -> Utf16 {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start <= offset) - 1;
        let column = text[self.starts[line]..offset].chars().map(char::len_utf16).sum::<usize>();
        Utf16 { line: line as u32, column: column as u32 }
    }

    /// Both ends of a span.
    pub fn range(&self, text: &str, span: Span) -> (Utf16, Utf16) {
        (self.position(text, span.start as usize), self.position(text, span.end as usize))
    }

    /// The byte at a position. A column behind the end of a line is its end, before the line break;
    /// a line behind the last one is the end of the text; half of a letter is the letter.
    pub fn offset(&self, text: &str, position: Utf16) -> usize {
        let Some(&start) = self.starts.get(position.line as usize) else { return text.len() };
        let end = self.starts.get(position.line as usize + 1).copied().unwrap_or(text.len());
        let line = text[start..end].trim_end_matches(['\n', '\r']);
        let mut left = position.column as usize;
        for (at, letter) in line.char_indices() {
            if left < letter.len_utf16() {
                return start + at;
            }
            left -= letter.len_utf16();
        }
        start + line.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One byte, two, three and four; as many units as letters but for the last one.
    const TEXT: &str = "aé→😀b\r\n\n😀";

    #[test]
    fn columns_are_units_of_utf16() {
        let positions = Positions::of(TEXT);
        let columns: Vec<(u32, u32)> = TEXT
            .char_indices()
            .map(|(at, _)| positions.position(TEXT, at))
            .map(|position| (position.line, position.column))
            .collect();
        assert_eq!(columns, [(0, 0), (0, 1), (0, 2), (0, 3), (0, 5), (0, 6), (0, 7), (1, 0), (2, 0)]);
        assert_eq!(positions.position(TEXT, 999), Utf16 { line: 2, column: 2 });
    }

    #[test]
    fn positions_lead_back() {
        let positions = Positions::of(TEXT);
        for (at, letter) in TEXT.char_indices().filter(|(_, letter)| !matches!(letter, '\r' | '\n')) {
            assert_eq!(positions.offset(TEXT, positions.position(TEXT, at)), at, "{letter}");
            for inside in at..at + letter.len_utf8() {
                assert_eq!(positions.position(TEXT, inside), positions.position(TEXT, at));
            }
        }
        let offset = |line, column| positions.offset(TEXT, Utf16 { line, column });
        let old = Positions::of("a\rb\r\nc");
        assert_eq!(
            ["a", "b", "c"].map(|part| old.position("a\rb\r\nc", "a\rb\r\nc".find(part).unwrap_or(9)).line),
            [0, 1, 2]
        );
        // Half of the emoji; behind the line; behind the text.
        assert_eq!((offset(0, 4), offset(0, 99), offset(9, 0)), (6, 11, TEXT.len()));
    }
}
