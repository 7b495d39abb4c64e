//! Programs as C11, to be compiled and run: natively, or under fencepost's own sanitizer.
//!
//! There is one function for every thread and one C statement for every instruction. Orders are as
//! they are written. `#line` directives lead from what a compiler or a sanitizer says back to the
//! source.
//!
//! The exported program makes *some* runs of the program it was exported from: `nondet` and
//! `choose` by a seed, interleavings as the machine has them. All of them are finite: a thread that
//! has jumped backwards often enough ends the run, and so does a failed assertion. Threads that
//! wait for each other for ever are given up after some seconds.
//!
//! What does not fit is refused, never approximated. One thing is less exact than the source: a
//! `wait` for anything but one value, or for any other value than one, is a loop that polls.

mod expr;
mod memory;
mod names;
mod support;
mod thread;

use std::fmt::Write as _;

use crate::infix::Unsupported;
use fencepost_base::source::SourceFile;
use fencepost_ir::Program;

use self::names::Taken;
use self::support::Needs;
use self::thread::Writer;

/// What to export.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How often a thread may jump backwards before the run ends.
    pub steps: u32,
}

/// The program, which was read from `source`, as C.
pub fn export(program: &Program, source: &SourceFile, options: Options) -> Result<String, Unsupported> {
    if program.has_mixed_accesses() {
        return Err(Unsupported::new("a plain access of an atomic variable: C has none"));
    }
    let mut taken = Taken::default();
    let memory = memory::variables(program, &mut taken)?;
    let functions: Vec<String> = program.threads().iter().map(|thread| taken.claim(&thread.name)).collect();
    let mut needs = Needs::default();
    let mut bodies = Vec::new();
    for (thread, name) in program.threads().iter().zip(&functions) {
        let writer = Writer::new(program, source, &memory, thread, taken.clone());
        let (body, needed) = writer.function(name)?;
        needs = needs.with(needed);
        bodies.push(body);
    }
    let mut text = header(program, source);
    text += &support::prelude(needs, options.steps);
    text += "\n";
    for variable in memory.values() {
        let _ = writeln!(text, "{}", variable.declaration());
    }
    text += "\n";
    for function in &functions {
        let _ = writeln!(text, "static void *{function}(void);");
    }
    let names = program.threads().iter().map(|thread| quoted(&thread.name));
    let threads: Vec<(String, &str)> = names.zip(functions.iter().map(String::as_str)).collect();
    text += "\n";
    text += &support::main(needs, &threads);
    for body in bodies {
        text += "\n";
        text += &body;
    }
    Ok(text)
}

fn header(program: &Program, source: &SourceFile) -> String {
    let name = program.name().unwrap_or(source.name()).replace("*/", "* /").replace('\n', " ");
    format!(
        "\
/* {name}, exported by fencepost.
     cc -std=c11 -pthread FILE                             an ordinary program
     fencepost cc -std=c11 FILE && fencepost run ./a.out   is the run robust?
     fencepost cc -std=c11 -DFP_EXPLORE FILE && fencepost run --schedule all ./a.out   are all?
   The argument is a seed for what the program leaves open. Lines are those of the source. */
"
    )
}

/// A string literal.
fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            // Three digits: a fourth would not belong to it.
            c if c.is_ascii_control() => drop(write!(literal, "\\{:03o}", c as u32)),
            c => literal.push(c),
        }
    }
    literal + "\""
}
