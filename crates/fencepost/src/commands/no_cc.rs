//! `fencepost cc` where there is no runtime for the sanitizer.

use std::ffi::OsString;

use crate::exit::Exit;
use crate::output;

#[derive(Clone, Copy)]
pub(crate) enum Language {
    C,
    Cpp,
}

pub(crate) fn run(language: Language, _: Vec<OsString>) -> Exit {
    let name = match language {
        Language::C => "cc",
        Language::Cpp => "c++",
    };
    output::note(&format!(
        "fencepost: error: `fencepost {name}` needs the sanitizer's runtime, which exists for x86-64 Linux with glibc only; \
         this fencepost was built for another system and carries none\n"
    ));
    Exit::Error
}
