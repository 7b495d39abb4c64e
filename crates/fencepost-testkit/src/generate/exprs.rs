//! Random expressions: mostly constants and registers, some arithmetic, with
//! and without reduction of inner results, now and then a division by what may
//! be zero.

use fencepost_base::ids::RegId;
use fencepost_ir::{BinaryOp, CmpOp, Expr, UnaryOp};

use crate::random::Random;

/// Comparisons with their weights.
pub(super) const COMPARISONS: [(usize, CmpOp); 6] =
    [(6, CmpOp::Eq), (4, CmpOp::Ne), (2, CmpOp::Lt), (2, CmpOp::Ge), (1, CmpOp::Le), (1, CmpOp::Gt)];

/// `left op right`
pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

/// `left ⋈ right`
pub(super) fn compare(cmp: CmpOp, left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::Cmp(cmp), left, right)
}

/// A constant, rarely one outside the domain, or a register.
pub(super) fn leaf(random: &mut Random, domain: u64, registers: usize) -> Expr {
    match random.below(20) {
        0..=12 => Expr::Const(random.below(domain as usize) as i64),
        13 => Expr::Const(random.below(3 * domain as usize) as i64 - domain as i64),
        _ => Expr::Reg(RegId::from_index(random.below(registers))),
    }
}

/// An index of an array of `len` elements; now and then one that may be out of range.
pub(super) fn index(random: &mut Random, len: u32, registers: usize) -> Expr {
    let register = Expr::Reg(RegId::from_index(random.below(registers)));
    match random.below(10) {
        0..=5 => Expr::Const(random.below(len as usize) as i64),
        6..=8 => binary(BinaryOp::Rem, register, Expr::Const(i64::from(len))),
        _ => register,
    }
}

/// An expression that is to become a value.
pub(super) fn value(random: &mut Random, domain: u64, registers: usize) -> Expr {
    if random.chance(75) {
        return leaf(random, domain, registers);
    }
    let (left, right) = (leaf(random, domain, registers), leaf(random, domain, registers));
    let arithmetic = [
        (6, BinaryOp::Add),
        (4, BinaryOp::Sub),
        (2, BinaryOp::Mul),
        (1, BinaryOp::Div),
        (1, BinaryOp::Rem),
        (1, BinaryOp::BitAnd),
        (1, BinaryOp::BitOr),
        (1, BinaryOp::BitXor),
        (1, BinaryOp::Shl),
        (1, BinaryOp::Shr),
    ];
    let result = match random.below(10) {
        0..=6 => binary(random.weighted(&arithmetic), left, right),
        7 => compare(random.weighted(&COMPARISONS), left, right),
        8 => Expr::Unary(random.pick(&[UnaryOp::Neg, UnaryOp::Not, UnaryOp::BitNot]), Box::new(left)),
        _ => {
            let inner = binary(random.weighted(&arithmetic), left, right);
            binary(random.weighted(&arithmetic), inner, leaf(random, domain, registers))
        }
    };
    if random.chance(50) { Expr::Wrap(Box::new(result)) } else { result }
}

/// An expression that is to decide something.
pub(super) fn condition(random: &mut Random, domain: u64, registers: usize) -> Expr {
    let register = Expr::Reg(RegId::from_index(random.below(registers)));
    let comparison = compare(random.weighted(&COMPARISONS), register, leaf(random, domain, registers));
    match random.below(10) {
        0..=7 => comparison,
        8 => Expr::Unary(UnaryOp::Not, Box::new(comparison)),
        _ => {
            let connective = random.pick(&[BinaryOp::And, BinaryOp::Or]);
            binary(connective, comparison, leaf(random, domain, registers))
        }
    }
}
