//! What accesses cost:
//! `cargo run --release -p fencepost-clock --example accesses [THREADS] [WORKLOAD…]`.
//!
//! One real thread plays 32 threads, or as many as it is told, that have heard of each other. So
//! nothing here waits for anybody. Nanoseconds are those of check and access together.
#![expect(clippy::print_stdout, reason = "a measurement is for reading")]

use std::time::Instant;

use fencepost_clock::{Access, Epochs, Finding, Limits, Location, Order, ThreadClocks};

const THREADS: usize = 32;
const ROUNDS: usize = 200_000;

struct World {
    threads: Vec<ThreadClocks>,
    locations: Vec<Location>,
    limits: Limits,
    violations: usize,
}

impl World {
    /// So many threads that know of each other.
    fn new(threads: usize, locations: usize) -> Self {
        let mut main = ThreadClocks::new(0, Epochs::default());
        let mut threads: Vec<ThreadClocks> =
            (1..threads as u16).map(|slot| main.spawn(slot, Epochs::default())).collect();
        threads.insert(0, main);
        let mut world = World {
            threads,
            locations: (0..locations).map(|_| Location::new(0)).collect(),
            limits: Limits::default(),
            violations: 0,
        };
        for _ in 0..2 {
            (0..world.threads.len()).for_each(|t| world.rmw(t, 0, Order::AcqRel));
        }
        world
    }

    /// Whose turn it is.
    fn turn(&self, i: usize) -> usize {
        i % self.threads.len()
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

    fn fence_sc(&mut self, t: usize) {
        self.threads[t].fence(Order::SeqCst);
    }

    /// A store by one thread, a load of it by the next.
    fn pass(&mut self, i: usize, store: Order, load: Order) {
        let t = self.turn(i);
        if i.is_multiple_of(2) { self.store(t, 1, store) } else { self.load(t, 1, load) }
    }
}

/// What happens in round `i`.
type Workload = fn(&mut World, usize);

const WORKLOADS: &[(&str, Workload)] = &[
    ("acquire load, nothing new", |world, _| world.load(1, 1, Order::Acquire)),
    ("acquire load by all in turn, nothing new", |world, i| world.load(world.turn(i), 1, Order::Acquire)),
    ("relaxed store, own location", |world, _| world.store(1, 1, Order::Relaxed)),
    ("release store, own location", |world, _| world.store(1, 1, Order::Release)),
    ("relaxed update, own location", |world, _| world.rmw(1, 1, Order::Relaxed)),
    ("relaxed update by all in turn", |world, i| world.rmw(world.turn(i), 1, Order::Relaxed)),
    ("acq_rel update by all in turn", |world, i| world.rmw(world.turn(i), 1, Order::AcqRel)),
    ("release store, acquire load by another", |world, i| world.pass(i, Order::Release, Order::Acquire)),
    ("relaxed store, relaxed load by another", |world, i| world.pass(i, Order::Relaxed, Order::Relaxed)),
    ("relaxed update of 1000 locations by all", |world, i| world.rmw(world.turn(i), i * 7 % 1000, Order::Relaxed)),
    ("relaxed load/store of 1000 locations by all", |world, i| {
        let (t, x) = (world.turn(i * 13), i * 7 % 1000);
        if i.is_multiple_of(3) { world.store(t, x, Order::Relaxed) } else { world.load(t, x, Order::Relaxed) }
    }),
    ("seq_cst load, nothing new", |world, _| world.load(1, 1, Order::SeqCst)),
    ("seq_cst store, own location", |world, _| world.store(1, 1, Order::SeqCst)),
    ("seq_cst update by all in turn", |world, i| world.rmw(world.turn(i), 1, Order::SeqCst)),
    ("seq_cst store, seq_cst load by another", |world, i| world.pass(i, Order::SeqCst, Order::SeqCst)),
    ("seq_cst store, acquire load by another", |world, i| world.pass(i, Order::SeqCst, Order::Acquire)),
    ("release store, seq_cst load by another", |world, i| world.pass(i, Order::Release, Order::SeqCst)),
    ("release/acquire after seq_cst accesses", |world, i| {
        if i < THREADS {
            world.rmw(world.turn(i), 2, Order::SeqCst);
        }
        world.pass(i, Order::Release, Order::Acquire);
    }),
    ("nothing but seq_cst fences", |world, i| world.fence_sc(world.turn(i))),
    ("store, seq_cst fence, load of another's", |world, i| {
        let t = world.turn(i);
        world.store(t, 1 + t, Order::Relaxed);
        world.fence_sc(t);
        world.load(t, 1 + world.turn(i + 1), Order::Relaxed);
    }),
    ("release/acquire after seq_cst fences", |world, i| {
        if i < THREADS {
            world.fence_sc(world.turn(i));
        }
        world.pass(i, Order::Release, Order::Acquire);
    }),
    ("acq_rel update after seq_cst fences", |world, i| {
        if i < THREADS {
            world.fence_sc(world.turn(i));
        }
        world.rmw(world.turn(i), 1, Order::AcqRel);
    }),
    ("relaxed update after seq_cst fences", |world, i| {
        if i < THREADS {
            world.fence_sc(world.turn(i));
        }
        world.rmw(world.turn(i), 1, Order::Relaxed);
    }),
    ("mixed: store, seq_cst fence, seq_cst load", |world, i| {
        let t = world.turn(i);
        world.store(t, 1 + t, Order::SeqCst);
        world.fence_sc(t);
        world.load(t, 1 + world.turn(i + 1), Order::SeqCst);
    }),
    ("mixed: release/acquire after both", |world, i| {
        if i < THREADS {
            world.fence_sc(world.turn(i));
            world.rmw(world.turn(i), 2, Order::SeqCst);
        }
        world.pass(i, Order::Release, Order::Acquire);
    }),
];

fn main() {
    let mut chosen: Vec<String> = std::env::args().skip(1).collect();
    let threads = chosen.first().and_then(|first| first.parse().ok());
    if threads.is_some() {
        chosen.remove(0);
    }
    for (name, workload) in WORKLOADS {
        if chosen.is_empty() || chosen.iter().any(|part| name.contains(part.as_str())) {
            let mut world = World::new(threads.unwrap_or(THREADS), 1000);
            (0..1000).for_each(|i| workload(&mut world, i));
            let start = Instant::now();
            (1000..1000 + ROUNDS).for_each(|i| workload(&mut world, i));
            let each = start.elapsed().as_nanos() as f64 / ROUNDS as f64;
            println!("{name:45} {each:6.1} ns   violations {}", world.violations);
        }
    }
}
