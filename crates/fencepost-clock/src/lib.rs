//! The clock monitor: is what a program does in this run, on every access, what it does under sequential consistency (SC)? And
//! does it race?
//!
//! Papers: the dynamic monitor of location clocks ("paper 002" below: the appendices A, robustness, and B, races), for the model
//! RC20 of Margalit and Lahav (POPL 2021), extended with SC accesses.
//!
//! The monitor watches one SC run. Before each atomic access it answers ([`Location::check`]) whether the model lets this access
//! take a predecessor that SC does not, whatever the other threads did meanwhile: a violation is predicted from any run that
//! orders the accesses alike. Instead of the paper's clocks over *locations* there are clocks over threads and, for each location,
//! its latest writes; an access costs as much as there are threads, however many locations there are.
//!
//! What is modelled: relaxed, acquire, release, acquire/release and SC accesses, compare-and-swap (weak, strong, blocking), waits, all fences,
//! creating and joining threads, locks and their kin ([`SyncObject`]), plain accesses ([`ThreadClocks::knows`]). What is not: consume
//! (give it as acquire), C++20's weaker rule for SC accesses, mixed sizes, load buffering.
//!
//! Exact with an unbounded history, that is, a violation is reported iff the definition on execution graphs has one; with
//! a bounded one, no violation is invented, and [`Finding::Cut`] says where one may have been missed.
//!
//! The caller makes the run SC: it holds a lock while it checks a location, accesses memory and calls one of
//! [`Location::load`], [`Location::store`], [`Location::rmw`].
#![forbid(unsafe_code)]

mod clock;
mod history;
mod location;
mod order;
mod sync;
mod thread;
mod visits;

pub use clock::{Clock, Slot};
pub use history::{Access, Finding, Limits, Window, Write};
pub use location::Location;
pub use order::Order;
pub use sync::{Hidden, SyncObject};
pub use thread::{Epochs, ThreadClocks};
