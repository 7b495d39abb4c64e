//! The shared locations of a random program: few, so that threads meet; now
//! and then an array, or one that is not atomic.

use fencepost_base::ids::{ArrayId, LocId};
use fencepost_ir::{LocationKind, Place, ProgramBuilder};

use super::exprs;
use crate::random::Random;

/// The shared locations.
pub(super) struct Memory {
    pub(super) atomic: Vec<LocId>,
    pub(super) atomic_array: Option<(ArrayId, u32)>,
    pub(super) plain: Vec<LocId>,
    pub(super) plain_array: Option<(ArrayId, u32)>,
}

impl Memory {
    pub(super) fn declare(random: &mut Random, builder: &mut ProgramBuilder, domain: u64, plain: bool) -> Self {
        let init = |random: &mut Random| if random.chance(80) { 0 } else { random.below(domain as usize) as u32 };
        let mut memory = Memory { atomic: Vec::new(), atomic_array: None, plain: Vec::new(), plain_array: None };
        if random.chance(15) {
            let inits = [init(random), init(random)];
            memory.atomic_array = Some((builder.array("a", &inits, LocationKind::Atomic), 2));
        }
        let count = match memory.atomic_array {
            Some(_) => random.below(2),
            None => random.weighted(&[(1, 1), (6, 2), (3, 3)]),
        };
        for name in ["x", "y", "z"].iter().take(count) {
            let value = init(random);
            memory.atomic.push(builder.location(*name, value, LocationKind::Atomic));
        }
        if random.chance(25) && plain {
            let value = init(random);
            memory.plain.push(builder.location("d", value, LocationKind::NonAtomic));
        }
        if random.chance(4) && plain {
            let inits = [init(random), init(random)];
            memory.plain_array = Some((builder.array("b", &inits, LocationKind::NonAtomic), 2));
        }
        memory
    }
}

/// What belongs to one thread, or to it and its copies.
#[derive(Clone, Copy)]
pub(super) enum Own {
    Location(LocId),
    Array(ArrayId, u32),
}

/// Declares what belongs to the thread of this number.
pub(super) fn own(random: &mut Random, builder: &mut ProgramBuilder, thread: usize) -> Own {
    let name = format!("p{thread}");
    match random.chance(25) {
        true => Own::Array(builder.array(name, &[0, 0], LocationKind::Atomic), 2),
        false => Own::Location(builder.location(name, 0, LocationKind::Atomic)),
    }
}

impl Own {
    /// A place in it.
    pub(super) fn place(self, random: &mut Random, registers: usize) -> Place {
        match self {
            Own::Location(loc) => Place::Fixed(loc),
            Own::Array(array, len) => Place::Element { array, index: exprs::index(random, len, registers) },
        }
    }
}
