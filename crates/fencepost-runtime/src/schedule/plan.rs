//! Schedules that an explorer decides: forced up to a point, and from there on the running thread
//! goes on as long as it can. See [`fencepost_protocol::exploration`].
//!
//! A step is what a thread is about to do when it asks whether it may go on. It is written down
//! when its thread is chosen. If the thread then has to wait, because a lock is taken or a value is
//! not there, the step was none, and is taken back.
//!
//! Time does not pass here: who waits with a limit waits until nobody else can go on. In a run that
//! need not be SC the limit is not reached then: that it is over at once is another way that the wait
//! can go ([`crate::early`]), in which the thread does the same.

use fencepost_protocol::exploration::{Decision, Kind, Sleeper, Step, end, first_way, flag, sleeps, wake};

use super::control::{Control, Entry, Next, State};
use crate::explore::{self, Shared};
use crate::thread::Tid;
use crate::weak;

/// The thread that runs `main`.
const MAIN: Tid = 1;

/// A schedule that is decided by somebody else.
pub(super) struct Plan {
    shared: Shared,
    /// Steps so far.
    steps: usize,
    /// Decisions so far: steps that somebody was chosen to take.
    decisions: usize,
    /// What was decided for the step that is being taken.
    now: Decision,
    /// Who need not run for now.
    sleepers: Vec<Sleeper>,
    /// Up to which step the sleepers have heard what was done.
    heard: usize,
    /// Has an assumption of the test not held?
    assumed: bool,
    /// The thread that ends the process, if it waits for the others, or has done so; and whether it
    /// does so because something fails.
    leaving: Option<(Tid, bool)>,
    /// Has it waited?
    has_left: bool,
}

// SAFETY: it is behind the lock of the schedule.
unsafe impl Send for Plan {}

impl Plan {
    pub(super) fn new(mut shared: Shared) -> Plan {
        let sleepers = shared.sleepers();
        let now = Decision::new(0, 0);
        Plan { shared, steps: 0, decisions: 0, now, sleepers, heard: 0, assumed: false, leaving: None, has_left: false }
    }

    /// Steps so far.
    pub(super) fn steps(&self) -> u32 {
        self.steps as u32
    }

    /// Does the program follow decisions that were made?
    fn is_forced(&mut self) -> bool {
        self.decisions < self.shared.header().decisions as usize
    }

    /// What was written down last.
    pub(super) fn last(&mut self) -> Option<&mut Step> {
        Some(self.shared.step(self.steps.checked_sub(1)?))
    }

    fn append(&mut self, step: Step) {
        if self.steps >= self.shared.header().most_steps as usize {
            self.finish(end::TOO_LONG);
        }
        *self.shared.step(self.steps) = step;
        self.steps += 1;
        self.tell();
    }

    /// What was decided for the step that is being taken.
    pub(super) fn now(&self) -> Decision {
        self.now
    }

    /// A thread takes a step that it was chosen for.
    fn take(&mut self, thread: Tid, pending: Step, enabled: u64) {
        let decided = self.shared.decision(self.decisions);
        self.now = decided.unwrap_or_else(|| Decision::new(thread, first_way(&self.sleepers, thread)));
        let choice = self.now.choice;
        self.decisions += 1;
        self.append(Step { thread, choice, enabled, flags: flag::DECIDED | pending.flags, ..pending });
    }

    /// A step that goes with the one before.
    pub(super) fn also(&mut self, thread: Tid, step: Step) {
        self.append(Step { thread, ..step });
    }

    /// The last step was none.
    pub(super) fn retract(&mut self) {
        self.steps -= 1;
        self.decisions -= 1;
        self.tell();
        if self.is_forced() {
            let is_last = self.decisions + 1 == self.shared.header().decisions as usize;
            self.finish(if is_last { end::INFEASIBLE } else { end::DIVERGED });
        }
    }

    /// Those whose next steps depend on what has been done wake up.
    fn hear(&mut self) {
        while self.heard < self.steps {
            let step = *self.shared.step(self.heard);
            self.heard += 1;
            wake(&mut self.sleepers, &step);
        }
    }

    fn sleeps(&self, thread: Tid) -> bool {
        sleeps(&self.sleepers, thread)
    }

    /// The run is over.
    fn finish(&mut self, why: u32) -> ! {
        explore::stop(why)
    }

    /// An assumption of the test does not hold.
    pub(super) fn assumed(&mut self) {
        self.assumed = true;
        self.shared.header().end |= end::ASSUMED;
    }

    /// Could no other thread go on when the process ended?
    pub(super) fn has_left(&self) -> bool {
        self.has_left
    }

    /// How many steps there are: known also if the process dies.
    fn tell(&mut self) {
        self.shared.header().steps = self.steps as u32;
    }
}

impl Entry {
    fn can_go_on(&self) -> bool {
        self.state == State::Ready && self.watched.is_empty() && !self.stays
    }
}

impl Control {
    /// Who runs after `current`, as it was decided.
    pub(super) fn next_planned(&mut self, current: Tid) -> Next {
        let Some(mut plan) = self.plan.take() else { return Next::Idle };
        let next = self.choose(&mut plan, current);
        self.plan = Some(plan);
        next
    }

    fn choose(&mut self, plan: &mut Plan, current: Tid) -> Next {
        while let Some(held) = plan.shared.decision(plan.decisions).filter(Decision::is_held) {
            plan.decisions += 1;
            match self.entry(held.thread) {
                Some(entry) => entry.stays = true,
                None => plan.finish(end::DIVERGED),
            }
        }
        if plan.is_forced() {
            let decided = plan.shared.decision(plan.decisions).map_or(0, |decision| decision.thread);
            let Some(entry) = self.entry(decided).filter(|entry| entry.can_go_on()) else {
                let is_last = plan.decisions + 1 == plan.shared.header().decisions as usize;
                plan.finish(if is_last { end::INFEASIBLE } else { end::DIVERGED });
            };
            let pending = entry.pending;
            // Those who sleep do so before the last decision.
            plan.heard = plan.steps;
            plan.take(decided, pending, self.enabled());
            return Next::Run(decided);
        }
        plan.hear();
        loop {
            let ready = |entry: &&Entry| entry.can_go_on();
            let awake = |entry: &&Entry| entry.can_go_on() && !plan.sleeps(entry.tid);
            let next = self.entries.iter().find(|entry| entry.tid == current && awake(entry));
            if let Some(next) = next.or_else(|| self.entries.iter().find(awake)) {
                let (next, pending) = (next.tid, next.pending);
                plan.take(next, pending, self.enabled());
                return Next::Run(next);
            }
            if explore::is_explored() && self.entries.iter().any(|entry| ready(&entry)) {
                self.tell_pending(plan);
                plan.finish(end::REDUNDANT);
            }
            // A process whose threads are all over ends.
            if self.entries.is_empty() {
                return Next::Idle;
            }
            if self.entries.iter().any(|entry| entry.state == State::Outside || entry.state == State::Unborn) {
                return Next::Idle;
            }
            if explore::is_weak() || !self.jump() {
                break;
            }
        }
        self.tell_pending(plan);
        if let Some((leaving, _)) = plan.leaving
            && !plan.has_left
        {
            plan.has_left = true;
            if leaving == MAIN && self.entries.len() > 1 {
                plan.shared.header().end |= end::LEFT;
            }
            if let Some(entry) = self.entry(leaving) {
                entry.state = State::Ready;
            }
            return Next::Run(leaving);
        }
        // Whoever waits may wait for a thread that went no further.
        let went_on = |entry: &Entry| entry.held.iter().any(|read| !read.is_current());
        // Or its time limit would be reached, in another run.
        let is_limited = |entry: &Entry| entry.timeout.is_some();
        let counts = !plan.assumed && !self.entries.iter().any(|entry| went_on(entry) || is_limited(entry));
        match (explore::is_explored(), counts) {
            (true, true) => plan.finish(end::STUCK),
            (true, false) => plan.finish(end::ASSUMED),
            (false, true) => Next::Deadlock,
            (false, false) => Next::Over,
        }
    }

    /// Who can go on, as bits.
    fn enabled(&self) -> u64 {
        let can = self.entries.iter().filter(|entry| entry.tid < u64::BITS && entry.can_go_on());
        can.fold(0, |bits, entry| bits | 1 << entry.tid)
    }

    /// The thread ends the process when no other can go on. Has it to wait for that? If several end
    /// it, one of them does so in the end: the first one, but one that fails before one that does not.
    pub(super) fn leaves_last(&mut self, thread: Tid, fails: bool) -> bool {
        let has_others = self.entries.len() > 1;
        let Some(plan) = self.plan.as_mut().filter(|plan| has_others && !plan.has_left) else { return false };
        if plan.leaving.is_none_or(|(_, known)| fails && !known) {
            plan.leaving = Some((thread, fails));
        }
        true
    }

    /// Has every other thread come as far as it can, now that this one is about to end the process?
    pub(super) fn is_alone(&self, thread: Tid) -> bool {
        let has_left = |plan: &Plan| plan.has_left && plan.leaving.is_some_and(|(leaving, _)| leaving == thread);
        self.entries.len() <= 1 || self.plan.as_ref().is_some_and(has_left)
    }

    /// What those are about to do who cannot go on.
    fn tell_pending(&mut self, plan: &mut Plan) {
        for entry in self.entries.iter().filter(|entry| !entry.can_go_on()) {
            let flags = flag::PENDING | flag::WAITS;
            let circles =
                |&addr: &usize| Step { thread: entry.tid, flags, ..Step::new(Kind::Read, weak::name_of(addr)) };
            let pending = Step { thread: entry.tid, flags: entry.pending.flags | flags, ..entry.pending };
            let steps: Vec<Step> = match entry.stays {
                true => entry.watched.iter().map(circles).collect(),
                false if entry.pending.kind.touches() => vec![pending],
                false => Vec::new(),
            };
            for step in steps {
                if plan.steps < plan.shared.header().most_steps as usize {
                    plan.append(step);
                }
            }
        }
    }

    /// The running thread goes on when one of these locations has another value or, if that is
    /// enough, is `written`.
    pub(super) fn watch(&mut self, thread: Tid, addresses: Vec<usize>, written: bool) {
        if let Some(entry) = self.entry(thread) {
            (entry.watched, entry.is_nudged) = (addresses, written);
        }
    }

    /// The running thread takes no step any more: it would go round a loop that has read these
    /// locations, one after the other.
    pub(super) fn circle(&mut self, thread: Tid, addresses: Vec<usize>) {
        if let Some(entry) = self.entry(thread) {
            (entry.watched, entry.stays) = (addresses, true);
        }
    }

    /// The running thread was chosen for a look at this location, which was in vain.
    pub(super) fn retract_to_watch(&mut self, thread: Tid, addr: usize) {
        let mut read = 0;
        if let Some(plan) = &mut self.plan {
            read = plan.last().map_or(0, |step| step.read);
            plan.retract();
        }
        self.watch(thread, vec![addr], false);
        if let Some(entry) = self.entry(thread) {
            entry.pending.read = read;
        }
    }

    /// The location was written. Has it another value?
    pub(super) fn was_written(&mut self, addr: usize, changed: bool) {
        for entry in self.entries.iter_mut().filter(|entry| !entry.stays) {
            if entry.watched.contains(&addr) && (changed || entry.is_nudged) {
                entry.watched.clear();
            }
        }
    }
}

/// What a thread is about to do that says nothing else.
pub(super) fn going_on(after: u32) -> Step {
    Step { after, ..Step::new(Kind::GoOn, 0) }
}
