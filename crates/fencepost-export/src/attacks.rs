//! The program that is explored for a model with store buffers, as `.fp` text.

use fencepost_attack::Delays;
use fencepost_ir::Program;
use fencepost_model::Model;

use crate::infix::Unsupported;

/// `program` with its attacks, in which attackers delay that many stores: an assertion fails under SC iff one of the
/// attacks is feasible.
///
/// # Errors
/// If the model has no store buffers.
pub fn export(program: &Program, model: &dyn Model, delays: Delays) -> Result<String, Unsupported> {
    if model.buffers().is_none() {
        return Err(Unsupported::new(format!("{} has no store buffers", model.name())));
    }
    let attacks = fencepost_attack::attacks(program, model);
    let instrumented = fencepost_attack::instrument(program, model, &attacks, delays);
    Ok(fencepost_lower::print(instrumented.program()))
}
