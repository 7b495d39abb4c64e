//! Follows the runs of a program and decides what is worth telling.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use fencepost_protocol::door::Mismatch;
use serde::{Deserialize, Serialize};

use crate::excuse;
use crate::process::Process;
use crate::provoke::{Failure, Seen, Taken};
use crate::report::{Deadlock, Identity, Kind, Report};
use crate::sequel::{self, Difference, PassedOn, Sequel};
use crate::stream::{self, Figures, Message};
use crate::suppress::{Pattern, Suppressions};
use crate::symbols::{Named, Symbols};

/// What to tell.
#[derive(Clone, Debug)]
pub struct Options {
    /// What not to tell.
    pub suppressions: Suppressions,
    /// Functions that only wrap accesses, as patterns: their callers are to blame.
    pub wrappers: Vec<String>,
    /// What the command line must say besides, to see a report again.
    pub words: Vec<String>,
    /// After so many different reports, the others are only counted.
    pub max_reports: usize,
}

impl Default for Options {
    fn default() -> Self {
        let max_reports = fencepost_protocol::Options::DEFAULT.max_reports as usize;
        Options { suppressions: Suppressions::default(), wrappers: Vec::new(), words: Vec::new(), max_reports }
    }
}

/// What a line of the stream comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Nothing to tell.
    Nothing,
    /// The process has begun to talk; its options are known.
    Start,
    /// The process does not speak our version: nothing that it says can be understood.
    Foreign(Mismatch),
    /// A finding that was not reported before.
    Report(Box<Report>),
    /// A finding that was reported before, of which more is known now.
    Better(Box<Report>),
    /// A finding that was reported before, or is one too many.
    Known,
    /// A finding that is suppressed.
    Suppressed,
    /// Something the user should know.
    Note(String),
    /// An access has used an overwritten value, as it was asked to.
    Provoked(Box<Taken>),
    /// The program fails after that.
    Failure(Box<Failure>),
    /// The threads of the program wait for one another in a way that was not reported before, and
    /// it is ended.
    Deadlock(Box<Deadlock>),
    /// The program ends in an orderly way, and waits for our answer.
    End,
}

/// How a process ended, as far as its stream tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It never said that it started: it was not built for the sanitizer.
    Silent,
    /// It ended without saying so.
    Died,
    /// It said that it ends.
    Exited,
}

/// Figures over all runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Runs that were observed, without those that were provoked.
    pub runs: u64,
    /// Runs in which an access was to use an overwritten value, and those they were compared with.
    pub provoked: u64,
    /// Different reports, told or not.
    pub reports: u64,
    /// Findings that were reported before.
    pub duplicates: u64,
    /// Findings that were suppressed.
    pub suppressed: u64,
    /// Different findings that were left out because they are a library's own affair.
    pub own: u64,
    /// Runs that ended because all threads waited.
    pub deadlocks: u64,
    /// Lines that were no events.
    pub malformed: u64,
    /// Sums of what the runs counted; `locations`, `threads` and `steps` are the largest.
    #[serde(with = "FiguresRecord")]
    pub figures: Figures,
    /// Seeds of the runs that found something, in order.
    pub seeds: Vec<u64>,
}

/// Runs that are remembered for a finding.
const RUNS: usize = 1 << 10;
/// How often a finding is looked at again to learn more about it.
const LOOKS: u32 = 16;

/// How much a report tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    /// What would mend it was found out from the recorded run.
    is_explained: bool,
    /// Its schedule can be repeated.
    is_repeatable: bool,
    /// How often more was expected.
    looks: u32,
}

impl Told {
    pub(crate) fn of(report: &Report) -> Told {
        let advice = match &report.kind {
            Kind::Robustness(window) => &window.advice,
            Kind::Race(race) => &race.advice,
        };
        let is_explained = advice.as_ref().is_some_and(|advice| advice.reevaluated);
        Told { is_explained, is_repeatable: report.reproduce.exact, looks: 0 }
    }

    /// Could this report of the same tell more?
    fn is_open(&self, report: &Report) -> bool {
        self.looks < LOOKS && (!self.is_explained || report.reproduce.exact && !self.is_repeatable)
    }

    /// Does the other one tell more? What to change comes first.
    pub(crate) fn is_less_than(&self, other: Told) -> bool {
        (self.is_explained, self.is_repeatable) < (other.is_explained, other.is_repeatable)
    }
}

/// Follows the runs of a program, one after the other.
pub struct Reporter<S> {
    options: Options,
    symbols: Named<S>,
    seen: BTreeMap<Identity, Told>,
    /// Those of them that were seen without an access that was provoked, and the runs in which they
    /// were.
    ordinary: BTreeMap<Identity, Vec<Seen>>,
    deadlocks: BTreeSet<String>,
    /// What is a library's own affair.
    own: BTreeMap<Identity, Report>,
    totals: Totals,
    /// The seed of the current run, once a process of it has begun to talk.
    seed: Option<u64>,
    /// Was something found in the current run?
    found: bool,
    /// Was something left out in the current run?
    left_out: bool,
    /// What came of the run before.
    last: LastRun,
    /// Is the current run one that is provoked?
    provoked: bool,
}

/// What came of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastRun {
    /// Something was found that is told, or was told before.
    pub found: bool,
    /// Something was found that is not to be told.
    pub left_out: bool,
}

impl<S: Symbols> Reporter<S> {
    /// Before the first run.
    pub fn new(options: Options, symbols: S) -> Self {
        let symbols = Named::new(symbols, options.wrappers.iter().map(|pattern| Pattern::new(pattern)).collect());
        Reporter {
            options,
            symbols,
            seen: BTreeMap::new(),
            ordinary: BTreeMap::new(),
            deadlocks: BTreeSet::new(),
            own: BTreeMap::new(),
            totals: Totals::default(),
            seed: None,
            found: false,
            left_out: false,
            last: LastRun::default(),
            provoked: false,
        }
    }

    /// Takes in a line of a process. `recorded` gives the bytes of its recorded run, if there is
    /// one; it is asked only when they are needed.
    pub fn line(&mut self, process: &mut Process, line: &[u8], recorded: &mut dyn FnMut() -> Option<Vec<u8>>) -> Item {
        match stream::parse(line) {
            Err(error) => {
                self.totals.malformed += 1;
                // One is enough to know that something is wrong.
                match self.totals.malformed {
                    1 => Item::Note(format!("a line from the program is no message and was left out: {error}")),
                    _ => Item::Nothing,
                }
            }
            Ok(Err(mismatch)) => Item::Foreign(mismatch),
            Ok(Ok(Message::Report(report))) if stream::may_be_spinning(&report) && !process.options.halt => {
                process.pending.push(report);
                Item::Nothing
            }
            // The program waits for an answer. What has kept a loop spinning until now is known.
            Ok(Ok(Message::Report(report))) if stream::may_be_spinning(&report) => {
                match process.without_spins(report, &mut self.symbols) {
                    Some(report) => self.finding(process, &report, recorded),
                    None => Item::Suppressed,
                }
            }
            Ok(Ok(Message::Report(report))) => self.finding(process, &report, recorded),
            Ok(Ok(Message::Provoked(provoked))) => self.taken(process, &provoked, recorded),
            Ok(Ok(Message::Failure(failure))) if process.has_left_sc => {
                Item::Failure(Box::new(process.failure(&failure, &mut self.symbols)))
            }
            Ok(Ok(Message::Failure(_))) => Item::Nothing,
            Ok(Ok(Message::Note(note))) => Item::Note(note.text),
            Ok(Ok(Message::Deadlock(deadlock))) if process.is_provoked() => {
                Item::Deadlock(Box::new(process.deadlock(&deadlock.waiting, &self.options.words, &mut self.symbols)))
            }
            Ok(Ok(Message::Deadlock(deadlock))) => {
                self.totals.deadlocks += 1;
                let deadlock = process.deadlock(&deadlock.waiting, &self.options.words, &mut self.symbols);
                match self.deadlocks.insert(deadlock.identity()) {
                    true => Item::Deadlock(Box::new(deadlock)),
                    false => Item::Nothing,
                }
            }
            Ok(Ok(message)) => {
                let item = match message {
                    Message::Start(_) => Item::Start,
                    Message::End(_) => Item::End,
                    _ => Item::Nothing,
                };
                process.follow(message);
                if item == Item::Start && process.is_provoked() {
                    self.provoked = true;
                } else if item == Item::Start {
                    self.seed.get_or_insert(process.options.seed);
                }
                item
            }
        }
    }

    /// The process is about to end: findings about loads that were not busy waits after all. To be
    /// asked for at [`Item::End`] and at the end of the stream. A loop is recognised when it goes
    /// round, which may be later than the first time that it could have read a stale value.
    pub fn due(&mut self, process: &mut Process, recorded: &mut dyn FnMut() -> Option<Vec<u8>>) -> Vec<Item> {
        let pending = std::mem::take(&mut process.pending);
        let left: Vec<_> =
            pending.into_iter().filter_map(|report| process.without_spins(report, &mut self.symbols)).collect();
        left.iter().map(|report| self.finding(process, report, recorded)).collect()
    }

    /// The stream of a process has ended.
    pub fn leave(&mut self, process: &Process) -> Ending {
        if process.start.is_none() {
            return Ending::Silent;
        }
        if !process.is_provoked() {
            self.totals.add(process.figures);
        }
        if process.has_ended { Ending::Exited } else { Ending::Died }
    }

    /// All processes of a run have left. It counts if any of them has said something.
    pub fn end_run(&mut self) {
        let found = std::mem::take(&mut self.found);
        self.last = LastRun { found, left_out: std::mem::take(&mut self.left_out) };
        self.totals.provoked += u64::from(std::mem::take(&mut self.provoked));
        if let Some(seed) = self.seed.take() {
            self.totals.runs += 1;
            if found {
                self.totals.seeds.push(seed);
            }
        }
    }

    /// What came of the run that has ended last.
    pub fn last_run(&self) -> LastRun {
        self.last
    }

    /// Everything that was counted, and what was left out, is known from elsewhere.
    pub fn adopt(&mut self, totals: Totals, own: Vec<Report>) {
        self.totals = totals;
        self.own = own.into_iter().map(|report| (report.identity(), report)).collect();
    }

    /// What was left out because it is a library's own affair.
    pub fn own(&self) -> impl Iterator<Item = &Report> {
        self.own.values()
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

    /// The ordinary runs in which this was seen, but for those after very many.
    pub fn runs_with(&self, identity: &Identity) -> &[Seen] {
        self.ordinary.get(identity).map_or(&[], Vec::as_slice)
    }

    /// What is worth telling of a run in which an access has used an overwritten value, if `other` is
    /// the same without it.
    pub fn difference(&mut self, run: &Sequel, other: &Sequel) -> Option<Difference> {
        run.difference(other, &mut self.symbols)
    }

    /// Is the difference there again, in two more runs?
    pub fn confirms(&mut self, difference: &Difference, run: &Sequel, other: &Sequel) -> bool {
        sequel::confirms(difference, run, other, &mut self.symbols)
    }

    /// What a value has reached, with names.
    pub fn passed_on(&mut self, difference: &Difference) -> PassedOn {
        difference.named(&mut self.symbols)
    }

    /// Figures over all finished runs.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The suppressions with how often each was used.
    pub fn suppressions(&self) -> &Suppressions {
        &self.options.suppressions
    }

    /// An access has used an overwritten value.
    fn taken(
        &mut self,
        process: &mut Process,
        provoked: &stream::Provoked,
        recorded: &mut dyn FnMut() -> Option<Vec<u8>>,
    ) -> Item {
        process.has_left_sc = true;
        let report = process.report(&provoked.report, &self.options.words, &mut self.symbols);
        let taken = |news| Item::Provoked(Box::new(Taken::new(&report, provoked.used.value, news)));
        match self.finding(process, &provoked.report, recorded) {
            Item::Suppressed => Item::Nothing,
            Item::Report(news) => taken(Some(news)),
            _ => taken(None),
        }
    }

    fn finding(
        &mut self,
        process: &Process,
        finding: &stream::Report,
        recorded: &mut dyn FnMut() -> Option<Vec<u8>>,
    ) -> Item {
        let mut report = process.report(finding, &self.options.words, &mut self.symbols);
        if self.options.suppressions.covers(&report) {
            self.totals.suppressed += 1;
            self.left_out = true;
            return Item::Suppressed;
        }
        if excuse::covers(&report) {
            self.left_out = true;
            if let Entry::Vacant(entry) = self.own.entry(report.identity()) {
                self.totals.own += 1;
                entry.insert(report);
            }
            return Item::Suppressed;
        }
        self.found |= !process.is_provoked();
        let identity = report.identity();
        if !process.has_left_sc {
            let (runs, seen) = (self.ordinary.entry(identity.clone()).or_default(), process.seen());
            if !process.is_provoked() && runs.len() < RUNS && runs.last() != Some(&seen) {
                runs.push(seen);
            }
        }
        let is_ordinary = self.ordinary.contains_key(&identity);
        if let Some(told) = self.seen.get_mut(&identity) {
            self.totals.duplicates += u64::from(!process.is_provoked());
            return match report.kind {
                // A race that was only ever seen after such an access follows from each of them.
                Kind::Race(_) if !is_ordinary => Item::Report(Box::new(report)),
                _ if process.is_provoked() || !told.is_open(&report) => Item::Known,
                _ => {
                    told.looks += 1;
                    process.advise(finding, recorded, &mut report, &mut self.symbols);
                    let news = Told { looks: told.looks, ..Told::of(&report) };
                    if !told.is_less_than(news) {
                        return Item::Known;
                    }
                    *told = news;
                    Item::Better(Box::new(report))
                }
            };
        }
        self.totals.reports += 1;
        if self.seen.len() >= self.options.max_reports {
            self.seen.insert(identity, Told { looks: LOOKS, ..Told::default() });
            return Item::Known;
        }
        process.advise(finding, recorded, &mut report, &mut self.symbols);
        self.seen.insert(identity, Told::of(&report));
        Item::Report(Box::new(report))
    }
}

/// How figures are kept in a record.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Figures")]
struct FiguresRecord {
    accesses: u64,
    fences: u64,
    locations: u64,
    cut: u64,
    out_of_sight: u64,
    threads: u64,
    switches: u64,
    steps: u64,
    mixed_size: u64,
}

impl Totals {
    /// Adds those of other runs. What counts different findings is for those who can tell them
    /// apart.
    pub(crate) fn join(&mut self, others: Totals) {
        for (sum, more) in [
            (&mut self.runs, others.runs),
            (&mut self.provoked, others.provoked),
            (&mut self.duplicates, others.duplicates),
            (&mut self.suppressed, others.suppressed),
            (&mut self.deadlocks, others.deadlocks),
            (&mut self.malformed, others.malformed),
        ] {
            *sum = sum.saturating_add(more);
        }
        self.add(others.figures);
        self.seeds.extend(others.seeds);
        self.seeds.sort_unstable();
    }

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
