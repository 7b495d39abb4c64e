//! A piece of a run: records, each told by what differs from the one before it.
//!
//! Neighbours in a sorted run have most of their bytes in common. For every eight words there is a
//! byte that says which of them differ, for every word that does, one that says which of its bytes
//! do, and then these bytes, combined with those before by exclusive or. The first record of a block
//! is compared with zeros, so that a block can be read without the others.

use std::hash::{BuildHasher as _, Hasher as _};

use foldhash::fast::FixedState;

use crate::Error;

/// Bytes of a block's head: how many records, how many bytes, and a checksum.
pub(crate) const HEAD: usize = 16;

/// Adds `record` to `bytes`, after `previous`.
pub(crate) fn encode(record: &[u64], previous: &[u64], bytes: &mut Vec<u8>) {
    for (words, before) in record.chunks(8).zip(previous.chunks(8)) {
        let which = bytes.len();
        bytes.push(0);
        for (place, (word, before)) in words.iter().zip(before).enumerate() {
            let changes = word ^ before;
            if changes == 0 {
                continue;
            }
            bytes[which] |= 1 << place;
            let changed = bytes.len();
            bytes.push(0);
            for (byte, change) in changes.to_le_bytes().into_iter().enumerate() {
                if change != 0 {
                    bytes[changed] |= 1 << byte;
                    bytes.push(change);
                }
            }
        }
    }
}

/// Turns `record`, which is the one before, into the next one; how many bytes that takes. None if
/// there are not so many.
#[inline]
pub(crate) fn decode(bytes: &[u8], record: &mut [u64]) -> Option<usize> {
    let mut at = 0;
    for words in record.chunks_mut(8) {
        let mut which = *bytes.get(at)?;
        at += 1;
        while which != 0 {
            let place = which.trailing_zeros() as usize;
            which &= which - 1;
            let mut changed = *bytes.get(at)?;
            at += 1;
            let mut changes = 0;
            while changed != 0 {
                let byte = changed.trailing_zeros();
                changed &= changed - 1;
                changes |= u64::from(*bytes.get(at)?) << (8 * byte);
                at += 1;
            }
            *words.get_mut(place)? ^= changes;
        }
    }
    Some(at)
}

/// What the head of the block at `offset` of its file says.
pub(crate) fn head(offset: u64, count: u32, payload: &[u8]) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..4].copy_from_slice(&count.to_le_bytes());
    head[4..8].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    head[8..].copy_from_slice(&checksum(offset, count, payload).to_le_bytes());
    head
}

/// How many records and bytes there are in a block, if its head is to be believed.
pub(crate) fn sizes(head: &[u8; HEAD]) -> (u32, usize) {
    let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    (word(0), word(4) as usize)
}

/// Is a block what was written there?
pub(crate) fn verify(name: &str, offset: u64, found: &[u8; HEAD], payload: &[u8]) -> Result<u32, Error> {
    let (count, _) = sizes(found);
    match head(offset, count, payload) == *found && count > 0 {
        true => Ok(count),
        false => Err(Error::damaged(name, &format!("the checksum at byte {offset} is another one"))),
    }
}

/// Of a block and where it is: blocks that have changed places are damage, too.
fn checksum(offset: u64, count: u32, payload: &[u8]) -> u64 {
    let mut hasher = FixedState::with_seed(offset).build_hasher();
    hasher.write_u32(count);
    hasher.write(payload);
    hasher.finish()
}
