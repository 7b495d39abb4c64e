//! The commands of the sanitizer, which exist where its runtime does.

use std::ffi::OsString;
use std::io;

use crate::args::{MergeArgs, RunArgs};
use crate::exit::Exit;
use crate::output::Output;

/// What `fencepost cc` and `fencepost c++` compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    Cpp,
}

#[cfg(fencepost_runtime)]
pub(crate) fn compile(language: Language, words: Vec<OsString>) -> Exit {
    super::cc::run(language, words)
}

#[cfg(fencepost_runtime)]
pub(crate) fn run(args: &RunArgs, output: &mut Output) -> io::Result<Exit> {
    super::run::run(args, output)
}

#[cfg(fencepost_runtime)]
pub(crate) fn merge(args: &MergeArgs, output: &mut Output) -> io::Result<Exit> {
    super::run::merge::run(args, output)
}

#[cfg(fencepost_runtime)]
pub(crate) fn cargo(words: &[OsString], output: &mut Output) -> io::Result<Exit> {
    super::cargo::run(words, output)
}

#[cfg(fencepost_runtime)]
pub(crate) fn report(output: &mut Output) -> io::Result<Exit> {
    super::reporter::run(output)
}

#[cfg(not(fencepost_runtime))]
pub(crate) fn compile(_: Language, _: Vec<OsString>) -> Exit {
    refuse()
}

#[cfg(not(fencepost_runtime))]
pub(crate) fn run(_: &RunArgs, _: &mut Output) -> io::Result<Exit> {
    Ok(refuse())
}

#[cfg(not(fencepost_runtime))]
pub(crate) fn merge(_: &MergeArgs, _: &mut Output) -> io::Result<Exit> {
    Ok(refuse())
}

#[cfg(not(fencepost_runtime))]
pub(crate) fn cargo(_: &[OsString], _: &mut Output) -> io::Result<Exit> {
    Ok(refuse())
}

#[cfg(not(fencepost_runtime))]
pub(crate) fn report(_: &mut Output) -> io::Result<Exit> {
    Ok(refuse())
}

#[cfg(not(fencepost_runtime))]
fn refuse() -> Exit {
    crate::output::note(
        "fencepost: error: the sanitizer's runtime exists for x86-64 Linux with glibc only; this fencepost was built for another \
         system and carries none\n",
    );
    Exit::Error
}
