//! What the control flow says about stores and what may overtake them.

use fencepost_base::ids::{LocId, Pc, ThreadId};
use fencepost_base::order::FenceOrder;
use fencepost_ir::{Op, Place, Program};
use fencepost_model::{FenceMeaning, LightFences, Model};

/// How an instruction treats memory, as far as buffers are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// For every location: which threads may read it, and which may write it.
pub(crate) struct Users {
    readers: Vec<Vec<ThreadId>>,
    writers: Vec<Vec<ThreadId>>,
}

impl Users {
    pub(crate) fn of(program: &Program) -> Self {
        let nobody = vec![Vec::new(); program.locations().len()];
        let mut users = Users { readers: nobody.clone(), writers: nobody };
        for thread in program.thread_ids() {
            for op in program.thread(thread).code.iter().map(|instr| &instr.op) {
                let Some(place) = op.place() else { continue };
                let usage = use_of(op);
                for loc in locations(program, place) {
                    if usage != Use::Store && !users.readers[loc].contains(&thread) {
                        users.readers[loc].push(thread);
                    }
                    if usage != Use::Load && !users.writers[loc].contains(&thread) {
                        users.writers[loc].push(thread);
                    }
                }
            }
        }
        users
    }

    fn others(threads: &[ThreadId], thread: ThreadId) -> bool {
        threads.iter().any(|other| *other != thread)
    }

    /// May a thread other than `thread` write the location?
    pub(crate) fn written_by_others(&self, loc: usize, thread: ThreadId) -> bool {
        Self::others(&self.writers[loc], thread)
    }

    /// May a thread other than `thread` access the location?
    pub(crate) fn accessed_by_others(&self, loc: usize, thread: ThreadId) -> bool {
        Self::others(&self.readers[loc], thread) || Self::others(&self.writers[loc], thread)
    }

    /// Do several threads access it?
    pub(crate) fn is_shared(&self, loc: usize) -> bool {
        let first = self.readers[loc].first().or(self.writers[loc].first());
        first.is_some_and(|&first| self.accessed_by_others(loc, first))
    }
}

/// An instruction that can be reached while a store is in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overtaker {
    pub(crate) pc: Pc,
    /// Can it be reached without a light fence that covers the store?
    pub(crate) unfenced: bool,
}

/// The instructions that can be reached from the one after `store` without emptying the buffers on the way; barriers
/// are not among them.
pub(crate) fn overtakers(program: &Program, model: &dyn Model, thread: ThreadId, store: Pc) -> Vec<Overtaker> {
    let code = &program.thread(thread).code;
    let place = code[store.index()].op.place().expect("a store has a place");
    let stored = locations(program, place);
    let mut found: Vec<[bool; 2]> = vec![[false; 2]; code.len()];
    let mut todo: Vec<(Pc, bool)> = vec![(Pc(store.0 + 1), true)];
    while let Some((pc, unfenced)) = todo.pop() {
        let op = &code[pc.index()].op;
        if matches!(use_of(op), Use::Barrier | Use::Rmw) || found[pc.index()][usize::from(unfenced)] {
            continue;
        }
        found[pc.index()][usize::from(unfenced)] = true;
        let covers = covers(model, op);
        let unfenced = unfenced && !stored.clone().all(|loc| covers.contains(LocId::from_index(loc)));
        todo.extend(op.successors(pc).into_iter().map(|next| (next, unfenced)));
    }
    let overtaker = |(pc, [fenced, unfenced]): (usize, [bool; 2])| {
        (fenced || unfenced).then(|| Overtaker { pc: Pc::from_index(pc), unfenced })
    };
    found.into_iter().enumerate().filter_map(overtaker).collect()
}
