//! The clock monitor: could this run of a program have left sequential consistency (SC)? And does
//! it race?
//!
//! Papers: Margalit, Kokologiannakis, Itzhaky and Lahav, "Dynamic Robustness Verification against
//! Weak Memory", PLDI 2025, for location clocks (appendix A of the extended version) and races
//! (appendix B); Margalit and Lahav, POPL 2021, for happens-before, which is that of their model
//! RC20. The model is that of C++20 ([`MODEL`]): the order of SC accesses and SC fences is that of
//! ISO C++20, `[atomics.order]` p3–4, and its clocks are ours.
//!
//! The monitor watches one SC run. Before each atomic access it answers a question
//! ([`Location::check`]): does the model let this access read, or overwrite, a write that SC does
//! not let it? The answer does not depend on what the other threads did meanwhile. So a violation
//! is predicted from any run that orders the accesses alike.
//!
//! The paper has clocks over *locations*. Here there are clocks over threads and, for each
//! location, its latest writes. So an access costs as much as there are threads, however many
//! locations there are.
//!
//! Modelled: relaxed, acquire, release, acquire/release and SC accesses; compare-and-swap (weak,
//! strong, blocking); waits; all fences; creating and joining threads; locks and their kin
//! ([`SyncObject`]); plain accesses ([`ThreadClocks::knows`]).
//!
//! Not modelled: consume (it counts as acquire), mixed sizes, load buffering.
//!
//! With an unbounded history the monitor is exact: it reports a violation iff the definition on
//! execution graphs has one. With a bounded history no violation is invented, and [`Finding::Cut`]
//! says where one may have been missed.
//!
//! The caller makes the run SC. It holds a lock while it checks a location, accesses memory and
//! calls one of [`Location::load`], [`Location::store`], [`Location::rmw`]. Store buffering, one
//! thread after the other:
//!
//! ```
//! use fencepost_clock::{Access, Epochs, Finding, Limits, Location, Order, ThreadClocks};
//!
//! let (mut x, mut y, limits) = (Location::new(0), Location::new(0), Limits::default());
//! let mut first = ThreadClocks::new(0, Epochs::default());
//! let mut second = first.spawn(1, Epochs::default());
//!
//! x.store(&mut first, Order::Relaxed, 1, 101, limits);
//! y.load(&mut first, Order::Relaxed, limits);
//!
//! y.store(&mut second, Order::Relaxed, 1, 201, limits);
//! // It must come after the first thread's store under SC, and nothing makes sure that it does:
//! let Finding::Violation(window) = x.check(&second, Access::Load, Order::Relaxed) else { panic!() };
//! assert_eq!((window.stale[0].value, window.newest.site), (0, 101));
//! // An SC access would not help as long as the others are relaxed.
//! assert!(matches!(x.check(&second, Access::Load, Order::SeqCst), Finding::Violation(_)));
//! ```
//!
//! # What an access costs
//!
//! Nothing is allocated, except when something grows for the first time.
//!
//! - A load that finds what the thread's last access found, knowing no more than then, only
//!   publishes its number of writes.
//! - Other accesses join clocks of threads. They take time in proportion to the highest slot in
//!   use.
//! - The history of a location is searched only if the thread has learnt something, and the
//!   location was written, since the thread's last access.
//!
//! `examples/accesses.rs` measures each kind of access; under callgrind it counts instructions.
//!
//! A location takes 344 bytes, which is enough for eight threads, and 24 bytes for each write that
//! is kept (16 by default). Each slot from the ninth up to the highest one in use takes up to 20
//! bytes more: 4 each for the clocks `w`, `w_sc` and `readers_sc`, if they are used, and 8 for the
//! last visit. Locations that SC accesses, or accesses after SC fences, have touched take 208 bytes
//! more for the order S, and twice that if there are both; and 20 for each slot from the ninth.
#![forbid(unsafe_code)]

mod clock;
mod covers;
mod history;
mod location;
mod sync;
mod thread;
mod view;
mod visits;

pub use clock::{Clock, Slot};
pub use fencepost_protocol::Order;
pub use history::{Access, Finding, Limits, Window, Write};
pub use location::{Location, Released, Releases};
pub use sync::SyncObject;
pub use thread::{Epochs, ThreadClocks};

/// The name of the memory model that runs are judged by.
pub const MODEL: &str = "cpp20";
