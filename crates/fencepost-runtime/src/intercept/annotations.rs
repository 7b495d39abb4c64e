//! What programs say about themselves to thread sanitizers and to tools before them: dynamic
//! annotations, `Annotate…`, and who they run under.
//!
//! The names and types are those of the thread sanitizer's runtime. Some annotations say nothing to
//! it, and nothing to us. Those that order something order it here likewise, in happens-before and
//! in hb_SC.
//!
//! Two annotations leave something out:
//!
//! - Between `AnnotateIgnoreReadsBegin` (or `…Writes…`) and its end, plain accesses of the thread are
//!   not compared with others. Atomic ones are watched as ever, so what they order is kept.
//! - `AnnotateBenignRace` names memory where a data race is not reported. Violations of robustness
//!   are: the program has not said anything about them.

use std::ffi::{CStr, c_char, c_int, c_long};

use super::{Object, acquire, destroyed, release, release_join, watch};
use crate::lock::Guarded;
use crate::report;
use crate::thread;

/// Memory in which races are meant to be: start and end.
static BENIGN: Guarded<Vec<(usize, usize)>> = Guarded::new(Vec::new());

/// Has the program said that races at this address are meant to be?
pub(crate) fn is_benign(addr: usize) -> bool {
    BENIGN.lock().iter().any(|&(start, end)| (start..end).contains(&addr))
}

fn benign(object: Object, bytes: c_long) {
    let start = object as usize;
    let end = start.saturating_add(usize::try_from(bytes).unwrap_or(0));
    watch(|_| BENIGN.lock().push((start, end)));
}

/// Under which address the clocks of readers of a lock are kept: nothing of the program is there. A
/// lock may be no larger than a byte, so they have no place beside the lock's own.
fn readers(lock: Object) -> Object {
    lock.map_addr(|addr| addr ^ 1 << 46)
}

/// A lock of the program's own is taken.
pub(crate) fn locked(lock: Object, writes: bool) {
    acquire(lock);
    if writes {
        acquire(readers(lock));
    }
}

/// A lock of the program's own is about to be given back.
pub(crate) fn unlocks(lock: Object, writes: bool) {
    match writes {
        true => release(lock),
        // Readers are not ordered among each other.
        false => release_join(readers(lock)),
    }
}

/// What was released to an object counts no more: it is a new one, or none.
pub(crate) fn renewed(object: Object) {
    watch(|thread| {
        thread.renew_object(object as usize);
        thread.renew_object(readers(object) as usize);
    });
}

fn ignore_plain(begins: bool) {
    thread::with_current(|thread| {
        thread.ignore_plain(begins);
    });
}

type File = *const c_char;

/// Annotations that go by two names.
macro_rules! with_names {
    ($before:ident, $after:ident, $benign:ident) => {
        intercept! {
            fn $before(_file: File, _line: c_int, object: Object) {
                release_join(object);
            }

            fn $after(_file: File, _line: c_int, object: Object) {
                acquire(object);
            }

            fn $benign(_file: File, _line: c_int, memory: Object, bytes: c_long, _why: File) {
                benign(memory, bytes);
            }
        }
    };
}

with_names!(AnnotateHappensBefore, AnnotateHappensAfter, AnnotateBenignRaceSized);
with_names!(WTFAnnotateHappensBefore, WTFAnnotateHappensAfter, WTFAnnotateBenignRaceSized);

intercept! {
    fn AnnotateRWLockCreate(_file: File, _line: c_int, lock: Object) {
        renewed(lock);
    }

    fn AnnotateRWLockCreateStatic(_file: File, _line: c_int, _lock: Object) {}

    fn AnnotateRWLockDestroy(_file: File, _line: c_int, lock: Object) {
        renewed(lock);
    }

    fn AnnotateRWLockAcquired(_file: File, _line: c_int, lock: Object, writes: c_long) {
        locked(lock, writes != 0);
    }

    fn AnnotateRWLockReleased(_file: File, _line: c_int, lock: Object, writes: c_long) {
        unlocks(lock, writes != 0);
    }

    /// What is put into a queue of producers and consumers happens before it is taken out.
    fn AnnotatePCQPut(_file: File, _line: c_int, queue: Object) {
        release_join(queue);
    }

    fn AnnotatePCQGet(_file: File, _line: c_int, queue: Object) {
        acquire(queue);
    }

    fn AnnotatePCQCreate(_file: File, _line: c_int, queue: Object) {
        renewed(queue);
    }

    fn AnnotatePCQDestroy(_file: File, _line: c_int, queue: Object) {
        renewed(queue);
    }

    /// An allocator of the program's own hands out memory.
    fn AnnotateNewMemory(_file: File, _line: c_int, memory: Object, bytes: c_long) {
        destroyed(memory, usize::try_from(bytes).unwrap_or(0));
    }

    fn AnnotateBenignRace(_file: File, _line: c_int, memory: Object, _why: File) {
        benign(memory, 1);
    }

    fn AnnotateExpectRace(_file: File, _line: c_int, memory: Object, _why: File) {
        benign(memory, 1);
    }

    fn AnnotateIgnoreReadsBegin(_file: File, _line: c_int) {
        ignore_plain(true);
    }

    fn AnnotateIgnoreReadsEnd(_file: File, _line: c_int) {
        ignore_plain(false);
    }

    fn AnnotateIgnoreWritesBegin(_file: File, _line: c_int) {
        ignore_plain(true);
    }

    fn AnnotateIgnoreWritesEnd(_file: File, _line: c_int) {
        ignore_plain(false);
    }

    fn AnnotateThreadName(_file: File, _line: c_int, name: File) {
        watch(|thread| report::thread_named(thread.tid, &CStr::from_ptr(name).to_string_lossy()));
    }

    fn AnnotateIgnoreSyncBegin(_file: File, _line: c_int) {}
    fn AnnotateIgnoreSyncEnd(_file: File, _line: c_int) {}
    fn AnnotateCondVarSignal(_file: File, _line: c_int, _condition: Object) {}
    fn AnnotateCondVarSignalAll(_file: File, _line: c_int, _condition: Object) {}
    fn AnnotateCondVarWait(_file: File, _line: c_int, _condition: Object, _lock: Object) {}
    fn AnnotateMutexIsNotPHB(_file: File, _line: c_int, _lock: Object) {}
    fn AnnotateMutexIsUsedAsCondVar(_file: File, _line: c_int, _lock: Object) {}
    fn AnnotatePublishMemoryRange(_file: File, _line: c_int, _memory: Object, _bytes: c_long) {}
    fn AnnotateUnpublishMemoryRange(_file: File, _line: c_int, _memory: Object, _bytes: c_long) {}
    fn AnnotateMemoryIsInitialized(_file: File, _line: c_int, _memory: Object, _bytes: c_long) {}
    fn AnnotateMemoryIsUninitialized(_file: File, _line: c_int, _memory: Object, _bytes: c_long) {}
    fn AnnotateTraceMemory(_file: File, _line: c_int, _memory: Object) {}
    fn AnnotateEnableRaceDetection(_file: File, _line: c_int, _enable: c_int) {}
    fn AnnotateFlushExpectedRaces(_file: File, _line: c_int) {}
    fn AnnotateFlushState(_file: File, _line: c_int) {}
    fn AnnotateNoOp(_file: File, _line: c_int, _memory: Object) {}

    /// No. Tools that ask this look for the thread sanitizer's answer.
    fn RunningOnValgrind() -> c_int {
        0
    }

    /// How much slower programs are.
    fn ValgrindSlowdown() -> f64 {
        10.0
    }

    /// Nothing but happens-before counts, and not locks that two threads have in common.
    fn ThreadSanitizerQuery(question: File) -> File {
        match CStr::from_ptr(question).to_bytes() == b"pure_happens_before" {
            true => c"1".as_ptr(),
            false => c"0".as_ptr(),
        }
    }
}
