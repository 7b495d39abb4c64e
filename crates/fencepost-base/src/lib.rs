//! Small values everyone shares: identifiers, spans, diagnostics, and the
//! event alphabet in which programs and memories talk to each other.

pub mod diag;
pub mod event;
pub mod ids;
pub mod order;
pub mod quantifier;
pub mod source;
