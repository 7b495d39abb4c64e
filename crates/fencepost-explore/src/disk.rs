//! Visited states on a disk: finished layers as sorted files.
//!
//! Papers: Roscoe, "Model-checking CSP" (1994), and Korf, "Delayed duplicate detection" (IJCAI
//! 2003), for searches that look for duplicates when a layer is complete; O'Neil, Cheng, Gawlick and
//! O'Neil, "The log-structured merge-tree" (1996), for files that are merged when there are many.
//!
//! A successor is not looked up when it is found. The successors of a layer are collected, sorted,
//! and merged with all states that are known: what is in no finished layer is the next one. That
//! reads files from their beginnings to their ends, and leaps over the blocks that no successor can
//! be in.
//!
//! Every finished layer is a run of its own ([`fencepost_runs::Run`]), as long as the search takes:
//! runs of the program are rebuilt from them. To look up states in few files, runs of similar
//! length are merged into larger ones. So there is no state that is in more than two files, and
//! there are no more files to look into than the number of states has digits, roughly.

use std::sync::{Arc, Mutex, PoisonError};

use fencepost_runs::{Cursor, Error, Folder, Merge, Run, Sorted, Sorter, Source};
use fencepost_verdict::Reason;

use crate::store::Meter;

/// Of the memory that is allowed, what is used to sort, as a power of two;
const TO_SORT: u32 = 1;
/// and what is used for blocks of files that are merged.
const TO_MERGE: u32 = 3;
/// More than this to sort is no use.
const MOST_TO_SORT: u64 = 1 << 30;
/// Bytes of a block.
const BLOCKS: (u64, u64) = (1 << 10, 1 << 16);
/// A run is merged with those after it if it is at most so many times as long as these together.
const MERGED: u64 = 2;
/// Records between two looks at the clock.
pub(crate) const BETWEEN_CHECKS: usize = 1 << 14;

/// What went wrong with files, as the reason of a search that gives up.
pub(crate) fn failed(error: Error) -> Reason {
    Reason::Disk(error.to_string())
}

/// Visited states, and the folder that they are in.
pub(crate) struct DiskStore<'a> {
    folder: Arc<Folder<'a>>,
    words: usize,
    /// Memory to sort, in bytes.
    sort: u64,
    /// Files to be merged at a time.
    fan_in: usize,
    layers: Vec<Arc<Run>>,
    /// All of these states, in few runs.
    known: Vec<Known>,
    len: u64,
    max_states: u64,
    meter: Arc<Meter>,
}

/// A run to look into.
struct Known {
    run: Arc<Run>,
    /// Is it only there to look into?
    is_copy: bool,
}

/// Is it too late to go on?
pub(crate) type InTime<'a> = &'a (dyn Fn() -> Result<(), Reason> + Sync);

impl<'a> DiskStore<'a> {
    /// An empty store for states of `words` words, which uses at most so much memory.
    pub(crate) fn new(
        folder: Arc<Folder<'a>>,
        words: usize,
        max_bytes: u64,
        max_states: u64,
        meter: &Arc<Meter>,
    ) -> Self {
        let sort = (max_bytes >> TO_SORT).min(MOST_TO_SORT);
        let fan_in = (max_bytes >> TO_MERGE) / (2 * folder.block() as u64 + 8 * words as u64);
        DiskStore {
            folder,
            words,
            sort,
            fan_in: fan_in.clamp(4, 256) as usize,
            layers: Vec::new(),
            known: Vec::new(),
            len: 0,
            max_states,
            meter: Arc::clone(meter),
        }
    }

    /// Bytes of a block, where so much memory is allowed.
    pub(crate) fn block(max_bytes: u64) -> usize {
        (max_bytes >> 8).clamp(BLOCKS.0, BLOCKS.1) as usize
    }

    /// Number of states.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The finished layers.
    pub(crate) fn layers(&self) -> &[Arc<Run>] {
        &self.layers
    }

    /// The files.
    pub(crate) fn folder(&self) -> &Folder<'a> {
        &self.folder
    }

    /// For one of `users` threads that collect successors: states, and a word about each.
    pub(crate) fn sorter(&self, users: usize) -> Sorter {
        Sorter::new(self.words + 1, self.sort / users as u64)
    }

    /// Of states that were collected, those that are in no finished layer. `reached` is told the
    /// words about them that are not 0.
    pub(crate) fn fresh(
        &self,
        collected: Sorted,
        mut reached: impl FnMut(u64),
        in_time: InTime<'_>,
    ) -> Result<Run, Reason> {
        let mut collected = collected;
        collected.narrow(self.words + 1, self.fan_in, &self.folder).map_err(failed)?;
        let files = self.folder.files();
        let known: Result<Vec<Cursor<'_>>, Error> =
            self.known.iter().map(|known| Cursor::new(files, &known.run)).collect();
        let mut known = known.map_err(failed)?;
        let mut fresh = self.folder.create("layer", self.words).map_err(failed)?;
        let mut merge = collected.merge(self.words + 1, &self.folder).map_err(failed)?;
        let mut last: Option<(Vec<u64>, bool)> = None;
        let mut work = 0_usize;
        while let Some(record) = merge.advance().map_err(failed)? {
            let (state, about) = (&record[..self.words], record[self.words]);
            let is_same = last.as_ref().is_some_and(|(last, _)| last == state);
            if !is_same {
                work += 1;
                if work.is_multiple_of(BETWEEN_CHECKS) {
                    in_time()?;
                }
                let mut is_old = false;
                // Most states that are known are in the layers just before, which come last.
                for cursor in known.iter_mut().rev() {
                    is_old = cursor.find(state).map_err(failed)?;
                    if is_old {
                        break;
                    }
                }
                let (last, last_is_old) = last.get_or_insert_with(|| (vec![0; state.len()], false));
                last.copy_from_slice(state);
                *last_is_old = is_old;
                if !is_old {
                    fresh.push(state).map_err(failed)?;
                }
            }
            if about != 0 && last.as_ref().is_some_and(|(_, is_old)| !is_old) {
                reached(about);
            }
        }
        drop(merge);
        drop(known);
        let fresh = fresh.finish().map_err(failed)?;
        collected.remove(&self.folder).map_err(failed)?;
        Ok(fresh)
    }

    /// States that were collected, without words about them, as a run.
    pub(crate) fn sorted(&self, collected: Sorted) -> Result<Run, Reason> {
        write_layer(&self.folder, self.words, self.fan_in, collected)
    }

    /// A run of one state.
    pub(crate) fn single(&self, state: &[u64]) -> Result<Run, Reason> {
        let mut writer = self.folder.create("layer", self.words).map_err(failed)?;
        writer.push(state).and_then(|()| writer.finish()).map_err(failed)
    }

    /// Several runs as one, which has their states, each once.
    pub(crate) fn join(&self, mut runs: Vec<Run>, in_time: InTime<'_>) -> Result<Run, Reason> {
        if runs.len() == 1 {
            return Ok(runs.remove(0));
        }
        let mut writer = self.folder.create("layer", self.words).map_err(failed)?;
        self.copy(&runs.iter().collect::<Vec<_>>(), |state| writer.push(state), in_time)?;
        runs.iter().try_for_each(|run| self.folder.remove(run)).map_err(failed)?;
        writer.finish().map_err(failed)
    }

    /// Adds a layer.
    pub(crate) fn append(&mut self, layer: Run, in_time: InTime<'_>) -> Result<(), Reason> {
        self.len += layer.len();
        self.meter.take(layer.memory())?;
        let layer = Arc::new(layer);
        self.layers.push(Arc::clone(&layer));
        if self.len > self.max_states {
            return Err(Reason::States(self.max_states));
        }
        if !layer.is_empty() {
            self.known.push(Known { run: layer, is_copy: false });
            self.compact(in_time)?;
        }
        Ok(())
    }

    /// Merges the last runs while they are of similar length.
    fn compact(&mut self, in_time: InTime<'_>) -> Result<(), Reason> {
        let mut first = self.known.len() - 1;
        let mut together = self.known[first].run.len();
        while first > 0 && self.known[first - 1].run.len() <= MERGED * together {
            first -= 1;
            together += self.known[first].run.len();
        }
        if first + 1 == self.known.len() {
            return Ok(());
        }
        let merged = self.known.split_off(first);
        let mut writer = self.folder.create("known", self.words).map_err(failed)?;
        self.copy(&merged.iter().map(|known| &*known.run).collect::<Vec<_>>(), |state| writer.push(state), in_time)?;
        let run = writer.finish().map_err(failed)?;
        self.meter.take(run.memory())?;
        self.known.push(Known { run: Arc::new(run), is_copy: true });
        for Known { run, .. } in merged.iter().filter(|known| known.is_copy) {
            self.folder.remove(run).map_err(failed)?;
            self.meter.give_back(run.memory());
        }
        Ok(())
    }

    /// Calls `each` for the states of runs, in ascending order, each once.
    fn copy(
        &self,
        runs: &[&Run],
        mut each: impl FnMut(&[u64]) -> Result<(), Error>,
        in_time: InTime<'_>,
    ) -> Result<(), Reason> {
        let cursors: Result<Vec<Source<'_>>, Error> =
            runs.iter().map(|run| Cursor::new(self.folder.files(), run).map(Source::Run)).collect();
        let mut merge = Merge::new(self.words, cursors.map_err(failed)?).map_err(failed)?;
        let mut work = 0_usize;
        while let Some(state) = merge.advance().map_err(failed)? {
            each(state).map_err(failed)?;
            work += 1;
            if work.is_multiple_of(BETWEEN_CHECKS) {
                in_time()?;
            }
        }
        Ok(())
    }

    /// Reads a run.
    pub(crate) fn reader<'r>(&self, run: &'r Run) -> Result<Reader<'r>, Reason> {
        let cursor = Cursor::new(self.folder.files(), run).map_err(failed)?;
        Ok(Reader(Mutex::new((cursor, 0))))
    }
}

/// Sorted states as the run of a layer.
pub(crate) fn write_layer(
    folder: &Folder<'_>,
    words: usize,
    fan_in: usize,
    mut collected: Sorted,
) -> Result<Run, Reason> {
    collected.narrow(words, fan_in, folder).map_err(failed)?;
    let mut writer = folder.create("layer", words).map_err(failed)?;
    let mut merge = collected.merge(words, folder).map_err(failed)?;
    while let Some(state) = merge.advance().map_err(failed)? {
        writer.push(state).map_err(failed)?;
    }
    drop(merge);
    collected.remove(folder).map_err(failed)?;
    writer.finish().map_err(failed)
}

/// A layer that several threads read together.
pub(crate) struct Reader<'r>(Mutex<(Cursor<'r>, u64)>);

impl Reader<'_> {
    /// The next states, `most` of them unless the layer ends, and the number of the first one.
    pub(crate) fn next(&self, most: usize, states: &mut Vec<u64>) -> Result<u64, Reason> {
        states.clear();
        // A panic elsewhere ends the search anyway.
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (cursor, number) = &mut *place;
        let first = *number;
        while *number < first + most as u64 && cursor.advance().map_err(failed)? {
            states.extend_from_slice(cursor.record().unwrap_or(&[]));
            *number += 1;
        }
        Ok(first)
    }
}
