//! Who may run and who waits for what: the state of a controlled schedule, without the threads
//! themselves.

use std::sync::atomic::{AtomicBool, Ordering};

use fencepost_protocol::exploration::{Step, stale};

use super::ALL;
use super::kernel::Word;
use super::plan::{self, Plan};
use super::policy::{Policy, Reason};
use crate::intercept::monotonic;
use crate::local::Read;
use crate::memory::Apart;
use crate::thread::Tid;
use crate::{memory, stats};

/// Nanoseconds of virtual time that a decision takes.
const STEP: u64 = 1_000;
/// So often may the only thread that can run yield before the time passes until another one can. Less
/// would let time limits pass while a thread only tries its luck before it waits.
const YIELDS: u32 = 200;

/// Are threads scheduled by us?
pub(super) static CONTROLLED: Apart<AtomicBool> = Apart(AtomicBool::new(false));
/// Something was woken by a signal handler that came while its thread held the lock.
pub(super) static RECHECK: AtomicBool = AtomicBool::new(false);

/// What a thread can wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Key {
    /// The lock, condition, … at an address.
    Object(usize),
    /// The end of a thread.
    Thread(Tid),
    /// Time to pass.
    Time,
}

/// What a thread waits for in a deadlock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Waiting {
    /// The lock, condition, … at an address.
    Object(usize),
    /// The end of a thread.
    Thread(Tid),
    /// Another value at an address.
    Value(usize),
    /// Something unknown to us.
    Other,
}

/// How a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// Another thread has done something about it.
    Woken,
    /// The time is over.
    TimedOut,
    /// The schedule is not controlled any more: the program waits by itself.
    Uncontrolled,
}

/// The end of a wait that is limited.
#[derive(Clone, Copy)]
pub(crate) struct Timeout {
    /// In virtual time.
    pub(super) due: u64,
    /// On the monotonic clock, as the program sees it.
    pub(super) moment: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It runs, or could.
    Ready,
    Blocked(Key),
    /// It waits for something unknown to us.
    Outside,
    /// Its creator is about to start it, in libc, which may call back.
    Unborn,
}

pub(super) struct Entry {
    pub(super) tid: Tid,
    pub(super) word: &'static Word,
    pub(super) state: State,
    pub(super) timeout: Option<Timeout>,
    pub(super) outcome: Outcome,
    /// Its number in the kernel; 0 until it has started.
    pub(super) task: i32,
    /// Does it try again when it is woken, and do nothing else?
    tries: bool,
    /// How much had happened when it looked for a value in vain, if it waits for one; and where
    /// that is.
    vain: Option<u64>,
    addr: usize,
    /// What it is about to do, if somebody explores.
    pub(super) pending: Step,
    /// Locations one of which must change before it can go on, if somebody explores.
    pub(super) watched: Vec<usize>,
    /// Is it enough that one of them is written?
    pub(super) is_nudged: bool,
    /// What it has read in a round of a loop after which it goes no further.
    pub(super) held: Vec<Read>,
    /// Does it take no step any more, in a run that need not be SC?
    pub(super) stays: bool,
}

/// What the watching thread saw last.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Sight {
    pub(super) running: Tid,
    pub(super) steps: u64,
}

/// The schedule.
pub(super) struct Control {
    /// By ascending number.
    pub(super) entries: Vec<Entry>,
    pub(super) running: Option<Tid>,
    pub(super) policy: Policy,
    /// Who decides in place of the policy, if somebody explores.
    pub(super) plan: Option<Plan>,
    /// Virtual time in nanoseconds, and when the next timeout is due in it.
    now: u64,
    alarm: u64,
    /// How often a thread has yielded since it is the only one that can run.
    yielded: u32,
    pub(super) steps: u64,
    /// Counts what may have changed a value that somebody waits for.
    moves: u64,
    /// A thread that ends the process: it goes first.
    pub(super) ending: Option<Tid>,
    pub(super) frozen: bool,
    /// Nothing more is to be done, and nothing is wrong.
    pub(super) is_over: bool,
    pub(super) asleep: Option<Sight>,
    /// Since when, in real time, nobody can go on.
    pub(super) stuck: Option<u64>,
    enabled: Vec<Tid>,
    words: Vec<&'static Word>,
    /// Whom to wake when the lock is free again: somebody who is woken before has to wait for it.
    pub(super) to_wake: Option<&'static Word>,
}

pub(super) enum Next {
    Run(Tid),
    /// Nobody, until somebody comes back from outside.
    Idle,
    /// Nobody, ever.
    Deadlock,
    /// Nobody: the run ends here.
    Over,
}

impl Control {
    /// The main thread runs.
    pub(super) fn new(mut policy: Policy) -> Self {
        policy.appeared(1);
        let mut control = Control {
            entries: Vec::new(),
            running: Some(1),
            policy,
            plan: None,
            now: 0,
            alarm: u64::MAX,
            yielded: 0,
            steps: 0,
            moves: 0,
            ending: None,
            frozen: false,
            is_over: false,
            asleep: None,
            stuck: None,
            enabled: Vec::new(),
            words: Vec::new(),
            to_wake: None,
        };
        control.add(1, State::Ready);
        control
    }

    /// When, in virtual time, so many nanoseconds are over.
    pub(super) fn due_after(&self, nanoseconds: u64) -> u64 {
        self.now.saturating_add(coarse(nanoseconds))
    }

    pub(super) fn entry(&mut self, tid: Tid) -> Option<&mut Entry> {
        let at = self.entries.binary_search_by_key(&tid, |entry| entry.tid).ok()?;
        Some(&mut self.entries[at])
    }

    pub(super) fn add(&mut self, tid: Tid, state: State) {
        let word = self.words.pop().unwrap_or_else(|| memory::keep(Word::new()));
        word.clear();
        let at = self.entries.partition_point(|entry| entry.tid < tid);
        let entry = Entry {
            tid,
            word,
            state,
            timeout: None,
            outcome: Outcome::Woken,
            task: 0,
            tries: false,
            vain: None,
            addr: 0,
            pending: plan::going_on(self.planned_steps()),
            watched: Vec::new(),
            is_nudged: false,
            held: Vec::new(),
            stays: false,
        };
        self.entries.insert(at, entry);
    }

    pub(super) fn remove(&mut self, tid: Tid) {
        if let Ok(at) = self.entries.binary_search_by_key(&tid, |entry| entry.tid) {
            let entry = self.entries.remove(at);
            self.words.push(entry.word);
            self.policy.vanished(tid);
            self.has_moved();
        }
    }

    /// Something has happened that may be what others wait for.
    fn has_moved(&mut self) {
        self.moves += 1;
        self.stuck = None;
    }

    /// A thread does not go on for now.
    pub(super) fn suspend(&mut self, tid: Tid, state: State, timeout: Option<Timeout>) {
        if let Some(timeout) = timeout {
            self.alarm = self.alarm.min(timeout.due);
        }
        if let Some(entry) = self.entry(tid) {
            (entry.state, entry.timeout, entry.outcome) = (state, timeout, Outcome::Woken);
            (entry.vain, entry.tries) = (None, false);
            entry.pending = plan::going_on(0);
        }
        self.has_moved();
    }

    /// A thread tries again when `key` is woken; it has done nothing but try since the last
    /// decision.
    pub(super) fn suspend_attempt(&mut self, tid: Tid, key: Key, timeout: Option<Timeout>) {
        let (moves, stuck) = (self.moves, self.stuck);
        let pending = self.entry(tid).map(|entry| entry.pending);
        self.suspend(tid, State::Blocked(key), timeout);
        (self.moves, self.stuck) = (moves, stuck);
        if let Some(plan) = &mut self.plan {
            plan.retract();
        }
        if let (Some(entry), Some(pending)) = (self.entry(tid), pending) {
            (entry.tries, entry.pending) = (true, pending);
        }
    }

    /// A thread that was outside is under control again; it gets the baton if nobody has it.
    pub(super) fn back(&mut self, tid: Tid) {
        if let Some(entry) = self.entry(tid) {
            entry.state = State::Ready;
        }
        self.has_moved();
        if self.running.is_none() {
            self.kick(tid);
        }
    }

    pub(super) fn wake(&mut self, key: Key, count: usize) -> usize {
        let mut waiting: Vec<usize> =
            (0..self.entries.len()).filter(|&at| self.entries[at].state == State::Blocked(key)).collect();
        let mut woken = 0;
        let after = self.planned_steps();
        while woken < count && !waiting.is_empty() {
            let chosen = if count == ALL { 0 } else { self.pick(waiting.len()) };
            let entry = &mut self.entries[waiting.remove(chosen)];
            (entry.state, entry.outcome) = (State::Ready, Outcome::Woken);
            // Who tries again does nothing that this has made possible: it could have come first.
            if !entry.tries {
                entry.pending.after = after;
            }
            woken += 1;
        }
        woken
    }

    /// Steps so far, if somebody explores.
    pub(super) fn planned_steps(&self) -> u32 {
        self.plan.as_ref().map_or(0, Plan::steps)
    }

    /// One of `count` alternatives, which the step that was taken last has.
    pub(super) fn pick(&mut self, count: usize) -> usize {
        let Some(step) = self.plan.as_mut().and_then(Plan::last) else { return self.policy.pick(count) };
        step.choices = count as u32;
        (step.choice as usize).min(count - 1)
    }

    /// The step that was taken last can go this way, and in so many others: which one is it?
    pub(super) fn pick_stale(&mut self, count: usize) -> usize {
        let Some(step) = self.plan.as_mut().and_then(Plan::last) else { return 0 };
        step.choices = count as u32 + 1;
        step.stale = stale::OFFERED | if step.choice > 0 { stale::USED } else { 0 };
        step.choice as usize
    }

    /// Makes threads ready whose time has come.
    fn ring(&mut self) {
        self.alarm = u64::MAX;
        for entry in &mut self.entries {
            if let (State::Blocked(_), Some(timeout)) = (entry.state, entry.timeout) {
                if timeout.due <= self.now {
                    (entry.state, entry.outcome) = (State::Ready, Outcome::TimedOut);
                } else {
                    self.alarm = self.alarm.min(timeout.due);
                }
            }
        }
    }

    /// Lets the time pass until the first timeout; false if there is none.
    pub(super) fn jump(&mut self) -> bool {
        let waiting = self.entries.iter().filter(|entry| matches!(entry.state, State::Blocked(_)));
        let Some(due) = waiting.filter_map(|entry| entry.timeout).map(|timeout| timeout.due).min() else {
            return false;
        };
        self.now = self.now.max(due);
        self.ring();
        true
    }

    fn collect(&mut self) {
        self.enabled.clear();
        let may_run = |entry: &&Entry| entry.state == State::Ready && entry.vain != Some(self.moves);
        self.enabled.extend(self.entries.iter().filter(may_run).map(|entry| entry.tid));
    }

    /// Who runs after `current`.
    pub(super) fn next(&mut self, current: Tid, reason: Reason) -> Next {
        if self.plan.is_some() {
            return match reason {
                Reason::Step | Reason::Blocked | Reason::Vain { .. } => self.next_planned(current),
                // Nothing that others can see.
                Reason::Point | Reason::Yield | Reason::Spin => Next::Run(current),
            };
        }
        self.steps += 1;
        self.now += STEP;
        match reason {
            Reason::Vain { again: true, .. } | Reason::Blocked => {}
            // It may have done anything on the way.
            _ => self.has_moved(),
        }
        let moves = self.moves;
        if let Some(entry) = self.entry(current) {
            entry.vain = None;
            if let Reason::Vain { addr, .. } = reason {
                (entry.vain, entry.addr) = (Some(moves), addr);
            }
        }
        if RECHECK.swap(false, Ordering::Acquire) {
            for entry in &mut self.entries {
                if let State::Blocked(Key::Object(_) | Key::Thread(_)) = entry.state {
                    (entry.state, entry.outcome) = (State::Ready, Outcome::Woken);
                }
            }
        }
        if self.now >= self.alarm {
            self.ring();
        }
        self.collect();
        let elsewhere = [State::Outside, State::Unborn];
        let outside = self.entries.iter().any(|entry| elsewhere.contains(&entry.state));
        if self.enabled != [current] {
            self.yielded = 0;
        } else if matches!(reason, Reason::Yield | Reason::Spin) {
            self.yielded += 1;
        }
        if (self.enabled.is_empty() || self.yielded > YIELDS) && !outside && self.jump() {
            self.yielded = 0;
            self.collect();
        }
        if self.enabled.is_empty() {
            return match outside {
                true => Next::Idle,
                false => Next::Deadlock,
            };
        }
        if let Some(first) = self.ending
            && matches!(reason, Reason::Point | Reason::Step | Reason::Blocked)
            && self.enabled.contains(&first)
        {
            return Next::Run(first);
        }
        Next::Run(self.policy.next(current, &self.enabled, reason))
    }

    /// Hands the baton over.
    pub(super) fn give(&mut self, next: Next, from: Tid) {
        match next {
            Next::Run(next) => {
                if next != from {
                    stats::SWITCHES.fetch_add(1, Ordering::Relaxed);
                }
                self.running = Some(next);
                self.to_wake = self.entry(next).map(|entry| entry.word);
            }
            Next::Idle => self.running = None,
            Next::Over => (self.running, self.is_over) = (None, true),
            Next::Deadlock => {
                // A process whose threads are all over has nothing to complain about.
                if self.entries.is_empty() {
                    self.let_go();
                }
                self.running = None;
                self.stuck.get_or_insert_with(monotonic);
            }
        }
    }

    /// Lets all that try again do so, and all that wait for a value look: something may have
    /// changed out of sight.
    pub(super) fn try_all(&mut self) {
        self.moves += 1;
        for entry in &mut self.entries {
            if let (State::Blocked(_), true) = (entry.state, entry.tries) {
                (entry.state, entry.outcome) = (State::Ready, Outcome::Woken);
            }
        }
    }

    /// What each thread waits for.
    pub(super) fn waiting(&self) -> Vec<(Tid, Waiting)> {
        let one = |entry: &Entry| {
            let waiting = match entry.state {
                State::Blocked(Key::Object(addr)) => Waiting::Object(addr),
                State::Blocked(Key::Thread(tid)) => Waiting::Thread(tid),
                State::Blocked(Key::Time) | State::Outside | State::Unborn => Waiting::Other,
                State::Ready => Waiting::Value(entry.addr),
            };
            (entry.tid, waiting)
        };
        self.entries.iter().map(one).collect()
    }

    /// Finds somebody to run, if nobody does.
    pub(super) fn kick(&mut self, from: Tid) {
        let next = self.next(from, Reason::Blocked);
        self.give(next, from);
    }

    /// Gives up control: every thread runs as it likes.
    pub(super) fn let_go(&mut self) {
        CONTROLLED.store(false, Ordering::Release);
        self.stuck = None;
        for entry in &mut self.entries {
            (entry.state, entry.outcome) = (State::Ready, Outcome::Uncontrolled);
            entry.word.ring();
        }
    }
}

/// Rounds up to an eighth of the power of two below: a program that computes a point in time does
/// so a little later or earlier each time, and the order of timeouts should not depend on it.
fn coarse(nanoseconds: u64) -> u64 {
    let eighth = (1u64 << nanoseconds.max(8).ilog2()) / 8;
    nanoseconds.checked_next_multiple_of(eighth).unwrap_or(u64::MAX)
}
