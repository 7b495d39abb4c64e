//! Advice for small runs.

use fencepost_protocol::Order;

use super::*;
use crate::stream::{Found, Memory, Moment, Race, Unknown, Write};

const X: u64 = 0x100;
const Y: u64 = 0x200;

/// Initialised by the main thread before it creates threads 2 and 3.
fn start() -> Trace {
    let mut trace = Trace::default();
    add(&mut trace, 1, 1, Op::Store, X, 0, Order::Relaxed);
    add(&mut trace, 1, 2, Op::Store, Y, 0, Order::Relaxed);
    for child in [2, 3] {
        add(&mut trace, 1, 3, Op::Spawn, 0, 0, Order::Relaxed);
        trace.records.last_mut().expect("it was added").extra = child;
    }
    trace
}

fn add(trace: &mut Trace, tid: u32, pc: u64, op: Op, address: u64, value: u64, order: Order) {
    let time = trace.records.len() as u64 + 1;
    let failure = Order::Relaxed;
    trace.records.push(Record { time, address, value, pc, extra: 0, tid, op, order, failure, success: true });
}

/// What the runtime says of a relaxed access.
fn reported(tid: u64, pc: u64, addr: u64, op: Action, time: u64) -> (Report, Robustness) {
    let violation = Robustness {
        order: Order::Relaxed,
        failure: None,
        expected: None,
        time,
        newest: Write { value: 1, by: None },
        stale: Vec::new(),
        cut: false,
        complete: true,
    };
    let found = Found::Robustness(violation.clone());
    let memory = Memory::Unknown(Unknown {});
    (Report { tid, addr, size: 4, op, stack: vec![pc], memory, found }, violation)
}

fn analyse(trace: Trace, reported: &(Report, Robustness), spins: &BTreeSet<(u64, u64)>) -> Option<Analysis> {
    super::analyse(trace, &reported.0, &reported.1, spins)
}

fn phrases(analysis: &Analysis) -> Vec<(u64, String)> {
    let mut phrases: Vec<_> = analysis.edits.iter().map(|edit| (edit.pc, edit.phrase(false))).collect();
    phrases.sort();
    phrases
}

#[test]
fn message_passing_wants_release_and_acquire() {
    for recorded in [true, false] {
        let mut trace = start();
        add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
        add(&mut trace, 2, 12, Op::Store, Y, 1, Order::Relaxed);
        add(&mut trace, 3, 13, Op::Load, Y, 1, Order::Relaxed);
        if recorded {
            add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
        }
        let analysis =
            analyse(trace, &reported(3, 14, X, Action::Load, 8), &BTreeSet::new()).expect("the run shows it");
        let edge = analysis.edges[0];
        assert_eq!((edge.0.pc, edge.1.pc, edge.2), (12, 13, EdgeKind::ReadsFrom));
        let wanted = [(12, "make the store release".to_string()), (13, "make the load acquire".to_string())];
        assert_eq!(phrases(&analysis), wanted);
    }
}

#[test]
fn what_is_there_already_is_not_suggested() {
    let mut trace = start();
    add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
    add(&mut trace, 2, 12, Op::Store, Y, 1, Order::Release);
    add(&mut trace, 3, 13, Op::Load, Y, 1, Order::Relaxed);
    add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
    let analysis = analyse(trace, &reported(3, 14, X, Action::Load, 8), &BTreeSet::new()).expect("the run shows it");
    assert_eq!(phrases(&analysis), [(13, "make the load acquire".to_string())]);
}

#[test]
fn store_buffering_wants_seq_cst() {
    let mut trace = start();
    add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
    add(&mut trace, 2, 12, Op::Load, Y, 0, Order::Relaxed);
    add(&mut trace, 3, 13, Op::Store, Y, 1, Order::Relaxed);
    add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
    let analysis = analyse(trace, &reported(3, 14, X, Action::Load, 8), &BTreeSet::new()).expect("the run shows it");
    assert_eq!(analysis.edges[0].2, EdgeKind::FromRead);
    let wanted = [(11, "store"), (12, "load"), (13, "store"), (14, "load")];
    assert_eq!(phrases(&analysis), wanted.map(|(pc, op)| (pc, format!("make the {op} seq_cst"))));
}

#[test]
fn one_access_that_is_not_seq_cst_is_found() {
    let mut trace = start();
    add(&mut trace, 2, 11, Op::Store, X, 1, Order::SeqCst);
    add(&mut trace, 2, 12, Op::Load, Y, 0, Order::SeqCst);
    add(&mut trace, 3, 13, Op::Store, Y, 1, Order::SeqCst);
    add(&mut trace, 3, 14, Op::Load, X, 1, Order::Acquire);
    let analysis = analyse(trace, &reported(3, 14, X, Action::Load, 8), &BTreeSet::new()).expect("the run shows it");
    assert_eq!(phrases(&analysis), [(14, "make the load seq_cst".to_string())]);
}

#[test]
fn fences_that_are_there_are_strengthened() {
    let mut trace = start();
    add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
    add(&mut trace, 2, 21, Op::Fence, 0, 0, Order::AcqRel);
    add(&mut trace, 2, 12, Op::Load, Y, 0, Order::Relaxed);
    add(&mut trace, 3, 13, Op::Store, Y, 1, Order::Relaxed);
    add(&mut trace, 3, 22, Op::Fence, 0, 0, Order::Release);
    // Something was forgotten, which is nothing that the thread did.
    add(&mut trace, 3, 0, Op::Reset, 0x300, 0, Order::Relaxed);
    add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
    let analysis = analyse(trace, &reported(3, 14, X, Action::Load, 11), &BTreeSet::new()).expect("the run shows it");
    assert!(analysis.reevaluated);
    assert_eq!(phrases(&analysis), [21, 22].map(|pc| (pc, "make the fence seq_cst".to_string())));
}

/// As in a deque: between the store and the load of thread 3 there are other accesses, and its
/// fence stands at the load.
#[test]
fn fences_are_strengthened_where_they_are() {
    let mut trace = start();
    add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
    add(&mut trace, 2, 12, Op::Load, 0x300, 0, Order::Relaxed);
    add(&mut trace, 2, 21, Op::Fence, 0, 0, Order::AcqRel);
    add(&mut trace, 2, 13, Op::Load, Y, 0, Order::Relaxed);
    add(&mut trace, 3, 14, Op::Store, Y, 1, Order::Relaxed);
    add(&mut trace, 3, 15, Op::Store, 0x300, 1, Order::Relaxed);
    add(&mut trace, 3, 22, Op::Fence, 0, 0, Order::AcqRel);
    add(&mut trace, 3, 16, Op::Load, X, 1, Order::Relaxed);
    let time = trace.records.len() as u64;
    let analysis = analyse(trace, &reported(3, 16, X, Action::Load, time), &BTreeSet::new()).expect("the run shows it");
    assert_eq!(phrases(&analysis), [21, 22].map(|pc| (pc, "make the fence seq_cst".to_string())));
}

/// The analysis of what the load of X by thread 4, the last step, shows; and the steps that the
/// model does not order.
fn of_last_load(trace: Trace) -> (Analysis, Vec<(u64, u64, EdgeKind)>) {
    let time = trace.records.len() as u64;
    let analysis = analyse(trace, &reported(4, 16, X, Action::Load, time), &BTreeSet::new()).expect("the run shows it");
    let weak = analysis.edges.iter().map(|edge| (edge.0.pc, edge.1.pc, edge.2)).collect();
    (analysis, weak)
}

/// Message passing from 2 to 3, store buffering between 3 and 4. The fence of thread 4 does not
/// help, because thread 3 passes on nothing. A second fence beside it would not help either.
#[test]
fn no_fence_is_put_beside_a_fence() {
    let mut trace = start();
    add(&mut trace, 1, 3, Op::Spawn, 0, 0, Order::Relaxed);
    trace.records.last_mut().expect("it was added").extra = 4;
    add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
    add(&mut trace, 2, 12, Op::Store, 0x300, 1, Order::Relaxed);
    add(&mut trace, 3, 13, Op::Load, 0x300, 1, Order::Relaxed);
    add(&mut trace, 3, 14, Op::Load, Y, 0, Order::Relaxed);
    add(&mut trace, 4, 15, Op::Store, Y, 1, Order::Relaxed);
    add(&mut trace, 4, 21, Op::Fence, 0, 0, Order::SeqCst);
    add(&mut trace, 2, 22, Op::Fence, 0, 0, Order::SeqCst);
    add(&mut trace, 4, 16, Op::Load, X, 1, Order::Relaxed);
    let (spins, neighbours) = (BTreeSet::new(), trace.neighbours());
    let violations = replay::violations(&trace, &Changes::default(), &spins).expect("few threads");
    let [violation] = violations[..] else { panic!("one violation: {violations:?}") };
    let target = violation.identity();
    let judge =
        Judge { trace: &trace, neighbours: &neighbours, spins: &spins, target, known: BTreeSet::from([target]) };
    let mut edits = Vec::new();
    judge.add(Strategy::Ends, &violation, &mut edits);
    let after = Edit { pc: 11, op: "store", what: What::FenceAfter, failure: false };
    assert_eq!(edits, [after], "nothing beside the fence of thread 4");
    let beside = Edit { pc: 16, op: "load", what: What::FenceBefore, failure: false };
    for useless in [after, beside] {
        assert_eq!(judge.still_wrong(&[useless], &mut 9), Some(Some(violation)));
    }
    let between = Edit { pc: 14, op: "load", what: What::FenceBefore, failure: false };
    assert_eq!(judge.still_wrong(&[after, between], &mut 9), Some(None));
    let (analysis, weak) = of_last_load(trace);
    assert_eq!(weak, [(12, 13, EdgeKind::ReadsFrom), (14, 15, EdgeKind::FromRead)]);
    // The new fence acquires what is released to the load before it.
    let wanted = [(12, "make the store release"), (14, "put a seq_cst fence before the load")];
    assert_eq!(phrases(&analysis), wanted.map(|(pc, phrase)| (pc, phrase.to_string())));
}

/// Store buffering between a thread with an SC fence and one without. SC accesses in the other
/// thread are enough, and cheaper than a second fence.
#[test]
fn sc_accesses_go_with_an_sc_fence() {
    let mut trace = start();
    add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
    add(&mut trace, 2, 21, Op::Fence, 0, 0, Order::SeqCst);
    add(&mut trace, 2, 12, Op::Load, Y, 0, Order::Relaxed);
    add(&mut trace, 3, 13, Op::Store, Y, 1, Order::Relaxed);
    add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
    let analysis = analyse(trace, &reported(3, 14, X, Action::Load, 9), &BTreeSet::new()).expect("the run shows it");
    assert!(analysis.reevaluated);
    let wanted = [(13, "make the store seq_cst"), (14, "make the load seq_cst")];
    assert_eq!(phrases(&analysis), wanted.map(|(pc, phrase)| (pc, phrase.to_string())));
}

/// Message passing that works, then store buffering: the step that is ordered is not blamed.
#[test]
fn steps_that_are_ordered_are_not_shown() {
    let mut trace = start();
    add(&mut trace, 1, 3, Op::Spawn, 0, 0, Order::Relaxed);
    trace.records.last_mut().expect("it was added").extra = 4;
    add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
    add(&mut trace, 2, 12, Op::Store, 0x300, 1, Order::Relaxed);
    add(&mut trace, 3, 13, Op::Load, 0x300, 1, Order::Relaxed);
    add(&mut trace, 3, 21, Op::Fence, 0, 0, Order::SeqCst);
    add(&mut trace, 3, 14, Op::Load, Y, 0, Order::Relaxed);
    add(&mut trace, 4, 15, Op::Store, Y, 1, Order::Relaxed);
    add(&mut trace, 4, 22, Op::Fence, 0, 0, Order::SeqCst);
    add(&mut trace, 4, 16, Op::Load, X, 1, Order::Relaxed);
    let (analysis, weak) = of_last_load(trace);
    assert_eq!(weak, [(12, 13, EdgeKind::ReadsFrom)]);
    // The fence of thread 3 acquires what is released to its load.
    assert_eq!(phrases(&analysis), [(12, "make the store release".to_string())]);
}

#[test]
fn a_compare_and_swap_that_is_too_weak_when_it_fails() {
    let mut trace = start();
    add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
    add(&mut trace, 2, 12, Op::Store, Y, 1, Order::Release);
    add(&mut trace, 3, 13, Op::CasStrong, Y, 1, Order::AcqRel);
    trace.records.last_mut().expect("it was added").success = false;
    add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
    let analysis = analyse(trace, &reported(3, 14, X, Action::Load, 8), &BTreeSet::new()).expect("the run shows it");
    assert_eq!(phrases(&analysis), [(13, "make the compare-and-swap acquire on failure too".to_string())]);
}

#[test]
fn locks_and_joins_are_no_links() {
    let mut trace = start();
    add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
    add(&mut trace, 2, 20, Op::Release, 0x300, 0, Order::Relaxed);
    add(&mut trace, 3, 21, Op::Acquire, 0x300, 0, Order::Relaxed);
    add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
    assert_eq!(
        analyse(trace, &reported(3, 14, X, Action::Load, 8), &BTreeSet::new()),
        None,
        "no violation: the lock orders them"
    );
}

#[test]
fn values_that_keep_spinning_are_no_violation() {
    let mut trace = start();
    add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
    add(&mut trace, 2, 12, Op::Store, Y, 1, Order::Relaxed);
    add(&mut trace, 3, 13, Op::Load, Y, 1, Order::Relaxed);
    add(&mut trace, 3, 14, Op::Load, X, 1, Order::Relaxed);
    let spins = |value| BTreeSet::from([(14, value)]);
    assert_eq!(analyse(trace.clone(), &reported(3, 14, X, Action::Load, 8), &spins(0)), None);
    assert!(analyse(trace, &reported(3, 14, X, Action::Load, 8), &spins(5)).is_some());
}

#[test]
fn a_wait_that_can_end_too_early() {
    let mut trace = start();
    add(&mut trace, 2, 11, Op::Store, X, 1, Order::Relaxed);
    add(&mut trace, 2, 12, Op::Store, Y, 1, Order::Relaxed);
    add(&mut trace, 3, 13, Op::Load, Y, 1, Order::Relaxed);
    let mut wait = reported(3, 14, X, Action::Wait, 8);
    wait.1.stale.push(Write { value: 0, by: None });
    let analysis = analyse(trace, &wait, &BTreeSet::new()).expect("the run shows it");
    assert_eq!(phrases(&analysis).len(), 2);
}

#[test]
fn a_run_that_does_not_show_it_gives_no_advice() {
    assert_eq!(analyse(start(), &reported(3, 14, X, Action::Load, 8), &BTreeSet::new()), None);
    let thumb = rule_of_thumb(&reported(3, 14, X, Action::Load, 8).0, Some(11));
    assert_eq!(thumb.iter().map(|edit| edit.phrase(false)).collect::<Vec<_>>().len(), 2);
}

/// What the runtime says of a plain access of `later` that races with one of `earlier`, made in
/// this epoch of it.
fn racing(earlier: u64, epoch: u64, later: u64) -> (Report, Race) {
    let moment = Some(Moment { time: 100, epoch });
    let race = Race { op: Action::Write, tid: earlier, addr: X, size: 4, stack: vec![31], moment };
    let memory = Memory::Unknown(Unknown {});
    let found = Found::Race(race.clone());
    (Report { tid: later, addr: X, size: 4, op: Action::Read, stack: vec![32], memory, found }, race)
}

fn of_race(trace: &Trace, (report, race): &(Report, Race)) -> Option<Analysis> {
    analyse_race(trace.clone(), report, race)
}

/// A plain access between the first and the second store of thread 2 is in its epoch 1.
#[test]
fn a_race_wants_release_and_acquire_where_they_are_missing() {
    for [store, load] in [Order::Relaxed, Order::Release]
        .into_iter()
        .flat_map(|store| [Order::Relaxed, Order::Acquire].map(|load| [store, load]))
    {
        let mut trace = start();
        add(&mut trace, 2, 11, Op::Store, 0x300, 1, Order::Relaxed);
        add(&mut trace, 2, 12, Op::Store, Y, 1, store);
        add(&mut trace, 3, 13, Op::Load, Y, 1, load);
        let analysis = of_race(&trace, &racing(2, 1, 3));
        let missing =
            [(12, "make the store release", store.releases()), (13, "make the load acquire", load.acquires())];
        let wanted: Vec<_> = missing.iter().filter(|edit| !edit.2).map(|edit| (edit.0, edit.1.to_string())).collect();
        match analysis {
            None => assert!(wanted.is_empty(), "there is no race"),
            Some(analysis) => {
                assert!(analysis.reevaluated);
                assert_eq!(phrases(&analysis), wanted);
                let edges: Vec<_> = analysis.edges.iter().map(|edge| (edge.0.pc, edge.1.pc)).collect();
                assert_eq!(edges, [(12, 13)]);
            }
        }
    }
}

/// What is done after the store is not published by it.
#[test]
fn nothing_orders_what_comes_after_the_last_store() {
    let mut trace = start();
    add(&mut trace, 2, 12, Op::Store, Y, 1, Order::Release);
    add(&mut trace, 3, 13, Op::Load, Y, 1, Order::Acquire);
    // A release store ends its epoch, and that is all: it is not ended twice since it is recorded.
    let analysis = of_race(&trace, &racing(2, 1, 3)).expect("it is a race");
    assert!(analysis.edges.is_empty() && analysis.edits.is_empty());
    assert_eq!(of_race(&trace, &racing(2, 0, 3)), None, "what comes before the store is published");
    assert_eq!(of_race(&trace, &racing(2, 2, 3)), None, "there is no such epoch");
}

/// Who overwrites what the other has read, or written, is after it under SC, but no order makes
/// that happens-before.
#[test]
fn no_order_makes_from_read_or_modification_order_happen_before() {
    let mut trace = start();
    add(&mut trace, 2, 11, Op::Load, Y, 0, Order::SeqCst);
    add(&mut trace, 2, 12, Op::Store, 0x300, 1, Order::SeqCst);
    add(&mut trace, 3, 13, Op::Store, Y, 1, Order::SeqCst);
    add(&mut trace, 3, 14, Op::Store, 0x300, 2, Order::SeqCst);
    let analysis = of_race(&trace, &racing(2, 0, 3)).expect("it is a race");
    assert!(analysis.edges.is_empty() && analysis.edits.is_empty());
}

/// From 2 by way of 3 to 4: only the second step is too weak. The update on the way need not
/// release or acquire.
#[test]
fn a_race_is_ordered_where_the_way_is_too_weak() {
    let mut trace = start();
    add(&mut trace, 1, 3, Op::Spawn, 0, 0, Order::Relaxed);
    trace.records.last_mut().expect("it was added").extra = 4;
    add(&mut trace, 2, 11, Op::Store, X, 1, Order::Release);
    add(&mut trace, 3, 12, Op::Load, X, 1, Order::Acquire);
    add(&mut trace, 3, 13, Op::Store, Y, 1, Order::Relaxed);
    add(&mut trace, 1, 14, Op::Rmw, Y, 2, Order::Relaxed);
    trace.records.last_mut().expect("it was added").extra = 1;
    add(&mut trace, 4, 15, Op::Load, Y, 2, Order::Acquire);
    let analysis = of_race(&trace, &racing(2, 0, 4)).expect("it is a race");
    assert!(analysis.reevaluated);
    assert_eq!(phrases(&analysis), [(13, "make the store release".to_string())]);
}

#[test]
fn recorded_runs_are_read_or_refused() {
    let record = |time: u64, op: u8| {
        let mut bytes = Vec::new();
        for number in [time, X, 7, 13, 0] {
            bytes.extend_from_slice(&u64::to_le_bytes(number));
        }
        bytes.extend_from_slice(&2u32.to_le_bytes());
        bytes.extend_from_slice(&[op, 5, 0, 1]);
        bytes
    };
    let file = |flags: u64, records: &[Vec<u8>]| {
        let mut bytes = fencepost_protocol::record::MAGIC.to_vec();
        for number in [100, records.len() as u64, flags, 0, 0, 0, 0] {
            bytes.extend_from_slice(&u64::to_le_bytes(number));
        }
        bytes.extend(records.concat());
        bytes
    };
    // Out of order, one reserved and not written, one too late.
    let bytes = file(0, &[record(5, 1), record(0, 0), record(3, 0), record(9, 1)]);
    let trace = Trace::read(&bytes, 5).expect("a recorded run");
    assert_eq!(
        trace.records.iter().map(|record| (record.time, record.op)).collect::<Vec<_>>(),
        [(3, Op::Load), (5, Op::Store)]
    );
    assert_eq!(trace.records[0].order, Order::SeqCst);
    assert_eq!(Trace::read(&file(1, &[record(5, 1)]), 5), None, "it overflowed");
    assert_eq!(Trace::read(&file(0, &[record(5, 99)]), 5), None, "an unknown operation");
    for length in [0, 7, 8, 31, 63] {
        assert_eq!(Trace::read(&bytes[..length], 5), None, "{length} bytes");
    }
    assert_eq!(Trace::read(&[0; 200], 5), None);
}
