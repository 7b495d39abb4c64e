//! `fencepost lsp`: what editors ask, in the language server protocol.
//!
//! Messages are JSON, written and read here without the crates that are made for that: one stops
//! at the first message that it cannot read, the other has types for hundreds of messages of which
//! a dozen are needed.

mod check;
mod document;
mod server;
mod told;
mod transport;

use std::io::{self, BufReader};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use fencepost_check::Options;

use crate::args::LspArgs;
use crate::exit::Exit;
use crate::limits::Limits;
use crate::options;
use crate::output::Output;
use check::Effort;
use server::{Event, Server};

/// What the check of one model may take, if nothing else is said.
const TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) fn run(args: &LspArgs, output: &mut Output) -> io::Result<Exit> {
    let search = options::search(&args.search, false);
    // Somebody is at work on this machine.
    let jobs = if args.search.jobs.is_some() { search.jobs } else { search.jobs.div_ceil(2) };
    let effort = Effort { limits: Limits::new(&args.limits, Some(TIMEOUT)), search: Options { jobs, ..search } };
    let models = |language| options::models(&args.model, language, options::is_checkable);
    let (events, received) = mpsc::channel();
    let (jobs, to_do) = mpsc::channel();
    let said = events.clone();
    thread::spawn(move || listen(&said));
    thread::spawn(move || check::work(&to_do, &events, effort));
    Server::new(output, jobs, args.check, &models).serve(&received)
}

/// Hands on what the client says.
fn listen(events: &Sender<Event>) {
    let mut input = BufReader::new(io::stdin());
    while let Ok(Some(message)) = transport::read(&mut input) {
        if events.send(Event::Said(message)).is_err() {
            return;
        }
    }
    let _ = events.send(Event::Silence);
}
