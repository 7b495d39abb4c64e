//! Expressions. fencepost computes with 64 bits, SPIN with 32: an expression
//! is translated only if none of its parts can leave 32 bits, by the values
//! that registers can have.

use fencepost_base::ids::{RegId, ThreadId};
use fencepost_ir::{BinaryOp, Expr, Program, UnaryOp};

use crate::Unsupported;
use crate::names::Names;

/// Longest expression, in bytes: operands of some operators have to be written twice.
const LONGEST: usize = 1 << 16;

/// An expression of Promela, parenthesised, with the range of its integers.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) text: String,
    pub(crate) low: i64,
    pub(crate) high: i64,
}

impl Term {
    fn new(text: String, low: i128, high: i128) -> Result<Self, Unsupported> {
        if text.len() > LONGEST {
            return Err(Unsupported::new("an expression is too long"));
        }
        match (i32::try_from(low), i32::try_from(high)) {
            (Ok(low), Ok(high)) => Ok(Term { text, low: low.into(), high: high.into() }),
            _ => Err(Unsupported::new(
                "an expression can be beyond the 32 bits that SPIN computes with; declare a smaller domain",
            )),
        }
    }

    fn number(value: i64) -> Result<Self, Unsupported> {
        let text = if value < 0 { format!("({value})") } else { value.to_string() };
        Term::new(text, value.into(), value.into())
    }

    /// Its value, if it is always the same.
    pub(crate) fn constant(&self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }
}

/// Where expressions are: in a thread of a program.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) program: &'a Program,
    pub(crate) names: &'a Names,
    pub(crate) thread: ThreadId,
}

impl Scope<'_> {
    /// The integer that an expression denotes, where it denotes one.
    pub(crate) fn integer(&self, expr: &Expr) -> Result<Term, Unsupported> {
        if let Some(constant) = expr.as_constant(self.program.domain()) {
            return Term::number(constant);
        }
        match expr {
            Expr::Const(value) => Term::number(*value),
            Expr::Reg(reg) => self.register(*reg),
            Expr::Wrap(operand) => self.value(operand),
            Expr::Unary(op, operand) => {
                let operand = self.integer(operand)?;
                let (low, high) = (i128::from(operand.low), i128::from(operand.high));
                match op {
                    UnaryOp::Neg => Term::new(format!("(-{})", operand.text), -high, -low),
                    UnaryOp::Not => Term::new(format!("(!{})", operand.text), 0, 1),
                    UnaryOp::BitNot => Term::new(format!("(~{})", operand.text), !high, !low),
                }
            }
            Expr::Binary(op, left, right) => binary(*op, &self.integer(left)?, &self.integer(right)?),
        }
    }

    fn register(&self, reg: RegId) -> Result<Term, Unsupported> {
        let register = self.names.register(self.thread, reg);
        Term::new(register.value().into(), 0, i128::from(register.bound.saturating_sub(1)))
    }

    /// The value that an expression denotes: its integer, reduced into the domain.
    pub(crate) fn value(&self, expr: &Expr) -> Result<Term, Unsupported> {
        self.reduced(self.integer(expr)?)
    }

    /// A term reduced into the domain.
    pub(crate) fn reduced(&self, term: Term) -> Result<Term, Unsupported> {
        let domain = i64::from(self.program.domain());
        if term.low >= 0 && term.high < domain {
            return Ok(term);
        }
        if let Some(constant) = term.constant() {
            return Term::number(constant.rem_euclid(domain));
        }
        let text = if term.low >= 0 {
            format!("({} % {domain})", term.text)
        } else {
            // The remainder has the sign of the dividend; twice the domain must fit.
            Term::new(String::new(), 0, 2 * i128::from(domain))?;
            format!("((({} % {domain}) + {domain}) % {domain})", term.text)
        };
        Term::new(text, 0, i128::from(domain) - 1)
    }

    /// When an expression denotes nothing: it divides by zero on the way. None if it always denotes something.
    pub(crate) fn fails(&self, expr: &Expr) -> Result<Option<String>, Unsupported> {
        if !expr.can_fail(self.program.domain()) {
            return Ok(None);
        }
        Ok(match expr {
            Expr::Const(_) | Expr::Reg(_) => None,
            Expr::Unary(_, operand) | Expr::Wrap(operand) => self.fails(operand)?,
            Expr::Binary(op, left, right) => {
                let mut reasons = Vec::from_iter(self.fails(left)?);
                let right_fails = self.fails(right)?;
                match op {
                    BinaryOp::And | BinaryOp::Or => {
                        let needed = if *op == BinaryOp::And { "!=" } else { "==" };
                        if let Some(fails) = right_fails {
                            reasons.push(format!("({} {needed} 0 && {fails})", self.integer(left)?.text));
                        }
                    }
                    BinaryOp::Div | BinaryOp::Rem => {
                        reasons.extend(right_fails);
                        let divisor = self.integer(right)?;
                        if divisor.low <= 0 && divisor.high >= 0 {
                            reasons.push(format!("{} == 0", divisor.text));
                        }
                    }
                    _ => reasons.extend(right_fails),
                }
                any(reasons)
            }
        })
    }
}

/// One of the conditions, if there are any.
pub(crate) fn any(conditions: Vec<String>) -> Option<String> {
    match conditions.as_slice() {
        [] => None,
        [condition] => Some(condition.clone()),
        _ => Some(format!("({})", conditions.join(" || "))),
    }
}

/// `left op right`, where the right operand is not zero if it divides.
pub(crate) fn binary(op: BinaryOp, left: &Term, right: &Term) -> Result<Term, Unsupported> {
    let (a, b) = ((i128::from(left.low), i128::from(left.high)), (i128::from(right.low), i128::from(right.high)));
    let (l, r) = (&left.text, &right.text);
    let largest = |bounds: (i128, i128)| bounds.0.abs().max(bounds.1.abs());
    let infix = |symbol: &str| format!("({l} {symbol} {r})");
    match op {
        BinaryOp::Add => Term::new(infix("+"), a.0 + b.0, a.1 + b.1),
        BinaryOp::Sub => Term::new(infix("-"), a.0 - b.1, a.1 - b.0),
        BinaryOp::Mul => {
            let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
            let (low, high) = corners.iter().fold((corners[0], corners[0]), |(l, h), &c| (l.min(c), h.max(c)));
            Term::new(infix("*"), low, high)
        }
        // Never executed, and SPIN would object.
        BinaryOp::Div | BinaryOp::Rem if b == (0, 0) => Term::number(0),
        BinaryOp::Div => {
            let low = if a.0 >= 0 && b.0 >= 0 { 0 } else { -largest(a) };
            Term::new(infix("/"), low, largest(a))
        }
        BinaryOp::Rem => {
            let low = if a.0 >= 0 { 0 } else { -largest(a) };
            Term::new(infix("%"), low, largest(a).min(largest(b)))
        }
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
            let symbol = match op {
                BinaryOp::BitAnd => "&",
                BinaryOp::BitOr => "|",
                _ => "^",
            };
            let bits = 128 - largest(a).max(largest(b)).leading_zeros();
            let low = if a.0 >= 0 && b.0 >= 0 { 0 } else { -(1 << bits) };
            Term::new(infix(symbol), low, (1 << bits) - 1)
        }
        BinaryOp::Shl => shift_left(left, right),
        BinaryOp::Shr => shift_right(left, right),
        BinaryOp::Cmp(cmp) => Term::new(infix(cmp.as_str()), 0, 1),
        BinaryOp::And => Term::new(infix("&&"), 0, 1),
        BinaryOp::Or => Term::new(infix("||"), 0, 1),
    }
}

/// Nothing is left after a shift by a negative amount; one by more than 31 bits would not fit.
fn shift_left(left: &Term, right: &Term) -> Result<Term, Unsupported> {
    if right.high < 0 {
        return Term::number(0);
    }
    let factor = 1i128 << right.high.min(64);
    let (low, high) = (i128::from(left.low) * factor, i128::from(left.high) * factor);
    let (l, r) = (&left.text, &right.text);
    let text = if right.low < 0 { format!("({r} < 0 -> 0 : {l} << {r})") } else { format!("({l} << {r})") };
    Term::new(text, low.min(left.low.into()).min(0), high.max(left.high.into()).max(0))
}

/// Only the sign is left after a shift by a negative amount or by more than 31 bits.
fn shift_right(left: &Term, right: &Term) -> Result<Term, Unsupported> {
    let (l, r) = (&left.text, &right.text);
    let text = if right.low >= 0 && right.high <= 31 {
        format!("({l} >> {r})")
    } else {
        format!("(({r} < 0 || {r} > 31) -> ({l} < 0 -> (-1) : 0) : {l} >> {r})")
    };
    Term::new(text, left.low.min(0).into(), left.high.max(0).into())
}
