//! The literal conditions of Thm 5.1 (non-robustness witness), of the steps
//! of RAG (§4.2) and of a racy state (Def. 6.1) of the PLDI 2019 paper.
//!
//! Modelled: release/acquire only. Sound and complete for execution-graph
//! robustness when asked of every state that SCG reaches (Thm 5.1, Thm 6.2).
//! Deviation: hb_SC contains reads-from on non-atomic locations; the paper's
//! does not. The two differ only in runs with a race, where both say violated.

use std::ops::ControlFlow;

use fencepost_base::ids::{LocId, ThreadId};
use fencepost_ir::Program;
use fencepost_model::models::ra::{Ra, hb};
use fencepost_model::models::sc::hb_sc;
use fencepost_model::rel::Rel;
use fencepost_model::{EventId, Graph};

use crate::enumerate::{Answer, Finding};
use crate::interpreter::Access;
use crate::system::{Configuration, Memory, Step, System};

/// What the conditions need to know about one graph.
pub struct Conditions<'a> {
    graph: &'a Graph,
    /// mo ; hb?
    observed: Rel,
    hb_sc: Rel,
}

impl<'a> Conditions<'a> {
    /// The conditions on steps from `graph`.
    pub fn new(graph: &'a Graph) -> Self {
        Conditions { graph, observed: graph.mo().then(&hb(graph).optional()), hb_sc: hb_sc(graph) }
    }

    /// Does RAG take the step, to an atomic location, with predecessor `w`?
    pub fn rag_takes(&self, step: &Step) -> bool {
        let w = step.predecessor;
        let observed = self.observed.reaches(w, |e| self.is_of(e, step.thread));
        let followed_by_rmw = self.next_in_mo(w).is_some_and(|next| self.graph.label(next).is_rmw());
        let atomicity_broken = step.label.is_write() && followed_by_rmw;
        !observed && !atomicity_broken
    }

    /// wmaxₓ ∈ `dom(hb_SC ; [E_τ])`
    pub fn is_aware_of_last_write(&self, thread: ThreadId, loc: LocId) -> bool {
        self.hb_sc.reaches(self.graph.last_write(loc), |e| self.is_of(e, thread))
    }

    /// Some write to the location behind the step's predecessor is in `dom(hb_SC ; [E_τ])`: then,
    /// and only then, does a step that RAG takes leave the SC-consistent graphs. The last write is
    /// the one that Thm 5.1 asks about.
    pub fn is_aware_of_later_write(&self, step: &Step) -> bool {
        let loc = step.label.loc().expect("an access");
        let writes = self.graph.writes(loc).iter();
        let mut later = writes.skip_while(|&&write| write != step.predecessor).skip(1);
        later.any(|&write| self.hb_sc.reaches(write, |e| self.is_of(e, step.thread)))
    }

    /// Thm 5.1: with this step of FG, ⟨q, G, τ, l, w⟩ is a non-robustness witness if SCG reaches
    /// ⟨q, G⟩.
    pub fn is_witness(&self, step: &Step) -> bool {
        let loc = step.label.loc().expect("an access");
        step.predecessor != self.graph.last_write(loc)
            && self.rag_takes(step)
            && self.is_aware_of_last_write(step.thread, loc)
    }

    fn is_of(&self, event: EventId, thread: ThreadId) -> bool {
        self.graph.event(event).thread == Some(thread)
    }

    /// The immediate successor in mo.
    fn next_in_mo(&self, w: EventId) -> Option<EventId> {
        let loc = self.graph.label(w).loc().expect("a write");
        let writes = self.graph.writes(loc);
        let position = writes.iter().position(|&write| write == w).expect("a write of the graph");
        writes.get(position + 1).copied()
    }
}

/// Def. 6.1: two threads that are about to access one non-atomic location, one of them to write it.
pub fn racy(system: &System<'_>, configuration: &Configuration) -> Option<(ThreadId, ThreadId, LocId)> {
    let plain: Vec<(ThreadId, Access)> = system
        .program()
        .thread_ids()
        .filter_map(|thread| Some((thread, system.next_access(configuration, thread)?)))
        .filter(|(_, access)| system.is_nonatomic(access.loc))
        .collect();
    for (first, a) in &plain {
        for (second, b) in &plain {
            if first != second && a.loc == b.loc && a.is_store() {
                return Some((*first, *second, a.loc));
            }
        }
    }
    None
}

/// Robustness against release/acquire by Thm 6.2: no witness on an atomic location and no racy
/// state within reach of SCG. At most `limit` states are looked at.
pub fn robust_by_theorem(program: &Program, limit: usize) -> Answer {
    let system = System::new(program, &Ra);
    let found = system.explore(Memory::Scg, limit, |configuration, _| {
        if let Some((_, thread, location)) = racy(&system, configuration) {
            return ControlFlow::Break(Finding::Race { thread, location });
        }
        let conditions = Conditions::new(&configuration.graph);
        for thread in program.thread_ids() {
            for step in system.free_steps(configuration, thread) {
                let atomic = !system.is_nonatomic(step.label.loc().expect("an access"));
                if atomic && conditions.is_witness(&step) {
                    return ControlFlow::Break(Finding::Stale { thread, label: step.label });
                }
            }
        }
        ControlFlow::Continue(())
    });
    Answer::from_search(found.map(ControlFlow::break_value))
}
