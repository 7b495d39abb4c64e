//! Spin loops: a load that is repeated without anything in between waits for another value.
//!
//! PLDI 2025, §4.3, asks for annotations of busy waits, since a stale value that only keeps a
//! thread spinning is benign. Here ordinary loops are recognised while they run: if a thread makes
//! the same load at the same place in the code again, and nothing the runtime can see has happened
//! since, then the value it read the first time keeps the loop spinning. From then on that value,
//! read stale at that place, is not a violation. A place is an address in the code and the innermost
//! calls that led there: a function that only wraps a load may be called by many loops.
//!
//! Not seen, and so a limit: what a loop does in registers (a loop that gives up after a hundred
//! rounds counts as spinning), and in builds without plain accesses what it does in plain memory.

use std::sync::atomic::{AtomicU64, Ordering};

/// Places in the code that can be known to spin.
const TABLE: usize = 1 << 12;
/// Values remembered for a place.
const VALUES: usize = 6;

/// The load a thread made last, if nothing happened since.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LastLoad {
    /// Where in the code; 0 if something happened since.
    pub(crate) pc: usize,
    /// From where in memory.
    pub(crate) addr: usize,
    /// The calls that led there, as a number.
    pub(crate) calls: u64,
    /// What it read.
    pub(crate) value: u64,
    /// How often it was made in a row.
    pub(crate) times: u32,
    /// Was [`learn`] told about the value already?
    pub(crate) is_learnt: bool,
}

/// As large as a line of the cache: most are only read.
#[repr(align(64))]
struct Entry {
    /// The place, see [`CallStack::near`](crate::stacks::CallStack::near); 0 is none.
    place: AtomicU64,
    /// Values that keep the loop spinning, each plus one; 0 is none.
    values: [AtomicU64; VALUES],
}

static SPINNING: [Entry; TABLE] =
    [const { Entry { place: AtomicU64::new(0), values: [const { AtomicU64::new(0) }; VALUES] } }; TABLE];

fn entries(place: u64) -> impl Iterator<Item = &'static Entry> {
    let start = place as usize >> 52;
    (0..8).map(move |step| &SPINNING[(start + step) % TABLE])
}

/// Does the load at this place go round again after reading `value`?
pub(crate) fn keeps_spinning(place: u64, value: u64) -> bool {
    let entry = entries(place).find(|entry| entry.place.load(Ordering::Acquire) == place);
    entry.is_some_and(|entry| entry.values.iter().any(|known| known.load(Ordering::Relaxed) == value.wrapping_add(1)))
}

/// Would [`learn`] remember this? Not if it is known, and not if there is no room for it.
pub(crate) fn is_news(place: u64, value: u64) -> bool {
    let entry = entries(place).find(|entry| [0, place].contains(&entry.place.load(Ordering::Acquire)));
    let Some(entry) = entry else { return false };
    for known in &entry.values {
        match known.load(Ordering::Relaxed) {
            0 => return true,
            known if known == value.wrapping_add(1) => return false,
            _ => {}
        }
    }
    false
}

/// The load at this place was seen to go round again after reading `value`. Is that news?
pub(crate) fn learn(place: u64, value: u64) -> bool {
    is_news(place, value) && learn_now(place, value)
}

#[cold]
fn learn_now(place: u64, value: u64) -> bool {
    for entry in entries(place) {
        let owner =
            entry.place.compare_exchange(0, place, Ordering::AcqRel, Ordering::Acquire).unwrap_or_else(|other| other);
        if owner != 0 && owner != place {
            continue;
        }
        let mark = value.wrapping_add(1);
        for known in &entry.values {
            match known.load(Ordering::Relaxed) {
                0 => {}
                other if other == mark => return false,
                _ => continue,
            }
            let before =
                known.compare_exchange(0, mark, Ordering::AcqRel, Ordering::Acquire).unwrap_or_else(|known| known);
            if before == 0 || before == mark {
                return before == 0;
            }
        }
        return false;
    }
    false
}
