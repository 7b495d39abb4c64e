//! Whatever the program writes, the reporter does not panic, and says that it did not understand.

use fencepost_protocol::MAX_LINE;
use fencepost_protocol::record::MAGIC;
use fencepost_report::sarif::{self, Origin};
use fencepost_report::terminal::{self, Look};
use fencepost_sanitizer::symbols::NoSymbols;
use fencepost_sanitizer::{Item, Options, Process, Reporter, json, stream, text};
use proptest::prelude::*;

/// Feeds lines, renders everything, and counts the lines that were not understood.
fn feed(lines: &[Vec<u8>]) -> u64 {
    let (mut reporter, mut process) = (Reporter::new(Options::default(), NoSymbols), Process::default());
    let mut items: Vec<_> = lines.iter().map(|line| reporter.line(&mut process, line, &mut || None)).collect();
    items.extend(reporter.due(&mut process, &mut || None));
    let findings: Vec<_> = items.into_iter().filter_map(Item::finding).collect();
    for finding in &findings {
        terminal::finding(finding, None, &Look { color: true, ..Look::default() });
        fencepost_report::json::finding(finding);
    }
    reporter.leave(&process);
    reporter.end_run();
    sarif::log(&findings, &[], &Origin { version: "0", folder: None });
    text::summary(reporter.totals(), &text::Ranks::default());
    json::summary(reporter.totals(), &text::Ranks::default(), None, None);
    reporter.totals().malformed
}

/// A line of a real stream.
fn real() -> impl Strategy<Value = Vec<u8>> {
    let streams = [
        include_str!("streams/message-passing.jsonl"),
        include_str!("streams/race.jsonl"),
        include_str!("streams/waits.jsonl"),
        include_str!("streams/deadlock.jsonl"),
    ];
    let lines: Vec<Vec<u8>> =
        streams.iter().flat_map(|text| text.lines()).map(|line| line.as_bytes().to_vec()).collect();
    proptest::sample::select(lines)
}

/// A real line with some bytes changed.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    (real(), proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)).prop_map(
        |(mut line, changes)| {
            for (place, byte) in changes {
                let place = place.index(line.len());
                line[place] = byte;
            }
            line
        },
    )
}

/// A real line with numbers that mean something else.
fn renumbered() -> impl Strategy<Value = Vec<u8>> {
    (real(), prop_oneof![Just(0), Just(u64::MAX), any::<u64>()]).prop_map(|(line, number)| {
        let text = String::from_utf8(line).expect("UTF-8");
        let mut digits = false;
        let mut changed = String::new();
        for c in text.chars() {
            if !c.is_ascii_digit() {
                changed.push(c);
            } else if !digits {
                changed += &number.to_string();
            }
            digits = c.is_ascii_digit();
        }
        changed.into_bytes()
    })
}

/// A recorded run of few threads on few locations, as bytes, with the first so many kinds of records.
fn recorded(ops: u8) -> impl Strategy<Value = Vec<u8>> {
    let record = (1..40u64, 0..3u64, 0..3u64, 10..16u64, 0..4u64, 1..5u32, 0..ops, 0..6u8, 0..6u8, 0..2u8).prop_map(
        |(time, address, value, pc, extra, tid, op, order, failure, flags)| {
            let mut bytes = Vec::new();
            for number in [time, 0x1000 + 8 * address, value, pc, extra] {
                bytes.extend_from_slice(&u64::to_le_bytes(number));
            }
            bytes.extend_from_slice(&tid.to_le_bytes());
            bytes.extend_from_slice(&[op, order, failure, flags]);
            bytes
        },
    );
    proptest::collection::vec(record, 0..40).prop_map(|records| {
        let mut bytes = MAGIC.to_vec();
        for number in [1000, records.len() as u64, 0, 0, 0, 0, 0] {
            bytes.extend_from_slice(&u64::to_le_bytes(number));
        }
        bytes.extend(records.concat());
        bytes
    })
}

/// A report on one of the accesses that such a run has.
fn reported(op: &str, tid: u32, address: u64, pc: u64) -> String {
    format!(
        r#"{{"ev":"report","tid":{tid},"addr":{},"size":8,"op":"{op}","stack":[{pc}],"memory":{{"kind":"unknown"}},
        "found":{{"kind":"robustness","order":"relaxed","time":40,
        "newest":{{"value":1,"by":{{"tid":2,"op":"store","order":"relaxed","stack":[11]}}}},
        "stale":[{{"value":0}}],"cut":false,"complete":true}}}}"#,
        0x1000 + 8 * address
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_recorded_run_is_survived(
        bytes in prop_oneof![9 => recorded(14), 1 => any::<Vec<u8>>()],
        op in proptest::sample::select(vec!["load", "store", "wait", "bcas", "cas-weak", "cas-strong", "fetch-add"]),
        tid in 1..5u32, address in 0..3u64, pc in 10..16u64,
    ) {
        let (mut reporter, mut process) = (Reporter::new(Options::default(), NoSymbols), Process::default());
        let line = reported(op, tid, address, pc).replace('\n', "");
        let mut recorded = || Some(bytes.clone());
        let mut items = vec![reporter.line(&mut process, line.as_bytes(), &mut recorded)];
        items.extend(reporter.due(&mut process, &mut recorded));
        let Some(Item::Report(report)) = items.pop() else { panic!("it is a report: {items:?}") };
        let finding = report.finding();
        terminal::finding(&finding, None, &Look::default());
        fencepost_report::json::finding(&finding);
    }

    #[test]
    fn any_recorded_runs_are_compared(
        stale in recorded(18), current in recorded(18), rest in any::<Vec<u8>>(),
    ) {
        let (mut reporter, process) = (Reporter::new(Options::default(), NoSymbols), Process::default());
        let damaged = [&stale[..], &rest[..]].concat();
        let sequels: Vec<_> = [stale, current, damaged, rest].iter().map(|bytes| process.sequel(bytes)).collect();
        for (one, other) in sequels.iter().flatten().flat_map(|one| sequels.iter().flatten().map(move |other| (one, other))) {
            if let Some(difference) = reporter.difference(one, other) {
                prop_assert!(one.is_stale() && !other.is_stale());
                let told = reporter.passed_on(&difference);
                prop_assert_eq!(told.effect.rank().number(), 3);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_lines_are_survived_and_counted(
        lines in proptest::collection::vec(
            prop_oneof![any::<Vec<u8>>(), real(), damaged(), renumbered(), "[{}\\[\\]\":,a-z0-9]{0,40}".prop_map(String::into_bytes)],
            0..20,
        )
    ) {
        let malformed = lines.iter().filter(|line| stream::parse(line).is_err()).count();
        prop_assert_eq!(feed(&lines), malformed as u64);
    }
}

#[test]
fn the_first_line_that_is_no_event_is_reported() {
    let (mut reporter, mut process) = (Reporter::new(Options::default(), NoSymbols), Process::default());
    assert!(matches!(reporter.line(&mut process, b"\xff\xfe", &mut || None), Item::Note(_)));
    assert_eq!(reporter.line(&mut process, b"{}", &mut || None), Item::Nothing);
    assert_eq!(reporter.totals().malformed, 2);
    assert!(stream::parse(&vec![b' '; MAX_LINE + 1]).is_err());
}
