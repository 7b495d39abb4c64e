//! An execution of a weak model, told as steps: who reads from which write,
//! and where that is not what SC would have.

use std::collections::BTreeMap;

use fencepost_base::ids::LocId;
use fencepost_finding::Statement;
use fencepost_ir::{Condition, Op, Quantifier};
use fencepost_model::cycle::{self, Cycle};
use fencepost_model::{EventId, Graph};
use fencepost_verdict::{Execution, Failing, FinalState, GraphStep, Race, RunStep, Site, States, Verified};

use crate::herd;
use crate::subject::Subject;
use crate::words;

/// The execution that a verification has to show, and how it ends.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    pub(crate) execution: &'a Execution,
    ending: Ending<'a>,
}

#[derive(Clone, Copy)]
enum Ending<'a> {
    Failing(&'a Failing),
    Race(&'a Race),
    State(&'a States, usize),
}

/// Is the quantifier about states of which the formula is true, or about the others?
pub(crate) fn is_about(condition: &Condition, state: &FinalState) -> bool {
    state.satisfies == (condition.quantifier != Quantifier::Forall)
}

/// The last event of an instruction before another event.
pub(crate) fn last_at(graph: &Graph, site: Site, before: EventId) -> Option<EventId> {
    graph.ids().rev().find(|&id| id < before && Site::of(graph.event(id)) == Some(site))
}

/// One step of an execution.
pub(crate) struct Step {
    pub(crate) step: RunStep,
    /// Where the value read comes from, if the step reads.
    pub(crate) from: Option<Origin>,
    /// The step, counted from 0, that has overwritten the value read, or that a write is ordered
    /// before: SC would not have it so, in this order of steps.
    pub(crate) late: Option<usize>,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It was there at the beginning.
    Initially,
    /// A step has written it, counted from 0.
    Step(usize),
}

impl<'a> Shown<'a> {
    /// What there is to show: an execution that fails, or races; otherwise one that ends in a state
    /// that the condition is about, if possible one that SC does not permit.
    pub fn of(subject: &Subject<'_>, verified: &'a Verified) -> Option<Self> {
        if let Some(failing) = &verified.failing {
            return failing.execution.as_deref().map(|execution| Shown { execution, ending: Ending::Failing(failing) });
        }
        if let Some(race) = &verified.race {
            return race.execution.as_deref().map(|execution| Shown { execution, ending: Ending::Race(race) });
        }
        let (states, condition) = (verified.states.as_ref()?, subject.program.condition()?);
        let shown = |(index, state): (usize, &'a FinalState)| {
            let execution = state.example.as_deref()?;
            is_about(condition, state).then_some(Shown { execution, ending: Ending::State(states, index) })
        };
        let all: Vec<Self> = states.list.iter().enumerate().filter_map(shown).collect();
        all.iter().find(|shown| shown.cycle().is_some()).or(all.first()).copied()
    }

    /// Each of the states that has an execution.
    pub(crate) fn each(states: &'a States) -> impl Iterator<Item = Self> {
        let shown = |(index, state): (usize, &'a FinalState)| {
            let execution = state.example.as_deref()?;
            Some(Shown { execution, ending: Ending::State(states, index) })
        };
        states.list.iter().enumerate().filter_map(shown)
    }

    /// A shortest cycle that SC forbids.
    pub(crate) fn cycle(&self) -> Option<Cycle> {
        let graph = &self.execution.graph;
        let cycles = graph.ids().filter_map(|id| cycle::shortest_through(graph, id));
        cycles.min_by_key(|cycle| cycle.steps.len())
    }

    /// How it ends.
    pub(crate) fn end(&self, subject: &Subject<'_>) -> String {
        match self.ending {
            Ending::Failing(failing) => {
                let Statement { thread, start, text, .. } = subject.statement(failing.site);
                format!(
                    "{thread}, line {}: {}: {text}",
                    start.line,
                    words::failure_kind(subject, failing.site, &failing.kind)
                )
            }
            Ending::Race(race) => {
                let side = |site: Site| format!("{}, line {}", subject.thread(site.thread), subject.line(site));
                let [access, other] = [race.pair.access, race.pair.other].map(side);
                format!("data race on {}: {other}, and {access}", subject.location(race.pair.location))
            }
            Ending::State(states, index) => herd::state(subject, states, index),
        }
    }

    /// Is the formula of the condition true in the end?
    pub(crate) fn satisfies(&self) -> bool {
        matches!(self.ending, Ending::State(states, index) if states.list[index].satisfies)
    }

    /// For every event that a step adds, the number of the step, from 1.
    pub(crate) fn step_numbers(&self, subject: &Subject<'_>) -> BTreeMap<EventId, usize> {
        let steps = self.execution.run.steps.iter().zip(&self.execution.events);
        let visible = steps.filter(|(step, _)| visible(subject, step).is_some());
        visible.enumerate().filter_map(|(index, (_, event))| Some(((*event)?, index + 1))).collect()
    }

    /// What fails in the end.
    pub(crate) fn failing(&self) -> Option<&'a Failing> {
        match self.ending {
            Ending::Failing(failing) => Some(failing),
            Ending::Race(_) | Ending::State(..) => None,
        }
    }

    /// The sides of a race in its graph, the later one first.
    pub(crate) fn racing(&self) -> Option<[EventId; 2]> {
        let Ending::Race(Race { pair, .. }) = self.ending else { return None };
        let graph = &self.execution.graph;
        let access = last_at(graph, pair.access, EventId::from_index(graph.len()))?;
        Some([access, last_at(graph, pair.other, access)?])
    }

    /// Does it end in a final state, rather than in something that goes wrong?
    pub(crate) fn is_final(&self) -> bool {
        matches!(self.ending, Ending::State(..))
    }

    /// Its steps, as far as people can see them.
    pub(crate) fn steps(&self, subject: &Subject<'_>) -> Vec<Step> {
        let graph = &self.execution.graph;
        let mut steps: Vec<Step> = Vec::new();
        // For every step, the event it adds.
        let mut events: Vec<Option<EventId>> = Vec::new();
        for (step, &event) in self.execution.run.steps.iter().zip(&self.execution.events) {
            let Some(run_step) = visible(subject, step) else { continue };
            let step_of = |id: EventId| events.iter().position(|&event| event == Some(id));
            let loc = event.and_then(|id| graph.label(id).loc()).filter(|&loc| !is_hidden(subject, loc));
            let (mut from, mut late) = (None, None);
            if let (Some(id), Some(loc)) = (event, loc) {
                let label = graph.label(id);
                let source = graph.source(id);
                from = source.and_then(|source| match graph.is_init(source) {
                    true => Some(Origin::Initially),
                    false => step_of(source).map(Origin::Step),
                });
                // A read sees what stands there; so does an update, which also writes right behind
                // that.
                let place = source.or(Some(id).filter(|_| label.is_write()));
                let behind = graph.writes(loc).iter().skip_while(|&&write| Some(write) != place).skip(1);
                late = behind.filter_map(|&write| step_of(write)).next();
            }
            steps.push(Step { step: run_step, from, late });
            events.push(event);
        }
        steps
    }
}

impl Step {
    /// What it does: `R x 0`.
    pub(crate) fn effect(&self, subject: &Subject<'_>) -> String {
        match (&self.step.label, self.step.choice) {
            (None, None) => "fence".to_string(),
            _ => subject.step_effect(&self.step),
        }
    }

    /// Where that comes from, and why it is remarkable:
    /// ` as initially, although step 2 has overwritten it`.
    pub(crate) fn remark(&self) -> String {
        let from = match (self.from, self.late) {
            (Some(Origin::Step(step)), _) => format!(" from step {}", step + 1),
            (Some(Origin::Initially), Some(_)) => " as initially".to_string(),
            _ => String::new(),
        };
        let late = match (self.from, self.late) {
            (_, None) => String::new(),
            (Some(_), Some(step)) => format!(", although step {} has overwritten it", step + 1),
            (None, Some(step)) => format!(", ordered before step {}", step + 1),
        };
        from + &late
    }
}

fn is_hidden(subject: &Subject<'_>, loc: LocId) -> bool {
    subject.program.fence_location() == Some(loc)
}

/// The step, if people can see it: what only ends an atomic section is bookkeeping.
fn visible(subject: &Subject<'_>, step: &GraphStep) -> Option<RunStep> {
    let label = step.event.map(|(label, _)| label);
    let op = &subject.program.instr(step.site.thread, step.site.pc).op;
    let is_fence = matches!(op, Op::Fence { .. } | Op::LightFence { .. });
    let is_visible = label.is_some() || step.choice.is_some() || is_fence;
    is_visible.then_some(RunStep { site: step.site, label, choice: step.choice })
}
