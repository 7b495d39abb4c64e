//! Statements: the skeleton shared by all languages. Memory operations, which
//! each language spells its own way, are in the files of the languages.

use fencepost_base::diag::Diagnostic;

use super::{Parser, Reported, Result};
use crate::ast::{Block, Expr, Head, LocalDecl, Name, Place, Stmt, StmtKind};
use crate::language::Language;
use crate::lexer::TokenKind;

impl Parser<'_> {
    /// `{ … }`, with recovery inside.
    pub(super) fn block(&mut self) -> Result<Block> {
        if self.kind() != TokenKind::LeftBrace {
            return self.expected("`{`");
        }
        let before = self.position;
        let block = self.nested(Self::block_inside);
        if block.is_err() && self.position == before {
            // Too deep: step over the block, so that the rest still makes sense.
            self.skip_braces();
        }
        block
    }

    fn block_inside(&mut self) -> Result<Block> {
        let open = self.advance().span;
        let mut stmts = Vec::new();
        loop {
            if self.kind() == TokenKind::RightBrace {
                let close = self.advance().span;
                return Ok(Block { stmts, span: open.to(close) });
            }
            if self.kind() == TokenKind::End || self.at_item() || self.messages.is_full() {
                let message = format!("expected `}}`, found {}", self.found());
                let span = self.span();
                self.messages.push(Diagnostic::error(span, message).also(open, "to close this block"));
                return Ok(Block { stmts, span: self.span_from(open) });
            }
            let before = self.position;
            match self.stmt() {
                Ok(stmt) => stmts.extend(stmt),
                Err(Reported) => self.skip_statement(),
            }
            if self.position == before && self.kind() != TokenKind::RightBrace && !self.at_item() {
                self.advance();
            }
        }
    }

    /// A block, or one statement standing for a block.
    fn body(&mut self) -> Result<Block> {
        if self.kind() == TokenKind::LeftBrace {
            return self.block();
        }
        let start = self.span();
        let stmt = self.nested(Self::stmt)?;
        let span = stmt.as_ref().map_or(start, |stmt| stmt.span);
        if let Some(Stmt { kind: StmtKind::Label(name), .. }) = &stmt {
            let name_span = name.span;
            return self.report(
                Diagnostic::error(name_span, "a label cannot be the only statement here").help("use a block: `{ … }`"),
            );
        }
        Ok(Block { stmts: stmt.into_iter().collect(), span })
    }

    /// A statement with its `;`; `None` for an empty one.
    fn stmt(&mut self) -> Result<Option<Stmt>> {
        let start = self.span();
        match self.kind() {
            TokenKind::Semicolon => {
                self.advance();
                return Ok(None);
            }
            TokenKind::LeftBrace => {
                let block = self.block()?;
                let span = block.span;
                return Ok(Some(Stmt { kind: StmtKind::Block(block), span }));
            }
            TokenKind::Word => {}
            _ => return self.expected("a statement"),
        }
        if self.kind_after(1) == TokenKind::Colon {
            let name = self.new_name("a label")?;
            let span = start.to(self.advance().span);
            return Ok(Some(Stmt { kind: StmtKind::Label(name), span }));
        }
        let word = self.word().unwrap_or_default();
        let kind = match word {
            "if" => self.if_stmt()?,
            "while" => {
                let head = self.head()?;
                StmtKind::While(head, self.body()?)
            }
            "choose" if self.language == Language::Fp => self.choose()?,
            "atomic" if self.language == Language::Fp => {
                self.advance();
                StmtKind::Atomic(self.block()?)
            }
            _ => {
                let kind = self.simple(word)?;
                let span = self.span_from(start);
                // TPL's samples leave out the `;` after `oneof(…)` and before `}`.
                let lenient = self.language == Language::Tpl
                    && (matches!(kind, StmtKind::Choose(_)) || self.kind() == TokenKind::RightBrace);
                if !lenient || self.kind() == TokenKind::Semicolon {
                    self.expect_semicolon()?;
                }
                return Ok(Some(Stmt { kind, span }));
            }
        };
        Ok(Some(Stmt { kind, span: self.span_from(start) }))
    }

    /// A statement that ends in `;`, without it.
    fn simple(&mut self, word: &str) -> Result<StmtKind> {
        Ok(match word {
            "local" => {
                self.advance();
                StmtKind::Local(self.comma_list(Self::local)?)
            }
            "do" if self.language == Language::Fp => {
                self.advance();
                let body = self.body()?;
                if !self.at_word("while") {
                    return self.expected("`while` after the body of `do`");
                }
                StmtKind::DoWhile(body, self.head()?)
            }
            "break" => self.only_word(StmtKind::Break),
            "continue" => self.only_word(StmtKind::Continue),
            "skip" => self.only_word(StmtKind::Skip),
            "goto" => {
                self.advance();
                StmtKind::Goto(self.name("a label")?)
            }
            "assume" => self.condition(StmtKind::Assume)?,
            "assert" => self.condition(StmtKind::Assert)?,
            "verify" => self.condition(StmtKind::Verify)?,
            "bound" if self.language == Language::Fp => self.condition(StmtKind::Bound)?,
            "fence" => {
                self.advance();
                StmtKind::Fence(self.fence_order()?)
            }
            "for" if self.language == Language::Fp && self.is_head_of_for() => return self.no_for(),
            "return" if self.language == Language::Fp && self.is_return() => return self.no_return(),
            _ if self.kind_after(1) == TokenKind::LeftParen => {
                let start = self.span();
                let command = self.command(None)?;
                if matches!(command, StmtKind::Call { .. }) && self.kind() == TokenKind::LeftBrace {
                    let diagnostic = Diagnostic::error(start, format!("no statement starts with `{word}`"));
                    return self.report(Self::did_you_mean(diagnostic, word, self.language.statement_words()));
                }
                command
            }
            _ if self.language.reserved_words().contains(&word) => {
                return match self.language {
                    Language::Fp if word == "lwfence" => self.command(None),
                    _ => self.expected("a statement"),
                };
            }
            _ => self.assignment_or_method()?,
        })
    }

    /// Is it `for (…; …; …)` or `for (…) {`, as in other languages, and no call?
    fn is_head_of_for(&self) -> bool {
        let mut depth = 0usize;
        for distance in 1.. {
            match self.kind_after(distance) {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen if depth > 1 => depth -= 1,
                TokenKind::RightParen => return self.kind_after(distance + 1) == TokenKind::LeftBrace,
                TokenKind::Semicolon => return depth > 0,
                TokenKind::End | TokenKind::LeftBrace | TokenKind::RightBrace => return false,
                _ if depth == 0 => return false,
                _ => {}
            }
        }
        false
    }

    fn no_for(&mut self) -> Result<StmtKind> {
        let span = self.advance().span;
        // What is in the parentheses is no statement: the body comes after them.
        let mut depth = 0usize;
        loop {
            match self.kind() {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen => depth -= 1,
                TokenKind::End | TokenKind::LeftBrace | TokenKind::RightBrace => break,
                _ => {}
            }
            self.advance();
            if depth == 0 {
                break;
            }
        }
        self.report(
            Diagnostic::error(span, "`for` loops are not in the language yet")
                .help("write `i = 0; while (i < n) { …; i = i + 1; }`"),
        )
    }

    /// Is it a statement as in other languages, and no register, location or label of that name?
    fn is_return(&self) -> bool {
        !matches!(self.kind_after(1), TokenKind::Equals | TokenKind::Dot | TokenKind::LeftBracket)
    }

    fn no_return(&mut self) -> Result<StmtKind> {
        let span = self.advance().span;
        self.report(
            Diagnostic::error(span, "`return` is not in the language yet")
                .help("to leave early, write `goto end;` and the label `end:` before the last `}`")
                .help("to hand a value to the caller, store it in a location that is a parameter"),
        )
    }

    fn only_word(&mut self, kind: StmtKind) -> StmtKind {
        self.advance();
        kind
    }

    fn condition(&mut self, make: fn(Expr) -> StmtKind) -> Result<StmtKind> {
        self.advance();
        Ok(make(self.expr_in_parens()?))
    }

    /// `(order)`, `()` or nothing.
    fn fence_order(&mut self) -> Result<Option<Name>> {
        if self.kind() != TokenKind::LeftParen {
            return Ok(None);
        }
        let open = self.advance().span;
        let order = if self.kind() == TokenKind::RightParen { None } else { Some(self.any_word("an order")?) };
        self.expect_close(TokenKind::RightParen, "`)`", open)?;
        Ok(order)
    }

    fn local(&mut self) -> Result<LocalDecl> {
        let name = self.new_name("a register")?;
        let init = if self.eat(TokenKind::Equals) { Some(self.expr()?) } else { None };
        if self.kind() == TokenKind::Dot && init.is_some() {
            let span = self.span();
            return self.report(
                Diagnostic::error(span, "a register cannot be declared and loaded in one statement")
                    .help(format!("write `local {0}; {0} = …;`", name.text)),
            );
        }
        Ok(LocalDecl { name, init })
    }

    /// A keyword and a condition in parentheses.
    fn head(&mut self) -> Result<Head> {
        let start = self.advance().span;
        let cond = self.expr_in_parens()?;
        Ok(Head { cond, span: self.span_from(start) })
    }

    fn if_stmt(&mut self) -> Result<StmtKind> {
        let mut arms = Vec::new();
        let mut otherwise = None;
        loop {
            let head = self.head()?;
            arms.push((head, self.body()?));
            if !self.eat_word("else") {
                break;
            }
            if !self.at_word("if") {
                otherwise = Some(self.body()?);
                break;
            }
        }
        Ok(StmtKind::If { arms, otherwise })
    }

    fn choose(&mut self) -> Result<StmtKind> {
        self.advance();
        let mut blocks = vec![self.block()?];
        while self.eat_word("or") {
            blocks.push(self.block()?);
        }
        Ok(StmtKind::Choose(blocks))
    }

    /// `place = …` or `place.method(…)`.
    fn assignment_or_method(&mut self) -> Result<StmtKind> {
        let first = self.span();
        let name = self.name("a register or location")?;
        let place = self.place_named(name)?;
        match self.kind() {
            TokenKind::Equals => {
                self.advance();
                self.right_side(place)
            }
            TokenKind::Dot => self.method(None, place),
            _ => {
                let words = self.language.statement_words();
                let message = format!("expected `=`, `.` or `(`, found {}", self.found());
                let found = self.span();
                let word = self.slice(first);
                let diagnostic = match place.index {
                    None => Self::did_you_mean(Diagnostic::error(found, message), word, words),
                    Some(_) => Diagnostic::error(found, message),
                };
                self.report(diagnostic)
            }
        }
    }

    /// What comes after `target =`.
    fn right_side(&mut self, target: Place) -> Result<StmtKind> {
        let operation = self.kind() == TokenKind::Word
            && self.kind_after(1) == TokenKind::LeftParen
            && !self.at_word("int")
            && !self.at_word("wrap");
        if operation {
            return self.command(Some(target));
        }
        let value = self.expr()?;
        if self.kind() != TokenKind::Dot {
            return Ok(StmtKind::Assign { target, value });
        }
        let place = self.as_place(value)?;
        self.method(Some(target), place)
    }

    /// `word(…)`, with or without `result =` before it.
    fn command(&mut self, result: Option<Place>) -> Result<StmtKind> {
        match self.language {
            Language::Tpl => self.tpl_command(result),
            _ => self.fp_command(result),
        }
    }

    /// `.method(…)` after a place.
    fn method(&mut self, result: Option<Place>, place: Place) -> Result<StmtKind> {
        self.advance();
        let word = self.any_word("an operation")?;
        let access = match self.language {
            Language::Tpl => self.tpl_method(word, place)?,
            _ => self.fp_method(word, place)?,
        };
        Ok(StmtKind::Access { result, access })
    }
}
