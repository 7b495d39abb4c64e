//! What the runtime remembers about each word of the program's memory.
//!
//! A tree of tables over the address space, made as it is touched: no address is computed from another by a
//! fixed distance, so it does not matter where the kernel puts things. 47 bits of address are 16 bits of root (in the
//! data segment), 15 bits of [`Span`] (2 GiB each), and 16 bits within a [`Region`] of 64 KiB.
//!
//! For every aligned word of eight bytes a region has two [`Cell`](crate::race::Cell)s for plain accesses (pages of them that are not used
//! take no memory), and, in pages where there is an atomic or a synchronisation object, the head of a list of [`Place`]s.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use crate::memory;
use crate::place::Place;

const ADDRESS_BITS: u32 = 47;
const REGION_BITS: u32 = 16;
const SPAN_BITS: u32 = 15;
const PAGE_BITS: u32 = 12;
const WORD_BITS: u32 = 3;

/// Words of a region.
const WORDS: usize = 1 << (REGION_BITS - WORD_BITS);
/// Words of a page.
const PAGE_WORDS: usize = 1 << (PAGE_BITS - WORD_BITS);

/// The two cells of a word.
pub(crate) type Cells = [AtomicU64; 2];

struct Span([AtomicPtr<Region>; 1 << SPAN_BITS]);

/// What is known of 64 KiB of the program's memory.
#[repr(C)]
struct Region {
    cells: [Cells; WORDS],
    places: [AtomicPtr<Page>; 1 << (REGION_BITS - PAGE_BITS)],
}

/// The atomics and synchronisation objects in a page, by word.
struct Page([AtomicPtr<Place>; PAGE_WORDS]);

static ROOT: [AtomicPtr<Span>; 1 << (ADDRESS_BITS - SPAN_BITS - REGION_BITS)] =
    [const { AtomicPtr::new(null_mut()) }; 1 << (ADDRESS_BITS - SPAN_BITS - REGION_BITS)];

/// What `slot` points to, or null.
#[inline]
fn look<T>(slot: &AtomicPtr<T>) -> Option<&'static T> {
    // SAFETY: tables are published with `Release` once they are zeroed, and never unmapped.
    unsafe { slot.load(Ordering::Acquire).as_ref() }
}

/// What `slot` points to, made of zeroed pages if it is the first time.
#[inline]
fn make<T>(slot: &AtomicPtr<T>) -> &'static T {
    match look(slot) {
        Some(table) => table,
        None => make_now(slot),
    }
}

#[cold]
fn make_now<T>(slot: &AtomicPtr<T>) -> &'static T {
    let fresh: *mut T = memory::map_table(size_of::<T>()).cast();
    match slot.compare_exchange(null_mut(), fresh, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: all tables consist of atomics, for which zeroes are valid.
        Ok(_) => unsafe { &*fresh },
        Err(other) => {
            // SAFETY: `fresh` was mapped above with this size and nobody has seen it.
            unsafe { memory::unmap(fresh.cast(), size_of::<T>()) };
            // SAFETY: as in `look`.
            unsafe { &*other }
        }
    }
}

#[inline]
fn span_slot(addr: usize) -> Option<&'static AtomicPtr<Span>> {
    ROOT.get(addr >> (SPAN_BITS + REGION_BITS))
}

#[inline]
fn region_slot(span: &'static Span, addr: usize) -> &'static AtomicPtr<Region> {
    &span.0[(addr >> REGION_BITS) & ((1 << SPAN_BITS) - 1)]
}

#[inline]
fn page_slot(region: &'static Region, addr: usize) -> &'static AtomicPtr<Page> {
    &region.places[(addr >> PAGE_BITS) & ((1 << (REGION_BITS - PAGE_BITS)) - 1)]
}

#[inline]
fn word_in_region(addr: usize) -> usize {
    (addr >> WORD_BITS) & (WORDS - 1)
}

/// The cells of the word that `addr` lies in; none for addresses no program has.
#[inline]
pub(crate) fn cells(addr: usize) -> Option<&'static Cells> {
    let region = make(region_slot(make(span_slot(addr)?), addr));
    Some(&region.cells[word_in_region(addr)])
}

/// The same, if there is anything in the region: a few loads, no calls.
#[inline]
pub(crate) fn cells_if_any(addr: usize) -> Option<&'static Cells> {
    run_of_cells(addr)?.first()
}

/// The cells of the word that `addr` lies in and of those after it in the same region, if there is anything in the region.
#[inline]
pub(crate) fn run_of_cells(addr: usize) -> Option<&'static [Cells]> {
    let region = look(region_slot(look(span_slot(addr)?)?, addr))?;
    Some(&region.cells[word_in_region(addr)..])
}

/// The head of the list of places in the word that `addr` lies in.
#[inline]
pub(crate) fn places(addr: usize) -> Option<&'static AtomicPtr<Place>> {
    let region = make(region_slot(make(span_slot(addr)?), addr));
    Some(&make(page_slot(region, addr)).0[(addr >> WORD_BITS) & (PAGE_WORDS - 1)])
}

/// The same, if there is anything in the page.
#[inline]
pub(crate) fn places_if_any(addr: usize) -> Option<&'static AtomicPtr<Place>> {
    let page = look(page_slot(look(region_slot(look(span_slot(addr)?)?, addr))?, addr))?;
    Some(&page.0[(addr >> WORD_BITS) & (PAGE_WORDS - 1)])
}

/// Forgets everything about `bytes` bytes from `addr` on: they are about to be, or have been, something else.
pub(crate) fn forget(addr: usize, bytes: usize) {
    // A word that is shared with a neighbour is kept.
    let mut at = addr.next_multiple_of(1 << WORD_BITS);
    let end = (addr.saturating_add(bytes)).min(1 << ADDRESS_BITS) & !((1 << WORD_BITS) - 1);
    while at < end {
        let region_end = ((at >> REGION_BITS) + 1) << REGION_BITS;
        let stop = region_end.min(end);
        match span_slot(at).and_then(look) {
            None => at = (((at >> (SPAN_BITS + REGION_BITS)) + 1) << (SPAN_BITS + REGION_BITS)).min(end),
            Some(span) => {
                if let Some(region) = look(region_slot(span, at)) {
                    forget_in(region, at, stop);
                }
                at = stop;
            }
        }
    }
}

fn forget_in(region: &'static Region, from: usize, to: usize) {
    let cells = &region.cells[word_in_region(from)..word_in_region(to - 1) + 1];
    if cells.len() == WORDS {
        // SAFETY: the cells are private anonymous memory of ours, aligned to a page as the first part of a mapping of their own;
        // afterwards they read as zeroes, which are valid.
        unsafe { libc::madvise(cells.as_ptr().cast_mut().cast(), size_of_val(cells), libc::MADV_DONTNEED) };
    } else {
        for cell in cells.iter().flatten() {
            // Most words were never accessed: reading keeps their pages unmapped.
            if cell.load(Ordering::Relaxed) != 0 {
                cell.store(0, Ordering::Relaxed);
            }
        }
    }
    let mut at = from;
    while at < to {
        let page_end = (((at >> PAGE_BITS) + 1) << PAGE_BITS).min(to);
        if let Some(page) = look(page_slot(region, at)) {
            for word in (at..page_end).step_by(1 << WORD_BITS) {
                Place::drop_all(&page.0[(word >> WORD_BITS) & (PAGE_WORDS - 1)]);
            }
        }
        at = page_end;
    }
}

#[cfg(test)]
mod tests {
    use super::{cells, cells_if_any, forget, places_if_any};
    use crate::place::{Content, Kind, Place};
    use std::sync::atomic::Ordering;

    fn sync(addr: usize) {
        let made = || Content::Sync(fencepost_clock::SyncObject::default());
        assert!(Place::find_or_make(addr, Kind::Sync, made).is_some());
    }

    #[test]
    fn memory_that_is_forgotten_is_clear_and_its_neighbours_are_not() {
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
        let found = [0, 8, 16, 24].map(|offset| Place::find(base + offset, Kind::Sync).is_some());
        assert_eq!(found, [true, false, true, true]);
    }

    #[test]
    fn large_ranges_are_forgotten_region_by_region() {
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
    fn addresses_no_program_has_are_not_watched() {
        assert!(cells(usize::MAX).is_none() && cells(1 << 47).is_none());
        forget(usize::MAX - 8, usize::MAX);
    }
}
