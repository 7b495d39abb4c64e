//! What must not make a difference, and what can only make it better.

use fencepost_clock::{Finding, Limits, Location, Order, Write};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::probe::{Probe, probes};
use crate::run::{Monitor, Slots, UNBOUNDED};
use crate::trace::{Op, Orders, Shape, Trace, all_traces, for_all, live};

const SHAPE: Shape = Shape { threads: 3, locations: 3, steps: 30, orders: Orders::All, rich: true };

/// What a person sees of a finding, without the slots.
fn shown(finding: &Finding) -> Option<Vec<(u32, u64, bool)>> {
    let write = |write: &Write| (write.site, write.value, write.rmw);
    match finding {
        Finding::Violation(window) => Some(window.stale.iter().chain([&window.newest]).map(write).collect()),
        Finding::Clean => None,
        Finding::Cut => panic!("nothing was dropped"),
    }
}

/// Runs two monitors side by side, on runs of equal length, and compares every finding.
fn side_by_side(
    locations: usize,
    runs: [(&[Op], Slots); 2],
    compare: impl Fn(Probe, Order, &Finding, &Finding) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let mut monitors = runs.map(|(_, slots)| Monitor::new(locations, UNBOUNDED, slots));
    let compare_all = |t: usize, x: usize, monitors: &[Monitor; 2]| -> Result<(), TestCaseError> {
        for (probe, order) in probes() {
            let [first, second] = monitors.each_ref().map(|monitor| probe.with(|a| monitor.check(t, x, a, order)));
            compare(probe, order, &first, &second)?;
        }
        Ok(())
    };
    for (&first, &second) in runs[0].0.iter().zip(runs[1].0) {
        if let Op::Access { t, x, .. } = first {
            compare_all(t, x, &monitors)?;
        }
        monitors[0].step(first);
        monitors[1].step(second);
    }
    for t in live(runs[0].0) {
        for x in 0..locations {
            compare_all(t, x, &monitors)?;
        }
    }
    Ok(())
}

#[test]
fn slots_make_no_difference() {
    for_all(2_000, all_traces(SHAPE), |trace| {
        let ops = trace.ops();
        for other in [Slots::Reused, Slots::Restless] {
            side_by_side(trace.locations, [(&ops, Slots::Fresh), (&ops, other)], |_, _, first, second| {
                prop_assert_eq!(shown(first), shown(second));
                Ok(())
            })?;
        }
        Ok(())
    });
}

/// Orders at least as strong.
fn is_stronger(order: Order, than: Order) -> bool {
    (order.acquires() || !than.acquires()) && (order.releases() || !than.releases()) && (order.is_sc() || !than.is_sc())
}

/// The run with the order of step number `at` replaced, if it is a step with an order and gets
/// stronger.
fn strengthened(ops: &[Op], at: prop::sample::Index, to: Order) -> Option<Vec<Op>> {
    let mut ops = ops.to_vec();
    let at = at.index(ops.len());
    match &mut ops[at] {
        Op::Access { order, .. } | Op::Fence { order, .. } if is_stronger(to, *order) => *order = to,
        _ => return None,
    }
    Some(ops)
}

#[test]
fn strengthening_never_adds_a_violation() {
    let orders = prop::sample::select(vec![Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst]);
    for_all(3_000, (all_traces(SHAPE), any::<prop::sample::Index>(), orders), |(trace, at, to)| {
        let ops = trace.ops();
        let Some(stronger) = strengthened(&ops, at, to) else { return Ok(()) };
        let runs = [(&ops[..], Slots::Fresh), (&stronger[..], Slots::Fresh)];
        side_by_side(trace.locations, runs, |probe, order, weak, strong| {
            let stale = |finding: &Finding| shown(finding).unwrap_or_default();
            for write in stale(strong) {
                prop_assert!(stale(weak).contains(&write), "{probe:?} {order:?}: {strong:?} adds to {weak:?}");
            }
            Ok(())
        })
    });
}

#[test]
fn an_sc_access_sees_less_than_a_relaxed_one() {
    for_all(1_000, all_traces(SHAPE), |trace| {
        let mut monitor = Monitor::new(trace.locations, UNBOUNDED, Slots::Fresh);
        for op in trace.ops() {
            if let Op::Access { t, x, .. } = op {
                for probe in [Probe::Load, Probe::Store, Probe::Rmw] {
                    let [relaxed, sc] = [Order::Relaxed, Order::SeqCst]
                        .map(|order| shown(&probe.with(|access| monitor.check(t, x, access, order))));
                    prop_assert!(relaxed.unwrap_or_default().ends_with(&sc.unwrap_or_default()));
                }
            }
            monitor.step(op);
        }
        Ok(())
    });
}

#[test]
fn sc_accesses_alone_have_no_violation() {
    for_all(2_000, all_traces(SHAPE), |trace| {
        let mut monitor = Monitor::new(trace.locations, UNBOUNDED, Slots::Fresh);
        for mut op in trace.ops() {
            if let Op::Access { t, x, ref mut order, .. } = op {
                *order = Order::SeqCst;
                for (probe, order) in probes() {
                    if probe.ways(order).iter().all(|way| way.order.is_sc()) {
                        let finding = probe.with(|access| monitor.check(t, x, access, order));
                        prop_assert_eq!(finding, Finding::Clean, "{:?}", probe);
                    }
                }
            }
            monitor.step(op);
        }
        Ok(())
    });
}

/// After a reset, a location is as good as a new one, whatever its memory looks like inside.
#[test]
fn reset_forgets() {
    let law = |trace: Trace, at: prop::sample::Index, limits: Limits| {
        let ops = trace.ops();
        let mut monitors = [(); 2].map(|()| Monitor::new(trace.locations, limits, Slots::Reused));
        let at = at.index(ops.len());
        for (step, &op) in ops.iter().enumerate() {
            if step == at {
                monitors[0].locations[0].reset(7);
                monitors[1].locations[0] = Location::new(7);
                monitors.iter_mut().for_each(|monitor| monitor.forget_loads(0));
                prop_assert_eq!(monitors[0].locations[0].newest_value(), 7);
            }
            if let Op::Access { t, x, .. } = op {
                for (probe, order) in probes() {
                    let [reset, new] =
                        monitors.each_ref().map(|monitor| probe.with(|access| monitor.check(t, x, access, order)));
                    prop_assert_eq!(reset, new);
                }
            }
            monitors.iter_mut().for_each(|monitor| monitor.step(op));
        }
        Ok(())
    };
    let limits = prop::sample::select(vec![UNBOUNDED, Limits { history: 3, sightings: 3 }]);
    for_all(2_000, (all_traces(SHAPE), any::<prop::sample::Index>(), limits), |(trace, at, limits)| {
        law(trace, at, limits)
    });
}
