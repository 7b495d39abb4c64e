//! The record of the run: every atomic access and synchronisation, in the order in which they took effect, for the
//! reporter to try its suggestions on.
//!
//! It lies in memory that is shared with the reporter and has room for a fixed number of events, so that long runs do not take more; a
//! run that outgrows it is marked as not recorded in full. Threads take blocks of it and mark their events with the time
//! stamp counter, read while they hold the lock of the location: sorting by it gives an order that agrees with every thread and every location.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use crate::memory;
use crate::thread::Thread;

const MAGIC: u64 = u64::from_le_bytes(*b"FPTRACE1");
const HEADER: usize = 64;
/// Events a thread takes room for at a time.
const BLOCK: u64 = 32;
/// Events whose pages are asked for at a time: one by one they would take much longer.
const BATCH: u64 = 64 * BLOCK;

/// What an event is, as it is recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Op {
    /// An atomic load.
    Load = 0,
    /// An atomic store.
    Store = 1,
    /// An exchange or fetch-and-something.
    Rmw = 2,
    /// A compare-and-exchange that fails only if the value differs.
    CasStrong = 3,
    /// A compare-and-exchange that may fail.
    CasWeak = 4,
    /// A wait for a value.
    Wait = 5,
    /// A compare-and-exchange that is repeated until it succeeds.
    Bcas = 6,
    /// A fence.
    Fence = 7,
    /// See [`Thread::acquire`].
    Acquire = 8,
    /// See [`Thread::release`].
    Release = 9,
    /// See [`Thread::release_join`].
    ReleaseJoin = 10,
    /// A thread is created.
    Spawn = 11,
    /// A thread has been waited for.
    Join = 12,
    /// A location is forgotten or initialised.
    Reset = 13,
}

/// An event.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Event {
    /// When, by the time stamp counter.
    pub(crate) time: u64,
    /// Where in memory.
    pub(crate) addr: u64,
    /// What was read or written.
    pub(crate) value: u64,
    /// Where in the code.
    pub(crate) pc: u64,
    /// The expected value of a compare-and-exchange, or the other thread.
    pub(crate) extra: u64,
    /// By whom.
    pub(crate) tid: u32,
    /// What, as [`Op`].
    pub(crate) op: u8,
    /// With which order.
    pub(crate) order: u8,
    /// With which order if it fails.
    pub(crate) failure: u8,
    /// Has it succeeded?
    pub(crate) success: u8,
}

#[repr(C)]
struct Header {
    magic: u64,
    capacity: u64,
    next: AtomicU64,
    overflowed: AtomicU64,
}

/// A thread's room in the record.
#[derive(Default)]
pub(crate) struct Recorder {
    next: u64,
    end: u64,
}

static RECORD: AtomicPtr<Header> = AtomicPtr::new(null_mut());
/// Is there a record with room in it?
static ACTIVE: AtomicBool = AtomicBool::new(false);

/// The time stamp counter, after everything before.
#[inline]
pub(crate) fn now() -> u64 {
    let mut core = 0;
    // SAFETY: reads the time stamp counter, which every x86-64 processor has.
    unsafe { std::arch::x86_64::__rdtscp(&mut core) }
}

/// Finds the record that `fencepost run` has made, or makes one. Returns its file descriptor in the latter case.
pub(crate) fn start() -> Option<i32> {
    let capacity = crate::options::get().record;
    if capacity == 0 {
        return None;
    }
    let inherited = crate::environment::variable("FENCEPOST_TRACE").and_then(|fd| fd.parse::<i32>().ok());
    if let Some(fd) = inherited {
        // SAFETY: the descriptor was given to this process for this purpose.
        let bytes = unsafe { libc::lseek(fd, 0, libc::SEEK_END) };
        if let Ok(bytes) = usize::try_from(bytes)
            && bytes > HEADER
            && map(fd, bytes)
        {
            return None;
        }
    }
    // SAFETY: makes a file in memory.
    let fd = unsafe { libc::memfd_create(c"fencepost-record".as_ptr(), libc::MFD_CLOEXEC) };
    let bytes = HEADER + capacity as usize * size_of::<Event>();
    // SAFETY: the descriptor is ours.
    if fd < 0 || unsafe { libc::ftruncate(fd, bytes as i64) } != 0 {
        return None;
    }
    map(fd, bytes).then_some(fd)
}

fn map(fd: i32, bytes: usize) -> bool {
    let pages = memory::map_file(fd, bytes);
    if pages.is_null() {
        return false;
    }
    let header: *mut Header = pages.cast();
    // SAFETY: the mapping is large enough, page-aligned, and nobody else writes the header now.
    unsafe {
        (*header).magic = MAGIC;
        (*header).capacity = ((bytes - HEADER) / size_of::<Event>()) as u64;
    }
    RECORD.store(header, Ordering::Release);
    ACTIVE.store(true, Ordering::Release);
    true
}

/// In a child of `fork`: the record belongs to the parent.
pub(crate) fn forked() {
    ACTIVE.store(false, Ordering::Release);
    RECORD.store(null_mut(), Ordering::Release);
}

/// Are events recorded?
#[inline]
pub(crate) fn is_active() -> bool {
    ACTIVE.load(Ordering::Acquire)
}

/// Is the record whole so far, and how many events does it have at most?
pub(crate) fn state() -> (bool, u64) {
    // SAFETY: the mapping stays.
    match unsafe { RECORD.load(Ordering::Acquire).as_ref() } {
        None => (false, 0),
        Some(header) => {
            (header.overflowed.load(Ordering::Relaxed) == 0, header.next.load(Ordering::Relaxed).min(header.capacity))
        }
    }
}

/// Records an event of `thread`.
#[inline]
pub(crate) fn event(thread: &mut Thread, make: impl FnOnce(&Thread) -> Event) {
    if is_active() {
        let event = make(thread);
        put(&mut thread.recorder, event);
    }
}

fn put(recorder: &mut Recorder, event: Event) {
    let record = RECORD.load(Ordering::Acquire);
    // SAFETY: the mapping stays.
    let Some(header) = (unsafe { record.as_ref() }) else { return };
    if recorder.next == recorder.end {
        let next = header.next.fetch_add(BLOCK, Ordering::Relaxed);
        if next + BLOCK > header.capacity {
            header.overflowed.store(1, Ordering::Relaxed);
            ACTIVE.store(false, Ordering::Release);
            return;
        }
        *recorder = Recorder { next, end: next + BLOCK };
        if next.is_multiple_of(BATCH) {
            let first = HEADER + next as usize * size_of::<Event>();
            let last = HEADER + (next + BATCH).min(header.capacity) as usize * size_of::<Event>();
            memory::populate(record.cast::<u8>().wrapping_add(first), last - first);
        }
    }
    let index = recorder.next as usize;
    recorder.next += 1;
    // SAFETY: the index is below the capacity, and the block belongs to this thread.
    unsafe { record.cast::<u8>().add(HEADER).cast::<Event>().add(index).write(event) };
}

/// Records a synchronisation of `thread` at `addr`.
pub(crate) fn synchronisation(thread: &mut Thread, op: Op, addr: usize) {
    relation(thread, op, addr, 0);
}

/// Records that `thread` creates or has waited for thread `other`.
pub(crate) fn other_thread(thread: &mut Thread, op: Op, other: u32) {
    relation(thread, op, 0, u64::from(other));
}

fn relation(thread: &mut Thread, op: Op, addr: usize, extra: u64) {
    event(thread, |thread| Event {
        time: now(),
        addr: addr as u64,
        value: 0,
        pc: 0,
        extra,
        tid: thread.tid,
        op: op as u8,
        order: 0,
        failure: 0,
        success: 1,
    });
}
