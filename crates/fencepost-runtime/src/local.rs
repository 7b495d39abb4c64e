//! Loops that only wait, in a run that is explored.
//!
//! A thread that waits for others goes round a loop. If every round were a step there would be
//! infinitely many schedules. So a thread that is about to begin the same round again has to wait.
//!
//! That it is the same round is certain, not guessed. What a thread does next depends on where it
//! is, on the registers that a function must preserve, on its stack, and on memory. All of its
//! stack and these registers go into a number, its *state*, at every atomic access that may be part
//! of such a loop. If the thread was in that state before and has changed nothing in memory since,
//! then a run without what it has done since is a run, too. This excuses nothing: it never says that
//! a read is harmless.
//!
//! Not seen are changes in code that is not instrumented and that are kept outside of the stack,
//! such as the state of `rand`.
//!
//! # Which rounds are needed
//!
//! A violation is a run under SC and a last step that C++20 permits after it, so that there is a
//! cycle of program order, reads-from, from-read and modification order. A run without some rounds
//! has fewer happens-before edges. So the last step is still permitted, and what races still races.
//! Only the cycle may be gone. It enters the thread somewhere, and leaves it somewhere.
//!
//! - *Rounds that read one location*, and do nothing else. If the cycle enters with such a read,
//!   what is read then comes before what the thread reads when it leaves the loop. If the cycle
//!   leaves with such a read, to a write that comes later (from-read), then take that read as the
//!   last step: it comes after the write in another run, and misses it there. So no such round is
//!   needed. A thread that has made one is *held*: it goes no further, like one whose assumption does
//!   not hold. Runs in which it reads later are other runs.
//! - *Rounds that read several locations.* One of them may be what the thread goes on with: how it
//!   entered. So a round is made, and the thread goes on when one of the locations is written.
//! - *Rounds that also write what was there*, as those of a lock by `exchange`. Others may read what
//!   such a round has written. With one location, whatever is before one round is before the next
//!   write of that location anyway, and a single round is enough. With several, the cycle enters in
//!   one round and leaves in another; all other rounds can go. So no state is needed more than
//!   three times without a change.

//! # Runs that need not be SC
//!
//! There a thread that begins the same round again goes no further, whatever it has read. The round
//! can be left out of any execution: it has written nothing, or what it read, and whoever read that
//! can read what was read instead. The axioms permit what is left, because there are fewer accesses
//! and there is less happens-before; and what races still races. So executions with such a round
//! show nothing that others do not.

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use fencepost_protocol::exploration::remark;

use crate::thread::Thread;
use crate::{early, explore, schedule};

/// Does anybody want to know of loops?
pub(crate) static WANTED: AtomicBool = AtomicBool::new(false);

/// Stacks that are deeper than this are not looked at.
const DEEPEST: usize = 1 << 16;
/// More rounds than this are not compared.
const ROUNDS: usize = 1 << 12;
/// How often a state is needed again although no value has changed, if others may see the rounds.
const AGAIN: u32 = 2;
/// How often a compare-and-swap fails for no reason in the same state, if the thread has changed
/// something since.
const UNLUCKY: u32 = 3;

/// A location that was read.
#[derive(Clone, Copy)]
pub(crate) struct Read {
    pub(crate) addr: usize,
    size: u8,
    value: u64,
    /// Was the value written, too?
    is_write: bool,
}

/// How a thread waits that is about to begin the same round again.
enum Wait {
    /// It goes no further.
    Held,
    /// The same, in a run that need not be SC.
    ForEver,
    /// Until one of the locations has another value; or, if that is said, is written.
    Until { written: bool },
}

/// A state in which the thread was.
struct Visit {
    state: u64,
    /// How many reads it had made then.
    reads: usize,
    /// How often it was there again, and nothing had changed.
    again: u32,
    /// Has it read plain variables since?
    looked: bool,
}

/// What the thread has done since it changed something.
struct Loop {
    visits: Vec<Visit>,
    reads: Vec<Read>,
    /// How often it has waited.
    waits: u32,
}

/// What the thread has done since it began.
struct Life {
    /// How often it has changed something between two looks.
    changes: u32,
    /// The states in which a compare-and-swap has failed for no reason: how often, and after how
    /// many changes the last time.
    unlucky: Vec<(u64, u32, u32)>,
    /// How often it was in each state after it had changed something, if that is bounded.
    rounds: Vec<(u64, u32)>,
}

impl Loop {
    const NEW: Loop = Loop { visits: Vec::new(), reads: Vec::new(), waits: 0 };
}

impl Life {
    const NEW: Life = Life { changes: 0, unlucky: Vec::new(), rounds: Vec::new() };
}

// What follows is never dropped, since threads make accesses while their variables are being
// dropped: the last thing that Rust's library does in a thread is to count down who refers to it.
thread_local! {
    /// Where the stack of the thread begins; 0 if that is not known.
    static BASE: Cell<usize> = const { Cell::new(0) };
    /// The state in which the thread makes an access; 0 if that is not known.
    static STATE: Cell<u64> = const { Cell::new(0) };
    /// Has the thread read a plain variable?
    static LOOKED: Cell<bool> = const { Cell::new(false) };
    static LOOP: RefCell<ManuallyDrop<Loop>> = const { RefCell::new(ManuallyDrop::new(Loop::NEW)) };
    static LIFE: RefCell<ManuallyDrop<Life>> = const { RefCell::new(ManuallyDrop::new(Life::NEW)) };
}

/// The calling thread is the main thread of a run that is explored.
pub(crate) fn start() {
    unsafe extern "C" {
        static environ: *const *const u8;
    }
    // SAFETY: a word of libc; at first it points to the beginning of the stack.
    BASE.set(unsafe { environ } as usize);
    WANTED.store(true, Ordering::Relaxed);
}

/// The calling thread begins, with a frame at this address: the frames below are what it does.
pub(crate) fn begin(frame: usize) {
    BASE.set(frame + LIBC);
}

/// Bytes above the first frame of a thread, which belong to libc and stay as they are: the first
/// frame may be given up before the program is called.
const LIBC: usize = 96;

/// Does anybody want to know of loops?
#[inline]
pub(crate) fn is_wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}

/// The thread reads or writes a plain variable. On its own stack that is part of the state that is
/// looked at.
pub(crate) fn touches(thread: &Thread, addr: usize, write: bool) {
    let here = 0usize;
    if (&raw const here as usize..BASE.get()).contains(&addr) {
        return;
    }
    match write {
        true => {
            thread.has_effect.set(true);
            early::writes();
        }
        false => LOOKED.set(true),
    }
}

/// Words that the entry of an access has saved below its return address: preserved registers, then
/// those of arguments.
const SAVED: usize = 12;
/// How many of them are preserved registers.
const PRESERVED: usize = 6;

/// An access is made by a program in this state: called by the entry with what it has saved.
pub(crate) extern "C" fn keep(saved: *const u64) {
    let (from, base) = (saved.wrapping_add(SAVED) as usize, BASE.get());
    if base <= from || base - from > DEEPEST {
        STATE.set(0);
        return;
    }
    // SAFETY: the entry has saved so many words.
    let preserved = unsafe { saved.cast::<[u64; PRESERVED]>().read() };
    STATE.set(number(preserved, from, base));
}

/// A number for these registers, and the stack between these addresses.
fn number(preserved: [u64; PRESERVED], from: usize, base: usize) -> u64 {
    let mut hash = Hash(0x9e37_79b9_7f4a_7c15);
    preserved.into_iter().for_each(|word| hash.add(word));
    let mut at = from;
    while at + 8 <= base {
        // SAFETY: this is the thread's own stack, from a frame of ours to an outer one.
        hash.add(unsafe { (at as *const u64).read_volatile() });
        at += 8;
    }
    hash.0.max(1)
}

struct Hash(u64);

impl Hash {
    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }
}

impl Read {
    /// Is it still there?
    pub(crate) fn is_current(self) -> bool {
        self.now() == self.value
    }

    fn now(self) -> u64 {
        // SAFETY: the program has read this location in this round, and is about to do so again.
        unsafe {
            match self.size {
                1 => u64::from(AtomicU8::from_ptr(self.addr as *mut u8).load(Ordering::SeqCst)),
                2 => u64::from(AtomicU16::from_ptr(self.addr as *mut u16).load(Ordering::SeqCst)),
                4 => u64::from(AtomicU32::from_ptr(self.addr as *mut u32).load(Ordering::SeqCst)),
                _ => AtomicU64::from_ptr(self.addr as *mut u64).load(Ordering::SeqCst),
            }
        }
    }
}

/// The thread is about to read a location: waits, if it has been here before and has done nothing
/// since.
pub(crate) fn about_to_read(thread: &Thread) {
    let (state, looked) = (STATE.take(), LOOKED.take());
    if thread.has_effect.replace(false) {
        LOOP.with_borrow_mut(|known| **known = Loop::NEW);
        has_changed_something(state);
    }
    let wait = LOOP.with_borrow_mut(|known| {
        let Loop { visits, reads, waits } = &mut **known;
        visits.iter_mut().for_each(|visit| visit.looked |= looked);
        if state == 0 || visits.len() >= ROUNDS {
            return None;
        }
        let wait = visits.iter_mut().rfind(|visit| visit.state == state).and_then(|visit| {
            let round = &reads[visit.reads..];
            let writes = round.iter().any(|read| read.is_write);
            let is_one = round.iter().all(|read| read.addr == round[0].addr) && !visit.looked;
            let is_like_the_last = !round.is_empty() && round.iter().all(|read| read.is_current());
            match (is_one, writes) {
                _ if explore::is_weak() => (!round.is_empty()).then_some(Wait::ForEver),
                (true, false) if !round.is_empty() => Some(Wait::Held),
                (true, true) if is_like_the_last => Some(Wait::Until { written: false }),
                (false, _) if is_like_the_last && (visit.again >= AGAIN || !writes) => {
                    Some(Wait::Until { written: *waits < AGAIN })
                }
                (false, _) if is_like_the_last => {
                    visit.again += 1;
                    None
                }
                _ => {
                    *visit = Visit { state, reads: reads.len(), again: 0, looked: false };
                    None
                }
            }
        });
        match wait {
            None if !visits.iter().any(|visit| visit.state == state) => {
                visits.push(Visit { state, reads: reads.len(), again: 0, looked: false });
                None
            }
            None => None,
            Some(wait) => {
                let first = visits.iter().rfind(|visit| visit.state == state).map_or(0, |visit| visit.reads);
                let round = reads.split_off(first);
                **known = Loop { waits: *waits + 1, ..Loop::NEW };
                Some((wait, round))
            }
        }
    });
    match wait {
        None => {}
        Some((Wait::Held, round)) => schedule::holds(round),
        Some((Wait::ForEver, round)) => schedule::circles(round.iter().map(|read| read.addr).collect()),
        Some((Wait::Until { written }, round)) => schedule::watches(addresses(&round), written),
    }
}

/// Where these are.
fn addresses(round: &[Read]) -> Vec<usize> {
    let mut addresses: Vec<usize> = round.iter().map(|read| read.addr).collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

/// The thread has read a location, and perhaps written what was there.
pub(crate) fn has_read(addr: usize, size: u8, value: u64, is_write: bool) {
    LOOP.with_borrow_mut(|known| known.reads.push(Read { addr, size, value, is_write }));
}

/// The thread has changed something and is about to read, in this state: if rounds are bounded, it
/// goes no further when it was here too often.
fn has_changed_something(state: u64) {
    let most = explore::shared().map_or(u32::MAX, |mut shared| shared.header().rounds);
    let goes_on = LIFE.with_borrow_mut(|life| {
        life.changes += 1;
        if state == 0 || most == u32::MAX {
            return true;
        }
        let Some((_, rounds)) = life.rounds.iter_mut().find(|(known, _)| *known == state) else {
            life.rounds.push((state, 0));
            return true;
        };
        *rounds += 1;
        *rounds <= most
    });
    if !goes_on {
        are_left_out();
        schedule::assumed();
    }
}

/// Rounds that do something are left out.
fn are_left_out() {
    if let Some(mut shared) = explore::shared() {
        shared.header().remarks |= remark::ROUNDS;
    }
}

/// May a compare-and-swap that is made now fail for no reason? Not if it has done so in the same
/// state and nothing was changed since: it could do so for ever. If something was, it may do so
/// some times more.
pub(crate) fn may_be_unlucky(state: u64) -> bool {
    let changes = LIFE.with_borrow(|life| {
        let known = life.unlucky.iter().find(|(known, ..)| *known == state);
        known.map(|&(_, times, changes)| (times, life.changes - changes))
    });
    match changes {
        None if state == 0 => {
            explore::remark("a weak compare-and-swap did not fail for no reason: the stack of its thread is too deep");
            false
        }
        None => true,
        Some((_, 0)) => false,
        Some((times, _)) if times < UNLUCKY => true,
        Some(_) => {
            are_left_out();
            false
        }
    }
}

/// It has failed for no reason.
pub(crate) fn was_unlucky(state: u64) {
    LOOP.with_borrow_mut(|known| **known = Loop::NEW);
    LIFE.with_borrow_mut(|life| {
        let changes = life.changes;
        match life.unlucky.iter_mut().find(|(known, ..)| *known == state) {
            Some(known) => (known.1, known.2) = (known.1 + 1, changes),
            None => life.unlucky.push((state, 1, changes)),
        }
    });
}

/// The state in which the thread makes an access; 0 if that is not known.
pub(crate) fn state() -> u64 {
    STATE.get()
}
