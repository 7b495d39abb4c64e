//! From the steps of a run to the execution that it made, and those that it leaves to be made.

use std::collections::BTreeMap;

use fencepost_model::Model;
use fencepost_protocol::Order;
use fencepost_protocol::exploration::{Class, Kind, Step, end, flag};

use crate::execution::{Event, Execution, Id, Orders, Outcome, Reading, Use, What};
use crate::revisit::revisits;
use crate::{Ended, Task, Trouble};

/// What a run has made.
pub(crate) struct Grown {
    pub(crate) execution: Execution,
    pub(crate) ended: Ended,
    /// What is still to be made.
    pub(crate) tasks: Vec<Execution>,
}

/// Follows a run, which had this task.
pub(crate) fn follow(model: &dyn Model, task: Task, steps: &[Step], why: u32) -> Result<Grown, Trouble> {
    let mut run =
        Run { model, execution: task.execution, tasks: Vec::new(), taken: vec![None; steps.len()], steps, at: 0 };
    let is_execution = match task.plan.split_last() {
        Some((&open, plan)) if why & end::INFEASIBLE != 0 => {
            run.follow_plan(plan)?;
            run.waits_in_vain(open);
            false
        }
        _ => run.follow_plan(&task.plan)? && run.follow_rest()?,
    };
    let ended = match why {
        _ if !is_execution => Ended::Rejected,
        // That the process ends does not help those who wait.
        _ if why & (end::ASSUMED | end::LEFT) != 0 => Ended::Blocked,
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

/// Does the step begin an event? To give a lock back may belong to the step before.
pub(crate) fn is_event(step: &Step) -> bool {
    (step.is_decided() || step.kind == Kind::Unlock) && !step.is_pending()
}

/// The fences that follow the step with this number.
pub(crate) fn fences_after(steps: &[Step], number: usize) -> Vec<Order> {
    let follow = steps[number + 1..].iter().take_while(|step| !is_event(step));
    follow.filter(|step| step.kind == Kind::Fence).map(|step| step.order).collect()
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
                return Err(Trouble::NotModelled("what goes with a step"));
            }
        }
        Ok(None)
    }

    /// The fences that follow the last step.
    fn fences(&self) -> Vec<Order> {
        fences_after(self.steps, self.at - 1)
    }

    /// Compares the first steps with the plan, and fills in what was not known. False if the
    /// execution turns out to be inconsistent.
    fn follow_plan(&mut self, plan: &[Id]) -> Result<bool, Trouble> {
        for &id in plan {
            let event = self.execution.event(id);
            if event.read_part().is_some() || event.is_blocked {
                continue;
            }
            let expected = (event.thread, event.object, event.what);
            let diverged = |found: Option<&Step>| {
                let (thread, object, what) = expected;
                Trouble::Diverged {
                    found: found.copied(),
                    expected: format!("thread {thread} at {object:#x}: {what:?}"),
                }
            };
            let Some((number, step)) = self.next()? else { return Err(diverged(None)) };
            let event = self.execution.event(id);
            let shown = match event.what {
                What::Write { .. } => Some(written(step)),
                What::Read { .. } => Some(found(step)),
                _ => None,
            };
            // Threads have numbers, in the order in which the run creates them.
            let is_born_alike = match event.what {
                What::Begin { spawn } => spawn.is_none() || self.cause(step) == spawn,
                What::Wake { by } => self.cause(step) == Some(by),
                _ => true,
            };
            let is_like = is_like(step, event) && is_born_alike;
            let is_same = step.thread == event.thread && step.pc == event.pc && is_like;
            if !is_same || event.value.is_some() && event.value != shown {
                return Err(diverged(Some(step)));
            }
            self.note_initial(step);
            if is_use(step) {
                self.branch(id, step);
            }
            let is_consistent = self.follow_event(id, step, shown)?;
            self.taken[number] = self.execution.write_part(id).or(Some(id));
            if !is_consistent {
                return Ok(false);
            }
            self.end_step(id)?;
        }
        Ok(true)
    }

    /// The rest of a step is new to a task that was left when only its beginning was there.
    fn end_step(&mut self, id: Id) -> Result<(), Trouble> {
        let write = self.execution.write_part(id);
        let Some((write, step)) = write.zip(self.follower()) else { return Ok(()) };
        if self.execution.follower(write).is_some() {
            return Ok(());
        }
        self.at += 1;
        let fences = self.fences();
        self.add_read(step, fences)
    }

    /// The step is this event. Fills in what was not known; false if that makes the execution
    /// inconsistent.
    fn follow_event(&mut self, id: Id, step: &Step, shown: Option<u64>) -> Result<bool, Trouble> {
        let fences = self.fences();
        let event = self.execution.event_mut(id);
        let was_open = event.value.is_none();
        event.value = shown;
        let What::Read { source, .. } = event.what else {
            event.fences = fences;
            event.uses = uses(step);
            return Ok(true);
        };
        match (writes(step), self.execution.write_part(id)) {
            (true, None) => Ok(self.add_write(step, Some((id, source)), fences)),
            (true, Some(part)) => {
                let value = Some(written(step));
                let part = self.execution.event_mut(part);
                if part.value.is_some() && part.value != value {
                    return Err(Trouble::Diverged { found: Some(*step), expected: format!("{:?}", part.value) });
                }
                let knew = part.uses == uses(step);
                (part.value, part.fences, part.uses) = (value, fences, uses(step));
                Ok(knew || self.execution.is_permitted(self.model))
            }
            (false, None) => {
                self.execution.event_mut(id).fences = fences;
                // That it would only read was not known.
                Ok(!was_open || self.execution.is_permitted(self.model))
            }
            (false, Some(_)) => Err(Trouble::Diverged { found: Some(*step), expected: "a write".into() }),
        }
    }

    /// The use of an object that is this event can go several ways, which no run has shown yet.
    fn branch(&mut self, id: Id, step: &Step) {
        if step.choices < 2 || self.execution.event(id).uses.is_none_or(|uses| uses.choice.is_some()) {
            return;
        }
        for choice in 0..step.choices {
            let mut other = self.execution.clone();
            other.event_mut(id).uses = Some(Use { choice: Some(choice), ..Use::default() });
            match choice == step.choice {
                true => self.execution = other,
                false => self.tasks.push(other),
            }
        }
    }

    /// A read that was to find what it waits for has not: no run has shown the value before.
    fn waits_in_vain(&mut self, read: Id) {
        let event = self.execution.event_mut(read);
        (event.is_blocked, event.value) = (true, None);
        let (object, source) = (event.object, event.source());
        if self.execution.last_write(object) == source {
            self.tasks.push(self.execution.clone());
        }
    }

    /// From the plan on everything is added maximally. False if the execution turns out to be
    /// inconsistent.
    fn follow_rest(&mut self) -> Result<bool, Trouble> {
        while let Some((number, step)) = self.next()? {
            let fences = self.fences();
            self.note_initial(step);
            match step.kind {
                Kind::Read | Kind::Update | Kind::Lock | Kind::Unlock | Kind::Object => self.add_read(step, fences)?,
                Kind::Write => {
                    self.add_write(step, None, fences);
                }
                Kind::Spawn => self.add(step, What::Spawn, fences),
                Kind::Join => {
                    let thread = step.object as u32;
                    let last = self.execution.last_of(thread).map(|last| last.id);
                    self.add(step, What::Join { thread, last }, fences);
                }
                Kind::Choice => self.add_choice(step, fences),
                Kind::GoOn => {
                    let is_first = self.execution.last_of(step.thread).is_none();
                    let what = match self.cause(step) {
                        spawn if is_first => What::Begin { spawn },
                        Some(by) if self.execution.event(by).uses.is_some() => What::Wake { by },
                        None if step.after == 0 => What::Begin { spawn: None },
                        _ => return Err(Trouble::NotModelled("what wakes a thread")),
                    };
                    self.add(step, what, fences);
                }
                Kind::Fence => {}
            }
            self.taken[number] = self.execution.last_of(step.thread).map(|last| last.id);
        }
        self.add_pending()?;
        Ok(true)
    }

    /// What has created or woken the thread that goes on with this step.
    fn cause(&self, step: &Step) -> Option<Id> {
        let after = (step.after as usize).checked_sub(1)?;
        self.taken.get(after).copied().flatten()
    }

    /// The first access of a run to a location has seen its initial value.
    fn note_initial(&mut self, step: &Step) {
        let is_there = |other: &Step| is_event(other) && other.object == step.object && other.kind.touches();
        if step.kind.touches() && !self.steps[..self.at - 1].iter().any(is_there) {
            self.execution.set_initial(step.object, step.read);
        }
    }

    fn add(&mut self, step: &Step, what: What, fences: Vec<Order>) {
        self.execution.add(event(step, what, None, fences));
    }

    fn add_choice(&mut self, step: &Step, fences: Vec<Order>) {
        for choice in (0..step.choices).filter(|&choice| choice != step.choice) {
            let mut other = self.execution.clone();
            other.add(event(step, What::Choice { choice }, None, Vec::new()));
            self.tasks.push(other);
        }
        self.add(step, What::Choice { choice: step.choice }, fences);
    }

    /// A read of the last write, or a use of an object after the last one.
    fn add_read(&mut self, step: &Step, fences: Vec<Order>) -> Result<(), Trouble> {
        is_modelled(step)?;
        let last = self.execution.last_write(step.object);
        let known = self.execution.value_of(step.object, last);
        if known != Some(found(step)) {
            return Err(Trouble::NotModelled(OUT_OF_SIGHT));
        }
        self.read_otherwise(step, last);
        let what = What::Read { source: last, reading: reading(step) };
        let id = self.execution.add(event(step, what, known, Vec::new()));
        self.branch(id, step);
        match writes(step) {
            true => drop(self.add_write(step, Some((id, last)), fences)),
            false => self.execution.event_mut(id).fences = fences,
        }
        Ok(())
    }

    /// Executions in which the step reads another write than this one.
    fn read_otherwise(&mut self, step: &Step, this: Option<Id>) {
        let (object, reading) = (step.object, reading(step));
        for source in self.execution.sources(object).into_iter().filter(|&source| source != this) {
            self.read_from(step, reading, source);
        }
    }

    /// The execution in which the step reads this write, and those in which its own write is read.
    fn read_from(&mut self, step: &Step, reading: Reading, source: Option<Id>) {
        let mut other = self.execution.clone();
        let value = other.value_of(step.object, source);
        let id = other.add(event(step, What::Read { source, reading }, value, Vec::new()));
        let outcome = reading.outcome(value);
        if outcome == Outcome::Waits || !other.is_permitted(self.model) {
            return;
        }
        if outcome == Outcome::Writes || is_use(step) {
            // What an object becomes is shown by a run, but for a lock that waited.
            let value = match step.kind {
                Kind::Lock => Some(TAKEN),
                _ if is_use(step) || reading == Reading::Update => None,
                _ => Some(written(step)),
            };
            let mut whole = other.clone();
            let part = event(step, What::Write { read: Some(id) }, value, Vec::new());
            let part = Event { uses: part.uses.map(|uses| elsewhere(step, uses)), ..part };
            let part = whole.add_write(part, source);
            if !whole.is_permitted(self.model) {
                return revisits(self.model, &whole, part, &mut self.tasks);
            }
        }
        // What its write leads to is seen in the run.
        self.tasks.push(other);
    }

    /// A write: of its own, which is last, or of a read-modify-write. False if it has no place.
    fn add_write(&mut self, step: &Step, read: Option<(Id, Option<Id>)>, fences: Vec<Order>) -> bool {
        let value = Some(written(step));
        let last = self.execution.last_write(step.object);
        let what = What::Write { read: read.map(|(read, _)| read) };
        if read.is_none() {
            for after in self.execution.sources(step.object).into_iter().filter(|&after| after != last) {
                let mut other = self.execution.clone();
                other.add_write(event(step, what, value, Vec::new()), after);
                if other.is_permitted(self.model) {
                    self.tasks.push(other);
                }
            }
        }
        let after = read.map_or(last, |(_, source)| source);
        let write = Event { uses: uses(step), ..event(step, what, value, fences) };
        let write = self.execution.add_write(write, after);
        revisits(self.model, &self.execution, write, &mut self.tasks);
        after == last || self.execution.is_permitted(self.model)
    }

    /// What belongs to the step that was taken last, and follows.
    fn follower(&self) -> Option<&'a Step> {
        self.steps.get(self.at).filter(|step| is_event(step) && !step.is_decided())
    }

    /// What those wait for who cannot go on: they may have found it earlier, or find it later.
    fn add_pending(&mut self) -> Result<(), Trouble> {
        for step in self.steps.iter().filter(|step| step.is_pending()) {
            if self.execution.last_of(step.thread).is_some_and(|last| last.is_blocked) {
                continue;
            }
            is_modelled(step)?;
            if !awaits(step) {
                continue;
            }
            let last = self.execution.last_write(step.object);
            if self.execution.value_of(step.object, last).is_none() {
                self.execution.set_initial(step.object, found(step));
            }
            let reading = reading(step);
            if reading.outcome(self.execution.value_of(step.object, last)) != Outcome::Waits {
                return Err(Trouble::NotModelled(OUT_OF_SIGHT));
            }
            self.read_otherwise(step, last);
            let what = What::Read { source: None, reading };
            self.execution.add(Event { is_blocked: true, ..event(step, what, None, Vec::new()) });
        }
        Ok(())
    }

    /// Do all threads wait for ever? Not if the last write is what one of them waits for.
    fn stuck(&self) -> Ended {
        let execution = &self.execution;
        let is_in_vain = |event: &Event| {
            let What::Read { reading, .. } = event.what else { return true };
            let last = execution.value_of(event.object, execution.last_write(event.object));
            !event.is_blocked || reading.outcome(last) == Outcome::Waits
        };
        // A loop goes round again for ever if it finds the last writes as it has found others.
        let goes_on = |thread: u32, reads: usize| {
            let own = execution.events().iter().rev().filter(|event| event.thread == thread && event.is_read());
            let last = |event: &Event| execution.value_of(event.object, execution.last_write(event.object));
            own.take(reads).all(|event| event.value.is_some() && last(event) == event.value)
        };
        let mut rounds: BTreeMap<u32, usize> = BTreeMap::new();
        for step in self.steps.iter().filter(|step| step.is_pending() && !awaits(step)) {
            *rounds.entry(step.thread).or_default() += 1;
        }
        let do_all_go_on = rounds.into_iter().all(|(thread, reads)| goes_on(thread, reads));
        match execution.events().iter().all(is_in_vain) && do_all_go_on {
            true => Ended::Stuck,
            false => Ended::Blocked,
        }
    }
}

/// Does the step use an object?
pub(crate) fn is_use(step: &Step) -> bool {
    matches!(step.kind, Kind::Lock | Kind::Unlock | Kind::Object)
}

/// Is what the step uses modelled?
pub(crate) fn is_modelled(step: &Step) -> Result<(), Trouble> {
    match step.class {
        _ if !is_use(step) => Ok(()),
        Class::Futex => Err(Trouble::NotModelled("a wait in the kernel (futex)")),
        Class::Once => Err(Trouble::NotModelled("what is done once, such as a static variable that is initialised")),
        Class::Mutex | Class::ReadWriteLock | Class::Condition | Class::Semaphore | Class::Barrier => Ok(()),
    }
}

/// What is known of the use of an object: for its write, or when a thread goes on.
pub(crate) fn uses(step: &Step) -> Option<Use> {
    let Step { acquires, releases, replaces, .. } = *step;
    let is_any = is_use(step) || step.kind == Kind::GoOn;
    is_any.then(|| Use { orders: Orders { acquires, releases, replaces }, ..Use::default() })
}

/// The same, if the object were in another state: what is not sure is left to a run to show.
fn elsewhere(step: &Step, uses: Use) -> Use {
    // Who does not wait may find that there is nothing to acquire.
    let acquires = if awaits(step) { uses.orders.acquires } else { 0 };
    Use { orders: Orders { acquires, ..uses.orders }, ..uses }
}

/// The order with which the step writes, or reads if it only does that and compares nothing.
pub(crate) fn order(step: &Step) -> Order {
    if is_use(step) { Order::Relaxed } else { step.order }
}

pub(crate) fn event(step: &Step, what: What, value: Option<u64>, fences: Vec<Order>) -> Event {
    let order = order(step);
    let Step { thread, object, pc, .. } = *step;
    let uses = match what {
        What::Read { .. } if is_use(step) => {
            Some(Use { follows: !step.is_decided() && !step.is_pending(), ..Use::default() })
        }
        _ => uses(step),
    };
    let object = if matches!(what, What::Wake { .. }) || step.kind.touches() { object } else { 0 };
    Event { id: 0, thread, what, object, order, value, fences, is_blocked: false, previous: None, pc, uses }
}

/// Bits of the name of a location that are its address. Those above say how often it was written
/// otherwise before.
pub(crate) const ADDRESS_BITS: u32 = 48;

/// What is not modelled.
pub(crate) const OUT_OF_SIGHT: &str = "a location that is written, or a lock that is taken, out of sight";

/// Does the step wait for what it finds?
fn awaits(step: &Step) -> bool {
    step.kind == Kind::Lock || step.flags & flag::AWAITS != 0
}

/// What the step reads.
pub(crate) fn found(step: &Step) -> u64 {
    step.read
}

/// What the step writes, or would if it found what it expects.
pub(crate) fn written(step: &Step) -> u64 {
    step.written
}

/// Does the step write? To use an object does in any case.
pub(crate) fn writes(step: &Step) -> bool {
    is_use(step) || matches!(step.kind, Kind::Update | Kind::Write)
}

/// The state of a lock that is free, and of one that is not.
const FREE: u64 = 0;
const TAKEN: u64 = 1;

fn reading(step: &Step) -> Reading {
    let has = |bit: u8| step.flags & bit != 0;
    match step.kind {
        Kind::Lock => Reading::Await { value: FREE, differs: false, writes: true },
        _ if awaits(step) => {
            let writes = step.kind != Kind::Read;
            Reading::Await { value: step.expected, differs: has(flag::DIFFERS), writes }
        }
        _ if has(flag::COMPARES) => Reading::Compare { expected: step.expected, failure: step.failure },
        Kind::Update | Kind::Unlock | Kind::Object => Reading::Update,
        _ => Reading::Load,
    }
}

/// Is the step of the kind of this event?
fn is_like(step: &Step, event: &Event) -> bool {
    let is_there = step.object == event.object;
    match event.what {
        What::Read { .. } => is_there && (is_use(step) || matches!(step.kind, Kind::Read | Kind::Update)),
        What::Write { .. } => is_there && step.kind == Kind::Write,
        What::Spawn => step.kind == Kind::Spawn,
        What::Begin { .. } | What::Wake { .. } => step.kind == Kind::GoOn,
        What::Join { thread, .. } => step.kind == Kind::Join && step.object as u32 == thread,
        What::Choice { choice } => step.kind == Kind::Choice && step.choice == choice,
    }
}
