//! What an editor asks about the text of a program: where a name comes from and where it is used,
//! an outline, what an access means, which words can stand here.
//!
//! Everything here starts from a syntax tree, which every text has, broken or not. Nothing here
//! knows a protocol, and nothing asks an engine.

mod collect;
mod complete;
mod cover;
mod hover;
mod meaning;
mod names;
mod outline;
mod positions;

pub use complete::{Completion, Suggested, complete};
pub use hover::{About, Hover, hover};
pub use names::{Definition, Kind, Names, Role, Use};
pub use outline::{Symbol, outline};
pub use positions::{Positions, Utf16};
