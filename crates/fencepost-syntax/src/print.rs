//! Tree to text: automata to Trencher's, C litmus tests to theirs, everything
//! else to `.fp`.
//!
//! The text of a tree that was parsed from one of these parses to the same tree,
//! but for spans. A tree of TPL is translated: its text means the same.

mod litmus;

use std::fmt::Write as _;

use fencepost_base::operator::Infix;

use crate::ast::{
    Access, AccessKind, Automaton, BinaryOp, Block, Clause, Copies, Expr, ExprKind, File, Init, Instruction, ItemKind,
    Name, Place, SharedDecl, Stmt, StmtKind, WaitCondition,
};
use crate::language::Language;

pub(crate) use litmus::{c_head, formula, observable, ty_text};

/// The file as text.
pub fn print(file: &File) -> String {
    let (tpl, litmus) = (file.language == Language::Tpl, file.language == Language::Litmus);
    let mut printer = Printer { out: String::new(), indent: 0, tpl, litmus };
    if printer.tpl && !file.items.iter().any(|item| matches!(item.kind, ItemKind::MaxValue(_))) {
        printer.line("domain 255;");
    }
    let mut before: Option<&ItemKind> = None;
    for item in &file.items {
        let long = |kind: &ItemKind| {
            matches!(
                kind,
                ItemKind::Struct { .. }
                    | ItemKind::Proc { .. }
                    | ItemKind::Thread { .. }
                    | ItemKind::Automaton(_)
                    | ItemKind::Procedure(_)
            )
        };
        if before.is_some_and(|before| long(before) || long(&item.kind)) {
            printer.out.push('\n');
        }
        printer.item(&item.kind);
        before = Some(&item.kind);
    }
    printer.out
}

struct Printer {
    out: String,
    indent: usize,
    /// The tree is one of TPL.
    tpl: bool,
    /// The tree is a litmus test.
    litmus: bool,
}

impl Printer {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:width$}{text}", "", width = 2 * self.indent);
    }

    fn item(&mut self, kind: &ItemKind) {
        match kind {
            ItemKind::Name(text) if self.litmus => self.line(&format!("C {text}")),
            ItemKind::Name(text) => self.line(&format!("name {};", quoted(text))),
            ItemKind::Domain(size) => self.line(&format!("domain {};", self.expr(size))),
            ItemKind::MaxValue(greatest) => match greatest.kind {
                ExprKind::Int(number) if number < i64::MAX => self.line(&format!("domain {};", number + 1)),
                _ => {
                    let size = Infix::binary(BinaryOp::Add, self.infix(greatest), Infix::atom("1"));
                    self.line(&format!("domain {};", size.into_text()));
                }
            },
            ItemKind::Const(name, value) => {
                self.line(&format!("const {} = {};", self.name(&name.text), self.expr(value)));
            }
            ItemKind::Shared { atomic, declarations } => {
                self.shared(*atomic, declarations);
            }
            ItemKind::Struct { name, len, fields } => {
                self.line(&format!("struct {}{} {{", self.name(&name.text), self.brackets(len.as_ref())));
                self.indent += 1;
                for line in fields {
                    self.shared(line.atomic, &line.declarations);
                }
                self.indent -= 1;
                self.line("}");
            }
            ItemKind::Track { .. } => {}
            ItemKind::Proc { name, params, body } => {
                let params: Vec<String> = params.iter().map(|param| self.name(&param.text)).collect();
                self.line(&format!("proc {}({}) {{", self.name(&name.text), params.join(", ")));
                self.body(body);
                self.line("}");
            }
            ItemKind::Thread { name, copies, body } => {
                self.line(&format!("thread {}{} {{", self.name(&name.text), self.copies(copies.as_ref())));
                if self.tpl && drops_a_plain_load(body) {
                    self.indent += 1;
                    self.line("local dropped_;");
                    self.indent -= 1;
                }
                self.body(body);
                self.line("}");
            }
            ItemKind::Automaton(automaton) => self.automaton(automaton),
            ItemKind::Initial(list) => self.initial_state(list),
            ItemKind::Procedure(procedure) => self.procedure(procedure),
            ItemKind::Locations(list) => {
                let list: Vec<String> = list.iter().map(|what| observable(what) + ";").collect();
                self.line(&format!("locations [{}]", list.join(" ")));
            }
            ItemKind::Filter(it) => self.line(&format!("filter ({})", formula(it, 0))),
            ItemKind::Condition(quantifier, it) => {
                self.line(&format!("{} ({})", quantifier.as_str(), formula(it, 0)));
            }
        }
    }

    fn automaton(&mut self, automaton: &Automaton) {
        self.line(&format!("thread {}", automaton.name.text));
        self.indent += 1;
        for clause in &automaton.clauses {
            match clause {
                Clause::Initial(state, _) => self.line(&format!("initial {}", state.text)),
                Clause::Transition(transition) => {
                    let (from, to) = (&transition.from.text, &transition.to.text);
                    let instruction = self.instruction(&transition.instruction);
                    self.line(&format!("transition {from} {to} {instruction}"));
                }
            }
        }
        self.indent -= 1;
        self.line("end");
    }

    fn instruction(&self, instruction: &Instruction) -> String {
        let word = instruction.word();
        match instruction {
            Instruction::Read(register, e) | Instruction::Local(register, e) => {
                format!("{word} {} {}", register.text, self.prefix(e))
            }
            Instruction::Write(value, address) => format!("{word} {} {}", self.prefix(value), self.prefix(address)),
            Instruction::Check(e) => format!("{word} {}", self.prefix(e)),
            Instruction::Mfence | Instruction::Lock | Instruction::Unlock | Instruction::Noop => word.to_owned(),
        }
    }

    /// The expression in prefix notation.
    fn prefix(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Unary(op, operand) => format!("{} {}", op.as_str(), self.prefix(operand)),
            ExprKind::Binary(op, left, right) => {
                format!("{} {} {}", op.as_str(), self.prefix(left), self.prefix(right))
            }
            _ => self.expr(e),
        }
    }

    fn shared(&mut self, atomic: bool, declarations: &[SharedDecl]) {
        let word = if atomic { "global" } else { "nonatomic" };
        let list: Vec<String> = declarations.iter().map(|declaration| self.declaration(declaration)).collect();
        self.line(&format!("{word} {};", list.join(", ")));
    }

    fn declaration(&self, declaration: &SharedDecl) -> String {
        let init = match &declaration.init {
            None => String::new(),
            Some(Init::Value(value)) => format!(" = {}", self.expr(value)),
            Some(Init::List(values, _)) => format!(" = {{{}}}", self.list(values)),
        };
        format!("{}{}{init}", self.name(&declaration.name.text), self.brackets(declaration.len.as_ref()))
    }

    /// The statements of a block, one level deeper.
    fn body(&mut self, block: &Block) {
        self.indent += 1;
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        self.indent -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match (&stmt.kind, self.simple(&stmt.kind)) {
            (StmtKind::Label(name), _) => self.line(&format!("{}:", self.name(&name.text))),
            (_, Some(text)) => self.line(&format!("{text};")),
            (compound, None) => self.compound(compound),
        }
    }

    /// A statement that ends in `;`, without it.
    fn simple(&self, kind: &StmtKind) -> Option<String> {
        Some(match kind {
            StmtKind::Local(locals) => {
                let list: Vec<String> = locals
                    .iter()
                    .map(|local| match &local.init {
                        None => self.name(&local.name.text),
                        Some(init) => format!("{} = {}", self.name(&local.name.text), self.value(init)),
                    })
                    .collect();
                format!("local {}", list.join(", "))
            }
            StmtKind::Assign { target, value } => format!("{} = {}", self.place(target), self.value(value)),
            StmtKind::Access { result, access } => self.access(result.as_ref(), access),
            StmtKind::Wait { result, condition, order } => {
                let condition = self.condition(condition);
                let order = self.orders(order.as_slice(), Half::Read);
                format!("{}wait({condition}{order})", self.result(result.as_ref()))
            }
            StmtKind::Nondet { target, low, high } => {
                format!("{} = nondet({}, {})", self.place(target), self.value(low), self.value(high))
            }
            StmtKind::Fence(None) => if self.tpl { "fence(sc)" } else { "fence" }.to_owned(),
            StmtKind::Fence(Some(order)) => format!("fence({})", self.order(order)),
            StmtKind::LightFence(places) if places.is_empty() => "lwfence".to_owned(),
            StmtKind::LightFence(places) => {
                let places: Vec<String> = places.iter().map(|place| self.place(place)).collect();
                format!("lwfence({})", places.join(", "))
            }
            StmtKind::Call { result, name, args } => {
                format!("{}{}({})", self.result(result.as_ref()), self.name(&name.text), self.list(args))
            }
            StmtKind::Assume(cond) => format!("assume({})", self.value(cond)),
            StmtKind::Assert(cond) => format!("assert({})", self.value(cond)),
            StmtKind::Verify(value) => format!("verify({})", self.value(value)),
            StmtKind::Bound(cond) => format!("bound({})", self.value(cond)),
            StmtKind::Break => "break".to_owned(),
            StmtKind::Continue => "continue".to_owned(),
            StmtKind::Goto(name) => format!("goto {}", self.name(&name.text)),
            StmtKind::Return(None) => "return".to_owned(),
            StmtKind::Return(Some(value)) => format!("return {}", self.value(value)),
            StmtKind::Skip => "skip".to_owned(),
            _ => return None,
        })
    }

    fn compound(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::If { arms, otherwise } => {
                if let ([(head, body)], None) = (arms.as_slice(), otherwise)
                    && let [Stmt { kind: StmtKind::Goto(label), .. }] = body.stmts.as_slice()
                {
                    let line = format!("if ({}) goto {};", self.value(&head.cond), self.name(&label.text));
                    return self.line(&line);
                }
                for (index, (head, body)) in arms.iter().enumerate() {
                    let start = if index == 0 { "if" } else { "} else if" };
                    self.line(&format!("{start} ({}) {{", self.value(&head.cond)));
                    self.body(body);
                }
                if let Some(otherwise) = otherwise {
                    self.line("} else {");
                    self.body(otherwise);
                }
                self.line("}");
            }
            StmtKind::While(head, body) => {
                self.line(&format!("while ({}) {{", self.value(&head.cond)));
                self.body(body);
                self.line("}");
            }
            StmtKind::DoWhile(body, head) => {
                self.line("do {");
                self.body(body);
                self.line(&format!("}} while ({});", self.value(&head.cond)));
            }
            StmtKind::For(head, body) => {
                let part = |stmt: &Option<Box<Stmt>>| stmt.as_ref().and_then(|stmt| self.simple(&stmt.kind));
                let (first, step) = (part(&head.first).unwrap_or_default(), part(&head.step));
                let cond = head.cond.as_ref().map(|cond| self.value(cond));
                let spaced = |part: Option<String>| part.map_or(String::new(), |part| format!(" {part}"));
                self.line(&format!("for ({first};{};{}) {{", spaced(cond), spaced(step)));
                self.body(body);
                self.line("}");
            }
            StmtKind::Choose(blocks) => {
                for (index, block) in blocks.iter().enumerate() {
                    self.line(if index == 0 { "choose {" } else { "} or {" });
                    self.body(block);
                }
                self.line("}");
            }
            StmtKind::Atomic(block) => {
                self.line("atomic {");
                self.body(block);
                self.line("}");
            }
            StmtKind::Block(block) => {
                self.line("{");
                self.body(block);
                self.line("}");
            }
            _ => {}
        }
    }

    // Memory operations.

    fn result(&self, result: Option<&Place>) -> String {
        result.map_or(String::new(), |place| format!("{} = ", self.place(place)))
    }

    fn access(&self, result: Option<&Place>, access: &Access) -> String {
        let place = self.place(&access.place);
        let (word, values, half) = match &access.kind {
            AccessKind::Load => ("load", String::new(), Half::Read),
            AccessKind::Store(value) => ("store", self.value(value), Half::Write),
            AccessKind::Update(function, operand) => (function.as_str(), self.value(operand), Half::Both),
            AccessKind::Cas { expected, desired, weak } => {
                let word = if *weak { "casw" } else { "cas" };
                (word, format!("{}, {}", self.value(expected), self.value(desired)), Half::Both)
            }
            AccessKind::BlockingCas { expected, desired } => {
                ("bcas", format!("{}, {}", self.value(expected), self.value(desired)), Half::Both)
            }
            AccessKind::PlainLoad => {
                let target = result.map_or("dropped_".to_owned(), |result| self.place(result));
                return format!("{target} = {place}");
            }
            AccessKind::PlainStore(value) => return format!("{place} = {}", self.value(value)),
            AccessKind::Lock => return format!("{place}.bcas(0, 1, acq)"),
            AccessKind::Unlock => return format!("{place}.store(0, rel)"),
        };
        let orders = self.orders(&access.orders, half);
        let arguments = format!("{values}{orders}");
        let arguments = arguments.strip_prefix(", ").unwrap_or(&arguments);
        format!("{}{place}.{word}({arguments})", self.result(result))
    }

    fn condition(&self, condition: &WaitCondition) -> String {
        match condition {
            WaitCondition::Compare(condition) => self.expr(condition),
            WaitCondition::Values(place, values) => {
                let place = self.place(place);
                let comparisons: Vec<String> = values
                    .iter()
                    .map(|value| match value.kind {
                        ExprKind::Int(_) | ExprKind::Name(_) => format!("{place} == {}", self.expr(value)),
                        _ => format!("{place} == wrap({})", self.value(value)),
                    })
                    .collect();
                comparisons.join(" || ")
            }
        }
    }

    /// Orders with a comma before each. TPL writes one for each half, and none means relaxed.
    fn orders(&self, orders: &[Name], half: Half) -> String {
        if !self.tpl {
            return orders.iter().map(|order| format!(", {}", order.text)).collect();
        }
        let acquires = |order: &Name| self.order(order) != "rlx";
        let order = match (orders, half) {
            ([], _) => "rlx",
            ([one], Half::Both) => self.order(one),
            ([read, write, ..], Half::Both) => match (self.order(read), self.order(write)) {
                ("sc", "sc") => "sc",
                _ => match (acquires(read), acquires(write)) {
                    (false, false) => "rlx",
                    (true, false) => "acq",
                    (false, true) => "rel",
                    (true, true) => "acqrel",
                },
            },
            ([one, ..], half) => match (self.order(one), half) {
                ("acqrel", Half::Read) => "acq",
                ("acqrel", _) => "rel",
                (order, _) => order,
            },
        };
        format!(", {order}")
    }

    /// An order in the spelling of `.fp`.
    fn order<'n>(&self, order: &'n Name) -> &'n str {
        match order.text.as_str() {
            "acq_rel" if self.tpl => "acqrel",
            "seq_cst" | "upd" if self.tpl => "sc",
            text => text,
        }
    }

    // Names, places, expressions.

    /// A name; a word of `.fp` that is none of TPL needs another spelling.
    fn name(&self, name: &str) -> String {
        let clash = self.tpl && Language::Fp.reserved_words().contains(&name);
        if clash { format!("{name}_") } else { name.to_owned() }
    }

    fn place(&self, place: &Place) -> String {
        let field = place.field.as_ref().map_or(String::new(), |field| {
            format!(".{}{}", self.name(&field.name.text), self.brackets(field.index.as_ref()))
        });
        format!("{}{}{field}", self.name(&place.name.text), self.brackets(place.index.as_ref()))
    }

    /// An index or a length.
    fn copies(&self, copies: Option<&Copies>) -> String {
        match copies {
            Some(Copies::Any(None)) => "[*]".to_owned(),
            Some(Copies::Any(Some(least))) => format!("[{}..*]", self.expr(least)),
            Some(Copies::Number(number)) => self.brackets(Some(number)),
            None => String::new(),
        }
    }

    fn brackets(&self, inside: Option<&Expr>) -> String {
        inside.map_or(String::new(), |inside| format!("[{}]", self.expr(inside)))
    }

    fn list(&self, exprs: &[Expr]) -> String {
        let list: Vec<String> = exprs.iter().map(|expr| self.expr(expr)).collect();
        list.join(", ")
    }

    /// An expression as the tree's language means it: TPL computes in integers.
    fn value(&self, expr: &Expr) -> String {
        if self.tpl && computes(expr) { format!("int({})", self.expr(expr)) } else { self.expr(expr) }
    }

    fn expr(&self, expr: &Expr) -> String {
        self.infix(expr).into_text()
    }

    fn infix(&self, expr: &Expr) -> Infix {
        match &expr.kind {
            ExprKind::Int(value) => Infix::atom(value.to_string()),
            ExprKind::Name(name) => Infix::atom(self.name(name)),
            ExprKind::Element(place) => Infix::atom(self.place(place)),
            ExprKind::Me => Infix::atom("me"),
            ExprKind::Unary(op, operand) => Infix::unary(*op, self.infix(operand)),
            ExprKind::Binary(op, left, right) => Infix::binary(*op, self.infix(left), self.infix(right)),
            ExprKind::Integer(operand) => Infix::atom(format!("int({})", self.expr(operand))),
            ExprKind::Wrap(operand) => Infix::atom(format!("wrap({})", self.expr(operand))),
            ExprKind::Error => Infix::atom("0"),
        }
    }
}

/// Which half of an access an order is for.
#[derive(Clone, Copy)]
enum Half {
    Read,
    Write,
    Both,
}

/// Has it an operator whose result `.fp` would reduce into the domain?
fn computes(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Unary(op, operand) => *op != crate::ast::UnaryOp::Not || computes(operand),
        ExprKind::Binary(op, left, right) => {
            matches!(op.precedence(), 3..=5 | 8..) && *op != BinaryOp::Rem || computes(left) || computes(right)
        }
        _ => false,
    }
}

fn drops_a_plain_load(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Access { result: None, access } => access.kind == AccessKind::PlainLoad,
        StmtKind::If { arms, otherwise } => {
            arms.iter().map(|(_, block)| block).chain(otherwise).any(drops_a_plain_load)
        }
        StmtKind::While(_, block) | StmtKind::DoWhile(block, _) | StmtKind::Block(block) => drops_a_plain_load(block),
        StmtKind::Choose(blocks) => blocks.iter().any(drops_a_plain_load),
        _ => false,
    })
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
