//! Data races between plain accesses, and between a plain and an atomic one.
//!
//! Paper: Margalit, Kokologiannakis, Itzhaky and Lahav, PLDI 2025, App. B. A race is a pair of
//! conflicting accesses, one of them plain, that happens-before (of C++20, fences included) does not
//! order. The clocks are those of the monitor. An access is recorded as slot and epoch of its
//! thread.
//!
//! Modelled: accesses by byte ranges within words of eight bytes. Each word remembers two accesses,
//! as one number each.
//!
//! Sound: a reported pair is unordered. Not complete, also on the run that is watched: where three
//! or more accesses of a word are mutually unordered, one of them is forgotten, an atomic one
//! first. The appendix keeps a whole clock per location instead. That would cost memory
//! proportional to the number of threads for every byte of the program. Complete if somebody explores
//! every schedule: then none is forgotten.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::explore;
use crate::lock::Guarded;
use crate::memory::Apart;
use crate::shadow::{self, Span};
use crate::thread::{Entered, Thread};

/// Bits of a program counter that are kept. They are the lowest, and what matters to some accesses
/// only comes next: whether two cells agree in the rest is one shift.
pub(crate) const PC_BITS: u32 = 24;
const PC: u64 = (1 << PC_BITS) - 1;
const WRITE: u64 = 1 << PC_BITS;
const SIZE_SHIFT: u32 = PC_BITS + 1;
const SIZE: u64 = 0b11 << SIZE_SHIFT;
const ATOMIC: u64 = 1 << (SIZE_SHIFT + 2);
pub(crate) const OFFSET_SHIFT: u32 = SIZE_SHIFT + 3;
const OFFSET: u64 = 0b111 << OFFSET_SHIFT;
pub(crate) const SLOT_SHIFT: u32 = OFFSET_SHIFT + 3;
/// What of a cell says what was done, whoever did it and where in the code.
pub(crate) const ACCESS: u64 = OFFSET | SIZE | WRITE | ATOMIC;
const SLOT_BITS: u32 = 11;
const SLOT: u64 = ((1 << SLOT_BITS) - 1) << SLOT_SHIFT;
const EPOCH_SHIFT: u32 = SLOT_SHIFT + SLOT_BITS;
const EPOCH_BITS: u32 = u64::BITS - EPOCH_SHIFT;

/// Slots that a cell can name.
pub(crate) const SLOTS: usize = 1 << SLOT_BITS;
/// The last epoch that a cell can name: a thread that reaches it goes on in another slot.
pub(crate) const LAST_EPOCH: u32 = (1 << EPOCH_BITS) - 1;

/// Are plain accesses instrumented? Only then is it worth remembering atomic ones for them, and
/// there is nothing in any cell before.
pub(crate) static SEES_PLAIN: Apart<AtomicBool> = Apart(AtomicBool::new(false));

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct How {
    /// Is it written?
    pub(crate) write: bool,
    /// Is it an atomic access?
    pub(crate) atomic: bool,
}

/// A remembered access: epoch, slot, byte range, kind and the low bits of the program counter. 0 is
/// none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell(u64);

impl Cell {
    #[inline]
    fn at(addr: usize, log_size: u32, how: How, stamp: u64) -> Self {
        Cell((addr as u64) << OFFSET_SHIFT & OFFSET | kind(log_size, how) | stamp)
    }

    /// The same access, at `pc`.
    #[inline]
    fn from(self, pc: usize) -> Self {
        Cell(self.0 | pc as u64 & PC)
    }

    /// First byte within the word.
    pub(crate) fn offset(self) -> usize {
        ((self.0 & OFFSET) >> OFFSET_SHIFT) as usize
    }

    /// Number of bytes.
    pub(crate) fn size(self) -> usize {
        1 << ((self.0 & SIZE) >> SIZE_SHIFT)
    }

    /// What it did.
    pub(crate) fn how(self) -> How {
        How { write: self.0 & WRITE != 0, atomic: self.0 & ATOMIC != 0 }
    }

    /// Whose it was.
    pub(crate) fn slot(self) -> u16 {
        ((self.0 & SLOT) >> SLOT_SHIFT) as u16
    }

    /// When it was.
    pub(crate) fn epoch(self) -> u32 {
        (self.0 >> EPOCH_SHIFT) as u32
    }

    /// The low bits of where it was.
    pub(crate) fn pc(self) -> usize {
        (self.0 & PC) as usize
    }

    fn bytes(self) -> u8 {
        (((1u16 << self.size()) - 1) << self.offset()) as u8
    }

    fn overlaps(self, other: Cell) -> bool {
        self.bytes() & other.bytes() != 0
    }

    fn covers(self, other: Cell) -> bool {
        self.bytes() & other.bytes() == other.bytes()
    }

    fn conflicts(self, other: Cell) -> bool {
        (self.0 | other.0) & WRITE != 0 && self.0 & other.0 & ATOMIC == 0
    }

    /// Is it another access, whoever makes it?
    #[inline(always)]
    fn differs(self, other: Cell) -> bool {
        (self.0 ^ other.0) & ACCESS != 0
    }

    /// Has the same thread made the same access earlier, or one that says less?
    #[inline(always)]
    fn repeats(self, earlier: Cell) -> bool {
        (earlier.0 ^ self.0) & (OFFSET | SIZE | ATOMIC | SLOT) == 0 && self.0 & WRITE >= earlier.0 & WRITE
    }

    /// Does whatever conflicts with `other` conflict with `self`?
    fn stands_for(self, other: Cell) -> bool {
        self.covers(other) && self.0 & WRITE >= other.0 & WRITE && self.0 & ATOMIC <= other.0 & ATOMIC
    }
}

/// What of a cell identifies the thread and its epoch.
pub(crate) fn stamp(slot: u16, epoch: u32) -> u64 {
    u64::from(slot) << SLOT_SHIFT | u64::from(epoch) << EPOCH_SHIFT
}

/// Width and kind, as cells have them.
pub(crate) const fn kind(log_size: u32, how: How) -> u64 {
    (log_size as u64) << SIZE_SHIFT | if how.write { WRITE } else { 0 } | if how.atomic { ATOMIC } else { 0 }
}

/// By how much a cell and a new access are shifted to see whether one of this thread makes the
/// other superfluous: it was made in this epoch, of the same bytes, and wrote if the new one does.
pub(crate) const fn uncommon_bits(how: How) -> u32 {
    if how.write { PC_BITS } else { PC_BITS + 1 }
}

/// Is `new` superfluous after `cell`?
#[inline(always)]
fn is_known(cell: &AtomicU64, new: Cell, how: How) -> bool {
    (cell.load(Ordering::Relaxed) ^ new.0) >> uncommon_bits(how) == 0
}

/// An access that is not known to say nothing new: what there is at its word, and what to remember.
#[derive(Clone, Copy)]
pub(crate) struct News {
    /// None if nobody has been near there before. They are made later: no call in the way of an
    /// access that is not news.
    cells: Option<&'static shadow::Cells>,
    new: Cell,
}

/// What is there to do about an access of up to eight bytes within a word? Nothing, if this thread
/// has made it, or one that says as much, in this epoch already.
#[inline(always)]
pub(crate) fn news(t: &Thread, addr: usize, log_size: u32, how: How, pc: usize) -> Option<News> {
    news_among(t, shadow::cells_if_any(addr), addr, log_size, how, pc)
}

/// The same, where the cells of the word are known.
#[inline(always)]
fn news_among(
    t: &Thread,
    cells: Option<&'static shadow::Cells>,
    addr: usize,
    log_size: u32,
    how: How,
    pc: usize,
) -> Option<News> {
    let new = Cell::at(addr, log_size, how, t.stamp());
    if let Some([one, other]) = cells
        && (is_known(one, new, how) || is_known(other, new, how))
    {
        return None;
    }
    Some(News { cells, new: new.from(pc) })
}

/// Accesses of other threads that a thread is known not to know of: a slot and an epoch of it, by
/// the last bits of the slot. Empty whenever the thread learns something.
#[repr(transparent)]
pub(crate) struct Strangers([Stranger; STRANGERS]);

type Stranger = std::cell::Cell<u64>;

/// No slot and epoch.
const NOBODY: u64 = u64::MAX;

/// How many are kept.
pub(crate) const STRANGERS: usize = 8;

impl Strangers {
    pub(crate) fn new() -> Self {
        Strangers(std::array::from_fn(|_| Stranger::new(NOBODY)))
    }

    #[inline(always)]
    fn place(&self, cell: Cell) -> &Stranger {
        &self.0[usize::from(cell.slot()) % STRANGERS]
    }

    /// Is the access known to be one of them?
    #[inline(always)]
    fn has(&self, cell: Cell) -> bool {
        self.place(cell).get() == cell.0 >> SLOT_SHIFT
    }

    fn add(&self, cell: Cell) {
        self.place(cell).set(cell.0 >> SLOT_SHIFT);
    }

    /// The thread has learnt something.
    #[inline]
    pub(crate) fn clear(&self) {
        self.0.iter().for_each(|stranger| stranger.set(NOBODY));
    }
}

/// Accesses that have no place in the cells of their words, by address, where none may be forgotten:
/// if somebody explores, nobody makes the run once more in another way to find the same race.
static FURTHER: Guarded<BTreeMap<usize, Vec<Cell>>> = Guarded::new(BTreeMap::new());

/// From now on no access is forgotten ([`News::remember_exactly`]).
pub(crate) fn forget_nothing() {
    SEES_PLAIN.store(true, Ordering::Relaxed);
}

/// What was accessed in this range is something else from now on.
pub(crate) fn forget(addr: usize, bytes: usize) {
    if explore::is_decided() {
        let mut further = FURTHER.lock();
        let gone: Vec<usize> = further.range(addr..addr.saturating_add(bytes)).map(|(&word, _)| word).collect();
        gone.iter().for_each(|word| drop(further.remove(word)));
    }
}

/// Two accesses that conflict and are not ordered.
pub(crate) struct Race {
    addr: usize,
    new: Cell,
    old: Cell,
}

impl News {
    /// Does the access write?
    #[inline]
    pub(crate) fn is_write(self) -> bool {
        self.new.0 & WRITE != 0
    }

    /// News of an access at `pc` that is a cell already, but for that.
    #[inline(always)]
    pub(crate) fn of_cell(cells: Option<&'static shadow::Cells>, cell: u64, pc: usize) -> Self {
        News { cells, new: Cell(cell).from(pc) }
    }

    /// Is the read known to be [represented](Self::is_represented), without a look at the clocks?
    #[inline(always)]
    pub(crate) fn is_of_strangers(self, t: &Thread) -> bool {
        let News { cells: Some(cells), new } = self else { return false };
        let [one, other] = [&cells[0], &cells[1]].map(|cell| Cell(cell.load(Ordering::Relaxed)));
        let differs = one.differs(new) | other.differs(new) | new.how().write;
        !differs && t.strangers.has(one) && t.strangers.has(other) && t.is_passed_over()
    }

    /// Memory that many threads read: are two of them remembered? Then this one can be left out,
    /// mostly: what conflicts with it conflicts with the others, and threads that read the same
    /// memory do not write to the same cells all the time.
    #[inline(always)]
    pub(crate) fn is_represented(self, t: &Entered) -> bool {
        let News { cells: Some(cells), new } = self else { return false };
        let [one, other] = [&cells[0], &cells[1]].map(|cell| Cell(cell.load(Ordering::Relaxed)));
        let known = |cell: Cell| t.clocks().knows(cell.slot(), cell.epoch());
        let is_represented = new.0 & WRITE == 0
            && !one.differs(new)
            && !other.differs(new)
            && !known(one)
            && !known(other)
            && !t.is_drawn();
        if is_represented {
            t.strangers.add(one);
            t.strangers.add(other);
        }
        is_represented
    }

    /// Remembers the access if that is easy, as it mostly is: no race, and no choice to make. No
    /// calls: it is the path of what threads do first with their memory after a synchronisation.
    #[inline(always)]
    pub(crate) fn is_easily_remembered(self, t: &Entered) -> bool {
        let News { cells: Some(cells), new } = self else { return false };
        let old = [&cells[0], &cells[1]].map(|cell| Cell(cell.load(Ordering::Relaxed)));
        // Mostly the same thread has made the same access in an earlier epoch, or nobody has made
        // any, and the other cell is no obstacle.
        for (index, other) in [(0, old[1]), (1, old[0])] {
            if (new.repeats(old[index]) || old[index].0 == 0)
                && (other.0 == 0 || !other.conflicts(new) || t.clocks().knows(other.slot(), other.epoch()))
            {
                cells[index].store(new.0, Ordering::Relaxed);
                return true;
            }
        }
        false
    }

    /// Remembers the access, which is at `addr`. Is it a race?
    #[inline]
    pub(crate) fn remember(self, t: &Entered, addr: usize) -> Option<Race> {
        if self.is_represented(t) || self.is_easily_remembered(t) { None } else { self.remember_anyway(t, addr) }
    }

    /// Remembers the access, and forgets none that it does not stand for. Is it a race?
    #[cold]
    #[inline(never)]
    pub(crate) fn remember_exactly(self, t: &Entered, addr: usize) -> Option<Race> {
        let News { cells, new } = self;
        let cells = cells.or_else(|| shadow::cells(addr))?;
        let mut further = FURTHER.lock();
        let rest = further.entry(addr & !7).or_default();
        let old = cells.iter().map(|cell| Cell(cell.load(Ordering::Relaxed)));
        let mut all: Vec<Cell> = old.filter(|&cell| cell != Cell(0)).chain(rest.drain(..)).collect();
        let knows = |cell: Cell| t.clocks().knows(cell.slot(), cell.epoch());
        let races = |&cell: &Cell| !knows(cell) && cell.overlaps(new) && cell.conflicts(new);
        let race = all.iter().copied().find(races).map(|old| Race { addr, new, old });
        all.retain(|&cell| !(knows(cell) && new.stands_for(cell)));
        all.insert(0, new);
        let mut all = all.into_iter();
        cells.iter().for_each(|cell| cell.store(all.next().map_or(0, |cell| cell.0), Ordering::Relaxed));
        rest.extend(all);
        race
    }

    /// The same for one that is not [easily remembered](Self::is_easily_remembered).
    #[inline(never)]
    pub(crate) fn remember_anyway(self, t: &Entered, addr: usize) -> Option<Race> {
        if explore::is_decided() {
            return self.remember_exactly(t, addr);
        }
        let News { cells, new } = self;
        let cells = match cells {
            Some(cells) => cells,
            None => shadow::cells(addr)?,
        };
        let old = [&cells[0], &cells[1]].map(|cell| Cell(cell.load(Ordering::Relaxed)));
        remember_among(t, addr, cells, old, new)
    }
}

#[inline]
fn remember_among(t: &Entered, addr: usize, cells: &shadow::Cells, old: [Cell; 2], new: Cell) -> Option<Race> {
    // Preference: what the new access makes superfluous, then an empty cell, then an atomic access
    // (a variable often shares its word with what it protects, and races of atomic accesses are
    // rare), then what is ordered before (and so most likely before what others will do, too), then
    // any.
    let (mut superfluous, mut empty, mut atomic, mut ordered) = (None, None, None, None);
    let mut race = None;
    for (index, &cell) in old.iter().enumerate() {
        let known = t.clocks().knows(cell.slot(), cell.epoch());
        match cell {
            Cell(0) => empty = Some(index),
            _ if known && new.stands_for(cell) => superfluous = Some(index),
            _ if !known && cell.overlaps(new) && cell.conflicts(new) => race = Some(Race { addr, new, old: cell }),
            _ if cell.how().atomic => atomic = Some(index),
            _ if known => ordered = Some(index),
            _ => {}
        }
    }
    let any = || match old.map(|cell| cell.how().write) {
        // A write is worth more than a read: every later access can race with it.
        [true, false] => 1,
        [false, true] => 0,
        _ => new.pc() >> 2 & 1,
    };
    let target = match superfluous.or(empty).or(atomic) {
        None if new.how().atomic => return race,
        found => found.or(ordered).unwrap_or_else(any),
    };
    cells[target].store(new.0, Ordering::Relaxed);
    race
}

/// Thread `t` ends the life of a block of memory: that conflicts with every access. The block is
/// not accessed again before it is [forgotten](shadow::forget), so there is nothing to remember.
pub(crate) fn with_free(t: &Entered, addr: usize, bytes: usize, pc: usize) -> Vec<Race> {
    let mut races = Vec::new();
    for (start, run) in shadow::runs_of_cells(addr, bytes) {
        for (word, cells) in run.iter().enumerate() {
            let [one, other] = [&cells[0], &cells[1]].map(|cell| Cell(cell.load(Ordering::Relaxed)));
            // No access is one that everybody knows of.
            let is_strange = |cell: &Cell| !t.clocks().knows(cell.slot(), cell.epoch());
            if is_strange(&one) || is_strange(&other) {
                let addr = start + 8 * word;
                let new = Cell::at(addr, 3, How { write: true, atomic: false }, t.stamp()).from(pc);
                races.extend([one, other].into_iter().filter(is_strange).map(|old| Race { addr, new, old }));
            }
        }
    }
    races
}

impl Race {
    /// Reports the race; `t` made the later access, at `pc`.
    #[cold]
    pub(crate) fn report(&self, t: &Entered, pc: usize) {
        crate::report::race(t, self.addr, self.new, self.old, pc);
    }
}

/// The accesses of up to eight aligned bytes that an access of `bytes` bytes from `addr` on
/// consists of.
#[inline]
pub(crate) fn pieces(addr: usize, bytes: usize, mut visit: impl FnMut(usize, u32)) {
    let (mut at, end) = (addr, addr.saturating_add(bytes));
    while at < end {
        let log_size = at.trailing_zeros().min((end - at).ilog2()).min(3);
        visit(at, log_size);
        at += 1 << log_size;
    }
}

/// How many bytes from `addr` on, which is aligned to eight, has this thread accessed like this in
/// this epoch already, word by word?
#[inline]
pub(crate) fn known_bytes(t: &Thread, addr: usize, bytes: usize, how: How) -> usize {
    let Some(cells) = shadow::run_of_cells(addr) else { return 0 };
    let new = Cell::at(addr, 3, how, t.stamp());
    let is_known = |[one, other]: &&shadow::Cells| is_known(one, new, how) || is_known(other, new, how);
    8 * cells.iter().take(bytes / 8).take_while(is_known).count()
}

/// Thread `t`, for which the runtime is at work, accesses an atomic variable of `size` bytes.
/// `span` is what is known of the memory around, if there is anything. Inlined, so that size and
/// kind are constants.
#[inline(always)]
pub(crate) fn atomic(t: &Entered, span: Option<&'static Span>, addr: usize, size: u8, how: How, pc: usize) {
    // An atomic variable of any size is aligned to it, and lies in one span.
    let access = |at: usize, log_size: u32| {
        let cells = span.map(|span| span.cells(at));
        if let Some(news) = news_among(t, cells, at, log_size, how, pc) {
            remember_atomic(t, at, news, pc);
        }
    };
    match size {
        16 => pieces(addr, 16, access),
        _ => access(addr, u32::from(size).trailing_zeros()),
    }
}

/// Mostly one of a thread that made the same access before: no calls.
#[inline(never)]
fn remember_atomic(t: &Entered, addr: usize, news: News, pc: usize) {
    if explore::is_decided() {
        return remember_atomic_exactly(t, addr, news, pc);
    }
    if !(news.is_write() && news.is_easily_remembered(t)) {
        remember_atomic_closely(t, addr, news, pc);
    }
}

#[cold]
#[inline(never)]
fn remember_atomic_exactly(t: &Entered, addr: usize, news: News, pc: usize) {
    if let Some(race) = news.remember_exactly(t, addr) {
        race.report(t, pc);
    }
}

#[inline(never)]
fn remember_atomic_closely(t: &Entered, addr: usize, news: News, pc: usize) {
    if let Some(race) = news.remember(t, addr) {
        race.report(t, pc);
    }
}
