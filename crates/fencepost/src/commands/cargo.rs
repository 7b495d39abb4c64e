//! `fencepost cargo`, which `cargo fencepost` calls: Rust projects, built and run for the
//! sanitizer.
//!
//! Cargo does what it always does. It only calls other programs, which are all this command under
//! other names ([`tools`]): a wrapper of rustc and one of rustdoc, which add flags to whatever is
//! compiled for the target ([`flags`]), a linker and C compilers (`fencepost cc`), and a runner
//! ([`runner`]). A wrapper leaves the user's own flags alone, wherever they come from; variables and
//! settings for flags would replace one another. The target is always named, so that cargo tells
//! apart what runs while building and what is built.
//!
//! The runners leave what they found in a folder. At the end it becomes one report ([`report`]).

mod flags;
mod line;
mod patch;
mod report;
mod runner;
mod sysroot;
mod tests;
mod toolchain;
pub(crate) mod tools;

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser as _;
use serde_json::Value;

use crate::args::{CargoOptions, Std, Who};
use crate::commands::run;
use crate::exit::Exit;
use crate::output::{self, Output};
use line::Line;
use toolchain::{TARGET, Toolchain};
use tools::Tool;

/// What can be done where the standard library cannot be instrumented.
const PREBUILT: &str = "  `--fencepost --std prebuilt` takes the standard library as it is. Then correct uses of locks, channels and the \
     like can be reported as races, because what orders them is not seen";

pub(crate) fn run(words: &[OsString], output: &mut Output) -> io::Result<Exit> {
    match drive(words, output) {
        Ok(exit) => exit,
        Err(Refusal::Usage(message)) => Ok(output::usage(&message)),
        Err(Refusal::Other(message)) => {
            output::note(&format!("fencepost: error: {message}\n"));
            Ok(Exit::Error)
        }
    }
}

/// Why nothing is done.
enum Refusal {
    /// An option is wrong.
    Usage(clap::Error),
    Other(String),
}

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Refusal::Other(message)
    }
}

fn drive(words: &[OsString], output: &mut Output) -> Result<io::Result<Exit>, Refusal> {
    let mut line = Line::read(words)?;
    let options = parse(&line.ours, &["PROGRAM".into()]).map_err(Refusal::Usage)?;
    if let (Some(Who::All), Some(message)) = (options.run.schedule, run::out_of_place(&options.run)) {
        return Err(message.into());
    }
    if let Some(target) = line.take_option("--target").filter(|target| target != TARGET) {
        return Err(format!("target `{}`: only programs for {TARGET} can be watched", target.to_string_lossy()).into());
    }
    let toolchain = Toolchain::find()?;
    let sysroot = match options.std {
        Std::Instrumented => Some(sysroot::shadow(&toolchain)?),
        Std::Prebuilt => {
            output::note(
                "fencepost: the standard library is not watched (--std prebuilt): some of the races reported may be none\n",
            );
            None
        }
    };
    let folders = Folders::new(&mut line)?;
    let outcome = cargo(&line, &toolchain, sysroot.as_deref(), &folders)?;
    let reported = report::tell(&options, &folders.reports, output);
    let _ = fs::remove_dir_all(&folders.reports);
    Ok(reported.map(|reported| match reported {
        Some(exit) => exit,
        None => outcome,
    }))
}

/// Options after `--fencepost`, with a program and its arguments.
fn parse(words: &[OsString], program: &[OsString]) -> Result<CargoOptions, clap::Error> {
    let all = words.iter().cloned().chain([OsString::from("--")]).chain(program.iter().cloned());
    CargoOptions::try_parse_from(all)
}

/// Where things are.
struct Folders {
    /// What is built, of everything.
    target: PathBuf,
    /// The links of [`tools`].
    tools: PathBuf,
    /// What the runners leave.
    reports: PathBuf,
}

impl Folders {
    /// Beside what the project builds for itself.
    fn new(line: &mut Line) -> Result<Folders, String> {
        let target = match line.take_option("--target-dir") {
            Some(named) => PathBuf::from(named),
            None => target_folder(line)?,
        };
        let failed = |error: io::Error| format!("`{}`: {error}", target.display());
        let target = std::path::absolute(&target).map_err(failed)?.join("fencepost");
        let (tools, reports) = (target.join("tools"), target.join(format!("reports-{}", std::process::id())));
        let _ = fs::remove_dir_all(&reports);
        for folder in [&tools, &reports] {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        Ok(Folders { target, tools, reports })
    }
}

fn cargo_command() -> Command {
    Command::new(env::var_os("CARGO").filter(|name| !name.is_empty()).unwrap_or_else(|| "cargo".into()))
}

/// Where the project's own builds go, as cargo says.
fn target_folder(line: &Line) -> Result<PathBuf, String> {
    let mut command = cargo_command();
    command.args(["metadata", "--no-deps", "--format-version", "1"]).args(line.project());
    let said = command.output().map_err(|error| format!("cannot run cargo: {error}"))?;
    if !said.status.success() {
        return Err(format!("cargo does not know this project:\n{}", String::from_utf8_lossy(&said.stderr).trim_end()));
    }
    let metadata: Value = serde_json::from_slice(&said.stdout).map_err(|error| format!("`cargo metadata`: {error}"))?;
    let folder = metadata["target_directory"].as_str();
    folder.map(PathBuf::from).ok_or_else(|| "`cargo metadata` names no target directory".into())
}

/// Runs cargo with our programs in the place of others.
fn cargo(line: &Line, toolchain: &Toolchain, sysroot: Option<&Path>, folders: &Folders) -> Result<Exit, String> {
    let tools = tools::install(&folders.tools).map_err(|error| format!("`{}`: {error}", folders.tools.display()))?;
    let mut hasher = DefaultHasher::new();
    (toolchain.version(), flags::all(sysroot, &tools), env!("FENCEPOST_RUNTIME_HASH")).hash(&mut hasher);
    let mut command = cargo_command();
    command.arg(line.task.name()).args(["--target", TARGET]).arg("--config").arg(tools::runner_setting(&tools));
    command.args(&line.cargo);
    if !line.program.is_empty() {
        command.arg("--").args(&line.program);
    }
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    command
        .env("CARGO_TARGET_DIR", &folders.target)
        .env("RUSTC_WRAPPER", tools.path(Tool::Rustc))
        .env("RUSTDOC", tools.path(Tool::Rustdoc))
        .env(tools::CC, tools.path(Tool::Cc))
        .env(tools::CPP, tools.path(Tool::Cpp))
        // It is read from a compiler that says what depends on us.
        .env("CARGO_CACHE_RUSTC_INFO", "0")
        .env(tools::KEY, format!("{:016x}", hasher.finish()))
        .env(tools::SYSROOT, sysroot.map_or(OsStr::new(""), Path::as_os_str))
        .env(tools::WRAPPER, set("RUSTC_WRAPPER").unwrap_or_default())
        .env(tools::RUSTDOC, set("RUSTDOC").unwrap_or_default())
        .env(tools::BUILT, folders.target.join(TARGET))
        .env(tools::REPORTS, &folders.reports)
        .env(tools::EXHAUSTIVE, folders.reports.join("exhaustive"))
        .env(tools::FOLDER, env::current_dir().unwrap_or_default())
        .env(tools::OPTIONS, line.ours.join(OsStr::new(SEPARATOR)));
    for (ours, theirs) in [
        ("FENCEPOST_CC", ["CC_x86_64-unknown-linux-gnu", tools::CC, "TARGET_CC", "CC"]),
        ("FENCEPOST_CXX", ["CXX_x86_64-unknown-linux-gnu", tools::CPP, "TARGET_CXX", "CXX"]),
    ] {
        if let Some(compiler) = theirs.into_iter().find_map(set).filter(|_| set(ours).is_none()) {
            command.env(ours, compiler);
        }
        // The other spelling would win.
        command.env_remove(theirs[0]);
    }
    for profile in ["DEV", "RELEASE", "TEST", "BENCH"].map(String::from).into_iter().chain(profile(line)) {
        // Passes do not run in what is compiled while linking.
        command.env(format!("CARGO_PROFILE_{profile}_LTO"), "off");
    }
    let status = command.status().map_err(|error| format!("cannot run cargo: {error}"))?;
    Ok(Exit::of(status))
}

/// Between words, as cargo has it in its own variables.
const SEPARATOR: &str = "\x1f";

/// The profile that is named, as it is called in variables.
fn profile(line: &Line) -> Option<String> {
    let name = line.option("--profile")?;
    Some(name.to_string_lossy().to_uppercase().replace('-', "_"))
}
