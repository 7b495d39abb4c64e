//! A procedural macro, which runs while others are compiled: it is not to be instrumented.

use proc_macro::TokenStream;

/// The number 3.
#[proc_macro]
pub fn three(_: TokenStream) -> TokenStream {
    assert!(!cfg!(fencepost), "a procedural macro was built for the sanitizer");
    "3".parse().unwrap()
}
