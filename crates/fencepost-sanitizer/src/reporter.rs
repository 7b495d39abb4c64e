//! Follows the runs of a program and decides what is worth telling.

use std::collections::BTreeSet;

use crate::report::{Deadlock, Identity, Kind, Report};
use crate::run::Run;
use crate::stream::{self, Event, Figures, Finding};
use crate::suppress::Suppressions;
use crate::symbols::Symbols;
use crate::trace::Trace;

/// What to tell.
#[derive(Clone, Debug)]
pub struct Options {
    /// What not to tell.
    pub suppressions: Suppressions,
    /// After so many different reports, the others are only counted.
    pub max_reports: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { suppressions: Suppressions::default(), max_reports: 100 }
    }
}

/// What a line of the stream comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Nothing to tell.
    Nothing,
    /// The program has started; its options are known.
    Start,
    /// A finding that was not reported before.
    Report(Box<Report>),
    /// A finding that was reported before, or is one too many.
    Known,
    /// A finding that is suppressed.
    Suppressed,
    /// Something the user should know.
    Note(String),
    /// The threads of the program wait for one another in a way that was not reported before, and it is ended.
    Deadlock(Box<Deadlock>),
    /// The program ends in an orderly way, and waits for our answer.
    End,
}

/// How a run ended, as far as the stream tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The program never said that it started: it was not built for the sanitizer.
    Silent,
    /// It ended without saying so.
    Died,
    /// It said that it ends.
    Exited,
}

/// Figures over all runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Runs that were observed.
    pub runs: u64,
    /// Different reports, told or not.
    pub reports: u64,
    /// Findings that were reported before.
    pub duplicates: u64,
    /// Findings that were suppressed.
    pub suppressed: u64,
    /// Runs that ended because all threads waited.
    pub deadlocks: u64,
    /// Lines that were no events.
    pub malformed: u64,
    /// Sums of what the runs counted; `locations`, `threads` and `steps` are the largest.
    pub figures: Figures,
    /// Seeds of the runs that found something, in order.
    pub seeds: Vec<u64>,
}

/// Follows the runs of a program, one after the other.
pub struct Reporter<S> {
    options: Options,
    symbols: S,
    seen: BTreeSet<Identity>,
    deadlocks: BTreeSet<String>,
    totals: Totals,
    run: Run,
    found: bool,
}

impl<S: Symbols> Reporter<S> {
    /// Before the first run.
    pub fn new(options: Options, symbols: S) -> Self {
        Reporter {
            options,
            symbols,
            seen: BTreeSet::new(),
            deadlocks: BTreeSet::new(),
            totals: Totals::default(),
            run: Run::default(),
            found: false,
        }
    }

    /// Takes in a line of the current run. `recorded` gives the bytes of the recorded run, if there is one; it is asked only
    /// when they are needed.
    pub fn line(&mut self, line: &[u8], recorded: &mut dyn FnMut() -> Option<Vec<u8>>) -> Item {
        match stream::parse(line) {
            Err(error) => {
                self.totals.malformed += 1;
                // One is enough to know that something is wrong.
                match self.totals.malformed {
                    1 => Item::Note(format!("a line from the program is no event and was left out: {error}")),
                    _ => Item::Nothing,
                }
            }
            Ok(Event::Report(finding)) if finding.may_be_spinning() && !self.waits() => {
                self.run.pending.push(*finding);
                Item::Nothing
            }
            Ok(Event::Report(finding)) => self.finding(&finding, recorded),
            Ok(Event::Note { text }) => Item::Note(text),
            Ok(Event::Deadlock { waiting }) => {
                self.totals.deadlocks += 1;
                let deadlock = self.run.deadlock(&waiting, &mut self.symbols);
                match self.deadlocks.insert(deadlock.identity()) {
                    true => Item::Deadlock(Box::new(deadlock)),
                    false => Item::Nothing,
                }
            }
            Ok(event) => {
                let item = match event {
                    Event::Start(_) => Item::Start,
                    Event::End { .. } => Item::End,
                    _ => Item::Nothing,
                };
                // A program that starts others, one after the other: each is a run.
                if item == Item::Start && self.run.start.is_some() {
                    self.finish();
                }
                self.run.follow(event);
                item
            }
        }
    }

    /// The run is about to end: findings about loads that were not busy waits after all. To be asked for at [`Item::End`] and at the end of
    /// the stream. A loop is recognised when it goes round, which may be later than the first time that it could have read a stale value.
    pub fn due(&mut self, recorded: &mut dyn FnMut() -> Option<Vec<u8>>) -> Vec<Item> {
        let pending = std::mem::take(&mut self.run.pending);
        let left: Vec<_> = pending.into_iter().filter_map(|finding| self.run.without_spins(finding)).collect();
        left.iter().map(|finding| self.finding(finding, recorded)).collect()
    }

    /// The stream has ended, and the run with it.
    pub fn finish(&mut self) -> Ending {
        let run = std::mem::take(&mut self.run);
        let found = std::mem::take(&mut self.found);
        let Some(start) = run.start else { return Ending::Silent };
        self.totals.runs += 1;
        if found {
            self.totals.seeds.push(start.seed);
        }
        self.totals.add(run.figures);
        if run.status.is_some() { Ending::Exited } else { Ending::Died }
    }

    /// Does the program wait for an answer after each report? (Option `halt_on_error`.)
    pub fn waits(&self) -> bool {
        let start = self.run.start.as_ref();
        start.and_then(|start| start.options.get("halt_on_error")).is_some_and(|value| value == "1" || value == "true")
    }

    /// An option of the current run.
    pub fn option(&self, key: &str) -> Option<&str> {
        self.run.start.as_ref()?.options.get(key).map(String::as_str)
    }

    /// The process of the current run.
    pub fn pid(&self) -> u64 {
        self.run.start.as_ref().map_or(0, |start| start.pid)
    }

    /// Adds to what not to tell; the error names the line.
    pub fn suppress(&mut self, list: &str) -> Result<(), String> {
        self.options.suppressions.add(list)
    }

    /// After so many different reports, the others are only counted.
    pub fn set_max_reports(&mut self, count: usize) {
        self.options.max_reports = count;
    }

    /// Something was found in this run or an earlier one.
    pub fn has_findings(&self) -> bool {
        self.totals.reports > 0
    }

    /// Figures over all finished runs.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The suppressions with how often each was used.
    pub fn suppressions(&self) -> &Suppressions {
        &self.options.suppressions
    }

    fn finding(&mut self, finding: &Finding, recorded: &mut dyn FnMut() -> Option<Vec<u8>>) -> Item {
        let mut report = self.run.report(finding, &mut self.symbols);
        if self.options.suppressions.covers(&report) {
            self.totals.suppressed += 1;
            return Item::Suppressed;
        }
        self.found = true;
        if !self.seen.insert(report.identity()) {
            self.totals.duplicates += 1;
            return Item::Known;
        }
        self.totals.reports += 1;
        if self.seen.len() > self.options.max_reports {
            return Item::Known;
        }
        if let Kind::Robustness(_) = report.kind {
            let trace = recorded().and_then(|bytes| Trace::read(&bytes, finding.access.time));
            self.run.advise(finding, trace, &mut report, &mut self.symbols);
        }
        Item::Report(Box::new(report))
    }
}

impl Totals {
    fn add(&mut self, figures: Figures) {
        let sum = &mut self.figures;
        for (sum, more) in [
            (&mut sum.accesses, figures.accesses),
            (&mut sum.fences, figures.fences),
            (&mut sum.cut, figures.cut),
            (&mut sum.out_of_sight, figures.out_of_sight),
            (&mut sum.switches, figures.switches),
            (&mut sum.mixed_size, figures.mixed_size),
        ] {
            *sum = sum.saturating_add(more);
        }
        sum.locations = sum.locations.max(figures.locations);
        sum.threads = sum.threads.max(figures.threads);
        sum.steps = sum.steps.max(figures.steps);
    }
}
