//! What can be typed.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use fencepost_model::{Model, models};
use fencepost_repair::Costs;

use crate::units;

/// Does your concurrent code still behave as under sequential consistency?
///
/// fencepost checks whether a concurrent program that uses weak memory accesses nevertheless behaves as if memory were
/// sequentially consistent (SC): whether it is robust. If it is not, fencepost shows which access can see or write a
/// stale value, and a run that leads there.
#[derive(Parser, Debug)]
#[command(name = "fencepost", version, after_help = EXIT_CODES, after_long_help = LONG_HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Check(CheckArgs),
    Verify(VerifyArgs),
    Repair(RepairArgs),
    Relax(RelaxArgs),
    Graph(GraphArgs),
    Export(ExportArgs),
    Fmt(FmtArgs),
    Parse(ParseArgs),
    Models(ModelsArgs),
    Cc(CcArgs),
    /// Compile and link C++ for the sanitizer: a drop-in for c++
    #[command(name = "c++")]
    Cpp(CcArgs),
    Run(RunArgs),
    /// Reports for a program that nobody runs with `fencepost run`; started by its runtime
    #[command(hide = true)]
    Reporter,
    Completions(CompletionsArgs),
}

/// Check programs for robustness against a memory model
///
/// Explores every SC run of each program together with a monitor of the memory model: the answer is exact, loops
/// included. ROBUST means that the state space was exhausted; NOT ROBUST comes with a run that was replayed on the
/// axioms of the model; UNKNOWN says which limit was reached. Assertions and run-time errors are checked in the same
/// search.
#[derive(clap::Args, Debug)]
#[command(after_help = EXIT_CODES, after_long_help = CHECK_HELP)]
pub(crate) struct CheckArgs {
    /// Files, directories (searched for .fp, .tpl and .litmus files, and .txt files of Trencher), or `-` for standard input
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,

    /// Memory model; may be given several times [default: the models of languages; for Trencher's programs, tso]
    #[arg(long, short, value_name = "MODEL", value_parser = models_parser(), value_delimiter = ',')]
    pub(crate) model: Vec<ModelsChoice>,

    /// Allow stale reads that nothing depends on (sound: what is called observationally robust is)
    #[arg(long)]
    pub(crate) observational: bool,

    /// Form of the results
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,

    /// Also print states, transitions, depth, memory and time
    #[arg(long)]
    pub(crate) stats: bool,

    /// One line per verdict, no explanations
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Print all steps of long runs
    #[arg(long)]
    pub(crate) full_trace: bool,

    /// No progress line, even on a terminal
    #[arg(long)]
    pub(crate) no_progress: bool,

    /// Store buffers: one search for all attacks together, or one for each
    #[arg(long, value_enum, value_name = "HOW", default_value_t = AttacksChoice::Together)]
    pub(crate) attacks: AttacksChoice,

    /// Store buffers: how many stores an attacker delays; `one` is used only where it is enough [default: one where it is]
    #[arg(long, value_enum, value_name = "NUMBER")]
    pub(crate) delays: Option<DelaysChoice>,

    #[command(flatten)]
    pub(crate) common: CommonArgs,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Verify the conditions and assertions of programs under a memory model
///
/// For a program with a condition on final states (a C litmus test): lists the final states that the model permits, says whether
/// the condition is true in some (Sometimes), all (Always) or none (Never) of them, and whether that is what its quantifier asks for. For
/// other programs: can an assertion fail? A data race is undefined behaviour, and never what was asked for.
///
/// Loops are allowed. Several arguments are tried in turn, and the answer says which one it rests on; a failure comes with an
/// execution that was replayed on the axioms of the model. For sc and sra there always is an answer, given time and memory; for the
/// others the question is undecidable or no argument is complete, and the answer may be UNKNOWN, with what was tried.
#[derive(clap::Args, Debug)]
#[command(after_help = VERIFY_CODES, after_long_help = VERIFY_HELP)]
pub(crate) struct VerifyArgs {
    /// Files, directories (searched for programs), or `-` for standard input
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,

    /// Memory model; may be given several times [default: all of them; with --format herd, rc20]
    #[arg(long, short, value_name = "MODEL", value_parser = all_models_parser(), value_delimiter = ',')]
    pub(crate) model: Vec<ModelsChoice>,

    /// How to find out
    #[arg(long, value_enum, default_value_t = EngineChoice::Auto)]
    pub(crate) engine: EngineChoice,

    /// Form of the results
    #[arg(long, value_enum, default_value_t = VerifyFormat::Human)]
    pub(crate) format: VerifyFormat,

    /// One line per answer, no states
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Print all steps of long runs
    #[arg(long)]
    pub(crate) full_trace: bool,

    /// No progress line, even on a terminal
    #[arg(long)]
    pub(crate) no_progress: bool,

    #[command(flatten)]
    pub(crate) common: CommonArgs,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EngineChoice {
    /// All that can settle the question, in turn, with more and more states
    Auto,
    /// Enumerate the executions that the axioms permit: small programs without loops
    Oracle,
    /// Explore runs under SC, which every model has
    Explore,
    /// Backward coverability: SRA, TSO; release/acquire without write/write races
    Cover,
    /// Robustness, or observational robustness, and runs under SC
    Robustness,
    /// Search executions of the model, or states of its store buffers
    Search,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerifyFormat {
    /// Text for people
    Human,
    /// One JSON object per answer and line
    Json,
    /// Logs as those of the herd simulator
    Herd,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttacksChoice {
    /// One program in which every attack is possible
    Together,
    /// One program for each attack
    Each,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DelaysChoice {
    /// A single one (singularity): enough for buffers per location without light fences
    One,
    /// Any number (locality)
    Many,
}

/// Find the cheapest fences and orders that make programs robust
///
/// Tries fences at every control point, stronger orders at every access where the model tells orders apart, and exchanges
/// instead of stores where the model orders things through read-modify-writes. The result is a diff; a fresh check of what it
/// gives says ROBUST; nothing cheaper does, and each edit comes with the violation that is there without it.
#[derive(clap::Args, Debug)]
#[command(after_help = REPAIR_CODES, after_long_help = REPAIR_HELP)]
pub(crate) struct RepairArgs {
    /// List all repairs of which no part is one, cheapest first
    #[arg(long)]
    pub(crate) all: bool,

    /// With --all: list no more than this many
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,

    #[command(flatten)]
    pub(crate) edits: EditArgs,
}

/// Find fences and orders that robust programs can do without
///
/// The converse of `repair`: weakens orders and removes fences, those that are written in the source, as long as the program
/// stays robust, what saves most first; in the end no single further weakening is possible, and each has a violation that says why.
/// Not necessarily the cheapest program there is.
#[derive(clap::Args, Debug)]
#[command(after_help = RELAX_CODES, after_long_help = RELAX_HELP)]
pub(crate) struct RelaxArgs {
    /// Allow stale reads that nothing depends on, as in `check --observational`
    #[arg(long)]
    pub(crate) observational: bool,

    #[command(flatten)]
    pub(crate) edits: EditArgs,
}

/// What the commands that edit programs have in common.
#[derive(clap::Args, Debug)]
pub(crate) struct EditArgs {
    /// Files, directories (searched for programs), or `-` for standard input
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,

    /// Memory model [default: ra; for Trencher's programs tso, for C litmus tests rc20]
    #[arg(long, short, value_name = "MODEL", value_parser = model_parser())]
    pub(crate) model: Option<ModelChoice>,

    /// What edits cost: portable, x86, armv8, power, riscv, or a file with a table of your own
    ///
    /// An edit costs what is written minus what stood there. Among edits of equal cost, fewer, weaker and those outside
    /// loops come first. The format of a table is in docs/usage.md.
    #[arg(long, value_name = "TABLE", default_value = "portable")]
    pub(crate) cost: String,

    /// How many times as much an edit costs in a loop, from 1 to 10
    ///
    /// In a loop in a loop it is the square, up to three loops deep. With 1, the number of fences in the text counts, wherever they
    /// are; with more, a fence before a loop is preferred to one inside, and two before it to one inside from 3 on.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(Costs::GREATEST_LOOP_WEIGHT)))]
    pub(crate) loop_weight: u32,

    /// Change the files
    #[arg(long)]
    pub(crate) write: bool,

    /// Form of the results
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,

    /// No progress line, even on a terminal
    #[arg(long)]
    pub(crate) no_progress: bool,

    #[command(flatten)]
    pub(crate) common: CommonArgs,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Draw the execution that violates robustness, or that `verify` has found
///
/// Writes the execution graph of the violation that `check` would report: one column per thread, program order (po)
/// black, reads-from (rf) red, modification order (mo) blue, from-read (fr) orange, the cycle that SC forbids in bold.
/// If the program is robust nothing is written.
///
/// With --verify: an execution in which an assertion fails, or that ends in a state that the condition is about.
#[derive(clap::Args, Debug)]
pub(crate) struct GraphArgs {
    /// File to check, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Memory model; sc and sra only with --verify [default: ra; for Trencher's programs tso, for C litmus tests rc20]
    #[arg(long, short, value_name = "MODEL", value_parser = any_model_parser())]
    pub(crate) model: Option<ModelChoice>,

    /// What `verify` finds, rather than what violates robustness
    #[arg(long)]
    pub(crate) verify: bool,

    /// Where to write the picture; `-` for standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,

    /// Form of the picture [default: by the extension of the output file, else svg]
    #[arg(long, value_enum)]
    pub(crate) format: Option<GraphFormat>,

    /// No progress line, even on a terminal
    #[arg(long)]
    pub(crate) no_progress: bool,

    #[command(flatten)]
    pub(crate) common: CommonArgs,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Write a program for another model checker, or in C
///
/// To Promela: with the monitor of a memory model, that is, with an assertion at every access that the thread could not
/// use a stale value. SPIN finds no assertion violated iff `check` says ROBUST. For `sc` the program is written as it is, and
/// SPIN finds out whether one of its own assertions can fail.
///
/// To attacks: as the program that `check` explores for a model with store buffers: it fails an assertion under SC iff
/// the original is not robust. `parse --emit`, `check` and `fmt` read it.
///
/// To C: as a program with one POSIX thread for each thread, to be compiled and run.
///
/// A program that cannot be expressed there is refused.
#[derive(clap::Args, Debug)]
#[command(after_help = EXPORT_HELP)]
pub(crate) struct ExportArgs {
    /// File to export, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The other language
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub(crate) to: ExportFormat,

    /// Promela, attacks: memory model; for Promela, `sc` leaves the program as it is [default: ra; for attacks, tso]
    #[arg(long, short, value_name = "MODEL", value_parser = any_model_parser())]
    pub(crate) model: Option<ModelChoice>,

    /// Promela: allow stale reads that nothing depends on, as in `check --observational`
    #[arg(long)]
    pub(crate) observational: bool,

    /// C: end the run when a thread has jumped backwards this many times
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) steps: u32,

    /// Where to write the result; `-` for standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Format programs in place
#[derive(clap::Args, Debug)]
pub(crate) struct FmtArgs {
    /// Files, directories, or `-` for standard input to standard output
    #[arg(value_name = "PATH", default_value = "-")]
    pub(crate) paths: Vec<PathBuf>,

    /// Change nothing; list the files that are not formatted, and exit with 1 if there are any
    #[arg(long)]
    pub(crate) check: bool,

    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Print what was understood of a program
#[derive(clap::Args, Debug)]
pub(crate) struct ParseArgs {
    /// File to parse, or `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// What to print
    #[arg(long, value_enum, default_value_t = Emit::Ast)]
    pub(crate) emit: Emit,

    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// List the memory models, or explain one
#[derive(clap::Args, Debug)]
pub(crate) struct ModelsArgs {
    /// The model to explain
    #[arg(value_name = "MODEL", value_parser = any_model_parser())]
    pub(crate) model: Option<ModelChoice>,
}

/// Print a completion script for a shell
#[derive(clap::Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Compile and link C for the sanitizer: a drop-in for cc
///
/// Takes what the compiler takes and passes it on, adding instrumentation when compiling and the runtime when linking a
/// program: `make CC="fencepost cc"`, `CC="fencepost cc" cmake …`, `CC="fencepost cc" ./configure`.
#[derive(clap::Args, Debug)]
#[command(disable_help_flag = true, after_help = CC_HELP)]
pub(crate) struct CcArgs {
    /// [--compiler X] first on the line, [--atomics-only] anywhere; everything else is for the compiler
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<OsString>,
}

/// Run a program built by `cc` or `c++` under the sanitizer
///
/// Reports robustness violations and data races. Every atomic access is checked for overwritten values that it could use under RC20 although not under SC, whatever else
/// could have happened meanwhile; every plain access for data races. Each finding is reported once over all runs.
#[derive(clap::Args, Debug)]
#[command(after_help = RUN_HELP)]
pub(crate) struct RunArgs {
    /// Run it so many times, with seeds that follow each other
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) runs: u64,

    /// Seed of the (first) run
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,

    /// A run for every seed from A to B - 1
    #[arg(long, value_name = "A..B", value_parser = units::seeds, conflicts_with_all = ["runs", "seed"])]
    pub(crate) seeds: Option<Seeds>,

    /// Who decides which thread runs: os, random, or pct:D (probabilistic concurrency testing for bugs of depth D)
    ///
    /// With `random` and `pct:D` one thread runs at a time and switches happen at atomic, lock and thread operations by a
    /// seeded scheduler: the same seed gives the same run.
    #[arg(long, value_name = "WHO", default_value = "os", value_parser = units::schedule)]
    pub(crate) schedule: Schedule,

    /// Steps a run is expected to have, for pct:D [default: as many as the longest run so far]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) steps: Option<u64>,

    /// Stop at the first report: the program and further runs
    #[arg(long)]
    pub(crate) halt: bool,

    /// Go on with further runs after one that crashed
    #[arg(long)]
    pub(crate) keep_going: bool,

    /// Overwritten values to remember per location [default: 16]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(2..=65536))]
    pub(crate) history: Option<u32>,

    /// Take every load in a busy-wait loop for an ordinary load
    #[arg(long)]
    pub(crate) no_spin_detection: bool,

    /// What not to report, as for a thread sanitizer: lines of robustness:PATTERN or race:PATTERN
    #[arg(long, value_name = "FILE")]
    pub(crate) suppressions: Vec<PathBuf>,

    /// Say at the end which suppressions were used and which were not
    #[arg(long)]
    pub(crate) print_suppressions: bool,

    /// Form of the reports: human ones go to standard error, others to standard output
    #[arg(long, value_enum, default_value_t = ReportFormat::Human)]
    pub(crate) format: ReportFormat,

    /// Where to write the reports instead
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Exit code if something was reported
    #[arg(long, value_name = "N", default_value_t = 66)]
    pub(crate) exitcode: u8,

    /// Colours; `auto` means on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = clap::ColorChoice::Auto)]
    pub(crate) color: clap::ColorChoice,

    /// The program and its arguments
    #[arg(value_name = "PROGRAM", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) program: Vec<OsString>,
}

/// A range that is not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seeds(pub(crate) std::ops::Range<u64>);

/// Who decides which thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Schedule {
    Os,
    Random,
    /// Probabilistic concurrency testing: priorities that change at a bounded number of places.
    Pct(u32),
}

impl std::fmt::Display for Schedule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Schedule::Os => f.write_str("os"),
            Schedule::Random => f.write_str("random"),
            Schedule::Pct(depth) => write!(f, "pct:{depth}"),
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportFormat {
    /// Text for people, in the layout of thread sanitizers
    Human,
    /// One JSON object per report and line, and one with the figures
    Json,
    /// One SARIF 2.1.0 log at the end
    Sarif,
}

/// How to search: a matter of cost, never of the verdict.
#[derive(clap::Args, Debug, Clone, Copy)]
#[command(next_help_heading = "Search (what it costs, never what the verdict is)")]
pub(crate) struct SearchArgs {
    /// Threads to search with [default: as many as there are cores]
    ///
    /// The verdict, the run that is shown and the number of states are the same for every number of threads, unless a
    /// limit ends the search first; the memory is not quite.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,

    /// Use none of the reductions below
    ///
    /// Explores every interleaving with the whole monitor, in states that remember everything. Costs far more, never
    /// changes the verdict: what to say when a reduction is under suspicion.
    #[arg(long)]
    pub(crate) no_reductions: bool,

    /// Follow all stale writes at once, not one at a time
    ///
    /// Without this, the search guesses which stale write will matter and keeps only what concerns that one. Costs more
    /// for most programs, less for some, such as locks with queues; never changes the verdict.
    #[arg(long)]
    pub(crate) no_watch: bool,

    /// Explore all interleavings of independent steps, not one (partial-order reduction)
    ///
    /// Costs more the more threads there are that seldom meet; never changes the verdict.
    #[arg(long)]
    pub(crate) no_por: bool,

    /// Tell threads with the same code apart
    ///
    /// Costs up to n! as much for n such threads; never changes the verdict.
    #[arg(long)]
    pub(crate) no_symmetry: bool,

    /// Keep what is known about stale writes that nobody can use any more
    ///
    /// Costs more; never changes the verdict.
    #[arg(long)]
    pub(crate) no_dead_bits: bool,

    /// Keep the content of registers that nobody reads again
    ///
    /// Costs more; never changes the verdict.
    #[arg(long)]
    pub(crate) no_dead_registers: bool,

    /// Treat locations that only one thread uses like all others
    ///
    /// Costs more; never changes the verdict.
    #[arg(long)]
    pub(crate) no_private: bool,
}

/// Limits of the search, per file and model.
#[derive(clap::Args, Debug, Clone, Copy)]
#[command(next_help_heading = "Limits (per file and model)")]
pub(crate) struct LimitArgs {
    /// Give up after this time: `500ms`, `10s`, `2m` [default: none]
    #[arg(long, value_name = "DURATION", env = "FENCEPOST_TIMEOUT", hide_env_values = true, value_parser = units::duration)]
    pub(crate) timeout: Option<Duration>,

    /// Give up when the states need more memory: `512M`, `2GiB` [default: half of the machine's]
    #[arg(long, value_name = "SIZE", env = "FENCEPOST_MEMORY", hide_env_values = true, value_parser = units::size)]
    pub(crate) memory: Option<u64>,

    /// Give up after this many states [default: none]
    #[arg(long, value_name = "N", env = "FENCEPOST_MAX_STATES", hide_env_values = true, value_parser = units::count)]
    pub(crate) max_states: Option<u64>,
}

#[derive(clap::Args, Debug, Clone, Copy)]
pub(crate) struct CommonArgs {
    /// Language of standard input and of files with another extension [default for standard input: fp]
    #[arg(long, value_enum)]
    pub(crate) language: Option<LanguageChoice>,

    /// Colours; `auto` means on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = clap::ColorChoice::Auto)]
    pub(crate) color: clap::ColorChoice,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Text for people
    Human,
    /// One JSON object per verdict and line
    Json,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GraphFormat {
    /// A picture
    Svg,
    /// Input of Graphviz
    Dot,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExportFormat {
    /// The language of the model checker SPIN
    Promela,
    /// A program (.fp) that fails an assertion iff the original is not robust against a model with store buffers
    Attacks,
    /// C11 with POSIX threads, to be compiled and run
    C,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Emit {
    /// The syntax tree
    Ast,
    /// The instructions of each thread
    Ir,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LanguageChoice {
    /// The native language
    Fp,
    /// The language of the Rocker tool
    Tpl,
    /// The language of the Trencher tool
    Txt,
    /// C litmus tests
    Litmus,
}

/// A memory model of the list.
#[derive(Clone, Copy)]
pub(crate) struct ModelChoice(pub(crate) &'static dyn Model);

impl std::fmt::Debug for ModelChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name())
    }
}

fn model_parser() -> impl TypedValueParser<Value = ModelChoice> {
    choose(models::checkable().collect())
}

/// All models that can be checked, or one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ModelsChoice {
    All,
    One(ModelChoice),
}

const ALL: &str = "all";

fn models_parser() -> impl TypedValueParser<Value = ModelsChoice> {
    choose_several(models::checkable().collect())
}

fn all_models_parser() -> impl TypedValueParser<Value = ModelsChoice> {
    choose_several(models::MODELS.to_vec())
}

fn choose_several(choices: Vec<&'static dyn Model>) -> impl TypedValueParser<Value = ModelsChoice> {
    let all = PossibleValue::new(ALL).help("every model below");
    let values =
        std::iter::once(all).chain(choices.iter().map(|model| PossibleValue::new(model.name()).help(model.title())));
    PossibleValuesParser::new(values).map(|name| match models::by_name(&name) {
        Some(model) => ModelsChoice::One(ModelChoice(model)),
        None => ModelsChoice::All,
    })
}

fn any_model_parser() -> impl TypedValueParser<Value = ModelChoice> {
    choose(models::MODELS.to_vec())
}

fn choose(choices: Vec<&'static dyn Model>) -> impl TypedValueParser<Value = ModelChoice> {
    let values: Vec<PossibleValue> =
        choices.iter().map(|model| PossibleValue::new(model.name()).help(model.title())).collect();
    PossibleValuesParser::new(values)
        .map(|name| ModelChoice(models::by_name(&name).expect("the parser admits only names of the list")))
}

/// A macro, because only literals can be joined in constants.
macro_rules! exit_codes {
    () => {
        "\
Exit codes:
  0    the property holds
  1    a violation was found, or something fails under SC
  2    bad usage, unreadable or malformed input
  3    undecided: time, memory or states ran out
  101  a bug in fencepost: please report it
  With several files, the worst: 101, then 2, 1, 3, 0."
    };
}

const EXIT_CODES: &str = exit_codes!();

const LONG_HELP: &str = concat!(
    "\
Examples:
  fencepost check sb.fp                      is it robust?
  fencepost check litmus --model ra -q       a verdict for every file of a directory
  fencepost check sb.fp --format json        the same for scripts
  fencepost verify sb.litmus --model tso     which final states does it have?
  fencepost repair sb.fp --model ra          which fences make it robust?
  fencepost relax seqlock.fp --model rc20    which orders are stronger than needed?
  fencepost graph sb.fp -o sb.svg            a picture of the violation
  fencepost export sb.fp --to promela        the same question for SPIN
  fencepost fmt --check litmus               are all files formatted?
  fencepost models ra                        what is this model?
  fencepost cc -O1 queue.c -o queue          build a C program for the sanitizer
  fencepost run -- ./queue                   which of its accesses can go wrong?

",
    exit_codes!()
);

const CHECK_HELP: &str = concat!(
    "\
Examples:
  fencepost check sb.fp                               check one file against every model
  fencepost check litmus mine.tpl --model ra          check a directory and a file
  fencepost check seqlock.fp --observational          are its stale reads harmless?
  fencepost check peterson.fp --timeout 30s --stats   at most 30 seconds; what did it cost?
  fencepost check peterson.fp --no-por --jobs 1       the same verdict, in another way
  fencepost check - --language tpl < program          check standard input
  fencepost check litmus --format json | jq .verdict  verdicts for a script

",
    exit_codes!()
);

/// The exit codes of `verify`.
macro_rules! verify_codes {
    () => {
        "\
Exit codes:
  0    the condition is met (`exists`: by some final state), assertions hold
  1    it is not, an assertion fails, or there is a data race
  2    bad usage, unreadable or malformed input
  3    undecided: a limit was reached, or no engine knows how
  101  a bug in fencepost: please report it
  With several files or models, the worst: 101, then 2, 1, 3, 0."
    };
}

const VERIFY_CODES: &str = verify_codes!();

const VERIFY_HELP: &str = concat!(
    "\
Examples:
  fencepost verify sb.litmus                        which final states does it have, under every model?
  fencepost verify sb.litmus --model tso,rc20 -q    only the answers, for two models
  fencepost verify tests --format herd              logs for herd's scripts, under rc20
  fencepost verify peterson.fp --model sc,sra,tso   can an assertion fail?
  fencepost verify dekker.fp --timeout 60s          at most a minute for each model
  fencepost verify ring.fp --engine search          only look for a failing execution

",
    verify_codes!()
);

/// The exit codes of `repair`.
macro_rules! repair_codes {
    () => {
        "\
Exit codes:
  0    repaired, or nothing to repair
  1    there is no repair among the candidates
  2    bad usage, unreadable or malformed input, table or file
  3    undecided: time, memory or states ran out
  101  a bug in fencepost: please report it
  With several files, the worst: 101, then 2, 1, 3, 0."
    };
}

const REPAIR_CODES: &str = repair_codes!();

const REPAIR_HELP: &str = concat!(
    "\
Examples:
  fencepost repair sb.fp --model ra                        what would make it robust?
  fencepost repair sb.fp --model ra --write                make it so
  fencepost repair peterson.fp --model rc20 --all          in which ways can it be done?
  fencepost repair peterson.fp --model rc20 --cost armv8   cheapest where?
  fencepost repair litmus --model ra --format json         one object per file

",
    repair_codes!()
);

/// The exit codes of `relax`.
macro_rules! relax_codes {
    () => {
        "\
Exit codes:
  0    relaxed, or nothing can be weakened
  1    the program is not robust to begin with
  2    bad usage, unreadable or malformed input, table or file
  3    undecided: time, memory or states ran out
  101  a bug in fencepost: please report it
  With several files, the worst: 101, then 2, 1, 3, 0."
    };
}

const RELAX_CODES: &str = relax_codes!();

const RELAX_HELP: &str = concat!(
    "\
Examples:
  fencepost relax peterson.fp --model rc20                  which orders can be weaker?
  fencepost relax seqlock.fp --model rc20 --observational   if harmless stale reads are allowed?
  fencepost relax queue.fp --model rc20 --cost power --write

",
    relax_codes!()
);

const EXPORT_HELP: &str = "\
Examples:
  fencepost export sb.fp --to promela -o sb.pml             is it robust against ra? SPIN decides:
  spin -a sb.pml && gcc -O2 -DSAFETY -DNOCLAIM -o pan pan.c && ./pan -E -m1000000
  fencepost export seqlock.fp --to promela --model rc20 --observational
  fencepost export peterson.fp --to promela --model sc      the program alone, with its own assertions
  fencepost export peterson.fp --to attacks --model tso     what `check --model tso` explores
  fencepost export peterson.fp --to c -o peterson.c         as a program to run:
  cc -std=c11 -pthread peterson.c && ./a.out

Failures of the program itself are violations for `sc` only; with other models `spin -DCHECK_ASSERTIONS -a` adds them.";

const CC_HELP: &str = "\
Examples:
  fencepost cc -O1 -pthread queue.c -o queue          compile and link
  fencepost c++ --compiler g++-13 -c queue.cpp        with another compiler than the one it finds
  make CC='fencepost cc --atomics-only'               a whole project, without data races: faster
  fencepost run -- ./queue                            run what was built

Environment:
  FENCEPOST_CC, FENCEPOST_CXX  the compilers to use
  FENCEPOST_ATOMICS_ONLY=1     as --atomics-only
  FENCEPOST_CACHE_DIR          where the runtime is unpacked";

const RUN_HELP: &str = "\
Examples:
  fencepost run -- ./queue 4                                    one run, as the operating system schedules it
  fencepost run --schedule pct:3 --seeds 0..1000 -- ./queue 4   a thousand different schedules
  fencepost run --schedule pct:3 --seed 17 -- ./queue 4         one of them again
  fencepost run --format sarif -o findings.sarif -- ./queue 4   for code scanning

Exit codes:
  66   something was reported (--exitcode)
  2    the program cannot be run, or was not built for the sanitizer
  else the program's own (128 + N if it was ended by signal N); with several runs, the first one that is not 0";

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_is_consistent() {
        Args::command().debug_assert();
    }
}
