//! The tree of decisions: what was decided where, what is still to be decided, who sleeps.
//!
//! A node stands for what comes after some decisions. It is kept as long as there is a run to make
//! below it, so there are never many more than the longest run has steps.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_protocol::exploration::{Decision, Sleeper, Step, first_way, sleeps, sleeps_in, wake};

use crate::clock::Race;
use crate::{Divergence, Task};

pub(crate) type NodeId = u64;

#[derive(Debug)]
struct Made {
    decision: Decision,
    /// The step that was taken; none while the first run is not over.
    step: Option<Step>,
    /// What it is expected to be.
    expected: Sleeper,
}

#[derive(Debug)]
struct Node {
    /// Whence, and with which decision there.
    parent: Option<(NodeId, Decision)>,
    depth: usize,
    /// What was decided here, in order.
    made: Vec<Made>,
    /// What is still to be decided, and the steps that are expected to be taken then.
    todo: Vec<(Decision, Sleeper)>,
    /// Who sleeps.
    sleepers: Vec<Sleeper>,
    /// Nodes below, and runs that pass here and are not over.
    users: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: BTreeMap<NodeId, Node>,
    next: NodeId,
    /// Nodes where there is something to decide, by depth.
    open: BTreeSet<(usize, NodeId)>,
}

impl Tree {
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The deepest decision that is still to be made.
    pub(crate) fn next(&mut self) -> Option<Task> {
        let &(depth, id) = self.open.last()?;
        let node = self.nodes.get_mut(&id)?;
        let (decision, expected) = node.todo.pop()?;
        if node.todo.is_empty() {
            self.open.remove(&(depth, id));
        }
        let known = node.made.iter().filter(|made| made.decision.thread != decision.thread);
        let sleeper = |made: &Made| match &made.step {
            Some(step) => Sleeper::of(made.decision.thread, step),
            None => made.expected,
        };
        let mut sleepers: Vec<Sleeper> = known.map(sleeper).collect();
        // What was gone here sleeps again, whoever woke it before.
        let is_made = |old: &&Sleeper| {
            node.made.iter().any(|made| (made.decision.thread, made.decision.choice) == (old.thread, old.choice.into()))
        };
        let old = node.sleepers.iter().filter(|sleeper| sleeper.thread != decision.thread && !is_made(sleeper));
        sleepers.extend(old);
        node.made.push(Made { decision, step: None, expected });
        let (mut path, mut decisions) = (vec![id], vec![decision]);
        let mut at = id;
        while let Some((parent, decision)) = self.nodes[&at].parent {
            path.push(parent);
            decisions.push(decision);
            at = parent;
        }
        path.reverse();
        decisions.reverse();
        for id in &path {
            self.nodes.get_mut(id).into_iter().for_each(|node| node.users += 1);
        }
        Some(Task { decisions, sleepers, path })
    }

    /// Has the run done what earlier ones did?
    pub(crate) fn check(&self, task: &Task, steps: &[Step]) -> Result<(), Box<Divergence>> {
        let mut taken = steps.iter().filter(|step| step.is_decided() && !step.is_pending());
        for (number, decision) in task.decisions.iter().enumerate() {
            let found = taken.next().copied();
            let made = self.nodes[&task.path[number]].made.iter().find(|made| made.decision == *decision);
            let expected = made.and_then(|made| made.step);
            let is_same = found.is_some_and(|found| {
                let is_chosen = (found.thread, found.choice) == (decision.thread, decision.choice);
                is_chosen
                    && expected.is_none_or(|expected| {
                        let of = |step: Step| (step.kind, step.object, step.pc, step.read, step.written);
                        of(found) == of(expected)
                    })
            });
            if !is_same {
                return Err(Box::new(Divergence { expected, found }));
            }
        }
        Ok(())
    }

    /// Adds the nodes of a run. Returns one for each of its decisions.
    pub(crate) fn extend(&mut self, task: &Task, steps: &[Step]) -> Vec<NodeId> {
        let decided: Vec<(usize, &Step)> =
            steps.iter().enumerate().filter(|(_, step)| step.is_decided() && !step.is_pending()).collect();
        let mut path = task.path.clone();
        let mut sleepers = task.sleepers.clone();
        let known = task.decisions.len();
        for (depth, &(at, step)) in decided.iter().enumerate() {
            if depth + 1 < known {
                continue;
            }
            let decision = Decision::new(step.thread, step.choice);
            if depth + 1 == known {
                let node = self.nodes.get_mut(&path[depth]);
                let made = node.and_then(|node| node.made.iter_mut().find(|made| made.decision == decision));
                made.into_iter().for_each(|made| made.step = Some(*step));
            } else {
                let parent = path.last().copied();
                let via = decided.get(depth.wrapping_sub(1)).map(|(_, step)| *step);
                let id = self.next;
                self.next += 1;
                if let Some(parent) = parent.and_then(|parent| self.nodes.get_mut(&parent)) {
                    parent.users += 1;
                }
                let parent = parent.zip(via).map(|(id, step)| (id, Decision::new(step.thread, step.choice)));
                let expected = Sleeper::of(step.thread, step);
                let made = vec![Made { decision, step: Some(*step), expected }];
                let node = Node { parent, depth, made, todo: Vec::new(), sleepers: sleepers.clone(), users: 1 };
                self.nodes.insert(id, node);
                path.push(id);
            }
            let end = decided.get(depth + 1).map_or(steps.len(), |&(next, _)| next);
            for done in &steps[at..end] {
                wake(&mut sleepers, done);
            }
            for choice in 0..step.choices {
                let expected = Sleeper::expected(step.thread, &Step { choice, ..*step });
                self.decide(path[depth], Decision::new(step.thread, choice), expected);
            }
        }
        path
    }

    fn decide(&mut self, id: NodeId, decision: Decision, expected: Sleeper) {
        let Some(node) = self.nodes.get_mut(&id) else { return };
        let is_known = node.made.iter().any(|made| made.decision == decision)
            || node.todo.iter().any(|(other, _)| *other == decision);
        if is_known || sleeps_in(&node.sleepers, decision) {
            return;
        }
        // The other ways of a step come before other threads, for which its thread sleeps.
        match node.made.iter().any(|made| made.decision.thread == decision.thread) {
            false => node.todo.insert(0, (decision, expected)),
            true => node.todo.push((decision, expected)),
        }
        self.open.insert((node.depth, id));
    }

    /// The second step of a race is to come before the first in some run.
    pub(crate) fn reverse(&mut self, path: &[NodeId], race: &Race, steps: &[Step]) {
        let Some(&id) = path.get(race.decision) else { return };
        let Some(node) = self.nodes.get(&id) else { return };
        let is_there = |&step: &usize| {
            let thread = steps[step].thread;
            node.made.iter().any(|made| made.decision.thread == thread)
                || node.todo.iter().any(|(decision, _)| decision.thread == thread)
                || sleeps(&node.sleepers, thread)
        };
        if race.initials.iter().any(is_there) {
            return;
        }
        if let Some(step) = race.initials.first().map(|&step| &steps[step]) {
            let choice = first_way(&node.sleepers, step.thread);
            let expected = Sleeper::expected(step.thread, &Step { choice, ..*step });
            self.decide(id, Decision::new(step.thread, choice), expected);
        }
    }

    /// The last decision of the task was none.
    pub(crate) fn give_up(&mut self, task: &Task) {
        // It stays in the list, so that it is not tried again; nobody sleeps because of it.
        self.leave(&task.path);
    }

    /// A run that passed these nodes is over.
    pub(crate) fn leave(&mut self, path: &[NodeId]) {
        for &id in path.iter().rev() {
            let Some(node) = self.nodes.get_mut(&id) else { continue };
            node.users -= 1;
            if node.users == 0 && node.todo.is_empty() {
                let parent = node.parent;
                self.nodes.remove(&id);
                if let Some(parent) = parent.and_then(|(parent, _)| self.nodes.get_mut(&parent)) {
                    parent.users -= 1;
                }
            }
        }
    }

    /// How much of what is known has been explored.
    pub(crate) fn share(&self) -> f64 {
        let Some(&(_, mut at)) = self.open.last() else { return if self.nodes.is_empty() { 1.0 } else { 0.0 } };
        let mut ways = Vec::new();
        loop {
            let node = &self.nodes[&at];
            ways.push((node.made.len() as f64, (node.made.len() + node.todo.len()) as f64));
            match node.parent {
                Some((parent, _)) => at = parent,
                None => break,
            }
        }
        let (mut share, mut weight) = (0.0, 1.0);
        let last = ways.len() - 1;
        for (number, (made, all)) in ways.into_iter().rev().enumerate() {
            // Above the last node, what was decided last is not over.
            let over = if number == last { made } else { made - 1.0 };
            share += weight * over / all;
            weight /= all;
        }
        share
    }
}
