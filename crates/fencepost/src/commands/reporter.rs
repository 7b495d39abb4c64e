//! `fencepost reporter`: what a program starts itself when it finds something and nobody listens.
//!
//! Standard input is the socket to the program, descriptor 3 the recorded run.

use std::fs::File;
use std::io;
use std::os::unix::net::UnixStream;

use fencepost_protocol::{Answer, ExitCode};
use fencepost_sanitizer::{Ending, Options};

use super::run::{Lines, Session, Signals, Talker, Wish};
use crate::args::Told;
use crate::exit::Exit;
use crate::output::{self, Output};
use crate::project;

pub(crate) fn run(output: &mut Output) -> io::Result<Exit> {
    // Before anything else is opened, which might be number 3 if the program has no recorded run
    // for us.
    let mut talker = Talker::new(File::open("/proc/self/fd/3").ok());
    // An interrupt is for the program; we end when it does.
    let _signals = Signals::new()?;
    let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let mut lines = Lines::new(UnixStream::from(socket));
    let mut options = Options::default();
    match project::load() {
        Ok(()) => {
            let project = project::get();
            // They were read before.
            let _well_formed = options.suppressions.add(&project.suppressions);
            options.wrappers.clone_from(&project.wrappers);
        }
        // The program has done nothing wrong, and what it has found is told all the same.
        Err(message) => output::note(&message),
    }
    let session = Session::new(options, &Told::default());
    let mut session = session.map_err(io::Error::other)?;
    loop {
        while let Some(line) = lines.next() {
            match session.line(&mut talker, &line, output) {
                Wish::Nothing => {}
                Wish::Found => lines.answer_report(&talker, Answer::Halt),
                Wish::Suppressed => lines.answer_report(&talker, Answer::GoOn),
                Wish::Ending => {
                    let code = talker.process.options().exit_code;
                    let finished = finish(&mut session, talker, output);
                    let found = session.has_findings();
                    // The program waits for this: everything is said by now, as far as it could be.
                    lines.answer(ExitCode(match finished {
                        Err(_) => Some(Exit::Error.code()),
                        Ok(()) if found => Some(code),
                        Ok(()) => None,
                    }));
                    return finished.map(|()| Exit::Holds);
                }
                Wish::Foreign(mismatch) => {
                    output::note(&format!("fencepost: error: the program cannot be reported on: {mismatch}\n"));
                    // Whatever it asks first, in whatever words, it is told that there is an error;
                    // the rest is not heard.
                    lines.answer(ExitCode(Some(Exit::Error.code())));
                    while lines.fill()? {
                        lines.clear();
                    }
                    return Ok(Exit::Error);
                }
            }
        }
        if !lines.fill()? {
            break;
        }
    }
    finish(&mut session, talker, output)?;
    Ok(Exit::Holds)
}

fn finish(session: &mut Session, talker: Talker, output: &mut Output) -> io::Result<()> {
    let verbose = talker.process.options().verbosity > 0;
    if session.leave(talker, output) == Ending::Died {
        output::note(
            "fencepost: the program ended without the runtime's knowledge; what was found until then is reported\n",
        );
    }
    session.end_run();
    let found = session.has_findings();
    session.finish(found || verbose, false, output)
}
