//! `fencepost run`: run a program that was built for the sanitizer, once or many times, and report
//! what it reveals.

mod channel;
mod every;
pub(crate) mod merge;
mod patience;
mod provoke;
mod ranking;
mod series;
mod session;
mod signals;

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, IsTerminal as _};
use std::os::unix::fs::FileExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use fencepost_protocol::door::{self, Mismatch};
use fencepost_protocol::exploration::Decisions;
use fencepost_protocol::{Answer, ExitCode, Key, Provocation, Schedule};
use fencepost_sanitizer::sequel::Sequel;
use fencepost_sanitizer::{Ending, Exploration, Options};

use crate::args::{ReportFormat, RunArgs, Who};
use crate::commands::cargo::tools::{EXHAUSTIVE, PRIVATE};
use crate::exit::Exit;
use crate::output::{self, Output};
use crate::project;
pub(crate) use channel::Lines;
use channel::{Channel, Connection, Heard};
use patience::Patience;
use provoke::Ordinary;
use ranking::Trial;
use series::{Run, Series};
pub(crate) use session::{Session, Talker, Wish};
pub(crate) use signals::Signals;

/// How a program is watched, besides what the command line says.
#[derive(Default)]
pub(crate) struct Manner {
    /// Every finding is written here as well, as JSON.
    pub(crate) copy: Option<File>,
    /// Programs say the same in every run: only the first one is heard, and those that end in
    /// another way.
    pub(crate) is_brief: bool,
    /// The folder that paths start in; none for the one that we are in.
    pub(crate) folder: Option<PathBuf>,
    /// A page is put together of what several programs have said.
    pub(crate) is_part: bool,
}

/// What became of watching a program.
pub(crate) struct Watched {
    /// As the program has ended; what went wrong, if it was not even run.
    pub(crate) exit: Exit,
    /// Its runs could not be watched.
    pub(crate) is_unobserved: bool,
    /// Something was found that the command is to fail for.
    pub(crate) is_found: bool,
    /// Every schedule was asked for, and not every schedule was seen.
    pub(crate) is_undecided: bool,
    /// Different reports.
    pub(crate) reports: u64,
    /// Different findings that were left out because they are a library's own affair.
    pub(crate) own: u64,
    /// Runs that were observed.
    pub(crate) runs: u64,
    /// What is said of every schedule, if that was asked for.
    pub(crate) exploration: Option<Exploration>,
}

impl Watched {
    /// It did not come to a run.
    fn refused() -> Watched {
        Watched {
            exit: Exit::Error,
            is_unobserved: false,
            is_found: false,
            is_undecided: false,
            reports: 0,
            own: 0,
            runs: 0,
            exploration: None,
        }
    }

    /// In one number.
    fn exit(&self, args: &RunArgs) -> Exit {
        match () {
            () if self.is_found => Exit::Other(args.told.exitcode),
            () if self.is_unobserved => Exit::Error,
            () if self.is_undecided => Exit::Unknown,
            () => self.exit,
        }
    }
}

pub(crate) fn run(args: &RunArgs, output: &mut Output) -> io::Result<Exit> {
    Ok(watch(args, Manner::default(), output)?.exit(args))
}

/// Options that say nothing together with this schedule; none if all is well.
pub(crate) fn out_of_place(args: &RunArgs) -> Option<String> {
    let given = |options: &[(bool, &str)]| -> Vec<String> {
        options.iter().filter(|(is_given, _)| *is_given).map(|(_, name)| format!("`{name}`")).collect()
    };
    let (given, why) = match args.schedule {
        // Which schedules there are is found out while they are explored, each from what others have
        // shown: no part of them can be told beforehand.
        Some(Who::All) if args.shard.is_some() => {
            let why = "with `--schedule all`, which schedules there are is known only when all were explored";
            (given(&[(true, "--shard")]), why)
        }
        Some(Who::All) => {
            let series = [
                (args.runs.is_some(), "--runs"),
                (args.seeds.is_some(), "--seeds"),
                (args.time.is_some(), "--time"),
                (args.provoke_at.is_some(), "--provoke-at"),
                (args.provoke.is_some() && args.weak, "--provoke"),
                (args.provoke.is_some() && args.preemptions.is_some(), "--provoke"),
            ];
            (given(&series), "with `--schedule all`, `--timeout` and `--max-runs` are the limits")
        }
        _ => {
            let every = [
                (args.jobs.is_some(), "--jobs"),
                (args.timeout.is_some(), "--timeout"),
                (args.max_runs.is_some(), "--max-runs"),
                (args.spins.is_some(), "--spins"),
                (args.preemptions.is_some(), "--preemptions"),
            ];
            (given(&every), "it needs `--schedule all`")
        }
    };
    (!given.is_empty()).then(|| format!("{} cannot be used here: {why}", given.join(", ")))
}

/// Runs a program as the command line says, and reports what is found.
pub(crate) fn watch(args: &RunArgs, manner: Manner, output: &mut Output) -> io::Result<Watched> {
    if let Some(message) = out_of_place(args) {
        output::note(&format!("fencepost: error: {message}\n"));
        return Ok(Watched::refused());
    }
    let mut options = Options::default();
    for file in &args.suppressions {
        let read = std::fs::read_to_string(file).map_err(|error| error.to_string());
        if let Err(error) = read.and_then(|text| options.suppressions.add(&text)) {
            output::note(&format!("fencepost: error: {}: {error}\n", file.display()));
            return Ok(Watched::refused());
        }
    }
    let project = project::get();
    // They were read before.
    let _well_formed = options.suppressions.add(&project.suppressions);
    options.wrappers.clone_from(&project.wrappers);
    for pattern in &args.wrapper {
        options.wrappers.push(pattern.clone());
        options.words.extend(["--wrapper".into(), pattern.clone()]);
    }
    let mut session = match Session::new(options, &args.told) {
        Ok(session) => session,
        Err(message) => {
            output::note(&format!("fencepost: error: {message}\n"));
            return Ok(Watched::refused());
        }
    };
    session.copy_to(manner.copy);
    session.start_paths_in(manner.folder);
    session.is_part(manner.is_part);
    if args.schedule == Some(Who::All) {
        return every::run(args, manner.is_brief, &mut session, &Signals::new()?, output);
    }
    let provoked = if manner.is_brief { Voice::Kept } else { Voice::Dropped };
    let mut series = Series::new(args, project);
    let is_long = series.is_long();
    let tries = provoke::tries(args, is_long);
    let is_provoked = args.provoke_at.is_some() || args.decides_stale();
    session.rank(tries > 0 || is_provoked, args.all);
    let signals = Signals::new()?;
    let (mut exit, mut unobserved, mut deadlocks, mut is_first) = (Exit::Other(0), false, 0, true);
    let (mut ordinary, mut is_cut, mut failed_first) = (Ordinary::default(), false, None);
    for run in series.by_ref() {
        let patience = args.hang_after.filter(|_| is_provoked);
        let (provocation, decisions) = (args.provoke_at.as_ref(), args.decisions.as_ref());
        let voice = if manner.is_brief && !is_first { Voice::Kept } else { Voice::Heard };
        let how = How { run, steps: None, provocation, decisions, patience, voice };
        let outcome = match once(args, &how, &mut session, &signals, output) {
            Ok(outcome) => outcome,
            Err(Failure::Start(error)) => {
                let program = args.program.first().map(|word| word.to_string_lossy()).unwrap_or_default();
                output::note(&format!("fencepost: error: cannot run `{program}`: {error}\n"));
                return Ok(Watched::refused());
            }
            Err(Failure::Other(error)) => return Err(error),
        };
        // How it always ends, it has said before.
        if let Some(said) = outcome.said.as_ref().filter(|_| !ordinary.judge(&outcome).is_ordinary) {
            let Run { schedule, seed } = run;
            tell_what_was_said(args, &format!("--schedule {schedule} --seed {seed}"), said, output);
        }
        is_first = false;
        let mut failed = describe(args, is_long.then_some(run.seed), &outcome) || session.deadlocks() > deadlocks;
        if is_provoked {
            // Nothing is known of ordinary runs: what goes wrong does so because of it.
            let trial = session.ranking_mut().end_run(None, &ordinary.judge(&outcome));
            failed |= trial == Trial::GoneWrong;
            if trial == Trial::Harmless && !args.halt {
                provoke::compare(args, &how, outcome.sequel.as_ref(), &mut session, &signals, output)?;
            }
        } else {
            ordinary.add(&outcome);
        }
        deadlocks = session.deadlocks();
        if exit == Exit::Other(0) {
            exit = Exit::of(outcome.status);
            failed_first = (exit != Exit::Other(0)).then_some((run.seed, exit.code()));
        }
        unobserved |= outcome.ending == Ending::Silent || outcome.foreign.is_some();
        let stop =
            unobserved || session.has_failed() || (failed && !args.keep_going) || (args.halt && session.has_findings());
        if stop || signals.received() {
            is_cut = true;
            break;
        }
    }
    if let (Some(made), ReportFormat::Human, false) = (series.description(), args.told.format, unobserved) {
        output::note(&format!("fencepost: {made}\n"));
    }
    if !is_cut && tries > 0 {
        provoke::provoke(args, tries, &ordinary, provoked, &mut session, &signals, output)?;
    }
    if let Some(shard) = args.shard {
        session.keep_record(merge::header(args, shard, &series, failed_first, unobserved));
    }
    session.finish(!unobserved, args.print_suppressions, output)?;
    Ok(Watched {
        exit,
        is_unobserved: unobserved,
        is_found: session.fails(args.fail_on),
        is_undecided: false,
        reports: session.reports(),
        own: session.own(),
        runs: session.runs(),
        exploration: None,
    })
}

/// What a program said in a run that was not heard, because it has failed.
fn tell_what_was_said(args: &RunArgs, how: &str, said: &File, output: &mut Output) {
    let program = args.program[0].to_string_lossy();
    output.note(&format!("fencepost: `{program}` ends in another way with {how}, and says:\n{}", text_of(said)));
}

/// The end of what a program has said.
fn text_of(said: &File) -> String {
    let length = said.metadata().map_or(0, |metadata| metadata.len());
    let from = length.saturating_sub(MOST_SAID);
    let mut text = vec![0; usize::try_from(length - from).unwrap_or(0)];
    match said.read_exact_at(&mut text, from) {
        Ok(()) => String::from_utf8_lossy(&text).into_owned(),
        Err(_) => String::new(),
    }
}

/// Why a program in Rust has panicked: the thread, the place and the message.
fn panic_of(said: &str) -> Option<String> {
    let (before, after) = said.split_once(" panicked at ")?;
    let thread = before.rsplit('\n').next()?;
    // The number of the thread changes from run to run.
    let thread = thread.split_once(" (").map_or(thread, |(name, _)| name);
    let mut lines = after.lines();
    let place = lines.next()?.trim_end_matches(':');
    let message = lines.next().unwrap_or_default().trim();
    Some(format!("{thread} panicked at {place}: {message}"))
}

/// How one run ended.
struct Outcome {
    status: ExitStatus,
    ending: Ending,
    /// A process that did not speak our version.
    foreign: Option<Mismatch>,
    /// How long it took.
    time: Duration,
    /// It took longer than this, and was ended.
    hung: Option<Duration>,
    /// What it did after the access that was provoked.
    sequel: Option<Sequel>,
    /// What it said, if that was kept.
    said: Option<File>,
}

/// Who hears what a program says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Voice {
    /// Everybody: it has our standard output and standard error.
    Heard,
    /// It is kept, and told if the program fails.
    Kept,
    /// Nobody.
    Dropped,
}

/// The end of what a program has said is told, so many bytes.
const MOST_SAID: u64 = 1 << 14;

/// How to make one run.
struct How<'a> {
    run: Run,
    /// The steps that it is expected to have, if not as many as runs had so far; 0 if that is not
    /// to be said.
    steps: Option<u64>,
    /// What to provoke in it.
    provocation: Option<&'a Provocation>,
    /// Who takes which step, if that is decided.
    decisions: Option<&'a Decisions>,
    /// How long it may take.
    patience: Option<Duration>,
    /// Who hears the program.
    voice: Voice,
}

enum Failure {
    /// The program could not be started.
    Start(io::Error),
    /// Something else went wrong here.
    Other(io::Error),
}

fn once(
    args: &RunArgs,
    how: &How<'_>,
    session: &mut Session,
    signals: &Signals,
    output: &mut Output,
) -> Result<Outcome, Failure> {
    let (mut channel, theirs) = Channel::new().map_err(Failure::Other)?;
    let steps = how.steps.or(args.steps).unwrap_or(session.steps());
    let mut command = Command::new(&args.program[0]);
    command
        .args(&args.program[1..])
        .env(door::name(door::OPTIONS), runtime_options(args, how, steps))
        .env(door::name(door::DOOR), theirs.door.to_string())
        .env(door::name(door::CHANNEL), theirs.door.file.to_string());
    for name in environment_of(args) {
        command.env_remove(name);
    }
    let said = match how.voice {
        Voice::Heard => None,
        Voice::Kept => {
            let said = File::from(
                rustix::fs::memfd_create("said", rustix::fs::MemfdFlags::CLOEXEC)
                    .map_err(|error| Failure::Other(error.into()))?,
            );
            let copy = || said.try_clone().map_err(Failure::Other);
            command.stdout(copy()?).stderr(copy()?);
            Some(said)
        }
        Voice::Dropped => {
            command.stdout(Stdio::null()).stderr(Stdio::null());
            None
        }
    };
    let is_apart = how.provocation.is_some() && how.voice != Voice::Heard;
    if is_apart {
        command.process_group(0);
        // Who is not in the group of the terminal must not read from it.
        if io::stdin().is_terminal() {
            command.stdin(Stdio::null());
        }
    }
    let start = Instant::now();
    let mut child = command.spawn().map_err(Failure::Start)?;
    // Only the program has the other end now.
    drop(theirs);
    signals.forward_to(&child);
    let patience = how.patience.map(|limit| (limit, Patience::with(&child, limit, is_apart, signals)));
    let listened = listen(&mut channel, &mut child, session, args.halt, output);
    // If that has failed, the program may wait for an answer that will not come.
    drop(channel);
    let status = child.wait();
    let time = start.elapsed();
    let hung = patience.and_then(|(limit, patience)| patience.end().then_some(limit));
    signals.forward_to_nobody();
    session.end_run();
    let sequel = session.take_sequel();
    let (ending, foreign) = listened.map_err(Failure::Other)?;
    Ok(Outcome { status: status.map_err(Failure::Other)?, ending, foreign, time, hung, sequel, said })
}

/// Handles lines until the program has ended and its processes have said everything. How did it
/// end?
fn listen(
    channel: &mut Channel,
    child: &mut Child,
    session: &mut Session,
    halt: bool,
    output: &mut Output,
) -> io::Result<(Ending, Option<Mismatch>)> {
    let program = u64::from(child.id());
    let (mut endings, mut foreign) = (Vec::new(), None);
    let mut leave = |session: &mut Session, talker: Talker, output: &mut Output| {
        let pid = talker.process.pid();
        endings.push((pid, session.leave(talker, output)));
    };
    while let Some(heard) = channel.hear(child)? {
        match heard {
            Heard::Line(at, line) => {
                let Connection { lines, talker } = channel.connection(at);
                match session.line(talker, &line, output) {
                    Wish::Nothing => {}
                    Wish::Found if halt => lines.answer_report(talker, Answer::Halt),
                    Wish::Found | Wish::Suppressed => lines.answer_report(talker, Answer::GoOn),
                    // The exit code is ours to choose: the program keeps its own, so that we can
                    // pass it on.
                    Wish::Ending => lines.answer(ExitCode(None)),
                    Wish::Foreign(mismatch) => {
                        foreign = Some(mismatch);
                        channel.forget(at);
                    }
                }
            }
            Heard::Foreign(mismatch) => foreign = Some(mismatch),
            Heard::Left(talker) => leave(session, *talker, output),
        }
    }
    for talker in channel.left() {
        leave(session, talker, output);
    }
    Ok((ending(program, &endings), foreign))
}

/// How a program ended, of which these processes have talked. Its own word counts, if it has talked
/// itself: how its children end is its own affair.
fn ending(program: u64, endings: &[(u64, Ending)]) -> Ending {
    let own = endings.iter().find(|(pid, _)| *pid == program).map(|&(_, ending)| ending);
    let worst = || {
        let talked = endings.iter().map(|&(_, ending)| ending).filter(|&ending| ending != Ending::Silent);
        talked.reduce(|one, other| if one == Ending::Died { one } else { other }).unwrap_or(Ending::Silent)
    };
    own.unwrap_or_else(worst)
}

/// Says what is worth saying about the end of a run; true if it went wrong.
fn describe(args: &RunArgs, seed: Option<u64>, outcome: &Outcome) -> bool {
    let program = args.program[0].to_string_lossy();
    let with_seed = seed.map_or(String::new(), |seed| format!(" (seed {seed})"));
    if let Some(signal) = outcome.status.signal() {
        let observed = if outcome.ending == Ending::Silent { "" } else { "; what was found until then is reported" };
        let name = signals::name(signal);
        output::note(&format!("fencepost: `{program}`{with_seed} was ended by signal {signal}{name}{observed}\n"));
    }
    if let Some(mismatch) = outcome.foreign {
        output::note(&format!("fencepost: error: `{program}` was not observed: {mismatch}\n"));
        return true;
    }
    match outcome.ending {
        Ending::Silent => {
            output::note(&format!("fencepost: error: `{program}` was not observed: {}\n", silence(outcome.status)));
            true
        }
        Ending::Died if outcome.status.signal().is_none() => {
            output::note(&format!(
                "fencepost: `{program}`{with_seed} ended without the runtime's knowledge (`_exit`, `quick_exit` or exec); what was found until then is reported\n"
            ));
            false
        }
        Ending::Died => true,
        Ending::Exited => outcome.status.signal().is_some(),
    }
}

/// Why a program may have been silent, and what to do.
fn silence(status: ExitStatus) -> String {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
    match (limit, status.success()) {
        // It may not even have been loaded.
        (Some(bytes), false) => format!(
            "it ended before it started its runtime. It may use {} MiB of memory at most (`ulimit -v`), and the sanitizer \
             needs several times as much as the program itself",
            bytes >> 20
        ),
        _ => {
            let ended = if status.signal().is_some() { "it ended before it started its runtime, or " } else { "" };
            let otherwise = if ended.is_empty() { ", or it ended before it started its runtime" } else { "" };
            format!(
                "{ended}it was not built for the sanitizer{otherwise}\n\
                 \n  Build it with `fencepost cc` or `fencepost c++` in place of the compiler, when compiling and when linking:\n    \
                 make CC=\"fencepost cc\" CXX=\"fencepost c++\"\n    \
                 fencepost cc -O1 prog.c -o prog"
            )
        }
    }
}

/// Variables that the program must not see.
fn environment_of(args: &RunArgs) -> impl Iterator<Item = &'static str> {
    PRIVATE.into_iter().chain(args.in_test.then_some(EXHAUSTIVE))
}

/// What is in `FENCEPOST_OPTIONS` already.
fn environment_options() -> OsString {
    env::var_os(door::name(door::OPTIONS)).unwrap_or_default()
}

/// One more, which wins over those before.
fn add_option(options: &mut OsString, key: Key, value: &str) {
    if !options.is_empty() {
        options.push(":");
    }
    options.push(OsStr::new(key.name()));
    options.push("=");
    options.push(value);
}

/// `FENCEPOST_OPTIONS` for the program: what is there already, then ours, which wins.
fn runtime_options(args: &RunArgs, how: &How<'_>, steps: u64) -> OsString {
    let mut options = environment_options();
    let mut add = |key: Key, value: &str| add_option(&mut options, key, value);
    add(Key::Seed, &how.run.seed.to_string());
    add(Key::Schedule, &how.run.schedule.to_string());
    if let (Schedule::Pct(_), 1..) = (how.run.schedule, steps) {
        add(Key::Steps, &steps.to_string());
    }
    if args.halt {
        add(Key::Halt, "1");
    }
    if let Some(history) = args.history {
        add(Key::History, &history.to_string());
    }
    if args.no_spin_detection {
        add(Key::SpinDetection, "0");
    }
    if args.in_test {
        add(Key::InTest, "1");
    }
    if let Some(decisions) = how.decisions {
        every::options().iter().filter(|(key, _)| *key != Key::Record).for_each(|(key, value)| add(*key, value));
        add(Key::Deadlock, "1");
        add(Key::Decisions, &decisions.to_string());
    }
    if let Some(provocation) = how.provocation {
        // There are commas in it.
        add(Key::Provoke, &format!("\"{provocation}\""));
    }
    options
}
