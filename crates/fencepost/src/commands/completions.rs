//! `fencepost completions`: scripts for shells.

use std::io;

use clap::CommandFactory as _;

use crate::args::{Args, CompletionsArgs};
use crate::exit::Exit;
use crate::output::Output;

pub(crate) fn run(args: &CompletionsArgs, output: &mut Output) -> io::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "fencepost", &mut script);
    output.out(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Holds)
}
