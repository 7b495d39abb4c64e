//! What machines with store buffers permit, as axioms on execution graphs.
//!
//! Paper: Derevenetc, Meyer and Schweizer, "Locality and Singularity for Store-Atomic Memory
//! Models", 2015, §4 and App. A, has the machine: per thread, a queue per location feeding one
//! queue, which feeds memory. Axioms in this style are those of Alglave, Maranget and Tautschnig,
//! TOPLAS 2014. The machine itself is in the oracle, whose tests compare it with what is here.
//!
//! Modelled:
//!
//! 1. Per location, program order, reads-from, modification order and from-read agree.
//! 2. So do, globally, modification order, from-read, reads-from between threads, and what of
//!    program order the buffers preserve.
//!
//! A store and a later load may change places. With buffers per location, so may a store and a
//! later store elsewhere, unless a light fence on the first one's location is between them. Nothing
//! passes a fence, a read-modify-write or an atomic section. That no write comes between the halves
//! of a read-modify-write follows from (2).
//!
//! Not modelled: computations whose buffers never empty. Only finite ones with empty buffers at the
//! end count.

use fencepost_base::event::Label;

use crate::graph::{EventId, Graph};
use crate::model::{Buffers, FenceMeaning, Fences, LightFences};
use crate::rel::Rel;

/// What fences are where there is a buffer per location; light ones are the model's own.
pub(super) const FENCES_BETWEEN_QUEUES: Fences = Fences {
    acq: FenceMeaning::Nothing,
    rel: FenceMeaning::Light,
    acqrel: FenceMeaning::Light,
    sc: FenceMeaning::Event,
    light: LightFences::Ignored,
};

/// Is the graph one of a computation with these buffers?
pub(super) fn permits(graph: &Graph, buffers: Buffers) -> bool {
    let (rf, mo, fr) = (graph.rf(), graph.mo(), graph.fr());
    let program_order = graph.po().filter(|a, _| !graph.is_init(a));
    let communication = mo.union(&fr);
    let same_location =
        program_order.filter(|a, b| graph.label(a).loc().is_some_and(|loc| graph.label(b).loc() == Some(loc)));
    let between_threads = rf.filter(|write, read| graph.event(write).thread != graph.event(read).thread);
    same_location.union(&communication).union(&rf).is_acyclic()
        && graph.is_order(&preserved(graph, &program_order, buffers).union(&communication).union(&between_threads))
}

/// The part of program order that memory sees.
fn preserved(graph: &Graph, program_order: &Rel, buffers: Buffers) -> Rel {
    let (tied, fences) = (graph.tied(), next_fences(graph));
    let is_buffered = |a: EventId| matches!(graph.label(a), Label::Write { .. }) && !tied[a.index()];
    program_order.filter(|a, b| {
        if !is_buffered(a) || tied[b.index()] {
            return !matches!(graph.label(a), Label::LightFence { .. });
        }
        match graph.label(b) {
            Label::Read { .. } | Label::LightFence { .. } => false,
            Label::Rmw { .. } | Label::Fence { .. } => true,
            Label::Write { loc, .. } => {
                let is_fenced = fences[a.index()].is_some_and(|fence| fence < b);
                buffers == Buffers::Total || is_fenced || graph.label(a).loc() == Some(*loc)
            }
        }
    })
}

/// For every event, the next light fence of its thread that covers its location.
fn next_fences(graph: &Graph) -> Vec<Option<EventId>> {
    let is_fence = |&id: &EventId| matches!(graph.label(id), Label::LightFence { .. });
    let fences: Vec<EventId> = graph.ids().filter(is_fence).collect();
    let covers = |fence: EventId, id: EventId| match graph.label(fence) {
        Label::LightFence { loc } => fence > id && (loc.is_none() || *loc == graph.label(id).loc()),
        _ => false,
    };
    let is_of_thread = |fence: EventId, id: EventId| graph.event(fence).thread == graph.event(id).thread;
    let next = |id| fences.iter().copied().find(|&fence| covers(fence, id) && is_of_thread(fence, id));
    graph.ids().map(next).collect()
}
