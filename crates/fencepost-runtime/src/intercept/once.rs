//! What is done once: `pthread_once`, `call_once`, and the guards of C++'s static variables.
//!
//! Compilers test the first byte of a guard with an acquire load of their own, which is seen like
//! every other. So the end of the initialisation is told as a release store to that byte. A stale
//! value there only leads to the slow path, which is why reports about guards are left out
//! ([`is_guard`]).

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU32, Ordering};

use fencepost_protocol::exploration::{Class, Kind};

use super::{Object, acquire, real, release, release_join, watch};
use crate::lock::Guarded;
use crate::schedule::{self, ALL, Key};
use crate::thread::{self, Tid};

type Routine = unsafe extern "C" fn();

thread_local! {
    /// What the calling thread is to do once, and for which object.
    static ROUTINE: Cell<(Option<Routine>, usize)> = const { Cell::new((None, 0)) };
}

/// What is being done, and by whom, under a controlled schedule.
static BUSY: Guarded<Vec<(usize, Tid)>> = Guarded::new(Vec::new());

unsafe extern "C" fn run() {
    let (routine, object) = ROUTINE.get();
    if let Some(routine) = routine {
        // SAFETY: the program passed the routine to be called.
        unsafe { routine() };
        release_join(object as Object);
    }
}

unsafe fn once(object: Object, routine: Routine) -> c_int {
    let me = thread::current_tid();
    let controlled = schedule::controls();
    if controlled {
        let free = || {
            let mut busy = BUSY.lock();
            let taken = busy.iter().any(|&(other, by)| other == object as usize && by != me);
            (!taken).then(|| busy.push((object as usize, me)))
        };
        let step = schedule::step_of(Kind::Object, Class::Once, object as usize);
        let _ = schedule::retry(step, Key::Object(object as usize), None, free);
    }
    let outer = ROUTINE.replace((Some(routine), object as usize));
    // SAFETY: the caller passes an object of this kind.
    let result = unsafe { real::pthread_once(object, run) };
    ROUTINE.set(outer);
    if controlled {
        BUSY.lock().retain(|&(other, by)| other != object as usize || by != me);
        schedule::wake(Key::Object(object as usize), ALL);
    }
    if result == 0 {
        acquire(object);
    }
    result
}

/// The bytes of a guard: done, being done, somebody waits.
const DONE: u32 = 1;
const PENDING: u32 = 1 << 8;
const WAITING: u32 = 1 << 16;
/// As compilers number orders.
const RELEASE: u32 = 3;

/// Guards that were used, by address.
static GUARDS: Guarded<Vec<usize>> = Guarded::new(Vec::new());

/// Does `addr` hold the guard of a static variable?
pub(crate) fn is_guard(addr: usize) -> bool {
    GUARDS.lock().binary_search(&addr).is_ok()
}

unsafe extern "C" {
    fn __tsan_atomic8_store(addr: *mut c_void, value: u64, order: u32);
}

unsafe fn word<'a>(guard: Object) -> &'a AtomicU32 {
    // SAFETY: a guard is 64 bits of which compilers use the first byte, and the C++ library the
    // rest, atomically.
    unsafe { AtomicU32::from_ptr(guard.cast()) }
}

unsafe fn wait_for(guard: Object, seen: u32) {
    // SAFETY: the caller passes a guard.
    let word = unsafe { word(guard) };
    if schedule::controls() {
        schedule::block(Key::Object(guard as usize), None, || ());
    } else if word.compare_exchange(seen, seen | WAITING, Ordering::AcqRel, Ordering::Acquire).is_ok()
        || seen & WAITING != 0
    {
        super::futex::wait(word, seen | WAITING);
    }
}

unsafe fn leave(guard: Object) {
    // SAFETY: the caller passes a guard.
    let word = unsafe { word(guard) };
    if word.fetch_and(!(PENDING | WAITING), Ordering::AcqRel) & WAITING != 0 {
        super::futex::wake_all(word);
    }
    schedule::wake(Key::Object(guard as usize), ALL);
}

intercept! {
    fn pthread_once(object: Object, routine: Routine) -> c_int {
        once(object, routine)
    }

    fn call_once(object: Object, routine: Routine) {
        once(object, routine);
    }

    /// Is the variable still to be initialised, by the caller?
    fn __cxa_guard_acquire(guard: Object) -> c_int {
        watch(|_| {
            let mut guards = GUARDS.lock();
            if let Err(at) = guards.binary_search(&(guard as usize)) {
                guards.insert(at, guard as usize);
            }
        });
        schedule::about_object(Kind::Object, Class::Once, guard as usize);
        loop {
            let seen = word(guard).load(Ordering::Acquire);
            if seen & DONE != 0 {
                acquire(guard);
                return 0;
            }
            if seen & PENDING != 0 {
                wait_for(guard, seen);
            } else if word(guard).compare_exchange(seen, seen | PENDING, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                acquire(guard);
                return 1;
            }
        }
    }

    /// It has been initialised.
    fn __cxa_guard_release(guard: Object) {
        release(guard);
        __tsan_atomic8_store(guard, u64::from(DONE), RELEASE);
        leave(guard);
    }

    /// The initialisation was left by an exception.
    fn __cxa_guard_abort(guard: Object) {
        release(guard);
        leave(guard);
    }
}
