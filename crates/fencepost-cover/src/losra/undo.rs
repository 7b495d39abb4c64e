//! Steps taken back: what configurations can have been before reads, before a write, before a block
//! of both. The rules are in the head of [`super`].

use std::sync::{Arc, PoisonError};

use fencepost_verdict::Reason;
use foldhash::{HashMap, HashMapExt, HashSet};

use super::{ANYWHERE, Block, Configuration, LoSra};
use crate::automaton::{Access, Node};
use crate::options::{Base, ListId, Opt, PotentialId, Source, is_below};

/// Ways back that are extended between two looks at the clock.
const PATIENCE: usize = 256;

/// All that a list can have been before a write.
pub(super) type Alternatives = Arc<[Alternative]>;

/// What a list was before a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Alternative {
    left: ListId,
    justification: Option<ListId>,
}

/// A way back along reads, everything in the order it was undone.
#[derive(Clone)]
pub(super) struct Way {
    pub(super) node: Node,
    /// The options that come in front of lists; the last one comes first there.
    pub(super) word: Vec<Opt>,
    /// What is read, equal neighbours included.
    reads: Vec<Base>,
    /// The nodes on the way.
    passed: Vec<Node>,
}

impl Way {
    pub(super) fn reads_in_order(&self) -> Vec<Base> {
        self.reads.iter().rev().copied().collect()
    }
}

/// What a write does to the guess of a race.
#[derive(Clone, Copy)]
pub(super) struct Phase {
    /// The phase before it.
    pub(super) before: Node,
    /// Is it the guessed write?
    pub(super) guesses: bool,
}

impl LoSra<'_> {
    /// Undoes a write, and the reads before it, in all ways.
    pub(super) fn undo_block(
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

    /// The potentials before `thread` wrote the ghost, if it can have done so. Nobody had before,
    /// so then everybody could read its initial value.
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

    /// What a list can have been before a write that provides `base`, by its owner or somebody
    /// else. A keeping alternative is left out when one that provides needs no justification: that
    /// is below.
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

    /// Walks back from `node` along reads of `thread` to entries. `start` is there already,
    /// `potential` comes after.
    pub(super) fn undo_reads(
        &self,
        thread: usize,
        node: Node,
        start: Vec<Opt>,
        potential: PotentialId,
        others: Option<&Configuration>,
    ) -> Result<Vec<Way>, Reason> {
        let automaton = &self.threads[thread];
        // Undoing reads only adds options, so going round in reads leads nowhere: minimal words per
        // node are enough, and on the way no node comes twice.
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
            let is_free = automaton.is_free(way.node);
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
        let free = self.threads[thread].free_reads(way.node)?;
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
    pub(super) fn prefixed(&self, word: &[Opt], potential: PotentialId) -> Vec<ListId> {
        let mut lists = self.store.get(potential).lists.to_vec();
        if !word.is_empty() {
            for list in &mut lists {
                let options = word.iter().rev().chain(self.store.options(*list)).copied().collect();
                *list = self.store.list(options);
            }
        }
        lists
    }
}
