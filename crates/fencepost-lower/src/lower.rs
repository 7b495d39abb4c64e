//! Tree to program: names, types, inlining, control flow.
//!
//! A program comes out only when nothing is wrong; everything that is wrong is
//! reported at its place. Procedures are inlined, so every pass is bounded: by
//! [`MAX_INSTRUCTIONS`] in length and by [`MAX_DEPTH`] in depth.

mod access;
mod call;
mod control;
mod expr;
mod orders;
mod procs;
mod symbols;
mod thread;

use fencepost_base::diag::Diagnostic;
use fencepost_base::effort::{Effort, Exhausted};
use fencepost_base::source::Span;
use fencepost_ir::{Copies, Program, ProgramBuilder};
use fencepost_syntax::ast::{self, Block, File, ItemKind, Name};
use fencepost_syntax::messages::Messages;
use fencepost_syntax::{Language, Parsed, parse_within};

pub(crate) use expr::{binary_op, wraps};

use crate::automata;
use crate::litmus::{self, Reading};
use procs::Procs;
use symbols::Globals;
use thread::{Me, ThreadLowerer};

/// Most instructions of all threads together.
pub const MAX_INSTRUCTIONS: usize = 1_000_000;

/// Most threads.
pub const MAX_THREADS: usize = 65_535;

/// Most locations, array elements counted one by one.
pub const MAX_LOCATIONS: usize = 65_535;

/// Deepest nesting of blocks and calls after inlining.
pub const MAX_DEPTH: usize = 250;

/// The outcome of reading a source text.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The program; there is one exactly when no diagnostic is an error.
    pub program: Option<Program>,
    /// Errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a program.
pub fn load(language: Language, text: &str) -> Loaded {
    load_as(language, text, Reading::default())
}

/// Reads a program in one of several ways.
pub fn load_as(language: Language, text: &str, reading: Reading) -> Loaded {
    load_within(language, text, reading, &Effort::unlimited()).expect("no limit is reached where there is none")
}

/// Reads a program with a limited effort.
///
/// # Errors
/// What there was not enough of.
pub fn load_within(language: Language, text: &str, reading: Reading, effort: &Effort<'_>) -> Result<Loaded, Exhausted> {
    let Parsed { file, mut messages } = parse_within(language, text, effort);
    let program = if messages.has_errors() { None } else { lower(&file, reading, &mut messages, effort) };
    match effort.exhausted() {
        Some(exhausted) => Err(exhausted),
        None => Ok(Loaded { program, diagnostics: messages.into_list() }),
    }
}

/// Lowers a tree that was parsed without errors, as far as the effort goes.
fn lower(file: &File, reading: Reading, messages: &mut Messages, effort: &Effort<'_>) -> Option<Program> {
    let builder = match file.language {
        Language::Txt => automata::lower(file, messages, effort),
        Language::Litmus => litmus::lower(file, reading, messages, effort),
        Language::Fp | Language::Tpl => lower_statements(file, messages, effort),
    };
    // What there is of it need not make sense.
    if effort.exhausted().is_some() {
        return None;
    }
    let is_thread =
        |kind: &ItemKind| matches!(kind, ItemKind::Thread { .. } | ItemKind::Automaton(_) | ItemKind::Procedure(_));
    if !file.items.iter().any(|item| is_thread(&item.kind)) {
        let help = match file.language {
            Language::Fp => "write `thread t { … }`",
            Language::Tpl => "write `fn t { … }`",
            Language::Txt => "write `thread t … end`",
            Language::Litmus => "write `P0 (…) { … }`",
        };
        let end = file.items.last().map_or(0, |item| item.span.end as usize);
        messages.push(Diagnostic::error(Span::new(end..end), "the program has no thread").help(help));
    }
    if messages.has_errors() {
        return None;
    }
    match builder.build() {
        Ok(program) => Some(program),
        Err(error) => {
            let message = format!("internal error: the program was translated wrongly ({error})");
            messages.push(Diagnostic::error(Span::default(), message).help("please report this as a bug"));
            None
        }
    }
}

/// Everything but whether there is a thread.
fn lower_statements(file: &File, messages: &mut Messages, effort: &Effort<'_>) -> ProgramBuilder {
    let globals = Globals::collect(file, messages);
    let procs = Procs::collect(file, &globals, messages);
    let mut lowering = Lowering {
        language: file.language,
        globals: &globals,
        procs: &procs,
        messages,
        effort,
        instructions: 0,
        steps: 0,
        exhausted: false,
    };
    let mut builder = ProgramBuilder::new(globals.name.clone(), globals.domain);
    globals.declare(&mut builder);
    let mut threads = 0usize;
    let mut called = vec![false; procs.list.len()];
    for item in &file.items {
        if let ItemKind::Thread { name, body, copies } = &item.kind {
            let kind = lowering.copies(copies.as_ref());
            let copies = kind.threads();
            if threads + copies > MAX_THREADS {
                let message = format!("more than {MAX_THREADS} threads");
                lowering.messages.push(Diagnostic::error(name.span, message));
                break;
            }
            threads += copies;
            lowering.copies_of(name, body, kind, &mut called, &mut builder);
        }
    }
    lowering.check_uncalled(&called);
    builder
}

/// How many copies there are of a thread.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// `thread t`
    Single,
    /// `thread t[3]`: each knows its number.
    Numbered(usize),
    /// `thread t[2..*]`: any number, of at least so many. None knows its number.
    Any(usize),
}

impl Kind {
    /// The number of threads of the program.
    fn threads(self) -> usize {
        match self {
            Kind::Single => 1,
            Kind::Numbered(number) => number,
            // One stands for all; none after an error.
            Kind::Any(least) => least.min(1),
        }
    }
}

/// What all threads share while they are lowered.
struct Lowering<'a> {
    language: Language,
    globals: &'a Globals,
    procs: &'a Procs<'a>,
    messages: &'a mut Messages,
    effort: &'a Effort<'a>,
    /// Instructions so far.
    instructions: usize,
    /// Instructions and statements so far: bounds the work, even when inlining produces nothing.
    steps: usize,
    /// The limit was hit and reported, or the effort is exhausted.
    exhausted: bool,
}

impl Lowering<'_> {
    fn copies(&mut self, copies: Option<&ast::Copies>) -> Kind {
        match copies {
            None => Kind::Single,
            Some(ast::Copies::Number(number)) => Kind::Numbered(self.number_of_copies(number)),
            Some(ast::Copies::Any(None)) => Kind::Any(1),
            Some(ast::Copies::Any(Some(least))) => Kind::Any(self.number_of_copies(least)),
        }
    }

    fn number_of_copies(&mut self, copies: &ast::Expr) -> usize {
        let Some(number) = self.globals.constant(copies, self.messages) else { return 0 };
        match usize::try_from(number) {
            Ok(number) if (1..=MAX_THREADS).contains(&number) => number,
            _ => {
                let message = format!("{number} copies of a thread");
                let problem = Diagnostic::error(copies.span, message).label(format!("there can be 1 to {MAX_THREADS}"));
                self.messages.push(problem);
                0
            }
        }
    }

    fn copies_of(&mut self, name: &Name, body: &Block, kind: Kind, called: &mut [bool], builder: &mut ProgramBuilder) {
        for copy in 0..kind.threads() {
            let errors = self.messages.errors();
            let me = match kind {
                Kind::Single => Me::Nobody,
                Kind::Numbered(_) => Me::Number(copy as i64),
                Kind::Any(_) => Me::Unknown,
            };
            let thread = ThreadLowerer::new(self, me, called).lower(body);
            let name = if me == Me::Number(copy as i64) { format!("{}[{copy}]", name.text) } else { name.text.clone() };
            let copies = match kind {
                Kind::Any(least) => Copies::Any { least: least as u32 },
                Kind::Single | Kind::Numbered(_) => Copies::One,
            };
            builder.threads(name, thread.registers, thread.code, copies);
            // The other copies would only repeat the errors of this one.
            if self.messages.errors() > errors || self.exhausted {
                return;
            }
        }
    }

    /// Procedures that no thread calls are checked for mistakes too.
    fn check_uncalled(&mut self, called: &[bool]) {
        let procs = self.procs;
        for (index, proc) in procs.list.iter().enumerate() {
            if !called[index] && !proc.recursive {
                let mut ignored = vec![false; procs.list.len()];
                ThreadLowerer::new(self, Me::Number(0), &mut ignored).check(proc);
            }
        }
    }
}
