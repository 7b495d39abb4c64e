//! Trencher's language: threads as automata, expressions in prefix notation.
//!
//! Line breaks mean nothing, except to comments. Whatever is wrong, reading
//! goes on at the next `transition`, `initial`, `end` or `thread`. Where
//! Trencher takes a slip for a name (`99999999999`, `-x`) or for half of what
//! it is (`1abc`, `0x10`), this is an error here.

use fencepost_base::diag::Diagnostic;
use fencepost_base::effort::Effort;
use fencepost_base::source::Span;

use super::{MAX_NESTING, Reported, Result};
use crate::ast::{Automaton, BinaryOp, Clause, Expr, ExprKind, Instruction, Item, ItemKind, Name, Transition, UnaryOp};
use crate::language::Language;
use crate::messages::{Messages, suggestion};
use crate::words::{Word, words};

/// The binary operators there are.
const OPERATORS: &[BinaryOp] = &[
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::BitAnd,
];

/// What a word can add to the tree, and later to the program, in bytes, besides its letters: at most,
/// as measured with a thread of many transitions.
const COST: usize = 120;

/// Parses any text, as far as the effort goes.
pub(super) fn items(text: &str, messages: &mut Messages, effort: &Effort<'_>) -> Vec<Item> {
    let end = Span::new(text.len()..text.len());
    // A list that grows is there twice for a moment.
    let words = words(text).take_while(|_| effort.step(2 * size_of::<Word<'_>>()));
    let words = words.filter(|word| !word.is_comment()).collect();
    let mut parser = Parser { words, end, position: 0, messages, effort };
    let mut items = Vec::new();
    while parser.text().is_some() && !parser.messages.is_full() {
        if parser.at("thread") {
            items.extend(parser.automaton());
        } else {
            parser.stray_word();
        }
    }
    items
}

struct Parser<'a, 'm> {
    /// Without comments.
    words: Vec<Word<'a>>,
    /// The end of the text.
    end: Span,
    position: usize,
    messages: &'m mut Messages,
    effort: &'m Effort<'m>,
}

impl<'a> Parser<'a, '_> {
    // The cursor.

    fn text(&self) -> Option<&'a str> {
        self.words.get(self.position).map(|word| word.text)
    }

    fn at(&self, text: &str) -> bool {
        self.text() == Some(text)
    }

    fn span(&self) -> Span {
        self.words.get(self.position).map_or(self.end, |word| word.span)
    }

    /// From `start` to the word before the cursor.
    fn span_from(&self, start: Span) -> Span {
        self.position.checked_sub(1).map_or(start, |previous| start.to(self.words[previous].span))
    }

    fn advance(&mut self) {
        self.move_on(self.text().map_or(0, |text| COST + text.len()));
    }

    /// Past a word that becomes no part of the tree.
    fn pass_over(&mut self) {
        self.move_on(0);
    }

    fn move_on(&mut self, cost: usize) {
        self.position = if self.effort.step(cost) { self.position + 1 } else { self.words.len() };
    }

    /// Takes the current word.
    fn take(&mut self) -> Name {
        let name = Name { text: self.text().unwrap_or_default().to_owned(), span: self.span() };
        self.advance();
        name
    }

    /// Is this a word that starts a line of an automaton, or ends it?
    fn at_clause(&self) -> bool {
        self.text().is_none_or(|text| matches!(text, "thread" | "initial" | "transition" | "end"))
    }

    // Errors.

    fn report<T>(&mut self, diagnostic: Diagnostic) -> Result<T> {
        self.messages.push(diagnostic);
        Err(Reported)
    }

    fn found(&self) -> String {
        match self.text() {
            None => "the end of the file".to_owned(),
            Some(text) => match text.char_indices().nth(40) {
                Some((cut, _)) => format!("`{}…`", &text[..cut]),
                None => format!("`{text}`"),
            },
        }
    }

    /// "expected …, found …", blamed on the end of what comes before if something is missing there.
    fn expected<T>(&mut self, what: &str) -> Result<T> {
        let message = format!("expected {what}, found {}", self.found());
        let span = match self.position.checked_sub(1) {
            Some(previous) if self.at_clause() => {
                let end = self.words[previous].span.end;
                Span { start: end, end }
            }
            _ => self.span(),
        };
        self.report(Diagnostic::error(span, message))
    }

    /// "expected …, found …", with the word of `known` that was probably meant.
    fn expected_one_of(&mut self, what: &str, known: &[&'static str], otherwise: Option<String>) {
        let message = format!("expected {what}, found {}", self.found());
        let diagnostic = Diagnostic::error(self.span(), message);
        let help = match suggestion(self.text().unwrap_or_default(), known.iter().copied()) {
            Some(word) => Some(format!("did you mean `{word}`?")),
            None => otherwise,
        };
        self.messages.push(help.into_iter().fold(diagnostic, Diagnostic::help));
    }

    /// A word that is in no thread; goes on after it, at the next thread.
    fn stray_word(&mut self) {
        let in_thread = self.at_clause();
        if in_thread {
            let message = format!("{} outside of a thread", self.found());
            self.messages.push(Diagnostic::error(self.span(), message).help("a thread begins with `thread NAME`"));
        } else {
            let help = "a program is a list of threads, each from `thread NAME` to `end`";
            self.expected_one_of("`thread`", Language::Txt.item_words(), Some(help.to_owned()));
        }
        while self.text().is_some() && !self.at("thread") {
            self.pass_over();
        }
    }

    // Threads.

    fn automaton(&mut self) -> Option<Item> {
        let start = self.span();
        self.advance();
        let name = if self.at_clause() {
            let _: Result<()> = self.expected("the name of a thread");
            None
        } else {
            Some(self.take())
        };
        let head = self.span_from(start);
        let mut clauses: Vec<Clause> = Vec::new();
        while !self.at("end") {
            if self.messages.is_full() {
                return None;
            }
            match self.text() {
                None | Some("thread") => {
                    let which = name.as_ref().map_or(String::new(), |name| format!(" `{}`", name.text));
                    let message = format!("expected the `end` of thread{which}, found {}", self.found());
                    self.messages.push(Diagnostic::error(self.span(), message).also(head, "the thread begins here"));
                    return None;
                }
                Some("initial") => {
                    let result = self.initial();
                    clauses.extend(self.or_skip(result));
                }
                Some("transition") => {
                    let result = self.transition();
                    clauses.extend(self.or_skip(result));
                }
                Some(_) => {
                    self.stray_operand(clauses.last());
                    self.skip();
                }
            }
        }
        self.advance();
        let span = self.span_from(start);
        Some(Item { kind: ItemKind::Automaton(Automaton { name: name?, clauses }), span })
    }

    /// Goes on at the next line of an automaton.
    fn skip(&mut self) {
        while !self.at_clause() {
            self.pass_over();
        }
    }

    fn or_skip<T>(&mut self, result: Result<T>) -> Option<T> {
        if result.is_err() {
            self.skip();
        }
        result.ok()
    }

    /// A word where a line of an automaton should begin; `before` is the line before.
    fn stray_operand(&mut self, before: Option<&Clause>) {
        let Some(Clause::Transition(transition)) = before.filter(|_| !self.starts_line()) else {
            let known = Language::Txt.statement_words();
            return self.expected_one_of("`initial`, `transition` or `end`", known, None);
        };
        let word = transition.instruction.word();
        let takes = Instruction::WORDS.iter().find(|(known, _)| *known == word).map_or("", |(_, takes)| takes);
        let message = format!("{} is too much", self.found());
        let diagnostic = Diagnostic::error(self.span(), message).label(format!("`{word}` takes {takes}"));
        self.messages.push(diagnostic.help("operators stand before their operands: `== r 0`, `+ r 1`"));
    }

    /// Is the current word where a new line of an automaton might be meant: one of its words,
    /// misspelt?
    fn starts_line(&self) -> bool {
        suggestion(self.text().unwrap_or_default(), Language::Txt.statement_words().iter().copied()).is_some()
    }

    fn initial(&mut self) -> Result<Clause> {
        let start = self.span();
        self.advance();
        let state = self.state("the initial state")?;
        Ok(Clause::Initial(state, self.span_from(start)))
    }

    fn transition(&mut self) -> Result<Clause> {
        let start = self.span();
        self.advance();
        let from = self.state("the state that the transition leaves")?;
        let to = self.state("the state that the transition leads to")?;
        let instruction = self.instruction()?;
        Ok(Clause::Transition(Transition { from, to, instruction, span: self.span_from(start) }))
    }

    /// Is there an `end` at which the thread does not end: something else but a thread follows?
    fn at_named_end(&self) -> bool {
        let next = self.words.get(self.position + 1).map(|word| word.text);
        self.at("end") && next.is_some_and(|next| next != "thread")
    }

    /// The name of a state. It may be `end`.
    fn state(&mut self, what: &str) -> Result<Name> {
        if self.at_clause() && !self.at_named_end() { self.expected(what) } else { Ok(self.take()) }
    }

    fn instruction(&mut self) -> Result<Instruction> {
        let instruction = match self.text() {
            Some("read") => {
                self.advance();
                Instruction::Read(self.register("read")?, self.expr("an address", 0)?)
            }
            Some("write") => {
                self.advance();
                Instruction::Write(self.expr("a value", 0)?, self.expr("an address", 0)?)
            }
            Some("local") => {
                self.advance();
                Instruction::Local(self.register("local")?, self.expr("a value", 0)?)
            }
            Some("check") => {
                self.advance();
                Instruction::Check(self.expr("a condition", 0)?)
            }
            Some(word @ ("mfence" | "lock" | "unlock" | "noop")) => {
                self.advance();
                match word {
                    "mfence" => Instruction::Mfence,
                    "lock" => Instruction::Lock,
                    "unlock" => Instruction::Unlock,
                    _ => Instruction::Noop,
                }
            }
            _ => {
                let known: Vec<&str> = Instruction::WORDS.iter().map(|(word, _)| *word).collect();
                let help = format!("there are {}", known.join(", "));
                self.expected_one_of("an instruction", &known, Some(help));
                return Err(Reported);
            }
        };
        Ok(instruction)
    }

    // Expressions.

    /// Says that no register is called `end`, where one seems to be.
    fn reject_end(&mut self) -> Result<()> {
        if !self.at_named_end() {
            return Ok(());
        }
        let problem = Diagnostic::error(self.span(), "`end` cannot be the name of a register");
        self.advance();
        self.report(problem.label("this word ends a thread"))
    }

    fn register(&mut self, instruction: &str) -> Result<Name> {
        self.reject_end()?;
        match self.text() {
            Some(text) if !self.at_clause() && is_name(text) => Ok(self.take()),
            _ => self.expected(&format!("the register of `{instruction}`")),
        }
    }

    fn expr(&mut self, what: &str, nesting: usize) -> Result<Expr> {
        self.reject_end()?;
        let start = self.span();
        let Some(text) = self.text().filter(|_| !self.at_clause()) else { return self.expected(what) };
        if nesting == MAX_NESTING {
            let message = format!("more than {MAX_NESTING} levels of nesting");
            return self.report(Diagnostic::error(start, message).label("too deep"));
        }
        let kind = if text == UnaryOp::Not.as_str() {
            self.advance();
            ExprKind::Unary(UnaryOp::Not, Box::new(self.expr("the operand of `!`", nesting + 1)?))
        } else if let Some(&op) = OPERATORS.iter().find(|op| op.as_str() == text) {
            self.advance();
            let left = self.expr(&format!("the first operand of `{text}`"), nesting + 1)?;
            let right = self.expr(&format!("the second operand of `{text}`"), nesting + 1)?;
            ExprKind::Binary(op, Box::new(left), Box::new(right))
        } else if is_name(text) {
            self.advance();
            ExprKind::Name(text.to_owned())
        } else {
            let kind = ExprKind::Int(self.integer(text)?);
            self.advance();
            kind
        };
        Ok(Expr { kind, span: self.span_from(start) })
    }

    fn integer(&mut self, text: &str) -> Result<i64> {
        let (sign, digits) = text.split_at(text.len() - text.trim_start_matches(['+', '-']).len());
        if sign.len() > 1 || !digits.starts_with(|c: char| c.is_ascii_digit()) {
            let message = format!("expected an expression, found {}", self.found());
            let diagnostic = Diagnostic::error(self.span(), message);
            let help = match text.find(|c| !is_operator_char(c)) {
                _ if text.starts_with(['(', ')']) => {
                    "there are no parentheses: operators stand before their operands".to_owned()
                }
                Some(at) if at > 0 => format!("put a blank after the operator: `{} {}`", &text[..at], &text[at..]),
                _ => {
                    let known: Vec<&str> = OPERATORS.iter().map(|op| op.as_str()).collect();
                    format!("the operators are ! {}", known.join(" "))
                }
            };
            return self.report(diagnostic.help(help));
        }
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let message = format!("{} is not a number", self.found());
            return self.report(Diagnostic::error(self.span(), message).label("numbers are decimal"));
        }
        match text.parse::<i32>() {
            Ok(value) => Ok(i64::from(value)),
            Err(_) => {
                let message = format!("{} does not fit into 32 bits", self.found());
                let label = format!("numbers go from {} to {}", i32::MIN, i32::MAX);
                self.report(Diagnostic::error(self.span(), message).label(label))
            }
        }
    }
}

fn is_operator_char(c: char) -> bool {
    "!=<>&|+-*/%()".contains(c)
}

/// Can the word be the name of a register? Not if it looks like a number, or like an operator with
/// something behind it.
fn is_name(word: &str) -> bool {
    !word.starts_with(|c: char| c.is_ascii_digit() || is_operator_char(c))
}
