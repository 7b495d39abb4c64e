//! The monitor against the definition, before every step of generated runs.

use std::cell::Cell;

use fencepost_clock::{Finding, Order};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::graph::{Definition, Windows};
use crate::probe::{Probe, probes};
use crate::run::{Monitor, Slots, UNBOUNDED};
use crate::trace::{Kind, Op, Orders, Shape, Trace, for_all, late_traces, live, sticky_traces, traces};

/// What the definition says about an access: the call sites of the older writes behind which it
/// could go.
fn expected(windows: &Windows, probe: Probe, order: Order) -> Vec<u32> {
    let mut sites = Vec::new();
    for way in probe.ways(order) {
        let window = &windows.stale[&(way.kind, way.order)];
        sites.extend(window.iter().filter(|stale| way.values.contains(stale.value)).map(|stale| stale.site));
    }
    sites.sort_unstable();
    sites.dedup();
    sites
}

/// How often something was seen, to know that the test tests it.
#[derive(Default, Debug)]
struct Counts {
    traces: Cell<u64>,
    violating: Cell<u64>,
    checks: Cell<u64>,
    violations: Cell<u64>,
    /// Violations that an SC load would not be.
    in_order: Cell<u64>,
    races: Cell<u64>,
}

fn add(count: &Cell<u64>, by: u64) {
    count.set(count.get() + by);
}

/// These accesses, if `t` made them to `x`.
fn agrees_on(
    (t, x): (usize, usize),
    probes: &[(Probe, Order)],
    monitor: &Monitor,
    definition: &Definition,
    counts: &Counts,
) -> Result<(), TestCaseError> {
    let windows = definition.windows(t, x, probes.iter().flat_map(|&(probe, order)| probe.ways(order)));
    let [relaxed, sc] = [Order::Relaxed, Order::SeqCst].map(|order| windows.stale[&(Kind::Read, order)].len());
    add(&counts.in_order, u64::from(sc < relaxed));
    for &(probe, order) in probes {
        let sites = expected(&windows, probe, order);
        add(&counts.checks, 1);
        add(&counts.violations, u64::from(!sites.is_empty()));
        match probe.with(|access| monitor.check(t, x, access, order)) {
            Finding::Clean => {
                prop_assert!(sites.is_empty(), "{t} at {x}: {probe:?} {order:?} misses {sites:?}");
            }
            Finding::Cut => prop_assert!(false, "nothing was dropped"),
            Finding::Violation(window) => {
                let found: Vec<u32> = window.stale.iter().map(|write| write.site).collect();
                prop_assert_eq!(&found, &sites, "{} at {}: {:?} {:?}", t, x, probe, order);
                prop_assert_eq!(window.newest.site, windows.newest);
                prop_assert!(!window.cut);
            }
        }
    }
    Ok(())
}

/// Before every access, the accesses that the same thread could make there instead; at the end, all
/// that all threads could make.
fn agrees(trace: &Trace, slots: Slots, counts: &Counts) -> Result<(), TestCaseError> {
    let ops = trace.ops();
    let probes = probes();
    let mut monitor = Monitor::new(trace.locations, UNBOUNDED, slots);
    let mut definition = Definition::new(trace.locations, &ops);
    // Plain accesses: the step, where the thread was.
    let mut plain: Vec<(u32, u16, u32)> = Vec::new();
    let before = counts.violations.get();
    for (step, &op) in (1..).zip(&ops) {
        if let Op::Access { t, x, .. } = op {
            agrees_on((t, x), &probes, &monitor, &definition, counts)?;
        }
        if let Op::Plain { t } = op {
            for &(site, slot, k) in &plain {
                let is_ordered = definition.happens_before_next(site, t);
                prop_assert_eq!(monitor.threads[t].knows(slot, k), is_ordered, "race of {} and {}", site, step);
                add(&counts.races, u64::from(!is_ordered));
            }
            plain.push((step, monitor.threads[t].slot(), monitor.threads[t].epoch()));
        }
        monitor.step(op);
        definition.step(op);
    }
    for t in live(&ops) {
        for x in 0..trace.locations {
            agrees_on((t, x), &probes, &monitor, &definition, counts)?;
        }
    }
    add(&counts.traces, 1);
    add(&counts.violating, u64::from(counts.violations.get() > before));
    Ok(())
}

/// Before every step, all that any thread could do anywhere, but for orders and expectations that
/// make no difference to what is read.
fn agrees_everywhere(trace: &Trace, slots: Slots, counts: &Counts) -> Result<(), TestCaseError> {
    let ops = trace.ops();
    let probes: Vec<(Probe, Order)> = [Order::Relaxed, Order::SeqCst].into_iter().flat_map(Probe::kinds).collect();
    let mut monitor = Monitor::new(trace.locations, UNBOUNDED, slots);
    let mut definition = Definition::new(trace.locations, &ops);
    let before = counts.violations.get();
    let mut threads = vec![0];
    for &op in &ops {
        monitor.step(op);
        definition.step(op);
        match op {
            Op::Spawn { child, .. } => threads.push(child),
            Op::Join { child, .. } => threads.retain(|&thread| thread != child),
            _ => {}
        }
        for &t in &threads {
            for x in 0..trace.locations {
                agrees_on((t, x), &probes, &monitor, &definition, counts)?;
            }
        }
    }
    add(&counts.traces, 1);
    add(&counts.violating, u64::from(counts.violations.get() > before));
    Ok(())
}

impl Counts {
    /// Many runs have a violation, and most accesses are none.
    fn assert_telling(&self) {
        let Counts { traces, violating, checks, violations, .. } = self;
        assert!(5 * violating.get() > traces.get() && 100 * violations.get() > checks.get(), "{self:?}");
    }
}

#[test]
fn short_runs_agree() {
    let counts = Counts::default();
    let shape = Shape { threads: 3, locations: 3, steps: 16, orders: Orders::All, rich: false };
    for_all(800, traces(shape), |trace| agrees(&trace, Slots::Fresh, &counts));
    counts.assert_telling();
}

#[test]
fn runs_with_threads_locks_and_plain_accesses_agree() {
    let counts = Counts::default();
    let shape = Shape { threads: 3, locations: 3, steps: 20, orders: Orders::All, rich: true };
    for_all(600, traces(shape), |trace| agrees(&trace, Slots::Reused, &counts));
    counts.assert_telling();
    assert!(counts.races.get() > 100, "{counts:?}");
}

#[test]
fn runs_with_many_sc_accesses_agree() {
    let counts = Counts::default();
    let shape = Shape { threads: 3, locations: 3, steps: 16, orders: Orders::MostlySc, rich: false };
    for_all(800, traces(shape), |trace| agrees(&trace, Slots::Fresh, &counts));
    assert!(counts.in_order.get() > 100, "{counts:?}");
}

#[test]
fn runs_with_sc_fences_agree() {
    let counts = Counts::default();
    let shape = Shape { threads: 3, locations: 3, steps: 18, orders: Orders::Fences, rich: false };
    for_all(600, traces(shape), |trace| agrees(&trace, Slots::Fresh, &counts));
    counts.assert_telling();
}

#[test]
fn runs_with_sc_fences_and_sc_accesses_agree() {
    let counts = Counts::default();
    let shape = Shape { threads: 3, locations: 3, steps: 18, orders: Orders::Mixed, rich: false };
    for_all(600, traces(shape), |trace| agrees(&trace, Slots::Fresh, &counts));
    counts.assert_telling();
    assert!(counts.in_order.get() > 10, "{counts:?}");
}

#[test]
fn runs_agree_everywhere() {
    for orders in [Orders::All, Orders::MostlySc, Orders::Fences, Orders::Mixed] {
        let counts = Counts::default();
        let shape = Shape { threads: 4, locations: 3, steps: 26, orders, rich: false };
        for_all(120, traces(shape), |trace| agrees_everywhere(&trace, Slots::Restless, &counts));
        counts.assert_telling();
    }
}

/// Threads stay in their slots, and repeat what they do: here the monitor takes its short ways.
#[test]
fn sticky_runs_agree() {
    let counts = Counts::default();
    for orders in [Orders::All, Orders::MostlySc, Orders::Fences, Orders::Mixed] {
        for (slots, locations, rich) in [(Slots::Fresh, 2, false), (Slots::Reused, 2, true), (Slots::Fresh, 3, false)] {
            let shape = Shape { threads: 3, locations, steps: 22, orders, rich };
            for_all(60, sticky_traces(shape), |trace| agrees_everywhere(&trace, slots, &counts));
        }
    }
    // Fewer than elsewhere: who goes on finds its own writes.
    let Counts { traces, violating, in_order, .. } = &counts;
    assert!(5 * violating.get() > traces.get() && 20 * in_order.get() > traces.get(), "{counts:?}");
}

/// The clocks of the order S grow when they are needed: they are right from then on.
#[test]
fn sc_accesses_and_sc_fences_may_come_late() {
    let counts = Counts::default();
    for orders in [Orders::MostlySc, Orders::Fences, Orders::Mixed] {
        let shape = Shape { threads: 3, locations: 3, steps: 24, orders, rich: true };
        for_all(200, late_traces(shape), |trace| agrees_everywhere(&trace, Slots::Fresh, &counts));
    }
    counts.assert_telling();
}
