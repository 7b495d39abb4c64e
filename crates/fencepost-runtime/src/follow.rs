//! What the thread of a provoked step does next: its plain accesses are recorded for a while, so
//! that the reporter can see whether the value that was used reaches an address.
//!
//! Plain accesses are not recorded otherwise. The hooks leave out an access that the thread has
//! made in its epoch already, long before they come here. So each access that is recorded ends the
//! epoch. That orders nothing: the next access is only news again.

use std::sync::atomic::{AtomicU32, Ordering};

use fencepost_protocol::Order;
use fencepost_protocol::record::{Op, Record};

use crate::record;
use crate::thread::{Entered, Tid};

/// The thread.
static WHO: AtomicU32 = AtomicU32::new(NOBODY);

const NOBODY: Tid = 0;

/// Accesses that are still to be recorded, of this thread alone.
static LEFT: AtomicU32 = AtomicU32::new(ACCESSES);

/// Accesses that are recorded.
const ACCESSES: u32 = 1 << 12;

/// From now on, plain accesses of the thread are recorded. It has renewed itself before the first.
pub(crate) fn begin(thread: &mut Entered) {
    WHO.store(thread.tid, Ordering::Relaxed);
    thread.clocks_mut().end_epoch();
    // What it is known not to know of is left out early, too.
    thread.strangers.clear();
}

/// Is there a thread whose plain accesses are recorded?
#[inline(always)]
pub(crate) fn is_active() -> bool {
    WHO.load(Ordering::Relaxed) != NOBODY
}

/// Records the plain access, if it is to be. Was it?
#[cold]
pub(crate) fn plain(thread: &mut Entered, addr: usize, write: bool, pc: usize) -> bool {
    if WHO.load(Ordering::Relaxed) != thread.tid {
        return false;
    }
    let left = LEFT.load(Ordering::Relaxed);
    if left == 0 || !record::is_active() {
        WHO.store(NOBODY, Ordering::Relaxed);
        return false;
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
    true
}
