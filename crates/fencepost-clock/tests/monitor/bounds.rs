//! A bounded history beside an unbounded one: no violation is invented, and what is missed is said
//! to be cut.

use std::cell::Cell;

use fencepost_clock::{Finding, Limits};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::probe::probes;
use crate::run::{Monitor, Slots, UNBOUNDED};
use crate::trace::{Op, Orders, Shape, for_all, live, traces};

/// How often each answer was given: as good as the unbounded one, cut window, cut and no window.
#[derive(Default, Debug)]
struct Counts {
    same: Cell<u64>,
    shortened: Cell<u64>,
    lost: Cell<u64>,
}

fn compare(t: usize, x: usize, full: &Monitor, short: &Monitor, counts: &Counts) -> Result<(), TestCaseError> {
    let add = |count: &Cell<u64>| count.set(count.get() + 1);
    for (probe, order) in probes() {
        let whole = probe.with(|access| full.check(t, x, access, order));
        match (whole, probe.with(|access| short.check(t, x, access, order))) {
            (Finding::Clean, Finding::Clean | Finding::Cut) => {}
            (Finding::Violation(whole), Finding::Violation(part)) => {
                prop_assert!(whole.stale.ends_with(&part.stale), "{probe:?}: {part:?} invents, {whole:?}");
                prop_assert!(part.cut || whole.stale == part.stale);
                prop_assert_eq!(part.newest, whole.newest);
                add(if part.stale == whole.stale { &counts.same } else { &counts.shortened });
            }
            (Finding::Violation(_), Finding::Cut) => add(&counts.lost),
            (whole, part) => prop_assert!(false, "{probe:?} {order:?}: {part:?} instead of {whole:?}"),
        }
    }
    Ok(())
}

#[test]
fn nothing_is_invented_and_losses_are_reported() {
    let counts = Counts::default();
    let shape = Shape { threads: 4, locations: 2, steps: 40, orders: Orders::All, rich: true };
    let limits = (0..5u32, 0..6u32).prop_map(|(history, sightings)| Limits { history, sightings });
    for_all(4_000, (traces(shape), limits), |(trace, limits)| {
        let ops = trace.ops();
        let mut full = Monitor::new(trace.locations, UNBOUNDED, Slots::Fresh);
        let mut short = Monitor::new(trace.locations, limits, Slots::Fresh);
        for &op in &ops {
            if let Op::Access { t, x, .. } = op {
                compare(t, x, &full, &short, &counts)?;
            }
            full.step(op);
            short.step(op);
        }
        for t in live(&ops) {
            for x in 0..trace.locations {
                compare(t, x, &full, &short, &counts)?;
            }
        }
        Ok(())
    });
    let Counts { same, shortened, lost } = &counts;
    assert!([same, shortened, lost].iter().all(|count| count.get() > 1000), "{counts:?}");
}
