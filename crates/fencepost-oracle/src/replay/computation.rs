//! A computation of the store-buffer machine, followed step by step.
//!
//! Its steps come in units that happen at once: an instruction, together with
//! the fences before it, or an atomic section. A computation says when stores
//! reach memory, not when they change queues: they do so when they reach memory, or when a
//! light fence waits for them, then in the order in which they will reach memory.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_ir::Program;
use fencepost_model::{EventId, Graph, Model};
use fencepost_verdict::{BufferStep, Computation, Delay, GraphRun, GraphStep, RunStep, Site};

use super::{ReplayError, error, show};
use crate::buffers::{Machine, State};
use crate::interpreter::{Interpreter, Rest};

/// What was executed, and the trace of it.
pub(super) struct Executed {
    pub(super) units: Vec<Unit>,
    pub(super) graph: Graph,
}

/// What a thread does at once.
pub(super) struct Unit {
    pub(super) thread: ThreadId,
    /// Steps of the run that mention it: one, or those of a section.
    pub(super) steps: Vec<RunStep>,
    /// Its events in the graph, fences before it included.
    pub(super) events: Vec<EventId>,
    pub(super) is_section: bool,
}

/// Follows a computation on the machine of `model`: the run that it is, told as a graph that grows,
/// to be put to the axioms ([`super::replay_graph_failure`], [`super::replay_graph_end`]). If
/// something goes wrong in an atomic section at the end, the section is in the run as far as it
/// went.
///
/// # Errors
/// When it is not a computation of the program, or ends with stores in buffers.
pub fn replay_computation(
    program: &Program,
    model: &dyn Model,
    computation: &Computation,
) -> Result<GraphRun, ReplayError> {
    let mut follower = follow(program, model, computation)?;
    if let Some((inside, first)) = follower.section
        && matches!(follower.machine.rest(&follower.state, inside), Rest::Failed(_))
    {
        follower.state.trace.tie(inside, first);
        follower.section = None;
    }
    Ok(follower.finish()?.graph_run())
}

/// Follows a computation in which a store is delayed.
pub(super) fn follow_delay(program: &Program, model: &dyn Model, delay: &Delay) -> Result<Executed, ReplayError> {
    let follower = follow(program, model, &delay.computation)?;
    check_delay(program, delay)?;
    follower.finish()
}

fn follow<'a>(
    program: &'a Program,
    model: &'a dyn Model,
    computation: &Computation,
) -> Result<Follower<'a>, ReplayError> {
    let Some(machine) = Machine::new(program, model) else {
        return error(format!("{} has no store buffers", model.name()));
    };
    let mut follower = Follower {
        machine,
        interpreter: Interpreter::new(program, model),
        state: machine.initial(),
        units: Vec::new(),
        section: None,
    };
    let steps = &computation.steps;
    for (index, step) in steps.iter().enumerate() {
        let (result, place) = match step {
            BufferStep::Execute { step, delayed } => {
                (follower.execute(step, *delayed, &steps[index + 1..]), show(step.site))
            }
            BufferStep::Commit { thread, loc } => (follower.commit(*thread, *loc), format!("commit of {thread:?}")),
        };
        if let Err(cause) = result {
            return error(format!("step {index} of the computation, {place}: {cause}"));
        }
    }
    Ok(follower)
}

struct Follower<'a> {
    machine: Machine<'a>,
    interpreter: Interpreter<'a>,
    state: State,
    units: Vec<Growing>,
    /// The thread in an atomic section, and the position of the section's first event.
    section: Option<(ThreadId, usize)>,
}

/// A unit whose events are still named by their positions in the thread.
struct Growing {
    thread: ThreadId,
    steps: Vec<RunStep>,
    positions: Range<usize>,
    is_section: bool,
}

impl Follower<'_> {
    fn execute(&mut self, step: &RunStep, delayed: bool, later: &[BufferStep]) -> Result<(), ReplayError> {
        let site = step.site;
        let thread = site.thread;
        if step.label.is_none() && step.choice.is_none() {
            // Bookkeeping of the searcher: our threads have gone on already.
            return Ok(());
        }
        if self.state.threads.get(thread.index()).is_none() {
            return error(format!("there is no thread {thread:?}"));
        }
        if self.section.is_some_and(|(inside, _)| inside != thread) {
            self.end_section()?;
        }
        while self.state.threads[thread.index()].pc != site.pc && self.pass(thread, later)? {}
        let pc = self.state.threads[thread.index()].pc;
        if pc != site.pc {
            return error(format!("thread {thread:?} rests at {pc:?}, not at {:?}", site.pc));
        }
        let rest = self.machine.rest(&self.state, thread);
        match (step.label, step.choice, &rest) {
            (Some(label), None, Rest::Access(access)) => {
                let enabled = self.machine.labels(&self.state, thread, access);
                let labels: Vec<Label> = enabled.iter().map(|(label, _)| *label).collect();
                // Orders make no difference in models with store buffers.
                let Some((label, after)) = enabled.into_iter().find(|(enabled, _)| is_alike(enabled, &label)) else {
                    let buffers = if self.state.is_drained(thread) { "empty" } else { "not empty" };
                    return error(format!("{label:?} is not enabled (buffers {buffers}), enabled are {labels:?}"));
                };
                let is_first = self.state.advanced(thread).next().is_none()
                    && self.state.waiting(thread).all(|(loc, _)| loc != access.loc);
                self.machine.access(&mut self.state, (thread, Some(pc)), access, label, after);
                if matches!(label, Label::Write { .. }) && (!delayed || self.section.is_some()) {
                    if !is_first {
                        return error("a store cannot go to memory at once, behind others in the buffer");
                    }
                    self.commit(thread, access.loc)?;
                }
                self.note(RunStep { label: Some(label), ..step.clone() });
            }
            (None, Some(choice), _) => {
                let before = &self.state.threads[thread.index()];
                let Some(after) = self.interpreter.choose(thread, before, &rest, choice) else {
                    return error(format!("choice {choice} cannot be made: {rest:?}"));
                };
                self.state.threads[thread.index()] = after;
                self.note(step.clone());
            }
            (Some(Label::Fence { .. } | Label::LightFence { .. }), None, Rest::Fence(_)) => {
                self.pass(thread, later)?;
            }
            _ => return error(format!("no such step: {rest:?}")),
        }
        Ok(())
    }

    /// A step of the run, with all events of its thread since the one before.
    fn note(&mut self, step: RunStep) {
        let thread = step.site.thread;
        let end = self.state.trace.count(thread);
        if self.section.is_some()
            && let Some(unit) = self.units.iter_mut().rfind(|unit| unit.thread == thread)
        {
            unit.steps.push(step);
            unit.positions.end = end;
        } else {
            let positions = self.noted(thread)..end;
            self.units.push(Growing { thread, steps: vec![step], positions, is_section: false });
        }
    }

    /// How many events of the thread are in units.
    fn noted(&self, thread: ThreadId) -> usize {
        self.units.iter().rfind(|unit| unit.thread == thread).map_or(0, |unit| unit.positions.end)
    }

    /// Passes the fence, or beginning or end of an atomic section, at which the thread rests, if it
    /// rests at one.
    fn pass(&mut self, thread: ThreadId, later: &[BufferStep]) -> Result<bool, ReplayError> {
        let place = (thread, Some(self.state.threads[thread.index()].pc));
        let rest = self.machine.rest(&self.state, thread);
        match &rest {
            Rest::Fence(labels) | Rest::Enter(labels) => {
                let first = self.state.trace.count(thread);
                labels.iter().try_for_each(|label| self.make_way(thread, label, later))?;
                if !self.machine.pass(&mut self.state, place, labels) {
                    return error(format!("{rest:?} has to wait for stores in the buffers of thread {thread:?}"));
                }
                if matches!(rest, Rest::Enter(_)) {
                    let positions = self.noted(thread)..self.state.trace.count(thread);
                    self.units.push(Growing { thread, steps: Vec::new(), positions, is_section: true });
                    self.section = Some((thread, first));
                }
                Ok(true)
            }
            Rest::Leave => {
                let (_, first) = self.section.take().expect("who leaves a section has entered it");
                self.machine.leave(&mut self.state, thread, first);
                let end = self.state.trace.count(thread);
                let unit = self.units.iter_mut().rfind(|unit| unit.thread == thread);
                unit.expect("a section is a unit").positions.end = end;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Stores that a light fence waits for leave their queues, and with them those that are to
    /// reach memory before them.
    fn make_way(&mut self, thread: ThreadId, fence: &Label, later: &[BufferStep]) -> Result<(), ReplayError> {
        let Label::LightFence { loc: covered } = *fence else { return Ok(()) };
        let mut waiting: BTreeMap<LocId, usize> = self.state.waiting(thread).collect();
        let mut ahead: BTreeMap<LocId, usize> = BTreeMap::new();
        self.state.advanced(thread).for_each(|loc| *ahead.entry(loc).or_default() += 1);
        let is_covered = |loc: LocId| covered.is_none_or(|covered| covered == loc);
        let mut commits = later.iter().filter_map(|step| match step {
            BufferStep::Commit { thread: of, loc } if *of == thread => Some(*loc),
            _ => None,
        });
        while waiting.iter().any(|(&loc, &count)| is_covered(loc) && count > 0) {
            let Some(loc) = commits.next() else {
                return error("a store that a light fence waits for never reaches memory");
            };
            // First those in the common queue already; after those in the queue, stores to come.
            let is_ahead = ahead.get_mut(&loc).filter(|count| **count > 0).map(|count| *count -= 1).is_some();
            if let Some(count) = waiting.get_mut(&loc).filter(|count| !is_ahead && **count > 0) {
                *count -= 1;
                self.state.advance(thread, loc);
            }
        }
        Ok(())
    }

    /// Before a step of another thread than that in an atomic section: the section is done, or
    /// stuck, and then nobody has seen anything of it.
    fn end_section(&mut self) -> Result<(), ReplayError> {
        let Some((inside, first)) = self.section else { return Ok(()) };
        while let Rest::Fence(_) = self.machine.rest(&self.state, inside) {
            self.pass(inside, &[])?;
        }
        match self.machine.rest(&self.state, inside) {
            Rest::Leave => self.pass(inside, &[]).map(|_| ()),
            Rest::Failed(_) | Rest::Blocked => {
                self.section = None;
                self.state.trace.forget(inside, first);
                let unit = self.units.iter().rposition(|unit| unit.thread == inside);
                unit.into_iter().for_each(|unit| _ = self.units.remove(unit));
                Ok(())
            }
            _ => error(format!("thread {inside:?} is in an atomic section")),
        }
    }

    fn commit(&mut self, thread: ThreadId, loc: LocId) -> Result<(), ReplayError> {
        let next = self.state.advanced(thread).next();
        let is_waiting = self.state.waiting(thread).any(|(waiting, _)| waiting == loc);
        match next {
            Some(next) if next == loc => {}
            Some(next) => return error(format!("a store to {loc:?} waits behind one to {next:?}")),
            None if is_waiting => self.state.advance(thread, loc),
            None => return error(format!("thread {thread:?} has no store to {loc:?} in its buffers")),
        }
        self.state.commit(thread);
        Ok(())
    }

    fn finish(mut self) -> Result<Executed, ReplayError> {
        self.end_section()?;
        if !self.state.is_end() {
            return error("the computation ends with stores in buffers");
        }
        let trace = &self.state.trace;
        let units = self.units.into_iter().map(|Growing { thread, steps, positions, is_section }| {
            let events = positions.map(|position| trace.id(thread, position)).collect();
            Unit { thread, steps, events, is_section }
        });
        Ok(Executed { units: units.collect(), graph: trace.graph() })
    }
}

impl Executed {
    /// The run of its units, in the order in which they were executed: every read comes after the
    /// store it takes. Each store has its place behind those before it that reached memory earlier.
    fn graph_run(&self) -> GraphRun {
        let mut steps = Vec::new();
        let mut numbers: BTreeMap<EventId, EventId> =
            (0..self.graph.locations()).map(EventId::from_index).map(|init| (init, init)).collect();
        for unit in &self.units {
            let mut accesses = unit.events.iter().filter(|event| self.graph.label(**event).loc().is_some());
            for step in &unit.steps {
                let event = step.label.map(|_| {
                    let event = *accesses.next().expect("a step with a label is an access");
                    let label = *self.graph.label(event);
                    let writes = self.graph.writes(label.loc().expect("an access"));
                    let place = writes.iter().position(|&write| write == event).unwrap_or(0);
                    let earlier = writes[..place].iter().rev().find_map(|write| numbers.get(write));
                    let source = self.graph.source(event).map(|source| &numbers[&source]);
                    let predecessor = *source.or(earlier).expect("an initialisation write at least");
                    numbers.insert(event, EventId::from_index(numbers.len()));
                    (label, predecessor)
                });
                steps.push(GraphStep { site: step.site, event, choice: step.choice });
            }
        }
        GraphRun { steps }
    }
}

/// The same label, but for the order.
fn is_alike(a: &Label, b: &Label) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
        && (a.loc(), a.value_read(), a.value_written()) == (b.loc(), b.value_read(), b.value_written())
}

/// Is the store that is said to be delayed in a buffer while the access that is said to pass it is
/// executed?
fn check_delay(program: &Program, delay: &Delay) -> Result<(), ReplayError> {
    let Delay { store, passed, computation } = delay;
    // Stores in the buffers of the thread, by location: is it the one in question?
    let mut buffered: BTreeMap<LocId, VecDeque<Site>> = BTreeMap::new();
    for step in &computation.steps {
        match step {
            BufferStep::Execute { step, delayed } if step.site.thread == store.thread => {
                if step.site == *passed && buffered.values().flatten().any(|site| site == store) {
                    return Ok(());
                }
                if let (true, Some(Label::Write { loc, .. })) = (*delayed, step.label) {
                    buffered.entry(loc).or_default().push_back(step.site);
                }
            }
            BufferStep::Commit { thread, loc } if *thread == store.thread => {
                buffered.entry(*loc).or_default().pop_front();
            }
            _ => {}
        }
    }
    let name = &program.thread(store.thread).name;
    error(format!("{} is never delayed past {} (thread {name})", show(*store), show(*passed)))
}
