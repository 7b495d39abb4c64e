//! The record of a run: every atomic access and synchronisation, for the reporter to try its
//! suggestions on.
//!
//! It lies in a memory file: a [`Header`], then [`Record`]s. They are in no order, since each
//! thread takes blocks of them; sorted by time they are one SC order of the run. Room that was
//! taken and not used is zero. Its time is then zero too, which no record has.

use core::mem::{offset_of, size_of};
use core::sync::atomic::AtomicU64;

use crate::{Order, VERSION};

/// First bytes of a record.
pub const MAGIC: [u8; 8] = [b'F', b'P', b'T', b'R', b'A', b'C', b'E', VERSION];

/// How a record begins.
#[repr(C, align(64))]
pub struct Header {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// How many records there is room for.
    pub capacity: u64,
    /// How many of them are taken; may be more than there are.
    pub next: AtomicU64,
    /// Not 0 if there was not enough room for the run.
    pub overflowed: AtomicU64,
}

/// Bytes of the header.
pub const HEADER: usize = size_of::<Header>();

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Op {
    /// An atomic load.
    Load = 0,
    /// An atomic store.
    Store = 1,
    /// An exchange or fetch-and-something.
    Rmw = 2,
    /// A strong compare-and-swap.
    CasStrong = 3,
    /// A weak compare-and-swap.
    CasWeak = 4,
    /// The load that ends a wait.
    Wait = 5,
    /// The compare-and-swap that ends a wait.
    BlockingCas = 6,
    /// A fence.
    Fence = 7,
    /// Something released at an object is acquired.
    Acquire = 8,
    /// Something is released at an object, in place of what was released there before.
    Release = 9,
    /// Something is released at an object, besides what was released there before.
    ReleaseJoin = 10,
    /// A thread is created: `extra`.
    Spawn = 11,
    /// A thread has ended and is waited for: `extra`.
    Join = 12,
    /// What was known of a location is forgotten, or it is seen for the first time.
    Reset = 13,
    /// An atomic access that has used an overwritten write. From here on the records are not those
    /// of a run under sequential consistency. If it has not succeeded, it has not used one, but
    /// could have: its own record follows.
    Stale = 14,
    /// No access: of the chain of calls with the number `address`, the call at depth `extra`
    /// returns to `value`. The innermost has depth 0.
    Call = 15,
    /// A plain read. Plain accesses are recorded of the thread of [`Op::Stale`] alone, after it.
    Read = 16,
    /// A plain write.
    Write = 17,
}

impl Op {
    /// All of them, by number.
    pub const ALL: [Op; 18] = [
        Op::Load,
        Op::Store,
        Op::Rmw,
        Op::CasStrong,
        Op::CasWeak,
        Op::Wait,
        Op::BlockingCas,
        Op::Fence,
        Op::Acquire,
        Op::Release,
        Op::ReleaseJoin,
        Op::Spawn,
        Op::Join,
        Op::Reset,
        Op::Stale,
        Op::Call,
        Op::Read,
        Op::Write,
    ];

    /// Does it write a location, if it succeeds or not?
    #[inline]
    pub const fn writes(self, success: bool) -> bool {
        match self {
            Op::Store | Op::Rmw | Op::BlockingCas => true,
            Op::CasStrong | Op::CasWeak => success,
            _ => false,
        }
    }
}

/// What a thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Record {
    /// When, by the time stamp counter; never 0.
    pub time: u64,
    /// The location or object.
    pub address: u64,
    /// What was read by a load, or written.
    pub value: u64,
    /// Where: a return address in the lower [`ADDRESS_BITS`], and in the upper ones the number of
    /// the chain of calls that led there, see [`Op::Call`]; 0 if it has none.
    pub pc: u64,
    /// What a compare-and-swap expected, the value an update replaced, or a thread.
    pub extra: u64,
    /// Who.
    pub tid: u32,
    /// What.
    pub op: Op,
    /// Its memory order.
    pub order: Order,
    /// The order of a compare-and-swap that fails.
    pub failure: Order,
    /// Has it succeeded? Only a compare-and-swap may fail.
    pub success: bool,
}

/// Bits of an address in a program.
pub const ADDRESS_BITS: u32 = 47;

/// Bytes of a record.
pub const RECORD: usize = size_of::<Record>();

// Both sides map the same bytes: there must be none that nobody has written.
const _: () = assert!(HEADER == 64 && RECORD == 48);

/// The number at this place.
fn number<const BYTES: usize>(bytes: &[u8], at: usize) -> Option<[u8; BYTES]> {
    bytes.get(at..at + BYTES)?.try_into().ok()
}

/// How many bytes after the header are in use. None if this is no header, or if there was not
/// enough room for the run.
pub fn used(header: &[u8]) -> Option<u64> {
    let word = |at| Some(u64::from_le_bytes(number(header, at)?));
    if number(header, offset_of!(Header, magic))? != MAGIC || word(offset_of!(Header, overflowed))? != 0 {
        return None;
    }
    word(offset_of!(Header, capacity))?.min(word(offset_of!(Header, next))?).checked_mul(RECORD as u64)
}

impl Record {
    /// Does it read a location?
    pub fn reads(&self) -> bool {
        matches!(self.op, Op::Load | Op::Rmw | Op::CasStrong | Op::CasWeak | Op::Wait | Op::BlockingCas)
    }

    /// Does it write a location?
    pub fn writes(&self) -> bool {
        self.op.writes(self.success)
    }

    /// What these bytes say; none if they are no record.
    pub fn read(bytes: &[u8]) -> Option<Record> {
        let word = |at| Some(u64::from_le_bytes(number(bytes, at)?));
        let byte = |at: usize| bytes.get(at).copied();
        let order = |at| Order::ALL.get(usize::from(byte(at)?)).copied();
        Some(Record {
            time: word(offset_of!(Record, time))?,
            address: word(offset_of!(Record, address))?,
            value: word(offset_of!(Record, value))?,
            pc: word(offset_of!(Record, pc))?,
            extra: word(offset_of!(Record, extra))?,
            tid: u32::from_le_bytes(number(bytes, offset_of!(Record, tid))?),
            op: *Op::ALL.get(usize::from(byte(offset_of!(Record, op))?))?,
            order: order(offset_of!(Record, order))?,
            failure: order(offset_of!(Record, failure))?,
            success: byte(offset_of!(Record, success))? != 0,
        })
    }
}
