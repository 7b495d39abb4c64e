//! The cheapest edits that make a program robust ([`repair()`]), and those it can do without
//! ([`relax()`]).
//!
//! - [`costs`]: what fences and orders cost, as data;
//! - `menu`: what can be written at a place and makes a difference in a model;
//! - `spots`, `text`, `dialect`: candidates as edits of the source text;
//! - `bench`: edited programs, checked;
//! - `witness`: violations carried over from one edited program to another;
//! - `solver`: the cheapest selection of edits that removes all violations seen;
//! - [`repair()`], [`relax()`]: the two questions; `copies`: for any number of copies of threads.

pub mod costs;

mod automata;
mod bench;
mod copies;
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
pub use plan::{Purpose, Task};
pub use relax::relax;
pub use repair::repair;
