//! Reports on their way from the event stream to where people read them.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::Path;

use clap::ColorChoice;
use fencepost_sanitizer::report::{Deadlock, Report};
use fencepost_sanitizer::symbols::Files;
use fencepost_sanitizer::text::{self, Look};
use fencepost_sanitizer::trace::HEADER;
use fencepost_sanitizer::{Ending, Item, Options, Reporter, json, sarif};

use crate::args::ReportFormat;
use crate::options;
use crate::output::{self, Output};

/// All runs of a program, in one form.
pub(crate) struct Session {
    reporter: Reporter<Files>,
    format: ReportFormat,
    look: Look,
    file: Option<File>,
    /// For formats that come in one piece.
    reports: Vec<Report>,
    deadlocks: Vec<Deadlock>,
    /// Lists of suppressions that the program's own options named, and that were read.
    read: BTreeSet<String>,
    /// The program's own options ask for it.
    print_suppressions: bool,
    /// Likewise, for text.
    to_stdout: bool,
    /// Why nothing more is written. The program must not notice: it waits for answers.
    failure: Option<io::Error>,
}

/// What the program wants to hear after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Nothing.
    None,
    /// It has found something, and may want to know whether to go on.
    Found,
    /// It has found something that is suppressed.
    Suppressed,
    /// It ends, and wants an exit code.
    Ending,
}

impl Session {
    pub(crate) fn new(
        options: Options,
        format: ReportFormat,
        color: ColorChoice,
        file: Option<&Path>,
    ) -> Result<Session, String> {
        let file = match file {
            None => None,
            Some(path) => {
                Some(File::create(path).map_err(|error| format!("cannot write `{}`: {error}", path.display()))?)
            }
        };
        let terminal = file.is_none() && io::stderr().is_terminal();
        Ok(Session {
            reporter: Reporter::new(options, Files::default()),
            format,
            look: Look { color: options::wants_color(color, terminal) },
            file,
            reports: Vec::new(),
            deadlocks: Vec::new(),
            read: BTreeSet::new(),
            print_suppressions: false,
            to_stdout: false,
            failure: None,
        })
    }

    /// Takes in a line and reports what it says. That it cannot be written is told at the [end](Self::finish).
    pub(crate) fn line(&mut self, line: &[u8], trace: &mut Trace, output: &mut Output) -> Answer {
        let item = self.reporter.line(line, &mut || trace.read());
        if item == Item::End {
            self.settle(trace, output);
        }
        self.show(item, output)
    }

    /// Reports what had to wait for the end of the run.
    pub(crate) fn settle(&mut self, trace: &mut Trace, output: &mut Output) {
        for item in self.reporter.due(&mut || trace.read()) {
            self.show(item, output);
        }
    }

    fn show(&mut self, item: Item, output: &mut Output) -> Answer {
        match item {
            Item::Start => {
                self.take_options();
                Answer::None
            }
            Item::Nothing => Answer::None,
            Item::Deadlock(deadlock) => {
                // Whatever the format: it is why the program ends.
                output::note(&text::deadlock(&deadlock));
                match self.format {
                    ReportFormat::Human => {}
                    ReportFormat::Json => self.write(&json::deadlock(&deadlock), output),
                    ReportFormat::Sarif => self.deadlocks.push(*deadlock),
                }
                Answer::None
            }
            Item::Note(note) => {
                output::note(&format!("fencepost: note: {note}\n"));
                Answer::None
            }
            Item::Report(report) => {
                match self.format {
                    ReportFormat::Human => self.write(&text::report(&report, self.look), output),
                    ReportFormat::Json => self.write(&json::report(&report), output),
                    ReportFormat::Sarif => self.reports.push(*report),
                }
                Answer::Found
            }
            Item::Known => Answer::Found,
            Item::Suppressed => Answer::Suppressed,
            Item::End => Answer::Ending,
        }
    }

    /// Options that the program found in its environment, or that were built into it, and that are for us.
    fn take_options(&mut self) {
        let option = |key: &str| self.reporter.option(key).filter(|value| !value.is_empty()).map(str::to_string);
        let (suppressions, log_path, option_color) = (option("suppressions"), option("log_path"), option("color"));
        let max_reports = option("max_reports").and_then(|value| value.parse().ok());
        self.print_suppressions |= option("print_suppressions").is_some_and(|value| value == "1");
        if let Some(count) = max_reports {
            self.reporter.set_max_reports(count);
        }
        match option_color.as_deref() {
            Some("always") => self.look.color = true,
            Some("never") => self.look.color = false,
            _ => {}
        }
        self.to_stdout = log_path.as_deref() == Some("stdout");
        let name = log_path.filter(|name| name != "stderr" && name != "stdout");
        if let (Some(name), None, ReportFormat::Human) = (name, &self.file, self.format) {
            let name = format!("{name}.{}", self.reporter.pid());
            match File::create(&name) {
                Ok(file) => self.file = Some(file),
                Err(error) => output::note(&format!("fencepost: error: cannot write `{name}`: {error}\n")),
            }
        }
        if let Some(name) = suppressions
            && self.read.insert(name.clone())
        {
            let read = std::fs::read_to_string(&name).map_err(|error| error.to_string());
            if let Err(error) = read.and_then(|text| self.reporter.suppress(&text)) {
                output::note(&format!("fencepost: error: {name}: {error}\n"));
            }
        }
    }

    /// An option of the program.
    pub(crate) fn option(&self, key: &str) -> Option<&str> {
        self.reporter.option(key)
    }

    /// The stream of a run is over.
    pub(crate) fn end_run(&mut self) -> Ending {
        self.reporter.finish()
    }

    /// Writes what comes at the end; for people, only what is asked for. An error says that something could not be written, now or
    /// earlier.
    pub(crate) fn finish(&mut self, figures: bool, suppressions: bool, output: &mut Output) -> io::Result<()> {
        match self.format {
            ReportFormat::Human => {
                if figures {
                    self.write(&text::summary(self.reporter.totals()), output);
                }
                if suppressions || self.print_suppressions {
                    self.write(&text::suppressions(self.reporter.suppressions()), output);
                }
            }
            ReportFormat::Json => self.write(&json::summary(self.reporter.totals()), output),
            ReportFormat::Sarif => {
                let log = sarif::log(&self.reports, &self.deadlocks, env!("CARGO_PKG_VERSION"));
                self.write(&log, output);
            }
        }
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Could something not be written? Then there is no point in further runs.
    pub(crate) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Does the program wait for an answer to every report?
    pub(crate) fn waits(&self) -> bool {
        self.reporter.waits()
    }

    /// The most steps that a run has had; 0 if not known.
    pub(crate) fn steps(&self) -> u64 {
        self.reporter.totals().figures.steps
    }

    /// Runs that ended because all threads waited.
    pub(crate) fn deadlocks(&self) -> u64 {
        self.reporter.totals().deadlocks
    }

    pub(crate) fn has_findings(&self) -> bool {
        self.reporter.has_findings()
    }

    /// Text for people goes where the program's own complaints go, everything else where results go.
    fn write(&mut self, text: &str, output: &mut Output) {
        if self.failure.is_some() {
            return;
        }
        let written = match (&mut self.file, self.format) {
            (Some(file), _) => file.write_all(text.as_bytes()),
            (None, ReportFormat::Human) if !self.to_stdout => output.err(text),
            (None, _) => output.out(text),
        };
        self.failure = written.err();
    }
}

/// The recorded run, if there is one.
pub(crate) struct Trace {
    file: Option<File>,
}

impl Trace {
    pub(crate) fn new(file: Option<File>) -> Trace {
        Trace { file }
    }

    /// Its bytes, as they are now: the header says how many are in use.
    fn read(&mut self) -> Option<Vec<u8>> {
        let file = self.file.as_mut()?;
        let mut bytes = vec![0; HEADER];
        file.seek(SeekFrom::Start(0)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        let length = fencepost_sanitizer::trace::used(&bytes)?;
        file.take(length).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}
