//! Procedures before they are inlined: who calls whom, and what parameters are.

use std::collections::HashMap;

use fencepost_base::diag::Diagnostic;
use fencepost_base::source::Span;
use fencepost_syntax::ast::{
    AccessKind, BinaryOp, Block, Expr, ExprKind, File, ItemKind, Name, Place, Stmt, StmtKind, WaitCondition,
};
use fencepost_syntax::messages::Messages;

use super::control::closing_brace;
use super::symbols::{Globals, Symbol, duplicate};

/// A procedure.
pub(super) struct Proc<'a> {
    pub(super) name: &'a Name,
    pub(super) params: &'a [Name],
    pub(super) body: &'a Block,
    /// How each parameter is used.
    pub(super) usage: Vec<Usage>,
    /// It calls itself, or calls one that does: it cannot be inlined.
    pub(super) recursive: bool,
    /// The first `return e;`, if it has a result.
    pub(super) result: Option<Span>,
}

/// How a parameter is used: first uses as a location and as a value, if any.
/// `r = p;` fits both, and `p = r;` is not judged here: then the argument decides.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    pub(super) location: Option<Span>,
    pub(super) value: Option<Span>,
}

/// All procedures of a file, in order.
pub(super) struct Procs<'a> {
    pub(super) list: Vec<Proc<'a>>,
}

impl<'a> Procs<'a> {
    pub(super) fn collect(file: &'a File, globals: &Globals, messages: &mut Messages) -> Self {
        let mut procs = Procs { list: Vec::new() };
        for item in &file.items {
            if let ItemKind::Proc { name, params, body } = &item.kind {
                let usage = vec![Usage::default(); params.len()];
                for (index, param) in params.iter().enumerate() {
                    if let Some(before) = params[..index].iter().find(|before| before.text == param.text) {
                        messages.push(duplicate(param, before.span));
                    }
                }
                let result = check_returns(name, body, messages);
                procs.list.push(Proc { name, params, body, usage, recursive: false, result });
            }
        }
        procs.analyse(globals, messages);
        procs
    }

    /// Callees before callers, without recursion: a chain of calls can be as long as the file.
    fn analyse(&mut self, globals: &Globals, messages: &mut Messages) {
        let calls: Vec<Vec<(usize, Span)>> = self
            .list
            .iter()
            .map(|proc| {
                let mut calls = Vec::new();
                calls_in(proc.body, globals, &mut calls);
                calls.retain(|&(callee, _)| callee < self.list.len());
                calls
            })
            .collect();
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); self.list.len()];
        let mut waiting: Vec<usize> = calls.iter().map(Vec::len).collect();
        for (caller, calls) in calls.iter().enumerate() {
            for &(callee, _) in calls {
                callers[callee].push(caller);
            }
        }
        let mut ready: Vec<usize> = (0..self.list.len()).filter(|&proc| waiting[proc] == 0).collect();
        while let Some(proc) = ready.pop() {
            self.list[proc].usage = self.usage_of(proc, globals);
            for &caller in &callers[proc] {
                waiting[caller] -= 1;
                if waiting[caller] == 0 {
                    ready.push(caller);
                }
            }
        }
        self.report_cycles(&calls, &waiting, messages);
    }

    /// Procedures still waiting for a callee are on a cycle of calls or lead to one.
    fn report_cycles(&mut self, calls: &[Vec<(usize, Span)>], waiting: &[usize], messages: &mut Messages) {
        let mut visited = vec![false; self.list.len()];
        for start in 0..self.list.len() {
            if waiting[start] == 0 {
                continue;
            }
            self.list[start].recursive = true;
            let mut path: Vec<(usize, Span)> = Vec::new();
            let mut current = start;
            while !visited[current] {
                visited[current] = true;
                let Some(&(next, span)) = calls[current].iter().find(|&&(callee, _)| waiting[callee] > 0) else {
                    break;
                };
                path.push((current, span));
                current = next;
            }
            if let Some(first) = path.iter().position(|&(proc, _)| proc == current) {
                let (_, span) = path[path.len() - 1];
                let name = self.list[current].name;
                let message = format!("`{}` calls itself", name.text);
                let mut problem = Diagnostic::error(span, message).help("procedures are inlined: use a loop instead");
                problem = problem.also(name.span, "defined here");
                for &(proc, span) in path[first..path.len() - 1].iter().take(5) {
                    problem = problem.also(span, format!("called by `{}`", self.list[proc].name.text));
                }
                messages.push(problem);
            }
        }
    }

    fn usage_of(&self, proc: usize, globals: &Globals) -> Vec<Usage> {
        let proc = &self.list[proc];
        let index = proc.params.iter().enumerate().map(|(index, name)| (name.text.as_str(), index)).collect();
        let mut scan = Scan { procs: self, globals, index, usage: vec![Usage::default(); proc.params.len()] };
        scan.block(proc.body);
        scan.usage
    }
}

/// Where a procedure first returns a value. If it does, every way through it has to.
fn check_returns(name: &Name, body: &Block, messages: &mut Messages) -> Option<Span> {
    let (mut with, mut without) = (None, None);
    returns_in(body, &mut |value, span| {
        let first = if value.is_some() { &mut with } else { &mut without };
        first.get_or_insert(span);
    });
    let result = with?;
    if let Some(without) = without {
        let message = format!("`{}` returns a value elsewhere, but none here", name.text);
        messages.push(Diagnostic::error(without, message).also(result, "here it does"));
    }
    if let Some(end) = open_end(body) {
        let message = format!("the end of `{}` can be reached without `return`", name.text);
        messages.push(
            Diagnostic::error(end, message)
                .also(result, "here it returns a value")
                .help("every way through the procedure has to end in `return e;`: write one before this brace"),
        );
    }
    Some(result)
}

fn returns_in(block: &Block, see: &mut dyn FnMut(Option<&Expr>, Span)) {
    for stmt in &block.stmts {
        if let StmtKind::Return(value) = &stmt.kind {
            see(value.as_ref(), stmt.span);
        }
        inner_blocks(&stmt.kind, &mut |block| returns_in(block, see));
    }
}

/// The closing brace, if control may get there. What conditions say is not looked at, but for loops
/// that go on for ever; "yes" is always right.
fn open_end(block: &Block) -> Option<Span> {
    // Behind a statement that ends, control is only if a jump leads there.
    let behind = block.stmts.iter().rposition(|stmt| ends(&stmt.kind)).map(|at| &block.stmts[at + 1..]);
    let open = behind.is_none_or(|behind| behind.iter().any(|stmt| has_label(&stmt.kind)));
    open.then_some(closing_brace(block))
}

/// Is there a label in the statement, or is it one?
fn has_label(kind: &StmtKind) -> bool {
    let mut found = matches!(kind, StmtKind::Label(..));
    inner_blocks(kind, &mut |block| found |= block.stmts.iter().any(|stmt| has_label(&stmt.kind)));
    found
}

/// Does control never get behind this statement?
fn ends(kind: &StmtKind) -> bool {
    let never_open = |block: &Block| open_end(block).is_none();
    let always = |cond: &Expr| matches!(cond.kind, ExprKind::Int(number) if number != 0);
    match kind {
        StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue => true,
        StmtKind::Block(block) | StmtKind::Atomic(block) => never_open(block),
        StmtKind::If { arms, otherwise: Some(otherwise) } => {
            arms.iter().map(|(_, block)| block).chain([otherwise]).all(never_open)
        }
        StmtKind::Choose(blocks) => blocks.iter().all(never_open),
        StmtKind::While(head, body) | StmtKind::DoWhile(body, head) => always(&head.cond) && !breaks(body),
        StmtKind::For(head, body) => head.cond.as_ref().is_none_or(always) && !breaks(body),
        _ => false,
    }
}

/// Is there a `break` in the body of a loop that leaves this loop?
fn breaks(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break => true,
        StmtKind::While(..) | StmtKind::DoWhile(..) | StmtKind::For(..) => false,
        kind => {
            let mut found = false;
            inner_blocks(kind, &mut |block| found |= breaks(block));
            found
        }
    })
}

/// Calls `visit` for the blocks directly inside a statement.
fn inner_blocks<'a>(kind: &'a StmtKind, visit: &mut dyn FnMut(&'a Block)) {
    match kind {
        StmtKind::If { arms, otherwise } => {
            arms.iter().for_each(|(_, block)| visit(block));
            otherwise.iter().for_each(visit);
        }
        StmtKind::While(_, block)
        | StmtKind::DoWhile(block, _)
        | StmtKind::For(_, block)
        | StmtKind::Atomic(block)
        | StmtKind::Block(block) => visit(block),
        StmtKind::Choose(blocks) => blocks.iter().for_each(visit),
        _ => {}
    }
}

/// The statements in the head of a `for`.
fn head_of(kind: &StmtKind) -> impl Iterator<Item = &Stmt> {
    let head = match kind {
        StmtKind::For(head, _) => Some(head),
        _ => None,
    };
    head.into_iter().flat_map(|head| head.first.iter().chain(&head.step)).map(|stmt| &**stmt)
}

fn calls_in(block: &Block, globals: &Globals, calls: &mut Vec<(usize, Span)>) {
    for stmt in block.stmts.iter().flat_map(|stmt| std::iter::once(stmt).chain(head_of(&stmt.kind))) {
        if let StmtKind::Call { name, .. } = &stmt.kind
            && let Some(Symbol::Proc(callee)) = globals.symbol(&name.text)
        {
            calls.push((callee, stmt.span));
        }
        inner_blocks(&stmt.kind, &mut |block| calls_in(block, globals, calls));
    }
}

/// Looks for the uses of parameters in a body.
struct Scan<'s, 'a> {
    procs: &'s Procs<'a>,
    globals: &'s Globals,
    index: HashMap<&'s str, usize>,
    usage: Vec<Usage>,
}

impl Scan<'_, '_> {
    fn param(&mut self, name: &str) -> Option<&mut Usage> {
        let index = *self.index.get(name)?;
        self.usage.get_mut(index)
    }

    fn location(&mut self, place: &Place) {
        if let Some(usage) = self.param(&place.name.text) {
            usage.location.get_or_insert(place.span);
        }
        place.indices().for_each(|index| self.value(index));
    }

    /// A place that is assigned to: a location if it has an index or a field, else not yet clear.
    fn assigned(&mut self, place: &Place) {
        if !place.is_name() {
            self.location(place);
        }
    }

    fn value(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => {
                if let Some(usage) = self.param(name) {
                    usage.value.get_or_insert(expr.span);
                }
            }
            ExprKind::Element(place) => self.location(place),
            ExprKind::Unary(_, operand) | ExprKind::Integer(operand) | ExprKind::Wrap(operand) => self.value(operand),
            ExprKind::Binary(_, left, right) => {
                self.value(left);
                self.value(right);
            }
            ExprKind::Int(_) | ExprKind::Me | ExprKind::Error => {}
        }
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(&stmt.kind);
            head_of(&stmt.kind).for_each(|stmt| self.stmt(&stmt.kind));
            let mut blocks = Vec::new();
            inner_blocks(&stmt.kind, &mut |block| blocks.push(block));
            blocks.into_iter().for_each(|block| self.block(block));
        }
    }

    fn stmt(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Local(locals) => {
                locals.iter().filter_map(|local| local.init.as_ref()).for_each(|e| self.value(e))
            }
            StmtKind::Assign { target, value } => {
                self.assigned(target);
                // `r = p;` alone does not say what `p` is.
                if !matches!(value.kind, ExprKind::Name(_)) {
                    self.value(value);
                }
            }
            StmtKind::Access { result, access } => {
                result.iter().for_each(|place| self.assigned(place));
                self.location(&access.place);
                match &access.kind {
                    AccessKind::Store(value) | AccessKind::PlainStore(value) | AccessKind::Update(_, value) => {
                        self.value(value);
                    }
                    AccessKind::Cas { expected, desired, .. } | AccessKind::BlockingCas { expected, desired } => {
                        self.value(expected);
                        self.value(desired);
                    }
                    AccessKind::Load | AccessKind::PlainLoad | AccessKind::Lock | AccessKind::Unlock => {}
                }
            }
            StmtKind::Wait { result, condition, .. } => {
                result.iter().for_each(|place| self.assigned(place));
                match condition {
                    WaitCondition::Compare(condition) => self.condition(condition),
                    WaitCondition::Values(place, values) => {
                        self.location(place);
                        values.iter().for_each(|value| self.value(value));
                    }
                }
            }
            StmtKind::Nondet { target, low, high } => {
                self.assigned(target);
                self.value(low);
                self.value(high);
            }
            StmtKind::LightFence(places) => places.iter().for_each(|place| self.location(place)),
            StmtKind::Call { result, name, args } => {
                result.iter().for_each(|place| self.assigned(place));
                self.call(name, args);
            }
            StmtKind::Return(value) => value.iter().for_each(|value| self.value(value)),
            StmtKind::Assume(cond) | StmtKind::Assert(cond) | StmtKind::Verify(cond) | StmtKind::Bound(cond) => {
                self.value(cond);
            }
            StmtKind::If { arms, .. } => arms.iter().for_each(|(head, _)| self.value(&head.cond)),
            StmtKind::While(head, _) | StmtKind::DoWhile(_, head) => self.value(&head.cond),
            StmtKind::For(head, _) => head.cond.iter().for_each(|cond| self.value(cond)),
            StmtKind::Fence(_)
            | StmtKind::Choose(_)
            | StmtKind::Atomic(_)
            | StmtKind::Block(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Label(_)
            | StmtKind::Skip => {}
        }
    }

    /// In a comparison that is waited for, one side is the location: a global one if there is one,
    /// else the left.
    fn condition(&mut self, condition: &Expr) {
        let ExprKind::Binary(op, left, right) = &condition.kind else { return self.value(condition) };
        if *op == BinaryOp::Or {
            self.condition(left);
            self.condition(right);
            return;
        }
        let could_be_place = |scan: &mut Self, expr: &Expr| match &expr.kind {
            ExprKind::Name(name) => scan.param(name).is_some(),
            ExprKind::Element(place) => scan.param(&place.name.text).is_some(),
            _ => false,
        };
        let is_place = |scan: &mut Self, expr: &Expr| match &expr.kind {
            ExprKind::Name(name) => scan.param(name).is_none() && scan.globals.shared(name).is_some(),
            ExprKind::Element(place) => scan.globals.shared(&place.name.text).is_some(),
            _ => false,
        };
        let (place, value) = if is_place(self, left) || (!is_place(self, right) && could_be_place(self, left)) {
            (left, right)
        } else {
            (right, left)
        };
        if let ExprKind::Name(name) = &place.kind {
            if let Some(usage) = self.param(name) {
                usage.location.get_or_insert(place.span);
            }
        } else {
            self.value(place);
        }
        self.value(value);
    }

    fn call(&mut self, name: &Name, args: &[Expr]) {
        let callee = match self.globals.symbol(&name.text) {
            Some(Symbol::Proc(callee)) => self.procs.list.get(callee),
            _ => None,
        };
        for (index, arg) in args.iter().enumerate() {
            let ExprKind::Name(text) = &arg.kind else {
                self.value(arg);
                continue;
            };
            let inner = callee.and_then(|callee| callee.usage.get(index)).copied().unwrap_or_default();
            if let Some(usage) = self.param(text) {
                if inner.location.is_some() {
                    usage.location.get_or_insert(arg.span);
                }
                if inner.value.is_some() {
                    usage.value.get_or_insert(arg.span);
                }
            }
        }
    }
}
