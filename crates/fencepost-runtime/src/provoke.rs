//! Provoked runs: one access uses an overwritten write, as the model permits it to, and the program
//! goes on as under sequential consistency.
//!
//! Why that is an execution of the model is said in `fencepost_clock`, beside what it acquires.
//! Which access, which of the writes and at which opportunity is an option
//! ([`fencepost_protocol::Provocation`]). What is used comes from the window that the monitor
//! computes at that very step. If there is none, or if anything about it is not known, the access
//! is done as in any other run. There is one such step in a process.
//!
//! Not modelled: accesses of 16 bytes, of which only hashes are kept.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fencepost_clock::{Limits, Location, Released, Releases, Slot, Window, Write};
use fencepost_protocol::{CodePlace, Key, Provocation, Which};

use crate::channel;
use crate::explore;
use crate::lock::{Guard, Guarded};
use crate::memory::Apart;
use crate::options;
use crate::record;
use crate::schedule;
use crate::stacks;
use crate::thread::Thread;

/// Is this a provoked run, before or after the step?
static PROVOKED: Apart<AtomicBool> = Apart(AtomicBool::new(false));

/// Is the step taken?
static OVER: AtomicBool = AtomicBool::new(false);

/// The value that was used.
static USED: AtomicU64 = AtomicU64::new(0);

/// What is to be done, until it is done.
static PLAN: Guarded<Option<Plan>> = Guarded::new(None);

/// What is to be done.
struct Plan {
    provocation: Provocation,
    /// Opportunities that go by before.
    left: u64,
}

/// Places are kept in so many tables, each with a lock of its own.
const TABLES: usize = 64;

/// What is kept of the writes to an atomic variable.
#[derive(Default)]
struct Kept {
    releases: Releases,
    /// Who has made each of them, its number among the writer's writes, and the number of the step,
    /// if somebody decides every step.
    steps: Vec<((Slot, u32), u32)>,
}

/// What is kept of each atomic variable.
static RELEASES: [Guarded<BTreeMap<usize, Kept>>; TABLES] = [const { Guarded::new(BTreeMap::new()) }; TABLES];

/// The lowest bits of an address, which are the same wherever a module is.
const WITHIN_PAGE: usize = 0xfff;

/// Reads what is to be done. Is this a provoked run?
pub(crate) fn start() -> bool {
    let given = options::given().iter().rev().find(|(name, _)| name == Key::Provoke.name());
    let Some(provocation) = given.and_then(|(_, text)| text.parse::<Provocation>().ok()) else { return false };
    let left = provocation.skip;
    *PLAN.lock() = Some(Plan { provocation, left });
    PROVOKED.store(true, Ordering::Relaxed);
    record::keep_releases();
    true
}

/// Somebody decides every step, and may decide that an access uses an overwritten write.
pub(crate) fn offer() {
    PROVOKED.store(true, Ordering::Relaxed);
    record::keep_releases();
}

/// Is this a provoked run?
#[inline]
pub(crate) fn is_provoked() -> bool {
    PROVOKED.load(Ordering::Relaxed)
}

/// Is the step taken? The rest of the run is as under SC.
pub(crate) fn is_over() -> bool {
    OVER.load(Ordering::Relaxed)
}

/// The value that was used, in the thread that has used it.
pub(crate) fn used() -> u64 {
    USED.load(Ordering::Relaxed)
}

/// The variable at `addr` was written to.
pub(crate) fn keep(addr: usize, location: &Location, limits: Limits) {
    let step = if explore::is_decided() { schedule::decided_steps() } else { 0 };
    let mut table = table(addr).lock();
    let Kept { releases, steps } = table.entry(addr).or_default();
    releases.keep(location, limits);
    steps.extend(releases.newest().filter(|_| step != 0).map(|write| (write, step)));
}

/// What `write` to the variable at `addr` has released, and the number of the step that has made
/// it, if somebody decides every step; 0 if it is the initial value. None if that is not known.
pub(crate) fn known(addr: usize, write: &Write) -> Option<(Released, u32)> {
    let table = table(addr).lock();
    let kept = table.get(&addr);
    let Some(writer) = write.writer else { return Some((Released::default(), 0)) };
    let Kept { releases, steps } = kept?;
    let made = steps.iter().rfind(|(made, _)| *made == (writer, write.number));
    Some((releases.of(write)?, made?.1))
}

/// In a run in which somebody decides every step: the running access uses this value.
pub(crate) fn decided(value: u64) {
    USED.store(value, Ordering::Relaxed);
    OVER.store(true, Ordering::Relaxed);
    record::forget_releases();
}

fn table(addr: usize) -> &'static Guarded<BTreeMap<usize, Kept>> {
    &RELEASES[addr.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (usize::BITS - TABLES.ilog2())]
}

/// The right to take the step. While somebody has it, nobody else can.
pub(crate) struct Opportunity(Guard<'static, Option<Plan>>);

/// Is the access of `thread` at `pc`, which has this window, the one that is to use what it finds
/// there?
pub(crate) fn opportunity(thread: &Thread, pc: usize, window: &Window) -> Option<Opportunity> {
    let mut guard = PLAN.lock();
    let plan = guard.as_mut()?;
    if !plan.provocation.is_at(thread, pc) || !plan.provocation.misses(window) {
        return None;
    }
    if plan.left > 0 {
        plan.left -= 1;
        return None;
    }
    Some(Opportunity(guard))
}

impl Opportunity {
    /// Is the access to be made as ever, in a run that others are compared with?
    pub(crate) fn is_for_comparison(&self) -> bool {
        self.0.as_ref().is_some_and(|plan| plan.provocation.which == Which::Current)
    }

    /// The write to use.
    pub(crate) fn choose(&self, window: &Window) -> Option<Write> {
        match self.0.as_ref()?.provocation.which {
            Which::Oldest => window.stale.first().copied(),
            Which::Newest => window.stale.last().copied(),
            Which::Current => None,
        }
    }

    /// What `write` to the variable at `addr` has released. If that is not known, it must not be
    /// used.
    pub(crate) fn released(&self, addr: usize, write: &Write) -> Option<Released> {
        table(addr).lock().entry(addr).or_default().releases.of(write)
    }

    /// The step is taken, with this value: there is no other one.
    pub(crate) fn take(self, value: u64) {
        USED.store(value, Ordering::Relaxed);
        self.end();
    }

    /// The step is not taken. What comes after it is the same as if it was.
    pub(crate) fn let_pass(self) {
        // Nothing else may be said in this run, and its records are of no use without them.
        channel::tell_modules();
        self.end();
    }

    fn end(mut self) {
        OVER.store(true, Ordering::Relaxed);
        record::forget_releases();
        let then = self.0.take().map_or(0, |plan| plan.provocation.then);
        if then > 0 {
            schedule::vary(then);
        }
    }
}

/// Is it what was asked for?
trait Asked {
    /// Is it the access at `pc`?
    fn is_at(&self, thread: &Thread, pc: usize) -> bool;
    /// Is it the newest write that may be missed?
    fn misses(&self, window: &Window) -> bool;
}

impl Asked for Provocation {
    fn is_at(&self, thread: &Thread, pc: usize) -> bool {
        let mut places = self.access.iter();
        let mut is_same = true;
        // Where the wrong place is seen first, nobody asks for the calls.
        if places.next().is_none_or(|place| !is_place(pc, place)) {
            return false;
        }
        let mut is_call = false;
        thread.calls.frames(pc, |frame| {
            if std::mem::replace(&mut is_call, true) {
                is_same &= places.next().is_none_or(|place| is_place(frame, place));
            }
        });
        is_same && places.next().is_none()
    }

    fn misses(&self, window: &Window) -> bool {
        let Some(place) = &self.missed else { return true };
        let frame = stacks::site(window.newest.site).and_then(|(_, _, frames)| frames.first().copied());
        frame.is_some_and(|frame| is_place(frame, place))
    }
}

/// Is this return address at this place?
fn is_place(pc: usize, place: &CodePlace) -> bool {
    // To look for the module takes longer.
    (pc ^ place.offset as usize) & WITHIN_PAGE == 0 && channel::place_in_code(pc).as_ref() == Some(place)
}
