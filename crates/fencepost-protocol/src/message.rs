//! What the runtime tells, in the order in which it is first told.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::door::Mismatch;
use crate::wire::{self, Malformed, Tree, Wire, choice, structure};
use crate::{Action, Key, Options, Order, VERSION};

choice! {
    /// One line from the runtime.
    Message by "ev" {
        /// The process begins to talk.
        "start" => Start(Start),
        /// What is mapped where, when that has changed.
        "modules" => Modules(Modules),
        /// A thread that has a name, or that the next report is about.
        "thread" => Thread(Thread),
        /// A spin loop was recognised.
        "spin" => Spin(Spin),
        /// A finding.
        "report" => Report(Report),
        /// An access has used an overwritten value, as it was asked to.
        "provoked" => Provoked(Provoked),
        /// Something has gone wrong after that.
        "failure" => Failure(Failure),
        /// Something the user should know.
        "note" => Note(Note),
        /// All threads of the program wait, and it is ended.
        "deadlock" => Deadlock(Deadlock),
        /// Figures at the end.
        "summary" => Summary(Figures),
        /// The program ends in an orderly way, and waits for an [`ExitCode`](crate::ExitCode).
        "end" => End(End),
    }
}

impl Message {
    /// Writes the message as a line.
    pub fn write_line(&self, to: &mut dyn fmt::Write) -> fmt::Result {
        self.write(to)?;
        to.write_char('\n')
    }

    /// Reads the value of a line.
    pub fn read_line(value: &impl Tree) -> Result<Message, Unreadable> {
        // Of another version nothing else can be relied on. Before there were versions, there was
        // none.
        if value.field("ev").as_ref().and_then(Tree::text) == Some("start") {
            let program = value.field("protocol").as_ref().and_then(Tree::number).unwrap_or(1);
            if program != u64::from(VERSION) {
                return Err(Unreadable::Foreign(Mismatch { program }));
            }
        }
        let whole = Malformed { field: "ev", expected: Self::EXPECTED };
        Message::read(value).map_err(|inside| Unreadable::Malformed(inside.unwrap_or(whole)))
    }
}

/// Why a line is not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It is the first of a process that does not speak our version.
    Foreign(Mismatch),
    /// It is no message.
    Malformed(Malformed),
}

structure! {
    /// The process begins to talk.
    #[derive(Default)]
    Start {
        /// The [`VERSION`] of what follows.
        protocol: u64,
        /// The process.
        pid: u64,
        /// The file it was started from.
        exe: String,
        /// Its command line.
        argv: Vec<String>,
        /// The options that were given and understood.
        options: Vec<(String, String)>,
    }
}

impl Start {
    /// The options in force.
    pub fn options(&self) -> Options {
        let mut options = Options::DEFAULT;
        for (name, value) in &self.options {
            // What is not understood was not given, or comes from nowhere.
            let _understood = Key::named(name).is_some_and(|key| options.set(key, value));
        }
        options
    }

    /// An option as it was given; the last one counts.
    pub fn given(&self, key: Key) -> Option<&str> {
        self.options.iter().rev().find(|(name, _)| name == key.name()).map(|(_, value)| value.as_str())
    }
}

structure! {
    /// Everything that is mapped from files.
    Modules {
        /// One entry per loaded range.
        list: Vec<Module>,
    }
}

structure! {
    /// A range of a file that is mapped into the program.
    Module {
        /// The file.
        path: String,
        /// What to subtract from an address to find it in the file.
        bias: u64,
        /// First address.
        start: u64,
        /// First address after it.
        end: u64,
    }
}

structure! {
    /// A thread of the program.
    Thread {
        /// Its number; the main thread has 1.
        tid: u64,
        /// Who created it.
        parent: u64,
        /// Its name, if it has one.
        name: Option<String>,
        /// Where: return addresses, innermost first, as in all stacks.
        stack: Vec<u64>,
    }
}

structure! {
    /// A value that keeps a loop spinning.
    Spin {
        /// Where it is read.
        stack: Vec<u64>,
        /// The value.
        value: u64,
    }
}

structure! {
    /// A violation or a race.
    Report {
        /// The thread whose access it is.
        tid: u64,
        /// The accessed address.
        addr: u64,
        /// The accessed bytes.
        size: u64,
        /// What the access does.
        op: Action,
        /// Where.
        stack: Vec<u64>,
        /// What is at the address.
        memory: Memory,
        /// What is wrong with it.
        found: Found,
    }
}

choice! {
    /// What a report is about.
    Found by "kind" {
        /// An access that could use an overwritten value.
        "robustness" => Robustness(Robustness),
        /// Two conflicting accesses, not ordered by happens-before.
        "race" => Race(Race),
    }
}

structure! {
    /// An access that could use an overwritten value.
    Robustness {
        /// The order of the access.
        order: Order,
        /// The order of a compare-and-swap that fails.
        failure: Option<Order>,
        /// What a compare-and-swap expects.
        expected: Option<u64>,
        /// When, on the clock of the record.
        time: u64,
        /// The write that it may miss.
        newest: Write,
        /// The writes that it may use instead, oldest first.
        stale: Vec<Write>,
        /// There may be older ones that were forgotten.
        cut: bool,
        /// The record is whole up to here.
        complete: bool,
    }
}

structure! {
    /// A write that an access may miss, or use.
    Write {
        /// What was written.
        value: u64,
        /// By whom, and how; none for the initial value.
        by: Option<Writer>,
    }
}

structure! {
    /// How something was written.
    Writer {
        /// By whom; 0 if that is forgotten.
        tid: u64,
        /// What the access did.
        op: Action,
        /// Its order.
        order: Order,
        /// Where.
        stack: Vec<u64>,
    }
}

structure! {
    /// The other access of a race, the earlier one.
    Race {
        /// What it did.
        op: Action,
        /// Whose.
        tid: u64,
        /// Its address.
        addr: u64,
        /// Its bytes.
        size: u64,
        /// Where.
        stack: Vec<u64>,
        /// Where the race is in the record, if that is whole so far.
        moment: Option<Moment>,
    }
}

structure! {
    /// Where a race is in the record, which has no plain accesses.
    Moment {
        /// When the later access was made, on the clock of the record.
        time: u64,
        /// The epoch of its thread in which the earlier one was made, the first one being 0. Epochs
        /// end with whatever can be released: after each write that is recorded, be it relaxed.
        epoch: u64,
    }
}

choice! {
    /// What is at an address, as far as the runtime knows.
    Memory by "kind" {
        /// A block from the allocator.
        "heap" => Heap(Heap),
        /// A thread's stack.
        "stack" => Stack(Stack),
        /// Anything else: a global variable, if there is one.
        "unknown" => Unknown(Unknown),
    }
}

structure! {
    /// A block from the allocator.
    Heap {
        /// Where it starts.
        base: u64,
        /// How long it is.
        size: u64,
        /// Who allocated it.
        tid: u64,
        /// Where.
        stack: Vec<u64>,
    }
}

structure! {
    /// A thread's stack.
    Stack {
        /// Whose.
        tid: u64,
    }
}

structure! {
    /// Nothing is known.
    Unknown {}
}

structure! {
    /// An access has used an overwritten value. From here on the run is one of the model, not one
    /// under sequential consistency.
    Provoked {
        /// What the access could use.
        report: Report,
        /// What it has used.
        used: Write,
    }
}

structure! {
    /// The program fails.
    Failure {
        /// Which thread.
        tid: u64,
        /// Where.
        stack: Vec<u64>,
        /// How.
        failed: Failed,
    }
}

choice! {
    /// How a program fails.
    Failed by "kind" {
        /// An assertion does not hold.
        "assertion" => Assertion(Assertion),
        /// A signal ends it.
        "signal" => Signal(Signal),
    }
}

structure! {
    /// An assertion of the program.
    Assertion {
        /// What it says.
        text: String,
        /// The source file.
        file: String,
        /// The line in it.
        line: u64,
    }
}

structure! {
    /// A signal that ends the program.
    Signal {
        /// Its number.
        number: u64,
    }
}

structure! {
    /// Something the user should know.
    Note {
        /// What.
        text: String,
    }
}

structure! {
    /// All threads wait.
    Deadlock {
        /// Which thread for what.
        waiting: Vec<Waiting>,
    }
}

structure! {
    /// A thread that waits.
    Waiting {
        /// Which thread.
        tid: u64,
        /// What it waits for.
        awaited: Awaited,
    }
}

choice! {
    /// What a thread waits for.
    Awaited by "kind" {
        /// A lock, a condition or the like.
        "object" => Object(Place),
        /// Another value.
        "value" => Value(Place),
        /// The end of a thread.
        "thread" => Thread(Ending),
        /// Nobody knows.
        "unknown" => Unknown(Unknown),
    }
}

structure! {
    /// A place in memory.
    Place {
        /// Its address.
        addr: u64,
    }
}

structure! {
    /// A thread whose end is waited for.
    Ending {
        /// Which one.
        tid: u64,
    }
}

structure! {
    /// What was done, in numbers.
    #[derive(Copy, Default, Eq)]
    Figures {
        /// Atomic accesses checked.
        accesses: u64,
        /// Fences.
        fences: u64,
        /// Atomic locations.
        locations: u64,
        /// Windows of stale writes cut by the bounded history.
        cut: u64,
        /// Writes to atomic locations that were not seen.
        out_of_sight: u64,
        /// Threads.
        threads: u64,
        /// Switches between threads by a controlled schedule.
        switches: u64,
        /// Steps at which a controlled schedule could switch.
        steps: u64,
        /// Atomic accesses that overlap others of another size.
        mixed_size: u64,
    }
}

structure! {
    /// The program ends in an orderly way.
    #[derive(Copy, Eq)]
    End {
        /// Its exit status, as an unsigned number of 32 bits.
        status: u64,
    }
}

/// Bytes of the longest line that says that the program ends.
pub const END_LENGTH: usize = 64;
