//! Threads, of POSIX and of C11: creation, end, joining.
//!
//! A thread is described and known before it exists. Its handle is added by itself or by its
//! creator, whoever comes first. Its end is noticed by a thread-specific key, in the last round of
//! destructors, so that destructors of the program are still watched.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null;
use std::sync::atomic::{AtomicU32, Ordering};

use fencepost_protocol::exploration::{Kind, Step};
use libc::{clockid_t, pthread_attr_t, pthread_t, timespec};

use super::{Errno, futex, gomp, real, stacks, timeout_at, watch};
use crate::explore;
use crate::local;
use crate::lock::Guarded;
use crate::report;
use crate::schedule::{self, Key, Outcome, Timeout};
use crate::thread::{self, Finished, Thread, Tid};

/// Rounds of destructors of thread-specific values, as POSIX has them.
const ROUNDS: usize = 4;

/// A thread that can still be joined, or runs.
struct Known {
    /// None while it is being created.
    handle: Option<pthread_t>,
    tid: Tid,
    detached: bool,
    finished: Option<Finished>,
}

// SAFETY: clocks of a thread that is over are handed on, not shared.
unsafe impl Send for Known {}

static THREADS: Guarded<Vec<Known>> = Guarded::new(Vec::new());
/// The key whose destructor notices the end of a thread, plus one.
static KEY: AtomicU32 = AtomicU32::new(0);

/// What a new thread needs. It belongs to the thread once that runs.
struct Launch {
    child: Box<Thread>,
    tid: Tid,
    /// The function to call: of POSIX or of C11.
    start: usize,
    argument: *mut c_void,
    /// The size of its stack.
    stack: usize,
    /// Does it begin in a library whose waits are not seen?
    outside: bool,
    /// Where its creator waits for it, if it does: under a controlled schedule.
    ready: *const AtomicU32,
}

/// The main thread becomes known.
pub(super) fn start() {
    let mut key = 0;
    // SAFETY: makes a key with a destructor that lives as long as the process.
    if unsafe { libc::pthread_key_create(&raw mut key, Some(leaving)) } == 0 {
        KEY.store(key + 1, Ordering::Release);
    }
    thread::with_current(|thread| {
        THREADS.lock().push(Known { handle: None, tid: thread.tid, detached: false, finished: None });
        appear(thread.tid, None);
    });
}

/// In the child of a `fork`: the other threads do not exist, and their handles will be those of new
/// ones.
pub(super) fn forked() {
    let tid = thread::current_tid();
    THREADS.lock().retain(|known| known.tid == tid);
}

/// The calling thread, for which the runtime is at work, is this one.
fn appear(tid: Tid, stack: Option<usize>) {
    stacks::begin(tid, stack);
    // SAFETY: asks for the caller's own handle.
    let handle = unsafe { libc::pthread_self() };
    if let Some(known) = THREADS.lock().iter_mut().rev().find(|known| known.tid == tid) {
        known.handle = Some(handle);
    }
    if let Some(key) = KEY.load(Ordering::Acquire).checked_sub(1) {
        // SAFETY: the key exists.
        unsafe { libc::pthread_setspecific(key, ROUNDS as *const c_void) };
    }
}

/// The destructor of the key: the calling thread is about to end.
unsafe extern "C" fn leaving(rounds: *mut c_void) {
    let left = rounds as usize - 1;
    if left > 0 {
        if let Some(key) = KEY.load(Ordering::Acquire).checked_sub(1) {
            // SAFETY: the key exists.
            unsafe { libc::pthread_setspecific(key, left as *const c_void) };
        }
        return;
    }
    if let Some(home) = thread::home() {
        thread::switch(home, false);
    }
    let tid = thread::current_tid();
    thread::with_current(|_| stacks::end(tid));
    if let Some(finished) = thread::detach() {
        let mut threads = THREADS.lock();
        if let Some(at) = threads.iter().position(|known| known.tid == tid) {
            if threads[at].detached {
                threads.swap_remove(at);
            } else {
                threads[at].finished = Some(finished);
            }
        }
    }
    schedule::finished();
}

/// Creates a thread with `spawn`, which starts it with a pointer and leaves its handle in `out`.
///
/// # Safety
/// `out` must be valid.
unsafe fn create(
    out: *const pthread_t,
    (start, argument): (usize, *mut c_void),
    (stack, detached): (usize, bool),
    pc: usize,
    spawn: impl FnOnce(*mut c_void) -> c_int,
) -> Option<c_int> {
    // The program may have no atomic access, and race all the same.
    explore::called();
    // Threads are numbered in the order of their creation.
    if explore::is_decided() {
        schedule::about(Kind::Spawn, 0);
    }
    let mut parent = thread::enter()?;
    let errno = Errno::save();
    let child = parent.create();
    let tid = child.tid;
    report::thread_created(&parent, tid, pc);
    schedule::created(tid);
    THREADS.lock().push(Known { handle: None, tid, detached, finished: None });
    let ready = AtomicU32::new(0);
    let waits = schedule::is_controlled();
    let at = if waits { &raw const ready } else { null() };
    let launch =
        Box::into_raw(Box::new(Launch { child, tid, start, argument, stack, outside: gomp::is_forking(), ready: at }));
    drop(errno);
    drop(parent);
    let result = spawn(launch.cast());
    if result != 0 {
        schedule::cancelled(tid);
        watch(|_| {
            THREADS.lock().retain(|known| known.tid != tid);
            // SAFETY: there is no thread that it could belong to.
            let Launch { child, .. } = *unsafe { Box::from_raw(launch) };
            Thread::cancel(child);
        });
        return Some(result);
    }
    while waits && ready.load(Ordering::Acquire) == 0 {
        futex::wait(&ready, 0);
    }
    watch(|_| {
        let mut threads = THREADS.lock();
        if let Some(known) = threads.iter_mut().rev().find(|known| known.tid == tid && known.handle.is_none()) {
            // SAFETY: the caller's promise. The thread has not done anything yet, so this is its
            // handle.
            known.handle = Some(unsafe { out.read() });
        }
    });
    schedule::exists(tid);
    schedule::point();
    Some(result)
}

/// The new thread begins; returns what it has to do.
unsafe fn begin(launch: *mut c_void) -> (usize, *mut c_void) {
    // SAFETY: the creator made it for this thread.
    let Launch { child, tid, start, argument, stack, outside, ready } =
        *unsafe { Box::from_raw(launch.cast::<Launch>()) };
    thread::attach(child);
    thread::with_current(|_| appear(tid, Some(stack)));
    // SAFETY: the creator waits until it is set.
    if let Some(ready) = unsafe { ready.as_ref() } {
        ready.store(1, Ordering::Release);
        futex::wake_all(ready);
    }
    schedule::begin(tid, outside);
    (start, argument)
}

unsafe extern "C" fn begin_posix(launch: *mut c_void) -> *mut c_void {
    // SAFETY: the creator passed a function of this type.
    unsafe {
        let (start, argument) = begin(launch);
        local::begin(&raw const argument as usize);
        let start: unsafe extern "C" fn(*mut c_void) -> *mut c_void = std::mem::transmute(start);
        start(argument)
    }
}

unsafe extern "C" fn begin_c11(launch: *mut c_void) -> c_int {
    // SAFETY: the creator passed a function of this type.
    unsafe {
        let (start, argument) = begin(launch);
        local::begin(&raw const argument as usize);
        let start: unsafe extern "C" fn(*mut c_void) -> c_int = std::mem::transmute(start);
        start(argument)
    }
}

unsafe extern "C" {
    fn pthread_attr_getdetachstate(attributes: *const pthread_attr_t, state: *mut c_int) -> c_int;
}

unsafe extern "C" fn pthread_create_at(
    out: *mut pthread_t,
    attributes: *const pthread_attr_t,
    start: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
    argument: *mut c_void,
    pc: usize,
) -> c_int {
    if explore::begins_with_test() {
        return libc::EAGAIN;
    }
    // SAFETY: the caller keeps the contract of `pthread_create`.
    unsafe {
        let mut state = libc::PTHREAD_CREATE_JOINABLE;
        if !attributes.is_null() {
            pthread_attr_getdetachstate(attributes, &raw mut state);
        }
        let spawn = |launch| real::pthread_create(out, attributes, begin_posix, launch);
        let detached = state == libc::PTHREAD_CREATE_DETACHED;
        match create(out, (start as usize, argument), (stacks::size(attributes), detached), pc, spawn) {
            Some(result) => result,
            None => real::pthread_create(out, attributes, start, argument),
        }
    }
}

unsafe extern "C" fn thrd_create_at(
    out: *mut pthread_t,
    start: unsafe extern "C" fn(*mut c_void) -> c_int,
    argument: *mut c_void,
    pc: usize,
) -> c_int {
    // SAFETY: the caller keeps the contract of `thrd_create`.
    unsafe {
        let spawn = |launch| real::thrd_create(out, begin_c11, launch);
        match create(out, (start as usize, argument), (stacks::size(null()), false), pc, spawn) {
            Some(result) => result,
            None => real::thrd_create(out, start, argument),
        }
    }
}

intercept_at! {
    fn pthread_create => pthread_create_at in "r8";
    fn thrd_create => thrd_create_at in "rcx";
}

/// The thread with this handle that was not detached.
fn joinable(handle: pthread_t) -> Option<Tid> {
    THREADS.lock().iter().find(|known| known.handle == Some(handle) && !known.detached).map(|known| known.tid)
}

fn is_over(tid: Tid) -> bool {
    THREADS.lock().iter().all(|known| known.tid != tid || known.finished.is_some())
}

/// Joins with `wait`; under a controlled schedule, once the thread is over.
fn join(handle: pthread_t, timeout: Option<Timeout>, wait: impl FnOnce() -> c_int) -> c_int {
    let tid = joinable(handle);
    if let Some(tid) = tid
        && tid != thread::current_tid()
        && schedule::controls()
    {
        let attempt = || {
            test_cancel();
            is_over(tid).then_some(())
        };
        if let Err(Outcome::TimedOut) =
            schedule::retry(Step::new(Kind::Join, u64::from(tid)), Key::Thread(tid), timeout, attempt)
        {
            return libc::ETIMEDOUT;
        }
    }
    let result = wait();
    if let (0, Some(tid)) = (result, tid) {
        joined(tid);
    }
    result
}

fn joined(tid: Tid) {
    watch(|thread| {
        let mut threads = THREADS.lock();
        let known = threads.iter().position(|known| known.tid == tid).map(|at| threads.swap_remove(at));
        drop(threads);
        if let Some(finished) = known.and_then(|known| known.finished) {
            thread.join(&finished);
        }
    });
}

unsafe fn join_until(
    handle: pthread_t,
    (clock, time): (clockid_t, *const timespec),
    wait: impl FnOnce() -> c_int,
) -> c_int {
    // SAFETY: the caller passes a time, or null: then there is no limit.
    let timeout = unsafe { timeout_at(clock, time) };
    join(handle, timeout, wait)
}

fn detach(handle: pthread_t) {
    let mut threads = THREADS.lock();
    let Some(at) = threads.iter().position(|known| known.handle == Some(handle) && !known.detached) else { return };
    if threads[at].finished.is_some() {
        threads.swap_remove(at);
    } else {
        threads[at].detached = true;
    }
}

/// Ends the calling thread if it was cancelled: waits that we model are places where that happens.
pub(super) fn test_cancel() {
    unsafe extern "C" {
        fn pthread_testcancel();
    }
    // SAFETY: ends the thread, or does nothing.
    unsafe { pthread_testcancel() };
}

intercept! {
    fn pthread_join(handle: pthread_t, result: *mut *mut c_void) -> c_int {
        join(handle, None, || real::pthread_join(handle, result))
    }

    fn pthread_tryjoin_np(handle: pthread_t, result: *mut *mut c_void) -> c_int {
        schedule::point();
        explore::remark("pthread_tryjoin_np");
        let tid = joinable(handle);
        let over = tid.is_some_and(is_over) && schedule::controls();
        let joining = if over { real::pthread_join(handle, result) } else { real::pthread_tryjoin_np(handle, result) };
        if let (0, Some(tid)) = (joining, tid) {
            joined(tid);
        }
        joining
    }

    fn pthread_timedjoin_np(handle: pthread_t, result: *mut *mut c_void, time: *const timespec) -> c_int {
        let wait = || real::pthread_timedjoin_np(handle, result, time);
        join_until(handle, (libc::CLOCK_REALTIME, time), wait)
    }

    fn pthread_clockjoin_np(handle: pthread_t, result: *mut *mut c_void, clock: clockid_t, time: *const timespec) -> c_int {
        let wait = || real::pthread_clockjoin_np(handle, result, clock, time);
        join_until(handle, (clock, time), wait)
    }

    fn thrd_join(handle: pthread_t, result: *mut c_int) -> c_int {
        join(handle, None, || real::thrd_join(handle, result))
    }

    fn pthread_detach(handle: pthread_t) -> c_int {
        watch(|_| detach(handle));
        real::pthread_detach(handle)
    }

    fn thrd_detach(handle: pthread_t) -> c_int {
        watch(|_| detach(handle));
        real::thrd_detach(handle)
    }

    fn pthread_cancel(handle: pthread_t) -> c_int {
        schedule::point();
        explore::remark("pthread_cancel");
        let result = real::pthread_cancel(handle);
        let tid = THREADS.lock().iter().find(|known| known.handle == Some(handle)).map(|known| known.tid);
        tid.into_iter().for_each(schedule::rouse);
        result
    }

    fn pthread_setname_np(handle: pthread_t, name: *const c_char) -> c_int {
        let result = real::pthread_setname_np(handle, name);
        if result == 0 {
            watch(|_| {
                let tid = THREADS.lock().iter().find(|known| known.handle == Some(handle)).map(|known| known.tid);
                if let Some(tid) = tid {
                    report::thread_named(tid, &CStr::from_ptr(name).to_string_lossy());
                }
            });
        }
        result
    }
}
