//! Text to words, for Trencher's language: a word is what stands between blanks.
//!
//! A word that begins with `#` starts a comment up to the end of the line.
//! Trencher itself wants a blank after the `#`, and no comment inside of a
//! thread; what it reads, we read in the same way, unless a name begins with `#`.

use fencepost_base::source::Span;

/// A word or a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// The word; of a comment everything, without blanks at its end.
    pub text: &'a str,
    /// Where it is.
    pub span: Span,
}

impl Word<'_> {
    /// Is it a comment?
    pub fn is_comment(&self) -> bool {
        self.text.starts_with('#')
    }
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// All words and comments of a text, in order. Nothing but blanks is left out.
pub fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut position = 0;
    std::iter::from_fn(move || {
        let start = position + text[position..].find(|c| !is_blank(c))?;
        let rest = &text[start..];
        let len = if rest.starts_with('#') {
            rest.find('\n').map_or(rest, |end| &rest[..end]).trim_end().len()
        } else {
            rest.find(is_blank).unwrap_or(rest.len())
        };
        position = start + len;
        Some(Word { text: &text[start..position], span: Span::new(start..position) })
    })
}

/// Does a text look like a program of Trencher's rather than like any other text? It does if,
/// comments left out, it starts with `thread NAME` and a line of an automaton.
pub(crate) fn looks_like_automata(text: &str) -> bool {
    let mut words = words(text).filter(|word| !word.is_comment()).map(|word| word.text);
    words.next() == Some("thread") && matches!(words.nth(1), Some("initial" | "transition" | "end"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_end_with_their_line() {
        let found: Vec<&str> = words("\u{feff}a b# #c d \r\n\t# e\nf").map(|word| word.text).collect();
        assert_eq!(found, ["a", "b#", "#c d", "# e", "f"]);
    }

    #[test]
    fn prose_is_no_program() {
        assert!(looks_like_automata("# A lock.\nthread t # one\ninitial q\nend\n"));
        assert!(!looks_like_automata("thread safety is everything"));
        assert!(!looks_like_automata("# Notes\n"));
    }
}
