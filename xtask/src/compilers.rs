//! C and C++ programs, compiled for each tool that watches them run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::bench::process;
use crate::files;

/// Versions of clang that are looked for by number.
const CLANG: std::ops::RangeInclusive<u32> = 14..=40;
/// A program that does next to nothing takes no longer.
const MOMENT: Duration = Duration::from_secs(60);

/// What a program is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Build {
    /// Nobody watches.
    Native,
    /// The compiler's own thread sanitizer.
    Tsan,
    /// Ours, plain accesses included.
    Full,
    /// Ours, atomics only.
    AtomicsOnly,
}

impl Build {
    pub(crate) const ALL: [Build; 4] = [Build::Native, Build::Tsan, Build::Full, Build::AtomicsOnly];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Build::Native => "native",
            Build::Tsan => "tsan",
            Build::Full => "full",
            Build::AtomicsOnly => "atomics-only",
        }
    }
}

/// What is compiled: sources in one language, and what they need.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) flags: Vec<String>,
    pub(crate) is_cpp: bool,
}

impl Sources {
    /// One file; its name says the language.
    pub(crate) fn file(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let is_cpp = path.extension().is_some_and(|extension| extension == "cpp");
        Sources { files: vec![path], flags: Vec::new(), is_cpp }
    }
}

/// The compiler that is there, and ours.
pub(crate) struct Compilers {
    pub(crate) fencepost: PathBuf,
    /// Compilers of C and of C++.
    pub(crate) names: [String; 2],
    /// Does the thread sanitizer start only where addresses are not random?
    without_aslr: bool,
    /// What cannot be built, and why.
    pub(crate) missing: Vec<(Build, String)>,
    /// What a reader of the figures must know.
    pub(crate) notes: Vec<String>,
}

impl Compilers {
    /// Builds ours, looks for a compiler and tries its sanitizer.
    pub(crate) fn find() -> Result<Self, String> {
        let names = names().ok_or("neither clang nor gcc is there; FENCEPOST_CC and FENCEPOST_CXX name others")?;
        let fencepost = files::fencepost()?;
        let mut found = Compilers { fencepost, names, without_aslr: false, missing: Vec::new(), notes: Vec::new() };
        if let Err(reason) = found.try_build(Build::Tsan) {
            found.without_aslr = true;
            match found.try_build(Build::Tsan) {
                Ok(()) => found.notes.push("The thread sanitizer starts only under `setarch -R`.".into()),
                Err(_) => found.skip(Build::Tsan, reason),
            }
        }
        for build in [Build::Full, Build::AtomicsOnly] {
            if let Err(reason) = found.try_build(build) {
                found.skip(build, reason);
            }
        }
        Ok(found)
    }

    fn skip(&mut self, build: Build, reason: String) {
        let reason = reason.lines().next().unwrap_or_default().to_string();
        println!("without {}: {reason}", build.name());
        self.notes.push(format!("Without {}: {reason}", build.name()));
        self.missing.push((build, reason));
    }

    /// Can the smallest program be built so, and does it start?
    fn try_build(&self, build: Build) -> Result<(), String> {
        let dir = Path::new("target/bench/smallest");
        std::fs::create_dir_all(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        let source = dir.join("main.c");
        std::fs::write(&source, "int main(void) { return 0; }\n").map_err(|error| error.to_string())?;
        let program = dir.join(build.name());
        self.compile(build, &Sources::file(source), &program)?;
        let finished = process::run(self.start(build, &program), MOMENT)?;
        if finished.status.success() { Ok(()) } else { Err(format!("{}: {}", finished.status, finished.complaint)) }
    }

    /// The builds that are possible.
    pub(crate) fn builds(&self) -> impl Iterator<Item = Build> {
        Build::ALL.into_iter().filter(|build| !self.missing.iter().any(|(missing, _)| missing == build))
    }

    /// Compiles and links a program.
    pub(crate) fn compile(&self, build: Build, sources: &Sources, output: &Path) -> Result<(), String> {
        let name = &self.names[usize::from(sources.is_cpp)];
        let mut command = match build {
            Build::Native | Build::Tsan => Command::new(name),
            Build::Full | Build::AtomicsOnly => {
                let mut ours = Command::new(&self.fencepost);
                ours.args([if sources.is_cpp { "c++" } else { "cc" }, "--compiler", name]);
                ours
            }
        };
        match build {
            Build::Native | Build::Full => {}
            Build::Tsan => drop(command.arg("-fsanitize=thread")),
            Build::AtomicsOnly => drop(command.arg("--atomics-only")),
        }
        command.args(["-O2", "-g", "-pthread"]).args(&sources.flags).args(&sources.files).arg("-o").arg(output);
        let finished = process::run(command, Duration::MAX)?;
        let complaint = finished.complaint.trim();
        if finished.status.success() { Ok(()) } else { Err(format!("{}: {complaint}", output.display())) }
    }

    /// The command that starts a program; reports do not change how it ends.
    pub(crate) fn start(&self, build: Build, program: &Path) -> Command {
        let mut command = if build == Build::Tsan && self.without_aslr {
            let mut command = Command::new("setarch");
            command.arg("-R").arg(program);
            command
        } else {
            Command::new(program)
        };
        command.env_remove("FENCEPOST_OPTIONS").env("TSAN_OPTIONS", "exitcode=0");
        command
    }
}

/// Those that `FENCEPOST_CC` and `FENCEPOST_CXX` name, else the first compilers of C and C++ that
/// belong together.
fn names() -> Option<[String; 2]> {
    if let (Ok(c), Ok(cpp)) = (std::env::var("FENCEPOST_CC"), std::env::var("FENCEPOST_CXX")) {
        return Some([c, cpp]);
    }
    let numbered = CLANG.rev().map(|version| [format!("clang-{version}"), format!("clang++-{version}")]);
    let plain = |c: &str, cpp: &str| [c.to_string(), cpp.to_string()];
    let mut all = [plain("clang", "clang++")].into_iter().chain(numbered).chain([plain("gcc", "g++")]);
    let is_there = |name: &String| Command::new(name).arg("--version").output().is_ok();
    all.find(|names| names.iter().all(is_there))
}
