//! Whatever a program writes to its reporter, the reporter does not panic; what it reports can be
//! written in every form.
#![no_main]

use fencepost_report::sarif::{self, Origin};
use fencepost_report::terminal::{self, Look};
use fencepost_sanitizer::symbols::NoSymbols;
use fencepost_sanitizer::text::Ranks;
use fencepost_sanitizer::{Item, Options, Process, Reporter, json, text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    // The recorded run is as much the program's as the events.
    let (events, mut recorded) = input.split_at(input.len() / 2);
    if let Some(at) = input.windows(8).position(|window| window == fencepost_protocol::record::MAGIC) {
        recorded = &input[at..];
    }
    let (mut reporter, mut process) = (Reporter::new(Options::default(), NoSymbols), Process::default());
    let mut recorded = || Some(recorded.to_vec());
    let lines = events.split(|&byte| byte == b'\n');
    let mut items: Vec<_> = lines.map(|line| reporter.line(&mut process, line, &mut recorded)).collect();
    items.extend(reporter.due(&mut process, &mut recorded));
    let findings: Vec<_> = items.into_iter().filter_map(Item::finding).collect();
    for finding in &findings {
        terminal::finding(finding, None, &Look::default());
        fencepost_report::json::finding(finding);
    }
    reporter.leave(&process);
    sarif::log(&findings, &[], &Origin { version: "0", folder: None });
    let ranks = Ranks::of(findings.iter().map(|finding| finding.rank()));
    text::summary(reporter.totals(), &ranks);
    json::summary(reporter.totals(), &ranks, None, None);
});
