//! C litmus tests: from procedures in C and a condition to a program.
//!
//! Modelled: C11 atomics with their orders, plain accesses, fences, local
//! variables, `if`, `while`, `do`, `for`. `*x` is a plain access, as the herd simulator has it,
//! also if `x` is an `atomic_int*`; in C that is a seq_cst access, which is the other
//! [`Reading`]. All integer types are one (`numbers`): results beyond the domain wrap around.
//!
//! An array is one of the initial state; its elements are `x[i]`, `*(x + i)`. The address of a
//! variable is a value (`addresses`): it can be stored, compared and dereferenced.
//!
//! Not modelled: arithmetic on addresses, addresses of local variables, arrays of a thread,
//! functions other than those of `<stdatomic.h>`, and the difference between
//! a variable and one of the same name in an inner block. Consume is acquire.
//! A weak compare-and-exchange fails for no reason as a load would: unlike
//! one that fails for a reason it does not wait for store buffers.

mod addresses;
mod calls;
mod code;
mod globals;
mod numbers;
mod places;
mod walk;

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};

use fencepost_base::diag::Diagnostic;
use fencepost_base::effort::Effort;
use fencepost_base::ids::{RegId, ThreadId, Value};
use fencepost_base::source::Span;
use fencepost_ir::{Condition, Formula, Numbering, Observable, ProgramBuilder};
use fencepost_syntax::ast::litmus::{self as ast, Procedure, Quantifier};
use fencepost_syntax::ast::{File, ItemKind};
use fencepost_syntax::messages::{Messages, suggestion};

use crate::lower::{MAX_INSTRUCTIONS, MAX_LOCATIONS, MAX_THREADS};
use addresses::Addresses;
use code::Code;
use globals::Globals;
use numbers::Range;

/// How a text is read where there are several ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// What `*x` is in a litmus test if `x` is an `atomic_int*`. If nobody says, it is a plain
    /// access, and there is a warning.
    pub deref: Option<Deref>,
}

/// What `*x` is in a litmus test if `x` is an `atomic_int*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deref {
    /// A plain access, as the herd simulator reads it.
    Plain,
    /// A seq_cst access, as the C standard has it.
    SeqCst,
}

/// What all threads of a test have in common.
struct Test<'a> {
    reading: Reading,
    globals: &'a Globals,
    addresses: &'a Addresses,
    range: Range,
    /// Has the reader been warned of plain accesses of what is declared atomic?
    warned: Cell<bool>,
}

/// Lowers a litmus test that was parsed without errors; what is missing in the builder is reported.
pub(crate) fn lower(file: &File, reading: Reading, messages: &mut Messages, effort: &Effort<'_>) -> ProgramBuilder {
    let name = file.items.iter().find_map(|item| match &item.kind {
        ItemKind::Name(name) => Some(name.clone()),
        _ => None,
    });
    let procedures: Vec<&Procedure> = file
        .items
        .iter()
        .filter_map(|item| if let ItemKind::Procedure(procedure) = &item.kind { Some(procedure) } else { None })
        .collect();
    check_names(&procedures, messages);
    let mut globals = Globals::collect(file, &procedures, reading, messages);
    if globals.len() > MAX_LOCATIONS {
        messages.push(Diagnostic::error(Span::default(), format!("more than {MAX_LOCATIONS} locations")));
        return ProgramBuilder::new(name, 1);
    }
    let addresses = Addresses::collect(file, &procedures, &globals);
    procedures.iter().for_each(|procedure| calls::find_atomics(procedure, &mut globals, &addresses));
    let range = numbers::range(file, addresses.are_values().then(|| globals.len()), messages);
    let mut builder = ProgramBuilder::new(name, range.domain);
    builder.numbering(Numbering { negatives: range.negatives, addresses: range.addresses });
    globals.declare(range, &addresses, &mut builder, messages);
    let registers = initial_registers(file, range, procedures.len(), &globals, messages);
    let test = Test { reading, globals: &globals, addresses: &addresses, range, warned: Cell::new(false) };
    let mut names = Vec::new();
    let mut instructions = 0;
    for (procedure, initial) in procedures.iter().zip(registers) {
        let code = Code::new(&test, procedure, initial, messages, effort);
        let (thread, known) = code.lower(procedure);
        instructions += thread.code.len();
        if instructions > MAX_INSTRUCTIONS {
            messages.push(Diagnostic::error(procedure.name.span, "the program is too large"));
            return builder;
        }
        builder.thread(procedure.name.text.clone(), thread.registers, thread.code);
        names.push(known);
    }
    let conditions = Conditions { globals: &globals, registers: &names, range };
    if let Some(condition) = conditions.lower(file, messages) {
        builder.condition(condition);
    }
    builder
}

/// Threads are `P0`, `P1`, …, in order: that is what conditions call them.
fn check_names(procedures: &[&Procedure], messages: &mut Messages) {
    for (index, procedure) in procedures.iter().enumerate() {
        let wanted = format!("P{index}");
        if procedure.name.text != wanted {
            let message = format!("expected thread `{wanted}`, found `{}`", procedure.name.text);
            messages.push(Diagnostic::error(procedure.name.span, message).help("threads are P0, P1, …, in order"));
            break;
        }
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for param in &procedure.params {
            if let Some(before) = seen.insert(&param.name.text, param.span) {
                let message = format!("there is another parameter `{}`", param.name.text);
                messages.push(Diagnostic::error(param.span, message).also(before, "the first one"));
            }
        }
    }
    if procedures.len() > MAX_THREADS {
        messages.push(Diagnostic::error(Span::default(), format!("more than {MAX_THREADS} threads")));
    }
}

/// For every thread, the initial values of registers.
fn initial_registers(
    file: &File,
    range: Range,
    threads: usize,
    globals: &Globals,
    messages: &mut Messages,
) -> Vec<BTreeMap<String, Value>> {
    let mut registers = vec![BTreeMap::new(); threads];
    for initial in globals::initial_state(file) {
        let what = &initial.what;
        let Some(thread) = what.thread else { continue };
        let value = initial.value.as_ref().map_or(0, |(value, _)| range.value(value, globals, messages));
        match usize::try_from(thread).ok().and_then(|thread| registers.get_mut(thread)) {
            Some(registers) => _ = registers.insert(what.name.text.clone(), value),
            None => messages.push(no_thread(what.span, thread)),
        }
    }
    registers
}

fn has_assertions(file: &File) -> bool {
    file.items.iter().any(|item| match &item.kind {
        ItemKind::Procedure(procedure) => calls::has_assertions(procedure),
        _ => false,
    })
}

fn no_thread(span: Span, thread: i64) -> Diagnostic {
    Diagnostic::error(span, format!("there is no thread P{thread}"))
}

/// Conditions, names resolved.
struct Conditions<'a> {
    globals: &'a Globals,
    registers: &'a [HashMap<String, RegId>],
    range: Range,
}

impl Conditions<'_> {
    fn lower(&self, file: &File, messages: &mut Messages) -> Option<Condition> {
        let mut found: Option<(Quantifier, Formula, Span)> = None;
        let (mut filter, mut shown) = (None, Vec::new());
        for item in &file.items {
            match &item.kind {
                ItemKind::Condition(quantifier, formula) => {
                    if let Some((.., before)) = found {
                        let problem = Diagnostic::error(item.span, "there is another condition");
                        messages.push(problem.also(before, "the first one"));
                    }
                    found = Some((*quantifier, self.formula(formula, messages), item.span));
                }
                ItemKind::Filter(formula) => filter = Some(self.formula(formula, messages)),
                ItemKind::Locations(list) => shown.extend(list.iter().filter_map(|what| self.find(what, messages))),
                _ => {}
            }
        }
        // Without a condition there is nothing to observe, but races: herd asks for what is true of
        // all states.
        let nothing = (Quantifier::Forall, Formula::Constant(true), Span::default());
        let (quantifier, formula, _) = found.or_else(|| (!has_assertions(file)).then_some(nothing))?;
        Some(Condition { quantifier, formula, filter, shown })
    }

    fn formula(&self, formula: &ast::Formula, messages: &mut Messages) -> Formula {
        let mut inner = |formula: &ast::Formula| Box::new(self.formula(formula, messages));
        match formula {
            ast::Formula::Constant(value) => Formula::Constant(*value),
            ast::Formula::Equals(what, value, _) => {
                let value = self.range.value(value, self.globals, messages);
                self.find(what, messages).map_or(Formula::Constant(false), |what| Formula::Equals(what, value))
            }
            ast::Formula::Same(what, other, _) => match (self.find(what, messages), self.find(other, messages)) {
                (Some(what), Some(other)) => Formula::Same(what, other),
                _ => Formula::Constant(false),
            },
            ast::Formula::Not(operand) => Formula::Not(inner(operand)),
            ast::Formula::And(left, right) => Formula::And(inner(left), inner(right)),
            ast::Formula::Or(left, right) => Formula::Or(inner(left), inner(right)),
            ast::Formula::Implies(left, right) => Formula::Implies(inner(left), inner(right)),
        }
    }

    fn find(&self, what: &ast::Observable, messages: &mut Messages) -> Option<Observable> {
        let Some(number) = what.thread else {
            return self.globals.locate(&what.name.text, what.span, messages).map(Observable::Location);
        };
        let thread = usize::try_from(number).ok().filter(|&thread| thread < self.registers.len());
        let Some(thread) = thread else {
            messages.push(no_thread(what.span, number));
            return None;
        };
        let (name, registers) = (what.name.text.as_str(), &self.registers[thread]);
        if let Some(&register) = registers.get(name) {
            return Some(Observable::Register(ThreadId::from_index(thread), register));
        }
        messages.push(unknown("local variable", name, what.span, registers.keys().map(String::as_str)));
        None
    }
}

/// There is no such thing, but perhaps another one with a similar name.
fn unknown<'a>(kind: &str, name: &str, span: Span, known: impl Iterator<Item = &'a str>) -> Diagnostic {
    let problem = Diagnostic::error(span, format!("there is no {kind} `{name}`"));
    match suggestion(name, known) {
        Some(other) => problem.help(format!("did you mean `{other}`?")),
        None => problem,
    }
}

/// What can be done with addresses.
fn addresses_help() -> &'static str {
    "addresses are those of parameters and of elements of arrays, `x`, `x + i`, `&x[i]`; they can be stored, compared \
     and dereferenced"
}
