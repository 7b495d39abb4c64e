//! Loops that only wait, in a run that is explored.
//!
//! A thread that waits for others goes round a loop. If every round were a step there would be
//! infinitely many schedules. So a thread that is about to begin the same round again has to wait
//! until one of the locations that it reads has another value.
//!
//! That it is the same round is certain, not guessed. What a thread does next depends on where it
//! is, on the registers that a function must preserve, on its stack, and on memory. All of its
//! stack and these registers go into a number at every atomic access that may be part of such a
//! loop. If the number was there before, the thread has changed nothing in memory since, and all
//! that it has read since is still so, then it can only do again what it has done. So this excuses
//! nothing: it never says that a read is harmless.
//!
//! Not seen are changes in code that is not instrumented and that are kept outside of the stack,
//! such as the state of `rand`.
//!
//! A round may also write what was there: a lock by `exchange` does. Then the other rounds are
//! executions of their own, and that they were left out is told. As many rounds are made before as
//! the explorer asks for.

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use fencepost_protocol::exploration::remark;

use crate::explore;
use crate::schedule;
use crate::thread::Thread;

/// Does anybody want to know of loops?
pub(crate) static WANTED: AtomicBool = AtomicBool::new(false);

/// Stacks that are deeper than this are not looked at.
const DEEPEST: usize = 1 << 16;
/// More rounds than this are not compared.
const ROUNDS: usize = 1 << 12;

/// A location that was read.
#[derive(Clone, Copy)]
struct Read {
    addr: usize,
    size: u8,
    value: u64,
    /// Was the value written, too?
    is_write: bool,
}

/// What the thread has done since it changed something.
struct Loop {
    /// The states in which it was, and how many reads it had made then.
    visits: Vec<(u64, usize)>,
    reads: Vec<Read>,
    /// Rounds with effects that were allowed.
    rounds: u32,
    /// States in which a compare-and-swap has failed for no reason.
    unlucky: Vec<u64>,
}

impl Loop {
    const NEW: Loop = Loop { visits: Vec::new(), reads: Vec::new(), rounds: 0, unlucky: Vec::new() };
}

thread_local! {
    /// Where the stack of the thread begins; 0 if that is not known.
    static BASE: Cell<usize> = const { Cell::new(0) };
    /// The state in which the thread makes an access; 0 if that is not known.
    static STATE: Cell<u64> = const { Cell::new(0) };
    /// Never dropped, since threads make accesses while their variables are being dropped: the
    /// last thing that Rust's library does in a thread is to count down who refers to it.
    static LOOP: RefCell<ManuallyDrop<Loop>> = const { RefCell::new(ManuallyDrop::new(Loop::NEW)) };
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

/// The thread writes a plain variable. On its own stack that is part of the state that is looked
/// at.
pub(crate) fn writes(thread: &Thread, addr: usize) {
    let here = 0usize;
    if !(&raw const here as usize..BASE.get()).contains(&addr) {
        thread.has_effect.set(true);
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
    let mut hash = Hash(0x9e37_79b9_7f4a_7c15);
    for word in 0..PRESERVED {
        // SAFETY: the entry has saved so many words.
        hash.add(unsafe { saved.add(word).read() });
    }
    let mut at = from;
    while at + 8 <= base {
        // SAFETY: this is the thread's own stack, from its return address to an outer frame.
        hash.add(unsafe { (at as *const u64).read_volatile() });
        at += 8;
    }
    STATE.set(hash.0.max(1));
}

struct Hash(u64);

impl Hash {
    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
    }
}

impl Read {
    /// What is there now.
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

/// The thread is about to read a location: waits, if it has been here before and nothing has
/// changed.
pub(crate) fn about_to_read(thread: &Thread) {
    let state = STATE.take();
    let watched = LOOP.with_borrow_mut(|known| {
        let known: &mut Loop = known;
        if thread.has_effect.replace(false) {
            *known = Loop { unlucky: std::mem::take(&mut known.unlucky), ..Loop::NEW };
        }
        if state == 0 || known.visits.len() >= ROUNDS {
            return None;
        }
        let Some(&(_, first)) = known.visits.iter().rev().find(|(visit, _)| *visit == state) else {
            known.visits.push((state, known.reads.len()));
            return None;
        };
        let round = &known.reads[first..];
        let last = |read: &Read| round.iter().rev().find(|other| other.addr == read.addr).map(|other| other.value);
        if round.is_empty() || round.iter().any(|read| last(read) != Some(read.now())) {
            known.visits.retain(|(visit, _)| *visit != state);
            known.visits.push((state, known.reads.len()));
            return None;
        }
        if round.iter().any(|read| read.is_write) {
            let mut shared = explore::shared()?;
            if known.rounds < shared.header().rounds {
                known.rounds += 1;
                return None;
            }
            shared.header().remarks |= remark::ROUNDS;
        }
        let mut addresses: Vec<usize> = round.iter().map(|read| read.addr).collect();
        addresses.sort_unstable();
        addresses.dedup();
        known.visits.clear();
        known.reads.clear();
        Some(addresses)
    });
    if let Some(addresses) = watched {
        schedule::watches(addresses);
    }
}

/// The thread has read a location, and perhaps written what was there.
pub(crate) fn has_read(addr: usize, size: u8, value: u64, is_write: bool) {
    LOOP.with_borrow_mut(|known| known.reads.push(Read { addr, size, value, is_write }));
}

/// May a compare-and-swap that is made now fail for no reason? Not if it has done so in the same
/// state: it could do so for ever.
pub(crate) fn may_be_unlucky(state: u64) -> bool {
    LOOP.with_borrow(|known| state != 0 && !known.unlucky.contains(&state))
}

/// It has failed for no reason.
pub(crate) fn was_unlucky(state: u64) {
    LOOP.with_borrow_mut(|known| {
        **known = Loop { unlucky: [known.unlucky.as_slice(), &[state]].concat(), ..Loop::NEW }
    });
}

/// The state in which the thread makes an access; 0 if that is not known.
pub(crate) fn state() -> u64 {
    STATE.get()
}
