//! One thread: its registers, its labels, its statements as code.
//!
//! While a thread is lowered, every jump goes to a *label*: the number in
//! [`Pc`] is an index into `labels`. At the end labels become positions.

use std::collections::HashMap;

use fencepost_base::diag::Diagnostic;
use fencepost_base::ids::{Pc, RegId, Value};
use fencepost_base::source::Span;
use fencepost_ir::{Expr, Instr, LocationKind, Op, Origin, Register, reduce};
use fencepost_syntax::Language;
use fencepost_syntax::ast::{Block, Expr as AstExpr, ExprKind, LocalDecl, Name, Place as AstPlace, Stmt, StmtKind};
use fencepost_syntax::messages::suggestion;

use super::call::written_first;
use super::control::closing_brace;
use super::procs::{Proc, Procs};
use super::symbols::{Globals, Shared, duplicate};
use super::{Lowering, MAX_DEPTH, MAX_INSTRUCTIONS};

/// What a thread knows of its own number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Me {
    /// It is not a copy.
    Nobody,
    /// It is this copy.
    Number(i64),
    /// It is one of any number of copies, which are all the same.
    Unknown,
}

/// What a name in a thread or procedure stands for.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    Register(RegId),
    /// A parameter that is a value in this call, kept in a register that is only read: an
    /// assignment would change a copy, and the caller would never know.
    Copy(RegId),
    /// A parameter that is a number in this call.
    Value(i64),
    /// A parameter that is a location in this call.
    Place(Target),
    /// A parameter of which nothing is known: its uses are not judged.
    Unknown,
}

/// A location, an array, an element of an array; a struct, an array of structs, an element of one.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Shared(Shared),
    Element(Shared, Expr),
    Struct(usize),
    StructElement(usize, Expr),
}

/// The text of the thread itself, or one call of a procedure.
pub(super) struct Frame {
    names: HashMap<String, (Span, Binding)>,
    labels: HashMap<String, Label>,
    pub(super) loops: Vec<Loop>,
    called_from: Option<Span>,
    pub(super) returns: Returns,
}

/// What `return` does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Returns {
    /// Where it goes, if there is one.
    pub(super) end: Option<Pc>,
    /// The register for the result, if anyone wants it.
    pub(super) dst: Option<RegId>,
    /// The atomic section that all of it is in, by its keyword.
    pub(super) section: Option<Span>,
    /// It is the thread that ends.
    pub(super) thread: bool,
}

/// A label of the source.
struct Label {
    id: Pc,
    defined: Option<(Span, Option<Span>)>,
    /// The first use in each section, and outside of all. A section is known by its keyword.
    used: Vec<(Span, Option<Span>)>,
}

/// Where `break` and `continue` go.
pub(super) struct Loop {
    pub(super) after: Pc,
    pub(super) next: Pc,
    /// The atomic section it is in, by its keyword.
    pub(super) section: Option<Span>,
}

impl Frame {
    pub(super) fn new(called_from: Option<Span>, returns: Returns) -> Self {
        Frame { names: HashMap::new(), labels: HashMap::new(), loops: Vec::new(), called_from, returns }
    }

    pub(super) fn bind(&mut self, name: &str, span: Span, binding: Binding) {
        self.names.insert(name.to_owned(), (span, binding));
    }
}

/// A lowered thread.
pub(super) struct LoweredThread {
    pub(super) registers: Vec<Register>,
    pub(super) code: Vec<Instr>,
}

struct PendingRegister {
    name: String,
    init: Value,
    /// Declared in the thread's own text: keeps its name.
    own: bool,
}

/// Lowers one thread.
pub(super) struct ThreadLowerer<'l, 'a> {
    lowering: &'l mut Lowering<'a>,
    me: Me,
    called: &'l mut [bool],
    pub(super) frames: Vec<Frame>,
    registers: Vec<PendingRegister>,
    code: Vec<Instr>,
    /// Position of each label, once known.
    labels: Vec<Option<usize>>,
    /// Position of the label placed last; positions only grow.
    last_label: Option<usize>,
    depth: usize,
    /// The atomic section that is being lowered, by its keyword.
    pub(super) section: Option<Span>,
}

impl<'l, 'a> ThreadLowerer<'l, 'a> {
    pub(super) fn new(lowering: &'l mut Lowering<'a>, me: Me, called: &'l mut [bool]) -> Self {
        ThreadLowerer {
            lowering,
            me,
            called,
            frames: Vec::new(),
            registers: Vec::new(),
            code: Vec::new(),
            labels: Vec::new(),
            last_label: None,
            depth: 0,
            section: None,
        }
    }

    /// Lowers the body of a thread.
    pub(super) fn lower(mut self, body: &Block) -> LoweredThread {
        let returns = Returns { thread: true, ..Returns::default() };
        self.frame(Frame::new(None, returns), |lowerer| lowerer.block(body));
        self.emit_unbudgeted(Op::Halt, closing_brace(body));
        self.finish()
    }

    /// Looks for mistakes in a procedure that no one calls.
    pub(super) fn check(mut self, proc: &Proc<'_>) {
        let mut frame = Frame::new(None, Returns::default());
        for param in proc.params {
            frame.bind(&param.text, param.span, Binding::Unknown);
        }
        self.frame(frame, |lowerer| lowerer.block(proc.body));
    }

    /// Lowers the body of a procedure in its frame.
    pub(super) fn inlined(&mut self, frame: Frame, proc: &Proc<'_>, call: Span) -> Option<()> {
        if self.depth >= MAX_DEPTH {
            let message = format!("blocks and calls nest more than {MAX_DEPTH} deep here");
            self.error(call, message, |problem| problem);
            return None;
        }
        self.frame(frame, |lowerer| lowerer.block(proc.body));
        Some(())
    }

    fn frame(&mut self, frame: Frame, inside: impl FnOnce(&mut Self)) {
        self.frames.push(frame);
        inside(self);
        let Some(frame) = self.frames.pop() else { return };
        if let Some(end) = frame.returns.end {
            self.place_end(end);
        }
        let mut undefined: Vec<(&String, Span)> = frame
            .labels
            .iter()
            .filter(|(_, label)| label.defined.is_none())
            .filter_map(|(name, label)| Some((name, label.used.first()?.0)))
            .collect();
        undefined.sort_unstable();
        let crossings = |label: &Label| -> Vec<(Span, Span, Span)> {
            let Some((defined, section)) = label.defined else { return Vec::new() };
            let crosses = label.used.iter().filter(|(_, other)| *other != section);
            crosses.filter_map(|&(used, other)| Some((used, defined, section.or(other)?))).collect()
        };
        let mut crossing: Vec<(Span, Span, Span)> = frame.labels.values().flat_map(crossings).collect();
        crossing.sort_unstable();
        for (used, defined, section) in crossing {
            let message = "a jump cannot cross the border of an atomic section";
            self.push(Diagnostic::error(used, message).also(defined, "to here").also(section, "the section"));
        }
        for (name, span) in undefined {
            let mut defined: Vec<&str> = frame
                .labels
                .iter()
                .filter(|(_, label)| label.defined.is_some())
                .map(|(name, _)| name.as_str())
                .collect();
            defined.sort_unstable();
            let problem = Diagnostic::error(span, format!("there is no label `{name}`"));
            self.push(match suggestion(name, defined) {
                Some(other) => problem.help(format!("did you mean `{other}`?")),
                None => problem,
            });
        }
    }

    /// Replaces labels by positions, and makes the names of registers unique.
    fn finish(self) -> LoweredThread {
        let mut code = self.code;
        let labels = self.labels;
        let end = code.len().saturating_sub(1);
        let resolve = |target: &mut Pc| {
            *target = Pc::from_index(labels.get(target.index()).copied().flatten().unwrap_or(end));
        };
        for instr in &mut code {
            match &mut instr.op {
                Op::Jump { target } | Op::Branch { target, .. } => resolve(target),
                Op::Choose { targets } => targets.iter_mut().for_each(resolve),
                _ => {}
            }
        }
        LoweredThread { registers: unique_names(self.registers), code }
    }

    // What the other files need.

    pub(super) fn language(&self) -> Language {
        self.lowering.language
    }

    pub(super) fn globals(&self) -> &'a Globals {
        self.lowering.globals
    }

    pub(super) fn procs(&self) -> &'a Procs<'a> {
        self.lowering.procs
    }

    pub(super) fn me(&self) -> Me {
        self.me
    }

    pub(super) fn mark_called(&mut self, proc: usize) {
        if let Some(called) = self.called.get_mut(proc) {
            *called = true;
        }
    }

    pub(super) fn called_from(&self) -> Option<Span> {
        self.frames.last().and_then(|frame| frame.called_from)
    }

    pub(super) fn binding(&self, name: &str) -> Option<Binding> {
        self.frames.last()?.names.get(name).map(|(_, binding)| binding.clone())
    }

    pub(super) fn local_names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.frames.last().iter().flat_map(|frame| frame.names.keys().cloned()).collect();
        names.sort_unstable();
        names
    }

    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.lowering.messages.push(diagnostic);
    }

    /// Reports an error; inside a procedure the call is shown too.
    pub(super) fn error(
        &mut self,
        span: Span,
        message: impl Into<String>,
        more: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        let problem = more(Diagnostic::error(span, message));
        let problem = match self.called_from() {
            Some(call) => problem.also(call, "in this call"),
            None => problem,
        };
        self.push(problem);
    }

    pub(super) fn warning(&mut self, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.push(Diagnostic::warning(span, message).label(label));
    }

    pub(super) fn new_register(&mut self, name: &str, init: Value, own: bool) -> RegId {
        self.registers.push(PendingRegister { name: name.to_owned(), init, own });
        RegId::from_index(self.registers.len() - 1)
    }

    /// Adds an instruction, unless there are too many.
    pub(super) fn emit(&mut self, op: Op, span: Span) {
        self.lowering.instructions += 1;
        if self.spend(span) {
            self.emit_unbudgeted(op, span);
        }
    }

    fn emit_unbudgeted(&mut self, op: Op, span: Span) {
        let origin = Origin { span, called_from: self.called_from() };
        self.code.push(Instr { op, origin });
    }

    /// Counts one step of work; false when there were too many.
    fn spend(&mut self, span: Span) -> bool {
        if self.lowering.exhausted {
            return false;
        }
        self.lowering.steps += 1;
        if !self.lowering.effort.step(size_of::<Instr>()) {
            self.lowering.exhausted = true;
            return false;
        }
        if self.lowering.instructions <= MAX_INSTRUCTIONS && self.lowering.steps <= 4 * MAX_INSTRUCTIONS {
            return true;
        }
        self.lowering.exhausted = true;
        let call = self.called_from();
        let message = format!("the program has more than {MAX_INSTRUCTIONS} instructions");
        let problem = Diagnostic::error(call.unwrap_or(span), message);
        self.push(match call {
            Some(_) => problem.label("while this call was expanded").also(span, "here"),
            None => problem,
        });
        false
    }

    // Labels.

    pub(super) fn new_label(&mut self) -> Pc {
        self.labels.push(None);
        Pc::from_index(self.labels.len() - 1)
    }

    pub(super) fn place_label(&mut self, label: Pc) {
        self.labels[label.index()] = Some(self.code.len());
        self.last_label = Some(self.code.len());
    }

    /// The end of a call: a jump there is left out if it is the last instruction.
    fn place_end(&mut self, end: Pc) {
        let jumps = matches!(self.code.last(), Some(Instr { op: Op::Jump { target }, .. }) if *target == end);
        if jumps && self.last_label != Some(self.code.len()) {
            self.code.pop();
        }
        self.place_label(end);
    }

    /// Can control reach the next instruction?
    pub(super) fn reachable(&self) -> bool {
        let falls_through =
            !matches!(self.code.last().map(|instr| &instr.op), Some(Op::Jump { .. } | Op::Choose { .. } | Op::Halt));
        falls_through || self.last_label == Some(self.code.len())
    }

    pub(super) fn source_label(&mut self, name: &Name, definition: bool) -> Option<Pc> {
        let fresh = Pc::from_index(self.labels.len());
        let section = self.section;
        let frame = self.frames.last_mut()?;
        let label =
            frame.labels.entry(name.text.clone()).or_insert(Label { id: fresh, defined: None, used: Vec::new() });
        let id = label.id;
        let before = label.defined.map(|(span, _)| span);
        if definition {
            label.defined.get_or_insert((name.span, section));
        } else if label.used.iter().all(|(_, other)| *other != section) {
            label.used.push((name.span, section));
        }
        if id == fresh {
            self.labels.push(None);
        }
        if let (true, Some(before)) = (definition, before) {
            self.push(
                Diagnostic::error(name.span, format!("the label `{}` is there twice", name.text))
                    .also(before, "first here"),
            );
            return None;
        }
        Some(id)
    }

    // Statements.

    pub(super) fn block(&mut self, block: &Block) {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let span = Span { start: block.span.start, end: block.span.start + 1 };
            self.error(span, format!("blocks and calls nest more than {MAX_DEPTH} deep here"), |problem| problem);
        } else {
            for (index, stmt) in block.stmts.iter().enumerate() {
                if !self.spend(stmt.span) || self.lowering.messages.is_full() {
                    break;
                }
                // What went wrong is reported; the next statement is looked at all the same.
                let _ = self.stmt(stmt, &block.stmts[index + 1..]);
            }
        }
        self.depth -= 1;
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt, rest: &[Stmt]) -> Option<()> {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Local(locals) => {
                let rest = if locals.iter().any(|local| local.init.is_some()) { &[] } else { rest };
                for local in locals {
                    self.local(local, rest, self.frames.len() == 1);
                }
            }
            StmtKind::Assign { target, value } => self.assign(target, value, span)?,
            StmtKind::Access { result, access } => self.access(result.as_ref(), access, span)?,
            StmtKind::Wait { result, condition, order } => {
                self.wait(result.as_ref(), condition, order.as_ref(), span)?;
            }
            StmtKind::Nondet { target, low, high } => {
                let dst = self.result(target);
                let (low, high) = (self.value(low), self.value(high));
                self.emit(Op::Nondet { dst: dst?, low: low?, high: high? }, span);
            }
            StmtKind::Fence(order) => self.fence(order.as_ref(), span)?,
            StmtKind::LightFence(places) => self.light_fence(places, span)?,
            StmtKind::Call { result, name, args } => self.call(result.as_ref(), name, args, span)?,
            StmtKind::Return(value) => self.return_stmt(stmt, value.as_ref())?,
            StmtKind::Assume(cond) => {
                let cond = self.expr(cond)?;
                self.emit(Op::Assume { cond }, span);
            }
            StmtKind::Assert(cond) => {
                let cond = self.expr(cond)?;
                self.emit(Op::Assert { cond }, span);
            }
            StmtKind::Verify(value) => {
                let value = self.expr(value)?;
                self.emit(Op::Verify { value }, span);
            }
            StmtKind::Bound(cond) => {
                let cond = self.expr(cond)?;
                self.emit(Op::Bound { cond }, span);
            }
            StmtKind::Atomic(body) => self.atomic(body, span),
            StmtKind::If { arms, otherwise } => self.if_stmt(arms, otherwise.as_ref()),
            StmtKind::While(head, body) => self.while_stmt(head, body),
            StmtKind::DoWhile(body, head) => self.do_while(body, head),
            StmtKind::For(head, body) => self.for_stmt(head, body),
            StmtKind::Choose(blocks) => self.choose(blocks, span),
            StmtKind::Block(block) => self.block(block),
            StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => {
                let target = self.jump_target(stmt)?;
                self.emit(Op::Jump { target }, span);
            }
            StmtKind::Label(name) => {
                let label = self.source_label(name, true)?;
                self.place_label(label);
            }
            StmtKind::Skip => {}
        }
        Some(())
    }

    /// Declares a register. Has it its name to itself in the whole thread?
    pub(super) fn local(&mut self, local: &LocalDecl, rest: &[Stmt], own: bool) {
        let (name, init) = (&local.name, local.init.as_ref());
        // The initial value does not see the new register.
        let value = init.map(|init| (self.value(init), name.span.to(init.span)));
        if let Some(before) = self.frames.last().and_then(|frame| frame.names.get(&name.text)).map(|(span, _)| *span) {
            self.push(duplicate(name, before));
            return;
        }
        if let Some(before) = self.globals().span_of(&name.text) {
            self.push(
                Diagnostic::error(name.span, format!("`{}` is already the name of something else", name.text))
                    .also(before, "declared here"),
            );
            return;
        }
        let domain = self.globals().domain;
        let constant = match &value {
            Some((Some(value), _)) => value.as_constant(domain),
            _ => None,
        };
        // At the very start of a thread, a constant initial value needs no instruction.
        let at_start = own && self.code.is_empty() && self.last_label.is_none();
        let init = constant.filter(|_| at_start).map(|number| reduce(number, domain));
        let dst = self.new_register(&name.text, init.unwrap_or_default(), own);
        if let Some(frame) = self.frames.last_mut() {
            frame.bind(&name.text, name.span, Binding::Register(dst));
        }
        match value {
            Some((Some(value), span)) if init.is_none() => self.emit(Op::Assign { dst, value }, span),
            Some(_) => {}
            // A call in a loop must not see what the call before it left behind.
            None if !own && !written_first(&name.text, rest) => {
                self.emit(Op::Assign { dst, value: Expr::Const(0) }, name.span);
            }
            None => {}
        }
    }

    /// Takes back declarations: the names mean nothing from here on.
    pub(super) fn forget(&mut self, locals: &[LocalDecl]) {
        if let Some(frame) = self.frames.last_mut() {
            for local in locals {
                frame.names.remove(&local.name.text);
            }
        }
    }

    fn assign(&mut self, target: &AstPlace, value: &AstExpr, span: Span) -> Option<()> {
        if matches!(self.binding(&target.name.text), Some(Binding::Unknown)) {
            return None;
        }
        if self.is_location(&target.name.text) {
            let place = self.plain_place(target);
            let value = self.value(value);
            self.emit(Op::PlainStore { place: place?, value: value? }, span);
            return Some(());
        }
        let dst = self.result(target);
        // In `.fp`, a location alone on the right is a plain load.
        let source = match &value.kind {
            ExprKind::Name(text) => Some(AstPlace::named(Name { text: text.clone(), span: value.span })),
            ExprKind::Element(place) => Some((**place).clone()),
            _ => None,
        };
        if let Some(source) = source {
            if self.is_location(&source.name.text) {
                let place = self.plain_place(&source);
                self.emit(Op::PlainLoad { dst: dst?, place: place? }, span);
                return Some(());
            }
            if !source.is_name() {
                self.target_or_report(&source.name)?;
            }
        }
        let value = self.value(value);
        self.emit(Op::Assign { dst: dst?, value: value? }, span);
        Some(())
    }

    /// A place in a plain assignment: `.fp` only, and non-atomic.
    fn plain_place(&mut self, place: &AstPlace) -> Option<fencepost_ir::Place> {
        let lowered = self.place(place, LocationKind::NonAtomic)?;
        if self.language() == Language::Tpl {
            let text = &place.name.text;
            let help = format!("use `{text}.naload()` or `{text}.nastore(…)`");
            self.error(place.span, format!("`{text}` is a location, not a register"), |problem| problem.help(help));
            return None;
        }
        Some(lowered)
    }
}

/// Registers of the thread itself keep their names; those of inlined procedures make way.
fn unique_names(pending: Vec<PendingRegister>) -> Vec<Register> {
    let mut taken: HashMap<String, usize> = HashMap::new();
    for register in pending.iter().filter(|register| register.own) {
        taken.insert(register.name.clone(), 1);
    }
    let mut registers = Vec::with_capacity(pending.len());
    for register in pending {
        let mut name = register.name.clone();
        if !register.own {
            let mut number = taken.get(&register.name).copied().unwrap_or(0);
            while taken.contains_key(&name) {
                number += 1;
                name = format!("{}_{number}", register.name);
            }
            taken.insert(register.name, number.max(1));
            taken.insert(name.clone(), 1);
        }
        registers.push(Register { name, init: register.init });
    }
    registers
}
