//! Barriers: what comes before one in any thread happens before what comes after it in all.
//!
//! Under a controlled schedule each round has a part of the barrier of its own. A thread that has
//! waited may go on late, when others have reached the next round. What they did before that is not
//! ordered before what it does now.

use std::ffi::{c_int, c_uint, c_void};

use fencepost_protocol::exploration::{Class, Kind};

use super::{Object, acquire, destroyed, real, release, release_join, watch};
use crate::explore;
use crate::lock::Guarded;
use crate::schedule::{self, ALL, Key, Outcome};

/// A barrier, as a controlled schedule sees it.
struct Barrier {
    addr: usize,
    count: c_uint,
    arrived: c_uint,
    round: u64,
    /// The rounds that threads have come to, and not left.
    inside: Vec<u64>,
}

/// Parts of a barrier: each is used again after so many rounds. The barrier itself is none.
const PARTS: u64 = 31;

/// What the threads of a round are ordered by.
fn part(barrier: Object, round: u64) -> Object {
    barrier.wrapping_byte_add(1 + (round % PARTS) as usize)
}

static BARRIERS: Guarded<Vec<Barrier>> = Guarded::new(Vec::new());

fn with_barrier<T>(barrier: Object, work: impl FnOnce(&mut Barrier) -> T) -> Option<T> {
    let mut barriers = BARRIERS.lock();
    barriers.iter_mut().find(|known| known.addr == barrier as usize).map(work)
}

fn forget(barrier: Object) {
    BARRIERS.lock().retain(|known| known.addr != barrier as usize);
}

/// A thread has come to a barrier.
struct Arrival {
    round: u64,
    is_first: bool,
    is_last: bool,
}

/// Arrives. None if the barrier was not seen to be made.
fn arrive(barrier: Object) -> Option<Arrival> {
    with_barrier(barrier, |barrier| {
        let round = barrier.round;
        let is_first = barrier.arrived == 0;
        if is_first && barrier.inside.iter().any(|&other| round - other >= PARTS) {
            explore::remark("a thread was slower than a barrier by many rounds");
        }
        barrier.inside.push(round);
        barrier.arrived += 1;
        let is_last = barrier.arrived == barrier.count;
        if is_last {
            barrier.arrived = 0;
            barrier.round += 1;
        }
        Arrival { round, is_first, is_last }
    })
}

/// The calling thread goes on after this round.
fn leave(barrier: Object, round: u64) {
    with_barrier(barrier, |barrier| {
        if let Some(at) = barrier.inside.iter().position(|&other| other == round) {
            barrier.inside.swap_remove(at);
        }
    });
    acquire(part(barrier, round));
}

/// Waits under control. None if control ended before the round was complete: then whoever arrived
/// waits really.
fn wait_in_turn(barrier: Object) -> Option<c_int> {
    let key = Key::Object(barrier as usize);
    let Arrival { round, is_first, is_last } = arrive(barrier)?;
    match is_first {
        true => release(part(barrier, round)),
        false => release_join(part(barrier, round)),
    }
    if is_last {
        leave(barrier, round);
        schedule::wake(key, ALL);
        schedule::point();
        return Some(libc::PTHREAD_BARRIER_SERIAL_THREAD);
    }
    let over = || with_barrier(barrier, |barrier| barrier.round != round).unwrap_or(true).then_some(());
    loop {
        if over().is_some() {
            schedule::goes_on_at(barrier as usize);
            leave(barrier, round);
            return Some(0);
        }
        if schedule::block(key, None, || ()) == Outcome::Uncontrolled {
            return over().map(|()| leave(barrier, round)).map(|()| 0);
        }
    }
}

intercept! {
    fn pthread_barrier_init(barrier: Object, attributes: *const c_void, count: c_uint) -> c_int {
        let result = real::pthread_barrier_init(barrier, attributes, count);
        if result == 0 {
            watch(|_| {
                forget(barrier);
                BARRIERS.lock().push(Barrier { addr: barrier as usize, count, arrived: 0, round: 0, inside: Vec::new() });
            });
        }
        result
    }

    fn pthread_barrier_wait(barrier: Object) -> c_int {
        schedule::about_object(Kind::Object, Class::Barrier, barrier as usize);
        if schedule::controls()
            && let Some(result) = wait_in_turn(barrier)
        {
            return result;
        }
        release_join(barrier);
        let result = match schedule::controls() {
            true => schedule::outside(|| real::pthread_barrier_wait(barrier)),
            false => real::pthread_barrier_wait(barrier),
        };
        if result == 0 || result == libc::PTHREAD_BARRIER_SERIAL_THREAD {
            acquire(barrier);
        }
        result
    }

    fn pthread_barrier_destroy(barrier: Object) -> c_int {
        forget(barrier);
        destroyed(barrier, size_of::<libc::pthread_barrier_t>());
        real::pthread_barrier_destroy(barrier)
    }
}
