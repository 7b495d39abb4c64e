//! SC_T: SC execution graphs with dependencies and tainted reads (Def. 5.1 and
//! Fig. 4 of the POPL 2021 paper, Margalit and Lahav), which reach ⊥ iff there
//! is a non-observational-robustness witness (Def. 4.14, Thm 5.2).
//!
//! Modelled: the paper's rules; in TAINT-READ the condition
//! `wmaxₓ ∉ dom(rf_T̄? ; hb_T̄ ; [E_τ])` is asked as "some older write is not in
//! `dom(mo ; rf_T̄? ; hb_T̄? ; [E_τ])`", as in ERR-SC and in the meaning of V^c.
//! ERR-DEP is asked of every instruction that a thread rests at, whether or not
//! it can go on with the values it has: with stale ones it might. A plain access
//! races unless the thread is aware, by hb_T̄, of all that conflicts with it (§6);
//! initialisation is known. Beyond the paper: SC accesses, with hb_T̄ in their
//! rule; a tainted SC read keeps its place in their order.
//!
//! Sound for observational robustness: no ⊥, no violation (Thm 4.16). Not
//! complete: ⊥ may be within reach of a program that is observationally robust (Ex. 4.19).

use std::ops::ControlFlow;

use fencepost_ir::Program;
use fencepost_model::models::rc20::Rc20;

use crate::dependency::{Dependencies, Tracked, is_speculative, search};
use crate::enumerate::{Answer, Finding};
use crate::system::{Memory, Step};
use crate::witness::Conditions;

/// Is ⊥ out of reach in SC_T (then the program is observationally robust against RC20)? At most
/// `limit` states are looked at.
pub fn observational_witness(program: &Program, limit: usize) -> Answer {
    let dependencies = Dependencies::new(program, &Rc20);
    search(dependencies.initial(), limit, |tracked| steps(&dependencies, tracked))
}

/// The next states, or how ⊥ is reached.
fn steps(dependencies: &Dependencies<'_>, tracked: &Tracked) -> ControlFlow<Finding, Vec<Tracked>> {
    let system = &dependencies.system;
    let configuration = &tracked.configuration;
    let conditions = Conditions::tainted(&configuration.graph, &tracked.events(&tracked.taint));
    let mut next = Vec::new();
    for thread in system.program().thread_ids() {
        // ERR-DEP
        if dependencies.uses_taint(tracked, thread) {
            return ControlFlow::Break(Finding::Dependent { thread });
        }
        let op = dependencies.next(tracked, thread);
        let speculative = |step: &&Step| is_speculative(op, &step.label);
        let (atomic, plain): (Vec<Step>, Vec<Step>) =
            system.free_steps(configuration, thread).into_iter().partition(|step| !step.label.is_nonatomic());
        // ERR-SC
        if let Some(step) = atomic.iter().find(|step| !speculative(step) && conditions.is_witness(step)) {
            return ControlFlow::Break(Finding::Stale { thread, label: step.label });
        }
        // The step of §6
        if let Some(step) = plain.iter().find(|step| conditions.is_race(step)) {
            let location = step.label.loc().expect("an access");
            return ControlFlow::Break(Finding::Race { thread, location });
        }
        // SILENT/FENCE/CONTROL
        next.extend(dependencies.after_silent_steps(tracked, thread));
        // NON-READ, READ and TAINT-READ
        let tainted = atomic.iter().filter(speculative).any(|step| conditions.is_witness(step));
        for step in system.steps(Memory::Scg, configuration, thread) {
            let mut before = tracked.clone();
            if tainted && speculative(&&step) {
                before.taint.insert((thread, configuration.graph.thread_events(thread).count()));
            }
            next.push(dependencies.after(&before, &step));
        }
    }
    ControlFlow::Continue(next)
}
