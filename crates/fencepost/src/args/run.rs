//! `run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::ValueEnum;
use fencepost_protocol::exploration::{Decision, Decisions};
use fencepost_protocol::{FOUND, Options, Provocation, Schedule};

use super::FailOn;
use super::shard::Shard;
use crate::units;

/// Run a program built by `cc` or `c++` under the sanitizer
///
/// Reports robustness violations and data races. Every atomic access is checked for overwritten
/// values that it could use under C++20 although not under SC, whatever else could have happened
/// meanwhile; every plain access for data races. Each finding is reported once over all runs.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = RUN_HELP)]
pub(crate) struct RunArgs {
    /// Run it so many times, with seeds that follow each other [default: once with --schedule,
    /// otherwise as often as the time allows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) runs: Option<u64>,

    /// Begin no further run after this time [default: 10s, without --schedule, --runs and --seeds]
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(crate) time: Option<Duration>,

    /// Seed of the (first) run
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,

    /// A run for every seed from A to B - 1
    #[arg(long, value_name = "A..B", value_parser = units::seeds, conflicts_with_all = ["runs", "seed"])]
    pub(crate) seeds: Option<Seeds>,

    /// Make only part I of N of these runs, say on one of N machines; `fencepost merge` joins their
    /// reports (--format json)
    #[arg(long, value_name = "I/N", value_parser = str::parse::<Shard>, conflicts_with = "decisions")]
    pub(crate) shard: Option<Shard>,

    /// Who decides which thread runs: os, random, or pct:D (probabilistic concurrency testing for
    /// bugs of depth D) [default: they take turns, os, random, pct:3]
    ///
    /// With `random` and `pct:D` one thread runs at a time and switches happen at atomic, lock and
    /// thread operations by a seeded scheduler: the same seed gives the same run.
    ///
    /// With `all`, every schedule of a small test is explored, up to equivalence: the answer is a
    /// proof or a bug.
    #[arg(long, value_name = "WHO", value_parser = str::parse::<Who>)]
    pub(crate) schedule: Option<Who>,

    /// With --schedule all: how many runs are made at the same time [default: one per processor]
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<usize>,

    /// With --schedule all: give up after this time
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(crate) timeout: Option<Duration>,

    /// With --schedule all: give up after so many runs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_runs: Option<u64>,

    /// With --schedule all: let loops whose rounds do something go round N times more, and be
    /// content with that
    #[arg(long, value_name = "N")]
    pub(crate) spins: Option<u32>,

    /// With --schedule all: only schedules in which the turn is taken at most N times from a thread
    /// that could go on; those with the fewest first
    #[arg(long, value_name = "N")]
    pub(crate) preemptions: Option<u32>,

    /// With --schedule all: explore all executions under C++20, those that are not SC included;
    /// that the test is not robust is no bug then [default: only after every schedule, if the test
    /// is not robust and nothing has failed]
    #[arg(long, conflicts_with_all = ["no_weak", "preemptions"])]
    pub(crate) weak: bool,

    /// With --schedule all: do not explore executions that are not SC
    #[arg(long)]
    pub(crate) no_weak: bool,

    /// Who takes which step, as --schedule all tells it
    #[arg(long, value_name = "STEPS", value_parser = str::parse::<Decisions>, conflicts_with_all = ["schedule", "runs", "seeds", "time"])]
    pub(crate) decisions: Option<Decisions>,

    /// With --schedule all and --decisions, for a test program in Rust that runs one test: begin with
    /// the test, and let the main thread run it
    #[arg(long)]
    pub(crate) in_test: bool,

    /// Steps a run is expected to have, for pct:D [default: as many as the longest run so far];
    /// steps that it may have, with --schedule all [default: 10000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) steps: Option<u64>,

    /// Stop at the first report: the program and further runs
    #[arg(long)]
    pub(crate) halt: bool,

    /// Go on with further runs after one that crashed
    #[arg(long)]
    pub(crate) keep_going: bool,

    /// Let each reported access use an overwritten value in N further runs, and say what follows;
    /// 0: do not [default: 50 after a series of runs, if they take no more than twice as long as
    /// that; 0 after a single run]
    ///
    /// With --schedule all, without a number: explore all executions in which one access uses an
    /// overwritten value and everything else is as under SC, and say what follows from each report.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "50")]
    pub(crate) provoke: Option<u64>,

    /// Let the access at PLACE use an overwritten value in every run, as reports say it
    #[arg(long, value_name = "PLACE,WHICH", value_parser = str::parse::<Provocation>, conflicts_with = "provoke")]
    pub(crate) provoke_at: Option<Provocation>,

    /// After this time, a provoked run does not end any more [default: 20 times as long as the
    /// longest ordinary run, and 10s at least]
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(crate) hang_after: Option<Duration>,

    /// Tell what is harmless in full, too, and show all frames of all stacks: without it, of the
    /// frames of standard libraries only those that the program calls
    #[arg(long)]
    pub(crate) all: bool,

    /// What to end with exit code 66 for
    #[arg(long, value_enum, value_name = "RANK", default_value_t)]
    pub(crate) fail_on: FailOn,

    /// Overwritten values to remember per location [default: 16]
    #[arg(long, value_name = "K", value_parser = history)]
    pub(crate) history: Option<u32>,

    /// Take every load in a busy-wait loop for an ordinary load
    #[arg(long)]
    pub(crate) no_spin_detection: bool,

    /// What not to report, as for a thread sanitizer: lines of robustness:PATTERN or race:PATTERN
    #[arg(long, value_name = "FILE")]
    pub(crate) suppressions: Vec<PathBuf>,

    /// Functions that only wrap atomic accesses: their callers are to blame. A pattern as in
    /// suppressions; may be given several times
    #[arg(long, value_name = "PATTERN")]
    pub(crate) wrapper: Vec<String>,

    /// Say at the end which suppressions were used and which were not
    #[arg(long)]
    pub(crate) print_suppressions: bool,

    #[command(flatten)]
    pub(crate) told: Told,

    /// The program and its arguments
    #[arg(value_name = "PROGRAM", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) program: Vec<OsString>,
}

/// How reports are told, by those who make runs and those who join them.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Told {
    /// Form of the reports: human ones go to standard error, others to standard output
    #[arg(long, value_enum, default_value_t = ReportFormat::Human)]
    pub(crate) format: ReportFormat,

    /// Where to write the reports instead
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Draw each report as well: DIR/report-1.svg, DIR/report-2.svg, …
    #[arg(long, value_name = "DIR")]
    pub(crate) graph: Option<PathBuf>,

    /// Exit code if something was reported
    #[arg(long, value_name = "N", default_value_t = FOUND)]
    pub(crate) exitcode: u8,

    /// Colours; `auto` means on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = clap::ColorChoice::Auto)]
    pub(crate) color: clap::ColorChoice,
}

impl Default for Told {
    fn default() -> Self {
        let (format, color) = (ReportFormat::Human, clap::ColorChoice::Auto);
        Told { format, output: None, graph: None, exitcode: FOUND, color }
    }
}

impl RunArgs {
    /// With `--schedule all`: is it explored what follows from each report?
    pub(crate) fn explores_follows(&self) -> bool {
        self.provoke.is_some_and(|tries| tries > 0) && !self.weak
    }

    /// Was it decided that an access uses an overwritten value?
    pub(crate) fn decides_stale(&self) -> bool {
        self.decisions.as_ref().is_some_and(|decisions| decisions.0.iter().any(Decision::is_stale))
    }
}

/// Which schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// One after the other, as this decides.
    One(Schedule),
    /// All of them, up to equivalence.
    All,
}

impl FromStr for Who {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "all" => Ok(Who::All),
            _ => text.parse().map(Who::One).map_err(|error| format!("{error}; or `all`")),
        }
    }
}

/// A number of workers.
fn jobs(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|jobs| (1..=256).contains(jobs)).ok_or_else(|| "expected a number from 1 to 256".into())
}

/// How much history can be kept.
fn history(text: &str) -> Result<u32, String> {
    let (least, most) = (Options::HISTORY.start(), Options::HISTORY.end());
    let number = text.parse().ok().filter(|number| Options::HISTORY.contains(number));
    number.ok_or_else(|| format!("expected a number from {least} to {most}"))
}

/// A range that is not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seeds(pub(crate) std::ops::Range<u64>);

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportFormat {
    /// Text for people, in the layout of thread sanitizers
    Human,
    /// One JSON object per report and line, and one with the figures
    Json,
    /// One SARIF 2.1.0 log at the end
    Sarif,
    /// One page for a browser at the end
    Html,
}

const RUN_HELP: &str = "\
Examples:
  fencepost run -- ./queue 4                                    different schedules, for ten seconds
  fencepost run --time 2m -- ./queue 4                          for two minutes
  fencepost run --runs 1 -- ./queue 4                           one run, as the operating system schedules it
  fencepost run --schedule pct:3 --seeds 0..1000 -- ./queue 4   a thousand different schedules
  fencepost run --schedule all -- ./queue 2                     every schedule of a small test: a proof or a bug
  fencepost run --schedule pct:3 --seed 17 -- ./queue 4         one of them again
  fencepost run --runs 100 --fail-on failure -- ./queue 4       what is harmless does not matter
  fencepost run --format sarif -o findings.sarif -- ./queue 4   for code scanning
  fencepost run --format html -o report.html -- ./queue 4       a page for a browser
  fencepost run --seeds 0..9000 --shard 2/9 --format json -o 2.json -- ./queue 4   one of nine parts
  fencepost run --graph pictures -- ./queue 4                   pictures/report-1.svg, …: how does it happen?

Exit codes:
  3    with --schedule all: nothing was found, but not everything was seen
  66   something was reported (--exitcode), as bad as --fail-on says
  2    the program cannot be run, or was not built for the sanitizer; reports or pictures cannot be
       written
  else the program's own (128 + N if it was ended by signal N); with several runs, the first one that is not 0";
