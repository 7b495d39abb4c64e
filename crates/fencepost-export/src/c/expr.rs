//! Expressions: in `int` where 32 bits are enough, else in `int64_t`.

use fencepost_base::ids::RegId;
use fencepost_ir::Program;

use crate::infix::{Infix, Unsupported};
/// Where expressions are: in a thread, whose registers have these names.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) program: &'a Program,
    pub(crate) registers: &'a [String],
    pub(crate) wide: bool,
}

impl<'a> Scope<'a> {
    /// Something that is computed from expressions, with as many bits as it takes.
    pub(crate) fn compute<T>(&self, f: impl Fn(&Scope<'a>) -> Result<T, Unsupported>) -> Result<T, Unsupported> {
        f(&Scope { wide: false, ..*self }).or_else(|_| f(&Scope { wide: true, ..*self }))
    }
}

impl Infix for Scope<'_> {
    fn program(&self) -> &Program {
        self.program
    }

    fn bits(&self) -> u32 {
        if self.wide { 64 } else { 32 }
    }

    fn too_wide(&self) -> Unsupported {
        Unsupported::new("an expression can be beyond the 64 bits that C computes with; declare a smaller domain")
    }

    fn register(&self, reg: RegId) -> (String, u64) {
        let name = &self.registers[reg.index()];
        let text = if self.wide { format!("(int64_t){name}") } else { name.clone() };
        (text, self.program.domain())
    }

    fn literal(&self, value: u64) -> String {
        if self.wide { format!("INT64_C({value})") } else { value.to_string() }
    }

    fn conditional(&self, condition: &str, then: &str, otherwise: &str) -> String {
        format!("{condition} ? {then} : {otherwise}")
    }
}

/// A text without parentheses around the whole.
pub(crate) fn bare(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let mut depth = 0;
    for c in inner.chars() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth < 0 {
            return text;
        }
    }
    inner
}
