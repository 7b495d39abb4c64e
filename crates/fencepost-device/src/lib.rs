//! Devices to search on: cards that understand CUDA, and a processor that plays one.
//!
//! Both compile the text that a search gives them ([`fencepost_verdict::device`] says how) and run
//! its kernels. A card needs its driver and NVRTC, NVIDIA's compiler for texts. Both are looked for
//! when a card is opened: nothing of them is needed to build this crate, or to run without a card.
//!
//! The processor ([`Host`]) compiles the same text with a C++ compiler into a program of its own and
//! talks to it. That is how searches on devices are tested where there is no card.

mod cache;
#[allow(unsafe_code, reason = "the driver of a card is called through functions of C")]
mod cuda;
mod host;

pub use cuda::Cuda;
pub use host::Host;
