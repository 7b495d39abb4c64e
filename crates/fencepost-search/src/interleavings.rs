//! A search over states under sequential consistency: threads take turns on one memory.
//!
//! Source: Lamport 1979. A state is what the threads and memory hold. Many execution graphs lead to
//! one state, so where only states are asked for this is much cheaper than a search over graphs.
//!
//! Modelled: everything but atomic sections. Plain accesses are like all others: there are no races
//! under SC. A thread that blocks takes no step, and is not at its end.
//!
//! **One thread at a time.** Where a thread is about to do something that concerns nobody else,
//! only that is tried:
//!
//! - a choice;
//! - a fence: its hidden location never changes;
//! - a load of a location that nobody else can still write;
//! - any access of a location that nobody else can still access.
//!
//! Such a step commutes with all that others do, and stays possible. What fails stays failed, and
//! final states have no steps, so neither is lost. A thread could go round in such steps for ever.
//! So they are taken alone only if they lead to a state that is new, and will be expanded (Bošnački,
//! Leue and Lluch-Lafuente, "Partial-order reduction for general state exploring algorithms", SPIN
//! 2006: whatever the order of the search is).
//!
//! Depth first, since final states are far from the start. Sound (what is found is replayed by
//! others) and, when exhausted, complete.

use std::rc::Rc;

use fencepost_analysis::interpreter::{Access, Rest};
use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId, Value};
use fencepost_ir::{LocationKind, Observable, Program};
use fencepost_model::{EventId, Model};
use fencepost_verdict::{Budget, GraphRun, GraphStep, Progress, Reason, Site, Stats};
use foldhash::{HashSet, HashSetExt};

use crate::future::{Future, hidden};
use crate::threads::{StateId, Threads};
use crate::{End, Evidence, Finding, Found, Goal, What};

/// States between two looks at the clock.
const BETWEEN_LOOKS: u64 = 1024;

/// Bytes of a state besides its words: their counts, the entries of set and list, and what tables
/// leave empty.
const STATE_BYTES: u64 = 80;

/// What threads and memory hold.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    locals: Vec<StateId>,
    memory: Vec<Value>,
}

/// A step: where, which access or choice, and the state after it.
struct Move {
    site: Site,
    label: Option<Label>,
    choice: Option<u32>,
    after: State,
}

/// The steps from a state.
#[derive(Default)]
struct Moves {
    /// Those of one thread each that can be tried alone.
    alone: Vec<Vec<Move>>,
    others: Vec<Move>,
}

struct Interleavings<'a> {
    threads: Threads<'a>,
    future: Future,
    goal: &'a Goal<'a>,
    bound: Option<Site>,
    known: HashSet<Rc<[u32]>>,
    /// The states in the order of discovery, and where each was found.
    found: Vec<(Rc<[u32]>, u32)>,
    /// Those that have not been expanded, and how far they are from the start.
    open: Vec<(u32, u64)>,
    bytes: u64,
    stats: Stats,
}

/// Looks for what is asked, in a program without atomic sections.
pub(crate) fn search(program: &Program, model: &dyn Model, goal: &Goal<'_>, budget: &Budget<'_>) -> Found {
    let future = match Future::new(program, hidden(program, model), budget) {
        Ok(future) => future,
        Err(reason) => return Found { what: None, end: End::Cut(reason), stats: Stats::default() },
    };
    let mut search = Interleavings {
        threads: Threads::new(program, model, budget),
        future,
        goal,
        bound: None,
        known: HashSet::new(),
        found: Vec::new(),
        open: Vec::new(),
        bytes: 0,
        stats: Stats::default(),
    };
    let (what, end) = match search.explore(budget) {
        Err(reason) => (None, End::Cut(reason)),
        Ok(Some(finding)) => (Some(finding), End::Found),
        Ok(None) => (None, search.bound.map_or(End::Exhausted, End::Bound)),
    };
    search.stats.states = search.found.len() as u64;
    Found { what, end, stats: search.stats }
}

impl Interleavings<'_> {
    fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        self.threads.program().thread_ids()
    }

    fn state(&self, index: u32) -> State {
        let (locals, memory) = self.found[index as usize].0.split_at(self.threads.program().threads().len());
        State { locals: locals.to_vec(), memory: memory.to_vec() }
    }

    fn explore(&mut self, budget: &Budget<'_>) -> Result<Option<Finding>, Reason> {
        let memory = self.threads.program().locations().iter().map(|location| location.init).collect();
        let initial = State { locals: self.threads.initial()?, memory };
        self.insert(&initial, 0, 0);
        let mut expanded = 0;
        while let Some((index, depth)) = self.open.pop() {
            self.stats.depth = self.stats.depth.max(depth);
            self.check(budget, expanded)?;
            expanded += 1;
            let state = self.state(index);
            if let Some(what) = self.inspect(&state) {
                return self.finding(what, index).map(Some);
            }
            let moves = self.moves(&state)?;
            let mut add = |each: &Move| self.insert(&each.after, index, depth + 1);
            // What is not new when tried alone has been tried, so all of it has when nothing is.
            let mut tried = moves.alone.iter();
            if !tried.any(|alone| alone.iter().fold(false, |is_new, each| add(each) | is_new)) {
                moves.others.iter().for_each(|each| _ = add(each));
            }
        }
        Ok(None)
    }

    fn check(&mut self, budget: &Budget<'_>, expanded: u64) -> Result<(), Reason> {
        let states = self.found.len() as u64;
        let bytes = self.bytes + self.threads.bytes() + self.future.bytes();
        self.stats.peak_bytes = self.stats.peak_bytes.max(bytes);
        if expanded.is_multiple_of(BETWEEN_LOOKS) {
            let (frontier, depth) = (self.open.len() as u64, self.stats.depth);
            budget.report(Progress { states, frontier, depth, bytes });
            if (budget.expired)() {
                return Err(Reason::Time);
            }
        }
        match (states > budget.max_states, bytes > budget.max_bytes) {
            (true, _) => Err(Reason::States(budget.max_states)),
            (_, true) => Err(Reason::Memory(budget.max_bytes)),
            _ => Ok(()),
        }
    }

    /// Adds a state; was it new?
    fn insert(&mut self, state: &State, from: u32, depth: u64) -> bool {
        self.stats.transitions += 1;
        let words: Rc<[u32]> = state.locals.iter().chain(&state.memory).copied().collect();
        if !self.known.insert(Rc::clone(&words)) {
            return false;
        }
        self.bytes += 4 * words.len() as u64 + STATE_BYTES;
        self.open.push((u32::try_from(self.found.len()).expect("fewer states than fit into memory"), depth));
        self.found.push((words, from));
        true
    }

    /// What was looked for, if it is here.
    fn inspect(&mut self, state: &State) -> Option<What> {
        let mut ended = 0;
        for (thread, &local) in self.thread_ids().zip(&state.locals) {
            let site = self.threads.site(thread, local);
            match (self.threads.rest_of(thread, local), self.goal) {
                (Rest::Failed(kind), Goal::Failure) => return Some(What::Failure { site, kind: kind.clone() }),
                (Rest::Bound, _) => _ = self.bound.get_or_insert(site),
                (Rest::Halted, _) => ended += 1,
                _ => {}
            }
        }
        let Goal::End(holds) = self.goal else { return None };
        let value = |what: Observable| match what {
            Observable::Register(thread, register) => {
                self.threads.local(thread, state.locals[thread.index()]).registers[register.index()]
            }
            Observable::Location(loc) => state.memory[loc.index()],
        };
        (ended == state.locals.len() && holds(&value)).then_some(What::End)
    }

    /// Everything that may happen next.
    fn moves(&mut self, state: &State) -> Result<Moves, Reason> {
        let mut moves = Moves::default();
        for thread in self.thread_ids() {
            let local = state.locals[thread.index()];
            let site = self.threads.site(thread, local);
            let moved = |label, choice, local| {
                let mut after = state.clone();
                after.locals[thread.index()] = local;
                Move { site, label, choice, after }
            };
            match &*self.threads.rest(thread, local) {
                Rest::Choice(choice) => {
                    let chosen = self.threads.chosen(thread, local, choice)?;
                    moves.alone.push(chosen.into_iter().map(|(way, after)| moved(None, Some(way), after)).collect());
                }
                Rest::Access(access) => {
                    let old = state.memory[access.loc.index()];
                    let outcomes = self.threads.outcomes(thread, local, access, old)?;
                    let take = |&(label, local): &(Label, StateId)| {
                        let mut taken = moved(Some(label), None, local);
                        if let Some(written) = label.value_written() {
                            taken.after.memory[access.loc.index()] = written;
                        }
                        taken
                    };
                    let taken = outcomes.iter().map(take);
                    match !outcomes.is_empty() && self.concerns_nobody_else(state, thread, access) {
                        true => moves.alone.push(taken.collect()),
                        false => moves.others.extend(taken),
                    }
                }
                Rest::Fence(_) | Rest::Enter | Rest::Leave => {
                    return Err(Reason::Unsupported("threads that take turns know accesses only".into()));
                }
                Rest::Halted | Rest::Stuck | Rest::Bound | Rest::Failed(_) => {}
            }
        }
        Ok(moves)
    }

    /// Can no other thread disturb the access, or be disturbed by it?
    fn concerns_nobody_else(&self, state: &State, thread: ThreadId, access: &Access) -> bool {
        let loc: LocId = access.loc;
        let mut others = self.thread_ids().zip(&state.locals).filter(|(other, _)| *other != thread);
        let (threads, future) = (&self.threads, &self.future);
        threads.program().location(loc).kind == LocationKind::Fence
            || match access.is_load() {
                true => !others.any(|(other, &local)| future.writes(threads, other, local, loc)),
                false => !others.any(|(other, &local)| future.accesses(threads, other, local, loc)),
            }
    }

    /// What was found, with the run that leads there: every access has the last write as its
    /// predecessor.
    fn finding(&mut self, what: What, index: u32) -> Result<Finding, Reason> {
        let mut taken = Vec::new();
        let mut at = index;
        while at != 0 {
            let from = self.found[at as usize].1;
            let (before, after) = (self.state(from), self.state(at));
            let Moves { alone, others } = self.moves(&before)?;
            let mut all = alone.into_iter().flatten().chain(others);
            taken.push(all.find(|each| each.after == after).expect("a step led here"));
            at = from;
        }
        let locations = self.threads.program().locations().len();
        let mut last: Vec<EventId> = (0..locations).map(EventId::from_index).collect();
        let mut events = locations;
        let mut steps = Vec::new();
        for Move { site, label, choice, .. } in taken.into_iter().rev() {
            let event = label.and_then(|label| {
                let loc = label.loc()?.index();
                let event = (label, last[loc]);
                if label.is_write() {
                    last[loc] = EventId::from_index(events);
                }
                events += 1;
                Some(event)
            });
            steps.push(GraphStep { site, event, choice });
        }
        Ok(Finding { what, evidence: Evidence::Graph(GraphRun { steps }) })
    }
}
