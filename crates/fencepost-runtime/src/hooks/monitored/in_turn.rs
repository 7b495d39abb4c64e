//! Atomic accesses under a controlled schedule: when it is the thread's turn. If somebody decides,
//! each is a step, and what became of it is told.

use fencepost_protocol::Order;
use fencepost_protocol::exploration::{Kind, Step, flag};

use super::{Call, cas_now, fetch_now, load_now};
use crate::hooks::word::{Fetch, Word};
use crate::thread;
use crate::{early, explore, local, schedule};

fn step(call: Call, kind: Kind, size: u8) -> Step {
    Step {
        pc: call.pc as u64,
        order: call.order(),
        failure: Order::decode(call.failure),
        size,
        ..Step::new(kind, call.addr as u64)
    }
}

/// The access is about to be made, if what is there is what it waits for.
pub(super) fn begin_wait(call: Call, kind: Kind, size: u8) {
    match explore::is_decided() {
        true => schedule::about_step(Step { flags: flag::WAITS, ..step(call, kind, size) }),
        false => schedule::point(),
    }
}

/// The access is about to be made.
pub(super) fn begin(call: Call, kind: Kind, size: u8) {
    match explore::is_decided() {
        true => schedule::about_step(step(call, kind, size)),
        false => schedule::point(),
    }
}

/// The same, of one that writes `value` without a look.
pub(super) fn begin_write(call: Call, kind: Kind, size: u8, value: u64) {
    begin(call, kind, size);
    if explore::is_decided() {
        schedule::has_taken(|step| step.written = value);
        schedule::was_written(call.addr, true);
        early::writes();
    }
}

/// The same, of one that may go round a loop.
fn begin_read(call: Call, kind: Kind, size: u8) {
    if explore::is_decided()
        && let Some(thread) = thread::watched()
    {
        local::about_to_read(thread);
    }
    begin(call, kind, size);
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
            early::writes();
        }
    }
}

/// # Safety
/// As for `load`.
#[cold]
#[inline(never)]
pub(super) unsafe fn load<W: Word>(call: Call) -> W {
    begin_read(call, Kind::Read, W::SIZE);
    // SAFETY: the caller's promise.
    let value = unsafe { load_now::<W>(call) };
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
    begin_read(call, Kind::Update, W::SIZE);
    let had_effect = thread::watched().is_some_and(|thread| thread.has_effect.get());
    // SAFETY: the caller's promise.
    let old = unsafe { fetch_now(call, fetch, value) };
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
    let state = local::state();
    if let Some(thread) = thread::watched() {
        local::about_to_read(thread);
    }
    // Whether it fails for no reason is chosen before it is known what is there.
    let fails = weak && local::may_be_unlucky(state) && schedule::choose(2) == 1;
    begin(call, if fails { Kind::Read } else { Kind::Update }, W::SIZE);
    let had_effect = thread::watched().is_some_and(|thread| thread.has_effect.get());
    // SAFETY: the caller's promise.
    let (old, success) = unsafe { cas_now(call, weak, fails, expected, new) };
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

/// A fence: no step of its own, because what it does concerns its own thread until an access passes
/// it on.
pub(super) fn fence(order: u32, pc: usize) {
    schedule::point();
    if explore::is_decided() {
        let order = Order::decode(order as u8 & 7);
        schedule::also(Step { pc: pc as u64, order, ..Step::new(Kind::Fence, 0) });
    }
}
