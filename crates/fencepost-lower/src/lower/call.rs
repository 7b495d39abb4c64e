//! Inlining of procedure calls.

use fencepost_base::source::Span;
use fencepost_ir::{Op, Place, reduce};
use fencepost_syntax::ast::{Expr as AstExpr, ExprKind, Name, Stmt, StmtKind};
use fencepost_syntax::messages::suggestion;

use super::procs::Proc;
use super::symbols::Symbol;
use super::thread::{Binding, Frame, Target, ThreadLowerer};

impl<'a> ThreadLowerer<'_, 'a> {
    pub(super) fn call(&mut self, name: &Name, args: &[AstExpr], span: Span) -> Option<()> {
        let procs = self.procs();
        let index = match self.globals().symbol(&name.text) {
            Some(Symbol::Proc(index)) => index,
            _ => {
                self.not_a_procedure(name);
                return None;
            }
        };
        let proc = procs.list.get(index)?;
        self.mark_called(index);
        if proc.recursive {
            return None;
        }
        if proc.params.len() != args.len() {
            let count = |n: usize| if n == 1 { "1 argument".to_owned() } else { format!("{n} arguments") };
            let message = format!("`{}` takes {}, not {}", name.text, count(proc.params.len()), args.len());
            self.error(span, message, |problem| problem.also(proc.name.span, "defined here"));
            return None;
        }
        let bindings: Vec<Binding> = (0..args.len()).map(|index| self.argument(proc, index, &args[index])).collect();
        let mut frame = Frame::new(Some(self.called_from().unwrap_or(span)));
        for (param, binding) in proc.params.iter().zip(bindings) {
            frame.bind(&param.text, param.span, binding);
        }
        self.inlined(frame, proc, span)
    }

    fn not_a_procedure(&mut self, name: &Name) {
        let procs = self.procs();
        let names: Vec<&str> = procs.list.iter().map(|proc| proc.name.text.as_str()).collect();
        let builtin = ["fence", "lwfence", "wait", "assume", "assert", "verify", "bound", "nondet"];
        let help = match suggestion(&name.text, names.into_iter().chain(builtin)) {
            Some(other) => Some(format!("did you mean `{other}`?")),
            None => matches!(name.text.to_ascii_lowercase().as_str(), "cas" | "bcas" | "fadd" | "exchange")
                .then(|| "operations are written after the location, as in `x.fadd(1)`".to_owned()),
        };
        self.error(name.span, format!("there is no procedure `{}`", name.text), |problem| match help {
            Some(help) => problem.help(help),
            None => problem,
        });
    }

    /// What a parameter stands for during one call.
    fn argument(&mut self, proc: &Proc<'a>, index: usize, arg: &AstExpr) -> Binding {
        let (param, usage) = (&proc.params[index], proc.usage[index]);
        if let Some(target) = self.location_argument(arg) {
            let Some(target) = target else { return Binding::Unknown };
            if let Some(value_use) = usage.value {
                let message = format!("`{}` needs a value for `{}`, this is a location", proc.name.text, param.text);
                self.error(arg.span, message, |problem| problem.also(value_use, "used as a value here"));
                return Binding::Unknown;
            }
            return Binding::Place(target);
        }
        let Some(value) = self.expr(arg) else { return Binding::Unknown };
        if let Some(location_use) = usage.location {
            let message = format!("`{}` needs a location for `{}`, this is a value", proc.name.text, param.text);
            self.error(arg.span, message, |problem| problem.also(location_use, "used as a location here"));
            return Binding::Unknown;
        }
        let domain = self.globals().domain;
        match value.as_constant(domain) {
            // What is known needs no register.
            Some(number) => Binding::Value(i64::from(reduce(number, domain))),
            None => {
                let dst = self.new_register(&param.text, 0, false);
                self.emit(Op::Assign { dst, value }, arg.span);
                Binding::Copy(dst)
            }
        }
    }

    /// The location an argument names; `None` if it is a value, `Some(None)` if it is a wrong
    /// location.
    fn location_argument(&mut self, arg: &AstExpr) -> Option<Option<Target>> {
        let (name, index) = match &arg.kind {
            ExprKind::Name(text) => (text, None),
            ExprKind::Element(place) => (&place.name.text, place.index.as_ref()),
            _ => return None,
        };
        let target = match (self.binding(name), self.globals().symbol(name)) {
            (Some(Binding::Place(target)), _) => target,
            (Some(Binding::Unknown), _) => return Some(None),
            (Some(_), _) => return None,
            (None, Some(Symbol::Shared(shared))) => Target::Shared(shared),
            (None, _) => return None,
        };
        let Some(index) = index else { return Some(Some(target)) };
        let Target::Shared(shared) = target else {
            self.error(arg.span, format!("`{name}` is not an array"), |problem| problem);
            return Some(None);
        };
        if shared.array.is_none() {
            self.error(arg.span, format!("`{name}` is not an array"), |problem| {
                problem.also(shared.span, "declared here")
            });
            return Some(None);
        }
        let Some(index_expr) = self.expr(index) else { return Some(None) };
        Some(match self.element(shared, index_expr.clone(), index.span) {
            Some(Place::Fixed(_) | Place::Element { .. }) => Some(Target::Element(shared, index_expr)),
            None => None,
        })
    }
}

/// Is a local certainly written before it is read by the statements after its
/// declaration? Only straight-line code is looked at; "no" is always right.
pub(super) fn written_first(name: &str, rest: &[Stmt]) -> bool {
    for stmt in rest {
        let mut read = false;
        let mut see = |expr: &AstExpr| read |= mentions(expr, name);
        let result = match &stmt.kind {
            StmtKind::Skip | StmtKind::Fence(_) | StmtKind::LightFence(_) => None,
            StmtKind::Assume(e) | StmtKind::Assert(e) | StmtKind::Verify(e) | StmtKind::Bound(e) => {
                see(e);
                None
            }
            StmtKind::Assign { target, value } => {
                see(value);
                Some(target)
            }
            StmtKind::Nondet { target, low, high } => {
                see(low);
                see(high);
                Some(target)
            }
            StmtKind::Access { result, access } => {
                access.place.index.iter().for_each(&mut see);
                use fencepost_syntax::ast::AccessKind as Kind;
                match &access.kind {
                    Kind::Store(e) | Kind::PlainStore(e) | Kind::Update(_, e) => see(e),
                    Kind::Cas { expected, desired, .. } | Kind::BlockingCas { expected, desired } => {
                        see(expected);
                        see(desired);
                    }
                    Kind::Load | Kind::PlainLoad | Kind::Lock | Kind::Unlock => {}
                }
                result.as_ref()
            }
            StmtKind::Local(locals) => {
                locals.iter().filter_map(|local| local.init.as_ref()).for_each(see);
                None
            }
            _ => return false,
        };
        if let Some(index) = result.and_then(|place| place.index.as_ref()) {
            read |= mentions(index, name);
        }
        if read {
            return false;
        }
        if result.is_some_and(|place| place.index.is_none() && place.name.text == name) {
            return true;
        }
    }
    false
}

fn mentions(expr: &AstExpr, name: &str) -> bool {
    match &expr.kind {
        ExprKind::Name(text) => text == name,
        ExprKind::Element(place) => place.index.as_ref().is_some_and(|index| mentions(index, name)),
        ExprKind::Unary(_, operand) | ExprKind::Integer(operand) | ExprKind::Wrap(operand) => mentions(operand, name),
        ExprKind::Binary(_, left, right) => mentions(left, name) || mentions(right, name),
        ExprKind::Int(_) | ExprKind::Me | ExprKind::Error => false,
    }
}
