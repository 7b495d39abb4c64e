//! The connections to a program and its processes: a door through which each passes a socket for
//! messages and answers, and the memory file of its recorded run.

use std::fs::File;
use std::io::{self, ErrorKind, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::time::Duration;

use fencepost_protocol::door::{self, Door, Mismatch};
use fencepost_protocol::{Answer, MAX_LINE, VERSION};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::FdFlags;
use rustix::net::{AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketFlags, SocketType};
use rustix::process::{Pid, PidfdFlags};

use super::session::Talker;

/// Our side of the door, and who came through it.
pub(crate) struct Channel {
    door: OwnedFd,
    /// Is there somebody who could come through it?
    is_open: bool,
    connections: Vec<Connection>,
    /// Becomes readable when the program has ended.
    ended: Option<OwnedFd>,
}

/// A process that talks.
pub(crate) struct Connection {
    pub(crate) lines: Lines,
    pub(crate) talker: Talker,
}

/// The program's side of the door: inherited by what is started while it exists.
pub(crate) struct Theirs {
    /// Where it is.
    pub(crate) door: Door,
    _socket: OwnedFd,
}

/// What there is to hear.
pub(crate) enum Heard {
    /// A line, from this connection.
    Line(usize, Vec<u8>),
    /// A process says no more.
    Left(Box<Talker>),
    /// A process that does not speak our version came to the door.
    Foreign(Mismatch),
}

/// How often to look whether the program has ended, where the kernel cannot tell us.
const PATIENCE: Duration = Duration::from_millis(50);

impl Channel {
    pub(crate) fn new() -> io::Result<(Channel, Theirs)> {
        let (ours, theirs) =
            rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::empty(), None)?;
        rustix::io::fcntl_setfd(&ours, FdFlags::CLOEXEC)?;
        // Nothing is ever said here: who waits for an answer is told that there is none.
        rustix::net::shutdown(&ours, rustix::net::Shutdown::Write)?;
        let socket = rustix::fs::fstat(&theirs)?.st_ino;
        let door = Door { version: VERSION, file: theirs.as_raw_fd(), socket };
        let channel = Channel { door: ours, is_open: true, connections: Vec::new(), ended: None };
        Ok((channel, Theirs { door, _socket: theirs }))
    }

    /// What comes next. None when the program has ended and nothing more comes. (Others may still
    /// have the door, or a connection.)
    pub(crate) fn hear(&mut self, child: &mut Child) -> io::Result<Option<Heard>> {
        let mut over = false;
        loop {
            for (at, connection) in self.connections.iter_mut().enumerate() {
                if let Some(line) = connection.lines.next() {
                    return Ok(Some(Heard::Line(at, line)));
                }
            }
            if !over {
                over = self.wait(child)?;
            }
            if self.is_open && readable(&self.door)? {
                match self.admit()? {
                    Some(heard) => return Ok(Some(heard)),
                    None => continue,
                }
            }
            let mut found = None;
            for (at, connection) in self.connections.iter().enumerate() {
                if readable(&connection.lines.stream)? {
                    found = Some(at);
                    break;
                }
            }
            match found {
                Some(at) if !self.connections[at].lines.fill()? => {
                    return Ok(Some(Heard::Left(Box::new(self.connections.remove(at).talker))));
                }
                Some(_) => {}
                None if over => return Ok(None),
                None => {}
            }
        }
    }

    /// Waits until there is something to read, or the program has ended (true).
    fn wait(&mut self, child: &mut Child) -> io::Result<bool> {
        if self.ended.is_none() {
            let pid = Pid::from_child(child);
            self.ended = rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok();
        }
        let streams = self.connections.iter().map(|connection| connection.lines.stream.as_fd());
        let door = self.is_open.then_some(self.door.as_fd());
        let all = door.into_iter().chain(streams).chain(self.ended.as_ref().map(|ended| ended.as_fd()));
        let mut all: Vec<PollFd<'_>> = all.map(|file| PollFd::from_borrowed_fd(file, PollFlags::IN)).collect();
        if self.ended.is_none() {
            poll(&mut all, Some(PATIENCE))?;
            return Ok(child.try_wait()?.is_some());
        }
        poll(&mut all, None)?;
        Ok(all.last().is_some_and(|ended| !ended.revents().is_empty()))
    }

    /// Takes what was passed through the door.
    fn admit(&mut self) -> io::Result<Option<Heard>> {
        let mut packet = [0; 64];
        let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
        let mut files = RecvAncillaryBuffer::new(&mut room);
        let received =
            rustix::net::recvmsg(&self.door, &mut [IoSliceMut::new(&mut packet)], &mut files, RecvFlags::CMSG_CLOEXEC)?;
        let mut passed = files.drain().flat_map(|message| match message {
            RecvAncillaryMessage::ScmRights(files) => files.collect(),
            _ => Vec::new(),
        });
        match (door::version_of(&packet[..received.bytes]), passed.next()) {
            (Some(VERSION), Some(socket)) => {
                let talker = Talker::new(passed.next().map(File::from));
                self.connections.push(Connection { lines: Lines::new(UnixStream::from(socket)), talker });
                Ok(None)
            }
            (None, _) => {
                self.is_open = false;
                Ok(None)
            }
            (Some(VERSION), None) => Ok(None),
            (Some(program), _) => Ok(Some(Heard::Foreign(Mismatch { program: program.into() }))),
        }
    }

    /// A connection that a line came from.
    pub(crate) fn connection(&mut self, at: usize) -> &mut Connection {
        &mut self.connections[at]
    }

    /// Listens no longer to this one.
    pub(crate) fn forget(&mut self, at: usize) {
        let connection = self.connections.remove(at);
        // That it is gone already is fine.
        let _ = connection.lines.stream.shutdown(Shutdown::Both);
    }

    /// Those that are still there.
    pub(crate) fn left(&mut self) -> impl Iterator<Item = Talker> {
        self.connections.drain(..).map(|connection| connection.talker)
    }
}

fn poll(descriptors: &mut [PollFd<'_>], patience: Option<Duration>) -> io::Result<usize> {
    let timeout = patience.map(|patience| Timespec {
        tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: patience.subsec_nanos().into(),
    });
    match rustix::event::poll(descriptors, timeout.as_ref()) {
        Ok(count) => Ok(count),
        // Signals are handled elsewhere.
        Err(rustix::io::Errno::INTR) => Ok(0),
        Err(error) => Err(error.into()),
    }
}

fn readable(file: &impl AsFd) -> io::Result<bool> {
    Ok(poll(&mut [PollFd::new(file, PollFlags::IN)], Some(Duration::ZERO))? > 0)
}

/// Lines of a stream. One that is too long is cut, so that it is still a line, and no event.
pub(crate) struct Lines {
    stream: UnixStream,
    buffer: Vec<u8>,
    /// The end has been read.
    over: bool,
}

impl Lines {
    pub(crate) fn new(stream: UnixStream) -> Lines {
        Lines { stream, buffer: Vec::new(), over: false }
    }

    /// A line that was read already. At the end, what is left is one.
    pub(crate) fn next(&mut self) -> Option<Vec<u8>> {
        let end = self.buffer.iter().position(|&byte| byte == b'\n');
        let (end, after) = match end {
            Some(end) => (end, end + 1),
            None if self.buffer.len() > MAX_LINE || (self.over && !self.buffer.is_empty()) => {
                (self.buffer.len(), self.buffer.len())
            }
            None => return None,
        };
        let line = self.buffer[..end].to_vec();
        self.buffer.drain(..after);
        if line.is_empty() { self.next() } else { Some(line) }
    }

    /// Answers who writes the lines. If it is gone, nobody needs the answer.
    pub(crate) fn answer(&mut self, answer: impl Into<u8>) {
        let _ = self.stream.write_all(&[answer.into()]);
    }

    /// Answers a process that has found something, if it waits for that.
    pub(crate) fn answer_report(&mut self, talker: &Talker, answer: Answer) {
        if talker.process.options().halt {
            self.answer(answer);
        }
    }

    /// What was read and not looked at is not wanted.
    pub(crate) fn clear(&mut self) {
        self.buffer.clear();
    }

    /// Reads more; false at the end.
    pub(crate) fn fill(&mut self) -> io::Result<bool> {
        let mut piece = [0; 1 << 14];
        let count = loop {
            match self.stream.read(&mut piece) {
                Ok(count) => break count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The program was killed while it had answers of ours to read.
                Err(error) if error.kind() == ErrorKind::ConnectionReset => break 0,
                Err(error) => return Err(error),
            }
        };
        self.buffer.extend_from_slice(&piece[..count]);
        self.over |= count == 0;
        Ok(count > 0 || !self.buffer.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_one_by_one() {
        let (mut writer, reader) = UnixStream::pair().expect("a pair");
        let mut lines = Lines::new(reader);
        writer.write_all(b"one\n\ntwo\nthr").expect("written");
        assert!(lines.fill().expect("read"));
        assert_eq!((lines.next(), lines.next(), lines.next()), (Some(b"one".to_vec()), Some(b"two".to_vec()), None));
        writer.write_all(b"ee").expect("written");
        drop(writer);
        while lines.fill().expect("read") && !lines.over {}
        assert_eq!((lines.next(), lines.next()), (Some(b"three".to_vec()), None));
        assert!(!lines.fill().expect("read"));
    }

    #[test]
    fn endless_lines_are_cut() {
        let (mut writer, reader) = UnixStream::pair().expect("a pair");
        let mut lines = Lines::new(reader);
        let writing = std::thread::spawn(move || writer.write_all(&vec![b'x'; 3 * MAX_LINE]).expect("written"));
        let mut total = 0;
        while lines.fill().expect("read") {
            while let Some(line) = lines.next() {
                total += line.len();
                assert!(line.len() <= MAX_LINE + (1 << 14));
            }
        }
        writing.join().expect("joined");
        assert_eq!(total, 3 * MAX_LINE);
    }
}
