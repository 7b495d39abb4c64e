//! The baton that the one running thread holds, and the threads that wait for it.
//!
//! Each thread sleeps on a word of its own until it is its turn. All that waits does so in a loop around an attempt, so that it is
//! always safe to wake a thread for nothing.
//!
//! Threads that wait for the baton look, twice in a second, whether the one that has it sleeps in the kernel at a place unknown to us, and go on
//! without it if so.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::ALL;
use super::policy::{Policy, Reason};
use crate::lock::{Guard, Guarded};
use crate::thread::Tid;
use crate::{channel, memory, options, stats, thread};

/// Are threads scheduled by us?
pub(super) static CONTROLLED: AtomicBool = AtomicBool::new(false);
/// Something was woken by a signal handler that came while its thread held the lock.
static RECHECK: AtomicBool = AtomicBool::new(false);
static CONTROL: Guarded<Option<Control>> = Guarded::new(None);

/// How long a thread waits before it looks after the one that runs.
const WATCH: u64 = 500_000_000;
/// Nanoseconds of virtual time that a decision takes.
const STEP: u64 = 1_000;

thread_local! {
    /// The number of this thread, if it is scheduled by us.
    static ME: Cell<Tid> = const { Cell::new(0) };
    /// Is this thread at work here? A signal handler that comes now is not scheduled.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// Does it hold the lock?
    static HOLDING: Cell<bool> = const { Cell::new(false) };
}

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
    due: u64,
    /// In real time, of the monotonic clock.
    real: u64,
    /// Can the program tell from a clock whether it was reached?
    absolute: bool,
}

/// Where a thread sleeps until it is its turn.
struct Word(AtomicU32);

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// It runs, or could.
    Ready,
    Blocked(Key),
    /// It waits for something unknown to us.
    Outside,
    /// Its creator is about to start it, in libc, which may call back.
    Unborn,
}

struct Entry {
    tid: Tid,
    word: &'static Word,
    state: State,
    timeout: Option<Timeout>,
    outcome: Outcome,
    /// Its number in the kernel; 0 until it has started.
    task: i32,
}

/// What the watching thread saw last.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sight {
    running: Tid,
    steps: u64,
}

struct Control {
    /// By ascending number.
    entries: Vec<Entry>,
    running: Option<Tid>,
    policy: Policy,
    /// Virtual time in nanoseconds, and when the next timeout is due in it.
    now: u64,
    alarm: u64,
    steps: u64,
    /// A thread that ends the process: it goes first.
    ending: Option<Tid>,
    frozen: bool,
    asleep: Option<Sight>,
    enabled: Vec<Tid>,
    words: Vec<&'static Word>,
}

enum Next {
    Run(Tid),
    /// Nobody, until somebody comes back from outside.
    Idle,
    /// Nobody, ever.
    Deadlock,
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
        self.0 = None;
        HOLDING.set(false);
    }
}

impl Locked {
    fn control(&mut self) -> Option<&mut Control> {
        self.0.as_mut().and_then(|guard| guard.as_mut())
    }
}

/// Begins to schedule threads, if the options say so; the calling thread is the main thread and runs.
pub(crate) fn start() {
    let options = options::get();
    let mut policy = match options.schedule {
        options::Schedule::Os => return,
        options::Schedule::Random => Policy::random(options.seed),
        options::Schedule::Pct(depth) => Policy::pct(options.seed, depth, options.steps),
    };
    policy.appeared(1);
    let mut control = Control {
        entries: Vec::new(),
        running: Some(1),
        policy,
        now: 0,
        alarm: u64::MAX,
        steps: 0,
        ending: None,
        frozen: false,
        asleep: None,
        enabled: Vec::new(),
        words: Vec::new(),
    };
    control.add(1, State::Ready);
    control.entries[0].task = task();
    *CONTROL.lock() = Some(control);
    ME.set(1);
    CONTROLLED.store(true, Ordering::Release);
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

/// Does this module schedule the calling thread, and is neither it nor the rest of the runtime at work for it?
pub(super) fn controls_this_thread() -> bool {
    ME.get() != 0 && !INSIDE.get() && thread::with_current(|_| ()).is_some()
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
        match control.next(me, reason) {
            Next::Run(next) if next == me => return,
            next => control.give(next, me),
        }
    }
    drop(locked);
    wait(me);
}

/// A thread is about to be created.
pub(crate) fn created(tid: Tid) {
    with_control(|control| {
        control.policy.appeared(tid);
        control.add(tid, State::Unborn);
    });
}

/// A thread that was created exists, and will [`begin`].
pub(crate) fn exists(tid: Tid) {
    with_control(|control| {
        if let Some(entry) = control.entry(tid) {
            entry.state = State::Ready;
        }
    });
}

/// It could not be started.
pub(crate) fn cancelled(tid: Tid) {
    with_control(|control| control.remove(tid));
}

/// The calling thread is this one; it waits for its turn.
pub(crate) fn begin(tid: Tid) {
    let mut known = false;
    with_control(|control| {
        if let Some(entry) = control.entry(tid) {
            entry.task = task();
            known = true;
        }
    });
    if !known {
        return;
    }
    ME.set(tid);
    if let Some(_inside) = Inside::enter() {
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

/// Makes up to `count` threads that wait for `key` try again. May be called by any thread, and by signal handlers.
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

/// The calling thread cannot go on before `key` is woken or the time is over. `before` is done once it counts as waiting, and before
/// any other thread runs.
pub(crate) fn block(key: Key, timeout: Option<Timeout>, before: impl FnOnce()) -> Outcome {
    let me = ME.get();
    let Some(_inside) = Inside::enter() else { return Outcome::Uncontrolled };
    let mut locked = lock();
    let Some(control) = controlled(&mut locked).filter(|_| me != 0) else {
        drop(locked);
        before();
        return Outcome::Uncontrolled;
    };
    control.suspend(me, State::Blocked(key), timeout);
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
    if let (Outcome::TimedOut, Some(Timeout { real, absolute: true, .. })) = (outcome, timeout) {
        sleep_until(real);
    }
    outcome
}

/// Does `work`, which may wait for something unknown to us, while others run.
pub(crate) fn outside<T>(work: impl FnOnce() -> T) -> T {
    let me = ME.get();
    let mut alone = true;
    with_control(|control| {
        alone = control.entries.len() < 2;
        if control.running == Some(me) {
            control.suspend(me, State::Outside, None);
            control.running = None;
            control.kick(me);
        }
    });
    if !alone {
        note("a system call waited while other threads ran: the schedule may not be exactly replayable");
    }
    let result = work();
    if let Some(_inside) = Inside::enter() {
        let mut locked = lock();
        if let Some(control) = controlled(&mut locked) {
            control.back(me);
            drop(locked);
            wait(me);
        }
    }
    result
}

impl Timeout {
    /// After so many nanoseconds from now on.
    pub(crate) fn after(nanoseconds: u64, absolute: bool) -> Self {
        let mut due = 0;
        with_control(|control| due = control.now.saturating_add(coarse(nanoseconds)));
        Timeout { due, real: monotonic().saturating_add(nanoseconds), absolute }
    }
}

/// Rounds up to an eighth of the power of two below: a program that computes a point in time does so a little later or earlier
/// each time, and the order of timeouts should not depend on it.
fn coarse(nanoseconds: u64) -> u64 {
    let eighth = (1u64 << nanoseconds.max(8).ilog2()) / 8;
    nanoseconds.checked_next_multiple_of(eighth).unwrap_or(u64::MAX)
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
    let Some(entry) = locked.control().and_then(|control| control.entry(me)) else { return };
    let word = entry.word;
    let mut until = entry.timeout.map(|timeout| timeout.real);
    drop(locked);
    while word.0.swap(0, Ordering::Acquire) == 0 {
        let now = monotonic();
        let mut patience = WATCH;
        if let Some(real) = until {
            patience = patience.min(real.saturating_sub(now));
        }
        word.sleep(patience);
        if until.is_some_and(|real| real <= monotonic()) {
            until = None;
            expire(me);
        } else if patience == WATCH && monotonic() - now >= WATCH {
            look_after(me);
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

/// Goes on without the thread that has the baton if it sleeps in the kernel, as it did half a second ago.
fn look_after(me: Tid) {
    let mut locked = lock();
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

impl Control {
    fn entry(&mut self, tid: Tid) -> Option<&mut Entry> {
        let at = self.entries.binary_search_by_key(&tid, |entry| entry.tid).ok()?;
        Some(&mut self.entries[at])
    }

    fn add(&mut self, tid: Tid, state: State) {
        let word = self.words.pop().unwrap_or_else(|| memory::keep(Word(AtomicU32::new(0))));
        word.0.store(0, Ordering::Relaxed);
        let at = self.entries.partition_point(|entry| entry.tid < tid);
        let entry = Entry { tid, word, state, timeout: None, outcome: Outcome::Woken, task: 0 };
        self.entries.insert(at, entry);
    }

    fn remove(&mut self, tid: Tid) {
        if let Ok(at) = self.entries.binary_search_by_key(&tid, |entry| entry.tid) {
            let entry = self.entries.remove(at);
            self.words.push(entry.word);
            self.policy.vanished(tid);
        }
    }

    fn suspend(&mut self, tid: Tid, state: State, timeout: Option<Timeout>) {
        if let Some(timeout) = timeout {
            self.alarm = self.alarm.min(timeout.due);
        }
        if let Some(entry) = self.entry(tid) {
            (entry.state, entry.timeout, entry.outcome) = (state, timeout, Outcome::Woken);
        }
    }

    /// A thread that was outside is under control again; it gets the baton if nobody has it.
    fn back(&mut self, tid: Tid) {
        if let Some(entry) = self.entry(tid) {
            entry.state = State::Ready;
        }
        if self.running.is_none() {
            self.kick(tid);
        }
    }

    fn wake(&mut self, key: Key, count: usize) -> usize {
        let mut waiting: Vec<usize> =
            (0..self.entries.len()).filter(|&at| self.entries[at].state == State::Blocked(key)).collect();
        let mut woken = 0;
        while woken < count && !waiting.is_empty() {
            let chosen = if count == ALL { 0 } else { self.policy.pick(waiting.len()) };
            let entry = &mut self.entries[waiting.remove(chosen)];
            (entry.state, entry.outcome) = (State::Ready, Outcome::Woken);
            woken += 1;
        }
        woken
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
    fn jump(&mut self) -> bool {
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
        self.enabled.extend(self.entries.iter().filter(|entry| entry.state == State::Ready).map(|entry| entry.tid));
    }

    /// Who runs after `current`.
    fn next(&mut self, current: Tid, reason: Reason) -> Next {
        self.steps += 1;
        self.now += STEP;
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
        let in_vain = reason == Reason::Yield && self.enabled == [current];
        if (self.enabled.is_empty() || in_vain) && !outside && self.jump() {
            self.collect();
        }
        if self.enabled.is_empty() {
            return match outside {
                true => Next::Idle,
                false => Next::Deadlock,
            };
        }
        if let Some(first) = self.ending
            && reason != Reason::Yield
            && self.enabled.contains(&first)
        {
            return Next::Run(first);
        }
        Next::Run(self.policy.next(current, &self.enabled, reason))
    }

    /// Hands the baton over.
    fn give(&mut self, next: Next, from: Tid) {
        match next {
            Next::Run(next) => {
                if next != from {
                    stats::SWITCHES.fetch_add(1, Ordering::Relaxed);
                }
                self.running = Some(next);
                if let Some(entry) = self.entry(next) {
                    entry.word.ring();
                }
            }
            Next::Idle => self.running = None,
            Next::Deadlock => {
                // A process whose threads are all over has nothing to complain about.
                if !self.entries.is_empty() {
                    channel::note_once(
                        "all threads under control wait: the schedule is left to the operating system from here on",
                    );
                }
                self.let_go();
            }
        }
    }

    /// Finds somebody to run, if nobody does.
    fn kick(&mut self, from: Tid) {
        let next = self.next(from, Reason::Blocked);
        self.give(next, from);
    }

    /// Gives up control: every thread runs as it likes.
    fn let_go(&mut self) {
        CONTROLLED.store(false, Ordering::Release);
        for entry in &mut self.entries {
            (entry.state, entry.outcome) = (State::Ready, Outcome::Uncontrolled);
            entry.word.ring();
        }
    }
}

impl Word {
    fn ring(&self) {
        self.0.store(1, Ordering::Release);
        futex(&self.0, libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, 1, None);
    }

    fn sleep(&self, nanoseconds: u64) {
        futex(&self.0, libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG, 0, Some(nanoseconds));
    }
}

/// A call of the kernel's futex, past our own interceptors.
fn futex(word: &AtomicU32, operation: i32, value: u32, nanoseconds: Option<u64>) {
    let time = nanoseconds.map(|all| libc::timespec {
        tv_sec: (all / 1_000_000_000) as libc::time_t,
        tv_nsec: (all % 1_000_000_000) as libc::c_long,
    });
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    let arguments = [word.as_ptr() as usize, operation as usize, value as usize, time as usize, 0, 0];
    // SAFETY: the word and the time outlive the call.
    unsafe { crate::intercept::system_call(libc::SYS_futex, arguments) };
}

fn task() -> i32 {
    // SAFETY: a system call without arguments.
    unsafe { crate::intercept::system_call(libc::SYS_gettid, [0; 6]) as i32 }
}

fn monotonic() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills in the structure.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn sleep_until(real: u64) {
    loop {
        let now = monotonic();
        if now >= real {
            return;
        }
        Word(AtomicU32::new(0)).sleep(real - now);
    }
}

/// Does the thread with this number in the kernel sleep there?
fn sleeps(task: i32) -> bool {
    let path = format!("/proc/self/task/{task}/stat\0");
    let mut text = [0u8; 256];
    // SAFETY: the path ends with a zero and the buffer is as long as is said; the file is closed again.
    let read = unsafe {
        let file = crate::intercept::system_call(
            libc::SYS_openat,
            [libc::AT_FDCWD as usize, path.as_ptr() as usize, libc::O_RDONLY as usize, 0, 0, 0],
        );
        if file < 0 {
            return false;
        }
        let read = crate::intercept::system_call(
            libc::SYS_read,
            [file as usize, text.as_mut_ptr() as usize, text.len(), 0, 0, 0],
        );
        crate::intercept::system_call(libc::SYS_close, [file as usize, 0, 0, 0, 0, 0]);
        read
    };
    // The name of the thread, in parentheses, may contain anything.
    let text = &text[..usize::try_from(read).unwrap_or(0)];
    let name_end = text.iter().rposition(|&byte| byte == b')').unwrap_or(0);
    text.get(name_end + 2).is_some_and(|&state| state == b'S' || state == b'D')
}

fn note(text: &'static str) {
    // What the runtime does is not to be watched, if it is not at work already.
    if thread::with_current(|_| channel::note_once(text)).is_none() {
        channel::note_once(text);
    }
}
