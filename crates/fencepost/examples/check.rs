//! Reads a program from a file and asks whether it is robust against every model that can be asked.
//!
//! `cargo run --example check -- litmus/classic/sb.fp`

#![expect(clippy::print_stdout, reason = "an example shows what it got")]

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use fencepost::{Language, Limits, Source, Verdict, models};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which file?")?;
    check(&path)
}

pub(crate) fn check(path: &str) -> Result<(), Box<dyn Error>> {
    let language = Language::from_path(Path::new(path)).ok_or("a file .fp, .tpl, .txt or .litmus")?;
    let source = Source::parse(language, path, std::fs::read_to_string(path)?)?;
    let limits = Limits::none().timeout(Duration::from_secs(10));
    for model in models() {
        let answer = source.check(*model, &limits)?;
        match &answer.outcome().verdict {
            Verdict::Holds => println!("{}: robust", model.name()),
            Verdict::Violated(_) => println!("{}: {}", model.name(), answer.to_text()),
            Verdict::Unknown(reason) => println!("{}: unknown, because {reason}", model.name()),
        }
    }
    Ok(())
}
