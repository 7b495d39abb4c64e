//! The cheapest edits that make a program robust, and those it can do without.
//!
//! - [`costs`]: what fences and orders cost, as data;
//! - [`form`], `menu`: what can be written at a place, and what of it means something in a model;
//! - `spots`, `text`, `dialect`: candidates as edits of the source text;
//! - `bench`: edited programs, checked;
//! - `witness`: violations carried over from one edited program to another;
//! - `solver`: the cheapest selection of edits that removes all violations seen;
//! - [`repair()`], [`relax()`]: the two questions.

pub mod costs;
pub mod form;

mod automata;
mod bench;
mod dialect;
#[cfg(test)]
mod exhaustive;
mod menu;
mod plan;
mod relax;
mod repair;
mod solver;
mod spots;
mod text;
mod witness;

pub use costs::Costs;
pub use fencepost_check::{InternalError, Options};
pub use form::Form;
pub use plan::{Because, Edit, EditKind, Need, Plan, Task, diff};
pub use relax::{Kept, Relaxed, relax};
pub use repair::{Repaired, Rest, repair};
