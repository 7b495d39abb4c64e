//! Whatever a program writes to its reporter, the reporter does not panic; what it reports can be written in every form.
#![no_main]

use fencepost_sanitizer::symbols::NoSymbols;
use fencepost_sanitizer::text::{self, Look};
use fencepost_sanitizer::{Item, Options, Reporter, json, sarif};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    // The recorded run is as much the program's as the events.
    let (events, mut recorded) = input.split_at(input.len() / 2);
    if let Some(at) = input.windows(8).position(|window| window == fencepost_sanitizer::trace::MAGIC) {
        recorded = &input[at..];
    }
    let mut reporter = Reporter::new(Options::default(), NoSymbols);
    let (mut reports, mut deadlocks) = (Vec::new(), Vec::new());
    let mut recorded = || Some(recorded.to_vec());
    let mut items: Vec<_> = events.split(|&byte| byte == b'\n').map(|line| reporter.line(line, &mut recorded)).collect();
    items.extend(reporter.due(&mut recorded));
    for item in items {
        match item {
            Item::Report(report) => {
                text::report(&report, Look::default());
                json::report(&report);
                reports.push(*report);
            }
            Item::Deadlock(deadlock) => {
                text::deadlock(&deadlock);
                json::deadlock(&deadlock);
                deadlocks.push(*deadlock);
            }
            _ => {}
        }
    }
    reporter.finish();
    sarif::log(&reports, &deadlocks, "0");
    text::summary(reporter.totals());
});
