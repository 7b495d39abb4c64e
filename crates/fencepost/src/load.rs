//! From a path to a program: read, understood, and whatever is wrong told in the way that was asked
//! for. Every command that is about programs goes through here.

use std::fmt::Display;
use std::io;
use std::path::Path;
use std::time::Duration;

use fencepost_base::diag::Diagnostic;
use fencepost_base::source::SourceFile;
use fencepost_ir::Program;
use fencepost_lower::{Loaded, Reading};
use fencepost_report::terminal::{self, Look, Skipped};
use fencepost_report::{Subject, json};
use fencepost_verdict::Reason;

use crate::args::CommonArgs;
use crate::exit::Exit;
use crate::files;
use crate::input::{Input, InputError};
use crate::internal;
use crate::limits::Limits;
use crate::log::Log;
use crate::options;
use crate::output::Output;

/// What became of a piece of work: its result, or how the command ends, which was told already; an
/// error if it could not be told.
pub(crate) type Done<T> = io::Result<Result<T, Exit>>;

/// A program with its text.
pub(crate) struct File {
    pub(crate) input: Input,
    pub(crate) source: SourceFile,
    pub(crate) program: Program,
    /// How long it took to read.
    pub(crate) reading: Duration,
}

impl File {
    pub(crate) fn subject(&self) -> Subject<'_> {
        Subject { source: &self.source, program: &self.program }
    }
}

/// Results go to this file, if there is one; how the command ends, if that cannot be.
pub(crate) fn redirect(output: &mut Output, path: Option<&Path>, look: &Look) -> Option<Exit> {
    let message = output.redirect(path?).err()?;
    output.note(&terminal::plain_error(&message, None, look));
    Some(Exit::Error)
}

/// Where results go, and where and how is told what is wrong.
pub(crate) struct Desk<'a> {
    pub(crate) output: &'a mut Output,
    /// Errors go to standard output, as JSON, rather than to standard error, for people.
    pub(crate) json: bool,
    /// No warnings.
    pub(crate) quiet: bool,
    /// On standard error.
    pub(crate) look: Look,
    /// How texts are read.
    pub(crate) reading: Reading,
    /// For a format that comes in one piece at the end: what went wrong is kept here, too.
    pub(crate) log: Log,
}

impl<'a> Desk<'a> {
    /// For people, warnings included.
    pub(crate) fn new(output: &'a mut Output, common: &CommonArgs) -> Self {
        let (look, reading) = (options::stderr_look(common), options::reading(common));
        Desk { output, json: false, quiet: false, look, reading, log: Log::default() }
    }
}

impl Desk<'_> {
    /// The text of an input.
    pub(crate) fn read(&mut self, input: Result<Input, InputError>) -> Done<(Input, SourceFile)> {
        match input.and_then(|input| input.read().map(|source| (input, source))) {
            Ok(read) => Ok(Ok(read)),
            Err(error) => {
                self.log.failed(error.name(), &error.message());
                match self.json {
                    true => self.output.out(&error.json())?,
                    false => self.output.note(&error.render(&self.look)),
                }
                Ok(Err(Exit::Error))
            }
        }
    }

    /// The program of an input, if it can be read within the limits, should there be any.
    pub(crate) fn load(&mut self, input: Result<Input, InputError>, limits: Option<&Limits>) -> Done<File> {
        let (input, source) = match self.read(input)? {
            Ok(read) => read,
            Err(exit) => return Ok(Err(exit)),
        };
        let loaded = internal::guard(source.name(), || match limits {
            Some(limits) => limits.load(input.language, source.text(), self.reading),
            None => Ok((fencepost_lower::load_as(input.language, source.text(), self.reading), Duration::ZERO)),
        });
        match loaded {
            Err(internal::Panicked) => self.bug(source.name(), "the program could not be read").map(Err),
            Ok(Err(reason)) => self.unread(source.name(), &reason).map(Err),
            Ok(Ok((Loaded { program: None, diagnostics }, _))) => self.malformed(&source, &diagnostics).map(Err),
            Ok(Ok((Loaded { program: Some(program), diagnostics }, reading))) => {
                if !self.quiet {
                    self.output.note(&terminal::diagnostics(&source, &diagnostics, &self.look));
                }
                Ok(Ok(File { input, source, program, reading }))
            }
        }
    }

    /// A limit was reached before the program was known.
    fn unread(&mut self, name: &str, reason: &Reason) -> io::Result<Exit> {
        self.log.unread(name, reason);
        match self.json {
            true => self.output.out(&json::unread(name, reason))?,
            false => self.output.note(&terminal::unread(name, reason, &self.look)),
        }
        Ok(Exit::Unknown)
    }

    /// Files of directories that are left out: among results for people, or as JSON; where neither
    /// is wanted, it is a remark.
    pub(crate) fn skipped(&mut self, files: &[Skipped], for_people: bool, details: bool) -> io::Result<()> {
        files.iter().for_each(|skipped| self.log.foreign(skipped));
        let text = terminal::skipped(files, details);
        match (self.json, for_people) {
            (true, _) => files.iter().try_for_each(|skipped| self.output.out(&json::skipped(skipped))),
            (false, true) => self.output.out(&text),
            (false, false) => {
                self.output.note(&text);
                Ok(())
            }
        }
    }

    /// The input cannot be used.
    pub(crate) fn malformed(&mut self, source: &SourceFile, diagnostics: &[Diagnostic]) -> io::Result<Exit> {
        self.log.malformed(source, diagnostics);
        match self.json {
            true => self.output.out(&json::errors(source.name(), json::diagnostics(source, diagnostics)))?,
            false => self.output.note(&terminal::diagnostics(source, diagnostics, &self.look)),
        }
        Ok(Exit::Error)
    }

    /// Something went wrong that has no place in a text.
    pub(crate) fn error(&mut self, message: &str, help: Option<&str>) -> Exit {
        self.output.note(&terminal::plain_error(message, help, &self.look));
        Exit::Error
    }

    /// Writes a result to a file, or to standard output if that is called `-`.
    pub(crate) fn deliver(&mut self, path: &Path, text: &str) -> io::Result<Exit> {
        if path.as_os_str() == "-" {
            return self.output.out(text).map(|()| Exit::Holds);
        }
        match files::write(path, text) {
            Ok(()) => Ok(Exit::Holds),
            Err(error) => Ok(self.error(&format!("cannot write `{}`: {error}", path.display()), None)),
        }
    }

    /// A piece of work on a file; it may find out, or show by a panic, that fencepost has a bug.
    pub(crate) fn guard<T, E: Display>(
        &mut self,
        name: &str,
        what: &str,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Done<T> {
        match internal::guard(name, work) {
            Ok(Ok(result)) => Ok(Ok(result)),
            Ok(Err(error)) => {
                self.output.note(&internal::message(name, &error.to_string()));
                self.bug(name, &error.to_string()).map(Err)
            }
            Err(internal::Panicked) => self.bug(name, &format!("{what} panicked")).map(Err),
        }
    }

    /// A bug, which people know of already.
    fn bug(&mut self, name: &str, message: &str) -> io::Result<Exit> {
        self.log.failed(name, message);
        if self.json {
            self.output.out(&json::internal_error(name, message))?;
        }
        Ok(Exit::Internal)
    }
}
