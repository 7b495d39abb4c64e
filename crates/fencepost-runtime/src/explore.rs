//! A run of which somebody decides every step.
//!
//! It may be one of many for an explorer ([`fencepost_protocol::exploration`]). Then there is a
//! server that starts a child for each run, and memory that both sides map. Such a run has no
//! reporter. What it reports are numbers in the shared memory.
//!
//! Or the option `decisions` says what was decided. Then it is one run, made for people: it has a
//! reporter, and the memory is its own.

use std::arch::{asm, global_asm};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use fencepost_protocol::exploration::{
    Decision, Decisions, EXPLORATION, Header, NOTE, Place, REPORTS, Report, STEPS, Sleeper, Step, at, end, remark,
};
use fencepost_protocol::{Key, door};

use crate::intercept::system_call;
use crate::stacks::CallStack;
use crate::{environment, local, memory, options, provoke, race, schedule, shadow, thread};

/// What both sides map; null if nobody decides.
static SHARED: AtomicPtr<u8> = AtomicPtr::new(null_mut());
/// Is there an explorer, who hears no words?
static SILENT: AtomicBool = AtomicBool::new(false);

/// Do decisions say what accesses find?
static WEAK: AtomicBool = AtomicBool::new(false);

/// Does somebody decide every step?
#[inline]
pub(crate) fn is_decided() -> bool {
    !SHARED.load(Ordering::Relaxed).is_null()
}

/// Is this a run for the explorer?
#[inline]
pub(crate) fn is_explored() -> bool {
    SILENT.load(Ordering::Relaxed)
}

/// Do decisions say what accesses find, so that the run need not be SC?
#[inline]
pub(crate) fn is_weak() -> bool {
    WEAK.load(Ordering::Relaxed)
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
        // SAFETY: there are no more decisions than there is room for.
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

/// The decisions are still to begin, where the thread of a test would.
static LATER: AtomicBool = AtomicBool::new(false);

/// Somebody decides every step from here on, or from the test on if the options say so.
pub(crate) fn start() {
    let place = explorer();
    if place.is_some() {
        without_random_addresses();
    }
    match options::get().in_test && (place.is_some() || decisions().is_some()) {
        true => LATER.store(true, Ordering::Relaxed),
        false => take_over(place),
    }
}

/// The program is about to create a thread. Is it the first one, that of a test, with which the
/// decisions begin? Then that thread is not to be made. Rust's test library calls the test itself
/// if the system has no thread to give: so the test begins with one thread, and all that the library
/// does before and after it is the same in every run.
pub(crate) fn begins_with_test() -> bool {
    let begins = LATER.load(Ordering::Relaxed) && LATER.swap(false, Ordering::Relaxed);
    if begins {
        take_over(explorer());
    }
    begins
}

/// Where the explorer is, if there is one.
fn explorer() -> Option<Place> {
    let variable = environment::variable(door::name(EXPLORATION));
    variable.and_then(|text| Place::read(&text)).filter(Place::is_ours)
}

/// The decisions that the options have.
fn decisions() -> Option<Decisions> {
    let given = options::given().iter().rev().find(|(name, _)| name == Key::Decisions.name());
    given.and_then(|(_, text)| text.parse().ok())
}

/// Waits for the explorer, if there is one. Returns in the child that is a run. Or takes over the
/// decisions that the options have.
fn take_over(explorer: Option<Place>) {
    if let Some(place) = explorer {
        let shared = memory::map_file(place.memory, at::END);
        if !shared.is_null() {
            serve(place, shared);
            SILENT.store(true, Ordering::Release);
            begin(shared);
        }
        return;
    }
    if let Some(Decisions(decisions)) = decisions() {
        let memory = memory::map_table(at::END);
        // SAFETY: the mapping is large enough for as many decisions as can be given.
        unsafe {
            let header = &mut *memory.cast::<Header>();
            (header.decisions, header.most_steps, header.rounds) = (decisions.len() as u32, STEPS as u32, u32::MAX);
            header.weak = u32::from(decisions.iter().any(Decision::is_weak));
            header.stale = u32::from(decisions.iter().any(Decision::is_stale));
            for (number, decision) in decisions.into_iter().enumerate() {
                memory.add(at::DECISION).cast::<Decision>().add(number).write(decision);
            }
        }
        begin(memory);
    }
}

fn begin(memory: *mut u8) {
    SHARED.store(memory, Ordering::Release);
    let is_weak = shared().is_some_and(|mut shared| shared.header().weak != 0);
    WEAK.store(is_weak, Ordering::Relaxed);
    if shared().is_some_and(|mut shared| shared.header().stale != 0) {
        provoke::offer();
    }
    if has_prebuilt_library() {
        remark("the standard library is not watched (--std prebuilt)");
    }
    local::start();
    shadow::leave_to_others();
    race::forget_nothing();
    schedule::decided();
}

global_asm!(".weak __fencepost_prebuilt_library");

/// Was the program linked with a standard library of Rust that is not instrumented? `cargo fencepost`
/// then has the linker define a symbol.
fn has_prebuilt_library() -> bool {
    let defined: usize;
    // SAFETY: reads the address of a symbol, which is zero if there is none.
    unsafe {
        asm!(
            "mov {}, qword ptr [rip + __fencepost_prebuilt_library@GOTPCREL]",
            out(reg) defined,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    defined != 0
}

/// Locations have the same addresses in every process that explores: the program is started again
/// if they do not.
fn without_random_addresses() {
    const NOT_RANDOM: usize = 0x004_0000;
    const ASK: usize = 0xffff_ffff;
    // SAFETY: asks for a number, and sets it.
    unsafe {
        let now = system_call(libc::SYS_personality, [ASK, 0, 0, 0, 0, 0]);
        if now < 0 || now as usize & NOT_RANDOM != 0 {
            return;
        }
        if system_call(libc::SYS_personality, [now as usize | NOT_RANDOM, 0, 0, 0, 0, 0]) < 0 {
            return;
        }
    }
    let line = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let mut words: Vec<*const libc::c_char> =
        line.split_inclusive(|&byte| byte == 0).map(|word| word.as_ptr().cast()).collect();
    words.push(null_mut());
    unsafe extern "C" {
        static environ: *const *const libc::c_char;
    }
    // SAFETY: the words end with zeroes, and the list with null. If it fails, addresses differ: it
    // is noticed when runs do.
    unsafe { libc::execve(c"/proc/self/exe".as_ptr(), words.as_ptr(), environ) };
}

fn serve(place: Place, shared: *mut u8) {
    loop {
        let mut byte = 0u8;
        // SAFETY: reads one byte into a variable.
        let read =
            unsafe { system_call(libc::SYS_read, [place.socket as usize, (&raw mut byte) as usize, 1, 0, 0, 0]) };
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
        let arguments = [child as usize, (&raw mut status) as usize, 0, 0, 0, 0];
        // SAFETY: waits for the child, and writes how it ended into a variable.
        let wait = || unsafe { system_call(libc::SYS_wait4, arguments) };
        if child > 0 {
            while wait() == -i64::from(libc::EINTR) {}
        }
        // SAFETY: writes a variable.
        unsafe { system_call(libc::SYS_write, [place.socket as usize, (&raw const status) as usize, 4, 0, 0, 0]) };
    }
}

/// Something was found that would be reported; `key` is the same for the same accesses.
pub(crate) fn found(key: u64, is_race: bool) {
    let steps = schedule::decided_steps();
    let Some(mut shared) = shared() else { return };
    let header = shared.header();
    if let Some(report) = header.report.get_mut(header.reports as usize) {
        *report = Report { key, steps, is_race: u32::from(is_race) };
    }
    header.reports = (header.reports + 1).min(REPORTS as u32 + 1);
}

/// The step that is being taken uses an overwritten write, which was made by the step with the
/// number `source`, or is the initial value (0); `key` is that of the report about the access.
pub(crate) fn uses_stale(key: u64, source: u32) {
    let step = schedule::decided_steps();
    let Some(mut shared) = shared() else { return };
    let header = shared.header();
    (header.stale_step, header.stale_source, header.stale_key) = (step, source, key);
}

/// Instrumented code calls the runtime. Functions of it that call anything are on the stack of calls,
/// unless they were built to be watched for atomic accesses only.
pub(crate) fn called() {
    if is_decided() && thread::calls().is_some_and(CallStack::is_empty) {
        remark("plain accesses are not seen: the program was built with --atomics-only");
    }
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
    schedule::decided_to_the_end();
    if let Some(mut shared) = shared() {
        shared.header().status = status;
    }
    stop(end::EXITED)
}

/// The run is over.
pub(crate) fn stop(why: u32) -> ! {
    if !is_explored() {
        crate::fatal(format_args!("the run does not follow the decisions that were given (`decisions`)"));
    }
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
