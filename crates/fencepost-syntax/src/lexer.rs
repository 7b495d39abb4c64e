//! Text to tokens. One token type serves all languages: they differ in their
//! words, and words are told apart by the parsers.

use fencepost_base::source::Span;
use logos::{Lexer, Logos};

/// A kind of token.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[logos(skip r"[ \t\r\n\x0C\u{FEFF}]+")]
pub enum TokenKind {
    /// A name or a word of the language.
    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    /// A number; not yet known to be well formed.
    #[regex("[0-9][0-9A-Za-z_]*")]
    Number,
    /// A quoted text.
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Text,
    /// A comment up to the end of the line.
    #[token("//", line_comment)]
    LineComment,
    /// A comment between `/*` and `*/`.
    #[token("/*", block_comment)]
    BlockComment,
    /// `(`
    #[token("(")]
    LeftParen,
    /// `)`
    #[token(")")]
    RightParen,
    /// `{`
    #[token("{")]
    LeftBrace,
    /// `}`
    #[token("}")]
    RightBrace,
    /// `[`
    #[token("[")]
    LeftBracket,
    /// `]`
    #[token("]")]
    RightBracket,
    /// `;`
    #[token(";")]
    Semicolon,
    /// `:`
    #[token(":")]
    Colon,
    /// `?`
    #[token("?")]
    Question,
    /// `,`
    #[token(",")]
    Comma,
    /// `.`
    #[token(".")]
    Dot,
    /// `=`
    #[token("=")]
    Equals,
    /// `+`
    #[token("+")]
    Plus,
    /// `-`
    #[token("-")]
    Minus,
    /// `*`
    #[token("*")]
    Star,
    /// `/`
    #[token("/")]
    Slash,
    /// `%`
    #[token("%")]
    Percent,
    /// `==`
    #[token("==")]
    EqualsEquals,
    /// `!=`
    #[token("!=")]
    BangEquals,
    /// `<`
    #[token("<")]
    Less,
    /// `<=`
    #[token("<=")]
    LessEquals,
    /// `>`
    #[token(">")]
    Greater,
    /// `>=`
    #[token(">=")]
    GreaterEquals,
    /// `&&`
    #[token("&&")]
    AndAnd,
    /// `||`
    #[token("||")]
    BarBar,
    /// `!`
    #[token("!")]
    Bang,
    /// `&`
    #[token("&")]
    And,
    /// `|`
    #[token("|")]
    Bar,
    /// `^`
    #[token("^")]
    Caret,
    /// `~`
    #[token("~")]
    Tilde,
    /// `<<`
    #[token("<<")]
    LessLess,
    /// `>>`
    #[token(">>")]
    GreaterGreater,
    /// Anything else.
    Unknown,
    /// `/*` without `*/`, up to the end of the text.
    OpenComment,
    /// A quote without its end.
    OpenText,
    /// The end of the text.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
}

impl TokenKind {
    /// Is it a comment?
    pub fn is_comment(self) -> bool {
        matches!(self, TokenKind::LineComment | TokenKind::BlockComment)
    }

    /// Is it something no language has?
    pub fn is_error(self) -> bool {
        matches!(self, TokenKind::Unknown | TokenKind::OpenComment | TokenKind::OpenText)
    }
}

/// All tokens of a text, comments too. They are in order, do not overlap, and
/// leave out nothing but white space. There is no [`TokenKind::End`] among them.
pub fn lex(text: &str) -> Vec<Token> {
    tokens(text).collect()
}

/// The same, one by one.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = Token> {
    let mut lexer = TokenKind::lexer(text);
    let mut parts = std::iter::from_fn(move || {
        let kind = lexer.next()?.unwrap_or_else(|()| {
            if lexer.slice().starts_with("/*") {
                TokenKind::OpenComment
            } else if lexer.slice().starts_with('"') {
                TokenKind::OpenText
            } else {
                TokenKind::Unknown
            }
        });
        Some(Token { kind, span: Span::new(lexer.span()) })
    })
    .peekable();
    std::iter::from_fn(move || {
        let mut token = parts.next()?;
        // What is no token is one error, however long it is.
        let goes_on = |token: Token, next: &Token| {
            (token.kind, next.kind) == (TokenKind::Unknown, TokenKind::Unknown) && token.span.end == next.span.start
        };
        while let Some(next) = parts.next_if(|next| goes_on(token, next)) {
            token.span.end = next.span.end;
        }
        Some(token)
    })
}

fn line_comment(lexer: &mut Lexer<'_, TokenKind>) {
    let rest = lexer.remainder();
    let line = rest.find('\n').map_or(rest, |end| &rest[..end]);
    lexer.bump(line.trim_end().len());
}

fn block_comment(lexer: &mut Lexer<'_, TokenKind>) -> Result<(), ()> {
    match lexer.remainder().find("*/") {
        Some(end) => {
            lexer.bump(end + 2);
            Ok(())
        }
        None => {
            lexer.bump(lexer.remainder().len());
            Err(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        lex(text).into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn longest_match_wins() {
        use TokenKind::{Equals, EqualsEquals, LessEquals, LessLess, Word};
        assert_eq!(kinds("<<<= === a_1"), [LessLess, LessEquals, EqualsEquals, Equals, Word]);
    }

    #[test]
    fn comments_are_tokens_and_end_where_they_should() {
        let text = "a // b  \n/* c\n*/d";
        let tokens = lex(text);
        let slices: Vec<_> = tokens.iter().map(|token| &text[token.span.range()]).collect();
        assert_eq!(slices, ["a", "// b", "/* c\n*/", "d"]);
    }

    #[test]
    fn what_is_not_a_token_is_one_error() {
        assert_eq!(kinds("@@é$ x"), [TokenKind::Unknown, TokenKind::Word]);
        assert_eq!(kinds("x /* y"), [TokenKind::Word, TokenKind::OpenComment]);
        assert_eq!(kinds("\"abc\nx").first(), Some(&TokenKind::OpenText));
        assert_eq!(kinds("\"a\\\"b\""), [TokenKind::Text]);
    }
}
