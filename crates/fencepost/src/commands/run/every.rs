//! `run --schedule all`: every schedule of a test, up to equivalence, and an exact answer.
//!
//! Violations can be seen in runs under SC, and what the monitor says of a run it says of all that
//! are equivalent. So if no run of any class shows a violation, a race or a failure, the test has no
//! weak behaviour, and all that it can do was seen. Whatever stands in the way of that argument
//! makes the answer *unknown*.
//!
//! Which runs are made is decided by [`fencepost_schedules`]. What they find is made again for
//! people, with a reporter, once for each report.

mod server;
mod verdict;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _};
use std::os::unix::process::ExitStatusExt as _;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fencepost_protocol::exploration::{Decision, Decisions, Request, Step, end, remark};
use fencepost_protocol::{Key, Options};
use fencepost_schedules::{Search, Task};

use super::signals::Signals;
use super::{Failure as Cause, How, Run, Session, Voice, Watched, once};
use crate::args::RunArgs;
use crate::exit::Exit;
use crate::output::{self, Output};
use crate::progress::Line;
use server::{Outcome, Server};
use verdict::{Bug, Found, Obstacle, Verdict};

/// Steps that a run may have, if nothing else is said.
const STEPS: u32 = 10_000;
/// A run that takes longer than this does not end.
const PATIENCE: Duration = Duration::from_secs(10);
/// Different reports that are told.
const TOLD: usize = 20;

/// What is known so far.
struct State {
    search: Search,
    /// Runs that are being made.
    running: usize,
    found: Found,
    /// Nothing more is to be done.
    is_over: bool,
    error: Option<io::Error>,
    /// The program does not wait for us.
    is_unobserved: bool,
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
    session: &mut Session,
    signals: &Signals,
    output: &mut Output,
) -> io::Result<Watched> {
    let start = Instant::now();
    let shared = Shared {
        args,
        state: Mutex::new(State {
            search: Search::new(args.preemptions),
            running: 0,
            found: Found::default(),
            is_over: false,
            error: None,
            is_unobserved: false,
        }),
        changed: Condvar::new(),
        until: args.timeout.and_then(|limit| start.checked_add(limit)),
        signals,
        start,
        progress: Line::new(&args.program[0].to_string_lossy(), io::stderr().is_terminal()),
    };
    let jobs = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| shared.work());
        }
    });
    shared.progress.clear();
    let State { search, mut found, error, is_unobserved, .. } =
        shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = error {
        let program = args.program[0].to_string_lossy();
        output::note(&format!("fencepost: error: cannot run `{program}`: {error}\n"));
        return Ok(Watched::refused());
    }
    if is_unobserved {
        let program = args.program[0].to_string_lossy();
        let reason = super::silence(std::process::ExitStatus::from_raw(0));
        output::note(&format!("fencepost: error: `{program}` was not observed: {reason}\n"));
        return Ok(Watched { is_unobserved: true, ..Watched::refused() });
    }
    found.counts = search.counts();
    if let Search::Few(bounded) = &search {
        found.preemptions = bounded.seen();
        if !bounded.is_exhausted() && found.obstacles.is_empty() {
            found.obstacles.insert(Obstacle::Preemptions);
        }
    }
    found.time = start.elapsed();
    for decisions in found.to_tell(TOLD) {
        let run = Run { schedule: fencepost_protocol::Schedule::Os, seed: 0 };
        let how = How {
            run,
            steps: None,
            provocation: None,
            decisions: Some(&decisions),
            patience: Some(PATIENCE),
            voice: Voice::Heard,
        };
        match once(args, &how, session, signals, output) {
            Ok(outcome) => drop(super::describe(args, None, &outcome)),
            Err(Cause::Start(error) | Cause::Other(error)) => return Err(error),
        }
    }
    let verdict = found.verdict();
    session.explored(verdict.summary(&found));
    session.finish(true, args.print_suppressions, output)?;
    Ok(Watched {
        exit: Exit::Holds,
        is_unobserved: false,
        is_found: verdict == Verdict::Found,
        is_undecided: verdict == Verdict::Unknown || (verdict == Verdict::Bounded && args.spins.is_none()),
        reports: found.bugs.len() as u64,
        runs: found.counts.runs(),
    })
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
        let mut server: Option<Server> = None;
        loop {
            let Some(task) = self.next() else { return Ok(()) };
            let request = Request {
                decisions: task.decisions.clone(),
                sleepers: task.sleepers.clone(),
                most_steps: self.args.steps.map_or(STEPS, |steps| u32::try_from(steps).unwrap_or(u32::MAX)),
                rounds: self.args.spins.unwrap_or(u32::MAX),
            };
            let server = match &mut server {
                Some(server) => server,
                none => none.insert(Server::start(
                    &self.args.program,
                    options.clone(),
                    self.args.hang_after.unwrap_or(PATIENCE),
                )?),
            };
            let outcome = server.make(&request)?;
            let mut state = self.lock();
            state.running -= 1;
            match outcome {
                None => {
                    let was_there = state.search.counts().runs() > 0;
                    let obstacle = if self.signals.received() { Obstacle::Interrupted } else { Obstacle::Silent };
                    match was_there || obstacle == Obstacle::Interrupted {
                        true => drop(state.found.obstacles.insert(obstacle)),
                        false => state.is_unobserved = true,
                    }
                    state.is_over = true;
                }
                Some(outcome) => self.take_in(&mut state, &task, &outcome),
            }
            let how_far = || match &state.search {
                Search::All(explorer) => format!("about {:.1} % of what is known", explorer.share() * 100.0),
                Search::Few(bounded) => match bounded.seen() {
                    Some(seen) => format!("more than {}", verdict::preemptions(seen)),
                    None => "without preemptions".to_string(),
                },
            };
            self.progress.update_runs(self.start.elapsed(), state.search.counts().runs(), how_far);
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
            if state.search.counts().runs() + state.running as u64 >= most {
                state.found.obstacles.insert(Obstacle::Runs(most));
                state.is_over = true;
                return None;
            }
            if let Some(task) = state.search.next_task() {
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
    fn take_in(&self, state: &mut State, task: &Task, outcome: &Outcome) {
        let Outcome { answer, steps, status, hung } = outcome;
        let decisions = || Decisions(taken(steps));
        let found = &mut state.found;
        for (bit, obstacle) in [
            (remark::OUTLIVED, Obstacle::Outlived),
            (remark::CUT, Obstacle::Cut),
            (remark::OUT_OF_SIGHT, Obstacle::OutOfSight),
            (remark::MIXED, Obstacle::Mixed),
            (remark::ROUNDS, Obstacle::Rounds),
            (remark::OTHER, Obstacle::Other(answer.note.clone())),
        ] {
            if answer.remarks & bit != 0 {
                found.obstacles.insert(obstacle);
            }
        }
        if self.args.preemptions.is_some() && steps.iter().any(|step| step.thread >= u64::BITS) {
            found.obstacles.insert(Obstacle::Other("preemptions of more than 63 threads are not counted".into()));
        }
        if overlaps(steps) {
            found.obstacles.insert(Obstacle::Mixed);
        }
        for report in &answer.reports {
            let bug = if report.is_race != 0 { Bug::Race(report.key) } else { Bug::Violation(report.key) };
            found.bugs.entry(bug).or_insert_with(decisions);
        }
        let mut stops = !answer.reports.iter().all(|report| report.is_race == 0);
        let mut bug = |bug: Bug| {
            found.bugs.entry(bug).or_insert_with(decisions);
            stops = true;
        };
        if *hung {
            found.obstacles.insert(Obstacle::Hung);
            state.is_over = true;
            return;
        }
        match answer.end {
            0 => match status.signal() {
                Some(signal) => bug(Bug::Signal(signal)),
                None => drop(found.obstacles.insert(Obstacle::Silent)),
            },
            why if why & end::TOO_LONG != 0 => drop(found.obstacles.insert(Obstacle::TooLong)),
            why if why & end::DIVERGED != 0 => drop(found.obstacles.insert(Obstacle::Diverged(String::new()))),
            why if why & end::STUCK != 0 => bug(Bug::Stuck),
            why if why & end::EXITED != 0 && answer.status != 0 => match answer.status - 128 {
                signal @ 1..=64 if status.signal().is_none() => bug(Bug::Signal(signal)),
                _ => bug(Bug::Status(answer.status)),
            },
            _ => {}
        }
        let has_died = answer.end == 0 && status.signal().is_some();
        let is_whole = answer.end & (end::TOO_LONG | end::DIVERGED) == 0 && (answer.end != 0 || has_died);
        if is_whole {
            let why = if has_died { end::EXITED } else { answer.end };
            if let Err(divergence) = state.search.done(task, steps, why) {
                found.obstacles.insert(Obstacle::Diverged(verdict::describe(&divergence)));
                state.is_over = true;
            }
        } else {
            state.is_over = true;
        }
        state.is_over |= stops && !self.args.keep_going;
    }
}

/// What was decided in a run.
fn taken(steps: &[Step]) -> Vec<Decision> {
    let taken = steps.iter().filter(|step| step.is_decided() && !step.is_pending());
    taken.map(|step| Decision { thread: step.thread, choice: step.choice }).collect()
}

/// Are there accesses that overlap and do not begin at the same address?
fn overlaps(steps: &[Step]) -> bool {
    let mut sizes: BTreeMap<u64, u8> = BTreeMap::new();
    for step in steps.iter().filter(|step| step.size > 0) {
        let size = sizes.entry(step.object).or_default();
        *size = step.size.max(*size);
    }
    sizes.iter().zip(sizes.iter().skip(1)).any(|((one, size), (other, _))| one + u64::from(*size) > *other)
}
