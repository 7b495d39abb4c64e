//! Classes of values and kinds of steps, as a test of a monitor tells it.

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Value};
use fencepost_ir::{LocationKind, Program};
use fencepost_model::AttemptKind;

/// The kinds of step.
pub(crate) const KINDS: [AttemptKind; 3] = [AttemptKind::Read, AttemptKind::Write, AttemptKind::Rmw];

/// Values in classes: for every atomic location, the class of every value.
pub(crate) struct Classes {
    of: Vec<Option<Vec<usize>>>,
}

impl Classes {
    pub(crate) fn new(program: &Program, mut class: impl FnMut(Value) -> usize) -> Self {
        let atomic = |kind: LocationKind| kind != LocationKind::NonAtomic;
        let mut row = || (0..program.domain() as Value).map(&mut class).collect();
        Classes { of: program.locations().iter().map(|location| atomic(location.kind).then(&mut row)).collect() }
    }

    pub(crate) fn get(&self, loc: LocId, value: Value) -> Option<usize> {
        self.of[loc.index()].as_ref().map(|classes| classes[value as usize])
    }

    pub(crate) fn counts(&self) -> Vec<usize> {
        let count = |classes: &Option<Vec<usize>>| classes.as_ref().map_or(0, |c| 1 + c.iter().max().expect("values"));
        self.of.iter().map(count).collect()
    }
}

pub(crate) fn kind_of(label: &Label) -> AttemptKind {
    match label {
        Label::Read { .. } => AttemptKind::Read,
        Label::Write { .. } => AttemptKind::Write,
        Label::Rmw { .. } | Label::Fence { .. } | Label::LightFence { .. } => AttemptKind::Rmw,
    }
}
