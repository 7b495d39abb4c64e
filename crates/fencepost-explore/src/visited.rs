//! The visited states in layers, wherever they are.
//!
//! In memory as long as there is room; then *collapsed* ([`crate::collapse`]); then, if there is a
//! disk that may be used, there ([`crate::disk`]). Only the way of asking differs: memory answers
//! at once whether a state is new, a disk when a layer is complete.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use fencepost_runs::{Folder, Sorter};
use fencepost_verdict::{Budget, Disk, Reason};

use crate::collapse::Collapsed;
use crate::disk::{BETWEEN_CHECKS, DiskStore, InTime, failed};
use crate::store::{Batch, Inserted, Meter, StateId, StateStore};
use crate::system::Expansion;

/// States that a thread takes from a layer at a time.
pub(crate) const CHUNK: usize = 1 << 8;
/// States of fewer words are not worth collapsing.
const WORTH_COLLAPSING: usize = 3;
/// With no more memory than this, there is no point in collapsing first.
const LITTLE: u64 = 256 << 10;
/// The part of the memory that is kept free for going to the disk, as a power of two,
const RESERVE: u32 = 2;
/// and the part that is used for it.
const TO_MOVE: u32 = 3;

type Hasher = foldhash::fast::FixedState;

/// Visited states in layers.
pub(crate) enum Visited<'a> {
    Memory(Memory),
    Disk(DiskStore<'a>),
}

/// Visited states that can be asked for at once.
pub(crate) struct Memory {
    store: Store,
    /// Where each shard's part of every finished layer ends.
    layers: Vec<Vec<StateId>>,
}

enum Store {
    Plain(StateStore<Hasher>),
    /// When memory ran short.
    Collapsed(Collapsed<Hasher>),
}

/// Part of a layer: a shard, and numbers of states there.
pub(crate) type Chunk = (usize, Range<StateId>);

/// Where visited states are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Memory,
    Collapsed,
    Disk,
}

impl Place {
    const ALL: [(Place, &str); 3] = [(Place::Memory, "memory"), (Place::Collapsed, "collapsed"), (Place::Disk, "disk")];

    /// The place with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Place::ALL.into_iter().find(|(_, known)| *known == name).map(|(place, _)| place)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Place::ALL.iter().find(|(place, _)| place == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

/// What a store is made for.
#[derive(Clone)]
pub(crate) struct Wanted<'a> {
    /// Words of a state.
    pub(crate) words: usize,
    /// Threads that use it.
    pub(crate) users: usize,
    pub(crate) budget: &'a Budget<'a>,
    pub(crate) meter: Arc<Meter>,
    /// The files of the search, if there is a disk.
    pub(crate) folder: Option<Arc<Folder<'a>>>,
}

impl<'a> Wanted<'a> {
    /// For states of `words` words, for `users` threads, within `budget`. Names of files begin with
    /// `prefix`.
    pub(crate) fn new(words: usize, users: usize, budget: &'a Budget<'a>, prefix: String) -> Self {
        let all = budget.max_bytes;
        let spill = budget.disk.is_some_and(|disk| disk.spill);
        let folder = |disk: Disk<'a>| Arc::new(Folder::new(disk.files, prefix, DiskStore::block(all)));
        let meter = Meter::new(if spill { all - (all >> RESERVE) } else { all });
        Wanted { words, users, budget, meter, folder: budget.disk.map(folder) }
    }

    /// May states go to a disk?
    pub(crate) fn can_spill(&self) -> bool {
        self.budget.disk.is_some_and(|disk| disk.spill)
    }

    pub(crate) fn plain(&self) -> Memory {
        let store =
            StateStore::new(self.words, Hasher::default(), self.users, self.budget.max_states, Arc::clone(&self.meter));
        Memory { store: Store::Plain(store), layers: Vec::new() }
    }

    pub(crate) fn collapsed(&self) -> Memory {
        let store = Collapsed::new(self.words, Hasher::default(), self.users, self.budget.max_states, &self.meter);
        Memory { store: Store::Collapsed(store), layers: Vec::new() }
    }

    /// An empty store on the disk, if there is one.
    pub(crate) fn disk(&self) -> Option<DiskStore<'a>> {
        let Budget { max_bytes, max_states, .. } = *self.budget;
        Some(DiskStore::new(self.folder.clone()?, self.words, max_bytes, max_states, &self.meter))
    }

    /// For states that are moved, in the memory that is kept free.
    pub(crate) fn small_sorter(&self) -> Sorter {
        Sorter::new(self.words, self.budget.max_bytes >> TO_MOVE)
    }
}

impl<'a> Visited<'a> {
    /// Number of states.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Visited::Memory(memory) => memory.entries().len(),
            Visited::Disk(disk) => disk.len(),
        }
    }

    /// Where they are.
    pub(crate) fn place(&self) -> Place {
        match self {
            Visited::Memory(Memory { store: Store::Plain(_), .. }) => Place::Memory,
            Visited::Memory(Memory { store: Store::Collapsed(_), .. }) => Place::Collapsed,
            Visited::Disk(_) => Place::Disk,
        }
    }

    /// Number of finished layers.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Visited::Memory(memory) => memory.layers.len(),
            Visited::Disk(disk) => disk.layers().len(),
        }
    }

    /// Number of states of the last finished layer.
    pub(crate) fn last(&self) -> u64 {
        match self {
            Visited::Memory(memory) => memory.last(),
            Visited::Disk(disk) => disk.layers().last().map_or(0, |run| run.len()),
        }
    }

    /// Numbers of states of the finished layers.
    pub(crate) fn sizes(&self) -> Vec<u64> {
        match self {
            Visited::Memory(memory) => (0..memory.layers.len()).map(|layer| memory.size(layer)).collect(),
            Visited::Disk(disk) => disk.layers().iter().map(|run| run.len()).collect(),
        }
    }

    /// Calls `visit` for the states of a finished layer, some at a time.
    pub(crate) fn visit(
        &self,
        layer: usize,
        mut visit: impl FnMut(&[u64]) -> Result<(), Reason>,
    ) -> Result<(), Reason> {
        let mut states = Vec::new();
        match self {
            Visited::Memory(memory) => memory.chunks(layer).into_iter().try_for_each(|(shard, ids)| {
                states.clear();
                memory.copy(shard, ids, &mut states);
                visit(&states)
            }),
            Visited::Disk(disk) => {
                let reader = disk.reader(&disk.layers()[layer])?;
                loop {
                    reader.next(CHUNK, &mut states)?;
                    if states.is_empty() {
                        return Ok(());
                    }
                    visit(&states)?;
                }
            }
        }
    }

    /// Makes room in memory if that is possible; the layer that was being built is forgotten. If it
    /// fails, the store is of no use any more.
    pub(crate) fn make_room(&mut self, wanted: &Wanted<'a>, in_time: InTime<'_>) -> Result<bool, Reason> {
        let Visited::Memory(memory) = self else { return Ok(false) };
        let can_collapse = wanted.words >= WORTH_COLLAPSING && matches!(memory.store, Store::Plain(_));
        let collapses = can_collapse && (wanted.budget.max_bytes > LITTLE || !wanted.can_spill());
        let next = match wanted.disk() {
            _ if collapses => Visited::Memory(wanted.collapsed()),
            Some(disk) if wanted.can_spill() => Visited::Disk(disk),
            _ => return Ok(false),
        };
        let Visited::Memory(memory) = std::mem::replace(self, next) else { return Ok(false) };
        let mut refuge = Refuge::new(self, wanted, in_time);
        match memory.store {
            Store::Plain(plain) => plain.dissolve(&memory.layers, |state| match state {
                Some(state) => refuge.insert(state),
                None => refuge.end_layer(),
            })?,
            Store::Collapsed(_) => refuge.take_over(&memory)?,
        }
        Ok(true)
    }
}

/// Where states go in layers that are known already: when there is no room where they were, or when
/// another process has found them.
pub(crate) struct Refuge<'r, 'a> {
    visited: &'r mut Visited<'a>,
    wanted: &'r Wanted<'a>,
    in_time: InTime<'r>,
    /// The layer that goes to the disk.
    sorter: Sorter,
    /// States since the last look at the clock.
    moved: usize,
}

impl<'r, 'a> Refuge<'r, 'a> {
    /// States go to `visited`; to the disk, if there is no room for them, and if that is allowed.
    pub(crate) fn new(visited: &'r mut Visited<'a>, wanted: &'r Wanted<'a>, in_time: InTime<'r>) -> Self {
        Refuge { visited, wanted, in_time, sorter: wanted.small_sorter(), moved: 0 }
    }

    /// A state of this layer.
    pub(crate) fn insert(&mut self, state: &[u64]) -> Result<(), Reason> {
        self.moved += 1;
        if self.moved.is_multiple_of(BETWEEN_CHECKS) {
            (self.in_time)()?;
        }
        match self.visited {
            Visited::Memory(memory) => match memory.insert(state) {
                Err(Reason::Memory(_)) if self.wanted.can_spill() => {
                    self.spill()?;
                    self.insert(state)
                }
                inserted => inserted.map(|_| ()),
            },
            Visited::Disk(disk) => self.sorter.push(state, &[], disk.folder()).map_err(failed),
        }
    }

    /// That was the layer.
    pub(crate) fn end_layer(&mut self) -> Result<(), Reason> {
        match self.visited {
            Visited::Memory(memory) => _ = memory.end_layer(),
            Visited::Disk(disk) => {
                let sorter = std::mem::replace(&mut self.sorter, self.wanted.small_sorter());
                let layer = disk.sorted(sorter.finish())?;
                disk.append(layer, self.in_time)?;
            }
        }
        Ok(())
    }

    /// What is in memory goes to the disk.
    fn spill(&mut self) -> Result<(), Reason> {
        let disk = self.wanted.disk().expect("there is a disk");
        match std::mem::replace(self.visited, Visited::Disk(disk)) {
            Visited::Memory(memory) => self.take_over(&memory),
            Visited::Disk(_) => Ok(()),
        }
    }

    /// Takes all that is in another store, the part of a layer included that has no end yet.
    fn take_over(&mut self, memory: &Memory) -> Result<(), Reason> {
        // It is there until the end of this, but so is what is kept free for this.
        self.wanted.meter.give_back(memory.bytes());
        let ends = memory.entries().end_layer();
        let rest = pieces(memory.layers.last(), &ends);
        let mut states = Vec::new();
        for layer in 0..=memory.layers.len() {
            let chunks = if layer < memory.layers.len() { memory.chunks(layer) } else { rest.clone() };
            for (shard, ids) in chunks {
                states.clear();
                memory.copy(shard, ids, &mut states);
                states.chunks_exact(self.wanted.words).try_for_each(|state| self.insert(state))?;
            }
            if layer < memory.layers.len() {
                self.end_layer()?;
            }
        }
        Ok(())
    }
}

impl Memory {
    /// Adds a state unless it is known.
    pub(crate) fn insert(&self, state: &[u64]) -> Result<Inserted, Reason> {
        match &self.store {
            Store::Plain(store) => store.insert(state).map(|(inserted, _)| inserted),
            Store::Collapsed(store) => store.insert(state),
        }
    }

    /// Inserts everything the steps of `out` lead to.
    pub(crate) fn insert_all(&self, out: &Expansion, batch: &mut Batch) -> Result<(), Reason> {
        match &self.store {
            Store::Plain(store) => store.insert_all(out.targets(), batch),
            Store::Collapsed(store) => {
                for (step, inserted) in batch.reset(out.len()).iter_mut().enumerate() {
                    *inserted = store.insert(out.target(step))?;
                }
                Ok(())
            }
        }
    }

    /// Copies consecutive states of a shard to the end of `states`.
    pub(crate) fn copy(&self, shard: usize, ids: Range<StateId>, states: &mut Vec<u64>) {
        match &self.store {
            Store::Plain(store) => store.copy(shard, ids, states),
            Store::Collapsed(store) => store.copy(shard, ids, states),
        }
    }

    /// Ends the layer that is being built; how many states are in it.
    pub(crate) fn end_layer(&mut self) -> u64 {
        self.layers.push(self.entries().end_layer());
        self.last()
    }

    /// Number of states of the last finished layer, which there is.
    fn last(&self) -> u64 {
        self.size(self.layers.len() - 1)
    }

    /// Number of states of a finished layer.
    fn size(&self, layer: usize) -> u64 {
        let sum = |layer: &Vec<StateId>| layer.iter().map(|&end| u64::from(end)).sum::<u64>();
        sum(&self.layers[layer]) - layer.checked_sub(1).map_or(0, |before| sum(&self.layers[before]))
    }

    /// A finished layer, in pieces.
    pub(crate) fn chunks(&self, layer: usize) -> Vec<Chunk> {
        pieces(layer.checked_sub(1).map(|before| &self.layers[before]), &self.layers[layer])
    }

    /// Bytes that it uses.
    fn bytes(&self) -> u64 {
        match &self.store {
            Store::Plain(store) => store.bytes(),
            Store::Collapsed(store) => store.bytes(),
        }
    }

    /// What has one entry for every state.
    fn entries(&self) -> &StateStore<Hasher> {
        match &self.store {
            Store::Plain(store) => store,
            Store::Collapsed(store) => store.entries(),
        }
    }
}

/// What lies between the ends of one layer in every shard and those of the next, in pieces.
fn pieces(before: Option<&Vec<StateId>>, ends: &[StateId]) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    for (shard, &end) in ends.iter().enumerate() {
        let start = before.map_or(0, |before| before[shard]);
        for first in (start..end).step_by(CHUNK) {
            chunks.push((shard, first..end.min(first + CHUNK as StateId)));
        }
    }
    chunks
}
