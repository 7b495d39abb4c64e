//! Robustness against store buffers as SC reachability: attacks, as programs.
//!
//! Paper: Derevenetc, Meyer and Schweizer, "Locality and Singularity for Store-Atomic Memory
//! Models", §8 and App. D. Helpers, and the reduction for TSO: Bouajjani, Derevenetc and Meyer,
//! ESOP 2013.
//!
//! A program is not robust iff it has an *attack*: a computation of the following form.
//!
//! - One thread, the *attacker*, delays a store past a later access of its own, to another
//!   location.
//! - Other threads, the *helpers*, lead from that access to an access of the delayed store's
//!   location. Each of their steps depends on the one before.
//!
//! Up to the store everything is SC. What is in the buffer matters only to the attacker itself. So
//! an ordinary program can act out the attack under SC:
//!
//! - [`enough_delays`]: how many stores the attacker has to delay, and why;
//! - [`attacks`]: the pairs of store and access that the control flow does not rule out;
//! - [`instrument`]: a program that fails an assertion iff one of given attacks is feasible;
//! - [`Instrumented::lift`]: from a run of that program to a computation of the store-buffer
//!   machine.
//!
//! Modelled: TSO, PSO and PGAS with light fences; read-modify-writes and SC fences as barriers;
//! blocking reads (a `wait` happens when it is satisfied, not before); atomic sections, which the
//! paper does not have. The accesses of a section are one node of the happens-before relation, so a
//! section depends on whatever one of its accesses depends on.
//!
//! Not modelled: models that are not store atomic.
//!
//! Sound and complete: Thm 1 and Prop. 2 of the paper, and Thm 2 as far as [`enough_delays`] says.
//! With sections: agreement with the machine.

mod assemble;
mod attack;
mod delays;
mod flow;
mod instrument;
mod lift;

pub use attack::{Attack, attacks, attacks_within, pairs};
pub use delays::{Delays, enough_delays};
pub use instrument::{Instrumented, instrument};
