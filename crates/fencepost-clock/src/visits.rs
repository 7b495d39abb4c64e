//! For each slot, its last access to a location: which write was the newest then, and what the
//! thread knew.

use crate::clock::Slot;

/// Indices of writes are below this, so that two flags fit beside them.
pub(crate) const INDEX_END: u32 = 1 << 30;

/// Effects of an access that need not be repeated while nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effects(u32);

impl Effects {
    pub(crate) fn new(acquired: bool, sc: bool) -> Self {
        Effects(u32::from(acquired) << 30 | u32::from(sc) << 31)
    }

    /// Was the access SC?
    pub(crate) fn is_sc(self) -> bool {
        self.0 >> 31 != 0
    }

    fn includes(self, other: Effects) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The last access of a slot. Who was never there has generation 0, which no thread has, and "saw"
/// entry 0: either it is the initial value, which everybody is aware of, or it has been dropped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Visit {
    pub(crate) generation: u32,
    /// Index of the newest write at that time, and the effects.
    packed: u32,
}

impl Visit {
    pub(crate) fn new(generation: u32, seen: u32, effects: Effects) -> Self {
        Visit { generation, packed: seen | effects.0 }
    }

    /// The index of the newest write at that time.
    #[inline]
    pub(crate) fn seen(self) -> u32 {
        self.packed & (INDEX_END - 1)
    }

    #[inline]
    pub(crate) fn effects(self) -> Effects {
        Effects(self.packed & !(INDEX_END - 1))
    }

    /// Would another access find the same write and know the same?
    #[inline]
    pub(crate) fn is_last(self, generation: u32, newest: u32) -> bool {
        self.generation == generation && self.seen() == newest
    }

    /// The same, and has all of `effects` been done?
    #[inline]
    pub(crate) fn covers(self, generation: u32, newest: u32, effects: Effects) -> bool {
        self.is_last(generation, newest) && self.effects().includes(effects)
    }
}

/// Slots whose visits are kept in the location itself.
const FEW: usize = 8;

/// A visit for each slot.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct Visits {
    /// Those of the slots from `FEW` on.
    many: Box<[Visit]>,
    few: [Visit; FEW],
}

impl Visits {
    #[inline]
    pub(crate) fn get(&self, slot: Slot) -> Visit {
        let slot = usize::from(slot);
        match self.few.get(slot) {
            Some(&visit) => visit,
            None => self.many.get(slot - FEW).copied().unwrap_or_default(),
        }
    }

    /// Where the visit of a slot is, if it is not in the location itself.
    #[inline(always)]
    pub(crate) fn far(&self, slot: Slot, fetch: &mut impl FnMut(*const u8)) {
        let far = usize::from(slot).checked_sub(FEW).and_then(|index| self.many.get(index));
        if let Some(visit) = far {
            fetch((&raw const *visit).cast());
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, slot: Slot, visit: Visit) {
        let slot = usize::from(slot);
        match self.few.get_mut(slot) {
            Some(mine) => *mine = visit,
            None => self.set_among_many(slot - FEW, visit),
        }
    }

    fn set_among_many(&mut self, index: usize, visit: Visit) {
        if index >= self.many.len() {
            self.grow(index + 1);
        }
        self.many[index] = visit;
    }

    /// Indices are smaller by `by` from now on; what would be less than 0 has been dropped and is
    /// 0.
    pub(crate) fn renumber(&mut self, by: u32) {
        for visit in self.few.iter_mut().chain(&mut self.many) {
            *visit = Visit::new(visit.generation, visit.seen().saturating_sub(by), visit.effects());
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, length: usize) {
        let mut grown = vec![Visit::default(); length.next_multiple_of(FEW)].into_boxed_slice();
        grown[..self.many.len()].copy_from_slice(&self.many);
        self.many = grown;
    }
}
