//! Atomic accesses as the program makes them: checked, executed, told to the monitor, under the
//! lock of their location.
//!
//! The value in memory is what counts. It may differ from what the last write in the history left
//! there. Then somebody wrote it out of sight: inline assembly, a library that is not instrumented,
//! a signal handler while the runtime was at work. The location starts anew, because nothing is
//! reported about what is not known.

mod decided;
mod in_turn;
mod stale;

use std::sync::atomic::Ordering;

use fencepost_clock::{Access, Finding, Limits, Location, Order};
use fencepost_protocol::Action;
use fencepost_protocol::exploration::Kind as Step;
use fencepost_protocol::record::{Op, Record};

use super::word::{Fetch, Word};
use crate::explore;
use crate::options;
use crate::place::{self, Atomic, Content, Held, Intent, Kind, Place};
use crate::provoke;
use crate::race::{self, How, SEES_PLAIN};
use crate::record;
use crate::report;
use crate::schedule;
use crate::shadow::{self, Span};
use crate::spin::{self, LastLoad};
use crate::stacks::SiteId;
use crate::stats;
use crate::thread::{self, Entered, Seen, Thread, seen};
use stale::violation;

/// Rounds of a spin loop before the schedule is told.
const ROUNDS: u32 = 2;

/// An access as it comes from the program.
#[derive(Clone, Copy)]
pub(super) struct Call {
    /// Where in memory.
    pub(super) addr: usize,
    /// Its order.
    pub(super) order: u8,
    /// Its order if it fails.
    pub(super) failure: u8,
    /// Where in the code.
    pub(super) pc: usize,
}

impl Call {
    /// An access that cannot fail.
    #[inline]
    pub(super) fn new(addr: usize, order: u32, pc: usize) -> Self {
        Call { addr, order: order as u8 & 7, failure: 0, pc }
    }

    /// An access that has this order if it fails.
    #[inline]
    pub(super) fn or_fail(self, failure: u32) -> Self {
        Call { failure: failure as u8 & 7, ..self }
    }

    fn order(self) -> Order {
        Order::decode(self.order)
    }
}

fn limits() -> Limits {
    Limits { history: options::get().history, ..Limits::default() }
}

/// A location that the running thread has to itself.
struct Session {
    thread: Entered,
    held: Held,
    /// What is in memory now, as the monitor keeps it.
    value: u64,
    /// What is known of the memory around, if it has been looked up.
    span: Option<&'static Span>,
    /// Where a write is made: looked up before others wait for the location.
    site: SiteId,
}

impl Session {
    /// None if the thread or the address is not watched. `WRITES` says that the access will most
    /// likely write.
    #[inline(always)]
    fn begin<W: Word, const WRITES: bool>(call: Call, op: Op) -> Option<Self> {
        let addr = call.addr;
        let mut thread = thread::enter()?;
        let (mut span, mut site) = (None, 0);
        let mut held = if WRITES {
            // The variable itself and what is remembered for plain accesses, while its place is
            // looked up.
            place::prefetch(addr as *const u8);
            span = shadow::span_if_any(addr);
            if let Some(span) = span
                && SEES_PLAIN.load(Ordering::Relaxed)
            {
                place::prefetch(span.cells(addr).as_ptr().cast());
            }
            site = thread.calls.site(call.pc, op as u8, call.order);
            let intent = if matches!(op, Op::Store) { Intent::Store } else { Intent::Update };
            // The tables are denser than what the thread has seen, and leave that to loads.
            match span.and_then(|span| Place::find_in(span, addr, Kind::Atomic, intent)) {
                Some(held) => held,
                None => make::<W>(&mut thread, addr)?,
            }
        } else {
            find_to_load::<W>(&mut thread, addr)?
        };
        if WRITES {
            held.prefetch(thread.clocks().slot());
        }
        thread.counters.accesses.count();
        // SAFETY: the program is about to access this address with this width.
        let value = unsafe { W::load(addr) }.image();
        let atomic = atomic(&mut held);
        if atomic.location.newest_value() != value || atomic.size != W::SIZE {
            surprise(&mut thread, &mut held, addr, value, W::SIZE);
        }
        Some(Session { thread, held, value, span, site })
    }

    /// Asks the monitor about an access that is about to be made. Most accesses are seen to be
    /// harmless without a search of the history. True if the access has been made, with an
    /// overwritten write instead of the newest one.
    #[inline(always)]
    fn check(&mut self, call: Call, size: u8, action: Action, access: Access<'_>) -> bool {
        let writes = matches!(access, Access::Store | Access::Rmw | Access::BlockingCas { .. });
        !atomic(&mut self.held).location.is_clearly_clean(self.thread.clocks(), writes)
            && self.check_closely(call, size, action, access)
    }

    #[inline(never)]
    fn check_closely(&mut self, call: Call, size: u8, action: Action, access: Access<'_>) -> bool {
        let atomic = atomic(&mut self.held);
        if atomic.mixed {
            return false;
        }
        if provoke::is_provoked() {
            return self.provoke(call, size, action, access);
        }
        if report::is_muted(&self.thread, call.pc) {
            return false;
        }
        match atomic.location.check(self.thread.clocks(), access, call.order()) {
            Finding::Clean => {}
            Finding::Cut => self.thread.counters.cut.count(),
            Finding::Violation(window) => {
                if let Some((access, window)) = violation(&self.thread, call, size, action, access, window) {
                    report::robustness(&self.thread, &access, &window);
                }
            }
        }
        false
    }

    #[inline(always)]
    fn load(&mut self, order: u8) {
        let location = &mut atomic(&mut self.held).location;
        location.load(self.thread.clocks_mut(), Order::decode(order), limits());
    }

    /// Records the access. What is written ends an epoch then, even if it releases nothing: plain
    /// accesses are not recorded, and their epochs say between which writes they were made.
    ///
    /// Inlined, so that what is done is a constant: short runs do little else.
    #[inline(always)]
    fn record(&mut self, call: Call, op: Op, value: u64, extra: u64, success: bool) {
        let Some(is_releasing) = record::event(&mut self.thread, |thread| Record {
            time: record::now(),
            address: call.addr as u64,
            value,
            pc: record::place(thread, call.pc),
            extra,
            tid: thread.tid,
            op,
            order: call.order(),
            failure: Order::decode(call.failure),
            success,
        }) else {
            return;
        };
        if op.writes(success) {
            if is_releasing {
                self.keep_released(call.addr);
            }
            if !call.order().releases() {
                self.thread.clocks_mut().end_epoch();
            }
        }
    }

    /// The write that was just made may be read when it is not the newest any more.
    #[cold]
    fn keep_released(&mut self, addr: usize) {
        provoke::keep(addr, &atomic(&mut self.held).location, limits());
    }

    #[inline(always)]
    fn touch(&self, call: Call, size: u8, write: bool) {
        touch(&self.thread, self.span, call, size, write);
    }

    /// Gives the location back; what the access has read of an overwritten write.
    #[cold]
    #[inline(never)]
    fn end_with<W: Word>(self) -> W {
        self.end();
        W::of_image(provoke::used())
    }

    /// Gives the location back.
    #[inline]
    fn end(self) -> Entered {
        let Session { mut thread, held, .. } = self;
        drop(held);
        thread.renew();
        thread
    }
}

/// Compares the access that is about to be made with plain ones. It is the thread's knowledge
/// before the access that counts: to read with acquire does not order what was written before. And
/// the variable may be gone as soon as the location is given back.
#[inline(always)]
fn touch(thread: &Entered, span: Option<&'static Span>, call: Call, size: u8, write: bool) {
    if SEES_PLAIN.load(Ordering::Relaxed) {
        let span = span.or_else(|| shadow::span_if_any(call.addr));
        race::atomic(thread, span, call.addr, size, How { write, atomic: true }, call.pc);
    }
}

/// Memory does not hold what the history says, or was accessed with another size.
#[cold]
fn surprise(thread: &mut Entered, held: &mut Held, addr: usize, value: u64, size: u8) {
    if atomic(held).location.newest_value() != value {
        atomic(held).location.reset(value);
        held.change(|| ());
        thread.counters.out_of_sight.count();
        record_reset(thread, addr, value);
    }
    let atomic = atomic(held);
    if atomic.size != size && !atomic.mixed {
        atomic.mixed = true;
        stats::MIXED.fetch_add(1, Ordering::Relaxed);
    }
}

#[inline]
fn atomic(held: &mut Held) -> &mut Atomic {
    match held.content() {
        Content::Atomic(atomic) => atomic,
        Content::Sync(_) => unreachable!("places are found by kind"),
    }
}

/// The location at `addr`, remembered for the next load.
#[inline(always)]
fn find_to_load<W: Word>(thread: &mut Entered, addr: usize) -> Option<Held> {
    let seen = thread.seen(addr);
    let place = if seen.addr.get() == addr { seen.place.get() } else { None };
    if let Some(held) = place.and_then(|place| place.hold(addr, Kind::Atomic, Intent::Load)) {
        return Some(held);
    }
    let held = match Place::find(addr, Kind::Atomic, Intent::Load) {
        Some(held) => held,
        None => make::<W>(thread, addr)?,
    };
    seen.addr.set(addr);
    seen.place.set(Some(held.place()));
    seen.tick.set(0);
    seen.knowledge.set(0);
    Some(held)
}

#[cold]
fn make<W: Word>(thread: &mut Entered, addr: usize) -> Option<Held> {
    let made = || {
        // SAFETY: the program is about to access this address with this width.
        let value = unsafe { W::load(addr) }.image();
        Content::Atomic(Atomic { location: Location::new(value), size: W::SIZE, mixed: false })
    };
    let mut held = Place::find_or_make(addr, Kind::Atomic, made)?;
    stats::LOCATIONS.fetch_add(1, Ordering::Relaxed);
    let value = atomic(&mut held).location.newest_value();
    record_reset(thread, addr, value);
    Some(held)
}

fn record_reset(thread: &mut Entered, addr: usize, value: u64) {
    record::event(thread, |thread| Record {
        time: record::now(),
        address: addr as u64,
        value,
        pc: 0,
        extra: 0,
        tid: thread.tid,
        op: Op::Reset,
        order: Order::Relaxed,
        failure: Order::Relaxed,
        success: true,
    });
}

/// A load, or a compare-and-exchange that failed, has read `value`: is it made again and again?
#[inline(always)]
fn has_read(thread: &mut Entered, call: Call, value: u64) -> bool {
    let is_repeated = is_made_again(thread, call);
    if !is_repeated {
        remember_load(thread, call, value);
    }
    is_repeated && has_read_again(thread, call, value)
}

/// Was the same load the last thing that the thread did?
#[inline(always)]
fn is_made_again(thread: &Thread, call: Call) -> bool {
    let last = thread.last_load.get();
    last.pc == call.pc && last.addr == call.addr && last.calls == thread.calls.outer()
}

/// A load that is made for the first time.
#[inline(always)]
fn remember_load(thread: &Thread, call: Call, value: u64) {
    let calls = thread.calls.outer();
    thread.last_load.set(LastLoad { pc: call.pc, addr: call.addr, calls, value, times: 0, is_learnt: false });
}

#[inline(never)]
fn has_read_again(thread: &mut Entered, call: Call, value: u64) -> bool {
    let last = thread.last_load.get();
    if !last.is_learnt && options::get().spin_detection && spin::learn(thread.calls.near(call.pc), last.value) {
        report::spinning(thread, call.pc, last.value);
    }
    thread.collisions.forget();
    let times = last.times.saturating_add(1);
    thread.last_load.set(LastLoad { value, times, is_learnt: last.value == value, ..last });
    times >= ROUNDS
}

/// The thread has just loaded the variable, or stored to it, and it has this version and value now.
#[inline(always)]
fn see(thread: &Entered, seen: &Seen, version: u64, value: u64, orders: u8) {
    seen.version.set(version);
    seen.value.set(value);
    seen.orders.set(orders);
    seen.tick.set(tick_of(thread, seen));
    seen.knowledge.set(thread.knowledge());
}

/// The tick of a load that was just made: while it lasts, the same load tells the monitor nothing. An
/// SC load that comes after one that has acquired something does.
#[inline(always)]
fn tick_of(thread: &Entered, seen: &Seen) -> u64 {
    match seen.covers(Order::SeqCst as u8) && thread.clocks().has_acquired_sc() {
        true => 0,
        false => thread.tick(),
    }
}

/// A load of what this thread has loaded last time, with nothing new on either side, tells the
/// monitor nothing: it is made without the lock. None if that is not the case.
///
/// # Safety
/// As for `load`.
#[inline(always)]
unsafe fn load_again<W: Word>(thread: &Thread, seen: &Seen, call: Call) -> Option<W> {
    let place = seen.place.get()?;
    let version = seen.version.get();
    if place.version() != version || record::is_active() || thread.is_busy() {
        return None;
    }
    // SAFETY: the caller's promise.
    let value = unsafe { W::load(call.addr) };
    if value.image() != seen.value.get() || place.version() != version {
        return None;
    }
    if is_made_again(thread, call) {
        let mut last = thread.last_load.get();
        // What keeps a loop spinning is learnt on the other path.
        if !last.is_learnt && options::get().spin_detection && spin::is_news(thread.calls.near(call.pc), last.value) {
            return None;
        }
        last.is_learnt = true;
        last.times = last.times.saturating_add(1);
        thread.last_load.set(last);
        thread.counters.accesses.count();
        if last.times >= ROUNDS {
            schedule::spinning(last.times);
        }
    } else {
        remember_load(thread, call, value.image());
        thread.counters.accesses.count();
    }
    Some(value)
}

/// A load of what this thread has loaded last time. If it knew of the others what it knows now,
/// only how much it has written itself since is news; and it cannot miss a write in any case. None
/// if there was a write since.
///
/// # Safety
/// As for `load`.
#[inline(always)]
unsafe fn load_once_more<W: Word>(thread: &'static Thread, seen: &Seen, call: Call) -> Option<W> {
    let mut thread = thread.enter()?;
    // Once more, now that no signal handler changes it.
    let is_same = seen.addr.get() == call.addr && seen.covers(call.order);
    let knowledge = seen.knowledge.get();
    if !is_same || !thread.has_known(knowledge) || is_made_again(&thread, call) || record::is_active() {
        return None;
    }
    let place = seen.place.get()?;
    // Mostly this is how a write is seen, without the lock that the other path takes too.
    if place.version() != seen.version.get() {
        return None;
    }
    let mut held = place.hold(call.addr, Kind::Atomic, Intent::Read)?;
    // SAFETY: the caller's promise.
    let value = unsafe { W::load(call.addr) };
    if held.place().version() != seen.version.get() || value.image() != seen.value.get() {
        return None;
    }
    thread.counters.accesses.count();
    touch(&thread, None, call, W::SIZE, false);
    let location = &mut atomic(&mut held).location;
    if knowledge == thread.knowledge() {
        location.load_again(thread.clocks_mut(), call.order());
        // What an SC load passes on, another one does not.
        if seen.covers(Order::SeqCst as u8) && !call.order().is_sc() {
            seen.orders.set(seen::of_load(Order::Acquire));
        }
    } else {
        location.load_again_knowing_more(thread.clocks_mut(), call.order(), limits());
        seen.orders.set(seen::of_load(call.order()));
        seen.knowledge.set(thread.knowledge());
    }
    drop(held);
    remember_load(&thread, call, value.image());
    seen.tick.set(tick_of(&thread, seen));
    Some(value)
}

/// # Safety
/// The address must be valid for an atomic access of this width; so for all functions here.
#[inline]
pub(super) unsafe fn load<W: Word>(call: Call) -> W {
    if schedule::is_controlled() {
        // SAFETY: the caller's promise.
        return unsafe { in_turn::load(call) };
    }
    // SAFETY: as above.
    unsafe { load_now(call) }
}

/// # Safety
/// As for `load`.
#[inline(always)]
unsafe fn load_now<W: Word>(call: Call) -> W {
    if let Some(thread) = thread::watched() {
        let seen = thread.seen(call.addr);
        if seen.addr.get() == call.addr && seen.covers(call.order) {
            let loaded = if seen.tick.get() == thread.tick() {
                // SAFETY: the caller's promise.
                unsafe { load_again(thread, seen, call) }
            } else {
                // SAFETY: the caller's promise.
                unsafe { load_once_more(thread, seen, call) }
            };
            if let Some(value) = loaded {
                return value;
            }
        }
    }
    // SAFETY: the caller's promise.
    unsafe { load_closely(call.addr, call.order, call.pc) }
}

/// # Safety
/// As for `load`.
#[inline(never)]
unsafe fn load_closely<W: Word>(addr: usize, order: u8, pc: usize) -> W {
    let call = Call { addr, order, failure: 0, pc };
    let Some(mut session) = Session::begin::<W, false>(call, Op::Load) else {
        // SAFETY: the caller's promise.
        return unsafe { W::load(call.addr) };
    };
    session.touch(call, W::SIZE, false);
    if session.check(call, W::SIZE, Action::Load, Access::Load) {
        return session.end_with();
    }
    // SAFETY: the caller's promise.
    let value = unsafe { W::load(call.addr) };
    session.load(call.order);
    session.record(call, Op::Load, value.image(), 0, true);
    let spinning = has_read(&mut session.thread, call, value.image());
    let rounds = session.thread.last_load.get().times;
    let place = session.held.place();
    let version = place.version();
    let thread = session.end();
    // The address and the place are there since the session has begun.
    see(&thread, thread.seen(call.addr), version, value.image(), seen::of_load(call.order()));
    drop(thread);
    if spinning {
        schedule::spinning(rounds);
    }
    value
}

/// # Safety
/// As for `load`.
#[inline]
pub(super) unsafe fn store<W: Word>(call: Call, value: W) {
    if schedule::is_controlled() {
        // SAFETY: the caller's promise.
        unsafe { in_turn::begin_write(call, Step::Write, value) };
        if explore::is_weak() {
            // SAFETY: as above.
            return unsafe { decided::store(call, value) };
        }
    }
    let Some(mut session) = Session::begin::<W, true>(call, Op::Store) else {
        // SAFETY: the caller's promise.
        unsafe { W::store(call.addr, value) };
        return;
    };
    session.touch(call, W::SIZE, true);
    if session.check(call, W::SIZE, Action::Store, Access::Store) {
        session.end();
        return;
    }
    // SAFETY: the caller's promise.
    session.held.change(|| unsafe { W::store(call.addr, value) });
    let location = &mut atomic(&mut session.held).location;
    location.store(session.thread.clocks_mut(), call.order(), value.image(), session.site, limits());
    session.record(call, Op::Store, value.image(), 0, true);
    session.thread.does_something();
    let place = session.held.place();
    let version = place.version();
    let thread = session.end();
    // A load of what was just stored tells the monitor no more than a load again. Who does not load
    // the variable does not need to know.
    let seen = thread.seen(call.addr);
    if seen.addr.get() == call.addr {
        seen.place.set(Some(place));
        see(&thread, seen, version, value.image(), seen::of_store(call.order()));
        if SEES_PLAIN.load(Ordering::Relaxed) {
            // The store may have ended its epoch: the first load is remembered for plain accesses.
            seen.tick.set(0);
        }
    }
}

impl Session {
    #[inline(always)]
    fn written(&mut self, call: Call, value: u64) {
        let location = &mut atomic(&mut self.held).location;
        location.rmw(self.thread.clocks_mut(), call.order(), value, self.site, limits());
        self.thread.does_something();
    }
}

/// # Safety
/// As for `load`.
#[inline]
pub(super) unsafe fn fetch<W: Word>(addr: usize, order: u32, pc: usize, fetch: Fetch, value: W) -> W {
    let call = Call::new(addr, order, pc);
    if schedule::is_controlled() {
        // SAFETY: the caller's promise.
        return unsafe { in_turn::fetch(call, fetch, value) };
    }
    // SAFETY: as above.
    unsafe { fetch_now(call, fetch, value) }
}

/// # Safety
/// As for `load`.
#[inline(always)]
unsafe fn fetch_now<W: Word>(call: Call, fetch: Fetch, value: W) -> W {
    let Some(mut session) = Session::begin::<W, true>(call, Op::Rmw) else {
        // SAFETY: the caller's promise.
        return unsafe { W::fetch(call.addr, fetch, value) };
    };
    session.touch(call, W::SIZE, true);
    let old = if session.check(call, W::SIZE, fetch.action(), Access::Rmw) {
        W::of_image(provoke::used())
    } else {
        // SAFETY: the caller's promise.
        let old = session.held.change(|| unsafe { W::fetch(call.addr, fetch, value) });
        let new = W::combine(fetch, old, value).image();
        session.written(call, new);
        session.record(call, Op::Rmw, new, old.image(), true);
        old
    };
    session.end();
    old
}

/// Compares and exchanges; returns what was there, and whether it succeeded. Under a controlled
/// schedule a weak one may fail although it could succeed.
///
/// # Safety
/// As for `load`.
#[inline]
pub(super) unsafe fn cas<W: Word>(call: Call, weak: bool, expected: W, new: W) -> (W, bool) {
    if schedule::is_controlled() {
        // SAFETY: the caller's promise.
        return unsafe { in_turn::cas(call, weak, expected, new) };
    }
    // SAFETY: as above.
    unsafe { cas_now(call, weak, false, expected, new) }
}

/// # Safety
/// As for `load`.
#[inline(always)]
unsafe fn cas_now<W: Word>(call: Call, weak: bool, fails: bool, expected: W, new: W) -> (W, bool) {
    match provoke::is_provoked() {
        // SAFETY: the caller's promise.
        true => unsafe { cas_in_provoked_run(call, weak, fails, expected, new) },
        // SAFETY: as above.
        false => unsafe { cas_in::<W, false>(call, weak, fails, expected, new) },
    }
}

/// # Safety
/// As for `load`.
#[cold]
#[inline(never)]
unsafe fn cas_in_provoked_run<W: Word>(call: Call, weak: bool, fails: bool, expected: W, new: W) -> (W, bool) {
    // SAFETY: the caller's promise.
    unsafe { cas_in::<W, true>(call, weak, fails, expected, new) }
}

/// See `cas`; whether it `fails` for no reason was decided. In a provoked run it is not known before the check whether it writes.
///
/// # Safety
/// As for `load`.
#[inline(always)]
unsafe fn cas_in<W: Word, const PROVOKED: bool>(call: Call, weak: bool, fails: bool, expected: W, new: W) -> (W, bool) {
    let op = if weak { Op::CasWeak } else { Op::CasStrong };
    let Some(mut session) = Session::begin::<W, true>(call, op) else {
        // SAFETY: the caller's promise.
        let old = unsafe { W::cas(call.addr, expected, new) };
        return (old, old == expected);
    };
    let (wanted, failure) = (expected.image(), Order::decode(call.failure));
    let (action, access) = if weak {
        (Action::CasWeak, Access::WeakCas { expected: wanted, failure })
    } else {
        (Action::CasStrong, Access::StrongCas { expected: wanted, failure })
    };
    if PROVOKED {
        let is_read = fails && explore::is_decided();
        let taken = match is_read {
            // It only reads, whatever it finds.
            true => {
                session.touch(call, W::SIZE, false);
                session.check(Call { order: call.failure, ..call }, W::SIZE, action, Access::Load)
            }
            false => session.check(call, W::SIZE, action, access),
        };
        if taken {
            let old = session.end_with();
            return (old, old == expected && !is_read);
        }
    }
    session.touch(call, W::SIZE, session.value == wanted && !fails);
    if !PROVOKED {
        session.check(call, W::SIZE, action, access);
    }
    let old = if fails {
        // SAFETY: the caller's promise.
        unsafe { W::load(call.addr) }
    } else {
        // SAFETY: the caller's promise.
        session.held.change(|| unsafe { W::cas(call.addr, expected, new) })
    };
    let success = old == expected && !fails;
    let mut spinning = false;
    if success {
        session.written(call, new.image());
        session.record(call, op, new.image(), wanted, true);
    } else {
        session.load(call.failure);
        session.record(call, op, old.image(), wanted, false);
        // That it is made again after it failed for no reason says nothing about the value.
        if old == expected {
            session.thread.does_something();
        } else {
            spinning = has_read(&mut session.thread, call, old.image());
        }
    }
    let rounds = session.thread.last_load.get().times;
    session.end();
    if spinning {
        schedule::spinning(rounds);
    }
    (old, success)
}

/// Waits until what is read is `value`, or if `differs`, is not; returns what was read.
///
/// # Safety
/// As for `load`.
pub(super) unsafe fn wait<W: Word>(call: Call, value: W, differs: bool) -> W {
    let wanted = |image: u64| (image == value.image()) != differs;
    // SAFETY: the caller's promise.
    unsafe { in_turn::begin_wait(call, value, differs, None) };
    if explore::is_weak() {
        return in_turn::wait_decided(call, wanted);
    }
    let mut again = false;
    loop {
        let Some(mut session) = Session::begin::<W, false>(call, Op::Wait) else {
            // SAFETY: the caller's promise.
            let read = unsafe { W::load(call.addr) };
            if wanted(read.image()) {
                return read;
            }
            std::hint::spin_loop();
            schedule::waits(call.addr, again);
            again = true;
            continue;
        };
        if session.check(call, W::SIZE, Action::Wait, Access::Wait { wanted: &wanted }) {
            return session.end_with();
        }
        // SAFETY: the caller's promise.
        let read = unsafe { W::load(call.addr) };
        if wanted(read.image()) {
            session.touch(call, W::SIZE, false);
            session.load(call.order);
            session.record(call, Op::Wait, read.image(), 0, true);
            session.thread.does_something();
            session.end();
            in_turn::has_read(read.image());
            return read;
        }
        drop(session);
        schedule::waits(call.addr, again);
        again = true;
    }
}

/// Waits until it can write `new` over `expected`.
///
/// # Safety
/// As for `load`.
pub(super) unsafe fn blocking_cas<W: Word>(call: Call, expected: W, new: W) {
    // SAFETY: the caller's promise.
    unsafe { in_turn::begin_wait(call, expected, false, Some(new)) };
    if explore::is_weak() {
        // SAFETY: as above.
        return unsafe { in_turn::take_decided(call, expected, new) };
    }
    let mut again = false;
    loop {
        let Some(mut session) = Session::begin::<W, true>(call, Op::BlockingCas) else {
            // SAFETY: the caller's promise.
            if unsafe { W::cas(call.addr, expected, new) } == expected {
                return;
            }
            std::hint::spin_loop();
            schedule::waits(call.addr, again);
            again = true;
            continue;
        };
        if session.check(call, W::SIZE, Action::BlockingCas, Access::BlockingCas { expected: expected.image() }) {
            session.end();
            return;
        }
        if session.value == expected.image() {
            session.touch(call, W::SIZE, true);
        }
        // SAFETY: the caller's promise.
        if session.held.change(|| unsafe { W::cas(call.addr, expected, new) }) == expected {
            session.written(call, new.image());
            session.record(call, Op::BlockingCas, new.image(), expected.image(), true);
            session.end();
            in_turn::has_written(call.addr, expected.image(), new.image());
            return;
        }
        drop(session);
        schedule::waits(call.addr, again);
        again = true;
    }
}

/// A fence. What it orders is known to its thread alone until an access passes it on: no lock is
/// taken.
pub(super) fn fence(order: u32, pc: usize) {
    in_turn::fence(order, pc);
    std::sync::atomic::fence(Ordering::SeqCst);
    let Some(mut thread) = thread::enter() else { return };
    thread.counters.fences.count();
    match crate::explore::is_decided() {
        // A round with a fence is like one without, to a loop that waits.
        true => thread.looks(),
        false => thread.does_something(),
    }
    let order = Order::decode(order as u8 & 7);
    if order != Order::Relaxed {
        thread.clocks_mut().fence(order);
        let pc = if record::is_active() { record::place(&mut thread, pc) } else { 0 };
        record::event(&mut thread, |thread| Record {
            time: record::now(),
            address: 0,
            value: 0,
            pc,
            extra: 0,
            tid: thread.tid,
            op: Op::Fence,
            order,
            failure: Order::Relaxed,
            success: true,
        });
    }
    thread.renew();
}
