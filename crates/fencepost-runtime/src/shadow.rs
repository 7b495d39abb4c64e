//! What the runtime remembers about each word of the program's memory.
//!
//! A table over the address space, whose parts are made as they are touched: no address is computed
//! from another by a fixed distance, so it does not matter where the kernel puts things. 47 bits of
//! address are 23 bits of root and 24 bits within a [`Span`] of 16 MiB. One look into the root
//! finds what is known of a word, since every plain access needs it; pages of root and spans that
//! are not used take no memory.
//!
//! For every aligned word of eight bytes a span has two [`Cell`](crate::race::Cell)s for plain
//! accesses, and, in pages where there is an atomic or a synchronisation object, the head of a list
//! of [`Place`]s.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use crate::memory::{self, Apart};
use crate::place::Place;
use crate::race::{self, SEES_PLAIN};

const ADDRESS_BITS: u32 = 47;
pub(crate) const SPAN_BITS: u32 = 24;
const PAGE_BITS: u32 = 12;
const WORD_BITS: u32 = 3;

/// Words of a span.
const WORDS: usize = 1 << (SPAN_BITS - WORD_BITS);
/// Words of a page.
const PAGE_WORDS: usize = 1 << (PAGE_BITS - WORD_BITS);
/// Bytes of a page of ours.
const OUR_PAGE: usize = 4096;
/// Cells that are forgotten page by page rather than one by one, from so many bytes on.
const MANY: usize = 1 << 17;

/// The two cells of a word.
pub(crate) type Cells = [AtomicU64; 2];

/// What is known of 16 MiB of the program's memory.
#[repr(C)]
pub(crate) struct Span {
    cells: [Cells; WORDS],
    places: [AtomicPtr<Page>; 1 << (SPAN_BITS - PAGE_BITS)],
}

/// The atomics and synchronisation objects in a page, by word.
struct Page([AtomicPtr<Place>; PAGE_WORDS]);

/// The spans, by address: for each a pointer that is as far before it as the cells of the memory
/// below take, all the way from address 0. So the cells of a word are one sum away.
pub(crate) type Root = [AtomicPtr<Span>; SPANS];

/// Spans that there can be.
pub(crate) const SPANS: usize = 1 << (ADDRESS_BITS - SPAN_BITS);

/// How many times as large as a word its cells are; and a span begins with cells.
const CELLS_TO_WORD: usize = 2;
const _: () = assert!(size_of::<Cells>() == CELLS_TO_WORD << WORD_BITS && std::mem::offset_of!(Span, cells) == 0);

/// The root. As a variable of its own size it would be part of every program, and one that may not
/// have so much memory could not be started to say so.
pub(crate) static ROOT: Apart<AtomicPtr<Root>> = Apart(AtomicPtr::new(null_mut()));

/// The same for hooks in assembly, which leave to others what they do not find.
pub(crate) static QUICK: Apart<AtomicPtr<Root>> = Apart(AtomicPtr::new(null_mut()));

/// Makes the root, the first time. To be called before anything is asked for.
pub(crate) fn start() {
    let root: *const Root = make(&ROOT, 0);
    QUICK.store(root.cast_mut(), Ordering::Release);
}

/// Hooks in assembly find nothing from now on: somebody wants to know of every plain access.
pub(crate) fn leave_to_others() {
    QUICK.store(memory::map_table(size_of::<Root>()).cast(), Ordering::Release);
}

/// What `slot` points to, which is so many bytes `before` it, or none.
#[inline]
fn look<T>(slot: &AtomicPtr<T>, before: usize) -> Option<&'static T> {
    let pointer = slot.load(Ordering::Acquire);
    // SAFETY: tables are published with `Release` once they are zeroed, and never unmapped.
    (!pointer.is_null()).then(|| unsafe { &*pointer.wrapping_byte_add(before) })
}

/// What `slot` points to, made of zeroed pages if it is the first time.
#[inline]
fn make<T>(slot: &AtomicPtr<T>, before: usize) -> &'static T {
    match look(slot, before) {
        Some(table) => table,
        None => make_now(slot, before),
    }
}

#[cold]
fn make_now<T>(slot: &AtomicPtr<T>, before: usize) -> &'static T {
    let fresh: *mut T = memory::map_table(size_of::<T>()).cast();
    let pointer = fresh.wrapping_byte_sub(before);
    if pointer.is_null() {
        // It would say that there is nothing; these pages stay, and the next are elsewhere.
        return make_now(slot, before);
    }
    match slot.compare_exchange(null_mut(), pointer, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: all tables consist of atomics, for which zeroes are valid.
        Ok(_) => unsafe { &*fresh },
        Err(other) => {
            // SAFETY: `fresh` was mapped above with this size and nobody has seen it.
            unsafe { memory::unmap(fresh.cast(), size_of::<T>()) };
            // SAFETY: as in `look`.
            unsafe { &*other.wrapping_byte_add(before) }
        }
    }
}

#[inline]
fn span_slot(addr: usize) -> Option<&'static AtomicPtr<Span>> {
    // SAFETY: the root is made before the first thread is watched, and never unmapped.
    unsafe { &*ROOT.load(Ordering::Relaxed) }.get(addr >> SPAN_BITS)
}

/// How far the pointer to a span is before it: the span that has `addr`.
#[inline]
fn before_span(addr: usize) -> usize {
    CELLS_TO_WORD * (addr >> SPAN_BITS << SPAN_BITS)
}

#[inline]
fn page_slot(span: &'static Span, addr: usize) -> &'static AtomicPtr<Page> {
    &span.places[(addr >> PAGE_BITS) & ((1 << (SPAN_BITS - PAGE_BITS)) - 1)]
}

#[inline]
fn word_in_span(addr: usize) -> usize {
    (addr >> WORD_BITS) & (WORDS - 1)
}

/// What is known of the memory around `addr`, if there is anything.
#[inline]
pub(crate) fn span_if_any(addr: usize) -> Option<&'static Span> {
    look(span_slot(addr)?, before_span(addr))
}

/// The same, made if there is nothing; none for addresses no program has.
#[inline]
fn span(addr: usize) -> Option<&'static Span> {
    Some(make(span_slot(addr)?, before_span(addr)))
}

impl Span {
    /// The cells of the word that `addr`, an address within, lies in.
    #[inline]
    pub(crate) fn cells(&'static self, addr: usize) -> &'static Cells {
        &self.cells[word_in_span(addr)]
    }

    /// The head of the list of places in that word, if there is anything in its page.
    #[inline]
    pub(crate) fn places_if_any(&'static self, addr: usize) -> Option<&'static AtomicPtr<Place>> {
        Some(&look(page_slot(self, addr), 0)?.0[(addr >> WORD_BITS) & (PAGE_WORDS - 1)])
    }
}

/// The cells of the word that `addr` lies in; none for addresses no program has.
#[inline]
pub(crate) fn cells(addr: usize) -> Option<&'static Cells> {
    Some(span(addr)?.cells(addr))
}

/// The same, if there is anything in the span: two loads, no calls.
#[inline]
pub(crate) fn cells_if_any(addr: usize) -> Option<&'static Cells> {
    Some(span_if_any(addr)?.cells(addr))
}

/// The cells of the word that `addr` lies in and of those after it in the same span, if there is
/// anything in the span.
#[inline]
pub(crate) fn run_of_cells(addr: usize) -> Option<&'static [Cells]> {
    Some(&span_if_any(addr)?.cells[word_in_span(addr)..])
}

/// The cells of `bytes` bytes from `addr` on, which is aligned to a word, where there is anything,
/// and the addresses that they begin at.
pub(crate) fn runs_of_cells(addr: usize, bytes: usize) -> impl Iterator<Item = (usize, &'static [Cells])> {
    let end = (addr + bytes).next_multiple_of(1 << WORD_BITS);
    let span_end = move |at: usize| (((at >> SPAN_BITS) + 1) << SPAN_BITS).min(end);
    let parts = std::iter::successors(Some(addr), move |&at| Some(span_end(at)).filter(|&next| next < end));
    parts.filter_map(move |at| {
        let words = (span_end(at) - at) >> WORD_BITS;
        Some((at, &run_of_cells(at)?[..words]))
    })
}

/// The head of the list of places in the word that `addr` lies in.
#[inline]
pub(crate) fn places(addr: usize) -> Option<&'static AtomicPtr<Place>> {
    Some(&make(page_slot(span(addr)?, addr), 0).0[(addr >> WORD_BITS) & (PAGE_WORDS - 1)])
}

/// The same, if there is anything in the page.
#[inline]
pub(crate) fn places_if_any(addr: usize) -> Option<&'static AtomicPtr<Place>> {
    span_if_any(addr)?.places_if_any(addr)
}

/// Forgets everything about `bytes` bytes from `addr` on: they are about to be, or have been,
/// something else.
pub(crate) fn forget(addr: usize, bytes: usize) {
    // A word that is shared with a neighbour is kept.
    let mut at = addr.next_multiple_of(1 << WORD_BITS);
    let end = (addr.saturating_add(bytes)).min(1 << ADDRESS_BITS) & !((1 << WORD_BITS) - 1);
    race::forget(at, end.saturating_sub(at));
    while at < end {
        let stop = (((at >> SPAN_BITS) + 1) << SPAN_BITS).min(end);
        if let Some(span) = span_if_any(at) {
            forget_in(span, at, stop);
        }
        at = stop;
    }
}

fn forget_in(span: &'static Span, from: usize, to: usize) {
    if SEES_PLAIN.load(Ordering::Relaxed) {
        forget_cells(span, from, to);
    }
    let mut at = from;
    while at < to {
        let page_end = (((at >> PAGE_BITS) + 1) << PAGE_BITS).min(to);
        if let Some(page) = look(page_slot(span, at), 0) {
            for word in (at..page_end).step_by(1 << WORD_BITS) {
                Place::drop_all(&page.0[(word >> WORD_BITS) & (PAGE_WORDS - 1)]);
            }
        }
        at = page_end;
    }
}

fn forget_cells(span: &'static Span, from: usize, to: usize) {
    let cells = &span.cells[word_in_span(from)..word_in_span(to - 1) + 1];
    if size_of_val(cells) < MANY {
        clear(cells);
    } else {
        // Whole pages go back to the kernel; the rest of a page at either end has other words in
        // it, too.
        let skip = cells.as_ptr().align_offset(OUR_PAGE);
        let (first, rest) = cells.split_at(skip);
        let (pages, last) = rest.split_at(rest.len() - rest.len() % (OUR_PAGE / size_of::<Cells>()));
        clear(first);
        clear(last);
        // SAFETY: these pages are private anonymous memory of ours with nothing but cells in them;
        // afterwards they read as zeroes, which are valid.
        unsafe { libc::madvise(pages.as_ptr().cast_mut().cast(), size_of_val(pages), libc::MADV_DONTNEED) };
    }
}

fn clear(cells: &[Cells]) {
    for [one, other] in cells {
        // Most words were never accessed: reading keeps their pages unmapped.
        if one.load(Ordering::Relaxed) | other.load(Ordering::Relaxed) != 0 {
            one.store(0, Ordering::Relaxed);
            other.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SPAN_BITS, cells, cells_if_any, forget, places_if_any, runs_of_cells, start};
    use crate::place::{Content, Intent, Kind, Place};
    use crate::race::SEES_PLAIN;
    use std::sync::atomic::Ordering;

    fn sync(addr: usize) {
        let made = || Content::Sync(fencepost_clock::SyncObject::default());
        assert!(Place::find_or_make(addr, Kind::Sync, made).is_some());
    }

    fn sees_plain() {
        start();
        SEES_PLAIN.store(true, Ordering::Relaxed);
    }

    #[test]
    fn memory_that_is_forgotten_is_clear_and_its_neighbours_are_not() {
        sees_plain();
        let base = 0x1234_5670_0000;
        assert!(cells_if_any(base).is_none() && places_if_any(base).is_none());
        for word in [base, base + 8, base + 16, base + 24] {
            cells(word).expect("an address of the user's half")[0].store(1, Ordering::Relaxed);
            sync(word);
        }
        // Half a word at either end is shared with something else.
        forget(base + 4, 16);
        let kept = |word: usize| cells(word).is_some_and(|cells| cells[0].load(Ordering::Relaxed) == 1);
        assert_eq!([0, 8, 16, 24].map(|offset| kept(base + offset)), [true, false, true, true]);
        let found = [0, 8, 16, 24].map(|offset| Place::find(base + offset, Kind::Sync, Intent::Read).is_some());
        assert_eq!(found, [true, false, true, true]);
    }

    #[test]
    fn large_ranges_are_forgotten_region_by_region() {
        sees_plain();
        let base = 0x2345_0000_0000;
        for word in [base, base + (1 << 20), base + (1 << 33)] {
            cells(word).expect("an address of the user's half")[1].store(7, Ordering::Relaxed);
        }
        forget(base, (1 << 33) + 8);
        for word in [base, base + (1 << 20), base + (1 << 33)] {
            assert_eq!(cells(word).map(|cells| cells[1].load(Ordering::Relaxed)), Some(0));
        }
    }

    #[test]
    fn runs_of_cells_end_where_spans_end() {
        sees_plain();
        let border = 0x3456_7800_0000;
        assert!(usize::is_multiple_of(border, 1 << SPAN_BITS));
        let runs = |bytes| runs_of_cells(border - 16, bytes).map(|(at, run)| (at, run.len())).collect::<Vec<_>>();
        assert_eq!(runs(40), []);
        assert!(cells(border).is_some());
        assert_eq!(runs(40), [(border, 3)]);
        assert!(cells(border - 8).is_some());
        // Of the last word there are three bytes.
        assert_eq!(runs(35), [(border - 16, 2), (border, 3)]);
        assert_eq!((runs(16), runs(0)), (vec![(border - 16, 2)], vec![(border - 16, 0)]));
    }

    #[test]
    fn addresses_no_program_has_are_not_watched() {
        start();
        assert!(cells(usize::MAX).is_none() && cells(1 << 47).is_none());
        forget(usize::MAX - 8, usize::MAX);
    }
}
