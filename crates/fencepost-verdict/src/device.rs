//! A machine beside the processor, such as a graphics card: what a search needs of it.
//!
//! A device runs one function for many numbers at once and has memory of its own. It knows nothing
//! of programs or models. Whoever searches on it gives it a text in the common part of CUDA C++ and
//! C++, and drives it through this trait.

use std::fmt;

/// A device, not yet in use.
pub trait Device: Sync {
    /// What it is, for people.
    fn name(&self) -> &str;

    /// Can it compare and swap 128 bits at once?
    fn swaps_128_bits(&self) -> bool;

    /// Told why a search that could have been done here is left to the processor.
    fn refused(&self, why: &str) {
        let _ = why;
    }

    /// Compiles a text whose kernels are called as [`Kernels::run`] says.
    fn load(&self, text: &str) -> Result<Box<dyn Kernels + '_>, Failure>;
}

/// A compiled text, and memory for it. All memory is given back when it is dropped.
pub trait Kernels {
    /// Bytes that could be allocated now.
    fn free_bytes(&mut self) -> Result<u64, Failure>;

    /// This many words, all 0.
    fn allocate(&mut self, words: u64) -> Result<Memory, Failure>;

    /// Gives memory back.
    fn release(&mut self, memory: Memory) -> Result<(), Failure>;

    /// Copies words to memory, from its beginning.
    fn write(&mut self, memory: &Memory, words: &[u64]) -> Result<(), Failure>;

    /// Copies words from memory, from its beginning.
    fn read(&mut self, memory: &Memory, words: &mut [u64]) -> Result<(), Failure>;

    /// Runs a kernel for all numbers below `count`, and waits for it: a function of `count` and
    /// [`ARGUMENTS`] more words, of which those that are not given are 0.
    fn run(&mut self, kernel: &str, count: u64, arguments: &[u64]) -> Result<(), Failure>;
}

/// How many words every kernel takes besides its count.
pub const ARGUMENTS: usize = 12;

/// Words in a device's memory.
#[derive(Debug)]
pub struct Memory {
    /// Where they are, as kernels see it.
    pub address: u64,
    /// How many.
    pub words: u64,
}

/// Why a device did not do what it was to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Its memory is full.
    Full,
    /// Anything else, in words.
    Other(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Full => f.write_str("its memory is full"),
            Failure::Other(what) => f.write_str(what),
        }
    }
}
