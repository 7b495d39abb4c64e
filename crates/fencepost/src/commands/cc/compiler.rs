//! Which compiler to use.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::commands::sanitizer::Language;

/// Compilers take different options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Clang,
    Gcc,
}

/// A compiler: a program, possibly with arguments of its own (`ccache gcc`).
#[derive(Debug)]
pub(crate) struct Compiler {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) family: Family,
}

/// Newest version of clang that is looked for by number.
const NEWEST_CLANG: u32 = 40;
/// Oldest one: before, some of the options needed did not exist.
const OLDEST_CLANG: u32 = 14;

impl Compiler {
    /// The one that was named (`--compiler`, then the environment), else the first that is there.
    pub(crate) fn find(language: Language, named: Option<OsString>) -> Result<Compiler, String> {
        let variable = match language {
            Language::C => "FENCEPOST_CC",
            Language::Cpp => "FENCEPOST_CXX",
        };
        let named = named.or_else(|| env::var_os(variable)).filter(|name| !name.is_empty());
        let words = match named {
            Some(named) => split(&named),
            None => vec![first_there(language).ok_or("no compiler found: install clang or gcc, or say --compiler")?],
        };
        let mut words = words.into_iter();
        let program = words.next().ok_or("the name of the compiler is empty")?;
        let arguments: Vec<OsString> = words.collect();
        let family = family(&program, &arguments)?;
        Ok(Compiler { program, arguments, family })
    }
}

/// `ccache gcc` is two words; a path with spaces that leads somewhere is one.
fn split(name: &OsStr) -> Vec<OsString> {
    match name.to_str() {
        Some(text) if !PathBuf::from(name).exists() => text.split_whitespace().map(OsString::from).collect(),
        _ => vec![name.to_os_string()],
    }
}

fn first_there(language: Language) -> Option<OsString> {
    let (clang, others) = match language {
        Language::C => ("clang", ["gcc", "cc"]),
        Language::Cpp => ("clang++", ["g++", "c++"]),
    };
    let numbered = (OLDEST_CLANG..=NEWEST_CLANG).rev().map(|version| format!("{clang}-{version}"));
    let names = [clang.to_string()].into_iter().chain(numbered).chain(others.map(String::from));
    let path = env::var_os("PATH")?;
    let directories: Vec<PathBuf> = env::split_paths(&path).collect();
    names.map(OsString::from).find(|name| directories.iter().any(|directory| directory.join(name).is_file()))
}

/// By its name if that says it, else by the macros it predefines.
fn family(program: &OsStr, arguments: &[OsString]) -> Result<Family, String> {
    let last = arguments.iter().rev().find(|word| !word.as_encoded_bytes().starts_with(b"-"));
    let name = PathBuf::from(last.map_or(program, |word| word));
    let name = name.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if name.contains("clang") {
        return Ok(Family::Clang);
    }
    if name.contains("gcc") || name.contains("g++") {
        return Ok(Family::Gcc);
    }
    let output = Command::new(program)
        .args(arguments)
        .args(["-E", "-dM", "-x", "c", "/dev/null"])
        .stderr(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run the compiler `{}`: {error}", program.to_string_lossy()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    match () {
        () if text.contains("__clang__") => Ok(Family::Clang),
        () if text.contains("__GNUC__") => Ok(Family::Gcc),
        () => Err(format!("`{name}` is neither clang nor gcc")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_by_name() {
        let family = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            family(&words[0], &words[1..])
        };
        assert_eq!(family(&["/usr/bin/clang++-19"]), Ok(Family::Clang));
        assert_eq!(family(&["x86_64-linux-gnu-gcc-12"]), Ok(Family::Gcc));
        assert_eq!(family(&["ccache", "g++", "-m64"]), Ok(Family::Gcc));
        assert!(family(&["/no/such/compiler"]).is_err());
        assert!(family(&["true"]).is_err());
    }

    #[test]
    fn names_with_arguments() {
        assert_eq!(split(OsStr::new("ccache  gcc")), ["ccache", "gcc"]);
        assert_eq!(split(OsStr::new("gcc")), ["gcc"]);
    }
}
