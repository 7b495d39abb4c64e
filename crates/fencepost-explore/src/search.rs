//! Breadth-first search by layers, on several threads.
//!
//! A layer is the set of states at one distance from the start. The threads share the work of
//! expanding a layer, and meet before the next one. What a layer contains does not depend on who
//! finds it first. So the number of states and the verdict do not depend on it either. Nor does the
//! witness, because runs are rebuilt by taking the greatest of all predecessors.
//!
//! No parents are kept. A run is rebuilt by looking for predecessors layer by layer, backwards.
//! That costs another pass over the states, but only when there is something to show.
//!
//! Partial-order reduction: of the steps out of a state it is enough to take those of a persistent
//! set, provided that one of them leads to a state in the layer that is being built. Otherwise the
//! steps of the set lead only to states that have been expanded, and what was put off might be put
//! off for ever (see [`crate::ample`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fencepost_base::ids::{Pc, ThreadId};
use fencepost_verdict::{Budget, Candidate, Progress, Reason, Run, ScFailure, ScFailureKind, Site, Stats};

use crate::collapse::Collapsed;
use crate::store::{Batch, Inserted, Meter, StateId, StateStore};
use crate::system::{Expansion, Finding, Stop, System, ThreadSet};
use crate::{End, Exploration, Failure, Onward, Wrong};

/// Words of states generated between two looks at the budget.
const WORK_BETWEEN_CHECKS: usize = 1 << 16;
/// Words of steps out of states before they are taken.
const MOST_STEPS: usize = 1 << 20;
/// States that a thread takes from a layer at a time.
const CHUNK: usize = 1 << 8;
/// Layers with fewer states than this for each thread are expanded by one.
const WORTH_A_THREAD: usize = 1 << 10;

/// States of fewer words are not worth collapsing.
const WORTH_COLLAPSING: usize = 3;

/// What ends a search before all has been visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// A step that leaves SC.
    LeaveSc,
    /// Something that goes wrong under SC.
    Failure,
    /// An assertion that fails under SC; whatever else goes wrong is ignored.
    Assertion,
    /// Nothing in particular: all that goes wrong is collected, each thing once.
    Everything,
}

impl Goal {
    pub(crate) fn is_about(self, kind: &ScFailureKind) -> bool {
        self != Goal::Assertion || *kind == ScFailureKind::Assertion
    }

    /// Is it reached when something fails under SC?
    pub(crate) fn is_failure(self) -> bool {
        matches!(self, Goal::Failure | Goal::Assertion)
    }
}

/// Visits every reachable state of `system`, on `jobs` threads, or as many as it takes to reach
/// `goal`.
pub(crate) fn breadth_first(system: &impl System, goal: Goal, jobs: usize, budget: &Budget<'_>) -> Exploration {
    Search::new(system, goal, jobs, budget).run()
}

/// Visits every reachable state of `system` and collects all that goes wrong, each thing with a
/// shortest run that leads there. What goes wrong under SC is not told again of runs that have left
/// it.
pub(crate) fn everything(system: &impl System, jobs: usize, budget: &Budget<'_>) -> Onward {
    let mut search = Search::new(system, Goal::Everything, jobs, budget);
    let Exploration { end, bound, stats, .. } = search.run();
    let Search { known, found, .. } = search;
    let is_new = |key: &Key| !(key.strayed && known.contains(&Key { strayed: false, ..*key }));
    let found = found.into_iter().filter(|(key, _)| is_new(key)).map(|(_, found)| found).collect();
    let cut = match end {
        End::GaveUp(reason) => Some(reason),
        End::Exhausted | End::Found(_) | End::Failed => None,
    };
    Onward { found, cut, bound, stats }
}

type Hasher = foldhash::fast::FixedState;

/// The visited states.
enum Visited {
    Plain(StateStore<Hasher>),
    /// When memory ran short.
    Collapsed(Collapsed<Hasher>),
}

impl Visited {
    fn insert(&self, state: &[u64]) -> Result<Inserted, Reason> {
        match self {
            Visited::Plain(store) => store.insert(state).map(|(inserted, _)| inserted),
            Visited::Collapsed(store) => store.insert(state),
        }
    }

    /// Inserts everything the steps of `out` lead to.
    fn insert_all(&self, out: &Expansion, batch: &mut Batch) -> Result<(), Reason> {
        match self {
            Visited::Plain(store) => store.insert_all(out.targets(), batch),
            Visited::Collapsed(store) => {
                for (step, inserted) in batch.reset(out.len()).iter_mut().enumerate() {
                    *inserted = store.insert(out.target(step))?;
                }
                Ok(())
            }
        }
    }

    fn copy(&self, shard: usize, ids: std::ops::Range<StateId>, states: &mut Vec<u64>) {
        match self {
            Visited::Plain(store) => store.copy(shard, ids, states),
            Visited::Collapsed(store) => store.copy(shard, ids, states),
        }
    }

    /// What has one entry for every state.
    fn entries(&self) -> &StateStore<Hasher> {
        match self {
            Visited::Plain(store) => store,
            Visited::Collapsed(store) => store.entries(),
        }
    }
}

struct Search<'a, S> {
    system: &'a S,
    goal: Goal,
    budget: &'a Budget<'a>,
    meter: Arc<Meter>,
    store: Visited,
    jobs: usize,
    /// Where each shard's part of every finished layer ends.
    layers: Vec<Vec<StateId>>,
    /// Is there no point in going on with this layer?
    stopped: AtomicBool,
    /// What has been collected in earlier layers,
    known: BTreeSet<Key>,
    /// with a run for each.
    found: Vec<(Key, Wrong)>,
}

/// Something that goes wrong: what it has in common with other runs to it. Threads with the same
/// code count as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// Has the run left SC?
    strayed: bool,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Failure((ThreadId, Pc), &'static str),
    Race((ThreadId, Pc), (ThreadId, Pc)),
    LateRace((ThreadId, Pc)),
    Other,
}

/// What a thread needs to expand a piece of a layer, used again and again.
struct Piece {
    out: Expansion,
    batch: Batch,
    /// For every step, the state it is out of.
    source: Vec<usize>,
    /// For every state, the persistent sets that have not been tried.
    sets: Vec<Vec<ThreadSet>>,
    /// For every state, the threads whose steps have been taken; all, if enough have.
    done: Vec<ThreadSet>,
    /// The states that need more steps.
    active: Vec<usize>,
}

impl Piece {
    fn new(words: usize) -> Self {
        Piece {
            out: Expansion::new(words),
            batch: Batch::default(),
            source: Vec::new(),
            sets: Vec::new(),
            done: Vec::new(),
            active: Vec::new(),
        }
    }
}

/// A state, as the search stores it.
pub(crate) type State = Vec<u64>;

/// A state, and a shortest run to it.
pub(crate) struct Reached {
    pub(crate) run: Run,
    /// The step of the run that leaves SC.
    stale: Option<usize>,
    pub(crate) state: State,
}

/// What was met in a layer.
#[derive(Default)]
struct Met {
    transitions: u64,
    /// The greatest state of the next layer from which SC can be left.
    finding: Option<State>,
    /// The greatest state with a step on which something goes wrong: at which instruction, and
    /// what.
    failure: Option<(State, Pc, ScFailureKind)>,
    /// The first instruction at which the program is not modelled any further.
    bound: Option<(ThreadId, Pc)>,
    speculative: BTreeSet<(ThreadId, Pc)>,
    /// What is to be collected, with the greatest state on whose steps, or in which, it happens.
    all: BTreeMap<Key, State>,
    gave_up: Option<Reason>,
}

impl Met {
    fn collect(&mut self, key: Key, state: &[u64]) {
        match self.all.get_mut(&key) {
            Some(greatest) if greatest[..] >= *state => {}
            Some(greatest) => greatest.copy_from_slice(state),
            None => _ = self.all.insert(key, state.to_vec()),
        }
    }

    fn merge(&mut self, other: Met) {
        self.transitions += other.transitions;
        self.finding = [self.finding.take(), other.finding].into_iter().flatten().max();
        self.failure =
            [self.failure.take(), other.failure].into_iter().flatten().max_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        self.bound = [self.bound, other.bound].into_iter().flatten().min();
        self.speculative.extend(other.speculative);
        other.all.iter().for_each(|(key, state)| self.collect(*key, state));
        self.gave_up = self.gave_up.take().or(other.gave_up);
    }
}

impl<'a, S: System> Search<'a, S> {
    fn new(system: &'a S, goal: Goal, jobs: usize, budget: &'a Budget<'a>) -> Self {
        let jobs = jobs.max(1);
        let meter = Meter::new(budget.max_bytes);
        let store = StateStore::new(system.words(), Hasher::default(), jobs, budget.max_states, Arc::clone(&meter));
        Search {
            system,
            goal,
            budget,
            meter,
            store: Visited::Plain(store),
            jobs,
            layers: Vec::new(),
            stopped: AtomicBool::new(false),
            known: BTreeSet::new(),
            found: Vec::new(),
        }
    }

    fn run(&mut self) -> Exploration {
        let initial = self.system.initial();
        let (mut failure, mut bound) = (None, None);
        for (end, (site, stop)) in initial.stopped {
            match stop {
                Stop::Failure(kind) if self.goal == Goal::Everything => {
                    let run = Run { steps: initial.trace[..end].to_vec() };
                    let key = Key { strayed: false, what: self.failure(site, &kind) };
                    if self.known.insert(key) {
                        self.found.push((key, Wrong { run, stale: None, what: Failure::Fails(site, kind) }));
                    }
                }
                Stop::GiveUp(_) => unreachable!("only a step can be too much"),
                Stop::Bound => bound = bound.or(Some(site)),
                Stop::Failure(kind) if failure.is_none() && self.goal.is_about(&kind) => {
                    failure = Some(ScFailure { kind, site, run: Run { steps: initial.trace[..end].to_vec() } });
                }
                Stop::Failure(_) => {}
            }
        }
        let mut stats = Stats { state_bits: self.system.bits() as u64, ..Stats::default() };
        let mut speculative = BTreeSet::new();
        let mut start = initial.state;
        self.system.canonical(&mut start);
        let mut end = match self.store.insert(&start) {
            Err(reason) => Some(End::GaveUp(reason)),
            Ok(_) if self.goal == Goal::Everything => {
                let mut met = Met::default();
                self.inspect(&start, &mut met);
                self.collect(met.all).err().map(End::GaveUp)
            }
            Ok(_) if self.goal.is_failure() => failure.is_some().then_some(End::Failed),
            Ok(_) => self.system.inspect(&start).map(|_| self.found(&start)),
        };
        while end.is_none() {
            let layer = self.store.entries().end_layer();
            let chunks = self.chunks(&layer);
            self.layers.push(layer);
            if chunks.is_empty() {
                end = Some(End::Exhausted);
                break;
            }
            // Within a layer, what has been found depends on who was faster.
            (self.budget.rest)(self.progress(frontier(&chunks)));
            let mut met = self.expand_layer(&chunks);
            if matches!(met.gave_up, Some(Reason::Memory(_))) && met.finding.is_none() && self.can_collapse() {
                if let Err(reason) = self.collapse() {
                    end = Some(End::GaveUp(reason));
                    break;
                }
                let layer = self.layers.pop().expect("the layer that was expanded");
                let chunks = self.chunks(&layer);
                self.layers.push(layer);
                met = self.expand_layer(&chunks);
            }
            stats.transitions += met.transitions;
            speculative.extend(met.speculative);
            bound = bound.or(met.bound.map(|(thread, pc)| Site { thread, pc }));
            if let (None, Some((state, pc, kind))) = (&failure, met.failure) {
                let run = self.failing_run(&state, |site, what, _| site.pc == pc && *what == kind);
                failure = run.and_then(Wrong::under_sc);
                if failure.is_none() {
                    met.gave_up = Some(Reason::Time);
                }
            }
            if let Err(reason) = self.collect(std::mem::take(&mut met.all)) {
                met.gave_up = Some(reason);
            }
            if self.goal.is_failure() && failure.is_some() {
                stats.depth = self.layers.len() as u64;
                end = Some(End::Failed);
            } else if let Some(state) = met.finding {
                stats.depth = self.layers.len() as u64;
                end = Some(self.found(&state));
            } else if let Some(reason) = met.gave_up {
                end = Some(End::GaveUp(reason));
            } else {
                stats.depth = self.layers.len() as u64 - 1;
            }
        }
        stats.states = self.store.entries().len();
        stats.peak_bytes = self.meter.peak();
        let speculative = speculative.into_iter().map(|(thread, pc)| Site { thread, pc }).collect();
        Exploration { end: end.expect("the search has ended"), sc_failure: failure, bound, speculative, stats }
    }

    /// Is there memory to be gained?
    fn can_collapse(&self) -> bool {
        self.system.words() >= WORTH_COLLAPSING && matches!(self.store, Visited::Plain(_))
    }

    /// Makes room by collapsing all finished layers; the one after them is forgotten. If there is
    /// not even room for that, nothing is left of the store.
    fn collapse(&mut self) -> Result<(), Reason> {
        let (words, states) = (self.system.words(), self.budget.max_states);
        let collapsed = Visited::Collapsed(Collapsed::new(words, Hasher::default(), self.jobs, states, &self.meter));
        let Visited::Plain(plain) = std::mem::replace(&mut self.store, collapsed) else { return Ok(()) };
        let mut layers = Vec::new();
        let mut moved = 0usize;
        plain.dissolve(&self.layers, |state| match state {
            Some(state) => {
                moved += words;
                if moved > WORK_BETWEEN_CHECKS {
                    moved = 0;
                    self.in_time()?;
                }
                self.store.insert(state).map(|_| ())
            }
            None => {
                layers.push(self.store.entries().end_layer());
                Ok(())
            }
        })?;
        self.layers = layers;
        self.stopped.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// The work of a layer that ends at `ends`, in pieces.
    fn chunks(&self, ends: &[StateId]) -> Vec<(usize, std::ops::Range<StateId>)> {
        pieces(self.layers.last(), ends)
    }

    /// The same for a finished layer.
    fn chunks_of(&self, layer: usize) -> Vec<(usize, std::ops::Range<StateId>)> {
        pieces(layer.checked_sub(1).map(|before| &self.layers[before]), &self.layers[layer])
    }

    fn expand_layer(&self, chunks: &[(usize, std::ops::Range<StateId>)]) -> Met {
        let states = frontier(chunks);
        let jobs = self.jobs.min(states / WORTH_A_THREAD).max(1);
        let next = AtomicUsize::new(0);
        let met = Mutex::new(Met::default());
        let work = || {
            let found = self.work(chunks, &next, states);
            met.lock().unwrap_or_else(PoisonError::into_inner).merge(found);
        };
        std::thread::scope(|scope| {
            for _ in 1..jobs {
                scope.spawn(work);
            }
            work();
        });
        met.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Expands pieces of the layer as long as there are any.
    fn work(&self, chunks: &[(usize, std::ops::Range<StateId>)], next: &AtomicUsize, frontier: usize) -> Met {
        let mut met = Met::default();
        let mut states = Vec::new();
        let mut piece = Piece::new(self.system.words());
        let mut work = WORK_BETWEEN_CHECKS;
        while let Some((shard, ids)) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
            states.clear();
            self.store.copy(*shard, ids.clone(), &mut states);
            if let Err(reason) = self.expand(&states, ids.len(), &mut piece, &mut met) {
                met.gave_up = Some(reason);
                self.stopped.store(true, Ordering::Relaxed);
            }
            work += states.len() + 8 * ids.len();
            if work >= WORK_BETWEEN_CHECKS {
                work = 0;
                (self.budget.progress)(self.progress(frontier));
                if let Err(reason) = self.in_time() {
                    met.gave_up = Some(reason);
                    self.stopped.store(true, Ordering::Relaxed);
                }
            }
            if self.stopped.load(Ordering::Relaxed) {
                return met;
            }
        }
        met
    }

    fn in_time(&self) -> Result<(), Reason> {
        if (self.budget.expired)() { Err(Reason::Time) } else { Ok(()) }
    }

    /// Adds to the effort that an expansion takes, and looks at the clock now and then.
    fn pay(&self, effort: usize, out: &mut Expansion) -> Result<(), Reason> {
        out.effort += effort;
        if out.effort > WORK_BETWEEN_CHECKS {
            out.effort = 0;
            self.in_time()?;
        }
        Ok(())
    }

    fn progress(&self, frontier: usize) -> Progress {
        Progress {
            states: self.store.entries().len(),
            frontier: frontier as u64,
            depth: self.layers.len() as u64,
            bytes: self.meter.used(),
        }
    }

    /// Takes enough steps out of each of `count` states.
    fn expand(&self, states: &[u64], count: usize, piece: &mut Piece, met: &mut Met) -> Result<(), Reason> {
        let words = self.system.words();
        let state = |i: usize| &states[i * words..(i + 1) * words];
        piece.sets.resize_with(count, Vec::new);
        for i in 0..count {
            piece.sets[i].clear();
            self.system.persistent(state(i), &mut piece.sets[i]);
            // Best last, where it is taken from.
            piece.sets[i].reverse();
        }
        piece.done.clear();
        piece.done.resize(count, 0);
        piece.active.clear();
        piece.active.extend(0..count);
        while !piece.active.is_empty() {
            piece.out.clear();
            piece.source.clear();
            for active in 0..piece.active.len() {
                let i = piece.active[active];
                // All that has not been taken, if no set is left.
                let set = piece.sets[i].pop();
                let wanted = set.unwrap_or(ThreadSet::MAX) & !piece.done[i];
                piece.done[i] = if set.is_some() { piece.done[i] | wanted } else { ThreadSet::MAX };
                let beyond = |t: usize| t >= ThreadSet::BITS as usize;
                for t in
                    (0..self.system.threads()).filter(|&t| if beyond(t) { set.is_none() } else { wanted >> t & 1 == 1 })
                {
                    self.system.expand(state(i), t, &mut piece.out);
                    self.pay(words, &mut piece.out)?;
                }
                piece.source.resize(piece.out.len(), i);
                if piece.out.targets().len() > MOST_STEPS {
                    self.take(states, piece, met)?;
                    piece.out.clear();
                    piece.source.clear();
                }
            }
            self.take(states, piece, met)?;
            let done = &piece.done;
            piece.active.retain(|&i| done[i] != ThreadSet::MAX);
        }
        Ok(())
    }

    /// Takes the steps of a piece; states with one that leads to a state yet to be expanded are
    /// done.
    fn take(&self, states: &[u64], piece: &mut Piece, met: &mut Met) -> Result<(), Reason> {
        let words = self.system.words();
        for step in 0..piece.out.len() {
            met.transitions += 1;
            let successor = piece.out.step(step);
            match &successor.stopped {
                Some((site, Stop::Failure(kind))) if self.goal == Goal::Everything => {
                    let strayed = self.system.has_strayed(piece.out.target(step));
                    let key = Key { strayed, what: self.failure(*site, kind) };
                    if !self.known.contains(&key) {
                        met.collect(key, &states[piece.source[step] * words..(piece.source[step] + 1) * words]);
                    }
                }
                Some((site, Stop::Failure(kind))) if self.goal.is_about(kind) => {
                    let state = &states[piece.source[step] * words..(piece.source[step] + 1) * words];
                    let failure = (state.to_vec(), site.pc, kind.clone());
                    if met.failure.as_ref().is_none_or(|greatest| (&failure.0, failure.1) > (&greatest.0, greatest.1)) {
                        met.failure = Some(failure);
                    }
                }
                Some((site, Stop::Bound)) => {
                    let site = (site.thread, site.pc);
                    met.bound = Some(met.bound.map_or(site, |first| first.min(site)));
                }
                Some((_, Stop::GiveUp(reason))) => return Err(reason.clone()),
                None | Some((_, Stop::Failure(_))) => {}
            }
            if successor.speculative {
                met.speculative.insert((successor.site.thread, successor.site.pc));
            }
            self.system.canonical(piece.out.target_mut(step));
            self.pay(words, &mut piece.out)?;
        }
        self.store.insert_all(&piece.out, &mut piece.batch)?;
        for (step, &inserted) in piece.batch.inserted().iter().enumerate() {
            self.pay(words, &mut piece.out)?;
            if inserted != Inserted::Old && piece.out.step(step).pure {
                piece.done[piece.source[step]] = ThreadSet::MAX;
            }
            let target = piece.out.target(step);
            if inserted == Inserted::New && self.goal == Goal::Everything {
                self.inspect(target, met);
            }
            if inserted == Inserted::New
                && self.goal == Goal::LeaveSc
                && self.system.inspect(target).is_some()
                && met.finding.as_ref().is_none_or(|greatest| target[..] > greatest[..])
            {
                met.finding = Some(target.to_vec());
            }
        }
        Ok(())
    }

    /// Notes all that is wrong in a state and not known yet.
    fn inspect(&self, state: &[u64], met: &mut Met) {
        let mut found = Vec::new();
        self.system.inspect_all(state, &mut found);
        let strayed = self.system.has_strayed(state);
        for finding in found {
            let key = Key { strayed, what: self.race(finding) };
            if !self.known.contains(&key) {
                met.collect(key, state);
            }
        }
    }

    /// An instruction, the same for all threads with its code.
    fn place(&self, site: Site) -> (ThreadId, Pc) {
        (self.system.first_equal(site.thread), site.pc)
    }

    fn failure(&self, site: Site, kind: &ScFailureKind) -> What {
        let kind = match kind {
            ScFailureKind::Assertion => "assertion",
            ScFailureKind::DivisionByZero => "division",
            ScFailureKind::IndexOutOfRange { .. } => "index",
        };
        What::Failure(self.place(site), kind)
    }

    fn race(&self, finding: Finding) -> What {
        match finding {
            Finding::Race(first, second) => {
                let (first, second) = (self.place(first), self.place(second));
                What::Race(first.min(second), first.max(second))
            }
            Finding::LateRace(site) => What::LateRace(self.place(site)),
            Finding::Stale(_) | Finding::TaintedUse(_) => What::Other,
        }
    }

    /// Rebuilds a run to each thing that was met in the last layer for the first time: in a state
    /// of the layer being built, or on a step out of one of the last finished layer.
    fn collect(&mut self, met: BTreeMap<Key, State>) -> Result<(), Reason> {
        for (key, state) in met {
            let wrong = match key.what {
                What::Failure(..) => self.failing_run(&state, |site, kind, target| {
                    self.failure(site, kind) == key.what && self.system.has_strayed(target) == key.strayed
                }),
                What::Race(..) | What::LateRace(_) | What::Other => self.wrong_in(&state, key.what),
            };
            self.found.push((key, wrong.ok_or(Reason::Time)?));
            self.known.insert(key);
        }
        Ok(())
    }

    /// A run to `state`, a state of the layer being built, in which this is wrong; none if time
    /// runs out.
    fn wrong_in(&self, state: &[u64], what: What) -> Option<Wrong> {
        let Reached { run, stale, state } = self.run_to(state, self.layers.len())?;
        let mut found = Vec::new();
        self.system.inspect_all(&state, &mut found);
        let is_it = |finding: &Finding| self.race(*finding) == what;
        let what = match found.into_iter().find(is_it).expect("names of threads make no difference") {
            Finding::Race(first, second) => Failure::Race(first, second),
            Finding::LateRace(site) | Finding::Stale(site) | Finding::TaintedUse(site) => Failure::LateRace(site),
        };
        Some(Wrong { run, stale, what })
    }

    /// What leaves SC from `state`, a state of the last layer, as threads of the program do it.
    fn found(&self, state: &[u64]) -> End {
        let Some(Reached { run, state, .. }) = self.run_to(state, self.layers.len()) else {
            return End::GaveUp(Reason::Time);
        };
        End::Found(match self.system.inspect(&state).expect("names of threads make no difference") {
            Finding::Stale(site) => Candidate::Stale { run, site },
            Finding::TaintedUse(site) => Candidate::TaintedUse { run, site },
            Finding::LateRace(site) => Candidate::LateRace { run, site },
            Finding::Race(first, second) => Candidate::Race { run, first, second },
        })
    }

    /// A run that goes wrong at a step out of `state`, a state of the last finished layer; none if
    /// time runs out. `is_it` is told of failures, and where the thread that fails is left.
    fn failing_run(&self, state: &[u64], is_it: impl Fn(Site, &ScFailureKind, &[u64]) -> bool) -> Option<Wrong> {
        let Reached { mut run, mut stale, state } = self.run_to(state, self.layers.len() - 1)?;
        let mut out = Expansion::traced(self.system.words());
        for t in 0..self.system.threads() {
            self.system.expand(&state, t, &mut out);
        }
        let fails = |step: usize| match &out.step(step).stopped {
            Some((site, Stop::Failure(kind))) if is_it(*site, kind, out.target(step)) => {
                Some((step, *site, kind.clone()))
            }
            _ => None,
        };
        let (step, site, kind) = (0..out.len()).find_map(fails).expect("names of threads make no difference");
        if strays(self.system, &state, out.target(step)) {
            stale = Some(run.steps.len());
        }
        run.steps.extend_from_slice(out.trace(step));
        Some(Wrong { run, stale, what: Failure::Fails(site, kind) })
    }

    /// A shortest run to a state that is equal to `state`, in this layer, up to names of threads;
    /// and that state. None if time runs out.
    fn run_to(&self, state: &[u64], layer: usize) -> Option<Reached> {
        let mut path = vec![state.to_vec()];
        for layer in (0..layer).rev() {
            let predecessor = self.predecessor(layer, path.last().expect("a state")).ok()?;
            path.push(predecessor.expect("a state was reached from one of the layer before"));
        }
        Some(walk(self.system, &path))
    }

    /// The greatest state of a finished layer with a step to `state`.
    fn predecessor(&self, layer: usize, state: &[u64]) -> Result<Option<State>, Reason> {
        let words = self.system.words();
        let mut out = Expansion::new(words);
        let mut states = Vec::new();
        let mut greatest: Option<State> = None;
        let mut work = 0;
        for (shard, ids) in self.chunks_of(layer) {
            states.clear();
            self.store.copy(shard, ids.clone(), &mut states);
            work += states.len();
            if work > WORK_BETWEEN_CHECKS {
                work = 0;
                self.in_time()?;
            }
            for candidate in (0..ids.len()).map(|i| &states[i * words..(i + 1) * words]) {
                if greatest.as_ref().is_some_and(|greatest| greatest[..] >= *candidate) {
                    continue;
                }
                out.clear();
                for t in 0..self.system.threads() {
                    self.system.expand(candidate, t, &mut out);
                    self.pay(words, &mut out)?;
                }
                let steps = out.len();
                let mut leads_there = |step: usize| {
                    let reached = out.target_mut(step);
                    self.system.canonical(reached);
                    *reached == *state
                };
                if (0..steps).any(&mut leads_there) {
                    greatest = Some(candidate.to_vec());
                }
            }
        }
        Ok(greatest)
    }
}

/// Is SC left on the way from one state to the next?
fn strays(system: &impl System, from: &[u64], to: &[u64]) -> bool {
    !system.has_strayed(from) && system.has_strayed(to)
}

/// The run along a path of states that are equal to its own up to names of threads, the last one
/// first; and where it leads.
pub(crate) fn walk(system: &impl System, path: &[State]) -> Reached {
    let initial = system.initial();
    let mut run = Run { steps: initial.trace };
    let mut at = initial.state;
    let mut stale = None;
    let mut out = Expansion::traced(system.words());
    for target in path.iter().rev().skip(1) {
        out.clear();
        for t in 0..system.threads() {
            system.expand(&at, t, &mut out);
        }
        let leads_there = |step: &usize| {
            let mut reached = out.target(*step).to_vec();
            system.canonical(&mut reached);
            reached == *target
        };
        let step = (0..out.len()).find(leads_there).expect("names of threads make no difference");
        if strays(system, &at, out.target(step)) {
            stale = Some(run.steps.len());
        }
        run.steps.extend_from_slice(out.trace(step));
        at = out.target(step).to_vec();
    }
    Reached { run, stale, state: at }
}

/// How many states are in these pieces.
fn frontier(chunks: &[(usize, std::ops::Range<StateId>)]) -> usize {
    chunks.iter().map(|(_, ids)| ids.len()).sum()
}

/// What lies between the ends of one layer in every shard and those of the next, in pieces.
fn pieces(before: Option<&Vec<StateId>>, ends: &[StateId]) -> Vec<(usize, std::ops::Range<StateId>)> {
    let mut chunks = Vec::new();
    for (shard, &end) in ends.iter().enumerate() {
        let start = before.map_or(0, |before| before[shard]);
        for first in (start..end).step_by(CHUNK) {
            chunks.push((shard, first..end.min(first + CHUNK as StateId)));
        }
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::Initial;
    use fencepost_verdict::RunStep;

    /// Thread `t` counts to `to[t]`; all others look on. States are much wider than they need be.
    struct Counters {
        to: [u64; 2],
        /// Where SC can be left.
        bad: Option<[u64; 2]>,
    }

    const WORDS: usize = 9;

    fn site(t: usize, pc: u64) -> Site {
        Site { thread: ThreadId::from_index(t), pc: Pc(pc as u32) }
    }

    impl System for Counters {
        fn words(&self) -> usize {
            WORDS
        }

        fn bits(&self) -> usize {
            WORDS * 64
        }

        fn threads(&self) -> usize {
            2
        }

        fn initial(&self) -> Initial {
            Initial { state: vec![0; WORDS], trace: Vec::new(), stopped: Vec::new() }
        }

        fn expand(&self, state: &[u64], t: usize, out: &mut Expansion) {
            let place = 5 * t + 1;
            if state[place] < self.to[t] {
                let trace = out.begin(state, RunStep { site: site(t, state[place]), label: None, choice: None });
                out.state()[place] += 1;
                out.keep(site(t, state[place]), None, false, true, trace);
            }
        }

        fn persistent(&self, _: &[u64], _: &mut Vec<ThreadSet>) {}

        fn canonical(&self, _: &mut [u64]) {}

        fn inspect(&self, state: &[u64]) -> Option<Finding> {
            (self.bad == Some([state[1], state[6]])).then_some(Finding::Stale(site(0, 0)))
        }
    }

    fn search(system: &Counters, jobs: usize, max_bytes: u64) -> Exploration {
        breadth_first(system, Goal::LeaveSc, jobs, &Budget { max_bytes, ..Budget::unlimited() })
    }

    #[test]
    fn a_search_short_of_memory_collapses_its_states_and_goes_on() {
        let system = Counters { to: [200, 300], bad: None };
        let ample = search(&system, 1, u64::MAX);
        assert!(matches!(ample.end, End::Exhausted));
        assert_eq!((ample.stats.states, ample.stats.depth), (201 * 301, 500));
        for jobs in [1, 2] {
            let scarce = search(&system, jobs, ample.stats.peak_bytes * 6 / 10);
            assert!(matches!(scarce.end, End::Exhausted), "{:?} with {jobs} jobs", scarce.end);
            assert_eq!(scarce.stats.states, ample.stats.states);
            assert!(scarce.stats.peak_bytes <= ample.stats.peak_bytes * 6 / 10);
        }
    }

    #[test]
    fn runs_are_rebuilt_from_collapsed_states() {
        let system = Counters { to: [200, 300], bad: Some([190, 280]) };
        let found = |exploration: Exploration| match exploration.end {
            End::Found(candidate) => candidate,
            other => panic!("{other:?}"),
        };
        let ample = search(&system, 1, u64::MAX);
        let less = ample.stats.peak_bytes * 6 / 10;
        let ample = found(ample);
        assert_eq!(ample.steps(), 470);
        assert_eq!(ample, found(search(&system, 1, less)));
        assert_eq!(ample, found(search(&system, 2, less)));
    }

    #[test]
    fn a_search_that_runs_out_of_memory_says_so() {
        let system = Counters { to: [200, 300], bad: None };
        assert!(matches!(search(&system, 1, 200_000).end, End::GaveUp(Reason::Memory(200_000))));
    }
}
