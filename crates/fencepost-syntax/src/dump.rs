//! A readable listing of the tree, for people who debug a front end.

use std::fmt::Write as _;

use fencepost_base::source::Span;

use crate::ast::{
    AccessKind, Block, Clause, Copies, Expr, ExprKind, File, Head, Init, Instruction, ItemKind, Name, Place,
    SharedDecl, Stmt, StmtKind, WaitCondition, litmus,
};
use crate::print;

/// The tree, one node per line with its span, children indented; expressions are written inside
/// out.
pub fn dump(file: &File) -> String {
    let mut dump = Dump { out: String::new(), indent: 0 };
    dump.node(&format!("file {}", file.language.extension()), None);
    dump.indent = 1;
    for item in &file.items {
        dump.item(&item.kind, item.span);
    }
    dump.out
}

struct Dump {
    out: String,
    indent: usize,
}

impl Dump {
    fn node(&mut self, text: &str, span: Option<Span>) {
        let _ = write!(self.out, "{:width$}{text}", "", width = 2 * self.indent);
        if let Some(span) = span {
            let _ = write!(self.out, "  @{}..{}", span.start, span.end);
        }
        self.out.push('\n');
    }

    fn block(&mut self, what: &str, block: &Block) {
        self.node(what, Some(block.span));
        self.indent += 1;
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        self.indent -= 1;
    }

    fn item(&mut self, kind: &ItemKind, span: Span) {
        let span = Some(span);
        match kind {
            ItemKind::Name(text) => self.node(&format!("name {text:?}"), span),
            ItemKind::Domain(size) => self.node(&format!("domain {}", expr(size)), span),
            ItemKind::MaxValue(greatest) => self.node(&format!("max_value {}", expr(greatest)), span),
            ItemKind::Const(name, value) => self.node(&format!("const {} {}", name.text, expr(value)), span),
            ItemKind::Shared { atomic, declarations } => {
                self.shared(*atomic, declarations, span);
            }
            ItemKind::Struct { name, len, fields } => {
                self.node(&format!("struct {}{}", name.text, brackets(len.as_ref())), span);
                self.indent += 1;
                for line in fields {
                    self.shared(line.atomic, &line.declarations, Some(line.span));
                }
                self.indent -= 1;
            }
            ItemKind::Track { name, values } => self.node(&format!("track {} {}", name.text, exprs(values)), span),
            ItemKind::Proc { name, params, body } => {
                let params: Vec<&str> = params.iter().map(|param| param.text.as_str()).collect();
                self.block(&format!("proc {}({})", name.text, params.join(" ")), body);
            }
            ItemKind::Thread { name, copies, body } => {
                self.block(&format!("thread {}{}", name.text, copies_of(copies.as_ref())), body);
            }
            ItemKind::Initial(list) => {
                self.node("initial state", span);
                self.indent += 1;
                for initial in list {
                    let ty = initial.ty.map_or(String::new(), |ty| format!("{} ", print::ty_text(ty)));
                    let value = initial.value.as_ref().map_or(String::new(), |(value, _)| format!(" = {value}"));
                    self.node(&format!("{ty}{}{value}", print::observable(&initial.what)), Some(initial.what.span));
                }
                self.indent -= 1;
            }
            ItemKind::Procedure(procedure) => {
                self.node(&format!("procedure {}", procedure.name.text), span);
                self.indent += 1;
                for param in &procedure.params {
                    self.node(&format!("parameter {} {}", print::ty_text(param.ty), param.name.text), Some(param.span));
                }
                procedure.body.iter().for_each(|stmt| self.c_stmt(stmt));
                self.indent -= 1;
            }
            ItemKind::Locations(list) => {
                let list: Vec<String> = list.iter().map(print::observable).collect();
                self.node(&format!("locations {}", list.join(" ")), span);
            }
            ItemKind::Filter(formula) => self.node(&format!("filter {}", print::formula(formula, 0)), span),
            ItemKind::Condition(quantifier, formula) => {
                self.node(&format!("{} {}", quantifier.as_str(), print::formula(formula, 0)), span);
            }
            ItemKind::Automaton(automaton) => {
                self.node(&format!("automaton {}", automaton.name.text), span);
                self.indent += 1;
                for clause in &automaton.clauses {
                    match clause {
                        Clause::Initial(state, span) => self.node(&format!("initial {}", state.text), Some(*span)),
                        Clause::Transition(transition) => {
                            let (from, to) = (&transition.from.text, &transition.to.text);
                            let instruction = instruction(&transition.instruction);
                            self.node(&format!("transition {from} {to} {instruction}"), Some(transition.span));
                        }
                    }
                }
                self.indent -= 1;
            }
        }
    }

    fn shared(&mut self, atomic: bool, declarations: &[SharedDecl], span: Option<Span>) {
        self.node(if atomic { "global" } else { "nonatomic" }, span);
        self.indent += 1;
        for declaration in declarations {
            let init = match &declaration.init {
                None => String::new(),
                Some(Init::Value(value)) => format!(" = {}", expr(value)),
                Some(Init::List(values, _)) => format!(" = {{{}}}", exprs(values)),
            };
            let text = format!("{}{}{init}", declaration.name.text, brackets(declaration.len.as_ref()));
            self.node(&text, Some(declaration.name.span));
        }
        self.indent -= 1;
    }

    fn c_stmt(&mut self, stmt: &litmus::Stmt) {
        self.node(&print::c_head(stmt), Some(stmt.span));
        self.indent += 1;
        match &stmt.kind {
            litmus::StmtKind::If(_, then, otherwise) => {
                self.c_stmt(then);
                otherwise.iter().for_each(|otherwise| self.c_stmt(otherwise));
            }
            litmus::StmtKind::While(_, body)
            | litmus::StmtKind::DoWhile(body, _)
            | litmus::StmtKind::For(_, _, _, body) => self.c_stmt(body),
            litmus::StmtKind::Block(body) => body.iter().for_each(|stmt| self.c_stmt(stmt)),
            _ => {}
        }
        self.indent -= 1;
    }

    fn head(&mut self, what: &str, head: &Head) {
        self.node(&format!("{what} {}", expr(&head.cond)), Some(head.span));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let text = match &stmt.kind {
            StmtKind::Local(locals) => {
                let list: Vec<String> = locals
                    .iter()
                    .map(|local| match &local.init {
                        None => local.name.text.clone(),
                        Some(init) => format!("{} = {}", local.name.text, expr(init)),
                    })
                    .collect();
                format!("local {}", list.join(" "))
            }
            StmtKind::Assign { target, value } => format!("assign {} {}", place(target), expr(value)),
            StmtKind::Access { result, access } => {
                let values = match &access.kind {
                    AccessKind::Store(e) | AccessKind::PlainStore(e) | AccessKind::Update(_, e) => {
                        format!(" {}", expr(e))
                    }
                    AccessKind::Cas { expected, desired, .. } | AccessKind::BlockingCas { expected, desired } => {
                        format!(" {} {}", expr(expected), expr(desired))
                    }
                    AccessKind::Load | AccessKind::PlainLoad | AccessKind::Lock | AccessKind::Unlock => String::new(),
                };
                let (word, at) = (&access.word.text, place(&access.place));
                format!("access {word} {at}{values}{}{}", words(&access.orders), into(result.as_ref()))
            }
            StmtKind::Wait { result, condition, order } => {
                let condition = match condition {
                    WaitCondition::Compare(condition) => expr(condition),
                    WaitCondition::Values(at, values) => format!("{} in {}", place(at), exprs(values)),
                };
                format!("wait {condition}{}{}", words(order.as_slice()), into(result.as_ref()))
            }
            StmtKind::Nondet { target, low, high } => {
                format!("nondet {} {}{}", expr(low), expr(high), into(Some(target)))
            }
            StmtKind::Fence(order) => format!("fence{}", words(order.as_slice())),
            StmtKind::LightFence(places) => {
                let places: Vec<String> = places.iter().map(place).collect();
                format!("lwfence {}", places.join(" "))
            }
            StmtKind::Call { result, name, args } => {
                format!("call {} {}{}", name.text, exprs(args), into(result.as_ref()))
            }
            StmtKind::Assume(cond) => format!("assume {}", expr(cond)),
            StmtKind::Assert(cond) => format!("assert {}", expr(cond)),
            StmtKind::Verify(value) => format!("verify {}", expr(value)),
            StmtKind::Bound(cond) => format!("bound {}", expr(cond)),
            StmtKind::Break => "break".to_owned(),
            StmtKind::Continue => "continue".to_owned(),
            StmtKind::Goto(name) => format!("goto {}", name.text),
            StmtKind::Return(value) => format!("return {}", value.as_ref().map_or(String::new(), expr)),
            StmtKind::Label(name) => format!("label {}", name.text),
            StmtKind::Skip => "skip".to_owned(),
            StmtKind::If { .. } => "if".to_owned(),
            StmtKind::While(..) => "while".to_owned(),
            StmtKind::DoWhile(..) => "do".to_owned(),
            StmtKind::For(..) => "for".to_owned(),
            StmtKind::Choose(_) => "choose".to_owned(),
            StmtKind::Atomic(_) => "atomic".to_owned(),
            StmtKind::Block(_) => "block".to_owned(),
        };
        self.node(text.trim_end(), Some(stmt.span));
        self.indent += 1;
        match &stmt.kind {
            StmtKind::If { arms, otherwise } => {
                for (head, body) in arms {
                    self.head("condition", head);
                    self.block("then", body);
                }
                otherwise.iter().for_each(|body| self.block("else", body));
            }
            StmtKind::While(head, body) => {
                self.head("condition", head);
                self.block("body", body);
            }
            StmtKind::DoWhile(body, head) => {
                self.block("body", body);
                self.head("condition", head);
            }
            StmtKind::For(head, body) => {
                head.first.iter().for_each(|stmt| self.stmt(stmt));
                let cond = head.cond.as_ref().map_or(String::new(), expr);
                self.node(format!("condition {cond}").trim_end(), Some(head.span));
                head.step.iter().for_each(|stmt| self.stmt(stmt));
                self.block("body", body);
            }
            StmtKind::Choose(blocks) => blocks.iter().for_each(|block| self.block("either", block)),
            StmtKind::Atomic(block) | StmtKind::Block(block) => self.block("body", block),
            _ => {}
        }
        self.indent -= 1;
    }
}

fn instruction(instruction: &Instruction) -> String {
    let word = instruction.word();
    match instruction {
        Instruction::Read(register, e) | Instruction::Local(register, e) => {
            format!("{word} {} {}", register.text, expr(e))
        }
        Instruction::Write(value, address) => format!("{word} {} {}", expr(value), expr(address)),
        Instruction::Check(e) => format!("{word} {}", expr(e)),
        Instruction::Mfence | Instruction::Lock | Instruction::Unlock | Instruction::Noop => word.to_owned(),
    }
}

fn words(orders: &[Name]) -> String {
    orders.iter().map(|order| format!(" {}", order.text)).collect()
}

fn into(result: Option<&Place>) -> String {
    result.map_or(String::new(), |result| format!(" -> {}", place(result)))
}

fn place(at: &Place) -> String {
    let field = at
        .field
        .as_ref()
        .map_or(String::new(), |field| format!(".{}{}", field.name.text, brackets(field.index.as_ref())));
    format!("{}{}{field}", at.name.text, brackets(at.index.as_ref()))
}

/// An index or a length.
fn copies_of(copies: Option<&Copies>) -> String {
    match copies {
        Some(Copies::Any(None)) => "[*]".to_owned(),
        Some(Copies::Any(Some(least))) => format!("[{}..*]", expr(least)),
        Some(Copies::Number(number)) => brackets(Some(number)),
        None => String::new(),
    }
}

fn brackets(inside: Option<&Expr>) -> String {
    inside.map_or(String::new(), |inside| format!("[{}]", expr(inside)))
}

fn exprs(list: &[Expr]) -> String {
    list.iter().map(expr).collect::<Vec<_>>().join(" ")
}

fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Element(at) => place(at),
        ExprKind::Me => "me".to_owned(),
        ExprKind::Unary(op, operand) => format!("({} {})", op.as_str(), expr(operand)),
        ExprKind::Binary(op, left, right) => format!("({} {} {})", op.as_str(), expr(left), expr(right)),
        ExprKind::Integer(operand) => format!("(int {})", expr(operand)),
        ExprKind::Wrap(operand) => format!("(wrap {})", expr(operand)),
        ExprKind::Error => "<error>".to_owned(),
    }
}
