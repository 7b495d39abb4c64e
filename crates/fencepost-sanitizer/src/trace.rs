//! The recorded run: every atomic access and synchronisation of a run, written by the runtime to a memory file.
//!
//! A header (magic, capacity in records, next free record, flags), then records of fixed size, in no order: each thread
//! takes blocks of them. Sorted by time they are one SC order of the run.

use std::collections::HashMap;

use fencepost_clock::Order;

/// The recorded run up to some moment, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Sorted by time.
    pub records: Vec<Record>,
}

/// What a thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// When.
    pub time: u64,
    /// The location or object.
    pub address: u64,
    /// What was read by a load, or written.
    pub value: u64,
    /// Where: a return address.
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
    /// A compare-and-swap has succeeded.
    pub success: bool,
}

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// An atomic load.
    Load,
    /// An atomic store.
    Store,
    /// A read-modify-write.
    Rmw,
    /// A strong compare-and-swap.
    CasStrong,
    /// A weak compare-and-swap.
    CasWeak,
    /// The load that ends a wait.
    Wait,
    /// The compare-and-swap that ends a wait.
    BlockingCas,
    /// A fence.
    Fence,
    /// Something released at an object is acquired.
    Acquire,
    /// Something is released at an object, in place of what was released there before.
    Release,
    /// Something is released at an object, besides what was released there before.
    ReleaseJoin,
    /// A thread is created: `extra`.
    Spawn,
    /// A thread has ended and is waited for: `extra`.
    Join,
    /// What was known of a location is forgotten.
    Reset,
    /// An object is acquired and released at once.
    AcquireRelease,
}

impl Op {
    fn from_number(number: u8) -> Option<Op> {
        const ALL: [Op; 15] = [
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
            Op::AcquireRelease,
        ];
        ALL.get(usize::from(number)).copied()
    }
}

/// First bytes of a recorded run.
pub const MAGIC: [u8; 8] = *b"FPTRACE1";
/// Length of the header.
pub const HEADER: usize = 64;
/// Length of a record.
pub const RECORD: usize = 48;

/// How many bytes after the header are in use. None if this is no header, or if there was not enough room for the run.
pub fn used(header: &[u8]) -> Option<u64> {
    let number = |at: usize| Some(u64::from_le_bytes(header.get(at..at + 8)?.try_into().ok()?));
    let overflowed = number(24)? & 1 != 0;
    if header.get(..8)? != MAGIC || overflowed {
        return None;
    }
    number(8)?.min(number(16)?).checked_mul(RECORD as u64)
}

impl Trace {
    /// What the bytes of a memory file say up to and including a time. None if they are no recorded run, or not a whole one.
    pub fn read(bytes: &[u8], until: u64) -> Option<Trace> {
        let count = usize::try_from(used(bytes)?).ok()? / RECORD;
        let mut records = Vec::new();
        for record in bytes.get(HEADER..)?.chunks_exact(RECORD).take(count) {
            // Records that were reserved and are not written have no time.
            let record = Record::read(record)?;
            if (1..=until).contains(&record.time) {
                records.push(record);
            }
        }
        records.sort_by_key(|record| record.time);
        Some(Trace { records })
    }

    /// For each record, those next to it in its thread.
    pub(crate) fn neighbours(&self) -> Vec<Neighbours> {
        let mut neighbours = vec![Neighbours::default(); self.records.len()];
        let mut last: HashMap<u32, usize> = HashMap::new();
        for (number, record) in self.records.iter().enumerate() {
            // That a location was forgotten is nothing that the thread did.
            if record.op == Op::Reset {
                continue;
            }
            if let Some(before) = last.insert(record.tid, number) {
                neighbours[number].before = Some(before);
                if self.records[before].tid == record.tid {
                    neighbours[before].after = Some(number);
                }
            }
            if let (Op::Spawn, Ok(child)) = (record.op, u32::try_from(record.extra)) {
                last.insert(child, number);
            }
        }
        neighbours
    }
}

/// What a thread did before and after something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Neighbours {
    /// Of the first record of a thread: its creation, by another thread.
    pub(crate) before: Option<usize>,
    pub(crate) after: Option<usize>,
}

impl Record {
    fn read(bytes: &[u8]) -> Option<Record> {
        let number = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        let tid = u32::from_le_bytes(bytes.get(40..44)?.try_into().ok()?);
        let [op, order, failure, flags] = bytes.get(44..48)?.try_into().ok()?;
        Some(Record {
            time: number(0)?,
            address: number(8)?,
            value: number(16)?,
            pc: number(24)?,
            extra: number(32)?,
            tid,
            op: Op::from_number(op)?,
            order: order_from_number(order)?,
            failure: order_from_number(failure)?,
            success: flags & 1 != 0,
        })
    }

    /// `relaxed store`.
    pub(crate) fn description(&self) -> String {
        let order = match self.order {
            Order::Relaxed => "relaxed",
            Order::Acquire => "acquire",
            Order::Release => "release",
            Order::AcqRel => "acq_rel",
            Order::SeqCst => "seq_cst",
        };
        format!("{order} {}", self.name())
    }

    /// What the access is called.
    pub(crate) fn name(&self) -> &'static str {
        match self.op {
            Op::Load | Op::Wait => "load",
            Op::Store => "store",
            Op::CasStrong | Op::CasWeak | Op::BlockingCas => "compare-and-swap",
            Op::Fence => "fence",
            _ => "read-modify-write",
        }
    }

    /// Does it read a location?
    pub(crate) fn reads(&self) -> bool {
        matches!(self.op, Op::Load | Op::Rmw | Op::CasStrong | Op::CasWeak | Op::Wait | Op::BlockingCas)
    }

    /// Does it write a location?
    pub(crate) fn writes(&self) -> bool {
        match self.op {
            Op::Store | Op::Rmw | Op::BlockingCas => true,
            Op::CasStrong | Op::CasWeak => self.success,
            _ => false,
        }
    }
}

/// As C numbers them.
fn order_from_number(number: u8) -> Option<Order> {
    Some(match number {
        0 => Order::Relaxed,
        1 | 2 => Order::Acquire,
        3 => Order::Release,
        4 => Order::AcqRel,
        5 => Order::SeqCst,
        _ => return None,
    })
}

/// As reports name them.
pub(crate) fn order_from_name(name: &str) -> Option<Order> {
    Some(match name {
        "relaxed" => Order::Relaxed,
        "consume" | "acquire" => Order::Acquire,
        "release" => Order::Release,
        "acq_rel" => Order::AcqRel,
        "seq_cst" => Order::SeqCst,
        _ => return None,
    })
}
