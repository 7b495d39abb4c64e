//! The first waist: a well-typed concurrent program as control-flow graphs.
//!
//! Every front end ends in a [`Program`]; every engine starts from one. A
//! program is valid by construction: [`ProgramBuilder`] is the only way to make
//! one, and no consumer validates again. [`load`] reads one from its source.

mod automata;
mod build;
mod condition;
pub mod export;
mod expr;
mod litmus;
mod lower;
mod print;
mod program;
mod sections;

pub use automata::{ANY_ADDRESSES, WIDE_DOMAIN};
pub use build::{BuildError, ProgramBuilder};
pub use condition::{Condition, Formula, Observable, Quantifier};
pub use expr::{BinaryOp, CmpOp, EvalError, Expr, UnaryOp};
pub use fencepost_syntax::Language;
pub use lower::{Loaded, MAX_DEPTH, MAX_INSTRUCTIONS, MAX_LOCATIONS, MAX_THREADS, load, lower};
pub use print::{print, print_expr};
pub use program::{
    Array, CasStrength, Instr, Location, LocationKind, Op, Origin, Place, Program, Register, RmwFunction, Thread,
    WaitCondition,
};
