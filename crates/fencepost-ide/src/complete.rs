//! The words that can stand at a place: what is behind a dot, orders, keywords, names.

use fencepost_base::order::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use fencepost_syntax::lexer::{Token, TokenKind, lex};
use fencepost_syntax::{Language, methods};

use crate::names::{Kind, Names};

/// A word that can stand at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The word.
    pub word: String,
    /// What it is.
    pub kind: Suggested,
}

/// What a suggested word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suggested {
    /// A word of the language.
    Keyword,
    /// An operation on a location.
    Operation,
    /// An order.
    Order,
    /// A name of the program.
    Name(Kind),
}

/// The words that can stand where the cursor is, in a `.fp` text. What is typed of the word already
/// makes no difference: editors filter.
pub fn complete(text: &str, names: &Names, offset: usize) -> Vec<Completion> {
    let tokens = lex(text);
    let inside = |token: &Token| token.span.range().start < offset && offset <= token.span.range().end;
    let silent =
        |token: &Token| token.kind.is_comment() || matches!(token.kind, TokenKind::Text | TokenKind::OpenComment);
    if tokens.iter().any(|token| inside(token) && silent(token)) {
        return Vec::new();
    }
    let before = |token: &&Token| token.span.range().end <= offset && !token.kind.is_comment();
    let mut tokens: Vec<Token> = tokens.iter().filter(before).copied().collect();
    // The word that is being typed.
    if tokens.last().is_some_and(|token| token.kind == TokenKind::Word && token.span.range().end == offset) {
        tokens.pop();
    }
    let view = View { text, names, tokens: &tokens, offset };
    match tokens.last().map(|token| token.kind) {
        Some(TokenKind::Dot) => view.behind_dot(),
        Some(TokenKind::Comma | TokenKind::LeftParen) => view.orders().into_iter().chain(view.visible()).collect(),
        None | Some(TokenKind::Semicolon | TokenKind::LeftBrace | TokenKind::RightBrace | TokenKind::RightParen) => {
            view.beginning()
        }
        _ => view.visible(),
    }
}

struct View<'a> {
    text: &'a str,
    names: &'a Names,
    /// Those before the word that is typed.
    tokens: &'a [Token],
    offset: usize,
}

impl View<'_> {
    fn word(&self, index: usize) -> Option<&str> {
        let token = self.tokens.get(index).filter(|token| token.kind == TokenKind::Word)?;
        self.text.get(token.span.range())
    }

    /// Fields of a struct, operations on a location; both, if it is not known what comes before.
    fn behind_dot(&self) -> Vec<Completion> {
        let dot = self.tokens.len() - 1;
        let owner = self.before_index(dot).and_then(|index| self.word(index));
        let definition = owner.and_then(|owner| {
            let mut found = self.names.definitions().iter().enumerate().filter(|(_, it)| it.name == owner);
            found.rfind(|(_, it)| !matches!(it.kind, Kind::Thread | Kind::Label))
        });
        let structure = definition.filter(|(_, it)| it.kind == Kind::Struct).map(|(index, _)| index);
        let is_location = |kind| matches!(kind, Kind::Location { .. } | Kind::Field { .. });
        let fields = self
            .names
            .definitions()
            .iter()
            .filter(|it| matches!(it.kind, Kind::Field { .. }) && (structure.is_none() || it.within == structure));
        let fields = fields.map(|it| Completion { word: it.name.clone(), kind: Suggested::Name(it.kind) });
        let operations = methods().map(|word| keyword(word, Suggested::Operation));
        match definition {
            Some((_, it)) if it.kind == Kind::Struct => fields.collect(),
            Some((_, it)) if is_location(it.kind) => operations.collect(),
            _ => operations.chain(fields).collect(),
        }
    }

    /// The token before this one, over an index in brackets.
    fn before_index(&self, index: usize) -> Option<usize> {
        let mut depth = 0usize;
        for before in (0..index).rev() {
            match self.tokens[before].kind {
                TokenKind::RightBracket => depth += 1,
                TokenKind::LeftBracket => depth = depth.checked_sub(1)?,
                _ if depth > 0 => {}
                _ => return Some(before),
            }
        }
        None
    }

    /// The orders of the operation whose parentheses are open here.
    fn orders(&self) -> Vec<Completion> {
        let mut depth = 0usize;
        let open = (0..self.tokens.len()).rev().find(|&index| match self.tokens[index].kind {
            TokenKind::RightParen => {
                depth += 1;
                false
            }
            TokenKind::LeftParen if depth == 0 => true,
            TokenKind::LeftParen => {
                depth -= 1;
                false
            }
            _ => false,
        });
        let word = open.and_then(|open| self.word(open.checked_sub(1)?));
        let orders: Vec<&str> = match word {
            Some("load" | "wait") => ReadOrder::ALL.iter().map(|order| order.as_str()).collect(),
            Some("store") => WriteOrder::ALL.iter().map(|order| order.as_str()).collect(),
            Some("fence") => FenceOrder::ALL.iter().map(|order| order.as_str()).collect(),
            Some(word) if methods().any(|method| method == word) => {
                RmwOrder::ALL.iter().map(|order| order.as_str()).collect()
            }
            _ => Vec::new(),
        };
        orders.into_iter().map(|order| keyword(order, Suggested::Order)).collect()
    }

    /// Where a declaration or a statement begins.
    fn beginning(&self) -> Vec<Completion> {
        let braces = self.tokens.iter().fold(0i64, |depth, token| match token.kind {
            TokenKind::LeftBrace => depth + 1,
            TokenKind::RightBrace => depth - 1,
            _ => depth,
        });
        let words = if braces > 0 { Language::Fp.statement_words() } else { Language::Fp.item_words() };
        let words = words.iter().map(|word| keyword(word, Suggested::Keyword));
        words.chain(if braces > 0 { self.visible() } else { Vec::new() }).collect()
    }

    /// Names that mean something here.
    fn visible(&self) -> Vec<Completion> {
        let definitions = self.names.definitions();
        // What is being typed often has no end yet: the last thread or procedure that has begun.
        let bodies = definitions.iter().enumerate().filter(|(_, it)| {
            matches!(it.kind, Kind::Thread | Kind::Procedure) && it.whole.range().start <= self.offset
        });
        let around = bodies.max_by_key(|(_, it)| it.whole.start).map(|(index, _)| index);
        let is_visible = |kind: Kind, within: Option<usize>| match kind {
            Kind::Thread | Kind::Field { .. } => false,
            Kind::Register | Kind::Parameter | Kind::Label => within.is_some() && within == around,
            _ => true,
        };
        let mut words: Vec<Completion> = definitions
            .iter()
            .filter(|it| is_visible(it.kind, it.within))
            .map(|it| Completion { word: it.name.clone(), kind: Suggested::Name(it.kind) })
            .collect();
        words.sort_by(|a, b| a.word.cmp(&b.word));
        words.dedup_by(|a, b| a.word == b.word);
        words
    }
}

fn keyword(word: &str, kind: Suggested) -> Completion {
    Completion { word: word.to_string(), kind }
}
