//! The set of visited states: insert-only, exact, in layers.
//!
//! States live one after the other in blocks that never move; an open-addressing table of (hash,
//! number) pairs finds them. A state is known only if all its words are equal, whatever the hashes
//! say. The set is cut into shards by hash, each behind a lock of its own, so that several threads
//! can insert at once.
//!
//! A search by layers asks one more thing: was a state that is known found in an earlier layer, or
//! in the one that is being built? Within a shard numbers ascend with layers, so one number per
//! shard tells.

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fencepost_verdict::Reason;

/// A number of a state within its shard.
pub(crate) type StateId = u32;

/// Words of a block, roughly, or of the blocks of several shards together: small enough for small
/// programs, large enough not to matter for large ones.
const BLOCK_WORDS: usize = 1 << 12;
/// A free place in the table.
const FREE: u64 = u64::MAX;

/// How many bytes may be used, and are.
#[derive(Debug)]
pub(crate) struct Meter {
    max: u64,
    used: AtomicU64,
    peak: AtomicU64,
}

impl Meter {
    /// Nothing is used yet.
    pub(crate) fn new(max: u64) -> Arc<Self> {
        Arc::new(Meter { max, used: AtomicU64::new(0), peak: AtomicU64::new(0) })
    }

    /// Bytes in use.
    pub(crate) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// The most bytes that ever were.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }

    /// Uses this many more bytes, if that is allowed.
    pub(crate) fn take(&self, more: u64) -> Result<(), Reason> {
        let used = self.used.fetch_add(more, Ordering::Relaxed) + more;
        if used > self.max {
            self.give_back(more);
            return Err(Reason::Memory(self.max));
        }
        self.peak.fetch_max(used, Ordering::Relaxed);
        Ok(())
    }

    /// Uses so many bytes no more.
    pub(crate) fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Visited states.
pub(crate) struct StateStore<H> {
    words: usize,
    hasher: H,
    /// The number is a power of two.
    shards: Vec<Mutex<Shard>>,
    max_states: u64,
    /// How many of them no shard has asked for yet.
    unclaimed: AtomicU64,
    /// How many a shard asks for at a time: counting each would keep all threads busy with one
    /// counter.
    claim: u64,
    meter: Arc<Meter>,
}

/// The states of some hashes. Shards share no line of the processors' caches.
#[repr(align(128))]
struct Shard {
    /// States it may still take.
    quota: u64,
    /// States per block.
    block: usize,
    blocks: Vec<Vec<u64>>,
    len: usize,
    /// Upper half of the hash and number of the state; its length is a power of two.
    table: Vec<u64>,
    /// The first state of the layer that is being built.
    layer: StateId,
}

/// What became of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inserted {
    /// The state is new.
    New,
    /// The state was known in the layer that is being built.
    Again,
    /// The state was known before.
    Old,
}

/// Many insertions at once, in buffers that are used again and again.
#[derive(Default)]
pub(crate) struct Batch {
    hashes: Vec<u64>,
    /// The states by shard, and where each shard's end.
    order: Vec<u32>,
    ends: Vec<u32>,
    inserted: Vec<Inserted>,
}

impl Batch {
    /// What became of each state.
    pub(crate) fn inserted(&self) -> &[Inserted] {
        &self.inserted
    }

    /// The same answer for every one of `count` states, to begin with.
    pub(crate) fn reset(&mut self, count: usize) -> &mut [Inserted] {
        self.inserted.clear();
        self.inserted.resize(count, Inserted::Old);
        &mut self.inserted
    }

    /// Sorts states with these hashes by shard.
    fn sort(&mut self, hashes: impl Iterator<Item = u64>, shards: usize) {
        self.hashes.clear();
        self.hashes.extend(hashes);
        self.reset(self.hashes.len());
        self.ends.clear();
        self.ends.resize(shards + 1, 0);
        let shard = |hash: u64| hash as usize & (shards - 1);
        for &hash in &self.hashes {
            self.ends[shard(hash) + 1] += 1;
        }
        for number in 1..=shards {
            self.ends[number] += self.ends[number - 1];
        }
        self.order.clear();
        self.order.resize(self.hashes.len(), 0);
        // Backwards from the ends, which are the starts of the next ones afterwards, and then
        // forwards again.
        for (member, &hash) in self.hashes.iter().enumerate().rev() {
            self.ends[shard(hash) + 1] -= 1;
            self.order[self.ends[shard(hash) + 1] as usize] = member as u32;
        }
        self.ends.rotate_left(1);
        self.ends[shards] = self.hashes.len() as u32;
    }
}

/// Where a state is: its shard and its number there.
pub(crate) type Place = (usize, StateId);

impl<H: BuildHasher> StateStore<H> {
    /// An empty store for states of `words` words, to be used by `users` threads.
    pub(crate) fn new(words: usize, hasher: H, users: usize, max_states: u64, meter: Arc<Meter>) -> Self {
        let shards = if users <= 1 { 1 } else { (users * 16).next_power_of_two().min(1 << 10) };
        let store = StateStore {
            words,
            hasher,
            shards: (0..shards).map(|_| Mutex::new(Shard::new(words, BLOCK_WORDS / shards.min(16)))).collect(),
            max_states,
            unclaimed: AtomicU64::new(max_states),
            claim: (max_states / (shards as u64 * 64)).clamp(1, 1 << 10),
            meter,
        };
        // Too little to be refused.
        let tables = store.shards.iter().map(|shard| lock(shard).table.len() as u64 * 8).sum();
        store.meter.used.fetch_add(tables, Ordering::Relaxed);
        store
    }

    /// Number of states.
    pub(crate) fn len(&self) -> u64 {
        self.shards.iter().map(|shard| lock(shard).len as u64).sum()
    }

    /// Bytes that it uses.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes =
            |shard: &Shard| shard.table.len() as u64 * 8 + shard.blocks.len() as u64 * shard.block_bytes(self.words);
        self.shards.iter().map(|shard| bytes(&lock(shard))).sum()
    }

    /// Number of shards.
    pub(crate) fn shards(&self) -> usize {
        self.shards.len()
    }

    /// Ends the layer that is being built; where each shard's part of it ends.
    pub(crate) fn end_layer(&self) -> Vec<StateId> {
        let end = |shard: &Mutex<Shard>| {
            let mut shard = lock(shard);
            shard.layer = shard.len as StateId;
            shard.layer
        };
        self.shards.iter().map(end).collect()
    }

    /// Copies consecutive states of a shard to the end of `states`.
    pub(crate) fn copy(&self, shard: usize, ids: Range<StateId>, states: &mut Vec<u64>) {
        let shard = lock(&self.shards[shard]);
        for id in ids {
            states.extend_from_slice(shard.state(id, self.words));
        }
    }

    /// Adds a state unless it is known; refuses when a limit would be passed.
    pub(crate) fn insert(&self, state: &[u64]) -> Result<(Inserted, Place), Reason> {
        debug_assert_eq!(state.len(), self.words);
        let hash = self.hash(state);
        let number = self.shard_of(hash);
        let (inserted, id) = self.insert_into(&mut lock(&self.shards[number]), state, hash)?;
        Ok((inserted, (number, id)))
    }

    /// Adds states, one after the other in `states`; what became of each is in `batch`. Shard by
    /// shard, so that a lock is taken once for many states, and with a look ahead, so that memory
    /// is waited for once for many states.
    pub(crate) fn insert_all(&self, states: &[u64], batch: &mut Batch) -> Result<(), Reason> {
        batch.sort(states.chunks_exact(self.words.max(1)).map(|state| self.hash(state)), self.shards.len());
        for number in 0..self.shards.len() {
            let members = &batch.order[batch.ends[number] as usize..batch.ends[number + 1] as usize];
            if members.is_empty() {
                continue;
            }
            let state = |member: u32| &states[member as usize * self.words..(member as usize + 1) * self.words];
            let mut shard = lock(&self.shards[number]);
            let ahead = members.iter().map(|&member| shard.peek(batch.hashes[member as usize], self.words));
            std::hint::black_box(ahead.fold(0, |all, one| all ^ one));
            for &member in members {
                let hash = batch.hashes[member as usize];
                batch.inserted[member as usize] = self.insert_into(&mut shard, state(member), hash)?.0;
            }
        }
        Ok(())
    }

    fn shard_of(&self, hash: u64) -> usize {
        hash as usize & (self.shards.len() - 1)
    }

    fn insert_into(&self, shard: &mut Shard, state: &[u64], hash: u64) -> Result<(Inserted, StateId), Reason> {
        let place = match shard.find(state, hash) {
            Ok(id) if id >= shard.layer => return Ok((Inserted::Again, id)),
            Ok(id) => return Ok((Inserted::Old, id)),
            Err(place) => place,
        };
        if shard.quota == 0 {
            shard.quota = self.claim()?;
        }
        // Numbers are short; so many states would fill the memory of most machines anyway.
        if shard.len >= StateId::MAX as usize {
            return Err(Reason::States(self.max_states));
        }
        if shard.len.is_multiple_of(shard.block) {
            self.meter.take(shard.block_bytes(self.words))?;
            shard.blocks.push(Vec::with_capacity(shard.block * self.words));
        }
        let id = shard.len as StateId;
        shard.blocks.last_mut().expect("a block with room").extend_from_slice(state);
        shard.table[place] = (hash >> 32 << 32) | u64::from(id);
        shard.len += 1;
        shard.quota -= 1;
        if shard.len * 4 > shard.table.len() * 3 {
            self.meter.take(shard.table.len() as u64 * 16)?;
            let before = shard.table.len() as u64 * 8;
            shard.grow(|state| self.hash(state), self.words);
            self.meter.give_back(before);
        }
        Ok((Inserted::New, id))
    }

    /// Takes the store apart: calls `visit` for every state of the finished layers, which end at
    /// `layers`, one layer after the other, and frees memory on the way.
    pub(crate) fn dissolve<E>(
        self,
        layers: &[Vec<StateId>],
        mut visit: impl FnMut(Option<&[u64]>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut shards: Vec<Shard> = Vec::new();
        for shard in self.shards {
            let mut shard = shard.into_inner().unwrap_or_else(PoisonError::into_inner);
            self.meter.give_back(shard.table.len() as u64 * 8);
            shard.table = Vec::new();
            shards.push(shard);
        }
        let mut next = vec![0; shards.len()];
        for ends in layers {
            for ((shard, next), &end) in shards.iter_mut().zip(&mut next).zip(ends) {
                for id in *next..end {
                    visit(Some(shard.state(id, self.words)))?;
                    if (id as usize + 1).is_multiple_of(shard.block) {
                        shard.blocks[id as usize / shard.block] = Vec::new();
                        self.meter.give_back(shard.block_bytes(self.words));
                    }
                }
                *next = end;
            }
            visit(None)?;
        }
        for shard in shards {
            let left = shard.blocks.iter().filter(|block| block.capacity() > 0).count() as u64;
            self.meter.give_back(left * shard.block_bytes(self.words));
        }
        Ok(())
    }

    /// Permission for some more states.
    fn claim(&self) -> Result<u64, Reason> {
        let claim = |unclaimed: u64| Some(unclaimed - unclaimed.min(self.claim));
        let before = self.unclaimed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, claim);
        match before.unwrap_or(0).min(self.claim) {
            0 => Err(Reason::States(self.max_states)),
            claimed => Ok(claimed),
        }
    }

    fn hash(&self, state: &[u64]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        for &word in state {
            hasher.write_u64(word);
        }
        // The all-ones upper half would make the last entry look free.
        hasher.finish() & !(1 << 63)
    }
}

impl Shard {
    fn new(words: usize, block_words: usize) -> Self {
        let block = (block_words / words.max(1)).clamp(1, 1 << 12);
        Shard { quota: 0, block, blocks: Vec::new(), len: 0, table: vec![FREE; 1 << 8], layer: 0 }
    }

    fn block_bytes(&self, words: usize) -> u64 {
        (self.block * words * 8) as u64
    }

    fn state(&self, id: StateId, words: usize) -> &[u64] {
        let start = (id as usize % self.block) * words;
        &self.blocks[id as usize / self.block][start..start + words]
    }

    /// The number of a state, or the free place where it belongs. The lowest bits of a hash are the
    /// shard's.
    fn find(&self, state: &[u64], hash: u64) -> Result<StateId, usize> {
        let mask = self.table.len() - 1;
        let mut place = (hash >> 10) as usize & mask;
        loop {
            let entry = self.table[place];
            if entry == FREE {
                return Err(place);
            }
            if entry >> 32 == hash >> 32 && same(self.state(entry as StateId, state.len()), state) {
                return Ok(entry as StateId);
            }
            place = (place + 1) & mask;
        }
    }

    /// Looks where a state with this hash would be, and at what is there.
    fn peek(&self, hash: u64, words: usize) -> u64 {
        let entry = self.table[(hash >> 10) as usize & (self.table.len() - 1)];
        let there = (entry != FREE && entry >> 32 == hash >> 32).then(|| self.state(entry as StateId, words));
        entry ^ there.and_then(|state| state.first()).copied().unwrap_or(0)
    }

    fn grow(&mut self, hash: impl Fn(&[u64]) -> u64, words: usize) {
        let mut table = vec![FREE; self.table.len() * 2];
        let mask = table.len() - 1;
        for id in 0..self.len as StateId {
            let hash = hash(self.state(id, words));
            let mut place = (hash >> 10) as usize & mask;
            while table[place] != FREE {
                place = (place + 1) & mask;
            }
            table[place] = (hash >> 32 << 32) | u64::from(id);
        }
        self.table = table;
    }
}

/// Are they equal? States are mostly too short for comparing memory to be worth a call.
#[inline]
fn same(left: &[u64], right: &[u64]) -> bool {
    left.iter().zip(right).all(|(left, right)| left == right)
}

/// A lock is poisoned only by a panic elsewhere, which ends the search anyway.
fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::BuildHasherDefault;

    /// Everything collides.
    #[derive(Default)]
    struct Constant;

    impl Hasher for Constant {
        fn write(&mut self, _: &[u8]) {}
        fn finish(&self) -> u64 {
            42
        }
    }

    fn hasher() -> foldhash::fast::FixedState {
        foldhash::fast::FixedState::default()
    }

    fn unlimited() -> Arc<Meter> {
        Meter::new(u64::MAX)
    }

    #[test]
    fn states_are_compared_not_only_hashed() {
        let store = StateStore::new(2, BuildHasherDefault::<Constant>::default(), 1, 10_000, unlimited());
        for i in 0..2000 {
            assert_eq!(store.insert(&[i, i / 2]), Ok((Inserted::New, (0, i as u32))));
        }
        assert_eq!(store.insert(&[77, 38]), Ok((Inserted::Again, (0, 77))));
        assert_eq!(store.end_layer(), [2000]);
        let mut states = Vec::new();
        for i in 0..2000 {
            assert_eq!(store.insert(&[i, i / 2]), Ok((Inserted::Old, (0, i as u32))));
            store.copy(0, i as u32..i as u32 + 1, &mut states);
            assert_eq!(states[2 * i as usize..], [i, i / 2]);
        }
    }

    #[test]
    fn limits_are_kept() {
        for max in [3, 1_000, 100_000] {
            let store = StateStore::new(1, hasher(), 4, max, unlimited());
            let refused = (0..).find(|&i| store.insert(&[i]).is_err()).unwrap();
            assert!(refused <= max && refused >= max - max / 50, "{refused} of {max}");
        }
        let store = StateStore::new(1, hasher(), 4, 3, unlimited());
        assert!((0..3).all(|i| store.insert(&[i]).is_ok()));
        assert_eq!(store.insert(&[3]), Err(Reason::States(3)));
        assert_eq!((store.insert(&[2]).unwrap().0, store.len()), (Inserted::Again, 3));

        let meter = Meter::new(1 << 20);
        let store = StateStore::new(100, hasher(), 1, u64::MAX, Arc::clone(&meter));
        let refused = (0..).find(|&i| store.insert(&[i; 100]).is_err()).unwrap();
        assert!(refused > 500 && meter.peak() <= 1 << 20, "{refused} states in {} bytes", meter.used());
    }

    #[test]
    fn a_state_of_no_words_is_one_state() {
        let store = StateStore::new(0, hasher(), 1, 10, unlimited());
        assert_eq!(store.insert(&[]).unwrap().0, Inserted::New);
        assert_eq!(store.insert(&[]).unwrap().0, Inserted::Again);
    }

    #[test]
    fn threads_insert_each_state_once() {
        let store = StateStore::new(1, hasher(), 4, u64::MAX, unlimited());
        let new = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for i in 0..50_000 {
                        let inserted = store.insert(&[i]).unwrap().0;
                        new.fetch_add(u64::from(inserted == Inserted::New), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!((new.into_inner(), store.len()), (50_000, 50_000));
        assert_eq!(store.end_layer().iter().sum::<u32>(), 50_000);
    }

    #[test]
    fn a_batch_is_as_good_as_one_by_one() {
        for users in [1, 4] {
            let (one, many) = [(); 2].map(|()| StateStore::new(2, hasher(), users, u64::MAX, unlimited())).into();
            let mut batch = Batch::default();
            for round in 0..20u64 {
                let states: Vec<u64> = (0..1000).flat_map(|i| [i * i % (50 * (round + 1)), round / 3]).collect();
                many.insert_all(&states, &mut batch).unwrap();
                let single: Vec<Inserted> = states.chunks(2).map(|state| one.insert(state).unwrap().0).collect();
                assert_eq!(batch.inserted(), single, "round {round}");
                if round % 4 == 3 {
                    assert_eq!(one.end_layer(), many.end_layer());
                }
            }
            assert_eq!(one.len(), many.len());
        }
    }

    #[test]
    fn a_dissolved_store_gives_back_states_and_memory() {
        let meter = unlimited();
        let store = StateStore::new(2, hasher(), 2, u64::MAX, Arc::clone(&meter));
        let layers: Vec<Vec<StateId>> = (0..3)
            .map(|layer| {
                (0..10_000).for_each(|i| assert!(store.insert(&[layer, i]).is_ok()));
                store.end_layer()
            })
            .collect();
        (0..100).for_each(|i| assert!(store.insert(&[7, i]).is_ok()));
        let (mut layer, mut seen) = (0, 0);
        let visited = store.dissolve(&layers, |state| {
            match state {
                Some(state) => {
                    assert_eq!(state[0], layer);
                    seen += 1;
                }
                None => layer += 1,
            }
            Ok::<(), ()>(())
        });
        assert_eq!((visited, layer, seen, meter.used()), (Ok(()), 3, 30_000, 0));
    }
}
