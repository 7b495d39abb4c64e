//! Expressions over registers and constants.
//!
//! An expression denotes a mathematical integer (64 bits, wrapping). Where it
//! becomes a value (assigned, stored, compared and swapped, …) it is reduced
//! once into the program's domain; [`Expr::Wrap`] reduces an inner result
//! too. `.fp` wraps every arithmetic operator, TPL none: both are expressible.

use std::fmt;

use fencepost_base::ids::{RegId, Value};
use fencepost_base::operator::{self, Infix};

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A number, not reduced: `r < 4` is always true in a domain of four values.
    Const(i64),
    /// The content of a register.
    Reg(RegId),
    /// A unary operator.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// The operand reduced into the program's domain.
    Wrap(Box<Expr>),
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-e`
    Neg,
    /// `!e`: 1 if `e` is 0, else 0.
    Not,
    /// `~e`
    BitNot,
}

/// Binary operators, as in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`, rounding towards zero
    Div,
    /// `%`, with the sign of the dividend
    Rem,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// A comparison: 0 or 1.
    Cmp(CmpOp),
    /// `&&`: 0 or 1; the right operand is evaluated only when the left is not 0.
    And,
    /// `||`: 0 or 1; the right operand is evaluated only when the left is 0.
    Or,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CmpOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EvalError {
    /// Division or remainder by zero.
    DivisionByZero,
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalError::DivisionByZero => f.write_str("division by zero"),
        }
    }
}

impl CmpOp {
    /// Does the comparison hold?
    pub fn holds(self, left: i64, right: i64) -> bool {
        match self {
            CmpOp::Eq => left == right,
            CmpOp::Ne => left != right,
            CmpOp::Lt => left < right,
            CmpOp::Le => left <= right,
            CmpOp::Gt => left > right,
            CmpOp::Ge => left >= right,
        }
    }

    /// The operator as it is written.
    pub fn symbol(self) -> operator::BinaryOp {
        match self {
            CmpOp::Eq => operator::BinaryOp::Eq,
            CmpOp::Ne => operator::BinaryOp::Ne,
            CmpOp::Lt => operator::BinaryOp::Lt,
            CmpOp::Le => operator::BinaryOp::Le,
            CmpOp::Gt => operator::BinaryOp::Gt,
            CmpOp::Ge => operator::BinaryOp::Ge,
        }
    }
}

impl UnaryOp {
    /// The result for an operand.
    pub fn apply(self, operand: i64) -> i64 {
        match self {
            UnaryOp::Neg => operand.wrapping_neg(),
            UnaryOp::Not => i64::from(operand == 0),
            UnaryOp::BitNot => !operand,
        }
    }

    /// The operator as it is written.
    pub fn symbol(self) -> operator::UnaryOp {
        match self {
            UnaryOp::Neg => operator::UnaryOp::Neg,
            UnaryOp::Not => operator::UnaryOp::Not,
            UnaryOp::BitNot => operator::UnaryOp::BitNot,
        }
    }
}

impl BinaryOp {
    /// The result for two operands, both already evaluated.
    pub fn apply(self, left: i64, right: i64) -> Result<i64, EvalError> {
        Ok(match self {
            BinaryOp::Add => left.wrapping_add(right),
            BinaryOp::Sub => left.wrapping_sub(right),
            BinaryOp::Mul => left.wrapping_mul(right),
            BinaryOp::Div if right == 0 => return Err(EvalError::DivisionByZero),
            BinaryOp::Div => left.wrapping_div(right),
            BinaryOp::Rem if right == 0 => return Err(EvalError::DivisionByZero),
            BinaryOp::Rem => left.wrapping_rem(right),
            BinaryOp::BitAnd => left & right,
            BinaryOp::BitOr => left | right,
            BinaryOp::BitXor => left ^ right,
            BinaryOp::Shl => shift_amount(right).map_or(0, |n| left.wrapping_shl(n)),
            BinaryOp::Shr => shift_amount(right).map_or(if left < 0 { -1 } else { 0 }, |n| left.wrapping_shr(n)),
            BinaryOp::Cmp(cmp) => i64::from(cmp.holds(left, right)),
            BinaryOp::And => i64::from(left != 0 && right != 0),
            BinaryOp::Or => i64::from(left != 0 || right != 0),
        })
    }

    /// The operator as it is written.
    pub fn symbol(self) -> operator::BinaryOp {
        match self {
            BinaryOp::Add => operator::BinaryOp::Add,
            BinaryOp::Sub => operator::BinaryOp::Sub,
            BinaryOp::Mul => operator::BinaryOp::Mul,
            BinaryOp::Div => operator::BinaryOp::Div,
            BinaryOp::Rem => operator::BinaryOp::Rem,
            BinaryOp::BitAnd => operator::BinaryOp::BitAnd,
            BinaryOp::BitOr => operator::BinaryOp::BitOr,
            BinaryOp::BitXor => operator::BinaryOp::BitXor,
            BinaryOp::Shl => operator::BinaryOp::Shl,
            BinaryOp::Shr => operator::BinaryOp::Shr,
            BinaryOp::Cmp(cmp) => cmp.symbol(),
            BinaryOp::And => operator::BinaryOp::And,
            BinaryOp::Or => operator::BinaryOp::Or,
        }
    }
}

/// Shifting by 64 bits or more leaves nothing; by a negative number too.
fn shift_amount(right: i64) -> Option<u32> {
    u32::try_from(right).ok().filter(|&n| n < 64)
}

/// Bounds of the result of an operator, where they are easy to tell.
fn bounds(op: BinaryOp, left: (i64, i64), right: (i64, i64)) -> Option<(i128, i128)> {
    let wide = |(low, high): (i64, i64)| (i128::from(low), i128::from(high));
    let ((a, b), (c, d)) = (wide(left), wide(right));
    Some(match op {
        BinaryOp::Add => (a + c, b + d),
        BinaryOp::Sub => (a - d, b - c),
        BinaryOp::Mul => {
            let products = [a * c, a * d, b * c, b * d];
            (products.into_iter().min().unwrap_or(0), products.into_iter().max().unwrap_or(0))
        }
        BinaryOp::Rem if a >= 0 && c > 0 => (0, b.min(d - 1)),
        BinaryOp::BitAnd if a >= 0 && c >= 0 => (0, b.min(d)),
        BinaryOp::BitAnd if a >= 0 => (0, b),
        BinaryOp::BitAnd if c >= 0 => (0, d),
        // Both may be negative: no result needs more bits than an operand.
        BinaryOp::BitAnd => {
            let size = [a, b, c, d].into_iter().map(i128::unsigned_abs).max().unwrap_or(0).next_power_of_two();
            (-(size as i128), size as i128 - 1)
        }
        BinaryOp::Cmp(_) | BinaryOp::And | BinaryOp::Or => (0, 1),
        BinaryOp::Div | BinaryOp::Rem | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Shl | BinaryOp::Shr => {
            return None;
        }
    })
}

/// Reduces an integer into `0..domain`.
pub fn reduce(integer: i64, domain: u64) -> Value {
    integer.rem_euclid(domain as i64) as Value
}

impl Expr {
    /// The constant `value`.
    pub fn constant(value: i64) -> Expr {
        Expr::Const(value)
    }

    /// The integer this denotes in `registers`, in a domain of `domain` values.
    pub fn eval(&self, registers: &[Value], domain: u64) -> Result<i64, EvalError> {
        match self {
            Expr::Const(value) => Ok(*value),
            Expr::Reg(reg) => Ok(i64::from(registers[reg.index()])),
            Expr::Unary(op, operand) => Ok(op.apply(operand.eval(registers, domain)?)),
            Expr::Binary(op, left, right) => {
                let left = left.eval(registers, domain)?;
                match op {
                    BinaryOp::And if left == 0 => Ok(0),
                    BinaryOp::Or if left != 0 => Ok(1),
                    _ => op.apply(left, right.eval(registers, domain)?),
                }
            }
            Expr::Wrap(operand) => Ok(i64::from(reduce(operand.eval(registers, domain)?, domain))),
        }
    }

    /// The value this denotes: its integer, reduced into the domain.
    pub fn value(&self, registers: &[Value], domain: u64) -> Result<Value, EvalError> {
        Ok(reduce(self.eval(registers, domain)?, domain))
    }

    /// The integer this denotes if it mentions no register (and divides by no zero).
    pub fn as_constant(&self, domain: u64) -> Option<i64> {
        let mut constant = true;
        self.for_each_register(&mut |_| constant = false);
        if constant { self.eval(&[], domain).ok() } else { None }
    }

    /// Can it have no value: does it divide by anything but a constant that is not zero?
    pub fn can_fail(&self, domain: u64) -> bool {
        match self {
            Expr::Const(_) | Expr::Reg(_) => false,
            Expr::Unary(_, operand) | Expr::Wrap(operand) => operand.can_fail(domain),
            Expr::Binary(op, left, right) => {
                let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
                let by_zero = divides && right.as_constant(domain).is_none_or(|divisor| divisor == 0);
                by_zero || left.can_fail(domain) || right.can_fail(domain)
            }
        }
    }

    /// Bounds of the integers this can denote, given those of registers; nothing where they are not
    /// known, or where a part of it may not fit into 64 bits.
    pub fn interval(&self, register: &dyn Fn(RegId) -> Option<(i64, i64)>) -> Option<(i64, i64)> {
        let (low, high) = match self {
            Expr::Const(value) => return Some((*value, *value)),
            Expr::Reg(reg) => return register(*reg),
            Expr::Unary(UnaryOp::Not, operand) => {
                operand.interval(register)?;
                (0, 1)
            }
            Expr::Binary(op, left, right) => bounds(*op, left.interval(register)?, right.interval(register)?)?,
            Expr::Unary(UnaryOp::Neg | UnaryOp::BitNot, _) | Expr::Wrap(_) => return None,
        };
        Some((i64::try_from(low).ok()?, i64::try_from(high).ok()?))
    }

    /// The expression for people, who know their program: where results are reduced into the domain
    /// is not said. `fencepost-lower` writes programs that can be read again.
    pub fn text(&self, register: &dyn Fn(RegId) -> String) -> String {
        self.infix(register).into_text()
    }

    fn infix(&self, register: &dyn Fn(RegId) -> String) -> Infix {
        match self {
            Expr::Const(value) => Infix::atom(value.to_string()),
            Expr::Reg(reg) => Infix::atom(register(*reg)),
            Expr::Unary(op, operand) => Infix::unary(op.symbol(), operand.infix(register)),
            Expr::Binary(op, left, right) => Infix::binary(op.symbol(), left.infix(register), right.infix(register)),
            Expr::Wrap(operand) => operand.infix(register),
        }
    }

    /// Calls `visit` for every register mentioned.
    pub fn for_each_register(&self, visit: &mut impl FnMut(RegId)) {
        match self {
            Expr::Const(_) => {}
            Expr::Reg(reg) => visit(*reg),
            Expr::Unary(_, operand) | Expr::Wrap(operand) => operand.for_each_register(visit),
            Expr::Binary(_, left, right) => {
                left.for_each_register(visit);
                right.for_each_register(visit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(op: BinaryOp, left: i64, right: i64) -> Expr {
        Expr::Binary(op, Box::new(Expr::Const(left)), Box::new(Expr::Const(right)))
    }

    #[test]
    fn inner_results_are_reduced_only_by_wrap() {
        let sum = binary(BinaryOp::Add, 3, 3);
        let halved = |e: Expr| Expr::Binary(BinaryOp::Div, Box::new(e), Box::new(Expr::Const(2)));
        assert_eq!(halved(sum.clone()).value(&[], 5), Ok(3));
        assert_eq!(halved(Expr::Wrap(Box::new(sum))).value(&[], 5), Ok(0));
    }

    #[test]
    fn people_read_operators_and_names() {
        let sum =
            Expr::Wrap(Box::new(Expr::Binary(BinaryOp::Add, Box::new(Expr::Reg(RegId(0))), Box::new(Expr::Const(1)))));
        let compared = Expr::Binary(BinaryOp::Cmp(CmpOp::Lt), Box::new(sum.clone()), Box::new(Expr::Const(10)));
        let doubled = Expr::Binary(BinaryOp::Mul, Box::new(sum), Box::new(Expr::Const(2)));
        let text = |expr: &Expr| expr.text(&|_| "n".to_owned());
        assert_eq!(text(&compared), "n + 1 < 10");
        assert_eq!(text(&doubled), "(n + 1) * 2");
    }

    #[test]
    fn negative_integers_reduce_into_the_domain() {
        assert_eq!(binary(BinaryOp::Sub, 0, 1).value(&[], 4), Ok(3));
        assert_eq!(Expr::Unary(UnaryOp::BitNot, Box::new(Expr::Const(1))).value(&[], 4), Ok(2));
    }

    #[test]
    fn connectives_do_not_evaluate_what_they_do_not_need() {
        let crash = Box::new(binary(BinaryOp::Div, 1, 0));
        assert_eq!(Expr::Binary(BinaryOp::And, Box::new(Expr::Const(0)), crash.clone()).eval(&[], 4), Ok(0));
        assert_eq!(Expr::Binary(BinaryOp::Or, Box::new(Expr::Const(7)), crash.clone()).eval(&[], 4), Ok(1));
        assert_eq!(crash.eval(&[], 4), Err(EvalError::DivisionByZero));
    }
}
