//! Findings in runs of compiled programs.

use std::fmt;
use std::path::Path;

use crate::Trials;

/// A run in which it could be seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// The process.
    pub pid: u64,
    /// The overwritten values that the access may take for the newest, oldest first.
    pub stale: Vec<Operation>,
    /// There may be more, which the bounded history has forgotten.
    pub cut: bool,
    /// What is accessed.
    pub memory: Memory,
    /// Where the threads were created.
    pub threads: Vec<Creation>,
    /// How the missed write comes before the access in every SC order, or in a race the earlier
    /// access before the later one: the steps that do not synchronise. Empty if not known.
    pub links: Vec<Link>,
    /// A race: nothing in the run leads from the one access to the other, so that no order is too
    /// weak. A lock is missing, or an atomic variable.
    pub unguarded: bool,
    /// Who waits for what, in a deadlock.
    pub waiting: Vec<Waiting>,
    /// What to change.
    pub advice: Option<Advice>,
    /// How to see it again.
    pub reproduce: Reproduce,
    /// Runs in which it was provoked, if there were any.
    pub trials: Option<Trials>,
    /// What it was seen after, if only after an access that was provoked: a sentence.
    pub follows: Option<String>,
    /// The file with a picture of it, if it was drawn.
    pub picture: Option<String>,
    /// The test that the access was made in, if a test library has called it.
    pub test: Option<String>,
}

/// A place in a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The function, demangled.
    pub function: Option<String>,
    /// The source file.
    pub file: Option<String>,
    /// The line in it; none if unknown.
    pub line: Option<u32>,
    /// The column; none if unknown.
    pub column: Option<u32>,
    /// The file that holds the code.
    pub module: String,
    /// Where in it.
    pub offset: u64,
    /// Does the function only wrap what is done here? Then the next frame is to blame.
    pub wrapper: bool,
}

/// Parts of paths of code that nobody wants to hear about: atomics of the languages' own libraries,
/// and our header.
const LIBRARY_PATHS: &[&str] = &[
    "/fencepost.h",
    "/bits/atomic_wait.h",
    "/bits/atomic_timed_wait.h",
    "/include/c++/",
    "/stdatomic.h",
    "/boost/atomic/",
    "/library/core/src/",
    "/library/std/src/",
    "/library/alloc/src/",
    "/library/test/src/",
    "/library/panic_unwind/src/",
    "/library/std_detect/src/",
    "/rust/deps/",
];

/// Beginnings of names of functions that came with the language, for those of which no source is
/// known.
const LIBRARY_NAMES: &[&str] = &["std::", "core::", "alloc::", "__rustc::", "test::", "__gnu_cxx::"];
/// Beginnings of names of files with code that came with the system.
const SYSTEM_MODULES: &[&str] =
    &["libc.so", "libstdc++.so", "libc++.so", "libc++abi.so", "libgcc_s.so", "libpthread.so", "libm.so", "ld-linux"];

/// The function in which Rust's library calls `main`, or what a thread is to do.
const START: &str = "std::sys::backtrace::__rust_begin_short_backtrace";
/// The function in which Rust's test library calls a test.
const TEST_START: &str = "test::__rust_begin_short_backtrace";

/// What only passes on, among the files of Rust's library: what is done there, its caller does.
const RUST_LAYERS: &[&str] = &[
    "/library/core/src/sync/atomic.rs",
    "/library/core/src/intrinsics/",
    "/library/core/src/ops/function.rs",
    "/library/core/src/hint.rs",
];

impl Frame {
    /// A place about which nothing is known but its address.
    pub fn bare(module: &str, offset: u64) -> Frame {
        let module = module.to_string();
        Frame { function: None, file: None, line: None, column: None, module, offset, wrapper: false }
    }

    /// Code of the runtime that watches the program: it has called the first function of a thread.
    pub fn is_runtime(&self) -> bool {
        self.function.as_ref().is_some_and(|name| name.starts_with("fencepost_runtime::"))
    }

    /// Code of the language's own library, inlined into the program.
    pub fn is_library(&self) -> bool {
        match &self.file {
            Some(file) => LIBRARY_PATHS.iter().any(|part| file.contains(part)),
            None => false,
        }
    }

    /// Did it come with the language or with the system, as far as names tell? That is more than
    /// [`Frame::is_library`] says, which decides who is to blame.
    fn is_foreign(&self) -> bool {
        let begins = |text: &str, list: &[&str]| list.iter().any(|beginning| text.starts_with(beginning));
        let name = self.function.as_deref().unwrap_or_default().trim_start_matches('<');
        self.is_library()
            || self.file.is_none() && (begins(name, LIBRARY_NAMES) || begins(self.module(), SYSTEM_MODULES))
    }

    /// What helps to understand a stack, with the numbers of the frames: of the frames of libraries,
    /// those that the program calls. Everything, if nothing else is known.
    pub fn helpful(stack: &[Frame]) -> Vec<(usize, &Frame)> {
        let own = |frame: Option<&Frame>| frame.is_some_and(|frame| !frame.is_foreign());
        let numbered = stack.iter().enumerate();
        let is_helpful = |&(number, frame): &(usize, &Frame)| own(Some(frame)) || own(stack.get(number + 1));
        let helpful: Vec<_> = numbered.clone().filter(is_helpful).collect();
        if helpful.is_empty() { numbered.collect() } else { helpful }
    }

    /// Is it Rust's test library that is at work?
    pub fn is_test_library(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.contains("/library/test/src/"))
    }

    /// Is it written in Rust?
    pub fn is_rust(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.ends_with(".rs"))
    }

    /// Does Rust's standard library do something of its own here? A layer over atomics only passes
    /// on what its caller does.
    pub fn is_rust_library(&self) -> bool {
        let Some(file) = self.file.as_ref().filter(|_| self.is_rust() && self.is_library()) else { return false };
        !RUST_LAYERS.iter().any(|part| file.contains(part))
    }

    /// Does Rust's standard library do, in the first of these frames, what nobody else does?
    pub fn is_of_rust_library(stack: &[Frame]) -> bool {
        let before = stack.iter().take_while(|frame| frame.is_library() || frame.wrapper);
        before.into_iter().any(Frame::is_rust_library)
    }

    /// Does a program in Rust, a thread or a test begin here? What comes before is the library's.
    pub fn is_start_of_rust(&self) -> bool {
        self.is_in(START) || self.is_in(TEST_START)
    }

    /// Is the function this one, whatever its type parameters are?
    fn is_in(&self, function: &str) -> bool {
        let rest = self.function.as_ref().and_then(|name| name.strip_prefix(function));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::<"))
    }

    /// The test that Rust's test library has called in a stack.
    pub fn rust_test(stack: &[Frame]) -> Option<String> {
        let start = stack.iter().position(|frame| frame.is_in(TEST_START))?;
        let test = stack[..start].iter().rev().find(|frame| !frame.is_library())?.function.as_deref()?;
        // The library calls a closure that calls the test.
        Some(test.trim_end_matches("::{{closure}}").trim_end_matches("::{closure#0}").to_string())
    }

    /// The frame of a stack that is to blame: the innermost one that is neither library code nor a
    /// wrapper. If there is none, because a thread begins in a wrapper, the innermost one that is
    /// no library code.
    pub fn blamed(stack: &[Frame]) -> Option<&Frame> {
        let blamed = stack.iter().find(|frame| !frame.is_library() && !frame.wrapper);
        blamed.or_else(|| stack.iter().find(|frame| !frame.is_library())).or(stack.first())
    }

    /// The frames of a stack down to the one that is to blame: the call chain by which a finding is
    /// known again.
    pub fn chain(stack: &[Frame]) -> &[Frame] {
        let end = Frame::blamed(stack).and_then(|blamed| stack.iter().position(|frame| std::ptr::eq(frame, blamed)));
        &stack[..end.map_or(0, |end| end + 1)]
    }

    /// `file:line:column`, as much of it as is known.
    pub fn place(&self) -> Option<String> {
        let mut place = self.file.clone()?;
        for number in [self.line, self.line.and(self.column)].into_iter().flatten() {
            place += &format!(":{number}");
        }
        Some(place)
    }

    /// `file:line:column in function`, or the module if there is no debug information.
    pub fn summary(&self) -> String {
        let place = self.place().unwrap_or_else(|| self.module_place());
        match &self.function {
            Some(function) => format!("{place} in {function}"),
            None => place,
        }
    }

    /// The same place in every run.
    pub fn identity(&self) -> String {
        match self.line {
            Some(_) => self.summary(),
            None => self.module_place(),
        }
    }

    /// `module+0x…`.
    pub fn module_place(&self) -> String {
        format!("{}+{:#x}", self.module(), self.offset)
    }

    /// The name of the file that holds the code.
    fn module(&self) -> &str {
        let name = Path::new(&self.module).file_name().and_then(|name| name.to_str());
        name.unwrap_or(&self.module)
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.function.as_deref().unwrap_or("<null>"))?;
        if let Some(place) = self.place() {
            write!(f, " {place}")?;
        }
        write!(f, " ({})", self.module_place())
    }
}

/// A step that orders two accesses under SC, and not in happens-before.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The access it starts at.
    pub from: LinkEnd,
    /// The access it leads to.
    pub to: LinkEnd,
    /// Why the one comes before the other.
    pub kind: LinkKind,
}

/// An end of a [`Link`].
#[derive(Clone, Debug, PartialEq)]
pub struct LinkEnd {
    /// `load`, `store`, `compare-and-swap`, `read-modify-write`.
    pub op: String,
    /// Its memory order.
    pub order: String,
    /// What it read or wrote: `1`, or `0→1`; empty if that is not known.
    pub values: String,
    /// What it accesses.
    pub memory: Place,
    /// Whose.
    pub thread: Thread,
    /// Where.
    pub place: Frame,
    /// When, by the clock of the recorded run.
    pub time: u64,
}

impl LinkEnd {
    /// Its order and what it is: `relaxed store`.
    pub fn what(&self) -> String {
        format!("{} {}", self.order, self.op)
    }

    /// The same in the words of its language: `store with Ordering::Relaxed`.
    pub fn in_words(&self) -> String {
        match self.place.is_rust() {
            true => format!("{} with {}", self.op, rust_order(&self.order)),
            false => self.what(),
        }
    }
}

/// What Rust calls an order of C.
fn rust_order(order: &str) -> &str {
    match order {
        "relaxed" => "Ordering::Relaxed",
        "acquire" => "Ordering::Acquire",
        "release" => "Ordering::Release",
        "acq_rel" => "Ordering::AcqRel",
        "seq_cst" => "Ordering::SeqCst",
        other => other,
    }
}

/// Why one access comes before another in every SC order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// The second reads what the first wrote.
    ReadsFrom,
    /// The second overwrites what the first wrote, or reads what did.
    Order,
    /// The second overwrites what the first read.
    FromRead,
}

/// An access.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// `load`, `store`, `fetch-add`, `read`, …
    pub op: String,
    /// Its memory order, if it is atomic.
    pub order: Option<String>,
    /// What it wrote.
    pub value: Option<u64>,
    /// What it expects to read.
    pub expected: Option<u64>,
    /// Where.
    pub address: u64,
    /// How many bytes.
    pub size: u64,
    /// Whose; none for the initial value.
    pub thread: Option<Thread>,
    /// Innermost frame first.
    pub stack: Vec<Frame>,
    /// When, by the clock of the recorded run, if it is in there.
    pub time: Option<u64>,
}

impl Operation {
    /// The frame to blame, see [`Frame::blamed`].
    pub fn blamed(&self) -> Option<&Frame> {
        Frame::blamed(&self.stack)
    }

    /// What people call it.
    pub fn name(&self) -> String {
        match self.op.as_str() {
            // Compilers call it so where the program says `compare_exchange_weak`, too.
            "cas-strong" => "compare-and-swap".into(),
            "cas-weak" => "weak compare-and-swap".into(),
            "bcas" => "blocking compare-and-swap".into(),
            "" => "access".into(),
            op => op.replacen("atomic-", "atomic ", 1),
        }
    }

    /// `Load (relaxed)`.
    pub fn title(&self) -> String {
        let mut words = self.name();
        if let Some(first) = words.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        match &self.order {
            Some(order) if self.blamed().is_some_and(Frame::is_rust) => format!("{words} ({})", rust_order(order)),
            Some(order) => format!("{words} ({order})"),
            None => words,
        }
    }

    /// `Store (relaxed) of value 1 by thread T1`; with the name of what is accessed,
    /// `Load (relaxed) of 'data' by thread T1`.
    pub fn description(&self, variable: Option<&str>) -> String {
        let variable = variable.map_or(String::new(), |name| format!(" of '{name}'"));
        let value = self.value.map_or(String::new(), |value| format!(" of value {}", value_text(value)));
        let by = self.thread.as_ref().map_or(String::new(), |thread| format!(" by {thread}"));
        format!("{}{variable}{value}{by}", self.title())
    }

    /// It writes without reading.
    pub fn writes_only(&self) -> bool {
        self.op == "store"
    }
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thread {
    /// Its number, by order of creation; the main thread has 1.
    pub tid: u64,
    /// Its name, if it has one.
    pub name: Option<String>,
}

impl fmt::Display for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.name, self.tid) {
            (_, 0) => f.write_str("a thread that is forgotten"),
            (_, 1) => f.write_str("main thread"),
            (Some(name), tid) => write!(f, "thread T{tid} '{name}'"),
            (None, tid) => write!(f, "thread T{tid}"),
        }
    }
}

/// Where a thread was created.
#[derive(Clone, Debug, PartialEq)]
pub struct Creation {
    /// The thread.
    pub thread: Thread,
    /// Who created it.
    pub parent: Thread,
    /// Where.
    pub stack: Vec<Frame>,
}

/// What is at the accessed address.
#[derive(Clone, Debug, PartialEq)]
pub enum Memory {
    /// A global variable.
    Global {
        /// Its name, demangled.
        name: String,
        /// Its length.
        size: u64,
        /// Where it starts.
        address: u64,
        /// The file that holds it.
        module: String,
    },
    /// A block from the allocator.
    Heap {
        /// Its length.
        size: u64,
        /// Where it starts.
        address: u64,
        /// Who allocated it.
        thread: Option<Thread>,
        /// Where.
        stack: Vec<Frame>,
    },
    /// A thread's stack.
    Stack(Thread),
    /// Nothing is known.
    Unknown,
}

impl Memory {
    /// An address in it, with a name if it has one: `queue`, `queue+8`.
    pub fn place_of(&self, address: u64) -> Place {
        let name = match self {
            Memory::Global { name, address: start, .. } if *start == address => Some(name.clone()),
            Memory::Global { name, address: start, .. } => Some(format!("{name}+{}", address.wrapping_sub(*start))),
            Memory::Heap { .. } | Memory::Stack(_) | Memory::Unknown => None,
        };
        Place { address, name }
    }
}

/// What to change.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// Where and how.
    pub edits: Vec<Edit>,
    /// The recorded run was evaluated again with the edits, and the violation was gone.
    pub reevaluated: bool,
}

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// Where.
    pub place: Frame,
    /// What: a phrase that starts with a verb.
    pub change: String,
    /// The same, for programs.
    pub kind: EditKind,
    /// A compare-and-swap is to have this order when it fails, too.
    pub on_failure: bool,
}

/// What a change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    /// The access acquires.
    Acquire,
    /// The access releases.
    Release,
    /// The access, or the fence, is SC.
    SeqCst,
    /// An SC fence stands before the access.
    FenceBefore,
    /// An SC fence stands after the access.
    FenceAfter,
}

impl EditKind {
    /// The name in machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            EditKind::Acquire => "acquire",
            EditKind::Release => "release",
            EditKind::SeqCst => "seq-cst",
            EditKind::FenceBefore => "fence-before",
            EditKind::FenceAfter => "fence-after",
        }
    }
}

/// How to see it again.
#[derive(Clone, Debug, PartialEq)]
pub struct Reproduce {
    /// A command line.
    pub command: String,
    /// It takes the same schedule, so that it shows the same.
    pub exact: bool,
}

impl Reproduce {
    /// By a command of these words.
    pub fn new(words: &[String], exact: bool) -> Reproduce {
        Reproduce { command: command_line(words), exact }
    }
}

/// Words as a shell wants to see them.
pub fn command_line(words: &[String]) -> String {
    words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

fn shell_word(word: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(harmless) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// A thread that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// The thread.
    pub thread: Thread,
    /// What it waits for.
    pub what: Awaited,
}

/// What a thread waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum Awaited {
    /// A lock, a condition or the like.
    Object(Place),
    /// Another value.
    Value(Place),
    /// The end of a thread.
    Thread(Thread),
    /// Nobody knows.
    Unknown,
}

/// A place in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Where.
    pub address: u64,
    /// The name of the global variable there.
    pub name: Option<String>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "'{name}'"),
            None => write!(f, "{:#x}", self.address),
        }
    }
}

impl fmt::Display for Awaited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Awaited::Object(place) => write!(f, "the lock, condition or the like at {place}"),
            Awaited::Value(place) => write!(f, "another value at {place}"),
            Awaited::Thread(thread) => write!(f, "the end of {thread}"),
            Awaited::Unknown => f.write_str("something unknown"),
        }
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} waits for {}", self.thread, self.what)
    }
}

impl Creation {
    /// The frame to blame, see [`Frame::blamed`].
    pub fn blamed(&self) -> Option<&Frame> {
        Frame::blamed(&self.stack)
    }
}

/// A value that a program has in memory. Addresses and the like are easier to recognise in
/// hexadecimal.
pub fn value_text(value: u64) -> String {
    if value < 0x1_0000 { value.to_string() } else { format!("{value:#x}") }
}

#[cfg(test)]
mod tests {
    use super::Frame;

    fn frame(function: &str, file: Option<&str>, module: &str) -> Frame {
        let (function, file) = (Some(function.to_string()), file.map(str::to_string));
        Frame { function, file, ..Frame::bare(module, 0) }
    }

    fn numbers(stack: &[Frame]) -> Vec<usize> {
        Frame::helpful(stack).into_iter().map(|(number, _)| number).collect()
    }

    #[test]
    fn of_libraries_the_frames_that_the_program_calls_help() {
        let own = || frame("stack::push", Some("/home/me/stack.hpp"), "/home/me/a.out");
        let inlined = || frame("std::atomic<int>::load", Some("/usr/include/c++/12/atomic"), "/home/me/a.out");
        let unknown = || frame("<alloc::raw_vec::RawVecInner>::grow", None, "/home/me/a.out");
        let system = || frame("start_thread", None, "/lib/x86_64-linux-gnu/libc.so.6");
        assert_eq!(numbers(&[inlined(), inlined(), own(), system()]), [1, 2]);
        assert_eq!(numbers(&[own(), inlined(), unknown(), own(), inlined(), system()]), [0, 2, 3]);
        assert_eq!(numbers(&[own()]), [0]);
        // Nothing else is known.
        assert_eq!(numbers(&[inlined(), system()]), [0, 1]);
        // Without debug information, a function of the program is one all the same.
        assert_eq!(numbers(&[frame("push", None, "/home/me/a.out"), system()]), [0]);
    }
}
