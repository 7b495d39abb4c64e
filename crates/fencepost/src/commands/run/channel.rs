//! The connection to the program: a socket for events and answers, a memory file for the recorded run.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::time::Duration;

use fencepost_sanitizer::stream::MAX_LINE;
use fencepost_sanitizer::trace::{HEADER, RECORD};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::MemfdFlags;
use rustix::io::FdFlags;
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::process::{Pid, PidfdFlags};

use super::session::Trace;

/// Our end.
pub(crate) struct Channel {
    lines: Lines,
    /// The recorded run.
    pub(crate) trace: Trace,
    /// Becomes readable when the program has ended.
    ended: Option<OwnedFd>,
}

/// The program's end: inherited by what is started while it exists.
pub(crate) struct Theirs {
    socket: OwnedFd,
    trace: OwnedFd,
}

/// How often to look whether the program has ended, where the kernel cannot tell us.
const PATIENCE: Duration = Duration::from_millis(50);

impl Channel {
    /// With room for so many records of the run.
    pub(crate) fn new(records: u64) -> io::Result<(Channel, Theirs)> {
        let (ours, theirs) =
            rustix::net::socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::empty(), None)?;
        rustix::io::fcntl_setfd(&ours, FdFlags::CLOEXEC)?;
        let trace = rustix::fs::memfd_create("fencepost-trace", MemfdFlags::empty())?;
        // Pages that are never written take no memory.
        rustix::fs::ftruncate(&trace, HEADER as u64 + records * RECORD as u64)?;
        let our_trace = rustix::io::fcntl_dupfd_cloexec(&trace, 3)?;
        let channel = Channel {
            lines: Lines::new(UnixStream::from(ours)),
            trace: Trace::new(Some(File::from(our_trace))),
            ended: None,
        };
        Ok((channel, Theirs { socket: theirs, trace }))
    }

    /// The next line. None when the program has closed its end, or has ended and nothing more comes. (Others may have
    /// inherited its end and keep it open.)
    pub(crate) fn line(&mut self, child: &mut Child) -> io::Result<Option<Vec<u8>>> {
        let mut over = false;
        loop {
            if let Some(line) = self.lines.next() {
                return Ok(Some(line));
            }
            if over && !readable(&self.lines.stream)? {
                return Ok(None);
            }
            if !over {
                over = self.wait(child)?;
            }
            if readable(&self.lines.stream)? && !self.lines.fill()? {
                return Ok(None);
            }
        }
    }

    /// Waits until there is something to read, or the program has ended (true).
    fn wait(&mut self, child: &mut Child) -> io::Result<bool> {
        if self.ended.is_none() {
            let pid = Pid::from_child(child);
            self.ended = rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok();
        }
        let Some(ended) = &self.ended else {
            poll(&mut [PollFd::new(&self.lines.stream, PollFlags::IN)], Some(PATIENCE))?;
            return Ok(child.try_wait()?.is_some());
        };
        let mut both = [PollFd::new(&self.lines.stream, PollFlags::IN), PollFd::new(ended, PollFlags::IN)];
        poll(&mut both, None)?;
        Ok(!both[1].revents().is_empty())
    }

    /// Answers the program.
    pub(crate) fn answer(&mut self, byte: u8) {
        self.lines.answer(byte);
    }
}

impl Theirs {
    pub(crate) fn channel_number(&self) -> String {
        self.socket.as_raw_fd().to_string()
    }

    pub(crate) fn trace_number(&self) -> String {
        self.trace.as_raw_fd().to_string()
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

fn readable(stream: &UnixStream) -> io::Result<bool> {
    Ok(poll(&mut [PollFd::new(&stream.as_fd(), PollFlags::IN)], Some(Duration::ZERO))? > 0)
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
    pub(crate) fn answer(&mut self, byte: u8) {
        let _ = self.stream.write_all(&[byte]);
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
