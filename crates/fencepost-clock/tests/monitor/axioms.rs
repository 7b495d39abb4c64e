//! C++20's axioms, literally: ISO C++20, `[atomics.order]` p3–4, and po ∪ rf is acyclic.
//!
//! An SC fence is an event of its own. Happens-before is that of RC20 (release sequences are chains
//! of read-modify-writes).

use fencepost_base::event::Label;
use fencepost_base::order::Mode;
use fencepost_model::models::rc20::{hb, sw};
use fencepost_model::rel::Rel;
use fencepost_model::{EventId, Graph};

fn is_fence(graph: &Graph, event: EventId) -> bool {
    matches!(graph.label(event), Label::Fence { mode: Mode::Sc })
}

fn is_access(graph: &Graph, event: EventId) -> bool {
    graph.label(event).mode() == Mode::Sc && !is_fence(graph, event)
}

/// The edges between SC events that a total order must agree with.
fn order(graph: &Graph, hb: &Rel, eco: &Rel) -> Rel {
    let [accesses, fences] = [is_access, is_fence].map(|is: fn(&Graph, EventId) -> bool| {
        Rel::identity_on(graph.len(), |event| is(graph, event))
    });
    let events = accesses.union(&fences);
    let po = graph.po();
    // shb = (po ∪ [SCacc];sw;[SCacc] ∪ po;hb;po)⁺
    let synchronised = accesses.then(&sw(graph)).then(&accesses);
    let shb = po.union(&synchronised).union(&po.then(hb).then(&po)).plus();
    let edges = [
        events.then(&shb).then(&events),
        accesses.then(eco).then(&accesses),
        accesses.then(eco).then(hb).then(&fences),
        fences.then(hb).then(eco).then(&accesses),
        fences.then(hb).then(eco).then(hb).then(&fences),
    ];
    edges.iter().fold(Rel::empty(graph.len()), |all, edges| all.union(edges))
}

/// Is the execution one of C++20?
pub(crate) fn permits(graph: &Graph) -> bool {
    let (rf, mo, fr, hb) = (graph.rf(), graph.mo(), graph.fr(), hb(graph));
    let eco = rf.union(&mo).union(&fr).plus();
    hb.is_irreflexive()
        && eco.is_irreflexive()
        && hb.then_is_irreflexive(&eco)
        && fr.then_is_irreflexive(&mo)
        && graph.po().union(&rf).is_acyclic()
        && order(graph, &hb, &eco).is_acyclic()
}
