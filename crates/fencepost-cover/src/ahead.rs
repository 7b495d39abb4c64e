//! A look ahead from the initial state: which combinations of entries, and of
//! last writes to locations that are updated, can there be at all?
//!
//! An over-approximation of opSRA, explored forwards once: the last write to
//! a location is exact, and decides what a read-modify-write can read; a
//! read may see any value that somebody can have written on the way to where
//! it is now. Backward configurations outside are hopeless: dropping them
//! keeps the search complete. It sees, for instance, that locks taken by
//! read-modify-writes exclude each other.

use std::collections::VecDeque;

use fencepost_base::ids::LocId;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use crate::automaton::{Access, Automaton, Node};
use crate::facts::Facts;
use crate::losra::ANYWHERE;
use crate::options::{Alphabet, Base, Source};

/// What can be reached.
pub(crate) struct Ahead {
    /// The locations with read-modify-writes.
    updated: Vec<LocId>,
    reached: Vec<Reached>,
    /// For every set of threads at [`ANYWHERE`], by their bits: the last writes there can be per entries of the others.
    views: HashMap<u64, HashMap<Box<[Node]>, Vec<Box<[Base]>>>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Reached {
    nodes: Box<[Node]>,
    /// Of the locations in `updated`.
    last: Box<[Base]>,
}

struct Walk<'a> {
    threads: &'a [Automaton],
    alphabet: &'a Alphabet,
    facts: &'a Facts,
    updated: &'a [LocId],
}

impl Ahead {
    /// Explores; none when there are more than `limit` combinations, more threads than bits in a word, or no time.
    pub(crate) fn of(
        threads: &[Automaton],
        alphabet: &Alphabet,
        facts: &Facts,
        limit: usize,
        expired: &dyn Fn() -> bool,
    ) -> Option<Ahead> {
        if threads.len() > u64::BITS as usize {
            return None;
        }
        let mut updated: Vec<LocId> = threads
            .iter()
            .flat_map(|thread| thread.steps.iter().flatten())
            .filter_map(|(access, _)| match access {
                Access::Rmw { loc, .. } => Some(*loc),
                _ => None,
            })
            .collect();
        updated.sort_unstable();
        updated.dedup();
        let walk = Walk { threads, alphabet, facts, updated: &updated };
        let mut known: HashSet<Reached> = HashSet::new();
        let mut order = Vec::new();
        let mut queue = VecDeque::from([walk.initial()]);
        while let Some(reached) = queue.pop_front() {
            if known.insert(reached.clone()) {
                if known.len() > limit || (known.len().is_multiple_of(1024) && expired()) {
                    return None;
                }
                walk.steps(&reached, &mut |after| queue.push_back(after));
                order.push(reached);
            }
        }
        Some(Ahead { updated, reached: order, views: HashMap::new() })
    }

    /// Can threads be at these nodes, with these bases as last writes?
    pub(crate) fn is_reachable(&mut self, nodes: &[Node], last: &[Base], alphabet: &Alphabet) -> bool {
        let anywhere = nodes.iter().enumerate().filter(|&(_, &node)| node == ANYWHERE);
        let set = anywhere.fold(0u64, |set, (thread, _)| set | 1 << thread);
        let view = self.views.entry(set).or_insert_with(|| view(&self.reached, nodes));
        let position = |base: Base| self.updated.iter().position(|&loc| loc == alphabet.bases[base].loc);
        let wanted: Vec<(usize, Base)> =
            last.iter().filter_map(|&base| position(base).map(|position| (position, base))).collect();
        view.get(nodes).is_some_and(|found| {
            found.iter().any(|last| wanted.iter().all(|&(position, base)| last[position] == base))
        })
    }
}

/// What was reached, without the nodes of threads that are anywhere in `pattern`.
fn view(reached: &[Reached], pattern: &[Node]) -> HashMap<Box<[Node]>, Vec<Box<[Base]>>> {
    let mut view: HashMap<Box<[Node]>, Vec<Box<[Base]>>> = HashMap::new();
    let mut known = HashSet::new();
    for Reached { nodes, last } in reached {
        let hidden = nodes.iter().zip(pattern).map(|(&node, &shown)| if shown == ANYWHERE { ANYWHERE } else { node });
        let hidden: Box<[Node]> = hidden.collect();
        if known.insert((hidden.clone(), last.clone())) {
            view.entry(hidden).or_default().push(last.clone());
        }
    }
    view
}

impl Walk<'_> {
    fn initial(&self) -> Reached {
        let is_initial = |base: &Base, loc: LocId| {
            let source = self.alphabet.bases[*base];
            source.writer.is_none() && source.loc == loc && !source.marked
        };
        let first = |&loc: &LocId| (0..self.alphabet.len()).find(|base| is_initial(base, loc)).expect("initialised");
        let last: Box<[Base]> = self.updated.iter().map(first).collect();
        Reached { nodes: self.threads.iter().map(|thread| thread.start).collect(), last }
    }

    /// The blocks that any thread can make.
    fn steps(&self, reached: &Reached, visit: &mut dyn FnMut(Reached)) {
        for thread in 0..self.threads.len() {
            let start = reached.nodes[thread];
            let mut seen = HashSet::from_iter([start]);
            let mut stack = vec![start];
            while let Some(node) = stack.pop() {
                for &(access, target) in &self.threads[thread].steps[node as usize] {
                    match access {
                        Access::Read { loc, value } => {
                            let bases = self.alphabet.readable(loc, value);
                            if bases.iter().any(|&base| self.can_read(reached, thread, node, base))
                                && seen.insert(target)
                            {
                                stack.push(target);
                            }
                        }
                        Access::Write { .. } => visit(self.after(reached, thread, &access, target)),
                        Access::Rmw { loc, read, .. } => {
                            let position = self.updated.iter().position(|&updated| updated == loc).expect("updated");
                            let base = reached.last[position];
                            if self.alphabet.bases[base].value == read && self.can_read(reached, thread, node, base) {
                                visit(self.after(reached, thread, &access, target));
                            }
                        }
                    }
                }
            }
        }
    }

    fn can_read(&self, reached: &Reached, thread: usize, node: Node, base: Base) -> bool {
        match self.alphabet.bases[base].writer {
            Some(writer) if writer != thread => self.facts.may[writer][reached.nodes[writer] as usize].contains(base),
            _ => self.facts.last[thread][node as usize].contains(base),
        }
    }

    fn after(&self, reached: &Reached, thread: usize, access: &Access, target: Node) -> Reached {
        let mut after = reached.clone();
        after.nodes[thread] = target;
        let (loc, value) = access.written().expect("a write");
        if let Some(position) = self.updated.iter().position(|&updated| updated == loc) {
            let source = Source { writer: Some(thread), loc, value, marked: false };
            after.last[position] = self.alphabet.base(source).expect("everything written is in the alphabet");
        }
        after
    }
}
