//! What can be asked, and which nodes, potentials and races it is about.

use std::collections::{BTreeSet, HashMap};

use fencepost_analysis::interpreter::Rest;
use fencepost_base::ids::{LocId, Value};
use fencepost_ir::{LocationKind, Program};
use fencepost_verdict::{Budget, Reason};

use crate::FinalStates;
use crate::automaton::{Access, Automaton, Node};
use crate::local::{Local, Locals};
use crate::losra::{RaceQuestion, Target};

/// A question about reachability.
pub(crate) enum Question<'a> {
    /// A failing assertion or a run-time error.
    Failure,
    /// A final state.
    End(&'a FinalStates<'a>),
    /// A write/write race.
    WriteRace,
    /// A data race on a non-atomic location.
    DataRace,
}

/// The classes of the states of a thread: what the question must tell apart.
#[derive(Default)]
pub(crate) struct Classes {
    /// For every state, its class.
    pub(crate) of: Vec<u32>,
    /// For a question about final states: the values of the registers that matter, of class 1, 2, …
    finals: Vec<Vec<Value>>,
    /// Their classes.
    numbers: HashMap<Vec<Value>, u32>,
}

impl Question<'_> {
    /// The classes of the states of each thread.
    pub(crate) fn classes(&self, locals: &Locals) -> Vec<Classes> {
        let classes = |(thread, local): (usize, &Local)| {
            let mut classes = Classes::default();
            for (state, rest) in local.states.iter().zip(&local.rests) {
                let class = match (self, rest) {
                    (Question::Failure, Rest::Failed(_)) => 1,
                    (Question::End(states), Rest::Halted) => {
                        let mine = states.registers.iter().filter(|(owner, _)| owner.index() == thread);
                        classes.of_final(mine.map(|(_, reg)| state.registers[reg.index()]).collect())
                    }
                    _ => 0,
                };
                classes.of.push(class);
            }
            classes
        };
        locals.threads.iter().enumerate().map(classes).collect()
    }

    /// The races to look for: an access of a thread, where another thread writes.
    pub(crate) fn races(&self, program: &Program, threads: &[Automaton]) -> Vec<RaceQuestion> {
        let mut races = Vec::new();
        if !matches!(self, Question::WriteRace | Question::DataRace) {
            return races;
        }
        // For every location, who writes it, and who makes accesses of it that the question is
        // about.
        let mut writers = vec![BTreeSet::new(); program.locations().len()];
        let mut accessed_by = vec![BTreeSet::new(); program.locations().len()];
        for (thread, automaton) in threads.iter().enumerate() {
            for (loc, _) in automaton.writes.iter().filter_map(|(access, _)| access.written()) {
                writers[loc.index()].insert(thread);
            }
            let steps = automaton.nodes().flat_map(|node| &automaton.steps[node as usize]);
            for loc in steps.filter_map(|(access, _)| self.racing_location(access)) {
                accessed_by[loc.index()].insert(thread);
            }
        }
        for loc in (0..program.locations().len()).map(LocId::from_index) {
            if matches!(self, Question::DataRace) && program.location(loc).kind != LocationKind::NonAtomic {
                continue;
            }
            let has_others = |thread: usize| writers[loc.index()].iter().any(|&other| other != thread);
            let racing = accessed_by[loc.index()].iter().copied().filter(|&thread| has_others(thread));
            races.extend(racing.map(|thread| RaceQuestion { loc, thread }));
        }
        races
    }

    /// The targets of the search.
    ///
    /// # Errors
    /// When there are more combinations of final values than states allowed.
    pub(crate) fn targets(
        &self,
        locals: &Locals,
        classes: &[Classes],
        threads: &[Automaton],
        races: &[RaceQuestion],
        budget: &Budget<'_>,
    ) -> Result<Vec<Target>, Reason> {
        let at = |thread: usize, node: Node, race: Option<usize>| {
            let mut nodes = vec![None; threads.len()];
            nodes[thread] = Some(node);
            Target { nodes, memory: Vec::new(), race }
        };
        let mut targets = Vec::new();
        match self {
            Question::Failure => {
                for (thread, automaton) in threads.iter().enumerate() {
                    let failing = automaton.nodes().filter(|&node| automaton.class[node as usize] == 1);
                    targets.extend(failing.map(|node| at(thread, node, None)));
                }
            }
            Question::End(states) => return final_targets(states, locals, classes, threads, budget),
            Question::WriteRace | Question::DataRace => {
                for (number, race) in races.iter().enumerate() {
                    if (budget.expired)() {
                        return Err(Reason::Time);
                    }
                    let automaton = &threads[race.thread];
                    let is_racing = |node: &Node| self.racing_access(automaton, *node, race.loc).is_some();
                    targets.extend(automaton.nodes().filter(is_racing).map(|node| at(race.thread, node, Some(number))));
                }
            }
        }
        Ok(targets)
    }

    /// An access of `loc` that a thread can make at this node, if it is one that the question is
    /// about.
    pub(crate) fn racing_access(&self, automaton: &Automaton, node: Node, loc: LocId) -> Option<Access> {
        let mut accesses = automaton.steps[node as usize].iter().map(|&(access, _)| access);
        accesses.find(|access| self.racing_location(access) == Some(loc))
    }

    /// The location of an access, if it is one that the question is about.
    fn racing_location(&self, access: &Access) -> Option<LocId> {
        match *access {
            Access::Write { loc, .. } => Some(loc),
            Access::Read { loc, .. } => matches!(self, Question::DataRace).then_some(loc),
            Access::Rmw { .. } => None,
        }
    }
}

impl Classes {
    fn of_final(&mut self, values: Vec<Value>) -> u32 {
        let next = self.finals.len() as u32 + 1;
        *self.numbers.entry(values).or_insert_with_key(|values| {
            self.finals.push(values.clone());
            next
        })
    }
}

/// Every combination of final values of threads and locations that the question is about.
fn final_targets(
    states: &FinalStates<'_>,
    locals: &Locals,
    classes: &[Classes],
    threads: &[Automaton],
    budget: &Budget<'_>,
) -> Result<Vec<Target>, Reason> {
    let held: Vec<Vec<Value>> =
        states.locations.iter().map(|loc| locals.held[loc.index()].iter().copied().collect()).collect();
    let sizes: Vec<usize> =
        classes.iter().map(|classes| classes.finals.len()).chain(held.iter().map(Vec::len)).collect();
    let count = sizes.iter().fold(1u64, |count, &size| count.saturating_mul(size as u64));
    if count > budget.max_states {
        return Err(Reason::States(budget.max_states));
    }
    let mut targets = Vec::new();
    for number in 0..count {
        if number.is_multiple_of(1024) && (budget.expired)() {
            return Err(Reason::Time);
        }
        let mut rest = number;
        let digits: Vec<usize> = sizes
            .iter()
            .map(|&size| {
                let digit = (rest % size as u64) as usize;
                rest /= size as u64;
                digit
            })
            .collect();
        let (chosen, values) = digits.split_at(threads.len());
        let mut taken = vec![0; threads.len()];
        let registers: Vec<Value> = states
            .registers
            .iter()
            .map(|(thread, _)| {
                let thread = thread.index();
                taken[thread] += 1;
                classes[thread].finals[chosen[thread]][taken[thread] - 1]
            })
            .collect();
        let memory: Vec<Value> = values.iter().zip(&held).map(|(&digit, held)| held[digit]).collect();
        if (states.holds)(&registers, &memory) {
            let node_of = |(automaton, &class): (&Automaton, &usize)| {
                automaton.nodes().find(|&node| automaton.class[node as usize] == class as u32 + 1)
            };
            let nodes = threads.iter().zip(chosen).map(node_of).collect();
            let memory = states.locations.iter().copied().zip(memory).collect();
            targets.push(Target { nodes, memory, race: None });
        }
    }
    Ok(targets)
}
