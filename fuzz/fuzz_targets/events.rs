//! Whatever a program writes to its reporter, the reporter does not panic; what it reports can be written in every form.
#![no_main]

use fencepost_sanitizer::symbols::NoSymbols;
use fencepost_sanitizer::text::{self, Look};
use fencepost_sanitizer::{Item, Options, Process, Reporter, json, sarif};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    // The recorded run is as much the program's as the events.
    let (events, mut recorded) = input.split_at(input.len() / 2);
    if let Some(at) = input.windows(8).position(|window| window == fencepost_protocol::record::MAGIC) {
        recorded = &input[at..];
    }
    let (mut reporter, mut process) = (Reporter::new(Options::default(), NoSymbols), Process::default());
    let mut reports = Vec::new();
    let mut recorded = || Some(recorded.to_vec());
    let lines = events.split(|&byte| byte == b'\n');
    let mut items: Vec<_> = lines.map(|line| reporter.line(&mut process, line, &mut recorded)).collect();
    items.extend(reporter.due(&mut process, &mut recorded));
    for item in items {
        if let Item::Report(report) = item {
            text::report(&report, Look::default());
            json::report(&report);
            reports.push(*report);
        }
    }
    reporter.leave(&process);
    sarif::log(&reports, &[], "0");
    text::summary(reporter.totals());
});
