//! Names and types of locations and registers.

use fencepost_analysis::values::PossibleValues;
use fencepost_base::ids::{LocId, RegId, ThreadId};
use fencepost_ir::{Op, Program};
use fencepost_model::packed::bits_for;

use super::shape;
use crate::infix::spell;

/// A variable of the program. What is always 0, or might as well be, has no variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// None if it counts as 0.
    name: Option<String>,
    bits: u32,
    /// One more than its greatest value.
    pub(crate) bound: u64,
}

impl Variable {
    fn new(name: String, bound: u64) -> Self {
        let bits = bits_for(bound);
        Variable { name: (bits > 0).then_some(name), bits, bound }
    }

    /// Its content, as an expression.
    pub(crate) fn value(&self) -> &str {
        self.name.as_deref().unwrap_or("0")
    }

    /// `variable = value`
    pub(crate) fn assign(&self, value: &str) -> Option<String> {
        let name = self.name.as_ref()?;
        (name != value).then(|| format!("{name} = {value}"))
    }

    pub(crate) fn declaration(&self, init: u32) -> Option<String> {
        self.name.as_ref().map(|name| declare(name, self.bits, init))
    }
}

/// A variable of at most 31 bits. SPIN packs bit fields, and states that are smaller are cheaper to
/// store and to compare.
pub(crate) fn declare(name: &str, bits: u32, init: u32) -> String {
    let init = if init == 0 { String::new() } else { format!(" = {init}") };
    match bits {
        1 => format!("bit {name}{init}"),
        8 => format!("byte {name}{init}"),
        _ => format!("unsigned {name} : {bits}{init}"),
    }
}

/// The variables of a program.
pub(crate) struct Names {
    locations: Vec<Variable>,
    registers: Vec<Vec<Variable>>,
}

impl Names {
    pub(crate) fn new(program: &Program, values: &PossibleValues) -> Self {
        let observed = observed(program);
        let location = |(loc, location): (usize, &fencepost_ir::Location)| {
            let bound = values.location(LocId::from_index(loc)).bound(program.domain());
            let bound = if observed[loc] { bound } else { 0 };
            Variable::new(format!("m_{}_{loc}", spell(&location.name)), bound)
        };
        let registers = |thread: ThreadId| {
            let register = |(reg, register): (usize, &fencepost_ir::Register)| {
                let bound = values.register(thread, RegId::from_index(reg)).bound(program.domain());
                Variable::new(format!("r_{}_{reg}", spell(&register.name)), bound)
            };
            program.thread(thread).registers.iter().enumerate().map(register).collect()
        };
        Names {
            locations: program.locations().iter().enumerate().map(location).collect(),
            registers: program.thread_ids().map(registers).collect(),
        }
    }

    pub(crate) fn location(&self, loc: LocId) -> &Variable {
        &self.locations[loc.index()]
    }

    pub(crate) fn register(&self, thread: ThreadId, reg: RegId) -> &Variable {
        &self.registers[thread.index()][reg.index()]
    }
}

/// For every location: does anything ever depend on the value it has? Nobody needs to know the
/// others'.
fn observed(program: &Program) -> Vec<bool> {
    let mut observed = vec![false; program.locations().len()];
    for op in program.threads().iter().flat_map(|thread| &thread.code).map(|instr| &instr.op) {
        let observes = match op {
            Op::Load { dst, .. } | Op::Update { dst, .. } => dst.is_some(),
            Op::PlainLoad { .. } | Op::Wait { .. } | Op::Cas { .. } | Op::BlockingCas { .. } => true,
            _ => false,
        };
        if let (true, Some(place)) = (observes, op.place()) {
            observed[shape::locations(program, place)].fill(true);
        }
    }
    observed
}
