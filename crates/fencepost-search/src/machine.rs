//! A search over states of the store-buffer machine, for TSO, PSO and PGAS.
//!
//! Paper: Derevenetc, Meyer and Schweizer, "Locality and Singularity for Store-Atomic Memory
//! Models", 2015, App. A. The machine is that of `fencepost_oracle::buffers`, which is literal,
//! keeps traces, and replays what is found here.
//!
//! Modelled: all of it. A state is what threads, memory and queues hold. It has no trace, so loops
//! that wait come back to where they were. The queues of a thread together hold at most so many
//! stores. That number is doubled until no thread had to wait for room, and then the search is
//! exact. A program may have unboundedly many states even so: that is a limit like others.
//!
//! **Queues per location** feed a common one. A store changes queues only right before it reaches
//! memory, when the common queue is empty, or while its thread waits at a light fence. It could do
//! so earlier. But the order in the common queue is that of reaching memory, own loads see a store
//! in either queue, and other threads see it in none.
//!
//! **One thread at a time.** Where a thread is about to do something that concerns nobody else,
//! only that is tried:
//!
//! - a choice;
//! - a light fence that it can pass;
//! - a store that finds room: it goes to the end of a queue that others take from the beginning;
//! - a load of a location that nobody else can still write, now or by a store in its queue;
//! - a store at the head of the queue may go to memory alone if nobody else can still access its
//!   location.
//!
//! Such a step commutes with all that others do, and with what the thread's own queues do, and
//! stays possible. A thread could go round in such steps for ever. So they are taken alone only if
//! they lead to a state that is new (Bošnački and Holzmann, "Improving Spin's partial-order
//! reduction for breadth-first search", SPIN 2005).
//!
//! Sound (what is found is replayed by others) and, when exhausted, complete.

use std::rc::Rc;

use fencepost_analysis::interpreter::{Access, Rest};
use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId, Value};
use fencepost_ir::{Observable, Program};
use fencepost_model::{Buffers, Model};
use fencepost_verdict::{Budget, BufferStep, Computation, Progress, Reason, RunStep, Site, Stats};
use foldhash::{HashMap, HashMapExt};

use crate::future::{Future, hidden};
use crate::threads::{Outcomes, StateId, Threads};
use crate::{End, Evidence, Finding, Found, Goal, What};

/// Most stores of a thread in its queues.
const MOST_STORES: usize = 64;

/// States inside one atomic section that are looked at.
const MOST_IN_SECTION: usize = 1 << 16;

/// States between two looks at the clock.
const BETWEEN_LOOKS: usize = 1024;

/// Threads whose steps from one state are worth a look at the clock.
const MANY_THREADS: usize = 64;

/// A store that has not reached memory.
type Store = (LocId, Value);

/// A state of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    locals: Vec<StateId>,
    memory: Vec<Value>,
    queues: Vec<Queues>,
}

/// The stores of a thread that have not reached memory, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Queues {
    /// The queues per location, one behind the other.
    of: Vec<Store>,
    /// The common queue.
    all: Vec<Store>,
}

impl Queues {
    fn len(&self) -> usize {
        self.of.len() + self.all.len()
    }

    /// The value of the newest store to `loc`.
    fn newest(&self, loc: LocId) -> Option<Value> {
        let newest = |stores: &[Store]| stores.iter().rfind(|(to, _)| *to == loc).map(|(_, value)| *value);
        newest(&self.of).or_else(|| newest(&self.all))
    }

    fn hold(&self, loc: LocId) -> bool {
        self.newest(loc).is_some()
    }

    /// Puts a store at the end of the queue of its location.
    fn put_apart(&mut self, store: Store) {
        let end = self.of.partition_point(|(loc, _)| *loc <= store.0);
        self.of.insert(end, store);
    }

    /// The oldest store to `loc` changes from the queue of its location to the common one.
    fn advance(&mut self, loc: LocId) {
        let first = self.of.iter().position(|(to, _)| *to == loc).expect("a store in the queue");
        let store = self.of.remove(first);
        self.all.push(store);
    }

    /// The locations whose queues are not empty.
    fn apart(&self) -> Vec<LocId> {
        let mut locations: Vec<LocId> = self.of.iter().map(|(loc, _)| *loc).collect();
        locations.dedup();
        locations
    }
}

impl State {
    fn encode(&self) -> Box<[u32]> {
        let mut words = Vec::with_capacity(self.locals.len() * 3 + self.memory.len());
        words.extend(&self.locals);
        words.extend(&self.memory);
        for queues in &self.queues {
            // Both lengths are small: there is a bound.
            words.push((queues.of.len() as u32) << 16 | queues.all.len() as u32);
            words.extend(queues.of.iter().chain(&queues.all).flat_map(|&(loc, value)| [loc.0, value]));
        }
        words.into()
    }

    fn decode(words: &[u32], threads: usize, locations: usize) -> State {
        let (locals, rest) = words.split_at(threads);
        let memory = &rest[..locations];
        let mut queues = Vec::with_capacity(threads);
        let mut at = threads + locations;
        for _ in 0..threads {
            let (of, all) = ((words[at] >> 16) as usize, (words[at] & 0xffff) as usize);
            let stores: Vec<Store> =
                words[at + 1..][..2 * (of + all)].chunks(2).map(|store| (LocId(store[0]), store[1])).collect();
            queues.push(Queues { of: stores[..of].to_vec(), all: stores[of..].to_vec() });
            at += 1 + 2 * (of + all);
        }
        State { locals: locals.to_vec(), memory: memory.to_vec(), queues }
    }

    /// What a load of `loc` by the thread takes.
    fn visible(&self, thread: ThreadId, loc: LocId) -> Value {
        self.queues[thread.index()].newest(loc).unwrap_or(self.memory[loc.index()])
    }

    fn is_drained(&self, thread: ThreadId) -> bool {
        self.queues[thread.index()].len() == 0
    }

    /// The oldest store in the common queue reaches memory; to where.
    fn commit(&mut self, thread: ThreadId) -> LocId {
        let (loc, value) = self.queues[thread.index()].all.remove(0);
        self.memory[loc.index()] = value;
        loc
    }
}

/// A step of the machine: what it is in a computation, and the state after it.
struct Move {
    steps: Vec<BufferStep>,
    after: State,
}

/// The steps from a state.
#[derive(Default)]
struct Moves {
    /// Those of one thread each that can be tried alone.
    alone: Vec<Vec<Move>>,
    others: Vec<Move>,
    /// Something that happens in an atomic section that is not completed, and what led there.
    failure: Option<(What, Vec<BufferStep>)>,
}

struct Machine<'a> {
    threads: Threads<'a>,
    future: Future,
    buffers: Buffers,
    goal: &'a Goal<'a>,
    /// Most stores of a thread in its queues.
    room: usize,
    /// Did a thread have to wait for room?
    is_full: bool,
    bound: Option<Site>,
    known: HashMap<Rc<[u32]>, u32>,
    /// The states in the order of discovery, and where each was found.
    found: Vec<(Rc<[u32]>, u32)>,
    bytes: u64,
    stats: Stats,
}

/// Looks for what is asked.
pub(crate) fn search(
    program: &Program,
    model: &dyn Model,
    buffers: Buffers,
    goal: &Goal<'_>,
    budget: &Budget<'_>,
) -> Found {
    let future = match Future::new(program, hidden(program, model), budget) {
        Ok(future) => future,
        Err(reason) => return Found { what: None, end: End::Cut(reason), stats: Stats::default() },
    };
    let mut machine = Machine {
        threads: Threads::new(program, model, budget),
        future,
        buffers,
        goal,
        room: 1,
        is_full: false,
        bound: None,
        known: HashMap::new(),
        found: Vec::new(),
        bytes: 0,
        stats: Stats::default(),
    };
    loop {
        let (what, end) = match machine.explore(budget) {
            Err(reason) => (None, End::Cut(reason)),
            Ok(Some(finding)) => (Some(finding), End::Found),
            Ok(None) if machine.is_full && machine.room < MOST_STORES => {
                machine.room *= 2;
                continue;
            }
            Ok(None) if machine.is_full => {
                let what = format!("with at most {MOST_STORES} stores of a thread in its buffers there is nothing");
                (None, End::Cut(Reason::TooLarge(what)))
            }
            Ok(None) => (None, machine.bound.map_or(End::Exhausted, End::Bound)),
        };
        return Found { what, end, stats: machine.stats };
    }
}

impl Machine<'_> {
    fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        self.threads.program().thread_ids()
    }

    fn state(&self, index: usize) -> State {
        let program = self.threads.program();
        State::decode(&self.found[index].0, program.threads().len(), program.locations().len())
    }

    /// Breadth first, with queues of the present size.
    fn explore(&mut self, budget: &Budget<'_>) -> Result<Option<Finding>, Reason> {
        (self.is_full, self.bound, self.bytes) = (false, None, 0);
        self.known.clear();
        self.found.clear();
        self.stats.depth = 0;
        let program = self.threads.program();
        let initial = State {
            locals: self.threads.initial()?,
            memory: program.locations().iter().map(|location| location.init).collect(),
            queues: vec![Queues::default(); program.threads().len()],
        };
        self.insert(&initial, 0);
        let (mut next, mut layer_end) = (0, 1);
        while next < self.found.len() {
            if next == layer_end {
                self.stats.depth += 1;
                layer_end = self.found.len();
            }
            self.check(budget, next)?;
            let state = self.state(next);
            if let Some(what) = self.inspect(&state) {
                return self.finding(what, next, Vec::new()).map(Some);
            }
            let mut moves = self.moves(&state)?;
            if let Some((what, steps)) = moves.failure.take() {
                return self.finding(what, next, steps).map(Some);
            }
            let from = u32::try_from(next).expect("fewer states than fit into memory");
            // What is not new when tried alone has been tried, so all of it has when nothing is.
            let mut tried = moves.alone.iter();
            if !tried.any(|alone| alone.iter().fold(false, |is_new, each| self.insert(&each.after, from) | is_new)) {
                moves.others.iter().for_each(|each| _ = self.insert(&each.after, from));
            }
            next += 1;
        }
        Ok(None)
    }

    fn check(&mut self, budget: &Budget<'_>, next: usize) -> Result<(), Reason> {
        self.stats.states = self.stats.states.max(self.found.len() as u64);
        let bytes = self.bytes + self.threads.bytes() + self.future.bytes();
        self.stats.peak_bytes = self.stats.peak_bytes.max(bytes);
        if next.is_multiple_of(BETWEEN_LOOKS) {
            budget.report(Progress {
                states: self.found.len() as u64,
                frontier: (self.found.len() - next) as u64,
                depth: self.stats.depth,
                bytes,
            });
            if (budget.expired)() {
                return Err(Reason::Time);
            }
        }
        if self.found.len() as u64 > budget.max_states {
            return Err(Reason::States(budget.max_states));
        }
        if bytes > budget.max_bytes {
            return Err(Reason::Memory(budget.max_bytes));
        }
        Ok(())
    }

    /// Adds a state; was it new?
    fn insert(&mut self, state: &State, from: u32) -> bool {
        self.stats.transitions += 1;
        let words: Rc<[u32]> = state.encode().into();
        if self.known.contains_key(&words) {
            return false;
        }
        // The words with their counts, the entries of table and list, and what tables leave empty.
        self.bytes += 4 * words.len() as u64 + 80;
        self.known.insert(Rc::clone(&words), self.found.len() as u32);
        self.found.push((words, from));
        true
    }

    fn rest(&self, state: &State, thread: ThreadId) -> Rc<Rest> {
        self.threads.rest(thread, state.locals[thread.index()])
    }

    /// What was looked for, if it is here.
    fn inspect(&mut self, state: &State) -> Option<What> {
        let mut ended = 0;
        for thread in self.thread_ids() {
            let site = self.threads.site(thread, state.locals[thread.index()]);
            match (&*self.rest(state, thread), self.goal) {
                (Rest::Failed(kind), Goal::Failure) => return Some(What::Failure { site, kind: kind.clone() }),
                (Rest::Bound, _) => _ = self.bound.get_or_insert(site),
                (Rest::Halted, _) => ended += usize::from(state.is_drained(thread)),
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
        let mut made = 0;
        for thread in self.thread_ids() {
            if (thread.index() + 1).is_multiple_of(MANY_THREADS) {
                self.in_time()?;
            }
            self.has_room_for(made + moves.others.len() + moves.alone.len(), state)?;
            self.commits(state, thread, &mut moves);
            let rest = self.rest(state, thread);
            let executed = match &*rest {
                Rest::Enter => {
                    self.sections(state, thread, &mut moves)?;
                    continue;
                }
                rest => self.executions(state, thread, rest)?,
            };
            let is_alone = match &*rest {
                Rest::Choice(_) | Rest::Fence(_) => true,
                Rest::Access(access) if access.is_store() => true,
                Rest::Access(access) => access.is_load() && !self.others_write(state, thread, access.loc),
                _ => false,
            };
            made += executed.len();
            match is_alone && !executed.is_empty() {
                true => moves.alone.push(executed),
                false => moves.others.extend(executed),
            }
        }
        Ok(moves)
    }

    fn in_time(&self) -> Result<(), Reason> {
        if (self.threads.budget().expired)() { Err(Reason::Time) } else { Ok(()) }
    }

    /// Is there room for so many steps from a state, before it is known which of them lead to new
    /// ones?
    fn has_room_for(&self, steps: usize, state: &State) -> Result<(), Reason> {
        let state = size_of::<Move>()
            + size_of_val(state.locals.as_slice())
            + size_of_val(state.memory.as_slice())
            + size_of_val(state.queues.as_slice());
        let (bytes, limit) = (self.bytes + (steps * state) as u64, self.threads.budget().max_bytes);
        if bytes > limit { Err(Reason::Memory(limit)) } else { Ok(()) }
    }

    /// Can another thread still write to `loc`?
    fn others_write(&self, state: &State, thread: ThreadId, loc: LocId) -> bool {
        self.thread_ids().filter(|&other| other != thread).any(|other| {
            state.queues[other.index()].hold(loc)
                || self.future.writes(&self.threads, other, state.locals[other.index()], loc)
        })
    }

    /// Can another thread still write or read `loc`?
    fn others_access(&self, state: &State, thread: ThreadId, loc: LocId) -> bool {
        self.thread_ids().filter(|&other| other != thread).any(|other| {
            state.queues[other.index()].hold(loc)
                || self.future.accesses(&self.threads, other, state.locals[other.index()], loc)
        })
    }

    /// Stores of the thread reach memory, or change queues.
    fn commits(&self, state: &State, thread: ThreadId, moves: &mut Moves) {
        let queues = &state.queues[thread.index()];
        let mut add = |ahead: Option<LocId>| {
            let mut after = state.clone();
            ahead.into_iter().for_each(|loc| after.queues[thread.index()].advance(loc));
            let loc = after.commit(thread);
            let commit = vec![Move { steps: vec![BufferStep::Commit { thread, loc }], after }];
            match self.others_access(state, thread, loc) {
                true => moves.others.extend(commit),
                false => moves.alone.push(commit),
            }
        };
        match queues.all.is_empty() {
            false => add(None),
            true => queues.apart().into_iter().for_each(|loc| add(Some(loc))),
        }
        if let Rest::Fence(labels) = &*self.rest(state, thread)
            && !passes(state, thread, labels)
        {
            for loc in queues.apart() {
                let mut after = state.clone();
                after.queues[thread.index()].advance(loc);
                moves.others.push(Move { steps: Vec::new(), after });
            }
        }
    }

    /// Every way to execute the instruction that the thread rests at.
    fn executions(&mut self, state: &State, thread: ThreadId, rest: &Rest) -> Result<Vec<Move>, Reason> {
        let local = state.locals[thread.index()];
        let site = self.threads.site(thread, local);
        let execute = |label, choice| BufferStep::Execute { step: RunStep { site, label, choice }, delayed: true };
        let moved = |steps: Vec<BufferStep>, local: StateId| {
            let mut after = state.clone();
            after.locals[thread.index()] = local;
            Move { steps, after }
        };
        Ok(match rest {
            Rest::Access(access) => {
                let outcomes = self.outcomes(state, thread, access)?;
                let take = |&(label, local): &(Label, StateId)| {
                    let mut taken = moved(vec![execute(Some(label), None)], local);
                    match label {
                        Label::Write { loc, value, .. } => {
                            let queues = &mut taken.after.queues[thread.index()];
                            match self.buffers {
                                Buffers::PerLocation => queues.put_apart((loc, value)),
                                Buffers::Total => queues.all.push((loc, value)),
                            }
                        }
                        Label::Rmw { loc, written, .. } => taken.after.memory[loc.index()] = written,
                        _ => {}
                    }
                    taken
                };
                outcomes.iter().map(take).collect()
            }
            Rest::Fence(labels) if passes(state, thread, labels) => {
                let after = self.threads.pass(thread, local)?;
                vec![moved(Vec::new(), after)]
            }
            Rest::Choice(choice) => {
                let chosen = self.threads.chosen(thread, local, choice)?;
                self.has_room_for(chosen.len(), state)?;
                chosen.into_iter().map(|(choice, after)| moved(vec![execute(None, Some(choice))], after)).collect()
            }
            _ => Vec::new(),
        })
    }

    /// What the thread can do at this access now; nothing when it has to wait.
    fn outcomes(&mut self, state: &State, thread: ThreadId, access: &Access) -> Result<Outcomes, Reason> {
        if access.is_store() {
            if state.queues[thread.index()].len() >= self.room {
                self.is_full = true;
                return Ok(Rc::new([]));
            }
        } else if !access.is_load() && !state.is_drained(thread) {
            return Ok(Rc::new([]));
        }
        let old = state.visible(thread, access.loc);
        self.threads.outcomes(thread, state.locals[thread.index()], access, old)
    }

    /// Every way through the atomic section that the thread is about to enter, if its queues are
    /// empty: stores in it reach memory at once. What goes wrong in it ends the search; nobody sees
    /// anything else of a way that is not completed.
    fn sections(&mut self, state: &State, thread: ThreadId, moves: &mut Moves) -> Result<(), Reason> {
        if !state.is_drained(thread) {
            return Ok(());
        }
        let mut entered = state.clone();
        entered.locals[thread.index()] = self.threads.pass(thread, state.locals[thread.index()])?;
        let mut seen: HashMap<Box<[u32]>, ()> = HashMap::new();
        let mut ways = vec![Move { steps: Vec::new(), after: entered }];
        while let Some(Move { steps, after: mut inside }) = ways.pop() {
            while !inside.queues[thread.index()].of.is_empty() {
                let loc = inside.queues[thread.index()].of[0].0;
                inside.queues[thread.index()].advance(loc);
            }
            while !inside.is_drained(thread) {
                inside.commit(thread);
            }
            if seen.insert(inside.encode(), ()).is_some() {
                continue;
            }
            if seen.len().is_multiple_of(BETWEEN_LOOKS) {
                self.in_time()?;
            }
            if seen.len() > MOST_IN_SECTION {
                return Err(Reason::TooLarge("an atomic section has too many ways through it".into()));
            }
            let site = self.threads.site(thread, inside.locals[thread.index()]);
            match (&*self.rest(&inside, thread), self.goal) {
                (Rest::Leave, _) => {
                    inside.locals[thread.index()] = self.threads.pass(thread, inside.locals[thread.index()])?;
                    moves.others.push(Move { steps, after: inside });
                }
                (Rest::Failed(kind), Goal::Failure) => {
                    let what = What::Failure { site, kind: kind.clone() };
                    moves.failure.get_or_insert((what, steps));
                }
                (Rest::Bound, _) => _ = self.bound.get_or_insert(site),
                (rest, _) => {
                    let longer = self.executions(&inside, thread, rest)?.into_iter();
                    ways.extend(longer.map(|last| Move { steps: [steps.clone(), last.steps].concat(), ..last }));
                }
            }
        }
        Ok(())
    }

    /// What was found, with the computation that leads there.
    fn finding(&mut self, what: What, index: usize, last: Vec<BufferStep>) -> Result<Finding, Reason> {
        let mut parts = vec![last];
        let mut at = index;
        while at != 0 {
            let from = self.found[at].1 as usize;
            let (before, after) = (self.state(from), self.state(at));
            let moves = self.moves(&before)?;
            let all = moves.alone.into_iter().flatten().chain(moves.others);
            let step = all.into_iter().find(|step| step.after == after).expect("a step led here");
            parts.push(step.steps);
            at = from;
        }
        let mut steps: Vec<BufferStep> = parts.into_iter().rev().flatten().collect();
        // A computation ends with empty queues.
        let mut state = self.state(index);
        for thread in self.thread_ids() {
            loop {
                let queues = &mut state.queues[thread.index()];
                match queues.apart().first() {
                    Some(&loc) if queues.all.is_empty() => queues.advance(loc),
                    _ if queues.all.is_empty() => break,
                    _ => {}
                }
                let loc = state.commit(thread);
                steps.push(BufferStep::Commit { thread, loc });
            }
        }
        Ok(Finding { what, evidence: Evidence::Machine(Computation { steps }) })
    }
}

/// Are the stores that these fences wait for out of the way?
fn passes(state: &State, thread: ThreadId, labels: &[Label]) -> bool {
    let queues = &state.queues[thread.index()];
    labels.iter().all(|label| match label {
        Label::LightFence { loc: Some(loc) } => queues.of.iter().all(|(to, _)| to != loc),
        Label::LightFence { loc: None } => queues.of.is_empty(),
        _ => state.is_drained(thread),
    })
}
