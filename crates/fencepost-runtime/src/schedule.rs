//! Controlled schedules: one thread runs at a time, and a seeded scheduler decides which.
//!
//! Decisions are made at [`point`]s (before atomic accesses and fences, at operations on locks and threads) by a
//! [`policy`], which sees numbers of threads in the order of their creation and nothing else, so that a seed determines the schedule. The
//! [`baton`] is the mechanism: who may run, who waits for what, and what to do about waiting that is out of sight.
//!
//! Operations that wait are modelled: a thread tries, and if it would have to wait it is blocked on a [`Key`] until another one does the
//! matching operation, and tries again. Time is virtual: every decision takes a microsecond, and when nobody can run the earliest timeout is due at
//! once. Calls into the kernel that may wait for the outside world are left to themselves ([`outside`]); with them a run is not exactly
//! replayable, which is noted. If all threads wait, control ends and the program goes on, or hangs, as it would on its own.

mod baton;
mod policy;

use std::sync::atomic::Ordering;

pub(crate) use baton::{
    Key, Outcome, Timeout, begin, block, cancelled, created, ending, exists, finished, forked, frozen, outside, rouse,
    start, steps, wake,
};
use policy::Reason;

/// All that wait for a key.
pub(crate) const ALL: usize = usize::MAX;

/// The running thread is about to do something that others can see: the schedule may go on with another.
#[inline]
pub(crate) fn point() {
    if baton::CONTROLLED.load(Ordering::Relaxed) {
        baton::decide(Reason::Point);
    }
}

/// The running thread waits busily, or says that it has nothing to do: others go first.
#[inline]
pub(crate) fn spinning() {
    if baton::CONTROLLED.load(Ordering::Relaxed) {
        baton::decide(Reason::Yield);
    }
}

/// Is the calling thread scheduled by us, and not at work for the runtime?
#[inline]
pub(crate) fn controls() -> bool {
    baton::CONTROLLED.load(Ordering::Relaxed) && baton::controls_this_thread()
}

/// Tries until `attempt` has an answer, which others may have to make possible by waking `key`.
pub(crate) fn retry<T>(
    key: Key,
    timeout: Option<Timeout>,
    mut attempt: impl FnMut() -> Option<T>,
) -> Result<T, Outcome> {
    point();
    loop {
        if let Some(result) = attempt() {
            return Ok(result);
        }
        match block(key, timeout, || ()) {
            Outcome::Woken => {}
            outcome => return Err(outcome),
        }
    }
}
