//! Findings as the sanitizer makes them of runs that were recorded.

use fencepost_finding::{
    Access, Advice, Edit, EditKind, Evidence, Finding, Frame, Kind, Link, LinkEnd, LinkKind, Memory, Observed,
    Operation, Place, Reproduce, Thread,
};

/// The variable that findings are about.
const X: u64 = 0x4000;

fn thread(tid: u64) -> Thread {
    Thread { tid, name: (tid == 3).then(|| "relay".to_string()) }
}

fn frame(line: u32) -> Frame {
    Frame { file: Some("/src/app/relay.c".into()), line: Some(line), ..Frame::bare("/src/app/relay", 0) }
}

fn operation(op: &str, tid: Option<u64>, line: u32, value: Option<u64>) -> Operation {
    Operation {
        op: op.into(),
        order: tid.map(|_| "relaxed".into()),
        value,
        expected: None,
        address: X,
        size: 4,
        thread: tid.map(thread),
        stack: vec![frame(line)],
        time: None,
    }
}

/// An access by a thread at a time, in a line of the same number.
fn end(time: u32, tid: u64, op: &str, name: &str, values: &str) -> LinkEnd {
    LinkEnd {
        op: op.into(),
        order: "relaxed".into(),
        values: values.into(),
        memory: Place { address: 0x5000, name: Some(name.into()) },
        thread: thread(tid),
        place: frame(time),
        time: time.into(),
    }
}

fn finding(kind: Kind, access: Operation, missed: Operation, stale: Operation, links: Vec<Link>) -> Finding {
    let memory = Memory::Global { name: "x".into(), size: 4, address: X, module: "relay".into() };
    Finding {
        kind,
        model: "cpp20",
        file: None,
        title: "robustness violation".into(),
        message: format!("{} may miss: {}.", access.description(Some("x")), missed.description(None)),
        notes: Vec::new(),
        location: Some("x".into()),
        access: Some(Access::Operation(Box::new(access))),
        conflicting: Some(Access::Operation(Box::new(missed))),
        stale_values: stale.value.map(|value| value.to_string()).into_iter().collect(),
        shape: None,
        evidence: Evidence::Observed(Box::new(Observed {
            pid: 1,
            stale: vec![stale],
            cut: false,
            memory,
            threads: Vec::new(),
            links,
            unguarded: false,
            waiting: Vec::new(),
            advice: None,
            reproduce: Reproduce { command: "fencepost run -- ./relay".into(), exact: true },
            trials: None,
            follows: None,
            picture: None,
            test: None,
        })),
        identity: String::new(),
        expected: None,
    }
}

/// The news of a store goes from thread to thread: the path begins after the missed write, in its
/// thread, and ends at a load that reads from a later write.
pub(crate) fn relayed() -> Finding {
    let links = vec![
        Link { from: end(11, 2, "store", "flag", "1"), to: end(12, 3, "load", "flag", "1"), kind: LinkKind::ReadsFrom },
        Link {
            from: end(13, 3, "read-modify-write", "count", "0→1"),
            to: end(14, 4, "load", "count", "2"),
            kind: LinkKind::Order,
        },
    ];
    let missed = Operation { time: Some(10), ..operation("store", Some(2), 10, Some(1)) };
    let initially = operation("initial value", None, 1, Some(0));
    finding(Kind::StaleRead, operation("load", Some(4), 15, None), missed, initially, links)
}

/// The path begins at the missed write itself, goes through one access of the third thread, and
/// through what threads synchronise by. The old value is one that another thread has written.
pub(crate) fn synchronised() -> Finding {
    let links = vec![
        Link { from: end(10, 2, "store", "x", "7"), to: end(12, 3, "load", "x", "7"), kind: LinkKind::ReadsFrom },
        Link { from: end(12, 3, "load", "x", "7"), to: end(13, 4, "store", "x", "8"), kind: LinkKind::FromRead },
    ];
    let missed = Operation { time: Some(10), ..operation("store", Some(2), 10, Some(7)) };
    let old = operation("fetch-add", Some(3), 5, Some(0x7f00_0000));
    finding(Kind::StaleRmw, operation("exchange", Some(5), 20, None), missed, old, links)
}

/// Two threads store to two variables in opposite order: the store gets between the initial value and
/// the store that it misses.
pub(crate) fn in_the_past() -> Finding {
    let links =
        vec![Link { from: end(11, 2, "store", "y", "2"), to: end(12, 3, "store", "y", "1"), kind: LinkKind::Order }];
    let missed = Operation { time: Some(10), ..operation("store", Some(2), 10, Some(1)) };
    let initially = operation("initial value", None, 1, Some(0));
    finding(Kind::StaleWrite, operation("store", Some(3), 13, None), missed, initially, links)
}

/// A race of two plain accesses.
fn race(links: Vec<Link>, unguarded: bool, edits: Vec<Edit>) -> Finding {
    let plain = |op: &str, tid, line| Operation { order: None, ..operation(op, Some(tid), line, None) };
    let (access, other) = (plain("read", 4, 14), plain("write", 2, 10));
    let message = format!("{} races with: {}.", access.description(Some("x")), other.description(None));
    let mut finding = finding(Kind::DataRace, access, other, operation("initial value", None, 1, None), links);
    (finding.title, finding.message, finding.stale_values) = ("data race".into(), message, Vec::new());
    if let Evidence::Observed(observed) = &mut finding.evidence {
        observed.stale.clear();
        observed.unguarded = unguarded;
        observed.advice = (!edits.is_empty()).then_some(Advice { edits, reevaluated: true });
    }
    finding
}

/// What was written is passed on by a third thread, whose store is too weak.
pub(crate) fn passed_on() -> Finding {
    let link =
        Link { from: end(12, 3, "store", "told", "1"), to: end(13, 4, "load", "told", "1"), kind: LinkKind::ReadsFrom };
    let change = "make the store release".into();
    let edit = Edit { place: frame(12), change, kind: EditKind::Release, on_failure: false };
    race(vec![link], false, vec![edit])
}

/// Nothing leads from the one access to the other.
pub(crate) fn unguarded() -> Finding {
    race(Vec::new(), true, Vec::new())
}
