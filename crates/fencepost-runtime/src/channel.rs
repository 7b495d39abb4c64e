//! The way out: events, one JSON object per line, to the reporter.
//!
//! `fencepost run` leaves a socket. A program that is started by itself starts its reporter, the same command, when there is
//! something to report; if that fails, events are printed as they are.

use std::ffi::{CStr, CString};
use std::fmt::Write as _;
use std::io::Write as _;
use std::ptr::null;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use crate::environment;
use crate::lock::{self, Guarded};
use crate::options;
use crate::schedule::Waiting;
use crate::thread::Tid;

/// No connection yet.
const NONE: i32 = -1;
/// There is no reporter: events go to standard error.
const RAW: i32 = -2;

struct Channel {
    fd: i32,
    /// Notes that were sent.
    notes: Vec<&'static str>,
    /// Modules that were sent.
    modules: u64,
}

static CHANNEL: Guarded<Channel> = Guarded::new(Channel { fd: NONE, notes: Vec::new(), modules: 0 });
/// The record, if this process made it and its reporter must be given it.
static RECORD: AtomicI32 = AtomicI32::new(-1);
static FINISHED: AtomicBool = AtomicBool::new(false);

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

/// A line of JSON being written.
pub(crate) struct Line(String);

impl Line {
    /// An event of this kind.
    pub(crate) fn event(kind: &str) -> Self {
        let mut line = Line(String::from("{\"ev\":"));
        line.text(kind);
        line
    }

    /// A number.
    pub(crate) fn number(mut self, key: &str, value: u64) -> Self {
        self.key(key);
        let _ = write!(self.0, "{value}");
        self
    }

    /// True or false.
    pub(crate) fn flag(mut self, key: &str, value: bool) -> Self {
        self.key(key);
        let _ = write!(self.0, "{value}");
        self
    }

    /// A text.
    pub(crate) fn string(mut self, key: &str, value: &str) -> Self {
        self.key(key);
        self.text(value);
        self
    }

    /// Several numbers.
    pub(crate) fn numbers(mut self, key: &str, values: impl IntoIterator<Item = usize>) -> Self {
        self.key(key);
        self.0.push('[');
        for (index, value) in values.into_iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let _ = write!(self.0, "{comma}{value}");
        }
        self.0.push(']');
        self
    }

    /// An object.
    pub(crate) fn object(mut self, key: &str, fill: impl FnOnce(Line) -> Line) -> Self {
        self.key(key);
        self.0.push('{');
        self = fill(self);
        self.0.push('}');
        self
    }

    /// Several objects.
    pub(crate) fn objects<T>(
        mut self,
        key: &str,
        items: impl IntoIterator<Item = T>,
        mut fill: impl FnMut(Line, T) -> Line,
    ) -> Self {
        self.key(key);
        self.0.push('[');
        for (index, item) in items.into_iter().enumerate() {
            self.0.push_str(if index == 0 { "{" } else { ",{" });
            self = fill(self, item);
            self.0.push('}');
        }
        self.0.push(']');
        self
    }

    fn key(&mut self, key: &str) {
        if !self.0.ends_with('{') {
            self.0.push(',');
        }
        self.text(key);
        self.0.push(':');
    }

    fn text(&mut self, text: &str) {
        self.0.push('"');
        for c in text.chars() {
            match c {
                '"' | '\\' => {
                    self.0.push('\\');
                    self.0.push(c);
                }
                c if (c as u32) < 0x20 => {
                    let _ = write!(self.0, "\\u{:04x}", c as u32);
                }
                c => self.0.push(c),
            }
        }
        self.0.push('"');
    }
}

impl Channel {
    fn send(&mut self, text: &str) {
        if self.fd == RAW {
            print(text);
        } else if !self.deliver(text.as_bytes()) {
            self.give_up();
            print(text);
        }
    }

    /// Sends to the reporter. Is it there?
    fn deliver(&self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            // SAFETY: sends from memory that is ours; a reporter that is gone is no reason for a signal.
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
        self.fd = RAW;
        last_words(
            "there is no reporter, so what is found follows as it is; FENCEPOST_REPORTER names the command `fencepost` to use",
        );
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
        if self.fd == NONE {
            match start_reporter() {
                Some(fd) => self.fd = fd,
                None => self.give_up(),
            }
            self.send(&start_event());
            for line in crate::report::named_threads() {
                self.send(&line.finish());
            }
        }
    }
}

fn errno() -> i32 {
    // SAFETY: the thread's own variable.
    unsafe { *libc::__errno_location() }
}

fn start_event() -> String {
    let options = options::get();
    let exe = std::fs::read_link("/proc/self/exe").map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    let arguments = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let arguments: Vec<_> = arguments.split(|&byte| byte == 0).filter(|argument| !argument.is_empty()).collect();
    let mut line = Line::event("start")
        .number("pid", u64::from(std::process::id()))
        .string("exe", &exe)
        .number("seed", options.seed)
        .string("schedule", &options.schedule.to_string())
        .object("options", |line| options.given.iter().fold(line, |line, (key, value)| line.string(key, value)));
    line.key("argv");
    line.0.push('[');
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            line.0.push(',');
        }
        line.text(&String::from_utf8_lossy(argument));
    }
    line.0.push(']');
    line.finish()
}

impl Line {
    fn finish(mut self) -> String {
        self.0.push_str("}\n");
        self.0
    }
}

/// Takes the socket that `fencepost run` has left. Programs that this one starts must not use it.
pub(crate) fn start(record: Option<i32>) {
    RECORD.store(record.unwrap_or(-1), Ordering::Relaxed);
    let inherited = environment::variable("FENCEPOST_CHANNEL").and_then(|fd| fd.parse::<i32>().ok());
    // SAFETY: no other thread of the program runs yet that could read the environment.
    unsafe {
        libc::unsetenv(c"FENCEPOST_CHANNEL".as_ptr());
        libc::unsetenv(c"FENCEPOST_TRACE".as_ptr());
    }
    let Some(fd) = inherited else { return };
    // SAFETY: the descriptor was given to this process for this purpose.
    if unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) } == 0 {
        let mut channel = CHANNEL.lock();
        channel.fd = fd;
        channel.send(&start_event());
    }
}

/// Sends a report about these threads; true if the reporter wants the program to end.
pub(crate) fn send_report(line: Line, tids: &[Tid]) -> bool {
    let mut channel = CHANNEL.lock();
    channel.open();
    send_modules(&mut channel);
    for line in crate::report::untold_threads(tids) {
        channel.send(&line.finish());
    }
    channel.send(&line.finish());
    options::get().halt && channel.answer() != Some(b'c')
}

/// Sends an event that is worth nothing by itself: only if there is a reporter already.
pub(crate) fn send_if_open(line: Line) {
    let mut channel = CHANNEL.lock();
    if channel.fd != NONE && channel.fd != RAW {
        channel.send(&line.finish());
    }
}

/// Tells the user something, the first time.
pub(crate) fn note_once(text: &'static str) {
    let mut channel = CHANNEL.lock();
    if !channel.notes.contains(&text) {
        channel.notes.push(text);
        channel.open();
        channel.send(&Line::event("note").string("text", text).finish());
    }
}

/// The threads of the program wait for one another.
pub(crate) fn deadlock(waiting: &[(Tid, Waiting)]) {
    let mut channel = CHANNEL.lock();
    channel.open();
    send_modules(&mut channel);
    let line = Line::event("deadlock").objects("waiting", waiting, |line, &(tid, waiting)| {
        let line = line.number("tid", u64::from(tid));
        match waiting {
            Waiting::Object(addr) => line.string("for", "object").number("addr", addr as u64),
            Waiting::Value(addr) => line.string("for", "value").number("addr", addr as u64),
            Waiting::Thread(other) => line.string("for", "thread").number("other", u64::from(other)),
            Waiting::Other => line.string("for", "other"),
        }
    });
    channel.send(&line.finish());
}

/// A message before the process is ended by the runtime itself.
pub(crate) fn last_words(message: &str) {
    print(&format!("==={}=== fencepost: {message}\n", std::process::id()));
}

/// The end of the run. Returns the exit code that the reporter wants; `status` if it does not mind.
pub(crate) fn finish(status: i32, summary: impl FnOnce() -> Line) -> i32 {
    if FINISHED.swap(true, Ordering::AcqRel) {
        return status;
    }
    // A signal handler may end the process while its thread is sending, or has locked something that the summary needs, memory
    // among them: then there is none.
    let interrupted = lock::interrupted();
    let channel = if interrupted { CHANNEL.lock_if_free() } else { CHANNEL.try_lock() };
    let Some(mut channel) = channel.filter(|channel| channel.fd >= 0) else { return status };
    if !interrupted {
        channel.send(&summary().finish());
    }
    let mut end = [0; END_LENGTH];
    channel.deliver(end_event(&mut end, status));
    // SAFETY: nothing more is sent.
    unsafe { libc::shutdown(channel.fd, libc::SHUT_WR) };
    match channel.answer() {
        Some(code) if code != 0 => i32::from(code),
        _ => status,
    }
}

/// Bytes of the longest event that says that the run ends.
const END_LENGTH: usize = 64;

/// Writes the event that says that the run ends, without allocating anything.
fn end_event(into: &mut [u8; END_LENGTH], status: i32) -> &[u8] {
    let mut rest = into.as_mut_slice();
    let fits = writeln!(rest, r#"{{"ev":"end","status":{}}}"#, status as u32);
    debug_assert!(fits.is_ok());
    let length = END_LENGTH - rest.len();
    &into[..length]
}

/// In a child of `fork`: the parent's connection is not ours. Reports of the child go to a reporter of its own.
pub(crate) fn forked() {
    let mut channel = CHANNEL.lock();
    if channel.fd >= 0 {
        // SAFETY: closes the child's copy.
        unsafe { libc::close(channel.fd) };
    }
    channel.fd = NONE;
    channel.modules = 0;
    RECORD.store(-1, Ordering::Relaxed);
}

struct Modules {
    list: Vec<(CString, usize, usize, usize, bool)>,
}

unsafe extern "C" fn visit_module(info: *mut libc::dl_phdr_info, _: usize, modules: *mut libc::c_void) -> i32 {
    // SAFETY: `dl_iterate_phdr` passes a valid description, and what `send_modules` gave it.
    let (info, modules) = unsafe { (&*info, &mut *modules.cast::<Modules>()) };
    // SAFETY: the name is a string that lives as long as the module.
    let name = unsafe { CStr::from_ptr(info.dlpi_name) }.to_owned();
    for index in 0..usize::from(info.dlpi_phnum) {
        // SAFETY: the table has `dlpi_phnum` entries.
        let header = unsafe { &*info.dlpi_phdr.add(index) };
        if header.p_type == libc::PT_LOAD {
            let start = (info.dlpi_addr + header.p_vaddr) as usize;
            let exec = header.p_flags & libc::PF_X != 0;
            modules.list.push((name.clone(), info.dlpi_addr as usize, start, start + header.p_memsz as usize, exec));
        }
    }
    0
}

/// Every loaded part of every module: name, bias, start, end, executable.
fn loaded() -> Vec<(CString, usize, usize, usize, bool)> {
    let mut modules = Modules { list: Vec::new() };
    // SAFETY: the callback gets the pointer it expects.
    unsafe { libc::dl_iterate_phdr(Some(visit_module), (&raw mut modules).cast()) };
    modules.list
}

/// The executable parts of all modules, as ranges.
pub(crate) fn code_ranges() -> Vec<(usize, usize)> {
    loaded().into_iter().filter(|part| part.4).map(|(_, _, start, end, _)| (start, end)).collect()
}

fn send_modules(channel: &mut Channel) {
    let list = loaded();
    if channel.modules == list.len() as u64 {
        return;
    }
    channel.modules = list.len() as u64;
    let exe = std::fs::read_link("/proc/self/exe").map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    let line = Line::event("modules").objects("list", list, |line, (name, bias, start, end, exec)| {
        let name = name.to_string_lossy();
        line.string("path", if name.is_empty() { &exe } else { &name })
            .number("bias", bias as u64)
            .number("start", start as u64)
            .number("end", end as u64)
            .flag("exec", exec)
    });
    let line = line.finish();
    channel.send(&line);
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
        // The parent goes on before descriptors are closed by the end of this process, and must not find a reporter then.
        libc::close(0);
        libc::close(spawn.socket);
        libc::syscall(libc::SYS_exit_group, 127);
    }
    127
}

/// Starts the command that this program was built with as its reporter.
fn start_reporter() -> Option<i32> {
    let path = match environment::variable("FENCEPOST_REPORTER") {
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
    let mut pair = [0; 2];
    // SAFETY: makes two sockets.
    if unsafe { libc::socketpair(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0, pair.as_mut_ptr()) } != 0 {
        return None;
    }
    const STACK: usize = 64 << 10;
    let stack = crate::memory::map(STACK);
    if stack.is_null() {
        return None;
    }
    let argv = [path.as_ptr(), c"reporter".as_ptr(), null()];
    let mut spawn = Spawn {
        socket: pair[1],
        record: RECORD.load(Ordering::Relaxed),
        path: path.as_ptr(),
        argv,
        elevated: environment::is_elevated(),
    };
    // The reporter is no child that the program's own `wait` could see: it ends without a signal.
    // SAFETY: the child runs on a stack of its own until it executes another program; this thread waits meanwhile.
    let child = unsafe {
        libc::clone(
            become_reporter,
            stack.add(STACK).cast(),
            libc::CLONE_VM | libc::CLONE_VFORK,
            (&raw mut spawn).cast(),
        )
    };
    // SAFETY: the stack is ours and no longer used, the socket belongs to the child.
    unsafe {
        crate::memory::unmap(stack, STACK);
        libc::close(pair[1]);
    }
    if child < 0 {
        // SAFETY: ours.
        unsafe { libc::close(pair[0]) };
        return None;
    }
    Some(pair[0])
}

#[cfg(test)]
mod tests {
    use super::{END_LENGTH, Line, end_event};

    /// It is written without a [`Line`], which would allocate.
    #[test]
    fn the_end_is_an_event_like_others() {
        for status in [0, 66, i32::MAX, -1] {
            let line = Line::event("end").number("status", u64::from(status as u32)).finish();
            assert_eq!(end_event(&mut [0; END_LENGTH], status), line.as_bytes());
        }
    }
}
