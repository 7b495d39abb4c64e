//! Compilers of C and C++ that tests can build programs for the sanitizer with.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::ops::RangeInclusive;
use std::process::{Command, Stdio};

use crate::is_long;

/// A compiler of C, and the one of C++ that belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// The program that compiles C; tests are named after it.
    pub cc: String,
    /// The program that compiles C++.
    pub cxx: String,
}

/// Compilers that differ in their version only. The oldest number is that of the oldest supported
/// version.
struct Family {
    cc: &'static str,
    cxx: &'static str,
    numbers: RangeInclusive<u32>,
}

const FAMILIES: [Family; 2] =
    [Family { cc: "gcc", cxx: "g++", numbers: 11..=30 }, Family { cc: "clang", cxx: "clang++", numbers: 14..=40 }];

/// The oldest and the newest compiler of each family, by name; all that are there if
/// `FENCEPOST_LONG` is set. Where there is none, the name of the family and the reason.
pub fn compilers() -> Vec<(String, Result<Compiler, String>)> {
    FAMILIES.iter().flat_map(Family::members).collect()
}

/// One compiler, for tests to which it does not matter which.
///
/// # Errors
/// When there is none: the reasons.
pub fn some_compiler() -> Result<Compiler, String> {
    let mut reasons = Vec::new();
    for (_, found) in compilers() {
        match found {
            Ok(compiler) => return Ok(compiler),
            Err(reason) => reasons.push(reason),
        }
    }
    Err(reasons.join(", "))
}

impl Family {
    fn members(&self) -> Vec<(String, Result<Compiler, String>)> {
        let suffixes = [String::new()].into_iter().chain(self.numbers.clone().map(|number| format!("-{number}")));
        let (mut versions, mut unfit) = (BTreeMap::new(), None);
        for suffix in suffixes {
            let compiler = Compiler { cc: self.cc.to_string() + &suffix, cxx: self.cxx.to_string() + &suffix };
            match (version(&compiler.cc), version(&compiler.cxx)) {
                (Some(version), Some(_)) if version[0] < *self.numbers.start() => {
                    unfit.get_or_insert(format!("{} is older than version {}", compiler.cc, self.numbers.start()));
                }
                (Some(_), Some(_)) if !instruments(&compiler) => {
                    unfit.get_or_insert(format!("{} cannot compile with -fsanitize=thread", compiler.cc));
                }
                // The name without a number comes first, and stays.
                (Some(version), Some(_)) => drop(versions.entry(version).or_insert(compiler)),
                _ => {}
            }
        }
        let mut found: Vec<Compiler> = versions.into_values().collect();
        if !is_long() && found.len() > 2 {
            found.drain(1..found.len() - 1);
        }
        if found.is_empty() {
            let reason = unfit.unwrap_or_else(|| format!("{} is not installed", self.cc));
            return vec![(self.cc.to_string(), Err(reason))];
        }
        found.into_iter().map(|compiler| (compiler.cc.clone(), Ok(compiler))).collect()
    }
}

/// The numbers of its version, if the program is there.
fn version(program: &str) -> Option<Vec<u32>> {
    let output = Command::new(program).args(["-dumpfullversion", "-dumpversion"]).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next()?.trim().split('.').map(|number| number.parse().ok()).collect()
}

/// Do both of them insert calls? (No linker is asked: the runtime of the compiler need not be
/// installed.)
fn instruments(compiler: &Compiler) -> bool {
    let compiles = |program: &str, language: &str| -> std::io::Result<bool> {
        let mut child = Command::new(program)
            .args(["-fsanitize=thread", "-x", language, "-c", "-", "-o", "/dev/null"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        // One that has ended already reads nothing.
        let _ = child.stdin.take().expect("it was asked for").write_all(b"int x; int *f(void) { return x = 1, &x; }\n");
        Ok(child.wait()?.success())
    };
    [(&compiler.cc, "c"), (&compiler.cxx, "c++")]
        .into_iter()
        .all(|(program, language)| compiles(program, language).unwrap_or(false))
}
