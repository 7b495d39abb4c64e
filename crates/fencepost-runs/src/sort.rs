//! Records that come in any order.

use crate::{Cursor, Error, Folder, Merge, Run, Source};

/// Collects records, in memory as long as there is room, and then in runs.
pub struct Sorter {
    width: usize,
    /// Words that there is room for.
    room: usize,
    buffer: Vec<u64>,
    runs: Vec<Run>,
}

/// Records in sorted pieces: what one or more sorters have collected.
#[derive(Default)]
pub struct Sorted {
    runs: Vec<Run>,
    /// Sorted, each record once.
    buffers: Vec<Vec<u64>>,
}

impl Sorter {
    /// For records of `width` words, with `bytes` of memory for at least a few of them.
    pub fn new(width: usize, bytes: u64) -> Self {
        let records = (bytes as usize / 8 / width).max(8);
        Sorter { width, room: records * width, buffer: Vec::new(), runs: Vec::new() }
    }

    /// Adds a record: the concatenation of two slices.
    ///
    /// # Errors
    /// If a run has to be written, and cannot be.
    #[inline]
    pub fn push(&mut self, first: &[u64], second: &[u64], folder: &Folder<'_>) -> Result<(), Error> {
        if self.buffer.len() == self.room {
            self.flush(folder)?;
        }
        if self.buffer.len() == self.buffer.capacity() {
            self.buffer.reserve_exact(self.buffer.len().max(64 * self.width).min(self.room - self.buffer.len()));
        }
        self.buffer.extend_from_slice(first);
        self.buffer.extend_from_slice(second);
        Ok(())
    }

    /// Makes room: what is often there twice needs no run.
    fn flush(&mut self, folder: &Folder<'_>) -> Result<(), Error> {
        sort(&mut self.buffer, self.width);
        if self.buffer.len() <= self.room / 2 {
            return Ok(());
        }
        let mut writer = folder.create("part", self.width)?;
        for record in self.buffer.chunks_exact(self.width) {
            writer.push(record)?;
        }
        self.runs.push(writer.finish()?);
        self.buffer.clear();
        Ok(())
    }

    /// What was collected.
    pub fn finish(mut self) -> Sorted {
        sort(&mut self.buffer, self.width);
        Sorted { runs: self.runs, buffers: vec![self.buffer] }
    }
}

impl Sorted {
    /// All of them together.
    pub fn join(all: impl IntoIterator<Item = Sorted>) -> Sorted {
        let mut joined = Sorted::default();
        for one in all {
            joined.runs.extend(one.runs);
            joined.buffers.extend(one.buffers);
        }
        joined
    }

    /// Its runs.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Merges runs until there are at most `most`.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn narrow(&mut self, width: usize, most: usize, folder: &Folder<'_>) -> Result<(), Error> {
        while self.runs.len() > most.max(2) {
            let several = (self.runs.len() - most.max(2) + 1).clamp(2, most.max(2));
            let runs: Vec<Run> = self.runs.drain(..several).collect();
            let mut writer = folder.create("part", width)?;
            let mut merge = Merge::new(width, sources(&runs, folder)?)?;
            while let Some(record) = merge.advance()? {
                writer.push(record)?;
            }
            self.runs.push(writer.finish()?);
            runs.iter().try_for_each(|run| folder.remove(run))?;
        }
        Ok(())
    }

    /// All records in ascending order, each once.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn merge<'s>(&'s self, width: usize, folder: &Folder<'_>) -> Result<Merge<'s>, Error> {
        let mut all = sources(&self.runs, folder)?;
        all.extend(self.buffers.iter().map(|buffer| Source::Memory(buffer, 0)));
        Merge::new(width, all)
    }

    /// Removes the files.
    ///
    /// # Errors
    /// If one is still there.
    pub fn remove(self, folder: &Folder<'_>) -> Result<(), Error> {
        self.runs.iter().try_for_each(|run| folder.remove(run))
    }
}

/// From the beginnings of runs.
fn sources<'r>(runs: &'r [Run], folder: &Folder<'_>) -> Result<Vec<Source<'r>>, Error> {
    runs.iter().map(|run| Cursor::new(folder.files(), run).map(Source::Run)).collect()
}

/// Sorts records of `width` words, and leaves one of those that are equal.
fn sort(words: &mut Vec<u64>, width: usize) {
    /// Records of `N` words.
    fn by<const N: usize>(words: &mut Vec<u64>) {
        let (records, _) = words.as_chunks_mut::<N>();
        records.sort_unstable();
        let mut kept = 0;
        for next in 0..records.len() {
            if next == 0 || records[next] != records[kept - 1] {
                records[kept] = records[next];
                kept += 1;
            }
        }
        words.truncate(kept * N);
    }
    match width {
        1 => by::<1>(words),
        2 => by::<2>(words),
        3 => by::<3>(words),
        4 => by::<4>(words),
        5 => by::<5>(words),
        6 => by::<6>(words),
        7 => by::<7>(words),
        8 => by::<8>(words),
        9 => by::<9>(words),
        10 => by::<10>(words),
        11 => by::<11>(words),
        12 => by::<12>(words),
        _ => {
            let mut records: Vec<&[u64]> = words.chunks_exact(width).collect();
            records.sort_unstable();
            records.dedup();
            *words = records.concat();
        }
    }
}
