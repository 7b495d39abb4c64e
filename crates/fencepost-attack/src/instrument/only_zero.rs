//! Programs over one value, given another one for the bits of the instrumentation: their own values
//! stay 0.

use fencepost_ir::{BinaryOp, Expr, Op, WaitCondition};

/// The operation, which reduced values into a domain of one value, in a larger domain.
pub(crate) fn op(op: &Op) -> Op {
    let mut op = op.clone();
    match &mut op {
        Op::Assign { value, .. } | Op::Store { value, .. } | Op::Update { operand: value, .. } => *value = zero(value),
        Op::Cas { expected, desired, .. } | Op::BlockingCas { expected, desired, .. } => {
            *expected = zero(expected);
            *desired = zero(desired);
        }
        Op::Nondet { low, high, .. } => {
            *low = zero(low);
            *high = zero(high);
        }
        Op::Branch { cond, .. } | Op::Assume { cond } | Op::Assert { cond } | Op::Bound { cond } => *cond = inner(cond),
        Op::Wait { condition: WaitCondition { any_of }, .. } => {
            any_of.iter_mut().for_each(|(_, expr)| *expr = inner(expr));
        }
        _ => {}
    }
    op
}

/// 0, unless the expression has no value.
fn zero(expr: &Expr) -> Expr {
    Expr::Binary(BinaryOp::Mul, Box::new(inner(expr)), Box::new(Expr::Const(0)))
}

/// The expression, with 0 for whatever it reduces.
fn inner(expr: &Expr) -> Expr {
    match expr {
        Expr::Const(_) | Expr::Reg(_) => expr.clone(),
        Expr::Unary(op, operand) => Expr::Unary(*op, Box::new(inner(operand))),
        Expr::Binary(op, left, right) => Expr::Binary(*op, Box::new(inner(left)), Box::new(inner(right))),
        Expr::Wrap(operand) => zero(operand),
    }
}
