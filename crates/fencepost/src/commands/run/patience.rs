//! Ends a program that takes too long.

use std::process::Child;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal};

/// Somebody who waits for a program to end, with a limit.
pub(super) struct Patience {
    over: Sender<()>,
    waiting: JoinHandle<bool>,
}

impl Patience {
    /// Waits for this one; it must not be waited for elsewhere before [`Self::end`].
    pub(super) fn with(child: &Child, limit: Duration) -> Patience {
        let pid = Pid::from_child(child);
        // A number may be that of another process when the time has come.
        let file = rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok();
        let (over, heard) = mpsc::channel();
        let waiting = thread::spawn(move || {
            heard.recv_timeout(limit) == Err(RecvTimeoutError::Timeout)
                && match &file {
                    Some(file) => rustix::process::pidfd_send_signal(file, Signal::KILL).is_ok(),
                    None => rustix::process::kill_process(pid, Signal::KILL).is_ok(),
                }
        });
        Patience { over, waiting }
    }

    /// The program has ended. Was it made to?
    pub(super) fn end(self) -> bool {
        drop(self.over);
        self.waiting.join().unwrap_or(false)
    }
}
