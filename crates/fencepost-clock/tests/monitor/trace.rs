//! Generated SC runs. A trace is what proptest draws and shrinks; [`Trace::ops`] is what happens in
//! it, every step having a meaning whatever was removed before it.

use fencepost_clock::Order;
use fencepost_testkit::repetitions;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// Values are below this.
pub(crate) const VALUES: u64 = 3;

pub(crate) const READ_ORDERS: [Order; 3] = [Order::Relaxed, Order::Acquire, Order::SeqCst];
pub(crate) const WRITE_ORDERS: [Order; 3] = [Order::Relaxed, Order::Release, Order::SeqCst];
pub(crate) const RMW_ORDERS: [Order; 5] =
    [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];

/// How an access touches memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Read,
    Write,
    Rmw,
}

/// What happens; threads are numbered in the order of creation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Access { t: usize, x: usize, kind: Kind, order: Order, value: u64 },
    Fence { t: usize, order: Order },
    Plain { t: usize },
    Spawn { t: usize, child: usize },
    Join { t: usize, child: usize },
    Acquire { t: usize, object: usize },
    Release { t: usize, object: usize, join: bool },
}

/// What a step tries to do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    Load(Order),
    Store(Order, u64),
    Rmw(Order, u64),
    Cas { expected: u64, value: u64, success: Order, failure: Order },
    Fence(Order),
    Plain,
    Spawn,
    Join(u8),
    Acquire,
    Release { join: bool },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) actor: u8,
    /// Location, or synchronisation object.
    pub(crate) place: u8,
    pub(crate) action: Action,
}

/// Which orders accesses have. Relaxed ones are frequent where nothing else is said: they are what
/// can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Orders {
    /// Those of the paper: all but SC, for accesses and fences.
    NotSc,
    All,
    /// Few that are not SC.
    MostlySc,
    /// No SC accesses, but many fences, most of them SC.
    Fences,
    /// Many SC accesses and SC fences, among others.
    Mixed,
}

impl Orders {
    /// One of `orders` of an access, each as often as it should be.
    fn pick(self, orders: &[Order]) -> impl Strategy<Value = Order> + use<> {
        let weight = |order| match (order, self) {
            (Order::SeqCst, Orders::NotSc | Orders::Fences) => 0,
            (Order::SeqCst, Orders::MostlySc) | (Order::Relaxed, Orders::NotSc | Orders::All | Orders::Fences) => 6,
            (Order::SeqCst, Orders::Mixed) => 2,
            _ => 1,
        };
        prop::sample::select(orders.iter().flat_map(|&order| vec![order; weight(order)]).collect::<Vec<_>>())
    }

    /// One of a fence.
    fn pick_fence(self) -> impl Strategy<Value = Order> + use<> {
        let sc = match self {
            Orders::NotSc => 0,
            Orders::All | Orders::MostlySc => 1,
            Orders::Fences | Orders::Mixed => 6,
        };
        let others = [Order::Acquire, Order::Release, Order::AcqRel];
        prop::sample::select([&others[..], &vec![Order::SeqCst; sc]].concat())
    }

    /// How many of 21 steps are fences.
    fn fences(self) -> u32 {
        match self {
            Orders::Fences | Orders::Mixed => 6,
            _ => 3,
        }
    }
}

/// What traces can have in them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) threads: usize,
    pub(crate) locations: usize,
    pub(crate) steps: usize,
    pub(crate) orders: Orders,
    /// Creation and joining of threads in the middle of the run, locks, plain accesses?
    pub(crate) rich: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Trace {
    /// At the start.
    pub(crate) threads: usize,
    pub(crate) locations: usize,
    pub(crate) steps: Vec<Step>,
    /// Up to this step there are no SC accesses, up to the other one no SC fences.
    pub(crate) first_sc: [usize; 2],
}

/// At most this many threads live at the same time.
const CROWD: usize = 5;

/// Synchronisation objects.
pub(crate) const OBJECTS: usize = 2;

impl Trace {
    /// The run.
    pub(crate) fn ops(&self) -> Vec<Op> {
        let mut ops: Vec<Op> = (1..self.threads).map(|child| Op::Spawn { t: 0, child }).collect();
        let mut live: Vec<usize> = (0..self.threads).collect();
        let mut created = self.threads;
        let mut memory = vec![0; self.locations];
        for (number, step) in self.steps.iter().enumerate() {
            let [access_sc, fence_sc] = self.first_sc.map(|first| first <= number);
            let t = live[usize::from(step.actor) % live.len()];
            let x = usize::from(step.place) % self.locations;
            let object = usize::from(step.place) % OBJECTS;
            let access = |kind, order, value| {
                let order = if access_sc { order } else { without_sc(kind, order) };
                Op::Access { t, x, kind, order, value }
            };
            ops.push(match step.action {
                Action::Load(order) => access(Kind::Read, order, 0),
                Action::Store(order, value) => access(Kind::Write, order, value),
                Action::Rmw(order, value) => access(Kind::Rmw, order, value),
                Action::Cas { expected, value, success, .. } if memory[x] == expected => {
                    access(Kind::Rmw, success, value)
                }
                Action::Cas { failure, .. } => access(Kind::Read, failure, 0),
                Action::Fence(Order::SeqCst) if !fence_sc => Op::Fence { t, order: Order::AcqRel },
                Action::Fence(order) => Op::Fence { t, order },
                Action::Plain => Op::Plain { t },
                Action::Spawn if live.len() < CROWD => {
                    created += 1;
                    live.push(created - 1);
                    Op::Spawn { t, child: created - 1 }
                }
                Action::Join(which) if live.len() > 1 => {
                    live.retain(|&thread| thread != t);
                    let child = live.remove(usize::from(which) % live.len());
                    live.push(t);
                    live.sort_unstable();
                    Op::Join { t, child }
                }
                Action::Spawn | Action::Join(_) => continue,
                Action::Acquire => Op::Acquire { t, object },
                Action::Release { join } => Op::Release { t, object, join },
            });
            if let Some(&Op::Access { x, kind: Kind::Write | Kind::Rmw, value, .. }) = ops.last() {
                memory[x] = value;
            }
        }
        ops
    }
}

/// The strongest order that is not SC, instead of SC.
fn without_sc(kind: Kind, order: Order) -> Order {
    match (order, kind) {
        (Order::SeqCst, Kind::Read) => Order::Acquire,
        (Order::SeqCst, Kind::Write) => Order::Release,
        (Order::SeqCst, Kind::Rmw) => Order::AcqRel,
        _ => order,
    }
}

/// The threads that have not been joined in the end.
pub(crate) fn live(ops: &[Op]) -> Vec<usize> {
    let mut live = vec![0];
    for op in ops {
        match *op {
            Op::Spawn { child, .. } => live.push(child),
            Op::Join { child, .. } => live.retain(|&thread| thread != child),
            _ => {}
        }
    }
    live
}

fn action(shape: Shape) -> impl Strategy<Value = Action> {
    let value = || 0..VALUES;
    let [read, write, rmw] = [&READ_ORDERS[..], &WRITE_ORDERS[..], &RMW_ORDERS[..]];
    let order = |orders| shape.orders.pick(orders);
    let rich = u32::from(shape.rich);
    prop_oneof![
        6 => order(read).prop_map(Action::Load),
        6 => (order(write), value()).prop_map(|(order, value)| Action::Store(order, value)),
        4 => (order(rmw), value()).prop_map(|(order, value)| Action::Rmw(order, value)),
        2 => (value(), value(), order(rmw), order(read)).prop_map(|(expected, value, success, failure)| {
            Action::Cas { expected, value, success, failure }
        }),
        shape.orders.fences() => shape.orders.pick_fence().prop_map(Action::Fence),
        2 * rich => Just(Action::Plain),
        rich => Just(Action::Spawn),
        rich => any::<u8>().prop_map(Action::Join),
        rich => Just(Action::Acquire),
        rich => any::<bool>().prop_map(|join| Action::Release { join }),
    ]
}

/// Traces of this shape.
pub(crate) fn traces(shape: Shape) -> impl Strategy<Value = Trace> {
    let step =
        (any::<u8>(), any::<u8>(), action(shape)).prop_map(|(actor, place, action)| Step { actor, place, action });
    (2..=shape.threads, 1..=shape.locations, prop::collection::vec(step, shape.steps / 3..=shape.steps))
        .prop_map(|(threads, locations, steps)| Trace { threads, locations, steps, first_sc: [0, 0] })
}

/// Traces of this shape in which a thread tends to go on, with what it did last: the same access
/// again and again, fence after fence, now and then with something of others in between. That is
/// what the short ways of the monitor are for, and what steps drawn one by one rarely do.
pub(crate) fn sticky_traces(shape: Shape) -> impl Strategy<Value = Trace> {
    let again = (prop::bool::weighted(0.66), prop::bool::weighted(0.5), prop::bool::weighted(0.5));
    let draw = (any::<u8>(), any::<u8>(), action(shape), again);
    let draws = prop::collection::vec(draw, shape.steps / 3..=shape.steps);
    // With one location there is hardly anything to be missed.
    let locations = prop_oneof![1 => Just(1), 4 => 2..=shape.locations];
    (2..=shape.threads, locations, draws).prop_map(|(threads, locations, draws)| {
        let mut actor = 0;
        // Of each thread, since what others do does not change what it is about.
        let mut last: Vec<Option<Step>> = vec![None; threads];
        let steps = draws.into_iter().map(|(other, place, action, (same_actor, same_place, same_action))| {
            actor = if same_actor { actor } else { other };
            let last = &mut last[usize::from(actor) % threads];
            let place = last.filter(|_| same_place).map_or(place, |last| last.place);
            let action = last.filter(|_| same_action).map_or(action, |last| last.action);
            let step = Step { actor, place, action };
            if !matches!(action, Action::Spawn | Action::Join(_)) {
                *last = Some(step);
            }
            step
        });
        Trace { threads, locations, steps: steps.collect(), first_sc: [0, 0] }
    })
}

/// Some of this kind and some of the other.
pub(crate) fn all_traces(shape: Shape) -> impl Strategy<Value = Trace> {
    prop_oneof![traces(shape), sticky_traces(shape)]
}

/// Some where the first SC access, or the first SC fence, comes in the middle of the run.
pub(crate) fn late_traces(shape: Shape) -> impl Strategy<Value = Trace> {
    let first = prop::sample::select(vec![[0, 1], [1, 0], [0, 2], [2, 0], [1, 1], [1, 2], [2, 1]]);
    (all_traces(shape), first).prop_map(|(trace, first)| {
        let first_sc = first.map(|thirds| thirds * trace.steps.len() / 3);
        Trace { first_sc, ..trace }
    })
}

/// Runs `law` on as many traces, the same ones every time; panics with a shrunk trace on which it
/// fails.
pub(crate) fn for_all<S: Strategy>(cases: u64, strategy: S, law: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let cases = u32::try_from(repetitions(cases)).expect("a reasonable number");
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 4_000, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    if let Err(error) = runner.run(&strategy, law) {
        panic!("{error}");
    }
}
