//! The only way to make a [`Program`].

use std::fmt;

use fencepost_base::ids::{ArrayId, LocId, RegId, ThreadId, Value};
use fencepost_base::order::FenceOrder;

use crate::condition::{Condition, Formula, Observable};
use crate::expr::Expr;
use crate::program::{Array, Copies, Instr, Location, LocationKind, Numbering, Op, Place, Program, Register, Thread};
use crate::sections;

/// Collects the parts of a program and checks them once.
#[derive(Clone, Debug)]
pub struct ProgramBuilder {
    program: Program,
}

/// A part that does not fit: a mistake of the front end, not of its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    message: String,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BuildError {}

impl ProgramBuilder {
    /// Greatest possible number of values: all that 32 bits have.
    pub const MAX_DOMAIN: u64 = 1 << 32;

    /// A program over the values `0..domain`.
    pub fn new(name: Option<String>, domain: u64) -> Self {
        ProgramBuilder {
            program: Program {
                name,
                domain,
                locations: Vec::new(),
                arrays: Vec::new(),
                threads: Vec::new(),
                fence_location: None,
                sections: Vec::new(),
                condition: None,
                numbering: Numbering::default(),
            },
        }
    }

    /// Adds a location.
    pub fn location(&mut self, name: impl Into<String>, init: Value, kind: LocationKind) -> LocId {
        self.program.locations.push(Location { name: name.into(), init, kind });
        LocId::from_index(self.program.locations.len() - 1)
    }

    /// The location that is added next.
    pub fn next_location(&self) -> LocId {
        LocId::from_index(self.program.locations.len())
    }

    /// Adds an array with these initial values.
    pub fn array(&mut self, name: impl Into<String>, inits: &[Value], kind: LocationKind) -> ArrayId {
        let name = name.into();
        let elements = inits.iter().enumerate().map(|(index, &init)| (format!("{name}[{index}]"), init)).collect();
        self.array_of(name, elements, kind)
    }

    /// Adds an array whose elements have these names and initial values.
    pub fn array_of(&mut self, name: impl Into<String>, elements: Vec<(String, Value)>, kind: LocationKind) -> ArrayId {
        let (base, len) = (LocId::from_index(self.program.locations.len()), elements.len() as u32);
        for (name, init) in elements {
            self.location(name, init, kind);
        }
        self.program.arrays.push(Array { name: name.into(), base, len });
        ArrayId::from_index(self.program.arrays.len() - 1)
    }

    /// Adds an array whose only element is a location that is there already.
    pub fn array_of_one(&mut self, loc: LocId) -> ArrayId {
        let name = self.program.locations[loc.index()].name.clone();
        self.program.arrays.push(Array { name, base: loc, len: 1 });
        ArrayId::from_index(self.program.arrays.len() - 1)
    }

    /// Adds a thread.
    pub fn thread(&mut self, name: impl Into<String>, registers: Vec<Register>, code: Vec<Instr>) -> ThreadId {
        self.threads(name, registers, code, Copies::One)
    }

    /// Adds a thread of so many copies.
    pub fn threads(
        &mut self,
        name: impl Into<String>,
        registers: Vec<Register>,
        code: Vec<Instr>,
        copies: Copies,
    ) -> ThreadId {
        self.program.threads.push(Thread { name: name.into(), registers, code, copies });
        ThreadId::from_index(self.program.threads.len() - 1)
    }

    /// Asks something about final states.
    pub fn condition(&mut self, condition: Condition) {
        self.program.condition = Some(condition);
    }

    /// Says what values stand for, if not for the numbers that they are.
    pub fn numbering(&mut self, numbering: Numbering) {
        self.program.numbering = numbering;
    }

    /// Checks everything that [`Program`] promises. Adds the hidden location
    /// of `fence(sc)` when there is such a fence.
    pub fn build(mut self) -> Result<Program, BuildError> {
        self.check()?;
        self.program.sections = self.sections()?;
        let has_sc_fence = self
            .program
            .threads
            .iter()
            .flat_map(|thread| &thread.code)
            .any(|instr| instr.op == Op::Fence { order: FenceOrder::Sc });
        if has_sc_fence {
            self.program.fence_location = Some(self.location("<fence>", 0, LocationKind::Fence));
        }
        Ok(self.program)
    }

    fn check(&self) -> Result<(), BuildError> {
        let program = &self.program;
        let fail = |message: String| Err(BuildError { message });
        if program.domain == 0 || program.domain > Self::MAX_DOMAIN {
            return fail(format!("domain of {} values", program.domain));
        }
        for location in &program.locations {
            if u64::from(location.init) >= program.domain {
                return fail(format!("initial value of `{}` is outside the domain", location.name));
            }
            if location.kind == LocationKind::Fence {
                return fail("the location of `fence(sc)` is added by the builder".into());
            }
        }
        for thread in &program.threads {
            if let Some(register) = thread.registers.iter().find(|register| u64::from(register.init) >= program.domain)
            {
                return fail(format!("initial value of register `{}` is outside the domain", register.name));
            }
            match thread.code.last().map(|instr| &instr.op) {
                Some(Op::Halt | Op::Jump { .. } | Op::Choose { .. }) => {}
                _ => return fail(format!("thread `{}` runs off the end of its code", thread.name)),
            }
            for (pc, instr) in thread.code.iter().enumerate() {
                if let Err(what) = self.check_op(thread, &instr.op, pc) {
                    return fail(format!("thread `{}`, instruction {pc}: {what}", thread.name));
                }
            }
        }
        if program.condition.is_some() && program.least_copies().is_some() {
            return fail("a condition on the final states of any number of threads".into());
        }
        if program.threads.iter().any(|thread| thread.copies == Copies::Any { least: 0 }) {
            return fail("a thread that need not be there".into());
        }
        let Numbering { negatives, addresses } = program.numbering;
        let end = addresses.map_or(0, |first| u64::from(first) + program.locations.len() as u64);
        if u64::from(negatives) + end > program.domain {
            return fail("values stand for more than one thing".into());
        }
        self.check_condition()
    }

    fn check_condition(&self) -> Result<(), BuildError> {
        let Some(condition) = &self.program.condition else { return Ok(()) };
        let exists = |what: &Observable| match what {
            Observable::Location(loc) => loc.index() < self.program.locations.len(),
            Observable::Register(thread, register) => {
                let thread = self.program.threads.get(thread.index());
                thread.is_some_and(|thread| register.index() < thread.registers.len())
            }
        };
        let mut values_fit = true;
        let fits = |value: Value| u64::from(value) < self.program.domain;
        let mut check = |formula: &Formula| formula.for_each(&mut |_, value| values_fit &= value.is_none_or(fits));
        check(&condition.formula);
        condition.filter.iter().for_each(check);
        match values_fit && condition.observed().iter().all(exists) {
            true => Ok(()),
            false => Err(BuildError { message: "the condition does not fit the program".into() }),
        }
    }

    /// Finds out which instructions are inside of sections.
    fn sections(&self) -> Result<Vec<Vec<bool>>, BuildError> {
        let of = |thread: &Thread| {
            sections::inside(&thread.code).map_err(|(pc, what)| BuildError {
                message: format!("thread `{}`, instruction {pc}: {what}", thread.name),
            })
        };
        self.program.threads.iter().map(of).collect()
    }

    fn check_op(&self, thread: &Thread, op: &Op, pc: usize) -> Result<(), String> {
        let register_exists = |reg: RegId| reg.index() < thread.registers.len();
        let mut registers_exist = op.dst().is_none_or(register_exists);
        op.for_each_expr(&mut |expr: &Expr| {
            expr.for_each_register(&mut |reg| registers_exist &= register_exists(reg));
        });
        if !registers_exist {
            return Err("no such register".into());
        }
        let next = fencepost_base::ids::Pc::from_index(pc);
        if op.successors(next).iter().any(|target| target.index() >= thread.code.len()) {
            return Err("jump out of the code".into());
        }
        match op {
            Op::Choose { targets } if targets.is_empty() => return Err("choice of nothing".into()),
            Op::Wait { condition, .. } if condition.any_of.is_empty() => return Err("wait for nothing".into()),
            Op::LightFence { locations: Some(locations) } => {
                for loc in locations {
                    self.kind_of(*loc)?;
                }
            }
            _ => {}
        }
        if let Some(place) = op.place() {
            let plain = matches!(op, Op::PlainLoad { .. } | Op::PlainStore { .. });
            let kind = match place {
                Place::Fixed(loc) => self.kind_of(*loc)?,
                Place::Element { array, .. } => {
                    let array = self.program.arrays.get(array.index()).ok_or("no such array")?;
                    if array.len == 0 {
                        return Err("empty array".into());
                    }
                    self.kind_of(array.base)?
                }
            };
            // Plain accesses of atomic locations are races at worst, but atomic ones need an atomic
            // location.
            let fits = kind == LocationKind::Atomic || (plain && kind == LocationKind::NonAtomic);
            if !fits {
                return Err(format!("{} operation on a {kind:?} location", if plain { "plain" } else { "atomic" }));
            }
        }
        Ok(())
    }

    fn kind_of(&self, loc: LocId) -> Result<LocationKind, String> {
        self.program.locations.get(loc.index()).map(|location| location.kind).ok_or_else(|| "no such location".into())
    }
}
