//! Which steps of a run happen before which, and which race.

use std::collections::BTreeMap;

use fencepost_protocol::exploration::{Kind, Step};

/// Two steps that could have come in the other order.
#[derive(Debug)]
pub(crate) struct Race {
    /// Number of the decision after which the first step was taken, from 0 on.
    pub(crate) decision: usize,
    /// The first steps of the threads with which a run can begin that has the second step before the
    /// first. That of the thread that takes the second step comes first, if it is one of them.
    pub(crate) initials: Vec<usize>,
}

/// For each thread one more than the number of its last step that happens before.
#[derive(Clone, Debug, Default)]
struct Clock(Vec<u32>);

impl Clock {
    fn of(&self, thread: u32) -> u32 {
        self.0.get(thread as usize).copied().unwrap_or(0)
    }

    fn raise(&mut self, thread: u32, to: u32) {
        let thread = thread as usize;
        if self.0.len() <= thread {
            self.0.resize(thread + 1, 0);
        }
        self.0[thread] = self.0[thread].max(to);
    }

    fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// Does the step with this number, of this thread, happen before?
    fn knows(&self, step: usize, thread: u32) -> bool {
        self.of(thread) > step as u32
    }
}

/// What was done with an object last.
#[derive(Default)]
struct Object {
    /// The last step that does more than to read.
    last: Option<usize>,
    /// The last reads since, one for each thread.
    reads: Vec<usize>,
    /// All steps.
    all: Vec<usize>,
}

/// The races whose second step was taken after so many decisions.
pub(crate) fn races(steps: &[Step], after: usize) -> Vec<Race> {
    let mut run = Run::new(steps);
    let mut races = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let firsts = run.take(number);
        if run.decision(number) >= after || step.is_pending() {
            races.extend(firsts.into_iter().map(|first| run.race(first, number)));
        }
    }
    races
}

struct Run<'a> {
    steps: &'a [Step],
    /// Of each step so far.
    clocks: Vec<Clock>,
    /// The number of the decision of each step.
    decisions: Vec<usize>,
    /// The last step of each thread.
    last: BTreeMap<u32, usize>,
    objects: BTreeMap<u64, Object>,
}

impl<'a> Run<'a> {
    fn new(steps: &'a [Step]) -> Self {
        let mut decisions = Vec::with_capacity(steps.len());
        let mut next = 0;
        for step in steps {
            next += usize::from(step.is_decided());
            decisions.push(next.saturating_sub(1));
        }
        Run {
            steps,
            clocks: Vec::with_capacity(steps.len()),
            decisions,
            last: BTreeMap::new(),
            objects: BTreeMap::new(),
        }
    }

    fn decision(&self, number: usize) -> usize {
        self.decisions[number]
    }

    /// Takes the next step in; returns the steps with which it races.
    fn take(&mut self, number: usize) -> Vec<usize> {
        let step = &self.steps[number];
        let mut clock = self.last.get(&step.thread).map_or_else(Clock::default, |&last| self.clocks[last].clone());
        if let Some(enabler) = step.after.checked_sub(1)
            && let Some(enabling) = self.clocks.get(enabler as usize)
        {
            clock.join(enabling);
        }
        if step.kind == Kind::Join
            && let Some(&last) = self.last.get(&(step.object as u32))
        {
            clock.join(&self.clocks[last]);
        }
        let racing = if step.kind.touches() { self.touch(number, &mut clock) } else { Vec::new() };
        clock.raise(step.thread, number as u32 + 1);
        self.clocks.push(clock);
        if !step.is_pending() {
            self.last.insert(step.thread, number);
        }
        racing
    }

    /// The step touches its object.
    fn touch(&mut self, number: usize, clock: &mut Clock) -> Vec<usize> {
        let step = &self.steps[number];
        let object = self.objects.entry(step.object).or_default();
        let others = |other: &usize| self.steps[*other].thread != step.thread;
        let mut before: Vec<usize> = object.last.into_iter().collect();
        if step.kind != Kind::Read {
            before.extend(object.reads.iter().copied());
        }
        before.retain(others);
        let is_known = |clock: &Clock, other: usize| clock.knows(other, self.steps[other].thread);
        let racing: Vec<usize> = if step.waits() {
            // Before each of them it could have been possible, whatever it was in between.
            let could = |other: &usize| {
                let other = self.steps[*other].kind;
                other.conflicts(step.kind) && (step.kind != Kind::Lock || other != Kind::Unlock)
            };
            object.all.iter().copied().filter(others).filter(could).filter(|&other| !is_known(clock, other)).collect()
        } else {
            let races = |first: &usize| {
                let mut otherwise = clock.clone();
                before.iter().filter(|&other| other != first).for_each(|&other| otherwise.join(&self.clocks[other]));
                !is_known(&otherwise, *first)
            };
            before.iter().copied().filter(races).collect()
        };
        before.iter().for_each(|&other| clock.join(&self.clocks[other]));
        if step.is_pending() {
            return racing;
        }
        if step.kind == Kind::Read {
            object.reads.retain(|&read| self.steps[read].thread != step.thread);
            object.reads.push(number);
        } else {
            (object.last, object.reads) = (Some(number), Vec::new());
        }
        object.all.push(number);
        racing
    }

    /// What is to be known of a race.
    fn race(&self, first: usize, second: usize) -> Race {
        // What belongs to the step before is not chosen by itself.
        let decision = self.decision(first);
        let first = (0..=first).rev().find(|&step| self.steps[step].is_decided()).unwrap_or(first);
        let thread = self.steps[first].thread;
        let follows = |step: usize| self.clocks[step].knows(first, thread);
        let mut rest: Vec<usize> =
            (first + 1..second).filter(|&step| !self.steps[step].is_pending() && !follows(step)).collect();
        rest.push(second);
        let mut initials = Vec::new();
        let mut begun: Vec<u32> = Vec::new();
        for (at, &step) in rest.iter().enumerate() {
            let thread = self.steps[step].thread;
            if begun.contains(&thread) {
                continue;
            }
            begun.push(thread);
            let is_first = rest[..at].iter().all(|&other| !self.clocks[step].knows(other, self.steps[other].thread));
            if is_first {
                initials.push(step);
            }
        }
        let own = self.steps[second].thread;
        initials.sort_by_key(|&step| self.steps[step].thread != own);
        Race { decision, initials }
    }
}
