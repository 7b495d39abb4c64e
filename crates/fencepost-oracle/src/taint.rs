//! SC_T: SC execution graphs with dependencies and tainted reads (Def. 5.1 and
//! Fig. 4 of the POPL 2021 paper, Margalit and Lahav), which reach ⊥ iff there
//! is a non-observational-robustness witness (Def. 4.14, Thm 5.2).
//!
//! Modelled: the paper's rules, with the axioms of any model in place of the
//! paper's conditions: a step is possible if the model permits it whatever
//! tainted reads have read ([`Model::permits_doubting`]). TAINT-READ asks for
//! an older write as ERR-SC does, and as the meaning of V^c does.
//! ERR-DEP is asked of every instruction that a thread rests at, whether or not
//! it can go on with the values it has: with stale ones it might. A plain access
//! races unless the thread is aware, whatever tainted reads have read, of all that
//! conflicts with it (§6). Beyond the paper: SC accesses; a tainted one keeps its
//! place in their order.
//!
//! Sound for observational robustness: no ⊥, no violation (Thm 4.16). Not
//! complete: ⊥ may be within reach of a program that is observationally robust (Ex. 4.19).

use std::ops::ControlFlow;

use fencepost_ir::Program;
use fencepost_model::models::sc::hb_sc;
use fencepost_model::rel::Rel;
use fencepost_model::{EventId, Model};

use crate::dependency::{Dependencies, Tracked, events_at, is_speculative, search};
use crate::enumerate::{Answer, Finding};
use crate::system::{Memory, Step};

/// Is ⊥ out of reach in SC_T (then the program is observationally robust against `model`)? At most
/// `limit` states are looked at.
pub fn observational_witness(program: &Program, model: &dyn Model, limit: usize) -> Answer {
    let dependencies = Dependencies::new(program, model);
    search(dependencies.initial(), limit, |tracked| steps(&dependencies, model, tracked))
}

/// The conditions on steps from a state of SC_T.
struct Conditions<'a> {
    model: &'a dyn Model,
    tracked: &'a Tracked,
    hb_sc: Rel,
}

impl<'a> Conditions<'a> {
    fn new(model: &'a dyn Model, tracked: &'a Tracked) -> Self {
        Conditions { model, tracked, hb_sc: hb_sc(&tracked.configuration.graph) }
    }

    /// Def. 4.13, with the axioms of the model: with this step of FG it leaves SC, whatever tainted
    /// reads have read.
    fn is_witness(&self, step: &Step) -> bool {
        let graph = &self.tracked.configuration.graph;
        let last = graph.last_write(step.label.loc().expect("an access"));
        let is_of = |e: EventId| graph.event(e).thread == Some(step.thread);
        let after = &step.after.graph;
        let tainted = events_at(after, &self.tracked.taint);
        step.predecessor != last
            && (is_of(last) || self.hb_sc.reaches(last, is_of))
            && self.model.permits_doubting(after, &|e| tainted.contains(&e))
    }

    /// Is the plain access in a race, whatever tainted reads have read?
    fn is_race(&self, step: &Step) -> bool {
        let after = &step.after.graph;
        let tainted = events_at(after, &self.tracked.taint);
        let event = after.thread_events(step.thread).next_back().expect("the access");
        self.model.race(&after.without_reads(|e| tainted.contains(&e)), event).is_some()
    }
}

/// The next states, or how ⊥ is reached.
fn steps(dependencies: &Dependencies<'_>, model: &dyn Model, tracked: &Tracked) -> ControlFlow<Finding, Vec<Tracked>> {
    let system = &dependencies.system;
    let configuration = &tracked.configuration;
    let conditions = Conditions::new(model, tracked);
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
