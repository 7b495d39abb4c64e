//! The literal conditions of Def. 4.5 of the POPL 2021 paper (Margalit and
//! Lahav): non-robustness witnesses against RC20, extended by the rule of SC
//! accesses.
//!
//! Modelled: all of RC20 but races. The rule of SC accesses, which the paper
//! does not have, is that of [`fencepost_model::models::rc20`]: a step that is an
//! SC access needs a write w with no SC write after it in mo that is in
//! `dom(S? ; [SC] ; hb? ; [E_τ])`, where S is the order of SC accesses. Sound and complete
//! for robustness when asked of every state that SC reaches (Thm 4.6).

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_base::order::Mode;
use fencepost_model::models::sc::hb_sc;
use fencepost_model::rel::Rel;
use fencepost_model::{EventId, Graph};

use crate::system::Step;

/// What the conditions need to know about one graph.
pub struct Conditions<'a> {
    graph: &'a Graph,
    hb_sc: Rel,
    /// `mo ; rf? ; hb?`
    aware: Rel,
    /// `mo ; [W ∩ SC] ; S? ; [SC] ; hb?`
    in_order: Rel,
}

impl<'a> Conditions<'a> {
    /// The conditions on steps from `graph`.
    pub fn new(graph: &'a Graph) -> Self {
        let identity = |in_set: &dyn Fn(EventId) -> bool| Rel::identity_on(graph.len(), in_set);
        let mode = |e: EventId| graph.label(e).mode();
        let rf = graph.rf();
        let fence = identity(&|e| matches!(graph.label(e), Label::Fence { .. }) || mode(e) == Mode::Full);
        let po = graph.po();
        let sw = identity(&|e| mode(e).releases())
            .then(&fence.then(&po).optional())
            .then(&rf.plus())
            .then(&po.then(&fence).optional())
            .then(&identity(&|e| mode(e).acquires()));
        let hb = po.union(&sw).plus();
        let is_sc = |e: EventId| mode(e) == Mode::Sc;
        let order = hb.union(&graph.mo()).union(&graph.fr()).filter(|a, b| is_sc(a) && is_sc(b)).plus();
        let sc_writes = identity(&|e| is_sc(e) && graph.label(e).is_write());
        Conditions {
            graph,
            hb_sc: hb_sc(graph),
            aware: graph.mo().then(&rf.optional()).then(&hb.optional()),
            in_order: graph.mo().then(&sc_writes).then(&order.optional()).then(&hb.optional()),
        }
    }

    /// `w ∉ dom(mo ; rf? ; hb? ; [E_τ])`, and an update right behind w leaves no room for a
    /// write.
    pub fn is_coherent(&self, step: &Step) -> bool {
        let w = step.predecessor;
        let read_by_rmw = |e: EventId| self.graph.label(e).is_rmw() && self.graph.source(e) == Some(w);
        let room = !step.label.is_write() || !self.graph.ids().any(read_by_rmw);
        room && !self.reaches(&self.aware, w, step.thread)
    }

    /// Is the step permitted, behind its predecessor write?
    pub fn permits(&self, step: &Step) -> bool {
        let in_order = || !self.reaches(&self.in_order, step.predecessor, step.thread);
        self.is_coherent(step) && (step.label.mode() != Mode::Sc || in_order())
    }

    /// `wmaxₓ ∈ dom(hb_SC? ; [E_τ])`
    pub fn is_aware_of_last_write(&self, thread: ThreadId, loc: LocId) -> bool {
        let last = self.graph.last_write(loc);
        self.is_of(last, thread) || self.reaches(&self.hb_sc, last, thread)
    }

    /// Def. 4.5: with this step of FG, ⟨q, G, τ, l⟩ is a non-robustness witness if SC reaches ⟨q,
    /// G⟩.
    pub fn is_witness(&self, step: &Step) -> bool {
        let loc = step.label.loc().expect("an access");
        step.predecessor != self.graph.last_write(loc)
            && self.permits(step)
            && self.is_aware_of_last_write(step.thread, loc)
    }

    fn reaches(&self, path: &Rel, from: EventId, thread: ThreadId) -> bool {
        path.reaches(from, |e| self.is_of(e, thread))
    }

    fn is_of(&self, event: EventId, thread: ThreadId) -> bool {
        self.graph.event(event).thread == Some(thread)
    }
}
