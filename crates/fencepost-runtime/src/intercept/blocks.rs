//! The blocks that the program has allocated, for reports: where, how large, by whom.
//!
//! A table by address, cut into parts with a lock each. The block that an address lies in is looked
//! for only when something is reported, by going through all of them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::lock::Guarded;
use crate::stacks::SiteId;
use crate::thread::Tid;

/// An allocated block.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    /// Its address.
    pub(crate) base: usize,
    /// Its size.
    pub(crate) size: usize,
    /// The thread that allocated it.
    pub(crate) tid: Tid,
    /// Where it did so.
    pub(crate) site: SiteId,
}

#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(usize::from(byte)));
    }

    fn write_usize(&mut self, addr: usize) {
        self.0 = (self.0 ^ addr as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
}

/// What is kept of a block: size, thread, site.
type Part = HashMap<usize, (usize, Tid, SiteId), BuildHasherDefault<Mix>>;

const PARTS: usize = 64;
static BLOCKS: [Guarded<Part>; PARTS] =
    [const { Guarded::new(HashMap::with_hasher(BuildHasherDefault::new())) }; PARTS];

fn part(base: usize) -> &'static Guarded<Part> {
    &BLOCKS[(base >> 4 ^ base >> 12) % PARTS]
}

/// Remembers a block.
pub(super) fn insert(block: Block) {
    part(block.base).lock().insert(block.base, (block.size, block.tid, block.site));
}

/// The size of a block, if it is known.
pub(super) fn size(base: usize) -> Option<usize> {
    part(base).lock().get(&base).map(|&(size, ..)| size)
}

/// Forgets a block, and says how large it was if it is known.
pub(super) fn remove(base: usize) -> Option<usize> {
    part(base).lock().remove(&base).map(|(size, ..)| size)
}

/// The block that `addr` lies in.
pub(crate) fn block_of(addr: usize) -> Option<Block> {
    BLOCKS.iter().find_map(|part| {
        let part = part.lock();
        let (&base, &(size, tid, site)) =
            part.iter().find(|&(&base, &(size, ..))| (base..base + size).contains(&addr))?;
        Some(Block { base, size, tid, site })
    })
}
