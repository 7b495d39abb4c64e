//! How many values a litmus test needs, and what they stand for.
//!
//! All integer types are one, of at most 32 bits. The values are the numbers from 0 to the greatest
//! constant of the test, 256 times as many if there is arithmetic, and as many negative ones if the
//! test has any or subtracts. Few values need few bits; results beyond them wrap around. A test
//! whose constants need all 32 bits has those, and computes as C does on `unsigned` or, with
//! negative numbers, on `int`. Addresses are values of their own, above the other numbers.

use std::collections::BTreeSet;

use fencepost_base::diag::Diagnostic;
use fencepost_base::ids::{LocId, Value};
use fencepost_base::source::Span;
use fencepost_ir::Expr as IrExpr;
use fencepost_syntax::ast::litmus::{Constant, ExprKind, Formula, Procedure};
use fencepost_syntax::ast::{BinaryOp, File, ItemKind, UnaryOp};
use fencepost_syntax::messages::Messages;

use super::globals::{self, Globals};
use super::walk::each_subexpr;

/// The least and the greatest constant.
const LEAST: i64 = i32::MIN as i64;
const GREATEST: i64 = u32::MAX as i64;
/// As many values as 32 bits have.
const ALL: u64 = 1 << 32;
/// How much larger than constants results of arithmetic can be.
const ROOM: u64 = 256;

/// The numbers that values stand for: `domain` of them, the last `negatives` below zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) domain: u64,
    pub(super) negatives: Value,
    /// The value that is the address of the first location, if addresses are values.
    pub(super) addresses: Option<Value>,
}

impl Range {
    /// The value that a constant stands for.
    pub(super) fn value(self, constant: &Constant, globals: &Globals, messages: &mut Messages) -> Value {
        match constant {
            Constant::Number(number) => fencepost_ir::reduce(*number, self.domain),
            Constant::Address(name) => match globals.locate(&name.text, name.span, messages) {
                Some(loc) => self.address(loc),
                None => 0,
            },
        }
    }

    /// The value that is the address of a location.
    pub(super) fn address(self, loc: LocId) -> Value {
        self.addresses.map_or(0, |first| first + loc.0)
    }

    /// The number that a constant of the text is: of two that are the same in 32 bits, one.
    pub(super) fn constant(self, number: i64) -> i64 {
        let (domain, negatives) = (self.domain as i64, i64::from(self.negatives));
        (number + negatives).rem_euclid(domain) - negatives
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
    constants: BTreeSet<i64>,
    negative: bool,
    arithmetic: bool,
    messages: &'m mut Messages,
}

/// The range of a test, with this many addresses: every constant fits.
pub(super) fn range(file: &File, addresses: Option<usize>, messages: &mut Messages) -> Range {
    let mut needs = Needs { constants: BTreeSet::from([1]), negative: false, arithmetic: false, messages };
    for (value, span) in globals::initial_state(file).flat_map(globals::constants) {
        needs.value(value, *span);
    }
    for item in &file.items {
        match &item.kind {
            ItemKind::Procedure(procedure) => needs.procedure(procedure),
            ItemKind::Filter(formula) | ItemKind::Condition(_, formula) => needs.formula(formula),
            _ => {}
        }
    }
    let Needs { constants, negative, arithmetic, messages } = needs;
    let most = if negative { ALL / 2 } else { ALL };
    let greatest = constants.iter().map(|constant| constant.unsigned_abs()).max().unwrap_or(0);
    let count = (greatest + 1).min(most);
    let count = if arithmetic { (count.next_power_of_two() * ROOM).min(most) } else { count };
    let locations = addresses.unwrap_or(0) as u64;
    // Two's complement, so that operators on bits mean what they do in C.
    let is_round = negative || (arithmetic && locations > 0);
    let numbers = if is_round { (count + locations).next_power_of_two() } else { count + locations }.min(most);
    let first = numbers - locations;
    if constants.range(first as i64..numbers as i64).next().is_some() {
        let message = "the numbers of this test leave no room for addresses";
        messages.push(Diagnostic::error(Span::default(), message).help("use smaller numbers"));
    }
    Range {
        domain: if negative { 2 * numbers } else { numbers },
        negatives: if negative { numbers as Value } else { 0 },
        addresses: addresses.map(|_| first as Value),
    }
}

impl Needs<'_> {
    fn value(&mut self, value: &Constant, span: Span) {
        if let Constant::Number(number) = value {
            self.constant(*number, span);
        }
    }

    fn constant(&mut self, value: i64, span: Span) {
        if !(LEAST..=GREATEST).contains(&value) {
            let problem = Diagnostic::error(span, "this number has more than 32 bits");
            self.messages.push(problem.help(format!("numbers go from {LEAST} to {GREATEST}")));
            return;
        }
        self.constants.insert(value);
        self.negative |= value < 0;
    }

    fn formula(&mut self, formula: &Formula) {
        match formula {
            Formula::Constant(_) | Formula::Same(..) => {}
            Formula::Equals(_, value, span) => self.value(value, *span),
            Formula::Not(inner) => self.formula(inner),
            Formula::And(left, right) | Formula::Or(left, right) | Formula::Implies(left, right) => {
                self.formula(left);
                self.formula(right);
            }
        }
    }

    fn procedure(&mut self, procedure: &Procedure) {
        each_subexpr(procedure, &mut |expr| match &expr.kind {
            ExprKind::Int(value) => self.constant(*value, expr.span),
            ExprKind::Unary(UnaryOp::Neg, operand) => match operand.kind {
                ExprKind::Int(value) => self.constant(-value, expr.span),
                _ => self.operator(BinaryOp::Sub),
            },
            ExprKind::Unary(UnaryOp::BitNot, _) => self.operator(BinaryOp::Sub),
            ExprKind::Binary(op, ..) | ExprKind::Assign(_, Some(op), _) => self.operator(*op),
            ExprKind::Call(name, _) if name.text.starts_with("atomic_fetch_sub") => self.operator(BinaryOp::Sub),
            ExprKind::Call(name, _) if name.text.starts_with("atomic_fetch_") => self.operator(BinaryOp::Add),
            _ => {}
        });
    }

    fn operator(&mut self, op: BinaryOp) {
        use BinaryOp::{Add, BitOr, BitXor, Mul, Shl, Sub};
        self.arithmetic |= matches!(op, Add | Sub | Mul | Shl | BitOr | BitXor);
        self.negative |= op == Sub;
    }
}
