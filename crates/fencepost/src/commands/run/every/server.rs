//! A program that waits before it begins, and makes a child for each run. See
//! [`fencepost_protocol::exploration`].

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use fencepost_protocol::exploration::{Answer, EXPLORATION, Place, Request, Step, at};
use fencepost_protocol::{VERSION, door};
use rustix::fs::MemfdFlags;
use rustix::io::FdFlags;
use rustix::process::{Pid, Signal};

use crate::args::RunArgs;
use crate::commands::run::environment_of;

/// A server.
pub(super) struct Server {
    child: Child,
    socket: UnixStream,
    memory: File,
    patience: Duration,
}

/// What became of a run.
pub(super) struct Outcome {
    /// What it has said.
    pub(super) answer: Answer,
    /// Its steps.
    pub(super) steps: Vec<Step>,
    /// How its process ended.
    pub(super) status: ExitStatus,
    /// It took too long and was ended.
    pub(super) hung: bool,
}

impl Server {
    /// Starts the program. A run that takes longer than `patience` is ended.
    pub(super) fn start(args: &RunArgs, options: OsString, patience: Duration) -> io::Result<Server> {
        let program = &args.program;
        let memory = File::from(numbered(&rustix::fs::memfd_create("fencepost-exploration", MemfdFlags::CLOEXEC)?)?);
        memory.set_len(at::END as u64)?;
        let (ours, theirs) = UnixStream::pair()?;
        let theirs = numbered(&theirs)?;
        for fd in [memory.as_fd(), theirs.as_fd()] {
            rustix::io::fcntl_setfd(fd, FdFlags::empty())?;
        }
        let place = Place { version: VERSION, memory: memory.as_raw_fd(), socket: theirs.as_raw_fd() };
        let mut command = Command::new(&program[0]);
        command
            .args(&program[1..])
            .env(door::name(door::OPTIONS), options)
            .env(door::name(EXPLORATION), place.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        for name in environment_of(args) {
            command.env_remove(name);
        }
        let child = command.spawn()?;
        // Only the program has them now.
        rustix::io::fcntl_setfd(&memory, FdFlags::CLOEXEC)?;
        drop(theirs);
        Ok(Server { child, socket: ours, memory, patience })
    }

    /// Makes a run. None if the program does not wait for us: it was not built for the sanitizer.
    pub(super) fn make(&mut self, request: &Request) -> io::Result<Option<Outcome>> {
        let parts = request.write().ok_or_else(|| io::Error::other("a schedule is too long"))?;
        for (place, bytes) in parts {
            self.memory.write_all_at(&bytes, place as u64)?;
        }
        if self.socket.write_all(&[1]).is_err() {
            return Ok(None);
        }
        let mut status = [0; 4];
        self.socket.set_read_timeout(Some(self.patience))?;
        let mut hung = false;
        loop {
            match self.socket.read_exact(&mut status) {
                Ok(()) => break,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) && !hung => {
                    hung = true;
                    self.socket.set_read_timeout(None)?;
                    if let Some(process) = Pid::from_raw(self.answer()?.process) {
                        // That it has ended meanwhile is fine.
                        let _ = rustix::process::kill_process(process, Signal::KILL);
                    }
                }
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        let answer = self.answer()?;
        let mut bytes = vec![0; answer.steps * Step::SIZE];
        self.memory.read_exact_at(&mut bytes, at::STEP as u64)?;
        let steps = bytes.chunks_exact(Step::SIZE).map(Step::read).collect::<Option<Vec<Step>>>();
        let steps =
            steps.ok_or_else(|| io::Error::other("the program has written over the memory that it shares with us"))?;
        let status = std::os::unix::process::ExitStatusExt::from_raw(i32::from_le_bytes(status));
        Ok(Some(Outcome { answer, steps, status, hung }))
    }

    fn answer(&self) -> io::Result<Answer> {
        let mut bytes = vec![0; at::DECISION];
        self.memory.read_exact_at(&mut bytes, 0)?;
        Answer::read(&bytes).ok_or_else(|| io::Error::other("the shared memory is too small"))
    }
}

/// A copy whose number has three digits. The numbers are in the environment of the program, which is
/// on its stack: if it were longer for one server, variables there would be elsewhere.
fn numbered(fd: impl AsFd) -> io::Result<OwnedFd> {
    Ok(rustix::io::fcntl_dupfd_cloexec(fd, 100)?)
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends when nobody talks to it any more; what it has started may not.
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        if let Ok(answer) = self.answer()
            && let Some(process) = Pid::from_raw(answer.process)
        {
            let _ = rustix::process::kill_process(process, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}
