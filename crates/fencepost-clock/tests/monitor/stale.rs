//! Runs with one access that uses an overwritten write, and SC otherwise: the model permits them,
//! and the monitor knows happens-before from then on.

use std::cell::Cell;

use fencepost_clock::{Finding, Order, Releases};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::graph::Definition;
use crate::probe::Probe;
use crate::run::{Monitor, Slots, UNBOUNDED};
use crate::trace::{Kind, Op, Orders, Shape, Trace, for_all, live, traces};

/// How often something was seen, to know that the test tests it.
#[derive(Default, Debug)]
struct Counts {
    stale: Cell<u64>,
    /// Steps of runs with a stale one, beside what each thread would do in the end; and those of
    /// them that are not ordered.
    compared: Cell<u64>,
    unordered: Cell<u64>,
}

fn add(count: &Cell<u64>, by: u64) {
    count.set(count.get() + by);
}

/// The monitor, and what the writes to each location have released.
struct Watched {
    monitor: Monitor,
    releases: Vec<Releases>,
}

impl Watched {
    fn step(&mut self, op: Op) {
        self.monitor.step(op);
        if let Op::Access { x, kind: Kind::Write | Kind::Rmw, .. } = op {
            self.releases[x].keep(&self.monitor.locations[x], UNBOUNDED);
        }
    }

    /// Lets an access use the write of its window that `draw` says, if there is one; the step that
    /// wrote it.
    fn provoke(&mut self, op: Op, draw: u64) -> Option<u32> {
        let Op::Access { t, x, kind, order, .. } = op else { return None };
        let probe = match kind {
            Kind::Read => Probe::Load,
            Kind::Write => Probe::Store,
            Kind::Rmw => Probe::Rmw,
        };
        let found = probe.with(|access| self.monitor.check(t, x, access, order));
        let Finding::Violation(window) = found else { return None };
        let used = window.stale[draw as usize % window.stale.len()];
        if kind != Kind::Write {
            let released = self.releases[x].of(&used).expect("it is kept");
            self.monitor.threads[t].read_released(&released, order);
        }
        // Nothing is written that others could see.
        self.monitor.forget_loads(x);
        self.monitor.pass();
        Some(used.site)
    }
}

/// The `chance`-th access that can be stale is.
fn agrees(trace: &Trace, (chance, draw): (u64, u64), slots: Slots, counts: &Counts) -> Result<(), TestCaseError> {
    let ops = trace.ops();
    let monitor = Monitor::new(trace.locations, UNBOUNDED, slots);
    let mut watched = Watched { monitor, releases: vec![Releases::default(); trace.locations] };
    let mut definition = Definition::new(trace.locations, &ops);
    // What the others may race with, and where its thread was.
    let mut steps: Vec<(u32, u16, u32)> = Vec::new();
    let (mut chance, mut is_stale) = (Some(chance), false);
    for (step, &op) in (1..).zip(&ops) {
        if let Op::Access { t, x, kind, order, value } = op
            && chance.is_some()
        {
            let may = matches!(
                Probe::Load.with(|access| watched.monitor.check(t, x, access, Order::Relaxed)),
                Finding::Violation(_)
            );
            chance = if may { chance.and_then(|left| left.checked_sub(1)) } else { chance };
            if may
                && chance.is_none()
                && let Some(site) = watched.provoke(op, draw)
            {
                definition.stale_access(t, x, kind, order, value, site);
                prop_assert!(definition.is_permitted(), "{op:?} with the write of step {site}");
                is_stale = true;
                add(&counts.stale, 1);
                continue;
            }
        }
        if let Op::Plain { t } | Op::Access { t, .. } = op {
            steps.push((step, watched.monitor.threads[t].slot(), watched.monitor.threads[t].epoch()));
        }
        watched.step(op);
        definition.step(op);
    }
    for t in live(&ops).into_iter().filter(|_| is_stale) {
        for &(site, slot, k) in &steps {
            let is_ordered = definition.happens_before_next(site, t);
            prop_assert_eq!(watched.monitor.threads[t].knows(slot, k), is_ordered, "race of {} with {}", site, t);
            add(&counts.compared, 1);
            add(&counts.unordered, u64::from(!is_ordered));
        }
    }
    prop_assert!(definition.is_permitted(), "a run with one stale step is one of the model");
    Ok(())
}

#[test]
fn runs_with_a_stale_step_are_permitted_and_their_order_is_known() {
    for (orders, slots) in [
        (Orders::All, Slots::Fresh),
        (Orders::NotSc, Slots::Reused),
        (Orders::Mixed, Slots::Far),
        (Orders::All, Slots::Roaming),
    ] {
        let counts = Counts::default();
        let shape = Shape { threads: 4, locations: 3, steps: 40, orders, rich: true };
        let draws = (0u64..3, any::<u64>());
        for_all(3_000, (traces(shape), draws), |(trace, draws)| agrees(&trace, draws, slots, &counts));
        let Counts { stale, compared, unordered } = &counts;
        assert!(stale.get() > 200 && 9 * unordered.get() > compared.get() && compared.get() > 2_000, "{counts:?}");
    }
}
