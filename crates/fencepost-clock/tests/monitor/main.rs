//! The monitor on generated SC runs, beside the paper's location clocks and beside the definition
//! on execution graphs; its laws; and the litmus tests everybody knows.

mod bounds;
mod definition;
mod graph;
mod laws;
mod litmus;
mod paper;
mod plain;
mod probe;
mod reference;
mod run;
mod stale;
mod swarm;
mod trace;
