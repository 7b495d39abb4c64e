//! The only place that writes to standard output, and, but for the progress bar, to standard error.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal as _, StderrLock, StdoutLock, Write};
use std::path::Path;

use crate::exit::Exit;

/// Standard output, locked for the whole run, or a file in its place. Standard error is locked for
/// each message.
pub(crate) struct Output {
    stdout: StdoutLock<'static>,
    file: Option<File>,
}

impl Output {
    pub(crate) fn new() -> Self {
        Output { stdout: io::stdout().lock(), file: None }
    }

    /// Results go to this file from now on, unless it is called `-`. That it cannot be written is to
    /// be known before a long search.
    pub(crate) fn redirect(&mut self, path: &Path) -> Result<(), String> {
        if path.as_os_str() != "-" {
            let file = File::create(path).map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
            self.file = Some(file);
        }
        Ok(())
    }

    /// Do people see results as they come?
    pub(crate) fn is_terminal(&self) -> bool {
        self.file.is_none() && self.stdout.is_terminal()
    }

    /// Writes results, at once: someone may be waiting for them.
    pub(crate) fn out(&mut self, text: &str) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            return file.write_all(text.as_bytes());
        }
        self.stdout.write_all(text.as_bytes())?;
        self.stdout.flush()
    }

    /// Writes results for people who watch a program, beside what it says itself.
    #[cfg(fencepost_runtime)]
    pub(crate) fn err(&mut self, text: &str) -> io::Result<()> {
        io::stderr().lock().write_all(text.as_bytes())
    }

    /// Writes remarks. That they cannot be written is no reason to stop.
    pub(crate) fn note(&mut self, text: &str) {
        note(text);
    }
}

/// Writes to standard error.
pub(crate) fn note(text: &str) {
    let mut stderr: StderrLock<'_> = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes());
}

/// Writes what the parser of arguments has to say: help, which was asked for, or what is wrong.
pub(crate) fn usage(message: &clap::Error) -> Exit {
    let wanted = !message.use_stderr();
    match message.print().and_then(|()| io::stdout().flush()) {
        Err(error) if wanted => report_failure(&error),
        _ if wanted => Exit::Holds,
        _ => Exit::Error,
    }
}

/// Results could not be written. A reader who has seen enough (`| head`) needs no message.
pub(crate) fn report_failure(error: &io::Error) -> Exit {
    if error.kind() != ErrorKind::BrokenPipe {
        note(&format!("error: cannot write the results: {error}\n"));
    }
    Exit::Error
}
