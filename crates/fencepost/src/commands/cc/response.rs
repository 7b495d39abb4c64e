//! Response files: `@FILE` on a compiler's command line stands for the words in the file.
//!
//! Words are separated by white space; quotes and backslashes protect. As in gcc and clang, a file
//! that cannot be read is an ordinary word, and files may name further files.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Files in files: deeper than this is a cycle.
const DEPTH: usize = 100;

/// The words meant by `words`.
pub(crate) fn expand(words: &[OsString]) -> Vec<OsString> {
    let mut expanded = Vec::new();
    add(words, DEPTH, &mut expanded);
    expanded
}

/// The content of a response file that stands for `words`.
pub(crate) fn quote(words: &[OsString]) -> Vec<u8> {
    let mut text = Vec::new();
    for word in words {
        text.push(b'"');
        for &byte in word.as_bytes() {
            if byte == b'"' || byte == b'\\' {
                text.push(b'\\');
            }
            text.push(byte);
        }
        text.extend_from_slice(b"\"\n");
    }
    text
}

fn add(words: &[OsString], depth: usize, expanded: &mut Vec<OsString>) {
    for word in words {
        let content = match word.as_bytes().strip_prefix(b"@") {
            Some(file) if depth > 0 => fs::read(OsStr::from_bytes(file)).ok(),
            _ => None,
        };
        match content {
            Some(content) => add(&split(&content), depth - 1, expanded),
            None => expanded.push(word.clone()),
        }
    }
}

/// The words of a response file.
fn split(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => word.get_or_insert_default().extend(bytes.next()),
            (b'"' | b'\'', None) => {
                word.get_or_insert_default();
                quote = Some(byte);
            }
            (_, Some(open)) if byte == open => quote = None,
            (_, None) if byte.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &[u8]) -> Vec<String> {
        split(text).into_iter().map(|word| word.into_string().expect("UTF-8")).collect()
    }

    #[test]
    fn words_quotes_and_backslashes() {
        assert_eq!(words(b"-c  a.c\n'b c.c' \"d\\\"e\" f\\ g ''"), ["-c", "a.c", "b c.c", "d\"e", "f g", ""]);
        assert_eq!(words(b""), [""; 0]);
        assert_eq!(words(b"a'b"), ["ab"]);
    }

    #[test]
    fn quoting_is_undone_by_splitting() {
        let list = ["-DX=\"a b\"", "back\\slash", "new\nline", "it's", ""].map(OsString::from);
        assert_eq!(split(&quote(&list)), list);
    }

    #[test]
    fn what_cannot_be_read_stays() {
        let list = [OsString::from("@/no/such/file"), OsString::from("-c")];
        assert_eq!(expand(&list), list);
    }
}
