//! A sorted file: writing it, reading it.

use std::io::{Read as _, SeekFrom, Write};

use fencepost_base::files::{Files, Input};

use crate::Error;
use crate::block::{self, HEAD};

/// A sorted file of records, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    name: String,
    width: usize,
    len: u64,
    /// The first record of every block,
    firsts: Vec<u64>,
    /// and where each block ends.
    ends: Vec<u64>,
}

impl Run {
    /// Its file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Words of a record.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of records.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Is there no record?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes of its file.
    pub fn bytes(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Bytes of memory, to know where blocks are.
    pub fn memory(&self) -> u64 {
        8 * (self.firsts.len() + self.ends.len()) as u64
    }

    fn blocks(&self) -> usize {
        self.ends.len()
    }

    fn first(&self, block: usize) -> &[u64] {
        &self.firsts[block * self.width..(block + 1) * self.width]
    }

    fn start(&self, block: usize) -> u64 {
        block.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// A run that an earlier process has written: `len` records in so many bytes. All of it is read,
    /// and so it is known to be whole.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn reopen(files: &dyn Files, name: String, width: usize, len: u64, bytes: u64) -> Result<Self, Error> {
        let failed = |error| Error::new("read", &name, &error);
        let mut input = files.open(&name).map_err(failed)?;
        let mut run = Run { name: name.clone(), width, len, firsts: Vec::new(), ends: Vec::new() };
        let (mut offset, mut seen) = (0, 0);
        let mut payload = Vec::new();
        let mut before: Option<Vec<u64>> = None;
        while offset < bytes {
            let mut head = [0; HEAD];
            input.read_exact(&mut head).map_err(failed)?;
            let (_, size) = block::sizes(&head);
            if offset + (HEAD + size) as u64 > bytes {
                return Err(Error::damaged(&name, "a block is longer than the file"));
            }
            payload.resize(size, 0);
            input.read_exact(&mut payload).map_err(failed)?;
            let count = block::verify(&name, offset, &head, &payload)?;
            let mut record = vec![0; width];
            let mut at = 0;
            for place in 0..count {
                at +=
                    block::decode(&payload[at..], &mut record).ok_or_else(|| Error::damaged(&name, "it ends early"))?;
                if before.as_ref().is_some_and(|before| *before >= record) {
                    return Err(Error::damaged(&name, "it is not sorted"));
                }
                if place == 0 {
                    run.firsts.extend_from_slice(&record);
                }
                before.get_or_insert_with(|| vec![0; width]).copy_from_slice(&record);
            }
            seen += u64::from(count);
            offset += (HEAD + size) as u64;
            run.ends.push(offset);
        }
        match input.read(&mut [0]).map_err(failed)? {
            0 if seen == len => Ok(run),
            0 => Err(Error::damaged(&name, &format!("there are {seen} records instead of {len}"))),
            _ => Err(Error::damaged(&name, "it is longer than it was written")),
        }
    }
}

/// A run that is being written.
pub struct Writer {
    output: Box<dyn Write + Send>,
    run: Run,
    /// Bytes of a block, roughly.
    block: usize,
    payload: Vec<u8>,
    count: u32,
    previous: Vec<u64>,
}

impl Writer {
    pub(crate) fn create(files: &dyn Files, name: String, width: usize, block: usize) -> Result<Self, Error> {
        let output = files.create(&name).map_err(|error| Error::new("write", &name, &error))?;
        let run = Run { name, width, len: 0, firsts: Vec::new(), ends: Vec::new() };
        Ok(Writer { output, run, block, payload: Vec::new(), count: 0, previous: vec![0; width] })
    }

    /// Adds a record, greater than all before it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn push(&mut self, record: &[u64]) -> Result<(), Error> {
        debug_assert!(self.run.len == 0 || *self.previous < *record, "records come in ascending order");
        if self.count == 0 {
            self.run.firsts.extend_from_slice(record);
            self.previous.fill(0);
        }
        block::encode(record, &self.previous, &mut self.payload);
        self.previous.copy_from_slice(record);
        self.count += 1;
        self.run.len += 1;
        if self.payload.len() >= self.block { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<(), Error> {
        let offset = self.run.bytes();
        let head = block::head(offset, self.count, &self.payload);
        let written = self.output.write_all(&head).and_then(|()| self.output.write_all(&self.payload));
        written.map_err(|error| Error::new("write", &self.run.name, &error))?;
        self.run.ends.push(offset + (HEAD + self.payload.len()) as u64);
        self.payload.clear();
        self.count = 0;
        Ok(())
    }

    /// Nothing comes after this.
    ///
    /// # Errors
    /// If the rest cannot be written.
    pub fn finish(mut self) -> Result<Run, Error> {
        if self.count > 0 {
            self.end_block()?;
        }
        self.output.flush().map_err(|error| Error::new("write", &self.run.name, &error))?;
        Ok(self.run)
    }
}

/// A place in a run, which only moves forward.
pub struct Cursor<'r> {
    run: &'r Run,
    input: Box<dyn Input>,
    /// The block that is read next, if nothing is leapt over.
    next: usize,
    /// Where the file is read next.
    offset: u64,
    payload: Vec<u8>,
    at: usize,
    /// Records of the block that have not been read.
    left: u32,
    record: Vec<u64>,
    is_valid: bool,
}

impl<'r> Cursor<'r> {
    /// Before the first record.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn new(files: &dyn Files, run: &'r Run) -> Result<Self, Error> {
        let input = files.open(&run.name).map_err(|error| Error::new("read", &run.name, &error))?;
        Ok(Cursor {
            run,
            input,
            next: 0,
            offset: 0,
            payload: Vec::new(),
            at: 0,
            left: 0,
            record: vec![0; run.width],
            is_valid: false,
        })
    }

    /// The record that was read last; none before the first one and after the last.
    pub fn record(&self) -> Option<&[u64]> {
        self.is_valid.then_some(&self.record[..])
    }

    /// Goes on to the next record. Is there one?
    ///
    /// # Errors
    /// If the file cannot be read, or is not what was written.
    #[inline]
    pub fn advance(&mut self) -> Result<bool, Error> {
        if self.left == 0 && !self.load()? {
            self.is_valid = false;
            return Ok(false);
        }
        let size = block::decode(&self.payload[self.at..], &mut self.record);
        self.at += size.ok_or_else(|| Error::damaged(&self.run.name, "a block ends early"))?;
        self.left -= 1;
        self.is_valid = true;
        Ok(true)
    }

    /// Goes on to the first record that is not less than `wanted`, which is not less than in the
    /// calls before. Is it equal?
    ///
    /// # Errors
    /// If the file cannot be read, or is not what was written.
    #[inline]
    pub fn find(&mut self, wanted: &[u64]) -> Result<bool, Error> {
        if self.is_valid && self.record[..] >= *wanted {
            return Ok(self.record[..] == *wanted);
        }
        if self.next < self.run.blocks() && self.run.first(self.next) <= wanted {
            self.leap(wanted);
        }
        while self.advance()? {
            if self.record[..] >= *wanted {
                return Ok(self.record[..] == *wanted);
            }
        }
        Ok(false)
    }

    /// Leaves out the blocks before the one that `wanted` belongs to, which is not the one that is
    /// being read.
    fn leap(&mut self, wanted: &[u64]) {
        let (mut low, mut high) = (self.next, self.run.blocks());
        while high - low > 1 {
            let middle = low.midpoint(high);
            if self.run.first(middle) <= wanted { low = middle } else { high = middle }
        }
        self.next = low;
        self.left = 0;
    }

    /// Reads the next block. Is there one?
    fn load(&mut self) -> Result<bool, Error> {
        if self.next == self.run.blocks() {
            return Ok(false);
        }
        let (start, end) = (self.run.start(self.next), self.run.ends[self.next]);
        let failed = |error| Error::new("read", &self.run.name, &error);
        if self.offset != start {
            self.input.seek(SeekFrom::Start(start)).map_err(failed)?;
        }
        let mut head = [0; HEAD];
        self.payload.resize((end - start) as usize - HEAD, 0);
        let read = self.input.read_exact(&mut head).and_then(|()| self.input.read_exact(&mut self.payload));
        read.map_err(failed)?;
        self.left = block::verify(&self.run.name, start, &head, &self.payload)?;
        self.offset = end;
        self.at = 0;
        self.record.fill(0);
        self.next += 1;
        Ok(true)
    }
}
