//! The parts of a C litmus test as text.

use fencepost_base::operator::UNARY;

use crate::ast::litmus::{
    Elements, Expr, ExprKind, Formula, Initial, Observable, Procedure, Stmt, StmtKind, Type, Variable,
};

use super::Printer;

/// What binds tighter than an assignment.
const OPERAND: u8 = 0;

impl Printer {
    pub(super) fn initial_state(&mut self, list: &[Initial]) {
        if list.is_empty() {
            return self.line("{ }");
        }
        self.line("{");
        self.indent += 1;
        for initial in list {
            let ty = initial.ty.map_or(String::new(), |ty| ty_text(ty) + " ");
            let mut value = initial.value.as_ref().map_or(String::new(), |(value, _)| format!(" = {value}"));
            if let Some(Elements { length, values }) = &initial.elements {
                let values: Vec<String> = values.iter().map(|(value, _)| value.to_string()).collect();
                value = format!("[{length}] = {{{}}}", values.join(", "));
            }
            // An address has no brackets around its name.
            let what = match initial.ty {
                _ if initial.elements.is_some() => initial.what.name.text.clone(),
                Some(_) if initial.what.thread.is_none() => initial.what.name.text.clone(),
                _ => observable(&initial.what),
            };
            self.line(&format!("{ty}{what}{value};"));
        }
        self.indent -= 1;
        self.line("}");
    }

    pub(super) fn procedure(&mut self, procedure: &Procedure) {
        let param = |param: &Variable| format!("{} {}", ty_text(param.ty), param.name.text);
        let params: Vec<String> = procedure.params.iter().map(param).collect();
        self.line(&format!("{} ({}) {{", procedure.name.text, params.join(", ")));
        self.c_body(&procedure.body);
        self.line("}");
    }

    fn c_body(&mut self, body: &[Stmt]) {
        self.indent += 1;
        body.iter().for_each(|stmt| self.c_stmt(stmt));
        self.indent -= 1;
    }

    /// A statement on lines of its own, one level deeper if it is not a block.
    fn c_inner(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Block(_) => self.c_stmt(stmt),
            _ => self.c_body(std::slice::from_ref(stmt)),
        }
    }

    fn c_stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::If(_, then, otherwise) => {
                self.line(&c_head(stmt));
                // Without braces `else` would go to another `if`.
                if otherwise.is_some() && !matches!(then.kind, StmtKind::Block(_)) && ends_with_if(then) {
                    self.line("{");
                    self.c_inner(then);
                    self.line("}");
                } else {
                    self.c_inner(then);
                }
                if let Some(otherwise) = otherwise {
                    self.line("else");
                    self.c_inner(otherwise);
                }
            }
            StmtKind::While(_, body) | StmtKind::For(_, _, _, body) => {
                self.line(&c_head(stmt));
                self.c_inner(body);
            }
            StmtKind::DoWhile(body, cond) => {
                self.line("do");
                self.c_inner(body);
                self.line(&format!("while ({});", c_expr(cond, OPERAND)));
            }
            StmtKind::Block(body) => {
                self.line("{");
                self.c_body(body);
                self.line("}");
            }
            _ => self.line(&c_head(stmt)),
        }
    }
}

fn ends_with_if(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::If(_, _, None) => true,
        StmtKind::If(_, _, Some(inner)) | StmtKind::While(_, inner) | StmtKind::For(_, _, _, inner) => {
            ends_with_if(inner)
        }
        _ => false,
    }
}

/// A statement without those inside of it.
pub(crate) fn c_head(stmt: &Stmt) -> String {
    match &stmt.kind {
        StmtKind::Declare(list) => {
            let mut text = list.first().map_or(String::new(), |(variable, _)| ty_text(variable.ty) + " ");
            for (index, (variable, value)) in list.iter().enumerate() {
                if index > 0 {
                    text += ", ";
                    text += &"*".repeat(variable.ty.pointers);
                }
                text += &variable.name.text;
                if let Some(value) = value {
                    text += &format!(" = {}", c_expr(value, OPERAND));
                }
            }
            text + ";"
        }
        StmtKind::Expr(expr) => c_expr(expr, OPERAND) + ";",
        StmtKind::If(cond, ..) => format!("if ({})", c_expr(cond, OPERAND)),
        StmtKind::While(cond, _) => format!("while ({})", c_expr(cond, OPERAND)),
        StmtKind::DoWhile(_, cond) => format!("do while ({})", c_expr(cond, OPERAND)),
        StmtKind::For(first, cond, step, _) => {
            let first = first.as_ref().map_or(";".into(), |first| c_head(first));
            let part =
                |part: &Option<Expr>| part.as_ref().map_or(String::new(), |expr| format!(" {}", c_expr(expr, OPERAND)));
            format!("for ({first}{};{})", part(cond), part(step))
        }
        StmtKind::Block(_) => "{ }".into(),
        StmtKind::Break => "break;".into(),
        StmtKind::Continue => "continue;".into(),
        StmtKind::Empty => ";".into(),
    }
}

/// An expression, in parentheses if it binds less than `floor`.
fn c_expr(expr: &Expr, floor: u8) -> String {
    let in_parens = |text: String, is_needed: bool| if is_needed { format!("({text})") } else { text };
    match &expr.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Deref(inner) => format!("*{}", c_expr(inner, UNARY)),
        ExprKind::Address(name) => format!("&{}", name.text),
        ExprKind::Unary(op, operand) => {
            let (op, operand) = (op.as_str(), c_expr(operand, UNARY));
            // Two signs that touch are something else.
            let blank = if operand.starts_with(op) { " " } else { "" };
            in_parens(format!("{op}{blank}{operand}"), floor == UNARY)
        }
        ExprKind::Binary(op, left, right) => {
            let precedence = op.precedence();
            let (left, right) = (c_expr(left, precedence), c_expr(right, precedence + 1));
            in_parens(format!("{left} {} {right}", op.as_str()), precedence < floor)
        }
        ExprKind::Assign(target, op, value) => {
            let op = op.map_or("", |op| op.as_str());
            in_parens(format!("{} {op}= {}", c_expr(target, 1), c_expr(value, OPERAND)), floor > OPERAND)
        }
        ExprKind::Conditional(cond, then, otherwise) => {
            let (cond, then) = (c_expr(cond, 1), c_expr(then, OPERAND));
            let text = format!("{cond} ? {then} : {}", c_conditional(otherwise));
            in_parens(text, floor > OPERAND)
        }
        ExprKind::Call(name, args) => {
            let args: Vec<String> = args.iter().map(|arg| c_expr(arg, OPERAND)).collect();
            format!("{}({})", name.text, args.join(", "))
        }
        ExprKind::Cast(ty, operand) => format!("({}) {}", ty_text(*ty), c_expr(operand, UNARY)),
        ExprKind::Error => "<error>".into(),
    }
}

/// What is behind the `:` of a conditional expression: no assignment without parentheses.
fn c_conditional(expr: &Expr) -> String {
    let floor = if matches!(expr.kind, ExprKind::Conditional(..)) { OPERAND } else { 1 };
    c_expr(expr, floor)
}

pub(crate) fn ty_text(ty: Type) -> String {
    let is_atomic = |level: usize| ty.atomic >> level & 1 == 1;
    let base = if is_atomic(0) { "atomic_int" } else { "int" };
    let stars = (1..=ty.pointers).map(|level| if is_atomic(level) { "* _Atomic" } else { "*" });
    std::iter::once(base).chain(stars).collect()
}

/// `[x]`, `0:r0`
pub(crate) fn observable(what: &Observable) -> String {
    match what.thread {
        None => format!("[{}]", what.name.text),
        Some(thread) => format!("{thread}:{}", what.name.text),
    }
}

/// A formula, in parentheses if it binds less than `floor`.
pub(crate) fn formula(it: &Formula, floor: u8) -> String {
    let (text, precedence) = match it {
        Formula::Constant(value) => return value.to_string(),
        Formula::Equals(what, value, _) => return format!("{}={value}", observable(what)),
        Formula::Same(what, other, _) => return format!("{}={}", observable(what), observable(other)),
        Formula::Not(inner) => (format!("~{}", formula(inner, 4)), 4),
        Formula::Implies(left, right) => (format!("{} => {}", formula(left, 4), formula(right, 3)), 3),
        Formula::And(left, right) => (format!("{} /\\ {}", formula(left, 2), formula(right, 2)), 2),
        Formula::Or(left, right) => (format!("{} \\/ {}", formula(left, 1), formula(right, 1)), 1),
    };
    if precedence < floor { format!("({text})") } else { text }
}
