//! What a run was that somebody else has made: the execution graph of its steps, and what the
//! axioms say of it.
//!
//! The run is SC, but for one step at most that uses an overwritten write: a read of it, or a write
//! that is put right after it in modification order. So the graph follows from the steps. Every
//! other read reads the last write, every other write is last. Nothing of what made the run is
//! used: neither its clocks nor the window of the step.
//!
//! A location whose memory was written otherwise in between, by plain accesses, is another one from
//! then on, as in runs that need not be SC.
//!
//! # What is modelled
//!
//! What the explorer of this crate models, see [`crate`].

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use fencepost_protocol::exploration::{Kind, Stale, Step, flag};

use crate::execution::{Event, Execution, Id, Reading, What};
use crate::grow::{self, ADDRESS_BITS, OBJECT, OUT_OF_SIGHT, event, fences_after, is_event};
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
}

/// Judges a run that has taken these steps.
///
/// # Errors
/// If it has done what is not modelled, or what was used cannot be told.
pub fn judge(models: Models, steps: &[Step], stale: Option<Stale>) -> Result<Judgement, Trouble> {
    let execution = Run { steps, stale, ..Run::default() }.execution()?;
    Ok(match () {
        () if !execution.is_permitted(models.model) => Judgement::Forbidden,
        () if !execution.is_permitted(models.reference) => Judgement::Weak,
        () => Judgement::Ordinary,
    })
}

#[derive(Default)]
struct Run<'a> {
    steps: &'a [Step],
    stale: Option<Stale>,
    execution: Execution,
    /// How often each location was written otherwise.
    ages: BTreeMap<u64, u64>,
    /// The event of each step: of an update, its write.
    taken: Vec<Option<Id>>,
}

impl Run<'_> {
    fn execution(mut self) -> Result<Execution, Trouble> {
        for (number, step) in self.steps.iter().enumerate() {
            let id = match is_event(step) {
                _ if step.idle != 0 => None,
                true => self.add(number, step)?,
                false if step.is_pending() || step.kind == Kind::Fence => None,
                false => return Err(Trouble::NotModelled(OBJECT)),
            };
            self.taken.push(id);
        }
        Ok(self.execution)
    }

    fn add(&mut self, number: usize, step: &Step) -> Result<Option<Id>, Trouble> {
        let fences = fences_after(self.steps, number);
        let other = |what| event(step, what, None, fences.clone());
        let what = match step.kind {
            Kind::Read | Kind::Update | Kind::Lock => return self.add_read(number, step).map(Some),
            Kind::Write | Kind::Unlock => {
                let object = self.name(step.object);
                let after = match self.source(number)? {
                    Some(source) => source,
                    None => self.execution.last_write(object),
                };
                let what = What::Write { read: None };
                let write = Event { object, ..event(step, what, Some(grow::written(step)), fences) };
                return Ok(Some(self.execution.add_write(write, after)));
            }
            Kind::Spawn => What::Spawn,
            Kind::Join => {
                let thread = step.object as u32;
                What::Join { thread, last: self.execution.last_of(thread).map(|last| last.id) }
            }
            Kind::Choice => What::Choice { choice: step.choice },
            Kind::GoOn => {
                let is_first = self.execution.last_of(step.thread).is_none();
                if !is_first && step.after != 0 {
                    return Err(Trouble::NotModelled("what wakes a thread"));
                }
                let spawn = (step.after as usize).checked_sub(1).and_then(|after| *self.taken.get(after)?);
                What::Begin { spawn: spawn.filter(|_| is_first) }
            }
            Kind::Object => return Err(Trouble::NotModelled(OBJECT)),
            Kind::Fence => return Ok(None),
        };
        Ok(Some(self.execution.add(other(what))))
    }

    fn name(&self, object: u64) -> u64 {
        object | self.ages.get(&object).copied().unwrap_or(0) << ADDRESS_BITS
    }

    /// The overwritten write that the step with this number has used, if it is the one that has.
    fn source(&self, number: usize) -> Result<Option<Option<Id>>, Trouble> {
        match self.stale.filter(|stale| stale.step as usize == number + 1) {
            None => Ok(None),
            Some(Stale { source: None, .. }) => Ok(Some(None)),
            Some(Stale { source: Some(source), .. }) => match self.taken.get(source as usize - 1) {
                Some(&Some(source)) => Ok(Some(Some(source))),
                _ => Err(Trouble::NotModelled(OUT_OF_SIGHT)),
            },
        }
    }

    fn add_read(&mut self, number: usize, step: &Step) -> Result<Id, Trouble> {
        let stale = self.source(number)?;
        let found = grow::found(step);
        let mut object = self.name(step.object);
        let mut source = stale.unwrap_or_else(|| self.execution.last_write(object));
        let known = self.execution.value_of(object, source);
        if known.is_some_and(|known| known != found) {
            if stale.is_some() || step.kind == Kind::Lock {
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
        Ok(self.execution.add_write(write, source))
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
