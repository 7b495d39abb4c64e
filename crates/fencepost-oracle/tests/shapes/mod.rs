//! What a test of a monitor tells it about the program.

use fencepost_base::order::{FenceOrder, Mode};
use fencepost_ir::{Op, Place, Program};
use fencepost_model::{Shape, ThreadShape};

/// The orders in which an instruction accesses atomic locations: reading, writing.
fn modes(op: &Op) -> (Vec<Mode>, Option<Mode>) {
    match op {
        Op::Load { order, .. } | Op::Wait { order, .. } => (vec![(*order).into()], None),
        Op::Store { order, .. } => (Vec::new(), Some((*order).into())),
        Op::Cas { success, failure, .. } => (vec![(*success).into(), (*failure).into()], Some((*success).into())),
        Op::Update { order, .. } | Op::BlockingCas { order, .. } => (vec![(*order).into()], Some((*order).into())),
        _ => (Vec::new(), None),
    }
}

/// What the monitor needs to know, from the text of the program; views that nobody needs are there
/// if `generous`.
pub(crate) fn shape(program: &Program, classes: Vec<usize>, generous: bool) -> Shape {
    let mut shape = Shape::simple(program.threads().len(), classes);
    for thread in program.thread_ids() {
        let ops = || program.thread(thread).code.iter().map(|instr| &instr.op);
        let fences = |weaker: FenceOrder| ops().any(|op| matches!(op, Op::Fence { order } if *order != weaker));
        let relaxed_reads = ops().flat_map(|op| modes(op).0).any(|mode| !mode.acquires());
        let relaxed_writes = ops().filter_map(|op| modes(op).1).any(|mode| !mode.releases());
        let is_sc = |op: &Op| modes(op).0.contains(&Mode::Sc) || modes(op).1 == Some(Mode::Sc);
        shape.threads[thread.index()] = ThreadShape {
            acquire_fence: fences(FenceOrder::Rel) && (generous || relaxed_reads),
            release_fence: fences(FenceOrder::Acq) && (generous || relaxed_writes),
        };
        shape.relaxed_writes |= relaxed_writes && !fences(FenceOrder::Acq);
        shape.sc_accesses |= ops().any(is_sc);
        shape.sc_fences |= ops().any(|op| matches!(op, Op::Fence { order: FenceOrder::Sc }));
        for place in ops().filter(|op| matches!(op, Op::PlainLoad { .. } | Op::PlainStore { .. })).filter_map(Op::place)
        {
            let locations = match place {
                Place::Fixed(loc) => loc.index()..loc.index() + 1,
                Place::Element { array, .. } => {
                    let array = program.array(*array);
                    array.base.index()..array.base.index() + array.len as usize
                }
            };
            for accessed_by in &mut shape.plain[locations] {
                if accessed_by.last() != Some(&thread) {
                    accessed_by.push(thread);
                }
            }
        }
    }
    shape
}
