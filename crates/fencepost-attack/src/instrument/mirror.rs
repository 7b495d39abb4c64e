//! Locations beside those of the original.

use std::collections::BTreeSet;

use fencepost_base::ids::{ArrayId, LocId};
use fencepost_ir::{LocationKind, Place, Program, ProgramBuilder};

/// Names that are taken.
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    pub(crate) fn of(program: &Program) -> Self {
        let threads = program.threads();
        let registers = threads.iter().flat_map(|thread| thread.registers.iter().map(|register| &register.name));
        let locations = program.locations().iter().map(|location| &location.name);
        let arrays = program.arrays().iter().map(|array| &array.name);
        let names = registers.chain(locations).chain(arrays).chain(threads.iter().map(|thread| &thread.name));
        Names(names.cloned().collect())
    }

    /// A name like `wanted` that nobody has.
    pub(crate) fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// For some locations of the original, a location that says something about it; initially 0.
#[derive(Clone, Debug)]
pub(crate) struct Mirror {
    locations: Vec<Option<LocId>>,
    /// For every array, its mirror.
    arrays: Vec<Option<ArrayId>>,
}

impl Mirror {
    /// Mirrors the `wanted` locations; an array as soon as one of its elements is.
    pub(crate) fn new(
        program: &Program,
        builder: &mut ProgramBuilder,
        names: &mut Names,
        what: &str,
        wanted: &[bool],
    ) -> Self {
        let mut locations = vec![None; program.locations().len()];
        let mut arrays = Vec::new();
        let mut in_array = vec![false; wanted.len()];
        for array in program.arrays() {
            let elements = array.base.index()..array.base.index() + array.len as usize;
            in_array[elements.clone()].fill(true);
            arrays.push(wanted[elements.clone()].contains(&true).then(|| {
                let name = names.fresh(&format!("{what}_{}", array.name));
                let first = builder.next_location();
                for (offset, loc) in elements.enumerate() {
                    locations[loc] = Some(LocId::from_index(first.index() + offset));
                }
                builder.array(name, &vec![0; array.len as usize], LocationKind::Atomic)
            }));
        }
        for (loc, _) in wanted.iter().enumerate().filter(|&(loc, &wanted)| wanted && !in_array[loc]) {
            let name = names.fresh(&format!("{what}_{}", program.locations()[loc].name));
            locations[loc] = Some(builder.location(name, 0, LocationKind::Atomic));
        }
        Mirror { locations, arrays }
    }

    /// What belongs to a place, if anything can.
    pub(crate) fn of(&self, place: &Place) -> Option<Place> {
        match place {
            Place::Fixed(loc) => self.locations[loc.index()].map(Place::Fixed),
            Place::Element { array, index } => {
                self.arrays[array.index()].map(|array| Place::Element { array, index: index.clone() })
            }
        }
    }

    /// Locations of the original with what belongs to them.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (LocId, LocId)> + '_ {
        let pair = |(original, mirrored): (usize, &Option<LocId>)| Some((LocId::from_index(original), (*mirrored)?));
        self.locations.iter().enumerate().filter_map(pair)
    }
}
