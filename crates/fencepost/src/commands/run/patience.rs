//! Ends a program that takes too long, or that the user does not want to wait for.

use std::process::Child;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal};

use super::signals::Signals;

/// How often to look whether the user wants to stop.
const GLANCE: Duration = Duration::from_millis(50);

/// Somebody who waits for a program to end, with a limit.
pub(super) struct Patience {
    over: Sender<()>,
    waiting: JoinHandle<bool>,
}

impl Patience {
    /// Waits for this one. If it `leads` a group of processes, all of them are ended, also by signals
    /// of the user, which do not reach that group by themselves.
    pub(super) fn with(child: &Child, limit: Duration, leads: bool, signals: &Signals) -> Patience {
        let (pid, stop) = (Pid::from_child(child), leads.then(|| signals.flag()));
        // A number may be that of another process when the time has come.
        let file = rustix::process::pidfd_open(pid, PidfdFlags::empty()).ok();
        let (over, heard) = mpsc::channel();
        let kill = move || {
            let killed = match &file {
                Some(file) => rustix::process::pidfd_send_signal(file, Signal::KILL),
                None => rustix::process::kill_process(pid, Signal::KILL),
            };
            if leads && killed.is_ok() {
                // That there is nobody else is fine.
                let _ = rustix::process::kill_process_group(pid, Signal::KILL);
            }
            killed.is_ok()
        };
        let waiting = thread::spawn(move || {
            let start = Instant::now();
            loop {
                let left = limit.saturating_sub(start.elapsed());
                if left.is_zero() {
                    return kill();
                }
                if stop.as_ref().is_some_and(|stop| stop.load(Ordering::SeqCst)) {
                    kill();
                    return false;
                }
                if heard.recv_timeout(left.min(GLANCE)) != Err(RecvTimeoutError::Timeout) {
                    return false;
                }
            }
        });
        Patience { over, waiting }
    }

    /// The program has ended. Was it made to, because it took too long?
    pub(super) fn end(self) -> bool {
        drop(self.over);
        self.waiting.join().unwrap_or(false)
    }
}
