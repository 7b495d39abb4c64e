//! What accesses cost: `cargo run --release -p fencepost-clock --example accesses [WORKLOAD…]`.
//!
//! One real thread plays 32 threads that have heard of each other, so nothing here waits for
//! anybody. Nanoseconds are those of check and access together.
#![expect(clippy::print_stdout, reason = "a measurement is for reading")]

use std::time::Instant;

use fencepost_clock::{Access, Epochs, Finding, Limits, Location, Order, ThreadClocks};

const THREADS: usize = 32;
const ROUNDS: usize = 1_000_000;

struct World {
    threads: Vec<ThreadClocks>,
    locations: Vec<Location>,
    limits: Limits,
    violations: usize,
}

impl World {
    /// 32 threads that know of each other.
    fn new(locations: usize) -> Self {
        let mut main = ThreadClocks::new(0, Epochs::default());
        let mut threads: Vec<ThreadClocks> =
            (1..THREADS as u16).map(|slot| main.spawn(slot, Epochs::default())).collect();
        threads.insert(0, main);
        let mut world = World {
            threads,
            locations: (0..locations).map(|_| Location::new(0)).collect(),
            limits: Limits::default(),
            violations: 0,
        };
        for _ in 0..2 {
            (0..THREADS).for_each(|t| world.rmw(t, 0, Order::AcqRel));
        }
        world
    }

    fn check(&mut self, t: usize, x: usize, access: Access, order: Order) {
        let finding = self.locations[x].check(&self.threads[t], access, order);
        self.violations += usize::from(matches!(finding, Finding::Violation(_)));
    }

    fn load(&mut self, t: usize, x: usize, order: Order) {
        self.check(t, x, Access::Load, order);
        self.locations[x].load(&mut self.threads[t], order, self.limits);
    }

    fn store(&mut self, t: usize, x: usize, order: Order) {
        self.check(t, x, Access::Store, order);
        self.locations[x].store(&mut self.threads[t], order, 1, 1, self.limits);
    }

    fn rmw(&mut self, t: usize, x: usize, order: Order) {
        self.check(t, x, Access::Rmw, order);
        self.locations[x].rmw(&mut self.threads[t], order, 1, 1, self.limits);
    }
}

/// What happens in round `i`.
type Workload = fn(&mut World, usize);

const WORKLOADS: &[(&str, Workload)] = &[
    ("load, nothing new", |world, _| world.load(3, 1, Order::Acquire)),
    ("load by all in turn, nothing new", |world, i| world.load(i % THREADS, 1, Order::Acquire)),
    ("relaxed store, own location", |world, _| world.store(3, 1, Order::Relaxed)),
    ("release store, own location", |world, _| world.store(3, 1, Order::Release)),
    ("relaxed update, own location", |world, _| world.rmw(3, 1, Order::Relaxed)),
    ("relaxed update by all in turn", |world, i| world.rmw(i % THREADS, 1, Order::Relaxed)),
    ("acq_rel update by all in turn", |world, i| world.rmw(i % THREADS, 1, Order::AcqRel)),
    ("release store, acquire load by another", |world, i| {
        if i % 2 == 0 {
            world.store(i % THREADS, 1, Order::Release)
        } else {
            world.load(i % THREADS, 1, Order::Acquire)
        }
    }),
    ("relaxed store, relaxed load by another", |world, i| {
        if i % 2 == 0 {
            world.store(i % THREADS, 1, Order::Relaxed)
        } else {
            world.load(i % THREADS, 1, Order::Relaxed)
        }
    }),
    ("seq_cst store, seq_cst load by another", |world, i| {
        if i % 2 == 0 { world.store(i % THREADS, 1, Order::SeqCst) } else { world.load(i % THREADS, 1, Order::SeqCst) }
    }),
    ("relaxed update of 1000 locations by all", |world, i| world.rmw(i % THREADS, i * 7 % 1000, Order::Relaxed)),
    ("relaxed load/store of 1000 locations by all", |world, i| {
        let (t, x) = (i * 13 % THREADS, i * 7 % 1000);
        if i % 3 == 0 { world.store(t, x, Order::Relaxed) } else { world.load(t, x, Order::Relaxed) }
    }),
];

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    for (name, workload) in WORKLOADS {
        if chosen.is_empty() || chosen.iter().any(|part| name.contains(part.as_str())) {
            let mut world = World::new(1000);
            (0..1000).for_each(|i| workload(&mut world, i));
            let start = Instant::now();
            (0..ROUNDS).for_each(|i| workload(&mut world, i));
            let each = start.elapsed().as_nanos() as f64 / ROUNDS as f64;
            println!("{name:45} {each:6.1} ns   violations {}", world.violations);
        }
    }
}
