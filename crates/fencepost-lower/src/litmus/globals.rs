//! The shared variables of a litmus test: those of the initial state, and the parameters.

use std::collections::HashMap;

use fencepost_base::diag::Diagnostic;
use fencepost_base::ids::{ArrayId, LocId, Value};
use fencepost_base::source::Span;
use fencepost_ir::{LocationKind, ProgramBuilder};
use fencepost_syntax::ast::litmus::{Constant, Elements, Initial, Procedure, Type};
use fencepost_syntax::ast::{File, ItemKind, Name};
use fencepost_syntax::messages::Messages;

use super::addresses::Addresses;
use super::numbers::Range;
use super::{Deref, Reading, unknown};

#[derive(Default)]
pub(super) struct Globals {
    list: Vec<Global>,
    numbers: HashMap<String, usize>,
}

pub(super) struct Global {
    name: Name,
    init: Option<(Constant, Span)>,
    /// If it is an array, the initial values of its elements, and its number in the program.
    elements: Option<Vec<Constant>>,
    pub(super) array: Option<ArrayId>,
    /// A declaration, or an operation, that makes it atomic.
    atomic: Option<Span>,
}

/// What the initial state says.
pub(super) fn initial_state(file: &File) -> impl Iterator<Item = &Initial> {
    let lists = file.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Initial(list) => Some(list),
        _ => None,
    });
    lists.flatten()
}

/// The constants of a line of the initial state.
pub(super) fn constants(initial: &Initial) -> impl Iterator<Item = &(Constant, Span)> {
    initial.value.iter().chain(initial.elements.iter().flat_map(|elements| &elements.values))
}

/// `a[1]` as `a` and 1; `a` as `a` and nothing.
fn parts(name: &str) -> (&str, Option<usize>) {
    match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        Some((array, index)) => (array, Some(index.parse().unwrap_or(usize::MAX))),
        None => (name, None),
    }
}

impl Globals {
    pub(super) fn collect(file: &File, procedures: &[&Procedure], reading: Reading, messages: &mut Messages) -> Self {
        let mut globals = Globals::default();
        for initial in initial_state(file).filter(|initial| initial.what.thread.is_none()) {
            globals.initial(initial, reading, messages);
        }
        for param in procedures.iter().flat_map(|procedure| &procedure.params) {
            globals.declared(&param.name, param.ty.pointee(), reading, param.span);
        }
        // What only an initial value mentions is there as well.
        for (value, _) in initial_state(file).flat_map(constants) {
            if let Constant::Address(name) = value {
                let text = parts(&name.text).0.to_owned();
                globals.number(&Name { text, span: name.span });
            }
        }
        globals
    }

    fn initial(&mut self, initial: &Initial, reading: Reading, messages: &mut Messages) {
        let what = &initial.what;
        let global = self.declared(&what.name, initial.ty, reading, what.span);
        let first = global.init.as_ref().map(|(_, before)| *before);
        let before = first.or(global.elements.as_ref().map(|_| global.name.span));
        if let (Some(before), true) = (before, initial.value.is_some() || initial.elements.is_some()) {
            let message = format!("`{}` has two initial values", what.name.text);
            messages.push(Diagnostic::error(what.span, message).also(before, "the first one"));
        }
        if let Some(Elements { length, values }) = &initial.elements {
            let given = values.iter().map(|(value, _)| value.clone());
            let elements = given.chain(std::iter::repeat(Constant::Number(0))).take(*length).collect();
            global.elements.get_or_insert(elements);
        }
        global.init = global.init.take().or_else(|| initial.value.clone());
    }

    fn number(&mut self, name: &Name) -> usize {
        let Globals { list, numbers } = self;
        *numbers.entry(name.text.clone()).or_insert_with(|| {
            list.push(Global { name: name.clone(), init: None, elements: None, array: None, atomic: None });
            list.len() - 1
        })
    }

    /// A variable of this type. As herd reads tests, a type alone makes nothing atomic.
    fn declared(&mut self, name: &Name, ty: Option<Type>, reading: Reading, span: Span) -> &mut Global {
        let number = self.number(name);
        let global = &mut self.list[number];
        if reading.deref == Some(Deref::SeqCst) && ty.is_some_and(Type::is_atomic) {
            global.atomic.get_or_insert(span);
        }
        global
    }

    pub(super) fn make_atomic(&mut self, name: &str, span: Span) {
        if let Some(&number) = self.numbers.get(name) {
            self.list[number].atomic.get_or_insert(span);
        }
    }

    pub(super) fn find(&self, name: &str) -> Option<(LocId, &Global)> {
        let &number = self.numbers.get(name)?;
        Some((LocId::from_index(self.list[..number].iter().map(Global::len).sum()), &self.list[number]))
    }

    /// The location that a condition or an initial value speaks of, `x` or `a[1]`.
    pub(super) fn locate(&self, name: &str, span: Span, messages: &mut Messages) -> Option<LocId> {
        let (base, index) = parts(name);
        let Some((loc, global)) = self.find(base) else {
            let known = self.list.iter().map(|global| global.name.text.as_str());
            messages.push(unknown("location", name, span, known));
            return None;
        };
        match (index, &global.elements) {
            (None, None) => Some(loc),
            (Some(index), Some(elements)) if index < elements.len() => Some(LocId::from_index(loc.index() + index)),
            (_, Some(elements)) => {
                let message = format!("`{base}` is an array of {} elements", elements.len());
                messages.push(Diagnostic::error(span, message).help(format!("say which one: `{base}[0]`")));
                None
            }
            (Some(_), None) => {
                messages.push(Diagnostic::error(span, format!("`{base}` is not an array")));
                None
            }
        }
    }

    /// Number of locations.
    pub(super) fn len(&self) -> usize {
        self.list.iter().map(Global::len).sum()
    }

    /// Adds all of them to the program.
    pub(super) fn declare(
        &mut self,
        range: Range,
        addresses: &Addresses,
        builder: &mut ProgramBuilder,
        messages: &mut Messages,
    ) {
        let value = |value: &Constant, messages: &mut Messages| range.value(value, self, messages);
        let inits: Vec<Vec<Value>> = self
            .list
            .iter()
            .map(|global| match &global.elements {
                Some(elements) => elements.iter().map(|element| value(element, messages)).collect(),
                None => vec![global.init.as_ref().map_or(0, |(init, _)| value(init, messages))],
            })
            .collect();
        for (global, inits) in self.list.iter_mut().zip(inits) {
            let (name, kind) = (global.name.text.clone(), global.kind());
            if global.elements.is_some() {
                global.array = Some(builder.array(name, &inits, kind));
                continue;
            }
            let loc = builder.location(name, inits[0], kind);
            if addresses.is_last(loc) {
                global.array = Some(builder.array_of_one(loc));
            }
        }
    }
}

impl Global {
    /// Number of locations.
    pub(super) fn len(&self) -> usize {
        self.elements.as_ref().map_or(1, Vec::len)
    }

    pub(super) fn is_array(&self) -> bool {
        self.elements.is_some()
    }

    pub(super) fn kind(&self) -> LocationKind {
        if self.atomic.is_some() { LocationKind::Atomic } else { LocationKind::NonAtomic }
    }
}
