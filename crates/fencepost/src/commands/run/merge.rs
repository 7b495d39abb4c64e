//! Series that are made in parts: what a part says about itself, and `fencepost merge`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;

use fencepost_sanitizer::Options;
use fencepost_sanitizer::shard::{self, Header, Record};

use super::series::Series;
use super::session::Session;
use crate::args::{MergeArgs, RunArgs, Shard};
use crate::exit::Exit;
use crate::output::{self, Output};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a part of a series says about itself. Here are all options that decide which runs are made
/// and what is told about them, and none of those that decide how.
pub(super) fn header(
    args: &RunArgs,
    shard: Shard,
    series: &Series,
    exit: Option<(u64, u8)>,
    unobserved: bool,
) -> Header {
    let mut options: BTreeMap<String, String> =
        series.settings().into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    let files: Vec<_> = args.suppressions.iter().map(|file| file.display().to_string()).collect();
    for (name, value) in [
        ("--steps", args.steps.map(|steps| steps.to_string())),
        ("--halt", args.halt.then(|| "given".to_string())),
        ("--keep-going", args.keep_going.then(|| "given".to_string())),
        ("--provoke", args.provoke.map(|tries| tries.to_string())),
        ("--provoke-at", args.provoke_at.as_ref().map(ToString::to_string)),
        ("--hang-after", args.hang_after.map(|time| format!("{time:?}"))),
        ("--history", args.history.map(|history| history.to_string())),
        ("--no-spin-detection", args.no_spin_detection.then(|| "given".to_string())),
        ("--suppressions", (!files.is_empty()).then(|| files.join(", "))),
        ("--wrapper", (!args.wrapper.is_empty()).then(|| args.wrapper.join(", "))),
        ("--in-test", args.in_test.then(|| "given".to_string())),
        ("FENCEPOST_OPTIONS", Some(super::environment_options().to_string_lossy().into_owned())),
    ] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            options.insert(name.into(), value);
        }
    }
    Header {
        version: VERSION.into(),
        program: args.program.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        options,
        of: shard.of(),
        parts: BTreeSet::from([shard.number()]),
        // The session knows.
        ranks: false,
        exit,
        unobserved,
    }
}

pub(crate) fn run(args: &MergeArgs, output: &mut Output) -> io::Result<Exit> {
    match merge(args, output) {
        Ok(exit) => exit,
        Err(message) => {
            output::note(&format!("fencepost: error: {message}\n"));
            Ok(Exit::Error)
        }
    }
}

fn merge(args: &MergeArgs, output: &mut Output) -> Result<io::Result<Exit>, String> {
    let mut records = Vec::new();
    for file in &args.files {
        let name = file.display().to_string();
        let text = fs::read_to_string(file).map_err(|error| format!("`{name}`: {error}"))?;
        let record = Record::read(&name, &text, VERSION)?;
        records.push((name, record));
    }
    let record = shard::join(records)?;
    let (missing, of, header) = (record.missing(), record.header.of, record.header.clone());
    let mut session = Session::new(Options::default(), &args.told)?;
    session.adopt(record, args.all, output);
    if !missing.is_empty() {
        let missing: Vec<String> = missing.iter().map(u64::to_string).collect();
        let (part, is) = if missing.len() == 1 { ("part", "is") } else { ("parts", "are") };
        let missing = missing.join(", ");
        output::note(&format!(
            "fencepost: error: {part} {missing} of {of} {is} missing: this is not the whole series\n"
        ));
    }
    let is_whole = missing.is_empty();
    let finished = session.finish(!header.unobserved, false, output);
    Ok(finished.map(|()| match header.exit {
        _ if session.fails(args.fail_on) => Exit::Other(args.told.exitcode),
        _ if header.unobserved || !is_whole => Exit::Error,
        Some((_, code)) => Exit::Other(code),
        None => Exit::Other(0),
    }))
}
