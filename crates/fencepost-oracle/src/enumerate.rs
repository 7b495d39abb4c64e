//! Robustness of small programs, by enumerating their execution graphs.
//!
//! Paper: PLDI 2019, Def. 4.9 and §6. Modelled: programs whose graphs are few
//! (loop-free ones, in practice); everything else is [`Answer::TooLarge`].
//! Sound and complete where it answers, for models whose consistent graphs can
//! be grown event by event (prefixes of consistent graphs are consistent).
//!
//! Three decisions that share as little as possible: [`robust`] looks for a
//! graph that the model permits and SC does not; [`robust_by_inclusion`]
//! compares the sets of reachable ⟨q, G⟩; [`crate::theorem::robust_by_theorem`]
//! looks for witnesses in runs of SCG.

use std::collections::HashSet;
use std::ops::ControlFlow;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_ir::Program;
use fencepost_model::models::sc::Sc;
use fencepost_model::{EventId, Model};

use crate::interpreter::Rest;
use crate::system::{Configuration, LimitReached, Memory, Step, System};

/// The answer to: is the program robust?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is.
    Robust,
    /// It is not.
    Violation(Finding),
    /// Not decided: more states than allowed.
    TooLarge,
}

/// Why a program is not robust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The model lets a thread take a step that leaves the graphs of SC.
    Stale {
        /// The thread.
        thread: ThreadId,
        /// Its step.
        label: Label,
    },
    /// There is a race on a non-atomic location.
    Race {
        /// The thread about to access it.
        thread: ThreadId,
        /// The location.
        location: LocId,
    },
    /// An instruction depends on a read that could have been stale.
    Dependent {
        /// The thread.
        thread: ThreadId,
    },
    /// The model reaches a state, ⟨q, G⟩ or ⊥, that SC does not reach.
    Escape,
}

impl Answer {
    /// Was a violation found?
    pub fn is_violation(self) -> bool {
        matches!(self, Answer::Violation(_))
    }

    pub(crate) fn from_search(found: Result<Option<Finding>, LimitReached>) -> Answer {
        match found {
            Ok(None) => Answer::Robust,
            Ok(Some(finding)) => Answer::Violation(finding),
            Err(LimitReached) => Answer::TooLarge,
        }
    }
}

/// Robustness against `model`: every graph within its reach is one of SC, and no non-atomic access
/// within its reach races. At most `limit` states are looked at.
pub fn robust(program: &Program, model: &dyn Model, limit: usize) -> Answer {
    let system = System::new(program, model);
    let found = system.explore(Memory::Consistent(model), limit, |configuration, steps| {
        if program.has_sections() && !Sc.permits(&configuration.graph) {
            return ControlFlow::Break(Finding::Escape);
        }
        if let Some(race) = race(model, steps) {
            return ControlFlow::Break(race);
        }
        match steps.iter().find(|step| !Sc.permits(&step.after.graph)) {
            Some(step) => ControlFlow::Break(Finding::Stale { thread: step.thread, label: step.label }),
            None => ControlFlow::Continue(()),
        }
    });
    Answer::from_search(found.map(ControlFlow::break_value))
}

/// Robustness against `model` as Def. 4.9 states it: every ⟨q, G⟩ (and ⊥) that is reachable in the
/// model is reachable in SCG. At most `limit` states of each are looked at.
pub fn robust_by_inclusion(program: &Program, model: &dyn Model, limit: usize) -> Answer {
    let system = System::new(program, model);
    let reachable = |memory| system.reachable(memory, limit);
    let (Ok(weak), Ok(strong)) = (reachable(Memory::Consistent(model)), reachable(Memory::Scg)) else {
        return Answer::TooLarge;
    };
    let races = |configuration: &Configuration| {
        program.thread_ids().any(|thread| race(model, &system.free_steps(configuration, thread)).is_some())
    };
    let reaches_bottom = weak.iter().any(races);
    match reaches_bottom || !weak.is_subset(&strong) {
        true => Answer::Violation(Finding::Escape),
        false => Answer::Robust,
    }
}

/// The states ⟨q, G⟩ of `program` that SC reaches, in one of two ways: SCG steps, or SC-consistent
/// graphs.
pub fn sc_reachable(program: &Program, model: &dyn Model, limit: usize, scg: bool) -> Option<HashSet<Configuration>> {
    let memory = if scg { Memory::Scg } else { Memory::Consistent(&Sc) };
    System::new(program, model).reachable(memory, limit).ok()
}

/// Does an assertion fail, or a run-time error happen, in some SC run? `None` when there are more
/// than `limit` states.
pub fn fails_under_sc(program: &Program, model: &dyn Model, limit: usize) -> Option<bool> {
    fails(program, model, Memory::Scg, limit)
}

/// The same in some run of the model itself. Races count for nothing here.
pub fn fails_under(program: &Program, model: &dyn Model, limit: usize) -> Option<bool> {
    fails(program, model, Memory::Consistent(model), limit)
}

fn fails(program: &Program, model: &dyn Model, memory: Memory<'_>, limit: usize) -> Option<bool> {
    let system = System::new(program, model);
    let failed = |configuration: &Configuration| {
        let rest = |thread: ThreadId| system.interpreter().rest(thread, &configuration.threads[thread.index()]);
        program.thread_ids().any(|thread| matches!(rest(thread), Rest::Failed(_)))
    };
    let found = system.explore(memory, limit, |configuration, _| match failed(configuration) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    found.ok().map(|end| end.is_break())
}

/// A step that is an access in a race: it is plain, or an earlier one of the same location is.
pub(crate) fn race(model: &dyn Model, steps: &[Step]) -> Option<Finding> {
    let mut racing = steps.iter().filter(|step| {
        let graph = &step.after.graph;
        let is_plain =
            |e: EventId| graph.label(e).is_nonatomic() && !graph.is_init(e) && graph.label(e).loc() == step.label.loc();
        if !graph.ids().any(is_plain) {
            return false;
        }
        let event = graph.thread_events(step.thread).next_back().expect("the step added an event");
        model.race(graph, event).is_some()
    });
    racing.next().map(|step| Finding::Race { thread: step.thread, location: step.label.loc().expect("an access") })
}
