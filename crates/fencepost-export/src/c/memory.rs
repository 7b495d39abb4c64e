//! Shared variables: their names, types, and how values are kept in them.
//!
//! Values are below the program's domain, and fetch-and-op wraps around
//! there; in C it wraps around at the width of the type. The two agree if the
//! domain is that wide, or if the counting never gets that far. Otherwise, if the
//! domain is a power of two, values are kept in the upper bits of the variable:
//! what is carried out of the domain is then carried out of the variable. If it is none,
//! the program is refused: a compare-and-swap loop instead would be another program.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_base::ids::Pc;
use fencepost_ir::{LocationKind, Op, Program, RmwFunction, Thread};

use super::names::{Taken, VariableId, variable_of};
use crate::infix::Unsupported;

/// The type of what memory holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// Its width: 8, 16 or 32.
    pub(crate) bits: u32,
    /// The values are this many bits to the left.
    pub(crate) shift: u32,
}

impl Cell {
    /// What is kept for a value.
    pub(crate) fn keep(self, value: &str) -> String {
        if self.shift == 0 || value == "0" { value.into() } else { format!("{value} << {}", self.shift) }
    }

    /// The value of what is kept.
    pub(crate) fn value(self, kept: &str) -> String {
        if self.shift == 0 { kept.into() } else { format!("{kept} >> {}", self.shift) }
    }
}

/// A shared variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) cell: Cell,
    atomic: bool,
    /// One for every element; of an array if `array`.
    init: Vec<u32>,
    array: bool,
}

impl Variable {
    /// The declaration.
    pub(crate) fn declaration(&self) -> String {
        let Cell { bits, shift } = self.cell;
        let qualifier = if self.atomic { "_Atomic " } else { "" };
        let kept: Vec<String> = self.init.iter().map(|value| self.cell.keep(&value.to_string())).collect();
        let (length, init) = match kept.as_slice() {
            [init] if !self.array => (String::new(), init.clone()),
            inits => (format!("[{}]", inits.len()), format!("{{{}}}", inits.join(", "))),
        };
        let remark = if shift == 0 {
            String::new()
        } else {
            format!(" /* in the upper {} bits, where counting wraps around as it should */", bits - shift)
        };
        format!("static {qualifier}uint{bits}_t {}{length} = {init};{remark}", self.name)
    }
}

/// An access to a variable.
struct Access<'a> {
    op: &'a Op,
    /// Is it an update that can happen several times?
    repeats: bool,
}

/// The variables that are accessed, in the order of the program.
pub(crate) fn variables(program: &Program, taken: &mut Taken) -> Result<BTreeMap<VariableId, Variable>, Unsupported> {
    let mut accesses: BTreeMap<VariableId, Vec<Access<'_>>> = BTreeMap::new();
    for thread in program.threads() {
        for (pc, instr) in thread.code.iter().enumerate() {
            if let Some(place) = instr.op.place() {
                let access = Access { op: &instr.op, repeats: repeats(thread, pc) };
                accesses.entry(variable_of(program, place)).or_default().push(access);
            }
        }
    }
    let mut variables = BTreeMap::new();
    for (id, accesses) in accesses {
        let (name, first, len, array) = match id {
            VariableId::Single(loc) => (&program.location(loc).name, loc.index(), 1, false),
            VariableId::Array(array) => {
                let array = program.array(array);
                (&array.name, array.base.index(), array.len as usize, true)
            }
        };
        let locations = &program.locations()[first..first + len];
        let init: Vec<u32> = locations.iter().map(|location| location.init).collect();
        let shift = shift(program, name, &accesses, &init)?;
        let variable = Variable {
            name: taken.claim(name),
            cell: Cell { bits: width(program), shift },
            atomic: locations[0].kind == LocationKind::Atomic,
            init,
            array,
        };
        variables.insert(id, variable);
    }
    Ok(variables)
}

/// Bits that hold a value.
fn width(program: &Program) -> u32 {
    match program.domain() {
        0..=0x100 => 8,
        0x101..=0x1_0000 => 16,
        _ => 32,
    }
}

/// How far to the left the values of a variable have to be.
fn shift(program: &Program, name: &str, accesses: &[Access<'_>], init: &[u32]) -> Result<u32, Unsupported> {
    if !can_wrap(program, accesses, init) {
        return Ok(0);
    }
    let domain = program.domain();
    if !domain.is_power_of_two() {
        return Err(Unsupported::new(format!(
            "updates of `{name}` can wrap around at {domain}, and in C only at a power of two"
        )));
    }
    Ok(width(program) - domain.trailing_zeros())
}

/// Can an update of a variable leave the domain, as far as that can be seen without running the
/// program?
fn can_wrap(program: &Program, accesses: &[Access<'_>], init: &[u32]) -> bool {
    let domain = program.domain() as i64;
    let (mut low, mut high) = (domain, -1);
    for &value in init {
        (low, high) = (low.min(value.into()), high.max(value.into()));
    }
    let (mut down, mut up) = (0, 0);
    for Access { op, repeats } in accesses {
        let written = match op {
            Op::Store { value, .. } | Op::PlainStore { value, .. } => value,
            Op::Cas { desired, .. } | Op::BlockingCas { desired, .. } => desired,
            Op::Update { operand, .. } => operand,
            _ => continue,
        };
        let written = written.as_constant(program.domain()).map(|value| i64::from(program.reduce(value)));
        match op {
            Op::Update { function: RmwFunction::Add | RmwFunction::Sub, .. } if written == Some(0) => {}
            Op::Update { function: RmwFunction::Add | RmwFunction::Sub, .. } if *repeats => return true,
            Op::Update { function: RmwFunction::Add, .. } => up += written.unwrap_or(domain),
            Op::Update { function: RmwFunction::Sub, .. } => down += written.unwrap_or(domain),
            Op::Update { function: RmwFunction::Or | RmwFunction::Xor, .. } if !program.domain().is_power_of_two() => {
                return true;
            }
            // The operands are values, and so are the results.
            Op::Update { function: RmwFunction::And | RmwFunction::Or | RmwFunction::Xor, .. } => {
                (low, high) = (0, domain - 1);
            }
            _ => (low, high) = (low.min(written.unwrap_or(0)), high.max(written.unwrap_or(domain - 1))),
        }
    }
    high + up >= domain || low - down < 0
}

/// Is the instruction at `pc` an update in a loop?
fn repeats(thread: &Thread, pc: usize) -> bool {
    let op = &thread.code[pc].op;
    let successors = || op.successors(Pc::from_index(pc)).into_iter().map(Pc::index).collect();
    matches!(op, Op::Update { .. }) && reachable(thread, successors()).contains(&pc)
}

/// The instructions that a run can come to from some of them.
pub(crate) fn reachable(thread: &Thread, from: Vec<usize>) -> BTreeSet<usize> {
    let (mut reachable, mut open) = (BTreeSet::new(), from);
    while let Some(pc) = open.pop() {
        if reachable.insert(pc) {
            open.extend(thread.code[pc].op.successors(Pc::from_index(pc)).into_iter().map(Pc::index));
        }
    }
    reachable
}

/// The place as an expression: a variable, or an element of one.
pub(crate) fn element(variable: &Variable, index: Option<&str>) -> String {
    match index {
        Some(index) => format!("{}[{index}]", variable.name),
        None => variable.name.clone(),
    }
}
