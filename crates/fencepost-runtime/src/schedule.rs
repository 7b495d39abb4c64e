//! Controlled schedules: one thread runs at a time, and a seeded scheduler decides which.
//!
//! Decisions are made at [`point`]s: before atomic accesses and fences, at operations on locks and
//! threads. They are made by a [`policy`], which sees numbers of threads in the order of their
//! creation and nothing else, so that a seed determines the schedule. The [`baton`] is the
//! mechanism, around a [`control`] that knows who may run and who waits for what.
//!
//! Operations that wait are modelled. A thread tries. If it would have to wait, it is blocked on a
//! [`Key`] until another one does the matching operation, and tries again. Time is virtual: every
//! decision takes a microsecond, and when nobody can run, the earliest timeout is due at once. The
//! program's clocks go ahead by as much (`intercept::clocks`).
//!
//! Calls into the kernel that may wait for the outside world are left to themselves ([`outside`]).
//! With them a run is not exactly replayable, which is noted. If all threads wait and that does not
//! change for a while, it is a deadlock, and the process is ended.

mod baton;
mod control;
mod kernel;
mod plan;
mod policy;

use std::sync::atomic::Ordering;

pub(crate) use baton::{
    also, assumed, begin, cancelled, choose, circles, created, decided, decided_steps, decided_to_the_end, decision,
    diverged, ending, exists, finished, forked, frozen, has_taken, holds, let_others_finish, outside, rouse, stale_way,
    start, step_in, step_out, steps, vary, wake, was_written, watches,
};
use control::CONTROLLED;
pub(crate) use control::{Key, Outcome, Timeout, Waiting};
use fencepost_protocol::exploration::{Class, Kind, Step, flag};
use policy::Reason;

use crate::{early, explore, weak};

/// All that wait for a key.
pub(crate) const ALL: usize = usize::MAX;

/// The running thread is about to do something that others can see: the schedule may go on with
/// another.
#[inline]
pub(crate) fn point() {
    if CONTROLLED.load(Ordering::Relaxed) {
        baton::decide(Reason::Point);
    }
}

/// The running thread is about to take this step. Where somebody decides every step, this is the
/// only kind of point.
#[inline]
pub(crate) fn about(kind: Kind, object: usize) {
    if CONTROLLED.load(Ordering::Relaxed) {
        baton::about(Step::new(kind, object as u64));
    }
}

/// The same, with more to say.
pub(crate) fn about_step(step: Step) {
    baton::about(step);
}

/// The running thread is about to use an object.
#[inline]
pub(crate) fn about_object(kind: Kind, class: Class, object: usize) {
    if CONTROLLED.load(Ordering::Relaxed) {
        baton::about(step_of(kind, class, object));
    }
}

/// The same, where it is a step only if somebody decides every step.
#[inline]
pub(crate) fn about_object_if_decided(kind: Kind, class: Class, object: usize) {
    if explore::is_decided() {
        about_object(kind, class, object);
    }
}

/// A step that uses an object.
pub(crate) fn step_of(kind: Kind, class: Class, object: usize) -> Step {
    let name = if explore::is_weak() { weak::name_of_object(object) } else { object as u64 };
    Step::of_object(kind, class, name)
}

/// Does `work` with an object, of which `state` tells in which state it is. Belongs to the step that
/// the running thread takes.
pub(crate) fn with_object<T>(object: usize, state: impl Fn() -> u64, work: impl FnOnce() -> T) -> T {
    if !explore::is_decided() {
        return work();
    }
    let read = state();
    let result = work();
    let written = state();
    baton::has_used(object, |step, _| (step.read, step.written) = (read, written));
    result
}

/// The running thread goes on after it has waited at this object, which orders it.
pub(crate) fn goes_on_at(object: usize) {
    if explore::is_decided() {
        baton::has_taken(|step| step.object = step_of(Kind::GoOn, Class::Barrier, object).object);
    }
}

/// How a use of an object orders threads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Orders {
    /// What was released there comes before what the thread does from now on.
    Acquires,
    /// What the thread has done comes before what others acquire there.
    Releases,
    /// The same, instead of what was released there before.
    Replaces,
}

/// The running thread was ordered through the object, or a part of it, at this address.
pub(crate) fn orders(addr: usize, how: Orders) {
    if explore::is_decided() {
        baton::has_used(addr, |step, part| match how {
            Orders::Acquires => step.acquires |= part,
            Orders::Releases => step.releases |= part,
            Orders::Replaces => (step.releases, step.replaces) = (step.releases | part, step.replaces | part),
        });
    }
}

/// Rounds of a busy wait after which a thread gives its processor away, if nobody schedules it.
const PATIENCE: u32 = 128;

/// The running thread was seen to wait busily, for so many rounds: others go first.
#[inline]
pub(crate) fn spinning(rounds: u32) {
    if CONTROLLED.load(Ordering::Relaxed) {
        baton::decide(Reason::Spin);
    } else if rounds.is_multiple_of(PATIENCE) {
        // Where all threads spin, the one that they wait for may have no processor, and each of the
        // others would use up its time slice first.
        kernel::give_way();
    }
}

/// The running thread says that it has nothing to do: others may go first.
#[inline]
pub(crate) fn yields() {
    if CONTROLLED.load(Ordering::Relaxed) {
        baton::decide(Reason::Yield);
    }
}

/// The running thread waits for a value at this address and has found another one, or found it
/// `again`: it goes on when something has happened.
pub(crate) fn waits(addr: usize, again: bool) {
    if CONTROLLED.load(Ordering::Relaxed) {
        baton::decide(Reason::Vain { addr, again });
    } else if again {
        // It may wait for a thread that waits for a processor.
        kernel::give_way();
    }
}

/// Does a weak compare-and-swap that is made now fail, although it could succeed?
#[inline]
pub(crate) fn fails_for_no_reason() -> bool {
    CONTROLLED.load(Ordering::Relaxed) && baton::fails_for_no_reason()
}

/// Are schedules controlled?
#[inline]
pub(crate) fn is_controlled() -> bool {
    CONTROLLED.load(Ordering::Relaxed)
}

/// Is the calling thread scheduled by us, and not at work for the runtime?
#[inline]
pub(crate) fn controls() -> bool {
    CONTROLLED.load(Ordering::Relaxed) && baton::controls_this_thread()
}

/// Tries until `attempt` has an answer, which others may have to make possible by waking `key`. It
/// is this step.
pub(crate) fn retry<T>(
    step: Step,
    key: Key,
    timeout: Option<Timeout>,
    mut attempt: impl FnMut() -> Option<T>,
) -> Result<T, Outcome> {
    if CONTROLLED.load(Ordering::Relaxed) {
        match (timeout, key) {
            (Some(_), Key::Thread(_)) if explore::is_decided() => {
                explore::remark(
                    "a thread was waited for with a time limit, which ends only when nobody else can go on",
                );
            }
            (Some(timeout), _) if early::is_over(timeout) => {
                // It is a look.
                baton::about(Step { flags: 0, kind: Kind::Object, ..step });
                return attempt().ok_or(Outcome::TimedOut);
            }
            _ => {}
        }
        baton::about(Step { flags: step.flags | flag::WAITS, ..step });
    }
    loop {
        if let Some(result) = attempt() {
            return Ok(result);
        }
        match baton::block(key, timeout, true, || ()) {
            Outcome::Woken => {}
            outcome => return Err(outcome),
        }
    }
}

/// The calling thread cannot go on before `key` is woken or the time is over. `before` is done once
/// it counts as waiting, and before any other thread runs.
pub(crate) fn block(key: Key, timeout: Option<Timeout>, before: impl FnOnce()) -> Outcome {
    baton::block(key, timeout, false, before)
}
