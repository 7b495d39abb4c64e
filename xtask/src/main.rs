//! The project's own automation. `cargo xtask` lists the tasks.

// A task's output is its purpose.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod bless;
mod campaign;
mod case_study;
mod compilers;
mod crates;
mod explored;
mod files;
mod mutants;
mod package;
mod recorded;
mod site;
mod soak;
mod spin;

use std::process::ExitCode;

/// A task: its name, what its arguments are, what it is for, what it does.
type Task = (&'static str, &'static str, &'static str, fn(&[String]) -> Result<(), String>);

const TASKS: &[Task] = &[
    (
        "bench",
        "KIND [...]",
        "what questions cost: `files`, `attacks` (store buffers), `static` (beside SPIN), `against BINARY` (beside another fencepost), `sanitizer` (beside TSan), `schedules` (beside loom and shuttle), `verify` (safety under SRA), `report`, `families`",
        bench::run,
    ),
    (
        "case-study",
        "[NAME [--runs N]]",
        "the sanitizer on libraries and on programs of the literature (no name: the list)",
        case_study::run,
    ),
    (
        "campaign",
        "[--programs N] [--from SEED] [MODEL...]",
        "put generated programs to every engine and to the definitions (default: 200000, every model)",
        campaign::run,
    ),
    (
        "crates",
        "[NAME...] [--runs N] [--with FENCEPOST] [--cost [--nightly TOOLCHAIN]]",
        "the tests of public crates under `cargo fencepost`, and old versions with known defects (default: 3 runs); \
         --cost: what runs of some cost, beside ThreadSanitizer and Miri",
        crates::run,
    ),
    ("bless", "", "run the tests and rewrite the golden files they compare with", bless::run),
    (
        "explored",
        "DIR [NAME...] [--seconds N] [--jobs N]",
        "explore every schedule of tests whose executions GenMC has counted, and compare (default: 30 seconds each)",
        explored::run,
    ),
    (
        "mutants",
        "[NAME...]",
        "break the engine on purpose, one rule at a time; the tests must notice (a name, or what is before its colon)",
        mutants::run,
    ),
    (
        "package",
        "[--no-build]",
        "what is installed, in target/package: programs, man pages, completions, documentation; and a Debian package",
        package::run,
    ),
    (
        "recorded",
        "DIR",
        "compare with the verdicts recorded in the comments of TPL files and of Trencher's",
        recorded::run,
    ),
    (
        "site",
        "[--book] [DIR]",
        "the book and the workbench as pages for a browser (default: target/site; --book: without the workbench)",
        site::run,
    ),
    (
        "soak",
        "[NAME...] [--runs N]",
        "run what must be silent under the sanitizer many times (default: all of sanitizer/, 1000 runs per schedule)",
        soak::run,
    ),
    (
        "spin",
        "[PATH...] [--seconds N] [--model M]",
        "put programs to SPIN and compare verdicts (default: litmus, 20 seconds each)",
        spin::run,
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let task = arguments.first().and_then(|name| TASKS.iter().find(|task| task.0 == name));
    let Some((_, _, _, run)) = task else {
        println!("tasks:");
        for (name, arguments, purpose, _) in TASKS {
            println!("  cargo xtask {:22} {purpose}", format!("{name} {arguments}"));
        }
        return ExitCode::from(2);
    };
    match run(&arguments[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
