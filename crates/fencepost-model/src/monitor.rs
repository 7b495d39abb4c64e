//! Monitors: finite memories that follow an SC run and notice when a weaker
//! model could have taken the next step differently.

use fencepost_base::ids::{LocId, ThreadId};
use fencepost_base::order::Mode;

use crate::packed::Row;

/// What a monitor needs to know about a program.
#[derive(Clone, Debug)]
pub struct Shape {
    /// For every thread, what its code contains.
    pub threads: Vec<ThreadShape>,
    /// For every location: the number of value classes to tell apart (at
    /// least 1), or 0 if the location is non-atomic.
    ///
    /// Values are in one class when no blocking instruction of the program can
    /// distinguish them (the critical values of §5.1 of the PLDI 2019 paper,
    /// generalised to sets of values).
    pub classes: Vec<usize>,
    /// For every location, the threads that access it plainly. There are atomic locations that are
    /// also accessed plainly, but no monitor of everything follows these accesses.
    pub plain: Vec<Vec<ThreadId>>,
    /// Is there a store or read-modify-write without release order in a thread without release
    /// fences?
    pub relaxed_writes: bool,
    /// Is there an SC access?
    pub sc_accesses: bool,
    /// Is there an SC fence that is an event of its own?
    pub sc_fences: bool,
    /// What to look out for.
    pub watch: Watch,
}

/// Which stale writes a monitor looks out for.
///
/// A row of a monitor has a column for every value class of every location, and no step mixes
/// columns: each is a monitor of its own. So a monitor that watches some columns sees in them what
/// the whole monitor sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// All of them at once.
    Everything,
    /// Those of one location, of one class or of any, that a thread could read, or write right
    /// after.
    Stale {
        /// The location.
        loc: LocId,
        /// The class of the value that was overwritten; none for any.
        class: Option<usize>,
        /// What would be done with it.
        by: StaleKind,
        /// Who is hb_SC-aware of the write that overwrote it, whatever is written later? Otherwise:
        /// of the location's last write.
        lasting: bool,
    },
    /// One access to this location, which is accessed plainly: who is not ordered after it?
    Plain(LocId),
}

/// What a model could do with a stale write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StaleKind {
    /// Read it.
    Read,
    /// Write right after it, as a write or a read-modify-write.
    Write,
}

/// What a monitor needs to know about a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadShape {
    /// Has it a fence that acquires, and atomic reads that do not? Otherwise acquire fences tell it
    /// nothing new.
    pub acquire_fence: bool,
    /// Has it a fence that releases, and atomic writes that do not? Otherwise release fences tell
    /// nobody anything new.
    pub release_fence: bool,
}

impl Shape {
    /// A program of release/acquire accesses only, with these numbers of threads and of classes for
    /// every location.
    pub fn simple(threads: usize, classes: Vec<usize>) -> Self {
        let plain = vec![Vec::new(); classes.len()];
        let threads = vec![ThreadShape::default(); threads];
        Shape {
            threads,
            classes,
            plain,
            relaxed_writes: false,
            sc_accesses: false,
            sc_fences: false,
            watch: Watch::Everything,
        }
    }
}

/// What kind of step it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptKind {
    /// A read.
    Read,
    /// A write.
    Write,
    /// A read-modify-write.
    Rmw,
}

/// Which stale values the thread would accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepts<'a> {
    /// Any.
    Any,
    /// Only those of one class.
    Only(usize),
    /// All but those of one class.
    AllBut(usize),
    /// Those of the classes whose bit is set.
    Classes(&'a [u64]),
}

impl Accepts<'_> {
    /// Is class `class` accepted?
    pub fn contains(&self, class: usize) -> bool {
        match self {
            Accepts::Any => true,
            Accepts::Only(only) => class == *only,
            Accepts::AllBut(but) => class != *but,
            Accepts::Classes(bits) => bits[class / 64] >> (class % 64) & 1 == 1,
        }
    }
}

/// A step that a thread is ready to take, whether or not SC memory allows it now.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// Kind.
    pub kind: AttemptKind,
    /// Location.
    pub loc: LocId,
    /// Order.
    pub mode: Mode,
    /// For reads and read-modify-writes, the values the thread can go on with.
    pub accepts: Accepts<'a>,
}

/// An SC step on an atomic location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Kind.
    pub kind: AttemptKind,
    /// Location.
    pub loc: LocId,
    /// Order.
    pub mode: Mode,
    /// The class of the location's value before the step.
    pub current: usize,
}

/// A plain access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainKind {
    /// A load.
    Read,
    /// A store.
    Write,
}

/// How data races on non-atomic locations are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaceRule {
    /// Two conflicting plain accesses enabled at the same time.
    BothEnabled,
    /// The monitor knows which earlier accesses a thread is ordered after.
    Monitored,
}

/// Whose awareness of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// A thread's.
    Thread(ThreadId),
    /// That of a location's last write.
    Location(LocId),
}

/// Follows an SC run. States live in slots of a packed state.
///
/// Laws: equal states have equal futures; no state outside the slots. The
/// state is a function of the execution graph alone, so that steps which
/// commute in the graph commute here.
///
/// A method that changes the state makes each of its bits a constant, a conjunction of bits or a
/// disjunction of bits. Of a monitor that does not watch everything, each question that returns a
/// truth value is a conjunction of bits, the negation of one ([`Monitor::is_passed_on`]), or
/// composed of such as [`Monitor::aware`] says ([`Monitor::has_leaked`]). Monitors that watch the
/// same location in the same way and differ in the class of values treat steps at that class alike.
/// Devices rest on this: they get these conjunctions as masks.
pub trait Monitor: Sync {
    /// Writes the initial monitor state into its slots, all of which are 0.
    ///
    /// A monitor that watches one location may be started later: slots of 0, started, that see a
    /// write to the location are as if the monitor had been there from the beginning, because what
    /// is known of the watched writes starts anew with it.
    fn start(&self, state: &mut [u64]);

    /// An SC step of `thread` on an atomic location.
    fn step(&self, state: &mut [u64], thread: ThreadId, step: &Step);

    /// An SC step of `thread` that reads, and may be stale in the model, and whose value nothing
    /// depends on: the thread learns from it only what SC orders, not what the model would pass on
    /// (000, Fig. 5, TAINT-READ).
    fn tainted_read(&self, state: &mut [u64], thread: ThreadId, step: &Step);

    /// A fence of `thread` that is an event in this model.
    fn fence(&self, state: &mut [u64], thread: ThreadId, mode: Mode) {
        let _ = (state, thread, mode);
    }

    /// A plain access of `thread` to a non-atomic location; or, where one access is watched, the
    /// watched one. An atomic one is a step besides, right after this.
    fn plain(&self, state: &mut [u64], thread: ThreadId, loc: LocId, kind: PlainKind) {
        let _ = (state, thread, loc, kind);
    }

    /// How races are found.
    fn races(&self) -> RaceRule {
        RaceRule::BothEnabled
    }

    /// Under [`RaceRule::Monitored`]: does the plain access race with an earlier one?
    fn is_race(&self, state: &[u64], thread: ThreadId, loc: LocId, kind: PlainKind) -> bool {
        let _ = (state, thread, loc, kind);
        false
    }

    /// Under [`RaceRule::Monitored`], where one access to `loc` is watched: is an atomic access of
    /// `thread` to it, which acquires or does not, not ordered after the watched one?
    fn is_unordered(&self, state: &[u64], thread: ThreadId, loc: LocId, acquires: bool) -> bool {
        let _ = (state, thread, loc, acquires);
        false
    }

    /// For a monitor of [`Watch::Plain`] under [`RaceRule::Monitored`]: `thread` reads, in this
    /// order, a write that need not be the last one. Does that one pass on the watched access, as
    /// [`Monitor::is_passed_on`] says of the last one?
    fn stale_read(&self, state: &mut [u64], thread: ThreadId, mode: Mode, passes_on: bool) {
        let _ = (state, thread, mode, passes_on);
    }

    /// For a monitor that does not watch everything: is the watched write, as far as the model
    /// goes, still there for `thread`? Once it is not, it never is again.
    fn is_within_reach(&self, state: &[u64], thread: ThreadId) -> bool;

    /// For a monitor that does not watch everything: does a thread that acquires from the last
    /// write of `loc` have the watched write out of reach afterwards?
    fn is_passed_on(&self, state: &[u64], loc: LocId) -> bool;

    /// For a monitor that watches one location: is some thread, or some location's last write,
    /// hb_SC-aware of the write that is followed, but not, in the model, of any write that puts the
    /// watched one out of reach? Only then can a violation follow without one of [`Monitor`]'s
    /// steps that order more in SC than in the model.
    fn has_leaked(&self, state: &[u64]) -> bool;

    /// What [`Monitor::has_leaked`] asks about: whose awareness each bit is, one for every thread
    /// and every atomic location. It has leaked if one of these bits is set, and the watched write is
    /// within reach of the thread, or not passed on by the location.
    fn aware(&self) -> Vec<(Row, Whose)>;

    /// The slots that belong to `thread`; those of another thread correspond to them one by one.
    fn rows(&self, thread: ThreadId) -> Vec<Row>;

    /// Could the model take the attempted step with a predecessor write that
    /// SC forbids, leaving the SC executions?
    fn violated(&self, state: &[u64], thread: ThreadId, attempt: &Attempt<'_>) -> bool;
}
