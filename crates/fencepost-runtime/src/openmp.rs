//! What OpenMP orders: regions that begin and end in several threads, barriers, tasks. Its runtime
//! libraries are not instrumented, and their threads wait for one another by system calls of their
//! own. So what they order is told here, in the terms of the specification, by
//! [`intercept`](crate::intercept): for libgomp by its entry points, for libomp by its interface for
//! tools.
//!
//! | happens before | what |
//! |---|---|
//! | the region in every thread | what its creator did before |
//! | what comes after the region | the region in every thread |
//! | what comes after a barrier, in every thread of the team | what came before it, in every thread, and all tasks that ended by then |
//! | a task | what its creator did before; tasks before it that it depends on |
//! | what comes after `taskwait` | the tasks that the waiting one has created |
//! | what comes after `taskgroup` | the tasks that were created in it, and theirs |
//!
//! Nothing else is ordered: two tasks of one thread are not, although one ran after the other, as
//! far as their creator is concerned.

use std::cell::Cell;
use std::ptr::null;
use std::sync::Arc;

use crate::lock::Guarded;
use crate::shadow;
use crate::thread;

/// Something that orders: its address is that of an object.
#[derive(Default)]
pub(crate) struct Knot(u64);

impl Knot {
    fn addr(&self) -> usize {
        &raw const self.0 as usize
    }

    /// What the calling thread did happens before what follows [`Self::acquire`].
    fn release(&self) {
        if let Some(mut thread) = thread::enter() {
            thread.release_join(self.addr());
        }
    }

    fn acquire(&self) {
        if let Some(mut thread) = thread::enter() {
            thread.acquire(self.addr());
        }
    }
}

impl Drop for Knot {
    fn drop(&mut self) {
        thread::with_current(|_| shadow::forget(self.addr(), size_of::<Knot>()));
    }
}

/// The threads of a region.
#[derive(Default)]
pub(crate) struct Team {
    begins: Knot,
    ends: Knot,
    ordered: Knot,
    /// Of the even rounds and of the odd ones: nobody arrives at the next but one before all have
    /// left this one.
    barriers: [Knot; 2],
}

/// A thread as a member of a team.
struct Member {
    team: Arc<Team>,
    /// Barriers that it has left.
    round: Cell<usize>,
    task: Arc<Task>,
    /// What it was, and did, before.
    outer: (*const Member, *const Task),
}

/// A task.
#[derive(Default)]
pub(crate) struct Task {
    begins: Knot,
    /// Tasks that it has created have ended.
    children: Knot,
    parent: Option<Arc<Task>>,
    /// The groups that it has opened, and in which it was created.
    groups: Guarded<Vec<Arc<Knot>>>,
    /// What it depends on: an address, and whether it writes there.
    dependences: Guarded<Vec<(usize, bool)>>,
}

thread_local! {
    static MEMBER: Cell<*const Member> = const { Cell::new(null()) };
    static TASK: Cell<*const Task> = const { Cell::new(null()) };
}

fn member<'a>() -> Option<&'a Member> {
    // SAFETY: set by this thread to a value that lives until it is taken away again.
    unsafe { MEMBER.get().as_ref() }
}

fn task<'a>() -> Option<&'a Task> {
    // SAFETY: as above.
    unsafe { TASK.get().as_ref() }
}

impl Team {
    /// The calling thread is about to begin a region.
    pub(crate) fn new() -> Arc<Team> {
        let team = Arc::new(Team::default());
        team.begins.release();
        team
    }

    /// The region begins in the calling thread.
    pub(crate) fn join(self: &Arc<Self>) {
        self.begins.acquire();
        let outer = (MEMBER.get(), TASK.get());
        let member = Member { team: self.clone(), round: Cell::new(0), task: Arc::default(), outer };
        let member = Box::into_raw(Box::new(member));
        MEMBER.set(member);
        // SAFETY: it was just made.
        TASK.set(Arc::as_ptr(unsafe { &(*member).task }));
    }

    /// The region is over for who has begun it.
    pub(crate) fn over(&self) {
        self.ends.acquire();
    }
}

/// The region that the calling thread is in ends there.
pub(crate) fn leave() {
    let member = MEMBER.get();
    if member.is_null() {
        return;
    }
    // SAFETY: it came from a box in `join`, and is used nowhere else.
    let member = unsafe { Box::from_raw(member.cast_mut()) };
    MEMBER.set(member.outer.0);
    TASK.set(member.outer.1);
    member.team.ends.release();
}

/// The calling thread arrives at a barrier of its team.
pub(crate) fn arrive() {
    if let Some(member) = member() {
        member.team.barriers[member.round.get() % 2].release();
    }
}

/// It goes on after the barrier.
pub(crate) fn depart() {
    if let Some(member) = member() {
        member.team.barriers[member.round.get() % 2].acquire();
        member.round.set(member.round.get() + 1);
    }
}

/// The `ordered` part of a loop begins, or ends.
pub(crate) fn ordered(begins: bool) {
    if let Some(member) = member() {
        if begins { member.team.ordered.acquire() } else { member.team.ordered.release() }
    }
}

/// Under which address readers of something that tasks depend on are kept.
fn readers(addr: usize) -> usize {
    addr ^ 1 << 46
}

fn with_thread(work: impl FnOnce(&mut thread::Entered)) {
    if let Some(mut thread) = thread::enter() {
        work(&mut thread);
    }
}

impl Task {
    /// The calling thread creates a task.
    pub(crate) fn new() -> Arc<Task> {
        let parent = task().map(|task| {
            // SAFETY: tasks that run are in an `Arc`, which whoever runs them holds.
            unsafe {
                Arc::increment_strong_count(task);
                Arc::from_raw(task)
            }
        });
        let groups = parent.as_ref().map(|parent| parent.groups.lock().last().cloned().into_iter().collect());
        // Knots are known by their addresses.
        let new = Arc::new(Task { parent, groups: Guarded::new(groups.unwrap_or_default()), ..Task::default() });
        new.begins.release();
        new
    }

    /// It depends on what is at this address.
    pub(crate) fn depends(&self, addr: usize, writes: bool) {
        self.dependences.lock().push((addr, writes));
    }

    /// It runs now, or goes on, in the calling thread; returns what ran before.
    pub(crate) fn run(&self) -> *const Task {
        self.begins.acquire();
        for &(addr, writes) in self.dependences.lock().iter() {
            with_thread(|thread| {
                thread.acquire(addr);
                if writes {
                    thread.acquire(readers(addr));
                }
            });
        }
        TASK.replace(self)
    }

    /// It has ended in the calling thread.
    pub(crate) fn end(&self) {
        for &(addr, writes) in self.dependences.lock().iter() {
            with_thread(|thread| thread.release_join(if writes { addr } else { readers(addr) }));
        }
        if let Some(parent) = &self.parent {
            parent.children.release();
        }
        if let Some(group) = self.groups.lock().first() {
            group.release();
        }
        // A thread that waits at a barrier has arrived before it ran this.
        arrive();
    }
}

/// The calling thread goes on with a task that it ran before; null stands for its part of the
/// region.
pub(crate) fn resume(before: *const Task) {
    let own = || member().map_or(null(), |member| Arc::as_ptr(&member.task));
    TASK.set(if before.is_null() { own() } else { before });
}

/// The tasks that the running one has created have ended.
pub(crate) fn waited() {
    if let Some(task) = task() {
        task.children.acquire();
    }
}

/// A group of tasks begins.
pub(crate) fn open_group() {
    if let Some(task) = task() {
        task.groups.lock().push(Arc::default());
    }
}

/// The tasks of the group have ended.
pub(crate) fn close_group() {
    if let Some(group) = task().and_then(|task| task.groups.lock().pop()) {
        group.acquire();
    }
}
