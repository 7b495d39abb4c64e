//! What is particular to `.fp`: its items, and how it spells memory operations.

use fencepost_base::diag::Diagnostic;

use super::access::{Method, Verb};
use super::{Parser, Reported, Result};
use crate::ast::{
    Access, Block, Copies, Expr, Fields, Function, Init, Item, ItemKind, Name, Place, SharedDecl, StmtKind,
    WaitCondition,
};
use crate::lexer::TokenKind;

const METHODS: &[Method] = &[
    Method { word: "load", verb: Verb::Load, orders: 1 },
    Method { word: "store", verb: Verb::Store, orders: 1 },
    Method { word: "fadd", verb: Verb::Update(Function::Add), orders: 1 },
    Method { word: "fsub", verb: Verb::Update(Function::Sub), orders: 1 },
    Method { word: "fand", verb: Verb::Update(Function::And), orders: 1 },
    Method { word: "for", verb: Verb::Update(Function::Or), orders: 1 },
    Method { word: "fxor", verb: Verb::Update(Function::Xor), orders: 1 },
    Method { word: "xchg", verb: Verb::Update(Function::Exchange), orders: 1 },
    Method { word: "cas", verb: Verb::Cas { weak: false }, orders: 2 },
    Method { word: "casw", verb: Verb::Cas { weak: true }, orders: 2 },
    Method { word: "bcas", verb: Verb::BlockingCas, orders: 1 },
];

impl Parser<'_> {
    pub(super) fn fp_item(&mut self) -> Result<Option<Item>> {
        let start = self.span();
        let word = self.word().unwrap_or_default();
        let kind = match word {
            _ if self.eat(TokenKind::Semicolon) => return Ok(None),
            "name" => {
                self.advance();
                let text = self.expect(TokenKind::Text, "a quoted text")?;
                ItemKind::Name(unquote(self.slice(text)))
            }
            "domain" => {
                self.advance();
                ItemKind::Domain(self.expr()?)
            }
            "const" => {
                self.advance();
                let name = self.declared_name("a constant")?;
                self.expect(TokenKind::Equals, "`=`")?;
                ItemKind::Const(name, self.expr()?)
            }
            "global" | "nonatomic" => {
                self.advance();
                ItemKind::Shared { atomic: word == "global", declarations: self.comma_list(Self::fp_shared)? }
            }
            "struct" => return self.structure(),
            "proc" => return Ok(Some(self.proc()?)),
            "thread" => return Ok(Some(self.thread()?)),
            _ => return self.unknown_item(),
        };
        let span = self.span_from(start);
        self.expect_semicolon()?;
        Ok(Some(Item { kind, span }))
    }

    fn proc(&mut self) -> Result<Item> {
        let start = self.advance().span;
        let name = self.new_name("a procedure")?;
        let open = self.expect(TokenKind::LeftParen, "`(`")?;
        let params = match self.kind() {
            TokenKind::RightParen => Vec::new(),
            _ => self.comma_list(|parser| parser.declared_name("a parameter"))?,
        };
        self.expect_close(TokenKind::RightParen, "`)`", open)?;
        let body = self.block()?;
        Ok(Item { kind: ItemKind::Proc { name, params, body }, span: self.span_from(start) })
    }

    fn thread(&mut self) -> Result<Item> {
        let start = self.advance().span;
        let name = self.new_name("a thread")?;
        let copies = self.copies()?;
        self.skip_thread_parameters(&name.text);
        let body: Block = self.block()?;
        Ok(Item { kind: ItemKind::Thread { name, copies, body }, span: self.span_from(start) })
    }

    /// `[3]`, `[*]` or `[2..*]`, if it is there.
    fn copies(&mut self) -> Result<Option<Copies>> {
        if self.kind() != TokenKind::LeftBracket {
            return Ok(None);
        }
        let open = self.advance().span;
        let copies = match self.eat(TokenKind::Star) {
            true => Copies::Any(None),
            false => {
                let number = self.expr()?;
                match self.eat(TokenKind::Dot) {
                    false => Copies::Number(number),
                    true => {
                        self.expect(TokenKind::Dot, "`..*`")?;
                        self.expect(TokenKind::Star, "`*`")?;
                        Copies::Any(Some(number))
                    }
                }
            }
        };
        self.expect_close(TokenKind::RightBracket, "`]`", open)?;
        Ok(Some(copies))
    }

    fn structure(&mut self) -> Result<Option<Item>> {
        let start = self.advance().span;
        let name = self.new_name("a struct")?;
        let len = self.brackets()?;
        let open = self.expect(TokenKind::LeftBrace, "`{`")?;
        let mut fields = Vec::new();
        let ends = |parser: &Self| {
            matches!(parser.kind(), TokenKind::RightBrace | TokenKind::End)
                || parser.at_word("thread")
                || parser.at_word("proc")
        };
        while !ends(self) {
            match self.field_line() {
                Ok(line) => fields.extend(line),
                Err(Reported) => {
                    self.skip_fields();
                    return Ok(None);
                }
            }
        }
        self.expect_close(TokenKind::RightBrace, "`}`", open)?;
        let span = self.span_from(start);
        if self.kind() == TokenKind::Word && !self.at_item() {
            let there = self.found();
            let problem = Diagnostic::error(self.span(), format!("expected a declaration, found {there}"))
                .also(name.span, "the name comes first")
                .help("a struct is declared once, with its name: `struct node[4] { … }` is four of them");
            return self.report(problem);
        }
        Ok(Some(Item { kind: ItemKind::Struct { name, len, fields }, span }))
    }

    /// Skips to the end of a struct of another language: its lines would all be wrong.
    fn skip_fields(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                TokenKind::End => return,
                TokenKind::LeftBrace => depth += 1,
                TokenKind::RightBrace if depth > 0 => depth -= 1,
                TokenKind::RightBrace => {
                    self.skip();
                    return;
                }
                _ if self.at_word("thread") || self.at_word("proc") => return,
                _ => {}
            }
            self.skip();
        }
    }

    /// `global next, prev;` in a struct; `None` for a `;` alone.
    fn field_line(&mut self) -> Result<Option<Fields>> {
        let start = self.span();
        let atomic = match self.word() {
            Some("global") => true,
            Some("nonatomic") => false,
            _ if self.eat(TokenKind::Semicolon) => return Ok(None),
            _ => {
                let message = format!("expected `global` or `nonatomic`, found {}", self.found());
                let problem = Diagnostic::error(start, message).help(
                    "a field is declared like a location: `global next;` if it is atomic, else `nonatomic value;`",
                );
                return self.report(problem);
            }
        };
        self.advance();
        let declarations = self.comma_list(Self::field)?;
        let span = self.span_from(start);
        self.expect_semicolon()?;
        Ok(Some(Fields { atomic, declarations, span }))
    }

    fn field(&mut self) -> Result<SharedDecl> {
        let declaration = self.fp_shared()?;
        let name = &declaration.name;
        if is_method(&name.text) {
            let message = format!("`{}` cannot be the name of a field", name.text);
            let problem = Diagnostic::error(name.span, message).label("this is the name of an operation");
            return self.report(problem);
        }
        Ok(declaration)
    }

    fn fp_shared(&mut self) -> Result<SharedDecl> {
        let name = self.declared_name("a location")?;
        let len = self.brackets()?;
        let mut init = None;
        if self.eat(TokenKind::Equals) {
            init = Some(if self.kind() == TokenKind::LeftBrace {
                let open = self.advance().span;
                let list = self.comma_list(Self::expr)?;
                let close = self.expect_close(TokenKind::RightBrace, "`,` or `}`", open)?;
                Init::List(list, open.to(close))
            } else {
                Init::Value(self.expr()?)
            });
        }
        Ok(SharedDecl { name, len, init })
    }

    pub(super) fn fp_method(&mut self, word: Name, place: Place) -> Result<Access> {
        self.method_habit(&word.text, word.span)?;
        let method = self.find_method(&word, METHODS)?;
        let open = self.expect(TokenKind::LeftParen, "`(`")?;
        self.access(word, method, place, open, true)
    }

    /// `wait(…)`, `nondet(…)`, `lwfence(…)`, or the call of a procedure.
    pub(super) fn fp_command(&mut self, result: Option<Place>) -> Result<StmtKind> {
        let word = self.any_word("an operation")?;
        match word.text.as_str() {
            "wait" => {
                let open = self.expect(TokenKind::LeftParen, "`(`")?;
                let condition = WaitCondition::Compare(self.expr()?);
                let order = if self.eat(TokenKind::Comma) { Some(self.order()?) } else { None };
                self.expect_close(TokenKind::RightParen, "`)`", open)?;
                return Ok(StmtKind::Wait { result, condition, order });
            }
            "lwfence" if result.is_none() => {
                let mut places = Vec::new();
                if self.kind() == TokenKind::LeftParen {
                    let open = self.advance().span;
                    if self.kind() != TokenKind::RightParen {
                        places = self.comma_list(|parser| {
                            let name = parser.name("a location")?;
                            parser.place_named(name)
                        })?;
                    }
                    self.expect_close(TokenKind::RightParen, "`,` or `)`", open)?;
                }
                return Ok(StmtKind::LightFence(places));
            }
            _ => {}
        }
        let open = self.expect(TokenKind::LeftParen, "`(`")?;
        let args: Vec<Expr> = match self.kind() {
            TokenKind::RightParen => Vec::new(),
            _ => self.comma_list(Self::expr)?,
        };
        self.expect_close(TokenKind::RightParen, "`,` or `)`", open)?;
        match (word.text.as_str(), result) {
            ("nondet", Some(target)) => match <[Expr; 2]>::try_from(args) {
                Ok([low, high]) => Ok(StmtKind::Nondet { target, low, high }),
                Err(_) => self.report(
                    Diagnostic::error(word.span, "`nondet` takes two values").label("the least and the greatest"),
                ),
            },
            ("nondet", None) => self.report(
                Diagnostic::error(word.span, "`nondet` needs a register for its value").help("write `r = nondet(…);`"),
            ),
            (text, _) if self.language.reserved_words().contains(&text) => {
                self.report(Diagnostic::error(word.span, format!("`{text}` cannot be called here")))
            }
            (_, result) => Ok(StmtKind::Call { result, name: word, args }),
        }
    }
}

/// The names of the operations of `.fp` on a location.
pub fn methods() -> impl Iterator<Item = &'static str> {
    METHODS.iter().map(|method| method.word)
}

/// Is it the name of an operation of `.fp` on a location?
pub fn is_method(word: &str) -> bool {
    methods().any(|method| method == word)
}

/// The text between the quotes, its escapes resolved.
fn unquote(quoted: &str) -> String {
    let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(quoted);
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                other => text.extend(other),
            },
            c => text.push(c),
        }
    }
    text
}
