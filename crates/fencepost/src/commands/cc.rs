//! `fencepost cc` and `fencepost c++`: compiler drivers that build programs for the sanitizer.
//!
//! They take what a compiler takes and pass it on; [`plan`] says what is added.

mod compiler;
mod line;
mod plan;
mod reporter;
mod response;

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use compiler::Compiler;
use line::{Line, Product};
use plan::Places;

use crate::carried::Runtime;
use crate::commands::sanitizer::Language;
use crate::exit::Exit;
use crate::output;

/// Longer command lines go through a response file.
const MANY: usize = 64 << 10;

pub(crate) fn run(language: Language, words: Vec<OsString>) -> Exit {
    match drive(language, words) {
        Ok(exit) => exit,
        Err(message) => {
            output::note(&format!("fencepost: error: {message}\n"));
            Exit::Error
        }
    }
}

fn drive(language: Language, mut words: Vec<OsString>) -> Result<Exit, String> {
    let named = compiler_option(&mut words)?;
    let compiler = Compiler::find(language, named)?;
    let expanded = response::expand(&words);
    let by_file = expanded != words;
    let line = Line::read(expanded);
    if let Some(refusal) = line.refusal {
        return Err(refusal);
    }
    let atomics_only = line.atomics_only || env::var_os("FENCEPOST_ATOMICS_ONLY").is_some_and(|value| value == "1");
    let runtime = Runtime::unpack().map_err(|error| format!("cannot unpack the runtime: {error}"))?;
    let reporter = match line.product {
        Product::Program => {
            Some(reporter(&runtime).map_err(|error| format!("cannot make an object for the linker: {error}"))?)
        }
        _ => None,
    };
    let places = Places {
        archive: &runtime.archive(),
        include: &runtime.include(),
        exports: &runtime.exports(),
        specs: &runtime.specs(),
        prelude: &runtime.prelude(),
        reporter: reporter.as_deref(),
    };
    let words = plan::words(&line, compiler.family, atomics_only, &places);
    compile(&compiler, &words, by_file)
}

/// Takes `--compiler X` off the front.
fn compiler_option(words: &mut Vec<OsString>) -> Result<Option<OsString>, String> {
    let first = words.first().map(|word| word.as_bytes());
    if first == Some(b"--compiler") {
        if words.len() < 2 {
            return Err("--compiler needs the name of a compiler".into());
        }
        return Ok(words.drain(..2).next_back());
    }
    let joined =
        first.and_then(|word| word.strip_prefix(b"--compiler=")).map(|name| OsStr::from_bytes(name).to_os_string());
    if joined.is_some() {
        words.remove(0);
    }
    Ok(joined)
}

/// Becomes the compiler; its exit code is ours.
fn compile(compiler: &Compiler, words: &[OsString], by_file: bool) -> Result<Exit, String> {
    let mut command = Command::new(&compiler.program);
    command.args(&compiler.arguments);
    let failed =
        |error: io::Error| format!("cannot run the compiler `{}`: {error}", compiler.program.to_string_lossy());
    if !by_file && words.iter().map(|word| word.len()).sum::<usize>() < MANY {
        return Err(failed(command.args(words).exec()));
    }
    let failed_to_write =
        |error: io::Error| format!("cannot write a response file in `{}`: {error}", env::temp_dir().display());
    let file = scratch_file(&response::quote(words)).map_err(failed_to_write)?;
    let mut argument = OsString::from("@");
    argument.push(&file);
    let status = command.arg(argument).status().map_err(failed);
    let _ = fs::remove_file(file);
    Ok(Exit::of(status?))
}

fn scratch_file(content: &[u8]) -> io::Result<PathBuf> {
    for attempt in 0_u32.. {
        let path = env::temp_dir().join(format!("fencepost-{}-{attempt}.rsp", std::process::id()));
        match fs::File::create_new(&path) {
            Ok(mut file) => return file.write_all(content).map(|()| path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Where the object is that tells programs which reporter to start: this command.
fn reporter(runtime: &Runtime) -> io::Result<PathBuf> {
    let path = env::current_exe()?;
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    runtime.add(&format!("reporter-{:016x}.o", hasher.finish()), &reporter::object(&path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_is_named_at_the_front_only() {
        let take = |text: &str| {
            let mut words: Vec<OsString> = text.split_whitespace().map(OsString::from).collect();
            compiler_option(&mut words).map(|named| (named, words.len()))
        };
        assert_eq!(take("--compiler gcc -c a.c"), Ok((Some("gcc".into()), 2)));
        assert_eq!(take("--compiler=gcc -c a.c"), Ok((Some("gcc".into()), 2)));
        assert_eq!(take("-c --compiler a.c"), Ok((None, 3)));
        assert!(take("--compiler").is_err());
    }
}
