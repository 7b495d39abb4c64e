//! The recorded run, which the runtime has written ([`fencepost_protocol::record`]), in order.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fencepost_finding::value_text;
use fencepost_protocol::record::{self, HEADER, Op, RECORD, Record};

/// The recorded run up to some moment, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Sorted by time.
    pub records: Vec<Record>,
    /// The calls of each chain, innermost first: addresses that are returned to.
    pub chains: BTreeMap<u64, Vec<u64>>,
    /// Places that nobody can change: a library does something of its own there. Known once records
    /// have the numbers of their places.
    pub(crate) fixed: BTreeSet<u64>,
}

impl Trace {
    /// What the bytes of a memory file say up to and including a time. None if they are no recorded
    /// run, or not a whole one.
    pub fn read(bytes: &[u8], until: u64) -> Option<Trace> {
        let count = usize::try_from(record::used(bytes)?).ok()? / RECORD;
        let mut records = Vec::new();
        for record in bytes.get(HEADER..)?.chunks_exact(RECORD).take(count) {
            // Records that were reserved and are not written have no time.
            let record = Record::read(record)?;
            if (1..=until).contains(&record.time) {
                if record.op == Op::Stale {
                    // Nothing here knows such runs.
                    return None;
                }
                records.push(record);
            }
        }
        records.sort_by_key(|record| record.time);
        let mut chains: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for record in records.extract_if(.., |record| record.op == Op::Call) {
            let calls = chains.entry(record.address).or_default();
            // Two threads may have recorded the same.
            if calls.len() as u64 == record.extra {
                calls.push(record.value);
            }
        }
        Some(Trace { records, chains, fixed: BTreeSet::new() })
    }

    /// Can the access of this record be changed, or have a fence beside it?
    pub(crate) fn is_changeable(&self, record: &Record) -> bool {
        !self.fixed.contains(&record.pc)
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

/// What an access has read or written: `1`, or `0→1`.
pub(crate) fn values(record: &Record) -> String {
    match record.reads() && record.writes() {
        true => format!("{}→{}", value_text(record.extra), value_text(record.value)),
        false => value_text(record.value),
    }
}

/// What the access is called.
pub(crate) fn name(record: &Record) -> &'static str {
    match record.op {
        Op::Load | Op::Wait => "load",
        Op::Store => "store",
        Op::CasStrong | Op::CasWeak | Op::BlockingCas => "compare-and-swap",
        Op::Fence => "fence",
        _ => "read-modify-write",
    }
}
