//! Small values that every crate shares.
//!
//! They are identifiers, memory orders, operators, source spans, diagnostics, what
//! reading a text may cost, and the *event alphabet*: the labels ("read this value here, with this
//! order") in which programs and memories talk to each other.

pub mod diag;
pub mod effort;
pub mod event;
pub mod files;
pub mod ids;
pub mod operator;
pub mod order;
pub mod quantifier;
pub mod source;
