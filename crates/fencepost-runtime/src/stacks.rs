//! Call stacks: kept by the hooks at function entry and exit, and interned where an access must be
//! remembered.
//!
//! A remembered access is one number, a [`SiteId`]: an entry of a table from (stack, operation,
//! order) to a number that only grows. Looking up a site that is known takes one hash of two words;
//! the frames are written once.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use fencepost_protocol::record::ADDRESS_BITS;

use crate::lock::Guarded;
use crate::memory;

/// Frames remembered of a stack, innermost first.
pub(crate) const FRAMES: usize = 24;
/// Calls followed; deeper ones are counted only.
const DEPTH: usize = 1 << 14;
/// Size of the hash table of sites.
const TABLE: usize = 1 << 18;
/// Sites at most: beyond, accesses are remembered without a stack.
const SITES: usize = TABLE / 2;

/// Frames that make a place in the code another one, see [`CallStack::near`].
const NEAR: usize = 5;
/// What a site is that stands for the calls alone.
const CHAIN: u8 = u8::MAX;
/// The first number of a chain that does not fit beside an address.
const CHAINS: SiteId = 1 << (u64::BITS - ADDRESS_BITS);
/// The site that was added last.
static NEWEST: AtomicU32 = AtomicU32::new(0);

/// A remembered site; 0 is "unknown".
pub(crate) type SiteId = u32;

/// One call on the stack.
#[derive(Clone, Copy)]
struct Call {
    /// Return address into the caller.
    pc: usize,
    /// Stack pointer at the entry: a call whose entry lies below the current stack pointer has been
    /// left, by a return, an exception or `longjmp`.
    sp: usize,
    /// Hash of this and all outer calls.
    hash: u64,
}

/// The calls a thread is in.
pub(crate) struct CallStack {
    /// Before the calls there is one that is never left, with hash 0. After them is room for one
    /// that stands for all deeper ones.
    calls: *mut Call,
    depth: Cell<usize>,
    /// The calls that were asked for last, and their number.
    chain: Cell<(u64, SiteId)>,
}

/// Where and how an access that is remembered was made.
pub(crate) struct Site {
    /// What it was, as in the record of the run.
    pub(crate) op: u8,
    /// Its memory order, as the compilers number them.
    pub(crate) order: u8,
    frames: u8,
    /// Position of its frames.
    at: usize,
}

struct Depot {
    sites: Vec<Site>,
    frames: Vec<usize>,
}

static INDEX: [AtomicU64; TABLE] = [const { AtomicU64::new(0) }; TABLE];
static NUMBER: [AtomicU32; TABLE] = [const { AtomicU32::new(0) }; TABLE];
static DEPOT: Guarded<Depot> = Guarded::new(Depot { sites: Vec::new(), frames: Vec::new() });

#[inline]
fn mix(hash: u64, pc: usize) -> u64 {
    (hash.rotate_left(5) ^ pc as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl CallStack {
    /// No calls.
    pub(crate) fn new() -> Self {
        let calls: *mut Call = memory::map_table((DEPTH + 2) * size_of::<Call>()).cast();
        // SAFETY: the table has `DEPTH` entries, one before and one after them.
        unsafe { calls.write(Call { pc: 0, sp: usize::MAX, hash: 0 }) };
        CallStack { calls, depth: Cell::new(0), chain: Cell::new((0, 0)) }
    }

    /// The call at this depth, from 1 on; 0 is the one that is never left.
    #[inline]
    fn call(&self, depth: usize) -> Call {
        debug_assert!(depth <= DEPTH + 1);
        // SAFETY: the table has so many entries and one before them, zeroed at first.
        unsafe { self.calls.add(depth).read() }
    }

    /// A function is entered that returns to `pc`; `sp` is its stack pointer.
    #[inline]
    pub(crate) fn enter(&self, pc: usize, sp: usize) {
        let mut depth = self.depth.get();
        while self.call(depth).sp <= sp {
            depth -= 1;
        }
        let outer = self.call(depth).hash;
        let call = match depth < DEPTH {
            true => Call { pc, sp, hash: mix(outer, pc) },
            // It makes no difference, and the next one takes its place.
            false => Call { pc: 0, sp: 0, hash: outer },
        };
        depth += 1;
        // SAFETY: `depth` is at most `DEPTH` + 1, since the call at that depth lies below every
        // other one.
        unsafe { self.calls.add(depth).write(call) };
        self.depth.set(depth);
    }

    /// The function entered last is left.
    #[inline]
    pub(crate) fn leave(&self) {
        self.depth.set(self.depth.get().saturating_sub(1));
    }

    /// Was no function entered that was not left?
    pub(crate) fn is_empty(&self) -> bool {
        self.depth.get() == 0
    }

    /// Leaves all functions, as a new thread on the same table does.
    pub(crate) fn clear(&self) {
        self.depth.set(0);
    }

    /// A number for the calls that the thread is in: all of them.
    #[inline(always)]
    pub(crate) fn outer(&self) -> u64 {
        self.call(self.depth.get()).hash
    }

    /// A number for a place in the code, as it is reached: `pc` and the innermost calls. Those that
    /// are further out make no difference, so that a function that calls itself is not at another
    /// place each time.
    pub(crate) fn near(&self, pc: usize) -> u64 {
        let mut hash = mix(0, pc);
        let depth = self.depth.get().min(DEPTH);
        for depth in (1..=depth).rev().take(NEAR - 1) {
            hash = mix(hash, self.call(depth).pc);
        }
        hash
    }

    /// The number of the calls that the thread is in, if it was asked for it last: 0 if there are
    /// none, or no number for them.
    #[inline(always)]
    pub(crate) fn known_chain(&self) -> Option<SiteId> {
        let (known, number) = self.chain.get();
        (self.outer() == known).then_some(number)
    }

    /// The same in any case, and whether it is new.
    pub(crate) fn chain(&self) -> (SiteId, bool) {
        let outer = self.outer();
        let before = NEWEST.load(Ordering::Relaxed);
        let chain = self.site(0, CHAIN, 0);
        let number = if chain < CHAINS { chain } else { 0 };
        self.chain.set((outer, number));
        (number, number > before)
    }

    /// The innermost frames: `pc`, then the calls that led there.
    pub(crate) fn frames(&self, pc: usize, mut visit: impl FnMut(usize)) {
        visit(pc);
        let depth = self.depth.get().min(DEPTH);
        for depth in (1..=depth).rev().take(FRAMES - 1) {
            visit(self.call(depth).pc);
        }
    }

    /// The number of this stack at `pc` with this operation and order.
    #[inline]
    pub(crate) fn site(&self, pc: usize, op: u8, order: u8) -> SiteId {
        let key = mix(mix(self.outer(), pc), usize::from(op) << 8 | usize::from(order)) | 1;
        let mut at = (key >> 40) as usize % TABLE;
        loop {
            match INDEX[at].load(Ordering::Acquire) {
                0 => return self.add_site(key, at, pc, op, order),
                found if found == key => return NUMBER[at].load(Ordering::Acquire),
                _ => at = (at + 1) % TABLE,
            }
        }
    }

    #[cold]
    fn add_site(&self, key: u64, mut at: usize, pc: usize, op: u8, order: u8) -> SiteId {
        let mut depot = DEPOT.lock();
        if depot.sites.len() >= SITES {
            return 0;
        }
        while INDEX[at].load(Ordering::Acquire) != 0 {
            if INDEX[at].load(Ordering::Acquire) == key {
                return NUMBER[at].load(Ordering::Acquire);
            }
            at = (at + 1) % TABLE;
        }
        let start = depot.frames.len();
        self.frames(pc, |frame| depot.frames.push(frame));
        let frames = (depot.frames.len() - start) as u8;
        depot.sites.push(Site { op, order, frames, at: start });
        let number = depot.sites.len() as u32;
        NEWEST.store(number, Ordering::Relaxed);
        NUMBER[at].store(number, Ordering::Release);
        INDEX[at].store(key, Ordering::Release);
        number
    }
}

/// The same as [`CallStack::near`], of frames that were remembered.
pub(crate) fn near(frames: &[usize]) -> u64 {
    frames.iter().take(NEAR).fold(0, |hash, &frame| mix(hash, frame))
}

/// Operation, order and frames of a site; none if it is unknown.
pub(crate) fn site(number: SiteId) -> Option<(u8, u8, Vec<usize>)> {
    let depot = DEPOT.lock();
    let site = depot.sites.get((number as usize).checked_sub(1)?)?;
    let frames = depot.frames[site.at..site.at + usize::from(site.frames)].to_vec();
    Some((site.op, site.order, frames))
}

#[cfg(test)]
mod tests {
    use super::{CallStack, FRAMES, site};

    fn frames(calls: &CallStack, pc: usize) -> Vec<usize> {
        let mut frames = Vec::new();
        calls.frames(pc, |frame| frames.push(frame));
        frames
    }

    #[test]
    fn calls_that_were_left_without_notice_are_forgotten() {
        let calls = CallStack::new();
        calls.enter(1, 1000);
        calls.enter(2, 900);
        calls.enter(3, 800);
        assert_eq!(frames(&calls, 9), [9, 3, 2, 1]);
        // A jump out of the two inner functions, then another call from the outermost.
        calls.enter(4, 950);
        assert_eq!(frames(&calls, 9), [9, 4, 1]);
        calls.leave();
        calls.leave();
        calls.leave();
        assert_eq!(frames(&calls, 9), [9]);
    }

    #[test]
    fn deep_recursion_keeps_the_outer_calls() {
        let calls = CallStack::new();
        for depth in 0..super::DEPTH + 10 {
            calls.enter(depth, (1 << 40) - depth);
        }
        assert_eq!(frames(&calls, 9).len(), FRAMES);
        for _ in 0..super::DEPTH + 10 {
            calls.leave();
        }
        assert_eq!(frames(&calls, 9), [9]);
    }

    #[test]
    fn equal_sites_have_equal_numbers() {
        let calls = CallStack::new();
        calls.enter(11, 1000);
        let one = calls.site(100, 1, 0);
        assert_eq!(calls.site(100, 1, 0), one);
        assert_ne!(calls.site(100, 1, 3), one, "the order is part of it");
        calls.enter(12, 900);
        let inner = calls.site(100, 1, 0);
        assert_ne!(inner, one, "the stack is part of it");
        calls.leave();
        assert_eq!(calls.site(100, 1, 0), one);
        assert_eq!(site(inner), Some((1, 0, vec![100, 12, 11])));
        assert_eq!(site(0), None);
    }
}
