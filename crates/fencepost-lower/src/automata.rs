//! Automata (Trencher's language) to a program.
//!
//! A thread's control states become places in its code; several ways out of a
//! state become a choice, or branches when conditions exclude each other.
//! Three things have to be found out on the way:
//!
//! - **Integers** have no declared range. [`values`] bounds what registers and
//!   memory can hold. If everything is bounded, the domain is just large enough
//!   and nothing is lost. Otherwise it has [`WIDE_DOMAIN`] values or more, and a
//!   result that leaves it ends the run with [`Op::Bound`], so that nothing is
//!   claimed about what comes after.
//! - **Addresses** may be computed. [`memory`] gives every address a location,
//!   and puts those that one access chooses from into one array. Where an
//!   address can be anything, there is memory at the addresses that are known,
//!   and at `0..`[`ANY_ADDRESSES`]; another address ends the run in the same way.
//! - **Locks** are a matter of the run, not of the text: `lock` and `unlock`
//!   need not stand in pairs. [`code`] doubles the control states, once with the
//!   lock and once without, so that every instruction is inside of an atomic
//!   section or outside. `lock` with the lock and `unlock` without it block for
//!   ever. A section is taken as a whole: a thread that could not come to its
//!   `unlock` waits before its `lock`, where Trencher would let it wait in the
//!   middle. Nobody could tell: all others have to keep off memory there.
//!
//! [`Op::Bound`]: fencepost_ir::Op::Bound
//! [`WIDE_DOMAIN`]: fencepost_ir::WIDE_DOMAIN

mod code;
mod memory;
mod values;

use std::collections::HashMap;

use fencepost_base::diag::Diagnostic;
use fencepost_base::effort::Effort;
use fencepost_base::ids::RegId;
use fencepost_base::source::Span;
use fencepost_ir::{BinaryOp, Expr, ProgramBuilder, Register, UnaryOp};
use fencepost_syntax::ast::{self, Automaton, Clause, ExprKind, File, Instruction, ItemKind, Name};
use fencepost_syntax::messages::Messages;

use crate::lower::{MAX_INSTRUCTIONS, MAX_LOCATIONS, MAX_THREADS, binary_op};
use code::Code;
use memory::Memory;
use values::Values;

/// Where an address can be anything, there is memory at `0..ANY_ADDRESSES` and at every address
/// known besides.
pub const ANY_ADDRESSES: i64 = 16;

/// A thread.
struct Machine<'a> {
    name: &'a Name,
    registers: Vec<String>,
    states: usize,
    initial: usize,
    edges: Vec<Edge>,
    /// The edges that leave a state, by state.
    leaving: Vec<Vec<usize>>,
}

/// A transition.
struct Edge {
    from: usize,
    to: usize,
    act: Act,
    span: Span,
}

/// What a transition does. A register in an expression stands for its integer, whatever the domain
/// will be.
enum Act {
    Read { dst: RegId, address: Expr },
    Write { value: Expr, address: Expr },
    Local { dst: RegId, value: Expr },
    Check(Expr),
    Fence,
    Lock,
    Unlock,
    Noop,
}

impl Act {
    fn address(&self) -> Option<&Expr> {
        match self {
            Act::Read { address, .. } | Act::Write { address, .. } => Some(address),
            _ => None,
        }
    }

    fn exprs(&self) -> Vec<&Expr> {
        match self {
            Act::Read { address, .. } => vec![address],
            Act::Write { value, address } => vec![value, address],
            Act::Local { value, .. } | Act::Check(value) => vec![value],
            Act::Fence | Act::Lock | Act::Unlock | Act::Noop => Vec::new(),
        }
    }
}

/// Lowers a tree of automata that was parsed without errors; what is missing in the builder is
/// reported.
pub(crate) fn lower(file: &File, messages: &mut Messages, effort: &Effort<'_>) -> ProgramBuilder {
    let mut machines: Vec<Machine<'_>> = Vec::new();
    let mut names: HashMap<&str, Span> = HashMap::new();
    for item in &file.items {
        let ItemKind::Automaton(automaton) = &item.kind else { continue };
        if !effort.step(0) {
            break;
        }
        let name = &automaton.name;
        if let Some(&before) = names.get(name.text.as_str()) {
            let message = format!("there is another thread `{}`", name.text);
            messages.push(Diagnostic::error(name.span, message).also(before, "the first one"));
        }
        names.insert(&name.text, name.span);
        machines.extend(machine(automaton, messages));
    }
    if machines.len() > MAX_THREADS {
        messages.push(Diagnostic::error(Span::default(), format!("more than {MAX_THREADS} threads")));
    }
    let values = Values::of(&machines, effort);
    let range = values.range();
    let mut builder = ProgramBuilder::new(None, range.domain());
    let memory = Memory::new(&machines, &values, &mut builder);
    if memory.locations() > MAX_LOCATIONS {
        messages.push(Diagnostic::error(Span::default(), format!("more than {MAX_LOCATIONS} addresses")));
        return builder;
    }
    let mut instructions = 0;
    for (thread, machine) in machines.iter().enumerate() {
        let code = Code::new(machine, thread, &values, range, &memory).emit(messages, effort);
        instructions += code.len();
        if instructions > MAX_INSTRUCTIONS {
            messages.push(
                Diagnostic::error(machine.name.span, "the program is too large")
                    .label(format!("there can be {MAX_INSTRUCTIONS} instructions")),
            );
            break;
        }
        let registers = machine.registers.iter().map(|name| Register { name: name.clone(), init: 0 }).collect();
        builder.thread(machine.name.text.clone(), registers, code);
    }
    builder
}

/// Numbers for states and registers.
fn machine<'a>(automaton: &'a Automaton, messages: &mut Messages) -> Option<Machine<'a>> {
    let name = &automaton.name;
    let mut states = Numbers::default();
    let mut registers = Numbers::default();
    let mut edges = Vec::new();
    let mut initial: Option<(usize, &Name)> = None;
    for clause in &automaton.clauses {
        match clause {
            Clause::Initial(state, span) => {
                if let Some((_, before)) = initial {
                    let message = format!("thread `{}` has several initial states", name.text);
                    let problem = Diagnostic::warning(*span, message).label("the last one counts");
                    messages.push(problem.also(before.span, "another one"));
                }
                initial = Some((states.number(&state.text), state));
            }
            Clause::Transition(transition) => edges.push(Edge {
                from: states.number(&transition.from.text),
                to: states.number(&transition.to.text),
                act: act(&transition.instruction, &mut registers),
                span: transition.span,
            }),
        }
    }
    let Some((initial, initial_name)) = initial else {
        let message = format!("thread `{}` has no initial state", name.text);
        messages.push(Diagnostic::error(name.span, message).help("write `initial q`, with the state it starts in"));
        return None;
    };
    let mut leaving = vec![Vec::new(); states.names.len()];
    for (index, edge) in edges.iter().enumerate() {
        leaving[edge.from].push(index);
    }
    if !edges.is_empty() && leaving[initial].is_empty() {
        let message = format!("no transition leaves the initial state `{}`", initial_name.text);
        messages.push(Diagnostic::warning(initial_name.span, message).label("the thread does nothing"));
    }
    warn_of_unset(automaton, &edges, &registers.names, messages);
    Some(Machine { name, registers: registers.names, states: states.names.len(), initial, edges, leaving })
}

/// A register that is used but never set is 0, and probably misspelt.
fn warn_of_unset(automaton: &Automaton, edges: &[Edge], registers: &[String], messages: &mut Messages) {
    let mut set = vec![false; registers.len()];
    for edge in edges {
        if let Act::Read { dst, .. } | Act::Local { dst, .. } = &edge.act {
            set[dst.index()] = true;
        }
    }
    for edge in edges {
        for expr in edge.act.exprs() {
            expr.for_each_register(&mut |register| {
                let name = &registers[register.index()];
                if !std::mem::replace(&mut set[register.index()], true) {
                    let message = format!("register `{name}` is never set in thread `{}`", automaton.name.text);
                    messages.push(Diagnostic::warning(edge.span, message).label("it is always 0"));
                }
            });
        }
    }
}

/// Names, numbered as they come.
#[derive(Default)]
struct Numbers {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Numbers {
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }
}

fn act(instruction: &Instruction, registers: &mut Numbers) -> Act {
    let mut register = |name: &Name| RegId::from_index(registers.number(&name.text));
    match instruction {
        Instruction::Read(dst, address) => Act::Read { dst: register(dst), address: expr(address, registers) },
        Instruction::Write(value, address) => {
            Act::Write { value: expr(value, registers), address: expr(address, registers) }
        }
        Instruction::Local(dst, value) => Act::Local { dst: register(dst), value: expr(value, registers) },
        Instruction::Check(cond) => Act::Check(expr(cond, registers)),
        Instruction::Mfence => Act::Fence,
        Instruction::Lock => Act::Lock,
        Instruction::Unlock => Act::Unlock,
        Instruction::Noop => Act::Noop,
    }
}

fn expr(e: &ast::Expr, registers: &mut Numbers) -> Expr {
    match &e.kind {
        ExprKind::Int(value) => Expr::Const(*value),
        ExprKind::Name(name) => Expr::Reg(RegId::from_index(registers.number(name))),
        ExprKind::Unary(_, operand) => Expr::Unary(UnaryOp::Not, Box::new(expr(operand, registers))),
        ExprKind::Binary(op, left, right) => binary(binary_op(*op), expr(left, registers), expr(right, registers)),
        // The parser makes none of these.
        ExprKind::Element(_) | ExprKind::Me | ExprKind::Integer(_) | ExprKind::Wrap(_) | ExprKind::Error => {
            Expr::Const(0)
        }
    }
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}
