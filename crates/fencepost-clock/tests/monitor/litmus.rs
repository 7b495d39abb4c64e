//! Litmus tests, on every interleaving.

use std::collections::BTreeSet;

use fencepost_clock::Order::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use fencepost_clock::{Finding, Order};

use crate::probe::Probe;
use crate::run::{Monitor, Slots, UNBOUNDED};
use crate::trace::{Kind, Op};

/// One instruction of a straight-line program.
#[derive(Clone, Copy)]
enum Instr {
    /// The location, the access, its order, and the value it writes, if it does.
    Access(usize, Probe, Order, u64),
    Fence(Order),
}

const X: usize = 0;
const Y: usize = 1;

fn load(x: usize, order: Order) -> Instr {
    Instr::Access(x, Probe::Load, order, 0)
}

fn store(x: usize, order: Order, value: u64) -> Instr {
    Instr::Access(x, Probe::Store, order, value)
}

fn rmw(x: usize, order: Order, value: u64) -> Instr {
    Instr::Access(x, Probe::Rmw, order, value)
}

fn wait(x: usize, order: Order, value: u64) -> Instr {
    Instr::Access(x, Probe::Wait { value }, order, 0)
}

fn lock(x: usize) -> Instr {
    Instr::Access(x, Probe::BlockingCas { expected: 0 }, Acquire, 1)
}

/// One complete run: whose turn it was, and the violations.
struct Run {
    turns: Vec<usize>,
    /// (thread, instruction)
    violations: BTreeSet<(usize, usize)>,
}

/// What a thread finds in memory decides how its access goes; none if it has to wait.
fn resolve(t: usize, instr: Instr, memory: &[u64]) -> Option<Op> {
    Some(match instr {
        Instr::Fence(order) => Op::Fence { t, order },
        Instr::Access(x, probe, order, value) => {
            let access = |kind, order| Op::Access { t, x, kind, order, value };
            match probe {
                Probe::Load => access(Kind::Read, order),
                Probe::Store => access(Kind::Write, order),
                Probe::Rmw => access(Kind::Rmw, order),
                Probe::Wait { value } => (memory[x] == value).then(|| access(Kind::Read, order))?,
                Probe::BlockingCas { expected } => (memory[x] == expected).then(|| access(Kind::Rmw, order))?,
                Probe::WeakCas { expected, .. } | Probe::StrongCas { expected, .. } if memory[x] == expected => {
                    access(Kind::Rmw, order)
                }
                Probe::WeakCas { failure, .. } | Probe::StrongCas { failure, .. } => access(Kind::Read, failure),
            }
        }
    })
}

/// Follows the threads as far as `turns` says. The violations and, if the run is not over, who can
/// go on.
fn replay(threads: &[Vec<Instr>], turns: &[usize]) -> (BTreeSet<(usize, usize)>, Vec<usize>) {
    let mut monitor = Monitor::new(3, UNBOUNDED, Slots::Fresh);
    (1..threads.len()).for_each(|child| monitor.step(Op::Spawn { t: 0, child }));
    let mut memory = [0; 3];
    let mut at = vec![0; threads.len()];
    let mut violations = BTreeSet::new();
    for &t in turns {
        let instr = threads[t][at[t]];
        if let Instr::Access(x, probe, order, _) = instr
            && let Finding::Violation(_) = probe.with(|access| monitor.check(t, x, access, order))
        {
            violations.insert((t, at[t]));
        }
        let op = resolve(t, instr, &memory).expect("enabled");
        if let Op::Access { x, kind: Kind::Write | Kind::Rmw, value, .. } = op {
            memory[x] = value;
        }
        monitor.step(op);
        at[t] += 1;
    }
    let can_go_on = |&t: &usize| threads[t].get(at[t]).is_some_and(|&instr| resolve(t, instr, &memory).is_some());
    (violations, (0..threads.len()).filter(can_go_on).collect())
}

/// Every interleaving.
fn runs(threads: &[Vec<Instr>]) -> Vec<Run> {
    let mut complete = Vec::new();
    let mut partial = vec![Vec::new()];
    while let Some(turns) = partial.pop() {
        let (violations, next) = replay(threads, &turns);
        if next.is_empty() {
            complete.push(Run { turns, violations });
        } else {
            partial.extend(next.into_iter().map(|t| [&turns[..], &[t]].concat()));
        }
    }
    complete
}

/// The instructions at which some run has a violation.
fn flagged(threads: &[Vec<Instr>]) -> BTreeSet<(usize, usize)> {
    runs(threads).into_iter().flat_map(|run| run.violations).collect()
}

fn assert_silent(threads: &[Vec<Instr>]) {
    assert_eq!(flagged(threads), BTreeSet::new());
}

#[test]
fn store_buffering() {
    let sb = |order_w, order_r, fences: bool| {
        let thread = |mine, other| {
            let fence = fences.then_some(Instr::Fence(SeqCst));
            [store(mine, order_w, 1)].into_iter().chain(fence).chain([load(other, order_r)]).collect()
        };
        [thread(X, Y), thread(Y, X)]
    };
    let loads = BTreeSet::from([(0, 1), (1, 1)]);
    assert_eq!(flagged(&sb(Relaxed, Relaxed, false)), loads);
    assert_eq!(flagged(&sb(Release, Acquire, false)), loads);
    assert_eq!(flagged(&sb(SeqCst, Acquire, false)), loads);
    assert_silent(&sb(SeqCst, SeqCst, false));
    assert_silent(&sb(Relaxed, Relaxed, true));
}

/// Example 3.1: a violation is predicted from every run in which one thread loads before the other
/// has stored anything, also if it has stored again since, and in particular when one thread runs
/// entirely before the other.
#[test]
fn prediction() {
    let thread = |mine, other| vec![store(mine, Relaxed, 1), load(other, Relaxed), store(mine, Relaxed, 2)];
    let runs = runs(&[thread(X, Y), thread(Y, X)]);
    assert_eq!(runs.len(), 20);
    for Run { turns, violations } in runs {
        let time = |t: usize, nth: usize| {
            turns.iter().enumerate().filter(|&(_, &turn)| turn == t).nth(nth).expect("a complete run").0
        };
        let expected = [0, 1].into_iter().filter(|&t| time(1 - t, 1) < time(t, 0)).map(|t| (t, 1)).collect();
        assert_eq!(violations, expected, "{turns:?}");
        if turns[..3] == [0, 0, 0] {
            assert_eq!(violations, BTreeSet::from([(1, 1)]));
        }
    }
}

#[test]
fn message_passing() {
    let mp =
        |order_w, order_r| [vec![store(X, Relaxed, 1), store(Y, order_w, 1)], vec![load(Y, order_r), load(X, Relaxed)]];
    assert_silent(&mp(Release, Acquire));
    assert_silent(&mp(SeqCst, SeqCst));
    let data = BTreeSet::from([(1, 1)]);
    assert_eq!(flagged(&mp(Relaxed, Relaxed)), data);
    assert_eq!(flagged(&mp(Release, Relaxed)), data);
    assert_eq!(flagged(&mp(Relaxed, Acquire)), data);
}

#[test]
fn message_passing_with_fences() {
    let writer = |fence| vec![store(X, Relaxed, 1), Instr::Fence(fence), store(Y, Relaxed, 1)];
    let reader = |fence| vec![load(Y, Relaxed), Instr::Fence(fence), load(X, Relaxed)];
    for (release, acquire) in [(Release, Acquire), (AcqRel, AcqRel), (SeqCst, SeqCst), (Release, SeqCst)] {
        assert_silent(&[writer(release), reader(acquire)]);
    }
    let data = BTreeSet::from([(1, 2)]);
    assert_eq!(flagged(&[writer(Acquire), reader(Acquire)]), data);
    assert_eq!(flagged(&[writer(Release), reader(Release)]), data);
}

/// An RMW in the middle passes on what the first write released; a store does not.
#[test]
fn release_sequences() {
    let writer = vec![store(X, Relaxed, 1), store(Y, Release, 1)];
    let reader = vec![wait(Y, Acquire, 2), load(X, Relaxed)];
    let rmw_between = vec![Instr::Access(Y, Probe::BlockingCas { expected: 1 }, Relaxed, 2)];
    let store_between = vec![wait(Y, Relaxed, 1), store(Y, Relaxed, 2)];
    assert_silent(&[writer.clone(), rmw_between, reader.clone()]);
    assert_eq!(flagged(&[writer, store_between, reader]), BTreeSet::from([(2, 1)]));
}

#[test]
fn independent_reads_of_independent_writes() {
    let iriw = |order_w, order_r| {
        [
            vec![store(X, order_w, 1)],
            vec![store(Y, order_w, 1)],
            vec![load(X, order_r), load(Y, order_r)],
            vec![load(Y, order_r), load(X, order_r)],
        ]
    };
    assert_eq!(flagged(&iriw(Release, Acquire)), BTreeSet::from([(2, 1), (3, 1)]));
    assert_silent(&iriw(SeqCst, SeqCst));
    // Coherence is part of the order S, also by way of stores that are not SC.
    assert_silent(&iriw(Relaxed, SeqCst));
}

/// What is acquired happens before the second loads, but not strongly. In C++11 these were silent.
#[test]
fn acquire_loads_are_not_in_the_order() {
    let reader = |first, second, order| vec![load(first, order), load(second, SeqCst)];
    let iriw = |order| [vec![store(X, SeqCst, 1)], vec![store(Y, SeqCst, 1)], reader(X, Y, order), reader(Y, X, order)];
    assert_eq!(flagged(&iriw(Acquire)), BTreeSet::from([(2, 1), (3, 1)]));
    assert_silent(&iriw(SeqCst));
    let rwc = |order| [vec![store(X, SeqCst, 1)], reader(X, Y, order), vec![store(Y, SeqCst, 1), load(X, SeqCst)]];
    assert_eq!(flagged(&rwc(Acquire)), BTreeSet::from([(1, 1), (2, 1)]));
    assert_silent(&rwc(SeqCst));
    let z6 = |order| {
        let second = vec![load(X, order), store(Y, SeqCst, 2)];
        [vec![store(X, SeqCst, 2)], second, vec![store(Y, SeqCst, 1), store(X, SeqCst, 1)]]
    };
    assert_eq!(flagged(&z6(Acquire)), BTreeSet::from([(1, 1), (2, 1)]));
    assert_silent(&z6(SeqCst));
}

/// SC fences and SC accesses are in one order.
#[test]
fn fences_and_sc_accesses_go_together() {
    let fenced = |mine, other| vec![store(mine, Relaxed, 1), Instr::Fence(SeqCst), load(other, Relaxed)];
    let sc = |mine, other| vec![store(mine, SeqCst, 1), load(other, SeqCst)];
    assert_silent(&[fenced(X, Y), sc(Y, X)]);
    let one_sc = vec![store(Y, SeqCst, 1), load(X, Relaxed)];
    assert_eq!(flagged(&[fenced(X, Y), one_sc]), BTreeSet::from([(0, 2), (1, 1)]));
    let fenced_reader = vec![load(X, Relaxed), Instr::Fence(SeqCst), load(Y, Relaxed)];
    let sc_reader = vec![load(Y, SeqCst), load(X, SeqCst)];
    assert_silent(&[vec![store(X, Relaxed, 1)], vec![store(Y, Relaxed, 1)], fenced_reader, sc_reader]);
}

/// Two SC fences do not order what they stand between: something must be passed on. So another
/// fence never makes a program worse.
#[test]
fn fences_do_not_synchronise() {
    let writer = vec![store(X, Relaxed, 1), store(Y, Relaxed, 1)];
    let witness = vec![load(Y, Relaxed), Instr::Fence(SeqCst)];
    let reader = vec![Instr::Fence(SeqCst), load(X, Relaxed)];
    assert_silent(&[writer, witness, reader]);
    let writer = vec![Instr::Fence(SeqCst), store(X, Relaxed, 1), store(Y, Relaxed, 1)];
    let reader = vec![load(Y, Relaxed), load(X, Relaxed), Instr::Fence(SeqCst)];
    assert_eq!(flagged(&[writer, reader]), BTreeSet::from([(1, 1)]));
}

/// The second thread's fence orders what the first one has done, by what the first one passes on
/// although it has no fence of its own.
#[test]
fn writes_pass_on_fences_of_others() {
    const Z: usize = 2;
    let first = vec![store(Z, Relaxed, 1), store(Y, Release, 1), wait(X, Relaxed, 1), store(X, Relaxed, 2)];
    let second = vec![wait(Y, Acquire, 1), Instr::Fence(SeqCst), store(X, Relaxed, 1)];
    let third = vec![wait(X, Relaxed, 2), Instr::Fence(SeqCst), load(Z, Relaxed)];
    assert_silent(&[first, second, third]);
}

/// The second fence of a thread orders what the thread has acquired since the first one.
#[test]
fn a_second_fence_orders_what_was_acquired_since() {
    const Z: usize = 2;
    let first = vec![store(Z, Relaxed, 1), store(Y, Release, 1)];
    let second = vec![Instr::Fence(SeqCst), wait(Y, Acquire, 1), Instr::Fence(SeqCst), load(X, Relaxed)];
    let third = vec![store(X, Relaxed, 1), Instr::Fence(SeqCst), load(Z, Relaxed)];
    assert_silent(&[first, second, third]);
}

/// Who writes again comes after what others have read since, and so does its next fence.
#[test]
fn a_write_again_comes_after_reads_of_others() {
    const Z: usize = 2;
    let stores = (1..=3).map(|value| store(X, Release, value));
    let fence = || [Instr::Fence(SeqCst)].into_iter();
    let first = fence().chain(stores).chain(fence()).chain([load(Z, Relaxed)]).collect();
    let second = vec![store(Z, Relaxed, 1), Instr::Fence(SeqCst), load(X, Relaxed)];
    assert_silent(&[first, second]);
}

/// Who reads again passes on fences of others that it has acquired since.
#[test]
fn a_read_again_passes_on_fences_acquired_since() {
    const Z: usize = 2;
    let first = vec![Instr::Fence(SeqCst), load(X, Relaxed), wait(Y, Acquire, 1), load(X, Relaxed)];
    let second = vec![store(Z, Relaxed, 1), Instr::Fence(SeqCst), store(Y, Release, 1)];
    let third = vec![store(X, Relaxed, 1), Instr::Fence(SeqCst), load(Z, Relaxed)];
    assert_silent(&[first, second, third]);
}

#[test]
fn two_plus_two_writes() {
    let program = |order| [vec![store(X, order, 1), store(Y, order, 2)], vec![store(Y, order, 1), store(X, order, 2)]];
    assert_eq!(flagged(&program(Relaxed)), BTreeSet::from([(0, 1), (1, 1)]));
    assert_eq!(flagged(&program(Release)), BTreeSet::from([(0, 1), (1, 1)]));
    assert_silent(&program(SeqCst));
}

/// Read-modify-writes read the newest write whatever their order: there is nothing to pass by
/// between them. A load can still be late.
#[test]
fn updates_leave_no_gap() {
    let thread = |mine, other| vec![rmw(mine, Relaxed, 1), rmw(other, Relaxed, 1)];
    assert_silent(&[thread(X, Y), thread(Y, X)]);
    let thread = |mine, other| vec![rmw(mine, Relaxed, 1), load(other, Relaxed)];
    assert_eq!(flagged(&[thread(X, Y), thread(Y, X)]), BTreeSet::from([(0, 1), (1, 1)]));
}

/// A reference counter: relaxed increments, release decrements, an acquire fence before the object
/// is destroyed. The counter is only ever updated; what is protected by it is not stale after the
/// fence.
#[test]
fn reference_counter() {
    let owner = || vec![rmw(X, Relaxed, 2), store(Y, Relaxed, 1), rmw(X, Release, 1)];
    let last = vec![rmw(X, Release, 0), Instr::Fence(Acquire), store(Y, Relaxed, 9)];
    assert_silent(&[owner(), vec![rmw(X, Relaxed, 3), rmw(X, Release, 2)], vec![rmw(X, Relaxed, 1)]]);
    let without_fence = vec![last[0], last[2]];
    assert_silent(&[owner(), last]);
    assert_eq!(flagged(&[owner(), without_fence]), BTreeSet::from([(1, 1)]));
}

/// A lock made of blocking CAS protects what is accessed under it, if it is released with release.
#[test]
fn locks() {
    let thread = || vec![lock(X), load(Y, Relaxed), store(Y, Relaxed, 1), store(X, Release, 0)];
    assert_silent(&[thread(), thread()]);
    let careless = || vec![lock(X), load(Y, Relaxed), store(Y, Relaxed, 1), store(X, Relaxed, 0)];
    assert!(flagged(&[careless(), careless()]).contains(&(0, 1)));
}

/// What has come with a lock, and nothing else with it, travels on with an SC load that finds the
/// same write as the load before, which came before the lock or was no SC load.
#[test]
fn repeated_sc_load() {
    const Z: usize = 2;
    let access = |t, x, kind, order| Op::Access { t, x, kind, order, value: 1 };
    let (locker, reader, writer) = (0, 1, 2);
    let load = |order| access(reader, X, Kind::Read, order);
    let lock = Op::Acquire { t: reader, object: 0 };
    for reads in [[load(SeqCst), lock, load(SeqCst)], [lock, load(Acquire), load(SeqCst)]] {
        let mut monitor = Monitor::new(3, UNBOUNDED, Slots::Fresh);
        let before = [
            Op::Spawn { t: 0, child: 1 },
            Op::Spawn { t: 0, child: 2 },
            access(locker, Z, Kind::Write, SeqCst),
            access(locker, Y, Kind::Write, Relaxed),
            Op::Release { t: locker, object: 0, join: false },
            access(reader, Y, Kind::Read, Relaxed),
        ];
        for op in before.into_iter().chain(reads).chain([access(writer, X, Kind::Write, SeqCst)]) {
            monitor.step(op);
        }
        let find = |order| Probe::Load.with(|access| monitor.check(writer, Z, access, order));
        assert_eq!(find(SeqCst), Finding::Clean);
        assert!(matches!(find(Relaxed), Finding::Violation(_)));
    }
}

/// What an SC access acquires does not strongly happen before it, but before the next SC load,
/// which passes it on although it is the same load again.
#[test]
fn repeated_sc_load_after_acquiring() {
    const Z: usize = 2;
    let access = |t, x, kind, order| Op::Access { t, x, kind, order, value: 1 };
    let (first, reader, writer) = (0, 1, 2);
    let [load, update] = [Kind::Read, Kind::Rmw].map(|kind| access(reader, X, kind, SeqCst));
    for (reads, is_passed_on) in
        [(vec![load, load], true), (vec![load, load, load], true), (vec![update, load], true), (vec![load], false)]
    {
        let mut monitor = Monitor::new(3, UNBOUNDED, Slots::Fresh);
        let before = [
            Op::Spawn { t: 0, child: 1 },
            Op::Spawn { t: 0, child: 2 },
            access(first, Z, Kind::Write, SeqCst),
            access(first, X, Kind::Write, Release),
        ];
        for op in before.into_iter().chain(reads).chain([access(writer, X, Kind::Write, SeqCst)]) {
            monitor.step(op);
        }
        let finding = Probe::Load.with(|access| monitor.check(writer, Z, access, SeqCst));
        assert_eq!(finding == Finding::Clean, is_passed_on, "{finding:?}");
    }
}

/// An SC update passes on what was released before it, to SC loads too: it does not strongly happen
/// after that itself.
#[test]
fn sc_update_in_a_release_sequence() {
    const Z: usize = 2;
    let first = vec![store(Z, SeqCst, 1), load(Y, SeqCst)];
    let second = vec![store(Y, SeqCst, 1), store(X, Release, 1)];
    let update = vec![Instr::Access(X, Probe::BlockingCas { expected: 1 }, SeqCst, 2)];
    let last = vec![wait(X, SeqCst, 2), load(Z, SeqCst)];
    assert_silent(&[first, second, update, last]);
}

/// What SC fences order comes with an SC store, for relaxed accesses too, and by way of a fence.
#[test]
fn sc_store_after_a_fence() {
    const Z: usize = 2;
    let first = vec![store(Z, Relaxed, 1), Instr::Fence(SeqCst), load(Y, Relaxed)];
    let second = vec![store(Y, Relaxed, 1), Instr::Fence(SeqCst), store(X, SeqCst, 1)];
    let last = vec![wait(X, SeqCst, 1), load(Z, Relaxed)];
    let fenced = vec![wait(X, Relaxed, 1), Instr::Fence(Acquire), load(Z, Relaxed)];
    assert_silent(&[first.clone(), second.clone(), last]);
    assert_silent(&[first, second, fenced]);
}

/// After this run of three threads, a relaxed load of `x` by `t` may be stale, unless there is an SC
/// fence before it.
fn assert_a_fence_is_needed(t: usize, x: usize, run: &[Op]) {
    let mut monitor = Monitor::new(3, UNBOUNDED, Slots::Fresh);
    let spawns = [1, 2].map(|child| Op::Spawn { t: 0, child });
    spawns.iter().chain(run).for_each(|&op| monitor.step(op));
    let find = |monitor: &Monitor| Probe::Load.with(|access| monitor.check(t, x, access, Relaxed));
    assert!(matches!(find(&monitor), Finding::Violation(_)));
    monitor.step(Op::Fence { t, order: SeqCst });
    assert_eq!(find(&monitor), Finding::Clean);
}

/// What an SC fence orders of others travels on with a load that finds the same write as the access
/// before the fence.
#[test]
fn repeated_load_after_a_fence() {
    const Z: usize = 2;
    let access = |t, x, kind, order| Op::Access { t, x, kind, order, value: 1 };
    let (first, fenced, last) = (0, 1, 2);
    assert_a_fence_is_needed(
        last,
        Z,
        &[
            access(first, Z, Kind::Write, Relaxed),
            access(first, Y, Kind::Write, Release),
            access(fenced, Y, Kind::Read, Acquire),
            access(fenced, X, Kind::Write, Relaxed),
            Op::Fence { t: fenced, order: SeqCst },
            access(fenced, X, Kind::Read, Relaxed),
            access(last, X, Kind::Write, Relaxed),
        ],
    );
}

/// What an SC read has seen travels on with the next write, although the writer learns nothing.
#[test]
fn write_again_after_an_sc_read() {
    const Z: usize = 2;
    let access = |t, x, kind, order| Op::Access { t, x, kind, order, value: 1 };
    let (writer, reader, last) = (0, 1, 2);
    assert_a_fence_is_needed(
        last,
        Z,
        &[
            access(writer, Z, Kind::Write, Relaxed),
            access(writer, X, Kind::Write, Relaxed),
            access(reader, Z, Kind::Read, SeqCst),
            access(reader, X, Kind::Read, SeqCst),
            access(writer, X, Kind::Write, Relaxed),
            access(last, X, Kind::Read, Relaxed),
        ],
    );
}

/// What a thread releases first of its own is marked as its own: who knows a late epoch of another
/// thread, which had nothing to mark, has not acquired it.
#[test]
fn update_again_after_an_sc_write() {
    const Z: usize = 2;
    let access = |t, x, kind, order| Op::Access { t, x, kind, order, value: 1 };
    let (first, writer, last) = (0, 2, 1);
    let mut monitor = Monitor::new(3, UNBOUNDED, Slots::Fresh);
    let spawns = [1, 2].map(|child| Op::Spawn { t: 0, child });
    let run = [
        access(last, X, Kind::Rmw, SeqCst),
        access(writer, X, Kind::Rmw, AcqRel),
        access(writer, Z, Kind::Write, SeqCst),
        access(writer, X, Kind::Rmw, AcqRel),
        access(first, X, Kind::Read, SeqCst),
        access(first, Y, Kind::Read, SeqCst),
        access(last, Y, Kind::Write, SeqCst),
    ];
    spawns.iter().chain(&run).for_each(|&op| monitor.step(op));
    assert_eq!(Probe::Load.with(|access| monitor.check(last, Z, access, SeqCst)), Finding::Clean);
}

/// A store after a fence releases what the thread knew at the fence, and not what it has released
/// here since.
#[test]
fn a_store_after_a_fence_releases_what_was_known_there() {
    const Z: usize = 2;
    let access = |t, x, kind, order| Op::Access { t, x, kind, order, value: 1 };
    let (fenced, writer, last) = (0, 1, 2);
    let mut monitor = Monitor::new(3, UNBOUNDED, Slots::Fresh);
    let spawns = [1, 2].map(|child| Op::Spawn { t: 0, child });
    let run = [
        access(writer, X, Kind::Write, SeqCst),
        access(fenced, X, Kind::Read, Relaxed),
        Op::Fence { t: fenced, order: SeqCst },
        access(writer, X, Kind::Write, SeqCst),
        access(fenced, X, Kind::Read, Relaxed),
        access(fenced, Z, Kind::Rmw, Release),
        access(fenced, Z, Kind::Write, Relaxed),
        access(last, Z, Kind::Read, Relaxed),
        Op::Fence { t: last, order: SeqCst },
    ];
    spawns.iter().chain(&run).for_each(|&op| monitor.step(op));
    let finding = Probe::Load.with(|access| monitor.check(last, X, access, Relaxed));
    assert!(matches!(finding, Finding::Violation(_)), "{finding:?}");
}

/// An SC write again is passed on, although a read of somebody else has come after one of the
/// writer's own.
#[test]
fn sc_write_again_after_reads() {
    const Z: usize = 2;
    let access = |t, x, kind, order| Op::Access { t, x, kind, order, value: 1 };
    let (writer, reader, last) = (0, 1, 2);
    let mut monitor = Monitor::new(3, UNBOUNDED, Slots::Fresh);
    let spawns = [1, 2].map(|child| Op::Spawn { t: 0, child });
    let run = [
        access(writer, X, Kind::Write, SeqCst),
        access(writer, Z, Kind::Write, SeqCst),
        access(writer, X, Kind::Read, SeqCst),
        access(reader, X, Kind::Read, Relaxed),
        access(writer, X, Kind::Write, SeqCst),
        access(reader, X, Kind::Read, SeqCst),
        access(reader, Y, Kind::Read, SeqCst),
        access(last, Y, Kind::Write, SeqCst),
    ];
    spawns.iter().chain(&run).for_each(|&op| monitor.step(op));
    assert_eq!(Probe::Load.with(|access| monitor.check(last, Z, access, SeqCst)), Finding::Clean);
}

/// What others have ordered travels on with a write again, if it was acquired since the last one: by
/// an acquire fence, or from a lock.
#[test]
fn write_again_after_acquiring() {
    const Z: usize = 2;
    const MESSAGE: usize = 3;
    let access = |t, x, kind, order| Op::Access { t, x, kind, order, value: 1 };
    let fence = |t, order| Op::Fence { t, order };
    let (first, fenced, writer, last) = (0, 1, 2, 3);
    // The store to Z does not happen before the fence of the second thread, which orders it.
    let ordered = [
        access(first, Z, Kind::Write, Relaxed),
        fence(first, SeqCst),
        access(first, Y, Kind::Write, Relaxed),
        access(fenced, Y, Kind::Write, Relaxed),
        fence(fenced, SeqCst),
    ];
    let by_fence = [
        access(fenced, MESSAGE, Kind::Write, Release),
        access(writer, MESSAGE, Kind::Read, Relaxed),
        access(writer, X, Kind::Write, Release),
        access(writer, X, Kind::Write, Release),
        fence(writer, Acquire),
    ];
    let by_lock = [
        Op::Release { t: fenced, object: 0, join: false },
        fence(writer, SeqCst),
        access(writer, X, Kind::Write, Release),
        access(writer, X, Kind::Write, Release),
        Op::Acquire { t: writer, object: 0 },
    ];
    for acquires in [by_fence, by_lock] {
        let mut monitor = Monitor::new(4, UNBOUNDED, Slots::Fresh);
        let spawns = [1, 2, 3].map(|child| Op::Spawn { t: 0, child });
        let again = [access(writer, X, Kind::Write, Release), access(last, X, Kind::Read, Acquire)];
        [&spawns[..], &ordered, &acquires, &again].concat().into_iter().for_each(|op| monitor.step(op));
        assert_eq!(Probe::Load.with(|access| monitor.check(last, Z, access, Relaxed)), Finding::Clean);
    }
}

/// A thread in a slot that was used before may learn as often as its predecessor had, and other
/// things. What a location says of that one does not hold for it.
#[test]
fn a_thread_in_a_used_slot_is_not_its_predecessor() {
    for learns in 1..5 {
        let (flag, data) = (|i: usize| 1 + 2 * i, |i: usize| 2 + 2 * i);
        let access = |t, x, kind, order| Op::Access { t, x, kind, order, value: 1 };
        let fence = |t| Op::Fence { t, order: SeqCst };
        let (before, reader, after) = (1, 2 + learns, 3 + learns);
        let mut run: Vec<Op> = (1..after).map(|child| Op::Spawn { t: 0, child }).collect();
        run.extend([fence(before), access(before, X, Kind::Write, Relaxed)]);
        run.extend([Op::Join { t: 0, child: before }, Op::Spawn { t: 0, child: after }]);
        for i in 0..learns {
            let t = 2 + i;
            run.extend([access(t, data(i), Kind::Write, Relaxed), fence(t)]);
            run.extend([access(t, flag(i), Kind::Write, Release), access(after, flag(i), Kind::Read, Acquire)]);
        }
        run.extend([access(after, X, Kind::Write, Relaxed), access(reader, X, Kind::Read, Relaxed), fence(reader)]);
        let mut monitor = Monitor::new(1 + 2 * learns, UNBOUNDED, Slots::Reused);
        run.into_iter().for_each(|op| monitor.step(op));
        for i in 0..learns {
            // The fences of the others come before that of the reader, by what it has read.
            let finding = Probe::Load.with(|access| monitor.check(reader, data(i), access, Relaxed));
            assert_eq!(finding, Finding::Clean, "{i} of {learns}");
        }
    }
}

/// What a thread has passed on by an SC read is part of what its next write passes on, also if it has
/// made an SC fence before.
#[test]
fn an_sc_read_after_a_fence_is_passed_on_by_the_next_write() {
    const Z: usize = 2;
    let access = |t, x, kind, order| Op::Access { t, x, kind, order, value: 1 };
    let (writer, reader) = (0, 1);
    let mut monitor = Monitor::new(3, UNBOUNDED, Slots::Fresh);
    let run = [
        Op::Spawn { t: 0, child: 1 },
        access(writer, Z, Kind::Write, SeqCst),
        Op::Fence { t: writer, order: SeqCst },
        access(writer, Y, Kind::Write, SeqCst),
        access(writer, X, Kind::Read, SeqCst),
        access(writer, X, Kind::Write, Relaxed),
        access(reader, X, Kind::Read, SeqCst),
    ];
    run.into_iter().for_each(|op| monitor.step(op));
    let finding = Probe::Load.with(|access| monitor.check(reader, Y, access, SeqCst));
    assert_eq!(finding, Finding::Clean);
}

/// Another thread's SC fence comes after more of a writer's accesses than the writer's own last SC
/// fence. A location that has heard of it passes that on, whatever the writer adds to it later.
#[test]
fn what_a_writer_adds_later_hides_nothing_that_others_know_of_it() {
    const Z: usize = 2;
    let access = |t, x, kind, order, value| Op::Access { t, x, kind, order, value };
    let fence = |t| Op::Fence { t, order: SeqCst };
    let (writer, other, reader) = (0, 1, 2);
    for writes in 1..6 {
        let mut run = vec![Op::Spawn { t: 0, child: 1 }, Op::Spawn { t: 0, child: 2 }];
        run.extend([fence(writer), access(writer, Z, Kind::Write, Release, 1)]);
        run.extend([access(writer, Y, Kind::Write, Relaxed, 1), access(writer, Z, Kind::Write, Release, 2)]);
        run.extend([access(other, Z, Kind::Read, Acquire, 0), fence(other)]);
        run.push(access(other, X, Kind::Write, Relaxed, 1));
        run.extend((0..writes).map(|write| access(writer, X, Kind::Write, Relaxed, 2 + write)));
        run.extend([access(reader, X, Kind::Read, Relaxed, 0), fence(reader)]);
        let mut monitor = Monitor::new(3, UNBOUNDED, Slots::Fresh);
        run.into_iter().for_each(|op| monitor.step(op));
        // The other thread's fence comes after the write to y, and before that of the reader.
        let finding = Probe::Load.with(|access| monitor.check(reader, Y, access, Relaxed));
        assert_eq!(finding, Finding::Clean, "after {writes} writes");
    }
}

/// What a writer has pending, an SC update that acquires from it has pending, too: its next SC fence
/// comes after it.
#[test]
fn what_is_pending_is_acquired_by_an_sc_update() {
    const Z: usize = 2;
    let access = |t, x, kind, order, value| Op::Access { t, x, kind, order, value };
    let fence = |t| Op::Fence { t, order: SeqCst };
    let (first, writer, last) = (0, 1, 2);
    let accesses = [
        access(first, Y, Kind::Write, Relaxed, 1),
        fence(first),
        access(first, X, Kind::Write, Relaxed, 1),
        // The fence is pending for who overwrites.
        access(writer, X, Kind::Write, Relaxed, 2),
        access(writer, Z, Kind::Write, Release, 1),
    ];
    for (ordered, fences) in [(true, vec![fence(last)]), (false, vec![])] {
        let mut run = vec![Op::Spawn { t: 0, child: 1 }, Op::Spawn { t: 0, child: 2 }];
        run.extend(accesses);
        run.push(access(last, Z, Kind::Rmw, SeqCst, 2));
        run.extend(fences);
        let mut monitor = Monitor::new(3, UNBOUNDED, Slots::Fresh);
        run.into_iter().for_each(|op| monitor.step(op));
        let finding = Probe::Load.with(|access| monitor.check(last, Y, access, Relaxed));
        assert_eq!(finding == Finding::Clean, ordered, "{finding:?}");
    }
}

/// A barrier, Example 4.2: who waits for a value cannot be harmed by seeing an old one late.
#[test]
fn barrier() {
    let thread = |mine, other, wait_for: fn(usize) -> Instr| vec![store(mine, Relaxed, 1), wait_for(other)];
    let waits = |x| wait(x, Relaxed, 1);
    assert_silent(&[thread(X, Y, waits), thread(Y, X, waits)]);
    let polls = |x| load(x, Relaxed);
    assert!(!flagged(&[thread(X, Y, polls), thread(Y, X, polls)]).is_empty());
}
