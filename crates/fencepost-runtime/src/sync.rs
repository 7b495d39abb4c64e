//! Synchronisation objects: they order, in happens-before and in hb_SC, and are not checked.

use fencepost_clock::SyncObject;
use fencepost_protocol::record::Op;

use crate::place::{Content, Held, Intent, Kind, Place};
use crate::record;
use crate::thread::Entered;

impl Entered {
    fn object(&mut self, addr: usize) -> Option<Held> {
        Place::find_or_make(addr, Kind::Sync, || Content::Sync(SyncObject::default()))
    }

    fn with_object(&mut self, addr: usize, op: Op, work: impl FnOnce(&mut Entered, &mut SyncObject)) {
        let Some(mut held) = self.object(addr) else { return };
        let Content::Sync(object) = held.content() else { return };
        work(self, object);
        record::synchronisation(self, op, addr);
        drop(held);
        self.renew();
    }

    /// What was released to the object at `addr`, if there is one, counts no more.
    pub(crate) fn renew_object(&mut self, addr: usize) {
        if let Some(mut held) = Place::find(addr, Kind::Sync, Intent::Read)
            && let Content::Sync(object) = held.content()
        {
            *object = SyncObject::default();
        }
    }

    /// What was released to the object at `addr` happened before what follows: a mutex is locked, a
    /// semaphore taken.
    pub(crate) fn acquire(&mut self, addr: usize) {
        self.with_object(addr, Op::Acquire, |thread, object| object.acquire(thread.clocks_mut()));
    }

    /// What this thread did happens before what acquires the object from now on, instead of what
    /// was released earlier: a mutex is unlocked.
    pub(crate) fn release(&mut self, addr: usize) {
        self.with_object(addr, Op::Release, |thread, object| object.release(thread.clocks_mut()));
    }

    /// What this thread did happens before what acquires the object from now on, with what was
    /// released earlier: a barrier is reached, a semaphore posted, a reader's lock unlocked.
    pub(crate) fn release_join(&mut self, addr: usize) {
        self.with_object(addr, Op::ReleaseJoin, |thread, object| object.release_join(thread.clocks_mut()));
    }
}
