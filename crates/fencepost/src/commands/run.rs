//! `fencepost run`: run a program that was built for the sanitizer, once or many times, and report what it reveals.

mod channel;
mod session;
mod signals;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::Range;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};

use fencepost_sanitizer::{Ending, Options};

use crate::args::{RunArgs, Schedule};
use crate::exit::Exit;
use crate::output::{self, Output};
use channel::Channel;
pub(crate) use channel::Lines;
pub(crate) use session::{Answer, Session, Trace};
pub(crate) use signals::Signals;

/// Events of a run that are recorded, unless told otherwise.
const RECORDS: u64 = 200_000;
/// More is never recorded.
const MAX_RECORDS: u64 = 10_000_000;

pub(crate) fn run(args: &RunArgs, output: &mut Output) -> io::Result<Exit> {
    let mut options = Options::default();
    for file in &args.suppressions {
        let read = std::fs::read_to_string(file).map_err(|error| error.to_string());
        if let Err(error) = read.and_then(|text| options.suppressions.add(&text)) {
            output::note(&format!("fencepost: error: {}: {error}\n", file.display()));
            return Ok(Exit::Error);
        }
    }
    let mut session = match Session::new(options, args.format, args.color, args.output.as_deref()) {
        Ok(session) => session,
        Err(message) => {
            output::note(&format!("fencepost: error: {message}\n"));
            return Ok(Exit::Error);
        }
    };
    let signals = Signals::new()?;
    let (mut exit, mut unobserved, mut deadlocks) = (Exit::Other(0), false, 0);
    for seed in seeds(args) {
        let outcome = match once(args, seed, &mut session, &signals, output) {
            Ok(outcome) => outcome,
            Err(Failure::Start(error)) => {
                let program = args.program.first().map(|word| word.to_string_lossy()).unwrap_or_default();
                output::note(&format!("fencepost: error: cannot run `{program}`: {error}\n"));
                return Ok(Exit::Error);
            }
            Err(Failure::Other(error)) => return Err(error),
        };
        let failed = describe(args, seed, &outcome) || session.deadlocks() > deadlocks;
        deadlocks = session.deadlocks();
        if exit == Exit::Other(0) {
            exit = Exit::of(outcome.status);
        }
        unobserved |= outcome.ending == Ending::Silent;
        let stop =
            unobserved || session.has_failed() || (failed && !args.keep_going) || (args.halt && session.has_findings());
        if stop || signals.received() {
            break;
        }
    }
    session.finish(!unobserved, args.print_suppressions, output)?;
    Ok(match () {
        () if session.has_findings() => Exit::Other(args.exitcode),
        () if unobserved => Exit::Error,
        () => exit,
    })
}

/// The seeds to run with.
fn seeds(args: &RunArgs) -> Range<u64> {
    match &args.seeds {
        Some(seeds) => seeds.0.clone(),
        None => args.seed..args.seed.saturating_add(args.runs),
    }
}

/// How one run ended.
struct Outcome {
    status: ExitStatus,
    ending: Ending,
}

enum Failure {
    /// The program could not be started.
    Start(io::Error),
    /// Something else went wrong here.
    Other(io::Error),
}

fn once(
    args: &RunArgs,
    seed: u64,
    session: &mut Session,
    signals: &Signals,
    output: &mut Output,
) -> Result<Outcome, Failure> {
    let (mut channel, theirs) = Channel::new(records()).map_err(Failure::Other)?;
    let mut child = Command::new(&args.program[0])
        .args(&args.program[1..])
        .env("FENCEPOST_OPTIONS", runtime_options(args, seed, args.steps.unwrap_or(session.steps())))
        .env("FENCEPOST_CHANNEL", theirs.channel_number())
        .env("FENCEPOST_TRACE", theirs.trace_number())
        .spawn()
        .map_err(Failure::Start)?;
    // Only the program has the other end now, so that we notice when it is gone.
    drop(theirs);
    signals.forward_to(&child);
    let listened = listen(&mut channel, &mut child, session, args.halt, output);
    // If that has failed, the program may wait for an answer that will not come.
    drop(channel);
    let status = child.wait();
    signals.forward_to_nobody();
    listened.map_err(Failure::Other)?;
    Ok(Outcome { status: status.map_err(Failure::Other)?, ending: session.end_run() })
}

/// Handles lines until the program has ended and said everything.
fn listen(
    channel: &mut Channel,
    child: &mut Child,
    session: &mut Session,
    halt: bool,
    output: &mut Output,
) -> io::Result<()> {
    while let Some(line) = channel.line(child)? {
        match session.line(&line, &mut channel.trace, output) {
            Answer::None => {}
            Answer::Found if halt || session.waits() => channel.answer(if halt { b'h' } else { b'c' }),
            Answer::Suppressed if halt || session.waits() => channel.answer(b'c'),
            Answer::Found | Answer::Suppressed => {}
            // The exit code is ours to choose: the program keeps its own, so that we can pass it on.
            Answer::Ending => channel.answer(0),
        }
    }
    session.settle(&mut channel.trace, output);
    Ok(())
}

/// Says what is worth saying about the end of a run; true if it went wrong.
fn describe(args: &RunArgs, seed: u64, outcome: &Outcome) -> bool {
    let program = args.program[0].to_string_lossy();
    let with_seed = if seeds(args).count() > 1 { format!(" (seed {seed})") } else { String::new() };
    if let Some(signal) = outcome.status.signal() {
        let observed = if outcome.ending == Ending::Silent { "" } else { "; what was found until then is reported" };
        let name = signals::name(signal);
        output::note(&format!("fencepost: `{program}`{with_seed} was ended by signal {signal}{name}{observed}\n"));
    }
    match outcome.ending {
        Ending::Silent => {
            output::note(&format!(
                "fencepost: error: `{program}` was not observed: it was not built for the sanitizer, or it ended before it started its runtime\n\
                 \n  Build it with `fencepost cc` or `fencepost c++` in place of the compiler, when compiling and when linking:\n    \
                 make CC=\"fencepost cc\" CXX=\"fencepost c++\"\n    \
                 fencepost cc -O1 prog.c -o prog\n"
            ));
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

/// `FENCEPOST_OPTIONS` for the program: what is there already, then ours, which wins.
fn runtime_options(args: &RunArgs, seed: u64, steps: u64) -> OsString {
    let mut options = env::var_os("FENCEPOST_OPTIONS").unwrap_or_default();
    let mut add = |key: &str, value: &str| {
        if !options.is_empty() {
            options.push(":");
        }
        options.push(OsStr::new(key));
        options.push("=");
        options.push(value);
    };
    add("seed", &seed.to_string());
    add("schedule", &args.schedule.to_string());
    if let (Schedule::Pct(_), 1..) = (args.schedule, steps) {
        add("steps", &steps.to_string());
    }
    if args.halt {
        add("halt_on_error", "1");
    }
    if let Some(history) = args.history {
        add("history_size", &history.to_string());
    }
    if args.no_spin_detection {
        add("spin_detection", "0");
    }
    options
}

/// How many events of a run are recorded: the program's own option, which it reads itself too, or the usual number.
fn records() -> u64 {
    let options = env::var("FENCEPOST_OPTIONS").unwrap_or_default();
    let named = options.split([':', ' ']).filter_map(|option| option.strip_prefix("record=")?.parse().ok()).next_back();
    named.unwrap_or(RECORDS).min(MAX_RECORDS)
}
