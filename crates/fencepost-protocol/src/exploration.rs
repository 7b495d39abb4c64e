//! How every schedule of a test is explored: what the explorer asks of one run, and what the run
//! says that it has done.
//!
//! The program is started once, with a socket and a memory file that [`Place`] names in its
//! environment. Its runtime does not go on to the program then. It waits for a byte on the socket,
//! makes a child that runs the program, waits for its end, and answers with the child's status as
//! the kernel tells it, in four bytes. So each run starts where the first one would have.
//!
//! The memory file has a [`Header`], a list of [`Decision`]s, a list of [`Sleeper`]s and a list of
//! [`Step`]s. The explorer fills in the first two lists before a run, the run fills in the third.

use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::CStr;
use core::fmt;
use core::mem::{offset_of, size_of};
use core::str::FromStr;

use crate::{Order, VERSION};

/// The variable of the environment that has the [`Place`].
pub const EXPLORATION: &CStr = c"FENCEPOST_EXPLORATION";

/// Where the two sides meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which version the explorer speaks.
    pub version: u8,
    /// The memory file.
    pub memory: i32,
    /// The socket.
    pub socket: i32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.version, self.memory, self.socket)
    }
}

impl Place {
    /// What the environment says; none if it is nothing that could be understood.
    pub fn read(text: &str) -> Option<Place> {
        let (version, rest) = text.split_once(':')?;
        let (memory, socket) = rest.split_once(':')?;
        Some(Place { version: version.parse().ok()?, memory: memory.parse().ok()?, socket: socket.parse().ok()? })
    }

    /// Does the explorer speak our version?
    pub const fn is_ours(&self) -> bool {
        self.version == VERSION
    }
}

/// Decisions that a run can be given.
pub const DECISIONS: usize = 1 << 16;
/// Sleepers that a run can be given.
pub const SLEEPERS: usize = 1 << 10;
/// Steps that a run can have.
pub const STEPS: usize = 1 << 17;
/// Different reports that a run can name.
pub const REPORTS: usize = 64;
/// Bytes of a note.
pub const NOTE: usize = 240;

/// Why a run is over, as bits.
pub mod end {
    /// The program has ended; [`Header::status`](super::Header::status) is its exit code.
    pub const EXITED: u32 = 1;
    /// Whatever could run next is asleep: this run is like another one.
    pub const REDUNDANT: u32 = 1 << 1;
    /// The last decision could not be carried out: the thread would have to wait.
    pub const INFEASIBLE: u32 = 1 << 2;
    /// No thread can go on, ever.
    pub const STUCK: u32 = 1 << 3;
    /// It had more steps than it may have.
    pub const TOO_LONG: u32 = 1 << 4;
    /// It did not follow the decisions, although an earlier run had done so.
    pub const DIVERGED: u32 = 1 << 5;
    /// An assumption of the test did not hold.
    pub const ASSUMED: u32 = 1 << 6;
    /// `main` was over, and no other thread could go on.
    pub const LEFT: u32 = 1 << 7;
}

/// What has to be said about a run, as bits.
pub mod remark {
    /// The process ended while other threads could still run.
    pub const OUTLIVED: u32 = 1;
    /// A history was too short, and was cut.
    pub const CUT: u32 = 1 << 1;
    /// A value was written out of sight.
    pub const OUT_OF_SIGHT: u32 = 1 << 2;
    /// A location was accessed with several sizes.
    pub const MIXED: u32 = 1 << 3;
    /// A loop whose rounds do something was to go round no further.
    pub const ROUNDS: u32 = 1 << 4;
    /// Something else, which the note says.
    pub const OTHER: u32 = 1 << 5;
    /// When the process was about to end, all other threads had come as far as they could.
    pub const ALONE: u32 = 1 << 6;
}

/// What is reported of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct Report {
    /// The same for the same accesses, reached in the same way.
    pub key: u64,
    /// After how many steps.
    pub steps: u32,
    /// 1 for a data race, 0 for a violation of robustness.
    pub is_race: u32,
}

/// The beginning of the memory file.
#[repr(C)]
pub struct Header {
    /// How many decisions there are. The explorer's, like the next five.
    pub decisions: u32,
    /// How many sleepers there are.
    pub sleepers: u32,
    /// How many steps the run may have.
    pub most_steps: u32,
    /// How often a thread may be in the same state again after it has changed something; as often as
    /// it likes if this is the greatest number.
    pub rounds: u32,
    /// Do accesses find what the decisions say, and not what memory has? Then not 0.
    pub weak: u32,
    /// May one access use an overwritten write? Then not 0, and the writes are ways that its step
    /// can go, from 1 on.
    pub stale: u32,
    /// How many steps there are. The run's, like what follows.
    pub steps: u32,
    /// The process that runs.
    pub process: i32,
    /// Why the run is over: of [`end`].
    pub end: u32,
    /// Of [`remark`].
    pub remarks: u32,
    /// The exit code of the program.
    pub status: i32,
    /// How many reports there are; more than [`REPORTS`] are not named.
    pub reports: u32,
    /// Bytes of the note.
    pub note_length: u32,
    /// The number of the step that has used an overwritten write, from 1 on; 0 if none has.
    pub stale_step: u32,
    /// The number of the step that has made that write; 0 if it is the initial value.
    pub stale_source: u32,
    /// The report about the access: its [`Report::key`].
    pub stale_key: u64,
    /// What is reported.
    pub report: [Report; REPORTS],
    /// What else stands in the way of an exact answer.
    pub note: [u8; NOTE],
}

/// Who takes the next step, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(C)]
pub struct Decision {
    /// The thread.
    pub thread: u32,
    /// Which of the ways that the step can go; 0 if there is only one.
    pub choice: u32,
    /// Which write an access finds: see [`Decision::found`].
    pub write: u32,
}

/// The write is overwritten already when it is made.
const HIDDEN: u32 = 1 << 31;
/// The thread takes no step any more.
const HELD: u32 = 1 << 30;
/// The way that is taken is an overwritten write.
const STALE: u32 = 1 << 29;
/// Everything that is no number of a write.
const ALL_MARKS: u32 = HIDDEN | HELD | STALE;
/// The largest number of a write.
const LAST_WRITE: u32 = STALE - 2;

/// Which write an access finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// What memory has.
    Newest,
    /// The write with this number among those that this run has made to the location; 0 is the
    /// initial value.
    Write(u32),
}

impl Decision {
    /// The thread goes on this way, as under SC.
    pub const fn new(thread: u32, choice: u32) -> Decision {
        Decision { thread, choice, write: 0 }
    }

    /// The same, and the access reads this write ([`Found::Write`]).
    #[must_use]
    pub const fn reading(self, write: u32) -> Decision {
        let write = if write > LAST_WRITE { LAST_WRITE } else { write };
        Decision { write: (self.write & ALL_MARKS) | (write + 1), ..self }
    }

    /// The same, and what is written is not last in modification order: memory stays as it is.
    #[must_use]
    pub const fn hidden(self) -> Decision {
        Decision { write: self.write | HIDDEN, ..self }
    }

    /// The thread takes no step any more.
    #[must_use]
    pub const fn held(self) -> Decision {
        Decision { write: self.write | HELD, ..self }
    }

    /// The same, and the way that is taken is an overwritten write, in a run that is SC otherwise.
    #[must_use]
    pub const fn stale(self) -> Decision {
        Decision { write: self.write | STALE, ..self }
    }

    /// Does it say what an access finds or what its write becomes, in a run that need not be SC?
    pub const fn is_weak(&self) -> bool {
        self.write & !STALE != 0
    }

    /// Is the way that is taken an overwritten write?
    pub const fn is_stale(&self) -> bool {
        self.write & STALE != 0
    }

    /// Which write the access finds.
    pub const fn found(&self) -> Found {
        match self.write & !ALL_MARKS {
            0 => Found::Newest,
            number => Found::Write(number - 1),
        }
    }

    /// Is what is written overwritten already?
    pub const fn is_hidden(&self) -> bool {
        self.write & HIDDEN != 0
    }

    /// Does the thread take no step any more?
    pub const fn is_held(&self) -> bool {
        self.write & HELD != 0
    }
}

/// A way to take a step that need not be taken before something happens that it depends on: what
/// follows if it comes first is explored elsewhere. A thread all of whose ways sleep need not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Sleeper {
    /// What the step touches.
    pub object: u64,
    /// What it gives back, besides: see [`Step::also`].
    pub also: u64,
    /// The thread.
    pub thread: u32,
    /// What the step does.
    pub kind: Kind,
    /// Which way.
    pub choice: u8,
    /// Has something happened? Then it is not asleep any more, while other ways may be.
    pub is_awake: bool,
    /// Does it use an overwritten write? There is only one such step in a run.
    pub is_stale: bool,
}

impl Sleeper {
    /// This step of a thread, which was taken.
    pub const fn of(thread: u32, step: &Step) -> Sleeper {
        let (object, also, kind, choice) = (step.object, step.also, step.kind, step.choice as u8);
        let is_stale = step.stale & stale::OFFERED != 0 && choice > 0;
        Sleeper { object, also, thread, kind, choice, is_awake: false, is_stale }
    }

    /// The same, if it is taken in another state.
    pub const fn expected(thread: u32, step: &Step) -> Sleeper {
        let kind = if step.flags & flag::TRIED != 0 { Kind::Update } else { step.kind };
        Sleeper { kind, ..Sleeper::of(thread, step) }
    }
}

/// Those wake up who depend on this step.
pub fn wake(sleepers: &mut Vec<Sleeper>, step: &Step) {
    // After a step that uses an overwritten write, there is no other one.
    let is_over = step.has_used_stale();
    sleepers.retain(|sleeper| sleeper.thread != step.thread && !(is_over && sleeper.is_stale));
    for sleeper in sleepers {
        let gives_back = sleeper.also != 0 && sleeper.also == step.object && Kind::Unlock.conflicts(step.kind);
        sleeper.is_awake |= gives_back || sleeper.object == step.object && sleeper.kind.conflicts(step.kind);
    }
}

/// Need the thread not run?
pub fn sleeps(sleepers: &[Sleeper], thread: u32) -> bool {
    let mut own = sleepers.iter().filter(|sleeper| sleeper.thread == thread).peekable();
    own.peek().is_some() && own.all(|sleeper| !sleeper.is_awake)
}

/// Need the thread not go this way?
pub fn sleeps_in(sleepers: &[Sleeper], decision: Decision) -> bool {
    let Decision { thread, choice, .. } = decision;
    let mut own = sleepers.iter().filter(|sleeper| sleeper.thread == thread && u32::from(sleeper.choice) == choice);
    own.any(|sleeper| !sleeper.is_awake)
}

/// The first way that a thread can go that does not sleep.
pub fn first_way(sleepers: &[Sleeper], thread: u32) -> u32 {
    let own = sleepers.iter().filter(|sleeper| sleeper.thread == thread && sleeper.is_awake);
    own.map(|sleeper| u32::from(sleeper.choice)).min().unwrap_or(0)
}

/// What a step does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A thread begins, or goes on after it was woken.
    #[default]
    GoOn = 0,
    /// A location is read.
    Read = 1,
    /// A location is written.
    Write = 2,
    /// A location is read and written.
    Update = 3,
    /// Something is done with a lock, a semaphore, …
    Object = 4,
    /// A lock is taken.
    Lock = 5,
    /// A lock is given back.
    Unlock = 6,
    /// A thread is created.
    Spawn = 7,
    /// A thread is waited for, whose number is the object.
    Join = 8,
    /// One of several ways is taken.
    Choice = 9,
    /// A fence.
    Fence = 10,
}

impl Kind {
    /// All of them, by number.
    pub const ALL: [Kind; 11] = [
        Kind::GoOn,
        Kind::Read,
        Kind::Write,
        Kind::Update,
        Kind::Object,
        Kind::Lock,
        Kind::Unlock,
        Kind::Spawn,
        Kind::Join,
        Kind::Choice,
        Kind::Fence,
    ];

    /// Does it matter in which order steps of these two kinds touch the same object?
    pub const fn conflicts(self, other: Kind) -> bool {
        match (self, other) {
            (Kind::Read, Kind::Read) => false,
            _ => self.touches() && other.touches(),
        }
    }

    /// Does it touch an object that other threads touch, too?
    pub const fn touches(self) -> bool {
        match self {
            Kind::Read | Kind::Write | Kind::Update | Kind::Object | Kind::Lock | Kind::Unlock | Kind::Spawn => true,
            Kind::GoOn | Kind::Join | Kind::Choice | Kind::Fence => false,
        }
    }
}

/// Of a step: bits.
pub mod flag {
    /// Somebody decided who takes it. Other steps follow from the one before.
    pub const DECIDED: u8 = 1;
    /// The thread was about to take it when the run came to its end.
    pub const PENDING: u8 = 1 << 1;
    /// It has succeeded: a compare-and-swap.
    pub const SUCCESS: u8 = 1 << 2;
    /// It could not be taken before others had done something.
    pub const WAITS: u8 = 1 << 3;
    /// It has only read, and could have written: a compare-and-swap.
    pub const TRIED: u8 = 1 << 4;
    /// It writes only if it finds what it expects.
    pub const COMPARES: u8 = 1 << 5;
    /// It waits until it finds what it expects, or if it [`DIFFERS`], anything else.
    pub const AWAITS: u8 = 1 << 6;
    /// See [`AWAITS`].
    pub const DIFFERS: u8 = 1 << 7;
}

/// Of a step that could use an overwritten write: bits.
pub mod stale {
    /// Its ways, from 1 on, are overwritten writes.
    pub const OFFERED: u8 = 1;
    /// It has used one.
    pub const USED: u8 = 1 << 1;
}

/// What an object is that is no location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Class {
    /// Something that waits in the kernel, or whose operations are not seen.
    #[default]
    Futex = 0,
    /// A mutex, or a spin lock.
    Mutex = 1,
    /// A lock for readers and writers.
    ReadWriteLock = 2,
    /// A condition variable.
    Condition = 3,
    /// A semaphore.
    Semaphore = 4,
    /// A barrier.
    Barrier = 5,
    /// What is done once.
    Once = 6,
}

impl Class {
    /// All of them, by number.
    pub const ALL: [Class; 7] = [
        Class::Futex,
        Class::Mutex,
        Class::ReadWriteLock,
        Class::Condition,
        Class::Semaphore,
        Class::Barrier,
        Class::Once,
    ];
}

/// What a thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Step {
    /// The location or object; the other thread if one is created or waited for.
    pub object: u64,
    /// A mutex that is given back in the same step, or 0: the step of its own that says so follows.
    pub also: u64,
    /// What was read; of an object, the state that it was in.
    pub read: u64,
    /// What was written, or would have been; of an object, the state that it is in now.
    pub written: u64,
    /// What it expects to find, if it compares.
    pub expected: u64,
    /// Where in the code: a return address.
    pub pc: u64,
    /// Who could have taken a step instead, and who has taken it, as bits by number.
    pub enabled: u64,
    /// Who.
    pub thread: u32,
    /// The number of the step, from 1 on, that has made this one possible; 0 if none has.
    pub after: u32,
    /// Which way it took …
    pub choice: u32,
    /// … of so many, if there are several.
    pub choices: u32,
    /// From which parts of the object the thread has acquired what others released there, as bits:
    /// a barrier has one for each round, a lock for readers and writers has one for readers.
    pub acquires: u32,
    /// To which parts it has released what it knows.
    pub releases: u32,
    /// In which of these that replaces what was released there before.
    pub replaces: u32,
    /// What the object is.
    pub class: Class,
    /// What.
    pub kind: Kind,
    /// Its memory order.
    pub order: Order,
    /// The order of a compare-and-swap that fails.
    pub failure: Order,
    /// Bytes of the location.
    pub size: u8,
    /// Of [`flag`].
    pub flags: u8,
    /// Of [`stale`].
    pub stale: u8,
    /// Does the thread only go on after a round of a loop in vain? Then not 0, and it has accessed
    /// nothing: what it is said to do is what it did last.
    pub idle: u8,
    /// No meaning.
    pub padding: [u8; 4],
}

impl Step {
    /// A step of this kind.
    pub const fn new(kind: Kind, object: u64) -> Step {
        Step {
            object,
            also: 0,
            read: 0,
            written: 0,
            expected: 0,
            pc: 0,
            enabled: 0,
            thread: 0,
            after: 0,
            choice: 0,
            choices: 0,
            acquires: 0,
            releases: 0,
            replaces: 0,
            class: Class::Futex,
            kind,
            order: Order::Relaxed,
            failure: Order::Relaxed,
            size: 0,
            flags: 0,
            stale: 0,
            idle: 0,
            padding: [0; 4],
        }
    }

    /// A step of this kind, which uses an object of this class.
    pub const fn of_object(kind: Kind, class: Class, object: u64) -> Step {
        Step { class, ..Step::new(kind, object) }
    }

    /// Was somebody chosen to take it?
    pub const fn is_decided(&self) -> bool {
        self.flags & flag::DECIDED != 0
    }

    /// Could this thread have taken a step here? Of thread 64 and those that follow it is not known.
    pub const fn enables(&self, thread: u32) -> bool {
        thread < u64::BITS && self.enabled & (1 << thread) != 0
    }

    /// Has it used an overwritten write?
    pub const fn has_used_stale(&self) -> bool {
        self.stale & stale::USED != 0
    }

    /// Did it have to wait for others?
    pub const fn waits(&self) -> bool {
        self.flags & flag::WAITS != 0
    }

    /// Was it not taken before the run came to its end?
    pub const fn is_pending(&self) -> bool {
        self.flags & flag::PENDING != 0
    }
}

/// Where the lists begin in the memory file, and its size.
pub mod at {
    use super::{DECISIONS, Decision, Header, SLEEPERS, STEPS, Sleeper, Step, size_of};

    /// [`Decision`]s.
    pub const DECISION: usize = (size_of::<Header>()).next_multiple_of(64);
    /// [`Sleeper`]s.
    pub const SLEEPER: usize = DECISION + DECISIONS * size_of::<Decision>();
    /// [`Step`]s.
    pub const STEP: usize = SLEEPER + SLEEPERS * size_of::<Sleeper>();
    /// The end.
    pub const END: usize = STEP + STEPS * size_of::<Step>();
}

/// What the explorer asks of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Who takes the first steps.
    pub decisions: Vec<Decision>,
    /// Who need not run after them.
    pub sleepers: Vec<Sleeper>,
    /// See [`Header::most_steps`].
    pub most_steps: u32,
    /// See [`Header::rounds`].
    pub rounds: u32,
    /// See [`Header::weak`].
    pub weak: bool,
    /// See [`Header::stale`].
    pub stale: bool,
}

/// Bytes to be written at a place of the memory file.
pub type Part = (usize, Vec<u8>);

impl Request {
    /// What is to be written to the memory file; none if there are too many decisions or sleepers.
    pub fn write(&self) -> Option<[Part; 3]> {
        if self.decisions.len() > DECISIONS || self.sleepers.len() > SLEEPERS {
            return None;
        }
        let counts = [self.decisions.len() as u32, self.sleepers.len() as u32];
        let [weak, stale] = [self.weak, self.stale].map(u32::from);
        let words = [counts[0], counts[1], self.most_steps.min(STEPS as u32), self.rounds, weak, stale];
        let mut header: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        // What the run before has said.
        header.resize(offset_of!(Header, report), 0);
        let decision = |decision: &Decision| {
            [decision.thread, decision.choice, decision.write]
                .into_iter()
                .flat_map(u32::to_le_bytes)
                .collect::<Vec<u8>>()
        };
        let sleeper = |sleeper: &Sleeper| {
            let mut bytes = sleeper.object.to_le_bytes().to_vec();
            bytes.extend(sleeper.also.to_le_bytes());
            bytes.extend(sleeper.thread.to_le_bytes());
            bytes.extend([sleeper.kind as u8, sleeper.choice, u8::from(sleeper.is_awake), u8::from(sleeper.is_stale)]);
            bytes
        };
        Some([
            (0, header),
            (at::DECISION, self.decisions.iter().flat_map(decision).collect()),
            (at::SLEEPER, self.sleepers.iter().flat_map(sleeper).collect()),
        ])
    }
}

/// What a run has said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// How many steps there are, in the list at [`at::STEP`].
    pub steps: usize,
    /// See [`Header::process`].
    pub process: i32,
    /// See [`Header::end`].
    pub end: u32,
    /// See [`Header::remarks`].
    pub remarks: u32,
    /// See [`Header::status`].
    pub status: i32,
    /// What is reported, as far as it is named.
    pub reports: Vec<Report>,
    /// Was more reported?
    pub has_more: bool,
    /// See [`Header::note`].
    pub note: String,
    /// The step that has used an overwritten write, if any.
    pub stale: Option<Stale>,
}

/// A step that has used an overwritten write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stale {
    /// Its number, from 1 on.
    pub step: u32,
    /// The number of the step that has made the write; none if it is the initial value.
    pub source: Option<u32>,
    /// See [`Header::stale_key`].
    pub key: u64,
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

impl Answer {
    /// What these bytes say, the first [`at::DECISION`] of the memory file; none if they are too
    /// few.
    pub fn read(bytes: &[u8]) -> Option<Answer> {
        let count = word(bytes, offset_of!(Header, reports))? as usize;
        let report = |number: usize| {
            let from = offset_of!(Header, report) + number * size_of::<Report>();
            Some(Report {
                key: long(bytes, from + offset_of!(Report, key))?,
                steps: word(bytes, from + offset_of!(Report, steps))?,
                is_race: word(bytes, from + offset_of!(Report, is_race))?,
            })
        };
        let length = (word(bytes, offset_of!(Header, note_length))? as usize).min(NOTE);
        let note = bytes.get(offset_of!(Header, note)..)?.get(..length)?;
        let stale = Stale {
            step: word(bytes, offset_of!(Header, stale_step))?,
            source: word(bytes, offset_of!(Header, stale_source)).filter(|&source| source != 0),
            key: long(bytes, offset_of!(Header, stale_key))?,
        };
        Some(Answer {
            steps: (word(bytes, offset_of!(Header, steps))? as usize).min(STEPS),
            process: word(bytes, offset_of!(Header, process))? as i32,
            end: word(bytes, offset_of!(Header, end))?,
            remarks: word(bytes, offset_of!(Header, remarks))?,
            status: word(bytes, offset_of!(Header, status))? as i32,
            reports: (0..count.min(REPORTS)).map(report).collect::<Option<_>>()?,
            has_more: count > REPORTS,
            note: String::from_utf8_lossy(note).into_owned(),
            stale: (stale.step != 0).then_some(stale),
        })
    }
}

impl Step {
    /// Bytes of a step.
    pub const SIZE: usize = size_of::<Step>();

    /// What these bytes say; none if they are no step.
    pub fn read(bytes: &[u8]) -> Option<Step> {
        let byte = |at: usize| bytes.get(at).copied();
        let order = |at| Order::ALL.get(usize::from(byte(at)?)).copied();
        Some(Step {
            object: long(bytes, offset_of!(Step, object))?,
            also: long(bytes, offset_of!(Step, also))?,
            read: long(bytes, offset_of!(Step, read))?,
            written: long(bytes, offset_of!(Step, written))?,
            expected: long(bytes, offset_of!(Step, expected))?,
            pc: long(bytes, offset_of!(Step, pc))?,
            enabled: long(bytes, offset_of!(Step, enabled))?,
            thread: word(bytes, offset_of!(Step, thread))?,
            after: word(bytes, offset_of!(Step, after))?,
            choice: word(bytes, offset_of!(Step, choice))?,
            choices: word(bytes, offset_of!(Step, choices))?,
            acquires: word(bytes, offset_of!(Step, acquires))?,
            releases: word(bytes, offset_of!(Step, releases))?,
            replaces: word(bytes, offset_of!(Step, replaces))?,
            class: *Class::ALL.get(usize::from(byte(offset_of!(Step, class))?))?,
            kind: *Kind::ALL.get(usize::from(byte(offset_of!(Step, kind))?))?,
            order: order(offset_of!(Step, order))?,
            failure: order(offset_of!(Step, failure))?,
            size: byte(offset_of!(Step, size))?,
            flags: byte(offset_of!(Step, flags))?,
            stale: byte(offset_of!(Step, stale))?,
            idle: byte(offset_of!(Step, idle))?,
            padding: [0; 4],
        })
    }
}

/// Decisions as text: `1x12.2.1:3x2` is thread 1 twelve times, thread 2, thread 1 twice the third
/// way (from 0 on). In a run that is not SC, `2@3` is thread 2, which reads the third write to the
/// location; `2!` is thread 2, whose write is overwritten already; `2?` is thread 2, which takes no
/// step any more. In a run that is SC but for one step, `2:1~` is thread 2, whose access uses the
/// oldest of the overwritten writes that it can use (`2:2~`: the next one).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decisions(pub Vec<Decision>);

/// What is said about a decision by one character.
const MARKS: [(char, u32); 3] = [('!', HIDDEN), ('?', HELD), ('~', STALE)];

impl fmt::Display for Decisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, equal) in self.0.chunk_by(|one, other| one == other).enumerate() {
            let separator = if number > 0 { "." } else { "" };
            write!(f, "{separator}{}", equal[0].thread)?;
            if equal[0].choice > 0 {
                write!(f, ":{}", equal[0].choice)?;
            }
            if let Found::Write(number) = equal[0].found() {
                write!(f, "@{number}")?;
            }
            for (mark, _) in MARKS.into_iter().filter(|(_, bit)| equal[0].write & bit != 0) {
                write!(f, "{mark}")?;
            }
            if equal.len() > 1 {
                write!(f, "x{}", equal.len())?;
            }
        }
        Ok(())
    }
}

impl FromStr for Decisions {
    /// What was expected.
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "decisions are written as in `1x12.2.1:3x2`";
        let mut all = Vec::new();
        for part in text.split('.').filter(|_| !text.is_empty()) {
            let (decision, times) = part.split_once('x').unwrap_or((part, "1"));
            let number = |text: &str| text.parse::<u32>().map_err(|_| EXPECTED);
            let times = number(times)? as usize;
            let (mut decision, mut marks) = (decision, 0);
            for (mark, bit) in MARKS.into_iter().rev() {
                if let Some(rest) = decision.strip_suffix(mark) {
                    (decision, marks) = (rest, marks | bit);
                }
            }
            let (decision, write) = match decision.split_once('@') {
                Some((decision, write)) => (decision, Some(number(write)?)),
                None => (decision, None),
            };
            let (thread, choice) = decision.split_once(':').unwrap_or((decision, "0"));
            let mut decision = Decision::new(number(thread)?, number(choice)?);
            if let Some(write) = write {
                decision = decision.reading(write);
            }
            decision.write |= marks;
            if all.len() + times > DECISIONS {
                return Err("these are too many decisions");
            }
            all.extend(core::iter::repeat_n(decision, times));
        }
        Ok(Decisions(all))
    }
}

// Both sides map the same bytes.
const _: () = assert!(size_of::<Step>() == 96 && size_of::<Sleeper>() == 24 && at::STEP.is_multiple_of(8));

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use alloc::vec::Vec;

    use super::{Decision, Decisions, Kind, Place};
    use crate::VERSION;

    #[test]
    fn places_are_read_as_they_are_written() {
        let place = Place { version: VERSION, memory: 7, socket: 8 };
        assert_eq!(Place::read(&place.to_string()), Some(place));
        for nonsense in ["", "4", "4:5", "4:x:1", "300:1:1"] {
            assert_eq!(Place::read(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn decisions_are_read_as_they_are_written() {
        let all = [(1, 0), (1, 0), (2, 0), (1, 3), (1, 3), (10, 0)];
        let all: Vec<Decision> = all.into_iter().map(|(thread, choice)| Decision::new(thread, choice)).collect();
        let text = Decisions(all.clone()).to_string();
        assert_eq!(text, "1x2.2.1:3x2.10");
        assert_eq!(text.parse(), Ok(Decisions(all)));
        assert_eq!("".parse(), Ok(Decisions::default()));
        let decision = Decision::new(2, 0);
        let weak = [decision.reading(0), decision.reading(7).hidden(), decision.hidden(), decision.held()];
        let weak = Decisions([weak.as_slice(), &[decision; 2]].concat());
        assert_eq!(weak.to_string(), "2@0.2@7!.2!.2?.2x2");
        assert_eq!(weak.to_string().parse(), Ok(weak));
        let stale = Decisions([decision, Decision::new(2, 3).stale()].into());
        assert_eq!((stale.to_string().as_str(), stale.to_string().parse()), ("2.2:3~", Ok(stale.clone())));
        assert_eq!(
            stale.0.iter().map(|one| (one.is_weak(), one.is_stale())).collect::<Vec<_>>(),
            [(false, false), (false, true)]
        );
        for wrong in ["1@", "1@x", "1!!", "x", "1.", "1x", "1:x2", "-1", "1x4000000000", "1x70000"] {
            assert!(wrong.parse::<Decisions>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn conflicts_have_no_direction() {
        for one in Kind::ALL {
            for other in Kind::ALL {
                assert_eq!(one.conflicts(other), other.conflicts(one));
            }
        }
    }
}
