//! Memory operations: loads, stores, read-modify-writes, waits, fences.

use fencepost_base::ids::{LocId, RegId};
use fencepost_base::order::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use fencepost_base::source::Span;
use fencepost_ir::{CasStrength, CmpOp, Expr, LocationKind, Op, Place, RmwFunction, WaitCondition, reduce};
use fencepost_syntax::Language;
use fencepost_syntax::ast::{
    self, Access, AccessKind, BinaryOp, Expr as AstExpr, ExprKind, Function, Name, Place as AstPlace,
};

use super::symbols::{Shared, Symbol};
use super::thread::{Binding, Target, ThreadLowerer};

impl ThreadLowerer<'_, '_> {
    /// The register for a result.
    pub(super) fn result(&mut self, place: &AstPlace) -> Option<RegId> {
        let text = &place.name.text;
        let what = match self.binding(text) {
            Some(Binding::Register(reg)) if place.is_name() => return Some(reg),
            Some(Binding::Register(_)) if place.index.is_none() => "a register, not a struct",
            Some(Binding::Register(_)) => "a register, not an array",
            Some(Binding::Unknown) => return None,
            Some(Binding::Copy(_) | Binding::Value(_)) => {
                self.assigned_parameter(place);
                return None;
            }
            Some(Binding::Place(_)) => "a location",
            None => match self.globals().symbol(text) {
                Some(Symbol::Shared(_) | Symbol::Struct(_)) => "a location",
                Some(Symbol::Const(_)) => "a constant",
                Some(Symbol::Proc(_)) => "a procedure",
                None => {
                    self.unknown_name(&place.name, "register");
                    return None;
                }
            },
        };
        self.error(place.span, format!("`{text}` is {what}: the result needs a register"), |problem| problem);
        None
    }

    /// An assignment to a parameter that is a value.
    fn assigned_parameter(&mut self, place: &AstPlace) {
        let text = &place.name.text;
        let message = format!("`{text}` is a parameter: an assignment would change a copy, not what the caller has");
        self.error(place.span, message, |problem| {
            problem
                .help(format!("for a register of the procedure's own, declare one: `local t = {text};`"))
                .help("to hand a value to the caller, `return t;`: the caller takes it by `v = p();`")
        });
    }

    fn optional_result(&mut self, place: Option<&AstPlace>) -> Option<Option<RegId>> {
        match place {
            None => Some(None),
            Some(place) => self.result(place).map(Some),
        }
    }

    fn no_result(&mut self, place: Option<&AstPlace>, word: &Name) -> Option<()> {
        let Some(place) = place else { return Some(()) };
        self.error(word.span, format!("`{}` has no result", word.text), |problem| {
            problem.also(place.span, "nothing to assign here")
        });
        None
    }

    pub(super) fn access(&mut self, result: Option<&AstPlace>, access: &Access, span: Span) -> Option<()> {
        let fp = self.language() == Language::Fp;
        let plain = matches!(access.kind, AccessKind::PlainLoad | AccessKind::PlainStore(_));
        let wanted = if plain { LocationKind::NonAtomic } else { LocationKind::Atomic };
        let place = self.place(&access.place, wanted);
        let order = access.orders.first();
        let op = match &access.kind {
            AccessKind::Load => {
                let dst = self.optional_result(result);
                let order = self.read_order(order, if fp { ReadOrder::Acq } else { ReadOrder::Rlx });
                Op::Load { dst: dst?, place: place?, order: order? }
            }
            AccessKind::Store(value) => {
                self.no_result(result, &access.word)?;
                let value = self.value(value);
                let order = self.write_order(order, if fp { WriteOrder::Rel } else { WriteOrder::Rlx });
                Op::Store { place: place?, value: value?, order: order? }
            }
            AccessKind::Update(function, operand) => {
                let dst = self.optional_result(result);
                let operand = match function {
                    Function::Exchange => self.value(operand),
                    _ => self.expr(operand),
                };
                let order = self.rmw_order(&access.orders);
                let function = match function {
                    Function::Add => RmwFunction::Add,
                    Function::Sub => RmwFunction::Sub,
                    Function::And => RmwFunction::And,
                    Function::Or => RmwFunction::Or,
                    Function::Xor => RmwFunction::Xor,
                    Function::Exchange => RmwFunction::Exchange,
                };
                Op::Update { dst: dst?, place: place?, function, operand: operand?, order: order? }
            }
            AccessKind::Cas { expected, desired, weak } => {
                let dst = self.optional_result(result);
                let (expected, desired) = (self.value(expected), self.value(desired));
                let (success, failure) = self.cas_orders(&access.orders)?;
                let strength = if *weak { CasStrength::Weak } else { CasStrength::Strong };
                Op::Cas { dst: dst?, place: place?, expected: expected?, desired: desired?, success, failure, strength }
            }
            AccessKind::BlockingCas { expected, desired } => {
                self.no_result(result, &access.word)?;
                let (expected, desired) = (self.value(expected), self.value(desired));
                let order = self.rmw_order(&access.orders);
                Op::BlockingCas { place: place?, expected: expected?, desired: desired?, order: order? }
            }
            AccessKind::PlainLoad => {
                let dst = match result {
                    Some(result) => self.result(result)?,
                    None => self.new_register("unused", 0, false),
                };
                Op::PlainLoad { dst, place: place? }
            }
            AccessKind::PlainStore(value) => {
                self.no_result(result, &access.word)?;
                let value = self.value(value);
                Op::PlainStore { place: place?, value: value? }
            }
            AccessKind::Lock => {
                self.no_result(result, &access.word)?;
                let (expected, desired) = (Expr::Const(0), Expr::Const(1));
                Op::BlockingCas { place: place?, expected, desired, order: RmwOrder::Acq }
            }
            AccessKind::Unlock => {
                self.no_result(result, &access.word)?;
                Op::Store { place: place?, value: Expr::Const(0), order: WriteOrder::Rel }
            }
        };
        self.emit(op, span);
        Some(())
    }

    pub(super) fn wait(
        &mut self,
        result: Option<&AstPlace>,
        condition: &ast::WaitCondition,
        order: Option<&Name>,
        span: Span,
    ) -> Option<()> {
        let default = if self.language() == Language::Fp { ReadOrder::Acq } else { ReadOrder::Rlx };
        let order = self.read_order(order, default);
        let dst = self.optional_result(result);
        let mut any_of = Vec::new();
        let place = match condition {
            ast::WaitCondition::Compare(condition) => {
                let mut place = None;
                self.comparisons(condition, &mut place, &mut any_of)?;
                place.map(|(place, _)| place)
            }
            ast::WaitCondition::Values(place, values) => {
                for value in values {
                    let value = self.value(value)?;
                    any_of.push((CmpOp::Eq, self.reduced(value)));
                }
                self.place(place, LocationKind::Atomic)
            }
        };
        let op = Op::Wait { dst: dst?, place: place?, condition: WaitCondition { any_of }, order: order? };
        self.emit(op, span);
        Some(())
    }

    /// The value of an expression in a language where the outermost result is reduced.
    fn reduced(&self, value: Expr) -> Expr {
        match value {
            Expr::Const(number) => Expr::Const(i64::from(reduce(number, self.globals().domain))),
            Expr::Reg(reg) => Expr::Reg(reg),
            value => Expr::Wrap(Box::new(value)),
        }
    }

    /// Comparisons of one location, joined by `||`.
    fn comparisons(
        &mut self,
        condition: &AstExpr,
        place: &mut Option<(Place, Span)>,
        any_of: &mut Vec<(CmpOp, Expr)>,
    ) -> Option<()> {
        let help = "wait for comparisons of one location with expressions, as in `wait(x == 1 || x == r)`";
        let ExprKind::Binary(op, left, right) = &condition.kind else {
            self.error(condition.span, "expected a comparison", |problem| problem.help(help));
            return None;
        };
        let cmp = match op {
            BinaryOp::Or => {
                let left = self.comparisons(left, place, any_of);
                let right = self.comparisons(right, place, any_of);
                return left.and(right);
            }
            BinaryOp::Eq => CmpOp::Eq,
            BinaryOp::Ne => CmpOp::Ne,
            BinaryOp::Lt => CmpOp::Lt,
            BinaryOp::Le => CmpOp::Le,
            BinaryOp::Gt => CmpOp::Gt,
            BinaryOp::Ge => CmpOp::Ge,
            _ => {
                self.error(condition.span, "expected a comparison", |problem| problem.help(help));
                return None;
            }
        };
        let (location, other, cmp) = match (self.names_location(left), self.names_location(right)) {
            (Some(location), None) => (location, right, cmp),
            (None, Some(location)) => (location, left, mirrored(cmp)),
            (Some(_), Some(_)) => {
                self.error(condition.span, "both sides are locations", |problem| problem.help(help));
                return None;
            }
            (None, None) => {
                // A misspelt location is the likely mistake: say so rather than explain the rule.
                if let ExprKind::Name(text) = &left.kind
                    && self.binding(text).is_none()
                    && self.globals().symbol(text).is_none()
                {
                    self.unknown_name(&Name { text: text.clone(), span: left.span }, "location");
                } else {
                    self.error(condition.span, "neither side is a location", |problem| problem.help(help));
                }
                return None;
            }
        };
        let lowered = self.place(&location, LocationKind::Atomic)?;
        let other_span = other.span;
        let other = self.expr(other)?;
        self.constant_comparison(cmp, &other, other_span);
        match place {
            None => *place = Some((lowered, location.span)),
            Some((first, _)) if *first == lowered => {}
            Some((_, first)) => {
                let first = *first;
                self.error(location.span, "this is another location", |problem| {
                    problem.also(first, "than this one").help("one wait reads one location")
                });
                return None;
            }
        }
        any_of.push((cmp, other));
        Some(())
    }

    /// Warns of a comparison whose outcome does not depend on the value read.
    fn constant_comparison(&mut self, cmp: CmpOp, other: &Expr, span: Span) {
        let Expr::Const(number) = *other else { return };
        let domain = self.globals().domain;
        if (0..domain as i64).contains(&number) {
            return;
        }
        let answer = if cmp.holds(0, number) { "always" } else { "never" };
        let message = format!("{number} is outside the domain: the comparison is {answer} true");
        self.warning(span, message, format!("values are 0 to {}", domain - 1));
    }

    /// The place an expression names, if it is a shared location (or may become one).
    fn names_location(&self, expr: &AstExpr) -> Option<AstPlace> {
        let place = match &expr.kind {
            ExprKind::Name(text) => AstPlace::named(Name { text: text.clone(), span: expr.span }),
            ExprKind::Element(place) => (**place).clone(),
            _ => return None,
        };
        self.is_location(&place.name.text).then_some(place)
    }

    /// Does the name stand for a location or for several?
    pub(super) fn is_location(&self, name: &str) -> bool {
        match self.binding(name) {
            Some(Binding::Place(_)) => true,
            Some(_) => false,
            None => matches!(self.globals().symbol(name), Some(Symbol::Shared(_) | Symbol::Struct(_))),
        }
    }

    pub(super) fn fence(&mut self, order: Option<&Name>, span: Span) -> Option<()> {
        let order = match (order, self.language()) {
            (None, Language::Tpl) => FenceOrder::Sc,
            (None, _) => {
                self.error(span, "a fence needs an order", |problem| {
                    problem.help("write `fence(sc);`, or acq, rel, acqrel in place of sc")
                });
                return None;
            }
            (Some(_), _) => self.fence_order(order)?,
        };
        self.emit(Op::Fence { order }, span);
        Some(())
    }

    pub(super) fn light_fence(&mut self, places: &[AstPlace], span: Span) -> Option<()> {
        let mut locations: Vec<LocId> = Vec::new();
        for place in places {
            let whole = |shared: Shared| {
                let len = shared.array.map_or(1, |(_, len)| len);
                (0..len).map(move |index| LocId(shared.base.0 + index))
            };
            match self.target(place)? {
                Target::Shared(shared) => locations.extend(whole(shared)),
                Target::Element(shared, index) => {
                    let span = place.indices().last().map_or(place.span, |index| index.span);
                    locations.push(self.fixed_element(shared, index, span)?);
                }
                Target::Struct(id) => {
                    let fields = &self.globals().structure(id).fields;
                    locations.extend(fields.iter().flat_map(|&(_, shared)| whole(shared)));
                }
                Target::StructElement(id, index) => {
                    for &(_, shared) in &self.globals().structure(id).fields {
                        locations.push(self.fixed_element(shared, index.clone(), place.span)?);
                    }
                }
            }
        }
        let locations = if places.is_empty() { None } else { Some(locations) };
        self.emit(Op::LightFence { locations }, span);
        Some(())
    }

    fn fixed_element(&mut self, shared: Shared, index: Expr, span: Span) -> Option<LocId> {
        match self.element(shared, index, span)? {
            Place::Fixed(loc) => Some(loc),
            Place::Element { .. } => {
                self.error(span, "the index must be a constant here", |problem| {
                    problem.help("name the whole array to cover all its elements")
                });
                None
            }
        }
    }
}

/// The comparison that holds of `(b, a)` exactly when `cmp` holds of `(a, b)`.
fn mirrored(cmp: CmpOp) -> CmpOp {
    match cmp {
        CmpOp::Eq => CmpOp::Eq,
        CmpOp::Ne => CmpOp::Ne,
        CmpOp::Lt => CmpOp::Gt,
        CmpOp::Le => CmpOp::Ge,
        CmpOp::Gt => CmpOp::Lt,
        CmpOp::Ge => CmpOp::Le,
    }
}
