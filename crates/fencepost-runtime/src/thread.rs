//! The threads of the program.
//!
//! A [`Thread`] belongs to the thread of the program that it describes, and is reached through
//! thread-local storage. A signal handler may come at any time and reach it, too. So there are only
//! shared references to it. What a handler may look at or change while the runtime is at work is in
//! cells. The rest, the clocks above all, belongs to whoever has [entered](Entered), and only one
//! can have entered at a time.
//!
//! The interceptors make a [`Thread`] for every thread that is created, hand it to the new thread,
//! and keep its clocks after its end until it is joined.

mod local;
mod registry;
pub(crate) mod seen;

use std::cell::{Cell, UnsafeCell};
#[cfg(not(any(miri, test)))]
use std::mem::offset_of;
use std::ptr::null;
use std::sync::atomic::{AtomicBool, Ordering, compiler_fence};

use fencepost_clock::ThreadClocks;
use fencepost_protocol::record::Op;

use crate::collisions::Collisions;
use crate::follow::FOLLOWED;
use crate::race;
use crate::record::{self, Recorder};
use crate::report;
use crate::spin::LastLoad;
use crate::stacks::CallStack;
use crate::stats::Counters;
use local::{current, heeded};
use registry::{Inherited, OUT_OF_SLOTS, REGISTRY, Room};
use seen::{CACHE, Cache};

pub(crate) use registry::{count, occupant, occupant_in};
pub(crate) use seen::Seen;

/// The number of a thread, in order of creation; the main thread is 1.
pub(crate) type Tid = u32;

thread_local! {
    /// The thread that runs, also while it is a fiber.
    static HOME: Cell<*const Thread> = const { Cell::new(null()) };
}

/// What the runtime knows of a thread of the program.
pub(crate) struct Thread {
    /// Its number.
    pub(crate) tid: Tid,
    /// Of who has entered.
    inside: UnsafeCell<Inside>,
    /// The calls it is in.
    pub(crate) calls: CallStack,
    /// What it has done, in numbers.
    pub(crate) counters: &'static Counters,
    /// How often it has met others at the same location.
    pub(crate) collisions: Collisions,
    /// To recognise spinning.
    pub(crate) last_load: Cell<LastLoad>,
    /// Has it changed anything since a loop was looked for?
    pub(crate) has_effect: Cell<bool>,
    /// Slot and epoch, as cells have them.
    stamp: Cell<u64>,
    /// Reads to be left out before some are drawn again; 0 or less while those are.
    left_out: Cell<i32>,
    /// Whom it does not know of.
    pub(crate) strangers: race::Strangers,
    /// Counts changes of the clocks. No other thread, and not this one in another slot, has the
    /// same numbers.
    tick: Cell<u64>,
    /// Is the runtime at work? A signal handler that comes now is not watched.
    busy: AtomicBool,
    /// Nested `__tsan_ignore_thread_begin`, and threads for which there was no slot.
    pub(crate) ignored: Cell<u32>,
    /// What is special about its plain accesses, mostly nothing: nested annotations after which they
    /// are not watched, and whether they are [recorded](crate::follow).
    pub(crate) plain: Cell<u32>,
    /// What a wait of the library looks for, while it looks.
    pub(crate) awaited: Cell<Option<Awaited>>,
    cache: &'static Cache,
}

/// What nobody but the runtime at work for the thread may look at.
struct Inside {
    clocks: ThreadClocks,
    /// Its part of the record of the run.
    recorder: Recorder,
    /// The clocks that `tick` stands for.
    counted: Counts,
    /// A number of its own for each thread and slot it was in.
    life: u32,
}

/// What a wait looks for: it goes on waiting if it does not find it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Awaited {
    /// Where it looks.
    pub(crate) addr: usize,
    /// The value that keeps it waiting; none if the wait looks again whatever it has read.
    pub(crate) unlike: Option<u64>,
}

impl Awaited {
    /// Does a load at `addr` that reads this value only make the wait go on?
    pub(crate) fn goes_on(self, addr: usize, value: u64) -> bool {
        self.addr == addr && self.unlike.is_none_or(|unlike| unlike == value)
    }
}
/// Epoch, generation and number of writes: whatever changes in the clocks, one of them does.
type Counts = (u32, u32, u32);

/// Changes of the clocks after which it is asked whether the counters come to an end. They have
/// far more left when they are said to.
const OFTEN: u64 = 256;

/// Of so many draws …
const DRAWS: i32 = 1 << 18;
/// … these many are lots, one after the other.
const IN_A_ROW: i32 = 1 << 10;

/// What is left of a thread until it is joined.
pub(crate) struct Finished {
    /// Its number.
    pub(crate) tid: Tid,
    clocks: ThreadClocks,
}

/// The thread that runs, while the runtime works for it. There is one of these at a time.
pub(crate) struct Entered(&'static Thread);

impl std::ops::Deref for Entered {
    type Target = Thread;

    #[inline]
    fn deref(&self) -> &Thread {
        self.0
    }
}

impl Entered {
    #[inline]
    fn inside(&self) -> &Inside {
        // SAFETY: this is the only value of its kind for the thread, and whoever changes what is
        // inside borrows it exclusively.
        unsafe { &*self.0.inside.get() }
    }

    #[inline]
    fn inside_mut(&mut self) -> &mut Inside {
        // SAFETY: this is the only value of its kind for the thread, and is borrowed exclusively.
        unsafe { &mut *self.0.inside.get() }
    }

    /// The clocks of the thread.
    #[inline]
    pub(crate) fn clocks(&self) -> &ThreadClocks {
        &self.inside().clocks
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn clocks_mut(&mut self) -> &mut ThreadClocks {
        &mut self.inside_mut().clocks
    }

    /// The thread's part of the record of the run.
    #[inline]
    pub(crate) fn recorder(&mut self) -> &mut Recorder {
        &mut self.inside_mut().recorder
    }
}

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        // For handlers in the same thread: after everything that was done inside.
        compiler_fence(Ordering::Release);
        self.0.busy.store(false, Ordering::Relaxed);
    }
}

impl Thread {
    /// Begins to work for the thread, which is the one that runs, if the runtime is not at work for
    /// it already.
    #[inline]
    pub(crate) fn enter(&'static self) -> Option<Entered> {
        // Only handlers of this thread come between the two, and they leave the mark as they find
        // it.
        if self.busy.load(Ordering::Relaxed) {
            return None;
        }
        self.busy.store(true, Ordering::Relaxed);
        // For handlers in the same thread: before everything that is done inside.
        compiler_fence(Ordering::Acquire);
        Some(Entered(self))
    }
}

/// The thread that runs, if it is watched and the runtime is not at work for it already.
#[inline]
pub(crate) fn enter() -> Option<Entered> {
    watched()?.enter()
}

/// The thread that runs, if it is watched, to look at only: the runtime may be at work for it.
#[inline]
pub(crate) fn watched() -> Option<&'static Thread> {
    // SAFETY: the pointer is set by this thread to its own description, which lives until it is
    // taken away again, and to which there are no exclusive references.
    unsafe { heeded::get().as_ref() }
}

/// The thread that runs, if it is known, to look at only.
#[inline]
fn known() -> Option<&'static Thread> {
    // SAFETY: as in `watched`.
    unsafe { current::get().as_ref() }
}

/// The calls of the thread that runs; they are followed also while the runtime is at work in an
/// outer frame.
#[inline]
pub(crate) fn calls() -> Option<&'static CallStack> {
    known().map(|thread| &thread.calls)
}

/// Runs `work` with the thread that runs, whether it is ignored or not, unless the runtime is at
/// work for it.
pub(crate) fn with_current<T>(work: impl FnOnce(&mut Entered) -> T) -> Option<T> {
    known()?.enter().map(|mut thread| work(&mut thread))
}

/// The number of the thread that runs; 0 if it is not known.
pub(crate) fn current_tid() -> Tid {
    known().map_or(0, |thread| thread.tid)
}

#[cfg(not(any(miri, test)))]
impl Thread {
    /// Where hooks in assembly find where the last load was made.
    pub(crate) const LAST_LOAD: usize = offset_of!(Thread, last_load) + offset_of!(LastLoad, pc);
    /// Where they find slot and epoch.
    pub(crate) const STAMP: usize = offset_of!(Thread, stamp);
    /// Where they find whom the thread does not know of.
    pub(crate) const STRANGERS: usize = offset_of!(Thread, strangers);
    /// Where they find how many reads are to be left out.
    pub(crate) const LEFT_OUT: usize = offset_of!(Thread, left_out);
}

impl Thread {
    fn new(tid: Tid, clocks: ThreadClocks, Inherited { calls, cache, counters }: Inherited, life: u32) -> Self {
        let stamp = race::stamp(clocks.slot(), clocks.epoch());
        Thread {
            tid,
            inside: UnsafeCell::new(Inside { clocks, recorder: Recorder::default(), counted: (0, 0, 0), life }),
            calls,
            counters,
            collisions: Collisions::default(),
            last_load: Cell::default(),
            has_effect: Cell::new(false),
            stamp: Cell::new(stamp),
            left_out: Cell::new(0),
            strangers: race::Strangers::new(),
            busy: AtomicBool::new(false),
            ignored: Cell::new(0),
            plain: Cell::new(0),
            awaited: Cell::new(None),
            tick: Cell::new(first_tick(life)),
            cache,
        }
    }

    /// Empties the cache. Written from beginning to end it comes to this processor sooner than line
    /// by line.
    fn forget_seen(&self) {
        for seen in self.cache {
            seen.clear();
        }
    }

    /// Where variables at `addr` are remembered.
    #[inline]
    pub(crate) fn seen(&self, addr: usize) -> &'static Seen {
        &self.cache[addr.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (usize::BITS - CACHE.ilog2())]
    }

    /// A number that changes with the clocks.
    #[inline]
    pub(crate) fn tick(&self) -> u64 {
        self.tick.get()
    }

    /// Is the runtime at work for this thread?
    #[inline]
    pub(crate) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Relaxed)
    }

    /// The thread that was never started gives its slot back.
    pub(crate) fn cancel(created: Box<Thread>) {
        created.give_back();
    }

    /// Leaves what it has to later threads.
    fn give_back(self) -> Finished {
        let Thread { tid, inside, calls, cache, counters, ignored, .. } = self;
        let Inside { mut clocks, .. } = inside.into_inner();
        let mut registry = REGISTRY.lock();
        registry.leave(Inherited { calls, cache, counters });
        if ignored.get() == 0 {
            registry.vacate(&mut clocks);
        }
        Finished { tid, clocks }
    }

    /// Slot and epoch, as cells have them.
    #[inline]
    pub(crate) fn stamp(&self) -> u64 {
        self.stamp.get()
    }

    /// True once in a while, and then some times in a row: what changes because of it should be
    /// the same for what is accessed together.
    #[inline]
    pub(crate) fn is_drawn(&self) -> bool {
        if self.is_passed_over() {
            return false;
        }
        let left = self.left_out.get() - 1;
        self.left_out.set(if left > -IN_A_ROW { left } else { DRAWS - IN_A_ROW });
        true
    }

    /// Is [`Self::is_drawn`] not true the next time? Then this was that time.
    #[inline]
    pub(crate) fn is_passed_over(&self) -> bool {
        let left = self.left_out.get();
        if left > 0 {
            self.left_out.set(left - 1);
        }
        left > 0
    }

    /// Plain accesses of the thread are not watched from here on, or no longer not watched.
    pub(crate) fn ignore_plain(&self, begins: bool) {
        let (nested, followed) = (self.plain.get() & !FOLLOWED, self.plain.get() & FOLLOWED);
        let nested = if begins { (nested + 1).min(!FOLLOWED) } else { nested.saturating_sub(1) };
        self.plain.set(nested | followed);
    }

    /// The thread does something else than repeating a load.
    #[inline]
    pub(crate) fn does_something(&self) {
        self.has_effect.set(true);
        self.looks();
    }

    /// The same, if it changes nothing.
    #[inline]
    pub(crate) fn looks(&self) {
        self.last_load.set(LastLoad { pc: 0, ..self.last_load.get() });
    }
}

impl Entered {
    /// A number that changes when the thread learns something about others. No other thread, and
    /// not this one in another slot, has the same.
    #[inline]
    pub(crate) fn knowledge(&self) -> u64 {
        u64::from(self.inside().life) << 32 | u64::from(self.clocks().generation())
    }

    /// Was it this thread, in the slot that it has now, whose [`Self::knowledge`] this was?
    #[inline]
    pub(crate) fn has_known(&self, knowledge: u64) -> bool {
        knowledge >> 32 == u64::from(self.inside().life)
    }

    /// The description of a thread that this one is about to create. Creation orders everything so
    /// far before everything the new thread does.
    pub(crate) fn create(&mut self) -> Box<Thread> {
        let mut registry = REGISTRY.lock();
        let tid = registry.new_tid();
        let inherited = registry.inherit();
        let life = registry.new_life();
        match registry.room(Some(self.clocks())) {
            Some(Room { slot, epochs, is_strange }) => {
                let mut clocks = self.clocks_mut().spawn(slot, epochs);
                if is_strange {
                    registry.tell_predecessor(&mut clocks);
                }
                registry.occupy(&clocks, tid);
                drop(registry);
                if is_strange {
                    crate::channel::note_once(OUT_OF_SLOTS);
                }
                record::other_thread(self, Op::Spawn, tid);
                self.renew();
                Box::new(Thread::new(tid, clocks, inherited, life))
            }
            None => {
                drop(registry);
                report::stop();
                crate::channel::note_once(
                    "too many threads at once: some of them are not watched, and nothing is reported from now on",
                );
                let unwatched = Thread::new(tid, self.clocks().clone(), inherited, life);
                unwatched.ignored.set(1);
                Box::new(unwatched)
            }
        }
    }

    /// The threads of a `Finished` that this one has waited for end before what it does from now
    /// on.
    pub(crate) fn join(&mut self, finished: &Finished) {
        self.clocks_mut().join(&finished.clocks);
        record::other_thread(self, Op::Join, finished.tid);
        self.renew();
    }

    /// What this thread, which is the one that runs, does from now on is not watched.
    pub(crate) fn ignore(&mut self) {
        self.ignored.set(self.ignored.get() + 1);
        heeded::set(null());
    }

    /// The end of [`Self::ignore`].
    pub(crate) fn heed(&mut self) {
        self.ignored.set(self.ignored.get().saturating_sub(1));
        if self.ignored.get() == 0 {
            heeded::set(self.0);
        }
    }

    /// After anything that may have begun an epoch. Goes on in another slot if the epochs of this
    /// one are used up.
    #[inline]
    pub(crate) fn renew(&mut self) {
        let counted = self.counts();
        if counted != self.inside().counted {
            if counted.1 != self.inside().counted.1 {
                self.strangers.clear();
            }
            self.inside_mut().counted = counted;
            self.tick.set(self.tick.get() + 1);
            let is_asked = self.tick.get().is_multiple_of(OFTEN);
            if counted.0 >= race::LAST_EPOCH || is_asked && self.clocks().is_worn_out() {
                self.renew_now();
            }
            self.stamp.set(race::stamp(self.clocks().slot(), self.clocks().epoch()));
        }
    }

    #[inline]
    fn counts(&self) -> Counts {
        (self.clocks().epoch(), self.clocks().generation(), self.clocks().writes())
    }

    #[cold]
    fn renew_now(&mut self) {
        let mut registry = REGISTRY.lock();
        match registry.room(None) {
            Some(Room { slot, epochs, is_strange }) => {
                // The old slot is not vacated: its epochs are used up.
                self.clocks_mut().move_to(slot, epochs);
                if is_strange {
                    registry.tell_predecessor(self.clocks_mut());
                }
                registry.occupy(self.clocks(), self.tid);
                let life = registry.new_life();
                let counted = self.counts();
                let inside = self.inside_mut();
                (inside.life, inside.counted) = (life, counted);
                self.strangers.clear();
                self.tick.set(first_tick(life));
                drop(registry);
                if is_strange {
                    crate::channel::note_once(OUT_OF_SLOTS);
                }
            }
            None => {
                drop(registry);
                report::stop();
                crate::channel::note_once(
                    "the epochs of a thread are used up: it is not watched any longer, and nothing is reported from now on",
                );
                self.ignore();
            }
        }
    }
}

/// The first tick of a life, after all that an earlier one can have had: epochs, writes and
/// generations are below 2³¹ each.
fn first_tick(life: u32) -> u64 {
    (u64::from(life) << 33) + 1
}

/// The thread that runs becomes the main thread.
pub(crate) fn attach_main() {
    let mut registry = REGISTRY.lock();
    let tid = registry.new_tid();
    let Some(Room { slot, epochs, .. }) = registry.room(None) else { return };
    let clocks = ThreadClocks::new(slot, epochs);
    registry.occupy(&clocks, tid);
    let (inherited, life) = (registry.inherit(), registry.new_life());
    drop(registry);
    attach(Box::new(Thread::new(tid, clocks, inherited, life)));
}

/// The thread that runs is the one described.
pub(crate) fn attach(thread: Box<Thread>) {
    let ignored = thread.ignored.get() > 0;
    thread.forget_seen();
    let thread = Box::into_raw(thread);
    HOME.set(thread);
    current::set(thread);
    heeded::set(if ignored { null() } else { thread });
}

/// The thread that runs goes on as another one: a fiber, or back from it. What it did so far
/// happens before what it does next, if `ordered`.
pub(crate) fn switch(to: &'static Thread, ordered: bool) {
    // The thread itself is the object that orders: nothing of the program has its address.
    let object = std::ptr::from_ref(to) as usize;
    if ordered {
        with_current(|from| from.release_join(object));
    }
    current::set(to);
    heeded::set(if to.ignored.get() > 0 { null() } else { to });
    if ordered {
        with_current(|to| to.acquire(object));
    }
}

/// The thread that runs, as it began.
pub(crate) fn home() -> Option<&'static Thread> {
    // SAFETY: as in `watched`.
    unsafe { HOME.get().as_ref() }
}

/// The thread that runs, or the fiber that it is now.
pub(crate) fn running() -> Option<&'static Thread> {
    known()
}

/// The thread that runs is over: what joins it may have its clocks. None if it was not known.
pub(crate) fn detach() -> Option<Finished> {
    // It may end in a fiber, which others may go on with.
    let thread = HOME.replace(null());
    current::set(null());
    heeded::set(null());
    if thread.is_null() {
        return None;
    }
    // SAFETY: the pointer came from `attach` and is nowhere else any more.
    let thread = unsafe { Box::from_raw(thread.cast_mut()) };
    Some(thread.give_back())
}

#[cfg(test)]
mod tests {
    use super::{attach_main, calls, current_tid, detach, enter, watched, with_current};

    /// What a signal handler does in the middle of the runtime's work. Under Miri this shows that
    /// no reference is invalidated.
    fn handle_signal() {
        let thread = watched().expect("the thread is watched");
        assert!(thread.is_busy() && enter().is_none() && with_current(|_| ()).is_none());
        calls().expect("the thread is known").enter(1, 1000);
        thread.does_something();
        assert_eq!((thread.tick(), thread.stamp()), (thread.tick(), thread.stamp()));
        calls().expect("the thread is known").leave();
    }

    #[test]
    fn handlers_look_at_threads_that_the_runtime_works_for() {
        std::thread::spawn(|| {
            assert!(watched().is_none() && enter().is_none());
            attach_main();
            assert_eq!(current_tid(), 1);
            let before = watched().expect("the thread is watched");
            let mut thread = enter().expect("nobody is at work");
            let clocks = thread.clocks_mut();
            handle_signal();
            let child = clocks.spawn(7, Default::default());
            handle_signal();
            clocks.join(&child);
            let epoch = clocks.epoch();
            let child = thread.create();
            handle_signal();
            thread.renew();
            assert!(thread.clocks().epoch() > epoch && before.tick() == thread.tick());
            thread.ignore();
            assert!(watched().is_none());
            thread.heed();
            drop(thread);
            super::Thread::cancel(child);
            // What comes between the work of the runtime may work itself.
            assert!(!before.is_busy());
            assert!(with_current(|thread| thread.clocks().epoch()).is_some());
            assert!(detach().is_some() && detach().is_none());
        })
        .join()
        .expect("no assertion fails");
    }
}
