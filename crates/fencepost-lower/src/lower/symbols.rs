//! The names of a whole file: constants, locations, arrays, and the domain.

use std::collections::HashMap;

use fencepost_base::diag::Diagnostic;
use fencepost_base::ids::{ArrayId, LocId, Value};
use fencepost_base::source::Span;
use fencepost_ir::{LocationKind, ProgramBuilder, reduce};
use fencepost_syntax::Language;
use fencepost_syntax::ast::{Expr, ExprKind, Fields, File, Init, ItemKind, Name, SharedDecl};
use fencepost_syntax::messages::{Messages, suggestion};

use super::MAX_LOCATIONS;
use super::expr::{binary_op, unary_op};

/// What a name at the top level stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Symbol {
    Const(i64),
    Shared(Shared),
    /// A struct or an array of structs; its position among them.
    Struct(usize),
    /// A procedure; its position among the procedures.
    Proc(usize),
}

/// A location or an array of locations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared {
    pub(super) kind: LocationKind,
    /// The location, or the first element.
    pub(super) base: LocId,
    /// For an array: which, and its length.
    pub(super) array: Option<(ArrayId, u32)>,
    /// Where it is declared.
    pub(super) span: Span,
}

/// A struct, or an array of structs: a location, or an array of locations, for each field.
#[derive(Debug)]
pub(super) struct Struct {
    /// Number of elements, for an array.
    pub(super) len: Option<u32>,
    pub(super) fields: Vec<(String, Shared)>,
    /// Where it is declared.
    pub(super) span: Span,
}

impl Struct {
    pub(super) fn field(&self, name: &str) -> Option<Shared> {
        self.fields.iter().find(|(field, _)| field == name).map(|&(_, shared)| shared)
    }

    pub(super) fn field_names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|(name, _)| name.as_str())
    }
}

/// A location or array to be declared: its name, its initial values, its kind.
#[derive(Debug)]
struct Declared {
    name: String,
    /// With the names of the elements, for an array.
    inits: Vec<(String, Value)>,
    kind: LocationKind,
    array: bool,
}

/// How the elements of an array are called: `a[2]`, `q.slot[2]`, or `node[2].next`.
enum Elements<'n> {
    Plain,
    FieldOf(&'n str, &'n str),
}

/// Everything declared at the top level.
#[derive(Debug)]
pub(super) struct Globals {
    pub(super) name: Option<String>,
    pub(super) domain: u64,
    symbols: HashMap<String, (Span, Symbol)>,
    structs: Vec<Struct>,
    declared: Vec<Declared>,
    locations: usize,
    arrays: usize,
}

impl Globals {
    pub(super) fn collect(file: &File, messages: &mut Messages) -> Self {
        let domain = match file.language {
            Language::Tpl => 255,
            _ => 256,
        };
        let mut globals = Globals {
            name: None,
            domain,
            symbols: HashMap::new(),
            structs: Vec::new(),
            declared: Vec::new(),
            locations: 0,
            arrays: 0,
        };
        globals.collect_numbers(file, messages);
        globals.collect_names(file, messages);
        globals
    }

    /// The domain and the constants: locations need them.
    fn collect_numbers(&mut self, file: &File, messages: &mut Messages) {
        let mut first_domain: Option<Span> = None;
        let mut first_name: Option<Span> = None;
        let mut once = |first: &mut Option<Span>, what: &str, span: Span| match *first {
            None => *first = Some(span),
            Some(before) => {
                messages.push(Diagnostic::error(span, format!("{what} is given twice")).also(before, "first here"));
            }
        };
        for item in &file.items {
            match &item.kind {
                ItemKind::Name(_) => once(&mut first_name, "the name", item.span),
                ItemKind::Domain(_) => once(&mut first_domain, "the domain", item.span),
                ItemKind::MaxValue(_) => once(&mut first_domain, "the greatest value", item.span),
                _ => {}
            }
        }
        for item in &file.items {
            match &item.kind {
                ItemKind::Name(name) => self.name = Some(name.clone()),
                ItemKind::Domain(size) => self.set_domain(size, 0, messages),
                ItemKind::MaxValue(greatest) => self.set_domain(greatest, 1, messages),
                ItemKind::Const(name, value) => {
                    let value = self.constant(value, messages).unwrap_or_default();
                    self.define(name, Symbol::Const(value), messages);
                }
                _ => {}
            }
        }
    }

    fn set_domain(&mut self, size: &Expr, more: i64, messages: &mut Messages) {
        let Some(number) = self.constant(size, messages) else { return };
        let greatest = ProgramBuilder::MAX_DOMAIN as i64;
        match number.checked_add(more).filter(|domain| (1..=greatest).contains(domain)) {
            Some(domain) => self.domain = domain as u64,
            None => {
                let range = format!("it must be from {} to {}", 1 - more, greatest - more);
                messages.push(Diagnostic::error(size.span, format!("{number} is out of range")).label(range));
            }
        }
    }

    fn collect_names(&mut self, file: &File, messages: &mut Messages) {
        let mut procs = 0;
        let mut threads: HashMap<&str, Span> = HashMap::new();
        for item in &file.items {
            match &item.kind {
                ItemKind::Shared { atomic, declarations } => {
                    let kind = if *atomic { LocationKind::Atomic } else { LocationKind::NonAtomic };
                    for declaration in declarations {
                        let len = self.length(declaration.len.as_ref(), messages);
                        let name = declaration.name.text.clone();
                        let shared = len.and_then(|len| {
                            self.declare_shared(declaration, name, len, Elements::Plain, kind, messages)
                        });
                        if let Some(shared) = shared {
                            self.define(&declaration.name, Symbol::Shared(shared), messages);
                        }
                    }
                }
                ItemKind::Struct { name, len, fields } => self.declare_struct(name, len.as_ref(), fields, messages),
                ItemKind::Proc { name, .. } => {
                    self.define(name, Symbol::Proc(procs), messages);
                    procs += 1;
                }
                ItemKind::Thread { name, .. } => match threads.get(name.text.as_str()) {
                    Some(&before) => messages.push(duplicate(name, before)),
                    None => {
                        threads.insert(&name.text, name.span);
                    }
                },
                _ => {}
            }
        }
        for item in &file.items {
            if let ItemKind::Track { name, .. } = &item.kind
                && self.shared(&name.text).is_none()
            {
                messages.push(self.unknown(name, "location"));
            }
        }
    }

    /// The number of elements; `Some(None)` where there is none.
    fn length(&self, len: Option<&Expr>, messages: &mut Messages) -> Option<Option<u32>> {
        let Some(len) = len else { return Some(None) };
        let number = self.constant(len, messages)?;
        match u32::try_from(number) {
            Ok(number) if (1..=MAX_LOCATIONS).contains(&(number as usize)) => Some(Some(number)),
            _ => {
                let problem = Diagnostic::error(len.span, format!("an array of {number} elements"))
                    .label(format!("there can be 1 to {MAX_LOCATIONS}"));
                messages.push(problem);
                None
            }
        }
    }

    fn declare_struct(&mut self, name: &Name, len: Option<&Expr>, fields: &[Fields], messages: &mut Messages) {
        let Some(len) = self.length(len, messages) else { return };
        let mut found: Vec<(String, Shared)> = Vec::new();
        for line in fields {
            let kind = if line.atomic { LocationKind::Atomic } else { LocationKind::NonAtomic };
            for declaration in &line.declarations {
                let field = &declaration.name;
                if let Some((_, before)) = found.iter().find(|(other, _)| *other == field.text) {
                    messages.push(duplicate(field, before.span));
                    continue;
                }
                if let (Some(_), Some(inner)) = (len, &declaration.len) {
                    let problem = Diagnostic::error(inner.span, "an array in an array of structs");
                    messages.push(problem.also(name.span, "of several elements").help(format!(
                        "declare an array by itself, `global {}[n];`, and compute the index",
                        field.text
                    )));
                    continue;
                }
                let inner = match len {
                    Some(len) => Some(Some(len)),
                    None => self.length(declaration.len.as_ref(), messages),
                };
                let text = format!("{}.{}", name.text, field.text);
                let elements = match len {
                    Some(_) => Elements::FieldOf(&name.text, &field.text),
                    None => Elements::Plain,
                };
                let shared =
                    inner.and_then(|inner| self.declare_shared(declaration, text, inner, elements, kind, messages));
                found.extend(shared.map(|shared| (field.text.clone(), shared)));
            }
        }
        if fields.is_empty() {
            let problem = Diagnostic::error(name.span, format!("the struct `{}` has no fields", name.text));
            messages.push(problem.help("declare them as in `global next; nonatomic value;`"));
        }
        if self.define(name, Symbol::Struct(self.structs.len()), messages) {
            self.structs.push(Struct { len, fields: found, span: name.span });
        }
    }

    /// Adds a location or an array. If its name turns out to be taken, nothing comes of the program.
    fn declare_shared(
        &mut self,
        declaration: &SharedDecl,
        name: String,
        len: Option<u32>,
        elements: Elements<'_>,
        kind: LocationKind,
        messages: &mut Messages,
    ) -> Option<Shared> {
        let number = len.map_or(1, |len| len as usize);
        if self.locations + number > MAX_LOCATIONS {
            messages.push(Diagnostic::error(declaration.name.span, format!("more than {MAX_LOCATIONS} locations")));
            return None;
        }
        let inits = self.initials(declaration, len, number, messages).into_iter().enumerate();
        let element = |index: usize| match (len, &elements) {
            (None, _) => name.clone(),
            (Some(_), Elements::Plain) => format!("{name}[{index}]"),
            (Some(_), Elements::FieldOf(whole, field)) => format!("{whole}[{index}].{field}"),
        };
        let inits = inits.map(|(index, init)| (element(index), init)).collect();
        let array = len.map(|len| (ArrayId::from_index(self.arrays), len));
        let base = LocId::from_index(self.locations);
        self.locations += number;
        self.arrays += usize::from(array.is_some());
        self.declared.push(Declared { name, inits, kind, array: array.is_some() });
        Some(Shared { kind, base, array, span: declaration.name.span })
    }

    fn initials(
        &self,
        declaration: &SharedDecl,
        len: Option<u32>,
        number: usize,
        messages: &mut Messages,
    ) -> Vec<Value> {
        let name = &declaration.name;
        match &declaration.init {
            None => vec![0; number],
            Some(Init::Value(value)) => vec![self.initial(value, messages); number],
            Some(Init::List(values, span)) => {
                if len.is_none() {
                    messages.push(Diagnostic::error(*span, format!("`{}` is not an array", name.text)).help(format!(
                        "declare it as `{}[{}]`, or give one value",
                        name.text,
                        values.len()
                    )));
                } else if values.len() != number {
                    let message = format!("{} values for {number} elements", values.len());
                    messages.push(Diagnostic::error(*span, message).also(name.span, "of this array"));
                }
                let mut inits: Vec<Value> = values.iter().map(|value| self.initial(value, messages)).collect();
                inits.resize(number, 0);
                inits
            }
        }
    }

    fn initial(&self, value: &Expr, messages: &mut Messages) -> Value {
        let number = self.constant(value, messages).unwrap_or_default();
        if let Some(warning) = self.outside(number, value.span) {
            messages.push(warning);
        }
        reduce(number, self.domain)
    }

    /// A warning when a number that becomes a value is not one.
    pub(super) fn outside(&self, number: i64, span: Span) -> Option<Diagnostic> {
        if number < self.domain as i64 {
            return None;
        }
        let message = format!("{number} is outside the domain and counts as {}", reduce(number, self.domain));
        Some(Diagnostic::warning(span, message).label(format!("values are 0 to {}", self.domain - 1)))
    }

    fn define(&mut self, name: &Name, symbol: Symbol, messages: &mut Messages) -> bool {
        if let Some((before, _)) = self.symbols.get(&name.text) {
            messages.push(duplicate(name, *before));
            return false;
        }
        self.symbols.insert(name.text.clone(), (name.span, symbol));
        true
    }

    /// Adds the locations to the program, in the order of their numbers.
    pub(super) fn declare(&self, builder: &mut ProgramBuilder) {
        for declared in &self.declared {
            if declared.array {
                builder.array_of(declared.name.clone(), declared.inits.clone(), declared.kind);
            } else {
                for (name, init) in &declared.inits {
                    builder.location(name.clone(), *init, declared.kind);
                }
            }
        }
    }

    pub(super) fn symbol(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).map(|&(_, symbol)| symbol)
    }

    pub(super) fn structure(&self, id: usize) -> &Struct {
        &self.structs[id]
    }

    pub(super) fn span_of(&self, name: &str) -> Option<Span> {
        self.symbols.get(name).map(|&(span, _)| span)
    }

    pub(super) fn shared(&self, name: &str) -> Option<Shared> {
        match self.symbol(name) {
            Some(Symbol::Shared(shared)) => Some(shared),
            _ => None,
        }
    }

    /// All names, in the order of the alphabet.
    pub(super) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.symbols.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// "there is no …", with a likely correction.
    pub(super) fn unknown(&self, name: &Name, what: &str) -> Diagnostic {
        let problem = Diagnostic::error(name.span, format!("there is no {what} `{}`", name.text));
        match suggestion(&name.text, self.names()) {
            Some(other) => problem.help(format!("did you mean `{other}`?")),
            None => problem,
        }
    }

    /// The integer an expression over constants denotes.
    pub(super) fn constant(&self, expr: &Expr, messages: &mut Messages) -> Option<i64> {
        match &expr.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Name(text) => match self.symbol(text) {
                Some(Symbol::Const(value)) => Some(value),
                Some(_) => {
                    messages.push(Diagnostic::error(expr.span, format!("`{text}` is not a constant")));
                    None
                }
                None => {
                    messages.push(self.unknown(&Name { text: text.clone(), span: expr.span }, "constant"));
                    None
                }
            },
            ExprKind::Unary(op, operand) => Some(unary_op(*op).apply(self.constant(operand, messages)?)),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.constant(left, messages), self.constant(right, messages));
                match binary_op(*op).apply(left?, right?) {
                    Ok(value) => Some(value),
                    Err(error) => {
                        messages.push(Diagnostic::error(expr.span, error.to_string()));
                        None
                    }
                }
            }
            ExprKind::Integer(operand) => self.constant(operand, messages),
            ExprKind::Wrap(operand) => Some(i64::from(reduce(self.constant(operand, messages)?, self.domain))),
            ExprKind::Me | ExprKind::Element(_) => {
                messages.push(Diagnostic::error(expr.span, "this is not a constant"));
                None
            }
            ExprKind::Error => None,
        }
    }
}

/// "… is declared twice", with both places.
pub(super) fn duplicate(name: &Name, other: Span) -> Diagnostic {
    let (first, second) = (name.span.min(other), name.span.max(other));
    Diagnostic::error(second, format!("`{}` is declared twice", name.text)).also(first, "first declared here")
}
