//! C litmus tests, as the herd simulator reads them: a header, the initial
//! state, procedures in C, and a condition on final states.
//!
//! Two things are not as in any other language here: comments are also those
//! of OCaml, `(* … *)`, and the header is text by lines. Both are replaced by
//! blanks before the text is cut into tokens (`layout`), so that positions stay.

mod c;
mod dialect;
mod layout;

pub use dialect::Foreign;

use fencepost_base::diag::Diagnostic;
use fencepost_base::effort::Effort;
use fencepost_base::source::Span;

use super::{Parser, Reported, Result};
use crate::ast::litmus::{Constant, Elements, Formula, Initial, Observable, Procedure, Quantifier, Variable};
use crate::ast::{Item, ItemKind, Name};
use crate::language::Language;
use crate::lexer::{Token, TokenKind, lex};
use crate::messages::Messages;

/// Most elements of an array.
const MAX_ELEMENTS: usize = 64;

/// Parses any text, as far as the effort goes.
pub(super) fn items(text: &str, mut messages: Messages, effort: &Effort<'_>) -> (Vec<Item>, Messages) {
    // The layout is another text.
    if !effort.step(2 * text.len()) {
        return (Vec::new(), messages);
    }
    let layout = layout::layout(text, &mut messages);
    // Whatever follows in the test of another architecture would only be misunderstood.
    let Ok(name) = layout.name else { return (Vec::new(), messages) };
    let mut items = vec![name];
    let mut parser = Parser::new(Language::Litmus, &layout.text, messages, effort);
    // Messages show what was written.
    parser.text = text;
    if let Some(span) = dialect::kernel_word(&parser.tokens, text) {
        parser.messages.push(Foreign::Kernel.diagnostic(span, parser.slice(span)));
        return (items, parser.messages);
    }
    if parser.kind() == TokenKind::LeftBrace {
        let start = parser.span();
        let initial = parser.initial_state();
        items.push(Item { kind: ItemKind::Initial(initial), span: parser.span_from(start) });
    }
    while parser.kind() != TokenKind::End && !parser.messages.is_full() {
        if parser.at_word("regions") && parser.kind_after(1) == TokenKind::Colon {
            parser.skip_regions();
            continue;
        }
        let before = parser.position;
        let start = parser.span();
        match parser.litmus_item() {
            Ok(kind) => items.push(Item { kind, span: parser.span_from(start) }),
            Err(Reported) => parser.skip_to_litmus_item(),
        }
        if parser.position == before {
            parser.advance();
        }
    }
    (items, parser.messages)
}

/// What a text is, if not a litmus test in C11. Whether it is well formed is another question.
pub fn foreign(text: &str) -> Option<Foreign> {
    let layout = layout::layout(text, &mut Messages::default());
    match layout.name {
        Err(foreign) => Some(foreign),
        Ok(_) => dialect::kernel_word(&lex(&layout.text), &layout.text).map(|_| Foreign::Kernel),
    }
}

impl Parser<'_> {
    fn litmus_item(&mut self) -> Result<ItemKind> {
        if self.at_procedure() {
            return self.procedure();
        }
        // A result type says nothing: `void P0 (…)`.
        let stars = (1..).take_while(|&distance| self.kind_after(distance) == TokenKind::Star).count();
        if self.at_word("void") && self.is_procedure_after(1 + stars) {
            (0..=stars).for_each(|_| _ = self.advance());
            return self.procedure();
        }
        // A formula alone is one of some state.
        if self.kind() == TokenKind::LeftParen {
            return self.final_condition(Quantifier::Exists);
        }
        if self.kind() == TokenKind::Tilde {
            self.advance();
            if !self.eat_word("exists") {
                return self.expected("`exists`");
            }
            return self.final_condition(Quantifier::NotExists);
        }
        match self.word() {
            Some("locations") => {
                self.advance();
                self.locations()
            }
            Some("filter") => {
                self.advance();
                Ok(ItemKind::Filter(self.final_formula()?))
            }
            Some("exists" | "final") => {
                self.advance();
                self.final_condition(Quantifier::Exists)
            }
            Some("forall") => {
                self.advance();
                self.final_condition(Quantifier::Forall)
            }
            _ => {
                let message = format!("expected a thread or a condition, found {}", self.found());
                let help = "threads are `P0 (…) { … }`; at the end there are `locations [x;]`, `filter (…)`, `exists (…)`, \
                            `~exists (…)` and `forall (…)`";
                let span = self.span();
                self.report(Diagnostic::error(span, message).help(help))
            }
        }
    }

    fn final_condition(&mut self, quantifier: Quantifier) -> Result<ItemKind> {
        let formula = self.final_formula()?;
        self.eat(TokenKind::Semicolon);
        Ok(ItemKind::Condition(quantifier, formula))
    }

    /// Is this `P0`, before `(`?
    fn at_procedure(&self) -> bool {
        self.is_procedure_after(0)
    }

    fn is_procedure_after(&self, distance: usize) -> bool {
        let token = self.tokens.get(self.position + distance);
        let is_name = |token: &Token| token.kind == TokenKind::Word && is_thread_name(self.slice(token.span));
        token.is_some_and(is_name) && self.kind_after(distance + 1) == TokenKind::LeftParen
    }

    /// Goes on at the next thread or condition.
    fn skip_to_litmus_item(&mut self) {
        while self.kind() != TokenKind::End && !self.at_procedure() && !self.at_item() {
            self.skip();
        }
    }

    /// `regions: x:PROP, y:PROP` is about scoped models.
    fn skip_regions(&mut self) {
        while matches!(self.kind(), TokenKind::Word | TokenKind::Colon | TokenKind::Comma) && !self.at_item() {
            self.skip();
        }
    }

    // The initial state.

    fn initial_state(&mut self) -> Vec<Initial> {
        let open = self.advance().span;
        let mut list = Vec::new();
        while self.kind() != TokenKind::RightBrace {
            if self.kind() == TokenKind::End || self.at_procedure() || self.messages.is_full() {
                let _: Result<()> = self.unclosed("`}`", open);
                return list;
            }
            if self.eat(TokenKind::Semicolon) {
                continue;
            }
            match self.initial() {
                Ok(initial) => list.push(initial),
                Err(Reported) => self.skip_statement(),
            }
        }
        self.advance();
        list
    }

    fn initial(&mut self) -> Result<Initial> {
        let ty = if self.at_type() { Some(self.ty()?) } else { None };
        let what = self.observable()?;
        let mut elements = None;
        if what.name.text.contains('[') {
            return self.report(Diagnostic::error(what.span, "an array is initialised as a whole: `x[2] = {0, 1}`"));
        }
        if self.kind() == TokenKind::LeftBracket {
            if what.thread.is_some() {
                return self.report(Diagnostic::error(what.span, "a thread has no arrays of its own"));
            }
            elements = Some(self.elements()?);
        }
        let value = match elements.is_none() && self.eat(TokenKind::Equals) {
            true => Some(self.constant()?),
            false => None,
        };
        if !matches!(self.kind(), TokenKind::Semicolon | TokenKind::RightBrace) {
            return self.expected("`;`");
        }
        Ok(Initial { ty, what, value, elements })
    }

    /// `[2] = {0, 1}`; without a list all elements are 0, without a length there are as many as in
    /// the list.
    fn elements(&mut self) -> Result<Elements> {
        let open = self.advance().span;
        let length = if self.kind() == TokenKind::Number { Some(self.plain_number()?) } else { None };
        self.expect_close(TokenKind::RightBracket, "`]`", open)?;
        let mut values = Vec::new();
        if self.eat(TokenKind::Equals) {
            let open = self.expect(TokenKind::LeftBrace, "`{`")?;
            if self.kind() != TokenKind::RightBrace {
                values = self.comma_list(Self::constant)?;
            }
            self.expect_close(TokenKind::RightBrace, "`}`", open)?;
        }
        let (number, span) = length.unwrap_or((values.len() as i64, open));
        match usize::try_from(number) {
            Ok(length) if (1..=MAX_ELEMENTS).contains(&length) && values.len() <= length => {
                Ok(Elements { length, values })
            }
            Ok(length) if length < values.len() => {
                self.report(Diagnostic::error(span, format!("there are {} values", values.len())))
            }
            _ => self.report(Diagnostic::error(span, format!("an array has from 1 to {MAX_ELEMENTS} elements"))),
        }
    }

    /// What a condition is about: also `x[1]` and `*x`.
    fn observed(&mut self) -> Result<Observable> {
        let start = self.span();
        self.eat(TokenKind::Star);
        let mut what = self.observable()?;
        if what.thread.is_none() && self.kind() == TokenKind::LeftBracket {
            what.name = self.element(what.name)?;
        }
        what.span = self.span_from(start);
        Ok(what)
    }

    /// The element of an array; its name is known.
    fn element(&mut self, array: Name) -> Result<Name> {
        let open = self.advance().span;
        let (index, _) = self.plain_number()?;
        let close = self.expect_close(TokenKind::RightBracket, "`]`", open)?;
        Ok(Name { text: format!("{}[{index}]", array.text), span: array.span.to(close) })
    }

    /// `x`, `[x]`, `0:r0`, `P0:r0`
    fn observable(&mut self) -> Result<Observable> {
        let start = self.span();
        if self.kind() == TokenKind::LeftBracket {
            let open = self.advance().span;
            let mut name = self.name("a location")?;
            if self.kind() == TokenKind::LeftBracket {
                name = self.element(name)?;
            }
            self.expect_close(TokenKind::RightBracket, "`]`", open)?;
            return Ok(Observable { thread: None, name, span: self.span_from(start) });
        }
        let is_qualified = self.kind_after(1) == TokenKind::Colon;
        let thread = match self.kind() {
            TokenKind::Number => Some(self.plain_number()?.0),
            TokenKind::Word if is_qualified && self.word().is_some_and(is_thread_name) => {
                let span = self.advance().span;
                self.slice(span)[1..].parse().ok()
            }
            _ => None,
        };
        if thread.is_some() {
            self.expect(TokenKind::Colon, "`:` and a register")?;
        }
        let name = self.name(if thread.is_some() { "a register" } else { "a location or register" })?;
        Ok(Observable { thread, name, span: self.span_from(start) })
    }

    /// A number, with a sign perhaps, or the address of a location.
    fn constant(&mut self) -> Result<(Constant, Span)> {
        let start = self.span();
        match self.kind() {
            TokenKind::Minus => {
                self.advance();
                let (value, _) = self.plain_number()?;
                Ok((Constant::Number(-value), self.span_from(start)))
            }
            TokenKind::Word | TokenKind::And => self.word_constant(),
            _ => {
                let (value, span) = self.plain_number()?;
                Ok((Constant::Number(value), span))
            }
        }
    }

    /// A constant that begins with a word, or with `&`.
    fn word_constant(&mut self) -> Result<(Constant, Span)> {
        let start = self.span();
        if self.at_word("ATOMIC_INIT") || self.at_word("ATOMIC_VAR_INIT") {
            self.advance();
            let open = self.expect(TokenKind::LeftParen, "`(`")?;
            let (value, _) = self.nested(Self::constant)?;
            self.expect_close(TokenKind::RightParen, "`)`", open)?;
            return Ok((value, self.span_from(start)));
        }
        let known = match self.word() {
            Some("true") => Some(1),
            Some("false" | "NULL" | "ATOMIC_FLAG_INIT") => Some(0),
            _ => None,
        };
        if let Some(value) = known {
            return Ok((Constant::Number(value), self.advance().span));
        }
        self.eat(TokenKind::And);
        let mut name = self.name("a location")?;
        if self.kind() == TokenKind::LeftBracket {
            name = self.element(name)?;
        }
        Ok((Constant::Address(name), self.span_from(start)))
    }

    fn plain_number(&mut self) -> Result<(i64, Span)> {
        let span = self.expect(TokenKind::Number, "a number")?;
        match c::integer(self.slice(span)) {
            Ok(value) => Ok((value, span)),
            Err(message) => self.report(Diagnostic::error(span, message)),
        }
    }

    // Threads.

    fn procedure(&mut self) -> Result<ItemKind> {
        let span = self.advance().span;
        let name = Name { text: self.slice(span).to_owned(), span };
        let open = self.expect(TokenKind::LeftParen, "`(`")?;
        let mut params = Vec::new();
        if self.kind() != TokenKind::RightParen {
            params = self.comma_list(Self::param)?;
        }
        self.expect_close(TokenKind::RightParen, "`)`", open)?;
        let start = self.span();
        if self.kind() != TokenKind::LeftBrace {
            return self.expected("`{`");
        }
        let body = self.nested(Self::c_block)?;
        Ok(ItemKind::Procedure(Procedure { name, params, body, body_span: self.span_from(start) }))
    }

    fn param(&mut self) -> Result<Variable> {
        let start = self.span();
        if !self.at_type() {
            return self.expected("the type of a parameter");
        }
        let ty = self.ty()?;
        let name = self.new_name("a parameter")?;
        let span = self.span_from(start);
        if ty.pointers == 0 {
            let problem = Diagnostic::error(span, format!("`{}` is not the address of a variable", name.text));
            return self.report(problem.help("a thread is given the addresses of shared variables: `atomic_int* x`"));
        }
        Ok(Variable { ty, name, span })
    }

    // Conditions.

    fn locations(&mut self) -> Result<ItemKind> {
        let open = self.expect(TokenKind::LeftBracket, "`[`")?;
        let mut list = Vec::new();
        while self.kind() != TokenKind::RightBracket {
            if self.eat(TokenKind::Semicolon) {
                continue;
            }
            if self.kind() == TokenKind::End {
                return self.unclosed("`]`", open);
            }
            list.push(self.observed()?);
            // A type, for printing values in another form.
            while self.at_type() {
                self.ty()?;
            }
        }
        self.advance();
        Ok(ItemKind::Locations(list))
    }

    fn final_formula(&mut self) -> Result<Formula> {
        self.nested(|parser| parser.junction(TokenKind::BarBar))
    }

    /// `\/` of `/\`; the layout has made `||` and `&&` of them.
    fn junction(&mut self, connective: TokenKind) -> Result<Formula> {
        let operand = |parser: &mut Self| match connective {
            TokenKind::BarBar => parser.junction(TokenKind::AndAnd),
            _ => parser.implication(),
        };
        let mut operands = vec![operand(self)?];
        while self.eat(connective) {
            operands.push(operand(self)?);
        }
        Ok(balanced(operands, connective))
    }

    /// `=>` binds tighter than `/\`, as herd has it, and to the right.
    fn implication(&mut self) -> Result<Formula> {
        let left = self.negation()?;
        let is_arrow =
            self.kind() == TokenKind::Equals && self.kind_after(1) == TokenKind::Greater && self.is_adjacent_to_next();
        if !is_arrow {
            return Ok(left);
        }
        self.advance();
        self.advance();
        let right = self.nested(Self::implication)?;
        Ok(Formula::Implies(Box::new(left), Box::new(right)))
    }

    fn negation(&mut self) -> Result<Formula> {
        if self.kind() == TokenKind::Tilde || self.at_word("not") {
            self.advance();
            return Ok(Formula::Not(Box::new(self.nested(Self::negation)?)));
        }
        if self.kind() == TokenKind::LeftParen {
            let open = self.advance().span;
            let inner = self.final_formula()?;
            self.expect_close(TokenKind::RightParen, "`)`", open)?;
            return Ok(inner);
        }
        let is_alone = !matches!(self.kind_after(1), TokenKind::Equals | TokenKind::Colon | TokenKind::BangEquals);
        match self.word() {
            Some(word @ ("true" | "false")) if is_alone => {
                self.advance();
                Ok(Formula::Constant(word == "true"))
            }
            _ => self.atom(),
        }
    }

    fn atom(&mut self) -> Result<Formula> {
        let start = self.span();
        let is_start =
            matches!(self.kind(), TokenKind::Word | TokenKind::Number | TokenKind::LeftBracket | TokenKind::Star);
        if !is_start {
            return self.expected("a formula, like `0:r0=1`");
        }
        let what = self.observed()?;
        let is_negated = match self.kind() {
            TokenKind::Equals | TokenKind::EqualsEquals => false,
            TokenKind::BangEquals => true,
            _ => return self.expected("`=` or `!=`"),
        };
        self.advance();
        let is_observable =
            self.kind_after(1) == TokenKind::Colon || matches!(self.kind(), TokenKind::LeftBracket | TokenKind::Star);
        let atom = if is_observable {
            let other = self.observed()?;
            Formula::Same(what, other, self.span_from(start))
        } else {
            let (value, _) = self.constant()?;
            Formula::Equals(what, value, self.span_from(start))
        };
        Ok(if is_negated { Formula::Not(Box::new(atom)) } else { atom })
    }

    /// Do the current token and the next one touch?
    fn is_adjacent_to_next(&self) -> bool {
        self.tokens.get(self.position + 1).is_some_and(|next| next.span.start == self.span().end)
    }
}

/// A tree of the operands that is as low as possible, so that long conditions need no deep
/// recursion.
fn balanced(mut operands: Vec<Formula>, connective: TokenKind) -> Formula {
    if operands.len() == 1 {
        return operands.remove(0);
    }
    let right = balanced(operands.split_off(operands.len() / 2), connective);
    let left = balanced(operands, connective);
    match connective {
        TokenKind::BarBar => Formula::Or(Box::new(left), Box::new(right)),
        _ => Formula::And(Box::new(left), Box::new(right)),
    }
}

/// `P0`, `P1`, …
fn is_thread_name(word: &str) -> bool {
    word.strip_prefix('P').is_some_and(|digits| {
        !digits.is_empty() && digits.len() < 10 && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}
