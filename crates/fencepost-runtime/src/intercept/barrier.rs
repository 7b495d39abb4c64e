//! Barriers: what comes before one in any thread happens before what comes after it in all.

use std::ffi::{c_int, c_uint, c_void};

use fencepost_protocol::exploration::Kind;

use super::{Object, acquire, destroyed, real, release_join, watch};
use crate::lock::Guarded;
use crate::schedule::{self, ALL, Key, Outcome};

/// A barrier, as a controlled schedule sees it.
struct Barrier {
    addr: usize,
    count: c_uint,
    arrived: c_uint,
    round: u64,
}

static BARRIERS: Guarded<Vec<Barrier>> = Guarded::new(Vec::new());

fn with_barrier<T>(barrier: Object, work: impl FnOnce(&mut Barrier) -> T) -> Option<T> {
    let mut barriers = BARRIERS.lock();
    barriers.iter_mut().find(|known| known.addr == barrier as usize).map(work)
}

fn forget(barrier: Object) {
    BARRIERS.lock().retain(|known| known.addr != barrier as usize);
}

/// Arrives; returns whether it was the last, and the round. None if the barrier was not seen to be
/// made.
fn arrive(barrier: Object) -> Option<(bool, u64)> {
    with_barrier(barrier, |barrier| {
        barrier.arrived += 1;
        let last = barrier.arrived == barrier.count;
        let round = barrier.round;
        if last {
            barrier.arrived = 0;
            barrier.round += 1;
        }
        (last, round)
    })
}

/// Waits under control. None if control ended before the round was complete: then whoever arrived
/// waits really.
fn wait_in_turn(barrier: Object) -> Option<c_int> {
    let key = Key::Object(barrier as usize);
    let (last, round) = arrive(barrier)?;
    if last {
        schedule::wake(key, ALL);
        schedule::point();
        return Some(libc::PTHREAD_BARRIER_SERIAL_THREAD);
    }
    let over = || with_barrier(barrier, |barrier| barrier.round != round).unwrap_or(true).then_some(());
    loop {
        if over().is_some() {
            return Some(0);
        }
        if schedule::block(key, None, || ()) == Outcome::Uncontrolled {
            return over().map(|()| 0);
        }
    }
}

intercept! {
    fn pthread_barrier_init(barrier: Object, attributes: *const c_void, count: c_uint) -> c_int {
        let result = real::pthread_barrier_init(barrier, attributes, count);
        if result == 0 {
            watch(|_| {
                forget(barrier);
                BARRIERS.lock().push(Barrier { addr: barrier as usize, count, arrived: 0, round: 0 });
            });
        }
        result
    }

    fn pthread_barrier_wait(barrier: Object) -> c_int {
        release_join(barrier);
        schedule::about(Kind::Object, barrier as usize);
        let in_turn = if schedule::controls() { wait_in_turn(barrier) } else { None };
        let result = match in_turn {
            Some(result) => result,
            None if schedule::controls() => schedule::outside(|| real::pthread_barrier_wait(barrier)),
            None => real::pthread_barrier_wait(barrier),
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
