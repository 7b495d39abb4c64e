//! Comparison of programs without their places in a source.

use fencepost_ir::{Language, Op, Program, Register, load};

/// Everything but spans; thread names as the printer would spell them.
#[derive(Debug, PartialEq)]
pub struct Shape {
    name: Option<String>,
    domain: u32,
    locations: Vec<fencepost_ir::Location>,
    arrays: Vec<fencepost_ir::Array>,
    threads: Vec<(String, Vec<Register>, Vec<Op>)>,
}

/// The shape of a program.
pub fn shape(program: &Program) -> Shape {
    Shape {
        name: program.name().map(str::to_owned),
        domain: program.domain(),
        locations: program.locations().to_vec(),
        arrays: program.arrays().to_vec(),
        threads: program
            .threads()
            .iter()
            .map(|thread| {
                let name = thread.name.replace('[', "_").replace(']', "");
                (name, thread.registers.clone(), thread.code.iter().map(|instr| instr.op.clone()).collect())
            })
            .collect(),
    }
}

/// Reads a program that is right.
pub fn program(language: Language, text: &str) -> Program {
    let loaded = load(language, text);
    loaded.program.unwrap_or_else(|| panic!("{text}\n{:#?}", loaded.diagnostics))
}
