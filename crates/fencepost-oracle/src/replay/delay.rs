//! Computations with store buffers: replayed on the machine, then brought into
//! the form of all witnesses, an SC run and one step that leaves SC.
//!
//! Paper: Derevenetc, Meyer and Schweizer, 2015, §5: a computation violates
//! robustness if its happens-before trace has a cycle. Nothing here knows
//! which computations are enough to look at: whatever this one is, the
//! machine must be able to follow it ([`super::computation`]), SC must forbid
//! its trace, and the model's axioms must permit it.
//!
//! From trace to run: units that nothing follows in program order, and nobody
//! reads from, can be taken away, and a trace of the machine is left. The
//! shortest prefix with a cycle, in an order in which the thread that delays goes last where
//! it can, ends with the unit that leaves SC; what its cycle does not need is
//! taken away too, and what comes before it, without a cycle, is an SC run.

use std::collections::BTreeSet;

use fencepost_base::ids::ThreadId;
use fencepost_ir::Program;
use fencepost_model::models::sc::Sc;
use fencepost_model::rel::Rel;
use fencepost_model::{EventId, Graph, Model, cycle};
use fencepost_verdict::{Delay, Run, Violation};

use super::computation::{Executed, follow_delay};
use super::{Replay, ReplayError, error};
use crate::buffers::Origin;

/// Replays the computation, and derives the violation from its trace.
pub(super) fn replay(program: &Program, model: &dyn Model, delay: &Delay) -> Result<Violation, ReplayError> {
    let executed = follow_delay(program, model, delay)?;
    if Sc.permits(&executed.graph) {
        return error("the computation is like an SC run: its trace has no cycle");
    }
    if !model.permits(&executed.graph) {
        return error(format!("a trace of the machine that the axioms of {} do not permit", model.name()));
    }
    let order = executed.growth(delay.store.thread)?;
    let lengths: Vec<usize> = (0..order.len()).collect();
    // One unit more makes a cycle, and cycles do not go away.
    let before = lengths.partition_point(|&length| Sc.permits(&executed.restricted(&order[..=length]).0));
    let Some(&last) = order.get(before) else { return error("SC permits all that is in the run") };
    let needed = executed.needed(&order[..=before], last)?;
    let rest: Vec<usize> = needed.iter().copied().filter(|&unit| unit != last).collect();
    let run = executed.run(&rest)?;
    let replay = Replay::of(program, model, &run, None)?;
    let unit = &executed.units[last];
    let violation = match unit.steps.as_slice() {
        [step] if !unit.is_section => replay.stale(&run, step.site)?,
        inside => replay.stale_section(&run, inside, executed.predecessors(&needed, last))?,
    };
    Ok(Violation { delay: Some(delay.clone()), ..violation })
}

impl Executed {
    /// For every event the unit it is in.
    fn unit_of(&self) -> Vec<Option<usize>> {
        let mut unit_of = vec![None; self.graph.len()];
        for (index, unit) in self.units.iter().enumerate() {
            unit.events.iter().for_each(|event| unit_of[event.index()] = Some(index));
        }
        unit_of
    }

    /// What each unit needs to be there: the one before in its thread, and those it reads from.
    fn needs(&self) -> Vec<BTreeSet<usize>> {
        let unit_of = self.unit_of();
        let mut latest: Vec<Option<usize>> = Vec::new();
        let mut needs = Vec::new();
        for (index, unit) in self.units.iter().enumerate() {
            let thread = unit.thread.index();
            latest.resize(latest.len().max(thread + 1), None);
            let sources = unit.events.iter().filter_map(|&event| unit_of[self.graph.source(event)?.index()]);
            needs.push(sources.chain(latest[thread]).filter(|&needed| needed != index).collect());
            latest[thread] = Some(index);
        }
        needs
    }

    /// An order of all units in which the trace can grow, those of `late` as late as possible.
    fn growth(&self, late: ThreadId) -> Result<Vec<usize>, ReplayError> {
        let key = |unit: usize| (self.units[unit].thread == late, unit);
        let needs: Vec<Vec<usize>> = self.needs().into_iter().map(|needs| needs.into_iter().collect()).collect();
        let all: Vec<usize> = (0..self.units.len()).collect();
        match sorted(&all, &needs, key) {
            Some(order) => Ok(order),
            None => error("program order and reads-from of a computation have a cycle"),
        }
    }

    /// The graph of these units, and for each of its events the one it is here.
    fn restricted(&self, units: &[usize]) -> (Graph, Vec<EventId>) {
        let mut keep: Vec<bool> = self.graph.ids().map(|id| self.graph.is_init(id)).collect();
        units.iter().flat_map(|&unit| &self.units[unit].events).for_each(|event| keep[event.index()] = true);
        let kept = self.graph.ids().filter(|id| keep[id.index()]).collect();
        (self.graph.restricted(|id| keep[id.index()]), kept)
    }

    /// Of these units, what a cycle through `last` needs.
    fn needed(&self, units: &[usize], last: usize) -> Result<BTreeSet<usize>, ReplayError> {
        let (graph, kept) = self.restricted(units);
        let own = self.units[last].events.last().and_then(|event| kept.binary_search(event).ok());
        let Some(cycle) = own.and_then(|event| cycle::shortest_through(&graph, EventId::from_index(event))) else {
            return error("SC forbids the trace, yet no cycle passes through its last step");
        };
        let (unit_of, needs) = (self.unit_of(), self.needs());
        let mut needed = BTreeSet::new();
        let mut open: Vec<usize> =
            cycle.steps.iter().filter_map(|(event, _)| unit_of[kept[event.index()].index()]).collect();
        while let Some(unit) = open.pop() {
            if needed.insert(unit) {
                open.extend(&needs[unit]);
            }
        }
        Ok(needed)
    }

    /// The SC run of these units.
    fn run(&self, units: &[usize]) -> Result<Run, ReplayError> {
        let graph = &self.graph;
        let unit_of = self.unit_of();
        let before: Rel = graph.po().union(&graph.rf()).union(&graph.mo()).union(&graph.fr());
        let mut needs: Vec<Vec<usize>> = self.needs().into_iter().map(|needs| needs.into_iter().collect()).collect();
        for (a, b) in before.pairs() {
            if let (Some(a), Some(b)) = (unit_of[a.index()], unit_of[b.index()])
                && a != b
            {
                needs[b].push(a);
            }
        }
        match sorted(units, &needs, |unit| unit) {
            Some(order) => {
                Ok(Run { steps: order.into_iter().flat_map(|unit| self.units[unit].steps.clone()).collect() })
            }
            None => error("a trace without a cycle has no order"),
        }
    }

    /// The predecessors of the accesses of unit `last` in the graph of these units.
    fn predecessors(&self, units: &BTreeSet<usize>, last: usize) -> Vec<Origin> {
        let units: Vec<usize> = units.iter().copied().collect();
        let (graph, kept) = self.restricted(&units);
        let own = |event: &&EventId| self.units[last].events.contains(event);
        let accesses = kept.iter().enumerate().filter(|(_, event)| own(event)).map(|(id, _)| EventId::from_index(id));
        accesses
            .filter_map(|access| graph.predecessor(access))
            .map(|write| match graph.event(write).thread {
                None => Origin::Initial,
                Some(thread) => {
                    let position = graph.thread_events(thread).take_while(|&event| event != write).count();
                    Origin::Event { thread, position }
                }
            })
            .collect()
    }
}

/// These units, each after those of them it needs, the least by `key` first; none if there is no
/// such order.
fn sorted<K: Ord>(units: &[usize], needs: &[Vec<usize>], key: impl Fn(usize) -> K) -> Option<Vec<usize>> {
    let mut missing = vec![None; needs.len()];
    units.iter().for_each(|&unit| missing[unit] = Some(0));
    let mut followers = vec![Vec::new(); needs.len()];
    for &unit in units {
        for &needed in needs[unit].iter().filter(|&&needed| units.binary_search(&needed).is_ok()) {
            *missing[unit].as_mut()? += 1;
            followers[needed].push(unit);
        }
    }
    let mut ready: BTreeSet<(K, usize)> =
        units.iter().filter(|&&unit| missing[unit] == Some(0)).map(|&unit| (key(unit), unit)).collect();
    let mut order = Vec::new();
    while let Some((_, unit)) = ready.pop_first() {
        order.push(unit);
        for &follower in &followers[unit] {
            let count = missing[follower].as_mut()?;
            *count -= 1;
            if *count == 0 {
                ready.insert((key(follower), follower));
            }
        }
    }
    (order.len() == units.len()).then_some(order)
}
