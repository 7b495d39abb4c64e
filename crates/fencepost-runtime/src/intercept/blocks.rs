//! The blocks that the program has allocated, for reports: where, how large, by whom.
//!
//! A table by address, cut into parts with a lock each. Allocators give threads regions of their own,
//! so neighbouring blocks share a part: threads that allocate at the same time mostly use different
//! ones. The block that an address lies in is looked for only when something is reported, by going
//! through all of them.

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

/// One part of the table. It shares no line of the cache with another.
#[repr(align(64))]
struct Region(Guarded<Part>);

const PARTS: usize = 1024;
/// Blocks whose addresses agree but for so many bits share a part.
const REGION_BITS: u32 = 15;
static BLOCKS: [Region; PARTS] =
    [const { Region(Guarded::new(HashMap::with_hasher(BuildHasherDefault::new()))) }; PARTS];

fn part(base: usize) -> &'static Guarded<Part> {
    let region = (base >> REGION_BITS).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    &BLOCKS[region >> (usize::BITS - PARTS.ilog2())].0
}

/// Remembers a block.
pub(super) fn insert(block: Block) {
    part(block.base).lock().insert(block.base, (block.size, block.tid, block.site));
}

/// Forgets a block, and says what was known of it.
pub(super) fn remove(base: usize) -> Option<Block> {
    let (size, tid, site) = part(base).lock().remove(&base)?;
    Some(Block { base, size, tid, site })
}

/// The block that `addr` lies in.
pub(crate) fn block_of(addr: usize) -> Option<Block> {
    BLOCKS.iter().find_map(|region| {
        let part = region.0.lock();
        let (&base, &(size, tid, site)) =
            part.iter().find(|&(&base, &(size, ..))| (base..base + size).contains(&addr))?;
        Some(Block { base, size, tid, site })
    })
}
