//! libgomp: the entry points that gcc's code calls. See [`openmp`](crate::openmp).
//!
//! A region, or a task, is a function and its argument. What the library gets is a function of ours
//! and an argument of ours with both.
//!
//! The library's threads wait for one another by system calls that are not seen. Under a controlled
//! schedule a thread is therefore outside of it whenever it is in the library. So runs of programs
//! with OpenMP cannot be repeated exactly.

use std::cell::Cell;
use std::ffi::{c_int, c_long, c_uint, c_ulong, c_void};
use std::ptr::copy_nonoverlapping;
use std::sync::Arc;

use super::annotations::renewed;
use super::{Object, acquire, real, release};
use crate::openmp::{self, Task, Team};
use crate::schedule;

pub(super) type Body = unsafe extern "C" fn(*mut c_void);
pub(super) type Copier = unsafe extern "C" fn(*mut c_void, *mut c_void);

thread_local! {
    /// Is the calling thread making a team? Then threads that it creates are the library's.
    static FORKING: Cell<bool> = const { Cell::new(false) };
}

/// Do threads that the calling one creates begin in the library?
pub(super) fn is_forking() -> bool {
    FORKING.get()
}

/// The calling thread begins to make a team, or has done so.
pub(super) fn forks(begins: bool) {
    FORKING.set(begins);
}

/// Does what may wait for other threads of the library.
fn outside<T>(work: impl FnOnce() -> T) -> T {
    schedule::step_out();
    let result = work();
    schedule::step_in();
    result
}

/// A region as the library sees it.
struct Region {
    body: Body,
    data: *mut c_void,
    team: Arc<Team>,
}

unsafe extern "C" fn run_region(region: *mut c_void) {
    // SAFETY: who has begun the region passes it, and waits for its end.
    let Region { body, data, team } = unsafe { &*region.cast::<Region>() };
    let forking = FORKING.replace(false);
    schedule::step_in();
    team.join();
    // SAFETY: the program passes the function to be called with this argument.
    unsafe { body(*data) };
    openmp::leave();
    schedule::step_out();
    FORKING.set(forking);
}

/// A region, which `begin` gives to the library as a function and an argument.
fn region<T>(body: Body, data: *mut c_void, begin: impl FnOnce(Body, *mut c_void) -> T) -> T {
    let mut region = Region { body, data, team: Team::new() };
    let forking = FORKING.replace(true);
    let result = begin(run_region, (&raw mut region).cast());
    schedule::step_in();
    FORKING.set(forking);
    region.team.over();
    result
}

fn barrier<T>(wait: impl FnOnce() -> T) -> T {
    openmp::arrive();
    let result = outside(wait);
    openmp::depart();
    result
}

/// What stands before the argument of a task.
#[repr(C)]
struct Head {
    /// Where the library puts the bounds of a part of a loop.
    bounds: [c_ulong; 2],
    body: Body,
    /// Of whoever creates the task: how to copy the argument, from where, and how much.
    copier: Option<Copier>,
    data: *mut c_void,
    bytes: usize,
    /// The bytes from here to the argument.
    room: usize,
    /// Is it a part of a loop?
    is_loop: bool,
    dependences: *const *const c_void,
    /// Of the task: what is known of it.
    task: *const Task,
}

/// Copies the argument of a task, and creates it.
unsafe extern "C" fn copy_task(to: *mut c_void, from: *mut c_void) {
    // SAFETY: `task` below passes the head, and asks for room for it and for the argument.
    unsafe {
        let head = from.cast::<Head>();
        copy_nonoverlapping(head, to.cast(), 1);
        let Head { copier, data, bytes, room, dependences, .. } = *head;
        match copier {
            Some(copier) => copier(to.byte_add(room), data),
            None => copy_nonoverlapping(data.cast::<u8>(), to.byte_add(room).cast(), bytes),
        }
        let task = Task::new();
        depends(&task, dependences);
        (*to.cast::<Head>()).task = Arc::into_raw(task);
    }
}

/// What a task depends on, as compilers list it.
unsafe fn depends(task: &Task, list: *const *const c_void) {
    if list.is_null() {
        return;
    }
    // SAFETY: the list has as many entries as it says, in either form.
    unsafe {
        let entry = |at: usize| *list.add(at) as usize;
        let (all, writers, first) = match entry(0) {
            // How many write, how many exclude one another, how many read; others refer to objects
            // that say it.
            0 => (entry(2) + entry(3) + entry(4), entry(2) + entry(3), 5),
            all => (all, entry(1), 2),
        };
        (0..all).for_each(|at| task.depends(entry(first + at), at < writers));
    }
}

unsafe extern "C" fn run_task(argument: *mut c_void) {
    // SAFETY: `copy_task` has made it.
    unsafe {
        let Head { bounds, body, room, is_loop, task, .. } = *argument.cast::<Head>();
        let task = Arc::from_raw(task);
        let own = argument.byte_add(room);
        if is_loop {
            *own.cast() = bounds;
        }
        schedule::step_in();
        let before = task.run();
        body(own);
        task.end();
        openmp::resume(before);
        schedule::step_out();
    }
}

/// A task, or a loop of tasks, which `create` gives to the library: a function, an argument, how to
/// copy it, its size and alignment.
fn task(
    (body, data, copier): (Body, *mut c_void, Option<Copier>),
    (bytes, align): (c_long, c_long),
    (is_loop, dependences): (bool, *const *const c_void),
    create: impl FnOnce(Body, *mut c_void, Copier, c_long, c_long),
) {
    let (bytes, align) = (bytes.max(0) as usize, (align.max(0) as usize).max(align_of::<Head>()));
    let room = size_of::<Head>().next_multiple_of(align);
    let task = std::ptr::null();
    let mut head = Head { bounds: [0; 2], body, copier, data, bytes, room, is_loop, dependences, task };
    outside(|| create(run_task, (&raw mut head).cast(), copy_task, (room + bytes) as c_long, align as c_long));
}

/// A flag of a task: it depends on something.
const DEPENDS: c_uint = 8;

/// Locks without a name.
static CRITICAL: u64 = 0;
static ATOMIC: u64 = 0;

fn of(lock: &'static u64) -> Object {
    (&raw const *lock).cast_mut().cast()
}

fn enters(lock: Object, wait: impl FnOnce()) {
    outside(wait);
    acquire(lock);
}

fn leaves(lock: Object, go: impl FnOnce()) {
    release(lock);
    go();
}

intercept! {
    fn GOMP_parallel(body: Body, data: *mut c_void, threads: c_uint, flags: c_uint) {
        region(body, data, |body, data| real::GOMP_parallel(body, data, threads, flags));
    }

    fn GOMP_parallel_reductions(body: Body, data: *mut c_void, threads: c_uint, flags: c_uint) -> c_uint {
        region(body, data, |body, data| real::GOMP_parallel_reductions(body, data, threads, flags))
    }

    fn GOMP_parallel_sections(body: Body, data: *mut c_void, threads: c_uint, count: c_uint, flags: c_uint) {
        region(body, data, |body, data| real::GOMP_parallel_sections(body, data, threads, count, flags));
    }

    fn GOMP_parallel_loop_static(body: Body, data: *mut c_void, threads: c_uint, start: c_long, end: c_long, step: c_long, chunk: c_long, flags: c_uint) {
        region(body, data, |body, data| real::GOMP_parallel_loop_static(body, data, threads, start, end, step, chunk, flags));
    }

    fn GOMP_parallel_loop_dynamic(body: Body, data: *mut c_void, threads: c_uint, start: c_long, end: c_long, step: c_long, chunk: c_long, flags: c_uint) {
        region(body, data, |body, data| real::GOMP_parallel_loop_dynamic(body, data, threads, start, end, step, chunk, flags));
    }

    fn GOMP_parallel_loop_guided(body: Body, data: *mut c_void, threads: c_uint, start: c_long, end: c_long, step: c_long, chunk: c_long, flags: c_uint) {
        region(body, data, |body, data| real::GOMP_parallel_loop_guided(body, data, threads, start, end, step, chunk, flags));
    }

    fn GOMP_parallel_loop_nonmonotonic_dynamic(body: Body, data: *mut c_void, threads: c_uint, start: c_long, end: c_long, step: c_long, chunk: c_long, flags: c_uint) {
        region(body, data, |body, data| real::GOMP_parallel_loop_nonmonotonic_dynamic(body, data, threads, start, end, step, chunk, flags));
    }

    fn GOMP_parallel_loop_nonmonotonic_guided(body: Body, data: *mut c_void, threads: c_uint, start: c_long, end: c_long, step: c_long, chunk: c_long, flags: c_uint) {
        region(body, data, |body, data| real::GOMP_parallel_loop_nonmonotonic_guided(body, data, threads, start, end, step, chunk, flags));
    }

    fn GOMP_parallel_loop_runtime(body: Body, data: *mut c_void, threads: c_uint, start: c_long, end: c_long, step: c_long, flags: c_uint) {
        region(body, data, |body, data| real::GOMP_parallel_loop_runtime(body, data, threads, start, end, step, flags));
    }

    fn GOMP_parallel_loop_nonmonotonic_runtime(body: Body, data: *mut c_void, threads: c_uint, start: c_long, end: c_long, step: c_long, flags: c_uint) {
        region(body, data, |body, data| real::GOMP_parallel_loop_nonmonotonic_runtime(body, data, threads, start, end, step, flags));
    }

    fn GOMP_parallel_loop_maybe_nonmonotonic_runtime(body: Body, data: *mut c_void, threads: c_uint, start: c_long, end: c_long, step: c_long, flags: c_uint) {
        region(body, data, |body, data| real::GOMP_parallel_loop_maybe_nonmonotonic_runtime(body, data, threads, start, end, step, flags));
    }

    fn GOMP_barrier() {
        barrier(|| real::GOMP_barrier());
    }

    fn GOMP_barrier_cancel() -> bool {
        barrier(|| real::GOMP_barrier_cancel())
    }

    fn GOMP_loop_end() {
        barrier(|| real::GOMP_loop_end());
    }

    fn GOMP_loop_end_cancel() -> bool {
        barrier(|| real::GOMP_loop_end_cancel())
    }

    fn GOMP_sections_end() {
        barrier(|| real::GOMP_sections_end());
    }

    fn GOMP_sections_end_cancel() -> bool {
        barrier(|| real::GOMP_sections_end_cancel())
    }

    fn GOMP_workshare_task_reduction_unregister(cancelled: bool) {
        barrier(|| real::GOMP_workshare_task_reduction_unregister(cancelled));
    }

    /// A barrier for all but the first, for whom there is one in the next function.
    fn GOMP_single_copy_start() -> *mut c_void {
        openmp::arrive();
        let copied = outside(|| real::GOMP_single_copy_start());
        if !copied.is_null() {
            openmp::depart();
        }
        copied
    }

    fn GOMP_single_copy_end(data: *mut c_void) {
        barrier(|| real::GOMP_single_copy_end(data));
    }

    fn GOMP_critical_start() {
        enters(of(&CRITICAL), || real::GOMP_critical_start());
    }

    fn GOMP_critical_end() {
        leaves(of(&CRITICAL), || real::GOMP_critical_end());
    }

    fn GOMP_critical_name_start(name: Object) {
        enters(name, || real::GOMP_critical_name_start(name));
    }

    fn GOMP_critical_name_end(name: Object) {
        leaves(name, || real::GOMP_critical_name_end(name));
    }

    fn GOMP_atomic_start() {
        enters(of(&ATOMIC), || real::GOMP_atomic_start());
    }

    fn GOMP_atomic_end() {
        leaves(of(&ATOMIC), || real::GOMP_atomic_end());
    }

    fn GOMP_ordered_start() {
        outside(|| real::GOMP_ordered_start());
        openmp::ordered(true);
    }

    fn GOMP_ordered_end() {
        openmp::ordered(false);
        real::GOMP_ordered_end();
    }

    fn GOMP_task(body: Body, data: *mut c_void, copier: Option<Copier>, bytes: c_long, align: c_long, now: bool, flags: c_uint, dependences: *const *const c_void, priority: c_int, detach: *mut c_void) {
        let listed = if flags & DEPENDS != 0 { dependences } else { std::ptr::null() };
        task((body, data, copier), (bytes, align), (false, listed), |body, data, copier, bytes, align| {
            real::GOMP_task(body, data, Some(copier), bytes, align, now, flags, dependences, priority, detach);
        });
    }

    fn GOMP_taskloop(body: Body, data: *mut c_void, copier: Option<Copier>, bytes: c_long, align: c_long, flags: c_uint, tasks: c_ulong, priority: c_int, start: c_long, end: c_long, step: c_long) {
        openmp::open_group();
        task((body, data, copier), (bytes, align), (true, std::ptr::null()), |body, data, copier, bytes, align| {
            real::GOMP_taskloop(body, data, Some(copier), bytes, align, flags, tasks, priority, start, end, step);
        });
        openmp::close_group();
    }

    fn GOMP_taskloop_ull(body: Body, data: *mut c_void, copier: Option<Copier>, bytes: c_long, align: c_long, flags: c_uint, tasks: c_ulong, priority: c_int, start: u64, end: u64, step: u64) {
        openmp::open_group();
        task((body, data, copier), (bytes, align), (true, std::ptr::null()), |body, data, copier, bytes, align| {
            real::GOMP_taskloop_ull(body, data, Some(copier), bytes, align, flags, tasks, priority, start, end, step);
        });
        openmp::close_group();
    }

    fn GOMP_taskwait() {
        outside(|| real::GOMP_taskwait());
        openmp::waited();
    }

    fn GOMP_taskwait_depend(dependences: *const *const c_void) {
        outside(|| real::GOMP_taskwait_depend(dependences));
        // As a task that does nothing.
        let wait = Task::new();
        depends(&wait, dependences);
        openmp::resume(wait.run());
    }

    fn GOMP_taskyield() {
        outside(|| real::GOMP_taskyield());
    }

    fn GOMP_taskgroup_start() {
        openmp::open_group();
        real::GOMP_taskgroup_start();
    }

    fn GOMP_taskgroup_end() {
        outside(|| real::GOMP_taskgroup_end());
        openmp::close_group();
    }
}

/// Locks of the program: those that their owner can take once, and those that it can take again.
/// Every time counts: what is in between orders no more than the first and the last.
macro_rules! locks {
    ($init:ident, $set:ident, $test:ident, $unset:ident) => {
        intercept! {
            fn $init(lock: Object) {
                real::$init(lock);
                renewed(lock);
            }

            fn $set(lock: Object) {
                enters(lock, || real::$set(lock));
            }

            /// Not 0 if it is taken.
            fn $test(lock: Object) -> c_int {
                let taken = real::$test(lock);
                if taken != 0 {
                    acquire(lock);
                }
                taken
            }

            fn $unset(lock: Object) {
                leaves(lock, || real::$unset(lock));
            }
        }
    };
}

locks!(omp_init_lock, omp_set_lock, omp_test_lock, omp_unset_lock);
locks!(omp_init_nest_lock, omp_set_nest_lock, omp_test_nest_lock, omp_unset_nest_lock);
