//! Breadth-first search by layers, on several threads.
//!
//! A layer is the set of states at one distance from the start. The threads share the work of
//! expanding a layer, and meet before the next one. What a layer contains does not depend on who
//! finds it first. So the number of states and the verdict do not depend on it either. Nor does the
//! witness, because runs are rebuilt by taking the greatest of all predecessors.
//!
//! No parents are kept. A run is rebuilt by looking for predecessors layer by layer, backwards
//! ([`path`]). That costs another pass over the states, but only when there is something to show.
//!
//! Layers are in memory ([`memory`]), or on a disk ([`delayed`]), where the same states are visited.
//! At the end of a layer, a search can write down how far it is, for another process to go on
//! ([`checkpoint`]).
//!
//! Partial-order reduction: of the steps out of a state it is enough to take those of a persistent
//! set, provided that one of them leads to a state in the layer that is being built. Otherwise the
//! steps of the set lead only to states that have been expanded, and what was put off might be put
//! off for ever (see [`crate::ample`]).

mod checkpoint;
mod delayed;
mod forecast;
mod memory;
pub(crate) mod path;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use fencepost_base::ids::{Pc, ThreadId};
use fencepost_runs::Run as StatesRun;
use fencepost_verdict::{Budget, Progress, Reason, Run, ScFailure, ScFailureKind, Site, Stats};

use crate::store::Batch;
use crate::system::{Expansion, Finding, Stop, System, ThreadSet};
use crate::visited::{Visited, Wanted};
use crate::{End, Exploration, Failure, Onward, Wrong};
use checkpoint::Checkpoint;

/// Words of states generated between two looks at the budget.
const WORK_BETWEEN_CHECKS: usize = 1 << 16;
/// Words of steps out of states before they are taken.
const MOST_STEPS: usize = 1 << 20;
/// Layers with fewer states than this for each thread are expanded by one.
const WORTH_A_THREAD: usize = 1 << 10;

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

/// What is asked, and how.
pub(crate) struct Asked<'a> {
    pub(crate) goal: Goal,
    /// Threads to search with.
    pub(crate) jobs: usize,
    pub(crate) budget: &'a Budget<'a>,
    /// All that the answer depends on, as a text: to tell what belongs to this search from what
    /// belongs to others.
    pub(crate) question: &'a dyn Fn() -> String,
}

/// Visits every reachable state of `system`, or as many as it takes to reach the goal.
pub(crate) fn breadth_first(system: &impl System, asked: &Asked<'_>) -> Exploration {
    Search::new(system, asked).run()
}

/// Visits every reachable state of `system` and collects all that goes wrong, each thing with a
/// shortest run that leads there. What goes wrong under SC is not told again of runs that have left
/// it.
pub(crate) fn everything(system: &impl System, asked: &Asked<'_>) -> Onward {
    let mut search = Search::new(system, asked);
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

struct Search<'a, S> {
    system: &'a S,
    goal: Goal,
    budget: &'a Budget<'a>,
    jobs: usize,
    wanted: Wanted<'a>,
    visited: Visited<'a>,
    /// The layer after the finished ones, if it is on a disk.
    next: Option<StatesRun>,
    checkpoint: Option<Checkpoint<'a>>,
    /// Is the layer that would be finished next finished already, by another process?
    is_finished: bool,
    /// How many layers there will be, roughly, if anybody wants to know.
    horizon: usize,
    /// Is there no point in going on with this layer?
    stopped: AtomicBool,
    so_far: SoFar,
    /// What has been collected in earlier layers,
    known: BTreeSet<Key>,
    /// with a run for each.
    found: Vec<(Key, Wrong)>,
}

/// What the finished layers have told, but for runs.
#[derive(Default)]
struct SoFar {
    transitions: u64,
    depth: u64,
    bound: Option<(ThreadId, Pc)>,
    speculative: BTreeSet<(ThreadId, Pc)>,
    /// The first failure under SC: out of which state, and in which layer.
    failure: Option<(usize, Failed)>,
    /// What is collected, with how many layers were finished then.
    collected: Vec<(usize, Key, State)>,
}

/// The greatest state with a step on which something goes wrong: at which instruction, and what.
type Failed = (State, Pc, ScFailureKind);

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

/// What was met in a layer.
#[derive(Default)]
struct Met {
    transitions: u64,
    /// The greatest state of the next layer from which SC can be left.
    finding: Option<State>,
    failure: Option<Failed>,
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
    fn new(system: &'a S, asked: &Asked<'a>) -> Self {
        let Asked { goal, budget, question, .. } = *asked;
        let jobs = asked.jobs.max(1);
        let checkpoint = budget.disk.filter(|_| system.words() > 0).and_then(|disk| disk.checkpoint);
        let question = checkpoint.map(|_| question());
        let prefix = question.as_deref().map_or_else(checkpoint::unique, checkpoint::prefix);
        let wanted = Wanted::new(system.words(), jobs, budget, prefix);
        let checkpoint = checkpoint.zip(question).map(|(due, question)| Checkpoint::new(question, due));
        Search {
            system,
            goal,
            budget,
            jobs,
            visited: Visited::Memory(wanted.plain()),
            wanted,
            next: None,
            checkpoint,
            is_finished: false,
            horizon: 0,
            stopped: AtomicBool::new(false),
            so_far: SoFar::default(),
            known: BTreeSet::new(),
            found: Vec::new(),
        }
    }

    fn run(&mut self) -> Exploration {
        let initial = self.system.initial();
        let mut failure = None;
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
                Stop::Bound => self.so_far.bound = self.so_far.bound.or(Some((site.thread, site.pc))),
                Stop::Failure(kind) if failure.is_none() && self.goal.is_about(&kind) => {
                    failure = Some(ScFailure { kind, site, run: Run { steps: initial.trace[..end].to_vec() } });
                }
                Stop::Failure(_) => {}
            }
        }
        let mut end = match self.resume() {
            Ok(false) => self.begin(initial.state, failure.is_some()),
            Ok(true) => self.retell(&mut failure).map(|()| None),
            Err(reason) => Err(reason),
        }
        .unwrap_or_else(|reason| Some(End::GaveUp(reason)));
        if end.is_none() && self.budget.forecast.is_some() {
            self.horizon = self.horizon();
        }
        while end.is_none() {
            end = self.layer(&mut failure).unwrap_or_else(|reason| Some(End::GaveUp(reason)));
        }
        self.clean();
        let SoFar { transitions, depth, bound, ref speculative, .. } = self.so_far;
        let site = |(thread, pc)| Site { thread, pc };
        Exploration {
            end: end.expect("the search has ended"),
            sc_failure: failure,
            bound: bound.map(site),
            speculative: speculative.iter().copied().map(site).collect(),
            stats: Stats {
                states: self.visited.len() + self.next.as_ref().map_or(0, StatesRun::len),
                transitions,
                depth,
                state_bits: self.system.bits() as u64,
                peak_bytes: self.wanted.meter.peak(),
                ..Stats::default()
            },
        }
    }

    /// Removes the files of the search, but for those that another process can go on with. What
    /// cannot be removed is left to whoever owns the folder.
    fn clean(&self) {
        let Some(folder) = &self.wanted.folder else { return };
        let kept = self.checkpoint.as_ref().map_or_else(Vec::new, |checkpoint| checkpoint.files(&self.visited));
        let is_left = |name: &String| name.starts_with(folder.prefix()) && !kept.contains(name);
        for name in folder.files().names().unwrap_or_default().iter().filter(|name| is_left(name)) {
            let _ = folder.files().remove(name);
        }
    }

    /// The first state, and whether that is the end.
    fn begin(&mut self, mut start: State, has_failed: bool) -> Result<Option<End>, Reason> {
        self.system.canonical(&mut start);
        self.insert_first(&start)?;
        if self.goal == Goal::Everything {
            let mut met = Met::default();
            self.inspect(&start, &mut met);
            return self.collect(met.all).map(|()| None);
        }
        if self.goal.is_failure() {
            return Ok(has_failed.then_some(End::Failed));
        }
        Ok(self.system.inspect(&start).map(|_| self.found(&start)))
    }

    fn insert_first(&mut self, start: &[u64]) -> Result<(), Reason> {
        match &self.visited {
            Visited::Memory(memory) => match memory.insert(start) {
                Err(Reason::Memory(_)) if self.wanted.can_spill() => {
                    self.visited.make_room(&self.wanted, &in_time(self.budget))?;
                    self.insert_first(start)
                }
                inserted => inserted.map(|_| ()),
            },
            Visited::Disk(disk) => {
                self.next = Some(disk.single(start)?);
                Ok(())
            }
        }
    }

    /// Finishes the layer that is being built, and builds the next one; the end of the search, if
    /// that is it. What goes wrong under SC first, is put into `failure`.
    fn layer(&mut self, failure: &mut Option<ScFailure>) -> Result<Option<End>, Reason> {
        let frontier = self.end_layer()?;
        if frontier == 0 {
            return Ok(Some(End::Exhausted));
        }
        self.forecast();
        self.write_down()?;
        // Within a layer, what has been found depends on who was faster.
        (self.budget.rest)(self.progress(frontier));
        let mut met = self.expand_layer();
        while matches!(met.gave_up, Some(Reason::Memory(_))) && (met.finding.is_none() || self.wanted.can_spill()) {
            let in_time = in_time(self.budget);
            if !self.visited.make_room(&self.wanted, &in_time)? {
                break;
            }
            met = self.expand_layer();
        }
        let last = self.visited.depth() - 1;
        self.so_far.transitions += met.transitions;
        self.so_far.speculative.extend(met.speculative);
        self.so_far.bound = self.so_far.bound.or(met.bound);
        let mut gave_up = met.gave_up;
        if let (None, Some(failed)) = (&failure, met.failure) {
            match self.failed(last, &failed) {
                Ok(first) => *failure = Some(first),
                Err(reason) => gave_up = Some(reason),
            }
            self.so_far.failure = Some((last, failed));
        }
        if let Err(reason) = self.collect(met.all) {
            gave_up = Some(reason);
        }
        if self.goal.is_failure() && failure.is_some() {
            self.so_far.depth = last as u64 + 1;
            return Ok(Some(End::Failed));
        }
        if let Some(state) = met.finding {
            self.so_far.depth = last as u64 + 1;
            return Ok(Some(self.found(&state)));
        }
        self.so_far.depth = last as u64;
        gave_up.map_or(Ok(None), Err)
    }

    /// The layer that was being built is finished; how many states are in it.
    fn end_layer(&mut self) -> Result<u64, Reason> {
        if std::mem::take(&mut self.is_finished) {
            return Ok(self.visited.last());
        }
        match &mut self.visited {
            Visited::Memory(memory) => Ok(memory.end_layer()),
            Visited::Disk(disk) => {
                let next = self.next.take().expect("a layer was built");
                let states = next.len();
                disk.append(next, &in_time(self.budget))?;
                Ok(states)
            }
        }
    }

    /// The run that fails at a step out of a state of this layer.
    fn failed(&self, layer: usize, (state, pc, kind): &Failed) -> Result<ScFailure, Reason> {
        let run = self.failing_run(state, layer, |site, what, _| site.pc == *pc && what == kind)?;
        run.under_sc().ok_or(Reason::Time)
    }

    /// Expands the last finished layer.
    fn expand_layer(&mut self) -> Met {
        self.stopped.store(false, Ordering::Relaxed);
        match &self.visited {
            Visited::Memory(memory) => self.expand_in(memory),
            Visited::Disk(disk) => match self.expand_on(disk) {
                Ok((met, next)) => {
                    self.next = Some(next);
                    met
                }
                Err(reason) => Met { gave_up: Some(reason), ..Met::default() },
            },
        }
    }

    /// Lets several threads do some work on a layer of so many states, if it is worth that.
    fn together(&self, states: usize, work: impl Fn() -> Met + Sync) -> Met {
        let jobs = self.jobs.min(states / WORTH_A_THREAD).max(1);
        let met = Mutex::new(Met::default());
        let work = || {
            let found = work();
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

    /// There is no point in going on with this layer.
    fn give_up(&self, reason: Reason, met: &mut Met) {
        met.gave_up = Some(reason);
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Tells how far the search is, and looks at the clock.
    fn look_up(&self, frontier: u64, met: &mut Met) {
        (self.budget.progress)(self.progress(frontier));
        if let Err(reason) = self.in_time() {
            self.give_up(reason, met);
        }
    }

    fn in_time(&self) -> Result<(), Reason> {
        in_time(self.budget)()
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

    fn progress(&self, frontier: u64) -> Progress {
        Progress {
            states: self.visited.len(),
            frontier,
            depth: self.visited.depth() as u64,
            bytes: self.wanted.meter.used(),
        }
    }

    /// Adds the steps of these threads out of `state`; of those beyond a set of threads, too, if
    /// `all` are meant.
    fn step(&self, state: &[u64], threads: ThreadSet, all: bool, out: &mut Expansion) -> Result<(), Reason> {
        let is_meant = |t: &usize| if *t >= ThreadSet::BITS as usize { all } else { threads >> t & 1 == 1 };
        for t in (0..self.system.threads()).filter(is_meant) {
            self.system.expand(state, t, out);
            self.pay(self.system.words(), out)?;
        }
        Ok(())
    }

    /// Notes what happens on the steps of a piece, and replaces the states that they lead to by those
    /// that are kept.
    fn note(&self, states: &[u64], piece: &mut Piece, met: &mut Met) -> Result<(), Reason> {
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
        Ok(())
    }

    /// Looks at a state of the layer that is being built for the first time.
    fn look_at(&self, state: &[u64], met: &mut Met) {
        if self.goal == Goal::Everything {
            self.inspect(state, met);
        }
        if self.goal == Goal::LeaveSc
            && self.system.inspect(state).is_some()
            && met.finding.as_ref().is_none_or(|greatest| state[..] > greatest[..])
        {
            met.finding = Some(state.to_vec());
        }
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
        let finished = self.visited.depth();
        met.into_iter().try_for_each(|(key, state)| self.add(finished, key, state))
    }

    /// The same for one thing that was met when so many layers were finished.
    fn add(&mut self, finished: usize, key: Key, state: State) -> Result<(), Reason> {
        let wrong = match key.what {
            What::Failure(..) => self.failing_run(&state, finished - 1, |site, kind, target| {
                self.failure(site, kind) == key.what && self.system.has_strayed(target) == key.strayed
            }),
            What::Race(..) | What::LateRace(_) | What::Other => self.wrong_in(&state, finished, key.what),
        }?;
        self.found.push((key, wrong));
        self.known.insert(key);
        self.so_far.collected.push((finished, key, state));
        Ok(())
    }
}

/// Asks whether there is time left.
fn in_time<'a>(budget: &'a Budget<'_>) -> impl Fn() -> Result<(), Reason> + Sync + 'a {
    || if (budget.expired)() { Err(Reason::Time) } else { Ok(()) }
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
        let budget = Budget { max_bytes, ..Budget::unlimited() };
        breadth_first(system, &Asked { goal: Goal::LeaveSc, jobs, budget: &budget, question: &String::new })
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
