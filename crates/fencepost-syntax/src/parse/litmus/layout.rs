//! The header of a litmus test, and the rest in a form that can be cut into tokens.

use fencepost_base::diag::Diagnostic;
use fencepost_base::source::Span;

use super::c::is_type_word;
use super::dialect::Foreign;
use crate::ast::{Item, ItemKind};
use crate::messages::Messages;

/// A text without header and `(* … *)`, both of them replaced by blanks, with `&&` for `/\` and
/// `||` for `\/`.
pub(super) struct Layout {
    /// The name of the test, or what it is instead of one in C.
    pub(super) name: Result<Item, Foreign>,
    /// As long as the original.
    pub(super) text: String,
}

pub(super) fn layout(text: &str, messages: &mut Messages) -> Layout {
    let mut scanner = Scanner { text, out: text.as_bytes().to_vec(), braces: 0, body: None };
    scanner.scan(messages);
    let body = scanner.body.unwrap_or(text.len());
    let without_comments = String::from_utf8(scanner.out).expect("only whole characters are replaced");
    let name = header(&without_comments[..body], messages);
    if scanner.body.is_none() && name.is_ok() {
        let end = Span::new(text.len()..text.len());
        let help = "after the header, `{ x = 0; y = 0; }` says how the locations begin; `{ }` is enough";
        messages.push(Diagnostic::error(end, "there is no initial state").help(help));
    }
    Layout { name, text: " ".repeat(body) + &without_comments[body..] }
}

/// What begins with `(*` and is longer is a comment.
const LONGEST_ADDRESS: usize = 1000;

struct Scanner<'a> {
    text: &'a str,
    out: Vec<u8>,
    /// Open braces.
    braces: usize,
    /// Where the header ends.
    body: Option<usize>,
}

impl Scanner<'_> {
    fn scan(&mut self, messages: &mut Messages) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let in_header = self.body.is_none();
            at += match rest {
                [b'(', b'*', ..] if self.is_comment(at) => self.comment(at, messages),
                [b'"', ..] if in_header => quoted(rest),
                [b'/', b'/', ..] if !in_header || self.begins_line(at) => {
                    let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                    if in_header {
                        self.blank(at, at + length);
                    }
                    length
                }
                [b'/', b'*', ..] => {
                    let length = self.text[at + 2..].find("*/").map_or(rest.len(), |length| length + 4);
                    if in_header {
                        self.blank(at, at + length);
                    }
                    length
                }
                [b'/', b'\\', ..] => self.replace(at, b"&&"),
                [b'\\', b'/', ..] => self.replace(at, b"||"),
                [b'{', ..] => {
                    self.body.get_or_insert(at);
                    self.braces += 1;
                    1
                }
                [b'}', ..] => {
                    self.braces = self.braces.saturating_sub(1);
                    1
                }
                _ => 1,
            };
        }
    }

    /// Is there nothing before this place in its line? In a header, `//` may also be part of a text.
    fn begins_line(&self, at: usize) -> bool {
        self.text[..at].bytes().rev().take_while(|&byte| byte != b'\n').all(|byte| byte.is_ascii_whitespace())
    }

    /// Does `(*` begin a comment here, rather than something in parentheses that begins with an
    /// address, `(*x)` or `(*(int *)p)`? Only the parenthesis that closes it tells: a comment has
    /// a `*` before that.
    fn is_comment(&self, at: usize) -> bool {
        let rest = &self.text.as_bytes()[at + 2..];
        let is_address = rest.first().is_some_and(|&c| c.is_ascii_alphabetic() || c == b'_' || c == b'(' || c == b'*');
        if self.braces == 0 || !is_address {
            return true;
        }
        if rest[0] == b'(' && self.text.get(at + 3..).is_some_and(begins_with_type) {
            return false;
        }
        let mut depth = 0usize;
        for (index, byte) in rest.iter().enumerate().take(LONGEST_ADDRESS) {
            match byte {
                b'(' => depth += 1,
                b')' if depth > 0 => depth -= 1,
                b')' => return index > 0 && rest[index - 1] == b'*',
                b';' | b'{' | b'}' => return true,
                _ => {}
            }
        }
        true
    }

    /// Blanks out the comment at this place; its length. Comments nest.
    fn comment(&mut self, start: usize, messages: &mut Messages) -> usize {
        let bytes = self.text.as_bytes();
        let (mut depth, mut at) = (0usize, start);
        while at < bytes.len() {
            match &bytes[at..] {
                [b'(', b'*', ..] => {
                    depth += 1;
                    at += 2;
                }
                [b'*', b')', ..] => {
                    depth -= 1;
                    at += 2;
                    if depth == 0 {
                        break;
                    }
                }
                _ => at += 1,
            }
        }
        if depth > 0 {
            let open = Span::new(start..start + 2);
            messages.push(Diagnostic::error(open, "comment without end").help("close it with `*)`"));
        }
        self.blank(start, at);
        at - start
    }

    fn blank(&mut self, start: usize, end: usize) {
        self.out[start..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }

    fn replace(&mut self, at: usize, by: &[u8; 2]) -> usize {
        self.out[at..at + 2].copy_from_slice(by);
        2
    }
}

/// Is this the inside of a cast?
fn begins_with_type(text: &str) -> bool {
    let text = text.trim_start();
    let length = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    is_type_word(&text[..length])
}

/// The length of what is quoted here; a quote without end is a character like others.
fn quoted(rest: &[u8]) -> usize {
    rest[1..].iter().position(|&byte| byte == b'"').map_or(1, |length| length + 2)
}

/// `C NAME`, perhaps with a remark in the same line, then quoted lines and `Key=value` lines, which say nothing about the program.
fn header(header: &str, messages: &mut Messages) -> Result<Item, Foreign> {
    let is_blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let words = |from: usize| {
        let start = from + header[from..].find(|c| !is_blank(c))?;
        let length = header[start..].find(is_blank).unwrap_or(header.len() - start);
        Some(start..start + length)
    };
    let Some(language) = words(0) else {
        let help = "the first line is `C NAME`";
        messages.push(Diagnostic::error(Span::new(0..0), "there is no name").help(help));
        return Err(Foreign::Other);
    };
    let word = &header[language.clone()];
    if word != "C" {
        let foreign = Foreign::architecture(word).unwrap_or(Foreign::Other);
        let word: String = word.chars().take(40).collect();
        messages.push(foreign.diagnostic(Span::new(language), &word));
        return Err(foreign);
    }
    let line_end = header[language.end..].find('\n').map_or(header.len(), |length| language.end + length);
    let Some(name) = words(language.end).filter(|name| name.end <= line_end) else {
        messages.push(Diagnostic::error(Span::new(language), "the test has no name").help("write `C NAME`"));
        return Err(Foreign::Other);
    };
    // What follows the name in its line is a remark.
    let rest = header[line_end..].split_inclusive('\n');
    let is_odd = |line: &str| line.matches('"').count() % 2 == 1;
    let (mut at, mut in_quotes) = (line_end, is_odd(&header[name.end..line_end]));
    for line in rest {
        let is_key = line.split_once('=').is_some_and(|(key, _)| {
            !key.trim().is_empty() && key.trim().chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        let was_in_quotes = in_quotes;
        in_quotes ^= is_odd(line);
        if !(line.trim_matches(is_blank).is_empty() || was_in_quotes || in_quotes || line.contains('"') || is_key) {
            let indent = line.len() - line.trim_start().len();
            let span = Span::new(at + indent..at + line.trim_end().len());
            let help = "before the initial state there are quoted text and lines like `Key=value`";
            messages.push(Diagnostic::error(span, "this line of the header is not understood").help(help));
            // The lines after it would only be misunderstood in the same way.
            break;
        }
        at += line.len();
    }
    let span = Span::new(name.clone());
    Ok(Item { kind: ItemKind::Name(header[name].to_owned()), span })
}
