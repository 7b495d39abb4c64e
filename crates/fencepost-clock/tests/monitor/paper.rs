//! The paper's own algorithm: maps from locations (and values) to timestamps, appendix A of
//! Margalit et al., PLDI 2025, line by line.
//!
//! Without SC fences, which the paper takes for updates of a hidden location: C++20 does not.
//!
//! Three slips of the text are put right after the meaning that it gives for each clock: the helper
//! procedure updates the clocks of location x, not of the thread; a relaxed write leaves `W(x)(x)`
//! the timestamp of the write itself; `T_a` is joined with W(x), not replaced.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_clock::Order;

use crate::probe::Probe;
use crate::trace::{Kind, OBJECTS, Op};

/// From locations to timestamps; 0 if there is none.
type LocationClock = BTreeMap<usize, i64>;

/// From locations and critical values, and from locations for all other values, to timestamps; −1
/// if there is none.
type ValueClock = BTreeMap<(usize, Option<u64>), i64>;

fn join<K: Ord + Copy>(clock: &mut BTreeMap<K, i64>, other: &BTreeMap<K, i64>) {
    for (&key, &time) in other {
        let mine = clock.entry(key).or_insert(time);
        *mine = time.max(*mine);
    }
}

/// T, W and M of one kind of hb_SC clock: for each thread, for each location's last write, for all
/// its accesses.
struct ScClocks<K> {
    t: BTreeMap<usize, BTreeMap<K, i64>>,
    w: BTreeMap<usize, BTreeMap<K, i64>>,
    m: BTreeMap<usize, BTreeMap<K, i64>>,
}

impl<K> Default for ScClocks<K> {
    fn default() -> Self {
        ScClocks { t: BTreeMap::new(), w: BTreeMap::new(), m: BTreeMap::new() }
    }
}

impl<K: Ord + Copy> ScClocks<K> {
    /// UPDATELSC
    fn update(&mut self, kind: Kind, thread: usize, x: usize) {
        let (t, w, m) = (self.t.entry(thread).or_default(), self.w.entry(x).or_default(), self.m.entry(x).or_default());
        if kind == Kind::Read {
            join(t, w);
            join(m, t);
        } else {
            join(t, m);
            *m = t.clone();
            *w = t.clone();
        }
    }
}

/// T_c, T_a, T_r and W of one kind of happens-before clock.
#[derive(Default)]
struct HbClocks {
    c: BTreeMap<usize, LocationClock>,
    a: BTreeMap<usize, LocationClock>,
    r: BTreeMap<usize, LocationClock>,
    w: BTreeMap<usize, LocationClock>,
}

impl HbClocks {
    fn access(&mut self, kind: Kind, order: Order, thread: usize, x: usize, is_counted: bool) {
        let (c, a, r, w) = (
            self.c.entry(thread).or_default(),
            self.a.entry(thread).or_default(),
            self.r.entry(thread).or_default(),
            self.w.entry(x).or_default(),
        );
        let time = w.get(&x).copied().unwrap_or(0) + i64::from(is_counted);
        w.insert(x, time);
        c.insert(x, time);
        a.insert(x, time);
        if kind != Kind::Write {
            join(a, w);
            if order.acquires() {
                join(c, w);
            }
        }
        let released = if order.releases() { c } else { r };
        match kind {
            Kind::Read => {}
            Kind::Write => *w = released.clone(),
            Kind::Rmw => join(w, released),
        }
        w.insert(x, time);
    }

    fn fence(&mut self, order: Order, thread: usize) {
        if order.acquires() {
            let a = self.a.entry(thread).or_default().clone();
            self.c.insert(thread, a);
        }
        if order.releases() {
            let c = self.c.entry(thread).or_default().clone();
            self.r.insert(thread, c);
        }
    }
}

fn at(clocks: &BTreeMap<usize, LocationClock>, index: usize, x: usize) -> i64 {
    clocks.get(&index).and_then(|clock| clock.get(&x)).copied().unwrap_or(0)
}

/// All clocks of the paper; `_rmw` are those that do not count read-modify-writes.
pub(crate) struct Paper {
    sc: ScClocks<usize>,
    sc_rmw: ScClocks<usize>,
    value: ScClocks<(usize, Option<u64>)>,
    value_rmw: ScClocks<(usize, Option<u64>)>,
    hb: HbClocks,
    hb_rmw: HbClocks,
    critical: BTreeSet<u64>,
    memory: BTreeMap<usize, u64>,
    /// The next location that nobody has used.
    unused: usize,
    objects: [Vec<usize>; OBJECTS],
}

impl Paper {
    pub(crate) fn new(locations: usize, critical: BTreeSet<u64>) -> Self {
        Paper {
            sc: ScClocks::default(),
            sc_rmw: ScClocks::default(),
            value: ScClocks::default(),
            value_rmw: ScClocks::default(),
            hb: HbClocks::default(),
            hb_rmw: HbClocks::default(),
            critical,
            memory: BTreeMap::new(),
            unused: locations,
            objects: Default::default(),
        }
    }

    fn access(&mut self, t: usize, x: usize, kind: Kind, order: Order, value: u64) {
        let previous = self.memory.get(&x).copied().unwrap_or(0);
        let key = (x, Some(previous).filter(|value| self.critical.contains(value)));
        let (time, time_rmw) = (at(&self.sc.w, x, x), at(&self.sc_rmw.w, x, x));
        if kind != Kind::Read {
            self.value.m.entry(x).or_default().insert(key, time);
            self.sc.m.entry(x).or_default().insert(x, time + 1);
            self.memory.insert(x, value);
        }
        if kind == Kind::Write {
            self.value_rmw.m.entry(x).or_default().insert(key, time_rmw);
            self.sc_rmw.m.entry(x).or_default().insert(x, time_rmw + 1);
        }
        self.value.update(kind, t, x);
        self.value_rmw.update(kind, t, x);
        self.sc.update(kind, t, x);
        self.sc_rmw.update(kind, t, x);
        self.hb.access(kind, order, t, x, kind != Kind::Read);
        self.hb_rmw.access(kind, order, t, x, kind == Kind::Write);
    }

    fn fence(&mut self, t: usize, order: Order) {
        self.hb.fence(order, t);
        self.hb_rmw.fence(order, t);
    }

    fn release(&mut self, t: usize) -> usize {
        self.unused += 1;
        self.access(t, self.unused - 1, Kind::Write, Order::Release, 1);
        self.unused - 1
    }

    fn acquire(&mut self, t: usize, x: usize) {
        self.access(t, x, Kind::Read, Order::Acquire, 0);
    }

    /// Follows one step; what one thread passes to another goes through a location of its own.
    pub(crate) fn step(&mut self, op: Op) {
        match op {
            Op::Access { t, x, kind, order, value } => self.access(t, x, kind, order, value),
            Op::Fence { t, order } => self.fence(t, order),
            Op::Plain { .. } => {}
            Op::Spawn { t, child } => {
                let x = self.release(t);
                self.acquire(child, x);
            }
            Op::Join { t, child } => {
                let x = self.release(child);
                self.acquire(t, x);
            }
            Op::Acquire { t, object } => {
                for x in self.objects[object].clone() {
                    self.acquire(t, x);
                }
            }
            Op::Release { t, object, join } => {
                let x = self.release(t);
                if !join {
                    self.objects[object].clear();
                }
                self.objects[object].push(x);
            }
        }
    }

    /// The robustness check.
    pub(crate) fn is_violation(&self, t: usize, x: usize, probe: Probe) -> bool {
        let (c, c_rmw) = (at(&self.hb.c, t, x), at(&self.hb_rmw.c, t, x));
        let of = |clocks: &ScClocks<(usize, Option<u64>)>, value: Option<u64>| {
            clocks.t.get(&t).and_then(|clock: &ValueClock| clock.get(&(x, value))).copied().unwrap_or(-1)
        };
        match probe {
            Probe::Load | Probe::WeakCas { .. } => c < at(&self.sc.t, t, x),
            Probe::Store | Probe::Rmw => c_rmw < at(&self.sc_rmw.t, t, x),
            Probe::Wait { value } => c <= of(&self.value, Some(value)),
            Probe::BlockingCas { expected } => c_rmw <= of(&self.value_rmw, Some(expected)),
            Probe::StrongCas { expected, .. } => {
                let others = self.critical.iter().copied().filter(|&value| value != expected).map(Some);
                c_rmw <= of(&self.value_rmw, Some(expected))
                    || others.chain([None]).any(|value| c <= of(&self.value, value))
            }
        }
    }
}
