//! Expressions, and places chosen by expressions.

use fencepost_base::diag::Diagnostic;
use fencepost_base::ids::LocId;
use fencepost_base::source::Span;
use fencepost_ir::{BinaryOp, CmpOp, Expr, LocationKind, Place, UnaryOp, reduce};
use fencepost_syntax::Language;
use fencepost_syntax::ast::{self, ExprKind, Name};
use fencepost_syntax::messages::suggestion;

use super::symbols::{Shared, Symbol};
use super::thread::{Binding, Me, Target, ThreadLowerer};

/// How the results of operators are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    /// Every result is reduced into the domain.
    Wrapping,
    /// Nothing is reduced.
    Integers,
}

pub(super) fn unary_op(op: ast::UnaryOp) -> UnaryOp {
    match op {
        ast::UnaryOp::Neg => UnaryOp::Neg,
        ast::UnaryOp::Not => UnaryOp::Not,
        ast::UnaryOp::BitNot => UnaryOp::BitNot,
    }
}

pub(crate) fn binary_op(op: ast::BinaryOp) -> BinaryOp {
    match op {
        ast::BinaryOp::Or => BinaryOp::Or,
        ast::BinaryOp::And => BinaryOp::And,
        ast::BinaryOp::BitOr => BinaryOp::BitOr,
        ast::BinaryOp::BitXor => BinaryOp::BitXor,
        ast::BinaryOp::BitAnd => BinaryOp::BitAnd,
        ast::BinaryOp::Eq => BinaryOp::Cmp(CmpOp::Eq),
        ast::BinaryOp::Ne => BinaryOp::Cmp(CmpOp::Ne),
        ast::BinaryOp::Lt => BinaryOp::Cmp(CmpOp::Lt),
        ast::BinaryOp::Le => BinaryOp::Cmp(CmpOp::Le),
        ast::BinaryOp::Gt => BinaryOp::Cmp(CmpOp::Gt),
        ast::BinaryOp::Ge => BinaryOp::Cmp(CmpOp::Ge),
        ast::BinaryOp::Shl => BinaryOp::Shl,
        ast::BinaryOp::Shr => BinaryOp::Shr,
        ast::BinaryOp::Add => BinaryOp::Add,
        ast::BinaryOp::Sub => BinaryOp::Sub,
        ast::BinaryOp::Mul => BinaryOp::Mul,
        ast::BinaryOp::Div => BinaryOp::Div,
        ast::BinaryOp::Rem => BinaryOp::Rem,
    }
}

/// Is the result of this operator reduced where arithmetic wraps?
pub(crate) fn wraps(op: BinaryOp) -> bool {
    !matches!(op, BinaryOp::Rem | BinaryOp::Cmp(_) | BinaryOp::And | BinaryOp::Or)
}

/// The condition that holds when `cond` does not.
pub(super) fn negate(cond: Expr) -> Expr {
    match cond {
        Expr::Const(value) => Expr::Const(i64::from(value == 0)),
        Expr::Unary(UnaryOp::Not, operand) => *operand,
        Expr::Binary(BinaryOp::Cmp(cmp), left, right) => {
            let opposite = match cmp {
                CmpOp::Eq => CmpOp::Ne,
                CmpOp::Ne => CmpOp::Eq,
                CmpOp::Lt => CmpOp::Ge,
                CmpOp::Le => CmpOp::Gt,
                CmpOp::Gt => CmpOp::Le,
                CmpOp::Ge => CmpOp::Lt,
            };
            Expr::Binary(BinaryOp::Cmp(opposite), left, right)
        }
        cond => Expr::Unary(UnaryOp::Not, Box::new(cond)),
    }
}

/// A place in an error message.
fn shown(place: &ast::Place) -> String {
    let brackets = |index: &Option<ast::Expr>| if index.is_some() { "[…]" } else { "" };
    let field = place.field.as_ref().map(|field| format!(".{}{}", field.name.text, brackets(&field.index)));
    format!("{}{}{}", place.name.text, brackets(&place.index), field.unwrap_or_default())
}

impl ThreadLowerer<'_, '_> {
    /// An expression as the language means it.
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let arithmetic = match self.language() {
            Language::Tpl => Arithmetic::Integers,
            _ => Arithmetic::Wrapping,
        };
        self.expr_in(expr, arithmetic)
    }

    /// An expression whose integer becomes a value: a number outside the domain is worth a warning.
    pub(super) fn value(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let lowered = self.expr(expr)?;
        if let Expr::Const(number) = lowered
            && let Some(warning) = self.globals().outside(number, expr.span)
        {
            self.push(warning);
        }
        Some(lowered)
    }

    fn expr_in(&mut self, expr: &ast::Expr, arithmetic: Arithmetic) -> Option<Expr> {
        let wrapped = |expr: Expr| match arithmetic {
            Arithmetic::Wrapping => Expr::Wrap(Box::new(expr)),
            Arithmetic::Integers => expr,
        };
        match &expr.kind {
            ExprKind::Int(value) => Some(Expr::Const(*value)),
            ExprKind::Name(text) => self.name_in_expr(text, expr.span),
            ExprKind::Element(place) => self.location_in_expr(place),
            ExprKind::Me => match self.me() {
                Me::Number(me) => Some(Expr::Const(me)),
                Me::Unknown => {
                    self.error(expr.span, "`me` has no meaning here", |problem| {
                        problem.help("of any number of copies none has a number: all behave alike")
                    });
                    None
                }
                Me::Nobody => {
                    self.error(expr.span, "`me` has no meaning here", |problem| {
                        problem.help("only copies of a thread have a number: `thread t[2] { … }`")
                    });
                    None
                }
            },
            ExprKind::Unary(ast::UnaryOp::Neg, operand) if arithmetic == Arithmetic::Integers => {
                // A negative number stays a number, so that it can be printed as one.
                match (&operand.kind, self.expr_in(operand, arithmetic)?) {
                    (ExprKind::Int(value), _) => Some(Expr::Const(value.wrapping_neg())),
                    (_, operand) => Some(Expr::Unary(UnaryOp::Neg, Box::new(operand))),
                }
            }
            ExprKind::Unary(op, operand) => {
                let lowered = Expr::Unary(unary_op(*op), Box::new(self.expr_in(operand, arithmetic)?));
                Some(if *op == ast::UnaryOp::Not { lowered } else { wrapped(lowered) })
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr_in(left, arithmetic), self.expr_in(right, arithmetic));
                let op = binary_op(*op);
                let lowered = Expr::Binary(op, Box::new(left?), Box::new(right?));
                if wraps(op) && arithmetic == Arithmetic::Wrapping {
                    self.warn_of_wrapping_constant(&lowered, expr.span);
                }
                Some(if wraps(op) { wrapped(lowered) } else { lowered })
            }
            ExprKind::Integer(operand) => self.expr_in(operand, Arithmetic::Integers),
            ExprKind::Wrap(operand) => Some(Expr::Wrap(Box::new(self.expr_in(operand, arithmetic)?))),
            ExprKind::Error => None,
        }
    }

    /// `(me + 2) % 3` where the sum wraps around before the remainder is taken is hardly ever
    /// meant.
    fn warn_of_wrapping_constant(&mut self, result: &Expr, span: Span) {
        let domain = self.globals().domain;
        if let Some(number) = result.as_constant(domain).filter(|number| !(0..domain as i64).contains(number)) {
            let message = format!("this is {number}, which wraps around to {}", reduce(number, domain));
            self.push(
                Diagnostic::warning(span, message)
                    .label(format!("values are 0 to {}", domain - 1))
                    .help("declare a larger `domain`, or write `int(…)` around the whole expression"),
            );
        }
    }

    fn name_in_expr(&mut self, text: &str, span: Span) -> Option<Expr> {
        let name = Name { text: text.to_owned(), span };
        match self.binding(text) {
            Some(Binding::Register(reg) | Binding::Copy(reg)) => return Some(Expr::Reg(reg)),
            Some(Binding::Value(value)) => return Some(Expr::Const(value)),
            Some(Binding::Place(_)) => return self.location_in_expr(&ast::Place::named(name)),
            Some(Binding::Unknown) => return None,
            None => {}
        }
        match self.globals().symbol(text) {
            Some(Symbol::Const(value)) => Some(Expr::Const(value)),
            Some(Symbol::Shared(_) | Symbol::Struct(_)) => self.location_in_expr(&ast::Place::named(name)),
            Some(Symbol::Proc(_)) => {
                self.error(span, format!("`{text}` is a procedure, not a value"), |problem| problem);
                None
            }
            None => {
                self.unknown_name(&name, "register or constant");
                None
            }
        }
    }

    /// A shared location where a value is wanted: an error, with advice for its kind.
    fn location_in_expr(&mut self, place: &ast::Place) -> Option<Expr> {
        let span = place.span;
        let shared = match self.target(place)? {
            Target::Shared(shared) | Target::Element(shared, _) => shared,
            Target::Struct(id) | Target::StructElement(id, _) => {
                self.needs_field(place, id);
                return None;
            }
        };
        let kind = shared.kind;
        let text = &shown(place);
        let (message, help) = match (kind, self.language()) {
            (LocationKind::NonAtomic, Language::Fp) => (
                format!("the non-atomic location `{text}` cannot be part of an expression"),
                format!("load it into a register first: `r = {text};`"),
            ),
            (LocationKind::NonAtomic, Language::Tpl) => (
                format!("the non-atomic location `{text}` cannot be part of an expression"),
                format!("load it into a register first: `r = {text}.naload();`"),
            ),
            _ => (
                format!("the location `{text}` cannot be part of an expression"),
                format!("load it into a register first: `r = {text}.load();`"),
            ),
        };
        self.error(span, message, |problem| problem.help(help));
        None
    }

    /// "there is no …", looking at the names of this thread too.
    pub(super) fn unknown_name(&mut self, name: &Name, what: &str) {
        let text = name.text.as_str();
        if fencepost_base::order::Mode::parse(text).is_some() {
            let message = format!("`{text}` is an order, not a value");
            self.error(name.span, message, |problem| problem.help("the values come first, then the order"));
            return;
        }
        if matches!(text, "NULL" | "nullptr" | "null" | "None" | "nil") {
            let message = format!("there are no pointers, and no `{text}`");
            self.error(name.span, message, |problem| {
                problem.help("a node is the index of an element: let 0 stand for none, and number nodes from 1")
            });
            return;
        }
        let mut names = self.local_names();
        names.extend(self.globals().names().into_iter().map(str::to_owned));
        let other = suggestion(text, names.iter().map(String::as_str)).map(str::to_owned);
        self.error(name.span, format!("there is no {what} `{text}`"), |problem| match other {
            Some(other) => problem.help(format!("did you mean `{other}`?")),
            None => problem,
        });
    }

    /// The location, array or element that a name stands for; reports what is not one.
    pub(super) fn target_or_report(&mut self, name: &Name) -> Option<Target> {
        let text = &name.text;
        let what = match self.binding(text) {
            Some(Binding::Place(target)) => return Some(target),
            Some(Binding::Unknown) => return None,
            Some(Binding::Register(_)) => "a register",
            Some(Binding::Copy(_) | Binding::Value(_)) => "a value",
            None => match self.globals().symbol(text) {
                Some(Symbol::Shared(shared)) => return Some(Target::Shared(shared)),
                Some(Symbol::Struct(id)) => return Some(Target::Struct(id)),
                Some(Symbol::Const(_)) => "a constant",
                Some(Symbol::Proc(_)) => "a procedure",
                None => {
                    self.unknown_name(name, "location");
                    return None;
                }
            },
        };
        self.error(name.span, format!("`{text}` is {what}, not a location"), |problem| problem);
        None
    }

    /// What a place stands for; reports what is wrong with it.
    pub(super) fn target(&mut self, place: &ast::Place) -> Option<Target> {
        let base = self.target_or_report(&place.name)?;
        let base = self.indexed(base, place.index.as_ref(), &place.name.text, place)?;
        let Some(field) = &place.field else { return Some(base) };
        let globals = self.globals();
        let id = match &base {
            Target::Struct(id) | Target::StructElement(id, _) => *id,
            Target::Shared(shared) | Target::Element(shared, _) => {
                let message = format!("`{}` is a location: it has no fields", place.name.text);
                self.error(field.name.span, message, |problem| problem.also(shared.span, "declared here"));
                return None;
            }
        };
        let structure = globals.structure(id);
        let Some(shared) = structure.field(&field.name.text) else {
            let message = format!("`{}` has no field `{}`", place.name.text, field.name.text);
            let other = suggestion(&field.name.text, structure.field_names());
            let all: Vec<&str> = structure.field_names().collect();
            self.error(field.name.span, message, |problem| {
                problem.also(structure.span, "declared here").help(match other {
                    Some(other) => format!("did you mean `{other}`?"),
                    None => format!("its fields are {}", all.join(", ")),
                })
            });
            return None;
        };
        let text = format!("{}.{}", place.name.text, field.name.text);
        match (base, structure.len) {
            (Target::StructElement(_, index), _) => {
                self.indexed(Target::Element(shared, index), field.index.as_ref(), &text, place)
            }
            (_, None) => self.indexed(Target::Shared(shared), field.index.as_ref(), &text, place),
            (_, Some(_)) => {
                self.needs_index(place, id);
                None
            }
        }
    }

    /// An element of an array, if there is an index.
    fn indexed(&mut self, target: Target, index: Option<&ast::Expr>, text: &str, place: &ast::Place) -> Option<Target> {
        let Some(index) = index else { return Some(target) };
        let declared = match target {
            Target::Shared(shared) if shared.array.is_some() => {
                return Some(Target::Element(shared, self.expr(index)?));
            }
            Target::Struct(id) if self.globals().structure(id).len.is_some() => {
                return Some(Target::StructElement(id, self.expr(index)?));
            }
            Target::Shared(shared) | Target::Element(shared, _) => shared.span,
            Target::Struct(id) | Target::StructElement(id, _) => self.globals().structure(id).span,
        };
        self.error(place.span, format!("`{text}` is not an array"), |problem| problem.also(declared, "declared here"));
        None
    }

    /// A struct where a location is wanted.
    fn needs_field(&mut self, place: &ast::Place, id: usize) {
        let structure = self.globals().structure(id);
        if structure.len.is_some() && place.index.is_none() && self.is_whole(&place.name.text) {
            return self.needs_index(place, id);
        }
        let text = shown(place);
        let field = structure.field_names().next().unwrap_or("field").to_owned();
        self.error(place.span, format!("`{text}` is a struct"), |problem| {
            problem.also(structure.span, "declared here").help(format!("say which of its fields: `{text}.{field}`"))
        });
    }

    /// Does the name stand for a whole array of structs, rather than for an element?
    fn is_whole(&self, name: &str) -> bool {
        !matches!(self.binding(name), Some(Binding::Place(Target::StructElement(..))))
    }

    /// An array of structs where one of them is wanted.
    fn needs_index(&mut self, place: &ast::Place, id: usize) {
        let structure = self.globals().structure(id);
        let (name, len) = (&place.name.text, structure.len.unwrap_or(1));
        let field = match &place.field {
            Some(field) => field.name.text.as_str(),
            None => structure.field_names().next().unwrap_or("field"),
        };
        self.error(place.span, format!("`{name}` is an array of structs"), |problem| {
            problem
                .also(structure.span, "declared here")
                .help(format!("say which of its {len} elements: `{name}[0].{field}`"))
        });
    }

    /// One location of the wanted kind.
    pub(super) fn place(&mut self, place: &ast::Place, wanted: LocationKind) -> Option<Place> {
        let text = shown(place);
        let (lowered, kind) = match self.target(place)? {
            Target::Element(shared, index) => {
                let span = place.indices().last().map_or(place.span, |index| index.span);
                (self.element(shared, index, span)?, shared.kind)
            }
            Target::Shared(shared) => {
                if let Some((_, len)) = shared.array {
                    self.error(place.span, format!("`{text}` is an array"), |problem| {
                        problem
                            .also(shared.span, "declared here")
                            .help(format!("say which of its {len} elements: `{text}[0]`"))
                    });
                    return None;
                }
                (Place::Fixed(shared.base), shared.kind)
            }
            Target::Struct(id) | Target::StructElement(id, _) => {
                self.needs_field(place, id);
                return None;
            }
        };
        if kind != wanted {
            let (message, help) = match (wanted, self.language()) {
                (LocationKind::NonAtomic, Language::Fp) => (
                    format!("`{text}` is atomic: plain assignment does not access it"),
                    format!("use `{text}.load()` or `{text}.store(…)`"),
                ),
                (LocationKind::NonAtomic, Language::Tpl) => (
                    format!("`{text}` is atomic: a non-atomic operation does not access it"),
                    format!("use `{text}.load()` or `{text}.store(…)`"),
                ),
                (_, Language::Tpl) => (
                    format!("`{text}` is non-atomic: an atomic operation does not access it"),
                    format!("use `{text}.naload()` or `{text}.nastore(…)`"),
                ),
                _ => (
                    format!("`{text}` is non-atomic: an atomic operation does not access it"),
                    format!("use plain assignment: `r = {text};` or `{text} = r;`"),
                ),
            };
            self.error(place.span, message, |problem| problem.help(help));
            return None;
        }
        Some(lowered)
    }

    /// An array element; a constant index is checked here and now.
    pub(super) fn element(&mut self, shared: Shared, index: Expr, span: Span) -> Option<Place> {
        let (array, len) = shared.array?;
        match index.as_constant(self.globals().domain) {
            None => Some(Place::Element { array, index }),
            Some(number) => match u32::try_from(number).ok().filter(|&number| number < len) {
                Some(number) => Some(Place::Fixed(LocId(shared.base.0 + number))),
                None => {
                    self.error(span, format!("index {number} is out of range"), |problem: Diagnostic| {
                        problem
                            .label(format!("the array has {len} elements, counted from 0"))
                            .also(shared.span, "declared here")
                    });
                    None
                }
            },
        }
    }
}
