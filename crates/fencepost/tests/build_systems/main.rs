//! A project built by CMake and by the autotools with `fencepost cc` and `fencepost c++` in place
//! of the compilers: they notice nothing, and the program that comes out is observed, with its
//! libraries. What is not installed is listed as ignored, with the reason.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fencepost_testkit::compilers::{Compiler, compilers};
use libtest_mimic::{Arguments, Failed, Trial};

/// A way to build the project in a folder, with compilers for C and C++; returns the program.
type Build = fn(&Path, &str, &str) -> Result<PathBuf, String>;

/// Each with the programs it needs.
const BUILDS: [(&str, &[&str], Build); 4] = [
    ("cmake", &["cmake", "make"], cmake),
    ("cmake-list", &["cmake", "make"], cmake_list),
    ("cmake-launcher", &["cmake", "make"], cmake_launcher),
    ("autotools", &["autoreconf", "automake", "libtoolize", "make"], autotools),
];

fn main() {
    let arguments = Arguments::from_args();
    let no_sanitizer = (!answers(env!("CARGO_BIN_EXE_fencepost"), &["cc", "--version"]))
        .then(|| "this fencepost has no sanitizer".to_string());
    let mut trials = Vec::new();
    for (compiler, found) in compilers() {
        for (name, tools, build) in BUILDS {
            let missing = tools.iter().find(|tool| !answers(tool, &["--version"]));
            let missing = missing.map(|tool| format!("{tool} is not installed"));
            let old = (tools.contains(&"cmake") && !cmake_is_new()).then(|| "cmake is older than 3.21".to_string());
            let no_compiler = found.as_ref().err().cloned();
            let name = format!("{name}/{compiler}");
            trials.push(match (no_compiler.or(no_sanitizer.clone()).or(missing).or(old), found.clone()) {
                (None, Ok(Compiler { cc, cxx })) => {
                    Trial::test(name.clone(), move || test(&name, build, &cc, &cxx).map_err(Failed::from))
                }
                (reason, _) => {
                    let reason = format!("skipped: {}", reason.unwrap_or_default());
                    Trial::test(name, || Ok(())).with_kind(reason).with_ignored_flag(true)
                }
            });
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// Lists as compilers and launchers of linkers are new.
fn cmake_is_new() -> bool {
    let output = Command::new("cmake").arg("--version").output().map(|output| output.stdout).unwrap_or_default();
    let text = String::from_utf8_lossy(&output);
    let version = text.split_whitespace().nth(2).unwrap_or_default();
    let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (3, 21)
}

fn answers(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Builds the project, finds its race, and builds it again after a header has changed.
fn test(name: &str, build: Build, cc: &str, cxx: &str) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("build_systems").join(name.replace('/', "-"));
    // What an earlier test has left would not be built again.
    let _ = fs::remove_dir_all(&folder);
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/build_systems/project");
    let copied = |entry: fs::DirEntry| fs::copy(entry.path(), folder.join(entry.file_name()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    for entry in fs::read_dir(project).map_err(|error| error.to_string())? {
        entry.and_then(copied).map_err(|error| error.to_string())?;
    }
    let program = build(&folder, cc, cxx)?;
    let mut run = command("fencepost", &folder);
    run.args(["run", "--schedule", "random", "--seeds", "0..100", "--halt", "--"]).arg(&program);
    let output = run.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stderr);
    if output.status.code() != Some(66) || !text.contains("SUMMARY: fencepost: data race") || !text.contains("main.c:")
    {
        return Err(format!("{run:?}: {}\n{text}", output.status));
    }
    let header = folder.join("parts.h");
    let text = fs::read_to_string(&header).map_err(|error| error.to_string())?;
    fs::write(&header, format!("{text}#error it is read again\n")).map_err(|error| error.to_string())?;
    match build(&folder, cc, cxx) {
        Err(message) if message.contains("it is read again") => Ok(()),
        other => Err(format!("a header has changed and nothing is built again: {other:?}")),
    }
}

/// A command that finds ours by its name.
fn command(program: &str, folder: &Path) -> Command {
    let ours = Path::new(env!("CARGO_BIN_EXE_fencepost")).parent().expect("a file is in a folder");
    let others = env::var_os("PATH").unwrap_or_default();
    let path: OsString =
        env::join_paths([ours.to_path_buf()].into_iter().chain(env::split_paths(&others))).unwrap_or(others);
    let mut command = Command::new(program);
    command.current_dir(folder).env("PATH", path).stdin(Stdio::null());
    for variable in ["FENCEPOST_CC", "FENCEPOST_CXX", "FENCEPOST_ATOMICS_ONLY", "FENCEPOST_OPTIONS"] {
        command.env_remove(variable);
    }
    for variable in ["CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "MAKEFLAGS"] {
        command.env_remove(variable);
    }
    command
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "{command:?}\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// `CC` and `CXX` are two words each.
fn cmake(folder: &Path, cc: &str, cxx: &str) -> Result<PathBuf, String> {
    let mut configure = command("cmake", folder);
    configure.env("CC", format!("fencepost cc --compiler {cc}")).env("CXX", format!("fencepost c++ --compiler {cxx}"));
    cmake_with(configure, folder)
}

/// CMake's own variables are lists.
fn cmake_list(folder: &Path, cc: &str, cxx: &str) -> Result<PathBuf, String> {
    let mut configure = command("cmake", folder);
    configure.arg(format!("-DCMAKE_C_COMPILER=fencepost;cc;--compiler;{cc}"));
    configure.arg(format!("-DCMAKE_CXX_COMPILER=fencepost;c++;--compiler;{cxx}"));
    cmake_with(configure, folder)
}

/// CMake knows the compiler, and we are started with its name.
fn cmake_launcher(folder: &Path, cc: &str, cxx: &str) -> Result<PathBuf, String> {
    let mut configure = command("cmake", folder);
    configure.arg(format!("-DCMAKE_C_COMPILER={cc}")).arg(format!("-DCMAKE_CXX_COMPILER={cxx}"));
    for when in ["COMPILER", "LINKER"] {
        configure.arg(format!("-DCMAKE_C_{when}_LAUNCHER=fencepost;cc;--compiler"));
        configure.arg(format!("-DCMAKE_CXX_{when}_LAUNCHER=fencepost;c++;--compiler"));
    }
    cmake_with(configure, folder)
}

fn cmake_with(mut configure: Command, folder: &Path) -> Result<PathBuf, String> {
    let build = folder.join("build");
    if !build.exists() {
        succeed(configure.args(["-G", "Unix Makefiles", "-S", ".", "-B", "build"]))?;
    }
    succeed(command("cmake", folder).args(["--build", "build"]))?;
    Ok(build.join("program"))
}

fn autotools(folder: &Path, cc: &str, cxx: &str) -> Result<PathBuf, String> {
    let build = folder.join("build");
    if !build.exists() {
        succeed(command("autoreconf", folder).arg("--install"))?;
        fs::create_dir(&build).map_err(|error| error.to_string())?;
        let mut configure = command("../configure", &build);
        configure.arg(format!("CC=fencepost cc --compiler {cc}")).arg(format!("CXX=fencepost c++ --compiler {cxx}"));
        succeed(&mut configure)?;
    }
    succeed(&mut command("make", &build))?;
    // A script of libtool's that finds the library.
    Ok(build.join("program"))
}
