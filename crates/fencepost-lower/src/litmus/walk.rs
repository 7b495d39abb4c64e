//! Everything that the code of a thread mentions.

use fencepost_syntax::ast::litmus::{Expr, ExprKind, Procedure, Stmt, StmtKind};

/// Calls `visit` for the expressions of a thread that are no part of others.
pub(super) fn each_expr<'a>(procedure: &'a Procedure, visit: &mut impl FnMut(&'a Expr)) {
    procedure.body.iter().for_each(|stmt| of_stmt(stmt, visit));
}

/// Calls `visit` for every expression of a thread, outer ones first.
pub(super) fn each_subexpr<'a>(procedure: &'a Procedure, visit: &mut impl FnMut(&'a Expr)) {
    each_expr(procedure, &mut |expr| of_expr(expr, visit));
}

fn of_stmt<'a>(stmt: &'a Stmt, visit: &mut impl FnMut(&'a Expr)) {
    match &stmt.kind {
        StmtKind::Declare(list) => list.iter().filter_map(|(_, value)| value.as_ref()).for_each(visit),
        StmtKind::Expr(expr) => visit(expr),
        StmtKind::If(cond, then, otherwise) => {
            visit(cond);
            of_stmt(then, visit);
            otherwise.iter().for_each(|otherwise| of_stmt(otherwise, visit));
        }
        StmtKind::While(cond, body) | StmtKind::DoWhile(body, cond) => {
            visit(cond);
            of_stmt(body, visit);
        }
        StmtKind::For(first, cond, step, body) => {
            first.iter().for_each(|first| of_stmt(first, visit));
            cond.iter().chain(step).for_each(&mut *visit);
            of_stmt(body, visit);
        }
        StmtKind::Block(body) => body.iter().for_each(|stmt| of_stmt(stmt, visit)),
        StmtKind::Break | StmtKind::Continue | StmtKind::Empty => {}
    }
}

fn of_expr<'a>(expr: &'a Expr, visit: &mut impl FnMut(&'a Expr)) {
    visit(expr);
    children(expr).into_iter().for_each(|child| of_expr(child, visit));
}

/// The expressions that an expression is made of.
pub(super) fn children(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Deref(inner) | ExprKind::Unary(_, inner) | ExprKind::Cast(_, inner) => vec![inner],
        ExprKind::Binary(_, left, right) | ExprKind::Assign(left, _, right) => vec![left, right],
        ExprKind::Conditional(cond, then, otherwise) => vec![cond, then, otherwise],
        ExprKind::Call(_, args) => args.iter().collect(),
        ExprKind::Int(_) | ExprKind::Name(_) | ExprKind::Address(_) | ExprKind::Error => Vec::new(),
    }
}

/// The expression without casts around it.
pub(super) fn without_casts(mut expr: &Expr) -> &Expr {
    while let ExprKind::Cast(_, inner) = &expr.kind {
        expr = inner;
    }
    expr
}
