//! What machines with store buffers permit, as axioms on execution graphs.
//!
//! Paper: Derevenetc, Meyer and Schweizer, "Locality and Singularity for
//! Store-Atomic Memory Models", 2015, §4 and App. A, has the machine: per
//! thread, a queue per location feeding one queue, which feeds memory. Axioms
//! in this style are those of Alglave, Maranget and Tautschnig, TOPLAS 2014. The
//! machine itself is in the oracle, whose tests compare it with what is here.
//!
//! Modelled: (1) per location, program order, reads-from, modification order
//! and from-read agree; (2) so do, globally, modification order, from-read,
//! reads-from between threads, and what of program order the buffers preserve.
//! A store and a later load may change places; with buffers per location also
//! a store and a later store elsewhere, unless a light fence on the first one's
//! location is between them. Nothing passes a fence, a read-modify-write or
//! an atomic section. That no write comes between the halves of a
//! read-modify-write follows from (2).
//!
//! Not modelled: computations whose buffers never empty; only finite ones with empty buffers at the end count.

use fencepost_base::event::Label;
use fencepost_base::order::FenceOrder;

use crate::graph::{EventId, Graph};
use crate::model::{Buffers, FenceMeaning};
use crate::rel::Rel;

/// What fences are where there is a buffer per location.
pub(super) fn fence_between_queues(order: FenceOrder) -> FenceMeaning {
    match order {
        FenceOrder::Sc => FenceMeaning::Event,
        FenceOrder::Rel | FenceOrder::AcqRel => FenceMeaning::Light,
        FenceOrder::Acq => FenceMeaning::Nothing,
    }
}

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
    let is_buffered = |a: EventId| matches!(graph.label(a), Label::Write { .. }) && !graph.is_tied(a);
    program_order.filter(|a, b| {
        if !is_buffered(a) || graph.is_tied(b) {
            return !matches!(graph.label(a), Label::LightFence { .. });
        }
        match graph.label(b) {
            Label::Read { .. } | Label::LightFence { .. } => false,
            Label::Rmw { .. } | Label::Fence { .. } => true,
            Label::Write { .. } => buffers == Buffers::Total || keeps_their_order(graph, a, b),
        }
    })
}

/// Do two stores of one thread reach memory in program order although there is a buffer per location?
fn keeps_their_order(graph: &Graph, a: EventId, b: EventId) -> bool {
    let stored = graph.label(a).loc();
    let covers = |label: &Label| matches!(label, Label::LightFence { loc } if loc.is_none() || *loc == stored);
    let is_between = |e: EventId| a < e && e < b && graph.event(e).thread == graph.event(a).thread;
    stored == graph.label(b).loc() || graph.ids().any(|e| is_between(e) && covers(graph.label(e)))
}
