//! The record of the run: every atomic access and synchronisation, in the order in which they took
//! effect, for the reporter to try its suggestions on.
//!
//! It lies in memory that is shared with the reporter, and has room for a fixed number of events,
//! so that long runs do not take more. A run that outgrows it is marked as not recorded in full,
//! and its memory given back.
//!
//! Threads take blocks of the record and mark their events with the time stamp counter. They read
//! it while they hold the lock of the location. So sorting by it gives an order that agrees with
//! every thread and every location.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

use fencepost_protocol::Order;
use fencepost_protocol::record::{ADDRESS_BITS, HEADER, Header, MAGIC, Op, RECORD as EVENT, Record};

use crate::memory::{self, Apart};
use crate::stacks::SiteId;
use crate::thread::Entered;

/// Events a thread takes room for at a time.
const BLOCK: u64 = 32;
/// Events whose pages are asked for at a time: one by one they would take much longer.
const BATCH: u64 = 64 * BLOCK;

/// Calls that are recorded of a chain, innermost first.
const CALLS: usize = 8;

/// A thread's room in the record.
pub(crate) struct Recorder {
    next: *mut Record,
    end: *mut Record,
}

impl Default for Recorder {
    fn default() -> Self {
        Recorder { next: null_mut(), end: null_mut() }
    }
}

static RECORD: AtomicPtr<Header> = AtomicPtr::new(null_mut());
/// Why somebody wants to know of events.
static WANTED: Apart<AtomicU8> = Apart(AtomicU8::new(0));
/// There is a record with room in it.
const EVENTS: u8 = 1;
/// What writes release is kept, in a provoked run.
const RELEASES: u8 = 2;

/// The time stamp counter, after everything before.
#[inline]
pub(crate) fn now() -> u64 {
    #[cfg(miri)]
    return 1;
    #[cfg(not(miri))]
    {
        let mut core = 0;
        // SAFETY: reads the time stamp counter, which every x86-64 processor has.
        unsafe { std::arch::x86_64::__rdtscp(&mut core) }
    }
}

/// Makes the record; returns its file, for the reporter.
pub(crate) fn start() -> Option<i32> {
    let capacity = crate::options::get().record;
    if capacity == 0 {
        return None;
    }
    // SAFETY: makes a file in memory.
    let fd = unsafe { libc::memfd_create(c"fencepost-record".as_ptr(), libc::MFD_CLOEXEC) };
    let bytes = HEADER + capacity as usize * EVENT;
    // Pages that are never written take no memory.
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
        (*header).capacity = ((bytes - HEADER) / EVENT) as u64;
    }
    RECORD.store(header, Ordering::Release);
    WANTED.fetch_or(EVENTS, Ordering::Release);
    true
}

/// In a child of `fork`: the record belongs to the parent.
pub(crate) fn forked() {
    WANTED.fetch_and(!EVENTS, Ordering::Release);
    RECORD.store(null_mut(), Ordering::Release);
}

/// From now on, what writes release is wanted.
pub(crate) fn keep_releases() {
    WANTED.fetch_or(RELEASES, Ordering::Release);
}

/// What writes release is not wanted any more.
pub(crate) fn forget_releases() {
    WANTED.fetch_and(!RELEASES, Ordering::Release);
}

/// Does anybody want to know of events?
#[inline]
pub(crate) fn is_active() -> bool {
    WANTED.load(Ordering::Acquire) != 0
}

/// Is there a record, and is it whole so far?
pub(crate) fn is_whole() -> bool {
    // SAFETY: the mapping stays.
    let header = unsafe { RECORD.load(Ordering::Acquire).as_ref() };
    header.is_some_and(|header| header.overflowed.load(Ordering::Relaxed) == 0)
}

/// A place in the code, with the calls of the thread that led there.
#[inline(always)]
pub(crate) fn place(thread: &mut Entered, pc: usize) -> u64 {
    pc as u64 | u64::from(chain(thread)) << ADDRESS_BITS
}

/// Records an event of `thread`. Does somebody want to know what was released with it? None if
/// nobody wants to know of events at all.
#[inline(always)]
pub(crate) fn event(thread: &mut Entered, make: impl FnOnce(&mut Entered) -> Record) -> Option<bool> {
    let wanted = WANTED.load(Ordering::Acquire);
    if wanted == 0 {
        return None;
    }
    if wanted & EVENTS != 0 {
        let event = make(thread);
        put(thread.recorder(), event);
    }
    Some(wanted & RELEASES != 0)
}

/// The number of the calls that the thread is in.
#[inline(always)]
fn chain(thread: &mut Entered) -> SiteId {
    match thread.calls.known_chain() {
        Some(chain) => chain,
        None => find_chain(thread),
    }
}

/// The same; the calls are recorded the first time.
#[inline(never)]
fn find_chain(thread: &mut Entered) -> SiteId {
    let (chain, is_new) = thread.calls.chain();
    if is_new && WANTED.load(Ordering::Acquire) & EVENTS != 0 {
        record_chain(thread, chain);
    }
    chain
}

#[cold]
fn record_chain(thread: &mut Entered, chain: SiteId) {
    let mut frames = Vec::with_capacity(CALLS);
    thread.calls.frames(0, |frame| frames.push(frame));
    for (depth, &frame) in frames.iter().skip(1).take(CALLS).enumerate() {
        let call = Record {
            time: now(),
            address: u64::from(chain),
            value: frame as u64,
            pc: 0,
            extra: depth as u64,
            tid: thread.tid,
            op: Op::Call,
            order: Order::Relaxed,
            failure: Order::Relaxed,
            success: true,
        };
        put(thread.recorder(), call);
    }
}

/// Writes an event. There is a record, or was when somebody wanted to know of events.
#[inline(always)]
fn put(recorder: &mut Recorder, event: Record) {
    if recorder.next == recorder.end && !take_block(recorder) {
        return;
    }
    let place = recorder.next;
    recorder.next = place.wrapping_add(1);
    // SAFETY: the place is before the end of a block of this thread in the record, whose mapping
    // stays.
    unsafe { place.write(event) };
}

/// Takes room for more events, if there is any.
#[cold]
#[inline(never)]
fn take_block(recorder: &mut Recorder) -> bool {
    let record = RECORD.load(Ordering::Acquire);
    // SAFETY: the mapping stays.
    let Some(header) = (unsafe { record.as_ref() }) else { return false };
    let next = header.next.fetch_add(BLOCK, Ordering::Relaxed);
    if next + BLOCK > header.capacity {
        if header.overflowed.swap(1, Ordering::Relaxed) == 0 {
            WANTED.fetch_and(!EVENTS, Ordering::Release);
            // Whoever still has a block may write to it.
            memory::give_back(record.cast(), HEADER + header.capacity as usize * EVENT);
        }
        return false;
    }
    let event = |index: u64| record.cast::<u8>().wrapping_add(HEADER + index as usize * EVENT);
    *recorder = Recorder { next: event(next).cast(), end: event(next + BLOCK).cast() };
    if next.is_multiple_of(BATCH) {
        let last = event((next + BATCH).min(header.capacity));
        memory::populate(event(next), last as usize - event(next) as usize);
    }
    true
}

/// Records a synchronisation of `thread` at `addr`.
pub(crate) fn synchronisation(thread: &mut Entered, op: Op, addr: usize) {
    relation(thread, op, addr, 0);
}

/// Records that `thread` creates or has waited for thread `other`.
pub(crate) fn other_thread(thread: &mut Entered, op: Op, other: u32) {
    relation(thread, op, 0, u64::from(other));
}

fn relation(thread: &mut Entered, op: Op, addr: usize, extra: u64) {
    event(thread, |thread| Record {
        time: now(),
        address: addr as u64,
        value: 0,
        pc: 0,
        extra,
        tid: thread.tid,
        op,
        order: Order::Relaxed,
        failure: Order::Relaxed,
        success: true,
    });
}
