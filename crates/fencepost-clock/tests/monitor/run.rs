//! The monitor, following a run.

use std::collections::HashMap;

use fencepost_clock::{Access, Epochs, Finding, Limits, Location, Order, Slot, SyncObject, ThreadClocks};

use crate::trace::{Kind, OBJECTS, Op};

/// Nothing is ever dropped.
pub(crate) const UNBOUNDED: Limits = Limits { history: 1 << 20, sightings: 1 << 20 };

/// Which slots threads get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slots {
    /// Each thread its own.
    Fresh,
    /// One that was used before, as soon as this is allowed.
    Reused,
    /// Each thread its own, most of them not among those that are kept in the clocks themselves.
    Far,
    /// Now and then a thread moves to a new one.
    Roaming,
    /// Threads move to a new one after every step.
    Restless,
}

/// The monitor of a whole program.
#[derive(Clone)]
pub(crate) struct Monitor {
    pub(crate) threads: Vec<ThreadClocks>,
    pub(crate) locations: Vec<Location>,
    objects: Vec<SyncObject>,
    pub(crate) limits: Limits,
    slots: Slots,
    next_slot: Slot,
    /// Slots of finished threads, with their last epochs.
    retired: Vec<(Slot, u32, Epochs)>,
    /// How many steps there were.
    time: u32,
    /// For each thread and location, the thread's last load, or its store, until there is another
    /// write.
    loaded: HashMap<(usize, usize), Loaded>,
}

/// A load that was made, or a store, which counts as an acquire load of what it has written.
#[derive(Clone, Copy)]
struct Loaded {
    order: Order,
    slot: Slot,
    /// Generation, epoch and number of writes after it.
    counts: (u32, u32, u32),
    /// Does another one tell the monitor something in any case?
    is_told: bool,
}

impl Loaded {
    fn new(thread: &ThreadClocks, order: Order) -> Self {
        let is_told = order.is_sc() && thread.has_acquired_sc();
        Loaded { order, slot: thread.slot(), counts: counts(thread), is_told }
    }

    /// Has it had all effects of a load of this order, by the thread in the slot that it has now?
    fn covers(&self, thread: &ThreadClocks, order: Order) -> bool {
        let includes = (self.order.acquires() || !order.acquires()) && (self.order.is_sc() || !order.is_sc());
        includes && self.slot == thread.slot()
    }
}

fn counts(thread: &ThreadClocks) -> (u32, u32, u32) {
    (thread.generation(), thread.epoch(), thread.writes())
}

impl Monitor {
    pub(crate) fn new(locations: usize, limits: Limits, slots: Slots) -> Self {
        Monitor {
            threads: vec![ThreadClocks::new(0, Epochs::default())],
            locations: vec![Location::new(0); locations],
            objects: vec![SyncObject::new(); OBJECTS],
            limits,
            slots,
            next_slot: if slots == Slots::Far { 7 } else { 1 },
            retired: Vec::new(),
            time: 0,
            loaded: HashMap::new(),
        }
    }

    /// A location that was changed otherwise than by a step: there is no load to be made again.
    pub(crate) fn forget_loads(&mut self, x: usize) {
        self.loaded.retain(|&(_, location), _| location != x);
    }

    fn fresh_slot(&mut self) -> Slot {
        self.next_slot += 1;
        self.next_slot - 1
    }

    fn slot_for_child_of(&mut self, t: usize) -> (Slot, Epochs) {
        let parent = &self.threads[t];
        let reusable = self.retired.iter().position(|&(slot, last, _)| parent.knows(slot, last));
        match reusable {
            Some(position) if self.slots == Slots::Reused => {
                let (slot, _, epochs) = self.retired.remove(position);
                (slot, epochs)
            }
            _ => (self.fresh_slot(), Epochs::default()),
        }
    }

    /// A step that is not followed.
    pub(crate) fn pass(&mut self) {
        self.time += 1;
    }

    /// Follows one step. Step number i, from 1, is the call site of its write.
    pub(crate) fn step(&mut self, op: Op) {
        self.time += 1;
        let (site, limits) = (self.time, self.limits);
        let actor = match op {
            Op::Access { t, x, kind, order, value } => {
                let (thread, location) = (&mut self.threads[t], &mut self.locations[x]);
                match kind {
                    Kind::Read => {
                        // The short ways for loads that are repeated, as the runtime takes them.
                        let loaded = self.loaded.get(&(t, x)).filter(|loaded| loaded.covers(thread, order)).copied();
                        let effects = match loaded {
                            Some(loaded) if loaded.counts == counts(thread) && !loaded.is_told => loaded.order,
                            Some(loaded) if loaded.counts.0 == thread.generation() => {
                                location.load_again(thread, order);
                                if order.is_sc() || !loaded.order.is_sc() { loaded.order } else { Order::Acquire }
                            }
                            Some(_) => {
                                location.load_again_knowing_more(thread, order, limits);
                                order
                            }
                            None => {
                                location.load(thread, order, limits);
                                order
                            }
                        };
                        self.loaded.insert((t, x), Loaded::new(thread, effects));
                    }
                    Kind::Write => location.store(thread, order, value, site, limits),
                    Kind::Rmw => location.rmw(thread, order, value, site, limits),
                }
                if kind != Kind::Read {
                    self.loaded.retain(|&(_, location), _| location != x);
                }
                if kind == Kind::Write {
                    let order = if order.is_sc() { order } else { Order::Acquire };
                    self.loaded.insert((t, x), Loaded::new(&self.threads[t], order));
                }
                t
            }
            Op::Fence { t, order } => {
                self.threads[t].fence(order);
                t
            }
            Op::Plain { t } => {
                // What comes afterwards can be told from it.
                self.threads[t].end_epoch();
                t
            }
            Op::Spawn { t, child } => {
                let (slot, epochs) = self.slot_for_child_of(t);
                assert_eq!(child, self.threads.len());
                let child = self.threads[t].spawn(slot, epochs);
                self.threads.push(child);
                t
            }
            Op::Join { t, child } => {
                let child = self.threads[child].clone();
                self.threads[t].join(&child);
                self.retired.push((child.slot(), child.epoch(), child.finished()));
                t
            }
            Op::Acquire { t, object } => {
                self.objects[object].acquire(&mut self.threads[t]);
                t
            }
            Op::Release { t, object, join } => {
                let (thread, object) = (&mut self.threads[t], &mut self.objects[object]);
                if join {
                    object.release_join(thread)
                } else {
                    object.release(thread)
                }
                t
            }
        };
        if self.slots == Slots::Restless || self.slots == Slots::Roaming && self.time.is_multiple_of(5) {
            let slot = self.fresh_slot();
            self.threads[actor].move_to(slot, Epochs::default());
        }
    }

    pub(crate) fn check(&self, t: usize, x: usize, access: Access, order: Order) -> Finding {
        self.locations[x].check(&self.threads[t], access, order)
    }
}
