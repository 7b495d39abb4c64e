//! Expressions: Promela writes them as C does, with 32 bits and its own conditional.

use fencepost_base::ids::{RegId, ThreadId};
use fencepost_ir::Program;

use super::names::Names;
use crate::infix::{Infix, Unsupported};

/// Where expressions are: in a thread of a program.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) program: &'a Program,
    pub(crate) names: &'a Names,
    pub(crate) thread: ThreadId,
}

impl Infix for Scope<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn bits(&self) -> u32 {
        32
    }

    fn too_wide(&self) -> Unsupported {
        Unsupported::new("an expression can be beyond the 32 bits that SPIN computes with; declare a smaller domain")
    }

    fn register(&self, reg: RegId) -> (String, u64) {
        let register = self.names.register(self.thread, reg);
        (register.value().into(), register.bound)
    }

    fn conditional(&self, condition: &str, then: &str, otherwise: &str) -> String {
        format!("{condition} -> {then} : {otherwise}")
    }
}
