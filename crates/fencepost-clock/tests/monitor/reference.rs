//! The monitor against the paper's location clocks, before every step of longer runs. The paper has
//! no SC accesses, and other SC fences.

use std::cell::Cell;
use std::collections::BTreeSet;

use fencepost_clock::{Finding, Order};
use proptest::prelude::*;

use crate::paper::Paper;
use crate::probe::{Probe, probes};
use crate::run::{Monitor, Slots, UNBOUNDED};
use crate::trace::{Op, Orders, Shape, VALUES, for_all, traces};

/// The value that the access waits for must be critical.
fn is_critical(probe: Probe, critical: &BTreeSet<u64>) -> bool {
    match probe {
        Probe::Load | Probe::Store | Probe::Rmw | Probe::WeakCas { .. } => true,
        Probe::Wait { value: v } | Probe::BlockingCas { expected: v } | Probe::StrongCas { expected: v, .. } => {
            critical.contains(&v)
        }
    }
}

#[test]
fn location_clocks_agree() {
    let probes: Vec<(Probe, Order)> = probes().into_iter().filter(|&(probe, order)| !probe.is_sc(order)).collect();
    let (traced, violating) = (Cell::new(0), Cell::new(0));
    let shape = Shape { threads: 4, locations: 4, steps: 50, orders: Orders::NotSc, rich: true };
    let critical = prop::collection::btree_set(0..VALUES, 0..=VALUES as usize);
    for_all(12_000, (traces(shape), critical), |(trace, critical)| {
        let mut monitor = Monitor::new(trace.locations, UNBOUNDED, Slots::Reused);
        let mut paper = Paper::new(trace.locations, critical.clone());
        let mut is_violating = false;
        for op in trace.ops() {
            if let Op::Access { t, x, .. } = op {
                for &(probe, order) in probes.iter().filter(|(probe, _)| is_critical(*probe, &critical)) {
                    let finding = probe.with(|access| monitor.check(t, x, access, order));
                    let is_violation = paper.is_violation(t, x, probe);
                    is_violating |= is_violation;
                    prop_assert_eq!(matches!(finding, Finding::Violation(_)), is_violation, "{:?} {:?}", op, probe);
                }
            }
            monitor.step(op);
            paper.step(op);
        }
        traced.set(traced.get() + 1);
        violating.set(violating.get() + u64::from(is_violating));
        Ok(())
    });
    assert!(5 * violating.get() > traced.get(), "{} of {} runs have a violation", violating.get(), traced.get());
}
