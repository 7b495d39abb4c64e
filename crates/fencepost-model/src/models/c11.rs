//! What the models of C and C++ have in common: synchronisation, happens-before, data races, and
//! the monitor that follows them.
//!
//! Paper: Margalit and Lahav, "Verifying Observational Robustness against a C11-Style Memory
//! Model", POPL 2021: §3.1 (synchronisation), §6 (races), §5.2 (the monitor). The models differ in
//! what they ask of SC accesses and SC fences. Release sequences are those of C++20: a write and
//! the chain of read-modify-writes that starts at it.
//!
//! All relations are given the reads-from to be used. That is the graph's own, except where some
//! reads do not count: observational robustness asks what holds whatever certain reads have read.

pub(crate) mod monitor;
pub(crate) mod views;

use fencepost_base::event::Label;
use fencepost_base::order::Mode;

use crate::graph::{EventId, Graph};
use crate::rel::Rel;

/// sw = `[E⊒rel] ; ([F] ; po)? ; rf⁺ ; (po ; [F])? ; [E⊒acq]`, where rf is that of atomic accesses.
pub(super) fn sw(graph: &Graph, rf: &Rel) -> Rel {
    let identity = |in_set: &dyn Fn(EventId) -> bool| Rel::identity_on(graph.len(), in_set);
    let is_fence = |e: EventId| matches!(graph.label(e), Label::Fence { .. } | Label::Rmw { mode: Mode::Full, .. });
    let fence = identity(&is_fence);
    let release = identity(&|e| graph.label(e).mode().releases());
    let acquire = identity(&|e| graph.label(e).mode().acquires());
    let is_atomic = |e: EventId| !graph.label(e).is_nonatomic();
    let rf = rf.filter(|write, read| is_atomic(write) && is_atomic(read));
    let po = graph.po();
    let from_fence = fence.then(&po).optional();
    let to_fence = po.then(&fence).optional();
    release.then(&from_fence).then(&rf.plus()).then(&to_fence).then(&acquire)
}

/// hb = (po ∪ sw)⁺
pub(super) fn hb(graph: &Graph, rf: &Rel) -> Rel {
    graph.po().union(&sw(graph, rf)).plus()
}

/// Def. 6.1: a conflicting access that happens-before does not order. Locations may also be
/// accessed in both ways, as in C: two atomic accesses do not race.
pub(super) fn race(graph: &Graph, event: EventId) -> Option<EventId> {
    let hb = hb(graph, &graph.rf());
    let loc = graph.label(event).loc();
    graph.ids().find(|&other| {
        other != event
            && graph.label(other).loc() == loc
            && (graph.label(other).is_nonatomic() || graph.label(event).is_nonatomic())
            && (graph.label(other).is_write() || graph.label(event).is_write())
            && !hb.contains(other, event)
            && !hb.contains(event, other)
    })
}
