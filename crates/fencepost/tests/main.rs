//! Tests of the command line and of the library in one program: it is linked once, and no processor
//! waits for the slowest test of each file.

#[cfg(unix)]
mod ci;
mod cli;
mod editors;
mod library;
mod lsp;
mod run;
#[cfg(unix)]
mod watch;
