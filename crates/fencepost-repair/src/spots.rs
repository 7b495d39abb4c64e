//! Where a program can be changed, and how: candidates, read off the syntax tree.
//!
//! A fence can go before every statement and at the end of every block, with three exceptions:
//! where it would do the same as a fence a little earlier (only registers are touched in between),
//! beside another fence (that one can be strengthened), and where control does not get. An access
//! can have a stronger order, and a store can become an exchange.
//!
//! Statements of a procedure, or of a thread with several copies, are changed once, for all calls
//! and copies. In atomic sections there is nothing to order. Automata have states for control
//! points: see [`crate::automata`].

use std::collections::HashMap;
use std::ops::Range;

use fencepost_base::source::Span;
use fencepost_ir::{Op, Program};
use fencepost_syntax::ast::{Access, AccessKind, Block, File, ItemKind, Name, Stmt, StmtKind};
use fencepost_syntax::lexer::{Token, TokenKind, lex};
use fencepost_syntax::{Language, parse};
use fencepost_verdict::Form;

use crate::automata;
use crate::costs::Costs;
use crate::dialect;
use crate::menu::Menu;
use crate::text::Change;

/// A place where something can be changed.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    /// The statement; where there is none yet, the empty span at its place.
    pub(crate) span: Span,
    /// What stands there.
    pub(crate) before: Form,
    /// Number of loops around it.
    pub(crate) loops: u32,
    /// What could stand there instead.
    pub(crate) choices: Vec<Choice>,
}

impl Spot {
    /// What it costs to have this here.
    pub(crate) fn cost(&self, form: Form, costs: &Costs) -> u32 {
        costs.form(form) * costs.times(self.loops)
    }
}

/// One thing that could stand at a place.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// What it is.
    pub(crate) form: Form,
    /// How it is written; empty if it is to be removed.
    pub(crate) text: String,
    pub(crate) changes: Vec<Change>,
}

/// What kind of changes are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// New fences, stronger orders.
    Stronger,
    /// Fewer fences, weaker orders: those that are written.
    Weaker,
}

/// The places of `text`, which denotes `program`, in the order of the text.
pub(crate) fn spots(language: Language, text: &str, program: &Program, menu: &Menu, direction: Direction) -> Vec<Spot> {
    if language == Language::Litmus {
        // A statement of C may make several accesses: nobody knows how to edit these.
        return Vec::new();
    }
    let file = parse(language, text).file;
    if language == Language::Txt {
        return automata::spots(text, &file, menu, direction);
    }
    let mut ops: HashMap<Span, &Op> = HashMap::new();
    let mut executed: Vec<u32> = Vec::new();
    for instr in program.threads().iter().flat_map(|thread| &thread.code) {
        executed.push(instr.origin.span.start);
        // A statement is one instruction, except that loops, branches and `return` come with jumps.
        if instr.op.place().is_some() || matches!(instr.op, Op::Fence { .. } | Op::LightFence { .. }) {
            ops.entry(instr.origin.span).or_insert(&instr.op);
        }
    }
    executed.sort_unstable();
    let tokens = lex(text).into_iter().filter(|token| !token.kind.is_comment()).collect();
    let mut walk = Walk { language, text, tokens, ops, menu, direction, loops: 0, spots: Vec::new() };
    walk.file(&file, &executed);
    let mut spots = walk.spots;
    spots.retain(|spot| !spot.choices.is_empty());
    spots.sort_by_key(|spot| (spot.span.start, spot.span.end));
    spots
}

struct Walk<'a> {
    language: Language,
    text: &'a str,
    /// Without comments.
    tokens: Vec<Token>,
    /// What statements do to memory.
    ops: HashMap<Span, &'a Op>,
    menu: &'a Menu,
    direction: Direction,
    loops: u32,
    spots: Vec<Spot>,
}

/// A body: braces or a single statement.
#[derive(Clone, Copy)]
struct Body<'b> {
    block: &'b Block,
    braces: bool,
}

impl Walk<'_> {
    fn file(&mut self, file: &File, executed: &[u32]) {
        for item in &file.items {
            let (ItemKind::Proc { body, .. } | ItemKind::Thread { body, .. }) = &item.kind else { continue };
            let first = executed.partition_point(|&start| start < body.span.start);
            // A procedure that nobody calls has no control points.
            if executed.get(first).is_some_and(|&start| start < body.span.end) {
                self.block(body);
            }
        }
    }

    fn block(&mut self, block: &Block) {
        let braces = self.text[block.span.range()].starts_with('{');
        let body = Body { block, braces };
        if self.direction == Direction::Stronger {
            self.points(body);
        }
        for stmt in &block.stmts {
            self.stmt(stmt, body);
        }
    }

    /// The control points of a block.
    fn points(&mut self, body: Body<'_>) {
        let stmts = &body.block.stmts;
        let mut needed = true;
        for (index, stmt) in stmts.iter().enumerate() {
            if let StmtKind::Local(_) = stmt.kind {
                continue;
            }
            let fence = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Fence(_));
            let beside_fence = fence(stmt) || index.checked_sub(1).is_some_and(|before| fence(&stmts[before]));
            if needed && !beside_fence {
                self.point(stmt.span.start, |walk, text| walk.before(stmt, body, text));
            }
            needed = match &stmt.kind {
                StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) | StmtKind::Return(_) => false,
                // Others jump here.
                StmtKind::Label(_) => true,
                _ => !self.is_local(stmt),
            };
        }
        if needed && !stmts.last().is_some_and(|stmt| matches!(stmt.kind, StmtKind::Fence(_))) {
            let end = self.end_of_body(body);
            self.point(end as u32, |walk, text| walk.at_end(body, text));
        }
    }

    /// Does the statement only concern the thread itself?
    fn is_local(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Assign { .. } => !self.ops.contains_key(&stmt.span),
            StmtKind::Local(_)
            | StmtKind::Nondet { .. }
            | StmtKind::Assume(_)
            | StmtKind::Assert(_)
            | StmtKind::Bound(_)
            | StmtKind::Verify(_)
            | StmtKind::Skip => true,
            _ => false,
        }
    }

    fn point(&mut self, at: u32, insert: impl Fn(&Self, &str) -> Vec<Change>) {
        let choices = self.menu.stronger(Form::Nothing).into_iter().filter_map(|form| {
            let text = dialect::fence(self.language, form)? + ";";
            let changes = insert(self, &text);
            Some(Choice { form, text, changes })
        });
        let choices = choices.collect();
        let span = Span { start: at, end: at };
        self.spots.push(Spot { span, before: Form::Nothing, loops: self.loops, choices });
    }

    /// A new statement before `stmt`.
    fn before(&self, stmt: &Stmt, body: Body<'_>, new: &str) -> Vec<Change> {
        let at = stmt.span.start as usize;
        let separator = match self.indentation(at) {
            Some(indentation) if body.braces => format!("\n{indentation}"),
            _ => " ".into(),
        };
        let mut changes = vec![Change::insert(at, format!("{new}{separator}"))];
        changes.extend(self.braces(body));
        changes
    }

    /// A new statement after the last one of a block.
    fn at_end(&self, body: Body<'_>, new: &str) -> Vec<Change> {
        let end = self.end_of_body(body);
        let last = body.block.stmts.last();
        if !body.braces {
            let mut changes = vec![Change::insert_last(end, format!(" {new}"), body.block.span.start)];
            changes.extend(self.braces(body));
            return changes;
        }
        // TPL needs no `;` before `}`.
        let unfinished = last.filter(|stmt| {
            let compound = matches!(
                stmt.kind,
                StmtKind::If { .. }
                    | StmtKind::While(..)
                    | StmtKind::For(..)
                    | StmtKind::Choose(_)
                    | StmtKind::Block(_)
                    | StmtKind::Atomic(_)
                    | StmtKind::Label(_)
            );
            !compound && self.token_at(stmt.span.end as usize).kind != TokenKind::Semicolon
        });
        if let Some(stmt) = unfinished {
            return vec![Change::insert(stmt.span.end as usize, format!("; {new}"))];
        }
        match self.indentation(end) {
            Some(outer) => {
                let inner = last.and_then(|stmt| self.indentation(stmt.span.start as usize));
                let inner = inner.map_or_else(|| format!("{outer}  "), str::to_string);
                vec![Change::insert(end - outer.len(), format!("{inner}{new}\n"))]
            }
            None if self.text[..end].ends_with(char::is_whitespace) => vec![Change::insert(end, format!("{new} "))],
            None => vec![Change::insert(end, format!(" {new} "))],
        }
    }

    /// Where a statement after the last one goes.
    fn end_of_body(&self, body: Body<'_>) -> usize {
        match (body.braces, body.block.stmts.last()) {
            (false, Some(stmt)) => self.end_of(stmt.span),
            _ => body.block.span.end as usize - 1,
        }
    }

    fn braces(&self, body: Body<'_>) -> Vec<Change> {
        match body.braces {
            true => Vec::new(),
            false => Change::braces(body.block.span.start as usize..self.end_of_body(body)).to_vec(),
        }
    }

    /// The white space before `at`, if there is nothing else on its line before it.
    fn indentation(&self, at: usize) -> Option<&str> {
        let line = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let before = &self.text[line..at];
        (line > 0 && before.chars().all(char::is_whitespace)).then_some(before)
    }

    /// The first token at or after an offset; the text ends in one.
    fn token_at(&self, offset: usize) -> Token {
        let index = self.tokens.partition_point(|token| (token.span.start as usize) < offset);
        self.tokens.get(index).copied().unwrap_or(Token { kind: TokenKind::End, span: Span::default() })
    }

    /// The end of a statement, its `;` included.
    fn end_of(&self, span: Span) -> usize {
        let next = self.token_at(span.end as usize);
        if next.kind == TokenKind::Semicolon { next.span.end as usize } else { span.end as usize }
    }

    fn stmt(&mut self, stmt: &Stmt, body: Body<'_>) {
        match &stmt.kind {
            StmtKind::If { arms, otherwise } => {
                arms.iter().for_each(|(_, block)| self.block(block));
                otherwise.iter().for_each(|block| self.block(block));
            }
            StmtKind::While(_, block) | StmtKind::DoWhile(block, _) => {
                self.loops += 1;
                self.block(block);
                self.loops -= 1;
            }
            StmtKind::For(head, block) => {
                head.first.iter().for_each(|first| self.stmt(first, body));
                self.loops += 1;
                head.step.iter().for_each(|step| self.stmt(step, body));
                self.block(block);
                self.loops -= 1;
            }
            StmtKind::Choose(blocks) => blocks.iter().for_each(|block| self.block(block)),
            StmtKind::Block(block) => self.block(block),
            StmtKind::Fence(order) => self.fence(stmt, order.as_ref(), body),
            StmtKind::LightFence(_) if self.direction == Direction::Weaker => {
                self.spot(stmt, Form::LightFence, |walk, _| Some((String::new(), walk.remove(stmt, body))));
            }
            StmtKind::Access { access, .. } => self.access(stmt, access),
            StmtKind::Wait { order, .. } => {
                let Some(Op::Wait { order: now, .. }) = self.ops.get(&stmt.span) else { return };
                self.order(stmt, Form::Load(*now), order.as_slice(), true);
            }
            _ => {}
        }
    }

    /// A place at which something stands.
    fn spot(&mut self, stmt: &Stmt, before: Form, write: impl Fn(&Self, Form) -> Option<(String, Vec<Change>)>) {
        let forms = match self.direction {
            Direction::Stronger => self.menu.stronger(before),
            Direction::Weaker => self.menu.weaker(before),
        };
        let choices = forms.into_iter().filter_map(|form| {
            let (text, changes) = write(self, form)?;
            Some(Choice { form, text, changes })
        });
        let choices = choices.collect();
        self.spots.push(Spot { span: stmt.span, before, loops: self.loops, choices });
    }

    fn fence(&mut self, stmt: &Stmt, order: Option<&Name>, body: Body<'_>) {
        let Some(Op::Fence { order: now }) = self.ops.get(&stmt.span).copied() else { return };
        self.spot(stmt, Form::Fence(*now), |walk, form| {
            let Some(text) = dialect::fence(walk.language, form) else {
                return Some((String::new(), walk.remove(stmt, body)));
            };
            let change = match (order, form) {
                (Some(order), Form::Fence(_)) => {
                    Change::replace(order.span.range(), dialect::order(walk.language, form))
                }
                _ => Change::replace(stmt.span.range(), text.as_str()),
            };
            Some((format!("{text};"), vec![change]))
        });
    }

    /// Takes a statement out, with its line if it is alone there.
    fn remove(&self, stmt: &Stmt, body: Body<'_>) -> Vec<Change> {
        if !body.braces {
            return vec![Change::replace(stmt.span.range(), "skip")];
        }
        let Range { start, end } = stmt.span.start as usize..self.end_of(stmt.span);
        let rest = self.text[end..].split('\n').next().unwrap_or_default();
        let range = match self.indentation(start) {
            Some(indentation) if rest.trim().is_empty() && end + rest.len() < self.text.len() => {
                start - indentation.len()..end + rest.len() + 1
            }
            _ => {
                let space = self.text[end..].starts_with(' ');
                start..end + usize::from(space)
            }
        };
        vec![Change::replace(range, "")]
    }

    fn access(&mut self, stmt: &Stmt, access: &Access) {
        let Some(&op) = self.ops.get(&stmt.span) else { return };
        let orders = access.orders.as_slice();
        match (op, orders) {
            // What locks are made of is not written by the user of a lock.
            _ if matches!(access.kind, AccessKind::Lock | AccessKind::Unlock) => {}
            (Op::Cas { success, failure, .. }, [first, second]) if self.language == Language::Fp => {
                self.order(stmt, Form::Rmw(*success), std::slice::from_ref(first), true);
                self.order(stmt, Form::Load(*failure), std::slice::from_ref(second), true);
            }
            (Op::Load { order, .. }, _) => self.order(stmt, Form::Load(*order), orders, false),
            (Op::Store { order, .. }, _) => self.store(stmt, access, Form::Store(*order)),
            (Op::Update { order, .. } | Op::Cas { success: order, .. } | Op::BlockingCas { order, .. }, _) => {
                self.order(stmt, Form::Rmw(*order), orders, true);
            }
            _ => {}
        }
    }

    /// An access of which the order can be changed. Does another argument come before the orders?
    fn order(&mut self, stmt: &Stmt, now: Form, orders: &[Name], arguments: bool) {
        if self.direction == Direction::Weaker && orders.is_empty() {
            return;
        }
        self.spot(stmt, now, |walk, form| Some(walk.with_order(stmt, form, orders, arguments)));
    }

    /// The statement with another order.
    fn with_order(&self, stmt: &Stmt, form: Form, orders: &[Name], arguments: bool) -> (String, Vec<Change>) {
        let word = dialect::order(self.language, form);
        let change = match orders {
            [first, .., last] => Change::replace(first.span.to(last.span).range(), word),
            [only] => Change::replace(only.span.range(), word),
            [] => {
                let close = stmt.span.end as usize - 1;
                let word = if arguments { format!(", {word}") } else { word.to_string() };
                Change::replace(close..close, word)
            }
        };
        (self.changed(stmt, &change), vec![change])
    }

    fn store(&mut self, stmt: &Stmt, access: &Access, now: Form) {
        if self.direction == Direction::Weaker && access.orders.is_empty() {
            return;
        }
        let AccessKind::Store(value) = &access.kind else { return };
        self.spot(stmt, now, |walk, form| match form {
            Form::Rmw(order) => {
                let (place, value) = (&walk.text[access.place.span.range()], &walk.text[value.span.range()]);
                let text = dialect::exchange(walk.language, place, value, order);
                Some((format!("{text};"), vec![Change::replace(stmt.span.range(), text)]))
            }
            form => Some(walk.with_order(stmt, form, &access.orders, true)),
        });
    }

    /// The statement after a change within it, as it will be written.
    fn changed(&self, stmt: &Stmt, change: &Change) -> String {
        let statement = &self.text[..stmt.span.end as usize];
        let changed = crate::text::apply(statement, std::iter::once((0, change))).text;
        let text: Vec<&str> = changed[stmt.span.start as usize..].split_whitespace().collect();
        text.join(" ") + ";"
    }
}
