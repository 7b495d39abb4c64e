//! What threads can still do to memory, as far as their control flow tells.

use fencepost_base::ids::{LocId, Pc, ThreadId};
use fencepost_base::order::FenceOrder;
use fencepost_ir::{Op, Place, Program};
use fencepost_model::{FenceMeaning, Model};

use crate::threads::{StateId, Threads};

/// For every thread, instruction and location: over-approximations that know no values.
pub(crate) struct Future {
    written: Vec<Vec<Vec<bool>>>,
    accessed: Vec<Vec<Vec<bool>>>,
}

impl Future {
    pub(crate) fn new(program: &Program, model: &dyn Model) -> Self {
        let of = |counts: &dyn Fn(&Op) -> bool| -> Vec<Vec<Vec<bool>>> {
            program.thread_ids().map(|thread| closure(program, model, thread, counts)).collect()
        };
        let writes = |op: &Op| !matches!(op, Op::Load { .. } | Op::PlainLoad { .. } | Op::Wait { .. });
        Future { written: of(&writes), accessed: of(&|_| true) }
    }

    /// Can the thread, in this state, still write to `loc`?
    pub(crate) fn writes(&self, threads: &Threads<'_>, thread: ThreadId, state: StateId, loc: LocId) -> bool {
        self.written[thread.index()][threads.local(thread, state).pc.index()][loc.index()]
    }

    /// Can it still access `loc`?
    pub(crate) fn accesses(&self, threads: &Threads<'_>, thread: ThreadId, state: StateId, loc: LocId) -> bool {
        self.accessed[thread.index()][threads.local(thread, state).pc.index()][loc.index()]
    }
}

/// For every instruction of a thread, the locations of the instructions that count from there on.
fn closure(program: &Program, model: &dyn Model, thread: ThreadId, counts: &dyn Fn(&Op) -> bool) -> Vec<Vec<bool>> {
    let code = &program.thread(thread).code;
    let mut sets = vec![vec![false; program.locations().len()]; code.len()];
    for (set, instr) in sets.iter_mut().zip(code) {
        let range = match (instr.op.place(), &instr.op) {
            (Some(Place::Fixed(loc)), _) => loc.index()..loc.index() + 1,
            (Some(Place::Element { array, .. }), _) => {
                let array = program.array(*array);
                array.base.index()..array.base.index() + array.len as usize
            }
            (None, Op::Fence { order: FenceOrder::Sc }) if model.fence(FenceOrder::Sc) == FenceMeaning::HiddenRmw => {
                let hidden = program.fence_location().expect("programs with such a fence have its location");
                hidden.index()..hidden.index() + 1
            }
            _ => continue,
        };
        if counts(&instr.op) {
            set[range].fill(true);
        }
    }
    // Most control flow goes forwards: from the end, until nothing changes.
    let mut changed = true;
    while changed {
        changed = false;
        for pc in (0..code.len()).rev() {
            for next in code[pc].op.successors(Pc::from_index(pc)) {
                let after = sets[next.index()].clone();
                for (mine, _) in sets[pc].iter_mut().zip(&after).filter(|(mine, theirs)| **theirs && !**mine) {
                    (*mine, changed) = (true, true);
                }
            }
        }
    }
    sets
}
