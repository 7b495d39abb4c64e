//! Observational robustness, as defined (Def. 4.9 of the POPL
//! 2021 paper, Margalit and Lahav): no consistent graph has a cycle in
//! `hb_SC^dp = (po ∪ rf ∪ mo ∪ [dom(dp) ∪ R*] ; fr)⁺`, and none is racy (Def. 6.2).
//!
//! Modelled: small programs, by enumerating their consistent graphs with
//! dependencies ([`crate::dependency`]). Sound and complete where it answers.

use std::ops::ControlFlow;

use fencepost_ir::Program;
use fencepost_model::Model;

use crate::dependency::{Dependencies, Tracked, search};
use crate::enumerate::{Answer, Finding, race};
use crate::system::{Memory, Step};

/// Is the program observationally robust against `model`? At most `limit` states are looked at.
pub fn observationally_robust(program: &Program, model: &dyn Model, limit: usize) -> Answer {
    let dependencies = Dependencies::new(program, model);
    search(dependencies.initial(), limit, |tracked| {
        if has_observable_cycle(tracked) {
            return ControlFlow::Break(Finding::Escape);
        }
        let mut next = Vec::new();
        for thread in program.thread_ids() {
            let configuration = &tracked.configuration;
            let steps: Vec<Step> = dependencies.system.steps(Memory::Consistent(model), configuration, thread);
            if let Some(race) = race(model, &steps) {
                return ControlFlow::Break(race);
            }
            next.extend(dependencies.after_silent_steps(tracked, thread));
            next.extend(steps.iter().map(|step| dependencies.after(tracked, step)));
        }
        ControlFlow::Continue(next)
    })
}

/// Is there a cycle in `hb_SC^dp`?
fn has_observable_cycle(tracked: &Tracked) -> bool {
    let graph = &tracked.configuration.graph;
    let (used, blocking) = (tracked.events(&tracked.used), tracked.events(&tracked.blocking));
    let observed = graph.fr().filter(|read, _| used.contains(&read) || blocking.contains(&read));
    !graph.po().union(&graph.rf()).union(&graph.mo()).union(&observed).is_acyclic()
}
