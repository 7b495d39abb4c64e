//! The first waist: a well-typed concurrent program as control-flow graphs.
//!
//! Every front end ends in a [`Program`]; every engine starts from one. A
//! program is valid by construction: [`ProgramBuilder`] is the only way to make
//! one, and no consumer validates again.

mod build;
mod expr;
mod program;

pub use build::{BuildError, ProgramBuilder};
pub use expr::{BinaryOp, CmpOp, EvalError, Expr, UnaryOp};
pub use program::{
    Array, CasStrength, Instr, Location, LocationKind, Op, Origin, Place, Program, Register, RmwFunction, Thread,
    WaitCondition,
};
