//! A file that is open in an editor, and what is known of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fencepost_base::diag::Diagnostic;
use fencepost_base::effort::Effort;
use fencepost_base::source::{SourceFile, Span};
use fencepost_expect::Expectation;
use fencepost_ide::{Names, Positions, Utf16};
use fencepost_ir::Program;
use fencepost_lower::{Loaded, Reading, load_within};
use fencepost_syntax::ast::File;
use fencepost_syntax::parse::MAX_TEXT;
use fencepost_syntax::{Language, parse_within};

use super::check::{Answer, Repair};

/// What reading a text may cost, while somebody types.
const READING_TIME: Duration = Duration::from_secs(1);
const READING_MEMORY: u64 = 512 << 20;

/// A file that is open.
pub(super) struct Document {
    pub(super) language: Language,
    /// Counts changes, here and not as the client does.
    pub(super) version: u64,
    pub(super) text: Text,
    /// What was found out about this version.
    pub(super) state: State,
    /// What repairs this version.
    pub(super) repairs: Vec<Repair>,
    /// When it is to be checked.
    pub(super) due: Option<Instant>,
    /// Stops the check that is under way.
    stop: Arc<AtomicBool>,
}

/// How much is known about robustness.
pub(super) enum State {
    /// Nothing was asked.
    Unasked,
    /// Somebody is at work.
    Checking,
    /// These are the answers.
    Checked(Vec<Answer>),
}

/// A text, and what it says.
pub(super) struct Text {
    pub(super) source: SourceFile,
    pub(super) positions: Positions,
    pub(super) file: File,
    pub(super) names: Names,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) program: Option<Program>,
    pub(super) expected: Vec<Expectation>,
}

impl Text {
    fn read(name: &str, language: Language, text: String) -> Self {
        let source = SourceFile::new(name, text);
        let start = Instant::now();
        let expired = || start.elapsed() >= READING_TIME;
        let effort = || Effort::new(READING_MEMORY, &expired);
        let text = source.text();
        let too_large = |message: String| Loaded {
            program: None,
            diagnostics: vec![Diagnostic::warning(Span::default(), message)],
        };
        // Such a text is not even looked at.
        let is_large = text.len() > MAX_TEXT;
        let readable = if is_large { "" } else { text };
        let parsed = parse_within(language, readable, &effort());
        let loaded = match load_within(language, readable, Reading::default(), &effort()) {
            _ if is_large => too_large(format!("the text is larger than {} MiB: it is not read", MAX_TEXT >> 20)),
            Ok(loaded) => loaded,
            Err(_) => too_large("the program takes too long to be read while it is edited".into()),
        };
        let Loaded { mut program, mut diagnostics } = loaded;
        let expected = fencepost_expect::expectations(readable).unwrap_or_else(|error| {
            diagnostics.push(error.into());
            program = None;
            Vec::new()
        });
        let names = Names::of(&parsed.file, readable);
        let positions = Positions::of(text);
        Text { positions, file: parsed.file, names, diagnostics, program, expected, source }
    }

    pub(super) fn offset(&self, position: Utf16) -> usize {
        self.positions.offset(self.source.text(), position)
    }

    /// The first byte of a line, counted from 1 as in reports and fixes: only `\n` ends one there.
    pub(super) fn line(&self, line: usize) -> usize {
        self.source.text().split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum()
    }
}

impl Document {
    pub(super) fn open(uri: &str, language: Language, text: String) -> Self {
        Document {
            language,
            version: 0,
            text: Text::read(&name(uri), language, text),
            state: State::Unasked,
            repairs: Vec::new(),
            due: None,
            stop: Arc::default(),
        }
    }

    /// The text is another one now.
    pub(super) fn change(&mut self, text: String) {
        self.cancel();
        self.version += 1;
        self.state = State::Unasked;
        self.repairs.clear();
        self.text = Text::read(self.text.source.name(), self.language, text);
    }

    /// Nobody wants to know what is being found out.
    pub(super) fn cancel(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.due = None;
    }

    /// A new check begins: what stops it.
    pub(super) fn begin(&mut self) -> Arc<AtomicBool> {
        self.cancel();
        self.stop = Arc::default();
        self.state = State::Checking;
        Arc::clone(&self.stop)
    }
}

/// The language of a file, by its name or by what the client calls it.
pub(super) fn language(uri: &str, id: &str) -> Option<Language> {
    let by_id = || if id == "fencepost" { Some(Language::Fp) } else { Language::from_extension(id) };
    Language::from_path(name(uri)).or_else(by_id)
}

/// The last part of an address, with its `%` codes resolved.
fn name(uri: &str) -> String {
    let last = uri.rsplit('/').next().unwrap_or(uri);
    let mut bytes = Vec::with_capacity(last.len());
    let mut rest = last.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| byte == b'%').and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(coded) => {
                bytes.push(coded);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_names() {
        assert_eq!(name("file:///tmp/a%20b%C3%A9.fp"), "a bé.fp");
        assert_eq!(name("untitled:Untitled-1"), "untitled:Untitled-1");
        assert_eq!(name("%zz%4"), "%zz%4");
        assert_eq!(language("file:///x/SB.litmus", "plaintext"), Some(Language::Litmus));
        assert_eq!(language("untitled:Untitled-1", "fencepost"), Some(Language::Fp));
        assert_eq!(language("file:///x/a.c", "c"), None);
    }
}
