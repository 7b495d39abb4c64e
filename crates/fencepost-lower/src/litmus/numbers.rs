//! How many numbers a litmus test needs.

use fencepost_base::diag::Diagnostic;
use fencepost_base::ids::Value;
use fencepost_base::source::Span;
use fencepost_ir::Expr as IrExpr;
use fencepost_syntax::ast::litmus::{Expr, ExprKind, Formula, Initial, Stmt, StmtKind};
use fencepost_syntax::ast::{BinaryOp, File, ItemKind, UnaryOp};
use fencepost_syntax::messages::Messages;

/// Greatest constant: there is room for results of arithmetic above it.
const GREATEST: i64 = (1 << 22) - 1;
/// How much larger than constants results of arithmetic can be.
const ROOM: u32 = 256;

/// The numbers that values stand for: `domain` of them, the last `negatives` below zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) domain: u32,
    pub(super) negatives: Value,
}

impl Range {
    /// The value that stands for a number.
    pub(super) fn value(self, number: i64) -> Value {
        fencepost_ir::reduce(number, self.domain)
    }

    /// The number that a value stands for.
    pub(super) fn number(self, value: IrExpr) -> IrExpr {
        if self.negatives == 0 {
            return value;
        }
        let offset = || Box::new(IrExpr::Const(i64::from(self.negatives)));
        let shifted = IrExpr::Binary(fencepost_ir::BinaryOp::Add, Box::new(value), offset());
        IrExpr::Binary(fencepost_ir::BinaryOp::Sub, Box::new(IrExpr::Wrap(Box::new(shifted))), offset())
    }
}

/// What the constants and operators of a test ask for.
struct Needs<'m> {
    greatest: i64,
    negative: bool,
    arithmetic: bool,
    messages: &'m mut Messages,
}

/// The range of a test: every constant fits.
pub(super) fn range(file: &File, messages: &mut Messages) -> Range {
    let mut needs = Needs { greatest: 1, negative: false, arithmetic: false, messages };
    for item in &file.items {
        match &item.kind {
            ItemKind::Initial(list) => {
                let elements = |initial: &Initial| initial.elements.iter().flat_map(|it| it.values.clone()).collect();
                let values = |initial: &Initial| -> Vec<(i64, Span)> {
                    initial.value.map_or_else(|| elements(initial), |value| vec![value])
                };
                list.iter().flat_map(values).for_each(|(value, span)| needs.constant(value, span));
            }
            ItemKind::Procedure(procedure) => procedure.body.iter().for_each(|stmt| needs.stmt(stmt)),
            ItemKind::Filter(formula) | ItemKind::Condition(_, formula) => needs.formula(formula),
            _ => {}
        }
    }
    let count = needs.greatest as u32 + 1;
    let count = if needs.arithmetic { count.next_power_of_two() * ROOM } else { count };
    match needs.negative {
        // Two's complement, so that operators on bits mean what they do in C.
        true => Range { domain: 2 * count.next_power_of_two(), negatives: count.next_power_of_two() },
        false => Range { domain: count, negatives: 0 },
    }
}

impl Needs<'_> {
    fn constant(&mut self, value: i64, span: Span) {
        if !(-GREATEST..=GREATEST).contains(&value) {
            let problem = Diagnostic::error(span, "this number is too large for a litmus test");
            self.messages.push(problem.help(format!("numbers go from -{GREATEST} to {GREATEST}")));
            return;
        }
        self.greatest = self.greatest.max(value.abs());
        self.negative |= value < 0;
    }

    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::Constant(_) | Formula::Same(..) => {}
            Formula::Equals(_, value, span) => self.constant(*value, *span),
            Formula::Not(inner) => self.formula(inner),
            Formula::And(left, right) | Formula::Or(left, right) | Formula::Implies(left, right) => {
                self.formula(left);
                self.formula(right);
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare(list) => {
                list.iter().filter_map(|(_, value)| value.as_ref()).for_each(|value| self.expr(value));
            }
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::If(cond, then, otherwise) => {
                self.expr(cond);
                self.stmt(then);
                otherwise.iter().for_each(|otherwise| self.stmt(otherwise));
            }
            StmtKind::While(cond, body) | StmtKind::DoWhile(body, cond) => {
                self.expr(cond);
                self.stmt(body);
            }
            StmtKind::For(first, cond, step, body) => {
                first.iter().for_each(|first| self.stmt(first));
                cond.iter().chain(step).for_each(|expr| self.expr(expr));
                self.stmt(body);
            }
            StmtKind::Block(body) => body.iter().for_each(|stmt| self.stmt(stmt)),
            StmtKind::Break | StmtKind::Continue | StmtKind::Empty => {}
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Int(value) => self.constant(*value, expr.span),
            ExprKind::Unary(UnaryOp::Neg, operand) => match operand.kind {
                ExprKind::Int(value) => self.constant(-value, expr.span),
                _ => {
                    self.operator(BinaryOp::Sub);
                    self.expr(operand);
                }
            },
            ExprKind::Unary(UnaryOp::BitNot, operand) => {
                self.operator(BinaryOp::Sub);
                self.expr(operand);
            }
            ExprKind::Unary(UnaryOp::Not, operand) | ExprKind::Deref(operand) | ExprKind::Cast(_, operand) => {
                self.expr(operand);
            }
            ExprKind::Binary(op, left, right) => {
                self.operator(*op);
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Assign(target, op, value) => {
                op.iter().for_each(|op| self.operator(*op));
                self.expr(target);
                self.expr(value);
            }
            ExprKind::Conditional(cond, then, otherwise) => {
                [cond, then, otherwise].iter().for_each(|expr| self.expr(expr));
            }
            ExprKind::Call(name, args) => {
                let name = name.text.as_str();
                if name.starts_with("atomic_fetch_sub") {
                    self.operator(BinaryOp::Sub);
                } else if name.starts_with("atomic_fetch_") {
                    self.operator(BinaryOp::Add);
                }
                args.iter().for_each(|arg| self.expr(arg));
            }
            ExprKind::Name(_) | ExprKind::Address(_) | ExprKind::Error => {}
        }
    }

    fn operator(&mut self, op: BinaryOp) {
        use BinaryOp::{Add, BitOr, BitXor, Mul, Shl, Sub};
        self.arithmetic |= matches!(op, Add | Sub | Mul | Shl | BitOr | BitXor);
        self.negative |= op == Sub;
    }
}
