//! One walk over a tree that finds every name.

use std::collections::HashMap;

use fencepost_base::source::Span;
use fencepost_syntax::ast::{
    Access, AccessKind, Block, Copies, Expr, ExprKind, Fields, File, Init, Item, ItemKind, Name, Place, SharedDecl,
    Stmt, StmtKind, WaitCondition,
};
use fencepost_syntax::lexer::{TokenKind, lex};

use crate::cover::blocks;
use crate::names::{Definition, Kind, Names, Role, Use};

/// The names known where the walk is.
pub(crate) struct Collector<'a> {
    text: &'a str,
    names: Names,
    /// Of the top level.
    globals: HashMap<String, usize>,
    /// Fields of all structs, by name.
    fields: HashMap<String, Vec<usize>>,
    /// Threads and procedures, by where their names are.
    bodies: HashMap<Span, usize>,
    /// Parameters and registers of the thread or procedure.
    locals: HashMap<String, usize>,
    /// Labels of the thread or procedure.
    labels: HashMap<String, usize>,
    /// The thread or procedure.
    inside: Option<usize>,
    /// The statement.
    statement: Span,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Collector {
            text,
            names: Names::default(),
            globals: HashMap::new(),
            fields: HashMap::new(),
            bodies: HashMap::new(),
            locals: HashMap::new(),
            labels: HashMap::new(),
            inside: None,
            statement: Span::default(),
        }
    }

    pub(crate) fn file(mut self, file: &File) -> Names {
        // Names of the top level can be used before they are declared.
        file.items.iter().for_each(|item| self.declare(item));
        file.items.iter().for_each(|item| self.look_into(item));
        self.names
    }

    fn declare(&mut self, item: &Item) {
        match &item.kind {
            ItemKind::Const(name, _) => self.global(name, Kind::Constant, item.span),
            ItemKind::Shared { atomic, declarations } => {
                for declaration in declarations {
                    self.global(&declaration.name, Kind::Location { atomic: *atomic }, whole(declaration));
                }
            }
            ItemKind::Struct { name, fields, .. } => {
                let structure = self.names.definitions.len();
                self.global(name, Kind::Struct, item.span);
                fields.iter().for_each(|line| self.fields(line, structure));
            }
            ItemKind::Proc { name, .. } => self.global(name, Kind::Procedure, item.span),
            ItemKind::Thread { name, .. } => {
                // Nothing refers to a thread, so its name hides no other one.
                let thread = self.define(name, Kind::Thread, item.span, None);
                self.bodies.insert(name.span, thread);
            }
            _ => {}
        }
    }

    fn global(&mut self, name: &Name, kind: Kind, whole: Span) {
        let definition = self.define(name, kind, whole, None);
        self.bodies.insert(name.span, definition);
        self.globals.entry(name.text.clone()).or_insert(definition);
    }

    fn fields(&mut self, line: &Fields, structure: usize) {
        for declaration in &line.declarations {
            let kind = Kind::Field { atomic: line.atomic };
            let field = self.define(&declaration.name, kind, whole(declaration), Some(structure));
            self.fields.entry(declaration.name.text.clone()).or_default().push(field);
        }
    }

    fn define(&mut self, name: &Name, kind: Kind, whole: Span, within: Option<usize>) -> usize {
        let definition = self.names.definitions.len();
        self.names.definitions.push(Definition { name: name.text.clone(), kind, span: name.span, whole, within });
        let inside = self.inside;
        self.names.uses.push(Use { span: name.span, definition, role: Role::Declaration, statement: whole, inside });
        definition
    }

    fn look_into(&mut self, item: &Item) {
        self.statement = item.span;
        match &item.kind {
            ItemKind::Domain(value) | ItemKind::MaxValue(value) | ItemKind::Const(_, value) => self.read(value),
            ItemKind::Shared { declarations, .. } => declarations.iter().for_each(|it| self.initial(it)),
            ItemKind::Struct { len, fields, .. } => {
                len.iter().for_each(|len| self.read(len));
                fields.iter().flat_map(|line| &line.declarations).for_each(|it| self.initial(it));
            }
            ItemKind::Track { name, values } => {
                self.named(name, Role::Mention);
                values.iter().for_each(|value| self.read(value));
            }
            ItemKind::Proc { name, params, body } => self.body(name, params, body),
            ItemKind::Thread { name, copies, body } => {
                if let Some(Copies::Number(number) | Copies::Any(Some(number))) = copies {
                    self.read(number);
                }
                self.body(name, &[], body);
            }
            _ => {}
        }
    }

    fn initial(&mut self, declaration: &SharedDecl) {
        declaration.len.iter().for_each(|len| self.read(len));
        match &declaration.init {
            Some(Init::Value(value)) => self.read(value),
            Some(Init::List(values, _)) => values.iter().for_each(|value| self.read(value)),
            None => {}
        }
    }

    /// A thread or procedure.
    fn body(&mut self, name: &Name, params: &[Name], body: &Block) {
        self.inside = self.bodies.get(&name.span).copied();
        self.locals.clear();
        self.labels.clear();
        params.iter().for_each(|param| self.local(param, Kind::Parameter, param.span));
        self.declare_labels(body);
        self.block(body);
        self.inside = None;
    }

    fn local(&mut self, name: &Name, kind: Kind, whole: Span) {
        let definition = self.define(name, kind, whole, self.inside);
        self.locals.insert(name.text.clone(), definition);
    }

    /// Jumps lead forward, too.
    fn declare_labels(&mut self, block: &Block) {
        for stmt in &block.stmts {
            if let StmtKind::Label(name) = &stmt.kind {
                let definition = self.define(name, Kind::Label, stmt.span, self.inside);
                self.labels.entry(name.text.clone()).or_insert(definition);
            }
            blocks(stmt).into_iter().for_each(|inner| self.declare_labels(inner));
        }
    }

    fn block(&mut self, block: &Block) {
        block.stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.statement = match &stmt.kind {
            StmtKind::If { arms, .. } => arms.first().map_or(stmt.span, |(head, _)| head.span),
            StmtKind::While(head, _) | StmtKind::DoWhile(_, head) => head.span,
            StmtKind::For(head, _) => head.span,
            _ => stmt.span,
        };
        match &stmt.kind {
            StmtKind::Local(declarations) => {
                for declaration in declarations {
                    declaration.init.iter().for_each(|value| self.read(value));
                    self.local(&declaration.name, Kind::Register, stmt.span);
                }
            }
            StmtKind::Assign { target, value } => {
                self.read(value);
                self.place(target, Role::Write);
            }
            StmtKind::Access { result, access } => {
                self.access(access);
                self.result(result.as_ref());
            }
            StmtKind::Wait { result, condition, .. } => {
                match condition {
                    WaitCondition::Compare(condition) => self.read(condition),
                    WaitCondition::Values(place, values) => {
                        self.place(place, Role::Read);
                        values.iter().for_each(|value| self.read(value));
                    }
                }
                self.result(result.as_ref());
            }
            StmtKind::Nondet { target, low, high } => {
                self.read(low);
                self.read(high);
                self.place(target, Role::Write);
            }
            StmtKind::LightFence(places) => places.iter().for_each(|place| self.place(place, Role::Mention)),
            StmtKind::Call { result, name, args } => {
                args.iter().for_each(|arg| self.argument(arg));
                self.named(name, Role::Mention);
                self.result(result.as_ref());
            }
            StmtKind::Assume(value) | StmtKind::Assert(value) | StmtKind::Verify(value) | StmtKind::Bound(value) => {
                self.read(value);
            }
            StmtKind::Return(value) => value.iter().for_each(|value| self.read(value)),
            StmtKind::If { arms, otherwise } => {
                for (head, body) in arms {
                    self.statement = head.span;
                    self.read(&head.cond);
                    self.block(body);
                }
                otherwise.iter().for_each(|body| self.block(body));
            }
            StmtKind::While(head, body) => {
                self.read(&head.cond);
                self.block(body);
            }
            StmtKind::DoWhile(body, head) => {
                self.block(body);
                self.statement = head.span;
                self.read(&head.cond);
            }
            StmtKind::For(head, body) => {
                let before = self.locals.clone();
                head.first.iter().for_each(|part| self.stmt(part));
                self.statement = head.span;
                head.cond.iter().for_each(|cond| self.read(cond));
                head.step.iter().for_each(|part| self.stmt(part));
                self.block(body);
                if matches!(head.first.as_deref(), Some(Stmt { kind: StmtKind::Local(_), .. })) {
                    self.locals = before;
                }
            }
            StmtKind::Goto(name) => {
                let label = self.labels.get(&name.text).copied();
                self.used(label, name.span, Role::Mention);
            }
            StmtKind::Atomic(_) | StmtKind::Choose(_) | StmtKind::Block(_) => {
                blocks(stmt).into_iter().for_each(|inner| self.block(inner));
            }
            StmtKind::Fence(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Label(_) | StmtKind::Skip => {}
        }
    }

    fn access(&mut self, access: &Access) {
        let (role, values): (Role, Vec<&Expr>) = match &access.kind {
            AccessKind::Load | AccessKind::PlainLoad => (Role::Read, Vec::new()),
            AccessKind::Store(value) | AccessKind::PlainStore(value) => (Role::Write, vec![value]),
            AccessKind::Unlock => (Role::Write, Vec::new()),
            AccessKind::Update(_, operand) => (Role::Update, vec![operand]),
            AccessKind::Cas { expected, desired, .. } | AccessKind::BlockingCas { expected, desired } => {
                (Role::Update, vec![expected, desired])
            }
            AccessKind::Lock => (Role::Update, Vec::new()),
        };
        self.place(&access.place, role);
        values.into_iter().for_each(|value| self.read(value));
    }

    fn result(&mut self, place: Option<&Place>) {
        place.into_iter().for_each(|place| self.place(place, Role::Write));
    }

    /// A location that is handed over is not read by that.
    fn argument(&mut self, arg: &Expr) {
        let is_shared = |name: &str| {
            let definition = self.lookup(name).map(|it| self.names.definitions[it].kind);
            matches!(definition, Some(Kind::Location { .. } | Kind::Struct | Kind::Parameter))
        };
        match &arg.kind {
            ExprKind::Name(name) if is_shared(name) => self.name_in(arg.span, name, Role::Mention),
            ExprKind::Element(place) => self.place(place, Role::Mention),
            _ => self.read(arg),
        }
    }

    fn read(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => self.name_in(expr.span, name, Role::Read),
            ExprKind::Element(place) => self.place(place, Role::Read),
            ExprKind::Unary(_, inner) | ExprKind::Integer(inner) | ExprKind::Wrap(inner) => self.read(inner),
            ExprKind::Binary(_, left, right) => {
                self.read(left);
                self.read(right);
            }
            ExprKind::Int(_) | ExprKind::Me | ExprKind::Error => {}
        }
    }

    fn place(&mut self, place: &Place, role: Role) {
        match &place.field {
            None => self.named(&place.name, role),
            Some(field) => {
                let structure = self.lookup(&place.name.text);
                self.used(structure, place.name.span, Role::Mention);
                let field_definition = self.field(structure, &field.name.text);
                self.used(field_definition, field.name.span, role);
            }
        }
        place.indices().for_each(|index| self.read(index));
    }

    /// A field of a struct. Which struct a parameter is depends on the call: then the field is the
    /// one of this name, if there is only one.
    fn field(&self, structure: Option<usize>, name: &str) -> Option<usize> {
        let fields = self.fields.get(name)?;
        if structure.is_some_and(|it| self.names.definitions[it].kind == Kind::Struct) {
            return fields.iter().copied().find(|&it| self.names.definitions[it].within == structure);
        }
        match fields.as_slice() {
            [field] => Some(*field),
            _ => None,
        }
    }

    fn lookup(&self, name: &str) -> Option<usize> {
        self.locals.get(name).or_else(|| self.globals.get(name)).copied()
    }

    fn named(&mut self, name: &Name, role: Role) {
        let definition = self.lookup(&name.text);
        self.used(definition, name.span, role);
    }

    /// A name that is all of an expression, whose span has its parentheses, too.
    fn name_in(&mut self, span: Span, name: &str, role: Role) {
        let definition = self.lookup(name);
        let text = self.text.get(span.range()).unwrap_or_default();
        let within = lex(text).into_iter().find(|token| token.kind == TokenKind::Word);
        let Some(within) = within else { return };
        let start = span.start + within.span.start;
        self.used(definition, Span { start, end: span.start + within.span.end }, role);
    }

    /// Names that nothing stands behind are the business of diagnostics.
    fn used(&mut self, definition: Option<usize>, span: Span, role: Role) {
        let Some(definition) = definition else { return };
        let (statement, inside) = (self.statement, self.inside);
        self.names.uses.push(Use { span, definition, role, statement, inside });
    }
}

/// From the name to the last initial value.
fn whole(declaration: &SharedDecl) -> Span {
    let end = match (&declaration.init, &declaration.len) {
        (Some(Init::Value(value)), _) => value.span,
        (Some(Init::List(_, span)), _) => *span,
        (None, Some(len)) => len.span,
        (None, None) => declaration.name.span,
    };
    declaration.name.span.to(end)
}
