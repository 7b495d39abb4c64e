//! fencepost in the place of the compilers, the linker and the runner that cargo calls.
//!
//! Links to this command have names that say what it is to do. So every tool is one word: build
//! systems have different ideas of what a command with arguments looks like. What the tools need to
//! know is in their environment.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::toolchain::TARGET;
use super::{flags, runner};
use crate::commands::sanitizer::{self, Language};
use crate::exit::Exit;
use crate::output::{self, Output};

/// Which of them this command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Cc,
    Cpp,
    Rustc,
    Rustdoc,
    Runner,
}

const TOOLS: [(&str, Tool); 5] = [
    ("fencepost-cc", Tool::Cc),
    ("fencepost-c++", Tool::Cpp),
    ("fencepost-rustc", Tool::Rustc),
    ("fencepost-rustdoc", Tool::Rustdoc),
    ("fencepost-runner", Tool::Runner),
];

/// The shadow sysroot; empty for the usual one.
pub(super) const SYSROOT: &str = "FENCEPOST_CARGO_SYSROOT";
/// What everything that is compiled depends on, besides what cargo knows.
pub(super) const KEY: &str = "FENCEPOST_CARGO_KEY";
/// The rustdoc in whose place we are.
pub(super) const RUSTDOC: &str = "FENCEPOST_CARGO_RUSTDOC";
/// The user's own wrapper of the compiler.
pub(super) const WRAPPER: &str = "FENCEPOST_CARGO_WRAPPER";
/// The folder of what is built for the target.
pub(super) const BUILT: &str = "FENCEPOST_CARGO_BUILT";
/// Options of the runner, separated as cargo separates flags.
pub(super) const OPTIONS: &str = "FENCEPOST_CARGO_OPTIONS";
/// The folder for what the runner has to say.
pub(super) const REPORTS: &str = "FENCEPOST_CARGO_REPORTS";
/// The folder in which the user is.
pub(super) const FOLDER: &str = "FENCEPOST_CARGO_FOLDER";
/// The file in which tests that `fencepost-test` has marked say so, one line for each: the program, a
/// tab, and the test. Programs see it; those in which a test is explored do not.
pub(crate) const EXHAUSTIVE: &str = "FENCEPOST_EXHAUSTIVE";
/// Variables for C compilers of build scripts.
pub(super) const CC: &str = "CC_x86_64_unknown_linux_gnu";
pub(super) const CPP: &str = "CXX_x86_64_unknown_linux_gnu";

/// What is in the environment for the tools, and not for the programs that are run.
pub(crate) const PRIVATE: [&str; 12] =
    [SYSROOT, KEY, RUSTDOC, WRAPPER, BUILT, OPTIONS, REPORTS, FOLDER, CC, CPP, "RUSTC_WRAPPER", "RUSTDOC"];

/// The links.
pub(super) struct Tools {
    folder: PathBuf,
}

impl Tools {
    pub(super) fn cc(&self) -> PathBuf {
        self.path(Tool::Cc)
    }

    pub(super) fn path(&self, tool: Tool) -> PathBuf {
        let name = TOOLS.iter().find(|(_, known)| *known == tool).map_or("", |(name, _)| name);
        self.folder.join(name)
    }
}

/// Makes the links in a folder.
pub(super) fn install(folder: &Path) -> io::Result<Tools> {
    let ours = env::current_exe()?;
    for (name, _) in TOOLS {
        let link = folder.join(name);
        if fs::read_link(&link).is_ok_and(|target| target == ours) {
            continue;
        }
        match fs::remove_file(&link) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => symlink(&ours, &link)?,
        }
    }
    Ok(Tools { folder: folder.to_path_buf() })
}

impl Tool {
    /// The one that this command was called as.
    pub(crate) fn called() -> Option<Tool> {
        let name = env::args_os().next()?;
        let name = Path::new(&name).file_name()?.to_os_string();
        TOOLS.iter().find(|(known, _)| name == **known).map(|(_, tool)| *tool)
    }

    pub(crate) fn run(self, output: &mut Output) -> io::Result<Exit> {
        let words: Vec<OsString> = env::args_os().skip(1).collect();
        match self {
            Tool::Cc => Ok(compile(Language::C, words)),
            Tool::Cpp => Ok(compile(Language::Cpp, words)),
            Tool::Rustc => Ok(rustc(words)),
            Tool::Rustdoc => Ok(rustdoc(words)),
            Tool::Runner => runner::run(words, output),
        }
    }
}

/// As `fencepost cc`, unless a build script compiles something for a build script: the compilers
/// for both have the same names.
fn compile(language: Language, words: Vec<OsString>) -> Exit {
    let (built, out) = (env::var_os(BUILT), env::var_os("OUT_DIR"));
    match (built, out) {
        (Some(built), Some(out)) if !Path::new(&out).starts_with(&built) => {
            let (named, usual) = match language {
                Language::C => ("FENCEPOST_CC", "cc"),
                Language::Cpp => ("FENCEPOST_CXX", "c++"),
            };
            let compiler = env::var_os(named).filter(|name| !name.is_empty()).unwrap_or_else(|| usual.into());
            become_command(Command::new(compiler).args(words))
        }
        _ => sanitizer::compile(language, words),
    }
}

/// What the tool's command line begins with is the compiler in whose place it is.
fn rustc(words: Vec<OsString>) -> Exit {
    let Some((compiler, words)) = words.split_first() else {
        output::note("fencepost: error: this is a wrapper for rustc; cargo calls it\n");
        return Exit::Error;
    };
    let mut command = match env::var_os(WRAPPER).filter(|name| !name.is_empty()) {
        Some(wrapper) => {
            let mut command = Command::new(wrapper);
            command.arg(compiler);
            command
        }
        None => Command::new(compiler),
    };
    command.args(words);
    if words == ["-vV"] {
        // Cargo builds everything again if this changes.
        return match command.output() {
            Ok(said) => {
                let key = env::var(KEY).unwrap_or_default();
                let text = format!("{}fencepost: {key}\n", String::from_utf8_lossy(&said.stdout));
                output::note(&String::from_utf8_lossy(&said.stderr));
                match Output::new().out(&text) {
                    Ok(()) => Exit::of(said.status),
                    Err(error) => output::report_failure(&error),
                }
            }
            Err(error) => failed(&command, &error),
        };
    }
    if flags::is_for_target(words) {
        instrument(&mut command, words);
        command.args(flags::debug(words));
    }
    become_command(&mut command)
}

fn rustdoc(words: Vec<OsString>) -> Exit {
    let rustdoc = env::var_os(RUSTDOC).filter(|name| !name.is_empty()).unwrap_or_else(|| "rustdoc".into());
    let mut command = Command::new(rustdoc);
    command.args(&words);
    if flags::is_for_target(&words) {
        instrument(&mut command, &words);
    }
    become_command(&mut command)
}

fn instrument(command: &mut Command, words: &[OsString]) {
    let sysroot = env::var_os(SYSROOT).filter(|name| !name.is_empty()).map(PathBuf::from);
    let Some(folder) = env::args_os().next().and_then(|name| Some(Path::new(&name).parent()?.to_path_buf())) else {
        return;
    };
    command.args(flags::all(sysroot.as_deref(), &Tools { folder }));
    // What it links is for the target, whatever the environment says of build scripts.
    command.env_remove(BUILT);
    if let Some(linker) = flags::linker(words).filter(|_| env::var_os("FENCEPOST_CC").is_none()) {
        command.env("FENCEPOST_CC", linker);
    }
}

/// Never comes back, if all is well.
fn become_command(command: &mut Command) -> Exit {
    let error = command.exec();
    failed(command, &error)
}

fn failed(command: &Command, error: &io::Error) -> Exit {
    output::note(&format!("fencepost: error: cannot run `{}`: {error}\n", command.get_program().to_string_lossy()));
    Exit::Error
}

/// The variable with the name of the runner, if it were one word.
pub(super) fn runner_setting(tools: &Tools) -> OsString {
    let path = tools.path(Tool::Runner);
    let quoted = format!("\"{}\"", path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\""));
    flags::joined(&format!("target.{TARGET}.runner="), OsStr::new(&format!("[{quoted}]")))
}
