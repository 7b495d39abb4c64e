//! What several commands have in common.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;

use crate::device::Choice;
use crate::units::{self, Timeout};

/// How to search: a matter of cost, never of the verdict.
#[derive(clap::Args, Debug, Clone, Copy)]
#[command(next_help_heading = "Search (what it costs, never what the verdict is)")]
pub(crate) struct SearchArgs {
    /// Threads to search with [default: as many as there are cores]
    ///
    /// The verdict, the run that is shown and the number of states are the same for every number of
    /// threads, unless a limit ends the search first; the memory is not quite.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,

    /// Use none of the reductions below
    ///
    /// Explores every interleaving with the whole monitor, in states that remember everything.
    /// Costs far more, never changes the verdict: what to say when a reduction is under suspicion.
    #[arg(long)]
    pub(crate) no_reductions: bool,

    /// Follow all stale writes at once, not one at a time
    ///
    /// Without this, the search guesses which stale write will matter and keeps only what concerns
    /// that one. Costs more for most programs, less for some, such as locks with queues; never
    /// changes the verdict.
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

/// Where to search: a matter of cost, never of the verdict.
#[derive(clap::Args, Debug, Clone, Copy)]
#[command(next_help_heading = "Search (what it costs, never what the verdict is)")]
pub(crate) struct DeviceArgs {
    /// Search on a graphics card: `cuda`, `cuda:1`, `auto`, `cpu` [default: cpu]
    ///
    /// `cuda` is NVIDIA's card number 0; it needs the driver and NVRTC, which comes with CUDA. `auto`
    /// takes a card if there is one. A card makes all reductions but the partial-order one. What it
    /// cannot search is searched on the processor, and a note says why. Pays for searches that take
    /// the processor more than some seconds.
    #[arg(long, value_name = "WHERE", value_parser = crate::device::choice, conflicts_with_all = ["disk", "checkpoint"])]
    pub(crate) device: Option<Choice>,
}

/// Limits of the search, per file and model.
#[derive(clap::Args, Debug, Clone, Copy)]
#[command(next_help_heading = "Limits (per file and model)")]
pub(crate) struct LimitArgs {
    /// Give up after this time: `500ms`, `10s`, `2m`, `none` [default: none; for verify and graph
    /// --verify, a minute; for lsp, 10 seconds]
    #[arg(long, value_name = "DURATION", env = "FENCEPOST_TIMEOUT", hide_env_values = true, value_parser = units::timeout)]
    pub(crate) timeout: Option<Timeout>,

    /// Give up when the states need more memory: `512M`, `2GiB` [default: half of the machine's]
    #[arg(long, value_name = "SIZE", env = "FENCEPOST_MEMORY", hide_env_values = true, value_parser = units::size)]
    pub(crate) memory: Option<u64>,

    /// Give up after this many states [default: none]
    #[arg(long, value_name = "N", env = "FENCEPOST_MAX_STATES", hide_env_values = true, value_parser = units::count)]
    pub(crate) max_states: Option<u64>,
}

/// For searches that are larger than memory, or longer than the machine runs.
#[derive(clap::Args, Debug, Clone)]
#[command(next_help_heading = "Large searches")]
pub(crate) struct ScaleArgs {
    /// Say on standard error, again and again, how many states the search will have: an estimate
    ///
    /// It starts after the first 500 states. For four programs of five it is then right within a
    /// factor of 4, and for most others within 10.
    #[arg(long)]
    pub(crate) estimate: bool,

    /// When memory runs short, leave states in files in this directory: `/scratch`, `/scratch:200G`
    /// for at most so many bytes [default: give up]
    ///
    /// Takes some 8 to 20 bytes for each state, and more time. The files are removed at the end.
    #[arg(long, value_name = "DIR[:SIZE]", value_parser = units::disk)]
    pub(crate) disk: Option<Space>,

    /// Write down in this directory, every few seconds, how far the search is: whatever ends it,
    /// `fencepost resume DIR` goes on from there
    #[arg(long, value_name = "DIR")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// How often to write that down, at least when there is something new
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = units::duration, requires = "checkpoint")]
    pub(crate) checkpoint_every: Duration,
}

/// A directory, and how many bytes may be in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Space {
    pub(crate) directory: PathBuf,
    pub(crate) bytes: Option<u64>,
}

#[derive(clap::Args, Debug, Clone, Copy)]
pub(crate) struct CommonArgs {
    /// Language of standard input and of files with another extension [default for standard input:
    /// fp]
    #[arg(long, value_enum)]
    pub(crate) language: Option<LanguageChoice>,

    /// What `*x` is in a litmus test if `x` is an `atomic_int*` [default: plain, with a warning]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) litmus_deref: Option<DerefChoice>,

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
pub(crate) enum DerefChoice {
    /// A plain access, as the herd simulator reads it
    Plain,
    /// A seq_cst access, as the C standard has it
    Sc,
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
