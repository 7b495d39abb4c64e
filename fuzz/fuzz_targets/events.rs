//! Whatever a program writes to its reporter, the reporter does not panic; what it reports can be written in every form.
#![no_main]

use fencepost_report::sarif::{self, Origin};
use fencepost_report::terminal::{self, Look};
use fencepost_sanitizer::symbols::NoSymbols;
use fencepost_sanitizer::{Item, Options, Reporter, json, text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    // The recorded run is as much the program's as the events.
    let (events, mut recorded) = input.split_at(input.len() / 2);
    if let Some(at) = input.windows(8).position(|window| window == fencepost_sanitizer::trace::MAGIC) {
        recorded = &input[at..];
    }
    let mut reporter = Reporter::new(Options::default(), NoSymbols);
    let mut recorded = || Some(recorded.to_vec());
    let mut items: Vec<_> = events.split(|&byte| byte == b'\n').map(|line| reporter.line(line, &mut recorded)).collect();
    items.extend(reporter.due(&mut recorded));
    let findings: Vec<_> = items.into_iter().filter_map(Item::finding).collect();
    for finding in &findings {
        terminal::finding(finding, None, &Look::default());
        fencepost_report::json::finding(finding);
    }
    reporter.finish();
    sarif::log(&findings, &[], &Origin { version: "0", folder: None });
    text::summary(reporter.totals());
    json::summary(reporter.totals());
});
