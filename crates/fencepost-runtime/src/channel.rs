//! The way out: messages to the reporter.
//!
//! `fencepost run` leaves a door. Every process passes the other end of a connection of its own
//! through it: the program, children of `fork`, programs that it starts. A program that is started
//! by itself starts its reporter, the same command, when there is something to report. If that
//! fails, messages are printed as they are.

use std::ffi::{CStr, CString, c_int, c_void};
use std::io::Write as _;
use std::ptr::null;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use fencepost_protocol::door::{self, Door, REPORTER};
use fencepost_protocol::message::{self, Awaited, END_LENGTH, Ending, Message, Module, Modules, Place, Start, Unknown};
use fencepost_protocol::{Answer, CodePlace, ExitCode, VERSION};

use crate::environment;
use crate::lock::{self, Guard, Guarded};
use crate::options;
use crate::schedule::Waiting;
use crate::thread::Tid;

/// No connection yet.
const NONE: i32 = -1;
/// There is no reporter: messages go to standard error.
const RAW: i32 = -2;

pub(crate) struct Channel {
    fd: i32,
    /// Does the connection go through the door? Who is behind it may leave before this process
    /// ends.
    is_through_door: bool,
    /// Notes that were sent.
    notes: Vec<&'static str>,
    /// Modules that were sent.
    modules: u64,
}

static CHANNEL: Guarded<Channel> =
    Guarded::new(Channel { fd: NONE, is_through_door: false, notes: Vec::new(), modules: 0 });
/// The door, if there is one.
static DOOR: AtomicI32 = AtomicI32::new(NONE);
/// The record of this process, until a reporter has it.
static RECORD: AtomicI32 = AtomicI32::new(NONE);
static FINISHED: AtomicBool = AtomicBool::new(false);

/// What the kernel does not tell any more once the main thread is over.
struct Program {
    exe: String,
    arguments: Vec<String>,
}

static PROGRAM: OnceLock<Program> = OnceLock::new();

fn program() -> &'static Program {
    PROGRAM.get_or_init(|| {
        let exe = std::fs::read_link("/proc/self/exe").map(|path| path.to_string_lossy().into_owned());
        let line = std::fs::read("/proc/self/cmdline").unwrap_or_default();
        let arguments = line.split(|&byte| byte == 0).filter(|argument| !argument.is_empty());
        Program {
            exe: exe.unwrap_or_default(),
            arguments: arguments.map(|argument| String::from_utf8_lossy(argument).into_owned()).collect(),
        }
    })
}

/// Text to standard error, in one call.
pub(crate) fn print(text: &str) {
    let mut bytes = text.as_bytes();
    while !bytes.is_empty() {
        // SAFETY: writes from memory that is ours.
        let written = unsafe { libc::syscall(libc::SYS_write, 2, bytes.as_ptr(), bytes.len()) };
        let Ok(written) = usize::try_from(written) else { return };
        bytes = &bytes[written..];
    }
}

/// A message as a line.
fn line(message: &Message) -> String {
    let mut line = String::new();
    // A text takes everything.
    let _ = message.write_line(&mut line);
    line
}

impl Channel {
    fn send(&mut self, message: &Message) {
        let text = line(message);
        if self.fd == RAW {
            print(&text);
        } else if !self.deliver(text.as_bytes()) {
            self.reopen();
            if self.fd == RAW || !self.deliver(text.as_bytes()) {
                self.give_up();
                print(&text);
            }
        }
    }

    /// Sends to the reporter. Is it there?
    fn deliver(&self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            // SAFETY: sends from memory that is ours; a reporter that is gone is no reason for a
            // signal.
            let sent = unsafe { libc::send(self.fd, bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL) };
            match usize::try_from(sent) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(_) if errno() == libc::EINTR => {}
                Err(_) => return false,
            }
        }
        true
    }

    /// There is no reporter, or it is gone: what is found is printed as it is.
    fn give_up(&mut self) {
        if self.fd != RAW {
            self.fd = RAW;
            last_words(format_args!(
                "there is no reporter, so what is found follows as it is; FENCEPOST_REPORTER names the command `fencepost` to use"
            ));
        }
    }

    /// The reporter is gone. If it was that of a program which has ended before this process,
    /// another one takes over.
    fn reopen(&mut self) {
        if !std::mem::take(&mut self.is_through_door) {
            return self.give_up();
        }
        close(self.fd);
        DOOR.store(NONE, Ordering::Relaxed);
        (self.fd, self.modules) = (NONE, 0);
        self.open();
        send_modules(self);
    }

    /// One byte from the reporter; none if it does not answer.
    fn answer(&mut self) -> Option<u8> {
        if self.fd < 0 {
            return None;
        }
        let mut byte = 0u8;
        loop {
            // SAFETY: receives one byte into a variable.
            let received = unsafe { libc::recv(self.fd, (&raw mut byte).cast(), 1, 0) };
            match received {
                1 => return Some(byte),
                -1 if errno() == libc::EINTR => {}
                _ => return None,
            }
        }
    }

    /// Connects, if that has not been done.
    fn open(&mut self) {
        if self.fd != NONE {
            return;
        }
        match connect() {
            Some(fd) => (self.fd, self.is_through_door) = (fd, true),
            None => match start_reporter() {
                Some(fd) => self.fd = fd,
                None => self.give_up(),
            },
        }
        self.send(&start_message());
        for thread in crate::report::named_threads() {
            self.send(&Message::Thread(thread));
        }
    }
}

fn errno() -> i32 {
    // SAFETY: the thread's own variable.
    unsafe { *libc::__errno_location() }
}

/// Closes a file of ours.
fn close(fd: i32) {
    if fd >= 0 {
        // SAFETY: nobody uses it any more.
        unsafe { libc::close(fd) };
    }
}

fn start_message() -> Message {
    let Program { exe, arguments } = program();
    Message::Start(Start {
        protocol: u64::from(VERSION),
        pid: u64::from(std::process::id()),
        exe: exe.clone(),
        argv: arguments.clone(),
        options: options::given().to_vec(),
    })
}

/// Looks for the door that `fencepost run` has left, and passes the record through it.
pub(crate) fn start(record: Option<i32>) {
    program();
    RECORD.store(record.unwrap_or(NONE), Ordering::Relaxed);
    let variable = |name| environment::variable(door::name(name));
    let Some(door) = variable(door::DOOR).and_then(|text| Door::read(&text)) else {
        if variable(door::CHANNEL).is_some() {
            last_words(format_args!(
                "this program is not observed: it was built by a newer fencepost than the one that runs it, which speaks \
                 version 1 of the protocol, not version {VERSION}; use the newer one to run it, or build it again with \
                 `fencepost cc` of the older one"
            ));
        }
        return;
    };
    if !is_there(&door) {
        return;
    }
    if !door.is_ours() {
        // Who is behind the door knows what to say about it.
        pass(door.file, &[]);
        return;
    }
    DOOR.store(door.file, Ordering::Relaxed);
    CHANNEL.lock().open();
}

/// Is this file still the door? A program may have closed it and opened another.
fn is_there(door: &Door) -> bool {
    // SAFETY: a structure of numbers, which the call fills in.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    let found = unsafe { libc::fstat(door.file, &raw mut status) } == 0;
    found && status.st_mode & libc::S_IFMT == libc::S_IFSOCK && status.st_ino == door.socket
}

/// Passes files through the door, with the version that we speak. Was there somebody?
fn pass(door: i32, files: &[c_int]) -> bool {
    /// Room for two files and what describes them, aligned as that is.
    #[repr(C)]
    struct Control {
        header: libc::cmsghdr,
        files: [c_int; 2],
    }
    let mut control = Control {
        header: libc::cmsghdr {
            cmsg_len: size_of::<libc::cmsghdr>() + size_of_val(files),
            cmsg_level: libc::SOL_SOCKET,
            cmsg_type: libc::SCM_RIGHTS,
        },
        files: [NONE; 2],
    };
    control.files[..files.len()].copy_from_slice(files);
    let mut version = VERSION;
    let mut part = libc::iovec { iov_base: (&raw mut version).cast(), iov_len: 1 };
    // SAFETY: a structure of numbers and pointers, for which zeroes are valid.
    let mut packet: libc::msghdr = unsafe { std::mem::zeroed() };
    (packet.msg_iov, packet.msg_iovlen) = (&raw mut part, 1);
    if !files.is_empty() {
        (packet.msg_control, packet.msg_controllen) = ((&raw mut control).cast::<c_void>(), size_of::<Control>());
    }
    if files.len() == 1 {
        packet.msg_controllen -= size_of::<c_int>();
    }
    loop {
        // SAFETY: all that the packet points to lives until the call returns.
        let sent = unsafe { libc::sendmsg(door, &raw const packet, libc::MSG_NOSIGNAL) };
        if sent >= 0 || errno() != libc::EINTR {
            return sent >= 0;
        }
    }
}

/// A connection to the reporter behind the door, if there is one.
fn connect() -> Option<i32> {
    let door = DOOR.load(Ordering::Relaxed);
    if door == NONE {
        return None;
    }
    let [ours, theirs] = pair()?;
    let record = RECORD.swap(NONE, Ordering::Relaxed);
    let files = [theirs, record];
    let is_open = pass(door, if record == NONE { &files[..1] } else { &files });
    close(theirs);
    if is_open {
        close(record);
        return Some(ours);
    }
    RECORD.store(record, Ordering::Relaxed);
    close(ours);
    None
}

/// The two ends of a connection, which no program that is started inherits.
fn pair() -> Option<[c_int; 2]> {
    let mut pair = [0; 2];
    // SAFETY: makes two sockets.
    let made = unsafe { libc::socketpair(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0, pair.as_mut_ptr()) };
    (made == 0).then_some(pair)
}

/// Sends a report about these threads; true if the reporter wants the program to end.
pub(crate) fn send_report(report: message::Report, tids: &[Tid]) -> bool {
    let mut channel = send_about(tids, &Message::Report(report));
    options::get().halt && Answer::from_byte(channel.answer()) == Answer::Halt
}

/// Sends a message about these threads.
pub(crate) fn send_about(tids: &[Tid], message: &Message) -> Guard<'static, Channel> {
    let mut channel = CHANNEL.lock();
    channel.open();
    send_modules(&mut channel);
    for thread in crate::report::untold_threads(tids) {
        channel.send(&Message::Thread(thread));
    }
    channel.send(message);
    channel
}

/// Tells the reporter what is mapped where.
pub(crate) fn tell_modules() {
    let mut channel = CHANNEL.lock();
    channel.open();
    send_modules(&mut channel);
}

/// Sends a message that is worth nothing by itself: only if there is a reporter already.
pub(crate) fn send_if_open(message: &Message) {
    let mut channel = CHANNEL.lock();
    if channel.fd != NONE && channel.fd != RAW {
        channel.send(message);
    }
}

/// Tells the user something, the first time.
pub(crate) fn note_once(text: &'static str) {
    if crate::explore::is_explored() {
        return crate::explore::remark(text);
    }
    let mut channel = CHANNEL.lock();
    if !channel.notes.contains(&text) {
        channel.notes.push(text);
        channel.open();
        channel.send(&Message::Note(message::Note { text: text.to_string() }));
    }
}

/// The threads of the program wait for one another.
pub(crate) fn deadlock(waiting: &[(Tid, Waiting)]) {
    let mut channel = CHANNEL.lock();
    channel.open();
    send_modules(&mut channel);
    let one = |&(tid, waiting): &(Tid, Waiting)| message::Waiting {
        tid: u64::from(tid),
        awaited: match waiting {
            Waiting::Object(addr) => Awaited::Object(Place { addr: addr as u64 }),
            Waiting::Value(addr) => Awaited::Value(Place { addr: addr as u64 }),
            Waiting::Thread(other) => Awaited::Thread(Ending { tid: u64::from(other) }),
            Waiting::Other => Awaited::Unknown(Unknown {}),
        },
    };
    channel.send(&Message::Deadlock(message::Deadlock { waiting: waiting.iter().map(one).collect() }));
}

/// A message past the reporter. Nothing is allocated: it may be that there is no memory.
pub(crate) fn last_words(message: std::fmt::Arguments<'_>) {
    let mut text = [0; 1024];
    let mut rest = text.as_mut_slice();
    // What does not fit is left out.
    let _ = writeln!(rest, "==={}=== fencepost: {message}", std::process::id());
    let left = rest.len();
    let length = text.len() - left;
    print(std::str::from_utf8(&text[..length]).unwrap_or_default());
}

/// The end of the run. Returns the exit code that the reporter wants; `status` if it does not mind.
pub(crate) fn finish(status: i32, summary: impl FnOnce() -> message::Figures) -> i32 {
    if FINISHED.swap(true, Ordering::AcqRel) {
        return status;
    }
    // A signal handler may end the process while its thread is sending, or has locked something
    // that the summary needs, memory among them: then there is none.
    let interrupted = lock::interrupted() || crate::is_dying();
    let channel = if interrupted { CHANNEL.lock_if_free() } else { CHANNEL.try_lock() };
    let Some(mut channel) = channel.filter(|channel| channel.fd >= 0) else { return status };
    if !interrupted {
        channel.send(&Message::Summary(summary()));
    }
    channel.deliver(end_line(&mut End([0; END_LENGTH], 0), status));
    // SAFETY: nothing more is sent.
    unsafe { libc::shutdown(channel.fd, libc::SHUT_WR) };
    ExitCode::choose(channel.answer(), status)
}

/// Room for the last line, and how much of it is used.
struct End([u8; END_LENGTH], usize);

impl std::fmt::Write for End {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let End(room, used) = self;
        let place = room.get_mut(*used..*used + text.len()).ok_or(std::fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        *used += text.len();
        Ok(())
    }
}

/// Writes the message that says that the run ends, without allocating anything.
fn end_line(room: &mut End, status: i32) -> &[u8] {
    let fits = Message::End(message::End { status: u64::from(status as u32) }).write_line(room);
    debug_assert!(fits.is_ok());
    &room.0[..room.1]
}

/// In a child of `fork`: the parent's connection is not ours, and neither is its record. The child
/// makes its own when it has found something.
pub(crate) fn forked() {
    let mut channel = CHANNEL.lock();
    close(channel.fd);
    channel.fd = NONE;
    channel.is_through_door = false;
    channel.modules = 0;
    close(RECORD.swap(NONE, Ordering::Relaxed));
    FINISHED.store(false, Ordering::Relaxed);
}

/// A loaded part of a module.
struct Part {
    name: CString,
    bias: usize,
    start: usize,
    end: usize,
    is_code: bool,
}

unsafe extern "C" fn visit_module(info: *mut libc::dl_phdr_info, _: usize, parts: *mut libc::c_void) -> i32 {
    // SAFETY: `dl_iterate_phdr` passes a valid description, and what `loaded` gave it.
    let (info, parts) = unsafe { (&*info, &mut *parts.cast::<Vec<Part>>()) };
    // SAFETY: the name is a string that lives as long as the module.
    let name = unsafe { CStr::from_ptr(info.dlpi_name) };
    for index in 0..usize::from(info.dlpi_phnum) {
        // SAFETY: the table has `dlpi_phnum` entries.
        let header = unsafe { &*info.dlpi_phdr.add(index) };
        if header.p_type == libc::PT_LOAD {
            let start = (info.dlpi_addr + header.p_vaddr) as usize;
            parts.push(Part {
                name: name.to_owned(),
                bias: info.dlpi_addr as usize,
                start,
                end: start + header.p_memsz as usize,
                is_code: header.p_flags & libc::PF_X != 0,
            });
        }
    }
    0
}

/// Every loaded part of every module.
fn loaded() -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    // SAFETY: the callback gets the pointer it expects.
    unsafe { libc::dl_iterate_phdr(Some(visit_module), (&raw mut parts).cast()) };
    parts
}

/// The name of a part's module: the main program has none of its own.
fn path_of(part: &Part) -> String {
    let name = part.name.to_string_lossy();
    if name.is_empty() { program().exe.clone() } else { name.into_owned() }
}

/// Where a return address is, in a way that is the same in every process.
pub(crate) fn place_in_code(pc: usize) -> Option<CodePlace> {
    let part = loaded().into_iter().find(|part| (part.start..part.end).contains(&pc))?;
    Some(CodePlace::new(&path_of(&part), (pc - part.bias) as u64))
}

/// The executable parts of all modules, as ranges.
pub(crate) fn code_ranges() -> Vec<(usize, usize)> {
    loaded().into_iter().filter(|part| part.is_code).map(|part| (part.start, part.end)).collect()
}

fn send_modules(channel: &mut Channel) {
    let parts = loaded();
    if channel.modules == parts.len() as u64 {
        return;
    }
    channel.modules = parts.len() as u64;
    let module = |part: &Part| Module {
        path: path_of(part),
        bias: part.bias as u64,
        start: part.start as u64,
        end: part.end as u64,
    };
    channel.send(&Message::Modules(Modules { list: parts.iter().map(module).collect() }));
}

struct Spawn {
    socket: i32,
    record: i32,
    path: *const libc::c_char,
    argv: [*const libc::c_char; 3],
    elevated: bool,
}

extern "C" fn become_reporter(spawn: *mut libc::c_void) -> i32 {
    // SAFETY: runs in the memory of the parent, which waits; only system calls are made.
    unsafe {
        let spawn = &*spawn.cast::<Spawn>();
        libc::dup2(spawn.socket, 0);
        if spawn.record >= 0 {
            libc::dup2(spawn.record, 3);
        }
        match spawn.elevated {
            // What the runtime does not obey, the reporter must not either.
            true => libc::execve(spawn.path, spawn.argv.as_ptr(), [null()].as_ptr()),
            false => libc::execvp(spawn.path, spawn.argv.as_ptr()),
        };
        // The parent goes on before descriptors are closed by the end of this process, and must not
        // find a reporter then.
        libc::close(0);
        libc::close(spawn.socket);
        libc::syscall(libc::SYS_exit_group, 127);
    }
    127
}

/// Starts the command that this program was built with as its reporter.
fn start_reporter() -> Option<i32> {
    let path = match environment::variable(door::name(REPORTER)) {
        Some(path) => CString::new(path).ok()?,
        None => {
            // SAFETY: looks a name up.
            let compiled_in = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__fencepost_reporter".as_ptr()) };
            if compiled_in.is_null() {
                return None;
            }
            // SAFETY: an array of characters that ends with zero, by our own driver.
            unsafe { CStr::from_ptr(compiled_in.cast()) }.to_owned()
        }
    };
    let [ours, theirs] = pair()?;
    const STACK: usize = 64 << 10;
    let stack = crate::memory::map(STACK);
    if stack.is_null() {
        close(ours);
        close(theirs);
        return None;
    }
    let argv = [path.as_ptr(), c"reporter".as_ptr(), null()];
    let mut spawn = Spawn {
        socket: theirs,
        record: RECORD.load(Ordering::Relaxed),
        path: path.as_ptr(),
        argv,
        elevated: environment::is_elevated(),
    };
    // The reporter is no child that the program's own `wait` could see: it ends without a signal.
    // SAFETY: the child runs on a stack of its own until it executes another program; this thread
    // waits meanwhile.
    let child = unsafe {
        libc::clone(
            become_reporter,
            stack.add(STACK).cast(),
            libc::CLONE_VM | libc::CLONE_VFORK,
            (&raw mut spawn).cast(),
        )
    };
    // SAFETY: the stack is ours and no longer used.
    unsafe { crate::memory::unmap(stack, STACK) };
    close(theirs);
    if child < 0 {
        close(ours);
        return None;
    }
    Some(ours)
}

#[cfg(test)]
mod tests {
    use super::{END_LENGTH, End, end_line, line};
    use fencepost_protocol::message::{self, Message};

    #[test]
    fn the_end_fits() {
        for status in [0, 66, i32::MAX, -1] {
            let whole = line(&Message::End(message::End { status: u64::from(status as u32) }));
            assert_eq!(end_line(&mut End([0; END_LENGTH], 0), status), whole.as_bytes());
        }
    }
}
