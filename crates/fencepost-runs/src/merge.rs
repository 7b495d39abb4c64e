//! Several sorted sequences as one.

use crate::{Cursor, Error};

/// A sorted sequence of records.
pub enum Source<'r> {
    /// A run.
    Run(Cursor<'r>),
    /// Records in memory, each once: all of them, and how many words have been read.
    Memory(&'r [u64], usize),
}

impl Source<'_> {
    /// Goes on to the next record of `width` words. Is there one?
    fn advance(&mut self, width: usize) -> Result<bool, Error> {
        match self {
            Source::Run(cursor) => cursor.advance(),
            Source::Memory(words, read) => {
                *read = (*read + width).min(words.len() + width);
                Ok(*read <= words.len())
            }
        }
    }

    /// The record that was read last, which there is.
    fn record(&self, width: usize) -> &[u64] {
        match self {
            Source::Run(cursor) => cursor.record().unwrap_or(&[]),
            Source::Memory(words, read) => &words[read - width..*read],
        }
    }
}

/// The records of several sources in ascending order, each once.
pub struct Merge<'r> {
    width: usize,
    sources: Vec<Source<'r>>,
    /// The sources that are not at their ends, as a heap by their records.
    heap: Vec<usize>,
    /// The record that was given last, if any.
    record: Vec<u64>,
    is_valid: bool,
}

impl<'r> Merge<'r> {
    /// Before the first record.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn new(width: usize, mut sources: Vec<Source<'r>>) -> Result<Self, Error> {
        let mut heap = Vec::new();
        for (place, source) in sources.iter_mut().enumerate() {
            if source.advance(width)? {
                heap.push(place);
            }
        }
        let mut merge = Merge { width, sources, heap, record: vec![0; width], is_valid: false };
        for place in (0..merge.heap.len() / 2).rev() {
            merge.sift(place);
        }
        Ok(merge)
    }

    /// The next record, if there is one.
    ///
    /// # Errors
    /// If a file cannot be read, or is not what was written.
    pub fn advance(&mut self) -> Result<Option<&[u64]>, Error> {
        while let Some(&least) = self.heap.first() {
            let is_new = !self.is_valid || *self.sources[least].record(self.width) != *self.record;
            if is_new {
                self.record.copy_from_slice(self.sources[least].record(self.width));
                self.is_valid = true;
            }
            if !self.sources[least].advance(self.width)? {
                self.heap.swap_remove(0);
            }
            self.sift(0);
            if is_new {
                return Ok(Some(&self.record));
            }
        }
        Ok(None)
    }

    /// Lets what is at `place` of the heap sink to where it belongs.
    fn sift(&mut self, mut place: usize) {
        loop {
            let mut least = place;
            for below in [2 * place + 1, 2 * place + 2] {
                if below < self.heap.len() && self.at(below) < self.at(least) {
                    least = below;
                }
            }
            if least == place {
                return;
            }
            self.heap.swap(place, least);
            place = least;
        }
    }

    fn at(&self, place: usize) -> &[u64] {
        self.sources[self.heap[place]].record(self.width)
    }
}
