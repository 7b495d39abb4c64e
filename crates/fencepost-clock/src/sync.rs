//! Objects that order threads and have no values: locks, barriers, semaphores.
//!
//! They count in happens-before and in hb_SC. Nothing is checked: a lock has no stale state to be
//! seen.

use crate::clock::Clock;
use crate::covers::UNMARKED;
use crate::thread::ThreadClocks;
use crate::view::View;

/// What has been released and not yet acquired.
#[derive(Clone, Debug, Default)]
pub struct SyncObject {
    c: View,
    sc: Clock,
}

impl SyncObject {
    /// An object that nobody has used.
    pub fn new() -> Self {
        SyncObject::default()
    }

    /// `t` learns what was released: locks the mutex, leaves the barrier, takes the semaphore.
    pub fn acquire(&self, t: &mut ThreadClocks) {
        t.acquire(&self.c, &self.sc);
    }

    /// Who acquires from now on learns what `t` knows, and no more: right for a mutex, whose holder
    /// has acquired it.
    pub fn release(&mut self, t: &mut ThreadClocks) {
        self.c.assign(&t.c);
        self.sc.assign(&t.sc);
        t.end_epoch();
    }

    /// Who acquires from now on learns what `t` knows besides what was released before: readers of
    /// a lock, barriers, semaphores.
    pub fn release_join(&mut self, t: &mut ThreadClocks) {
        self.c.join(&t.c, UNMARKED);
        self.sc.join(&t.sc);
        t.end_epoch();
    }
}
