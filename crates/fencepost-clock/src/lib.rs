//! The clock monitor: is what a program does in this run, on every access, what it does under sequential consistency (SC)? And
//! does it race?
//!
//! Paper: Margalit, Kokologiannakis, Itzhaky and Lahav, "Dynamic Robustness Verification against Weak Memory", PLDI 2025: location clocks
//! (appendix A of the extended version) and races (appendix B), for the model RC20 of Margalit and Lahav (POPL 2021); here with SC accesses.
//!
//! The monitor watches one SC run. Before each atomic access it answers ([`Location::check`]) whether the model lets this access
//! take a predecessor that SC does not, whatever the other threads did meanwhile: a violation is predicted from any run that
//! orders the accesses alike. Instead of the paper's clocks over *locations* there are clocks over threads and, for each location,
//! its latest writes; an access costs as much as there are threads, however many locations there are.
//!
//! What is modelled: relaxed, acquire, release, acquire/release and SC accesses, compare-and-swap (weak, strong, blocking), waits, all fences,
//! creating and joining threads, locks and their kin ([`SyncObject`]), plain accesses ([`ThreadClocks::knows`]). What is not: consume
//! (it counts as acquire), C++20's weaker rule for SC accesses, mixed sizes, load buffering.
//!
//! Exact with an unbounded history, that is, a violation is reported iff the definition on execution graphs has one; with
//! a bounded one, no violation is invented, and [`Finding::Cut`] says where one may have been missed.
//!
//! The caller makes the run SC: it holds a lock while it checks a location, accesses memory and calls one of
//! [`Location::load`], [`Location::store`], [`Location::rmw`]. Store buffering, one thread after the other:
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
//! Nothing is allocated but when something grows for the first time. Instructions of check and access together, with clocks of 32 threads
//! and nothing beyond SSE2 (`examples/accesses.rs` under callgrind; 45 of them are the example's own); 100 of them take about 6 ns when
//! the clocks are in the cache:
//!
//! | access | instructions |
//! |---|---|
//! | load that finds nothing new | 135 |
//! | relaxed store or update, last accessed by the same thread | 320 |
//! | release store, last accessed by the same thread | 370 |
//! | relaxed update, last accessed by another thread | 445 |
//! | release store, acquire load by another thread, on average | 570 |
//! | acquire/release update, last accessed by another thread | 640 |
//! | SC store, SC load by another thread, on average | 805 |
//! | relaxed load or store of locations that all threads use, history searched | 695 |
//!
//! The table is of the time before the first eight slots of clocks became part of the location and before what is known already was not joined again, which made accesses cheaper. A location takes 344
//! bytes, which is enough for eight threads, and 24 for each write kept (16 by default); for each slot from the ninth up to the highest one
//! in use it takes up to 20 more: 4 each for the clocks `w`, `w_sc` and `readers_sc`, if they are used, and 8 for the last visit.
#![forbid(unsafe_code)]

mod clock;
mod history;
mod location;
mod sync;
mod thread;
mod visits;

pub use clock::{Clock, Slot};
pub use fencepost_protocol::Order;
pub use history::{Access, Finding, Limits, Window, Write};
pub use location::Location;
pub use sync::{Hidden, SyncObject};
pub use thread::{Epochs, ThreadClocks};
