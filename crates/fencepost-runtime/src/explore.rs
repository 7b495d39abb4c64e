//! A run for the explorer of every schedule: the memory that both sides map, and the server that
//! starts a child for each run. See [`fencepost_protocol::exploration`].
//!
//! Such a run has no reporter. What it reports are numbers in the shared memory: the explorer makes
//! the run once more for people, with a reporter, if it wants to know.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use fencepost_protocol::door;
use fencepost_protocol::exploration::{
    Decision, EXPLORATION, Header, NOTE, Place, REPORTS, Report, Sleeper, Step, at, end, remark,
};

use crate::intercept::system_call;
use crate::{environment, local, memory, schedule};

/// What both sides map; null if nobody explores.
static SHARED: AtomicPtr<u8> = AtomicPtr::new(null_mut());

/// Is this a run for the explorer?
#[inline]
pub(crate) fn is_explored() -> bool {
    !SHARED.load(Ordering::Relaxed).is_null()
}

/// What is shared, for the one thread that runs.
pub(crate) struct Shared(*mut u8);

// SAFETY: only the thread that holds the lock of the schedule, or ends the process, uses it.
unsafe impl Send for Shared {}

/// The shared memory, if somebody explores.
pub(crate) fn shared() -> Option<Shared> {
    let memory = SHARED.load(Ordering::Relaxed);
    (!memory.is_null()).then_some(Shared(memory))
}

impl Shared {
    /// The beginning.
    pub(crate) fn header(&mut self) -> &mut Header {
        // SAFETY: the mapping has this size and stays; the other side waits while a run goes on.
        unsafe { &mut *self.0.cast::<Header>() }
    }

    /// What was decided for the step with this number, from 0 on.
    pub(crate) fn decision(&mut self, number: usize) -> Option<Decision> {
        if number >= self.header().decisions as usize {
            return None;
        }
        // SAFETY: the explorer writes no more decisions than there is room for.
        Some(unsafe { self.0.add(at::DECISION).cast::<Decision>().add(number).read() })
    }

    /// Who sleeps at first.
    pub(crate) fn sleepers(&mut self) -> Vec<Sleeper> {
        let count = self.header().sleepers as usize;
        // SAFETY: as above.
        (0..count).map(|number| unsafe { self.0.add(at::SLEEPER).cast::<Sleeper>().add(number).read() }).collect()
    }

    /// The step with this number, from 0 on, that there is or that there is room for.
    pub(crate) fn step(&mut self, number: usize) -> &mut Step {
        assert!(number < fencepost_protocol::exploration::STEPS, "the schedule stops before");
        // SAFETY: within the mapping; every pattern of bytes was written as a step or is zero.
        unsafe { &mut *self.0.add(at::STEP).cast::<Step>().add(number) }
    }
}

/// Waits for the explorer, if there is one. Returns in the child that is a run.
pub(crate) fn start() {
    let Some(place) = environment::variable(door::name(EXPLORATION)).and_then(|text| Place::read(&text)) else {
        return;
    };
    if !place.is_ours() {
        return;
    }
    let shared = memory::map_file(place.memory, at::END);
    if shared.is_null() {
        return;
    }
    serve(place, shared);
    SHARED.store(shared, Ordering::Release);
    local::start();
    schedule::explored();
}

fn serve(place: Place, shared: *mut u8) {
    loop {
        let mut byte = 0u8;
        // SAFETY: reads one byte into a variable.
        let read = unsafe { system_call(libc::SYS_read, [place.socket as usize, (&raw mut byte) as usize, 1, 0, 0, 0]) };
        if read == -i64::from(libc::EINTR) {
            continue;
        }
        if read != 1 {
            // SAFETY: the explorer is gone.
            unsafe { libc::_exit(0) };
        }
        // SAFETY: there is one thread, and nothing is locked.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: the child does not talk to the explorer.
            unsafe { libc::close(place.socket) };
            return;
        }
        // SAFETY: nobody else uses the header before the child does; the field is a word.
        unsafe { (*shared.cast::<Header>()).process = child };
        let mut status = -1i32;
        while child > 0 {
            let arguments = [child as usize, (&raw mut status) as usize, 0, 0, 0, 0];
            // SAFETY: waits for the child, and writes how it ended into a variable.
            if unsafe { system_call(libc::SYS_wait4, arguments) } != -i64::from(libc::EINTR) {
                break;
            }
        }
        // SAFETY: writes a variable.
        unsafe { system_call(libc::SYS_write, [place.socket as usize, (&raw const status) as usize, 4, 0, 0, 0]) };
    }
}

/// Something was found that would be reported; `key` is the same for the same accesses.
pub(crate) fn found(key: u64, is_race: bool) {
    let steps = schedule::explored_steps();
    let Some(mut shared) = shared() else { return };
    let header = shared.header();
    if let Some(report) = header.report.get_mut(header.reports as usize) {
        *report = Report { key, steps, is_race: u32::from(is_race) };
    }
    header.reports = (header.reports + 1).min(REPORTS as u32 + 1);
}

/// Something stands in the way of an exact answer.
pub(crate) fn remark(text: &str) {
    let Some(mut shared) = shared() else { return };
    let header = shared.header();
    if header.remarks & remark::OTHER == 0 {
        header.remarks |= remark::OTHER;
        let length = text.len().min(NOTE);
        header.note[..length].copy_from_slice(&text.as_bytes()[..length]);
        header.note_length = length as u32;
    }
}

/// The program has ended with `status`.
pub(crate) fn finish(status: i32) -> ! {
    schedule::explored_to_the_end();
    if let Some(mut shared) = shared() {
        shared.header().status = status;
    }
    stop(end::EXITED)
}

/// The run is over.
pub(crate) fn stop(why: u32) -> ! {
    if let Some(mut shared) = shared() {
        let header = shared.header();
        header.end |= why;
        let figures = crate::report::summary();
        for (count, bit) in [
            (figures.cut, remark::CUT),
            (figures.out_of_sight, remark::OUT_OF_SIGHT),
            (figures.mixed_size, remark::MIXED),
        ] {
            if count > 0 {
                header.remarks |= bit;
            }
        }
    }
    loop {
        // SAFETY: ends the process.
        unsafe { system_call(libc::SYS_exit_group, [0; 6]) };
    }
}
