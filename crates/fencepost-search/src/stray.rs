//! What goes wrong in executions with a few stale steps.
//!
//! An execution is grown event by event. Every event takes the last write to its location as its
//! predecessor, as under SC, but for some *stale* ones: they take another write, if the axioms of
//! the model permit the graph. That is how `fencepost_explore` defines it for one stale step, where
//! it has a search over states. This one is for more of them, and for locations that are accessed
//! both plainly and by atomic operations.
//!
//! **Search.** Breadth first over states of the threads with their graphs, so the first run to each
//! thing that goes wrong is a shortest one. Two ways to the same graph with the same number of
//! stale steps are one. Steps that are not stale are not put to the axioms: a new event that comes
//! last in everything closes no cycle.
//!
//! Modelled: models that are axioms, programs without atomic sections. A plain access is never
//! stale; it races. Sound and complete if it comes to its end, which it does not where loops go on
//! writing: graphs grow without end. Agreement with `oracle::stray` for one stale step, and with
//! other engines for as many as there are accesses (`tests/stray.rs`).

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

use fencepost_analysis::interpreter::Rest;
use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId, Value};
use fencepost_ir::{LocationKind, Program};
use fencepost_model::{EventId, Graph, Model};
use fencepost_verdict::{Budget, GraphRun, GraphStep, Progress, Reason, ScFailureKind, Site, Stats};

use crate::What;
use crate::meter::Meter;
use crate::threads::{StateId, Threads, value_of};

/// What goes wrong in such executions.
#[derive(Clone, Debug, Default)]
pub struct Straying {
    /// Each thing once, shortest runs first. What goes wrong without a stale step is not told again
    /// of runs with some.
    pub found: Vec<Astray>,
    /// Why not every such execution was looked at.
    pub cut: Option<Reason>,
    /// The first bound met on the way: runs through it were not followed any further.
    pub bound: Option<Site>,
    /// Graphs found, steps tried, length of the longest run.
    pub stats: Stats,
}

/// Something that goes wrong.
#[derive(Clone, Debug)]
pub struct Astray {
    /// What; the last access of a run to a race is in the race.
    pub what: What,
    /// A run that leads there.
    pub run: GraphRun,
    /// The number of its stale steps.
    pub stale: u32,
}

/// Nodes between two reports.
const BETWEEN_REPORTS: u64 = 256;

/// A partial execution.
struct Node {
    graph: Graph,
    locals: Vec<StateId>,
    stale: u32,
    steps: Option<Rc<Path>>,
    /// For every event of the graph, its number in the run: fences have none.
    numbers: Vec<Option<EventId>>,
}

/// The last step of a run, and those before it.
struct Path {
    step: GraphStep,
    before: Option<Rc<Path>>,
}

/// Something that goes wrong, whatever the run: where, and what.
type Key = (Site, &'static str);

struct Search<'a> {
    threads: Threads<'a>,
    model: &'a dyn Model,
    most: u32,
    meter: Meter<'a>,
    /// What was found, without a stale step and with some.
    keys: [BTreeSet<Key>; 2],
    found: Straying,
}

/// Everything that goes wrong with at most `most` stale steps.
pub(crate) fn search(program: &Program, model: &dyn Model, most: u32, budget: &Budget<'_>) -> Straying {
    if program.has_sections() || model.buffers().is_some() {
        let what = "stale steps are those of models that are axioms, and of programs without atomic sections";
        return Straying { cut: Some(Reason::Unsupported(what.into())), ..Straying::default() };
    }
    let threads = Threads::new(program, model, budget);
    let keys = Default::default();
    let mut search = Search { threads, model, most, meter: Meter::new(budget), keys, found: Straying::default() };
    search.found.cut = search.explore().err();
    let Search { found: mut straying, keys: [sc, _], .. } = search;
    straying.found.retain(|astray| astray.stale == 0 || !sc.contains(&key(astray)));
    straying
}

fn key(astray: &Astray) -> Key {
    match &astray.what {
        What::Failure { site, kind } => (*site, name(kind)),
        What::Race { .. } | What::End => {
            (astray.run.steps.last().map(|step| step.site).expect("a race has accesses"), "race")
        }
    }
}

fn name(kind: &ScFailureKind) -> &'static str {
    match kind {
        ScFailureKind::Assertion => "assertion",
        ScFailureKind::DivisionByZero => "division",
        ScFailureKind::IndexOutOfRange { .. } => "index",
    }
}

impl Search<'_> {
    fn explore(&mut self) -> Result<(), Reason> {
        let program = self.threads.program();
        let init: Vec<Value> = program.locations().iter().map(|location| location.init).collect();
        let graph = Graph::initial(&init);
        let numbers = graph.ids().map(Some).collect();
        let root = Node { graph, locals: self.threads.initial()?, stale: 0, steps: None, numbers };
        let mut layer = vec![root];
        let mut bytes = 0;
        let mut known: HashSet<(Vec<StateId>, Graph, u32)> = HashSet::new();
        while !layer.is_empty() {
            let mut next = Vec::new();
            let frontier = layer.len() as u64;
            for node in layer {
                self.note(&node);
                let mut after = Vec::new();
                for thread in program.thread_ids() {
                    self.expand(&node, thread, &mut after)?;
                }
                for node in after {
                    self.found.stats.transitions += 1;
                    self.meter.look_at(&node.graph)?;
                    if known.insert((node.locals.clone(), node.graph.canonical(), node.stale)) {
                        bytes += 2 * node.graph.bytes();
                        next.push(node);
                    }
                }
                let Budget { max_bytes, .. } = *self.threads.budget();
                if bytes + self.threads.bytes() > max_bytes {
                    return Err(Reason::Memory(max_bytes));
                }
                self.count(frontier, bytes)?;
            }
            self.found.stats.peak_bytes = self.found.stats.peak_bytes.max(bytes + self.threads.bytes());
            self.found.stats.depth += u64::from(!next.is_empty());
            layer = next;
        }
        Ok(())
    }

    /// Counts a node.
    fn count(&mut self, frontier: u64, bytes: u64) -> Result<(), Reason> {
        let budget = self.threads.budget();
        let stats = &mut self.found.stats;
        stats.states += 1;
        if stats.states > budget.max_states {
            return Err(Reason::States(budget.max_states));
        }
        if stats.states.is_multiple_of(BETWEEN_REPORTS) {
            budget.report(Progress { states: stats.states, frontier, depth: stats.depth, bytes });
            if (budget.expired)() {
                return Err(Reason::Time);
            }
        }
        Ok(())
    }

    /// Takes note of failures and bounds.
    fn note(&mut self, node: &Node) {
        for thread in self.threads.program().thread_ids() {
            let id = node.locals[thread.index()];
            let site = self.threads.site(thread, id);
            match &*self.threads.rest(thread, id) {
                Rest::Failed(kind) => self.tell(node, What::Failure { site, kind: kind.clone() }, None),
                Rest::Bound => self.found.bound = self.found.bound.or(Some(site)),
                _ => {}
            }
        }
    }

    /// Something goes wrong, perhaps on one more step.
    fn tell(&mut self, node: &Node, what: What, last: Option<GraphStep>) {
        let mut steps: Vec<GraphStep> = last.into_iter().collect();
        let mut at = node.steps.as_deref();
        while let Some(Path { step, before, .. }) = at {
            steps.push(step.clone());
            at = before.as_deref();
        }
        steps.reverse();
        let astray = Astray { what, run: GraphRun { steps }, stale: node.stale };
        if self.keys[usize::from(node.stale > 0)].insert(key(&astray)) {
            self.found.found.push(astray);
        }
    }

    /// Adds the steps of a thread.
    fn expand(&mut self, node: &Node, thread: ThreadId, out: &mut Vec<Node>) -> Result<(), Reason> {
        let id = node.locals[thread.index()];
        match &*self.threads.rest(thread, id) {
            Rest::Fence(labels) => {
                let mut after = node.with(thread, self.threads.pass(thread, id)?, None);
                for &label in labels {
                    after.graph.add(thread, label, None, None);
                    after.numbers.push(None);
                }
                out.push(after);
            }
            Rest::Choice(choice) => {
                let site = self.threads.site(thread, id);
                for (alternative, after) in self.threads.chosen(thread, id, choice)? {
                    let step = GraphStep { site, event: None, choice: Some(alternative) };
                    out.push(node.with(thread, after, Some(step)));
                }
            }
            Rest::Access(access) => {
                let last = node.graph.last_write(access.loc);
                let writes: Vec<EventId> = node.graph.writes(access.loc).to_vec();
                for write in writes {
                    for (label, after) in
                        self.threads.outcomes(thread, id, access, value_of(&node.graph, write))?.iter()
                    {
                        let stale = write != last;
                        if stale && (node.stale == self.most || label.is_nonatomic()) {
                            continue;
                        }
                        let predecessor = node.numbers[write.index()].expect("writes are steps");
                        let site = self.threads.site(thread, id);
                        let step = GraphStep { site, event: Some((*label, predecessor)), choice: None };
                        let mut after = node.with(thread, *after, Some(step.clone()));
                        let event = after.graph.add(thread, *label, Some(write), None);
                        after.numbers.push(Some(EventId::from_index(node.numbers.iter().flatten().count())));
                        after.stale += u32::from(stale);
                        if stale && !self.model.permits(&after.graph) {
                            continue;
                        }
                        if self.races(&after.graph, access.loc, label, event) {
                            let what = What::Race { thread, location: access.loc };
                            self.tell(&Node { stale: after.stale, ..node.with(thread, id, None) }, what, Some(step));
                        }
                        out.push(after);
                    }
                }
            }
            Rest::Enter | Rest::Leave | Rest::Halted | Rest::Stuck | Rest::Bound | Rest::Failed(_) => {}
        }
        Ok(())
    }

    /// Is the access, just made, in a data race?
    fn races(&self, graph: &Graph, loc: LocId, label: &Label, event: EventId) -> bool {
        let is_plain = |id: EventId| graph.label(id).is_nonatomic() && graph.label(id).loc() == Some(loc);
        let location = self.threads.program().location(loc);
        let may_race = location.kind == LocationKind::NonAtomic
            || label.is_nonatomic()
            || graph.ids().any(|id| is_plain(id) && !graph.is_init(id));
        may_race && self.model.declaration().races && self.model.race(graph, event).is_some()
    }
}

impl Node {
    /// The same with another state of a thread, after one more step.
    fn with(&self, thread: ThreadId, state: StateId, step: Option<GraphStep>) -> Node {
        let mut locals = self.locals.clone();
        locals[thread.index()] = state;
        let longer = step.map(|step| Rc::new(Path { step, before: self.steps.clone() }));
        Node {
            graph: self.graph.clone(),
            locals,
            stale: self.stale,
            steps: longer.or_else(|| self.steps.clone()),
            numbers: self.numbers.clone(),
        }
    }
}
