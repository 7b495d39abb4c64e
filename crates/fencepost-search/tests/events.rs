//! RC20 with the order of SC events that C++20 has: SC fences are events, not updates of a hidden
//! location ([atomics.order], paragraphs 3 and 4).

use std::sync::LazyLock;

use fencepost_base::event::Label;
use fencepost_base::order::Mode;
use fencepost_model::models::rc20::{Rc20, hb, sw};
use fencepost_model::{Declaration, EventId, FenceMeaning, Fences, Graph, Model};

pub(crate) struct Events;

static DECLARATION: LazyLock<Declaration> = LazyLock::new(|| {
    let rc20 = Rc20.declaration();
    Declaration { name: "events", fences: Fences { sc: FenceMeaning::Event, ..rc20.fences }, ..*rc20 }
});

impl Model for Events {
    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn permits(&self, graph: &Graph) -> bool {
        let (po, rf, mo, fr, hb) = (graph.po(), graph.rf(), graph.mo(), graph.fr(), hb(graph));
        let eco = mo.union(&rf).union(&fr).plus();
        let is_sc = |e: EventId| graph.label(e).mode() == Mode::Sc;
        let is_fence = |e: EventId| is_sc(e) && matches!(graph.label(e), Label::Fence { .. });
        let is_access = |e: EventId| is_sc(e) && !is_fence(e);
        let sw_of_accesses = sw(graph).filter(|a, b| is_access(a) && is_access(b));
        let shb = po.union(&sw_of_accesses).union(&po.then(&hb).then(&po)).plus();
        let hb_or_same = hb.optional();
        let order = shb
            .filter(|a, b| is_sc(a) && is_sc(b))
            .union(&eco.filter(|a, b| is_access(a) && is_access(b)))
            .union(&eco.then(&hb_or_same).filter(|a, b| is_access(a) && is_fence(b)))
            .union(&hb_or_same.then(&eco).filter(|a, b| is_fence(a) && is_access(b)))
            .union(&hb_or_same.then(&eco).then(&hb_or_same).filter(|a, b| is_fence(a) && is_fence(b)));
        let coherence = hb.then_is_irreflexive(&eco) && eco.is_irreflexive();
        let atomicity = fr.then_is_irreflexive(&mo);
        coherence && atomicity && po.union(&rf).is_acyclic() && order.is_acyclic()
    }

    fn race(&self, graph: &Graph, event: EventId) -> Option<EventId> {
        Rc20.race(graph, event)
    }
}
