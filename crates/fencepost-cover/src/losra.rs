//! loSRA × program as a well-structured system.
//!
//! Paper: Lahav and Boker, "Decidable Verification under a Causally Consistent Shared Memory", PLDI
//! 2020, §5 (Fig. 4) and §6. A configuration is a node of every thread's automaton and, for every
//! thread τ, a *potential*: a finite set of lists of read options. Each list is a sequence of reads
//! that τ may still make.
//!
//! **Predecessors** (in `undo`), the part that the paper leaves to its appendix:
//!
//! - *read* of v from x by τ: for each possible writer, the option goes in front of every list of
//!   τ;
//! - *write* of v to x by τ: each list of each thread stays as it is, or one occurrence of (τ, x,
//!   v) in it is taken to be the first that this write provides. Then it and all later ones
//!   disappear, and what comes after it becomes a list of τ too, its justification. No option on x
//!   may be in a justification (beyond Fig. 4; without this condition the system is too weak), none
//!   in what is left of lists of τ, and no flagged one in what is left of any list;
//! - *read-modify-write*: the write, then the flagged option in front of every list of τ.
//!
//! **Beyond the paper:**
//!
//! - Blocks of reads and one write are single steps ([`crate::automaton`]).
//! - A thread that need not have done anything is at [`ANYWHERE`], which is below every node.
//! - Initial values in front of the lists of a thread at its start are left out, since they can
//!   always be read there.
//! - Hopeless configurations are dropped ([`crate::facts`], [`crate::ahead`]). So are those that a
//!   symmetry turns into something that is known to lead to a target ([`crate::symmetry`]).
//! - One more potential, of nobody, asks for the last values of locations: flagged options speak of
//!   last writes.
//!
//! **Races.** τ is about to access x, not aware of a write w to x by another thread. We guess w,
//! and let its thread write, right before it, to a *ghost* location that nobody else accesses. Who
//! is aware of w is aware of that write, and the other way round, as nothing is between them. So τ
//! is not aware of w iff it can still read the initial value of the ghost, an option like others.
//! Before w everybody can, so there the option is of no account.
//!
//! *Write/write races* (Def. 3.13), for Thm 3.14: the access is a write. Of two unordered writes a
//! plain one can come last: leave out what it does not need and what needs it. Two
//! read-modify-writes that are not ordered have such a write between them.
//!
//! *Data races* on x, which only plain accesses touch. The race rule has a happens-before hb' of
//! its own, in which plain accesses do not synchronise (`Ra::race`). Here, as in the axioms of SRA,
//! they do. That makes no difference:
//!
//! - Take a smallest graph with a race by hb', of e with a write w. If τ was aware of w before e by
//!   hb, then some plain read on the way from w sees a write that is not before it by hb': a race
//!   in a smaller graph.
//! - Conversely, hb' is a part of hb; let w be unknown to τ. Take the first access to x after w
//!   that is not aware of w; it is e at the latest. It is not aware of the last write to x either,
//!   which is w or aware of it. That is a race by the rule, if the access comes after that last
//!   write, which a plain access can.
//! - A write that is not aware of a read is no question of its own: the read can come last.
//!
//! Sound and complete for finite-state programs (Thm 5.17 and §6 of the paper).

mod order;
mod undo;

use std::sync::RwLock;
use std::sync::atomic::AtomicU64;

use fencepost_base::ids::{LocId, Value};
use fencepost_verdict::{Budget, Reason};
use foldhash::{HashMap, HashMapExt};

use crate::ahead::{Ahead, LookAhead};
use crate::automaton::{Access, Automaton, Node};
use crate::bits::Bits;
use crate::facts::Facts;
use crate::options::{Alphabet, Base, ListId, MOST_BASES, Opt, PotentialId, Source, Store};
use crate::shared::Slots;
use crate::symmetry::Symmetry;

use order::phases;
use undo::Alternatives;

/// A thread here can be at any node, and has done nothing that matters since.
pub(crate) const ANYWHERE: Node = Node::MAX;

/// The nodes of all threads, then the race that is still to be guessed (its number from 1), or 0.
pub(crate) type Control = Box<[Node]>;

/// A configuration, standing for all with larger potentials.
#[derive(Clone, Debug)]
pub(crate) struct Configuration {
    pub(crate) control: Control,
    /// Of all threads, and of nobody.
    pub(crate) potentials: Box<[PotentialId]>,
}

/// Some reads of one thread, and the write that comes after them.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) thread: usize,
    /// What is read, in order.
    pub(crate) reads: Vec<Base>,
    /// The write or read-modify-write; none at the end of a run. What the latter reads is the last
    /// write.
    pub(crate) write: Option<Access>,
}

/// A possible race: this thread is about to access this location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RaceQuestion {
    pub(crate) loc: LocId,
    pub(crate) thread: usize,
}

/// What a target demands.
pub(crate) struct Target {
    /// For every thread, the node where it must be, or none.
    pub(crate) nodes: Vec<Option<Node>>,
    /// Last values of locations.
    pub(crate) memory: Vec<(LocId, Value)>,
    /// The race asked for: the thread's node is one from which it makes the access.
    pub(crate) race: Option<usize>,
}

/// The system.
pub(crate) struct LoSra<'a> {
    expired: &'a (dyn Fn() -> bool + Sync),
    pub(crate) threads: Vec<Automaton>,
    pub(crate) alphabet: Alphabet,
    races: Vec<RaceQuestion>,
    /// The initial value of the ghost location, if races are asked for.
    ghost: Option<Base>,
    facts: Facts,
    /// The first one changes nothing.
    symmetries: Vec<Symmetry>,
    /// For every symmetry, the images of phases.
    phases: Vec<Vec<Node>>,
    /// For every symmetry, known images of potentials.
    images: Vec<Slots<PotentialId>>,
    /// How many there are.
    known_images: AtomicU64,
    ahead: Option<Ahead>,
    store: Store,
    /// For a provided base, and whether the list is the writer's: what can become of a list.
    alternatives: RwLock<HashMap<(Base, bool, ListId), Alternatives>>,
}

impl<'a> LoSra<'a> {
    /// The system of these threads, with initial values `init`.
    ///
    /// # Errors
    /// When there are too many different options, or it takes more time or memory than there is.
    pub(crate) fn new(
        threads: Vec<Automaton>,
        init: &[Value],
        races: Vec<RaceQuestion>,
        symmetry: bool,
        look_ahead: &LookAhead,
        budget: &Budget<'a>,
    ) -> Result<Self, Reason> {
        let mut init = init.to_vec();
        let ghost = (!races.is_empty()).then(|| LocId::from_index(init.len()));
        init.extend(ghost.map(|_| Value::default()));
        let alphabet = alphabet(&threads, &init);
        if alphabet.len() > MOST_BASES {
            return Err(Reason::TooLarge(format!("more than {MOST_BASES} different read options")));
        }
        let expired = budget.expired;
        let facts = Facts::of(&threads, &alphabet, budget)?;
        let mut symmetries = Symmetry::of(&threads, &alphabet, &facts, expired);
        if !symmetry {
            symmetries.truncate(1);
        }
        let ghost = ghost.and_then(|loc| alphabet.bases.iter().position(|source| source.loc == loc));
        // Those that leave the question as it is.
        symmetries.retain(|symmetry| ghost.is_none_or(|ghost| symmetry.bases[ghost] == ghost));
        symmetries.retain(|symmetry| phases(symmetry, &races, &alphabet).is_some());
        let phases = symmetries.iter().filter_map(|symmetry| phases(symmetry, &races, &alphabet)).collect();
        let store = Store::new(alphabet.len());
        let ahead = Ahead::of(&threads, &alphabet, init.len(), &symmetries, look_ahead, expired);
        Ok(LoSra {
            expired,
            threads,
            alphabet,
            races,
            ghost,
            facts,
            phases,
            images: symmetries.iter().map(|_| Slots::new()).collect(),
            known_images: AtomicU64::new(0),
            symmetries,
            ahead,
            store,
            alternatives: RwLock::new(HashMap::new()),
        })
    }

    /// The configurations of a target, each with the reads that come last.
    ///
    /// # Errors
    /// When it takes too long.
    pub(crate) fn targets(&self, target: &Target) -> Result<Vec<(Configuration, Vec<Block>)>, Reason> {
        let mut found = vec![(Vec::new(), Vec::new(), Vec::new())];
        for (thread, node) in target.nodes.iter().enumerate() {
            if thread.is_multiple_of(64) && (self.expired)() {
                return Err(Reason::Time);
            }
            let mut choices: Vec<(Node, PotentialId, Vec<Base>)> = Vec::new();
            match node {
                None => choices.push((ANYWHERE, self.store.nothing(), Vec::new())),
                Some(node) => {
                    let potential = self.asked(thread, target.race);
                    for way in self.undo_reads(thread, *node, Vec::new(), potential, None)? {
                        let lists = self.prefixed(&way.word, potential);
                        choices.push((way.node, self.store.potential(lists), way.reads_in_order()));
                    }
                }
            }
            found = product(&found, &choices, |(control, potentials, blocks), (node, potential, reads)| {
                let block = Block { thread, reads: reads.clone(), write: None };
                let more = |blocks: &Vec<Block>| [blocks.clone(), vec![block.clone()]].concat();
                (
                    [control.clone(), vec![*node]].concat(),
                    [potentials.clone(), vec![*potential]].concat(),
                    if reads.is_empty() { blocks.clone() } else { more(blocks) },
                )
            });
        }
        let observers = self.observers(&target.memory);
        let phase = target.race.map_or(0, |race| race as Node + 1);
        let mut targets = Vec::new();
        for (control, potentials, blocks) in found {
            for &observer in &observers {
                let configuration = Configuration {
                    control: [control.clone(), vec![phase]].concat().into(),
                    potentials: [potentials.clone(), vec![observer]].concat().into(),
                };
                if self.is_hopeful(&configuration) {
                    targets.push((configuration, blocks.clone()));
                }
            }
        }
        Ok(targets)
    }

    /// The potential asked of a thread: any, or if it is to race, that it does not know of the
    /// ghost.
    fn asked(&self, thread: usize, race: Option<usize>) -> PotentialId {
        let races = race.is_some_and(|race| self.races[race].thread == thread);
        match self.ghost.filter(|_| races) {
            Some(ghost) => self.store.potential(vec![self.store.list(vec![Opt::new(ghost, false)])]),
            None => self.store.nothing(),
        }
    }

    /// The potentials of nobody that demand these last values.
    fn observers(&self, memory: &[(LocId, Value)]) -> Vec<PotentialId> {
        let mut lists = vec![Vec::new()];
        for &(loc, value) in memory {
            let options = self.alphabet.readable(loc, value).to_vec();
            lists = product(&lists, &options, |list, &base| [list.clone(), vec![Opt::new(base, true)]].concat());
        }
        let mut potentials = Vec::new();
        for list in lists {
            let list = self.store.list(list);
            potentials.push(self.store.potential(vec![list]));
        }
        potentials
    }

    /// Can a forward run reach something above it, as far as we see?
    fn is_hopeful(&self, configuration: &Configuration) -> bool {
        let nodes = &configuration.control[..self.threads.len()];
        let potentials: Vec<_> = configuration.potentials.iter().map(|&potential| self.store.get(potential)).collect();
        for (thread, &node) in nodes.iter().enumerate().filter(|&(_, &node)| node != ANYWHERE) {
            let (own, may) = (&self.facts.own[thread], &self.facts.may[thread][node as usize]);
            if !potentials.iter().all(|potential| potential.bases.is_subset_within(own, may)) {
                return false;
            }
            let (mine, last) = (&self.facts.own_or_initial[thread], &self.facts.last[thread][node as usize]);
            if !potentials[thread].bases.is_subset_within(mine, last) {
                return false;
            }
        }
        // Flagged options are about last writes, and a location has one.
        let mut flagged = Bits::new(self.alphabet.len());
        potentials.iter().for_each(|potential| _ = flagged.union(&potential.flagged));
        let flagged: Vec<Base> = flagged.iter().collect();
        let location = |base: Base| self.alphabet.bases[base].loc;
        let clash = |(index, &base): (usize, &Base)| flagged[..index].iter().any(|&b| location(b) == location(base));
        if flagged.iter().enumerate().any(clash) {
            return false;
        }
        let potentials = &configuration.potentials;
        self.ahead.as_ref().is_none_or(|ahead| ahead.is_reachable(nodes, potentials, &self.store, &self.alphabet))
    }
}

/// Everything that can be read in a memory with initial values `init`.
pub(crate) fn alphabet(threads: &[Automaton], init: &[Value]) -> Alphabet {
    let mut sources = Vec::new();
    let mut add = |writer: Option<usize>, loc: LocId, value: Value| {
        sources.push(Source { writer, loc, value });
    };
    for (loc, &value) in init.iter().enumerate() {
        add(None, LocId::from_index(loc), value);
    }
    for (thread, automaton) in threads.iter().enumerate() {
        for (loc, value) in automaton.steps.iter().flatten().filter_map(|(access, _)| access.written()) {
            add(Some(thread), loc, value);
        }
    }
    Alphabet::new(sources)
}

/// All pairs, combined.
fn product<A, B, C>(left: &[A], right: &[B], combine: impl Fn(&A, &B) -> C) -> Vec<C> {
    left.iter().flat_map(|a| right.iter().map(|b| combine(a, b)).collect::<Vec<_>>()).collect()
}
