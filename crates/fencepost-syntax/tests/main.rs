//! All tests of this crate in one program: it is linked once, and no processor waits for the
//! slowest test of each file.

mod errors;
mod properties;
