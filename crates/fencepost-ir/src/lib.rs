//! A concurrent program, well typed, as control-flow graphs.
//!
//! Every front end ends in a [`Program`], and every engine starts from one. A program is valid by
//! construction: [`ProgramBuilder`] is the only way to make one, and nothing validates it again.
//! Reading programs, and writing them as text, is the business of `fencepost-lower`.

mod build;
mod condition;
mod expr;
mod program;
mod sections;

pub use build::{BuildError, ProgramBuilder};
pub use condition::{Condition, Formula, Observable, Quantifier};
pub use expr::{BinaryOp, CmpOp, EvalError, Expr, UnaryOp, reduce};
pub use program::{
    Array, CasStrength, Copies, Instr, Location, LocationKind, Numbering, Op, Origin, Place, Program, Register,
    RmwFunction, Thread, WIDE_DOMAIN, WaitCondition,
};
pub use sections::in_brackets;
