//! The C of litmus tests: declarations, statements, expressions.

use fencepost_base::diag::Diagnostic;
use fencepost_base::source::Span;

use super::super::expr::binary_op;
use super::super::{MAX_HEIGHT, Parser, Reported, Result};
use crate::ast::litmus::{Expr, ExprKind, Stmt, StmtKind, Type, Variable};
use crate::ast::{BinaryOp, Name, UnaryOp};
use crate::lexer::TokenKind;

/// Words of types, besides those that begin with `atomic_`.
const TYPE_WORDS: &[&str] = &[
    "int",
    "char",
    "short",
    "long",
    "signed",
    "unsigned",
    "bool",
    "_Bool",
    "void",
    "const",
    "volatile",
    "static",
    "register",
    "restrict",
    "_Atomic",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "intptr_t",
    "uintptr_t",
    "size_t",
    "__int128",
    "__uint128",
    "__int128_t",
    "__uint128_t",
    "int128_t",
    "uint128_t",
    "mtx_t",
];

/// What comes after `atomic_` in types.
const ATOMIC_TYPES: &[&str] = &[
    "bool",
    "char",
    "schar",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "long",
    "ulong",
    "llong",
    "ullong",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "intptr_t",
    "uintptr_t",
    "size_t",
    "int128_t",
    "uint128_t",
    "flag",
];

/// An expression and the height of its tree.
struct Tree {
    expr: Expr,
    height: usize,
}

impl Parser<'_> {
    // Types.

    pub(super) fn at_type(&self) -> bool {
        self.word().is_some_and(is_type_word) || self.at_template()
    }

    /// Is this `atomic<int>`, as C++ writes it?
    fn at_template(&self) -> bool {
        self.at_word("atomic") && self.kind_after(1) == TokenKind::Less
    }

    /// A type; where it begins is known to be one.
    pub(super) fn ty(&mut self) -> Result<Type> {
        let start = self.span();
        let mut ty = Type::default();
        loop {
            let is_template = self.at_template();
            if self.kind() == TokenKind::Star {
                self.advance();
                ty.pointers += 1;
            } else if is_template || (self.at_word("_Atomic") && self.kind_after(1) == TokenKind::LeftParen) {
                self.advance();
                let open = self.advance().span;
                if !self.at_type() {
                    return self.expected("a type");
                }
                let inner = self.nested(Self::ty)?;
                match is_template {
                    true => self.expect_close(TokenKind::Greater, "`>`", open)?,
                    false => self.expect_close(TokenKind::RightParen, "`)`", open)?,
                };
                ty.atomic |= inner.atomic | 1 << inner.pointers;
                ty.pointers += inner.pointers;
            } else if self.at_type() {
                let word = self.word().unwrap_or_default();
                // What is behind a `*` is said of the address.
                ty.atomic |= u8::from(word == "_Atomic" || word.starts_with("atomic_")) << ty.pointers;
                self.advance();
            } else {
                return Ok(ty);
            }
            if ty.pointers > Type::MAX_POINTERS {
                let message = format!("a type with more than {} `*`", Type::MAX_POINTERS);
                return self.report(Diagnostic::error(self.span_from(start), message));
            }
        }
    }

    // Statements.

    /// `{ … }`
    pub(super) fn c_block(&mut self) -> Result<Vec<Stmt>> {
        let open = self.expect(TokenKind::LeftBrace, "`{`")?;
        let mut stmts = Vec::new();
        loop {
            if self.eat(TokenKind::RightBrace) {
                return Ok(stmts);
            }
            if self.kind() == TokenKind::End || self.at_procedure() || self.messages.is_full() {
                return self.unclosed("`}`", open);
            }
            let before = self.position;
            match self.c_stmt() {
                Ok(stmt) => stmts.push(stmt),
                Err(Reported) => {
                    self.skip_statement();
                    // Nothing else starts here, and the block may go on.
                    if self.position == before && self.kind() != TokenKind::RightBrace {
                        self.advance();
                    }
                }
            }
        }
    }

    fn c_stmt(&mut self) -> Result<Stmt> {
        let start = self.span();
        let kind = match self.word() {
            _ if self.kind() == TokenKind::LeftBrace => StmtKind::Block(self.nested(Self::c_block)?),
            _ if self.eat(TokenKind::Semicolon) => StmtKind::Empty,
            Some("if") => {
                self.advance();
                let cond = self.c_condition()?;
                let then = Box::new(self.nested(Self::c_stmt)?);
                let otherwise = match self.eat_word("else") {
                    true => Some(Box::new(self.nested(Self::c_stmt)?)),
                    false => None,
                };
                StmtKind::If(cond, then, otherwise)
            }
            Some("while") => {
                self.advance();
                let cond = self.c_condition()?;
                StmtKind::While(cond, Box::new(self.nested(Self::c_stmt)?))
            }
            Some("do") => {
                self.advance();
                let body = Box::new(self.nested(Self::c_stmt)?);
                if !self.eat_word("while") {
                    return self.expected("`while`");
                }
                let cond = self.c_condition()?;
                self.expect_semicolon()?;
                StmtKind::DoWhile(body, cond)
            }
            Some(word @ ("break" | "continue")) => {
                self.advance();
                self.expect_semicolon()?;
                if word == "break" { StmtKind::Break } else { StmtKind::Continue }
            }
            Some("for") => {
                self.advance();
                let open = self.expect(TokenKind::LeftParen, "`(`")?;
                let first = match self.kind() {
                    TokenKind::Semicolon => {
                        self.advance();
                        None
                    }
                    _ if self.at_type() => Some(Box::new(self.declaration()?)),
                    _ => Some(Box::new(self.expression_statement()?)),
                };
                let cond = if self.kind() == TokenKind::Semicolon { None } else { Some(self.c_expr()?) };
                self.expect_semicolon()?;
                let step = if self.kind() == TokenKind::RightParen { None } else { Some(self.unused()?) };
                self.expect_close(TokenKind::RightParen, "`)`", open)?;
                StmtKind::For(first, cond, step, Box::new(self.nested(Self::c_stmt)?))
            }
            Some(word @ ("switch" | "goto" | "return" | "struct" | "union" | "enum" | "typedef")) => {
                let message = format!("`{word}` is not supported in litmus tests");
                self.advance();
                self.skip_parens();
                return self.report(Diagnostic::error(start, message).help("there are `if`, `while`, `do` and `for`"));
            }
            Some(_) if self.at_type() => return self.declaration(),
            _ => return self.expression_statement(),
        };
        Ok(Stmt { kind, span: self.span_from(start) })
    }

    /// `e;`
    fn expression_statement(&mut self) -> Result<Stmt> {
        let start = self.span();
        let expr = self.unused()?;
        let span = self.span_from(start);
        self.expect_semicolon()?;
        Ok(Stmt { kind: StmtKind::Expr(expr), span })
    }

    /// An expression whose value nobody needs: then `r++` is `r += 1`.
    fn unused(&mut self) -> Result<Expr> {
        let expr = self.c_expr()?;
        match expr.kind {
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right)
                if matches!((&left.kind, &right.kind), (ExprKind::Assign(..), ExprKind::Int(_))) =>
            {
                Ok(*left)
            }
            kind => Ok(Expr { kind, span: expr.span }),
        }
    }

    /// Skips `( … )`, if there is one here: the `;` in it ends no statement.
    fn skip_parens(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen if depth > 0 => depth -= 1,
                TokenKind::End | TokenKind::LeftBrace | TokenKind::RightBrace => return,
                _ if depth == 0 => return,
                _ => {}
            }
            self.advance();
        }
    }

    /// `int r0 = e, r1;`
    fn declaration(&mut self) -> Result<Stmt> {
        let start = self.span();
        let first = self.ty()?;
        let mut list = Vec::new();
        let mut ty = first;
        loop {
            let name = self.new_name("a variable")?;
            let span = name.span;
            if self.kind() == TokenKind::LeftBracket {
                let span = self.span();
                return self.report(Diagnostic::error(span, "arrays are not supported in litmus tests"));
            }
            let value = if self.eat(TokenKind::Equals) { Some(self.c_expr()?) } else { None };
            list.push((Variable { ty, name, span }, value));
            if !self.eat(TokenKind::Comma) {
                break;
            }
            // In `int *p, q` only `p` is an address.
            ty = Type { atomic: first.atomic & 1, pointers: 0 };
            while ty.pointers < Type::MAX_POINTERS && self.eat(TokenKind::Star) {
                ty.pointers += 1;
            }
        }
        let span = self.span_from(start);
        self.expect_semicolon()?;
        Ok(Stmt { kind: StmtKind::Declare(list), span })
    }

    fn c_condition(&mut self) -> Result<Expr> {
        let open = self.expect(TokenKind::LeftParen, "`(`")?;
        let cond = self.c_expr()?;
        self.expect_close(TokenKind::RightParen, "`)`", open)?;
        Ok(cond)
    }

    // Expressions.

    fn c_expr(&mut self) -> Result<Expr> {
        Ok(self.nested(Self::assignment)?.expr)
    }

    /// Assignments bind least, and to the right.
    fn assignment(&mut self) -> Result<Tree> {
        let target = self.c_binary(0)?;
        let operator = self.span();
        if self.eat(TokenKind::Question) {
            return self.conditional(target, operator);
        }
        let op = if self.kind() == TokenKind::Equals {
            None
        } else if let Some(op) = binary_op(self.kind()).filter(|_| self.at_compound()) {
            self.advance();
            Some(op)
        } else {
            return Ok(target);
        };
        self.advance();
        let value = self.nested(Self::assignment)?;
        let span = target.expr.span.to(value.expr.span);
        let height = 1 + target.height.max(value.height);
        let kind = ExprKind::Assign(Box::new(target.expr), op, Box::new(value.expr));
        Ok(self.c_limited(Tree { expr: Expr { kind, span }, height }, operator))
    }

    /// `? then : otherwise`, behind the `?`.
    fn conditional(&mut self, cond: Tree, operator: Span) -> Result<Tree> {
        let then = self.nested(Self::assignment)?;
        self.expect(TokenKind::Colon, "`:`")?;
        let otherwise = self.nested(Self::conditional_operand)?;
        let span = cond.expr.span.to(otherwise.expr.span);
        let height = 1 + cond.height.max(then.height).max(otherwise.height);
        let kind = ExprKind::Conditional(Box::new(cond.expr), Box::new(then.expr), Box::new(otherwise.expr));
        Ok(self.c_limited(Tree { expr: Expr { kind, span }, height }, operator))
    }

    fn conditional_operand(&mut self) -> Result<Tree> {
        let operand = self.c_binary(0)?;
        let operator = self.span();
        match self.eat(TokenKind::Question) {
            true => self.conditional(operand, operator),
            false => Ok(operand),
        }
    }

    /// Is this `++` or `--`?
    fn at_step(&self) -> Option<BinaryOp> {
        let op = match self.kind() {
            TokenKind::Plus => BinaryOp::Add,
            TokenKind::Minus => BinaryOp::Sub,
            _ => return None,
        };
        (self.kind_after(1) == self.kind() && self.is_adjacent_to_next()).then_some(op)
    }

    /// Is this `->` or `.`?
    fn at_member(&self) -> bool {
        match self.kind() {
            TokenKind::Dot => true,
            TokenKind::Minus => self.kind_after(1) == TokenKind::Greater && self.is_adjacent_to_next(),
            _ => false,
        }
    }

    /// Passes `++` or `--`.
    fn pass_step(&mut self) {
        self.advance();
        self.advance();
    }

    /// What `target += 1` or `target -= 1` is.
    fn stepped(&mut self, target: Tree, op: BinaryOp, at: Span) -> Tree {
        let span = target.expr.span.to(at);
        let one = Box::new(Expr { kind: ExprKind::Int(1), span: at });
        let kind = ExprKind::Assign(Box::new(target.expr), Some(op), one);
        self.c_limited(Tree { expr: Expr { kind, span }, height: target.height + 1 }, at)
    }

    /// Is this `+=` or the like?
    fn at_compound(&self) -> bool {
        let is_compound = |op: BinaryOp| op.precedence() >= 8 || (3..=5).contains(&op.precedence());
        binary_op(self.kind()).is_some_and(is_compound)
            && self.kind_after(1) == TokenKind::Equals
            && self.is_adjacent_to_next()
    }

    /// Operators that bind tighter than `floor`.
    fn c_binary(&mut self, floor: u8) -> Result<Tree> {
        let mut left = self.c_unary()?;
        while let Some(op) = binary_op(self.kind()).filter(|op| op.precedence() > floor && !self.at_compound()) {
            let operator = self.advance().span;
            let right = self.c_binary(op.precedence())?;
            let span = left.expr.span.to(right.expr.span);
            let height = 1 + left.height.max(right.height);
            let kind = ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr));
            left = self.c_limited(Tree { expr: Expr { kind, span }, height }, operator);
        }
        Ok(left)
    }

    fn c_unary(&mut self) -> Result<Tree> {
        let start = self.span();
        let unary = |op| move |operand| ExprKind::Unary(op, operand);
        let kind: &dyn Fn(Box<Expr>) -> ExprKind = match self.kind() {
            TokenKind::Plus | TokenKind::Minus if self.at_step().is_some() => {
                let op = self.at_step().unwrap_or(BinaryOp::Add);
                self.pass_step();
                let operand = self.nested(Self::c_unary)?;
                return Ok(self.stepped(operand, op, start));
            }
            TokenKind::Star => &ExprKind::Deref,
            TokenKind::Minus => &unary(UnaryOp::Neg),
            TokenKind::Bang => &unary(UnaryOp::Not),
            TokenKind::Tilde => &unary(UnaryOp::BitNot),
            TokenKind::And => {
                self.advance();
                let name = self.name("a variable")?;
                if self.kind() == TokenKind::LeftBracket {
                    // `&x[1]` is `x + 1`.
                    let array = Expr { kind: ExprKind::Name(name.text), span: name.span };
                    return self.indexed(Tree { expr: array, height: 1 });
                }
                let span = self.span_from(start);
                return Ok(Tree { expr: Expr { kind: ExprKind::Address(name), span }, height: 1 });
            }
            TokenKind::LeftParen if self.is_cast() => {
                let open = self.advance().span;
                let ty = self.ty()?;
                self.expect_close(TokenKind::RightParen, "`)`", open)?;
                return self.operand(start, &|operand| ExprKind::Cast(ty, operand));
            }
            _ => return self.c_postfix(),
        };
        self.advance();
        self.operand(start, kind)
    }

    fn operand(&mut self, start: Span, kind: &dyn Fn(Box<Expr>) -> ExprKind) -> Result<Tree> {
        let operand = self.nested(Self::c_unary)?;
        let span = start.to(operand.expr.span);
        let height = operand.height + 1;
        Ok(self.c_limited(Tree { expr: Expr { kind: kind(Box::new(operand.expr)), span }, height }, start))
    }

    /// Is the parenthesis here one around a type?
    fn is_cast(&self) -> bool {
        let next = self.tokens.get(self.position + 1);
        next.is_some_and(|next| next.kind == TokenKind::Word && is_type_word(self.slice(next.span)))
    }

    /// `x[i]` is `*(x + i)`; `r++` is `(r += 1) - 1`.
    fn c_postfix(&mut self) -> Result<Tree> {
        let mut tree = self.c_primary()?;
        loop {
            if self.kind() == TokenKind::LeftBracket {
                let start = tree.expr.span;
                let Tree { expr, height } = self.indexed(tree)?;
                let kind = ExprKind::Deref(Box::new(expr));
                tree = self
                    .c_limited(Tree { expr: Expr { kind, span: self.span_from(start) }, height: height + 1 }, start);
            } else if let Some(op) = self.at_step() {
                let operator = self.span();
                self.pass_step();
                let Tree { expr, height } = self.stepped(tree, op, operator);
                let back = if op == BinaryOp::Add { BinaryOp::Sub } else { BinaryOp::Add };
                let one = Box::new(Expr { kind: ExprKind::Int(1), span: operator });
                let span = expr.span;
                let kind = ExprKind::Binary(back, Box::new(expr), one);
                tree = self.c_limited(Tree { expr: Expr { kind, span }, height: height + 1 }, operator);
            } else if self.at_member() {
                let problem = Diagnostic::error(self.span(), "litmus tests are C without structures and methods");
                return self.report(problem.help(
                    "`x->store(1, order)` is `atomic_store_explicit(x, 1, order)`; the other operations likewise",
                ));
            } else {
                return Ok(tree);
            }
        }
    }

    /// `x + i`, of `x[i]`.
    fn indexed(&mut self, array: Tree) -> Result<Tree> {
        let open = self.advance().span;
        let index = self.nested(Self::assignment)?;
        let close = self.expect_close(TokenKind::RightBracket, "`]`", open)?;
        let height = 1 + array.height.max(index.height);
        let span = array.expr.span.to(close);
        let kind = ExprKind::Binary(BinaryOp::Add, Box::new(array.expr), Box::new(index.expr));
        Ok(self.c_limited(Tree { expr: Expr { kind, span }, height }, open))
    }

    fn c_primary(&mut self) -> Result<Tree> {
        let start = self.span();
        let mut height = 1;
        let kind = match self.kind() {
            TokenKind::Number => {
                self.advance();
                match integer(self.slice(start)) {
                    Ok(value) => ExprKind::Int(value),
                    Err(message) => {
                        self.messages.push(Diagnostic::error(start, message));
                        ExprKind::Error
                    }
                }
            }
            TokenKind::LeftParen => {
                let open = self.advance().span;
                let mut inner = self.nested(Self::assignment)?;
                let close = self.expect_close(TokenKind::RightParen, "`)`", open)?;
                inner.expr.span = open.to(close);
                return Ok(inner);
            }
            TokenKind::Word if self.at_word("sizeof") => {
                let message = "`sizeof` is not supported in litmus tests: all values have the same size";
                return self.report(Diagnostic::error(start, message));
            }
            TokenKind::Word if self.at_word("std") && self.kind_after(1) == TokenKind::Colon => {
                let problem = Diagnostic::error(start, "litmus tests are C, which has no `std::`");
                return self.report(problem.help("leave it out: the names behind it are known without"));
            }
            TokenKind::Word if self.kind_after(1) == TokenKind::LeftParen => {
                let name = self.any_word("a function")?;
                let open = self.advance().span;
                let (args, highest) = self.arguments(open)?;
                height += highest;
                ExprKind::Call(name, args)
            }
            TokenKind::Word => match self.word() {
                Some(word @ ("true" | "false" | "NULL")) => {
                    self.advance();
                    ExprKind::Int(i64::from(word == "true"))
                }
                _ => {
                    let Name { text, .. } = self.name("a variable")?;
                    ExprKind::Name(text)
                }
            },
            _ => return self.expected("an expression"),
        };
        let expr = Expr { kind, span: self.span_from(start) };
        Ok(self.c_limited(Tree { expr, height }, start))
    }

    /// Arguments up to the closing parenthesis, and the height of the highest.
    fn arguments(&mut self, open: Span) -> Result<(Vec<Expr>, usize)> {
        let (mut args, mut highest) = (Vec::new(), 0);
        if self.kind() == TokenKind::LeftBrace {
            let problem = Diagnostic::error(self.span(), "annotations are not supported");
            return self.report(problem);
        }
        if !self.eat(TokenKind::RightParen) {
            for tree in self.comma_list(|parser| parser.nested(Self::assignment))? {
                highest = highest.max(tree.height);
                args.push(tree.expr);
            }
            self.expect_close(TokenKind::RightParen, "`)`", open)?;
        }
        Ok((args, highest))
    }

    /// The tree, or an error in its place when it is too high to be handled safely.
    fn c_limited(&mut self, tree: Tree, at: Span) -> Tree {
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

pub(super) fn is_type_word(word: &str) -> bool {
    TYPE_WORDS.contains(&word) || word.strip_prefix("atomic_").is_some_and(|rest| ATOMIC_TYPES.contains(&rest))
}

/// A number as C writes it: decimal, hexadecimal or octal, perhaps with a suffix.
pub(super) fn integer(text: &str) -> std::result::Result<i64, &'static str> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let (digits, radix) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        None => (digits, 10),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err("this is not an integer");
    }
    i64::from_str_radix(digits, radix).map_err(|_| "this number is too large")
}
