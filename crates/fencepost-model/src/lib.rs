//! What each memory model *is*, and the questions an engine may put to it.
//!
//! A model tells its story twice: declaratively, as axioms on execution graphs
//! ([`Model::permits`]), and operationally, as a [`Monitor`] that follows an SC
//! run and notices when the model could have left it. The two are compared on
//! generated programs; neither knows any engine or syntax.

pub mod cycle;
pub mod graph;
pub mod model;
pub mod models;
pub mod monitor;
pub mod packed;
pub mod rel;
mod tracker;

pub use graph::{Event, EventId, Graph};
pub use model::{
    Buffers, ByDefault, Causal, Declaration, FenceMeaning, Fences, Kind, LightFences, Model, PromelaMonitor, Repairs,
    Robustness, SafeIf,
};
pub use monitor::{Attempt, AttemptKind, Monitor, PlainKind, RaceRule, Shape, StaleKind, Step, ThreadShape, Watch};
