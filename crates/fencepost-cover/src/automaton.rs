//! A thread as a small automaton over accesses, to be walked backwards.
//!
//! Whether a bad state is reachable depends only on the sequences of accesses
//! that each thread can make, so the graph of local states is reduced to its
//! quotient by bisimilarity, with silent steps contracted: dead registers and
//! values that make no difference disappear.
//!
//! A thread's reads can be delayed until just before its next write: in opSRA
//! (§4 of the PLDI 2020 paper) the precondition of a read speaks of what the
//! reading thread is aware of, which no other thread changes. So it is enough
//! to consider runs of *blocks*, some reads and one write or
//! read-modify-write of the same thread, between which a thread is at an
//! *entry*: its start, or a node behind a write.
//!
//! The start is a node of its own, where a thread has done nothing yet and
//! is aware of nothing. From there it can read initial values whatever others
//! have done, so what it reaches by such reads is reached *freely*.

use std::collections::{BTreeSet, VecDeque};

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Value};
use fencepost_verdict::{Budget, Reason};
use foldhash::{HashMap, HashMapExt};

use crate::bits::Bits;
use crate::local::{Action, Local, StateId};

/// A state of an automaton.
pub(crate) type Node = u32;

/// What an access does, whatever its order: under SRA all are release/acquire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Access {
    /// Reads.
    Read { loc: LocId, value: Value },
    /// Writes.
    Write { loc: LocId, value: Value },
    /// Reads and writes, indivisibly.
    Rmw { loc: LocId, read: Value, written: Value },
}

impl Access {
    /// The access of a label.
    pub(crate) fn of(label: &Label) -> Option<Access> {
        let loc = label.loc()?;
        match (label.value_read(), label.value_written()) {
            (Some(value), None) => Some(Access::Read { loc, value }),
            (None, Some(value)) => Some(Access::Write { loc, value }),
            (Some(read), Some(written)) => Some(Access::Rmw { loc, read, written }),
            (None, None) => None,
        }
    }

    /// The location and the value written.
    pub(crate) fn written(&self) -> Option<(LocId, Value)> {
        match *self {
            Access::Read { .. } => None,
            Access::Write { loc, value } | Access::Rmw { loc, written: value, .. } => Some((loc, value)),
        }
    }
}

/// States and targets of steps between two looks at the budget.
const BETWEEN_LOOKS: usize = 1 << 12;

/// The automaton of one thread.
pub(crate) struct Automaton {
    /// Where it starts; no step leads there, and it has those of the first states.
    pub(crate) start: Node,
    /// The class that each node was given; the start has none.
    pub(crate) class: Vec<u32>,
    /// Is the node behind a write?
    pub(crate) is_behind_write: Vec<bool>,
    /// For every node that is reached freely, the last read on the way and where it is made; none
    /// for a first node.
    free: Vec<Option<Option<(LocId, Value, Node)>>>,
    /// For every node, the reads that lead to it.
    pub(crate) reads_into: Vec<Vec<(LocId, Value, Node)>>,
    /// For every node, the nodes that its reads lead to.
    read_targets: Vec<Vec<Node>>,
    /// For every node, the writes and read-modify-writes that lead to it.
    pub(crate) writes_into: Vec<Vec<(Access, Node)>>,
    /// All writes and read-modify-writes, with their sources.
    pub(crate) writes: Vec<(Access, Node)>,
    /// All steps, by source.
    pub(crate) steps: Vec<Vec<(Access, Node)>>,
}

impl Automaton {
    /// The automaton of a thread, in a memory with initial values `init`. States with different
    /// classes are not identified.
    ///
    /// # Errors
    /// When it takes more time or memory than there is.
    pub(crate) fn of(
        local: &Local,
        init: &[Value],
        class: &dyn Fn(StateId) -> u32,
        budget: &Budget<'_>,
    ) -> Result<Automaton, Reason> {
        let settled = Settled::of(local, budget)?;
        let blocks = refine(&settled, class, budget)?;
        let count = blocks.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        let mut steps: Vec<BTreeSet<(Access, Node)>> = vec![BTreeSet::new(); count];
        let mut classes = vec![0; count];
        for (state, block) in blocks.iter().enumerate() {
            let Some(block) = *block else { continue };
            classes[block as usize] = class(state);
            for (access, targets) in &settled.steps[state] {
                for &target in targets {
                    steps[block as usize].insert((*access, blocks[target].expect("settled")));
                }
            }
        }
        let mut is_behind_write = vec![false; count];
        let mut reads_into = vec![Vec::new(); count];
        let mut read_targets = vec![Vec::new(); count];
        let mut writes_into = vec![Vec::new(); count];
        for (source, steps) in steps.iter().enumerate() {
            for &(access, target) in steps {
                match access {
                    Access::Read { loc, value } => {
                        reads_into[target as usize].push((loc, value, source as Node));
                        read_targets[source].push(target);
                    }
                    _ => {
                        writes_into[target as usize].push((access, source as Node));
                        is_behind_write[target as usize] = true;
                    }
                }
            }
        }
        let writes = BTreeSet::from_iter(writes_into.iter().flatten().copied()).into_iter().collect();
        let first: BTreeSet<Node> = settled.initial.iter().map(|&state| blocks[state].expect("settled")).collect();
        let free = free(&first, &steps, init);
        let start = count as Node;
        steps.push(first.iter().flat_map(|&node| steps[node as usize].clone()).collect());
        let steps = steps.into_iter().map(|steps| steps.into_iter().collect()).collect();
        Ok(Automaton {
            start,
            class: classes,
            is_behind_write,
            free,
            reads_into,
            read_targets,
            writes_into,
            writes,
            steps,
        })
    }

    /// The nodes to which reads lead from behind a write, or also from a node that is reached
    /// freely; all without these nodes.
    pub(crate) fn behind(&self, also_free: bool, without: &[Node]) -> Bits {
        let is_entry = |node: Node| self.is_behind_write[node as usize] || (also_free && self.is_free(node));
        let mut stack: Vec<Node> = self.nodes().filter(|node| is_entry(*node) && !without.contains(node)).collect();
        let mut found = Bits::new(self.len());
        for &node in &stack {
            found.insert(node as usize);
        }
        while let Some(node) = stack.pop() {
            for &target in &self.read_targets[node as usize] {
                if !without.contains(&target) && found.insert(target as usize) {
                    stack.push(target);
                }
            }
        }
        found
    }

    /// Do reads of initial values lead there, or none at all?
    pub(crate) fn is_free(&self, node: Node) -> bool {
        self.free[node as usize].is_some()
    }

    /// Is it one of the first nodes?
    pub(crate) fn is_first(&self, node: Node) -> bool {
        self.free[node as usize] == Some(None)
    }

    /// If the node is reached freely, what is read on the way.
    pub(crate) fn free_reads(&self, node: Node) -> Option<Vec<(LocId, Value)>> {
        let mut last = self.free[node as usize]?;
        let mut reads = Vec::new();
        while let Some((loc, value, source)) = last {
            reads.push((loc, value));
            last = self.free[source as usize].flatten();
        }
        reads.reverse();
        Some(reads)
    }

    /// Number of nodes, with the start.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// All nodes but the start.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        0..self.start
    }
}

/// For every node to which reads of initial values lead from one of `first`, the last of them and
/// its source.
fn free(
    first: &BTreeSet<Node>,
    steps: &[BTreeSet<(Access, Node)>],
    init: &[Value],
) -> Vec<Option<Option<(LocId, Value, Node)>>> {
    let mut free = vec![None; steps.len()];
    let mut queue: VecDeque<Node> = first.iter().copied().collect();
    for &node in first {
        free[node as usize] = Some(None);
    }
    while let Some(node) = queue.pop_front() {
        for (access, target) in &steps[node as usize] {
            if let Access::Read { loc, value } = *access
                && init[loc.index()] == value
                && free[*target as usize].is_none()
            {
                free[*target as usize] = Some(Some((loc, value, node)));
                queue.push_back(*target);
            }
        }
    }
    free
}

/// A graph without silent steps: each access leads to the states at which choices after it end.
struct Settled {
    initial: Vec<StateId>,
    /// Of states that are not choices; others are never reached.
    steps: Vec<Vec<(Access, Vec<StateId>)>>,
    is_settled: Vec<bool>,
}

impl Settled {
    fn of(local: &Local, budget: &Budget<'_>) -> Result<Settled, Reason> {
        let is_choice =
            |state: StateId| local.edges[state].iter().any(|(action, _)| matches!(action, Action::Choice(_)));
        let settle = |start: StateId| {
            let mut seen = BTreeSet::from([start]);
            let mut stack = vec![start];
            while let Some(state) = stack.pop() {
                if is_choice(state) {
                    stack.extend(local.edges[state].iter().map(|&(_, next)| next).filter(|&next| seen.insert(next)));
                }
            }
            seen.into_iter().filter(|&state| !is_choice(state)).collect::<Vec<_>>()
        };
        let is_settled: Vec<bool> = (0..local.states.len()).map(|state| !is_choice(state)).collect();
        let mut steps: Vec<Vec<(Access, Vec<StateId>)>> = Vec::with_capacity(local.states.len());
        let (mut targets, mut work) = (0, 0);
        for edges in &local.edges {
            let mut mine = Vec::new();
            for &(action, target) in edges {
                let Action::Access(label) = action else { continue };
                let Some(access) = Access::of(&label) else { continue };
                mine.push((access, settle(target)));
                let found = mine.last().map_or(0, |(_, targets)| targets.len());
                (targets, work) = (targets + found, work + found + 1);
                if work > BETWEEN_LOOKS {
                    work = 0;
                    if (budget.expired)() {
                        return Err(Reason::Time);
                    }
                    if (targets * size_of::<StateId>()) as u64 > budget.max_bytes {
                        return Err(Reason::Memory(budget.max_bytes));
                    }
                }
            }
            steps.push(mine);
        }
        Ok(Settled { initial: settle(local.initial), steps, is_settled })
    }
}

/// What tells states apart: their block so far, and which blocks their steps lead to.
type Signature = (Option<Node>, BTreeSet<(Access, Node)>);

/// The coarsest bisimulation that respects classes: for every settled state its block.
fn refine(settled: &Settled, class: &dyn Fn(StateId) -> u32, budget: &Budget<'_>) -> Result<Vec<Option<Node>>, Reason> {
    let states = || (0..settled.steps.len()).filter(|&state| settled.is_settled[state]);
    let mut blocks: Vec<Option<Node>> = vec![None; settled.steps.len()];
    for state in states() {
        blocks[state] = Some(class(state));
    }
    let mut count = 0;
    loop {
        let mut numbers: HashMap<Signature, Node> = HashMap::new();
        let mut finer = blocks.clone();
        for state in states() {
            if state.is_multiple_of(BETWEEN_LOOKS) && (budget.expired)() {
                return Err(Reason::Time);
            }
            let steps = settled.steps[state].iter();
            let moves = steps.flat_map(|(access, targets)| {
                targets.iter().map(|&target| (*access, blocks[target].expect("settled")))
            });
            let next = numbers.len() as Node;
            finer[state] = Some(*numbers.entry((blocks[state], moves.collect())).or_insert(next));
        }
        blocks = finer;
        if numbers.len() == count {
            return Ok(blocks);
        }
        count = numbers.len();
    }
}
