//! What is reported, and how often.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fencepost_clock::{Window, Write};
use fencepost_protocol::message::{self, Failed, Figures, Found, Message, Unknown};
use fencepost_protocol::record::Op;
use fencepost_protocol::{Action, Order};

use crate::channel;
use crate::explore;
use crate::intercept;
use crate::lock::Guarded;
use crate::options;
use crate::race::{Cell, How, PC_BITS};
use crate::record;
use crate::stacks::{self, SiteId};
use crate::stats::{self, Counter, Counters};
use crate::thread::{self, Thread, Tid};

/// An access that can be reported.
pub(crate) struct Access {
    /// What it does.
    pub(crate) action: Action,
    /// Its order.
    pub(crate) order: Order,
    /// The order of a compare-and-exchange that fails.
    pub(crate) failure: Option<Order>,
    /// Where in memory.
    pub(crate) addr: usize,
    /// How many bytes.
    pub(crate) size: u8,
    /// Where in the code.
    pub(crate) pc: usize,
    /// What a compare-and-exchange expects.
    pub(crate) expected: Option<u64>,
}

/// Pairs of accesses that were reported, as hashes, in order.
#[derive(Default)]
struct Seen {
    /// By address in the code.
    pairs: Vec<u64>,
    /// By address and the innermost calls: the one to blame may be a caller.
    chains: Vec<u64>,
}

static SEEN: Guarded<Seen> = Guarded::new(Seen { pairs: Vec::new(), chains: Vec::new() });
/// So many different ways to reach two accesses are told, for each report that may be given.
const WAYS: usize = 16;

/// Accesses whose reports were all given, by place in the code: the place in the upper bits, how
/// often it came again in the lower eight.
static REPEATED: [AtomicU64; 1 << 10] = [const { AtomicU64::new(0) }; 1 << 10];
/// Is there any that came too often?
static ANY_MUTED: AtomicBool = AtomicBool::new(false);
/// How often an access may repeat what was reported before it is not checked any more.
const PATIENCE: u64 = 64;

fn repetitions(place: u64) -> &'static AtomicU64 {
    &REPEATED[place as usize >> 54]
}

/// Has the access at `pc`, reached as it is now, shown the same violations again and again? Then it
/// is not worth the time to find them once more.
#[inline]
pub(crate) fn is_muted(thread: &Thread, pc: usize) -> bool {
    ANY_MUTED.load(Ordering::Relaxed) && {
        let place = thread.calls.near(pc);
        let entry = repetitions(place).load(Ordering::Relaxed);
        (entry ^ place) >> 8 == 0 && entry & 0xff >= PATIENCE
    }
}

/// The access at this place has shown a violation that was reported before.
fn repeat(place: u64) {
    let entry = repetitions(place);
    let before = entry.load(Ordering::Relaxed);
    let times = if (before ^ place) >> 8 == 0 { before & 0xff } else { 0 };
    if times < PATIENCE {
        entry.store(place & !0xff | (times + 1), Ordering::Relaxed);
    } else {
        ANY_MUTED.store(true, Ordering::Relaxed);
    }
}

/// Is this the first report about these accesses, as they were reached? Counts it if so.
fn is_new(pcs: [usize; 2], places: [u64; 2]) -> bool {
    let pair = key_of(pcs);
    let chain = chain_of(places);
    let most = options::get().max_reports as usize;
    let mut seen = SEEN.lock();
    let Err(at) = seen.chains.binary_search(&chain) else { return false };
    match seen.pairs.binary_search(&pair) {
        Err(_) if seen.pairs.len() >= most => return false,
        Ok(_) if seen.chains.len() >= most.saturating_mul(WAYS) => return false,
        Err(new) => seen.pairs.insert(new, pair),
        Ok(_) => {}
    }
    seen.chains.insert(at, chain);
    true
}

/// A number for these two places in the code.
fn key_of(pcs: [usize; 2]) -> u64 {
    (pcs[0] as u64).rotate_left(32) ^ pcs[1] as u64
}

/// The same for two places and their nearest callers: what is one function for the compiler, such as
/// a load, is another access for each of them.
fn chain_of(places: [u64; 2]) -> u64 {
    places[0].rotate_left(32) ^ places[1]
}

fn stack_of(thread: &Thread, pc: usize) -> Vec<u64> {
    let mut frames = Vec::new();
    thread.calls.frames(pc, |frame| frames.push(frame as u64));
    frames
}

/// The frames of a site.
fn stack_at(site: SiteId) -> Vec<u64> {
    let frames = stacks::site(site).map(|(_, _, frames)| frames).unwrap_or_default();
    frames.into_iter().map(|frame| frame as u64).collect()
}

/// The thread that made a write; 0 for the initial value.
fn writer(write: &Write) -> Tid {
    write.writer.map_or(0, |slot| thread::occupant(slot, write.number))
}

/// What a write did that is remembered as this operation.
fn action(op: u8) -> Action {
    match Op::ALL.get(usize::from(op)) {
        Some(Op::Rmw) => Action::Rmw,
        Some(Op::CasStrong) => Action::CasStrong,
        Some(Op::CasWeak) => Action::CasWeak,
        Some(Op::BlockingCas) => Action::BlockingCas,
        _ => Action::Store,
    }
}

fn write(write: &Write) -> message::Write {
    let by = write.writer.map(|_| {
        let (op, order, _) = stacks::site(write.site).unwrap_or_default();
        message::Writer {
            tid: u64::from(writer(write)),
            op: action(op),
            order: Order::decode(order),
            stack: stack_at(write.site),
        }
    });
    message::Write { value: write.value, by }
}

/// What kind of memory an address is in, as far as the runtime knows.
fn memory(addr: usize) -> message::Memory {
    if let Some(block) = intercept::block_of(addr) {
        return message::Memory::Heap(message::Heap {
            base: block.base as u64,
            size: block.size as u64,
            tid: u64::from(block.tid),
            stack: stack_at(block.site),
        });
    }
    match intercept::stack_owner(addr) {
        Some(tid) => message::Memory::Stack(message::Stack { tid: u64::from(tid) }),
        None => message::Memory::Unknown(Unknown {}),
    }
}

/// The thread that memory belongs to.
fn owner(addr: usize) -> Option<Tid> {
    intercept::block_of(addr).map(|block| block.tid).or_else(|| intercept::stack_owner(addr))
}

fn halt_if(asked: bool) {
    if asked {
        let status = crate::finish(1);
        // SAFETY: ends the process without running anything of it.
        unsafe { libc::_exit(status) };
    }
}

/// Are the clocks of hb_SC, and those of happens-before, what they should be?
static ROBUSTNESS_IS_KNOWN: AtomicBool = AtomicBool::new(true);
static ORDER_IS_KNOWN: AtomicBool = AtomicBool::new(true);

/// No robustness violations from now on: threads cannot be told apart.
pub(crate) fn stop_robustness() {
    ROBUSTNESS_IS_KNOWN.store(false, Ordering::Release);
}

/// No reports from now on: there are threads that nobody watches, and what they order is not known.
pub(crate) fn stop() {
    stop_robustness();
    ORDER_IS_KNOWN.store(false, Ordering::Release);
}

/// `thread` could have made this access with another predecessor than under SC.
#[cold]
pub(crate) fn robustness(thread: &Thread, access: &Access, window: &Window) {
    if !ROBUSTNESS_IS_KNOWN.load(Ordering::Acquire) {
        return;
    }
    let newest = frames_of(window);
    let place = thread.calls.near(access.pc);
    let pcs = [access.pc, newest.first().copied().unwrap_or(0)];
    let places = [place, stacks::near(&newest)];
    if !is_new(pcs, places) {
        repeat(place);
        return;
    }
    if explore::is_explored() {
        return explore::found(chain_of(places), false);
    }
    let (report, tids) = violation(thread, access, window);
    halt_if(channel::send_report(report, &tids));
}

/// Where the newest write of the window was made.
fn frames_of(window: &Window) -> Vec<usize> {
    stacks::site(window.newest.site).map(|(_, _, frames)| frames).unwrap_or_default()
}

/// The number of the report about an access with this window.
pub(crate) fn key(access: &Access, window: &Window) -> u64 {
    key_of([access.pc, frames_of(window).first().copied().unwrap_or(0)])
}

/// `thread` makes this access with the write `used` of its window.
#[cold]
pub(crate) fn provoked(thread: &Thread, access: &Access, window: &Window, used: &Write) {
    let (report, tids) = violation(thread, access, window);
    channel::send_about(&tids, &Message::Provoked(message::Provoked { report, used: write(used) }));
}

/// What is told about an access with this window, and the threads that are part of it.
fn violation(thread: &Thread, access: &Access, window: &Window) -> (message::Report, Vec<Tid>) {
    let report = message::Report {
        tid: u64::from(thread.tid),
        addr: access.addr as u64,
        size: u64::from(access.size),
        op: access.action,
        stack: stack_of(thread, access.pc),
        memory: memory(access.addr),
        found: Found::Robustness(message::Robustness {
            order: access.order,
            failure: access.failure,
            expected: access.expected,
            time: record::now(),
            newest: write(&window.newest),
            stale: window.stale.iter().take(16).map(write).collect(),
            cut: window.cut,
            complete: record::is_whole(),
        }),
    };
    let writers = window.stale.iter().take(16).chain([&window.newest]).map(writer);
    let tids = writers.chain([thread.tid]).chain(owner(access.addr)).collect();
    (report, tids)
}

/// The program fails, in the thread that runs, with these calls.
pub(crate) fn failure(stack: Vec<u64>, failed: Failed) {
    let tid = thread::current_tid();
    let failure = message::Failure { tid: u64::from(tid), stack, failed };
    channel::send_about(&[tid], &Message::Failure(failure));
}

fn plain(how: How) -> Action {
    match (how.atomic, how.write) {
        (false, false) => Action::Read,
        (false, true) => Action::Write,
        (true, false) => Action::AtomicRead,
        (true, true) => Action::AtomicWrite,
    }
}

/// `thread` accesses what `other` accessed, which is not ordered before.
#[cold]
pub(crate) fn race(thread: &Thread, addr: usize, new: Cell, other: Cell, pc: usize) {
    let options = options::get();
    let atomic = new.how().atomic || other.how().atomic;
    let is_wanted = options.races && (!atomic || options.atomic_races);
    if !is_wanted || !ORDER_IS_KNOWN.load(Ordering::Acquire) {
        return;
    }
    if intercept::is_benign((addr & !7) + new.offset()) {
        return;
    }
    let there = whole_pc(other.pc());
    let places = [thread.calls.near(pc), there as u64];
    if !is_new([pc, there], places) {
        return;
    }
    if explore::is_explored() {
        return explore::found(chain_of(places), true);
    }
    let word = addr & !7;
    let (earlier, epoch) = thread::occupant_in(other.slot(), other.epoch());
    let report = message::Report {
        tid: u64::from(thread.tid),
        addr: (word + new.offset()) as u64,
        size: new.size() as u64,
        op: plain(new.how()),
        stack: stack_of(thread, pc),
        memory: memory(word + new.offset()),
        found: Found::Race(message::Race {
            op: plain(other.how()),
            tid: u64::from(earlier),
            addr: (word + other.offset()) as u64,
            size: other.size() as u64,
            stack: (there != 0).then_some(there as u64).into_iter().collect(),
            moment: record::is_whole().then(|| message::Moment { time: record::now(), epoch: u64::from(epoch) }),
        }),
    };
    let tids: Vec<Tid> = [thread.tid, earlier].into_iter().chain(owner(word + new.offset())).collect();
    halt_if(channel::send_report(report, &tids));
}

/// The return address of a hook with these low bits. If modules are so large that there are
/// several, the first that follows a call.
fn whole_pc(low: usize) -> usize {
    const SPAN: usize = 1 << PC_BITS;
    let mut candidates = channel::code_ranges().into_iter().flat_map(|(start, end)| {
        let first = (start & !(SPAN - 1)) | low;
        (0..).map(move |turn| first + turn * SPAN).take_while(move |&pc| pc < end).filter(move |&pc| pc > start + 5)
    });
    // SAFETY: five bytes before an address that lies more than five bytes inside a range of code
    // are readable.
    let follows_call = |pc: &usize| unsafe { ((pc - 5) as *const u8).read() == 0xe8 };
    candidates.find(follows_call).unwrap_or(0)
}

/// What is told about a thread, once it has a name or is part of a report.
struct Known {
    tid: Tid,
    parent: Tid,
    /// Where it was created.
    site: SiteId,
    name: Option<Box<str>>,
    is_told: bool,
}

/// The latest threads.
static THREADS: Guarded<Vec<Known>> = Guarded::new(Vec::new());
/// How many are kept.
const KEPT: usize = 1 << 16;

impl Known {
    fn tell(&mut self) -> message::Thread {
        self.is_told = true;
        message::Thread {
            tid: u64::from(self.tid),
            parent: u64::from(self.parent),
            name: self.name.as_deref().map(str::to_string),
            stack: stack_at(self.site),
        }
    }
}

/// What a new reporter must know about threads: those that have names.
pub(crate) fn named_threads() -> Vec<message::Thread> {
    let mut threads = THREADS.lock();
    threads.iter_mut().for_each(|known| known.is_told = false);
    threads.iter_mut().filter(|known| known.name.is_some()).map(Known::tell).collect()
}

/// What was not told yet about these threads.
pub(crate) fn untold_threads(tids: &[Tid]) -> Vec<message::Thread> {
    let mut threads = THREADS.lock();
    threads.iter_mut().filter(|known| !known.is_told && tids.contains(&known.tid)).map(Known::tell).collect()
}

/// A thread is about to exist; `pc` is where it is created.
pub(crate) fn thread_created(parent: &Thread, child: Tid, pc: usize) {
    let site = parent.calls.site(pc, Op::Spawn as u8, 0);
    let mut threads = THREADS.lock();
    if threads.len() >= KEPT {
        threads.drain(..KEPT / 2);
    }
    threads.push(Known { tid: child, parent: parent.tid, site, name: None, is_told: false });
}

/// A thread has a name.
pub(crate) fn thread_named(tid: Tid, name: &str) {
    let mut threads = THREADS.lock();
    let Some(known) = threads.iter_mut().rev().find(|known| known.tid == tid) else { return };
    known.name = Some(name.into());
    let thread = known.tell();
    drop(threads);
    channel::send_if_open(&Message::Thread(thread));
}

/// A spin loop was recognised: `value` keeps the load at `pc` spinning.
pub(crate) fn spinning(thread: &Thread, pc: usize, value: u64) {
    channel::send_if_open(&Message::Spin(message::Spin { stack: stack_of(thread, pc), value }));
}

/// The counts at the end.
pub(crate) fn summary() -> Figures {
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let (threads, counters) = thread::count();
    let sum = |counter: fn(&Counters) -> &Counter| counters.iter().map(|counters| counter(counters).get()).sum();
    Figures {
        accesses: sum(|counters| &counters.accesses),
        fences: sum(|counters| &counters.fences),
        locations: read(&stats::LOCATIONS),
        cut: sum(|counters| &counters.cut),
        out_of_sight: sum(|counters| &counters.out_of_sight),
        threads: u64::from(threads),
        switches: read(&stats::SWITCHES),
        steps: crate::schedule::steps(),
        mixed_size: read(&stats::MIXED),
    }
}
