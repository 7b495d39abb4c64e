//! The definitions, evaluated literally: enumerate the execution graphs of small programs, and
//! replay what others found.
//!
//! To *replay* a run is to execute it again, step by step, and to put the resulting execution graph
//! to the axioms. Nothing here is clever. With the engines this crate shares only the program
//! itself, its operators included.
//!
//! Paper: Lahav and Margalit, "Robustness against Release/Acquire Semantics", PLDI 2019, §2, §4,
//! Thm 5.1 and §6.
//!
//! - [`interpreter`]: the labelled transition system of one thread;
//! - [`system`]: program and memory synchronised, with execution graphs as memory;
//! - [`enumerate`]: robustness decided in three independent ways;
//! - [`mod@finals`]: the final states of a program in a model;
//! - [`stray`]: what goes wrong with at most one stale step;
//! - [`theorem`]: the literal conditions of Thm 5.1 and Def. 6.1;
//! - [`witness`]: those of RC20;
//! - [`dependency`], [`observe`], [`taint`]: observational robustness against RC20;
//! - [`buffers`]: the machine with store buffers, for TSO, PSO and PGAS;
//! - [`mod@replay`]: an SC run checked step by step, and the step that leaves SC; a run under a
//!   weak model, on its axioms.

pub mod buffers;
pub mod dependency;
pub mod enumerate;
pub mod finals;
pub mod interpreter;
pub mod observe;
pub mod replay;
pub mod stray;
pub mod system;
pub mod taint;
pub mod theorem;
pub mod witness;

pub use enumerate::{Answer, Finding, robust};
pub use finals::{Finals, finals};
pub use observe::observationally_robust;
pub use replay::{
    ReplayError, Replayed, replay, replay_computation, replay_failure, replay_graph, replay_graph_end,
    replay_graph_failure, replay_graph_race,
};
pub use taint::observational_witness;
