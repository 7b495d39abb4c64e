//! A store that takes less memory and more time, for when memory runs short.
//!
//! Paper: Blom, Lisser, van de Pol and Weber, "A database approach to distributed state space
//! generation" (2008), whose tree compression refines Holzmann's collapse compression (SPIN 1997).
//!
//! States differ from each other mostly in few places. Every word is kept once and has a number. So
//! has every pair of numbers of neighbours, and every pair of those, and so on. In the end a state
//! is one pair of numbers, and the pairs below it are shared with many other states. Exact: nothing
//! is thrown away.

use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

use fencepost_verdict::Reason;

use crate::store::{Inserted, Meter, StateId, StateStore};

/// States as trees of numbers.
pub(crate) struct Collapsed<H> {
    /// Words of a state, at least two.
    words: usize,
    /// Words.
    leaves: StateStore<H>,
    /// Pairs of numbers that are not yet a state.
    nodes: StateStore<H>,
    /// Pairs of numbers that are states.
    states: StateStore<H>,
}

impl<H: BuildHasher + Clone> Collapsed<H> {
    /// An empty store for states of `words` words, to be used by `users` threads.
    pub(crate) fn new(words: usize, hasher: H, users: usize, max_states: u64, meter: &Arc<Meter>) -> Self {
        assert!(words >= 2, "a state of one word is as small as it gets");
        let store = |max_states| StateStore::new(1, hasher.clone(), users, max_states, Arc::clone(meter));
        Collapsed { words, leaves: store(u64::MAX), nodes: store(u64::MAX), states: store(max_states) }
    }

    /// Adds a state unless it is known; refuses when a limit would be passed.
    pub(crate) fn insert(&self, state: &[u64]) -> Result<Inserted, Reason> {
        let middle = split(state.len());
        let pair = pair(self.fold(&state[..middle])?, self.fold(&state[middle..])?);
        Ok(self.states.insert(&[pair])?.0)
    }

    /// The number of part of a state.
    fn fold(&self, words: &[u64]) -> Result<u64, Reason> {
        match words {
            [word] => number(&self.leaves, *word),
            words => {
                let middle = split(words.len());
                number(&self.nodes, pair(self.fold(&words[..middle])?, self.fold(&words[middle..])?))
            }
        }
    }

    /// Copies consecutive states of a shard to the end of `states`.
    pub(crate) fn copy(&self, shard: usize, ids: Range<StateId>, states: &mut Vec<u64>) {
        let mut pairs = Vec::with_capacity(ids.len());
        self.states.copy(shard, ids, &mut pairs);
        let mut scratch = Vec::new();
        for pair in pairs {
            let middle = split(self.words);
            self.unfold(pair >> 32, middle, &mut scratch, states);
            self.unfold(pair & u64::from(u32::MAX), self.words - middle, &mut scratch, states);
        }
    }

    /// Adds the part of a state that has this number and this many words.
    fn unfold(&self, number: u64, words: usize, scratch: &mut Vec<u64>, states: &mut Vec<u64>) {
        if words == 1 {
            return look_up(&self.leaves, number, states);
        }
        scratch.clear();
        look_up(&self.nodes, number, scratch);
        let (pair, middle) = (scratch[0], split(words));
        self.unfold(pair >> 32, middle, scratch, states);
        self.unfold(pair & u64::from(u32::MAX), words - middle, scratch, states);
    }

    /// Bytes that it uses.
    pub(crate) fn bytes(&self) -> u64 {
        [&self.leaves, &self.nodes, &self.states].into_iter().map(StateStore::bytes).sum()
    }

    /// What has one entry for every state.
    pub(crate) fn entries(&self) -> &StateStore<H> {
        &self.states
    }
}

/// Where to cut that many words in two.
fn split(words: usize) -> usize {
    words.div_ceil(2)
}

fn pair(first: u64, second: u64) -> u64 {
    first << 32 | second
}

/// The number of a word, new or not.
fn number<H: BuildHasher>(store: &StateStore<H>, word: u64) -> Result<u64, Reason> {
    let (shard, id) = store.insert(&[word])?.1;
    let number = u64::from(id) * store.shards() as u64 + shard as u64;
    // More than can be told apart: they would fill the memory of most machines anyway.
    if number > u64::from(u32::MAX) { Err(Reason::States(u64::from(u32::MAX))) } else { Ok(number) }
}

/// Adds the word with this number.
fn look_up<H: BuildHasher>(store: &StateStore<H>, number: u64, words: &mut Vec<u64>) {
    let (shard, id) = (number as usize % store.shards(), (number as usize / store.shards()) as StateId);
    store.copy(shard, id..id + 1, words);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_come_back_whole() {
        let meter = Meter::new(u64::MAX);
        let store = Collapsed::new(5, foldhash::fast::FixedState::default(), 2, u64::MAX, &meter);
        let states: Vec<[u64; 5]> = (0..5_000).map(|i| [i % 7, i % 11, i, i % 3, 1 << 63]).collect();
        for state in &states {
            assert_eq!(store.insert(state), Ok(Inserted::New));
        }
        for state in &states {
            assert_eq!(store.insert(state), Ok(Inserted::Again));
        }
        let mut copied = Vec::new();
        for (shard, end) in store.entries().end_layer().into_iter().enumerate() {
            store.copy(shard, 0..end, &mut copied);
        }
        let mut copied: Vec<&[u64]> = copied.chunks(5).collect();
        copied.sort_by_key(|state| state[2]);
        assert!(copied.iter().zip(&states).all(|(copied, state)| copied == state) && copied.len() == states.len());
        assert_eq!(store.insert(&states[17]), Ok(Inserted::Old));
    }
}
