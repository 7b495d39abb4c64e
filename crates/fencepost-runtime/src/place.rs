//! Atomic locations and synchronisation objects, by address.
//!
//! A place has a lock of its own, under which the host's access is executed and the monitor is
//! told. Places of memory that is freed are used again for other addresses but are never unmapped;
//! whoever comes late finds another address in the place once it holds the lock, and looks again.

use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use fencepost_clock::{Location, Slot, SyncObject};

use crate::lock::{Guarded, Lock};
use crate::memory;
use crate::shadow::{self, Span};
use crate::thread;

/// What is at a place.
#[allow(
    clippy::large_enum_variant,
    reason = "places are used again for either kind, and a box would be a line of the cache more"
)]
pub(crate) enum Content {
    /// An atomic variable.
    Atomic(Atomic),
    /// A mutex, a condition variable, a barrier …
    Sync(SyncObject),
}

/// An atomic variable.
#[repr(C)]
pub(crate) struct Atomic {
    /// Bytes of the first access.
    pub(crate) size: u8,
    /// Was it accessed with different sizes? Then its history says nothing, and it is not checked.
    pub(crate) mixed: bool,
    /// What the monitor keeps.
    pub(crate) location: Location,
}

/// One or the other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An atomic variable.
    Atomic,
    /// A synchronisation object.
    Sync,
}

/// What a place is mostly wanted for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Intent {
    /// A load of what is known to be as it was last time, or an object.
    Read,
    /// A load of something new.
    Load,
    /// A store.
    Store,
    /// A read-modify-write, a compare-and-swap.
    Update,
}

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// A place, locked by its user while it is used. In this order, which puts what every access needs
/// into the same line of the cache.
#[repr(C)]
pub(crate) struct Place {
    lock: Lock,
    /// Address and, in the lowest bit of the shifted word, kind; 0 for a place that is not in use.
    key: AtomicUsize,
    /// Counts changes of the variable, so that loads can be made without the lock: odd while one is
    /// going on.
    version: AtomicU64,
    content: UnsafeCell<Content>,
    next: AtomicPtr<Place>,
}

// SAFETY: the content is reached under the lock only; the rest is atomic.
unsafe impl Sync for Place {}
// SAFETY: as above.
unsafe impl Send for Place {}

/// Places that were in use once.
static FREE: Guarded<Vec<&'static Place>> = Guarded::new(Vec::new());

fn key(addr: usize, kind: Kind) -> usize {
    addr << 1 | usize::from(kind == Kind::Sync)
}

/// Says that there will be a write near this address, which may be any.
#[inline(always)]
pub(crate) fn prefetch(near: *const u8) {
    // SAFETY: neither reads nor writes anything; without effect where there is no memory.
    unsafe { std::arch::asm!("prefetchw [{near}]", near = in(reg) near, options(nostack, preserves_flags, readonly)) };
}

/// The place that the running thread wants for this is locked.
#[cold]
#[inline(never)]
fn step_back(access: Intent) {
    if matches!(access, Intent::Load | Intent::Update)
        && let Some(thread) = thread::watched()
    {
        thread.collisions.step_back(thread.counters.accesses.get());
    }
}

/// A place whose lock is held.
pub(crate) struct Held(&'static Place);

impl Held {
    /// What is there.
    #[inline]
    pub(crate) fn content(&mut self) -> &mut Content {
        // SAFETY: the lock is held by this value, which is borrowed exclusively.
        unsafe { &mut *self.0.content.get() }
    }

    /// Makes a change: whoever loads without the lock meanwhile notices. A load that sees what
    /// `change` writes to memory is ordered after the first count, since both are sequentially
    /// consistent.
    #[inline]
    pub(crate) fn change<T>(&mut self, change: impl FnOnce() -> T) -> T {
        let version = self.0.version.load(Ordering::Relaxed);
        self.0.version.store(version + 1, Ordering::Release);
        let result = change();
        self.0.version.store(version + 2, Ordering::Release);
        result
    }

    /// The thread in `slot` is about to write: asks for what that needs outside of the place, all
    /// at once.
    #[inline(always)]
    pub(crate) fn prefetch(&mut self, slot: Slot) {
        if let Content::Atomic(atomic) = self.content() {
            atomic.location.far(slot, prefetch);
        }
    }

    /// The place itself, to be found faster next time.
    #[inline]
    pub(crate) fn place(&self) -> &'static Place {
        self.0
    }
}

impl Drop for Held {
    #[inline]
    fn drop(&mut self) {
        self.0.lock.release();
    }
}

impl Place {
    /// Asks for the lines of the cache that an access needs, all at once. Other processors may have
    /// them, and they would come one after the other; the first, which is read before it is
    /// written, even twice.
    #[inline(always)]
    fn prefetch(&self, access: Intent) {
        const { assert!(size_of::<Place>() > 5 * LINE && size_of::<Place>() <= 6 * LINE) };
        let place: *const Place = self;
        let line = |number: usize| place.cast::<u8>().wrapping_add(number * LINE);
        prefetch(line(0));
        match access {
            Intent::Read => {}
            Intent::Load => (1..6).for_each(|number| prefetch(line(number))),
            Intent::Store | Intent::Update => (1..4).for_each(|number| prefetch(line(number))),
        }
    }

    /// Takes the lock, if the place is still the one of this address.
    #[inline]
    pub(crate) fn hold(&'static self, addr: usize, kind: Kind, access: Intent) -> Option<Held> {
        self.prefetch(access);
        if self.key.load(Ordering::Relaxed) != key(addr, kind) {
            return None;
        }
        self.lock.acquire_or_else(|| step_back(access));
        let held = Held(self);
        (self.key.load(Ordering::Relaxed) == key(addr, kind)).then_some(held)
    }

    /// The number of changes so far; the same number twice means that there was none in between.
    #[inline]
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::SeqCst)
    }

    /// The place at `addr`; `content` makes it if there is none. None for addresses no program has.
    pub(crate) fn find_or_make(addr: usize, kind: Kind, content: impl Fn() -> Content) -> Option<Held> {
        let head = shadow::places(addr)?;
        loop {
            let first = head.load(Ordering::Acquire);
            if let Some(held) = Self::find_from(first, addr, kind, Intent::Read) {
                return Some(held);
            }
            let fresh = Self::fresh();
            fresh.lock.acquire();
            let held = Held(fresh);
            // SAFETY: the lock is held.
            unsafe { *fresh.content.get() = content() };
            fresh.key.store(key(addr, kind), Ordering::Relaxed);
            fresh.next.store(first, Ordering::Relaxed);
            let fresh: *const Place = fresh;
            if head.compare_exchange(first, fresh.cast_mut(), Ordering::AcqRel, Ordering::Acquire).is_ok() {
                return Some(held);
            }
            held.retire();
        }
    }

    /// The place at `addr`, if there is one.
    #[inline]
    pub(crate) fn find(addr: usize, kind: Kind, access: Intent) -> Option<Held> {
        Self::find_in(shadow::span_if_any(addr)?, addr, kind, access)
    }

    /// The same, where it is known what there is around.
    #[inline]
    pub(crate) fn find_in(span: &'static Span, addr: usize, kind: Kind, access: Intent) -> Option<Held> {
        Self::find_from(span.places_if_any(addr)?.load(Ordering::Acquire), addr, kind, access)
    }

    #[inline]
    fn find_from(mut place: *mut Place, addr: usize, kind: Kind, access: Intent) -> Option<Held> {
        // SAFETY: places are never unmapped, and a link leads to a place or nowhere.
        while let Some(here) = unsafe { place.as_ref() } {
            if let Some(held) = here.hold(addr, kind, access) {
                return Some(held);
            }
            place = here.next.load(Ordering::Acquire);
        }
        None
    }

    fn fresh() -> &'static Place {
        let used = FREE.lock().pop();
        used.unwrap_or_else(|| {
            memory::keep(Place {
                lock: Lock::new(),
                key: AtomicUsize::new(0),
                next: AtomicPtr::new(null_mut()),
                version: AtomicU64::new(0),
                content: UnsafeCell::new(Content::Sync(SyncObject::default())),
            })
        })
    }

    /// Empties a list of places.
    pub(crate) fn drop_all(head: &AtomicPtr<Place>) {
        if head.load(Ordering::Relaxed).is_null() {
            return;
        }
        let mut place = head.swap(null_mut(), Ordering::AcqRel);
        // SAFETY: as in `find_from`.
        while let Some(here) = unsafe { place.as_ref() } {
            place = here.next.load(Ordering::Acquire);
            here.lock.acquire();
            Held(here).retire();
        }
    }
}

impl Held {
    fn retire(self) {
        let place = self.0;
        place.key.store(0, Ordering::Relaxed);
        place.version.fetch_add(2, Ordering::Release);
        // SAFETY: the lock is held. Clocks and history are given back.
        unsafe { *place.content.get() = Content::Sync(SyncObject::default()) };
        drop(self);
        FREE.lock().push(place);
    }
}
