//! The command line: arguments, files, colours, exit codes.
//!
//! What was typed is [`args`], what it means is [`options`]; every command is
//! one file in [`commands`] and returns an [`exit::Exit`].

mod args;
#[cfg(fencepost_runtime)]
mod carried;
mod commands;
mod device;
mod exit;
mod files;
mod input;
mod internal;
mod interrupt;
mod limits;
mod load;
mod log;
mod options;
mod output;
mod progress;
mod project;
mod storage;
mod units;

use std::io;
use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Args, Command};
use crate::commands::sanitizer::{self, Language};
use crate::exit::Exit;
use crate::output::Output;

fn main() -> ExitCode {
    #[cfg(fencepost_runtime)]
    if let Some(tool) = commands::cargo::tools::Tool::called() {
        return end(internal::guard("", || tool.run(&mut Output::new()))).into();
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        // Help and version are such errors, too.
        Err(message) => return output::usage(&message).into(),
    };
    internal::install_hook();
    let mut output = Output::new();
    if args.command.wants_project()
        && let Err(message) = project::load()
    {
        output.note(&message);
        return Exit::Error.into();
    }
    let done = internal::guard("", || match args.command {
        Command::Check(args) => commands::check::run(&args, &mut output),
        Command::Verify(args) => commands::verify::run(&args, &mut output),
        Command::Resume(args) => commands::resume::run(&args, &mut output),
        Command::Repair(args) => commands::repair::run(&args, &mut output),
        Command::Relax(args) => commands::relax::run(&args, &mut output),
        Command::Graph(args) => commands::graph::run(&args, &mut output),
        Command::Export(args) => commands::export::run(&args, &mut output),
        Command::Fmt(args) => commands::fmt::run(&args, &mut output),
        Command::Parse(args) => commands::parse::run(&args, &mut output),
        Command::Models(args) => commands::models::run(&args, &mut output),
        Command::Explain(args) => commands::explain::run(&args, &mut output),
        Command::Lsp(args) => commands::lsp::run(&args, &mut output),
        Command::Man(args) => commands::man::run(&args, &mut output),
        Command::Completions(args) => commands::completions::run(&args, &mut output),
        Command::Cc(args) if args.asks_for_help() => output.out(&args::help_of("cc")).map(|()| Exit::Holds),
        Command::Cpp(args) if args.asks_for_help() => output.out(&args::help_of("c++")).map(|()| Exit::Holds),
        Command::Cc(args) => Ok(sanitizer::compile(Language::C, args.words)),
        Command::Cpp(args) => Ok(sanitizer::compile(Language::Cpp, args.words)),
        Command::Run(args) => sanitizer::run(&args, &mut output),
        Command::Merge(args) => sanitizer::merge(&args, &mut output),
        Command::Cargo(args) if args.asks_for_help() => output.out(&args::help_of("cargo")).map(|()| Exit::Holds),
        Command::Cargo(args) => sanitizer::cargo(&args.words, &mut output),
        Command::Reporter => sanitizer::report(&mut output),
    });
    if let Some(message) = storage::close() {
        output.note(&message);
    }
    end(done).into()
}

/// How a command has ended.
fn end(done: Result<io::Result<Exit>, internal::Panicked>) -> Exit {
    match done {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => output::report_failure(&error),
        Err(internal::Panicked) => Exit::Internal,
    }
}
