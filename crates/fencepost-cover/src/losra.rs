//! loSRA × program as a well-structured system.
//!
//! Paper: Lahav and Boker, "Decidable Verification under a Causally Consistent
//! Shared Memory", PLDI 2020, §5 (Fig. 4) and §6. A configuration is a node of
//! every thread's automaton and, for every thread, a potential: a finite set of
//! lists of read options, each a sequence of reads it may still make.
//!
//! Predecessors, the part that the paper leaves to its appendix:
//! - *read* of v from x by τ: for each possible writer, the option goes in front
//!   of every list of τ;
//! - *write* of v to x by τ: each list of each thread stays as it is, or one
//!   occurrence of (τ, x, v) in it is taken to be the first that this write
//!   provides. Then it and all later ones disappear, and what comes after it
//!   becomes a list of τ too, its justification. No option on x may be in a
//!   justification (beyond Fig. 4; without this condition the system is too
//!   weak), none in what is left of lists of τ, and no flagged one in what is left of any list;
//! - *read-modify-write*: the write, then the flagged option in front of
//!   every list of τ.
//!
//! Beyond the paper: blocks of reads and one write are single steps
//! ([`crate::automaton`]); a thread that need not have done anything is at
//! [`ANYWHERE`], which is below every node; initial values in front of the lists
//! of a thread at its start are left out, since they can always be read
//! there; hopeless configurations are dropped ([`crate::facts`],
//! [`crate::ahead`]), and those that a symmetry turns into something that is known to lead to a target
//! ([`crate::symmetry`]). One more potential, of nobody, asks
//! for the last values of locations: flagged options speak of last writes.
//!
//! *Races*: τ is about to access x, not aware of a write w to x by another
//! thread. We guess w, and let its thread write, right before it, to a
//! *ghost* location that nobody else accesses. Who is aware of w is aware of
//! that write, and the other way round, as nothing is between them. So τ is not
//! aware of w iff it can still read the initial value of the ghost, an option
//! like others. Before w everybody can, so there the option is of no account.
//!
//! - *Write/write races* (Def. 3.13), for Thm 3.14: the access is a write. Of two unordered writes a plain one can come
//!   last: leave out what it does not need and what needs it. Two read-modify-writes
//!   that are not ordered have such a write between them.
//! - *Data races* on x, which only plain accesses touch. The race rule has a happens-before hb' of its own, in which
//!   plain accesses do not synchronise (`Ra::race`), while here, as in the axioms of SRA, they do. That makes no difference:
//!   take a smallest graph with a race by hb', of e with a write w. If τ was aware of w before e by hb, then some
//!   plain read on the way from w sees a write that is not before it by hb': a race in a smaller graph. Conversely,
//!   hb' is a part of hb; let w be unknown to τ. The first access to x after w that is not aware of w, e at the latest, is not aware of
//!   the last write to x either, which is w or aware of it: a race by the rule, if it comes after that last write, which a plain access can. A
//!   write that is not aware of a read is no question of its own: the read can come last.
//!
//! Sound and complete for finite-state programs (Thm 5.17 and §6 of the paper).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use fencepost_base::ids::{LocId, Value};
use fencepost_verdict::Reason;
use foldhash::{HashMap, HashMapExt, HashSet};

use crate::ahead::{Ahead, LookAhead};
use crate::automaton::{Access, Automaton, Node};
use crate::bits::Bits;
use crate::facts::Facts;
use crate::options::{Alphabet, Base, ListId, MOST_BASES, Opt, PotentialId, Source, Store, is_below};
use crate::saturate::WellStructured;
use crate::shared::Slots;
use crate::symmetry::Symmetry;

/// A thread here can be at any node, and has done nothing that matters since.
pub(crate) const ANYWHERE: Node = Node::MAX;

/// Ways back that are extended between two looks at the clock.
const PATIENCE: usize = 256;

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
    /// The write or read-modify-write; none at the end of a run. What the latter reads is the last write.
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

/// All that a list can have been before a write.
type Alternatives = Arc<[Alternative]>;

/// What a list was before a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Alternative {
    left: ListId,
    justification: Option<ListId>,
}

impl<'a> LoSra<'a> {
    /// The system of these threads, with initial values `init`.
    ///
    /// # Errors
    /// When there are too many different options.
    pub(crate) fn new(
        threads: Vec<Automaton>,
        init: &[Value],
        races: Vec<RaceQuestion>,
        symmetry: bool,
        look_ahead: &LookAhead,
        expired: &'a (dyn Fn() -> bool + Sync),
    ) -> Result<Self, Reason> {
        let mut init = init.to_vec();
        let ghost = (!races.is_empty()).then(|| LocId::from_index(init.len()));
        init.extend(ghost.map(|_| Value::default()));
        let alphabet = alphabet(&threads, &init);
        if alphabet.len() > MOST_BASES {
            return Err(Reason::TooLarge(format!("more than {MOST_BASES} different read options")));
        }
        let facts = Facts::of(&threads, &alphabet);
        let mut symmetries = Symmetry::of(&threads, &alphabet, &facts);
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

    fn potential_image(&self, symmetry: usize, potential: PotentialId) -> PotentialId {
        if let Some(&known) = self.images[symmetry].get(potential.index()) {
            return known;
        }
        let mut lists = self.store.get(potential).lists.to_vec();
        let bases = &self.symmetries[symmetry].bases;
        for list in &mut lists {
            let image = |option: &Opt| Opt::new(bases[option.base()], option.is_flagged());
            let options = self.store.options(*list).iter().map(image).collect();
            *list = self.store.list(options);
        }
        let image = self.store.potential(lists);
        if self.images[symmetry].set(potential.index(), image) {
            self.known_images.fetch_add(1, Ordering::Relaxed);
        }
        image
    }

    /// The configurations of a target, each with the reads that come last.
    ///
    /// # Errors
    /// When it takes too long.
    pub(crate) fn targets(&self, target: &Target) -> Result<Vec<(Configuration, Vec<Block>)>, Reason> {
        let mut found = vec![(Vec::new(), Vec::new(), Vec::new())];
        for (thread, node) in target.nodes.iter().enumerate() {
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

    /// The potential asked of a thread: any, or if it is to race, that it does not know of the ghost.
    fn asked(&self, thread: usize, race: Option<usize>) -> PotentialId {
        let races = race.is_some_and(|race| self.races[race].thread == thread);
        match self.ghost.filter(|_| races) {
            Some(ghost) => self.store.potential(vec![self.store.list(vec![Opt::new(ghost, false)])]),
            None => self.store.nothing(),
        }
    }

    /// The potentials before `thread` wrote the ghost, if it can have done so. Nobody had before, so then everybody
    /// could read its initial value.
    fn undo_ghost(&self, thread: usize, mut potentials: Vec<PotentialId>) -> Option<Vec<PotentialId>> {
        let ghost = self.ghost?;
        let knows_not = |potential: PotentialId| self.store.get(potential).bases.contains(ghost);
        if knows_not(potentials[thread]) {
            return None;
        }
        for potential in potentials.iter_mut().filter(|potential| knows_not(**potential)) {
            let without = |&list: &ListId| {
                let options = self.store.options(list).iter().copied();
                self.store.list(options.filter(|option| option.base() != ghost).collect())
            };
            *potential = self.store.potential(self.store.get(*potential).lists.iter().map(without).collect());
        }
        Some(potentials)
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

    /// Undoes a write, and the reads before it, in all ways.
    fn undo_block(
        &self,
        configuration: &Configuration,
        thread: usize,
        write: (Access, Node),
        phase: Phase,
        visit: &mut dyn FnMut(Block, Configuration),
    ) -> Result<(), Reason> {
        let (access, source) = write;
        let (loc, value) = access.written().expect("a write");
        let source_of = Source { writer: Some(thread), loc, value };
        let base = self.alphabet.base(source_of).expect("everything written is in the alphabet");
        let must_provide = configuration.control[thread] == ANYWHERE && !phase.guesses;
        for potentials in self.undo_write(configuration, thread, base, must_provide)? {
            let potentials = match phase.guesses {
                true => self.undo_ghost(thread, potentials),
                false => Some(potentials),
            };
            let Some(potentials) = potentials else { continue };
            let starts: Vec<Vec<Opt>> = match access {
                Access::Rmw { read, .. } => {
                    let options = self.alphabet.readable(loc, read).iter();
                    options.map(|&base| vec![Opt::new(base, true)]).collect()
                }
                _ => vec![Vec::new()],
            };
            for start in starts {
                if let Some(option) = start.first()
                    && !self.can_read(thread, source, option.base(), &[], potentials[thread], Some(configuration))
                {
                    continue;
                }
                for way in self.undo_reads(thread, source, start, potentials[thread], Some(configuration))? {
                    let lists = self.prefixed(&way.word, potentials[thread]);
                    let mut before =
                        Configuration { control: configuration.control.clone(), potentials: potentials.clone().into() };
                    before.potentials[thread] = self.store.potential(lists);
                    before.control[thread] = way.node;
                    before.control[self.threads.len()] = phase.before;
                    if self.is_hopeful(&before) {
                        visit(Block { thread, reads: way.reads_in_order(), write: Some(access) }, before);
                    }
                }
            }
        }
        Ok(())
    }

    /// The minimal potentials before `thread` provided `base` by writing it.
    ///
    /// # Errors
    /// When it takes too long.
    fn undo_write(
        &self,
        configuration: &Configuration,
        thread: usize,
        base: Base,
        must_provide: bool,
    ) -> Result<Vec<Vec<PotentialId>>, Reason> {
        // For every list, what it can have been.
        let mut choices: Vec<(usize, Alternatives)> = Vec::new();
        for (owner, &potential) in configuration.potentials.iter().enumerate() {
            for &list in &self.store.get(potential).lists {
                let alternatives = self.alternatives(base, owner == thread, list);
                if alternatives.is_empty() {
                    return Ok(Vec::new());
                }
                choices.push((owner, alternatives));
            }
        }
        let provides = |(_, alternatives): &(usize, Alternatives)| {
            alternatives.iter().any(|alternative| alternative.justification.is_some())
        };
        if !choices.iter().any(provides) {
            return Ok(if must_provide { Vec::new() } else { vec![configuration.potentials.to_vec()] });
        }
        let mut found: Vec<Vec<PotentialId>> = Vec::new();
        let mut known: HashSet<Vec<PotentialId>> = HashSet::default();
        // One alternative of every list, in all ways: they can be very many.
        let mut chosen = vec![0; choices.len()];
        for count in 1usize.. {
            if count.is_multiple_of(PATIENCE) && (self.expired)() {
                return Err(Reason::Time);
            }
            let mut lists: Vec<Vec<ListId>> = vec![Vec::new(); configuration.potentials.len()];
            let mut provides = false;
            for ((owner, alternatives), &chosen) in choices.iter().zip(&chosen) {
                let alternative = &alternatives[chosen];
                lists[*owner].push(alternative.left);
                lists[thread].extend(alternative.justification);
                provides |= alternative.justification.is_some();
            }
            if provides || !must_provide {
                let potentials: Vec<PotentialId> = lists.into_iter().map(|lists| self.store.potential(lists)).collect();
                if known.insert(potentials.clone()) {
                    found.push(potentials);
                }
            }
            let next = (0..choices.len()).rev().find(|&index| chosen[index] + 1 < choices[index].1.len());
            let Some(next) = next else { break };
            chosen[next] += 1;
            chosen[next + 1..].fill(0);
        }
        let all = found.clone();
        found.retain(|high| !all.iter().any(|low| low != high && self.are_below(low, high)));
        Ok(found)
    }

    fn are_below(&self, low: &[PotentialId], high: &[PotentialId]) -> bool {
        low.iter().zip(high).all(|(&low, &high)| self.store.potential_is_below(low, high))
    }

    /// What a list can have been before a write that provides `base`, by its owner or somebody else. A keeping
    /// alternative is left out when one that provides needs no justification: that is below.
    fn alternatives(&self, base: Base, is_own: bool, list: ListId) -> Alternatives {
        let key = (base, is_own, list);
        if let Some(known) = self.alternatives.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(known);
        }
        let source = self.alphabet.bases[base];
        let is_provided = |option: &Opt| option.base() == base;
        let is_on_location = |option: &Opt| self.alphabet.bases[option.base()].loc == source.loc;
        let may_stay = |option: &Opt| !is_on_location(option) || (!is_own && !option.is_flagged());
        let options = self.store.options(list);
        let mut picked = Vec::new();
        for first in (0..options.len()).filter(|&index| is_provided(&options[index])) {
            let rest: Vec<Opt> = options[first..].iter().copied().filter(|option| !is_provided(option)).collect();
            if rest.iter().any(is_on_location) || !options[..first].iter().all(may_stay) {
                continue;
            }
            picked.push(([&options[..first], &rest].concat(), rest));
        }
        let mut alternatives = Vec::new();
        if options.iter().all(may_stay) && picked.iter().all(|(_, rest)| !rest.is_empty()) {
            alternatives.push(Alternative { left: list, justification: None });
        }
        for (left, rest) in picked {
            alternatives.push(Alternative { left: self.store.list(left), justification: Some(self.store.list(rest)) });
        }
        let alternatives: Alternatives = alternatives.into();
        self.alternatives.write().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&alternatives));
        alternatives
    }

    /// Walks back from `node` along reads of `thread` to entries. `start` is there already, `potential` comes after.
    fn undo_reads(
        &self,
        thread: usize,
        node: Node,
        start: Vec<Opt>,
        potential: PotentialId,
        others: Option<&Configuration>,
    ) -> Result<Vec<Way>, Reason> {
        let automaton = &self.threads[thread];
        // Undoing reads only adds options, so going round in reads leads nowhere: minimal words per node are enough,
        // and on the way no node comes twice.
        let mut minimal: HashMap<Node, Vec<Vec<Opt>>> = HashMap::new();
        minimal.insert(node, vec![start.clone()]);
        let mut found = vec![Way { node, word: start, reads: Vec::new(), passed: vec![node] }];
        let mut next = 0;
        while next < found.len() {
            let way = found[next].clone();
            next += 1;
            if next.is_multiple_of(PATIENCE) && (self.expired)() {
                return Err(Reason::Time);
            }
            let sources = &automaton.reads_into[way.node as usize];
            if sources.is_empty() {
                continue;
            }
            // From a node that is reached freely there is no better way to the start.
            let is_free = automaton.free[way.node as usize].is_some();
            let behind = automaton.behind(!is_free, &way.passed);
            for &(loc, value, source) in sources.iter().filter(|(_, _, source)| behind.contains(*source as usize)) {
                for &base in self.alphabet.readable(loc, value) {
                    let mut longer = way.clone();
                    longer.node = source;
                    longer.reads.push(base);
                    longer.passed.push(source);
                    if way.word.last().is_none_or(|option| option.base() != base) {
                        if !self.can_read(thread, source, base, &way.word, potential, others) {
                            continue;
                        }
                        longer.word.push(Opt::new(base, false));
                    } else if !self.facts.is_own_reading_possible(thread, source, base) {
                        continue;
                    }
                    let known = minimal.entry(source).or_default();
                    // Subsequences are the same backwards.
                    if known.iter().any(|low| is_below(low, &longer.word)) {
                        continue;
                    }
                    known.push(longer.word.clone());
                    found.push(longer);
                }
            }
        }
        let mut starts: Vec<Way> = Vec::new();
        for way in &found {
            if let Some(start) = self.to_start(thread, way)
                && !starts.iter().any(|low| is_below(&low.word, &start.word))
            {
                starts.retain(|high| !is_below(&start.word, &high.word));
                starts.push(start);
            }
        }
        found.retain(|way| {
            let is_minimal = |low: &Vec<Opt>| *low == way.word || !is_below(low, &way.word);
            automaton.is_behind_write[way.node as usize] && minimal[&way.node].iter().all(is_minimal)
        });
        found.extend(starts);
        Ok(found)
    }

    /// The way continued freely to the start. There initial values in front are of no account.
    fn to_start(&self, thread: usize, way: &Way) -> Option<Way> {
        let free = self.threads[thread].free[way.node as usize].as_ref()?;
        let mut start = way.clone();
        start.node = self.threads[thread].start;
        for &(loc, value) in free.iter().rev() {
            let source = Source { writer: None, loc, value };
            start.reads.push(self.alphabet.base(source).expect("initial values are in the alphabet"));
        }
        let is_initial = |option: &Opt| !option.is_flagged() && self.facts.initial.contains(option.base());
        while start.word.last().is_some_and(is_initial) {
            start.word.pop();
        }
        Some(start)
    }

    /// Can `thread` at `node` have read this base, and then have had the rest of its lists?
    fn can_read(
        &self,
        thread: usize,
        node: Node,
        base: Base,
        word: &[Opt],
        potential: PotentialId,
        others: Option<&Configuration>,
    ) -> bool {
        let follows = &self.facts.follows[base];
        let writer_can = match self.alphabet.bases[base].writer {
            Some(writer) if writer != thread => others.is_none_or(|configuration| {
                let at = configuration.control[writer];
                at == ANYWHERE || self.facts.may[writer][at as usize].contains(base)
            }),
            _ => true,
        };
        writer_can
            && self.facts.is_own_reading_possible(thread, node, base)
            && word.iter().all(|option| follows.contains(option.base()))
            && self.store.get(potential).bases.is_subset(follows)
    }

    /// The lists of a potential with a word, written backwards, in front.
    fn prefixed(&self, word: &[Opt], potential: PotentialId) -> Vec<ListId> {
        let mut lists = self.store.get(potential).lists.to_vec();
        if !word.is_empty() {
            for list in &mut lists {
                let options = word.iter().rev().chain(self.store.options(*list)).copied().collect();
                *list = self.store.list(options);
            }
        }
        lists
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

/// A way back along reads, everything in the order it was undone.
#[derive(Clone)]
struct Way {
    node: Node,
    /// The options that come in front of lists; the last one comes first there.
    word: Vec<Opt>,
    /// What is read, equal neighbours included.
    reads: Vec<Base>,
    /// The nodes on the way.
    passed: Vec<Node>,
}

impl Way {
    fn reads_in_order(&self) -> Vec<Base> {
        self.reads.iter().rev().copied().collect()
    }
}

/// What a write does to the guess of a race.
#[derive(Clone, Copy)]
struct Phase {
    /// The phase before it.
    before: Node,
    /// Is it the guessed write?
    guesses: bool,
}

impl WellStructured for LoSra<'_> {
    type Control = Control;
    type Configuration = Configuration;
    type Step = Block;

    fn control(&self, configuration: &Configuration) -> Control {
        configuration.control.clone()
    }

    fn generalisations(&self, control: &Control) -> Vec<Control> {
        let mut found = vec![control.clone()];
        for thread in 0..self.threads.len() {
            for index in 0..found.len() {
                if found[index][thread] != ANYWHERE {
                    let mut general = found[index].clone();
                    general[thread] = ANYWHERE;
                    found.push(general);
                }
            }
        }
        found
    }

    fn symmetries(&self) -> usize {
        self.symmetries.len()
    }

    fn control_image(&self, symmetry: usize, control: &Control) -> Option<Control> {
        if symmetry == 0 {
            return Some(control.clone());
        }
        let (symmetry, phases) = (&self.symmetries[symmetry], &self.phases[symmetry]);
        let mut image = control.clone();
        for (thread, &node) in control[..self.threads.len()].iter().enumerate() {
            let node = if node == ANYWHERE { ANYWHERE } else { symmetry.nodes[thread][node as usize]? };
            image[symmetry.threads[thread]] = node;
        }
        image[self.threads.len()] = phases[control[self.threads.len()] as usize];
        Some(image)
    }

    fn image(&self, symmetry: usize, configuration: &Configuration) -> Configuration {
        let control = self.control_image(symmetry, &configuration.control).expect("it was asked for");
        let mut potentials = configuration.potentials.clone();
        for (owner, &potential) in configuration.potentials.iter().enumerate() {
            // The last one is nobody's.
            let owner = self.symmetries[symmetry].threads.get(owner).copied().unwrap_or(owner);
            potentials[owner] = self.potential_image(symmetry, potential);
        }
        Configuration { control, potentials }
    }

    fn is_below(&self, low: &Configuration, high: &Configuration) -> bool {
        self.are_below(&low.potentials, &high.potentials)
    }

    fn signature(&self, configuration: &Configuration) -> u64 {
        let potentials = configuration.potentials.iter().enumerate();
        potentials.fold(0, |bits, (thread, &potential)| {
            bits | self.store.get(potential).signature.rotate_left(21 * thread as u32)
        })
    }

    fn size(&self, configuration: &Configuration) -> usize {
        configuration.potentials.iter().map(|&potential| self.store.get(potential).size).sum()
    }

    fn is_initial(&self, configuration: &Configuration) -> bool {
        let (nodes, phase) = configuration.control.split_at(self.threads.len());
        let starts = |(thread, node): (usize, &Node)| *node == ANYWHERE || self.threads[thread].start == *node;
        let is_initial = |&potential: &PotentialId| self.store.get(potential).bases.is_subset(&self.facts.initial);
        phase == [0] && nodes.iter().enumerate().all(starts) && configuration.potentials.iter().all(is_initial)
    }

    fn predecessors(
        &self,
        configuration: &Configuration,
        visit: &mut dyn FnMut(Block, Configuration),
    ) -> Result<(), Reason> {
        let phase = configuration.control[self.threads.len()];
        for thread in 0..self.threads.len() {
            let writes: &[(Access, Node)] = match configuration.control[thread] {
                ANYWHERE => &self.threads[thread].writes,
                node if node == self.threads[thread].start => continue,
                node => &self.threads[thread].writes_into[node as usize],
            };
            for &write in writes {
                let loc = write.0.written().map(|(loc, _)| loc);
                let stay = Phase { before: phase, guesses: false };
                self.undo_block(configuration, thread, write, stay, visit)?;
                let race = (phase as usize).checked_sub(1).map(|race| self.races[race]);
                if race.is_some_and(|race| race.thread != thread && Some(race.loc) == loc) {
                    let guess = Phase { before: 0, guesses: true };
                    self.undo_block(configuration, thread, write, guess, visit)?;
                }
            }
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.store.bytes()
            + self.ahead.as_ref().map_or(0, Ahead::bytes)
            + 96 * self.alternatives.read().unwrap_or_else(PoisonError::into_inner).len() as u64
            + 16 * self.known_images.load(Ordering::Relaxed)
    }
}

/// For every phase, its image; none if a race goes to something that is none.
fn phases(symmetry: &Symmetry, races: &[RaceQuestion], alphabet: &Alphabet) -> Option<Vec<Node>> {
    let image = |race: &RaceQuestion| {
        let loc = symmetry.location(race.loc, alphabet);
        let image = RaceQuestion { loc, thread: symmetry.threads[race.thread] };
        races.iter().position(|race| *race == image).map(|race| race as Node + 1)
    };
    [Some(0)].into_iter().chain(races.iter().map(image)).collect()
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
