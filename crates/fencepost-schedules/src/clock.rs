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
    /// All steps, and what they do with it.
    all: Vec<(usize, Kind)>,
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
        let racing = self.touch(number, &mut clock);
        clock.raise(step.thread, number as u32 + 1);
        self.clocks.push(clock);
        if !step.is_pending() {
            self.last.insert(step.thread, number);
        }
        racing
    }

    /// The objects that a step touches, and how. One that gives a mutex back besides touches two; the
    /// step that says so, which follows, does nothing more.
    fn touched(step: &Step) -> impl Iterator<Item = (u64, Kind)> + use<> {
        let follows = !step.is_decided() && !step.is_pending();
        let own = (step.kind.touches() && !follows).then_some((step.object, step.kind));
        own.into_iter().chain((step.also != 0).then_some((step.also, Kind::Unlock)))
    }

    /// The step touches its objects.
    fn touch(&mut self, number: usize, clock: &mut Clock) -> Vec<usize> {
        let step = &self.steps[number];
        let others = |other: &usize| self.steps[*other].thread != step.thread;
        let is_known = |clock: &Clock, other: usize| clock.knows(other, self.steps[other].thread);
        let mut before: Vec<usize> = Vec::new();
        for (object, kind) in Self::touched(step) {
            let object = self.objects.entry(object).or_default();
            before.extend(object.last);
            if kind != Kind::Read {
                before.extend(object.reads.iter().copied());
            }
        }
        before.retain(others);
        before.sort_unstable();
        before.dedup();
        let racing: Vec<usize> = if step.waits() {
            // Before each of them it could have been possible, whatever it was in between.
            let could = |&(other, kind): &(usize, Kind)| {
                let enables = step.kind == Kind::Lock && kind == Kind::Unlock;
                (others(&other) && kind.conflicts(step.kind) && !enables && !is_known(clock, other)).then_some(other)
            };
            self.objects.entry(step.object).or_default().all.iter().filter_map(could).collect()
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
        for (object, kind) in Self::touched(step) {
            let object = self.objects.entry(object).or_default();
            if kind == Kind::Read {
                object.reads.retain(|&read| self.steps[read].thread != step.thread);
                object.reads.push(number);
            } else {
                (object.last, object.reads) = (Some(number), Vec::new());
            }
            object.all.push((number, kind));
        }
        racing
    }

    /// What is to be known of a race.
    fn race(&self, first: usize, second: usize) -> Race {
        let decision = self.decision(first);
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
