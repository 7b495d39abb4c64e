//! What is particular to TPL: its items, and how it spells memory operations.

use fencepost_base::diag::Diagnostic;

use super::access::{Method, Verb};
use super::{Parser, Result};
use crate::ast::{Access, Expr, Function, Init, Item, ItemKind, Name, Place, SharedDecl, StmtKind, WaitCondition};
use crate::lexer::TokenKind;

const METHODS: &[Method] = &[
    Method { word: "load", verb: Verb::Load, orders: 1 },
    Method { word: "store", verb: Verb::Store, orders: 1 },
    Method { word: "naload", verb: Verb::PlainLoad, orders: 0 },
    Method { word: "nastore", verb: Verb::PlainStore, orders: 0 },
];

/// Operations that have the location as first argument.
const FUNCTIONS: &[Method] = &[
    Method { word: "FADD", verb: Verb::Update(Function::Add), orders: 2 },
    Method { word: "CAS", verb: Verb::Cas { weak: false }, orders: 2 },
    Method { word: "BCAS", verb: Verb::BlockingCas, orders: 2 },
    Method { word: "exchange", verb: Verb::Update(Function::Exchange), orders: 2 },
    Method { word: "lock", verb: Verb::Lock, orders: 0 },
    Method { word: "unlock", verb: Verb::Unlock, orders: 0 },
];

/// The words that are orders; elsewhere in a `wait` there are values.
const ORDERS: &[&str] = &["rlx", "acq", "rel", "acq_rel", "acqrel", "seq_cst", "sc"];

impl Parser<'_> {
    pub(super) fn tpl_item(&mut self) -> Result<Option<Item>> {
        let start = self.span();
        let word = self.word().unwrap_or_default();
        let kind = match word {
            _ if self.eat(TokenKind::Semicolon) => return Ok(None),
            "max_value" => {
                self.advance();
                ItemKind::MaxValue(self.expr()?)
            }
            "global" | "na" => {
                self.advance();
                let declarations = self.comma_list(|parser| {
                    let name = parser.new_name("a location")?;
                    let init = match parser.eat(TokenKind::Equals) {
                        true => Some(Init::Value(parser.expr()?)),
                        false => None,
                    };
                    Ok(SharedDecl { name, len: None, init })
                })?;
                ItemKind::Shared { atomic: word == "global", declarations }
            }
            "track" => {
                self.advance();
                let name = self.name("a location")?;
                self.expect(TokenKind::Colon, "`:`")?;
                let values = if self.eat_word("all") { Vec::new() } else { self.comma_list(Self::expr)? };
                ItemKind::Track { name, values }
            }
            "fn" => {
                self.advance();
                let name = self.new_name("a thread")?;
                if self.eat(TokenKind::LeftParen) {
                    self.expect(TokenKind::RightParen, "`)`")?;
                }
                let body = self.block()?;
                let span = self.span_from(start);
                return Ok(Some(Item { kind: ItemKind::Thread { name, copies: None, body }, span }));
            }
            _ => return self.unknown_item(),
        };
        let span = self.span_from(start);
        self.expect_semicolon()?;
        Ok(Some(Item { kind, span }))
    }

    pub(super) fn tpl_method(&mut self, word: Name, place: Place) -> Result<Access> {
        let method = self.find_method(&word, METHODS)?;
        let open = self.expect(TokenKind::LeftParen, "`(`")?;
        self.access(word, method, place, open, true)
    }

    /// `wait(…)`, `oneof(…)`, or an operation with the location as first argument.
    pub(super) fn tpl_command(&mut self, result: Option<Place>) -> Result<StmtKind> {
        let word = self.any_word("an operation")?;
        match word.text.as_str() {
            "wait" => return self.wait_values(result),
            "oneof" if result.is_none() => return self.oneof(),
            _ => {}
        }
        let method = self.find_method(&word, FUNCTIONS)?;
        let open = self.expect(TokenKind::LeftParen, "`(`")?;
        let name = self.name("a location")?;
        let place = Place::named(name);
        let access = self.access(word, method, place, open, false)?;
        Ok(StmtKind::Access { result, access })
    }

    /// `(x, 2, 3, acq)`: the last argument may be an order.
    fn wait_values(&mut self, result: Option<Place>) -> Result<StmtKind> {
        let open = self.expect(TokenKind::LeftParen, "`(`")?;
        let name = self.name("a location")?;
        let place = Place::named(name);
        let mut values: Vec<Expr> = Vec::new();
        let mut order = None;
        while order.is_none() && self.eat(TokenKind::Comma) {
            let order_here =
                self.word().is_some_and(|word| ORDERS.contains(&word)) && self.kind_after(1) == TokenKind::RightParen;
            if order_here {
                order = Some(self.any_word("an order")?);
            } else {
                values.push(self.expr()?);
            }
        }
        if values.is_empty() && self.kind() == TokenKind::RightParen {
            let span = self.span();
            return self.report(Diagnostic::error(span, "`wait` needs a value to wait for"));
        }
        self.expect_close(TokenKind::RightParen, "`,` or `)`", open)?;
        Ok(StmtKind::Wait { result, condition: WaitCondition::Values(place, values), order })
    }

    /// `({ … } { … })`
    fn oneof(&mut self) -> Result<StmtKind> {
        let open = self.expect(TokenKind::LeftParen, "`(`")?;
        let mut blocks = vec![self.block()?];
        loop {
            self.eat(TokenKind::Comma);
            if self.kind() != TokenKind::LeftBrace {
                break;
            }
            blocks.push(self.block()?);
        }
        self.expect_close(TokenKind::RightParen, "`{` or `)`", open)?;
        Ok(StmtKind::Choose(blocks))
    }
}
