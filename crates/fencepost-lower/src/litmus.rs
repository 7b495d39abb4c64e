//! C litmus tests: from procedures in C and a condition to a program.
//!
//! Modelled: C11 atomics with their orders, plain accesses, fences, local
//! variables, `if`, `while`, `do`, `for`. An access of an `_Atomic` variable by its
//! name is a seq_cst access, as in C. All integer types are one: numbers from
//! 0 on, and negative ones if the test has any, as many as the domain takes;
//! the domain is chosen so that every constant fits, with a factor of 256 if
//! there is arithmetic, and results beyond it wrap around.
//!
//! An array is one of the initial state; its elements are `x[i]`, `*(x + i)`.
//!
//! Not modelled: addresses as values, arrays of a thread, functions other than those of
//! `<stdatomic.h>`, the macros of the Linux kernel, and the difference between
//! a variable and one of the same name in an inner block. Consume is acquire.
//! A weak compare-and-exchange fails for no reason as a load would: unlike
//! one that fails for a reason it does not wait for store buffers.

mod calls;
mod code;
mod numbers;

use std::collections::{BTreeMap, HashMap};

use fencepost_base::diag::Diagnostic;
use fencepost_base::effort::Effort;
use fencepost_base::ids::{ArrayId, LocId, RegId, ThreadId, Value};
use fencepost_base::source::Span;
use fencepost_ir::{Condition, Formula, LocationKind, Observable, ProgramBuilder};
use fencepost_syntax::ast::litmus::{self as ast, Elements, Procedure, Quantifier, Type};
use fencepost_syntax::ast::{File, ItemKind, Name};
use fencepost_syntax::messages::{Messages, suggestion};

use crate::lower::{MAX_INSTRUCTIONS, MAX_LOCATIONS, MAX_THREADS};
use code::Code;
use numbers::Range;

/// The shared variables.
#[derive(Default)]
struct Globals {
    list: Vec<Global>,
    numbers: HashMap<String, usize>,
}

struct Global {
    name: Name,
    init: Option<(Value, Span)>,
    /// If it is an array, the initial values of its elements, and its number in the program.
    elements: Option<Vec<Value>>,
    array: Option<ArrayId>,
    /// A declaration, or an operation, that makes it atomic.
    atomic: Option<Span>,
}

impl Globals {
    fn number(&mut self, name: &Name) -> usize {
        let Globals { list, numbers } = self;
        *numbers.entry(name.text.clone()).or_insert_with(|| {
            list.push(Global { name: name.clone(), init: None, elements: None, array: None, atomic: None });
            list.len() - 1
        })
    }

    fn declare(&mut self, name: &Name, ty: Option<Type>, span: Span) -> &mut Global {
        let number = self.number(name);
        let global = &mut self.list[number];
        if ty.is_some_and(|ty| ty.atomic) {
            global.atomic.get_or_insert(span);
        }
        global
    }

    fn find(&self, name: &str) -> Option<(LocId, &Global)> {
        let &number = self.numbers.get(name)?;
        Some((LocId::from_index(self.list[..number].iter().map(Global::len).sum()), &self.list[number]))
    }

    /// Number of locations.
    fn len(&self) -> usize {
        self.list.iter().map(Global::len).sum()
    }
}

impl Global {
    /// Number of locations.
    fn len(&self) -> usize {
        self.elements.as_ref().map_or(1, Vec::len)
    }
}

/// Lowers a litmus test that was parsed without errors; what is missing in the builder is reported.
pub(crate) fn lower(file: &File, messages: &mut Messages, effort: &Effort<'_>) -> ProgramBuilder {
    let range = numbers::range(file, messages);
    let name = file.items.iter().find_map(|item| match &item.kind {
        ItemKind::Name(name) => Some(name.clone()),
        _ => None,
    });
    let mut builder = ProgramBuilder::new(name, range.domain);
    let procedures: Vec<&Procedure> = file
        .items
        .iter()
        .filter_map(|item| if let ItemKind::Procedure(procedure) = &item.kind { Some(procedure) } else { None })
        .collect();
    check_names(&procedures, messages);
    let mut globals = Globals::default();
    let registers = initial_state(file, range, procedures.len(), &mut globals, messages);
    for procedure in &procedures {
        for param in &procedure.params {
            globals.declare(&param.name, Some(param.ty), param.span);
        }
        calls::find_atomics(procedure, &mut globals);
    }
    if globals.len() > MAX_LOCATIONS {
        messages.push(Diagnostic::error(Span::default(), format!("more than {MAX_LOCATIONS} locations")));
        return builder;
    }
    for global in &mut globals.list {
        let kind = if global.atomic.is_some() { LocationKind::Atomic } else { LocationKind::NonAtomic };
        match &global.elements {
            Some(elements) => global.array = Some(builder.array(global.name.text.clone(), elements, kind)),
            None => _ = builder.location(global.name.text.clone(), global.init.map_or(0, |(value, _)| value), kind),
        }
    }
    let mut names = Vec::new();
    let mut instructions = 0;
    for (procedure, initial) in procedures.iter().zip(registers) {
        let code = Code::new(&globals, range, procedure, initial, messages, effort);
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

/// The initial values of locations, and for every thread those of registers.
fn initial_state(
    file: &File,
    range: Range,
    threads: usize,
    globals: &mut Globals,
    messages: &mut Messages,
) -> Vec<BTreeMap<String, Value>> {
    let mut registers = vec![BTreeMap::new(); threads];
    let lists = file.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Initial(list) => Some(list),
        _ => None,
    });
    for initial in lists.flatten() {
        let what = &initial.what;
        let value = initial.value.map(|(value, span)| (range.value(value), span));
        let Some(thread) = what.thread else {
            let global = globals.declare(&what.name, initial.ty, what.span);
            let before = global.init.map(|(_, before)| before).or(global.elements.as_ref().map(|_| global.name.span));
            if let (Some(before), true) = (before, value.is_some() || initial.elements.is_some()) {
                let message = format!("`{}` has two initial values", what.name.text);
                messages.push(Diagnostic::error(what.span, message).also(before, "the first one"));
            }
            if let Some(Elements { length, values }) = &initial.elements {
                let given = values.iter().map(|&(value, _)| range.value(value));
                let elements = given.chain(std::iter::repeat(0)).take(*length).collect();
                global.elements.get_or_insert(elements);
            }
            global.init = global.init.or(value);
            continue;
        };
        match usize::try_from(thread).ok().and_then(|thread| registers.get_mut(thread)) {
            Some(registers) => {
                registers.insert(what.name.text.clone(), value.map_or(0, |(value, _)| value));
            }
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
        Some(Condition { quantifier, formula, filter, shown, negatives: self.range.negatives })
    }

    fn formula(&self, formula: &ast::Formula, messages: &mut Messages) -> Formula {
        let mut inner = |formula: &ast::Formula| Box::new(self.formula(formula, messages));
        match formula {
            ast::Formula::Constant(value) => Formula::Constant(*value),
            ast::Formula::Equals(what, value, _) => match self.find(what, messages) {
                Some(what) => Formula::Equals(what, self.range.value(*value)),
                None => Formula::Constant(false),
            },
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
        let name = what.name.text.as_str();
        let (found, kind, problem) = match what.thread {
            None => {
                let known: Vec<&str> = self.globals.list.iter().map(|global| global.name.text.as_str()).collect();
                let (base, index) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
                    Some((base, index)) => (base, index.parse::<usize>().ok()),
                    None => (name, None),
                };
                let found = self.globals.find(base);
                let (index, is_element) = (index.unwrap_or(0), base != name);
                let location =
                    found.filter(|(_, global)| is_element == global.elements.is_some() && index < global.len());
                if let (Some((_, Global { elements: Some(elements), .. })), None) = (found, location) {
                    let message = format!("`{base}` is an array of {} elements", elements.len());
                    messages.push(Diagnostic::error(what.span, message).help(format!("say which one: `{base}[0]`")));
                    return None;
                }
                let at = |(loc, _): (LocId, &Global)| Observable::Location(LocId::from_index(loc.index() + index));
                (location.map(at), "location", known)
            }
            Some(number) => {
                let thread = usize::try_from(number).ok().filter(|&thread| thread < self.registers.len());
                let Some(thread) = thread else {
                    messages.push(no_thread(what.span, number));
                    return None;
                };
                let registers = &self.registers[thread];
                let id = ThreadId::from_index(thread);
                let known: Vec<&str> = registers.keys().map(String::as_str).collect();
                (registers.get(name).map(|&register| Observable::Register(id, register)), "local variable", known)
            }
        };
        if found.is_none() {
            let diagnostic = Diagnostic::error(what.span, format!("there is no {kind} `{name}`"));
            messages.push(match suggestion(name, problem) {
                Some(other) => diagnostic.help(format!("did you mean `{other}`?")),
                None => diagnostic,
            });
        }
        found
    }
}
