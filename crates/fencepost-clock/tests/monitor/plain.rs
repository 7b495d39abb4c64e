//! The clocks as they are defined, with no short way: every set is there from the start, whole, and
//! joined at every step.
//!
//! Slower than the monitor, but much faster than the definition: it can be asked after every step
//! of many runs.

use fencepost_clock::Order;

use crate::trace::{Kind, OBJECTS, Op};

/// There are at most so many threads in a run.
pub(crate) const THREADS: usize = 8;

/// For each thread, how many of its accesses.
type Clock = [u32; THREADS];

fn join(mine: &mut Clock, theirs: &Clock) {
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine = theirs.max(mine).to_owned();
    }
}

/// A set of accesses: all up to a number, and SC accesses up to another one.
#[derive(Clone, Copy, Default)]
struct Set {
    all: Clock,
    sc: Clock,
}

impl Set {
    fn join(&mut self, other: &Set) {
        join(&mut self.all, &other.all);
        join(&mut self.sc, &other.sc);
    }

    fn joined(mut self, other: &Set) -> Set {
        self.join(other);
        self
    }
}

/// What travels along happens-before.
#[derive(Clone, Copy, Default)]
struct View {
    hb: Clock,
    /// D of the SC fences that happen before.
    fences: Set,
    /// D of the SC accesses that come before in their thread, and then by happens-before.
    accesses: Set,
    /// D of the next SC fence, but for what happens before.
    pending: Set,
}

impl View {
    fn join(&mut self, other: &View) {
        join(&mut self.hb, &other.hb);
        self.fences.join(&other.fences);
        self.accesses.join(&other.accesses);
        self.pending.join(&other.pending);
    }
}

#[derive(Clone, Copy, Default)]
struct Thread {
    /// The number of the last access.
    n: u32,
    current: View,
    /// For acquire fences, and at the last release fence.
    acquired: View,
    released: View,
    /// D of the thread's own SC accesses.
    own: Set,
    hb_sc: Clock,
}

impl Thread {
    /// What a release publishes.
    fn published(&self) -> View {
        let mut view = self.current;
        view.accesses.join(&self.own);
        view
    }

    fn acquire(&mut self, view: &View, hb_sc: &Clock) {
        self.current.join(view);
        self.acquired.join(view);
        join(&mut self.hb_sc, hb_sc);
    }

    fn fence(&mut self, order: Order) {
        if order.acquires() {
            self.current.join(&self.acquired);
        }
        if order.is_sc() {
            let ordered = Set { all: self.current.hb, sc: [0; THREADS] }.joined(&self.current.pending);
            self.current.fences.join(&ordered);
        }
        if order.releases() {
            self.released = self.published();
        }
        self.acquired.join(&self.current);
    }
}

/// A write, and for each thread its first access, and its first SC access, that made or read it.
#[derive(Clone)]
struct Write {
    site: u32,
    rmw: bool,
    writer: usize,
    n: u32,
    first: Clock,
    first_sc: Clock,
}

/// An access that nobody has made.
const NEVER: u32 = u32::MAX;

#[derive(Clone, Default)]
struct Location {
    /// In modification order; the initial one comes before them.
    writes: Vec<Write>,
    message: View,
    /// What accesses pass on: up to the newest write, and all.
    written: Set,
    accessed: Set,
    written_hb_sc: Clock,
    accessed_hb_sc: Clock,
}

/// All clocks.
#[derive(Clone)]
pub(crate) struct Plain {
    threads: [Thread; THREADS],
    locations: Vec<Location>,
    objects: [(View, Clock); OBJECTS],
    time: u32,
}

impl Plain {
    pub(crate) fn new(locations: usize) -> Self {
        Plain {
            threads: [Thread::default(); THREADS],
            locations: (0..locations).map(|_| Location::default()).collect(),
            objects: Default::default(),
            time: 0,
        }
    }

    fn access(&mut self, t: usize, x: usize, kind: Kind, order: Order) {
        let (thread, location) = (&mut self.threads[t], &mut self.locations[x]);
        thread.n += 1;
        let n = thread.n;
        thread.current.hb[t] = n;
        thread.hb_sc[t] = n;
        if kind == Kind::Read {
            join(&mut thread.hb_sc, &location.written_hb_sc);
            join(&mut location.accessed_hb_sc, &thread.hb_sc);
        } else {
            join(&mut thread.hb_sc, &location.accessed_hb_sc);
            (location.accessed_hb_sc, location.written_hb_sc) = (thread.hb_sc, thread.hb_sc);
            let never = [NEVER; THREADS];
            let rmw = kind == Kind::Rmw;
            location.writes.push(Write { site: self.time, rmw, writer: t, n, first: never, first_sc: never });
        }
        if let Some(newest) = location.writes.last_mut() {
            newest.first[t] = newest.first[t].min(n);
            if order.is_sc() {
                newest.first_sc[t] = newest.first_sc[t].min(n);
            }
        }
        let before = if kind == Kind::Read { location.written } else { location.accessed };
        let strongly_before = thread.own.joined(&thread.current.accesses);
        if kind != Kind::Write {
            thread.acquired.join(&location.message);
            if order.acquires() {
                thread.current.join(&location.message);
            }
        }
        thread.current.pending.join(&before);
        let mut passed_on = thread.current.fences;
        let mut ordered = Set::default();
        if order.is_sc() {
            ordered = strongly_before.joined(&before);
            ordered.sc[t] = n;
            passed_on.join(&ordered);
        }
        location.accessed.join(&passed_on);
        if kind != Kind::Read {
            location.written = location.accessed;
            // Not what the access orders itself.
            let published = if order.releases() { thread.published() } else { thread.released };
            match kind {
                Kind::Write => location.message = published,
                _ => location.message.join(&published),
            }
        }
        thread.own.join(&ordered);
        thread.acquired.join(&thread.current);
    }

    /// Follows one step.
    pub(crate) fn step(&mut self, op: Op) {
        self.time += 1;
        match op {
            Op::Access { t, x, kind, order, .. } => self.access(t, x, kind, order),
            Op::Fence { t, order } => self.threads[t].fence(order),
            Op::Plain { .. } => {}
            Op::Spawn { t, child } => {
                let (view, hb_sc) = (self.threads[t].published(), self.threads[t].hb_sc);
                self.threads[child].acquire(&view, &hb_sc);
            }
            Op::Join { t, child } => {
                let (view, hb_sc) = (self.threads[child].published(), self.threads[child].hb_sc);
                self.threads[t].acquire(&view, &hb_sc);
            }
            Op::Acquire { t, object } => {
                let (view, hb_sc) = &self.objects[object];
                self.threads[t].acquire(view, hb_sc);
            }
            Op::Release { t, object, join: is_joined } => {
                let object = &mut self.objects[object];
                if !is_joined {
                    *object = Default::default();
                }
                object.0.join(&self.threads[t].published());
                join(&mut object.1, &self.threads[t].hb_sc);
            }
        }
    }

    /// The window of an access that `t` could make to `x`: the writes that it could take for the
    /// newest, by call sites, and for each of them whether an update follows it. 0 is the initial
    /// one.
    pub(crate) fn window(&self, t: usize, x: usize, sc: bool) -> impl Iterator<Item = (u32, bool)> {
        let (thread, location) = (&self.threads[t], &self.locations[x]);
        let mut aware = thread.current.fences;
        join(&mut aware.all, &thread.current.hb);
        if sc {
            aware.join(&thread.own);
            aware.join(&thread.current.accesses);
        }
        let is_aware = |write: &Write| {
            let among = |first: &Clock, clock: &Clock| first.iter().zip(clock).any(|(first, epoch)| first <= epoch);
            among(&write.first, &aware.all) || among(&write.first_sc, &aware.sc)
        };
        let is_past = |write: &Write| write.n <= thread.hb_sc[write.writer];
        let end = |is_in: &dyn Fn(&Write) -> bool| location.writes.iter().rposition(is_in).map_or(0, |index| index + 1);
        let (first, newest) = (end(&is_aware), end(&is_past));
        (first..newest).map(|number| {
            let site = number.checked_sub(1).map_or(0, |index| location.writes[index].site);
            (site, location.writes[number].rmw)
        })
    }
}
