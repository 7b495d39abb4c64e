//! `run --schedule all`: every schedule of a test, up to equivalence, and an exact answer.
//!
//! Violations can be seen in runs under SC, and what the monitor says of a run it says of all that
//! are equivalent. So if no run of any class shows a violation, a race or a failure, the test has no
//! weak behaviour, and all that it can do was seen. Whatever stands in the way of that argument
//! makes the answer *unknown*.
//!
//! If there are violations and nothing has failed, all executions are explored that the memory model
//! permits, those that are not SC included, so that the answer is exact for such a test, too.
//!
//! Which runs are made is decided by [`fencepost_schedules`] and [`fencepost_executions`]. What they
//! find is made again for people, with a reporter, once for each report.

mod explorer;
mod follows;
mod server;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, IsTerminal as _};
use std::os::unix::process::ExitStatusExt as _;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fencepost_protocol::exploration::{Decisions, Request, Stale, Step, end, remark};
use fencepost_protocol::{Key, Options};
use fencepost_sanitizer::LastRun;

use super::provoke::Ordinary;
use super::signals::Signals;
use super::{Failure as Cause, How, Run, Session, Voice, Watched, once};
use crate::args::RunArgs;
use crate::exit::Exit;
use crate::output::{self, Output};
use crate::progress::Line;
use explorer::{Explorer, Task};
use follows::Strayed;
use server::{Outcome, Server};
use verdict::{Bug, Found, Obstacle, Verdict};

/// Steps that a run may have, if nothing else is said.
const STEPS: u32 = 10_000;
/// A run that takes longer than this does not end.
const PATIENCE: Duration = Duration::from_secs(10);
/// Different reports that are told.
const TOLD: usize = 20;
/// Runs that are made again at most, to see whether what they show is to be told.
const JUDGED: usize = 500;

/// What is known so far.
struct State {
    explorer: Explorer,
    /// Runs that are being made.
    running: usize,
    found: Found,
    /// Nothing more is to be done.
    is_over: bool,
    error: Option<io::Error>,
    /// The program does not wait for us.
    is_unobserved: bool,
    /// How long it took until the first run was over.
    starting: Option<Duration>,
}

/// What all workers share.
struct Shared<'a> {
    args: &'a RunArgs,
    state: Mutex<State>,
    changed: Condvar,
    until: Option<Instant>,
    signals: &'a Signals,
    start: Instant,
    progress: Line,
}

/// Explores, tells what was found and how the test is.
pub(super) fn run(
    args: &RunArgs,
    is_brief: bool,
    session: &mut Session,
    signals: &Signals,
    output: &mut Output,
) -> io::Result<Watched> {
    session.rank(args.explores_follows(), args.all);
    let start = Instant::now();
    let until = args.timeout.and_then(|limit| start.checked_add(limit));
    let program = args.program[0].to_string_lossy();
    let explore = |explorer: Explorer| {
        let begin = Instant::now();
        let State { explorer, mut found, error, is_unobserved, starting, .. } =
            explored(args, signals, until, explorer);
        if let Some(error) = error {
            output::note(&format!("fencepost: error: cannot run `{program}`: {error}\n"));
            return Err(Box::new(Watched::refused()));
        }
        if is_unobserved {
            let reason = super::silence(std::process::ExitStatus::from_raw(0));
            output::note(&format!("fencepost: error: `{program}` was not observed: {reason}\n"));
            return Err(Box::new(Watched { is_unobserved: true, ..Watched::refused() }));
        }
        explorer.leaves_out(&mut found);
        (found.time, found.is_weak) = (begin.elapsed(), explorer.is_weak());
        found.starting = starting.unwrap_or_default();
        found.counts = explorer.counts().without(&found.follows);
        Ok(found)
    };
    let mut teller = Teller { args, is_brief, session, signals, output, told: 0 };
    let first = if args.weak { Explorer::executions() } else { Explorer::schedules(args.preemptions) };
    let mut found = match explore(first) {
        Ok(found) => found,
        Err(refused) => return Ok(*refused),
    };
    teller.tell(&mut found)?;
    let mut beyond = None;
    if found.is_only_not_robust() && !args.no_weak {
        let mut more = match explore(Explorer::executions()) {
            Ok(more) => more,
            Err(refused) => return Ok(*refused),
        };
        teller.tell(&mut more)?;
        beyond = Some(more);
    }
    teller.tell_what_follows(&found)?;
    let verdict = verdict::that_counts(&found, beyond.as_ref(), args.fail_on);
    let exploration = verdict::summary(&found, beyond.as_ref());
    session.explored(exploration.clone());
    session.finish(true, args.print_suppressions, output)?;
    Ok(Watched {
        exit: Exit::Holds,
        is_unobserved: false,
        is_found: verdict == Verdict::Found,
        is_undecided: verdict == Verdict::Unknown || (verdict == Verdict::Bounded && args.spins.is_none()),
        reports: (found.bugs.len()
            + found.follows.bugs(&found.bugs).len()
            + beyond.as_ref().map_or(0, |beyond| beyond.bugs.len())) as u64,
        own: session.own(),
        runs: found.counts.runs,
        exploration: Some(exploration),
    })
}

/// Makes runs again that show something, for people.
struct Teller<'a> {
    args: &'a RunArgs,
    is_brief: bool,
    session: &'a mut Session,
    signals: &'a Signals,
    output: &'a mut Output,
    /// Runs so far that have shown something.
    told: usize,
}

impl Teller<'_> {
    /// Tells what was found, the worst first. What turns out not to be told, because it is suppressed
    /// or a library's own affair, is no bug any more.
    fn tell(&mut self, found: &mut Found) -> io::Result<()> {
        for decisions in found.to_tell(JUDGED) {
            if self.told >= TOLD {
                break;
            }
            let outcome = self.make_again(&decisions, if self.is_brief { Voice::Kept } else { Voice::Heard })?;
            let LastRun { found: is_found, left_out } = self.session.last_run();
            if left_out && !is_found {
                found.leave_out(&decisions);
            }
            let fails = found.shows_failure(&decisions);
            if let Some(said) = outcome.said.as_ref().filter(|_| fails) {
                super::tell_what_was_said(self.args, "this schedule", said, self.output);
            }
            self.told += usize::from(is_found || fails);
            super::describe(self.args, None, &outcome);
        }
        Ok(())
    }

    /// Tells of each report what follows from it.
    fn tell_what_follows(&mut self, found: &Found) -> io::Result<()> {
        for follows in found.follows.reports.values() {
            let Some(decisions) = follows.to_tell(&found.bugs) else { continue };
            let outcome = self.make_again(decisions, Voice::Dropped)?;
            let end = Ordinary::default().judge(&outcome);
            let (taken, failing) = follows.counts();
            self.session.ranking_mut().end_run(None, &end);
            self.session.ranking_mut().explored(taken, failing, found.is_whole());
        }
        Ok(())
    }

    fn make_again(&mut self, decisions: &Decisions, voice: Voice) -> io::Result<super::Outcome> {
        let run = Run { schedule: fencepost_protocol::Schedule::Os, seed: 0 };
        let patience = Some(PATIENCE);
        let how = How { run, steps: None, provocation: None, decisions: Some(decisions), patience, voice };
        once(self.args, &how, self.session, self.signals, self.output).map_err(|cause| match cause {
            Cause::Start(error) | Cause::Other(error) => error,
        })
    }
}

/// Makes all runs that there are to be made.
fn explored(args: &RunArgs, signals: &Signals, until: Option<Instant>, explorer: Explorer) -> State {
    let state = State {
        explorer,
        running: 0,
        found: Found::default(),
        is_over: false,
        error: None,
        is_unobserved: false,
        starting: None,
    };
    let shared = Shared {
        args,
        state: Mutex::new(state),
        changed: Condvar::new(),
        until,
        signals,
        start: Instant::now(),
        progress: Line::new(&args.program[0].to_string_lossy(), io::stderr().is_terminal()),
    };
    let jobs = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| shared.work());
        }
    });
    shared.progress.clear();
    shared.state.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// What the runtime is told besides what the environment has.
pub(super) fn options() -> [(Key, String); 4] {
    let longest = *Options::HISTORY.end();
    [
        // Nobody reads it.
        (Key::Record, "0".into()),
        // Nothing that excuses a stale read counts here.
        (Key::SpinDetection, "0".into()),
        (Key::History, longest.min(4096).to_string()),
        (Key::MaxReports, "1000".into()),
    ]
}

impl Shared<'_> {
    fn work(&self) {
        let result = self.explore();
        let mut state = self.lock();
        if let Err(error) = result {
            state.error.get_or_insert(error);
        }
        state.is_over = true;
        drop(state);
        self.changed.notify_all();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn explore(&self) -> io::Result<()> {
        let mut options = super::environment_options();
        for (key, value) in self::options() {
            super::add_option(&mut options, key, &value);
        }
        if self.args.in_test {
            super::add_option(&mut options, Key::InTest, "1");
        }
        let mut server: Option<Server> = None;
        loop {
            let Some(task) = self.next() else { return Ok(()) };
            let request = Request {
                decisions: task.decisions(),
                sleepers: task.sleepers(),
                most_steps: self.args.steps.map_or(STEPS, |steps| u32::try_from(steps).unwrap_or(u32::MAX)),
                rounds: self.args.spins.unwrap_or(u32::MAX),
                weak: task.is_weak(),
                stale: self.args.explores_follows() && !task.is_weak(),
            };
            let server = match &mut server {
                Some(server) => server,
                none => {
                    none.insert(Server::start(self.args, options.clone(), self.args.hang_after.unwrap_or(PATIENCE))?)
                }
            };
            let outcome = server.make(&request)?;
            let shown = outcome.map(|outcome| Shown::of(task, outcome));
            let mut state = self.lock();
            state.running -= 1;
            state.starting.get_or_insert_with(|| self.start.elapsed());
            match shown {
                None => {
                    let was_there = state.explorer.counts().runs > 0;
                    let obstacle = if self.signals.received() { Obstacle::Interrupted } else { Obstacle::Silent };
                    match was_there || obstacle == Obstacle::Interrupted {
                        true => drop(state.found.obstacles.insert(obstacle)),
                        false => state.is_unobserved = true,
                    }
                    state.is_over = true;
                }
                Some(shown) => self.take_in(&mut state, shown),
            }
            let how_far = || state.explorer.how_far();
            self.progress.update_runs(self.start.elapsed(), state.explorer.counts().runs, how_far);
            drop(state);
            self.changed.notify_all();
        }
    }

    /// The next run to make; none if there is nothing to do any more.
    fn next(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if state.is_over {
                return None;
            }
            if self.until.is_some_and(|until| Instant::now() >= until) {
                state.found.obstacles.insert(Obstacle::Time);
                state.is_over = true;
                return None;
            }
            if self.signals.received() {
                state.found.obstacles.insert(Obstacle::Interrupted);
                state.is_over = true;
                return None;
            }
            let most = self.args.max_runs.unwrap_or(u64::MAX);
            if state.explorer.counts().runs + state.running as u64 >= most {
                state.found.obstacles.insert(Obstacle::Runs(most));
                state.is_over = true;
                return None;
            }
            if let Some(task) = state.explorer.next_task() {
                state.running += 1;
                return Some(task);
            }
            if state.running == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A run was made.
    fn take_in(&self, state: &mut State, shown: Shown) {
        let Shown { taken, steps, why, bugs, obstacles, is_whole, again, stale } = shown;
        let taken = match taken {
            Ok(taken) => taken,
            Err(trouble) => {
                state.found.obstacles.insert(Obstacle::of(&trouble));
                state.is_over = true;
                return;
            }
        };
        if let (Some(stale), Some(models)) = (stale, state.explorer.judges()) {
            let run = Strayed { stale, steps: &steps, why, bugs: &bugs, again: &again };
            if is_whole && !state.found.follows.take_in(models, &run) {
                state.found.obstacles.insert(Obstacle::NotConfirmed(again.to_string()));
            }
            state.found.obstacles.extend(obstacles);
            state.is_over |= !is_whole;
        } else if !taken.is_void() {
            // A data race is undefined behaviour: in a run that need not be SC nothing is known of
            // what comes after it.
            let is_weak = matches!(state.explorer, Explorer::Executions(_));
            let is_undefined = is_weak && bugs.keys().any(|bug| matches!(bug, Bug::Race(_)));
            let counts = |bug: &Bug| !is_undefined || matches!(bug, Bug::Race(_));
            let stops = bugs.keys().any(|bug| !matches!(bug, Bug::Violation(_)));
            for bug in bugs.into_keys().filter(counts) {
                state.found.bugs.entry(bug).or_insert_with(|| again.clone());
            }
            state.found.obstacles.extend(obstacles);
            state.found.is_cut |= is_undefined || stops && !self.args.keep_going;
            state.is_over |= !is_whole || state.found.is_cut;
        }
        if (is_whole || taken.is_void())
            && let Err(divergence) = state.explorer.take_in(taken, &steps, why)
        {
            state.found.obstacles.insert(Obstacle::Diverged(divergence));
            state.is_over = true;
        }
    }
}

/// What a run has shown.
struct Shown {
    taken: Result<explorer::Taken, fencepost_executions::Trouble>,
    steps: Vec<Step>,
    /// Why it came to its end: of [`end`].
    why: u32,
    /// What is wrong, and after how many steps that was seen; 0 if that is not known.
    bugs: BTreeMap<Bug, u32>,
    obstacles: BTreeSet<Obstacle>,
    /// Has it come to an end?
    is_whole: bool,
    /// How to make it again.
    again: Decisions,
    /// The step that has used an overwritten write, if any.
    stale: Option<Stale>,
}

impl Shown {
    fn of(task: Task, outcome: Outcome) -> Shown {
        let Outcome { answer, steps, status, hung } = outcome;
        let (mut bugs, mut obstacles) = (BTreeMap::new(), BTreeSet::new());
        for (bit, obstacle) in [
            (remark::OUTLIVED, Obstacle::Outlived),
            (remark::CUT, Obstacle::Cut),
            (remark::OUT_OF_SIGHT, Obstacle::OutOfSight),
            (remark::MIXED, Obstacle::Mixed),
            (remark::ROUNDS, Obstacle::Rounds),
            (remark::OTHER, Obstacle::Other(answer.note.clone())),
        ] {
            if answer.remarks & bit != 0 {
                obstacles.insert(obstacle);
            }
        }
        if task.counts_preemptions() && steps.iter().any(|step| step.thread >= u64::BITS) {
            obstacles.insert(Obstacle::Other("preemptions of more than 63 threads are not counted".into()));
        }
        if answer.has_more {
            obstacles.insert(Obstacle::Other("a run had more reports than are told apart".into()));
        }
        if overlaps(&steps) {
            obstacles.insert(Obstacle::Mixed);
        }
        for report in &answer.reports {
            let bug = if report.is_race != 0 { Bug::Race(report.key) } else { Bug::Violation(report.key) };
            // That the access could use an overwritten write is known of runs in which it does not.
            if answer.stale.is_none() || report.is_race != 0 {
                bugs.entry(bug).or_insert(report.steps);
            }
        }
        let has_died = answer.end == 0 && status.signal().is_some() && !hung;
        // What others would have done is not known, nor what of that had to come first.
        if has_died && answer.remarks & remark::ALONE == 0 {
            obstacles.insert(Obstacle::Outlived);
        }
        let why = if has_died { end::EXITED } else { answer.end };
        let again = task.again(&steps);
        let models = task.judges();
        let taken = task.follow(&steps, why);
        let is_whole = !hung && why & (end::TOO_LONG | end::DIVERGED) == 0 && why != 0;
        let is_refuted = taken.as_ref().is_ok_and(|taken| is_whole && taken.is_refuted(models, &steps, &again));
        let is_stuck = taken.as_ref().is_ok_and(|taken| taken.is_stuck(why));
        match answer.end {
            _ if hung => drop(obstacles.insert(Obstacle::Hung)),
            0 => match status.signal() {
                Some(signal) => drop(bugs.insert(Bug::Signal(signal), 0)),
                None => drop(obstacles.insert(Obstacle::Silent)),
            },
            why if why & end::TOO_LONG != 0 => drop(obstacles.insert(Obstacle::TooLong)),
            why if why & end::DIVERGED != 0 => drop(obstacles.insert(Obstacle::Diverged(String::new()))),
            _ if is_stuck => drop(bugs.insert(Bug::Stuck, 0)),
            why if why & end::EXITED != 0 && answer.status != 0 => {
                let bug = match answer.status - 128 {
                    signal @ 1..=64 if status.signal().is_none() => Bug::Signal(signal),
                    _ => Bug::Status(answer.status),
                };
                bugs.insert(bug, 0);
            }
            _ => {}
        }
        if is_refuted {
            bugs.clear();
            obstacles.insert(Obstacle::NotConfirmed(again.to_string()));
        }
        Shown { taken, steps, why, bugs, obstacles, is_whole, again, stale: answer.stale }
    }
}

/// Bits of an address.
const ADDRESS_BITS: u32 = 48;

/// Are there accesses that overlap and do not begin at the same address?
fn overlaps(steps: &[Step]) -> bool {
    let mut sizes: BTreeMap<u64, u8> = BTreeMap::new();
    for step in steps.iter().filter(|step| step.size > 0) {
        // In a run that need not be SC, what is above the address counts what it was before.
        let size = sizes.entry(step.object & ((1 << ADDRESS_BITS) - 1)).or_default();
        *size = step.size.max(*size);
    }
    sizes.iter().zip(sizes.iter().skip(1)).any(|((one, size), (other, _))| one + u64::from(*size) > *other)
}
