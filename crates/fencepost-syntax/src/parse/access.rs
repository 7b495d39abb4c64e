//! The arguments of memory operations: values first, then orders.

use std::vec;

use fencepost_base::diag::Diagnostic;
use fencepost_base::source::Span;

use super::{Parser, Result};
use crate::ast::{Access, AccessKind, Expr, ExprKind, Function, Name, Place};
use crate::lexer::TokenKind;

/// A memory operation before its arguments are known.
#[derive(Clone, Copy)]
pub(super) enum Verb {
    Load,
    Store,
    Update(Function),
    Cas { weak: bool },
    BlockingCas,
    PlainLoad,
    PlainStore,
    Lock,
    Unlock,
}

/// A word for a memory operation, and how many orders may follow its values.
pub(super) struct Method {
    pub(super) word: &'static str,
    pub(super) verb: Verb,
    pub(super) orders: usize,
}

impl Verb {
    /// Number of values among the arguments.
    fn values(self) -> usize {
        match self {
            Verb::Load | Verb::PlainLoad | Verb::Lock | Verb::Unlock => 0,
            Verb::Store | Verb::PlainStore | Verb::Update(_) => 1,
            Verb::Cas { .. } | Verb::BlockingCas => 2,
        }
    }

    fn with(self, mut values: vec::IntoIter<Expr>) -> AccessKind {
        let mut next = || values.next().unwrap_or(Expr { kind: ExprKind::Error, span: Span::default() });
        match self {
            Verb::Load => AccessKind::Load,
            Verb::Store => AccessKind::Store(next()),
            Verb::Update(function) => AccessKind::Update(function, next()),
            Verb::Cas { weak } => AccessKind::Cas { expected: next(), desired: next(), weak },
            Verb::BlockingCas => AccessKind::BlockingCas { expected: next(), desired: next() },
            Verb::PlainLoad => AccessKind::PlainLoad,
            Verb::PlainStore => AccessKind::PlainStore(next()),
            Verb::Lock => AccessKind::Lock,
            Verb::Unlock => AccessKind::Unlock,
        }
    }
}

impl Method {
    /// What its arguments are, for an error message.
    fn description(&self) -> String {
        let values = match self.verb.values() {
            0 => "no value",
            1 => "one value",
            _ => "an expected and a new value",
        };
        match self.orders {
            0 => format!("it takes {values}"),
            1 => format!("it takes {values} and at most one order"),
            _ => format!("it takes {values} and at most two orders"),
        }
    }
}

impl Parser<'_> {
    /// The method called `word`; if there is none, an error that lists `methods`.
    pub(super) fn find_method<'m>(&mut self, word: &Name, methods: &'m [Method]) -> Result<&'m Method> {
        if let Some(method) = methods.iter().find(|method| method.word == word.text) {
            return Ok(method);
        }
        let words: Vec<&str> = methods.iter().map(|method| method.word).collect();
        let diagnostic = Diagnostic::error(word.span, format!("there is no operation `{}`", word.text));
        let diagnostic = Self::did_you_mean(diagnostic, &word.text, &words);
        let diagnostic = if diagnostic.help.is_empty() {
            diagnostic.help(format!("the operations are {}", words.join(", ")))
        } else {
            diagnostic
        };
        self.report(diagnostic)
    }

    /// An order, or what other languages call so (`std::memory_order_acquire`): what it means, if
    /// anything, is found out later.
    pub(super) fn order(&mut self) -> Result<Name> {
        let mut order = self.any_word("an order")?;
        while self.kind() == TokenKind::Colon && self.kind_after(1) == TokenKind::Colon {
            self.advance();
            self.advance();
            let next = self.any_word("an order")?;
            order = Name { text: format!("{}::{}", order.text, next.text), span: order.span.to(next.span) };
        }
        Ok(order)
    }

    /// The arguments after the place: `(` is read already; `first` says that no argument came
    /// before.
    pub(super) fn access(
        &mut self,
        word: Name,
        method: &Method,
        place: Place,
        open: Span,
        mut first: bool,
    ) -> Result<Access> {
        let mut values = Vec::new();
        let mut orders = Vec::new();
        while self.kind() != TokenKind::RightParen {
            if !first && !self.eat(TokenKind::Comma) {
                return self.unclosed("`,` or `)`", open);
            }
            first = false;
            if values.len() < method.verb.values() {
                values.push(self.expr()?);
            } else if orders.len() < method.orders {
                orders.push(self.order()?);
            } else {
                let span = self.span();
                let message = format!("too many arguments for `{}`", word.text);
                return self.report(Diagnostic::error(span, message).label(method.description()));
            }
        }
        if values.len() < method.verb.values() {
            let span = self.span();
            let message = format!("too few arguments for `{}`", word.text);
            return self.report(Diagnostic::error(span, message).label(method.description()));
        }
        self.advance();
        Ok(Access { kind: method.verb.with(values.into_iter()), word, place, orders })
    }
}
