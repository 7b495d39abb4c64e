//! Atomic accesses under a controlled schedule: when it is the thread's turn. If somebody decides,
//! each is a step, and what became of it is told.

use fencepost_protocol::Order;
use fencepost_protocol::exploration::{Kind, Step, flag};

use super::{Call, cas_now, decided, fetch_now, load_now};
use crate::hooks::word::{Fetch, Word};
use crate::thread;
use crate::{early, explore, local, schedule};

/// What is about to be done.
///
/// # Safety
/// As for `load`.
unsafe fn step<W: Word>(call: Call, kind: Kind) -> Step {
    let object = match explore::is_weak() {
        // SAFETY: the caller's promise.
        true => unsafe { decided::name::<W>(call.addr) },
        false => call.addr as u64,
    };
    Step {
        pc: call.pc as u64,
        order: call.order(),
        failure: Order::decode(call.failure),
        size: W::SIZE,
        ..Step::new(kind, object)
    }
}

/// The access is about to be made, and `says` what is known of it.
///
/// # Safety
/// As for `load`.
unsafe fn begin<W: Word>(call: Call, kind: Kind, says: impl FnOnce(Step) -> Step) {
    match explore::is_decided() {
        true => {
            explore::called();
            // SAFETY: the caller's promise.
            schedule::about_step(says(unsafe { step::<W>(call, kind) }));
        }
        false => schedule::point(),
    }
}

/// The access is about to be made, if it finds `expected`, or if it `differs`, anything else; then
/// it may write `new`.
///
/// # Safety
/// As for `load`.
pub(super) unsafe fn begin_wait<W: Word>(call: Call, expected: W, differs: bool, new: Option<W>) {
    let kind = if new.is_some() { Kind::Update } else { Kind::Read };
    let flags = flag::WAITS | flag::AWAITS | if differs { flag::DIFFERS } else { 0 };
    let (expected, written) = (expected.image(), new.map_or(0, Word::image));
    // SAFETY: the caller's promise.
    unsafe { begin::<W>(call, kind, |step| Step { flags, expected, written, ..step }) };
}

/// The access is about to be made, and writes `value` without a look.
///
/// # Safety
/// As for `load`.
pub(super) unsafe fn begin_write<W: Word>(call: Call, kind: Kind, value: W) {
    // SAFETY: the caller's promise.
    unsafe { begin::<W>(call, kind, |step| Step { written: value.image(), ..step }) };
    if explore::is_decided() {
        schedule::was_written(call.addr, true);
        early::writes();
    }
}

/// The access may go round a loop.
fn may_go_round() {
    if explore::is_decided()
        && let Some(thread) = thread::watched()
    {
        local::about_to_read(thread);
    }
}

/// The access has read this value.
pub(super) fn has_read(value: u64) {
    if explore::is_decided() {
        schedule::has_taken(|step| step.read = value);
    }
}

/// The access has read `old` and written `new`.
pub(super) fn has_written(addr: usize, old: u64, new: u64) {
    if explore::is_decided() {
        schedule::has_taken(|step| (step.read, step.written, step.flags) = (old, new, step.flags | flag::SUCCESS));
        schedule::was_written(addr, old != new);
        if old != new {
            early::replaces(addr);
        }
    }
}

/// # Safety
/// As for `load`.
#[cold]
#[inline(never)]
pub(super) unsafe fn load<W: Word>(call: Call) -> W {
    may_go_round();
    // SAFETY: the caller's promise.
    let value = unsafe {
        begin::<W>(call, Kind::Read, |step| step);
        if explore::is_weak() { decided::load::<W>(call) } else { load_now::<W>(call) }
    };
    if explore::is_decided() {
        has_read(value.image());
        local::has_read(call.addr, W::SIZE, value.image(), false);
    }
    value
}

/// # Safety
/// As for `load`.
#[cold]
#[inline(never)]
pub(super) unsafe fn fetch<W: Word>(call: Call, fetch: Fetch, value: W) -> W {
    may_go_round();
    // SAFETY: the caller's promise.
    unsafe { begin::<W>(call, Kind::Update, |step| step) };
    let had_effect = thread::watched().is_some_and(|thread| thread.has_effect.get());
    // SAFETY: the caller's promise.
    let old =
        unsafe { if explore::is_weak() { decided::fetch(call, fetch, value) } else { fetch_now(call, fetch, value) } };
    let new = W::combine(fetch, old, value);
    if explore::is_decided() {
        has_written(call.addr, old.image(), new.image());
        if old == new {
            // Nobody can tell the difference, the thread itself included.
            thread::watched().inspect(|thread| thread.has_effect.set(had_effect));
            local::has_read(call.addr, W::SIZE, old.image(), true);
        }
    }
    old
}

/// # Safety
/// As for `load`.
#[cold]
#[inline(never)]
pub(super) unsafe fn cas<W: Word>(call: Call, weak: bool, expected: W, new: W) -> (W, bool) {
    if !explore::is_decided() {
        schedule::point();
        let fails = weak && schedule::fails_for_no_reason();
        // SAFETY: the caller's promise.
        return unsafe { cas_now(call, weak, fails, expected, new) };
    }
    if early::takes_back(call.addr) && !explore::is_weak() {
        // SAFETY: the caller's promise.
        unsafe { super::blocking_cas(call, expected, new) };
        return (expected, true);
    }
    let state = local::state();
    may_go_round();
    // Whether it fails for no reason is chosen before it is known what is there.
    let fails = weak && local::may_be_unlucky(state) && schedule::choose(2) == 1;
    let (wanted, written) = (expected.image(), new.image());
    let says = |step: Step| match fails {
        // It is a read, whatever it finds.
        true => Step { kind: Kind::Read, order: step.failure, ..step },
        false => Step { expected: wanted, written, flags: flag::COMPARES, ..step },
    };
    // SAFETY: the caller's promise.
    unsafe { begin::<W>(call, Kind::Update, says) };
    let had_effect = thread::watched().is_some_and(|thread| thread.has_effect.get());
    // SAFETY: the caller's promise.
    let (old, success) = unsafe {
        match explore::is_weak() {
            true => decided::cas(call, fails, expected, new),
            false => cas_now(call, weak, fails, expected, new),
        }
    };
    if success {
        has_written(call.addr, old.image(), new.image());
    } else {
        let tried = step_flags_if_tried(fails);
        schedule::has_taken(|step| {
            (step.kind, step.read, step.flags) = (Kind::Read, old.image(), step.flags | tried);
        });
    }
    match fails {
        true if old == expected => local::was_unlucky(state),
        // It fails anyway, which was chosen, too.
        true => schedule::assumed(),
        false if !success || old == new => {
            thread::watched().inspect(|thread| thread.has_effect.set(had_effect));
            local::has_read(call.addr, W::SIZE, old.image(), success);
        }
        false => {}
    }
    (old, success)
}

/// A compare-and-swap that was to fail could not have written.
fn step_flags_if_tried(fails: bool) -> u8 {
    if fails { 0 } else { flag::TRIED }
}

/// As [`super::wait`], in a run that need not be SC.
pub(super) fn wait_decided<W: Word>(call: Call, wanted: impl Fn(u64) -> bool) -> W {
    let mut again = false;
    loop {
        let (value, is_it) = decided::look::<W>(call, &wanted);
        has_read(value.image());
        if is_it {
            return value;
        }
        schedule::waits(call.addr, again);
        again = true;
    }
}

/// As [`super::blocking_cas`], in a run that need not be SC.
///
/// # Safety
/// As for `load`.
pub(super) unsafe fn take_decided<W: Word>(call: Call, expected: W, new: W) {
    let mut again = false;
    loop {
        // SAFETY: the caller's promise.
        let old = unsafe { decided::take(call, expected, new) };
        if old == expected {
            return has_written(call.addr, old.image(), new.image());
        }
        has_read(old.image());
        schedule::waits(call.addr, again);
        again = true;
    }
}

/// A fence: no step of its own, because what it does concerns its own thread until an access passes
/// it on.
pub(super) fn fence(order: u32, pc: usize) {
    schedule::point();
    if explore::is_decided() {
        let order = Order::decode(order as u8 & 7);
        schedule::also(Step { pc: pc as u64, order, ..Step::new(Kind::Fence, 0) });
    }
}
