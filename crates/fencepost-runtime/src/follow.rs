//! What the thread of a provoked step does next: its plain accesses are recorded for a while, so
//! that the reporter can see whether the value that was used reaches an address.
//!
//! Plain accesses are not recorded otherwise. The hooks leave out an access that the thread has
//! made in its epoch already, long before they ask whether the thread is followed. So each access
//! that is recorded ends the epoch. That orders nothing: the next access is only news again.

use std::sync::atomic::{AtomicU32, Ordering};

use fencepost_protocol::Order;
use fencepost_protocol::record::{Op, Record};

use crate::record;
use crate::thread::Entered;

/// In [`Thread::plain`](crate::thread::Thread): the thread is followed.
pub(crate) const FOLLOWED: u32 = 1 << 31;

/// Accesses that are still to be recorded, of the one thread that is followed.
static LEFT: AtomicU32 = AtomicU32::new(ACCESSES);

/// Accesses that are recorded.
const ACCESSES: u32 = 1 << 12;

/// From now on, plain accesses of the thread are recorded. It has renewed itself before the first.
pub(crate) fn begin(thread: &mut Entered) {
    thread.plain.set(thread.plain.get() | FOLLOWED);
    thread.clocks_mut().end_epoch();
    // What it is known not to know of is left out early, too.
    thread.strangers.clear();
}

/// Records a plain access of the thread that is followed.
pub(crate) fn plain(thread: &mut Entered, addr: usize, write: bool, pc: usize) {
    let left = LEFT.load(Ordering::Relaxed);
    if left == 0 || !record::is_active() {
        thread.plain.set(thread.plain.get() & !FOLLOWED);
        return;
    }
    LEFT.store(left - 1, Ordering::Relaxed);
    let place = record::place(thread, pc);
    record::event(thread, |thread| Record {
        time: record::now(),
        address: addr as u64,
        value: 0,
        pc: place,
        extra: 0,
        tid: thread.tid,
        op: if write { Op::Write } else { Op::Read },
        order: Order::Relaxed,
        failure: Order::Relaxed,
        success: true,
    });
    thread.clocks_mut().end_epoch();
    thread.renew();
}
