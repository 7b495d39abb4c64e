//! The program that is explored for a model with store buffers, as `.fp` text.

use fencepost_attack::enough_delays;
use fencepost_ir::Program;
use fencepost_model::Model;

use crate::infix::Unsupported;

/// `program` with its attacks: an assertion fails under SC iff one of them is feasible.
///
/// # Errors
/// If the model has no store buffers.
pub fn export(program: &Program, model: &dyn Model) -> Result<String, Unsupported> {
    if model.buffers().is_none() {
        return Err(Unsupported::new(format!("{} has no store buffers", model.name())));
    }
    let attacks = fencepost_attack::attacks(program, model);
    let instrumented = fencepost_attack::instrument(program, model, &attacks, enough_delays(program, model));
    Ok(fencepost_lower::print(instrumented.program()))
}
