//! Signals while a program runs: it should get them, and we should live to report.
//!
//! Interrupts from a terminal reach the program by themselves, because it is in the same process
//! group. What was sent to us alone (termination, hang-up, user signals) is passed on.

use std::io;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread;

use rustix::process::{Pid, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator;

/// Listens to signals, from now on until the command ends.
pub(crate) struct Signals {
    /// The process that gets them; 0 for nobody.
    target: Arc<AtomicI32>,
    received: Arc<AtomicBool>,
}

impl Signals {
    pub(crate) fn new() -> io::Result<Signals> {
        let (target, received) = (Arc::new(AtomicI32::new(0)), Arc::new(AtomicBool::new(false)));
        let mut signals = iterator::Signals::new([SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2])?;
        let (to, flag) = (Arc::clone(&target), Arc::clone(&received));
        thread::spawn(move || {
            for signal in signals.forever() {
                let passed_on = match signal {
                    SIGTERM => Some(Signal::TERM),
                    SIGHUP => Some(Signal::HUP),
                    SIGUSR1 => Some(Signal::USR1),
                    SIGUSR2 => Some(Signal::USR2),
                    _ => None,
                };
                if !matches!(signal, SIGUSR1 | SIGUSR2) {
                    flag.store(true, Ordering::SeqCst);
                }
                if let (Some(signal), Some(pid)) = (passed_on, Pid::from_raw(to.load(Ordering::SeqCst))) {
                    // That it is gone already is fine.
                    let _ = rustix::process::kill_process(pid, signal);
                }
            }
        });
        Ok(Signals { target, received })
    }

    pub(crate) fn forward_to(&self, child: &Child) {
        self.target.store(Pid::from_child(child).as_raw_pid(), Ordering::SeqCst);
    }

    pub(crate) fn forward_to_nobody(&self) {
        self.target.store(0, Ordering::SeqCst);
    }

    /// True once there was one that means "stop".
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.received)
    }

    /// Was there one that means "stop"?
    pub(crate) fn received(&self) -> bool {
        self.received.load(Ordering::SeqCst)
    }
}

/// ` (SIGSEGV)`, if it has a name.
pub(crate) fn name(signal: i32) -> String {
    signal_hook::low_level::signal_name(signal).map_or(String::new(), |name| format!(" ({name})"))
}
