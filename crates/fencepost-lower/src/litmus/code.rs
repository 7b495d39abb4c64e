//! Statements and expressions of one thread. An expression may access memory
//! anywhere: what is read goes into a register, from the left to the right.

use std::collections::{BTreeMap, HashMap};

use fencepost_base::diag::Diagnostic;
use fencepost_base::effort::Effort;
use fencepost_base::ids::{Pc, RegId, Value};
use fencepost_base::order::RmwOrder;
use fencepost_base::source::Span;
use fencepost_ir::{CmpOp, Expr as IrExpr, Instr, LocationKind, Op, Origin, Register, UnaryOp};
use fencepost_syntax::ast::litmus::{Expr, ExprKind, Procedure, Stmt, StmtKind, Type};
use fencepost_syntax::ast::{self, BinaryOp};
use fencepost_syntax::messages::{Messages, suggestion};

use super::Test;
use super::calls::rmw_function;
use super::places::Shared;
use super::walk::children;
use crate::lower::binary_op;

/// What is to become of the value of an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    /// Nobody needs it.
    Nothing,
    /// It is used; what is read from memory may go into any register.
    Value,
    /// It is used; what is read from memory goes into this register.
    In(RegId),
}

/// A thread that was lowered.
pub(super) struct Lowered {
    pub(super) registers: Vec<Register>,
    pub(super) code: Vec<Instr>,
}

pub(super) struct Code<'a, 'm> {
    pub(super) test: &'a Test<'a>,
    pub(super) params: HashMap<&'a str, Type>,
    registers: Vec<Register>,
    names: HashMap<String, RegId>,
    /// The types of local variables that are declared.
    pub(super) types: HashMap<&'a str, Type>,
    /// The declarations that are visible, each with how many blocks are around it.
    visible: HashMap<&'a str, (usize, Span)>,
    /// The blocks around the current statement, each with what it declares.
    blocks: Vec<Vec<&'a str>>,
    code: Vec<Instr>,
    /// Where labels are; a target is the number of a label until all are known.
    labels: Vec<usize>,
    /// Where `break` and `continue` go.
    loops: Vec<(Pc, Pc)>,
    /// The statement that is being lowered.
    span: Span,
    pub(super) messages: &'m mut Messages,
    effort: &'m Effort<'m>,
}

impl<'a, 'm> Code<'a, 'm> {
    pub(super) fn new(
        test: &'a Test<'a>,
        procedure: &'a Procedure,
        initial: BTreeMap<String, Value>,
        messages: &'m mut Messages,
        effort: &'m Effort<'m>,
    ) -> Self {
        let params = procedure.params.iter().map(|param| (param.name.text.as_str(), param.ty)).collect();
        let names = initial.keys().enumerate().map(|(index, name)| (name.clone(), RegId::from_index(index))).collect();
        let registers = initial.into_iter().map(|(name, init)| Register { name, init }).collect();
        Code {
            test,
            params,
            registers,
            names,
            types: HashMap::new(),
            visible: HashMap::new(),
            blocks: vec![Vec::new()],
            code: Vec::new(),
            labels: Vec::new(),
            loops: Vec::new(),
            span: procedure.name.span,
            messages,
            effort,
        }
    }

    /// The thread, and the registers that have names.
    pub(super) fn lower(mut self, procedure: &'a Procedure) -> (Lowered, HashMap<String, RegId>) {
        procedure.body.iter().for_each(|stmt| self.stmt(stmt));
        let end = procedure.body_span.end;
        self.span = Span { start: end.saturating_sub(1), end };
        self.emit(Op::Halt);
        let labels = &self.labels;
        let resolve = |target: &mut Pc| *target = Pc::from_index(labels[target.index()]);
        for instr in &mut self.code {
            match &mut instr.op {
                Op::Jump { target } | Op::Branch { target, .. } => resolve(target),
                Op::Choose { targets } => targets.iter_mut().for_each(resolve),
                _ => {}
            }
        }
        (Lowered { registers: self.registers, code: self.code }, self.names)
    }

    // Code.

    pub(super) fn emit(&mut self, op: Op) {
        self.code.push(Instr { op, origin: Origin { span: self.span, called_from: None } });
    }

    /// A label that is yet to be placed.
    pub(super) fn label(&mut self) -> Pc {
        self.labels.push(usize::MAX);
        Pc::from_index(self.labels.len() - 1)
    }

    pub(super) fn place(&mut self, label: Pc) {
        self.labels[label.index()] = self.code.len();
    }

    pub(super) fn temporary(&mut self) -> RegId {
        let name = format!("tmp{}", self.registers.len());
        self.registers.push(Register { name, init: 0 });
        RegId::from_index(self.registers.len() - 1)
    }

    /// The number in a register.
    pub(super) fn number_in(&self, register: RegId) -> IrExpr {
        self.test.range.number(IrExpr::Reg(register))
    }

    /// Where a value that is read goes.
    pub(super) fn destination(&mut self, want: Want) -> Option<RegId> {
        match want {
            Want::Nothing => None,
            Want::Value => Some(self.temporary()),
            Want::In(register) => Some(register),
        }
    }

    /// The value in `dst`, if anybody needs it.
    pub(super) fn result(&self, dst: Option<RegId>) -> IrExpr {
        dst.map_or(IrExpr::Const(0), |dst| self.number_in(dst))
    }

    pub(super) fn error(&mut self, span: Span, message: impl Into<String>, help: &str) -> IrExpr {
        let problem = Diagnostic::error(span, message);
        self.messages.push(if help.is_empty() { problem } else { problem.help(help) });
        IrExpr::Const(0)
    }

    // Statements.

    fn stmt(&mut self, stmt: &'a Stmt) {
        if !self.effort.step(size_of::<Instr>()) {
            return;
        }
        self.span = stmt.span;
        match &stmt.kind {
            StmtKind::Declare(list) => {
                for (variable, value) in list {
                    let name = &variable.name;
                    if self.params.contains_key(name.text.as_str()) {
                        self.error(name.span, format!("`{}` is a parameter", name.text), "");
                        continue;
                    }
                    self.refuse_hiding(&name.text, name.span);
                    let register = self.declare(&name.text);
                    self.types.insert(&name.text, variable.ty);
                    if let Some(value) = value {
                        self.warn_of_address(&name.text, value);
                        self.assign(register, value);
                    }
                }
            }
            StmtKind::Expr(expr) => {
                self.value(expr, Want::Nothing);
            }
            StmtKind::If(cond, then, otherwise) => {
                let (next, end) = (self.label(), self.label());
                self.branch_unless(cond, next, stmt.span);
                self.stmt(then);
                if let Some(otherwise) = otherwise {
                    self.span = cond.span;
                    self.emit(Op::Jump { target: end });
                    self.place(next);
                    self.stmt(otherwise);
                } else {
                    self.place(next);
                }
                self.place(end);
            }
            StmtKind::While(cond, body) => {
                let (next, after) = (self.label(), self.label());
                self.place(next);
                self.branch_unless(cond, after, stmt.span);
                self.in_loop(after, next, body);
                self.span = cond.span;
                self.emit(Op::Jump { target: next });
                self.place(after);
            }
            StmtKind::DoWhile(body, cond) => {
                let (start, next, after) = (self.label(), self.label(), self.label());
                self.place(start);
                self.in_loop(after, next, body);
                self.place(next);
                self.branch_unless(cond, after, cond.span);
                self.emit(Op::Jump { target: start });
                self.place(after);
            }
            StmtKind::For(first, cond, step, body) => {
                self.blocks.push(Vec::new());
                first.iter().for_each(|first| self.stmt(first));
                let (start, next, after) = (self.label(), self.label(), self.label());
                self.place(start);
                if let Some(cond) = cond {
                    self.branch_unless(cond, after, stmt.span);
                }
                self.in_loop(after, next, body);
                self.place(next);
                if let Some(step) = step {
                    self.span = step.span;
                    self.value(step, Want::Nothing);
                }
                self.emit(Op::Jump { target: start });
                self.place(after);
                self.leave_block();
            }
            StmtKind::Block(body) => {
                self.blocks.push(Vec::new());
                body.iter().for_each(|stmt| self.stmt(stmt));
                self.leave_block();
            }
            StmtKind::Break | StmtKind::Continue => match self.loops.last() {
                Some(&(after, next)) => {
                    let target = if stmt.kind == StmtKind::Break { after } else { next };
                    self.emit(Op::Jump { target });
                }
                None => {
                    self.error(stmt.span, "this is not in a loop", "");
                }
            },
            StmtKind::Empty => {}
        }
    }

    fn in_loop(&mut self, after: Pc, next: Pc, body: &'a Stmt) {
        self.loops.push((after, next));
        self.stmt(body);
        self.loops.pop();
    }

    /// Goes to `target` unless the condition holds. Its instructions are shown as the head of their
    /// statement.
    fn branch_unless(&mut self, cond: &Expr, target: Pc, stmt: Span) {
        self.span = Span { start: stmt.start, end: cond.span.end.min(stmt.end) };
        let cond = self.value(cond, Want::Value);
        self.emit(Op::Branch { cond: IrExpr::Unary(UnaryOp::Not, Box::new(cond)), target });
    }

    /// Registers are known by their names, in conditions too. So a variable that hides another one
    /// would be the same register, and the test would mean something else than in C.
    fn refuse_hiding(&mut self, name: &'a str, span: Span) {
        let depth = self.blocks.len();
        match self.visible.get(name) {
            Some(&(outer, first)) if outer < depth => {
                let problem = Diagnostic::error(span, format!("this variable hides another `{name}`"))
                    .also(first, "which is declared here")
                    .help("give it another name: final states tell registers apart by their names");
                self.messages.push(problem);
            }
            Some(_) => {}
            None => {
                self.visible.insert(name, (depth, span));
                self.blocks.last_mut().expect("a thread is a block").push(name);
            }
        }
    }

    /// The declarations of the innermost block are no longer visible.
    fn leave_block(&mut self) {
        for name in self.blocks.pop().unwrap_or_default() {
            self.visible.remove(name);
        }
    }

    /// The register with this name, new or not.
    fn declare(&mut self, name: &str) -> RegId {
        if let Some(&register) = self.names.get(name) {
            return register;
        }
        let register = RegId::from_index(self.registers.len());
        self.registers.push(Register { name: name.to_owned(), init: 0 });
        self.names.insert(name.to_owned(), register);
        register
    }

    pub(super) fn assign(&mut self, register: RegId, value: &Expr) {
        let value = self.value(value, Want::In(register));
        self.set(register, value);
    }

    pub(super) fn set(&mut self, register: RegId, value: IrExpr) {
        if value != self.number_in(register) {
            self.emit(Op::Assign { dst: register, value });
        }
    }

    // Names.

    /// Is it a local variable?
    pub(super) fn is_local(&self, name: &str) -> bool {
        self.names.contains_key(name) && !self.params.contains_key(name)
    }

    /// The local variable with this name.
    pub(super) fn register(&mut self, name: &str, span: Span) -> Option<RegId> {
        if let Some(&register) = self.names.get(name) {
            return Some(register);
        }
        let help = match suggestion(name, self.names.keys().map(String::as_str)) {
            Some(other) => format!("did you mean `{other}`?"),
            None => String::new(),
        };
        self.error(span, format!("there is no local variable `{name}`"), &help);
        None
    }

    // Expressions.

    /// Computes an expression: its accesses are emitted, what remains is over registers.
    pub(super) fn value(&mut self, expr: &Expr, want: Want) -> IrExpr {
        match &expr.kind {
            ExprKind::Int(value) => IrExpr::Const(self.test.range.constant(*value)),
            ExprKind::Name(name) if self.params.contains_key(name.as_str()) => self.address_of(expr),
            ExprKind::Name(name) => match self.register(name, expr.span) {
                Some(register) => self.number_in(register),
                None => IrExpr::Const(0),
            },
            ExprKind::Deref(address) => match self.dereferenced(address) {
                Some(shared) => self.load(&shared, want),
                None => IrExpr::Const(0),
            },
            ExprKind::Address(_) => self.address_of(expr),
            ExprKind::Cast(_, operand) => self.value(operand, want),
            ExprKind::Unary(op, operand) => {
                let op = match op {
                    ast::UnaryOp::Neg => UnaryOp::Neg,
                    ast::UnaryOp::Not => UnaryOp::Not,
                    ast::UnaryOp::BitNot => UnaryOp::BitNot,
                };
                match (op, self.value(operand, Want::Value)) {
                    // The sign of a number.
                    (UnaryOp::Neg, IrExpr::Const(number)) => IrExpr::Const(self.test.range.constant(-number)),
                    (op, operand) => IrExpr::Unary(op, Box::new(operand)),
                }
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) if has_effects(right) => {
                self.short_circuit(*op, left, right)
            }
            ExprKind::Binary(BinaryOp::Add, array, _) if self.is_address(array) => self.address_of(expr),
            ExprKind::Binary(op, left, right) => {
                self.refuse_arithmetic(*op, left, right);
                let left = self.value(left, Want::Value);
                let right = self.value(right, Want::Value);
                IrExpr::Binary(binary_op(*op), Box::new(left), Box::new(right))
            }
            ExprKind::Assign(target, op, value) => self.assignment(target, *op, value, want),
            ExprKind::Conditional(cond, then, otherwise) => self.conditional(cond, then, otherwise),
            ExprKind::Call(name, args) => self.call(name, args, expr.span, want),
            ExprKind::Error => IrExpr::Const(0),
        }
    }

    /// `&&` and `||` whose right side is computed only if it matters.
    fn short_circuit(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> IrExpr {
        let (result, end) = (self.temporary(), self.label());
        let truth = |value| IrExpr::Unary(UnaryOp::Not, Box::new(IrExpr::Unary(UnaryOp::Not, Box::new(value))));
        let value = self.value(left, Want::Value);
        self.emit(Op::Assign { dst: result, value: truth(value) });
        let decided = match op {
            BinaryOp::Or => IrExpr::Reg(result),
            _ => IrExpr::Unary(UnaryOp::Not, Box::new(IrExpr::Reg(result))),
        };
        self.emit(Op::Branch { cond: decided, target: end });
        let value = self.value(right, Want::Value);
        self.emit(Op::Assign { dst: result, value: truth(value) });
        self.place(end);
        IrExpr::Reg(result)
    }

    fn conditional(&mut self, cond: &Expr, then: &Expr, otherwise: &Expr) -> IrExpr {
        let (result, next, end) = (self.temporary(), self.label(), self.label());
        let cond = self.value(cond, Want::Value);
        self.emit(Op::Branch { cond: IrExpr::Unary(UnaryOp::Not, Box::new(cond)), target: next });
        let value = self.value(then, Want::Value);
        self.emit(Op::Assign { dst: result, value });
        self.emit(Op::Jump { target: end });
        self.place(next);
        let value = self.value(otherwise, Want::Value);
        self.emit(Op::Assign { dst: result, value });
        self.place(end);
        self.number_in(result)
    }

    fn assignment(&mut self, target: &Expr, op: Option<BinaryOp>, value: &Expr, want: Want) -> IrExpr {
        op.iter().for_each(|op| self.refuse_arithmetic(*op, target, value));
        match &target.kind {
            ExprKind::Name(name) if !self.params.contains_key(name.as_str()) => {
                let register = match op {
                    // Herd asks for no declarations either.
                    None => self.declare(name),
                    Some(_) => match self.register(name, target.span) {
                        Some(register) => register,
                        None => return IrExpr::Const(0),
                    },
                };
                match op {
                    None => {
                        self.warn_of_address(name, value);
                        self.assign(register, value);
                    }
                    Some(op) => {
                        let value = self.value(value, Want::Value);
                        let old = self.number_in(register);
                        self.set(register, IrExpr::Binary(binary_op(op), Box::new(old), Box::new(value)));
                    }
                }
                self.number_in(register)
            }
            ExprKind::Deref(address) => {
                let value = self.value(value, Want::Value);
                let Some(shared) = self.dereferenced(address) else { return IrExpr::Const(0) };
                match op {
                    None => {
                        self.store(&shared, value.clone());
                        value
                    }
                    Some(op) => self.compound(shared, op, value, target.span, want),
                }
            }
            _ => self.error(target.span, "this cannot be assigned to", "assign to a local variable or to `*x`"),
        }
    }

    /// `*x += e`, which is one step if it is an access of an atomic variable.
    fn compound(&mut self, shared: Shared, op: BinaryOp, operand: IrExpr, span: Span, want: Want) -> IrExpr {
        let apply = |old, operand| IrExpr::Binary(binary_op(op), Box::new(old), Box::new(operand));
        if shared.kinds().any(|kind| kind != LocationKind::Atomic) {
            let old = self.load(&shared, Want::Value);
            let value = apply(old, operand);
            self.store(&shared, value.clone());
            return value;
        }
        let Some(function) = rmw_function(op) else {
            return self.error(span, format!("`{}=` on an atomic variable is not supported", op.as_str()), "");
        };
        let dst = match want {
            Want::Nothing => None,
            _ => Some(self.temporary()),
        };
        let update = |place| Op::Update { dst, place, function, operand: operand.clone(), order: RmwOrder::Sc };
        self.access(&shared, |place, _| update(place));
        apply(self.result(dst), operand)
    }
}

/// `left == right`
pub(super) fn equal(left: IrExpr, right: IrExpr) -> IrExpr {
    IrExpr::Binary(fencepost_ir::BinaryOp::Cmp(CmpOp::Eq), Box::new(left), Box::new(right))
}

/// Does computing the expression do anything?
fn has_effects(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Deref(_) | ExprKind::Assign(..) | ExprKind::Conditional(..) | ExprKind::Call(..) => true,
        _ => children(expr).into_iter().any(has_effects),
    }
}
