//! The monitor beside the plain clocks, at the end of very many short runs.
//!
//! A run has a few kinds of steps, drawn for this run alone, and makes them again and again. Short
//! ways of the monitor depend on what happened last, and the time before: with steps drawn from all
//! kinds, what matters hardly ever comes in a row.

use std::fmt::Write;

use fencepost_clock::{Finding, Order};
use fencepost_testkit::{in_parallel, repetitions};

use crate::graph::Definition;
use crate::plain::{Plain, THREADS};
use crate::probe::Probe;
use crate::run::{Monitor, Slots, UNBOUNDED};
use crate::trace::{Action, Kind, Op, READ_ORDERS, RMW_ORDERS, Step, Trace, WRITE_ORDERS, live};

/// Numbers that look random (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// A kind of step. `with` says whether there are SC accesses, and SC fences.
fn action(numbers: &mut Numbers, rich: bool, with: [bool; 2]) -> Action {
    let weaken = |order: Order, other: Order| if order.is_sc() && !with[0] { other } else { order };
    match numbers.below(if rich { 21 } else { 16 }) {
        0..5 => Action::Load(weaken(numbers.one_of(&READ_ORDERS), Order::Acquire)),
        5..9 => Action::Store(weaken(numbers.one_of(&WRITE_ORDERS), Order::Release), 1),
        9..12 => Action::Rmw(weaken(numbers.one_of(&RMW_ORDERS), Order::AcqRel), 1),
        12..15 if with[1] => Action::Fence(Order::SeqCst),
        12..16 => Action::Fence(numbers.one_of(&[Order::Acquire, Order::Release, Order::AcqRel])),
        16 => Action::Spawn,
        17 => Action::Join(numbers.below(4) as u8),
        18 => Action::Acquire,
        _ => Action::Release { join: numbers.one_in(2) },
    }
}

/// A run, the slots of its threads, and what is drawn afterwards.
#[derive(Clone)]
struct Run {
    trace: Trace,
    slots: Slots,
    seed: u64,
}

impl Run {
    fn new(seed: u64) -> Self {
        let mut numbers = Numbers(seed);
        let rich = numbers.one_in(4);
        let slots = numbers.one_of(&[Slots::Fresh, Slots::Reused, Slots::Reused, Slots::Far, Slots::Roaming]);
        let with = numbers.one_of(&[[true, true], [true, true], [true, false], [false, true]]);
        let (threads, locations) = (numbers.one_of(&[2, 3, 3]), numbers.one_of(&[1, 2, 2, 3, 3]));
        let length = 6 + numbers.below(20);
        let step = |numbers: &mut Numbers, actor: usize| Step {
            actor: actor as u8,
            place: numbers.below(locations) as u8,
            action: action(numbers, rich, with),
        };
        let mut steps = Vec::new();
        if numbers.one_in(2) {
            let kinds: Vec<Step> = (0..3 + numbers.below(6))
                .map(|_| {
                    let actor = numbers.below(threads);
                    step(&mut numbers, actor)
                })
                .collect();
            steps.extend((0..length).map(|_| numbers.one_of(&kinds)));
        } else {
            // Each thread goes round in a loop of its own.
            let mut loops: Vec<Vec<Step>> =
                (0..threads).map(|t| (0..1 + numbers.below(4)).map(|_| step(&mut numbers, t)).collect()).collect();
            let mut t = 0;
            for _ in 0..length {
                t = if numbers.one_in(2) { numbers.below(threads) } else { t };
                loops[t].rotate_left(1);
                steps.push(loops[t][0]);
            }
        }
        let trace = Trace { threads, locations, steps, first_sc: [0, 0] };
        Run { trace, slots, seed: numbers.next() }
    }

    /// What happens, up to where there are more threads than the plain clocks can have.
    fn ops(&self) -> Vec<Op> {
        let is_crowded = |op: &Op| matches!(op, Op::Spawn { child, .. } if *child >= THREADS);
        let mut ops = self.trace.ops();
        ops.truncate(ops.iter().position(is_crowded).unwrap_or(ops.len()));
        ops
    }

    /// Where the monitor and the plain clocks differ after the run: what any thread could do then,
    /// and what it could do after one more access, and an SC fence. So all is looked at that
    /// threads know, and all that they have left at locations. In the end, some of what they would
    /// pass on of it.
    fn difference(&self) -> Option<String> {
        let (locations, ops) = (self.trace.locations, self.ops());
        let monitor = Monitor::new(locations, UNBOUNDED, self.slots);
        let mut both = Both { monitor, plain: Plain::new(locations), locations };
        ops.iter().for_each(|&op| both.step(op));
        let threads = live(&ops);
        let knows =
            |t: usize| both.difference(t, &[Probe::Load, Probe::Store]).or_else(|| both.difference_after(t, &[]));
        let learns = |t: usize, x: usize| {
            CLOSINGS.iter().find_map(|&closing| both.difference_after(t, &[access(t, x, closing)]))
        };
        let mut numbers = Numbers(self.seed);
        let mut passes_on = |t: usize, x: usize, to: usize| {
            let first = access(t, x, numbers.one_of(&CLOSINGS));
            let (y, fence) = (numbers.below(locations), Op::Fence { t, order: Order::SeqCst });
            let [read, write] = [Order::Relaxed, Order::SeqCst]
                .map(|order| [access(t, y, (Kind::Read, order)), access(to, y, (Kind::Write, order))])
                [numbers.below(2)];
            match numbers.one_in(2) {
                true => both.difference_after(to, &[first, fence, read, write]),
                false => both.difference_after(to, &[first, read, write]),
            }
        };
        let all = || threads.iter().flat_map(|&t| (0..locations).map(move |x| (t, x)));
        let mut passes_on_to_all = |(t, x)| threads.iter().filter(|&&to| to != t).find_map(|&to| passes_on(t, x, to));
        (threads.iter().find_map(|&t| knows(t)))
            .or_else(|| all().find_map(|(t, x)| learns(t, x)))
            .or_else(|| all().find_map(&mut passes_on_to_all))
    }

    /// Fewer steps with a difference, as long as one can be left out.
    fn shrink(mut self) -> Self {
        let mut at = 0;
        while at < self.trace.steps.len() {
            let mut shorter = self.clone();
            shorter.trace.steps.remove(at);
            match shorter.difference() {
                Some(_) => (self, at) = (shorter, 0),
                None => at += 1,
            }
        }
        self
    }

    fn describe(&self) -> String {
        let mut text = format!("{:?}: {}", self.slots, self.difference().unwrap_or_default());
        for op in self.ops() {
            let _ = write!(text, "\n    {op:?}");
        }
        text
    }
}

/// Accesses that learn what was left at a location: by a message, by coherence, or both.
const CLOSINGS: [(Kind, Order); 5] = [
    (Kind::Read, Order::Relaxed),
    (Kind::Read, Order::Acquire),
    (Kind::Read, Order::SeqCst),
    (Kind::Write, Order::Relaxed),
    (Kind::Write, Order::SeqCst),
];

fn access(t: usize, x: usize, (kind, order): (Kind, Order)) -> Op {
    Op::Access { t, x, kind, order, value: 1 }
}

/// The monitor and the plain clocks.
#[derive(Clone)]
struct Both {
    monitor: Monitor,
    plain: Plain,
    locations: usize,
}

impl Both {
    fn step(&mut self, op: Op) {
        self.monitor.step(op);
        self.plain.step(op);
    }

    /// Where they differ on these accesses, if `t` made them next.
    fn difference(&self, t: usize, probes: &[Probe]) -> Option<String> {
        for x in 0..self.locations {
            for (&probe, order) in probes.iter().flat_map(|probe| [(probe, Order::Relaxed), (probe, Order::SeqCst)]) {
                let reads = matches!(probe, Probe::Load);
                let window = self.plain.window(t, x, order.is_sc());
                let expected = window.filter(|&(_, is_updated)| reads || !is_updated).map(|(site, _)| site);
                let is_same = match probe.with(|access| self.monitor.check(t, x, access, order)) {
                    Finding::Violation(found) => found.stale.iter().map(|write| write.site).eq(expected),
                    Finding::Clean => expected.count() == 0,
                    Finding::Cut => false,
                };
                if !is_same {
                    return Some(format!("{t} at {x}, {probe:?} {order:?}"));
                }
            }
        }
        None
    }

    /// Where they differ after these steps, for the thread of the last one, or after an SC fence of
    /// it.
    fn difference_after(&self, t: usize, ops: &[Op]) -> Option<String> {
        let mut both = self.clone();
        ops.iter().for_each(|&op| both.step(op));
        let after = |both: &Both| both.difference(t, &[Probe::Load]);
        let found = after(&both).or_else(|| {
            both.step(Op::Fence { t, order: Order::SeqCst });
            Some(format!("SC fence, then {}", after(&both)?))
        });
        Some(format!("{ops:?}, then {}", found?))
    }
}

#[test]
fn the_monitor_agrees_with_plain_clocks() {
    in_parallel(0..repetitions(60_000), |seed| {
        let run = Run::new(seed);
        if run.difference().is_some() {
            panic!("run {seed}, {}", run.shrink().describe());
        }
    });
}

/// So the plain clocks are right, and who agrees with them is right.
#[test]
fn plain_clocks_agree_with_the_definition() {
    in_parallel(0..repetitions(1_500), |seed| {
        let run = Run::new(seed);
        let (locations, ops) = (run.trace.locations, run.ops());
        let (mut plain, mut definition) = (Plain::new(locations), Definition::new(locations, &ops));
        for &op in &ops {
            plain.step(op);
            definition.step(op);
        }
        for t in live(&ops) {
            for x in 0..locations {
                for order in [Order::Relaxed, Order::SeqCst] {
                    let windows = definition.windows(t, x, Probe::Load.ways(order).into_iter());
                    let expected: Vec<u32> =
                        windows.stale[&(Kind::Read, order)].iter().map(|stale| stale.site).collect();
                    let found: Vec<u32> = plain.window(t, x, order.is_sc()).map(|(site, _)| site).collect();
                    assert_eq!(found, expected, "run {seed}, {t} at {x}, {order:?}: {ops:#?}");
                }
            }
        }
    });
}
