//! What was meant: arguments, environment and terminal put together.

use std::io::{self, IsTerminal};
use std::num::NonZero;

use clap::ColorChoice;
use fencepost_check::{Attacking, Delays, Options, Reductions};
use fencepost_lower::{Deref, Reading};
use fencepost_model::{ByDefault, Model, models};
use fencepost_report::terminal::Look;
use fencepost_syntax::Language;

use crate::args::{
    AttacksChoice, CheckArgs, CommonArgs, DelaysChoice, DerefChoice, LanguageChoice, ModelsChoice, SearchArgs,
};
use crate::output::Output;
use crate::project;

/// The look of results on standard output.
pub(crate) fn stdout_look(common: &CommonArgs, full_trace: bool, output: &Output) -> Look {
    Look { full_trace, ..look(common, output.is_terminal()) }
}

/// The look of messages on standard error.
pub(crate) fn stderr_look(common: &CommonArgs) -> Look {
    look(common, io::stderr().is_terminal())
}

/// The language asked for, if any.
pub(crate) fn language(common: &CommonArgs) -> Option<Language> {
    common.language.map(|choice| match choice {
        LanguageChoice::Fp => Language::Fp,
        LanguageChoice::Tpl => Language::Tpl,
        LanguageChoice::Txt => Language::Txt,
        LanguageChoice::Litmus => Language::Litmus,
    })
}

/// How texts are to be read.
pub(crate) fn reading(common: &CommonArgs) -> Reading {
    Reading {
        deref: common.litmus_deref.map(|choice| match choice {
            DerefChoice::Plain => Deref::Plain,
            DerefChoice::Sc => Deref::SeqCst,
        }),
    }
}

/// How to search.
pub(crate) fn search(args: &SearchArgs, observational: bool) -> Options {
    let reductions = match args.no_reductions {
        true => Reductions::NONE,
        false => Reductions {
            watch_one: !args.no_watch,
            por: !args.no_por,
            symmetry: !args.no_symmetry,
            dead_bits: !args.no_dead_bits,
            dead_registers: !args.no_dead_registers,
            private_locations: !args.no_private,
        },
    };
    let cores = || std::thread::available_parallelism().map_or(1, NonZero::get);
    Options { reductions, observational, jobs: args.jobs.map_or_else(cores, usize::from) }
}

/// The models asked for, each once, in the order of the list; if none is, those that are meant in
/// every command. Asking for all means all that know the question.
pub(crate) fn models(
    choices: &[ModelsChoice],
    language: Language,
    knows: impl Fn(&dyn Model) -> bool,
) -> Vec<&'static dyn Model> {
    let is_chosen = |model: &&'static dyn Model| {
        choices.iter().any(|choice| match choice {
            ModelsChoice::All => knows(*model),
            ModelsChoice::One(one) => one.0.name() == model.name(),
        })
    };
    match choices {
        [] => match project::get().models.as_slice() {
            [] => default_models(language),
            wanted => wanted.iter().copied().filter(|model| knows(*model)).collect(),
        },
        _ => models::MODELS.iter().copied().filter(is_chosen).collect(),
    }
}

/// The models that are meant if none is named. Trencher's language is one of machines: it has no
/// orders.
pub(crate) fn default_models(language: Language) -> Vec<&'static dyn Model> {
    let programs = match language {
        Language::Txt => ByDefault::Automata,
        Language::Fp | Language::Tpl | Language::Litmus => ByDefault::Programs,
    };
    models::by_default(programs).collect()
}

/// Is there such a thing as robustness against the model?
pub(crate) fn is_checkable(model: &dyn Model) -> bool {
    model.declaration().robustness.is_decided()
}

/// How to look for attacks.
pub(crate) fn attacking(args: &CheckArgs) -> Attacking {
    Attacking {
        delays: args.delays.map(|choice| match choice {
            DelaysChoice::One => Delays::One,
            DelaysChoice::Many => Delays::Many,
        }),
        one_by_one: args.attacks == AttacksChoice::Each,
    }
}

/// Should there be a progress line?
pub(crate) fn wants_progress(no_progress: bool) -> bool {
    !no_progress && io::stderr().is_terminal()
}

/// Should there be colours?
pub(crate) fn wants_color(choice: ColorChoice, is_terminal: bool) -> bool {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => is_terminal && !unwanted,
    }
}

fn look(common: &CommonArgs, is_terminal: bool) -> Look {
    let color = wants_color(common.color, is_terminal);
    // Shells that know the width of the terminal say so.
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = columns.filter(|_| is_terminal).unwrap_or(Look::default().width).clamp(60, 160);
    Look { color, width, ..Look::default() }
}
