//! libomp: it tells tools what its threads do (the OMPT interface of OpenMP 5), and asks the program
//! for one. See [`openmp`](crate::openmp).
//!
//! Its threads wait busily at first, and then asleep. Under a controlled schedule a thread is
//! outside of it while it waits in the library, unless it runs a task meanwhile.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::ptr::null;
use std::sync::Arc;

use super::{Object, acquire, destroyed, gomp, real, release};
use crate::openmp::{self, Task, Team};
use crate::schedule;
use crate::thread;

/// A word of ours at something of the library's.
type Data = *const Cell<*const c_void>;
type Callback = unsafe extern "C" fn();
type SetCallback = unsafe extern "C" fn(c_int, Callback) -> c_int;
type Lookup = unsafe extern "C" fn(*const c_char) -> Option<Callback>;

const BEGINS: c_int = 1;
const ENDS: c_int = 2;

/// A task is the one of a program, or of a region in a thread.
const NOT_EXPLICIT: c_int = 0b11;
/// What became of the task that ran before: it has ended, or was cancelled.
const OVER: [c_int; 2] = [1, 3];

thread_local! {
    /// Waits that the calling thread is in.
    static WAITS: Cell<u32> = const { Cell::new(0) };
}

/// Of what a thread waits for: its tasks, those of a group, the reduction of a region. The others
/// are barriers.
const TASKWAIT: c_int = 5;
const TASKGROUP: c_int = 6;
const REDUCTION: c_int = 7;

/// Something that a task depends on.
#[repr(C)]
struct Dependence {
    variable: *const c_void,
    kind: c_int,
}

/// It is only read.
const READS: c_int = 1;

/// What a tool gives to the library.
#[repr(C)]
struct Tool {
    initialize: unsafe extern "C" fn(Lookup, c_int, Data) -> c_int,
    finalize: extern "C" fn(Data),
    data: *const c_void,
}

// SAFETY: functions, and a null pointer.
unsafe impl Sync for Tool {}

static TOOL: Tool = Tool { initialize, finalize, data: null() };

extern "C" fn finalize(_data: Data) {}

/// A word of ours; null at nothing, and where we have left none.
unsafe fn word(data: Data) -> *const c_void {
    // SAFETY: the caller passes what the library has passed.
    unsafe { data.as_ref() }.map_or(null(), Cell::get)
}

unsafe fn set_word(data: Data, value: *const c_void) {
    // SAFETY: as above.
    if let Some(data) = unsafe { data.as_ref() } {
        data.set(value);
    }
}

unsafe extern "C" fn parallel_begin(_: Data, _: *const c_void, region: Data, _: c_uint, _: c_int, _: *const c_void) {
    gomp::forks(true);
    // SAFETY: the library passes a word for the region.
    unsafe { set_word(region, Arc::into_raw(Team::new()).cast()) };
}

unsafe extern "C" fn parallel_end(region: Data, _: Data, _: c_int, _: *const c_void) {
    // SAFETY: `parallel_begin` has left this there.
    unsafe {
        let team = word(region).cast::<Team>();
        if !team.is_null() {
            Arc::from_raw(team).over();
            set_word(region, null());
        }
    }
}

unsafe extern "C" fn implicit_task(endpoint: c_int, region: Data, _: Data, _: c_uint, _: c_uint, flags: c_int) {
    match endpoint {
        BEGINS => {
            gomp::forks(false);
            schedule::step_in();
            // SAFETY: as above; the region lasts until all have begun it.
            let team = unsafe { word(region).cast::<Team>() };
            if !team.is_null() {
                // SAFETY: as above.
                let team = unsafe {
                    Arc::increment_strong_count(team);
                    Arc::from_raw(team)
                };
                team.join();
            }
        }
        // The first task of the program is in no region.
        ENDS if flags & 1 == 0 => openmp::leave(),
        _ => {}
    }
}

unsafe extern "C" fn sync_region(kind: c_int, endpoint: c_int, _: Data, _: Data, _: *const c_void) {
    match (kind, endpoint) {
        (TASKWAIT, ENDS) => openmp::waited(),
        (TASKGROUP, BEGINS) => openmp::open_group(),
        (TASKGROUP, ENDS) => openmp::close_group(),
        (TASKWAIT | TASKGROUP | REDUCTION, _) => {}
        (_, BEGINS) => openmp::arrive(),
        (_, ENDS) => openmp::depart(),
        _ => {}
    }
}

unsafe extern "C" fn sync_region_wait(_: c_int, endpoint: c_int, _: Data, _: Data, _: *const c_void) {
    if endpoint == BEGINS {
        WAITS.set(WAITS.get() + 1);
        schedule::step_out();
    } else {
        WAITS.set(WAITS.get().saturating_sub(1));
        schedule::step_in();
    }
}

/// The library combines what threads have computed, in the program's code: it orders that by itself.
unsafe extern "C" fn reduction(_: c_int, endpoint: c_int, _: Data, _: Data, _: *const c_void) {
    thread::with_current(|thread| {
        thread.ignore_plain(endpoint == BEGINS);
    });
}

unsafe extern "C" fn mutex_acquire(_: c_int, _: c_uint, _: c_uint, _: Object, _: *const c_void) {
    schedule::step_out();
}

unsafe extern "C" fn mutex_acquired(_: c_int, lock: Object, _: *const c_void) {
    schedule::step_in();
    acquire(lock);
}

unsafe extern "C" fn mutex_released(_: c_int, lock: Object, _: *const c_void) {
    release(lock);
}

unsafe extern "C" fn task_create(_: Data, _: *const c_void, new: Data, flags: c_int, _: c_int, _: *const c_void) {
    if flags & NOT_EXPLICIT == 0 {
        // SAFETY: the library passes a word for the task.
        unsafe { set_word(new, Arc::into_raw(Task::new()).cast()) };
    }
}

unsafe extern "C" fn dependences(task: Data, list: *const Dependence, count: c_int) {
    // SAFETY: the library passes the word of a task, and a list of this length.
    unsafe {
        if let Some(task) = word(task).cast::<Task>().as_ref() {
            for at in 0..usize::try_from(count).unwrap_or(0) {
                let Dependence { variable, kind } = &*list.add(at);
                task.depends(*variable as usize, *kind != READS);
            }
        }
    }
}

unsafe extern "C" fn task_schedule(prior: Data, status: c_int, next: Data) {
    let is_over = OVER.contains(&status);
    // SAFETY: the library passes words of tasks, in which `task_create` has left these.
    unsafe {
        let ended = word(prior).cast::<Task>();
        if is_over && !ended.is_null() {
            let ended = Arc::from_raw(ended);
            set_word(prior, null());
            ended.end();
        }
        if !is_over {
            schedule::step_in();
        }
        match word(next).cast::<Task>().as_ref() {
            Some(next) => {
                next.run();
            }
            None => openmp::resume(null()),
        }
        // The one that goes on may be in the middle of a wait.
        if is_over && WAITS.get() > 0 {
            schedule::step_out();
        }
    }
}

unsafe extern "C" fn initialize(lookup: Lookup, _device: c_int, _data: Data) -> c_int {
    // SAFETY: the library passes a function that finds others by name, and the numbers and types of
    // callbacks are those of the specification.
    unsafe {
        let find = |name: &CStr| lookup(name.as_ptr());
        let Some(set_callback) = find(c"ompt_set_callback") else { return 0 };
        let set: SetCallback = transmute(set_callback);
        for (event, callback) in [
            (3, parallel_begin as *const c_void),
            (4, parallel_end as *const c_void),
            (5, task_create as *const c_void),
            (6, task_schedule as *const c_void),
            (7, implicit_task as *const c_void),
            (16, sync_region_wait as *const c_void),
            (17, mutex_released as *const c_void),
            (18, dependences as *const c_void),
            (23, sync_region as *const c_void),
            (26, mutex_acquire as *const c_void),
            (27, mutex_acquired as *const c_void),
            (31, reduction as *const c_void),
        ] {
            set(event, transmute::<*const c_void, Callback>(callback));
        }
    }
    1
}

intercept! {
    /// The library asks whether there is a tool.
    fn ompt_start_tool(_version: c_uint, _runtime: *const c_char) -> *const c_void {
        (&raw const TOOL).cast()
    }

    /// Compiled code gets memory for a task and its variables, which another one may have had.
    fn __kmpc_omp_task_alloc(place: *mut c_void, thread: c_int, flags: c_int, bytes: usize, shared: usize, body: *mut c_void) -> Object {
        let task = real::__kmpc_omp_task_alloc(place, thread, flags, bytes, shared, body);
        destroyed(task, bytes);
        // Its first field says where the variables are that it shares.
        destroyed(task.cast::<Object>().read(), shared);
        task
    }
}
