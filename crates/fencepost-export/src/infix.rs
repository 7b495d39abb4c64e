//! What exports to other languages share: names, refusals, and expressions as
//! text of languages that have C's operators.
//!
//! fencepost computes with 64 bits that wrap around; the other language has
//! fewer, or leaves overflow undefined. An expression is translated only if
//! none of its parts can leave the bits there are, by the values that registers
//! can have: then both languages mean the same integer.

use std::fmt;

use fencepost_base::ids::RegId;
use fencepost_ir::{BinaryOp, Expr, Op, Place, Program, UnaryOp};

/// Longest expression, in bytes: operands of some operators have to be written twice.
const LONGEST: usize = 1 << 16;

/// Why a program cannot be exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    message: String,
}

impl Unsupported {
    /// With this explanation.
    pub fn new(message: impl Into<String>) -> Self {
        Unsupported { message: message.into() }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Unsupported {}

/// An expression as text, parenthesised, with the range of its integers.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    /// The text.
    pub(crate) text: String,
    /// Least integer.
    pub(crate) low: i64,
    /// Greatest integer.
    pub(crate) high: i64,
}

impl Term {
    /// Its value, if it is always the same.
    pub(crate) fn constant(&self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }
}

/// A language with C's operators, and where the expressions are: in a thread of a program.
pub(crate) trait Infix {
    /// The program.
    fn program(&self) -> &Program;

    /// How many bits its integers have, the sign included: 32 or 64.
    fn bits(&self) -> u32;

    /// What to say when an integer can be beyond these bits.
    fn too_wide(&self) -> Unsupported;

    /// A register that holds less than the bound that is returned with it.
    fn register(&self, reg: RegId) -> (String, u64);

    /// A number that is not negative.
    fn literal(&self, value: u64) -> String {
        value.to_string()
    }

    /// `then` or `otherwise`, depending on a condition; not parenthesised.
    fn conditional(&self, condition: &str, then: &str, otherwise: &str) -> String;

    /// A term, if its integers fit.
    fn term(&self, text: String, low: i128, high: i128) -> Result<Term, Unsupported> {
        if text.len() > LONGEST {
            return Err(Unsupported::new("an expression is too long"));
        }
        let fits = |integer: i128| {
            i64::try_from(integer).ok().filter(|integer| *integer >> (self.bits() - 1) == *integer >> 63)
        };
        match (fits(low), fits(high)) {
            (Some(low), Some(high)) => Ok(Term { text, low, high }),
            _ => Err(self.too_wide()),
        }
    }

    /// A number.
    fn number(&self, value: i64) -> Result<Term, Unsupported> {
        let literal = self.literal(value.unsigned_abs());
        let text = if value < 0 { format!("(-{literal})") } else { literal };
        self.term(text, value.into(), value.into())
    }

    /// The integer that an expression denotes, where it denotes one.
    fn integer(&self, expr: &Expr) -> Result<Term, Unsupported> {
        if let Some(constant) = expr.as_constant(self.program().domain()) {
            return self.number(constant);
        }
        match expr {
            Expr::Const(value) => self.number(*value),
            Expr::Reg(reg) => {
                let (text, bound) = self.register(*reg);
                self.term(text, 0, i128::from(bound.saturating_sub(1)))
            }
            Expr::Wrap(operand) => self.value(operand),
            Expr::Unary(op, operand) => {
                let operand = self.integer(operand)?;
                let (low, high) = (i128::from(operand.low), i128::from(operand.high));
                match op {
                    UnaryOp::Neg => self.term(format!("(-{})", operand.text), -high, -low),
                    UnaryOp::Not => self.term(format!("(!{})", operand.text), 0, 1),
                    UnaryOp::BitNot => self.term(format!("(~{})", operand.text), !high, !low),
                }
            }
            Expr::Binary(op, left, right) => self.binary(*op, &self.integer(left)?, &self.integer(right)?),
        }
    }

    /// The value that an expression denotes: its integer, reduced into the domain.
    fn value(&self, expr: &Expr) -> Result<Term, Unsupported> {
        self.reduced(self.integer(expr)?)
    }

    /// A term reduced into the domain.
    fn reduced(&self, term: Term) -> Result<Term, Unsupported> {
        let domain = self.program().domain() as i64;
        if term.low >= 0 && term.high < domain {
            return Ok(term);
        }
        if let Some(constant) = term.constant() {
            return self.number(constant.rem_euclid(domain));
        }
        let size = self.literal(domain.unsigned_abs());
        let text = if term.low >= 0 {
            format!("({} % {size})", term.text)
        } else {
            // The remainder has the sign of the dividend; twice the domain must fit.
            self.term(String::new(), 0, 2 * i128::from(domain))?;
            format!("((({} % {size}) + {size}) % {size})", term.text)
        };
        self.term(text, 0, i128::from(domain) - 1)
    }

    /// `left op right`, where the right operand is not zero if it divides.
    fn binary(&self, op: BinaryOp, left: &Term, right: &Term) -> Result<Term, Unsupported> {
        let (a, b) = ((i128::from(left.low), i128::from(left.high)), (i128::from(right.low), i128::from(right.high)));
        let (l, r) = (&left.text, &right.text);
        let largest = |bounds: (i128, i128)| bounds.0.abs().max(bounds.1.abs());
        let infix = |symbol: &str| format!("({l} {symbol} {r})");
        match op {
            BinaryOp::Add => self.term(infix("+"), a.0 + b.0, a.1 + b.1),
            BinaryOp::Sub => self.term(infix("-"), a.0 - b.1, a.1 - b.0),
            BinaryOp::Mul => {
                let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
                let (low, high) = corners.iter().fold((corners[0], corners[0]), |(l, h), &c| (l.min(c), h.max(c)));
                self.term(infix("*"), low, high)
            }
            // Never executed, and a compiler would object.
            BinaryOp::Div | BinaryOp::Rem if b == (0, 0) => self.number(0),
            BinaryOp::Div => {
                let low = if a.0 >= 0 && b.0 >= 0 { 0 } else { -largest(a) };
                self.term(infix("/"), low, largest(a))
            }
            BinaryOp::Rem => {
                let low = if a.0 >= 0 { 0 } else { -largest(a) };
                self.term(infix("%"), low, largest(a).min(largest(b)))
            }
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                let symbol = match op {
                    BinaryOp::BitAnd => "&",
                    BinaryOp::BitOr => "|",
                    _ => "^",
                };
                let bits = 128 - largest(a).max(largest(b)).leading_zeros();
                let low = if a.0 >= 0 && b.0 >= 0 { 0 } else { -(1 << bits) };
                self.term(infix(symbol), low, (1 << bits) - 1)
            }
            BinaryOp::Shl => self.shift_left(left, right),
            BinaryOp::Shr => self.shift_right(left, right),
            BinaryOp::Cmp(cmp) => self.term(infix(cmp.symbol().as_str()), 0, 1),
            BinaryOp::And => self.term(infix("&&"), 0, 1),
            BinaryOp::Or => self.term(infix("||"), 0, 1),
        }
    }

    /// Nothing is left after a shift by a negative amount; one by more bits than there are would
    /// not fit.
    fn shift_left(&self, left: &Term, right: &Term) -> Result<Term, Unsupported> {
        if right.high < 0 {
            return self.number(0);
        }
        let factor = 1i128 << right.high.min(64);
        let (low, high) = (i128::from(left.low) * factor, i128::from(left.high) * factor);
        let (l, r) = (&left.text, &right.text);
        let shifted = format!("{l} << {r}");
        let text = if right.low < 0 { self.conditional(&format!("{r} < 0"), "0", &shifted) } else { shifted };
        self.term(format!("({text})"), low.min(left.low.into()).min(0), high.max(left.high.into()).max(0))
    }

    /// Only the sign is left after a shift by a negative amount or by as many bits as there are.
    fn shift_right(&self, left: &Term, right: &Term) -> Result<Term, Unsupported> {
        let (l, r) = (&left.text, &right.text);
        let most = self.bits() - 1;
        let shifted = format!("{l} >> {r}");
        let text = if right.low >= 0 && right.high <= i64::from(most) {
            shifted
        } else {
            let sign = self.conditional(&format!("{l} < 0"), "(-1)", "0");
            self.conditional(&format!("({r} < 0 || {r} > {most})"), &format!("({sign})"), &shifted)
        };
        self.term(format!("({text})"), left.low.min(0).into(), left.high.max(0).into())
    }

    /// When an expression denotes nothing: it divides by zero on the way. None if it always denotes
    /// something.
    fn undefined(&self, expr: &Expr) -> Result<Option<String>, Unsupported> {
        if !expr.can_fail(self.program().domain()) {
            return Ok(None);
        }
        Ok(match expr {
            Expr::Const(_) | Expr::Reg(_) => None,
            Expr::Unary(_, operand) | Expr::Wrap(operand) => self.undefined(operand)?,
            Expr::Binary(op, left, right) => {
                let mut reasons = Vec::from_iter(self.undefined(left)?);
                let right_fails = self.undefined(right)?;
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

    /// When an instruction fails instead of doing what it does: an index is out of range, something
    /// is divided by zero.
    fn fails(&self, op: &Op) -> Result<Option<String>, Unsupported> {
        let mut reasons = Vec::new();
        let mut exprs: Vec<&Expr> = Vec::new();
        op.for_each_expr(&mut |expr| exprs.push(expr));
        if let Some(Place::Element { array, index }) = op.place() {
            exprs.remove(0);
            reasons.extend(self.undefined(index)?);
            let (index, len) = (self.integer(index)?, i64::from(self.program().array(*array).len));
            if index.low < 0 {
                reasons.push(format!("{} < 0", index.text));
            }
            if index.high >= len {
                reasons.push(format!("{} >= {len}", index.text));
            }
        }
        for expr in exprs {
            reasons.extend(self.undefined(expr)?);
        }
        Ok(any(reasons))
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

/// What of a name can be part of an identifier.
pub(crate) fn spell(name: &str) -> String {
    let letters = name.chars().filter(|&c| c != ']');
    letters.map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
