//! The names of a program: where each is declared, and where it is used.
//!
//! Scopes are those of the lowering: the top level; in a thread or procedure, parameters, registers
//! from their declaration on, and labels, which are a kind of their own; in a struct, its fields. A
//! register of the head of a `for` is there in this loop only. Trees of automata and of C litmus
//! tests have no such names.

use fencepost_base::source::Span;
use fencepost_syntax::ast::File;

use crate::collect::Collector;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `const`
    Constant,
    /// A location, or an array of them.
    Location {
        /// Is it for atomic accesses?
        atomic: bool,
    },
    /// A struct, or an array of them.
    Struct,
    /// A field of a struct, which is a location, too.
    Field {
        /// Is it for atomic accesses?
        atomic: bool,
    },
    /// `proc`
    Procedure,
    /// `thread`
    Thread,
    /// A parameter of a procedure.
    Parameter,
    /// `local`
    Register,
    /// `l:`
    Label,
}

/// What is done with a name where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is declared.
    Declaration,
    /// Its value is read.
    Read,
    /// It gets a value.
    Write,
    /// Both, in one step.
    Update,
    /// Something else: it is called, jumped to, handed to a procedure.
    Mention,
}

/// Where a name comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The name.
    pub name: String,
    /// What it stands for.
    pub kind: Kind,
    /// Where the name is.
    pub span: Span,
    /// All of the declaration.
    pub whole: Span,
    /// The struct, procedure or thread that it belongs to; its position in the list.
    pub within: Option<usize>,
}

/// A name in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Where it is.
    pub span: Span,
    /// The position of its definition in the list.
    pub definition: usize,
    /// What is done with it.
    pub role: Role,
    /// The statement or declaration around it.
    pub statement: Span,
    /// The thread or procedure around it; its position in the list.
    pub inside: Option<usize>,
}

/// All names of a program.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub(crate) definitions: Vec<Definition>,
    pub(crate) uses: Vec<Use>,
}

impl Names {
    /// The names in a tree of this text.
    pub fn of(file: &File, text: &str) -> Self {
        let mut names = Collector::new(text).file(file);
        names.uses.sort_by_key(|it| it.span);
        names
    }

    /// Every definition, in the order of the tree.
    pub fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    /// The definition at this position of the list.
    pub fn definition(&self, index: usize) -> &Definition {
        &self.definitions[index]
    }

    /// The name at a byte of the text, or right before it: where a cursor is after a word, the word
    /// is meant.
    pub fn at(&self, offset: usize) -> Option<Use> {
        let touches = |it: &&Use| it.span.range().start <= offset && offset <= it.span.range().end;
        self.uses.iter().rfind(touches).copied()
    }

    /// Every place where the name of a definition is, in the order of the text.
    pub fn uses_of(&self, definition: usize) -> impl Iterator<Item = Use> {
        self.uses.iter().filter(move |it| it.definition == definition).copied()
    }
}
