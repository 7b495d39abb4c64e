//! All tests of this crate in one program: it is linked once, and no processor waits for the
//! slowest test of each file.

mod agreement;
mod architecture;
mod buffers;
mod confirmation;
mod consequences;
mod crowds;
mod devices;
mod disk;
mod finals;
mod forecast;
mod laws;
mod limits;
mod mixed;
mod observational;
mod pictures;
mod printed_attacks;
mod promotion;
mod reductions;
mod sections;
mod verify;
