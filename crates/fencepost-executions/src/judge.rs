//! What a run was that somebody else has made: the execution graph of its steps, and what the
//! axioms say of it.
//!
//! Nothing of what made the run is used: neither its clocks, nor the window of a step, nor the graph
//! that the run was planned with.
//!
//! - A run that is SC but for one step at most, which uses an overwritten write: a read of it, or a
//!   write that is put right after it in modification order. So the graph follows from the steps.
//!   Every other read reads the last write, every other write is last. A location whose memory was
//!   written otherwise in between, by plain accesses, is another one from then on, as in runs that
//!   need not be SC.
//! - A run of which decisions say what its reads find, and which of its writes are overwritten
//!   already. Where these are in modification order is not said. There must be places for them.
//!
//! # What is modelled
//!
//! What the explorer of this crate models, see [`crate`].

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use fencepost_protocol::exploration::{Decision, Found, Kind, Stale, Step, flag};

use crate::execution::{Event, Execution, Id, Reading, What};
use crate::grow::{self, ADDRESS_BITS, OUT_OF_SIGHT, event, fences_after, is_event, is_modelled, is_use};
use crate::{Models, Trouble};

/// What the axioms say of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It is an execution of the reference: it is not weak.
    Ordinary,
    /// It is an execution of the model, and not of the reference.
    Weak,
    /// It is no execution of the model.
    Forbidden,
    /// There are too many places where its writes could be.
    Undecided,
}

/// Ways to place writes that are tried.
const PLACED: usize = 2_000;

/// Judges a run that has taken these steps, one of which may have used an overwritten write.
///
/// # Errors
/// If it has done what is not modelled, or what was used cannot be told.
pub fn judge(models: Models, steps: &[Step], stale: Option<Stale>) -> Result<Judgement, Trouble> {
    let execution = Run::new(steps, How::Straying(stale)).execution()?;
    Ok(judgement(models, &execution))
}

/// Judges a run that has taken these steps because of these decisions.
///
/// # Errors
/// If it has done what is not modelled, or what was decided cannot be told.
pub fn judge_decided(models: Models, steps: &[Step], decisions: &[Decision]) -> Result<Judgement, Trouble> {
    // Of each write that is overwritten when it is made, its place.
    let mut places: Vec<usize> = Vec::new();
    for _ in 0..PLACED {
        let mut run = Run::new(steps, How::Decided { decisions, places: &mut places, placed: Vec::new() });
        let execution = run.follow().map(|()| std::mem::take(&mut run.execution))?;
        let How::Decided { placed, .. } = run.how else { unreachable!("it was decided") };
        match judgement(models, &execution) {
            Judgement::Forbidden => {}
            judgement => return Ok(judgement),
        }
        // The next way: as a counter whose digits have these many values.
        while let Some((place, &count)) = places.pop().zip(placed.get(places.len())) {
            if place + 1 < count {
                places.push(place + 1);
                break;
            }
        }
        if places.is_empty() {
            return Ok(Judgement::Forbidden);
        }
    }
    Ok(Judgement::Undecided)
}

fn judgement(models: Models, execution: &Execution) -> Judgement {
    match () {
        () if !execution.is_permitted(models.model) => Judgement::Forbidden,
        () if !execution.is_ordinary(models.reference) => Judgement::Weak,
        () => Judgement::Ordinary,
    }
}

/// What is known of how a run was made.
enum How<'a> {
    /// One step may have used an overwritten write.
    Straying(Option<Stale>),
    /// These decisions were followed. Writes that are overwritten already have these places, or the
    /// first one if there are more, and there are so many places for each.
    Decided { decisions: &'a [Decision], places: &'a mut Vec<usize>, placed: Vec<usize> },
}

struct Run<'a> {
    steps: &'a [Step],
    how: How<'a>,
    execution: Execution,
    /// How often each location was written otherwise.
    ages: BTreeMap<u64, u64>,
    /// The writes to each location, in the order in which they were made.
    made: BTreeMap<u64, Vec<Id>>,
    /// The event of each step: of an update, its write.
    taken: Vec<Option<Id>>,
    /// Decisions so far.
    decided: usize,
}

impl<'a> Run<'a> {
    fn new(steps: &'a [Step], how: How<'a>) -> Run<'a> {
        let (ages, made) = (BTreeMap::new(), BTreeMap::new());
        Run { steps, how, execution: Execution::default(), ages, made, taken: Vec::new(), decided: 0 }
    }

    fn execution(mut self) -> Result<Execution, Trouble> {
        self.follow()?;
        Ok(self.execution)
    }

    fn follow(&mut self) -> Result<(), Trouble> {
        for (number, step) in self.steps.iter().enumerate() {
            let decision = self.decision(step);
            let id = match is_event(step) {
                _ if step.idle != 0 => None,
                true => self.add(number, step, decision)?,
                false if step.is_pending() || step.kind == Kind::Fence => None,
                false => return Err(Trouble::NotModelled("what goes with a step")),
            };
            self.taken.push(id);
        }
        Ok(())
    }

    /// What was decided about this step.
    fn decision(&mut self, step: &Step) -> Option<Decision> {
        let How::Decided { decisions, .. } = &self.how else { return None };
        if !step.is_decided() || step.is_pending() {
            return None;
        }
        while decisions.get(self.decided).is_some_and(Decision::is_held) {
            self.decided += 1;
        }
        self.decided += 1;
        decisions.get(self.decided - 1).copied()
    }

    fn add(&mut self, number: usize, step: &Step, decision: Option<Decision>) -> Result<Option<Id>, Trouble> {
        let fences = fences_after(self.steps, number);
        let other = |what| event(step, what, None, fences.clone());
        let what = match step.kind {
            _ if is_use(step) => return self.add_use(number, step).map(Some),
            Kind::Read | Kind::Update => return self.add_read(number, step, decision).map(Some),
            Kind::Write => {
                let object = self.name(step.object);
                let after = match self.stale(number)? {
                    Some(source) => source,
                    None => self.place(object, decision),
                };
                let what = What::Write { read: None };
                let write = Event { object, ..event(step, what, Some(grow::written(step)), fences) };
                return Ok(Some(self.add_write(write, after)));
            }
            Kind::Spawn => What::Spawn,
            Kind::Join => {
                let thread = step.object as u32;
                What::Join { thread, last: self.execution.last_of(thread).map(|last| last.id) }
            }
            Kind::Choice => What::Choice { choice: step.choice },
            Kind::GoOn => {
                let is_first = self.execution.last_of(step.thread).is_none();
                let cause = (step.after as usize).checked_sub(1).and_then(|after| *self.taken.get(after)?);
                match cause {
                    spawn if is_first => What::Begin { spawn },
                    Some(by) if self.execution.event(by).uses.is_some() => What::Wake { by },
                    None if step.after == 0 => What::Begin { spawn: None },
                    _ => return Err(Trouble::NotModelled("what wakes a thread")),
                }
            }
            Kind::Lock | Kind::Unlock | Kind::Object | Kind::Fence => return Ok(None),
        };
        Ok(Some(self.execution.add(other(what))))
    }

    fn name(&self, object: u64) -> u64 {
        object | self.ages.get(&object).copied().unwrap_or(0) << ADDRESS_BITS
    }

    fn add_write(&mut self, write: Event, after: Option<Id>) -> Id {
        let object = write.object;
        let id = self.execution.add_write(write, after);
        self.made.entry(object).or_default().push(id);
        id
    }

    /// After which write a write to this location is put that no read belongs to.
    fn place(&mut self, object: u64, decision: Option<Decision>) -> Option<Id> {
        let sources = self.execution.sources(object);
        let last = sources[sources.len() - 1];
        match &mut self.how {
            How::Decided { places, placed, .. } if decision.is_some_and(|decision| decision.is_hidden()) => {
                if places.len() == placed.len() {
                    places.push(0);
                }
                let place = places[placed.len()];
                // It is not last, so it is after any but the last one.
                placed.push(sources.len() - 1);
                sources.get(place).copied().unwrap_or(last)
            }
            _ => last,
        }
    }

    /// The overwritten write that the step with this number has used, if it is the one that has.
    fn stale(&self, number: usize) -> Result<Option<Option<Id>>, Trouble> {
        let How::Straying(stale) = self.how else { return Ok(None) };
        match stale.filter(|stale| stale.step as usize == number + 1) {
            None => Ok(None),
            Some(Stale { source: None, .. }) => Ok(Some(None)),
            Some(Stale { source: Some(source), .. }) => match self.taken.get(source as usize - 1) {
                Some(&Some(source)) => Ok(Some(Some(source))),
                _ => Err(Trouble::NotModelled(OUT_OF_SIGHT)),
            },
        }
    }

    /// The write that was decided to be read.
    fn found(&self, object: u64, decision: Option<Decision>) -> Result<Option<Option<Id>>, Trouble> {
        match decision.map(|decision| decision.found()) {
            None | Some(Found::Newest) => Ok(None),
            Some(Found::Write(0)) => Ok(Some(None)),
            Some(Found::Write(number)) => {
                let made = self.made.get(&object).and_then(|made| made.get(number as usize - 1));
                made.map(|&write| Some(Some(write))).ok_or(Trouble::NotModelled(OUT_OF_SIGHT))
            }
        }
    }

    /// The use of an object: after the last one.
    fn add_use(&mut self, number: usize, step: &Step) -> Result<Id, Trouble> {
        is_modelled(step)?;
        let source = self.execution.last_write(step.object);
        let what = What::Read { source, reading: Reading::Update };
        let read = self.execution.add(event(step, what, Some(step.read), Vec::new()));
        let what = What::Write { read: Some(read) };
        let write = event(step, what, Some(step.written), fences_after(self.steps, number));
        Ok(self.execution.add_write(Event { uses: grow::uses(step), ..write }, source))
    }

    fn add_read(&mut self, number: usize, step: &Step, decision: Option<Decision>) -> Result<Id, Trouble> {
        let mut object = self.name(step.object);
        let stale = match self.stale(number)? {
            None => self.found(object, decision)?,
            stale => stale,
        };
        let found = grow::found(step);
        let mut source = stale.unwrap_or_else(|| self.execution.last_write(object));
        let known = self.execution.value_of(object, source);
        if known.is_some_and(|known| known != found) {
            // In a run that need not be SC the runtime gives locations names itself.
            if stale.is_some() || decision.is_some() {
                return Err(Trouble::NotModelled(OUT_OF_SIGHT));
            }
            *self.ages.entry(step.object).or_default() += 1;
            (object, source) = (self.name(step.object), None);
        }
        if source.is_none() {
            self.execution.set_initial(object, found);
        }
        let fences = fences_after(self.steps, number);
        let writes = grow::writes(step);
        let (order, reading) = match writes {
            true => (grow::order(step), Reading::Update),
            false if step.flags & flag::COMPARES != 0 => (step.failure, Reading::Load),
            false => (step.order, Reading::Load),
        };
        let what = What::Read { source, reading };
        let own = if writes { Vec::new() } else { fences.clone() };
        let read = self.execution.add(Event { object, order, ..event(step, what, Some(found), own) });
        if !writes {
            return Ok(read);
        }
        let what = What::Write { read: Some(read) };
        let write = Event { object, ..event(step, what, Some(grow::written(step)), fences) };
        Ok(self.add_write(write, source))
    }
}

/// A number of the execution that a run with these steps has made: the same for runs that differ
/// only in the order of steps that do not depend on each other.
pub fn number(steps: &[Step], stale: Option<Stale>) -> u128 {
    let mut threads: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    // Steps that were taken, by thread and number in the thread.
    let mut names: Vec<(u32, usize)> = Vec::with_capacity(steps.len());
    // Of each object, what others depend on, in order.
    let mut objects: BTreeMap<u64, Vec<(u32, usize)>> = BTreeMap::new();
    for (at, step) in steps.iter().enumerate() {
        let own = threads.entry(step.thread).or_default();
        let name = (step.thread, own.len());
        names.push(name);
        if step.is_pending() || step.idle != 0 {
            continue;
        }
        let source = stale.filter(|stale| stale.step as usize == at + 1).map(|stale| {
            let source = stale.source.and_then(|source| names.get(source as usize - 1));
            source.copied()
        });
        let mut hasher = DefaultHasher::new();
        (step.kind, step.pc, step.choice, step.is_decided()).hash(&mut hasher);
        if !matches!(step.kind, Kind::GoOn | Kind::Choice | Kind::Fence) {
            step.object.hash(&mut hasher);
        }
        if step.kind.touches() {
            let order = objects.entry(step.object).or_default();
            let is_write = step.kind != Kind::Read;
            match source {
                Some(source) => {
                    (true, source).hash(&mut hasher);
                    let place = order.iter().position(|&write| Some(write) == source).map_or(0, |place| place + 1);
                    if is_write {
                        order.insert(place, name);
                    }
                }
                None => {
                    order.last().hash(&mut hasher);
                    if is_write {
                        order.push(name);
                    }
                }
            }
        }
        let own = threads.entry(step.thread).or_default();
        own.push(hasher.finish());
    }
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        (salt, &threads, &objects).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << u64::BITS | half(1)
}
