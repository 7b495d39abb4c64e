//! Inlining of procedure calls.

use fencepost_base::source::Span;
use fencepost_ir::{Op, reduce};
use fencepost_syntax::ast::{Expr as AstExpr, ExprKind, Name, Place as AstPlace, Stmt, StmtKind};
use fencepost_syntax::messages::suggestion;
use fencepost_syntax::{is_method, statement_habit};

use super::procs::Proc;
use super::symbols::Symbol;
use super::thread::{Binding, Frame, Returns, Target, ThreadLowerer};

impl<'a> ThreadLowerer<'_, 'a> {
    pub(super) fn call(&mut self, result: Option<&AstPlace>, name: &Name, args: &[AstExpr], span: Span) -> Option<()> {
        let procs = self.procs();
        let index = match self.globals().symbol(&name.text) {
            Some(Symbol::Proc(index)) => index,
            _ => {
                self.not_a_procedure(name, args);
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
        if let (Some(result), None) = (result, proc.result) {
            self.error(result.span, format!("`{}` has no result", name.text), |problem| {
                problem.also(proc.name.span, "defined here").help("a procedure returns a value by `return e;`")
            });
            return None;
        }
        let dst = match result {
            None => None,
            Some(result) => Some(self.result(result)?),
        };
        let bindings: Vec<Binding> = (0..args.len()).map(|index| self.argument(proc, index, &args[index])).collect();
        let returns = Returns { end: None, dst, section: self.section, thread: false };
        let mut frame = Frame::new(Some(self.called_from().unwrap_or(span)), returns);
        for (param, binding) in proc.params.iter().zip(bindings) {
            frame.bind(&param.text, param.span, binding);
        }
        self.inlined(frame, proc, span)
    }

    fn not_a_procedure(&mut self, name: &Name, args: &[AstExpr]) {
        if let (Some(problem), None) = (statement_habit(&name.text, name.span), self.globals().symbol(&name.text)) {
            return self.push(problem);
        }
        let procs = self.procs();
        let names: Vec<&str> = procs.list.iter().map(|proc| proc.name.text.as_str()).collect();
        let builtin = ["fence", "lwfence", "wait", "assume", "assert", "verify", "bound", "nondet"];
        let operation = name.text.to_ascii_lowercase();
        let operation = is_method(&operation).then_some(operation);
        let place = args.first().and_then(|arg| match &arg.kind {
            ExprKind::Name(place) => Some(place.as_str()),
            _ => None,
        });
        let help = match (operation, suggestion(&name.text, names.into_iter().chain(builtin))) {
            (Some(operation), _) => {
                Some(format!("operations are written after the location: `{}.{operation}(…)`", place.unwrap_or("x")))
            }
            (None, Some(other)) => Some(format!("did you mean `{other}`?")),
            (None, None) => None,
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
        let place = match &arg.kind {
            ExprKind::Name(text) => AstPlace::named(Name { text: text.clone(), span: arg.span }),
            ExprKind::Element(place) => (**place).clone(),
            _ => return None,
        };
        match (self.binding(&place.name.text), self.globals().symbol(&place.name.text)) {
            (Some(Binding::Place(_)), _) | (None, Some(Symbol::Shared(_) | Symbol::Struct(_))) => {}
            (Some(Binding::Unknown), _) => return Some(None),
            _ => return None,
        }
        let target = self.target(&place);
        // A constant index is checked here and now.
        if let (Some(Target::Element(shared, index)), Some(span)) =
            (&target, place.indices().last().map(|index| index.span))
        {
            return Some(self.element(*shared, index.clone(), span).and(target));
        }
        Some(target)
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
            StmtKind::Call { result, args, .. } => {
                args.iter().for_each(see);
                result.as_ref()
            }
            StmtKind::Access { result, access } => {
                access.place.indices().for_each(&mut see);
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
        read |= result.is_some_and(|place| place.indices().any(|index| mentions(index, name)));
        if read {
            return false;
        }
        if result.is_some_and(|place| place.is_name() && place.name.text == name) {
            return true;
        }
    }
    false
}

fn mentions(expr: &AstExpr, name: &str) -> bool {
    match &expr.kind {
        ExprKind::Name(text) => text == name,
        ExprKind::Element(place) => place.indices().any(|index| mentions(index, name)),
        ExprKind::Unary(_, operand) | ExprKind::Integer(operand) | ExprKind::Wrap(operand) => mentions(operand, name),
        ExprKind::Binary(_, left, right) => mentions(left, name) || mentions(right, name),
        ExprKind::Int(_) | ExprKind::Me | ExprKind::Error => false,
    }
}
