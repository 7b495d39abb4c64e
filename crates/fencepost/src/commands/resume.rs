//! `fencepost resume`: goes on with a command that was stopped.

use std::io;

use clap::Parser as _;
use fencepost_report::terminal::{self, Look};

use crate::args::{Args, Command, ResumeArgs};
use crate::commands::{check, verify};
use crate::exit::Exit;
use crate::output::Output;
use crate::{project, storage};

pub(crate) fn run(args: &ResumeArgs, output: &mut Output) -> io::Result<Exit> {
    let command = match storage::resume(&args.directory) {
        Ok(arguments) => Args::try_parse_from(arguments).map(|args| args.command),
        Err(message) => {
            output.note(&terminal::plain_error(&message, None, &Look::default()));
            return Ok(Exit::Error);
        }
    };
    if let Err(message) = project::load() {
        output.note(&message);
        return Ok(Exit::Error);
    }
    match command {
        Ok(Command::Check(args)) => check::run(&args, output),
        Ok(Command::Verify(args)) => verify::run(&args, output),
        Ok(_) | Err(_) => {
            let message = "the checkpoint belongs to a command that cannot be resumed";
            output.note(&terminal::plain_error(message, None, &Look::default()));
            Ok(Exit::Error)
        }
    }
}
