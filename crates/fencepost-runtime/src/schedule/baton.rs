//! The baton that the one running thread holds, and the threads that wait for it.
//!
//! Each thread sleeps on a word of its own until it is its turn. Every wait is a loop around an
//! attempt, so it is always safe to wake a thread for nothing.
//!
//! The thread that has the baton may sleep in the kernel at a place unknown to us. Threads that
//! wait for the baton look for that twice in a second, and go on without it if so.

use std::cell::Cell;
use std::sync::atomic::Ordering;

use fencepost_protocol::exploration::{Class, Decision, Kind, Step, end, remark};
use fencepost_protocol::{DEADLOCK, Schedule};

use super::ALL;
use super::control::{CONTROLLED, Control, Entry, Key, Next, Outcome, RECHECK, Sight, State, Timeout};
use super::kernel::{self, sleeps, task};
use super::plan::Plan;
use super::policy::{Policy, Reason};
use crate::intercept::{monotonic, programs_monotonic};
use crate::local::Read;
use crate::lock::{Guard, Guarded};
use crate::thread::Tid;
use crate::{channel, early, explore, intercept, options, thread, weak};

static CONTROL: Guarded<Option<Control>> = Guarded::new(None);

/// How long a thread waits before it looks after the one that runs.
const WATCH: u64 = 500_000_000;
/// How long until all try again if nobody can go on.
const RETRY: u64 = 20_000_000;

/// The first thread besides the main thread.
const FIRST_CREATED: Tid = 2;

thread_local! {
    /// The number of this thread, if it is scheduled by us.
    static ME: Cell<Tid> = const { Cell::new(0) };
    /// Is this thread at work here? A signal handler that comes now is not scheduled.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// Is it in a library that waits in its own way? Nothing that it calls there is scheduled.
    static AWAY: Cell<bool> = const { Cell::new(false) };
    /// Does it hold the lock?
    static HOLDING: Cell<bool> = const { Cell::new(false) };
}

/// Marks the calling thread as being at work here.
struct Inside;

impl Inside {
    fn enter() -> Option<Self> {
        // Only a mark that was made here may be taken away again.
        if INSIDE.replace(true) { None } else { Some(Inside) }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(false);
    }
}

/// The lock, with a mark for signal handlers.
struct Locked(Option<Guard<'static, Option<Control>>>);

fn lock() -> Locked {
    HOLDING.set(true);
    Locked(Some(CONTROL.lock()))
}

impl Drop for Locked {
    fn drop(&mut self) {
        let to_wake = self.control().and_then(|control| control.to_wake.take());
        self.0 = None;
        to_wake.inspect(|word| word.ring());
        HOLDING.set(false);
    }
}

impl Locked {
    fn control(&mut self) -> Option<&mut Control> {
        self.0.as_mut().and_then(|guard| guard.as_mut())
    }
}

/// Begins to schedule threads, if the options say so; the calling thread is the main thread and
/// runs.
pub(crate) fn start() {
    let options = options::get();
    let policy = match options.schedule {
        Schedule::Os => return,
        Schedule::Random => Policy::random(options.seed),
        Schedule::Pct(depth) => Policy::pct(options.seed, depth, options.steps),
    };
    let mut control = Control::new(policy);
    control.entries[0].task = task();
    *CONTROL.lock() = Some(control);
    ME.set(1);
    CONTROLLED.store(true, Ordering::Release);
}

/// Somebody decides every step: the calling thread is the main thread, and the only one.
pub(crate) fn decided() {
    let Some(shared) = explore::shared() else { return };
    let mut control = Control::new(Policy::random(0));
    control.entries[0].task = task();
    control.plan = Some(Plan::new(shared));
    *CONTROL.lock() = Some(control);
    ME.set(1);
    CONTROLLED.store(true, Ordering::Release);
}

/// The running thread is about to take this step, if that is its turn.
#[cold]
pub(super) fn about(step: Step) {
    if !controls_this_thread() {
        return explore::remark("something was done by a thread, or in a signal handler, that is not under control");
    }
    let me = ME.get();
    // Of what is done with locks and threads no loop knows.
    if !matches!(step.kind, Kind::Read | Kind::Update)
        && let Some(thread) = thread::watched()
    {
        thread.has_effect.set(true);
    }
    if does_something(&step) {
        early::writes();
    }
    with_control(|control| {
        if let Some(entry) = control.entry(me) {
            entry.pending = step;
        }
    });
    decide(Reason::Step);
}

/// Can others tell that the step was taken, besides from what is written? To have a lock for a while
/// and to wait for a condition is nothing in itself. Waits in the kernel have a word that is written.
fn does_something(step: &Step) -> bool {
    match step.class {
        Class::Condition => step.also == 0,
        Class::Semaphore | Class::Barrier => true,
        Class::Mutex | Class::ReadWriteLock | Class::Once | Class::Futex => false,
    }
}

/// What the running thread does belongs to the step before.
pub(crate) fn also(step: Step) {
    let me = ME.get();
    with_control(|control| {
        if let Some(plan) = &mut control.plan {
            plan.also(me, step);
        }
    });
}

/// What became of the step that the running thread has taken.
pub(crate) fn has_taken(change: impl FnOnce(&mut Step)) {
    let me = ME.get();
    if !controls_this_thread() {
        return;
    }
    with_control(|control| {
        if let Some(step) = control.plan.as_mut().and_then(Plan::last)
            && step.thread == me
        {
            change(step);
        }
    });
}

/// The running thread has used the object at this address, or a part of it: what that is in the step
/// that it has taken, and which part, as a bit. It may be at work for the runtime, because it gives
/// a lock back while it begins to wait.
pub(super) fn has_used(addr: usize, change: impl FnOnce(&mut Step, u32)) {
    let me = ME.get();
    with_control(|control| {
        let Some(step) = control.plan.as_mut().and_then(Plan::last).filter(|step| step.thread == me) else { return };
        let part = (addr as u64).checked_sub(weak::address_of(step.object));
        if let Some(part) = part.filter(|&part| part < u64::from(u32::BITS)) {
            change(step, 1 << part);
        }
    });
}

/// The location was written. Has it another value than before?
pub(crate) fn was_written(addr: usize, changed: bool) {
    with_control(|control| control.was_written(addr, changed));
}

/// What was decided for the step that the running thread takes.
pub(crate) fn decision() -> Option<Decision> {
    let mut decision = None;
    with_control(|control| decision = control.plan.as_ref().map(Plan::now));
    decision
}

/// The run does not follow its decisions.
pub(crate) fn diverged() -> ! {
    explore::stop(end::DIVERGED)
}

/// The running thread has made a round of a loop in vain, with these reads: it goes no further.
pub(crate) fn holds(round: Vec<Read>) {
    let me = ME.get();
    with_control(|control| {
        if let Some(entry) = control.entry(me) {
            entry.held = round;
        }
    });
    block(never(), None, false, || ());
}

/// The running thread goes round a loop that ends only when one of these locations changes, or is
/// `written`.
pub(crate) fn watches(addresses: Vec<usize>, written: bool) {
    rests(|control, me| {
        control.watch(me, addresses, written);
        if let Some(entry) = control.entry(me) {
            entry.pending.idle = 1;
        }
    });
}

/// The running thread goes round a loop that has read these locations, one after the other, in a run
/// that need not be SC: it takes no step any more.
pub(crate) fn circles(addresses: Vec<usize>) {
    rests(|control, me| control.circle(me, addresses));
}

/// Others run, and the calling thread when `before` lets it.
fn rests(before: impl FnOnce(&mut Control, Tid)) {
    if !controls_this_thread() {
        return;
    }
    let me = ME.get();
    let Some(_inside) = Inside::enter() else { return };
    let mut locked = lock();
    let Some(control) = controlled(&mut locked) else { return };
    before(control, me);
    let next = control.next(me, Reason::Blocked);
    control.give(next, me);
    drop(locked);
    wait(me);
}

/// Steps so far, if somebody explores.
pub(crate) fn decided_steps() -> u32 {
    let mut steps = 0;
    with_control(|control| steps = control.planned_steps());
    steps
}

/// The calling thread ends the process: if somebody decides every step, it waits until no other
/// thread can go on. Does something fail?
pub(crate) fn let_others_finish(fails: bool) {
    if !explore::is_decided() || !controls_this_thread() {
        return;
    }
    let me = ME.get();
    let mut waits = false;
    with_control(|control| waits = control.leaves_last(me, fails));
    if waits {
        block(never(), None, false, || ());
    }
    with_control(|control| {
        let is_alone = control.is_alone(me);
        if let Some(mut shared) = explore::shared().filter(|_| is_alone) {
            shared.header().remarks |= remark::ALONE;
        }
    });
}

/// The program ends: are there threads that could go on?
pub(crate) fn decided_to_the_end() {
    with_control(|control| {
        let waits_for_ever = |entry: &&Entry| entry.state == State::Blocked(never());
        let others = control.entries.len() - control.entries.iter().filter(waits_for_ever).count() > 1;
        let has_waited = control.plan.as_ref().is_some_and(Plan::has_left);
        if others
            && !has_waited
            && let Some(mut shared) = explore::shared()
        {
            shared.header().remarks |= remark::OUTLIVED;
        }
    });
}

/// One of so many ways, all of which are explored if somebody does that; 0 if nobody decides.
pub(crate) fn choose(count: u32) -> u32 {
    let mut chosen = 0;
    if explore::is_decided() {
        about(Step::new(Kind::Choice, 0));
    }
    with_control(|control| chosen = control.pick(count.max(1) as usize) as u32);
    chosen
}

/// Which of so many overwritten writes the access uses that is being made; none if it is made as
/// ever, which is the first way that its step can go.
pub(crate) fn stale_way(count: usize) -> Option<usize> {
    let mut way = 0;
    with_control(|control| way = control.pick_stale(count));
    if way > count {
        diverged();
    }
    way.checked_sub(1)
}

/// The run does not count: an assumption of the test does not hold. The calling thread stays where it
/// is, and others go on: what they do may have to come before the assumption in another run, and if
/// they fail, they would have failed without it.
pub(crate) fn assumed() -> ! {
    with_control(|control| {
        if let Some(plan) = &mut control.plan {
            plan.assumed();
        }
    });
    while controls_this_thread() && block(never(), None, false, || ()) != Outcome::Uncontrolled {}
    explore::stop(end::ASSUMED)
}

/// What is never woken.
fn never() -> Key {
    static NEVER: u8 = 0;
    Key::Object((&raw const NEVER).addr())
}

/// Decisions so far at which there was a choice: what PCT draws its points from in a later run.
pub(crate) fn steps() -> u64 {
    // A signal handler that ends the process may have interrupted its own thread right here.
    if HOLDING.get() {
        return 0;
    }
    let _inside = Inside::enter();
    lock().control().map_or(0, |control| control.policy.steps())
}

/// Does this module schedule the calling thread, and is neither it nor the rest of the runtime at
/// work for it?
pub(super) fn controls_this_thread() -> bool {
    ME.get() != 0 && !AWAY.get() && !INSIDE.get() && thread::with_current(|_| ()).is_some()
}

/// The calling thread may go on, or have to wait for its turn.
#[cold]
pub(super) fn decide(reason: Reason) {
    // A signal handler that interrupts the runtime must not wait: its thread may hold locks.
    if !controls_this_thread() {
        return;
    }
    let me = ME.get();
    let Some(_inside) = Inside::enter() else { return };
    let mut locked = lock();
    let Some(control) = controlled(&mut locked) else { return };
    if control.running != Some(me) {
        control.back(me);
    } else {
        if let (Reason::Vain { addr, .. }, true) = (reason, control.plan.is_some()) {
            control.retract_to_watch(me, addr);
        }
        match control.next(me, reason) {
            Next::Run(next) if next == me => return,
            next => control.give(next, me),
        }
    }
    drop(locked);
    wait(me);
}

/// See [`Policy::fails_for_no_reason`].
pub(super) fn fails_for_no_reason() -> bool {
    let mut fails = false;
    if controls_this_thread() {
        with_control(|control| fails = control.policy.fails_for_no_reason());
    }
    fails
}

/// From here on the schedule is another one, for each number.
pub(crate) fn vary(number: u64) {
    with_control(|control| control.policy.vary(number));
}

/// A thread is about to be created.
pub(crate) fn created(tid: Tid) {
    if explore::is_explored() && tid == FIRST_CREATED {
        kernel::stay_here();
    }
    with_control(|control| {
        control.policy.appeared(tid);
        control.add(tid, State::Unborn);
    });
}

/// A thread that was created exists, and will [`begin`].
pub(crate) fn exists(tid: Tid) {
    with_control(|control| {
        if let Some(entry) = control.entry(tid)
            && entry.state == State::Unborn
        {
            entry.state = State::Ready;
        }
    });
}

/// It could not be started.
pub(crate) fn cancelled(tid: Tid) {
    with_control(|control| control.remove(tid));
}

/// The calling thread is this one; it waits for its turn, unless it begins `outside`.
pub(crate) fn begin(tid: Tid, outside: bool) {
    let mut known = false;
    with_control(|control| {
        if let Some(entry) = control.entry(tid) {
            entry.task = task();
            known = true;
            if outside {
                entry.state = State::Outside;
            }
        }
    });
    if !known {
        return;
    }
    ME.set(tid);
    if outside {
        AWAY.set(true);
        note("threads of OpenMP are not under control in its library: the schedule may not be exactly replayable");
    } else if let Some(_inside) = Inside::enter() {
        wait(tid);
    }
}

/// The calling thread is over: it gives the baton away for good.
pub(crate) fn finished() {
    let me = ME.replace(0);
    if me == 0 {
        return;
    }
    with_control(|control| {
        control.remove(me);
        control.wake(Key::Thread(me), ALL);
        if control.running == Some(me) {
            control.running = None;
            control.kick(me);
        }
    });
}

/// In the child of a `fork`, of which the calling thread is the only one.
pub(crate) fn forked() {
    let me = ME.get();
    INSIDE.set(false);
    HOLDING.set(false);
    with_control(|control| {
        let (stay, gone): (Vec<_>, Vec<_>) = control.entries.drain(..).partition(|entry| entry.tid == me);
        control.entries = stay;
        gone.iter().for_each(|entry| control.policy.vanished(entry.tid));
        control.running = control.entries.first().map(|entry| entry.tid);
        if let Some(entry) = control.entries.first_mut() {
            entry.task = task();
        }
    });
}

/// The calling thread ends the process: it goes first from now on, whenever it can run.
pub(crate) fn ending() {
    let me = ME.get();
    if me != 0 {
        with_control(|control| control.ending = Some(me));
    }
}

/// Does the last `work` of the process while no other thread moves; then lets all go.
pub(crate) fn frozen<T>(work: impl FnOnce() -> T) -> T {
    with_control(|control| control.frozen = true);
    let me = ME.replace(0);
    let result = work();
    ME.set(me);
    with_control(|control| control.frozen = false);
    with_control(Control::let_go);
    result
}

/// Makes up to `count` threads that wait for `key` try again. May be called by any thread, and by
/// signal handlers.
pub(crate) fn wake(key: Key, count: usize) -> usize {
    if !CONTROLLED.load(Ordering::Relaxed) {
        return 0;
    }
    if HOLDING.get() {
        RECHECK.store(true, Ordering::Release);
        return 0;
    }
    let mut woken = 0;
    with_control(|control| {
        woken = control.wake(key, count);
        if control.running.is_none() {
            control.kick(0);
        }
    });
    woken
}

/// Makes a thread try again, whatever it waits for.
pub(crate) fn rouse(tid: Tid) {
    with_control(|control| {
        if let Some(entry) = control.entry(tid)
            && matches!(entry.state, State::Blocked(_))
        {
            (entry.state, entry.outcome) = (State::Ready, Outcome::Woken);
        }
    });
}

/// The calling thread cannot go on before `key` is woken or the time is over; does it then just try
/// again? `before` is done once it counts as waiting, and before any other thread runs.
pub(super) fn block(key: Key, timeout: Option<Timeout>, tries: bool, before: impl FnOnce()) -> Outcome {
    let me = ME.get();
    let Some(_inside) = Inside::enter() else { return Outcome::Uncontrolled };
    let mut locked = lock();
    let Some(control) = controlled(&mut locked).filter(|_| me != 0) else {
        drop(locked);
        before();
        return Outcome::Uncontrolled;
    };
    match tries {
        true => control.suspend_attempt(me, key, timeout),
        false => control.suspend(me, State::Blocked(key), timeout),
    }
    drop(locked);
    before();
    let mut locked = lock();
    if let Some(control) = controlled(&mut locked) {
        // Without the baton, because we were taken to be outside, somebody else goes on.
        if control.running.is_none_or(|running| running == me) {
            control.running = None;
            control.kick(me);
        }
        drop(locked);
        wait(me);
        locked = lock();
    }
    let outcome = match controlled(&mut locked).and_then(|control| control.entry(me)) {
        Some(entry) => {
            entry.timeout = None;
            entry.outcome
        }
        None => Outcome::Uncontrolled,
    };
    drop(locked);
    if let (Outcome::TimedOut, Some(timeout)) = (outcome, timeout) {
        timeout.has_come();
    }
    outcome
}

/// Does `work`, which may wait for something unknown to us, while others run.
pub(crate) fn outside<T>(work: impl FnOnce() -> T) -> T {
    let mut alone = true;
    with_control(|control| alone = control.entries.len() < 2);
    let_others();
    if !alone {
        note("a system call waited while other threads ran: the schedule may not be exactly replayable");
    }
    let result = work();
    wait_for_turn();
    result
}

/// The calling thread is about to be in a library that waits in its own way: others run.
pub(crate) fn step_out() {
    AWAY.set(true);
    let_others();
}

/// It is no longer there, and waits for its turn.
pub(crate) fn step_in() {
    AWAY.set(false);
    wait_for_turn();
}

/// Others run, whatever the calling thread does.
fn let_others() {
    let me = ME.get();
    with_control(|control| {
        if control.running == Some(me) {
            control.suspend(me, State::Outside, None);
            control.running = None;
            control.kick(me);
        }
    });
}

/// The end of [`let_others`].
fn wait_for_turn() {
    let me = ME.get();
    if me == 0 {
        return;
    }
    if let Some(_inside) = Inside::enter() {
        let mut locked = lock();
        if let Some(control) = controlled(&mut locked)
            && control.running != Some(me)
        {
            control.back(me);
            drop(locked);
            wait(me);
        }
    }
}

impl Timeout {
    /// After so many nanoseconds from now on.
    pub(crate) fn after(nanoseconds: u64) -> Self {
        let mut due = 0;
        with_control(|control| due = control.due_after(nanoseconds));
        Timeout { due, moment: programs_monotonic().saturating_add(nanoseconds) }
    }

    /// The program's clocks show that it has come.
    pub(crate) fn has_come(self) {
        intercept::reach(self.moment);
    }
}

fn controlled(locked: &mut Locked) -> Option<&mut Control> {
    CONTROLLED.load(Ordering::Relaxed).then(|| locked.control()).flatten()
}

fn with_control(work: impl FnOnce(&mut Control)) {
    if !CONTROLLED.load(Ordering::Relaxed) || HOLDING.get() {
        return;
    }
    // A signal handler that comes now must find that its thread is at work.
    let inside = Inside::enter();
    let mut locked = lock();
    if let Some(control) = controlled(&mut locked) {
        work(control);
    }
    drop(locked);
    drop(inside);
}

/// Waits until it is the turn of the calling thread.
fn wait(me: Tid) {
    let mut locked = lock();
    if locked.control().is_some_and(|control| control.is_over) {
        drop(locked);
        intercept::end_process(0);
    }
    let Some(entry) = locked.control().and_then(|control| control.entry(me)) else { return };
    let word = entry.word;
    let mut until = entry.timeout.map(|timeout| timeout.moment);
    let mut stuck = locked.control().is_some_and(|control| control.stuck.is_some());
    drop(locked);
    while !word.take() {
        let now = monotonic();
        let watch = if stuck { RETRY } else { WATCH };
        let patience = until.map_or(watch, |moment| watch.min(moment.saturating_sub(programs_monotonic())));
        word.sleep(patience);
        if until.is_some_and(|moment| moment <= programs_monotonic()) {
            until = None;
            expire(me);
        } else if patience == watch && monotonic() - now >= watch {
            stuck = look_after(me);
        }
    }
}

/// A timeout of the calling thread has come in real time; that counts if nobody runs.
fn expire(me: Tid) {
    let mut locked = lock();
    let Some(control) = controlled(&mut locked) else { return };
    if control.running.is_none() {
        if let Some(entry) = control.entry(me)
            && matches!(entry.state, State::Blocked(_))
        {
            (entry.state, entry.outcome) = (State::Ready, Outcome::TimedOut);
        }
        control.kick(me);
    }
}

/// Goes on without the thread that has the baton if it sleeps in the kernel, as it did half a
/// second ago. True if nobody can go on.
fn look_after(me: Tid) -> bool {
    let mut locked = lock();
    let Some(control) = controlled(&mut locked) else { return false };
    if control.is_over {
        drop(locked);
        intercept::end_process(0);
    }
    if let (None, Some(since), false) = (control.running, control.stuck, control.frozen) {
        if monotonic() - since >= u64::from(options::get().deadlock).max(1) * 1_000_000_000 {
            deadlock(locked);
            return false;
        }
        control.try_all();
        control.kick(me);
        return true;
    }
    watch(locked, me);
    false
}

/// Nobody can go on, and nothing has changed that for a while.
fn deadlock(mut locked: Locked) {
    let Some(control) = controlled(&mut locked) else { return };
    let waiting = control.waiting();
    if options::get().deadlock == 0 {
        control.let_go();
        drop(locked);
        note("all threads under control wait: the schedule is left to the operating system from here on");
        return;
    }
    // Nobody else is to find out.
    control.frozen = true;
    drop(locked);
    if thread::with_current(|_| channel::deadlock(&waiting)).is_none() {
        channel::deadlock(&waiting);
    }
    intercept::end_process(i32::from(DEADLOCK));
}

/// Looks after the thread that has the baton.
fn watch(mut locked: Locked, me: Tid) {
    let Some(control) = controlled(&mut locked) else { return };
    let (Some(running), false) = (control.running, control.frozen) else { return };
    let first = control.entries.iter().find(|entry| entry.state == State::Ready && entry.tid != running);
    if first.is_none_or(|first| first.tid != me) {
        return;
    }
    let sight = Sight { running, steps: control.steps };
    let Some(entry) = control.entry(running) else { return };
    if entry.task == 0 || !sleeps(entry.task) {
        control.asleep = None;
        return;
    }
    if control.asleep.replace(sight) != Some(sight) {
        return;
    }
    control.suspend(running, State::Outside, None);
    control.running = None;
    control.kick(running);
    drop(locked);
    note("a thread waited for something that is not under control: the schedule may not be exactly replayable");
}

fn note(text: &'static str) {
    // What the runtime does is not to be watched, if it is not at work already.
    if thread::with_current(|_| channel::note_once(text)).is_none() {
        channel::note_once(text);
    }
}
