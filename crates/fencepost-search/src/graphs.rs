//! A search over execution graphs, for any model whose axioms are asked.
//!
//! Definitions: Lahav and Margalit, PLDI 2019, Def. 4.5 and Lemma A.17 (graphs grow event by event
//! along program order and reads-from); Margalit and Lahav, POPL 2021, for RC20. To visit each
//! execution graph once, without a table of those visited, is the aim of stateless model checking.
//! The closest relative is Kokologiannakis, Raad and Vafeiadis, "Model Checking for Weakly
//! Consistent Libraries", PLDI 2019. But here reads are put off instead of being revisited.
//!
//! Modelled: everything but atomic sections.
//!
//! **What is assumed of a model**, and tested (`tests/models.rs`):
//!
//! 1. A part of a consistent graph that is closed under program order and reads-from is consistent.
//!    So is a graph without some reads, fences, or read-modify-writes that write back what they
//!    read; the readers of these then read what these read.
//! 2. A thread can always go on with the last write as predecessor.
//! 3. Where an event that is no SC access cannot have a write as its predecessor, it cannot have an
//!    earlier one, unless it was for the read-modify-write that comes next. (An SC access that
//!    reads an earlier write may know of less. So it may have a place in the order of SC accesses
//!    that it has not with a later one.)
//!
//! **One way to each graph.** In every node one thread is chosen, by a fixed rule. If it writes,
//! every place in modification order is tried. If it reads, every write that is there is tried, or
//! the read is *put off*: from then on it may only take writes that come later. So for a given
//! graph there is at every node one way on that leads to it. Take the write that the graph says if
//! it is there, else put the read off.
//!
//! A failure depends on what comes before it in program order and reads-from. Threads that have no
//! part in it may do what they like. By (1) and (2) that is no obstacle: their stores are last in
//! modification order, and their reads are put off for ever.
//!
//! A node is dropped if a read was put off, nobody can write its location any more, and the read
//! could have taken the last write: by (2) the graphs with that read are found elsewhere.
//!
//! The rule is fair: a thread that has made few steps goes first. So a thread that writes for ever
//! does not keep others waiting.
//!
//! **Loops.** Suppose that a thread returns to a local state and has written nothing since but, by
//! read-modify-writes, what it read just before. It has gone round for nothing. By (1) it might as
//! well not have, and what others took from these updates they can take from what was updated.
//! Happens-before only shrinks. So such returns are not followed, and loops that wait do not make
//! the search infinite. A plain read that is left out could have been in a race. So a state is the
//! same only if as many locations were read by plain accesses since the last write or fence: a race
//! with the read left out is then one with the earlier read.
//!
//! **Races.** In a model that knows data races, plain accesses see the last write only, and the
//! first race found ends the search. Without races the order of conflicting plain accesses is fixed
//! by happens-before. With one, whoever comes second in the order chosen here has not observed the
//! other either, since what a thread has observed does not change while it waits.
//!
//! Sound (what is found is replayed by others) and, when exhausted, complete.

use std::rc::Rc;

use fencepost_analysis::interpreter::{Access, Rest};
use fencepost_base::event::Label;
use fencepost_base::ids::{ThreadId, Value};
use fencepost_base::order::Mode;
use fencepost_ir::{LocationKind, Observable, Program};
use fencepost_model::{EventId, Graph, Kind, Model};
use fencepost_verdict::{Budget, GraphRun, Progress, Reason, Site, Stats};

use crate::future::{Future, Waiting, hidden, is_awake};
use crate::meter::Meter;
use crate::runs::{Taken, run};
use crate::threads::{StateId, Threads, record, value_of};
use crate::{End, Evidence, Finding, Found, Goal, What};

/// Steps that a thread which reads is thought to be ahead of one that does not: writes that are
/// there early save putting off.
const READS_LATER: u32 = 6;

/// Nodes between two looks at the clock.
const BETWEEN_LOOKS: u64 = 32;

/// A step from one node to another.
#[derive(Clone, Copy, Debug)]
enum Step {
    Root,
    Choice { thread: ThreadId, choice: u32, after: StateId },
    Fence { thread: ThreadId, after: StateId },
    Access { thread: ThreadId, label: Label, predecessor: EventId, after: StateId },
    PutOff { thread: ThreadId },
}

/// How a node is reached.
struct Record {
    parent: u32,
    step: Step,
}

/// A node, rebuilt from its records.
struct Node {
    graph: Graph,
    locals: Vec<StateId>,
    /// For every thread whose read is put off, the number of events there were.
    put_off: Vec<Option<u32>>,
    passed: Vec<Passed>,
    /// Steps of every thread.
    counts: Vec<u32>,
}

/// A race: the step that makes it, and the access that it is with.
struct Race {
    step: Step,
    what: What,
    other: EventId,
}

/// Where a thread has been since it last changed memory.
#[derive(Clone, Default)]
struct Passed {
    /// States, each with the locations read by plain accesses until then.
    states: Vec<(StateId, u64)>,
    /// The locations read by plain accesses since the last write or fence.
    plain: u64,
}

impl Passed {
    /// Takes note of a step; false if it leads back to where the thread was.
    fn step(&mut self, label: Option<&Label>, after: StateId) -> bool {
        match label {
            Some(Label::Read { loc, mode: Mode::Na, .. }) => match 1u64.checked_shl(loc.0) {
                Some(bit) => self.plain |= bit,
                None => *self = Passed::default(),
            },
            Some(Label::Read { .. }) | None => {}
            Some(Label::Fence { .. } | Label::LightFence { .. }) => self.plain = 0,
            Some(Label::Rmw { read, written, .. }) if read == written => self.plain = 0,
            Some(Label::Write { .. } | Label::Rmw { .. }) => *self = Passed::default(),
        }
        let state = (after, self.plain);
        let is_new = !self.states.contains(&state);
        self.states.push(state);
        is_new
    }
}

struct Graphs<'a> {
    threads: Threads<'a>,
    future: Future,
    model: &'a dyn Model,
    goal: &'a Goal<'a>,
    init: Vec<Value>,
    initial: Vec<StateId>,
    /// Does the model know data races, and the program have plain accesses?
    can_race: bool,
    records: Vec<Record>,
    bound: Option<Site>,
    meter: Meter<'a>,
    stats: Stats,
}

/// Looks for what is asked.
pub(crate) fn search(program: &Program, model: &dyn Model, goal: &Goal<'_>, budget: &Budget<'_>) -> Found {
    let unsupported = |what: String| {
        let end = End::Cut(Reason::Unsupported(what));
        Found { what: None, end, stats: Stats::default() }
    };
    if program.has_sections() {
        return unsupported(format!("atomic sections have no meaning under {}", model.name()));
    }
    if program.has_mixed_accesses() && model.buffers().is_none() {
        return unsupported("plain accesses of atomic locations are not searched for".into());
    }
    // Plain accesses see the last write, and which one is last must not depend on the order in
    // which graphs grow here.
    let has_plain = program.locations().iter().any(|location| location.kind == LocationKind::NonAtomic);
    let (kind, races) = (model.declaration().kind, model.declaration().races);
    if has_plain && !races && !matches!(kind, Kind::Machine(_)) {
        return unsupported(format!("plain accesses are not searched for under {}", model.name()));
    }
    let mut threads = Threads::new(program, model, budget);
    let (initial, future) = match (threads.initial(), Future::new(program, hidden(program, model), budget)) {
        (Ok(initial), Ok(future)) => (initial, future),
        (Err(reason), _) | (_, Err(reason)) => {
            return Found { what: None, end: End::Cut(reason), stats: Stats::default() };
        }
    };
    let mut graphs = Graphs {
        future,
        threads,
        model,
        goal,
        init: program.locations().iter().map(|location| location.init).collect(),
        initial,
        can_race: has_plain && races,
        records: vec![Record { parent: 0, step: Step::Root }],
        bound: None,
        meter: Meter::new(budget),
        stats: Stats { state_bits: 8 * size_of::<Record>() as u64, ..Stats::default() },
    };
    let (what, end) = match graphs.explore(budget) {
        Ok(Some(finding)) => (Some(finding), End::Found),
        Ok(None) => (None, graphs.bound.map_or(End::Exhausted, End::Bound)),
        Err(reason) => (None, End::Cut(reason)),
    };
    graphs.stats.states = graphs.records.len() as u64;
    graphs.stats.peak_bytes = graphs.bytes();
    Found { what, end, stats: graphs.stats }
}

impl Graphs<'_> {
    fn bytes(&self) -> u64 {
        (self.records.len() * size_of::<Record>()) as u64 + self.threads.bytes() + self.future.bytes()
    }

    /// Breadth first.
    fn explore(&mut self, budget: &Budget<'_>) -> Result<Option<Finding>, Reason> {
        let mut next = 0;
        // The first node that is a step further than those before it.
        let mut layer_end = 1;
        let mut expanded = 0u64;
        while next < self.records.len() {
            if next == layer_end {
                self.stats.depth += 1;
                layer_end = self.records.len();
            }
            expanded += 1;
            if expanded.is_multiple_of(BETWEEN_LOOKS) {
                budget.report(Progress {
                    states: self.records.len() as u64,
                    frontier: (self.records.len() - next) as u64,
                    depth: self.stats.depth,
                    bytes: self.bytes(),
                });
                if (budget.expired)() {
                    return Err(Reason::Time);
                }
            }
            if self.records.len() as u64 > budget.max_states {
                return Err(Reason::States(budget.max_states));
            }
            if self.bytes() > budget.max_bytes {
                return Err(Reason::Memory(budget.max_bytes));
            }
            let node = self.rebuild(next);
            if let Some(what) = self.inspect(&node) {
                let run = self.run(&self.path(next), &what, None);
                return Ok(Some(Finding { what, evidence: Evidence::Graph(run) }));
            }
            if self.is_hopeless(&node)? {
                next += 1;
                continue;
            }
            let Some(thread) = self.choose(&node) else {
                next += 1;
                continue;
            };
            if let Some(Race { step, what, other }) = self.expand(next, &node, thread)? {
                let mut path = self.path(next);
                path.push(step);
                let run = self.run(&path, &what, Some(other));
                return Ok(Some(Finding { what, evidence: Evidence::Graph(run) }));
            }
            next += 1;
        }
        Ok(None)
    }

    /// The steps from the root to a node.
    fn path(&self, mut at: usize) -> Vec<Step> {
        let mut path = Vec::new();
        while at != 0 {
            path.push(self.records[at].step);
            at = self.records[at].parent as usize;
        }
        path.reverse();
        path
    }

    fn rebuild(&self, at: usize) -> Node {
        let threads = self.initial.len();
        let passed = |&state: &StateId| Passed { states: vec![(state, 0)], plain: 0 };
        let mut node = Node {
            graph: Graph::initial(&self.init),
            locals: self.initial.clone(),
            put_off: vec![None; threads],
            passed: self.initial.iter().map(passed).collect(),
            counts: vec![0; threads],
        };
        for step in self.path(at) {
            let (thread, after) = match step {
                Step::Root => continue,
                Step::PutOff { thread } => {
                    node.put_off[thread.index()] = Some(node.graph.len() as u32);
                    continue;
                }
                Step::Choice { thread, after, .. } => {
                    node.passed[thread.index()].step(None, after);
                    (thread, after)
                }
                Step::Fence { thread, after } => {
                    let Rest::Fence(labels) = &*self.threads.rest(thread, node.locals[thread.index()]) else {
                        unreachable!("the thread rests at a fence")
                    };
                    labels.iter().for_each(|&label| _ = node.graph.add(thread, label, None, None));
                    node.passed[thread.index()].step(labels.first(), after);
                    (thread, after)
                }
                Step::Access { thread, label, predecessor, after } => {
                    let access = self.access(&node, thread).expect("the thread rests at an access");
                    record(self.model, &mut node.graph, thread, &access, label, predecessor);
                    node.passed[thread.index()].step(Some(&label), after);
                    (thread, after)
                }
            };
            node.locals[thread.index()] = after;
            node.put_off[thread.index()] = None;
            node.counts[thread.index()] += 1;
        }
        node
    }

    fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        self.threads.program().thread_ids()
    }

    fn rest(&self, node: &Node, thread: ThreadId) -> Rc<Rest> {
        self.threads.rest(thread, node.locals[thread.index()])
    }

    /// The access that the thread is about to make.
    fn access(&self, node: &Node, thread: ThreadId) -> Option<Access> {
        match &*self.rest(node, thread) {
            Rest::Access(access) => Some(access.clone()),
            _ => None,
        }
    }

    /// What was looked for, if it is here.
    fn inspect(&mut self, node: &Node) -> Option<What> {
        let mut halted = 0;
        for thread in self.thread_ids() {
            let site = self.threads.site(thread, node.locals[thread.index()]);
            match (&*self.rest(node, thread), self.goal) {
                (Rest::Failed(kind), Goal::Failure) => return Some(What::Failure { site, kind: kind.clone() }),
                (Rest::Bound, _) => _ = self.bound.get_or_insert(site),
                (Rest::Halted, _) => halted += 1,
                _ => {}
            }
        }
        let Goal::End(holds) = self.goal else { return None };
        let value = |what: Observable| match what {
            Observable::Register(thread, register) => {
                self.threads.local(thread, node.locals[thread.index()]).registers[register.index()]
            }
            Observable::Location(loc) => value_of(&node.graph, node.graph.last_write(loc)),
        };
        (halted == node.locals.len() && holds(&value)).then_some(What::End)
    }

    /// Can nothing be found from here on that is not found elsewhere?
    fn is_hopeless(&mut self, node: &Node) -> Result<bool, Reason> {
        // A race anywhere makes final states meaningless, so it must not be missed.
        let must_end = matches!(self.goal, Goal::End(_)) && !self.can_race;
        let is_stopped = |thread| matches!(*self.rest(node, thread), Rest::Failed(_) | Rest::Stuck | Rest::Bound);
        if must_end && self.thread_ids().any(is_stopped) {
            return Ok(true);
        }
        if node.put_off.iter().all(Option::is_none) {
            return Ok(false);
        }
        let alive = self.waiting(node).alive(None);
        for thread in self.thread_ids() {
            let waits = node.put_off[thread.index()].is_some() && !alive[thread.index()];
            // What goes round in choices and fences for ever waits for nobody.
            let goes_round = !matches!(*self.rest(node, thread), Rest::Access(_));
            if waits && (must_end || !goes_round && self.can_take_last(node, thread)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Could the thread, whose read is put off, go on with the last write?
    fn can_take_last(&mut self, node: &Node, thread: ThreadId) -> Result<bool, Reason> {
        let access = self.access(node, thread).expect("what is put off is an access");
        let old = value_of(&node.graph, node.graph.last_write(access.loc));
        let outcomes = self.threads.outcomes(thread, node.locals[thread.index()], &access, old)?;
        Ok(outcomes.iter().any(|(label, after)| node.passed[thread.index()].clone().step(Some(label), *after)))
    }

    fn waiting<'n>(&'n self, node: &'n Node) -> Waiting<'n> {
        let Node { graph, locals, put_off, .. } = node;
        Waiting { threads: &self.threads, future: &self.future, graph, locals, put_off }
    }

    /// The thread that goes on.
    fn choose(&self, node: &Node) -> Option<ThreadId> {
        let key = |thread: ThreadId| {
            let count = node.counts[thread.index()];
            let key = match &*self.rest(node, thread) {
                Rest::Access(access) if access.is_store() => count,
                Rest::Access(access) if is_awake(&node.graph, node.put_off[thread.index()], access.loc) => {
                    count + READS_LATER
                }
                Rest::Fence(_) | Rest::Choice(_) if node.put_off[thread.index()].is_none() => count,
                _ => return None,
            };
            Some((key, thread))
        };
        self.thread_ids().filter_map(key).min().map(|(_, thread)| thread)
    }

    /// Adds the steps of the thread; a race ends the search.
    fn expand(&mut self, parent: usize, node: &Node, thread: ThreadId) -> Result<Option<Race>, Reason> {
        let parent = u32::try_from(parent).expect("fewer nodes than fit into memory");
        let state = node.locals[thread.index()];
        let passed = &node.passed[thread.index()];
        let before = self.records.len();
        let race = match &*self.rest(node, thread) {
            Rest::Choice(choice) => {
                for (choice, after) in self.threads.chosen(thread, state, choice)? {
                    if passed.clone().step(None, after) {
                        self.records.push(Record { parent, step: Step::Choice { thread, choice, after } });
                    }
                }
                None
            }
            Rest::Fence(labels) => {
                let after = self.threads.pass(thread, state)?;
                if passed.clone().step(labels.first(), after) {
                    self.records.push(Record { parent, step: Step::Fence { thread, after } });
                }
                None
            }
            Rest::Access(access) => self.expand_access(parent, node, thread, access)?,
            _ => None,
        };
        // A thread that has nowhere new to go must not keep others from going on.
        if race.is_none() && self.records.len() == before {
            self.records.push(Record { parent, step: Step::PutOff { thread } });
        }
        Ok(race)
    }

    fn expand_access(
        &mut self,
        parent: u32,
        node: &Node,
        thread: ThreadId,
        access: &Access,
    ) -> Result<Option<Race>, Reason> {
        let (state, graph) = (node.locals[thread.index()], &node.graph);
        let writes = graph.writes(access.loc);
        let kind = self.threads.program().location(access.loc).kind;
        let is_plain = self.can_race && kind == LocationKind::NonAtomic;
        let oldest = if is_plain { writes.len() - 1 } else { 0 };
        // Kinds of label that cannot have a write as early as those to come as their predecessor.
        let mut stale: Vec<(bool, Mode)> = Vec::new();
        let before = self.records.len();
        for position in (oldest..writes.len()).rev() {
            let w = writes[position];
            if node.put_off[thread.index()].is_some_and(|mark| w.0 < mark) {
                continue;
            }
            let is_taken = writes.get(position + 1).is_some_and(|&next| graph.label(next).is_rmw());
            for &(label, after) in self.threads.outcomes(thread, state, access, value_of(graph, w))?.iter() {
                let kind = (label.is_write(), label.mode());
                if (label.is_write() && is_taken) || stale.contains(&kind) {
                    continue;
                }
                self.stats.transitions += 1;
                let mut grown = graph.clone();
                let event = record(self.model, &mut grown, thread, access, label, w);
                self.meter.look_at(&grown)?;
                if !self.model.permits(&grown) {
                    if label.mode() != Mode::Sc {
                        stale.push(kind);
                    }
                    continue;
                }
                let step = Step::Access { thread, label, predecessor: w, after };
                if label.is_nonatomic()
                    && let Some(other) = self.model.race(&grown, event)
                {
                    return Ok(Some(Race { step, what: What::Race { thread, location: access.loc }, other }));
                }
                if node.passed[thread.index()].clone().step(Some(&label), after) {
                    self.records.push(Record { parent, step });
                }
            }
        }
        // It waits for another write, or, if it blocks and the last write will not do, for ever:
        // then (2) does not say that it might as well go on.
        let can_wait = !access.is_store() && self.records.len() > before;
        if can_wait && (self.waiting(node).alive(Some(thread))[thread.index()] || !self.can_take_last(node, thread)?) {
            self.records.push(Record { parent, step: Step::PutOff { thread } });
        }
        Ok(None)
    }

    /// The run along a path, without what has no part in what was found.
    fn run(&self, path: &[Step], what: &What, other: Option<EventId>) -> GraphRun {
        let mut graph = Graph::initial(&self.init);
        let mut locals = self.initial.clone();
        let mut taken = Vec::new();
        for step in path {
            let site = |thread: ThreadId| self.threads.site(thread, locals[thread.index()]);
            let (thread, after) = match *step {
                Step::Root | Step::PutOff { .. } => continue,
                Step::Choice { thread, choice, after } => {
                    taken.push((site(thread), Taken::Choice(choice)));
                    (thread, after)
                }
                Step::Fence { thread, after } => {
                    if let Rest::Fence(labels) = &*self.threads.rest(thread, locals[thread.index()]) {
                        labels.iter().for_each(|&label| _ = graph.add(thread, label, None, None));
                    }
                    (thread, after)
                }
                Step::Access { thread, label, predecessor, after } => {
                    if let Rest::Access(access) = &*self.threads.rest(thread, locals[thread.index()]) {
                        let event = record(self.model, &mut graph, thread, access, label, predecessor);
                        taken.push((site(thread), Taken::Event(event)));
                    }
                    (thread, after)
                }
            };
            locals[thread.index()] = after;
        }
        run(&graph, taken, what, other)
    }
}
