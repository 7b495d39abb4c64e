//! A search over states of a machine of messages and views that forgets, for release/acquire and
//! its relatives, loops included.
//!
//! Sources: the machine is folklore (Kang, Hur, Lahav, Vafeiadis and Dreyer, "A Promising Semantics
//! for Relaxed-Memory Concurrency", POPL 2017, without promises; for SRA, Lahav and Boker, PLDI
//! 2020, §3.3). What is forgotten, and why that is right, is argued here and in `horizon`.
//!
//! **The machine.** Every location has its writes, *messages*, in modification order. Every thread
//! has a *view*: for every location, the oldest message that it may still read. Messages carry what
//! whoever acquires them gets to know. A thread reads any message from its view on. It writes after
//! any message from its view on, or at the end, if the model says so (`Views`). An update comes
//! right after the message it reads, which is then *closed*: no other write comes there. With
//! relaxed accesses a thread has up to three views, for the three parts of happens-before: what it
//! knows, what an acquire fence would let it know, and what its last release fence passes on. A
//! message that an update writes carries on what the update has read: release sequences.
//!
//! A view is what an event may not miss by the axioms: the writes w with w ⟨rf?; hb⟩ the event. So
//! the steps of the machine add exactly the events that keep a graph consistent. Every consistent
//! graph grows in this way, in any order that agrees with program order and reads-from (under SRA:
//! and with modification order).
//!
//! **What the machine leaves out** are the orders of SC accesses, and of SC fences that are events
//! of their own. Then it permits more than the model. What it does not find does not exist. What it
//! finds is put to the axioms; if these do not permit it, the search goes on, but it cannot end with
//! "there is nothing". If all accesses synchronise, SC fences are equivalent to updates of a hidden
//! location (the argument is that of `fence(sc)` in the models that declare it so): an order of the
//! fences that the axioms permit agrees with program order and reads-from, which are part of
//! happens-before. A race is not lost by that: leave out what comes after the earlier access in its
//! thread.
//!
//! **Races.** Plain accesses are made in the order of the search, and each has to know the last
//! write, a write also what has been read since. The first that does not ends the search. For a
//! location without races so far that is the rule of the models: conflicting accesses are ordered
//! by happens-before. (RA's own rule does not look at reads. But if a write does not know of a read
//! and all accesses synchronise, the write can as well come first. Then the read races by that
//! rule, and that is what is reported.)
//!
//! **Steps of no use.** A thread reads, by a load or by an update that writes back what it read, and
//! is where it was. In the state before, it knows less, and so does everybody else; the message that
//! was added can be taken for the one that it updates. Whatever can be done after the step can be
//! done without it: less knowledge permits more, races included. So such steps are left out. What
//! is in registers that are never read again does not count as a difference.
//!
//! **Loads before an update.** A load of x, of value v, is followed in its thread by a read of x that
//! goes back to before the load unless it reads v: test-and-test-and-set. If it does go back, it was
//! of no use. Otherwise the load could have been later, and of the message that the second access
//! reads, which makes the thread know no more than it does in the end. (If the load acquires, the
//! second access must, too.) So both are taken together.
//!
//! **One thread at a time**, as in `machine`: where a thread is about to do something that concerns
//! nobody else, only that is tried, if it leads to a state that is new. That is
//!
//! - a choice, and a fence that is no update: they change what the thread itself knows;
//! - an access to a location that nobody else can still access, a load if nobody else can still
//!   write it;
//! - a plain access. Whatever others do before it, its result is the same, unless they write the
//!   location (or access it, if this one writes). Such an access does not happen before this one,
//!   which was possible without it, and so it is a race. If this one is first, it is the other that
//!   does not know, and the same race.
//!
//! **Finite** is the search if readers keep up with writers. If somebody can fall behind for ever,
//! lists of messages grow. States with long lists are put off until there are no others, and at
//! last given up, with the name of the location and of those who do not read it.
//!
//! Not modelled: atomic sections, and plain accesses of atomic locations. Sound (what is found is
//! replayed by others) and, when exhausted, complete.

mod horizon;
mod path;
mod shape;
mod state;
mod steps;

use std::collections::VecDeque;
use std::rc::Rc;

use fencepost_analysis::interpreter::Rest;
use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_ir::{Observable, Program};
use fencepost_model::{EventId, Graph, Model};
use fencepost_verdict::{Budget, GraphRun, Progress, Reason, Site, Stats};
use foldhash::{HashSet, HashSetExt};

use crate::runs::run;
use crate::{End, Evidence, Finding, Found, Goal, IsReal, What};
use path::Path;
use state::State;
use steps::{Act, Machine, Move, Unknown};

/// Messages of one location in the states that are looked at first, and at all.
const FEW_MESSAGES: usize = 8;
const MOST_MESSAGES: usize = 64;

/// States between two looks at the clock.
const BETWEEN_LOOKS: u64 = 256;

/// Threads whose steps from one state are worth a look at the clock.
const MANY_THREADS: usize = 64;

/// Executions that the axioms do not permit, after which there is no hope of one that they do.
const MOST_REFUSED: u32 = 64;

/// A state that was found.
struct Record {
    bytes: Rc<[u8]>,
    from: u32,
    depth: u32,
}

struct Search<'a> {
    machine: Machine<'a>,
    goal: &'a Goal<'a>,
    is_real: &'a IsReal<'a>,
    initial: State,
    known: HashSet<Rc<[u8]>>,
    found: Vec<Record>,
    /// States to be looked at, and those that have to wait because their lists are long.
    open: VecDeque<u32>,
    put_off: Vec<u32>,
    /// Most messages of one location at present.
    room: usize,
    bound: Option<Site>,
    /// Executions that the axioms do not permit.
    refused: u32,
    bytes: u64,
    expanded: u64,
    stats: Stats,
}

/// Looks for what is asked.
pub(crate) fn search(
    program: &Program,
    model: &dyn Model,
    goal: &Goal<'_>,
    is_real: &IsReal<'_>,
    budget: &Budget<'_>,
) -> Found {
    let (what, end, stats) = match Search::new(program, model, goal, is_real, budget) {
        Err(reason) => (None, End::Cut(reason), Stats::default()),
        Ok(mut search) => {
            let (what, end) = match search.explore() {
                Err(reason) => (None, End::Cut(reason)),
                Ok(Some(finding)) => (Some(finding), End::Found),
                Ok(None) => (None, search.end().unwrap_or_else(End::Cut)),
            };
            (what, end, search.stats)
        }
    };
    Found { what, end, stats }
}

/// Can the search deal with the program, in the model?
///
/// # Errors
/// Why it cannot.
pub(crate) fn supports(program: &Program, model: &dyn Model) -> Result<(), Reason> {
    let name = model.name();
    Err(Reason::Unsupported(if model.declaration().views.is_none() {
        format!("{name} is not a machine of messages and views")
    } else if program.has_sections() {
        format!("atomic sections have no meaning under {name}")
    } else if program.has_mixed_accesses() {
        "plain accesses of atomic locations are not searched for".into()
    } else {
        return Ok(());
    }))
}

impl<'a> Search<'a> {
    fn new(
        program: &'a Program,
        model: &'a dyn Model,
        goal: &'a Goal<'a>,
        is_real: &'a IsReal<'a>,
        budget: &'a Budget<'a>,
    ) -> Result<Self, Reason> {
        supports(program, model)?;
        let views = model.declaration().views.expect("supported");
        let mut machine = Machine::new(program, model, views, budget)?;
        // Who looks at final states looks at registers.
        if !matches!(goal, Goal::End(_)) {
            machine.threads.forget_dead_registers();
        }
        let mut initial = machine.initial()?;
        machine.normalise(&mut initial)?;
        Ok(Search {
            machine,
            goal,
            is_real,
            initial,
            known: HashSet::new(),
            found: Vec::new(),
            open: VecDeque::new(),
            put_off: Vec::new(),
            room: FEW_MESSAGES,
            bound: None,
            refused: 0,
            bytes: 0,
            expanded: 0,
            stats: Stats::default(),
        })
    }

    fn state(&self, index: u32) -> State {
        State::decode(&self.found[index as usize].bytes, &self.initial)
    }

    /// Breadth first, but states with long lists last.
    fn explore(&mut self) -> Result<Option<Finding>, Reason> {
        self.insert(&self.initial.clone(), 0);
        loop {
            while let Some(index) = self.open.pop_front() {
                self.check_budget()?;
                if let Some(finding) = self.expand(index)? {
                    return Ok(Some(finding));
                }
            }
            if self.put_off.is_empty() || self.room >= MOST_MESSAGES {
                return Ok(None);
            }
            self.room *= 2;
            for index in std::mem::take(&mut self.put_off) {
                self.enqueue(index, self.state(index).longest());
            }
        }
    }

    /// How a search ends that has found nothing.
    fn end(&mut self) -> Result<End, Reason> {
        if self.refused > 0 {
            return Err(self.refusal());
        }
        match self.put_off.first() {
            Some(&index) => Err(self.fallen_behind(&self.state(index))?),
            None => Ok(self.bound.map_or(End::Exhausted, End::Bound)),
        }
    }

    /// A list of messages is too long: whose, and because of whom.
    fn fallen_behind(&mut self, state: &State) -> Result<Reason, Reason> {
        let program = self.machine.program();
        let longest = state.longest();
        let loc = state.memory.iter().position(|messages| messages.len() == longest).expect("the longest list");
        let behind = self.machine.who_is_behind(state, LocId::from_index(loc))?;
        let names: Vec<String> = behind.iter().map(|&thread| format!("`{}`", program.thread(thread).name)).collect();
        let (location, who) = (&program.locations()[loc].name, names.join(", "));
        Ok(Reason::Inconclusive(format!("writes to `{location}` pile up as long as {who} does not look at them")))
    }

    fn check_budget(&mut self) -> Result<(), Reason> {
        let budget = self.machine.threads.budget();
        let states = self.found.len() as u64;
        let bytes = self.bytes + self.machine.bytes();
        self.stats.states = states;
        self.stats.peak_bytes = self.stats.peak_bytes.max(bytes);
        self.expanded += 1;
        if self.expanded.is_multiple_of(BETWEEN_LOOKS) {
            let frontier = (self.open.len() + self.put_off.len()) as u64;
            budget.report(Progress { states, frontier, depth: self.stats.depth, bytes });
            if (budget.expired)() {
                return Err(Reason::Time);
            }
        }
        if states > budget.max_states {
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
        let bytes: Rc<[u8]> = state.encode().into();
        if !self.known.insert(Rc::clone(&bytes)) {
            return false;
        }
        // The bytes with their counts, the entries of table and list, and what tables leave empty.
        self.bytes += bytes.len() as u64 + 80;
        self.stats.state_bits = self.stats.state_bits.max(8 * bytes.len() as u64);
        let index = u32::try_from(self.found.len()).expect("fewer states than fit into memory");
        let depth = self.found.get(from as usize).map_or(0, |record| record.depth + 1);
        self.stats.depth = self.stats.depth.max(u64::from(depth));
        self.stats.states = u64::from(index) + 1;
        self.found.push(Record { bytes, from, depth });
        self.enqueue(index, state.longest());
        true
    }

    fn enqueue(&mut self, index: u32, longest: usize) {
        match longest > self.room {
            true => self.put_off.push(index),
            false => self.open.push_back(index),
        }
    }

    /// Everything that can happen next; what was looked for, if it is here.
    fn expand(&mut self, index: u32) -> Result<Option<Finding>, Reason> {
        let state = self.state(index);
        if let Some(what) = self.inspect(&state, index)
            && let Some(finding) = self.finding(what, index, None)?
        {
            return Ok(Some(finding));
        }
        for thread in self.machine.thread_ids() {
            if let Some((location, unknown)) = self.machine.race(&state, thread) {
                // Where something is undefined, nothing follows.
                return self.finding(What::Race { thread, location }, index, Some(unknown));
            }
        }
        let mut others = Vec::new();
        for thread in self.machine.thread_ids() {
            match self.machine.is_alone(&state, thread) {
                true if self.step(&state, index, thread)? => return Ok(None),
                true => {}
                false => others.push(thread),
            }
        }
        for thread in others {
            if (thread.index() + 1).is_multiple_of(MANY_THREADS) {
                self.check_budget()?;
            }
            self.step(&state, index, thread)?;
        }
        Ok(None)
    }

    /// The steps of a thread; does one lead to a state that is new?
    fn step(&mut self, state: &State, index: u32, thread: ThreadId) -> Result<bool, Reason> {
        let moves = self.machine.moves(state, thread)?;
        Ok(moves.iter().fold(false, |is_new, step| self.insert(&step.after, index) | is_new))
    }

    /// What was looked for, if it is here and was not before.
    fn inspect(&mut self, state: &State, index: u32) -> Option<What> {
        let mut ended = 0;
        let mut failure = None;
        for thread in self.machine.thread_ids() {
            let site = self.machine.site(state, thread);
            match (self.machine.rest(state, thread), self.goal) {
                (Rest::Failed(kind), Goal::Failure) => {
                    failure = failure.or(Some((thread, What::Failure { site, kind: kind.clone() })));
                }
                (Rest::Bound, _) => _ = self.bound.get_or_insert(site),
                (Rest::Halted, _) => ended += 1,
                _ => {}
            }
        }
        if let Some((thread, what)) = failure {
            let before = self.state(self.found[index as usize].from);
            let is_new = index == 0 || before.locals[thread.index()] != state.locals[thread.index()];
            return is_new.then_some(what);
        }
        let Goal::End(holds) = self.goal else { return None };
        let value = |what: Observable| match what {
            Observable::Register(thread, register) => {
                self.machine.threads.local(thread, state.locals[thread.index()]).registers[register.index()]
            }
            Observable::Location(loc) => state.memory[loc.index()].last().expect("a last write").value,
        };
        (ended == state.locals.len() && holds(&value)).then_some(What::End)
    }

    /// What was found, with a run; nothing if it is not one of the model.
    fn finding(&mut self, what: What, index: u32, unknown: Option<Unknown>) -> Result<Option<Finding>, Reason> {
        let (what, run) = match unknown {
            Some(unknown) => self.racing_run(what, index, unknown)?,
            None => {
                let path = self.follow(index)?;
                let run = run(&path.graph, path.steps, &what, None);
                (what, run)
            }
        };
        let finding = Finding { what, evidence: Evidence::Graph(run) };
        if self.machine.shape.is_exact || (self.is_real)(&finding) {
            return Ok(Some(finding));
        }
        self.refused += 1;
        match self.refused < MOST_REFUSED {
            true => Ok(None),
            false => Err(self.refusal()),
        }
    }

    /// Why what was found does not count.
    fn refusal(&self) -> Reason {
        let model = self.machine.model.name();
        Reason::Inconclusive(format!("it is reached in executions that {model} forbids by its order of SC events"))
    }

    /// Follows the search to a state.
    fn follow(&mut self, index: u32) -> Result<Path, Reason> {
        let mut indices = vec![index];
        while let Some(&last) = indices.last().filter(|&&last| last != 0) {
            indices.push(self.found[last as usize].from);
        }
        let init: Vec<_> = self.machine.program().locations().iter().map(|location| location.init).collect();
        let mut path = Path { graph: Graph::initial(&init), steps: Vec::new(), state: self.machine.initial()? };
        self.machine.normalise(&mut path.state)?;
        for index in indices.into_iter().rev().skip(1) {
            let bytes = Rc::clone(&self.found[index as usize].bytes);
            let mut step = None;
            for thread in self.machine.thread_ids() {
                let mut moves = self.machine.moves(&path.state, thread)?.into_iter();
                step = step.or_else(|| moves.find(|step| *step.after.encode() == *bytes));
            }
            let Move { after, acts } = step.expect("a step led here");
            path.state = after;
            acts.into_iter().for_each(|(site, act)| path.add(site, act));
        }
        Ok(path)
    }

    /// The run to a state and to a race in it. A rule of the model may not call it a race that a
    /// write does not know of a read: then the read is made to be the last.
    fn racing_run(&mut self, what: What, index: u32, unknown: Unknown) -> Result<(What, GraphRun), Reason> {
        let What::Race { thread, location } = what else { unreachable!("this is about a race") };
        let mut path = self.follow(index)?;
        let label = self.next_label(&path.state, thread)?;
        let site = self.machine.site(&path.state, thread);
        let last = path.graph.last_write(location);
        path.add(site, Act::Access(label, last.0));
        let access = path.graph.thread_events(thread).next_back().expect("it was just added");
        let is_read = |id: &EventId| path.graph.label(*id).loc() == Some(location);
        let other = match (unknown, self.machine.model.race(&path.graph, access)) {
            (_, Some(other)) => other,
            (Unknown::Write, None) => last,
            (Unknown::Read(reader), None) => {
                let read = path.graph.thread_events(reader).rfind(is_read).expect("it has read");
                if let Some(changed) = path.with_last(read, access) {
                    let what = What::Race { thread: reader, location };
                    let last = changed.graph.last_write(location);
                    let run = run(&changed.graph, changed.steps, &what, Some(last));
                    return Ok((what, run));
                }
                read
            }
        };
        let run = run(&path.graph, path.steps, &what, Some(other));
        Ok((what, run))
    }

    /// The label of the plain access that the thread is about to make.
    fn next_label(&mut self, state: &State, thread: ThreadId) -> Result<Label, Reason> {
        let local = state.locals[thread.index()];
        let rest = self.machine.threads.rest(thread, local);
        let Rest::Access(access) = &*rest else { unreachable!("it is about to make one") };
        let value = state.memory[access.loc.index()][0].value;
        Ok(self.machine.threads.outcomes(thread, local, access, value)?[0].0)
    }
}
