//! What several threads work on: tables that only grow, and a loop whose turns
//! are taken by whoever is free.
//!
//! A value that is in a table stays where it is, so that reading takes no
//! lock. Numbers are given in the order of arrival, which depends on timing;
//! whoever wants the same results every time must not order things by them.

use std::hash::{BuildHasher, Hash};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use foldhash::fast::FixedState;
use foldhash::{HashMap, HashMapExt};

/// Slots in the first segment of a table; each segment has as many as all before it together.
const FIRST: u32 = 1 << 8;

/// Segments for as many slots as there are numbers.
const SEGMENTS: usize = (u32::BITS - FIRST.trailing_zeros()) as usize;

/// Parts of an index, each with its own lock.
const PARTS: usize = 32;

/// A table of values that are written once.
pub(crate) struct Slots<T> {
    segments: [OnceLock<Box<[OnceLock<T>]>>; SEGMENTS],
}

impl<T> Slots<T> {
    pub(crate) fn new() -> Self {
        Slots { segments: [const { OnceLock::new() }; SEGMENTS] }
    }

    /// The segment of a slot, and its place there.
    fn place(number: u32) -> (usize, usize) {
        let segment = (number / FIRST + 1).ilog2();
        (segment as usize, (number - FIRST * ((1 << segment) - 1)) as usize)
    }

    /// The value of a slot, if there is one.
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        let (segment, place) = Self::place(number);
        self.segments[segment].get()?[place].get()
    }

    /// Writes a slot; false if that was done before.
    pub(crate) fn set(&self, number: u32, value: T) -> bool {
        let (segment, place) = Self::place(number);
        let slots = self.segments[segment]
            .get_or_init(|| std::iter::repeat_with(OnceLock::new).take((FIRST as usize) << segment).collect());
        slots[place].set(value).is_ok()
    }
}

/// Values, each of which is there once.
pub(crate) struct Interned<T> {
    values: Slots<T>,
    count: AtomicU32,
    /// For every hash, the number of its value. If two have the same, the second is found under the
    /// next hash.
    index: [Mutex<HashMap<u64, u32>>; PARTS],
}

impl<T> Interned<T> {
    pub(crate) fn new() -> Self {
        let index = std::array::from_fn(|_| Mutex::new(HashMap::new()));
        Interned { values: Slots::new(), count: AtomicU32::new(0), index }
    }

    /// The value of this number.
    pub(crate) fn get(&self, number: u32) -> &T {
        self.values.get(number).expect("numbers are given to values")
    }

    /// The number of the value with this key, and whether it is new: then `make` makes it.
    ///
    /// # Panics
    /// When there are more values than numbers: memory would be short before.
    pub(crate) fn intern<K: Hash>(&self, key: &K, is_it: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> (u32, bool) {
        let mut hash = FixedState::default().hash_one(key);
        let part = &self.index[hash as usize % PARTS];
        let mut index = part.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(&known) = index.get(&hash) {
            if is_it(self.get(known)) {
                return (known, false);
            }
            hash = hash.wrapping_add(1);
        }
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        assert!(number < u32::MAX - FIRST, "too many values");
        self.values.set(number, make());
        index.insert(hash, number);
        (number, true)
    }
}

/// Turns of a loop that are worth a thread.
const WORTH_A_THREAD: usize = 8;

/// What `work` gives for every number below `count`, by up to `jobs` threads.
pub(crate) fn each<R: Send>(count: usize, jobs: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let jobs = jobs.min(count / WORTH_A_THREAD);
    if jobs <= 1 {
        return (0..count).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let turns = || {
        let mut done = Vec::new();
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            if turn >= count {
                return done;
            }
            done.push((turn, work(turn)));
        }
    };
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..jobs).map(|_| scope.spawn(turns)).collect();
        let mut done = turns();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    results.sort_unstable_by_key(|&(turn, _)| turn);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slot_has_its_place() {
        let slots = Slots::new();
        for number in (0..5_000).chain([1 << 16]) {
            assert_eq!(slots.get(number), None);
            assert!(slots.set(number, number) && !slots.set(number, 0));
            assert_eq!(slots.get(number), Some(&number));
        }
        assert!((0..5_000).all(|number| slots.get(number) == Some(&number)));
        assert!(Slots::<u8>::place(u32::MAX - FIRST).0 < SEGMENTS);
    }

    /// A key whose hash says nothing.
    struct Same;

    impl Hash for Same {
        fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
    }

    /// Values are compared, not only hashed; and whoever asks gets the same number.
    #[test]
    fn interned_once_by_many_threads() {
        let values = Interned::new();
        let numbers = each(4_000, 8, |turn| {
            let value = turn as u32 % 100;
            values.intern(&Same, |&known| known == value, || value)
        });
        assert_eq!(numbers.iter().filter(|(_, is_new)| *is_new).count(), 100);
        for (turn, &(number, _)) in numbers.iter().enumerate() {
            assert_eq!(*values.get(number), turn as u32 % 100);
        }
    }

    #[test]
    fn turns_come_back_in_order() {
        for jobs in [0, 1, 2, 3, 8] {
            assert_eq!(each(100, jobs, |turn| turn * turn), (0..100).map(|turn| turn * turn).collect::<Vec<_>>());
        }
    }
}
