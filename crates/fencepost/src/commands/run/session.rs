//! Reports on their way from the event stream to where people read them.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use fencepost_finding::{Evidence, Finding, Rank, Trials};
use fencepost_protocol::door::Mismatch;
use fencepost_protocol::record::{self, HEADER};
use fencepost_protocol::{Color, Key};
use fencepost_report::graph::Drawing;
use fencepost_report::terminal::{self, Look};
use fencepost_sanitizer::provoke::Seen;
use fencepost_sanitizer::report::{Deadlock, Identity, Report};
use fencepost_sanitizer::sequel::{Difference, Sequel};
use fencepost_sanitizer::shard::{First, Header, Record};
use fencepost_sanitizer::symbols::Files;
use fencepost_sanitizer::{Ending, Exploration, Item, LastRun, Options, Process, Reporter, json, text};
use rustix::fs::Access;

use super::ranking::Ranking;
use crate::args::{FailOn, ReportFormat, Told};
use crate::files;
use crate::log::{Form, Log};
use crate::options;
use crate::output::{self, Output};

/// All runs of a program, in one form.
pub(crate) struct Session {
    reporter: Reporter<Files>,
    format: ReportFormat,
    look: Look,
    file: Option<File>,
    /// Findings are written here as well, as JSON.
    copy: Option<File>,
    /// For formats that come in one piece.
    log: Log,
    /// That piece is put together by somebody else.
    is_part: bool,
    pictures: Option<Pictures>,
    ranking: Ranking,
    /// What the current run has done after the access that was provoked.
    sequel: Option<Sequel>,
    /// Reports are told in the end, when it is known how bad they are.
    holds: bool,
    /// What users were told.
    notes: BTreeSet<String>,
    /// Lists of suppressions that the program's own options named, and that were read.
    read: BTreeSet<String>,
    /// The program's own options ask for it.
    print_suppressions: bool,
    /// Likewise, for text.
    to_stdout: bool,
    /// What is said of every schedule.
    exploration: Option<Exploration>,
    /// All threads waited, in these runs first.
    deadlocks: Vec<First<Deadlock>>,
    /// With that, others can join what is told with other parts of the series.
    record: Option<Record>,
    /// Why nothing more is written. The program must not notice: it waits for answers.
    failure: Option<io::Error>,
}

/// A process that talks to us.
#[derive(Default)]
pub(crate) struct Talker {
    pub(crate) process: Process,
    trace: Trace,
}

impl Talker {
    /// With the file of its recorded run, if it has one.
    pub(crate) fn new(trace: Option<File>) -> Talker {
        Talker { process: Process::default(), trace: Trace { file: trace } }
    }
}

/// What a process wants to hear after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Nothing.
    Nothing,
    /// It has found something, and may want to know whether to go on.
    Found,
    /// It has found something that is suppressed.
    Suppressed,
    /// It ends, and wants an exit code.
    Ending,
    /// It does not speak our version.
    Foreign(Mismatch),
}

impl Session {
    pub(crate) fn new(options: Options, told: &Told) -> Result<Session, String> {
        let Told { format, color, .. } = *told;
        let pictures = told.graph.as_deref().map(Pictures::new).transpose()?;
        let file = match &told.output {
            None => None,
            Some(path) => {
                Some(File::create(path).map_err(|error| format!("cannot write `{}`: {error}", path.display()))?)
            }
        };
        let terminal = file.is_none() && io::stderr().is_terminal();
        Ok(Session {
            reporter: Reporter::new(options, Files::default()),
            format,
            look: Look { color: options::wants_color(color, terminal), ..Look::default() },
            file,
            copy: None,
            log: Log::new(if format == ReportFormat::Html { Form::Page } else { Form::Sarif }),
            is_part: false,
            pictures,
            ranking: Ranking::default(),
            sequel: None,
            holds: false,
            notes: BTreeSet::new(),
            read: BTreeSet::new(),
            print_suppressions: false,
            to_stdout: false,
            exploration: None,
            deadlocks: Vec::new(),
            record: None,
            failure: None,
        })
    }

    /// Every finding is written to this file as well, as JSON.
    pub(super) fn copy_to(&mut self, file: Option<File>) {
        self.copy = file;
    }

    /// Others have something to say on the same page.
    pub(super) fn is_part(&mut self, is_part: bool) {
        self.is_part = is_part;
    }

    /// Paths in a log of findings start in this folder.
    pub(super) fn start_paths_in(&mut self, folder: Option<PathBuf>) {
        self.log.start_paths_in(folder);
    }

    /// Different reports so far.
    pub(super) fn reports(&self) -> u64 {
        self.reporter.totals().reports
    }

    /// Runs so far.
    pub(super) fn runs(&self) -> u64 {
        self.reporter.totals().runs
    }

    /// Findings that were left out because they are a library's own affair.
    pub(super) fn own(&self) -> u64 {
        self.reporter.totals().own
    }

    /// What came of the run that has ended last.
    pub(super) fn last_run(&self) -> LastRun {
        self.reporter.last_run()
    }

    /// Takes in a line and reports what it says. That it cannot be written is told at the
    /// [end](Self::finish).
    pub(crate) fn line(&mut self, talker: &mut Talker, line: &[u8], output: &mut Output) -> Wish {
        let Talker { process, trace } = talker;
        let item = self.reporter.line(process, line, &mut || trace.read());
        match item {
            Item::Start => self.take_options(process),
            Item::End => self.settle(talker, output),
            _ => {}
        }
        self.show(item, &talker.process, output)
    }

    /// From now on, reports are told in the end, in the order of how bad they are; those that are
    /// harmless in full, if `all`.
    pub(super) fn rank(&mut self, holds: bool, all: bool) {
        (self.holds, self.look.in_full) = (holds, all);
    }

    /// The ordinary runs in which a report was seen.
    pub(super) fn runs_with(&self, identity: &Identity) -> &[Seen] {
        self.reporter.runs_with(identity)
    }

    /// What is known of how bad reports are.
    pub(super) fn ranking(&self) -> &Ranking {
        &self.ranking
    }

    /// The same, to be told more.
    pub(super) fn ranking_mut(&mut self) -> &mut Ranking {
        &mut self.ranking
    }

    /// What the run that has just ended did after the access that was provoked; none if its schedule
    /// was not controlled.
    pub(super) fn take_sequel(&mut self) -> Option<Sequel> {
        self.sequel.take()
    }

    /// For comparing runs.
    pub(super) fn reporter_mut(&mut self) -> &mut Reporter<Files> {
        &mut self.reporter
    }

    /// The value that was used in the last run is passed on.
    pub(super) fn pass_on(&mut self, difference: &Difference) {
        let passed_on = self.reporter.passed_on(difference);
        self.ranking.pass_on(passed_on);
    }

    /// Reports what had to wait for the end of the process.
    fn settle(&mut self, talker: &mut Talker, output: &mut Output) {
        let Talker { process, trace } = talker;
        for item in self.reporter.due(process, &mut || trace.read()) {
            self.show(item, &talker.process, output);
        }
    }

    /// A process says no more.
    pub(crate) fn leave(&mut self, mut talker: Talker, output: &mut Output) -> Ending {
        self.settle(&mut talker, output);
        let Talker { process, trace } = talker;
        if process.is_provoked() && process.options().schedule.is_controlled() && self.sequel.is_none() {
            self.sequel = trace.read().and_then(|bytes| process.sequel(&bytes));
        }
        self.reporter.leave(&process)
    }

    fn show(&mut self, item: Item, process: &Process, output: &mut Output) -> Wish {
        match item {
            Item::Start | Item::Nothing => Wish::Nothing,
            Item::Foreign(mismatch) => Wish::Foreign(mismatch),
            Item::Deadlock(deadlock) if process.is_provoked() => {
                self.ranking.deadlock(&deadlock);
                Wish::Nothing
            }
            Item::Provoked(taken) => {
                self.ranking.take(*taken);
                Wish::Nothing
            }
            Item::Failure(failure) => {
                self.ranking.fail(*failure);
                Wish::Nothing
            }
            Item::Deadlock(deadlock) => {
                let (seed, part) = (Some(process.options().seed), 1);
                self.deadlocks.push(First { seed, part, what: (*deadlock).clone() });
                let finding = deadlock.finding();
                // Whatever the format: it is why the program ends.
                output::note(&terminal::finding(&finding, None, &self.look));
                match self.format {
                    ReportFormat::Human => self.copy(&finding),
                    _ => self.tell(finding, output),
                }
                Wish::Nothing
            }
            // Ordinary runs have said it.
            Item::Note(note) if process.is_provoked() && !self.notes.insert(note.clone()) => Wish::Nothing,
            Item::Note(note) => {
                self.notes.insert(note.clone());
                output::note(&format!("fencepost: note: {note}\n"));
                Wish::Nothing
            }
            Item::Report(report) => {
                if !self.holds {
                    self.draw_and_tell(report.finding_so_far(), output);
                }
                self.ranking.hold(*report);
                Wish::Found
            }
            Item::Better(report) => {
                self.ranking.replace(*report);
                Wish::Found
            }
            Item::Known => Wish::Found,
            Item::Suppressed => Wish::Suppressed,
            Item::End => Wish::Ending,
        }
    }

    fn draw_and_tell(&mut self, mut finding: Finding, output: &mut Output) {
        let drawn = self.pictures.as_mut().map_or(Ok(()), |pictures| pictures.draw(&mut finding));
        self.tell(finding, output);
        self.failure = self.failure.take().or(drawn.err());
    }

    /// What was held back, the worst first. People see what is harmless in a line each.
    fn tell_all(&mut self, output: &mut Output) {
        let in_lines = self.format == ReportFormat::Human && !self.look.in_full;
        let (harmless, others): (Vec<_>, Vec<_>) =
            self.ranking.in_order().into_iter().partition(|(_, rank)| in_lines && *rank == Some(Rank::Harmless));
        for (report, _) in others {
            self.draw_and_tell(report.finding(), output);
        }
        if !harmless.is_empty() {
            let findings: Vec<Finding> = harmless.into_iter().map(|(report, _)| report.finding()).collect();
            findings.iter().for_each(|finding| self.copy(finding));
            let lines: String = findings.iter().map(terminal::finding_line).collect();
            let is_exact = |finding: &Finding| match &finding.evidence {
                Evidence::Observed(observed) => observed.trials.as_ref().is_some_and(Trials::is_exact),
                Evidence::Replayed(_) => false,
            };
            let how = match findings.iter().all(is_exact) {
                true => "in every execution in which it is the only stale step",
                false => "as far as runs show",
            };
            let title = format!("fencepost: reported, and harmless {how} (in full with --all):\n");
            self.write(&format!("{title}{lines}"), output);
        }
    }

    /// What was left out because it is a library's own affair, in a line each.
    fn tell_own(&mut self, output: &mut Output) {
        let lines: String =
            self.reporter.own().map(|report| terminal::finding_line(&report.finding_so_far())).collect();
        if !lines.is_empty() {
            self.write(&format!("fencepost: left out, because it is a library's own affair:\n{lines}"), output);
        }
    }

    /// A finding, where and when its form wants it.
    fn tell(&mut self, finding: Finding, output: &mut Output) {
        self.copy(&finding);
        match self.format {
            ReportFormat::Human => self.write(&terminal::finding(&finding, None, &self.look), output),
            ReportFormat::Json => self.write(&fencepost_report::json::finding(&finding), output),
            ReportFormat::Sarif | ReportFormat::Html => self.log.finding(finding),
        }
    }

    fn copy(&mut self, finding: &Finding) {
        if let Some(copy) = &mut self.copy {
            let written = copy.write_all(fencepost_report::json::finding(finding).as_bytes());
            self.failure = self.failure.take().or(written.err());
        }
    }

    /// Options that a process found in its environment, or that were built into it, and that are
    /// for us.
    fn take_options(&mut self, process: &Process) {
        let given = |key: Key| process.given(key).filter(|value| !value.is_empty()).map(str::to_string);
        let (options, log_path, suppressions) = (process.options(), given(Key::LogPath), given(Key::Suppressions));
        self.print_suppressions |= options.print_suppressions;
        // What follows comes after what it follows from.
        self.holds |= process.is_provoked();
        if given(Key::MaxReports).is_some() {
            self.reporter.set_max_reports(options.max_reports as usize);
        }
        match options.color {
            Color::Always => self.look.color = true,
            Color::Never => self.look.color = false,
            Color::Auto => {}
        }
        self.to_stdout = log_path.as_deref() == Some("stdout");
        let name = log_path.filter(|name| name != "stderr" && name != "stdout");
        if let (Some(name), None, ReportFormat::Human) = (name, &self.file, self.format) {
            let name = format!("{name}.{}", process.pid());
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

    /// All processes of a run have left.
    pub(crate) fn end_run(&mut self) {
        self.reporter.end_run();
    }

    /// It was a part of a series: others are to be able to join it with other parts.
    pub(super) fn keep_record(&mut self, header: Header) {
        let part = header.parts.first().copied().unwrap_or(1);
        let seed = |report: &Report| self.reporter.runs_with(&report.identity()).first().map(|seen| seen.seed);
        let first = |report: &Report| First { seed: seed(report), part, what: report.clone() };
        self.deadlocks.iter_mut().for_each(|deadlock| deadlock.part = part);
        self.record = Some(Record {
            header: Header { ranks: self.holds, ..header },
            totals: self.reporter.totals().clone(),
            reports: self.ranking.reports().iter().map(first).collect(),
            deadlocks: std::mem::take(&mut self.deadlocks),
            own: self.reporter.own().cloned().collect(),
        });
    }

    /// What there is to tell was seen elsewhere.
    pub(super) fn adopt(&mut self, record: Record, all: bool, output: &mut Output) {
        self.rank(record.header.ranks, all);
        self.reporter.adopt(record.totals.clone(), record.own.clone());
        for deadlock in &record.deadlocks {
            self.tell(deadlock.what.clone().finding(), output);
        }
        for report in &record.reports {
            if !self.holds {
                self.draw_and_tell(report.what.finding_so_far(), output);
            }
            self.ranking.hold(report.what.clone());
        }
        self.record = Some(record);
    }

    /// Every schedule was explored, as far as this says.
    pub(super) fn explored(&mut self, exploration: Exploration) {
        self.exploration = Some(exploration);
    }

    /// Writes what comes at the end; for people, only what is asked for. An error says that
    /// something could not be written, now or earlier.
    pub(crate) fn finish(&mut self, figures: bool, suppressions: bool, output: &mut Output) -> io::Result<()> {
        if self.holds {
            self.tell_all(output);
        }
        let ranks = self.ranking.counts();
        match self.format {
            ReportFormat::Human => {
                if self.look.in_full {
                    self.tell_own(output);
                }
                if let Some(exploration) = &self.exploration {
                    let text = format!("fencepost: {}\n", exploration.text);
                    self.write(&text, output);
                } else if figures {
                    self.write(&text::summary(self.reporter.totals(), &ranks), output);
                }
                if suppressions || self.print_suppressions {
                    self.write(&text::suppressions(self.reporter.suppressions()), output);
                }
            }
            ReportFormat::Json => {
                let (totals, exploration) = (self.reporter.totals(), self.exploration.as_ref());
                self.write(&json::summary(totals, &ranks, exploration, self.record.as_ref()), output);
            }
            ReportFormat::Sarif => self.write(&self.log.render(), output),
            ReportFormat::Html => {
                match &self.exploration {
                    Some(exploration) => self.log.remark(&exploration.text),
                    None => self.log.remark(&text::summary(self.reporter.totals(), &ranks)),
                }
                let text = match self.is_part {
                    true => serde_json::to_string(&self.log.part()).map_err(io::Error::other)?,
                    false => self.log.render(),
                };
                self.write(&text, output);
            }
        }
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Could something not be written? Then there is no point in further runs.
    pub(crate) fn has_failed(&self) -> bool {
        self.failure.is_some()
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

    /// Was something found that the command is to fail for?
    pub(super) fn fails(&self, on: FailOn) -> bool {
        match on {
            // Also what was only counted.
            FailOn::Any => self.reporter.has_findings(),
            FailOn::Race | FailOn::Failure => self.ranking.fails(on),
        }
    }

    /// Text for people goes where the program's own complaints go, everything else where results
    /// go.
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

/// A directory with a picture of each report.
struct Pictures {
    directory: PathBuf,
    count: usize,
}

impl Pictures {
    /// In a directory, which is created if need be. That nothing can be written there is to be known
    /// before a long run.
    fn new(directory: &Path) -> Result<Pictures, String> {
        let ready = fs::create_dir_all(directory).and_then(|()| Ok(rustix::fs::access(directory, Access::WRITE_OK)?));
        ready.map_err(|error| format!("cannot write pictures to `{}`: {error}", directory.display()))?;
        Ok(Pictures { directory: directory.to_path_buf(), count: 0 })
    }

    /// Draws a finding, which says then where its picture is.
    fn draw(&mut self, finding: &mut Finding) -> io::Result<()> {
        let Some(drawing) = Drawing::of(finding) else { return Ok(()) };
        self.count += 1;
        let path = self.directory.join(format!("report-{}.svg", self.count));
        files::write(&path, &drawing.svg())
            .map_err(|error| io::Error::new(error.kind(), format!("`{}`: {error}", path.display())))?;
        if let Evidence::Observed(observed) = &mut finding.evidence {
            observed.picture = Some(path.display().to_string());
        }
        Ok(())
    }
}

/// The recorded run, if there is one.
#[derive(Default)]
struct Trace {
    file: Option<File>,
}

impl Trace {
    /// Its bytes, as they are now: the header says how many are in use.
    fn read(&self) -> Option<Vec<u8>> {
        let file = self.file.as_ref()?;
        let mut bytes = vec![0; HEADER];
        file.read_exact_at(&mut bytes, 0).ok()?;
        let used = usize::try_from(record::used(&bytes)?).ok()?;
        // The file is the program's: the header may promise more than there is.
        let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
        bytes.resize(length.min(HEADER.checked_add(used)?), 0);
        file.read_exact_at(&mut bytes[HEADER..], HEADER as u64).ok()?;
        // The program gives up what it has recorded when there is no room for more.
        file.read_exact_at(&mut bytes[..HEADER], 0).ok()?;
        record::used(&bytes).map(|_| bytes)
    }
}
