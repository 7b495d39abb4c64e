//! What can be known of a program without running it.
//!
//! - [`values`]: the values that registers and locations can have;
//! - [`classes`]: which of them no access can tell apart;
//! - [`liveness`]: registers that are never read again;
//! - [`promotion`]: orders that make no difference;
//! - [`interpreter`]: what a thread does between its accesses.
//!
//! Engines and exports share these analyses. They are over-approximations: what an analysis leaves
//! out does not exist in any run under any memory model.

pub mod classes;
pub mod interpreter;
pub mod liveness;
pub mod promotion;
pub mod values;
