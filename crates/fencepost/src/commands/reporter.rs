//! `fencepost reporter`: what a program starts itself when it finds something and nobody listens.
//!
//! Standard input is the socket to the program, descriptor 3 the recorded run.

use std::fs::File;
use std::io;
use std::os::unix::net::UnixStream;

use clap::ColorChoice;
use fencepost_sanitizer::{Ending, Options};

use super::run::{Answer, Lines, Session, Signals, Trace};
use crate::args::ReportFormat;
use crate::exit::Exit;
use crate::output::{self, Output};

/// Exit code of a program in which something was found, as thread sanitizers have it.
const FOUND: u8 = 66;

pub(crate) fn run(output: &mut Output) -> io::Result<Exit> {
    // Before anything else is opened, which might be number 3 if the program has no recorded run for us.
    let mut trace = Trace::new(File::open("/proc/self/fd/3").ok());
    // An interrupt is for the program; we end when it does.
    let _signals = Signals::new()?;
    let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let mut lines = Lines::new(UnixStream::from(socket));
    let session = Session::new(Options::default(), ReportFormat::Human, ColorChoice::Auto, None);
    let mut session = session.map_err(io::Error::other)?;
    let mut verbose = false;
    loop {
        while let Some(line) = lines.next() {
            match session.line(&line, &mut trace, output) {
                Answer::None => {}
                Answer::Found if session.waits() => lines.answer(b'h'),
                Answer::Suppressed if session.waits() => lines.answer(b'c'),
                Answer::Found | Answer::Suppressed => {}
                Answer::Ending => {
                    verbose = session.option("verbosity").is_some_and(|value| value != "0");
                    let code = session.option("exitcode").and_then(|code| code.parse().ok()).unwrap_or(FOUND);
                    let found = session.has_findings();
                    let ending = session.end_run();
                    let finished = finish(&mut session, ending, verbose, output);
                    // The program waits for this: everything is said by now, as far as it could be.
                    lines.answer(match finished {
                        Err(_) => Exit::Error.code(),
                        Ok(()) if found => code,
                        Ok(()) => 0,
                    });
                    return finished.map(|()| Exit::Holds);
                }
            }
        }
        if !lines.fill()? {
            break;
        }
    }
    session.settle(&mut trace, output);
    let ending = session.end_run();
    finish(&mut session, ending, verbose, output)?;
    Ok(Exit::Holds)
}

fn finish(session: &mut Session, ending: Ending, verbose: bool, output: &mut Output) -> io::Result<()> {
    if ending == Ending::Died {
        output::note(
            "fencepost: the program ended without the runtime's knowledge; what was found until then is reported\n",
        );
    }
    let found = session.has_findings();
    session.finish(found || verbose, false, output)
}
