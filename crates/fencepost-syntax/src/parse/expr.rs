//! Expressions, the same in all languages: C's operators and precedence.

use fencepost_base::diag::Diagnostic;
use fencepost_base::source::Span;

use super::fp::is_method;
use super::{MAX_HEIGHT, Parser, Result};
use crate::ast::{BinaryOp, Expr, ExprKind, Field, Name, Place, UnaryOp};
use crate::language::Language;
use crate::lexer::TokenKind;

/// An expression and the height of its tree.
struct Tree {
    expr: Expr,
    height: usize,
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Result<Expr> {
        Ok(self.nested(|parser| parser.binary(0))?.expr)
    }

    /// `( e )`
    pub(super) fn expr_in_parens(&mut self) -> Result<Expr> {
        if self.kind() != TokenKind::LeftParen && self.language == Language::Fp {
            let message = format!("expected `(`, found {}", self.found());
            let problem = Diagnostic::error(self.span(), message).help("conditions are in parentheses, as in C");
            return self.report(problem);
        }
        let open = self.expect(TokenKind::LeftParen, "`(`")?;
        let expr = self.expr()?;
        self.expect_close(TokenKind::RightParen, "`)`", open)?;
        Ok(expr)
    }

    /// Operators that bind tighter than `floor`.
    fn binary(&mut self, floor: u8) -> Result<Tree> {
        let mut left = self.unary()?;
        while let Some(op) = binary_op(self.kind()).filter(|op| op.precedence() > floor) {
            let operator = self.advance().span;
            let right = self.binary(op.precedence())?;
            let span = left.expr.span.to(right.expr.span);
            let height = 1 + left.height.max(right.height);
            let kind = ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr));
            left = self.limited(Tree { expr: Expr { kind, span }, height }, operator);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Tree> {
        let op = match self.kind() {
            TokenKind::Minus => UnaryOp::Neg,
            TokenKind::Bang => UnaryOp::Not,
            TokenKind::Tilde => UnaryOp::BitNot,
            _ => return self.primary(),
        };
        let operator = self.advance().span;
        let operand = self.nested(Self::unary)?;
        let span = operator.to(operand.expr.span);
        let height = operand.height + 1;
        let kind = ExprKind::Unary(op, Box::new(operand.expr));
        Ok(self.limited(Tree { expr: Expr { kind, span }, height }, operator))
    }

    fn primary(&mut self) -> Result<Tree> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Number => self.number(),
            TokenKind::LeftParen => {
                let open = self.advance().span;
                let mut inner = self.nested(|parser| parser.binary(0))?;
                let close = self.expect_close(TokenKind::RightParen, "`)`", open)?;
                inner.expr.span = open.to(close);
                return Ok(inner);
            }
            TokenKind::Word => return self.word_in_expr(),
            TokenKind::And | TokenKind::Star if self.language == Language::Fp => {
                let problem = Diagnostic::error(start, "there are no pointers, and locations have no addresses");
                return self.report(
                    problem.help("name the location itself; a node is the index of an element: `node[i].next.load()`"),
                );
            }
            _ => return self.expected("an expression"),
        };
        Ok(Tree { expr: Expr { kind, span: self.span_from(start) }, height: 1 })
    }

    fn word_in_expr(&mut self) -> Result<Tree> {
        let start = self.span();
        let word = self.word().unwrap_or_default();
        let fp = self.language == Language::Fp;
        if fp && matches!(word, "int" | "wrap") && self.kind_after(1) == TokenKind::LeftParen {
            self.advance();
            let open = self.advance().span;
            let inner = self.nested(|parser| parser.binary(0))?;
            self.expect_close(TokenKind::RightParen, "`)`", open)?;
            let height = inner.height + 1;
            let operand = Box::new(inner.expr);
            let kind = if word == "int" { ExprKind::Integer(operand) } else { ExprKind::Wrap(operand) };
            return Ok(self.limited(Tree { expr: Expr { kind, span: self.span_from(start) }, height }, start));
        }
        let kind = match word {
            "true" => ExprKind::Int(1),
            "false" => ExprKind::Int(0),
            "me" if fp => ExprKind::Me,
            _ if self.kind_after(1) == TokenKind::LeftParen => {
                return self.report(
                    Diagnostic::error(start, format!("`{word}(…)` cannot be part of an expression"))
                        .help("an operation is a statement of its own: assign its result to a register first"),
                );
            }
            _ => {
                let name = self.name("a register or constant")?;
                let place = self.place_named(name)?;
                let span = place.span;
                let kind = match place.is_name() {
                    true => ExprKind::Name(place.name.text),
                    false => ExprKind::Element(Box::new(place)),
                };
                return Ok(Tree { expr: Expr { kind, span }, height: 1 });
            }
        };
        self.advance();
        Ok(Tree { expr: Expr { kind, span: start }, height: 1 })
    }

    fn number(&mut self) -> ExprKind {
        let span = self.advance().span;
        let text = self.slice(span);
        let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => (digits, 16),
            None => (text, 10),
        };
        let problem = if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            Diagnostic::error(span, "this is not a number").help("numbers are decimal (`42`) or hexadecimal (`0x2a`)")
        } else {
            match i64::from_str_radix(digits, radix) {
                Ok(value) => return ExprKind::Int(value),
                Err(_) => Diagnostic::error(span, "this number is too large")
                    .help(format!("the greatest number is {}", i64::MAX)),
            }
        };
        self.messages.push(problem);
        ExprKind::Error
    }

    /// A place, after its name: with an index or a field or without.
    pub(super) fn place_named(&mut self, name: Name) -> Result<Place> {
        let start = name.span;
        let index = self.brackets()?;
        let field = if self.at_field() {
            self.advance();
            let name = self.any_word("the name of a field")?;
            Some(Field { name, index: self.brackets()? })
        } else {
            None
        };
        Ok(Place { name, index, field, span: self.span_from(start) })
    }

    /// Is it `.next` rather than `.load(…)`?
    fn at_field(&self) -> bool {
        self.language == Language::Fp
            && self.kind() == TokenKind::Dot
            && self.kind_after(1) == TokenKind::Word
            && self.kind_after(2) != TokenKind::LeftParen
            && !is_method(self.slice(self.tokens[self.position + 1].span))
    }

    /// `[e]`, if it is there.
    pub(super) fn brackets(&mut self) -> Result<Option<Expr>> {
        if self.kind() != TokenKind::LeftBracket {
            return Ok(None);
        }
        let open = self.advance().span;
        let inside = self.expr()?;
        self.expect_close(TokenKind::RightBracket, "`]`", open)?;
        Ok(Some(inside))
    }

    /// An expression that turned out to be followed by `.` or `=`: the place it names.
    pub(super) fn as_place(&mut self, expr: Expr) -> Result<Place> {
        match expr.kind {
            ExprKind::Name(text) => Ok(Place::named(Name { text, span: expr.span })),
            ExprKind::Element(place) => Ok(*place),
            _ if self.access_in_expr().is_some() => self.unclosed("", expr.span),
            _ => self.report(Diagnostic::error(expr.span, "expected the name of a location")),
        }
    }

    /// The tree, or an error in its place when it is too high to be handled safely.
    fn limited(&mut self, tree: Tree, at: Span) -> Tree {
        if tree.height <= MAX_HEIGHT {
            return tree;
        }
        self.messages.push(
            Diagnostic::error(at, format!("an expression of more than {MAX_HEIGHT} nested operations"))
                .help("split it over several statements"),
        );
        Tree { expr: Expr { kind: ExprKind::Error, span: tree.expr.span }, height: 1 }
    }
}

pub(super) fn binary_op(kind: TokenKind) -> Option<BinaryOp> {
    Some(match kind {
        TokenKind::BarBar => BinaryOp::Or,
        TokenKind::AndAnd => BinaryOp::And,
        TokenKind::Bar => BinaryOp::BitOr,
        TokenKind::Caret => BinaryOp::BitXor,
        TokenKind::And => BinaryOp::BitAnd,
        TokenKind::EqualsEquals => BinaryOp::Eq,
        TokenKind::BangEquals => BinaryOp::Ne,
        TokenKind::Less => BinaryOp::Lt,
        TokenKind::LessEquals => BinaryOp::Le,
        TokenKind::Greater => BinaryOp::Gt,
        TokenKind::GreaterEquals => BinaryOp::Ge,
        TokenKind::LessLess => BinaryOp::Shl,
        TokenKind::GreaterGreater => BinaryOp::Shr,
        TokenKind::Plus => BinaryOp::Add,
        TokenKind::Minus => BinaryOp::Sub,
        TokenKind::Star => BinaryOp::Mul,
        TokenKind::Slash => BinaryOp::Div,
        TokenKind::Percent => BinaryOp::Rem,
        _ => return None,
    })
}
