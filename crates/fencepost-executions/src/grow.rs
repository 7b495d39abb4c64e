//! From the steps of a run to the execution that it made, and those that it leaves to be made.

use fencepost_model::Model;
use fencepost_protocol::Order;
use fencepost_protocol::exploration::{Kind, Step, end, flag};

use crate::execution::{Event, Execution, Id, Reading, What};
use crate::revisit::revisits;
use crate::{Ended, Task, Trouble};

/// What a run has made.
pub(crate) struct Grown {
    pub(crate) execution: Execution,
    pub(crate) ended: Ended,
    /// What is still to be made.
    pub(crate) tasks: Vec<Execution>,
}

/// Is it a read whose write is still to come, as far as is known?
pub(crate) fn is_open(execution: &Execution, event: &Event) -> bool {
    let is_last = || execution.events().iter().rev().find(|other| other.thread == event.thread).map(|last| last.id);
    event.is_read() && execution.write_part(event.id).is_none() && is_last() == Some(event.id)
}

/// Is it a lock that is taken? Its thread takes no step.
pub(crate) fn is_held(event: &Event) -> bool {
    matches!(event.what, What::Read { reading: Reading::Await(_), .. })
}

/// Follows a run, which had this task.
pub(crate) fn follow(model: &dyn Model, task: Task, steps: &[Step], why: u32) -> Result<Grown, Trouble> {
    let mut run = Run {
        model,
        execution: task.execution,
        tasks: Vec::new(),
        taken: vec![None; steps.len()],
        steps,
        at: 0,
    };
    let is_permitted = run.follow_plan(&task.plan)? && run.follow_rest()?;
    let ended = match why {
        _ if !is_permitted => Ended::Rejected,
        _ if why & (end::ASSUMED | end::REDUNDANT | end::INFEASIBLE) != 0 => Ended::Blocked,
        _ if why & end::STUCK != 0 => run.stuck(),
        _ => Ended::Complete,
    };
    Ok(Grown { execution: run.execution, ended, tasks: run.tasks })
}

struct Run<'a> {
    model: &'a dyn Model,
    execution: Execution,
    tasks: Vec<Execution>,
    steps: &'a [Step],
    /// The event that each step was.
    taken: Vec<Option<Id>>,
    /// The next step.
    at: usize,
}

/// Does the step begin an event?
fn is_event(step: &Step) -> bool {
    step.is_decided() && !step.is_pending()
}

impl<'a> Run<'a> {
    /// The next step that begins an event, with its number.
    fn next(&mut self) -> Result<Option<(usize, &'a Step)>, Trouble> {
        while let Some(step) = self.steps.get(self.at) {
            self.at += 1;
            if is_event(step) {
                return Ok(Some((self.at - 1, step)));
            }
            if !step.is_pending() && step.kind != Kind::Fence {
                return Err(Trouble::NotModelled("what waits for a condition"));
            }
        }
        Ok(None)
    }

    /// The fences that follow the last step.
    fn fences(&self) -> Vec<Order> {
        let follow = self.steps[self.at..].iter().take_while(|step| !is_event(step));
        follow.filter(|step| step.kind == Kind::Fence).map(|step| step.order).collect()
    }

    /// Compares the first steps with the plan, and fills in what was not known. False if the
    /// execution turns out to be inconsistent.
    fn follow_plan(&mut self, plan: &[Id]) -> Result<bool, Trouble> {
        for &id in plan {
            let event = self.execution.event(id);
            if event.read_part().is_some() || event.is_blocked && is_held(event) {
                continue;
            }
            let diverged = |found: Option<&Step>| Trouble::Diverged {
                found: found.copied(),
                expected: format!("thread {} at {:#x}: {:?}", event.thread, event.object, event.what),
            };
            let Some((number, step)) = self.next()? else { return Err(diverged(None)) };
            let is_same = step.thread == event.thread && step.pc == event.pc && is_like(step, event);
            let shown = match event.what {
                What::Write { .. } => written(step),
                What::Read { .. } => Some(step.read),
                _ => None,
            };
            let was_open = event.value.is_none();
            if !is_same || event.value.is_some() && event.value != shown {
                return Err(diverged(Some(step)));
            }
            let fences = self.fences();
            let part = self.execution.write_part(id);
            let event = self.execution.event_mut(id);
            event.value = shown;
            self.taken[number] = Some(id);
            match (writes(step), part) {
                (_, None) if !event.is_read() => event.fences = fences,
                (true, Some(part)) => {
                    let part = self.execution.event_mut(part);
                    if part.value != written(step) {
                        return Err(Trouble::Diverged { found: Some(*step), expected: "another value".into() });
                    }
                    part.fences = fences;
                }
                (false, None) => {
                    event.is_blocked |= step.flags & flag::WAITS != 0 && step.flags & flag::SUCCESS == 0;
                    event.fences = fences;
                    // Whether it would only read was not known.
                    if was_open && !self.execution.is_permitted(self.model) {
                        return Ok(false);
                    }
                }
                (true, None) => {
                    let source = self.execution.event(id).source();
                    if !self.add_write(step, Some((id, source)), fences) {
                        return Ok(false);
                    }
                }
                (false, Some(_)) => {
                    return Err(Trouble::Diverged { found: Some(*step), expected: "a write".into() });
                }
            }
        }
        Ok(true)
    }

    /// From the plan on everything is added maximally. False if the execution turns out to be
    /// inconsistent.
    fn follow_rest(&mut self) -> Result<bool, Trouble> {
        while let Some((number, step)) = self.next()? {
            let fences = self.fences();
            let added = match step.kind {
                Kind::Read | Kind::Update | Kind::Lock => self.add_read(step, fences)?,
                Kind::Write | Kind::Unlock => {
                    if !self.add_write(step, None, fences) {
                        return Ok(false);
                    }
                    None
                }
                Kind::Spawn => Some(self.add(step, What::Spawn, fences)),
                Kind::Join => Some(self.add(step, What::Join { thread: step.object as u32 }, fences)),
                Kind::Choice => {
                    let id = self.add(step, What::Choice { choice: step.choice }, fences);
                    for choice in (0..step.choices).filter(|&choice| choice != step.choice) {
                        let mut other = self.execution.clone();
                        let event = other.event_mut(id);
                        (event.what, event.fences) = (What::Choice { choice }, Vec::new());
                        self.tasks.push(other);
                    }
                    Some(id)
                }
                Kind::GoOn => {
                    let spawn = (step.after as usize).checked_sub(1).and_then(|number| self.taken.get(number).copied().flatten());
                    let is_first = self.execution.events().iter().all(|event| event.thread != step.thread);
                    if !is_first && step.after != 0 {
                        return Err(Trouble::NotModelled("what wakes a thread"));
                    }
                    Some(self.add(step, What::Begin { spawn: spawn.filter(|_| is_first) }, fences))
                }
                Kind::Object => return Err(Trouble::NotModelled("what is done with an object that waits")),
                Kind::Fence => None,
            };
            self.taken[number] = added.or_else(|| self.execution.events().last().map(|event| event.id));
        }
        Ok(true)
    }

    fn add(&mut self, step: &Step, what: What, fences: Vec<Order>) -> Id {
        self.execution.add(event(step, what, None, fences))
    }

    /// A read of the last write.
    fn add_read(&mut self, step: &Step, fences: Vec<Order>) -> Result<Option<Id>, Trouble> {
        let last = self.execution.last_write(step.object);
        let known = last.and_then(|last| self.execution.event(last).value);
        if step.kind != Kind::Lock && known.is_some_and(|known| known != step.read) {
            return Err(Trouble::NotModelled("a location that is written out of sight"));
        }
        if step.kind == Kind::Lock && known == Some(LOCKED) {
            return Err(Trouble::NotModelled("a lock that several threads have"));
        }
        self.execution.note_initial(step.object, step.read, last.is_none());
        let what = |source| What::Read { source, reading: reading(step) };
        let others: Vec<Option<Id>> =
            std::iter::once(None).chain(self.execution.writes(step.object).iter().copied().map(Some)).collect();
        for &source in others.iter().filter(|&&source| source != last) {
            let mut other = self.execution.clone();
            let value = match source {
                Some(source) => other.event(source).value,
                None => other.initial(step.object),
            };
            let id = other.add(event(step, what(source), value, Vec::new()));
            let outcome = outcome(reading(step), value);
            if outcome == Outcome::Waits || !other.is_permitted(self.model) {
                continue;
            }
            if outcome != Outcome::Writes {
                self.tasks.push(other);
                continue;
            }
            let mut whole = other.clone();
            let value = if reading(step) == Reading::Update { None } else { written(step) };
            let part = whole.add_write(event(step, What::Write { read: Some(id) }, value, Vec::new()), source);
            if whole.is_permitted(self.model) {
                // What its write leads to is seen in the run.
                self.tasks.push(other);
            } else {
                revisits(self.model, &whole, part, &mut self.tasks);
            }
        }
        let value = Some(if step.kind == Kind::Lock { known.unwrap_or(0) } else { step.read });
        let id = self.execution.add(event(step, what(last), value, Vec::new()));
        if writes(step) {
            self.add_write(step, Some((id, last)), fences);
        } else {
            self.execution.event_mut(id).fences = fences;
        }
        Ok(Some(id))
    }

    /// A write: of its own, which is last, or of a read-modify-write. False if it has no place.
    fn add_write(&mut self, step: &Step, read: Option<(Id, Option<Id>)>, fences: Vec<Order>) -> bool {
        let value = written(step);
        let last = self.execution.last_write(step.object);
        let what = What::Write { read: read.map(|(read, _)| read) };
        if read.is_none() {
            self.execution.note_initial(step.object, step.read, last.is_none());
            let others: Vec<Option<Id>> =
                std::iter::once(None).chain(self.execution.writes(step.object).iter().copied().map(Some)).collect();
            for &after in others.iter().filter(|&&after| after != last) {
                let mut other = self.execution.clone();
                other.add_write(event(step, what, value, fences.clone()), after);
                if other.is_permitted(self.model) {
                    self.tasks.push(other);
                }
            }
        }
        let after = read.map_or(last, |(_, source)| source);
        let write = self.execution.add_write(event(step, what, value, fences), after);
        revisits(self.model, &self.execution, write, &mut self.tasks);
        read.is_none() || self.execution.is_permitted(self.model)
    }

    /// Do all threads wait for ever? Not if one of them has not seen the last write.
    fn stuck(&self) -> Ended {
        let sees_last = |step: &Step| {
            let last = self.execution.last_write(step.object);
            let own = |event: &&Event| event.thread == step.thread && event.object == step.object;
            let mut reads = self.execution.events().iter().rev().filter(own).filter(|event| event.is_read());
            reads.next().is_none_or(|read| read.source() == last)
        };
        let is_blocked = |event: &Event| event.is_blocked && event.source() != self.execution.last_write(event.object);
        let waits = self.steps.iter().filter(|step| step.is_pending() && step.kind == Kind::Read);
        match waits.clone().all(sees_last) && !self.execution.events().iter().any(is_blocked) {
            true => Ended::Stuck,
            false => Ended::Blocked,
        }
    }
}

/// What a lock holds that is taken.
const LOCKED: u64 = 1;

fn event(step: &Step, what: What, value: Option<u64>, fences: Vec<Order>) -> Event {
    let order = match step.kind {
        Kind::Lock => Order::Acquire,
        Kind::Unlock => Order::Release,
        _ => step.order,
    };
    let Step { thread, object, pc, .. } = *step;
    Event { id: 0, thread, what, object, order, value, fences, is_blocked: false, pc }
}

/// What the step writes, or would if it found what it expects.
fn written(step: &Step) -> Option<u64> {
    match step.kind {
        Kind::Lock => Some(LOCKED),
        Kind::Unlock => Some(0),
        _ => Some(step.written),
    }
}

/// Does the step write?
fn writes(step: &Step) -> bool {
    matches!(step.kind, Kind::Update | Kind::Lock | Kind::Write | Kind::Unlock)
}

fn reading(step: &Step) -> Reading {
    let compares = step.flags & flag::COMPARES != 0;
    match step.kind {
        Kind::Lock => Reading::Await(0),
        Kind::Update if step.flags & flag::WAITS != 0 => Reading::Await(step.expected),
        _ if compares => Reading::Compare { expected: step.expected, failure: step.failure },
        Kind::Update => Reading::Update,
        _ => Reading::Load,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Reads,
    Writes,
    /// It waits in vain.
    Waits,
    /// The run shows it.
    Open,
}

fn outcome(reading: Reading, value: Option<u64>) -> Outcome {
    match (reading, value) {
        (Reading::Load, _) => Outcome::Reads,
        (Reading::Update, _) => Outcome::Writes,
        (_, None) => Outcome::Open,
        (Reading::Compare { expected, .. } | Reading::Await(expected), Some(value)) if value == expected => Outcome::Writes,
        (Reading::Compare { .. }, _) => Outcome::Reads,
        (Reading::Await(_), _) => Outcome::Waits,
    }
}

/// Is the step of the kind of this event?
fn is_like(step: &Step, event: &Event) -> bool {
    let is_there = step.object == event.object;
    match event.what {
        What::Read { .. } => is_there && matches!(step.kind, Kind::Read | Kind::Update | Kind::Lock),
        What::Write { .. } => is_there && matches!(step.kind, Kind::Write | Kind::Unlock),
        What::Spawn => step.kind == Kind::Spawn,
        What::Begin { .. } => step.kind == Kind::GoOn,
        What::Join { thread } => step.kind == Kind::Join && step.object as u32 == thread,
        What::Choice { choice } => step.kind == Kind::Choice && step.choice == choice,
    }
}
