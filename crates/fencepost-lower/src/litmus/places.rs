//! What an address of the text names, and how it is accessed.

use fencepost_base::diag::Diagnostic;
use fencepost_base::ids::{LocId, RegId};
use fencepost_base::order::{ReadOrder, WriteOrder};
use fencepost_base::source::Span;
use fencepost_ir::{BinaryOp as IrOp, CmpOp, Expr as IrExpr, LocationKind, Op, Place, UnaryOp};
use fencepost_syntax::ast::litmus::{Expr, ExprKind, Type};
use fencepost_syntax::ast::{BinaryOp, Name};

use super::calls::returns_content;
use super::code::{Code, Want, equal};
use super::globals::Global;
use super::walk::without_casts;
use super::{Deref, addresses_help};

/// A shared variable, as a thread sees it.
#[derive(Clone)]
pub(super) struct Shared {
    /// What it can be: the first whose condition holds, or else the last one.
    choices: Vec<Choice>,
}

#[derive(Clone)]
struct Choice {
    /// Is it this one? Nobody asks about the last choice.
    condition: IrExpr,
    place: Place,
    /// How it is accessed.
    kind: LocationKind,
}

/// Where a compare-and-exchange has the value it expects.
pub(super) enum Expected {
    Register(RegId),
    Shared(Shared),
}

impl Shared {
    fn only(place: Place, kind: LocationKind) -> Self {
        Shared { choices: vec![Choice { condition: IrExpr::Const(1), place, kind }] }
    }

    /// How it is accessed, whatever it is.
    pub(super) fn kinds(&self) -> impl Iterator<Item = LocationKind> {
        self.choices.iter().map(|choice| choice.kind)
    }
}

impl Code<'_, '_> {
    // Addresses.

    /// The shared variable that an address names.
    pub(super) fn shared(&mut self, address: &Expr) -> Option<Shared> {
        let address = without_casts(address);
        match &address.kind {
            ExprKind::Name(name) if self.is_local(name) => self.pointed_to(address),
            ExprKind::Name(name) => self.variable(name, address.span),
            ExprKind::Address(name) => self.variable(&name.text, address.span),
            ExprKind::Binary(BinaryOp::Add, array, index) => self.element(array, index),
            ExprKind::Deref(_) | ExprKind::Call(..) | ExprKind::Conditional(..) | ExprKind::Assign(..) => {
                self.pointed_to(address)
            }
            ExprKind::Error => None,
            _ => {
                self.error(address.span, "expected the address of a shared variable", addresses_help());
                None
            }
        }
    }

    fn variable(&mut self, name: &str, span: Span) -> Option<Shared> {
        match self.test.globals.find(name) {
            Some((loc, global)) if self.params.contains_key(name) => {
                Some(Shared::only(Place::Fixed(loc), global.kind()))
            }
            _ => {
                let help = format!("a thread has to be given its address: `P0 (atomic_int* {name}) {{ … }}`");
                self.error(span, format!("there is no parameter `{name}`"), &help);
                None
            }
        }
    }

    /// What an address that is only known in a run belongs to.
    fn pointed_to(&mut self, address: &Expr) -> Option<Shared> {
        let test = self.test;
        let mut variables: Vec<(LocId, &Global)> =
            test.addresses.names().filter_map(|name| test.globals.find(name)).collect();
        variables.sort_by_key(|(loc, _)| *loc);
        if variables.is_empty() {
            let help = "no variable of this test has its address in a register or in memory";
            self.error(address.span, "this is no address of a shared variable", help);
            return None;
        }
        let register = self.temporary();
        self.assign(register, address);
        let choices = variables.into_iter().map(|(loc, global)| {
            let first = i64::from(test.range.address(loc));
            let offset = IrExpr::Binary(IrOp::Sub, Box::new(IrExpr::Reg(register)), Box::new(IrExpr::Const(first)));
            let condition = match global.is_array() {
                true => is_below(offset.clone(), global.len()),
                false => equal(IrExpr::Reg(register), IrExpr::Const(first)),
            };
            let place = match global.array {
                Some(array) => Place::Element { array, index: offset },
                None => Place::Fixed(loc),
            };
            Choice { condition, place, kind: global.kind() }
        });
        Some(Shared { choices: choices.collect() })
    }

    /// The element of an array that `array + index` is the address of.
    fn element(&mut self, array: &Expr, index: &Expr) -> Option<Shared> {
        let (name, base, global) = self.array(array)?;
        let (kind, length) = (global.kind(), global.len());
        let id = global.array;
        let place = match (self.value(index, Want::Value), id) {
            (IrExpr::Const(index), _) => match usize::try_from(index).ok().filter(|&index| index < length) {
                Some(index) => Place::Fixed(LocId::from_index(base.index() + index)),
                None => {
                    self.error(array.span, format!("`{name}` has {length} elements"), "");
                    return None;
                }
            },
            (index, Some(array)) => Place::Element { array, index },
            (_, None) => return None,
        };
        Some(Shared::only(place, kind))
    }

    /// The array of this name.
    fn array(&mut self, array: &Expr) -> Option<(String, LocId, &Global)> {
        let (ExprKind::Name(name) | ExprKind::Address(Name { text: name, .. })) = &without_casts(array).kind else {
            self.error(array.span, "expected the name of an array", "");
            return None;
        };
        if self.is_local(name) {
            self.error(array.span, "arithmetic on addresses is not supported", addresses_help());
            return None;
        }
        self.variable(name, array.span)?;
        match self.test.globals.find(name) {
            Some((base, global)) if global.is_array() => Some((name.clone(), base, global)),
            _ => {
                let help = format!("the initial state says how many elements there are: `{{ int {name}[2]; }}`");
                self.error(array.span, format!("`{name}` is not an array"), &help);
                None
            }
        }
    }

    /// An address as a value.
    pub(super) fn address_of(&mut self, expr: &Expr) -> IrExpr {
        let loc = match &expr.kind {
            ExprKind::Address(name) if !self.params.contains_key(name.text.as_str()) => {
                let message = format!("the address of `{}` is not supported as a value", name.text);
                return self.error(expr.span, message, "values are addresses of parameters: `x`, `&x`, `&x[1]`");
            }
            ExprKind::Binary(_, _, index) => match self.value(index, Want::Value) {
                IrExpr::Const(_) => self.shared(expr).and_then(|shared| match shared.choices.as_slice() {
                    [Choice { place: Place::Fixed(loc), .. }] => Some(*loc),
                    _ => None,
                }),
                _ => {
                    let message = "the address of an element is a value only if its index is a number";
                    return self.error(expr.span, message, "access the element where it is needed: `x[i]`");
                }
            },
            ExprKind::Name(name) | ExprKind::Address(Name { text: name, .. }) => {
                self.test.globals.find(name).map(|(loc, _)| loc)
            }
            _ => None,
        };
        let Some(loc) = loc else { return IrExpr::Const(0) };
        if !self.test.addresses.cover(loc, self.test.globals) {
            return self.error(expr.span, "internal error: this address was overlooked", "please report this as a bug");
        }
        IrExpr::Const(i64::from(self.test.range.address(loc)))
    }

    /// Is it the address of a variable, by its form?
    pub(super) fn is_address(&self, expr: &Expr) -> bool {
        match &without_casts(expr).kind {
            ExprKind::Name(name) => self.params.contains_key(name.as_str()),
            ExprKind::Address(_) => true,
            _ => false,
        }
    }

    /// Who forgets a `*` gets the address.
    pub(super) fn warn_of_address(&mut self, variable: &str, value: &Expr) {
        let is_number = self.types.get(variable).is_some_and(|ty| ty.pointers == 0);
        if let ExprKind::Name(name) = &value.kind
            && is_number
            && self.params.contains_key(name.as_str())
        {
            let message = format!("this is the address of `{name}`, and no number");
            let help = format!("`*{name}` is what it holds; `(int) {name}` says that the address is meant");
            self.messages.push(Diagnostic::warning(value.span, message).help(help));
        }
    }

    /// Addresses can be compared, and nothing else.
    pub(super) fn refuse_arithmetic(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        let is_fine = matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::And | BinaryOp::Or);
        for operand in [left, right] {
            if !is_fine && self.ty(operand).is_some_and(|ty| ty.pointers > 0) {
                self.error(operand.span, "arithmetic on addresses is not supported", addresses_help());
            }
        }
    }

    /// The type of an expression, as far as it is declared.
    fn ty(&self, expr: &Expr) -> Option<Type> {
        match &expr.kind {
            ExprKind::Name(name) => self.params.get(name.as_str()).or_else(|| self.types.get(name.as_str())).copied(),
            ExprKind::Address(name) => self.params.get(name.text.as_str()).copied(),
            ExprKind::Cast(ty, _) => Some(*ty),
            ExprKind::Deref(address) => self.ty(address)?.pointee(),
            ExprKind::Assign(target, ..) => self.ty(target),
            ExprKind::Conditional(_, then, otherwise) => self.ty(then).or_else(|| self.ty(otherwise)),
            ExprKind::Binary(BinaryOp::Add, array, _) => self.ty(array).filter(|ty| ty.pointers > 0),
            ExprKind::Call(name, args) => match returns_content(&name.text) {
                true => self.ty(args.first()?)?.pointee(),
                false => None,
            },
            ExprKind::Int(_) | ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Error => None,
        }
    }

    /// The variable that `*address` is. What is declared atomic is accessed as the test is to be
    /// read.
    pub(super) fn dereferenced(&mut self, address: &Expr) -> Option<Shared> {
        let is_atomic = self.ty(address).and_then(Type::pointee).is_some_and(Type::is_atomic);
        let is_plain = !is_atomic || self.test.reading.deref != Some(Deref::SeqCst);
        if is_atomic && self.test.reading.deref.is_none() && !self.test.warned.replace(true) {
            let message = "this is a plain access, as herd reads it, although the variable is declared atomic";
            let help = "`--litmus-deref sc` makes it seq_cst, as C does; `--litmus-deref plain` removes the warning";
            self.messages.push(Diagnostic::warning(address.span, message).help(help));
        }
        let mut shared = self.shared(address)?;
        if is_plain {
            shared.choices.iter_mut().for_each(|choice| choice.kind = LocationKind::NonAtomic);
        }
        Some(shared)
    }

    // Accesses.

    /// Emits an access of a variable, for everything that it can be.
    pub(super) fn access(&mut self, shared: &Shared, op: impl Fn(Place, LocationKind) -> Op) {
        let Some((last, others)) = shared.choices.split_last() else { return };
        let end = self.label();
        for choice in others {
            let next = self.label();
            let is_other = IrExpr::Unary(UnaryOp::Not, Box::new(choice.condition.clone()));
            self.emit(Op::Branch { cond: is_other, target: next });
            self.emit(op(choice.place.clone(), choice.kind));
            self.emit(Op::Jump { target: end });
            self.place(next);
        }
        self.emit(op(last.place.clone(), last.kind));
        self.place(end);
    }

    pub(super) fn load(&mut self, shared: &Shared, want: Want) -> IrExpr {
        let dst = match self.destination(want) {
            None if shared.kinds().any(|kind| kind != LocationKind::Atomic) => Some(self.temporary()),
            dst => dst,
        };
        self.access(shared, |place, kind| match (kind, dst) {
            (LocationKind::NonAtomic, Some(dst)) => Op::PlainLoad { dst, place },
            _ => Op::Load { dst, place, order: ReadOrder::Sc },
        });
        self.result(dst)
    }

    pub(super) fn store(&mut self, shared: &Shared, value: IrExpr) {
        self.access(shared, |place, kind| match kind {
            LocationKind::Atomic => Op::Store { place, value: value.clone(), order: WriteOrder::Sc },
            _ => Op::PlainStore { place, value: value.clone() },
        });
    }

    /// Reads what an address or the address of a local variable names.
    pub(super) fn read_expected(&mut self, target: &Expr) -> Option<(IrExpr, Expected)> {
        match &without_casts(target).kind {
            ExprKind::Address(name) if !self.params.contains_key(name.text.as_str()) => {
                let register = self.register(&name.text, name.span)?;
                Some((self.number_in(register), Expected::Register(register)))
            }
            _ => {
                let shared = self.dereferenced(target)?;
                Some((self.load(&shared, Want::Value), Expected::Shared(shared)))
            }
        }
    }

    /// Writes what was read back there, if it is something else.
    pub(super) fn write_expected(&mut self, target: Expected, read: RegId, failed: IrExpr) {
        match target {
            Expected::Register(register) => self.set(register, self.number_in(read)),
            Expected::Shared(shared) => {
                let end = self.label();
                let succeeded = IrExpr::Unary(UnaryOp::Not, Box::new(failed));
                self.emit(Op::Branch { cond: succeeded, target: end });
                let value = self.number_in(read);
                self.store(&shared, value);
                self.place(end);
            }
        }
    }
}

/// `0 <= offset && offset < length`
fn is_below(offset: IrExpr, length: usize) -> IrExpr {
    let compared = |op, bound| IrExpr::Binary(IrOp::Cmp(op), Box::new(offset.clone()), Box::new(IrExpr::Const(bound)));
    IrExpr::Binary(IrOp::And, Box::new(compared(CmpOp::Ge, 0)), Box::new(compared(CmpOp::Lt, length as i64)))
}
