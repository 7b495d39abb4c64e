//! Statements: the skeleton shared by all languages. Memory operations, which
//! each language spells its own way, are in the files of the languages.

use fencepost_base::diag::Diagnostic;
use fencepost_base::source::Span;

use super::expr::binary_op;
use super::habits::statement_habit;
use super::{Parser, Reported, Result};
use crate::ast::{Block, Expr, ForHead, Head, LocalDecl, Name, Place, Stmt, StmtKind};
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
        if let Some(problem) = self.foreign_statement() {
            return self.report(problem);
        }
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
            "for" if self.language == Language::Fp && self.is_head_of_for() => self.for_stmt()?,
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
            "return" if self.language == Language::Fp && self.is_return() => {
                self.advance();
                let ends = matches!(self.kind(), TokenKind::Semicolon | TokenKind::RightBrace | TokenKind::End);
                StmtKind::Return(if ends { None } else { Some(self.returned()?) })
            }
            _ if self.kind_after(1) == TokenKind::LeftParen => {
                let start = self.span();
                let command = self.command(None)?;
                if matches!(command, StmtKind::Call { .. }) && self.kind() == TokenKind::LeftBrace {
                    if let Some(problem) = statement_habit(word, start) {
                        return self.report(problem);
                    }
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

    fn for_stmt(&mut self) -> Result<StmtKind> {
        let start = self.advance().span;
        let open = self.position;
        let head = self.for_head(start);
        if head.is_err() {
            // What is in the parentheses is no statement: the body comes after them.
            self.skip_past_parens(open);
        }
        Ok(StmtKind::For(head?, self.body()?))
    }

    fn for_head(&mut self, start: Span) -> Result<ForHead> {
        let open = self.expect(TokenKind::LeftParen, "`(`")?;
        let first = self.part_of_for(TokenKind::Semicolon)?;
        self.expect_part(TokenKind::Semicolon, "`;`", open)?;
        let cond = if self.kind() == TokenKind::Semicolon { None } else { Some(self.expr()?) };
        self.expect_part(TokenKind::Semicolon, "`;`", open)?;
        let step = self.part_of_for(TokenKind::RightParen)?;
        if let Some(Stmt { kind: StmtKind::Local(_), span }) = step.as_deref() {
            let problem = Diagnostic::error(*span, "a register cannot be declared here");
            return self.report(problem.help("declare it in the first part, or before the loop"));
        }
        self.expect_part(TokenKind::RightParen, "`)`", open)?;
        Ok(ForHead { first, cond, step, span: self.span_from(start) })
    }

    fn expect_part(&mut self, kind: TokenKind, what: &str, open: Span) -> Result<()> {
        if self.eat(kind) {
            return Ok(());
        }
        if let Some(problem) = self.access_in_expr() {
            return self.report(problem);
        }
        let message = format!("expected {what}, found {}", self.found());
        let problem = Diagnostic::error(self.span(), message).also(open, "in the head of this loop");
        self.report(problem.help("write `for (i = 0; i < n; i = i + 1) { … }`"))
    }

    /// The first or the last part of the head of a `for`: an assignment or an operation.
    fn part_of_for(&mut self, end: TokenKind) -> Result<Option<Box<Stmt>>> {
        if self.kind() == end {
            return Ok(None);
        }
        let start = self.span();
        if let Some(problem) = self.foreign_statement() {
            return self.report(problem);
        }
        let kind = match self.word() {
            Some(word) => self.simple(word)?,
            None => return self.expected("an assignment"),
        };
        let span = self.span_from(start);
        match kind {
            StmtKind::Local(_)
            | StmtKind::Assign { .. }
            | StmtKind::Access { .. }
            | StmtKind::Wait { .. }
            | StmtKind::Nondet { .. }
            | StmtKind::Call { .. } => Ok(Some(Box::new(Stmt { kind, span }))),
            _ => {
                let problem = Diagnostic::error(span, "the head of a loop has assignments and operations only");
                self.report(problem.help("write `for (i = 0; i < n; i = i + 1) { … }`"))
            }
        }
    }

    /// Is it a statement as in other languages, and no register, location or label of that name?
    fn is_return(&self) -> bool {
        !matches!(self.kind_after(1), TokenKind::Equals | TokenKind::Dot | TokenKind::LeftBracket)
    }

    /// What comes after `return`: like everywhere, accesses are statements of their own.
    fn returned(&mut self) -> Result<Expr> {
        let value = self.expr()?;
        match self.access_in_expr() {
            Some(problem) => self.report(problem),
            None => Ok(value),
        }
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
        let order = if self.kind() == TokenKind::RightParen { None } else { Some(self.order()?) };
        self.expect_close(TokenKind::RightParen, "`)`", open)?;
        Ok(order)
    }

    fn local(&mut self) -> Result<LocalDecl> {
        let name = self.declared_name("a register")?;
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
        self.polling = self.at_word("while");
        let start = self.advance().span;
        let cond = self.expr_in_parens();
        self.polling = false;
        Ok(Head { cond: cond?, span: self.span_from(start) })
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
            _ => self.no_assignment(&place, first),
        }
    }

    /// A place that nothing is done with.
    fn no_assignment(&mut self, place: &Place, first: Span) -> Result<StmtKind> {
        if let Some(problem) = self.foreign_operator() {
            return self.report(problem);
        }
        let word = self.slice(first);
        let habit = if self.language == Language::Fp { statement_habit(word, first) } else { None };
        let message = format!("expected `=`, `.` or `(`, found {}", self.found());
        let diagnostic = Diagnostic::error(self.span(), message);
        self.report(match (place.is_name(), habit) {
            (true, Some(habit)) => habit,
            (true, None) => Self::did_you_mean(diagnostic, word, self.language.statement_words()),
            (false, _) => diagnostic,
        })
    }

    /// What comes after `target =`.
    fn right_side(&mut self, target: Place) -> Result<StmtKind> {
        let operation = self.kind() == TokenKind::Word
            && self.kind_after(1) == TokenKind::LeftParen
            && !self.at_word("int")
            && !self.at_word("wrap");
        let kind = if operation {
            self.command(Some(target))?
        } else {
            let value = self.expr()?;
            if self.kind() != TokenKind::Dot {
                return Ok(StmtKind::Assign { target, value });
            }
            let place = self.as_place(value)?;
            self.method(Some(target), place)?
        };
        if self.language == Language::Fp && binary_op(self.kind()).is_some() {
            let problem = Diagnostic::error(self.span(), "the result of an operation cannot be computed with at once")
                .help("assign it to a register first: `r = x.load();`, then `r = r + 1;`");
            return self.report(problem);
        }
        Ok(kind)
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
