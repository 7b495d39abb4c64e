//! The set of visited states: insert-only, exact, in order of discovery.
//!
//! States live one after the other in blocks that never move; an
//! open-addressing table of (hash, number) pairs finds them. A state is known
//! only if all its words are equal, whatever the hashes say.

use std::hash::{BuildHasher, Hasher};

use fencepost_verdict::Reason;

/// A number of a state, in order of discovery.
pub(crate) type StateId = u32;

/// The parent of the initial state.
pub(crate) const NO_PARENT: StateId = StateId::MAX;

/// Words of a block, roughly: small enough for small programs, large enough not to matter for large ones.
const BLOCK_WORDS: usize = 1 << 14;
/// A free place in the table.
const FREE: u64 = u64::MAX;

/// Visited states with the state each was first reached from.
pub(crate) struct StateStore<H> {
    words: usize,
    hasher: H,
    /// States per block.
    block: usize,
    blocks: Vec<Block>,
    len: usize,
    /// Upper half of the hash and number of the state; its length is a power of two.
    table: Vec<u64>,
    max_bytes: u64,
    max_states: u64,
}

/// Some consecutive states and their parents; allocated once, never moved.
struct Block {
    states: Vec<u64>,
    parents: Vec<StateId>,
}

/// What became of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inserted {
    /// The state is new and has this number.
    New(StateId),
    /// The state was known.
    Known,
}

impl<H: BuildHasher> StateStore<H> {
    /// An empty store for states of `words` words.
    pub(crate) fn new(words: usize, hasher: H, max_states: u64, max_bytes: u64) -> Self {
        StateStore {
            words,
            hasher,
            block: (BLOCK_WORDS / words.max(1)).clamp(1, 1 << 12),
            blocks: Vec::new(),
            len: 0,
            table: vec![FREE; 1 << 10],
            max_bytes,
            max_states: max_states.min(u64::from(NO_PARENT)),
        }
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> u64 {
        self.blocks.len() as u64 * self.block_bytes() + self.table.len() as u64 * 8
    }

    fn block_bytes(&self) -> u64 {
        (self.block * (self.words * 8 + size_of::<StateId>())) as u64
    }

    /// The words of a state.
    pub(crate) fn state(&self, id: StateId) -> &[u64] {
        let start = (id as usize % self.block) * self.words;
        &self.blocks[id as usize / self.block].states[start..start + self.words]
    }

    /// The state from which `id` was first reached.
    pub(crate) fn parent(&self, id: StateId) -> StateId {
        self.blocks[id as usize / self.block].parents[id as usize % self.block]
    }

    /// Adds a state unless it is known; refuses when a limit would be passed.
    pub(crate) fn insert(&mut self, state: &[u64], parent: StateId) -> Result<Inserted, Reason> {
        debug_assert_eq!(state.len(), self.words);
        let hash = self.hash(state);
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        while self.table[place] != FREE {
            let entry = self.table[place];
            if entry >> 32 == hash >> 32 && self.state(entry as StateId) == state {
                return Ok(Inserted::Known);
            }
            place = (place + 1) & mask;
        }
        if self.len() as u64 >= self.max_states {
            return Err(Reason::States(self.max_states));
        }
        let id = self.len() as StateId;
        if self.len.is_multiple_of(self.block) {
            self.add_block()?;
        }
        let block = self.blocks.last_mut().expect("a block with room");
        block.states.extend_from_slice(state);
        block.parents.push(parent);
        self.len += 1;
        self.table[place] = (hash >> 32 << 32) | u64::from(id);
        if self.len() * 4 > self.table.len() * 3 {
            self.grow()?;
        }
        Ok(Inserted::New(id))
    }

    fn hash(&self, state: &[u64]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        for &word in state {
            hasher.write_u64(word);
        }
        // The all-ones upper half would make the last entry look free.
        hasher.finish() & !(1 << 63)
    }

    fn add_block(&mut self) -> Result<(), Reason> {
        self.allow(self.block_bytes())?;
        self.blocks.push(Block {
            states: Vec::with_capacity(self.block * self.words),
            parents: Vec::with_capacity(self.block),
        });
        Ok(())
    }

    /// May this many more bytes be used?
    fn allow(&self, more: u64) -> Result<(), Reason> {
        if self.bytes() + more > self.max_bytes { Err(Reason::Memory(self.max_bytes)) } else { Ok(()) }
    }

    fn grow(&mut self) -> Result<(), Reason> {
        self.allow(self.table.len() as u64 * 16)?;
        let mut table = vec![FREE; self.table.len() * 2];
        let mask = table.len() - 1;
        for id in 0..self.len() as StateId {
            let hash = self.hash(self.state(id));
            let mut place = hash as usize & mask;
            while table[place] != FREE {
                place = (place + 1) & mask;
            }
            table[place] = (hash >> 32 << 32) | u64::from(id);
        }
        self.table = table;
        Ok(())
    }
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

    #[test]
    fn states_are_compared_not_only_hashed() {
        let mut store = StateStore::new(2, BuildHasherDefault::<Constant>::default(), 10_000, u64::MAX);
        for i in 0..2000 {
            assert_eq!(store.insert(&[i, i / 2], NO_PARENT), Ok(Inserted::New(i as u32)));
        }
        for i in 0..2000 {
            assert_eq!(store.insert(&[i, i / 2], NO_PARENT), Ok(Inserted::Known));
            assert_eq!(store.state(i as u32), [i, i / 2]);
        }
    }

    #[test]
    fn limits_are_kept() {
        let hasher = foldhash::fast::FixedState::default;
        let mut store = StateStore::new(1, hasher(), 3, u64::MAX);
        assert!((0..3).all(|i| store.insert(&[i], NO_PARENT).is_ok()));
        assert_eq!(store.insert(&[3], NO_PARENT), Err(Reason::States(3)));
        assert_eq!(store.insert(&[2], NO_PARENT), Ok(Inserted::Known));

        let mut store = StateStore::new(100, hasher(), u64::MAX, 1 << 20);
        let refused = (0..).find(|&i| store.insert(&[i; 100], NO_PARENT).is_err()).unwrap();
        assert!(refused > 500 && store.bytes() <= 1 << 20, "{refused} states in {} bytes", store.bytes());
    }

    #[test]
    fn a_state_of_no_words_is_one_state() {
        let mut store = StateStore::new(0, foldhash::fast::FixedState::default(), 10, u64::MAX);
        assert_eq!(store.insert(&[], NO_PARENT), Ok(Inserted::New(0)));
        assert_eq!(store.insert(&[], NO_PARENT), Ok(Inserted::Known));
    }
}
