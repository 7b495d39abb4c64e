//! The parts of a C litmus test. Unlike a statement of `.fp`, a C expression
//! may access memory anywhere inside, so C has expressions of its own.

use std::fmt;

pub use fencepost_base::quantifier::Quantifier;
use fencepost_base::source::Span;

use super::{BinaryOp, Name, UnaryOp};

/// `P0 (atomic_int* x, …) { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// `P0`
    pub name: Name,
    /// What it is given: the addresses of shared variables.
    pub params: Vec<Variable>,
    /// Its statements.
    pub body: Vec<Stmt>,
    /// The body, braces included.
    pub body_span: Span,
}

/// A type, as far as it matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Type {
    /// What of it is atomic: bit 0 stands for `atomic_int`, bit 1 for the address in
    /// `int* _Atomic`, and so on.
    pub atomic: u8,
    /// Number of `*`.
    pub pointers: usize,
}

impl Type {
    /// Most `*` of a type.
    pub const MAX_POINTERS: usize = 7;

    /// Is a variable of this type atomic?
    pub fn is_atomic(self) -> bool {
        self.atomic >> self.pointers & 1 == 1
    }

    /// The type of what is at an address of this type.
    pub fn pointee(self) -> Option<Type> {
        let pointers = self.pointers.checked_sub(1)?;
        Some(Type { atomic: self.atomic & !(1 << self.pointers), pointers })
    }
}

/// A value that stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constant {
    /// A number.
    Number(i64),
    /// The address of a location, `&x` or, as herd has it, `x`; `x[1]` for an element.
    Address(Name),
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constant::Number(number) => write!(f, "{number}"),
            Constant::Address(name) => write!(f, "&{}", name.text),
        }
    }
}

/// A name with its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Type.
    pub ty: Type,
    /// Name.
    pub name: Name,
    /// Where both are.
    pub span: Span,
}

/// A line of the initial state: `x = 1;`, `int y;`, `0:r0 = 2;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initial {
    /// The type, if there is one.
    pub ty: Option<Type>,
    /// The location, or a thread's register.
    pub what: Observable,
    /// Its value.
    pub value: Option<(Constant, Span)>,
    /// For an array, its elements.
    pub elements: Option<Elements>,
}

/// `[2] = {1, 2}`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elements {
    /// How many there are.
    pub length: usize,
    /// The values of the first ones.
    pub values: Vec<(Constant, Span)>,
}

/// What a final state says something about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observable {
    /// The thread, for a register.
    pub thread: Option<i64>,
    /// The register or location; `x[1]` for an element of an array.
    pub name: Name,
    /// Where it is.
    pub span: Span,
}

/// A formula about a final state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Formula {
    /// `true`, `false`
    Constant(bool),
    /// `0:r0 = 1`, `0:r0 = x`
    Equals(Observable, Constant, Span),
    /// `0:r0 = 1:r0`
    Same(Observable, Observable, Span),
    /// `~`, `not`; also `0:r0 != 1`
    Not(Box<Formula>),
    /// `/\`
    And(Box<Formula>, Box<Formula>),
    /// `\/`
    Or(Box<Formula>, Box<Formula>),
    /// `=>`
    Implies(Box<Formula>, Box<Formula>),
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it is, without the closing `;`.
    pub span: Span,
}

/// Statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// `int r0 = 1, r1;`
    Declare(Vec<(Variable, Option<Expr>)>),
    /// `e;`
    Expr(Expr),
    /// `if (e) … else …`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `while (e) …`
    While(Expr, Box<Stmt>),
    /// `do … while (e);`
    DoWhile(Box<Stmt>, Expr),
    /// `for (int i = 0; i < 2; i++) …`
    For(Option<Box<Stmt>>, Option<Expr>, Option<Expr>, Box<Stmt>),
    /// `{ … }`
    Block(Vec<Stmt>),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `;`
    Empty,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it is, its parentheses included.
    pub span: Span,
}

/// Expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A number.
    Int(i64),
    /// A variable.
    Name(String),
    /// `*e`
    Deref(Box<Expr>),
    /// `&x`
    Address(Name),
    /// A unary operator.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `target = value`, `target += value`
    Assign(Box<Expr>, Option<BinaryOp>, Box<Expr>),
    /// `cond ? then : otherwise`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `f(…)`
    Call(Name, Vec<Expr>),
    /// `(int) e`
    Cast(Type, Box<Expr>),
    /// What could not be understood; a diagnostic says why.
    Error,
}
