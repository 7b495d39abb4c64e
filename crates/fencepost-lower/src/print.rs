//! Program to `.fp` text: the program becomes a tree of labels and gotos,
//! which is then printed.
//!
//! Reading the text again gives an equal program but for spans, for every
//! program that was itself read from a source; names that are no identifiers
//! (`worker[1]`) get another spelling. A program made by hand may come back
//! slightly differently, but means the same: a `Halt` in the middle of the code
//! comes back as a jump to the end, a constant index as a fixed location, and an
//! atomic section whose instructions are scattered over the code in one piece.
//! A condition on final states is not printed: `.fp` has none.

use std::collections::{BTreeSet, HashSet};

use fencepost_base::ids::{LocId, Pc};
use fencepost_base::source::Span;
use fencepost_ir::{
    CasStrength, Copies, Expr, Instr, LocationKind, Op, Place, Program, RmwFunction, Thread, UnaryOp, in_brackets,
};
use fencepost_syntax::Language;
use fencepost_syntax::ast::{
    self, Access, AccessKind, Block, ExprKind, File, Function, Head, Init, Item, ItemKind, LocalDecl, Name, SharedDecl,
    Stmt, StmtKind,
};

use crate::lower::wraps;

/// The program as `.fp` text.
pub fn print(program: &Program) -> String {
    fencepost_syntax::print::print(&raise(program))
}

fn copies(copies: Copies) -> Option<ast::Copies> {
    match copies {
        Copies::One => None,
        Copies::Any { least: 1 } => Some(ast::Copies::Any(None)),
        Copies::Any { least } => Some(ast::Copies::Any(Some(int(i64::from(least))))),
    }
}

/// The program as a syntax tree of `.fp`.
fn raise(program: &Program) -> File {
    let mut names = Names::default();
    let locations = location_names(program, &mut names);
    let mut items = Vec::new();
    if let Some(name) = program.name() {
        items.push(ItemKind::Name(name.to_owned()));
    }
    items.push(ItemKind::Domain(int(program.domain() as i64)));
    let mut loc = 0;
    while let Some(location) = program.locations().get(loc) {
        let array = program.arrays().iter().find(|array| array.base.index() == loc && array.len > 0);
        let len = array.map_or(1, |array| array.len as usize);
        let inits: Vec<i64> =
            program.locations()[loc..loc + len].iter().map(|location| i64::from(location.init)).collect();
        if location.kind != LocationKind::Fence {
            let (name, init) = match array {
                None => (&locations[loc].name, (inits[0] != 0).then(|| Init::Value(int(inits[0])))),
                Some(_) => {
                    let list = || Init::List(inits.iter().copied().map(int).collect(), Span::default());
                    (&locations[loc].name, inits.iter().any(|&init| init != 0).then(list))
                }
            };
            let declaration = SharedDecl { name: word(name), len: array.map(|array| int(i64::from(array.len))), init };
            let atomic = location.kind == LocationKind::Atomic;
            items.push(ItemKind::Shared { atomic, declarations: vec![declaration] });
        }
        loc += len;
    }
    let mut thread_names = Names::default();
    for thread in program.threads() {
        let name = word(&thread_names.fresh(&thread.name));
        let mut registers = names.clone();
        let registers = thread.registers.iter().map(|register| registers.fresh(&register.name)).collect();
        let raise = Raise { program, locations: &locations, registers };
        items.push(ItemKind::Thread { name, copies: copies(thread.copies), body: raise.thread(thread) });
    }
    let items = items.into_iter().map(|kind| Item { kind, span: Span::default() }).collect();
    File { language: Language::Fp, items }
}

/// The spelling of a location: its name, or its array's name with an index.
struct LocationName {
    name: String,
    index: Option<i64>,
}

fn location_names(program: &Program, names: &mut Names) -> Vec<LocationName> {
    let mut spellings: Vec<LocationName> = Vec::with_capacity(program.locations().len());
    let mut inside: Option<(String, usize, usize)> = None;
    for (loc, location) in program.locations().iter().enumerate() {
        if let Some(array) = program.arrays().iter().find(|array| array.base.index() == loc && array.len > 0) {
            inside = Some((names.fresh(&array.name), loc, loc + array.len as usize));
        }
        spellings.push(match &inside {
            Some((name, base, end)) if loc < *end => {
                LocationName { name: name.clone(), index: Some((loc - base) as i64) }
            }
            _ => LocationName { name: names.fresh(&location.name), index: None },
        });
    }
    spellings
}

/// Names given so far.
#[derive(Clone, Default)]
struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// An identifier like `name` that no one has.
    fn fresh(&mut self, name: &str) -> String {
        let mut plain: String = name
            .chars()
            .filter(|&c| c != ']')
            .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' })
            .collect();
        if !plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            plain.insert(0, '_');
        }
        if Language::Fp.reserved_words().contains(&plain.as_str()) {
            plain.push('_');
        }
        let mut fresh = plain.clone();
        let mut number = 1;
        while !self.taken.insert(fresh.clone()) {
            number += 1;
            fresh = format!("{plain}_{number}");
        }
        fresh
    }
}

struct Raise<'a> {
    program: &'a Program,
    locations: &'a [LocationName],
    registers: Vec<String>,
}

impl Raise<'_> {
    fn thread(&self, thread: &Thread) -> Block {
        let mut stmts = Vec::new();
        if !thread.registers.is_empty() {
            let locals = thread
                .registers
                .iter()
                .zip(&self.registers)
                .map(|(register, name)| {
                    let init = (register.init != 0).then(|| int(i64::from(register.init)));
                    LocalDecl { name: word(name), init }
                })
                .collect();
            stmts.push(stmt(StmtKind::Local(locals)));
        }
        let code = in_brackets(&thread.code);
        // The closing brace halts: the last `Halt` is not written, others jump there.
        let end = match code.last() {
            Some(Instr { op: Op::Halt, .. }) => code.len() - 1,
            _ => code.len(),
        };
        let mut targets: BTreeSet<Pc> = BTreeSet::new();
        for instr in &code[..end] {
            match &instr.op {
                Op::Jump { target } | Op::Branch { target, .. } => {
                    targets.insert(*target);
                }
                Op::Choose { targets: several } => targets.extend(several),
                Op::Halt => {
                    targets.insert(Pc::from_index(end));
                }
                _ => {}
            }
        }
        // What is outside of the section that is being written.
        let mut outside: Vec<Stmt> = Vec::new();
        for (pc, instr) in code[..end].iter().enumerate() {
            if targets.contains(&Pc::from_index(pc)) {
                stmts.push(stmt(StmtKind::Label(label(Pc::from_index(pc)))));
            }
            match &instr.op {
                Op::Enter => outside = std::mem::take(&mut stmts),
                Op::Leave => {
                    let inside = std::mem::replace(&mut stmts, std::mem::take(&mut outside));
                    stmts.push(stmt(StmtKind::Atomic(Block { stmts: inside, span: Span::default() })));
                }
                op => stmts.push(stmt(self.op(op, Pc::from_index(end)))),
            }
        }
        if targets.contains(&Pc::from_index(end)) {
            stmts.push(stmt(StmtKind::Label(label(Pc::from_index(end)))));
        }
        Block { stmts, span: Span::default() }
    }

    fn op(&self, op: &Op, end: Pc) -> StmtKind {
        let value = |e: &Expr| self.expr(e, Mode::Wrapping);
        match op {
            Op::Assign { dst, value: e } => StmtKind::Assign { target: self.register(dst.index()), value: value(e) },
            Op::Nondet { dst, low, high } => {
                StmtKind::Nondet { target: self.register(dst.index()), low: value(low), high: value(high) }
            }
            Op::Jump { target } => StmtKind::Goto(label(*target)),
            Op::Branch { cond, target } => StmtKind::If {
                arms: vec![(Head { cond: value(cond), span: Span::default() }, goto(*target))],
                otherwise: None,
            },
            Op::Choose { targets } => StmtKind::Choose(targets.iter().copied().map(goto).collect()),
            Op::Assume { cond } => StmtKind::Assume(value(cond)),
            Op::Assert { cond } => StmtKind::Assert(value(cond)),
            Op::Verify { value: e } => StmtKind::Verify(value(e)),
            Op::Load { dst, place, order } => self.access(*dst, place, AccessKind::Load, &[order.as_str()]),
            Op::Store { place, value: e, order } => {
                self.access(None, place, AccessKind::Store(value(e)), &[order.as_str()])
            }
            Op::Update { dst, place, function, operand, order } => {
                let function = match function {
                    RmwFunction::Add => Function::Add,
                    RmwFunction::Sub => Function::Sub,
                    RmwFunction::And => Function::And,
                    RmwFunction::Or => Function::Or,
                    RmwFunction::Xor => Function::Xor,
                    RmwFunction::Exchange => Function::Exchange,
                };
                self.access(*dst, place, AccessKind::Update(function, value(operand)), &[order.as_str()])
            }
            Op::Cas { dst, place, expected, desired, success, failure, strength } => {
                let weak = *strength == CasStrength::Weak;
                let kind = AccessKind::Cas { expected: value(expected), desired: value(desired), weak };
                self.access(*dst, place, kind, &[success.as_str(), failure.as_str()])
            }
            Op::BlockingCas { place, expected, desired, order } => {
                let kind = AccessKind::BlockingCas { expected: value(expected), desired: value(desired) };
                self.access(None, place, kind, &[order.as_str()])
            }
            Op::Wait { dst, place, condition, order } => {
                let comparisons = condition.any_of.iter().map(|(cmp, e)| {
                    let place = as_expr(self.place(place));
                    expr(ExprKind::Binary(cmp.symbol(), Box::new(place), Box::new(value(e))))
                });
                let condition = comparisons
                    .reduce(|left, right| expr(ExprKind::Binary(ast::BinaryOp::Or, Box::new(left), Box::new(right))))
                    .unwrap_or_else(|| int(0));
                StmtKind::Wait {
                    result: dst.map(|dst| self.register(dst.index())),
                    condition: ast::WaitCondition::Compare(condition),
                    order: Some(word(order.as_str())),
                }
            }
            Op::PlainLoad { dst, place } => {
                StmtKind::Assign { target: self.register(dst.index()), value: as_expr(self.place(place)) }
            }
            Op::PlainStore { place, value: e } => StmtKind::Assign { target: self.place(place), value: value(e) },
            Op::Fence { order } => StmtKind::Fence(Some(word(order.as_str()))),
            Op::LightFence { locations: None } => StmtKind::LightFence(Vec::new()),
            // A fence on no location orders nothing.
            Op::LightFence { locations: Some(locations) } if locations.is_empty() => StmtKind::Assume(int(1)),
            Op::LightFence { locations: Some(locations) } => {
                StmtKind::LightFence(locations.iter().map(|&loc| self.location(loc)).collect())
            }
            Op::Bound { cond } => StmtKind::Bound(value(cond)),
            Op::Halt => StmtKind::Goto(label(end)),
            Op::Enter | Op::Leave => unreachable!("sections are written as a whole"),
        }
    }

    fn access(
        &self,
        dst: Option<fencepost_base::ids::RegId>,
        place: &Place,
        kind: AccessKind,
        orders: &[&str],
    ) -> StmtKind {
        let orders = orders.iter().map(|order| word(order)).collect();
        let access = Access { kind, word: word(""), place: self.place(place), orders };
        StmtKind::Access { result: dst.map(|dst| self.register(dst.index())), access }
    }

    fn register(&self, register: usize) -> ast::Place {
        ast::Place::named(word(&self.registers[register]))
    }

    fn location(&self, loc: LocId) -> ast::Place {
        let LocationName { name, index } = &self.locations[loc.index()];
        ast::Place { index: index.map(int), ..ast::Place::named(word(name)) }
    }

    fn place(&self, place: &Place) -> ast::Place {
        match place {
            Place::Fixed(loc) => self.location(*loc),
            Place::Element { array, index } => {
                let base = self.location(self.program.array(*array).base);
                ast::Place { index: Some(self.expr(index, Mode::Wrapping)), ..base }
            }
        }
    }

    fn expr(&self, e: &Expr, mode: Mode) -> ast::Expr {
        // What does not wrap its results is written inside `int(…)`.
        let in_integers = |kind: ExprKind| match mode {
            Mode::Integers => expr(kind),
            Mode::Wrapping => expr(ExprKind::Integer(Box::new(expr(kind)))),
        };
        let inner = |e: &Expr, mode| Box::new(self.expr(e, mode));
        match e {
            Expr::Const(value) if *value >= 0 => int(*value),
            Expr::Const(i64::MIN) => in_integers(ExprKind::Binary(
                ast::BinaryOp::Sub,
                Box::new(expr(ExprKind::Unary(ast::UnaryOp::Neg, Box::new(int(i64::MAX))))),
                Box::new(int(1)),
            )),
            Expr::Const(value) => in_integers(ExprKind::Unary(ast::UnaryOp::Neg, Box::new(int(-*value)))),
            Expr::Reg(reg) => expr(ExprKind::Name(self.registers[reg.index()].clone())),
            Expr::Unary(UnaryOp::Not, operand) => expr(ExprKind::Unary(ast::UnaryOp::Not, inner(operand, mode))),
            Expr::Unary(op, operand) => {
                let mut operand = inner(operand, Mode::Integers);
                // `-1` is a number; the negation of the number 1 is written `-int(1)`.
                if matches!(operand.kind, ExprKind::Int(_)) {
                    operand = Box::new(expr(ExprKind::Integer(operand)));
                }
                in_integers(ExprKind::Unary(op.symbol(), operand))
            }
            Expr::Binary(op, left, right) if !wraps(*op) => {
                expr(ExprKind::Binary(op.symbol(), inner(left, mode), inner(right, mode)))
            }
            Expr::Binary(op, left, right) => {
                in_integers(ExprKind::Binary(op.symbol(), inner(left, Mode::Integers), inner(right, Mode::Integers)))
            }
            Expr::Wrap(operand) => match (&**operand, mode) {
                (Expr::Binary(op, left, right), Mode::Wrapping) if wraps(*op) => {
                    expr(ExprKind::Binary(op.symbol(), inner(left, mode), inner(right, mode)))
                }
                (Expr::Unary(op, operand), Mode::Wrapping) if *op != UnaryOp::Not => {
                    expr(ExprKind::Unary(op.symbol(), inner(operand, mode)))
                }
                _ => expr(ExprKind::Wrap(inner(operand, mode))),
            },
        }
    }
}

/// How the results of operators are understood where an expression is written.
#[derive(Clone, Copy)]
enum Mode {
    /// Outside `int(…)`: every arithmetic result is reduced.
    Wrapping,
    /// Inside `int(…)`: nothing is.
    Integers,
}

fn word(text: &str) -> Name {
    Name { text: text.to_owned(), span: Span::default() }
}

fn label(pc: Pc) -> Name {
    word(&format!("L{}", pc.0))
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::default() }
}

fn goto(target: Pc) -> Block {
    Block { stmts: vec![stmt(StmtKind::Goto(label(target)))], span: Span::default() }
}

fn expr(kind: ExprKind) -> ast::Expr {
    ast::Expr { kind, span: Span::default() }
}

fn int(value: i64) -> ast::Expr {
    expr(ExprKind::Int(value))
}

fn as_expr(place: ast::Place) -> ast::Expr {
    match place.index {
        None => expr(ExprKind::Name(place.name.text)),
        Some(_) => expr(ExprKind::Element(Box::new(place))),
    }
}
