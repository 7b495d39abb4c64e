//! What each memory model *is*, and the questions an engine may put to it.
//!
//! A model is described twice. Its *axioms* say which execution graphs it permits
//! ([`Model::permits`]). Its [`Monitor`] follows an SC run and notices when the model could have
//! left SC. The two descriptions are compared on generated programs. A model knows no engine and no
//! syntax.

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
    Robustness, SafeIf, Views,
};
pub use monitor::{
    Attempt, AttemptKind, Monitor, PlainKind, RaceRule, Shape, StaleKind, Step, ThreadShape, Watch, Whose,
};
