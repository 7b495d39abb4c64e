//! Tokens to tree: recursive descent, total.
//!
//! This file has what the parsers of `.fp` and TPL need: the cursor, the error
//! messages, and recovery (at `;`, at `}`, and at words that start an item).
//! Trencher's language has nothing in common with these (`txt`), C litmus tests
//! have the tokens in common (`litmus`).
//! Nesting is limited, so neither this recursion nor that of any later pass
//! over the tree can exhaust the stack.
//!
//! Where time or memory is up ([`Effort`]), the cursor jumps to the end of the
//! text. All loops stop there.

mod access;
mod expr;
mod fp;
mod habits;
mod litmus;
mod stmt;
mod tpl;
mod txt;

use fencepost_base::diag::Diagnostic;
use fencepost_base::effort::Effort;
use fencepost_base::source::Span;

use crate::ast::{File, Name};
use crate::language::Language;
use crate::lexer::{Token, TokenKind, tokens};
use crate::messages::{Messages, suggestion};
pub use fp::{is_method, methods};
pub use habits::statement_habit;
pub use litmus::{Foreign, foreign};

/// The longest text that is read, in bytes.
pub const MAX_TEXT: usize = 64 << 20;

/// How deep blocks and parentheses may nest.
pub const MAX_NESTING: usize = 200;

/// How high the tree of one expression may be (`a + a + a` has height 3).
pub const MAX_HEIGHT: usize = 500;

/// A tree and what was wrong with the text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree; what could not be understood is missing.
    pub file: File,
    /// What was wrong.
    pub messages: Messages,
}

/// Parses any text.
pub fn parse(language: Language, text: &str) -> Parsed {
    parse_within(language, text, &Effort::unlimited())
}

/// Parses any text, as far as the effort goes. What is parsed when it is exhausted means nothing.
pub fn parse_within(language: Language, text: &str, effort: &Effort<'_>) -> Parsed {
    let mut messages = Messages::new();
    if text.len() > MAX_TEXT {
        let message = format!("the text has more than {} MiB", MAX_TEXT >> 20);
        messages.push(Diagnostic::error(Span::new(0..0), message));
        return Parsed { file: File { language, items: Vec::new() }, messages };
    }
    if language == Language::Txt {
        let items = txt::items(text, &mut messages, effort);
        return Parsed { file: File { language, items }, messages };
    }
    if language == Language::Litmus {
        let (items, messages) = litmus::items(text, messages, effort);
        return Parsed { file: File { language, items }, messages };
    }
    let mut parser = Parser::new(language, text, messages, effort);
    let mut items = Vec::new();
    while parser.kind() != TokenKind::End && !parser.messages.is_full() {
        let before = parser.position;
        let result = match language {
            Language::Tpl => parser.tpl_item(),
            _ => parser.fp_item(),
        };
        match result {
            Ok(item) => items.extend(item),
            Err(Reported) => parser.skip_to_item(),
        }
        if parser.position == before {
            parser.advance();
        }
    }
    Parsed { file: File { language, items }, messages: parser.messages }
}

/// An error was found and reported; the caller recovers.
struct Reported;

type Result<T> = std::result::Result<T, Reported>;

struct Parser<'a> {
    language: Language,
    text: &'a str,
    /// Without comments and errors; there is always [`TokenKind::End`] at the end.
    tokens: Vec<Token>,
    position: usize,
    nesting: usize,
    /// In the head of a `while`: who polls there may want to `wait`.
    polling: bool,
    messages: Messages,
    effort: &'a Effort<'a>,
}

/// What a token can add to the tree, and later to the program, in bytes: at most, as measured with
/// texts of a million equal lines.
fn cost(token: Token) -> usize {
    match token.kind {
        TokenKind::Word => 200 + token.span.range().len(),
        TokenKind::Text => 100 + token.span.range().len(),
        TokenKind::Number => 100,
        // The end of a statement, or the beginning of several.
        TokenKind::Semicolon | TokenKind::LeftBrace => 400,
        TokenKind::LeftParen | TokenKind::RightParen | TokenKind::RightBrace => 0,
        TokenKind::LeftBracket | TokenKind::RightBracket | TokenKind::Comma | TokenKind::Dot => 0,
        // An operator, or what has a part of its own in the tree.
        _ => 200,
    }
}

impl<'a> Parser<'a> {
    fn new(language: Language, text: &'a str, mut messages: Messages, effort: &'a Effort<'a>) -> Self {
        let mut kept: Vec<Token> = Vec::new();
        // The rest of a line with `#include` would only be reported again.
        let mut directive = 0;
        for token in tokens(text) {
            if token.span.range().start < directive {
                continue;
            }
            let problem = match token.kind {
                TokenKind::Unknown if language == Language::Fp && text[token.span.range()].starts_with('#') => {
                    let start = token.span.range().start;
                    directive = text[start..].find('\n').map_or(text.len(), |end| start + end);
                    Diagnostic::error(token.span, "there is no preprocessor")
                        .help("a program is one file; a number with a name is `const N = 2;`, a comment `// …`")
                }
                TokenKind::Unknown => Diagnostic::error(token.span, "unexpected characters")
                    .label("no language construct starts like this"),
                TokenKind::OpenComment => Diagnostic::error(
                    Span { start: token.span.start, end: token.span.start + 2 },
                    "comment without end",
                )
                .help("close it with `*/`"),
                TokenKind::OpenText => Diagnostic::error(
                    Span { start: token.span.start, end: token.span.start + 1 },
                    "quoted text without end",
                )
                .help("close it with `\"` on the same line"),
                kind => {
                    // A list that grows is there twice for a moment.
                    if !effort.step(if kind.is_comment() { 0 } else { 2 * size_of::<Token>() }) {
                        break;
                    }
                    if !kind.is_comment() {
                        kept.push(token);
                    }
                    continue;
                }
            };
            messages.push(problem);
            if messages.is_full() {
                break;
            }
        }
        kept.push(Token { kind: TokenKind::End, span: Span::new(text.len()..text.len()) });
        Parser { language, text, tokens: kept, position: 0, nesting: 0, polling: false, messages, effort }
    }

    // The cursor.

    fn token(&self) -> Token {
        self.tokens[self.position]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    fn kind_after(&self, distance: usize) -> TokenKind {
        self.tokens.get(self.position + distance).map_or(TokenKind::End, |token| token.kind)
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// The end of the token before the cursor, as an empty span.
    fn end_of_previous(&self) -> Span {
        let end = self.position.checked_sub(1).map_or(0, |previous| self.tokens[previous].span.end);
        Span { start: end, end }
    }

    /// From `start` to the token before the cursor.
    fn span_from(&self, start: Span) -> Span {
        start.to(self.end_of_previous())
    }

    fn slice(&self, span: Span) -> &'a str {
        &self.text[span.range()]
    }

    /// The current token's text if it is a word.
    fn word(&self) -> Option<&'a str> {
        (self.kind() == TokenKind::Word).then(|| self.slice(self.span()))
    }

    fn at_word(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    fn at_item(&self) -> bool {
        // `name` is a common name for other things as well: an item only before a quote. `struct` is
        // one only before a name and a bracket.
        self.word().is_some_and(|word| {
            self.language.item_words().contains(&word)
                && match word {
                    "name" => self.kind_after(1) == TokenKind::Text,
                    "struct" => {
                        self.kind_after(1) == TokenKind::Word
                            && matches!(self.kind_after(2), TokenKind::LeftBrace | TokenKind::LeftBracket)
                    }
                    _ => true,
                }
        })
    }

    /// Moves on; stays at the end.
    fn advance(&mut self) -> Token {
        self.move_on(cost(self.token()))
    }

    /// The same, past what becomes no part of the tree.
    fn skip(&mut self) {
        self.move_on(0);
    }

    fn move_on(&mut self, cost: usize) -> Token {
        let token = self.token();
        if token.kind != TokenKind::End {
            self.position = if self.effort.step(cost) { self.position + 1 } else { self.tokens.len() - 1 };
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let there = self.kind() == kind;
        if there {
            self.advance();
        }
        there
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let there = self.at_word(word);
        if there {
            self.advance();
        }
        there
    }

    // Errors.

    fn report<T>(&mut self, diagnostic: Diagnostic) -> Result<T> {
        self.messages.push(diagnostic);
        Err(Reported)
    }

    /// "expected …, found …" at the cursor.
    fn expected<T>(&mut self, what: &str) -> Result<T> {
        let found = self.found();
        let span = self.span();
        self.report(Diagnostic::error(span, format!("expected {what}, found {found}")))
    }

    fn found(&self) -> String {
        match self.kind() {
            TokenKind::End => "the end of the file".to_owned(),
            TokenKind::Text => "a quoted text".to_owned(),
            _ => {
                let slice = self.slice(self.span());
                match slice.char_indices().nth(40) {
                    Some((cut, _)) => format!("`{}…`", &slice[..cut]),
                    None => format!("`{slice}`"),
                }
            }
        }
    }

    fn expect(&mut self, kind: TokenKind, what: &str) -> Result<Span> {
        if self.kind() == kind { Ok(self.advance().span) } else { self.expected(what) }
    }

    /// A closing token; `open` is shown when it is missing.
    fn expect_close(&mut self, kind: TokenKind, what: &str, open: Span) -> Result<Span> {
        if self.kind() == kind { Ok(self.advance().span) } else { self.unclosed(what, open) }
    }

    /// "expected …, found …" at the cursor, with what is still open.
    fn unclosed<T>(&mut self, what: &str, open: Span) -> Result<T> {
        if let Some(problem) = self.access_in_expr() {
            return self.report(problem);
        }
        let message = format!("expected {what}, found {}", self.found());
        let problem = Diagnostic::error(self.span(), message).also(open, "to close this");
        let meant_comparison = self.kind() == TokenKind::Equals && what == "`)`";
        self.report(if meant_comparison { problem.help("did you mean `==`?") } else { problem })
    }

    /// `;`, blamed on the end of what comes before when it is missing.
    fn expect_semicolon(&mut self) -> Result<()> {
        if self.eat(TokenKind::Semicolon) {
            return Ok(());
        }
        let message = format!("expected `;`, found {}", self.found());
        let end = self.end_of_previous();
        let next = self.span();
        let on_another_line = self.slice(end.to(next)).contains('\n');
        let at_end = matches!(self.kind(), TokenKind::End | TokenKind::RightBrace);
        let span = if on_another_line || at_end { end } else { next };
        self.messages.push(Diagnostic::error(span, message).label("`;` is missing before this point"));
        // Where a line or a block ends, the statement surely does: nothing needs to be skipped.
        if on_another_line || at_end { Ok(()) } else { Err(Reported) }
    }

    /// A name that is being given to something.
    fn new_name(&mut self, of_what: &str) -> Result<Name> {
        let Some(word) = self.word() else { return self.expected(&format!("the name of {of_what}")) };
        if self.language.reserved_words().contains(&word) {
            let message = format!("`{word}` cannot be the name of {of_what}");
            let span = self.span();
            return self.report(Diagnostic::error(span, message).label("this word is part of the language"));
        }
        let span = self.advance().span;
        Ok(Name { text: word.to_owned(), span })
    }

    /// A name that a declaration gives to `of_what`, without the type that C or Rust would want.
    fn declared_name(&mut self, of_what: &str) -> Result<Name> {
        self.skip_type_before();
        let name = self.new_name(of_what)?;
        self.skip_type_after();
        Ok(name)
    }

    /// A name that is being used.
    fn name(&mut self, of_what: &str) -> Result<Name> {
        match self.word() {
            Some(word) if !self.language.reserved_words().contains(&word) => {
                let span = self.advance().span;
                Ok(Name { text: word.to_owned(), span })
            }
            _ => self.expected(&format!("the name of {of_what}")),
        }
    }

    /// Any word, whatever it means elsewhere (orders, methods).
    fn any_word(&mut self, what: &str) -> Result<Name> {
        match self.word() {
            Some(word) => {
                let span = self.advance().span;
                Ok(Name { text: word.to_owned(), span })
            }
            None => self.expected(what),
        }
    }

    /// The help for a word that is none of `words`.
    fn did_you_mean(diagnostic: Diagnostic, word: &str, words: &[&str]) -> Diagnostic {
        match suggestion(word, words.iter().copied()) {
            Some(other) => diagnostic.help(format!("did you mean `{other}`?")),
            None => diagnostic,
        }
    }

    /// "expected a declaration, …" at the cursor.
    fn unknown_item<T>(&mut self) -> Result<T> {
        if self.language == Language::Fp
            && let Some(problem) = self.item_habit()
        {
            return self.report(problem);
        }
        let message = format!("expected a declaration, found {}", self.found());
        let words = self.language.item_words();
        let word = self.word().unwrap_or_default();
        let diagnostic = Self::did_you_mean(Diagnostic::error(self.span(), message), word, words);
        let diagnostic = match diagnostic.help.is_empty() {
            true => diagnostic.help(format!("at this level there are {}", words.join(", "))),
            false => diagnostic,
        };
        self.report(diagnostic)
    }

    // Recovery.

    /// Skips to the next word that starts an item, past balanced braces.
    fn skip_to_item(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                TokenKind::End => return,
                TokenKind::LeftBrace => depth += 1,
                TokenKind::RightBrace if depth > 1 => depth -= 1,
                TokenKind::RightBrace => {
                    self.skip();
                    return;
                }
                TokenKind::Semicolon if depth == 0 => {
                    self.skip();
                    return;
                }
                _ if self.at_item() && (depth == 0 || self.at_word("thread") || self.at_word("fn")) => return,
                _ => {}
            }
            self.skip();
        }
    }

    /// Skips to the end of a statement: past `;`, past a balanced block, or before `}`.
    fn skip_statement(&mut self) {
        loop {
            match self.kind() {
                TokenKind::End | TokenKind::RightBrace => return,
                TokenKind::Semicolon => {
                    self.skip();
                    return;
                }
                TokenKind::LeftBrace => {
                    self.skip_braces();
                    return;
                }
                _ if self.at_item() => return,
                _ => self.skip(),
            }
        }
    }

    /// Skips `{ … }`, or to the end of the text.
    fn skip_braces(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                TokenKind::End => return,
                TokenKind::LeftBrace => depth += 1,
                TokenKind::RightBrace => depth -= 1,
                _ => {}
            }
            self.skip();
            if depth == 0 {
                return;
            }
        }
    }

    /// Skips past the parenthesis that closes the one at `open`, or to the first brace.
    fn skip_past_parens(&mut self, open: usize) {
        let mut depth = 0usize;
        let mut end = open;
        loop {
            match self.tokens[end].kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth -= 1,
                TokenKind::End | TokenKind::LeftBrace | TokenKind::RightBrace => break,
                _ => {}
            }
            end += 1;
            if depth == 0 {
                break;
            }
        }
        while self.position < end {
            self.skip();
        }
    }

    // Nesting.

    /// Runs `inner` one level deeper, unless that is too deep.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.nesting == MAX_NESTING {
            let span = self.span();
            return self.report(
                Diagnostic::error(span, format!("more than {MAX_NESTING} levels of nesting")).label("too deep"),
            );
        }
        self.nesting += 1;
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    /// One or more things between commas.
    fn comma_list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut list = vec![one(self)?];
        while self.eat(TokenKind::Comma) {
            list.push(one(self)?);
        }
        Ok(list)
    }
}
