//! Which thread has which slot, and what threads that are over leave to later ones.
//!
//! **Slots** are the places of threads in clocks. They are used again once their thread is over.
//! That is exact if the creator knows everything of the predecessor, which is the ordinary case
//! (workers that were joined). Otherwise a new slot is taken while there are any.
//!
//! When there are none, a thread gets the slot of one that its creator does not know everything of.
//! It counts as created when all threads that are over had been joined. This orders more than there
//! is order, so data races can be missed and none is invented. But who hears of such a thread's
//! writes hears of its predecessor's, which would invent robustness violations: there are none from
//! then on.

use fencepost_clock::{Epochs, Slot, SyncObject, ThreadClocks};

use super::Tid;
use super::seen::Cache;
use crate::lock::Guarded;
use crate::memory;
use crate::race;
use crate::report;
use crate::stacks::CallStack;
use crate::stats::Counters;

/// What the user is told when a slot is used again whose last occupant may still matter.
pub(super) const OUT_OF_SLOTS: &str = "more threads than can be told apart, most of them never joined: \
    robustness violations are not reported from now on, and some data races are not seen";

/// What is taken over by later threads.
pub(super) struct Inherited {
    pub(super) calls: CallStack,
    pub(super) cache: &'static Cache,
    pub(super) counters: &'static Counters,
}

impl Inherited {
    fn new() -> Self {
        let cache: *const Cache = memory::map_table(size_of::<Cache>()).cast();
        // SAFETY: the table is large enough, aligned to a page, and never unmapped; zeroes stand
        // for no variable.
        let cache = unsafe { &*cache };
        Inherited { calls: CallStack::new(), cache, counters: memory::keep(Counters::default()) }
    }
}

/// Who has a slot, from which write and from which epoch on.
#[derive(Clone, Copy)]
struct Occupant {
    slot: Slot,
    first_write: u32,
    first_epoch: u32,
    tid: Tid,
}

/// What is known of a slot.
struct SlotState {
    free: bool,
    /// The last epoch of the last occupant.
    last: u32,
    /// Where the next occupant goes on.
    epochs: Epochs,
}

/// Slots and who has them.
pub(super) struct Registry {
    threads: Tid,
    slots: Vec<SlotState>,
    /// Who was in which slot, in order of time.
    occupants: Vec<Occupant>,
    /// What threads that are over have left.
    left: Vec<Inherited>,
    /// Those of all threads.
    counters: Vec<&'static Counters>,
    lives: u32,
    /// What threads that are over knew.
    known: Option<SyncObject>,
}

/// A place for a thread.
pub(super) struct Room {
    pub(super) slot: Slot,
    pub(super) epochs: Epochs,
    /// May its last occupant have done something that the thread does not know of?
    pub(super) is_strange: bool,
}

// SAFETY: what is inherited is handed from one thread to the next, never shared.
unsafe impl Send for Registry {}

pub(super) static REGISTRY: Guarded<Registry> = Guarded::new(Registry {
    threads: 0,
    slots: Vec::new(),
    occupants: Vec::new(),
    left: Vec::new(),
    counters: Vec::new(),
    lives: 0,
    known: None,
});

impl Registry {
    /// The number of a new thread.
    pub(super) fn new_tid(&mut self) -> Tid {
        self.threads += 1;
        self.threads
    }

    /// A slot for a thread whose creator is `parent`, and the epochs it begins with.
    pub(super) fn room(&mut self, parent: Option<&ThreadClocks>) -> Option<Room> {
        let known = |slot: usize, state: &SlotState| {
            state.free && parent.is_some_and(|parent| parent.knows(slot as Slot, state.last))
        };
        let usable = |state: &SlotState| state.last < race::LAST_EPOCH / 2 && !state.epochs.is_worn_out();
        let mut found = self.slots.iter().enumerate().position(|(slot, state)| known(slot, state) && usable(state));
        if found.is_none() && self.slots.len() < race::SLOTS {
            self.slots.push(SlotState { free: true, last: 0, epochs: Epochs::default() });
            found = Some(self.slots.len() - 1);
        }
        let is_strange = found.is_none();
        // Better a predecessor whose accesses count as one's own, which hides races, than no slot.
        let found = found.or_else(|| self.slots.iter().position(|state| state.free && usable(state)))?;
        let state = &mut self.slots[found];
        state.free = false;
        Some(Room { slot: found as Slot, epochs: state.epochs, is_strange })
    }

    /// Lets a thread know all that its predecessor knew: what is in clocks by its slot says that it
    /// does.
    pub(super) fn tell_predecessor(&self, clocks: &mut ThreadClocks) {
        if let Some(known) = &self.known {
            known.acquire(clocks);
        }
        report::stop_robustness();
    }

    /// `tid`, which has these clocks, has their slot from now on.
    pub(super) fn occupy(&mut self, clocks: &ThreadClocks, tid: Tid) {
        // Only the last occupants of a slot can still be named by a history.
        if self.occupants.len() > 16 * race::SLOTS {
            self.occupants.drain(..8 * race::SLOTS);
        }
        let (first_write, first_epoch) = (clocks.writes(), clocks.epoch());
        self.occupants.push(Occupant { slot: clocks.slot(), first_write, first_epoch, tid });
    }

    /// What an earlier thread has left, or all new.
    pub(super) fn inherit(&mut self) -> Inherited {
        self.left.pop().unwrap_or_else(|| {
            let new = Inherited::new();
            self.counters.push(new.counters);
            new
        })
    }

    /// Keeps what a thread that is over leaves.
    pub(super) fn leave(&mut self, inherited: Inherited) {
        inherited.calls.clear();
        self.left.push(inherited);
    }

    /// A number for a thread in a slot.
    pub(super) fn new_life(&mut self) -> u32 {
        self.lives += 1;
        self.lives
    }

    /// The thread with these clocks is over: others may have its slot.
    pub(super) fn vacate(&mut self, clocks: &mut ThreadClocks) {
        self.known.get_or_insert_default().release_join(clocks);
        let state = &mut self.slots[usize::from(clocks.slot())];
        state.free = true;
        state.last = clocks.epoch();
        state.epochs = clocks.finished();
    }
}

/// The last thread in `slot` of which this holds.
fn last(slot: Slot, holds: impl Fn(&Occupant) -> bool) -> Option<Occupant> {
    let registry = REGISTRY.lock();
    registry.occupants.iter().rev().find(|occupant| occupant.slot == slot && holds(occupant)).copied()
}

/// The thread that had `slot` when it made its write number `n`; 0 if that is forgotten.
pub(crate) fn occupant(slot: Slot, n: u32) -> Tid {
    last(slot, |occupant| occupant.first_write <= n).map_or(0, |occupant| occupant.tid)
}

/// The thread that had `slot` in epoch `k`, and how many epochs it had there before; thread 0 if
/// that is forgotten.
pub(crate) fn occupant_in(slot: Slot, k: u32) -> (Tid, u32) {
    let found = last(slot, |occupant| occupant.first_epoch <= k);
    found.map_or((0, 0), |occupant| (occupant.tid, k - occupant.first_epoch))
}

/// The number of threads so far, and what they have counted.
pub(crate) fn count() -> (Tid, Vec<&'static Counters>) {
    let registry = REGISTRY.lock();
    (registry.threads, registry.counters.clone())
}
