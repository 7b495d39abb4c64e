//! What the control flow says about stores and what may overtake them.

use std::collections::{BTreeSet, HashSet};

use fencepost_base::ids::{LocId, Pc, ThreadId};
use fencepost_base::order::FenceOrder;
use fencepost_ir::{Op, Place, Program};
use fencepost_model::{FenceMeaning, LightFences, Model};

/// How an instruction treats memory, as far as buffers are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Use {
    /// Reads a location.
    Load,
    /// Writes a location.
    Store,
    /// Reads and writes a location, with empty buffers only.
    Rmw,
    /// Needs empty buffers.
    Barrier,
    /// Nothing to do with memory.
    Local,
}

pub(crate) fn use_of(op: &Op) -> Use {
    match op {
        Op::Load { .. } | Op::PlainLoad { .. } | Op::Wait { .. } => Use::Load,
        Op::Store { .. } | Op::PlainStore { .. } => Use::Store,
        Op::Update { .. } | Op::Cas { .. } | Op::BlockingCas { .. } => Use::Rmw,
        Op::Fence { order: FenceOrder::Sc } | Op::Enter => Use::Barrier,
        _ => Use::Local,
    }
}

/// The locations whose earlier stores an instruction orders before later ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Covers {
    Nothing,
    Everything,
    Listed(Vec<LocId>),
}

impl Covers {
    pub(crate) fn contains(&self, loc: LocId) -> bool {
        match self {
            Covers::Nothing => false,
            Covers::Everything => true,
            Covers::Listed(locations) => locations.contains(&loc),
        }
    }
}

/// What a light fence, or a fence that is one in this model, covers.
pub(crate) fn covers(model: &dyn Model, op: &Op) -> Covers {
    match op {
        Op::Fence { order } if model.fence(*order) == FenceMeaning::Light => Covers::Everything,
        Op::LightFence { locations } => match (model.light_fences(), locations) {
            (LightFences::Ignored, _) => Covers::Nothing,
            (LightFences::All, _) | (LightFences::Listed, None) => Covers::Everything,
            (LightFences::Listed, Some(locations)) => Covers::Listed(locations.clone()),
        },
        _ => Covers::Nothing,
    }
}

/// The locations that a place can be.
pub(crate) fn locations(program: &Program, place: &Place) -> std::ops::Range<usize> {
    match place {
        Place::Fixed(loc) => loc.index()..loc.index() + 1,
        Place::Element { array, .. } => {
            let array = program.array(*array);
            array.base.index()..array.base.index() + array.len as usize
        }
    }
}

/// For every location: which threads may read it, and which may write it, two of each at most.
pub(crate) struct Users {
    readers: Vec<Few>,
    writers: Vec<Few>,
}

/// The first two different threads of several: enough to know whether there is another than a given
/// one.
#[derive(Clone, Copy, Default)]
pub(crate) struct Few([Option<ThreadId>; 2]);

impl Few {
    pub(crate) fn add(&mut self, thread: ThreadId) {
        match &mut self.0 {
            [first @ None, _] => *first = Some(thread),
            [Some(first), second @ None] if *first != thread => *second = Some(thread),
            _ => {}
        }
    }

    fn first(&self) -> Option<ThreadId> {
        self.0[0]
    }

    pub(crate) fn has_other_than(&self, thread: ThreadId) -> bool {
        self.0.iter().flatten().any(|other| *other != thread)
    }
}

impl Users {
    pub(crate) fn of(program: &Program) -> Self {
        let nobody = vec![Few::default(); program.locations().len()];
        let mut users = Users { readers: nobody.clone(), writers: nobody };
        for thread in program.thread_ids() {
            // An array is many locations: it is enough to go through them once for every kind of
            // use.
            let mut arrays = HashSet::new();
            for op in program.thread(thread).code.iter().map(|instr| &instr.op) {
                let Some(place) = op.place() else { continue };
                let usage = use_of(op);
                if let Place::Element { array, .. } = place
                    && !arrays.insert((*array, usage))
                {
                    continue;
                }
                for loc in locations(program, place) {
                    if usage != Use::Store {
                        users.readers[loc].add(thread);
                    }
                    if usage != Use::Load {
                        users.writers[loc].add(thread);
                    }
                }
            }
        }
        users
    }

    /// May a thread other than `thread` write the location?
    pub(crate) fn written_by_others(&self, loc: usize, thread: ThreadId) -> bool {
        self.writers[loc].has_other_than(thread)
    }

    /// May a thread other than `thread` access the location?
    pub(crate) fn accessed_by_others(&self, loc: usize, thread: ThreadId) -> bool {
        self.readers[loc].has_other_than(thread) || self.writers[loc].has_other_than(thread)
    }

    /// Do several threads access it?
    pub(crate) fn is_shared(&self, loc: usize) -> bool {
        let first = self.readers[loc].first().or(self.writers[loc].first());
        first.is_some_and(|first| self.accessed_by_others(loc, first))
    }
}

/// An instruction that can be reached while a store is in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Overtaker {
    pub(crate) pc: Pc,
    /// Can it be reached without a light fence that covers the store?
    pub(crate) unfenced: bool,
}

/// The ways through the code of a thread that do not empty the buffers, as far as they lead to
/// certain instructions.
pub(crate) struct Ways<'a> {
    program: &'a Program,
    thread: ThreadId,
    wanted: Vec<bool>,
    covers: Vec<Covers>,
    /// For every instruction, those after it; it leads on to the first of them that makes a
    /// difference: one that is looked for, that covers something, or where ways part. None where
    /// nothing that is looked for can be reached.
    next: Vec<Vec<usize>>,
}

impl<'a> Ways<'a> {
    /// The ways to the instructions that are `wanted`.
    pub(crate) fn new(program: &'a Program, model: &dyn Model, thread: ThreadId, wanted: Vec<bool>) -> Self {
        let code = &program.thread(thread).code;
        let is_barrier = |pc: usize| matches!(use_of(&code[pc].op), Use::Barrier | Use::Rmw);
        let successors = |pc: usize| code[pc].op.successors(Pc::from_index(pc)).into_iter().map(Pc::index);
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); code.len()];
        for pc in 0..code.len() {
            successors(pc).for_each(|next| before[next].push(pc));
        }
        let mut leads = wanted.clone();
        let mut todo: Vec<usize> = (0..code.len()).filter(|&pc| wanted[pc]).collect();
        while let Some(pc) = todo.pop() {
            for &previous in &before[pc] {
                if !leads[previous] && !is_barrier(previous) {
                    leads[previous] = true;
                    todo.push(previous);
                }
            }
        }
        // A store needs not lead anywhere itself for its successors to do so.
        let next = |pc: usize| successors(pc).filter(|&next| leads[next] && !is_barrier(next)).collect();
        let mut next: Vec<Vec<usize>> = (0..code.len()).map(next).collect();
        let covers: Vec<Covers> = code.iter().map(|instr| covers(model, &instr.op)).collect();
        let makes_a_difference =
            |pc: usize, next: &[Vec<usize>]| wanted[pc] || covers[pc] != Covers::Nothing || next[pc].len() != 1;
        // From the end, so that straight stretches of code become one step.
        for pc in (0..code.len()).rev() {
            for way in 0..next[pc].len() {
                let after = next[pc][way];
                if after > pc && !makes_a_difference(after, &next) {
                    next[pc][way] = next[after][0];
                }
            }
        }
        Ways { program, thread, wanted, covers, next }
    }

    /// What is looked for and can be reached from behind `store`, in the order of the code.
    pub(crate) fn overtakers(&self, store: Pc) -> impl Iterator<Item = Overtaker> {
        let place = self.program.instr(self.thread, store).op.place().expect("a store has a place");
        let stored = locations(self.program, place);
        let mut found: BTreeSet<Overtaker> = BTreeSet::new();
        let mut todo: Vec<(usize, bool)> = self.next[store.index()].iter().map(|&next| (next, true)).collect();
        while let Some((pc, unfenced)) = todo.pop() {
            if !found.insert(Overtaker { pc: Pc::from_index(pc), unfenced }) {
                continue;
            }
            let covers = &self.covers[pc];
            let is_covered = || stored.clone().all(|loc| covers.contains(LocId::from_index(loc)));
            let unfenced = unfenced && (*covers == Covers::Nothing || !is_covered());
            todo.extend(self.next[pc].iter().map(|&next| (next, unfenced)));
        }
        // Of an instruction that can be reached in both ways, the one without a fence comes last.
        let mut found = found.into_iter().filter(|overtaker| self.wanted[overtaker.pc.index()]).peekable();
        std::iter::from_fn(move || {
            let overtaker = found.next()?;
            Some(found.next_if(|other| other.pc == overtaker.pc).unwrap_or(overtaker))
        })
    }
}

/// The instructions that can be reached from those after `stores` without emptying the buffers on
/// the way; barriers are not among them.
pub(crate) fn beyond(program: &Program, thread: ThreadId, stores: impl Iterator<Item = Pc>) -> Vec<Pc> {
    let code = &program.thread(thread).code;
    let mut is_found = vec![false; code.len()];
    let mut todo: Vec<Pc> = stores.map(|store| Pc(store.0 + 1)).collect();
    while let Some(pc) = todo.pop() {
        let op = &code[pc.index()].op;
        if !matches!(use_of(op), Use::Barrier | Use::Rmw) && !std::mem::replace(&mut is_found[pc.index()], true) {
            todo.extend(op.successors(pc));
        }
    }
    (0..code.len()).filter(|&pc| is_found[pc]).map(Pc::from_index).collect()
}
