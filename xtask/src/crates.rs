//! `cargo xtask crates`: the tests of public crates under `cargo fencepost`, and old versions of
//! crates with known defects. `docs/rust.md` has the results.
//!
//! Packages come from the registry of crates, with `curl` and `tar`, into `target/crates`. Nothing of
//! them is part of this repository. They are changed a little: what their authors have set for Miri,
//! such as fewer rounds and tests that are left out, holds here as well, and benchmarks and
//! development dependencies that the tests do without are taken away.
//!
//! Tests run natively and under the tool, with the same settings. The results must be the same, in
//! every run of the tool. What it reports is counted, and read by people.

mod cost;
mod list;
mod outcome;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::files;
use list::{DEFECTS, Defect, SUITES, Suite};
use outcome::{Findings, Tests};

const DIR: &str = "target/crates";
const TARGET: &str = "x86_64-unknown-linux-gnu";
const REGISTRY: &str = "https://static.crates.io/crates";
/// Seconds that one command may take.
const LIMIT: &str = "1200";

/// What was asked for.
struct Options {
    /// Parts of names, of crates or of what a defect is known as; none means all.
    names: Vec<String>,
    /// Runs of each program of tests.
    runs: u64,
    /// A command that is there already, instead of an optimised one that is built.
    with: Option<PathBuf>,
    /// Times of programs are wanted, and not their results.
    cost: bool,
    /// A toolchain of the nightly channel with Miri and the sources of the standard library.
    nightly: Option<PathBuf>,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let mut options = Options { names: Vec::new(), runs: 3, with: None, cost: false, nightly: None };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--runs" => {
                let runs = arguments.next().and_then(|number| number.parse().ok());
                options.runs = runs.filter(|&runs| runs > 0).ok_or("--runs needs a number")?;
            }
            "--with" => options.with = Some(absolute(Path::new(arguments.next().ok_or("--with needs a file")?))?),
            "--cost" => options.cost = true,
            "--nightly" => {
                let folder = arguments.next().ok_or("--nightly needs the folder of a toolchain")?;
                options.nightly = Some(absolute(Path::new(folder))?);
            }
            flag if flag.starts_with('-') => return Err(format!("unknown option `{flag}`")),
            name => options.names.push(name.into()),
        }
    }
    let chosen = |name: &str| options.names.is_empty() || options.names.iter().any(|part| name.contains(part.as_str()));
    if options.cost {
        return cost::rows(&tool(options.with)?, options.nightly.as_deref(), chosen);
    }
    let suites: Vec<&Suite> = SUITES.iter().filter(|suite| chosen(suite.name)).collect();
    let defects: Vec<&Defect> =
        DEFECTS.iter().filter(|defect| chosen(defect.program) || chosen(defect.known)).collect();
    if suites.is_empty() && defects.is_empty() {
        return Err("no crate has such a name".into());
    }
    let fencepost = tool(options.with)?;
    let mut failed = 0;
    if !suites.is_empty() {
        println!("{}", outcome::HEAD);
    }
    for suite in suites {
        match try_suite(suite, &fencepost, options.runs) {
            Ok(row) => println!("| {} | {} | {row}", suite.name, suite.version),
            Err(reason) => {
                failed += 1;
                println!("| {} | {} | {reason} |", suite.name, suite.version);
            }
        }
    }
    if !defects.is_empty() {
        println!("\n| defect | crate | found in | not in |\n|---|---|---|---|");
    }
    for defect in defects {
        let mut told = |version: &str, wanted: bool| {
            let shown = shows(defect, version, &fencepost);
            failed += u64::from(!shown.as_ref().is_ok_and(|shown| (*shown != Shown::No) == wanted));
            match shown {
                Ok(Shown::No) if wanted => format!("{version}: **not found**"),
                Ok(Shown::No) => version.to_string(),
                Ok(Shown::InRun(run)) if wanted => format!("{version}, run {run}"),
                Ok(Shown::Somewhere) if wanted => version.to_string(),
                Ok(_) => format!("{version}: **found**"),
                Err(reason) => format!("{version}: {reason}"),
            }
        };
        let wrong = told(defect.wrong, true);
        let right = defect.right.map_or_else(|| "none yet".into(), |right| told(right, false));
        println!("| {} | {} | {wrong} | {right} |", defect.known, defect.package);
    }
    if failed == 0 { Ok(()) } else { Err(format!("{failed} not as they should be")) }
}

/// The command, and where it builds things.
struct Tool {
    program: PathBuf,
    target: PathBuf,
}

fn tool(with: Option<PathBuf>) -> Result<Tool, String> {
    let program = with.map_or_else(files::fencepost, Ok)?;
    Ok(Tool { program, target: absolute(&Path::new(DIR).join("built"))? })
}

impl Tool {
    /// cargo, with the settings that both builds have.
    fn command(&self, folder: &Path, flags: &str, is_watched: bool, words: &str) -> Command {
        let mut command = Command::new("timeout");
        command.arg(LIMIT);
        if is_watched {
            command.arg(&self.program).arg("cargo");
        } else {
            command.arg("cargo");
        }
        command.args(words.split_whitespace()).current_dir(folder).stdin(Stdio::null());
        command.env("CARGO_TARGET_DIR", &self.target).env("RUSTFLAGS", flags).env("RUST_TEST_THREADS", "1");
        // What the cargo that runs us has set is not for the one that we run.
        for name in ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", "RUSTUP_TOOLCHAIN"] {
            command.env_remove(name);
        }
        command
    }
}

/// Runs the tests of a crate both ways; its line of the table.
fn try_suite(suite: &Suite, tool: &Tool, runs: u64) -> Result<String, String> {
    let folder = fetch(suite.name, suite.version)?;
    prepare(&folder, suite.without)?;
    let found = folder.join("found.json");
    let _ = fs::remove_file(&found);
    let rest = if suite.tests.is_empty() { String::new() } else { format!("-- {}", suite.tests) };
    let words = format!("test --no-fail-fast {} {rest}", suite.cargo);
    let native = said(tool.command(&folder, "--cfg fencepost --cap-lints allow", false, &words))?;
    let options = format!("--fencepost --runs {runs} --provoke 4 --format json -o found.json");
    let words = format!("test --no-fail-fast {} {options} {rest}", suite.cargo);
    let start = Instant::now();
    let watched = said(tool.command(&folder, "--cap-lints allow", true, &words))?;
    let findings = fs::read_to_string(&found).map_err(|_| last(&watched.text))?;
    let (native, ours) = (Tests::read(&native.text), Tests::read(&watched.text));
    outcome::row(&native, &ours, &Findings::read(&findings), start.elapsed())
}

/// Is a defect shown, and when?
#[derive(Debug, PartialEq)]
enum Shown {
    No,
    /// In the run with this number, the first of those that can be repeated.
    InRun(u64),
    /// Only in runs that cannot be repeated, whose numbers are not told.
    Somewhere,
}

impl Shown {
    /// In which run the sign is found. What is said of a run follows after its seed, and each finding
    /// is a line; runs are counted from seed 0.
    fn find(sign: &str, said: &str, findings: &str) -> Shown {
        let seed = |text: &str| {
            let digits = text.rsplit_once("--seed ")?.1;
            digits.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
        };
        let before = said.find(sign).map(|at| seed(&said[..at]));
        let of_findings = findings.lines().filter(|line| line.contains(sign)).map(seed);
        let found: Vec<Option<u64>> = before.into_iter().chain(of_findings).collect();
        match (found.is_empty(), found.iter().flatten().min()) {
            (true, _) => Shown::No,
            (false, Some(seed)) => Shown::InRun(seed + 1),
            (false, None) => Shown::Somewhere,
        }
    }
}

/// Does this version of the crate show the defect? One that does not compile does not.
fn shows(defect: &Defect, version: &str, tool: &Tool) -> Result<Shown, String> {
    let package = fetch(defect.package, version)?;
    let folder = Path::new(DIR).join("defects").join(format!("{}-{version}", defect.program));
    let name = format!("{}-{}", defect.program, version.replace('.', "-"));
    let source = absolute(&Path::new("bench/crates").join(defect.program).with_extension("rs"))?;
    let features: Vec<String> = defect.features.split_whitespace().map(|feature| format!("\"{feature}\"")).collect();
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[[bin]]\nname = \"{name}\"\n\
         path = \"{}\"\n\n[dependencies]\n{} = {{ path = \"{}\", features = [{}] }}\n\n[workspace]\n",
        source.display(),
        defect.package,
        package.display(),
        features.join(", "),
    );
    let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(fail)?;
    fs::write(folder.join("Cargo.toml"), manifest).map_err(fail)?;
    let found = folder.join("found.json");
    let _ = fs::remove_file(&found);
    let words = format!("run --quiet --fencepost {} --format json -o found.json", defect.options);
    let said = said(tool.command(&folder, "--cap-lints allow", true, &words))?;
    let findings = match fs::read_to_string(&found) {
        Ok(findings) => findings,
        Err(_) if said.text.contains("could not compile `") && said.text.contains(&name) => String::new(),
        Err(_) => return Err(last(&said.text)),
    };
    Ok(Shown::find(defect.sign, &said.text, &findings))
}

fn absolute(path: &Path) -> Result<PathBuf, String> {
    std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Where the package is, which is fetched if it is not there.
fn fetch(name: &str, version: &str) -> Result<PathBuf, String> {
    let folder = absolute(&Path::new(DIR).join("packages"))?;
    let package = folder.join(format!("{name}-{version}"));
    if !package.join("Cargo.toml").exists() {
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let archive = folder.join(format!("{name}-{version}.crate"));
        let address = format!("{REGISTRY}/{name}/{name}-{version}.crate");
        for (program, words) in [
            ("curl", vec!["-sfL", "--max-time", "60", "-o", &archive.to_string_lossy(), &address]),
            ("tar", vec!["xzf", &archive.to_string_lossy(), "-C", &folder.to_string_lossy()]),
        ] {
            let status = Command::new(program).args(&words).status().map_err(|error| format!("{program}: {error}"))?;
            if !status.success() {
                return Err(format!("{address} cannot be fetched ({program}: {status})"));
            }
        }
    }
    Ok(package)
}

/// Changes a package as the top of this file says.
fn prepare(package: &Path, without: &[&str]) -> Result<(), String> {
    for name in ["Cargo.lock", "rust-toolchain", "rust-toolchain.toml"] {
        let _ = fs::remove_file(package.join(name));
    }
    change(&package.join("Cargo.toml"), |text| manifest(text, without))?;
    let mut folders = vec![(package.join("src"), false), (package.join("tests"), true)];
    while let Some((folder, is_of_tests)) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push((path, is_of_tests));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                change(&path, |text| as_for_miri(text, is_of_tests))?;
            }
        }
    }
    Ok(())
}

fn change(path: &Path, new: impl FnOnce(&str) -> String) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("{}: {error}", path.display());
    let old = fs::read_to_string(path).map_err(fail)?;
    let new = new(&old);
    if new == old { Ok(()) } else { fs::write(path, new).map_err(fail) }
}

/// A manifest without benchmarks, without these dependencies, and with a workspace of its own.
fn manifest(text: &str, without: &[&str]) -> String {
    let mut kept = String::new();
    let mut is_kept = true;
    for line in text.lines() {
        if let Some(head) = line.strip_prefix('[') {
            let head = head.trim_end_matches(']');
            let named = head.split_once("dev-dependencies.").map(|(_, name)| name.trim_matches('"'));
            is_kept = head != "[bench" && !named.is_some_and(|name| without.contains(&name));
        }
        if is_kept {
            kept += line;
            kept += "\n";
        }
    }
    if !kept.contains("\n[workspace]") {
        kept += "\n[workspace]\n";
    }
    kept
}

/// A source in which tests do what they do under Miri.
fn as_for_miri(text: &str, is_of_tests: bool) -> String {
    let start = match is_of_tests {
        true => Some(0),
        false => ["#[cfg(test)]", "#[cfg(all(test", "mod test {", "mod tests {"]
            .iter()
            .filter_map(|begin| text.find(begin))
            .min(),
    };
    let Some(start) = start else { return text.into() };
    let (before, tests) = text.split_at(start);
    let mut tests = tests.to_string();
    for form in ["cfg!(miri)", "#[cfg(miri)]", "#[cfg(not(miri))]", "#[cfg_attr(miri, ignore"] {
        tests = tests.replace(form, &form.replace("miri", "fencepost"));
    }
    before.to_string() + &tests
}

/// What a command has said.
struct Said {
    text: String,
}

fn said(mut command: Command) -> Result<Said, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.code() {
        Some(124) => Err("took too long".into()),
        _ => Ok(Said { text: text(&output.stdout) + &text(&output.stderr) }),
    }
}

/// The first error in a text, or its last line.
fn last(text: &str) -> String {
    let error = text.lines().find(|line| line.starts_with("error"));
    error.or_else(|| text.lines().rfind(|line| !line.trim().is_empty())).unwrap_or("it says nothing").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_counted_from_the_first_seed() {
        let findings = "{\"rule\":\"race\",\"reproduce\":\"fencepost run --schedule random --seed 12 -- a\"}\n\
                        {\"rule\":\"race\",\"reproduce\":\"fencepost run --schedule pct:3 --seeds 0..1000 -- a\"}\n";
        assert_eq!(Shown::find("\"race\"", "", findings), Shown::InRun(13));
        assert_eq!(Shown::find("\"race\"", "", findings.lines().next_back().unwrap_or("")), Shown::Somewhere);
        assert_eq!(
            Shown::find("twice", "`a` ends in another way with --schedule pct:3 --seed 7, and says:\ntwice", ""),
            Shown::InRun(8)
        );
        assert_eq!(Shown::find("twice", "`a` ends --seed 7\n", findings), Shown::No);
    }

    #[test]
    fn manifests_lose_what_is_not_needed() {
        let text = "[package]\nname = \"a\"\n[[bench]]\nname = \"b\"\n[dev-dependencies.criterion]\nversion = \"1\"\n\
                    [target.\"cfg(unix)\".dev-dependencies.libc]\nversion = \"1\"\n[dev-dependencies.rand]\nversion = \"1\"\n";
        let kept = "[package]\nname = \"a\"\n[dev-dependencies.rand]\nversion = \"1\"\n\n[workspace]\n";
        assert_eq!(manifest(text, &["criterion", "libc"]), kept);
        assert_eq!(manifest(kept, &[]), kept);
    }

    #[test]
    fn only_tests_are_made_as_for_miri() {
        let text =
            "#[cfg(miri)]\nfn a() {}\n#[cfg(test)]\nmod tests { const N: u8 = if cfg!(miri) { 1 } else { 2 }; }\n";
        let changed = as_for_miri(text, false);
        assert!(changed.starts_with("#[cfg(miri)]") && changed.contains("cfg!(fencepost)"), "{changed}");
        assert!(as_for_miri(text, true).starts_with("#[cfg(fencepost)]"));
        assert_eq!(as_for_miri("#[cfg(miri)]\n", false), "#[cfg(miri)]\n");
        let under_a_condition = "#[cfg(all(test, not(a)))]\nmod test { #[cfg(miri)] const N: u8 = 1; }";
        assert!(as_for_miri(under_a_condition, false).contains("#[cfg(fencepost)]"));
    }
}
