//! Every execution of a program without loops, each once: final states are counted, nothing is
//! stored.
//!
//! Definitions: Lahav and Margalit, PLDI 2019, Def. 4.5 and Lemma A.17. What is counted is what
//! `finals` of the oracle counts, which judges this file.
//!
//! Modelled: programs without loops, atomic sections and bounds, in every model. Plain accesses of
//! any location and executions with data races are included: a plain access may come after any
//! write that the axioms permit, as in herd. Sound, and complete where it comes to its end.
//!
//! **One way to each graph**, as in `graphs`. In every node one thread goes on. A store tries every
//! place in modification order. A read tries every write that is there, or is put off until there
//! are others. A thread whose read need not be put off, because nobody can write its location any
//! more, goes first.
//!
//! The assumptions about models are stated, and tested, where `graphs` has them. Assumption (1) is
//! why inconsistent nodes need not be followed. Assumption (2) is why a node whose read waits in
//! vain need not. Assumption (3) is why earlier writes need not be tried after one that is too
//! early. Whether two accesses race, and what a thread has come to, depends on what comes before
//! them in program order and reads-from. So every race and every failure is met in some node.
//!
//! **SC fences** that are updates of a hidden location make many graphs of one. Their order is left
//! out of what is counted, so it is enough that there is one. Each node has an order that is
//! consistent. Where the next event does not agree with it, others are looked for, from the first
//! fence to the last. A fence that has no place yet orders only what its own thread does, which
//! permits more. If not even the fences without any order are consistent, which is asked first, no
//! order is. And if two fences are not consistent in one order, whatever becomes of the others,
//! they must have the other order.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use fencepost_analysis::interpreter::{Access, Rest};
use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId, Value};
use fencepost_base::order::Mode;
use fencepost_ir::{Observable, Op, Program};
use fencepost_model::{EventId, Graph, Model};
use fencepost_verdict::{Budget, GraphRun, Progress, Reason, ScFailureKind, Site};

use crate::What;
use crate::future::{Future, Waiting, hidden, is_awake, touched};
use crate::meter::Meter;
use crate::runs::{Taken, run};
use crate::threads::{StateId, Threads, record, value_of};

/// What happens in a model.
#[derive(Clone, Debug, Default)]
pub struct Executions {
    /// For every final state, the values of what is observed: how many executions end in it, and
    /// one of them.
    pub endings: BTreeMap<Vec<Value>, (u64, GraphRun)>,
    /// The first executions, as many as were asked for, with the values of what is observed.
    pub first: Vec<(Vec<Value>, GraphRun)>,
    /// An access that is in a data race, and a run that ends with it.
    pub race: Option<(ThreadId, LocId, GraphRun)>,
    /// An assertion that fails, or a run-time error, and a run that leads there.
    pub failure: Option<(Site, ScFailureKind, GraphRun)>,
    /// Partial executions looked at.
    pub nodes: u64,
}

/// Nodes between two reports.
const BETWEEN_REPORTS: u64 = 256;

/// A partial execution.
#[derive(Clone)]
struct Node {
    /// With an order of the fences on their hidden location that is consistent.
    graph: Graph,
    locals: Vec<StateId>,
    /// For every thread whose read is put off, the number of events there were.
    put_off: Vec<Option<u32>>,
    path: Option<Rc<Path>>,
}

impl Node {
    fn bytes(&self) -> u64 {
        let threads = self.locals.len() * (size_of::<StateId>() + size_of::<Option<u32>>());
        self.graph.bytes() + (size_of::<Node>() + threads + size_of::<Path>()) as u64
    }
}

/// Nodes to be looked at, and what they take.
#[derive(Default)]
struct Open {
    nodes: Vec<Node>,
    bytes: u64,
}

impl Open {
    fn push(&mut self, node: Node) {
        self.bytes += node.bytes();
        self.nodes.push(node);
    }

    fn pop(&mut self) -> Option<Node> {
        let node = self.nodes.pop()?;
        self.bytes -= node.bytes();
        Some(node)
    }
}

/// The last step of a run, and those before it.
struct Path {
    site: Site,
    taken: Taken,
    before: Option<Rc<Path>>,
}

struct Enumeration<'a> {
    threads: Threads<'a>,
    future: Future,
    model: &'a dyn Model,
    init: Vec<Value>,
    /// The hidden location of fences.
    hidden: Option<LocId>,
    /// Are there accesses of the location that are plain?
    is_plain: Vec<bool>,
    observed: &'a [Observable],
    /// So many executions are kept one by one.
    most: usize,
    /// Two ways to choose may lead to the same execution; then those there were.
    ends: Option<HashSet<(Vec<StateId>, Graph)>>,
    found: Executions,
    /// What of it all takes room, but for nodes that are to be looked at.
    bytes: u64,
    meter: Meter<'a>,
    budget: &'a Budget<'a>,
}

/// All executions, or those that were found before a limit was reached; `most` of them are kept one
/// by one.
pub(crate) fn enumerate(
    program: &Program,
    model: &dyn Model,
    observed: &[Observable],
    most: usize,
    budget: &Budget<'_>,
) -> Result<(Executions, Option<Reason>), Reason> {
    let ops = || program.threads().iter().flat_map(|thread| &thread.code).map(|instr| &instr.op);
    let is_beyond = program.has_sections() || ops().any(|op| matches!(op, Op::Bound { .. }));
    if is_beyond || !program.is_loop_free() {
        let what = "only executions of programs without loops, atomic sections and bounds are enumerated";
        return Err(Reason::Unsupported(what.into()));
    }
    let has_choices = ops().any(|op| matches!(op, Op::Choose { .. } | Op::Nondet { .. }));
    let mut threads = Threads::new(program, model, budget);
    let locals = threads.initial()?;
    let init: Vec<Value> = program.locations().iter().map(|location| location.init).collect();
    let root = Node { graph: Graph::initial(&init), put_off: vec![None; locals.len()], locals, path: None };
    let mut enumeration = Enumeration {
        future: Future::new(program, hidden(program, model), budget)?,
        threads,
        model,
        init,
        hidden: program.fence_location(),
        is_plain: plain_locations(program),
        observed,
        most,
        ends: has_choices.then(HashSet::new),
        found: Executions::default(),
        bytes: 0,
        meter: Meter::new(budget),
        budget,
    };
    let cut = enumeration.explore(root).err();
    Ok((enumeration.found, cut))
}

fn plain_locations(program: &Program) -> Vec<bool> {
    let mut is_plain = vec![false; program.locations().len()];
    for instr in program.threads().iter().flat_map(|thread| &thread.code) {
        if matches!(instr.op, Op::PlainLoad { .. } | Op::PlainStore { .. }) {
            is_plain[touched(program, None, &instr.op)].fill(true);
        }
    }
    is_plain
}

impl Enumeration<'_> {
    /// Depth first.
    fn explore(&mut self, root: Node) -> Result<(), Reason> {
        let mut open = Open::default();
        self.put(root, &mut open)?;
        while let Some(node) = open.pop() {
            self.found.nodes += 1;
            if self.found.nodes > self.budget.max_states {
                return Err(Reason::States(self.budget.max_states));
            }
            if self.found.nodes.is_multiple_of(BETWEEN_REPORTS) {
                let frontier = open.nodes.len() as u64;
                let depth = node.graph.len() as u64;
                self.budget.report(Progress { states: self.found.nodes, frontier, depth, bytes: self.bytes(&open) });
            }
            self.inspect(&node);
            if self.is_hopeless(&node)? {
                continue;
            }
            if let Some(thread) = self.choose(&node) {
                let first = open.nodes.len();
                self.expand(node, thread, &mut open)?;
                // What is tried first is followed first.
                open.nodes[first..].reverse();
            }
        }
        Ok(())
    }

    /// Puts a node on the list of those to be looked at.
    fn put(&mut self, node: Node, open: &mut Open) -> Result<(), Reason> {
        self.meter.look_at(&node.graph)?;
        open.push(node);
        let limit = self.budget.max_bytes;
        if self.bytes(open) > limit { Err(Reason::Memory(limit)) } else { Ok(()) }
    }

    fn bytes(&self, open: &Open) -> u64 {
        open.bytes + self.bytes + self.threads.bytes() + self.future.bytes()
    }

    fn rest(&self, node: &Node, thread: ThreadId) -> Rc<Rest> {
        self.threads.rest(thread, node.locals[thread.index()])
    }

    fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        self.threads.program().thread_ids()
    }

    fn waiting<'n>(&'n self, node: &'n Node) -> Waiting<'n> {
        let Node { graph, locals, put_off, .. } = node;
        Waiting { threads: &self.threads, future: &self.future, graph, locals, put_off }
    }

    /// Takes note of an end, or of a failure.
    fn inspect(&mut self, node: &Node) {
        let mut halted = 0;
        for thread in self.thread_ids() {
            match &*self.rest(node, thread) {
                Rest::Halted => halted += 1,
                Rest::Failed(kind) if self.found.failure.is_none() => {
                    let site = self.threads.site(thread, node.locals[thread.index()]);
                    let what = What::Failure { site, kind: kind.clone() };
                    self.found.failure = Some((site, kind.clone(), self.run(node, &what, None)));
                }
                _ => {}
            }
        }
        if halted < node.locals.len() || !self.is_new(node) {
            return;
        }
        let graph = &node.graph;
        let value = |what: &Observable| match *what {
            Observable::Register(thread, register) => {
                self.threads.local(thread, node.locals[thread.index()]).registers[register.index()]
            }
            Observable::Location(loc) => value_of(graph, graph.last_write(loc)),
        };
        let values: Vec<Value> = self.observed.iter().map(value).collect();
        if self.found.first.len() < self.most {
            let run = self.run(node, &What::End, None);
            self.bytes += size_of_val(run.steps.as_slice()) as u64;
            self.found.first.push((values.clone(), run));
        }
        match self.found.endings.get_mut(&values) {
            Some((count, _)) => *count += 1,
            None => {
                let run = self.run(node, &What::End, None);
                self.bytes += size_of_val(run.steps.as_slice()) as u64;
                self.found.endings.insert(values, (1, run));
            }
        }
    }

    fn is_new(&mut self, node: &Node) -> bool {
        let Some(ends) = &mut self.ends else { return true };
        let is_visible = |id: EventId| node.graph.label(id).loc() != self.hidden || node.graph.is_init(id);
        let visible = match self.hidden {
            Some(_) => node.graph.restricted(is_visible),
            None => node.graph.clone(),
        };
        let is_new = ends.insert((node.locals.clone(), visible.canonical()));
        self.bytes += if is_new { node.bytes() } else { 0 };
        is_new
    }

    /// Does a read wait in vain that need not have waited?
    fn is_hopeless(&mut self, node: &Node) -> Result<bool, Reason> {
        if node.put_off.iter().all(Option::is_none) {
            return Ok(false);
        }
        let alive = self.waiting(node).alive(None);
        for thread in self.thread_ids() {
            let waits = node.put_off[thread.index()].is_some() && !alive[thread.index()];
            if waits && self.can_take_last(node, thread)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn can_take_last(&mut self, node: &Node, thread: ThreadId) -> Result<bool, Reason> {
        let Rest::Access(access) = &*self.rest(node, thread) else { return Ok(false) };
        let old = value_of(&node.graph, node.graph.last_write(access.loc));
        Ok(!self.threads.outcomes(thread, node.locals[thread.index()], access, old)?.is_empty())
    }

    /// The thread that goes on: one that has a single way or need not wait, if there is one.
    fn choose(&self, node: &Node) -> Option<ThreadId> {
        let key = |thread: ThreadId| {
            let key = match &*self.rest(node, thread) {
                Rest::Fence(_) | Rest::Choice(_) => 0,
                Rest::Access(access) if Some(access.loc) == self.hidden => 0,
                Rest::Access(access) if access.is_store() => 2,
                Rest::Access(access) if is_awake(&node.graph, node.put_off[thread.index()], access.loc) => {
                    match self.waiting(node).alive(Some(thread))[thread.index()] {
                        true => 3,
                        false => 1,
                    }
                }
                _ => return None,
            };
            Some((key, thread))
        };
        self.thread_ids().filter_map(key).min().map(|(_, thread)| thread)
    }

    fn expand(&mut self, mut node: Node, thread: ThreadId, open: &mut Open) -> Result<(), Reason> {
        let state = node.locals[thread.index()];
        match &*self.rest(&node, thread) {
            Rest::Choice(choice) => {
                for (choice, after) in self.threads.chosen(thread, state, choice)? {
                    let mut next = node.clone();
                    self.step(&mut next, thread, Taken::Choice(choice), after);
                    self.put(next, open)?;
                }
            }
            Rest::Fence(labels) => {
                labels.iter().for_each(|&label| _ = node.graph.add(thread, label, None, None));
                node.locals[thread.index()] = self.threads.pass(thread, state)?;
                self.put(node, open)?;
            }
            Rest::Access(access) => self.expand_access(node, thread, access, open)?,
            _ => {}
        }
        Ok(())
    }

    fn expand_access(
        &mut self,
        mut node: Node,
        thread: ThreadId,
        access: &Access,
        open: &mut Open,
    ) -> Result<(), Reason> {
        let state = node.locals[thread.index()];
        let writes = node.graph.writes(access.loc).to_vec();
        let is_hidden = Some(access.loc) == self.hidden;
        // A new fence can always be the last one.
        let oldest = if is_hidden { writes.len() - 1 } else { 0 };
        // Kinds of label that cannot have a write as early as those to come as their predecessor.
        let mut stale: Vec<(bool, Mode)> = Vec::new();
        let before = open.nodes.len();
        for position in (oldest..writes.len()).rev() {
            let w = writes[position];
            if node.put_off[thread.index()].is_some_and(|mark| w.0 < mark) {
                continue;
            }
            let is_taken = writes.get(position + 1).is_some_and(|&next| node.graph.label(next).is_rmw());
            for &(label, after) in self.threads.outcomes(thread, state, access, value_of(&node.graph, w))?.iter() {
                let kind = (label.is_write(), label.mode());
                if (label.is_write() && is_taken) || stale.contains(&kind) {
                    continue;
                }
                let mut grown = node.graph.clone();
                let event = record(self.model, &mut grown, thread, access, label, w);
                self.meter.look_at(&grown)?;
                let Some(graph) = self.consistent(grown) else {
                    if label.mode() != Mode::Sc {
                        stale.push(kind);
                    }
                    continue;
                };
                let (locals, put_off, path) = (node.locals.clone(), node.put_off.clone(), node.path.clone());
                let mut next = Node { graph, locals, put_off, path };
                self.step(&mut next, thread, Taken::Event(event), after);
                if self.found.race.is_none()
                    && self.is_plain[access.loc.index()]
                    && let Some(other) = self.model.race(&next.graph, event)
                {
                    let what = What::Race { thread, location: access.loc };
                    self.found.race = Some((thread, access.loc, self.run(&next, &what, Some(other))));
                }
                self.put(next, open)?;
            }
        }
        if access.is_store() || is_hidden {
            return Ok(());
        }
        // Who can do nothing now must not keep others from going on. Who could read only what is
        // overwritten may as well wait for ever: by (2) that adds nothing where the last write will
        // do, but a blocking read may not take it.
        let may_wait = open.nodes.len() == before
            || self.waiting(&node).alive(Some(thread))[thread.index()]
            || !self.can_take_last(&node, thread)?;
        if may_wait {
            node.put_off[thread.index()] = Some(node.graph.len() as u32);
            self.put(node, open)?;
        }
        Ok(())
    }

    fn step(&self, node: &mut Node, thread: ThreadId, taken: Taken, after: StateId) {
        let site = self.threads.site(thread, node.locals[thread.index()]);
        node.path = Some(Rc::new(Path { site, taken, before: node.path.take() }));
        node.locals[thread.index()] = after;
        node.put_off[thread.index()] = None;
    }

    /// The graph, with an order of its fences in which it is consistent.
    fn consistent(&self, graph: Graph) -> Option<Graph> {
        if self.model.permits(&graph) {
            return Some(graph);
        }
        let hidden = self.hidden?;
        let fences = graph.writes(hidden)[1..].to_vec();
        if fences.len() < 2 || !self.model.permits(&self.reordered(&graph, hidden, &[])) {
            return None;
        }
        let is_too_late = |one: EventId, other: EventId| match graph.event(one).thread == graph.event(other).thread {
            true => other < one,
            false => !self.model.permits(&self.reordered(&graph, hidden, &[one, other])),
        };
        // For every fence, those that cannot come after it.
        let before = |&one: &EventId| {
            let others = fences.iter().copied().filter(|&other| other != one);
            (one, others.filter(|&other| is_too_late(one, other)).collect())
        };
        let fences: Vec<(EventId, Vec<EventId>)> = fences.iter().map(before).collect();
        self.order_fences(&graph, hidden, &fences, &mut Vec::new())
    }

    /// Continues an order of fences, each of which comes with those that must be before it.
    fn order_fences(
        &self,
        graph: &Graph,
        hidden: LocId,
        fences: &[(EventId, Vec<EventId>)],
        order: &mut Vec<EventId>,
    ) -> Option<Graph> {
        for (fence, before) in fences {
            if order.contains(fence) || !before.iter().all(|other| order.contains(other)) {
                continue;
            }
            order.push(*fence);
            let reordered = self.reordered(graph, hidden, order);
            if self.model.permits(&reordered) {
                if order.len() == fences.len() {
                    return Some(reordered);
                }
                if let Some(found) = self.order_fences(graph, hidden, fences, order) {
                    return Some(found);
                }
            }
            order.pop();
        }
        None
    }

    /// The graph with its fences in this order; those that are missing have no place in it.
    fn reordered(&self, graph: &Graph, hidden: LocId, order: &[EventId]) -> Graph {
        let first = graph.writes(hidden)[0];
        let chain: Vec<EventId> = std::iter::once(first).chain(order.iter().copied()).collect();
        let events = graph.ids().filter(|&id| !graph.is_init(id)).map(|id| {
            let mut event = *graph.event(id);
            if event.label.loc() != Some(hidden) {
                return (event, graph.source(id));
            }
            match chain.iter().position(|&fence| fence == id) {
                Some(place) => (event, Some(chain[place - 1])),
                None => {
                    event.label = Label::Fence { mode: Mode::Full };
                    (event, None)
                }
            }
        });
        let writes = |loc: usize| match LocId::from_index(loc) {
            loc if loc == hidden => chain.clone(),
            loc => graph.writes(loc).to_vec(),
        };
        Graph::of_parts(&self.init, events.collect(), (0..self.init.len()).map(writes).collect())
    }

    /// The run to a node; fences may have changed places since they were added.
    fn run(&self, node: &Node, what: &What, other: Option<EventId>) -> GraphRun {
        let mut path = Vec::new();
        let mut at = node.path.as_deref();
        while let Some(Path { site, taken, before }) = at {
            path.push((*site, *taken));
            at = before.as_deref();
        }
        path.reverse();
        run(&node.graph, path, what, other)
    }
}
